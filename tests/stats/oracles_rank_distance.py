"""d_rank by its definition, with loops: algorithms 1 and 2 of Carterette 2009, and a second solver."""

import math
from fractions import Fraction

import numpy as np
import quadprog

RIDGE = 1e-5


def exact_means(scores):
    """Means without rounding errors, so that ties are ties."""
    return [sum((Fraction(repr(float(x))) for x in column), Fraction(0)) / len(scores) for column in scores.T]


def ascending(scores, ranking):
    """Systems by the ranking, worst first; ties by the reference's means."""
    means = exact_means(scores)
    return sorted(range(scores.shape[1]), key=lambda system: (ranking[system], means[system]))


def differences(scores, order):
    n_topics = len(scores)
    rows = [[scores[t, order[k + 1]] - scores[t, order[k]] for k in range(len(order) - 1)] for t in range(n_topics)]
    means = exact_means(scores)
    delta = [float(means[order[k + 1]] - means[order[k]]) for k in range(len(order) - 1)]
    return np.array(rows), np.array(delta)


def covariance_of(rows, ridge):
    n_topics, size = rows.shape
    center = rows.mean(axis=0)
    covariance = np.zeros((size, size))
    for row in rows:
        covariance += np.outer(row - center, row - center)
    return covariance / (n_topics - 1) + ridge * np.eye(size)


def d_rank(scores, ranking, ridge=RIDGE):
    """Algorithm 1: the inverse and a general solver."""
    rows, delta = differences(scores, ascending(scores, ranking))
    inverse = np.linalg.inv(covariance_of(rows, ridge))
    inverse = (inverse + inverse.T) / 2
    theta = quadprog.solve_qp(inverse, inverse @ delta, np.eye(delta.size), np.zeros(delta.size))[0]
    return math.sqrt(max(len(scores) * (theta - delta) @ inverse @ (theta - delta), 0.0))


def null_distribution(scores, indices):
    """Algorithm 2, for given samples of topics."""
    return [d_rank(scores, exact_means(scores[rows])) for rows in indices]


def resampled_from(scores, ranking, shift, indices, ridge=RIDGE):
    """A ranking's own null, for given samples of topics: something is added to each system's scores."""
    return [d_rank((scores + shift)[rows], ranking, ridge) for rows in indices]


def sequential(statistic, distances, enough=200):
    """Besag and Clifford's p-value, its standard error, and how many resamples it took."""
    as_far = used = 0
    while as_far < enough and used < len(distances):
        as_far += distances[used] >= statistic * (1 - 1e-13)
        used += 1
    pvalue = enough / used if as_far == enough else (as_far + 1) / (len(distances) + 1)
    return pvalue, math.sqrt(pvalue * (1 - pvalue) / used), used


def contrasts(size):
    """An orthonormal basis of the differences of so many systems (Helmert's), shape (size, size - 1)."""
    basis = np.zeros((size, size - 1))
    for k in range(1, size):
        basis[:k, k - 1], basis[k, k - 1] = 1.0, -k
        basis[:, k - 1] /= math.sqrt(k * (k + 1))
    return basis


def ledoit_wolf(rows):
    """Ledoit and Wolf 2004, lemma 3.3, term by term (their estimates divide by n)."""
    n_topics, size = rows.shape
    centred = rows - rows.mean(axis=0)
    sample = sum(np.outer(row, row) for row in centred) / n_topics
    target = np.trace(sample) / size * np.eye(size)
    dispersion = ((sample - target) ** 2).sum()
    noise = sum(((np.outer(row, row) - sample) ** 2).sum() for row in centred) / n_topics**2
    share = min(noise, dispersion) / dispersion if dispersion > 0 else 0.0
    return share, ((1 - share) * sample + share * target) * n_topics / (n_topics - 1)
