"""Numbers of topics that tell two measures apart, and that shorten an interval, against their definitions."""

import math

import numpy as np
import pytest
from scipy.stats import f
from scipy.stats import t as students_t

import pt_rankcorr as rc
from pt_rankcorr.stats import correlation_difference, topics_to_tell_apart
from pt_rankcorr.stats.accuracy.budget import Sides, forecast_topics
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.significance.power import topics_for_width
from pt_rankcorr.warnings import DegenerateInputWarning

RNG = np.random.default_rng(4)
PEOPLE = np.linspace(0.1, 0.5, 14) + RNG.normal(0, 0.1, (30, 14))
GOOD, POOR = PEOPLE + RNG.normal(0, 0.05, PEOPLE.shape), PEOPLE + RNG.normal(0, 0.6, PEOPLE.shape)
MIDDLING = PEOPLE + np.random.default_rng(2).normal(0, 0.3, PEOPLE.shape)
HOW = {"n_resamples": 199, "rng": 1}
TAU = Coefficients.named("tau")


def power_by_simulation(truths, noise, n_topics, coefficient=rc.kendall_tau):
    """How often a t test with the true standard error finds the difference, over new topics of known true means."""
    rng, differences = np.random.default_rng(5), []
    for _ in range(200):
        people = truths[0] + rng.normal(0, noise[0], (n_topics, truths[0].size))
        judges = [people + truths[at] - truths[0] + rng.normal(0, noise[at], people.shape) for at in (1, 2)]
        first, second = (coefficient(people, judge) for judge in judges)
        differences.append(first - second)
    return np.mean(np.abs(differences) > students_t.isf(0.025, n_topics - 1) * np.std(differences))


def test_so_many_topics_tell_apart_with_about_that_probability():
    """A judge that errs about systems, and one that does not, whose means are known: .8 is promised on average."""
    rng, found = np.random.default_rng(1), []
    truth = np.linspace(0.1, 0.5, 14)
    biased = truth + rng.normal(0, 0.08, 14)
    for seed in range(12):
        people = truth + rng.normal(0, 0.1, (20, 14))
        good, poor = (people + error + rng.normal(0, 0.05, people.shape) for error in (0.0, biased - truth))
        result = topics_to_tell_apart(people, good, poor, n_resamples=99, rng=seed)
        if result.topics_needed < math.inf:
            found.append(power_by_simulation((truth, truth, biased), (0.1, 0.05, 0.05), int(result.topics_needed)))
    assert len(found) >= 8
    assert 0.65 < np.mean(found) <= 1.0


def test_a_higher_probability_takes_more_topics():
    less, more = (topics_to_tell_apart(PEOPLE, GOOD, MIDDLING, power=power, **HOW) for power in (0.6, 0.9))
    apart = correlation_difference(PEOPLE, GOOD, MIDDLING, **HOW)
    assert (less.difference, less.standard_error) == (apart.statistic, apart.standard_error)
    assert 2 <= less.topics_needed < more.topics_needed
    assert (less.probability, more.probability) == (pytest.approx(0.6, abs=0.05), pytest.approx(0.9, abs=0.05))
    assert f"{more.topics_needed:.0f} topics would tell them apart with a probability of" in more.sentence()
    again = topics_to_tell_apart(PEOPLE, GOOD, MIDDLING, power=0.6, **HOW)
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


def test_topics_of_their_own_have_errors_of_their_own():
    sides = Sides([PEOPLE, GOOD, POOR], shared=True), Sides([PEOPLE, GOOD[:20], POOR[:25]], shared=False)
    shared, own = (forecast_topics([each], TAU, 30, 0.05, 0.8, 1) for each in sides)
    assert shared.topics < own.topics


@pytest.mark.parametrize("width", [0.02, 0.05, 2.0])
def test_topics_for_a_width_are_the_fewest(width):
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)

    def width_of(n_topics):
        error = result.standard_error * math.sqrt(30 / n_topics * f.ppf(0.8, n_topics - 1, 29))
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


@pytest.mark.parametrize("n_topics", [6, 20])
def test_a_width_is_promised_with_a_probability(n_topics):
    """Of means of normal scores: the standard errors of both samples are estimates."""
    rng, kept = np.random.default_rng(0), []
    for _ in range(1000):
        needed = int(topics_for_width(rng.normal(size=n_topics).std(ddof=1) / math.sqrt(n_topics), n_topics, 0.5, 0.95))
        error = rng.normal(size=needed).std(ddof=1) / math.sqrt(needed)
        kept.append(2 * students_t.isf(0.025, needed - 1) * error <= 0.5)
    assert np.mean(kept) == pytest.approx(0.8, abs=0.04)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"`power` must be above `alpha`, 0.05, got 0.04"):
        topics_to_tell_apart(PEOPLE, GOOD, POOR, power=0.04)
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)
    for width in (0, 2.1):
        with pytest.raises(ValueError, match="`width` must be above 0 and at most 2"):
            result.topics_for_width(width)
