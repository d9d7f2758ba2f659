"""Two noisy rankings: intervals of tau, the p-value of one ranking, and contests of judges, where these are hard."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from pt_rankcorr.stats.accuracy.correlation import Coefficients, CorrelationResult, correlation_errors
from pt_rankcorr.stats.accuracy.difference import contests
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.truth.two_rankings import TwoMeasures, pvalue_of_one_ranking
from tests.calibration.studies import Study, coverage, covered, level, rejected
from tests.calibration.two_rankings import Floats, Judge, real_judges, sample

DRAWS, REPETITIONS, OF_LEVELS = 400, 120, 1000
INTERVAL, ONE_RANKING = coverage("correlation_interval", "tau"), level("correlation_interval", "p of one ranking")
PAIR = (level("judges", "a pair of equals"),)
BEST = (coverage("judges", "the best is among those that may be"),)
KINDS = ("normal", "t3", "P@10", "near-empty", "bent")
ERRING = tuple(itertools.product(("high", "low"), ("single", "alike")))
SIZES = (  # what is not 20 runs on 25 topics
    (Judge(), (8, 25)),
    (Judge("high"), (8, 100)),
    (Judge(), (20, 10)),
    (Judge("high"), (20, 10)),
    (Judge(), (20, 100)),
    (Judge("high", "groups"), (20, 100)),
    (Judge("high", runs="adjacent"), (20, 100)),
    (Judge(), (60, 25)),
    (Judge("high", "alike"), (60, 50)),
    (Judge("high", "shared"), (60, 50)),
    (Judge("high", "shared"), (20, 50)),
    (Judge("low", "groups"), (60, 50)),
)
EQUALS = (
    ("perfect", (Judge(noise=0.5), Judge(noise=2.0))),
    ("perfect, nearly empty", (Judge(noise=0.5), Judge(scores="near-empty"))),
    ("high", (Judge("high", noise=0.5), Judge("high", noise=2.0))),
    ("high, alike", (Judge("high", "alike", noise=0.5), Judge("high", "alike", noise=2.0))),
)
CONTESTS = (
    ("a noisy perfect judge", (Judge(noise=2.0), *(Judge("high", noise=0.5),) * 3)),
    ("a noisy high judge", (Judge("high", noise=2.0), *(Judge("low", noise=0.5),) * 3)),
    ("a nearly empty perfect judge", (Judge(scores="near-empty"), *(Judge("high", noise=0.5),) * 3)),
    ("the best of six high judges", (Judge("high", noise=2.0), *(Judge("high", noise=0.5),) * 5)),
)


def studies() -> Iterator[Study]:
    for judge, size in judges():
        yield Study("two rankings", str(judge), size, (INTERVAL,), partial(one_judge, judge, size), REPETITIONS)
        if judge.truth == "1":
            yield Study("two rankings", str(judge), size, (ONE_RANKING,), partial(one_ranking, judge, size), OF_LEVELS)
    for (name, both), n_topics in itertools.product(EQUALS, (25, 50)):
        for family in (False, True):
            told = f"judges equally good, {name}{', one family' if family else ''}"
            trial = partial(equally_good, both, n_topics, family)
            yield Study("two rankings", told, (20, n_topics), PAIR, trial, REPETITIONS)
    for (name, several), n_topics in itertools.product(CONTESTS, (25, 50)):
        trial = partial(the_best, several, n_topics)
        yield Study("two rankings", f"{name} among worse ones", (20, n_topics), BEST, trial, REPETITIONS)
    people, *models = real_judges() or [None]
    for n_topics in (25, 43) if models else ():
        n_runs, told = real_judges()[str(people)].shape[1], f"DL 2019, the best of {len(models)} judges"
        trial = partial(the_best_real_one, str(people), n_topics)
        yield Study("two rankings", told, (n_runs, n_topics), BEST, trial, REPETITIONS // 2)
    for model, n_topics in itertools.product(models, (25, 43)):
        n_runs = real_judges()[model].shape[1]
        trial = partial(real_judge, str(people), model, n_topics)
        yield Study("two rankings", f"DL 2019, {model}", (n_runs, n_topics), (INTERVAL,), trial, REPETITIONS // 2)
        trial = partial(on_a_curve, str(people), model, n_topics)
        told = f"DL 2019, {model}, moved onto a rising curve"
        yield Study("two rankings", told, (n_runs, n_topics), (ONE_RANKING,), trial, OF_LEVELS)


def judges() -> Iterator[tuple[Judge, tuple[int, int]]]:
    for scores, runs, noise in itertools.product(KINDS, ("spread", "adjacent"), (1.0, 2.0)):
        yield Judge("1", "single", runs, noise, scores), (20, 25)
    for scores, (truth, errors) in itertools.product(KINDS, ERRING):
        yield Judge(truth, errors, "spread", 1.0, scores), (20, 25)
        yield Judge(truth, errors, "adjacent", 2.0, scores), (20, 50)
    yield from SIZES


def found(reference: Floats, judge: Floats, seed: int) -> CorrelationResult:
    tau = Coefficients((COEFFICIENTS["tau"],))
    return correlation_errors(reference, judge, tau, n_resamples=DRAWS, seed=seed)["tau"]


def one_ranking(judge: Judge, size: tuple[int, int], rng: np.random.Generator) -> list[float]:
    drawn = sample((judge,), *size, rng)
    return [rejected(pvalue_of_one_ranking(TwoMeasures(drawn.reference, drawn.judges[0])))]


def one_judge(judge: Judge, size: tuple[int, int], rng: np.random.Generator) -> list[float]:
    drawn = sample((judge,), *size, rng)
    result = found(drawn.reference, drawn.judges[0], int(rng.integers(2**32)))
    truth = float(COEFFICIENTS["tau"].kernel(drawn.means, drawn.means_by_judges[0]))
    return [covered(result.confidence_interval(), truth)]


def equally_good(both: tuple[Judge, ...], n_topics: int, family: bool, rng: np.random.Generator) -> list[float]:
    """Of one tau with the reference's true means; those of a family make the same errors."""
    drawn = sample(both, 20, n_topics, rng, equal=True, family=family)
    return [_any(drawn.reference, drawn.judges, rng)]


def _any(reference: Floats, estimates: tuple[Floats, ...], rng: np.random.Generator) -> float:
    if any(np.ptp(estimate.mean(axis=0)) == 0.0 for estimate in estimates):
        return math.nan
    tested = contests(reference, estimates, "tau", n_resamples=DRAWS, seed=int(rng.integers(2**32)))
    return rejected(float(tested.pvalues[0, 1]))


def the_best(several: tuple[Judge, ...], n_topics: int, rng: np.random.Generator) -> list[float]:
    drawn = sample(several, 20, n_topics, rng)
    if any(np.ptp(estimate.mean(axis=0)) == 0.0 for estimate in drawn.judges):
        return [math.nan]
    tested = contests(drawn.reference, drawn.judges, "tau", n_resamples=DRAWS, seed=int(rng.integers(2**32)))
    truths = [float(COEFFICIENTS["tau"].kernel(drawn.means, means)) for means in drawn.means_by_judges]
    return [float(tested.may_be_best()[int(np.argmax(truths))])]


def real_judge(people: str, model: str, n_topics: int, rng: np.random.Generator) -> list[float]:
    """Topics drawn with replacement from those that there are, over which the truth is known."""
    both = [real_judges()[name] for name in (people, model)]
    truth = float(COEFFICIENTS["tau"].kernel(*map(system_means, both)))
    topics = rng.integers(0, len(both[0]), n_topics)
    return [covered(found(both[0][topics], both[1][topics], int(rng.integers(2**32))).confidence_interval(), truth)]


def the_best_real_one(people: str, n_topics: int, rng: np.random.Generator) -> list[float]:
    """Whether the judge that is the best on all topics may be the best on some."""
    ours, others = real_judges()[people], [each for name, each in real_judges().items() if name != people]
    truths = [float(COEFFICIENTS["tau"].kernel(*map(system_means, (ours, each)))) for each in others]
    topics = rng.integers(0, len(ours), n_topics)
    how: dict[str, Any] = {"n_resamples": DRAWS, "seed": int(rng.integers(2**32))}
    tested = contests(ours[topics], [each[topics] for each in others], "tau", **how)
    return [float(tested.may_be_best()[int(np.argmax(truths))])]


def on_a_curve(people: str, model: str, n_topics: int, rng: np.random.Generator) -> list[float]:
    """The same, with the people on an exponential curve over the model, so that it does not err."""
    ours, theirs = (real_judges()[name] for name in (people, model))
    topics = rng.integers(0, len(ours), n_topics)
    moved = ours + (rising(theirs.mean(axis=0), ours.mean(axis=0)) - ours.mean(axis=0))
    return [rejected(pvalue_of_one_ranking(TwoMeasures(moved[topics], theirs[topics])))]


def rising(places: Floats, heights: Floats) -> Floats:
    """The exponential curve through points, by least squares."""
    z = (places - places.mean()) / places.std()

    def curve(at: Floats) -> Floats:
        return np.asarray(at[0] + np.exp(at[1]) * np.expm1(at[2] * z) / at[2])

    start = [heights.mean(), math.log(heights.std()), 0.1]
    return curve(least_squares(lambda at: curve(at) - heights, start).x)
