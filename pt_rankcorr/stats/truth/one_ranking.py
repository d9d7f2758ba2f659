"""A test of the hypothesis that two measures have one true ranking, whatever their scales.

If they do, the points of true means lie on a rising curve, and measured points scatter about it by the noise of topics.
Equations are those of the page "Models of the population" of the documentation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import fdtrc

from pt_rankcorr.stats.core.covariance import effective_systems
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.ordering import lexsorted, system_order, topic_order
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth import constants

LEAST_GAP = 0.01  # of the noise along: knots that are nearer are one place
ROUNDING = 1e-9  # of means; of units of noise
DIGITS = 9  # by which values are told apart
TINY = float(np.finfo(np.float64).tiny)  # the least divisor, and what has a logarithm
LEAST_PVALUE = TINY  # where no noise could explain what is measured


@dataclass(frozen=True)
class TwoMeasures:
    """Scores of the same systems by two measures, shape (n_topics, n_systems) each."""

    reference: Floats
    estimate: Floats
    shared: bool = True  # whether row i of both is the same topic; if not, numbers of topics may differ

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
        """Rows of both sides, (2, n_rows, n_systems), whose sums of products are the covariances of the means.

        A row is a topic; where topics are not shared, the other side has 0 there.
        """
        rows = [(scores - scores.mean(axis=0)) / np.sqrt(len(scores) * (len(scores) - 1.0)) for scores in self.matrices]
        if self.shared:
            return np.stack(rows)
        return np.stack([np.vstack([rows[0], 0.0 * rows[1]]), np.vstack([0.0 * rows[0], rows[1]])])


def pvalue_of_one_ranking(sides: TwoMeasures) -> float:
    """The p-value of one true ranking (eq. 17), above 0. The order of sides, topics and systems does not matter."""
    means, noise = _in_units_of_noise(sides)
    if not noise.round(DIGITS // 2).any():  # rounding errors at most
        return 1.0 if np.array_equal(*ranks(means)) else LEAST_PVALUE
    # a side without noise has rounding errors
    covariance = np.einsum("itm,jtm->ij", noise, noise) / max(means.shape[1] - 1, 1) + ROUNDING * np.eye(2)
    main = _main_direction(means, covariance)
    if np.linalg.inv(main)[:, 1].prod() < 0.0:  # points descend: the nearest curve that does not is flat, or upright
        flat = np.ones((1, means.shape[1]))
        return max(_f_test(side, rows, flat, sides.freedom) for side, rows in zip(means, noise, strict=True))
    directions = main, np.eye(2), np.eye(2)[::-1]
    return max(_p_across(direction, means, noise, covariance, sides.freedom) for direction in directions)


def _main_direction(means: Floats, covariance: Floats) -> Floats:
    """Rows that take both sides to what is across the main direction of points, and along it, in units of noise."""
    values, vectors = np.linalg.eigh(covariance)
    whiten = (vectors / np.sqrt(values)).T
    whitened, common = whiten @ means, whiten.sum(axis=1)
    common *= np.sqrt(constants.COMMON_VARIANCE * means.shape[1] / (common @ common))
    return np.asarray(np.linalg.eigh(whitened @ whitened.T + np.outer(common, common)).eigenvectors.T @ whiten)


def _p_across(directions: Floats, means: Floats, noise: Floats, covariance: Floats, freedom: int) -> float:
    """The p-value of the best curve of the first direction, a row, over the second."""
    growth = np.linalg.inv(directions)  # its columns say how both sides grow across the curve, and along it
    if growth[:, 1].sum() < 0.0:
        directions, growth = directions * [[1.0], [-1.0]], growth * [1.0, -1.0]
    descends, rises = growth[growth[:, 0] < 0.0], growth[growth[:, 0] > 0.0]
    least = np.max(-rises[:, 1] / rises[:, 0], initial=-np.inf)  # of slopes at which neither side descends
    most = np.min(-descends[:, 1] / descends[:, 0], initial=np.inf)

    (across, along), (noise_across, noise_along) = directions @ means, np.tensordot(directions, noise, 1)
    covariance = directions @ covariance @ directions.T
    basis, slopes = _curve(along, across, covariance, (float(least), float(most)))
    units = np.sqrt(_noise_across(slopes, covariance))
    return _f_test(across / units, (noise_across - slopes * noise_along) / units, basis / units, freedom)


def _curve(along: Floats, across: Floats, covariance: Floats, limits: tuple[float, float]) -> tuple[Floats, Floats]:
    """Rows that span the curve of the least criterion, shape (n, n_systems), and its slopes, less what chance adds."""
    m, ordered, best, curve = along.size, np.sort(along), np.inf, (np.ones((1, along.size)), np.zeros(along.size))
    if limits[0] == 0.0:  # one side over the other; a step has a height and a place
        steps, residuals = _steps(along, across)
        best = _schwarz(residuals, _noise_across(np.zeros(m), covariance), 2 * len(steps))
        curve = steps, np.zeros(m)
    most_knots = max(2, min(constants.MOST_KNOTS, 1 + (m - 1) // constants.SYSTEMS_PER_KNOT))
    for n_knots in range(2, most_knots + 1):
        knots = np.interp(np.linspace(0.0, m - 1.0, n_knots), np.arange(m), ordered)
        if (knots[1:] - knots[:-1]).min() < LEAST_GAP:
            break
        basis, rises = _natural_cubics(along, knots)
        fit = np.linalg.pinv(basis)
        heights = across @ fit
        residuals, slopes = across - heights @ basis, heights @ rises
        is_beyond = (slopes < limits[0] - constants.SLOPE_BEYOND) | (slopes > limits[1] + constants.SLOPE_BEYOND)
        if n_knots > 2 and is_beyond.mean() > constants.SHARE_BEYOND:
            continue
        criterion = _schwarz(residuals, _noise_across(slopes, covariance), n_knots)
        if criterion < best:
            by_chance = ((fit @ rises) ** 2).sum() * (residuals @ residuals) / max(m - n_knots, 1)
            share = max(1.0 - by_chance / max(slopes @ slopes, TINY), 0.0)
            best, curve = criterion, (basis, np.clip(np.sqrt(share) * slopes, *limits))
    return curve


def _schwarz(residuals: Floats, variances: Floats, n_parameters: int) -> float:
    """Schwarz's criterion of a curve (eq. 14), with variances in proportion to these."""
    m = residuals.size
    misfit = np.log(max((residuals**2 / variances).mean(), TINY)) + np.log(variances).mean()
    return float(m * misfit + n_parameters * np.log(m))


def _steps(along: Floats, across: Floats) -> tuple[Floats, Floats]:
    """Rows that say which systems are on each step of the isotonic regression, and its residuals, in order."""
    order = np.lexsort([across, along])
    fitted = isotonic_regression(across[order])
    step = np.searchsorted(fitted.blocks, np.arange(along.size), side="right") - 1
    steps = np.zeros((fitted.blocks.size - 1, along.size))
    steps[step, order] = 1.0
    return steps, across[order] - fitted.x


def _natural_cubics(places: Floats, knots: Floats) -> tuple[Floats, Floats]:
    """Rows that span natural cubic splines, and their slopes (Hastie, Tibshirani and Friedman 2009, eq. 5.4, 5.5)."""
    length = knots[-1] - knots[0]
    beyond = np.maximum(places - knots[:, np.newaxis], 0.0) / length
    gaps = (knots[-1] - knots[:-1, np.newaxis]) / length
    cubes = (beyond[:-1] ** 3 - beyond[-1] ** 3) / gaps
    squares = 3.0 * (beyond[:-1] ** 2 - beyond[-1] ** 2) / gaps
    basis = np.vstack([np.ones_like(places), places / length, cubes[:-1] - cubes[-1]])
    rises = np.vstack([np.zeros_like(places), np.ones_like(places), squares[:-1] - squares[-1]])
    return basis, rises / length


def _noise_across(slopes: Floats, covariance: Floats) -> Floats:
    """The variance of noise across a curve of these slopes (eq. 13)."""
    return np.asarray(covariance[0, 0] - 2.0 * slopes * covariance[0, 1] + slopes**2 * covariance[1, 1])


def _f_test(means: Floats, noise: Floats, basis: Floats, freedom: int) -> float:
    """Whether noise, shape (n_rows, n_systems), explains means beyond what the rows of the basis span (eq. 15, 16)."""
    axes = np.linalg.qr(basis.T)[0]
    means, noise = means - axes @ (axes.T @ means), noise - (noise @ axes) @ axes.T
    if len(basis) == means.size or means @ means <= ROUNDING * means.size:
        return 1.0
    independent = effective_systems(noise, freedom, means.size - len(basis))
    ratio = means @ means / max((noise**2).sum(), TINY)
    return max(float(fdtrc(independent, freedom * independent, ratio)), LEAST_PVALUE)


def _in_units_of_noise(sides: TwoMeasures) -> tuple[Floats, Floats]:
    """Means, (2, m), and rows of noise, (2, n_rows, m), less what systems share, in an order that these determine."""
    reference, estimate = (scores / (np.abs(scores).max() or 1.0) for scores in sides.matrices)
    sides = TwoMeasures(reference, estimate, sides.shared)  # of one size, as rounding errors are absolute
    means, noise = sides.means, sides.noise()
    means, noise = means - means.mean(axis=1, keepdims=True), noise - noise.mean(axis=2, keepdims=True)
    units = np.sqrt((noise**2).sum(axis=(1, 2), keepdims=True) / max(means.shape[1] - 1, 1)).clip(min=ROUNDING)
    means, noise = (means / units[:, 0]).round(DIGITS), (noise / units).round(DIGITS)
    order = lexsorted([*np.sort(means, axis=1).T, (means**2).sum(axis=1).round(DIGITS)])
    means, noise = means[order], noise[order]
    noise = noise[:, topic_order(np.hstack(list(noise)))]
    systems = system_order(np.vstack([means, *noise]))
    return means[:, systems], noise[:, :, systems]
