"""Does a measure favour a group of systems, beyond what the reference sees in them?

Two measures may have different scales. So what is compared is what the other measure, F, gives beyond a line over the
reference: F - b R, in the units of F. Its slope b is that over systems within groups, so that what groups differ by
does not bend it. Noise of the topics would flatten it, and change ranks. So all is computed from draws of true means.
A draw of the mean of a group is the measured one and its noise: it is not shrunk, or a true partiality would be. What
systems deviate from the mean of their group is drawn as for the interval of a correlation (`stats.truth.joint`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import ranks, round_means
from pt_rankcorr.stats.core.resampling import generator
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.draws import noise_of_means
from pt_rankcorr.stats.truth.joint import draw_joint_truths

Flags = NDArray[np.bool_]

ROUNDING = 1e-9  # of the largest mean


@dataclass(frozen=True)
class Shifts:
    """What a measure adds to the reference, in draws of the true means by both.

    Attributes:
        slope: b in each draw, shape (n_draws,); nan where no group has systems that differ.
        scores: F - b R of each system, less its mean over systems, shape (n_draws, n_systems).
        ranks: How many ranks better F places each system, shape (n_draws, n_systems).
    """

    slope: Floats
    scores: Floats
    ranks: Floats

    def of_groups(self, groups: Flags) -> tuple[Floats, Floats]:
        """The mean shift of a group less that of all other systems, in scores and in ranks.

        Args:
            groups: Row i, column j: whether the j-th system is in the i-th group.

        Returns:
            Twice shape (n_draws, n_groups).
        """
        inside = groups / groups.sum(axis=1, keepdims=True)
        outside = ~groups / (~groups).sum(axis=1, keepdims=True)
        contrasts = (inside - outside).T
        return self.scores @ contrasts, self.ranks @ contrasts


def draw_shifts(
    reference: Floats,
    estimate: Floats,
    cells: NDArray[np.intp],
    *,
    n_draws: int,
    seed: int,
    same_scale: bool = False,
    n_jobs: int | None = None,
) -> Shifts:
    """Draws of what the estimate adds to the reference.

    Args:
        reference, estimate: Scores of the same systems on the same topics, shape (n_topics, n_systems).
        cells: The number of the group of each system, from 0, shape (n_systems,).
        n_draws, seed, n_jobs: How many draws; what gives the same ones again; the number of workers.
        same_scale: Whether b is 1.
    """
    first, second = _draw_means(reference, estimate, cells, n_draws, seed, n_jobs)
    slope = np.ones(n_draws) if same_scale else _slope(first, second, cells)
    shifts = second - slope[:, np.newaxis] * first
    return Shifts(slope, shifts - shifts.mean(axis=1, keepdims=True), ranks(first) - ranks(second))


def _slope(first: Floats, second: Floats, cells: NDArray[np.intp]) -> Floats:
    """Over systems within groups; nan where only rounding errors tell those apart."""
    size = np.abs(first).max() or 1.0
    x, y = _deviations(first / size, cells), _deviations(second, cells)
    squares, undefined = (x**2).sum(axis=1), np.full(len(x), np.nan)
    slope = np.divide((x * y).sum(axis=1), squares, out=undefined, where=squares > ROUNDING**2)
    return np.asarray(slope / size)


def _draw_means(
    reference: Floats, estimate: Floats, cells: NDArray[np.intp], n_draws: int, seed: int, n_jobs: int | None
) -> tuple[Floats, Floats]:
    both, random = (reference, estimate), generator(seed)
    of_cells = np.hstack([_means_of_cells(scores, cells) for scores in both])
    shared = of_cells.mean(axis=0) + noise_of_means(of_cells, n_draws, random, n_jobs)
    drawn = np.stack([part[:, cells] for part in np.split(shared, 2, axis=1)])
    several = np.flatnonzero(np.bincount(cells)[cells] > 1)
    if several.size:
        inner = [_deviations(scores, cells)[:, several] for scores in both]
        drawn[:, :, several] += draw_joint_truths(inner, n_draws, random, n_jobs)
    first, second = (round_means(means, scores) for means, scores in zip(drawn, both, strict=True))
    return first, second


def _means_of_cells(scores: Floats, cells: NDArray[np.intp]) -> Floats:
    member = np.eye(cells.max() + 1)[cells]
    return np.asarray(scores @ member / member.sum(axis=0))


def _deviations(scores: Floats, cells: NDArray[np.intp]) -> Floats:
    return np.asarray(scores - _means_of_cells(scores, cells)[:, cells])
