"""The commands that describe each measure by itself: a result, its table, and its picture."""

from __future__ import annotations

import math
from argparse import Namespace
from dataclasses import replace
from typing import Any, TypeAlias

import pt_rankcorr as ptr
from pt_rankcorr.cli._running import arguments
from pt_rankcorr.defaults import CHECKED
from pt_rankcorr.tables.kinds import COEFFICIENT, COUNT, FLAG, NUMBER
from pt_rankcorr.tables.table import Column, Table, constant, facts

Found: TypeAlias = tuple[Any, Table, dict[str, Any]]

# the single numbers of swap rates that people see, and their titles
SWAPS = {
    "required_difference": "required difference",
    "relative_difference": "relative",
    "sensitivity": "comparisons that reach it",
    "share_swapped": "all swaps",
}


def expected(options: Namespace, scores: Any) -> Found:
    """How well the measure's ranking is expected to agree with the true one."""
    result = ptr.expected_correlation(scores, **arguments(options))
    value, *others = result.table().columns
    needed = result.topics_needed(options.target)
    is_far = CHECKED * result.n_topics < needed < math.inf
    columns = (
        replace(value, interval=lambda _: result.confidence_interval(options.level)),
        Column(
            "topics_needed",
            f"topics for {options.target:g}",
            COUNT,
            lambda _: float(needed),
            interval=lambda _: needed.confidence_interval(options.level),
            ends=("topics_needed_low", "topics_needed_high"),
            text=lambda _: f"{needed}{'*' * is_far}",
        ),
        *(constant(f"with {each} topics", result.curve(each), COEFFICIENT) for each in options.topics or ()),
        *others,
        *facts({"level": options.level, "target": options.target}, shown=False),
    )
    aim = (
        f"Topics for {options.target:g}: the smallest number of topics with an expected correlation of "
        f"{options.target:g}, with a {options.level:.0%} interval."
    )
    if is_far:
        aim += f" * Beyond {CHECKED * result.n_topics} topics it is extrapolated further than simulations have checked."
    return result, Table(columns, [result], notes=(result._note(options.level), aim)), {"target": options.target}


def ranks(options: Namespace, scores: Any) -> Found:
    """The rank of each system, and an interval of its true rank."""
    from pt_rankcorr.stats.accuracy.best import best_of

    found = ptr.rank_intervals(scores, **arguments(options))
    best = best_of(found, scores.systems)
    system, *others = found.table().columns
    columns = (
        replace(system, value=scores.systems.__getitem__),
        Column("mean", "mean", NUMBER, lambda at: scores.mean_of(scores.systems[at])),
        *others,
        Column("best", f"may be best [{best.level:.0%}]", FLAG, lambda at: at in best.positions),
        *facts({**found.to_dict(), "seed": options.rng}, shown=False),
    )
    sure = (
        f"May be best: with {best.level:.0%} confidence the best system is one of these. This is a test of its own: "
        "the interval of another system may hold rank 1, and that of one of these may not."
    )
    notes = (found._note(), sure)
    return found, Table(columns, [scores.systems.index(name) for name in scores.ranking], notes=notes), {"best": best}


def power(options: Namespace, scores: Any) -> Found:
    """How many pairs of systems the measure tells apart."""
    result = ptr.discriminative_power(scores, **arguments(options))
    test = f"{result.test}, {'corrected' if result.corrected else 'uncorrected'}"
    shown = constant("named test", test, title="test", machine=False)
    columns = (*result._facts(), shown, constant("seed", options.rng, shown=False))
    return result, Table(columns, [result], notes=(result._note(),)), {}


def swap(options: Namespace, scores: Any) -> Found:
    """How often other topics reverse a difference; or the required difference with each number of topics."""
    if options.topics is not None:
        curve = ptr.stats.swap_curve(scores, **arguments(options))
        needed = {f"needed with {number} topics": curve.required_difference(number) for number in options.topics}
        columns = (*facts(needed), *facts({**curve.to_dict(), "seed": options.rng}, shown=False))
        return (
            curve,
            Table(columns, [curve], notes=(curve._note(),)),
            {"n_topics": max(curve.n_topics, *options.topics)},
        )
    found = ptr.stats.swap_rates(scores, **arguments(options))
    values = {**found.to_dict(), "share_swapped": float(found.swaps.sum() / found.counts.sum()), "seed": options.rng}
    columns = tuple(constant(name, values.pop(name), NUMBER, title) for name, title in SWAPS.items())
    note = (
        f"Required difference: from it on, other topics reverse at most {found.max_rate:.0%} of comparisons. Relative: "
        "the same, of the highest mean of any system on any topics."
    )
    return found, Table((*columns, *facts(values, shown=False)), [found], notes=(note,)), {}


def stability(options: Namespace, scores: Any) -> Found:
    """How often other topics are wrong about two systems, and how often they tie them."""
    found = ptr.stats.stability(scores, **arguments(options))
    return found, found.table().followed_by(*facts({**found.to_dict(), "seed": options.rng}, shown=False)), {}
