"""From report data to a document: its sections and their order."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np

from pt_rankcorr import __version__, plots
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.reporting import document, tables, texts
from pt_rankcorr.reporting.data import CollectionData, JudgeData, ReportData
from pt_rankcorr.reporting.document import Facts, Paragraph, Points, Section
from pt_rankcorr.reporting.pictures import picture
from pt_rankcorr.stats.significance.pairwise import TESTS
from pt_rankcorr.text import D_RANK, TAU, TAU_AP, TAU_GAP, decimals, in_a_sentence

TARGET = 0.9  # marked on the curve
# of statistics without a second measure
ENTRIES_OF_ONE_MEASURE = ("sakai2006", "urbano2016", "yilmaz2008", "mogstad2024", "efron1993")
ENTRIES_OF_JUDGES = ("romano2005", "thompson2024")
VERSIONS_OF = ("numpy", "scipy", "pandas", "python-terrier", "ir-measures")
# how the columns that answer the first question are read
TOPIC_POPULATION = (
    "The topic population is all topics of which these are a sample. p (same true ranking) is small "
    "where the choice of topics does not explain all disagreement; an interval that reaches 1 all the same says that "
    "errors may be too small to change the order."
)


def document_of(data: ReportData) -> document.Document:
    """The whole report."""
    title = "How measures rank the systems" if data.comparison else "How sure the ranking of systems is"
    summary = "; ".join(
        f"{collection.prefix}{len(collection.scores.systems)} systems, {len(collection.scores.topics)} topics, "
        f"{len(collection.scores)} measure{'s' * (len(collection.scores) > 1)}, reference {collection.reference}"
        for collection in data.collections
    )
    doubts = texts.doubts(data)
    warnings = [Points(doubts, warning=True)] if doubts else []
    sections = [Section("In short", (Points(texts.verdicts(data)), *warnings))]
    if data.judges:
        title = "Which judge ranks the systems as the reference does?"
        sections.append(_judges(data.judges))
    for number, collection in enumerate(data.collections, 1):
        sections += _collection(collection, data, f"c{number}")
    if data.comparison and len(data.collections) > 1:
        sections.append(Section("Across collections", (tables.collections_table(data.comparison),)))
    entries = texts.entries()
    if not data.comparison and not data.judges:
        entries = {key: entries[key] for key in entries if key in ENTRIES_OF_ONE_MEASURE}
    if not data.judges:
        entries = {key: entries[key] for key in entries if key not in ENTRIES_OF_JUDGES}
    origin = Facts(tuple(provenance(data).items()))
    sections += [
        Section("For a paper", (Paragraph(texts.for_a_paper(data)),)),
        Section("How it was computed", (origin, document.Verbatim("\n\n".join(entries.values())))),
    ]
    return document.Document(title, summary, tuple(sections))


def _section(title: str, *blocks: document.Block | None, level: int = 2) -> Section:
    """A section of the blocks that there are."""
    return Section(title, tuple(block for block in blocks if block is not None), level)


def _judges(judges: JudgeData) -> Section:
    first = judges.comparison.rows[0]
    introduction = Paragraph(
        f"Each judge scored the same {first.n_systems} systems on the same {first.n_topics} topics as the reference. "
        "Sampling error of these topics usually lowers a correlation; error that both sides share raises it. "
        f"{TOPIC_POPULATION}"
    )
    blocks: list[document.Block | None] = [introduction, tables.labels_table(judges.comparison)]
    for number, pair in enumerate(judges.pairs, 1):
        blocks.append(tables.judges_table(judges.comparison, pair))
        if pair.ranking is not None:
            alt = (
                f"{TAU} of each judge with the reference ({pair.title}), with its interval. Green judges may be the "
                "best. Bars on the right join judges that cannot be told apart."
            )
            size = (7.0, 1.5 + 0.34 * len(pair.ranking.judges))
            blocks.append(picture(f"j{number}", plots.draw_judges, pair.ranking, size, alt))
    if judges.bias is not None:
        line = "the reference's score" if judges.bias.same_scale else "a curve over the reference's scores"
        explanation = Paragraph(
            f"Is a judge biased? The shift of a group is how much more the judge gives its systems beyond {line}, in "
            "the judge's units, less the same of all other systems. “p (these)” tests the shift for exactly these "
            "systems, whatever its cause. “p (this kind)” generalises to other systems of the kind; only this one "
            "supports the claim that the judge favours them."
        )
        blocks += [explanation, tables.bias_table(judges.bias, len(judges.pairs))]
    return _section("Judges", *blocks)


def _collection(collection: CollectionData, data: ReportData, key: str) -> Iterator[Section]:
    """The sections of one collection; `key` keeps its pictures apart from those of others."""
    section = _section
    if collection.place:
        yield Section(collection.place, ())
        section = partial(_section, level=3)
    reference = collection.reference

    yield section("What was measured", _scores_used(collection))

    alt = f"The rank of each system by {reference}, with its interval. The best is one of those in green."
    size = (7.0, 1.2 + 0.16 * min(max(collection.intervals.n_systems, 10), 40))
    draw_ranks = partial(plots.draw_rank_intervals, best=collection.best)
    ranks = picture(f"{key}-ranks", draw_ranks, collection.intervals, size, alt)
    yield section("Systems", tables.systems_table(collection), ranks)

    alt = (
        "The p-values of all pairs of systems by each measure, largest first. The further left a curve falls below the "
        f"line at {ALPHA:g}, the more pairs the measure tells apart."
    )
    curves = picture(f"{key}-asl", plots.draw_asl_curves, collection.sensitivity, (7.0, 3.9), alt)
    yield section("How well measures tell systems apart", tables.sensitivity_table(collection), curves)

    if collection.agreements and data.comparison:
        introduction = Paragraph(
            f"{D_RANK} is the distance from the mean scores by {reference} to the nearest ones in the order of the "
            "other measure, in units of the noise of the topics: 0 for the same ranking, without upper bound. Its "
            f"p-value is small where the choice of topics does not explain the distance. {TAU}, {TAU_AP} and {TAU_GAP} "
            f"lie between −1 and 1; {TAU_AP} counts errors near the top more, and {TAU_GAP} also those between systems "
            f"far apart. {TOPIC_POPULATION}"
        )
        rows = [row for row in collection.agreements if np.isfinite(row.d_rank)]
        alt = (
            f"The distance {D_RANK} of each measure's ranking from that by {reference}, with its p-value; orange where "
            "the choice of topics does not explain it."
        )
        size = (7.0, 1.2 + 0.4 * len(rows))
        distances = picture(f"{key}-distances", plots.draw_distances, rows, size, alt) if rows else None
        yield section(f"Against {reference}", introduction, tables.agreement_table(collection), distances)

        matrices = [
            tables.matrix_table(data.comparison, collection.name, statistic) for statistic in ("tau_ap", "d_rank")
        ]
        matrix = data.comparison.matrix("tau_ap", collection.name)
        side = 2.4 + 0.62 * len(matrix.values)
        alt = (
            f"The same {TAU_AP}, with similar measures side by side. Dark is a high correlation; a frame marks a "
            "significant difference."
        )
        is_defined = np.isfinite(matrix.values.to_numpy()).any()
        size = (side + 1.2, side)
        heat_map = picture(f"{key}-measures", plots.draw_measures, matrix, size, alt) if is_defined else None
        yield section("Measures against measures", *matrices, heat_map)

    expected = collection.expected[reference]
    alt = (
        f"Expected {TAU_AP} of the ranking by {reference} with the true ranking against the number of topics, with a "
        f"{LEVEL:.0%} band, the topics at hand, and the topics needed for {TARGET:g}."
    )
    draw_curve = partial(plots.draw_expected_correlation, target=TARGET)
    is_defined = not np.isnan(expected.value)
    curve = picture(f"{key}-topics", draw_curve, expected, (7.0, 3.9), alt) if is_defined else None
    yield section("How many topics", tables.topics_table(collection), curve)


def _scores_used(collection: CollectionData) -> Facts:
    scores = collection.scores
    lower = tuple(measure for measure in scores if scores[measure].negated)
    items = [
        ("Systems", str(len(scores.systems))),
        ("Topics", f"{len(scores.topics)}{scores[collection.reference].in_design}"),
        ("Measures", in_a_sentence(scores.measures, len(scores))),
        ("Reference", collection.reference),
        ("Lower is better", in_a_sentence(lower, len(lower))),
        *[(what, f"{len(names)}: {', '.join(names)}") for what, names in scores.alignment.exclusions().items()],
    ]
    items += [] if scores.alignment.exclusions() else [("Left out", "nothing")]
    return Facts(tuple((term, text) for term, text in items if text))


def provenance(data: ReportData) -> dict[str, str]:
    """Variants, policies, resamples, seed and versions."""
    n_resamples, comparison, collection = data.n_resamples, data.comparison, data.collections[0]
    facts: dict[str, Any] = {
        "Means": "rounded to twelve significant digits before systems are ranked",
        "Ties": f"{TAU}: variant a; {TAU_AP}: variant a, the mean over all ways of breaking ties; "
        f"{TAU_GAP}: ties of the reference weigh nothing, others are averaged over all ways of breaking them",
        "Rank intervals": f"{LEVEL:.0%}, {collection.intervals.method}, {n_resamples} draws; tiers, of which the first "
        "has the best systems, by tests of each system against all others",
        "Pairs of systems": f"{TESTS[collection.sensitivity[collection.reference].test].full_title}, "
        f"p <= {decimals(ALPHA)}",
        "Expected correlation": f"{TAU_AP}; mean and intervals of {n_resamples} draws of the true means",
    }
    if comparison is not None:
        facts[f"Test of {D_RANK}"] = (
            f"null hypothesis {comparison.settings.null}, covariance {comparison.settings.covariance}, "
            f"up to {n_resamples} resamples of topics, α = {ALPHA:g}; p = 200/l where the l-th is the 200th that is as "
            "far, else (b + 1)/(B + 1)"
        )
    if data.judges is not None:
        facts["Judges"] = str(data.judges.comparison.settings)
    packages = ", ".join(f"{package} {metadata.version(package)}" for package in VERSIONS_OF)
    facts["Seed"] = str(data.seed)
    facts["Versions"] = f"pt_rankcorr {__version__}, {packages}, Python {platform.python_version()}"
    return facts
