"""What `prediction_powered` gains against the judge's correlation with people.

python -m tests.calibration.gain_of_judges prints a line for each correlation on single topics: how wide intervals are,
of means and of differences of systems, as a share of those over the topics of people alone; the share of intervals of
means that hold the true one; and on how many topics people alone would be as accurate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from pt_rankcorr.stats.core.types import Floats
from tests.calibration.parts.prediction_powered import simulated

JUDGED, AGREEMENTS, TOPICS = 250, (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95), (10, 25, 50)


def gain(n: int, agreement: float, repetitions: int) -> tuple[float, float, float, float]:
    """The shares of widths of both kinds of intervals, of intervals of means that hold, and the topics needed."""
    rng, quantile = np.random.default_rng(1), float(stdtrit(n - 1, 0.975))
    widths, held, needed = [], [], []
    for _ in range(repetitions):
        means, human, judge = simulated(n, JUDGED, agreement, rng)
        found = prediction_powered(human, judge, rng=rng)
        low, high = found.intervals().T
        held.append(((low <= means) & (means <= high)).mean())
        widths.append([_widths(each, quantile) for each in (found.covariance, found.human_covariance)])
        needed.append(found.topics_needed)
    (means_by_both, pairs_by_both), (means_alone, pairs_alone) = np.mean(widths, axis=0)
    shares = float(means_by_both / means_alone), float(pairs_by_both / pairs_alone)
    return *shares, float(np.mean(held)), float(np.median(needed))


def _widths(covariance: Floats, quantile: float) -> tuple[float, float]:
    """The mean width of the intervals of means, and of those of differences."""
    variances = covariance.diagonal()
    of_pairs = (variances[:, np.newaxis] + variances - 2 * covariance)[np.triu_indices(len(variances), k=1)]
    return 2 * quantile * float(np.sqrt(variances).mean()), 2 * quantile * float(np.sqrt(of_pairs).mean())


def lines(repetitions: int) -> Iterator[str]:
    """Of the table in `pt_docs/judges.rst`."""
    for n in TOPICS:
        for agreement in AGREEMENTS:
            of_means, of_pairs, held, needed = gain(n, agreement, repetitions)
            yield f"{n}, {agreement:g}, {of_means:.2f}, {of_pairs:.2f}, {held:.3f}, {needed:.0f}"


if __name__ == "__main__":
    for line in lines(1000):
        print(line, flush=True)
