"""The commands that say something of each measure by itself."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._output import Line
from pt_rankcorr.cli._running import arguments, of_each_measure

POWER = {  # what people are shown of a line, and under which name
    "measure": "measure",
    "statistic": "power",
    "n_significant": "significant pairs",
    "n_pairs": "of",
    "required_difference": "required difference",
}
SWAPS = {
    "required_difference": "required difference",
    "relative_difference": "relative",
    "sensitivity": "comparisons that reach it",
}
STABILITY = {"minority_rate": "minority rate", "proportion_of_ties": "proportion of ties"}


def expected(options: Namespace) -> None:
    """How well each measure's ranking is expected to agree with the true one."""

    def compute(scores: Any) -> Any:
        result = ptr.expected_correlation(scores, **arguments(options))
        return result, [_expectation(options, scores.measure, result)], {"target": options.target}

    of_each_measure(options, compute)


def _expectation(options: Namespace, measure: str, result: Any) -> Line:
    low, high = result.confidence_interval(options.level)
    curve = {f"with {number} topics": result.curve(number) for number in options.topics or ()}
    needed = result.topics_needed(options.target)
    values = {"measure": measure, **result.to_dict(), "level": options.level, "low": low, "high": high}
    shown = {"measure": measure, f"E[{result.coefficient}]": result.value, "low": low, "high": high}
    topics = int(needed) if math.isfinite(needed) else needed
    return Line(
        {**values, "target": options.target, "topics_needed": needed, **curve},
        {**shown, f"topics for {options.target:g}": topics, **curve},
    )


def ranks(options: Namespace) -> None:
    """Where each system ranks, and may truly rank, by each measure."""
    from pt_rankcorr.stats.accuracy.best import best_of

    def compute(scores: Any) -> Any:
        found = ptr.rank_intervals(scores, **arguments(options))
        best = best_of(found, scores.systems)
        return found, list(_places(scores, found, best, options.rng)), {"best": best}

    of_each_measure(options, compute, n_names=2)


def _places(matrix: Any, found: Any, best: Any, seed: int) -> Iterator[Line]:
    """A line a system, the best first."""
    for name in matrix.ranking:
        at = matrix.systems.index(name)
        mean = float(-matrix.means[at] + 0.0 if matrix.negated else matrix.means[at])
        numbers = {"rank": found.rank, "low": found.low, "high": found.high, "first": found.share_first}
        of_system = {column: float(values[at]) for column, values in numbers.items()}
        of_all = {"tier": int(found.tier[at]), "best": at in best.positions}
        line = {"measure": matrix.measure, "system": name, "mean": mean, **of_system, **of_all}
        shown = {column: f"{line[column]:g}" for column in ("rank", "low", "high")}
        shown["best"] = "yes" if line["best"] else "no"
        yield Line({**line, **found.to_dict(), "seed": seed}, line | shown)


def power(options: Namespace) -> None:
    """How many pairs of systems each measure tells apart."""

    def compute(scores: Any) -> Any:
        result = ptr.discriminative_power(scores, **arguments(options))
        values = {"measure": scores.measure, **result.to_dict(), "seed": options.rng}
        test = f"{result.test}, {'corrected' if result.corrected else 'uncorrected'}"
        shown = {name: values[column] for column, name in POWER.items()} | {"test": test}
        return result, [Line(values, shown)], {}

    of_each_measure(options, compute)


def swap(options: Namespace) -> None:
    """How often other topics reverse a difference, by each measure; or along the number of topics."""

    def compute(scores: Any) -> Any:
        result, values, shown, how = _swaps(options, scores) if options.topics is None else _along(options, scores)
        line = {"measure": scores.measure}
        return result, [Line({**line, **values, "seed": options.rng}, {**line, **shown})], how

    of_each_measure(options, compute)


def _swaps(options: Namespace, scores: Any) -> tuple[Any, dict[str, Any], dict[str, Any], dict[str, Any]]:
    found = ptr.stats.swap_rates(scores, **arguments(options))
    share = float(found.swaps.sum() / found.counts.sum())
    values = found.to_dict()
    shown = {name: values[column] for column, name in SWAPS.items()} | {"all swaps": share}
    return found, {**values, "share_swapped": share}, shown, {}


def _along(options: Namespace, scores: Any) -> tuple[Any, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The difference that is needed with each number of topics."""
    found = ptr.stats.swap_curve(scores, **arguments(options))
    needed = {f"needed with {number} topics": found.required_difference(number) for number in options.topics}
    return found, {**found.to_dict(), **needed}, needed, {"n_topics": max(found.n_topics, *options.topics)}


def stability(options: Namespace) -> None:
    """How often other topics are wrong about two systems, and how often they tie them, by each measure."""

    def compute(scores: Any) -> Any:
        found = ptr.stats.stability(scores, **arguments(options))
        lines = []
        for fuzziness, *rates in zip(found.fuzziness, found.minority_rate, found.proportion_of_ties, strict=True):
            at = {"measure": scores.measure, "fuzziness": float(fuzziness)}
            values = dict(zip(STABILITY, map(float, rates), strict=True))
            shown = {STABILITY[name]: value for name, value in values.items()}
            lines.append(Line({**at, **values, **found.to_dict(), "seed": options.rng}, {**at, **shown}))
        return found, lines, {}

    of_each_measure(options, compute)
