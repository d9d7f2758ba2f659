"""The tests of d_rank: null distributions and p-values."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.distance import Reference, ledoit_wolf_shrinkage
from pt_rankcorr.stats.rank_distance.test import DRankTest, d_rank
from pt_rankcorr.stats.truth.shrunken import shrunken_truth
from tests.stats import oracles_rank_distance as oracle

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

NULLS = ("published", "two-sample")


def beta_scores(n_topics=40, n_systems=8, seed=0):
    rng = np.random.default_rng(seed)
    difficulty = rng.beta(2, 3, (n_topics, 1))
    noise = 0.1 * rng.standard_normal((n_topics, n_systems))
    return np.clip(difficulty + noise + np.linspace(0, 0.05, n_systems), 0, 1)


# --- null distributions -----------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [beta_scores(12, 5), np.round(beta_scores(12, 5), 1), beta_scores(6, 9)])
def test_published_null_is_algorithm_2(scores):
    """Resample by resample, for the samples of topics that the package draws of its canonical topics."""
    reference = Reference.of(scores, "sample", 1e-5)
    canonical = reference.scores
    test = DRankTest(canonical, n_resamples=60, null="published", rng=7)
    child = np.random.default_rng(7).spawn(1)[0]
    size = resampling.block_size(max(len(canonical), canonical.shape[1] ** 2))
    indices = resampling.topic_indices(child, size, len(canonical))[:60]
    assert test.null_distribution == pytest.approx(oracle.null_distribution(canonical, indices), rel=1e-6, abs=1e-6)


def test_two_sample_null_by_its_definition():
    """d_rank of resampled means against topics that are resampled independently, of means closer together."""
    canonical = Reference.of(beta_scores(15, 6), "sample", 1e-5).scores
    test = DRankTest(canonical, n_resamples=40, null="two-sample", covariance="sample", rng=7)
    child = np.random.default_rng(7).spawn(1)[0]
    size = resampling.block_size(max(len(canonical), canonical.shape[1] ** 2))
    n_topics = len(canonical)
    counts = child.multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=size)
    moved = canonical + (shrunken_truth(canonical).reliability - 1) * (canonical.mean(axis=0) - canonical.mean())
    rankings = [np.repeat(moved, count, axis=0).mean(axis=0) for count in counts]
    samples = resampling.topic_indices(child, size, n_topics)
    expected = [oracle.d_rank(moved[s], y) for s, y in zip(samples[:40], rankings, strict=False)]
    assert test.null_distribution == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_reference_quantiles(data, trec):
    """Within four Monte Carlo standard errors; measures without tied bootstrap means."""
    cases = json.loads((data / "reference" / "d_rank.json").read_text())
    for name in ("ap", "rr", "err20", "ndcg20"):
        case = next(c for c in cases if c["collection"] == "web2012" and c["baseline"] == name)
        test = DRankTest(trec(f"web2012_{name}")[:, case["systems"]], n_resamples=2000, null="published", rng=1)
        for level, reference in ((0.5, case["null_median"]), (0.95, case["null_q95"])):
            margin = 4 * np.sqrt(level * (1 - level) * (1 / 1000 + 1 / 2000))
            low, high = np.quantile(test.null_distribution, (level - margin, min(level + margin, 1)))
            assert low < reference < high


def test_reference_pvalues(data, trec):
    for case in json.loads((data / "reference" / "d_rank.json").read_text())[:20]:
        scores, other = (trec(f"web2012_{case[of]}")[:, case["systems"]] for of in ("baseline", "ranking"))
        result = d_rank(scores, other.mean(axis=0), n_resamples=300, null="published", rng=2)
        assert result.pvalue == pytest.approx(case["share_of_null_at_least"], abs=0.02)


# --- p-values and critical values -------------------------------------------------------------------


def test_a_distance_equal_to_one_of_the_null_counts_as_at_least():
    """With two systems the published null has a single distance above 0, which is also the observed one."""
    scores = np.array([[0.4, 0.5], [0.2, 0.4], [0.6, 0.3], [0.5, 0.6]])
    test = DRankTest(scores, n_resamples=199, null="published", rng=3)
    result = test.test([1, 0])
    assert result.pvalue == (1 + (test.null_distribution > 0).sum()) / 200
    assert 0.1 < result.pvalue < 0.6


@given(st.floats(0.001, 0.999), st.integers(1, 60), st.integers(0, 100))
def test_beyond_the_critical_value_and_only_there_p_is_at_most_alpha(alpha, n_resamples, seed):
    test = DRankTest(beta_scores(20, 4), n_resamples=n_resamples, null="published", rng=seed)
    critical = test.critical_value(alpha)
    for distance in [0.0, 0.7, *test.null_distribution]:
        pvalue = (1 + (test.null_distribution >= distance * (1 - 1e-13)).sum()) / (n_resamples + 1)
        assert (pvalue <= alpha * (1 + 1e-13)) == (distance > critical * (1 + 1e-13))


@pytest.mark.parametrize("alpha", [0.9999, 1 - 1e-16])
def test_at_a_level_of_almost_1_every_resample_is_far_enough(alpha):
    test = DRankTest(beta_scores(), n_resamples=1, null="two-sample", rng=0)
    assert test.critical_value(alpha) == test.null_distribution[0]


def test_two_sample_takes_the_number_of_topics_from_the_ranking():
    from pt_rankcorr.scores import ScoreMatrix

    scores, other = beta_scores(40, 5), ScoreMatrix(beta_scores(10, 5, seed=1))
    few = d_rank(scores, other, null="two-sample", n_resamples=400, rng=0)
    many = d_rank(scores, other.means, null="two-sample", n_resamples=400, rng=0)
    assert few.statistic == many.statistic
    assert np.median(few.null_distribution) > np.median(many.null_distribution)


# --- the Ledoit-Wolf covariance ---------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(2, 12), st.integers(0, 1000))
@settings(deadline=None)
def test_ledoit_wolf_by_its_definition(n_topics, n_systems, seed):
    scores = np.random.default_rng(seed).beta(1, 2, (n_topics, n_systems))
    basis = oracle.contrasts(n_systems)
    share, expected = oracle.ledoit_wolf(scores @ basis)
    rows = scores - scores.mean(axis=1, keepdims=True)
    if n_systems > 2:
        assert ledoit_wolf_shrinkage(rows - rows.mean(axis=0)) == pytest.approx(share, abs=1e-9)
    reference = Reference.of(scores, "ledoit-wolf", 1e-5)
    rows = basis[reference.systems]
    assert rows.T @ reference.model.covariance @ rows == pytest.approx(expected * reference.unit**-2, abs=1e-12)


@given(st.integers(2, 30), st.integers(0, 1000))
@settings(deadline=None)
def test_two_systems_leave_nothing_to_shrink(n_topics, seed):
    scores = np.random.default_rng(seed).beta(1, 2, (n_topics, 2))
    assert Reference.of(scores, "ledoit-wolf", 1e-5).shrinkage == 0.0


def test_no_variance_no_shrinkage():
    assert ledoit_wolf_shrinkage(np.zeros((4, 3))) == 0.0


# --- solvers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", [*NULLS, "shrunken"])
def test_resamples_solved_by_quadprog_are_equal_and_counted(null, monkeypatch):
    first, fresh = (
        DRankTest(beta_scores(), n_resamples=100, null=null, covariance="sample", rng=5)  # which has no bounds
        for _ in range(2)
    )
    pivoting = first.test(range(8))
    distances = pivoting.null_distribution
    assert pivoting.fallbacks == 0
    monkeypatch.setattr(solver, "by_pivoting", lambda covariance, differences: None)
    monkeypatch.setattr(solver, "by_nnls", lambda covariance, differences: None)
    quadprog = fresh.test(range(8))
    assert quadprog.null_distribution == pytest.approx(distances, abs=1e-8)
    # of the whole block, only resamples with a broken constraint are solved at all
    assert quadprog.fallbacks == np.count_nonzero(quadprog.null_distribution[: quadprog.n_used])
    if null != "shrunken":
        assert fresh.fallbacks == np.count_nonzero(fresh.null_distribution)
