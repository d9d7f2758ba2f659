"""Scores as arrays, the means of systems (the one rounding rule), ranks and ties.

Two means that are equal in exact arithmetic may differ in their last bit according to the order of
summation. Every ranking of systems is therefore taken from `system_means`, which rounds to twelve
significant digits, so that neither the order of topics nor that of systems changes a result.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from pt_rankcorr.stats.checks import is_real, listing

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = tuple[str, ...]

SIGNIFICANT_DIGITS = 12
LARGEST_SCORE = 1e301  # over topics: sums and differences stay finite
SMALLEST_SCORE = 1e-290  # if no score is larger, what is left of a difference is not known to twelve digits
EXACT_INTEGERS = 2**53  # up to which a float holds every integer


# --- what callers hand in ---------------------------------------------------------------------------


def as_matrix(scores: ArrayLike, parameter: str = "scores", *, min_topics: int = 1, min_systems: int = 2) -> Floats:
    """A score matrix as a float array of shape (n_topics, n_systems), all finite.

    Raises:
        TypeError: If the scores are not numbers.
        ValueError: If the shape is wrong, there are too few topics or systems, or a score is not finite.
    """
    matrix = as_floats(scores, parameter)
    if matrix.ndim != 2:
        raise ValueError(f"`{parameter}` must be of shape (n_topics, n_systems), got shape {matrix.shape}.")
    for count, least, what in zip(matrix.shape, (min_topics, min_systems), ("topics", "systems"), strict=True):
        if count < least:
            raise ValueError(f"`{parameter}` must have at least {least} {what}, got {count}.")
    return of_ordinary_size(matrix, parameter)


def of_ordinary_size(scores: Floats, parameter: str) -> Floats:
    """Scores over topics, if sums cannot overflow, and differences are more than the last bits of floats."""
    largest = np.abs(not_too_large(scores, parameter)).max(initial=0.0)
    if 0.0 < largest < SMALLEST_SCORE:
        raise ValueError(f"`{parameter}` must not all be below {SMALLEST_SCORE:g} in size, got {largest:g} at most.")
    return scores


def not_too_large(scores: Floats, parameter: str) -> Floats:
    """Scores whose sums cannot overflow."""
    too_large = np.abs(scores) > LARGEST_SCORE
    if too_large.any():
        raise ValueError(f"`{parameter}` must be at most {LARGEST_SCORE:g} in size, got {_first(scores, too_large)}.")
    return scores


def as_floats(values: object, parameter: str) -> Floats:
    """Any array-like of real numbers as floats, all finite.

    Text, complex numbers and dates are no numbers, though numpy could make floats of them. What a float cannot hold is
    rounded, as long as integers do not become ties by it.
    """
    given = _real_numbers(values, parameter)
    with np.errstate(over="ignore"):  # of a longer float: infinite, and refused as such
        array = np.asarray(given, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"`{parameter}` must be finite, got {_first(array, ~np.isfinite(array))}.")
    if given.dtype.kind in "iuO" and (np.abs(array) >= EXACT_INTEGERS).any():
        _check_distinct(given, parameter)
    return array


def _real_numbers(values: object, parameter: str) -> NDArray[Any]:
    """The values as an array of whatever real numbers they are, none of them masked."""
    array = None if isinstance(values, Mapping) else _as_array(values)
    if array is None:
        raise TypeError(f"`{parameter}` must be an array of numbers, got {_described(values)}.")
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(f"`{parameter}` must not be masked, got a masked value{_place(np.ma.getmaskarray(array))}.")
    return array


def _as_array(values: object) -> NDArray[Any] | None:
    """An array of real numbers, or of objects that can become floats, as none becomes nan; else None."""
    try:
        array: NDArray[Any] = np.asanyarray(values)
        if array.dtype.kind == "O" and all(is_real(value) or value is None for value in array.flat):
            np.asarray(array, dtype=np.float64)  # a very large integer has no float
            return array
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def _check_distinct(given: NDArray[Any], parameter: str) -> None:
    """Integers that differ must differ as floats."""
    integers = sorted({number for number in given.ravel().tolist() if isinstance(number, int)})
    for smaller, larger in itertools.pairwise(integers):
        if float(smaller) == float(larger):
            raise ValueError(f"`{parameter}` must be numbers that floats tell apart, got {smaller} and {larger}.")


def as_vectors(
    truth: object, estimate: object, names: tuple[str, str] = ("truth", "estimate")
) -> tuple[Floats, Floats]:
    """Two vectors of system scores of one shape (..., n_systems), the second in the order of the first.

    A score matrix stands for its system means. Where both carry labels (score matrices, mappings of names
    to scores, pandas series) systems are matched by label, otherwise by position.

    Raises:
        TypeError: If either is not made of numbers.
        ValueError: If they differ in shape or in systems, have less than two systems, or are not finite.
    """
    first, second = as_vector(truth, names[0]), as_vector(estimate, names[1])
    labels, other_labels = labels_of(truth), labels_of(estimate)
    if labels is not None and other_labels is not None:
        second = second[..., matching(labels, other_labels, names[1])]
    if first.shape[-1:] != second.shape[-1:]:
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must have as many systems as each other, "
            f"got {first.shape[-1]} and {second.shape[-1]}."
        )
    if first.shape[-1] < 2:
        raise ValueError(f"`{names[0]}` must have at least 2 systems, got {first.shape[-1]}.")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must be of shapes that fit together, got {first.shape} and {second.shape}."
        ) from None
    return first, second


def as_vector(scores: object, parameter: str) -> Floats:
    """The scores of systems, of shape (..., n_systems): the means of a score matrix, the values of a mapping."""
    means = getattr(scores, "means", None)
    if means is not None:
        return as_floats(means, parameter)
    if isinstance(scores, Mapping) and not any(hasattr(value, "means") for value in scores.values()):
        return _of_names(list(scores.values()), parameter)
    vector = as_floats(scores, parameter)
    if vector.ndim == 0:
        raise ValueError(f"`{parameter}` must be of shape (..., n_systems), got the single number {vector}.")
    return vector


def _of_names(values: list[object], parameter: str) -> Floats:
    vector = as_floats(values, parameter)
    if vector.ndim != 1:
        raise ValueError(
            f"`{parameter}` must have a single score for each name, got arrays of shape {vector.shape[1:]}."
        )
    return vector


def labels_of(scores: object) -> Labels | None:
    """The names of the systems, where the scores carry any: a score matrix, a mapping, a pandas series or frame."""
    labels: Any = getattr(scores, "columns", None)  # first, since a frame may have a column called "systems"
    if labels is None:
        labels = getattr(scores, "systems", None)
    if labels is None and isinstance(scores, Mapping):
        labels = scores.keys()
    if labels is None and np.ndim(scores) == 1:  # type: ignore[arg-type]
        labels = getattr(scores, "index", None)
        labels = None if callable(labels) else labels  # the method of a list or tuple
    return None if labels is None else tuple(str(label) for label in labels)


def topics_of(scores: object) -> Labels | None:
    """The names of the topics, where a matrix of scores carries any: a score matrix, a pandas frame."""
    labels: Any = getattr(scores, "index" if hasattr(scores, "columns") else "topics", None)
    return None if labels is None else tuple(str(label) for label in labels)


def matching(
    labels: Labels, others: Labels, parameter: str, rule: str = "must rank the same systems"
) -> NDArray[np.intp]:
    """The positions in `others` of each of `labels`: both must have the same names, each once."""
    repeated = {label for names in (labels, others) for label, times in Counter(names).items() if times > 1}
    if repeated:
        raise ValueError(f"`{parameter}` must be matched by distinct names, got more than once {listing(repeated)}.")
    different = set(labels) ^ set(others)
    if different:
        raise ValueError(f"`{parameter}` {rule}, got differences in {listing(different)}.")
    position = {label: at for at, label in enumerate(others)}
    return np.array([position[label] for label in labels], dtype=np.intp)


def _described(values: object) -> str:
    if isinstance(values, Mapping) and values and all(hasattr(value, "means") for value in values.values()):
        return f"several measures, {listing(values)}: choose one, or call it for each"
    if isinstance(values, np.ndarray):
        return f"an array of type {values.dtype}"
    return f"an object of type {type(values).__name__}"


def _first(array: Floats, offends: NDArray[np.bool_]) -> str:
    return f"{array[_at(offends)]}{_place(offends)}"


def _place(offends: NDArray[np.bool_]) -> str:
    at = _at(offends)
    return f" at {at if len(at) > 1 else at[0]}" if at else ""


def _at(offends: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.argwhere(offends)[0])


# --- means and ranks --------------------------------------------------------------------------------


def system_means(scores: Floats) -> Floats:
    """The mean score of every system, rounded: the one place where rankings of systems come from.

    Args:
        scores: Shape (n_topics, n_systems).

    Returns:
        Shape (n_systems,), rounded to twelve significant digits. Where scores of both signs cancel, the digits
        count from the mean magnitude of the scores instead, since that is what the rounding error grows with: the
        largest of all systems, as equal means of systems that cancel and that do not must be rounded alike.
    """
    # sorted first: the mean P@10 over 4096 topics may lie halfway between two roundings, where the last bit decides
    means = np.sort(np.ascontiguousarray(scores), axis=0).mean(axis=0)
    magnitudes = np.abs(scores).mean(axis=0)
    cancels = magnitudes > 2.0 * np.abs(means)
    if cancels.any():
        return round_significant(means, np.full_like(means, magnitudes.max()))
    return round_significant(means)


def round_significant(values: Floats, magnitude: Floats | None = None) -> Floats:
    """Values rounded to twelve significant digits, counted from the magnitude (by default each value's own)."""
    magnitude = np.abs(values) if magnitude is None else magnitude
    # beyond, the power of ten would overflow
    ordinary = (magnitude > 1e-296) & (magnitude < 1e307)
    exponent = np.floor(np.log10(np.where(ordinary, magnitude, 1.0)))
    shift = SIGNIFICANT_DIGITS - 1 - exponent
    # a power of ten above 0 is exact up to 10^22, one below is not: multiply by the one, divide by the other
    up, down = 10.0 ** np.maximum(shift, 0.0), 10.0 ** np.maximum(-shift, 0.0)
    rounded = np.rint(np.where(ordinary, values, 0.0) * up / down) / up * down
    return np.where(ordinary, rounded, values) + 0.0  # -0.0 becomes 0.0


def ranks(values: ArrayLike) -> Floats:
    """Ranks along the last axis: 1 for the highest value, ties share their average rank."""
    return np.asarray(rankdata(-np.asarray(values, dtype=np.float64), axis=-1), dtype=np.float64)
