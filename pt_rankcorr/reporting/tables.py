"""The tables of a report: few digits, sorted by all of them."""

from __future__ import annotations

import math

import numpy as np

from pt_rankcorr.comparison._shown import decimals, pvalue
from pt_rankcorr.comparison.measures import MeasureAgreement, MeasureComparison
from pt_rankcorr.reporting.document import D_RANK, TAU, TAU_AP, TAU_GAP, Bar, Cell, Column, Table, name, number
from pt_rankcorr.reporting.findings import ALPHA, LEVEL, TARGETS, CollectionFindings
from pt_rankcorr.stats.expected import ExpectedCorrelationResult

EXTRAPOLATED = 2  # times the topics at hand: the curve was checked so far
NAMES = {"tau": TAU, "tau_ap": TAU_AP, "tau_gap": TAU_GAP, "d_rank": D_RANK}


def systems_table(found: CollectionFindings) -> Table:
    """Every system with its rank, the interval of it, and its means; best first."""
    scores, intervals = found.scores, found.intervals
    order = np.lexsort((np.array(scores.systems), intervals.rank))
    heads = [Column("system", numeric=False), Column(f"rank by {found.reference}"), Column(f"{LEVEL:.0%} interval")]
    heads += [Column("first in"), *(Column(_mean_of(found, measure)) for measure in scores)]
    rows = [
        (
            name(scores.systems[at]),
            number(intervals.rank[at], f"{intervals.rank[at]:g}"),
            _interval(found, at),
            number(intervals.share_first[at], f"{intervals.share_first[at]:.0%}"),
            *(_mean(found, measure, at) for measure in scores),
        )
        for at in order
    ]
    caption = (
        f"Systems by {found.reference}, with {LEVEL:.0%} intervals of their ranks and how often each comes first, over "
        f"{intervals.n_resamples} resamples of {intervals.n_topics} topics; and their mean scores."
    )
    return Table(caption, tuple(heads), tuple(rows))


def _mean_of(found: CollectionFindings, measure: str) -> str:
    return f"{measure} (lower is better)" if found.scores[measure].negated else measure


def _mean(found: CollectionFindings, measure: str, at: int) -> Cell:
    matrix = found.scores[measure]
    mean = -matrix.means[at] + 0.0 if matrix.negated else matrix.means[at]
    return number(mean, f"{mean:.4f}")


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
            number(power.required_difference, f"{power.required_difference:.3f}"),
            *_expected(found.expected[measure]),
        )
        for measure, power in found.sensitivity.items()
    )
    caption = (
        f"Of {some.n_pairs} pairs of systems, the share that differs significantly (paired t-test, p < {ALPHA:g}, not "
        "corrected for the number of pairs), the largest difference of means that it takes for any pair, and the "
        f"expected correlation of the ranking with the true one, with a {LEVEL:.0%} interval of the actual {TAU_AP}."
    )
    return Table(caption, (Column("measure", numeric=False), *map(Column, heads)), rows)


def _expected(result: ExpectedCorrelationResult) -> tuple[Cell, ...]:
    low, high = result.confidence_interval(LEVEL)
    tau = math.nan if math.isnan(result.value) else result.with_coefficient("tau").value
    return (
        number(result.value, decimals(result.value, 2)),
        number(low, f"{decimals(low, 2)} to {decimals(high, 2)}"),
        number(tau, decimals(tau, 2)),
    )


def agreement_table(found: CollectionFindings) -> Table:
    """How the other measures rank systems, against the reference."""
    heads = (TAU, TAU_AP, TAU_GAP, D_RANK, "p-value", "± (Monte Carlo)")
    columns = (
        Column("measure", numeric=False),
        *map(Column, heads),
        Column("swap that costs most", numeric=False),
    )
    caption = (
        f"Rankings of the systems against that by {found.reference}. Bold: not significantly different, p > {ALPHA:g}. "
        f"The last column has the pair, in the order of the measure, that costs {TAU_AP} most, and its share."
    )
    return Table(caption, columns, tuple(_agreement(row, found) for row in found.agreements))


def _agreement(row: MeasureAgreement, found: CollectionFindings) -> tuple[Cell, ...]:
    ranking, swap = row.ranking, found.swaps.get(row.measure)
    values = (ranking.tau, ranking.tau_ap, ranking.tau_gap, ranking.d_rank)
    p = Cell(pvalue(ranking.pvalue), ranking.pvalue, strong=ranking.pvalue > ALPHA)
    return (
        name(row.measure),
        *(number(value, decimals(value, 2)) for value in values),
        p,
        number(ranking.pvalue_standard_error, decimals(ranking.pvalue_standard_error, 3)),
        name(f"{swap.worse} above {swap.better} ({swap.share:.0%})" if swap else "none"),
    )


def matrix_table(comparison: MeasureComparison, collection: str, statistic: str) -> Table:
    """A statistic of every measure against every baseline."""
    matrix = comparison.matrix(statistic, collection)
    values, alike, texts = matrix.values.to_numpy(), matrix.not_significant.to_numpy(), matrix.texts().to_numpy()
    rows = tuple(
        (
            name(baseline),
            *(Cell(texts[at, to] or "—", float(values[at, to]), bool(alike[at, to])) for to in range(len(values))),
        )
        for at, baseline in enumerate(matrix.values.index)
    )
    with_p = " (p-value)" if statistic == "d_rank" else ""
    caption = (
        f"{NAMES[statistic]}{with_p} of the ranking by each measure (column) against that by each baseline (row). "
        f"Bold: not significantly different by {D_RANK}, p > {ALPHA:g}."
    )
    columns = (Column("baseline", numeric=False), *map(Column, matrix.values.columns))
    return Table(caption, columns, rows)


def topics_table(found: CollectionFindings) -> Table:
    """How many topics each measure needs for rankings that are worth so much."""
    here = len(found.scores.topics)
    heads = (f"{here} topics", f"{2 * here} topics", *(f"topics for {decimals(target, 2)}" for target in TARGETS))
    caption = (
        f"Expected {TAU_AP} with the true ranking over {here} topics and over twice as many, and the topics needed for "
        f"an expected {TAU_AP} of {', '.join(decimals(target, 2) for target in TARGETS)}. An asterisk marks numbers "
        "beyond twice the topics at hand: these are extrapolated further than simulations have checked."
    )
    rows = tuple(_topics(measure, result, here) for measure, result in found.expected.items())
    return Table(caption, (Column("measure", numeric=False), *map(Column, heads)), rows)


def _topics(measure: str, result: ExpectedCorrelationResult, here: int) -> tuple[Cell, ...]:
    with_twice = float(result.curve(2 * here))
    needed = [result.topics_needed(target) for target in TARGETS]
    return (
        name(measure),
        number(result.value, decimals(result.value, 2)),
        number(with_twice, decimals(with_twice, 2)),
        *(number(topics, _needed(topics, here)) for topics in needed),
    )


def _needed(topics: float, here: int) -> str:
    if not math.isfinite(topics):
        return "nan" if math.isnan(topics) else "out of reach"
    return f"{topics:.0f}{'*' if topics > EXTRAPOLATED * here else ''}"


def collections_table(comparison: MeasureComparison) -> Table:
    """On how many collections each measure ranks systems as each baseline does."""
    heads = ("alike on", "of collections", f"lowest {TAU}", f"highest {TAU}")
    rows = tuple(
        (
            *(name(str(row[column])) for column in ("baseline", "measure", "agree")),
            *(number(row[column], f"{row[column]}") for column in ("n_indistinguishable", "n_collections")),
            *(number(row[column], decimals(row[column], 2)) for column in ("lowest_tau", "highest_tau")),
        )
        for row in comparison.agreements().to_dict("records")
    )
    caption = (
        "Measures that rank systems alike, as far as the topics can tell "
        f"({D_RANK} not significant, p > {ALPHA:g}): on how many collections."
    )
    words = (Column(title, numeric=False) for title in ("baseline", "measure", "alike"))
    return Table(caption, (*words, *map(Column, heads)), rows)
