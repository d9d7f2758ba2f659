"""The tables of a report: few digits, sorted by all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from pt_rankcorr.comparison.measures import MeasureComparison
from pt_rankcorr.comparison.table import RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.numbers import decimals, percent, pvalue
from pt_rankcorr.reporting.document import D_RANK, TAU, TAU_AP, TAU_GAP, Bar, Cell, Column, Table, name, number
from pt_rankcorr.reporting.findings import TARGETS, CollectionFindings
from pt_rankcorr.stats.expected.correlation import ExpectedCorrelationResult
from pt_rankcorr.stats.significance.pairwise import TESTS

EXTRAPOLATED = 2  # times the topics at hand: the curve was checked so far
COEFFICIENTS = ("tau", "tau_ap", "tau_gap")
NAMES = {"tau": TAU, "tau_ap": TAU_AP, "tau_gap": TAU_GAP, "d_rank": D_RANK}


def columns(first: str, numeric: Iterable[str]) -> tuple[Column, ...]:
    """A column of names, and columns of numbers."""
    return (Column(first, numeric=False), *map(Column, numeric))


def systems_table(found: CollectionFindings) -> Table:
    """Every system with its rank, the interval of it, and its means; best first."""
    scores, intervals = found.scores, found.intervals
    order = np.lexsort((np.array(scores.systems), intervals.rank))
    lower = {measure: " (lower is better)" * matrix.negated for measure, matrix in scores.items()}
    means = (f"{measure}{note}" for measure, note in lower.items())
    heads = columns("system", (f"rank by {found.reference}", f"{LEVEL:.0%} interval", "first in", "tier", *means))
    rows = [
        (
            name(scores.systems[at]),
            number(intervals.rank[at], f"{intervals.rank[at]:g}"),
            _interval(found, at),
            _share(intervals.share_first[at]),
            number(found.intervals.tier[at], f"{found.intervals.tier[at]:g}"),
            *(_mean(found, measure, at) for measure in scores),
        )
        for at in order
    ]
    caption = (
        f"Systems by {found.reference}, with {LEVEL:.0%} {intervals.method} intervals of their ranks and how often "
        f"each is first, over {intervals.n_resamples} draws; their tiers, and their mean scores. Tier 1 has the "
        "systems that no other one surely beats if all pairs are tested at once. They can be more than those that may "
        "be the best."
    )
    return Table(caption, heads, tuple(rows))


def _share(value: float) -> Cell:
    return number(value, "" if math.isnan(value) else percent(value))


def _mean(found: CollectionFindings, measure: str, at: int) -> Cell:
    matrix = found.scores[measure]
    mean = -matrix.means[at] + 0.0 if matrix.negated else matrix.means[at]
    return number(mean, decimals(mean, 4))


def _interval(found: CollectionFindings, at: int) -> Cell:
    intervals = found.intervals
    low, high = intervals.low[at], intervals.high[at]
    bar = Bar(float(low), float(intervals.rank[at]), float(high), intervals.n_systems)
    return Cell(f"{low:g}–{high:g}", float(low + high), bar=bar)


def sensitivity_table(found: CollectionFindings) -> Table:
    """How well each measure tells systems apart, and how sure its ranking is."""
    some = found.sensitivity[found.reference]
    heads = ("pairs significant", "difference needed", f"expected {TAU_AP}", "interval", f"expected {TAU}")
    rows = tuple(
        (
            name(measure),
            number(power.statistic, f"{power.statistic:.1%}"),
            number(power.required_difference, decimals(power.required_difference, 3)),
            *_expected_cells(found.expected[measure]),
        )
        for measure, power in found.sensitivity.items()
    )
    caption = (
        f"The share of the {some.n_pairs} pairs of systems that differ significantly ({TESTS[some.test].full_title}, "
        f"p < {ALPHA:g}); the difference of two means that suffices for any pair; and the expected correlation of the "
        f"ranking with the true one, with a {LEVEL:.0%} interval of the actual {TAU_AP}."
    )
    return Table(caption, columns("measure", heads), rows)


def _expected_cells(result: ExpectedCorrelationResult) -> tuple[Cell, ...]:
    low, high = result.confidence_interval(LEVEL)
    tau = math.nan if math.isnan(result.value) else result.with_coefficient("tau").value
    return (
        number(result.value, decimals(result.value)),
        number(low, f"{decimals(low)} to {decimals(high)}"),
        number(tau, decimals(tau)),
    )


def agreement_table(found: CollectionFindings) -> Table:
    """How the other measures rank systems, against the reference."""
    heads = (*(NAMES[each] for each in COEFFICIENTS), D_RANK, "p-value", "± (Monte Carlo)")
    caption = (
        f"Rankings of the systems against that by {found.reference}. Bold: a significant difference, p <= {ALPHA:g}. "
        f"The last column has the swap of two systems that costs {TAU_AP} most, and its share of the cost."
    )
    last = Column("swap that costs most", numeric=False)
    return Table(caption, (*columns("measure", heads), last), tuple(_agreement(row, found) for row in found.agreements))


def _agreement(row: RankingAgreement, found: CollectionFindings) -> tuple[Cell, ...]:
    swap = found.swaps.get(row.measure)
    p = Cell(pvalue(row.pvalue), row.pvalue, strong=row.pvalue <= ALPHA)
    return (
        name(row.measure),
        *(number(value, decimals(value)) for value in (*(row.coefficients[each] for each in COEFFICIENTS), row.d_rank)),
        p,
        number(row.pvalue_standard_error, decimals(row.pvalue_standard_error, 3)),
        name(f"{swap.worse} above {swap.better} ({percent(swap.share)})" if swap else "none"),
    )


def matrix_table(comparison: MeasureComparison, collection: str, statistic: str) -> Table:
    """A statistic of every measure against every reference."""
    matrix = comparison.matrix(statistic, collection)
    values, differs, texts = matrix.values.to_numpy(), matrix.significant.to_numpy(), matrix.texts().to_numpy()
    rows = tuple(
        (
            name(reference),
            *(Cell(texts[at, to] or "—", float(values[at, to]), bool(differs[at, to])) for to in range(len(values))),
        )
        for at, reference in enumerate(matrix.values.index)
    )
    with_p = " (p-value)" if statistic == "d_rank" else ""
    caption = (
        f"{NAMES[statistic]}{with_p} of the ranking by each measure (column) against that by each reference (row). "
        f"Bold: a significant difference by {D_RANK}, p <= {ALPHA:g}."
    )
    return Table(caption, columns("reference", matrix.values.columns), rows)


def topics_table(found: CollectionFindings) -> Table:
    """How many topics each measure needs for rankings that are worth so much."""
    here = len(found.scores.topics)
    heads = (f"{here} topics", f"{2 * here} topics", *(f"topics for {decimals(target)}" for target in TARGETS))
    caption = (
        f"Expected {TAU_AP} with the true ranking over {here} topics and over twice as many, and the topics needed for "
        f"an expected {TAU_AP} of {', '.join(decimals(target) for target in TARGETS)}. An asterisk marks numbers "
        "beyond twice the topics at hand: these are extrapolated further than simulations have checked."
    )
    rows = tuple(_topics(measure, result, here) for measure, result in found.expected.items())
    return Table(caption, columns("measure", heads), rows)


def _topics(measure: str, result: ExpectedCorrelationResult, here: int) -> tuple[Cell, ...]:
    with_twice = float(result.curve(2 * here))
    needed = [result.topics_needed(target) for target in TARGETS]
    return (
        name(measure),
        number(result.value, decimals(result.value)),
        number(with_twice, decimals(with_twice)),
        *(number(topics, _topics_text(topics, here)) for topics in needed),
    )


def _topics_text(topics: float, here: int) -> str:
    if not math.isfinite(topics):
        return "nan" if math.isnan(topics) else "out of reach"
    return f"{topics:.0f}{'*' if topics > EXTRAPOLATED * here else ''}"


def collections_table(comparison: MeasureComparison) -> Table:
    """On how many collections each measure ranks systems differently from each reference."""
    heads = ("different on", "of collections", f"lowest {TAU}", f"highest {TAU}")
    rows = tuple(
        (
            *(name(str(row[column])) for column in ("reference", "measure", "different")),
            *(number(row[column], f"{row[column]}") for column in ("n_different", "n_collections")),
            *(number(row[column], decimals(row[column])) for column in ("lowest_tau", "highest_tau")),
        )
        for row in comparison.agreements().to_dict("records")
    )
    caption = (
        f"On how many collections a measure ranks systems differently from the reference ({D_RANK}, p <= {ALPHA:g}). "
        "Nowhere does not mean that the rankings are the same: the topics may be too few to tell."
    )
    words = (Column(title, numeric=False) for title in ("reference", "measure", "different"))
    return Table(caption, (*words, *map(Column, heads)), rows)
