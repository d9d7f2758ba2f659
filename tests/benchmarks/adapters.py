"""Reading and evaluating TREC runs, against ir_measures and pytrec_eval fed by their own readers, and trectools."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
from ir_measures import AP, P, nDCG

from pt_rankcorr.adapters.runs import scores_from_runs
from tests.benchmarks.contests import Claim, Contest, Entries, entry
from tests.benchmarks.workload import Sizes, Workload

MEASURES = [AP, nDCG @ 10, P @ 10]
THEIR_MEASURES = ["map", "ndcg_cut_10", "P_10"]
EQUAL_BITS = Claim(0.0)
FEW = 2  # runs


def contests(load: Workload) -> Entries:
    with TemporaryDirectory() as folder:
        runs, qrels = write_collection(Path(folder), load.sizes)
        subject = f"scores_from_runs, {{}}, {{}} runs of {load.sizes.queries} queries x {load.sizes.documents}"
        for some in (runs[:FEW], runs):
            for rival, theirs in (
                ("one evaluator of ir_measures", partial(by_one_evaluator, some, qrels, MEASURES)),
                ("pytrec_eval with its own parser", partial(by_pytrec_eval, some, qrels)),
            ):
                mine = partial(ours, some, qrels, MEASURES)
                size = sum(path.stat().st_size for path in (*some, qrels))
                yield Contest(subject.format("3 measures", len(some)), rival, mine, theirs, EQUAL_BITS, bytes=size)
        yield entry(
            Contest(
                subject.format("AP", FEW),
                "trectools.TrecEval",
                partial(ours, runs[:FEW], qrels, [AP]),
                partial(by_trectools, runs[:FEW], qrels),
            ),
            "trectools",
        )


def ours(runs: Sequence[Path], qrels: Path, measures: Sequence[Any]) -> np.ndarray:
    scores = scores_from_runs(runs, qrels, measures, verbose=False)
    return np.array([scores[measure].values for measure in measures])


def by_one_evaluator(runs: Sequence[Path], qrels: Path, measures: Sequence[Any]) -> np.ndarray:
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(str(qrels)))
    cells = [
        {(metric.measure, metric.query_id): metric.value for metric in evaluator.iter_calc(read)}
        for read in (ir_measures.read_trec_run(str(path)) for path in runs)
    ]
    queries = sorted({qid for _, qid in cells[0]})
    return np.array([[[cell[measure, qid] for cell in cells] for qid in queries] for measure in measures])


def by_pytrec_eval(runs: Sequence[Path], qrels: Path) -> np.ndarray:
    import pytrec_eval

    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(THEIR_MEASURES))
    cells = []
    for path in runs:
        with path.open() as file:
            cells.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
    queries = sorted(cells[0])
    return np.array([[[cell[qid][measure] for cell in cells] for qid in queries] for measure in THEIR_MEASURES])


def by_trectools(runs: Sequence[Path], qrels: Path) -> np.ndarray:
    """It sorts queries as text, as all do whose names are of one length."""
    from trectools import TrecEval, TrecQrel, TrecRun

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = TrecQrel(str(qrels))
        columns = [TrecEval(TrecRun(str(path)), judged).get_map(per_query=True).iloc[:, 0] for path in runs]
    return np.column_stack(columns)[np.newaxis]


# --- a collection of made-up runs ---------------------------------------------------------------------


def write_collection(folder: Path, sizes: Sizes) -> tuple[list[Path], Path]:
    """Runs of random documents, of which one and a half times as many as a run retrieves are judged."""
    random = np.random.default_rng(0)
    queries = range(301, 301 + sizes.queries)
    runs = [folder / f"run{number}.txt" for number in range(sizes.runs)]
    for path in runs:
        path.write_text("".join(_run_lines(random, qid, sizes.documents) for qid in queries))
    qrels = folder / "qrels"
    qrels.write_text("".join(_qrels_lines(random, qid, 3 * sizes.documents // 2) for qid in queries))
    return runs, qrels


def _run_lines(random: np.random.Generator, qid: int, retrieved: int) -> str:
    documents = random.choice(10 * retrieved, retrieved, replace=False)
    scores = np.arange(retrieved, 0, -1) / 100  # distinct in single precision, which trec_eval sorts by
    return "".join(
        f"{qid} Q0 FBIS-{document:07} {rank} {score:.2f} tag\n"
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
    )


def _qrels_lines(random: np.random.Generator, qid: int, judged: int) -> str:
    documents = random.choice(judged * 6, judged, replace=False)
    return "".join(f"{qid} 0 FBIS-{document:07} {int(random.random() < 0.1)}\n" for document in documents)
