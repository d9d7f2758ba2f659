"""The transformer that retrieves with a weighting model, and the language of its queries."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_rankcorr.demo.index import Floats, Index, Ints, tokens
from pt_rankcorr.demo.weighting import Weighting

_WEIGHTED = re.compile(r"([a-z]+)\^([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)")


def query_weights(query: str) -> dict[str, float]:
    """The terms of a query and their weights: `word^0.5` weighs 0.5, a plain word 1 for each occurrence."""
    weights: Counter[str] = Counter(tokens(_WEIGHTED.sub(" ", query.lower())))
    result = {term: float(count) for term, count in weights.items()}
    for term, weight in _WEIGHTED.findall(query.lower()):
        result[term] = result.get(term, 0.0) + float(weight)
    return result


def weighted_query(weights: dict[str, float]) -> str:
    """The inverse of `query_weights`, no digit lost."""
    return " ".join(f"{term}^{weight!r}" for term, weight in weights.items())


class Retrieve(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Ranks the documents that contain a term of the query.

    Equal scores are ranked by docno. Query terms that no document contains are ignored.

    Args:
        index: the documents.
        weighting: the weighting model, a function of `pt_rankcorr.demo.weighting`.
        num_results: the most documents for a query.
        parameters: arguments of the weighting model.
    """

    schematic: ClassVar[dict[str, str | None]] = {"label": "Retrieve", "help_url": None}

    def __init__(self, index: Index, weighting: Weighting, *, num_results: int = 1000, **parameters: float) -> None:
        self.index = index
        self.weighting = weighting
        self.num_results = num_results
        self.parameters = parameters
        weights = weighting(index.postings, **parameters)
        self._matrix = index.matrix(weights.matching)
        self._always = weights.always

    def __repr__(self) -> str:
        arguments = [repr(self.index), self.weighting.__name__, f"num_results={self.num_results}"]
        return f"Retrieve({', '.join(arguments + [f'{name}={value}' for name, value in self.parameters.items()])})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Queries in, ranked documents out."""
        pt.validate.query_frame(inp, extra_columns=["query"])
        found = [self._rank(query) for query in inp["query"]]
        result = inp.iloc[np.repeat(np.arange(len(inp)), [len(documents) for documents, _ in found])]
        documents = np.concatenate([np.empty(0, dtype=np.int64), *(documents for documents, _ in found)])
        scores = np.concatenate([np.empty(0), *(scores for _, scores in found)])
        result = result.reset_index(drop=True).assign(docno=self.index.docnos[documents], score=scores)
        ranked: pd.DataFrame = pt.model.add_ranks(result)
        return ranked

    def _rank(self, query: str) -> tuple[Ints, Floats]:
        # terms in the order of the index: the order of the query's words must not change the last bit of a score
        known = sorted(
            (self.index.terms[t], weight) for t, weight in query_weights(query).items() if t in self.index.terms
        )
        rows = self._matrix[[row for row, _ in known]]
        weights = np.array([weight for _, weight in known])
        scores = weights @ rows + weights.sum() * self._always
        matching = np.unique(rows.indices)
        order = np.argsort(-scores[matching], kind="stable")[: self.num_results]
        return matching[order].astype(np.int64), scores[matching][order]
