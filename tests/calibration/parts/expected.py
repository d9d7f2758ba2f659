"""The correlation with the true ranking: each published estimator, the interval, the curve and the topics needed."""

import itertools
from functools import partial

import numpy as np

from pt_rankcorr.stats.expected.expected_correlation import HALVES, expected_correlation
from tests.calibration.populations import CORRELATED, DISCRETE, SIMULATED, choose
from tests.calibration.studies import Study, bias, coverage, covered
from tests.stats.oracles import COEFFICIENTS

RESAMPLES = 400
SYSTEMS = 20
WANTED = ("tau", "tau_ap", "tau_gap")
CHEAP = tuple(itertools.product(("msqd", "ml", "resampling"), WANTED))
COSTLY = (*itertools.product(("kde",), WANTED), *itertools.product(HALVES, ("tau",)))
INTERVALS = tuple(coverage("expected_correlation", f"interval, {coefficient}") for coefficient in WANTED)
OTHER_SIZES, TARGET, MOST = (20, 100), 0.9, 2000
CURVE_ROWS = (
    *(bias("expected_correlation", f"curve at {number}, msqd, tau, less the actual") for number in OTHER_SIZES),
    coverage("expected_correlation", "interval, tau, n_topics=100"),
    bias("expected_correlation", f"topics_needed({TARGET}), msqd: actual tau with so many", TARGET),
)
NEEDED = tuple(coverage("expected_correlation", f"topics_needed({TARGET}), interval, {name}") for name in WANTED)


def studies():
    for data, n_topics in itertools.product((CORRELATED, SIMULATED, DISCRETE), (10, 50, 250)):
        for wanted, intervals, repetitions in ((CHEAP, INTERVALS, 400), (COSTLY, (), 60)):
            rows = (*(_bias(*estimate) for estimate in wanted), *intervals)
            trial = partial(estimates, data, n_topics, wanted, bool(intervals))
            yield Study("expected correlation", str(data), (SYSTEMS, n_topics), rows, trial, repetitions)
    for data in (CORRELATED, SIMULATED, DISCRETE):
        yield Study("other numbers of topics", str(data), (SYSTEMS, 50), CURVE_ROWS, partial(foretold, data), 300)
    for data, how, n_topics in itertools.product((CORRELATED, SIMULATED), ("random", "adjacent"), (25, 50)):
        trial = partial(needed, data, how, n_topics)
        yield Study("other numbers of topics", f"{data}, systems {how}", (SYSTEMS, n_topics), NEEDED, trial, 100)


def _bias(estimator, coefficient):
    return bias("expected_correlation", f"{estimator}, {coefficient}, less the actual")


def estimates(data, n_topics, wanted, intervals, rng):
    """By some estimators, less the actual correlation; then whether the intervals hold it."""
    systems = choose(data, SYSTEMS, "random", rng)
    scores = systems.draw(n_topics, rng)
    actual = {name: float(COEFFICIENTS[name].kernel(systems.means, scores.mean(axis=0))) for name in WANTED}
    results = {
        estimator: expected_correlation(scores, coefficient="tau", estimator=estimator, n_resamples=RESAMPLES, rng=rng)
        for estimator in dict.fromkeys(estimator for estimator, _ in wanted)
    }
    found = [results[estimator].with_coefficient(name).value - actual[name] for estimator, name in wanted]
    if intervals:
        of_each = {name: results["msqd"].with_coefficient(name).confidence_interval() for name in WANTED}
        found += [covered(of_each[name], actual[name]) for name in WANTED]
    return found


def foretold(data, rng):
    """From 50 topics, for others of which there are more or fewer."""
    systems = choose(data, SYSTEMS, "random", rng)
    settings = {"coefficient": "tau", "estimator": "msqd", "n_resamples": RESAMPLES, "rng": rng}
    expected = expected_correlation(systems.draw(50, rng), **settings)
    few, many = (actual_tau(systems, number, rng) for number in OTHER_SIZES)
    number = int(min(expected.topics_needed(TARGET), MOST))
    return [
        expected.curve(OTHER_SIZES[0]) - few,
        expected.curve(OTHER_SIZES[1]) - many,
        covered(expected.confidence_interval(n_topics=OTHER_SIZES[1]), many),
        actual_tau(systems, number, rng),
    ]


def actual_tau(systems, n_topics, rng):
    """Between the true ranking and that of new topics."""
    return float(COEFFICIENTS["tau"].kernel(systems.means, systems.draw(n_topics, rng).mean(axis=0)))


def needed(data, how, n_topics, rng):
    """Whether intervals of topics hold what the true means need."""
    systems = choose(data, SYSTEMS, how, rng)
    found = expected_correlation(systems.draw(n_topics, rng), coefficient="tau", n_resamples=RESAMPLES, rng=rng)
    many = systems.draw(1000, rng)
    noise = rng.standard_normal((400, 1000)) @ (many - many.mean(axis=0)) / 1000**0.5
    return [
        covered(
            found.with_coefficient(name).topics_needed(TARGET).confidence_interval(),
            truly_needed(COEFFICIENTS[name].kernel, systems.means, noise),
        )
        for name in WANTED
    ]


def truly_needed(kernel, truth, noise):
    """By halving, with the noise of single topics."""
    low, high = 0.0, 20.0
    for _ in range(14):
        middle = (low + high) / 2
        reached = kernel(np.broadcast_to(truth, noise.shape), truth + noise / 2 ** (middle / 2)).mean() >= TARGET
        low, high = (low, middle) if reached else (middle, high)
    return float(2**high)
