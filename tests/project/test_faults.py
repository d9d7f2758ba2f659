"""The cases of ../shared/data/faults: what once was wrong in silence, hung or was lost is right, or refused by name."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.cli import main
from pt_rankcorr.warnings import AggregateMismatchWarning, RoundedScoresWarning

FEW = ["--seed", "1", "--resamples", "50"]


@pytest.fixture
def fault(request, data, monkeypatch):
    """The folder of the case that a test is named after, where the test then is."""
    folder = data / "faults" / request.node.name.removeprefix("test_")
    if not folder.is_dir():
        pytest.skip(f"no case {folder.name}")
    monkeypatch.chdir(folder)
    return folder


def test_best_systems_hangs(fault):
    with pytest.raises(ValueError, match=r"of sizes from 1e-150 to 1e\+150, got 9.97"):
        rc.best_systems(np.random.default_rng(0).random((20, 5)) * 1e160, n_resamples=300, rng=1)


def test_bom_inside_a_file(fault):
    clean, marked = (rc.scores_from_runs(of, "q.qrels", ["AP"], verbose=False)["AP"] for of in ("clean", "runs"))
    pd.testing.assert_frame_equal(clean.to_frame(), marked.to_frame())


def test_closed_stderr(fault):
    command = [sys.executable, "-m", "pt_rankcorr", "compare", "--scores", "scores.csv", *FEW, "--format", "csv"]
    ran = subprocess.run(["sh", "-c", '"$@" 2>&-', "sh", *command], stdout=subprocess.PIPE, text=True, check=True)
    assert [line.split(",")[0] for line in ran.stdout.splitlines()] == ["reference", "AP", "RR"]


def test_columns_that_are_no_systems(fault):
    for read in (lambda: rc.read_scores("ap.csv")["ap"], lambda: rc.ScoreMatrix(pd.read_csv("ap.csv"))):
        with pytest.warns(AggregateMismatchWarning, match=r"'cluster', 'fold', 'num_rel'\. `keep` takes them"):
            assert read().ranking == ("e5", "dph", "bm25")


def test_groups_as_series(fault):
    random = np.random.default_rng(0)
    names, groups = list("abcdefgh"), list("uuvvwwzz")
    boards = [rc.Scores([rc.ScoreMatrix(random.random((20, 8)), range(20), names, "AP")]) for _ in range(2)]
    judged = rc.compare_leaderboards(boards[0], {"x": boards[1]}, n_resamples=30, rng=1)
    assert set(judged.bias(pd.Series(groups, names)).to_frame()["group"]) == {"u", "v", "w", "z"}
    with pytest.raises(TypeError, match="`groups` must map names to lists or patterns of runs, got DataFrame"):
        judged.bias(pd.DataFrame({"run": names, "group": groups}))


def test_measure_column_lost(fault):
    with pytest.raises(ValueError, match=r"got '0,301' in line 2, column 'nDCG'. It has a decimal comma"):
        rc.read_scores("scores.csv")


def test_percent_among_fractions(fault, capsys):
    assert main(["tau", "--scores", "lb.csv"]) == 1
    assert "must have scores of one scale in 'A', got '41%' in line 4, among fractions" in capsys.readouterr().err


def test_plot_replaces_other_files(fault, tmp_path, capsys):
    notes = tmp_path / "notes.png"
    notes.write_text("precious\n")
    assert main(["compare", "--scores", "scores.csv", *FEW, "--plot", str(notes)]) == 1
    assert "must be a new file or one that may be replaced" in capsys.readouterr().err
    assert notes.read_text() == "precious\n"


def test_population_reads_changed_array(fault):
    random = np.random.default_rng(0)
    first = random.random((30, 10)) + np.linspace(0, 0.5, 10)
    second = first + random.normal(0, 0.1, first.shape)
    right, result = (rc.correlation_interval(first, second, n_resamples=200, rng=1) for _ in range(2))
    expected = str(right), right.topics_for_width(0.1)
    first[:] = random.random(first.shape)
    assert (str(result), result.topics_for_width(0.1)) == expected


def test_sentinel_makes_ties(fault):
    with pytest.warns(RoundedScoresWarning, match="`reference` ties 's3' and 's2', whose scores differ"):
        rc.kendall_tau([-1e9, 0.28411, 0.28412, 0.28413, 0.28414], [0, 0.1, 0.2, 0.3, 0.4])


def test_stray_quotes_swallow_topics(fault):
    with pytest.raises(ValueError, match=r"'ap.tsv' must be .* with quotes in pairs, got .* begins in line 3\. Take"):
        rc.read_scores("ap.tsv")


def test_all_cases_are_tested(data):
    if not (data / "faults").is_dir():
        pytest.skip("no data")
    assert {case.name for case in (data / "faults").iterdir()} == {
        name.removeprefix("test_") for name in globals() if re.match("test_(?!all_cases)", name)
    }
