"""Topics in clusters, and of several collections: levels and coverage where topics are no independent sample.

Half of the variance of a score is common to the topics of its cluster. Collections differ in size and in spread, and
systems are better in some than in others.
"""

import itertools
from functools import partial

import numpy as np

from pt_rankcorr import ScoreMatrix, d_rank, discriminative_power, rank_intervals
from pt_rankcorr.stats import randomized_tukey_hsd
from pt_rankcorr.stats.core.means import ranks
from tests.calibration.populations import SIMULATED, choose
from tests.calibration.studies import MEAN_COVERAGE, MEAN_LEVEL, Row, Study, level, rejected

SYSTEMS, RESAMPLES = 10, 199
CORRELATION = 0.5  # of the scores of two topics of a cluster
SHIFT = 0.05  # standard deviation of what a collection adds to a system's mean
CLUSTERS = {"clusters of 4": (4,), "clusters of 1 to 9": tuple(range(1, 10))}
STRATA = {"collections of 8, 20, 50 and 122 topics": (8, 20, 50, 122), "18 collections of 5 topics": (5,) * 18}
EQUAL = (
    level("randomized_tukey_hsd", "all pairs, {}, equal means"),
    Row("discriminative_power", "t, {}, equal means", MEAN_LEVEL, 0.05),
)
RANDOM = (
    Row("rank_intervals", "shrunken, {}", MEAN_COVERAGE, 0.95),
    Row("rank_intervals", "pairwise, {}", MEAN_COVERAGE, 0.95),
    level("d_rank", "shrunken null, {}"),
)


def studies():
    for (kind, sizes), n_clusters in itertools.product(CLUSTERS.items(), (20, 50)):
        yield from _both(kind, partial(clustered, sizes, n_clusters), n_clusters)
    for kind, of_collections in STRATA.items():
        yield from _both(kind, partial(stratified, of_collections), sum(of_collections))


def _both(kind, draw, n_topics):
    for how, rows, trial in (("equal", EQUAL, false_alarms), ("random", RANDOM, of_ranks)):
        named = tuple(Row(row.what, row.settings.format(kind), row.kind, row.nominal) for row in rows)
        data = f"{SIMULATED}, systems {how}"
        yield Study("designs", data, (SYSTEMS, n_topics), named, partial(trial, draw), 400)


def clustered(sizes, n_clusters, systems, rng):
    cluster = np.repeat(np.arange(n_clusters), rng.choice(sizes, n_clusters))
    common, own = (systems.draw(n, rng) - systems.means for n in (n_clusters, cluster.size))
    scores = np.sqrt(CORRELATION) * common[cluster] + np.sqrt(1.0 - CORRELATION) * own
    return ScoreMatrix(systems.means + scores, clusters=cluster)


def stratified(sizes, systems, rng):
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    shifts = rng.normal(0.0, SHIFT, (len(sizes), systems.means.size))
    spread = np.linspace(0.6, 1.4, len(sizes))[stratum, np.newaxis]
    noise = spread * (systems.draw(stratum.size, rng) - systems.means)
    return ScoreMatrix(systems.means + (shifts - shifts.mean(axis=0))[stratum] + noise, strata=stratum)


def false_alarms(draw, rng):
    scores = draw(choose(SIMULATED, SYSTEMS, "equal", rng), rng)
    family = randomized_tukey_hsd(scores, n_resamples=RESAMPLES, rng=rng)
    return [rejected(family.pvalue), discriminative_power(scores, test="t").statistic]


def of_ranks(draw, rng):
    systems = choose(SIMULATED, SYSTEMS, "random", rng)
    scores, truth = draw(systems, rng), ranks(systems.means)
    coverage = []
    for method in ("shrunken", "pairwise"):
        found = rank_intervals(scores, method=method, n_resamples=RESAMPLES, rng=rng)
        coverage.append(float(((found.low <= truth) & (truth <= found.high)).mean()))
    tested = d_rank(scores, systems.means, null="shrunken", n_resamples=RESAMPLES, rng=rng)
    return [*coverage, rejected(tested.pvalue)]
