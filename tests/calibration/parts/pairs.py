"""Two systems of one true mean: every test of a difference, its interval, and the difference it requires."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from pt_rankcorr import discriminative_power
from pt_rankcorr.stats import geometric_mean, paired_bootstrap_test, unpaired_bootstrap_test
from tests.calibration.populations import ALL, DISCRETE, SIMULATED, Data, choose, choose_pair
from tests.calibration.studies import Study, coverage, covered, level, rejected

RESAMPLES = 199  # (b + 1) / 200 can be .05
OF_POWER = 200  # of discriminative power: 10 / 201
TESTS = ("t", "wilcoxon", "paired-bootstrap", "unpaired-bootstrap")
WITH_DIFFERENCE = ("t", "paired-bootstrap", "unpaired-bootstrap")
STATISTICS = {"mean": np.mean, "median": np.median, "geometric mean": geometric_mean}
WIDER, FEWER = 3.0, 2  # the spread of one system of unlike ones, and by how much its topics are fewer

SAME_TOPICS = (
    level("paired_bootstrap_test"),
    coverage("paired_bootstrap_test", "interval"),
    *(level("discriminative_power", f"{test}, same topics") for test in TESTS),
    *(level("discriminative_power", f"{test}, difference beyond the required one") for test in WITH_DIFFERENCE),
)


def studies() -> Iterator[Study]:
    for data, n_topics in itertools.product(ALL, (10, 50, 250)):
        same = partial(on_the_same_topics, data, n_topics)
        yield Study("pairs", str(data), (2, n_topics), SAME_TOPICS, same, 1000)
        statistics = list(STATISTICS) if data in (SIMULATED, DISCRETE) else ["mean", "median"]
        rows = (
            *(level("unpaired_bootstrap_test", f"{name}, other topics") for name in statistics),
            level("unpaired_bootstrap_test", "mean, other topics, half as many and three times the spread"),
        )
        other = partial(on_other_topics, data, n_topics, statistics)
        yield Study("unpaired", str(data), (2, n_topics), rows, other, 1000)


def on_the_same_topics(data: Data, n_topics: int, rng: np.random.Generator) -> list[float]:
    pair = choose_pair(data, rng)
    scores, again = pair.draw(n_topics, rng), pair.draw(n_topics, rng)
    x, y = scores.T
    paired = paired_bootstrap_test(x, y, n_resamples=RESAMPLES, rng=rng)
    power = {test: discriminative_power(scores, test=test, n_resamples=OF_POWER, rng=rng) for test in TESTS}
    difference = abs(float(np.diff(again.mean(axis=0))[0]))
    return [
        rejected(paired.pvalue),
        covered(paired.confidence_interval(), float(pair.means[0] - pair.means[1])),
        *(power[test].statistic for test in TESTS),
        *(float(difference >= power[test].required_difference) for test in WITH_DIFFERENCE),
    ]


def on_other_topics(data: Data, n_topics: int, statistics: list[str], rng: np.random.Generator) -> list[float]:
    """One system twice; then scores of one mean that differ in spread, the fewer ones wider."""
    system = choose(data, 1, "random", rng)
    x, y = (system.draw(n_topics, rng)[:, 0] for _ in range(2))
    wide = system.means[0] + WIDER * (y[: n_topics // FEWER] - system.means[0])
    cases = [*((x, y, STATISTICS[name]) for name in statistics), (x, wide, np.mean)]
    return [
        rejected(unpaired_bootstrap_test(one, two, statistic=statistic, n_resamples=RESAMPLES, rng=rng).pvalue)
        for one, two, statistic in cases
    ]
