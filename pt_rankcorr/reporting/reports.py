"""`report`: one page that says what an experiment's rankings are worth."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from pt_rankcorr.comparison.table import RankingAgreement
from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.reporting.document import Document
from pt_rankcorr.reporting.findings import CollectionFindings, Findings, JudgeFindings, compute_findings
from pt_rankcorr.reporting.html import html, in_frame
from pt_rankcorr.reporting.latex import latex
from pt_rankcorr.reporting.markdown import markdown
from pt_rankcorr.reporting.pictures import without_pictures
from pt_rankcorr.reporting.sections import document_of, provenance
from pt_rankcorr.reporting.tables import sensitivity_table, systems_table, topics_table
from pt_rankcorr.reporting.words import doubts, for_a_paper
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.text import plain, shown
from pt_rankcorr.warnings import MissingPicturesWarning, warn
from pt_rankcorr.whole_file import check_path, check_replaces, check_writable, is_stream, write_whole


def report(
    result_or_scores: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    reference: Any = None,
    against: Any = None,
    groups: Mapping[str, object] | None = None,
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    n_resamples: int = FEWER_RESAMPLES,
    on_row: Callable[[RankingAgreement], object] | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> Report:
    """How far you can trust an experiment's rankings of systems: one page to read, to send and to cite from.

    It says which scores were used and which were left out; the rank of each system, with an interval; how many pairs of
    systems each measure tells apart; how near its ranking is to the true one; which measures rank systems differently,
    by `compare`; how many topics are needed; which figures not to trust; and how everything was computed. If judges are
    given, it also says which of them rank the systems as the reference does. The same scores and seed give the same
    bytes.

    Args:
        result_or_scores: Scores, a score matrix, what `Experiment` returned with `perquery=True` or "both" (or its
            `perquery.csv`), or a mapping from the names of collections to any of these.
        path: Where to write it, whole or not at all: as a page if it ends in .html, as LaTeX if in .tex, as Markdown if
            in .md. It replaces only such a file. None writes nothing.
        reference: The measure that the others are compared with; by default the first.
        against: Judges of the same systems: their leaderboards, as `compare_leaderboards` takes them; or what it or
            `compare_judgments` returned.
        groups: Groups of systems that judges may favour, as for `JudgeComparison.bias`.
        coefficients: As for `compare`.
        n_resamples: Resamples of topics for every statistic, at least 20. The default is a tenth of that of `compare`
            and `rank_intervals`, so third digits may differ from theirs: 10 000 take nine times as long.
        on_row: A function that is called with every finished row, as for `compare`.
        rng: Seed or generator.
        n_jobs: The number of workers; the result does not depend on it.

    Returns:
        The report, which shows itself in notebooks and has `to_html()`, `to_latex()`, `to_markdown()` and `to_dict()`.

    Raises:
        OSError: If the file cannot be written; said before anything is computed.
        TypeError: If an argument is of another kind.
        ValueError: If there are fewer than two systems or topics, there is no such reference, `n_resamples` is too
            small, judges are given for several collections, the path has another ending or is that of another kind of
            file; or as for `scores_from_experiment` and `compare_leaderboards`.

    Example:
        >>> from pt_rankcorr.scores import Scores, ScoreMatrix
        >>> ap = ScoreMatrix([[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]], measure="AP")
        >>> rr = ScoreMatrix([[0.5, 0.4], [1.0, 0.5], [0.5, 1.0]], measure="RR")
        >>> made = report(Scores([ap, rr]), n_resamples=99, rng=1)
        >>> best = made.to_dict()["collections"]["scores"]["systems"][0]
        >>> best["system"], best["rank"], best["low"], best["high"], best["mean AP"]
        ('s2', 1.0, 1.0, 2.0, 0.5)
    """
    if path is not None:  # rather now than when all is done
        check_writable(path)
        check_replaces(path, BEGINNINGS[form_of(path)])
    made = Report(
        compute_findings(
            result_or_scores,
            reference,
            against,
            groups,
            coefficients=coefficients,
            n_resamples=n_resamples,
            rng=rng,
            n_jobs=n_jobs,
            on_row=on_row,
        )
    )
    if path is not None:
        write_whole(path, form_of(path)(made).encode())
    return made


def form_of(path: str | os.PathLike[str], parameter: str = "path") -> Callable[[Report], str]:
    """The form that a file of this name holds; a stream holds a page."""
    name = check_path(path, parameter)
    if is_stream(name):
        return Report.to_html
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ValueError(f"`{parameter}` must end in {listing(FORMS)}, got {shown(name)}.")
    return FORMS[ending]


class Report:
    """The result of `report`: the same findings as a page, as text for papers, and for machines.

    Args:
        findings: The computed results.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    @cached_property
    def document(self) -> Document:
        """The sections, from which all forms are made."""
        return document_of(self.findings)

    @cached_property
    def _page(self) -> str:
        if reason := without_pictures():
            warn(reason, MissingPicturesWarning)
        return html(self.document)

    def to_html(self) -> str:
        """One page with its pictures, which needs no network, no script, and nothing but itself."""
        return self._page

    def to_latex(self) -> str:
        """Sections and tables to be input into a LaTeX document, with booktabs and longtable; without pictures."""
        return latex(self.document)

    def to_markdown(self) -> str:
        """The text and the tables; without pictures."""
        return markdown(self.document)

    def to_dict(self) -> dict[str, Any]:
        """Everything that the report shows, unrounded, for machines."""
        findings, comparison = self.findings, self.findings.comparison
        return {
            "collections": {each.name: _of_collection(each) for each in findings.collections},
            "measures_against_measures": [] if comparison is None else [row.to_dict() for row in comparison],
            **({"judges": _of_judges(findings.judges)} if findings.judges else {}),
            "warnings": [plain(doubt) for doubt in doubts(findings)],
            "paragraph": plain(for_a_paper(findings)),
            "provenance": {plain(term): plain(said) for term, said in provenance(findings).items()},
            "n_resamples": findings.n_resamples,
            "seed": findings.seed,
        }

    def _repr_html_(self) -> str:
        return in_frame(self._page)

    def __repr__(self) -> str:
        return f"Report({self.document.summary})"


FORMS = {".html": Report.to_html, ".htm": Report.to_html, ".tex": Report.to_latex, ".md": Report.to_markdown}
# how they begin, as only a file of its own kind is replaced, and none that scores are read from
BEGINNINGS: dict[Callable[[Report], str], bytes] = {
    Report.to_html: b"<!DOCTYPE html>",
    Report.to_latex: b"% needs ",
    Report.to_markdown: b"# ",
}


def _of_collection(each: CollectionFindings) -> dict[str, Any]:
    """As its tables have it."""
    measures = zip(sensitivity_table(each).records(), topics_table(each).records(), strict=True)
    return {
        "alignment": each.scores.alignment.to_dict(),
        "reference": each.reference,
        "systems": systems_table(each).records(),
        "measures": [sensitivity | topics for sensitivity, topics in measures],
    }


def _of_judges(found: JudgeFindings) -> dict[str, Any]:
    """As its results have it."""
    return {
        "rows": [row.to_dict() for row in found.comparison],
        "rankings": {pair.title: pair.ranking.to_frame().to_dict("records") for pair in found.pairs if pair.ranking},
        "bias": [] if found.bias is None else found.bias.to_frame().to_dict("records"),
        "runs": [] if found.bias is None else found.bias.runs.to_dict("records"),
    }
