"""What an expected correlation is taken from: the pairs of systems, their probabilities, and draws of the truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, get_args

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.means import round_means
from pt_rankcorr.stats.core.resampling import blockwise, topic_weights, twin
from pt_rankcorr.stats.core.results import cached_property, read_only
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.stats.expected import discordance
from pt_rankcorr.stats.expected._split_half import Decay, split_half
from pt_rankcorr.stats.expected.topics_needed import CLOSED_FORMS, topics_by_simulation, topics_of_draws
from pt_rankcorr.stats.truth.reliability import Reliability, mean_differences, t_statistics
from pt_rankcorr.stats.truth.shrunken import draw_truths, noise_of_means, reliability_of

Curve: TypeAlias = Callable[[float], float]

HALVES = {"split-half": False, "split-half-replace": True}  # whether topics are drawn with replacement
BY_ORDER = frozenset({"tau", "tau_ap"})  # coefficients for which only the order of scores matters
OF_DIFFERENCES = {"ml": discordance.maximum_likelihood, "msqd": discordance.minimum_squared_quantile_deviation}
OF_RESAMPLES = {"resampling": discordance.bootstrap, "kde": discordance.kernel}
ESTIMATORS: tuple[choices.Estimator, ...] = get_args(choices.Estimator)


@dataclass(frozen=True, eq=False)
class Estimation:
    """What all coefficients of one estimate share: the pairs, their probabilities, the draws of the true means."""

    pairs: discordance.RankedPairs
    systems: Labels
    estimator: str
    n_resamples: int
    seed: int | None
    draws_rng: np.random.Generator
    halves_rng: np.random.Generator
    n_jobs: int | None
    _correlations: dict[tuple[Coefficient, float], Floats] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def scores(self) -> Floats:
        """Shape (n_topics, n_systems), best system first."""
        return np.ascontiguousarray(self.pairs.scores.T)

    @cached_property
    def probabilities(self) -> Floats:
        if self.estimator in HALVES:
            return np.full((self.pairs.n_systems, self.pairs.n_systems), math.nan)
        return self.pairs.as_matrix(self._of_pairs)

    @cached_property
    def _of_pairs(self) -> Floats:
        if self.estimator != "shrunken":
            return self.fitted(self.pairs.n_topics)
        t = t_statistics(*mean_differences(self.scores))[self.pairs.indices]
        return discordance.swapped(self.pairs, self.reliability.wrong_sign(t, self.pairs.n_topics))

    @cached_property
    def fitted(self) -> discordance.Estimator:
        if self.estimator in OF_DIFFERENCES:
            return OF_DIFFERENCES[self.estimator](self.pairs)
        return OF_RESAMPLES[self.estimator](self.pairs, self.resampled_at)

    def curve(self, coefficient: Coefficient) -> Curve:
        """The expected correlation as a function of the number of topics."""
        if self.pairs.means[0] == self.pairs.means[-1]:
            return Decay(math.nan, math.nan).at
        if self.estimator in HALVES:
            return self._split_half(coefficient)
        if self.estimator == "shrunken":
            return partial(self._mean_correlation, coefficient)
        return partial(self._expected, discordance.WEIGHTS[coefficient.name](self.pairs))

    def _expected(self, weights: Floats, n_topics: float) -> float:
        # the probabilities with the topics at hand are wanted more than once
        with_these = n_topics == self.pairs.n_topics
        return discordance.expected_value(weights, self._of_pairs if with_these else self.fitted(n_topics))

    def _split_half(self, coefficient: Coefficient) -> Curve:
        halves = twin(self.halves_rng)  # the same halves for every coefficient
        by_order, replace = coefficient.name in BY_ORDER, HALVES[self.estimator]
        kernel = coefficient.kernel
        return split_half(self.scores, kernel, by_order=by_order, replace=replace, rng=halves, n_jobs=self.n_jobs).at

    def _mean_correlation(self, coefficient: Coefficient, n_topics: float) -> float:
        correlations = self.correlations(coefficient, n_topics)
        defined = correlations[np.isfinite(correlations)]
        return float(defined.mean()) if defined.size else math.nan

    def correlations(self, coefficient: Coefficient, n_topics: float) -> Floats:
        """Of measured means with each draw that stands for the true ones; nan where either tie all systems.

        They are kept: intervals, and searches for several targets, ask for the same numbers of topics.
        """
        if (coefficient, n_topics) not in self._correlations:
            if self.estimator == "shrunken":
                truths, measured = self.truths, self.measured(n_topics)
            else:
                truths = self.resampled_at(n_topics)
                measured = np.broadcast_to(self.pairs.means, truths.shape)
            self._correlations[coefficient, n_topics] = read_only(coefficient.kernel(truths, measured))
        return self._correlations[coefficient, n_topics]

    def topics_of_draws(self, coefficient: Coefficient, target: float) -> Floats:
        """How many topics each draw that stands for the true means needs."""
        n_topics = self.pairs.n_topics
        if self.estimator == "shrunken":
            truths, noise = self.truths, self.noise
        else:
            truths = self.resampled_at(n_topics)
            noise = truths - self.pairs.means
        if coefficient.family in CLOSED_FORMS:
            errors = mean_differences(self.scores)[1]
            return topics_of_draws(coefficient.family, truths, errors, n_topics, target)
        return topics_by_simulation(coefficient.kernel, truths, noise, n_topics, target)

    # --- means of resampled topics, of the published estimators -----------------------------------------------

    @cached_property
    def resampled(self) -> Floats:
        """Means over bootstrap samples of topics, jointly for all systems, shape (n_resamples, n_systems)."""
        compute = partial(_means_of_resamples, self.scores)
        cells = sum(self.scores.shape)
        return blockwise(compute, self.n_resamples, cells=cells, rng=self.draws_rng, n_jobs=self.n_jobs)

    def resampled_at(self, n_topics: float) -> Floats:
        """The same as they would scatter around the observed means, had there been so many topics."""
        shrinkage = math.sqrt(self.pairs.n_topics / n_topics)
        return round_means(self.pairs.means + (self.resampled - self.pairs.means) * shrinkage, self.scores)

    # --- the shrunken truth -----------------------------------------------------------------------------------

    @cached_property
    def reliability(self) -> Reliability:
        return reliability_of(self.scores)

    @cached_property
    def _generators(self) -> list[np.random.Generator]:
        return self.draws_rng.spawn(2)

    @cached_property
    def truths(self) -> Floats:
        """Draws of the true means, shape (n_resamples, n_systems)."""
        return draw_truths(self.scores, self.reliability, self.n_resamples, self._generators[0], self.n_jobs)

    @cached_property
    def noise(self) -> Floats:
        """Draws of the errors of means over as many topics, of that shape; for other numbers of topics only."""
        return noise_of_means(self.scores, self.n_resamples, self._generators[1], self.n_jobs)

    def measured(self, n_topics: float) -> Floats:
        """What so many topics would measure if the draws of the truth were true, of the shape of the draws.

        Fewer topics are some of those at hand: their means scatter around the measured ones. More topics are those at
        hand and new ones, whose means scatter around the draw of the truth.
        """
        observed, n = self.pairs.means, self.pairs.n_topics
        if n_topics == n:
            return np.broadcast_to(observed, self.truths.shape)
        if n_topics < n:
            means = observed + self.noise * math.sqrt(n / n_topics - 1.0)
        elif math.isinf(n_topics):
            means = self.truths
        else:
            new = self.truths + self.noise * math.sqrt(n / (n_topics - n))
            means = (n * observed + (n_topics - n) * new) / n_topics
        return round_means(means, self.scores)


def _means_of_resamples(scores: Floats, rng: np.random.Generator, size: int) -> Floats:
    n_topics = scores.shape[0]
    return np.asarray(topic_weights(rng, size, n_topics) @ scores / n_topics)
