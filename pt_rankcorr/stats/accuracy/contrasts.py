"""Which systems are surely better or worse than which: stepwise tests of studentised differences, paired by topic.

A bound on the largest of many t statistics holds for all of them at once, and so does what follows from it, however
close the systems are. The bound comes from normal draws with the covariance of the scores, shrunk towards independent
systems as of few topics it looks more regular than it is. The quantile of their maximum is carried over to Student's t
by its probability, since each pair has a variance of its own.

Stepwise bounds on ranks: Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries", Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr, stdtrit

from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.rank_distance.distance import ledoit_wolf_shrinkage
from pt_rankcorr.stats.truth.reliability import mean_differences, t_statistics

TOLERANCE = 1.0 + 1e-9  # a t that equals its bound but for rounding errors is not beyond it


@dataclass(frozen=True)
class Contrasts:
    """The t statistics of all pairs, and draws of what they are where all true means are equal.

    Attributes:
        t: Of row less column, shape (m, m).
        errors: The standard errors of the differences, shape (m, m), with a floor; 0 where no pair varies.
        noise: Normal draws of the errors of means, shape (m, n_draws).
        shrinkage: The share of their covariance that is a multiple of the identity.
        target: That multiple, for the variance of a mean.
        n_topics: Number of topics.
    """

    t: Floats
    errors: Floats
    noise: Floats
    shrinkage: float
    target: float
    n_topics: int

    @property
    def n_systems(self) -> int:
        return len(self.t)

    def largest(self, system: int, others: Flags, *, two_sided: bool) -> Floats:
        """In each draw the largest contrast of the others less the system, in standard errors: shape (n_draws,)."""
        some = np.flatnonzero(others & (self.errors[system] > 0.0))
        widths = np.sqrt((1.0 - self.shrinkage) * self.errors[system, some] ** 2 + 2.0 * self.shrinkage * self.target)
        contrasts = self.noise[some]
        contrasts -= self.noise[system]
        contrasts /= widths[:, np.newaxis]
        sizes = np.abs(contrasts, out=contrasts) if two_sided else contrasts
        return np.asarray(sizes.max(axis=0, initial=0.0))

    def bound(self, largest: Floats, level: float, outside: float, n_pairs: int) -> float:
        """The t with the probability of the quantile of normal draws, between that of a single pair and Bonferroni's.

        Args:
            largest: In each draw the largest contrast of the pairs, shape (n_draws,).
            level: Of the quantile.
            outside: What the level leaves on a side.
            n_pairs: How many pairs these are.
        """
        quantile = np.quantile(largest, level, method="inverted_cdf")
        found, single, all_apart = -stdtrit(
            self.n_topics - 1, np.array([ndtr(-quantile), outside, outside / max(n_pairs, 1)])
        )
        return float(min(max(found, single), all_apart)) * TOLERANCE


def contrasts_of(scores: Floats, n_draws: int, rng: np.random.Generator, n_jobs: int | None) -> Contrasts:
    """For a score matrix of shape (n_topics, n_systems)."""
    n_topics, n_systems = scores.shape
    scores = np.ldexp(scores, -np.frexp(np.abs(scores).max())[1])  # up to 1 in size, that no square is lost
    differences, errors = mean_differences(scores)
    errors = _with_floor(errors, n_topics)
    by_topic = scores - scores.mean(axis=1, keepdims=True)
    residuals = by_topic - by_topic.mean(axis=0)
    shrinkage = ledoit_wolf_shrinkage(residuals)
    target = float((residuals**2).sum() / (n_topics * (n_topics - 1.0) * (n_systems - 1)))
    compute = partial(_noise, residuals=residuals, shrinkage=shrinkage, target=target)
    noise = blockwise(compute, n_draws, cells=sum(scores.shape), rng=rng, n_jobs=n_jobs)
    t = t_statistics(differences, errors)
    return Contrasts(t, errors, np.ascontiguousarray(noise.T), shrinkage, target, n_topics)


def _with_floor(errors: Floats, n_topics: int) -> Floats:
    """No less than if a pair differed on a single topic, by the typical deviation of pairs.

    Near twins differ on few topics, and a small sample may have none of these: their difference is constant there, and
    its variance says nothing.
    """
    n_systems = len(errors)
    least = math.sqrt((errors**2).sum() / (n_systems * (n_systems - 1.0) * n_topics))
    return np.where(np.eye(n_systems, dtype=np.bool_), 0.0, np.maximum(errors, least))


def _noise(rng: np.random.Generator, size: int, *, residuals: Floats, shrinkage: float, target: float) -> Floats:
    """Normal multipliers of topics' deviations, and of the identity."""
    n_topics, n_systems = residuals.shape
    common = rng.standard_normal((size, n_topics)) @ residuals / math.sqrt(n_topics * (n_topics - 1.0))
    own = rng.standard_normal((size, n_systems)) * math.sqrt(target)
    return np.asarray(math.sqrt(1.0 - shrinkage) * common + math.sqrt(shrinkage) * own)


# --- sure orders ------------------------------------------------------------------------------------


def surely_apart(contrasts: Contrasts, level: float, *, simultaneous: bool) -> Flags:
    """Which pairs differ, shape (m, m): for each system at the level, or for all systems together.

    Stepwise: pairs whose |t| is beyond the quantile of the largest |t| of all pairs are apart; those that are left are
    compared with the quantile of the largest among them, until no further one is apart.
    """
    others = ~np.eye(contrasts.n_systems, dtype=np.bool_)
    if simultaneous:
        apart = _stepwise(contrasts, 0, np.triu(others), level)
        return apart | apart.T
    rows = [_stepwise(contrasts, system, others[[system]], level) for system in range(contrasts.n_systems)]
    return np.concatenate(rows)


def _stepwise(contrasts: Contrasts, first: int, left: Flags, level: float) -> Flags:
    """Of the pairs of some systems in a row, from the first one on: shape (number of these systems, m)."""
    sizes, apart = np.abs(contrasts.t[first : first + len(left)]), np.zeros_like(left)
    while True:
        largest = np.zeros(contrasts.noise.shape[1])
        for row in np.flatnonzero(left.any(axis=1)):
            np.maximum(largest, contrasts.largest(first + int(row), left[row], two_sided=True), out=largest)
        beyond = left & (sizes > contrasts.bound(largest, level, (1.0 - level) / 2.0, int(left.sum())))
        if not beyond.any():
            return apart
        apart, left = apart | beyond, left & ~beyond


def may_be_best(contrasts: Contrasts, level: float) -> Flags:
    """Systems that no other one surely beats: each at the level, so that the set holds the best one at that level."""
    others = ~np.eye(contrasts.n_systems, dtype=np.bool_)
    largest = (contrasts.largest(at, row, two_sided=False) for at, row in enumerate(others))
    bounds = [contrasts.bound(each, level, 1.0 - level, contrasts.n_systems - 1) for each in largest]
    return np.asarray(contrasts.t.max(axis=0) <= bounds)
