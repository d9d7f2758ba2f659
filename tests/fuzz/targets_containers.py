"""The same scores in every container: names are matched or the input is refused, and the result is the same bits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.warnings import DegenerateInputWarning, UnmatchedNamesWarning, UnreliableResultWarning
from tests.fuzz.registry import Target

SYSTEMS = ("means", "systems", "columns", "index", "b c", "1")  # names that are attributes, and others
FEW: dict[str, Any] = {"n_resamples": 20, "rng": 1}
Array = Any


# --- containers ---------------------------------------------------------------------------------------------


def _strided(values: Array) -> Array:
    wide = np.zeros(tuple(2 * size for size in values.shape))
    view = wide[tuple(slice(None, None, 2) for _ in values.shape)]
    view[...] = values
    return view


def _reversed(values: Array) -> Array:
    backwards = tuple(slice(None, None, -1) for _ in values.shape)
    return values[backwards].copy()[backwards]


def _unaligned(values: Array) -> Array:
    return np.frombuffer(b"\0" + values.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(values.shape)


def _read_only(values: Array) -> Array:
    copy = values.copy()
    copy.setflags(write=False)
    return copy


class Other:
    """An object of somebody else that becomes an array."""

    def __init__(self, values: Array) -> None:
        self.values_of_mine = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.values_of_mine, dtype=dtype)


UNNAMED: dict[str, Callable[[Array], Any]] = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": _strided,
    "reversed": _reversed,
    "unaligned": _unaligned,
    "read-only": _read_only,
    "big endian": lambda values: values.astype(">f8"),
    "objects": lambda values: values.astype(object),
    "long double": lambda values: values.astype(np.longdouble),
    "masked, nothing": np.ma.array,
    "list": lambda values: values.tolist(),
    "memory view": lambda values: memoryview(np.ascontiguousarray(values)),
    "of somebody else": Other,
}


def _shuffled(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return frame.iloc[random.permutation(frame.shape[0]), random.permutation(frame.shape[1])]


NAMED: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda frame: frame,
    "frame of columns": lambda frame: pd.DataFrame({name: frame[name].tolist() for name in frame}, frame.index),
    "nullable": lambda frame: frame.astype("Float64"),
    "objects": lambda frame: frame.astype(object),
    "with qid": lambda frame: frame.rename_axis(None).reset_index(names="qid"),
    "matrix": ptr.ScoreMatrix,
}


# --- functions ----------------------------------------------------------------------------------------------


def _tests(scores: Any, _: Any) -> Any:
    return [ptr.discriminative_power(scores, test=test, **FEW) for test in ("t", "wilcoxon", "tukey-hsd")]


def _expectations(scores: Any, _: Any) -> Any:
    found = [ptr.expected_correlation(scores, estimator=by, **FEW) for by in ("ml", "msqd", "kde", "split-half")]
    return [(each.value, each.confidence_interval(0.9)) for each in found]


OF_A_PAIR: dict[str, Callable[[Any, Any], Any]] = {
    "kendall_tau": ptr.kendall_tau,
    "tau_ap": ptr.tau_ap,
    "tau_gap": ptr.tau_gap,
    "pearson": ptr.stats.pearson,
    "spearman": ptr.stats.spearman,
    "kendall_distance": ptr.stats.kendall_distance,
    "contributions": lambda x, y: (found := ptr.stats.contributions(x, y)) and (found.statistic, _of_systems(found)),
    "d_rank": lambda x, y: ptr.d_rank(x, y, **FEW),
    "correlation_interval": lambda x, y: ptr.correlation_interval(x, y, **FEW).confidence_interval(),
    "correlation_difference": lambda x, y: list(ptr.correlation_difference(x, x, y, **FEW)),
    "significant_agreement": lambda x, y: ptr.stats.significant_agreement(x, y, test="t").statistic,
}
OF_ONE: dict[str, Callable[[Any, Any], Any]] = {
    "ScoreMatrix": lambda x, _: ptr.ScoreMatrix(x).means,
    "geometric": lambda x, _: ptr.ScoreMatrix(x).geometric().means,
    "Rankings": lambda x, _: ptr.stats.Rankings(x).values,
    "geometric_mean": lambda x, _: ptr.stats.geometric_mean(np.asarray(x, dtype=float)),
    "simulate_topics": lambda x, _: ptr.stats.simulate_topics(x, 4, rng=1),
    "required_difference": lambda x, _: ptr.discriminative_power(x, **FEW).required_difference,
    "tukey": lambda x, _: ptr.stats.randomized_tukey_hsd(x, **FEW),
    "rank_intervals": lambda x, _: ptr.rank_intervals(x, **FEW),
    "shrunken_truth": lambda x, _: ptr.stats.shrunken_truth(x, n_draws=9, rng=1).means,
    "stability": lambda x, _: ptr.stats.stability(x, **FEW),
    "swap_rates": lambda x, _: ptr.stats.swap_rates(x, **FEW).rates,
    "tests": _tests,
    "expectations": _expectations,
}


def _of_systems(found: Any) -> Any:
    """Those of default names s1, s2, ... by number."""
    names = [SYSTEMS[int(name[1:]) - 1] if name not in SYSTEMS else name for name in found.systems]
    by_name = dict(zip(names, found.by_system.tolist(), strict=True))
    return [by_name[name] for name in SYSTEMS]


def bits(result: Any) -> Any:
    """What can be compared bit by bit; arrays that several may hold are read-only."""
    if isinstance(result, Mapping):
        return {str(name): bits(value) for name, value in result.items()}
    if is_dataclass(result):
        shown = [field.name for field in fields(result) if not field.name.startswith("_")]
        held = {name: getattr(result, name) for name in shown}
        writeable = [name for name, value in held.items() if isinstance(value, np.ndarray) and value.flags.writeable]
        assert not writeable, f"{type(result).__name__} can be changed: {writeable}"
        return bits({name: value for name, value in held.items() if name != "systems"})
    if isinstance(result, (list, tuple)):
        return [bits(value) for value in result]
    return result.tobytes() if isinstance(result, np.ndarray) else repr(result)


def _scores(seed: int, signed: bool) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    first = random.random((7, len(SYSTEMS))).round(random.integers(1, 8))
    second = np.clip(first + random.normal(0, 0.1, first.shape), 0, 1)
    return (first - 0.5, second - 0.5) if signed else (first, second)


def _quietly(function: Callable[[Any, Any], Any], *given: Any) -> Any:
    with warnings.catch_warnings():
        for kind in (DegenerateInputWarning, UnmatchedNamesWarning, UnreliableResultWarning):
            warnings.simplefilter("ignore", kind)
        return bits(function(*given))


def _layouts(case: tuple[str, str, str, int]) -> object:
    name, first, second, seed = case
    function = {**OF_A_PAIR, **OF_ONE}[name]
    x, y = _scores(seed, signed=name not in ("geometric", "simulate_topics", "geometric_mean") and seed % 3 == 0)
    found = _quietly(function, UNNAMED[first](x), UNNAMED[second](y))
    assert found == _quietly(function, x, y), f"{name} of {first} and {second} has other bits"
    return found


def _names(case: tuple[str, str, str, int]) -> object:
    """Rows and columns of the second side in another order: the result is that of the first side's order."""
    name, first, second, seed = case
    x, y = (
        pd.DataFrame(values, [f"q{at}" for at in range(7)], list(SYSTEMS)) for values in _scores(seed, signed=False)
    )
    found = _quietly(OF_A_PAIR[name], NAMED[first](x), NAMED[second](_shuffled(y, seed)))
    assert found == _quietly(OF_A_PAIR[name], x.to_numpy(), y.to_numpy()), f"{name}: names were not matched"
    return found


def _topics(case: tuple[str, str, int]) -> object:
    """Topics of one system, as series and mappings, in another order."""
    first, second, seed = case
    forms: dict[str, Callable[[pd.Series[float]], Any]] = {"series": lambda one: one, "mapping": dict}
    values = _scores(seed, signed=True)
    x, y = (pd.Series(scores[:, 0], [f"q{at}" for at in range(7)]) for scores in values)
    shuffled = y.iloc[np.random.default_rng(seed).permutation(7)]
    found = ptr.paired_bootstrap_test(forms[first](x), forms[second](shuffled), **FEW)
    assert bits(found) == bits(ptr.paired_bootstrap_test(values[0][:, 0], values[1][:, 0], **FEW))
    predicted = ptr.stats.prediction_quality(pd.DataFrame({"a": x}), forms[second](shuffled), ["tau"], **FEW)
    assert bits(predicted) == bits(ptr.stats.prediction_quality(x.to_frame().to_numpy(), y.to_numpy(), ["tau"], **FEW))
    return found


def _kappa(case: tuple[list[int], list[int], int]) -> object:
    """Of a crosstab in any order, and with labels that one judge does not use, that of the judgments."""
    first, second, seed = case
    size = min(len(first), len(second))
    pairs = pd.DataFrame({"first": first[:size], "second": second[:size]})
    crosstab = _shuffled(pd.crosstab(pairs["first"], pairs["second"]), seed)
    labels = sorted({*first[:size], *second[:size]})
    full = np.array([[((pairs["first"] == a) & (pairs["second"] == b)).sum() for b in labels] for a in labels])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        found, expected = ptr.judgments.cohen_kappa(crosstab), ptr.judgments.cohen_kappa(full)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    return found


unnamed, seeds = st.sampled_from(sorted(UNNAMED)), st.integers(0, 999)
named = st.sampled_from(sorted(NAMED))
one_dimension = st.sampled_from(["series", "mapping"])
labels = st.lists(st.integers(-2, 3), min_size=1, max_size=12)

TARGETS = (
    Target(
        "containers x functions", st.tuples(st.sampled_from([*OF_A_PAIR, *OF_ONE]), unnamed, unnamed, seeds), _layouts
    ),
    Target("names x functions", st.tuples(st.sampled_from(sorted(OF_A_PAIR)), named, named, seeds), _names),
    Target("names of topics", st.tuples(one_dimension, one_dimension, seeds), _topics),
    Target("kappa of crosstabs", st.tuples(labels, labels, seeds), _kappa),
)
