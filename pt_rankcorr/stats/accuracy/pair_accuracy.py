"""Pairs within a topic that two measures order alike, where ties of both count, too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pt_rankcorr.stats.core.types import Floats

MOST_THRESHOLDS = 1000
DECIMALS = 12  # of differences, which are equal where their last bits differ


def tie_thresholds(estimates: Sequence[Floats]) -> Floats:
    """Up to which difference two estimates may count as equal: every difference there is, or quantiles of these."""
    each = [np.unique(np.round(np.abs(scores[:, np.newaxis] - scores), DECIMALS)) for scores in estimates]
    found = np.unique(np.concatenate([np.zeros(1), *each]))
    return found[np.unique(np.linspace(0, len(found) - 1, min(len(found), MOST_THRESHOLDS)).astype(np.intp))]


def pair_accuracies(reference: Floats, estimate: Floats, thresholds: Floats) -> Floats:
    """The share of pairs of items that are ordered, or tied, alike.

    A pair is right if both sides order it one way, or both tie it: the estimate does where its difference is at most
    the threshold.

    Args:
        reference: Shape (n_items,), at least two.
        estimate: The same.
        thresholds: Of the estimate.

    Returns:
        One share a threshold.

    References:
        Deutsch, Foster, Freitag, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
        calibration", EMNLP 2023, equation 7 and section 6.
    """
    pairs = np.triu_indices(reference.size, k=1)
    apart = np.round(reference[pairs[0]] - reference[pairs[1]], DECIMALS)
    estimated = np.round(estimate[pairs[0]] - estimate[pairs[1]], DECIMALS)
    right_way = np.sort((np.sign(apart) * estimated)[apart != 0.0])
    tied = np.sort(np.abs(estimated[apart == 0.0]))
    n_right = right_way.size - np.searchsorted(right_way, thresholds, side="right")
    return np.asarray((n_right + np.searchsorted(tied, thresholds, side="right")) / apart.size)


def calibrated(accuracies: Floats) -> tuple[float, int, Floats]:
    """The highest mean over topics of accuracies, shape (n_topics, n_thresholds).

    Returns:
        It, the first threshold that has it, and what it would be without each topic.
    """
    total, n_topics = accuracies.sum(axis=0), len(accuracies)
    without = [float((total - own).max() / (n_topics - 1)) for own in accuracies] if n_topics > 1 else []
    best = int(total.argmax())
    return float(total[best] / n_topics), best, np.array(without)


def chance_accuracies(topics: Sequence[tuple[Floats, Floats]], threshold: float) -> tuple[float, float]:
    """The mean accuracy over topics of estimates that know nothing of the reference.

    Args:
        topics: For each topic the reference and the estimate, shape (n_items,).
        threshold: Up to which difference two estimates count as equal.

    Returns:
        That of one value for all items, which is right about the pairs that the reference ties; and the expected one
        of the estimates in random order, which tie as many pairs and order others rightly half of the time.
    """
    one_value, random = [], []
    for scores in topics:
        first, second = np.triu_indices(scores[0].size, k=1)
        apart, estimated = (np.abs(np.round(side[first] - side[second], DECIMALS)) for side in scores)
        tied, tied_by_estimate = float((apart == 0.0).mean()), float((estimated <= threshold).mean())
        one_value.append(tied)
        random.append(tied * tied_by_estimate + (1.0 - tied) * (1.0 - tied_by_estimate) / 2.0)
    return float(np.mean(one_value)), float(np.mean(random))
