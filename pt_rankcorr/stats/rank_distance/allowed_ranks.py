"""The ranks that d_rank, and to compare tau, allow each system: figure 3 of Carterette (2009)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.coefficients.coefficient import all_tied, warn_of_ties
from pt_rankcorr.stats.coefficients.random_rankings import random_rankings
from pt_rankcorr.stats.core.arguments import numbered, one_of, real_number, resample_count, share
from pt_rankcorr.stats.core.inputs import ScoresLike
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, topic_weights
from pt_rankcorr.stats.core.types import TOLERANCE, Floats, Indices, Labels, Result
from pt_rankcorr.stats.rank_distance.d_rank import warn_if_unreliable
from pt_rankcorr.stats.rank_distance.distance import ReferenceSample, as_ridge, covariance_for
from pt_rankcorr.stats.rank_distance.null import (
    DEFAULT_NULL,
    NULLS,
    Null,
    count_to_accept,
    upper_quantile,
)


@dataclass(frozen=True, eq=False)
class AllowedRanks(Result, Drawable):
    """The ranks that a ranking may give each system and still pass for the reference's.

    Attributes:
        by_distance: Row i, column r: the share of accepted rankings where system i has rank r + 1;
            shape (m, m); nan if no ranking is accepted, or the reference ties all systems.
        by_tau: The same for random rankings with a high tau; shape (m, m).
        order: Positions of the systems from best to worst by the reference's means.
        systems: Names of the systems, if they have any.
        critical_value: The largest accepted d_rank; None for "shrunken": each ranking has its own.
        accepted: The number of accepted resampled rankings.
        alpha, tau, n_resamples, null, covariance: As for `allowed_ranks`.
        n_topics, n_systems: The numbers of topics and of systems m.
    """

    by_distance: Floats = field(repr=False)
    by_tau: Floats = field(repr=False)
    order: Indices
    systems: Labels | None
    critical_value: float | None
    accepted: int
    alpha: float
    tau: float
    n_resamples: int
    null: str
    covariance: str
    n_topics: int
    n_systems: int

    def to_frame(self) -> pd.DataFrame:
        """A row a system and rank, best system first: the shares of rankings that give it."""
        names = np.array(self.best_first(), dtype=object)
        ranks = np.arange(1, self.n_systems + 1)
        # m rows a system, one for each rank: matrices (m, m) are read row by row
        return pd.DataFrame(
            {
                "system": names.repeat(self.n_systems),
                "rank": np.tile(ranks, self.n_systems),
                "by_distance": self.by_distance[self.order].ravel(),
                "by_tau": self.by_tau[self.order].ravel(),
            }
        )

    def best_first(self) -> Labels:
        """The names of the systems, or "s1", "s2", ..., from best to worst."""
        names = self.systems or numbered("s", self.n_systems)
        return tuple(names[system] for system in self.order)


def allowed_ranks(
    reference: ScoresLike,
    *,
    alpha: float = defaults.ALPHA,
    tau: float = 0.9,
    # fewer than for d_rank, as each ranking is tested by a null of its own; chosen, not tuned
    n_resamples: int = 2000,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
    ridge: float = 1e-5,
    n_null_resamples: int = 199,  # (b + 1)/(B + 1) can be exactly .05
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> AllowedRanks:
    """The ranks of systems in rankings that d_rank accepts, and in random ones with a high tau.

    d_rank tests the rankings by the means of resampled topics; the means of the reference break
    ties. It accepts a ranking whose p-value against the reference is above alpha:

    - "shrunken": by `DRankTest` with `n_null_resamples` resamples, the same ones for all rankings.
    - "published", as in figure 3 of the paper: the distances of all resampled rankings are the null
      distribution, so the share alpha is rejected. With few topics it accepts too few, and warns.

    A rank that no resampled ranking has may still be allowed. Memory: some seven times B x m ranks.

    Args:
        alpha: The level of the test, between 0 and 1.
        tau: The least tau, in [-1, 1].
        n_resamples: Number B of resampled rankings, which are tested, and of random rankings.
        null: "shrunken" or "published".
        n_null_resamples: Number of resamples for the null of "shrunken".
        reference, covariance, ridge, rng, n_jobs: As for `d_rank`.

    Returns:
        The shares, systems in the order of the reference.

    Raises:
        TypeError, ValueError: As `d_rank`, and if the null is "two-sample".

    References:
        Carterette, SIGIR 2009: section 4.2, figure 3.

    Example:
        If one of two systems is better on every topic, only one order is allowed:

        >>> allowed = allowed_ranks([[0.1, 0.3], [0.2, 0.6], [0.3, 0.4]] * 4, n_resamples=50, rng=1)
        >>> allowed.by_distance.tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    null = one_of("null", null, NULLS)
    if null == "two-sample":
        why = "the rankings tried here come from the topics of the reference"
        raise ValueError(f"`null` must be 'shrunken' or 'published', got 'two-sample': {why}.")
    covariance, ridge = covariance_for(null, covariance), as_ridge(ridge)
    n_null_resamples, n_rankings = resample_count(n_null_resamples), resample_count(n_resamples)
    alpha, tau = share("alpha", alpha), real_number("tau", tau)
    prepared = ReferenceSample.of(reference, covariance, ridge)
    n_topics, n_systems, model = prepared.n_topics, prepared.n_systems, prepared.model
    warn_if_unreliable(prepared, null, covariance, " So too few ranks are allowed.")
    sampling, drawing = generator(rng).spawn(2)
    # blocks of rankings are shared out to workers, so the null within a block has one worker
    test: Null | None = None
    if null != "published":
        test = Null(prepared, null, n_null_resamples, n_topics, sampling, 1)
    enough_to_accept = count_to_accept(alpha, n_null_resamples)

    def try_rankings(child: np.random.Generator, size: int) -> Floats:
        """For each ranking its distance, whether its null accepts it, m ranks: (size, 2 + m)."""
        orders = model.order(prepared.means(topic_weights(child, size, n_topics)))
        squared = np.array([model.squared_distance(order) for order in orders])
        distances = np.sqrt(n_topics * squared)
        # the inverse of each order: the place of each system from the worst, 0 ... m - 1, (size, m)
        places, is_accepted = np.argsort(orders, axis=1), np.zeros(size, dtype=np.bool_)
        if test is not None:
            # p > alpha as soon as so many resamples are as far: resampling stops there
            counts = test.count(places.astype(np.float64), distances, enough_to_accept)
            is_accepted = counts.as_far >= counts.enough
        return np.column_stack([distances, is_accepted, n_systems - places])

    cells = max(n_topics, n_systems**2)
    tried = blockwise(try_rankings, n_rankings, cells=cells, rng=sampling, n_jobs=n_jobs)
    distances, is_accepted, critical = tried[:, 0], tried[:, 1] > 0.0, None
    # the published null: the distances of all tried rankings are the null distribution
    if test is None:
        critical = upper_quantile(distances, alpha)
        is_accepted = distances * (1.0 - TOLERANCE) <= critical
    accepted = tried[is_accepted, 2:]
    drawn = random_rankings(n_systems, n_rankings, tau=tau, at_least=True, rng=drawing).values
    is_undefined = all_tied(model.means)
    if is_undefined or not len(accepted):
        warn_of_ties("d_rank")
    # from the order of the reference, worst first, to that of the input
    in_input = np.argsort(prepared.systems)
    # drawn are scores, m for the best; the best system comes first, so rows are reversed before
    by_tau = _shares(n_systems + 1 - drawn)[::-1][in_input]
    return AllowedRanks(
        by_distance=np.where(is_undefined, np.nan, _shares(accepted)[in_input]),
        by_tau=np.where(is_undefined, np.nan, by_tau),
        order=prepared.systems[::-1],
        systems=prepared.side.system_names,
        critical_value=critical,
        accepted=len(accepted),
        alpha=alpha,
        tau=tau,
        n_resamples=n_rankings,
        null=null,
        covariance=covariance,
        n_topics=n_topics,
        n_systems=n_systems,
    )


def _shares(ranks: Floats) -> Floats:
    """The share of rankings, (k, m), in which each system has each rank: (m, m); nan if k is 0."""
    count, n_systems = ranks.shape
    # cell (i, r) of an (m, m) table has the number i m + r: one count of the numbers fills it
    cells = (ranks.astype(np.intp) - 1 + np.arange(n_systems) * n_systems).ravel()
    counts = np.bincount(cells, minlength=n_systems**2).reshape(n_systems, n_systems)
    return np.asarray(counts / count) if count else np.full(counts.shape, np.nan)
