"""Whether a measure orders, or ties, the pairs of items of a topic as the reference does: pairwise accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pt_rankcorr.stats.core.types import Floats

MOST_THRESHOLDS = 1000  # tried in a calibration: of more differences, quantiles do
DECIMALS = 12  # of differences: those whose last bits differ are equal


def tie_thresholds(estimates: Sequence[Floats]) -> Floats:
    """Up to which difference two estimates may count as equal: every difference there is, or quantiles of these."""
    by_topic = [np.unique(np.round(np.abs(scores[:, np.newaxis] - scores), DECIMALS)) for scores in estimates]
    differences = np.unique(np.concatenate([np.zeros(1), *by_topic]))
    places = np.linspace(0, len(differences) - 1, min(len(differences), MOST_THRESHOLDS)).astype(np.intp)
    return differences[np.unique(places)]


def pair_accuracies(reference: Floats, estimate: Floats, thresholds: Floats) -> Floats:
    """The share of pairs of items that two sides order, or tie, alike, for each threshold of a tie.

    A pair is right if both sides order it one way, or both tie it: the estimate does where its difference is at most
    the threshold (Deutsch, Foster, Freitag, "Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
    calibration", EMNLP 2023, equation 7 and section 6).

    Args:
        reference, estimate: Scores of the items of one topic, shape (n_items,).
        thresholds: Ascending.
    """
    pairs = np.triu_indices(reference.size, k=1)
    apart = np.round(reference[pairs[0]] - reference[pairs[1]], DECIMALS)
    estimated = np.round(estimate[pairs[0]] - estimate[pairs[1]], DECIMALS)
    right_way = np.sort((np.sign(apart) * estimated)[apart != 0.0])
    tied = np.sort(np.abs(estimated[apart == 0.0]))
    n_right = right_way.size - np.searchsorted(right_way, thresholds, side="right")
    return np.asarray((n_right + np.searchsorted(tied, thresholds, side="right")) / apart.size)


def calibrated(accuracies: Floats) -> tuple[float, int, Floats]:
    """Chooses the threshold with the highest mean accuracy over topics.

    Args:
        accuracies: Shape (n_topics, n_thresholds).

    Returns:
        That accuracy, the number of the first threshold that has it, and the highest accuracy without each topic.
    """
    total, n_topics = accuracies.sum(axis=0), len(accuracies)
    without = [float((total - of_topic).max() / (n_topics - 1)) for of_topic in accuracies] if n_topics > 1 else []
    best = int(total.argmax())
    return float(total[best] / n_topics), best, np.array(without)


def chance_accuracies(topics: Sequence[tuple[Floats, Floats]], threshold: float) -> tuple[float, float]:
    """The mean accuracy over topics, each a reference and an estimate, of estimates that know nothing of the reference.

    That of one value for all items, which is right about the pairs that the reference ties; and the expected one of the
    estimates in random order, which tie as many pairs and order others rightly half of the time.
    """
    one_value, random = [], []
    for scores in topics:
        first, second = np.triu_indices(scores[0].size, k=1)
        apart, estimated = (np.abs(np.round(side[first] - side[second], DECIMALS)) for side in scores)
        tied, tied_by_estimate = float((apart == 0.0).mean()), float((estimated <= threshold).mean())
        one_value.append(tied)
        random.append(tied * tied_by_estimate + (1.0 - tied) * (1.0 - tied_by_estimate) / 2.0)
    return float(np.mean(one_value)), float(np.mean(random))
