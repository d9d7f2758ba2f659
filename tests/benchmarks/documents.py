"""Agreement of two runs on documents, as a measure of ir_measures: against the same, query by query, by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import ir_measures
import numpy as np
import pandas as pd
import scipy.stats

from pt_rankcorr.agreement import Agreement, KendallTau, TauAP
from tests.benchmarks.coefficients import by_tau_ap
from tests.benchmarks.contests import PLAIN, Contest, Entries, entry
from tests.benchmarks.workload import Workload
from tests.stats import oracles


def contests(load: Workload) -> Entries:
    queries = [f"q{number}" for number in range(load.sizes.queries)]
    rng = np.random.default_rng(0)
    scores, others = rng.random((2, len(queries), load.sizes.documents))
    # whole numbers: in single precision, in which runs are read, near ones of others would tie
    run, another = (frame_of(queries, each.argsort().argsort()) for each in (scores, scores + others))
    qrels = pd.DataFrame({"query_id": queries, "doc_id": "d0", "relevance": 1})
    subject = f"{len(queries)} queries x {load.sizes.documents} documents"
    few = 2  # of the queries: loops take a while
    measures = [KendallTau(another, name="another"), TauAP(another, name="another")]
    yield Contest(
        f"agreement.KendallTau, {subject}",
        "pandas, and scipy.stats.kendalltau",
        lambda: of_each_query(measures[0], qrels, run),
        lambda: by_hand(run, another, lambda *both: scipy.stats.kendalltau(*both)[0]),
        why_slower="ours is called through the evaluators of ir_measures, which copy and sort run and qrels first: "
        "that takes two thirds of the rival's time; more than half of the rest is scipy's count, as the rival's is",
    )
    ours = partial(of_each_query, measures[1], qrels, run)
    share = few / len(queries)
    first, first_of_another = (frame[frame["query_id"].isin(queries[:few])] for frame in (run, another))
    subject = f"agreement.TauAP, {subject}"
    for rival, function in (
        (f"pandas, and {PLAIN}", lambda *both: oracles.tau_ap_untied(*(scores.tolist() for scores in both))),
        ("pandas, and tau_ap.tau_ap", by_tau_ap),
    ):
        theirs = partial(by_hand, first, first_of_another, function)
        contest = Contest(subject, rival, ours, theirs, share=share, part=lambda values: values[:few])
        yield contest if function is not by_tau_ap else entry(contest, "tau_ap")


def of_each_query(measure: Agreement, qrels: pd.DataFrame, run: pd.DataFrame) -> list[float]:
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    return [values[qid] for qid in run["query_id"].unique()]


def by_hand(
    run: pd.DataFrame, another: pd.DataFrame, coefficient: Callable[[np.ndarray, np.ndarray], float]
) -> list[float]:
    both = run.merge(another, on=["query_id", "doc_id"], suffixes=("", "_of_another"))
    return [
        coefficient(group["score_of_another"].to_numpy(), group["score"].to_numpy())
        for _, group in both.groupby("query_id", sort=False)
    ]


def frame_of(queries: list[str], scores: np.ndarray) -> pd.DataFrame:
    documents = [f"d{number}" for number in range(scores.shape[1])]
    return pd.DataFrame(
        {
            "query_id": np.repeat(queries, len(documents)),
            "doc_id": np.tile(documents, len(queries)),
            "score": scores.ravel(),
        }
    )
