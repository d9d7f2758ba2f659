"""The reference of d_rank, checked, in canonical order and in its unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients.undefined import all_tied
from pt_rankcorr.stats.core.inputs import Side, as_matrix, as_vector, check_sides, side_of
from pt_rankcorr.stats.core.matching import given_labels, in_order_of
from pt_rankcorr.stats.core.pairs import check_number_of_systems
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.stats.core.workers import one_blas_thread
from pt_rankcorr.stats.rank_distance.model import Fitter, Model, canonical_order, unit_of
from pt_rankcorr.stats.rank_distance.ties import nearest_order
from pt_rankcorr.warnings import DegenerateInputWarning, warn


class RankingsGiven(NamedTuple):
    """Rankings as a reference measures them.

    Attributes:
        scores: A row for each ranking: systems in canonical order, rounded as means are; shape (k, m).
        is_single: Whether the caller gave one ranking, and expects one result.
    """

    scores: Floats
    is_single: bool

    def results(self, values: Floats) -> Any:
        """All k results, or the only one."""
        if not self.is_single:
            return values
        return values[0] if values.ndim > 1 else float(values[0])


@dataclass(frozen=True)
class Reference:
    """The reference of a distance.

    Attributes:
        fitter: Holds the scores, and fits models to samples of their topics.
        systems: Where the systems in canonical order stood in the input.
        side: What the input says of its topics and systems.
    """

    fitter: Fitter
    systems: Indices
    side: Side

    @property
    def labels(self) -> Labels | None:
        """The names of the systems in the order of the input, if they have any."""
        return given_labels(self.side.systems)

    @classmethod
    def of(cls, scores: object, covariance: str, ridge: float) -> Reference:
        matrix = as_matrix(scores, "reference", min_topics=2)
        check_number_of_systems("reference", matrix.shape[1])
        in_units = matrix / unit_of(matrix)
        topics, systems = canonical_order(in_units)
        fitter = Fitter.of(in_units.take(topics, axis=0).take(systems, axis=1), covariance, ridge)
        return cls(fitter, systems, side_of(scores, "reference"))

    @property
    def n_topics(self) -> int:
        return len(self.fitter.scores)

    @property
    def n_systems(self) -> int:
        return self.systems.size

    @property
    def model(self) -> Model:
        return self.fitter.model

    def distances(self, rankings: Floats) -> Floats:
        """D_rank of every row of scores in canonical order: nan where either side ties all systems."""
        with one_blas_thread():  # as in every resample
            each = (self.model.squared_distance(nearest_order(self.model, ranking))[0] for ranking in rankings)
            squared = np.fromiter(each, dtype=np.float64, count=len(rankings))
        return np.where(self.is_undefined(rankings), np.nan, np.sqrt(self.n_topics * squared))

    def is_undefined(self, rankings: Floats) -> NDArray[np.bool_]:
        """For every row, whether it or the reference ties all systems, and so ranks nothing."""
        return all_tied(rankings) | all_tied(self.fitter.measured)

    def rankings_of(self, ranking: object, *, any_topics: bool = False) -> RankingsGiven:
        """The rankings that a caller gave, in canonical order; `any_topics` as for `check_sides`."""
        scores, side, sides = as_vector(ranking, "ranking"), side_of(ranking, "ranking"), ("reference", "ranking")
        if scores.ndim > 2:
            raise ValueError(f"`ranking` must be of shape (n_rankings, n_systems), got shape {scores.shape}.")
        check_sides(self.side, side, any_topics=any_topics)
        scores = in_order_of(self.side.systems, side.systems, scores, sides, count=self.n_systems)
        if scores.shape[-1] != self.n_systems:
            raise ValueError(
                f"`ranking` must have as many systems as the reference, {self.n_systems}, got {scores.shape[-1]}."
            )
        return RankingsGiven(scores[..., self.systems].reshape(-1, self.n_systems), scores.ndim == 1)


def warn_of_undefined(undefined: NDArray[np.bool_]) -> None:
    if undefined.any():
        warn("d_rank is undefined where all systems are tied: the result is nan.", DegenerateInputWarning)
