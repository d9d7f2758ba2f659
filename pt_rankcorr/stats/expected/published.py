"""The published estimators: how likely the true ranking swaps two systems, and how well it agrees.

Sections and equations are those of Urbano and Marrero, SIGIR 2016. Probabilities are of all pairs
of systems at once. The differences between systems stay as observed at any number of topics, and
their standard errors shrink with the square root of that number. The split-half baseline
extrapolates correlations of small halves of the topics to all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import gammaln, ndtr, ndtri, stdtr

from pt_rankcorr.stats.coefficients.ap import mean_weight_of_ranks, right_inside_tie
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, Kernel
from pt_rankcorr.stats.coefficients.counting import count_above
from pt_rankcorr.stats.core.means import (
    CACHED_CELLS,
    pair_blocks,
    ranks,
    round_means,
    symmetric,
    system_means,
)
from pt_rankcorr.stats.core.ordering import system_order
from pt_rankcorr.stats.core.resampling import blockwise, topic_indices
from pt_rankcorr.stats.core.types import Floats, Indices, cached_property

# Samples are binned to this many points of their range: the bandwidth is good to some three digits.
GRID_POINTS = 401
# The normal distribution function from -8 to 8, where it is 0 and 1, at so many places a unit.
PLACES_PER_UNIT = 4096
NORMAL = ndtr(np.arange(-8 * PLACES_PER_UNIT, 8 * PLACES_PER_UNIT + 1) / PLACES_PER_UNIT)


@dataclass(frozen=True)
class RankedPairs:
    """All pairs of systems, the better one first."""

    scores: Floats  # (n_systems, n_topics), best system first
    means: Floats  # rounded, descending, shape (n_systems,)
    order: Indices  # where each of them stands in the matrix that was given, of the same shape

    @property
    def n_topics(self) -> int:
        return int(self.scores.shape[1])

    @property
    def n_systems(self) -> int:
        return int(self.scores.shape[0])

    @cached_property
    def indices(self) -> tuple[Indices, Indices]:
        """The better and the worse system of each pair, shape (n_pairs,) each."""
        better, worse = np.triu_indices(self.n_systems, 1)
        return better, worse

    @cached_property
    def gaps(self) -> Floats:
        """By how much the mean of the better system is higher, shape (n_pairs,)."""
        better, worse = self.indices
        return np.asarray(self.means[better] - self.means[worse])

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Whether a pair has no variance, but for rounding errors, shape (n_pairs,)."""
        ranges = self.over_topics(lambda differences: np.ptp(differences, axis=1), rounded=True)
        return np.asarray(ranges == 0.0)

    def over_topics(
        self, statistic: Callable[[Floats], Floats], cells: int = 1, *, rounded: bool = False
    ) -> Floats:
        """A statistic of differences: takes blocks of (n_pairs, n_topics), returns (n_pairs,).

        It needs `cells` for a pair. Rounded differences tie where exact ones do: 0.3 - 0.2 is 0.1.
        """
        # a block of pairs has 2^18 cells: 2 MiB, which stay in the cache
        values = []
        for better, worse in pair_blocks(self.n_systems, max(self.n_topics, cells), at_once=2**18):
            differences = self.scores[better] - self.scores[worse]
            if rounded:
                differences = round_means(differences, self.scores)
            values.append(statistic(differences))
        return np.concatenate(values)

    def as_matrix(self, values: Floats) -> Floats:
        """Values of pairs as a symmetric matrix, (m, m), in the given order; the diagonal is 0."""
        places = np.argsort(self.order)
        return symmetric(values, self.n_systems, diagonal=0.0)[np.ix_(places, places)]


def pairs_of(scores: Floats) -> RankedPairs:
    """The pairs of systems of a matrix of shape (n_topics, n_systems), its topics in one order."""
    systems, means = system_order(scores), system_means(scores)
    order = systems[np.argsort(-means[systems], kind="stable")]
    return RankedPairs(np.ascontiguousarray(scores[:, order].T), means[order], order)


# --- the probabilities of all pairs ---------------------------------------------------------------


def swapped(pairs: RankedPairs, probabilities: Floats) -> Floats:
    """The probabilities of swaps, (n_pairs,): 1/2 for tied means, 0 for pairs without variance."""
    return np.where(pairs.gaps == 0.0, 0.5, np.where(pairs.constant, 0.0, probabilities))


def of_student(pairs: RankedPairs, deviations: Floats, n_topics: float) -> Floats:
    """The probability by Student's t of mean differences, (n_pairs,) (3.1.1, equation 5).

    Deviations are of differences on single topics, (n_pairs,); df stay those of the topics at hand.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = -math.sqrt(n_topics) * pairs.gaps / deviations
    return swapped(pairs, stdtr(pairs.n_topics - 1, t))


def of_resamples(pairs: RankedPairs, resampled: Floats) -> Floats:
    """The share of resamples, (n_resamples, m), that swap a pair; ties count 1/2 (equation 10)."""
    # (m, B): for each system, all worse ones at once; together in the order of the pairs
    means, shares = np.ascontiguousarray(resampled.T), []
    for system, above in enumerate(means[:-1]):
        below = means[system + 1 :]
        n_swapped, n_tied = (above < below).sum(axis=1), (above == below).sum(axis=1)
        shares.append((n_swapped + n_tied / 2.0) / above.size)
    return swapped(pairs, np.concatenate(shares))


def of_smooth_resamples(pairs: RankedPairs, resampled: Floats, noise: Floats) -> Floats:
    """The probability that a bootstrap mean with noise swaps a pair, Phi(-mean* / noise) (3.1.4).

    Resampled means are of shape (B, m), the kernel noise h / sqrt(n) and the result (n_pairs,). Phi
    comes from the nearest place of a table, which is five times as fast. That is off by at most
    .00005, up and down alike, where B resamples leave an error of up to .5 / sqrt(B).
    """
    # places of the table per unit of a difference; without noise, any difference is beyond its ends
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scales = np.where(noise > 0.0, np.minimum(PLACES_PER_UNIT / noise, 1e300), 1e300)
    means, shares = np.ascontiguousarray(resampled.T), []
    step = max(1, CACHED_CELLS // means.shape[1])
    # the pairs of each system, which has m - 1, m - 2, ... of them, some at a time: (size, B)
    ends = np.cumsum(np.arange(pairs.n_systems - 1, 1, -1))
    for system, of_system in enumerate(np.split(scales, ends)):
        for start in range(0, of_system.size, step):
            scale = of_system[start : start + step, np.newaxis]
            places = means[system + 1 + start :][: len(scale)] - means[system]
            places *= scale
            # the middle is 0; half a place more, as the cast below cuts off
            places += NORMAL.size // 2 + 0.5
            np.clip(places, 0.0, NORMAL.size - 1.0, out=places)
            shares.append(NORMAL.take(places.astype(np.intp)).mean(axis=1))
    return swapped(pairs, np.concatenate(shares))


# --- the deviation and the bandwidth of each pair -------------------------------------------------


def maximum_likelihood(pairs: RankedPairs) -> Floats:
    """The unbiased standard deviation of normal differences, (n_pairs,) (equations 6 and 7)."""
    # s underestimates sigma: E(s) = sigma sqrt(2 / (n - 1)) Gamma(n / 2) / Gamma((n - 1) / 2)
    n = pairs.n_topics
    log_correction = (math.log((n - 1) / 2) / 2) + gammaln((n - 1) / 2) - gammaln(n / 2)
    deviations = pairs.over_topics(lambda differences: np.asarray(differences.std(axis=1, ddof=1)))
    return np.asarray(deviations * math.exp(log_correction))


def quantile_deviations(differences: Floats) -> Floats:
    """The deviation that brings rounded differences, (n_pairs, n), closest to normal quantiles.

    It is the slope of the line through the differences over their normal quantiles,
    z_k = sqrt(2) e_k (equation 8). Without ties this is equation 9, sum(D z) / sum(z^2). With ties
    only the slope minimises the squared deviations.
    """
    # (n_pairs, n): differences ascending, and z_k = Phi^-1(k / (n + 1)); ties share their mean rank
    ascending, n = np.sort(differences, axis=1), differences.shape[1]
    quantiles = np.tile(ndtri(np.arange(1, n + 1) / (n + 1)), (len(ascending), 1))
    tied = (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
    if tied.any():
        quantiles[tied] = ndtri(ranks(-ascending[tied]) / (n + 1))
    quantiles -= quantiles.mean(axis=1, keepdims=True)
    products = np.einsum("pt,pt->p", ascending, quantiles)
    with np.errstate(invalid="ignore"):
        return np.asarray(products / np.einsum("pt,pt->p", quantiles, quantiles))


def plug_in_bandwidths(samples: Floats) -> Floats:
    """The bandwidth of each row, shape (..., n) to (...); nan where the scale of the sample is 0.

    With psi_r the integral of the r-th derivative of the density times the density, and `scale` the
    smaller of the standard deviation and the normalised interquartile range (Wand and Jones 1995,
    section 3.6.1, two stages): psi_8 of a normal density gives the kernel that estimates psi_6,
    that one the kernel for psi_4, and h = (2 sqrt(pi) psi_4 n)^(-1/5). The observations are binned
    linearly to a grid, so that a row costs O(n).
    """
    # The scale of each row, 1.349 being the interquartile range of the standard normal
    # distribution; one that is only rounding leaves no bandwidth.
    n = samples.shape[-1]
    low, high = np.quantile(samples, (0.25, 0.75), axis=-1)
    scale = np.minimum((high - low) / 1.349, samples.std(axis=-1, ddof=1))
    rounding_error = 100 * np.finfo(np.float64).eps * np.abs(samples).max(axis=-1)
    scale = np.where(scale > rounding_error, scale, np.nan)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        counts, step = _bin(samples, scale)
        # for each lag, the sum of counts_a counts_b over grid points so far apart, both ways
        length = next_fast_len(2 * GRID_POINTS - 1, real=True)
        power = np.abs(rfft(counts, length, axis=-1)) ** 2
        products = irfft(power, length, axis=-1)[..., :GRID_POINTS]
        products[..., 1:] *= 2.0
        # psi_8 of a normal density is 105 / (32 sqrt(pi)) in scales; each psi sets the next g
        g6 = (2.0 * math.sqrt(2.0) ** 9 / (7.0 * n)) ** (1 / 9)
        psi6 = _functional(6, np.full_like(step, g6), step, products, n)
        g4 = (-3.0 * math.sqrt(2.0 / math.pi) / (psi6 * n)) ** (1 / 7)
        psi4 = _functional(4, g4, step, products, n)
        return np.asarray(scale * (2.0 * math.sqrt(math.pi) * psi4 * n) ** (-1 / 5))


def _bin(samples: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Counts on a grid, (..., n_points), shared between neighbours; the step in scales, (...)."""
    # the place of each observation on the grid: its left neighbour, and the share of a step beyond
    low = samples.min(axis=-1, keepdims=True)
    width = samples.max(axis=-1, keepdims=True) - low
    position = (samples - low) / np.where(width > 0.0, width, 1.0) * (GRID_POINTS - 1)
    left = np.minimum(position.astype(np.intp), GRID_POINTS - 2)
    share = position - left
    rows = np.arange(left[..., 0].size).reshape(left.shape[:-1])[..., np.newaxis]
    # one table (n_rows, GRID_POINTS): two counts fill it, with shares of left and right neighbours
    cells = (rows * GRID_POINTS + left).ravel()
    counts = np.zeros(rows.size * GRID_POINTS)
    counts += np.bincount(cells, (1.0 - share).ravel(), minlength=counts.size)
    counts += np.bincount(cells + 1, share.ravel(), minlength=counts.size)
    return counts.reshape(*left.shape[:-1], GRID_POINTS), width[..., 0] / (GRID_POINTS - 1) / scale


def _functional(derivative: int, g: Floats, step: Floats, products: Floats, n: int) -> Floats:
    """The estimate of psi_r, (...), by a normal kernel of bandwidth g (Wand, Jones 3.30 binned)."""
    # psi_r = sum over lags of products times the r-th derivative of the kernel at the lag, / (n^2
    # g^(r + 1)). That derivative is a polynomial in x^2 (Hermite) times the normal density.
    squared = (np.arange(GRID_POINTS) * (step / g)[..., np.newaxis]) ** 2
    hermite = (squared - 6.0) * squared + 3.0
    if derivative == 6:
        hermite = ((squared - 15.0) * squared + 45.0) * squared - 15.0
    total = np.einsum("...l,...l->...", hermite * np.exp(-squared / 2.0), products)
    return np.asarray(total / (math.sqrt(2.0 * math.pi) * g ** (derivative + 1) * float(n) ** 2))


# --- expected correlations ------------------------------------------------------------------------


def _tau_weights(pairs: RankedPairs) -> Floats:
    """All pairs weigh the same, shape (n_pairs,) (equation 3)."""
    return np.full(pairs.gaps.size, 1.0 / pairs.gaps.size)


def _tau_ap_weights(pairs: RankedPairs) -> Floats:
    """1/(i - 1) for pairs of the system at rank i with those above (eq. 4), over tie breaks."""
    above, worse = count_above(pairs.means, pairs.means), pairs.indices[1]
    # either of two tied systems may be the lower one, beside each of the others of their tie
    inside_tie = 4.0 * right_inside_tie(above) / np.maximum(above.tie_size - 1.0, 1.0)
    per_pair = np.where(pairs.gaps == 0.0, inside_tie[worse], mean_weight_of_ranks(above)[worse])
    return np.asarray(per_pair / (pairs.means.size - 1))


def _tau_gap_weights(pairs: RankedPairs) -> Floats:
    """The gap of a pair, as a share of the gaps of the worse system to all above it: (n_pairs,)."""
    # the sum of gaps to all above grows from rank i to i + 1 by i times the gap between these two
    ranks_above = np.arange(1, pairs.means.size)
    sums = np.cumsum(ranks_above * -np.diff(pairs.means))[pairs.indices[1] - 1]
    below_top = pairs.means < pairs.means[0]
    shares = np.divide(pairs.gaps, sums, out=np.zeros_like(sums), where=sums > 0.0)
    return np.asarray(shares / below_top.sum())


# Coefficients whose expectation is known from probabilities of swaps: weights of pairs, (n_pairs,).
WEIGHTS: dict[str, Callable[[RankedPairs], Floats]] = {
    "tau": _tau_weights,
    "tau_ap": _tau_ap_weights,
    "tau_gap": _tau_gap_weights,
}


# --- split halves ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decay:
    """The correlation at n topics is 1 - 2 exp(intercept + slope * n) (section 4.2)."""

    intercept: float
    slope: float

    def at(self, n_topics: float) -> float:
        """The correlation at so many topics, in [-1, 1]; nan where the line is unknown."""
        exponent = self.intercept + (self.slope * n_topics if self.slope else 0.0)
        return 1.0 - 2.0 * math.exp(min(exponent, 0.0))


def split_half(
    scores: Floats,
    coefficient: Coefficient,
    with_replacement: bool,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> Decay:
    """Fits the decay to correlations of two halves, at up to 20 sizes of 100 trials each.

    Scores are of shape (n_topics, m). A trial draws the largest halves, and smaller ones are the
    first topics of these. A pair that ties in a half is concordant, as in the paper, which counts
    what is discordant: else identical systems would keep halves that agree.
    """
    sizes = half_sizes(scores.shape[0])
    is_by_order = coefficient.name in ("tau", "tau_ap")
    strictly = partial(with_ties_as_agreement, coefficient.kernel, is_by_order)
    compute = partial(_trials, scores, sizes, strictly, with_replacement)
    cells = scores.size + sizes.size * scores.shape[1]
    return fit_decay(sizes, blockwise(compute, 100, cells=cells, rng=rng, n_jobs=n_jobs))


def half_sizes(n_topics: int) -> Indices:
    """The sizes of halves, up to 20: of 21 from one topic to half of them, all but the first.

    As in the authors' study; but one topic is a size where that would leave a single one.
    """
    sizes = np.unique(np.rint(np.linspace(1.0, n_topics // 2, 21)).astype(np.intp))
    return sizes[1:] if sizes.size > 2 else sizes


def _trials(
    scores: Floats,
    sizes: Indices,
    correlation: Kernel,
    with_replacement: bool,
    rng: np.random.Generator,
    size: int,
) -> Floats:
    """The correlation between two halves of each size, shape (size, n_sizes)."""
    n_topics, half = scores.shape[0], int(sizes[-1])
    every_topic = np.tile(np.arange(n_topics), (size, 1))
    if with_replacement:
        drawn = topic_indices(rng, size, n_topics)
    else:
        drawn = rng.permuted(every_topic, axis=1)
    starts, means = np.concatenate(([0], sizes[:-1])), []
    # both halves, (size, half) topics each: sums over the first s_1, the next s_2 - s_1, ...
    # topics, then cumulated to sums over the first s_i, (size, n_sizes, m)
    for topics in (drawn[:, :half], drawn[:, half : 2 * half]):
        sums = np.add.reduceat(scores[topics], starts, axis=1).cumsum(axis=1)
        means.append(round_means(sums / sizes[:, np.newaxis], scores))
    return correlation(*means)


def with_ties_as_agreement(
    correlation: Kernel, by_order: bool, truth: Floats, estimate: Floats
) -> Floats:
    """The coefficient of scores, (..., m) each, where a pair that ties on either is concordant.

    Ties of each side are put in the order of the other one, those on both in the order of the
    systems. Unless `by_order`, the truth keeps its scores, where ties weigh nothing.
    """
    some = _has_ties(truth) | _has_ties(estimate)
    both = [scores.copy() for scores in (truth, estimate)]
    position = np.broadcast_to(np.arange(truth.shape[-1]), truth[some].shape)
    for scores, ties_broken_by in zip(both, (estimate, truth), strict=True):
        order = np.lexsort((position, ties_broken_by[some], scores[some]), axis=-1)
        scores[some] = order.argsort(axis=-1)
    return correlation(both[0] if by_order else truth, both[1])


def _has_ties(scores: Floats) -> NDArray[np.bool_]:
    """Whether a row of scores, (..., m), has two that are equal: shape (...)."""
    ordered = np.sort(scores, axis=-1)
    return np.asarray((ordered[..., 1:] == ordered[..., :-1]).any(axis=-1))


def fit_decay(sizes: Indices, correlations: Floats) -> Decay:
    """The least squares line through log((1 - E) / 2) of trials, (n_trials, n_sizes), over sizes.

    nan where there is but one size. Trials that agree perfectly have no logarithm and are left out;
    without any others there is no discordance.
    """
    # the logarithm of a discordance that is a rounding error would rule the line
    discordance = (1.0 - correlations) / 2.0
    usable = discordance > 1e-9
    if not usable.any():
        return Decay(-math.inf if np.isfinite(correlations).any() else math.nan, 0.0)
    usable_sizes = np.broadcast_to(sizes, usable.shape)[usable]
    if usable_sizes.min() == usable_sizes.max():
        return Decay(math.nan, math.nan)
    slope, intercept = np.polyfit(usable_sizes, np.log(discordance[usable]), 1)
    return Decay(float(intercept), float(slope))
