"""What a result of expected_correlation offers: the curve, the interval, the topics needed; and wrong arguments."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.coefficients.ap import tau_ap
from pt_rankcorr.stats.coefficients.gap import tau_gap
from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS as COEFFICIENTS_BY_NAME
from pt_rankcorr.stats.expected.correlation import ESTIMATORS
from pt_rankcorr.stats.expected.correlation import expected_correlation as by_any
from pt_rankcorr.stats.expected.topics_needed import topics_by_simulation, topics_of_draws
from tests.stats import oracles_expected as oracle
from tests.stats.oracles_expected import scores_of

expected_correlation = partial(by_any, estimator="msqd")

COEFFICIENTS = ("tau", "tau_ap", "tau_gap")


# --- the curve, the interval, the number of topics --------------------------------------------------------


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_curve_goes_through_the_value_and_rises(estimator: str, coefficient: str) -> None:
    scores = scores_of(20, 6)
    result = expected_correlation(scores, coefficient=coefficient, estimator=estimator, rng=1)
    assert result.curve(20) == result.value
    curve = result.curve([1, 5, 20, 100, 10_000])
    assert (np.diff(curve) >= 0).all()
    assert curve[-1] > 0.98


def test_curve_replaces_the_number_of_topics_in_the_standard_error() -> None:
    scores = scores_of(12, 5)
    p = oracle.probability_matrix(scores, lambda differences: oracle.ml(differences, n=30))
    order = np.argsort(-scores.mean(axis=0))
    result = expected_correlation(scores, coefficient="tau", estimator="ml")
    assert result.curve([[30]]).tolist() == [[pytest.approx(oracle.expected_tau(p[np.ix_(order, order)]))]]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_topics_needed_is_the_first_number_that_reaches_the_target(estimator: str) -> None:
    result = expected_correlation(scores_of(20, 6), estimator=estimator, rng=1)
    needed = result.topics_needed(0.9)
    assert needed == int(needed)
    assert result.curve(needed) >= 0.9 > result.curve(needed - 1)


def test_topics_needed_at_the_ends() -> None:
    scores = scores_of(20, 6)
    scores[:, 5] = scores[:, 4]
    result = expected_correlation(scores, coefficient="tau")
    assert result.topics_needed(-1.0) == 1
    assert result.topics_needed(1 - 1 / 15) == math.inf  # one tied pair of 15 is swapped half of the time
    assert result.topics_needed(1 - 1.1 / 15) < math.inf


def test_topics_needed_are_a_number_with_an_interval() -> None:
    result = by_any(scores_of(20, 6), coefficient="tau", rng=1)
    needed = result.topics_needed(0.9)
    assert isinstance(needed, float)
    assert needed.low <= needed.estimate == float(needed) <= needed.high
    assert (needed.low, needed.high) == needed.confidence_interval(LEVEL)
    narrow = needed.confidence_interval(0.5)
    assert needed.low <= narrow.low <= narrow.high <= needed.high
    assert str(needed) == repr(needed) == f"{needed:.0f} [{needed.low:.0f}, {needed.high:.0f}]"
    copied = pickle.loads(pickle.dumps(needed))
    assert (copied, copied.low, copied.high) == (needed, needed.low, needed.high)


def topics_by_definition(coefficient: str, truth: np.ndarray, noise: np.ndarray, n_topics: int, target: float) -> float:
    """By doubling: how many topics a truth needs, so that means with the noise of so many have the correlation."""
    kernel = COEFFICIENTS_BY_NAME[coefficient].kernel
    exponents = np.linspace(0, 14, 141)
    sizes = np.sqrt(n_topics / np.exp2(exponents))[:, np.newaxis, np.newaxis]
    found = kernel(np.broadcast_to(truth, (141, *noise.shape)), truth + noise * sizes).mean(axis=1)
    return float(np.exp2(exponents[found >= target][0]))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_what_a_draw_needs_is_what_simulated_topics_need(coefficient: str) -> None:
    rng = np.random.default_rng(2)
    truths, n_topics = rng.normal(0.0, 0.1, (4, 12)), 25
    root = rng.normal(0.0, 1.0, (12, 12)) / 12**0.5
    noise = rng.standard_normal((2000, 12)) @ root * 0.2 / n_topics**0.5
    covariance = root.T @ root * 0.04 / n_topics
    variances = covariance.diagonal()
    errors = np.sqrt(variances[:, np.newaxis] + variances - 2 * covariance)
    by_pairs = topics_of_draws(coefficient, truths, errors, n_topics, 0.85)
    wanted = [topics_by_definition(coefficient, truth, noise, n_topics, 0.85) for truth in truths]
    assert by_pairs == pytest.approx(wanted, rel=0.25)
    kernel = COEFFICIENTS_BY_NAME[coefficient].kernel
    roughly = topics_by_simulation(kernel, truths, noise, n_topics, 0.85)  # by thirty draws of noise
    assert np.abs(np.log2(roughly / wanted)).max() < 1.0


def test_draws_that_no_number_of_topics_tells_apart_need_endless_topics() -> None:
    truths = np.array([[0.1, 0.1, 0.3], [0.1, 0.2, 0.3]])
    errors = np.full((3, 3), 0.1)
    assert topics_of_draws("tau", truths, errors, 10, 0.9)[0] == math.inf
    assert math.isfinite(topics_of_draws("tau", truths, errors, 10, 0.9)[1])
    assert topics_of_draws("tau", truths, errors, 10, -1.0).tolist() == [1.0, 1.0]
    assert topics_of_draws("tau_gap", truths, 0.0 * errors, 10, 0.9).tolist() == [1.0, 1.0]


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_without_a_ranking_there_is_no_number_of_topics_and_no_interval() -> None:
    needed = by_any(np.ones((20, 3)), rng=1).topics_needed(0.9)
    assert math.isnan(needed)
    assert math.isnan(needed.low + needed.high)
    assert str(needed) == "nan"


@pytest.mark.parametrize(("coefficient", "function"), [("tau", kendall_tau), ("tau_ap", tau_ap), ("tau_gap", tau_gap)])
def test_interval_is_quantiles_over_resampled_truths(coefficient: str, function: Callable[..., float]) -> None:
    scores = scores_of(20, 6)
    result = expected_correlation(scores, coefficient=coefficient, n_resamples=500, rng=3)
    means, truths = result._evidence.pairs.means, result._evidence.resampled
    correlations = [function(truth, means) for truth in truths]
    assert result.confidence_interval(0.9) == pytest.approx(tuple(np.quantile(correlations, (0.05, 0.95))))


def test_interval_narrows_with_topics() -> None:
    result = expected_correlation(scores_of(20, 10), rng=3)
    widths = [high - low for low, high in (result.confidence_interval(n_topics=n) for n in (20, 200, 1e9))]
    assert widths[0] > widths[1] > widths[2] == 0


# --- what a result is ---------------------------------------------------------------------------------------


def test_to_dict_is_flat_and_says_how() -> None:
    assert expected_correlation(scores_of(5, 3), rng=1).to_dict().keys() == {
        "value", "coefficient", "estimator", "n_topics", "n_systems", "n_resamples", "seed",
    }  # fmt: skip
    seeds = [expected_correlation(scores_of(5, 3), rng=rng).seed for rng in (7, np.random.default_rng(7), None)]
    assert seeds == [7, None, None]


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.CloseSystemsWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_results_can_be_sent_to_other_processes(estimator: str) -> None:
    result = expected_correlation(scores_of(20, 4), estimator=estimator, rng=1)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.curve([10, 30]).tolist() == result.curve([10, 30]).tolist()
    assert copy.confidence_interval() == result.confidence_interval()


def test_names_of_systems_are_kept() -> None:
    assert expected_correlation(ScoreMatrix(scores_of(5, 2), systems=["b", "a"])).systems == ("b", "a")
    assert expected_correlation(scores_of(5, 2)).systems == ("s1", "s2")


def test_topics_needed_for_a_coefficient_without_a_closed_form() -> None:
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 1, 5) + 0.5 * rng.standard_normal((20, 5))
    needed = by_any(scores, coefficient="spearman", n_resamples=50, rng=1).topics_needed(0.8)
    assert needed.low <= needed <= needed.high
