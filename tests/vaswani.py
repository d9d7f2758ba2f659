"""The files of Vaswani, a whole test collection, and systems that search it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from scipy import sparse

Weights = Callable[..., np.ndarray]


def documents(folder: Path) -> Iterator[dict[str, str]]:
    text = (folder / "doc-text.trec").read_text()
    for docno, body in re.findall(r"<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", text, re.DOTALL):
        yield {"docno": docno, "text": body.strip()}


def topics(folder: Path) -> pd.DataFrame:
    text = (folder / "query-text.trec").read_text()
    found = re.findall(r"<num>(\d+)</num><title>(.*?)</title>", text, re.DOTALL)
    return pd.DataFrame([(qid, query.strip().lower()) for qid, query in found], columns=["qid", "query"])


@cache
def systems(folder: Path) -> dict[str, pt.Transformer]:
    """Twenty-nine retrieval systems, from poor to good."""
    index, leads = Index(folder), Index(folder, n_words=8)
    grid = [(k1, b) for b in (0.0, 0.3, 0.6, 0.9) for k1 in (0.1, 0.4, 0.9, 1.5, 3.0, 8.0)]
    weights = {
        "frequency": lambda tf, **_: tf,
        **{f"BM25 k1={k1} b={b}": partial(bm25, k1=k1, b=b) for k1, b in grid},
        "coordination": lambda tf, **_: np.ones(len(tf)),
        "binary": lambda idf, **_: idf,
        "tf-idf": lambda tf, idf, **_: tf * idf,
    }
    searched = {name: pt.apply.by_query(partial(index.search, index.matrix(of))) for name, of in weights.items()}
    return {"BM25 of leads": pt.apply.by_query(partial(leads.search, leads.matrix(bm25))), **searched}


def bm25(tf: np.ndarray, idf: np.ndarray, length: np.ndarray, k1: float = 1.2, b: float = 0.75) -> np.ndarray:
    return idf * tf / (tf + k1 * (1 - b + b * length))


class Index:
    """How often words are in documents."""

    def __init__(self, folder: Path, n_words: int | None = None) -> None:
        rows = sorted((row["docno"], re.findall("[a-z]+", row["text"].lower())[:n_words]) for row in documents(folder))
        self.docnos = np.array([docno for docno, _ in rows], dtype=object)
        counts = [Counter(words) for _, words in rows]
        self.terms = {term: at for at, term in enumerate(sorted(set().union(*counts)))}
        found = [(n, self.terms[word], at) for at, count in enumerate(counts) for word, n in count.items()]
        self.tf, self.term, self.document = (np.array(column) for column in zip(*found, strict=True))

    def matrix(self, weights: Weights) -> Any:
        length, df = np.bincount(self.document, self.tf), np.bincount(self.term)
        given = {"idf": np.log1p(len(self.docnos) / df)[self.term], "length": (length / length.mean())[self.document]}
        return sparse.csr_array((weights(tf=self.tf.astype(float), **given), (self.term, self.document)))

    def search(self, matrix: Any, query: pd.DataFrame) -> pd.DataFrame:
        words = sorted({self.terms[word] for word in query["query"].iloc[0].split() if word in self.terms})
        scores = np.asarray(matrix[words].sum(axis=0)).ravel()
        best = np.argsort(-scores, kind="stable")[: min(1000, np.count_nonzero(scores))]
        found = {"docno": self.docnos[best], "score": scores[best], "rank": np.arange(len(best))}
        return pd.DataFrame({"qid": query["qid"].iloc[0], "query": query["query"].iloc[0], **found})
