import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pt_rankcorr.stats import contributions, swap_weights
from tests.stats import oracles
from tests.stats.oracles import COEFFICIENTS, DEFINITIONS, has_ranking, orders, pairs_of_scores

each_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS)


def exchanged(best_first, correlate):
    """What the exchange of each pair of scores costs."""
    truth = np.array(best_first, dtype=float)
    costs = np.zeros((truth.size, truth.size))
    for i, j in np.ndindex(costs.shape):
        swapped = truth.copy()
        swapped[[i, j]] = truth[[j, i]]
        costs[i, j] = float(correlate(truth, truth)) - float(correlate(truth, swapped))
    return costs


class TestSwapWeights:
    @each_coefficient
    @given(truth=st.lists(st.integers(1, 100), min_size=2, max_size=7, unique=True))
    def test_agrees_with_the_definition(self, coefficient, truth):
        costs = exchanged(sorted(truth, reverse=True), lambda *vectors: DEFINITIONS[coefficient](*map(list, vectors)))
        assert swap_weights(truth, coefficient).values == pytest.approx(costs, abs=1e-12)

    @each_coefficient
    @given(truth=st.lists(st.integers(0, 4), min_size=2, max_size=6).filter(lambda scores: len(set(scores)) > 1))
    def test_ties_change_what_an_exchange_costs(self, coefficient, truth):
        best_first = np.sort(np.array(truth, dtype=float))[::-1]
        costs = exchanged(best_first, COEFFICIENTS[coefficient].kernel)
        assert swap_weights(best_first, coefficient).values == pytest.approx(costs, abs=1e-12)

    @each_coefficient
    def test_gaps_of_any_size_and_offset(self, coefficient):
        truth = [1e5 + 3, 1e5 + 2.5, 1e5 + 2.4999, 1e5, 5.0, 4.0]
        costs = exchanged(truth, COEFFICIENTS[coefficient].kernel)
        assert swap_weights(truth, coefficient).values == pytest.approx(costs, abs=1e-9)

    def test_figures_4_to_6(self, trec):
        """tau is symmetric from corner to corner, tau_AP decreases to the end, tau_GAP is light at the diagonal."""
        scores = trec("adhoc5_ap")
        tau, head, gap = (swap_weights(scores, name).values for name in ("tau", "tau_ap", "tau_gap"))
        np.testing.assert_allclose(tau, tau[::-1, ::-1].T, atol=0.01)
        assert head[0, 1] > head[30, 31] > head[58, 59] > 0
        neighbours = np.arange(60)
        assert (gap[neighbours, neighbours + 1] < head[neighbours, neighbours + 1]).mean() > 0.9


class TestContributions:
    @each_coefficient
    @given(vectors=pairs_of_scores(most=9))
    def test_they_add_up(self, coefficient, vectors):
        assume(has_ranking(*vectors))
        found = contributions(*vectors, coefficient)
        assume(COEFFICIENTS[coefficient].pair_costs or np.isfinite(found.costs).all())
        assert found.statistic == pytest.approx(DEFINITIONS[coefficient](*vectors), abs=1e-12)
        assert np.triu(found.costs).sum() == pytest.approx(1 - found.statistic, abs=1e-12)
        assert found.by_system.sum() == pytest.approx(1 - found.statistic, abs=1e-12)
        assert (found.costs >= -1e-15).all()
        np.testing.assert_array_equal(found.costs, found.costs.T)
        assert (found.costs.diagonal() == 0).all()

    @pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
    @given(truth=orders(), data=st.data())
    def test_pairs_in_the_right_order_cost_nothing(self, coefficient, truth, data):
        estimate = data.draw(st.permutations(truth))
        costs = contributions(truth, estimate, coefficient).costs
        by_truth = [estimate[item] for item in oracles.best_first(truth)]
        for i, j in np.ndindex(costs.shape):
            wrong = (by_truth[i] - by_truth[j]) * (i - j) > 0
            assert (costs[i, j] > 0) == wrong

    @given(truth=orders(2, 8), data=st.data())
    def test_costs_of_tau_ap_by_definition(self, truth, data):
        estimate = data.draw(st.permutations(truth))
        by_truth = [estimate[item] for item in oracles.best_first(truth)]
        costs = contributions(truth, estimate).costs
        for i, j in np.ndindex(costs.shape):
            if i < j and by_truth[i] < by_truth[j]:  # the better one stands lower
                above = sum(score > by_truth[i] for score in by_truth)
                assert costs[i, j] == pytest.approx(2 / (len(truth) - 1) / above)

    @given(vectors=pairs_of_scores(most=6))
    def test_costs_of_ties_are_means_over_tie_breaks(self, vectors):
        """tau_AP of the ways to break the ties of the estimate; the truth has none."""
        truth, estimate = np.arange(len(vectors[0])) + 1.0, vectors[1]
        assume(has_ranking(estimate))
        for name in ("tau", "tau_ap", "tau_gap"):
            ways = [contributions(truth, broken, name).costs for broken in oracles.tie_breaks(estimate)]
            np.testing.assert_allclose(contributions(truth, estimate, name).costs, np.mean(ways, axis=0), atol=1e-12)

    def test_a_perfect_agreement_costs_nothing(self):
        assert contributions([3, 2, 1], [3, 2, 1]).to_frame().empty
