"""What topic sets contradict; close systems, equal agreements, and what published methods do instead."""

import itertools
import math
from functools import partial

import numpy as np

from pt_rankcorr import discriminative_power
from pt_rankcorr.stats import correlation_difference, stability, swap_rates, unpaired_bootstrap_test
from tests.calibration.parts.correlations import INTERVALS, two_measures
from tests.calibration.populations import ALL, DISCRETE, SIMULATED, Data, choose, choose_pair
from tests.calibration.studies import MEAN_LEVEL, Row, Study, bias, level, rejected
from tests.stats.oracles import COEFFICIENTS

OF_NEW_TOPICS = 400  # resamples
FUZZINESS = 0.05
NEW_TOPICS = (
    bias("swap_rates", "share of swaps, less that between fresh topics"),
    bias("swap_rates", "sensitivity, less that of fresh topics"),
    Row("swap_rates", "beyond required_difference, share that fresh topics swap", MEAN_LEVEL, 0.05),
    bias("stability", "minority_rate, less how often fresh topics are wrong"),
    bias("stability", "proportion_of_ties, less that of fresh topics"),
)


def studies():
    populations = ((SIMULATED, "random"), (SIMULATED, "adjacent"), (DISCRETE, "random"))
    for (data, how), n_topics in itertools.product(populations, (10, 50, 250)):
        trial = partial(against_fresh_topics, data, how, n_topics)
        yield Study("sensitivity", f"{data}, systems {how}", (20, n_topics), NEW_TOPICS, trial, 160)


def against_fresh_topics(data, how, n_topics, rng, of="new topics", n_resamples=OF_NEW_TOPICS):
    systems = choose(data, 20, how, rng)
    scores, once, again = (systems.draw(n_topics, rng) for _ in range(3))
    swaps = swap_rates(scores, of=of, n_resamples=n_resamples, rng=rng)
    fuzzy = stability(scores, fuzziness=FUZZINESS, of=of, n_resamples=n_resamples, rng=rng)
    first, second = (differences(sample.mean(axis=0)) for sample in (once, again))
    large = np.abs(first) >= swaps.required_difference
    wrong, tied = wrong_and_tied(systems.means, once.mean(axis=0))
    return [
        float(swaps.swaps.sum() / swaps.counts.sum() - (first * second < 0).mean()),
        float(swaps.sensitivity - large.mean()),
        float((first * second < 0)[large].mean()) if large.any() else math.nan,
        float(fuzzy.minority_rate[0] - wrong),
        float(fuzzy.proportion_of_ties[0] - tied),
    ]


def differences(means):
    """Of all pairs of systems."""
    first, second = np.triu_indices(len(means), 1)
    return means[first] - means[second]


def wrong_and_tied(truth, means):
    """How often a sample puts the truly worse system ahead by more than a margin, and how often neither is."""
    first, second = np.triu_indices(len(means), 1)
    gaps = differences(means)
    ties = np.abs(gaps) < FUZZINESS * np.maximum(np.abs(means[first]), np.abs(means[second]))
    return float((~ties & (gaps * differences(truth) < 0)).mean()), float(ties.mean())


RESAMPLES = 199
EQUAL = (level("correlation_difference", "equal agreements"),)
PUBLISHED = (
    level("unpaired_bootstrap_test", "published, mean, half as many and three times the spread"),
    level("discriminative_power", "paired-bootstrap, difference beyond the published one"),
)
RESAMPLED_TOPICS = (
    bias("swap_rates", "resamples, share of swaps, less that between fresh topics"),
    bias("stability", "resamples, minority_rate, less how often fresh topics are wrong"),
)
APART, NOISE = 0.5, 0.1  # of the spread of true means, and of scores


def others():
    of_systems = (("adjacent", (20, 10)), ("adjacent", (20, 50)), ("adjacent", (10, 25)), ("random", (5, 25)))
    for data, (how, size) in itertools.product((SIMULATED, Data("real")), of_systems):
        trial = partial(two_measures, data, size, how=how)
        yield Study("close systems", f"{data}, with P@10, systems {how}", size, INTERVALS, trial, 200)
    for size in ((10, 10), (20, 25), (20, 50)):
        yield Study("equal agreements", str(SIMULATED), size, EQUAL, partial(equally_good, size), 150)
    for data, n_topics in itertools.product(ALL, (10, 50)):
        yield Study("as published", str(data), (2, n_topics), PUBLISHED, partial(as_published, data, n_topics), 400)
    for (data, how), n_topics in itertools.product(((SIMULATED, "adjacent"), (DISCRETE, "random")), (10, 50)):
        trial = partial(resampled_topics, data, how, n_topics)
        yield Study("resampled topics", f"{data}, systems {how}", (20, n_topics), RESAMPLED_TOPICS, trial, 160)


def equally_good(size, rng):
    """True means whose tau with those of the reference is the same, under equal noise."""
    n_systems, n_topics = size
    systems, differ = choose(SIMULATED, n_systems, "random", rng), True
    reference = systems.draw(n_topics, rng)
    while differ:
        apart = APART * systems.means.std() * rng.standard_normal((2, n_systems))
        first, second = COEFFICIENTS["tau"].kernel(np.tile(systems.means, (2, 1)), systems.means + apart)
        differ = abs(first - second) > 1e-9
    others = [reference + shift + NOISE * rng.standard_normal(reference.shape) for shift in apart]
    return [rejected(correlation_difference(reference, *others, n_resamples=RESAMPLES, rng=rng).pvalue)]


def as_published(data, n_topics, rng):
    system = choose(data, 1, "random", rng)
    x, y = (system.draw(n_topics, rng)[:, 0] for _ in range(2))
    wide = system.means[0] + 3.0 * (y[: n_topics // 2] - system.means[0])
    pair = choose_pair(data, rng)
    power = discriminative_power(pair.draw(n_topics, rng), test="paired-bootstrap", n_resamples=200, rng=rng)
    again = abs(float(np.diff(pair.draw(n_topics, rng).mean(axis=0))[0]))
    return [
        rejected(unpaired_bootstrap_test(x, wide, method="published", n_resamples=RESAMPLES, rng=rng).pvalue),
        float(again >= power.published_difference),
    ]


def resampled_topics(data, how, n_topics, rng):
    swapped, _, _, minority, _ = against_fresh_topics(data, how, n_topics, rng, "resamples", RESAMPLES)
    return [swapped, minority]
