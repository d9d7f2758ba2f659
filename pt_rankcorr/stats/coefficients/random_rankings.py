"""Random rankings with a given correlation with a given ranking, uniform among all such rankings.

Read a ranking from the top and count, for each rank i, how many of the i - 1 systems above are
wrongly there: the counts W_i run over 0 ... i - 1 independently, and each table of counts belongs
to one ranking. Since tau is 1 - 4 sum W_i / (m(m - 1)) and tau_AP is
1 - 2 sum [W_i / (i - 1)] / (m - 1), rankings of a given correlation are tables of a given sum.
Dynamic programming over the ranks counts these, and they are drawn rank by rank, from the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from pt_rankcorr.stats.core.arguments import MOST_RESAMPLES, correlation, flag, share, whole_number
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.text import shown

# Sums of counts, which are of the order of m, may differ by this much through rounding.
SUM_ROUNDING = 1e-9


def random_rankings(
    n_systems: int,
    size: int,
    *,
    tau: float | None = None,
    tau_ap: float | None = None,
    at_least: bool = False,
    tolerance: float = 0.005,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> Rankings:
    """Random rankings, uniform among all of a given tau or tau_AP with the ranking 1, 2, ..., m.

    Each takes O(m^2) time. Memory grows with m^3, for tau_AP with m^2 / tolerance if that is more,
    up to 512 MiB.

    Args:
        n_systems: The number of systems m >= 2; made for up to some hundreds.
        size: The number of rankings, at least 1.
        tau: Kendall's tau, in [-1, 1], of the nearest whole number of discordant pairs; 0.9 if
            neither is given.
        tau_ap: Instead: the tau_AP, in [-1, 1], of each ranking with 1 ... m as the reference.
        at_least: Whether rankings may also agree more.
        tolerance: How far off tau_AP may be, as there may be no ranking that has it exactly.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        `Rankings` of shape (size, m): the score of each system, from m for the first to 1 for the
        last. Systems are in the order of the reference, whose scores are `numpy.arange(m, 0, -1)`.

    Raises:
        TypeError, ValueError: If an argument is no number or out of its range, both coefficients
            are given, no ranking is that close, or the tables take more memory.

    References:
        Yilmaz, Aslam, Robertson, SIGIR 2008, section 4, figure 6.

    Example:
        Two of the six rankings of three systems have one discordant pair, and so a tau of 1/3:

        >>> rankings = random_rankings(3, 1000, tau=1 / 3, rng=1)
        >>> np.unique(rankings, axis=0).tolist()
        [[2.0, 3.0, 1.0], [3.0, 1.0, 2.0]]
    """
    # more systems are refused before anything is computed; chosen, not tuned
    m = whole_number("n_systems", n_systems, at_least=2, at_most=10_000)
    n = whole_number("size", size, at_least=1, at_most=MOST_RESAMPLES)
    if tau is not None and tau_ap is not None:
        rule = "`tau` and `tau_ap` must not both be given"
        raise ValueError(f"{rule}, got {shown(tau)} and {shown(tau_ap)}.")
    flag("at_least", at_least)
    if tau_ap is None:
        # tau = 1 - 2 discordant / pairs; all weights are 1: the sum of counts is `discordant`
        discordant = m * (m - 1) / 2 * (1 - correlation("tau", 0.9 if tau is None else tau)) / 2
        most = math.floor(discordant + SUM_ROUNDING) if at_least else round(discordant)
        tables = CountTables(weights=np.ones(m), least=0 if at_least else most, most=most, grid=1)
    else:
        wanted = correlation("tau_ap", tau_ap)
        tables = _tables_of_tau_ap(m, wanted, at_least, share("tolerance", tolerance))
    # few systems rightly above mirror few wrongly above, and are counted more exactly than many
    many_wrong = tables.least + tables.most > tables.total
    if many_wrong:
        tables = tables.complement()
    mebibytes = (m + 1) * max(tables.range[1] + 1, m) >> 17  # of tables of floats
    if mebibytes > 512:
        rule = "`n_systems` must be so few that tables of counts take 512 MiB at most"
        raise ValueError(f"{rule}, got {m}, whose tables take {mebibytes} MiB: take fewer.")
    ways = tables.ways()

    def draw(block: np.random.Generator, rankings: int) -> Floats:
        """The scores of so many rankings, shape (rankings, m)."""
        counts = tables.draw(ways, block, rankings)
        # those of the complement are of what is rightly above
        return _scores(np.arange(m) - counts if many_wrong else counts)

    return Rankings.of_rounded(blockwise(draw, n, cells=m * m, rng=generator(rng), n_jobs=n_jobs))


@dataclass(frozen=True)
class CountTables:
    """The tables of counts W_1 ... W_m, one a ranking, whose weighted sum is in a range."""

    weights: Floats  # for each rank, what one wrong system above it adds to the sum
    least: float  # the range of sums that are wanted
    most: float
    grid: int  # whole steps in a sum of 1, to which counts are rounded

    @property
    def steps(self) -> list[Indices]:
        """For rank i, from 1 to m, the whole steps that a count of 0, 1, ... i - 1 adds: (i,)."""
        exact = (self.grid * weight * np.arange(i + 1) for i, weight in enumerate(self.weights))
        return [np.rint(steps).astype(np.intp) for steps in exact]

    @property
    def range(self) -> tuple[int, int]:
        """The least and the most whole steps that a wanted table may have, rounding included."""
        # each rounded step is off by half a step at most: the range becomes wider by that, and
        # tables outside the true range are thrown away when they are drawn
        n_inexact = sum(not float(self.grid * weight).is_integer() for weight in self.weights)
        slack = n_inexact / 2 + SUM_ROUNDING
        low = max(math.ceil(self.grid * self.least - slack), 0)
        return low, math.floor(self.grid * self.most + slack)

    @property
    def total(self) -> float:
        """The sum of the table in which every system above is wrongly there."""
        return float(self.weights @ np.arange(self.weights.size))

    def complement(self) -> CountTables:
        """The same by what is rightly above: those near the largest sum are too rare for floats."""
        return replace(self, least=self.total - self.most, most=self.total - self.least)

    def ways(self) -> list[Floats]:
        """For 0, 1, ... m ranks, how many tables add up to 0, 1, ... steps, in shares of the most.

        A slack of any value in the range comes before all ranks: so all sums up to it end alike.
        """
        low, high = self.range
        # ways[r][s], (high + 1,) each: how many counts of r ranks, after a slack, add up to s steps
        ways = [np.where(np.arange(high + 1) <= high - low, 1.0, 0.0)]
        for steps in self.steps:
            # one more rank: for each of its counts, the ways before, moved by the count's steps
            longer = np.zeros(high + 1)
            for step in steps[steps <= high].tolist():
                longer[step:] += ways[-1][: high + 1 - step]
            ways.append(longer / longer.max())
        return ways

    def draw(self, ways: list[Floats], rng: np.random.Generator, size: int) -> Indices:
        """Tables of counts, (size, m), uniformly among all that are wanted, from `ways()`."""
        wanted: list[Indices] = []
        # about every second ranking that is drawn is in the range, unless that has none
        for _ in range(1000):
            # `left` are the steps that the ranks not drawn yet must add up to, (size,)
            counts = np.empty((size, self.weights.size), dtype=np.intp)
            left = np.full(size, ways[0].size - 1)
            # from the last rank up: a count is as likely as there are ways to add what it leaves
            for rank, steps in reversed(list(enumerate(self.steps))):
                # (size, rank + 1): what each count would leave, and cumulated how likely it is
                after = left[:, np.newaxis] - steps
                likely = np.where(after >= 0, ways[rank][np.maximum(after, 0)], 0.0)
                cumulated = np.cumsum(likely, axis=1)
                at = (rng.random(size) * cumulated[:, -1])[:, np.newaxis]
                counts[:, rank] = np.minimum((cumulated <= at).sum(axis=1), rank)
                left = after[np.arange(size), counts[:, rank]]
            # keep those whose exact sum, not its rounded steps, is in the range
            sums = counts @ self.weights
            is_enough = sums >= self.least - SUM_ROUNDING
            wanted.append(counts[is_enough & (sums <= self.most + SUM_ROUNDING)])
            if sum(map(len, wanted)) >= size:
                return np.concatenate(wanted)[:size]
        rule = "`tolerance` must be large enough for some ranking to have such a tau_AP"
        raise ValueError(f"{rule}, got none that has.")


def _tables_of_tau_ap(m: int, tau_ap: float, at_least: bool, tolerance: float) -> CountTables:
    """Tables of rankings of m systems with a tau_AP within the tolerance, or at least as given."""
    # tau_AP = 1 - 2 sum / (m - 1), where a wrong system above rank i adds 1 / (i - 1) to the sum
    wrong, around = (m - 1) * (1 - tau_ap) / 2, (m - 1) * tolerance / 2
    # the sum of the counts that are drawn, those above wrongly or rightly, whichever is less
    fewest = max(min(wrong, m - 1 - wrong), around)
    return CountTables(
        weights=1 / np.maximum(np.arange(m), 1.0),
        least=0.0 if at_least else max(wrong - around, 0.0),
        most=wrong if at_least else min(wrong + around, m - 1.0),
        # the number of tables grows with their sum like exp(m / fewest * sum): the rounding of m
        # counts, m / grid / 2, must not reach sums with many more tables, of which none is wanted
        grid=math.ceil(max(2 / tolerance, m**2 / (2 * fewest))),
    )


def _scores(counts: Indices) -> Floats:
    """The scores of each table's ranking, (size, m): from m for the first to 1 for the last."""
    size, m = counts.shape
    # insertion: `systems` has the ranks read so far, numbered 0, 1, ... by the reference
    systems = np.empty_like(counts)
    for rank in range(m):
        # the next is better by the reference than W_i of those above it, and is inserted there
        place = rank - counts[:, rank]
        systems[:, :rank] += systems[:, :rank] >= place[:, np.newaxis]
        systems[:, rank] = place
    scores = np.empty((size, m))
    scores[np.arange(size)[:, np.newaxis], systems] = np.arange(m, 0, -1)
    return scores
