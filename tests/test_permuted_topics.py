"""The order of topics, in which means were taken, changes no result; nor does the order of an array in memory."""

from __future__ import annotations

import numpy as np
import pytest

import pt_rankcorr as ptr
from tests.cases import COEFFICIENTS as PLAIN

COEFFICIENTS = PLAIN | {
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
@pytest.mark.parametrize("kind", ["tenths", "reciprocals", "any"])
def test_any_order_of_the_topics(name, kind):
    """Means of tenths and of reciprocal ranks tie, but for the last bits, in which the order of the sum shows."""
    rng, coefficient = np.random.default_rng(1), COEFFICIENTS[name]
    tenths, ranks, scores = rng.integers(0, 11, (2, 50, 40)), rng.integers(1, 8, (2, 50, 40)), rng.random((2, 50, 40))
    first, second = {"tenths": tenths / 10, "reciprocals": 1 / ranks, "any": scores}[kind]
    expected = coefficient(first, second)
    for _ in range(5):
        found = coefficient(means_in_some_order(first, rng), means_in_some_order(second, rng))
        np.testing.assert_array_equal(found, expected)
        for as_given in (first[rng.permutation(50)], np.asfortranarray(first)):
            np.testing.assert_array_equal(coefficient(as_given, second.mean(axis=0)), expected)


@pytest.mark.parametrize("factor", [1.0, 3.0, 100.0])
def test_a_gap_of_just_the_fuzziness_counts_in_any_unit(factor):
    scores = factor * np.array([[1.0, 0.2, 1 / 3], [1 / 7, 1.0, 0.2]])
    assert ptr.kendall_tau(scores, scores[:, [1, 0, 2]], fuzziness=0.05) == pytest.approx(1 / 3)
