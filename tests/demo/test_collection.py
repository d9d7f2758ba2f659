"""The demonstration collection: the same everywhere, and like a real one where it matters."""

from __future__ import annotations

import hashlib

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P, nDCG
from scipy.stats import kendalltau

from pt_rankcorr import demo


@pytest.fixture(scope="module")
def collection() -> demo.Collection:
    return demo.collection()


@pytest.fixture(scope="module")
def scores(collection: demo.Collection) -> pd.DataFrame:
    systems = demo.pipelines(collection)
    return pt.Experiment(
        list(systems.values()), collection.topics, collection.qrels, [AP, nDCG @ 10, P @ 10],
        names=list(systems), perquery=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def ap(scores: pd.DataFrame) -> pd.DataFrame:
    return scores[scores["measure"] == "AP"].pivot(index="qid", columns="name", values="value")


def test_collection_is_pinned() -> None:
    collection = demo.collection(90)
    frames = (collection.topics, collection.qrels, *collection.runs.values())
    text = "".join(frame.to_csv(index=False, lineterminator="\n") for frame in frames)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "c8a88d2c60eb6612"


def test_fewer_topics_are_the_first_of_more(collection: demo.Collection) -> None:
    small = demo.collection(7)
    pd.testing.assert_frame_equal(small.topics, collection.topics.head(7))
    pd.testing.assert_frame_equal(small.qrels, collection.qrels[collection.qrels["qid"].isin(small.topics["qid"])])
    for name, run in small.runs.items():
        of_more = collection.runs[name]
        pd.testing.assert_frame_equal(run, of_more[of_more["qid"].isin(small.topics["qid"])])


@pytest.mark.parametrize(
    ("n_topics", "rule"), [(0, "of at least 1, got 0"), (-1, "of at least 1, got -1"), (91, "of at most 90, got 91")]
)
def test_number_of_topics_is_checked(n_topics: int, rule: str) -> None:
    with pytest.raises(ValueError, match=f"`n_topics` must be an integer {rule}"):
        demo.collection(n_topics)


def test_every_possible_topic_has_relevant_documents() -> None:
    qrels = demo.collection(90).qrels
    assert qrels[qrels["label"] > 0]["qid"].nunique() == 90


def test_frames(collection: demo.Collection) -> None:
    assert list(collection.topics) == ["qid", "query"]
    assert list(collection.qrels) == ["qid", "docno", "label"]
    assert not collection.qrels.duplicated(["qid", "docno"]).any()
    assert set(collection.qrels["label"]) == {0, 1, 2, 3}


def test_runs_are_deep_enough_for_every_relevant_document_and_ranked_by_score(collection: demo.Collection) -> None:
    assert len(collection.runs) == 29
    for run in collection.runs.values():
        assert not run.duplicated(["qid", "docno"]).any()
        assert (run.groupby("qid")["rank"].max() <= 999).all()
        assert (run["rank"] == run.groupby("qid").cumcount()).all()
        assert (run["score"].groupby(run["qid"]).diff().dropna() <= 0).all()
        assert (run["score"].groupby(run["qid"]).min() == 1).all()


def test_systems_return_what_they_found_for_the_topics_they_are_asked(collection: demo.Collection) -> None:
    system = demo.pipelines(collection)["BM25"]
    found = system(collection.topics.iloc[[3, 1]])
    assert list(found) == ["qid", "query", "docno", "score", "rank"]
    assert list(found["qid"].unique()) == ["4", "2"]
    stranger = pd.DataFrame({"qid": ["none of them"], "query": ["water"]})
    assert len(system(stranger)) == 0
    assert list(system(collection.topics.head(0))) == list(found)


def test_topics_differ_in_relevant_documents(collection: demo.Collection) -> None:
    relevant = collection.qrels[collection.qrels["label"] > 0].groupby("qid").size()
    assert len(relevant) == 50
    assert relevant.min() >= 1
    assert relevant.max() > 5 * relevant.median() / 2


def test_systems_range_from_poor_to_good_with_near_ties(ap: pd.DataFrame) -> None:
    means = ap.mean().sort_values()
    assert 0.03 < means.iloc[0] < 0.12
    assert 0.28 < means.iloc[-1] < 0.45
    assert (means.diff() < 0.002).sum() >= 4


def test_difficulty_varies_over_topics(ap: pd.DataFrame) -> None:
    assert 0.12 < ap.std().median() < 0.25
    assert ap.mean(axis=1).min() < 0.1 < 0.5 < ap.mean(axis=1).max()


def test_measures_rank_the_systems_alike_but_not_the_same(scores: pd.DataFrame) -> None:
    means = scores.pivot_table(index="name", columns="measure", values="value")
    for a, b in (("AP", "nDCG@10"), ("AP", "P@10"), ("nDCG@10", "P@10")):
        assert 0.6 < kendalltau(means[a], means[b]).statistic < 0.95


def test_feedback_helps_some_topics_and_hurts_others(ap: pd.DataFrame) -> None:
    gain = ap["BM25 + Bo1"] - ap["BM25 b=0.4"]
    assert (gain > 0.02).sum() >= 15
    assert (gain < 0).sum() >= 5


def test_length_normalisation_matters(ap: pd.DataFrame) -> None:
    assert ap["BM25 b=0.4"].mean() > ap[["BM25 b=0", "BM25 b=1"]].mean().max()
