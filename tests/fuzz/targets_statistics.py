"""Every public statistic, component and picture, with hostile numbers, and with options read from its signature."""

from __future__ import annotations

import inspect
import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc

import pt_rankcorr as ptr
from pt_rankcorr import choices, judgments, plots, stats
from pt_rankcorr.measures import JKnDCG, Q
from tests.fuzz.hostile_numbers import (
    JUNK,
    OF_SAMPLES,
    OF_TWO,
    OWN_COEFFICIENTS,
    STATISTIC,
    Strategy,
    arrays,
    dressed,
    mostly,
)
from tests.fuzz.registry import Target

# --- what is given ------------------------------------------------------------------------------------

VECTOR = dressed(arrays((2,), (3,), (5,), (5,), (5,), (9,), (300,), (2, 5), (0, 5)))
MATRIX = dressed(arrays(*((n, m) for n in (1, 2, 3, 5, 12) for m in (2, 3, 4, 7))))
ENOUGH = dressed(arrays((4, 3), (5, 2), (9, 4), (12, 7)))
SEVERAL = dressed(arrays((5, 4)))  # for what takes several matrices of one shape
COLUMN, OTHER_COLUMN = dressed(arrays((5,))), dressed(arrays((5,), (3,)))
FOR_D_RANK = dressed(arrays((2, 5), (5, 5), (12, 5)))
RANKING = dressed(arrays((5,), (5,), (5,), (3, 5), (12, 5)))
OF_SHARES = ("ordinary", "tenths", "binary", "zeros", "constant", "tiny", "smallest", "near one", "not finite")
SHARED = dressed(arrays((3, 2), (5, 4), kinds=OF_SHARES))
TAU, SYSTEMS = mostly(0.5, -1.0, 1.0), mostly(2, 10)
COEFFICIENT = mostly("tau", "tau_ap", "tau_gap", "pearson", "spearman")
ANY_COEFFICIENT = st.one_of(COEFFICIENT, COEFFICIENT, st.sampled_from(OWN_COEFFICIENTS))
QRELS = {"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d1": 0, "d4": 1}}
RUNS = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"2": {"d4": 2.0, "d1": 1.0}, "1": {"d3": 1.0}}}
RANDOM = np.random.default_rng(0).random((3, 6, 4)).round(2)
SCORES = ptr.Scores([ptr.ScoreMatrix(values, measure=name) for values, name in zip(RANDOM, "abc", strict=True)])
FRAME = SCORES.to_frame()

# options whose type does not say what they may be, by their names
OPTIONS: dict[str, Strategy] = {
    "rng": mostly(1, 1, 2**63, np.random.default_rng(3), None),
    "n_jobs": mostly(1, None),
    "n_resamples": mostly(1, 20, 20, 20, np.int64(21)),
    "n_null_resamples": mostly(1, 20),
    "alpha": mostly(0.05, 0.5),
    "level": mostly(0.05, 0.5, 0.95, 0.999),
    "interval": mostly(None, 0.9),
    "reference": mostly(None, "a", "b"),
    "coefficient": mostly("tau", "tau_ap", "tau_gap"),
    "fuzziness": mostly(0.0, 0.05, 0.9),
    "ridge": mostly(1e-5, 1e-12, 1.0),
    "axis": mostly(-1, 0),
    "statistic": STATISTIC,
    "baselines": mostly(None, 0, "s1", [0, 1]),
    "max_rate": mostly(0.05, 0.5),
    "bins": mostly(21, 5, "published", [0.0, 0.1], [0.1, 0.2, 0.5]),
    "topic_set_size": mostly(None, 1, 2, 6),
    "topic_set_sizes": mostly(None, [1, 2], [2, 1, 2], [1], [1, 6]),
    "n_ranking_topics": mostly(None, 1, 5),
    "tau": mostly(0.0, 0.9, -1.0, None),
    "tau_ap": mostly(None, 0.5),
    "tolerance": mostly(0.005, 0.2),
    "depth": mostly(1, 5),
    "share": mostly(0.05, 0.5, 1.0),
}
ALWAYS = {"n_resamples", "n_null_resamples"}  # as many as by default take long


def options_of(function: Callable[..., object], n_given: int = 0) -> dict[str, Strategy]:
    """What the options of a function may be, beyond its first arguments: words and flags by type, others by name."""
    found = {}
    for name, parameter in [*inspect.signature(function).parameters.items()][n_given:]:
        if parameter.default is parameter.empty:
            continue
        if words := re.match(r"choices\.(\w+)", str(parameter.annotation)):
            found[name] = mostly(*get_args(getattr(choices, words[1])))
        elif parameter.annotation == "bool":
            found[name] = mostly(True, False)
        elif name in OPTIONS:
            found[name] = OPTIONS[name]
    return found


@dataclass(frozen=True)
class Call:
    """A call with everything that it is given."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def of(self, function: Callable[..., object]) -> object:
        return function(*self.arguments, **self.options)


# --- what any result must be -------------------------------------------------------------------------


def checked(function: Callable[..., object], sound: Callable[[Any], None]) -> Callable[[Call], object]:
    """Calls the function: its inputs must stay as they were, and what it returns must be sound."""

    def check(call: Call) -> object:
        before = [_bytes(value) for value in _all_arrays(call)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = call.of(function)
            finally:
                assert before == [_bytes(value) for value in _all_arrays(call)], "an input was changed"
        sound(result)
        own = [warning for warning in caught if warning.category.__module__.startswith("pt_rankcorr")]
        assert own or not list(_undefined(result)), f"nan without a warning: {list(_undefined(result))}"
        for warning in caught:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        return result

    return check


def _all_arrays(call: Call) -> list[np.ndarray[Any, Any]]:
    return [value for value in (*call.arguments, *call.options.values()) if isinstance(value, np.ndarray)]


def _bytes(array: np.ndarray[Any, Any]) -> object:
    return repr(array.tolist()) if array.dtype == object else array.tobytes()


def _undefined(result: object) -> list[str]:
    """What is nan of the numbers that a result is about."""
    if isinstance(result, Mapping):
        return [name for value in result.values() for name in _undefined(value)]
    if is_dataclass(result):
        named = {field.name: getattr(result, field.name) for field in fields(result)}
        return [name for name in ("statistic", "value", "pvalue") if _is_nan(named.get(name, 0.0))]
    return ["the result"] if isinstance(result, (float, np.ndarray)) and _is_nan(result) else []


def _is_nan(value: Any) -> bool:
    return bool(np.isnan(np.asarray(value, dtype=float)).any())


def sound(result: Any) -> None:
    """Shares and p-values are what such things can be, and nothing is infinite."""
    for one in result.values() if isinstance(result, Mapping) else [result]:
        for field in fields(one):
            value = getattr(one, field.name)
            if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f":
                _check_field(field.name, getattr(one, "n_resamples", None) is not None, np.asarray(value))


SHARES = {"pvalue", "pvalues", "asl", "share_first", "minority_rate", "proportion_of_ties", "sensitivity", "by_tau"}
SHARES |= {"probabilities"}


def _check_field(name: str, resampled: bool, value: np.ndarray[Any, Any]) -> None:
    defined = value[~np.isnan(value)]
    if name in SHARES:
        assert ((defined >= 0.0) & (defined <= 1.0)).all(), f"{name}: {value}"
    if resampled and name in ("pvalue", "pvalues"):
        assert (defined > 0.0).all(), f"{name} of 0"


def in_range(low: float, high: float) -> Callable[[Any], None]:
    def check(result: Any) -> None:
        values = np.asarray(result, dtype=float)
        assert ((values >= low) & (values <= high) | np.isnan(values)).all(), f"{result} is outside [{low}, {high}]"

    return check


def anything(result: Any) -> None:
    """Nothing to say of it."""


CORRELATION, DISTANCE = in_range(-1.0, 1.0), in_range(0, np.inf)


def score_matrix(values: Any) -> object:
    """A score matrix and all that it knows of itself."""
    matrix = ptr.ScoreMatrix(values)
    assert np.isfinite(matrix.means).all()
    assert hash(matrix) == hash(ptr.ScoreMatrix(matrix)), "equal matrices hash differently"
    return matrix, repr(matrix), matrix.ranks, matrix.ranking, matrix.drop_worst(0.25)


def rank_distance(reference: Any, ranking: Any, **settings: Any) -> object:
    return ptr.DRankTest(reference, **settings).distance(ranking)


def estimated(scores: Any, level: Any, n_topics: Any, target: Any, **settings: Any) -> object:
    result = ptr.expected_correlation(scores, **settings)
    if np.isnan(result.value):
        return result
    low, high = result.confidence_interval(level)
    assert not low > high
    needed = result.topics_needed(target)
    assert needed >= 1
    if needed < np.inf:
        assert result.curve(needed) >= target
    assert (np.abs(result.curve(n_topics)) <= 1.0).all()
    return result


def curve_of_swaps(scores: Any, n_topics: Any, **settings: Any) -> object:
    curve = stats.swap_curve(scores, **settings)
    if not isinstance(curve, dict):
        assert ((curve.swaps >= 0) & (curve.swaps <= curve.counts)).all()
        rates = curve.rates_with(n_topics)
        assert ((rates >= 0.0) & (rates <= 0.5) | np.isnan(rates)).all()
        needed = curve.required_difference(n_topics)
        assert math.isnan(needed) or needed in curve.edges
        assert (str(curve), curve.to_dict(), len(curve.to_frame())) is not None
    return curve


def required_pairs(scores: Any, **settings: Any) -> object:
    """The pair and the resample that set a difference."""
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
    if not isinstance(scores, np.ndarray) or scores.dtype.kind != "f":
        return
    scores = scores.astype(float)
    if not 1e-100 < np.abs(scores).max() < 1e100:
        return
    if one.published_pair is None or not math.isfinite(one.published_difference):
        return
    first, second = (one.systems.index(name) for name in one.published_pair)
    centred = scores[:, first] - scores[:, second]
    centred = centred - centred.mean()
    found = abs(float(one.published_topics @ centred)) / one.n_topics
    assert math.isclose(found, one.published_difference, rel_tol=1e-6, abs_tol=1e-9 * np.abs(scores).max())


# --- two lists of different systems --------------------------------------------------------------------


@st.composite
def named(draw: st.DrawFn) -> Any:
    """One score a system, of some of the same systems, in some form."""
    names = draw(st.lists(st.sampled_from("abcdef"), min_size=3, max_size=6, unique=True))
    scores = np.asarray(draw(arrays((len(names),), kinds=("ordinary", "tenths", "zeros", "signed", "mixed", "large"))))
    if scores.shape != (len(names),):
        return scores
    form = draw(st.integers(0, 3))
    if form == 0:
        return ptr.ScoreMatrix([[0.5] * len(names), list(range(len(names)))], systems=names)
    of_names = dict(zip(names, scores.tolist(), strict=True))
    return of_names if form == 1 else pd.Series(of_names) if form == 2 else scores


def of_common_systems(coefficient: Any) -> Any:
    def compare(reference: Any, estimate: Any, **settings: Any) -> object:
        found = coefficient(reference, estimate, **settings)
        if isinstance(reference, dict) and isinstance(estimate, dict) and settings.get("missing") in ("skip", "warn"):
            common = [name for name in reference if name in estimate]
            chosen = ([side[name] for name in common] for side in (reference, estimate))
            assert np.array_equal(found, coefficient(*chosen, **settings), equal_nan=True)
        return found

    return compare


def _with_names(scores: Any) -> Any:
    """A score matrix of the first systems, where there can be one."""
    try:
        return ptr.ScoreMatrix(scores, systems=list("abcd"))
    except (TypeError, ValueError):
        return scores


# --- components, measures of documents, comparisons, pictures ------------------------------------------

COMPONENTS = (ptr.KendallTau, ptr.TauAP, ptr.TauGAP, ptr.DRank, ptr.RankInterval, ptr.DiscriminativePower)
COMPONENTS += (ptr.ExpectedCorrelation, ptr.MeanInterval)
PICTURES = (plots.draw_asl_curves, plots.draw_stability, plots.draw_swap_rates)
NO_RESULTS = st.sampled_from([{}, *[junk for junk in JUNK if not isinstance(junk, dict)]])


def columns_of(component: Callable[..., Any]) -> Callable[..., object]:
    def added(**arguments: Any) -> object:
        made = component(**arguments)
        frame = made(FRAME)
        assert len(frame) == len(FRAME)
        assert repr(made)
        return frame

    return added


def geometric(scores: Any) -> object:
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


def documents(cutoff: Any, undefined: Any, unranked: Any) -> object:
    return repr(ptr.agreement.DocumentTauAP(RUNS["a"], cutoff=cutoff, undefined=undefined, unranked=unranked))


def parameters(base: Any, beta: Any) -> object:
    """A parameter of a measure is a number in its range, or refused by its name."""
    run, qrels = [ScoredDoc("q", "d1", 1.0)], [Qrel("q", "d1", 1)]
    return [measure.calc_aggregate(qrels, run) for measure in (JKnDCG(base=base), Q(beta=beta))]


def _can_be_compared(value: object) -> bool:
    """Not pandas' NA, at which ir_measures fails before it asks the measure."""
    return value is not pd.NA


def compared(**settings: Any) -> object:
    return ptr.compare(SCORES, verbose=False, **settings).to_frame()


# --- the targets -------------------------------------------------------------------------------------


def of(
    function: Callable[..., object],
    *given: Strategy,
    to: Callable[[Any], None] = sound,
    name: str = "",
    like: Callable[..., object] | None = None,
    **more: Strategy,
) -> Target:
    """A function with what it is given first; its options are its own, or those of another, but for what is told."""
    choices_of = options_of(like or function, len(given) if like is None else 0) | more
    always = {option: choices_of.pop(option) for option in ALWAYS & choices_of.keys()}
    calls = st.builds(Call, st.tuples(*given), st.fixed_dictionaries(always, optional=choices_of))
    return Target(name or function.__name__, calls, checked(function, to))


ESTIMATED = (MATRIX, OPTIONS["level"], mostly(1, 1.5, [1, 100], 1e12), mostly(0.9, 0.0, 1.0, -1.0))
BY_HALVES = {"of": mostly("halves")}
SKIPPED = {"missing": mostly("skip", "skip", "warn", "error")}
NAMED = SEVERAL.map(_with_names)
STANDARD_ERROR = stats.bootstrap_standard_error

TARGETS = (
    *(of(each, VECTOR, VECTOR, to=CORRELATION) for each in (ptr.kendall_tau, ptr.tau_ap, ptr.tau_gap)),
    *(of(each, VECTOR, VECTOR, to=CORRELATION) for each in (stats.pearson, stats.spearman)),
    of(stats.kendall_distance, VECTOR, VECTOR, to=DISTANCE),
    of(stats.kendall_interval, TAU, SYSTEMS, to=CORRELATION),
    *(of(each, TAU, SYSTEMS) for each in (stats.kendall_test, stats.tau_ap_test, stats.spearman_test)),
    of(stats.swap_weights, dressed(arrays((5,), (4, 3), (2,))), COEFFICIENT),
    of(stats.contributions, VECTOR, VECTOR, COEFFICIENT),
    of(stats.geometric_mean, VECTOR, to=anything),
    of(score_matrix, MATRIX, to=anything),
    of(stats.random_rankings, mostly(2, 3, 8), mostly(1, 5), to=in_range(1, 8)),
    of(stats.simulate_topics, SHARED, mostly(1, 5), to=in_range(0, 1)),
    of(judgments.cohen_kappa, dressed(arrays((2, 2), (3, 3))), to=in_range(-np.inf, 1)),
    of(stats.rank_geometry, dressed(arrays((2, 3), (5, 3))), dressed(arrays((3,)))),
    of(stats.paired_bootstrap_test, COLUMN, COLUMN),
    of(stats.unpaired_bootstrap_test, COLUMN, OTHER_COLUMN),
    of(stats.randomized_tukey_hsd, MATRIX),
    of(ptr.discriminative_power, MATRIX),
    of(required_pairs, MATRIX, name="required pairs", like=ptr.discriminative_power, statistic=mostly(np.mean)),
    of(stats.significant_agreement, FOR_D_RANK, RANKING),
    of(stats.stability, MATRIX, fuzziness=mostly(0.0, [0.1, 0.5], 1e308)),
    of(stats.stability, MATRIX, name="stability of halves", fuzziness=mostly(0.0, [0.05, 0.3]), **BY_HALVES),
    of(stats.swap_rates, MATRIX),
    of(stats.swap_rates, MATRIX, name="swap_rates of halves", **BY_HALVES),
    of(curve_of_swaps, ENOUGH, mostly(1, 2.5, 50, 1e9), to=anything, name="swap_curve", like=stats.swap_curve),
    of(ptr.rank_intervals, MATRIX),
    of(stats.allowed_ranks, FOR_D_RANK),
    of(ptr.d_rank, FOR_D_RANK, RANKING),
    of(rank_distance, FOR_D_RANK, RANKING, to=anything, like=ptr.DRankTest),
    of(estimated, *ESTIMATED, name="expected_correlation", like=ptr.expected_correlation),
    of(ptr.expected_correlation, MATRIX, name="split_half", estimator=mostly("split-half", "split-half-replace")),
    of(ptr.correlation_interval, SEVERAL, SEVERAL, ANY_COEFFICIENT),
    of(stats.correlation_difference, SEVERAL, SEVERAL, SEVERAL, ANY_COEFFICIENT),
    of(stats.prediction_quality, SEVERAL, COLUMN, mostly(["tau"], ["tau", "pearson"], "tau_gap")),
    of(STANDARD_ERROR, mostly(*OF_SAMPLES), SEVERAL, like=STANDARD_ERROR),
    of(STANDARD_ERROR, mostly(*OF_TWO), SEVERAL, SEVERAL, like=STANDARD_ERROR, name="standard error of a difference"),
    *(
        of(
            of_common_systems(each),
            named(),
            named(),
            to=to,
            name=f"{each.__name__} of common systems",
            like=each,
            **SKIPPED,
        )
        for each, to in (
            (stats.kendall_distance, DISTANCE),
            *((each, CORRELATION) for each in (ptr.kendall_tau, ptr.tau_ap, ptr.tau_gap, stats.spearman)),
        )
    ),
    of(ptr.d_rank, NAMED, named(), name="d_rank of common systems", null=mostly("two-sample", "published"), **SKIPPED),
    *(of(columns_of(each), to=anything, name=f"component {each.__name__}", like=each) for each in COMPONENTS),
    of(geometric, MATRIX, to=anything, name="component GeometricMean"),
    of(compared, to=anything, name="compare", like=ptr.compare),
    of(documents, mostly(None, 1, 5), mostly(0.0, np.nan), mostly("drop", "tie"), to=anything),
    of(parameters, *(mostly(*good).filter(_can_be_compared) for good in ((2.0, 10), (1.0, 0.0))), to=anything),
    of(judgments.pool, st.just(RUNS), st.just(QRELS), mostly(0, 1, 5), to=anything),
    of(judgments.pseudo_judgments, st.just(RUNS), to=anything),
    of(judgments.sample_judgments, st.just(QRELS), mostly(0.5, 0, 1, [0.1, 0.5]), to=anything),
    *(of(each, NO_RESULTS, to=anything) for each in PICTURES),
)
