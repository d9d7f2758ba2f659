"""Correlation of two measured rankings at the topics at hand, and its interval; and in the topic population."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.defaults import ERROR_RESAMPLES, LEVEL, RESAMPLES
from pt_rankcorr.stats.accuracy.replicates import replicate, resamples_tell, standard_errors
from pt_rankcorr.stats.coefficients.coefficient import AT, Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.counting import sharing_counts
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import resample_count, share
from pt_rankcorr.stats.core.design import FEWEST_TOPICS, of_few_topics, warn_of_few_topics
from pt_rankcorr.stats.core.inputs import ScoresLike, prepare_matrices, rows_by_topic_name
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.resampling import RandomState, one_blas_thread, seed_of
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Floats, Indices, Result, cached_property
from pt_rankcorr.stats.significance.bootstrap import standard_deviation
from pt_rankcorr.stats.significance.power import check_difference, topics_for_width
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings
from pt_rankcorr.tables import COEFFICIENT, PVALUE, Table, constant
from pt_rankcorr.text import confidence, decimals, p_equals, plain, with_interval
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn

# where intervals missed, in simulations of 3 to 60 systems on 5 to 50 topics (see the calibration page)
MOST_TIES = 0.4  # of the pairs of a side: beyond, .15 to .25 missed at .05
LEAST_RELIABILITY = 0.6  # of the means of a side: below, up to .12 missed at .05
FEW_SYSTEMS, FEW_TOPICS = 3, 25  # up to which an interval of tau is longer than 1
FEW_FOR_PEARSON = 5  # systems, up to which intervals of Pearson's correlation miss on one side
CHECKED = "intervals of correlations were"


class Caution(NamedTuple):
    """What makes an interval, or its lack, special."""

    text: str  # the sentence that says so
    category: type[Warning] | None = UnreliableResultWarning  # None where the note below the result is enough


@dataclass(frozen=True, eq=False)
class PopulationCorrelation(Result):
    """A coefficient, or a difference of two, in the topic population: what endless topics would show.

    Attributes:
        estimate: The median over `draws`.
        low, high: The ends of its interval. `high` is 1 unless the topics exclude that both rank alike.
        level, n_draws: The confidence level, and the number of draws.
        n_undefined: Draws in which the coefficient is undefined; they are left out.
        draws: The coefficient in each draw of the true means by both measures, nan where undefined.
    """

    estimate: float
    low: float
    high: float
    level: float
    n_draws: int
    n_undefined: int
    draws: Floats = field(repr=False, compare=False)

    @classmethod
    def of(cls, draws: Floats, level: float) -> PopulationCorrelation:
        """Quantiles of those draws that are defined; nan if none is."""
        defined = draws[~np.isnan(draws)]
        tail = (1.0 - level) / 2.0
        quantiles = np.quantile(defined, [0.5, tail, 1.0 - tail]) if defined.size else np.full(3, np.nan)
        estimate, low, high = quantiles.tolist()
        return cls(estimate, low, high, level, draws.size, draws.size - defined.size, draws)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Quantiles of `draws`, by default at the level of the result."""
        other = PopulationCorrelation.of(self.draws, self.level if level is None else share("level", level))
        return ConfidenceInterval(other.low, other.high)


@dataclass(frozen=True, eq=False)
class CorrelationResult(Result):
    """How alike two measures rank systems.

    Attributes:
        statistic: The coefficient on the topics at hand.
        low, high: The ends of its interval, for the mean over samples of as many topics. nan where there is none: see
            `cautions`.
        standard_error: The standard deviation of the coefficient over samples of as many topics; nan with them.
        pvalue: For the hypothesis that both rank alike in the topic population (the same true ranking): small where
            the noise of topics does not explain all their disagreement.
        coefficient: The name of the coefficient.
        level, freedom: The confidence level of the interval, and the degrees of freedom of Student's t.
        n_topics, n_systems, n_resamples: How many there are.
        n_undefined: Resamples in which the coefficient is undefined; they are left out.
        replicates: The coefficient in each of B resamples of topics, nan where undefined (Sakai 2006, section 4).
    """

    statistic: float
    low: float
    high: float
    standard_error: float
    pvalue: float
    coefficient: str
    level: float
    freedom: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    replicates: Floats = field(repr=False, compare=False)
    _cautions: tuple[Caution, ...] = field(repr=False)
    _population: PopulationDraws = field(repr=False, compare=False)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Student's t about the coefficient, by default at the level of the result; within [-1, 1]."""
        level = self.level if level is None else share("level", level)
        return students_interval(self.statistic, self.standard_error, self.freedom, level)

    def topics_for_width(self, width: float) -> float:
        """How many topics in all shorten the interval to a width with a probability of .8; nan where there is none.

        The width is above 0 and at most 2. Few topics leave the standard error uncertain, and so need more.
        """
        n_strata = self.n_topics - round(self.freedom)
        width = check_difference("width", width)
        return topics_for_width(self.standard_error, self.n_topics, width, self.level, n_strata)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes the interval, or its lack, special."""
        return tuple(caution.text for caution in self._cautions)

    @property
    def bootstrap_standard_error(self) -> float:
        """The standard deviation of `replicates` (Sakai 2006, section 4), which `standard_error` corrects."""
        return standard_deviation(self.replicates[~np.isnan(self.replicates)])

    @cached_property
    def population(self) -> PopulationCorrelation:
        """The coefficient in the topic population; computed when it is asked for."""
        return self._population.of(self.coefficient, self.level)

    def sentence(self) -> str:
        """The outcome, as a paper may print it."""
        if np.isnan(self.statistic):
            return f"{self.coefficient} is undefined, as one of the measures ties all systems."
        if np.isnan(self.low):
            return f"{self.coefficient} is {decimals(self.statistic)} on {self.n_topics} topics."
        value = with_interval(self.statistic, (self.low, self.high))
        text = f"{self.coefficient} is {value} ({confidence(self.level)} interval, for as many topics)."
        if self.statistic >= 1.0 - TOLERANCE:
            return text
        show = "show" if self.pvalue <= 1.0 - self.level else "do not show"
        return f"{text} {self.n_topics} topics {show} that the true rankings differ ({plain(p_equals(self.pvalue))})."

    def _rows(self) -> Table:
        ends = {"interval": lambda _: (self.low, self.high), "ends": ("low", "high")}
        title, is_small = f"{self.coefficient} [{confidence(self.level)}]", self.pvalue <= 1.0 - self.level
        columns = (
            constant("coefficient", self.coefficient, shown=False),
            constant("statistic", self.statistic, COEFFICIENT, title, **ends),
            constant("standard_error", self.standard_error, COEFFICIENT, "standard error"),
            constant("pvalue", self.pvalue, PVALUE, "p (same true ranking)", strong=lambda _: is_small),
        )
        return Table(columns, [self])

    def _answer(self) -> str:
        return self.sentence()

    def _note(self) -> str:
        numbers = f"{self.n_systems} systems, {self.n_topics} topics."
        large = "A large p (same true ranking) does not show that the rankings agree."
        return " ".join([numbers, large, *self.cautions])


def correlation_interval(
    reference: ScoresLike,
    estimate: ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    level: float = LEVEL,
    n_resamples: int = ERROR_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationResult:
    """Correlation of two measured rankings with its interval, and a test that both share one true ranking.

    The interval is about as many topics as are at hand: the mean coefficient over samples of n topics. It is Student's
    t about the coefficient on these topics, clipped to [-1, 1]. The standard error is that of a nested bootstrap of
    topics, which corrects for how resamples differ from samples. Degrees of freedom are topics less one; clusters less
    strata where topics depend on each other. There is no interval where all resamples but 1% have the same value, or
    where more than 1% have none. O(B (n m + m^2)) time, unless the coefficient is slower.

    The p-value tests the hypothesis of one true ranking in the topic population, whatever the scales. Then the points
    of true means lie on a rising curve, and measured points scatter about it by the noise of topics alone: an F test
    across a spline or steps, as a criterion chooses. It is the same with both sides exchanged. A scale that is flat
    where its noise is not can look like another ranking: see the calibration page.

    `population` of the result answers a harder question: what would endless topics show?

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        estimate: Scores of the same systems on the same topics by another measure; matched by name if both have names.
        coefficient: The name of a coefficient; "tau@10" and the like, for the reference's best ten systems; a
            `stats.Coefficient`; or a function (reference, estimate) of two vectors of mean scores, such as
            `functools.partial(tau_ap, symmetric=True)`.
        level: The confidence level of the interval.
        n_resamples: The number of resamples B, at least 2; each is resampled twice more.
        rng, n_jobs: Seed or generator; workers, as joblib counts them. With one seed, all measures on the same topics
            share the resamples, which are drawn in the order of the topics' names, or as they come without names.

    Returns:
        A result with `statistic`, `low`, `high`, `pvalue`, `confidence_interval(level)` and `population`; nan, with a
        warning, where a measure ties all systems.

    Raises:
        TypeError, ValueError: If the matrices do not match, are not finite or have fewer than two topics or systems, or
            an argument is out of its range.

    Warns:
        DegenerateInputWarning: If the coefficient or its interval is undefined.
        UnreliableResultWarning: If topics or systems are too few, or ties too many.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4 (the bootstrap standard
        error). The nested correction and the test are new. Parts of the test: Huynh and Feldt, "Estimation of the Box
        correction for degrees of freedom", Journal of Educational Statistics 1, 1976; Schwarz, "Estimating the
        dimension of a model", Annals of Statistics 6, 1978.

    Example:
        >>> ap = [[0.1, 0.2, 0.4, 0.6], [0.2, 0.1, 0.5, 0.7], [0.3, 0.3, 0.2, 0.9], [0.1, 0.2, 0.3, 0.5]] * 3
        >>> p10 = [[0.1, 0.3, 0.4, 0.5], [0.2, 0.1, 0.4, 0.7], [0.3, 0.2, 0.4, 0.8], [0.1, 0.1, 0.2, 0.6]] * 3
        >>> result = correlation_interval(ap, p10, rng=1)  # p10 ties one pair of six, and orders the others alike
        >>> round(result.statistic, 3), result.high, result.pvalue > 0.05
        (0.833, 1.0, True)
    """
    matrices = prepare_matrices(reference=reference, estimate=estimate)
    (result,), _ = correlations_of(matrices, coefficient, CHECKED, level, n_resamples, rng, n_jobs)
    warn_of(result.statistic, result._cautions)
    return result


def correlations_of(
    matrices: Sequence[ScoreMatrix],
    coefficient: CoefficientLike,
    what: str,
    level: float,
    n_resamples: int,
    rng: RandomState,
    n_jobs: int | None,
) -> tuple[list[CorrelationResult], Floats]:
    """The correlations of the first of prepared matrices with each other one, and their replicates (3, B, n_others).

    Checks the arguments of public functions, and warns of few topics; `what` was checked on more.
    """
    reference, *estimates = matrices
    rows = rows_by_topic_name(reference, estimates)
    warn_of_few_topics(len(rows[0]), what)
    names = reference.system_names
    places = np.arange(reference.n_systems) if names is None else np.argsort(np.argsort(names, kind="stable"))
    results, replicates = correlations(
        rows[0],
        rows[1:],
        Coefficients.named(coefficient, places),
        n_resamples=resample_count(n_resamples, at_least=2),
        seed=seed_of(rng),
        level=share("level", level),
        strata=[reference.design.n_strata if reference.design else 1] * len(matrices),
        n_jobs=n_jobs,
    )
    return [of_one[-1] for of_one in results], replicates[..., -1]


def correlations(
    reference: Floats,
    estimates: Sequence[Floats],
    coefficients: Coefficients,
    *,
    n_resamples: int,
    seed: int,
    level: float = LEVEL,
    strata: Sequence[int] | None = None,
    samples: Sequence[int] | None = None,
    n_jobs: int | None = None,
) -> tuple[list[list[CorrelationResult]], Floats]:
    """The results of each estimate, one a coefficient, over the same resamples; and these, as `replicate` returns them.

    Scores are rows that are an independent sample of topics, shape (n_topics, n_systems). Each of their strata costs a
    degree of freedom: `strata` are the numbers of the reference and of each estimate, by default 1. `samples` are those
    of `replicate`.
    """
    samples = [0] * len(estimates) if samples is None else samples
    n_strata, *own_strata = [1] * (len(estimates) + 1) if strata is None else strata
    drawn = replicate(coefficients.of, reference, estimates, n_resamples, seed, samples=samples, n_jobs=n_jobs)
    n_systems, results = reference.shape[1], []
    for index, (estimate, sample, estimate_strata) in enumerate(zip(estimates, samples, own_strata, strict=True)):
        n_topics = min(len(reference), len(estimate))
        freedom = float(min(len(reference) - n_strata, len(estimate) - estimate_strata))
        observed, resampled = coefficients.of(system_means(reference), system_means(estimate)), drawn[0, :, index]
        errors = standard_errors(drawn[:, :, index], n_topics)
        population = PopulationDraws(reference, estimate, coefficients, seed, sample == 0)
        of_sides = cautions_of_sides(reference, estimate)
        results_of_estimate = []
        for column, name in enumerate(coefficients.columns):
            value, replicates = float(observed[column]), resampled[:, column]
            cautions: tuple[Caution, ...] = ()
            if not np.isnan(value):
                cautions = (*_cautions_of_replicates(name, value, replicates, n_systems, n_topics), *of_sides)
            has_interval = not np.isnan(value) and not any(map(lacks_interval, cautions))
            error = float(errors[column]) if has_interval else float("nan")
            results_of_estimate.append(
                CorrelationResult(
                    value,
                    *students_interval(value, error, freedom, level),
                    standard_error=error,
                    pvalue=float("nan") if np.isnan(value) else population.pvalue,
                    coefficient=name,
                    level=level,
                    freedom=freedom,
                    n_topics=n_topics,
                    n_systems=n_systems,
                    n_resamples=n_resamples,
                    n_undefined=int(np.isnan(replicates).sum()),
                    replicates=replicates,
                    _cautions=cautions,
                    _population=population,
                )
            )
        results.append(results_of_estimate)
    return results, drawn


def _cautions_of_replicates(
    name: str, value: float, replicates: Floats, n_systems: int, n_topics: int
) -> tuple[Caution, ...]:
    """What resamples, and the numbers of systems and topics, say against the interval of a coefficient."""
    coefficient, _, top = name.partition(AT)
    n_compared, which = (int(top), f"The best {top} systems") if top else (n_systems, f"{n_systems} systems")
    n_undefined = int(np.isnan(replicates).sum())
    is_defined, is_changed = resamples_tell(np.asarray(value), replicates)
    cautions = []
    if not is_defined:
        text = f"{name} is undefined in {n_undefined / replicates.size:.0%} of resamples: there is no interval."
        cautions.append(Caution(text, DegenerateInputWarning))
    elif not is_changed:
        cautions.append(value_unchanged(name))
    else:
        if n_undefined:
            text = f"{name} is undefined in {n_undefined} of {replicates.size} resamples, which are left out."
            cautions.append(Caution(text))
        if coefficient == "pearson" and n_compared <= FEW_FOR_PEARSON:
            cautions.append(Caution(f"{which} are few for Pearson's correlation: its interval misses on one side."))
    if n_compared <= FEW_SYSTEMS and n_topics <= FEW_TOPICS:
        text = f"{which} on {n_topics} topics are too few: an interval says hardly anything."
        cautions.append(Caution(text))
    return tuple(cautions)


def value_unchanged(name: str) -> Caution:
    """The caution of a coefficient that hardly any resample changes."""
    text = f"No resample of topics changes {name}: there is no interval, and the value may be off all the same."
    return Caution(text, DegenerateInputWarning)


def lacks_interval(caution: Caution) -> bool:
    return caution.category is DegenerateInputWarning


def students_interval(value: float, standard_error: float, freedom: float, level: float) -> ConfidenceInterval:
    """Student's t about a coefficient, within [-1, 1]."""
    margin = float(stdtrit(max(freedom, 1.0), (1.0 + level) / 2.0)) * standard_error
    return ConfidenceInterval(*np.clip([value - margin, value + margin], -1.0, 1.0).tolist())


def cautions_of_sides(reference: Floats, estimate: Floats) -> tuple[Caution, ...]:
    """What about the scores of either side makes intervals of their correlation less sure."""
    n_topics = min(len(reference), len(estimate))
    cautions = []
    if n_topics < FEWEST_TOPICS:
        cautions.append(Caution(of_few_topics(n_topics, CHECKED), None))  # which was warned of before
    ties = max(_share_tied(system_means(side)) for side in (reference, estimate))
    if MOST_TIES < ties < 1.0:
        text = f"One side ties {ties:.0%} of pairs of systems: intervals and tests are then too sure."
        cautions.append(Caution(text))
    if ties < 1.0 and min(_reliability(side) for side in (reference, estimate)) < LEAST_RELIABILITY:
        text = "Noise makes up much of how the systems of one side differ: the interval may be too short."
        cautions.append(Caution(text, None))
    return tuple(cautions)


def _share_tied(means: Floats) -> float:
    """The share of pairs of systems that tie."""
    counts = np.unique(means, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (means.size * (means.size - 1)))


def _reliability(scores: Floats) -> float:
    """1 less noise over variance, of the means of systems."""
    rest = scores - scores.mean(axis=1, keepdims=True)
    means = rest.mean(axis=0)
    rest = rest - means
    n_topics, n_systems = scores.shape
    noise = (rest**2).sum() / (n_topics * (n_topics - 1.0) * (n_systems - 1.0))
    variance = means.var(ddof=1)
    return float(1.0 - noise / variance) if variance > 0.0 else 0.0


def warn_of(statistic: float, cautions: Iterable[Caution]) -> None:
    """Warns of what is undefined, and of what is not to be trusted."""
    if np.isnan(statistic):
        message = "The correlation is undefined, as where a measure ties all systems: the result is nan."
        warn(message, DegenerateInputWarning)
    for caution in dict.fromkeys(cautions):
        if caution.category is not None:
            warn(caution.text, caution.category)


# --- several coefficients at once ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of two vectors of means: of all systems, and of the `top` best ones by each reference vector."""

    of_all: tuple[Coefficient, ...]
    top: int | None = None
    places: Indices | None = None  # of each system in the order that breaks ties at the border; by default its position

    @classmethod
    def named(cls, coefficient: object, places: Indices | None = None) -> Coefficients:
        """A coefficient, as "tau", or also that of the best ten, as "tau@10"; for its columns alone without places."""
        best = re.fullmatch(rf"(\w+){AT}([1-9]\d*)", coefficient) if isinstance(coefficient, str) else None
        if best is None:
            return cls((as_coefficient(coefficient),))
        top, most = int(best[2]), sys.maxsize if places is None else places.size
        if not 2 <= top <= most:
            raise ValueError(f"`coefficient` must be of at least 2 systems, and of all at most, got {coefficient!r}.")
        return cls((as_coefficient(best[1]),), top, places)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, then those of the best systems: "tau@10"."""
        names = tuple(coefficient.name for coefficient in self.of_all)
        return names if self.top is None else (*names, *(f"{name}{AT}{self.top}" for name in names))

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All of them, for means of shape (..., n_systems): shape (..., n_columns)."""
        sides = [[reference, estimate]]
        if self.top is not None:
            places = np.arange(reference.shape[-1]) if self.places is None else self.places
            best = np.lexsort((np.broadcast_to(places, reference.shape), -reference))[..., : self.top]
            sides.append([np.take_along_axis(means, best, axis=-1) for means in (reference, estimate)])
        with sharing_counts():
            return np.stack([coefficient.kernel(*both) for both in sides for coefficient in self.of_all], axis=-1)


# --- in the topic population --------------------------------------------------------------------------------


@dataclass(frozen=True)
class PopulationDraws:
    """Draws of the true means by two measures, computed once, when they are asked for; and the test of one ranking."""

    reference: Floats  # rows that are an independent sample of topics
    estimate: Floats
    coefficients: Coefficients
    seed: int  # with one seed, all estimates with one reference share the sampling of topics
    shared: bool  # whether row i of both is one topic

    @cached_property
    def pvalue(self) -> float:
        """The p-value of the hypothesis of one true ranking."""
        with one_blas_thread():
            return pvalue_of_one_ranking(TwoMeasures(self.reference, self.estimate, self.shared))

    @cached_property
    def _draws(self) -> Floats:
        """All coefficients in all draws, shape (n_draws, n_columns)."""
        drawn = draw_two_rankings(self.reference, self.estimate, RESAMPLES, self.seed, shared=self.shared)
        observed = self.coefficients.of(system_means(self.reference), system_means(self.estimate))
        return np.where(np.isnan(observed), np.nan, self.coefficients.of(*drawn))

    def of(self, name: str, level: float) -> PopulationCorrelation:
        """The median and the interval of one of the coefficients, by its name."""
        return PopulationCorrelation.of(self._draws[:, self.coefficients.columns.index(name)], level)
