"""Each test, over all pairs of systems at once.

Bootstrap samples are the same for all pairs and held at once, one number for each topic and resample. Beside them
memory is bounded: a block of pairs makes arrays of 8 MiB.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit
from scipy.stats import wilcoxon

from pt_rankcorr.stats import _studentised as studentised
from pt_rankcorr.stats._pairs import PRODUCT_CELLS, Pairs, pair_blocks
from pt_rankcorr.stats.hypothesis import rounding_error, unpaired_differences
from pt_rankcorr.stats.order import Floats, Labels, round_significant
from pt_rankcorr.stats.resampling import blockwise, topic_indices
from pt_rankcorr.stats.summaries import (
    GeneralisedMean,
    Statistic,
    as_generalised_mean,
    finite_transform,
    resampled_proportions,
    summaries,
)
from pt_rankcorr.stats.tukey import randomized_tukey_hsd, rank_at_level

EXACT_WILCOXON_UP_TO = 50  # topics, as scipy has it


@dataclass(frozen=True)
class Comparison:
    """What all tests are given.

    Attributes:
        matrix: Scores, shape (n_topics, n_systems).
        systems: The names of the systems.
        statistic: What sums up the scores of a system, for the unpaired test.
        alpha: The level.
        n_resamples: The number of resamples or permutations B.
        rng: Makes the resamples.
        n_jobs: The number of workers.
    """

    matrix: Floats
    systems: Labels
    statistic: Statistic
    alpha: float
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int | None

    @property
    def n_systems(self) -> int:
        return int(self.matrix.shape[1])

    @cached_property
    def summaries(self) -> Floats:
        """What is compared, one a system; not rounded."""
        return summaries(self.matrix, self.statistic, self.systems)


@dataclass(frozen=True)
class PairTests:
    """The tests of all pairs, in the order of `pair_blocks`.

    Attributes:
        pvalues: One a pair.
        required: Per pair, or one for all, the difference that would be significant; nan where the test has none.
    """

    pvalues: Floats
    required: Floats


def paired_bootstrap(given: Comparison) -> PairTests:
    """The studentised paired bootstrap test (Sakai 2006, figures 2 and 5)."""
    proportions = resampled_proportions(len(given.matrix), given.n_resamples, given.rng)
    rank = rank_at_level(given.alpha, given.n_resamples)
    counts, required = [], []
    for pairs in pair_blocks(given.n_systems, given.n_resamples, at_once=PRODUCT_CELLS):
        observed = _differences(given, pairs)
        for rows, samples in studentised.resampled(observed.centred, proportions):
            counts.append(studentised.count_as_extreme(samples.shares, observed.shares[rows]))
            required.append(studentised.mean_at_rank(samples, rank))
    return PairTests(_pvalues(counts, given), np.concatenate(required))


def _differences(given: Comparison, pairs: Pairs) -> studentised.PairedDifferences:
    return studentised.paired_differences(given.matrix.T[pairs.first], given.matrix.T[pairs.second])


def _pvalues(counts: list[Floats], given: Comparison) -> Floats:
    return np.asarray((np.concatenate(counts) + 1) / (given.n_resamples + 1))


# --- unpaired -----------------------------------------------------------------------------------------

Replicates: TypeAlias = Callable[[Pairs], Floats]


def unpaired_bootstrap(given: Comparison) -> PairTests:
    """The unpaired bootstrap test of any statistic (Sakai 2006, figures 4 and 6)."""
    drawn = _drawn(2 * len(given.matrix), given.n_resamples, given.rng)
    mean = as_generalised_mean(given.statistic)
    if mean is None:
        return _compare(given, _replicates_of_any(given, drawn))
    return _compare(given, _replicates_of_means(mean, finite_transform(mean, given.matrix, given.systems), drawn))


def _drawn(joined: int, n_resamples: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which of the joined scores are in each resample: shape (n_resamples, joined)."""

    def draw(child: np.random.Generator, size: int) -> Floats:
        return topic_indices(child, size, joined).astype(np.float64)

    return blockwise(draw, n_resamples, cells=joined, rng=rng, n_jobs=1).astype(np.intp)


def _compare(given: Comparison, replicates: Replicates) -> PairTests:
    """Counts |d*| >= |d|. The higher system of a pair comes first, so that the order of the input does not matter."""
    ends, rank = given.summaries, rank_at_level(given.alpha, given.n_resamples)
    place = np.argsort(np.lexsort((*given.matrix, -round_significant(ends))))
    counts, required = [], []
    for first, second in pair_blocks(given.n_systems, given.n_resamples):
        swapped = place[first] > place[second]
        pairs = Pairs(np.where(swapped, second, first), np.where(swapped, first, second))
        sizes = np.abs(replicates(pairs))
        observed = np.abs(ends[first] - ends[second]) - rounding_error(ends[first], ends[second])
        counts.append((sizes >= observed[:, np.newaxis]).sum(axis=-1, dtype=np.float64))
        required.append(studentised.nth_largest(sizes, rank))
    return PairTests(_pvalues(counts, given), np.concatenate(required))


def _replicates_of_means(mean: GeneralisedMean, scores: Floats, drawn: NDArray[np.intp]) -> Replicates:
    """A mean over one half of a sample is the part drawn from the first system plus that from the second."""
    n_topics = len(scores)
    halves = (_proportions(drawn[:, :n_topics]), _proportions(drawn[:, n_topics:]))
    from_first = [(scores.T @ half[:n_topics]) for half in halves]
    from_second = [(scores.T @ half[n_topics:]) for half in halves]

    def replicates(pairs: Pairs) -> Floats:
        one, other = (mean.back(x[pairs.first] + y[pairs.second]) for x, y in zip(from_first, from_second, strict=True))
        return np.asarray(one - other)

    return replicates


def _proportions(drawn: NDArray[np.intp]) -> Floats:
    """The share of each of the 2n joined scores in each sample of n, shape (2n, n_resamples)."""
    samples, size = drawn.shape
    joined = np.arange(samples)[:, np.newaxis] * 2 * size
    counts = np.bincount((drawn + joined).ravel(), minlength=samples * 2 * size).reshape(samples, 2 * size)
    return np.asarray(np.ascontiguousarray(counts.T) / size)


def _replicates_of_any(given: Comparison, drawn: NDArray[np.intp]) -> Replicates:
    def replicates(pairs: Pairs) -> Floats:
        return np.array([_replicates_of_pair(given, drawn, *pair) for pair in zip(*pairs, strict=True)])

    return replicates


def _replicates_of_pair(given: Comparison, drawn: NDArray[np.intp], first: int, second: int) -> Floats:
    n_topics = len(given.matrix)
    samples = given.matrix[:, [first, second]].T.ravel()[drawn]
    whose = f"the pair of {given.systems[first]!r} and {given.systems[second]!r}"
    return unpaired_differences(given.statistic, samples[:, :n_topics], samples[:, n_topics:], whose)


# --- by theory ----------------------------------------------------------------------------------------


def students_t_test(given: Comparison) -> PairTests:
    """Student's paired t-test; the required difference is the one whose t is critical."""
    freedom = len(given.matrix) - 1
    critical = float(stdtrit(freedom, 1 - given.alpha / 2))
    pvalues, required = [], []
    for pairs in pair_blocks(given.n_systems, len(given.matrix)):
        observed = _differences(given, pairs)
        t = studentised.students_t(observed.means, observed.shares, len(given.matrix))
        pvalues.append(2 * stdtr(freedom, -np.abs(t)))
        unit = studentised.largest(observed.centred)
        errors = unit[:, 0] * np.sqrt(((observed.centred / unit) ** 2).mean(axis=-1) / freedom)
        required.append(critical * errors)
    return PairTests(np.concatenate(pvalues), np.concatenate(required))


def wilcoxon_test(given: Comparison) -> PairTests:
    """Wilcoxon's signed-rank test without zero differences; exact for few topics without ties, else normal."""
    pvalues = []
    for pairs in pair_blocks(given.n_systems, len(given.matrix)):
        first, second = given.matrix.T[pairs.first], given.matrix.T[pairs.second]
        differences = first - second
        # those that are equal in exact arithmetic must tie: one unit for all topics of a pair
        largest = np.maximum(np.abs(first), np.abs(second)).max(axis=-1, keepdims=True)
        pvalues.append(_wilcoxon(round_significant(differences, np.broadcast_to(largest, differences.shape))))
    return PairTests(np.concatenate(pvalues), np.array([np.nan]))


def _wilcoxon(differences: Floats) -> Floats:
    ascending = np.sort(np.abs(differences), axis=-1)
    tied = (ascending[:, :1] == 0.0).any(axis=-1) | (np.diff(ascending, axis=-1) == 0.0).any(axis=-1)
    equal = ascending[:, -1] == 0.0
    exact = ~tied & (differences.shape[-1] <= EXACT_WILCOXON_UP_TO)
    pvalues = np.ones(len(differences))
    for chosen, method in ((exact, "exact"), (~exact & ~equal, "asymptotic")):
        if chosen.any():
            test: Any = wilcoxon(differences[chosen], axis=-1, method=method)  # type: ignore[call-overload]
            pvalues[chosen] = test.pvalue
    return pvalues


def tukey_hsd(given: Comparison) -> PairTests:
    """The randomised Tukey HSD test: one required difference for all pairs."""
    result = randomized_tukey_hsd(given.matrix, n_resamples=given.n_resamples, rng=given.rng, n_jobs=given.n_jobs)
    above_diagonal = np.triu_indices(given.n_systems, k=1)
    return PairTests(result.pvalues[above_diagonal], np.array([result.critical_value(given.alpha)]))


TESTS: dict[str, Callable[[Comparison], PairTests]] = {
    "paired-bootstrap": paired_bootstrap,
    "unpaired-bootstrap": unpaired_bootstrap,
    "tukey-hsd": tukey_hsd,
    "t": students_t_test,
    "wilcoxon": wilcoxon_test,
}
