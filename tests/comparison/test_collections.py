"""Judges over several collections, of which each counts equally."""

import numpy as np
import pytest
from ir_measures import AP

from pt_rankcorr import compare_judgments, compare_leaderboards, correlation_interval
from pt_rankcorr.comparison.leaderboards import ALL, JudgesByCollection
from pt_rankcorr.defaults import LEVEL
from tests.comparison.test_judged import QRELS, RUNS, judge
from tests.comparison.test_leaderboards import QUICK, REFERENCE, leaderboard

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


def test_rows_of_all_are_means_over_the_same_draws(result):
    rows = [row for row in result if row.collection == ALL]
    assert [row.judge for row in rows] == ["good", "poor"]
    assert "Not in all collections: 'other'." in str(result)
    children = np.random.default_rng(1).spawn(2)
    orders = [child.permutation(1000) for child in children]
    for row in rows:
        of_both = [
            correlation_interval(REFERENCES[name]["nDCG"], judges[row.judge]["nDCG"], rng=1)
            for name, judges in (("large", JUDGES), ("small", HERE))
        ]
        assert row.tau == pytest.approx(np.mean([found.statistic for found in of_both]))
        draws = np.mean([found.draws[order] for found, order in zip(of_both, orders, strict=True)], axis=0)
        assert row.estimates["tau"] == pytest.approx(
            (np.median(draws), *np.quantile(draws, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2]))
        )
        assert row.n_topics == len(REFERENCE.topics) + 10
        assert row.one_ranking is not None
        assert np.isnan([row.d_rank, row.pvalue, row.one_ranking, *row.kendall_interval()]).all()


def test_judges_are_ranked_by_all_collections(result):
    ranking = result.judges()
    assert ranking.judges == ("good", "poor")
    assert list(ranking.estimates) == [result.row(ALL, name).estimates["tau"].value for name in ranking.judges]
    assert "22 topics in 2 collections, of which each counts equally" in str(ranking)


def test_judgments_of_several_collections(tmp_path):
    topics = sorted(set(QRELS["qid"]))
    half = QRELS[QRELS["qid"].isin(topics[:11])]
    others = {"good": judge(0.1, 1), "poor": judge(0.9, 2)}
    rows = []
    how = {"n_resamples": 99, "rng": 1, "test": None, "resume": tmp_path / "file"}
    given = {"all": RUNS, "half": RUNS}, {"all": QRELS, "half": half}, {"all": others, "half": others}
    result = compare_judgments(*given, [AP], on_row=rows.append, **how)
    both = [(name, who) for name in ("all", "half") for who in ("good", "poor")]
    assert [(row.collection, row.judge) for row in rows] == both
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.1", "file.2"]
    frame = result.to_frame()
    assert (np.isnan(frame["kappa"]) == (frame["collection"] == ALL)).all()
    assert result.row("half", "good").kappa == result.collections["half"].row("good").kappa


def test_what_is_no_mapping_of_the_same_collections():
    with pytest.raises(ValueError, match="`judges` must be a mapping from the collections 'large', 'small'"):
        compare_leaderboards(REFERENCES, JUDGES, **QUICK)
    with pytest.raises(ValueError, match="`reference` must not name a collection 'all collections'"):
        compare_leaderboards({ALL: REFERENCE}, {ALL: JUDGES}, **QUICK)
