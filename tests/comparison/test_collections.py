"""Judges over several collections, of which each counts equally."""

import numpy as np
import pytest
from ir_measures import AP
from scipy.stats import t as students_t

from pt_rankcorr import compare_judgments, compare_leaderboards, correlation_interval
from pt_rankcorr.comparison.several_collections import ALL, JudgesByCollection
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.warnings import FailedJudgesWarning
from tests.comparison.test_leaderboards import QUICK, REFERENCE, leaderboard
from tests.comparison.test_sets_of_judgments import QRELS, RUNS, judge

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
        assert [row.to_dict() for row in result if row.collection == name] == [
            {"collection": name, **row.to_dict()} for row in alone
        ]


def test_rows_of_all_are_means_with_welch_s_degrees_of_freedom(result):
    rows = [row for row in result if row.collection == ALL]
    assert [row.judge for row in rows] == ["good", "poor"]
    assert "Not in all collections: 'other'." in str(result)
    for row in rows:
        of_both = [
            correlation_interval(REFERENCES[name]["nDCG"], judges[row.judge]["nDCG"], n_resamples=99, rng=1)
            for name, judges in (("large", JUDGES), ("small", HERE))
        ]
        assert row.tau == pytest.approx(np.mean([found.statistic for found in of_both]))
        squares = np.array([found.standard_error**2 for found in of_both])
        error, freedom = np.sqrt(squares.sum()) / 2, squares.sum() ** 2 / (squares**2 / [11, 9]).sum()
        ends = np.clip(students_t.interval(LEVEL, freedom, row.tau, error), -1.0, 1.0)
        assert row.intervals["tau"] == pytest.approx((*ends, error, freedom))
        assert row.n_topics == len(REFERENCE.topics) + 10
        assert np.isnan([row.d_rank, row.d_rank_pvalue, row.pvalue, *row.kendall_interval()]).all()


def test_the_population_of_all_is_the_mean_of_independent_draws(result):
    row = next(row for row in result if row.collection == ALL)
    both = [
        correlation_interval(REFERENCES[name]["nDCG"], judges[row.judge]["nDCG"], rng=1).population.draws
        for name, judges in (("large", JUDGES), ("small", HERE))
    ]
    orders = [child.permutation(10_000) for child in np.random.default_rng(1).spawn(2)]
    draws = np.mean([own[order] for own, order in zip(both, orders, strict=True)], axis=0)
    found = row.population["tau"]
    expected = (np.median(draws), *np.quantile(draws, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2]))
    assert (found.estimate, found.low, found.high) == pytest.approx(expected)


def test_judges_are_ranked_by_all_collections(result):
    with pytest.warns(FailedJudgesWarning, match="that a collection lacks are left out: 'other'"):
        ranking = result.judges()
    assert ranking.judges == ("good", "poor")
    for at, name in enumerate(ranking.judges):
        row = result.row(ALL, name)
        assert row.tau == ranking.correlations[at]
        expected = (*ranking.intervals[at], ranking.standard_errors[at])
        assert row.intervals["tau"][:3] == pytest.approx(expected, rel=1e-14)
    freedom = result.row(ALL, "good").intervals["tau"].freedom
    assert 9 < freedom < 20
    assert "22 topics in 2 collections, of which each counts equally" in str(ranking)


def test_judgments_of_several_collections():
    topics = sorted(set(QRELS["qid"]))
    half = QRELS[QRELS["qid"].isin(topics[:11])]
    others = {"good": judge(0.1, 1), "poor": judge(0.9, 2)}
    rows = []
    how = {"n_resamples": 99, "rng": 1, "test": None}
    given = {"all": RUNS, "half": RUNS}, {"all": QRELS, "half": half}, {"all": others, "half": others}
    result = compare_judgments(*given, [AP], on_row=rows.append, **how)
    both = [(name, who) for name in ("all", "half") for who in ("good", "poor")]
    assert [(row.collection, row.judge) for row in rows] == both
    frame = result.to_frame()
    assert (np.isnan(frame["kappa"]) == (frame["collection"] == ALL)).all()
    assert result.row("half", "good").kappa == result.collections["half"].row("good").kappa


def test_what_is_no_mapping_of_the_same_collections():
    with pytest.raises(ValueError, match="`judges` must be a mapping from the collections 'large', 'small'"):
        compare_leaderboards(REFERENCES, JUDGES, **QUICK)
    with pytest.raises(ValueError, match="`reference` must not name a collection 'all collections'"):
        compare_leaderboards({ALL: REFERENCE}, {ALL: JUDGES}, **QUICK)
