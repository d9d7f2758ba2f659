"""d_rank: how often its other tests reject the true ranking, and the ranks allowed; where systems may rank.

The grid has the defaults. `examples/calibration_of_d_rank.py` asks the same of d_rank for more sizes, and for the
power; its topics are those of Robust 2004 drawn with replacement, these are simulated.
"""

import itertools
from functools import partial

import numpy as np

from pt_rankcorr import ScoreMatrix, Scores, best_systems, d_rank, rank_intervals
from pt_rankcorr.components import MeanInterval
from pt_rankcorr.stats import allowed_ranks
from pt_rankcorr.stats.core.means import ranks
from tests.calibration.populations import ALL, CORRELATED, DISCRETE, INDEPENDENT, SIMULATED, choose
from tests.calibration.studies import MEAN_COVERAGE, Row, Study, bias, coverage, level, rejected

RESAMPLES = 199  # (b + 1) / 200 can be .05
RANKING_TOPICS = (10, 50, 250)  # of two-sample rankings, where the reference has 50
HOW = ("random", "adjacent", "equal")
SIZES = ((10, 10), (10, 50), (10, 250), (20, 50))
ALLOWED = (
    coverage("allowed_ranks", "published, sample, true ranking accepted"),
    Row("allowed_ranks", "published, sample, true rank allowed", MEAN_COVERAGE, 0.95),
)


def studies():
    cases = [
        *itertools.product((SIMULATED,), HOW, SIZES),
        *((data, "equal", (10, 50)) for data in (INDEPENDENT, CORRELATED)),
        *((DISCRETE, how, (10, 50)) for how in HOW),
        (SIMULATED, "equal", (2, 50)),
    ]
    for data, how, size in cases:
        yield _study(data, how, size, "sample", 400)
    for how in HOW:
        yield _study(SIMULATED, how, (10, 50), "ledoit-wolf", 100)
        rows = tuple(level("d_rank", f"two-sample, ranking on {n_topics} topics") for n_topics in RANKING_TOPICS)
        yield Study("d_rank", f"{SIMULATED}, systems {how}", (10, 50), rows, partial(two_samples, how), 200)
    for how in ("random", "adjacent"):
        yield Study("allowed ranks", f"{SIMULATED}, systems {how}", (10, 50), ALLOWED, partial(allowed, how), 60)


def _study(data, how, size, covariance, repetitions):
    rows, trial = (level("d_rank", f"published, {covariance}"),), partial(true_ranking, data, how, size, covariance)
    return Study("d_rank", f"{data}, systems {how}", size, rows, trial, repetitions)


def true_ranking(data, how, size, covariance, rng):
    """The true ranking against a sample; where all means are equal, any ranking is true."""
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    sample = systems.draw(n_topics, rng)
    truth = np.arange(n_systems) if how == "equal" else systems.means
    test = d_rank(sample, truth, null="published", covariance=covariance, n_resamples=RESAMPLES, rng=rng)
    return [rejected(float(test.pvalue))]


def two_samples(how, rng):
    """The ranking by a sample of other topics, and perhaps of another number of them."""
    systems = choose(SIMULATED, 10, how, rng)
    sample, others = systems.draw(50, rng), [systems.draw(n_topics, rng) for n_topics in RANKING_TOPICS]
    tests = [d_rank(sample, ScoreMatrix(other), null="two-sample", n_resamples=RESAMPLES, rng=rng) for other in others]
    return [rejected(float(test.pvalue)) for test in tests]


def allowed(how, rng):
    systems = choose(SIMULATED, 10, how, rng)
    sample, true_ranks = systems.draw(50, rng), ranks(systems.means).astype(int)
    how_tested = {"null": "published", "covariance": "sample", "n_resamples": RESAMPLES, "rng": rng}
    shares = allowed_ranks(sample, **how_tested)
    accepted = 1.0 - rejected(float(d_rank(sample, systems.means, **how_tested).pvalue))
    return [accepted, float((shares.by_distance[np.arange(10), true_ranks - 1] > 0).mean())]


RANK_RESAMPLES, DRAWS = 400, 2000  # the rule of the shrunken best is of few draws in a thousand
ROWS = (
    Row("rank_intervals", "interval of a system's rank", MEAN_COVERAGE, 0.95),
    bias("rank_intervals", "share_first of the system that leads, less how often it truly does"),
)
MEANS = (Row("MeanInterval", "", MEAN_COVERAGE, 0.95),)
BEST = (
    coverage("best_systems", "shrunken"),
    coverage("best_systems", "pairwise"),
    coverage("rank_intervals", "pairwise, simultaneous"),
)
RARE, GAIN, LOSS = 0.05, 0.7, 0.03  # the share of topics that the best system wins, by how much, and what it loses else


def of_ranks():
    random = itertools.product(ALL, ("random",), ((20, 10), (20, 50), (20, 250)))
    close = itertools.product((SIMULATED,), ("adjacent",), ((2, 50), (20, 10), (20, 50), (20, 250)))
    for data, how, size in itertools.chain(random, close):
        yield Study("ranks", f"{data}, systems {how}", size, ROWS, partial(intervals, data, how, size), 300)
    for data, how, size in itertools.product((SIMULATED, DISCRETE), ("random", "adjacent"), ((20, 10), (20, 50))):
        yield Study("ranks", f"{data}, systems {how}", size, BEST, partial(best, data, how, size), 300)
    for data, n_topics in itertools.product((SIMULATED, DISCRETE), (10, 25, 50)):
        trial = partial(means, data, n_topics)
        yield Study("ranks", f"{data}, systems random", (20, n_topics), MEANS, trial, 200)
    for n_topics in (25, 50, 100):
        trial = partial(rare_wins, n_topics)
        yield Study("ranks", "Gaussian, the best wins one topic in twenty", (10, n_topics), BEST[:2], trial, 300)


def intervals(data, how, size, rng):
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    found = rank_intervals(systems.draw(n_topics, rng), method="percentile", n_resamples=RANK_RESAMPLES, rng=rng)
    truth = ranks(systems.means)
    leads = int(np.argmin(found.rank))
    inside = (found.low <= truth) & (truth <= found.high)
    return [float(inside.mean()), float(found.share_first[leads] - (truth[leads] == 1))]


def means(data, n_topics, rng):
    systems = choose(data, 20, "random", rng)
    scores = Scores({"AP": ScoreMatrix(systems.draw(n_topics, rng))})
    low, high = MeanInterval().compute(scores)["AP"]
    return [float(((low <= systems.means) & (systems.means <= high)).mean())]


def best(data, how, size, rng):
    n_systems, n_topics = size
    systems = choose(data, n_systems, how, rng)
    scores, truth = systems.draw(n_topics, rng), ranks(systems.means)
    found = rank_intervals(scores, method="pairwise", simultaneous=True, n_resamples=RANK_RESAMPLES, rng=rng)
    held = ((found.low <= truth) & (truth <= found.high)).all()
    return [*_kept(scores, int(np.argmin(truth)), rng), float(held)]


def rare_wins(n_topics, rng):
    scores = 0.05 * rng.standard_normal((n_topics, 1)) + 0.02 * rng.standard_normal((n_topics, 10))
    scores[:, 0] += GAIN * (rng.random(n_topics) < RARE) - LOSS
    return _kept(scores, 0, rng)


def _kept(scores, first, rng):
    """Whether the sets hold the best system, by each method."""
    how = {"n_resamples": DRAWS, "rng": int(rng.integers(2**32))}
    methods = ("shrunken", "pairwise")
    return [float(first in best_systems(scores, method=method, **how).positions) for method in methods]
