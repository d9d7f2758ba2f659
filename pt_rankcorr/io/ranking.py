"""The order of the documents of a run, everywhere as in trec_eval, and which documents are judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats

LARGEST_SCORE = 3.4e38  # evaluators keep scores in single precision: what is larger would be tied

Run: TypeAlias = dict[str, dict[str, float]]  # topic -> document -> score
Places: TypeAlias = NDArray[np.int64]


def places_of(retrieved: Mapping[str, float]) -> Places:
    """The ranks of the documents of a topic, from 1: by score in single precision, ties by document, descending."""
    singles = _singles(retrieved)
    if (singles[1:] < singles[:-1]).all():  # as in most files
        return np.arange(1, len(singles) + 1)
    place = {document: place for place, document in enumerate(_ranked(singles, list(retrieved)), 1)}
    return np.array([place[document] for document in retrieved])


def first_of(run: Run, depth: int) -> Iterator[tuple[str, str, int]]:
    """Topic, document and rank of those that are ranked among the first so many."""
    for topic, retrieved in run.items():
        singles, documents = _singles(retrieved), list(retrieved)
        if depth < len(documents):
            among = np.flatnonzero(singles >= np.partition(singles, -depth)[-depth])
            singles, documents = singles[among], [documents[at] for at in among]
        for place, document in enumerate(_ranked(singles, documents)[:depth], 1):
            yield topic, document, place


def _singles(retrieved: Mapping[str, float]) -> NDArray[np.float32]:
    """Scores in single precision, rounded twice, as by trec_eval."""
    return np.fromiter(retrieved.values(), np.float64, len(retrieved)).astype(np.float32)


def _ranked(singles: NDArray[np.float32], documents: list[str]) -> list[str]:
    return [document for _, document in sorted(zip(singles.tolist(), documents, strict=True), reverse=True)]


def stretches(column: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Where stretches of equal values begin, and where they end."""
    ends = np.flatnonzero(np.append(column[1:] != column[:-1], len(column) > 0)) + 1
    return zip([0, *ends.tolist()], ends.tolist(), strict=False)


class Hits(NamedTuple):
    """The judged documents of a run, by topic and rank.

    Attributes:
        judgment: Which of the judgments each is of.
        topic: Its topic, of those that have judgments.
        place: Its rank, from 1.
        label: Its label.
        n_retrieved: How many documents the run has on each topic.
    """

    judgment: Places
    topic: Places
    place: Places
    label: NDArray[Any]
    n_retrieved: Places


class Judged:
    """Judgments in the form of ir_measures.

    Attributes:
        topics: The topics, in their order.
        topic: Which of them each judgment is of.
        labels: The labels.
        are_distinct: Whether each is of another document or topic, without which hits cannot be told.
    """

    def __init__(self, judgments: pd.DataFrame) -> None:
        codes, topics = pd.factorize(judgments["query_id"])
        self.topics: list[str] = list(topics)
        self.topic, self.labels = codes.astype(np.int64), judgments["relevance"].to_numpy()
        self.ideals: dict[int, Floats] = {}  # cut-off -> the highest discounted gain of each topic
        self._judgment_of: dict[str, dict[str, int]] = {topic: {} for topic in self.topics}
        documents = judgments["doc_id"].tolist()
        for begin, end in stretches(codes):
            places = zip(documents[begin:end], range(begin, end), strict=True)
            self._judgment_of[self.topics[codes[begin]]].update(places)
        self.are_distinct = sum(map(len, self._judgment_of.values())) == len(judgments)

    def count(self, which: NDArray[np.bool_]) -> Places:
        """How many judgments of a topic are among those."""
        return np.bincount(self.topic[which], minlength=len(self.topics))

    def find(self, run: Run) -> Hits:
        """The judged ones of the documents of a run."""
        rows: list[Places] = []
        places: list[Places] = []
        n_retrieved = [len(run.get(topic, ())) for topic in self.topics]
        for topic, judgment_of in self._judgment_of.items():
            retrieved = run.get(topic, {})
            row = np.fromiter(map(judgment_of.get, retrieved, repeat(-1)), np.int64, len(retrieved))
            is_judged = row >= 0
            rows.append(row[is_judged])
            places.append(places_of(retrieved)[is_judged])
        found, place_of = np.concatenate(rows), np.concatenate(places)
        order = np.lexsort((place_of, self.topic[found]))
        judgment = found[order]
        return Hits(judgment, self.topic[judgment], place_of[order], self.labels[judgment], np.array(n_retrieved))


def in_single(scores: pd.Series[float]) -> Floats:
    """Scores as trec_eval keeps them, in single precision; those beyond it are tied."""
    largest = np.finfo(np.float32).max
    singles = np.clip(scores.to_numpy(dtype=np.float64), -largest, largest).astype(np.float32)
    return singles.astype(np.float64)


def as_ranked(run: pd.DataFrame) -> pd.DataFrame:
    """The rows of a run in the form of ir_measures in the order of trec_eval, with scores in single precision."""
    return run.assign(score=in_single(run["score"])).sort_values(["score", "doc_id"], ascending=False)
