"""The demonstration collection: the same everywhere, and like a real one where it matters."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P, nDCG
from scipy.stats import kendalltau

from pt_rankcorr import demo
from pt_rankcorr.demo.words import EVERYDAY, NAMES, STOPWORDS, THEMES


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


def _digest(collection: demo.Collection) -> str:
    frames = (collection.documents, collection.topics, collection.qrels)
    return hashlib.sha256(
        "".join(frame.to_csv(index=False, lineterminator="\n") for frame in frames).encode()
    ).hexdigest()


def test_collection_is_pinned(collection: demo.Collection) -> None:
    assert _digest(collection)[:16] == "2d2ce792a69cc8e7"


def test_seed_changes_the_collection(collection: demo.Collection) -> None:
    assert _digest(demo.collection(seed=1)) != _digest(collection)


def test_fewer_topics_are_the_first_of_more(collection: demo.Collection) -> None:
    small = demo.collection(7)
    pd.testing.assert_frame_equal(small.documents, collection.documents)
    pd.testing.assert_frame_equal(small.topics, collection.topics.head(7))
    pd.testing.assert_frame_equal(small.qrels, collection.qrels[collection.qrels["qid"].isin(small.topics["qid"])])


@pytest.mark.parametrize("n_topics", [0, -1, 91])
def test_number_of_topics_is_checked(n_topics: int) -> None:
    with pytest.raises(ValueError, match=f"`n_topics` must be between 1 and 90, got {n_topics}"):
        demo.collection(n_topics)


@pytest.mark.parametrize("seed", [2008, 0, 30])
def test_every_possible_topic_has_relevant_documents(seed: int) -> None:
    qrels = demo.collection(90, seed=seed).qrels
    assert qrels[qrels["label"] > 0]["qid"].nunique() == 90


def test_frames(collection: demo.Collection) -> None:
    assert list(collection.documents) == ["docno", "text"]
    assert list(collection.topics) == ["qid", "query"]
    assert list(collection.qrels) == ["qid", "docno", "label"]
    assert collection.documents["docno"].is_unique
    assert not collection.qrels.duplicated(["qid", "docno"]).any()
    assert set(collection.qrels["docno"]) <= set(collection.documents["docno"])
    assert set(collection.qrels["label"]) == {0, 1, 2, 3}


def test_words_are_words() -> None:
    lists = [STOPWORDS, EVERYDAY, NAMES, *(words for theme in THEMES for words in (theme.core, *theme.aspects))]
    assert all(word.isalpha() and word.islower() for words in lists for word in words)
    assert all(len(set(words)) == len(words) for words in lists)
    assert {(len(theme.core), *map(len, theme.aspects)) for theme in THEMES} == {(7, 7, 7, 7, 7)}


def test_documents_differ_in_length_and_repeat_their_words(collection: demo.Collection) -> None:
    words = collection.documents["text"].str.lower().str.replace(".", "").str.split()
    length = words.str.len()
    assert length.quantile(0.95) > 8 * length.quantile(0.05)
    assert np.median([words.iloc[i].count("the") for i in range(100)]) >= 2


def test_topics_differ_in_relevant_documents(collection: demo.Collection) -> None:
    relevant = collection.qrels[collection.qrels["label"] > 0].groupby("qid").size()
    assert len(relevant) == 50
    assert relevant.min() >= 1
    assert relevant.max() > 5 * relevant.median() / 2


def test_relevant_documents_may_lack_all_words_of_the_query(collection: demo.Collection) -> None:
    merged = collection.qrels.merge(collection.topics).merge(collection.documents)
    merged = merged[merged["label"] > 0]
    lack = [
        not set(q.split()) & set(t.lower().replace(".", "").split())
        for q, t in zip(merged["query"], merged["text"], strict=True)
    ]
    assert 0.02 < np.mean(lack) < 0.5


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
