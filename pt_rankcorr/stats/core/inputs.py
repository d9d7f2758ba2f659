"""Turns the user's input into a matrix of topics x systems, or one score per system, with its names.

An array, a nested list or a data frame of two dimensions, and a score matrix, are topics x systems. Input of one
dimension, or a mapping, is one score per system. Where one score per system is needed, a matrix gives its means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ForwardRef, NamedTuple, TypeAlias, Union, cast

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.stats.core.design import LabelledMatrix, design_of, in_common_design, one_measure, reordered
from pt_rankcorr.stats.core.floats import as_floats as as_floats
from pt_rankcorr.stats.core.floats import as_numbers, item_of, place
from pt_rankcorr.stats.core.frames import (
    cell_of_frame,
    check_no_names_are_lost,
    is_frame,
    is_series,
    names_of_frame,
    names_of_series,
    numbers_of_frame,
)
from pt_rankcorr.stats.core.matching import Names, distinct, given_labels, in_order_of
from pt_rankcorr.stats.core.matching import matching as matching
from pt_rankcorr.stats.core.means import rounded_scores, system_means, topic_order
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.rounding import warn_if_rounded
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.warnings import MissingTopicsWarning, warn

if TYPE_CHECKING:
    import pandas as pd

    Frame: TypeAlias = pd.Series[Any] | pd.DataFrame
else:  # statistics need no pandas; whoever resolves the types of their arguments finds it
    Frame = Union[ForwardRef("Series", module="pandas"), ForwardRef("DataFrame", module="pandas")]  # noqa: UP007

Labelled: TypeAlias = Union[NDArray[Any], Frame, LabelledMatrix]  # noqa: UP007
# scores of systems: one a system, or topics x systems
ScoresLike: TypeAlias = Labelled | Mapping[Any, Any] | Sequence[float] | Sequence[Sequence[float]]
RankingsLike: TypeAlias = ScoresLike | Rankings

MISSING = ("error", "skip", "warn")
ADVICE = ': missing="skip" compares the systems that both have'
MOST_CELLS = 2**25  # of all pairs of two arrays of rankings: some 3 GB while they are compared


def as_matrix(scores: object, parameter: str = "scores", *, min_topics: int = 1, min_systems: int = 2) -> Floats:
    """Scores of topics x systems as a float array of shape (n_topics, n_systems), all finite.

    Where topics depend on each other, of the rows that are an independent sample.
    """
    return _as_matrix(scores, _rows(scores, parameter), parameter, min_topics, min_systems)


def as_table(
    scores: object,
    parameter: str = "scores",
    *,
    min_topics: int = 1,
    min_systems: int = 1,
    place_of: Callable[[tuple[int, ...]], str] = place,
) -> Floats:
    """The same of single topics, whatever their design; `place_of` as for `as_floats`."""
    return _as_matrix(scores, _numbers(scores, parameter, place_of), parameter, min_topics, min_systems)


def _as_matrix(scores: object, matrix: Floats, parameter: str, min_topics: int, min_systems: int) -> Floats:
    if matrix.ndim != 2 or isinstance(scores, Rankings):
        seen = "rankings" if isinstance(scores, Rankings) else f"shape {matrix.shape}"
        raise ValueError(f"`{parameter}` must be of shape (n_topics, n_systems), got {seen}.")
    for count, least, what in zip(matrix.shape, (min_topics, min_systems), ("topics", "systems"), strict=True):
        if count < least:
            design = design_of(scores)
            seen = f"{count} of {design}" if design is not None and what == "topics" else str(count)
            raise ValueError(f"`{parameter}` must have at least {least} {what}, got {seen}.")
    return matrix


def _rows(scores: object, parameter: str) -> Floats:
    scores = one_measure(scores)
    return scores.rows if isinstance(scores, LabelledMatrix) else _numbers(scores, parameter)


def _numbers(scores: object, parameter: str, place_of: Callable[[tuple[int, ...]], str] = place) -> Floats:
    scores = one_measure(scores)
    if isinstance(scores, LabelledMatrix):
        return scores.values
    if is_frame(scores):
        values = as_floats(numbers_of_frame(scores, parameter), parameter, partial(cell_of_frame, scores, parameter))
        warn_if_rounded(values, parameter)
        return values
    check_no_names_are_lost(scores, parameter)
    if is_series(scores):
        place_of = partial(item_of, cast(Any, scores).index.tolist())
    return as_floats(scores, parameter, place_of)


def align(**scores: object) -> list[Floats]:
    """Matrices of the same topics and systems, matched by name where they have names; systems as in the first.

    Topics come in an order that the scores settle, so that their order in the input changes no resample.
    """
    matrices = matched(**scores)
    order = topic_order(np.hstack(matrices))
    return [np.ascontiguousarray(matrix[order]) for matrix in matrices]


def matched(**scores: object) -> list[Floats]:
    """The same, with topics as in the first."""
    (name, first), *others = scores.items()
    matrices, designs = [as_table(first, name, min_topics=2, min_systems=2)], [design_of(first)]
    topics, systems = topic_names_of(first, name), names_of(first, name)
    for parameter, other in others:
        matrix, sides = as_table(other, parameter, min_topics=2, min_systems=2), (name, parameter)
        check_sides(side_of(first, name), side_of(other, parameter))
        n_topics, n_systems = matrices[0].shape
        matrix = in_order_of(systems, names_of(other, parameter), matrix, sides, count=n_systems)
        names, places = topic_names_of(other, parameter), np.arange(len(matrix), dtype=np.float64)
        order = in_order_of(topics, names, places, sides, count=n_topics, what="topics").astype(np.intp)
        matrix = np.ascontiguousarray(matrix[order])
        if matrix.shape != matrices[0].shape:
            shapes = f"{matrices[0].shape}, got {matrix.shape}"
            raise ValueError(f"`{parameter}` must have the shape of `{name}`, {shapes}.")
        matrices.append(matrix)
        designs.append(reordered(design_of(other), order.tolist()))
    return in_common_design(dict(zip(scores, designs, strict=True)), matrices)


def as_vector(scores: object, parameter: str) -> Floats:
    """One score per system, rounded as means are: shape (n_systems,), or (..., n_systems) of `Rankings`."""
    scores = one_measure(scores)
    if isinstance(scores, LabelledMatrix):
        return scores.means
    if isinstance(scores, Rankings):
        return scores.values
    numbers = _of_mapping(scores, parameter) if isinstance(scores, Mapping) else _numbers(scores, parameter)
    if numbers.ndim == 2:
        return system_means(as_matrix(numbers, parameter, min_systems=1))
    if numbers.ndim == 1:
        return rounded_scores(numbers)
    seen = f"the single number {numbers}" if numbers.ndim == 0 else f"shape {numbers.shape}"
    advice = " (many rankings at once: `ptr.stats.Rankings`)" if numbers.ndim else ""
    raise ValueError(f"`{parameter}` must be of shape (n_topics, n_systems) or (n_systems,), got {seen}{advice}.")


def _of_mapping(scores: Mapping[Any, Any], parameter: str) -> Floats:
    several = any(isinstance(value, LabelledMatrix) or is_frame(value) for value in scores.values())
    where = partial(item_of, list(scores))
    vector = as_floats(scores, parameter) if several else as_floats(list(scores.values()), parameter, where)
    if vector.ndim != 1:
        raise ValueError(
            f"`{parameter}` must have a single score for each name, got arrays of shape {vector.shape[1:]}."
        )
    return vector


def as_vectors(
    reference: object, estimate: object, sides: tuple[str, str] = ("reference", "estimate"), advice: str = ""
) -> tuple[Floats, Floats]:
    """Two inputs of one score a system each, the second in the order of the first.

    Both are of shape (n_systems,), or (..., n_systems) of `Rankings`, whose shapes fit together. Systems are matched
    by name where both sides have names; where these differ, the message ends in the advice.
    """
    first, second = as_vector(reference, sides[0]), as_vector(estimate, sides[1])
    if n_topics_of(reference) is not None or n_topics_of(estimate) is not None:
        check_sides(side_of(reference, sides[0]), side_of(estimate, sides[1]))
    names, others = names_of(reference, sides[0]), names_of(estimate, sides[1])
    if names is not None or others is not None:
        second = in_order_of(names, others, second, sides, count=first.shape[-1], advice=advice)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"`{sides[0]}` and `{sides[1]}` must have as many systems as each other, "
            f"got {first.shape[-1]} and {second.shape[-1]}."
        )
    if first.shape[-1] < 2:
        raise ValueError(f"`{sides[0]}` must have at least 2 systems, got {first.shape[-1]}.")
    if first.shape != second.shape:
        _check_broadcast(first, second, sides)
    return first, second


def _check_broadcast(first: Floats, second: Floats, sides: tuple[str, str]) -> None:
    try:
        cells = math.prod(np.broadcast_shapes(first.shape, second.shape))
    except ValueError:
        raise ValueError(
            f"`{sides[0]}` and `{sides[1]}` must be of shapes that fit together, got {first.shape} and {second.shape}."
        ) from None
    if cells > max(MOST_CELLS, first.size, second.size):
        raise ValueError(
            f"`{sides[0]}` and `{sides[1]}` must be of at most {MOST_CELLS} pairs of scores, as all pairs of many "
            f"rankings do not fit into memory, got {cells} of {first.shape} and {second.shape}: compare some at a time."
        )


def as_topic_scores(scores: object, parameter: str, *, min_topics: int = 2) -> Floats:
    """The scores of one system, one a topic: shape (n_topics,), as they are."""
    vector = _of_mapping(scores, parameter) if isinstance(scores, Mapping) else _numbers(scores, parameter)
    if vector.ndim != 1 or isinstance(scores, Rankings):
        raise ValueError(f"`{parameter}` must be of shape (n_topics,), got shape {vector.shape}.")
    if vector.size < min_topics:
        raise ValueError(f"`{parameter}` must have at least {min_topics} topics, got {vector.size}.")
    return vector


def as_paired(x: object, y: object, sides: tuple[str, str] = ("x", "y")) -> tuple[Floats, Floats]:
    """The scores of two systems on the same topics, those of the second in the order of the first's topics.

    Topics are matched by name where both are series or mappings.
    """
    first, second = as_topic_scores(x, sides[0]), as_topic_scores(y, sides[1])
    names, others = names_of(x, sides[0], "topics"), names_of(y, sides[1], "topics")
    second = in_order_of(names, others, second, sides, count=first.size, what="topics")
    if first.size != second.size:
        raise ValueError(
            f"`{sides[0]}` and `{sides[1]}` must have as many topics as each other, got {first.size} and {second.size}."
        )
    return first, second


def n_topics_of(scores: object) -> int | None:
    """How many topics scores of systems were measured on: those of a matrix; None of what is one score a system."""
    scores = one_measure(scores)
    if isinstance(scores, (Mapping, Rankings)) or is_series(scores):
        return None
    array = scores.rows if isinstance(scores, LabelledMatrix) else as_numbers(scores)
    return None if array is None or array.ndim != 2 else len(array)


class Side(NamedTuple):
    """What one of two inputs says of its topics and systems.

    Attributes:
        parameter: What messages call it.
        n_topics: How many topics it has; None of one score a system.
        topics, systems: Their names, where it can have any.
    """

    parameter: str
    n_topics: int | None
    topics: Names | None
    systems: Names | None


def side_of(scores: object, parameter: str) -> Side:
    topics = topic_names_of(scores, parameter)
    return Side(parameter, len(topics.labels) if topics else n_topics_of(scores), topics, names_of(scores, parameter))


def check_sides(reference: Side, other: Side, *, any_topics: bool = False) -> None:
    """What two matrices say of each other: neither is transposed, and where a side names no topics, both have as many.

    Args:
        reference, other: The sides.
        any_topics: Whether they may have been measured on other topics.
    """
    for one, two in ((other, reference), (reference, other)):  # the reference is trusted where both may be wrong
        wanted, rows = given_labels(two.systems), given_labels(one.topics)
        if wanted and rows and one.systems and set(wanted) <= set(rows) - set(one.systems.labels):
            raise ValueError(
                f"`{one.parameter}` must have one row a topic and one column a system, got rows that are named as "
                "systems: transpose it, by its `.T`."
            )
    any_topics |= None in (reference.n_topics, other.n_topics)
    are_named = given_labels(reference.topics) is not None and given_labels(other.topics) is not None
    if reference.n_topics != other.n_topics and not (any_topics or are_named):
        raise ValueError(
            f"`{other.parameter}` must be on the topics of `{reference.parameter}`, {reference.n_topics}, got "
            f"{other.n_topics} (one score a system may be of any topics)."
        )


def names_of(scores: object, parameter: str = "scores", what: str = "systems") -> Names | None:
    """The names of the systems, where the scores can have any; of what has one dimension those of its items."""
    if isinstance(scores, (np.ndarray, list)):
        return None
    scores = one_measure(scores)
    if is_frame(scores):
        return names_of_frame(scores, parameter)[1]
    if is_series(scores):
        return names_of_series(scores, parameter, what)
    if isinstance(scores, LabelledMatrix):
        return Names(scores.systems, scores.has_system_names)
    if isinstance(scores, Rankings):
        return scores.names
    return Names(distinct(scores.keys(), parameter, what)) if isinstance(scores, Mapping) else None


def topic_names_of(scores: object, parameter: str = "scores") -> Names | None:
    """The names of the topics, where the scores are a matrix that can have any."""
    scores = one_measure(scores)
    if is_frame(scores):
        return names_of_frame(scores, parameter)[0]
    return Names(scores.topics, scores.has_topic_names) if isinstance(scores, LabelledMatrix) else None


def labels_of(scores: object, parameter: str = "scores") -> Labels | None:
    """The names of the systems, where somebody gave them: of a matrix, a mapping, a series, rankings."""
    return given_labels(names_of(scores, parameter))


def topics_of(scores: object, parameter: str = "scores") -> Labels | None:
    return given_labels(topic_names_of(scores, parameter))


# --- two inputs that rank different systems, brought to those that both rank ---------------------------------------


def vectors_of(reference: object, estimate: object, missing: str) -> tuple[Floats, Floats]:
    """As `as_vectors`; by `missing` of the systems that both have."""
    return as_vectors(*in_common(reference, estimate, missing), advice=ADVICE)


def in_common(
    reference: object, estimate: object, missing: str, sides: tuple[str, str] = ("reference", "estimate")
) -> tuple[Any, Any]:
    """Both inputs; of the systems that both have, unless what one lacks is an error or one has no names."""
    reference, estimate = one_measure(reference), one_measure(estimate)
    if one_of("missing", missing, MISSING) == "error":
        return reference, estimate
    names, others = labels_of(reference, sides[0]), labels_of(estimate, sides[1])
    if names is None or others is None or set(names) == set(others):
        return reference, estimate
    wanted, left_out = set(names) & set(others), set(names) ^ set(others)
    if len(wanted) < 2:
        raise ValueError(f"`{sides[1]}` must share at least 2 systems with `{sides[0]}`, got {len(wanted)}.")
    if missing == "warn":
        warn(
            f"Systems that only one of `{sides[0]}` and `{sides[1]}` has are left out: {listing(left_out)}.",
            MissingTopicsWarning,
        )
    common = tuple(name for name in names if name in wanted)
    return _of_systems(reference, names, common, sides[0]), _of_systems(estimate, others, common, sides[1])


def _of_systems(scores: object, names: Labels, wanted: Labels, parameter: str) -> object:
    """Scores of some systems, of the same kind."""
    position = {name: at for at, name in enumerate(names)}
    at = [position[name] for name in wanted]
    if isinstance(scores, LabelledMatrix) or is_frame(scores):
        part = LabelledMatrix()
        part.values, part.design = np.ascontiguousarray(as_table(scores, parameter)[:, at]), design_of(scores)
        part.topics, part.has_topic_names = topic_names_of(scores, parameter) or Names(())
        part.systems, part.has_system_names = wanted, True
        return part
    if isinstance(scores, Rankings):
        return Rankings(np.ascontiguousarray(scores.values[..., at]), wanted)
    vector = _of_mapping(scores, parameter) if isinstance(scores, Mapping) else _numbers(scores, parameter)
    return dict(zip(wanted, vector[at].tolist(), strict=True))
