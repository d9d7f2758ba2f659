"""Agreement of two runs on documents, as a measure of ir_measures: against the same, query by query, by hand."""

from __future__ import annotations

from collections.abc import Callable

import ir_measures
import numpy as np
import pandas as pd
import scipy.stats

from pt_rankcorr.agreement import Agreement, KendallTau, TauAP
from tests.benchmarks.coefficients import by_tau_ap, first
from tests.benchmarks.contests import PLAIN, Contest, Contests
from tests.benchmarks.workload import Workload
from tests.stats import oracles

EVALUATORS = (
    "ours is called through the evaluators of ir_measures, which copy and sort run and qrels first: "
    "that takes two thirds of the rival's time; more than half of the rest is scipy's count, as the rival's is"
)


def contests(load: Workload) -> Contests:
    queries = [f"q{number}" for number in range(load.sizes.queries)]
    scores, others = np.random.default_rng(0).random((2, len(queries), load.sizes.documents))
    # whole numbers: in single precision, in which runs are read, near ones of others would tie
    run, another = (frame_of(queries, each.argsort().argsort()) for each in (scores, scores + others))
    qrels = pd.DataFrame({"query_id": queries, "doc_id": "d0", "relevance": 1})
    for measure, rival, function, few, needs in (
        (KendallTau, "scipy.stats.kendalltau", scipy.stats.kendalltau, len(queries), "scipy"),
        (TauAP, PLAIN, lambda *both: oracles.tau_ap_untied(*(each.tolist() for each in both)), 2, "scipy"),
        (TauAP, "tau_ap.tau_ap", by_tau_ap, 2, "tau_ap"),
    ):
        ours, some = measure(another, name="another"), queries[:few]
        yield Contest(
            f"agreement.{measure.__name__}, {len(queries)} queries x {load.sizes.documents} documents",
            f"pandas, and {rival}",
            lambda ours=ours: of_each_query(ours, qrels, run),
            lambda some=some, function=function: by_hand(run, another, some, function),
            share=few / len(queries),
            part=lambda values, few=few: values[:few],
            why_slower=EVALUATORS if few > 2 else "",
            needs=needs,
        )


def of_each_query(measure: Agreement, qrels: pd.DataFrame, run: pd.DataFrame) -> list[float]:
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    return [values[qid] for qid in run["query_id"].unique()]


def by_hand(
    run: pd.DataFrame, another: pd.DataFrame, queries: list[str], function: Callable[..., object]
) -> list[float]:
    some, of_another = (frame[frame["query_id"].isin(queries)] for frame in (run, another))
    both = some.merge(of_another, on=["query_id", "doc_id"], suffixes=("", "_of_another"))
    groups = both.groupby("query_id", sort=False)[["score_of_another", "score"]]
    return [first(function, *group.to_numpy().T) for _, group in groups]


def frame_of(queries: list[str], scores: np.ndarray) -> pd.DataFrame:
    documents = [f"d{number}" for number in range(scores.shape[1])]
    named = {"query_id": np.repeat(queries, len(documents)), "doc_id": np.tile(documents, len(queries))}
    return pd.DataFrame({**named, "score": scores.ravel()})
