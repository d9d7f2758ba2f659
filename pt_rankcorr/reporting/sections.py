"""The sections of a report: what each says, its tables with their captions, and its pictures."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import metadata
from operator import attrgetter
from typing import Any

import numpy as np

from pt_rankcorr import __version__, plots, tables, text
from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.compare import MeasureComparison, MeasureMatrix
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.rows import RankingAgreement
from pt_rankcorr.defaults import ALPHA, CHECKED_MULTIPLE, LEVEL
from pt_rankcorr.present.comparison import columns_of, d_rank_columns, settings_text
from pt_rankcorr.reporting import texts
from pt_rankcorr.reporting.data import MOST_FOR_D_RANK, CollectionData, MeasurePair, ReportData
from pt_rankcorr.reporting.document import Block, Document, Points, Section, Verbatim, picture
from pt_rankcorr.reporting.texts import tau, tau_ap, tau_gap
from pt_rankcorr.stats.core.types import ByMeasure
from pt_rankcorr.stats.significance.power import POWER
from pt_rankcorr.tables import Column, Table, listed
from pt_rankcorr.text import D_RANK, P_SAME, confidence, decimals, in_a_sentence, p_equals, percent

TARGETS = (0.8, 0.9, 0.95)  # expected tau_AP that topics are planned for
# how the columns that answer the first question are read
READING = (
    "Intervals are of the mean over topic samples of this size. If one true ranking: what the "
    "coefficient would be if noise of topics alone kept it below 1, with its range. A small p "
    "(same true ranking) says that it does not."
)


def document_of(data: ReportData) -> Document:
    """The whole report, from which all its forms are made."""
    title = "How measures rank the systems"
    if data.comparison is None:
        title = "How sure the ranking of systems is"
    summaries = []
    for collection in data.collections:
        scores = collection.scores
        measures = f"{len(scores)} measure{'s' * (len(scores) > 1)}"
        summaries.append(
            f"{collection.prefix}{len(scores.systems)} systems, {len(scores.topics)} topics, "
            f"{measures}, reference {collection.reference}"
        )
    doubts = texts.doubts(data)
    warnings = [Points(doubts, warning=True)] if doubts else []
    sections = [Section("In short", (Points(texts.verdicts(data)), *warnings))]
    if data.judges:
        title = "Which judge ranks the systems as the reference does?"
        sections.append(judges_section(data, data.judges))
    for number, collection in enumerate(data.collections, 1):
        sections += sections_of(collection, data, f"c{number}")
    if data.comparison is not None and len(data.collections) > 1:
        sections.append(Section("Across collections", (collections_table(data.comparison),)))
    entries = texts.entries()
    if not data.judges:
        del entries["thompson2024"]  # on soft pairwise accuracy, which a report has of judges alone
        if data.comparison is None:
            of_one_measure = ("sakai2006", "urbano2016", "yilmaz2008", "mogstad2024", "efron1993")
            entries = {key: entry for key, entry in entries.items() if key in of_one_measure}
    sections += [
        Section("For a paper", (texts.for_a_paper(data),)),
        Section("How it was computed", (provenance(data), Verbatim("\n\n".join(entries.values())))),
    ]
    return Document(title, "; ".join(summaries), tuple(sections))


def judges_section(data: ReportData, judges: JudgeComparison) -> Section:
    """The section on judges: their labels, their order by each pair of measures, and their bias."""
    first = judges.rows[0]
    introduction = (
        f"Each judge scored the same {first.n_systems} systems on the same {first.n_topics} topics "
        f"as the reference. {READING}"
    )
    blocks: list[Block] = [introduction, labels_table(judges)]
    for number, pair in enumerate(data.pairs, 1):
        blocks.append(judges_table(judges, pair))
        if pair.ranking is not None:
            n_judges = len(pair.ranking.judges)
            alt = (
                f"{tau} of each judge with the reference ({pair.title}), with its interval, and in "
                "grey what one true ranking would give. Green judges may be the best."
            )
            better_in_rows = ~np.tri(n_judges, dtype=bool)
            if not pair.ranking.significant[better_in_rows].all():
                alt += " Bars on the right join judges that cannot be told apart."
            size = (7.0, 1.5 + 0.34 * n_judges)
            blocks.append(picture(f"j{number}", plots.draw_judges, pair.ranking, size, alt))
    blocks += carried("j-carried", [row for pair in data.pairs for row in pair.rows])
    if data.bias is not None:
        line = "a curve over the reference's scores"
        if data.bias.same_scale:
            line = "the reference's score"
        explanation = (
            "Is a judge biased? The shift of a group is how much more the judge gives its systems "
            f"beyond {line}, in the judge's units, less the same of all other systems. Interval "
            "and p-value are for systems of this kind: errors of the judge about single systems "
            "count as chance."
        )
        blocks += [explanation, bias_table(data.bias, len(data.pairs))]
    return Section("Judges", tuple(blocks))


def sections_of(collection: CollectionData, data: ReportData, key: str) -> Iterator[Section]:
    """The sections of one of several collections: ids of its pictures begin with `key`."""
    level = 2
    if collection.place:
        yield Section(collection.place, ())
        level = 3
    reference = collection.reference

    yield Section("What was measured", (_scores_used(collection),), level)

    ranked = f"The rank of each system by {reference}, with its interval."
    alt = f"{ranked} The best is one of those in green."
    size = (7.0, 1.2 + 0.16 * min(max(collection.intervals.n_systems, 10), 40))
    draw_ranks = partial(plots.draw_rank_intervals, best=collection.best)
    ranks = picture(f"{key}-ranks", draw_ranks, collection.intervals, size, alt)
    yield Section("Systems", (systems_table(collection), ranks), level)

    alt = (
        "The p-values of all pairs of systems by each measure, largest first. The further left a "
        f"curve falls below the line at {ALPHA:g}, the more pairs the measure tells apart."
    )
    curves = picture(f"{key}-asl", plots.draw_asl_curves, collection.sensitivity, (7.0, 3.9), alt)
    blocks: tuple[Block, ...] = (sensitivity_table(collection), curves)
    yield Section("How well measures tell systems apart", blocks, level)

    if collection.agreements and data.comparison is not None:
        introduction = (
            f"{tau}, {tau_ap} and {tau_gap} lie between −1 and 1; {tau_ap} counts errors near the "
            f"top more, and {tau_gap} also those between systems far apart. {READING}"
        )
        alt = (
            f"{tau} of each measure with {reference}, its interval, and what one true ranking "
            "would give; orange where p of that is small."
        )
        size = (7.0, 1.2 + 0.4 * len(collection.agreements))
        rows = [row for row in collection.agreements if row.is_defined]
        correlations = None
        if rows:
            correlations = picture(f"{key}-correlations", plots.draw_correlations, rows, size, alt)
        blocks = (introduction, agreement_table(collection), correlations)
        yield Section(f"Against {reference}", blocks, level)

        if blocks := carried(f"{key}-carried", rows):
            yield Section("What carries the difference", blocks, level)

        has_d_rank = data.comparison.settings.d_rank
        if has_d_rank:
            yield distances_section(collection, f"{key}-distances", level)

        statistics = ("tau_ap", "d_rank") if has_d_rank else ("tau_ap",)
        matrices = [data.comparison.matrix(statistic, collection.name) for statistic in statistics]
        matrix, covariance = matrices[0], data.comparison.settings.covariance
        side = 2.4 + 0.62 * len(matrix.values)
        alt = (
            f"The same {tau_ap}, with similar measures side by side. Dark is a low correlation; a "
            f"frame marks a significant difference by {P_SAME}."
        )
        blocks = tuple(matrix_table(matrix, covariance) for matrix in matrices)
        if np.isfinite(matrix.values.to_numpy()).any():
            size = (side + 1.2, side)
            blocks += (picture(f"{key}-measures", plots.draw_measures, matrix, size, alt),)
        yield Section("Measures against measures", blocks, level)

    expected = collection.expected[reference]
    marked = 0.9  # of the targets, what the picture marks on its curve
    alt = (
        f"Expected {tau_ap} of the ranking by {reference} with the true ranking against the number "
        f"of topics, with a {confidence(LEVEL)} band, the topics at hand, and the topics needed "
        f"for {marked:g}."
    )
    draw_curve = partial(plots.draw_expected_correlation, target=marked)
    curve = None
    if not np.isnan(expected.value):
        curve = picture(f"{key}-topics", draw_curve, expected, (7.0, 3.9), alt)
    yield Section("How many topics", (topics_table(collection), curve), level)


def distances_section(collection: CollectionData, key: str, level: int) -> Section:
    """The section on d_rank of other measures from the reference."""
    reference = collection.reference
    introduction = (
        "Another question: could the order by another measure, taken as it is, be the true ranking "
        f"by {reference}? {D_RANK} is the distance from the mean scores by {reference} to the "
        "nearest ones in the order of the other measure, in units of the noise of the topics: 0 "
        "for the same ranking, without upper bound. Its p-value is small where the choice of "
        "topics does not explain the distance."
    )
    rows = [row for row in collection.agreements if np.isfinite(row.d_rank)]
    alt = (
        f"The distance {D_RANK} of each measure's ranking from that by {reference}, with its "
        "p-value; orange where the choice of topics does not explain it."
    )
    size = (7.0, 1.2 + 0.4 * len(rows))
    distances = picture(key, plots.draw_distances, rows, size, alt) if rows else None
    blocks = (introduction, distances_table(collection), distances)
    return Section(f"{D_RANK} from {reference}", blocks, level)


def carried(key: str, rows: Sequence[RankingAgreement]) -> tuple[Block, ...]:
    """Text, table and picture of the pairs that the row of the smallest p reverses; () if none."""
    tested = [row for row in rows if not np.isnan(row.pvalue)]
    if not tested:
        return ()
    row = min(tested, key=lambda row: row.pvalue)
    result = row.correlations[row.settings.shown[0].name]
    pairs, sides = result.reversed_pairs(), " and ".join(row.sides)
    if not pairs.shares.size:
        return ()
    most = 5  # pairs, and systems in them, that are named
    shares = [f"{system} ({percent(share)})" for system, share in pairs.by_system.items()][:most]
    introduction = (
        f"The smallest p (same true ranking) is that of {sides} ({p_equals(row.pvalue)}). They "
        f"reverse {pairs.shares.size} pairs of systems. By system, with half of the share of each "
        f"of its pairs: {in_a_sentence(shares)}."
    )
    caption = (
        "The pairs that both reverse most surely. z is the difference of the two means in standard "
        "errors; shares are of the sum of |z| x |z| over all reversed pairs."
    )
    first = range(min(most, pairs.shares.size))
    table = replace(pairs.table(), rows=first, caption=caption, notes=())
    alt = (
        f"Means of systems by {sides}, with bars of one standard error. The curve is what one true "
        "ranking would have; orange joins the pairs of the table."
    )
    draw = partial(plots.draw_one_true_ranking, names=row.sides)
    return introduction, table, picture(key, draw, result, (7.0, 5.0), alt)


def _scores_used(collection: CollectionData) -> dict[str, str]:
    """Term -> text on the systems, topics and measures that were compared, or left out."""
    scores = collection.scores
    lower = [measure for measure in scores if scores[measure].negated]
    exclusions = scores.alignment.exclusions()
    excluded = {what: f"{len(out)}: {', '.join(out)}" for what, out in exclusions.items()}
    return {
        "Systems": str(len(scores.systems)),
        "Topics": f"{len(scores.topics)}{scores[collection.reference].in_design}",
        "Measures": in_a_sentence(scores.measures, len(scores)),
        "Reference": collection.reference,
        **({"Lower is better": in_a_sentence(lower, len(lower))} if lower else {}),
        **(excluded or {"Left out": "nothing"}),
    }


def provenance(data: ReportData) -> dict[str, str]:
    """Term -> text on how it was computed: variants, resamples, settings, seed and versions."""
    comparison, collection = data.comparison, data.collections[0]
    test = collection.sensitivity[collection.reference]
    draws = f"{collection.intervals.n_resamples} draws"
    facts: dict[str, Any] = {
        "Means": "rounded to twelve significant digits before systems are ranked",
        "Ties": f"{tau}: variant a; {tau_ap}: variant a, the mean over all ways of breaking ties; "
        f"{tau_gap}: ties of the reference weigh nothing, others are averaged over all ways of "
        "breaking them",
        "Rank intervals": f"{confidence(LEVEL)}, {collection.intervals.method}, {draws}; tiers, "
        "of which the first has the best systems, by tests of each system against all others",
        "Pairs of systems": f"{test.title}, p <= {decimals(ALPHA)}",
        "Expected correlation": f"{tau_ap}; mean and intervals of {draws} of the true means",
    }
    if comparison is not None and not comparison.settings.d_rank:
        facts[f"Test of {D_RANK}"] = (
            f"left out with more than {MOST_FOR_D_RANK} systems, where it takes minutes: "
            "compare(..., d_rank=True)"
        )
    elif comparison is not None:
        facts[f"Test of {D_RANK}"] = (
            f"null hypothesis {comparison.settings.null}, covariance "
            f"{comparison.settings.covariance}, up to {comparison.settings.d_rank_resamples} "
            f"resamples of topics, α = {ALPHA:g}; p = 200/l where the l-th is the 200th that is as "
            "far, else (b + 1)/(B + 1)"
        )
    if data.judges is not None:
        facts["Judges"] = settings_text(data.judges.settings)
    names = ("numpy", "scipy", "pandas", "pyterrier", "ir-measures")
    packages = ", ".join(f"{package} {metadata.version(package)}" for package in names)
    facts["Seed"] = str(data.seed)
    facts["Versions"] = f"pt_rankcorr {__version__}, {packages}, Python {platform.python_version()}"
    return facts


# --- tables ---------------------------------------------------------------------------------------


def systems_table(collection: CollectionData) -> Table:
    """One row per system, best first: its rank by the reference, its interval, tier, and means."""
    scores, intervals = collection.scores, collection.intervals
    caption = (
        f"Systems by {collection.reference}, with {intervals.method} intervals of their ranks, "
        f"over {intervals.n_resamples} draws; their tiers, and their mean scores. Each title says "
        "what its confidence level applies to. Tier 1 has the systems that may be the best, tier 2 "
        "those that may be the best of the others, and so on. A separate test decides this, so the "
        "interval of such a system may exclude rank 1."
    )
    columns: list[Column[int]] = []
    with_four_digits = tables.Kind(lambda number: decimals(number, 4))
    for measure, matrix in scores.items():
        means, title = matrix.means, measure
        if matrix.negated:
            means, title = 0.0 - means, f"{measure} (lower is better)"
        columns.append(listed(f"mean {measure}", with_four_digits, means, title))
    best_first = np.lexsort((np.array(scores.systems), intervals.rank))
    table = intervals.table().with_trailing_columns(*columns)
    return replace(table, rows=best_first, caption=caption)


def sensitivity_table(collection: CollectionData) -> Table:
    """One row per measure: its discriminative power, and correlations with the true ranking."""
    power = collection.sensitivity[collection.reference]
    caption = (
        f"The share of the {power.n_pairs} pairs of systems that differ significantly "
        f"({power.title}, p <= {decimals(ALPHA)}); an estimate of the difference of two means from "
        "which on every pair does; the true difference that a paired t test detects with a power "
        f"of {decimals(POWER)}; and the expected correlation of the ranking with the true one, "
        f"with {confidence(LEVEL)} intervals of the actual ones."
    )
    table = ByMeasure(collection.sensitivity).table()  # it has one row a measure, by number
    for coefficient in ("tau_ap", "tau"):
        results = {
            measure: result if np.isnan(result.value) else result.with_coefficient(coefficient)
            for measure, result in collection.expected.items()
        }
        name = f"expected_{coefficient}"
        value = ByMeasure(results).table().column("value")
        ends = (f"{name}_low", f"{name}_high")
        table = table.with_trailing_columns(replace(value, name=name, ends=ends))
    return replace(table, caption=caption)


def agreement_table(collection: CollectionData) -> Table:
    """One row per other measure: its correlations with the reference, and the costliest swap."""
    caption = (
        f"Rankings of the systems against that by {collection.reference}. Bold: p <= {ALPHA:g}. "
        f"The last column names the pair of swapped systems that lowers {tau_ap} most, and its "
        "share of the loss."
    )
    # of what one true ranking would give, a page has room for that of the first coefficient
    first = collection.agreements[0].settings.shown[0].column
    shown = [
        replace(column, wide=False)
        for column in columns_of(collection.agreements)
        if not column.name.startswith(("reference", "collection", "d_rank"))
        if "true ranking" not in column.name or column.name.startswith(f"{first} ")
    ]

    def swap(row: RankingAgreement) -> str:
        better, worse, share = collection.swaps.get(row.measure) or ("", "", 0.0)
        return f"{worse} above {better} ({percent(share)})" if share else "none"

    costliest: Column[RankingAgreement] = Column("swap", "swap that costs most", tables.WORD, swap)
    return Table((*shown, costliest), collection.agreements, caption=caption)


def distances_table(collection: CollectionData) -> Table:
    """One row per other measure: its d_rank from the reference, the p-value, and its error."""
    rows = collection.agreements
    caption = (
        f"{D_RANK} of the order by each measure from the scores by {collection.reference}. "
        f"Bold: p <= {ALPHA:g}."
    )
    title, error = "± (Monte Carlo)", attrgetter("d_rank_pvalue_standard_error")
    columns = (
        Column("measure", "measure", tables.WORD, lambda row: row.measure),
        *d_rank_columns(rows[0].settings),
        Column(title, title, tables.PVALUE, error, strong=lambda _: False),
    )
    return Table(columns, rows, caption=caption)


def matrix_table(matrix: MeasureMatrix, covariance: str | None) -> Table:
    """tau_AP, or d_rank by this covariance, of every measure against every reference."""
    statistic, tested = tau_ap, P_SAME
    if matrix.statistic == "d_rank":
        statistic, tested = f"{text.d_rank_by(covariance, D_RANK)} (p-value)", f"p of {D_RANK}"
    caption = (
        f"{statistic} of the ranking by each measure (column) against that by each reference "
        f"(row). Bold: {tested} <= {ALPHA:g}."
    )
    return replace(matrix.table(), caption=caption)


def topics_table(collection: CollectionData) -> Table:
    """One row per measure: its expected correlation, and the topics needed for targets."""
    n_topics, targets = len(collection.scores.topics), ", ".join(map(decimals, TARGETS))
    caption = (
        f"Expected {tau_ap} with the true ranking over {n_topics} topics and over twice as many, "
        f"and the topics needed for an expected {tau_ap} of {targets}. An asterisk marks numbers "
        f"beyond {CHECKED_MULTIPLE * n_topics} topics: these are extrapolated further than "
        "simulations have checked."
    )
    results = [*collection.expected.values()]
    here = [result.value for result in results]
    twice = [float(result.curve(2 * n_topics)) for result in results]
    columns = [
        listed("measure", tables.WORD, [*collection.expected]),
        listed("here", tables.COEFFICIENT, here, f"tau_AP, {n_topics} topics"),
        listed("twice", tables.COEFFICIENT, twice, f"tau_AP, {2 * n_topics} topics"),
    ]
    for target in TARGETS:
        needed = [result.topics_needed(target) for result in results]
        name, title = f"topics for {decimals(target)}", f"topics for tau_AP {decimals(target)}"
        shown = [repr(topics) for topics in needed].__getitem__
        intervals = [topics.confidence_interval() for topics in needed].__getitem__
        columns.append(listed(name, tables.COUNT, needed, title, text=shown, interval=intervals))
    return Table(tuple(columns), range(len(results)), caption=caption)


def collections_table(comparison: MeasureComparison) -> Table:
    """One row per pair of measures: on how many collections noise does not explain a difference."""
    caption = (
        "On how many collections the noise of topics does not explain how both rankings differ (p "
        f"(same true ranking) <= {ALPHA:g}). Nowhere does not mean that the rankings are the same: "
        "the topics may be too few to tell."
    )
    return replace(tables.of_frame(comparison.agreements()), caption=caption)


def labels_table(comparison: JudgeComparison) -> Table | None:
    """One row for the reference and one a judge: what may be wrong with its labels.

    None if judges are leaderboards, which have scores but no labels.
    """
    if comparison.label_checks is None:
        return None
    caption = (
        "The labels of each judge beside the reference's: what is judged, labels outside of the "
        "reference's scale, fractions, lines that repeat others, documents with several labels, "
        "the commonest label, and how many of the first ten documents of systems are judged."
    )
    table = comparison.label_checks.table()
    # a page has room for all
    columns = tuple(replace(column, wide=False) for column in table.columns)
    return replace(table, columns=columns, caption=caption)


def judges_table(comparison: JudgeComparison, pair: MeasurePair) -> Table:
    """One row per judge, best first: its correlations, and whether it may be the best."""
    intervals = f"{confidence(comparison.settings.level)} intervals over topic samples of this size"
    caption = (
        f"Judges by {pair.title}: correlations with the reference, with {intervals}; "
        "what one true ranking would give, and its p."
    )
    table = replace(comparison, rows=pair.rows).table().without("reference", "measures")
    table = replace(table, caption=caption)
    if pair.ranking is None:
        return table
    title, best = "may be best", pair.ranking.may_be_best
    is_best: Column[Any] = Column(title, title, tables.NUMBER, lambda row: row.judge in best)
    return table.with_trailing_columns(is_best)


def bias_table(bias: JudgeBias, n_pairs: int) -> Table:
    """One row per judge and group of systems: how much more the judge gives to the group."""
    caption = (
        f"Shifts of groups, for systems of these kinds. Bold: p <= {bias.alpha:g}. Intervals and "
        f"p-values are corrected alike for all rows. {tau} without the group is that over all "
        "other systems, on these topics."
    )
    table = bias.table() if n_pairs > 1 else bias.table().without("measures")
    return replace(table, caption=caption)
