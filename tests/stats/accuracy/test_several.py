"""Many correlations at once, contests and families of estimates, and decisions about pairs, by their definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal, studentized_range, ttest_rel

from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors, correlation_interval
from pt_rankcorr.stats.accuracy.decisions import Decisions, Moments, decide, decision_intervals
from pt_rankcorr.stats.accuracy.difference import (
    MOST,
    clusters_of,
    components_of,
    contests_of,
    correlations_with,
    sampling_error_between,
)
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from tests.stats.oracles import kendall_tau_a
from tests.stats.oracles_sensitivity import drawn_topics

NAMES = ("tau", "tau_ap_b", "pearson")


def scores(seed, noise=0.3, topics=9, systems=6):
    truth = np.random.default_rng(0).random((topics, systems)) + np.linspace(0, 0.5, systems)
    return truth + noise * np.random.default_rng(seed).standard_normal(truth.shape)


def wanted(*names, top=None):
    return Coefficients(tuple(COEFFICIENTS[name] for name in names), top)


class TestCorrelationErrors:
    def test_each_resample_is_the_definition(self):
        reference, estimate = scores(1), scores(2)
        found = correlation_errors(reference, estimate, wanted(*NAMES, top=3), n_resamples=40, seed=5)
        assert list(found) == [*NAMES, *(f"{name}@3" for name in NAMES)]
        for at, drawn in enumerate(drawn_topics(9, 40, 5)):
            first, second = reference[drawn].mean(axis=0), estimate[drawn].mean(axis=0)
            best = sorted(range(6), key=lambda system: -first[system])[:3]
            assert found["tau"].replicates[at] == pytest.approx(kendall_tau_a(first.tolist(), second.tolist()))
            for name in NAMES:
                assert found[name].replicates[at] == pytest.approx(
                    float(COEFFICIENTS[name].kernel(first, second)), abs=1e-9
                )
                ends = float(COEFFICIENTS[name].kernel(first[best], second[best]))
                assert found[f"{name}@3"].replicates[at] == pytest.approx(ends, abs=1e-9)

    def test_systems_that_tie_at_the_border_are_taken_in_their_places(self):
        reference, estimate = np.array([3.0, 2.0, 2.0, 1.0]), np.array([1.0, 2.0, 0.0, 5.0])
        first, last = (
            Coefficients((COEFFICIENTS["tau"],), 2, np.array(places)).of(reference, estimate)[1]
            for places in (range(4), [3, 2, 1, 0])
        )
        assert (first, last) == (-1.0, 1.0)

    def test_where_one_ties_all_systems_there_is_nothing(self):
        found = correlation_errors(scores(1), np.ones((9, 6)), wanted("tau"), n_resamples=10, seed=1)["tau"]
        assert np.isnan([found.statistic, found.estimate, found.low, found.pvalue, found.standard_error]).all()
        assert found.n_undefined == 10


class TestContests:
    def found(self, *estimates, resamples=60):
        return contests_of(
            correlations_with(scores(1), list(estimates), COEFFICIENTS["tau"], n_resamples=resamples, seed=3)
        )

    def test_p_values_are_shares_of_draws(self):
        estimates = [scores(2, 0.05), scores(3, 0.5), scores(4, 2.0)]
        found = self.found(*estimates)
        results = [correlation_interval(scores(1), each, n_resamples=60, rng=3) for each in estimates]
        assert found.results == results
        statistics, centred = {}, {}
        for one, other in itertools.combinations(range(3), 2):
            differences = results[one].draws - results[other].draws
            error = differences.std(ddof=1)
            assert found.standard_errors[one, other] == found.standard_errors[other, one] == pytest.approx(error)
            gap = abs(differences.mean()) / error
            away = np.abs(differences - differences.mean()) / error
            rarer = min((differences <= 0.0).sum(), (differences >= 0.0).sum())
            assert found.pvalues[one, other] == pytest.approx(min(1.0, 2.0 * (rarer + 1) / 61))
            statistics[one, other], centred[one, other] = gap, away
        left, largest = sorted(statistics, key=lambda pair: -statistics[pair]), 0.0
        while left:  # Romano and Wolf, step by step
            most = np.max([centred[pair] for pair in left], axis=0)
            largest = max(largest, (1 + (most >= statistics[left[0]] - 1e-9).sum()) / 61)
            pair = left.pop(0)
            assert found.corrected[pair] == pytest.approx(max(largest, found.pvalues[pair]))
        draws = np.array([result.draws for result in results])
        first = np.isclose(draws, draws.max(axis=0))
        assert found.may_be_best().tolist() == [share > 0.05 / 3 for share in first.mean(axis=1)]

    def test_the_order_of_estimates_changes_no_bit(self):
        estimates = [scores(2, 0.05), scores(3, 0.5), scores(4, 2.0)]
        one, other = self.found(*estimates), self.found(*estimates[::-1])
        assert one.results == other.results[::-1]
        assert np.array_equal(one.pvalues, other.pvalues[::-1, ::-1])

    def test_equal_estimates_differ_in_nothing_and_opposite_ones_in_all(self):
        found = self.found(scores(1), scores(1), -scores(1))
        assert found.corrected[0, 1] == found.pvalues[0, 1] == 1.0
        assert found.corrected[0, 2] == found.pvalues[0, 2] == 2 / 61
        assert [(each.statistic, each.estimate) for each in found.results] == [(1.0, 1.0), (1.0, 1.0), (-1.0, -1.0)]
        assert found.better(0.05).tolist() == [[False, False, True], [False, False, True], [False, False, False]]

    def test_too_few_resamples_tell_nothing(self):
        found = self.found(scores(1), scores(2), resamples=1)
        assert math.isnan(found.standard_errors[0, 1])


@pytest.mark.parametrize(
    ("worse", "clusters"),
    [
        (np.zeros((3, 3), dtype=bool), ((0, 1, 2),)),
        (np.triu(np.ones((3, 3), dtype=bool), k=1), ((0,), (1,), (2,))),
        (np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool), ((0, 1), (2,))),
        (np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool), ((0, 1, 2),)),
    ],
)
def test_clusters_are_parted_where_all_above_are_better(worse, clusters):
    assert clusters_of(worse) == clusters


class TestDecisions:
    def test_t_and_p_are_those_of_scipy(self):
        matrix = scores(1)
        moments = Moments.of(matrix)
        pairs = list(itertools.combinations(range(6), 2))
        expected = [ttest_rel(matrix[:, one], matrix[:, other], alternative="greater") for one, other in pairs]
        assert moments.students_t()[tuple(np.transpose(pairs))] == pytest.approx([test.statistic for test in expected])
        assert moments.pvalues() == pytest.approx([test.pvalue for test in expected])
        assert moments.pvalues(nearly=True) == pytest.approx([test.pvalue for test in expected], abs=1e-4)
        two_sided = [ttest_rel(matrix[:, one], matrix[:, other]).pvalue < 0.05 for one, other in pairs]
        better = moments.better(0.05, corrected=False)
        assert [bool(better[pair] or better[pair[::-1]]) for pair in pairs] == two_sided

    def test_the_corrected_test_is_tukey_s_of_a_two_way_table(self):
        matrix = scores(1)
        residuals = matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean()
        error = (residuals**2).sum() / (8 * 5)
        required = studentized_range.ppf(0.95, 6, 40) * np.sqrt(error / 9)
        gaps = matrix.mean(axis=0)[:, np.newaxis] - matrix.mean(axis=0)
        assert np.array_equal(Moments.of(matrix).better(0.05, corrected=True), gaps >= required)

    def test_a_resample_of_all_topics_has_their_moments(self):
        found, expected = Moments.resampled(scores(1), np.ones(9)), Moments.of(scores(1))
        assert found.means == pytest.approx(expected.means)
        assert found.covariance == pytest.approx(expected.covariance * 9 / 8)  # as resamples vary less

    def test_equal_systems_are_no_better_and_constant_differences_surely(self):
        matrix = np.array([[1.0, 1.0, 2.0], [0.0, 0.0, 1.0], [4.0, 4.0, 5.0]])
        assert Moments.of(matrix).pvalues().tolist() == [0.5, 1.0, 1.0]

    def test_without_one_kind_of_pairs_there_is_no_balanced_accuracy(self):
        none, half = np.zeros((3, 3), dtype=bool), np.full(3, 0.5)
        assert decide(none, none, half, half)[:4] == (0, 0, 0, 0)
        assert math.isnan(decide(none, none, half, half).balanced_accuracy)
        every = np.triu(np.ones((3, 3), dtype=bool), k=1)
        assert decide(every, every.T, half, half)[:4] == (0, 3, 0, 0)

    @pytest.mark.parametrize("corrected", [False, True])
    def test_intervals_hold_what_was_observed(self, corrected):
        reference, estimate = scores(1, topics=30), scores(2, topics=30)
        first, second = Moments.of(reference), Moments.of(estimate)
        better = [moments.better(0.05, corrected=corrected) for moments in (first, second)]
        observed = decide(*better, first.pvalues(), second.pvalues())
        settings = {"alpha": 0.05, "corrected": corrected, "level": 0.9, "n_resamples": 50, "seed": 1}
        found = decision_intervals(reference, estimate, observed, **settings)
        assert list(found) == [name for name in Decisions._fields if name != "reversals"]
        for name, (low, high) in found.items():
            assert 0 <= low <= getattr(observed, name) <= high <= (1 if name.endswith("accuracy") else 15)


MODELS, PROMPTS = np.repeat(np.arange(6), 4), np.arange(24)


def drawn(seed, between, within, noise):
    """Estimates of six models of four prompts, whose sampling errors are partly shared, and its covariance."""
    rng = np.random.default_rng(seed)
    sampling_error = noise**2 * (0.5 + 0.5 * np.eye(24))
    truth = 0.6 + rng.normal(0, between, 6)[MODELS] + rng.normal(0, within, 24)
    return truth + rng.multivariate_normal(np.zeros(24), sampling_error), sampling_error


def deviance(estimates, sampling_error, deviations):
    """-2 log density of the differences of neighbours, of which the mean is no part."""
    covariance = sampling_error + sum(
        own**2 * (groups[:, np.newaxis] == groups) for own, groups in zip(deviations, (MODELS, PROMPTS), strict=True)
    )
    moves = np.diff(np.eye(24), axis=0)
    return -2 * float(multivariate_normal.logpdf(np.diff(estimates), cov=moves @ covariance @ moves.T))


def test_one_factor_is_that_of_an_analysis_of_variance():
    """With errors alike and independent: the variance of the means of models, less what sampling error gives them."""
    estimates, _ = drawn(1, 0.1, 0.0, 0.03)
    (found,) = components_of(estimates, 0.03**2 * np.eye(24), [MODELS], 0.95)
    means = estimates.reshape(6, 4).mean(axis=1)
    assert found.deviation == pytest.approx(np.sqrt(means.var(ddof=1) - 0.03**2 / 4), rel=1e-4)
    assert found.low < found.deviation < found.high


@pytest.mark.parametrize(("between", "within"), [(0.1, 0.05), (0.02, 0.05), (0.0, 0.0)])
def test_estimates_and_intervals_are_those_of_the_restricted_likelihood(between, within):
    estimates, sampling_error = drawn(2, between, within, 0.03)
    found = components_of(estimates, sampling_error, [MODELS, PROMPTS], 0.9)
    best = [each.deviation for each in found]
    grid = [
        deviance(estimates, sampling_error, [x, y]) for x in np.linspace(0, 0.3, 13) for y in np.linspace(0, 0.15, 13)
    ]
    lowest = deviance(estimates, sampling_error, best)
    assert lowest <= min(grid) + 1e-6
    for at, each in enumerate(found):
        for end in (each.low, each.high):
            others = np.linspace(0, 0.3, 151)
            profile = min(
                deviance(estimates, sampling_error, [end, other] if at == 0 else [other, end]) for other in others
            )
            expected = chi2.ppf(0.9, 1)
            if end == 0.0:
                assert profile - lowest <= expected
            else:
                assert profile - lowest == pytest.approx(expected, abs=0.05)


def test_two_groups_can_differ_by_anything():
    (found,) = components_of(np.array([0.5, 0.7, 0.5, 0.7]), 1e-4 * np.eye(4), [np.array([0, 1, 0, 1])], 0.999)
    assert found.high == MOST


def test_equal_estimates_without_sampling_error_do_not_differ():
    (found,) = components_of(np.full(4, 0.5), np.zeros((4, 4)), [np.array([0, 1, 0, 1])], 0.95)
    assert found == pytest.approx((0.0, 0.0, 0.0), abs=1e-5)


def test_sampling_error_is_what_separates_equal_values():
    rng = np.random.default_rng(3)
    sampling_error = 0.04**2 * (0.7 + 0.3 * np.eye(5))
    samples = rng.multivariate_normal(np.zeros(5), sampling_error, size=200_000)
    assert sampling_error_between(sampling_error) == pytest.approx(
        np.sqrt(samples.var(axis=1, ddof=1).mean()), rel=0.01
    )
    assert sampling_error_between(sampling_error) == pytest.approx(0.04 * np.sqrt(0.3))
