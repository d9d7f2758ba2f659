"""Every public statistic, with hostile numbers and arguments."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.stats.rank_distance.geometry import rank_geometry
from tests.fuzz.hostile_numbers import (
    LEVEL,
    N_JOBS,
    N_RESAMPLES,
    OWN_COEFFICIENTS,
    RNG,
    STATISTIC,
    Strategy,
    arrays,
    dressed,
    mostly,
    options,
)
from tests.fuzz.registry import Target

MATRIX_SHAPES = [(n, m) for n in (1, 2, 3, 5, 12) for m in (2, 3, 4, 7)]
MATRIX = dressed(arrays(*MATRIX_SHAPES))
VECTOR_SHAPES = [(2,), (3,), (5,), (5,), (5,), (9,), (300,), (2, 5), (0, 5)]
VECTOR = dressed(arrays(*VECTOR_SHAPES))
COEFFICIENT = mostly("tau", "tau_ap", "tau_gap", "pearson", "spearman")
ANY_COEFFICIENT = st.one_of(COEFFICIENT, COEFFICIENT, st.sampled_from(OWN_COEFFICIENTS))
TIES = mostly("a", "b")
TEST = mostly("paired-bootstrap", "unpaired-bootstrap", "tukey-hsd", "t", "wilcoxon")


@dataclass(frozen=True)
class Call:
    """A call with everything that it is given."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def of(self, function: Callable[..., object]) -> object:
        return function(*self.arguments, **self.options)


def calls(*arguments: Strategy, **choices: Strategy) -> Strategy:
    return st.builds(Call, st.tuples(*arguments), options(**choices))


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


CORRELATION = in_range(-1.0, 1.0)


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


# --- the targets -------------------------------------------------------------------------------------


def few(*arguments: Strategy, **choices: Strategy) -> Strategy:
    """Calls of a statistic that resamples: few times."""
    settings = st.fixed_dictionaries({"n_resamples": N_RESAMPLES}, optional={"rng": RNG, **choices})
    return st.builds(Call, st.tuples(*arguments), settings)


def plain(
    function: Callable[..., object],
    *arguments: Strategy,
    to: Callable[[Any], None] = sound,
    name: str = "",
    **choices: Strategy,
) -> Target:
    """A function that is called, and what its result must be."""
    return Target(name or function.__name__, calls(*arguments, **choices), checked(function, to))


def drawn(
    function: Callable[..., object],
    *arguments: Strategy,
    to: Callable[[Any], None] = sound,
    name: str = "",
    **choices: Strategy,
) -> Target:
    """One that resamples, perhaps with workers."""
    if "n_jobs" in inspect.signature(function).parameters:
        choices["n_jobs"] = N_JOBS
    return Target(name or function.__name__, few(*arguments, **choices), checked(function, to))


SEVERAL = dressed(arrays((5, 4)))  # for what takes several matrices of one shape
COLUMN, OTHER_COLUMN = dressed(arrays((5,))), dressed(arrays((5,), (3,)))
FOR_D_RANK = dressed(arrays((2, 5), (5, 5), (12, 5)))
RANKING = dressed(arrays((5,), (5,), (5,), (3, 5), (12, 5)))
OF_SHARES = ("ordinary", "tenths", "binary", "zeros", "constant", "tiny", "smallest", "near one", "not finite")
SHARED = dressed(arrays((3, 2), (5, 4), kinds=OF_SHARES))
TAU, SYSTEMS = mostly(0.5, -1.0, 1.0), mostly(2, 10)
ALPHA = mostly(0.05, 0.5)
D_RANK = {
    "null": mostly("shrunken", "published", "two-sample"),
    "covariance": mostly("sample", "ledoit-wolf"),
    "ridge": mostly(1e-5, 1e-12, 1.0),
}
ESTIMATED = (MATRIX, LEVEL, mostly(1, 1.5, [1, 100], 1e12), mostly(0.9, 0.0, 1.0, -1.0))
ASKED = {
    "tau": mostly(0.0, 0.9, -1.0, None),
    "tau_ap": mostly(None, 0.5),
    "at_least": mostly(True, False),
    "tolerance": mostly(0.005, 0.2),
}
BINS = mostly(21, "published", [0.0, 0.1])
ESTIMATOR, HALVES = mostly("ml", "msqd", "resampling", "kde"), mostly("split-half", "split-half-replace")
SEVERAL_COEFFICIENTS = mostly(["tau"], ["tau", "pearson"], "tau_gap")
stats = ptr.stats

TARGETS = (
    plain(ptr.kendall_tau, VECTOR, VECTOR, to=CORRELATION, variant=TIES, fuzziness=mostly(0.0, 0.05, 0.9)),
    plain(ptr.tau_ap, VECTOR, VECTOR, to=CORRELATION, variant=TIES, symmetric=mostly(True, False)),
    *(plain(each, VECTOR, VECTOR, to=CORRELATION) for each in (ptr.tau_gap, stats.pearson, stats.spearman)),
    plain(stats.kendall_distance, VECTOR, VECTOR, to=in_range(0, np.inf)),
    plain(stats.kendall_interval, TAU, SYSTEMS, to=CORRELATION, level=LEVEL),
    *(plain(each, TAU, SYSTEMS) for each in (stats.kendall_test, stats.tau_ap_test, stats.spearman_test)),
    plain(stats.swap_weights, dressed(arrays((5,), (4, 3), (2,))), COEFFICIENT),
    plain(stats.contributions, VECTOR, VECTOR, COEFFICIENT),
    plain(stats.geometric_mean, VECTOR, to=anything, axis=mostly(-1, 0)),
    plain(score_matrix, MATRIX, to=anything),
    plain(stats.random_rankings, mostly(2, 3, 8), mostly(1, 5), to=in_range(1, 8), rng=RNG, **ASKED),
    plain(stats.simulate_topics, SHARED, mostly(1, 5), to=in_range(0, 1), rng=RNG),
    plain(ptr.judgments.cohen_kappa, dressed(arrays((2, 2), (3, 3))), to=in_range(-np.inf, 1)),
    plain(rank_geometry, dressed(arrays((2, 3), (5, 3))), dressed(arrays((3,))), ridge=D_RANK["ridge"]),
    drawn(ptr.stats.paired_bootstrap_test, COLUMN, COLUMN),
    drawn(stats.unpaired_bootstrap_test, COLUMN, OTHER_COLUMN, statistic=STATISTIC),
    drawn(stats.randomized_tukey_hsd, MATRIX, baselines=mostly(None, 0, "s1", [0, 1])),
    drawn(ptr.discriminative_power, MATRIX, test=TEST, alpha=ALPHA, statistic=STATISTIC),
    drawn(stats.significant_agreement, FOR_D_RANK, RANKING, test=TEST, alpha=ALPHA),
    drawn(stats.stability, MATRIX, fuzziness=mostly(0.0, [0.1, 0.5], 1e308), statistic=STATISTIC),
    drawn(stats.swap_rates, MATRIX, max_rate=mostly(0.05), bins=BINS, statistic=STATISTIC),
    drawn(ptr.rank_intervals, MATRIX, level=LEVEL),
    drawn(stats.allowed_ranks, FOR_D_RANK, alpha=ALPHA, tau=mostly(0.9, -1.0), **D_RANK),
    drawn(ptr.d_rank, FOR_D_RANK, RANKING, **D_RANK),
    drawn(
        rank_distance, FOR_D_RANK, RANKING, to=anything, n_ranking_topics=mostly(None, 1, 5), n_jobs=N_JOBS, **D_RANK
    ),
    drawn(
        estimated,
        *ESTIMATED,
        name="expected_correlation",
        coefficient=mostly("tau", "tau_ap", "tau_gap"),
        estimator=ESTIMATOR,
        n_jobs=N_JOBS,
    ),
    drawn(ptr.expected_correlation, MATRIX, name="split_half", coefficient=mostly("tau", "tau_ap"), estimator=HALVES),
    drawn(ptr.correlation_interval, SEVERAL, SEVERAL, ANY_COEFFICIENT, level=LEVEL),
    drawn(ptr.stats.correlation_difference, SEVERAL, SEVERAL, SEVERAL, ANY_COEFFICIENT),
    drawn(stats.prediction_quality, SEVERAL, COLUMN, SEVERAL_COEFFICIENTS, hardest_first=mostly(True, False)),
)
