"""Estimates that come in families: how much of their variation is between families, within them, and sampling error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.special import gammaincinv

from pt_rankcorr.stats.core.types import Floats

MOST = 1.0  # standard deviation of what lies between -1 and 1
FLOOR = 1e-12  # of variances, as a share of that of the estimates: what has no noise at all
CLOSE = 1e-6


class FactorDeviation(NamedTuple):
    """How much true values vary between the groups of one factor.

    Attributes:
        deviation: The standard deviation.
        low: The low end of its interval; 0 unless the data exclude that.
        high: The high end.
    """

    deviation: float
    low: float
    high: float


def components_of(
    estimates: Floats, sampling_error: Floats, factors: Sequence[NDArray[Any]], level: float
) -> list[FactorDeviation]:
    """The variation of true values between the groups of each factor, without the sampling error of the estimates.

    Estimates are normal about mu + sum_f u_f, with u_f one normal draw a group of factor f, and their errors of known
    covariance. Standard deviations are those of the highest restricted likelihood; intervals hold all that are not
    rejected by the ratio of profile likelihoods.

    Args:
        estimates: Shape (n,).
        sampling_error: Their covariance, shape (n, n).
        factors: Of each factor the group of each estimate; a group of a later one is within one of those before.
        level: Of the intervals.

    Returns:
        One a factor.
    """
    likelihood = _Likelihood.of(estimates, sampling_error, factors)
    lowest, best = likelihood.highest({})
    bound = lowest + 2.0 * float(gammaincinv(0.5, level))
    return [_component(likelihood, at, best, bound) for at in range(len(factors))]


def sampling_error_between(sampling_error: Floats) -> float:
    """The standard deviation that sampling error alone gives estimates of equal values."""
    size = len(sampling_error)
    return float(np.sqrt((np.trace(sampling_error) - sampling_error.mean() * size) / (size - 1)))


class _Likelihood(NamedTuple):
    """The restricted likelihood of variances.

    Attributes:
        contrasts: Of the estimates, which no mean changes, shape (n - 1,).
        sampling_error: Their covariance.
        alike: Of each factor, what a variance of 1 adds to it, shape (n_factors, n - 1, n - 1).
    """

    contrasts: Floats
    sampling_error: Floats
    alike: Floats

    @classmethod
    def of(cls, estimates: Floats, sampling_error: Floats, factors: Sequence[NDArray[Any]]) -> _Likelihood:
        size = len(estimates)
        basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:]
        alike = [basis.T @ np.equal.outer(groups, groups) @ basis for groups in factors]
        floor = FLOOR * (estimates.var() or 1.0) * np.eye(size - 1)
        return cls(basis.T @ estimates, basis.T @ sampling_error @ basis + floor, np.array(alike))

    def deviance(self, variances: Floats) -> tuple[float, Floats]:
        """-2 log likelihood, up to a constant, and its slopes."""
        inverse = np.linalg.inv(self.sampling_error + np.tensordot(variances, self.alike, axes=1))
        solved = inverse @ self.contrasts
        value = self.contrasts @ solved - np.linalg.slogdet(inverse)[1]
        return float(value), np.tensordot(self.alike, inverse - np.outer(solved, solved), axes=2)

    def highest(self, fixed: dict[int, float]) -> tuple[float, Floats]:
        """The lowest deviance where some standard deviations are told, and the variances where it is."""
        free = [at for at in range(len(self.alike)) if at not in fixed]
        unit = float(self.contrasts @ self.contrasts) / self.contrasts.size or 1.0
        found = np.array([fixed[at] ** 2 if at in fixed else unit / 2.0 for at in range(len(self.alike))])

        def of(variances: Floats) -> tuple[float, Floats]:  # in units, near 1
            found[free] = variances * unit
            value, slopes = self.deviance(found)
            return value, slopes[free] * unit

        if free:
            bounds = [(0.0, MOST**2 / unit)] * len(free)
            found[free] = minimize(of, found[free] / unit, jac=True, method="L-BFGS-B", bounds=bounds).x * unit
        return self.deviance(found)[0], found


def _component(likelihood: _Likelihood, at: int, best: Floats, bound: float) -> FactorDeviation:
    def beyond(deviation: float) -> float:
        return likelihood.highest({at: deviation})[0] - bound

    here = float(np.sqrt(best[at]))
    low = 0.0 if beyond(0.0) <= 0.0 else float(brentq(beyond, 0.0, here, xtol=CLOSE))
    high = MOST if beyond(MOST) <= 0.0 else float(brentq(beyond, here, MOST, xtol=CLOSE))
    return FactorDeviation(here, low, high)
