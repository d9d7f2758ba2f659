"""A term-document matrix with the statistics that weighting models need."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from pt_rankcorr.demo.words import STOPWORDS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_WORD = re.compile(r"[a-z]+")
_STOPWORDS = frozenset(STOPWORDS)


def tokens(text: str) -> list[str]:
    """The lower-case words of a text, without function words."""
    return [word for word in _WORD.findall(text.lower()) if word not in _STOPWORDS]


@dataclass(frozen=True)
class Postings:
    """One entry per (term, document) pair that occurs, in term order, and the statistics of the collection."""

    tf: Floats  # occurrences of the term in the document
    length: Floats  # words in the document
    df: Floats  # documents that contain the term
    cf: Floats  # occurrences of the term in the collection
    document: Ints  # position of the document
    n_documents: int
    n_tokens: float  # words in the collection
    lengths: Floats  # words in each document

    @property
    def mean_length(self) -> float:
        """Mean words in a document."""
        return self.n_tokens / self.n_documents


class Index:
    """Documents as counts of their words.

    Documents are kept in the order of their docno, so that a stable sort by score breaks ties by docno.

    Args:
        documents: frame with `docno` and `text`.
        max_words: keep this many words of each text, or all of them.
    """

    def __init__(self, documents: pd.DataFrame, *, max_words: int | None = None) -> None:
        documents = documents.sort_values("docno", kind="stable")
        self.max_words = max_words
        self.docnos: npt.NDArray[np.object_] = documents["docno"].to_numpy(dtype=object)
        counts = [Counter(tokens(text)[:max_words]) for text in documents["text"]]
        self.terms: dict[str, int] = {term: row for row, term in enumerate(sorted(set().union(*counts)))}
        self.counts = _matrix(counts, self.terms)

    def __repr__(self) -> str:
        cut = "" if self.max_words is None else f", max_words={self.max_words}"
        return f"Index({len(self.docnos)} documents, {len(self.terms)} terms{cut})"

    @cached_property
    def postings(self) -> Postings:
        """The occurring (term, document) pairs."""
        counts = self.counts
        df, cf, lengths = (
            np.asarray(n, dtype=np.float64) for n in (np.diff(counts.indptr), counts.sum(1), counts.sum(0))
        )
        term = np.repeat(np.arange(len(df)), np.diff(counts.indptr))
        document = counts.indices.astype(np.int64)
        return Postings(
            counts.data, lengths[document], df[term], cf[term], document, len(lengths), float(cf.sum()), lengths
        )

    @cached_property
    def by_document(self) -> sparse.csr_array:
        """The counts, documents by terms."""
        return self.counts.T.tocsr()

    def matrix(self, weights: Floats) -> sparse.csr_array:
        """A terms by documents matrix of one weight for each posting."""
        return sparse.csr_array((weights, self.counts.indices, self.counts.indptr), shape=self.counts.shape)


def _matrix(counts: list[Counter[str]], terms: dict[str, int]) -> sparse.csr_array:
    document = np.repeat(np.arange(len(counts)), [len(count) for count in counts])
    term = [terms[word] for count in counts for word in count]
    tf = [float(n) for count in counts for n in count.values()]
    matrix = sparse.csr_array((tf, (term, document)), shape=(len(terms), len(counts)))
    matrix.sort_indices()
    return matrix
