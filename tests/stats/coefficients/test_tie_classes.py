"""tau_GAP where most members of a tie are equal in truth: exactly the mean over all ways of breaking it."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.coefficients.counting import GapSums, gap_sums
from pt_rankcorr.stats.coefficients.gap import by_leading_run, class_shares, expected_shares, has_few_classes, tau_gap


def over_all_places(truth, estimate, tied):
    """The mean over the places of the members that differ from most; the equal ones fill the others."""
    values, counts = np.unique(truth[:tied], return_counts=True)
    odd = [member for member in range(tied) if truth[member] != values[counts.argmax()]]
    equal = [member for member in range(tied) if member not in odd]
    found = []
    for chosen in combinations(range(tied), len(odd)):
        for places in permutations(chosen):
            broken = np.array(estimate, dtype=float)
            broken[odd] += np.array(places) / (2 * tied)
            broken[equal] += np.array([place for place in range(tied) if place not in places]) / (2 * tied)
            found.append(tau_gap(truth, broken))
    return np.mean(found)


@pytest.mark.parametrize(
    ("equal", "others", "last", "known"),
    [
        (np.zeros(28), [-1.0, 1e4, 0.5], -1.0, 0.4733),
        (np.ones(13), [0.0, 0.0, 1 + 1e-9], 1.0, -0.1556),
        (np.zeros(11), [1e4, -1.0, -2.0], -1.0, 0.451),
    ],
)
def test_few_others_decide(equal, others, last, known):
    truth = np.concatenate((equal, others))
    estimate = np.zeros(truth.size)
    estimate[-1] = last
    found = tau_gap(truth, estimate)
    assert found == pytest.approx(over_all_places(truth, estimate, truth.size - 1), abs=1e-12)
    assert found == pytest.approx(known, abs=1e-4)


@given(st.lists(st.integers(0, 2), min_size=7, max_size=7), st.integers(-1, 3), st.sampled_from([-1, 1]))
@example([0, 0, 0, 0, 0, 0, 1], 0, 1)  # what is above the tie is equal to most of it
@example([2, 0, 1, 0, 0, 1, 2], 1, 1)
@settings(deadline=None, max_examples=15)
def test_is_the_mean_over_all_orders_of_a_tie(values, other, place):
    truth = np.array([*values, other])
    broken = np.array([[*order, place * 10] for order in permutations(range(7))], dtype=float)
    estimate = np.array([0.0] * 7 + [place])
    if np.ptp(truth) > 0:
        each = tau_gap(np.broadcast_to(truth, broken.shape), broken)
        assert tau_gap(truth, estimate) == pytest.approx(np.mean(each), abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=9), st.integers(-1, 4))
@settings(deadline=None)
def test_shares_of_classes_are_those_of_their_members(values, other):
    truth = np.array(values, dtype=float)
    above = gap_sums(np.append(truth, other), np.append(np.zeros(truth.size), 1.0))
    members = GapSums(*(sums[:-1] for sums in above))
    values, at, counts = np.unique(truth, return_index=True, return_counts=True)
    found = class_shares(values, counts.astype(float), GapSums(*(sums[at] for sums in members)))
    wanted = expected_shares(truth[np.newaxis], GapSums(*(sums[np.newaxis] for sums in members)))[0]
    assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("above", [np.zeros(6), np.array([0.0, 0.0, 3.0, 3.0, 3.0, 12.0])])
def test_chances_are_of_all_cases(above):
    truth = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 5.0])
    assert by_leading_run(truth, GapSums(np.zeros(6), above)).chances.sum() == pytest.approx(1.0)


def test_many_classes_or_members_are_too_many():
    assert has_few_classes(np.repeat([0.0, 1.0], [900, 1]))
    assert not has_few_classes(np.arange(20.0))
    assert not has_few_classes(np.repeat([0.0, 1.0], [1000, 1]))
