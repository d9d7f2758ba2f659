"""What new topics would show: against new topics, and plain definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pt_rankcorr.stats.significance.summaries import family_of
from pt_rankcorr.stats.significance.swap import _reliability, draw_new_topics, stability, swap_rates
from pt_rankcorr.stats.truth.shrunken import reliability_of

B = 40
may_be_nan = pytest.mark.filterwarnings("ignore:No difference has a swap rate")


def close_systems(rng: np.random.Generator, n_topics: int = 20) -> np.ndarray:
    return np.linspace(0.4, 0.45, 8) + rng.normal(size=(n_topics, 8)) * 0.15


def drawn(scores: np.ndarray, n_samples: int) -> tuple[np.ndarray, list[np.ndarray]]:
    return draw_new_topics(family_of(scores), np.mean, B, np.random.default_rng(5), n_samples, None)


@may_be_nan
def test_swaps_and_wins_are_counted_in_the_draws() -> None:
    scores = close_systems(np.random.default_rng(0))
    pairs = list(itertools.combinations(range(8), 2))
    _, (once, again) = drawn(scores, 2)
    swaps = swap_rates(scores, n_resamples=B, rng=5)
    assert swaps.swaps.sum() == sum(((once[i] - once[j]) * (again[i] - again[j]) < 0).sum() for i, j in pairs)
    truths, (sample,) = drawn(scores, 1)
    wrong = ties = 0
    for i, j in pairs:
        gap = (sample[i] - sample[j]) / np.maximum(np.abs(sample[i]), np.abs(sample[j]))
        wrong += ((np.abs(gap) >= 0.1) & (gap * (truths[i] - truths[j]) < 0)).sum()
        ties += (np.abs(gap) < 0.1).sum()
    result = stability(scores, fuzziness=0.1, n_resamples=B, rng=5)
    assert result.minority_rate[0] == pytest.approx(wrong / (B * 28))
    assert result.proportion_of_ties[0] == pytest.approx(ties / (B * 28))


def test_the_reliability_is_that_of_the_standard_errors_of_the_mean() -> None:
    scores = close_systems(np.random.default_rng(1), 30)
    weights = np.random.default_rng(0).multinomial(30, np.full(30, 1 / 30), size=20_000) / 30
    errors = (weights @ scores).T - scores.mean(axis=0)[:, np.newaxis]
    found, expected = _reliability(scores.mean(axis=0), errors, 30), reliability_of(scores)
    assert found.mean == pytest.approx(expected.mean, abs=0.02)


@may_be_nan
def test_new_topics_swap_as_often_as_foretold() -> None:
    """Resamples agree too often."""
    rng, found = np.random.default_rng(3), []
    for _ in range(60):
        scores, once, again = (close_systems(rng) for _ in range(3))
        (first, second) = (sample.mean(axis=0)[:, np.newaxis] - sample.mean(axis=0) for sample in (once, again))
        fresh = (first * second < 0).sum() / (8 * 7)
        rates = [swap_rates(scores, of=of, n_resamples=B, rng=rng) for of in ("new topics", "resamples")]
        found.append([fresh, *(rate.swaps.sum() / rate.counts.sum() for rate in rates)])
    fresh, foretold, resampled = np.mean(found, axis=0)
    assert resampled < fresh - 0.15
    assert abs(foretold - fresh) < 0.6 * abs(resampled - fresh)


@pytest.mark.parametrize("statistic", [np.median, np.max])
def test_any_statistic_will_do(statistic: object) -> None:
    scores = close_systems(np.random.default_rng(0))
    result = stability(scores, fuzziness=0.0, n_resamples=B, statistic=statistic, rng=1)
    assert 0.0 < result.minority_rate[0] < 0.5


def test_equal_systems_stay_equal_and_steady_ones_apart() -> None:
    scores = np.random.default_rng(0).random((9, 3))
    scores[:, 1], scores[:, 2] = scores[:, 0], scores[:, 0] + 0.5
    result = stability(scores, fuzziness=0.0, rng=1)
    assert result.proportion_of_ties[0] == 1 / 3
    assert result.minority_rate[0] == 0.0
