"""Agreement at the topics at hand, as plain loops over resamples: definitions of standard errors and of pairs."""

import math
import statistics

import numpy as np
from scipy.stats import norm
from scipy.stats import t as students_t

from pt_rankcorr.stats.core.resampling import block_size, generator


def resamples(n_topics, n_resamples, seed, sample=0, cells=100):
    """Indices of topics in resamples, and in two resamples of each: shape (3, B, n_topics), as the package draws."""
    size, blocks = block_size(cells), []
    for block in generator(seed).spawn(math.ceil(n_resamples / size)):
        parent = block.bit_generator.seed_seq
        key = (*parent.spawn_key, sample)
        rng = np.random.default_rng(np.random.SeedSequence(parent.entropy, spawn_key=key))
        first, second, third = (rng.integers(0, n_topics, size=(size, n_topics)) for _ in range(3))
        again = [np.array([row[places] for row, places in zip(first, drawn, strict=True)]) for drawn in (second, third)]
        blocks.append(np.stack([first, *again]))
    return np.concatenate(blocks, axis=1)[:, :n_resamples]


def means(scores, topics):
    """Of systems over these topics, to twelve digits, so that sums of floats break no ties."""
    return [float(f"{statistics.fmean(row):.11e}") for row in np.asarray(scores)[topics].T.tolist()]


def replicates(coefficient, reference, estimate, n_resamples, seed, sample=0):
    """A coefficient in each resample, and in two resamples of each: shape (3, B)."""
    drawn = resamples(len(reference), n_resamples, seed)
    other = drawn if sample == 0 else resamples(len(estimate), n_resamples, seed, sample)
    return np.array(
        [
            [coefficient(means(reference, one), means(estimate, two)) for one, two in zip(*both, strict=True)]
            for both in zip(drawn, other, strict=True)
        ]
    )


def standard_error(drawn, n_topics):
    """Of one statistic over samples of as many topics, from its replicates, shape (3, B)."""
    resamples = list(zip(*np.asarray(drawn).tolist(), strict=True))
    defined = [first for first, _, _ in resamples if not math.isnan(first)]
    kept = [values for values in resamples if not any(map(math.isnan, values))]
    if len(defined) < 2:
        return math.nan
    spread, ratio = statistics.stdev(defined), 1.0
    if len(kept) > 1:
        again = math.sqrt(statistics.fmean((second - third) ** 2 for _, second, third in kept) / 2)
        ratio = statistics.stdev(first for first, _, _ in kept) / again if again > 0 else 1.0
    return spread * min(max(ratio, 0.8), 1.5) * math.sqrt(n_topics / (n_topics - 1))


def students_p(difference, error, freedom):
    if difference == 0:
        return 1.0
    return 2 * students_t.sf(abs(difference) / error, freedom) if error > 0 else math.nan


def pairs(values, drawn, quantiles_of, n_topics, freedom, alpha):
    """Of several estimates: errors and p-values of pairs, p-values of all, and which may be the best.

    Args are coefficients, shape (k,); replicates, (3, B, k); and resamples that decide, (R, k).
    """
    k = len(values)
    every = range(k)
    error = [[0.0] * k for _ in every]
    p = [[1.0] * k for _ in every]
    for one in every:
        for other in every:
            if one != other:
                error[one][other] = standard_error(drawn[..., one] - drawn[..., other], n_topics)
                p[one][other] = students_p(values[one] - values[other], error[one][other], freedom)
    factor = math.sqrt(n_topics / (n_topics - 1)) * students_t.ppf(1 - alpha / 2, freedom) / norm.ppf(1 - alpha / 2)
    centred = quantiles_of - quantiles_of.mean(axis=0)

    def studentised(difference, error):
        if error > 1e-12:
            return difference / error
        return 0.0 if abs(difference) < 1e-12 else math.copysign(math.inf, difference)

    largest, best = [], []
    for row in centred:
        largest.append(
            max(abs(studentised(row[i] - row[j], error[i][j])) for i in every for j in every if i != j) * factor
        )
    for one in every:
        others = [other for other in every if other != one]
        most = [max(0.0, *(studentised(row[j] - row[one], error[j][one]) for j in others)) for row in centred]
        bound = np.quantile(most, 1 - alpha) * factor
        best.append(max(studentised(values[j] - values[one], error[j][one]) for j in others) <= bound)
    corrected = np.ones((k, k))
    for one in every:
        for other in every:
            if one != other:
                gap = abs(studentised(values[one] - values[other], error[one][other]))
                beyond = sum(each >= gap * (1 - 1e-9) for each in largest)
                alone = 1.0 if math.isnan(p[one][other]) else p[one][other]
                corrected[one, other] = max((beyond + 1) / (len(largest) + 1), alone)
    return np.array(error), np.array(p), corrected, best
