"""One question asked by every API path has one answer: the same distance and p-value, with one seed and B."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyterrier as pt
import pytest
from ir_measures import AP, P

import pt_rankcorr as ptr
from pt_rankcorr import demo
from pt_rankcorr.cli import main

pytestmark = [
    pytest.mark.whole,
    pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning"),  # judges of few labels
    pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning"),
    pytest.mark.filterwarnings("ignore:Cohen's kappa:pt_rankcorr.warnings.DegenerateInputWarning"),  # one label only
]

SEED, B = 42, 499
HOW: dict[str, Any] = {"n_resamples": B, "rng": SEED}
DEPTH = 50  # documents of a topic in each run
POOL = 1  # the depth of the shallow pool

Answers = Iterator[tuple[str, Any]]  # API path, distance and p-value


def check(answers: Answers) -> tuple[float, float]:
    by_path = {path: (float(distance), float(pvalue)) for path, (distance, pvalue) in answers}
    assert len(set(by_path.values())) == 1, by_path
    return next(iter(by_path.values()))


def answer_of(rows: Any, **key: str) -> tuple[float, float]:
    (row,) = [row for row in rows if key.items() <= row.items()]
    return row["d_rank"], row["pvalue"]


def cli(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    options = ["--seed", str(SEED), "--resamples", str(B), "--format", "jsonl", "--quiet"]
    assert main([*map(str, arguments), *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


class Study:
    """Eight systems of the bundled demo collection, as runs and in files."""

    def __init__(self, folder: Path) -> None:
        self.folder, collection = folder, demo.collection()
        columns = ["qid", "docno", "score", "rank"]
        runs = [*collection.runs.items()][::4]
        self.topics, self.runs = collection.topics, {name: run[run["rank"] < DEPTH][columns] for name, run in runs}
        self.pool = ptr.judgments.pool(self.runs, collection.qrels, POOL)[["qid", "docno", "label"]]
        self.qrels = collection.qrels[collection.qrels["qid"].isin(self.pool["qid"])]  # so that no path drops a topic
        (folder / "runs").mkdir()
        for name, run in self.runs.items():
            pt.io.write_results(run, str(folder / "runs" / f"{name}.run"))
        for name, qrels in {"all": self.qrels, "pool": self.pool}.items():
            lines = (f"{qid} 0 {docno} {label}\n" for qid, docno, label in qrels.itertuples(index=False))
            (folder / f"{name}.qrels").write_text("".join(lines))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("study"))


# --- measures: AP against P@10 ------------------------------------------------------------------------------


def from_scores(scores: ptr.Scores, options: list[object], capsys: pytest.CaptureFixture[str]) -> Answers:
    """From scores of AP and P@10; names of measures are those of the scores."""
    reference, measure = scores.measures[:2]
    names = {"reference": reference, "measure": measure}
    yield "d_rank", ptr.d_rank(scores[reference], scores[measure], **HOW)
    yield "DRankTest", ptr.DRankTest(scores[reference], **HOW).test(scores[measure])
    of_frame = ptr.DRank(reference, **HOW).transform(scores.to_frame())
    yield "DRank", of_frame.loc[of_frame["measure"] == measure, ["d_rank", "d_rank p-value"]].iloc[0]
    for n_jobs in (1, 2):
        yield f"compare, {n_jobs}", answer_of(ptr.compare(scores, **HOW, n_jobs=n_jobs).to_dict()["rows"], **names)
    row = ptr.compare(scores, reference=reference, **HOW).row(reference, measure)
    yield "compare with one reference", (row.d_rank, row.pvalue)
    page = ptr.report(scores, reference=reference, **HOW)
    yield "report", answer_of(page.to_dict()["measures_against_measures"], **names)
    for command in ("compare", "drank"):
        yield f"pt-rankcorr {command}", answer_of(cli(capsys, command, *options, "--reference", reference), **names)


def test_measures_of_runs(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--runs", study.folder / "runs", "--qrels", study.folder / "all.qrels", "--measures", "AP", "P@10"]
    scores = ptr.scores_from_runs(study.runs, study.qrels, [AP, P @ 10])
    distance, pvalue = check(from_scores(scores, list(files), capsys))
    systems = {name: pt.Transformer.from_df(run) for name, run in study.runs.items()}
    how: dict[str, Any] = {"meta": [ptr.DRank(n_resamples=B)], "rng": SEED, "filter_by_qrels": True}
    table = ptr.Experiment(systems, study.topics, study.qrels, [AP, P @ 10], **how)
    assert tuple(table[["P@10 d_rank", "P@10 d_rank p-value"]].iloc[0]) == (distance, pvalue)
    assert distance > 0


def test_measures_on_robust(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = ptr.read_scores([data / "trec" / f"robust2004_{name}.csv" for name in ("ap", "p10")])
    few = scores.select(systems=scores.systems[:20])  # which is quicker
    files = [tmp_path / f"{name}.csv" for name in few]
    for file, matrix in zip(files, few.values(), strict=True):
        matrix.to_frame().to_csv(file)
    check(from_scores(few, ["--scores", *files], capsys))


# --- judgments: AP under all of them against AP under a shallow pool -----------------------------------------


def from_judgments(study: Study, capsys: pytest.CaptureFixture[str]) -> Answers:
    runs, qrels, pool = study.runs, study.qrels, study.pool
    reference, estimate = (ptr.scores_from_runs(runs, judgments, [AP])["AP"] for judgments in (qrels, pool))
    yield "d_rank", ptr.d_rank(reference, estimate, **HOW)
    together = ptr.Scores([reference.named("all"), estimate.named("pool")])
    yield "compare", answer_of(ptr.compare(together, **HOW).to_dict()["rows"], reference="all", measure="pool")
    for others in ({"pool": pool}, {"half": ptr.judgments.sample_judgments(qrels, 0.5, rng=1), "pool": pool}):
        compared = ptr.compare_judgments(runs, qrels, others, [P @ 10, AP], **HOW, verbose=False)
        yield f"compare_judgments of {len(others)}", answer_of(compared.to_dict()["rows"], judge="pool", measure="AP")
    for depths in ([POOL], [POOL, 2, 3]):
        row = ptr.judgment_curve(runs, qrels, [AP], depths=depths, **HOW, verbose=False).rows[0]
        yield f"judgment_curve of {len(depths)}", (row.d_rank, row.pvalue)
    folder = study.folder
    options = ["--runs", folder / "runs", "--qrels", folder / "all.qrels", "--against", folder / "pool.qrels"]
    rows = cli(capsys, "judgments", *options, "--measures", "AP")
    yield "pt-rankcorr judgments", answer_of(rows, judge="pool", measure="AP")


def test_judgments(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    distance, _ = check(from_judgments(study, capsys))
    assert distance > 0
