"""The tests of d_rank: the default, the alternatives, and where they are unreliable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.stats.core.arguments import one_of, real_number, resample_count, whole_number
from pt_rankcorr.stats.core.few_topics import warn_of_few_topics
from pt_rankcorr.warnings import UnreliableResultWarning, warn

NULLS: tuple[choices.Null, ...] = get_args(choices.Null)
OF_EACH_RANKING = "shrunken"  # the others are resampled once for all rankings
DEFAULT_NULL: choices.Null = "shrunken"  # everywhere: it keeps its level best (see the calibration page)
DEFAULT_COVARIANCE: choices.Covariance = "ledoit-wolf"  # of every null but the published one
COVARIANCES: tuple[choices.Covariance, ...] = get_args(choices.Covariance)

LEAST_RIDGE = 1e-12  # below, rounding makes most singular covariances indefinite; below 1e-7 some
RELIABLE_SHARE = 0.2  # systems a topic, beyond which the published test warns (see the calibration page)


@dataclass(frozen=True)
class Settings:
    """How distances and their null distribution are computed."""

    null: str
    covariance: str
    ridge: float
    n_resamples: int
    n_ranking_topics: int

    @classmethod
    def of(
        cls, null: object, covariance: object, ridge: object, n_resamples: object, n_ranking_topics: object
    ) -> Settings:
        known = one_of("null", null, NULLS)
        return cls(
            known,
            covariance_for(known, covariance),
            as_ridge(ridge),
            resample_count(n_resamples),
            whole_number("n_ranking_topics", n_ranking_topics, at_least=1),
        )


def covariance_for(null: str, covariance: object) -> choices.Covariance:
    """The covariance asked for, or the default of the null."""
    if covariance is None:
        return "sample" if null == "published" else DEFAULT_COVARIANCE
    return one_of("covariance", covariance, COVARIANCES)


def as_ridge(ridge: object) -> float:
    number = real_number("ridge", ridge)
    if not LEAST_RIDGE <= number < np.inf:
        raise ValueError(f"`ridge` must be finite and at least {LEAST_RIDGE}, got {ridge!r}.")
    return number


def warn_if_unreliable(n_topics: int, n_systems: int, settings: Settings, consequence: str = "") -> None:
    warn_of_few_topics(n_topics, "the test of d_rank was")
    trouble = _trouble(n_topics, n_systems, settings)
    null = "two-sample" if settings.null == "two-sample" else DEFAULT_NULL
    if trouble:
        warn(
            f"{n_systems} systems on {n_topics} topics: {trouble}{consequence} "
            f'Use null="{null}" with covariance="{DEFAULT_COVARIANCE}" instead.',
            UnreliableResultWarning,
        )


def _trouble(n_topics: int, n_systems: int, settings: Settings) -> str | None:
    if settings.covariance == "sample" and n_systems >= n_topics:
        return "the sample covariance is singular or nearly so, and the distance depends on the ridge."
    if settings.null == "published" and n_systems > n_topics * RELIABLE_SHARE:
        return "the covariance is poorly estimated, and the published test rejects true rankings too often."
    return None
