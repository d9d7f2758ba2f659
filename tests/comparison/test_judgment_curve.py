import math

import numpy as np
import pytest
from ir_measures import AP, Bpref, nDCG

from pt_rankcorr import judgment_curve, scores_from_runs
from pt_rankcorr.comparison import judgment_curve as module
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.judgments import pool, sample_judgments
from pt_rankcorr.warnings import DegenerateInputWarning
from tests import fixtures
from tests.comparison.definitions import check_row

QRELS = fixtures.qrels()
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}
QUICK = {"n_resamples": 99, "rng": 1}


@pytest.fixture(scope="module")
def shares():
    return judgment_curve(RUNS, QRELS, [AP, nDCG], shares=[0.5, 0, 1], repetitions=4, **QUICK)


@pytest.fixture(scope="module")
def depths():
    return judgment_curve(RUNS, QRELS, [AP, nDCG], depths=[1, 5, 30], **QUICK)


def test_points_of_pools_are_what_the_statistics_say(depths):
    truth = scores_from_runs(RUNS, QRELS, [AP, nDCG])
    for point in depths:
        judged = pool(RUNS, QRELS, point.key["depth"])
        check_row(point, truth[point.measure], scores_from_runs(RUNS, judged, [AP, nDCG])[point.measure])
        assert point.details["n_judgments"] == len(judged)
        assert point.details["n_relevant"] == (judged["label"] > 0).sum()
        assert point.details["n_topics_relevant"] == judged.loc[judged["label"] > 0, "qid"].nunique()
    assert [point.key["depth"] for point in depths.rows] == [1, 1, 5, 5, 30, 30]


def test_points_of_shares_are_of_nested_samples(shares):
    frame = shares.to_frame()
    assert len(frame) == 3 * 4 * 2
    sizes = frame.groupby("share")["n_judgments"].unique()
    assert [list(each) for each in sizes] == [[len(sample_judgments(QRELS, share, 1))] for share in (0, 0.5, 1)]
    assert (frame.loc[frame["share"] == 1, "tau"] == 1.0).all()
    assert (frame.loc[frame["share"] == 1, "d_rank"] == 0.0).all()
    assert frame.loc[frame["share"] == 0, "tau"].nunique() > 1


def test_bands(shares, depths):
    band = shares.band(AP)
    taus = shares.to_frame().query("measure == 'AP' and share == 0.5")["tau"]
    assert band.x.tolist() == [0.0, 0.5, 1.0]
    assert band.middle[1] == np.median(taus)
    assert band.low[1] == pytest.approx(np.quantile(taus, 0.5 - LEVEL / 2))
    assert band.high[1] == pytest.approx(np.quantile(taus, 0.5 + LEVEL / 2))
    first = depths.rows[0]
    tau = first.correlations["tau"]
    assert (depths.band("AP").low[0], depths.band("AP").high[0]) == (tau.low, tau.high)
    assert first.sentence().startswith("All judgments and those of depth ")
    assert (depths.band("AP", "d_rank").low == depths.band("AP", "d_rank").middle).all()
    with pytest.raises(ValueError, match="`statistic`"):
        shares.band(AP, "rho")


@pytest.mark.parametrize(
    ("reached", "expected"),
    [([0, 1, 1], 2.0), ([1, 1, 1], 1.0), ([1, 0, 1], 3.0), ([1, 1, 0], math.nan), ([0, 0, 0], math.nan)],
)
def test_from_which_on(reached, expected):
    found = module._from_which_on(np.array([1.0, 2.0, 3.0]), np.array(reached, dtype=bool))
    assert found == pytest.approx(expected, nan_ok=True)


def test_where_rankings_become_indistinguishable(depths):
    pvalues = depths.band("AP", "d_rank_pvalue").middle
    from_where = depths.indistinguishable_from("AP")
    assert (pvalues[depths.band("AP").x >= from_where] > 0.05).all()
    assert depths.reaches("AP", 1.0) == 1  # these systems are far apart
    assert math.isnan(depths.reaches("AP", 1.1))


def test_depth_0_and_topics_that_lose_everything_say_nothing():
    with pytest.warns(DegenerateInputWarning, match="in 'depth 0, measure AP', 'depth 0, measure Bpref': the"):
        curve = judgment_curve(RUNS, QRELS, [AP, Bpref], depths=[0, 10], **QUICK)
    nothing = curve.rows[0]
    assert (nothing.details["n_judgments"], nothing.details["n_topics_judged"]) == (0, 0)
    said = nothing.to_dict()
    assert all(math.isnan(said[name]) for name in ("tau", "tau_ap", "d_rank", "d_rank pvalue", "tau low"))
    sparse = QRELS[(QRELS["qid"] != "q1") | (QRELS["label"] == 0)]  # q1 has no relevant document to begin with
    assert judgment_curve(RUNS, sparse, [AP], depths=[30], **QUICK).rows[0].details["n_topics_relevant"] == 11


def test_a_topic_that_loses_its_judgments_ties_all_systems():
    qrels = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1}, "3": {"d1": 1, "d2": 0}}
    first = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"x": 2.0, "d3": 1.0}, "3": {"d1": 2.0, "d2": 1.0}}
    second = {"1": {"d2": 2.0, "d1": 1.0}, "2": {"x": 2.0, "d3": 1.0}, "3": {"d2": 2.0, "d1": 1.0}}
    curve = judgment_curve({"a": first, "b": second}, qrels, [AP], depths=[1], **QUICK)
    assert curve.rows[0].details["n_topics_judged"] == 2
    assert curve.reference.topics == ("1", "2", "3")
    assert curve.rows[0].tau == 1.0


@pytest.mark.parametrize(("name", "size"), [("JUDGMENTS_AT_ONCE", 2 * len(QRELS)), ("SUBSETS_AT_ONCE", 1)])
def test_the_curve_does_not_depend_on_how_many_subsets_are_scored_together(name, size, monkeypatch):
    curve = judgment_curve(RUNS, QRELS, [AP], depths=[1, 5, 30], **QUICK)
    monkeypatch.setattr(f"pt_rankcorr.comparison.judgment_curve.{name}", size)
    again = judgment_curve(RUNS, QRELS, [AP], depths=[1, 5, 30], **QUICK)
    assert curve.to_frame().equals(again.to_frame())
