"""The tests of d_rank: null distributions, p-values, bits, files."""

from __future__ import annotations

import contextlib
import json
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.rank_distance import solver
from pt_rankcorr.stats.rank_distance.model import Fitter, ledoit_wolf_shrinkage
from pt_rankcorr.stats.rank_distance.reference import Reference
from pt_rankcorr.stats.rank_distance.test import DRankTest, d_rank
from pt_rankcorr.stats.truth.shrunken import shrunken_truth
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.stats import oracles_rank_distance as oracle

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

NULLS = ("published", "two-sample")
COVARIANCES = ("sample", "ledoit-wolf")


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
    canonical = reference.fitter.scores
    test = DRankTest(canonical, n_resamples=60, null="published", rng=7)
    child = np.random.default_rng(7).spawn(1)[0]
    size = resampling.block_size(max(len(canonical), canonical.shape[1] ** 2))
    indices = resampling.topic_indices(child, size, len(canonical))[:60]
    assert test.null_distribution == pytest.approx(oracle.null_distribution(canonical, indices), rel=1e-6, abs=1e-6)


def test_two_sample_null_by_its_definition():
    """d_rank of resampled means against topics that are resampled independently, of means closer together."""
    canonical = Reference.of(beta_scores(15, 6), "sample", 1e-5).fitter.scores
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


def test_results_say_how_they_were_obtained():
    result = d_rank(beta_scores(), range(8), n_resamples=30, null="two-sample", covariance="ledoit-wolf", rng=0)
    facts = result.to_dict()
    assert facts.keys() == {
        "statistic", "pvalue", "pvalue_standard_error", "n_used", "n_resamples", "null", "covariance", "ridge",
        "n_topics", "n_systems", "fallbacks",
    }  # fmt: skip
    assert (facts["n_topics"], facts["n_systems"], facts["null"]) == (40, 8, "two-sample")
    assert "null_distribution" not in repr(result)


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
    model = Fitter.of(scores, "ledoit-wolf", 1e-5).model
    assert basis.T @ model.covariance @ basis == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 30), st.integers(0, 1000))
@settings(deadline=None)
def test_two_systems_leave_nothing_to_shrink(n_topics, seed):
    scores = np.random.default_rng(seed).beta(1, 2, (n_topics, 2))
    assert Fitter.of(scores, "ledoit-wolf", 1e-5).shrinkage == 0.0


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


def test_pivoting_gives_up_on_what_it_cannot_solve():
    assert solver.by_pivoting(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([-1.0, -1.0])) is None


# --- files ------------------------------------------------------------------------------------------


def test_saved_and_loaded(tmp_path):
    scores = beta_scores()
    test = DRankTest(scores, n_resamples=50, null="two-sample", covariance="ledoit-wolf", rng=0)
    test.save(tmp_path / "null.npz")
    loaded = DRankTest.load(tmp_path / "null.npz", scores[::-1, ::-1], null="two-sample")
    assert loaded.test(range(8)).pvalue == test.test(range(8)[::-1]).pvalue
    assert repr(loaded) == repr(test)
    assert np.array_equal(loaded.null_distribution, test.null_distribution)
    assert [path.name for path in tmp_path.iterdir()] == ["null.npz"]


def test_the_loaded_test_warns_as_the_saved_one_did(tmp_path):
    scores, path = beta_scores(20, 8), tmp_path / "null.npz"
    with pytest.warns(UnreliableResultWarning, match="Use null"):
        DRankTest(scores, n_resamples=5, null="published", rng=0).save(path)
    with pytest.warns(UnreliableResultWarning, match="Use null") as caught:
        DRankTest.load(path, scores)
    assert [warning.filename for warning in caught] == [__file__]


@given(st.integers(2, 8), st.integers(2, 6), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_fingerprint_is_of_any_order_where_no_means_tie(n_topics, n_systems, seed):
    rng = np.random.default_rng(seed)
    sums = rng.permutation(n_topics + 1)[:n_systems]  # of zeros and ones, all different
    scores = rng.permuted((np.arange(n_topics)[:, np.newaxis] < sums).astype(float), axis=0)
    permuted = scores[np.ix_(rng.permutation(n_topics), rng.permutation(sums.size))]
    one, other = (Reference.of(each, "sample", 1e-5).fingerprint() for each in (scores, permuted))
    assert one == other


def test_refuses_what_differs_and_says_what(tmp_path):
    path = tmp_path / "null.npz"
    DRankTest(beta_scores(), n_resamples=50, null="published", rng=0).save(path)
    with pytest.raises(ValueError, match="got other scores"):
        DRankTest.load(path, beta_scores(seed=1))
    with pytest.raises(ValueError, match=r"got other null \('published', not 'two-sample'\); ridge \(1e-05, not 0.1\)"):
        DRankTest.load(path, beta_scores(), null="two-sample", ridge=0.1)


def test_refuses_a_broken_file_whatever_is_broken(tmp_path):
    path = tmp_path / "null.npz"
    test = DRankTest(beta_scores(), n_resamples=50, null="published", rng=0)
    test.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for at, bit in zip(rng.integers(0, len(whole), 300), rng.integers(0, 8, 300), strict=True):
        broken = bytearray(whole)
        broken[at] ^= 1 << bit
        path.write_bytes(broken)
        loaded = test  # a bit that nobody reads, such as one of a date, may be any
        with contextlib.suppress(ValueError):
            loaded = DRankTest.load(path, beta_scores())
        assert np.array_equal(loaded.null_distribution, test.null_distribution)


def archive(**contents):
    """The bytes of an `.npz` file."""
    file = BytesIO()
    np.savez(file, **contents)
    return file.getvalue()


SAVED = {"version": 7, "fingerprint": "f", "null_distribution": np.zeros(3), "by_quadprog": np.zeros(3)}
SETTINGS = {"null": "published", "covariance": "sample", "ridge": 1e-5, "n_resamples": 3, "n_ranking_topics": 40}
NOT_SAVED, DIFFERENT = r"must be a file that DRankTest\.save wrote", "must hold the null of this reference, got other "


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", NOT_SAVED),
        (b"not an archive", NOT_SAVED),
        (b"PK\x03\x04 broken", NOT_SAVED),
        (archive(null_distribution=np.array([{"a": 1}], dtype=object)), NOT_SAVED),
        (archive(**SAVED, **SETTINGS, more=1), NOT_SAVED),
        (archive(**SAVED, **SETTINGS | {"ridge": np.ones(2)}), NOT_SAVED),
        (archive(**SAVED, **SETTINGS | {"n_resamples": 50}), NOT_SAVED),
        (archive(**SAVED, **SETTINGS), DIFFERENT + "scores"),
        (archive(**SAVED | {"version": 0}, **SETTINGS), DIFFERENT + r"version \(0, not 7\)"),
        (archive(**SAVED | {"version": 8}, more=1), DIFFERENT + r"version \(8, not 7\)"),
    ],
)
def test_refuses_what_was_not_saved_for_this_reference(tmp_path, contents, message):
    path = tmp_path / "other.npz"
    path.write_bytes(contents)
    with pytest.raises(ValueError, match=message):
        DRankTest.load(path, beta_scores())


def test_writes_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "null.npz"
    test = DRankTest(beta_scores(), n_resamples=50, null="published", rng=0)
    test.save(path)
    before = path.read_bytes()

    def fails(file, **contents):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fails)
    with pytest.raises(OSError, match="disk full"):
        test.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
