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
from pt_rankcorr.stats.core.resampling import twin
from pt_rankcorr.stats.core.results import cached_property, read_only
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.stats.expected._shrunken import Shrunken, shrunken
from pt_rankcorr.stats.expected._split_half import Decay, split_half
from pt_rankcorr.stats.expected.discordance import (
    Estimator,
    RankedPairs,
    Resamples,
    bootstrap,
    kernel,
    maximum_likelihood,
    minimum_squared_quantile_deviation,
    resample,
)
from pt_rankcorr.stats.expected.pair_weights import WEIGHTS, expected_value
from pt_rankcorr.stats.expected.topics_needed import CLOSED_FORMS, topics_by_simulation, topics_of_draws
from pt_rankcorr.stats.truth.reliability import mean_differences

Curve: TypeAlias = Callable[[float], float]

HALVES = {"split-half": False, "split-half-replace": True}  # whether topics are drawn with replacement
BY_ORDER = frozenset({"tau", "tau_ap"})  # coefficients for which only the order of scores matters
OF_DIFFERENCES = {"ml": maximum_likelihood, "msqd": minimum_squared_quantile_deviation}
OF_RESAMPLES = {"resampling": bootstrap, "kde": kernel}
ESTIMATORS: tuple[choices.Estimator, ...] = get_args(choices.Estimator)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What all coefficients of one estimate share: the pairs, their probabilities, the resamples."""

    pairs: RankedPairs
    systems: Labels
    estimator: str
    n_resamples: int
    seed: int | None
    resamples_rng: np.random.Generator
    halves_rng: np.random.Generator
    n_jobs: int | None
    _known: dict[tuple[Coefficient, float], float] = field(default_factory=dict, init=False, repr=False)
    _at_hand: dict[Coefficient, Floats] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def resamples(self) -> Resamples:
        return resample(self.pairs, self.n_resamples, twin(self.resamples_rng), self.n_jobs)

    @cached_property
    def probabilities(self) -> Floats:
        if self.estimator in HALVES:
            return np.full((self.pairs.n_systems, self.pairs.n_systems), math.nan)
        return self.pairs.as_matrix(self._of_pairs)

    @cached_property
    def _of_pairs(self) -> Floats:
        known = self.estimator == "shrunken"
        return self.shrunken.probabilities if known else self.fitted(self.pairs.n_topics)

    @cached_property
    def shrunken(self) -> Shrunken:
        return shrunken(self.pairs, self.n_resamples, twin(self.resamples_rng), self.n_jobs)

    @cached_property
    def fitted(self) -> Estimator:
        if self.estimator in OF_DIFFERENCES:
            return OF_DIFFERENCES[self.estimator](self.pairs)
        return OF_RESAMPLES[self.estimator](self.pairs, self.resamples)

    def curve(self, coefficient: Coefficient) -> Curve:
        """The expected correlation as a function of the number of topics."""
        if self.pairs.means[0] == self.pairs.means[-1]:
            return Decay(math.nan, math.nan).at
        if self.estimator in HALVES:
            return self._split_half(coefficient)
        if self.estimator == "shrunken":
            return partial(self._mean_correlation, coefficient)
        return partial(self._expected, WEIGHTS[coefficient.name](self.pairs))

    def _expected(self, weights: Floats, n_topics: float) -> float:
        # the probabilities with the topics at hand are wanted more than once
        with_these = n_topics == self.pairs.n_topics
        return expected_value(weights, self._of_pairs if with_these else self.fitted(n_topics))

    def _split_half(self, coefficient: Coefficient) -> Curve:
        halves = twin(self.halves_rng)  # the same halves for every coefficient
        replace, scores = HALVES[self.estimator], np.ascontiguousarray(self.pairs.scores.T)
        kernel, by_order = coefficient.kernel, coefficient.name in BY_ORDER
        return split_half(scores, kernel, by_order=by_order, replace=replace, rng=halves, n_jobs=self.n_jobs).at

    def _mean_correlation(self, coefficient: Coefficient, n_topics: float) -> float:
        """Searches for several targets ask for the same numbers of topics."""
        if (coefficient, n_topics) not in self._known:
            correlations = self.correlations(coefficient, n_topics)
            defined = correlations[np.isfinite(correlations)]
            self._known[coefficient, n_topics] = float(defined.mean()) if defined.size else math.nan
        return self._known[coefficient, n_topics]

    def correlations(self, coefficient: Coefficient, n_topics: float) -> Floats:
        """Of measured means with each draw that stands for the true ones; nan where either tie all systems.

        Those for the topics at hand are kept: their mean and their interval are asked for in turn.
        """
        if n_topics != self.pairs.n_topics:
            return self._correlations(coefficient, n_topics)
        if coefficient not in self._at_hand:
            self._at_hand[coefficient] = read_only(self._correlations(coefficient, n_topics))
        return self._at_hand[coefficient]

    def _correlations(self, coefficient: Coefficient, n_topics: float) -> Floats:
        if self.estimator == "shrunken":
            return coefficient.kernel(self.shrunken.truths, self.shrunken.measured(n_topics))
        truths = self.resamples.at(n_topics)
        return coefficient.kernel(truths, np.broadcast_to(self.pairs.means, truths.shape))

    def topics_of_draws(self, coefficient: Coefficient, target: float) -> Floats:
        """How many topics each draw that stands for the true means needs."""
        n_topics = self.pairs.n_topics
        if self.estimator == "shrunken":
            truths, noise = self.shrunken.truths, self.shrunken.noise
        else:
            truths = self.resamples.at(n_topics)
            noise = truths - self.pairs.means
        if coefficient.family in CLOSED_FORMS:
            errors = mean_differences(np.ascontiguousarray(self.pairs.scores.T))[1]
            return topics_of_draws(coefficient.family, truths, errors, n_topics, target)
        return topics_by_simulation(coefficient.kernel, truths, noise, n_topics, target)
