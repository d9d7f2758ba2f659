"""Does a measure favour a group of systems, beyond what the reference sees in them?

Two measures may have different scales, and one may bend the other's. So what is compared is the residual F - h(R) of a
parabola h that never falls between the worst and the best system: a sum of (R - worst)^2 and -(best - R)^2 with weights
of at least 0. It is fitted to differences within groups, as those of groups would bend it; and to draws of true means,
as noise of the topics would flatten it. In these the mean of a group is not shrunk, or a true favour would be.

The shift of a group is the mean residual of its systems less that of all others. In each draw that of endless systems
of these kinds follows Student's t about it, with the standard error that residuals within groups give. Tests and
intervals are those of the mean of these distributions over draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

from pt_rankcorr.stats.core.means import ranks, round_means, rounded, system_means
from pt_rankcorr.stats.core.ordering import in_given_order, lexsorted
from pt_rankcorr.stats.core.resampling import generator
from pt_rankcorr.stats.core.types import ConfidenceInterval, Flags, Floats, Indices
from pt_rankcorr.stats.truth import constants
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures
from pt_rankcorr.stats.truth.shrunken import noise_of_means
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings

ROUNDING = 1e-9  # of the largest mean
LEAST_OVERLAP = 0.1  # of the pairs of a system in the group and another one, so many are swapped
PARTS = 2  # of a curve
LEAST = 1e-100  # the least standard error, and share of a distribution


@dataclass(frozen=True)
class Shifts:
    """What a measure adds to the reference, in draws of the true means by both."""

    slope: Floats  # of the curve, shape (n_draws,): see `fit_curve`
    scores: Floats  # F - h(R) of each system, less its mean over systems, shape (n_draws, n_systems)
    of_groups: Floats  # the mean of each group less that of all others, of these systems, shape (n_draws, n_groups)
    errors: Floats  # the standard error of those as means of systems of their kinds, of the same shape
    freedom: int  # its degrees of freedom; below 1 nothing is known of kinds of systems

    def pvalue(self, group: int) -> float:
        """The two-sided p-value of no shift of systems of this kind; nan where nothing is known of them."""
        if not self._is_known(group):
            return float("nan")
        n_draws = len(self.of_groups)
        fewer = n_draws * min(self._share_below(group, 0.0), self._share_below(group, 0.0, sign=-1.0))
        return float(min(2.0 * (fewer + 1.0) / (n_draws + 1.0), 1.0))

    def interval(self, group: int, level: float) -> ConfidenceInterval:
        """The interval of the shift of systems of this kind, which has 0 in it where p is above 1 - level."""
        if not self._is_known(group):
            return ConfidenceInterval(float("nan"), float("nan"))
        n_draws = len(self.of_groups)
        tail = max(((1.0 - level) / 2.0 * (n_draws + 1.0) - 1.0) / n_draws, LEAST)  # one draw less, as p has one more
        return ConfidenceInterval(self._quantile(group, tail), -self._quantile(group, tail, sign=-1.0))

    def _is_known(self, group: int) -> bool:
        return self.freedom > 0 and not np.isnan(self.of_groups[:, group]).any()

    def _share_below(self, group: int, value: float, sign: float = 1.0) -> float:
        """The probability that the shift times the sign is below a value."""
        t = (value - sign * self.of_groups[:, group]) / np.maximum(self.errors[:, group], LEAST)
        return float(stdtr(self.freedom, t).mean())

    def _quantile(self, group: int, share: float, sign: float = 1.0) -> float:
        """The value that the shift times the sign is below with a probability."""
        of_draws = sign * self.of_groups[:, group] + stdtrit(self.freedom, share) * self.errors[:, group]
        low, high = float(of_draws.min()), float(of_draws.max())  # the quantile is between those of all draws
        if high - low <= ROUNDING * max(abs(low), abs(high)):
            return low
        least_step = ROUNDING * (high - low)
        return float(brentq(lambda value: self._share_below(group, value, sign) - share, low, high, xtol=least_step))


def draw_shifts(
    reference: Floats,
    estimate: Floats,
    groups: Flags,
    *,
    n_draws: int,
    seed: int,
    same_scale: bool = False,
    n_jobs: int | None = None,
) -> Shifts:
    """Draws of what the estimate adds to the reference, on the same topics: scores of shape (n_topics, n_systems).

    Groups, shape (n_groups, n_systems), say whether a system is in a group; it is in one at most. With one scale h(R)
    is R.
    """
    order = lexsorted(np.vstack([estimate, reference])[::-1])  # so that the order of systems changes no draw
    sides, groups = TwoMeasures(reference[:, order], estimate[:, order]), groups[:, order]
    cells = _cells(groups)
    contrasts = (groups / groups.sum(axis=1, keepdims=True) - ~groups / (~groups).sum(axis=1, keepdims=True)).T
    heights, second = _draw_means(sides, cells, n_draws, seed, n_jobs)
    slope, leverages = np.ones(n_draws), np.zeros((1, 1))
    if not same_scale:
        inner = [_deviations(means, cells) for means in sides.means]
        rising = -1.0 if (inner[0] * inner[1]).sum() < 0.0 else 1.0  # what is good by the estimate may be bad
        heights, slope, leverages = fit_curve(heights, rising * second, cells, contrasts)
        heights, slope = rising * heights, rising * slope
    shifts = second - heights
    shifts -= shifts.mean(axis=1, keepdims=True)
    freedom = int(cells.size - (cells.max() + 1) - (0 if same_scale else PARTS))
    variances = (_deviations(shifts, cells) ** 2).sum(axis=1, keepdims=True) / max(freedom, 1)
    size = float(np.abs(sides.estimate).mean())
    return Shifts(
        slope,
        in_given_order(rounded(shifts, size), order),
        rounded(shifts @ contrasts, size),
        rounded(np.sqrt(variances * ((contrasts**2).sum(axis=0) + leverages)), size),
        freedom,
    )


def overlaps(reference: Floats, groups: Flags) -> Floats:
    """The share of pairs, of a system in a group and one outside, that the reference gives to the less frequent side.

    From 0, where the worst of one side is better than the best of the other, to .5; shape (n_groups,).
    """
    place = ranks(system_means(reference))
    sizes = groups.sum(axis=1)
    wins = (groups @ place - sizes * (sizes + 1) / 2.0) / (sizes * (place.size - sizes))  # Mann and Whitney's U
    return np.asarray(np.minimum(wins, 1.0 - wins))


# --- the curve ----------------------------------------------------------------------------------------------


def fit_curve(first: Floats, second: Floats, cells: Indices, contrasts: Floats) -> tuple[Floats, Floats, Floats]:
    """A parabola of the first means that never falls, fitted by least squares to deviations within groups.

    From means of shape (n_draws, n_systems) and contrasts of systems, (n_systems, n_groups), the height of each system;
    the slope from the worst to the best, (n_draws,), nan where no group has systems that differ; and the variance of
    each contrast of the curve, per variance of a system, (n_draws, n_groups).
    """
    low, high = first.min(axis=1, keepdims=True), first.max(axis=1, keepdims=True)
    unit = np.where(high > low, high - low, 1.0)
    parts = np.stack([((first - low) / unit) ** 2, -(((high - first) / unit) ** 2)])  # both rise
    inner, outer = _deviations(parts, cells), _deviations(second, cells)
    products = np.einsum("ads,bds->abd", inner, inner)
    products += constants.BEND_COST * np.trace(products) * np.array([[1.0, -1.0], [-1.0, 1.0]])[..., np.newaxis]
    weights = _at_least_zero(products, np.einsum("ads,ds->ad", inner, outer))
    differ = np.abs(_deviations(first, cells)).max(axis=1) > ROUNDING * np.abs(first).max(axis=1)
    weights = np.where(differ, weights, np.nan)

    (a, b), (_, c) = products[..., np.newaxis]
    u, v = parts @ contrasts
    both = _ratio(u**2 * c - 2.0 * u * v * b + v**2 * a, a * c - b**2)
    alone = np.where(weights[0][:, np.newaxis] > 0.0, _ratio(u**2, a), _ratio(v**2, c))
    has_both = np.asarray((weights > 0.0).all(axis=0))
    leverages = np.where(has_both[:, np.newaxis], both, alone)
    return np.einsum("ad,ads->ds", weights, parts), weights.sum(axis=0) / unit[:, 0], leverages


def _at_least_zero(products: Floats, targets: Floats) -> Floats:
    """Least squares of two weights of at least 0, shape (2, n_draws)."""
    (a, b), (_, c) = products
    p, q = targets
    determinant = a * c - b**2
    both = np.stack([_ratio(c * p - b * q, determinant), _ratio(a * q - b * p, determinant)])
    alone = np.stack([np.maximum(_ratio(p, a), 0.0), np.maximum(_ratio(q, c), 0.0)])
    first_is_better = alone[0] * p >= alone[1] * q
    alone *= np.stack([first_is_better, ~first_is_better])
    usable = (both >= 0.0).all(axis=0) & (determinant > ROUNDING * a * c)
    return np.where(usable, both, alone)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole > 0.0)


# --- draws --------------------------------------------------------------------------------------------------


def _draw_means(
    sides: TwoMeasures, cells: Indices, n_draws: int, seed: int, n_jobs: int | None
) -> tuple[Floats, Floats]:
    """Draws of the true means by both measures, shape (n_draws, n_systems) each.

    The mean of a group is drawn without shrinkage, deviations from it as for two rankings.
    """
    of_cells = np.hstack([_means_of_cells(scores, cells) for scores in sides.matrices])
    shared = of_cells.mean(axis=0) + noise_of_means(of_cells, n_draws, generator(seed), n_jobs)
    drawn = np.stack([part[:, cells] for part in np.split(shared, 2, axis=1)])
    several = np.flatnonzero(np.bincount(cells)[cells] > 1)
    inner = [_deviations(scores, cells)[:, several] for scores in sides.matrices]
    sizes = [np.abs(scores).max() for scores in sides.matrices]
    if all(np.abs(own).max(initial=0.0) > ROUNDING * size for own, size in zip(inner, sizes, strict=True)):
        rankings = draw_two_rankings(inner[0], inner[1], n_draws, seed, n_jobs=n_jobs)
        drawn[..., several] += _deviations(rankings, cells[several])
    first, second = (round_means(means, scores) for means, scores in zip(drawn, sides.matrices, strict=True))
    return first, second


def _cells(groups: Flags) -> Indices:
    """The number of the group of each system; those in none are one more group."""
    number = (groups * np.arange(1, len(groups) + 1)[:, np.newaxis]).sum(axis=0)
    return np.asarray(np.unique(number, return_inverse=True)[1].ravel(), dtype=np.intp)


def _means_of_cells(scores: Floats, cells: Indices) -> Floats:
    """The mean over the systems of each group, shape (..., n_cells)."""
    member = np.eye(cells.max() + 1)[cells]
    return np.asarray(scores @ member / np.maximum(member.sum(axis=0), 1.0))


def _deviations(scores: Floats, cells: Indices) -> Floats:
    """Scores less the mean of the group of their system."""
    return np.asarray(scores - _means_of_cells(scores, cells)[..., cells])
