"""The demonstration collection: the same everywhere, and its first topics those of fewer."""

from __future__ import annotations

import hashlib

import pandas as pd
import pytest

from pt_rankcorr import demo


@pytest.fixture(scope="module")
def collection() -> demo.Collection:
    return demo.collection()


def test_collection_is_pinned() -> None:
    """As are with it all properties that were looked at when it was made."""
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


def test_systems_return_what_they_found_for_the_topics_they_are_asked(collection: demo.Collection) -> None:
    system = demo.pipelines(collection)["BM25"]
    found = system(collection.topics.iloc[[3, 1]])
    assert list(found) == ["qid", "query", "docno", "score", "rank"]
    assert list(found["qid"].unique()) == ["4", "2"]
    stranger = pd.DataFrame({"qid": ["none of them"], "query": ["water"]})
    assert len(system(stranger)) == 0
    assert list(system(collection.topics.head(0))) == list(found)
