"""Whether two measures decide alike, of all pairs of systems, which one is significantly better.

Their accuracy over topic samples of this size is the standard deviation over resamples with the
noise of one sample. There, pairs are tested by formulas, since a test of every resample by
resampling would take too long: by Tukey's, or by the t-test with the bound that the test of the
scores themselves has.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from pt_rankcorr import choices
from pt_rankcorr.stats.core import means, resampling
from pt_rankcorr.stats.core.ordering import in_one_order, topic_order
from pt_rankcorr.stats.core.types import ConfidenceInterval, Flags, Floats
from pt_rankcorr.stats.significance.pairwise import level_of_one_pair
from pt_rankcorr.stats.truth.one_true_ranking import OneRanking
from pt_rankcorr.stats.truth.reliability import t_statistics

# The table of Student's distribution has so many cells: its p-values are wrong by at most 0.000001.
TABLE_CELLS = 4096


class Decisions(NamedTuple):
    """How many pairs of systems two measures decide alike."""

    agreements: float  # pairs that differ significantly by both, one way
    reversals: float  # pairs that do so in opposite ways
    false_positives: float  # pairs that differ significantly by the estimate alone
    false_negatives: float  # pairs that do so by the reference alone
    # the mean of two shares: of pairs that differ significantly by the reference, those that do so
    # one way by the estimate; of the others, those that do not by it; nan if there are no pairs of
    # one kind
    balanced_accuracy: float
    # 1 less the mean over pairs of |p - p'|, with one-sided p-values of paired t-tests by each
    soft_accuracy: float


def decide(
    better: Flags, better_by_estimate: Flags, pvalues: Floats, pvalues_by_estimate: Floats
) -> Decisions:
    """Counts the decisions that two measures make alike.

    `better` says whether row i is significantly better than column j; p are one-sided, (n_pairs,).
    """
    # each pair of systems is in these tables, (m, m), once: from the better system to the worse one
    agreements = int((better & better_by_estimate).sum())
    reversals = int((better & better_by_estimate.T).sum())
    positives, claimed = int(better.sum()), int(better_by_estimate.sum())
    negatives = pvalues.size - positives
    # what one side claims is an agreement, a reversal, or of a pair that the other does not decide
    false_positives = claimed - agreements - reversals
    false_negatives = positives - agreements - reversals
    balanced = float("nan")
    if positives and negatives:
        balanced = (agreements / positives + (negatives - false_positives) / negatives) / 2
    soft = 1.0 - float(np.abs(pvalues - pvalues_by_estimate).mean())
    return Decisions(agreements, reversals, false_positives, false_negatives, balanced, soft)


class Moments(NamedTuple):
    """Means and covariance of systems' scores over topics, and the paired tests that follow."""

    means: Floats  # shape (n_systems,)
    covariance: Floats  # of one topic, shape (n_systems, n_systems)
    n_topics: int

    @classmethod
    def of(cls, scores: Floats) -> Moments:
        """Those of scores, shape (n_topics, n_systems)."""
        covariance = np.atleast_2d(np.cov(scores, rowvar=False))
        return cls(means.system_means(scores), covariance, len(scores))

    @classmethod
    def resampled(cls, scores: Floats, weights: Floats) -> Moments:
        """Those of a bootstrap sample, from how often it has each topic, shape (n_topics,)."""
        n_topics = len(scores)
        # each topic counts as often as it was drawn; resamples vary by (n - 1)/n of what samples do
        means = weights @ scores / n_topics
        centred = (scores - means) * np.sqrt(weights)[:, np.newaxis]
        return cls(means, centred.T @ centred * (n_topics / (n_topics - 1) ** 2), n_topics)

    def students_t(self) -> Floats:
        """Student's t of row less column, (m, m): 0 of no difference, infinite of constant ones."""
        variances, gaps = self.covariance.diagonal(), self.means[:, np.newaxis] - self.means
        spread = variances[:, np.newaxis] + variances - 2 * self.covariance
        return t_statistics(gaps, np.sqrt(np.maximum(spread, 0.0) / self.n_topics))

    def pvalues(self, *, nearly: bool = False) -> Floats:
        """One-sided p-values of the paired t-test, of the first being better: shape (n_pairs,).

        With `nearly` they come from a table: quicker, and wrong by at most 0.000001.
        """
        from scipy.spatial.distance import squareform  # takes a while to import

        # the upper triangle of the t statistics, shape (n_pairs,)
        t, df = squareform(self.students_t(), checks=False), self.n_topics - 1
        if not nearly or df < 2:
            return np.asarray(stdtr(df, -t))
        # the place of -t / sqrt(t^2 + 3), and a straight line in its cell; beyond 1e6, p is 0 or 1
        t = np.clip(t, -1e6, 1e6)
        places = (TABLE_CELLS / 2) * (1.0 - t / np.sqrt(t * t + 3.0))
        cells = places.astype(np.intp)
        values, steps = _distribution(df)
        return np.asarray(values[cells] + steps[cells] * (places - cells))

    def better(self, alpha: float, *, by_range: bool) -> Flags:
        """Whether row i is significantly better than column j, shape (n_systems, n_systems).

        By the paired t-test, or by the range of all: Tukey's HSD test of two-way tables.
        """
        size, df = len(self.means), self.n_topics - 1
        if not by_range:
            # at a level of 0 no pair is
            return np.asarray((self.students_t() >= -stdtrit(df, alpha / 2)) & (alpha > 0.0))
        # the residual variance of the table of topics and systems, not negative by rounding
        residual = max((np.trace(self.covariance) - self.covariance.sum() / size) / (size - 1), 0.0)
        # the least significant difference: the quantile of the range times the error of a mean
        error = np.sqrt(residual / self.n_topics)
        required = _range_quantile(alpha, size, (size - 1) * df) * error
        gaps = self.means[:, np.newaxis] - self.means
        return np.asarray((gaps >= required) & (gaps > 0.0))


@lru_cache(maxsize=16)
def _distribution(df: int) -> tuple[Floats, Floats]:
    """Student's distribution at even steps of t / sqrt(t^2 + 3) from -1 to 1, and its rise in each.

    Shape (n_cells + 1,) each.
    """
    places = np.linspace(-1.0, 1.0, TABLE_CELLS + 1)
    with np.errstate(divide="ignore"):
        values = stdtr(df, places * np.sqrt(3.0 / (1.0 - places**2)))
    return values, np.append(np.diff(values), 0.0)


@lru_cache(maxsize=256)
def _range_quantile(alpha: float, size: int, df: int) -> float:
    """The quantile at 1 - alpha of the studentised range of so many means."""
    from scipy.stats import studentized_range  # takes longer to import than all of this package

    return float(studentized_range.isf(alpha, size, df))


def without_noise(
    reference: Floats, estimate: Floats, *, shared: bool = True
) -> tuple[Floats, Floats]:
    """Both score matrices, (n_topics, m), with means as close as true ones.

    Resamples then have one sample's noise. In units of noise, C is the covariance of both means
    over systems, and R that of their noise. Means times the root of I - R C^-1 have the covariance
    C - R, which is that of true means.
    """
    # in units of noise, deviations of means from their mean, (2, m), and their noise's covariance
    pair = OneRanking.of(reference, estimate, shared=shared)
    deviations = np.stack([side.means - side.means.mean() for side in pair.sides])
    noise = np.diag([0.0 if side.is_noiseless else 1.0 for side in pair.sides])
    noise[0, 1] = noise[1, 0] = pair.correlation
    # C = L L' with a root L of one or two columns: one where both sides' deviations lie on one line
    variances, axes = np.linalg.eigh(deviations @ deviations.T / deviations.shape[1])
    varies = variances > 1e-12 * variances[-1]
    root = axes[:, varies] * np.sqrt(variances[varies])
    inverse = (axes[:, varies] / np.sqrt(variances[varies])).T
    # eigenvalues of L^-1 R L^-1' are shares of noise in the variance; what is left keeps its root
    shares, turned = np.linalg.eigh(inverse @ noise @ inverse.T)
    shrink = root @ turned * np.sqrt(np.clip(1.0 - shares, 0.0, 1.0)) @ turned.T @ inverse
    moves = shrink @ deviations - deviations
    first, second = (
        scores + _mean_of_equals(moved * side.noise, scores)
        for scores, moved, side in zip((reference, estimate), moves, pair.sides, strict=True)
    )
    return first, second


def _mean_of_equals(moves: Floats, scores: Floats) -> Floats:
    """Moves of the means of systems, (m,); the mean move for systems with equal scores."""
    group = np.unique(scores, axis=1, return_inverse=True)[1].ravel()
    return np.asarray((np.bincount(group, moves) / np.bincount(group))[group])


def decision_intervals(
    reference: Floats,
    estimate: Floats,
    observed: Decisions,
    *,
    alpha: float,
    test: choices.PairTest,
    correction: choices.PairCorrection | None = None,
    level: float,
    n_resamples: int,
    seed: int,
    shared: bool = True,
) -> dict[str, ConfidenceInterval]:
    """Normal intervals of the fields of `Decisions` over as many topics; nan where undefined.

    Scores are of shape (n_topics, m) each. Reversals have no interval, as most samples have none of
    them. Unless topics are shared, sides are resampled apart.
    """
    # resamples are of topics by position, so topics come in an order that the scores set
    rng = resampling.generator(seed)
    if shared:
        order = topic_order(np.hstack([reference, estimate]))
        order = order[topic_order(reference[order])]
        reference, estimate = reference[order], estimate[order]
    else:
        reference, estimate = in_one_order(reference), in_one_order(estimate)
    # how often each topic was drawn, shape (n_resamples, n_topics), for either side
    weights = resampling.topic_weights(rng, n_resamples, len(reference))
    others = weights if shared else resampling.topic_weights(rng, n_resamples, len(estimate))
    sides, levels, by_range = (reference, estimate), [alpha, alpha], test == "tukey-hsd"
    if test == "max-t" or correction is not None:
        levels = [level_of_one_pair(side, test, correction, alpha, seed) for side in sides]
    # a table of both sides' decisions in each resample: shape (n_resamples, n_fields)
    moved = without_noise(reference, estimate, shared=shared)
    drawn = []
    for both in zip(weights, others, strict=True):
        first, second = map(Moments.resampled, moved, both)
        better = first.better(levels[0], by_range=by_range)
        better_by_estimate = second.better(levels[1], by_range=by_range)
        pvalues = (moments.pvalues(nearly=True) for moments in (first, second))
        drawn.append(decide(better, better_by_estimate, *pvalues))
    # the value on the topics at hand, give or take a normal quantile times the deviation
    n_systems, quantile = reference.shape[1], -float(ndtri((1.0 - level) / 2))
    intervals = {}
    for name, value, column in zip(Decisions._fields, observed, np.transpose(drawn), strict=True):
        defined = column[~np.isnan(column)]
        half = quantile * (defined.std(ddof=1) if defined.size > 1 else float("nan"))
        most = 1.0 if name.endswith("accuracy") else n_systems * (n_systems - 1) / 2
        ends = np.clip([value - half, value + half], 0.0, most)
        intervals[name] = ConfidenceInterval(*ends.tolist())
    del intervals["reversals"]
    return intervals
