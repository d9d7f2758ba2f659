"""One question asked by every road has one answer: the same distance and the same p-value, with one seed and B."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P

import pt_rankcorr as ptr
from pt_rankcorr import demo
from pt_rankcorr.cli import main

pytestmark = [
    pytest.mark.whole,
    pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning"),  # judges of few labels
]

SEED, B = 42, 499
HOW: dict[str, Any] = {"n_resamples": B, "rng": SEED}
DEPTH = 50  # documents of a topic in each run
POOL = 1  # the depth of the shallow pool

Answer = tuple[float, float]


def cli(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    given = [*map(str, arguments), "--seed", str(SEED), "--resamples", str(B), "--quiet"]
    assert main(given) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def answer_of(rows: Any, **key: str) -> Answer:
    (row,) = [row for row in rows if key.items() <= row.items()]
    return row["d_rank"], row["pvalue"]


class Study:
    """Eight systems of the collection that comes along, as runs and in files."""

    def __init__(self, folder: Path) -> None:
        self.folder, found = folder, demo.collection()
        self.topics, self.runs = found.topics, {name: _first(run) for name, run in [*found.runs.items()][::4]}
        self.pool = ptr.judgments.pool(self.runs, found.qrels, POOL)[["qid", "docno", "label"]]
        self.qrels = found.qrels[found.qrels["qid"].isin(self.pool["qid"])]  # so that no road drops a topic
        (folder / "runs").mkdir()
        for name, run in self.runs.items():
            pt.io.write_results(run, str(folder / "runs" / f"{name}.run"))
        for name, qrels in {"all": self.qrels, "pool": self.pool}.items():
            lines = (f"{qid} 0 {docno} {label}\n" for qid, docno, label in qrels.itertuples(index=False))
            (folder / f"{name}.qrels").write_text("".join(lines))


def _first(run: pd.DataFrame) -> pd.DataFrame:
    return run[run["rank"] < DEPTH][["qid", "docno", "score", "rank"]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("study"))


# --- measures: AP against P@10 ------------------------------------------------------------------------------


def roads_of_scores(scores: ptr.Scores, options: list[object], capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Every road that leads from scores of AP and P@10 to d_rank; names of measures are those of the scores."""
    reference, measure = scores.measures[:2]
    names = {"reference": reference, "measure": measure}
    yield "d_rank", tuple(ptr.d_rank(scores[reference], scores[measure], **HOW))
    yield "DRankTest", tuple(ptr.DRankTest(scores[reference], **HOW).test(scores[measure]))
    of_frame = ptr.DRank(reference, **HOW).transform(scores.to_frame())
    yield "DRank", tuple(of_frame[of_frame["measure"] == measure][["d_rank", "d_rank p-value"]].iloc[0])
    for n_jobs in (1, 2):
        yield "compare", answer_of(ptr.compare(scores, **HOW, n_jobs=n_jobs).to_dict()["rows"], **names)
    row = ptr.compare(scores, reference=reference, **HOW).row(reference, measure)
    yield "compare with one reference", (row.d_rank, row.pvalue)
    page = ptr.report(scores, reference=reference, **HOW)
    yield "report", answer_of(page.to_dict()["measures_against_measures"], **names)
    for command in ("compare", "drank"):
        given = [command, *options, "--reference", reference, "--format", "jsonl"]
        yield f"pt-rankcorr {command}", answer_of(cli(capsys, *given), **names)


def check(roads: Iterator[tuple[str, Answer]]) -> Answer:
    answers = {road: (float(distance), float(pvalue)) for road, (distance, pvalue) in roads}
    assert len(set(answers.values())) == 1, answers
    return next(iter(answers.values()))


def test_measures_of_runs(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--runs", study.folder / "runs", "--qrels", study.folder / "all.qrels", "--measures", "AP", "P@10"]
    scores = ptr.scores_from_runs(study.runs, study.qrels, [AP, P @ 10])
    distance, pvalue = check(roads_of_scores(scores, list(files), capsys))
    systems = [pt.Transformer.from_df(run) for run in study.runs.values()]
    table = ptr.Experiment(
        systems,
        study.topics,
        study.qrels,
        [AP, P @ 10],
        names=list(study.runs),
        meta=[ptr.DRank(n_resamples=B)],
        rng=SEED,
        filter_by_qrels=True,
    )
    assert tuple(table[["P@10 d_rank", "P@10 d_rank p-value"]].iloc[0]) == (distance, pvalue)
    assert distance > 0


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")
def test_measures_on_robust(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [data / "trec" / f"robust2004_{name}.csv" for name in ("ap", "p10")]
    scores = ptr.read_scores(paths)
    few = scores.select(systems=scores.systems[:20])  # which is quicker
    wide = [_written(few[name].to_frame(), capsys, name) for name in few]
    check(roads_of_scores(few, ["--scores", *wide], capsys))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _written(frame: pd.DataFrame, _: object, name: str) -> str:
    frame.to_csv(f"{name}.csv")
    return f"{name}.csv"


# --- judgments: AP under all of them against AP under a shallow pool -----------------------------------------


@pytest.mark.filterwarnings("ignore:Cohen's kappa:pt_rankcorr.warnings.DegenerateInputWarning")  # one label only
def test_judgments(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    distance, _ = check(roads_of_judgments(study, capsys))
    assert distance > 0


def roads_of_judgments(study: Study, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Answer]]:
    runs, qrels, pool = study.runs, study.qrels, study.pool
    reference, estimate = (ptr.scores_from_runs(runs, each, [AP])["AP"] for each in (qrels, pool))
    yield "d_rank", tuple(ptr.d_rank(reference, estimate, **HOW))
    together = ptr.Scores([reference.named("all"), estimate.named("pool")])
    yield "compare", answer_of(ptr.compare(together, **HOW).to_dict()["rows"], reference="all", measure="pool")
    others = {"half": ptr.judgments.sample_judgments(qrels, 0.5, rng=1), "pool": pool}
    for given in ({"pool": pool}, others):  # alone, and along with others
        found = ptr.compare_judgments(runs, qrels, given, [P @ 10, AP], **HOW, verbose=False)
        yield f"compare_judgments of {len(given)}", answer_of(found.to_dict()["rows"], judge="pool", measure="AP")
    for depths in ([POOL], [POOL, 2, 3]):
        curve = ptr.judgment_curve(runs, qrels, [AP], depths=depths, **HOW, verbose=False)
        yield f"judgment_curve of {len(depths)}", (curve.rows[0].d_rank, curve.rows[0].pvalue)
    folder = study.folder
    options = ["--runs", folder / "runs", "--qrels", folder / "all.qrels", "--against", folder / "pool.qrels"]
    rows = cli(capsys, "judgments", *options, "--measures", "AP", "--format", "jsonl")
    yield "pt-rankcorr judgments", answer_of(rows, judge="pool", measure="AP")


# --- one default --------------------------------------------------------------------------------------------

TESTED: list[Callable[..., Any]] = [
    ptr.d_rank,
    ptr.DRankTest,
    ptr.DRank,
    ptr.compare,
    ptr.compare_judgments,
    ptr.judgment_curve,
]


@pytest.mark.parametrize("parameter", ["null", "covariance"])
def test_one_default_everywhere(parameter: str) -> None:
    assert len({inspect.signature(each).parameters[parameter].default for each in TESTED}) == 1
