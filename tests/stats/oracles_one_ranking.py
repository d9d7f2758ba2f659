"""One true ranking, as plain loops over systems, places and resamples: what fits and replicates are."""

import math
import statistics

import numpy as np
from scipy.stats import norm

from pt_rankcorr.stats.core.resampling import block_size, generator
from tests.stats.oracles_agreement import resamples


def in_units_of_noise(scores):
    """Of systems: means less their mean, errors of topics, and the noise that is the unit of both."""
    n_topics, n_systems = len(scores), len(scores[0])
    means = [statistics.fmean(column) for column in zip(*scores, strict=True)]
    errors = []
    for row in scores:
        apart = [score - mean for score, mean in zip(row, means, strict=True)]
        errors.append([each - statistics.fmean(apart) for each in apart])
    squares = sum(each**2 for row in errors for each in row)
    noise = math.sqrt(squares / (n_topics * (n_topics - 1) * n_systems))
    centre = statistics.fmean(means)
    return [(mean - centre) / noise for mean in means], np.array(errors) / noise, noise


def posterior(means):
    """Places, and how probable each is for each system: one step of expectation and maximisation from a normal."""
    places = sorted({round((mean + step / 2) / 0.05) for mean in means for step in range(-6, 7)})
    places = [place * 0.05 for place in places]
    k = len(places)
    widths = [(places[min(i + 1, k - 1)] - places[max(i - 1, 0)]) / (2 if 0 < i < k - 1 else 1) for i in range(k)]
    variance = max(statistics.variance(means) - 1, 0.02**2)

    def bayes(prior):
        rows = []
        for mean in means:
            joint = [math.exp(-((mean - place) ** 2) / 2) * p for place, p in zip(places, prior, strict=True)]
            rows.append([each / sum(joint) for each in joint])
        return rows

    centre = statistics.fmean(means)
    normal = [
        width * math.exp(-((place - centre) ** 2) / (2 * variance)) for place, width in zip(places, widths, strict=True)
    ]
    first = bayes(normal)
    return places, bayes([statistics.fmean(row[i] for row in first) for i in range(k)])


def quantile(places, probabilities, share):
    """On lines between the places, at each of which half of its probability lies below."""
    below = np.cumsum(probabilities) - np.array(probabilities) / 2
    return float(np.interp(share, below, places))


def replicates(coefficient, reference, estimate, n_resamples, seed):
    """A coefficient of two measures on the same topics under one true ranking, in each of B resamples."""
    sides = [in_units_of_noise(scores.tolist()) for scores in (reference, estimate)]
    first, second = (0, 1) if sorted(sides[0][0]) <= sorted(sides[1][0]) else (1, 0)
    n_topics, n_systems = reference.shape
    total = [sum(both) for both in zip(sides[0][0], sides[1][0], strict=True)]
    order = sorted(range(n_systems), key=total.__getitem__)
    rho = float((sides[0][1] * sides[1][1]).sum() / math.sqrt((sides[0][1] ** 2).sum() * (sides[1][1] ** 2).sum()))
    drawn, size = resamples(n_topics, n_resamples, seed, cells=2 * reference.size)[0], block_size(2 * reference.size)
    children = generator(seed).spawn(math.ceil(n_resamples / size))
    normals = np.concatenate([child.standard_normal((2, size, n_systems)) for child in children], axis=1)
    fits = [posterior(side[0]) for side in sides]
    values = []
    for b in range(n_resamples):
        numbers = {first: normals[0, b], second: rho * normals[0, b] + math.sqrt(1 - rho**2) * normals[1, b]}
        measured = []
        for side in (0, 1):
            (places, rows), (_, errors, _) = fits[side], sides[side]
            shares = norm.cdf(numbers[side])
            truth = sorted(quantile(places, rows[system], share) for system, share in zip(order, shares, strict=True))
            error = errors[drawn[b]].mean(axis=0) * math.sqrt(n_topics / (n_topics - 1))
            means = np.empty(n_systems)
            for system, mean in zip(order, truth, strict=True):
                means[system] = mean + error[system]
            measured.append(means.tolist())
        values.append(coefficient(*measured))
    return values
