"""Which systems are surely better than which: stepwise tests of differences paired by topic.

A bound on the largest of many t statistics of pairs holds for all of them at once, however close
the systems are (Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks", Review of Economic Studies
91, 2024). It comes from normal draws with the covariance of the scores, shrunk towards independent
systems, as of few topics it looks more regular than it is. The quantile of their maximum is carried
over to Student's t by its probability, since each pair has its own variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from pt_rankcorr.stats.core.covariance import ledoit_wolf_shrinkage
from pt_rankcorr.stats.core.ordering import in_given_order, system_order
from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.core.types import Flags, Floats, Indices
from pt_rankcorr.stats.truth.reliability import mean_differences, t_statistics

# Bounds are times this, so that a t that equals its bound but for rounding errors is not beyond it.
SLACK = 1.0 + 1e-9
# So many draws are looked at first: a quantile is guessed from them, or they decide already.
FIRST_DRAWS = 96
# The largest draw has so many steps: in 16-bit integers, differences of two must be below 2^15.
LARGEST_STEP = 2**14 - 1


@dataclass(frozen=True)
class Contrasts:
    """The t statistics of all pairs, and draws of what they are where all true means are equal."""

    t: Floats  # of row less column, shape (m, m)
    # the standard deviations of the drawn differences, shape (m, m); 1 where a pair does not vary
    widths: Floats
    noise: Floats  # normal draws of the errors of means, shape (m, n_draws)
    n_topics: int

    @cached_property
    def _steps(self) -> tuple[NDArray[np.int16], float]:
        """The draws in whole steps, which are quick to compare, and the size of a step."""
        step = float(np.abs(self.noise).max()) / LARGEST_STEP or 1.0
        return np.rint(self.noise / step).astype(np.int16), step

    def quantile(self, systems: Indices, others: Flags, level: float) -> float:
        """The quantile over draws of the largest size of a contrast of others less systems.

        In standard errors. Row i of others says with which systems the i-th is compared, shape
        (number of systems, m).
        """
        # A guess that is hardly ever too high, from the first draws: three standard errors below
        # the level. All draws then need only what is beyond it.
        tried = self._largest(systems, others, 0.0, slice(FIRST_DRAWS), two_sided=True)
        low = max(level - 3.0 * math.sqrt(level * (1.0 - level) / len(tried)), 0.0)
        guess, quantile = float(np.quantile(tried, low, method="inverted_cdf")), 0.0
        # mostly once; where the guess was too high, contrasts of any size are looked at
        for least in (guess, 0.0):
            largest = self._largest(systems, others, least, slice(None), two_sided=True)
            quantile = float(np.quantile(largest, level, method="inverted_cdf"))
            if quantile >= least:
                break
        return quantile

    def reaches(self, quantile: float, system: int, others: Flags, level: float) -> bool:
        """Whether the quantile of the largest contrast of others, (m,), less one is so large."""
        # it is if enough of the B draws are at least as large; they are counted in growing parts
        n_draws = len(self.noise.T)
        enough = n_draws - int(np.quantile(np.arange(n_draws), level, method="inverted_cdf"))
        alone, against = np.array([system]), others[np.newaxis]
        start, count = 0, 0
        while count < enough and start < n_draws:
            draws = slice(start, 2 * start + FIRST_DRAWS)
            largest = self._largest(alone, against, quantile, draws, two_sided=False)
            start, count = draws.stop, count + int((largest >= quantile).sum())
        return count >= enough

    def _largest(
        self, systems: Indices, others: Flags, least: float, draws: slice, *, two_sided: bool
    ) -> Floats:
        """The largest contrast in each of some draws, (size,); below `least` perhaps less, or 0.

        Draws are compared in whole steps first; only pairs that may be at least so far apart are
        computed in floats.
        """
        (steps, step), noise = self._steps, self.noise[:, draws]
        steps = steps[:, draws]
        largest, chunk_size = np.zeros(noise.shape[1]), 2**10
        for system, flags in zip(systems, others, strict=True):
            some = flags.nonzero()[0]
            widths = self.widths[system, some]
            # two draws that are rounded to steps are up to one step further apart, or less
            least_steps = np.floor(least * widths / step) - 1.0
            least_steps = least_steps.clip(0, 2 * LARGEST_STEP).astype(np.int16)[:, np.newaxis]
            # 1024 draws at once stay in the cache: differences from the system, (n_others, 1024)
            for start in range(0, largest.size, chunk_size):
                chunk = slice(start, start + chunk_size)
                apart = steps[some, chunk] - steps[system, chunk]
                if two_sided:
                    np.abs(apart, out=apart)
                # which of the others, and in which draw
                place, draw = np.divmod(np.flatnonzero(apart >= least_steps), apart.shape[1])
                draw += start
                contrasts = (noise[some[place], draw] - noise[system, draw]) / widths[place]
                np.maximum.at(largest, draw, np.abs(contrasts) if two_sided else contrasts)
        return largest

    def limits(self, outside: float, n_pairs: int) -> tuple[float, float]:
        """The bounds on t of a single pair, and of n_pairs by Bonferroni.

        The one that is looked for is between them. `outside` is the probability on one side.
        """
        tails = np.array([outside, outside / max(n_pairs, 1)])
        single, all_apart = np.maximum(-stdtrit(self.n_topics - 1, tails), 0.0) * SLACK
        return float(single), float(all_apart)

    def bound(self, quantile: float, limits: tuple[float, float]) -> float:
        """The t with the tail probability of a quantile of normal draws, within its limits."""
        bound = -float(stdtrit(self.n_topics - 1, ndtr(-quantile))) * SLACK
        return min(max(bound, limits[0]), limits[1])


def contrasts_of(
    scores: Floats, n_draws: int, rng: np.random.Generator, n_jobs: int | None
) -> Contrasts:
    """The t statistics of all pairs, and draws of their noise, from scores (n_topics, m)."""
    n_topics, n_systems = scores.shape
    differences, errors = mean_differences(scores)
    # Standard errors are no less than if a pair differed on a single topic, by the typical
    # deviation of pairs: near twins differ on few topics, and where a small sample has none of
    # these, the variance of their difference says nothing.
    least = math.sqrt((errors**2).sum() / (n_systems * (n_systems - 1.0) * n_topics))
    errors = np.where(np.eye(n_systems, dtype=np.bool_), 0.0, np.maximum(errors, least))
    # The covariance of means is shrunk to (1 - s) C + s v I. Target v is the mean variance of the
    # m - 1 contrasts of systems.
    by_topic = scores - scores.mean(axis=1, keepdims=True)
    residuals = by_topic - by_topic.mean(axis=0)
    shrinkage = ledoit_wolf_shrinkage(residuals)
    # sums of squares over topics, divided by this, are the variance of a mean
    divisor = n_topics * (n_topics - 1.0)
    target = float((residuals**2).sum() / (divisor * (n_systems - 1)))
    # which normal numbers are whose: a shuffled input has the same draws
    order = system_order(scores)

    def compute(block: np.random.Generator, size: int) -> Floats:
        """Draws of the errors of means, (size, m): normal multiples of residuals and of I."""
        by_topics = block.standard_normal((size, n_topics))
        by_systems = block.standard_normal((size, n_systems))
        common = by_topics @ residuals / math.sqrt(divisor)
        own = in_given_order(by_systems, order) * math.sqrt(target)
        return np.asarray(math.sqrt(1.0 - shrinkage) * common + math.sqrt(shrinkage) * own)

    noise = blockwise(compute, n_draws, cells=n_topics + n_systems, rng=rng, n_jobs=n_jobs)
    # the standard deviation of a drawn difference: sqrt((1 - s) error^2 + 2 s v)
    widths = np.sqrt((1.0 - shrinkage) * errors**2 + 2.0 * shrinkage * target)
    widths[errors == 0.0] = 1.0
    t = t_statistics(differences, errors)
    return Contrasts(t, widths, np.ascontiguousarray(noise.T), n_topics)


# --- sure orders ----------------------------------------------------------------------------------


def surely_apart(contrasts: Contrasts, level: float, *, simultaneous: bool) -> Flags:
    """Which pairs differ, shape (m, m): for each system at the level, or for all together."""
    others = ~np.eye(len(contrasts.t), dtype=np.bool_)
    if simultaneous:
        apart = _stepwise(contrasts, np.arange(len(others)), np.triu(others), level)
        return apart | apart.T
    alone = (np.array([system]) for system in range(len(others)))
    return np.concatenate([_stepwise(contrasts, system, others[system], level) for system in alone])


def _stepwise(contrasts: Contrasts, systems: Indices, left: Flags, level: float) -> Flags:
    """Which of the pairs that are `left` for some systems are apart: both (number of systems, m).

    Pairs whose |t| is beyond the quantile of the largest |t| go, until none that is left is. A
    bound on fewer pairs is never larger: so those beyond the most it may be go first, and the
    quantile is computed only where it decides.
    """
    sizes, apart = np.abs(contrasts.t[systems]), np.zeros_like(left)
    while True:
        # first what no quantile decides otherwise; it is computed if some |t| is between its limits
        limits = contrasts.limits((1.0 - level) / 2.0, int(left.sum()))
        beyond = left & (sizes > limits[1])
        if not beyond.any() and (left & (sizes > limits[0])).any():
            quantile = contrasts.quantile(systems, left, level)
            beyond = left & (sizes > contrasts.bound(quantile, limits))
        if not beyond.any():
            return apart
        apart, left = apart | beyond, left & ~beyond


def may_be_best(contrasts: Contrasts, level: float, among: Flags) -> Flags:
    """Which of some systems no other of them surely beats, (m,): the best is one at the level."""
    # the largest t of the others against each system, (m,): up to the bound of a single pair it
    # surely may be the best, beyond Bonferroni's it is not, and between both the draws decide
    largest_t = contrasts.t[among].max(axis=0)
    limits = contrasts.limits(1.0 - level, int(among.sum()) - 1)
    best: Flags = among & (largest_t <= limits[0])
    for system in (among & ~best & (largest_t <= limits[1])).nonzero()[0]:
        # the normal quantile with the tail probability of this t, as draws are normal
        as_normal = -float(ndtri(stdtr(contrasts.n_topics - 1, -largest_t[system] / SLACK)))
        best[system] = contrasts.reaches(as_normal, system, among, level)
    return best


def tiers_of(contrasts: Contrasts, level: float) -> Floats:
    """Tiers, (m,): 1 for systems that may be the best, then likewise among those that are left."""
    tiers, left = np.zeros(len(contrasts.t)), np.ones(len(contrasts.t), dtype=np.bool_)
    while left.any():
        best = may_be_best(contrasts, level, left)
        left &= ~best
        tiers[best] = tiers.max() + 1.0
    return tiers
