"""PERM-BOTH against all permutations of a small case, one by one; and what it must not depend on."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau

from pt_rankcorr.stats import correlation_difference

RNG = np.random.default_rng(2)
SMALL = np.array([[0.1, 0.4, 0.9], [0.3, 0.2, 0.8]]), np.array([[0.2, 0.3, 0.9], [0.1, 0.2, 0.7]])
SMALL = (*SMALL, np.array([[0.5, 0.9, 0.4], [0.6, 0.25, 0.35]]))
PEOPLE = np.linspace(0, 1, 12) + RNG.normal(0, 0.2, (20, 12))
GOOD, POOR = PEOPLE + RNG.normal(0, 0.1, PEOPLE.shape), PEOPLE + RNG.normal(0, 2, PEOPLE.shape)


def test_it_is_the_share_of_all_exchanges():
    reference, *measures = SMALL
    one, other = ((scores - scores.mean()) / scores.std() for scores in measures)
    tau = lambda scores: kendalltau(reference.mean(axis=0), scores.mean(axis=0)).statistic  # noqa: E731
    observed = abs(tau(one) - tau(other))
    drawn = []
    for swaps in product([False, True], repeat=one.size):
        swapped = np.reshape(swaps, one.shape)
        drawn.append(abs(tau(np.where(swapped, other, one)) - tau(np.where(swapped, one, other))))
    expected = np.mean(np.array(drawn) >= observed - 1e-9)
    with pytest.warns(match="are too few|are few"):
        result = correlation_difference(*SMALL, method="permutation", n_resamples=20_000, rng=1)
    assert 0.05 < expected < 0.95
    assert result.pvalue == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20_000))


def test_neither_scale_nor_order_nor_workers_matter():
    how = {"method": "permutation", "n_resamples": 199, "rng": 1}
    result = correlation_difference(PEOPLE, GOOD, POOR, **how)
    assert result.pvalue == 1 / 200
    assert "permutation test PERM-BOTH, p = .005" in result.sentence()
    near = PEOPLE + RNG.normal(0, 0.15, PEOPLE.shape)
    found = correlation_difference(PEOPLE, GOOD, near, **how)
    for other in (
        correlation_difference(PEOPLE, 100 * GOOD + 3, near, **how),
        correlation_difference(PEOPLE, near, GOOD, **how),
        correlation_difference(PEOPLE, GOOD, near, n_jobs=2, **how),
    ):
        assert other.pvalue == found.pvalue
    t_test = correlation_difference(PEOPLE, GOOD, near, n_resamples=199, rng=1)
    assert (t_test.low, t_test.high, t_test.standard_error) == (found.low, found.high, found.standard_error)
    assert t_test.pvalue != found.pvalue


@pytest.mark.filterwarnings("ignore:No resample of topics changes the difference")
def test_equal_measures_have_p_1():
    assert correlation_difference(PEOPLE, GOOD, GOOD, method="permutation", n_resamples=99, rng=1).pvalue == 1.0
    with pytest.raises(ValueError, match="`method` must be 't' or 'permutation', got 'bootstrap'"):
        correlation_difference(PEOPLE, GOOD, POOR, method="bootstrap")
