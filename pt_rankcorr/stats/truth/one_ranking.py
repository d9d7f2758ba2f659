"""Is the noise of topics enough to explain all that two rankings disagree about?

If an estimate errs about no system, true means lie on a rising curve: a line where both scales are straight, a bent one
else. Measured means scatter about it by the noise of topics alone, which is known from what neither topic nor system
explains, sampling error that both share included. The scatter about a parabola that is kept rising is tested by an F
test, whose degrees of freedom are those of as many independent systems as the noise stands for (Huynh and Feldt 1976).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.special import fdtrc

from pt_rankcorr.stats.core.means import ranks, rounded
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.sides import Sides

NOISELESS = 1e-9  # of the noise of both sides: a combination of them with less is known
ROUNDING = 1e-9  # of the largest mean
FLAT = 1e-6  # growth of a slope, over places and heights of size 1: a curve with less is a line
LEAST = float(np.finfo(np.float64).tiny)  # where no noise at all could explain what is seen


def pvalue_of_one_ranking(sides: Sides) -> float:
    """Of the hypothesis that true means by both rank alike, above 0; the same bits if sides are exchanged."""
    first, second = (np.sort(scores, axis=None).tobytes() for scores in sides.matrices)
    if first > second:
        sides = Sides(sides.estimate, sides.reference, sides.shared)
    return max(_of(sides), LEAST)


def _of(sides: Sides) -> float:
    scale = np.array([np.abs(scores).max() or 1.0 for scores in sides.matrices])
    means, noise = sides.means / scale[:, np.newaxis], sides.noise() / scale[:, np.newaxis, np.newaxis]
    means = means - means.mean(axis=1, keepdims=True)
    noise = noise - noise.mean(axis=2, keepdims=True)
    covariance = np.einsum("itm,jtm->ij", noise, noise)
    unit = np.sqrt(np.diag(covariance))
    unit = np.where(unit > NOISELESS * np.abs(means).max(axis=1), unit, 0.0)
    if not unit.any():
        return float(np.array_equal(*ranks(rounded(means, 1.0))))
    if not unit.all():
        known, noisy = (1, 0) if unit[0] else (0, 1)
        line = means[[known]] if means[known] @ means[noisy] > 0.0 else means[:0]
        return _pvalue(means[noisy], noise[noisy], line, sides.freedom)
    values, directions = np.linalg.eigh(covariance / np.outer(unit, unit))
    if values[0] <= NOISELESS:  # one side's noise is a multiple of the other's
        across = directions[:, 0] / unit
        if np.abs(across @ means).max() > ROUNDING * np.abs(means / unit[:, np.newaxis]).max():
            return 0.0
        return 1.0 if across[0] * across[1] < 0.0 else _of_no_line(means, noise, sides.freedom)
    into = (directions / np.sqrt(values)).T / unit
    whitened = into @ means
    _, ways = np.linalg.eigh(whitened @ whitened.T)  # the first has the least differences of systems
    ways = ways.T @ into
    if ways[0, 0] * ways[0, 1] > 0.0:
        return _of_no_line(means, noise, sides.freedom)
    return _of_a_curve(means, noise, ways, sides.freedom)


def _of_no_line(means: Floats, noise: Floats, freedom: int) -> float:
    """The line falls: the nearest that does not is flat, or upright."""
    return max(_pvalue(side, rows, means[:0], freedom) for side, rows in zip(means, noise, strict=True))


def _of_a_curve(means: Floats, noise: Floats, ways: Floats, freedom: int) -> float:
    """What is across a rising curve over what is along the line, in the noise of both where the curve has a slope.

    Args:
        means, noise: Less their mean over systems.
        ways: Rows that take the two sides to what is across the line, and to what is along it.
        freedom: Degrees of freedom of the noise.
    """
    growth = np.linalg.inv(ways)  # its columns say how either side grows across the line, and along it
    rises = np.copysign(1.0, growth[:, 1].sum())  # neither side falls along the line
    ways, growth = ways * [[1.0], [rises]], growth * [1.0, rises]
    (across, along), noise = ways @ means, np.tensordot(ways, noise, 1)
    size = np.abs(along).max()
    if size == 0.0 or along.size < 4:
        return _pvalue(across, noise[0], along[np.newaxis], freedom)
    steepest = np.full(2, np.inf)  # slopes at which one side does not grow, unless none is across it
    np.divide(-growth[:, 1], growth[:, 0], out=steepest, where=growth[:, 0] != 0.0)
    curve = RisingCurve.through(along / size, across / size, -_least(-steepest), _least(steepest))
    left = noise[0] - curve.slopes * noise[1]
    return _pvalue(across - size * curve.heights, left - left.mean(axis=1, keepdims=True), curve.tangents, freedom)


def _least(slopes: Floats) -> float:
    """Of those above 0."""
    return float(np.min(slopes[slopes > 0.0], initial=np.inf))


def _pvalue(means: Floats, noise: Floats, others: Floats, freedom: int) -> float:
    """Whether noise explains means beyond their regression on others, shape (n_others, n_systems)."""
    basis, lengths = np.linalg.qr(others.T)
    basis = basis[:, np.abs(np.diag(lengths)) > ROUNDING]
    df = means.size - 1 - basis.shape[1]
    means, noise = means - basis @ (basis.T @ means), noise - (noise @ basis) @ basis.T
    size = (noise**2).sum()
    if df < 1 or size <= 0.0:
        return 1.0
    independent = effective(noise, freedom, df)
    return float(fdtrc(independent, freedom * independent, means @ means / size))


def effective(noise: Floats, freedom: int, most: int) -> float:
    """How many independent systems noise of shape (n_topics, n_systems) stands for."""
    products = noise @ noise.T if len(noise) <= noise.shape[1] else noise.T @ noise  # of one trace, squared as well
    first, second = np.trace(products), (products**2).sum()
    if freedom > 1:
        second = freedom**2 / ((freedom - 1.0) * (freedom + 2.0)) * (second - first**2 / freedom)
    return float(np.clip(first**2 / max(second, 1e-300), 1.0, most))


@dataclass(frozen=True)
class RisingCurve:
    """A parabola whose slope is kept in bounds, by least squares.

    Attributes:
        heights: At each place, shape (n_places,), less their mean.
        slopes: The same.
        tangents: Directions in which the fit could move, shape (2, n_places).
    """

    heights: Floats
    slopes: Floats
    tangents: Floats

    @classmethod
    def through(cls, places: Floats, heights: Floats, least: float, most: float) -> RisingCurve:
        """Through points of size about 1."""
        heights = heights - heights.mean()
        free = cls._of(np.zeros(2), places, -np.inf, np.inf).tangents
        start = np.asarray(np.linalg.lstsq(free.T, heights)[0], dtype=np.float64)
        curve = cls._of(start, places, least, most)
        if np.array_equal(curve.tangents, free):
            return curve

        def missed(at: Floats) -> Floats:
            return np.asarray(cls._of(at, places, least, most).heights - heights)

        return cls._of(least_squares(missed, start, method="lm").x, places, least, most)

    @classmethod
    def _of(cls, at: Floats, places: Floats, least: float, most: float) -> RisingCurve:
        """From its slope at 0, and how much that grows."""
        start, grows = at[0], at[1] if abs(at[1]) > FLAT else FLAT
        ends = sorted([(least - start) / grows, (most - start) / grows])
        within = np.clip(places, *ends)  # the places, moved to where the slope has not met its bounds
        slopes = start + grows * within
        heights = within * (start + slopes) / 2.0 + slopes * (places - within)
        tangents = np.stack([within, within**2 / 2.0])
        return cls(heights - heights.mean(), slopes, tangents - tangents.mean(axis=1, keepdims=True))
