"""What topic sets contradict: swap rates and stability, against fresh sets of topics."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from pt_rankcorr.stats.significance.swap import stability, swap_rates
from tests.calibration.populations import DISCRETE, SIMULATED, Data, choose
from tests.calibration.studies import MEAN_LEVEL, Row, Study, bias

RESAMPLES = 400
FUZZINESS = 0.05
ROWS = (
    bias("swap_rates", "share of swaps, less that between fresh topics"),
    bias("swap_rates", "sensitivity, less that of fresh topics"),
    Row("swap_rates", "beyond required_difference, share that fresh topics swap", MEAN_LEVEL, 0.05),
    bias("stability", "minority_rate, less how often fresh topics are wrong"),
    bias("stability", "proportion_of_ties, less that of fresh topics"),
)


def studies() -> Iterator[Study]:
    populations = ((SIMULATED, "random"), (SIMULATED, "adjacent"), (DISCRETE, "random"))
    for (data, how), n_topics in itertools.product(populations, (10, 50, 250)):
        trial = partial(against_fresh_topics, data, how, n_topics)
        yield Study("sensitivity", f"{data}, systems {how}", (20, n_topics), ROWS, trial, 160)


def against_fresh_topics(data: Data, how: str, n_topics: int, rng: np.random.Generator) -> list[float]:
    systems = choose(data, 20, how, rng)
    scores, once, again = (systems.draw(n_topics, rng) for _ in range(3))
    swaps = swap_rates(scores, n_resamples=RESAMPLES, rng=rng)
    fuzzy = stability(scores, fuzziness=FUZZINESS, n_resamples=RESAMPLES, rng=rng)
    first, second = (differences(sample.mean(axis=0)) for sample in (once, again))
    large = np.abs(first) >= swaps.required_difference
    wrong, tied = wrong_and_tied(systems.means, once.mean(axis=0))
    return [
        float(swaps.swaps.sum() / swaps.counts.sum() - (first * second < 0).mean()),
        float(swaps.sensitivity - large.mean()),
        float((first * second < 0)[large].mean()) if large.any() else math.nan,
        float(fuzzy.minority_rate[0] - wrong),
        float(fuzzy.proportion_of_ties[0] - tied),
    ]


def differences(means: np.ndarray) -> np.ndarray:
    """Of all pairs of systems."""
    first, second = np.triu_indices(len(means), 1)
    return means[first] - means[second]


def wrong_and_tied(truth: np.ndarray, means: np.ndarray) -> tuple[float, float]:
    """How often a sample puts the truly worse system ahead by more than a margin, and how often neither is."""
    first, second = np.triu_indices(len(means), 1)
    gaps = differences(means)
    ties = np.abs(gaps) < FUZZINESS * np.maximum(np.abs(means[first]), np.abs(means[second]))
    return float((~ties & (gaps * differences(truth) < 0)).mean()), float(ties.mean())
