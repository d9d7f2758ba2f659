"""A baseline as d_rank takes it: checked, in canonical order and in its unit, ready to measure rankings."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np

from pt_rankcorr.stats._drank_model import Estimator, Model, Order, canonical_order, unit_of
from pt_rankcorr.stats._drank_null import NULLS
from pt_rankcorr.stats._pairs import check_number_of_systems
from pt_rankcorr.stats._workers import OneBlasThread
from pt_rankcorr.stats.checks import (
    UnreliableResultWarning,
    level_of_the_caller,
    one_of,
    real_number,
    resample_count,
    whole_number,
)
from pt_rankcorr.stats.order import Floats, Labels, as_matrix, as_vector, labels_of, matching, round_significant

COVARIANCES = ("sample", "ledoit-wolf")


class Recommended(TypedDict):
    """The settings of a test, as keyword arguments."""

    null: str
    covariance: str


# what `DRankTest` recommends on the evidence shown there; whatever recommends or presets a test takes it from here
RECOMMENDED: Recommended = {"null": "constrained", "covariance": "ledoit-wolf"}

# below, rounding makes most singular covariances indefinite; below 1e-7 it does so now and then, and `_qp` says so
LEAST_RIDGE = 1e-12
RELIABLE_SHARE = 0.2  # systems a topic, up to which the published test rejects at most 11% of true rankings for 5%,
# if the systems are spread as those of Robust 2004 are; with closer systems it may reject far more


@dataclass(frozen=True)
class Settings:
    """How distances and their null distribution are computed."""

    null: str
    covariance: str
    ridge: float
    n_resamples: int
    n_ranking_topics: int

    @classmethod
    def checked(
        cls, null: object, covariance: object, ridge: object, n_resamples: object, n_ranking_topics: object
    ) -> Settings:
        """From what a caller gave.

        Raises:
            TypeError: If a number is not one.
            ValueError: If a word is unknown or a number out of its range.
        """
        return cls(
            one_of("null", null, tuple(NULLS)),
            one_of("covariance", covariance, COVARIANCES),
            checked_ridge(ridge),
            resample_count(n_resamples),
            whole_number("n_ranking_topics", n_ranking_topics, at_least=1),
        )


def checked_ridge(ridge: object) -> float:
    """The ridge as a float, if it is large enough."""
    number = real_number("ridge", ridge)
    if not LEAST_RIDGE <= number < np.inf:
        raise ValueError(f"`ridge` must be finite and at least {LEAST_RIDGE}, got {ridge!r}.")
    return number


def baseline_matrix(scores: object) -> Floats:
    """The scores of a baseline as an array: a covariance needs two topics."""
    matrix = as_matrix(scores, "baseline", min_topics=2)  # type: ignore[arg-type]
    check_number_of_systems("baseline", matrix.shape[1])
    return matrix


@dataclass(frozen=True)
class Baseline:
    """The baseline of a distance.

    Attributes:
        estimator: Holds the scores, and fits models to samples of their topics.
        systems: Where the systems in canonical order stood in the input.
        labels: Their names in the order of the input, if they have any.
    """

    estimator: Estimator
    systems: Order
    labels: Labels | None

    @classmethod
    def of(cls, scores: object, covariance: str, ridge: float) -> Baseline:
        """From a score matrix or an array of shape (n_topics, n_systems).

        Raises:
            TypeError: If the scores are not numbers.
            ValueError: If they are not a finite matrix of at least two topics and two systems.
        """
        matrix = baseline_matrix(scores)
        in_units = matrix / unit_of(matrix)
        topics, systems = canonical_order(in_units)
        return cls(Estimator.of(in_units[np.ix_(topics, systems)], covariance, ridge), systems, labels_of(scores))

    @property
    def n_topics(self) -> int:
        """The number of topics."""
        return len(self.estimator.scores)

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return self.systems.size

    @cached_property
    def model(self) -> Model:
        """The means and the covariance of all topics."""
        return self.estimator.model()

    def order(self, ranking: object) -> Order:
        """The systems of a ranking, or of several, as canonical positions: shape (..., n_systems), worst first."""
        return self.model.order(self.scores_of(ranking))

    def distances(self, ranking: object) -> Floats:
        """D_rank of every ranking."""
        orders = self.order(ranking)
        with OneBlasThread():  # as in every resample
            each = (self.model.squared_distance(order)[0] for order in orders.reshape(-1, self.n_systems))
            squared = np.fromiter(each, dtype=np.float64).reshape(orders.shape[:-1])
        return np.asarray(np.sqrt(self.n_topics * squared))

    def fingerprint(self) -> str:
        """Equal for equal scores in any order of topics and systems, as far as `canonical_order` settles theirs."""
        scores = self.estimator.scores
        return hashlib.sha256(repr(scores.shape).encode() + scores.astype("<f8").tobytes()).hexdigest()

    def scores_of(self, ranking: object) -> Floats:
        """In canonical order, rounded as means are."""
        scores, labels = as_vector(ranking, "ranking"), labels_of(ranking)
        if self.labels is not None and labels is not None:
            scores = scores[..., matching(self.labels, labels, "ranking")]
        if scores.shape[-1] != self.n_systems:
            raise ValueError(
                f"`ranking` must have as many systems as the baseline, {self.n_systems}, got {scores.shape[-1]}."
            )
        return round_significant(scores)[..., self.systems]


def warn_if_unreliable(baseline: Baseline, settings: Settings, advice: str | None = None) -> None:
    """Says, once, where the covariance cannot carry the test, and what to do."""
    trouble = _trouble(baseline.n_topics, baseline.n_systems, settings)
    if trouble:
        warnings.warn(
            f"{baseline.n_systems} systems on {baseline.n_topics} topics: {trouble} {advice or _better(settings)}",
            UnreliableResultWarning,
            stacklevel=level_of_the_caller(),
        )


def _trouble(n_topics: int, n_systems: int, settings: Settings) -> str | None:
    if settings.covariance == "sample" and n_systems >= n_topics:
        return "the sample covariance is singular or nearly so, and the distance leans on the ridge."
    if settings.null == "baseline" and n_systems > n_topics * RELIABLE_SHARE:
        return "the covariance is poorly estimated, and the published test rejects true rankings too often."
    return None


def _better(settings: Settings) -> str:
    """The test to use instead: one for rankings from other topics stays one."""
    null = "two-sample" if settings.null == "two-sample" else RECOMMENDED["null"]
    return f'Use null="{null}" with covariance="{RECOMMENDED["covariance"]}" instead.'
