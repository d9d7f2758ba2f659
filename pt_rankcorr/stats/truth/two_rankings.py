"""Two noisy rankings: draws of the true means of systems by both measures, and a test that their rankings are one.

Nobody knows whether a measure makes similar errors about similar systems. So half of the draws come from either view:
from a model of pairs of systems, each in its own noise (`joint`), and from one in which errors follow the similarity of
systems (`alike`). In a share p/2 of all draws, p the p-value of one true ranking, neither measure has an error about a
system. So a two-sided interval of any level reaches a perfect correlation unless the test at its level rejects one
ranking, but for rankings of few systems or with small errors, which are alike all the same.

Both sides have one rule: exchanging them exchanges the draws. For this, sides stand in an order that their scores
determine, and random numbers belong to topics (by position), to a side or to a pair of sides (by their scores).

The test: if no measure has an error about a system, true means lie on a rising curve. Measured means scatter about it
by the noise of topics alone, which is known from what neither topic nor system explains, noise that both share
included. The scatter about a curve that is kept rising is tested by an F test, whose degrees of freedom are those
of as many independent systems as the noise stands for (Huynh and Feldt 1976). The curve is a parabola. If the test
rejects, it may be a cubic, which has to lower the scatter by much more than a further coefficient would (Schwarz 1978).
A scale that is steeper, as one that saturates, counts as another ranking where topics are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares
from scipy.special import fdtrc

from pt_rankcorr.stats.core.means import in_given_order, lexsorted, ranks, rounded
from pt_rankcorr.stats.core.resampling import blockwise
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import one_blas_thread
from pt_rankcorr.stats.truth import joint
from pt_rankcorr.stats.truth.alike import draw_alike
from pt_rankcorr.stats.truth.shrunken import noise

MOST_ALIKE = 200  # of more systems all draws are those of pairs, as the other view takes O(m^3)
NOISELESS = 1e-9  # of the noise of both sides: a combination of them with less is known
ROUNDING = 1e-9  # of the largest mean
LEAST = float(np.finfo(np.float64).tiny)  # the p-value where no noise at all could explain what is measured
MANY = 16  # systems, from which a curve may bend more than a parabola
DOUBTFUL = 0.1  # a p-value from which it may
PRICE = 3.0  # times the criterion of Schwarz: what a cubic has to explain
STEEPEST = 3.0  # slope of a curve, in units of noise: steeper, noise along it explains anything across it
STEPS = 400  # from the first place of a curve to the last


@dataclass(frozen=True)
class TwoMeasures:
    """Scores of the same systems by two measures.

    Attributes:
        reference: Shape (n_topics, n_systems).
        estimate: The same; of other topics, and perhaps of another number, unless they are shared.
        shared: Whether row i of both is the same topic.
    """

    reference: Floats
    estimate: Floats
    shared: bool = True

    @property
    def matrices(self) -> tuple[Floats, Floats]:
        return self.reference, self.estimate

    @property
    def means(self) -> Floats:
        """Shape (2, n_systems)."""
        return np.stack([scores.mean(axis=0) for scores in self.matrices])

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the noise."""
        return len(self.reference) - 1 + (0 if self.shared else len(self.estimate) - 1)

    def noise(self) -> Floats:
        """Rows whose sums of squares and products are the variances and covariances of the means.

        Returns:
            Shape (2, n_rows, n_systems), a row a topic; where topics are not shared, the other side has 0 there.
        """
        rows = [(scores - scores.mean(axis=0)) / np.sqrt(len(scores) * (len(scores) - 1.0)) for scores in self.matrices]
        if self.shared:
            return np.stack(rows)
        lengths = [len(side) for side in rows]
        return np.stack([np.pad(rows[0], ((0, lengths[1]), (0, 0))), np.pad(rows[1], ((lengths[0], 0), (0, 0)))])

    def in_units(self) -> tuple[TwoMeasures, Floats]:
        """Scores up to 1 in size, and what they were divided by, shape (2, 1)."""
        units = np.array([np.abs(scores).max() or 1.0 for scores in self.matrices])
        return TwoMeasures(self.reference / units[0], self.estimate / units[1], self.shared), units[:, np.newaxis]


# --- draws --------------------------------------------------------------------------------------------------


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
    sides = TwoMeasures(np.ascontiguousarray(reference[:, order]), np.ascontiguousarray(estimate[:, order]), shared)
    with one_blas_thread():
        pvalue = pvalue_of_one_ranking(sides)
        truths = _truths(sides, n_draws, seed, keys, pvalue, n_jobs)
    first, second = in_given_order(truths[::-1] if exchanged else truths, order)
    return TwoRankings(first, second, pvalue)


def _number_of(scores: Floats) -> int:
    """A number that stands for these scores, whatever their unit and the order of systems, and for no others."""
    places = np.unique(scores[:, lexsorted(scores[::-1])], return_inverse=True)[1]
    return int.from_bytes(blake2b(places.astype("<i8").tobytes(), digest_size=16).digest(), "little")


def _truths(
    sides: TwoMeasures, n_draws: int, seed: int, keys: Sequence[int], pvalue: float, n_jobs: int | None
) -> Floats:
    """Shape (2, n_draws, n_systems): every other draw is of another view."""
    sizes = np.array([np.abs(scores).mean(axis=0).max() for scores in sides.matrices])
    sides, units = sides.in_units()
    rng = np.random.default_rng([seed, 1, *keys])
    errors = _errors(sides, n_draws, seed, keys, n_jobs)
    model = joint.pairs_model(sides.matrices, shared=sides.shared)
    has_both_views = len(model.into) == 2 and 3 <= sides.reference.shape[1] <= MOST_ALIKE
    of_pairs = slice(0, n_draws, 2 if has_both_views else 1)
    truths, perfect = np.empty(errors.shape), np.zeros(n_draws, dtype=np.bool_)

    n_perfect = _n_perfect(pvalue, len(errors[of_pairs]))
    truths[of_pairs], perfect[of_pairs] = model.draw(sides.means, errors[of_pairs], n_perfect, rng)
    if has_both_views:
        perfect[1::2] = rng.permutation(n_draws // 2) < _n_perfect(pvalue, n_draws // 2)
        of_sides = [np.random.default_rng([seed, 2 + (side and keys[0] == keys[1]), keys[side]]) for side in (0, 1)]
        truths[1::2] = draw_alike(sides.means, sides.noise(), errors[1::2], perfect[1::2], of_sides, rng)

    # equal on every topic: by both measures in draws without an error, by one in the others
    truths[perfect] = joint.mean_of_equals(truths[perfect], np.vstack(sides.matrices))
    for side, scores in enumerate(sides.matrices):
        truths[~perfect, side] = joint.mean_of_equals(truths[~perfect, side], scores)
    by_sides = np.swapaxes(truths, 0, 1) * units[..., np.newaxis]
    return rounded(by_sides, sizes[:, np.newaxis, np.newaxis])


def _n_perfect(pvalue: float, n_draws: int) -> int:
    """Draws without any error, so that an interval of the level 1 - alpha reaches 1 where p > alpha."""
    return int(np.ceil(n_draws * pvalue / 2.0)) if pvalue * n_draws > 2.0 else 0


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


# --- one ranking? -------------------------------------------------------------------------------------------


class FTest(NamedTuple):
    """Scatter of means over what the noise of topics explains, and its p-value."""

    statistic: float
    pvalue: float


def pvalue_of_one_ranking(sides: TwoMeasures) -> float:
    """Of the hypothesis that true means by both rank alike, above 0."""
    sides, _ = sides.in_units()
    means, noise_rows, n_systems = sides.means, sides.noise(), sides.reference.shape[1]
    test = _test_one_ranking(means, noise_rows, sides.freedom, 2)
    if 0.0 < test.pvalue <= DOUBTFUL and n_systems >= MANY:
        cubic = _test_one_ranking(means, noise_rows, sides.freedom, 3)
        if cubic.statistic * n_systems ** (PRICE / n_systems) < test.statistic:
            test = cubic
    return max(test.pvalue, LEAST)


def _test_one_ranking(means: Floats, noise_rows: Floats, freedom: int, n_coefficients: int) -> FTest:
    """Of means by both, shape (2, n_systems), and of rows of their noise, shape (2, n_rows, n_systems).

    The slope of the curve between both has so many coefficients.
    """
    means = means - means.mean(axis=1, keepdims=True)
    noise_rows = noise_rows - noise_rows.mean(axis=2, keepdims=True)
    covariance = np.einsum("itm,jtm->ij", noise_rows, noise_rows)
    unit = np.sqrt(np.diag(covariance))
    unit = np.where(unit > NOISELESS * np.abs(means).max(axis=1), unit, 0.0)
    if not unit.any():
        return FTest(0.0, float(np.array_equal(*ranks(rounded(means, 1.0)))))
    if not unit.all():
        known, noisy = (1, 0) if unit[0] else (0, 1)
        line = means[[known]] if means[known] @ means[noisy] > 0.0 else means[:0]
        return _test_scatter(means[noisy], noise_rows[noisy], line, freedom)
    values, directions = np.linalg.eigh(covariance / np.outer(unit, unit))
    if values[0] <= NOISELESS:  # one side's noise is a multiple of the other's
        across = directions[:, 0] / unit
        if np.abs(across @ means).max() > ROUNDING * np.abs(means / unit[:, np.newaxis]).max():
            return FTest(np.inf, 0.0)
        return FTest(0.0, 1.0) if across[0] * across[1] < 0.0 else _test_no_line(means, noise_rows, freedom)
    into = (directions / np.sqrt(values)).T / unit
    whitened = into @ means
    _, ways = np.linalg.eigh(whitened @ whitened.T)  # the first has the least differences of systems
    ways = ways.T @ into
    if ways[0, 0] * ways[0, 1] > 0.0:
        return _test_no_line(means, noise_rows, freedom)
    return _test_curve(means, noise_rows, ways, freedom, n_coefficients)


def _test_no_line(means: Floats, noise_rows: Floats, freedom: int) -> FTest:
    """The line falls: the nearest that does not is flat, or upright."""
    tests = [_test_scatter(side, rows, means[:0], freedom) for side, rows in zip(means, noise_rows, strict=True)]
    return max(tests, key=lambda test: test.pvalue)


def _test_curve(means: Floats, noise_rows: Floats, ways: Floats, freedom: int, n_coefficients: int) -> FTest:
    """What is across a rising curve over what is along the line, in the noise of both where the curve has a slope.

    Args:
        means, noise_rows: Less their mean over systems.
        ways: Rows that take the two sides to what is across the line, and to what is along it.
        freedom: Degrees of freedom of the noise.
        n_coefficients: Of the slope.
    """
    growth = np.linalg.inv(ways)  # its columns say how either side grows across the line, and along it
    rises = np.copysign(1.0, growth[:, 1].sum())  # neither side falls along the line
    ways, growth = ways * [[1.0], [rises]], growth * [1.0, rises]
    (across, along), rotated = ways @ means, np.tensordot(ways, noise_rows, 1)
    size = np.abs(along).max()
    if size == 0.0 or along.size < 4:
        return _test_scatter(across, rotated[0], along[np.newaxis], freedom)
    steepest = np.full(2, np.inf)  # slopes at which one side does not grow, unless none is across it
    np.divide(-growth[:, 1], growth[:, 0], out=steepest, where=growth[:, 0] != 0.0)
    bounds = -np.min(-steepest[steepest < 0.0], initial=np.inf), np.min(steepest[steepest > 0.0], initial=np.inf)
    least, most = np.clip(bounds, -STEEPEST, STEEPEST)
    heights, slopes, tangents = rising_curve(along / size, across / size, least, most, n_coefficients)
    left = rotated[0] - slopes * rotated[1]
    return _test_scatter(across - size * heights, left - left.mean(axis=1, keepdims=True), tangents, freedom)


def rising_curve(
    places: Floats, heights: Floats, least: float, most: float, n_coefficients: int
) -> tuple[Floats, Floats, Floats]:
    """The curve nearest to points of size about 1 by least squares whose slope is a polynomial within bounds.

    Returns:
        Its heights less their mean and its slopes, both of shape (n_places,), and the directions in which the fit
        could move, shape (number of coefficients, n_places).
    """
    heights = heights - heights.mean()
    grid = np.linspace(places.min(), places.max(), STEPS)
    powers = grid ** np.arange(n_coefficients)[:, np.newaxis]

    def curve(at: Floats, least: float = least, most: float = most) -> tuple[Floats, Floats]:
        slopes = at @ powers
        parts = np.vstack([np.clip(slopes, least, most), powers * ((slopes > least) & (slopes < most))])
        areas = np.cumsum((parts[:, 1:] + parts[:, :-1]) / 2.0, axis=1) * (grid[1] - grid[0])
        rises = np.array([np.interp(places, grid, np.append(0.0, area)) for area in areas])
        rises -= rises.mean(axis=1, keepdims=True)
        return rises[0], rises[1:]

    start = np.linalg.lstsq(curve(np.zeros(n_coefficients), -np.inf, np.inf)[1].T, heights)[0]
    fit: Any = least_squares(lambda at: curve(at)[0] - heights, start, jac=lambda at: curve(at)[1].T, method="lm")  # type: ignore[misc]
    fitted, tangents = curve(fit.x)
    return fitted, np.clip(np.polyval(fit.x[::-1], places), least, most), tangents


def _test_scatter(means: Floats, noise_rows: Floats, others: Floats, freedom: int) -> FTest:
    """Whether noise explains means beyond their regression on others, shape (n_others, n_systems)."""
    basis, lengths = np.linalg.qr(others.T)
    basis = basis[:, np.abs(np.diag(lengths)) > ROUNDING]
    df = means.size - 1 - basis.shape[1]
    means, noise_rows = means - basis @ (basis.T @ means), noise_rows - (noise_rows @ basis) @ basis.T
    size = (noise_rows**2).sum()
    if df < 1 or size <= 0.0:
        return FTest(0.0, 1.0)
    independent = joint.effective_systems(noise_rows, freedom, df)
    statistic = float(means @ means / size)
    return FTest(statistic, float(fdtrc(independent, freedom * independent, statistic)))
