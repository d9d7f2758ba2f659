"""Every command says what the function of Python says."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from pt_rankcorr import demo
from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.adapters.text import read_scores
from pt_rankcorr.alignment import RoundedScoresWarning
from pt_rankcorr.comparison.judged import compare_judgments
from pt_rankcorr.comparison.measures import compare
from pt_rankcorr.judgments.pools import pseudo_judgments
from pt_rankcorr.reporting.reports import report
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.checks import UnreliableResultWarning
from pt_rankcorr.stats.expected import expected_correlation
from pt_rankcorr.stats.rank_distance import d_rank
from pt_rankcorr.stats.sensitivity import discriminative_power
from tests.cli.conftest import Ran
from tests.vaswani import documents, topics

MEASURES = ["AP", "nDCG@10", "P@5"]
QUICK = ["--seed", "1", "--resamples", "99", "--quiet", "--format", "jsonl"]
Cli = Callable[..., Ran]


class Source(NamedTuple):
    """Options that name scores, and those scores."""

    options: list[str]
    scores: Scores


@pytest.fixture(params=["runs", "trec", "vaswani"])
def source(request: pytest.FixtureRequest) -> Source:
    return request.getfixturevalue(f"of_{request.param}")


@pytest.fixture(scope="module")
def of_runs(folder: Path) -> Source:
    options = ["--runs", str(folder / "runs"), "--qrels", str(folder / "qrels"), "--measures", *MEASURES]
    return Source(options, scores_from_runs(folder / "runs", folder / "qrels", MEASURES))


@pytest.fixture(scope="module")
def of_trec(data: Path) -> Source:
    paths = [str(data / "trec" / f"web2012_{measure}.csv") for measure in ("ap", "rr", "ndcg20")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RoundedScoresWarning)
        return Source(["--scores", *paths], read_scores(paths))


@pytest.fixture(scope="module")
def of_vaswani(vaswani: Path) -> Source:
    options = ["--runs", str(vaswani / "runs"), "--qrels", str(vaswani / "qrels"), "--measures", *MEASURES]
    return Source(options, scores_from_runs(vaswani / "runs", vaswani / "qrels", MEASURES, verbose=False))


@pytest.fixture(scope="module")
def vaswani(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of eight retrieval systems, the qrels, and judgments that nobody made."""
    source, folder = data / "vaswani", tmp_path_factory.mktemp("vaswani")
    collection = demo.Collection(pd.DataFrame(documents(source)), topics(source), pd.DataFrame())
    (folder / "runs").mkdir()
    for name, system in list(demo.pipelines(collection).items())[::4]:
        rows = system(collection.topics).query("rank < 100")[["qid", "docno", "score"]].itertuples(index=False)
        (folder / "runs" / f"{name}.run").write_text("".join(f"{qid} Q0 {doc} 0 {s!r} x\n" for qid, doc, s in rows))
    (folder / "qrels").write_text((source / "qrels").read_text())
    judged = pseudo_judgments(folder / "runs", depth=20, share=0.2, rng=1)
    rows = judged[["qid", "docno", "label"]].itertuples(index=False)
    (folder / "random.qrels").write_text("".join(f"{qid} 0 {doc} {label}\n" for qid, doc, label in rows))
    return folder


def lines(ran: Ran) -> list[dict[str, Any]]:
    assert (ran.status, ran.err) == (0, "")
    return [json.loads(line) for line in ran.out.splitlines()]


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else str(value) if value == math.inf else value for name, value in row.items()}


def test_compare(cli: Cli, source: Source) -> None:
    found = lines(cli("compare", *source.options, *QUICK))
    made = {name: found[0][name] for name in ("null", "covariance", "n_resamples")}
    rows = compare(source.scores, **made, rng=1).to_dict()["rows"]
    assert len(found) == 6
    assert found == [
        {**{name: value for name, value in row.items() if name != "collection"}, **made, "seed": 1} for row in rows
    ]
    reference = source.scores.measures[1]
    of_reference = [row for row in found if row["baseline"] == reference]
    assert lines(cli("compare", *source.options, *QUICK, "--reference", reference)) == of_reference


@pytest.mark.parametrize(("null", "covariance"), [("refit", "ledoit-wolf"), ("baseline", "sample")])
def test_drank(null: str, covariance: str, cli: Cli, source: Source) -> None:
    baseline, *others = reversed(source.scores.measures)
    options = ["--reference", baseline, "--null", null, "--covariance", covariance]
    settings: dict[str, Any] = {"null": null, "covariance": covariance, "n_resamples": 99, "rng": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)
        rows = {name: d_rank(source.scores[baseline], source.scores[name], **settings).to_dict() for name in others}
    assert lines(cli("drank", *source.options, *options, *QUICK)) == [
        {"baseline": baseline, "measure": name, **rows[name], "seed": 1} for name in reversed(others)
    ]


def test_drank_takes_the_first_measure_for_the_reference(cli: Cli, source: Source) -> None:
    first, *others = source.scores.measures
    found = lines(cli("drank", *source.options, *QUICK))
    assert [(row["baseline"], row["measure"]) for row in found] == [(first, name) for name in others]


def test_expected(cli: Cli, source: Source) -> None:
    options = [
        "--coefficient",
        "tau",
        "--estimator",
        "ml",
        "--level",
        "0.9",
        "--target",
        "0.8",
        "--topics",
        "25",
        "200",
    ]
    found = lines(cli("expected", *source.options, *options, *QUICK))
    assert [row["measure"] for row in found] == list(source.scores)
    for row in found:
        matrix = source.scores[row["measure"]]
        result = expected_correlation(matrix, coefficient="tau", estimator="ml", n_resamples=99, rng=1)
        low, high = result.confidence_interval(0.9)
        assert row == as_json(
            {
                "measure": row["measure"],
                **result.to_dict(),
                "level": 0.9,
                "low": low,
                "high": high,
                "target": 0.8,
                "topics_needed": result.topics_needed(0.8),
                **{f"with {number} topics": result.curve(number) for number in (25, 200)},
            }
        )


@pytest.mark.parametrize("test", ["paired-bootstrap", "tukey-hsd", "t"])
def test_power(test: str, cli: Cli, source: Source) -> None:
    results = discriminative_power(source.scores, test=test, alpha=0.1, n_resamples=99, rng=1)
    assert lines(cli("power", *source.options, "--test", test, "--alpha", "0.1", *QUICK)) == [
        as_json({"measure": name, **result.to_dict(), "seed": 1}) for name, result in results.items()
    ]


@pytest.mark.parametrize(("where", "against"), [("folder", ["near", "far"]), ("vaswani", ["random"])])
def test_judgments(where: str, against: list[str], cli: Cli, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(where)
    files = {name: path / f"{name}.qrels" for name in against}
    options = [
        "--runs",
        path / "runs",
        "--qrels",
        path / "qrels",
        "--against",
        *files.values(),
        "--measures",
        *MEASURES,
    ]
    found = lines(cli("judgments", *options, "--test", "t", *QUICK))
    made = {name: found[0][name] for name in ("null", "covariance", "n_resamples", "test", "alpha", "level")}
    result = compare_judgments(path / "runs", path / "qrels", files, MEASURES, **made, rng=1, verbose=False)
    sizes = {"n_topics": len(result.reference.topics), "n_systems": len(result.reference.systems)}
    assert len(found) == 3 * len(against)
    for seen, row in zip(found, result, strict=True):
        assert seen == as_json({**row.to_dict(), **sizes, **made, "seed": 1})


def test_judgments_say_what_was_left_out(cli: Cli, folder: Path) -> None:
    options = ["--runs", folder / "runs", "--qrels", folder / "qrels", "--against", folder / "near.qrels"]
    ran = cli("judgments", *options, "--measures", "AP", "--resamples", 99, "--seed", 1)
    assert ran.out.splitlines()[1].split()[:2] == ["near", "AP"]
    assert "1 not judged by all and left out: '301'" in ran.err


def test_report(cli: Cli, of_runs: Source, tmp_path: Path) -> None:
    options = ["--output", tmp_path / "page.html", "--reference", "map", "--resamples", 99, "--seed", 1]
    ran = cli("report", *of_runs.options, *options)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.endswith("page.html\n")
    assert (tmp_path / "page.html").read_text() == report(
        of_runs.scores, reference="AP", n_resamples=99, rng=1
    ).to_html()
    refused = cli("report", *of_runs.options, "--output", tmp_path / "no" / "page.html")
    why = f"{tmp_path / 'no' / 'page.html'}: --output cannot be written: there is no such folder"
    assert (refused.status, refused.err) == (1, f"pt-rankcorr: error: {why}\n")
    refused = cli("report", *of_runs.options, "--output", tmp_path)
    assert (refused.status, refused.err) == (
        1,
        f"pt-rankcorr: error: {tmp_path}: --output cannot be written: Is a directory\n",
    )


def test_workers_change_nothing(cli: Cli, of_runs: Source) -> None:
    one, two = (cli("compare", *of_runs.options, *QUICK, "--resamples", 300, "--jobs", jobs) for jobs in (1, 2))
    assert one == two


def test_without_a_seed_it_is_told(cli: Cli, of_runs: Source) -> None:
    first = cli("drank", *of_runs.options, "--resamples", 99)
    (told,) = [line for line in first.err.splitlines() if "--seed" in line]
    seed = told.split("--seed ")[1].split()[0]
    assert cli("drank", *of_runs.options, "--resamples", 99, "--seed", seed).out == first.out
