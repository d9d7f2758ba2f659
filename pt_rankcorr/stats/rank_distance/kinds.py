"""The two kinds of null: one distribution for all rankings, and one for each ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.nulls import OF_EACH_RANKING, Hypothesis, resample
from pt_rankcorr.stats.rank_distance.reference import RankingsGiven, Reference
from pt_rankcorr.stats.rank_distance.settings import Settings


class NullDistribution(NamedTuple):
    """Distances under the null hypothesis.

    Attributes:
        distances: Shape (B,), or (k, B) where each of k rankings has its own; read-only.
        fallbacks: How many of them only quadprog could find.
    """

    distances: Floats
    fallbacks: int

    @classmethod
    def of(cls, distances: Floats, fallbacks: int) -> NullDistribution:
        """Makes the array read-only, as several results may hold it."""
        distances.setflags(write=False)
        return cls(distances, fallbacks)


@dataclass(frozen=True)
class SharedNull:
    """One null distribution for all rankings, computed once."""

    distribution: NullDistribution

    def of(self, rankings: RankingsGiven | None) -> NullDistribution:
        return self.distribution

    def compared(self, rankings: RankingsGiven, least: Floats) -> NullDistribution:
        return self.distribution


class NullOfEachRanking:
    """A null distribution for each ranking, computed when it is asked for."""

    def __init__(self, reference: Reference, settings: Settings, seed: int, n_jobs: int | None) -> None:
        self._reference, self._settings, self._n_jobs = reference, settings, n_jobs
        self.seed = seed  # every ranking meets the same resamples

    def of(self, rankings: RankingsGiven | None) -> NullDistribution:
        """Of shape (B,) for one ranking, (k, B) for several; nan for rankings that tie all systems."""
        if rankings is None:
            raise ValueError(
                f"`null` must be one that all rankings share, got {self._settings.null!r}, which is computed anew for "
                "each ranking: give it one, or see the result of `test`."
            )
        return self._compute(rankings, None)

    def compared(self, rankings: RankingsGiven, least: Floats) -> NullDistribution:
        """As `of`, but for distances that are surely less than the least that counts: minus infinity.

        Where that is 0 they are infinite, as all count.
        """
        return self._compute(rankings, least)

    def _compute(self, rankings: RankingsGiven, least: Floats | None) -> NullDistribution:
        defined = ~self._reference.is_undefined(rankings.scores)
        distances = np.full((defined.size, self._settings.n_resamples), np.nan)
        found, fallbacks = self._resample(rankings.scores[defined], None if least is None else least[defined])
        distances[defined] = np.where(np.isnan(found), -np.inf, found)
        return NullDistribution.of(rankings.results(distances), fallbacks)

    def _resample(self, rankings: Floats, least: Floats | None) -> tuple[Floats, int]:
        if not len(rankings):
            return np.empty((0, self._settings.n_resamples)), 0
        return _resample(self._reference, self._settings, rankings, least, generator(self.seed), self._n_jobs)


Null: TypeAlias = SharedNull | NullOfEachRanking


@dataclass(frozen=True)
class Remaining:
    """The null distribution of rankings that were tested, of which only what their p-values need may be known.

    Attributes:
        null: What computes the rest.
        rankings: That were tested.
        known: Shape (B,), or (k, B); not finite where it is not known.
    """

    null: Null
    rankings: RankingsGiven
    known: Floats

    @cached_property
    def whole(self) -> Floats:
        """All distances; nan for rankings that tie all systems."""
        rows = np.atleast_2d(self.known).copy()
        lacking = ~np.isfinite(rows).all(axis=1)
        if lacking.any():
            rest = RankingsGiven(self.rankings.scores[lacking], is_single=False)
            rows[lacking] = self.null.of(rest).distances
        return rows.reshape(self.known.shape)


def null_of(reference: Reference, settings: Settings, rng: RandomState, n_jobs: int | None) -> Null:
    if settings.null in OF_EACH_RANKING:
        return NullOfEachRanking(reference, settings, int(generator(rng).integers(2**63)), n_jobs)
    no_rankings = np.empty((0, reference.n_systems))
    return SharedNull(NullDistribution.of(*_resample(reference, settings, no_rankings, None, generator(rng), n_jobs)))


def _resample(
    reference: Reference,
    settings: Settings,
    rankings: Floats,
    least: Floats | None,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> tuple[Floats, int]:
    hypothesis = Hypothesis(settings.n_ranking_topics, rankings)
    return resample(settings.null, reference.fitter, hypothesis, settings.n_resamples, rng, n_jobs, least)
