"""The null from shrunken means: its centre by the formula, and what holds of any null."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.rank_distance import null
from pt_rankcorr.stats.rank_distance.allowed import allowed_ranks
from pt_rankcorr.stats.rank_distance.distance import Reference, nearest_order
from pt_rankcorr.stats.rank_distance.null import reliabilities_under, shifts_to_centres
from pt_rankcorr.stats.rank_distance.test import DRankTest, d_rank
from pt_rankcorr.stats.truth.reliability import GRID
from tests.stats import oracles_rank_distance as oracle
from tests.stats.rank_distance.test_d_rank import problems, ranks_nothing

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

SCORES = np.random.default_rng(4).beta(2, 3, (25, 7)) + np.linspace(0, 0.2, 7)
RANKING = np.array([2.0, 1.0, 3.0, 5.0, 4.0, 7.0, 6.0])
COVARIANCES = ("sample", "ledoit-wolf")


def close_systems(n_topics: int = 40, n_systems: int = 8, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.beta(2, 3, (n_topics, 1)) / 2 + 0.2 + 0.05 * rng.standard_normal((n_topics, n_systems))


def made(scores: np.ndarray, **kwargs: object) -> DRankTest:
    return DRankTest(scores, **{"n_resamples": 99, "rng": 5, **kwargs})


# --- the centre -------------------------------------------------------------------------------------


def reliability_by_definition(scores: np.ndarray, ranking: np.ndarray) -> float:
    """The uniform prior, times for each pair its likelihood and the probability that it has the ranking's sign."""
    n, m = scores.shape
    ends = [0.0, *((GRID[1:] + GRID[:-1]) / 2), (1 + GRID[-1]) / 2]
    logs = []
    for at, value in enumerate(GRID):
        of_pairs = []
        for i in range(m):
            for j in range(i):
                d = scores[:, i] - scores[:, j]
                t = math.sqrt(n) * d.mean() / d.std(ddof=1)
                likelihood = stats.t.logpdf(t * math.sqrt(1 - value), n - 1) + math.log(1 - value) / 2
                expected = math.sqrt(value) * t / math.sqrt((n - 1 + (1 - value) * t**2) / n)
                of_pairs.append(likelihood + stats.t.logcdf(np.sign(ranking[i] - ranking[j]) * expected, n))
        logs.append(math.log(ends[at + 1] - ends[at]) + (m - 1) * np.mean(of_pairs))
    weights = np.exp(np.array(logs) - max(logs))
    return float(weights @ GRID / weights.sum())


def test_reliability_under_a_hypothesis_is_its_definition() -> None:
    tied = np.array([2.0, 1.0, 3.0, 5.0, 5.0, 7.0, 6.0])
    rankings = np.array([RANKING, tied, SCORES.mean(axis=0), -SCORES.mean(axis=0)])
    found = reliabilities_under(SCORES, rankings)
    assert found == pytest.approx([reliability_by_definition(SCORES, ranking) for ranking in rankings], abs=1e-9)
    assert found[3] < found[2]


def test_the_centre_by_its_formula() -> None:
    reference = Reference.of(SCORES, "ledoit-wolf", 1e-5)
    means = reference.model.means
    (share,) = reliabilities_under(reference.scores, RANKING[np.newaxis])
    theta = reference.model.nearest_means(np.argsort(RANKING))
    swapped = np.sort(means)[np.argsort(np.argsort(RANKING))]
    centre = share * (share / 2 * swapped + (1 - share / 2) * theta)
    found = means + shifts_to_centres(reference, RANKING[np.newaxis])[0]
    assert found - found.mean() == pytest.approx(centre - centre.mean())
    assert (np.diff(found[np.argsort(RANKING)]) >= -1e-12).all()


@given(problems())
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_the_nearest_means_that_keep_a_ranking(problem) -> None:
    scores, ranking = problem
    reference = Reference.of(scores, "sample", 1e-5)
    scores_in_order = reference.rankings_of(ranking)[0]
    order = nearest_order(reference.model, scores_in_order[0])
    nearest = reference.model.nearest_means(order)[order]
    assert np.diff(nearest).min() >= -1e-10
    moved = np.diff(nearest - reference.model.means[order])
    squared = moved @ np.linalg.solve(reference.model.spread(order), moved)
    if not reference.is_undefined(scores_in_order)[0]:
        expected = reference.distances(scores_in_order)[0]
        assert np.sqrt(len(scores) * squared) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_centres_are_taken_once_for_all_blocks_of_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(null, "shifts_to_centres", lambda *given: calls.append(1) or shifts_to_centres(*given))
    DRankTest(SCORES, n_resamples=400, rng=1).test(RANKING)
    assert len(calls) == 1
    allowed_ranks(SCORES, n_resamples=30, n_null_resamples=19, rng=1)
    assert len(calls) == 2


# --- the null distribution --------------------------------------------------------------------------


def samples_of(test: DRankTest, scores: np.ndarray) -> np.ndarray:
    """The samples of topics that a test draws, of topics in canonical order."""
    child = resampling.twin(test._null._seeded[0][0])
    size = resampling.block_size(max(len(scores), scores.shape[1] ** 2))
    return resampling.topic_indices(child, size, len(scores))


@given(problems(), st.integers(0, 100))
def test_is_its_definition(problem, seed) -> None:
    scores, ranking = problem
    ranking = np.argsort(np.argsort(ranking, kind="stable"))  # ties would be broken anew in each resample
    assume(not ranks_nothing(scores, ranking) and ranking.size > 2)
    reference = Reference.of(scores, "sample", 1e-5)
    test = made(reference.scores, covariance="sample", n_resamples=8, rng=seed)
    shift = shifts_to_centres(reference, ranking[np.newaxis].astype(float))[0]
    expected = oracle.resampled_from(reference.scores, ranking, shift, samples_of(test, reference.scores)[:8])
    assert test.test(ranking).null_distribution == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_two_systems_swap_their_scores(covariance) -> None:
    """Of a sample where the first is better: Student's t of its differences with random signs, or 0."""
    scores = Reference.of(np.round(close_systems(20, 2), 2), covariance, 1e-5).scores[:, ::-1]
    test = made(scores, covariance=covariance)
    child = resampling.twin(test._null._seeded[0][0])
    signs = 1 - 2 * child.integers(0, 2, (resampling.BLOCK_RESAMPLES, 20))[:99]
    gaps = signs * (scores[:, 0] - scores[:, 1])
    t = np.sqrt(20) * gaps.mean(axis=1) / np.sqrt(gaps.var(axis=1, ddof=1) + 1e-5)
    assert test.test([1, 2]).null_distribution == pytest.approx(np.maximum(t, 0), abs=1e-9)


def test_the_p_value_of_two_systems_is_that_of_all_signs() -> None:
    gaps = np.array([0.3, 0.1, -0.2, 0.4, 0.3, -0.1, 0.2, 0.3])
    scores = np.column_stack([0.5 + gaps, np.full(8, 0.5)])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = (np.round((signs * gaps).sum(axis=1), 9) >= round(gaps.sum(), 9)).mean()
    found = d_rank(scores, [1, 2], n_resamples=20_000, rng=1)
    assert found.pvalue == pytest.approx(exact, abs=4 * found.pvalue_standard_error)


@given(problems())
def test_the_references_own_ranking_has_p_1(problem) -> None:
    scores, _ = problem
    if np.ptp(scores.mean(axis=0).round(12)) > 0:
        assert tuple(made(scores, n_resamples=9).test(scores.mean(axis=0))) == (0.0, 1.0)


# --- a null for each ranking ------------------------------------------------------------------------


def test_beyond_the_critical_value_of_a_ranking_and_only_there_p_is_at_most_alpha() -> None:
    test = made(close_systems())
    for ranking in np.random.default_rng(0).random((10, 8)):
        found = test.test(ranking)
        for alpha in (0.05, 0.3, 0.9):
            assert (found.pvalue <= alpha) == (found.statistic > test.critical_value(alpha, ranking=ranking))
