"""The faults of sets of labels, to check before their quality."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import pandas as pd

from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import QrelsLike, RunsLike, by_name, named_files
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments.scoring import keep_readable, scores_under
from pt_rankcorr.numbers import percent
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.tables.kinds import COUNT, NUMBER, PERCENT, WORD
from pt_rankcorr.tables.table import Column, Table
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DistortedLabelsWarning, warn

DEPTH = 10  # of judged@k
JUDGED = f"Judged@{DEPTH}"
LEAST_COVERED, MOST_OF_ONE = 0.5, 0.97  # shares beyond which a judge is warned of
DOCUMENT = ["query_id", "doc_id"]
LABELS_NAMED = 3


class LabelSet(NamedTuple):
    """The properties of a set of labels.

    Attributes:
        name: Its name.
        n_judgments: The number of labelled documents, each counted on each of its topics.
        n_topics: The number of the reference's topics with labels.
        coverage: The share of the reference's judgments that have a label here.
        n_outside: The number of labels outside the reference's scale, from 0, or its lowest label, to its highest.
        outside: Some of these labels, the commonest first.
        n_fractions: The number of labels that are not whole numbers.
        n_repeated: The number of lines that repeat another one.
        n_contradicting: The number of documents with several labels; the highest counts if iterations differ.
        commonest: The commonest label.
        commonest_share: The share of documents with the commonest label.
        judged: judged@10: the share of the first ten documents of runs that is judged; nan without runs.
    """

    name: str
    n_judgments: int
    n_topics: int
    coverage: float
    n_outside: int
    outside: str
    n_fractions: int
    n_repeated: int
    n_contradicting: int
    commonest: float
    commonest_share: float
    judged: float

    @classmethod
    def of(cls, name: str, found: pd.DataFrame, reference: pd.DataFrame, judged: float) -> LabelSet:
        """Of judgments in the form of ir_measures, as they were found."""
        labels, trusted = (each.groupby(DOCUMENT, sort=False)["relevance"].max() for each in (found, reference))
        outside = labels[(labels > trusted.max()) | (labels < min(trusted.min(), 0))].value_counts()
        named = [f"{label:g}" for label in outside.index[:LABELS_NAMED]]
        counts = labels.value_counts()
        return cls(
            name=name,
            n_judgments=len(labels),
            n_topics=len(set(found["query_id"]) & set(reference["query_id"])),
            coverage=float(trusted.index.isin(labels.index).mean()),
            n_outside=int(outside.sum()),
            outside=", ".join([*named, *["..."] * (len(outside) > len(named))]),
            n_fractions=int((labels % 1 != 0).sum()),
            n_repeated=int(found.duplicated().sum()),
            n_contradicting=int((found.groupby(DOCUMENT, sort=False)["relevance"].nunique() > 1).sum()),
            commonest=float(counts.index[0]),
            commonest_share=float(counts.iloc[0] / len(labels)),
            judged=judged,
        )

    def doubts(self, reference: LabelSet) -> Iterator[str]:
        """The faults that distort such a judge's ranking of runs."""
        if self.coverage < LEAST_COVERED:
            n_shared = round(self.coverage * reference.n_judgments)
            yield (
                f"it labels {percent(self.coverage)} of the reference's judgments ({n_shared} of "
                f"{reference.n_judgments}), and the others count as not relevant"
            )
        if self.n_topics < LEAST_COVERED * reference.n_topics:
            yield f"it judges {self.n_topics} of {reference.n_topics} topics, and no others can be compared"
        if self.n_outside:
            yield (
                f"{self.n_outside} of {self.n_judgments} labels are outside of the reference's scale ({self.outside}), "
                "which `label_map=` can mend"
            )
        if self.commonest_share >= MOST_OF_ONE > reference.commonest_share:
            yield f"{percent(self.commonest_share)} of its documents have the label {self.commonest:g}"
        if self.n_contradicting:
            yield f"{self.n_contradicting} documents have several labels"


@dataclass(frozen=True, eq=False)
class LabelHygiene(Result):
    """The properties of sets of labels, next to those of the reference.

    Attributes:
        reference: The trusted labels.
        sets: The other sets.
    """

    reference: LabelSet = field(repr=False)
    sets: tuple[LabelSet, ...]

    def _rows(self) -> Table:
        columns: list[Column[Any]] = [
            Column("judge", "labels of", WORD, attrgetter("name")),
            Column("n_judgments", "judged", COUNT, attrgetter("n_judgments")),
            Column("n_topics", "topics", COUNT, attrgetter("n_topics")),
            Column("coverage", "of the reference's", PERCENT, attrgetter("coverage")),
            Column("n_outside", "outside its scale", COUNT, attrgetter("n_outside")),
            Column("outside", "such as", WORD, attrgetter("outside")),
            Column("n_fractions", "fractions", COUNT, attrgetter("n_fractions")),
            Column("n_repeated", "repeated", COUNT, attrgetter("n_repeated")),
            Column("n_contradicting", "contradicting", COUNT, attrgetter("n_contradicting")),
            Column(
                "commonest", "commonest label", NUMBER, attrgetter("commonest"), text=lambda row: f"{row.commonest:g}"
            ),
            Column("commonest_share", "its share", PERCENT, attrgetter("commonest_share")),
        ]
        if not math.isnan(self.reference.judged):
            columns.append(Column("judged", f"judged@{DEPTH}", PERCENT, attrgetter("judged")))
        return Table(tuple(columns), (self.reference, *self.sets), n_names=1)

    def _note(self) -> str:
        return " ".join(f"{each}." for each in self.doubts())

    def doubts(self) -> Iterator[str]:
        """The faults that distort rankings: one sentence per set, with its name and counts."""
        for each in self.sets:
            if found := [*each.doubts(self.reference)]:
                yield f"{shown(each.name)}: {'; '.join(found)}"

    def warn(self, used: Collection[str]) -> None:
        """Warns of these faults, once per used set."""
        for doubt in replace(self, sets=tuple(each for each in self.sets if each.name in used)).doubts():
            warn(f"{doubt}.", DistortedLabelsWarning)

    def more(self) -> dict[str, dict[str, Any]]:
        """Set -> what its rows in a comparison have beside how far labels agree."""
        known = ("n_outside", "n_fractions", "n_repeated", "n_contradicting", "commonest", "commonest_share", "judged")
        return {each.name: {name: getattr(each, name) for name in known} for each in self.sets}


def label_hygiene(reference: QrelsLike, others: Any, runs: RunsLike | None = None) -> LabelHygiene:
    """The faults of sets of labels, such as those of language models, to check before their quality.

    For the reference and each set it reports the judged documents, and how many of the reference's are among them;
    labels outside the reference's scale, and fractions; repeated and contradicting labels; the share of the commonest
    label; and how many of the first ten documents of runs are judged.

    Args:
        reference: The trusted judgments, as `scores_from_runs` takes them.
        others: Name -> judgments of the same kind; or qrels files, a folder or a pattern of them. Labels may be
            fractions, and contradict each other.
        runs: Runs, as `scores_from_runs` takes them, for the share that is judged.

    Returns:
        A table that prints itself, one row per set, with a sentence on each set that will distort the ranking of runs.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, except for contradicting labels and fractions.

    Example:
        >>> people = {"1": {"d1": 2, "d2": 0, "d3": 1, "d4": 0}}
        >>> found = label_hygiene(people, {"model": {"1": {"d1": 10, "d2": 0}}})
        >>> found.sets[0].coverage, found.sets[0].n_outside
        (0.5, 1)
    """
    named = by_name(others, "others") if isinstance(others, Mapping) else named_files(others, "others")
    trusted = read_qrels(reference, parameter="reference", fractions=True, repeated=True)
    found = {name: read_qrels(each, parameter="others", fractions=True, repeated=True) for name, each in named.items()}
    judged = [math.nan] * (1 + len(found))
    if runs is not None:
        measure = resolve_measures([JUDGED])
        sets = [each.drop_duplicates(DOCUMENT).assign(relevance=1) for each in (trusted, *found.values())]
        readable = keep_readable(runs)
        scores = scores_from_runs(readable, sets[0], measure.values(), missing="zero")
        scored = scores_under(readable, sets, [measure] * len(sets), scores)
        judged = [float(each[JUDGED].values.mean()) for each in scored]
    return hygiene_of(trusted, found, judged)


def hygiene_of(reference: pd.DataFrame, found: Mapping[str, pd.DataFrame], judged: Sequence[float]) -> LabelHygiene:
    """Of judgments as they were found, and of what they judge of the runs, the reference first."""
    first, *sets = (
        LabelSet.of(name, each, reference, share)
        for name, each, share in zip(("the reference", *found), (reference, *found.values()), judged, strict=True)
    )
    return LabelHygiene(first, tuple(sets))
