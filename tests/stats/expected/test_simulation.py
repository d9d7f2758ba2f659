"""Simulated topics: their true means, their distributions and correlations, and the hard cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pt_rankcorr import kendall_tau
from pt_rankcorr.stats.expected.simulation import TopicSimulator


@pytest.mark.parametrize("collection", ["adhoc6_ap", "adhoc7_ap", "web2012_ap", "adhoc6_p10", "web2012_rr"])
def test_expected_means_are_the_observed_ones(trec, collection):
    scores = trec(collection)
    simulated = TopicSimulator(scores).draw(20_000, rng=1)
    standard_errors = simulated.std(axis=0) / 20_000**0.5
    z = (simulated.mean(axis=0) - scores.mean(axis=0)) / standard_errors
    assert np.abs(z).max() < 4.5
    # of pairs too, whose errors do not share topic sampling error
    differences = simulated - simulated.mean(axis=1, keepdims=True)
    bias = differences.mean(axis=0) - (scores.mean(axis=0) - scores.mean())
    assert np.abs(bias / (differences.std(axis=0) / 20_000**0.5)).max() < 4.5


@pytest.mark.parametrize(
    ("collection", "n_topics", "actual"),
    [("adhoc6_ap", 50, 0.786), ("adhoc6_ap", 100, 0.846), ("adhoc7_ap", 100, 0.873)],
)
def test_published_levels_give_the_published_actual_correlations(trec, collection, n_topics, actual):
    scores = trec(collection)
    means = scores.mean(axis=0)
    kept = scores[:, means >= np.quantile(means, 0.25)]
    simulator, rng = TopicSimulator(kept, levels="published"), np.random.default_rng(1)
    taus = [kendall_tau(kept.mean(axis=0), simulator.draw(n_topics, rng).mean(axis=0)) for _ in range(150)]
    assert np.mean(taus) == pytest.approx(actual, abs=3 * np.std(taus) / 150**0.5 + 0.002)


def test_means_are_the_true_ones_of_published_levels_too(trec):
    scores = trec("adhoc6_ap")
    simulator = TopicSimulator(scores, levels="published")
    drawn = simulator.draw(20_000, rng=1)
    assert np.abs((drawn.mean(axis=0) - simulator.means) / (drawn.std(axis=0) / 20_000**0.5)).max() < 4.5
    assert np.abs(simulator.means - scores.mean(axis=0)).max() > 0.002


def test_identical_systems_stay_identical():
    scores = np.random.default_rng(1).random((30, 4))
    scores[:, 3] = scores[:, 0]
    simulated = TopicSimulator(scores).draw(100, rng=1)
    np.testing.assert_allclose(simulated[:, 3], simulated[:, 0], atol=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_constant_scores(value):
    simulated = TopicSimulator(np.full((5, 3), value)).draw(50, rng=1)
    np.testing.assert_allclose(simulated.mean(axis=0), value, atol=0.01)


@given(
    arrays(float, st.tuples(st.integers(3, 6), st.integers(2, 4)), elements=st.integers(0, 10).map(lambda k: k / 10))
)
def test_legal_scores_never_fail(scores):
    simulated = TopicSimulator(scores).draw(20, rng=1)
    assert simulated.shape == (20, scores.shape[1])
    assert 0.0 <= simulated.min() <= simulated.max() <= 1.0


def test_one_seed_one_result():
    scores = np.random.default_rng(1).random((30, 4))
    simulator = TopicSimulator(scores)
    assert (simulator.draw(10, 3) == TopicSimulator(scores).draw(10, rng=3)).all()
    assert (simulator.draw(10, 3) != simulator.draw(10, 4)).any()
    np.testing.assert_allclose(simulator.means, scores.mean(axis=0), rtol=1e-14)


def test_signs_of_eigenvectors_do_not_matter(monkeypatch):
    """LAPACK libraries differ in them: a seed should stand for the same topics everywhere."""
    scores, eigh = np.random.default_rng(1).random((30, 4)), np.linalg.eigh
    drawn = TopicSimulator(scores).draw(10, rng=3)

    def flipped(matrix):
        values, vectors = eigh(matrix)
        return values, vectors * np.resize([-1.0, 1.0], len(values))

    monkeypatch.setattr(np.linalg, "eigh", flipped)
    np.testing.assert_allclose(TopicSimulator(scores).draw(10, rng=3), drawn, atol=1e-7)


def test_blocks_change_nothing(monkeypatch):
    simulator = TopicSimulator(np.random.default_rng(1).random((30, 4)))
    whole = simulator.draw(100, rng=1)
    monkeypatch.setattr("pt_rankcorr.stats.expected.simulation.BLOCK_CELLS", 35)  # 7 topics
    np.testing.assert_allclose(simulator.draw(100, rng=1), whole, rtol=1e-13)
