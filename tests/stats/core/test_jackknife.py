"""Jackknife intervals, against their definitions and on skewed samples whose truth is known."""

import math

import numpy as np
import pytest

from pt_rankcorr.stats.core.jackknife import degrees_of_freedom, jackknife_interval, pseudo_values


def without_each(values):
    return (values.sum() - values) / (len(values) - 1)


def test_pseudo_values_of_a_mean_are_its_values():
    values = np.random.default_rng(1).random(7)
    assert pseudo_values(values.mean(), without_each(values)) == pytest.approx(values)


def test_degrees_of_freedom_are_those_of_a_variance():
    """Many samples of 400 heavy-tailed values: the variance of s^2 is 2 s^4 over the degrees of freedom."""
    rng = np.random.default_rng(2)
    samples = rng.standard_t(9, (400, 2000))  # its kurtosis, 4.2, has few degrees of freedom less than half
    variances = samples.var(axis=0, ddof=1)
    expected = 2 * variances.mean() ** 2 / variances.var()
    heavier = rng.standard_t(9, (400, 2000)) ** 3
    assert (degrees_of_freedom(heavier) < 199.5).all()
    assert np.median(degrees_of_freedom(samples)) == 199.5 < expected
    skewed = rng.exponential(size=(400, 2000))  # a kurtosis of 9
    variances = skewed.var(axis=0, ddof=1)
    found = 1 / np.mean(1 / degrees_of_freedom(skewed))
    assert found == pytest.approx(2 * variances.mean() ** 2 / variances.var(), rel=0.25)


def test_an_interval_stays_in_range_and_mirrors():
    values = np.array([0.99, 1.0, 1.0, 0.9, 1.0, 0.4])
    low, high = jackknife_interval(values.mean(), without_each(values), 0.95, least=0.0)
    assert 0.0 < low < values.mean() < high < 1.0
    mirrored = jackknife_interval(1 - values.mean(), 1 - without_each(values), 0.95, least=0.0)
    assert mirrored == pytest.approx((1 - high, 1 - low))
    scaled = jackknife_interval(2 * values.mean() - 1, 2 * without_each(values) - 1, 0.95, least=-1.0)
    assert scaled == pytest.approx((2 * low - 1, 2 * high - 1))


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_nothing_varies(value):
    assert jackknife_interval(value, np.full(5, value), 0.95, least=0.0) == pytest.approx((value, value))


@pytest.mark.parametrize("without", [[0.5], [0.5, math.nan]])
def test_undefined(without):
    assert np.isnan(jackknife_interval(0.5, np.array(without), 0.95, least=0.0)).all()


def test_intervals_of_a_skewed_mean_hold_the_truth():
    rng = np.random.default_rng(3)
    held = []
    for values in rng.beta(4.0, 0.5, (1000, 10)):
        low, high = jackknife_interval(values.mean(), without_each(values), 0.95, least=0.0)
        held.append(low <= 4.0 / 4.5 <= high)
    assert 0.92 < np.mean(held) < 0.98
