"""How well a ranking of systems is expected to agree with the true one, in the topic population.

The probability that the true ranking swaps two systems is estimated from their differences over the topics at hand.
Tau and tau_AP with the true ranking are linear in the swaps, so their expectations follow.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices
from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core import arguments
from pt_rankcorr.stats.core.design import warn_of_few_topics
from pt_rankcorr.stats.core.inputs import as_score_matrix, refuse_design
from pt_rankcorr.stats.core.means import in_given_order, in_one_order, round_means
from pt_rankcorr.stats.core.pairs import check_number_of_systems, system_names
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, topic_weights, twin
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result, cached_property, read_only
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.stats.expected import discordance
from pt_rankcorr.stats.expected.split_half import Decay, split_half
from pt_rankcorr.stats.expected.topics_needed import CLOSED_FORMS, TopicsNeeded, topics_by_simulation, topics_of_draws
from pt_rankcorr.stats.truth import shrunken
from pt_rankcorr.stats.truth.reliability import Reliability, mean_differences, t_statistics
from pt_rankcorr.tables import COEFFICIENT, Column, facts
from pt_rankcorr.warnings import DegenerateInputWarning

Curve: TypeAlias = Callable[[float], float]

ESTIMATORS: tuple[choices.Estimator, ...] = get_args(choices.Estimator)
HALVES = {"split-half": False, "split-half-replace": True}  # whether topics are drawn with replacement
BY_ORDER = frozenset({"tau", "tau_ap"})  # coefficients for which only the order of scores matters
GUESS = (
    "their expected correlation is a guess, some .1 to .2 too low for most systems, and too high for a few that are "
    "truly close. Look at its interval, or take more topics."
)


@dataclass(frozen=True, eq=False)
class ExpectedCorrelationResult(Result):
    """The expected correlation of the observed ranking of systems with the true one.

    Attributes:
        value: The expected correlation, in [-1, 1]; nan where the observed means are all tied.
        coefficient: The name of the coefficient.
        estimator: How the probabilities of discordance were estimated.
        n_topics, n_systems: How many there are.
        n_resamples: The number of resamples of topics for the interval, and for some of the estimators.
        seed: The given seed, if it was an integer.
        means: The mean score of each system, shape (n_systems,).
        systems: The names of the systems; "s1", "s2", ... where the scores had none.
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
    _of: Coefficient = field(repr=False, compare=False)
    _evidence: Estimation = field(repr=False, compare=False)
    _curve: Curve = field(repr=False, compare=False)

    def _facts(self) -> tuple[Column[Any], ...]:
        """With the 95% interval of the value."""
        first, *others = facts(self.to_dict())
        title, symbol = f"expected {self._of.title}", f"expected {self._of.symbol}"
        ends: dict[str, Any] = {"interval": lambda _: self.confidence_interval(), "ends": ("low", "high")}
        first = replace(first, title=title, symbol=symbol, kind=COEFFICIENT, **ends)
        return (first, *(replace(column, wide=True) for column in others))

    def _note(self, level: float = LEVEL) -> str:
        return (
            f"How this ranking of {self.n_systems} systems on {self.n_topics} topics agrees with the true one in the "
            f"topic population: the expectation, and a {level:.0%} interval of the actual {self._of.title}."
        )

    @property
    def probabilities(self) -> Floats:
        """For each pair of systems, the probability that the true ranking swaps them.

        Shape (n_systems, n_systems), symmetric, in the order given: 1/2 for tied systems and 0 on the diagonal; nan for
        the split-half estimators, which do not use pairs.
        """
        return self._evidence.probabilities

    def confidence_interval(self, level: float = LEVEL, *, n_topics: float | None = None) -> ConfidenceInterval:
        """An interval for the actual correlation between the observed ranking and the true one.

        The ends are quantiles of f(draw, measured means) over the draws of the true means. The published estimators
        use means of resampled topics as these draws, and their intervals are too short where systems are close or
        topics few. Draws in which all means are tied are left out.

        Args:
            level: The probability that the actual correlation lies inside, between 0 and 1.
            n_topics: The number of topics of the ranking, at least 1; by default as many as there are.
        """
        tail = (1.0 - arguments.share("level", level)) / 2.0
        number = self.n_topics if n_topics is None else arguments.real_number("n_topics", n_topics)
        correlations = self._evidence.correlations(self._of, float(_topics(number)))
        defined = correlations[np.isfinite(correlations)]
        low, high = np.quantile(defined, (tail, 1.0 - tail)) if defined.size else (math.nan, math.nan)
        return ConfidenceInterval(float(low), float(high))

    def curve(self, n_topics: ArrayLike) -> float | Floats:
        """The expected correlation with other numbers of topics.

        The differences between systems stay as observed, and their standard errors change with the square root of the
        number of topics (see the calibration page).

        Args:
            n_topics: Numbers of topics, each at least 1, of any shape.

        Returns:
            A float for a single number, else an array of the same shape.
        """
        numbers = _topics(n_topics)
        values = np.array([self._curve(float(number)) for number in numbers.flat]).reshape(numbers.shape)
        return float(values) if values.ndim == 0 else values

    def topics_needed(self, target: float) -> TopicsNeeded:
        """The smallest number of topics whose expected correlation reaches the target, with its interval.

        Args:
            target: The target for the expected correlation, in [-1, 1].

        Returns:
            A whole number, which has the ends `low` and `high` of its 95% interval, and `confidence_interval(level)`;
            inf where no number of topics is enough, as tied systems stay tied; nan where the expected correlation is.
            A number beyond twice the topics at hand is extrapolated further than simulations have checked.
            The interval covers the numbers that draws of the true means need, and is computed on first use. It is wide
            where systems are close. From 25 topics on it held .95 of the true numbers among systems at random, and .83
            to 1.00 among 20 neighbours in rank; with 10 topics of a discrete measure it held far fewer.
        """
        wanted = arguments.correlation("target", target)
        if math.isnan(self.value):
            return TopicsNeeded(math.nan)
        needed = _first_to_reach(wanted, self._curve, self.n_topics)
        return TopicsNeeded(needed, partial(self._evidence.topics_of_draws, self._of, wanted))

    def with_coefficient(self, coefficient: CoefficientLike) -> ExpectedCorrelationResult:
        """The same result for another coefficient, as `expected_correlation` takes it, from the same resamples."""
        wanted = _known_to(self.estimator, coefficient)
        return self if wanted == self._of else _result(self._evidence, wanted)


def expected_correlation(
    scores: ArrayLike,
    *,
    coefficient: CoefficientLike = "tau_ap",
    estimator: choices.Estimator = "shrunken",
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> ExpectedCorrelationResult:
    """The expected rank correlation between the ranking of systems over these topics and the true one.

    With systems in the order of their means, best first, and p_ji the probability that the true ranking swaps j and
    i, E[tau] = 1 - 4/(m(m-1)) * sum_{j<i} p_ji and E[tau_AP] = 1 - 2/(m-1) * sum_{i>=2} sum_{j<i} p_ji / (i-1).
    E[tau_GAP] weighs p_ji by the observed gap of the pair, as a share of all gaps above i, and leaves out systems tied
    with the best. It is too high, as it would need the gaps of the true means. All lie in [-1, 1]. Tied systems are
    swapped with probability 1/2, and tau_AP is the mean over the ways to break the ties.

    The default estimator, "shrunken", needs no such formulas: it is the mean of f(draw, measured means) over draws of
    the true means, which remove what sampling errors add to the measured differences (see `stats.shrunken_truth`). The
    calibration page compares it with the published ones, which estimate p from the differences D of a pair over n
    topics:

    - "ml": T_{n-1}(-sqrt(n) mean(D) / s), T the t distribution, s the unbiased standard deviation.
    - "msqd": the same, with the s that brings D closest to evenly spread normal quantiles. With few topics it is the
      best of the published ones, but too high for close systems. Where differences are tied, values differ from the
      printed equation 9, which is not that minimum.
    - "resampling": the share of bootstrap means below 0.
    - "kde": the same for resamples from a Gaussian kernel estimate with a direct plug-in bandwidth; "ml" for pairs
      where half of the differences are equal, which leaves the bandwidth without a scale.
    - "split-half", "split-half-replace": without probabilities of pairs, correlations of disjoint halves, or of halves
      drawn with replacement, of up to 20 sizes with 100 trials each. log((1 - tau)/2) is extrapolated linearly in the
      size. Trials that agree perfectly are left out, as published: with few systems the result is far too low.

    A pair without variance is never swapped. "ml" and "msqd" take O(m^2 n log n), the halves 2000 correlations, the
    others O(m^2 n_resamples) time; memory is O(m^2 + m n_resamples) and blocks of 32 MiB.

    Args:
        scores: Scores of topics x systems, higher is better, at least 2 topics: an array, a frame, a `ScoreMatrix`.
        coefficient: The name of a coefficient, or a `stats.Coefficient`; by the published estimators "tau", "tau_ap" or
            "tau_gap".
        estimator: How it is estimated: "shrunken", "msqd", "ml", "resampling", "kde", "split-half" or
            "split-half-replace".
        n_resamples: Draws for "shrunken"; resamples of topics for the interval and for "resampling" and "kde".
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with `value`, the probabilities of discordance, and methods for an interval, the curve over other
        numbers of topics, and the number of topics needed.

    Raises:
        TypeError: If an argument is of the wrong type.
        ValueError: If the scores are not finite or too few, systems are more than 8192, or an argument is out of its
            range.

    Warns:
        DegenerateInputWarning: If all observed means are tied, or halves of the topics disagree at only one size, as
            with fewer than four topics: the value is nan.
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: If the 95% interval of the reliability begins at its least value, .02, with "shrunken": the
            topics do not show that the systems differ, and no estimate of how well they are ranked can be good.

    References:
        Urbano and Marrero, "Toward estimating the rank correlation between the test collection results and the true
        system performance", SIGIR 2016, section 3. Bandwidth: Wand and Jones, "Kernel smoothing", 1995, section 3.6.
        tau_GAP: Gao, Oard, SIGIR 2015; its expectation is new.

    Example:
        Two systems and two topics, with differences 0.3 and 0.1. Their s is 0.2 / sqrt(2) * sqrt(pi / 2). So
        p = T_1(-1.5958), and T_1 is the Cauchy distribution, 1/2 - arctan(1.5958) / pi:

        >>> result = expected_correlation([[0.5, 0.2], [0.3, 0.2]], coefficient="tau", estimator="ml")
        >>> round(float(result.probabilities[0, 1]), 4), round(result.value, 4)
        (0.1782, 0.6436)
    """
    scores = as_score_matrix(scores, min_topics=2)
    if str(estimator).startswith("split-half"):
        refuse_design(scores, "scores", "of others take `estimator='ml'`, not halves of topics", unless_even=True)
    check_number_of_systems("scores", scores.n_systems)
    matrix = in_one_order(scores.rows)
    warn_of_few_topics(len(matrix), "expected correlations were")
    draws_rng, halves_rng = generator(rng).spawn(2)
    evidence = Estimation(
        pairs=discordance.pairs_of(matrix),
        systems=system_names(scores, matrix.shape[1]),
        estimator=arguments.one_of("estimator", estimator, ESTIMATORS),
        n_resamples=arguments.resample_count(n_resamples),
        seed=None if rng is None or isinstance(rng, np.random.Generator) else int(rng),
        draws_rng=draws_rng,
        halves_rng=halves_rng,
        n_jobs=n_jobs,
    )
    result = _result(evidence, _known_to(evidence.estimator, coefficient))
    if evidence.estimator == "shrunken" and not math.isnan(result.value):
        shrunken.warn_if_close(evidence.reliability, matrix, GUESS)
    return result


def _known_to(estimator: str, coefficient: CoefficientLike) -> Coefficient:
    """The coefficient, of which an estimator by probabilities of pairs needs the weights of pairs."""
    wanted = as_coefficient(coefficient)
    if estimator not in ("shrunken", *HALVES):
        arguments.one_of("coefficient", wanted.name, discordance.WEIGHTS)
    return wanted


def _result(evidence: Estimation, coefficient: Coefficient) -> ExpectedCorrelationResult:
    pairs, curve = evidence.pairs, evidence.curve(coefficient)
    value = curve(pairs.n_topics)
    if math.isnan(value):
        message = "The expected correlation is undefined"
        if pairs.means[0] == pairs.means[-1]:
            message += " where all means are tied"
        else:  # only the halves can fail here
            message += f" as halves of {pairs.n_topics} topics disagree at fewer than two sizes, too few for a line"
        warnings.warn(f"{message}: the result is nan.", DegenerateInputWarning, stacklevel=3)
    return ExpectedCorrelationResult(
        value=value,
        coefficient=coefficient.name,
        estimator=evidence.estimator,
        n_topics=pairs.n_topics,
        n_systems=pairs.n_systems,
        n_resamples=evidence.n_resamples,
        seed=evidence.seed,
        means=in_given_order(pairs.means, pairs.order),
        systems=evidence.systems,
        _of=coefficient,
        _evidence=evidence,
        _curve=curve,
    )


@dataclass(frozen=True, eq=False)
class Estimation:
    """What all coefficients of one estimate share: the pairs, their probabilities, the draws of the true means."""

    pairs: discordance.RankedPairs
    systems: Labels
    estimator: str
    n_resamples: int
    seed: int | None
    draws_rng: np.random.Generator
    halves_rng: np.random.Generator
    n_jobs: int | None
    _correlations: dict[tuple[Coefficient, float], Floats] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def scores(self) -> Floats:
        """Shape (n_topics, n_systems), best system first."""
        return np.ascontiguousarray(self.pairs.scores.T)

    @cached_property
    def probabilities(self) -> Floats:
        """For each pair of systems, the probability that the true ranking swaps them, in the order given."""
        if self.estimator in HALVES:
            return np.full((self.pairs.n_systems, self.pairs.n_systems), math.nan)
        if self.estimator != "shrunken":
            return self.pairs.as_matrix(self._swapped_now)
        t = t_statistics(*mean_differences(self.scores))[self.pairs.indices]
        swapped = self.reliability.wrong_sign(t, self.pairs.n_topics)
        return self.pairs.as_matrix(discordance.swapped(self.pairs, swapped))

    def curve(self, coefficient: Coefficient) -> Curve:
        """The expected correlation as a function of the number of topics."""
        if self.pairs.means[0] == self.pairs.means[-1]:
            return Decay(math.nan, math.nan).at
        if self.estimator in HALVES:
            return split_half(
                self.scores,
                coefficient.kernel,
                by_order=coefficient.name in BY_ORDER,
                replace=HALVES[self.estimator],
                rng=twin(self.halves_rng),  # the same halves for every coefficient
                n_jobs=self.n_jobs,
            ).at
        if self.estimator == "shrunken":
            return partial(self._mean_correlation, coefficient)
        return partial(self._expected, discordance.WEIGHTS[coefficient.name](self.pairs))

    def _mean_correlation(self, coefficient: Coefficient, n_topics: float) -> float:
        correlations = self.correlations(coefficient, n_topics)
        defined = correlations[np.isfinite(correlations)]
        return float(defined.mean()) if defined.size else math.nan

    def correlations(self, coefficient: Coefficient, n_topics: float) -> Floats:
        """Of measured means with each draw that stands for the true ones; nan where either tie all systems.

        They are kept: intervals, and searches for several targets, ask for the same numbers of topics.
        """
        if (coefficient, n_topics) not in self._correlations:
            if self.estimator == "shrunken":
                truths, measured = self.truths, self.measured(n_topics)
            else:
                truths = self.resampled_at(n_topics)
                measured = np.broadcast_to(self.pairs.means, truths.shape)
            self._correlations[coefficient, n_topics] = read_only(coefficient.kernel(truths, measured))
        return self._correlations[coefficient, n_topics]

    def topics_of_draws(self, coefficient: Coefficient, target: float) -> Floats:
        """How many topics each draw that stands for the true means needs."""
        n_topics = self.pairs.n_topics
        if self.estimator == "shrunken":
            truths, noise = self.truths, self.noise
        else:
            truths = self.resampled_at(n_topics)
            noise = truths - self.pairs.means
        if coefficient.family in CLOSED_FORMS:
            errors = mean_differences(self.scores)[1]
            return topics_of_draws(coefficient.family, truths, errors, n_topics, target)
        return topics_by_simulation(coefficient.kernel, truths, noise, n_topics, target)

    # --- the published estimators ---------------------------------------------------------------------------

    def _expected(self, weights: Floats, n_topics: float) -> float:
        """1 - 2 * (the weight of the pairs that are expected to be swapped)."""
        with_these = n_topics == self.pairs.n_topics
        swapped = self._swapped_now if with_these else self._swapped(n_topics)
        return float(1.0 - 2.0 * (weights * swapped).sum())

    @cached_property
    def _swapped_now(self) -> Floats:  # wanted more than once
        return self._swapped(self.pairs.n_topics)

    def _swapped(self, n_topics: float) -> Floats:
        """The probabilities that pairs are swapped, with so many topics."""
        if self.estimator == "resampling":
            return discordance.of_resamples(self.pairs, self.resampled_at(n_topics))
        by_student = discordance.of_student(self.pairs, self.deviations, n_topics)
        if self.estimator != "kde":
            return by_student
        noise = self.bandwidths / math.sqrt(n_topics)
        smooth = discordance.of_smooth_resamples(self.pairs, self.resampled_at(n_topics), noise)
        return np.where(np.isfinite(noise), smooth, by_student)

    @cached_property
    def deviations(self) -> Floats:
        """The standard deviation of the difference of each pair."""
        if self.estimator == "msqd":
            return discordance.minimum_squared_quantile_deviation(self.pairs)
        return discordance.maximum_likelihood(self.pairs)

    @cached_property
    def bandwidths(self) -> Floats:
        """Of the kernel estimate of each pair; nan where there is none."""
        return self.pairs.over_topics(discordance.plug_in_bandwidths, cells=discordance.GRID)

    @cached_property
    def resampled(self) -> Floats:
        """Means over bootstrap samples of topics, jointly for all systems, shape (n_resamples, n_systems)."""
        scores, n_topics = self.scores, self.pairs.n_topics

        def means(rng: np.random.Generator, size: int) -> Floats:
            return np.asarray(topic_weights(rng, size, n_topics) @ scores / n_topics)

        cells = sum(scores.shape)
        return blockwise(means, self.n_resamples, cells=cells, rng=self.draws_rng, n_jobs=self.n_jobs)

    def resampled_at(self, n_topics: float) -> Floats:
        """The same as they would scatter around the observed means, had there been so many topics."""
        shrinkage = math.sqrt(self.pairs.n_topics / n_topics)
        return round_means(self.pairs.means + (self.resampled - self.pairs.means) * shrinkage, self.scores)

    # --- the shrunken truth -----------------------------------------------------------------------------------

    @cached_property
    def reliability(self) -> Reliability:
        return shrunken.reliability_of(self.scores)

    @cached_property
    def _generators(self) -> list[np.random.Generator]:
        return self.draws_rng.spawn(2)

    @cached_property
    def truths(self) -> Floats:
        """Draws of the true means, shape (n_resamples, n_systems)."""
        return shrunken.draw_truths(self.scores, self.reliability, self.n_resamples, self._generators[0], self.n_jobs)

    @cached_property
    def noise(self) -> Floats:
        """Draws of the errors of means over as many topics, of that shape; for other numbers of topics only."""
        return shrunken.noise_of_means(self.scores, self.n_resamples, self._generators[1], self.n_jobs)

    def measured(self, n_topics: float) -> Floats:
        """What so many topics would measure if the draws of the truth were true, of the shape of the draws.

        Fewer topics are some of those at hand: their means scatter around the measured ones. More topics are those at
        hand and new ones, whose means scatter around the draw of the truth.
        """
        observed, n = self.pairs.means, self.pairs.n_topics
        if n_topics == n:
            return np.broadcast_to(observed, self.truths.shape)
        if n_topics < n:
            means = observed + self.noise * math.sqrt(n / n_topics - 1.0)
        elif math.isinf(n_topics):
            means = self.truths
        else:
            new = self.truths + self.noise * math.sqrt(n / (n_topics - n))
            means = (n * observed + (n_topics - n) * new) / n_topics
        return round_means(means, self.scores)


def _topics(n_topics: ArrayLike) -> Floats:
    numbers = arguments.as_floats(n_topics, "n_topics")
    if (numbers < 1.0).any():
        raise ValueError(f"`n_topics` must be at least 1, got {numbers.min()}.")
    return numbers


def _first_to_reach(target: float, curve: Curve, n_topics: int) -> float:
    """The first whole number at which a curve that never falls reaches the target: by doubling, then halving.

    A target that it only comes near to is out of reach, unless it has reached it with the topics at hand.
    """
    if curve(1.0) >= target:
        return 1
    if curve(float(n_topics)) < target and not curve(math.inf) > target:
        return math.inf
    low, high = 1, 2
    while curve(float(high)) < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if curve(float(middle)) >= target else (middle, high)
    return high
