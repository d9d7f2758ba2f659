"""Numbers of topics that tell two measures apart, and that shorten an interval, against their definitions."""

import math

import numpy as np
import pytest
from scipy.stats import nct
from scipy.stats import t as students_t

import pt_rankcorr as rc
from pt_rankcorr.stats import correlation_difference, topics_to_tell_apart
from pt_rankcorr.stats.significance.power import topics_for_width
from pt_rankcorr.warnings import DegenerateInputWarning

RNG = np.random.default_rng(4)
PEOPLE = np.linspace(0.1, 0.5, 14) + RNG.normal(0, 0.1, (30, 14))
GOOD, POOR = PEOPLE + RNG.normal(0, 0.05, PEOPLE.shape), PEOPLE + RNG.normal(0, 0.6, PEOPLE.shape)
HOW = {"n_resamples": 199, "rng": 1}


def power(difference, deviation, n_topics, alpha):
    """Of the two-sided t test, by the noncentral t distribution."""
    critical, centre = students_t.isf(alpha / 2, n_topics - 1), difference / deviation * math.sqrt(n_topics)
    return nct.sf(critical, n_topics - 1, centre) + nct.cdf(-critical, n_topics - 1, centre)


@pytest.mark.parametrize(("wanted", "alpha"), [(0.8, 0.05), (0.6, 0.01)])
def test_topics_that_tell_apart_are_the_fewest_with_that_power(wanted, alpha):
    found = topics_to_tell_apart(PEOPLE, GOOD, POOR, power=wanted, alpha=alpha, **HOW)
    apart = correlation_difference(PEOPLE, GOOD, POOR, **HOW)
    assert (found.difference, found.standard_error) == (apart.statistic, apart.standard_error)
    deviation = apart.standard_error * math.sqrt(30)
    for size, needed in ((apart.statistic, found.topics_needed), (apart.high, found.low), (apart.low, found.high)):
        assert power(size, deviation, needed, alpha) >= wanted - 1e-6
        assert needed == 2 or power(size, deviation, needed - 1, alpha) < wanted + 1e-6
    assert found.low < found.topics_needed < found.high
    swapped = topics_to_tell_apart(PEOPLE, POOR, GOOD, power=wanted, alpha=alpha, **HOW)
    assert swapped.topics_needed == pytest.approx(found.topics_needed)
    assert f"with a probability of {wanted:.2f}".replace("0.", ".") in found.sentence()


def test_a_difference_that_may_be_none_has_no_upper_end():
    other = PEOPLE + RNG.normal(0, 0.05, PEOPLE.shape)
    found = topics_to_tell_apart(PEOPLE, GOOD, other, **HOW)
    assert found.high == math.inf
    assert "to inf)" in str(found)
    with pytest.warns(DegenerateInputWarning, match="No resample of topics changes the difference"):
        same = topics_to_tell_apart(PEOPLE, GOOD, GOOD, **HOW)
    assert np.isnan([same.topics_needed, same.low, same.high]).all()
    assert "30 topics do not say how many would tell the two apart." in same.sentence()


@pytest.mark.parametrize("width", [0.05, 0.2, 2.0])
def test_topics_for_a_width_are_the_fewest(width):
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)

    def width_of(n_topics):
        return 2 * students_t.isf(0.025, n_topics - 1) * result.standard_error * math.sqrt(30 / n_topics)

    needed = result.topics_for_width(width)
    assert width_of(needed) <= width
    assert needed == 2 or width_of(needed - 1) > width
    assert math.isnan(topics_for_width(math.nan, 30, width, 0.95))


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"`power` must be above `alpha`, 0.05, got 0.04"):
        topics_to_tell_apart(PEOPLE, GOOD, POOR, power=0.04)
    result = rc.correlation_interval(PEOPLE, POOR, **HOW)
    for width in (0, 2.1):
        with pytest.raises(ValueError, match="`width` must be above 0 and at most 2"):
            result.topics_for_width(width)
