"""Rank intervals, allowed ranks and the geometry of three systems, by their definitions."""

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.stats.accuracy.ranks import best_systems, rank_intervals
from pt_rankcorr.stats.core import resampling
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.rank_distance.allowed_ranks import allowed_ranks
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest, d_rank
from pt_rankcorr.stats.rank_distance.distance import ReferenceSample, rank_geometry
from pt_rankcorr.warnings import CloseSystemsWarning, DegenerateInputWarning, UnreliableResultWarning
from tests.stats import oracles_rank_distance as oracle
from tests.stats.oracles_sensitivity import drawn_topics

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

SCORES = in_one_order(np.random.default_rng(4).beta(2, 3, (30, 6)) + np.linspace(0, 0.3, 6))  # as resampled


@pytest.mark.parametrize(("level", "outside"), [(0.8, 10), (0.9, 5), (0.94, 3), (0.98, 1)])
def test_rank_intervals_by_their_definition(level, outside):
    tenths = in_one_order(np.round(SCORES, 1))
    found = rank_intervals(tenths, method="percentile", level=level, n_resamples=100, rng=3)
    samples = drawn_topics(30, 100, 3)
    sampled = np.array([ranks([float(mean) for mean in oracle.exact_means(tenths[rows])]) for rows in samples])
    for system, column in enumerate(np.sort(sampled, axis=0).T):
        # of 100 sorted ranks, at least 10 are at the 10th or before it, and as many at the 91st or after
        assert (found.low[system], found.high[system]) == (column[outside - 1], column[-outside])
        first = sum(1 / (row == row.min()).sum() for row in sampled if row[system] == row.min())
        assert found.share_first[system] == pytest.approx(first / 100)
    assert found.share_first.sum() == pytest.approx(1)
    assert (found.low <= found.rank).all()
    assert (found.rank <= found.high).all()


def test_half_of_what_a_level_leaves_is_not_rounded_up():
    """(1 - 0.95) / 2 is a little more than 0.025 in floating point; of 40 resamples that still is the first."""
    found = rank_intervals(SCORES, method="percentile", level=0.95, n_resamples=40, rng=3)
    sampled = np.array([ranks(SCORES[rows].mean(axis=0)) for rows in drawn_topics(30, 40, 3)])
    assert found.low.tolist() == sampled.min(axis=0).tolist()
    assert found.high.tolist() == sampled.max(axis=0).tolist()


def test_identical_systems_share_the_first_rank():
    scores = np.repeat(SCORES[:, :1], 3, axis=1)
    found = rank_intervals(scores, n_resamples=20, rng=0)
    assert found.share_first == pytest.approx([1 / 3] * 3)
    assert found.low.tolist() == found.high.tolist() == [2.0] * 3


@pytest.mark.parametrize("ask", [rank_intervals, lambda scores: best_systems(scores, method="shrunken")])
def test_probabilities_of_close_systems_are_warned_of_where_the_caller_is(ask):
    noise = np.random.default_rng(9).normal(size=(20, 10))
    with pytest.warns(CloseSystemsWarning, match="20 topics do not show that the 10 systems differ") as caught:
        ask(noise)
    assert [warning.filename for warning in caught] == [__file__]


def test_what_holds_for_close_systems_is_not_warned_of():
    noise = np.random.default_rng(9).normal(size=(20, 10))
    best_systems(noise)
    for method in ("percentile", "pairwise"):
        rank_intervals(noise, method=method)


def test_allowed_ranks_of_the_published_test_by_their_definition():
    """The shares of the accepted rankings, resample by resample."""
    found = allowed_ranks(SCORES, n_resamples=100, null="published", rng=3)
    reference = ReferenceSample.of(SCORES, "sample", 1e-5)
    assert found.accepted == (found.by_distance * found.accepted).sum() / 6
    assert found.by_distance.sum(axis=0) == pytest.approx(1)
    assert found.by_distance.sum(axis=1) == pytest.approx(1)
    canonical, child = reference.scores, np.random.default_rng(3).spawn(2)[0].spawn(1)[0]
    shares, accepted = np.zeros((6, 6)), 0
    for rows in resampling.topic_indices(child, 128, 30)[:100]:
        means = [float(mean) for mean in oracle.exact_means(canonical[rows])]
        if oracle.d_rank(canonical, means) <= found.critical_value * (1 + 1e-9):
            accepted += 1
            for system, rank in zip(reference.systems, ranks(means), strict=True):
                shares[system, int(rank) - 1] += 1
    assert found.accepted == accepted
    assert found.by_distance == pytest.approx(shares / accepted)


@pytest.mark.parametrize(("scores", "alpha"), [(SCORES, 0.05), (SCORES, 0.5), (np.round(SCORES[:8], 1), 0.4)])
def test_allowed_ranks_are_those_of_rankings_that_the_test_accepts(scores, alpha):
    """Ranking by ranking: tested with the resamples that the package takes for all of them."""
    found = allowed_ranks(scores, alpha=alpha, n_resamples=60, n_null_resamples=49, rng=3)
    sampling = np.random.default_rng(3).spawn(2)[0]
    test = DRankTest(scores, n_resamples=49, rng=sampling)
    child = sampling.spawn(1)[0]
    reference = ReferenceSample.of(scores, "ledoit-wolf", 1e-5)
    canonical = reference.scores
    shares, accepted = np.zeros((6, 6)), 0
    for rows in resampling.topic_indices(child, 128, len(scores))[:60]:
        means = [float(mean) for mean in oracle.exact_means(canonical[rows])]
        order = sorted(range(6), key=lambda system: (means[system], oracle.exact_means(canonical)[system]))
        ranking = np.empty(6)
        ranking[reference.systems[order]] = range(6)
        if test.test(ranking).pvalue > alpha:
            accepted += 1
            shares[np.arange(6), 5 - ranking.astype(int)] += 1
    assert found.accepted == accepted
    assert accepted > 0
    assert accepted < 60 or alpha == 0.05
    assert found.by_distance == pytest.approx(shares / accepted)
    assert (found.null, found.covariance, found.critical_value) == ("shrunken", "ledoit-wolf", None)


@pytest.mark.parametrize("null", ["shrunken", "published"])
def test_a_reference_that_ties_all_systems_allows_no_ranks(null):
    scores = np.array([[0.1, 0.3], [0.3, 0.1]] * 10)
    with pytest.warns(DegenerateInputWarning):
        found = allowed_ranks(scores, n_resamples=20, null=null, rng=1)
    assert np.isnan(found.by_distance).all()
    assert np.isnan(found.by_tau).all()


def test_no_accepted_ranking_no_ranks():
    with pytest.warns(DegenerateInputWarning):
        found = allowed_ranks(SCORES[::3] + np.arange(6) % 2 * 1e-3, n_resamples=2, alpha=0.999, tau=1.0, rng=1)
    assert found.accepted == 0
    assert np.isnan(found.by_distance).all()
    assert not np.isnan(found.by_tau).any()


def test_critical_value_is_that_of_the_test():
    found = allowed_ranks(SCORES, n_resamples=4000, null="published", rng=3)
    test = DRankTest(SCORES, n_resamples=4000, null="published", rng=9)
    assert found.critical_value == pytest.approx(test.critical_value(), rel=0.1)
    assert found.accepted >= 0.95 * 4000


def test_allowed_ranks_warn_where_topics_are_few():
    with pytest.warns(
        UnreliableResultWarning, match="6 systems on 20 topics: .* So too few ranks are allowed"
    ) as caught:
        allowed_ranks(SCORES[:20], n_resamples=20, null="published", rng=0)
    assert [warning.filename for warning in caught] == [__file__]


def test_geometry_is_that_of_d_rank():
    scores = SCORES[:, :3] * 100
    ranking = [3, 1, 2]
    found = rank_geometry(scores, ranking)
    moved = found.nearest - found.mean
    assert found.statistic == pytest.approx(float(d_rank(scores, ranking, n_resamples=1, rng=0).statistic))
    assert moved @ np.linalg.inv(found.covariance) @ moved == pytest.approx(found.statistic**2)
    assert found.systems == ("2", "3", "1")
    assert (found.nearest >= 0).all()
    assert found.ranking == pytest.approx([1.0, 1.0])
    assert found.mean == pytest.approx(np.diff(scores[:, [1, 2, 0]].mean(axis=0)))


# --- one answer, with every seed --------------------------------------------------------------------------------------


def scores_of_clear_and_close_systems():
    rng = np.random.default_rng(12)
    quality = np.array([0.5, 0.49, 0.47, 0.4, 0.3, 0.2])
    return rc.ScoreMatrix(rng.normal(quality, 0.12, (40, 6)), systems=list("abcdef"), measure="AP")


def test_report_ranks_and_best_systems_name_one_set_with_every_seed():
    scores = scores_of_clear_and_close_systems()
    sets = set()
    for seed in (1, 2, 3):
        best = rc.best_systems(scores, rng=seed)
        intervals = rc.rank_intervals(scores, rng=seed)
        of_report = rc.report(scores, rng=seed, n_resamples=20).to_dict()["collections"]["scores"]["systems"]
        rows = rc.RankInterval(rng=seed)(rc.Scores([scores]).to_frame())
        component = rows.drop_duplicates("name").set_index("name")["rank tier"]
        assert best.undecided == ()
        sets |= {
            frozenset(best.systems),
            frozenset(name for name, tier in zip("abcdef", intervals.tier, strict=True) if tier == 1.0),
            frozenset(row["system"] for row in of_report if row["tier"] == 1.0),
            frozenset(component.index[component == 1.0]),
        }
    assert len(sets) == 1


def test_seeds_that_give_other_sets_say_so():
    """The third system is moved past the level, where it depends on the seed whether it may be the best."""
    noise = np.random.default_rng(3).normal(0.0, 0.12, (40, 4))
    n_sets = []
    for mean in np.linspace(0.40, 0.47, 15):
        scores = noise + np.array([0.5, 0.48, mean, 0.3])
        by_seed = [best_systems(scores, n_resamples=200, rng=seed) for seed in range(6)]
        n_sets.append(len({best.systems for best in by_seed}))
        if n_sets[-1] > 1:
            assert all("s3" in best.undecided for best in by_seed)
    assert n_sets[0] == n_sets[-1] == 1 < max(n_sets)


def test_sets_by_draws_say_where_these_do_not_decide():
    scores = np.random.default_rng(3).normal([0.5, 0.46, 0.3, 0.2], 0.12, (40, 4))
    assert best_systems(scores, method="shrunken", n_resamples=30, rng=1).undecided == ("s3", "s4")
    assert best_systems(scores, method="shrunken", rng=1).undecided == ()


def test_a_sentence_for_a_paper_has_the_outcome():
    scores = scores_of_clear_and_close_systems()
    sentence = rc.best_systems(scores, rng=1).sentence()
    assert sentence.startswith(
        "With 95% confidence, the best of 6 systems in the topic population, of which 40 topics "
    )
    assert sentence in rc.rank_intervals(scores, rng=1).sentence()
    assert "has a true rank from 1 to" in rc.rank_intervals(scores, rng=1).sentence()
