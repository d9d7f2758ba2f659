"""Two noisy rankings: draws of the true means of systems by both measures, and a test that their rankings are one.

Nobody knows whether a measure makes similar errors about similar systems. So half of the draws come from either view:
from a model of pairs of systems, each in its own noise (`joint`), and from one in which errors follow the similarity of
systems (`alike`). In a share p/2 of all draws, p the p-value of one true ranking, neither measure has an error about a
system. So a two-sided interval of any level reaches a perfect correlation unless the test at its level rejects one
ranking, but for rankings of few systems or with small errors, which are alike all the same.

Both sides have one rule: exchanging them exchanges the draws. For this, sides stand in an order that their scores
determine, and random numbers belong to topics (by position), to a side or to a pair of sides (by their scores).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

import numpy as np

from pt_rankcorr.stats.core.means import NEGLIGIBLE, in_given_order, lexsorted, rounded
from pt_rankcorr.stats.core.resampling import blockwise, one_blas_thread
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth import joint
from pt_rankcorr.stats.truth.alike import draw_alike
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.shrunken import noise

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
    in_order = [scores[:, lexsorted(scores[::-1])] for scores in (reference, estimate)]
    keys = [_number_of(scores) for scores in in_order]
    exchanged = (keys[0], in_order[0].tobytes()) > (keys[1], in_order[1].tobytes())
    if exchanged:
        reference, estimate, keys = estimate, reference, keys[::-1]
    keys[1] += keys[0] == keys[1]
    order = lexsorted(np.vstack([estimate, reference])[::-1])  # so that the order of systems changes no draw
    sides = TwoMeasures(np.ascontiguousarray(reference[:, order]), np.ascontiguousarray(estimate[:, order]), shared)
    with one_blas_thread():
        pvalue = pvalue_of_one_ranking(sides)
        truths = _truths(sides, n_draws, seed, keys, pvalue, n_jobs)
    first, second = in_given_order(truths[::-1] if exchanged else truths, order)
    return TwoRankings(first, second, pvalue)


def _number_of(in_order: Floats) -> int:
    """A number that stands for these scores, whatever their scale, given systems in an order that they determine."""
    places = np.unique(in_order, return_inverse=True)[1]
    return int.from_bytes(blake2b(places.astype("<i8").tobytes(), digest_size=16).digest(), "little")


def _truths(
    sides: TwoMeasures, n_draws: int, seed: int, keys: Sequence[int], pvalue: float, n_jobs: int | None
) -> Floats:
    """Shape (2, n_draws, n_systems): every other draw is of another view, where both views have a say."""
    sizes = np.array([np.abs(scores).mean(axis=0).max() for scores in sides.matrices])
    sides, units = sides.in_units()
    rng = np.random.default_rng([seed, 1, *keys])
    errors = _errors(sides, n_draws, seed, keys, n_jobs)
    model = joint.pairs_model(sides.matrices, shared=sides.shared)
    n_directions, alike = len(model.into), np.zeros(n_draws, dtype=np.bool_)
    one_side = n_directions == 1 and np.abs(model.into).min() < NEGLIGIBLE  # the only noise is that of one side
    if 3 <= sides.reference.shape[1] <= MOST_ALIKE and (one_side or n_directions == 2):
        alike[n_directions - 1 :: n_directions] = True  # all, of one side: pairs do not relate it to the other
    pairs, truths, perfect = ~alike, np.empty(errors.shape), np.zeros(n_draws, dtype=np.bool_)

    truths[pairs], perfect[pairs] = model.draw(sides.means, errors[pairs], _n_perfect(pvalue, pairs.sum()), rng)
    if alike.any():
        perfect[alike] = rng.permutation(alike.sum()) < _n_perfect(pvalue, alike.sum())
        of_sides = [np.random.default_rng([seed, 2, key]) for key in keys]
        truths[alike] = draw_alike(sides.means, sides.noise(), errors[alike], perfect[alike], of_sides, rng)

    # equal on every topic: by both measures in draws without an error, by one in the others
    truths[perfect] = joint.mean_of_equals(truths[perfect], np.vstack(sides.matrices))
    for side, scores in enumerate(sides.matrices):
        truths[~perfect, side] = joint.mean_of_equals(truths[~perfect, side], scores)
    return rounded(np.swapaxes(truths, 0, 1) * units[..., np.newaxis], sizes[:, np.newaxis, np.newaxis])


def _n_perfect(pvalue: float, n_draws: int) -> int:
    """Draws without any error, so that an interval of the level 1 - alpha reaches 1 where p > alpha.

    One more than the share p/2, as quantiles lie between draws.
    """
    return int(np.ceil(n_draws * pvalue / 2.0)) + 1 if pvalue * n_draws > 2.0 else 0


def _errors(sides: TwoMeasures, n_draws: int, seed: int, keys: Sequence[int], n_jobs: int | None) -> Floats:
    """Of means over as many topics, shape (n_draws, 2, n_systems): of both sides over the same ones if they share them.

    Shared topics are sampled by their position alone, and so alike for all measures compared with one reference.
    """
    samples = [(scores, [seed, 0, key]) for scores, key in zip(sides.matrices, keys, strict=True)]
    if sides.shared:
        samples = [(np.hstack(sides.matrices), [seed, 0])]
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
