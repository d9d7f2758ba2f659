"""The expected correlation by draws of the shrunken truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from pt_rankcorr.stats.core.means import round_significant, sizes_of
from pt_rankcorr.stats.core.resampling import twin
from pt_rankcorr.stats.core.results import cached_property
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.expected.discordance import RankedPairs, swapped
from pt_rankcorr.stats.truth.reliability import Reliability, mean_differences, t_statistics
from pt_rankcorr.stats.truth.shrunken import draw_truths, noise_of_means, reliability_of


@dataclass(frozen=True)
class Shrunken:
    """Draws of the true means, and of what other topics would measure if they were true.

    Attributes:
        pairs: The systems that were measured.
        reliability: lambda's posterior.
        truths: Draws of the true means, shape (n_draws, n_systems), best measured system first.
        draw_noise: Draws the errors of means over as many topics, of that shape.
    """

    pairs: RankedPairs
    reliability: Reliability
    truths: Floats
    draw_noise: Callable[[], Floats]

    @cached_property
    def noise(self) -> Floats:
        """Needed for other numbers of topics only."""
        return self.draw_noise()

    @property
    def probabilities(self) -> Floats:
        """The probabilities that the pairs are swapped in the true ranking, by the model, pair by pair."""
        t = t_statistics(*mean_differences(self.pairs.scores.T))[self.pairs.indices]
        return swapped(self.pairs, self.reliability.wrong_sign(t, self.pairs.n_topics))

    def measured(self, n_topics: float) -> Floats:
        """What so many topics would measure, of the shape of the draws.

        Fewer topics are some of those at hand: their means scatter around the measured ones. More topics are those at
        hand and new ones, whose means scatter around the draw of the truth.
        """
        if n_topics == self.pairs.n_topics:
            return np.broadcast_to(self.pairs.means, self.truths.shape)
        return round_significant(self._unrounded(n_topics), self._sizes)

    def _unrounded(self, n_topics: float) -> Floats:
        observed, n = self.pairs.means, self.pairs.n_topics
        if n_topics <= n:
            return np.asarray(observed + self.noise * math.sqrt(n / n_topics - 1.0))
        if math.isinf(n_topics):
            return self.truths
        new = self.truths + self.noise * math.sqrt(n / (n_topics - n))
        return np.asarray((n * observed + (n_topics - n) * new) / n_topics)

    @cached_property
    def _sizes(self) -> Floats:
        """From what the digits of means count, shape (n_systems,)."""
        return sizes_of(self.pairs.scores.T)


def shrunken(pairs: RankedPairs, n_draws: int, rng: np.random.Generator, n_jobs: int | None) -> Shrunken:
    """Fitted to the scores of all systems."""
    scores = np.ascontiguousarray(pairs.scores.T)
    reliability, (for_truths, for_noise) = reliability_of(scores), rng.spawn(2)
    return Shrunken(
        pairs,
        reliability,
        draw_truths(scores, reliability, n_draws, for_truths, n_jobs),
        partial(_noise, scores, n_draws, for_noise, n_jobs),
    )


def _noise(scores: Floats, n_draws: int, rng: np.random.Generator, n_jobs: int | None) -> Floats:
    return noise_of_means(scores, n_draws, twin(rng), n_jobs)
