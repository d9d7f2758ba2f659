"""A small made-up experiment whose names are awkward: systems called NA and 007, topics with leading zeros."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from tests.fixtures import write_qrels, write_run

SYSTEMS = ("dph", "NA", "007", "bm25")
TOPICS = tuple(f"{number:03}" for number in range(1, 10))
DOCUMENTS = [f"d{number}" for number in range(30)]


@dataclass(frozen=True)
class Collection:
    """Judgments, and the result frame of each system."""

    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]

    @property
    def topics(self):
        return pd.DataFrame({"qid": list(TOPICS), "query": "words"})

    def write(self, folder):
        """Writes qrels and a folder of runs; returns that folder."""
        write_qrels(folder / "qrels", self.qrels[["qid", "docno", "label"]].to_numpy())
        runs = folder / "runs"
        runs.mkdir()
        for name, frame in self.runs.items():
            write_run(runs / f"{name}.txt", frame[["qid", "docno", "score"]].to_numpy())
        return runs


@pytest.fixture(scope="session")
def collection():
    random = np.random.default_rng(3)
    labels = {qid: random.integers(0, 3, len(DOCUMENTS)) * (random.random(len(DOCUMENTS)) < 0.5) for qid in TOPICS}
    qrels = [(qid, doc, int(label)) for qid in TOPICS for doc, label in zip(DOCUMENTS, labels[qid], strict=True)]
    runs = {}
    for number, name in enumerate(SYSTEMS):
        rows = []
        for qid in TOPICS:
            scores = labels[qid] + (0.5 + 0.4 * number) * random.standard_normal(len(DOCUMENTS))
            best = np.argsort(-scores)[:20]
            rows += [(qid, "words", DOCUMENTS[at], float(scores[at]), rank) for rank, at in enumerate(best)]
        runs[name] = pd.DataFrame(rows, columns=["qid", "query", "docno", "score", "rank"])
    return Collection(pd.DataFrame(qrels, columns=["qid", "docno", "label"]), runs)


@pytest.fixture(scope="session")
def assert_same():
    """Whether scores are those of others, in any order, under other names of the measures, up to what text loses."""

    def check(scores, expected, tolerance=0.0, names=None):
        assert sorted(scores.systems) == sorted(expected.systems)
        assert sorted(scores.topics) == sorted(expected.topics)
        aligned = scores.select(systems=expected.systems, topics=expected.topics)
        assert sorted((names or {}).get(name, name) for name in scores) == sorted(expected)
        for name, matrix in aligned.items():
            other = expected[(names or {}).get(name, name)]
            np.testing.assert_allclose(matrix.values, other.values, rtol=0, atol=tolerance)

    return check
