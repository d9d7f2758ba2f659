"""The coefficients of `autojudge-evaluate`, whose files are loaded as its package asks for data, are ours."""

import importlib.util
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr import ScoreMatrix, Scores, compare_leaderboards, tau_gap

RUNS = [f"run{number:02d}" for number in range(15)]
TOPICS = [f"t{number}" for number in range(20)]
TOP = 10


def theirs(name):
    package = importlib.util.find_spec("autojudge_evaluate")
    if package is None or not package.submodule_search_locations:
        pytest.skip("autojudge-evaluate is not installed")
    return runpy.run_path(str(Path(package.submodule_search_locations[0]) / f"{name}.py"))


def scores(seed, *, graded):
    """Of a judge; grades make ties between means."""
    truth, random = np.random.default_rng(0), np.random.default_rng(seed)
    base = np.linspace(0, 1, len(RUNS)) + truth.standard_normal((len(TOPICS), len(RUNS)))
    values = base + 0.5 * random.standard_normal(base.shape)
    return np.clip(np.round(values), -1, 2) if graded else values


@pytest.mark.parametrize("graded", [False, True])
def test_their_numbers(graded):
    tauap_b = theirs("pyircore")["tauap_b"]
    values = [scores(seed, graded=graded) for seed in (1, 2)]
    boards = [Scores([ScoreMatrix(each, TOPICS, RUNS, "GRADE")]) for each in values]
    result = compare_leaderboards(boards[0], {"judge": boards[1]}, n_resamples=0, test=None, top=TOP, rng=1)
    truth, judge = (each.mean(axis=0) for each in values)
    best = sorted(range(len(RUNS)), key=lambda at: -truth[at])[:TOP]
    for chosen, suffix in ((list(range(len(RUNS))), ""), (best, f"@{TOP}")):
        frame = pd.DataFrame({"truth": truth[chosen], "judge": judge[chosen]})
        for name, method in (("tau b", "kendall"), ("spearman", "spearman"), ("pearson", "pearson")):
            expected = float(frame.corr(method).iloc[0, 1])
            exact = 1e-11 if name == "pearson" else 1e-12  # our means are rounded to twelve digits
            assert result.rows[0].to_dict()[f"{name}{suffix}"] == pytest.approx(expected, abs=exact)
        expected = tauap_b(frame["truth"].to_numpy(), frame["judge"].to_numpy())
        assert result.rows[0].to_dict()[f"tau_ap b{suffix}"] == pytest.approx(expected, abs=1e-12)
    if not graded:
        expected = theirs("tau_gap")["tau_gap"](truth.tolist(), judge.tolist())
        assert result.rows[0].coefficients["tau_gap"] == pytest.approx(expected, abs=1e-12)


def test_their_tau_gap_breaks_ties_of_the_judge_by_position_and_ours_is_the_mean():
    their_tau_gap = theirs("tau_gap")["tau_gap"]
    truth, judge = [4.0, 3.0, 1.0], [1.0, 1.0, 0.0]  # the judge ties the first two
    as_given, turned = their_tau_gap(truth, judge), their_tau_gap([3.0, 4.0, 1.0], judge)
    assert as_given == 1.0 > turned
    assert tau_gap(truth, judge) == pytest.approx((as_given + turned) / 2, abs=1e-12)
