"""`report`: one page that says what an experiment's rankings are worth."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

from pt_rankcorr.comparison._checkpoint import Checkpoint, resumable_seed
from pt_rankcorr.reporting.document import Document, plain
from pt_rankcorr.reporting.findings import TARGETS, CollectionFindings, Findings, found
from pt_rankcorr.reporting.html import framed, html
from pt_rankcorr.reporting.latex import latex
from pt_rankcorr.reporting.markdown import markdown
from pt_rankcorr.reporting.sections import document_of, provenance
from pt_rankcorr.reporting.words import doubts, for_a_paper
from pt_rankcorr.stats._whole_file import are_one, check_writable, write_whole
from pt_rankcorr.stats.resampling import RandomState


def report(
    result_or_scores: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    reference: Any = None,
    n_resamples: int = 1000,
    resume: str | os.PathLike[str] | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> Report:
    """What an experiment's rankings of systems are worth, as one page to read, to send and to cite from.

    It says which scores were used and which left out; where each system ranks, with intervals; how well each measure
    tells systems apart and how sure its ranking is; how measures agree, with the test of d_rank by `null="refit"`,
    `covariance="ledoit-wolf"` (`compare` tests by "constrained", so its p-values are others); how many topics are
    needed; where not to trust a figure; and how all of this was computed. The same scores and seed give the same bytes.

    Costs one resampling of d_rank's null for each measure, about 5 s in all for 6 measures, 110 systems and 249 topics.

    Args:
        result_or_scores: Scores, a score matrix, what `Experiment` returned with `perquery=True` or "both" (or its
            `perquery.csv`), or a mapping from the names of collections to any of these.
        path: Where to write the page, as HTML, whole or not at all; None writes nothing.
        reference: The measure that the others are held against; by default the first.
        n_resamples: Of topics, for everything that is resampled; at least 2.
        resume: A file for what is finished of measures against measures, as for `compare`: a call that was stopped goes
            on from there.
        rng: Seed or generator. To resume, a seed must be given.
        n_jobs: The number of workers; the result does not depend on it.

    Returns:
        The report, which shows itself in notebooks and has `to_html()`, `to_latex()`, `to_markdown()` and `to_dict()`.

    Raises:
        OSError: If a file cannot be written, which is tried before anything is computed.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If there are less than two systems or topics, there is no such reference, `n_resamples` is too
            small, or `resume` is another file, damaged, in use or that of the page; or as for `scores_from_experiment`.

    Example:
        >>> from pt_rankcorr.scores import Scores, ScoreMatrix
        >>> ap = ScoreMatrix([[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]], measure="AP")
        >>> rr = ScoreMatrix([[0.5, 0.4], [1.0, 0.5], [0.5, 1.0]], measure="RR")
        >>> made = report(Scores([ap, rr]), n_resamples=99, rng=1)
        >>> best = made.to_dict()["collections"]["scores"]["systems"][0]
        >>> best["system"], best["rank"], best["low"], best["high"], best["means"]["AP"]
        ('s2', 1.0, 1.0, 1.0, 0.5)
    """
    if path is not None:
        check_writable(path)  # rather now than when all is done
        _check_another(path, resume)
    settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": resumable_seed(rng, resume), "n_jobs": n_jobs}
    with Checkpoint(resume, "report") as finished:
        made = Report(found(result_or_scores, reference, finished=finished, **settings))
    if path is not None:
        write_whole(path, made.to_html().encode())
    return made


def _check_another(path: str | os.PathLike[str], resume: str | os.PathLike[str] | None) -> None:
    """The page would take the place of all that is finished."""
    if resume is not None and are_one(path, resume):
        raise ValueError(f"`resume` must be another file than `path`, got {os.fsdecode(resume)!r} for both.")


class Report:
    """What `report` returns: the same findings as a page, as text for papers, and for machines.

    Args:
        findings: What was computed.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings

    @cached_property
    def document(self) -> Document:
        """The sections, from which all forms are made."""
        return document_of(self.findings)

    @cached_property
    def _page(self) -> str:
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
            "warnings": [plain(doubt) for doubt in doubts(findings)],
            "paragraph": plain(for_a_paper(findings)),
            "provenance": {plain(term): plain(said) for term, said in provenance(findings).items()},
            "n_resamples": findings.n_resamples,
            "seed": findings.seed,
        }

    def _repr_html_(self) -> str:
        return framed(self._page)

    def __repr__(self) -> str:
        return f"Report({self.document.summary})"


def _of_collection(each: CollectionFindings) -> dict[str, Any]:
    return {
        "alignment": each.scores.alignment.to_dict(),
        "reference": each.reference,
        "systems": _systems(each),
        "measures": [_measure(each, measure) for measure in each.scores],
    }


def _systems(each: CollectionFindings) -> list[dict[str, Any]]:
    """Best first."""
    ranks, position = each.intervals, {name: at for at, name in enumerate(each.scores.systems)}
    return [
        {
            "system": name,
            "rank": float(ranks.rank[position[name]]),
            "low": float(ranks.low[position[name]]),
            "high": float(ranks.high[position[name]]),
            "share_first": float(ranks.share_first[position[name]]),
            "means": {measure: each.scores[measure].mean_of(name) for measure in each.scores},
        }
        for name in each.scores[each.reference].ranking
    ]


def _measure(each: CollectionFindings, measure: str) -> dict[str, Any]:
    power, expected = each.sensitivity[measure], each.expected[measure]
    low, high = expected.confidence_interval()
    return {
        "measure": measure,
        "discriminative_power": power.statistic,
        "required_difference": power.required_difference,
        "expected_tau_ap": expected.value,
        "expected_tau_ap_low": low,
        "expected_tau_ap_high": high,
        "topics_needed": {target: expected.topics_needed(target) for target in TARGETS},
    }
