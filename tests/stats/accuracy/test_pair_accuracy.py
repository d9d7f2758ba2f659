from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.accuracy.item_pairs import (
    MOST_THRESHOLDS,
    calibrated,
    chance_accuracies,
    pair_accuracies,
    tie_thresholds,
)

SCORES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10)), min_size=2, max_size=6)


def accuracy(scores, threshold):
    """Pair by pair: ordered one way by both, or tied by both."""
    right = []
    for (one, estimate), (other, other_estimate) in combinations(scores, 2):
        apart = round(estimate - other_estimate, 9)
        way = 0 if abs(apart) <= threshold else np.sign(apart)
        right.append(way == np.sign(one - other))
    return float(np.mean(right))


@given(st.lists(SCORES, min_size=1, max_size=4))
def test_accuracies_and_the_calibration_are_as_defined(topics):
    topics = [[(one, other / 10) for one, other in topic] for topic in topics]
    arrays = [np.array(topic, dtype=np.float64).T for topic in topics]
    thresholds = tie_thresholds([estimate for _, estimate in arrays])
    found = np.array([pair_accuracies(*scores, thresholds) for scores in arrays])
    expected = np.array([[accuracy(topic, round(each, 9)) for each in thresholds] for topic in topics])
    assert found == pytest.approx(expected)
    best, at, without = calibrated(found)
    assert best == pytest.approx(expected.mean(axis=0).max())
    assert best == pytest.approx(expected.mean(axis=0)[at])
    between = (thresholds[1:] + thresholds[:-1]) / 2
    assert all(np.mean([accuracy(topic, each) for topic in topics]) <= best + 1e-12 for each in between)
    rest = [np.delete(expected, place, axis=0) for place in range(len(topics))] if len(topics) > 1 else []
    assert without == pytest.approx([each.mean(axis=0).max() for each in rest])


def test_there_are_only_so_many_thresholds():
    estimates = np.random.default_rng(1).random(100)
    found = tie_thresholds([estimates])
    assert found.size <= MOST_THRESHOLDS
    assert found[0] == 0.0
    assert found[-1] == pytest.approx(np.ptp(estimates))


def test_what_knows_nothing_is_right_by_chance():
    """One value for all, and the mean over all orders of the estimates."""
    topics = [(np.array([2.0, 1, 1, 0]), np.array([0.3, 0.3, 0.1, 0.9])), (np.array([1.0, 0, 0]), np.arange(3.0))]
    for threshold in (0.0, 0.2, 1.0):
        allowed = np.array([threshold])
        one_value = [pair_accuracies(reference, np.zeros(reference.size), allowed) for reference, _ in topics]
        shuffled = [
            np.mean([pair_accuracies(reference, np.array(order), allowed) for order in permutations(estimate)])
            for reference, estimate in topics
        ]
        assert chance_accuracies(topics, threshold) == pytest.approx((np.mean(one_value), np.mean(shuffled)))
