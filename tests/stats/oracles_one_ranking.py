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


def bayes(means, places, prior):
    """For each system, how probable each place of its true mean is; noise is 1."""
    rows = []
    for mean in means:
        logs = [math.log(p + 1e-300) - (mean - place) ** 2 / 2 for place, p in zip(places, prior, strict=True)]
        joint = [math.exp(each - max(logs)) for each in logs]
        rows.append([each / sum(joint) for each in joint])
    return rows


def step(means, places, prior):
    """Expectation and maximisation: how probable each place is on average over systems."""
    return [statistics.fmean(column) for column in zip(*bayes(means, places, prior), strict=True)]


def widths_of(values):
    k = len(values)
    return [(values[min(i + 1, k - 1)] - values[max(i - 1, 0)]) / (2 if 0 < i < k - 1 else 1) for i in range(k)]


def distribution(means, mixtures=((1.0, None),)):
    """Places of true means, and the share of systems below each, half of its own included.

    From mixtures, each a probability and its (weight, centre, variance) of parts; the first is one normal distribution.
    """
    places = sorted({round((mean + half / 2) / 0.05) for mean in means for half in range(-6, 7)})
    places = [place * 0.05 for place in places]
    widths, centre = widths_of(places), statistics.fmean(means)
    variance = max(statistics.variance(means) - 1, 0.02**2)
    total = [0.0] * len(places)
    for share, parts in mixtures:
        if parts is None:
            prior = [w * math.exp(-((x - centre) ** 2) / (2 * variance)) for w, x in zip(widths, places, strict=True)]
            prior = step(means, places, prior)
        else:
            prior = [
                w * sum(weight * norm.pdf(x, at, math.sqrt(spread)) for weight, at, spread in parts)
                for w, x in zip(widths, places, strict=True)
            ]
        total = [so_far + share * p for so_far, p in zip(total, step(means, places, prior), strict=True)]
    return places, (np.cumsum(total) - np.array(total) / 2).tolist()


def quantiles(means, others, rho, fits, system):
    """A function from a uniform number to both true means of one system, given both measured ones."""
    (places, shares), (other_places, other_shares) = fits
    ends = 0.5 / len(means), 1 - 0.5 / len(means)
    every = sorted(share for share in {round(share, 12) for share in (*ends, *shares, *other_shares)} if 0 < share < 1)
    logs = []
    for share, width in zip(every, widths_of(every), strict=True):
        x = means[system] - np.interp(share, shares, places)
        y = others[system] - np.interp(share, other_shares, other_places)
        logs.append(math.log(width) - (x * x - 2 * rho * x * y + y * y) / (2 * (1 - rho**2)))
    joint = [math.exp(each - max(logs)) for each in logs]
    probable = [each / sum(joint) for each in joint]
    below = np.cumsum(probable) - np.array(probable) / 2

    def at(uniform):
        position = np.interp(uniform, below, every)
        return np.interp(position, shares, places), np.interp(position, other_shares, other_places)

    return at


def replicates(coefficient, reference, estimate, n_resamples, seed):
    """A coefficient of two measures on the same topics under one true ranking, in each of B resamples."""
    (means, errors, _), (others, other_errors, _) = (in_units_of_noise(side.tolist()) for side in (reference, estimate))
    n_topics, n_systems = reference.shape
    total = [sum(both) for both in zip(means, others, strict=True)]
    order = sorted(range(n_systems), key=total.__getitem__)
    rho = float((errors * other_errors).sum() / math.sqrt((errors**2).sum() * (other_errors**2).sum()))
    fits = distribution(means), distribution(others)
    truths = [quantiles(means, others, rho, fits, system) for system in range(n_systems)]
    drawn, size = resamples(n_topics, n_resamples, seed, cells=2 * reference.size)[0], block_size(2 * reference.size)
    children = generator(seed).spawn(math.ceil(n_resamples / size))
    normals = np.concatenate([child.standard_normal((size, n_systems)) for child in children])
    factor, values = math.sqrt(n_topics / (n_topics - 1)), []
    for b in range(n_resamples):
        first = factor * errors[drawn[b]].mean(axis=0)
        second = factor * other_errors[drawn[b]].mean(axis=0)
        for place, system in enumerate(order):
            truth, other = truths[system](norm.cdf(normals[b, place]))
            first[system] += truth
            second[system] += other
        values.append(coefficient(first.tolist(), second.tolist()))
    return values
