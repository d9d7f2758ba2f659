"""The mean tau or tau_AP from the order of systems over all draws, against the mean of each draw's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.stats.coefficients.counting import in_bytes
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.expected import _evidence
from pt_rankcorr.stats.expected._by_order import mean_by_order

rng = np.random.default_rng(8)
TRUTHS = rng.normal(size=(70, 9))
MEANS = TRUTHS + rng.normal(0, 0.5, TRUTHS.shape)


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap"])
@pytest.mark.parametrize("unit", [1.0, 1e-150, 1e150])
def test_it_is_the_mean_over_draws(coefficient: str, unit: float) -> None:
    found = mean_by_order(coefficient, in_bytes(TRUTHS), MEANS * unit, unit)
    assert found == pytest.approx(COEFFICIENTS[coefficient].kernel(TRUTHS, MEANS).mean(), abs=1e-12)


@pytest.mark.parametrize("near", [0.0, 1e-12, -1e-12])
def test_it_is_undefined_where_rounding_may_tie_systems(near: float) -> None:
    means = MEANS.copy()
    means[40, 3] = means[40, 7] + near
    assert math.isnan(mean_by_order("tau", in_bytes(TRUTHS), means, 1.0))


def test_digits_count_from_the_size_of_the_scores() -> None:
    means = np.tile(np.arange(9.0), (70, 1))
    assert not math.isnan(mean_by_order("tau", in_bytes(TRUTHS), means, 1e9))
    assert math.isnan(mean_by_order("tau", in_bytes(TRUTHS), means, 1e12))


def scores_of(kind: str) -> np.ndarray:
    random = np.random.default_rng(5)
    n_systems = {"many": 270}.get(kind, 12)
    scores = random.beta(2, 3, (15, n_systems)) + np.linspace(0, 0.4, n_systems)
    if kind == "with equal systems":
        scores[:, 5] = scores[:, 6]
    return np.round(scores, 1) if kind == "coarse" else scores - 0.5 * (kind == "of both signs")


@pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "tau_gap"])
@pytest.mark.parametrize("kind", ["fine", "coarse", "of both signs", "with equal systems", "many"])
def test_the_topics_needed_are_those_of_the_curve(kind: str, coefficient: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"coefficient": coefficient, "n_resamples": 150 if kind != "many" else 20, "rng": 1}
    targets = (0.3, 0.6, 0.8, 0.9, 0.95)
    found = ptr.expected_correlation(scores_of(kind), **settings)
    needed = [found.topics_needed(target) for target in targets]
    monkeypatch.setattr(_evidence, "CLOSE", math.inf)  # no mean is far enough from a target
    exact = ptr.expected_correlation(scores_of(kind), **settings)
    assert needed == [exact.topics_needed(target) for target in targets]
