"""The two-stage direct plug-in bandwidth of a Gaussian kernel density estimate, for many samples at once."""

from __future__ import annotations

import math

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from pt_rankcorr.stats.core.types import Floats, Indices

GRID = 401  # points over the range of a sample: the bandwidth is good to about three digits
NORMAL_IQR = 1.349  # interquartile range of the standard normal distribution


def plug_in_bandwidths(samples: Floats) -> Floats:
    """The bandwidth of each row; nan where there is none, as the scale of the sample is 0.

    With psi_r the integral of the r-th derivative of the density times the density, and `scale` the smaller of the
    standard deviation and the normalised interquartile range (Wand and Jones 1995, section 3.6.1, two stages):
    psi_8 of a normal density gives the kernel that estimates psi_6, that one the kernel for psi_4, and
    h = (2 sqrt(pi) psi_4 n)^(-1/5). The observations are binned linearly to a grid, so that a row costs O(n).
    Samples of shape (..., n), n >= 2, give (...).
    """
    n = samples.shape[-1]
    scale = _scales(samples)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        counts, step = _bin(samples, scale)
        products = _lag_products(counts)
        g6 = (2.0 * math.sqrt(2.0) ** 9 / (7.0 * n)) ** (1 / 9)
        psi6 = _functional(6, np.full_like(step, g6), step, products, n)
        g4 = (-3.0 * math.sqrt(2.0 / math.pi) / (psi6 * n)) ** (1 / 7)
        psi4 = _functional(4, g4, step, products, n)
        return np.asarray(scale * (2.0 * math.sqrt(math.pi) * psi4 * n) ** (-1 / 5))


def _scales(samples: Floats) -> Floats:
    low, high = np.quantile(samples, (0.25, 0.75), axis=-1)
    scale = np.minimum((high - low) / NORMAL_IQR, samples.std(axis=-1, ddof=1))
    rounding_error = 100 * np.finfo(np.float64).eps * np.abs(samples).max(axis=-1)
    return np.where(scale > rounding_error, scale, np.nan)


def _bin(samples: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Linear binning: each observation is shared between its two neighbours on the grid, by its distance to them.

    Returns the counts, and the step of the grid in units of the scale.
    """
    low = samples.min(axis=-1, keepdims=True)
    width = samples.max(axis=-1, keepdims=True) - low
    position = (samples - low) / np.where(width > 0.0, width, 1.0) * (GRID - 1)
    left = np.minimum(position.astype(np.intp), GRID - 2)
    share = position - left
    rows = np.arange(left[..., 0].size).reshape(left.shape[:-1])[..., np.newaxis]
    cells = rows * GRID + left
    counts = _sum(cells, 1.0 - share, rows.size) + _sum(cells + 1, share, rows.size)
    return counts.reshape(*left.shape[:-1], GRID), width[..., 0] / (GRID - 1) / scale


def _sum(cells: Indices, weights: Floats, rows: int) -> Floats:
    return np.bincount(cells.ravel(), weights.ravel(), minlength=rows * GRID).astype(np.float64, copy=False)


def _lag_products(counts: Floats) -> Floats:
    """For each lag, the sum of counts_a * counts_b over the grid points a and b that are so far apart, both ways."""
    length = next_fast_len(2 * GRID - 1, real=True)
    spectrum = np.abs(rfft(counts, length, axis=-1)) ** 2
    products = np.asarray(irfft(spectrum, length, axis=-1)[..., :GRID], dtype=np.float64)
    products[..., 1:] *= 2.0
    return products


def _functional(derivative: int, g: Floats, step: Floats, products: Floats, n: int) -> Floats:
    """The estimate of psi_r by a normal kernel of bandwidth g (Wand and Jones 1995, equation 3.30 binned)."""
    squared = (np.arange(GRID) * (step / g)[..., np.newaxis]) ** 2
    kernel = _hermite(derivative, squared) * np.exp(-squared / 2.0)
    total = np.einsum("...l,...l->...", kernel, products)
    return np.asarray(total / (math.sqrt(2.0 * math.pi) * g ** (derivative + 1) * float(n) ** 2))


def _hermite(derivative: int, squared: Floats) -> Floats:
    """The polynomial of the 4th or 6th derivative of the normal density, in x^2."""
    if derivative == 4:
        return (squared - 6.0) * squared + 3.0
    return ((squared - 15.0) * squared + 45.0) * squared - 15.0
