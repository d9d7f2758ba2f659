"""Q-measure, nCG and the first nDCG: graded measures that ir_measures lacks, in its form.

Use them like any other, in `pt.Experiment` or by name: `Q@1000`, `nCG(gains={1: 1, 2: 5}) @ 10`,
`JKnDCG(base=10) @ 100`. The nDCG of Sakai, SIGIR 2006, is `JKnDCG`; that of ir_measures and
trec_eval has another discount.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Metric
from ir_measures.measures import Measure, ParamInfo, register
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import real_number
from pt_rankcorr.stats.core.types import Floats

__all__ = ["JKnDCG", "Q", "nCG"]


def in_single(scores: pd.Series[float]) -> Floats:
    """Scores as trec_eval keeps them, in single precision, (n_rows,); those beyond it are tied."""
    largest = np.finfo(np.float32).max
    singles = np.clip(scores.to_numpy(dtype=np.float64), -largest, largest).astype(np.float32)
    return singles.astype(np.float64)


def as_ranked(run: pd.DataFrame) -> pd.DataFrame:
    """The rows of a run in the order of trec_eval, with scores in single precision."""
    in_precision = run.assign(score=in_single(run["score"]))
    return in_precision.sort_values(["score", "doc_id"], ascending=False)


class Number(ParamInfo):  # type: ignore[misc]
    """A parameter that the measure checks: ir_measures refuses the integer 10 for a float."""

    def validate(self, value: object) -> bool:  # ir_measures calls this
        return True


class GradedMeasure(Measure):  # type: ignore[misc]
    """A measure of the gains of a ranking, in order, and of all judged documents of the topic.

    Documents are ranked by score in single precision; ties are broken by document number,
    descending, as by trec_eval.
    """

    SUPPORTED_PARAMS = {  # noqa: RUF012 (ir_measures has it so)
        "cutoff": ParamInfo(dtype=int, required=False, desc="ranking cutoff threshold"),
        "gains": ParamInfo(
            dtype=dict, desc="custom gain mapping (int-to-int); by default the label is the gain"
        ),
    }
    # what ir_measures asks of the frames
    RUN_INPUTS = ("query_id", "doc_id", "score")
    QREL_INPUTS = ("query_id", "doc_id", "relevance")

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Metric]:
        """One value for each topic of the run that has judgments; ir_measures calls this."""
        gain_of: Mapping[int, float] | None = self.params.get("gains")
        judged = dict(iter(qrels.groupby("query_id", sort=False)))
        for qid, documents in as_ranked(run).groupby("query_id"):
            if qid not in judged:
                continue
            labels = zip(judged[qid]["doc_id"], judged[qid]["relevance"], strict=True)
            gains = {}  # 0 of labels that a mapping lacks, and of those below 0
            for document, label in labels:
                gain = label if gain_of is None else gain_of.get(label, 0.0)
                gains[document] = max(float(gain), 0.0)
            ideal = np.sort([gain for gain in gains.values() if gain > 0])[::-1]
            ranking = documents["doc_id"].iloc[: self.params.get("cutoff")]
            retrieved = np.array([gains.get(document, 0.0) for document in ranking])
            yield Metric(qid, self, self.from_gains(retrieved, ideal) if ideal.size else 0.0)

    def from_gains(self, retrieved: Floats, ideal: Floats) -> float:
        """The measure, from the gains of retrieved documents, (n,), and of all relevant ones, (R,).

        The former are in the order of the ranking down to the cut-off, the latter highest first.
        """
        best = ideal[: self.params.get("cutoff")]
        gained = (retrieved / self.discounts(np.arange(1, retrieved.size + 1))).sum()
        possible = (best / self.discounts(np.arange(1, best.size + 1))).sum()
        return float(gained / possible)

    def discounts(self, ranks: NDArray[np.intp]) -> Floats:
        """What gains at these ranks, from 1 on, are divided by; by default 1."""
        return np.ones(ranks.size)


class _Q(GradedMeasure):
    """Q-measure, average precision for graded relevance.

    Let cg(r) be the gain cumulated down to rank r, cg_I(r) that of an ideal ranking, count(r) the
    number of relevant documents down to r, and R that of all of them. Then Q = 1/R * sum over ranks
    r of relevant documents of (beta cg(r) + count(r)) / (beta cg_I(r) + r). It lies in [0, 1], and
    is average precision if beta is 0. With a cut-off k, ranks go down to k, and min(k, R) replaces
    R, so that an ideal ranking has 1.

    `Q(beta=0.5)` sets beta, at least 0; by default it is 1.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 2, where
        beta is 1; Sakai, "On the reliability of information retrieval metrics based on graded
        relevance", IP&M 43(2), 2007.
    """

    NAME = "Q"
    __name__ = "Q"
    SUPPORTED_PARAMS = {  # noqa: RUF012
        **GradedMeasure.SUPPORTED_PARAMS,
        "beta": Number(dtype=float, default=1.0, desc="weight of gains beside counts, at least 0"),
    }

    def from_gains(self, retrieved: Floats, ideal: Floats) -> float:  # as of `GradedMeasure`
        relevant, beta = retrieved > 0, real_number("beta", self["beta"])
        if not 0.0 <= beta < np.inf:
            rule = "at least 0" if beta < 0.0 else "finite"
            raise ValueError(f"`beta` must be {rule}, got {beta}.")
        ranks = np.arange(1, retrieved.size + 1)
        # cg_I(r), constant below the last relevant document
        ideal_gain = np.cumsum(ideal)[np.minimum(ranks, ideal.size) - 1]
        blended = (beta * np.cumsum(retrieved) + np.cumsum(relevant)) / (beta * ideal_gain + ranks)
        n_best = min(ideal.size, self.params.get("cutoff", ideal.size))
        return float(blended[relevant].sum() / n_best)


class _nCG(GradedMeasure):
    """Normalised cumulative gain, the gain down to a cut-off over that of an ideal ranking.

    It lies in [0, 1]. The order of the documents down to the cut-off does not matter: with a
    cut-off beyond R, a late relevant document costs nothing.

    References:
        As for `JKnDCG`.
    """

    NAME = "nCG"
    __name__ = "nCG"
    SUPPORTED_PARAMS = {  # noqa: RUF012
        **GradedMeasure.SUPPORTED_PARAMS,
        "cutoff": ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold"),
    }


class _JKnDCG(GradedMeasure):
    """nDCG as first published, where the discount begins at the rank of the logarithm's base.

    The gain at rank r counts in full for r <= a, and is divided by log_a(r) for r > a. The sum down
    to the cut-off is divided by that of an ideal ranking. It lies in [0, 1]. The nDCG of
    ir_measures and trec_eval divides by log_2(r + 1) instead: on the demonstration's collection the
    two have a tau of .87 with a cut-off of 100, and .91 with 10.

    `JKnDCG(base=10) @ 100` sets the base a, above 1; by default it is 2.

    References:
        Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4),
        2002; Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 2,
        where a is 2.
    """

    NAME = "JKnDCG"
    __name__ = "JKnDCG"
    SUPPORTED_PARAMS = {  # noqa: RUF012
        **GradedMeasure.SUPPORTED_PARAMS,
        "base": Number(dtype=float, default=2.0, desc="base of the logarithm, above 1"),
    }

    def discounts(self, ranks: NDArray[np.intp]) -> Floats:  # log_a(r), and 1 up to the base
        base = real_number("base", self["base"])
        if base <= 1.0:
            raise ValueError(f"`base` must be above 1, got {base}.")
        return np.asarray(np.maximum(np.log(ranks) / np.log(base), 1.0))


class GainNDCG(GradedMeasure):
    """The nDCG of trec_eval for labels that are fractions, which trec_eval refuses."""

    NAME = "nDCG"
    __name__ = "nDCG"
    SUPPORTED_PARAMS = ir_measures.nDCG.SUPPORTED_PARAMS

    def discounts(self, ranks: NDArray[np.intp]) -> Floats:
        return np.asarray(np.log2(ranks + 1))


Q: Measure = _Q()
nCG: Measure = _nCG()
JKnDCG: Measure = _JKnDCG()
register(Q)
register(nCG)
register(JKnDCG)
