"""What families of judges have in common: how true values vary between groups of factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from pt_rankcorr.stats.core.types import Floats

# The standard deviation of what lies between -1 and 1 is at most this.
MOST_DEVIATION = 1.0


class FactorDeviation(NamedTuple):
    """The standard deviation of true values between the groups of one factor, and its interval."""

    deviation: float
    low: float  # 0 unless the data exclude that
    high: float


def components_of(
    estimates: Floats, sampling_error: Floats, factors: Sequence[NDArray[Any]], level: float
) -> list[FactorDeviation]:
    """The variation of true values between the groups of each factor, without sampling error.

    Estimates of shape (n,) are normal about mu + sum_f u_f, with u_f one normal draw for each group
    of factor f, nested in those before, and errors of known covariance, (n, n). A factor has the
    group of each estimate, (n,). Deviations are those of the highest restricted likelihood;
    intervals hold all that the ratio of profile likelihoods accepts.
    """
    from scipy.optimize import brentq, minimize  # takes a while to import

    size = len(estimates)
    # n - 1 orthonormal contrasts: their values do not depend on mu
    contrasts = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0][:, 1:].T
    # estimates without any noise get a tiny share of their variance, as it must have an inverse
    floor = 1e-12 * (estimates.var() or 1.0) * np.eye(size - 1)
    values, noise = contrasts @ estimates, contrasts @ sampling_error @ contrasts.T + floor
    # what a variance of 1 of each factor adds to their covariance, shape (n_factors, n - 1, n - 1)
    same_group = np.array([np.equal.outer(groups, groups) for groups in factors])
    added = contrasts @ same_group @ contrasts.T
    unit = float(values @ values) / values.size or 1.0

    def deviance(variances: Floats) -> tuple[float, Floats]:
        """-2 log restricted likelihood of factors' variances but for a constant, and its slopes."""
        inverse = np.linalg.inv(noise + np.tensordot(variances, added, axes=1))
        solved = inverse @ values
        value = float(values @ solved - np.linalg.slogdet(inverse)[1])
        return value, np.tensordot(added, inverse - np.outer(solved, solved), axes=2)

    def lowest(fixed: dict[int, float]) -> tuple[float, Floats]:
        """The lowest deviance with some deviations fixed, and the variances there, (n_factors,)."""
        # all start at half the variance of the contrasts; those that are fixed keep their squares
        free = [factor for factor in range(len(added)) if factor not in fixed]
        variances = np.full(len(added), unit / 2.0)
        variances[list(fixed)] = np.square([*fixed.values()])

        def scaled(in_units: Floats) -> tuple[float, Floats]:
            """The deviance of the free variances in `unit`, which are near 1, and its slopes."""
            variances[free] = in_units * unit
            value, slopes = deviance(variances)
            return value, slopes[free] * unit

        if free:
            start, bounds = variances[free] / unit, [(0.0, MOST_DEVIATION**2 / unit)] * len(free)
            found = minimize(scaled, start, jac=True, method="L-BFGS-B", bounds=bounds)
            variances[free] = found.x * unit
        return deviance(variances)[0], variances

    # an interval holds what raises the deviance by at most the quantile of chi^2 of df 1
    least, best = lowest({})
    bound = least + 2.0 * float(gammaincinv(0.5, level))

    def component(factor: int) -> FactorDeviation:
        """The deviation of one factor; ends where its profile passes the bound, if it does."""

        def beyond(deviation: float) -> float:
            """By how much the lowest deviance with this deviation is above the bound."""
            return lowest({factor: deviation})[0] - bound

        here = float(np.sqrt(best[factor]))
        low, high = 0.0, MOST_DEVIATION
        if beyond(low) > 0.0:
            low = float(brentq(beyond, low, here, xtol=1e-6))
        if beyond(high) > 0.0:
            high = float(brentq(beyond, here, high, xtol=1e-6))
        return FactorDeviation(here, low, high)

    return [component(factor) for factor in range(len(added))]


def sampling_error_between(sampling_error: Floats) -> float:
    """The standard deviation that sampling error of covariance (n, n) gives equal values."""
    # the mean variance of contrasts, (tr(S) - sum(S) / n) / (n - 1)
    size = len(sampling_error)
    return float(np.sqrt((np.trace(sampling_error) - sampling_error.mean() * size) / (size - 1)))
