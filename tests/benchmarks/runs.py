"""Runs: reading and evaluating them, their agreement on documents, and experiments with components."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import scipy.stats
from ir_measures import AP, P, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.agreement import Agreement
from pt_rankcorr.agreement import DocumentTau as KendallTau
from pt_rankcorr.agreement import DocumentTauAP as TauAP
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.io.runs import scores_from_runs
from tests.benchmarks.coefficients import by_tau_ap, first
from tests.benchmarks.contests import PLAIN, Claim, Contest, Contests
from tests.benchmarks.workload import Sizes, Workload
from tests.stats import oracles

MEASURES = [AP, nDCG @ 10, P @ 10]
THEIR_MEASURES = ["map", "ndcg_cut_10", "P_10"]
FEW = 2  # runs
COLUMNS = ["AP", "nDCG@10", "P@10"]
SIX = (
    *(ptr.KendallTau(), ptr.TauAP(), ptr.TauGAP(), ptr.DRank(n_resamples=1000, rng=1)),
    *(ptr.ExpectedCorrelation(rng=1), ptr.RankInterval(n_resamples=1000, rng=1)),
)


def contests(load: Workload) -> Contests:
    yield from of_evaluation(load)
    yield from of_agreement(load)
    yield from of_experiments(load)


# --- against ir_measures and pytrec_eval fed by their own readers, and trectools -----------------------------


def of_evaluation(load: Workload) -> Contests:
    with TemporaryDirectory() as folder:
        runs, qrels = write_collection(Path(folder), load.sizes)
        subject = f"scores_from_runs, {{}}, {{}} runs of {load.sizes.queries} queries x {load.sizes.documents}"
        by_ir_measures, by_parser = (by_one_evaluator, "one evaluator of ir_measures"), (by_pytrec_eval, "pytrec_eval")
        for some, (theirs, rival) in (
            (some, each) for some in (runs[:FEW], runs) for each in (by_ir_measures, by_parser)
        ):
            both = partial(ours, some, qrels, MEASURES), partial(theirs, some, qrels)
            yield Contest(subject.format("3 measures", len(some)), f"{rival}, its own parser", *both, Claim(0.0))
        both = partial(ours, runs[:FEW], qrels, [AP]), partial(by_trectools, runs[:FEW], qrels)
        yield Contest(subject.format("AP", FEW), "trectools.TrecEval", *both, needs="trectools")


def ours(runs: list[Path], qrels: Path, measures: list[object]) -> np.ndarray:
    scores = scores_from_runs(runs, qrels, measures, verbose=False)
    return np.array([scores[measure].values for measure in measures])


def by_one_evaluator(runs: list[Path], qrels: Path) -> np.ndarray:
    evaluator = ir_measures.evaluator(MEASURES, ir_measures.read_trec_qrels(str(qrels)))
    cells = [
        {(metric.measure, metric.query_id): metric.value for metric in evaluator.iter_calc(read)}
        for read in (ir_measures.read_trec_run(str(path)) for path in runs)
    ]
    queries = sorted({qid for _, qid in cells[0]})
    return np.array([[[cell[measure, qid] for cell in cells] for qid in queries] for measure in MEASURES])


def by_pytrec_eval(runs: list[Path], qrels: Path) -> np.ndarray:
    import pytrec_eval

    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(THEIR_MEASURES))
    cells = []
    for path in runs:
        with path.open() as file:
            cells.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
    return np.array([[[cell[qid][name] for cell in cells] for qid in sorted(cells[0])] for name in THEIR_MEASURES])


def by_trectools(runs: list[Path], qrels: Path) -> np.ndarray:
    """It sorts queries as text, as all do whose names are of one length."""
    from trectools import TrecEval, TrecQrel, TrecRun

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = TrecQrel(str(qrels))
        columns = [TrecEval(TrecRun(str(path)), judged).get_map(per_query=True).iloc[:, 0] for path in runs]
    return np.column_stack(columns)[np.newaxis]


def write_collection(folder: Path, sizes: Sizes) -> tuple[list[Path], Path]:
    """Runs of random documents, of which one and a half times as many as a run retrieves are judged."""
    random, queries = np.random.default_rng(0), range(301, 301 + sizes.queries)
    runs, qrels = [folder / f"run{number}.txt" for number in range(sizes.runs)], folder / "qrels"

    def documents(number: int, of: int) -> list[str]:
        return [f"FBIS-{document:07}" for document in random.choice(of, number, replace=False)]

    def of_run(qid: int) -> str:
        """Scores are distinct in single precision, which trec_eval sorts by."""
        found = enumerate(documents(sizes.documents, 10 * sizes.documents), 1)
        return "".join(f"{qid} Q0 {name} {at} {(sizes.documents + 1 - at) / 100:.2f} tag\n" for at, name in found)

    def of_qrels(qid: int) -> str:
        judged = documents(3 * sizes.documents // 2, 9 * sizes.documents)
        return "".join(f"{qid} 0 {name} {int(random.random() < 0.1)}\n" for name in judged)

    for path in runs:
        path.write_text("".join(map(of_run, queries)))
    qrels.write_text("".join(map(of_qrels, queries)))
    return runs, qrels


# --- as a measure of ir_measures, against the same, query by query, by hand -----------------------------------


def of_agreement(load: Workload) -> Contests:
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


# --- `ptr.Experiment` with components against plain `pt.Experiment`, on the embedded collection ----------------


def of_experiments(load: Workload) -> Contests:
    """The columns that the host has too are compared."""
    data = collection(min(load.sizes.queries, 50))
    systems = dict(list(pipelines(data).items())[: load.sizes.systems])
    retrieved = [system(data.topics) for system in systems.values()]
    for subject, given, meta in (
        ("results", retrieved, ()),
        ("results, six components", retrieved, SIX),
        ("pipelines, six components", list(systems.values()), SIX),
    ):
        inputs = (given, data.topics, data.qrels, [AP, nDCG @ 10, P @ 10], list(systems))
        ours, theirs = partial(ptr.Experiment, *inputs, meta=list(meta)), partial(pt.Experiment, *inputs)
        yield Contest(
            f"Experiment on {subject}, {len(systems)} systems x {len(data.topics)} topics",
            "pt.Experiment" + (", without them" if meta else ""),
            partial(averages, ours),
            partial(averages, theirs),
        )


def averages(experiment: partial) -> np.ndarray:
    return experiment()[COLUMNS].to_numpy()
