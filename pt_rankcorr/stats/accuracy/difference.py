"""Several measures against one reference: which ranks systems more like it, on these topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from pt_rankcorr import choices
from pt_rankcorr.defaults import ALPHA, ERROR_RESAMPLES, LEVEL
from pt_rankcorr.display import Quotable
from pt_rankcorr.stats.accuracy import correlation_interval
from pt_rankcorr.stats.accuracy.correlation_interval import (
    Caution,
    Coefficients,
    CorrelationResult,
    lacks_interval,
    value_unchanged,
)
from pt_rankcorr.stats.accuracy.replicates import resamples_tell, standard_errors
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import one_of, share
from pt_rankcorr.stats.core.inputs import ScoresLike, prepare_matrices
from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, seed_of
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Flags, Floats, TestResult
from pt_rankcorr.stats.significance.power import check_difference
from pt_rankcorr.stats.truth.one_true_ranking import OneTrueRanking
from pt_rankcorr.warnings import DegenerateInputWarning

TESTS = {"t": "t test over topics", "permutation": "permutation test PERM-BOTH"}
# Resamples do not decide where a difference is nearer to its bound than this share of it: twice the
# random error of a studentised difference over 2000 nested resamples.
UNDECIDED = 0.06


@dataclass(frozen=True, eq=False)
class CorrelationDifferenceResult(TestResult, Quotable):
    """Which of two measures ranks systems more like a reference; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The difference `first` - `second` of both coefficients, on these topics.
        low, high: The ends of its interval, for the mean over topic samples of this size. nan where
            no resample changes it.
        standard_error: Its standard deviation over topic samples of this size; nan with them.
        pvalue: Student's t test, two-sided, of a difference of 0; or the permutation test, if
            `method` says so.
        equivalence_pvalue: Two one-sided t tests of a difference of at least `margin`; nan without
            a margin, and where no resample changes the difference, which is no evidence.
        first, second: The coefficient of either measure with the reference, on these topics.
        coefficient, level, df, n_topics, n_systems, n_resamples: As of `correlation_interval`.
        n_undefined: Resamples in which a coefficient is undefined; they are left out.
    """

    statistic: float
    low: float
    high: float
    standard_error: float
    pvalue: float
    first: float
    second: float
    equivalence_pvalue: float
    margin: float | None
    method: str
    coefficient: str
    level: float
    df: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    _cautions: tuple[Caution, ...] = field(repr=False)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Student's t about the difference, by default at the result's level; within [-2, 2]."""
        level = self.level if level is None else share("level", level)
        return difference_interval(self.statistic, self.standard_error, self.df, level)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes the interval special."""
        return tuple(caution.text for caution in self._cautions)


def correlation_difference(
    reference: ScoresLike,
    first: ScoresLike,
    second: ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    method: choices.DifferenceTest = "t",
    margin: float | None = None,
    level: float = LEVEL,
    n_resamples: int = ERROR_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationDifferenceResult:
    """Whether the first measure ranks systems more like the reference than the second does.

    On as many topics: Student's t test of the difference of both coefficients, with the standard
    error of `correlation_interval`. A noisy measure without a bias agrees less on as many topics
    than one that is biased but clean; with endless topics it may agree more.

    Args:
        first, second: Scores of the same systems on the same topics by two other measures.
        method: "t", or "permutation" for PERM-BOTH, which evaluations of metrics report. It
            exchanges standardised scores of the two measures at random. Its hypothesis is that
            these are exchangeable, so it rejects too often where measures agree equally well and
            differ in noise, and it depends on scales: only for those who must report it. Interval
            and standard error are those of "t".
        margin: Also test that the difference is at least this large, above 0 and at most 2: a small
            `equivalence_pvalue` shows that both agree with the reference within the margin.
        reference, coefficient, level, n_resamples, rng, n_jobs: As for `correlation_interval`,
            which raises the same errors.

    Returns:
        A result that unpacks as (statistic, pvalue). p is 1 for equal measures, nan for others
        whose difference no resample changes.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4 (the
        standard error); Deutsch, Dror, Roth, "A statistical analysis of summarization evaluation
        metrics using resampling methods", TACL 9, 2021 (PERM-BOTH); Schuirmann, "A comparison of
        the two one-sided tests procedure and the power approach", Journal of Pharmacokinetics and
        Biopharmaceutics 15, 1987.

    Example:
        >>> ap = [[.1, .2, .4, .6], [.2, .1, .5, .7], [.3, .3, .2, .9], [.1, .2, .3, .5]] * 3
        >>> opposite = [[1 - score for score in topic] for topic in ap]
        >>> noisy = [topic[turn % 4 :] + topic[: turn % 4] for turn, topic in enumerate(ap)]
        >>> result = correlation_difference(ap, noisy, opposite, rng=1)
        >>> round(result.statistic, 2), result.pvalue < 0.05
        (1.0, True)
    """
    one_of("method", method, tuple(TESTS))
    margin = None if margin is None else check_difference("margin", margin)
    seed, what = seed_of(rng), "differences of correlations were"
    matrices = prepare_matrices(reference=reference, first=first, second=second)
    (one, other), replicates = correlation_interval.correlations_of(
        matrices, coefficient, what, level, n_resamples, seed, n_jobs
    )
    apart = replicates[..., 0] - replicates[..., 1]
    statistic = one.statistic - other.statistic
    error = float(difference_errors(np.asarray(statistic), apart, one.n_topics))
    # no caution that no resample changes one side: the difference may change all the same
    unchanged = value_unchanged(one.coefficient)
    both = (*one._cautions, *other._cautions)
    cautions = [caution for caution in both if caution != unchanged]
    if not error > 0.0 and not np.isnan(statistic) and not any(map(lacks_interval, cautions)):
        text = "No resample of topics changes the difference: there is no interval."
        cautions.append(Caution(text, DegenerateInputWarning))
    as_arrays = np.array(statistic), np.array(error), np.array(one.df)
    pvalue, within = float(students_pvalues(*as_arrays)), float("nan")
    if method == "permutation" and not np.isnan(statistic):
        sides = one._sides.reference, one._sides.estimate, other._sides.estimate
        pvalue = permutation_pvalue(sides, one._sides.coefficients, n_resamples, seed, n_jobs)
    if margin is not None:
        within = float(equivalence_pvalues(*as_arrays, margin))
    error = error or float("nan")  # 0 for equal measures, which have p = 1 but no interval
    result = CorrelationDifferenceResult(
        statistic,
        *difference_interval(statistic, error, one.df, one.level),
        standard_error=error,
        pvalue=pvalue,
        equivalence_pvalue=within,
        margin=margin,
        method=method,
        first=one.statistic,
        second=other.statistic,
        coefficient=one.coefficient,
        level=one.level,
        df=one.df,
        n_topics=one.n_topics,
        n_systems=one.n_systems,
        n_resamples=one.n_resamples,
        n_undefined=int(np.isnan(apart[0]).sum()),
        _cautions=tuple(dict.fromkeys(cautions)),
    )
    correlation_interval.warn_of(result.statistic, result._cautions)
    return result


def difference_errors(differences: Floats, replicates: Floats, n_topics: int | Floats) -> Floats:
    """Standard errors of differences of coefficients, (...), from replicates, (3, B, ...).

    0 where these are all 0; nan where hardly any resample changes a difference, or where it is
    undefined in too many.
    """
    errors, resampled = standard_errors(replicates, n_topics), replicates[0]
    never_differs = (np.abs(resampled - differences) <= TOLERANCE).all(axis=0)
    is_equal = (np.abs(differences) <= TOLERANCE) & never_differs
    is_defined, is_changed = resamples_tell(differences, resampled)
    is_known = is_defined & is_changed & (errors > TOLERANCE)
    return np.where(is_equal, 0.0, np.where(is_known, errors, np.nan))


def difference_interval(
    difference: float, error: float, df: float, level: float
) -> ConfidenceInterval:
    """Student's t about a difference, within [-2, 2]."""
    low, high = correlation_interval.students_interval(difference / 2.0, error / 2.0, df, level)
    return ConfidenceInterval(2.0 * low, 2.0 * high)


def _studentise(differences: Floats, errors: Floats) -> Floats:
    """Differences in standard errors, of any shape; 0 where these are 0 or unknown."""
    return np.divide(differences, errors, out=np.zeros_like(differences), where=errors > TOLERANCE)


def students_pvalues(differences: Floats, errors: Floats, df: Floats) -> Floats:
    """Two-sided t tests of differences of 0; 1 for equal ones, nan for others that do not vary."""
    tail = stdtr(np.maximum(df, 1.0), -_studentise(np.abs(differences), errors))
    pvalues = np.where(errors > TOLERANCE, 2.0 * tail, np.nan)
    return np.where(np.abs(differences) <= TOLERANCE, 1.0, pvalues)


def equivalence_pvalues(differences: Floats, errors: Floats, df: Floats, margin: float) -> Floats:
    """Two one-sided t tests of differences of a margin or more; nan for those that do not vary."""
    tail = stdtr(np.maximum(df, 1.0), -_studentise(margin - np.abs(differences), errors))
    return np.where(errors > TOLERANCE, tail, np.nan)


def permutation_pvalue(
    sides: Sequence[Floats],
    coefficients: Coefficients,
    n_resamples: int,
    seed: int,
    n_jobs: int | None = None,
) -> float:
    """The two-sided p-value of a difference of two coefficients, by exchanging scores.

    The standardised scores of each system on each topic change sides or not, with equal
    probability. `sides` are the scores by the reference and by both measures, (n_topics, m); the
    last column of `coefficients` is tested.
    """
    # standardised scores x and y of both measures, (n_topics, m): exchanging some of them turns the
    # sign of their half difference h = (x - y) / 2 there, and leaves c = (x + y) / 2 as it is, so
    # that the means are those of c +- h
    reference, *measures = sides
    one, other = ((scores - scores.mean()) / (scores.std() or 1.0) for scores in measures)
    trusted, middle, half = system_means(reference), (one + other) / 2.0, (one - other) / 2.0

    def differences(shift: Floats) -> Floats:
        """Of both coefficients, shape (...), if the means are c +- shift, (..., m)."""
        means, by_reference = middle.mean(axis=0), np.broadcast_to(trusted, shift.shape)
        sides = (round_means(means + moved, middle) for moved in (shift, -shift))
        of_one, of_other = (coefficients.of(by_reference, side)[..., -1] for side in sides)
        return np.asarray(of_one - of_other)

    def compute(rng: np.random.Generator, size: int) -> Floats:
        """Differences of both coefficients, (size,), if scores are exchanged: random signs of h."""
        signs = 2.0 * rng.integers(0, 2, (size, *half.shape), dtype=np.int8) - 1.0
        return differences((signs * half).mean(axis=1))

    drawn = blockwise(compute, n_resamples, cells=half.size, rng=generator(seed), n_jobs=n_jobs)
    observed = float(differences(half.mean(axis=0)))
    n_at_least = int(np.count_nonzero(np.abs(drawn) >= abs(observed) - TOLERANCE))
    return (n_at_least + 1) / (n_resamples + 1)


# --- each pair of several measures ----------------------------------------------------------------


class Sample(NamedTuple):
    """Coefficients of several estimates with one reference, on the topics of one collection."""

    values: Floats  # on the topics at hand, shape (n_estimates,)
    replicates: Floats  # from which standard errors come, shape (3, B, n_estimates)
    resamples: Floats  # from which quantiles come, shape (n_resamples, n_estimates)
    n_topics: Floats  # how many independent topics each has, of its smaller side, (n_estimates,)
    df: Floats  # the degrees of freedom of each, shape (n_estimates,)

    def of(self, members: Sequence[int]) -> Sample:
        """The sample of some estimates alone."""
        return self._replace(
            values=self.values[members],
            replicates=self.replicates[..., members],
            resamples=self.resamples[:, members],
            n_topics=self.n_topics[members],
            df=self.df[members],
        )

    def less(self, index: int) -> Sample:
        """The differences of all estimates from one; the smaller number of topics counts."""
        return Sample(
            self.values - self.values[index],
            self.replicates - self.replicates[..., [index]],
            self.resamples - self.resamples[:, [index]],
            np.minimum(self.n_topics, self.n_topics[index]),
            np.minimum(self.df, self.df[index]),
        )


class EstimateTests(NamedTuple):
    """Each estimate, (n_estimates,); each pair, (n_estimates, n_estimates); and the best ones."""

    values: Floats  # the mean coefficient of each over collections
    errors: Floats  # its standard error
    df: Floats  # its degrees of freedom, by Welch
    pair_errors: Floats  # the standard errors of the differences of pairs: see `difference_errors`
    pair_df: Floats  # their degrees of freedom
    pvalues: Floats  # Student's t test of each pair; 1 on the diagonal, nan of an unknown error
    corrected: Floats  # p-values for all pairs together, by their largest studentised difference
    may_be_best: Flags  # those that no other surely beats: the best is one with the level
    undecided: Flags  # those near their bound, of which other resamples may decide otherwise


def compare_pairs(
    samples: Sequence[Sample], alpha: float = ALPHA, *, seed: int = 0
) -> EstimateTests:
    """Tests all pairs, of means over independent collections if there are several.

    Bounds are the quantile of the largest studentised difference over resamples at 1 - alpha; times
    sqrt(n / (n - 1)), as differences vary by so much more over samples; and times the ratio of
    Student's quantile to the normal one. An estimate may be best unless another is better by more
    than the bound for differences from it (of two alone, unless their test says so); the bound for
    all pairs corrects p-values. A pair whose error is unknown rules out nothing.
    """
    n_estimates, n_samples, level = samples[0].values.size, len(samples), 1.0 - alpha / 2.0
    values = np.mean([sample.values for sample in samples], axis=0)
    # the standard errors of estimates, (n_estimates,), by collection and of means over collections
    errors_by_sample = [standard_errors(sample.replicates, sample.n_topics) for sample in samples]
    errors, df = over_samples(errors_by_sample, [sample.df for sample in samples])
    # Resamples of each collection, less their mean: (n_drawn, n_estimates). As one seed gives two
    # collections the same random numbers, but their topics are independent, they are shuffled.
    shuffles = np.random.default_rng(seed).spawn(n_samples)
    centred = []
    for sample, child in zip(samples, shuffles, strict=True):
        drawn = sample.resamples[~np.isnan(sample.resamples).any(axis=1)]
        drawn -= drawn.sum(axis=0) / max(len(drawn), 1)
        order = child.permutation(len(drawn)) if n_samples > 1 else np.arange(len(drawn))
        centred.append(sample._replace(resamples=drawn[order]))
    n_drawn = min(len(sample.resamples) for sample in centred)

    pair_errors, pair_df = np.zeros((2, n_estimates, n_estimates))
    may_be_best, undecided = np.ones((2, n_estimates), dtype=np.bool_)
    studentised, largest = np.zeros((n_estimates, n_estimates)), np.zeros(n_drawn)
    # row by row, the differences of all estimates from one
    for index in range(n_estimates):
        apart = [sample.less(index) for sample in centred]
        errors_by_sample = [difference_errors(s.values, s.replicates, s.n_topics) for s in apart]
        error, pair_df[index] = over_samples(errors_by_sample, [sample.df for sample in apart])
        pair_errors[index] = error
        # mean differences over resamples, (n_drawn, n_estimates), which vary by sqrt(n / (n - 1))
        # less than over samples; then in standard errors
        differences = np.zeros((n_drawn, n_estimates))
        for sample in apart:
            scale = np.sqrt(sample.n_topics / (sample.n_topics - 1.0))
            differences += sample.resamples[:n_drawn] * scale / n_samples
        drawn = _studentise(differences, error)
        largest = np.maximum(largest, np.abs(drawn).max(axis=1))
        # t distributions are wider than the normal one, by the ratio of their quantiles
        wider = stdtrit(np.maximum(pair_df[index], 1.0), level) / ndtri(level)
        studentised[index] = _studentise(values - values[index], error) / wider
        # the largest of the others over this one in each resample bounds what chance makes of it
        bound, most = np.inf, studentised[index].max()
        if n_drawn:
            bound = float(np.quantile(drawn.max(axis=1), 1.0 - alpha))
        may_be_best[index] = most <= bound
        undecided[index] = bound > 0.0 and abs(most - bound) <= UNDECIDED * bound < np.inf
    pvalues = students_pvalues(values[:, np.newaxis] - values, pair_errors, pair_df)
    # for all pairs: (b + 1) / (B + 1), with b resamples whose largest difference is as large
    exceeding = len(largest) - np.searchsorted(np.sort(largest), np.abs(studentised) - TOLERANCE)
    corrected = np.maximum((exceeding + 1.0) / (len(largest) + 1.0), pvalues)
    if n_estimates == 2:
        may_be_best = ~((values < values.max()) & (pvalues[0, 1] <= alpha))
        undecided = np.zeros(2, dtype=np.bool_)
    return EstimateTests(
        values, errors, df, pair_errors, pair_df, pvalues, corrected, may_be_best, undecided
    )


def over_samples(errors: Sequence[Floats], dfs: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The standard error of the mean over independent samples, and its df by Welch: shape (...)."""
    # of a single sample they are its own, as the root of a square may differ in the last bit
    if len(errors) == 1:
        return errors[0], np.broadcast_to(dfs[0], errors[0].shape)
    # K samples: error^2 = sum of error_k^2 / K^2; df = (sum of error_k^2)^2 / sum(error_k^4 / df_k)
    squares = np.square(errors)
    by_sample = np.stack([np.broadcast_to(df, squares[0].shape) for df in dfs])
    total, weighted = squares.sum(axis=0), (squares**2 / by_sample).sum(axis=0)
    df = np.divide(total**2, weighted, out=by_sample.min(axis=0), where=weighted > 0.0)
    return np.sqrt(total) / len(errors), df


def clusters_of(worse: Flags) -> tuple[tuple[int, ...], ...]:
    """Positions 0 ... k - 1, best first, split where all below are worse than all above.

    `worse`, shape (k, k), says whether the estimate of the column is worse than that of the row.
    """
    size = len(worse)
    splits = [split for split in range(1, size) if worse[:split, split:].all()]
    return tuple(tuple(range(*ends)) for ends in pairwise([0, *splits, size]))


# --- over independent collections -----------------------------------------------------------------


def mean_correlation(results: Sequence[CorrelationResult], seed: int) -> CorrelationResult:
    """The mean correlation over independent collections, equally weighed; errors add in squares."""
    if len(results) == 1:
        return results[0]
    first, value = results[0], float(np.mean([result.statistic for result in results]))
    errors = [np.array([result.standard_error]) for result in results]
    (error,), (df,) = over_samples(errors, [np.array([result.df]) for result in results])
    low, high = correlation_interval.students_interval(value, error, df, first.level)
    # one true ranking on each collection: the mean of replicates, and the least reliability of any
    nulls = [result.one_true_ranking for result in results]
    of_reference, of_estimate = np.min([null.reliability for null in nulls], axis=0).tolist()
    replicates = mean_replicates([null.replicates for null in nulls], seed)
    reliability = of_reference, of_estimate
    null = OneTrueRanking.of(value, replicates, reliability, level=first.level)
    cautions = chain.from_iterable(result._cautions for result in results)
    of_null = chain.from_iterable(result._cautions_of_null for result in results)
    return replace(
        first,
        statistic=value,
        low=low,
        high=min(high, null.cap(value, first.level)),
        standard_error=float(error),
        df=float(df),
        pvalue=null.pvalue,
        one_true_ranking=null,
        n_topics=sum(result.n_topics for result in results),
        n_systems=sum(result.n_systems for result in results),
        n_undefined=sum(result.n_undefined for result in results),
        replicates=mean_replicates([result.replicates for result in results], seed),
        _cautions=tuple(dict.fromkeys(cautions)),
        _cautions_of_null=tuple(dict.fromkeys(of_null)),
    )


def mean_replicates(of_collections: Sequence[Floats], seed: int) -> Floats:
    """Replicates, (B,), of a mean over collections: shuffled, as one seed draws all alike."""
    n_drawn = min(map(len, of_collections))
    shuffled = [
        np.random.default_rng([seed, n]).permutation(drawn[:n_drawn])
        for n, drawn in enumerate(of_collections)
    ]
    return np.asarray(sum(shuffled) / len(of_collections))
