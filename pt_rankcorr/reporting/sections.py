"""From findings to a document: what stands where."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from pt_rankcorr import __version__
from pt_rankcorr.plots.comparison import draw_measures
from pt_rankcorr.plots.expected import draw_expected_correlation
from pt_rankcorr.plots.rank_distance import draw_null
from pt_rankcorr.plots.sensitivity import draw_asl_curves
from pt_rankcorr.reporting.document import (
    D_RANK,
    TAU,
    TAU_AP,
    TAU_GAP,
    Block,
    Document,
    Facts,
    Paragraph,
    Picture,
    Points,
    Section,
    Verbatim,
    plain,
)
from pt_rankcorr.reporting.findings import ALONE, ALPHA, LEVEL, CollectionFindings, Findings
from pt_rankcorr.reporting.pictures import drawn
from pt_rankcorr.reporting.references import bibtex
from pt_rankcorr.reporting.tables import (
    agreement_table,
    collections_table,
    matrix_table,
    sensitivity_table,
    systems_table,
    topics_table,
)
from pt_rankcorr.reporting.words import doubts, for_a_paper, joined, on, verdicts

TARGET = 0.9  # marked on the curve
VERSIONS_OF = ("numpy", "scipy", "pandas", "python-terrier", "ir-measures")


def document_of(findings: Findings) -> Document:
    """The whole report."""
    several = len(findings.collections) > 1
    return Document(
        title="How measures rank the systems" if findings.comparison else "How sure the ranking of systems is",
        summary=_summary(findings),
        sections=(
            _in_short(findings),
            *(section for at, found in enumerate(findings.collections) for section in _collection(found, findings, at)),
            *(_across(findings) if several else ()),
            _paper(findings),
            _provenance(findings),
        ),
    )


def _summary(findings: Findings) -> str:
    return "; ".join(
        f"{on(found)}{len(found.scores.systems)} systems, {len(found.scores.topics)} topics, "
        f"{_counted(len(found.scores), 'measure')}, reference {found.reference}"
        for found in findings.collections
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _in_short(findings: Findings) -> Section:
    sentences = tuple(f"{on(found)}{text}" for found in findings.collections for text in verdicts(found))
    warnings = doubts(findings)
    return Section("In short", (Points(sentences), *([Points(warnings, warning=True)] if warnings else [])))


def _collection(found: CollectionFindings, findings: Findings, at: int) -> Iterator[Section]:
    level = 2
    if found.name != ALONE:
        yield Section(found.name, ())
        level = 3
    for title, blocks in _parts(found, findings, f"c{at + 1}"):
        yield Section(title, tuple(block for block in blocks if block is not None), level)


def _parts(found: CollectionFindings, findings: Findings, key: str) -> Iterator[tuple[str, list[Block | None]]]:
    yield "What was measured", [_measured(found)]
    yield "Systems", [systems_table(found)]
    yield "How well measures tell systems apart", [sensitivity_table(found), _asl_curves(found, key)]
    if found.agreements and findings.comparison:
        yield f"Against {found.reference}", [_how_tested(found, findings), agreement_table(found), _null(found, key)]
        tables = [matrix_table(findings.comparison, found.name, statistic) for statistic in ("tau_ap", "d_rank")]
        yield "Measures against measures", [*tables, _heat_map(found, findings, key)]
    yield "How many topics", [topics_table(found), _curve(found, key)]


def _measured(found: CollectionFindings) -> Facts:
    scores = found.scores
    lower = tuple(measure for measure in scores if scores[measure].negated)
    items = [
        ("Systems", str(len(scores.systems))),
        ("Topics", str(len(scores.topics))),
        ("Measures", joined(scores.measures)),
        ("Reference", found.reference),
        ("Lower is better", joined(lower) if lower else ""),
        *_left_out(found),
    ]
    return Facts(tuple((term, said) for term, said in items if said))


def _left_out(found: CollectionFindings) -> list[tuple[str, str]]:
    alignment = found.scores.alignment
    left_out = {
        "Topics without judgments, left out": alignment.unjudged_topics,
        "Topics without results, left out": alignment.unattempted_topics,
        "Topics without scores of some systems, left out": alignment.dropped_topics,
        "Systems without scores for some topics, left out": alignment.dropped_systems,
        "Systems scored 0 where they had no score": tuple(alignment.filled),
        "Measures that rank no systems, left out": alignment.ignored_measures,
    }
    said = [(term, f"{len(names)}: {', '.join(names)}") for term, names in left_out.items() if names]
    return said or [("Left out", "nothing")]


def _how_tested(found: CollectionFindings, findings: Findings) -> Paragraph:
    return Paragraph(
        f"{D_RANK} is the distance from the means of {found.reference} to the nearest means in the order of the other "
        f"measure, in units of the topic sample's noise: 0 for the same ranking, without upper bound. Its p-value is "
        f"the share of {findings.n_resamples} resamples of topics whose refitted distance to {found.reference}'s own "
        f"ranking is at least as large. {TAU}, {TAU_AP} and {TAU_GAP} lie between −1 and 1; {TAU_AP} counts errors "
        f"near the top more, and {TAU_GAP} also those between systems far apart."
    )


# --- pictures ---------------------------------------------------------------------------------------------


def _picture(
    key: str, draw: Callable[..., object], size: tuple[float, float], alt: str, *, painted: bool = False
) -> Picture | None:
    svg = drawn(key, lambda ax: draw(ax=ax), size=size, painted=painted)
    return None if svg is None else Picture(svg, plain(alt), alt)


def _asl_curves(found: CollectionFindings, key: str) -> Picture | None:
    alt = (
        "The p-values of all pairs of systems by each measure, largest first. The further left a curve falls below the "
        f"line at {ALPHA:g}, the more pairs the measure tells apart."
    )
    return _picture(f"{key}-asl", partial(draw_asl_curves, found.sensitivity), (7.0, 3.9), alt)


def _null(found: CollectionFindings, key: str) -> Picture | None:
    if found.null is None:
        return None
    observed = {row.measure: row.ranking.d_rank for row in found.agreements if np.isfinite(row.ranking.d_rank)}
    alt = (
        f"Distances {D_RANK} from {found.reference} under the null hypothesis, the critical value, and those of the "
        "other measures: beyond the critical value a ranking differs significantly."
    )
    return _picture(f"{key}-null", partial(draw_null, found.null, observed, alpha=ALPHA), (7.0, 3.9), alt)


def _heat_map(found: CollectionFindings, findings: Findings, key: str) -> Picture | None:
    if findings.comparison is None:
        return None
    matrix = findings.comparison.matrix("tau_ap", found.name)
    if not np.isfinite(matrix.values.to_numpy()).any():
        return None
    side = 2.4 + 0.62 * len(found.scores)
    alt = (
        f"The same {TAU_AP}, with measures that agree side by side. Dark is agreement; framed are rankings that do not "
        "differ significantly."
    )
    return _picture(f"{key}-measures", partial(draw_measures, matrix), (side + 1.2, side), alt, painted=True)


def _curve(found: CollectionFindings, key: str) -> Picture | None:
    expected = found.expected[found.reference]
    if np.isnan(expected.value):
        return None
    alt = (
        f"Expected {TAU_AP} of the ranking by {found.reference} with the true ranking against the number of topics, "
        f"with a {LEVEL:.0%} band, the topics at hand, and the topics needed for {TARGET:g}."
    )
    return _picture(f"{key}-topics", partial(draw_expected_correlation, expected, target=TARGET), (7.0, 3.9), alt)


# --- the end ------------------------------------------------------------------------------------------------


def _across(findings: Findings) -> Iterator[Section]:
    if findings.comparison is not None:
        yield Section("Across collections", (collections_table(findings.comparison),))


def _paper(findings: Findings) -> Section:
    return Section("For a paper", (Paragraph(for_a_paper(findings)),))


def _provenance(findings: Findings) -> Section:
    return Section(
        "How it was computed",
        (Facts(tuple(provenance(findings).items())), Verbatim(bibtex(compared=findings.comparison is not None))),
    )


def provenance(findings: Findings) -> dict[str, str]:
    """Variants, policies, resamples, seed and versions."""
    n_resamples, comparison = findings.n_resamples, findings.comparison
    facts: dict[str, Any] = {
        "Means": "rounded to twelve significant digits before systems are ranked",
        "Ties": f"{TAU}: variant a; {TAU_AP}: variant a, the mean over all ways of breaking ties; "
        f"{TAU_GAP}: ties of the reference weigh nothing, others are averaged over all ways of breaking them",
        "Rank intervals": f"{LEVEL:.0%} percentile intervals, {n_resamples} resamples of topics",
        "Sensitivity": f"two-sided paired t-tests of all pairs, p < {ALPHA:g}, uncorrected",
        "Expected correlation": f"{TAU_AP}, MSQD estimator; intervals of {n_resamples} resamples of topics",
    }
    if comparison is not None:
        facts[f"Test of {D_RANK}"] = (
            f"null hypothesis {comparison.distance.null}, covariance {comparison.distance.covariance}, "
            f"{n_resamples} resamples of topics, α = {ALPHA:g}, (b + 1)/(B + 1)"
        )
    packages = ", ".join(f"{package} {version(package)}" for package in VERSIONS_OF)
    facts["Seed"] = str(findings.seed)
    facts["Versions"] = f"pt_rankcorr {__version__}, {packages}, Python {platform.python_version()}"
    return facts
