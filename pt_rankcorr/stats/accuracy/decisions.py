"""Whether two measures decide alike, over all pairs of systems, which of the two is significantly better.

Their accuracy over topic samples of this size is the standard deviation over resamples with the noise of one sample.
There, pairs are tested by formulas, since a test of every resample by resampling would take too long: by Tukey's, or by
the t-test with the bound that the test of the scores themselves has.
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

# The table of Student's distribution has so many cells: p-values from it are wrong by at most 0.000001.
TABLE_CELLS = 4096


class Decisions(NamedTuple):
    """How many pairs of systems two measures decide alike."""

    agreements: float  # pairs that differ significantly by both, one way
    reversals: float  # pairs that do so in opposite ways
    false_positives: float  # pairs that differ significantly by the estimate alone
    false_negatives: float  # pairs that do so by the reference alone
    # the mean of two shares: of the pairs that differ significantly by the reference, those that do so one way by the
    # estimate; of the others, those that do not by the estimate; nan where there are no pairs of one kind
    balanced_accuracy: float
    # 1 less the mean of |p - p'| over pairs, with one-sided p-values of the paired t-test by either measure
    soft_accuracy: float


def decide(better: Flags, better_by_estimate: Flags, pvalues: Floats, pvalues_by_estimate: Floats) -> Decisions:
    """Counts the decisions that two measures make alike.

    `better` says whether row i is significantly better than column j; p-values are one-sided, shape (n_pairs,).
    """
    # each pair of systems is in these tables, (m, m), once: from the better system to the worse one
    agreements = int((better & better_by_estimate).sum())
    reversals = int((better & better_by_estimate.T).sum())
    positives, claimed, size = int(better.sum()), int(better_by_estimate.sum()), len(better)
    negatives = size * (size - 1) // 2 - positives
    # what the estimate claims is an agreement, a reversal, or of a pair that does not differ by the reference
    false_positives = claimed - agreements - reversals
    balanced = float("nan")
    if positives and negatives:
        balanced = (agreements / positives + (negatives - false_positives) / negatives) / 2
    soft = 1.0 - float(np.abs(pvalues - pvalues_by_estimate).mean())
    return Decisions(agreements, reversals, false_positives, positives - agreements - reversals, balanced, soft)


class Moments(NamedTuple):
    """Means and covariance of the scores of systems over topics, and the paired tests that follow from them."""

    means: Floats  # shape (n_systems,)
    covariance: Floats  # of one topic, shape (n_systems, n_systems)
    n_topics: int

    @classmethod
    def of(cls, scores: Floats) -> Moments:
        """Those of scores, shape (n_topics, n_systems)."""
        return cls(means.system_means(scores), np.atleast_2d(np.cov(scores, rowvar=False)), len(scores))

    @classmethod
    def resampled(cls, scores: Floats, weights: Floats) -> Moments:
        """Those of a bootstrap sample, from how often it has each topic, shape (n_topics,)."""
        n_topics = len(scores)
        # each topic counts as often as it was drawn; times n/(n - 1), since resamples vary by so much less than samples
        means = weights @ scores / n_topics
        centred = (scores - means) * np.sqrt(weights)[:, np.newaxis]
        return cls(means, centred.T @ centred * (n_topics / (n_topics - 1) ** 2), n_topics)

    def students_t(self) -> Floats:
        """Student's t of row less column, shape (m, m): 0 without a difference, infinite where one does not vary."""
        variances, gaps = self.covariance.diagonal(), self.means[:, np.newaxis] - self.means
        spread = variances[:, np.newaxis] + variances - 2 * self.covariance
        return t_statistics(gaps, np.sqrt(np.maximum(spread, 0.0) / self.n_topics))

    def pvalues(self, *, nearly: bool = False) -> Floats:
        """One-sided p-values of the paired t-test for the first of each pair to be better, shape (n_pairs,).

        With `nearly` they come from a table: quicker, and wrong by at most 0.000001.
        """
        from scipy.spatial.distance import squareform  # takes a while to import

        # the upper triangle of the t statistics, shape (n_pairs,)
        t, df = squareform(self.students_t(), checks=False), self.n_topics - 1
        if not nearly or df < 2:
            return np.asarray(stdtr(df, -t))
        # the place of -t / sqrt(t^2 + 3) in the table, and a straight line within its cell; beyond 1e6, p is 0 or 1
        t = np.clip(t, -1e6, 1e6)
        places = (TABLE_CELLS / 2) * (1.0 - t / np.sqrt(t * t + 3.0))
        cells = places.astype(np.intp)
        values, steps = _distribution(df)
        return np.asarray(values[cells] + steps[cells] * (places - cells))

    def better(self, alpha: float, *, by_range: bool) -> Flags:
        """Whether row i is significantly better than column j, shape (n_systems, n_systems).

        By the paired t-test, or by the range of all: Tukey's HSD test of two-way tables, corrected for all pairs.
        """
        size = len(self.means)
        # at a level of 0 no pair is
        if not by_range:
            return np.asarray((self.students_t() >= -stdtrit(self.n_topics - 1, alpha / 2)) & (alpha > 0.0))
        # the residual variance of the two-way table of topics and systems, which rounding must not make negative; a
        # difference is significant if it is at least the quantile of the range times the standard error of a mean
        residual = max((np.trace(self.covariance) - self.covariance.sum() / size) / (size - 1), 0.0)
        required = _range_quantile(alpha, size, (size - 1) * (self.n_topics - 1)) * np.sqrt(residual / self.n_topics)
        gaps = self.means[:, np.newaxis] - self.means
        return np.asarray((gaps >= required) & (gaps > 0.0))


@lru_cache(maxsize=16)
def _distribution(df: int) -> tuple[Floats, Floats]:
    """Student's distribution at even steps of t / sqrt(t^2 + 3) from -1 to 1, (n_cells + 1,), and its rise in each."""
    places = np.linspace(-1.0, 1.0, TABLE_CELLS + 1)
    with np.errstate(divide="ignore"):
        values = stdtr(df, places * np.sqrt(3.0 / (1.0 - places**2)))
    return values, np.append(np.diff(values), 0.0)


@lru_cache(maxsize=256)
def _range_quantile(alpha: float, size: int, df: int) -> float:
    """The quantile at 1 - alpha of the studentised range of so many means."""
    from scipy.stats import studentized_range  # takes longer to import than all of this package

    return float(studentized_range.isf(alpha, size, df))


def without_noise(reference: Floats, estimate: Floats, *, shared: bool = True) -> tuple[Floats, Floats]:
    """Both score matrices, (n_topics, m), with means as close as true ones: resamples then have one sample's noise.

    In units of noise, C is the covariance of both means over systems, and R that of their noise. Means times the root
    of I - R C^-1 have the covariance C - R, which is that of true means.
    """
    # deviations of the means from their mean, shape (2, m), and the covariance of their noise, (2, 2), in units of
    # noise
    pair = OneRanking.of(reference, estimate, shared=shared)
    deviations = np.stack([side.means - side.means.mean() for side in pair.sides])
    noise = np.diag([0.0 if side.is_noiseless else 1.0 for side in pair.sides])
    noise[0, 1] = noise[1, 0] = pair.correlation
    # C = L L' with a root L of one or two columns: one where both sides' deviations lie on one line
    variances, axes = np.linalg.eigh(deviations @ deviations.T / deviations.shape[1])
    varies = variances > 1e-12 * variances[-1]
    root = axes[:, varies] * np.sqrt(variances[varies])
    inverse = (axes[:, varies] / np.sqrt(variances[varies])).T
    # L^-1 R L^-1' has as eigenvalues the shares of noise in the variance; what is left of it, at least 0, keeps its
    # root
    shares, turned = np.linalg.eigh(inverse @ noise @ inverse.T)
    shrink = root @ turned * np.sqrt(np.clip(1.0 - shares, 0.0, 1.0)) @ turned.T @ inverse
    moved = shrink @ deviations - deviations
    first, second = (
        scores + _mean_of_equals(moves * side.noise, scores)
        for scores, moves, side in zip((reference, estimate), moved, pair.sides, strict=True)
    )
    return first, second


def _mean_of_equals(moves: Floats, scores: Floats) -> Floats:
    """Moves of the means of systems, (m,); those whose scores are equal on every topic have the mean of theirs."""
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
    """Normal intervals of the fields of `Decisions`, over topic samples of this size; nan where one is undefined.

    Scores are of shape (n_topics, m) each. Reversals have no interval, as most samples have none of them. Unless topics
    are shared, sides are resampled apart.
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
    levels, by_range = [alpha, alpha], test == "tukey-hsd"
    if test == "max-t" or correction is not None:
        levels = [level_of_one_pair(side, test, correction, alpha, seed) for side in (reference, estimate)]
    # the decisions of both sides in each resample: a table with a column for each field, (n_resamples, n_fields)
    moved = without_noise(reference, estimate, shared=shared)
    drawn = []
    for both in zip(weights, others, strict=True):
        first, second = map(Moments.resampled, moved, both)
        better, better_by_estimate = (
            moments.better(of_side, by_range=by_range) for moments, of_side in zip((first, second), levels, strict=True)
        )
        drawn.append(decide(better, better_by_estimate, first.pvalues(nearly=True), second.pvalues(nearly=True)))
    # each interval: the value on the topics at hand, give or take a normal quantile times the deviation over resamples
    n_pairs, quantile = reference.shape[1] * (reference.shape[1] - 1) / 2, -float(ndtri((1.0 - level) / 2))
    intervals = {}
    for name, value, column in zip(Decisions._fields, observed, np.transpose(drawn), strict=True):
        defined = column[~np.isnan(column)]
        half = quantile * (defined.std(ddof=1) if defined.size > 1 else float("nan"))
        ends = np.clip([value - half, value + half], 0.0, 1.0 if name.endswith("accuracy") else n_pairs)
        intervals[name] = ConfidenceInterval(*ends.tolist())
    del intervals["reversals"]
    return intervals
