"""Each test, over all pairs of systems at once; `TESTS` at the end is the table of them.

Pairs come in blocks of 32 MiB arrays. All pairs share the bootstrap samples. Many are drawn anew for each block, so
that memory grows with neither pairs nor resamples.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtr, stdtrit

from pt_rankcorr import choices
from pt_rankcorr.stats.core.means import rounded, rounded_scores
from pt_rankcorr.stats.core.pairs import Pairs, pair_blocks
from pt_rankcorr.stats.core.resampling import BLOCK_CELLS, TopicSamples, blockwise, count_draws, topic_indices
from pt_rankcorr.stats.core.results import cached_property
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.stats.core.workers import run_all
from pt_rankcorr.stats.significance import _studentised as studentised
from pt_rankcorr.stats.significance._family import Family
from pt_rankcorr.stats.significance._summaries import (
    GeneralisedMean,
    Statistic,
    as_generalised_mean,
    finite_transform,
    summaries,
)
from pt_rankcorr.stats.significance.bootstrap import rounding_error, unpaired_differences
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd, rank_at_level

EXACT_WILCOXON_UP_TO = 50  # topics, as scipy has it


@dataclass(frozen=True)
class PairComparison(Family):
    """What all tests are given.

    Attributes:
        statistic: What sums up the scores of a system, for the unpaired test.
        alpha: The level.
        n_resamples: The number of resamples or permutations B.
        rng: Makes the resamples.
        n_jobs: The number of workers.
    """

    statistic: Statistic
    alpha: float
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int | None

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
        published: The same as it was published, where that is something else.
        topics: How often the resample that set the largest of these holds each topic, in their order here.
    """

    pvalues: Floats
    required: Floats
    published: Floats | None = None
    topics: Floats | None = None


Replicates: TypeAlias = Callable[[Pairs], Floats]


def paired_bootstrap(given: PairComparison) -> PairTests:
    """The studentised paired bootstrap test (Sakai 2006, figures 2 and 5)."""
    samples = TopicSamples.of(given.n_topics, given.n_resamples, given.rng)
    rank = rank_at_level(given.alpha, given.n_resamples)
    blocks = list(pair_blocks(given.n_systems, max(given.n_topics, given.n_resamples), at_once=BLOCK_CELLS))
    compare = partial(_compare_paired, given.matrix, samples, rank)
    counts, required, published, resamples = np.hstack(run_all(compare, blocks, given.n_jobs))
    largest = int(studentised.first_largest(published))
    first, second = (side[largest] for side in np.triu_indices(given.n_systems, k=1))
    topics = _topics_of(given.matrix[:, first], given.matrix[:, second], samples, int(resamples[largest]))
    return PairTests((counts + 1) / (given.n_resamples + 1), required, published, topics)


def _topics_of(first: Floats, second: Floats, samples: TopicSamples, resample: int) -> Floats:
    """How often a resample holds each topic: it was drawn from the differences in ascending order."""
    signs = studentised.paired_differences(first[np.newaxis], second[np.newaxis]).signs
    drawn: Floats = next(itertools.islice(itertools.chain.from_iterable(samples.weights()), resample, None))
    topics = np.empty_like(drawn)
    topics[np.argsort((first - second) * signs, kind="stable")] = drawn
    return topics


def _compare_paired(matrix: Floats, samples: TopicSamples, rank: int, pairs: Pairs) -> Floats:
    """Resamples at least as extreme, the required and the published difference, and which resample sets that one.

    Shape (4, n_pairs).
    """
    observed = studentised.paired_differences(matrix.T[pairs.first], matrix.T[pairs.second])
    errors, found = studentised.standard_errors(observed.centred), []
    for rows, resampled in studentised.resample(observed.centred, samples):
        counts = studentised.count_as_extreme(resampled.shares, observed.shares[rows])
        critical = studentised.nth_largest(resampled.shares, rank)
        required = studentised.students_t(np.ones(len(critical)), critical, len(matrix)) * errors[rows]
        found.append(np.array([counts, required, *studentised.mean_at(resampled, critical)]))
    return np.hstack(found)


def unpaired_bootstrap(given: PairComparison) -> PairTests:
    """The unpaired bootstrap test of any statistic (Sakai 2006, figures 4 and 6)."""
    rank = rank_at_level(given.alpha, given.n_resamples)
    mean = as_generalised_mean(given.statistic)
    if mean is None:
        samples = TopicSamples.of(2 * given.n_topics, given.n_resamples, given.rng)
        replicates: Replicates = partial(_replicates_of_any, given, samples)
        blocks = pair_blocks(given.n_systems, max(2 * given.n_topics, given.n_resamples), at_once=BLOCK_CELLS)
        n_jobs = given.n_jobs
    else:
        replicates = partial(_replicates_of_means, mean, _draw_means(mean, given))
        blocks, n_jobs = pair_blocks(given.n_systems, given.n_resamples), 1  # too quick to be shared out
    places = np.argsort(np.lexsort((*given.matrix, -rounded_scores(given.summaries))))
    compute = partial(_compare_unpaired, given.summaries, places, replicates, rank)
    counts, required = np.hstack(run_all(compute, list(blocks), n_jobs))
    return PairTests((counts + 1) / (given.n_resamples + 1), required)


def _compare_unpaired(summaries: Floats, places: Indices, replicates: Replicates, rank: int, pairs: Pairs) -> Floats:
    """How many |d*| >= |d|, and the required differences, shape (2, n_pairs).

    The higher system of a pair comes first, so that the order of the input does not matter.
    """
    first, second = pairs
    swapped = places[first] > places[second]
    sizes = np.abs(replicates(Pairs(np.where(swapped, second, first), np.where(swapped, first, second))))
    ends = summaries[first], summaries[second]
    rounding = rounding_error(*ends)
    sizes[sizes <= rounding[:, np.newaxis]] = 0.0
    observed = np.abs(ends[0] - ends[1]) - rounding
    counts = (sizes >= observed[:, np.newaxis]).sum(axis=-1, dtype=np.float64)
    return np.array([counts, studentised.nth_largest(sizes, rank)])


def _draw_means(mean: GeneralisedMean, given: PairComparison) -> Floats:
    """What each system adds to each half of each sample, as first or second of a pair: (2, 2, n_systems, n_resamples).

    A mean over one half of a sample is the part drawn from the first system plus that from the second.
    """
    scores = finite_transform(mean, given.matrix, given.systems)
    compute, joined = partial(_means_of_halves, scores), 2 * given.n_topics
    drawn = blockwise(compute, given.n_resamples, cells=joined, rng=given.rng, n_jobs=given.n_jobs)
    return np.ascontiguousarray(np.moveaxis(drawn, 0, -1))


def _means_of_halves(scores: Floats, rng: np.random.Generator, size: int) -> Floats:
    n_topics = len(scores)
    drawn = topic_indices(rng, size, 2 * n_topics)
    halves = (count_draws(half, 2 * n_topics) / n_topics for half in (drawn[:, :n_topics], drawn[:, n_topics:]))
    added = [[half[:, :n_topics] @ scores, half[:, n_topics:] @ scores] for half in halves]
    return np.moveaxis(np.array(added), 2, 0)


def _replicates_of_means(mean: GeneralisedMean, drawn: Floats, pairs: Pairs) -> Floats:
    one, other = (mean.back(as_first[pairs.first] + as_second[pairs.second]) for as_first, as_second in drawn)
    return np.asarray(one - other)


def _replicates_of_any(given: PairComparison, samples: TopicSamples, pairs: Pairs) -> Floats:
    found = []
    for drawn in samples.indices():
        of_pairs = []
        for pair in zip(*pairs, strict=True):
            first, second = np.split(given.matrix[:, pair].T.ravel()[drawn], 2, axis=1)
            whose = "the pair of {!r} and {!r}".format(*(given.systems[at] for at in pair))
            of_pairs.append(unpaired_differences(given.statistic, first, second, whose))
        found.append(np.array(of_pairs))
    return np.concatenate(found, axis=-1)


def students_t_test(given: PairComparison) -> PairTests:
    """Student's paired t-test; the required difference is the one whose t is critical."""
    freedom = given.n_topics - 1
    critical = float(stdtrit(freedom, 1 - given.alpha / 2))
    pvalues, required = [], []
    for pairs in pair_blocks(given.n_systems, given.n_topics):
        observed = studentised.paired_differences(given.matrix.T[pairs.first], given.matrix.T[pairs.second])
        t = studentised.students_t(observed.means, observed.shares, given.n_topics)
        pvalues.append(2 * stdtr(freedom, -np.abs(t)))
        required.append(critical * studentised.standard_errors(observed.centred))
    return PairTests(np.concatenate(pvalues), np.concatenate(required))


def wilcoxon_test(given: PairComparison) -> PairTests:
    """Wilcoxon's signed-rank test without zero differences; exact for few topics without ties, else normal."""
    pvalues = []
    for pairs in pair_blocks(given.n_systems, given.n_topics):
        first, second = given.matrix.T[pairs.first], given.matrix.T[pairs.second]
        differences = first - second
        # those that are equal in exact arithmetic must tie: one unit for all topics of a pair
        largest = np.maximum(np.abs(first), np.abs(second)).max(axis=-1, keepdims=True)
        pvalues.append(_wilcoxon(rounded(differences, largest)))
    return PairTests(np.concatenate(pvalues), np.array([np.nan]))


def _wilcoxon(differences: Floats) -> Floats:
    from scipy.stats import wilcoxon  # takes longer to import than all of this package

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


def tukey_hsd(given: PairComparison) -> PairTests:
    """The randomised Tukey HSD test: one required difference for all pairs."""
    result = randomized_tukey_hsd(given.matrix, n_resamples=given.n_resamples, rng=given.rng, n_jobs=given.n_jobs)
    above_diagonal = np.triu_indices(given.n_systems, k=1)
    return PairTests(result.pvalues[above_diagonal], np.array([result.critical_value(given.alpha)]))


@dataclass(frozen=True)
class PairTest:
    """A test of all pairs of systems.

    Attributes:
        compare: Computes it.
        title: What pictures and reports call it.
        corrected: Whether `alpha` bounds the chance of any false alarm among all pairs, rather than that of each pair.
        resamples: Whether it draws resamples.
    """

    compare: Callable[[PairComparison], PairTests]
    title: str
    corrected: bool = False
    resamples: bool = False

    @property
    def full_title(self) -> str:
        return f"{self.title}, {'corrected' if self.corrected else 'uncorrected'}"


DEFAULT_TEST: choices.PairTest = "tukey-hsd"
TESTS: dict[choices.PairTest, PairTest] = {
    "tukey-hsd": PairTest(tukey_hsd, "randomised Tukey HSD test", corrected=True, resamples=True),
    "paired-bootstrap": PairTest(paired_bootstrap, "paired bootstrap test", resamples=True),
    "unpaired-bootstrap": PairTest(unpaired_bootstrap, "unpaired bootstrap test", resamples=True),
    "t": PairTest(students_t_test, "paired t-test"),
    "wilcoxon": PairTest(wilcoxon_test, "Wilcoxon signed-rank test"),
}
