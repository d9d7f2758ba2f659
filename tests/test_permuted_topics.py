"""The order of topics, in which means were taken, changes no result; nor does the order of an array in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pt_rankcorr as ptr
from tests.stats.strategies_scores import score_matrices

COEFFICIENTS = {
    "kendall_tau": ptr.kendall_tau,
    "tau_ap": ptr.tau_ap,
    "tau_gap": ptr.tau_gap,
    "kendall_distance": ptr.stats.kendall_distance,
    "pearson": ptr.stats.pearson,
    "spearman": ptr.stats.spearman,
    "fuzzy tau": lambda x, y: ptr.kendall_tau(x, y, fuzziness=0.05),
    "tau b": lambda x, y: ptr.kendall_tau(x, y, variant="b"),
    "contributions": lambda x, y: ptr.stats.contributions(x, y).costs,
    "swap_weights": lambda x, y: ptr.stats.swap_weights(y).values,
}
pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")


def means_in_some_order(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As somebody may take them: one topic after the other."""
    return np.asarray(sum(scores[rng.permutation(len(scores))]) / len(scores))


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("collection", ["web2012", "robust2004"])
def test_twenty_orders_of_the_topics_of_a_track(trec, name, collection):
    ap, p10 = (trec(f"{collection}_{measure}")[:, :40] for measure in ("ap", "p10"))
    rng, coefficient = np.random.default_rng(1), COEFFICIENTS[name]
    expected = coefficient(ap, p10)
    for _ in range(20):
        found = coefficient(means_in_some_order(ap, rng), means_in_some_order(p10, rng))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(scores=score_matrices(min_systems=3), seed=st.integers(0, 99))
@settings(deadline=None)
def test_any_order_of_any_topics(name, scores, seed):
    rng, coefficient = np.random.default_rng(seed), COEFFICIENTS[name]
    other = rng.permuted(scores, axis=1)
    expected = coefficient(scores, other)
    for given_as in (means_in_some_order(scores, rng), scores[rng.permutation(len(scores))], np.asfortranarray(scores)):
        np.testing.assert_array_equal(coefficient(given_as, other), expected)


@pytest.mark.parametrize(("factor", "constant"), [(100.0, 0.0), (0.01, 0.0), (3.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("name", COEFFICIENTS)
@given(scores=score_matrices(min_systems=3), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=15)
def test_a_positive_factor_or_a_constant_changes_nothing(name, factor, constant, scores, seed):
    if name == "fuzzy tau" and constant:
        return  # it takes shares of scores, not of their differences
    other, compare = np.random.default_rng(seed).permuted(scores, axis=1), COEFFICIENTS[name]
    found = compare(scores * factor + constant, other * factor + constant)
    np.testing.assert_allclose(found, compare(scores, other), rtol=0, atol=1e-7 if constant else 1e-9)


@settings(deadline=None)
@given(counts=st.lists(st.lists(st.integers(1, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_kappa_is_one_of_shares(counts):
    kappa = ptr.judgments.cohen_kappa
    assert kappa(np.array(counts) * 100) == pytest.approx(kappa(counts), abs=1e-12)
    assert kappa(np.array(counts)[::-1, ::-1]) == pytest.approx(kappa(counts), abs=1e-12)


@pytest.mark.parametrize("factor", [1.0, 3.0, 100.0])
def test_a_gap_of_just_the_fuzziness_counts_in_any_unit(factor):
    scores = factor * np.array([[1.0, 0.2, 1 / 3], [1 / 7, 1.0, 0.2]])
    assert ptr.kendall_tau(scores, scores[:, [1, 0, 2]], fuzziness=0.05) == pytest.approx(1 / 3)
