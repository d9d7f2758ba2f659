import itertools
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pt_rankcorr import tau_ap, tau_gap
from pt_rankcorr.stats.coefficients import gap
from pt_rankcorr.stats.coefficients.counting import GapSums, gap_sums
from pt_rankcorr.stats.coefficients.gap import ALL_UP_TO, expected_shares, informative_ranks, tie_breaks
from pt_rankcorr.stats.core.rankings import Rankings
from tests.stats import oracles
from tests.stats.oracles import has_ranking, orders, pairs_of_scores


@st.composite
def scores_and_order(draw, least=2, most=30):
    """Any scores as the truth, with ties and wide ranges, and an estimate without ties."""
    truth = draw(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=least, max_size=most))
    return truth, draw(st.permutations([float(i) for i in range(len(truth))]))


class TestDefinition:
    @given(scores_and_order())
    def test_without_ties_in_the_estimate(self, vectors):
        assume(has_ranking(*vectors))
        assert tau_gap(*vectors) == pytest.approx(oracles.tau_gap_untied(*vectors), abs=1e-12)

    @given(pairs_of_scores(most=7, values=5))
    @example(([2, 2, 2, 1, 1, 3], [1, 1, 1, 1, 1, 0]))  # how many ranks inform depends on how the first tie is broken
    @example(([2, 2, 1, 2, 3, 3], [5, 4, 4, 4, 1, 0]))  # and so in the second tie
    @example(([2, 2, 2, 2, 1, 3], [5, 4, 4, 3, 1, 1]))
    @example(([1, 1, 5, 1, 1, 1], [0, 0, 0, 0, 0, 1]))
    @example(([9, 8, 7, 6, 5, 4, 3], [1, 1, 1, 1, 1, 1, 0]))
    def test_with_ties_it_is_the_mean_over_all_tie_breaks(self, vectors):
        assume(has_ranking(*vectors))
        assert tau_gap(*vectors) == pytest.approx(oracles.tau_gap(*vectors), abs=1e-12)

    @pytest.mark.parametrize("items", [255, 256, 257, 500])
    def test_long_vectors(self, items):
        rng = np.random.default_rng(items)
        truth, estimate = rng.lognormal(0, 3, items), rng.permutation(items)
        assert tau_gap(truth, estimate) == pytest.approx(oracles.tau_gap_untied(truth, estimate), abs=1e-9)


class TestTheorems:
    @given(orders(2, 12), st.data())
    def test_2_with_one_gap_for_every_pair_it_is_tau_ap(self, truth, data):
        estimate = data.draw(st.permutations(truth))
        constant = oracles.gap_weighted(truth, estimate, lambda j, i: 0.37)
        assert constant == pytest.approx(tau_ap(truth, estimate), abs=1e-12)

    @given(st.integers(3, 40), st.floats(1.01, 100), st.data())
    def test_3_on_scores(self, m, growth, data):
        """One neighbouring swap; only the gap between the two grows."""
        at = data.draw(st.integers(1, m - 2))
        truth = np.arange(m, 0, -1.0)
        wider = truth.copy()
        wider[: at + 1] += growth
        swapped = truth.copy()
        swapped[[at, at + 1]] = truth[[at + 1, at]]
        assert tau_gap(wider, swapped) < tau_gap(truth, swapped)

    @given(st.integers(4, 40), st.floats(0.001, 0.5), st.data())
    def test_4_swaps_at_small_gaps_leave_it_above_tau_ap_and_at_large_below(self, m, small, data):
        at = data.draw(st.integers(1, m - 2))
        gaps = np.ones(m - 1)
        swapped = np.arange(m, 0, -1.0)
        swapped[[at, at + 1]] = swapped[[at + 1, at]]
        gaps[at] = small
        near = -np.concatenate(([0.0], np.cumsum(gaps)))
        gaps[at] = m**2 / small
        far = -np.concatenate(([0.0], np.cumsum(gaps)))
        assert tau_gap(far, swapped) < tau_ap(far, swapped) == tau_ap(near, swapped) < tau_gap(near, swapped)


class TestUnits:
    @given(scores_and_order(), st.integers(-20, 20), st.floats(-100, 100))
    def test_units_of_the_truth_do_not_matter(self, vectors, exponent, shift):
        assume(has_ranking(*vectors))
        truth, estimate = np.array(vectors)
        assert tau_gap(truth * 10.0**exponent, estimate) == pytest.approx(tau_gap(truth, estimate), abs=1e-9)
        assert tau_gap(np.round(truth * 1024) + np.round(shift), estimate) == pytest.approx(
            tau_gap(np.round(truth * 1024), estimate), abs=1e-12
        )

    @given(pairs_of_scores(most=6))
    def test_only_the_order_of_the_estimate_counts(self, vectors):
        assume(has_ranking(*vectors))
        truth, estimate = vectors
        assert tau_gap(truth, np.exp(estimate)) == tau_gap(truth, estimate)


class TestHardCases:
    @pytest.mark.parametrize("items", [40, 270])
    @pytest.mark.parametrize("outlier", [1e3, 1e9, -1e9])
    def test_one_outlier_does_not_drown_the_other_gaps(self, items, outlier):
        rng = np.random.default_rng(items)
        truth, estimate = rng.integers(0, 1000, items).astype(float), rng.permutation(items).astype(float)
        truth[np.argmin(estimate)] = outlier  # last in the estimate: all ranks but one never see it
        assert tau_gap(truth, estimate) == pytest.approx(oracles.tau_gap_untied(truth, estimate), abs=1e-13)
        truth[np.argmax(estimate)] = -outlier
        assert tau_gap(truth, estimate) == pytest.approx(oracles.tau_gap_untied(truth, estimate), abs=1e-13)

    def test_a_hundred_thousand_with_an_outlier(self):
        """Each rank's share is known: the best one last, the others in order."""
        m = 100_000
        truth = np.arange(m, 0, -1.0)
        truth[0] *= 1e3
        estimate = np.roll(np.arange(m, 0, -1.0), 1)
        estimate[0] = 0
        # m - 2 ranks are right; the last has every gap wrong
        assert tau_gap(truth, estimate) == pytest.approx(2 * (m - 2) / (m - 1) - 1, abs=1e-12)


class TestLargeTies:
    @pytest.mark.parametrize("members", [7, 8])
    @pytest.mark.parametrize("spread", ["even", "outlier"])
    @pytest.mark.parametrize("above", [True, False])
    @pytest.mark.parametrize("up_to", [gap.EXACT_UP_TO, 0], ids=["exact", "near"])
    def test_the_mean_over_all_tie_breaks(self, members, spread, above, up_to, monkeypatch):
        """From a tie of seven on it is not found by going through them, and of larger ones only some are taken."""
        monkeypatch.setattr(gap, "EXACT_UP_TO", up_to)
        truth = np.arange(members + 1.0)
        if spread == "outlier":
            truth[-1] = 1000.0
        ways = np.array(list(itertools.permutations(range(1, members + 1))), dtype=float)
        other = members + 1.0 if above else 0.0
        broken = np.concatenate((np.full((len(ways), 1), other), ways), axis=1)
        estimate = np.minimum(np.concatenate(([2 * other], np.ones(members))), 2.0)
        exact = tau_gap(truth, Rankings(broken)).mean()
        assert tau_gap(truth, estimate) == pytest.approx(exact, abs=1e-12 if up_to else 0.13 / members)

    @given(st.integers(0, 1000), st.integers(2, 6), st.integers(2, 4))
    @settings(deadline=None)
    def test_expected_shares_and_informative_ranks_by_their_definition(self, seed, members, values):
        rng = np.random.default_rng(seed)
        truth, outside = rng.integers(0, values, members) * 1.0, rng.integers(0, values, rng.integers(0, 3)) * 1.0
        scores, firsts, counts = np.unique(truth, return_index=True, return_counts=True)
        assume(len(scores) > 1)
        above = gap_sums(np.concatenate((truth, outside)), np.concatenate((np.zeros(members), np.ones(outside.size))))
        above, classes = GapSums(*(sums[np.newaxis, firsts] for sums in above)), tuple(counts.tolist())
        shares, ranks, _ = gap._by_sampling(scores, classes, above.of(0))  # in all ways
        is_steady, n_informative = informative_ranks(classes, above)
        assert is_steady[0] == (ranks.min() == ranks.max())
        assert not is_steady[0] or n_informative[0] == ranks[0]
        assert expected_shares(scores[np.newaxis], classes, above)[0] == pytest.approx(shares.mean(), abs=1e-12)

    @pytest.mark.parametrize("members", [5, 9, 15, 40, 200])
    def test_a_reversed_truth_has_the_opposite_value(self, members):
        rng = np.random.default_rng(members)
        truth, estimate = rng.lognormal(0, 3, 4 * members), rng.permutation(np.repeat(np.arange(4), members))
        assert tau_gap(-truth, estimate) == pytest.approx(-tau_gap(truth, estimate), abs=1e-12)

    @pytest.mark.parametrize("items", [30, 300])
    def test_near_the_mean_over_random_tie_breaks(self, items):
        rng = np.random.default_rng(items)
        truth = rng.lognormal(0, 1, items)
        estimate = np.round(np.argsort(np.argsort(truth)) / items * 2 + rng.random(items))
        broken = tau_gap(truth, Rankings(estimate + rng.random((1000, items)) / 2))
        assert tau_gap(truth, estimate) == pytest.approx(broken.mean(), abs=0.13 / (items - 1) + 4 * broken.std() / 31)

    def test_blocks_of_groups_change_nothing(self, monkeypatch):
        rng = np.random.default_rng(3)
        truth, estimate = rng.random(60), rng.integers(0, 25, 60)
        whole = tau_gap(truth, estimate)
        monkeypatch.setattr(gap, "CELLS_AT_ONCE", 1)
        assert tau_gap(truth, estimate) == pytest.approx(whole, abs=1e-14)


class TestTieBreaks:
    @pytest.mark.parametrize("members", range(1, ALL_UP_TO + 1))
    def test_all_of_a_small_tie(self, members):
        assert sorted(map(tuple, tie_breaks(members))) == sorted(itertools.permutations(range(members)))

    @pytest.mark.parametrize("members", [7, 10, 33, 256, 1000, 20_000])
    def test_balanced_for_a_large_one(self, members):
        ways = tie_breaks(members)
        assert 16 <= len(ways) < 2 * 1024
        assert (np.sort(ways, axis=1) == np.arange(members)).all()
        np.testing.assert_allclose(ways.mean(axis=0), (members - 1) / 2)  # each with its reverse
        if members <= 256:
            places = np.array([np.bincount(column.astype(int), minlength=members) for column in ways.T])
            assert (places == places[0, 0]).all()  # every member at every place alike often


class TestGapSums:
    @given(vectors=pairs_of_scores(least=1, most=20))
    def test_sums_are_those_of_the_definition(self, vectors):
        truth, estimate = vectors
        above = [[j for j in range(len(truth)) if estimate[j] > estimate[i]] for i in range(len(truth))]
        defined = GapSums(
            [sum(max(truth[j] - score, 0) for j in above[i]) for i, score in enumerate(truth)],
            [sum(max(score - truth[j], 0) for j in above[i]) for i, score in enumerate(truth)],
        )
        sums = gap_sums(np.array(truth), np.array(estimate))
        for computed, expected in zip(sums, defined, strict=True):
            np.testing.assert_allclose(computed, expected, rtol=1e-13)


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
    """Equal members as a class, or each as a class of its own."""
    truth = np.sort(np.array(values, dtype=float))
    above = gap_sums(np.append(truth, other), np.append(np.zeros(truth.size), 1.0))
    members = GapSums(*(sums[np.newaxis, :-1] for sums in above))
    scores, firsts, counts = np.unique(truth, return_index=True, return_counts=True)
    of_classes = GapSums(*(sums[:, firsts] for sums in members))
    shares = expected_shares(scores[np.newaxis], tuple(counts.tolist()), of_classes)
    wanted = expected_shares(truth[np.newaxis], (1,) * truth.size, members)
    assert shares == pytest.approx(wanted, abs=1e-12)
