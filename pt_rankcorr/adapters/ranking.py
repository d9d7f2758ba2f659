"""The order of the documents of a run, which is that of trec_eval for all that asks for it, and which were judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import nlargest
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.adapters.columns import Bytes, Irregular, Keys, Places, Texts, are_distinct, fields
from pt_rankcorr.adapters.fields import as_number
from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.types import Floats

LARGEST_SCORE = 3.4e38  # evaluators keep scores in single precision: what is larger would be tied
SMALLEST_NORMAL = 1.2e-38  # in single precision
FIELDS_READ = (0, 2, 4)  # of the six of a line: topic, document, score
BITS_DROPPED = 29  # of the 52 of a float in single precision
UNSURE = 4  # units in the last place by which a float may be wrong, and more
FILTER_BITS = 20

S = TypeVar("S")
T = TypeVar("T")


class Ranking:
    """The documents of a run, a column each for topics, documents and scores.

    Documents of a topic are ranked by score in single precision; ties are broken by document, descending.

    Args:
        topics: The topics, each once.
        topic: Which of them each document is retrieved for.
        documents: The documents.
        scores: Their scores, finite, in single precision.

    Raises:
        Irregular: If a document is there twice on a topic, or that cannot be told.
    """

    def __init__(self, topics: list[str], topic: Places, documents: Texts, scores: NDArray[np.float32]) -> None:
        self.topics, self.topic, self.documents, self.scores = topics, topic, documents, scores
        self.keys = keys_on(topics, topic, documents)
        if not are_distinct(self.keys):
            raise Irregular

    @classmethod
    def of_text(cls, data: Bytes) -> Ranking:
        """That of the padded text of a run file; Irregular if a line is odd."""
        at: dict[str, int] = {}
        blocks = []
        for topics, documents, scores in fields(data, 6, FIELDS_READ):
            blocks.append((_codes(topics, at), documents.start, documents.length, _singles(scores)))
        if not blocks:
            raise Irregular
        topic, start, length, score = (np.concatenate(column) for column in zip(*blocks, strict=True))
        return cls(list(at), topic, Texts(data, start, length), score)

    @classmethod
    def of_documents(cls, run: Mapping[str, Mapping[str, float]]) -> Ranking:
        """That of topic -> document -> score."""
        topic = np.repeat(np.arange(len(run)), [len(documents) for documents in run.values()])
        documents = Texts.of([docno for scores in run.values() for docno in scores])
        scores = np.fromiter((score for scores in run.values() for score in scores.values()), float, len(topic))
        return cls(list(run), topic, documents, scores.astype(np.float32))

    def places(self, lines: Places) -> Places:
        """The rank of some of the documents on their topics, from 1."""
        order = self._by_score
        at = order.position[lines]
        asked = np.zeros(len(order.line), dtype=bool)
        asked[order.group[at]] = True
        tied = np.flatnonzero((asked & order.is_tie)[order.group])
        if len(tied):
            position, line = order.position.copy(), order.line[tied]
            falling = np.lexsort((*self.documents[line].order(), -order.group[tied]))[::-1]
            position[line[falling]] = tied
            at = position[lines]
        return np.asarray(at - order.before[self.topic[lines]] + 1)

    @cached_property
    def _by_score(self) -> _Order:
        bits = (self.scores + np.float32(0)).view(np.uint32)  # no -0.0
        rising = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
        key = (self.topic.astype(np.uint64) << np.uint64(32)) | ~rising
        line: Places = np.arange(len(key))
        position = line
        if not (key[1:] >= key[:-1]).all():
            line, position = np.argsort(key, kind="stable"), np.empty_like(line)
            key, position[line] = key[line], np.arange(len(key))
        differs = np.append(True, key[1:] != key[:-1])
        is_tie = np.zeros(len(key), dtype=bool)
        group = np.cumsum(differs) - 1
        is_tie[group[~differs]] = True
        sizes = np.bincount(self.topic, minlength=len(self.topics))
        return _Order(line, position, group, is_tie, np.cumsum(sizes) - sizes)

    def first(self, depth: int) -> list[tuple[str, str, int]]:
        """Topic, document and rank of those that are ranked among the first so many."""
        places = self.places(np.arange(len(self.topic)))
        at = np.flatnonzero(places <= depth)
        names = [self.topics[topic] for topic in self.topic[at].tolist()]
        return list(zip(names, self.documents[at].strings(), places[at].tolist(), strict=True))


class _Order(NamedTuple):
    """Documents by topic and falling score.

    Attributes:
        line: Which document is at each position.
        position: Where each document is.
        group: Which group of equal scores each position is in.
        is_tie: Whether a group has several.
        before: How many documents are before those of each topic.
    """

    line: Places
    position: Places
    group: Places
    is_tie: NDArray[np.bool_]
    before: Places


class Hits(NamedTuple):
    """The judged documents of a run, by topic and rank.

    Attributes:
        judgment: Which of the judgments each is of.
        topic: Its topic, of those that have judgments.
        place: Its rank, from 1.
        label: Its label.
    """

    judgment: Places
    topic: Places
    place: Places
    label: Places


class Judged:
    """Judgments in the form of ir_measures, one a topic and document.

    Attributes:
        topics: The topics, in their order.
        topic: Which of them each judgment is of.
        labels: The labels.

    Raises:
        Irregular: If a document is there twice on a topic, or that cannot be told.
    """

    def __init__(self, judgments: pd.DataFrame) -> None:
        codes, topics = pd.factorize(judgments["query_id"])
        self.topics: list[str] = list(topics)
        self.topic, self.labels = codes.astype(np.int64), judgments["relevance"].to_numpy(np.int64)
        self.ideals: dict[int, Floats] = {}  # cut-off -> the highest discounted gain of each topic
        self._at = {topic: at for at, topic in enumerate(self.topics)}
        self._documents = Texts.of(judgments["doc_id"].tolist())
        keys = keys_on(self.topics, self.topic, self._documents)
        self._place = pd.Index(keys)
        if not self._place.is_unique:
            raise Irregular
        self._filter = np.zeros(1 << FILTER_BITS, dtype=bool)
        self._filter[_filtered(keys)] = True

    def count(self, which: NDArray[np.bool_]) -> Places:
        """How many judgments of a topic are among those."""
        return np.bincount(self.topic[which], minlength=len(self.topics))

    def has(self, topics: list[str]) -> Places:
        """Where topics are among those that have judgments; -1 where they are not."""
        return np.array([self._at.get(topic, -1) for topic in topics], dtype=np.int64)

    def find(self, ranking: Ranking) -> Hits:
        """The judged ones of the documents of a run."""
        line: Places = np.flatnonzero(self._filter[_filtered(ranking.keys)])  # most of what is not judged ends here
        judgment: Places = self._place.get_indexer(pd.Index(ranking.keys[line]))
        line, judgment = line[judgment >= 0], judgment[judgment >= 0]
        topic = self.topic[judgment]
        kept = self.has(ranking.topics)[ranking.topic[line]] == topic
        kept &= ranking.documents[line].same(self._documents[judgment])
        if not kept.all():  # keys that do not tell documents apart
            raise Irregular
        place = ranking.places(line)
        order = np.argsort(topic * (place.max(initial=0) + 1) + place)
        judgment = judgment[order]
        return Hits(judgment, topic[order], place[order], self.labels[judgment])


def keys_on(topics: list[str], topic: Places, documents: Texts) -> Keys:
    """A number for each document on its topic."""
    return np.asarray(Texts.of(topics).keys()[topic] * np.uint64(3) ^ documents.keys())


def _filtered(keys: Keys) -> Any:
    return (keys >> np.uint64(64 - FILTER_BITS)).astype(np.int64)


def _codes(topics: Texts, at: dict[str, int]) -> Places:
    """The number of each line's topic, of those seen so far and the new ones."""
    is_long = topics.n_words > 1
    keys = topics.keys() if is_long else topics.word()
    head = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    size = np.diff(head, append=len(keys))
    if is_long and not topics.same(topics[np.repeat(head, size)]).all():
        raise Irregular
    return np.repeat([at.setdefault(name, len(at)) for name in topics[head].strings()], size)


def _singles(texts: Texts) -> NDArray[np.float32]:
    """Scores in single precision, rounded twice, as by trec_eval."""
    values, plain, exact = texts.floats()
    dropped = values.view(np.int64) & ((1 << BITS_DROPPED) - 1)
    near_middle = np.abs(dropped - (1 << BITS_DROPPED - 1)) <= UNSURE
    unsure = np.flatnonzero(~plain | (~exact & (near_middle | (np.abs(values) < SMALLEST_NORMAL))))
    if len(unsure):
        values[unsure] = _numbers(texts[unsure].strings())
    if not (np.abs(values) <= LARGEST_SCORE).all():
        raise Irregular
    return values.astype(np.float32)


def in_single(scores: pd.Series[float]) -> Floats:
    """Scores as trec_eval keeps them, in single precision; those beyond it are tied."""
    largest = np.finfo(np.float32).max
    singles = np.clip(scores.to_numpy(dtype=np.float64), -largest, largest).astype(np.float32)
    return singles.astype(np.float64)


def as_ranked(run: pd.DataFrame) -> pd.DataFrame:
    """The rows of a run in the form of ir_measures in the order of trec_eval, with scores in single precision."""
    return run.assign(score=in_single(run["score"])).sort_values(["score", "doc_id"], ascending=False)


def _numbers(texts: list[str]) -> list[float]:
    try:
        return [as_number(text) for text in texts]
    except ValueError:
        raise Irregular from None


def or_none(make: Callable[[S], T], source: S) -> T | None:
    """What is made of a source; None if that is too irregular for it."""
    try:
        return make(source)
    except Irregular:
        return None


def first_of(run: Mapping[str, Mapping[str, float]], depth: int) -> Iterator[tuple[str, str, int]]:
    """What `Ranking.first` says, document by document."""
    for qid, scores in run.items():
        singles = {docno: np.float32(score) for docno, score in scores.items()}
        best = nlargest(depth, ((score, docno) for docno, score in singles.items()))
        yield from ((qid, docno, place) for place, (_, docno) in enumerate(best, 1))
