"""Clusters and strata of the topics of an experiment: averages, tests and components follow them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pt_rankcorr as rc
from tests import fixtures

CONVERSATIONS = [f"c{at // 2}" for at in range(fixtures.N_TOPICS)]
COLLECTIONS = ["a"] * 5 + ["b"] * 7
TOPICS = fixtures.topics().assign(conversation=CONVERSATIONS, collection=COLLECTIONS)
MEASURES = ["AP", "P@5"]
OF_TOPIC = dict(zip(TOPICS["qid"], CONVERSATIONS, strict=True))
FEW = pytest.mark.filterwarnings("ignore:. topics are few:pt_rankcorr.warnings.UnreliableResultWarning")
STRATUM = dict(zip(TOPICS["qid"], COLLECTIONS, strict=True))


def run(**arguments):
    return rc.Experiment(fixtures.systems(), TOPICS, fixtures.qrels(), MEASURES, rng=1, **arguments)


@pytest.fixture(scope="module")
def scores():
    return rc.scores_from_experiment(run(perquery=True))


FORMS = {
    "column": lambda: "conversation",
    "series": lambda: pd.Series(CONVERSATIONS, TOPICS["qid"]),
    "mapping": lambda: OF_TOPIC,
    "list": lambda: CONVERSATIONS,
}


@FEW
@pytest.mark.parametrize("form", FORMS)
def test_components_resample_clusters(form, scores):
    component = rc.ExpectedCorrelation("tau", estimator="ml") >> rc.RankInterval(n_resamples=99, method="pairwise")
    table = run(meta=component, clusters=FORMS[form]())
    clustered = scores.with_design(clusters=OF_TOPIC)
    for measure, matrix in clustered.items():
        expected = rc.expected_correlation(matrix, coefficient="tau", estimator="ml").value
        assert (table[f"{measure} E[tau] (ml)"] == expected).all()
    assert expected != rc.expected_correlation(scores["P@5"], coefficient="tau", estimator="ml").value
    pd.testing.assert_frame_equal(table[["name", *MEASURES]], run())  # means are those of the topics


def test_the_test_against_the_baseline_is_one_of_clusters(scores):
    table = run(baseline=0, clusters="conversation")
    rows = scores["AP"].with_design(clusters=OF_TOPIC).sample
    expected = [stats.ttest_rel(rows[:, at], rows[:, 0]).pvalue for at in range(1, 5)]
    assert table["AP p-value"].tolist()[1:] == pytest.approx(expected)
    pd.testing.assert_frame_equal(table.filter(regex="[+-]$"), run(baseline=0).filter(regex="[+-]$"))
    with pytest.raises(ValueError, match="`test` must be 't' or a function for topics in clusters or strata, got 'wil"):
        run(baseline=0, test="wilcoxon", clusters="conversation")


def test_averages_are_over_strata(scores):
    averages, frame = run(perquery="both", strata="collection", meta=[rc.TauAP()])
    first, second = (scores["AP"].select(topics=TOPICS["qid"][part]) for part in (slice(5), slice(5, None)))
    assert averages["AP"].to_numpy() == pytest.approx((first.means + second.means) / 2)
    by_system = rc.by_system(frame)
    assert by_system["AP"].to_numpy() == pytest.approx(averages["AP"].to_numpy())
    assert list(by_system.columns) == ["name", *MEASURES]
    strata = scores.with_design(strata=STRATUM)
    assert (averages["P@5 tau_ap"] == rc.tau_ap(strata["AP"], strata["P@5"])).all()


@FEW
def test_frames_tell_of_the_design(scores):
    frame = run(perquery=True, clusters="conversation", strata="collection")
    assert list(frame.columns[-2:]) == ["cluster", "stratum"]
    expected = scores.with_design(clusters=OF_TOPIC, strata=STRATUM)
    assert rc.scores_from_experiment(frame) == expected
    component = rc.RankInterval(n_resamples=99, rng=3)
    together = run(perquery=True, clusters="conversation", strata="collection", meta=[component])
    pd.testing.assert_frame_equal(component(frame), together[component(frame).columns])
    frame.loc[frame.index[0], "cluster"] = "another"
    with pytest.raises(ValueError, match="`experiment` must have one cluster for each topic, got several for 'q1'"):
        rc.scores_from_experiment(frame)


@pytest.mark.parametrize("clusters", ["conversations", {"q1": "c1"}, ["c1"]])
def test_labels_are_checked_before_any_system_is_run(clusters):
    with pytest.raises(ValueError, match="`clusters` must"):
        rc.Experiment([None, None], TOPICS, fixtures.qrels(), MEASURES, names=["a", "b"], clusters=clusters)


def test_topics_without_judgments_need_no_partner():
    judged = fixtures.qrels().query("qid != 'q1'")
    with pytest.warns(rc.warnings.UnjudgedTopicsWarning):
        table = rc.Experiment(
            fixtures.systems(), TOPICS, judged, MEASURES, strata="collection", meta=[rc.RankInterval(n_resamples=20)]
        )
    assert np.isfinite(table["AP"]).all()
    assert np.isfinite(table["AP rank low"]).all()
