"""Tests of the hypothesis that two rankings are unrelated, by a coefficient that somebody has computed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy.special import digamma, ndtr, stdtr, zeta

from pt_rankcorr.stats.coefficients.random_rankings import CountTables
from pt_rankcorr.stats.core.arguments import EXACT_INTEGERS, correlation, whole_number
from pt_rankcorr.stats.core.types import Floats, TestResult

CORRELATION_ROUNDING = 1e-9  # one that is exactly as far from 0 counts
TAU_AP_EXACT_UP_TO = 12  # systems: sums lie on a grid of 304 921 steps
SPEARMAN_EXACT_UP_TO = 8  # systems: 40 320 rankings


@dataclass(frozen=True, eq=False)
class UnrelatedTestResult(TestResult):
    """A test of the hypothesis that two rankings are unrelated; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The size of the correlation in units of its standard deviation among unrelated rankings.
        pvalue: Two-sided.
        correlation, n_systems: As tested.
    """

    statistic: float
    pvalue: float
    correlation: float
    n_systems: int


def kendall_test(tau: float, n_systems: int) -> UnrelatedTestResult:
    """Kendall's normal test of the hypothesis that two rankings are unrelated.

    ``Z0 = |tau| / sqrt((4m + 10) / (9m(m - 1)))``, compared with the standard normal distribution, two-sided.

    Args:
        tau, n_systems: As for `kendall_interval`; the approximation is good from about 10 systems on.

    Raises:
        TypeError, ValueError: As `kendall_interval`.

    References:
        Kendall 1970; section 4 of Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.

    Example:
        >>> result = kendall_test(0.5, 10)
        >>> round(result.statistic, 4), round(result.pvalue, 4)
        (2.0125, 0.0442)
    """
    t, m = correlation("tau", tau), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    z = abs(t) / math.sqrt((4 * m + 10) / (9 * m * (m - 1)))
    return UnrelatedTestResult(statistic=z, pvalue=float(2 * ndtr(-z)), correlation=t, n_systems=m)


def tau_ap_test(tau_ap: float, n_systems: int) -> UnrelatedTestResult:
    """The test by tau_AP of the hypothesis that two rankings are unrelated.

    Among unrelated rankings without ties, tau_AP has mean 0 and variance (m - 1 + 2 H) / (3 (m - 1)^2), with
    H = 1 + 1/2 + ... + 1/(m - 1). The p-value is exact for up to 12 systems. For more systems it is normal with
    Edgeworth's first correction, and was within 0.0003 of the exact value in tests.

    Args:
        tau_ap: The observed tau_AP, in [-1, 1], of one direction.
        n_systems: As for `kendall_interval`.

    Raises:
        TypeError, ValueError: As `kendall_interval`.

    References:
        It follows from the definition in section 3 of Yilmaz, Aslam, Robertson, SIGIR 2008.

    Example:
        Of the 24 rankings of four systems one has a tau_AP of 1, and one of -1:

        >>> result = tau_ap_test(1.0, 4)
        >>> round(result.statistic, 4), round(result.pvalue, 4)
        (2.0125, 0.0833)
    """
    value, m = correlation("tau_ap", tau_ap), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    harmonic = float(digamma(m)) + np.euler_gamma
    variance = (m - 1 + 2 * harmonic) / 12  # of the sum over ranks, which is (m - 1) (1 - tau_AP) / 2
    z = abs(value) * (m - 1) / (2 * math.sqrt(variance))
    if m <= TAU_AP_EXACT_UP_TO:
        # of a grid on which the share of every count is a whole number of steps
        tables = CountTables(1 / np.maximum(np.arange(m), 1.0), least=m - 1, most=m - 1, grid=math.lcm(*range(1, m)))
        ways = tables.ways()[-1]
        pvalue = _share_as_far(1 - 2 * np.linspace(0, 1, ways.size), value, ways)
    else:
        squares, cubes = (float(zeta(power) - zeta(power, m)) for power in (2, 3))
        kurtosis = -(m - 1 + 4 * harmonic + 6 * squares + 4 * cubes) / 120 / variance**2
        density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        pvalue = float(np.clip(2 * ndtr(-z) + kurtosis / 12 * (z**3 - 3 * z) * density, 0.0, 1.0))
    return UnrelatedTestResult(statistic=z, pvalue=pvalue, correlation=value, n_systems=m)


def spearman_test(rho: float, n_systems: int) -> UnrelatedTestResult:
    """The test by Spearman's correlation of the hypothesis that two rankings are unrelated.

    The p-value is exact for up to 8 systems without ties. For more it is that of t = rho sqrt((m - 2) / (1 - rho^2)),
    with m - 2 degrees of freedom, as in `scipy.stats.spearmanr`.

    Args:
        rho: The observed correlation, in [-1, 1].
        n_systems: As for `kendall_interval`.

    Raises:
        TypeError, ValueError: As `kendall_interval`.

    References:
        Kendall, "Rank Correlation Methods", 1970.

    Example:
        >>> result = spearman_test(0.9, 5)
        >>> round(result.statistic, 4), round(result.pvalue, 4)
        (1.8, 0.0833)
    """
    value, m = correlation("rho", rho), whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    if m <= SPEARMAN_EXACT_UP_TO:
        others = np.array(list(permutations(range(m))))
        squared = ((others - np.arange(m)) ** 2).sum(axis=1)
        pvalue = _share_as_far(1 - 6 * squared / (m * (m**2 - 1)), value, np.ones(len(others)))
    else:
        with np.errstate(divide="ignore"):
            t = abs(value) * np.sqrt((m - 2) / np.float64(1 - value**2))
        pvalue = float(2 * stdtr(m - 2, -t))
    return UnrelatedTestResult(statistic=abs(value) * math.sqrt(m - 1), pvalue=pvalue, correlation=value, n_systems=m)


def _share_as_far(correlations: Floats, observed: float, ways: Floats) -> float:
    """The two-sided p-value: the share of all rankings whose correlation is as far from 0, given how many have each."""
    as_far = np.abs(correlations) >= abs(observed) - CORRELATION_ROUNDING
    return float(ways[as_far].sum() / ways.sum())
