"""The scripts for the five papers run on the synthetic collection, and what must hold on any data holds."""

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc

pytestmark = pytest.mark.whole

FOLDER = Path(__file__).parents[2] / "examples" / "papers"
SCRIPTS = ("carterette2009", "gao2015", "sakai2006", "urbano2016", "yilmaz2008")
MODULES = ("committed", "common", "page", *SCRIPTS)

# What does not depend on the data, or holds on these by a wide margin.
CLAIMS = {
    "carterette2009": [
        *("figure 1", "section 3.1, table, scores made to fit", "section 3.1, scores made to fit"),
        *("figure 3", "figure 4(b)", "theorem 1", "theorem 2"),
    ],
    "gao2015": ["figure 4", "figure 5", "figure 6", "theorem 1", "theorem 3", "theorem 4"],
    "sakai2006": ["figures 1, 2, 5", "figures 3, 4, 6", "figure 9", "figure 11"],
    "urbano2016": ["figure 2"],
    "yilmaz2008": ["figure 1", "figure 3", "figure 4, section 4", "figure 6", "section 1", "section 3", "theorem 2"],
}
PICTURES = {"carterette2009": 4, "gao2015": 6, "sakai2006": 5, "urbano2016": 2, "yilmaz2008": 7}


@pytest.fixture
def script(monkeypatch):
    """Loads a script of the folder as Python does that runs it: what it imports is beside it."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module
    for name in MODULES:
        sys.modules.pop(name, None)


def tables(folder):
    return {path.name: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs_and_what_must_hold_holds(script, tmp_path, name):
    folder = tmp_path / name
    results = script(name).main(["--quick", "--output", str(folder)])
    for where in CLAIMS[name]:
        held = results.agrees(where)
        assert held, where
        assert any(held) if name == "urbano2016" else all(held), where
    assert len(list(folder.glob("*.png"))) == PICTURES[name]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert f"Made by `{name}.py`" in readme
    assert all(f"({path.name})" in readme for path in folder.glob("*.png"))
    assert all(table.notna().any(axis=None) for table in tables(folder).values())


def test_the_committed_results_are_whole_and_small():
    files = [path for path in (FOLDER / "results").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    for name in SCRIPTS:
        folder = FOLDER / "results" / name
        assert len(list(folder.glob("*.png"))) >= PICTURES[name]
        readme = (folder / "README.md").read_text(encoding="utf-8")
        assert "--quick" not in readme
        for row in tables(folder)["claims.csv"].itertuples():
            assert row.paper.replace("|", "\\|") in readme
            assert row.agrees == "yes" or row.agrees.startswith("no")


NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
# the tables that a script with score tables makes otherwise without these
OF_SCORE_TABLES = {"carterette2009": {"figure_1.csv", "figure_3.csv", "rerankings.csv"}, "sakai2006": {"table_1.csv"}}


@pytest.mark.parametrize("name", ["carterette2009", "gao2015", "sakai2006", "yilmaz2008"])
@pytest.mark.filterwarnings("default")  # of systems that are close, and of tests as published
def test_a_rerun_gives_the_committed_numbers(script, tmp_path, data, name):
    script(name).main(script("committed").command_of(name, data / "trec", tmp_path))
    committed, found = tables(FOLDER / "results" / name), tables(tmp_path)
    assert {*committed} == {*found}
    assert said_of(tmp_path) == said_of(FOLDER / "results" / name)
    for table in {*committed} - {"claims.csv"}:
        assert_same(found[table], committed[table], table)
    for wanted, claim in zip(committed["claims.csv"].itertuples(), found["claims.csv"].itertuples(), strict=True):
        assert [NUMBER.sub("#", text) for text in wanted[1:]] == [NUMBER.sub("#", text) for text in claim[1:]]
        for theirs, ours in zip(wanted[1:], claim[1:], strict=True):
            numbers = [[float(number) for number in NUMBER.findall(text)] for text in (ours, theirs)]
            np.testing.assert_allclose(*numbers, rtol=0.01, atol=0.011, err_msg=wanted.where)


@pytest.mark.parametrize("name", ["carterette2009", "sakai2006", "yilmaz2008"])
@pytest.mark.filterwarnings("default")
def test_a_rerun_without_score_tables_gives_those_of_the_synthetic_collection(script, tmp_path, name, request):
    try:
        request.getfixturevalue("data")
    except pytest.skip.Exception:
        pass
    else:
        pytest.skip("there are score tables, with which all numbers are compared")
    script(name).main(script("committed").command_of(name, None, tmp_path))
    committed, found = tables(FOLDER / "results" / name), tables(tmp_path)
    for table in {*found} - {"claims.csv"} - OF_SCORE_TABLES.get(name, set()):
        assert_same(found[table], committed[table], table)


def said_of(folder):
    """What the README of results says of script and data."""
    return (folder / "README.md").read_text(encoding="utf-8").splitlines()[2]


def assert_same(found, committed, table):
    """Numbers of six digits; p-values are shares of resamples, of which few may lie at the other side of a rounding."""
    assert [*found.columns] == [*committed.columns], table
    for column in committed:
        if committed[column].dtype.kind == "f" and found[column].dtype.kind in "fi":
            about = 0.005 if {"p-value", "pvalue", "ASL"} & {*re.split(r"[,_ ]+", column)} else 1e-9
            wanted = committed[column].to_numpy()
            np.testing.assert_allclose(found[column], wanted, rtol=1e-4, atol=about, err_msg=f"{table}: {column}")
        else:
            assert found[column].tolist() == committed[column].tolist(), f"{table}: {column}"


@pytest.mark.filterwarnings("default")
def test_some_trials_are_as_the_thousand_committed_ones(script, tmp_path, data):
    """Of the study that takes hours: the first four trials of two sizes, in each cell within five standard errors."""
    script("urbano2016").main(["--quick", *script("committed").command_of("urbano2016", data / "trec", tmp_path)])
    keys = ["collection", "coefficient", "estimator", "n_topics"]
    few, all_of = (tables(folder)["error_and_bias.csv"] for folder in (tmp_path, FOLDER / "results" / "urbano2016"))
    both = few.merge(all_of, on=keys, suffixes=("", " committed"))
    assert len(both) == len(few) == 2 * 2 * 7 * 2
    for column in ("error", "bias"):
        deviation = both[f"{column} se committed"] * np.sqrt(both["trials committed"] / both["trials"])
        assert ((both[column] - both[f"{column} committed"]).abs() < 5 * deviation).all(), column


def test_the_claims_about_the_thousand_trials_follow_from_their_tables(script):
    found = tables(FOLDER / "results" / "urbano2016")
    of_cells, beside = found["error_and_bias.csv"], found["beside_published.csv"]
    keys = ["collection", "coefficient", "estimator", "n_topics"]
    both = beside.merge(of_cells, on=keys, suffixes=("", " again"))
    assert len(both) == len(beside) == 240
    assert all((both[column] == both[f"{column} again"]).all() for column in ("error", "bias", "trials"))
    claims = []

    class Recorder:
        @staticmethod
        def claim(where, paper, here, agrees, why=""):
            claims.append((where, paper, here, bool(agrees)))

    script("urbano2016").judge(Recorder, of_cells)
    script("urbano2016").judge_cells(Recorder, beside)
    rows = found["claims.csv"].itertuples(index=False)
    assert claims == [(row.where, row.paper, row.here, row.agrees == "yes") for row in rows]


def test_the_page_is_made_from_them(script):
    made = script("page")
    assert made.page() == made.PAGE.read_text(encoding="utf-8"), "python examples/papers/page.py"


def test_every_item_has_a_call_that_exists(script):
    made = script("page")
    rows = made.read(made.ITEMS)
    assert {row["paper"] for row in rows} == {*SCRIPTS}
    for row in rows:
        for call in row["call"].split("; "):
            name, _, arguments = call.partition("(")
            first, *others = name.split(".")
            found = script(first) if first in SCRIPTS else getattr(rc, first)
            for other in others:
                found = getattr(found, other)
            assert callable(found), call
            values = ast.parse(f"_({arguments}" if arguments else "_()", mode="eval").body.keywords
            known = inspect.signature(found).parameters
            assert {value.arg for value in values} <= {*known} or "options" in known, call


def test_the_page_of_swaps_says_what_came_out():
    page = (FOLDER.parents[1] / "pt_rankcorr" / "pt_docs" / "bootstrap.rst").read_text(encoding="utf-8")
    counted = pd.read_csv(FOLDER / "results" / "sakai2006" / "swaps_of_significant_pairs.csv").sum()
    shares = [counted[f"swapped, {pairs}"] / counted[f"comparisons, {pairs}"] for pairs in ("all", "significant")]
    every, significant = (f"{share:.1%}" for share in shares)
    assert f"reverse {every} of all comparisons by AP, and {significant} of those of significant pairs" in page


def test_the_page_escapes_what_has_a_meaning(script):
    assert script("page").escaped("tau_AP of P@10 *|a`") == r"tau\_AP of P\@10 \*\|a\`"


def test_score_tables_take_the_place_of_the_collection(script, tmp_path):
    scores = pd.DataFrame(np.random.default_rng(0).random((12, 20)) + np.linspace(0, 1, 20))
    scores.columns = [f"s{column}" for column in scores.columns]
    scores.to_csv(tmp_path / "mine.csv", index=False)
    script("gao2015").main(["--quick", "--data", str(tmp_path / "mine.csv"), "--output", str(tmp_path / "out")])
    assert "Data: mine.csv." in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_runs_need_judgments(script, tmp_path):
    with pytest.raises(SystemExit, match="runs and --qrels go together"):
        script("gao2015").main(["--data", "runs/", "--output", str(tmp_path)])


def test_a_study_goes_on_where_it_was_interrupted(script, tmp_path):
    main, arguments = script("urbano2016").main, ["--quick", "--output", str(tmp_path)]
    main([*arguments, "--trials", "2"])
    whole = (tmp_path / "trials.jsonl").read_text()
    table = tables(tmp_path)["error_and_bias.csv"]
    (tmp_path / "trials.jsonl").write_text(whole[: len(whole) // 2])  # in the middle of a line
    main([*arguments, "--trials", "2"])
    again = (tmp_path / "trials.jsonl").read_text()
    assert set(again.splitlines()) == set(whole.splitlines())
    pd.testing.assert_frame_equal(tables(tmp_path)["error_and_bias.csv"], table)


def test_rankings_with_even_errors(script):
    module, reference = script("yilmaz2008"), np.arange(12.0, 0.0, -1.0)
    assert module.scores_of(np.array([0, 1, 0])).tolist() == [2.0, 3.0, 1.0]
    rankings = rc.stats.Rankings(module.with_even_errors(12, 2 / 3, 2000, 1))
    assert rc.kendall_tau(reference, rankings) == pytest.approx(np.full(2000, 2 / 3))
    assert np.mean(rc.tau_ap(reference, rankings)) == pytest.approx(2 / 3, abs=0.02)


@pytest.fixture
def runs(trec, script):
    """The script; the means of the 61 runs of TREC 5, the pairs of them, and which pairs differ significantly."""
    module, scores = script("gao2015"), trec("adhoc5_ap")
    truth = scores.mean(axis=0)
    assert truth.size == 61
    return module, truth, np.column_stack(np.triu_indices(truth.size, k=1)), module.significant_pairs(scores)


def test_share_of_significant_pairs(runs):
    assert runs[3].mean() == pytest.approx(0.63, abs=0.015)  # figure 1


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_swaps_far_apart_cost_tau_gap_more_and_close_by_less(runs, seed, as_printed):
    module, truth, pairs, significant = runs
    rng = np.random.default_rng(seed)
    tau, head, gap = module.correlations(truth, pairs[significant], rng, as_printed=as_printed).mean(axis=1)
    assert gap < head < tau
    _, head, gap = module.correlations(truth, pairs[~significant], rng, as_printed=as_printed).mean(axis=1)
    assert gap > head


def test_figures_of_the_paper(runs):
    module, truth, pairs, significant = runs
    rng, draws = np.random.default_rng(1), 500
    for chosen, printed in ((significant, (0.70, 0.68, 0.65)), (~significant, (None, 0.92, 0.97))):
        coefficients = module.correlations(truth, pairs[chosen], rng, draws, as_printed=True)
        errors = coefficients.std(axis=1) * np.sqrt(1 / draws + 1 / 50)  # the paper's are means of 50 draws
        for mean, error, figure in zip(coefficients.mean(axis=1), errors, printed, strict=True):
            assert figure is None or abs(mean - figure) < 3 * error + 0.005  # of rounding


def test_disjoint_pairs_are_of_different_systems(script):
    module, pairs = script("gao2015"), np.column_stack(np.triu_indices(12, k=1))
    for seed in range(20):
        assert np.unique(module.drawn(pairs, np.random.default_rng(seed), disjoint=True)).size == 10


def test_swaps_follow_each_other(script):
    assert script("gao2015").swapped(np.array([3.0, 2.0, 1.0]), np.array([[0, 1], [1, 2]])).tolist() == [2.0, 1.0, 3.0]
