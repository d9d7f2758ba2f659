"""What a result of expected_correlation offers: the curve, the interval, the topics needed; and wrong arguments."""

import math
import pickle
from functools import partial

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr import kendall_tau, tau_ap, tau_gap
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.expected.expected_correlation import ESTIMATORS, CorrelationByTopics
from pt_rankcorr.stats.expected.expected_correlation import expected_correlation as by_any
from pt_rankcorr.stats.expected.topics_needed import (
    TopicsNeeded,
    shortfall_at,
    shortfalls_by_simulation,
    shortfalls_of_draws,
    topics_to_reach,
)
from pt_rankcorr.warnings import CloseSystemsWarning
from tests.stats import oracles_expected as oracle
from tests.stats.oracles import COEFFICIENTS as COEFFICIENTS_BY_NAME
from tests.stats.oracles_expected import scores_of

expected_correlation = partial(by_any, estimator="msqd")

COEFFICIENTS = ("tau", "tau_ap", "tau_gap")


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_curve_goes_through_the_value_and_rises(estimator, coefficient):
    scores = scores_of(20, 6)
    result = expected_correlation(scores, coefficient=coefficient, estimator=estimator, rng=1)
    assert result.curve(20) == result.value
    curve = result.curve([1, 5, 20, 100, 10_000])
    assert (np.diff(curve) >= 0).all()
    assert curve[-1] > 0.98


def test_curve_replaces_the_number_of_topics_in_the_standard_error():
    scores = scores_of(12, 5)
    p = oracle.probability_matrix(scores, lambda differences: oracle.ml(differences, n=30))
    order = np.argsort(-scores.mean(axis=0))
    result = expected_correlation(scores, coefficient="tau", estimator="ml")
    assert result.curve([[30]]).tolist() == [[pytest.approx(oracle.expected_tau(p[np.ix_(order, order)]))]]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_topics_needed_is_the_first_number_that_reaches_the_target(estimator):
    result = expected_correlation(scores_of(20, 6), estimator=estimator, rng=1)
    needed = result.topics_needed(0.9)
    assert needed == int(needed)
    assert result.curve(needed) >= 0.9 > result.curve(needed - 1)


def test_topics_needed_at_the_ends():
    scores = scores_of(20, 6)
    scores[:, 5] = scores[:, 4]
    result = expected_correlation(scores, coefficient="tau")
    assert result.topics_needed(-1.0) == 1
    assert result.topics_needed(1 - 1 / 15) == math.inf  # one tied pair of 15 is swapped half of the time
    assert result.topics_needed(1 - 1.1 / 15) < math.inf


def test_topics_needed_are_a_number_with_an_interval():
    result = by_any(scores_of(20, 6), coefficient="tau", rng=1)
    needed = result.topics_needed(0.9)
    assert isinstance(needed, float)
    assert needed.low <= needed.estimate == float(needed) <= needed.high
    assert (needed.low, needed.high) == needed.confidence_interval(LEVEL)
    narrow = needed.confidence_interval(0.5)
    assert needed.low <= narrow.low <= narrow.high <= needed.high
    assert f"{needed}" == repr(needed)
    copied = pickle.loads(pickle.dumps(needed))
    assert (copied, copied.low, copied.high) == (needed, needed.low, needed.high)


def of_drawn(numbers, estimate=50.0, n_topics=100):
    return TopicsNeeded(estimate, lambda: np.array(numbers), "tau", 0.9, n_topics)


def test_topics_are_shown_with_the_digits_that_draws_tell():
    rng = np.random.default_rng(1)
    assert repr(of_drawn(np.exp(rng.normal(np.log(431), 0.02, 10_000)), 431.0, 400)) == "430 [410, 450]"
    # ends whose errors are larger than a unit of the second digit have one, and stay ends
    assert repr(of_drawn(np.exp(rng.normal(np.log(431), 1.0, 10_000)), 431.0)) == "430 [60, 3000]*"
    assert repr(of_drawn([2.0, 5.0, math.inf] * 20, 4.0)) == "4 [2, >100000]"
    assert repr(of_drawn(np.linspace(46.0, 100.0, 40), 47.0)) == "47 [47, 100]"
    assert repr(of_drawn([1e7], 1234567.0)) == ">100000 [>100000, >100000]*"
    assert repr(of_drawn([math.inf], math.inf)) == "inf [inf, inf]"


def topics_of_draws(coefficient, truths, errors, n_topics, target):
    return topics_to_reach(shortfalls_of_draws(coefficient, truths, errors, n_topics), target)


def topics_by_definition(coefficient, truth, noise, n_topics, target):
    """By doubling: how many topics a truth needs, so that means with the noise of so many have the correlation."""
    kernel = COEFFICIENTS_BY_NAME[coefficient].kernel
    exponents = np.linspace(0, 14, 141)
    sizes = np.sqrt(n_topics / np.exp2(exponents))[:, np.newaxis, np.newaxis]
    found = kernel(np.broadcast_to(truth, (141, *noise.shape)), truth + noise * sizes).mean(axis=1)
    return float(np.exp2(exponents[found >= target][0]))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_what_a_draw_needs_is_what_simulated_topics_need(coefficient):
    rng = np.random.default_rng(2)
    truths, n_topics = rng.normal(0.0, 0.1, (4, 12)), 25
    root = rng.normal(0.0, 1.0, (12, 12)) / 12**0.5
    noise = rng.standard_normal((1000, 12)) @ root * 0.2 / n_topics**0.5
    covariance = root.T @ root * 0.04 / n_topics
    variances = covariance.diagonal()
    errors = np.sqrt(variances[:, np.newaxis] + variances - 2 * covariance)
    by_pairs = topics_of_draws(coefficient, truths, errors, n_topics, 0.85)
    wanted = [topics_by_definition(coefficient, truth, noise, n_topics, 0.85) for truth in truths]
    assert by_pairs == pytest.approx(wanted, rel=0.25)
    kernel = COEFFICIENTS_BY_NAME[coefficient].kernel
    # by thirty draws of noise
    roughly = topics_to_reach(shortfalls_by_simulation(kernel, truths, noise, n_topics), 0.85)
    assert np.abs(np.log2(roughly / wanted)).max() < 1.0


def test_draws_that_no_number_of_topics_tells_apart_need_endless_topics():
    truths = np.array([[0.1, 0.1, 0.3], [0.1, 0.2, 0.3]])
    errors = np.full((3, 3), 0.1)
    assert topics_of_draws("tau", truths, errors, 10, 0.9)[0] == math.inf
    assert math.isfinite(topics_of_draws("tau", truths, errors, 10, 0.9)[1])
    assert topics_of_draws("tau", truths, errors, 10, -1.0).tolist() == [1.0, 1.0]
    assert topics_of_draws("tau_gap", truths, 0.0 * errors, 10, 0.9).tolist() == [1.0, 1.0]


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_without_a_ranking_there_is_no_number_of_topics_and_no_interval():
    needed = by_any(np.ones((20, 3)), rng=1).topics_needed(0.9)
    assert math.isnan(needed)
    assert math.isnan(needed.low + needed.high)
    assert repr(needed) == "nan"


def test_topics_needed_print_as_the_command_prints_them():
    result = by_any(scores_of(20, 6), coefficient="tau", rng=1)
    near, far = result.topics_needed(0.5), result.topics_needed(0.9)
    assert "*" not in str(near)
    assert f"{far!r}\n" in str(far)
    assert "* Beyond 40 topics it is extrapolated further than simulations have checked." in str(far)
    row = {"topics_needed": far, "topics_needed_low": far.low, "topics_needed_high": far.high}
    assert far.to_frame().to_dict("records") == [row | {"level": LEVEL, "target": 0.9}]


@pytest.mark.parametrize(("coefficient", "function"), [("tau", kendall_tau), ("tau_ap", tau_ap), ("tau_gap", tau_gap)])
def test_interval_is_quantiles_over_resampled_truths(coefficient, function):
    scores = scores_of(20, 6)
    result = expected_correlation(scores, coefficient=coefficient, n_resamples=500, rng=3)
    means, truths = result.estimation.pairs.means, result.estimation.truths
    correlations = [function(truth, means) for truth in truths]
    assert result.confidence_interval(0.9) == pytest.approx(tuple(np.quantile(correlations, (0.05, 0.95))))
    # with four times as many topics they scatter half as much about the measured means
    nearer = [function(means + (truth - means) / 2, means) for truth in truths]
    expected = tuple(np.quantile(nearer, (0.05, 0.95)))
    assert result.confidence_interval(0.9, n_topics=80) == pytest.approx(expected, abs=1e-6)


def test_to_dict_is_flat_and_says_how():
    assert expected_correlation(scores_of(5, 3), rng=1).to_dict().keys() == {
        "value", "coefficient", "estimator", "n_topics", "n_systems", "n_resamples", "seed",
    }  # fmt: skip
    seeds = [expected_correlation(scores_of(5, 3), rng=rng).seed for rng in (7, np.random.default_rng(7), None)]
    assert seeds == [7, None, None]


@pytest.mark.parametrize("estimator", ["shrunken", "split-half"])
def test_topics_needed_for_a_coefficient_without_a_closed_form(estimator):
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 1, 5) + 0.5 * rng.standard_normal((20, 5))
    needed = by_any(scores, coefficient="spearman", estimator=estimator, n_resamples=50, rng=1).topics_needed(0.8)
    assert needed.low <= needed <= needed.high


def test_topics_needed_agrees_with_the_value():
    scores = np.arange(8.0)[:, np.newaxis] / 100 + np.array([0.1, 0.5, 0.9])
    scores[0] = 0.5, 0.3, 0.9
    result = by_any(scores, estimator="resampling", n_resamples=50, rng=1)
    assert result.value == 1.0
    needed = result.topics_needed(1.0)
    assert needed <= result.n_topics
    assert result.curve(needed) == 1.0 > result.curve(needed - 1)


SCORES = in_one_order(np.random.default_rng(4).beta(2, 3, (30, 8)) + np.linspace(0, 0.3, 8))  # as resampled
FUNCTIONS = {"tau": rc.kendall_tau, "tau_ap": rc.tau_ap, "tau_gap": rc.tau_gap}


def result(coefficient="tau", scores=SCORES, **settings):
    return rc.expected_correlation(scores, coefficient=coefficient, estimator="shrunken", rng=1, **settings)


@pytest.mark.parametrize("coefficient", FUNCTIONS)
def test_it_is_the_mean_over_draws_and_its_interval_their_quantiles(coefficient):
    found = result(coefficient, n_resamples=150)
    estimation = found.estimation
    values = [FUNCTIONS[coefficient](truth, estimation.pairs.means) for truth in estimation.truths]
    assert found.value == pytest.approx(np.mean(values))
    assert found.confidence_interval(0.9) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])))


def test_of_few_systems_all_draws_tell_how_many_topics_are_needed():
    intervals = [result(n_resamples=size).topics_needed(0.9).confidence_interval(0.9) for size in (100, 200, 400)]
    assert len(set(intervals)) == 3


def test_pairs_agree_with_the_draws():
    found = result(n_resamples=20_000)
    m = SCORES.shape[1]
    assert 1 - 2 * found.probabilities.sum() / (m * (m - 1)) == pytest.approx(found.value, abs=0.01)
    assert (found.probabilities == found.probabilities.T).all()
    assert found.probabilities.max() <= 0.5


def test_the_curve_rises_from_few_topics_to_all_there_are():
    found = result("tau_ap")
    values = found.curve([2, 5, 10, 20, 29, 30, 31, 50, 100, 1000, 1e6])
    assert (np.diff(values) > -0.01).all()
    assert values[5] == found.value
    assert values[6] == pytest.approx(found.value, abs=0.02)
    assert values[4] == pytest.approx(found.value, abs=0.02)
    assert values[-1] > 0.99
    needed = found.topics_needed(0.9)
    assert found.curve(needed) >= 0.9 > found.curve(needed - 1) - 0.01


@pytest.mark.parametrize("coefficient", [*FUNCTIONS, "spearman"])
def test_the_curve_has_no_kink_at_the_topics_at_hand(coefficient):
    """The tenth of topics after them gains about .86 of the tenth before, as errors of 1/sqrt(n) would."""
    found = result(coefficient, n_resamples=1000)
    before, after = np.diff(found.curve([27, 30, 33]))
    assert 0.75 < after / before < 0.95
    low, high = np.array([found.confidence_interval(n_topics=number) for number in (29, 30, 31)]).T
    assert np.abs(np.diff(low)).max() < 0.04
    assert np.abs(np.diff(high)).max() < 0.04


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
def test_the_curve_of_new_topics_is_the_mean_over_simulated_ones(coefficient):
    found = result(coefficient, n_resamples=4000)
    by_topics = CorrelationByTopics(found.of, found.estimation)
    for number in (8, 32, 128):
        simulated = by_topics.of_new_topics(number).mean()
        assert 1.0 - shortfall_at(by_topics.shortfalls, number) == pytest.approx(simulated, abs=0.03)


def test_one_set_of_draws_serves_all_coefficients():
    assert result("tau").with_coefficient("tau_gap").value == result("tau_gap").value


def test_close_systems_are_promised_less_than_by_msqd():
    rng = np.random.default_rng(7)
    close = rng.normal(np.linspace(0, 0.02, 20), 0.2, size=(10, 20))
    with pytest.warns(CloseSystemsWarning, match=r"10 topics do not show that the 20 systems differ.*interval"):
        found = result(scores=close)
    assert found.value < rc.expected_correlation(close, coefficient="tau", estimator="msqd").value - 0.05


def test_it_is_the_default():
    assert rc.expected_correlation(SCORES, coefficient="tau", rng=1) == result()


def test_close_systems_are_warned_of_once_and_where_the_caller_is():
    noise = np.random.default_rng(9).normal(size=(20, 10))
    with pytest.warns(CloseSystemsWarning) as caught:
        found = rc.expected_correlation(noise, rng=1)
    assert [warning.filename for warning in caught] == [__file__]
    assert found.with_coefficient("tau").value < 0.5  # without a warning
