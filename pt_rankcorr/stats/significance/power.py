"""How many pairs of systems a measure tells apart, and how many of these pairs a ranking keeps in order."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES
from pt_rankcorr.stats.core.arguments import listing, one_of, resample_count, share
from pt_rankcorr.stats.core.inputs import (
    ScoresLike,
    as_matrix,
    as_score_matrix,
    as_vectors,
    in_common,
    refuse_design,
)
from pt_rankcorr.stats.core.means import in_given_order, rounded_scores, topic_order
from pt_rankcorr.stats.core.pairs import pair_table, symmetric
from pt_rankcorr.stats.core.resampling import RandomState, generator, over_measures
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Flags, Floats, Labels
from pt_rankcorr.stats.significance.bootstrap import first_largest
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST, TESTS, PairComparison
from pt_rankcorr.stats.significance.summaries import Statistic, as_statistic, family_of
from pt_rankcorr.stats.significance.topic_set_size import POWER, detectable_difference
from pt_rankcorr.tables import PERCENT, Column, Table, facts
from pt_rankcorr.text import decimals
from pt_rankcorr.warnings import DegenerateInputWarning


@dataclass(frozen=True, eq=False)
class DiscriminativePowerResult(Result):
    """The significance of the difference of every pair of systems.

    Attributes:
        statistic: The discriminative power: the share of pairs with a p-value below alpha.
        required_difference: An estimate of the difference beyond which every pair is significant, in the unit of the
            scores: the largest required difference of any pair. It is nan where no difference varies (except for the
            unpaired test), and for Wilcoxon's test, which uses ranks alone. For the paired bootstrap it is infinite if
            too many resamples of a pair do not vary, as with few topics of discrete scores; use `test="t"` there.
        published_difference: The definition of Sakai (2006) for the paired bootstrap: the mean of the resample whose t
            is critical. Such a resample more often has a small spread than a large mean, so with few topics it is far
            too small. For other tests it is `required_difference`.
        required_pair: The names of the pair that sets `required_difference`; None where there is one for all, or none.
        published_pair: The same for `published_difference`.
        detectable_difference: The least true difference of two means that a paired t test on these topics detects with
            a probability of .8 at the level alpha, uncorrected; see `stats.topics_to_detect`.
        published_topics: For the paired bootstrap, how often the resample that sets `published_difference` holds each
            topic: shape (n_topics,), in the order given. None for other tests, and for dependent topics. Means of other
            scores over this resample translate the difference, as from logarithms to geometric means.
        n_significant: The number of significant pairs.
        n_pairs: The number of pairs.
        n_topics, n_systems: How many there are.
        alpha: The significance level.
        test: The name of the test.
        corrected: Whether `alpha` bounds the chance of any false alarm among all pairs, rather than that of each pair.
        n_resamples: The number of resamples B, or None for a test that needs none.
        systems: The names of the systems.
        summaries: The values that the test compares, one per system: the means, or those of `statistic`.
        pvalues: Shape (n_systems, n_systems), 1 on the diagonal.
    """

    statistic: float
    required_difference: float
    published_difference: float
    detectable_difference: float
    required_pair: tuple[str, str] | None = field(repr=False, compare=False)
    published_pair: tuple[str, str] | None = field(repr=False, compare=False)
    published_topics: Floats | None = field(repr=False, compare=False)
    n_significant: int
    n_pairs: int
    n_topics: int
    n_systems: int
    alpha: float
    test: choices.PairTest
    corrected: bool
    n_resamples: int | None
    systems: Labels = field(repr=False)
    summaries: Floats = field(repr=False, compare=False)
    pvalues: Floats = field(repr=False, compare=False)

    @property
    def asl(self) -> Floats:
        """The achieved significance levels b / B of the paper, as `pvalues` is; equal to it without resamples."""
        if self.n_resamples is None:
            return self.pvalues
        return np.asarray((np.rint(self.pvalues * (self.n_resamples + 1)) - 1) / self.n_resamples)

    @property
    def asl_curve(self) -> Floats:
        """The p-values of all pairs, smallest first: the more sensitive the measure, the further right it rises."""
        return np.sort(self.pvalues[np.triu_indices(self.n_systems, k=1)])

    @property
    def significant(self) -> Flags:
        """Which pairs are significantly different, shape (n_systems, n_systems)."""
        return np.asarray(self.pvalues <= self.alpha)

    def _facts(self) -> tuple[Column[Any], ...]:
        """The pairs that the measure can tell apart; the method, where there is room."""
        columns = {column.name: replace(column, wide=True) for column in facts(self.to_dict())}
        columns["statistic"] = replace(columns["statistic"], title="pairs significant", kind=PERCENT, wide=False)
        for name, title in (("required", "difference needed"), ("detectable", "difference detected")):
            columns[f"{name}_difference"] = replace(columns[f"{name}_difference"], title=title, wide=False)
        return tuple(columns.values())

    def _rows(self) -> Table:
        """One row per pair, the better system first: names, difference and p-value, clearest pairs first."""
        return pair_table(self.systems, self.summaries[:, np.newaxis] - self.summaries, self.pvalues)

    def _note(self) -> str:
        no_end = ""
        if self.required_pair is not None and math.isinf(self.required_difference):
            no_end = f" It is inf, as too few resamples of {listing(self.required_pair)} vary: take test='t'."
        return (
            f"{self.n_pairs} pairs of {self.n_systems} systems, {self.n_topics} topics. Significant: p <= "
            f"{decimals(self.alpha)}, {TESTS[self.test].full_title}. Difference needed: one beyond "
            f"which every pair is significant, an estimate.{no_end} Difference detected: a true one that a paired t "
            f"test detects with a probability of {decimals(POWER)}."
        )


@over_measures
def discriminative_power(
    scores: ArrayLike,
    *,
    test: choices.PairTest = DEFAULT_TEST,
    alpha: float = ALPHA,
    n_resamples: int = FEWER_RESAMPLES,
    statistic: Statistic = np.mean,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> DiscriminativePowerResult:
    """The share of all pairs of systems that a measure tells apart significantly, and the difference that it takes.

    By default the test is corrected for the number of pairs: the randomised Tukey HSD test keeps the chance of any
    false alarm at `alpha`. All other tests are uncorrected: each pair is tested at that level, as in Sakai (2006).
    To correct one of them, give the p-values of `to_frame()` to statsmodels' `multipletests`.

    The share does not depend on the unit or zero of the scores, except for a geometric mean, nor on the order of topics
    or systems. Several measures (a mapping of names to matrices, such as `Scores`) use the same random numbers.

    O(B n m) time for "tukey-hsd", O(B n m^2) for the bootstrap tests, O(B m (n + m)) for the unpaired one of means, and
    O(n m^2) for the others (times log n for "wilcoxon"). A statistic that is neither the mean nor `geometric_mean` is
    computed for each pair and resample. Memory: about 300 MiB per worker, some numbers per pair, and 4 m B for the
    unpaired test of means.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics; or a mapping of measures to such.
        test: "tukey-hsd" (randomised, corrected), or an uncorrected one: "paired-bootstrap" (studentised),
            "unpaired-bootstrap", "t" (paired) or "wilcoxon" (signed rank).
        alpha: The level, between 0 and 1.
        n_resamples: The number of resamples or permutations B, at least 1 / alpha.
        statistic: The statistic that the unpaired test compares. The paired tests compare means; for geometric means
            give them log(x + 0.00001).
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The result, or for a mapping a dictionary of results by measure.

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the scores are no matrix of at least 2 topics and 2 to 8192 systems or not finite, an argument is
            out of its range, or the statistic raises or is not finite for a pair.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.3, figures 5 and 6;
        Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments",
        TOIS 30(1), 2012.

    Example:
        >>> scores = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.3, 0.8]]
        >>> result = discriminative_power(scores, test="t")
        >>> round(result.statistic, 4), result.n_significant, round(result.required_difference, 4)
        (0.6667, 2, 0.1619)
    """
    _refuse_signs(scores, "scores", test)
    family = family_of(scores, min_topics=2, statistic=statistic)
    chosen = TESTS[one_of("test", test, tuple(TESTS))]
    if statistic is not np.mean and test != "unpaired-bootstrap":
        raise ValueError(f"`statistic` must be numpy.mean for the test {test!r}, got {statistic!r}.")
    given = PairComparison(
        family.matrix,
        family.systems,
        statistic=as_statistic(statistic),
        alpha=share("alpha", alpha),
        n_resamples=resample_count(n_resamples),
        rng=generator(rng),
        n_jobs=n_jobs,
    )
    tests = chosen.compare(given)
    significant = tests.pvalues <= given.alpha
    published = tests.required if tests.published is None else tests.published
    topics = tests.topics
    if topics is not None:  # in the order in which they are resampled
        topics = None if as_score_matrix(scores).design else in_given_order(topics, topic_order(as_matrix(scores)))
    return DiscriminativePowerResult(
        statistic=float(significant.mean()),
        required_difference=_largest(tests.required),
        published_difference=_largest(published),
        detectable_difference=detectable_difference(family.matrix, given.alpha),
        required_pair=_pair_of(tests.required, given.systems),
        published_pair=_pair_of(published, given.systems),
        published_topics=topics,
        n_significant=int(significant.sum()),
        n_pairs=significant.size,
        n_topics=given.n_topics,
        n_systems=given.n_systems,
        alpha=given.alpha,
        test=test,
        corrected=chosen.corrected,
        n_resamples=given.n_resamples if chosen.resamples else None,
        systems=given.systems,
        summaries=rounded_scores(given.summaries),
        pvalues=symmetric(tests.pvalues, given.n_systems, diagonal=1.0),
    )


def _largest(required: Floats) -> float:
    return float(required.max()) or float("nan")


def _pair_of(required: Floats, systems: Labels) -> tuple[str, str] | None:
    pairs = np.triu_indices(len(systems), k=1)
    if required.size < pairs[0].size or not required.max() > 0.0:
        return None
    largest = first_largest(required)
    first, second = (int(side[largest]) for side in pairs)
    return systems[first], systems[second]


@dataclass(frozen=True, eq=False)
class SignificantAgreementResult(Result):
    """The share of significant pairs that a ranking puts in the same order.

    Attributes:
        statistic: The share, in [0, 1]; nan if no pair is significant.
        n_agreed: The number of significant pairs in the same order; a pair that the ranking ties counts one half.
        n_significant: The number of significant pairs.
        n_pairs: The number of all pairs.
        n_topics: The number of topics of the reference.
        n_systems: The number of systems.
        test: The name of the test.
        corrected: Whether the test is corrected for the number of pairs.
        alpha: The significance level.
        n_resamples: The number of resamples B, or None for a test that needs none.
    """

    statistic: float
    n_agreed: float
    n_significant: int
    n_pairs: int
    n_topics: int
    n_systems: int
    test: choices.PairTest
    corrected: bool
    alpha: float
    n_resamples: int | None


def significant_agreement(
    reference: ArrayLike,
    ranking: ScoresLike,
    *,
    test: choices.PairTest = DEFAULT_TEST,
    alpha: float = ALPHA,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> SignificantAgreementResult:
    """Of the pairs that differ significantly under the reference, the share that a ranking puts in the same order.

    It lies in [0, 1], and is 1 if the ranking swaps no significant pair, whatever it does to the others. A pair that
    the ranking ties counts one half, as if the tie were broken at random. It takes the time of `discriminative_power`.

    Args:
        reference: Scores by the trusted measure, shape (n_topics, n_systems), at least 2 topics.
        ranking: Scores of the systems: one score a system, or topics x systems, whose means rank.
        test, alpha, n_resamples, rng, n_jobs: As for `discriminative_power`.

    Returns:
        A result whose `statistic` is the share; nan, with a warning, if no pair is significant.

    Raises:
        TypeError, ValueError: As `discriminative_power`, and if the systems do not match.

    References:
        Cormack and Lynam, "Power and bias of subset pooling strategies", SIGIR 2007; row "dsc pow" of the table in
        section 3.1 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.

    Example:
        The first system is significantly worse than the two others; the ranking confirms one of these pairs:

        >>> scores = [[0.1, 0.5, 0.6], [0.2, 0.7, 0.6], [0.3, 0.7, 0.9], [0.1, 0.6, 0.5]]
        >>> result = significant_agreement(scores, [2, 1, 3], test="t")
        >>> result.statistic, result.n_significant, result.n_pairs
        (0.5, 2, 3)
    """
    sides = ("reference", "ranking")
    scores, ranking = in_common(reference, ranking, sides)
    _refuse_signs(scores, "reference", test)
    matrix = as_matrix(scores, "reference", min_topics=2)
    reference, estimate = as_vectors(scores, ranking, sides, advice="")
    if estimate.ndim != 1:
        raise ValueError(f"`ranking` must be a single ranking, of shape (n_systems,), got shape {estimate.shape}.")
    power = discriminative_power(matrix, test=test, alpha=alpha, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs)
    first, second = np.nonzero(np.triu(power.significant, k=1))
    same = np.sign(reference[first] - reference[second]) * np.sign(estimate[first] - estimate[second])
    agreed = float(((same + 1) / 2).sum())
    if first.size == 0:
        warnings.warn("No pair of systems is significant: the agreement is nan.", DegenerateInputWarning, stacklevel=2)
    return SignificantAgreementResult(
        statistic=agreed / first.size if first.size else float("nan"),
        n_agreed=agreed,
        n_significant=power.n_significant,
        n_pairs=power.n_pairs,
        n_topics=power.n_topics,
        n_systems=power.n_systems,
        test=test,
        corrected=power.corrected,
        alpha=power.alpha,
        n_resamples=power.n_resamples,
    )


def _refuse_signs(scores: object, parameter: str, test: str) -> None:
    """A cluster of small weight lies near the mean, and has its sign."""
    if one_of("test", test, tuple(TESTS)) == "wilcoxon":
        refuse_design(scores, parameter, "of others no ranks are taken, take `test='t'`", unless_even=True)
