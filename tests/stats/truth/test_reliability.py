"""The posterior of lambda against its definition, pair by pair; draws and means of the truth that it shrinks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.truth import reliability as pairs
from pt_rankcorr.stats.truth.reliability import (
    GRID,
    PRIOR_OF_MEANS,
    PRIOR_OF_TESTS,
    Reliability,
    log_likelihoods,
    mean_differences,
    posterior,
    t_statistics,
    varying_pairs,
)
from pt_rankcorr.stats.truth.shrunken import draw_truths, reliability_of, shrunken_truth
from pt_rankcorr.warnings import DegenerateInputWarning, RoundedScoresWarning


def posterior_of(t, n_topics, n_systems, prior=PRIOR_OF_MEANS):
    return posterior(log_likelihoods(t, n_topics), t.size, n_systems, prior)


def definition(scores: np.ndarray, prior: tuple[float, float]) -> list[float]:
    """Value by value: the prior's mass times the composite likelihood of all pairs to the power of contrasts."""
    n, m = scores.shape
    pairs = [(scores[:, i] - scores[:, j]) for i in range(m) for j in range(i)]
    t = [math.sqrt(n) * d.mean() / d.std(ddof=1) for d in pairs if d.std() > 1e-9]
    ends = [0.0, *((GRID[1:] + GRID[:-1]) / 2), (1 + GRID[-1]) / 2]
    at_zero, at_one = prior
    logs = []
    for at, value in enumerate(GRID):
        c = 1 / math.sqrt(1 - value)
        fit = np.mean(stats.t.logpdf(np.array(t) / c, n - 1) - math.log(c)) if t else 0.0
        mass = (ends[at + 1] - ends[at]) * value**-at_zero * (1 - value) ** -at_one
        logs.append(math.log(mass) + (m - 1) * fit)
    weights = np.exp(np.array(logs) - max(logs))
    return list(weights / weights.sum())


@pytest.mark.parametrize("prior", [PRIOR_OF_MEANS, PRIOR_OF_TESTS])
@pytest.mark.parametrize("shape", [(2, 2), (2, 5), (10, 2), (12, 7), (50, 30)])
def test_posterior_is_its_definition(shape: tuple[int, int], prior: tuple[float, float]) -> None:
    scores = np.random.default_rng(3).random(shape) + np.linspace(0, 0.3, shape[1])
    differences, errors = mean_differences(scores)
    upper = np.triu_indices(shape[1], 1)
    found = posterior_of(differences[upper] / errors[upper], *shape, prior)
    assert found.weights == pytest.approx(definition(scores, prior), abs=1e-10)


def test_pairs_without_variance_take_no_part() -> None:
    scores = np.random.default_rng(4).random((10, 4))
    twins = np.column_stack([scores, scores[:, 0], scores[:, 1] + 0.5])
    assert reliability_of(twins).weights == pytest.approx(definition(twins, PRIOR_OF_MEANS), abs=1e-10)


def test_without_any_pair_the_prior_is_left() -> None:
    alike = np.tile(np.random.default_rng(5).random((6, 1)), (1, 3))
    assert reliability_of(alike).weights == pytest.approx(definition(alike, PRIOR_OF_MEANS))


@pytest.mark.parametrize(
    "change", [lambda x: 100 * x, lambda x: x / 7, lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x + 3]
)
def test_neither_scale_nor_order_matters(change) -> None:
    scores = np.random.default_rng(6).random((20, 9))
    assert reliability_of(change(scores)).weights == pytest.approx(reliability_of(scores).weights, rel=1e-9)


def test_systems_far_apart_are_not_shrunken_and_noise_is() -> None:
    rng = np.random.default_rng(7)
    apart = rng.normal(size=(50, 20), scale=0.01) + np.arange(20)
    assert reliability_of(apart).mean > 0.99
    assert np.mean([reliability_of(rng.normal(size=(50, 20))).mean for _ in range(20)]) < 0.3


def test_wrong_sign_is_the_integral_over_the_unknown_variance() -> None:
    """Against a simulation of the posterior: sigma^2 from its inverse chi-square, the difference from its normal."""
    n, t, value = 8, 1.3, 0.6
    rng = np.random.default_rng(8)
    found = posterior_of(np.array([t]), n, 2)
    only = type(found)(np.array([value]), np.array([1.0]))
    deviation = math.sqrt(n - 1 + (1 - value) * t**2) / np.sqrt(rng.chisquare(n, size=400_000))  # of D, in units of s
    difference = value * t + math.sqrt(value) * deviation * rng.standard_normal(400_000)
    assert only.wrong_sign(np.array([t]), n)[0] == pytest.approx((difference < 0).mean(), abs=0.003)


def test_wrong_sign_at_its_limits() -> None:
    found = posterior_of(np.array([1.0, 2.0]), 10, 3)
    at_zero, at_infinity = found.wrong_sign(np.array([0.0, np.inf]), 10)
    assert at_zero == pytest.approx(0.5, rel=1e-15)
    assert 0.0 <= at_infinity < 0.05  # lambda may be small, however large one t is
    t = np.linspace(0, 30, 200)
    assert (np.diff(found.wrong_sign(t, 10)) < 0).all()
    assert (found.wrong_sign(-t, 10) == found.wrong_sign(t, 10)).all()


def test_quantiles_and_draws_are_those_of_the_weights() -> None:
    found = posterior_of(np.array([1.0, -2.0, 0.3]), 10, 3)
    drawn = found.draw(np.random.default_rng(1), 100_000)
    assert drawn.mean() == pytest.approx(found.mean, abs=0.005)
    assert found.quantile(0.0) == GRID[0]
    assert found.quantile(1.0) == GRID[-1]
    assert np.quantile(drawn, 0.5) == found.quantile(0.5)


def test_mean_differences_by_the_formula() -> None:
    scores = np.random.default_rng(9).random((15, 70))
    differences, errors = mean_differences(scores)
    plain = scores[:, :, np.newaxis] - scores[:, np.newaxis, :]
    assert differences == pytest.approx(plain.mean(axis=0), abs=1e-12)
    assert errors == pytest.approx(plain.std(axis=0, ddof=1) / math.sqrt(15), rel=1e-10, abs=1e-15)


def test_pairs_that_vary_come_once_each() -> None:
    scores = np.random.default_rng(9).random((15, 150)).round(1)
    scores[:, 140] = scores[:, 3]
    differences, errors = mean_differences(scores)
    blocks = list(varying_pairs(scores))
    first, second = np.hstack([block for block, _ in blocks])
    t = np.concatenate([t for _, t in blocks])
    assert len(blocks) > 2
    every = np.transpose(np.nonzero(np.triu(errors > 0, 1))).tolist()
    assert np.transpose([first, second]).tolist() == every
    assert [3, 140] not in every
    assert t == pytest.approx(differences[first, second] / errors[first, second], rel=1e-12)


def test_many_identical_systems_take_one_block_each_not_one_pair_each(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    plain = pairs._squared_distances
    monkeypatch.setattr(pairs, "_squared_distances", lambda *given: calls.append(1) or plain(*given))
    alike = np.tile(np.random.default_rng(9).random((5, 1)), (1, 100))
    assert (mean_differences(alike)[1] == 0.0).all()
    assert len(calls) == 100


def test_near_twins_keep_their_variance() -> None:
    rng = np.random.default_rng(10)
    one = rng.random(30)
    scores = np.column_stack([one, one + 1e-7 * rng.standard_normal(30), rng.random(30)])
    difference = scores[:, 0] - scores[:, 1]
    errors = mean_differences(scores)[1]
    assert errors[0, 1] == pytest.approx(difference.std(ddof=1) / math.sqrt(30), rel=1e-6)


def test_t_of_constant_differences() -> None:
    scores = np.array([[0.1, 0.1, 0.3], [0.2, 0.2, 0.4], [0.5, 0.5, 0.7]])
    t = t_statistics(*mean_differences(scores))
    assert t.tolist() == [[0, 0, -np.inf], [0, 0, -np.inf], [np.inf, np.inf, 0]]


# --- draws and means of the shrunken truth --------------------------------------------------------------------

SCORES = np.random.default_rng(1).random((25, 6)) + np.linspace(0, 0.2, 6)


def certain(value: float) -> Reliability:
    return Reliability(np.array([value]), np.array([1.0]))


@pytest.mark.parametrize("value", [0.1, 0.6, 0.99])
def test_draws_have_the_moments_of_the_model(value: float) -> None:
    """Means lambda x, covariances lambda Sigma / n, with the heavier tails of unknown variances."""
    draws = draw_truths(SCORES, certain(value), 20_000, np.random.default_rng(2), None)
    means, n = SCORES.mean(axis=0), len(SCORES)
    assert draws.mean(axis=0) == pytest.approx(means.mean() + value * (means - means.mean()), abs=0.002)
    of_t = (n - 1) / (n - 3)
    expected = value * np.cov(SCORES.T) / n * of_t
    assert np.cov(draws.T) == pytest.approx(expected, abs=0.05 * expected.max())


def test_the_means_keep_their_order_and_come_nearer() -> None:
    truth = shrunken_truth(SCORES, rng=1)
    assert np.argsort(truth.means).tolist() == np.argsort(truth.measured).tolist()
    assert np.ptp(truth.means) == pytest.approx(truth.reliability * np.ptp(truth.measured))
    low, high = truth.reliability_interval()
    assert low <= truth.reliability <= high
    ends = truth.confidence_intervals()
    assert ((ends[:, 0] < truth.means) & (truth.means < ends[:, 1])).all()
    np.testing.assert_allclose(ends.T, np.quantile(truth.draws, [0.025, 0.975], axis=0))
    posterior = reliability_of(SCORES)
    for end, share in zip(truth.reliability_interval(0.8), (0.1, 0.9), strict=True):
        below, reached = (posterior.weights[which].sum() for which in (posterior.values < end, posterior.values <= end))
        assert below < share <= reached + 1e-12


def test_identical_systems_tie_in_every_draw() -> None:
    twins = np.column_stack([SCORES, SCORES[:, 2]])
    draws = shrunken_truth(twins, rng=1).draws
    assert (draws[:, 2] == draws[:, 6]).all()


def test_all_equal_scores_are_their_own_truth() -> None:
    with pytest.warns(DegenerateInputWarning):
        truth = shrunken_truth(np.full((4, 3), 0.5), n_draws=20, rng=1)
    assert (truth.draws == 0.5).all()
    assert (truth.means == 0.5).all()
    assert np.isnan(truth.reliability)


def test_differences_that_are_the_same_on_every_topic_have_no_reliability() -> None:
    with pytest.warns(DegenerateInputWarning):
        assert np.isnan(shrunken_truth([[0.1, 0.2, 0.4]] * 5, n_draws=20, rng=1).reliability)


def test_draws_of_systems_far_apart_in_size_do_not_overflow() -> None:
    scores = np.array([[1e90, 1.0, 1e-90], [-1e-99, -1e-99, 0.0]] * 5)
    with pytest.warns(RoundedScoresWarning, match="ties .s2. and .s3., whose scores differ"):
        found = rank_intervals(scores, n_resamples=20, rng=1)
    assert not np.isnan(found.low).any()
