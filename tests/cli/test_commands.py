"""Every command says what the function of Python says."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from joblib import parallel_config

from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.adapters.text import read_scores
from pt_rankcorr.comparison.judged import compare_judgments
from pt_rankcorr.comparison.measures import compare
from pt_rankcorr.reporting.reports import report
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy.best import best_systems
from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.rank_distance.test import d_rank
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.warnings import RoundedScoresWarning, UnreliableResultWarning
from tests.cli.conftest import MEASURES, QUICK, Cli, lines, runs_of

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # judges of few labels


class Source(NamedTuple):
    """Options that name scores, and those scores."""

    options: list[Any]
    scores: Scores


@pytest.fixture(params=["runs", "trec"])
def source(request: pytest.FixtureRequest) -> Source:
    return request.getfixturevalue(f"of_{request.param}")


@pytest.fixture(scope="module")
def of_runs(folder: Path) -> Source:
    return Source(runs_of(folder, *MEASURES), scores_from_runs(folder / "runs", folder / "qrels", MEASURES))


@pytest.fixture(scope="module")
def of_trec(data: Path) -> Source:
    paths = [str(data / "trec" / f"web2012_{measure}.csv") for measure in ("ap", "rr", "ndcg20")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RoundedScoresWarning)
        return Source(["--scores", *paths], read_scores(paths))


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else str(value) if value == math.inf else value for name, value in row.items()}


def test_compare(cli: Cli, source: Source) -> None:
    found = lines(cli("compare", *source.options, *QUICK))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)
        compared = compare(source.scores, n_resamples=99, rng=1)
    assert len(found) == 6
    expected = ({**row.to_dict(), **row.settings.to_dict()} for row in compared)
    assert found == [as_json({name: row[name] for name in row if name != "collection"}) for row in expected]
    reference = source.scores.measures[1]
    of_reference = [row for row in found if row["reference"] == reference]
    assert lines(cli("compare", *source.options, *QUICK, "--reference", reference)) == of_reference


@pytest.mark.parametrize(("null", "covariance"), [("shrunken", "ledoit-wolf"), ("published", "sample")])
def test_drank(null: str, covariance: str, cli: Cli, source: Source) -> None:
    baseline, *others = reversed(source.scores.measures)
    options = ["--reference", baseline, "--null", null, "--covariance", covariance]
    settings: dict[str, Any] = {"null": null, "covariance": covariance, "n_resamples": 99, "rng": 1}
    found = lines(cli("drank", *source.options, *options, *QUICK))
    assert [(row["reference"], row["measure"]) for row in found] == [(baseline, name) for name in reversed(others)]
    for row in found:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreliableResultWarning)
            tested = d_rank(source.scores[baseline], source.scores[row["measure"]], **settings)
        assert (row["d_rank"], row["pvalue"]) == tuple(tested)
        assert not {"tau", "tau_ap", "tau_gap"} & row.keys()


def test_drank_takes_the_first_measure_for_the_reference(cli: Cli, source: Source) -> None:
    first, *others = source.scores.measures
    found = lines(cli("drank", *source.options, *QUICK))
    assert [(row["reference"], row["measure"]) for row in found] == [(first, name) for name in others]


def test_expected(cli: Cli, source: Source) -> None:
    options = "--coefficient tau --estimator ml --level 0.9 --target 0.8 --topics 25 200".split()
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
                "topics_needed_low": result.topics_needed(0.8).confidence_interval(0.9).low,
                "topics_needed_high": result.topics_needed(0.8).confidence_interval(0.9).high,
                **{f"with {number} topics": result.curve(number) for number in (25, 200)},
            }
        )


def test_many_topics_are_extrapolated(cli: Cli, of_runs: Source) -> None:
    said = "Beyond 24 topics it is extrapolated further than simulations have checked."
    for target in (".1", ".999"):
        told = cli("expected", *of_runs.options, "--target", target, "--seed", 1, "--resamples", 99)
        assert (said in told.err) == (target == ".999")


@pytest.mark.parametrize("method", ["percentile", "shrunken", "pairwise"])
def test_ranks(method: str, cli: Cli, of_runs: Source, tmp_path: Path) -> None:
    simultaneous = method == "pairwise"
    how = ["--method", method, "--level", 0.9, "--plot", tmp_path / "ranks.PNG"]
    how += ["--simultaneous"] if simultaneous else []
    ran = lines(cli("ranks", *of_runs.options, *QUICK, *how))
    given = {"level": 0.9, "n_resamples": 99, "rng": 1}
    for at, (measure, scores) in enumerate(of_runs.scores.items()):
        found = rank_intervals(scores, method=method, simultaneous=simultaneous, **given)
        sure = rank_intervals(scores, method="pairwise", simultaneous=True, **given)
        best = best_systems(scores, **given).positions
        of_measure = ran[at * scores.n_systems : (at + 1) * scores.n_systems]
        assert [line["system"] for line in of_measure] == list(scores.ranking)
        for line in of_measure:
            system = scores.systems.index(line["system"])
            assert line["measure"] == measure
            assert line["mean"] == scores.mean_of(line["system"])
            columns = {"rank": found.rank, "low": found.low, "high": found.high, "tier": sure.tier}
            assert {name: line[name] for name in columns} == {name: of[system] for name, of in columns.items()}
            assert line["share_first"] == as_json({"first": float(found.share_first[system])})["first"]
            assert line["best"] == (system in best)
            assert {**found.to_dict(), "seed": 1}.items() <= line.items()
    pictures = sorted(path.name for path in tmp_path.iterdir())
    assert pictures == ["ranks-AP.PNG", "ranks-P@5.PNG", "ranks-nDCG@10.PNG"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in tmp_path.iterdir())


def test_ranks_for_people(cli: Cli, of_runs: Source, tmp_path: Path) -> None:
    one = [*of_runs.options[: -len(MEASURES)], "AP", "--seed", 1, "--resamples", 99, "--quiet"]
    ran = cli("ranks", *one, "--plot", tmp_path / "ranks.svg")
    titles = "measure  system  mean  rank [95% on average]  first in draws  tier [95% all together]  may be best [95%]"
    assert ran.out.splitlines()[0].split() == titles.split()
    assert {line.split()[-1] for line in ran.out.splitlines()[1:]} <= {"yes", "no"}
    assert (tmp_path / "ranks.svg").read_text().startswith("<?xml")
    refused = cli("ranks", *one, "--plot", tmp_path / "no" / "ranks.png")
    assert refused.err.endswith("--plot cannot be written: there is no such folder\n")


def test_no_picture_replaces_another_one_or_an_input(cli: Cli, tmp_path: Path) -> None:
    rows = [f"{topic},{name},{run},.{(topic * seed) % 7}{seed}" for topic in range(5)
            for name in ("a/b", "a_b", "A b") for seed, run in enumerate("xyz", 1)]  # fmt: skip
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["topic,measure,run,score", *rows]))
    cli("ranks", "--scores", table, *QUICK, "--plot", tmp_path / "p.svg")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"table.csv", "p-a_b.svg", "p-a_b_.svg", "p-A_b__.svg"}
    labels = tmp_path / "p-a_b.svg"
    labels.write_text("".join(f"{topic}\t{topic // 2}\n" for topic in range(5)))
    refused = cli("ranks", "--scores", table, *QUICK, "--clusters", labels, "--plot", tmp_path / "p.svg")
    assert "--plot must be another file than those that are read" in refused.err
    assert labels.read_text().startswith("0\t0")


def test_clusters_and_strata_of_topics(cli: Cli, of_runs: Source, folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "conversations.tsv"
    labels.write_text("".join(f"{topic}\t{int(topic) // 2}\n" for topic in of_runs.scores.topics))
    clusters = {topic: str(int(topic) // 2) for topic in of_runs.scores.topics}
    by_file = lines(cli("power", *of_runs.options, *QUICK, "--clusters", labels))
    given = {"n_resamples": 99, "rng": 1}
    for line, (_, matrix) in zip(by_file, of_runs.scores.with_design(clusters=clusters).items(), strict=True):
        assert line["n_topics"] == 7
        assert line["statistic"] == discriminative_power(matrix, **given).statistic
    by_pattern = lines(cli("power", *of_runs.options, *QUICK, "--clusters", "30|31", "--test", "t"))
    with pytest.warns(UnreliableResultWarning, match="fewer than 5 clusters"):
        two = of_runs.scores.with_design(clusters=r"\d\d")
    assert by_pattern[0]["statistic"] == discriminative_power(two["AP"], test="t").statistic
    strata = tmp_path / "collections.csv"
    strata.write_text("".join(f"{topic},{topic > '306'}\n" for topic in of_runs.scores.topics))
    of_strata = of_runs.scores.with_design(strata=[topic > "306" for topic in of_runs.scores.topics])
    by_collection = lines(cli("expected", *of_runs.options, *QUICK, "--strata", strata))
    assert by_collection[0]["value"] == expected_correlation(of_strata["AP"], **given).value
    told = cli("power", *of_runs.options, "--seed", 1, "--resamples", 99, "--clusters", labels)
    assert "The 12 topics are in 7 clusters." in told.err
    assert cli("power", *of_runs.options, "--clusters", "x").err.endswith(
        "--clusters must match each topic, got no match of 'x' in '301', '302', '303', '304', '305' and 7 more.\n"
    )
    judged = ["--against", folder / "far.qrels", "--clusters", labels, "--test", "t"]
    (line, *_) = lines(cli("judgments", *of_runs.options, *QUICK, *judged))
    runs, qrels = str(folder / "runs"), str(folder / "qrels")
    row = compare_judgments(runs, qrels, [folder / "far.qrels"], MEASURES, clusters=clusters, test="t", **given).rows[0]
    assert line["pvalue"] == row.pvalue
    assert line["tau low"] == row.to_dict()["tau low"]


@pytest.mark.parametrize("test", ["paired-bootstrap", "tukey-hsd", "t"])
def test_power(test: str, cli: Cli, source: Source) -> None:
    results = discriminative_power(source.scores, test=test, alpha=0.1, n_resamples=99, rng=1)
    assert lines(cli("power", *source.options, "--test", test, "--alpha", "0.1", *QUICK)) == [
        as_json({"measure": name, **result.to_dict(), "seed": 1}) for name, result in results.items()
    ]


def test_judgments(cli: Cli, folder: Path) -> None:
    files = {name: folder / f"{name}.qrels" for name in ("near", "far")}
    options = [*runs_of(folder, *MEASURES), "--against", *files.values(), "--test", "t"]
    found = lines(cli("judgments", *options, *QUICK))
    result = compare_judgments(
        folder / "runs", folder / "qrels", files, MEASURES, test="t", n_resamples=99, rng=1, verbose=False
    )
    assert len(found) == 3 * len(files)
    for seen, row in zip(found, result, strict=True):
        assert seen == as_json({**row.to_dict(), **row.settings.to_dict()})
        assert not row.to_dict().keys() & row.settings.to_dict().keys()  # nothing hides a number
        assert seen["krippendorff_alpha"] == as_json({"": row.krippendorff_alpha})[""]


def test_judgments_in_order(cli: Cli, folder: Path) -> None:
    files = {name: folder / f"{name}.qrels" for name in ("near", "far")}
    options = [*runs_of(folder, "map", "P_10"), "--against", *files.values(), "--rank", "tau_ap"]
    found = lines(cli("judgments", *options, *QUICK))
    result = compare_judgments(
        folder / "runs", folder / "qrels", files, ["map", "P_10"], test=None, rng=1, n_resamples=99, verbose=False
    )
    expected = [
        {**row, "reference": measure, "measure": measure}
        for measure in ("AP", "P@10")
        for row in result.judges(measure, "tau_ap").to_frame().to_dict("records")
    ]
    for seen, row in zip(found, expected, strict=True):
        assert seen == as_json(row)


def test_judgments_say_what_was_left_out(cli: Cli, folder: Path) -> None:
    ran = cli("judgments", *runs_of(folder, "AP"), "--against", folder / "near.qrels", "--resamples", 99, "--seed", 1)
    labels, rows = ran.out.split("\n\n")
    assert labels.splitlines()[2].split()[:3] == ["near", "330", "11"]
    assert rows.splitlines()[1].split()[:2] == ["near", "AP"]
    assert "left out, as not all have them: 1 topics, '301'" in ran.err


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


def test_a_report_is_opened_and_takes_its_form_from_the_ending(
    cli: Cli, of_runs: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert cli("report", *of_runs.options, "--output", tmp_path / "a.tex", "--resamples", 99, "--open").status == 0
    assert opened == [(tmp_path / "a.tex").as_uri()]
    assert "\\section" in (tmp_path / "a.tex").read_text()
    refused = cli("report", *of_runs.options, "--output", tmp_path / "a.pdf")
    assert refused.status == 1
    assert "--output must end in" in refused.err


def test_workers_change_nothing(cli: Cli, of_runs: Source) -> None:
    with parallel_config("threading"):
        one, two = (cli("compare", *of_runs.options, *QUICK, "--jobs", jobs) for jobs in (1, 2))
    assert one == two


def test_nothing_is_told_before_files_are_found(cli: Cli, folder: Path, tmp_path: Path) -> None:
    runs, none = ["--runs", folder / "runs", "--measures", "AP"], tmp_path / "none"
    for command in (
        ["judgments", *runs, "--qrels", folder / "qrels", "--against", none],
        ["judgments", *runs, "--qrels", folder / "qrels", "--against", none, "--rank", "tau"],
        ["curve", *runs, "--qrels", none, "--depths", 1],
        ["leaderboards", "--reference", none, "--judges", none],
        ["report", *runs, "--qrels", folder / "qrels", "--against", none, "--output", tmp_path / "page.html"],
    ):
        ran = cli(*command)
        assert ran.status == 1
        assert [line for line in ran.err.splitlines() if "topics" not in line] == [
            f"pt-rankcorr: error: {none}: No such file or directory"
        ]


def test_the_seed_of_what_reads_files_later_is_told(cli: Cli, folder: Path) -> None:
    options = ["judgments", *runs_of(folder, "AP"), "--against", folder / "far.qrels", "--test", "t", "--resamples", 99]
    for more in ([], ["--rank", "tau"]):
        first = cli(*options, *more)
        (told,) = [line for line in first.err.splitlines() if "--seed" in line]
        assert cli(*options, *more, "--seed", told.split("--seed ")[1].split()[0]).out == first.out


def test_without_a_seed_it_is_told(cli: Cli, of_runs: Source) -> None:
    first = cli("drank", *of_runs.options, "--resamples", 99)
    (told,) = [line for line in first.err.splitlines() if "--seed" in line]
    seed = told.split("--seed ")[1].split()[0]
    assert cli("drank", *of_runs.options, "--resamples", 99, "--seed", seed).out == first.out


@pytest.mark.parametrize("command", ["compare", "drank", "expected", "ranks"])
def test_three_topics_are_few(cli: Cli, tmp_path: Path, command: str) -> None:
    for name, digit in (("AP", 1), ("RR", 2)):
        rows = [f"{topic},0.{topic}1,0.{topic}{digit + 3},0.{digit}9" for topic in (1, 2, 3)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["topic,a,b,c", *rows]))
    ran = cli(command, "--scores", tmp_path / "AP.csv", tmp_path / "RR.csv", "--resamples", 99, "--seed", 1)
    assert ran.status == 0
    assert ran.err.count("warning: 3 topics are few: ") == 1
