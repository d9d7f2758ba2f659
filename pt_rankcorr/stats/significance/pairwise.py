"""Each test, over all pairs of systems at once; `TESTS` at the end is the table of them.

Pairs come in blocks of 32 MiB arrays. All pairs share the bootstrap samples. Many are drawn anew for each block, so
that memory grows with neither pairs nor resamples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from pt_rankcorr import choices
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.means import rounded, rounded_scores
from pt_rankcorr.stats.core.pairs import Pairs, pair_blocks
from pt_rankcorr.stats.core.resampling import BLOCK_CELLS, TopicSamples
from pt_rankcorr.stats.core.results import cached_property
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import run_all
from pt_rankcorr.stats.significance import bootstrap, summaries
from pt_rankcorr.stats.significance.tukey import randomized_tukey_hsd, rank_at_level

EXACT_WILCOXON_UP_TO = 50  # topics, as scipy has it


@dataclass(frozen=True)
class PairComparison(summaries.Family):
    """A family of systems whose pairs are compared, and how."""

    statistic: summaries.Statistic  # for the unpaired test
    alpha: float
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int | None

    @cached_property
    def summaries(self) -> Floats:
        """What is compared, one a system; not rounded."""
        return summaries.summaries(self.matrix, self.statistic, self.systems)


@dataclass(frozen=True)
class PairTests:
    """The tests of all pairs, in the order of `pair_blocks`."""

    pvalues: Floats
    required: Floats  # of each pair, or one for all, the difference that would be significant; nan where there is none
    published: Floats | None = None  # the same as it was published, where that is something else
    topics: Floats | None = None  # how often the resample that set the largest of these holds each topic


def paired_bootstrap(family: PairComparison) -> PairTests:
    """The studentised paired bootstrap test (Sakai 2006, figures 2 and 5)."""
    matrix, n_resamples = family.matrix, family.n_resamples
    samples = TopicSamples.of(family.n_topics, n_resamples, family.rng)
    rank = rank_at_level(family.alpha, n_resamples)

    def compare(pairs: Pairs) -> Floats:
        observed = bootstrap.paired_differences(matrix.T[pairs.first], matrix.T[pairs.second])
        errors, blocks = bootstrap.standard_errors(observed.centred), []
        for rows, resampled in bootstrap.resample(observed.centred, samples):
            counts = bootstrap.count_as_extreme(resampled.shares, observed.shares[rows])
            critical = bootstrap.nth_largest(resampled.shares, rank)
            required = bootstrap.students_t(np.ones(len(critical)), critical, len(matrix)) * errors[rows]
            blocks.append(np.array([counts, required, *bootstrap.mean_at(resampled, critical)]))
        return np.hstack(blocks)

    blocks = list(pair_blocks(family.n_systems, max(family.n_topics, n_resamples), at_once=BLOCK_CELLS))
    counts, required, published, resamples = np.hstack(run_all(compare, blocks, family.n_jobs))
    # the resample that sets the published difference was drawn from the differences of its pair, in ascending order
    largest = int(bootstrap.first_largest(published))
    first, second = (matrix[:, side[largest]] for side in np.triu_indices(family.n_systems, k=1))
    drawn: Floats = next(islice(chain.from_iterable(samples.weights()), int(resamples[largest]), None))
    signs = bootstrap.paired_differences(first[np.newaxis], second[np.newaxis]).signs
    topics = np.empty_like(drawn)
    topics[np.argsort((first - second) * signs, kind="stable")] = drawn
    return PairTests((counts + 1) / (n_resamples + 1), required, published, topics)


def unpaired_bootstrap(family: PairComparison) -> PairTests:
    """The unpaired bootstrap test of any statistic (Sakai 2006, figures 4 and 6).

    The higher system of a pair comes first, so that the order of the input does not matter.
    """
    rank = rank_at_level(family.alpha, family.n_resamples)
    mean = summaries.as_generalised_mean(family.statistic)
    if mean is None:
        samples = TopicSamples.of(2 * family.n_topics, family.n_resamples, family.rng)
        cells, at_once, n_jobs = max(2 * family.n_topics, family.n_resamples), {"at_once": BLOCK_CELLS}, family.n_jobs
    else:
        drawn = _resampled_halves(mean, family)
        cells, at_once, n_jobs = family.n_resamples, {}, 1  # too quick to be shared out
    observed = family.summaries
    places = np.argsort(np.lexsort((*family.matrix, -rounded_scores(observed))))

    def compare(pairs: Pairs) -> Floats:
        swapped = places[pairs.first] > places[pairs.second]
        higher, lower = np.where(swapped, pairs[::-1], pairs)
        if mean is None:
            replicates = _differences_of_any(family, samples, Pairs(higher, lower))
        else:
            replicates = np.subtract(*(mean.back(first[higher] + second[lower]) for first, second in drawn))
        sizes, ends = np.abs(replicates), (observed[pairs.first], observed[pairs.second])
        rounding = bootstrap.rounding_error(*ends)
        sizes[sizes <= rounding[:, np.newaxis]] = 0.0
        least = np.abs(ends[0] - ends[1]) - rounding
        counts = (sizes >= least[:, np.newaxis]).sum(axis=-1, dtype=np.float64)
        return np.array([counts, bootstrap.nth_largest(sizes, rank)])

    blocks = list(pair_blocks(family.n_systems, cells, **at_once))
    counts, required = np.hstack(run_all(compare, blocks, n_jobs))
    return PairTests((counts + 1) / (family.n_resamples + 1), required)


def _resampled_halves(mean: summaries.GeneralisedMean, family: PairComparison) -> Floats:
    """What each system adds to each half of each sample, as first or second of a pair: (2, 2, n_systems, n_resamples).

    A mean over one half of a sample is the part drawn from the first system plus that from the second.
    """
    scores, n_topics = summaries.finite_transform(mean, family.matrix, family.systems), family.n_topics

    def compute(rng: np.random.Generator, size: int) -> Floats:
        drawn = resampling.topic_indices(rng, size, 2 * n_topics)
        halves = (drawn[:, :n_topics], drawn[:, n_topics:])
        weights = [resampling.count_draws(half, 2 * n_topics) / n_topics for half in halves]
        added = [[half[:, :n_topics] @ scores, half[:, n_topics:] @ scores] for half in weights]
        return np.moveaxis(np.array(added), 2, 0)

    drawn = resampling.blockwise(compute, family.n_resamples, cells=2 * n_topics, rng=family.rng, n_jobs=family.n_jobs)
    return np.ascontiguousarray(np.moveaxis(drawn, 0, -1))


def _differences_of_any(family: PairComparison, samples: TopicSamples, pairs: Pairs) -> Floats:
    """The differences of any statistic in all resamples, pair by pair: shape (n_pairs, n_resamples)."""
    blocks = []
    for drawn in samples.indices():
        of_pairs = []
        for pair in zip(*pairs, strict=True):
            first, second = np.split(family.matrix[:, pair].T.ravel()[drawn], 2, axis=1)
            whose = "the pair of {!r} and {!r}".format(*(family.systems[system] for system in pair))
            of_pairs.append(bootstrap.unpaired_differences(family.statistic, first, second, whose))
        blocks.append(np.array(of_pairs))
    return np.concatenate(blocks, axis=-1)


def students_t_test(family: PairComparison) -> PairTests:
    """Student's paired t-test; the required difference is the one whose t is critical."""
    freedom = family.n_topics - 1
    critical = float(stdtrit(freedom, 1 - family.alpha / 2))
    pvalues, required = [], []
    for pairs in pair_blocks(family.n_systems, family.n_topics):
        observed = bootstrap.paired_differences(family.matrix.T[pairs.first], family.matrix.T[pairs.second])
        t = bootstrap.students_t(observed.means, observed.shares, family.n_topics)
        pvalues.append(2 * stdtr(freedom, -np.abs(t)))
        required.append(critical * bootstrap.standard_errors(observed.centred))
    return PairTests(np.concatenate(pvalues), np.concatenate(required))


def wilcoxon_test(family: PairComparison) -> PairTests:
    """Wilcoxon's signed-rank test without zero differences; exact for few topics without ties, else normal."""
    from scipy.stats import wilcoxon  # takes longer to import than all of this package

    pvalues = []
    for pairs in pair_blocks(family.n_systems, family.n_topics):
        first, second = family.matrix.T[pairs.first], family.matrix.T[pairs.second]
        # differences that are equal in exact arithmetic must tie: one unit for all topics of a pair
        largest = np.maximum(np.abs(first), np.abs(second)).max(axis=-1, keepdims=True)
        differences = rounded(first - second, largest)
        ascending = np.sort(np.abs(differences), axis=-1)
        tied = (ascending[:, :1] == 0.0).any(axis=-1) | (np.diff(ascending, axis=-1) == 0.0).any(axis=-1)
        exact = ~tied & (family.n_topics <= EXACT_WILCOXON_UP_TO)
        varying = ascending[:, -1] > 0.0
        of_block = np.ones(len(differences))
        for rows, method in ((exact, "exact"), (~exact & varying, "asymptotic")):
            if rows.any():
                test: Any = wilcoxon(differences[rows], axis=-1, method=method)  # type: ignore[call-overload]
                of_block[rows] = test.pvalue
        pvalues.append(of_block)
    return PairTests(np.concatenate(pvalues), np.array([np.nan]))


def tukey_hsd(family: PairComparison) -> PairTests:
    """The randomised Tukey HSD test: one required difference for all pairs."""
    result = randomized_tukey_hsd(family.matrix, n_resamples=family.n_resamples, rng=family.rng, n_jobs=family.n_jobs)
    above_diagonal = np.triu_indices(family.n_systems, k=1)
    return PairTests(result.pvalues[above_diagonal], np.array([result.critical_value(family.alpha)]))


@dataclass(frozen=True)
class PairTest:
    """A test of all pairs of systems."""

    compare: Callable[[PairComparison], PairTests]
    title: str
    corrected: bool = False  # whether `alpha` bounds the chance of any false alarm among all pairs
    resamples: bool = False  # whether it draws any

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
