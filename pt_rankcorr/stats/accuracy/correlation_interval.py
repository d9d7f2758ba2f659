"""Correlation of two measured rankings, its interval, and what one true ranking would give."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.defaults import ERROR_RESAMPLES, LEVEL
from pt_rankcorr.display import Drawable, Quotable
from pt_rankcorr.stats.accuracy.replicates import (
    null_replicate,
    replicate,
    resamples_tell,
    standard_errors,
)
from pt_rankcorr.stats.accuracy.reversed_pairs import ReversedPairs, reversed_pairs_of
from pt_rankcorr.stats.coefficients.coefficient import AT, Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.counting import sharing_counts
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import numbered, resample_count, share
from pt_rankcorr.stats.core.design import FEWEST_TOPICS, of_few_topics, warn_of_few_topics
from pt_rankcorr.stats.core.inputs import ScoresLike, prepare_matrices, samples_by_topic_name
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.stats.core.types import (
    TOLERANCE,
    ConfidenceInterval,
    Flags,
    Floats,
    Indices,
    Labels,
    Result,
)
from pt_rankcorr.stats.significance.bootstrap import standard_deviation
from pt_rankcorr.stats.significance.power import check_difference, topics_for_width
from pt_rankcorr.stats.truth.one_true_ranking import (
    EQUAL,
    LEAST_RELIABILITY,
    LEAST_TO_TELL,
    FittedMeans,
    OneRanking,
    OneTrueRanking,
    fitted_means,
    side_of,
)
from pt_rankcorr.text import P_SAME
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, warn

# Limits of cautions below come from simulations of 3 to 60 systems on 5 to 50 topics (calibration
# page): beyond them, intervals missed the mean coefficient too often, and the result says so.
# The warning of few topics says: "<this> checked on ... topics or more".
CHECKED_INTERVALS = "intervals of correlations were"


class Caution(NamedTuple):
    """A reason why an interval is missing, or to be trusted less."""

    text: str  # the sentence that says so
    # of the warning that is given; None where the note below the result is enough
    category: type[Warning] | None = UnreliableResultWarning


class MeasuredSides(NamedTuple):
    """The scores of both measures that a correlation was computed from, and the names in them."""

    reference: Floats  # rows that are an independent sample of topics, shape (n_topics, n_systems)
    # of the same systems, on the same topics in the same rows, or on a sample of its own
    estimate: Floats
    coefficients: Coefficients  # of which the result has one
    systems: Labels  # their names, or numbers
    measures: tuple[str, str] | None  # the names of both, where they are known


@dataclass(frozen=True, eq=False)
class CorrelationResult(Result, Drawable, Quotable):
    """The correlation of two measures' rankings of systems, with its interval.

    Attributes:
        statistic: The coefficient on the topics at hand.
        low, high: The ends of its interval, for the mean over topic samples of this size. nan where
            there is none: see `cautions`.
        standard_error: Its standard deviation over topic samples of this size; nan with them.
        pvalue: For the hypothesis that both have one true ranking: small where the noise of topics
            does not explain all their disagreement. That of `one_true_ranking`.
        coefficient: The name of the coefficient.
        level, df: The confidence level of the interval, and the degrees of freedom of Student's t.
        n_topics, n_systems, n_resamples: How many there are.
        n_undefined: Resamples in which the coefficient is undefined; they are left out.
        replicates: Its values in B resamples of topics (Sakai 2006, section 4), nan if undefined.
        one_true_ranking: What it would be on as many topics if both had one true ranking.
    """

    statistic: float
    low: float
    high: float
    standard_error: float
    pvalue: float
    coefficient: str
    level: float
    df: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    replicates: Floats = field(repr=False, compare=False)
    one_true_ranking: OneTrueRanking = field(repr=False)
    _cautions: tuple[Caution, ...] = field(repr=False)
    _cautions_of_null: tuple[Caution, ...] = field(repr=False)
    _sides: MeasuredSides = field(repr=False, compare=False)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """Student's t about it, by default at the level of the result; capped as `high` is."""
        level = self.level if level is None else share("level", level)
        low, high = students_interval(self.statistic, self.standard_error, self.df, level)
        return ConfidenceInterval(low, min(high, self.one_true_ranking.cap(self.statistic, level)))

    def topics_for_width(self, width: float) -> float:
        """How many topics in all shorten the interval to a width, with a probability of .8.

        The width is above 0 and at most 2. nan where there is no interval. Few topics leave the
        standard error uncertain, and so need more.
        """
        # degrees of freedom are topics less strata
        n_strata = self.n_topics - round(self.df)
        width = check_difference("width", width)
        return topics_for_width(self.standard_error, self.n_topics, width, self.level, n_strata)

    @property
    def measures(self) -> tuple[str, str] | None:
        """The names of the reference's measure and of the other, where they are known."""
        return self._sides.measures

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is special about the interval, its lack, or one true ranking, in sentences."""
        return tuple(caution.text for caution in (*self._cautions, *self._cautions_of_null))

    @property
    def bootstrap_standard_error(self) -> float:
        """Standard deviation of `replicates` (Sakai 2006), which `standard_error` corrects."""
        return standard_deviation(self.replicates[~np.isnan(self.replicates)])

    def relabelled(self) -> CorrelationResult:
        """The same numbers, with the names and scores of both sides exchanged.

        Nothing is computed anew. So it is right only for a result that was computed in the other
        direction already, or of a symmetric coefficient, as tau is; tau_AP has a direction.
        """
        reference, estimate, coefficients, systems, measures = self._sides
        exchanged = measures and measures[::-1]
        sides = MeasuredSides(estimate, reference, coefficients, systems, exchanged)
        return replace(self, one_true_ranking=self.one_true_ranking.swapped(), _sides=sides)

    def reversed_pairs(self) -> ReversedPairs:
        """The pairs of systems that both order in opposite directions, the most certain first."""
        return reversed_pairs_of(self._sides.reference, self._sides.estimate, self._sides.systems)

    def fitted_means(self) -> FittedMeans:
        """Measured means, their noise, and true means that rise together: what `plot()` draws."""
        return fitted_means(self._sides.reference, self._sides.estimate)

    def to_dict(self) -> dict[str, Any]:
        """The single values, and those of `one_true_ranking`, by the columns of `to_frame()`."""
        null = self.one_true_ranking
        return super().to_dict() | {
            "one_true_ranking": null.mean,
            "one_true_ranking_low": null.low,
            "one_true_ranking_high": null.high,
            "reliability_reference": null.reliability[0],
            "reliability_estimate": null.reliability[1],
        }


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
    """Correlation of two measured rankings with its interval, and a test of one true ranking.

    The interval is about as many topics as are at hand: the mean coefficient over samples of n
    topics. It is Student's t about the coefficient on these topics, clipped to [-1, 1]. The
    standard error is that of a nested bootstrap of topics, which corrects for how resamples differ
    from samples. Degrees of freedom are topics less one; clusters less strata where topics depend
    on each other. There is no interval where all resamples but 1% have the same value, or where
    more than 1% have none. O(B (n m + m^2)) time, unless the coefficient is slower.

    `one_true_ranking` of the result says what the coefficient would be on as many topics if both
    measures had one true ranking, whatever their scales: noise keeps it below 1. Replicates of the
    measured means are fitted true means that rise together, plus the errors of resampled topics.
    The p-value is the share of replicates at or below the coefficient, and the interval ends at
    most where 97.5% of them lie (at a level of 95%), or at the coefficient. A scale that saturates,
    a side that ties what the other separates, and copies of systems make p too small. It is the
    same with both sides exchanged.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a
            `ScoreMatrix`.
        estimate: Scores of the same systems on the same topics by another measure; matched by name
            if both have names.
        coefficient: The name of a coefficient; "tau@10" and the like, for the reference's best ten
            systems; a `stats.Coefficient`; or a function (reference, estimate) of two vectors of
            mean scores, such as `functools.partial(tau_ap, symmetric=True)`.
        level: The confidence level of the interval.
        n_resamples: The number of resamples B, at least 2; each is resampled twice more. One true
            ranking has .75 B replicates, and 5 B where p is between .01 and .10.
        rng, n_jobs: Seed or generator; workers, as joblib counts them. With one seed, all measures
            on the same topics share the resamples, which are drawn in the order of the topics'
            names, or as they come without names.

    Returns:
        A result with `statistic`, `low`, `high`, `pvalue`, `one_true_ranking`,
        `confidence_interval(level)` and `reversed_pairs()`; nan, with a warning, where a measure
        ties all systems.

    Raises:
        TypeError, ValueError: If the matrices do not match, are not finite or have fewer than two
            topics or systems, or an argument is out of its range.

    Warns:
        DegenerateInputWarning: If the coefficient or its interval is undefined.
        UnreliableResultWarning: If topics or systems are too few, or ties too many.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4 (the
        bootstrap standard error). The nested correction and the replicates under one true ranking
        are new. Groups are weighed by Schwarz, "Estimating the dimension of a model", Annals of
        Statistics 6, 1978.

    Example:
        P@10 ties one pair of six, and orders the others as AP does:

        >>> ap = [[.1, .2, .4, .6], [.2, .1, .5, .7], [.3, .3, .2, .9], [.1, .2, .3, .5]] * 3
        >>> p10 = [[.1, .3, .4, .5], [.2, .1, .4, .7], [.3, .2, .4, .8], [.1, .1, .2, .6]] * 3
        >>> result = correlation_interval(ap, p10, rng=1)
        >>> round(result.statistic, 3), round(result.one_true_ranking.mean, 2), result.pvalue > 0.05
        (0.833, 0.92, True)
    """
    matrices = prepare_matrices(reference=reference, estimate=estimate)
    (result,), _ = correlations_of(
        matrices, coefficient, CHECKED_INTERVALS, level, n_resamples, rng, n_jobs
    )
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
    """The correlations of the first of prepared matrices with each other, and their replicates.

    These have the shape (3, B, n_others). Checks the arguments of public functions, and warns of
    few topics; `what` was checked on more. Of "tau@10", which is computed with tau of all systems,
    only the last column is returned.
    """
    reference, *estimates = matrices
    # arrays (n_topics, m) with topics and systems in one order: row i of all is the same topic
    rows = samples_by_topic_name(reference, estimates)
    warn_of_few_topics(len(rows[0]), what)
    names = reference.system_names
    # systems that tie at the border of the best ten are taken by name, or by position without
    # names: the inverse of an order is the place of each system in it
    places = np.arange(reference.n_systems)
    if names is not None:
        places = np.argsort(np.argsort(names, kind="stable"))
    results, replicates = correlations(
        rows[0],
        rows[1:],
        Coefficients.named(coefficient, places),
        n_resamples=resample_count(n_resamples, at_least=2),
        seed=seed_of(rng),
        level=share("level", level),
        strata=[reference.design.n_strata if reference.design else 1] * len(matrices),
        systems=reference.systems,
        measures=[scores.measure for scores in matrices],
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
    systems: Labels | None = None,
    measures: Sequence[str | None] | None = None,
    n_jobs: int | None = None,
) -> tuple[list[list[CorrelationResult]], Floats]:
    """The results of each estimate, one a coefficient, and the resamples that all have in common.

    The latter are as `replicate` returns them. Scores are rows that are an independent sample of
    topics, shape (n_topics, n_systems). Each of their strata costs a degree of freedom: `strata`
    are the numbers of the reference and of each estimate, by default 1. `samples` are those of
    `replicate`; systems and measures are names, for sentences, of the reference and of each
    estimate.
    """
    samples = [0] * len(estimates) if samples is None else samples
    n_strata, *own_strata = [1] * (len(estimates) + 1) if strata is None else strata
    name_of_reference, *names = [None] * (len(estimates) + 1) if measures is None else measures
    n_systems = reference.shape[1]
    systems = numbered("s", n_systems) if systems is None else systems
    # coefficients over resamples of topics, (3, B, n_estimates, n_columns): for the standard errors
    drawn = replicate(
        coefficients.of, reference, estimates, n_resamples, seed, samples=samples, n_jobs=n_jobs
    )
    pairs = [
        OneRanking.of(reference, estimate, shared=sample == 0)
        for estimate, sample in zip(estimates, samples, strict=True)
    ]
    # the coefficients on the topics at hand, (n_columns,) for each estimate
    reference_means = system_means(reference)
    observed = [coefficients.of(reference_means, system_means(scores)) for scores in estimates]
    nulls = one_true_rankings(
        observed,
        reference,
        estimates,
        pairs,
        coefficients,
        n_resamples=n_resamples,
        seed=seed,
        level=level,
        samples=samples,
        n_jobs=n_jobs,
    )
    results = []
    for index, estimate in enumerate(estimates):
        # two samples of topics: the smaller one decides
        n_topics = min(len(reference), len(estimate))
        df = float(min(len(reference) - n_strata, len(estimate) - own_strata[index]))
        errors = standard_errors(drawn[:, :, index], n_topics)
        of_sides, of_pair = cautions_of_sides(reference, estimate), cautions_of_pair(pairs[index])
        both = None
        if name_of_reference is not None and names[index] is not None:
            both = (name_of_reference, str(names[index]))
        sides = MeasuredSides(reference, estimate, coefficients, systems, both)
        results_of_estimate = []
        for column, name in enumerate(coefficients.columns):
            value, replicates = float(observed[index][column]), drawn[0, :, index, column]
            null, error = nulls[index][column], float("nan")
            cautions: tuple[Caution, ...] = ()
            of_null: tuple[Caution, ...] = ()
            if not np.isnan(value):
                of_resamples = _cautions_of_replicates(name, value, replicates, n_systems, n_topics)
                cautions = (*of_resamples, *of_sides)
                of_null = (*of_pair, *cautions_of_null(value, null))
                if not any(map(lacks_interval, cautions)):
                    error = float(errors[column])
            # without a standard error both ends are nan; one true ranking caps the upper one
            low, high = students_interval(value, error, df, level)
            results_of_estimate.append(
                CorrelationResult(
                    value,
                    low,
                    min(high, null.cap(value, level)),
                    standard_error=error,
                    pvalue=null.pvalue,
                    coefficient=name,
                    level=level,
                    df=df,
                    n_topics=n_topics,
                    n_systems=n_systems,
                    n_resamples=n_resamples,
                    n_undefined=int(np.isnan(replicates).sum()),
                    replicates=replicates,
                    one_true_ranking=null,
                    _cautions=cautions,
                    _cautions_of_null=of_null,
                    _sides=sides,
                )
            )
        results.append(results_of_estimate)
    return results, drawn


def one_true_rankings(
    observed: Sequence[Floats],
    reference: Floats,
    estimates: Sequence[Floats],
    pairs: Sequence[OneRanking],
    coefficients: Coefficients,
    *,
    n_resamples: int,
    seed: int,
    level: float,
    samples: Sequence[int],
    n_jobs: int | None = None,
) -> list[list[OneTrueRanking]]:
    """What one true ranking with the reference would make of each coefficient of each estimate.

    One list an estimate, in the order of `coefficients.columns`, as `observed`, shape (n_columns,)
    each. From 3/4 B replicates, or 5 B, of which these are the first, where its p is doubtful.
    """

    def replicates(members: Indices, chosen: Coefficients, size: int, n_known: int = 0) -> Floats:
        """Coefficients of some estimates in replicates, shape (size, n_members, n_columns)."""
        return null_replicate(
            chosen.of,
            reference,
            [estimates[index] for index in members],
            [pairs[index] for index in members],
            size,
            seed,
            samples=[samples[index] for index in members],
            n_known=n_known,
            n_jobs=n_jobs,
        )

    # .75 B replicates, shape (.75 B, n_estimates, n_columns), as values are shown with two digits
    drawn = replicates(np.arange(len(estimates)), coefficients, max(2, round(0.75 * n_resamples)))
    of_each = {place: drawn[:, *place] for place in np.ndindex(drawn.shape[1:])}
    # then 5 B of each coefficient whose p is between .01 and .1, where its second digit matters:
    # each decides for itself, so that which others are computed changes no p-value
    shares_below = (drawn <= np.array(observed) + EQUAL).mean(axis=0)
    has_pvalue = np.array([min(pair.reliability) >= LEAST_RELIABILITY for pair in pairs])
    is_doubtful = (shares_below > 0.01) & (shares_below < 0.1) & has_pvalue[:, np.newaxis]
    if is_doubtful.any():
        members = np.flatnonzero(is_doubtful.any(axis=1))
        chosen, columns = coefficients.with_columns(is_doubtful.any(axis=0))
        others = replicates(members, chosen, 5 * n_resamples, n_known=len(drawn))
        # those in whole blocks were not drawn again: they come first, from what is known
        first = drawn[: 5 * n_resamples - len(others)]
        for place, column in np.argwhere(is_doubtful[np.ix_(members, columns)]):
            cell = members[place], columns[column]
            of_each[cell] = np.concatenate([first[:, *cell], others[:, place, column]])
    nulls: list[list[OneTrueRanking]] = [[] for _ in pairs]
    for (index, column), values in of_each.items():
        value, are_equal = float(observed[index][column]), pairs[index].are_equal
        reliability = pairs[index].reliability
        null = OneTrueRanking.of(value, values, reliability, are_equal=are_equal, level=level)
        nulls[index].append(null)
    return nulls


def _cautions_of_replicates(
    name: str, value: float, replicates: Floats, n_systems: int, n_topics: int
) -> tuple[Caution, ...]:
    """The cautions that follow from resamples, (B,), and from the numbers of systems and topics."""
    # name is that of a column: "tau@10" compares the ten best systems, "tau" compares all
    coefficient, _, top = name.partition(AT)
    n_compared, which = n_systems, f"{n_systems} systems"
    if top:
        n_compared, which = int(top), f"The best {top} systems"
    n_undefined = int(np.isnan(replicates).sum())
    is_defined, is_changed = resamples_tell(np.asarray(value), replicates)
    cautions = []
    if not is_defined:
        of_resamples = f"{n_undefined / replicates.size:.0%} of resamples"
        text = f"{name} is undefined in {of_resamples}: there is no interval."
        cautions.append(Caution(text, DegenerateInputWarning))
    elif not is_changed:
        cautions.append(value_unchanged(name))
    else:
        if n_undefined:
            share_of_them = f"{n_undefined} of {replicates.size} resamples"
            cautions.append(Caution(f"{name} is undefined in {share_of_them}, which are left out."))
        if coefficient == "pearson" and n_compared <= 5:
            consequence = "its interval misses on one side"
            cautions.append(Caution(f"{which} are few for Pearson's correlation: {consequence}."))
    # an interval of tau is then longer than 1, whose whole range is 2
    if n_compared <= 3 and n_topics <= 25:
        text = f"{which} on {n_topics} topics are too few: an interval says hardly anything."
        cautions.append(Caution(text))
    return tuple(cautions)


def value_unchanged(name: str) -> Caution:
    """The caution of a coefficient that hardly any resample changes."""
    consequence = "there is no interval, and the value may be off all the same"
    return Caution(f"No resample of topics changes {name}: {consequence}.", DegenerateInputWarning)


def lacks_interval(caution: Caution) -> bool:
    """Whether there is no interval for this reason, rather than one that is to be trusted less."""
    return caution.category is DegenerateInputWarning


def students_interval(value: float, error: float, df: float, level: float) -> ConfidenceInterval:
    """Student's t about a coefficient with its standard error, within [-1, 1]."""
    margin = float(stdtrit(max(df, 1.0), (1.0 + level) / 2.0)) * error
    return ConfidenceInterval(*np.clip([value - margin, value + margin], -1.0, 1.0).tolist())


def cautions_of_sides(reference: Floats, estimate: Floats) -> tuple[Caution, ...]:
    """The cautions about intervals that follow from the scores of either side, (n_topics, m)."""
    n_topics = min(len(reference), len(estimate))
    cautions = []
    # no warning of few topics: one was given when the scores came in
    if n_topics < FEWEST_TOPICS:
        cautions.append(Caution(of_few_topics(n_topics, CHECKED_INTERVALS), None))
    ties = max(_share_tied(system_means(side)) for side in (reference, estimate))
    # .15 to .25 of the intervals then missed at .05
    if 0.4 < ties < 1.0:
        consequence = "intervals and tests are then too sure"
        cautions.append(Caution(f"One side ties {ties:.0%} of pairs of systems: {consequence}."))
    least_reliability = min(side_of(side).reliability for side in (reference, estimate))
    # up to .12 of the intervals then missed at .05
    if ties < 1.0 and least_reliability < 0.6:
        cause = "Noise makes up much of how the systems of one side differ"
        cautions.append(Caution(f"{cause}: the interval may be too short.", None))
    return tuple(cautions)


def _share_tied(means: Floats) -> float:
    """The share of pairs of systems that tie by their means, (m,)."""
    # c systems with one mean are c (c - 1) ordered pairs, of m (m - 1) in all
    counts = np.unique(means, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (means.size * (means.size - 1)))


def cautions_of_pair(pair: OneRanking) -> tuple[Caution, ...]:
    """The cautions about the value of one true ranking that follow from both sides."""
    texts = []
    n_systems = pair.places.size
    # the value of one true ranking was then .04 to .1 too small in simulations
    if n_systems <= 10:
        text = "With ten systems or fewer, one true ranking gives up to .1 more than is said here."
        texts.append(text)
    ties = max(_share_tied(side.means) for side in pair.sides)
    if 0.05 < ties < 1.0:
        text = "Systems tie, and hardly do under one true ranking: its value and p are less sure."
        texts.append(text)
    if any(len(side.errors) >= 10 and side.share_of_one_topic > 0.25 for side in pair.sides):
        text = "One topic makes more than a quarter of the noise of one side: p may be too small."
        texts.append(text)
    if pair.n_copies > n_systems / 4:
        texts.append("Many systems are copies or near copies of others: p may be too small.")
    return tuple(Caution(text, None) for text in texts)


def cautions_of_null(value: float, null: OneTrueRanking) -> tuple[Caution, ...]:
    """The cautions that follow from a coefficient and its value under one true ranking."""
    texts, reliability = [], min(null.reliability)
    if reliability < LEAST_RELIABILITY:
        cause = "Noise is half or more of how the means of one side vary"
        texts.append(f"{cause}: there is no {P_SAME}.")
    elif reliability < LEAST_TO_TELL and null.pvalue > 1.0 - null.level:
        cause = "noise is more than a fifth of how one side's means vary"
        texts.append(f"These topics cannot tell whether both rank alike: {cause}.")
    # above by half of the last digit that is shown
    if null.mean + 0.005 < value < 1.0 - TOLERANCE:
        texts.append("A value above that of one true ranking says no more than an equal one.")
    return tuple(Caution(text, None) for text in texts)


def warn_of(statistic: float, cautions: Iterable[Caution]) -> None:
    """Warns of an undefined coefficient, and of each caution that has a category of warnings."""
    if np.isnan(statistic):
        cause = "The correlation is undefined, as where a measure ties all systems"
        warn(f"{cause}: the result is nan.", DegenerateInputWarning)
    for caution in dict.fromkeys(cautions):
        if caution.category is not None:
            warn(caution.text, caution.category)


# --- several coefficients at once -----------------------------------------------------------------


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of two vectors of means: of all systems, and of the `top` of the reference."""

    of_all: tuple[Coefficient, ...]
    top: int | None = None
    # the order that breaks ties at the border of the best; by default that of the input
    places: Indices | None = None

    @classmethod
    def named(cls, coefficient: object, places: Indices | None = None) -> Coefficients:
        """The coefficient of a name: "tau@10" is tau of all systems, and of the ten best.

        Without places, only its `columns` may be used.
        """
        best = None
        if isinstance(coefficient, str):
            best = re.fullmatch(rf"(\w+){AT}([1-9]\d*)", coefficient)
        if best is None:
            return cls((as_coefficient(coefficient),))
        top, most = int(best[2]), sys.maxsize if places is None else places.size
        if not 2 <= top <= most:
            rule = "be of at least 2 systems, and of all at most"
            raise ValueError(f"`coefficient` must {rule}, got {coefficient!r}.")
        return cls((as_coefficient(best[1]),), top, places)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, then those of the best systems: "tau@10"."""
        names = tuple(coefficient.name for coefficient in self.of_all)
        return names if self.top is None else (*names, *(f"{name}{AT}{self.top}" for name in names))

    def with_columns(self, are_wanted: Flags) -> tuple[Coefficients, Indices]:
        """The coefficients of some columns, (n_columns,), and which of all columns are theirs."""
        n = len(self.of_all)
        are_chosen = are_wanted.reshape(-1, n).any(axis=0)
        chosen = tuple(self.of_all[place] for place in np.flatnonzero(are_chosen))
        columns = np.flatnonzero(np.tile(are_chosen, are_wanted.size // n))
        return replace(self, of_all=chosen), columns

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All coefficients, (..., n_columns), of means, (..., n_systems), in order of `columns`."""
        # pairs of arrays to compare: of all systems, then of the best
        sides = [[reference, estimate]]
        if self.top is not None:
            places = np.arange(reference.shape[-1]) if self.places is None else self.places
            # positions of the best by the reference, (..., top): they differ between resamples
            best_first = np.lexsort((np.broadcast_to(places, reference.shape), -reference))
            best = best_first[..., : self.top]
            sides.append([np.take_along_axis(means, best, axis=-1) for means in sides[0]])
        with sharing_counts():
            # a symmetric coefficient may be there for both directions, and is computed once
            kernels = {id(of): of.kernel for of in self.of_all}
            once = [{key: kernel(*both) for key, kernel in kernels.items()} for both in sides]
            return np.stack([values[id(of)] for values in once for of in self.of_all], axis=-1)
