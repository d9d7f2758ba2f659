"""How many pairs of systems a measure tells apart or a ranking keeps, and the topics that takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri, gammaincinv, ndtr, stdtrit

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.core import inputs, means, resampling
from pt_rankcorr.stats.core.arguments import one_of, real_number, resample_count, share
from pt_rankcorr.stats.core.design import first_enough
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.ordering import in_given_order, topic_order
from pt_rankcorr.stats.core.types import (
    TOLERANCE,
    Flags,
    Floats,
    Labels,
    Result,
    cached_property,
    read_only,
)
from pt_rankcorr.stats.significance.bootstrap import first_largest
from pt_rankcorr.stats.significance.pairwise import (
    TESTS,
    Family,
    PairComparison,
    check_correction,
    family_of,
    pooled_deviation,
    reversed_by_one_topic,
    tested,
    title_of,
)
from pt_rankcorr.text import decimals
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn


@dataclass(frozen=True, eq=False)
class DiscriminativePowerResult(Result, Drawable):
    """The significance of the difference of every pair of systems.

    Attributes:
        statistic: The discriminative power: the share of pairs with a p-value below alpha.
        required_difference: An estimate of the difference on these topics beyond which every pair
            is significant: the largest required difference of any pair. nan where no difference
            varies (except for the unpaired test), for Wilcoxon's test, which uses ranks alone, and
            for corrected bootstrap tests. For the paired bootstrap it is infinite if too many
            resamples of a pair do not vary, as with few topics of discrete scores; use `test="t"`
            there. For "max-t" it is infinite where topics are too few for any significant pair.
        published_difference: As Sakai (2006) defines it for the paired bootstrap: the mean of the
            resample whose t is critical, far too small with few topics. Else `required_difference`.
        required_pair, published_pair: The pair that sets either; None if one is for all, or none.
        detectable_difference: The least true difference of two means of typical spread that the
            test on as many topics detects with a probability of .8, by the power of a t test with
            the same bound; see `topics_to_detect`.
        published_topics: How often the resample that sets `published_difference` holds each topic,
            (n_topics,), to translate it to other scores. None for other tests, dependent topics.
        n_significant: The number of significant pairs.
        n_pairs, n_topics, n_systems: How many there are.
        alpha: The significance level.
        test: The name of the test.
        correction: "holm" or "fdr" if one was asked for, else None.
        corrected: Whether `alpha` bounds the chance of any false alarm among all pairs, or of each.
        n_resamples: B; None for a test that needs none, or takes all flips of few topics.
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
    correction: choices.PairCorrection | None
    corrected: bool
    n_resamples: int | None
    systems: Labels = field(repr=False)
    summaries: Floats = field(repr=False, compare=False)
    pvalues: Floats = field(repr=False, compare=False)
    # what was tested, and the level of one pair alone
    _tested: tuple[Family, float] = field(repr=False, compare=False)

    @property
    def asl(self) -> Floats:
        """The achieved significance levels b / B of the paper; without resamples `pvalues`."""
        if self.n_resamples is None:
            return self.pvalues
        return np.asarray((np.rint(self.pvalues * (self.n_resamples + 1)) - 1) / self.n_resamples)

    @property
    def asl_curve(self) -> Floats:
        """All p-values, (n_pairs,), smallest first; more sensitive measures rise further right."""
        return np.sort(self.pvalues[np.triu_indices(self.n_systems, k=1)])

    @property
    def significant(self) -> Flags:
        """Which pairs are significantly different, shape (n_systems, n_systems)."""
        return np.asarray(self.pvalues <= self.alpha)

    @cached_property
    def fragile(self) -> Flags | None:
        """Which significant pairs one topic more could make insignificant, (n_systems, n_systems).

        They differ the other way on it, by half of what a typical pair differs at most, and their t
        is then below the bound of a single pair; that of step-down tests is lower for all but the
        first. None unless by "max-t" or "t".
        """
        if self.test not in ("max-t", "t"):
            return None
        family, level = self._tested
        of_pairs = reversed_by_one_topic(family, level).astype(np.float64)
        is_reversed = means.symmetric(of_pairs, family.n_systems, diagonal=0.0) > 0.0
        return np.asarray(self.significant & is_reversed)

    @property
    def n_fragile(self) -> int:
        """The number of significant pairs that are `fragile`, 0 for tests that do not say."""
        return 0 if self.fragile is None else int(self.fragile.sum()) // 2

    @property
    def title(self) -> str:
        """The name of the test, and whether and how it is corrected."""
        return title_of(self.test, self.correction)


@resampling.over_measures
def discriminative_power(
    scores: ArrayLike,
    *,
    test: choices.PairTest = defaults.PAIR_TEST,
    correction: choices.PairCorrection | None = None,
    alpha: float = defaults.ALPHA,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> DiscriminativePowerResult:
    """The share of pairs of systems that differ significantly, and the difference that it takes.

    By default the test is corrected for the number of pairs: "max-t", by the largest studentised
    difference of all pairs over flips of topics, keeps the chance of any false alarm at `alpha`,
    whatever the systems' spreads, if differences are as often above their mean as below. All flips
    are counted if B is at least 2^(n - 1); of 5 topics even the smallest p-value, 1/16, is above
    .05. Where differences are skewed, no test keeps it: of real runs of one mean, some pair was
    significant in .04 to .20 of samples of 50 topics, one that is not `fragile` in at most .08.
    "tukey-hsd", the randomised Tukey test, is corrected, too, and takes all systems to vary alike.
    Others are uncorrected: each pair is tested at that level, as in Sakai (2006), unless there is a
    `correction`. Measures use the same random numbers. For geometric means give
    `scores.geometric()`.

    O(B n m^2) time for "max-t" and the bootstrap tests, O(B n m) for "tukey-hsd", O(B m (n + m))
    for the unpaired one, and O(n m^2) for the others (times n^2 for "wilcoxon" with ties and up to
    50 topics). About 300 MiB per worker, and 4 m B numbers for the unpaired test.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics; or measure -> such.
        test: "max-t" or "tukey-hsd" (corrected), or an uncorrected one: "paired-bootstrap"
            (studentised), "unpaired-bootstrap", "t" (paired) or "wilcoxon" (signed rank).
        correction: Of an uncorrected test: "holm" bounds the chance of any false alarm among all
            pairs; "fdr" (Benjamini, Hochberg) the mean share of false alarms of significant pairs.
        alpha: The level, between 0 and 1.
        n_resamples: The number of resamples, flips or permutations B, at least 1 / alpha.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The result, or for a mapping a dictionary of results by measure.

    Warns:
        UnreliableResultWarning: If topics are so few that no pair can be significant by "max-t"; or
            for "tukey-hsd" if a system varies much more than others do.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2 to 8192
            systems, or an argument is out of its range.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.3,
        figures 5 and 6; Carterette, "Multiple testing in statistical analysis of systems-based
        information retrieval experiments", TOIS 30(1), 2012; Westfall, Young, "Resampling-based
        multiple testing", 1993; Romano, Wolf, "Exact and approximate stepdown methods for multiple
        hypothesis testing", JASA 100, 2005 ("max-t").

    Example:
        >>> scores = [[.1, .2, .6], [.2, .1, .7], [.3, .3, .9], [.1, .2, .5], [.4, .3, .8]]
        >>> result = discriminative_power(scores, test="t")
        >>> round(result.statistic, 4), result.n_significant, round(result.required_difference, 4)
        (0.6667, 2, 0.1619)
    """
    prepared = inputs.prepare_matrix(scores, min_topics=2)
    _refuse_signs(prepared, "scores", test)
    check_correction(test, correction)
    family, alpha = family_of(prepared, resamples=TESTS[test].resamples), share("alpha", alpha)
    n_resamples, random = resample_count(n_resamples), resampling.generator(rng)
    comparison = PairComparison(family.matrix, family.systems, alpha, n_resamples, random, n_jobs)
    tests = tested(comparison, test, correction)
    if tests.n_flips is not None and tests.n_flips * alpha < 1.0:
        few = f"{family.n_topics} topics have {2 * tests.n_flips} flips of signs"
        least = f"the least p-value is {decimals(1.0 / tests.n_flips, 3)}"
        advice = "Take more topics, or test='t', which takes differences to be normal."
        warn(f"{few}: {least}, and no pair can be significant. {advice}", UnreliableResultWarning)
    significant = tests.pvalues <= alpha
    required, required_pair = _largest(tests.required, family.systems)
    published, published_pair = required, required_pair
    if tests.published is not None:
        published, published_pair = _largest(tests.published, family.systems)
    topics = None
    if tests.topics is not None and not prepared.design:  # in the order in which they are drawn
        topics = in_given_order(tests.topics, topic_order(prepared.sample))
    return DiscriminativePowerResult(
        statistic=float(significant.mean()),
        required_difference=required,
        published_difference=published,
        detectable_difference=detectable_difference(family.matrix, tests.level),
        required_pair=required_pair,
        published_pair=published_pair,
        published_topics=topics,
        n_significant=int(significant.sum()),
        **family.counts,
        alpha=alpha,
        test=test,
        correction=correction,
        corrected=TESTS[test].corrected or correction == "holm",
        n_resamples=n_resamples if TESTS[test].resamples and tests.n_flips is None else None,
        systems=family.systems,
        summaries=means.rounded_scores(family.means),
        pvalues=means.symmetric(tests.pvalues, family.n_systems, diagonal=1.0),
        _tested=(family, tests.level),
    )


def _largest(required: Floats, systems: Labels) -> tuple[float, tuple[str, str] | None]:
    """The largest of required differences, nan where all are 0, and the names of its pair.

    They are of shape (n_pairs,), or (1,) where all share one: then, and without any, None has it.
    """
    largest = float(required.max()) or math.nan
    if required.size < math.comb(len(systems), 2) or not largest > 0.0:
        return largest, None
    return largest, next(islice(combinations(systems, 2), int(first_largest(required)), None))


@dataclass(frozen=True, eq=False)
class SignificantAgreementResult(Result):
    """The share of significant pairs that a ranking puts in the same order.

    Attributes:
        statistic: The share, in [0, 1]; nan if no pair is significant.
        n_agreed: The number of significant pairs in the same order; one half for a tied pair.
        n_significant, n_pairs, n_topics, n_systems, test, correction, corrected, alpha,
            n_resamples: As of `discriminative_power`.
    """

    statistic: float
    n_agreed: float
    n_significant: int
    n_pairs: int
    n_topics: int
    n_systems: int
    test: choices.PairTest
    correction: choices.PairCorrection | None
    corrected: bool
    alpha: float
    n_resamples: int | None


def significant_agreement(
    reference: ArrayLike,
    ranking: inputs.ScoresLike,
    *,
    test: choices.PairTest = defaults.PAIR_TEST,
    correction: choices.PairCorrection | None = None,
    alpha: float = defaults.ALPHA,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> SignificantAgreementResult:
    """The share of the reference's significant pairs that a ranking puts in the same order.

    A pair that the ranking ties counts one half. It takes the time of `discriminative_power`.

    Args:
        reference: Scores by the trusted measure, shape (n_topics, n_systems), at least 2 topics.
        ranking: Scores of the systems: one score a system, or topics x systems, whose means rank.
        test, correction, alpha, n_resamples, rng, n_jobs: As for `discriminative_power`.

    Returns:
        A result whose `statistic` is the share; nan, with a warning, if no pair is significant.

    Raises:
        TypeError, ValueError: As `discriminative_power`, and if the systems do not match.

    References:
        Cormack and Lynam, "Power and bias of subset pooling strategies", SIGIR 2007; Carterette,
        SIGIR 2009: section 3.1, row "dsc pow" of the table.

    Example:
        The first system is significantly worse than both others; the ranking confirms one pair:

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
        rule = "`ranking` must be a single ranking, of shape (n_systems,)"
        raise ValueError(f"{rule}, got shape {estimate.shape}.")
    power = discriminative_power(
        matrix.sample,
        test=test,
        correction=correction,
        alpha=alpha,
        n_resamples=n_resamples,
        rng=rng,
        n_jobs=n_jobs,
    )
    first, second = np.nonzero(np.triu(power.significant, k=1))
    gaps, gaps_of_ranking = reference[first] - reference[second], estimate[first] - estimate[second]
    agreed = float(((np.sign(gaps) * np.sign(gaps_of_ranking) + 1) / 2).sum())
    if first.size == 0:
        warn("No pair of systems is significant: the agreement is nan.", DegenerateInputWarning)
    return SignificantAgreementResult(
        statistic=agreed / first.size if first.size else float("nan"),
        n_agreed=agreed,
        n_significant=power.n_significant,
        n_pairs=power.n_pairs,
        n_topics=power.n_topics,
        n_systems=power.n_systems,
        test=test,
        correction=correction,
        corrected=power.corrected,
        alpha=power.alpha,
        n_resamples=power.n_resamples,
    )


def _refuse_signs(scores: ScoreMatrix, parameter: str, test: str) -> None:
    """Refuses unlike clusters or strata of topics for Wilcoxon's test, whose ranks have no weights.

    A cluster of small weight has the sign of the mean.
    """
    if one_of("test", test, tuple(TESTS)) == "wilcoxon":
        advice = "of others no ranks are taken, take `test='t'`"
        inputs.refuse_design(scores, parameter, advice, unless_even=True)


# --- topics to detect a difference ----------------------------------------------------------------


POWER = 0.8
NODES = np.linspace(-7.0, 7.0, 113)  # of the trapezoidal rule, over normal quantiles
# the normal density at the nodes, (113,), scaled to add up to 1: weights of means over the nodes
WEIGHTS = np.exp(-(NODES**2) / 2.0) / np.exp(-(NODES**2) / 2.0).sum()


@dataclass(frozen=True, eq=False)
class TopicsToDetect(Result):
    """The number of topics that a test of pairs needs.

    Attributes:
        topics_needed: The least number of topics that detects it; a whole number, or inf.
        difference: The true difference of two means.
        test, correction: As they were given.
        level: The level of a t test of one pair alone with the bound of this test.
        detectable_difference: The least difference that as many topics as there are detect.
        standard_deviation: Of the difference of two systems over topics, pooled over all pairs.
        power, alpha: The probability to detect the difference, and the significance level.
        n_topics, n_systems: How many there are.
    """

    topics_needed: float
    difference: float
    test: choices.PairTest
    correction: choices.PairCorrection | None
    level: float
    detectable_difference: float
    standard_deviation: float
    power: float
    alpha: float
    n_topics: int
    n_systems: int


def topics_to_detect(
    scores: ArrayLike,
    difference: float,
    *,
    power: float = POWER,
    test: choices.PairTest = defaults.PAIR_TEST,
    correction: choices.PairCorrection | None = None,
    alpha: float = defaults.ALPHA,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> TopicsToDetect:
    """How many topics the test of all pairs needs to detect a true difference of two systems.

    It is the power of a two-sided paired t test at the level at which the test has its bound on
    these topics: alpha without a correction, with one at least alpha over the number of pairs. The
    variance of a difference is twice the residual variance of a two-way analysis of topics and
    systems. Pairs whose difference varies more need more topics.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 2 topics.
        difference: The true difference of two means, above 0.
        power: The probability to detect it, above `alpha`.
        test, correction, alpha, n_resamples, rng, n_jobs: As for `discriminative_power`.

    Returns:
        The number of topics, and the least difference that as many topics as there are detect.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2
            systems, or a number is out of its range.

    References:
        Sakai, "Topic set size design", Information Retrieval Journal 19(3), 2016, section 3.

    Example:
        Half of the standard deviation is a medium effect (Cohen): 34 topics, as tables have it.

        >>> result = topics_to_detect([[0.1, 0.2], [0.2, 0.5], [0.3, 0.8]], difference=0.1)
        >>> round(result.standard_deviation, 4), result.topics_needed
        (0.2, 34.0)
    """
    prepared = inputs.prepare_matrix(scores, min_topics=2)
    _refuse_signs(prepared, "scores", test)
    check_correction(test, correction)
    family = family_of(prepared, resamples=TESTS[test].resamples)
    gap = real_number("difference", difference)
    power, alpha = share("power", power), share("alpha", alpha)
    if not 0.0 < gap < math.inf:
        raise ValueError(f"`difference` must be above 0 and finite, got {gap}.")
    if power <= alpha:
        raise ValueError(f"`power` must be above `alpha`, {alpha}, got {power}.")
    deviation, n_resamples = pooled_deviation(family.matrix), resample_count(n_resamples)
    random = resampling.generator(rng)
    comparison = PairComparison(family.matrix, family.systems, alpha, n_resamples, random, n_jobs)
    on_these = tested(comparison, test, correction).level
    # on more topics, where these are too few
    level = min(max(on_these, alpha / family.counts["n_pairs"]), alpha)

    def is_enough(n_topics: int) -> bool:
        """Whether so many topics detect the difference; any, where no difference varies."""
        return not deviation or power_of_t_test(gap / deviation, n_topics, level) >= power

    return TopicsToDetect(
        topics_needed=first_enough(is_enough),
        difference=gap,
        test=test,
        correction=correction,
        level=level,
        detectable_difference=detectable_difference(family.matrix, on_these, power),
        standard_deviation=deviation,
        power=power,
        alpha=alpha,
        n_topics=family.n_topics,
        n_systems=family.n_systems,
    )


def detectable_difference(matrix: Floats, alpha: float, power: float = POWER) -> float:
    """The least true difference that a paired t test on these topics detects; 0 if none varies.

    In the unit of the scores, (n_topics, n_systems). `alpha` is the level of one pair alone: at 0
    it is inf, and nan without a level.
    """
    n_topics, deviation = len(matrix), pooled_deviation(matrix)
    if not alpha > 0.0:
        return math.inf if deviation and alpha == 0.0 else math.nan
    if power <= alpha or not deviation:
        return 0.0
    return deviation * _detectable_effect(n_topics, alpha, power)


@lru_cache(maxsize=16)  # measures on the same topics mostly have one
def _detectable_effect(n_topics: int, alpha: float, power: float) -> float:
    """The least difference that is detected, in standard deviations."""
    from scipy.optimize import brentq  # takes a while to import

    # an effect that is detected, by doubling; then the root of power(effect) - power below it
    high = 1.0
    while power_of_t_test(high, n_topics, alpha) < power:
        high *= 2.0
    return float(brentq(lambda effect: power_of_t_test(effect, n_topics, alpha) - power, 0.0, high))


def topics_for_width(
    standard_error: float, n_topics: int, width: float, level: float, n_strata: int = 1
) -> float:
    """How many topics shorten a coefficient's interval by Student's t to a width, in .8 of samples.

    Both the standard error with `n_topics` and that with N are estimates. Those of rank
    correlations on real runs vary as if s^2 had about the root of n - 1 degrees of freedom, and
    fall by the power .45 of n: so s_N^2 / s_n^2 is (n / N)^.9 times an F ratio. An interval that is
    short enough as it is needs no topics more. inf if none are enough, nan without an error.
    """

    def is_enough(number: int) -> bool:
        """Whether so many topics make it so short with that probability; those at hand, as is."""
        df, df_here = max(number - n_strata, 1), max(n_topics - n_strata, 1)
        quantile = float(stdtrit(df, (1.0 + level) / 2.0))
        if number != n_topics:
            quantile *= math.sqrt(float(fdtri(math.sqrt(df), math.sqrt(df_here), POWER)))
        reached = 2.0 * quantile * standard_error * math.pow(n_topics / number, 0.45)
        return reached <= width * (1.0 + TOLERANCE)

    if math.isnan(standard_error):
        return math.nan
    return min(first_enough(is_enough), float(n_topics) if is_enough(n_topics) else math.inf)


def check_difference(parameter: str, value: object) -> float:
    """A difference of coefficients, as the width of an interval, checked: above 0, at most 2."""
    number = real_number(parameter, value)
    if not 0.0 < number <= 2.0:
        raise ValueError(f"`{parameter}` must be above 0 and at most 2, got {number}.")
    return number


def power_of_t_test(effect: float, n_topics: int, alpha: float) -> float:
    """The probability that the two-sided test detects a difference of so many standard deviations.

    It is the mean, over the chi distribution of the estimated deviation, of that of a normal mean.
    (scipy's noncentral t distribution fails for few topics and low levels.)
    """
    critical, centre = _critical_means(n_topics, alpha), effect * math.sqrt(n_topics)
    return float(WEIGHTS @ (ndtr(centre - critical) + ndtr(-centre - critical)))


@lru_cache(maxsize=16)  # a search for an effect asks for one of them many times
def _critical_means(n_topics: int, alpha: float) -> Floats:
    """The means, in their true error, that are just significant, for each node of the deviation."""
    # t is significant from its critical value on: a mean from that times the estimated over the
    # true deviation, whose quantile at each node is sqrt(chi^2 / df)
    df = n_topics - 1.0
    deviations = np.sqrt(2.0 * gammaincinv(df / 2.0, ndtr(NODES)) / df)
    return read_only(-stdtrit(df, alpha / 2.0) * deviations)
