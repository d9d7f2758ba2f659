"""What the papers need beside: curves of swaps, halves of the topics, any standard error, graded measures, lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc

import pt_rankcorr as ptr
from pt_rankcorr.measures import JKnDCG, Q
from tests.fuzz.hostile_numbers import N_JOBS, Array, arrays, dressed, mostly
from tests.fuzz.targets_statistics import CORRELATION, MATRIX, anything, drawn, in_range, plain

STATISTIC = mostly(np.mean, np.median, ptr.stats.geometric_mean)
ENOUGH = dressed(arrays((4, 3), (5, 2), (9, 4), (12, 7)))
BINS = mostly("published", 5, [0.0, 0.1], [0.1, 0.2, 0.5])

# --- swaps and stability -----------------------------------------------------------------------------


def _curve(scores: Any, n_topics: Any, **settings: Any) -> object:
    curve = ptr.stats.swap_curve(scores, **settings)
    if not isinstance(curve, dict):
        assert ((curve.swaps >= 0) & (curve.swaps <= curve.counts)).all()
        rates = curve.rates_with(n_topics)
        assert ((rates >= 0.0) & (rates <= 0.5) | np.isnan(rates)).all()
        needed = curve.required_difference(n_topics)
        assert math.isnan(needed) or needed in curve.edges
        assert (str(curve), curve.to_dict(), len(curve.to_frame())) is not None
    return curve


# --- the pair and the resample that set a difference --------------------------------------------------


def _pairs(scores: Any, **settings: Any) -> object:
    result = ptr.discriminative_power(scores, **settings)
    for one in result.values() if isinstance(result, dict) else [result]:
        for difference, pair in (
            (one.required_difference, one.required_pair),
            (one.published_difference, one.published_pair),
        ):
            assert pair is None or (set(pair) <= set(one.systems) and difference > 0.0)
        if one.published_topics is not None:
            assert one.published_topics.shape == (one.n_topics,)
            assert one.published_topics.sum() == one.n_topics
            _check_resample(scores, one)
    return result


def _check_resample(scores: Any, one: Any) -> None:
    """The means over the resample differ by what it sets, of scores that can be added up."""
    if not isinstance(scores, np.ndarray) or scores.dtype.kind != "f" or not 1e-100 < np.abs(scores).max() < 1e100:
        return
    if one.published_pair is None or not math.isfinite(one.published_difference):
        return
    first, second = (one.systems.index(name) for name in one.published_pair)
    centred = np.asarray(scores)[:, first] - np.asarray(scores)[:, second]
    centred = centred - centred.mean()
    found = abs(float(one.published_topics @ centred)) / one.n_topics
    assert math.isclose(found, one.published_difference, rel_tol=1e-6, abs_tol=1e-9 * np.abs(scores).max())


# --- any standard error -------------------------------------------------------------------------------


def of_best(*scores: Array) -> float:
    return float(scores[0].mean(axis=0).max())


def of_two(first: Array, second: Array) -> float:
    return float(first.mean() - second.mean())


def is_nan_for_some(*scores: Array) -> float:
    return float("nan") if scores[0][0, 0] == scores[0][1, 0] else 1.0


def is_word(*scores: Array) -> Any:
    return "0.5"


def is_vector(*scores: Array) -> Any:
    return scores[0].mean(axis=0)


def is_infinite(*scores: Array) -> float:
    return math.inf


def raises(*scores: Array) -> float:
    raise KeyError("no such number")


def overwrites(*scores: Array) -> float:
    scores[0][...] = 0.0
    return 0.0


OWN = mostly(of_best, of_best, of_two, is_nan_for_some, is_word, is_vector, is_infinite, raises, overwrites)
SEVERAL = dressed(arrays((5, 4), (2, 2)))

# --- graded measures ----------------------------------------------------------------------------------


def parameters(base: Any, beta: Any) -> object:
    """A parameter of a measure is a number in its range, or refused by its name."""
    run, qrels = [ScoredDoc("q", "d1", 1.0)], [Qrel("q", "d1", 1)]
    return [measure.calc_aggregate(qrels, run) for measure in (JKnDCG(base=base), Q(beta=beta))]


# --- two lists of different systems --------------------------------------------------------------------

NAMES = st.lists(st.sampled_from("abcdef"), min_size=3, max_size=6, unique=True)


@st.composite
def named(draw: st.DrawFn) -> Any:
    """One score a system, of some of the same systems, in some form."""
    names = draw(NAMES)
    scores = np.asarray(draw(arrays((len(names),), kinds=("ordinary", "tenths", "zeros", "signed", "mixed", "large"))))
    if scores.shape != (len(names),):
        return scores
    form = draw(st.integers(0, 3))
    if form == 0:
        return ptr.ScoreMatrix([[0.5] * len(names), list(range(len(names)))], systems=names)
    of_names = dict(zip(names, scores.tolist(), strict=True))
    return of_names if form == 1 else pd.Series(of_names) if form == 2 else scores


def _common(coefficient: Any) -> Any:
    def compare(reference: Any, estimate: Any, **settings: Any) -> object:
        found = coefficient(reference, estimate, **settings)
        if isinstance(reference, dict) and isinstance(estimate, dict) and settings.get("missing") in ("skip", "warn"):
            common = [name for name in reference if name in estimate]
            chosen = ([side[name] for name in common] for side in (reference, estimate))
            assert np.array_equal(found, coefficient(*chosen), equal_nan=True)
        return found

    return compare


MISSING = mostly("skip", "skip", "warn", "error")
SAME_SYSTEMS = (ptr.kendall_tau, ptr.tau_ap, ptr.tau_gap, ptr.stats.spearman)

# --- the component ------------------------------------------------------------------------------------


def _geometric(scores: Any) -> object:
    """Of scores of at least 0, the column holds the geometric means; of others nan, as its page says."""
    matrix = ptr.ScoreMatrix(scores, measure="AP")
    frame = ptr.GeometricMean()(ptr.Scores([matrix]).to_frame())
    column = frame.groupby("name", sort=False)["geometric mean"].first().to_numpy()
    if matrix.values.min() >= 0.0:
        least, most = matrix.values.min(axis=0), matrix.values.max(axis=0)
        assert ((column >= least * (1 - 1e-9) - 1e-12) & (column <= most * (1 + 1e-9) + 1e-12)).all(), column
    else:
        assert np.isnan(column).all()
    return frame


def _can_be_compared(value: object) -> bool:
    """Not pandas' NA, at which ir_measures fails before it asks the measure."""
    return value is not pd.NA


OF_CURVES = {
    "topic_set_sizes": mostly(None, [1, 2], [2, 1, 2], [1], [1, 6]),
    "max_rate": mostly(0.05, 0.5),
    "bins": BINS,
    "statistic": STATISTIC,
    "n_jobs": N_JOBS,
}
OF_HALVES = {"of": mostly("halves"), "topic_set_size": mostly(None, 1, 2, 6), "statistic": STATISTIC}
TESTS = mostly("paired-bootstrap", "paired-bootstrap", "tukey-hsd", "t")
OF_TWO, DISTANCE = mostly("two-sample", "published"), in_range(0, np.inf)
stats = ptr.stats


def _with_names(scores: Any) -> Any:
    """A score matrix of the first systems, where there can be one."""
    try:
        return ptr.ScoreMatrix(scores, systems=list("abcd"))
    except (TypeError, ValueError):
        return scores


NAMED_MATRIX = dressed(arrays((5, 4))).map(_with_names)
TARGETS = (
    drawn(_curve, ENOUGH, mostly(1, 2.5, 50, 1e9), to=anything, name="swap_curve", **OF_CURVES),
    drawn(stats.swap_rates, MATRIX, name="swap_rates of halves", bins=BINS, **OF_HALVES),
    drawn(stats.stability, MATRIX, name="stability of halves", fuzziness=mostly(0.0, [0.05, 0.3]), **OF_HALVES),
    drawn(_pairs, MATRIX, name="required pairs", test=TESTS, alpha=mostly(0.05, 0.5)),
    drawn(stats.bootstrap_standard_error, OWN, SEVERAL),
    drawn(
        stats.bootstrap_standard_error, mostly(of_two, of_best), SEVERAL, SEVERAL, name="standard error of a difference"
    ),
    plain(parameters, *(mostly(*good).filter(_can_be_compared) for good in ((2.0, 10), (1.0, 0.0))), to=anything),
    *(
        plain(_common(each), named(), named(), to=to, name=f"{each.__name__} of common systems", missing=MISSING)
        for each, to in ((stats.kendall_distance, DISTANCE), *((each, CORRELATION) for each in SAME_SYSTEMS))
    ),
    drawn(ptr.d_rank, NAMED_MATRIX, named(), name="d_rank of common systems", missing=MISSING, null=OF_TWO),
    plain(_geometric, MATRIX, to=anything, name="component GeometricMean"),
)
