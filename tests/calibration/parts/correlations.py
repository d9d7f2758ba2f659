"""The correlation of two measures: its standard error, its interval, differences; and Kendall's over systems."""

import itertools
import math
from functools import cache, lru_cache, partial

import numpy as np
from scipy.stats import multivariate_normal

from pt_rankcorr import kendall_tau, tau_ap
from pt_rankcorr.stats import (
    bootstrap_standard_error,
    kendall_interval,
    kendall_test,
    spearman,
    spearman_test,
    tau_ap_test,
)
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients, correlations
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from tests.calibration.populations import CORRELATED, DISCRETE, INDEPENDENT, SIMULATED, choose
from tests.calibration.studies import SPREAD, Row, Study, coverage, covered, level, rejected
from tests.stats.oracles import COEFFICIENTS

RESAMPLES = 400
WANTED = ("tau", "tau_ap", "tau_gap", "pearson")
INTERVALS = tuple(coverage("correlation_interval", name) for name in WANTED)
SAMPLES = 2000  # from which the mean coefficient over as many topics is known
SPREADS = tuple(Row("correlation_interval", f"standard_error, {name}", SPREAD, 1.0) for name in WANTED)
STATISTICS = {
    "mean of the best system": lambda scores: scores.mean(axis=0).max(),
    "mean of one system": lambda scores: scores[:, 0].mean(),
    "difference of two systems": lambda scores: scores[:, 0].mean() - scores[:, 1].mean(),
}
ANY_SPREADS = tuple(Row("bootstrap_standard_error", name, SPREAD, 1.0) for name in STATISTICS)
DIFFERENCES = tuple(level("correlation_difference", name) for name in ("tau", "tau_ap", "pearson"))
NOISE = 0.1  # of a measure that is a noisy copy of another
RHO = 0.8
TRUE_TAU = 2 / math.pi * math.asin(RHO)
STEP = 0.5  # of Gaussian scores that are rounded: of ten systems, one pair in seven ties


def studies():
    for data in (INDEPENDENT, CORRELATED, SIMULATED):
        for size in ((10, 10), (10, 50), (10, 250), (20, 50)):
            trial = partial(two_measures, data, size)
            yield Study("correlations", _both(data), size, INTERVALS, trial, 200)
    for data, n_topics in itertools.product((CORRELATED, SIMULATED), (10, 50, 250)):
        trial = partial(standard_errors, data, n_topics)
        yield Study("standard errors", _both(data), (20, n_topics), SPREADS, trial, 120)
    for data, size in itertools.product((CORRELATED, DISCRETE), ((4, 10), (4, 50), (20, 50))):
        trial = partial(any_standard_errors, data, size)
        yield Study("standard errors", f"{data}, any statistic", size, ANY_SPREADS, trial, 2000)
    for data, n_topics in itertools.product((INDEPENDENT, SIMULATED), (10, 50, 250)):
        copies = partial(noisy_copies, data, n_topics)
        yield Study("differences", f"{data}, noisy copies", (20, n_topics), DIFFERENCES, copies, 150)
    rows = (level("kendall_test"), coverage("kendall_interval"), level("tau_ap_test"), level("spearman_test"))
    for step, n_systems in itertools.product((0.0, STEP), (4, 5, 10, 25, 50)):
        data = f"Gaussian, {'rounded, ' if step else ''}a sample of systems"
        yield Study("kendall", data, (n_systems, 0), rows, partial(sampled_systems, n_systems, step), 4000)


def _both(data):
    return f"{data}, two measures" if data == INDEPENDENT else f"{data}, with P@10"


def both(data, positions, n_topics, rng):
    """Two measures over the same topics, shape (2, n_topics, n_systems)."""
    return data.of.draw(n_topics, rng)[:, :, positions]


def of_both(scores, rng):
    """What `correlation_interval` returns for each coefficient."""
    wanted = Coefficients(tuple(COEFFICIENTS[name] for name in WANTED))
    seed = int(rng.integers(2**32))
    (results,), _ = correlations(scores[0], [scores[1]], wanted, n_resamples=RESAMPLES, seed=seed)
    return results


def two_measures(data, size, rng, how="random"):
    """Whether intervals hold the mean coefficient over samples of as many topics; always of the same systems."""
    scores = both(data, _same_systems(data, size[0], how), size[1], rng)
    ends = (result.confidence_interval() for result in of_both(scores, rng))
    return [covered(interval, mean) for interval, mean in zip(ends, mean_coefficients(data, size, how), strict=True)]


def _same_systems(data, n_systems, how="random"):
    return choose(data, n_systems, how, np.random.default_rng(0)).positions


@cache
def mean_coefficients(data, size, how):
    """Over samples of as many topics."""
    rng, positions, values = np.random.default_rng(1), _same_systems(data, size[0], how), []
    for _ in range(SAMPLES):
        means = [scores.mean(axis=0).round(12) for scores in both(data, positions, size[1], rng)]
        values.append([float(COEFFICIENTS[name].kernel(*means)) for name in WANTED])
    return np.nanmean(values, axis=0).tolist()


def standard_errors(data, n_topics, rng):
    """Always of the same systems: their statistic varies with the topics alone."""
    scores = both(data, _same_systems(data, 20), n_topics, rng)
    return [(result.statistic, result.standard_error) for result in of_both(scores, rng)]


def any_standard_errors(data, size, rng):
    """Of statistics that a caller wrote, of the same systems."""
    n_systems, n_topics = size
    scores = choose(data, n_systems, "random", np.random.default_rng(0)).draw(n_topics, rng)
    results = (bootstrap_standard_error(each, scores, n_resamples=RESAMPLES, rng=rng) for each in STATISTICS.values())
    return [(result.statistic, result.standard_error) for result in results]


def noisy_copies(data, n_topics, rng):
    """Two copies of the reference that are equally noisy agree with it equally well."""
    reference = choose(data, 20, "random", rng).draw(n_topics, rng)
    copies = [reference + NOISE * rng.standard_normal(reference.shape) for _ in range(2)]
    return [
        rejected(correlation_difference(reference, *copies, row.settings, n_resamples=199, rng=rng).pvalue)
        for row in DIFFERENCES
    ]


def sampled_systems(n_systems, step, rng):
    first, noise = rng.standard_normal((2, n_systems))
    third = RHO * first + math.sqrt(1 - RHO**2) * noise
    if step > 0.0:
        first, noise, third = (np.round(scores / step) for scores in (first, noise, third))
    if any(np.ptp(scores) == 0.0 for scores in (first, noise, third)):
        return [math.nan] * 4  # nothing is ranked
    return [
        rejected(kendall_test(kendall_tau(first, noise), n_systems).pvalue),
        covered(kendall_interval(kendall_tau(first, third), n_systems), true_tau(step)),
        rejected(tau_ap_test(tau_ap(first, noise), n_systems).pvalue),
        rejected(spearman_test(spearman(first, noise), n_systems).pvalue),
    ]


@lru_cache(maxsize=2)
def true_tau(step):
    """Of all systems there could be, by pairs of the scores that they can have, where scores are rounded."""
    if step == 0.0:
        return TRUE_TAU
    ends = np.concatenate(([-10.0], np.arange(-5.5, 6.0) * step, [10.0]))
    corners = np.stack(np.meshgrid(ends, ends, indexing="ij"), axis=-1)
    shares = np.diff(np.diff(multivariate_normal(cov=[[1.0, RHO], [RHO, 1.0]]).cdf(corners), axis=0), axis=1)
    order = np.sign(np.subtract.outer(np.arange(len(shares)), np.arange(len(shares))))
    return float(np.einsum("ab,cd,ac,bd->", shares, shares, order, order, optimize=True))
