"""Two noisy rankings: draws of the true means of systems by a reference and an estimate, and whether these rank alike.

Nobody knows whether systems that are alike on topics are erred about alike. So half of the draws come from either view:
those of `joint` from a model of pairs, each in its own noise, those of `alike` from one in which errors follow the
similarity of systems. Of both, a share p / 2 has an estimate that errs about no system, p the p-value of one ranking:
so a two-sided interval of any level reaches a perfect correlation if the test at its level does not reject that, and
only then, but for systems so few or errors so small that true rankings are alike all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.means import round_significant
from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import one_blas_thread
from pt_rankcorr.stats.truth.alike import Alike
from pt_rankcorr.stats.truth.bends import Bend
from pt_rankcorr.stats.truth.draws import noise
from pt_rankcorr.stats.truth.joint import joint_model, mean_of_equals
from pt_rankcorr.stats.truth.one_ranking import effective, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.sides import Indices, Sides

Flags = NDArray[np.bool_]

MOST_ALIKE = 200  # of more systems all draws are those of pairs, as the other view takes O(m^3)


@dataclass(frozen=True)
class TwoRankings:
    """What is known of two true rankings.

    Attributes:
        reference: Draws of the true means by the reference, shape (n_draws, n_systems), in the order of `sides`.
        estimate: By the estimate.
        pvalue: Of the hypothesis that the true rankings are one.
        sides: What was given, in an order of its own.
    """

    reference: Floats
    estimate: Floats
    pvalue: float
    sides: Sides


def draw_two_rankings(
    reference: Floats, estimate: Floats, n_draws: int, seed: int, *, shared: bool = True, n_jobs: int | None = None
) -> TwoRankings:
    """Draws of the true means of systems by two measures.

    Args:
        reference: Scores of shape (n_topics, n_systems).
        estimate: The same by another measure.
        n_draws: How many draws.
        seed: What gives the same draws again; the luck of topics is the same for all estimates with one reference.
        shared: Whether row i of both is one topic; if not, there may be more of one side.
        n_jobs: Workers.

    Returns:
        Draws, rounded as means are. The order of topics and systems changes no bit but the order of systems.
    """
    sides = Sides.of(reference, estimate, shared=shared)
    with one_blas_thread():
        pvalue = pvalue_of_one_ranking(sides)
        truths = _truths(sides, n_draws, seed, pvalue, n_jobs)
    return TwoRankings(truths[:, 0], truths[:, 1], pvalue, sides)


def _truths(sides: Sides, n_draws: int, seed: int, pvalue: float, n_jobs: int | None) -> Floats:
    """Shape (n_draws, 2, n_systems): every other draw is of another view."""
    units = np.array([np.abs(scores).max() or 1.0 for scores in sides.matrices])
    scaled = [scores / unit for scores, unit in zip(sides.matrices, units, strict=True)]
    means = sides.means / units[:, np.newaxis]
    centre = means.mean(axis=1, keepdims=True)
    theirs = np.random.default_rng([seed, 1, sides.content()])
    errors = _errors(scaled, sides.shared, n_draws, seed, n_jobs)
    model = joint_model(scaled, shared=sides.shared)
    model = replace(model, weight=min(model.weight, _independent(scaled)))
    of_pairs = slice(0, n_draws, 2 if _has_both_views(sides, model.into) else 1)
    groups = [np.unique(each, axis=1, return_inverse=True)[1].ravel() for each in scaled]
    values, directions = model.spectra(theirs, len(errors[of_pairs]))
    found = np.empty((n_draws, 2, sides.n_systems))
    if of_pairs.step == 2:
        perfect = theirs.permutation(n_draws // 2) < _so_many(pvalue, n_draws // 2)
        found[1::2] = _alike(sides, units, groups, errors[1::2], perfect, np.random.default_rng([seed, 2]), theirs)
    made_perfect = np.empty(0, dtype=np.intp)
    if values.shape[1] == 2:
        made_perfect = np.argsort(values[:, 0], kind="stable")[: _so_many(pvalue, len(values))]
        values[made_perfect, 0] = 1.0
    shrink, root = model.maps_of(values, directions)
    unit = model.units[:, np.newaxis]
    drawn = (shrink @ ((means - centre) / unit) + root @ (errors[of_pairs] / unit)) * unit
    drawn[made_perfect, 1] *= _rising(drawn[made_perfect])
    drawn[made_perfect] = _equal_by_both(drawn[made_perfect], groups)
    found[of_pairs] = drawn + centre
    for at, group in enumerate(groups):
        found[:, at] = mean_of_equals(found[:, at], group)
    found *= units[:, np.newaxis]
    sizes = np.array([np.abs(scores).mean(axis=0).max() for scores in sides.matrices])
    return round_significant(found, np.broadcast_to(sizes[:, np.newaxis], found.shape))


def _alike(
    sides: Sides,
    units: Floats,
    groups: Sequence[Indices],
    errors: Floats,
    perfect: Flags,
    ours: np.random.Generator,
    theirs: np.random.Generator,
) -> Floats:
    """Draws on scales that are straight over each other, and bent again: that side's whose curve fits better."""
    means = sides.means / units[:, np.newaxis]
    bends = Bend.between(means[1], means[0]), Bend.between(means[0], means[1])
    at = 0 if bends[0].fit > bends[1].fit else 1
    slopes, straight = np.ones_like(means), means.copy()
    slopes[at], straight[at] = bends[at].slopes, bends[at].straighten(means[at])
    noise = sides.noise() / units[:, np.newaxis, np.newaxis] * slopes[:, np.newaxis]
    drawn = Alike.of(straight, noise).draw(errors * slopes, perfect, ours, theirs)
    drawn[perfect] = _equal_by_both(drawn[perfect], groups)
    drawn += straight.mean(axis=1, keepdims=True)
    drawn[:, at] = bends[at].bend(drawn[:, at])
    return drawn


def _equal_by_both(drawn: Floats, groups: Sequence[Indices]) -> Floats:
    """Of draws on a line: systems that one side scores equally on every topic are equal by the other, too."""
    for group in (*groups, groups[0]):
        drawn = mean_of_equals(drawn, group)
    return drawn


def _independent(scores: list[Floats]) -> float:
    """How many differences of systems are independent, where similar systems are erred about alike: at least 3."""
    noise = [each - each.mean(axis=1, keepdims=True) for each in scores]
    found = [effective(each - each.mean(axis=0), len(each) - 1, each.shape[1] - 1) for each in noise]
    return max(float(np.mean(found)), 3.0)


def _has_both_views(sides: Sides, into: Floats) -> bool:
    """The other view is of systems that each measure tells apart by noise of its own."""
    return len(into) == 2 and 3 <= sides.n_systems <= MOST_ALIKE


def _so_many(pvalue: float, n_draws: int) -> int:
    """Draws without any error, so that an interval of the level 1 - alpha reaches 1 where p > alpha."""
    return int(np.ceil(n_draws * pvalue / 2.0)) if pvalue * n_draws > 2.0 else 0


def _rising(drawn: Floats) -> Floats:
    """What turns means on a falling line to a rising one, shape (n_draws, 1)."""
    covary = (drawn - drawn.mean(axis=2, keepdims=True)).prod(axis=1).sum(axis=1, keepdims=True)
    return np.where(covary < 0.0, -1.0, 1.0)


def _errors(scores: list[Floats], shared: bool, n_draws: int, seed: int, n_jobs: int | None) -> Floats:
    """Of means, by the luck of topics, shape (n_draws, 2, n_systems); not of an estimate's own."""
    rng = np.random.default_rng([seed, 0])
    joined = [np.hstack(scores)] if shared else scores
    drawn = [
        blockwise(
            partial(noise, centred=each - each.mean(axis=0)), n_draws, cells=sum(each.shape), rng=rng, n_jobs=n_jobs
        )
        for each in joined
    ]
    return np.asarray(np.hstack(drawn).reshape(n_draws, 2, -1))
