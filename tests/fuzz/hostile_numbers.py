"""Numbers, containers and arguments of every odd kind, as hypothesis strategies for the statistics."""

from __future__ import annotations

import decimal
import fractions
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from hypothesis import strategies as st

import pt_rankcorr as ptr

Array = np.ndarray[Any, np.dtype[Any]]
Strategy = st.SearchStrategy[Any]

# --- numbers: what a matrix of so many topics and systems may hold -----------------------------------

LARGEST = float(np.finfo(np.float64).max)
EXTREMES = [0.0, -0.0, 1e-100, -1e-100, 1e-99, 1e-50, 1.0, 1e15, 2.0**53, 1e50, 1e100]
BEYOND = [5e-324, -1e-101, 1e101, 1e308, -1e308, LARGEST, -LARGEST]
NOT_FINITE = [np.nan, np.inf, -np.inf]

Shape = tuple[int, ...]
KINDS: dict[str, Callable[[np.random.Generator, Shape], Array]] = {
    "ordinary": lambda rng, shape: rng.random(shape),
    "tenths": lambda rng, shape: rng.integers(0, 11, shape) / 10,
    "halves": lambda rng, shape: rng.integers(0, 3, shape) / 2,
    "binary": lambda rng, shape: rng.integers(0, 2, shape).astype(bool),
    "zeros": lambda rng, shape: np.zeros(shape),
    "constant": lambda rng, shape: np.full(shape, rng.choice(EXTREMES)),
    "signed zeros": lambda rng, shape: rng.choice([0.0, -0.0, 0.5], shape),
    "constant systems": lambda rng, shape: np.broadcast_to(rng.random(shape[-1:]), shape).copy(),
    "signed": lambda rng, shape: rng.standard_normal(shape),
    "tiny": lambda rng, shape: rng.uniform(0.1, 1, shape) * 1e-99,
    "smallest": lambda rng, shape: rng.integers(0, 9, shape) * 1e-100,
    "large": lambda rng, shape: rng.standard_normal(shape) * 1e98,
    "huge": lambda rng, shape: rng.uniform(-1, 1, shape) * 1e100,
    "mixed": lambda rng, shape: 10.0 ** rng.uniform(-100, 100, shape) * rng.choice([-1, 1], shape),
    "offset": lambda rng, shape: 1e15 + rng.integers(0, 9, shape),
    "near one": lambda rng, shape: 1 - rng.integers(0, 9, shape) * 2.0**-53,
    "percent": lambda rng, shape: 100 * rng.random(shape),
    "integers": lambda rng, shape: rng.integers(-5, 6, shape),
    "extremes": lambda rng, shape: rng.choice(EXTREMES, shape),
    "beyond": lambda rng, shape: rng.choice([*EXTREMES, *BEYOND], shape),
    "not finite": lambda rng, shape: rng.choice([*EXTREMES, *NOT_FINITE], shape),
}
ODD_SHAPES: list[Shape] = [(), (0,), (1,), (0, 0), (0, 3), (3, 0), (1, 1), (3, 1), (2, 2, 3), (2, 1, 3), (0, 2, 3)]


@st.composite
def arrays(draw: st.DrawFn, *shapes: Shape, kinds: tuple[str, ...] = tuple(KINDS)) -> Array:
    """An array of one of the shapes, rarely of an odd one."""
    kind, shape, seed = draw(st.sampled_from(kinds)), draw(st.sampled_from(shapes)), draw(st.integers(0, 99))
    if draw(st.integers(0, 24)) == 24:
        shape = draw(st.sampled_from(ODD_SHAPES))
    if kind == "constant systems" and not shape:
        kind = "ordinary"
    return np.asarray(KINDS[kind](np.random.default_rng(seed), shape))


# --- containers: the forms in which an array may come ------------------------------------------------


def _labelled(array: Array) -> Any:
    """A score matrix, where there can be one."""
    try:
        return ptr.ScoreMatrix(array)
    except (TypeError, ValueError):
        return array


def _measures(array: Array) -> Any:
    matrix = _labelled(array)
    return ptr.Scores({"AP": matrix, "P@10": matrix}) if isinstance(matrix, ptr.ScoreMatrix) else {"AP": array}


def _frame(array: Array, **labels: Any) -> Any:
    return pd.DataFrame(array, **labels) if array.ndim == 2 else pd.Series(array.ravel())


def _alike(array: Array) -> Any:
    if array.ndim == 2:
        return pd.DataFrame(array, columns=["a"] * array.shape[1])
    return pd.Series(array.ravel(), ["a"] * array.size)


def _nullable(array: Array) -> Any:
    return _frame(array.astype(np.float64)).astype("Float64").replace(0.0, pd.NA)


def _masked(array: Array) -> Any:
    mask = np.zeros(array.shape, dtype=bool)
    mask.flat[:1] = True
    return np.ma.masked_array(array, mask)


def _as_objects(array: Array, convert: Callable[[float], object]) -> Any:
    values = [convert(float(value)) if np.isfinite(value) else value for value in array.ravel()]
    objects = np.empty(array.size, dtype=object)
    objects[:] = values
    return objects.reshape(array.shape)


class BecomesArray:
    """An object of somebody else that becomes an array."""

    def __init__(self, numbers: Array) -> None:
        self.numbers = numbers

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.numbers, dtype=dtype)


class RaisesAsArray:
    """Numbers that fail when they are asked for."""

    def __array__(self, *_: object, **__: object) -> Array:
        raise RuntimeError("no numbers today")

    def __repr__(self) -> str:
        return "RaisesAsArray()"


FAITHFUL: dict[str, Callable[[Array], Any]] = {
    "list": lambda array: array.tolist(),
    "tuple": lambda array: tuple(map(tuple, array)) if array.ndim == 2 else tuple(array.ravel().tolist()),
    "big-endian": lambda array: array.astype(">f8"),
    "Fortran": np.asfortranarray,
    "reversed": lambda array: array[::-1][::-1] if array.ndim else array,
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array,
    "unaligned": lambda array: _unaligned(array.astype(np.float64)),
    "of somebody else": BecomesArray,
    "read-only": lambda array: _read_only(array.copy()),
    "longdouble": lambda array: array.astype(np.longdouble),
    "not masked": lambda array: np.ma.masked_array(array),
    "objects": lambda array: array.astype(object),
    "fractions": lambda array: _as_objects(array, fractions.Fraction),
    "decimals": lambda array: _as_objects(array, decimal.Decimal),
    "matrix": lambda array: _matrix(array) if array.ndim == 2 else array,
    "frame": _frame,
    "memoryview": lambda array: memoryview(array.astype(np.float64)),
    "score matrix": _labelled,
}
UNFAITHFUL: dict[str, Callable[[Array], Any]] = {
    "float32": lambda array: _quietly(array, np.float32),
    "float16": lambda array: _quietly(array, np.float16),
    "int64": lambda array: _quietly(array, np.int64),
    "complex": lambda array: array.astype(np.complex128),
    "strings": lambda array: array.astype(str),
    "bytes": lambda array: array.astype("S"),
    "object strings": lambda array: _as_objects(array, str),
    "object bytes": lambda array: _as_objects(array, lambda value: str(value).encode()),
    "object complex": lambda array: _as_objects(array, complex),
    "object none": lambda array: _as_objects(array, lambda value: None if value == 0.0 else value),
    "dates": lambda array: _quietly(array, np.int64).astype("datetime64[D]"),
    "durations": lambda array: _quietly(array, np.int64).astype("timedelta64[s]"),
    "huge integers": lambda array: _as_objects(array, lambda value: int(value) + 2**63),
    "beyond floats": lambda array: _as_objects(array, lambda value: int(value) + 10**400),
    "wide integers": lambda array: (2**60 + np.arange(array.size)).reshape(array.shape),
    "masked": _masked,
    "sparse": lambda array: scipy.sparse.csr_matrix(np.nan_to_num(array)) if array.ndim == 2 else array,
    "alike": _alike,
    "nullable": _nullable,
    "text": lambda array: _frame(array).astype(str),
    "categories": lambda array: pd.Series(array.ravel()).astype("category"),
    "structured": lambda array: np.zeros(3, dtype=[("a", float)]),
    "mapping": lambda array: dict(zip(map(str, range(array.size)), array.ravel().tolist(), strict=True)),
    "measures": _measures,
    "no measures": lambda array: {},
    "mapping of none": lambda array: {"AP": None},
    "generator": lambda array: (row for row in array) if array.ndim else (),
    "set": lambda array: set(array.ravel().tolist()),
    "ragged": lambda array: [[1.0], [1.0, 2.0]],
    "none": lambda array: None,
    "word": lambda array: "scores",
    "number": lambda array: 0.5,
    "object": lambda array: object(),
    "type": lambda array: np.ndarray,
    "raises": lambda array: RaisesAsArray(),
}


def _matrix(array: Array) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(array)


def _unaligned(array: Array) -> Array:
    return np.frombuffer(b"\0" + array.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(array.shape)


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array


def _quietly(array: Array, dtype: Any) -> Array:
    with np.errstate(all="ignore"):
        return array.astype(dtype)


@st.composite
def dressed(draw: st.DrawFn, numbers: Strategy) -> Any:
    """The numbers in some form: half of the time as they are, sometimes in one that changes or spoils them."""
    array, choice = draw(numbers), draw(st.integers(0, 9))
    if choice < 5:
        return array
    forms = FAITHFUL if choice < 8 else UNFAITHFUL
    return forms[draw(st.sampled_from(list(forms)))](array)


# --- arguments --------------------------------------------------------------------------------------

JUNK = [None, True, False, 0, -1, 0.5, -0.5, 1, 1.5, 2, "2", "", "tau", b"tau", np.nan, np.inf, -np.inf, 10**12, 2**70]
JUNK += [10**400, 5e-324, 1 - 2.0**-53, 1j, [], [1], (), {}, object, np.array(0.5), np.array([0.5]), np.float32(0.5)]
JUNK += [np.int64(3), fractions.Fraction(1, 2), decimal.Decimal("0.1"), pd.NA, np.random, np.random.RandomState(1)]


def mostly(*good: Any) -> Strategy:
    """One of these, or now and then anything at all."""
    return st.integers(0, 15).flatmap(lambda choice: st.sampled_from(JUNK) if choice == 15 else st.sampled_from(good))


# --- functions of scores that misbehave: statistics, what has a standard error, coefficients ------------


def raises(*scores: Array) -> float:
    raise KeyError("no such number")


def is_nan(*scores: Array) -> float:
    return float("nan")


def is_nan_for_some(*scores: Array) -> float:
    return float("nan") if scores[0][0, 0] == scores[0][1, 0] else 1.0


def is_infinite(*scores: Array) -> float:
    return float("inf")


def is_word(*scores: Array) -> str:
    return "0.5"


def is_none(*scores: Array) -> None:
    return None


def is_complex(*scores: Array) -> complex:
    return 1j


def is_vector(*scores: Array) -> Array:
    return scores[0]


def forgets_axis(*scores: Array, axis: int = 0) -> float:
    return 0.5


def sorts_in_place(*scores: Array) -> float:
    scores[0].sort()
    return float(scores[0][0])


def overwrites(*scores: Array, axis: int | None = None) -> Any:
    scores[0][...] = 0.0
    return scores[0].sum(axis=axis)


def squares(scores: Array, axis: int = -1) -> Array:
    return (scores**2).mean(axis=axis)


def of_best(*scores: Array) -> float:
    return float(scores[0].mean(axis=0).max())


def of_two(first: Array, second: Array) -> float:
    return float(first.mean() - second.mean())


def of_first(truth: Array, estimate: Array) -> float:
    return float(truth[0] - estimate[0])


GOOD = [np.mean, np.median, ptr.stats.geometric_mean, np.max, min]
BAD = [raises, is_nan, is_word, is_none, is_complex, is_vector, forgets_axis, sorts_in_place, overwrites]
STATISTIC = mostly(*GOOD, *GOOD, *BAD, squares)
OF_TWO = [of_two, of_best]
OF_SAMPLES = [of_best, *OF_TWO, is_nan_for_some, is_word, is_vector, is_infinite, raises, overwrites]
OWN_COEFFICIENTS = [of_first, raises, is_infinite, overwrites, is_word, forgets_axis]
