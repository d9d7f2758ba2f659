"""`report`: one page that says what an experiment's rankings are worth."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pt_rankcorr import atomic_write
from pt_rankcorr.comparison.collections_of import check_size, collections_of, reference_among
from pt_rankcorr.comparison.compare import compare_measures
from pt_rankcorr.comparison.compare_leaderboards import compare_boards
from pt_rankcorr.comparison.engine import Engine
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, PAIR_TEST
from pt_rankcorr.display import progress_bar
from pt_rankcorr.judgments.pools import members_of
from pt_rankcorr.reporting import document, sections, texts
from pt_rankcorr.reporting.data import MOST_FOR_D_RANK, ReportData, collection_data, measure_pairs
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import flag, listing, resample_count
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.text import plain, shown
from pt_rankcorr.warnings import MissingPicturesWarning, recording, warn


def report(
    result_or_scores: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    reference: Any = None,
    against: Any = None,
    groups: Mapping[str, object] | None = None,
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    n_resamples: int = FEWER_RESAMPLES,
    verbose: bool | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> Report:
    """How far to trust an experiment's rankings of systems: one page to read, to send and to cite.

    It has the ranks of systems, how well measures tell them apart, which measures or judges rank
    them differently, how many topics are needed, and which figures not to trust. The same scores
    and seed give the same bytes. Up to 200 systems it has d_rank, too, of both orders of each pair
    of measures.

    Args:
        result_or_scores: Scores, a score matrix, what `Experiment` returned with `perquery=True` or
            "both" (or its `perquery.csv`), or a mapping from names of collections to any of these.
        path: A file that ends in .html, .tex or .md, and replaces only one of its kind; or None.
        reference: The measure that the others are compared with; by default the first.
        against: Judges: leaderboards for `compare_leaderboards`, or what it or `compare_judgments`
            returned.
        groups: Groups of systems that judges may favour, as for `JudgeComparison.bias`.
        coefficients: As for `compare`.
        n_resamples: Resamples of topics, at least 20; a tenth of those of `compare` by default.
            Ranks and expected correlations take at least 10 000 draws, as `rank_intervals` and
            `expected_correlation`.
        verbose: Whether to show progress; by default on a terminal.
        rng: Seed or generator.
        n_jobs: The number of workers; the result does not depend on it.

    Returns:
        The report, which shows itself in notebooks and has `to_html()`, `to_latex()`,
        `to_markdown()` and `to_dict()`.

    Raises:
        OSError: If the file cannot be written; said before anything is computed.
        TypeError, ValueError: If there are fewer than two systems or topics, judges of several
            collections, or a path of another kind; or as for `compare` and `compare_leaderboards`.

    Example:
        >>> from pt_rankcorr.scores import Scores, ScoreMatrix
        >>> ap = ScoreMatrix([[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]], measure="AP")
        >>> rr = ScoreMatrix([[0.5, 0.4], [1.0, 0.5], [0.5, 1.0]], measure="RR")
        >>> result = report(Scores([ap, rr]), n_resamples=99, rng=1)
        >>> best = result.to_dict()["collections"]["scores"]["systems"][0]
        >>> best["system"], best["rank"], best["low"], best["high"], best["mean AP"]
        ('s2', 1.0, 1.0, 2.0, 0.5)
    """
    if path is not None:  # rather now than when all is done
        atomic_write.check_writable(path)
        atomic_write.check_replaces(path, form_of(path)[1])
    collections, references = collections_of(result_or_scores, "result_or_scores"), {}
    for name, scores in collections.items():
        check_size(scores, "result_or_scores", name)
        references[name] = scores.measures[0]
        if reference is not None:
            references[name] = reference_among(reference, scores, name)
    resample_count(n_resamples, at_least=round(1 / ALPHA))  # a test at this level needs as many
    if against is not None and len(collections) > 1:
        rule = "`result_or_scores` must be one collection where `against` is given"
        raise ValueError(f"{rule}, got {len(collections)}.")
    if groups is not None and against is None:
        rule = "`groups` must be None where `against` is not given"
        raise ValueError(f"{rule}: judges may favour them.")
    is_shown = sys.stderr.isatty() if verbose is None else flag("verbose", verbose)
    seed = seed_of(rng)
    draws: dict[str, Any] = {"n_resamples": n_resamples, "rng": seed, "n_jobs": n_jobs}
    shared: dict[str, Any] = {"coefficients": coefficients, "seed": seed}
    execution: dict[str, Any] = {"n_jobs": n_jobs, "verbose": is_shown}
    with recording() as messages:
        several = {name: scores for name, scores in collections.items() if len(scores) > 1}
        is_small = all(len(scores.systems) <= MOST_FOR_D_RANK for scores in several.values())
        engine = Engine(Settings(d_rank=is_small, **shared), **execution)
        comparison = compare_measures(several, None, None, engine) if several else None
        judges = against
        if against is not None and not isinstance(against, JudgeComparison):
            ((name, scores),) = collections.items()
            measure = None if reference is None else references[name]
            if groups is not None:
                members_of(groups, scores.systems)  # an error before anything is computed
            engine = Engine(Settings(test=PAIR_TEST, **shared), **execution)
            judges = compare_boards(scores, against, engine, reference_measure=measure)
        bias = None if groups is None else judges.bias(groups)
        pairs = () if judges is None else measure_pairs(judges, n_jobs)
    n_steps = sum(len(scores) + 1 for scores in collections.values()) + (path is not None)
    with progress_bar(total=n_steps, disable=not is_shown, leave=False) as bar:

        def on_step(doing: str) -> None:
            bar.update()
            bar.set_description(doing)

        with recording() as of_collections:
            parts = tuple(
                collection_data(name, scores, references[name], comparison, on_step, **draws)
                for name, scores in collections.items()
            )
        warnings = tuple(dict.fromkeys(messages + of_collections))
        data = ReportData(parts, comparison, judges, pairs, bias, n_resamples, seed, warnings)
        result = Report(data)
        if path is not None:
            on_step("tables and pictures")
            atomic_write.write_whole(path, form_of(path)[0](result).encode())
    return result


def form_of(path: str | os.PathLike[str]) -> tuple[Callable[[Report], str], bytes]:
    """The method that makes a file of this name, and how its bytes begin; a stream gets HTML."""
    name = atomic_write.check_path(path, "path")
    ending = ".html" if atomic_write.is_stream(name) else os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ValueError(f"`path` must end in {listing(FORMS)}, got {shown(name)}.")
    return FORMS[ending]


@dataclass(frozen=True, repr=False)
class Report:
    """The result of `report`: the same data as a page, as text for papers, and for machines."""

    data: ReportData

    @cached_property
    def document(self) -> document.Document:
        """The sections, from which all forms are made."""
        return sections.document_of(self.data)

    def to_html(self) -> str:
        """One page with its pictures, which needs no network, no script, and nothing but itself."""
        if reason := document.without_pictures():
            warn(reason, MissingPicturesWarning)
        return document.html(self.document)

    def to_latex(self) -> str:
        """LaTeX sections and tables to be input, with booktabs and adjustbox; without pictures."""
        return document.latex(self.document)

    def to_markdown(self) -> str:
        """The text and the tables; without pictures."""
        return document.markdown(self.document)

    def to_dict(self) -> dict[str, Any]:
        """Everything that the report shows, unrounded, for machines."""
        collections: dict[str, Any] = {}
        for collection in self.data.collections:
            tables = (sections.sensitivity_table(collection), sections.topics_table(collection))
            rows = zip(*(table.records() for table in tables), strict=True)
            collections[collection.name] = {
                "alignment": collection.scores.alignment.to_dict(),
                "reference": collection.reference,
                "systems": sections.systems_table(collection).records(),
                "measures": [sensitivity | topics for sensitivity, topics in rows],
            }
        judges: dict[str, Any] = {}
        if self.data.judges is not None:
            rankings = {
                pair.title: pair.ranking.to_frame().to_dict("records")
                for pair in self.data.pairs
                if pair.ranking
            }
            bias = self.data.bias
            judges["judges"] = {
                "rows": [row.to_dict() for row in self.data.judges],
                "rankings": rankings,
                "bias": [] if bias is None else bias.to_frame().to_dict("records"),
                "runs": [] if bias is None else bias.runs.to_dict("records"),
            }
        paper, provenance = texts.for_a_paper(self.data), sections.provenance(self.data)
        return {
            "collections": collections,
            "measures_against_measures": [row.to_dict() for row in self.data.comparison or ()],
            **judges,
            "warnings": [plain(doubt) for doubt in texts.doubts(self.data)],
            "for_a_paper": {plain(term): plain(text) for term, text in paper.items()},
            "provenance": {plain(term): plain(text) for term, text in provenance.items()},
            "n_resamples": self.data.n_resamples,
            "seed": self.data.seed,
        }

    def _repr_html_(self) -> str:
        """HTML for notebooks, in a frame of its own."""
        return document.in_frame(self.to_html())

    def __repr__(self) -> str:
        return f"Report({self.document.summary})"


# how they begin: only a file of its own kind is replaced, and none that scores are read from
FORMS = {
    **dict.fromkeys((".html", ".htm"), (Report.to_html, b"<!DOCTYPE html>")),
    ".tex": (Report.to_latex, b"% needs "),
    ".md": (Report.to_markdown, b"# "),
}
