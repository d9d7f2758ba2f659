"""Swaps and stability by disjoint sets of topics, as first published, against loops over those sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.significance.swap import stability, swap_rates
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices

B = 30
EDGES = [hundredths / 100 for hundredths in range(21)]


def shuffled_topics(n_topics: int, seed: int) -> np.ndarray:
    draw = lambda child, size: child.permuted(np.tile(np.arange(n_topics), (size, 1)), axis=1)  # noqa: E731
    return blockwise(draw, B, cells=n_topics, rng=np.random.default_rng(seed), n_jobs=1)


@pytest.mark.filterwarnings("ignore:No difference:pt_rankcorr.warnings.DegenerateInputWarning")
@given(score_matrices(min_topics=2), st.integers(0, 99), st.floats(0, 1), st.booleans())
def test_swaps_between_disjoint_sets(scores, seed, part, geometric):
    scores = in_one_order(scores)
    size = 1 + int(part * (len(scores) // 2 - 1))
    ours, plain = oracle.STATISTICS["geometric" if geometric else "mean"]
    result = swap_rates(
        scores, of="halves", topic_set_size=size, n_resamples=B, statistic=ours, bins="published", rng=seed
    )
    topics = shuffled_topics(len(scores), seed)
    counts, swaps, largest = oracle.swap_counts(scores, topics[:, :size], topics[:, size : 2 * size], EDGES, m=plain)
    assert result.counts.tolist() == counts
    assert result.swaps.tolist() == swaps
    assert result.largest_value == pytest.approx(largest)
    assert result.topic_set_size == size


@given(score_matrices(min_topics=2), st.integers(0, 99), st.floats(0, 1))
def test_stability_of_sets_without_replacement(scores, seed, part):
    scores = in_one_order(scores)
    size = 1 + int(part * (len(scores) - 1))
    result = stability(scores, of="halves", topic_set_size=size, fuzziness=[0, 0.05, 0.3], n_resamples=B, rng=seed)
    topics = shuffled_topics(len(scores), seed)[:, :size]
    expected = [oracle.stability(scores, topics, f) for f in result.fuzziness]
    np.testing.assert_allclose(np.stack([result.minority_rate, result.proportion_of_ties], 1), expected, atol=1e-12)


def test_by_default_a_set_is_half_of_the_topics():
    scores = np.random.default_rng(0).random((11, 4)) + np.arange(4)
    for method in (swap_rates, stability):
        default, five = (method(scores, of="halves", rng=1, **more) for more in ({}, {"topic_set_size": 5}))
        assert default == five
        assert default.topic_set_size == 5
        assert method(scores, of="resamples", rng=1).topic_set_size == 11


def test_all_topics_have_one_ranking():
    scores = np.random.default_rng(0).random((10, 5))
    assert stability(scores, of="halves", topic_set_size=10, fuzziness=0.0, rng=1).minority_rate == 0.0


@pytest.mark.parametrize("of", ["new topics", "resamples", "halves"])
def test_counts_of_pairs_add_up_to_the_rates(of):
    scores = ScoreMatrix(np.random.default_rng(0).random((12, 6)), systems=list("abcdef"))
    pytest.importorskip("pandas")
    result = stability(scores, of=of, n_resamples=200, rng=1)
    for at in (0, 4, 19):
        pairs = result.pairs(result.fuzziness[at])
        assert list(zip(pairs["system"], pairs["other"], strict=True)) == list(combinations("abcdef", 2))
        assert (pairs[["wins", "losses", "ties"]].sum(axis=1) == 200).all()
        assert pairs["ties"].sum() / (15 * 200) == pytest.approx(result.proportion_of_ties[at])
        if of != "new topics":
            minority = pairs[["wins", "losses"]].min(axis=1).sum() / (15 * 200)
            assert minority == pytest.approx(result.minority_rate[at])


@pytest.mark.parametrize("method", [swap_rates, stability])
def test_clusters_of_several_sizes_cannot_be_divided(method):
    scores = ScoreMatrix(np.random.default_rng(0).random((80, 3))).with_design(clusters=[0, 0, 0, *range(77)])
    with pytest.raises(ValueError, match="`scores` must be of clusters of one size"):
        method(scores, of="halves")
