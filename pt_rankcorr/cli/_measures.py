"""The commands that say something of each measure by itself: a result, its lines, and how it is drawn."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import pt_rankcorr as ptr
from pt_rankcorr.cli._output import Line
from pt_rankcorr.cli._running import arguments

Found: TypeAlias = tuple[Any, list[Line], dict[str, Any]]

# what people are shown of a line, and under which name
POWER = {
    "statistic": "power",
    "n_significant": "significant pairs",
    "n_pairs": "of",
    "required_difference": "required difference",
}
SWAPS = {
    "required_difference": "required difference",
    "relative_difference": "relative",
    "sensitivity": "comparisons that reach it",
    "share_swapped": "all swaps",
}
STABILITY = {"minority_rate": "minority rate", "proportion_of_ties": "proportion of ties"}


def _line(scores: Any, values: dict[str, Any], names: Mapping[str, str], **more: Any) -> Line:
    measure = {"measure": scores.measure}
    return Line({**measure, **values}, {**measure, **{title: values[name] for name, title in names.items()}, **more})


def expected(options: Namespace, scores: Any) -> Found:
    """How well its ranking is expected to agree with the true one."""
    result = ptr.expected_correlation(scores, **arguments(options))
    low, high = result.confidence_interval(options.level)
    needed = result.topics_needed(options.target)
    values = {**result.to_dict(), "level": options.level, "low": low, "high": high, "target": options.target}
    least, most = needed.confidence_interval(options.level)
    values |= {"topics_needed": float(needed), "topics_needed_low": least, "topics_needed_high": most}
    values |= {f"with {each} topics": result.curve(each) for each in options.topics or ()}
    shown = {"value": f"E[{result.coefficient}]", "low": "low", "high": "high"}
    shown |= {"topics_needed": f"topics for {options.target:g}"}
    shown |= {name: name for name in values if name.startswith("with ")}
    with_ends = {shown["topics_needed"]: str(needed)}
    return result, [_line(scores, values, shown, **with_ends)], {"target": options.target}


def ranks(options: Namespace, scores: Any) -> Found:
    """Where each system ranks, and may truly rank."""
    from pt_rankcorr.stats.accuracy.best import best_of

    found = ptr.rank_intervals(scores, **arguments(options))
    best = best_of(found, scores.systems)
    places = _places(scores, found, set(best.positions))
    return (
        found,
        [Line({**line, **found.to_dict(), "seed": options.rng}, shown) for line, shown in places],
        {"best": best},
    )


def _places(scores: Any, found: Any, best: set[int]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """A line a system, the best first, for machines and for people."""
    for name in scores.ranking:
        at = scores.systems.index(name)
        mean = float(-scores.means[at] + 0.0 if scores.negated else scores.means[at])
        numbers = {"rank": found.rank, "low": found.low, "high": found.high, "first": found.share_first}
        line = {"measure": scores.measure, "system": name, "mean": mean}
        line |= {column: float(values[at]) for column, values in numbers.items()}
        line |= {"tier": int(found.tier[at]), "best": at in best}
        shown = {column: f"{line[column]:g}" for column in ("rank", "low", "high")}
        yield line, {**line, **shown, "best": "yes" if line["best"] else "no"}


def power(options: Namespace, scores: Any) -> Found:
    """How many pairs of systems it tells apart."""
    result = ptr.discriminative_power(scores, **arguments(options))
    test = f"{result.test}, {'corrected' if result.corrected else 'uncorrected'}"
    return result, [_line(scores, {**result.to_dict(), "seed": options.rng}, POWER, test=test)], {}


def swap(options: Namespace, scores: Any) -> Found:
    """How often other topics reverse a difference; or the difference that it takes with each number of topics."""
    if options.topics is not None:
        curve = ptr.stats.swap_curve(scores, **arguments(options))
        needed = {f"needed with {number} topics": curve.required_difference(number) for number in options.topics}
        line = _line(scores, {**curve.to_dict(), **needed, "seed": options.rng}, dict(zip(needed, needed, strict=True)))
        return curve, [line], {"n_topics": max(curve.n_topics, *options.topics)}
    found = ptr.stats.swap_rates(scores, **arguments(options))
    share = float(found.swaps.sum() / found.counts.sum())
    return found, [_line(scores, {**found.to_dict(), "share_swapped": share, "seed": options.rng}, SWAPS)], {}


def stability(options: Namespace, scores: Any) -> Found:
    """How often other topics are wrong about two systems, and how often they tie them."""
    found, lines = ptr.stats.stability(scores, **arguments(options)), []
    for each in zip(found.fuzziness, found.minority_rate, found.proportion_of_ties, strict=True):
        rates = dict(zip(("fuzziness", *STABILITY), map(float, each), strict=True))
        values = {**rates, **found.to_dict(), "seed": options.rng}
        lines.append(_line(scores, values, {"fuzziness": "fuzziness", **STABILITY}))
    return found, lines, {}
