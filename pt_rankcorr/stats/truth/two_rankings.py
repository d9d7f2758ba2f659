"""Two noisy rankings: draws of the true means of systems by two measures, and a test that their rankings are one.

The draws are those of the model of pairs (`joint`), and agree with the test (`one_ranking`): a share p/2 of them has
one true ranking, as described at eq. 11 of the page "Models of the population" of the documentation.

Both sides have one rule: exchanging them exchanges the draws. For this, sides stand in an order that their scores
determine, and random numbers belong to topics (by position), to a side or to a pair of sides (by their scores).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from pt_rankcorr.stats.core.means import rounded
from pt_rankcorr.stats.core.ordering import in_given_order, lexsorted
from pt_rankcorr.stats.core.resampling import one_blas_thread
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.truth.constants import LEVELS
from pt_rankcorr.stats.truth.joint import mean_of_equals, pairs_model
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.shrunken import noise_of_means


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
    """Draws of the true means by both measures, shape (2, n_draws, n_systems); arguments as above."""
    rng = np.random.default_rng([seed, 1, *keys])
    errors = _errors(sides, n_draws, seed, keys, n_jobs)
    model = pairs_model(sides.matrices, shared=sides.shared)
    truths, is_one = model.draw(sides.means, errors, n_of_one_ranking(pvalue, n_draws), rng)
    # equal on every topic: by both measures in draws of one ranking, by one in the others
    truths[is_one] = mean_of_equals(truths[is_one], np.vstack(sides.matrices))
    for side, scores in enumerate(sides.matrices):
        truths[~is_one, side] = mean_of_equals(truths[~is_one, side], scores)
    sizes = np.array([np.abs(scores).mean(axis=0).max() for scores in sides.matrices])
    truths = rounded(np.swapaxes(truths, 0, 1), sizes[:, np.newaxis, np.newaxis])
    return _with_one_ranking(truths, is_one, pvalue, rng)


def n_of_one_ranking(pvalue: float, n_draws: int) -> int:
    """How many draws have one ranking, so that a two-sided interval reaches 1 where p > 1 - level, else not (eq. 11).

    Where n_draws are too few to tell, an interval of one of the usual levels follows the test.
    """
    if pvalue * n_draws <= 2.0:
        return 0
    reached = int(np.ceil(1.0 + (n_draws - 1) * pvalue / 2.0))  # as quantiles lie between draws
    rejected = [1.0 - level for level in LEVELS if pvalue <= 1.0 - level]
    return int(min([reached, n_draws, *(np.ceil((n_draws - 1) * alpha / 2.0) for alpha in rejected)]))


def _with_one_ranking(truths: Floats, is_one: Flags, pvalue: float, rng: np.random.Generator) -> Floats:
    """Gives one ranking to those draws, shape (2, n_draws, n_systems), that are to have one.

    Others that have one by chance, as small errors change no place, are replaced where the test rejects at a usual
    level: by draws that have not.
    """
    reference, estimate = truths
    order = np.argsort(reference, axis=1)
    along = np.take_along_axis(estimate, order, axis=1)
    has_one = (np.diff(along) >= 0.0).all(axis=1)
    if (turned := is_one & ~has_one).any():
        in_order = estimate[turned]
        np.put_along_axis(in_order, order[turned], np.sort(in_order), axis=1)
        estimate[turned] = in_order
    others = np.flatnonzero(~is_one & ~has_one)
    if pvalue <= 1.0 - min(LEVELS) and others.size:
        by_chance = np.flatnonzero(~is_one & has_one)
        truths[:, by_chance] = truths[:, rng.choice(others, by_chance.size)]
    return truths


def _errors(sides: TwoMeasures, n_draws: int, seed: int, keys: Sequence[int], n_jobs: int | None) -> Floats:
    """Draws of the noise of means (eq. 4), shape (n_draws, 2, n_systems): of both sides over one sample of topics.

    Shared topics are sampled by their position alone, and so alike for all measures compared with one reference.
    """
    samples = [(scores, [seed, 0, key]) for scores, key in zip(sides.matrices, keys, strict=True)]
    if sides.shared:
        samples = [(np.hstack(sides.matrices), [seed, 0])]
    drawn = [noise_of_means(rows, n_draws, np.random.default_rng(key), n_jobs) for rows, key in samples]
    return np.asarray(np.hstack(drawn).reshape(n_draws, 2, -1))
