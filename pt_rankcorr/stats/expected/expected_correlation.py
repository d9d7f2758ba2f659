"""How well a ranking of systems is expected to agree with the true one, in the topic population.

The probability that the true ranking swaps two systems is estimated from their differences over the topics at hand.
Tau and tau_AP with the true ranking are linear in the swaps, so their expectations follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, get_args

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
from pt_rankcorr.stats.core.types import (
    ConfidenceInterval,
    Floats,
    Labels,
    Result,
    cached_property,
    read_only,
)
from pt_rankcorr.stats.expected import published
from pt_rankcorr.stats.expected.topics_needed import (
    CLOSED_FORMS,
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

Curve: TypeAlias = Callable[[float], float]

ESTIMATORS: tuple[choices.Estimator, ...] = get_args(choices.Estimator)
# estimators by halves of the topics -> whether their topics are drawn with replacement
HALVES = {"split-half": False, "split-half-replace": True}
# Intervals for other numbers of topics take this many draws, fewer than there are, as only ratios
# are made of them; and for more than a hundred systems, whose correlations vary less, as many as
# have so many means. Chosen, not tuned.
NEW_TOPICS_DRAWS, NEW_TOPICS_MEANS = 2000, 200_000
GUESS = (
    "their expected correlation is a guess, some .1 to .2 too low for most systems, and too high for a few that are "
    "truly close. Look at its interval, or take more topics."
)


@dataclass(frozen=True, eq=False)
class ExpectedCorrelationResult(Result, Drawable, Quotable):
    """The expected correlation of the observed ranking of systems with the true one.

    Attributes:
        value: The expected correlation, in [-1, 1]; nan where the observed means are all tied.
        coefficient, estimator: Their names.
        n_topics, n_systems, n_resamples: How many there are, and how many draws, or resamples of topics.
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
    of: Coefficient = field(repr=False, compare=False)
    _estimation: Estimation = field(repr=False, compare=False)
    _curve: Curve = field(repr=False, compare=False)

    @property
    def probabilities(self) -> Floats:
        """For each pair of systems, the probability that the true ranking swaps them, shape (n_systems, n_systems).

        1/2 for tied systems, 0 on the diagonal; nan for the split-half estimators, which do not use pairs.
        """
        return self._estimation.probabilities

    def confidence_interval(
        self,
        level: float = LEVEL,
        *,
        n_topics: float | None = None,
    ) -> ConfidenceInterval:
        """An interval for the actual correlation between the observed ranking and the true one.

        The ends are quantiles of f(draw, measured means) over the draws of the true means that are not all tied; by the
        published estimators over means of resampled topics, which is too short where systems are close or topics few.

        Args:
            level: The probability that the actual correlation lies inside, between 0 and 1.
            n_topics: The number of topics of the ranking, at least 1; by default as many as there are.
        """
        tail = (1.0 - arguments.share("level", level)) / 2.0
        number = self.n_topics if n_topics is None else arguments.real_number("n_topics", n_topics)
        low, high = self._estimation.quantiles(self.of, float(_topics(number)), (tail, 1.0 - tail))
        return ConfidenceInterval(float(low), float(high))

    def curve(self, n_topics: ArrayLike) -> float | Floats:
        """The expected correlation with other numbers of topics, each at least 1: an array of their shape.

        With "shrunken", 1 less the value changes as it does over draws of the true means for rankings on so many new
        topics. With the published estimators, differences stay as observed, and their standard errors change with the
        square root of the number of topics.
        """
        numbers = _topics(n_topics)
        values = np.array([self._curve(float(number)) for number in numbers.flat]).reshape(numbers.shape)
        return float(values) if values.ndim == 0 else values

    def topics_needed(self, target: float) -> TopicsNeeded:
        """The smallest number of topics whose expected correlation reaches the target, with its interval.

        Args:
            target: The target for the expected correlation, in [-1, 1].

        Returns:
            A whole number, shown with two significant digits, with an interval of the numbers that draws of the true
            means need; an end that draws of another seed would change has one digit. inf where no number of topics is
            enough, as tied systems stay tied; nan where the expected correlation is. An asterisk marks a number beyond
            twice the topics at hand, further than simulations have checked: see the calibration page.
        """
        wanted = arguments.correlation("target", target)
        needed = math.nan if math.isnan(self.value) else _first_to_reach(wanted, self._curve, self.n_topics)
        draws = partial(self._estimation.topics_of_draws, self.of, wanted)
        return TopicsNeeded(needed, draws, self.of.title, wanted, self.n_topics)

    def with_coefficient(self, coefficient: CoefficientLike) -> ExpectedCorrelationResult:
        """Estimates another coefficient, as `expected_correlation` takes it, from the same resamples and draws."""
        wanted = _known_to(self.estimator, coefficient)
        return replace(self, **_value_of(wanted, self._estimation))


def expected_correlation(
    scores: ArrayLike,
    coefficient: CoefficientLike = "tau_ap",
    *,
    estimator: choices.Estimator = "shrunken",
    n_resamples: int = RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> ExpectedCorrelationResult:
    """The expected rank correlation between the ranking of systems over these topics and the true one.

    The default estimator, "shrunken", is the mean of f(draw, measured means) over draws of the true means, which lack
    what sampling errors add to the measured differences (see `stats.shrunken_truth`). The calibration page compares it
    with the published ones.

    With systems in the order of their means, best first, and p_ji the probability that the true ranking swaps j and
    i, E[tau] = 1 - 4/(m(m-1)) * sum_{j<i} p_ji and E[tau_AP] = 1 - 2/(m-1) * sum_{i>=2} sum_{j<i} p_ji / (i-1).
    E[tau_GAP] weighs p_ji by the observed gap of the pair, as a share of all gaps above i, and leaves out systems tied
    with the best. It is too high, as it would need the gaps of the true means. All lie in [-1, 1]. Tied systems are
    swapped with probability 1/2, and tau_AP is the mean over the ways to break the ties. The published estimators take
    p from the differences D of a pair over n topics:

    - "ml": T_{n-1}(-sqrt(n) mean(D) / s), T the t distribution, s the unbiased standard deviation.
    - "msqd": the same, with the s that brings D closest to evenly spread normal quantiles; this is not the printed
      equation 9 where differences are tied. It is the best of these with few topics, but too high for close systems.
    - "resampling": the share of bootstrap means below 0. Those of just 0 count one half; the printed equation 10 counts
      none of them.
    - "kde": the same for resamples from a Gaussian kernel estimate with a direct plug-in bandwidth; "ml" for pairs
      where half of the differences are equal, which leaves the bandwidth without a scale.
    - "split-half", "split-half-replace": log((1 - tau)/2) of halves of up to 20 sizes, disjoint or drawn with
      replacement, 100 times each, is extrapolated linearly in the size. Trials that agree perfectly are left out, as
      published: with few systems the result is far too low.

    A pair without variance is never swapped. "ml" and "msqd" take O(m^2 n log n), the halves 2000 correlations, the
    others O(m^2 n_resamples) time; memory is O(m^2 + m n_resamples) and blocks of 32 MiB.

    Args:
        scores: Scores of topics x systems, higher is better, at least 2 topics: an array, a frame, a `ScoreMatrix`.
        coefficient: The name of a coefficient, or a `stats.Coefficient`; by the published estimators "tau", "tau_ap" or
            "tau_gap".
        estimator: "shrunken", "msqd", "ml", "resampling", "kde", "split-half" or "split-half-replace".
        n_resamples: Draws for "shrunken"; resamples of topics for the interval and for "resampling" and "kde".
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        A result with `value`, and methods for an interval, the curve over numbers of topics, and the topics needed.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of at least 2 topics and 2 to 8192 systems, or an
            argument is out of its range.

    Warns:
        DegenerateInputWarning: If all means are tied, or halves disagree at fewer than two sizes: the value is nan.
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ.

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
    prepared = prepare_matrix(scores, min_topics=2)
    if str(estimator).startswith("split-half"):
        refuse_design(prepared, "scores", "of others take `estimator='ml'`, not halves of topics", unless_even=True)
    arguments.check_number_of_systems("scores", prepared.n_systems)
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
    estimated = _value_of(_known_to(estimation.estimator, coefficient), estimation)
    if estimation.estimator == "shrunken" and not math.isnan(estimated["value"]):
        shrunken.warn_if_close(estimation.reliability, matrix, GUESS)
    return ExpectedCorrelationResult(
        **estimated,
        estimator=estimation.estimator,
        n_topics=len(matrix),
        n_systems=prepared.n_systems,
        n_resamples=estimation.n_resamples,
        seed=None if rng is None or isinstance(rng, np.random.Generator) else int(rng),
        means=in_given_order(estimation.pairs.means, estimation.pairs.order),
        systems=prepared.shown_systems,
        _estimation=estimation,
    )


def _known_to(estimator: str, coefficient: CoefficientLike) -> Coefficient:
    """The coefficient, of which an estimator by probabilities of pairs needs the weights of pairs."""
    wanted = as_coefficient(coefficient)
    if estimator not in ("shrunken", *HALVES):
        arguments.one_of("coefficient", wanted.name, published.WEIGHTS)
    return wanted


def _value_of(coefficient: Coefficient, estimation: Estimation) -> dict[str, Any]:
    """The fields of a result that depend on the coefficient."""
    curve, n_topics = estimation.curve(coefficient), estimation.pairs.n_topics
    value = curve(n_topics)
    # if means are not all tied, only the estimators by halves can fail
    if math.isnan(value):
        of_halves = f"as halves of {n_topics} topics disagree at fewer than two sizes, too few for a line"
        why = "where all means are tied" if estimation.all_tied else of_halves
        message = f"The expected correlation is undefined {why}: the result is nan."
        warn(message, DegenerateInputWarning)
    return {"value": value, "coefficient": coefficient.name, "of": coefficient, "_curve": curve}


@dataclass(frozen=True, eq=False)
class Estimation:
    """What all coefficients of one estimate share: the pairs, their probabilities, the draws of the true means."""

    pairs: published.RankedPairs
    estimator: str
    n_resamples: int
    draws_rng: np.random.Generator
    halves_rng: np.random.Generator
    n_jobs: int | None
    _correlations: dict[tuple[Coefficient, float], Floats] = field(default_factory=dict, init=False, repr=False)
    _of_new_topics: dict[tuple[Coefficient, float], Floats] = field(default_factory=dict, init=False, repr=False)
    _shortfalls: dict[Coefficient, Floats] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def scores(self) -> Floats:
        """Shape (n_topics, n_systems), best system first."""
        return np.ascontiguousarray(self.pairs.scores.T)

    @property
    def all_tied(self) -> bool:
        return bool(self.pairs.means[0] == self.pairs.means[-1])

    @cached_property
    def probabilities(self) -> Floats:
        """For each pair of systems, the probability that the true ranking swaps them, in the order given."""
        if self.estimator in HALVES:
            return np.full((self.pairs.n_systems, self.pairs.n_systems), math.nan)
        if self.estimator != "shrunken":
            return self.pairs.as_matrix(self._swapped_now)
        # eq. 5 of the shrunken truth: the true difference of a pair has another sign than the measured one
        t = t_statistics(*mean_differences(self.scores))[self.pairs.indices]
        swapped = self.reliability.wrong_sign(t, self.pairs.n_topics)
        return self.pairs.as_matrix(published.swapped(self.pairs, swapped))

    def curve(self, coefficient: Coefficient) -> Curve:
        """The expected correlation as a function of the number of topics."""
        if self.all_tied:
            return published.Decay(math.nan, math.nan).at
        if self.estimator in HALVES:
            rng, with_replacement = resampling.clone(self.halves_rng), HALVES[self.estimator]
            return published.split_half(self.scores, coefficient, with_replacement, rng, self.n_jobs).at
        if self.estimator == "shrunken":
            return partial(self._mean_correlation, coefficient)
        return partial(self._expected, published.WEIGHTS[coefficient.name](self.pairs))

    def _mean_correlation(self, coefficient: Coefficient, n_topics: float) -> float:
        """The mean over draws of the true means.

        For another number of topics, its shortfall of 1 changes in the same ratio as that of rankings on new topics.
        """
        correlations = self.correlations(coefficient, self.pairs.n_topics)
        defined = correlations[np.isfinite(correlations)]
        value = float(defined.mean()) if defined.size else math.nan
        if n_topics == self.pairs.n_topics:
            return value
        shortfalls = self.shortfalls(coefficient)
        shortfall_here = shortfall_at(shortfalls, self.pairs.n_topics)
        return float(_scaled(value, shortfall_here, shortfall_at(shortfalls, n_topics)))

    def quantiles(
        self,
        coefficient: Coefficient,
        n_topics: float,
        shares: tuple[float, float],
    ) -> Floats:
        """Quantiles of the correlations with the draws, for the curve's numbers of topics."""

        def of(correlations: Floats) -> Floats:
            defined = correlations[np.isfinite(correlations)]
            return np.asarray(np.quantile(defined, shares) if defined.size else (math.nan, math.nan))

        if self.estimator != "shrunken":
            return of(self.correlations(coefficient, n_topics))
        here = of(self.correlations(coefficient, self.pairs.n_topics))
        if n_topics == self.pairs.n_topics:
            return here
        shortfalls = (1.0 - of(self.of_new_topics(coefficient, n)) for n in (self.pairs.n_topics, n_topics))
        return np.asarray(_scaled(here, *shortfalls))

    def correlations(self, coefficient: Coefficient, n_topics: float) -> Floats:
        """The correlation of the measured means with each draw of the true ones, shape (n_resamples,).

        It is nan where a draw ties all systems. It is kept, as searches ask for it again.
        """
        if (coefficient, n_topics) not in self._correlations:
            # only the published estimators ask for other numbers of topics than those at hand
            truths = self.truths if self.estimator == "shrunken" else self.resampled_at(n_topics)
            correlations = coefficient.kernel(truths, np.broadcast_to(self.pairs.means, truths.shape))
            self._correlations[coefficient, n_topics] = read_only(correlations)
        return self._correlations[coefficient, n_topics]

    def of_new_topics(self, coefficient: Coefficient, n_topics: float) -> Floats:
        """The correlation of some draws of the true means with means measured on `n_topics` new topics; kept."""
        if (coefficient, n_topics) not in self._of_new_topics:
            size = min(NEW_TOPICS_DRAWS, max(NEW_TOPICS_MEANS // self.pairs.n_systems, FEWEST_DRAWS))
            truths, noise = self.truths[:size], self.noise[:size]
            measured = round_means(truths + noise * math.sqrt(self.pairs.n_topics / n_topics), self.scores)
            self._of_new_topics[coefficient, n_topics] = read_only(coefficient.kernel(truths, measured))
        return self._of_new_topics[coefficient, n_topics]

    def shortfalls(self, coefficient: Coefficient) -> Floats:
        """1 less the expected correlation on N new topics, for each draw of the true means.

        Shape (n_draws, size of LOG_TOPICS), N being the powers of two.
        """
        # kept, as each target asks for them again
        if coefficient not in self._shortfalls:
            # the published estimators have no draws of true means: means of resamples stand for them
            is_shrunken, n_topics = self.estimator == "shrunken", self.pairs.n_topics
            truths = self.truths if is_shrunken else self.resampled_at(n_topics)
            # with a closed form by the probabilities of swaps, else as a mean over draws of the noise
            if coefficient.family in CLOSED_FORMS:
                errors = mean_differences(self.scores)[1]
                shortfalls = shortfalls_of_draws(coefficient.family, truths, errors, n_topics)
            else:
                noise = self.noise if is_shrunken else truths - self.pairs.means
                shortfalls = shortfalls_by_simulation(coefficient.kernel, truths, noise, n_topics)
            self._shortfalls[coefficient] = read_only(shortfalls)
        return self._shortfalls[coefficient]

    def topics_of_draws(self, coefficient: Coefficient, target: float) -> Floats:
        """How many topics each draw of the true means needs."""
        return topics_to_reach(self.shortfalls(coefficient), target)

    # --- the published estimators ---------------------------------------------------------------------------

    def _expected(self, weights: Floats, n_topics: float) -> float:
        """1 - 2 * (the weight of the pairs that are expected to be swapped)."""
        swapped = self._swapped_now if n_topics == self.pairs.n_topics else self._swapped(n_topics)
        return float(1.0 - 2.0 * (weights * swapped).sum())

    @cached_property
    def _swapped_now(self) -> Floats:
        """`_swapped` with the topics at hand, which is asked for more than once."""
        return self._swapped(self.pairs.n_topics)

    def _swapped(self, n_topics: float) -> Floats:
        """The probabilities that pairs are swapped, with `n_topics` topics."""
        if self.estimator == "resampling":
            return published.of_resamples(self.pairs, self.resampled_at(n_topics))
        by_student = published.of_student(self.pairs, self.deviations, n_topics)
        if self.estimator != "kde":
            return by_student
        # a mean of n kernel resamples is a bootstrap mean plus a normal number of deviation h / sqrt(n)
        noise = self.bandwidths / math.sqrt(n_topics)
        smooth = published.of_smooth_resamples(self.pairs, self.resampled_at(n_topics), noise)
        # pairs without a bandwidth, as half of their differences are equal, are estimated as by "ml"
        return np.where(np.isfinite(noise), smooth, by_student)

    @cached_property
    def deviations(self) -> Floats:
        """The standard deviation of the difference of each pair."""
        if self.estimator == "msqd":
            return self.pairs.over_topics(published.quantile_deviations, rounded=True)
        return published.maximum_likelihood(self.pairs)

    @cached_property
    def bandwidths(self) -> Floats:
        """The bandwidth of the kernel estimate of each pair; nan where there is none."""
        return self.pairs.over_topics(published.plug_in_bandwidths, cells=published.GRID)

    @cached_property
    def resampled(self) -> Floats:
        """Means over bootstrap samples of topics, jointly for all systems, shape (n_resamples, n_systems)."""
        scores, n_topics = self.scores, self.pairs.n_topics

        def means(rng: np.random.Generator, size: int) -> Floats:
            return np.asarray(resampling.topic_weights(rng, size, n_topics) @ scores / n_topics)

        cells = sum(scores.shape)
        return resampling.blockwise(
            means,
            self.n_resamples,
            cells=cells,
            rng=self.draws_rng,
            n_jobs=self.n_jobs,
        )

    def resampled_at(self, n_topics: float) -> Floats:
        """Resampled means as they would scatter around the observed ones with `n_topics` topics."""
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
        return shrunken.draw_truths(
            self.scores,
            self.reliability,
            self.n_resamples,
            self._generators[0],
            self.n_jobs,
        )

    @cached_property
    def noise(self) -> Floats:
        """Draws of the errors of means over as many topics, of that shape; for other numbers of topics only."""
        return shrunken.noise_of_means(
            self.scores,
            self.n_resamples,
            self._generators[1],
            self.n_jobs,
        )


def _scaled(here: Any, new_here: Any, new: Any) -> Any:
    """A correlation for another number of topics.

    Its shortfall of 1 changes in the same ratio as that of rankings on new topics, from `new_here` to `new`.
    """
    ratio = np.divide(
        new,
        new_here,
        out=np.ones_like(np.asarray(new, dtype=np.float64)),
        where=new_here > 0.0,
    )
    return np.maximum(1.0 - (1.0 - here) * ratio, -1.0)


def _topics(n_topics: ArrayLike) -> Floats:
    numbers = arguments.as_floats(n_topics, "n_topics")
    if (numbers < 1.0).any():
        raise ValueError(f"`n_topics` must be at least 1, got {numbers.min()}.")
    return numbers


def _first_to_reach(target: float, curve: Curve, n_topics: int) -> float:
    """The first whole number at which a curve that never falls reaches the target, or inf if it never does."""
    if curve(1.0) >= target:
        return 1.0
    if curve(float(n_topics)) < target and not curve(math.inf) > target:
        return math.inf
    return design.first_enough(lambda number: curve(float(number)) >= target)
