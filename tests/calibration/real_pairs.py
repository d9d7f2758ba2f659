"""Figures of real measures and judges that pages quote, and no table has.

    python -m tests.calibration.real_pairs seeds       # what is printed of one true ranking, with other draws
    python -m tests.calibration.real_pairs left_out    # its p, with each system left out
    python -m tests.calibration.real_pairs bias        # p of `bias()`: level for random groups, power for a favour
    python -m tests.calibration.real_pairs alarms      # tests of all pairs: any false alarm, and what they find

Pairs are of measures of one TREC collection, and people with each judge of DL 2019. `--only people` takes the pairs
whose names hold this. `alarms` is of single measures.
"""

import argparse
import itertools
import math
import warnings

import numpy as np

from pt_rankcorr import correlation_interval, discriminative_power
from pt_rankcorr.stats.accuracy.group_bias import LEAST_OVERLAP, overlaps, shifts_of
from tests.calibration.populations import PEOPLE, real_judges, trec_collections

TOPICS, LEVEL, SYSTEMS = 50, 0.05, 30
SEEDS = 12
FAVOUR = 0.5  # of a judge for a group, in standard deviations of its means
CLOSE, COPIES, APART = 20, 0.9, 0.02  # runs of one mean; their scores correlate by less; a difference to be found
OF_PAIRS = ({"test": "tukey-hsd"}, {"test": "max-t"}, {"test": "t", "correction": "holm"})


def pairs(only):
    """Number, name, and scores by both."""
    return ((number, *pair) for number, pair in enumerate(_pairs()) if only in pair[0])


def _pairs():
    for collection, scores in trec_collections().items():
        for first, second in itertools.combinations(scores, 2):
            yield f"{collection}, {first} and {second}", scores[first], scores[second]
    for model in [*real_judges()][1:]:
        yield f"DL 2019, people and {model}", real_judges()[PEOPLE], real_judges()[model]


def seeds(repetitions, only):
    """The ranges over seeds of what is printed: tau of one true ranking, its ends, and p."""
    for _, name, *both in pairs(only):
        printed = []
        for seed in range(min(SEEDS, repetitions)):
            null = correlation_interval(*both, rng=seed).one_true_ranking
            printed.append([round(value, 2) for value in (null.mean, null.low, null.high)] + [null.pvalue])
        yield name, np.ptp(printed, axis=0)


def left_out(repetitions, only):
    """tau, tau of one true ranking, p; and over systems left out, the lowest and highest p."""
    for _, name, *both in pairs(only):
        found, values = correlation_interval(*both, rng=0), []
        for system in range(min(both[0].shape[1], repetitions)):
            values.append(correlation_interval(*(np.delete(side, system, axis=1) for side in both), rng=0).pvalue)
        null = found.one_true_ranking
        yield name, np.array([found.statistic, null.mean, null.low, null.high, null.pvalue, min(values), max(values)])


def bias(repetitions, only):
    """Of random groups of a third of the runs: rejected as they are, and with a favour for the group."""
    for number, name, reference, judge in pairs(only):
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


def alarms(repetitions, only):
    """Tukey's test, max-t, Holm's, and max-t without fragile pairs: levels in three sets of runs of one mean; found.

    The sets: 10 and 20 runs that are nearest in mean, no two of them near copies, and 20 runs by chance. Found are
    pairs of 30 runs as they are whose means differ by more than .02; the last figure is of these and fragile ones.
    """
    for collection, scores in trec_collections().items():
        for measure, matrix in scores.items():
            name, rng = f"{collection}, {measure}", np.random.default_rng(21)
            if only not in name:
                continue
            matrix = np.unique(matrix, axis=1)
            matrix = matrix[:, matrix.mean(axis=0) > 0.0]
            for n_topics in (25, TOPICS):
                figures = []
                for _ in range(repetitions):
                    topics = rng.integers(0, len(matrix), n_topics)
                    by_chance = matrix[:, rng.permutation(matrix.shape[1])]
                    sets = nearest(matrix, CLOSE // 2, rng), nearest(matrix, CLOSE, rng), by_chance[:, :CLOSE]
                    of_sets = [any_pair(runs - runs.mean(axis=0), topics) for runs in sets]
                    figures.append(np.concatenate([*of_sets, found(by_chance[:, :SYSTEMS], topics)]))
                yield f"{name}, {n_topics} topics", np.nanmean(figures, axis=0)


def nearest(matrix, size, rng):
    """Runs nearest in mean to one by chance that is not among the worst quarter, none near copies of each other."""
    means, correlations, chosen = matrix.mean(axis=0), np.corrcoef(matrix.T), []
    one = rng.choice(np.flatnonzero(means >= np.quantile(means, 0.25)))
    for run in np.argsort(np.abs(means - means[one])):
        if len(chosen) < size and (correlations[run, chosen] < COPIES).all():
            chosen.append(run)
    return matrix[:, chosen]


def tested(runs, topics):
    results = [discriminative_power(runs[topics], n_resamples=199, rng=1, **how) for how in OF_PAIRS]
    return [result.significant for result in results] + [results[1].significant & ~results[1].fragile]


def any_pair(runs, topics):
    return [float(significant.any()) for significant in tested(runs, topics)]


def found(runs, topics):
    means = runs.mean(axis=0)
    differ = np.abs(means[:, np.newaxis] - means) > APART
    return [significant[differ].mean() for significant in tested(runs, topics)]


STUDIES = {"seeds": (seeds, SEEDS), "left_out": (left_out, 200), "bias": (bias, 60), "alarms": (alarms, 300)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    study, repetitions = STUDIES[options.study]
    rows = []
    warnings.simplefilter("ignore")
    for name, figures in study(options.repetitions or repetitions, options.only):
        rows.append(figures)
        print(f"{name}:", *(f"{figure:.3f}" for figure in figures), flush=True)
    print(f"{len(rows)} pairs, mean:", *(f"{figure:.3f}" for figure in np.nanmean(rows, axis=0)))
    print("least:", *(f"{figure:.3f}" for figure in np.nanmin(rows, axis=0)))
    print("most:", *(f"{figure:.3f}" for figure in np.nanmax(rows, axis=0)))


if __name__ == "__main__":
    main()
