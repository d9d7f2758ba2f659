"""Whether two measures decide alike which of two systems is better, over all pairs of systems.

Their accuracy is that over samples of as many topics: the standard deviation over resamples that have the noise of one
sample. There, pairs are tested by formulas, since a test of every resample by resampling would take too long.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from pt_rankcorr.stats.core.means import in_one_order, system_means, topic_order
from pt_rankcorr.stats.core.resampling import generator, topic_weights
from pt_rankcorr.stats.core.results import ConfidenceInterval
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.truth.joint import without_noise


class Decisions(NamedTuple):
    """How many pairs of systems two measures decide alike.

    Attributes:
        agreements: Pairs that differ significantly by both, one way.
        reversals: Pairs that do so in opposite ways.
        false_positives: Pairs that differ significantly by the estimate alone.
        false_negatives: Pairs that do so by the reference alone.
        balanced_accuracy: The mean of two shares: of the pairs that differ significantly by the reference, those that
            do so one way by the estimate; of the others, those that do not by the estimate. In [0, 1]; nan where there
            are no pairs of one kind.
        soft_accuracy: Soft pairwise accuracy: 1 less the mean of |p - p'| over pairs, with one-sided p-values of the
            paired t-test by either measure. In [0, 1].
    """

    agreements: float
    reversals: float
    false_positives: float
    false_negatives: float
    balanced_accuracy: float
    soft_accuracy: float


def in_unit(scores: Floats) -> Floats:
    """Divided by a power of two such that the largest is just below 1: no square vanishes or overflows."""
    return np.asarray(np.ldexp(scores, -np.frexp(np.abs(scores).max())[1]))


def decide(better: Flags, better_by_estimate: Flags, pvalues: Floats, pvalues_by_estimate: Floats) -> Decisions:
    """From row i, column j: whether i is significantly better than j; and one-sided p-values of all pairs."""
    agreements = int((better & better_by_estimate).sum())
    reversals = int((better & better_by_estimate.T).sum())
    positives, claimed, size = int(better.sum()), int(better_by_estimate.sum()), len(better)
    negatives = size * (size - 1) // 2 - positives
    false_positives = claimed - agreements - reversals
    balanced = float("nan")
    if positives and negatives:
        balanced = (agreements / positives + (negatives - false_positives) / negatives) / 2
    soft = 1.0 - float(np.abs(pvalues - pvalues_by_estimate).mean())
    return Decisions(agreements, reversals, false_positives, positives - agreements - reversals, balanced, soft)


class Moments(NamedTuple):
    """Of the scores of systems over topics.

    Attributes:
        means: Shape (n_systems,).
        covariance: Of one topic, shape (n_systems, n_systems).
        n_topics: The number of topics.
    """

    means: Floats
    covariance: Floats
    n_topics: int

    @classmethod
    def of(cls, scores: Floats) -> Moments:
        return cls(system_means(scores), np.atleast_2d(np.cov(scores, rowvar=False)), len(scores))

    @classmethod
    def resampled(cls, scores: Floats, weights: Floats) -> Moments:
        """Of a bootstrap sample; its covariance is n/(n - 1) times too small otherwise."""
        n_topics = len(scores)
        means = weights @ scores / n_topics
        centred = (scores - means) * np.sqrt(weights)[:, np.newaxis]
        return cls(means, centred.T @ centred * (n_topics / (n_topics - 1) ** 2), n_topics)

    def students_t(self) -> Floats:
        """Of each pair: shape (n_systems, n_systems); 0 without a difference, infinite where only none varies."""
        variances = np.diag(self.covariance)
        spread = np.maximum(variances[:, np.newaxis] + variances - 2 * self.covariance, 0.0)
        gaps = self.means[:, np.newaxis] - self.means
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gaps == 0.0, 0.0, gaps / np.sqrt(spread / self.n_topics))

    def pvalues(self, *, nearly: bool = False) -> Floats:
        """One-sided, of the paired t-test, for the first of each pair to be better: shape (n_pairs,).

        Nearly is quicker, and wrong by at most 0.0001.
        """
        t, freedom = self.students_t()[np.triu_indices(len(self.means), k=1)], self.n_topics - 1
        return np.asarray(np.interp(-t, *_distribution(freedom)) if nearly else stdtr(freedom, -t))

    def better(self, alpha: float, *, corrected: bool) -> Flags:
        """By the paired t-test, or, corrected for all pairs, by Tukey's HSD test of two-way tables."""
        if not corrected:
            return np.asarray(self.students_t() >= -stdtrit(self.n_topics - 1, alpha / 2))
        size = len(self.means)
        residual = max((np.trace(self.covariance) - self.covariance.sum() / size) / (size - 1), 0.0)  # but for rounding
        required = _range_quantile(alpha, size, (size - 1) * (self.n_topics - 1)) * np.sqrt(residual / self.n_topics)
        gaps = self.means[:, np.newaxis] - self.means
        return np.asarray((gaps >= required) & (gaps > 0.0))


@lru_cache(maxsize=16)
def _distribution(freedom: int) -> tuple[Floats, Floats]:
    """Places on a line, denser near 0, and Student's distribution there."""
    places = np.sinh(np.linspace(-10.0, 10.0, 4001))
    return places, np.asarray(stdtr(freedom, places))


@lru_cache(maxsize=256)
def _range_quantile(alpha: float, size: int, freedom: int) -> float:
    from scipy.stats import studentized_range  # takes longer to import than all of this package

    return float(studentized_range.ppf(1.0 - alpha, size, freedom))


def decision_intervals(
    reference: Floats,
    estimate: Floats,
    observed: Decisions,
    *,
    alpha: float,
    corrected: bool,
    level: float,
    n_resamples: int,
    seed: int,
    shared: bool = True,
) -> dict[str, ConfidenceInterval]:
    """Of the decisions, over samples of as many topics; nan where one is undefined.

    The observed value and so many standard deviations of the resamples as the level asks for. Reversals have none: most
    samples have none of them. Unless row i of both is one topic, each side is resampled by itself.
    """
    rng = generator(seed)
    if shared:  # resamples are of topics by position, and their order changes none
        order = topic_order(np.hstack([reference, estimate]))
        order = order[topic_order(reference[order])]
        reference, estimate = reference[order], estimate[order]
    else:
        reference, estimate = in_one_order(reference), in_one_order(estimate)
    weights = topic_weights(rng, n_resamples, len(reference))
    others = weights if shared else topic_weights(rng, n_resamples, len(estimate))
    moved = [in_unit(scores) for scores in without_noise(reference, estimate, shared=shared)]
    decisions = []
    for both in zip(weights, others, strict=True):
        first, second = map(Moments.resampled, moved, both)
        better, better_by_estimate = (moments.better(alpha, corrected=corrected) for moments in (first, second))
        decisions.append(decide(better, better_by_estimate, first.pvalues(nearly=True), second.pvalues(nearly=True)))
    drawn = np.array(decisions)
    n_pairs = reference.shape[1] * (reference.shape[1] - 1) / 2
    found = {}
    for name, value, column in zip(Decisions._fields, observed, drawn.T, strict=True):
        if name == "reversals":
            continue
        defined = column[~np.isnan(column)]
        spread = defined.std(ddof=1) if defined.size > 1 else float("nan")
        half = -float(ndtri((1.0 - level) / 2)) * spread
        most = 1.0 if name.endswith("accuracy") else n_pairs
        found[name] = ConfidenceInterval(*(float(np.clip(value + end, 0.0, most)) for end in (-half, half)))
    return found
