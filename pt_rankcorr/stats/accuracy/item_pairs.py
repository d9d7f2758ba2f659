"""Whether a measure orders, or ties, pairs of items as the reference does: pairwise accuracy.

The items of a topic are what is scored there: its documents, where labels are compared, or the systems.
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

    All distinct differences of two items of a topic, or evenly spaced ones of these; one array a topic, (n_items,).
    """
    by_topic = [np.unique(np.round(np.abs(scores[:, np.newaxis] - scores), DECIMALS)) for scores in estimates]
    differences = np.unique(np.concatenate([np.zeros(1), *by_topic]))
    places = np.linspace(0, len(differences) - 1, min(len(differences), MOST_THRESHOLDS)).astype(np.intp)
    return differences[np.unique(places)]


def pair_accuracies(reference: Floats, estimate: Floats, thresholds: Floats) -> Floats:
    """The share of pairs of items of a topic that two sides order, or tie, alike, for ascending thresholds of a tie.

    Scores are of shape (n_items,) each, thresholds and shares of shape (n_thresholds,). The estimate ties pairs whose
    difference is at most the threshold (Deutsch, Foster, Freitag, "Ties matter: meta-evaluating modern metrics with
    pairwise accuracy and tie calibration", EMNLP 2023, equation 7 and section 6).
    """
    # differences of all pairs, (n_pairs,): a pair that the reference orders is right if the estimate is apart by more
    # than the threshold the same way, and one that it ties if the estimate is apart by at most the threshold
    pairs = np.triu_indices(reference.size, k=1)
    apart = np.round(reference[pairs[0]] - reference[pairs[1]], DECIMALS)
    estimated = np.round(estimate[pairs[0]] - estimate[pairs[1]], DECIMALS)
    right_way = np.sort((np.sign(apart) * estimated)[apart != 0.0])
    tied = np.sort(np.abs(estimated[apart == 0.0]))
    n_right = right_way.size - np.searchsorted(right_way, thresholds, side="right")
    return np.asarray((n_right + np.searchsorted(tied, thresholds, side="right")) / apart.size)


def calibrated(accuracies: Floats) -> tuple[float, int, Floats]:
    """The highest mean accuracy over topics, the number of its first threshold, and the highest without each topic.

    Accuracies are of shape (n_topics, n_thresholds).
    """
    # the sum less that of a topic is the sum over all others, from which the best threshold is taken anew
    total, n_topics = accuracies.sum(axis=0), len(accuracies)
    without = [float((total - of_topic).max() / (n_topics - 1)) for of_topic in accuracies] if n_topics > 1 else []
    best = int(total.argmax())
    return float(total[best] / n_topics), best, np.array(without)


def chance_accuracies(topics: Sequence[tuple[Floats, Floats]], threshold: float) -> tuple[float, float]:
    """The mean accuracies over topics of two estimates that are unrelated to the reference.

    The first has one value for all items; the second has the given estimates in random order, and its accuracy is the
    expected one. Each topic is a reference and an estimate, (n_items,).
    """
    one_value, random = [], []
    for scores in topics:
        first, second = np.triu_indices(scores[0].size, k=1)
        apart, estimated = (np.abs(np.round(side[first] - side[second], DECIMALS)) for side in scores)
        tied, tied_by_estimate = float((apart == 0.0).mean()), float((estimated <= threshold).mean())
        one_value.append(tied)
        # a pair is right if both tie it, or neither does and the random order is right by chance
        random.append(tied * tied_by_estimate + (1.0 - tied) * (1.0 - tied_by_estimate) / 2.0)
    return float(np.mean(one_value)), float(np.mean(random))
