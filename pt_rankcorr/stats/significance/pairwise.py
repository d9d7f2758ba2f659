"""Each test, over all pairs of systems at once; `TESTS` is the table of them.

Pairs come in blocks of 32 MiB arrays. All pairs share the bootstrap samples. Many are drawn anew
for each block, so that memory grows with neither pairs nor resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr, stdtrit

from pt_rankcorr import choices, defaults
from pt_rankcorr.stats.core import arguments, resampling
from pt_rankcorr.stats.core.design import FEWEST_TOPICS
from pt_rankcorr.stats.core.inputs import prepare_matrix
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import (
    CACHED_CELLS,
    NEGLIGIBLE,
    Pairs,
    pair_blocks,
    ranks,
    rounded,
    rounded_scores,
    system_means,
)
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.types import TOLERANCE, Flags, Floats, Indices, Labels, TestResult
from pt_rankcorr.stats.significance import bootstrap
from pt_rankcorr.warnings import UnreliableResultWarning, warn


@dataclass(frozen=True)
class Family:
    """The systems that are compared."""

    # their scores, shape (n_topics, n_systems), topics in an order that the scores set if resampled
    matrix: Floats
    systems: Labels  # their names

    @property
    def n_topics(self) -> int:
        return len(self.matrix)

    @property
    def n_systems(self) -> int:
        return len(self.systems)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of pairs, topics and systems, as fields of a result."""
        n_pairs = self.n_systems * (self.n_systems - 1) // 2
        return {"n_pairs": n_pairs, "n_topics": self.n_topics, "n_systems": self.n_systems}

    @property
    def means(self) -> Floats:
        """The mean of each system, shape (n_systems,), not rounded."""
        return np.asarray(self.matrix.mean(axis=0))


def family_of(matrix: ScoreMatrix, *, resamples: bool = True) -> Family:
    """The systems of a prepared matrix, topics in one order if they are resampled: by position."""
    arguments.check_number_of_systems("scores", matrix.n_systems)
    return Family(in_one_order(matrix.sample) if resamples else matrix.sample, matrix.shown_systems)


@dataclass(frozen=True)
class PairComparison(Family):
    """A family of systems whose pairs are compared, and how."""

    alpha: float
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int | None


@dataclass(frozen=True)
class PairTests:
    """The tests of all pairs, in the order of `pair_blocks`."""

    pvalues: Floats  # two-sided, shape (n_pairs,)
    # of a t test of one pair alone that has this test's bound on |t|; 0 where that is infinite
    level: float
    # the difference that would be significant, of each pair or one for all; nan where there is none
    required: Floats
    published: Floats | None = None  # the same as it was published, where that is something else
    # how often the resample that set the largest of these holds each topic, shape (n_topics,)
    topics: Floats | None = None
    n_flips: int | None = None  # of signs, where all of them were counted and none drawn


# --- the largest studentised difference -----------------------------------------------------------

Flips: TypeAlias = Callable[[], Floats]  # signs of topics, shape (n_flips, n_topics): 1 or -1


def largest_studentised_difference(family: PairComparison) -> PairTests:
    """The step-down test by the largest |t| of all pairs (max-t), over flips of topics' signs.

    If a pair of systems has one true mean, its difference on a topic is as likely to have the other
    sign. A flip turns topics around for all pairs at once, which keeps how pairs depend on each
    other. As it leaves squares as they are,

        r = |sum of s_i z_i| / sqrt(n sum of z_i^2),     t^2 = (n - 1) r^2 / (1 - r^2),

    for signs s and differences z rises with |t|, and one product of matrices has it for all pairs
    and flips. A pair is compared with the largest r among the pairs no further apart than it is.
    """
    # r of each pair, its divisor, and the standard error of the mean difference: (n_pairs,) each
    n_topics, systems = family.n_topics, bootstrap.Systems.of(family.matrix.T)
    sizes, errors, lengths = [], [], []
    for pairs in pair_blocks(family.n_systems, n_topics):
        differences = bootstrap.plain_differences(systems, pairs)
        squares = (differences**2).sum(axis=-1)
        shares = bootstrap.ratio(differences.sum(axis=-1) ** 2, n_topics * squares)
        unexplained = np.where(shares >= 1.0 - TOLERANCE, 0.0, 1.0 - shares)
        sizes.append(np.sqrt(shares))
        lengths.append(np.sqrt(n_topics * squares))
        errors.append(np.sqrt(unexplained * squares / (n_topics * (n_topics - 1.0))))
    observed, divisors = np.concatenate(sizes), np.concatenate(lengths)
    divisors[divisors == 0.0] = 1.0
    # pairs from the least r on: the largest of those up to a pair is a running maximum of the flip
    order = np.argsort(observed, kind="stable")
    flips, n_flips = sign_flips(n_topics, family.n_resamples, family.rng)
    n_drawn = family.n_resamples if n_flips is None else n_flips

    first, second = (side[order] for side in np.triu_indices(family.n_systems, k=1))
    # each block of pairs has all blocks of flips, whose running maxima go on to the next one
    counts, largest = np.empty(order.size), [np.zeros(1)] * len(flips)
    step = max(1, resampling.BLOCK_CELLS // max(n_topics, len(flips)))
    for start in range(0, order.size, step):
        block = slice(start, start + step)
        differences = bootstrap.plain_differences(systems, Pairs(first[block], second[block]))
        differences /= divisors[order[block], np.newaxis]
        flip = partial(_flip, differences, observed[order[block]])
        flipped = resampling.run_all(flip, list(zip(flips, largest, strict=True)), family.n_jobs)
        counts[block] = sum(of_block for of_block, _ in flipped)
        largest = [of_flips for _, of_flips in flipped]

    # the scores as they are count as one more flip, unless they are among all flips
    shares = (counts + 1.0) / (n_drawn + 1.0) if n_flips is None else counts / n_flips
    pvalues = np.empty(order.size)
    # no smaller than that of a pair that is further apart
    pvalues[order] = np.maximum.accumulate(shares[::-1])[::-1]
    level = family.alpha * (1.0 + TOLERANCE)
    rank = rank_at_level(family.alpha, n_drawn) if n_flips is None else int(n_flips * level) + 1
    # the bound on |t|, from that on r of all pairs; infinite if all flips are too few for alpha
    bound = np.inf
    if n_flips is None or rank > 1:
        share = bootstrap.nth_largest(np.concatenate(largest), rank) ** 2
        bound = float(bootstrap.students_t(np.ones(1), share.reshape(1), n_topics)[0])
    varies = np.concatenate(errors)
    required = np.multiply(varies, bound, out=np.zeros_like(varies), where=varies > 0.0)
    return PairTests(pvalues, float(2.0 * stdtr(n_topics - 1, -bound)), required, n_flips=n_flips)


def sign_flips(
    n_topics: int, n_resamples: int, rng: np.random.Generator
) -> tuple[list[Flips], int | None]:
    """Blocks of flips of topics' signs, and how many there are if these are all; None if drawn.

    A flip and its opposite have one size, so in all flips the first topic keeps its sign.
    """
    n_flips, size = 2 ** (n_topics - 1), resampling.BLOCK_RESAMPLES
    if n_flips > n_resamples:
        seeded = resampling.seeded_blocks(n_resamples, cells=n_topics, rng=rng)
        return [partial(_drawn_signs, n_topics, block) for block in seeded], None
    blocks = (range(n_flips)[start : start + size] for start in range(0, n_flips, size))
    return [partial(_all_signs, n_topics, numbers) for numbers in blocks], n_flips


def _drawn_signs(n_topics: int, block: resampling.Seeded) -> Floats:
    """Random signs, 1 or -1: shape (size, n_topics)."""
    child, size = block
    bits = resampling.clone(child).integers(0, 2, size=(size, n_topics), dtype=np.int8)
    return np.where(bits, 1.0, -1.0)


def _all_signs(n_topics: int, numbers: range) -> Floats:
    """The binary digits of the numbers as signs, -1 for a one: shape (len(numbers), n_topics)."""
    return np.where(np.array(numbers)[:, np.newaxis] >> np.arange(n_topics) & 1, -1.0, 1.0)


def _flip(
    differences: Floats, observed: Floats, block: tuple[Flips, Floats]
) -> tuple[Floats, Floats]:
    """Flips differences over their divisors, (n_pairs, n_topics), from the least r, `observed`, on.

    `block` has the flips, and the largest r of each in earlier blocks of pairs, shape (n_flips,),
    or 0. Returns how many flips have as large an r among the pairs up to each, shape (n_pairs,),
    and the largest one of all pairs so far, shape (n_flips,).
    """
    flips, largest = block
    signs = flips()
    counts, ones = np.empty(observed.size), np.ones(len(signs))
    step = max(1, CACHED_CELLS // len(signs))
    for start in range(0, observed.size, step):
        pairs = slice(start, start + step)
        # r, (n_flips, pairs at once), then the largest up to each pair, those of before among them
        sizes = signs @ differences[pairs].T
        np.abs(sizes, out=sizes)
        sizes[:, 0] = np.maximum(sizes[:, 0], largest)
        np.fmax.accumulate(sizes, axis=1, out=sizes)  # as np.maximum, which is slower
        counts[pairs] = ones @ (sizes >= observed[pairs] - TOLERANCE)
        largest = sizes[:, -1].copy()
    return counts, largest


def reversed_by_one_topic(family: Family, level: float) -> Flags:
    """Whether a pair is not significant by a t test with one topic more against it, (n_pairs,).

    `level` is that of the t test of one pair alone. On that topic it differs the other way, by d,
    half of what a typical pair differs at most on one. With differences z and d, n + 1 topics have
    t^2 = n q / (1 - q), q = (|sum of z| - d)^2 / ((n + 1) (sum of z^2 + d^2)). The sample may have
    made a pair significant by the lack of such a topic.
    """
    n_topics, systems = family.n_topics, family.matrix.T
    blocks = []
    for pairs in pair_blocks(family.n_systems, n_topics):
        z = systems[pairs.first] - systems[pairs.second]
        largest = np.maximum(z.max(axis=-1), -z.min(axis=-1))
        blocks.append([np.abs(z.sum(axis=-1)), np.einsum("pn,pn->p", z, z), largest])
    sums, squares, largest = np.hstack(blocks)
    d = float(np.median(largest)) / 2.0
    left = np.maximum(sums - d, 0.0)
    shares = bootstrap.ratio(left**2, (n_topics + 1.0) * (squares + d * d))
    t, critical = bootstrap.students_t(left, shares, n_topics + 1), -stdtrit(n_topics, level / 2.0)
    return np.asarray(t < critical)


# --- tests of Sakai (2006), and of each pair alone ------------------------------------------------


def paired_bootstrap(family: PairComparison) -> PairTests:
    """The studentised paired bootstrap test (Sakai 2006, figures 2 and 5).

    A pair needs the difference whose t is the critical one of its resamples; published is the mean
    difference of that resample.
    """
    matrix, n_resamples = family.matrix, family.n_resamples
    systems = bootstrap.Systems.of(matrix.T)
    samples = resampling.TopicSamples.of(family.n_topics, n_resamples, family.rng)
    rank = rank_at_level(family.alpha, n_resamples)

    def compare(pairs: Pairs) -> Floats:
        """Counts, required and published differences of k pairs, the last's resamples: (4, k)."""
        observed = bootstrap.paired_differences(systems, pairs)
        blocks = []
        for rows, means, shares in bootstrap.resample(observed.centred, samples):
            counts = bootstrap.count_as_extreme(shares, observed.shares[rows])
            critical = bootstrap.nth_largest(shares, rank)
            t = bootstrap.students_t(np.ones(len(critical)), critical, family.n_topics)
            published, at = bootstrap.mean_at(means, shares, critical)
            blocks.append(np.array([counts, t * observed.errors[rows], published, at]))
        return np.hstack(blocks)

    cells = max(family.n_topics, n_resamples)
    pairs_at_once = list(pair_blocks(family.n_systems, cells, at_once=resampling.BLOCK_CELLS))
    compared = resampling.run_all(compare, pairs_at_once, family.n_jobs)
    counts, required, published, resamples = np.hstack(compared)
    # the resample that sets the published difference was drawn from its pair's sorted differences
    largest = bootstrap.first_largest(published).reshape(1)
    pair = Pairs(*(side[largest] for side in np.triu_indices(family.n_systems, k=1)))
    drawn = samples.weights_of(int(resamples[largest[0]]))
    topics, sign = np.empty_like(drawn), bootstrap.paired_differences(systems, pair).signs
    differences = matrix[:, pair.first[0]] * sign - matrix[:, pair.second[0]] * sign
    topics[np.argsort(differences, kind="stable")] = drawn
    return PairTests((counts + 1) / (n_resamples + 1), family.alpha, required, published, topics)


def unpaired_bootstrap(family: PairComparison) -> PairTests:
    """The unpaired bootstrap test (Sakai 2006, figures 4 and 6).

    The higher system of a pair comes first, so that the order of the input does not matter.
    """
    rank = rank_at_level(family.alpha, family.n_resamples)
    drawn, observed = _resampled_halves(family), family.means
    places = np.argsort(np.lexsort((*family.matrix, -rounded_scores(observed))))
    blocks = []
    for pairs in pair_blocks(family.n_systems, family.n_resamples):
        # the size of the difference of both means in each resample, shape (n_pairs, n_resamples)
        swapped = places[pairs.first] > places[pairs.second]
        higher, lower = np.where(swapped, pairs[::-1], pairs)
        sizes = np.abs(np.subtract(*(first[higher] + second[lower] for first, second in drawn)))
        means = observed[pairs.first], observed[pairs.second]
        rounding = TOLERANCE * np.maximum(*np.abs(means))  # it goes with the size of the means
        sizes[sizes <= rounding[:, np.newaxis]] = 0.0
        least = np.abs(means[0] - means[1]) - rounding
        counts = (sizes >= least[:, np.newaxis]).sum(axis=-1, dtype=np.float64)
        blocks.append(np.array([counts, bootstrap.nth_largest(sizes, rank)]))
    counts, required = np.hstack(blocks)
    return PairTests((counts + 1) / (family.n_resamples + 1), family.alpha, required)


def _resampled_halves(family: PairComparison) -> Floats:
    """What systems add to means of halves of samples: shape (2, 2, n_systems, n_resamples).

    A sample is 2 n topics of both systems' joined scores. A mean over one half of it, the first
    axis, is the part drawn from the first system plus that from the second, the second axis.
    """
    scores, n_topics = family.matrix, family.n_topics

    def compute(rng: np.random.Generator, size: int) -> Floats:
        """A block of samples, shape (size, 2, 2, n_systems)."""
        # below n a topic's score is the first system's, else the second's
        drawn = resampling.topic_indices(rng, size, 2 * n_topics)
        halves = (drawn[:, :n_topics], drawn[:, n_topics:])
        weights = [resampling.count_draws(half, 2 * n_topics) / n_topics for half in halves]
        added = [[half[:, :n_topics] @ scores, half[:, n_topics:] @ scores] for half in weights]
        return np.moveaxis(np.array(added), 2, 0)

    drawn = resampling.blockwise(
        compute, family.n_resamples, cells=2 * n_topics, rng=family.rng, n_jobs=family.n_jobs
    )
    return np.ascontiguousarray(np.moveaxis(drawn, 0, -1))


def students_t_test(family: PairComparison) -> PairTests:
    """Student's paired t-test; the required difference is the one whose t is critical."""
    systems, df = bootstrap.Systems.of(family.matrix.T), family.n_topics - 1
    critical = float(stdtrit(df, 1 - family.alpha / 2))
    pvalues, required = [], []
    for pairs in pair_blocks(family.n_systems, family.n_topics):
        differences = bootstrap.plain_differences(systems, pairs)
        means, shares, errors, _ = bootstrap.centre(differences, systems, pairs)
        t = bootstrap.students_t(means, shares, family.n_topics)
        pvalues.append(2 * stdtr(df, -np.abs(t)))
        required.append(critical * errors)
    return PairTests(np.concatenate(pvalues), family.alpha, np.concatenate(required))


def wilcoxon_test(family: PairComparison) -> PairTests:
    """Wilcoxon's signed-rank test without zero differences: exact up to 50 topics, else normal."""
    pvalues = []
    for pairs in pair_blocks(family.n_systems, family.n_topics):
        first, second = family.matrix.T[pairs.first], family.matrix.T[pairs.second]
        # differences that are equal in exact arithmetic must tie: one unit for all topics of a pair
        largest = np.maximum(np.abs(first), np.abs(second)).max(axis=-1, keepdims=True)
        differences = rounded(first - second, largest)
        pvalues.append(signed_rank_pvalues(differences))
    return PairTests(np.concatenate(pvalues), family.alpha, np.array([np.nan]))


def signed_rank_pvalues(differences: Floats) -> Floats:
    """Two-sided p-values, (n_pairs,), of differences, (n_pairs, n_topics); 1 if all are 0."""
    zero, n_topics = differences == 0.0, differences.shape[1]
    # twice the ranks of sizes above 0, smallest first: whole numbers, though ties share a rank
    twice = 2.0 * (ranks(-np.abs(differences)) - zero.sum(axis=-1, keepdims=True))
    twice[zero] = 0.0
    total, positive = twice.sum(axis=-1), np.where(differences > 0.0, twice, 0.0).sum(axis=-1)
    smaller = np.minimum(positive, total - positive)
    if n_topics > 50:  # up to so many scipy is exact, too; here also with ties
        # the sum of positive ones has a mean of half of the total, and this standard deviation
        spread = np.sqrt((twice**2).sum(axis=-1)) / 2.0
        return np.asarray(2.0 * ndtr(bootstrap.ratio(smaller - total / 2.0, spread)))
    ascending = np.sort(twice, axis=-1).astype(np.intp)
    patterns, which = np.unique(ascending, axis=0, return_inverse=True)
    pvalues = np.empty(len(differences))
    for number, pattern in enumerate(patterns):
        of_pattern = which.ravel() == number
        # how many of all signs give each sum of the positive ranks, from 0 to half of the total
        ways = np.zeros(int(pattern.sum()) // 2 + 1)
        ways[0] = 1.0
        for rank in pattern[pattern > 0]:  # each adds to the sum, or does not
            ways[rank:] += ways[: max(ways.size - rank, 0)]
        cumulative = np.cumsum(ways / 2.0 ** np.count_nonzero(pattern))
        pvalues[of_pattern] = cumulative[smaller[of_pattern].astype(np.intp)]
    return np.asarray(np.minimum(2.0 * pvalues, 1.0))


def tukey_hsd(family: PairComparison) -> PairTests:
    """The randomised Tukey HSD test: one required difference for all pairs."""
    matrix, n_topics, n_resamples = family.matrix, family.n_topics, family.n_resamples
    result = randomized_tukey_hsd(
        matrix, n_resamples=n_resamples, rng=family.rng, n_jobs=family.n_jobs
    )
    required = result.critical_value(family.alpha)
    # over the standard error of a difference of typical spread it is a bound on |t|: the level
    with np.errstate(divide="ignore"):
        bound = required / (np.float64(pooled_deviation(matrix)) / np.sqrt(n_topics))
    level = float(2.0 * stdtr(n_topics - 1, -bound))
    pvalues = result.pvalues[np.triu_indices(family.n_systems, k=1)]
    return PairTests(pvalues, level, np.array([required]))


def warn_of_unlike_spreads(family: Family) -> None:
    """Warns if a system varies more than Tukey's test allows for, which takes all to vary alike."""
    squares = (residuals_of(family.matrix) ** 2).mean(axis=0)
    largest, typical = squares.max(), squares.mean()
    # beyond 1.4 times the typical spread, the test had a level of .09 to .29 in simulations
    is_wide = family.n_systems > 2 and largest > 1.4**2 * typical
    if is_wide and family.n_topics >= FEWEST_TOPICS:
        widest, times = family.systems[int(squares.argmax())], np.sqrt(largest / typical)
        message = (
            f"Scores of {widest} vary {times:.1f} times as much as is typical, after the effects "
            "of topics: Tukey's test may find pairs too often, and miss those that vary less. "
            "Take test='max-t'."
        )
        warn(message, UnreliableResultWarning)


def pooled_deviation(matrix: Floats) -> float:
    """The standard deviation of differences over topics, pooled over all pairs; 0 if rounding."""
    residuals = residuals_of(matrix)
    df = (matrix.shape[0] - 1) * (matrix.shape[1] - 1)
    deviation = float(np.sqrt(2.0 * (residuals**2).sum() / df))
    return deviation if deviation > NEGLIGIBLE * np.abs(matrix).max() else 0.0


def residuals_of(matrix: Floats) -> Floats:
    """Scores without the effects of topics and systems, shape (n_topics, n_systems)."""
    residuals = matrix - matrix.mean(axis=1, keepdims=True)
    return np.asarray(residuals - residuals.mean(axis=0))


@dataclass(frozen=True)
class PairTest:
    """A test of all pairs of systems."""

    compare: Callable[[PairComparison], PairTests]
    title: str
    corrected: bool = False  # whether `alpha` bounds the chance of any false alarm among all pairs
    resamples: bool = False  # whether it draws any


TESTS: dict[choices.PairTest, PairTest] = {
    "max-t": PairTest(
        largest_studentised_difference,
        "largest studentised difference (max-t)",
        corrected=True,
        resamples=True,
    ),
    "tukey-hsd": PairTest(tukey_hsd, "randomised Tukey HSD test", corrected=True, resamples=True),
    "paired-bootstrap": PairTest(paired_bootstrap, "paired bootstrap test", resamples=True),
    "unpaired-bootstrap": PairTest(unpaired_bootstrap, "unpaired bootstrap test", resamples=True),
    "t": PairTest(students_t_test, "paired t-test"),
    "wilcoxon": PairTest(wilcoxon_test, "Wilcoxon signed-rank test"),
}


def tested(
    family: PairComparison, test: choices.PairTest, correction: choices.PairCorrection | None
) -> PairTests:
    """The tests of all pairs, corrected for their number if that is asked for.

    Required differences are then of the level of one pair alone: by Holm that of the first pair,
    alpha / pairs, by Benjamini and Hochberg that of the last significant one; by resamples nan.
    """
    tests = TESTS[test].compare(family)
    if correction is None:
        return tests
    pvalues = CORRECTIONS[correction].correct(tests.pvalues)
    n_significant = int((pvalues <= family.alpha).sum()) if correction == "fdr" else 1
    level, required = family.alpha * max(n_significant, 1) / pvalues.size, np.array([np.nan])
    if not TESTS[test].resamples:  # resamples are too few for such a level
        required = TESTS[test].compare(replace(family, alpha=level)).required
    return PairTests(pvalues, level, required)


def level_of_one_pair(
    matrix: Floats,
    test: choices.PairTest,
    correction: choices.PairCorrection | None,
    alpha: float,
    seed: int,
) -> float:
    """The level of a t test of one pair alone with the bound of a test of all; any topic order."""
    systems = tuple(map(str, range(matrix.shape[1])))
    n_resamples, random = defaults.FEWER_RESAMPLES, resampling.generator(seed)
    family = PairComparison(in_one_order(matrix), systems, alpha, n_resamples, random, None)
    return tested(family, test, correction).level


@dataclass(frozen=True)
class Correction:
    """A correction of p-values for the number of pairs."""

    correct: Callable[[Floats], Floats]  # p-values, (n_pairs,), to corrected ones in the same order
    title: str
    control: str  # what `alpha` bounds


def check_correction(test: str, correction: object) -> None:
    """Whether there is such a correction, of a test that is not corrected by itself."""
    if correction is None:
        return
    name = arguments.one_of("correction", correction, tuple(CORRECTIONS))
    if TESTS[arguments.one_of("test", test, tuple(TESTS))].corrected:
        corrected = f"test={test!r}, which is corrected itself"
        rule = f"`correction` must be None with {corrected}, got {name!r}"
        raise ValueError(f"{rule}. Take test='t'.")


def title_of(test: choices.PairTest, correction: choices.PairCorrection | None) -> str:
    """The name of a test of pairs, and whether and how it is corrected."""
    how = "corrected" if TESTS[test].corrected else "uncorrected"
    if correction is not None:
        how = CORRECTIONS[correction].title
    return f"{TESTS[test].title}, {how}"


def holm(pvalues: Sequence[float] | Floats) -> Floats:
    """p-values, shape (n,), corrected for all of them that are not nan.

    The i-th least of n is multiplied by n - i + 1, and raised to that before it if it is then
    smaller. statsmodels has the same, and takes half a second to import. (Holm, "A simple
    sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.)
    """

    def largest_so_far(ordered: Floats) -> Floats:
        """The largest of p_i (n - i + 1) over the i-th least p-value and all before it."""
        return np.maximum.accumulate(ordered * np.arange(ordered.size, 0, -1))

    return _stepwise(pvalues, largest_so_far)


def benjamini_hochberg(pvalues: Sequence[float] | Floats) -> Floats:
    """p-values of which those up to alpha hold at most a share alpha of false alarms, on average.

    Of those that are not nan. It holds for independent tests, and about so for those of pairs.
    (Benjamini, Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995.)
    """

    def smallest_from_here(ordered: Floats) -> Floats:
        """The least of p_i n / i over the i-th least p-value and all larger ones: keeps order."""
        of_all = ordered * ordered.size / np.arange(1.0, ordered.size + 1.0)
        return np.asarray(np.minimum.accumulate(of_all[::-1])[::-1])

    return _stepwise(pvalues, smallest_from_here)


def _stepwise(pvalues: Sequence[float] | Floats, correct: Callable[[Floats], Floats]) -> Floats:
    """p-values, (n,), corrected by a function of known ones, ascending; at most 1, nan stays."""
    values = np.asarray(pvalues, dtype=np.float64)
    corrected, order = np.full(values.shape, np.nan), np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    corrected[order] = np.minimum(correct(values[order]), 1.0)
    return corrected


CORRECTIONS: dict[choices.PairCorrection, Correction] = {
    "holm": Correction(holm, "corrected (Holm)", "the chance of any false alarm among all pairs"),
    "fdr": Correction(
        benjamini_hochberg,
        "corrected (Benjamini and Hochberg)",
        "on average, the share of false alarms among the pairs that are significant",
    ),
}


# --- the randomised Tukey HSD test ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TukeyResult(TestResult):
    """The randomised Tukey HSD test of a family of pairs; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The largest difference between the means of two systems of a tested pair.
        pvalue: The p-value of that difference, the smallest of the family.
        n_topics, n_systems: How many there are.
        n_resamples: The number of permutations B.
        systems, baselines: The names of systems, and of baselines; none if all pairs were tested.
        differences: Mean of the row's system less that of the column's, (n_systems, n_systems).
        pvalues: Family-wise, of the same shape; nan for pairs without a test, 1 on the diagonal.
        null_distribution: The largest difference of each permutation.
    """

    statistic: float
    pvalue: float
    n_topics: int
    n_systems: int
    n_resamples: int
    systems: Labels = field(repr=False)
    baselines: Labels
    differences: Floats = field(repr=False, compare=False)
    pvalues: Floats = field(repr=False, compare=False)
    null_distribution: Floats = field(repr=False, compare=False)

    def critical_value(self, alpha: float = defaults.ALPHA) -> float:
        """The honestly significant difference of two means, in the unit of the scores.

        It is the (B alpha)-th largest of the null distribution; nan if all systems are identical.
        `alpha` is the family-wise level, at least 1 / B.
        """
        rank = rank_at_level(alpha, self.n_resamples)
        return float(bootstrap.nth_largest(self.null_distribution, rank)) or float("nan")


def rank_at_level(alpha: float, n_resamples: int) -> int:
    """Which largest of B resamples marks the level alpha: the (B alpha)-th."""
    level = arguments.share("alpha", alpha)
    rank = int(n_resamples * level * (1 + TOLERANCE))
    if rank < 1:
        least = f"1 / alpha = {1 / level:g}"
        raise ValueError(f"`n_resamples` must be at least {least}, got {n_resamples}.")
    return rank


def randomized_tukey_hsd(
    scores: ArrayLike,
    *,
    baselines: Sequence[str | int] | str | int | None = None,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> TukeyResult:
    """The randomised Tukey HSD test of the differences between the means of systems.

    Under the null hypothesis that all systems are alike, the scores of each topic may be permuted
    among them. The difference of each pair is compared with the largest difference over all tested
    pairs of each permutation. So the chance of any false alarm in the family is the level, and no
    further correction is needed, if all systems vary alike. Where some vary more, that chance was
    .09 to .30 in simulations, and systems that differ little but steadily were hardly ever found:
    the default of `discriminative_power`, "max-t", allows for both. With few large clusters the
    test keeps no level: up to .94 of true families were rejected. O(B n m) time, 32 MiB blocks.

    Args:
        scores: Scores, shape (n_topics, n_systems).
        baselines: Names of systems, or positions where no system has that name: only pairs with at
            least one of them are tested, against the largest difference of such pairs; else all.
        n_resamples: The number of permutations B.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with a matrix of `pvalues`, (b + 1) / (B + 1) each, and of `differences`.

    Warns:
        UnreliableResultWarning: If a system varies more than 1.4 times as much as is typical, on 10
            topics or more: the root mean square of its scores without the effects of topics and
            systems, over that of all systems.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of 2 to 8192 systems, a baseline
            is unknown, or an argument is out of its range.

    References:
        Carterette, "Multiple testing in statistical analysis of systems-based information retrieval
        experiments", TOIS 30(1), 2012; Sakai, "Evaluation with informational and navigational
        intents", WWW 2012.

    Example:
        >>> scores = [[.1, .2, .6], [.2, .1, .7], [.3, .3, .9], [.1, .2, .5], [.4, .3, .8]]
        >>> result = randomized_tukey_hsd(scores, rng=1)
        >>> (result.pvalues[0] < 0.05).tolist()
        [False, False, True]
    """
    family = family_of(prepare_matrix(scores))
    warn_of_unlike_spreads(family)
    matrix, systems = family.matrix, family.systems
    n_resamples = arguments.resample_count(n_resamples)
    base = _positions(baselines, systems)
    by_topic = np.sort(matrix, axis=1)  # so that the order of systems does not matter

    def compute(child: np.random.Generator, size: int) -> Floats:
        """The largest difference of a tested pair in each of some permutations, shape (size,)."""
        means = resampling.permuted_means(child, size, by_topic)
        # which columns serve as baselines is all the same in a permutation
        return _largest_difference(means, np.arange(base.size))

    random = resampling.generator(rng)
    null = resampling.blockwise(compute, n_resamples, cells=matrix.size, rng=random, n_jobs=n_jobs)
    means, rounded = matrix.mean(axis=0), system_means(matrix)
    # rounding goes with the scores, not with the differences
    least = np.abs(means[:, np.newaxis] - means) - TOLERANCE * float(np.abs(matrix).max())
    # (m, m): permutations whose largest difference is below each pair's; p counts the b others
    smaller = np.searchsorted(np.sort(null), least, side="left")
    pvalues = (null.size - smaller + 1) / (null.size + 1)
    is_base = np.isin(np.arange(len(systems)), base)
    pvalues[~(is_base[:, np.newaxis] | is_base)] = np.nan
    np.fill_diagonal(pvalues, 1.0)
    return TukeyResult(
        statistic=float(_largest_difference(rounded, base)),
        pvalue=float(np.nanmin(pvalues)),
        n_topics=family.n_topics,
        n_systems=family.n_systems,
        n_resamples=n_resamples,
        systems=systems,
        baselines=() if baselines is None else tuple(systems[at] for at in base),
        differences=rounded[:, np.newaxis] - rounded,
        pvalues=pvalues,
        null_distribution=null,
    )


def _positions(baselines: Sequence[str | int] | str | int | None, systems: Labels) -> Indices:
    """The positions of the baselines, ascending, each once; of all systems if there are none."""
    if baselines is None:
        return np.arange(len(systems))
    if isinstance(baselines, (str, int, np.integer)):
        baselines = [baselines]
    what = "names or positions of systems"
    chosen = arguments.list_of("baselines", baselines, what)
    # an integer is a name where there is one, else a position
    positions: dict[object, int] = {at: at for at in range(len(systems))}
    of_names = {name: at for at, name in enumerate(systems)}
    positions |= {name: of_names[str(name)] for name in chosen if str(name) in of_names}
    unknown = [name for name in chosen if name not in positions]
    if unknown or not chosen:
        given = arguments.listing(unknown) or "none"
        raise ValueError(f"`baselines` must be {what}, got {given}.")
    return np.unique(np.array([positions[name] for name in chosen], dtype=np.intp))


def _largest_difference(means: Floats, base: Indices) -> Floats:
    """The largest |difference| of one of the baselines and any system: (...), of means (..., m)."""
    of_base = means[..., base]
    above = means.max(axis=-1) - of_base.min(axis=-1)
    below = of_base.max(axis=-1) - means.min(axis=-1)
    return np.asarray(np.maximum(above, below))
