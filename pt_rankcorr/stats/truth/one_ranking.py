"""Is the noise of topics enough to explain all that two rankings disagree about?

If an estimate errs about no system, true means lie on a line, nu = a + b mu with b >= 0. Measured means scatter about
it by the noise of topics alone, which is known from what neither topic nor system explains, luck that both share
included. The scatter is tested by an F test, whose degrees of freedom are those of as many independent systems as the
noise stands for (Huynh and Feldt 1976).
"""

from __future__ import annotations

import numpy as np
from scipy.special import fdtrc

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.sides import Sides

NOISELESS = 1e-9  # of the noise of both sides: a combination of them with less is known
ROUNDING = 1e-9  # of the largest mean


def pvalue_of_one_ranking(sides: Sides) -> float:
    """Of the hypothesis that both means rank alike, on straight scales; the same bits if sides are exchanged."""
    first, second = (np.sort(scores, axis=None).tobytes() for scores in sides.matrices)
    if first > second:
        sides = Sides.of(sides.estimate, sides.reference, shared=sides.shared)
    scale = np.array([np.abs(scores).max() or 1.0 for scores in sides.matrices])
    means, noise = sides.means / scale[:, np.newaxis], sides.noise() / scale[:, np.newaxis, np.newaxis]
    means = means - means.mean(axis=1, keepdims=True)
    noise = noise - noise.mean(axis=2, keepdims=True)
    covariance = np.einsum("itm,jtm->ij", noise, noise)
    unit = np.sqrt(np.diag(covariance))
    unit = np.where(unit > NOISELESS * np.abs(means).max(axis=1), unit, 0.0)
    if not unit.all():
        return _of_a_known_side(means, noise, unit, sides.freedom)
    values, directions = np.linalg.eigh(covariance / np.outer(unit, unit))
    if values[0] <= NOISELESS:
        across = directions[:, 0] / unit
        rest = across @ means
        if np.abs(rest).max() > ROUNDING * np.abs(means / unit[:, np.newaxis]).max():
            return 0.0
    else:
        into = (directions / np.sqrt(values)).T / unit
        whitened = into @ means
        _, ways = np.linalg.eigh(whitened @ whitened.T)  # the first has the least differences of systems
        across, along = ways[:, 0] @ into, ways[:, 1] @ whitened
    if across[0] * across[1] > 0.0:  # the line falls: the nearest that does not is flat, or upright
        return max(_pvalue(side, rows, side[:0], sides.freedom) for side, rows in zip(means, noise, strict=True))
    if values[0] <= NOISELESS:
        return 1.0
    return _pvalue(across @ means, np.tensordot(across, noise, 1), along, sides.freedom)


def _of_a_known_side(means: Floats, noise: Floats, unit: Floats, freedom: int) -> float:
    """What has no noise is known: the line is that over it."""
    if not unit.any():
        a, b = means
        across = a * np.sqrt(b @ b) - b * np.sqrt(a @ a)
        return 0.0 if np.abs(across).max() > ROUNDING * np.sqrt((a @ a) * (b @ b)) else 1.0
    known, noisy = (1, 0) if unit[0] else (0, 1)
    line = means[known]
    if means[noisy] @ line < 0.0:
        line = line[:0]
    return _pvalue(means[noisy], noise[noisy], line, freedom)


def _pvalue(means: Floats, noise: Floats, line: Floats, freedom: int) -> float:
    """Whether noise explains means beyond a line through others, of shape (n_systems,), or (0,) for none."""
    df = means.size - 1
    if line.size and line @ line > 0.0:
        df -= 1
        line = line / np.sqrt(line @ line)
        means, noise = means - (means @ line) * line, noise - np.outer(noise @ line, line)
    size = (noise**2).sum()
    if df < 1 or size <= 0.0:
        return 1.0
    independent = _effective(noise, freedom, df)
    return float(fdtrc(independent, freedom * independent, means @ means / size))


def _effective(noise: Floats, freedom: int, most: int) -> float:
    """How many independent systems noise of shape (n_topics, n_systems) stands for."""
    products = noise @ noise.T
    first, second = np.trace(products), (products**2).sum()
    if freedom > 1:
        second = freedom**2 / ((freedom - 1.0) * (freedom + 2.0)) * (second - first**2 / freedom)
    return float(np.clip(first**2 / max(second, 1e-300), 1.0, most))
