"""A test of the hypothesis that two measures have one true ranking, whatever their scales.

If they do, the points of true means, (x_j, y_j), lie on a rising curve. Measured means scatter about it by the noise of
topics. The curve is a natural cubic spline: of one side over the other, or of what is across the main direction of
points over what is along it. Schwarz's criterion (1978) chooses how many knots it has, among curves that rise. An F
test compares what is left across the curve with its noise, in which noise along a slope counts, too. Both take as many
systems for independent as the noise stands for (Huynh and Feldt 1976). The p-value is the largest of the three: a side
that is flat somewhere does not tell the places of systems there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import fdtrc

from pt_rankcorr.stats.core.means import lexsorted, ranks, system_order, topic_order
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.truth.joint import effective_systems

SYSTEMS, MOST_KNOTS = 3, 11  # for each knot, and of all
FEWEST = 2.0  # independent systems, for the criterion
APART = 0.01  # of the noise along: knots that are nearer are one place
STEEP, FEW = 0.5, 0.2  # a slope so much beyond those of rising curves, and the share of systems that may have one
ALIKE = 1.0  # times the noise: systems that vary by so much by both measures are added, for the main direction
ROUNDING = 1e-9  # of means; of units of noise
DIGITS = 9  # by which values are told apart
LEAST = float(np.finfo(np.float64).tiny)  # the p-value where no noise could explain what is measured


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
    if not noise.round(DIGITS // 2).any():  # rounding errors at most
        return 1.0 if np.array_equal(*ranks(means)) else LEAST
    covariance = np.einsum("itm,jtm->ij", noise, noise) / max(means.shape[1] - 1, 1)
    covariance += ROUNDING * np.eye(2)  # a side without noise has rounding errors
    main = _main_direction(means, covariance)
    if np.linalg.inv(main)[:, 1].prod() < 0.0:  # points fall: the nearest curve that does not is flat, or upright
        flat = np.ones((1, means.shape[1]))
        return max(_f_test(side, rows, flat, sides.freedom) for side, rows in zip(means, noise, strict=True))
    return max(
        _p_across(directions, means, noise, covariance, sides.freedom)
        for directions in (main, np.eye(2), np.eye(2)[::-1])
    )


def _main_direction(means: Floats, covariance: Floats) -> Floats:
    """Rows that take both sides to what is across the main direction of points, and along it, in units of noise."""
    values, vectors = np.linalg.eigh(covariance)
    into = (vectors / np.sqrt(values)).T
    placed, alike = into @ means, into.sum(axis=1)
    alike *= np.sqrt(ALIKE * means.shape[1] / (alike @ alike))
    _, vectors = np.linalg.eigh(placed @ placed.T + np.outer(alike, alike))
    return np.asarray(vectors.T @ into)


def _p_across(directions: Floats, means: Floats, noise: Floats, covariance: Floats, freedom: int) -> float:
    """Of the best curve of the first direction, a row, over the second."""
    growth = np.linalg.inv(directions)  # its columns say how both sides grow across the curve, and along it
    if growth[:, 1].sum() < 0.0:
        directions, growth = directions * [[1.0], [-1.0]], growth * [1.0, -1.0]
    falls, rises = growth[growth[:, 0] < 0.0], growth[growth[:, 0] > 0.0]
    least = np.max(-rises[:, 1] / rises[:, 0], initial=-np.inf)  # of slopes at which neither side falls
    most = np.min(-falls[:, 1] / falls[:, 0], initial=np.inf)

    (across, along), (noise_across, noise_along) = directions @ means, np.tensordot(directions, noise, 1)
    covariance = directions @ covariance @ directions.T
    independent = max(effective_systems(noise_across, freedom, across.size - 1), FEWEST)
    basis, slopes = _curve(along, across, independent, covariance, (float(least), float(most)))
    units = np.sqrt(_noise_across(slopes, covariance))
    return _f_test(across / units, (noise_across - slopes * noise_along) / units, basis / units, freedom)


def _curve(
    along: Floats, across: Floats, independent: float, covariance: Floats, limits: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Rows that span curves, shape (n_knots, n_systems), and slopes of the best one, less what chance adds to them."""
    m, best, found = along.size, np.inf, (np.ones((1, along.size)), np.zeros(along.size))
    for n_knots in range(2, max(2, min(MOST_KNOTS, 1 + (m - 1) // SYSTEMS)) + 1):
        knots = np.quantile(along, np.linspace(0.0, 1.0, n_knots))
        if np.diff(knots).min() < APART:
            break
        spline = CubicSpline(knots, np.eye(n_knots), bc_type="natural")
        basis = spline(along).T
        fit = np.linalg.pinv(basis)
        growth = fit @ spline(along, 1).T
        left, slopes = across - across @ fit @ basis, across @ growth
        if n_knots > 2 and ((slopes < limits[0] - STEEP) | (slopes > limits[1] + STEEP)).mean() > FEW:
            continue
        units = _noise_across(slopes, covariance)
        misfit = np.log(max((left**2 / units).mean(), LEAST)) + np.log(units).mean()
        cost = independent * misfit + n_knots * np.log(independent)
        if cost < best:
            by_chance = (growth**2).sum() * (left @ left) / max(m - n_knots, 1)
            share = max(1.0 - by_chance / max(slopes @ slopes, LEAST), 0.0)
            best, found = cost, (basis, np.clip(np.sqrt(share) * slopes, *limits))
    return found


def _noise_across(slopes: Floats, covariance: Floats) -> Floats:
    """The variance of noise across a curve of these slopes."""
    return np.asarray(covariance[0, 0] - 2.0 * slopes * covariance[0, 1] + slopes**2 * covariance[1, 1])


def _f_test(means: Floats, noise: Floats, basis: Floats, freedom: int) -> float:
    """Whether noise, shape (n_rows, n_systems), explains means beyond what the rows of the basis span."""
    n_left, axes = means.size - len(basis), np.linalg.qr(basis.T)[0]
    means, noise = means - axes @ (axes.T @ means), noise - (noise @ axes) @ axes.T
    measured, expected = float(means @ means), float((noise**2).sum())
    if n_left < 1 or measured <= ROUNDING * means.size:
        return 1.0
    independent = effective_systems(noise, freedom, n_left)
    return max(float(fdtrc(independent, freedom * independent, measured / max(expected, LEAST))), LEAST)


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
