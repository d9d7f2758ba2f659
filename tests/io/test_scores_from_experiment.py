import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P, nDCG

import pt_rankcorr as rc
from pt_rankcorr.io.score_tables import scores_from_experiment

MEASURES = [AP, nDCG @ 10, P @ 5]


def experiment(collection, qrels=None, **arguments):
    return pt.Experiment(
        [pt.Transformer.from_df(frame) for frame in collection.runs.values()],
        collection.topics,
        collection.qrels if qrels is None else qrels,
        MEASURES,
        names=list(collection.runs),
        **{"perquery": True, **arguments},
    )


@pytest.fixture
def expected(collection):
    return scores_from_experiment(experiment(collection))


def test_scores_are_those_of_the_frame(collection, expected):
    frame = experiment(collection)
    assert set(expected.systems) == set(collection.runs)
    for name, qid, measure, value in frame.itertuples(index=False):
        matrix = expected[measure]
        assert matrix.values[matrix.topics.index(qid), matrix.systems.index(name)] == value


def test_all_that_the_host_returns_and_saves(collection, expected, tmp_path, assert_same):
    assert_same(scores_from_experiment(experiment(collection, perquery="both")), expected)
    saved = tmp_path / "saved"
    saved.mkdir()
    experiment(collection, save_dir=str(saved))
    for source in (saved, str(saved), saved / "perquery.csv"):
        assert_same(scores_from_experiment(source), expected, 1e-15)
    assert_same(rc.read_scores(str(tmp_path / "*" / "perquery.csv")), expected, 1e-15)


def test_rows_of_an_earlier_experiment_are_not_mixed_in_silently(collection, tmp_path):
    experiment(collection, save_dir=str(tmp_path))
    path = tmp_path / "perquery.csv"
    path.write_text(path.read_text() + "older,999,AP,0.5\n")
    with pytest.raises(ValueError, match="every system by every measure"):
        scores_from_experiment(path)


def test_a_folder_of_runs_is_no_experiment(tmp_path):
    (tmp_path / "BM25.run").write_text("1 Q0 d1 1 2.0 BM25\n")
    with pytest.raises(FileNotFoundError, match=r"got the folder .* without one. `scores_from_runs` reads runs"):
        scores_from_experiment(tmp_path)


@pytest.mark.parametrize("other", [3, None, [], {"AP": 1}])
def test_other_things_are_refused(other):
    with pytest.raises(TypeError, match=r"`experiment` must be the result of a pt\.Experiment with perquery=True"):
        scores_from_experiment(other)


def test_averages_are_refused(collection):
    with pytest.raises(ValueError, match="got none named 'measure', 'qid', 'value'"):
        scores_from_experiment(experiment(collection, perquery=False))


def test_data_sets_of_a_suite_are_strata():
    """Query ids collide between data sets, and each data set counts equally, however many queries it has."""
    rows = [("old", "1", 0.2, 0.4), ("old", "2", 0.4, 0.4), *(("new", qid, 0.9, 0.5) for qid in "123")]
    frame = pd.DataFrame(
        [
            (dataset, name, qid, "AP", value)
            for dataset, qid, *values in rows
            for name, value in zip("ab", values, strict=True)
        ],
        columns=["dataset", "name", "qid", "measure", "value"],
    )
    scores = scores_from_experiment(frame)["AP"]
    assert scores.topics == ("old/1", "old/2", "new/1", "new/2", "new/3")
    np.testing.assert_allclose(scores.means, [(0.3 + 0.9) / 2, (0.4 + 0.5) / 2])
    shown = rc.by_system(rc.GeometricMean().transform(frame))
    np.testing.assert_allclose(shown["AP"], scores.means)
    assert "AP geometric mean" in shown
    labelled = scores_from_experiment(frame.assign(stratum=frame["dataset"], qid=frame["dataset"] + frame["qid"]))["AP"]
    np.testing.assert_allclose(labelled.means, scores.means)


RNG = np.random.default_rng(1)


def scores(n_topics, systems="abc", **given):
    values = RNG.random((n_topics, len(systems)))
    topics = [f"q{number}" for number in range(n_topics)]
    return rc.Scores({name: rc.ScoreMatrix(values, topics, list(systems), **given) for name in ("AP", "RR")})


def test_the_mean_is_that_of_the_collections():
    parts = {"old": scores(4), "new": scores(9, "cab"), "web": scores(5)}
    joined = rc.scores_from_collections(parts)
    assert joined.topics[3:5] == ("old/q3", "new/q0")
    assert joined.systems == ("a", "b", "c")
    for system in "abc":
        means = [part["AP"].mean_of(system) for part in parts.values()]
        assert joined["AP"].mean_of(system) == pytest.approx(np.mean(means))
    assert str(joined["RR"].design) == "3 strata"
    labels = [topic.split("/")[0] for topic in joined.topics]
    assert joined["AP"] == joined["AP"].with_design().with_design(strata=labels)


def test_clusters_stay_and_one_collection_is_itself():
    clustered = scores(6, clusters=[1, 1, 1, 2, 2, 3])
    joined = rc.scores_from_collections({"a": clustered, "b": scores(3), "c": scores(6, clusters=[1, 1, 1, 2, 2, 3])})
    assert str(joined["AP"].design) == "9 clusters and 3 strata"
    alone = rc.scores_from_collections({"a": clustered})["AP"]
    np.testing.assert_array_equal(alone.sample, clustered["AP"].sample)


@pytest.mark.parametrize(
    ("collections", "error", "message"),
    [
        ({}, ValueError, "must hold at least one collection"),
        ({"a": np.eye(3)}, TypeError, "must hold Scores, got ndarray for 'a'"),
        ({"a": scores(3), "b": scores(3, "abd")}, ValueError, "same systems, got differences in 'c', 'd'"),
        ({"a": scores(3), "b": scores(3).select(measures=["AP"])}, ValueError, "measures, got differences in 'RR'"),
        ({"a": scores(4, strata=[1, 1, 2, 2]), "b": scores(3)}, ValueError, "must have no strata"),
        ({"a": scores(4), "b": scores(3, negated=True)}, ValueError, "agree on which measures are better when lower"),
        ({"a": scores(4), "b": scores(1)}, ValueError, "at least 2 independent topics each, got one in 'b'"),
    ],
)
def test_what_does_not_fit_is_refused(collections, error, message):
    with pytest.raises(error, match=message):
        rc.scores_from_collections(collections)
