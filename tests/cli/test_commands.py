"""Every command says what the function of Python says; rankings in files."""

import csv
import json
import math
from typing import Any, NamedTuple

import pytest

import pt_rankcorr as rc
from pt_rankcorr import stats
from pt_rankcorr.io.single_scores import read_ranking
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.cli.conftest import MEASURES, QUICK, lines, runs_of

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # judges of few labels

ABSENT = "no such column"
HOW = {"n_resamples": 99, "rng": 1}


class Source(NamedTuple):
    """Options that name scores, and those scores."""

    options: list[Any]
    scores: rc.Scores


@pytest.fixture(scope="module")
def of_runs(folder):
    return Source(runs_of(folder, *MEASURES), rc.scores_from_runs(folder / "runs", folder / "qrels", MEASURES))


def as_json(row):
    return {name: None if value != value else str(value) if value == math.inf else value for name, value in row.items()}


def compared(scores, reference=None):
    rows = ({**row.to_dict(), **row.settings.to_dict()} for row in rc.compare(scores, **HOW))
    return [row for row in rows if row.pop("collection") is not None and reference in (None, row["reference"])]


def distances(scores, reference, **how):
    for name in scores.measures:
        if name != reference:
            statistic, pvalue = rc.d_rank(scores[reference], scores[name], **how, **HOW)
            tau = rc.kendall_tau(scores[reference], scores[name])
            found = {"reference": reference, "measure": name, "tau": tau, "d_rank": statistic, "d_rank pvalue": pvalue}
            yield found | dict.fromkeys(("tau_ap", "tau_gap", "p same true ranking"), ABSENT)


def expected(scores):
    for name, matrix in scores.items():
        result = rc.expected_correlation(matrix, coefficient="tau", estimator="ml", **HOW)
        low, high = result.confidence_interval(0.9)
        needed = result.topics_needed(0.8)
        fewest, most = needed.confidence_interval(0.9)
        topics = {"topics_needed": needed, "topics_needed_low": fewest, "topics_needed_high": most}
        settings = {"level": 0.9, "low": low, "high": high, "target": 0.8}
        curve = {f"with {number} topics": result.curve(number) for number in (25, 200)}
        yield {"measure": name, **result.to_dict(), **settings, **topics, **curve}


def ranks(scores, method, **how):
    given = {"level": 0.9, **HOW}
    for measure, matrix in scores.items():
        found = rc.rank_intervals(matrix, method=method, **how, **given)
        tiers = rc.rank_intervals(matrix, method="pairwise", simultaneous=True, **given).tier
        for system in matrix.ranking:
            at = matrix.systems.index(system)
            columns = {"rank": found.rank, "low": found.low, "high": found.high, "tier": tiers}
            named = {"measure": measure, "system": system, "mean": matrix.mean_of(system)}
            share = float(found.share_first[at])
            yield {**named, **{name: of[at] for name, of in columns.items()}, "share_first": share, **found.to_dict()}


def power(scores, test):
    for name, found in rc.discriminative_power(scores, test=test, alpha=0.1, **HOW).items():
        yield {"measure": name, **found.to_dict(), "seed": 1}


def swaps(scores, **how):
    for name, rates in stats.swap_rates(scores, **how, **HOW).items():
        share = pytest.approx(rates.swaps.sum() / rates.counts.sum())
        columns = ("required_difference", "sensitivity", "topic_set_size")
        yield {"measure": name, **{column: getattr(rates, column) for column in columns}, "share_swapped": share}


def swaps_along_topics(scores):
    for name, matrix in scores.items():
        curve = stats.swap_curve(matrix, bins=4, **HOW)
        needed = {f"needed with {number} topics": curve.required_difference(number) for number in (5, 20)}
        yield {"measure": name, **needed}


def stability(scores):
    given = {"of": "halves", "topic_set_size": 5, "fuzziness": [0.05, 0.2]}
    for name, found in stats.stability(scores, **given, **HOW).items():
        for at, fuzziness in enumerate(given["fuzziness"]):
            columns = {column: getattr(found, column)[at] for column in ("minority_rate", "proportion_of_ties")}
            yield {"measure": name, "fuzziness": fuzziness, **columns}


OF_SCORES = {
    "compare": compared,
    "compare --reference {1}": lambda scores: compared(scores, scores.measures[1]),
    "drank": lambda scores: distances(scores, scores.measures[0]),
    "drank --reference {2} --null published --covariance sample": lambda scores: distances(
        scores, scores.measures[2], null="published", covariance="sample"
    ),
    "expected --coefficient tau --estimator ml --level 0.9 --target 0.8 --topics 25 200": expected,
    "ranks --level .9 --method percentile": lambda scores: ranks(scores, "percentile"),
    "ranks --level .9 --method pairwise --simultaneous": lambda scores: ranks(scores, "pairwise", simultaneous=True),
    "power --alpha .1 --test paired-bootstrap": lambda scores: power(scores, "paired-bootstrap"),
    "power --alpha .1 --test t": lambda scores: power(scores, "t"),
    "swap": swaps,
    "swap --of resamples --bins published --max-rate 0.2": lambda scores: swaps(
        scores, of="resamples", bins="published", max_rate=0.2
    ),
    "swap --of halves --topic-set-size 4 --bins 5": lambda scores: swaps(scores, of="halves", topic_set_size=4, bins=5),
    "swap --topics 5 20 --bins 4": swaps_along_topics,
    "stability --of halves --topic-set-size 5 --fuzziness 0.05 0.2": stability,
}


def check(found, rows):
    """Every number that is expected stands in its line."""
    wanted = [as_json(row) for row in rows]
    assert wanted
    told = [{name: line.get(name, ABSENT) for name in row} for line, row in zip(found, wanted, strict=True)]
    assert told == wanted


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
@pytest.mark.parametrize("command", OF_SCORES)
def test_what_the_function_says_of_scores(command, cli, of_runs):
    found = lines(cli(*command.format(*of_runs.scores.measures).split(), *of_runs.options, *QUICK))
    check(found, OF_SCORES[command](of_runs.scores))


def test_many_topics_are_extrapolated(cli, of_runs):
    said = "Beyond 24 topics it is extrapolated further than simulations have checked."
    for target in (".1", ".999"):
        told = cli("expected", *of_runs.options, "--target", target, "--seed", 1, "--resamples", 99)
        assert (said in told.err) == (target == ".999")


def judged(folder, measures, **how):
    files = {name: folder / f"{name}.qrels" for name in ("near", "far")}
    return rc.compare_judgments(folder / "runs", folder / "qrels", files, measures, **{"test": "t", **HOW, **how})


def rows_of(comparison):
    for row in comparison:
        assert not row.to_dict().keys() & row.settings.to_dict().keys()  # nothing hides a number
        yield {**row.to_dict(), **row.settings.to_dict()}


def test_judges_in_order_stand_below_their_rows(cli, folder):
    options = [*runs_of(folder, "map", "P_10"), *AGAINST.format(folder=folder).split(), "--test", "t", "--quiet"]
    found = judged(folder, ["map", "P_10"])
    ran = cli("judgments", *options, "--seed", 1, "--resamples", 99)
    _, rows, *orders = ran.out.split("\n\n")
    assert len(rows.splitlines()) == 5
    assert [part.strip().splitlines()[1:] for part in orders] == [
        found.judges(measure).to_text(wide=False, width=1000).splitlines()[2:4] for measure in ("AP", "P@10")
    ]
    told = cli("judgments", *options[:-1], "--seed", 1, "--resamples", 99).err
    assert found.judges("AP").sentence() in told
    assert found.judges("P@10").note in told
    by_tau_ap = cli("judgments", *options, "--seed", 1, "--resamples", 99, "--coefficients", "tau_b").out
    assert "tau b [95%]" in by_tau_ap.split("\n\n")[2]
    latex = cli("judgments", *options, "--seed", 1, "--resamples", 99, "--format", "latex").out
    assert latex.count(r"\toprule") == 4


def test_wide_tables_have_all_coefficients_and_settings(cli, folder):
    options = ["compare", *runs_of(folder, "AP", "P@5"), "--seed", 1, "--resamples", 99]
    narrow, wide = (cli(*options, *more) for more in ([], ["--wide"]))
    for table in (narrow, wide):
        assert "tau if one true ranking [95%]" in table.out
    assert "tau_AP if one true ranking [95%]" in wide.out
    assert len(narrow.out.splitlines()) == 2  # the pair once, and a row for each direction
    assert len(wide.out.splitlines()) == 3
    assert "tau_AP" not in narrow.out
    assert "95% intervals; significant: p <= 0.05; seed 1." in wide.err
    assert "significant:" not in narrow.err
    assert "d_rank" not in f"{narrow}{wide}"
    assert "if one true ranking" not in cli(*options, "--wide", "--no-intervals").out
    assert "90% intervals; significant: p <= 0.1;" in cli(*options, "--wide", "--level", ".9").err
    both = cli(*options, "--d-rank")
    assert "p of d_rank" in both.out
    assert "A small p of d_rank" in both.err
    refused = cli(*options, "--null", "published")
    assert refused.status == 1
    assert "--null must be none unless --d-rank is" in refused.err.lower()


@pytest.mark.parametrize("more", ["--wide", "--d-rank", "--top 3 --per-topic --wide --d-rank"])
def test_columns_of_csv_are_distinct(more, cli, folder):
    options = [*runs_of(folder, "AP", "P@5"), *AGAINST.format(folder=folder).split(), *QUICK[:-2], *more.split()]
    header, *rows = csv.reader(cli("judgments", *options, "--format", "csv").out.splitlines())
    assert len(rows) == 4
    assert len(set(header)) == len(header)
    assert {"tau if one true ranking", "tau_ap if one true ranking", "tau_ap p same true ranking"} <= set(header)
    assert ([name for name in header if name in ("d_rank", "d_rank pvalue")] == ["d_rank", "d_rank pvalue"]) == (
        "d-rank" in more
    )


def on_scales(folder):
    files = {name: folder / f"{name}.qrels" for name in ("near", "far")}
    judges = rc.judgments.Judges(files, relevance_threshold={"near": 1, "*": 2}, label_map={"far": {2: 1}})
    reference = rc.judgments.Qrels(folder / "qrels", relevance_threshold=2)
    for row in rc.compare_judgments(folder / "runs", reference, judges, ["nDCG@10"], n_resamples=0, rng=1):
        yield {name: row.to_dict()[name] for name in ("judge", "tau", "kappa", "kappa_binary", "recall")}


def points(folder, **places):
    found = rc.judgment_curve(folder / "runs", folder / "qrels", ["AP", "P@5"], **places, **HOW)
    names = (next(iter(places)).removesuffix("s"), "repetition", "measure", "tau", "d_rank", "d_rank pvalue")
    return [{name: row[name] for name in names} for row in found.to_dict()["rows"]]


AGAINST = "--against {folder}/near.qrels {folder}/far.qrels"
OF_FILES = {
    f"judgments {AGAINST} --test t --measures AP nDCG@10 P@5": lambda folder: rows_of(judged(folder, MEASURES)),
    f"judgments {AGAINST} --test t --measures map P_10 --d-rank": lambda folder: rows_of(
        judged(folder, ["map", "P_10"], d_rank=True)
    ),
    f"judgments {AGAINST} --test t --measures nDCG@10 --no-intervals --reference-threshold 2 "
    "--relevance-threshold near=1 2 --label-map far:2=1": on_scales,
    "curve --measures AP P@5 --depths 2 9": lambda folder: points(folder, depths=[2, 9]),
    "curve --measures AP P@5 --shares 0.3 --repetitions 2": lambda folder: points(folder, shares=[0.3], repetitions=2),
}


def place(line):
    return [str(line.get(name)) for name in ("depth", "share", "repetition", "measure")]


@pytest.mark.parametrize("command", OF_FILES)
def test_what_the_function_says_of_files(command, cli, folder):
    found = lines(cli(*command.format(folder=folder).split(), *runs_of(folder), *QUICK))
    rows = OF_FILES[command](folder)
    if command.startswith("curve"):  # lines come as they are finished
        found, rows = sorted(found, key=place), sorted(rows, key=place)
    check(found, rows)


def test_alpha(cli, folder):
    ran = cli("alpha", "--judges", folder / "qrels", folder / "near.qrels", "--metric", "nominal", "--format", "jsonl")
    found = rc.judgments.alpha_of_judges([folder / "qrels", folder / "near.qrels"], "nominal")
    check([json.loads(ran.out)], [{"alpha": found.statistic, "low": found.low, "n_items": found.n_items}])


def test_judgments_say_what_was_left_out(cli, folder):
    command = ("judgments", *runs_of(folder, "AP"), "--against", folder / "near.qrels", "--resamples", 99, "--seed", 1)
    ran = cli(*command)
    assert max(map(len, ran.out.splitlines())) <= 100
    labels, rows = ran.out.split("\n\n")
    assert labels.splitlines()[2].split()[:2] == ["near", "330"]
    assert "topics" not in labels
    assert "topics" in cli(*command, "--wide").out.split("\n\n")[0]
    assert rows.split()[:3] == ["judge", "kappa", "tau"]  # there is one measure
    assert rows.splitlines()[1].startswith("near ")
    assert "left out, as not all have them: 1 topics, '301'" in ran.err


def test_clusters_and_strata_of_topics(cli, of_runs, tmp_path):
    labels = tmp_path / "conversations.tsv"
    labels.write_text("".join(f"{topic}\t{int(topic) // 2}\n" for topic in of_runs.scores.topics))
    clusters = {topic: str(int(topic) // 2) for topic in of_runs.scores.topics}
    by_file = lines(cli("power", *of_runs.options, *QUICK, "--clusters", labels))
    given = {"n_resamples": 99, "rng": 1}
    for line, (_, matrix) in zip(by_file, of_runs.scores.with_design(clusters=clusters).items(), strict=True):
        assert line["n_topics"] == 7
        assert line["statistic"] == rc.discriminative_power(matrix, **given).statistic
    by_pattern = lines(cli("power", *of_runs.options, *QUICK, "--clusters", "30|31", "--test", "t"))
    with pytest.warns(UnreliableResultWarning, match="fewer than 5 clusters"):
        two = of_runs.scores.with_design(clusters=r"\d\d")
    assert by_pattern[0]["statistic"] == rc.discriminative_power(two["AP"], test="t").statistic
    strata = tmp_path / "collections.csv"
    strata.write_text("".join(f"{topic},{topic > '306'}\n" for topic in of_runs.scores.topics))
    of_strata = of_runs.scores.with_design(strata=[topic > "306" for topic in of_runs.scores.topics])
    by_collection = lines(cli("expected", *of_runs.options, *QUICK, "--strata", strata))
    assert by_collection[0]["value"] == rc.expected_correlation(of_strata["AP"], **given).value
    told = cli("power", *of_runs.options, "--seed", 1, "--resamples", 99, "--clusters", labels)
    assert "The 12 topics are in 7 clusters." in told.err
    assert cli("power", *of_runs.options, "--clusters", "x").err.endswith(
        "--clusters must match each topic, got no match of 'x' in '301', '302', '303', '304', '305' and 7 more.\n"
    )


def test_report(cli, of_runs, tmp_path):
    options = ["--output", tmp_path / "page.html", "--reference", "map", "--resamples", 99, "--seed", 1]
    ran = cli("report", *of_runs.options, *options)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.endswith("page.html\n")
    assert (tmp_path / "page.html").read_text() == rc.report(
        of_runs.scores, reference="AP", n_resamples=99, rng=1
    ).to_html()
    refused = cli("report", *of_runs.options, "--output", tmp_path / "no" / "page.html")
    why = f"{tmp_path / 'no' / 'page.html'}: --output cannot be written: there is no such folder"
    assert (refused.status, refused.err) == (1, f"pt-rankcorr: error: {why}\n")


@pytest.mark.whole
def test_a_report_is_opened_and_takes_its_form_from_the_ending(cli, of_runs, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert cli("report", *of_runs.options, "--output", tmp_path / "a.tex", "--resamples", 99, "--open").status == 0
    assert opened == [(tmp_path / "a.tex").as_uri()]
    assert "\\section" in (tmp_path / "a.tex").read_text()
    refused = cli("report", *of_runs.options, "--output", tmp_path / "a.pdf")
    assert refused.status == 1
    assert "--output must end in" in refused.err


def test_nothing_is_told_before_files_are_found(cli, folder, tmp_path):
    runs, none = ["--runs", folder / "runs", "--measures", "AP"], tmp_path / "none"
    for command in (
        ["judgments", *runs, "--qrels", folder / "qrels", "--against", none],
        ["curve", *runs, "--qrels", none, "--depths", 1],
        ["leaderboards", "--reference", none, "--judges", none],
        ["report", *runs, "--qrels", folder / "qrels", "--against", none, "--output", tmp_path / "page.html"],
    ):
        ran = cli(*command)
        assert ran.status == 1
        assert [line for line in ran.err.splitlines() if "topics" not in line] == [
            f"pt-rankcorr: error: {none}: No such file or directory"
        ]


@pytest.mark.parametrize("command", ["drank", "judgments", "judgments --d-rank"])
def test_without_a_seed_it_is_told(command, cli, folder):
    name, *more = command.split()
    more += ["--against", folder / "far.qrels", folder / "near.qrels", "--test", "t"] if name == "judgments" else []
    options = [name, *runs_of(folder, "AP", "P@5"), *more, "--resamples", 99]
    first = cli(*options)
    (told,) = [line for line in first.err.splitlines() if "--seed" in line]
    assert cli(*options, "--seed", told.split("--seed ")[1].split()[0]).out == first.out


def test_labels_of_judges_without_runs(cli, folder, tmp_path):
    files = [folder / "near.qrels", folder / "far.qrels"]
    picture = tmp_path / "labels.png"
    ran = cli("labels", "--qrels", folder / "qrels", "--against", *files, "--plot", picture, "--format", "jsonl")
    found = rc.judgments.compare_labels(folder / "qrels", files)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    check(rows, [{**row, "level": found.level} for row in found.to_frame().to_dict("records")])
    assert picture.stat().st_size > 0
    assert "intervals over topics (jackknife)" in ran.err
    halved = cli("labels", "--qrels", folder / "qrels", "--against", files[0], "--level", 0.5, "--quiet")
    assert halved.out.startswith("judge")


@pytest.fixture(scope="module")
def scores(folder):
    return rc.scores_from_runs(folder / "runs", folder / "qrels", MEASURES, verbose=False)


@pytest.fixture
def run(cli, folder):
    """The lines of a command for these runs and measures."""

    def run(command, *options, measures=MEASURES):
        return lines(cli(command, *runs_of(folder, *measures), *QUICK, *options))

    return run


def test_rankings_in_files(run, scores, tmp_path):
    systems = scores.systems
    (tmp_path / "names").write_text("\n".join(systems) + "\n")
    (tmp_path / "scores").write_text("".join(f"{name}\t{at / 10}\n" for at, name in enumerate(systems)))
    found = run("drank", "--ranking", tmp_path / "names", tmp_path / "scores", measures=["AP"])
    assert [line["ranking"] for line in found] == ["names", "scores"]
    for line, values in zip(found, ([-float(at) for at in range(6)], [float(at) for at in range(6)]), strict=True):
        ranking = dict(zip(systems, values, strict=True))
        expected = rc.d_rank(scores["AP"], ranking, n_resamples=99, rng=1)
        assert (line["d_rank"], line["pvalue"]) == tuple(expected)
        assert line["tau"] == rc.kendall_tau(scores["AP"], ranking)


def test_files_of_one_name_are_told_apart(run, scores, tmp_path):
    paths = [tmp_path / folder / "names" for folder in ("first", "second")]
    for path, systems in zip(paths, (scores.systems, scores.systems[::-1]), strict=True):
        path.parent.mkdir()
        path.write_text("\n".join(systems))
    found = run("drank", "--ranking", *paths, measures=["AP"])
    assert [line["ranking"] for line in found] == [str(path) for path in paths]
    assert found[0]["tau"] == -found[1]["tau"]


def test_rankings_of_other_systems(cli, folder, scores, tmp_path):
    (tmp_path / "fewer").write_text("\n".join(["unknown", *scores.systems[1:]]))
    given = ["drank", *runs_of(folder, "AP"), "--resamples", 99]
    given += ["--seed", 1, "--format", "jsonl", "--ranking", tmp_path / "fewer"]
    refused = cli(*given)
    assert (refused.status, refused.out) == (1, "")
    assert "--ranking must rank the same systems as the scores, got differences in" in refused.err
    assert "--only-shared-runs leaves these out" in refused.err
    ran = cli(*given, "--only-shared-runs")
    ranking = dict(read_ranking(str(tmp_path / "fewer")))
    expected = rc.d_rank(scores["AP"], ranking, n_resamples=99, rng=1, missing="skip")
    line = json.loads(ran.out)
    assert (line["d_rank"], line["pvalue"], line["n_systems"]) == (*expected, 5)
    assert line["tau"] == rc.kendall_tau(scores["AP"], ranking, missing="skip")
    assert "Systems that only one of --reference and --ranking has are left out: " in ran.err
    (tmp_path / "fewer").write_text(f"x\n{scores.systems[0]}\n")
    refused = cli(*given, "--only-shared-runs")
    assert "--ranking must share at least 2 systems with --reference, got 1." in refused.err

    (tmp_path / "fewer").write_text("x 1\nx 2\n")
    assert "must have each system once, got 'x' twice" in cli(*given).err


def test_means_of_ranks_are_as_measured_where_lower_is_better(cli, tmp_path):
    table = tmp_path / "errors.csv"
    table.write_text("qid,a,b,c\nt1,.1,.5,.9\nt2,.2,.4,.8\nt3,.1,.6,.9\nt4,.3,.5,.7\nt5,.2,.4,.6\n")
    rows = lines(cli("ranks", "--scores", table, "--lower-is-better", "errors", *QUICK))
    assert [(row["system"], round(row["mean"], 2)) for row in rows] == [("a", 0.18), ("b", 0.48), ("c", 0.78)]
