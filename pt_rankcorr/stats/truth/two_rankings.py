"""Two noisy rankings: draws of the true means of systems by both measures, and a test that their rankings are one.

Nobody knows whether a measure makes similar errors about similar systems. So half of the draws come from either view:
from a model of pairs of systems, each in its own noise (`joint`), and from one in which errors follow the similarity of
systems (`alike`). In a share p/2 of all draws, p the p-value of one ranking, neither measure has an error about a
system. So a two-sided interval of any level reaches a perfect correlation unless the test at its level rejects one
ranking, but for rankings of few systems or with small errors, which are alike all the same.

Both sides have one rule: exchanging them exchanges the draws. For this, sides stand in an order that their scores
settle, and random numbers belong to topics (by position), to a side or to a pair of sides (by their scores).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import numpy as np

from pt_rankcorr.stats.core.means import in_given_order, lexsorted, rounded
from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import one_blas_thread
from pt_rankcorr.stats.truth.alike import draw_alike
from pt_rankcorr.stats.truth.draws import noise
from pt_rankcorr.stats.truth.joint import joint_model, mean_of_equals
from pt_rankcorr.stats.truth.one_ranking import effective, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.sides import Sides

MOST_ALIKE = 200  # of more systems all draws are those of pairs, as the other view takes O(m^3)


@dataclass(frozen=True)
class TwoRankings:
    """What is known of two true rankings.

    Attributes:
        reference: Draws of the true means by the reference, shape (n_draws, n_systems).
        estimate: By the estimate.
        pvalue: Of the hypothesis that the true rankings are one.
    """

    reference: Floats
    estimate: Floats
    pvalue: float


def draw_two_rankings(
    reference: Floats, estimate: Floats, n_draws: int, seed: int, *, shared: bool = True, n_jobs: int | None = None
) -> TwoRankings:
    """Draws of the true means of systems by two measures.

    Args:
        reference: Scores of shape (n_topics, n_systems).
        estimate: The same by another measure.
        n_draws: How many draws.
        seed: What gives the same draws again. All measures compared with one reference share the sampling of topics.
        shared: Whether row i of both is one topic; if not, there may be more of one side.
        n_jobs: Workers.

    Returns:
        Draws, rounded as means are. Exchanging the sides exchanges them, bit for bit.
    """
    keys = [_number_of(scores) for scores in (reference, estimate)]
    exchanged = (keys[0], reference.tobytes()) > (keys[1], estimate.tobytes())
    if exchanged:
        reference, estimate, keys = estimate, reference, keys[::-1]
    order = lexsorted(np.vstack([estimate, reference])[::-1])  # so that the order of systems changes no draw
    sides = Sides(np.ascontiguousarray(reference[:, order]), np.ascontiguousarray(estimate[:, order]), shared)
    with one_blas_thread():
        pvalue = pvalue_of_one_ranking(sides)
        truths = _truths(sides, n_draws, seed, keys, pvalue, n_jobs)
    first, second = in_given_order(truths[::-1] if exchanged else truths, order)
    return TwoRankings(first, second, pvalue)


def _truths(sides: Sides, n_draws: int, seed: int, keys: Sequence[int], pvalue: float, n_jobs: int | None) -> Floats:
    """Shape (2, n_draws, n_systems): every other draw is of another view."""
    units = np.array([np.abs(scores).max() or 1.0 for scores in sides.matrices])[:, np.newaxis]
    scaled = [scores / unit for scores, unit in zip(sides.matrices, units, strict=True)]
    means = sides.means / units
    centre = means.mean(axis=1, keepdims=True)
    rng = np.random.default_rng([seed, 1, *keys])
    errors = _errors(scaled, sides.shared, n_draws, seed, keys, n_jobs)
    model = joint_model(scaled, shared=sides.shared)
    model = replace(model, weight=min(model.weight, _independent(scaled)))
    has_both_views = len(model.into) == 2 and 3 <= sides.n_systems <= MOST_ALIKE
    of_pairs = slice(0, n_draws, 2 if has_both_views else 1)
    same = [np.unique(scores, axis=1, return_inverse=True)[1].ravel() for scores in (*scaled, np.vstack(scaled))]
    truths, perfect = np.empty((n_draws, 2, sides.n_systems)), np.zeros(n_draws, dtype=np.bool_)

    values, directions = model.spectra(rng, len(errors[of_pairs]))
    if values.shape[1] == 2:
        least = np.argsort(values[:, 0], kind="stable")[: _so_many(pvalue, len(values))]
        values[least, 0] = 1.0
        perfect[of_pairs][least] = True
    shrink, root = model.maps_of(values, directions)
    unit = model.units[:, np.newaxis]
    drawn = (shrink @ ((means - centre) / unit) + root @ (errors[of_pairs] / unit)) * unit
    drawn[perfect[of_pairs], 1] *= _rising(drawn[perfect[of_pairs]])
    truths[of_pairs] = drawn + centre

    if has_both_views:
        perfect[1::2] = rng.permutation(n_draws // 2) < _so_many(pvalue, n_draws // 2)
        of_sides = [np.random.default_rng([seed, 2 + (side and keys[0] == keys[1]), keys[side]]) for side in (0, 1)]
        noise_rows = sides.noise() / units[:, np.newaxis]
        truths[1::2] = draw_alike(means, noise_rows, errors[1::2], perfect[1::2], of_sides, rng)

    truths[perfect] = mean_of_equals(truths[perfect], same[2])
    for side in (0, 1):
        truths[~perfect, side] = mean_of_equals(truths[~perfect, side], same[side])
    sizes = np.array([np.abs(scores).mean(axis=0).max() for scores in sides.matrices])
    return np.stack([rounded(units[k] * truths[:, k], sizes[k]) for k in (0, 1)])


def _number_of(scores: Floats) -> int:
    """A number that stands for these scores, whatever their unit and the order of systems, and for no others."""
    ranks = np.unique(scores[:, lexsorted(scores[::-1])], return_inverse=True)[1]
    return int.from_bytes(blake2b(ranks.astype("<i8").tobytes(), digest_size=16).digest(), "little")


def _independent(scores: list[Floats]) -> float:
    """How many differences of systems are independent, where similar systems are erred about alike: at least 3."""
    noise = [each - each.mean(axis=1, keepdims=True) for each in scores]
    found = [effective(each - each.mean(axis=0), len(each) - 1, each.shape[1] - 1) for each in noise]
    return max(float(np.mean(found)), 3.0)


def _so_many(pvalue: float, n_draws: int) -> int:
    """Draws without any error, so that an interval of the level 1 - alpha reaches 1 where p > alpha."""
    return int(np.ceil(n_draws * pvalue / 2.0)) if pvalue * n_draws > 2.0 else 0


def _rising(drawn: Floats) -> Floats:
    """What turns means on a falling line to a rising one, shape (n_draws, 1)."""
    covary = (drawn - drawn.mean(axis=2, keepdims=True)).prod(axis=1).sum(axis=1, keepdims=True)
    return np.where(covary < 0.0, -1.0, 1.0)


def _errors(
    scores: list[Floats], shared: bool, n_draws: int, seed: int, keys: Sequence[int], n_jobs: int | None
) -> Floats:
    """Of means over as many topics, shape (n_draws, 2, n_systems): of both sides over the same ones if they share them.

    Shared topics are sampled by their position alone, and so alike for all measures compared with one reference.
    """
    samples = [(np.hstack(scores), [seed, 0])] if shared else [(scores[k], [seed, 0, keys[k]]) for k in (0, 1)]
    drawn = [
        blockwise(
            partial(noise, centred=rows - rows.mean(axis=0)),
            n_draws,
            cells=sum(rows.shape),
            rng=np.random.default_rng(key),
            n_jobs=n_jobs,
        )
        for rows, key in samples
    ]
    return np.asarray(np.hstack(drawn).reshape(n_draws, 2, -1))
