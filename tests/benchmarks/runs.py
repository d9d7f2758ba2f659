"""Reading and evaluating runs against ir_measures and pytrec_eval, and experiments against PyTerrier's own."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import numpy as np
import pyterrier as pt
from ir_measures import AP, P, nDCG

import pt_rankcorr as rc
from pt_rankcorr.demo import collection, pipelines
from tests.benchmarks.contests import Contest

MEASURES, NAMES, THEIR_NAMES = [AP, nDCG @ 10, P @ 10], ["AP", "nDCG@10", "P@10"], ["map", "ndcg_cut_10", "P_10"]
META = (
    *(rc.KendallTau(), rc.TauAP(), rc.TauGAP(), rc.DRank(n_resamples=1000, rng=1)),
    *(rc.ExpectedCorrelation(rng=1), rc.RankInterval(n_resamples=1000, rng=1)),
)


def contests(*, quick=False):
    for n_runs, n_queries, n_documents in ((3, 10, 100),) if quick else ((20, 50, 1000), (5, 50, 100), (3, 6000, 100)):
        with TemporaryDirectory() as folder:
            runs, qrels = write_collection(Path(folder), n_queries, n_documents, n_runs)
            for call, rival in ((by_one_evaluator, "ir_measures"), (by_pytrec_eval, "pytrec_eval")):
                yield Contest(
                    f"scores_from_runs, 3 measures, {n_runs} runs of {n_queries} x {n_documents}",
                    f"{rival}, its own parser",
                    partial(by_us, runs, qrels),
                    partial(call, runs, qrels),
                    margin=0.0,
                )
    data = collection(50)
    systems = {name: system(data.topics) for name, system in pipelines(data).items()}
    inputs = (systems, data.topics, data.qrels, MEASURES)
    yield Contest(
        "Experiment, six components, 29 systems x 50 topics",
        "pt.Experiment, without them",
        lambda: rc.Experiment(*inputs, meta=META)[NAMES].to_numpy(),
        lambda: pt.Experiment(*inputs)[NAMES].to_numpy(),
    )


def by_us(runs, qrels):
    scores = rc.scores_from_runs(runs, qrels, MEASURES, verbose=False)
    return np.array([scores[measure].values for measure in MEASURES])


def by_one_evaluator(runs, qrels):
    evaluator = ir_measures.evaluator(MEASURES, ir_measures.read_trec_qrels(str(qrels)))
    cells = [
        {(metric.measure, metric.query_id): metric.value for metric in evaluator.iter_calc(run)}
        for run in (ir_measures.read_trec_run(str(path)) for path in runs)
    ]
    queries = sorted({qid for _, qid in cells[0]})
    return np.array([[[cell[measure, qid] for cell in cells] for qid in queries] for measure in MEASURES])


def by_pytrec_eval(runs, qrels):
    import pytrec_eval

    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(THEIR_NAMES))
    cells = []
    for path in runs:
        with path.open() as file:
            cells.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
    return np.array([[[cell[qid][name] for cell in cells] for qid in sorted(cells[0])] for name in THEIR_NAMES])


def write_collection(folder, n_queries, n_documents, n_runs):
    """Runs of random documents, of which one and a half times as many as a run retrieves are judged."""
    random, queries = np.random.default_rng(0), range(10_001, 10_001 + n_queries)  # in one order as texts
    runs, qrels = [folder / f"run{number}.txt" for number in range(n_runs)], folder / "qrels"

    def documents(number, of):
        return [f"FBIS-{document:07}" for document in random.choice(of, number, replace=False)]

    for path in runs:
        path.write_text(
            "".join(
                f"{qid} Q0 {name} {rank} {(n_documents + 1 - rank) / 100:.2f} tag\n"
                for qid in queries
                for rank, name in enumerate(documents(n_documents, 10 * n_documents), 1)
            )
        )
    qrels.write_text(
        "".join(
            f"{qid} 0 {name} {int(random.random() < 0.1)}\n"
            for qid in queries
            for name in documents(3 * n_documents // 2, 9 * n_documents)
        )
    )
    return runs, qrels
