"""The algorithms of Sakai, SIGIR 2006, as plain loops; resamples are arguments, and 1e-13 of the scores is rounding."""

import itertools
import math
import statistics

from pt_rankcorr.stats.core.resampling import blockwise, generator, topic_indices

SLACK = 1e-13


def drawn_topics(n_topics, n_resamples, rng):
    """The bootstrap samples that the package draws, as indices: shape (n_resamples, n_topics)."""
    draw = lambda child, size: topic_indices(child, size, n_topics)  # noqa: E731
    return blockwise(draw, n_resamples, cells=n_topics, rng=generator(rng), n_jobs=1)


def students_t(z):
    """t(z) of section 3.1; 0 where the mean is 0, infinite where only the standard deviation is."""
    mean = math.fsum(z) / len(z)
    largest = max(abs(value) for value in z)
    if abs(mean) <= 1e-12 * largest:
        return 0.0
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in z) / (len(z) - 1))
    if deviation <= 1e-12 * largest:
        return math.copysign(math.inf, mean)
    return mean / (deviation / math.sqrt(len(z)))


def as_large(value, other):
    """|value| >= |other|, as far as floating point can tell."""
    if math.isinf(other):
        return math.isinf(value)
    return abs(value) >= abs(other) * (1 - SLACK) - SLACK


def centred(x, y):
    z = [a - b for a, b in zip(x, y, strict=True)]
    mean = math.fsum(z) / len(z)
    w = [value - mean for value in z]
    largest = max(abs(value) for value in z)
    return [0.0 if abs(value) <= 1e-12 * largest else value for value in w]


def by_difference(x, y):
    """The scores of a pair with its topics by their difference, and the system first that leads in the tails."""
    topics = sorted(zip(x, y, strict=True), key=lambda scores: scores[0] - scores[1])
    z = [a - b for a, b in topics]
    limit = 1e-12 * max(map(abs, [*x, *y]))
    skew = next((low + high for low, high in zip(z, reversed(z), strict=True) if abs(low + high) > limit), 0.0)
    if skew < 0.0:
        topics = [(b, a) for a, b in reversed(topics)]
    return [a for a, _ in topics], [b for _, b in topics]


def paired_asl(x, y, samples):
    """Figures 1 and 2. A t of 0 is reached by every resample, any other one only by a resample that differs."""
    t = students_t([a - b for a, b in zip(x, y, strict=True)])
    if t == 0.0:
        return 1.0
    w = centred(x, y)
    replicates = [students_t([w[topic] for topic in sample]) for sample in samples]
    return sum(t_star != 0.0 and as_large(t_star, t) for t_star in replicates) / len(samples)


def paired_difference(x, y, samples, alpha):
    """The loop body of figure 5: |mean(w*)| at the (B alpha)-th largest |t(w*)|; of ties the largest."""
    w = centred(x, y)
    resampled = [[w[topic] for topic in sample] for sample in samples]
    sizes = [abs(students_t(values)) for values in resampled]
    limit = sorted(sizes, reverse=True)[int(len(samples) * alpha + 1e-9) - 1]
    tied = [
        values
        for values, size in zip(resampled, sizes, strict=True)
        if size == limit or (math.isfinite(limit) and abs(size - limit) <= 1e-12 * max(limit, 1.0))
    ]
    return max(abs(math.fsum(values)) / len(values) for values in tied)


def unpaired_replicates(x, y, samples, m):
    """Figure 3, and d* of figure 4."""
    v = [*x, *y]
    halves = [([v[at] for at in sample[: len(x)]], [v[at] for at in sample[len(x) :]]) for sample in samples]
    return [m(first) - m(second) for first, second in halves]


def unpaired_asl(x, y, samples, m=statistics.fmean):
    """Figure 4."""
    d = m(x) - m(y)
    slack = SLACK * max(abs(m(x)), abs(m(y)))
    return sum(abs(d_star) >= abs(d) - slack for d_star in unpaired_replicates(x, y, samples, m)) / len(samples)


def unpaired_difference(x, y, samples, alpha, m=statistics.fmean):
    """The loop body of figure 6."""
    sizes = sorted((abs(d) for d in unpaired_replicates(x, y, samples, m)), reverse=True)
    return sizes[int(len(samples) * alpha + 1e-9) - 1]


def all_pairs(matrix):
    return list(itertools.combinations(matrix.T.tolist(), 2))


def system_values(matrix, samples, m=statistics.fmean):
    """M(X, Q*b) for each resample and system; twelve significant digits, as all means that rank systems."""
    values = [[m([row[topic] for topic in sample]) for row in matrix.T.tolist()] for sample in samples]
    return [[float(f"{value:.11e}") for value in of_sample] for of_sample in values]


def stability(matrix, samples, f, **kwargs):
    """Figure 9, and the definitions of minority rate and proportion of ties below it."""
    values = system_values(matrix, samples, **kwargs)
    minority = ties = 0
    pairs = list(itertools.combinations(range(matrix.shape[1]), 2))
    for x, y in pairs:
        above = below = equal = 0
        for of_sample in values:
            margin = f * max(abs(of_sample[x]), abs(of_sample[y]))
            difference = of_sample[x] - of_sample[y]
            if difference == 0 or abs(difference) < margin * (1 - 1e-9):
                equal += 1
            elif difference > 0:
                above += 1
            else:
                below += 1
        minority += min(above, below)
        ties += equal
    return minority / (len(samples) * len(pairs)), ties / (len(samples) * len(pairs))


def swap_counts(matrix, samples, others, edges=None, **kwargs):
    """Figure 11: comparisons and swaps in each bin (of the paper, or of lower ends), and the largest value seen."""
    edges = [hundredths / 100 for hundredths in range(21)] if edges is None else edges
    once, again = system_values(matrix, samples, **kwargs), system_values(matrix, others, **kwargs)
    largest = max(abs(value) for of_sample in [*once, *again] for value in of_sample)
    counts, swaps = [0] * len(edges), [0] * len(edges)
    for x, y in itertools.combinations(range(matrix.shape[1]), 2):
        for first, second in zip(once, again, strict=True):
            d, other = first[x] - first[y], second[x] - second[y]
            into = max(at for at, edge in enumerate(edges) if edge <= abs(d) + 1e-11 * largest)
            counts[into] += 1
            swaps[into] += d * other < 0
    return counts, swaps, largest


def required_by_swap(counts, swaps, max_rate, edges):
    """The first bin from which on all rates are low enough, and the share of comparisons there."""
    for start in range(len(counts)):
        rates = [swap / count for swap, count in zip(swaps[start:], counts[start:], strict=True) if count]
        if rates and all(rate <= max_rate for rate in rates):
            return edges[start], sum(counts[start:]) / sum(counts)
    return math.nan, 0.0


def tukey_null(matrix, n_permutations, rng):
    """The largest minus the smallest mean, after permuting each topic's scores (Carterette 2012)."""
    ranges = []
    for _ in range(n_permutations):
        permuted = [rng.permutation(row) for row in matrix]
        means = [statistics.fmean(column) for column in zip(*permuted, strict=True)]
        ranges.append(max(means) - min(means))
    return ranges


def geometric_mean(x):
    """Equation 7."""
    return math.exp(math.fsum(math.log(value + 0.00001) for value in x) / len(x)) - 0.00001
