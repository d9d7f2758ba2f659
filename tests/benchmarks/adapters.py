"""Reading and evaluating TREC runs, against one reused evaluator fed by the reader of ir_measures.

python -m tests.benchmarks.adapters [number of runs]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import numpy as np
from ir_measures import AP, P, nDCG

from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.scores import Scores
from tests.benchmarks.timing import ratio

MEASURES = [AP, nDCG @ 10, P @ 10]
N_TOPICS, N_RETRIEVED, N_JUDGED, N_DOCUMENTS = 250, 1000, 1500, 500_000


def write_collection(folder: Path, n_runs: int) -> tuple[list[Path], Path]:
    random = np.random.default_rng(0)
    runs = [folder / f"run{number}.txt" for number in range(n_runs)]
    for path in runs:
        path.write_text("".join(run_lines(random, qid) for qid in range(301, 301 + N_TOPICS)))
    qrels = folder / "qrels"
    qrels.write_text("".join(qrels_lines(random, qid) for qid in range(301, 301 + N_TOPICS)))
    return runs, qrels


def run_lines(random: np.random.Generator, qid: int) -> str:
    documents = random.choice(N_DOCUMENTS, N_RETRIEVED, replace=False)
    scores = np.sort(20 * random.random(N_RETRIEVED))[::-1]
    return "".join(
        f"{qid} Q0 FBIS-{document:07} {rank} {score:.6f} tag\n"
        for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
    )


def qrels_lines(random: np.random.Generator, qid: int) -> str:
    documents = random.choice(N_DOCUMENTS, N_JUDGED, replace=False)
    return "".join(f"{qid} 0 FBIS-{document:07} {int(random.random() < 0.1)}\n" for document in documents)


def with_one_evaluator(runs: list[Path], qrels: Path) -> dict[str, list[ir_measures.Metric]]:
    evaluator = ir_measures.evaluator(MEASURES, ir_measures.read_trec_qrels(str(qrels)))
    return {path.stem: list(evaluator.iter_calc(ir_measures.read_trec_run(str(path)))) for path in runs}


def assert_equal(scores: Scores, metrics: dict[str, list[ir_measures.Metric]]) -> None:
    for name, of_run in metrics.items():
        for metric in of_run:
            matrix = scores[metric.measure]
            assert matrix.values[matrix.topics.index(metric.query_id), matrix.systems.index(name)] == metric.value


def main(n_runs: int = 10) -> None:
    with TemporaryDirectory() as folder:
        runs, qrels = write_collection(Path(folder), n_runs)
        ours: Callable[[], Scores] = partial(scores_from_runs, runs, qrels, MEASURES, verbose=False)
        alternative = partial(with_one_evaluator, runs, qrels)
        assert_equal(ours(), alternative())
        label = f"scores_from_runs, {n_runs} runs, against one evaluator of ir_measures"
        print(ratio(label, ours, alternative, pairs=3))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
