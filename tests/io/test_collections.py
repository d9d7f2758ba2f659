"""Several collections as one benchmark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pt_rankcorr as ptr

RNG = np.random.default_rng(1)


def scores(n_topics: int, systems: str = "abc", **given: Any) -> ptr.Scores:
    values = RNG.random((n_topics, len(systems)))
    topics = [f"q{number}" for number in range(n_topics)]
    return ptr.Scores({name: ptr.ScoreMatrix(values, topics, list(systems), **given) for name in ("AP", "RR")})


def test_the_mean_is_that_of_the_collections() -> None:
    parts = {"old": scores(4), "new": scores(9, "cab"), "web": scores(5)}
    joined = ptr.scores_from_collections(parts)
    assert joined.topics[3:5] == ("old/q3", "new/q0")
    assert joined.systems == ("a", "b", "c")
    for system in "abc":
        means = [part["AP"].mean_of(system) for part in parts.values()]
        assert joined["AP"].mean_of(system) == pytest.approx(np.mean(means))
    assert str(joined["RR"].design) == "3 strata"
    labels = [topic.split("/")[0] for topic in joined.topics]
    assert joined["AP"] == joined["AP"].with_design().with_design(strata=labels)


def test_clusters_stay_and_one_collection_is_itself() -> None:
    clustered = scores(6, clusters=[1, 1, 1, 2, 2, 3])
    joined = ptr.scores_from_collections({"a": clustered, "b": scores(3), "c": scores(6, clusters=[1, 1, 1, 2, 2, 3])})
    assert str(joined["AP"].design) == "9 clusters and 3 strata"
    alone = ptr.scores_from_collections({"a": clustered})["AP"]
    np.testing.assert_array_equal(alone.rows, clustered["AP"].rows)


@pytest.mark.parametrize(
    ("collections", "error", "message"),
    [
        ({}, ValueError, "must hold at least one collection"),
        ({"a": np.eye(3)}, TypeError, "must hold Scores, got ndarray for 'a'"),
        ({"a": scores(3), "b": scores(3, "abd")}, ValueError, "same systems, got differences in 'c', 'd'"),
        (
            {"a": scores(3), "b": scores(3).select(measures=["AP"])},
            ValueError,
            "same measures, got differences in 'RR'",
        ),
        ({"a": scores(4, strata=[1, 1, 2, 2]), "b": scores(3)}, ValueError, "must have no strata"),
        ({"a": scores(4), "b": scores(3, negated=True)}, ValueError, "agree on which measures are better when lower"),
        ({"a": scores(4), "b": scores(1)}, ValueError, "at least 2 independent topics each, got one in 'b'"),
    ],
)
def test_what_does_not_fit_is_refused(collections: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ptr.scores_from_collections(collections)
