"""Figures of the models of the population that pages quote: on pairs of real measures, and on real judges.

    python -m tests.calibration.real_pairs level          # p (same true ranking): level and power
    python -m tests.calibration.real_pairs intervals      # of the population tau: held, width
    python -m tests.calibration.real_pairs seeds          # by how much other draws move their ends
    python -m tests.calibration.real_pairs bias           # p of `bias()`: level for random groups, power for a favour

Pairs are of measures of one TREC collection, and people with each judge of DL 2019. Topics are drawn with replacement.
`--constant` says what another value of a constant of the models would do, `--every 3` takes each third pair:

    python -m tests.calibration.real_pairs intervals --constant DEGREES_PER_SYSTEM=1 --every 3
"""

import argparse
import itertools
import math

import numpy as np

from pt_rankcorr.stats.accuracy.group_bias import LEAST_OVERLAP, overlaps, shifts_of
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.truth import constants
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings
from tests.calibration.parts.two_rankings import PEOPLE, real_judges, trec_collections

TOPICS, LEVEL, SYSTEMS = 50, 0.05, 30
DRAWS, SEEDS = 600, 12
FAVOUR = 0.5  # of a judge for a group, in standard deviations of its means


def pairs(every=1):
    """Number, name, and scores by both."""
    yield from itertools.islice(((number, *pair) for number, pair in enumerate(_pairs())), 0, None, every)


def _pairs():
    for collection, scores in trec_collections().items():
        for first, second in itertools.combinations(scores, 2):
            yield f"{collection}, {first} and {second}", scores[first], scores[second]
    people, *models = real_judges() or [None]
    for model in models:
        yield f"DL 2019, people and {model}", real_judges()[people or PEOPLE], real_judges()[model]


def choose(reference, how, rng):
    """Systems: "all" (up to 60), 20 at "random", or 20 "adjacent" ones in rank."""
    if how == "adjacent":
        first = rng.integers(0, reference.shape[1] - 20 + 1)
        return np.argsort(reference.mean(axis=0))[first : first + 20]
    return rng.permutation(reference.shape[1])[: 60 if how == "all" else 20]


def in_the_order_of(reference, estimate):
    """The estimate, its true means put in the order of the reference's: one ranking, on a curve that is not smooth."""
    theirs = estimate.mean(axis=0)
    means = np.empty_like(theirs)
    means[np.lexsort((theirs, reference.mean(axis=0)))] = np.sort(theirs)
    return estimate + (means - theirs)


def level(repetitions, every):
    """Of samples of pairs of one true ranking, and of pairs as they are: the shares that are rejected."""
    for number, name, *both in pairs(every):
        for reference, estimate in (both, both[::-1]):
            rng = np.random.default_rng([7, number])
            some = rng.permutation(reference.shape[1])[:SYSTEMS]
            reference, estimate = reference[:, some], estimate[:, some]
            moved, rejected = in_the_order_of(reference, estimate), []
            for _ in range(repetitions):
                topics = rng.integers(0, len(reference), TOPICS)
                sides = (TwoMeasures(reference[topics], other[topics]) for other in (moved, estimate))
                rejected.append([pvalue_of_one_ranking(side) <= LEVEL for side in sides])
            yield name, np.mean(rejected, axis=0)


def intervals(repetitions, every):
    """Of tau and tau_AP: held, width, error of the median, error of the plain coefficient."""
    for number, name, *both in pairs(every):
        for how in ("all", "random", "adjacent"):
            rng, figures = np.random.default_rng([11, number, len(how)]), []
            some = choose(both[0], how, rng)
            scores = [side[:, some] for side in both]
            for _ in range(repetitions):
                topics = rng.integers(0, len(scores[0]), TOPICS)
                sample = [side[topics] for side in scores]
                drawn = draw_two_rankings(*sample, DRAWS, int(rng.integers(2**32)))
                figures.append([])
                for kernel in (COEFFICIENTS[of].kernel for of in ("tau", "tau_ap")):
                    truth, plain = (float(kernel(*map(system_means, sides))) for sides in (scores, sample))
                    low, middle, high = np.quantile(kernel(*drawn), (0.025, 0.5, 0.975))
                    figures[-1] += [low <= truth <= high, high - low, abs(middle - truth), abs(plain - truth)]
            yield f"{name}, {how}", np.mean(figures, axis=0)


def seeds(repetitions, every, n_draws=10_000):
    """By how much low, median and high differ over seeds, rounded to two decimals; of some samples of topics."""
    for number, name, *both in pairs(every):
        for size in (10, 20, 40):
            rng = np.random.default_rng([number, size])
            some, topics = rng.permutation(both[0].shape[1])[:size], rng.integers(0, len(both[0]), TOPICS)
            sample = [side[topics][:, some] for side in both]
            drawn = (draw_two_rankings(*sample, n_draws, seed) for seed in range(min(SEEDS, repetitions)))
            taus = (COEFFICIENTS["tau"].kernel(*each) for each in drawn)
            ends = np.round([np.quantile(tau, (0.025, 0.5, 0.975)) for tau in taus], 2)
            yield f"{name}, {size} systems", np.ptp(ends, axis=0) <= 0.0101


def bias(repetitions, every):
    """Of random groups of a third of the runs: rejected as they are, and with a favour for the group."""
    for number, name, reference, judge in pairs(every):
        rng, figures = np.random.default_rng([13, number]), []
        for _ in range(repetitions):
            some = rng.permutation(reference.shape[1])[:SYSTEMS]
            topics, inside = rng.integers(0, len(reference), TOPICS), np.arange(some.size) < some.size // 3
            ours, theirs = reference[topics][:, some], judge[topics][:, some]
            if overlaps(ours, inside[np.newaxis])[0] < LEAST_OVERLAP:
                figures.append([math.nan, math.nan])
                continue
            favoured = theirs + FAVOUR * theirs.mean(axis=0).std() * inside
            shifts = (shifts_of(ours, each, inside[np.newaxis]) for each in (theirs, favoured))
            figures.append([each.pvalue(0) <= LEVEL for each in shifts])
        yield name, np.nanmean(figures, axis=0)


STUDIES = {"level": (level, 60), "intervals": (intervals, 20), "seeds": (seeds, SEEDS), "bias": (bias, 60)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--constant", action="append", default=[])
    options = parser.parse_args()
    for constant in options.constant:
        name, value = constant.split("=")
        setattr(constants, name, type(getattr(constants, name))(value))
    study, repetitions = STUDIES[options.study]
    rows = []
    for name, figures in study(options.repetitions or repetitions, options.every):
        rows.append(figures)
        print(f"{name}:", *(f"{figure:.3f}" for figure in figures), flush=True)
    print(f"{len(rows)} cells, mean:", *(f"{figure:.3f}" for figure in np.mean(rows, axis=0)))
    print("least:", *(f"{figure:.3f}" for figure in np.min(rows, axis=0)))
    print("most:", *(f"{figure:.3f}" for figure in np.max(rows, axis=0)))


if __name__ == "__main__":
    main()
