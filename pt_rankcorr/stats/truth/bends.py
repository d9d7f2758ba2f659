"""Rising curves, and what a judge's scores would be on a scale that is straight over the reference's.

Ranks do not care how a scale is bent, but models of means do. A curve is a parabola, where it does not rise fast enough
a line of the least slope, and where it rises too fast one of the greatest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from pt_rankcorr.stats.core.types import Floats

LEAST, MOST = 0.2, 5.0  # slopes of a scale over another, in those of the line
FLAT = 1e-6  # growth of a slope, over places and heights of size 1: a curve with less is a line


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


@dataclass(frozen=True)
class Bend:
    """The curve of the reference's means over the estimate's, in units of the estimate.

    Attributes:
        places: The estimate's means, ascending, all different.
        heights: Those of the curve there.
        ends: Its slopes at the first and the last place.
        slopes: Its slope at each system, shape (n_systems,).
        fit: The share of the reference's differences that the curve explains.
    """

    places: Floats
    heights: Floats
    ends: tuple[float, float]
    slopes: Floats
    fit: float

    @classmethod
    def between(cls, reference: Floats, estimate: Floats) -> Bend:
        """From measured means, shape (n_systems,); none where the line of one over the other does not rise."""
        places, first, at = np.unique(estimate, return_index=True, return_inverse=True)
        middle, size = estimate.mean(), estimate.std() or 1.0
        along, reference = (estimate - middle) / size, reference - reference.mean()
        line = float(along @ reference) / along.size
        if line <= 0.0:
            return cls(places, places, (1.0, 1.0), np.ones(estimate.size), 0.0)
        bounds = (LEAST, MOST) if places.size > 3 else (1.0, 1.0)
        curve = RisingCurve.through(along, reference / line, *bounds)
        left, slopes = reference / line - curve.heights, curve.slopes[first]
        fit = 1.0 - float(left @ left) / max(float(reference @ reference) / line**2, np.finfo(np.float64).tiny)
        return cls(places, middle + size * curve.heights[first], (float(slopes[0]), float(slopes[-1])), slopes[at], fit)

    def straighten(self, means: Floats) -> Floats:
        """What the places are on the straight scale."""
        return _through(self.places, self.heights, self.ends, means)

    def bend(self, means: Floats) -> Floats:
        """The inverse."""
        first, last = self.ends
        return _through(self.heights, self.places, (1.0 / first, 1.0 / last), means)


def _through(x: Floats, y: Floats, slopes: tuple[float, float], values: Floats) -> Floats:
    """Piecewise linear, and on beyond the ends."""
    below, above = np.minimum(values - x[0], 0.0), np.maximum(values - x[-1], 0.0)
    return np.asarray(np.interp(values, x, y) + slopes[0] * below + slopes[1] * above)
