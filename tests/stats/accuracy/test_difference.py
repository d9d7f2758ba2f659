"""Differences of measures in how they agree with a reference, tests of all pairs of several, and of permutations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kendalltau
from scipy.stats import t as students_t

from pt_rankcorr import correlation_interval
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients, correlations
from pt_rankcorr.stats.accuracy.difference import (
    UNDECIDED,
    EstimateTests,
    Sample,
    clusters_of,
    compare_pairs,
    correlation_difference,
    difference_errors,
    equivalence_pvalues,
    students_pvalues,
)
from pt_rankcorr.stats.accuracy.replicates import replicate, standard_errors
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles_agreement as oracle
from tests.stats.oracles import COEFFICIENTS, DEFINITIONS

B = 60
TAU = Coefficients((COEFFICIENTS["tau"],))


def scores(seed, noise=0.3, n_topics=12, n_systems=6):
    truth = np.random.default_rng(0).random((50, n_systems))[:n_topics] + np.linspace(0, 0.5, n_systems)
    return truth + noise * np.random.default_rng(seed).standard_normal(truth.shape)


def backwards(matrix):
    return 1.0 - matrix


# --- two measures -------------------------------------------------------------------------------------------


def test_a_difference_is_student_s_over_common_resamples():
    a, b, c = scores(1), scores(2, 0.5), scores(3, 2.0)
    result = correlation_difference(a, b, c, "spearman", level=0.9, n_resamples=B, rng=3)
    drawn = [oracle.replicates(DEFINITIONS["spearman"], a, each, B, 3) for each in (b, c)]
    first, second = (DEFINITIONS["spearman"](a.mean(axis=0), each.mean(axis=0)) for each in (b, c))
    error = oracle.standard_error(drawn[0] - drawn[1], 12)
    assert (result.first, result.second) == pytest.approx((first, second))
    assert result.statistic == pytest.approx(first - second)
    assert result.standard_error == pytest.approx(error, rel=1e-8)
    assert (result.low, result.high) == pytest.approx(students_t.interval(0.9, 11, first - second, error), rel=1e-8)
    assert result.confidence_interval() == (result.low, result.high)
    assert result.confidence_interval(0.99999).high <= 2.0
    assert result.pvalue == pytest.approx(oracle.students_p(first - second, error, 11))
    assert tuple(result) == (result.statistic, result.pvalue)
    assert (result.df, result.n_resamples, result.n_undefined) == (11, B, 0)


def test_each_side_is_what_its_interval_says():
    a, b, c = scores(1), scores(2, 0.5), scores(3, 2.0)
    result = correlation_difference(a, b, c, rng=3)
    ours, others = (correlation_interval(a, other, rng=3) for other in (b, c))
    assert (result.first, result.second) == (ours.statistic, others.statistic)


def test_either_way_round():
    a, close, poor = scores(1), scores(2, 0.1), scores(3, 2.0)
    one, mirrored = correlation_difference(a, close, poor, rng=1), correlation_difference(a, poor, close, rng=1)
    assert (mirrored.statistic, mirrored.pvalue) == (-one.statistic, one.pvalue)
    assert (mirrored.low, mirrored.high) == (-one.high, -one.low)


@pytest.mark.filterwarnings("ignore:No resample of topics changes the difference")
def test_equal_measures_have_p_1_and_a_difference_that_nothing_changes_none():
    a, b = scores(1), scores(2)
    assert correlation_difference(a, b, b, n_resamples=B, rng=1).pvalue == 1.0
    assert correlation_difference(a, a, a, n_resamples=B, rng=1).pvalue == 1.0
    assert not correlation_difference(a, a, b, n_resamples=B, rng=1).cautions  # though one side is always 1
    result = correlation_difference(a, a, backwards(a), n_resamples=B, rng=1)
    assert result.statistic == 2.0
    assert np.isnan([result.pvalue, result.low, result.high, result.standard_error]).all()
    found = students_pvalues(np.array([0.0, 0.0, 0.5, 0.5]), np.array([0.0, 0.1, 0.0, 0.1]), np.full(4, 9.0))
    assert found == pytest.approx([1.0, 1.0, np.nan, 2 * students_t.sf(5.0, 9)], nan_ok=True)


def test_a_difference_from_a_constant_is_undefined_and_the_warning_points_at_the_caller():
    a, b, constant = scores(1), scores(2), np.full((12, 6), 0.5)
    with pytest.warns(DegenerateInputWarning) as told:
        result = correlation_difference(a, b, constant, rng=1)
    assert [warning.filename for warning in told] == [__file__]
    assert np.isnan([result.statistic, result.pvalue, result.low, result.high, result.standard_error]).all()


def test_difference_tells_a_close_measure_from_a_poor_one():
    rng = np.random.default_rng(0)
    reference = np.linspace(0, 0.5, 12) + rng.normal(size=(50, 12)) * 0.1
    close, poor = reference + rng.normal(size=(50, 12)) * 0.05, rng.normal(size=(50, 12))
    result = correlation_difference(reference, close, poor, n_resamples=200, rng=1)
    assert result.statistic == result.first - result.second > 0.3
    assert result.pvalue < 0.05
    assert "the first agrees more with the reference (t test over topics, p" in result.sentence()
    same = correlation_difference(reference, close, close + 0.1 * rng.normal(size=close.shape), n_resamples=200, rng=1)
    assert "the difference may be chance" in same.sentence()


# --- each pair of several -----------------------------------------------------------------------------------


def sample_of(reference, estimates, seed=3, n_resamples=B, n_deciding=200):
    results, drawn = correlations(reference, estimates, TAU, n_resamples=n_resamples, seed=seed)
    resamples = replicate(TAU.of, reference, estimates, n_deciding, seed, nested=False)[0, ..., 0]
    values = np.array([result.statistic for (result,) in results])
    n_topics = np.array([min(len(reference), len(estimate)) for estimate in estimates])
    return Sample(values, drawn[..., 0], resamples, n_topics, n_topics - 1.0)


JUDGES = [scores(2, 0.05), scores(3, 0.3), scores(4, 0.3), scores(5, 1.0), scores(6, 3.0)]


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_pairs_are_the_definition(alpha):
    sample = sample_of(scores(1), JUDGES)
    found = compare_pairs([sample], alpha)
    error, p, corrected, best = oracle.pairs(sample.values, sample.replicates, sample.resamples, 12, 11, alpha)
    assert found.pair_errors == pytest.approx(error)
    assert found.pvalues == pytest.approx(p)
    assert found.corrected == pytest.approx(corrected)
    assert found.may_be_best.tolist() == best
    assert not all(best)
    assert found.errors == pytest.approx([oracle.standard_error(sample.replicates[..., at], 12) for at in range(5)])
    assert (found.df == 11).all()
    assert (found.pair_df == 11).all()


@pytest.mark.parametrize("order", [*itertools.permutations(range(5))][1::23])
def test_the_order_of_judges_changes_no_bit(order):
    given = sample_of(scores(1), JUDGES)
    found, permuted = compare_pairs([given]), compare_pairs([sample_of(scores(1), [JUDGES[at] for at in order])])
    for name in EstimateTests._fields:
        values, grid = getattr(found, name), np.ix_(order, order)
        assert np.array_equal(values[list(order)] if values.ndim == 1 else values[grid], getattr(permuted, name)), name


def test_two_judges_are_those_of_a_difference():
    found = compare_pairs([sample_of(scores(1), JUDGES[1:4:2])])
    alone = correlation_difference(scores(1), *JUDGES[1:4:2], n_resamples=B, rng=3)
    assert (found.pvalues[0, 1], found.pair_errors[0, 1]) == (alone.pvalue, alone.standard_error)
    assert found.pvalues[0, 1] == found.pvalues[1, 0] <= found.corrected[0, 1] == found.corrected[1, 0]


def test_some_of_several_are_those_alone():
    sample, members = sample_of(scores(1), JUDGES), [3, 0, 2]
    alone = compare_pairs([sample_of(scores(1), [JUDGES[at] for at in members])])
    for one, other in zip(compare_pairs([sample.of(members)]), alone, strict=True):
        assert np.array_equal(one, other)


def test_identical_judges_differ_in_nothing():
    found = compare_pairs([sample_of(scores(1), [JUDGES[1], JUDGES[1], JUDGES[4]])])
    assert found.pvalues[0, 1] == found.corrected[0, 1] == 1.0
    assert found.may_be_best[:2].tolist() == [True, True]
    assert found.pair_errors[0, 1] == 0.0


@pytest.mark.parametrize("n_judges", [2, 3])
def test_a_difference_that_no_resample_changes_rules_out_nothing(n_judges):
    reference = scores(1)
    found = compare_pairs([sample_of(reference, [reference, backwards(reference), reference][:n_judges])])
    assert found.may_be_best[:2].tolist() == [True, True]
    for numbers in (found.pvalues, found.corrected, found.pair_errors):
        assert math.isnan(numbers[0, 1])


def test_a_pair_does_not_depend_on_the_topics_of_other_judges():
    judges = [scores(seed, n_topics=n) for seed, n in ((2, 9), (3, 20), (4, 4))]
    _, drawn = correlations(scores(1), judges, TAU, n_resamples=B, seed=3, samples=[5, 6, 7])
    n_topics = np.array([9, 12, 4])
    sample = Sample(drawn[0, ..., 0].mean(axis=0), drawn[..., 0], drawn[0, ..., 0], n_topics, n_topics - 1.0)
    of_three, alone = compare_pairs([sample]), compare_pairs([sample.of([0, 1])])
    for name in ("pair_errors", "pair_df", "pvalues"):
        assert getattr(of_three, name)[0, 1] == getattr(alone, name)[0, 1]


def test_of_two_the_second_may_be_best_unless_the_pair_differs():
    sample = sample_of(scores(1), JUDGES[:2])
    error = compare_pairs([sample]).pair_errors[0, 1]
    for times in np.linspace(1.0, 3.0, 21):
        found = compare_pairs([sample._replace(values=np.array([0.3 + times * error, 0.3]))])
        assert found.may_be_best.tolist() == [True, found.pvalues[0, 1] > 0.05]


def test_errors_of_differences_are_known_where_enough_resamples_define_and_change_them():
    rng = np.random.default_rng(1)
    drawn = rng.normal(size=(3, 1000, 5))
    drawn[:, :, 1] = 0.0  # equal
    drawn[:, :, 2] = np.where(np.arange(1000) < 10, drawn[:, :, 2], 0.5)  # hardly ever changed
    drawn[0, :11, 3] = np.nan
    drawn[:, :, 4] = 0.5
    found = difference_errors(np.array([0.1, 0.0, 0.5, 0.1, 0.5]), drawn, 20)
    assert found[0] == standard_errors(drawn[..., 0], 20)
    assert found[1] == 0.0
    assert np.isnan(found[2:]).all()
    assert equivalence_pvalues(np.zeros(3), np.array([0.0, np.nan, 1e9]), np.full(3, 9.0), 0.1) == pytest.approx(
        [np.nan, np.nan, 0.5], nan_ok=True
    )


def test_where_the_bound_is_near_other_resamples_may_decide():
    """Scaled differences stay as they are; the first is moved to where the bound is."""
    sample = sample_of(scores(1), [*JUDGES[:2], JUDGES[0]], n_deciding=999)  # of two alone the test of the pair decides
    error = compare_pairs([sample]).pair_errors[0, 1]
    centred = sample.resamples - sample.resamples.mean(axis=0)
    bound = max(np.quantile((centred[:, 0] - centred[:, 1]) / error, 0.95), 0.0) * math.sqrt(12 / 11)
    bound *= students_t.ppf(0.975, 11) / 1.959963984540054
    for times, (best, undecided) in {
        1 - UNDECIDED - 0.02: (True, False),
        1 - UNDECIDED + 0.02: (True, True),
        1 + UNDECIDED - 0.02: (False, True),
        1 + UNDECIDED + 0.02: (False, False),
    }.items():
        found = compare_pairs([sample._replace(values=0.3 + np.array([1, 0, 1]) * times * bound * error)])
        assert (found.may_be_best[1], found.undecided[1]) == (best, undecided)
        assert found.may_be_best[0]


def test_resamples_that_leave_one_undefined_are_left_out():
    sample = sample_of(scores(1), JUDGES)
    gone = sample.resamples.copy()
    gone[::7, 2] = np.nan
    kept = sample.resamples[np.arange(200) % 7 != 0]
    for one, other in zip(
        compare_pairs([sample._replace(resamples=gone)]), compare_pairs([sample._replace(resamples=kept)]), strict=True
    ):
        assert np.array_equal(one, other)
    without = compare_pairs([sample._replace(resamples=np.full((200, 5), np.nan))])
    assert without.may_be_best.all()
    assert not without.undecided.any()


def test_several_collections_have_means_and_welch_s_degrees_of_freedom():
    samples = [sample_of(scores(1), JUDGES), sample_of(scores(9)[:7], [judge[:7] for judge in JUDGES], n_deciding=150)]
    found = compare_pairs(samples, seed=4)
    assert found.values == pytest.approx(np.mean([sample.values for sample in samples], axis=0))
    own = [
        [oracle.standard_error(sample.replicates[..., at], n) for at in range(5)]
        for sample, n in zip(samples, (12, 7), strict=True)
    ]
    squares = np.square(own)
    assert found.errors == pytest.approx(np.sqrt(squares.sum(axis=0)) / 2)
    welch = squares.sum(axis=0) ** 2 / (squares**2 / np.array([[11], [6]])).sum(axis=0)
    assert found.df == pytest.approx(welch)
    apart = [sample.replicates[..., 0] - sample.replicates[..., 4] for sample in samples]
    both = np.square([oracle.standard_error(each, n) for each, n in zip(apart, (12, 7), strict=True)])
    assert found.pair_errors[0, 4] == pytest.approx(np.sqrt(both.sum()) / 2)
    df = both.sum() ** 2 / (both**2 / [11, 6]).sum()
    assert found.pair_df[0, 4] == pytest.approx(df)
    expected = oracle.students_p(found.values[0] - found.values[4], found.pair_errors[0, 4], df)
    assert found.pvalues[0, 4] == pytest.approx(expected)


def test_sides_on_different_topics_have_those_of_the_smaller():
    reference, judges = scores(1), [scores(2, n_topics=9), scores(3, n_topics=20)]
    results, drawn = correlations(reference, judges, TAU, n_resamples=B, seed=3, samples=[5, 6])
    assert [(result.n_topics, result.df) for (result,) in results] == [(9, 8), (12, 11)]
    sample = Sample(
        np.array([result.statistic for (result,) in results]),
        drawn[..., 0],
        drawn[0, ..., 0],
        np.array([9, 12]),
        np.array([8.0, 11.0]),
    )
    found = compare_pairs([sample])
    assert found.errors.tolist() == [result.standard_error for (result,) in results]
    assert found.df.tolist() == [8, 11]
    assert found.pair_errors[0, 1] == standard_errors(drawn[:, :, 0, 0] - drawn[:, :, 1, 0], 9)
    assert found.pair_df[0, 1] == 8


@pytest.mark.parametrize(
    ("worse", "clusters"),
    [
        (np.zeros((3, 3), dtype=bool), ((0, 1, 2),)),
        (np.triu(np.ones((3, 3), dtype=bool), k=1), ((0,), (1,), (2,))),
        (np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool), ((0, 1), (2,))),
        (np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool), ((0, 1, 2),)),
    ],
)
def test_clusters_are_parted_where_all_above_are_better(worse, clusters):
    assert clusters_of(worse) == clusters


def test_equivalence_is_two_one_sided_t_tests():
    rng = np.random.default_rng(3)
    people = np.linspace(0, 1, 12) + rng.normal(0, 0.2, (25, 12))
    sides = people, people + rng.normal(0, 0.1, people.shape), people + rng.normal(0, 0.15, people.shape)
    for margin in (0.01, 0.1, 0.4):
        result = correlation_difference(*sides, margin=margin, n_resamples=199, rng=1)
        above, below = (side * (result.statistic + side * margin) / result.standard_error for side in (1, -1))
        expected = max(students_t.sf(above, 24), students_t.sf(below, 24))
        assert result.equivalence_pvalue == pytest.approx(expected)
        # the same as whether the interval of twice the level lies within the margin
        low, high = result.confidence_interval(0.9)
        assert (result.equivalence_pvalue <= 0.05) == (-margin < low and high < margin)
    assert "The difference is within .40 (two one-sided t tests, p < .001)." in result.sentence()
    assert np.isnan(correlation_difference(*sides, n_resamples=99, rng=1).equivalence_pvalue)
    for margin in (0, 2.5):
        with pytest.raises(ValueError, match="`margin`"):
            correlation_difference(*sides, margin=margin)


def test_measures_that_never_differ_are_no_evidence_of_equivalence():
    people = np.random.default_rng(3).random((25, 12))
    with pytest.warns(DegenerateInputWarning):
        result = correlation_difference(people, people, people, margin=0.01, n_resamples=99, rng=1)
    assert np.isnan(result.equivalence_pvalue)


# --- PERM-BOTH, against all permutations of a small case, one by one ------------------------------------

RNG = np.random.default_rng(2)
SMALL = np.array([[0.1, 0.4, 0.9], [0.3, 0.2, 0.8]]), np.array([[0.2, 0.3, 0.9], [0.1, 0.2, 0.7]])
SMALL = (*SMALL, np.array([[0.5, 0.9, 0.4], [0.6, 0.25, 0.35]]))
PEOPLE = np.linspace(0, 1, 12) + RNG.normal(0, 0.2, (20, 12))
GOOD, POOR = PEOPLE + RNG.normal(0, 0.1, PEOPLE.shape), PEOPLE + RNG.normal(0, 2, PEOPLE.shape)


def test_it_is_the_share_of_all_exchanges():
    reference, *measures = SMALL
    one, other = ((scores - scores.mean()) / scores.std() for scores in measures)
    tau = lambda scores: kendalltau(reference.mean(axis=0), scores.mean(axis=0)).statistic  # noqa: E731
    observed = abs(tau(one) - tau(other))
    drawn = []
    for swaps in itertools.product([False, True], repeat=one.size):
        swapped = np.reshape(swaps, one.shape)
        drawn.append(abs(tau(np.where(swapped, other, one)) - tau(np.where(swapped, one, other))))
    expected = np.mean(np.array(drawn) >= observed - 1e-9)
    with pytest.warns(match="are too few|are few"):
        result = correlation_difference(*SMALL, method="permutation", n_resamples=20_000, rng=1)
    assert 0.05 < expected < 0.95
    assert result.pvalue == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20_000))


def test_neither_scale_nor_order_nor_workers_matter():
    how = {"method": "permutation", "n_resamples": 199, "rng": 1}
    result = correlation_difference(PEOPLE, GOOD, POOR, **how)
    assert result.pvalue == 1 / 200
    assert "permutation test PERM-BOTH, p = .005" in result.sentence()
    near = PEOPLE + RNG.normal(0, 0.15, PEOPLE.shape)
    found = correlation_difference(PEOPLE, GOOD, near, **how)
    for other in (
        correlation_difference(PEOPLE, 100 * GOOD + 3, near, **how),
        correlation_difference(PEOPLE, near, GOOD, **how),
        correlation_difference(PEOPLE, GOOD, near, n_jobs=2, **how),
    ):
        assert other.pvalue == found.pvalue
    t_test = correlation_difference(PEOPLE, GOOD, near, n_resamples=199, rng=1)
    assert (t_test.low, t_test.high, t_test.standard_error) == (found.low, found.high, found.standard_error)
    assert t_test.pvalue != found.pvalue


@pytest.mark.filterwarnings("ignore:No resample of topics changes the difference")
def test_equal_measures_have_p_1():
    assert correlation_difference(PEOPLE, GOOD, GOOD, method="permutation", n_resamples=99, rng=1).pvalue == 1.0
    with pytest.raises(ValueError, match=r"`method` must .*got 'bootstrap'"):
        correlation_difference(PEOPLE, GOOD, POOR, method="bootstrap")
