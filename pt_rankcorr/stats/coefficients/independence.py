"""Tests of the hypothesis that two rankings are unrelated, from a coefficient of m systems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from scipy.special import digamma, ndtr, stdtr, zeta

from pt_rankcorr.stats.coefficients.random_rankings import CountTables
from pt_rankcorr.stats.core.arguments import EXACT_INTEGERS, correlation, list_of, whole_number
from pt_rankcorr.stats.core.types import Floats, TestResult


@dataclass(frozen=True, eq=False)
class IndependenceTestResult(TestResult):
    """A test of the hypothesis that two rankings are unrelated; unpacks as (statistic, pvalue).

    Attributes:
        statistic: The size of the correlation in standard deviations among unrelated rankings.
        pvalue: Two-sided.
        correlation, n_systems: As tested.
    """

    statistic: float
    pvalue: float
    correlation: float
    n_systems: int


def kendall_test(
    tau: float, n_systems: int, *, ties: tuple[Sequence[int], Sequence[int]] | None = None
) -> IndependenceTestResult:
    """Kendall's test of the hypothesis that two rankings are unrelated.

    The p-value is exact for up to 60 systems, or 10 with ties: the share of all rankings whose tau
    is as far from 0. For more systems ``|tau|`` over its standard deviation is compared with the
    standard normal distribution: ``Z0 = |tau| / sqrt((4m + 10) / (9m(m - 1)))`` without ties.

    Args:
        tau: The observed tau a, in [-1, 1]: over all pairs, ties included.
        n_systems: As for `kendall_interval`.
        ties: Of both rankings, the numbers of systems that tie at each place, best first:
            ``([1, 2, 1], [2, 2])``.

    Raises:
        TypeError, ValueError: As `kendall_interval`, or if ties do not add up to `n_systems`.

    References:
        Kendall 1970; section 4 of Sakai, "Evaluating evaluation metrics based on the bootstrap",
        SIGIR 2006.

    Example:
        Of the 24 rankings of four systems one has a tau of 1, and one of -1:

        >>> result = kendall_test(1.0, 4)
        >>> round(result.statistic, 4), round(result.pvalue, 4)
        (2.0381, 0.0833)
    """
    t = correlation("tau", tau)
    m = whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    sides = [] if ties is None else list_of("ties", ties, "two lists")
    first, second = [_sizes_of_ties(side, m) for side in sides] or ([], [])
    pairs = m * (m - 1) / 2
    # how many ordered pairs and threes of systems tie
    two, three = (sum(math.perm(size, of) for size in first) for of in (2, 3))
    other_two, other_three = (sum(math.perm(size, of) for size in second) for of in (2, 3))
    # the variance of concordant less discordant pairs: a side's ties lower it, both give some back
    tied = sum(size * (size - 1) * (2 * size + 5) for size in (*first, *second))
    variance = (m * (m - 1) * (2 * m + 5) - tied) / 18 + two * other_two / (4 * pairs)
    variance += three * other_three / (18 * pairs * (m - 2)) if m > 2 else 0.0
    z = abs(t) * pairs / math.sqrt(variance) if variance > 0.0 else 0.0
    if not sides and m <= 60:  # beyond, the normal test is within .001 of the exact p near .05
        # the n-th system that is placed has 0 to n - 1 earlier ones below it, each equally often
        ways = np.ones(1)
        for size in range(2, m + 1):
            ways = np.asarray(np.convolve(ways, np.full(size, 1.0 / size)), dtype=np.float64)
        pvalue = _share_as_far(1.0 - 2.0 * np.linspace(0.0, 1.0, ways.size), t, ways)
    elif sides and m <= 10:  # of at most 1024 states
        scores, counts = map(np.array, zip(*_ways_of_scores(first, second).items(), strict=True))
        pvalue = _share_as_far(scores / pairs, t, counts)
    else:
        pvalue = float(2 * ndtr(-z))
    return IndependenceTestResult(statistic=z, pvalue=pvalue, correlation=t, n_systems=m)


def _sizes_of_ties(side: object, n_systems: int) -> list[int]:
    """The numbers of systems that tie at each place of one ranking, checked."""
    given = list_of("ties", side, "numbers")
    sizes = [whole_number("ties", size, at_least=1, at_most=n_systems) for size in given]
    if sum(sizes) != n_systems:
        rule = f"`ties` must add up to {n_systems} systems in each ranking"
        raise ValueError(f"{rule}, got {sum(sizes)}.")
    return sizes


def _ways_of_scores(first: list[int], second: list[int]) -> Counter[float]:
    """Concordant less discordant pairs -> in how many ways two rankings with such ties have them.

    Group by group, the systems that tie in the second ranking come from the groups of the first:
    how many from each, and how those that are left lie to them, is all that counts.
    """
    states = {tuple(first): Counter({0.0: 1.0})}
    # a state is how many systems of each tie of the first ranking are left
    for size in second:
        following: dict[tuple[int, ...], Counter[float]] = {}
        for left, ways in states.items():
            for taken in product(*(range(min(count, size) + 1) for count in left)):
                if sum(taken) != size:
                    continue
                # pairs of a system taken and one left: concordant if that is in a later tie of the
                # first ranking (above[-1] - above), discordant if in an earlier one (above - rest)
                rest = tuple(count - number for count, number in zip(left, taken, strict=True))
                above = np.cumsum(rest)
                score = float(np.dot(taken, (above[-1] - above) - (above - rest)))
                chosen = math.prod(map(math.comb, left, taken))
                into = following.setdefault(rest, Counter())
                for before, number in ways.items():
                    into[before + score] += number * chosen
        states = following
    return states[(0,) * len(first)]


def tau_ap_test(tau_ap: float, n_systems: int) -> IndependenceTestResult:
    """The test by tau_AP of the hypothesis that two rankings are unrelated.

    Among unrelated rankings without ties, tau_AP has mean 0 and variance (m - 1 + 2 H) / (3 (m -
    1)^2), with H = 1 + 1/2 + ... + 1/(m - 1). The p-value is exact for up to 12 systems. For more
    it is normal with Edgeworth's first correction, and was within 0.0003 of the exact one in tests.

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
    value = correlation("tau_ap", tau_ap)
    m = whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    harmonic = float(digamma(m)) + np.euler_gamma
    # The sum over ranks of W_i / (i - 1) is (m - 1) (1 - tau_AP) / 2. W_i is uniform on 0 ... i - 1
    # and independent, so a term has variance (1 + 2 / (i - 1)) / 12.
    variance = (m - 1 + 2 * harmonic) / 12
    z = abs(value) * (m - 1) / (2 * math.sqrt(variance))
    if m <= 12:
        # a grid on which the share of every count is a whole number of steps: of 304 921 at most
        weights, grid = 1 / np.maximum(np.arange(m), 1.0), math.lcm(*range(1, m))
        ways = CountTables(weights, least=m - 1, most=m - 1, grid=grid).ways()[-1]
        pvalue = _share_as_far(1 - 2 * np.linspace(0, 1, ways.size), value, ways)
    else:
        # sums of 1/k^2 and 1/k^3 up to m - 1 give the fourth cumulant, the first that is not normal
        squares, cubes = (float(zeta(power) - zeta(power, m)) for power in (2, 3))
        kurtosis = -(m - 1 + 4 * harmonic + 6 * squares + 4 * cubes) / 120 / variance**2
        density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        pvalue = float(np.clip(2 * ndtr(-z) + kurtosis / 12 * (z**3 - 3 * z) * density, 0.0, 1.0))
    return IndependenceTestResult(statistic=z, pvalue=pvalue, correlation=value, n_systems=m)


def spearman_test(rho: float, n_systems: int) -> IndependenceTestResult:
    """The test by Spearman's correlation of the hypothesis that two rankings are unrelated.

    The p-value is exact for up to 8 systems without ties. For more it is that of
    t = rho sqrt((m - 2) / (1 - rho^2)), with m - 2 degrees of freedom, as in
    `scipy.stats.spearmanr`.

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
    value = correlation("rho", rho)
    m = whole_number("n_systems", n_systems, at_least=2, at_most=EXACT_INTEGERS)
    if m <= 8:  # 40 320 rankings
        others = np.array(list(permutations(range(m))))
        # rho = 1 - 6 sum of d^2 / (m (m^2 - 1)) for each of the m! rankings
        squared = ((others - np.arange(m)) ** 2).sum(axis=1)
        pvalue = _share_as_far(1 - 6 * squared / (m * (m**2 - 1)), value, np.ones(len(others)))
    else:
        with np.errstate(divide="ignore"):
            t = abs(value) * np.sqrt((m - 2) / np.float64(1 - value**2))
        pvalue = float(2 * stdtr(m - 2, -t))
    z = abs(value) * math.sqrt(m - 1)
    return IndependenceTestResult(statistic=z, pvalue=pvalue, correlation=value, n_systems=m)


def _share_as_far(correlations: Floats, observed: float, ways: Floats) -> float:
    """The two-sided p-value: the share of `ways`, (k,), whose correlation is as far from 0."""
    # one that is exactly as far counts, though it may round by 1e-9
    as_far = np.abs(correlations) >= abs(observed) - 1e-9
    return float(ways[as_far].sum() / ways.sum())
