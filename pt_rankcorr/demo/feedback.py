"""Pseudo-relevance feedback: transformers from ranked documents to new, weighted queries."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_rankcorr.demo.index import Floats, Index, Ints
from pt_rankcorr.demo.retrieve import query_weights, weighted_query


class Feedback(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Rewrites each query with terms of its best documents; the old query becomes `query_0`."""

    def __init__(self, index: Index, *, fb_docs: int = 5, fb_terms: int = 15) -> None:
        self.index = index
        self.fb_docs = fb_docs
        self.fb_terms = fb_terms
        self._terms = np.array(list(index.terms), dtype=object)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.index!r}, fb_docs={self.fb_docs}, fb_terms={self.fb_terms})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Ranked documents in, new queries out."""
        pt.validate.result_frame(inp, extra_columns=["query", "score", "rank"])
        best = inp[inp["rank"] < self.fb_docs].sort_values(["qid", "rank"], kind="stable")
        queries = best.drop_duplicates("qid")[[name for name in inp if name in pt.model.query_columns(inp)]]
        new = [self._rewrite(documents) for _, documents in best.groupby("qid")]
        pushed: pd.DataFrame = pt.model.push_queries(queries.reset_index(drop=True))
        return pushed.assign(query=np.array(new, dtype=object))

    def _rewrite(self, best: pd.DataFrame) -> str:
        documents = np.searchsorted(self.index.docnos, best["docno"].to_numpy(dtype=object))
        expansion = self._expansion(documents, best["score"].to_numpy(dtype=float))
        top = np.argsort(-expansion, kind="stable")[: self.fb_terms]
        feedback = dict(zip(self._terms[top], expansion[top].tolist(), strict=True))
        query = query_weights(best["query"].iloc[0])
        parts = [(query, 1.0 / self._size(query)), (feedback, 1.0 / self._size(feedback))]
        terms = dict.fromkeys([*query, *feedback])
        return weighted_query({term: sum(factor * part.get(term, 0.0) for part, factor in parts) for term in terms})

    @abstractmethod
    def _expansion(self, documents: Ints, scores: Floats) -> Floats:
        """The weight of every term, from the feedback documents."""

    @abstractmethod
    def _size(self, query: dict[str, float]) -> float:
        """By what the weights of a query are divided before two are added."""


class RM3(Feedback):
    """Relevance model, mixed half and half with the query (Abdul-Jaleel et al. 2004).

    The relevance model is the mean of the documents' language models, weighted by exp(score): the score has to be a log
    likelihood of the query (Lavrenko and Croft 2001).
    """

    schematic: ClassVar[dict[str, str | None]] = {"label": "RM3", "help_url": None}

    def _expansion(self, documents: Ints, scores: Floats) -> Floats:
        likelihood = np.exp(scores - scores.max()) / self.index.postings.lengths[documents]
        model: Floats = likelihood @ self.index.by_document[documents]
        return model

    def _size(self, query: dict[str, float]) -> float:
        return 2.0 * sum(query.values())


class Bo1(Feedback):
    """Bose-Einstein model of feedback terms, added to the query (Amati 2003).

    A term weighs tf log2((1 + p) / p) + log2(1 + p), tf its occurrences in the feedback documents and p = cf / N; both
    queries are scaled by their largest weight.
    """

    schematic: ClassVar[dict[str, str | None]] = {"label": "Bo1", "help_url": None}

    def _expansion(self, documents: Ints, scores: Floats) -> Floats:
        tf = self.index.by_document[documents].sum(axis=0)
        p = self.index.counts.sum(axis=1) / len(self.index.docnos)
        return np.where(tf > 0.0, tf * np.log2((1.0 + p) / p) + np.log2(1.0 + p), 0.0)

    def _size(self, query: dict[str, float]) -> float:
        return max(query.values())
