"""From findings to a document: its sections and their order."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from pt_rankcorr import __version__
from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.measures import MeasureMatrix
from pt_rankcorr.comparison.table import ALONE
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.plots.comparison import draw_distances, draw_judges, draw_measures
from pt_rankcorr.plots.expected import draw_expected_correlation
from pt_rankcorr.plots.rank_distance import draw_rank_intervals
from pt_rankcorr.plots.sensitivity import draw_asl_curves
from pt_rankcorr.reporting.document import Block, Document, Facts, Paragraph, Picture, Points, Section, Verbatim
from pt_rankcorr.reporting.findings import CollectionFindings, Findings, JudgeFindings
from pt_rankcorr.reporting.pictures import picture
from pt_rankcorr.reporting.references import entries
from pt_rankcorr.reporting.tables import (
    agreement_table,
    bias_table,
    collections_table,
    judges_table,
    labels_table,
    matrix_table,
    sensitivity_table,
    systems_table,
    topics_table,
)
from pt_rankcorr.reporting.words import OVER_ALL_TOPICS, doubts, for_a_paper, prefix, verdicts
from pt_rankcorr.stats.significance.pairwise import TESTS
from pt_rankcorr.text import D_RANK, TAU, TAU_AP, TAU_GAP, decimals, in_a_sentence

TARGET = 0.9  # marked on the curve
# of statistics without a second measure
ENTRIES_OF_ONE_MEASURE = ("sakai2006", "urbano2016", "yilmaz2008", "mogstad2024", "efron1993")
ENTRIES_OF_JUDGES = ("romano2005", "thompson2024")
VERSIONS_OF = ("numpy", "scipy", "pandas", "python-terrier", "ir-measures")


def document_of(findings: Findings) -> Document:
    """The whole report."""
    several, comparison = len(findings.collections) > 1, findings.comparison
    return Document(
        title=_title(findings),
        summary=_summary(findings),
        sections=(
            _short_answers(findings),
            *([_judges(findings.judges)] if findings.judges else []),
            *(section for at, found in enumerate(findings.collections) for section in _collection(found, findings, at)),
            *([Section("Across collections", (collections_table(comparison),))] if several and comparison else ()),
            Section("For a paper", (Paragraph(for_a_paper(findings)),)),
            _provenance(findings),
        ),
    )


def _title(findings: Findings) -> str:
    if findings.judges:
        return "Which judge ranks the systems as the reference does?"
    return "How measures rank the systems" if findings.comparison else "How sure the ranking of systems is"


def _summary(findings: Findings) -> str:
    return "; ".join(
        f"{prefix(found)}{len(found.scores.systems)} systems, {len(found.scores.topics)} topics, "
        f"{len(found.scores)} measure{'s' * (len(found.scores) > 1)}, reference {found.reference}"
        for found in findings.collections
    )


def _short_answers(findings: Findings) -> Section:
    warnings = doubts(findings)
    return Section("In short", (Points(verdicts(findings)), *([Points(warnings, warning=True)] if warnings else [])))


def _judges(found: JudgeFindings) -> Section:
    """Tables and pictures."""
    blocks: list[Block | None] = [_introduction(found), labels_table(found.comparison)]
    for at, pair in enumerate(found.pairs):
        blocks.append(judges_table(found.comparison, pair))
        if pair.ranking is not None:
            blocks.append(_ranking(pair.ranking, f"j{at + 1}", pair.title))
    if found.bias is not None:
        blocks += [_explanation(found.bias), bias_table(found.bias, len(found.pairs))]
    return Section("Judges", tuple(block for block in blocks if block is not None))


def _introduction(found: JudgeFindings) -> Paragraph:
    n_systems, n_topics = found.comparison.rows[0].n_systems, found.comparison.rows[0].n_topics
    return Paragraph(
        f"Each judge scored the same {n_systems} systems on the same {n_topics} topics as the reference. "
        "Sampling error of these topics usually lowers a correlation; error that both sides share raises it. "
        f"{OVER_ALL_TOPICS}"
    )


def _explanation(bias: JudgeBias) -> Paragraph:
    line = "the reference's score" if bias.same_scale else "a curve over the reference's scores"
    return Paragraph(
        f"Is a judge biased? The shift of a group is how much more the judge gives its systems beyond {line}, in the "
        "judge's units, less the same of all other systems. “p (these)” tests the shift for exactly these systems, "
        "whatever its cause. “p (this kind)” generalises to other systems of the kind; only this one supports the "
        "claim that the judge favours them."
    )


def _collection(found: CollectionFindings, findings: Findings, at: int) -> Iterator[Section]:
    level = 2
    if found.name != ALONE:
        yield Section(found.name, ())
        level = 3
    for title, blocks in _parts(found, findings, f"c{at + 1}"):
        yield Section(title, tuple(block for block in blocks if block is not None), level)


def _parts(found: CollectionFindings, findings: Findings, key: str) -> Iterator[tuple[str, list[Block | None]]]:
    yield "What was measured", [_scores_used(found)]
    yield "Systems", [systems_table(found), _ranks(found, key)]
    yield "How well measures tell systems apart", [sensitivity_table(found), _asl_curves(found, key)]
    if found.agreements and findings.comparison:
        yield f"Against {found.reference}", [_test_paragraph(found), agreement_table(found), _distances(found, key)]
        tables = [matrix_table(findings.comparison, found.name, statistic) for statistic in ("tau_ap", "d_rank")]
        heat_map = _heat_map(findings.comparison.matrix("tau_ap", found.name), key)
        yield "Measures against measures", [*tables, heat_map]
    yield "How many topics", [topics_table(found), _curve(found, key)]


def _scores_used(found: CollectionFindings) -> Facts:
    scores = found.scores
    lower = tuple(measure for measure in scores if scores[measure].negated)
    items = [
        ("Systems", str(len(scores.systems))),
        ("Topics", f"{len(scores.topics)}{scores[found.reference].in_design}"),
        ("Measures", in_a_sentence(scores.measures, len(scores))),
        ("Reference", found.reference),
        ("Lower is better", in_a_sentence(lower, len(lower))),
        *[(what, f"{len(names)}: {', '.join(names)}") for what, names in scores.alignment.exclusions().items()],
    ]
    items += [] if scores.alignment.exclusions() else [("Left out", "nothing")]
    return Facts(tuple((term, said) for term, said in items if said))


def _test_paragraph(found: CollectionFindings) -> Paragraph:
    return Paragraph(
        f"{D_RANK} is the distance from the mean scores by {found.reference} to the nearest ones in the order of the "
        f"other measure, in units of the noise of the topics: 0 for the same ranking, without upper bound. Its p-value "
        f"is small where the choice of topics does not explain the distance. {TAU}, {TAU_AP} and {TAU_GAP} lie between "
        f"−1 and 1; {TAU_AP} counts errors near the top more, and {TAU_GAP} also those between systems far apart. "
        f"{OVER_ALL_TOPICS}"
    )


# --- pictures ---------------------------------------------------------------------------------------------


def _ranks(found: CollectionFindings, key: str) -> Picture | None:
    alt = f"The rank of each system by {found.reference}, with its interval. The best is one of those in green."
    height = 1.2 + 0.16 * min(max(found.intervals.n_systems, 10), 40)
    return picture(f"{key}-ranks", partial(draw_rank_intervals, found.intervals, best=found.best), (7.0, height), alt)


def _asl_curves(found: CollectionFindings, key: str) -> Picture | None:
    alt = (
        "The p-values of all pairs of systems by each measure, largest first. The further left a curve falls below the "
        f"line at {ALPHA:g}, the more pairs the measure tells apart."
    )
    return picture(f"{key}-asl", partial(draw_asl_curves, found.sensitivity), (7.0, 3.9), alt)


def _distances(found: CollectionFindings, key: str) -> Picture | None:
    rows = [row for row in found.agreements if np.isfinite(row.d_rank)]
    if not rows:
        return None
    alt = (
        f"The distance {D_RANK} of each measure's ranking from that by {found.reference}, with its p-value; orange "
        "where the choice of topics does not explain it."
    )
    return picture(f"{key}-distances", partial(draw_distances, rows), (7.0, 1.2 + 0.4 * len(rows)), alt)


def _heat_map(matrix: MeasureMatrix, key: str) -> Picture | None:
    if not np.isfinite(matrix.values.to_numpy()).any():
        return None
    side = 2.4 + 0.62 * len(matrix.values)
    alt = (
        f"The same {TAU_AP}, with similar measures side by side. Dark is a high correlation; a frame marks a "
        "significant difference."
    )
    return picture(f"{key}-measures", partial(draw_measures, matrix), (side + 1.2, side), alt)


def _curve(found: CollectionFindings, key: str) -> Picture | None:
    expected = found.expected[found.reference]
    if np.isnan(expected.value):
        return None
    alt = (
        f"Expected {TAU_AP} of the ranking by {found.reference} with the true ranking against the number of topics, "
        f"with a {LEVEL:.0%} band, the topics at hand, and the topics needed for {TARGET:g}."
    )
    return picture(f"{key}-topics", partial(draw_expected_correlation, expected, target=TARGET), (7.0, 3.9), alt)


def _ranking(ranking: JudgeRanking, key: str, title: str) -> Picture | None:
    alt = (
        f"{TAU} of each judge with the reference ({title}), with its interval. Green judges may be the best. Bars on "
        "the right join judges that cannot be told apart."
    )
    return picture(key, partial(draw_judges, ranking), (7.0, 1.5 + 0.34 * len(ranking.judges)), alt)


# --- the end ------------------------------------------------------------------------------------------------


def _provenance(findings: Findings) -> Section:
    return Section(
        "How it was computed",
        (Facts(tuple(provenance(findings).items())), Verbatim(_bibtex(findings))),
    )


def provenance(findings: Findings) -> dict[str, str]:
    """Variants, policies, resamples, seed and versions."""
    n_resamples, comparison, found = findings.n_resamples, findings.comparison, findings.collections[0]
    facts: dict[str, Any] = {
        "Means": "rounded to twelve significant digits before systems are ranked",
        "Ties": f"{TAU}: variant a; {TAU_AP}: variant a, the mean over all ways of breaking ties; "
        f"{TAU_GAP}: ties of the reference weigh nothing, others are averaged over all ways of breaking them",
        "Rank intervals": f"{LEVEL:.0%}, {findings.collections[0].intervals.method}, {n_resamples} draws; tiers, "
        "of which the first has the best systems, by tests of each system against all others",
        "Pairs of systems": f"{TESTS[found.sensitivity[found.reference].test].full_title}, p <= {decimals(ALPHA)}",
        "Expected correlation": f"{TAU_AP}; mean and intervals of {n_resamples} draws of the true means",
    }
    if comparison is not None:
        facts[f"Test of {D_RANK}"] = (
            f"null hypothesis {comparison.settings.null}, covariance {comparison.settings.covariance}, "
            f"up to {n_resamples} resamples of topics, α = {ALPHA:g}; p = 200/l where the l-th is the 200th that is as "
            "far, else (b + 1)/(B + 1)"
        )
    if findings.judges is not None:
        facts["Judges"] = str(findings.judges.comparison.settings)
    packages = ", ".join(f"{package} {version(package)}" for package in VERSIONS_OF)
    facts["Seed"] = str(findings.seed)
    facts["Versions"] = f"pt_rankcorr {__version__}, {packages}, Python {platform.python_version()}"
    return facts


def _bibtex(findings: Findings) -> str:
    """The entries of what a report uses."""
    compared = findings.comparison is not None or findings.judges is not None
    left_out = set() if compared else entries().keys() - set(ENTRIES_OF_ONE_MEASURE)
    left_out |= set() if findings.judges is not None else set(ENTRIES_OF_JUDGES)
    return "\n\n".join(entry for key, entry in entries().items() if key not in left_out)
