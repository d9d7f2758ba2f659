"""Whether a measure orders, or ties, pairs of items as the reference does: pairwise accuracy.

The items of a topic are what is scored there: systems; or documents, where labels are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pt_rankcorr.stats.core.types import Floats

# A calibration tries so many thresholds; of more distinct differences, so many evenly spaced ones.
MOST_THRESHOLDS = 1000
# Differences are rounded to so many decimals, as those whose last bits differ are equal.
DECIMALS = 12


def tie_thresholds(estimates: Sequence[Floats]) -> Floats:
    """Candidates for the threshold of a tie, ascending from 0, shape (n_thresholds,).

    All distinct differences of two items of a topic, (n_items,), or evenly spaced ones of these.
    """
    apart = (np.abs(np.subtract.outer(scores, scores)) for scores in estimates)
    by_topic = [np.unique(of_topic.round(DECIMALS)) for of_topic in apart]
    differences = np.unique(np.concatenate([np.zeros(1), *by_topic]))
    n_thresholds = min(len(differences), MOST_THRESHOLDS)
    places = np.linspace(0, len(differences) - 1, n_thresholds).astype(np.intp)
    return differences[np.unique(places)]


def _differences(reference: Floats, estimate: Floats) -> list[Floats]:
    """The difference of each pair of items by each side, (n_items,): shape (n_pairs,) each."""
    first, second = np.triu_indices(reference.size, k=1)
    return [(side[first] - side[second]).round(DECIMALS) for side in (reference, estimate)]


def pair_accuracies(reference: Floats, estimate: Floats, thresholds: Floats) -> Floats:
    """The share of pairs of items of a topic that two sides order, or tie, alike.

    For ascending thresholds of a tie, shape (n_thresholds,) as the shares; scores are of shape
    (n_items,) each. The estimate ties pairs whose difference is at most the threshold (Deutsch,
    Foster, Freitag, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
    calibration", EMNLP 2023, equation 7 and section 6).
    """
    # A pair that the reference orders is right if the estimate is apart by more than the threshold
    # the same way; one that it ties is right if the estimate is apart by at most the threshold.
    apart, estimated = _differences(reference, estimate)
    right_way = np.sort((np.sign(apart) * estimated)[apart != 0.0])
    tied = np.sort(np.abs(estimated[apart == 0.0]))
    n_right = right_way.size - np.searchsorted(right_way, thresholds, side="right")
    return np.asarray((n_right + np.searchsorted(tied, thresholds, side="right")) / apart.size)


def calibrated(accuracies: Floats) -> tuple[float, int, Floats]:
    """The highest mean accuracy over topics, its threshold's number, and that without each topic.

    Accuracies are of shape (n_topics, n_thresholds). Of equally good thresholds the first counts.
    """
    total, n_topics = accuracies.sum(axis=0), len(accuracies)
    best, without = int(total.argmax()), np.empty(0)
    if n_topics > 1:
        # the sum less that of a topic is that of all others, whose best threshold is taken anew
        without = (total - accuracies).max(axis=1) / (n_topics - 1)
    return float(total[best] / n_topics), best, without


def chance_accuracies(
    topics: Sequence[tuple[Floats, Floats]], threshold: float
) -> tuple[float, float]:
    """The mean accuracies over topics of two estimates that are unrelated to the reference.

    The first has one value for all items; the second has the given estimates in random order, and
    its accuracy is the expected one. Each topic is a reference and an estimate, (n_items,).
    """
    one_value, random = [], []
    for reference, estimate in topics:
        apart, estimated = _differences(reference, estimate)
        tied = float((apart == 0.0).mean())
        tied_by_estimate = float((np.abs(estimated) <= threshold).mean())
        one_value.append(tied)
        # a pair is right if both tie it, or neither does and the random order is right by chance
        random.append(tied * tied_by_estimate + (1.0 - tied) * (1.0 - tied_by_estimate) / 2.0)
    return float(np.mean(one_value)), float(np.mean(random))
