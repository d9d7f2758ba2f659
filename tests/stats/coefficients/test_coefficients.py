import itertools
import json
import pickle
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from pt_rankcorr import kendall_tau, tau_ap, tau_gap
from pt_rankcorr.stats import kendall_distance, kendall_interval, kendall_test, pearson, spearman
from pt_rankcorr.stats.coefficients import kendall
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles
from tests.stats.oracles import COEFFICIENTS, has_ranking, orders, pairs_of_scores

TOP_ERRS = [6, 5, 7, 8, 4, 3, 2, 1]
BOTTOM_ERRS = [8, 7, 6, 5, 2, 1, 3, 4]
IDENTITY = [8, 7, 6, 5, 4, 3, 2, 1]


tau_b = partial(kendall_tau, variant="b")
FUNCTIONS = {
    "tau": kendall_tau,
    "tau_b": tau_b,
    "tau_ap": tau_ap,
    "tau_ap_b": partial(tau_ap, variant="b"),
    "tau_ap, symmetric": partial(tau_ap, symmetric=True),
    "tau_gap": tau_gap,
    "spearman": spearman,
    "pearson": pearson,
}
DEFINITIONS = oracles.DEFINITIONS | {
    "tau_ap, symmetric": lambda x, y: (oracles.tau_ap_a(x, y) + oracles.tau_ap_a(y, x)) / 2
}
OF_RANKS = [name for name in FUNCTIONS if name not in ("pearson", "tau_gap")]
each_defined = pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "tau_gap"])  # of which below
each_coefficient = pytest.mark.parametrize("coefficient", FUNCTIONS.values(), ids=FUNCTIONS)
each_rank_coefficient = pytest.mark.parametrize("coefficient", [FUNCTIONS[name] for name in OF_RANKS], ids=OF_RANKS)


class TestDefinitions:
    @each_defined
    @given(vectors=pairs_of_scores())
    def test_agrees_with_the_definition(self, name, vectors):
        assume(has_ranking(*vectors))
        assert FUNCTIONS[name](*vectors) == pytest.approx(DEFINITIONS[name](*vectors), abs=1e-12)

    @each_defined
    @pytest.mark.parametrize(("items", "values"), [(256, 10), (257, 10), (300, 300), (300, 3)])
    def test_agrees_with_the_definition_on_long_vectors(self, name, items, values):
        truth, estimate = np.random.default_rng(items).integers(0, values, (2, items)).tolist()
        assert FUNCTIONS[name](truth, estimate) == pytest.approx(DEFINITIONS[name](truth, estimate), abs=1e-12)

    @pytest.mark.parametrize(
        ("coefficient", "untied"), [(kendall_tau, oracles.kendall_tau_a), (tau_ap, oracles.tau_ap_untied)]
    )
    @given(vectors=pairs_of_scores(most=5, values=4))
    def test_ties_a_is_the_mean_over_all_tie_breaks(self, coefficient, untied, vectors):
        assume(has_ranking(*vectors))
        assert coefficient(*vectors) == pytest.approx(oracles.mean_over_tie_breaks(untied, *vectors), abs=1e-12)


class TestProperties:
    @each_coefficient
    @given(truth=orders())
    def test_identity_and_reversal(self, coefficient, truth):
        assert coefficient(truth, truth) == pytest.approx(1.0, abs=1e-14)
        assert coefficient(truth, [-score for score in truth]) == pytest.approx(-1.0, abs=1e-14)

    @each_coefficient
    @pytest.mark.parametrize("distinct", [2, 3, 5, 1000])
    def test_rounding_does_not_leave_the_range(self, coefficient, distinct):
        for items in range(3, 80):
            scores = np.arange(items) % distinct
            for estimate in (scores, -scores):
                assert -1.0 <= coefficient(scores, estimate) <= 1.0

    def test_tau_b_of_equal_rankings_is_exactly_one(self):
        for items in range(2, 80):
            assert tau_b(np.arange(items), np.arange(items)) == 1.0  # or kendall_interval would refuse it

    @each_rank_coefficient
    @given(vectors=pairs_of_scores())
    def test_strictly_monotone_maps_change_nothing(self, coefficient, vectors):
        assume(has_ranking(*vectors))
        truth, estimate = vectors
        mapped = np.exp(truth), 3 * np.array(estimate) ** 3 - 7
        assert coefficient(*mapped) == coefficient(truth, estimate)

    @each_coefficient
    @pytest.mark.parametrize("items", [2, 7, 60, 300])
    def test_batches_are_rows(self, coefficient, items):
        rng = np.random.default_rng(items)
        truth, estimates = rng.integers(0, 50, (2, 1, items)), rng.integers(0, 50, (5, items))
        batch = coefficient(Rankings(truth), Rankings(estimates))
        assert batch.shape == (2, 5)
        rows = [[coefficient(first[0], second) for second in estimates] for first in truth]
        np.testing.assert_allclose(batch, rows, rtol=0, atol=1e-13)

    @each_coefficient
    def test_a_batch_of_none(self, coefficient):
        assert coefficient(Rankings(np.ones((0, 5))), Rankings(np.ones((0, 5)))).shape == (0,)


class TestKendallDistance:
    @given(vectors=pairs_of_scores())
    def test_agrees_with_the_definition(self, vectors):
        assume(has_ranking(*vectors))
        distance = kendall_distance(*vectors)
        assert (distance, type(distance)) == (oracles.kendall_distance(*vectors), int)

    def test_of_a_batch_only_what_ties_all_is_at_no_distance(self):
        with pytest.warns(DegenerateInputWarning, match="kendall_distance is undefined where all systems are tied"):
            distances = kendall_distance([3, 2, 1], Rankings([[3, 2, 1], [1, 2, 3], [1, 1, 2], [1, 1, 1]]))
        np.testing.assert_array_equal(distances, [0, 3, 2, np.nan])
        with pytest.warns(DegenerateInputWarning, match="kendall_distance is undefined"):
            assert np.isnan(kendall_distance([1, 1], [1, 2]))


class TestFuzziness:
    @pytest.mark.parametrize("variant", ["a", "b"])
    @given(vectors=pairs_of_scores(), fuzziness=st.sampled_from([0.05, 0.2, 0.5, 0.9]))
    def test_agrees_with_the_definition(self, variant, vectors, fuzziness):
        assume(has_ranking(*vectors))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateInputWarning)
            tau = kendall_tau(*vectors, variant=variant, fuzziness=fuzziness)
        assert tau == pytest.approx(oracles.fuzzy_tau(*vectors, fuzziness, variant), abs=1e-12, nan_ok=True)

    def test_a_pair_exactly_as_far_apart_counts(self):
        for better, worse in [(1.05, 1.0), (0.105, 0.1), (0.21, 0.2), (2.1, 2.0)]:
            assert kendall_tau([better, worse], [1, 2], fuzziness=0.05) == -1.0

    @pytest.mark.parametrize("factor", [1.0, 3.0, 100.0])
    def test_and_does_so_in_any_unit(self, factor):
        scores = factor * np.array([[1.0, 0.2, 1 / 3], [1 / 7, 1.0, 0.2]])
        assert kendall_tau(scores, scores[:, [1, 0, 2]], fuzziness=0.05) == pytest.approx(1 / 3)

    @pytest.mark.parametrize("vectors", [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [1, 1, 1])])
    def test_all_tied_warns_once(self, vectors):
        with pytest.warns(DegenerateInputWarning) as caught:
            assert np.isnan(kendall_tau(*vectors, fuzziness=0.05, variant="b"))
        assert ["all systems are tied" in str(warning.message) for warning in caught] == [True]

    def test_no_pair_left(self):
        with pytest.warns(DegenerateInputWarning):
            assert np.isnan(kendall_tau([1.00, 1.01], [1, 2], fuzziness=0.05))

    def test_batches_are_rows_and_blocks_change_nothing(self, monkeypatch):
        rng = np.random.default_rng(1)
        truth, estimates = rng.random((2, 1, 30)), rng.random((3, 30))
        batch = kendall_tau(Rankings(truth), Rankings(estimates), fuzziness=0.3)
        assert batch.shape == (2, 3)
        monkeypatch.setattr(kendall, "CACHED_CELLS", 7 * 30)
        for row, column in np.ndindex(2, 3):
            assert kendall_tau(truth[row, 0], estimates[column], fuzziness=0.3) == pytest.approx(batch[row, column])


def test_every_coefficient_is_listed():
    assert list(COEFFICIENTS)[:7] == ["tau", "tau_b", "tau_ap", "tau_ap_b", "tau_gap", "spearman", "pearson"]
    for coefficient in COEFFICIENTS.values():
        assert coefficient([3.0, 2, 1], [3.0, 2, 1]) == pytest.approx(1.0)
        assert coefficient.function(np.array([3.0, 2, 1]), np.array([3.0, 2, 1])) == pytest.approx(1.0)
        assert pickle.loads(pickle.dumps(coefficient)) == coefficient  # as workers get it


class TestPublished:
    def test_the_two_rankings_of_section_1(self):
        assert kendall_tau(IDENTITY, TOP_ERRS) == pytest.approx(18 / 28, abs=1e-14)  # printed as 0.6429
        assert kendall_tau(IDENTITY, BOTTOM_ERRS) == pytest.approx(18 / 28, abs=1e-14)
        assert tau_ap(IDENTITY, TOP_ERRS) < kendall_tau(IDENTITY, TOP_ERRS) < tau_ap(IDENTITY, BOTTOM_ERRS)

    @pytest.mark.parametrize(
        ("coefficient", "truth", "estimate", "key"),
        [
            (kendall_tau, "x", "y", "tau"),
            (kendall_tau, "x", "yt", "tau_a"),
            (tau_b, "xt", "yt", "tau_b"),
            (tau_ap, "x", "y", "tauAP"),
            (tau_ap, "x", "yt", "tauAP_a"),
            (FUNCTIONS["tau_ap_b"], "xt", "yt", "tauAP_b"),
            (FUNCTIONS["tau_ap_b"], "x", "y", "tauAP_b_notie"),
        ],
    )
    def test_reference_values(self, data, coefficient, truth, estimate, key):
        for case in reference(data):
            if case[key] is not None:
                assert coefficient(case[truth], case[estimate]) == pytest.approx(case[key], abs=1e-9)

    def test_theorem_1_errors_spread_evenly_make_tau_and_tau_ap_equal(self):
        """Yilmaz et al.: in expectation; exactly so over all permutations with one tau and their turned-over twins."""
        m = 7
        rankings = Rankings(list(oracles.tie_breaks([0.0] * m)))
        truth = np.arange(m, dtype=float)
        assert tau_ap(truth, rankings).mean() == pytest.approx(kendall_tau(truth, rankings).mean(), abs=1e-13)

    @given(st.integers(4, 30), st.data())
    def test_theorem_2_on_rankings(self, m, data):
        """One neighbouring swap: above the middle it costs tau_AP more than tau, below it less."""
        at = data.draw(st.integers(0, m - 2))
        truth = np.arange(m, 0, -1.0)
        swapped = truth.copy()
        swapped[[at, at + 1]] = truth[[at + 1, at]]
        difference = tau_ap(truth, swapped) - kendall_tau(truth, swapped)
        assert np.sign(np.round(difference, 12)) == np.sign(2 * (at + 1) - m)


def reference(data):
    return json.loads((data / "reference" / "coefficients.json").read_text())


class TestDegenerate:
    @each_coefficient
    @pytest.mark.parametrize(("truth", "estimate"), [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [1, 1, 1]), ([0, 0], [0, 0])])
    def test_all_tied_is_undefined(self, coefficient, truth, estimate):
        with pytest.warns(DegenerateInputWarning):
            assert np.isnan(coefficient(truth, estimate))

    @each_coefficient
    def test_only_the_tied_rows_of_a_batch_are_undefined(self, coefficient):
        with pytest.warns(DegenerateInputWarning):
            batch = coefficient([3, 2, 1], Rankings([[1, 1, 1], [3, 2, 1]]))
        assert np.isnan(batch[0])
        assert batch[1] == pytest.approx(1.0)


class TestLarge:
    @pytest.mark.parametrize("values", [2**50, 1000, 2])
    def test_a_hundred_thousand_systems(self, values):
        truth, noise = np.random.default_rng(values % 97).integers(0, values, (2, 100_000))
        estimate = truth + noise // 2
        assert tau_b(truth, estimate) == pytest.approx(scipy.stats.kendalltau(truth, estimate).statistic, abs=1e-12)
        assert 0 < tau_ap(truth, estimate) < 1

    @each_rank_coefficient
    def test_identity_of_a_hundred_thousand(self, coefficient):
        truth = np.random.default_rng(0).permutation(100_000)
        assert coefficient(truth, truth) == pytest.approx(1, abs=1e-11)
        assert coefficient(truth, -truth) == pytest.approx(-1, abs=1e-11)


class TestKendallInterval:
    def test_the_published_interval(self):
        assert np.round(kendall_interval(0.9, 25, level=0.95), 3).tolist() == [0.389, 0.987]  # eq. 1 of Carterette 2009

    @given(st.floats(-1, 1), st.integers(2, 500), st.floats(0.01, 0.999))
    def test_its_ends_are_the_roots(self, tau, m, level):
        z = scipy.stats.norm.ppf(0.5 + level / 2)
        for end in kendall_interval(tau, m, level=level):
            assert (tau - end) ** 2 == pytest.approx(2 * z**2 / m * (1 - end**2), abs=1e-9 * (1 + z**2))
            assert -1 - 1e-12 <= end <= 1 + 1e-12

    @given(st.floats(-1, 1), st.integers(2, 500))
    def test_it_holds_the_tau_and_mirrors(self, tau, m):
        low, high = kendall_interval(tau, m)
        assert low <= tau + 1e-12
        assert tau <= high + 1e-12
        mirrored = kendall_interval(-tau, m)
        assert (mirrored.low, mirrored.high) == pytest.approx((-high, -low), abs=1e-14)


class TestKendallTest:
    def test_by_hand(self):
        result = kendall_test(-0.5, 10)
        assert result.statistic == pytest.approx(0.5 / np.sqrt(50 / 810))
        assert result.pvalue == pytest.approx(2 * scipy.stats.norm.sf(result.statistic), abs=0.003)
        assert tuple(result) == (result.statistic, result.pvalue)
        assert result.to_dict() == {"statistic": result[0], "pvalue": result[1], "correlation": -0.5, "n_systems": 10}

    @pytest.mark.parametrize("tau", [0.0, 1.0, -1.0])
    def test_the_ends(self, tau):
        assert kendall_test(tau, 100).pvalue == pytest.approx(1.0 if tau == 0 else 0.0, abs=1e-12)

    @pytest.mark.parametrize("n_systems", [2, 4, 10, 30])
    def test_without_ties_it_is_scipy_s_exact_test(self, n_systems):
        rng = np.random.default_rng(0)
        exact = scipy.stats.kendalltau(rng.random(n_systems), rng.random(n_systems), method="exact")
        assert kendall_test(exact.statistic, n_systems).pvalue == pytest.approx(exact.pvalue)

    @given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.integers(0, 999))
    def test_with_ties_it_counts_all_orders(self, first, seed):
        second = np.random.default_rng(seed).integers(0, 3, len(first))
        taus = [oracles.kendall_tau_a(first, order) for order in itertools.permutations(second)]
        ties = tuple([int(n) for n in np.unique(side, return_counts=True)[1][::-1]] for side in (first, second))
        result = kendall_test(taus[0], len(first), ties=ties)
        assert result.pvalue == pytest.approx(np.mean(np.abs(taus) >= abs(taus[0]) - 1e-9))
        assert result.statistic == pytest.approx(abs(taus[0]) / np.std(taus) if np.ptp(taus) > 1e-9 else 0.0)

    def test_of_many_systems_with_ties_it_is_normal(self):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, 8, (2, 40))
        ties = tuple([int(n) for n in np.unique(side, return_counts=True)[1][::-1]] for side in (x, y))
        expected = scipy.stats.kendalltau(x, y, method="asymptotic").pvalue
        assert kendall_test(kendall_tau(x, y), 40, ties=ties).pvalue == pytest.approx(expected)

    def test_it_approximates_the_exact_distribution(self):
        """Among unrelated rankings tau has the variance that the test assumes."""
        m = 6
        taus = kendall_tau(np.arange(m), Rankings(list(oracles.tie_breaks([0.0] * m))))
        assert 1 / kendall_test(1.0, m).statistic ** 2 == pytest.approx(taus.var(), rel=1e-12)


def test_small_differences_of_large_scores_keep_their_correlation():
    steps = np.array([0.0, 1, 2, 3, 8])
    estimate = [1.0, 3, 2, 5, 4]
    assert pearson(1e10 + steps, estimate) == pytest.approx(pearson(steps, estimate), abs=1e-14)
