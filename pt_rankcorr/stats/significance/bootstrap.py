"""Bootstrap tests of the difference of two systems, and the standard error of any statistic.

For a vector z of n differences, Student's t is a rising function of the share of the sum of squares
that the mean explains, q = (sum z)^2 / (n sum z^2): t^2 = (n - 1) q / (1 - q). To compare |t| is to
compare q, which needs no difference of nearly equal squares. t is 0 where the mean is 0, and
infinite where only the standard deviation is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.arguments import one_of, real_number, resample_count, share
from pt_rankcorr.stats.core.inputs import ScoresLike, prepare_matrices, prepare_pair, prepare_system
from pt_rankcorr.stats.core.means import CACHED_CELLS, NEGLIGIBLE, Pairs
from pt_rankcorr.stats.core.ordering import topic_order
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator
from pt_rankcorr.stats.core.types import (
    TOLERANCE,
    ConfidenceInterval,
    Floats,
    Indices,
    Result,
    TestResult,
)
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn


@dataclass(frozen=True, eq=False)
class BootstrapTestResult(TestResult):
    """A bootstrap test of two systems; unpacks as (statistic, pvalue).

    Attributes:
        statistic: Student's t (paired), Welch's t ("separate"), or the difference of the means.
        pvalue: Two-sided, (b + 1) / (B + 1) with b the resamples at least as extreme.
        asl: The achieved significance level of the paper, b / B.
        difference: How much the first system is above the second.
        n_topics: The number of topics of the first system.
        n_resamples: B.
        method: "paired"; of unpaired tests "separate" or "published".
        null_distribution: The statistic of each resample under the null hypothesis.
    """

    statistic: float
    pvalue: float
    asl: float
    difference: float
    n_topics: int
    n_resamples: int
    method: str
    null_distribution: Floats = field(repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class PairedBootstrapResult(BootstrapTestResult):
    """A studentised paired bootstrap test; unpacks as (statistic, pvalue).

    Attributes:
        standard_error: The standard error of the difference, sd(z) / sqrt(n).
        margin: The largest difference that is of no interest; None if none was given.
        equivalence_pvalue: Two one-sided tests of a difference of at least `margin`; nan without a
            margin, or if no difference varies: that is no evidence of those on other topics.
    """

    standard_error: float
    margin: float | None
    equivalence_pvalue: float

    def confidence_interval(self, level: float = LEVEL) -> ConfidenceInterval:
        """The bootstrap-t interval of the mean difference.

        Ends are infinite where too many resamples do not vary. (Efron and Tibshirani 1993, 12.5.)
        """
        tail = (1 - share("level", level)) / 2
        if self.standard_error == 0.0:
            return ConfidenceInterval(self.difference, self.difference)
        t = np.quantile(self.null_distribution, [1 - tail, tail], method="inverted_cdf")
        low, high = self.difference - t * self.standard_error
        return ConfidenceInterval(float(low), float(high))


def paired_bootstrap_test(
    x: ScoresLike,
    y: ScoresLike,
    *,
    margin: float | None = None,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> PairedBootstrapResult:
    """A studentised bootstrap test of the mean difference between two systems on the same topics.

    With z = x - y and t(z) = mean(z) / (sd(z) / sqrt(n)), resamples w* of w = z - mean(z) obey the
    null hypothesis. The p-value counts those with ``|t(w*)| >= |t(z)|``. Equal systems have p = 1,
    a constant difference the least possible p. For geometric means test log(x + 0.00001) and
    log(y + 0.00001). For all pairs of a family of systems use `discriminative_power`; in
    `pt.Experiment(test=...)`, this function or `PairedBootstrap`. O(B n) time.

    Args:
        x: Scores of a system, shape (n_topics,), at least 2 topics; a mapping or Series names them.
        y: Those of another system, matched by the topics' names if both have any, else by position.
        margin: A number above 0: also test equivalence, that the true difference lies between minus
            and plus the margin. Both one-sided tests take the same resamples, and
            `equivalence_pvalue` is the larger p-value.
        n_resamples: The number of resamples B.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result that unpacks as (statistic, pvalue), with `confidence_interval(level)`.

    Warns:
        DegenerateInputWarning: With a margin, if the difference is the same on all topics.
        UnreliableResultWarning: With a margin, if differences are so rare or skewed for the number
            of topics that true ones at the margin are often taken for less.

    Raises:
        TypeError, ValueError: If topics do not match or are fewer than two, scores are not finite,
            or an argument is out of its range.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.1,
        figures 1 and 2; Schuirmann, "A comparison of the two one-sided tests procedure and the
        power approach", Journal of Pharmacokinetics and Biopharmaceutics 15, 1987 (equivalence).

    Example:
        >>> x, y = [0.4, 0.6, 0.5, 0.7, 0.9], [0.2, 0.3, 0.5, 0.6, 0.6]
        >>> result = paired_bootstrap_test(x, y, rng=1)
        >>> round(result.statistic, 4), result.pvalue < 0.1
        (3.087, True)
        >>> paired_bootstrap_test(x, x).pvalue
        1.0
    """
    first, second = prepare_pair(x, y)
    n_resamples = resample_count(n_resamples)
    if margin is not None and not 0.0 < real_number("margin", margin) < math.inf:
        raise ValueError(f"`margin` must be above 0 and finite, got {margin}.")
    only = Pairs(np.array([0]), np.array([1]))
    observed = paired_differences(Systems.of(np.stack([first, second])), only)
    (centred,), n_topics = observed.centred, first.size

    def compute(child: np.random.Generator, size: int) -> Floats:
        """The mean and the mean square of each resample of centred differences, shape (size, 2)."""
        weights = resampling.topic_weights(child, size, n_topics)
        return np.stack([weights @ centred, weights @ centred**2], axis=1) / n_topics

    resamples = blockwise(compute, n_resamples, cells=n_topics, rng=generator(rng), n_jobs=n_jobs)
    means, mean_squares = resamples.T
    shares = ratio(means**2, mean_squares)
    count = int(count_as_extreme(shares[np.newaxis], observed.shares)[0])
    # the sign is that of x - y, while `centred` may be of y - x
    null_distribution = students_t(means * observed.signs, shares, n_topics)
    equivalence_pvalue = math.nan
    if margin is not None:
        equivalence_pvalue = _equivalence(observed, margin, null_distribution)
    return PairedBootstrapResult(
        statistic=float(students_t(observed.means, observed.shares, n_topics)[0]),
        pvalue=(count + 1) / (n_resamples + 1),
        asl=count / n_resamples,
        difference=float(observed.means[0]),
        n_topics=n_topics,
        n_resamples=n_resamples,
        method="paired",
        null_distribution=null_distribution,
        standard_error=float(observed.errors[0]),
        margin=margin,
        equivalence_pvalue=equivalence_pvalue,
    )


def _equivalence(observed: PairedDifferences, margin: float, null_distribution: Floats) -> float:
    """The larger p of one-sided tests against -margin and against margin, from null t's, (B,)."""
    (difference,), (error,), (centred,) = observed.means, observed.errors, observed.centred
    if not centred.any():
        same = "The difference is the same on all topics"
        warn(f"{same}: the p-value of equivalence is nan.", DegenerateInputWarning)
        return math.nan
    skewness = abs((centred**3).mean() / (centred**2).mean() ** 1.5)
    # rare differences are then of less than four topics
    if skewness > 0.5 * math.sqrt(centred.size):
        what = f"Differences are rare or skewed (skewness {skewness:.1f}) for {centred.size} topics"
        warn(f"{what}: a test of equivalence needs more topics.", UnreliableResultWarning)
    above, below = (difference + margin) / error, (difference - margin) / error
    counts = [int((null_distribution >= above).sum()), int((null_distribution <= below).sum())]
    return (max(counts) + 1) / (null_distribution.size + 1)


@dataclass(frozen=True)
class PairedBootstrap:
    """`paired_bootstrap_test` with settings: `pt.Experiment(test=PairedBootstrap(rng=1))`.

    Attributes:
        n_resamples: The number of resamples B.
        rng: A seed or a generator. With a seed all comparisons use the same random numbers.
    """

    n_resamples: int = FEWER_RESAMPLES
    rng: RandomState = None

    def __call__(self, x: ScoresLike, y: ScoresLike) -> PairedBootstrapResult:
        """Tests the scores of two systems on the same topics."""
        return paired_bootstrap_test(x, y, n_resamples=self.n_resamples, rng=self.rng)


def unpaired_bootstrap_test(
    x: ScoresLike,
    y: ScoresLike,
    *,
    method: str = "separate",
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> BootstrapTestResult:
    """A bootstrap test of the difference of the means of two systems, perhaps on different topics.

    On the same topics the paired test has more power. With d = mean(x) - mean(y), the null is:

    - "separate": the means are equal, whatever else differs. Each sample is resampled alone. The
      p-value counts the resamples whose Welch's t, mean(x*) - mean(y*) less d over its standard
      error, is at least as large as that of x and y.
    - "published" (Sakai 2006): both vectors are samples of one distribution. It joins x and y,
      resamples them, splits them again, and counts ``|d*| >= |d|``. If one has fewer topics and a
      larger spread, it rejects equal means up to six times too often (see the calibration page).

    Topics are not matched. The test of (y, x) has other resamples. For geometric means test
    log(x + 0.00001) and log(y + 0.00001), which rejects equal ones too often with few topics and
    many zeros (.13 for 50 against 10 topics of P@10). O(B n) time, in blocks of 32 MiB.

    Args:
        x: Scores of a system, shape (n_topics,), at least 2 topics.
        y: Scores of another system, shape (n_other_topics,), at least 2 topics.
        method: "separate" or "published".
        n_resamples: The number of resamples B.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Raises:
        TypeError, ValueError: If a vector has fewer than two topics or is not finite, or an
            argument is out of its range.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.2,
        figures 3 and 4; Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, section
        16.2 (algorithm 16.2 is "separate").

    Example:
        >>> x, y = [0.4, 0.6, 0.5, 0.7, 0.9], [0.2, 0.3, 0.5, 0.6, 0.6]
        >>> result = unpaired_bootstrap_test(x, y, rng=1)
        >>> round(result.difference, 4), result.pvalue > 0.1
        (0.18, True)
    """
    first = np.sort(prepare_system(x, "x").values[:, 0])
    second = np.sort(prepare_system(y, "y").values[:, 0])
    n_resamples = resample_count(n_resamples)
    method = one_of("method", method, ("separate", "published"))
    means = float(first.mean()), float(second.mean())
    difference = observed = means[0] - means[1]
    rounding = TOLERANCE * max(map(abs, means))  # it goes with the size of the means
    if method == "separate":
        # in units of the largest score, as `_welch_t` takes them
        unit = max(np.abs(first).max(), np.abs(second).max()) or 1.0
        first, second = first / unit, second / unit
        observed = float(_welch_t(first, second))
        rounding = TOLERANCE * abs(observed) if np.isfinite(observed) else 0.0
        # centred, so that resamples obey the null hypothesis
        first, second = first - first.mean(), second - second.mean()
    n_first, n_both = first.size, first.size + second.size

    def compute(child: np.random.Generator, size: int) -> Floats:
        """Welch's t, or the difference of both means, of each of some resamples, shape (size,)."""
        if method == "separate":
            of_first = first[resampling.topic_indices(child, size, first.size)]
            of_second = second[resampling.topic_indices(child, size, second.size)]
            return _welch_t(of_first, of_second)
        both = np.concatenate([first, second])
        drawn = both[resampling.topic_indices(child, size, n_both)]
        return np.asarray(drawn[:, :n_first].mean(axis=-1) - drawn[:, n_first:].mean(axis=-1))

    null = blockwise(compute, n_resamples, cells=n_both, rng=generator(rng), n_jobs=n_jobs)
    count = int((np.abs(null) >= abs(observed) - rounding).sum())
    return BootstrapTestResult(
        statistic=observed,
        pvalue=(count + 1) / (n_resamples + 1),
        asl=count / n_resamples,
        difference=difference,
        n_topics=n_first,
        n_resamples=n_resamples,
        method=method,
        null_distribution=null,
    )


def _welch_t(first: Floats, second: Floats) -> Floats:
    """The difference of the means over its standard error: 0 if it is 0, else perhaps infinite.

    Of shape (...), from scores of at most 1 in size, (..., n_topics); numbers of topics may differ.
    """
    means = first.mean(axis=-1) - second.mean(axis=-1)
    squares = sum(scores.var(axis=-1, ddof=1) / scores.shape[-1] for scores in (first, second))
    errors = np.sqrt(np.where(squares <= NEGLIGIBLE**2, 0.0, squares))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(means) <= NEGLIGIBLE, 0.0, means / errors)


# --- the studentised paired bootstrap of many pairs at once, from two matrix products -------------


class Systems(NamedTuple):
    """The scores of systems, and their sizes, (n_systems,), which set their rounding errors."""

    scores: Floats  # (n_systems, n_topics)
    mean_sizes: Floats  # the mean of |score|, for what is but rounding error in a mean
    largest: Floats  # the largest |score|, for that in a single difference

    @classmethod
    def of(cls, scores: Floats) -> Systems:
        """The scores, (n_systems, n_topics), with their sizes."""
        sizes = np.abs(scores)
        return cls(scores, sizes.mean(axis=1), sizes.max(axis=1))


class PairedDifferences(NamedTuple):
    """Differences of the scores of pairs of systems: `centred`, and all else of shape (n_pairs,).

    `centred` is sorted: draws from it depend neither on the order of topics nor on that of a pair.
    """

    means: Floats
    shares: Floats  # q of the differences, as the head of this file defines it
    errors: Floats  # the standard errors of the means
    centred: Floats  # the differences less their mean, (n_pairs, n_topics)
    signs: Floats  # 1, or -1 where `centred` are those of the second system less the first


def paired_differences(systems: Systems, pairs: Pairs) -> PairedDifferences:
    """The differences of each pair of systems; what is but rounding error of scores becomes 0."""
    # Of (x, y) and (y, x) the same differences are to be resampled. Sorted ones of (y, x) are those
    # of (x, y) negated and reversed; the k-th least plus the k-th largest, (n_pairs, half), changes
    # its sign: the first that is not 0 says which of both is taken.
    differences = np.sort(plain_differences(systems, pairs), axis=-1)
    half = (differences.shape[1] + 1) // 2
    skew = differences[:, :half] + differences[:, : -half - 1 : -1]  # all 0 if both are the same
    _clean(skew, _larger_of(systems.largest, pairs)[:, np.newaxis])
    first_skewed = (skew != 0.0).argmax(axis=-1)
    negative = skew[np.arange(len(skew)), first_skewed] < 0.0
    signs = np.where(negative, -1.0, 1.0)
    differences[negative] = -differences[negative, ::-1]
    means, shares, errors, centred = centre(differences, systems, pairs)
    return PairedDifferences(means * signs, shares, errors, centred, signs)


def plain_differences(systems: Systems, pairs: Pairs) -> Floats:
    """Scores of the first systems less the second's, (n_pairs, n_topics); rounding errors are 0."""
    differences = systems.scores[pairs.first] - systems.scores[pairs.second]
    # what may be a rounding error of its pair's largest score, which mostly nothing is but a tie
    sizes = np.abs(differences)
    is_small = sizes <= NEGLIGIBLE * _larger_of(systems.largest, pairs)[:, np.newaxis]
    if is_small.any() and (is_small := is_small & (sizes > 0.0)).any():
        rows, topics = np.nonzero(is_small)
        of_both = np.abs([systems.scores[side[rows], topics] for side in pairs])
        differences[rows, topics] = _clean(differences[rows, topics], of_both.max(axis=0))
    return differences


def centre(
    differences: Floats, systems: Systems, pairs: Pairs
) -> tuple[Floats, Floats, Floats, Floats]:
    """Means, shares q, standard errors of differences, (n_pairs,) each, and these less their mean.

    Both differences are of shape (n_pairs, n_topics). What is but rounding error becomes 0.
    """
    n_topics, largest = differences.shape[1], _larger_of(systems.largest, pairs)
    means = _clean(differences.mean(axis=-1), _larger_of(systems.mean_sizes, pairs))
    centred = _clean(differences - means[:, np.newaxis], largest[:, np.newaxis])
    variances = np.einsum("pn,pn->p", centred, centred) / n_topics
    errors = np.sqrt(variances / (n_topics - 1))
    return means, ratio(means**2, means**2 + variances), errors, centred


def _larger_of(values: Floats, pairs: Pairs) -> Floats:
    """The larger of both systems' values for each pair, (n_pairs,), from (n_systems,) values."""
    return np.maximum(values[pairs.first], values[pairs.second])


def _clean(values: Floats, magnitudes: Floats) -> Floats:
    """The values, overwritten: 0 where they are rounding errors of scores of these magnitudes."""
    is_rounding = np.abs(values) <= NEGLIGIBLE * magnitudes
    if is_rounding.any():
        values[is_rounding] = 0.0
    return values


def ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole of arrays of one shape, the whole at least 0; 0 for 0 / 0; overwrites both."""
    np.maximum(whole, np.finfo(np.float64).tiny, out=whole)
    return np.divide(part, whole, out=part)


def resample(
    centred: Floats, samples: resampling.TopicSamples
) -> Iterator[tuple[slice, Floats, Floats]]:
    """Slices of pairs whose arrays stay in the cache, with means and shares q of their resamples.

    Both are of shape (n_pairs of the slice, n_resamples), of centred ones, (n_pairs, n_topics).
    """
    squared, sums = centred**2, np.empty((2, len(centred), samples.n_resamples))
    start = 0
    for block in samples.weights():
        shares = block.T / centred.shape[1]
        for means, values in zip(sums, (centred, squared), strict=True):
            np.matmul(values, shares, out=means[:, start : start + len(block)])
        start += len(block)
    step = max(1, CACHED_CELLS // samples.n_resamples)
    for start in range(0, len(centred), step):
        means, squares = sums[:, start : start + step]
        yield slice(start, start + step), means, ratio(means**2, squares)


def count_as_extreme(shares: Floats, observed: Floats) -> Floats:
    """How many samples have as large a |t| as the observed shares, (n_pairs,): all if that is 0.

    Shares q are of shape (n_pairs, n_resamples), with a rounding error that goes with sqrt(q).
    """
    limits = np.maximum(observed - 2 * TOLERANCE * np.sqrt(observed), 0.0)
    counts = (shares > limits[:, np.newaxis]).sum(axis=-1, dtype=np.float64)
    return np.where(observed == 0.0, float(shares.shape[-1]), counts)


def mean_at(means: Floats, shares: Floats, critical: Floats) -> tuple[Floats, Floats]:
    """|mean| of each pair's sample with the critical share, the largest of ties; and which it is.

    Both are of shape (n_pairs,), as `critical`; means and shares are (n_pairs, n_resamples).
    """
    at_rank = critical[:, np.newaxis]
    tied = np.abs(shares - at_rank) <= 2 * TOLERANCE * np.sqrt(at_rank)
    unique = np.count_nonzero(tied) == len(tied)  # as most often: each has that sample itself
    at = tied.argmax(axis=-1) if unique else first_largest(np.where(tied, np.abs(means), 0.0))
    return np.abs(means[np.arange(at.size), at]), at.astype(np.float64)


def first_largest(values: Floats) -> Indices:
    """The place of the largest value, at least 0, on the last axis: the first that ties with it."""
    least = values.max(axis=-1, keepdims=True) * (1.0 - NEGLIGIBLE)  # equal up to rounding
    return np.asarray((values >= least).argmax(axis=-1))


def nth_largest(values: Floats, rank: int) -> Floats:
    """The rank-th largest value along the last axis, (..., B) to (...), 1 for the largest."""
    at = values.shape[-1] - rank
    # a copy: a view would keep all the values
    return np.array(np.partition(values, at, axis=-1)[..., at])


def students_t(means: Floats, shares: Floats, n_topics: int) -> Floats:
    """Student's t from shares q, any shape, with the means' signs: infinite if q is 1, 0 if 0."""
    unexplained = np.where(shares >= 1.0 - TOLERANCE, 0.0, 1.0 - shares)
    with np.errstate(divide="ignore"):
        size = np.sqrt((n_topics - 1) * shares / unexplained)
    return np.asarray(np.copysign(np.where(shares > 0.0, size, 0.0), means))


# --- the standard error of any statistic ----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StandardErrorResult(Result):
    """A statistic of scores, and how much it varies with the topics.

    Attributes:
        statistic: The statistic over the topics at hand.
        standard_error: Its standard deviation over resamples of topics, divisor B - 1.
        n_topics, n_systems, n_resamples: How many there are.
        n_undefined: Resamples in which the statistic is nan; they are left out.
        replicates: The statistic in each resample.
    """

    statistic: float
    standard_error: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    replicates: Floats = field(repr=False, compare=False)


def bootstrap_standard_error(
    statistic: Callable[..., Any],
    *scores: ScoresLike,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> StandardErrorResult:
    """The bootstrap standard error of any statistic of score matrices, or of the difference of two.

    It is the standard deviation of the statistic over resamples of topics, the same for all
    matrices. For correlations use `correlation_interval`, which allows for resampling's own noise.

    Args:
        statistic: A function of as many arrays of shape (n_topics, n_systems) as there are
            matrices; it returns one number, which may be nan for some resamples.
        scores: Score matrices of the same topics and systems; matched by name where they have any.
            The statistic gets systems in the order of the first matrix, and topics in any order.
        n_resamples: The number of resamples B, at least 2.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with `standard_error` and `replicates`; nan, with a warning, if the statistic is.

    Raises:
        TypeError, ValueError: If there are no scores, matrices do not match, are not finite or have
            fewer than two topics or systems, an argument is out of its range, or the statistic
            raises or does not return one number.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4, which
        also uses it for the difference of two systems; Efron and Tibshirani, "An Introduction to
        the Bootstrap", 1993, chapter 6.

    Example:
        The difference of two systems' means, whose standard error is near sd / sqrt(n) = .0548:

        >>> scores = [[0.4, 0.2], [0.6, 0.3], [0.5, 0.5], [0.7, 0.6], [0.9, 0.6]]
        >>> difference = lambda scores: scores[:, 0].mean() - scores[:, 1].mean()
        >>> result = bootstrap_standard_error(difference, scores, rng=1)
        >>> round(result.statistic, 4), 0.04 < result.standard_error < 0.06
        (0.18, True)
    """
    if not callable(statistic):
        rule = "`statistic` must be a function of score matrices"
        raise TypeError(f"{rule}, got {shown(statistic)}.")
    if not scores:
        raise ValueError("`scores` must be at least one score matrix, got none.")
    named = {f"scores_{number}": matrix for number, matrix in enumerate(scores, start=1)}
    prepared = prepare_matrices(**named)
    topics = topic_order(np.hstack([matrix.sample for matrix in prepared]))
    matrices = [np.ascontiguousarray(matrix.sample[topics]) for matrix in prepared]
    n_resamples = resample_count(n_resamples, at_least=2)
    n_topics, n_systems = matrices[0].shape

    def compute(block: np.random.Generator, size: int) -> Floats:
        """The statistic of each of some resamples of topics, shape (size,)."""
        samples = resampling.topic_indices(block, size, n_topics)
        resampled = ([matrix[topics] for matrix in matrices] for topics in samples)
        return np.array([_call(statistic, resample) for resample in resampled])

    replicates = blockwise(compute, n_resamples, cells=n_topics, rng=generator(rng), n_jobs=n_jobs)
    undefined, observed = np.isnan(replicates), _call(statistic, matrices)
    standard_error = standard_deviation(replicates[~undefined])
    if math.isnan(observed + standard_error):
        where = "over the topics at hand" if math.isnan(observed) else "in nearly all resamples"
        warn(f"The statistic is nan {where}: the result is nan.", DegenerateInputWarning)
    return StandardErrorResult(
        statistic=observed,
        standard_error=standard_error,
        n_topics=n_topics,
        n_systems=n_systems,
        n_resamples=n_resamples,
        n_undefined=int(undefined.sum()),
        replicates=replicates,
    )


def standard_deviation(replicates: Floats) -> float:
    """The standard deviation of replicates, (B,), with divisor B - 1; nan of less than two."""
    return float(replicates.std(ddof=1)) if replicates.size > 1 else float("nan")


def _call(statistic: Callable[..., Any], matrices: list[Floats]) -> float:
    """The statistic of the matrices, if it is one number: it gets copies, which it may change."""
    must = "`statistic` must return one number for arrays of shape (n_topics, n_systems)"
    try:
        value = np.asarray(statistic(*(matrix.copy() for matrix in matrices)), dtype=np.float64)
    except Exception as error:
        raised = f"{type(error).__name__} ({shown(error)})"
        raise ValueError(f"{must}, but it raised {raised}.") from error
    if value.shape:
        raise ValueError(f"{must}, got an array of shape {value.shape}.")
    if np.isinf(value):
        raise ValueError(f"{must}, got {value}.")
    return float(value)
