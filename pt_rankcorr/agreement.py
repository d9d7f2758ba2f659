"""How far two rankings of documents agree, query by query, as measures of ir_measures.

Use them like any other: in `pt.Experiment(..., eval_metrics=[AP, DocumentTauAP(other_run) @ 10])`,
or with ir_measures itself. In the names of columns they are "KendallTau", "TauAP" and "TauGAP".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from ir_measures import MeanAgg, Metric
from ir_measures.measures import Measure, ParamInfo
from numpy.typing import NDArray

from pt_rankcorr.io.paths import is_path
from pt_rankcorr.io.trec import Run, by_topic, highest_labels, read_qrels, read_run
from pt_rankcorr.measures import as_ranked, in_single
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.arguments import one_of, real_number, whole_number
from pt_rankcorr.stats.core.types import Floats

__all__ = ["DocumentTau", "DocumentTauAP", "DocumentTauGAP"]


@dataclass(frozen=True)
class OtherRanking:
    """The rankings that others are compared with."""

    documents: Run
    label: str  # tells these rankings from others in the name of a measure
    # whether scores are labels: a document without one is level with those labelled 0
    judged: bool = False

    @classmethod
    def read(cls, other: object, name: str | None) -> OtherRanking:
        """The rankings of a run, a result frame or qrels; an `OtherRanking` is returned as is."""
        if isinstance(other, OtherRanking):
            return other
        is_read_whole = isinstance(other, (pd.DataFrame, dict)) or is_path(other)
        if isinstance(other, Iterable) and not is_read_whole:
            other = list(other)
        if isinstance(other, pd.DataFrame):
            judged = "score" not in other and not {"label", "relevance"}.isdisjoint(other.columns)
        else:
            judged = isinstance(other, list) and bool(other) and hasattr(other[0], "relevance")
        if judged:
            labels = highest_labels(read_qrels(other, parameter="other"))
            documents = by_topic(labels, labels["relevance"].to_numpy(np.float64))
        else:
            documents = {}
            for qid, scores in read_run("other", other, "other").items():
                singles = in_single(pd.Series(scores.values(), dtype=float))
                documents[qid] = dict(zip(scores, singles.tolist(), strict=True))
        if name is None:  # eight hexadecimal digits of the contents, whatever their order
            rows = [(qid, *pair) for qid, scores in documents.items() for pair in scores.items()]
            hashes = pd.util.hash_pandas_object(pd.DataFrame(rows), index=False).to_numpy()
            name = f"{int(hashes.sum(dtype=np.uint64)):016x}"[:8]
        return cls(documents, name, judged)

    def bottom(self, qid: str, *, level: bool) -> float:
        """The score of documents that a query lacks here: below the last, or `level` with it."""
        scores = self.documents.get(qid, {}).values()
        if self.judged:
            return min([0.0, *scores])
        return min(scores, default=0.0) if level else _below(scores)


class Agreement(Measure):  # type: ignore[misc]  # ir_measures is not typed
    """A rank correlation, query by query, of the evaluated run with another ranking, the reference.

    It compares the documents that both rank. Scores are kept in single precision, as by trec_eval,
    and equal scores are ties; the order of rows does not matter.

    Args:
        other: The ranking to compare with: a run (a result frame, a dict of query -> document ->
            score, an iterable of `ir_measures.ScoredDoc`, or the path of a TREC run file), or qrels
            (a frame or an iterable of `ir_measures.Qrel`), whose labels then are the scores.
        unranked: "drop" leaves out documents that only one of the two ranks; "tie" puts them, tied,
            at the bottom of the other (in the reference of DocumentTauGAP, where gaps count, level
            with its last ranked document; in qrels, level with those labelled 0).
        undefined: The value of a query without a correlation: there are fewer than two documents to
            compare, or one of the rankings ties them all, or lacks the query. nan makes the mean of
            `pt.Experiment` nan; the means of ir_measures and of `pt_rankcorr.Experiment` leave such
            queries out. With 0.0 they count as unrelated.
        name: The name of `other` in the name of the measure; by default a digest of its contents.
        cutoff: The number k of first documents of the evaluated run, ranked as by trec_eval: among
            equal scores, higher document numbers come first. Also as `DocumentTauAP(other) @ k`.

    Raises:
        TypeError, ValueError: If `other` is no ranking of documents, or an argument out of range.
    """

    coefficient: ClassVar[str]
    gaps_count: ClassVar[bool] = False
    SUPPORTED_PARAMS: ClassVar[dict[str, ParamInfo]] = {
        "other": ParamInfo(dtype=OtherRanking, required=True, desc="the ranking to compare with"),
        "unranked": ParamInfo(
            dtype=str,
            default="drop",
            desc="documents that only one ranks: drop, or tie at the bottom",
        ),
        "undefined": ParamInfo(
            dtype=float, default=math.nan, desc="value of queries without a correlation"
        ),
        "cutoff": ParamInfo(dtype=int, desc="ranking cutoff threshold of the evaluated run"),
    }
    RUN_INPUTS = ("query_id", "doc_id", "score")
    QREL_INPUTS = ("query_id",)

    def __init__(
        self,
        other: object,
        *,
        unranked: str = "drop",
        undefined: float = math.nan,
        name: str | None = None,
        cutoff: int | None = None,
    ) -> None:
        is_nan = isinstance(undefined, float) and math.isnan(undefined)
        undefined = math.nan if is_nan else real_number("undefined", undefined)
        params: dict[str, Any] = {
            "other": OtherRanking.read(other, name),
            "unranked": one_of("unranked", unranked, ("drop", "tie")),
            "undefined": undefined,
        }
        if cutoff is not None:
            params["cutoff"] = whole_number("cutoff", cutoff, at_least=1)
        super().__init__(**params)
        self.DEFAULT = undefined  # which ir_measures gives to queries that the run does not have

    def __repr__(self) -> str:
        arguments = [self.params["other"].label]
        arguments += ["unranked='tie'"] if self.params["unranked"] == "tie" else []
        arguments += [f"undefined={self.DEFAULT}"] if not math.isnan(self.DEFAULT) else []
        cutoff = f"@{self.params['cutoff']}" if "cutoff" in self.params else ""
        return f"{self.NAME}({', '.join(arguments)}){cutoff}"

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Metric]:
        """One value for each query of the run that is evaluated; ir_measures calls this."""
        evaluated = set(qrels["query_id"])
        cutoff = self.params.get("cutoff")
        ranked = run if cutoff is None else as_ranked(run)
        documents, scores = ranked["doc_id"].to_numpy(dtype=object), in_single(ranked["score"])
        for qid, rows in ranked.groupby("query_id", sort=False).indices.items():
            if qid in evaluated:
                first = rows[:cutoff]
                yield Metric(qid, self, self._agreement(str(qid), documents[first], scores[first]))

    def _agreement(self, qid: str, documents: NDArray[np.object_], scores: Floats) -> float:
        """The coefficient of one query, from the run's documents and their scores, both (n,)."""
        score_of = self.params["other"].documents.get(qid, {})
        if self.params["unranked"] == "drop":
            reference = np.array([*map(score_of.get, documents)], dtype=np.float64)
            common = ~np.isnan(reference)  # which None has become
            reference, estimate = reference[common], scores[common]
        else:
            bottom = self.params["other"].bottom(qid, level=self.gaps_count)
            ranked = set(documents)
            unranked = [score for document, score in score_of.items() if document not in ranked]
            reference_of_ranked = [score_of.get(document, bottom) for document in documents]
            reference = np.array(reference_of_ranked + unranked)
            estimate = np.concatenate((scores, np.full(len(unranked), _below(scores))))
        if reference.size < 2:
            return self.DEFAULT
        value = COEFFICIENTS[self.coefficient].kernel(reference, estimate)
        return self.DEFAULT if np.isnan(value) else float(value)

    def aggregator(self) -> MeanAgg:  # ir_measures calls this
        return _MeanOfDefined()


def _below(scores: Iterable[float]) -> float:
    """The next lower number than all scores."""
    return math.nextafter(min(scores, default=0.0), -math.inf)


class _MeanOfDefined(MeanAgg):  # type: ignore[misc]
    """The mean over queries that leaves out nan."""

    def add(self, value: float) -> None:
        if not math.isnan(value):
            super().add(value)


class DocumentTau(Agreement):
    """Kendall's tau with another ranking (Kendall 1970); see `Agreement` for the arguments."""

    NAME = "KendallTau"
    coefficient = "tau"


class DocumentTauAP(Agreement):
    """AP correlation with another ranking of the documents (Yilmaz et al. 2008).

    See `Agreement` for the arguments.

    Example:
        >>> from ir_measures import Qrel, ScoredDoc
        >>> qrels = [Qrel("q1", "a", 2), Qrel("q1", "b", 1), Qrel("q1", "c", 0)]
        >>> run = [ScoredDoc("q1", "a", 3.0), ScoredDoc("q1", "b", 1.0), ScoredDoc("q1", "c", 2.0)]
        >>> DocumentTauAP(qrels, name="qrels").calc_aggregate(qrels, run)
        0.5
    """

    NAME = "TauAP"
    coefficient = "tau_ap"


class DocumentTauGAP(Agreement):
    """tau_GAP with another ranking of the documents, by the gaps of its scores (Gao and Oard 2015).

    See `Agreement` for the arguments.
    """

    NAME = "TauGAP"
    coefficient = "tau_gap"
    gaps_count = True
