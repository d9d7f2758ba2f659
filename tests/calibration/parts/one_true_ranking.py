"""What tau of two measures with one true ranking would be, and its p: level, value, range, and power beside them.

Three kinds of cases in which the null hypothesis is true. *One order*: the true means of real systems by one measure
are put in the order of the other; topics are drawn with replacement. *Halves*: one measure on two halves of its topics,
of which nothing is moved. *Simulated*: true means of any shape. The first say, too, how often the same systems are told
to differ as they are.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.accuracy.replicates import null_replicate
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.truth.one_true_ranking import OneRanking, OneTrueRanking, side_of
from tests.calibration.populations import PEOPLE, real_judges, trec_collections
from tests.calibration.studies import POWER, Row, Study, bias, coverage, covered, level
from tests.stats.oracles import COEFFICIENTS

Floats = NDArray[np.float64]
Sides = tuple[Floats, Floats]  # scores by both, shape (n_topics, n_systems)

REPLICATES, SAMPLES = 199, 200
OF = Coefficients(tuple(COEFFICIENTS[name] for name in ("tau", "tau_ap", "spearman")))
WHAT = "one true ranking"
OF_NULL = (
    *(level(WHAT, f"p, {name}") for name in OF.columns),
    bias(WHAT, "value less tau"),
    coverage(WHAT, "middle 95% of tau"),
)
AS_THEY_ARE = Row(WHAT, "p, tau, other orders", POWER, math.nan)

PAIRS = (  # of measures of TREC collections, with the sizes of samples
    ("adhoc5", "ap", "rr", (30, 50)),
    ("adhoc5", "rr", "ap", (60, 50)),
    ("adhoc6", "ap", "p10", (30, 50)),
    ("adhoc6", "ap", "p10", (10, 50)),
    ("adhoc6", "ap", "p10", (60, 50)),
    ("adhoc7", "ap", "rr", (30, 25)),
    ("adhoc7", "p10", "rr", (30, 50)),
    ("web2012", "ap", "ndcg20", (30, 25)),
    ("web2012", "ndcg20", "err20", (40, 50)),
    ("web2012", "ndcg20", "rr", (30, 50)),
    ("web2012", "p10", "rr", (30, 50)),
    ("robust2004", "ap", "p10", (30, 50)),
    ("robust2004", "p10", "ap", (30, 25)),
)
HALVES = (  # measures, systems and topics of a half
    ("adhoc5", "ap", (30, 25)),
    ("adhoc6", "rr", (30, 25)),
    ("adhoc7", "p10", (60, 25)),
    ("web2012", "ap", (30, 25)),
    ("web2012", "rr", (10, 25)),
    ("robust2004", "ap", (30, 25)),
    ("robust2004", "ap", (30, 100)),
    ("robust2004", "p10", (60, 50)),
)


@dataclass(frozen=True)
class Case:
    """Samples of two measures that have one true ranking, and of the same systems as they are."""

    sample: Callable[[np.random.Generator], Sides]
    as_they_are: Callable[[np.random.Generator], Sides] | None = None
    shared: bool = True  # whether both are on the same topics


def studies():
    for collection, first, second, size in PAIRS:
        of_collection = trec_collections().get(collection, {})
        if first in of_collection:
            scores = of_collection[first], of_collection[second]
            yield from _of_pair(f"{collection}, {first} and {second}", scores, size)
    for model in [*real_judges()][1:]:
        scores = real_judges()[PEOPLE], real_judges()[model]
        yield from _of_pair(f"DL 2019, people and {model}", scores, scores[0].shape[::-1])
    for (collection, measure, size), shared in itertools.product(HALVES, (False, True)):
        if measure in trec_collections().get(collection, {}):
            told = f"{collection}, {measure}, halves of topics{', one on both sides' if shared else ''}"
            case = partial(halves, trec_collections()[collection][measure], *size, shared)
            yield _study(told, size, case, OF_NULL)
    for told, (size, case) in SIMULATED.items():
        yield _study(f"simulated, {told}", size, partial(case, *size), OF_NULL)


def _of_pair(told, scores, size):
    for is_raw in (False, True):
        about = f"{told}, one order{', noise left in the true means' if is_raw else ''}"
        yield _study(about, size, partial(in_one_order, *scores, *size, is_raw), (*OF_NULL, AS_THEY_ARE))


def _study(told, size, case, rows):
    return Study(WHAT, told, size, rows, partial(trial, case), SAMPLES)


def trial(case_of, rng):
    """A value for each row: of one sample of a new case."""
    case = case_of(rng)
    values, nulls = under_one_ranking(case.sample(rng), case.shared, rng)
    again = _values(case.sample(rng))
    found = [_is_rejected(null) for null in nulls]
    found += [nulls[0].mean - values[0], covered((nulls[0].low, nulls[0].high), again[0])]
    if case.as_they_are is not None:
        found.append(_is_rejected(under_one_ranking(case.as_they_are(rng), case.shared, rng)[1][0]))
    return found


def _is_rejected(null):
    """Where one side is mostly noise there is no p, and nothing is rejected."""
    return float(null.pvalue <= 0.05)


def under_one_ranking(sides, shared, rng):
    """The coefficients of a sample, and what each would be."""
    pair, values = OneRanking.of(*sides, shared=shared), _values(sides)
    seed, samples = int(rng.integers(2**32)), [0 if shared else 1]
    drawn = null_replicate(OF.of, sides[0], [sides[1]], [pair], REPLICATES, seed, samples=samples)[:, 0].T
    return values, [OneTrueRanking.of(*each, pair.reliability) for each in zip(values, drawn, strict=True)]


def _values(sides):
    return OF.of(*map(system_means, sides)).tolist()


# --- real scores ---------------------------------------------------------------------------------------------


def in_one_order(first, second, n_systems, n_topics, is_raw, rng):
    """The true means of the second side are those that it has, in the order of the first side.

    Measured means vary by noise, too; unless raw, they are drawn together such that they vary as much as true ones.
    """
    some = rng.permutation(first.shape[1])[:n_systems]
    as_they_are = first[:, some], second[:, some]
    reference, estimate = as_they_are if is_raw else map(without_noise, as_they_are)
    ordered = np.empty(some.size)
    ordered[np.argsort(reference.mean(axis=0), kind="stable")] = np.sort(estimate.mean(axis=0))
    moved = reference, estimate - estimate.mean(axis=0) + ordered
    return Case(partial(_topics, moved, n_topics), partial(_topics, as_they_are, n_topics))


def _topics(sides, n_topics, rng):
    rows = rng.integers(0, len(sides[0]), n_topics)
    return tuple(side[rows] for side in sides)


def without_noise(scores):
    """Moved, so that the variance of means is that which noise leaves of it."""
    means = scores.mean(axis=0)
    return scores + (math.sqrt(max(side_of(scores).reliability, 0.02)) - 1.0) * (means - means.mean())


def halves(scores, n_systems, n_topics, shared, rng):
    """One measure on two halves of topics; or on one, and on means of its topics with those of the other half."""
    of_some = scores[:, rng.permutation(scores.shape[1])[:n_systems]]

    def sample(rng):
        first, second = np.split(of_some[rng.permutation(len(of_some))[: 2 * n_topics]], 2)
        return first, (first + second) / 2.0 if shared else second

    return Case(sample, shared=shared)


# --- simulated scores ----------------------------------------------------------------------------------------

FACTORS, SHARE = 4, 0.5  # of topics, on which similar systems score alike, and their share of the variance


def simulated(means_of, n_systems, n_topics, rng, *, noise=1.0, shared=0.6, errors="normal"):
    """Means, in standard errors of the first side; `noise` is that of the second, `shared` a part of both's errors."""
    means = means_of(n_systems, rng)[:, rng.permutation(n_systems)] / math.sqrt(n_topics)
    loadings = rng.standard_normal((n_systems, FACTORS)) / math.sqrt(FACTORS)

    def one(rng):
        alike = rng.standard_normal((n_topics, FACTORS)) @ loadings.T
        drawn = math.sqrt(SHARE) * alike + math.sqrt(1.0 - SHARE) * rng.standard_normal(alike.shape)
        return drawn / np.sqrt(rng.chisquare(3, (n_topics, 1))) if errors == "heavy tails" else drawn

    def sample(rng):
        common = one(rng)
        of_both = [math.sqrt(shared) * common + math.sqrt(1.0 - shared) * one(rng) for _ in range(2)]
        if errors == "one topic":
            for each in of_both:
                each[0] *= math.sqrt(n_topics)
        return means[0] + of_both[0], means[1] + noise * of_both[1]

    return Case(sample)


def alike(draw, reliability, n_systems, rng, bend=None):
    """One shape on both sides, or a bent one on the second: shape (2, n_systems), ascending."""
    drawn = np.sort(draw(n_systems, rng))
    other = drawn if bend is None else bend(drawn)
    return _spread(reliability) * np.stack([_standardised(drawn), _standardised(other)])


def apart(draw, reliability, n_systems, rng):
    """Shapes that have nothing in common but their distribution."""
    drawn = (_standardised(np.sort(draw(n_systems, rng))) for _ in range(2))
    return _spread(reliability) * np.stack([*drawn])


def _spread(reliability):
    return math.sqrt(reliability / (1.0 - reliability))


def _standardised(values):
    return (values - values.mean()) / values.std()


def normal(n, rng):
    return rng.standard_normal(n)


def failed(n_systems, rng):
    """Normal means of reliability .9, and a run 40 standard deviations below."""
    means = np.sort(3.0 * rng.standard_normal(n_systems))
    means[0] = -120.0
    return np.stack([means, means])


def clusters(number, within, n_systems, rng):
    """Groups 12 standard errors from each other; `within` is the reliability of means in one."""
    centres = np.repeat(12.0 * np.arange(number), n_systems // number)
    return np.sort([centres + _spread(within) * rng.standard_normal(centres.size) for _ in range(2)], axis=1)


def one_flat(n_systems, rng):
    return np.stack([3.0 * np.sort(rng.standard_normal(n_systems)), np.zeros(n_systems)])


def logistic(steepness, drawn):
    """Bends means to a scale that saturates at both ends."""
    return 1.0 / (1.0 + np.exp(-steepness * drawn))


def jagged(shape, n, rng):
    """Gaps of a gamma distribution: the smaller its shape, the more systems are nearly equal."""
    return np.cumsum(rng.gamma(shape, size=n))


NORMAL = partial(alike, normal)
SIMULATED = {
    "normal means, reliability .7": ((30, 50), partial(simulated, partial(NORMAL, 0.7))),
    "normal means": ((30, 50), partial(simulated, partial(NORMAL, 0.9))),
    "normal means, reliability .98": ((30, 50), partial(simulated, partial(NORMAL, 0.98))),
    "normal means, reliability .9995": ((30, 50), partial(simulated, partial(NORMAL, 0.9995))),
    "normal means, ten topics": ((30, 10), partial(simulated, partial(NORMAL, 0.9))),
    "normal means, five topics": ((10, 5), partial(simulated, partial(NORMAL, 0.9))),
    "normal means, five systems": ((5, 50), partial(simulated, partial(NORMAL, 0.9))),
    "normal means, twelve systems": ((12, 50), partial(simulated, partial(NORMAL, 0.9))),
    "normal means, many systems": ((100, 50), partial(simulated, partial(NORMAL, 0.9))),
    "errors that both share": ((30, 50), partial(simulated, partial(NORMAL, 0.9), shared=0.9)),
    "errors of each": ((30, 50), partial(simulated, partial(NORMAL, 0.9), shared=0.0)),
    "errors with heavy tails": ((30, 50), partial(simulated, partial(NORMAL, 0.9), errors="heavy tails")),
    "one topic with half of the noise": ((30, 50), partial(simulated, partial(NORMAL, 0.9), errors="one topic")),
    "one side with twice the noise": ((30, 50), partial(simulated, partial(NORMAL, 0.95), noise=2.0)),
    "one side with four times the noise": ((30, 50), partial(simulated, partial(NORMAL, 0.95), noise=4.0)),
    "one side all noise": ((30, 50), partial(simulated, one_flat)),
    "one failed run": ((30, 50), partial(simulated, failed)),
    "lognormal means": ((30, 50), partial(simulated, partial(apart, lambda n, rng: rng.lognormal(size=n), 0.9))),
    "gaps of gamma .3": ((30, 50), partial(simulated, partial(apart, partial(jagged, 0.3), 0.9))),
    "gaps of gamma .1": ((30, 50), partial(simulated, partial(apart, partial(jagged, 0.1), 0.9))),
    "two clusters, nearly equal within": ((30, 50), partial(simulated, partial(clusters, 2, 0.1))),
    "two clusters, close within": ((30, 50), partial(simulated, partial(clusters, 2, 0.3))),
    "three clusters, nearly equal within": ((30, 50), partial(simulated, partial(clusters, 3, 0.1))),
    "three copies of ten systems": (
        (30, 50),
        partial(simulated, partial(apart, lambda n, rng: np.tile(normal(n // 3, rng), 3), 0.9)),
    ),
    "a scale that saturates": ((30, 50), partial(simulated, partial(NORMAL, 0.9, bend=partial(logistic, 4.0)))),
    "a scale that saturates soon": ((30, 50), partial(simulated, partial(NORMAL, 0.9, bend=partial(logistic, 8.0)))),
}
