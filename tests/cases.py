"""Cases of each public statistic: how it is called with scores of systems, and what each format of these scores gives.

What must hold of all statistics is tested with this table: formats of scores, orders, clusters, how results are shown,
workers, growth, degenerate scores. A new statistic needs a case here, and a place in no other list.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from operator import attrgetter as of
from typing import Any

import numpy as np
import pandas as pd

import pt_rankcorr as rc
from pt_rankcorr import stats
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning

Inputs = Callable[[Any, Any], tuple[Any, ...]]

# --- scores -------------------------------------------------------------------------------------------------

SYSTEMS, TOPICS = ["loc", "means", "columns"], [f"q{number}" for number in range(20)]  # names that are attributes
RNG = np.random.default_rng(5)
BASE = np.array([0.3, 0.4, 0.5]) + RNG.random((20, 1)) / 4
VALUES = (BASE + RNG.random((20, 3)) / 4)[:, [1, 0, 2]]
OTHER = ScoreMatrix(BASE[:, [0, 2, 1]] + RNG.random((20, 3)) / 4, TOPICS, SYSTEMS)
TOPIC_ORDER, SYSTEM_ORDER = RNG.permutation(20), [2, 0, 1]


def matrix(values):
    return ScoreMatrix(values, TOPICS, SYSTEMS)


# --- what a statistic takes: the scores, and others of the same systems ----------------------------------------


def alone(scores, _):
    return (scores,)


def beside(scores, other):
    return scores, other


def swapped(scores, other):
    return other, scores


def two_systems(scores, other):
    name = sorted(scores.systems)[1]
    return tuple(side.select(systems=[name]).values[:, 0] for side in (scores, other))


def predicted(scores, other):
    first = sorted(other.systems)[0]
    return scores, pd.Series(other.select(systems=[first]).values[:, 0], other.topics)


def few_by_people(scores, other):
    topics = [*other.topics, *(f"{topic}, too" for topic in other.topics)]
    return scores, ScoreMatrix(np.vstack([other.values, other.values + 0.01]), topics, other.systems)


def many_by_a_judge(scores, other):
    in_order = sorted(other.topics, key=lambda topic: (len(topic), topic))  # q2 before q10
    some = set(in_order[: other.n_topics // 2])
    return other.select(topics=[topic for topic in other.topics if topic in some]), scores


def measures(scores, other):
    return ([scores.named("one"), other.named("other")],)


def rankings(scores, other):
    return ({"one": scores, "other": other},)


def nothing(*values):
    """Of no scores: always these values."""
    return lambda *_: values


# --- what is compared of a result ------------------------------------------------------------------------------


def by_name(systems, values):
    """Values of systems in the order of their names; what has no names is in the order of `SYSTEMS`."""
    names = SYSTEMS if systems is None or systems[0] == "s1" else systems
    return [value for _, value in sorted(zip(names, np.asarray(values).tolist(), strict=True))]


def of_systems(name):
    """The values of each system that a result has under a name."""
    return lambda result: by_name(result.systems, getattr(result, name))


def of_pairs(result):
    return by_name(result.systems, [by_name(result.systems, row) for row in np.asarray(result.differences)])


# --- what each format gives (every_function/test_shapes.py), compared with the result for a score matrix with names ---

SAME = "the same bits"
CLOSE = "the same but for the last digits"
UNMATCHED = "the same bits, and a warning that only one side has names"
NAN = "nan, and a warning"
TIMES_100 = "a hundred times as much"
WORKS = "another result: the topics are resampled in another order, or the statistic moves"
ZERO = "zero"
MATRIX_ONLY = r"^`\w+` must be (of shape \(n_topics, n_systems\)( or \(n_systems,\))?|an array of numbers), got "

ARRAYS = ("2-D", "list", "tuple", "big-endian", "Fortran", "strided", "read-only", "not masked")
FRAMES = ("frame", "frame of columns", "frame with qid", "nullable frame", "frame of objects")
VECTORS = ("1-D", "series", "mapping", "means of permuted")  # one score a system
FORMATS = (*ARRAYS, *FRAMES, *VECTORS, "all tied", "permuted", "x 100", "+ 1")

Gives = Mapping[str, str]
ALONE = dict.fromkeys(FORMATS, SAME) | {"all tied": NAN}
BESIDE = ALONE | dict.fromkeys(["1-D", *ARRAYS], UNMATCHED)  # the other input has names
MATRIX_ALONE = ALONE | dict.fromkeys(VECTORS, MATRIX_ONLY)
MATRIX_BESIDE = BESIDE | dict.fromkeys(VECTORS, MATRIX_ONLY)
LINEAR = {"x 100": CLOSE, "+ 1": CLOSE}
TIED = {"all tied": WORKS}
SCALES = {"x 100": TIMES_100, "+ 1": WORKS, "all tied": WORKS}
OF_DIFFERENCES = {"x 100": TIMES_100, "+ 1": CLOSE, "all tied": WORKS}
MATRIX_CLOSE = MATRIX_ALONE | dict.fromkeys(["permuted", *FRAMES], CLOSE)
BESIDE_CLOSE = MATRIX_BESIDE | dict.fromkeys(["permuted", *FRAMES], CLOSE)
RESAMPLED = dict.fromkeys(["permuted", *FRAMES], WORKS)
IN_UNIT_RANGE = {"all tied": WORKS} | dict.fromkeys(["x 100", "+ 1"], r"^`scores` must be in \[0, 1\], got ")

# --- cases --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A statistic, its inputs and settings, what each format of scores gives, and what of a result is compared."""

    function: Callable[..., Any]
    inputs: Inputs = alone
    settings: dict[str, Any] = field(default_factory=dict)
    formats: Gives = field(default_factory=dict)
    value: Callable[[Any], Any] = lambda result: result

    def takes(self, name):
        return name in inspect.signature(self.function).parameters

    def how(self, settings):
        """Its own settings, and those of the given ones that it takes."""
        return {name: value for name, value in settings.items() if self.takes(name)} | self.settings

    def __call__(self, scores, other, **settings):
        return self.function(*self.inputs(scores, other), **self.how(settings))

    def compared(self, scores, other=OTHER):
        """Numbers of few resamples, the same for the same scores."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "3 systems on .* are too few: an interval", UnreliableResultWarning)
            warnings.filterwarnings("ignore", "No resample of topics changes", DegenerateInputWarning)
            result = self(scores, other, n_resamples=19, n_draws=19, rng=1)
        return np.asarray(self.value(result), dtype=float)


@wraps(rc.expected_correlation)
def interval(*scores, **settings):
    return rc.expected_correlation(*scores, **settings).confidence_interval(0.9)


@wraps(rc.DRankTest)
def distance(reference, ranking, **settings):
    return rc.DRankTest(reference, **settings).distance(ranking)


@wraps(stats.PairedBootstrap)
def paired_bootstrap(x, y, **settings):
    return stats.PairedBootstrap(**settings)(x, y)


@wraps(stats.TopicSimulator)
def simulated_means(scores):
    return sorted(stats.TopicSimulator(scores).means)


def simulated_topics(scores, rng=None, n_jobs=None):
    return stats.TopicSimulator(scores).draw(50, rng, n_jobs=n_jobs)


def highest_mean(scores):
    return float(np.sort(np.asarray(scores), axis=0).mean(axis=0).max())


def rows(function, name, *values, inputs=alone):
    """A case for each value of one setting."""
    return {f"{function.__name__}, {value}": Case(function, inputs, {name: value}) for value in values}


def both_sides(name, function, first, second, value=float, **settings):
    """A case for each of two sides."""
    return {
        name: Case(function, beside, settings, first, value),
        f"{name}, swapped": Case(function, swapped, settings, second, value),
    }


D_RANK = MATRIX_BESIDE | LINEAR
ALLOWED = {"n_null_resamples": 39, "covariance": "ledoit-wolf"}
CASES = {
    # two rankings
    **both_sides("kendall_tau", rc.kendall_tau, BESIDE, BESIDE),
    **both_sides("tau_ap", rc.tau_ap, BESIDE, BESIDE),
    **both_sides("kendall_distance", stats.kendall_distance, BESIDE, BESIDE),
    **both_sides("spearman", stats.spearman, BESIDE, BESIDE),
    **both_sides("tau_gap", rc.tau_gap, BESIDE | LINEAR, BESIDE | LINEAR),
    **both_sides("pearson", stats.pearson, BESIDE | LINEAR, BESIDE | LINEAR),
    **both_sides("contributions", stats.contributions, BESIDE, BESIDE, of_systems("by_system")),
    "swap_weights": Case(stats.swap_weights, formats=ALONE, value=lambda it: it.values[np.triu_indices(3, 1)]),
    "coefficient_matrix": Case(
        stats.coefficient_matrix, rankings, {"coefficient": "tau_ap"}, value=lambda it: it.to_numpy().ravel()
    ),
    "kendall_test": Case(stats.kendall_test, nothing(0.5, 8)),
    "kendall_interval": Case(stats.kendall_interval, nothing(0.5, 8)),
    "tau_ap_test": Case(stats.tau_ap_test, nothing(0.5, 8)),
    "spearman_test": Case(stats.spearman_test, nothing(0.5, 8)),
    "random_rankings": Case(stats.random_rankings, nothing(10, 40), {"tau_ap": 0.9, "tolerance": 0.02}),
    # d_rank
    **both_sides("d_rank", rc.d_rank, D_RANK, BESIDE, list, covariance="ledoit-wolf"),
    **rows(rc.d_rank, "null", "published", "two-sample", inputs=beside),
    "DRankTest": Case(distance, beside, {"covariance": "ledoit-wolf"}, D_RANK),
    "allowed_ranks": Case(
        stats.allowed_ranks, alone, ALLOWED, formats=MATRIX_ALONE | LINEAR, value=of("critical_value")
    ),
    "rank_geometry": Case(stats.rank_geometry, beside, formats=D_RANK, value=of("statistic")),
    # the true ranking, and other topics
    "shrunken_truth": Case(stats.shrunken_truth, formats=MATRIX_ALONE | SCALES, value=of_systems("means")),
    "expected_correlation": Case(rc.expected_correlation, formats=MATRIX_CLOSE | LINEAR, value=of("value")),
    **rows(rc.expected_correlation, "estimator", "ml", "msqd", "resampling", "kde", "split-half"),
    "expected_correlation, its interval": Case(interval, settings={"estimator": "kde"}),
    "TopicSimulator, draw": Case(simulated_topics, formats=MATRIX_ALONE | RESAMPLED | IN_UNIT_RANGE),
    "TopicSimulator": Case(simulated_means, formats=MATRIX_CLOSE | IN_UNIT_RANGE),
    # how accurate it is
    "rank_intervals": Case(rc.rank_intervals, formats=MATRIX_ALONE | TIED, value=of_systems("rank")),
    **rows(rc.rank_intervals, "method", "percentile", "pairwise"),
    "best_systems": Case(rc.best_systems, formats=MATRIX_ALONE | TIED, value=lambda result: len(result.systems)),
    **rows(rc.best_systems, "method", "shrunken"),
    "correlation_interval": Case(rc.correlation_interval, beside, {}, MATRIX_BESIDE | LINEAR, of("statistic")),
    "correlation_interval, swapped": Case(
        rc.correlation_interval,
        swapped,
        {},
        MATRIX_BESIDE | LINEAR,
        lambda it: [it.statistic, it.low, it.high, it.standard_error, *it.replicates],
    ),
    **rows(rc.correlation_interval, "coefficient", "tau_ap", "tau_ap_b", "pearson", inputs=beside),
    "correlation_difference": Case(
        stats.correlation_difference,
        *(lambda scores, other: (other, other, scores), {}, MATRIX_BESIDE, of("statistic", "standard_error", "second")),
    ),
    "topics_to_tell_apart": Case(
        stats.topics_to_tell_apart,
        *(lambda scores, other: (other, other, scores), {}, MATRIX_BESIDE, of("difference", "standard_error")),
    ),
    "bootstrap_standard_error": Case(
        stats.bootstrap_standard_error,
        *(lambda scores, _: (highest_mean, scores), {}, MATRIX_CLOSE | SCALES, of("statistic")),
    ),
    "prediction_powered": Case(
        stats.prediction_powered, few_by_people, formats=BESIDE_CLOSE | SCALES, value=of_systems("means")
    ),
    "prediction_powered, judge": Case(
        stats.prediction_powered, many_by_a_judge, formats=BESIDE_CLOSE | LINEAR | TIED, value=of_systems("means")
    ),
    "prediction_quality": Case(
        stats.prediction_quality,
        *(predicted, {"coefficients": ["tau"]}, MATRIX_BESIDE, lambda it: by_name(it.systems, it.values[:, 0])),
    ),
    # which systems differ
    "discriminative_power": Case(rc.discriminative_power),
    "discriminative_power, t": Case(
        rc.discriminative_power, alone, {"test": "t"}, MATRIX_CLOSE | OF_DIFFERENCES, of("required_difference")
    ),
    **rows(rc.discriminative_power, "test", "wilcoxon", "paired-bootstrap", "unpaired-bootstrap"),
    "randomized_tukey_hsd": Case(
        stats.randomized_tukey_hsd, formats=MATRIX_CLOSE | OF_DIFFERENCES | {"all tied": ZERO}, value=of_pairs
    ),
    "topics_to_detect": Case(
        stats.topics_to_detect,
        alone,
        {"difference": 0.1, "alpha": 0.1},
        MATRIX_CLOSE | OF_DIFFERENCES,
        of("detectable_difference"),
    ),
    "significant_agreement": Case(stats.significant_agreement, beside),
    **both_sides(
        *("significant_agreement, t", stats.significant_agreement, MATRIX_BESIDE, BESIDE | TIED, of("statistic")),
        test="t",
    ),
    "stability": Case(stats.stability),
    "stability, no fuzziness": Case(
        stats.stability, alone, {"fuzziness": 0.0}, MATRIX_ALONE | {"all tied": ZERO}, of("minority_rate")
    ),
    "swap_rates": Case(stats.swap_rates, formats=MATRIX_ALONE | LINEAR | TIED, value=of("rates")),
    "swap_curve": Case(
        stats.swap_curve, alone, {"topic_set_sizes": [2, 5], "bins": [0.0]}, MATRIX_ALONE | TIED, of("rates")
    ),
    "paired_bootstrap_test": Case(stats.paired_bootstrap_test, two_systems),
    "PairedBootstrap": Case(paired_bootstrap, two_systems),
    "unpaired_bootstrap_test": Case(stats.unpaired_bootstrap_test, two_systems),
    # no statistics, but they take scores as these do, or draw as these do
    "ScoreMatrix": Case(ScoreMatrix, formats=MATRIX_ALONE | SCALES, value=lambda result: sorted(result.means)),
    "compare": Case(rc.compare, measures, {"top": 3, "test": "tukey-hsd"}),
}


def that_take(setting):
    return {name: case for name, case in CASES.items() if case.takes(setting)}


WITH_FORMATS = {name: case for name, case in CASES.items() if case.formats}
TWO_SIDES = {name: case for name, case in WITH_FORMATS.items() if case.inputs is beside}
