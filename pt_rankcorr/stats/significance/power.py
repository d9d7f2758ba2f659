"""How many pairs of systems a measure tells apart or a ranking keeps in order, and how many topics that takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import gammaincinv, ndtr, stdtrit

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.core import inputs, means, resampling
from pt_rankcorr.stats.core.arguments import listing, one_of, real_number, resample_count, share
from pt_rankcorr.stats.core.design import first_enough
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.ordering import in_given_order, topic_order
from pt_rankcorr.stats.core.types import Flags, Floats, Labels, Result, pair_table
from pt_rankcorr.stats.significance.bootstrap import first_largest
from pt_rankcorr.stats.significance.pairwise import TESTS, PairComparison, family_of
from pt_rankcorr.tables import PERCENT, Column, Table, facts
from pt_rankcorr.text import decimals
from pt_rankcorr.warnings import DegenerateInputWarning, warn


@dataclass(frozen=True, eq=False)
class DiscriminativePowerResult(Result, Drawable):
    """The significance of the difference of every pair of systems.

    Attributes:
        statistic: The discriminative power: the share of pairs with a p-value below alpha.
        required_difference: An estimate of the difference beyond which every pair is significant: the largest required
            difference of any pair. nan where no difference varies (except for the unpaired test), and for Wilcoxon's
            test, which uses ranks alone. For the paired bootstrap it is infinite if too many resamples of a pair do not
            vary, as with few topics of discrete scores; use `test="t"` there.
        published_difference: The definition of Sakai (2006) for the paired bootstrap: the mean of the resample whose t
            is critical, far too small with few topics. For other tests it is `required_difference`.
        required_pair, published_pair: The names of the pair that sets either; None where there is one for all, or none.
        detectable_difference: The least true difference of two means that a paired t test on these topics detects with
            a probability of .8 at the level alpha, uncorrected; see `stats.topics_to_detect`.
        published_topics: How often the resample that sets `published_difference` holds each topic, shape (n_topics,),
            to translate the difference to other scores. None for other tests, and for dependent topics.
        n_significant: The number of significant pairs.
        n_pairs, n_topics, n_systems: How many there are.
        alpha: The significance level.
        test: The name of the test.
        corrected: Whether `alpha` bounds the chance of any false alarm among all pairs, rather than that of each pair.
        n_resamples: The number of resamples B, or None for a test that needs none.
        systems: The names of the systems.
        summaries: The means that the test compares, one per system.
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
        """The p-values of all pairs, smallest first; the more sensitive the measure, the further right it rises."""
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
        return pair_table(self.systems, self.summaries[:, np.newaxis] - self.summaries, self.pvalues, self.alpha)

    def _note(self) -> str:
        no_end = ""
        if self.required_pair is not None and math.isinf(self.required_difference):
            no_end = f" It is inf, as too few resamples of {listing(self.required_pair)} vary: take test='t'."
        return (
            f"{self.n_pairs} pairs of {self.n_systems} systems, {self.n_topics} topics. Significant: p <= "
            f"{decimals(self.alpha)}, {TESTS[self.test].full_title}. Difference needed: one beyond which every pair is "
            f"significant, an estimate.{no_end} Difference detected: a true one that a paired t test detects with a "
            f"probability of {decimals(POWER)}."
        )


@resampling.over_measures
def discriminative_power(
    scores: ArrayLike,
    *,
    test: choices.PairTest = defaults.PAIR_TEST,
    alpha: float = defaults.ALPHA,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> DiscriminativePowerResult:
    """The share of all pairs of systems that a measure tells apart significantly, and the difference that it takes.

    By default the test is corrected for the number of pairs: the randomised Tukey HSD test keeps the chance of any
    false alarm at `alpha`. All other tests are uncorrected: each pair is tested at that level, as in Sakai (2006).
    To correct one of them, give the p-values of `to_frame()` to statsmodels' `multipletests`. Several measures use the
    same random numbers. For geometric means give `scores.geometric()`.

    O(B n m) time for "tukey-hsd", O(B n m^2) for the bootstrap tests, O(B m (n + m)) for the unpaired one, and O(n m^2)
    for the others (times log n for "wilcoxon"). About 300 MiB per worker, and 4 m B numbers for the unpaired test.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics; or a mapping of measures to such.
        test: "tukey-hsd" (randomised, corrected), or an uncorrected one: "paired-bootstrap" (studentised),
            "unpaired-bootstrap", "t" (paired) or "wilcoxon" (signed rank).
        alpha: The level, between 0 and 1.
        n_resamples: The number of resamples or permutations B, at least 1 / alpha.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The result, or for a mapping a dictionary of results by measure.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2 to 8192 systems, or an
            argument is out of its range.

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
    prepared = inputs.prepare_matrix(scores, min_topics=2)
    _refuse_signs(prepared, "scores", test)
    family, alpha = family_of(prepared), share("alpha", alpha)
    n_resamples, random = resample_count(n_resamples), resampling.generator(rng)
    tests = TESTS[test].compare(PairComparison(family.matrix, family.systems, alpha, n_resamples, random, n_jobs))
    significant = tests.pvalues <= alpha
    required, required_pair = _largest(tests.required, family.systems)
    published, published_pair = _largest(tests.required if tests.published is None else tests.published, family.systems)
    topics = None
    if tests.topics is not None and not prepared.design:  # in the order in which they are drawn
        topics = in_given_order(tests.topics, topic_order(prepared.rows))
    return DiscriminativePowerResult(
        statistic=float(significant.mean()),
        required_difference=required,
        published_difference=published,
        detectable_difference=detectable_difference(family.matrix, alpha),
        required_pair=required_pair,
        published_pair=published_pair,
        published_topics=topics,
        n_significant=int(significant.sum()),
        **family.counts,
        alpha=alpha,
        test=test,
        corrected=TESTS[test].corrected,
        n_resamples=n_resamples if TESTS[test].resamples else None,
        systems=family.systems,
        summaries=means.rounded_scores(family.means),
        pvalues=means.symmetric(tests.pvalues, family.n_systems, diagonal=1.0),
    )


def _largest(required: Floats, systems: Labels) -> tuple[float, tuple[str, str] | None]:
    """The largest difference, nan where all are 0, and the pair that has it, unless there is one for all or none."""
    pairs, largest = np.triu_indices(len(systems), k=1), float(required.max()) or float("nan")
    if required.size < pairs[0].size or not largest > 0.0:
        return largest, None
    first, second = (systems[side[first_largest(required)]] for side in pairs)
    return largest, (first, second)


@dataclass(frozen=True, eq=False)
class SignificantAgreementResult(Result):
    """The share of significant pairs that a ranking puts in the same order.

    Attributes:
        statistic: The share, in [0, 1]; nan if no pair is significant.
        n_agreed: The number of significant pairs in the same order; a pair that the ranking ties counts one half.
        n_significant, n_pairs, n_topics, n_systems, test, corrected, alpha, n_resamples: As of `discriminative_power`.
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
    ranking: inputs.ScoresLike,
    *,
    test: choices.PairTest = defaults.PAIR_TEST,
    alpha: float = defaults.ALPHA,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> SignificantAgreementResult:
    """The share of the pairs that differ significantly under the reference that a ranking puts in the same order.

    A pair that the ranking ties counts one half. It takes the time of `discriminative_power`.

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
    matrix, tested = inputs.prepare_sides(reference, ranking, sides, min_topics=2, advice="")
    _refuse_signs(matrix, "reference", test)
    reference, estimate = inputs.vectors_of(matrix, tested, sides)
    if estimate.ndim != 1:
        raise ValueError(f"`ranking` must be a single ranking, of shape (n_systems,), got shape {estimate.shape}.")
    power = discriminative_power(matrix.rows, test=test, alpha=alpha, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs)
    first, second = np.nonzero(np.triu(power.significant, k=1))
    same = np.sign(reference[first] - reference[second]) * np.sign(estimate[first] - estimate[second])
    agreed = float(((same + 1) / 2).sum())
    if first.size == 0:
        warn("No pair of systems is significant: the agreement is nan.", DegenerateInputWarning)
    of_power = ("n_significant", "n_pairs", "n_topics", "n_systems", "test", "corrected", "alpha", "n_resamples")
    return SignificantAgreementResult(
        statistic=agreed / first.size if first.size else float("nan"),
        n_agreed=agreed,
        **{name: getattr(power, name) for name in of_power},
    )


def _refuse_signs(scores: ScoreMatrix, parameter: str, test: str) -> None:
    """A cluster of small weight lies near the mean, and has its sign."""
    if one_of("test", test, tuple(TESTS)) == "wilcoxon":
        inputs.refuse_design(scores, parameter, "of others no ranks are taken, take `test='t'`", unless_even=True)


# --- topics to detect a difference ----------------------------------------------------------------------------


POWER = 0.8
NODES = np.linspace(-7.0, 7.0, 113)  # of the trapezoidal rule, over normal quantiles
WEIGHTS = np.exp(-(NODES**2) / 2.0) / np.exp(-(NODES**2) / 2.0).sum()


@dataclass(frozen=True, eq=False)
class TopicsToDetect(Result):
    """The number of topics that a paired t test needs.

    Attributes:
        topics_needed: The least number of topics at which the test detects the difference; a whole number, or inf.
        difference: The true difference of two means.
        detectable_difference: The least difference that as many topics as there are detect.
        standard_deviation: Of the difference of two systems over topics, pooled over all pairs.
        power, alpha: The probability to detect the difference, and the significance level.
        n_topics, n_systems: How many there are.
    """

    topics_needed: float
    difference: float
    detectable_difference: float
    standard_deviation: float
    power: float
    alpha: float
    n_topics: int
    n_systems: int

    def _answer(self) -> str:
        return (
            f"A paired t test needs {self.topics_needed:.0f} topics to detect a true difference of "
            f"{decimals(self.difference, 3)} with a probability of {decimals(self.power)}; {self.n_topics} topics "
            f"detect {decimals(self.detectable_difference, 3)}."
        )


def topics_to_detect(
    scores: ArrayLike, difference: float, *, power: float = POWER, alpha: float = defaults.ALPHA
) -> TopicsToDetect:
    """How many topics a paired t test needs to detect a true difference between two systems.

    The test is two-sided, and not corrected for the number of pairs. The variance of a difference is twice the residual
    variance of a two-way analysis of topics and systems. Pairs whose difference varies more need more topics.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics.
        difference: The true difference of two means, above 0.
        power: The probability to detect it, above `alpha`.
        alpha: The significance level, between 0 and 1.

    Returns:
        The number of topics, and the least difference that as many topics as there are detect.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2 systems, or a number is out
            of its range.

    References:
        Sakai, "Topic set size design", Information Retrieval Journal 19(3), 2016, section 3.

    Example:
        Differences of half of their standard deviation are a medium effect (Cohen): 34 topics, as tables have it.

        >>> result = topics_to_detect([[0.1, 0.2], [0.2, 0.5], [0.3, 0.8]], difference=0.1)
        >>> round(result.standard_deviation, 4), result.topics_needed
        (0.2, 34.0)
    """
    family = family_of(inputs.prepare_matrix(scores, min_topics=2))
    gap, power, alpha = real_number("difference", difference), share("power", power), share("alpha", alpha)
    if not 0.0 < gap < math.inf:
        raise ValueError(f"`difference` must be above 0 and finite, got {gap}.")
    if power <= alpha:
        raise ValueError(f"`power` must be above `alpha`, {alpha}, got {power}.")
    deviation = pooled_deviation(family.matrix)
    return TopicsToDetect(
        topics_needed=topics_of_t_test(gap / deviation if deviation else math.inf, alpha, power),
        difference=gap,
        detectable_difference=detectable_difference(family.matrix, alpha, power),
        standard_deviation=deviation,
        power=power,
        alpha=alpha,
        n_topics=family.n_topics,
        n_systems=family.n_systems,
    )


def detectable_difference(matrix: Floats, alpha: float, power: float = POWER) -> float:
    """The least true difference that a paired t test on these topics detects; 0 where no difference varies."""
    n_topics, high = len(matrix), 1.0
    if power <= alpha:
        return 0.0
    while power_of_t_test(high, n_topics, alpha) < power:
        high *= 2.0
    effect = brentq(lambda effect: power_of_t_test(effect, n_topics, alpha) - power, 0.0, high)
    return pooled_deviation(matrix) * float(effect)


def pooled_deviation(matrix: Floats) -> float:
    """The standard deviation of the difference of two systems, pooled over all pairs; 0 if it is rounding errors."""
    residuals = matrix - matrix.mean(axis=1, keepdims=True)
    residuals -= residuals.mean(axis=0)
    freedom = (matrix.shape[0] - 1) * (matrix.shape[1] - 1)
    deviation = math.sqrt(2.0 * float((residuals**2).sum()) / freedom)
    return deviation if deviation > means.NEGLIGIBLE * np.abs(matrix).max() else 0.0


def topics_of_t_test(effect: float, alpha: float, power: float) -> float:
    """How many topics the two-sided test needs to detect a difference of so many deviations; inf if too many."""
    return first_enough(lambda n_topics: math.isinf(effect) or power_of_t_test(effect, n_topics, alpha) >= power)


def topics_for_width(standard_error: float, n_topics: int, width: float, level: float, n_strata: int = 1) -> float:
    """How many topics shorten the interval of Student's t to a width, from the standard error with `n_topics`."""
    deviation = standard_error * math.sqrt(n_topics)

    def is_enough(number: int) -> bool:
        quantile = float(stdtrit(max(number - n_strata, 1), (1.0 + level) / 2.0))
        return 2.0 * quantile * deviation / math.sqrt(number) <= width

    return math.nan if math.isnan(standard_error) else first_enough(is_enough)


def check_difference(parameter: str, value: object) -> float:
    """A difference of two coefficients, such as the width of an interval."""
    number = real_number(parameter, value)
    if not 0.0 < number <= 2.0:
        raise ValueError(f"`{parameter}` must be above 0 and at most 2, got {number}.")
    return number


def power_of_t_test(effect: float, n_topics: int, alpha: float) -> float:
    """The probability that the two-sided test detects a difference of so many standard deviations.

    It is the mean, over the chi distribution of the estimated deviation, of that of a normal mean. (scipy's noncentral
    t distribution fails for few topics and low levels.)
    """
    freedom = n_topics - 1.0
    deviations = np.sqrt(2.0 * gammaincinv(freedom / 2.0, ndtr(NODES)) / freedom)
    critical, centre = -stdtrit(freedom, alpha / 2.0) * deviations, effect * math.sqrt(n_topics)
    return float(WEIGHTS @ (ndtr(centre - critical) + ndtr(-centre - critical)))
