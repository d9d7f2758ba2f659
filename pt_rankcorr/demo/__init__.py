"""A synthetic test collection and retrieval systems to try things on: no network, no Java.

It was generated: documents, topics and graded judgments from one seed, with a bursty vocabulary.
BM25, language models, divergence from randomness and others, some with pseudo-relevance feedback,
searched it. The file `collection.npz` has the first 100 documents of each ranking, and all up to
the last relevant one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core import arguments

__all__ = ["Collection", "collection", "pipelines", "scores"]

DOCNOS = np.array([f"d{number:04d}" for number in range(3000)], dtype=object)
MAX_TOPICS = 90


@dataclass(frozen=True)
class Collection:
    """A test collection in PyTerrier's frames.

    The scores of runs count from the end of a ranking; documents that the system scored alike are
    tied.
    """

    topics: pd.DataFrame  # qid, query
    qrels: pd.DataFrame  # qid, docno, label (0 to 3)
    runs: Mapping[str, pd.DataFrame]  # name of a system -> qid, docno, score, rank


def collection(n_topics: int = 50) -> Collection:
    """A small synthetic collection on which retrieval systems differ as they do on a TREC track.

    It has 1 to 90 topics, judgments of every document of a topic's theme, and the runs of 29
    systems. A smaller set of topics is the beginning of a larger one.

    Example:
        >>> collection(2).topics["query"].tolist()
        ['core similar bubbles ancient', 'grape harvest grower water']
    """
    n_topics = arguments.whole_number("n_topics", n_topics, at_least=1, at_most=MAX_TOPICS)
    stored = _stored()
    qids = np.array([str(number) for number in range(1, n_topics + 1)], dtype=object)
    topics = pd.DataFrame({"qid": qids, "query": stored["queries"][:n_topics].astype(object)})
    n_judged = stored["n_judged"][:n_topics]
    judged = slice(n_judged.sum())  # documents are stored topic by topic
    qrels = pd.DataFrame({"qid": np.repeat(qids, n_judged)})
    qrels["docno"] = DOCNOS[stored["judged"][judged]]
    qrels["label"] = stored["labels"][judged].astype(np.int64)
    systems = enumerate(stored["systems"].tolist())
    runs = {name: _run(stored, system, qids) for system, name in systems}
    return Collection(topics, qrels, runs)


def pipelines(collection: Collection) -> dict[str, pt.Transformer]:
    """Twenty-nine retrieval systems, from poor to good, with their results on the collection.

    Their names give the model and its unusual parameters. They find nothing for topics outside the
    collection.
    """
    return {name: pt.Transformer.from_df(run) for name, run in collection.runs.items()}


def scores(measures: Sequence[Any], n_topics: int = 50) -> Scores:
    """Scores of the 29 systems on the synthetic collection: for each measure topics x systems.

    Args:
        measures: Measures of ir_measures, or their names, such as "nDCG@10".
        n_topics: Number of topics, 1 to 90.

    Example:
        >>> scores(["AP", "P@10"], 10)
        Scores(10 topics x 29 systems x 2 measures: AP, P@10)
    """
    data = collection(n_topics)
    return scores_from_runs(data.runs, data.qrels, measures, verbose=False)


@cache
def _stored() -> dict[str, Any]:
    """The arrays of `collection.npz`, read once."""
    with as_file(files(__package__) / "collection.npz") as path, np.load(path) as arrays:
        return dict(arrays)


def _run(stored: Mapping[str, Any], system: int, qids: Any) -> pd.DataFrame:
    """The run of a system for some topics: qid, docno, score, rank.

    The array `found` has the documents topic by topic, and of each topic one system after the
    other.
    """
    n_found = stored["n_found"].astype(np.int64)
    ends = np.cumsum(n_found).reshape(n_found.shape)[: len(qids), system]
    size = n_found[: len(qids), system]
    rank = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    place = np.repeat(ends - size, size) + rank
    level = np.cumsum(np.unpackbits(stored["is_lower"])[place])
    score = 1.0 + np.repeat(level[np.cumsum(size) - 1], size) - level
    columns = {"docno": DOCNOS[stored["found"][place]], "score": score, "rank": rank}
    return pd.DataFrame({"qid": np.repeat(qids, size), **columns})
