"""Speed of the bootstrap over all pairs of 129 systems on 50 topics: python -m tests.benchmarks.sensitivity"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np

from pt_rankcorr.stats.sensitivity import discriminative_power
from pt_rankcorr.stats.stability import stability
from pt_rankcorr.stats.swap import swap_rates
from pt_rankcorr.stats.tukey import randomized_tukey_hsd
from tests.benchmarks.timing import ratio, seconds, timed

N_TOPICS, N_SYSTEMS, B = 50, 129, 1000


def scores_of(n_topics: int, n_systems: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.random((n_topics, n_systems)) + rng.random(n_systems) * 0.3


def pair_by_pair(scores: np.ndarray) -> list[float]:
    """The paired test as a loop over pairs that is vectorised over resamples."""
    n_topics, n_systems = scores.shape
    samples = np.random.default_rng(0).integers(0, n_topics, (B, n_topics))
    asl = []
    for i in range(n_systems):
        for j in range(i + 1, n_systems):
            z = scores[:, i] - scores[:, j]
            w = (z - z.mean())[samples]
            t = w.mean(axis=1) / w.std(axis=1, ddof=1)
            asl.append(float((np.abs(t) >= abs(z.mean() / z.std(ddof=1))).mean()))
    return asl


def peak_of(action: Callable[[], object]) -> float:
    """The most memory that numpy held at once, in MiB."""
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


if __name__ == "__main__":
    scores = scores_of(N_TOPICS, N_SYSTEMS)
    print(
        ratio(
            "paired bootstrap over all pairs, with required difference, against a loop",
            lambda: discriminative_power(scores, n_resamples=B, rng=1),
            lambda: pair_by_pair(scores),
            pairs=3,
        )
    )
    actions: dict[str, Callable[[], object]] = {
        "discriminative_power, paired": lambda: discriminative_power(scores, rng=1),
        "discriminative_power, unpaired": lambda: discriminative_power(scores, test="unpaired-bootstrap", rng=1),
        "stability": lambda: stability(scores, rng=1),
        "swap_rates": lambda: swap_rates(scores, rng=1),
        "randomized_tukey_hsd, B = 10 000": lambda: randomized_tukey_hsd(scores, n_resamples=10_000, rng=1, n_jobs=1),
        "discriminative_power, paired, B = 10 000": lambda: discriminative_power(scores, n_resamples=10_000, rng=1),
    }
    for name, action in actions.items():
        print(f"{name:<45} {seconds(timed(action))}, {peak_of(action):6.1f} MiB at most")
