"""Does a measure favour a group of systems, beyond what the reference sees in them?

Two measures may have different scales, and one may bend the other's. So what is compared is the
residual F - h(R) of a parabola h that never falls between the worst and the best system: a sum of
(R - worst)^2 and -(best - R)^2 with weights of at least 0. It is fitted to differences within
groups, as those of groups would bend it.

Noise of the topics in R would flatten the curve. So it is fitted to what R is expected to be:
within groups, means are shrunk by their reliability, and what noise of R and F has in common is
taken from F (regression calibration: Carroll, Ruppert, Stefanski, Crainiceanu, "Measurement error
in nonlinear models", 2006, chapter 4).

The shift of a group is the mean residual of its systems less that of all others. Its standard error
has a variance of residuals for each group, as a measure may err more about the systems of one, and
Welch's degrees of freedom, as if no group varied less than all do (else .08 of true hypotheses
about three systems of thirty are rejected at .05).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from pt_rankcorr.stats.core.means import ranks, rounded, system_means
from pt_rankcorr.stats.core.ordering import in_given_order, lexsorted
from pt_rankcorr.stats.core.types import ConfidenceInterval, Flags, Floats, Indices

# What is below this, in units of the largest mean or of a sum of squares, is rounding.
ROUNDING = 1e-9
# A group has a p-value if the rarer outcome of comparing one of its systems with another one makes
# up at least this share of such pairs: otherwise bias and quality cannot be separated.
LEAST_OVERLAP = 0.1


@dataclass(frozen=True)
class Shifts:
    """What a measure adds to the reference, for each system and for groups of them."""

    slope: float  # of the curve from the worst to the best; nan if no group has systems that differ
    scores: Floats  # F - h(R) of each system, less its mean over systems, shape (n_systems,)
    margins: Floats  # their standard errors for these very systems, of the same shape
    of_groups: Floats  # the mean of each group less that of all others, shape (n_groups,)
    errors: Floats  # standard errors of those as means of systems of their kinds, of the same shape
    df: Floats  # their degrees of freedom; nan where nothing is known of kinds of systems

    def pvalue(self, group: int) -> float:
        """The two-sided p-value of no shift of systems of this kind; nan if it is unknown."""
        shift, error = float(self.of_groups[group]), float(self.errors[group])
        if error == 0.0:
            return float(shift == 0.0)
        return float(2.0 * stdtr(self.df[group], -abs(shift) / error))

    def interval(self, group: int, level: float) -> ConfidenceInterval:
        """The interval of the shift of systems of this kind; 0 is in it if p is above 1 - level."""
        shift = float(self.of_groups[group])
        margin = float(stdtrit(self.df[group], (1.0 + level) / 2.0) * self.errors[group])
        return ConfidenceInterval(shift - margin, shift + margin)

    def intervals_of_systems(self, level: float, n_topics: int) -> Floats:
        """The ends for these very systems, over as many topics, shape (n_systems, 2)."""
        margins = stdtrit(n_topics - 1.0, (1.0 + level) / 2.0) * self.margins
        return np.stack([self.scores - margins, self.scores + margins], axis=1)


def shifts_of(
    reference: Floats, estimate: Floats, groups: Flags, *, same_scale: bool = False
) -> Shifts:
    """What the estimate adds to the reference: scores (n_topics, n_systems) on the same topics.

    Groups, shape (n_groups, n_systems), say whether a system is in a group; it is in one at most.
    With one scale h(R) is R.
    """
    # systems in an order that the scores set: that of the input changes no bit of the result
    order = lexsorted(np.vstack([estimate, reference])[::-1])
    reference, estimate, groups = reference[:, order], estimate[:, order], groups[:, order]
    n_topics, cells = len(reference), _cells(groups)
    # (n_groups, m): a row times residuals is the mean of the group less that of all others
    inside = groups / groups.sum(axis=1, keepdims=True)
    contrasts = inside - ~groups / (~groups).sum(axis=1, keepdims=True)
    measured = system_means(reference)
    curve = Curve.line(measured) if same_scale else Curve.fit(reference, estimate, cells)

    # Part one of the variance: systems as a sample of their kind. Residuals are F - h(R), (m,).
    residuals = system_means(estimate) - curve.heights
    residuals -= residuals.mean()
    # The fitted curve takes up some of each system's error: to_curve, (n_parts, m), turns residuals
    # within groups into weights of the parts. What is left weighs in a shift, (n_groups, m).
    to_curve = np.linalg.pinv(curve.inner)
    own = contrasts - contrasts @ curve.parts @ to_curve
    # the variance of residuals in each cell (a group, or the systems in none): their sum of squares
    # over what errors of variance 1 would give
    squares = np.bincount(cells, _deviations(residuals, cells) ** 2)
    sizes, df = _expected_squares(cells, curve.inner @ to_curve)
    # a system alone in its cell shows no variance: it gets that of all cells together
    known = sizes > ROUNDING
    pooled = squares[known].sum() / max(sizes[known].sum(), ROUNDING)
    variances = np.where(known, squares / np.where(known, sizes, 1.0), pooled)
    df = np.where(known, df, df[known].sum())
    # Var(shift) = sum over cells of variance times the sum of squared weights: (n_groups, n_cells)
    weights = np.stack([np.bincount(cells, of_group**2) for of_group in own])
    # few systems may vary little by chance: df are as if no group varied less than all do
    parts, careful = weights * variances, weights * np.maximum(variances, pooled)

    # Part two: topics as a sample. (n, m): what each adds to F - h(R), less the mean over topics.
    by_topic = estimate - curve.slopes * reference
    by_topic = by_topic - by_topic.mean(axis=0)
    noise = (_deviations(by_topic, cells) ** 2).sum(axis=0) / (n_topics * (n_topics - 1.0))
    noise = np.bincount(cells, noise) / np.maximum(np.bincount(cells) - 1.0, 1.0)
    # The variance of each shift over topics, (n_groups,), less what independent noise of the
    # systems adds to it, which part one has already: the rest is what systems of a group have in
    # common.
    shared = ((by_topic @ contrasts.T) ** 2).sum(axis=0) / (n_topics * (n_topics - 1.0))
    shared = np.maximum(shared - contrasts**2 @ noise[cells], 0.0)
    # Welch: df = (sum of variances)^2 / sum of (variance^2 / its df); the smaller of both counts
    dfs = []
    for of_cells in (parts, careful):
        denominator = (of_cells**2 / np.maximum(df, ROUNDING)).sum(axis=1)
        denominator += shared**2 / (n_topics - 1.0)
        denominator = np.where(denominator > 0.0, denominator, np.nan)
        dfs.append((of_cells.sum(axis=1) + shared) ** 2 / denominator)

    # For these systems only topics are a sample; what one does to all is left out: shape (m,).
    size = float(np.abs(estimate).mean())
    by_topic = by_topic - by_topic.mean(axis=1, keepdims=True)
    margins = np.sqrt((by_topic**2).sum(axis=0) / (n_topics * (n_topics - 1.0)))
    # if no cell has two systems, no variance is known: errors are nan
    nan = np.nan if not known.any() else 0.0
    return Shifts(
        curve.slope,
        in_given_order(rounded(residuals, size), order),
        in_given_order(margins, order),
        rounded(contrasts @ residuals, size),
        rounded(np.sqrt(parts.sum(axis=1) + shared), size) + nan,
        np.minimum(*dfs),
    )


def _expected_squares(cells: Indices, fitted: Floats) -> tuple[Floats, Floats]:
    """The sum of squares that errors of variance 1 give residuals of each group, and its df.

    Both have the shape (n_cells,). `fitted`, (m, m), turns errors of systems (columns) into what
    the curve takes up of them (rows). Residuals are B e, of errors e of the group, less their mean
    and what the curve takes up: their squares have the mean tr(B'B), and twice the sum of squares
    of B'B as variance (Satterthwaite 1946).
    """
    pairs = []
    for cell in range(cells.max() + 1):
        inside = np.flatnonzero(cells == cell)
        # B of one group, (k, k): subtracts the mean of the group and what the curve takes up
        left = np.eye(inside.size) - 1.0 / inside.size - fitted[np.ix_(inside, inside)]
        squares = left.T @ left
        # df = 2 mean^2 / variance = tr(B'B)^2 / sum of squares of B'B
        expected_sum = np.trace(squares)
        pairs.append((expected_sum, expected_sum**2 / max((squares**2).sum(), ROUNDING**2)))
    expected, df = np.array(pairs).T
    return expected, df


def overlaps(reference: Floats, groups: Flags) -> Floats:
    """The share of pairs, of a system in a group and one outside, that the rarer winner wins.

    By the reference; 0 if the worst of one side is better than the best of the other, at most .5.
    Shape (n_groups,).
    """
    place = ranks(system_means(reference))
    sizes = groups.sum(axis=1)
    # Mann and Whitney: in U = sum of the group's ranks - k (k + 1) / 2 pairs the other is in front
    n_pairs = sizes * (place.size - sizes)
    wins = (groups @ place - sizes * (sizes + 1) / 2.0) / n_pairs
    return np.asarray(np.minimum(wins, 1.0 - wins))


# --- the curve ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Curve:
    """A curve of the means by the reference, which are measured with noise."""

    heights: Floats  # of each system, shape (n_systems,)
    slopes: Floats  # there, of the same shape
    slope: float  # from the worst to the best system
    parts: Floats  # what it is a sum of, with a weight each, shape (n_systems, n_parts)
    inner: Floats  # those of the expected means less the mean of their group, of the same shape

    @classmethod
    def line(cls, measured: Floats) -> Curve:
        """The curve h(R) = R of measured means, (m,), which has no parts to fit."""
        nothing = np.zeros((measured.size, 0))
        return cls(measured, np.ones_like(measured), 1.0, nothing, nothing)

    @classmethod
    def fit(cls, reference: Floats, estimate: Floats, cells: Indices) -> Curve:
        """A parabola that never falls, or never rises, fitted to scores, (n_topics, m).

        By least squares within groups; all values are nan where no group has systems that differ.
        """
        measured = system_means(reference)
        expected, adjusted = _calibrated(reference, estimate, cells)
        low, high = measured.min(), measured.max()
        unit = high - low if high > low else 1.0
        # a measure on which lower is better falls with the reference: then the curve falls, too
        covariance = _deviations(expected, cells) @ _deviations(adjusted, cells)
        rising = -1.0 if covariance < 0.0 else 1.0

        def parts_at(means: Floats) -> Floats:
            """The two parabolas that rise between the worst and the best system, shape (m, 2)."""
            parts = [((means - low) / unit) ** 2, -(((high - means) / unit) ** 2)]
            return np.stack(parts, axis=1) * rising

        # Least squares with weights of at least 0. Equal weights are a straight line: one more row,
        # c (w_1 - w_2) = 0, makes a bend cost a share of the sum of squares (chosen, not tuned).
        inner = _deviations(parts_at(expected).T, cells).T
        from scipy.optimize import nnls  # takes a while to import

        bend = np.sqrt(0.001 * (inner**2).sum()) * np.array([[1.0, -1.0]])
        weights = nnls(np.vstack([inner, bend]), np.append(_deviations(adjusted, cells), 0.0))[0]
        if np.abs(_deviations(measured, cells)).max() <= ROUNDING * np.abs(measured).max():
            weights = np.full(2, np.nan)
        # the derivative of w_1 (R - low)^2 - w_2 (high - R)^2 at each system, and its mean
        parts, used = parts_at(measured), weights > 0.0
        slopes = (
            2.0 * rising * np.stack([measured - low, high - measured], axis=1) @ weights / unit**2
        )
        slope = rising * float(weights.sum()) / unit
        return cls(parts @ weights, slopes, slope, parts[:, used], inner[:, used])


def _calibrated(reference: Floats, estimate: Floats, cells: Indices) -> tuple[Floats, Floats]:
    """The expected true means of the reference, and the estimate's without the noise of these.

    Given measured means R = r + e and F = f + d, with the same variances in all groups:
    E(r) = R - k (R - mean of the group) and E(d) = cov(d, e) / var(e) (R - E(r)), with
    k = var(e) / var(R).
    """
    n_topics = len(reference)
    means = np.stack([system_means(reference), system_means(estimate)])
    # (n, m): scores less the mean of the system, less the mean of its group on the topic
    inner = [_deviations(scores - scores.mean(axis=0), cells) for scores in (reference, estimate)]
    # sums over systems of var(e) and cov(d, e), the noise in means of n topics
    noise, common = ((inner[0] * other).sum() / (n_topics * (n_topics - 1.0)) for other in inner)
    # (m,): R - mean of the group; k times this is taken from R, k at most .8 (chosen, not tuned)
    apart = _deviations(means[0], cells)
    spread = float(apart @ apart)
    taken = apart * min(noise / spread, 0.8) if spread > 0.0 else apart
    return means[0] - taken, means[1] - taken * (common / noise if noise > 0.0 else 0.0)


def _cells(groups: Flags) -> Indices:
    """The number of the group of each system, shape (m,); those in none are one more group."""
    # a system is in one group at most: 0 in none, else the number of the group
    number = (groups * np.arange(1, len(groups) + 1)[:, np.newaxis]).sum(axis=0)
    return np.asarray(np.unique(number, return_inverse=True)[1].ravel(), dtype=np.intp)


def _deviations(scores: Floats, cells: Indices) -> Floats:
    """Scores, (..., m), less the mean over the group of their system, the number in `cells`."""
    # (m, n_cells), 1 where the system is in the cell: its product with scores are sums by cell
    member = np.eye(cells.max() + 1)[cells]
    return np.asarray(scores - (scores @ member / member.sum(axis=0))[..., cells])
