"""Numbers of topics that tell two measures apart, and that shorten an interval, against their definitions."""

import math

import numpy as np
import pytest
from scipy.stats import f, norm
from scipy.stats import t as students_t

import pt_rankcorr as rc
from pt_rankcorr.stats import correlation_difference, topics_to_tell_apart
from pt_rankcorr.stats.accuracy.budget import forecast_difference
from pt_rankcorr.stats.significance.power import topics_for_width
from pt_rankcorr.warnings import DegenerateInputWarning

RNG = np.random.default_rng(4)
PEOPLE = np.linspace(0.1, 0.5, 14) + RNG.normal(0, 0.1, (30, 14))
GOOD, POOR = PEOPLE + RNG.normal(0, 0.05, PEOPLE.shape), PEOPLE + RNG.normal(0, 0.6, PEOPLE.shape)
MIDDLING = PEOPLE + np.random.default_rng(2).normal(0, 0.3, PEOPLE.shape)
HOW = {"n_resamples": 199, "rng": 1}
DF = 2 * math.sqrt(99)  # of a standard error on 100 topics


def test_promises_hold_on_average_over_what_may_be_true():
    """Differences of any reliability: those that are promised, and those of which ten times as many topics are told.

    The square of the estimated standard error has twice the root of n - 1 degrees of freedom.
    """
    rng, promised, told = np.random.default_rng(1), [], []
    for reliability in rng.uniform(0, 1, 3000):
        truth = rng.normal(0, math.sqrt(reliability / (1 - reliability)))  # in standard errors with 100 topics
        apart, error = truth + rng.normal(), math.sqrt(rng.chisquare(DF) / DF)
        forecast = forecast_difference(apart, error, 99, 100, 0.05, 0.8)
        number = min(forecast.topics, 1000)
        found = norm.cdf(np.sign(apart) * truth * math.sqrt(number / 100) - students_t.isf(0.025, number - 1))
        (told if math.isinf(forecast.topics) else promised).append((forecast.probability, found))
    said, found = np.mean(promised, axis=0)
    assert 0.8 <= said < 0.85
    assert found == pytest.approx(said, abs=0.04)
    probabilities, found = np.array(told).T
    for low in (0.2, 0.4, 0.6):
        among = (probabilities >= low) & (probabilities < low + 0.2)
        assert found[among].mean() == pytest.approx(probabilities[among].mean(), abs=0.06)


def test_a_clear_difference_takes_fewer_topics_than_one_at_the_border():
    """A difference that is not significant is not promised; the sign is nothing to the number."""
    error, critical = 0.05, students_t.isf(0.025, 29)
    forecasts = [forecast_difference(t * error, error, 29, 30, 0.05, 0.8) for t in (critical, 3.5, -3.5, 5.0)]
    at_border, clear, reversed_, clearer = (forecast.topics for forecast in forecasts)
    assert at_border == math.inf > clear == reversed_ > clearer >= 2
    assert np.isnan(forecast_difference(0.1, math.nan, 29, 30, 0.05, 0.8)).all()


def test_a_higher_probability_takes_more_topics():
    less, more = (topics_to_tell_apart(PEOPLE, GOOD, POOR, power=power, **HOW) for power in (0.6, 0.9))
    apart = correlation_difference(PEOPLE, GOOD, POOR, **HOW)
    assert (less.difference, less.standard_error) == (apart.statistic, apart.standard_error)
    assert 2 <= less.topics_needed < more.topics_needed
    assert (less.probability, more.probability) == (pytest.approx(0.6, abs=0.1), pytest.approx(0.9, abs=0.05))
    assert f"{more.topics_needed:.0f} topics would tell them apart with a probability of" in more.sentence()
    again = topics_to_tell_apart(PEOPLE, GOOD, POOR, power=0.6, **HOW)
    assert again == less


def test_judges_that_differ_in_noise_alone_are_not_promised_apart():
    """Ten times as many topics do not tell them apart, and that is said; nor do any where nothing changes."""
    other = PEOPLE + RNG.normal(0, 0.05, PEOPLE.shape)
    found = topics_to_tell_apart(PEOPLE, GOOD, other, **HOW)
    assert found.topics_needed == math.inf
    assert found.probability < 0.8
    assert "Even 300 topics would tell them apart with a probability of" in found.sentence()
    assert found.sentence() in " ".join(str(found).split())
    with pytest.warns(DegenerateInputWarning, match="No resample of topics changes the difference"):
        same = topics_to_tell_apart(PEOPLE, GOOD, GOOD, **HOW)
    assert np.isnan([same.topics_needed, same.probability]).all()
    assert "30 topics do not say how many would tell the two apart." in same.sentence()


@pytest.mark.parametrize("width", [0.02, 0.05, 2.0])
def test_topics_for_a_width_are_the_fewest(width):
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)

    def width_of(n_topics):
        ratio = f.ppf(0.8, math.sqrt(n_topics - 1), math.sqrt(29))
        error = result.standard_error * (30 / n_topics) ** 0.45 * math.sqrt(ratio)
        return 2 * students_t.isf(0.025, n_topics - 1) * error

    needed = result.topics_for_width(width)
    assert width_of(needed) <= width
    assert needed == 2 or width_of(needed - 1) > width
    assert math.isnan(topics_for_width(math.nan, 30, width, 0.95))


def test_an_interval_has_its_width_on_the_topics_at_hand():
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)
    low, high = result.statistic + np.array([-1, 1]) * students_t.isf(0.025, 29) * result.standard_error
    assert result.topics_for_width(high - low) == 30
    assert result.topics_for_width(0.98 * (high - low)) > 30


@pytest.mark.parametrize("n_topics", [10, 20])
def test_a_width_is_promised_with_a_probability(n_topics):
    """Of standard errors that fall by the power .45, whose squares have the root of n - 1 degrees of freedom."""
    rng, kept = np.random.default_rng(0), []

    def error_of(number):
        freedom = math.sqrt(number - 1)
        return math.sqrt(rng.chisquare(freedom) / freedom) / number**0.45

    for _ in range(1000):
        needed = int(topics_for_width(error_of(n_topics), n_topics, 0.5, 0.95))
        kept.append(2 * students_t.isf(0.025, needed - 1) * error_of(needed) <= 0.5)
    assert np.mean(kept) == pytest.approx(0.8, abs=0.04)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"`power` must be above `alpha`, 0.05, got 0.04"):
        topics_to_tell_apart(PEOPLE, GOOD, POOR, power=0.04)
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)
    for width in (0, 2.1):
        with pytest.raises(ValueError, match="`width` must be above 0 and at most 2"):
            result.topics_for_width(width)
