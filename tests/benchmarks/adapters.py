"""Reading and evaluating TREC runs, against ir_measures and pytrec_eval fed by their own readers, and trectools."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import numpy as np
from ir_measures import AP, P, nDCG

from pt_rankcorr.adapters.runs import scores_from_runs
from tests.benchmarks.contests import Claim, Contest, Contests
from tests.benchmarks.workload import Sizes, Workload

MEASURES = [AP, nDCG @ 10, P @ 10]
THEIR_MEASURES = ["map", "ndcg_cut_10", "P_10"]
FEW = 2  # runs


def contests(load: Workload) -> Contests:
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
