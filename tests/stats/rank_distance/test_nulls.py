"""The tests of d_rank: null distributions, their centres, and p-values."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.covariance import ledoit_wolf_shrinkage
from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest, d_rank
from pt_rankcorr.stats.rank_distance.distance import ReferenceSample, nearest_order
from pt_rankcorr.stats.rank_distance.null import reliabilities_under, shifts_to_centres
from pt_rankcorr.stats.truth.reliability import GRID
from pt_rankcorr.stats.truth.shrunken import shrunken_truth
from tests.stats import oracles_rank_distance as oracle
from tests.stats.rank_distance.test_d_rank import problems, ranks_nothing

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

NULLS = ("published", "two-sample")


def beta_scores(n_topics=40, n_systems=8, seed=0):
    rng = np.random.default_rng(seed)
    difficulty = rng.beta(2, 3, (n_topics, 1))
    noise = 0.1 * rng.standard_normal((n_topics, n_systems))
    return np.clip(difficulty + noise + np.linspace(0, 0.05, n_systems), 0, 1)


@pytest.mark.parametrize("scores", [beta_scores(12, 5), np.round(beta_scores(12, 5), 1), beta_scores(6, 9)])
def test_published_null_is_algorithm_2(scores):
    """Resample by resample, for the samples of topics that the package draws of its canonical topics."""
    reference = ReferenceSample.of(scores, "sample", 1e-5)
    canonical = reference.scores
    test = DRankTest(canonical, n_resamples=60, null="published", rng=7)
    child = np.random.default_rng(7).spawn(1)[0]
    size = resampling.block_size(max(len(canonical), canonical.shape[1] ** 2))
    indices = resampling.topic_indices(child, size, len(canonical))[:60]
    assert test.null_distribution == pytest.approx(oracle.null_distribution(canonical, indices), rel=1e-6, abs=1e-6)


def test_two_sample_null_by_its_definition():
    """d_rank of resampled means against topics that are resampled independently, of means closer together."""
    canonical = ReferenceSample.of(beta_scores(15, 6), "sample", 1e-5).scores
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


@given(st.integers(2, 12), st.integers(2, 12), st.integers(0, 1000))
@settings(deadline=None)
def test_ledoit_wolf_by_its_definition(n_topics, n_systems, seed):
    scores = np.random.default_rng(seed).beta(1, 2, (n_topics, n_systems))
    basis = oracle.contrasts(n_systems)
    share, expected = oracle.ledoit_wolf(scores @ basis)
    rows = scores - scores.mean(axis=1, keepdims=True)
    if n_systems > 2:
        assert ledoit_wolf_shrinkage(rows - rows.mean(axis=0)) == pytest.approx(share, abs=1e-9)
    reference = ReferenceSample.of(scores, "ledoit-wolf", 1e-5)
    rows = basis[reference.systems]
    assert rows.T @ reference.model.covariance.matrix @ rows == pytest.approx(expected * reference.unit**-2, abs=1e-12)


@pytest.mark.parametrize("null", [*NULLS, "shrunken"])
def test_resamples_solved_by_quadprog_are_equal(null, monkeypatch):
    first, fresh = (
        DRankTest(beta_scores(), n_resamples=100, null=null, covariance="sample", rng=5)  # which has no bounds
        for _ in range(2)
    )
    pivoting = first.test(range(8))
    distances = pivoting.null_distribution
    monkeypatch.setattr(solver, "by_pivoting", lambda *_: None)
    monkeypatch.setattr(solver, "by_newton", lambda *_: None)
    assert fresh.test(range(8)).null_distribution == pytest.approx(distances, abs=1e-8)


SCORES = np.random.default_rng(4).beta(2, 3, (25, 7)) + np.linspace(0, 0.2, 7)
RANKING = np.array([2.0, 1.0, 3.0, 5.0, 4.0, 7.0, 6.0])
COVARIANCES = ("sample", "ledoit-wolf")


def close_systems(n_topics=40, n_systems=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.beta(2, 3, (n_topics, 1)) / 2 + 0.2 + 0.05 * rng.standard_normal((n_topics, n_systems))


def made(scores, **kwargs):
    return DRankTest(scores, **{"n_resamples": 99, "rng": 5, **kwargs})


def reliability_by_definition(scores, ranking):
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


def test_reliability_under_a_hypothesis_is_its_definition():
    tied = np.array([2.0, 1.0, 3.0, 5.0, 5.0, 7.0, 6.0])
    rankings = np.array([RANKING, tied, SCORES.mean(axis=0), -SCORES.mean(axis=0)])
    found = reliabilities_under(SCORES, rankings)
    assert found == pytest.approx([reliability_by_definition(SCORES, ranking) for ranking in rankings], abs=1e-9)
    assert found[3] < found[2]


def test_the_centre_by_its_formula():
    reference = ReferenceSample.of(SCORES, "ledoit-wolf", 1e-5)
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
def test_the_nearest_means_that_keep_a_ranking(problem):
    scores, ranking = problem
    reference = ReferenceSample.of(scores, "sample", 1e-5)
    scores_in_order = reference.rankings_of(reference.prepare(ranking))[0]
    order = nearest_order(reference.model, scores_in_order[0])
    nearest = reference.model.nearest_means(order)[order]
    assert np.diff(nearest).min() >= -1e-10
    moved = np.diff(nearest - reference.model.means[order])
    squared = moved @ np.linalg.solve(reference.model.spread(order), moved)
    if not reference.is_undefined(scores_in_order)[0]:
        expected = reference.distances(scores_in_order)[0]
        assert np.sqrt(len(scores) * squared) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def first_generator(seed):
    """The generator of the first block of resamples of a test with this seed."""
    return np.random.default_rng(int(np.random.default_rng(seed).integers(2**63))).spawn(1)[0]


def samples_of(seed, scores):
    """The samples of topics that a test with this seed draws, of topics in canonical order."""
    child = first_generator(seed)
    size = resampling.block_size(max(len(scores), scores.shape[1] ** 2))
    return resampling.topic_indices(child, size, len(scores))


@given(problems(), st.integers(0, 100))
def test_is_its_definition(problem, seed):
    scores, ranking = problem
    ranking = np.argsort(np.argsort(ranking, kind="stable"))  # ties would be broken anew in each resample
    assume(not ranks_nothing(scores, ranking) and ranking.size > 2)
    reference = ReferenceSample.of(scores, "sample", 1e-5)
    test = made(reference.scores, covariance="sample", n_resamples=8, rng=seed)
    shift = shifts_to_centres(reference, ranking[np.newaxis].astype(float))[0]
    expected = oracle.resampled_from(reference.scores, ranking, shift, samples_of(seed, reference.scores)[:8])
    assert test.test(ranking).null_distribution == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_two_systems_swap_their_scores(covariance):
    """Of a sample where the first is better: Student's t of its differences with random signs, or 0."""
    scores = ReferenceSample.of(np.round(close_systems(20, 2), 2), covariance, 1e-5).scores[:, ::-1]
    test, child = made(scores, covariance=covariance), first_generator(5)
    signs = 1 - 2 * child.integers(0, 2, (resampling.BLOCK_RESAMPLES, 20))[:99]
    gaps = signs * (scores[:, 0] - scores[:, 1])
    t = np.sqrt(20) * gaps.mean(axis=1) / np.sqrt(gaps.var(axis=1, ddof=1) + 1e-5)
    assert test.test([1, 2]).null_distribution == pytest.approx(np.maximum(t, 0), abs=1e-9)


def test_the_p_value_of_two_systems_is_that_of_all_signs():
    gaps = np.array([0.3, 0.1, -0.2, 0.4, 0.3, -0.1, 0.2, 0.3])
    scores = np.column_stack([0.5 + gaps, np.full(8, 0.5)])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = (np.round((signs * gaps).sum(axis=1), 9) >= round(gaps.sum(), 9)).mean()
    found = d_rank(scores, [1, 2], n_resamples=20_000, rng=1)
    assert found.pvalue == pytest.approx(exact, abs=4 * found.pvalue_standard_error)


def test_beyond_the_critical_value_of_a_ranking_and_only_there_p_is_at_most_alpha():
    test = made(close_systems())
    for ranking in np.random.default_rng(0).random((10, 8)):
        found = test.test(ranking)
        for alpha in (0.05, 0.3, 0.9):
            assert (found.pvalue <= alpha) == (found.statistic > found.critical_value(alpha))
