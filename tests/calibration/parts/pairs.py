"""Systems of one true mean: of two every test of a difference, and of many any false alarm among all pairs."""

import itertools
import warnings
from functools import partial

import numpy as np

from pt_rankcorr import discriminative_power
from pt_rankcorr.stats import (
    paired_bootstrap_test,
    randomized_tukey_hsd,
    significant_agreement,
    unpaired_bootstrap_test,
)
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.calibration.populations import ALL, DISCRETE, INDEPENDENT, SIMULATED, choose, choose_pair
from tests.calibration.studies import MEAN_LEVEL, Row, Study, coverage, covered, level, rejected

RESAMPLES = 199  # (b + 1) / 200 can be .05
OF_POWER = 200  # of discriminative power: 10 / 201
TESTS = ("t", "wilcoxon", "paired-bootstrap", "unpaired-bootstrap")
WITH_DIFFERENCE = ("t", "paired-bootstrap", "unpaired-bootstrap")
SCALES = {
    "mean": np.asarray,
    "geometric mean": lambda scores: np.log(scores + 1e-5),
}  # geometric means are tested by logs
WIDER, FEWER = 3.0, 2  # the spread of one system of unlike ones, and by how much its topics are fewer

SAME_TOPICS = (
    level("paired_bootstrap_test"),
    coverage("paired_bootstrap_test", "interval"),
    *(level("discriminative_power", f"{test}, same topics") for test in TESTS),
    *(level("discriminative_power", f"{test}, difference beyond the required one") for test in WITH_DIFFERENCE),
)


def studies():
    for data, n_topics in itertools.product(ALL, (10, 50, 250)):
        same = partial(on_the_same_topics, data, n_topics)
        yield Study("pairs", str(data), (2, n_topics), SAME_TOPICS, same, 1000)
        scales = list(SCALES) if data in (SIMULATED, DISCRETE) else ["mean"]
        rows = (
            *(level("unpaired_bootstrap_test", f"{name}, other topics") for name in scales),
            level("unpaired_bootstrap_test", "mean, other topics, half as many and three times the spread"),
        )
        other = partial(on_other_topics, data, n_topics, scales)
        yield Study("unpaired", str(data), (2, n_topics), rows, other, 1000)


def on_the_same_topics(data, n_topics, rng):
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


def on_other_topics(data, n_topics, scales, rng):
    """One system twice; then scores of one mean that differ in spread, the fewer ones wider."""
    system = choose(data, 1, "random", rng)
    x, y = (system.draw(n_topics, rng)[:, 0] for _ in range(2))
    wide = system.means[0] + WIDER * (y[: n_topics // FEWER] - system.means[0])
    cases = [*((SCALES[name](x), SCALES[name](y)) for name in scales), (x, wide)]
    return [rejected(unpaired_bootstrap_test(one, two, n_resamples=RESAMPLES, rng=rng).pvalue) for one, two in cases]


# --- many systems --------------------------------------------------------------------------------------------

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


def families():
    for data, n_topics in itertools.product((INDEPENDENT, SIMULATED, DISCRETE), (10, 50, 250)):
        # independent ones have one spread: systems of equal means are alike
        ways = {"equal": WAYS["alike"]} if data == INDEPENDENT else WAYS
        rows = tuple(itertools.chain.from_iterable(ways.values()))
        trial = partial(false_alarms, data, n_topics, list(ways))
        yield Study("families", str(data), (SYSTEMS, n_topics), rows, trial, 200 if n_topics > 50 else 500)
    for how, n_topics in itertools.product(("adjacent", "random"), (10, 50, 250)):
        trial = partial(reversed_pairs, how, n_topics)
        yield Study("families", f"{SIMULATED}, systems {how}", (SYSTEMS, n_topics), AGREEMENT, trial, 200)


def false_alarms(data, n_topics, ways, rng):
    scores = choose(data, SYSTEMS, "equal", rng).draw(n_topics, rng)
    found = []
    for way in ways:
        given = rng.permuted(scores, axis=1) if way == "alike" else scores
        for baselines in (None, [0]):
            test = randomized_tukey_hsd(given, baselines=baselines, n_resamples=RESAMPLES, rng=rng)
            found.append(rejected(test.pvalue))
    return found


def reversed_pairs(how, n_topics, rng):
    """Nan where no pair is significant."""
    systems = choose(SIMULATED, SYSTEMS, how, rng)
    scores = systems.draw(n_topics, rng)
    return [
        1.0 - significant_agreement(scores, systems.means, test=test, n_resamples=RESAMPLES, rng=rng).statistic
        for test in AGREEMENT_TESTS
    ]


# --- systems of one true mean whose spreads differ --------------------------------------------------------------

OF_ALL_PAIRS = tuple(level("discriminative_power", f"{test}, any false alarm") for test in ("max-t", "tukey-hsd"))
SPREADS = {
    "variants of one system beside another": lambda rng, n: variants(rng, n),
    "half the systems with six times the spread": lambda rng, n: rng.normal(size=(n, 20)) * np.repeat([6.0, 1.0], 10),
    "one spread": lambda rng, n: rng.normal(size=(n, 1)) + rng.normal(size=(n, 20)),
    "skewed": lambda rng, n: rng.gamma(0.5, 2.0, (n, 20)),
}


def spreads():
    for (data, draw), n_topics in itertools.product(SPREADS.items(), (10, 50)):
        yield Study("spreads", data, (20, n_topics), OF_ALL_PAIRS, partial(any_false_alarm, draw, n_topics), 500)


def variants(rng, n_topics):
    one, other = rng.normal(0.3, 0.2, (2, n_topics, 1))
    return np.hstack([one, other + rng.normal(0.0, 0.015, (n_topics, 19))])


def any_false_alarm(draw, n_topics, rng):
    scores = draw(rng, n_topics)
    how = {"n_resamples": RESAMPLES, "rng": rng}
    with warnings.catch_warnings(category=UnreliableResultWarning, action="ignore"):
        tested = [discriminative_power(scores, test=test, **how) for test in ("max-t", "tukey-hsd")]
    return [float(result.n_significant > 0) for result in tested]
