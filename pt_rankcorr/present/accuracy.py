"""How correlations, differences, ranks, predictions, and topics that tell measures apart look."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.present.generic import facts_of, in_a_line, interval_of, sentence_of, table_of
from pt_rankcorr.stats.accuracy.budget import FARTHEST, Forecast, TopicsToTellApart
from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
from pt_rankcorr.stats.accuracy.difference import TESTS, CorrelationDifferenceResult
from pt_rankcorr.stats.accuracy.prediction import PredictionQuality
from pt_rankcorr.stats.accuracy.prediction_powered import PredictionPowered
from pt_rankcorr.stats.accuracy.ranks import BestSystems, RankIntervals, best_of
from pt_rankcorr.stats.accuracy.reversed_pairs import ReversedPairs
from pt_rankcorr.stats.core.types import TOLERANCE
from pt_rankcorr.tables import (
    COEFFICIENT,
    NUMBER,
    PVALUE,
    RANK,
    SHARE,
    WORD,
    Column,
    Table,
    constant,
    facts,
    listed,
)
from pt_rankcorr.text import (
    P_SAME,
    confidence,
    decimals,
    if_one_true_ranking,
    in_a_sentence,
    p_equals,
    plain,
    with_interval,
)

# --- correlations and their differences -----------------------------------------------------------


@table_of.register
def correlation_table(result: CorrelationResult) -> Table:
    """One row: the coefficient with its interval, what one true ranking would give, and p."""
    null, is_small = result.one_true_ranking, result.pvalue <= 1.0 - result.level
    level, name = f" [{confidence(result.level)}]", result.coefficient
    ends = interval_of(result.low, result.high)
    same = f"{if_one_true_ranking(name)}{level}"
    ends_of_null = interval_of(null.low, null.high, "one_true_ranking_")
    columns = [
        constant("coefficient", name, shown=False),
        constant("statistic", result.statistic, COEFFICIENT, f"{name}{level}", **ends),
        constant("standard_error", result.standard_error, COEFFICIENT, "standard error", wide=True),
        constant("one_true_ranking", null.mean, COEFFICIENT, same, **ends_of_null),
        constant("pvalue", result.pvalue, PVALUE, P_SAME, strong=lambda _: is_small),
    ]
    for side, value in zip(("reference", "estimate"), null.reliability, strict=True):
        title = f"reliability, {side}"
        columns.append(constant(f"reliability_{side}", value, COEFFICIENT, title, wide=True))
    interval = f"{confidence(result.level)} interval: of the mean over topic samples of this size"
    # whether its upper side was cut
    is_capped = result.high - result.statistic < 0.5 * (result.statistic - result.low)
    if is_capped and result.high < 1.0:
        interval += f", up to what noise of topics leaves of 1 or to {name}"
    no_proof = "A large p does not show that the rankings agree."
    note = " ".join([f"{interval}. {no_proof}", *result.cautions])
    return Table(tuple(columns), [result], answer=sentence_of(result), notes=(note,))


@sentence_of.register
def correlation_sentence(result: CorrelationResult) -> str:
    """The coefficient with its interval, and what one true ranking would give."""
    if np.isnan(result.statistic):
        return f"{result.coefficient} is undefined, as one of the measures ties all systems."
    subject = "The measures" if result.measures is None else " and ".join(result.measures)
    value = with_interval(result.statistic, (result.low, result.high))
    sizes = f"{result.n_systems} systems on {result.n_topics} topics"
    text = f"{subject} rank {sizes} with a {result.coefficient} of {value}"
    if result.statistic >= 1.0 - TOLERANCE or np.isnan(result.one_true_ranking.mean):
        return f"{text}."
    return f"{text}; {sentence_of(result.one_true_ranking)}."


@table_of.register
def difference_table(result: CorrelationDifferenceResult) -> Table:
    """One row: both coefficients, their difference with its interval, and the p-values."""
    is_small, name = result.pvalue <= 1.0 - result.level, result.coefficient
    p = "p (t test)" if result.method == "t" else "p (permutation)"
    title, ends = f"difference [{confidence(result.level)}]", interval_of(result.low, result.high)
    columns = [
        constant("coefficient", name, shown=False),
        constant("first", result.first, COEFFICIENT, f"{name}, first"),
        constant("second", result.second, COEFFICIENT, f"{name}, second"),
        constant("statistic", result.statistic, COEFFICIENT, title, **ends),
        constant("standard_error", result.standard_error, COEFFICIENT, "standard error"),
        constant("pvalue", result.pvalue, PVALUE, p, strong=lambda _: is_small),
    ]
    if result.margin is not None:
        title = f"p (within {decimals(result.margin)})"
        columns.append(constant("equivalence_pvalue", result.equivalence_pvalue, PVALUE, title))
    note = " ".join([f"{result.n_systems} systems, {result.n_topics} topics.", *result.cautions])
    return Table(tuple(columns), [result], answer=sentence_of(result), notes=(note,))


@sentence_of.register
def difference_sentence(result: CorrelationDifferenceResult) -> str:
    """Both coefficients, which measure agrees more with the reference, and whether both alike."""
    first, second = decimals(result.first), decimals(result.second)
    values = f"{first} by the first measure and {second} by the second"
    if np.isnan(result.pvalue):
        return f"{result.coefficient} is {values}; their difference cannot be tested."
    alpha, differ = 1.0 - result.level, "the difference may be chance"
    if result.pvalue <= alpha:
        more = "first" if result.statistic > 0.0 else "second"
        differ = f"the {more} agrees more with the reference"
    elif result.statistic == 0.0:
        differ = "neither agrees more with the reference"
    difference = with_interval(result.statistic, (result.low, result.high))
    text = (
        f"{result.coefficient} with the reference is {values}: a difference of {difference}, "
        f"so {differ} ({TESTS[result.method]}, {plain(p_equals(result.pvalue))})."
    )
    if result.margin is None or np.isnan(result.equivalence_pvalue):
        return text
    within = "is within" if result.equivalence_pvalue <= alpha else "is not shown to be within"
    p = plain(p_equals(result.equivalence_pvalue))
    return f"{text} The difference {within} {decimals(result.margin)} (two one-sided t tests, {p})."


@table_of.register
def reversed_pairs_table(result: ReversedPairs) -> Table:
    """One row per pair, most certain first: by |z| x |z|; its share is of reversed pairs' sum."""
    names = np.array(result.systems, dtype=object)
    columns = (
        listed("system", WORD, names[result.first]),
        listed("other", WORD, names[result.second]),
        listed("z_reference", NUMBER, result.z_reference, "z, reference"),
        listed("z_estimate", NUMBER, result.z_estimate, "z, estimate"),
        listed("product", NUMBER, result.z_reference * -result.z_estimate, "|z| x |z|"),
        listed("share", SHARE, result.shares),
    )
    n_pairs, n_systems = result.shares.size, len(result.systems)
    note = (
        f"{n_pairs} of {n_systems * (n_systems - 1) // 2} pairs are reversed. z: the difference in "
        "standard errors, of the system that is better by the reference less the other."
    )
    return Table(columns, range(n_pairs), notes=(note,))


# --- topics that tell two measures apart ----------------------------------------------------------


@table_of.register
def topics_to_tell_apart_table(result: TopicsToTellApart) -> Table:
    """The single values, below the sentence."""
    return Table(facts_of(result), [result], answer=sentence_of(result), upright=True)


@sentence_of.register
def topics_to_tell_apart_sentence(result: TopicsToTellApart) -> str:
    """The difference, and how many topics would find it."""
    if math.isnan(result.topics_needed):
        return f"{result.n_topics} topics do not say how many would tell the two apart."
    difference = f"The difference in {result.coefficient} is {decimals(result.difference)}."
    forecast = Forecast(result.topics_needed, result.probability)
    return f"{difference} {forecast_sentence(forecast, result.n_topics)}"


def forecast_sentence(forecast: Forecast, n_topics: int) -> str:
    """How many topics would tell two measures apart; `FARTHEST` times these if none are enough."""
    probability = f"a probability of {decimals(forecast.probability)}"
    if math.isinf(forecast.topics):
        farthest = f"Even {FARTHEST * n_topics} topics would tell them apart with {probability}"
        return f"{farthest} only, as far as these {n_topics} say."
    needed = f"{forecast.topics:.0f} topics would tell them apart with {probability}"
    return f"As far as these {n_topics} topics say, {needed}."


# --- ranks ----------------------------------------------------------------------------------------

# method, or "simultaneous" -> what the level of rank intervals is of, in few words and a sentence
GUARANTEES = {
    "shrunken": (
        "on average",
        "{level} of the rank intervals hold the true rank, on average over systems",
    ),
    "percentile": (
        "of resamples",
        "rank intervals hold {level} of the ranks in resamples of topics: "
        "too short for close systems",
    ),
    "pairwise": ("each", "each rank interval holds the true rank with {level} confidence"),
    "simultaneous": (
        "all together",
        "all rank intervals together hold the true ranks with {level} confidence",
    ),
}


def guarantee(result: RankIntervals) -> str:
    """What the level of an interval applies to, in a few words."""
    few_words, _ = GUARANTEES["simultaneous" if result.simultaneous else result.method]
    return f"{confidence(result.level)} {few_words}"


@table_of.register
def rank_intervals_table(result: RankIntervals) -> Table:
    """One row per system, the best first: its rank with the interval, and its tier."""
    level, title = confidence(result.level), f"rank [{guarantee(result)}]"
    ends = np.stack([result.low, result.high], axis=1).__getitem__
    columns = (
        listed("system", WORD, result.names),
        listed("rank", RANK, result.rank, title, interval=ends, ends=("low", "high")),
        listed("share_first", SHARE, result.share_first, shown=False),
        listed("tier", RANK, result.tier, f"tier [{level} each]"),
    )
    n_first = int((result.tier == 1.0).sum())
    which = "that of tier 1" if n_first == 1 else f"one of the {n_first} of tier 1"
    _, sentence = GUARANTEES["simultaneous" if result.simultaneous else result.method]
    note = (
        f"{result.n_topics} topics, {result.n_resamples} draws; {sentence.format(level=level)}. "
        "Tier 1: systems that may be the best, by a test of its own that may keep a system whose "
        "interval excludes rank 1; tier t: the same of what is left."
    )
    answer = f"With {level} confidence, the best of {result.n_systems} systems is {which}."
    return Table(columns, np.argsort(result.rank, kind="stable"), answer=answer, notes=(note,))


@sentence_of.register
def rank_intervals_sentence(result: RankIntervals) -> str:
    """The systems that may be the best, and the rank of the first with its interval."""
    first = int(np.argmin(result.rank))
    ranks = f"from {result.low[first]:g} to {result.high[first]:g} ({guarantee(result)})"
    has_rank = f"{result.names[first]}, the first on these topics, has a true rank {ranks}"
    return f"{sentence_of(best_of(result))} {has_rank}."


def doubt_about_tiers(result: RankIntervals) -> str:
    """A sentence with the systems whose tiers draws of other seeds may change; "" without any."""
    if not result.undecided:
        return ""
    return f"The draws do not decide the tier of {in_a_sentence(result.undecided)}."


@table_of.register
def best_systems_table(result: BestSystems) -> Table:
    """One row per system that may be the best."""
    by_it = result.method == "shrunken"  # whether the set goes by the probability
    columns = (
        listed("system", WORD, result.systems),
        listed("probability", SHARE, result.probabilities, "first in draws", shown=by_it),
    )
    n_kept, sure = len(result.systems), confidence(result.level)
    which = f"{'any' if n_kept == result.n_systems else 'one'} of these {n_kept}"
    which = "this one" if n_kept == 1 else which
    answer = f"With {sure} confidence, the best of {result.n_systems} systems is {which}."
    draws = f"{result.n_resamples} draws.{_doubt(result)}"
    note = f"{result.n_topics} topics; method {result.method}; {draws}"
    return Table(columns, range(n_kept), answer=answer, notes=(note,))


@sentence_of.register
def best_systems_sentence(result: BestSystems) -> str:
    """The systems that may be the best, and where the method is from."""
    n_kept, sure = len(result.systems), confidence(result.level)
    which = f"is one of {n_kept}: {in_a_sentence(result.systems)}"
    if n_kept == result.n_systems:
        which = f"may be any of the {n_kept}"
    elif n_kept == 1:
        which = f"is {result.systems[0]}"
    paper = " (Mogstad et al. 2024)" if result.method == "pairwise" else ""
    return (
        f"With {sure} confidence, the best of {result.n_systems} systems in the topic population, "
        f"of which {result.n_topics} topics were sampled, {which}{paper}.{_doubt(result)}"
    )


def _doubt(result: BestSystems) -> str:
    """A sentence, after a blank, with systems that other draws may put in or out; else ""."""
    if not result.undecided:
        return ""
    return f" The draws do not decide about {in_a_sentence(result.undecided)}."


# --- predictions ----------------------------------------------------------------------------------


@table_of.register
def prediction_quality_table(result: PredictionQuality, level: float = LEVEL) -> Table:
    """One row per system and coefficient: the value with its interval."""
    # rows in the order of the ravelled values, shape (n_systems, n_coefficients)
    systems, coefficients = zip(*product(result.systems, result.coefficients), strict=True)
    ends, values = list(result.confidence_interval(level).values()), result.values.ravel()
    columns = (
        listed("system", WORD, systems),
        listed("coefficient", WORD, coefficients),
        listed("value", NUMBER, values, interval=ends.__getitem__, ends=("low", "high")),
    )
    return Table(columns, range(len(systems)), notes=(in_a_line(result),))


@table_of.register
def prediction_powered_table(result: PredictionPowered, level: float = LEVEL) -> Table:
    """One row per system, the best first: its mean with the interval, and the standard error."""
    ends = result.intervals(level)
    columns = (
        listed("system", WORD, result.systems),
        listed("mean", NUMBER, result.means, interval=ends.__getitem__, ends=("low", "high")),
        listed("standard error", NUMBER, np.sqrt(result.covariance.diagonal())),
    )
    rows, note = np.argsort(-result.means, kind="stable"), in_a_line(result)
    return Table(columns, rows, notes=(note,))


@facts_of.register
def prediction_powered_facts(result: PredictionPowered) -> tuple[Column[Any], ...]:
    """The values of the estimate, without those on how its matrix names systems and topics."""
    values = result.to_dict()
    return facts({name: values[name] for name in values if not name.startswith("has_")})
