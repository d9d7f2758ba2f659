"""Each test, over all pairs of systems at once; `TESTS` is the table of them.

Pairs come in blocks of 32 MiB arrays. All pairs share the bootstrap samples. Many are drawn anew for each block, so
that memory grows with neither pairs nor resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from pt_rankcorr import choices, defaults
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.arguments import check_number_of_systems, list_of, listing, resample_count, share
from pt_rankcorr.stats.core.inputs import prepare_matrix
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import Pairs, pair_blocks, rounded, rounded_scores, system_means
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.types import TOLERANCE, Floats, Indices, Labels, TestResult, pair_table
from pt_rankcorr.stats.significance import bootstrap
from pt_rankcorr.tables import Table

EXACT_WILCOXON_UP_TO = 50  # topics, as scipy has it


@dataclass(frozen=True)
class Family:
    """The systems that are compared."""

    matrix: Floats  # their scores, shape (n_topics, n_systems), topics in an order that the scores determine
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
        """The mean of each system, not rounded."""
        return np.asarray(self.matrix.mean(axis=0))


def family_of(matrix: ScoreMatrix) -> Family:
    """The systems of a prepared matrix, its topics in one order: resamples are drawn by position."""
    check_number_of_systems("scores", matrix.n_systems)
    return Family(in_one_order(matrix.rows), matrix.shown_systems)


@dataclass(frozen=True)
class PairComparison(Family):
    """A family of systems whose pairs are compared, and how."""

    alpha: float
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int | None

    def differences(self, pairs: Pairs) -> bootstrap.PairedDifferences:
        return bootstrap.paired_differences(self.matrix.T[pairs.first], self.matrix.T[pairs.second])


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
    samples = resampling.TopicSamples.of(family.n_topics, n_resamples, family.rng)
    rank = rank_at_level(family.alpha, n_resamples)

    def compare(pairs: Pairs) -> Floats:
        observed = family.differences(pairs)
        errors, blocks = bootstrap.standard_errors(observed.centred), []
        for rows, means, shares in bootstrap.resample(observed.centred, samples):
            counts = bootstrap.count_as_extreme(shares, observed.shares[rows])
            critical = bootstrap.nth_largest(shares, rank)
            required = bootstrap.students_t(np.ones(len(critical)), critical, len(matrix)) * errors[rows]
            blocks.append(np.array([counts, required, *bootstrap.mean_at(means, shares, critical)]))
        return np.hstack(blocks)

    blocks = list(pair_blocks(family.n_systems, max(family.n_topics, n_resamples), at_once=resampling.BLOCK_CELLS))
    counts, required, published, resamples = np.hstack(resampling.run_all(compare, blocks, family.n_jobs))
    # the resample that sets the published difference was drawn from the differences of its pair, in ascending order
    largest = bootstrap.first_largest(published).reshape(1)
    pair = Pairs(*(side[largest] for side in np.triu_indices(family.n_systems, k=1)))
    drawn = samples.weights_of(int(resamples[largest[0]]))
    topics, sign = np.empty_like(drawn), family.differences(pair).signs
    topics[np.argsort(matrix[:, pair.first[0]] * sign - matrix[:, pair.second[0]] * sign, kind="stable")] = drawn
    return PairTests((counts + 1) / (n_resamples + 1), required, published, topics)


def unpaired_bootstrap(family: PairComparison) -> PairTests:
    """The unpaired bootstrap test (Sakai 2006, figures 4 and 6).

    The higher system of a pair comes first, so that the order of the input does not matter.
    """
    rank = rank_at_level(family.alpha, family.n_resamples)
    drawn, observed = _resampled_halves(family), family.means
    places = np.argsort(np.lexsort((*family.matrix, -rounded_scores(observed))))
    blocks = []
    for pairs in pair_blocks(family.n_systems, family.n_resamples):
        swapped = places[pairs.first] > places[pairs.second]
        higher, lower = np.where(swapped, pairs[::-1], pairs)
        sizes = np.abs(np.subtract(*(first[higher] + second[lower] for first, second in drawn)))
        ends = observed[pairs.first], observed[pairs.second]
        rounding = bootstrap.rounding_error(*ends)
        sizes[sizes <= rounding[:, np.newaxis]] = 0.0
        least = np.abs(ends[0] - ends[1]) - rounding
        counts = (sizes >= least[:, np.newaxis]).sum(axis=-1, dtype=np.float64)
        blocks.append(np.array([counts, bootstrap.nth_largest(sizes, rank)]))
    counts, required = np.hstack(blocks)
    return PairTests((counts + 1) / (family.n_resamples + 1), required)


def _resampled_halves(family: PairComparison) -> Floats:
    """What each system adds to each half of each sample, as first or second of a pair: (2, 2, n_systems, n_resamples).

    A mean over one half of a sample is the part drawn from the first system plus that from the second.
    """
    scores, n_topics = family.matrix, family.n_topics

    def compute(rng: np.random.Generator, size: int) -> Floats:
        drawn = resampling.topic_indices(rng, size, 2 * n_topics)
        halves = (drawn[:, :n_topics], drawn[:, n_topics:])
        weights = [resampling.count_draws(half, 2 * n_topics) / n_topics for half in halves]
        added = [[half[:, :n_topics] @ scores, half[:, n_topics:] @ scores] for half in weights]
        return np.moveaxis(np.array(added), 2, 0)

    drawn = resampling.blockwise(compute, family.n_resamples, cells=2 * n_topics, rng=family.rng, n_jobs=family.n_jobs)
    return np.ascontiguousarray(np.moveaxis(drawn, 0, -1))


def students_t_test(family: PairComparison) -> PairTests:
    """Student's paired t-test; the required difference is the one whose t is critical."""
    freedom = family.n_topics - 1
    critical = float(stdtrit(freedom, 1 - family.alpha / 2))
    pvalues, required = [], []
    for pairs in pair_blocks(family.n_systems, family.n_topics):
        observed = family.differences(pairs)
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


TESTS: dict[choices.PairTest, PairTest] = {
    "tukey-hsd": PairTest(tukey_hsd, "randomised Tukey HSD test", corrected=True, resamples=True),
    "paired-bootstrap": PairTest(paired_bootstrap, "paired bootstrap test", resamples=True),
    "unpaired-bootstrap": PairTest(unpaired_bootstrap, "unpaired bootstrap test", resamples=True),
    "t": PairTest(students_t_test, "paired t-test"),
    "wilcoxon": PairTest(wilcoxon_test, "Wilcoxon signed-rank test"),
}


def holm(pvalues: Sequence[float] | Floats) -> Floats:
    """p-values corrected for all of them that are not nan.

    statsmodels has the same, and takes half a second to import. (Holm, "A simple sequentially rejective multiple test
    procedure", Scandinavian Journal of Statistics 6, 1979.)
    """
    values = np.asarray(pvalues, dtype=np.float64)
    corrected, order = np.full(values.shape, np.nan), np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return corrected


# --- the randomised Tukey HSD test ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TukeyResult(TestResult):
    """The randomised Tukey HSD test of a family of pairs; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The largest difference between the means of two systems of a tested pair.
        pvalue: The p-value of that difference, the smallest of the family.
        n_topics, n_systems: How many there are.
        n_resamples: The number of permutations B.
        systems, baselines: The names of the systems, and of the baselines; none if all pairs were tested.
        differences: Mean of the row's system less that of the column's, shape (n_systems, n_systems).
        pvalues: Family-wise p-values, of the same shape; nan for pairs without a test, 1 on the diagonal.
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
        """The honestly significant difference of two means: the (B alpha)-th largest of the null distribution.

        In the unit of the scores; nan if all systems are identical. `alpha` is the family-wise level, at least 1 / B.
        """
        rank = rank_at_level(alpha, self.n_resamples)
        return float(bootstrap.nth_largest(self.null_distribution, rank)) or float("nan")

    def _rows(self) -> Table:
        """One row per tested pair, the better system first: names, difference and p-value, clearest pairs first."""
        return pair_table(self.systems, self.differences, self.pvalues)


def rank_at_level(alpha: float, n_resamples: int) -> int:
    """Which largest of B resamples marks the level alpha: the (B alpha)-th."""
    level = share("alpha", alpha)
    rank = int(n_resamples * level * (1 + TOLERANCE))
    if rank < 1:
        raise ValueError(f"`n_resamples` must be at least 1 / alpha = {1 / level:g}, got {n_resamples}.")
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

    Under the null hypothesis that all systems are alike, the scores of each topic may be permuted among them. The
    difference of each pair is compared with the largest difference over all tested pairs of each permutation. So the
    chance of any false alarm in the family is the level, and no further correction is needed. If some systems vary much
    more than others, that chance is higher (see the calibration page). With few large clusters the test keeps no level:
    in simulations, up to .94 of true families were rejected. O(B n m) time, in blocks of 32 MiB.

    Args:
        scores: Scores, shape (n_topics, n_systems).
        baselines: Names of systems, or positions where no system has that name: only pairs with at least one of them
            are tested, against the largest difference among such pairs. By default all pairs are.
        n_resamples: The number of permutations B.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with a matrix of `pvalues`, (b + 1) / (B + 1) each, and of `differences`.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of 2 to 8192 systems, a baseline is unknown, or an
            argument is out of its range.

    References:
        Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments",
        TOIS 30(1), 2012; Sakai, "Evaluation with informational and navigational intents", WWW 2012.

    Example:
        >>> scores = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.3, 0.8]]
        >>> result = randomized_tukey_hsd(scores, rng=1)
        >>> (result.pvalues[0] < 0.05).tolist()
        [False, False, True]
    """
    family = family_of(prepare_matrix(scores))
    matrix, systems = family.matrix, family.systems
    n_resamples = resample_count(n_resamples)
    base = _positions(baselines, systems)
    by_topic = np.sort(matrix, axis=1)  # so that the order of systems does not matter

    def compute(child: np.random.Generator, size: int) -> Floats:
        # which columns serve as baselines is all the same in a permutation
        return _largest_difference(resampling.permuted_means(child, size, by_topic), np.arange(base.size))

    null = resampling.blockwise(compute, n_resamples, cells=matrix.size, rng=resampling.generator(rng), n_jobs=n_jobs)
    means, rounded = matrix.mean(axis=0), system_means(matrix)
    rounding = TOLERANCE * float(np.abs(matrix).max())  # it goes with the scores, not with the differences
    smaller = np.searchsorted(np.sort(null), np.abs(means[:, np.newaxis] - means) - rounding, side="left")
    pvalues, is_base = (null.size - smaller + 1) / (null.size + 1), np.isin(np.arange(len(systems)), base)
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
    """The positions of the baselines, ascending; of all systems without any."""
    if baselines is None:
        return np.arange(len(systems))
    single = isinstance(baselines, (str, int, np.integer))
    chosen = list_of("baselines", [baselines] if single else baselines, "names or positions of systems")
    # an integer is a name where there is one
    known: dict[object, int] = {at: at for at in range(len(systems))}
    known |= {number: at for at, name in enumerate(systems) for number in chosen if str(number) == name}
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise ValueError(f"`baselines` must be names or positions of systems, got {listing(unknown) or 'none'}.")
    return np.unique(np.array([known[name] for name in chosen], dtype=np.intp))


def _largest_difference(means: Floats, base: Indices) -> Floats:
    """The largest absolute difference between a baseline and any system, along the last axis."""
    of_base = means[..., base]
    above = means.max(axis=-1) - of_base.min(axis=-1)
    below = of_base.max(axis=-1) - means.min(axis=-1)
    return np.asarray(np.maximum(above, below))
