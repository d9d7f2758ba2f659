"""What expected correlations, their intervals and their curves are worth, in simulations with a known truth.

The published errors are compared with ours on topics simulated as published: system effects are kept on the logit
scale, so that the true means are about 0.005 off the observed ones, which the study takes for the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest

from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.expected.correlation import expected_correlation as by_any
from pt_rankcorr.stats.expected.simulation import TopicSimulator

expected_correlation = partial(by_any, estimator="msqd")
Trec = Callable[[str], np.ndarray]


def simulated(
    scores: np.ndarray, n_topics: int, trials: int, *, levels: str = "scores"
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What the study takes for true means, and simulated scores, of all systems but the worst quarter."""
    means = scores.mean(axis=0)
    best = scores[:, means >= np.quantile(means, 0.25)]
    simulator, observed = TopicSimulator(best, levels=levels), best.mean(axis=0)
    rng = np.random.default_rng(42)
    for _ in range(trials):
        yield observed, simulator.draw(n_topics, rng)


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
@pytest.mark.parametrize("collection", ["adhoc6_ap", "adhoc7_ap", "web2012_ap"])
def test_intervals_cover_the_actual_correlation(trec: Trec, collection: str, coefficient: str) -> None:
    covered = []
    for truth, scores in simulated(trec(collection), 50, 300):
        actual = COEFFICIENTS[coefficient].kernel(truth, scores.mean(axis=0))
        low, high = expected_correlation(scores, coefficient=coefficient, rng=1).confidence_interval(0.95)
        covered.append(low <= actual <= high)
    assert 0.90 <= np.mean(covered) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["adhoc6_ap", "adhoc7_ap", "web2012_ap"])
def test_observed_gaps_make_tau_gap_a_little_too_high(trec: Trec, collection: str) -> None:
    biases = [
        expected_correlation(scores, coefficient="tau_gap").value - COEFFICIENTS["tau_gap"](truth, scores.mean(axis=0))
        for truth, scores in simulated(trec(collection), 50, 300)
    ]
    assert 0.005 <= np.mean(biases) <= 0.035


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
@pytest.mark.parametrize("collection", ["adhoc6_ap", "adhoc7_ap"])
def test_curve_foretells_other_numbers_of_topics(trec: Trec, collection: str, coefficient: str) -> None:
    scores, numbers = trec(collection), [20, 50, 100]
    curves = [
        expected_correlation(drawn, coefficient=coefficient).curve(numbers) for _, drawn in simulated(scores, 50, 100)
    ]
    actual = [
        np.mean([COEFFICIENTS[coefficient](truth, drawn.mean(axis=0)) for truth, drawn in simulated(scores, n, 300)])
        for n in numbers
    ]
    np.testing.assert_allclose(np.mean(curves, axis=0), actual, atol=0.025)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("collection", "coefficient", "estimator", "error", "bias"),
    [
        ("adhoc6_ap", "tau", "ml", 0.0943, 0.0680),
        ("adhoc6_ap", "tau", "msqd", 0.0846, 0.0411),
        ("adhoc6_ap", "tau_ap", "resampling", 0.0990, 0.0856),
        ("adhoc6_ap", "tau_ap", "kde", 0.0828, 0.0552),
        ("adhoc7_ap", "tau", "resampling", 0.0841, 0.0744),
        ("adhoc7_ap", "tau", "kde", 0.0666, 0.0423),
        ("adhoc7_ap", "tau_ap", "ml", 0.0655, 0.0341),
        ("adhoc7_ap", "tau_ap", "msqd", 0.0610, 0.0034),
    ],
)
def test_published_error_and_bias_with_10_topics(
    trec: Trec, collection: str, coefficient: str, estimator: str, error: float, bias: float
) -> None:
    deviations = []
    for truth, scores in simulated(trec(collection), 10, 200, levels="published"):
        result = expected_correlation(scores, coefficient=coefficient, estimator=estimator, rng=1)
        deviations.append(result.value - COEFFICIENTS[coefficient].kernel(truth, scores.mean(axis=0)))
    both_studies = (1 / 200 + 1 / 1000) ** 0.5
    assert abs(np.mean(deviations) - bias) < 3 * np.std(deviations) * both_studies
    assert abs(np.mean(np.abs(deviations)) - error) < 3 * np.std(np.abs(deviations)) * both_studies
