"""Many systems of one true mean: any false alarm among all pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np

from pt_rankcorr.stats import randomized_tukey_hsd, significant_agreement
from tests.calibration.populations import DISCRETE, INDEPENDENT, SIMULATED, Data, choose
from tests.calibration.studies import MEAN_LEVEL, Row, Study, level, rejected

RESAMPLES = 199
SYSTEMS = 10
ALIKE = "systems alike"
WAYS = {
    "alike": tuple(level("randomized_tukey_hsd", f"{family}, {ALIKE}") for family in ("all pairs", "one baseline")),
    "equal": tuple(
        level("randomized_tukey_hsd", f"{family}, equal means only") for family in ("all pairs", "one baseline")
    ),
}
AGREEMENT_TESTS = ("t", "wilcoxon", "tukey-hsd")
AGREEMENT = tuple(
    Row("significant_agreement", f"{test}, share of significant pairs that the truth reverses", MEAN_LEVEL, 0.05)
    for test in AGREEMENT_TESTS
)


def studies() -> Iterator[Study]:
    for data, n_topics in itertools.product((INDEPENDENT, SIMULATED, DISCRETE), (10, 50, 250)):
        # independent ones have one spread: systems of equal means are alike
        ways = {"equal": WAYS["alike"]} if data == INDEPENDENT else WAYS
        rows = tuple(itertools.chain.from_iterable(ways.values()))
        trial = partial(false_alarms, data, n_topics, list(ways))
        yield Study("families", str(data), (SYSTEMS, n_topics), rows, trial, 200 if n_topics > 50 else 500)
    for how, n_topics in itertools.product(("adjacent", "random"), (10, 50, 250)):
        trial = partial(reversed_pairs, how, n_topics)
        yield Study("families", f"{SIMULATED}, systems {how}", (SYSTEMS, n_topics), AGREEMENT, trial, 200)


def false_alarms(data: Data, n_topics: int, ways: list[str], rng: np.random.Generator) -> list[float]:
    scores = choose(data, SYSTEMS, "equal", rng).draw(n_topics, rng)
    found = []
    for way in ways:
        given = rng.permuted(scores, axis=1) if way == "alike" else scores
        for baselines in (None, [0]):
            test = randomized_tukey_hsd(given, baselines=baselines, n_resamples=RESAMPLES, rng=rng)
            found.append(rejected(test.pvalue))
    return found


def reversed_pairs(how: str, n_topics: int, rng: np.random.Generator) -> list[float]:
    """Nan where no pair is significant."""
    systems = choose(SIMULATED, SYSTEMS, how, rng)
    scores = systems.draw(n_topics, rng)
    return [
        1.0 - significant_agreement(scores, systems.means, test=test, n_resamples=RESAMPLES, rng=rng).statistic
        for test in AGREEMENT_TESTS
    ]
