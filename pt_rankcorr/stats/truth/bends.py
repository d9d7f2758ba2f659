"""A bend between two scales: what a judge's scores would be on a scale that is straight over the reference's.

Ranks do not care how a scale is bent, but models of means do. So the reference's means are fitted by a parabola over
the estimate's, which must rise: its slope is kept between a fifth of the mean slope and five times that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pt_rankcorr.stats.core.types import Floats

LEAST, MOST = 0.2, 5.0  # of the slope in the middle
FLAT = 1e-9  # of what a parabola has beyond a line: two places have none


@dataclass(frozen=True)
class Bend:
    """A rising curve through the places of the estimate's means.

    Attributes:
        places: The means, ascending, all different.
        heights: Those of the curve there.
        ends: Its slopes at the first and the last place.
        slopes: Its slope at each system, shape (n_systems,).
        fit: The share of the reference's differences that the parabola explains.
    """

    places: Floats
    heights: Floats
    ends: tuple[float, float]
    slopes: Floats
    fit: float

    @classmethod
    def between(cls, reference: Floats, estimate: Floats) -> Bend:
        """From measured means, shape (n_systems,); none where the line of one over the other does not rise."""
        places, at = np.unique(estimate, return_inverse=True)
        middle, size = estimate.mean(), estimate.std() or 1.0
        z = (estimate - middle) / size
        bent, rise = _parabola(z, reference) if places.size > 3 else (0.0, 0.0)
        if rise <= 0.0:
            return cls(places, places, (1.0, 1.0), np.ones(estimate.size), 0.0)
        along = (places - middle) / size
        slopes = np.clip(1.0 + 2.0 * bent / rise * along, LEAST, MOST)
        steps = np.diff(places) * (slopes[1:] + slopes[:-1]) / 2.0
        heights = places[0] + np.concatenate([[0.0], np.cumsum(steps)])
        return cls(places, heights, (float(slopes[0]), float(slopes[-1])), slopes[at], _fit(z, reference, bent, rise))

    def straighten(self, means: Floats) -> Floats:
        """What the places are on the straight scale."""
        return _through(self.places, self.heights, self.ends, means)

    def bend(self, means: Floats) -> Floats:
        """The inverse."""
        first, last = self.ends
        return _through(self.heights, self.places, (1.0 / first, 1.0 / last), means)


def _parabola(z: Floats, heights: Floats) -> tuple[float, float]:
    """Its coefficients of z^2 and of z, by least squares, for z of mean 0 and variance 1."""
    skew = (z**3).mean()
    curve = z**2 - 1.0 - skew * z
    squares = curve @ curve
    bent = (curve @ heights) / squares if squares > FLAT * z.size else 0.0
    return float(bent), float((z @ heights) / z.size - bent * skew)


def _fit(z: Floats, heights: Floats, bent: float, rise: float) -> float:
    heights = heights - heights.mean()
    left = heights - rise * z - bent * (z**2 - (z**2).mean())
    return 1.0 - float(left @ left) / max(float(heights @ heights), np.finfo(np.float64).tiny)


def _through(x: Floats, y: Floats, slopes: tuple[float, float], values: Floats) -> Floats:
    """Piecewise linear, and on beyond the ends."""
    below, above = np.minimum(values - x[0], 0.0), np.maximum(values - x[-1], 0.0)
    return np.asarray(np.interp(values, x, y) + slopes[0] * below + slopes[1] * above)
