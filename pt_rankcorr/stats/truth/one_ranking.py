"""A test of the hypothesis that two measures have one true ranking, whatever their scales.

If they do, the k-th best system by one measure is the k-th best by the other. So the points of true means, (x_j, y_j),
lie on the curve through (x_(1), y_(1)), ..., (x_(m), y_(m)), which needs no model of the scales: it comes from the
sorted means of either side. Measured means scatter about it by the noise of topics. The statistic is the sum of squared
distances of measured points from the curve through sorted measured means, in units of each system's own noise.

Its null distribution is simulated: sorted means, brought together until they vary as true means do, and noise with the
covariance of the scores, over systems and both sides (shrunk as by Ledoit and Wolf 2004). The logarithm of simulated
statistics is nearly normal, so a p-value may be far smaller than one over their number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from pt_rankcorr.stats.core.means import lexsorted, ranks, system_order, topic_order
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.joint import effective_systems, independent_share

SIMULATIONS, FEWEST, OF_SYSTEMS = 400, 50, 20_000  # of statistics: fewer of many systems, as theirs vary less
CURVE, TRUTH = 0.15, 0.1  # of systems, over which either side of the curve is a moving average, and the simulated truth
NEAR = 9.0  # standard errors: such averages are of means that are no farther apart
KNOTS = 24  # of the curve
BEYOND = 10  # times the length of its ends, by which the curve goes on
UNEVEN = 1.4  # of normal noise it is 2: fewer degrees of freedom where few topics have most of the noise
POOLED = 5  # topics: as many count for the noise of all systems, beside a system's own
ROUNDING = 1e-9  # of means; of units of noise
DIGITS = 9  # by which values are told apart
CHANCE = 1.0  # standard deviations, by which noise may spread measured means more than on average
LEAST_TRUE = 0.05  # of the variance of measured means
LEAST = float(np.finfo(np.float64).tiny)  # the p-value where no noise could explain what is measured
CELLS = 2**16  # of points and parts of curves at once: they stay in the cache


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
        """Degrees of freedom of the noise; of the side with fewer topics, if they are not shared."""
        return min(len(self.reference), len(self.estimate)) - 1

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


def pvalue_of_one_ranking(sides: TwoMeasures) -> float:
    """The p-value of one true ranking, above 0. The order of sides, topics and systems does not matter."""
    means, noise = _in_units_of_noise(sides.in_units()[0])
    n_systems, freedom = means.shape[1], sides.freedom
    if not noise.round(DIGITS // 2).any():  # rounding errors at most
        return 1.0 if np.array_equal(*ranks(means)) else LEAST
    covariances = np.einsum("itm,jtm->mij", noise, noise)
    pooled = covariances.mean(axis=0)
    pooled += np.diag(1.0 - np.diag(pooled)) + ROUNDING * np.eye(2)  # a side without noise has rounding errors
    precisions = np.linalg.inv((freedom * covariances + POOLED * pooled) / (freedom + POOLED))

    rng, size = np.random.default_rng(0), max(FEWEST, min(SIMULATIONS, OF_SYSTEMS // n_systems))
    simulated = scatter(true_means(means) + _draw_noise(noise, covariances, size, rng), precisions)
    simulated *= _of_estimated_noise(noise, freedom, size, rng)
    return tail(float(scatter(means[np.newaxis], precisions)[0]), simulated, ROUNDING * n_systems)


def _of_estimated_noise(noise: Floats, freedom: int, size: int, rng: np.random.Generator) -> Floats:
    """Factors of the statistic, as its units of noise are estimates: of all systems, and of each on average."""
    of_topics = (noise**2).sum(axis=(0, 2))
    spread = ((of_topics - of_topics.mean()) ** 2).sum() / max(of_topics.sum() ** 2, LEAST)
    f = freedom * effective_systems(np.hstack(list(noise)), freedom, 2 * noise.shape[2]) / 2.0
    f = min(f, UNEVEN / max(spread, LEAST))
    return np.asarray((1.0 + 4.0 * freedom / (freedom + POOLED) ** 2) * f / rng.chisquare(f, size))


def _in_units_of_noise(sides: TwoMeasures) -> tuple[Floats, Floats]:
    """Means and rows of noise, less what systems share: in an order that they determine, as random numbers have places.

    Shapes (2, n_systems) and (2, n_rows, n_systems).
    """
    means, noise = sides.means, sides.noise()
    means, noise = means - means.mean(axis=1, keepdims=True), noise - noise.mean(axis=2, keepdims=True)
    units = np.sqrt((noise**2).sum(axis=(1, 2)) / max(means.shape[1] - 1, 1))
    units = np.maximum(units, ROUNDING * np.abs(means).max(axis=1))[:, np.newaxis]
    units[units == 0.0] = 1.0
    means, noise = (means / units).round(DIGITS), (noise / units[:, np.newaxis]).round(DIGITS)
    order = lexsorted([*np.sort(means, axis=1).T, (means**2).sum(axis=1).round(DIGITS)])
    means, noise = means[order], noise[order]
    noise = noise[:, topic_order(np.hstack(list(noise)))]
    systems = system_order(np.vstack([means, *noise]))
    return means[:, systems], noise[:, :, systems]


def tail(measured: float, simulated: Floats, nothing: float) -> float:
    """How often so much is simulated, by a normal distribution of the logarithm, from its upper half."""
    logs = np.log(simulated[simulated > nothing])
    if measured <= nothing:
        return 1.0
    if logs.size < 2:
        return LEAST
    median = np.median(logs)
    spread = np.sqrt(((logs[logs >= median] - median) ** 2).mean()) + ROUNDING
    return max(logs.size / simulated.size * float(ndtr((median - np.log(measured)) / spread)), LEAST)


def true_means(means: Floats) -> Floats:
    """Means of one ranking by both sides, of as much less variance as noise may well have; shape (2, n_systems)."""
    ordered, freedom = np.sort(means, axis=1), max(means.shape[1] - 1, 1)
    variance = (means**2).sum(axis=1, keepdims=True) / freedom
    shares = np.maximum(1.0 - (1.0 + CHANCE * np.sqrt(2.0 / freedom)) / np.maximum(variance, 1.0), LEAST_TRUE)
    true = np.empty_like(means)
    true[:, lexsorted([means[0], means.sum(axis=0)])] = smoothed(np.sqrt(shares) * ordered, TRUTH)
    return true


def smoothed(ordered: Floats, share: float) -> Floats:
    """Moving averages of sorted means along the last axis, over as many near ones on either side."""
    m = ordered.shape[-1]
    places, reach = np.arange(m), np.zeros(ordered.shape, dtype=np.intp)
    for step in range(1, min(int(np.ceil(share * m)), (m - 1) // 2) + 1):
        inner = slice(step, m - step)
        above = ordered[..., 2 * step :] - ordered[..., inner]
        below = ordered[..., inner] - ordered[..., : m - 2 * step]
        reach[..., inner] += (above <= NEAR) & (below <= NEAR)
    sums = np.concatenate([np.zeros_like(ordered[..., :1]), np.cumsum(ordered, axis=-1)], axis=-1)
    sums = np.take_along_axis(sums, places + reach + 1, -1) - np.take_along_axis(sums, places - reach, -1)
    return np.asarray(np.maximum.accumulate(sums / (2 * reach + 1), axis=-1))


def scatter(means: Floats, precisions: Floats) -> Floats:
    """Squared distances of points from the curve of their samples, summed: shape (n_samples,).

    Args:
        means: Shape (n_samples, 2, n_systems), in units of noise.
        precisions: Inverse covariances of the noise of each system, shape (n_systems, 2, 2).
    """
    curves = smoothed(np.sort(means, axis=-1), CURVE)
    m = curves.shape[-1]
    if m > KNOTS:
        at = np.linspace(0, m - 1, KNOTS)
        low = np.minimum(at.astype(np.intp), m - 2)
        curves = curves[..., low] + (at - low) * (curves[..., low + 1] - curves[..., low])
    reach = min(max(1, curves.shape[-1] // 5), m - 1)
    first = curves[..., :1] - BEYOND * (curves[..., reach : reach + 1] - curves[..., :1])
    last = curves[..., -1:] + BEYOND * (curves[..., -1:] - curves[..., [-1 - reach]])
    curves = np.concatenate([first, curves, last], axis=-1)
    starts, parts = curves[..., :-1], np.diff(curves, axis=-1)
    a, b, c = precisions[:, 0, 0, np.newaxis], precisions[:, 0, 1, np.newaxis], precisions[:, 1, 1, np.newaxis]
    sums = np.empty(len(means))
    step = max(1, CELLS // (m * parts.shape[-1]))
    for begin in range(0, len(means), step):
        some = slice(begin, begin + step)
        x, y = np.moveaxis(means[some, :, :, np.newaxis] - starts[some, :, np.newaxis], 1, 0)
        u, v = np.moveaxis(parts[some, :, np.newaxis], 1, 0)
        across, down = a * u + b * v, b * u + c * v
        length, along = across * u + down * v, across * x + down * y
        nearest = np.clip(along / np.maximum(length, LEAST), 0.0, 1.0)
        squares = x * (a * x + 2.0 * b * y) + c * y**2 - nearest * (2.0 * along - nearest * length)
        sums[some] = np.maximum(squares.min(axis=-1), 0.0).sum(axis=-1)
    return sums


def _draw_noise(noise: Floats, covariances: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Noise of means, shape (size, 2, n_systems)."""
    n_systems = noise.shape[2]
    share, rows = independent_share(noise, n_systems - 1), np.hstack(list(noise))
    if len(rows) > rows.shape[1]:
        rows = np.asarray(np.linalg.qr(rows, mode="r"))  # fewer rows of the same sums of products
    together = rng.standard_normal((size, len(rows))) @ rows
    roots = np.linalg.cholesky(covariances + ROUNDING * np.eye(2))
    alone = np.einsum("mij,sjm->sim", roots, rng.standard_normal((size, 2, n_systems)))
    return np.asarray(np.sqrt(1.0 - share) * together.reshape(-1, 2, n_systems) + np.sqrt(share) * alone)
