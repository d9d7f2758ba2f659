"""Clusters and strata of the topics of an experiment: averages, tests and components follow them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pt_rankcorr as rc
from tests import fixtures

CONVERSATIONS = [f"c{at // 2}" for at in range(fixtures.N_TOPICS)]
COLLECTIONS = ["a"] * 5 + ["b"] * 7
TOPICS = fixtures.topics()
MEASURES = ["AP", "P@5"]
OF_TOPIC = dict(zip(TOPICS["qid"], CONVERSATIONS, strict=True))
FEW = pytest.mark.filterwarnings("ignore:. topics are few:pt_rankcorr.warnings.UnreliableResultWarning")
STRATUM = dict(zip(TOPICS["qid"], COLLECTIONS, strict=True))


def run(columns=None, **arguments):
    topics = TOPICS.assign(**(columns or {}))
    return rc.Experiment(fixtures.systems(), topics, fixtures.qrels(), MEASURES, rng=1, **arguments)


@pytest.fixture(scope="module")
def scores():
    return rc.scores_from_experiment(run(perquery=True))


@FEW
def test_components_resample_clusters(scores):
    component = rc.ExpectedCorrelation("tau", estimator="ml") >> rc.RankInterval(n_resamples=99, method="pairwise")
    table = run({"cluster": CONVERSATIONS}, meta=component)
    clustered = scores.with_design(clusters=OF_TOPIC)
    for measure, matrix in clustered.items():
        expected = rc.expected_correlation(matrix, coefficient="tau", estimator="ml").value
        assert (table[f"{measure} E[tau] (ml)"] == expected).all()
    assert expected != rc.expected_correlation(scores["P@5"], coefficient="tau", estimator="ml").value
    pd.testing.assert_frame_equal(table[["name", *MEASURES]], run())  # means are those of the topics


def test_the_test_against_the_baseline_is_one_of_clusters(scores):
    table = run({"cluster": CONVERSATIONS}, baseline=0)
    rows = scores["AP"].with_design(clusters=OF_TOPIC).sample
    expected = [stats.ttest_rel(rows[:, at], rows[:, 0]).pvalue for at in range(1, 5)]
    assert table["AP p-value"].tolist()[1:] == pytest.approx(expected)
    pd.testing.assert_frame_equal(table.filter(regex="[+-]$"), run(baseline=0).filter(regex="[+-]$"))
    with pytest.raises(ValueError, match="`test` must be 't' or a function for topics in clusters or strata, got 'wil"):
        run({"cluster": CONVERSATIONS}, baseline=0, test="wilcoxon")


def test_averages_are_over_strata(scores):
    averages, frame = run({"stratum": COLLECTIONS}, perquery="both", meta=[rc.TauAP()])
    first, second = (scores["AP"].select(topics=TOPICS["qid"][part]) for part in (slice(5), slice(5, None)))
    assert averages["AP"].to_numpy() == pytest.approx((first.means + second.means) / 2)
    by_system = rc.by_system(frame)
    assert by_system["AP"].to_numpy() == pytest.approx(averages["AP"].to_numpy())
    assert list(by_system.columns) == ["name", *MEASURES]
    strata = scores.with_design(strata=STRATUM)
    assert (averages["P@5 tau_ap"] == rc.tau_ap(strata["AP"], strata["P@5"])).all()


@FEW
def test_frames_tell_of_the_design(scores):
    both = {"cluster": CONVERSATIONS, "stratum": COLLECTIONS}
    frame = run(both, perquery=True)
    assert list(frame.columns[-2:]) == ["cluster", "stratum"]
    expected = scores.with_design(clusters=OF_TOPIC, strata=STRATUM)
    assert rc.scores_from_experiment(frame) == expected
    component = rc.RankInterval(n_resamples=99, rng=3)
    together = run(both, perquery=True, meta=[component])
    pd.testing.assert_frame_equal(component(frame), together[component(frame).columns])
    frame.loc[frame.index[0], "cluster"] = "another"
    with pytest.raises(ValueError, match="`experiment` must have one cluster for each topic, got several for 'q1'"):
        rc.scores_from_experiment(frame)


def test_labels_are_checked_before_any_system_is_run():
    topics = TOPICS.assign(cluster=[None, *CONVERSATIONS[1:]])
    with pytest.raises((TypeError, ValueError), match="`clusters` must"):
        rc.Experiment([None, None], topics, fixtures.qrels(), MEASURES, names=["a", "b"])


def test_topics_without_judgments_need_no_partner():
    judged = fixtures.qrels().query("qid != 'q1'")
    with pytest.warns(rc.warnings.UnjudgedTopicsWarning):
        table = rc.Experiment(
            fixtures.systems(),
            TOPICS.assign(stratum=COLLECTIONS),
            judged,
            MEASURES,
            meta=[rc.RankInterval(n_resamples=20)],
        )
    assert np.isfinite(table["AP"]).all()
    assert np.isfinite(table["AP rank low"]).all()
