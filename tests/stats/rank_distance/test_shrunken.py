"""The null from shrunken means: its centre by the formula, and what holds of any null."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pt_rankcorr.stats.rank_distance.allowed import allowed_ranks
from pt_rankcorr.stats.rank_distance.centres import CENTRES, nearest, reliabilities_under, shrunken
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.test import DRankTest, Rankings, d_rank
from pt_rankcorr.stats.truth.reliability import GRID

SCORES = np.random.default_rng(4).beta(2, 3, (25, 7)) + np.linspace(0, 0.2, 7)
RANKING = np.array([2.0, 1.0, 3.0, 5.0, 4.0, 7.0, 6.0])


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
    fitter = Reference.of(SCORES, "ledoit-wolf", 1e-5).fitter
    means = fitter.model.means
    (share,) = reliabilities_under(fitter.scores, RANKING[np.newaxis])
    theta = means + nearest(fitter, RANKING[np.newaxis])[0]
    swapped = np.sort(means)[np.argsort(np.argsort(RANKING))]
    centre = share * (share / 2 * swapped + (1 - share / 2) * theta)
    found = means + shrunken(fitter, RANKING[np.newaxis])[0]
    assert found - found.mean() == pytest.approx(centre - centre.mean())
    assert (np.diff(found[np.argsort(RANKING)]) >= -1e-12).all()


def test_a_ranking_has_one_p_value_alone_and_among_others_and_for_any_workers() -> None:
    rankings = Rankings([RANKING, SCORES.mean(axis=0), RANKING[::-1]])
    one, two = (
        DRankTest(SCORES, null="shrunken", n_resamples=200, rng=1, n_jobs=jobs).test(rankings) for jobs in (1, 2)
    )
    assert (one.pvalue == two.pvalue).all()
    assert one.pvalue[1] == 1.0
    alone = DRankTest(SCORES, null="shrunken", n_resamples=200, rng=1).test(RANKING)
    assert alone.pvalue == one.pvalue[0]
    assert alone.covariance == "ledoit-wolf"


def test_its_centres_are_taken_and_once_for_all_blocks_of_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(fitter, rankings):
        calls.append(len(rankings))
        return shrunken(fitter, rankings)

    monkeypatch.setitem(CENTRES, "shrunken", counted)
    DRankTest(SCORES, null="shrunken", n_resamples=400, rng=1).test(RANKING)
    assert calls == [1]
    allowed_ranks(SCORES, null="shrunken", n_resamples=30, n_null_resamples=19, rng=1)
    assert len(calls) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("equal", "least", "most"), [(True, 0.02, 0.1), (False, 0.02, 0.08)])
def test_it_keeps_its_level(equal: bool, least: float, most: float) -> None:
    rng = np.random.default_rng(6)
    means = np.zeros(10) if equal else np.linspace(0, 0.5, 10)
    ranking = np.arange(10.0)
    rejected = [
        DRankTest(rng.normal(means, 0.3, (50, 10)), null="shrunken", n_resamples=199, rng=rng).test(ranking).pvalue
        <= 0.05
        for _ in range(400)
    ]
    assert least <= np.mean(rejected) <= most


def test_rankings_whose_differences_overflow() -> None:
    scores, order = np.random.default_rng(0).random((5, 4)), np.array([3.0, -4.0, -2.0, 1.0])
    expected = d_rank(scores, order, n_resamples=19, rng=1)
    assert d_rank(scores, order * 4e307, n_resamples=19, rng=1) == expected
