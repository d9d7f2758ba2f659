"""The default test is one and the same everywhere; what ranks nothing is nan everywhere; ties of both sides."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.rank_distance.allowed_ranks import allowed_ranks
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest, d_rank
from pt_rankcorr.stats.rank_distance.distance import DEFAULT_COVARIANCE, ReferenceSample, nearest_order
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats.rank_distance.test_d_rank import distance, problems, ranks_nothing

SCORES = np.random.default_rng(3).beta(2, 3, (30, 6)) + np.linspace(0, 0.1, 6)
RANKING = [2, 1, 3, 4, 6, 5]


def test_the_default_is_the_shrunken_null_with_the_ledoit_wolf_covariance():
    assert (DEFAULT_NULL, DEFAULT_COVARIANCE) == ("shrunken", "ledoit-wolf")
    kwargs = {"n_resamples": 99, "rng": 5}
    explicit = d_rank(SCORES, RANKING, null="shrunken", covariance="ledoit-wolf", **kwargs)
    assert d_rank(SCORES, RANKING, **kwargs) == explicit
    assert DRankTest(SCORES, **kwargs).test(RANKING) == explicit
    allowed = allowed_ranks(SCORES, n_resamples=9, rng=1)
    assert (allowed.null, allowed.covariance) == ("shrunken", "ledoit-wolf")


@pytest.mark.parametrize(
    ("null", "covariance"), [("published", "sample"), ("shrunken", "ledoit-wolf"), ("two-sample", "ledoit-wolf")]
)
def test_a_covariance_goes_with_each_null(null, covariance):
    result = d_rank(SCORES, RANKING, null=null, n_resamples=9, rng=1)
    assert result.covariance == covariance
    for given_covariance in ("sample", "ledoit-wolf"):
        result = d_rank(SCORES, RANKING, null=null, covariance=given_covariance, n_resamples=9, rng=1)
        assert result.covariance == given_covariance


TIED_REFERENCE = np.array([[0.1, 0.3, 0.2], [0.3, 0.1, 0.2]] * 5)
UNDEFINED = [(SCORES[:, :3], [0.5, 0.5, 0.5]), (TIED_REFERENCE, [1, 2, 3]), (np.full((5, 3), 0.5), [1, 2, 3])]


@pytest.mark.parametrize("null", ["shrunken", "two-sample", "published"])
@pytest.mark.parametrize(("scores", "ranking"), UNDEFINED)
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
def test_a_side_that_ties_all_systems_makes_everything_nan(scores, ranking, null):
    with pytest.warns(DegenerateInputWarning) as caught:
        result = d_rank(scores, ranking, null=null, n_resamples=19, rng=1)
    assert {warning.filename for warning in caught} == {__file__}
    assert np.isnan([*result, result.pvalue_standard_error]).all()
    test = DRankTest(scores, null=null, n_resamples=19, rng=1)
    with pytest.warns(DegenerateInputWarning):
        assert np.isnan(test.distance(ranking))


@pytest.mark.parametrize("null", ["shrunken", "two-sample"])
def test_of_several_rankings_only_the_tied_one_is_nan(null):
    test = DRankTest(SCORES, null=null, n_resamples=19, rng=1)
    with pytest.warns(DegenerateInputWarning):
        result = test.test(Rankings([RANKING, [1] * 6, range(6)]))
    assert np.isnan(result.statistic).tolist() == np.isnan(result.pvalue).tolist() == [False, True, False]
    assert result.pvalue[0] == test.test(RANKING).pvalue
    if null == "shrunken":
        assert np.isnan(result.null_distribution).all(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize("null", ["shrunken", "two-sample"])
def test_results_tell_critical_values(null):
    test = DRankTest(SCORES, null=null, n_resamples=99, rng=1)
    alone = [test.test(ranking).critical_value(0.1) for ranking in (RANKING, range(6))]
    together = test.test(Rankings([RANKING, range(6)])).critical_value(0.1)
    assert np.array_equal(together, alone if null == "shrunken" else alone[0])


def tied(scores, ranking):
    """The least distance over all orders of systems that the ranking ties and the reference as well."""
    means = scores.mean(axis=0).round(12)
    found = []
    for order in permutations(range(means.size)):
        keys = [(ranking[system], means[system]) for system in order]
        if keys == sorted(keys):
            strict = np.empty(means.size)
            strict[list(order)] = range(means.size)
            found.append(distance(scores, strict))
    return min(found)


@given(problems(elements=st.integers(0, 3).map(lambda x: x / 10), max_topics=6, max_systems=5))
def test_is_the_least_over_the_orders_of_systems_that_both_sides_tie(problem):
    scores, ranking = problem
    ranking = np.round(ranking)
    assume(not ranks_nothing(scores, ranking))
    assert distance(scores, ranking) == pytest.approx(tied(scores, ranking), rel=1e-9, abs=1e-9)


def many_ties(n_systems=8):
    rng = np.random.default_rng(11)
    column = rng.integers(0, 8, 20) / 10
    scores = np.column_stack([rng.permutation(column) for _ in range(n_systems)])
    scores[:, 0] += 0.2
    return scores, np.array([0.0, *np.ones(n_systems - 1)])


def test_many_ties_are_solved_by_exchanges(monkeypatch):
    scores, ranking = many_ties(6)  # 5! orders
    exact = distance(scores, ranking, "sample")
    monkeypatch.setattr("pt_rankcorr.stats.rank_distance.distance.MOST_ORDERS", 1)
    found = distance(scores, ranking, "sample")
    assert exact <= found <= 1.1 * exact
    broken = [distance(scores, [0, *order], "sample") for order in permutations(range(1, 6))]
    assert exact == min(broken)
    assert found < max(broken)


def test_no_exchange_of_neighbours_is_nearer():
    scores, ranking = many_ties(8)
    reference = ReferenceSample.of(scores, "sample", 1e-5)
    model, canonical = reference.model, reference.rankings_of(reference.prepare(ranking))[0][0]
    order = nearest_order(model, canonical)
    least = model.squared_distance(order)
    assert least <= model.squared_distance(model.order(canonical))
    for at in range(1, 7):
        other = order.copy()
        other[[at, at + 1]] = order[[at + 1, at]]
        assert model.squared_distance(other) >= least * (1 - 1e-8)
