"""Jackknife intervals, against their definitions and on samples whose truth is known."""

import math

import numpy as np
import pytest
from scipy.stats import beta, norm, t

from pt_rankcorr.stats.core.jackknife import degrees_of_freedom, jackknife_interval, pseudo_values


def without_each(values):
    return (values.sum() - values) / (len(values) - 1)


def interval(values, level=0.95, *, n_items=math.inf, failed=1.0, least=0.0):
    """Of a mean; by default without the allowance for topics on which a judge fails."""
    return jackknife_interval(values.mean(), without_each(values), level, least=least, n_items=n_items, failed=failed)


def clopper_pearson(share, size, level):
    """By its definition."""
    yes, tail = share * size, (1 - level) / 2
    low = beta.ppf(tail, yes, size - yes + 1) if share > 0 else 0.0
    return low, beta.isf(tail, yes + 1, size - yes) if share < 1 else 1.0


def interval_by_definition(estimate, pseudo, level, *, least, n_items, failed=0.0):
    """Korn and Graubard's, and its low end with topics on which the judge fails that the sample lacks."""
    n, tail, length = len(pseudo), (1 - level) / 2, 1 - least
    share, error = (estimate - least) / length, np.std(pseudo, ddof=1) / math.sqrt(n) / length
    quantile = t.isf(tail, degrees_of_freedom(np.asarray(pseudo)))
    independent = share * (1 - share) / error**2 * (norm.isf(tail) / quantile) ** 2
    low, high = (least + length * end for end in clopper_pearson(share, min(independent, n_items * length), level))
    missing = 1 - clopper_pearson(1.0, n, level)[0]  # a share of topics of which n have none
    return min(low, estimate - missing * (estimate - failed)), high


def test_pseudo_values_of_a_mean_are_its_values():
    values = np.random.default_rng(1).random(7)
    assert pseudo_values(values.mean(), without_each(values)) == pytest.approx(values)


def test_degrees_of_freedom_are_those_of_a_variance():
    """Many samples of 400 skewed values: the variance of s^2 is 2 s^4 over the degrees of freedom."""
    skewed = np.random.default_rng(2).exponential(size=(2000, 400))  # a kurtosis of 9
    variances = skewed.var(axis=1, ddof=1)
    found = 1 / np.mean([1 / degrees_of_freedom(sample) for sample in skewed])
    assert found == pytest.approx(2 * variances.mean() ** 2 / variances.var(), rel=0.25)
    assert degrees_of_freedom(np.eye(50)[0]) == 6.0
    assert degrees_of_freedom(np.arange(2.0).repeat(5)) == degrees_of_freedom(np.ones(10)) == 9.0
    assert degrees_of_freedom(np.eye(4)[0]) == 3.0


@pytest.mark.parametrize("failed", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("least", "n_items"), [(0.0, 100), (-1.0, 100), (0.0, 20), (-1.0, 20)])
def test_an_interval_is_as_defined(least, n_items, failed):
    values = np.random.default_rng(1).beta(9.0, 2.0, 12)
    found = interval(values, 0.9, least=least, n_items=n_items, failed=failed)
    if failed == 1.0:
        failed = values.mean()
    assert found == pytest.approx(
        interval_by_definition(values.mean(), values, 0.9, least=least, n_items=n_items, failed=failed)
    )


def test_an_interval_stays_in_range_and_mirrors():
    values = np.array([0.99, 1.0, 1.0, 0.9, 1.0, 0.4])
    low, high = interval(values)
    assert 0.0 < low < values.mean() < high < 1.0
    assert interval(1 - values) == pytest.approx((1 - high, 1 - low))
    assert interval(2 * values - 1, least=-1.0) == pytest.approx((2 * low - 1, 2 * high - 1))


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_where_nothing_varies_it_is_that_of_so_many_documents(value):
    assert interval(np.full(5, value), n_items=40) == pytest.approx(clopper_pearson(value, 40, 0.95), abs=1e-9)


def test_one_missed_document_is_no_sign_of_a_bad_judge():
    """Of 20 in 10 topics; that of independent documents is [.75, 1.00]."""
    values = np.append(np.ones(9), 0.5)
    low, high = interval(values, n_items=20, failed=0.0)
    assert 0.6 < low < 0.75
    assert 0.99 < high < 1.0


@pytest.mark.parametrize("without", [[0.5], [0.5, math.nan]])
def test_undefined(without):
    assert np.isnan(jackknife_interval(0.5, np.array(without), 0.95, least=0.0, n_items=10)).all()


def test_intervals_of_a_skewed_mean_hold_the_truth():
    rng = np.random.default_rng(3)
    held = [low <= 4.0 / 4.5 <= high for low, high in map(interval, rng.beta(4.0, 0.5, (1000, 10)))]
    assert 0.92 < np.mean(held) < 0.98


@pytest.mark.parametrize("n_topics", [5, 10, 25])
def test_intervals_hold_of_a_judge_that_fails_on_a_tenth_of_topics(n_topics):
    """Of 200 documents it labels nine of ten as people do, but for these topics; no interval has no width."""
    rng = np.random.default_rng(4)
    held = []
    for _ in range(500):
        right = rng.binomial(200 // n_topics, 0.9, n_topics) / (200 // n_topics)
        low, high = interval(np.where(rng.random(n_topics) < 0.1, 0.0, right), n_items=200, failed=0.0)
        held.append(low <= 0.81 <= high)
        assert high - low > 0.02
    assert np.mean(held) > 0.93
