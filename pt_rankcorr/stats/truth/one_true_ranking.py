"""What a coefficient of two measures would be on these topics if both had one true ranking.

The true means of both are fitted such that they rise together. A replicate of the measured means is a draw of them plus
the errors of resampled topics; all that is said about one true ranking comes from coefficients of such replicates.
Equations are those of the page "One true ranking" of the documentation.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.stats.core.ordering import lexsorted
from pt_rankcorr.stats.core.types import Floats, Indices, Result
from pt_rankcorr.text import decimals, p_equals, plain, with_interval

NOISELESS = 1e-9  # of the range of the means of a side: with less noise these are its true means
DIGITS = 9  # by which means in units of noise are told apart
TINY = 1e-300  # the least probability that has a logarithm
# of the fit (eq. 3): places where a true mean may be, about each measured one, in units of noise
PLACES = np.linspace(-3.0, 3.0, 13)
STEP = 0.05  # places that are nearer are one place
LEAST_VARIANCE = 0.02**2  # of true means, in units of noise
# of groups (eq. 5)
MOST_GROUPS, SYSTEMS_PER_GROUP = 3, 5
EM_STEPS = 30
NO_GROUPS = 0.9  # the probability of one normal distribution at which systems do not come in groups
CACHED = 64  # measures whose fits are kept, as each is compared with several others
LEAST_GROUP_VARIANCE = 0.01  # of true means within a group, in units of noise
# quantiles of true means are kept at these quantiles of the normal distribution, and lie on lines between them
FARTHEST, CELLS_PER_UNIT = 4.0, 16
NODES = np.linspace(-FARTHEST, FARTHEST, int(2 * FARTHEST) * CELLS_PER_UNIT + 1)


# --- what is said -------------------------------------------------------------------------------------------

LEAST_FOR_P = 1.0 / 3.0  # reliability of a side: below, its systems may be all alike (p rejects .23 at .05)
LEAST_FOR_CAP = 0.5  # below, the cap of the interval would lie below the mean tau in .06 to .14
LEAST_TO_TELL = 0.8  # below, p is above .5 in half of the samples of other rankings
NEAR_COPY = 0.95  # the correlation of the errors of two systems, by both sides
EQUAL = 1e-12  # coefficients that differ by less are equal
NOTICED = 0.03  # by which the values of both fits differ where sentences give both
ONE_TRUE_RANKING = "one true ranking"


def title_of(title: str) -> str:
    """The title of the column of what a coefficient of this title would be; with " high" and so on, a name, too."""
    return f"{title} if {ONE_TRUE_RANKING}"


@dataclass(frozen=True, eq=False)
class OneTrueRanking(Result):
    """What a coefficient would be on as many topics if both measures had one true ranking.

    Attributes:
        mean: The mean over replicates: what one true ranking gives, as noise keeps it below 1.
        low, high: The ends of the middle `level` of the replicates.
        pvalue: The share of replicates at or below the coefficient at hand, (b + 1)/(B + 1). Small where noise does not
            explain how both differ. nan where both sides are equal, or one side is all noise.
        reliability: Of the means of the reference and of the estimate: 1 less noise over variance, at least 0.
        in_groups: The same where systems may come in up to three groups, such as baselines and neural runs.
        replicates: The coefficient in each replicate, nan where undefined.
        level: The level of the interval.
    """

    mean: float
    low: float
    high: float
    pvalue: float
    reliability: tuple[float, float]
    level: float
    in_groups: OneTrueRanking | None = field(repr=False)
    replicates: Floats = field(repr=False, compare=False)

    @classmethod
    def of(
        cls,
        statistic: float,
        replicates: Floats,
        reliability: tuple[float, float],
        *,
        are_equal: bool = False,
        level: float = LEVEL,
        in_groups: OneTrueRanking | None = None,
    ) -> OneTrueRanking:
        """From the coefficient at hand and its replicates; nan where it is nan, and no p where both sides are equal."""
        defined, nan = replicates[~np.isnan(replicates)], float("nan")
        if np.isnan(statistic) or not defined.size:
            return cls(nan, nan, nan, nan, reliability, level, in_groups, replicates)
        low, high = np.quantile(defined, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]).tolist()
        fewer = int(np.count_nonzero(defined <= statistic + EQUAL))
        has_pvalue = min(reliability) >= LEAST_FOR_P and not are_equal
        pvalue = (fewer + 1.0) / (defined.size + 1.0) if has_pvalue else nan
        return cls(float(defined.mean()), low, high, pvalue, reliability, level, in_groups, replicates)

    def swapped(self) -> OneTrueRanking:
        """The same with both sides exchanged."""
        in_groups = None if self.in_groups is None else self.in_groups.swapped()
        return replace(self, reliability=self.reliability[::-1], in_groups=in_groups)

    def most(self, statistic: float, level: float) -> float:
        """The highest value that the upper end of an interval of the coefficient may have."""
        if np.isnan(self.mean) or min(self.reliability) < LEAST_FOR_CAP:
            return 1.0
        return max(statistic, float(np.nanquantile(self.replicates, (1.0 + level) / 2.0)))

    def differs_in_groups(self, alpha: float | None = None) -> bool:
        """Whether the value differs by more than .03 if systems come in groups, or p is on the other side of alpha."""
        if self.in_groups is None:
            return False
        alpha = 1.0 - self.level if alpha is None else alpha
        values_differ = abs(self.mean - self.in_groups.mean) > NOTICED
        return values_differ or (self.pvalue <= alpha) != (self.in_groups.pvalue <= alpha)

    def sentence(self, alpha: float | None = None) -> str:
        """As a part of a sentence: one true ranking would give .85 [.76, .91] (p = .54).

        Both values and p where they differ in groups; `alpha` is by default 1 - level.
        """
        text, p = f"{ONE_TRUE_RANKING} would give {with_interval(self.mean, (self.low, self.high))}", _p(self.pvalue)
        if np.isnan(self.pvalue):
            return f"{text} (no p: these topics do not tell the systems of one side apart)"
        if self.in_groups is not None and self.differs_in_groups(alpha):
            text = f"{text}, or {decimals(self.in_groups.mean)} if systems come in groups"
            p = f"{p}, or {_p(self.in_groups.pvalue)}"
        return f"{text} ({p})"


def _p(value: float) -> str:
    """A p-value in a sentence, with the digits that its replicates give."""
    return f"p = {decimals(value)}" if value >= 0.1 else plain(p_equals(value))


# --- one side -----------------------------------------------------------------------------------------------


class Side(NamedTuple):
    """The scores of one measure, in units of their noise, which is the standard error of the mean of a system.

    Means are less their mean over systems, and so is their noise.
    """

    means: Floats  # shape (m,)
    errors: Floats  # of topics: without what a topic does to all systems alike, shape (n_topics, m)
    noise: float  # the unit
    centre: float  # the mean over systems, in the unit of scores
    reliability: float  # 1 less noise over variance, of the means: from 0 to 1

    @property
    def is_noiseless(self) -> bool:
        return not self.errors.any()

    @property
    def share_of_one_topic(self) -> float:
        """The largest share of the noise that one topic makes."""
        by_topic = (self.errors**2).sum(axis=1)
        return float(by_topic.max() / max(by_topic.sum(), TINY))


def side_of(scores: Floats) -> Side:
    """The means of systems, and the noise of topics in them (eq. 1), from shape (n_topics, m)."""
    n_topics, n_systems = scores.shape
    means = scores.mean(axis=0)
    errors = scores - means
    errors = errors - errors.mean(axis=1, keepdims=True)
    noise = float(np.sqrt((errors**2).sum() / (n_topics * (n_topics - 1.0) * n_systems)))
    centre, variance = float(means.mean()), float(means.var())
    size = max(float(np.ptp(means)), NOISELESS * float(np.abs(scores).max()))
    if noise <= NOISELESS * size:
        errors, noise = np.zeros_like(errors), size or 1.0
        return Side(((means - centre) / noise).round(DIGITS), errors, noise, centre, 1.0)
    reliability = max(1.0 - noise**2 / variance, 0.0) if variance > 0.0 else 0.0
    return Side(((means - centre) / noise).round(DIGITS), errors / noise, noise, centre, reliability)


# --- the fit of one side ------------------------------------------------------------------------------------


def quantiles_of_truth(side: Side, *, in_groups: bool) -> Floats | None:
    """Quantiles of the true mean of each system given the measured ones, at `NODES`: shape (n_nodes, m).

    None for a side without noise.
    """
    return None if side.is_noiseless else _quantiles(side.means.tobytes(), in_groups)


@lru_cache(maxsize=CACHED)
def _quantiles(means: bytes, in_groups: bool) -> Floats:
    measured = np.frombuffer(means)
    places, cumulative = posterior(measured, in_groups=in_groups)
    uniform = ndtr(NODES)
    return np.stack([np.interp(uniform, row, places) for row in cumulative], axis=1)


def posterior(means: Floats, *, in_groups: bool) -> tuple[Floats, Floats]:
    """Where the true mean of each system may be: places (k,), ascending, and cumulative probabilities (m, k).

    From means in units of their noise. The prior is a normal distribution of systems with the variance that noise
    leaves, and one step of expectation and maximisation (eq. 3 and 4); in groups it is a mixture of one to three normal
    ones, which Schwarz's criterion weighs (eq. 5). Places lie near the systems, so that they are as close as noise.
    """
    places = np.unique(((means[:, np.newaxis] + PLACES) / STEP).round()) * STEP
    widths = np.log(np.gradient(places))
    log_likelihood = -0.5 * (means[:, np.newaxis] - places) ** 2

    def given(log_prior: Floats) -> Floats:
        """Bayes' rule: the probability of each place for each system, shape (m, k)."""
        joint = log_likelihood + log_prior
        joint = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    variance = max(means.var(ddof=1) - 1.0, LEAST_VARIANCE)
    normal = given(widths - 0.5 * (places - means.mean()) ** 2 / variance)
    probabilities = given(np.log(normal.mean(axis=0) + TINY))
    if in_groups:
        shares, fits = mixtures(means.tobytes())
        probabilities *= shares[0]
        for share, fit in zip(shares[1:], fits[1:], strict=True):
            from_centres = (places[:, np.newaxis] - fit.centres) ** 2 / fit.variances
            density = (fit.weights * np.exp(-0.5 * from_centres) / np.sqrt(fit.variances)).sum(axis=1)
            probabilities += share * given(widths + np.log(density + TINY))
    return places, probabilities.cumsum(axis=1) - probabilities / 2.0  # half of what is at a place lies below it


class Mixture(NamedTuple):
    """A mixture of k normal distributions of true means: shape (k,) each, in units of noise."""

    log_likelihood: float  # of the measured means
    centres: Floats
    variances: Floats
    weights: Floats


@lru_cache(maxsize=CACHED)
def mixtures(means: bytes) -> tuple[Floats, list[Mixture]]:
    """Mixtures of one to three normal distributions, and how probable each is by Schwarz's criterion (eq. 5)."""
    measured = np.frombuffer(means)
    fits = [mixture(measured, k) for k in range(1, max(1, min(MOST_GROUPS, measured.size // SYSTEMS_PER_GROUP)) + 1)]
    n_parameters = 3.0 * np.arange(1, len(fits) + 1) - 1.0
    criterion = np.array([fit.log_likelihood for fit in fits]) - n_parameters * np.log(measured.size) / 2.0
    shares = np.exp(criterion - criterion.max())
    return shares / shares.sum(), fits


def mixture(means: Floats, k: int) -> Mixture:
    """The mixture of k normal distributions that means with noise of 1 fit best, by expectation and maximisation.

    It begins with equal parts of the sorted means, and with parts between the widest gaps; arrays have both starts on
    their first axis: (2, k), or (2, m, k).
    """
    ordered = np.sort(means)
    gaps = np.sort(np.argsort(-np.diff(ordered), kind="stable")[: k - 1]) + 1
    starts = [np.array_split(ordered, k), np.split(ordered, gaps)]
    centres = np.array([[part.mean() for part in parts] for parts in starts])
    variances = np.array([[max(part.var() - 1.0, 0.2) for part in parts] for parts in starts])
    weights = np.array([[part.size / means.size for part in parts] for parts in starts])
    column = means[:, np.newaxis]
    for _ in range(EM_STEPS if k > 1 else 1):
        total = (variances + 1.0)[:, np.newaxis]
        squares = (column - centres[:, np.newaxis]) ** 2
        shares = weights[:, np.newaxis] * np.exp(-0.5 * squares / total) / np.sqrt(total) + TINY
        of_all = shares.sum(axis=2, keepdims=True)
        log_likelihoods = np.log(of_all).sum(axis=(1, 2))
        shares /= of_all
        sizes = shares.sum(axis=1) + 1e-9
        weights = sizes / sizes.sum(axis=1, keepdims=True)
        centres = (shares * column).sum(axis=1) / sizes
        squares = (column - centres[:, np.newaxis]) ** 2
        variances = np.maximum((shares * squares).sum(axis=1) / sizes - 1.0, LEAST_GROUP_VARIANCE)
    best = int(np.argmax(log_likelihoods))
    return Mixture(float(log_likelihoods[best]), centres[best], variances[best], weights[best])


# --- both sides ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneRanking:
    """Two measures under one true ranking: all but the random numbers of replicates.

    Which side comes first makes no difference, nor does the order of systems: random numbers belong to the places of
    systems in the one order, and the first of them to the side whose sorted means are less.
    """

    sides: tuple[Side, Side]  # the reference and the estimate
    order: Indices  # the systems, worst first, by the sum of both scores in units of their noise, shape (m,)
    exchanged: bool  # whether the first random numbers are those of the estimate
    correlation: float  # of the errors of both sides; 0 where they have topics of their own

    @classmethod
    def of(cls, reference: Floats, estimate: Floats, *, shared: bool) -> OneRanking:
        """From scores of shape (n_topics, m) each; if topics are shared, row i of both is the same topic."""
        sides = side_of(reference), side_of(estimate)
        in_order = [np.sort(side.means).tolist() for side in sides]
        exchanged = in_order[1] < in_order[0]
        first, second = (sides[exchanged], sides[not exchanged])
        total = (first.means + second.means).round(DIGITS)
        correlation = 0.0
        if shared:
            squares = (first.errors**2).sum() * (second.errors**2).sum()
            correlation = float((first.errors * second.errors).sum() / np.sqrt(max(squares, TINY)))
        keys = np.vstack([second.errors, first.errors, second.means, first.means, total])
        return cls(sides, lexsorted(keys), exchanged, float(np.clip(correlation, -1.0, 1.0)))

    @property
    def reliability(self) -> tuple[float, float]:
        """That of both sides."""
        return self.sides[0].reliability, self.sides[1].reliability

    @property
    def are_equal(self) -> bool:
        """Whether both sides are the same scores, but for their scale."""
        first, second = self.sides
        same = first.errors.shape == second.errors.shape and np.array_equal(first.means, second.means)
        return same and np.allclose(first.errors, second.errors, rtol=0.0, atol=10.0**-DIGITS)

    @property
    def may_have_groups(self) -> bool:
        """Whether the systems of a side may come in groups."""
        noisy = (side for side in self.sides if not side.is_noiseless)
        return any(mixtures(side.means.tobytes())[0][0] < NO_GROUPS for side in noisy)

    @property
    def n_copies(self) -> int:
        """How many systems are copies or near copies of another: by both sides they err alike."""
        alike = np.ones((self.order.size, self.order.size), dtype=np.bool_)
        for side in self.sides:
            covariance = side.errors.T @ side.errors
            sizes = np.sqrt(np.maximum(covariance.diagonal(), TINY))
            alike &= covariance >= NEAR_COPY * np.outer(sizes, sizes)
        np.fill_diagonal(alike, False)
        return int(alike.any(axis=1).sum())

    def truths(self, normals: Floats, *, in_groups: bool) -> list[Floats]:
        """Draws of the true means of both sides (eq. 6 and 7), shape (size, m) each, from normals (2, size, m).

        In units of noise, systems as they were given; in their order both sides rise.
        """
        first, second = normals
        second = self.correlation * first + np.sqrt(1.0 - self.correlation**2) * second
        drawn = (second, first) if self.exchanged else (first, second)
        places = np.empty_like(self.order)
        places[self.order] = np.arange(places.size)
        return [
            self._sorted_draws(side, numbers, in_groups).take(places, axis=1)
            for side, numbers in zip(self.sides, drawn, strict=True)
        ]

    def _sorted_draws(self, side: Side, normals: Floats, in_groups: bool) -> Floats:
        """The posterior quantiles of each system where the normals say, sorted: shape (size, m)."""
        quantiles = quantiles_of_truth(side, in_groups=in_groups)
        if quantiles is None:  # no noise: the true means are the measured ones
            return np.broadcast_to(np.sort(side.means), normals.shape)
        cells = ((normals + FARTHEST) * CELLS_PER_UNIT).clip(0.0, len(NODES) - 1.001)
        lower = cells.astype(np.intp)
        cells -= lower
        lower *= self.order.size
        lower += self.order  # the places of both nodes in the flat table
        drawn = quantiles.take(lower)
        lower += self.order.size
        cells *= quantiles.take(lower) - drawn
        drawn += cells
        drawn.sort(axis=1)
        return np.asarray(drawn)

    def errors(self, shares: tuple[Floats, Floats]) -> list[Floats]:
        """Errors of the means of resampled topics, shape (size, m) each, from the shares of topics (size, n_topics).

        In units of noise, in the given order of systems. Times sqrt(n / (n - 1)), by which samples vary more (eq. 8).
        """
        n_topics = [len(side.errors) for side in self.sides]
        return [
            (of_topics @ side.errors) * np.sqrt(n / (n - 1.0))
            for of_topics, side, n in zip(shares, self.sides, n_topics, strict=True)
        ]
