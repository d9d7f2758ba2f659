"""`report`: one page that says what an experiment's rankings are worth."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from importlib import metadata
from typing import Any

import numpy as np

from pt_rankcorr import __version__, plots, whole_file
from pt_rankcorr.comparison.judging import JudgeComparison
from pt_rankcorr.comparison.leaderboards import compare_leaderboards
from pt_rankcorr.comparison.pairs_of_measures import compare
from pt_rankcorr.comparison.rows import RankingAgreement
from pt_rankcorr.comparison.score_collections import collections_of, reference_among
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL, RESAMPLES
from pt_rankcorr.reporting import data as report_data
from pt_rankcorr.reporting import document, texts
from pt_rankcorr.reporting.data import CollectionData, JudgeData, ReportData
from pt_rankcorr.reporting.document import Points, Section, picture
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing, resample_count
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.stats.significance.pairwise import TESTS
from pt_rankcorr.text import D_RANK, TAU, TAU_AP, TAU_GAP, confidence, decimals, in_a_sentence, plain, shown
from pt_rankcorr.warnings import MissingPicturesWarning, recording, warn

LEAST_RESAMPLES = round(1 / ALPHA)  # that a test at this level can do with
TARGET = 0.9  # marked on the curve
# of statistics without a second measure
ENTRIES_OF_ONE_MEASURE = ("sakai2006", "urbano2016", "yilmaz2008", "mogstad2024", "efron1993")
ENTRIES_OF_JUDGES = ("thompson2024",)
VERSIONS_OF = ("numpy", "scipy", "pandas", "python-terrier", "ir-measures")
# how the columns that answer the first question are read
READING = (
    "Intervals are of the mean over samples of as many topics. p (same true ranking) is small where the noise of "
    "topics does not explain why both rankings differ."
)


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

    It has the ranks of systems, how well measures tell them apart, which measures or judges rank them differently, how
    many topics are needed, and which figures not to trust. The same scores and seed give the same bytes.

    Args:
        result_or_scores: Scores, a score matrix, what `Experiment` returned with `perquery=True` or "both" (or its
            `perquery.csv`), or a mapping from the names of collections to any of these.
        path: A file that ends in .html, .tex or .md; it replaces only one of its kind. None writes nothing.
        reference: The measure that the others are compared with; by default the first.
        against: Judges: leaderboards for `compare_leaderboards`, or what it or `compare_judgments` returned.
        groups: Groups of systems that judges may favour, as for `JudgeComparison.bias`.
        coefficients: As for `compare`.
        n_resamples: Resamples of topics, at least 20; a tenth of those of `compare` by default. Ranks and expected
            correlations take at least 10 000 draws, as `rank_intervals` and `expected_correlation`.
        on_row: A function that is called with every finished row, as for `compare`.
        rng: Seed or generator.
        n_jobs: The number of workers; the result does not depend on it.

    Returns:
        The report, which shows itself in notebooks and has `to_html()`, `to_latex()`, `to_markdown()` and `to_dict()`.

    Raises:
        OSError: If the file cannot be written; said before anything is computed.
        TypeError, ValueError: If there are fewer than two systems or topics, judges of several collections, or a path
            of another kind; or as for `compare` and `compare_leaderboards`.

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
        whole_file.check_writable(path)
        whole_file.check_replaces(path, form_of(path)[1])
    collections = collections_of(result_or_scores, "result_or_scores")
    for name, scores in collections.items():
        if min(len(scores.systems), len(scores.topics)) < 2:
            raise ValueError(
                f"`result_or_scores` must have at least 2 systems and 2 topics, got {len(scores.systems)} and "
                f"{len(scores.topics)} for {name!r}."
            )
    references = {
        name: scores.measures[0] if reference is None else reference_among(reference, scores, name)
        for name, scores in collections.items()
    }
    resample_count(n_resamples, at_least=LEAST_RESAMPLES)
    if against is not None and len(collections) > 1:
        raise ValueError(f"`result_or_scores` must be one collection where `against` is given, got {len(collections)}.")
    if groups is not None and against is None:
        raise ValueError("`groups` must be None where `against` is not given: judges may favour them.")
    settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": seed_of(rng), "n_jobs": n_jobs}
    of_rows: dict[str, Any] = {
        "alpha": ALPHA,
        "coefficients": coefficients,
        "on_row": on_row,
        "rng": settings["rng"],
        "n_jobs": n_jobs,
    }
    comparison, judges = None, None
    with recording() as messages:
        several = {name: scores for name, scores in collections.items() if len(scores) > 1}
        if several:
            comparison = compare(several, d_rank=True, verbose=False, **of_rows)
        if against is not None:
            if not isinstance(against, JudgeComparison):
                (scores,), (trusted,) = collections.values(), references.values()
                measure = None if reference is None else trusted
                against = compare_leaderboards(
                    scores, against, reference_measure=measure, groups=groups, verbose=False, **of_rows
                )
            bias = None if groups is None else against.bias(groups, n_jobs=n_jobs)
            judges = report_data.of_judges(against, bias, n_jobs)
        of_collections = [
            report_data.of_collection(name, scores, references[name], comparison, **settings)
            for name, scores in collections.items()
        ]
    made = Report(
        ReportData(
            tuple(of_collections), comparison, judges, n_resamples, settings["rng"], tuple(dict.fromkeys(messages))
        )
    )
    if path is not None:
        whole_file.write_whole(path, form_of(path)[0](made).encode())
    return made


def form_of(path: str | os.PathLike[str]) -> tuple[Callable[[Report], str], bytes]:
    """How a file of this name is made, and how it begins; a stream holds a page."""
    name = whole_file.check_path(path, "path")
    ending = ".html" if whole_file.is_stream(name) else os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ValueError(f"`path` must end in {listing(FORMS)}, got {shown(name)}.")
    return FORMS[ending]


class Report:
    """The result of `report`: the same report data as a page, as text for papers, and for machines.

    Args:
        data: The computed results.
    """

    def __init__(self, data: ReportData) -> None:
        self.data = data

    @cached_property
    def document(self) -> document.Document:
        """The sections, from which all forms are made."""
        return document_of(self.data)

    def to_html(self) -> str:
        """One page with its pictures, which needs no network, no script, and nothing but itself."""
        if reason := document.without_pictures():
            warn(reason, MissingPicturesWarning)
        return document.html(self.document)

    def to_latex(self) -> str:
        """Sections and tables to be input into a LaTeX document, with booktabs and adjustbox; without pictures."""
        return document.latex(self.document)

    def to_markdown(self) -> str:
        """The text and the tables; without pictures."""
        return document.markdown(self.document)

    def to_dict(self) -> dict[str, Any]:
        """Everything that the report shows, unrounded, for machines."""
        collections: dict[str, Any] = {}
        for collection in self.data.collections:
            of_measures = (report_data.sensitivity_table(collection), report_data.topics_table(collection))
            rows = zip(*(table.records() for table in of_measures), strict=True)
            collections[collection.name] = {
                "alignment": collection.scores.alignment.to_dict(),
                "reference": collection.reference,
                "systems": report_data.systems_table(collection).records(),
                "measures": [sensitivity | topics for sensitivity, topics in rows],
            }
        judges: dict[str, Any] = {}
        if self.data.judges:
            rankings = {pair.title: pair.ranking for pair in self.data.judges.pairs if pair.ranking}
            bias = self.data.judges.bias
            judges["judges"] = {
                "rows": [row.to_dict() for row in self.data.judges.comparison],
                "rankings": {title: ranking.to_frame().to_dict("records") for title, ranking in rankings.items()},
                "bias": [] if bias is None else bias.to_frame().to_dict("records"),
                "runs": [] if bias is None else bias.runs.to_dict("records"),
            }
        return {
            "collections": collections,
            "measures_against_measures": [row.to_dict() for row in self.data.comparison or ()],
            **judges,
            "warnings": [plain(doubt) for doubt in texts.doubts(self.data)],
            "paragraph": plain(texts.for_a_paper(self.data)),
            "provenance": {plain(term): plain(text) for term, text in provenance(self.data).items()},
            "n_resamples": self.data.n_resamples,
            "seed": self.data.seed,
        }

    def _repr_html_(self) -> str:
        return document.in_frame(self.to_html())

    def __repr__(self) -> str:
        return f"Report({self.document.summary})"


# how they begin: only a file of its own kind is replaced, and none that scores are read from
PAGE = (Report.to_html, b"<!DOCTYPE html>")
FORMS = {".html": PAGE, ".htm": PAGE, ".tex": (Report.to_latex, b"% needs "), ".md": (Report.to_markdown, b"# ")}


# --- sections -----------------------------------------------------------------------------------------------


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
        sections.append(Section("Across collections", (report_data.collections_table(data.comparison),)))
    entries = texts.entries()
    if not data.comparison and not data.judges:
        entries = {key: entries[key] for key in entries if key in ENTRIES_OF_ONE_MEASURE}
    if not data.judges:
        entries = {key: entries[key] for key in entries if key not in ENTRIES_OF_JUDGES}
    sections += [
        Section("For a paper", (texts.for_a_paper(data),)),
        Section("How it was computed", (provenance(data), document.Verbatim("\n\n".join(entries.values())))),
    ]
    return document.Document(title, summary, tuple(sections))


def _section(title: str, *blocks: document.Block | None, level: int = 2) -> Section:
    """A section of the blocks that there are."""
    return Section(title, tuple(block for block in blocks if block is not None), level)


def _judges(judges: JudgeData) -> Section:
    first = judges.comparison.rows[0]
    introduction = (
        f"Each judge scored the same {first.n_systems} systems on the same {first.n_topics} topics as the reference. "
        f"{READING}"
    )
    blocks: list[document.Block | None] = [introduction, report_data.labels_table(judges.comparison)]
    for number, pair in enumerate(judges.pairs, 1):
        blocks.append(report_data.judges_table(judges.comparison, pair))
        if pair.ranking is not None:
            alt = (
                f"{TAU} of each judge with the reference ({pair.title}), with its interval. Green judges may be the "
                "best. Bars on the right join judges that cannot be told apart."
            )
            size = (7.0, 1.5 + 0.34 * len(pair.ranking.judges))
            blocks.append(picture(f"j{number}", plots.draw_judges, pair.ranking, size, alt))
    if judges.bias is not None:
        line = "the reference's score" if judges.bias.same_scale else "a curve over the reference's scores"
        explanation = (
            f"Is a judge biased? The shift of a group is how much more the judge gives its systems beyond {line}, in "
            "the judge's units, less the same of all other systems. Interval and p-value are for systems of this kind: "
            "errors of the judge about single systems count as chance."
        )
        blocks += [explanation, report_data.bias_table(judges.bias, len(judges.pairs))]
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
    yield section("Systems", report_data.systems_table(collection), ranks)

    alt = (
        "The p-values of all pairs of systems by each measure, largest first. The further left a curve falls below the "
        f"line at {ALPHA:g}, the more pairs the measure tells apart."
    )
    curves = picture(f"{key}-asl", plots.draw_asl_curves, collection.sensitivity, (7.0, 3.9), alt)
    yield section("How well measures tell systems apart", report_data.sensitivity_table(collection), curves)

    if collection.agreements and data.comparison:
        introduction = (
            f"{TAU}, {TAU_AP} and {TAU_GAP} lie between −1 and 1; {TAU_AP} counts errors near the top more, and "
            f"{TAU_GAP} also those between systems far apart. {READING}"
        )
        alt = f"{TAU} of each measure with {reference}, with its interval; orange where p (same true ranking) is small."
        size = (7.0, 1.2 + 0.4 * len(collection.agreements))
        rows = [row for row in collection.agreements if row.is_defined]
        correlations = picture(f"{key}-correlations", plots.draw_correlations, rows, size, alt) if rows else None
        yield section(f"Against {reference}", introduction, report_data.agreement_table(collection), correlations)

        introduction = (
            "Another question: could the order by another measure, taken as it is, be the true ranking by "
            f"{reference}? {D_RANK} is the distance from the mean scores by {reference} to the nearest ones in the "
            "order of the other measure, in units of the noise of the topics: 0 for the same ranking, without "
            "upper bound. Its p-value is small where the choice of topics does not explain the distance."
        )
        rows = [row for row in rows if np.isfinite(row.d_rank)]
        alt = (
            f"The distance {D_RANK} of each measure's ranking from that by {reference}, with its p-value; orange where "
            "the choice of topics does not explain it."
        )
        size = (7.0, 1.2 + 0.4 * len(rows))
        distances = picture(f"{key}-distances", plots.draw_distances, rows, size, alt) if rows else None
        yield section(f"{D_RANK} from {reference}", introduction, report_data.distances_table(collection), distances)

        matrices = [
            report_data.matrix_table(data.comparison, collection.name, statistic) for statistic in ("tau_ap", "d_rank")
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
        f"{confidence(LEVEL)} band, the topics at hand, and the topics needed for {TARGET:g}."
    )
    draw_curve = partial(plots.draw_expected_correlation, target=TARGET)
    is_defined = not np.isnan(expected.value)
    curve = picture(f"{key}-topics", draw_curve, expected, (7.0, 3.9), alt) if is_defined else None
    yield section("How many topics", report_data.topics_table(collection), curve)


def _scores_used(collection: CollectionData) -> dict[str, str]:
    scores = collection.scores
    lower = [measure for measure in scores if scores[measure].negated]
    excluded = {what: f"{len(names)}: {', '.join(names)}" for what, names in scores.alignment.exclusions().items()}
    return {
        "Systems": str(len(scores.systems)),
        "Topics": f"{len(scores.topics)}{scores[collection.reference].in_design}",
        "Measures": in_a_sentence(scores.measures, len(scores)),
        "Reference": collection.reference,
        **({"Lower is better": in_a_sentence(lower, len(lower))} if lower else {}),
        **(excluded or {"Left out": "nothing"}),
    }


def provenance(data: ReportData) -> dict[str, str]:
    """Variants, policies, resamples, seed and versions."""
    comparison, collection = data.comparison, data.collections[0]
    n_draws = collection.intervals.n_resamples
    facts: dict[str, Any] = {
        "Means": "rounded to twelve significant digits before systems are ranked",
        "Ties": f"{TAU}: variant a; {TAU_AP}: variant a, the mean over all ways of breaking ties; "
        f"{TAU_GAP}: ties of the reference weigh nothing, others are averaged over all ways of breaking them",
        "Rank intervals": f"{confidence(LEVEL)}, {collection.intervals.method}, {n_draws} draws; tiers, of which the "
        "first has the best systems, by tests of each system against all others",
        "Pairs of systems": f"{TESTS[collection.sensitivity[collection.reference].test].full_title}, "
        f"p <= {decimals(ALPHA)}",
        "Expected correlation": f"{TAU_AP}; mean and intervals of {n_draws} draws of the true means",
    }
    if comparison is not None:
        facts[f"Test of {D_RANK}"] = (
            f"null hypothesis {comparison.settings.null}, covariance {comparison.settings.covariance}, "
            f"up to {comparison.settings.n_resamples or RESAMPLES} resamples of topics, α = {ALPHA:g}; p = 200/l where "
            "the l-th is the 200th that is as far, else (b + 1)/(B + 1)"
        )
    if data.judges is not None:
        facts["Judges"] = str(data.judges.comparison.settings)
    packages = ", ".join(f"{package} {metadata.version(package)}" for package in VERSIONS_OF)
    facts["Seed"] = str(data.seed)
    facts["Versions"] = f"pt_rankcorr {__version__}, {packages}, Python {platform.python_version()}"
    return facts
