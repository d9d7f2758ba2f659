"""A coefficient of two measures on these topics, as it would be if both had one true ranking.

The true means of both are fitted such that they rise together. A replicate of the measured means is
a draw of them plus the errors of resampled topics. The mean, the interval and the p-value are those
of the coefficient in such replicates. Equations are those of the page "One true ranking",
`pt_rankcorr/pt_docs/one_true_ranking.rst`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.display import Quotable
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.ordering import lexsorted
from pt_rankcorr.stats.core.types import TINY, Floats, Indices, Result

# Means in units of noise are rounded to this many digits, so that equal means stay equal.
NOISE_DIGITS = 9
# A draw of a system's true mean is its quantile at the node next to a standard normal number. Nodes
# run from -4 to 4, beyond which one number in 16 000 lies, 32 to a unit. Chosen, not tuned.
NODES_PER_UNIT = 32
NODES = np.linspace(-4.0, 4.0, 8 * NODES_PER_UNIT + 1)


# --- the result -----------------------------------------------------------------------------------

# There is no p-value, and no cap of the interval, if the reliability of a side is below this: p
# then rejected up to .3 of true hypotheses at .05, and a cap may lie below the mean tau.
LEAST_RELIABILITY = 0.5
# If the reliability of a side is below this, a large p comes with a note that these topics cannot
# tell: with 10 systems of reliability .7 that truly differ, p was above .5 in half of the samples.
LEAST_TO_TELL = 0.8
# Coefficients that differ by less than this are equal.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class OneTrueRanking(Result, Quotable):
    """What a coefficient would be on as many topics if both measures had one true ranking.

    Attributes:
        mean: The mean over replicates: what one true ranking gives, as noise keeps it below 1.
        low, high: The ends of the middle `level` of the replicates.
        pvalue: The share of replicates at or below the coefficient at hand, (b + 1)/(B + 1). Small
            where noise does not explain how both differ. nan where both sides are equal, or the
            reliability of one is below .5.
        reliability: Of the means by the reference and by the estimate: 1 - noise / variance, or 0.
        replicates: The coefficient in each replicate, nan where undefined.
        level: The level of the interval.
    """

    mean: float
    low: float
    high: float
    pvalue: float
    reliability: tuple[float, float]
    level: float
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
    ) -> OneTrueRanking:
        """The result for a coefficient and its replicates, (B,); no p if sides are equal."""
        # replicates in which a side ties all systems have no coefficient: they are left out
        defined, nan = replicates[~np.isnan(replicates)], float("nan")
        if np.isnan(statistic) or not defined.size:
            return cls(nan, nan, nan, nan, reliability, level, replicates)
        low, high = np.quantile(defined, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]).tolist()
        pvalue = nan
        if min(reliability) >= LEAST_RELIABILITY and not are_equal:
            # eq. 7: p = (b + 1) / (B + 1), with b of B replicates at or below the coefficient
            n_at_or_below = int(np.count_nonzero(defined <= statistic + EQUAL))
            pvalue = (n_at_or_below + 1.0) / (defined.size + 1.0)
        return cls(float(defined.mean()), low, high, pvalue, reliability, level, replicates)

    def swapped(self) -> OneTrueRanking:
        """The result under exchanged sides: only the reliabilities change places."""
        return replace(self, reliability=self.reliability[::-1])

    def cap(self, statistic: float, level: float) -> float:
        """The highest value that the upper end of the coefficient's interval at a level may have.

        Noise leaves about as much as one true ranking gives, at most: the quantile of the
        replicates at (1 + level)/2. It is 1, no cap, where that is unknown or too uncertain.
        """
        if np.isnan(self.mean) or min(self.reliability) < LEAST_RELIABILITY:
            return 1.0
        # a coefficient above nearly all replicates is chance: it is its own cap
        return max(statistic, float(np.nanquantile(self.replicates, (1.0 + level) / 2.0)))


# --- one side -------------------------------------------------------------------------------------


class Side(NamedTuple):
    """The scores of one measure, in units of noise: of the standard error of a system's mean.

    Means and errors are centred: less their mean over systems.
    """

    means: Floats  # shape (m,)
    errors: Floats  # of topics: without what a topic does to all systems alike, shape (n_topics, m)
    noise: float  # the unit
    centre: float  # the mean over systems, in the unit of scores
    reliability: float  # 1 less noise over variance, of the means: from 0 to 1

    @property
    def is_noiseless(self) -> bool:
        """Whether all differences of systems are the same on every topic."""
        return not self.errors.any()

    @property
    def share_of_one_topic(self) -> float:
        """The largest share of the noise that one topic makes."""
        # the noise is a sum of squared errors: one part for each topic, shape (n_topics,)
        by_topic = (self.errors**2).sum(axis=1)
        return float(by_topic.max() / max(by_topic.sum(), TINY))


def side_of(scores: Floats) -> Side:
    """The means of systems, and the noise of topics in them (eq. 1), from shape (n_topics, m)."""
    n_topics, n_systems = scores.shape
    means = system_means(scores)
    # e_tj, (n_topics, m): scores less the mean of the system, less what the topic does to all alike
    errors = scores - scores.mean(axis=0)
    errors = errors - errors.mean(axis=1, keepdims=True)
    # s, the standard error of a system's mean: the root of the mean over systems of its square
    noise = float(np.sqrt((errors**2).sum() / (n_topics * (n_topics - 1.0) * n_systems)))
    centre, variance = float(means.mean()), float(means.var())
    # the variance of measured means is that of true means plus noise: the share of the first in it
    reliability = max(1.0 - noise**2 / variance, 0.0) if variance > 0.0 else 0.0
    # noise below 1e-9 of the range of the means is rounding, and this share is then the unit: all
    # differences of means are far apart in it. Where all means are equal, the size of the scores
    # stands for the range; 1 for scores of 0
    least = 1e-9 * max(float(np.ptp(means)), 1e-9 * float(np.abs(scores).max()))
    if noise <= least:
        errors, noise, reliability = np.zeros_like(errors), least or 1.0, 1.0
    in_units = ((means - centre) / noise).round(NOISE_DIGITS)
    return Side(in_units, errors / noise, noise, centre, reliability)


class Distribution(NamedTuple):
    """The distribution function of the true means of systems by one measure.

    A share `shares[i]` of the systems has a true mean below `places[i]`.
    """

    places: Floats  # ascending, shape (k,), in units of noise
    shares: Floats  # ascending, in (0, 1), shape (k,)
    is_discrete: bool  # whether true means lie at the places alone, as where there is no noise

    def quantiles(self, shares: Floats) -> Floats:
        """The true means below which such shares of systems are, of the shape of the shares."""
        if not self.is_discrete:
            return np.interp(shares, self.shares, self.places)
        # shares are in the middle of a step of the distribution function: steps end between them
        ends = (self.shares[1:] + self.shares[:-1]) / 2.0
        return np.asarray(self.places[np.searchsorted(ends, shares)])


def distribution_of_truth(side: Side) -> Distribution:
    """The distribution of true means, fitted to the measured ones; without noise, that of these."""
    if side.is_noiseless:
        # each distinct mean is a step; half of the systems at it count as below
        places, sizes = np.unique(side.means, return_counts=True)
        below = (np.cumsum(sizes) - sizes / 2.0) / side.means.size
        return Distribution(places, below, is_discrete=True)
    # bytes, as an array is no key of a cache
    return _fitted(side.means.tobytes())


@lru_cache(maxsize=64)  # as each measure is mostly compared with several others
def _fitted(means: bytes) -> Distribution:
    """The mean over systems of the posteriors of true means, given measured ones in units of noise.

    That is a step of expectation and maximisation. Before it, the distribution is one of one to
    three normal ones, which Schwarz's criterion weighs (eq. 3); one is that with the variance that
    noise leaves (eq. 2), after a step of its own. Places lie near the systems, and so are as close
    as noise, wherever these are.
    """
    measured = np.frombuffer(means)
    # k places, ascending: at 13 distances within 3 units of any system, on one grid of steps of
    # .05, so that those that coincide are one; chosen, not tuned
    near = measured[:, np.newaxis] + np.linspace(-3.0, 3.0, 13)
    places = np.unique((near / 0.05).round()) * 0.05
    # places are unevenly far apart: a density times the width of a place is its probability
    widths = np.log(np.gradient(places))
    # log N(measured; place, 1) but for a constant, shape (m, k)
    log_likelihood = -0.5 * (measured[:, np.newaxis] - places) ** 2

    def step(log_prior: Floats) -> Floats:
        """The mean over systems of the probabilities of places by Bayes' rule, shape (k,)."""
        return np.asarray(normalised(log_likelihood + log_prior).mean(axis=0))

    # One group (eq. 2): a normal prior whose variance is that of the measured means less the noise,
    # 1, but above 0; then one step, and a second one of the result.
    variance = max(measured.var(ddof=1) - 1.0, 0.02**2)
    normal = step(widths - 0.5 * (places - measured.mean()) ** 2 / variance)
    shares, fits = mixtures(measured)
    probabilities = shares[0] * step(np.log(normal + TINY))
    # Two and three groups: the density of the mixture at each place, sum_g w_g N(place; c_g, v_g),
    # is the prior of one step. All are averaged by how probable each number of groups is (eq. 3).
    for share, fit in zip(shares[1:], fits[1:], strict=True):
        from_centres = (places[:, np.newaxis] - fit.centres) ** 2 / fit.variances
        density = (fit.weights * np.exp(-0.5 * from_centres) / np.sqrt(fit.variances)).sum(axis=1)
        probabilities += share * step(widths + np.log(density + TINY))
    # half of what is at a place lies below it
    below = probabilities.cumsum() - probabilities / 2.0
    return Distribution(places, below, is_discrete=False)


def normalised(logarithms: Floats) -> Floats:
    """Probabilities, with sum 1 along the last axis, from their logarithms less any constant."""
    # the largest becomes exp(0) = 1, so that nothing overflows and not all underflows
    values = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


class Mixture(NamedTuple):
    """A mixture of k normal distributions of true means: shape (k,) each, in units of noise."""

    log_likelihood: float  # of the measured means
    centres: Floats
    variances: Floats
    weights: Floats


def mixtures(means: Floats) -> tuple[Floats, list[Mixture]]:
    """How probable mixtures of one to three normal distributions are, and these (eq. 3).

    By Schwarz's criterion. There is a group for each 5 systems, up to 3: chosen, not tuned (the
    page "One true ranking" has tight groups).
    """
    fits = [mixture(means, k) for k in range(1, max(1, min(3, means.size // 5)) + 1)]
    # k centres, k variances and k - 1 free weights; each costs log(m) / 2 of log likelihood
    n_parameters = 3.0 * np.arange(1, len(fits) + 1) - 1.0
    log_likelihoods = np.array([fit.log_likelihood for fit in fits])
    criterion = log_likelihoods - n_parameters * np.log(means.size) / 2.0
    # P(k), normalised to sum to 1, shape (n_groups,)
    shares = np.exp(criterion - criterion.max())
    return shares / shares.sum(), fits


def mixture(means: Floats, k: int) -> Mixture:
    """The mixture of k normal distributions that fits means with noise of 1 best.

    Expectation and maximisation begins with equal parts of the sorted means, and with parts between
    the widest gaps; arrays have both starts on their first axis: (2, k), or (2, m, k). It takes 30
    steps, and no group has a true variance below .1, as a group at one point would fit too well;
    both chosen, not tuned.
    """
    ordered = np.sort(means)
    # positions after the k - 1 widest gaps, at which the sorted means are split
    gaps = np.sort(np.argsort(-np.diff(ordered), kind="stable")[: k - 1]) + 1
    starts = [np.array_split(ordered, k), np.split(ordered, gaps)]
    # of true means, shape (2, k): the variance of a part less the noise, which is 1
    centres = np.array([[part.mean() for part in parts] for parts in starts])
    variances = np.array([[max(part.var() - 1.0, 0.2) for part in parts] for parts in starts])
    weights = np.array([[part.size / means.size for part in parts] for parts in starts])
    column = means[:, np.newaxis]
    for _ in range(30 if k > 1 else 1):
        # Expectation: the density of each measured mean in each group, w_g N(x_j; c_g, v_g + 1),
        # shape (2, m, k), and its share of the density of all groups.
        total = (variances + 1.0)[:, np.newaxis]
        squares = (column - centres[:, np.newaxis]) ** 2
        shares = weights[:, np.newaxis] * np.exp(-0.5 * squares / total) / np.sqrt(total) + TINY
        of_all = shares.sum(axis=2, keepdims=True)
        log_likelihoods = np.log(of_all).sum(axis=(1, 2))
        shares /= of_all
        # Maximisation: weights, means and variances of the systems by these shares; a group without
        # any must not divide by 0.
        sizes = shares.sum(axis=1) + 1e-9
        weights = sizes / sizes.sum(axis=1, keepdims=True)
        centres = (shares * column).sum(axis=1) / sizes
        squares = (column - centres[:, np.newaxis]) ** 2
        variances = np.maximum((shares * squares).sum(axis=1) / sizes - 1.0, 0.1)
    # of both starts, the one that fits better
    best = int(np.argmax(log_likelihoods))
    return Mixture(float(log_likelihoods[best]), centres[best], variances[best], weights[best])


# --- both sides -----------------------------------------------------------------------------------


class FittedMeans(NamedTuple):
    """Measured means of two measures, and true ones of one true ranking, in units of the scores.

    Attributes:
        means: The measured means of systems by the reference and by the estimate, (m,) each.
        noise: The standard error of a mean by each, without what a topic does to all systems alike.
        curve: True means by both below which equal shares of systems are, ascending, (k,) each.
    """

    means: tuple[Floats, Floats]
    noise: tuple[float, float]
    curve: tuple[Floats, Floats]


def fitted_means(reference: Floats, estimate: Floats) -> FittedMeans:
    """The measured means, and the fitted true ones, from scores (n_topics, m) each (eq. 1 to 4)."""
    means = system_means(reference), system_means(estimate)
    # the curve joins quantiles of both distributions at 199 even shares, taken back to scores
    shares, noise, curve = np.linspace(0.005, 0.995, 199), [], []
    for side in (side_of(reference), side_of(estimate)):
        quantiles = distribution_of_truth(side).quantiles(shares)
        curve.append(quantiles * side.noise + side.centre)
        noise.append(0.0 if side.is_noiseless else side.noise)
    return FittedMeans(means, (noise[0], noise[1]), (curve[0], curve[1]))


@dataclass(frozen=True)
class OneRanking:
    """Two measures under one true ranking: what replicates need beside their random numbers.

    Each system has one position: the share of systems that are truly below it, by both measures.
    Its true means are the quantiles of both distributions of true means there, so that both rise
    together.
    """

    sides: tuple[Side, Side]  # the reference and the estimate
    # The place of each system from the worst by both measures together, shape (m,). It takes the
    # random number at this place, so that numbers do not depend on the order of the input.
    places: Indices
    correlation: float  # of the errors of both sides; 0 where they have topics of their own

    @classmethod
    def of(cls, reference: Floats, estimate: Floats, *, shared: bool) -> OneRanking:
        """The model of scores, (n_topics, m) each; if `shared`, row i of both is one topic."""
        first, second = sides = side_of(reference), side_of(estimate)
        correlation = 0.0
        if shared:
            squares = (first.errors**2).sum() * (second.errors**2).sum()
            correlation = float((first.errors * second.errors).sum() / np.sqrt(max(squares, TINY)))
        # Systems by the sum of both means (the last key). Ties: by how far apart both means are,
        # then by the scores. Neither the order of the input nor which side is the reference may
        # decide: the side whose sorted means are smaller comes first; of equal ones the reference.
        in_order = sorted(sides, key=lambda side: np.sort(side.means).tolist())
        apart = np.abs(first.means - second.means).round(NOISE_DIGITS)
        keys = [*in_order[0].errors, *in_order[1].errors, in_order[0].means, apart]
        order = lexsorted(np.vstack([*keys, (first.means + second.means).round(NOISE_DIGITS)]))
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        return cls(sides, places, correlation)

    @property
    def reliability(self) -> tuple[float, float]:
        """The reliability of the means of the reference, and of those of the estimate."""
        return self.sides[0].reliability, self.sides[1].reliability

    @property
    def are_equal(self) -> bool:
        """Whether scores are equal, but for scale and what a topic does to all systems alike."""
        first, second = self.sides
        same_shape = first.errors.shape == second.errors.shape
        if not same_shape or not np.array_equal(first.means, second.means):
            return False
        return np.allclose(first.errors, second.errors, rtol=0.0, atol=10.0**-NOISE_DIGITS)

    @property
    def n_copies(self) -> int:
        """How many systems are near copies of another: errors correlate by .95 or more by both."""
        # (m, m): whether cov_ij >= .95 sd_i sd_j by each side; chosen, not tuned
        are_copies = np.ones((self.places.size, self.places.size), dtype=np.bool_)
        for side in self.sides:
            covariance = side.errors.T @ side.errors
            sizes = np.sqrt(np.maximum(covariance.diagonal(), TINY))
            are_copies &= covariance >= 0.95 * np.outer(sizes, sizes)
        np.fill_diagonal(are_copies, False)
        return int(are_copies.any(axis=1).sum())

    def quantiles(self) -> tuple[Floats, Floats]:
        """Quantiles of systems' true means by both, at `NODES`: (n_nodes, m) each (eq. 4, 5).

        A system's position has a posterior given both its means, whose errors are correlated.
        """
        fits = [distribution_of_truth(side) for side in self.sides]
        # k positions q to consider: those at which either distribution has a place, and those of
        # the worst and the best of m systems, which are half a system from 0 and from 1
        ends = 0.5 / self.places.size
        candidates = np.concatenate([[ends, 1.0 - ends], *(fit.shares for fit in fits)])
        shares = np.unique(candidates.round(NOISE_DIGITS + 3))
        shares = shares[(shares > 0.0) & (shares < 1.0)]
        # d_i of eq. 5, shape (m, k): how far each mean is from what it would be at each position
        first, second = (
            side.means[:, np.newaxis] - fit.quantiles(shares)
            for side, fit in zip(self.sides, fits, strict=True)
        )
        # rho enters as 1 / (1 - rho^2), where rounding errors would matter beyond .99
        rho = min(max(self.correlation, -0.99), 0.99)
        squares = (first**2 - 2.0 * rho * first * second + second**2) / (1.0 - rho**2)
        # Positions are uniform before the means are seen: the prior probability of one is its
        # width. Then the posterior distribution function of each system's position, shape (m, k).
        probabilities = normalised(np.log(np.gradient(shares)) - 0.5 * squares)
        below = probabilities.cumsum(axis=1) - probabilities / 2.0
        # its inverse at the nodes, (n_nodes, m): positions, which the fits turn into true means
        uniform = ndtr(NODES)
        positions = np.stack([np.interp(uniform, row, shares) for row in below], axis=1)
        reference, estimate = (fit.quantiles(positions) for fit in fits)
        return reference, estimate

    def draws(self, quantiles: tuple[Floats, Floats], normals: Floats) -> list[Floats]:
        """Draws of the true means of both, (size, m) each: quantiles at the nodes next to normals.

        One number a system, by its place among the normals, (size, m): so both means rise together.
        """
        numbers = normals.take(self.places, axis=1)
        # the row of each number in a table (n_nodes, m), then the cell if it is ravelled: row m + j
        rows = ((numbers - NODES[0]) * NODES_PER_UNIT + 0.5).clip(0.0, len(NODES) - 1.0)
        cells = rows.astype(np.intp)
        cells *= self.places.size
        cells += np.arange(self.places.size)
        # a billionth of it keeps copies, which err alike, from ties; systems without noise may tie
        numbers *= 1e-9
        return [
            table.take(cells) if side.is_noiseless else table.take(cells) + numbers
            for table, side in zip(quantiles, self.sides, strict=True)
        ]

    def errors(self, shares: tuple[Floats, Floats]) -> list[Floats]:
        """Errors of the means of resampled topics, (size, m) each, from shares (size, n_topics).

        In units of noise, times sqrt(n / (n - 1)), as samples vary more than resamples (eq. 6).
        """
        errors = []
        for side, of_topics in zip(self.sides, shares, strict=True):
            n_topics = len(side.errors)
            # sum over topics of w_t e_tj, shape (size, m)
            errors.append((of_topics @ side.errors) * np.sqrt(n_topics / (n_topics - 1.0)))
        return errors
