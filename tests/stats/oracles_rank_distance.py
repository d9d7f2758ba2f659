"""d_rank by its definition, with loops: algorithms 1 and 2 of Carterette 2009, and a second solver."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import quadprog
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

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


def d_rank_by_nnls(scores, ranking, ridge=RIDGE):
    """The dual problem as non-negative least squares on whitened differences.

    The primal one would do as well, but scipy 1.15 has an `nnls` that can stop at a point that is not the minimum.
    """
    rows, delta = differences(scores, ascending(scores, ranking))
    lower = cholesky(covariance_of(rows, ridge), lower=True)
    multipliers = nnls(lower.T, -solve_triangular(lower, delta, lower=True))[0]
    return math.sqrt(len(scores)) * np.linalg.norm(lower.T @ multipliers)


def d_rank_by_enumeration(scores, ranking, ridge):
    """In fractions, of whole scores: of all sets of constraints the one whose solution keeps all and pulls at none.

    The dual is solved on each set by elimination; the ridge comes as text.
    """
    n_topics, size = len(scores), len(scores[0]) - 1
    order = ascending(np.array(scores), ranking)
    rows = [[Fraction(row[order[k + 1]] - row[order[k]]) for k in range(size)] for row in scores]
    delta = [sum(column) / n_topics for column in zip(*rows, strict=True)]
    spread = [
        [sum((row[i] - delta[i]) * (row[j] - delta[j]) for row in rows) / (n_topics - 1) for j in range(size)]
        for i in range(size)
    ]
    for k in range(size):
        spread[k][k] += Fraction(ridge)
    for chosen in (members for count in range(size + 1) for members in combinations(range(size), count)):
        multipliers = eliminated([[spread[i][j] for j in chosen] for i in chosen], [-delta[i] for i in chosen])
        pull = dict(zip(chosen, multipliers, strict=True))
        theta = [delta[i] + sum(spread[i][j] * v for j, v in pull.items()) for i in range(size)]
        if min(theta) >= 0 and min(multipliers, default=0) >= 0:
            return math.sqrt(-n_topics * sum(v * delta[j] for j, v in pull.items()))
    raise AssertionError("a positive definite problem has a solution")


def eliminated(matrix, right):
    """The solution of a positive definite system."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        rows[k] = [cell / rows[k][k] for cell in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [cell - rows[i][k] * other for cell, other in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


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
