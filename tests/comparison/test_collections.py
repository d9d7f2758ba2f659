"""Judges over several collections, of which each counts equally."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP
from scipy.stats import t as students_t

from pt_rankcorr import compare_leaderboards, correlation_interval
from pt_rankcorr.comparison.compare_judgments import compare_sets
from pt_rankcorr.comparison.engine import Engine
from pt_rankcorr.comparison.judges_by_collection import ALL, JudgesByCollection
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.warnings import FailedJudgesWarning
from tests.comparison.test_compare_judgments import QRELS, RUNS, judge
from tests.comparison.test_compare_leaderboards import QUICK, REFERENCE, leaderboard

JUDGES = {"good": leaderboard(0.1, 3), "poor": leaderboard(0.9, 4), "other": leaderboard(0.5, 5)}
SMALL = {"topics": REFERENCE.topics[:10], "systems": REFERENCE.systems[:6]}
HERE = {name: JUDGES[name].select(**SMALL) for name in ("poor", "good")}
REFERENCES = {"large": REFERENCE, "small": REFERENCE.select(**SMALL)}


@pytest.fixture(scope="module")
def result():
    found = compare_leaderboards(REFERENCES, {"large": JUDGES, "small": HERE}, **QUICK)
    assert isinstance(found, JudgesByCollection)
    return found


def test_rows_of_a_collection_are_those_of_it_alone(result):
    for name, judges in (("large", JUDGES), ("small", HERE)):
        alone = compare_leaderboards(REFERENCES[name], judges, **QUICK)
        assert result.collections[name].rows == alone.rows
        rows = pd.DataFrame([row.to_dict() for row in result if row.key["collection"] == name])
        pd.testing.assert_frame_equal(rows, pd.DataFrame([{"collection": name, **row.to_dict()} for row in alone]))


def test_the_order_of_judges_is_that_of_the_first_collection(result):
    turned = compare_leaderboards(REFERENCES, {"large": dict(reversed(JUDGES.items())), "small": HERE}, **QUICK)
    assert [row.judge for row in turned][:2] == ["poor", "good"]
    assert turned.rows[1::-1] == result.rows[:2]


def test_rows_of_all_are_means_with_welch_s_degrees_of_freedom(result):
    rows = [row for row in result if row.key["collection"] == ALL]
    assert [row.judge for row in rows] == ["good", "poor"]
    assert "Not in all collections: 'other'." in str(result)
    for row in rows:
        of_both = [
            correlation_interval(REFERENCES[name]["nDCG"], judges[row.judge]["nDCG"], n_resamples=99, rng=1)
            for name, judges in (("large", JUDGES), ("small", HERE))
        ]
        assert row.tau == pytest.approx(np.mean([found.statistic for found in of_both]))
        squares = np.array([found.standard_error**2 for found in of_both])
        error, df = np.sqrt(squares.sum()) / 2, squares.sum() ** 2 / (squares**2 / [11, 9]).sum()
        low, high = np.clip(students_t.interval(LEVEL, df, row.tau, error), -1.0, 1.0)
        mean = row.correlations["tau"]
        cap = mean.one_true_ranking.cap(row.tau, LEVEL)
        assert (mean.low, mean.high) == pytest.approx((low, min(high, cap)))
        assert (mean.standard_error, mean.df) == pytest.approx((error, df))
        assert row.n_topics == len(REFERENCE.topics) + 10
        assert np.isnan([row.d_rank, row.d_rank_pvalue]).all()


def test_one_true_ranking_in_each_collection_is_the_mean_of_independent_replicates(result):
    row = next(row for row in result if row.key["collection"] == ALL)
    both = [
        correlation_interval(REFERENCES[name]["nDCG"], judges[row.judge]["nDCG"], n_resamples=99, rng=1)
        for name, judges in (("small", HERE), ("large", JUDGES))
    ]
    found, nulls = row.correlations["tau"].one_true_ranking, [one.one_true_ranking for one in both]
    n_drawn = min(null.replicates.size for null in nulls)
    assert found.mean == pytest.approx(np.mean([null.replicates[:n_drawn].mean() for null in nulls]))
    variances = [null.replicates[:n_drawn].var() for null in nulls]
    # of independent collections: the variance of a mean of two is a quarter of the sum
    assert found.replicates.std() == pytest.approx(np.sqrt(sum(variances)) / 2, rel=0.3)
    below = (found.replicates <= row.tau + 1e-12).sum()
    assert found.pvalue == row.pvalue == (below + 1) / (n_drawn + 1)


def test_judges_are_ranked_by_all_collections(result):
    with pytest.warns(FailedJudgesWarning, match="that a collection lacks are left out: 'other'"):
        ranking = result.judges()
    assert ranking.judges == ("good", "poor")
    for at, name in enumerate(ranking.judges):
        row = result.row(ALL, name)
        assert row.tau == ranking.correlations[at].statistic
        assert row.correlations["tau"] == ranking.correlations[at]
    df = result.row(ALL, "good").correlations["tau"].df
    assert 9 < df < 20
    assert "22 topics in 2 collections, of which each counts equally" in str(ranking)


def test_judgments_of_several_collections():
    topics = sorted(set(QRELS["qid"]))
    half = QRELS[QRELS["qid"].isin(topics[:11])]
    others = {"good": judge(0.1, 1), "poor": judge(0.9, 2)}
    rows = []
    given = {"all": RUNS, "half": RUNS}, {"all": QRELS, "half": half}, {"all": others, "half": others}
    result = compare_sets(*given, [AP], Engine(Settings(n_resamples=99, seed=1), on_row=rows.append))
    both = [(name, who) for name in ("all", "half") for who in ("good", "poor")]
    assert [row.judge for row in rows] == [who for _, who in both]
    frame = result.to_frame()
    assert (np.isnan(frame["kappa"]) == (frame["collection"] == ALL)).all()
    assert result.row("half", "good").details["kappa"] == result.collections["half"].row("good").details["kappa"]


def test_what_is_no_mapping_of_the_same_collections():
    with pytest.raises(ValueError, match="`judges`"):
        compare_leaderboards(REFERENCES, JUDGES, **QUICK)
    with pytest.raises(ValueError, match="`reference`"):
        compare_leaderboards({ALL: REFERENCE}, {ALL: JUDGES}, **QUICK)
