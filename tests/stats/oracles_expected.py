"""The plain definitions of Urbano and Marrero (SIGIR 2016) and of Wand and Jones (1995): loops, nothing clever."""

import itertools
import math

import numpy as np
from scipy import special, stats


def mean_of(values):
    return math.fsum(values) / len(values)


def sample_deviation(values):
    return math.sqrt(math.fsum((x - mean_of(values)) ** 2 for x in values) / (len(values) - 1))


def scores_of(n_topics, n_systems, seed=0):
    """Scores whose systems differ by about as much as in an experiment."""
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0.3, 0.1, (n_topics, n_systems)) + rng.normal(0, 0.05, n_systems) + rng.normal(0, 0.1, (n_topics, 1))
    )


# --- probabilities of discordance of one pair, whose mean difference is positive -----------------------


def ml(differences, n=None):
    """Equations 5 to 7; n is the number of topics in the standard error."""
    size = len(differences)
    log_c = 0.5 * math.log((size - 1) / 2) + math.lgamma((size - 1) / 2) - math.lgamma(size / 2)
    sigma = sample_deviation(differences) * math.exp(log_c)
    return student_tail(differences, sigma, n)


def msqd(differences, n=None):
    """Equation 9 as printed: for differences without ties."""
    size = len(differences)
    e = [special.erfinv(2 * rank / (size + 1) - 1) for rank in stats.rankdata(differences)]
    sigma = math.sqrt(2) * sum(x * e_k for x, e_k in zip(differences, e, strict=True)) / (2 * sum(e_k**2 for e_k in e))
    return student_tail(differences, sigma, n)


def msqd_deviation_by_search(differences):
    """The sigma of the (mu, sigma) that minimise the squared quantile deviations, found numerically."""
    from scipy.optimize import minimize

    quantiles = [math.sqrt(2) * special.erfinv(2 * r / (len(differences) + 1) - 1) for r in stats.rankdata(differences)]

    def squared_deviations(parameters):
        mu, sigma = parameters
        return sum((mu + sigma * q - x) ** 2 for q, x in zip(quantiles, differences, strict=True))

    start = (mean_of(differences), sample_deviation(differences))
    return float(minimize(squared_deviations, start, method="BFGS", options={"gtol": 1e-12}).x[1])


def student_tail(differences, sigma, n=None):
    topics = len(differences) if n is None else n
    return float(stats.t.cdf(-math.sqrt(topics) * mean_of(differences) / sigma, len(differences) - 1))


def share_swapped(means):
    """Equation 10 over resampled means of the differences, of which a 0 counts one half."""
    return sum(1.0 if mean < 0 else 0.5 if mean == 0 else 0.0 for mean in means) / len(means)


def share_swapped_smoothly(means, bandwidth, n):
    return mean_of([stats.norm.cdf(-mean / (bandwidth / math.sqrt(n))) for mean in means])


def probability_matrix(scores, estimator):
    """p of every pair, in the order given."""
    n_systems = scores.shape[1]
    means = [round(mean_of(column), 12) for column in scores.T]
    matrix = np.zeros((n_systems, n_systems))
    for i, j in itertools.permutations(range(n_systems), 2):
        differences = [round(x - y, 12) for x, y in zip(scores[:, i], scores[:, j], strict=True)]
        if means[i] == means[j]:
            matrix[i, j] = 0.5
        elif means[i] > means[j]:
            constant = len(set(differences)) == 1
            matrix[i, j] = matrix[j, i] = 0.0 if constant else estimator(differences)
    return matrix


# --- expected correlations ---------------------------------------------------------------------------


def expected_tau(p):
    """Equation 3, of systems sorted best first."""
    m = len(p)
    return 1 - 4 / (m * (m - 1)) * sum(p[i, j] for i in range(m) for j in range(i + 1, m))


def expected_tau_ap(p):
    """Equation 4, of systems sorted best first."""
    m = len(p)
    return 1 - 2 / (m - 1) * sum(sum(p[j, i] for j in range(i)) / i for i in range(1, m))


def expected_tau_gap(p, means):
    """Each rank's discordance weighed by the gaps to those above; ranks without any gap do not count."""
    shares = []
    for i in range(1, len(p)):
        gaps = [means[j] - means[i] for j in range(i)]
        if sum(gaps) > 0:
            shares.append(sum(gap * p[j, i] for j, gap in enumerate(gaps)) / sum(gaps))
    return 1 - 2 / len(shares) * sum(shares)


def over_tie_breaks(means, expected):
    """The mean of a function of the order of systems, over all orders that the means allow."""
    orders = [
        o
        for o in itertools.permutations(range(len(means)))
        if all(means[a] >= means[b] for a, b in itertools.pairwise(o))
    ]
    return mean_of([expected(order) for order in orders])


# --- the two-stage direct plug-in bandwidth ------------------------------------------------------------


def normal_derivative(r, x):
    """The r-th derivative of the standard normal density, r even."""
    return float(special.eval_hermitenorm(r, x)) * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def functional(r, g, sample):
    """psi_r by a normal kernel: the mean over all pairs of observations of its r-th derivative."""
    return sum(normal_derivative(r, (a - b) / g) for a in sample for b in sample) / (len(sample) ** 2 * g ** (r + 1))


def plug_in_bandwidth(sample):
    """Wand and Jones 1995, section 3.6.1, with two stages, as a double loop over the observations."""
    n = len(sample)
    low, high = np.quantile(sample, (0.25, 0.75))
    scale = min((high - low) / 1.349, sample_deviation(sample))
    psi8 = 105 / (32 * math.sqrt(math.pi) * scale**9)
    g6 = (-2 * normal_derivative(6, 0) / (psi8 * n)) ** (1 / 9)
    g4 = (-2 * normal_derivative(4, 0) / (functional(6, g6, sample) * n)) ** (1 / 7)
    return float((1 / (2 * math.sqrt(math.pi) * functional(4, g4, sample) * n)) ** (1 / 5))
