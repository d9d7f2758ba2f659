"""How well a ranking of systems is expected to agree with the true one, in the topic population.

The probability that the true ranking swaps two systems is estimated from their differences over the
topics at hand. Tau and tau_AP are linear in the swaps, so their expectations follow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices
from pt_rankcorr.defaults import LEVEL, RESAMPLES
from pt_rankcorr.display import Drawable, Quotable
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core import arguments, design, resampling
from pt_rankcorr.stats.core.inputs import prepare_matrix, refuse_design
from pt_rankcorr.stats.core.means import round_means
from pt_rankcorr.stats.core.ordering import in_given_order, in_one_order
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, Labels, Result, cached_property
from pt_rankcorr.stats.expected import published
from pt_rankcorr.stats.expected.topics_needed import (
    FEWEST_DRAWS,
    TopicsNeeded,
    shortfall_at,
    shortfalls_by_simulation,
    shortfalls_of_draws,
    topics_to_reach,
)
from pt_rankcorr.stats.truth import shrunken
from pt_rankcorr.stats.truth.reliability import Reliability, mean_differences, t_statistics
from pt_rankcorr.warnings import DegenerateInputWarning, warn

ESTIMATORS: tuple[choices.Estimator, ...] = get_args(choices.Estimator)
# The estimators by halves of the topics, and whether their topics are drawn with replacement.
HALVES = {"split-half": False, "split-half-replace": True}


@dataclass(frozen=True, eq=False)
class ExpectedCorrelationResult(Result, Drawable, Quotable):
    """The expected correlation of the observed ranking of systems with the true one.

    Attributes:
        value: The expected correlation, in [-1, 1]; nan where the observed means are all tied.
        coefficient, estimator: Their names.
        n_topics, n_systems, n_resamples: How many there are; draws, or resamples of topics.
        seed: The given seed, if it was an integer.
        means: The mean score of each system, shape (n_systems,).
        systems: The names of the systems; "s1", "s2", ... where the scores had none.
        of: The coefficient itself.
        estimation: The draws of the true means, and all else that is of no single coefficient.
    """

    value: float
    coefficient: str
    estimator: str
    n_topics: int
    n_systems: int
    n_resamples: int
    seed: int | None
    means: Floats = field(repr=False)
    systems: Labels = field(repr=False)
    of: Coefficient = field(repr=False, compare=False)
    estimation: Estimation = field(repr=False, compare=False)
    _by_topics: CorrelationByTopics = field(repr=False, compare=False)

    @property
    def probabilities(self) -> Floats:
        """The probability that the true ranking swaps two systems, shape (n_systems, n_systems).

        1/2 for tied systems, 0 on the diagonal; nan for the split-half estimators, without pairs.
        """
        return self.estimation.probabilities

    def confidence_interval(
        self, level: float = LEVEL, *, n_topics: float | None = None
    ) -> ConfidenceInterval:
        """An interval for the actual correlation between the observed ranking and the true one.

        The ends are quantiles of f(draw, measured means) over the draws of the true means that are
        not all tied; by the published estimators over means of resampled topics, which is too short
        where systems are close or topics few.

        Args:
            level: The probability that the actual correlation lies inside, between 0 and 1.
            n_topics: The number of topics of the ranking, at least 1; by default that at hand.
        """
        tail = (1.0 - arguments.share("level", level)) / 2.0
        number = self.n_topics if n_topics is None else arguments.real_number("n_topics", n_topics)
        low, high = self._by_topics.quantiles(float(_topics(number)), (tail, 1.0 - tail))
        return ConfidenceInterval(float(low), float(high))

    def curve(self, n_topics: ArrayLike) -> float | Floats:
        """The expected correlation with other numbers of topics, from 1 on: of their shape.

        With "shrunken", 1 less the value changes as it does over draws of the true means for
        rankings on so many new topics. With the published estimators, differences stay as observed,
        and their standard errors change with the square root of the number of topics.
        """
        numbers = _topics(n_topics)
        values = [self._by_topics.expected(float(number)) for number in numbers.flat]
        return values[0] if numbers.ndim == 0 else np.array(values).reshape(numbers.shape)

    def topics_needed(self, target: float) -> TopicsNeeded:
        """The smallest number of topics whose expected correlation reaches the target.

        Args:
            target: The target for the expected correlation, in [-1, 1].

        Returns:
            A whole number, shown with two significant digits, with an interval of the numbers that
            draws of the true means need; an end that draws of another seed would change has one
            digit. inf where no number of topics is enough, as tied systems stay tied; nan where the
            expected correlation is. An asterisk marks a number beyond twice the topics at hand,
            further than simulations have checked: see the calibration page.
        """
        wanted = arguments.correlation("target", target)
        needed = math.nan if math.isnan(self.value) else self._by_topics.first_to_reach(wanted)
        of_draws = partial(self._by_topics.topics_of_draws, wanted)
        return TopicsNeeded(needed, of_draws, self.of.title, wanted, self.n_topics)

    def with_coefficient(self, coefficient: CoefficientLike) -> ExpectedCorrelationResult:
        """Another coefficient, as `expected_correlation` takes it, from the same draws."""
        return replace(self, **_value_of(coefficient, self.estimation))


def expected_correlation(
    scores: ArrayLike,
    coefficient: CoefficientLike = "tau_ap",
    *,
    estimator: choices.Estimator = "shrunken",
    n_resamples: int = RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> ExpectedCorrelationResult:
    """The expected rank correlation between the ranking over these topics and the true one.

    The default estimator, "shrunken", is the mean of f(draw, measured means) over draws of the true
    means, which lack what sampling errors add to the measured differences (see
    `stats.shrunken_truth`). The calibration page compares it with the published ones.

    With systems in the order of their means, best first, and p_ji the probability that the true
    ranking swaps j and i, E[tau] = 1 - 4/(m(m-1)) * sum_{j<i} p_ji and E[tau_AP] = 1 - 2/(m-1) *
    sum_{i>=2} sum_{j<i} p_ji / (i-1). E[tau_GAP] weighs p_ji by the observed gap of the pair, as a
    share of all gaps above i, and leaves out systems tied with the best. It is too high, as it
    would need the gaps of the true means. All lie in [-1, 1]. Tied systems are swapped with
    probability 1/2, and tau_AP is the mean over the ways to break the ties. The published
    estimators take p from the differences D of a pair over n topics:

    - "ml": T_{n-1}(-sqrt(n) mean(D) / s), T the t distribution, s the unbiased standard deviation.
    - "msqd": the same, with the s that brings D closest to evenly spread normal quantiles; this is
      not the printed equation 9 where differences are tied. It is the best of these with few
      topics, but too high for close systems.
    - "resampling": the share of bootstrap means below 0. Those of just 0 count one half; the
      printed equation 10 counts none of them.
    - "kde": the same for resamples from a Gaussian kernel estimate with a direct plug-in bandwidth;
      "ml" for pairs of which half of the differences are equal, and the bandwidth has no scale.
    - "split-half", "split-half-replace": log((1 - tau)/2) of halves of up to 20 sizes, disjoint or
      drawn with replacement, 100 times each, is extrapolated linearly in the size. Trials that
      agree perfectly are left out, as published: with few systems the result is far too low.

    A pair without variance is never swapped. "ml" and "msqd" take O(m^2 n log n), halves 2000
    correlations, others O(m^2 n_resamples) time; memory is O(m^2 + m n_resamples), 32 MiB blocks.

    Args:
        scores: Topics x systems, higher is better, at least 2 topics: array, frame, `ScoreMatrix`.
        coefficient: The name of a coefficient, or a `stats.Coefficient`; by the published
            estimators "tau", "tau_ap" or "tau_gap".
        estimator: "shrunken", "msqd", "ml", "resampling", "kde", "split-half" or
            "split-half-replace".
        n_resamples: Draws for "shrunken"; resamples for intervals, "resampling" and "kde".
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with `value`, its interval, its curve over numbers of topics, and topics needed.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2 to 8192
            systems, or an argument is out of its range.

    Warns:
        DegenerateInputWarning: If the value is nan: means all tie, or halves disagree at fewer than
            two sizes.
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ.

    References:
        Urbano and Marrero, "Toward estimating the rank correlation between the test collection
        results and the true system performance", SIGIR 2016, section 3. Bandwidth: Wand and Jones,
        "Kernel smoothing", 1995, 3.6. tau_GAP: Gao, Oard, SIGIR 2015; its expectation is new.

    Example:
        Two systems and two topics, with differences 0.3 and 0.1. Their s is
        0.2 / sqrt(2) * sqrt(pi / 2). So p = T_1(-1.5958), and T_1 is the Cauchy distribution,
        1/2 - arctan(1.5958) / pi:

        >>> result = expected_correlation([[0.5, 0.2], [0.3, 0.2]], "tau", estimator="ml")
        >>> round(float(result.probabilities[0, 1]), 4), round(result.value, 4)
        (0.1782, 0.6436)
    """
    prepared = prepare_matrix(scores, min_topics=2)
    if str(estimator).startswith("split-half"):
        advice = "of others take `estimator='ml'`, not halves of topics"
        refuse_design(prepared, "scores", advice, unless_even=True)
    arguments.check_number_of_systems("scores", prepared.n_systems)
    # topics in an order that their scores set, as resamples are drawn by position
    matrix = in_one_order(prepared.sample)
    design.warn_of_few_topics(len(matrix), "expected correlations were")
    draws_rng, halves_rng = resampling.generator(rng).spawn(2)
    estimation = Estimation(
        published.pairs_of(matrix),
        arguments.one_of("estimator", estimator, ESTIMATORS),
        arguments.resample_count(n_resamples),
        draws_rng,
        halves_rng,
        n_jobs,
    )
    estimated = _value_of(coefficient, estimation)
    if estimation.is_shrunken and not math.isnan(estimated["value"]):
        guess = "their expected correlation is a guess, some .1 to .2 too low for most systems, "
        guess += "and too high for a few that are truly close. "
        guess += "Look at its interval, or take more topics."
        shrunken.warn_if_close(estimation.reliability, matrix, guess)
    return ExpectedCorrelationResult(
        **estimated,
        estimator=estimation.estimator,
        n_topics=len(matrix),
        n_systems=prepared.n_systems,
        n_resamples=estimation.n_resamples,
        seed=None if rng is None or isinstance(rng, np.random.Generator) else int(rng),
        means=in_given_order(estimation.pairs.means, estimation.pairs.order),
        systems=prepared.shown_systems,
        estimation=estimation,
    )


def _value_of(coefficient: CoefficientLike, estimation: Estimation) -> dict[str, Any]:
    """The fields of a result that depend on the coefficient; warns where the value is undefined."""
    wanted = as_coefficient(coefficient)
    # an estimator by probabilities of pairs needs the weights of pairs
    if not estimation.is_shrunken and estimation.estimator not in HALVES:
        arguments.one_of("coefficient", wanted.name, published.WEIGHTS)
    by_topics, n_topics = CorrelationByTopics(wanted, estimation), estimation.pairs.n_topics
    value = by_topics.expected(n_topics)
    if math.isnan(value):
        why = "where all means are tied"
        # else only the estimators by halves can fail
        if not estimation.all_tied:
            halves = f"halves of {n_topics} topics disagree at fewer than two sizes"
            why = f"as {halves}, too few for a line"
        message = f"The expected correlation is undefined {why}: the result is nan."
        warn(message, DegenerateInputWarning)
    return {"value": value, "coefficient": wanted.name, "of": wanted, "_by_topics": by_topics}


@dataclass(frozen=True, eq=False)
class CorrelationByTopics:
    """One coefficient of a ranking with the true one, as it depends on the number of topics."""

    of: Coefficient
    estimation: Estimation

    def expected(self, n_topics: float) -> float:
        """The expected correlation of a ranking over so many topics; nan if all means are tied."""
        estimation = self.estimation
        if estimation.all_tied:
            return math.nan
        if estimation.estimator in HALVES:
            return self._decay.at(n_topics)
        if not estimation.is_shrunken:
            # 1 - 2 (the weight of the pairs that are expected to be swapped)
            return float(1.0 - 2.0 * (self._pair_weights * estimation.swapped(n_topics)).sum())
        here, n_here = self._correlations_here, estimation.pairs.n_topics
        value = float(here.mean()) if here.size else math.nan
        if n_topics == n_here:
            return value
        shortfall_here = shortfall_at(self.shortfalls, n_here)
        return float(_scaled(value, shortfall_here, shortfall_at(self.shortfalls, n_topics)))

    def quantiles(self, n_topics: float, shares: tuple[float, float]) -> Floats:
        """Quantiles, (2,), of correlations of rankings over so many topics with drawn truths."""

        def quantiles_of(correlations: Floats) -> Floats:
            if not correlations.size:
                return np.array([math.nan, math.nan])
            return np.asarray(np.quantile(correlations, shares))

        n_here = self.estimation.pairs.n_topics
        if not self.estimation.is_shrunken and n_topics != n_here:
            return quantiles_of(self._correlations_with(self.estimation.resampled_at(n_topics)))
        here = quantiles_of(self._correlations_here)
        if n_topics == n_here:
            return here
        # each quantile's shortfall of 1 changes as that of rankings on new topics does
        shortfalls_here = 1.0 - quantiles_of(self.of_new_topics(n_here))
        shortfalls = 1.0 - quantiles_of(self.of_new_topics(n_topics))
        return np.asarray(_scaled(here, shortfalls_here, shortfalls))

    def first_to_reach(self, target: float) -> float:
        """The first number of topics whose expected correlation reaches the target, or inf."""
        if self.expected(1.0) >= target:
            return 1.0
        # it never falls: not reached with the topics at hand, nor in the limit, is out of reach
        is_missed_here = self.expected(float(self.estimation.pairs.n_topics)) < target
        if is_missed_here and not self.expected(math.inf) > target:
            return math.inf
        return design.first_enough(lambda number: self.expected(float(number)) >= target)

    def topics_of_draws(self, target: float) -> Floats:
        """How many topics each draw of the true means needs for the target, shape (n_draws,)."""
        return topics_to_reach(self.shortfalls, target)

    @cached_property
    def _correlations_here(self) -> Floats:
        """With the draws of the true means, for the topics at hand: shape (n_draws,), or fewer."""
        return self._correlations_with(self.estimation.truths)

    def _correlations_with(self, truths: Floats) -> Floats:
        """f(draw, measured means) of draws of true means, (n_draws, m), but for those all tied."""
        measured = np.broadcast_to(self.estimation.pairs.means, truths.shape)
        correlations = self.of.kernel(truths, measured)
        return correlations[np.isfinite(correlations)]

    def of_new_topics(self, n_topics: float) -> Floats:
        """The correlation of some draws of true means with means over new topics: (n_draws,)."""
        estimation = self.estimation
        # 2000 draws, fewer than there are, as only ratios are made of them; for more than a hundred
        # systems, whose correlations vary less, as many as have 200 000 means. Chosen, not tuned.
        size = min(2000, max(200_000 // estimation.pairs.n_systems, FEWEST_DRAWS))
        truths, noise = estimation.truths[:size], estimation.noise[:size]
        # noise of n topics becomes that of N topics by the factor sqrt(n / N)
        measured = truths + noise * math.sqrt(estimation.pairs.n_topics / n_topics)
        correlations = self.of.kernel(truths, round_means(measured, estimation.scores))
        return correlations[np.isfinite(correlations)]

    @cached_property
    def shortfalls(self) -> Floats:
        """1 less the expected correlation on N new topics, for each draw of the true means.

        Shape (n_draws, size of LOG_TOPICS), N being the powers of two.
        """
        truths, n_topics = self.estimation.truths, self.estimation.pairs.n_topics
        # with a closed form by the probabilities of swaps, else as a mean over draws of the noise
        if self.of.family in published.WEIGHTS:
            errors = mean_differences(self.estimation.scores)[1]
            return shortfalls_of_draws(self.of.family, truths, errors, n_topics)
        return shortfalls_by_simulation(self.of.kernel, truths, self.estimation.noise, n_topics)

    @cached_property
    def _pair_weights(self) -> Floats:
        """What the swap of each pair costs the coefficient, halved: shape (n_pairs,)."""
        return published.WEIGHTS[self.of.name](self.estimation.pairs)

    @cached_property
    def _decay(self) -> published.Decay:
        """The line through the correlations of halves of the topics."""
        estimation, rng = self.estimation, resampling.clone(self.estimation.halves_rng)
        with_replacement, n_jobs = HALVES[estimation.estimator], estimation.n_jobs
        return published.split_half(estimation.scores, self.of, with_replacement, rng, n_jobs)


@dataclass(frozen=True, eq=False)
class Estimation:
    """What coefficients of one estimate share: pairs, their probabilities, draws of true means."""

    pairs: published.RankedPairs
    estimator: str
    n_resamples: int
    draws_rng: np.random.Generator
    halves_rng: np.random.Generator
    n_jobs: int | None

    @property
    def is_shrunken(self) -> bool:
        """Whether the estimator has draws of the true means, unlike the published ones."""
        return self.estimator == "shrunken"

    @cached_property
    def scores(self) -> Floats:
        """Shape (n_topics, n_systems), best system first."""
        return np.ascontiguousarray(self.pairs.scores.T)

    @property
    def all_tied(self) -> bool:
        """Whether all systems have one mean, so that there is no ranking."""
        return bool(self.pairs.means[0] == self.pairs.means[-1])

    @cached_property
    def probabilities(self) -> Floats:
        """The probability that the true ranking swaps two systems, (m, m), in the order given."""
        if self.estimator in HALVES:
            return np.full((self.pairs.n_systems, self.pairs.n_systems), math.nan)
        if not self.is_shrunken:
            return self.pairs.as_matrix(self._swapped_here)
        # eq. 5 of the shrunken truth: a true difference has another sign than the measured one
        t = t_statistics(*mean_differences(self.scores))[self.pairs.indices]
        swapped = self.reliability.wrong_sign(t, self.pairs.n_topics)
        return self.pairs.as_matrix(published.swapped(self.pairs, swapped))

    # --- draws of the true means ------------------------------------------------------------------

    @cached_property
    def reliability(self) -> Reliability:
        """The posterior of the reliability of the differences of systems."""
        return shrunken.reliability_of(self.scores)

    @cached_property
    def truths(self) -> Floats:
        """Draws of the true means, shape (n_resamples, n_systems).

        The published estimators have none: means of resampled topics stand for them.
        """
        if not self.is_shrunken:
            return self.resampled_at(self.pairs.n_topics)
        size, rng = self.n_resamples, self._generators[0]
        return shrunken.draw_truths(self.scores, self.reliability, size, rng, self.n_jobs)

    @cached_property
    def noise(self) -> Floats:
        """Draws of the errors of means over as many topics, of the shape of `truths`."""
        if not self.is_shrunken:
            return self.truths - self.pairs.means
        size, rng = self.n_resamples, self._generators[1]
        return shrunken.noise_of_means(self.scores, size, rng, self.n_jobs)

    @cached_property
    def _generators(self) -> list[np.random.Generator]:
        """One for the draws of the true means, one for those of the noise."""
        return self.draws_rng.spawn(2)

    # --- the published estimators -----------------------------------------------------------------

    def swapped(self, n_topics: float) -> Floats:
        """The probabilities that pairs are swapped, with `n_topics` topics: shape (n_pairs,)."""
        return self._swapped_here if n_topics == self.pairs.n_topics else self._swapped(n_topics)

    @cached_property
    def _swapped_here(self) -> Floats:
        """With the topics at hand, shape (n_pairs,); kept, as it is asked for more than once."""
        return self._swapped(self.pairs.n_topics)

    def _swapped(self, n_topics: float) -> Floats:
        """The probability of each pair, (n_pairs,), as `expected_correlation` defines it."""
        if self.estimator == "resampling":
            return published.of_resamples(self.pairs, self.resampled_at(n_topics))
        by_student = published.of_student(self.pairs, self._deviations, n_topics)
        if self.estimator != "kde":
            return by_student
        # a mean of n kernel resamples: a bootstrap mean plus a normal number of deviation h/sqrt(n)
        noise = self._bandwidths / math.sqrt(n_topics)
        smooth = published.of_smooth_resamples(self.pairs, self.resampled_at(n_topics), noise)
        # as by "ml" without a bandwidth, where half of a pair's differences are equal
        return np.where(np.isfinite(noise), smooth, by_student)

    @cached_property
    def _deviations(self) -> Floats:
        """The standard deviation of the difference of each pair, shape (n_pairs,)."""
        if self.estimator == "msqd":
            return self.pairs.over_topics(published.quantile_deviations, rounded=True)
        return published.maximum_likelihood(self.pairs)

    @cached_property
    def _bandwidths(self) -> Floats:
        """The bandwidth of each pair's kernel estimate, shape (n_pairs,); nan if there is none."""
        return self.pairs.over_topics(published.plug_in_bandwidths, cells=published.GRID_POINTS)

    @cached_property
    def _resampled(self) -> Floats:
        """Means of systems over bootstrap samples of topics, shape (n_resamples, n_systems)."""
        scores, n_topics, n_jobs = self.scores, self.pairs.n_topics, self.n_jobs

        def means(rng: np.random.Generator, size: int) -> Floats:
            """A block of them, shape (size, n_systems)."""
            return np.asarray(resampling.topic_weights(rng, size, n_topics) @ scores / n_topics)

        cells, rng = sum(scores.shape), self.draws_rng
        return resampling.blockwise(means, self.n_resamples, cells=cells, rng=rng, n_jobs=n_jobs)

    def resampled_at(self, n_topics: float) -> Floats:
        """Resampled means, (n_resamples, m), with the scatter that `n_topics` topics would have."""
        means, factor = self.pairs.means, math.sqrt(self.pairs.n_topics / n_topics)
        return round_means(means + (self._resampled - means) * factor, self.scores)


def _scaled(here: Any, new_here: Any, new: Any) -> Any:
    """A correlation for another number of topics, from that for the topics at hand.

    Its shortfall of 1 changes as that of rankings on new topics, from `new_here` to `new`.
    """
    unchanged = np.ones_like(np.asarray(new, dtype=np.float64))
    ratio = np.divide(new, new_here, out=unchanged, where=new_here > 0.0)
    return np.maximum(1.0 - (1.0 - here) * ratio, -1.0)


def _topics(n_topics: ArrayLike) -> Floats:
    """Numbers of topics as an array of their shape, checked: at least 1 each."""
    numbers = arguments.as_floats(n_topics, "n_topics")
    if (numbers < 1.0).any():
        raise ValueError(f"`n_topics` must be at least 1, got {numbers.min()}.")
    return numbers
