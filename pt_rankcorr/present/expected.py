"""How expected correlations with the true ranking, and numbers of topics needed, are shown."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from pt_rankcorr.defaults import CHECKED_MULTIPLE, LEVEL
from pt_rankcorr.present.generic import facts_of, sentence_of, table_of
from pt_rankcorr.stats.expected.expected_correlation import ExpectedCorrelationResult
from pt_rankcorr.stats.expected.topics_needed import TopicsNeeded
from pt_rankcorr.tables import COEFFICIENT, COUNT, FACT, UNDEFINED, Column, Table, constant, facts
from pt_rankcorr.text import confidence, decimals


@table_of.register
def expected_correlation_table(result: ExpectedCorrelationResult, level: float = LEVEL) -> Table:
    """The value with its interval; settings where all is asked for."""
    value, *settings = facts_of(result)
    value = replace(value, interval=lambda _: result.confidence_interval(level))
    whose = "one of Urbano and Marrero (2016)"
    if result.estimator == "shrunken":
        others = "'ml', 'msqd', 'resampling' and 'kde'"
        whose = f"this package's own; those of Urbano and Marrero (2016) are {others}"
    ranking = f"this ranking of {result.n_systems} systems on {result.n_topics} topics"
    note = (
        f"How {ranking} agrees with the true one in the topic population: "
        f"the expectation, and a {confidence(level)} interval of the actual {result.of.title}. "
        f"The estimator is {whose}."
    )
    return Table((value, *settings), [result], notes=(note,), upright=True)


@facts_of.register
def expected_correlation_facts(result: ExpectedCorrelationResult) -> tuple[Column[Any], ...]:
    """The value with its interval, and the settings."""
    first, *others = facts(result.to_dict())
    title, symbol = f"expected {result.of.title}", f"expected {result.of.symbol}"
    value = replace(
        first,
        title=title,
        symbol=symbol,
        kind=COEFFICIENT,
        interval=lambda _: result.confidence_interval(),
        ends=("low", "high"),
    )
    settings = []
    for column in others:
        shown = column.name != "seed" or result.seed is not None
        settings.append(replace(column, wide=True, shown=shown))
    return (value, *settings)


@sentence_of.register
def expected_correlation_sentence(result: ExpectedCorrelationResult) -> str:
    """The value, its interval, and where the estimate is from."""
    low, high = map(decimals, result.confidence_interval())
    method = f"estimator {result.estimator}"
    if result.estimator == "shrunken":
        method = "mean over draws of the true means by an empirical Bayes model"
    return (
        f"The ranking of {result.n_systems} systems on {result.n_topics} topics has an expected "
        f"{result.of.title} of {decimals(result.value)} with the true ranking in the topic "
        f"population ({LEVEL:.0%} interval of the actual one: {low} to {high}; "
        f"Urbano and Marrero 2016, {method})."
    )


@table_of.register
def topics_needed_table(needed: TopicsNeeded, level: float = LEVEL) -> Table:
    """One row: the number with its interval, marked if extrapolated far; `needed` is a float."""
    (target,) = FACT.texts([needed.target])
    goal = f"{needed.coefficient} {target}"
    number = constant(
        "topics_needed",
        float(needed),
        COUNT,
        f"topics for {goal}",
        interval=lambda _: needed.confidence_interval(level),
        ends=("topics_needed_low", "topics_needed_high"),
        text=lambda _: UNDEFINED if math.isnan(needed) else needed.rounded(level),
    )
    aim = (
        f"Topics for {goal}: the smallest number of topics whose expected {needed.coefficient} is "
        f"{target}, with a {confidence(level)} interval."
    )
    checked = CHECKED_MULTIPLE * needed.n_topics
    far = f"* Beyond {checked} topics it is extrapolated further than simulations have checked."
    settings = facts({"level": level, "target": needed.target}, shown=False)
    return Table((number, *settings), [needed], notes=(aim, *[far] * needed.is_far))
