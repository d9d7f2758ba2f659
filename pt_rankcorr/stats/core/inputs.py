"""Scores as arrays, as statistics compute with them; those of two sides matched by name.

`as_scores` says which input is topics x systems, and which one score a system. Where one score a system is needed, a
matrix gives its means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import as_numbers, is_missing, listing, one_of
from pt_rankcorr.stats.core.matrix import Rankings, ScoreMatrix, as_labelled, as_pandas, as_scores
from pt_rankcorr.stats.core.means import topic_order
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.warnings import MissingTopicsWarning, UnmatchedNamesWarning, UnreliableResultWarning, warn

# scores of systems: one a system, or topics x systems
ScoresLike: TypeAlias = (
    NDArray[Any] | pd.Series | pd.DataFrame | ScoreMatrix | Mapping[Any, Any] | Sequence[float | Sequence[float]]
)
RankingsLike: TypeAlias = ScoresLike | Rankings

MISSING = ("error", "skip", "warn")
SIDES = ("reference", "estimate")
RULES = {"systems": "must rank the same systems", "topics": "must be on the same topics"}
ADVICE = ": `missing='skip'` compares the systems that both have"
ADVICE_OF_GAPS = ": `missing='skip'` leaves such systems out, where a function has it"
FEWEST_RANKS = 3  # that are no scores
MOST_CELLS = 2**25  # of all pairs of two arrays of rankings: some 3 GB while they are compared


def as_score_matrix(
    scores: object, parameter: str = "scores", *, min_topics: int = 1, min_systems: int = 2
) -> ScoreMatrix:
    """Scores of topics x systems, so many; where topics depend on each other, clusters count as topics."""
    matrix = as_scores(scores, parameter)
    if isinstance(matrix, Rankings):
        raise ValueError(f"`{parameter}` must be of shape (n_topics, n_systems), got {matrix.kind}.")
    if matrix.n_independent < min_topics:
        seen = f"{matrix.n_independent} of {matrix.design}" if matrix.design else matrix.n_independent
        raise ValueError(f"`{parameter}` must have at least {min_topics} topics, got {seen}.")
    if matrix.n_systems < min_systems:
        raise ValueError(f"`{parameter}` must have at least {min_systems} systems, got {matrix.n_systems}.")
    return matrix


def as_matrix(scores: object, parameter: str = "scores", *, min_topics: int = 1, min_systems: int = 2) -> Floats:
    """Scores of topics x systems as a float array of shape (n_topics, n_systems), all finite.

    Where topics depend on each other, of the rows that are an independent sample.
    """
    return as_score_matrix(scores, parameter, min_topics=min_topics, min_systems=min_systems).rows


def as_vector(scores: object, parameter: str) -> Floats:
    """One score per system, rounded as means are: shape (n_systems,), or (..., n_systems) of `Rankings`."""
    scores = as_scores(scores, parameter)
    if isinstance(scores, ScoreMatrix) and not scores.n_topics:
        raise ValueError(f"`{parameter}` must have at least 1 topics, got 0.")
    return scores.means


def as_one_system(scores: object, parameter: str, *, min_topics: int = 2) -> ScoreMatrix:
    """The scores of one system, one a topic, as they are, and the names of topics."""
    scores = as_pandas(scores, parameter)
    values, topics, are_names = as_labelled(scores, parameter, "topics")
    if values.ndim != 1 or isinstance(scores, Rankings):
        raise ValueError(f"`{parameter}` must be of shape (n_topics,), got shape {values.shape}.")
    if values.size < min_topics:
        raise ValueError(f"`{parameter}` must have at least {min_topics} topics, got {values.size}.")
    return ScoreMatrix.of_checked(values[:, np.newaxis], topics, None, has_topic_names=are_names)


def labels_of(scores: object, parameter: str = "scores") -> Labels | None:
    """The names of the systems, where somebody gave them: of a matrix, a mapping, a series, rankings."""
    return as_scores(scores, parameter).system_names


def topics_of(scores: object, parameter: str = "scores") -> Labels | None:
    """The names of the topics, where somebody gave them."""
    return as_scores(scores, parameter).topic_names


def refuse_design(scores: object, parameter: str, instead: str, *, unless_even: bool = False) -> None:
    """For statistics that need the scores of single topics, or rows that weigh alike."""
    design = as_scores(scores, parameter).design
    if design is None or (unless_even and design.is_even):
        return
    rule = "clusters of one size, and one stratum" if unless_even else "independent topics"
    raise ValueError(f"`{parameter}` must be of {rule}, got {design}: {instead}.")


# --- several sides --------------------------------------------------------------------------------------------


def as_vectors(
    reference: object, estimate: object, sides: tuple[str, str] = SIDES, *, missing: str = "error", advice: str = ADVICE
) -> tuple[Floats, Floats]:
    """Two inputs of one score a system each, the second in the order of the first.

    Both are of shape (n_systems,), or (..., n_systems) of `Rankings`, whose shapes fit together. Systems are matched
    by name where both sides have names. By `missing`, those that only one side has are an error or left out.
    """
    first, second = in_common(reference, estimate, sides, missing=missing)
    second = in_order_of(first, second, sides, advice=advice)
    if first.n_systems != second.n_systems:
        counts = f"{first.n_systems} and {second.n_systems}"
        raise ValueError(f"`{sides[0]}` and `{sides[1]}` must have as many systems as each other, got {counts}.")
    if first.n_systems < 2:
        raise ValueError(f"`{sides[0]}` must have at least 2 systems, got {first.n_systems}.")
    vectors = first.means, second.means
    if vectors[0].shape == vectors[1].shape:
        return vectors
    shapes = f"{vectors[0].shape} and {vectors[1].shape}"
    try:
        cells = math.prod(np.broadcast_shapes(vectors[0].shape, vectors[1].shape))
    except ValueError:
        raise ValueError(f"`{sides[0]}` and `{sides[1]}` must be of shapes that fit together, got {shapes}.") from None
    if cells > max(MOST_CELLS, vectors[0].size, vectors[1].size):
        seen = f"{cells} of {shapes}: compare some rankings at a time"
        raise ValueError(f"`{sides[0]}` and `{sides[1]}` must be of at most {MOST_CELLS} pairs of scores, got {seen}.")
    return vectors


def as_paired(x: object, y: object) -> tuple[Floats, Floats]:
    """The scores of two systems on the same topics, those of the second in the order of the first's topics.

    Topics are matched by name where both are series or mappings.
    """
    first, second = as_one_system(x, "x"), as_one_system(y, "y")
    second = matched_to(first, second, ("x", "y"), "topics")
    if first.n_topics != second.n_topics:
        counts = f"{first.n_topics} and {second.n_topics}"
        raise ValueError(f"`x` and `y` must have as many topics as each other, got {counts}.")
    return first.values[:, 0], second.values[:, 0]


def matched(**scores: object) -> list[Floats]:
    """Matrices of the same topics and systems, matched by name where they have names; both as in the first.

    A design of one side is that of all.
    """
    (name, first), *others = (
        (parameter, as_score_matrix(side, parameter, min_topics=2)) for parameter, side in scores.items()
    )
    matrices = [first]
    for parameter, other in others:
        sides = (name, parameter)
        matrix = matched_to(first, in_order_of(first, other, sides), sides, "topics")
        if matrix.shape != first.shape:
            raise ValueError(f"`{parameter}` must have the shape of `{name}`, {first.shape}, got {matrix.shape}.")
        matrices.append(matrix)
    named = [(parameter, matrix.design) for parameter, matrix in zip(scores, matrices, strict=True) if matrix.design]
    for parameter, design in named:
        if design != named[0][1]:
            raise ValueError(f"`{parameter}` must have the clusters and strata of `{named[0][0]}`, got others.")
    return [named[0][1].rows(matrix.values) if named else matrix.values for matrix in matrices]


def align(**scores: object) -> list[Floats]:
    """The same, with topics in an order set by the scores, so that their order in the input changes no resample."""
    matrices = matched(**scores)
    order = topic_order(np.hstack(matrices))
    return [np.ascontiguousarray(matrix[order]) for matrix in matrices]


def in_common(
    reference: object, estimate: object, sides: tuple[str, str] = SIDES, *, missing: str = "error"
) -> tuple[Any, Any]:
    """Both inputs, in one design; of the systems that both have, unless a lack is an error or one side has no names."""
    one_of("missing", missing, MISSING)
    first, second = _without_gaps(reference, estimate, sides, missing)
    _warn_of_ranks(first, second, sides)
    second = _in_design_of(first, second, sides)
    first = _in_design_of(second, first, sides[::-1])
    names, others = first.system_names, second.system_names
    if missing == "error" or names is None or others is None or set(names) == set(others):
        return first, second
    left_out = set(names) ^ set(others)
    common = [name for name in names if name not in left_out]
    if len(common) < 2:
        raise ValueError(f"`{sides[1]}` must share at least 2 systems with `{sides[0]}`, got {len(common)}.")
    if missing == "warn":
        only_one = f"only one of `{sides[0]}` and `{sides[1]}`"
        warn(f"Systems that {only_one} has are left out: {listing(left_out)}.", MissingTopicsWarning)
    return first.select(systems=common), second.select(systems=common)


def _with_gaps(side: Any, parameter: str, missing: str) -> tuple[ScoreMatrix | Rankings, NDArray[np.bool_]]:
    """The scores of a side, and which of its systems have none, as their score is nan."""
    if not isinstance(side, (ScoreMatrix, Rankings)):
        side = as_pandas(side, parameter)
    if isinstance(side, pd.DataFrame):
        side = side if missing == "error" else side.dropna(axis=1)
    elif isinstance(side, pd.Series):
        is_gap = side.isna().to_numpy()
        return as_scores(side.mask(is_gap, 0.0) if is_gap.any() else side, parameter), is_gap
    elif isinstance(side, Mapping):
        is_gap = np.array([is_missing(value) for value in side.values()], dtype=bool)
        if is_gap.any():
            side = {name: 0.0 if is_missing(value) else value for name, value in side.items()}
            return as_scores(side, parameter), is_gap
    elif not isinstance(side, (ScoreMatrix, Rankings)):
        numbers = as_numbers(side)
        if numbers is not None and numbers.ndim == 1 and numbers.dtype.kind == "f" and np.isnan(numbers).any():
            return as_scores(np.nan_to_num(numbers, nan=0.0), parameter), np.isnan(numbers)
    scores = as_scores(side, parameter)
    return scores, np.zeros(scores.n_systems, dtype=bool)


def _without_gaps(
    reference: object, estimate: object, sides: tuple[str, str], missing: str
) -> tuple[ScoreMatrix | Rankings, ScoreMatrix | Rankings]:
    """Both sides; systems whose score is nan are an error, or left out, by position where a side has no names."""
    (first, no_first), (second, no_second) = (
        _with_gaps(side, parameter, missing) for side, parameter in zip((reference, estimate), sides, strict=True)
    )
    if not (no_first.any() or no_second.any()):
        return first, second
    if missing == "error":
        parameter, scores, is_gap = (sides[0], first, no_first) if no_first.any() else (sides[1], second, no_second)
        places = np.flatnonzero(is_gap)
        names = scores.system_names
        seen = f"for {listing([names[place] for place in places])}" if names else f"at {places[0]}"
        raise ValueError(f"`{parameter}` must be finite, got nan {seen}{ADVICE_OF_GAPS}.")
    if first.system_names is None or second.system_names is None:
        if first.n_systems != second.n_systems:
            return first, second  # which is an error later
        no_first = no_second = no_first | no_second
        if missing == "warn":
            warn(f"Systems without a score are left out: {no_first.sum()}.", MissingTopicsWarning)
    return (
        first.take(columns=np.flatnonzero(~no_first).tolist()),
        second.take(columns=np.flatnonzero(~no_second).tolist()),
    )


def _warn_of_ranks(reference: Any, estimate: Any, sides: tuple[str, str]) -> None:
    """Warns if a side that names systems has ranks, and the other measured scores: the largest rank would be best."""
    for parameter, side, other in ((sides[0], reference, estimate), (sides[1], estimate, reference)):
        n = side.n_systems
        if isinstance(side, ScoreMatrix) or side.values.ndim > 1 or n < FEWEST_RANKS or not side.system_names:
            continue
        are_ranks = (np.sort(side.values) == np.arange(1, n + 1)).all()
        if are_ranks and 0 not in other.shape and (other.means % 1 != 0).any():
            warn(
                f"`{parameter}` has the ranks 1 to {n} as scores, of which the largest is the best. If 1 is the best, "
                f"give `rc.stats.Rankings({parameter}, lower_is_better=True)`.",
                UnreliableResultWarning,
            )


def _in_design_of(
    designed: ScoreMatrix | Rankings, other: ScoreMatrix | Rankings, sides: tuple[str, str]
) -> ScoreMatrix | Rankings:
    """The other side with the clusters and strata of the first, if it has none and is on the same topics."""
    if designed.design is None or other.design is not None or isinstance(other, Rankings):
        return other
    if designed.topic_names is None or other.topic_names is None:
        return other.of_design(designed.design) if designed.n_topics == other.n_topics else other
    rows = pd.Index(designed.topics).get_indexer(pd.Index(other.topics))
    if (rows < 0).all():  # another sample of topics
        return other
    if (rows < 0).any():
        unknown = listing(set(other.topics) - set(designed.topics))
        seen = f"others {unknown}: take `ScoreMatrix.with_design` for both"
        raise ValueError(f"`{sides[1]}` must be on topics of `{sides[0]}`, which are in {designed.design}, got {seen}.")
    return other.of_design(designed.design.select(rows.tolist()))


def in_order_of(
    reference: Any, other: Any, sides: tuple[str, str], *, any_topics: bool = False, advice: str = ""
) -> Any:
    """The other side with its systems in the order of the reference, if neither is transposed.

    Unless they may have been measured on any topics, both have as many where one side does not name them.
    """
    for parameter, side, names in (
        (sides[1], other, reference.system_names),  # the reference is trusted
        (sides[0], reference, other.system_names),
    ):
        if names and side.topic_names and set(names) <= set(side.topics) - set(side.systems):
            seen = "rows that are named as systems: transpose it, by its `.T`"
            raise ValueError(f"`{parameter}` must have one row a topic and one column a system, got {seen}.")
    are_matrices = isinstance(reference, ScoreMatrix) and isinstance(other, ScoreMatrix)
    are_named = reference.topic_names and other.topic_names
    if are_matrices and not are_named and not any_topics and reference.n_topics != other.n_topics:
        seen = f"{other.n_topics} (one score a system may be of any topics)"
        raise ValueError(f"`{sides[1]}` must be on the topics of `{sides[0]}`, {reference.n_topics}, got {seen}.")
    return matched_to(reference, other, sides, "systems", advice)


def matched_to(reference: Any, other: Any, sides: tuple[str, str], what: str, advice: str = "") -> Any:
    """The other side with its systems, or topics, in the order of the reference.

    They stay where they are if a side has no names; if only one has, a warning says so. Numbers that only count systems
    are matched with the same numbers in another order.
    """
    labels, others = getattr(reference, what), getattr(other, what)
    are_names, are_others = (getattr(side, f"{what[:-1]}_names") is not None for side in (reference, other))
    if labels is not None and labels == others:
        return other
    if labels is not None and others is not None and ((are_names and are_others) or set(labels) == set(others)):
        if different := set(labels) ^ set(others):
            raise ValueError(f"`{sides[1]}` {RULES[what]}, got differences in {listing(different)}{advice}.")
        order = pd.Index(others).get_indexer(pd.Index(labels)).tolist()
        return other.take(columns=order) if what == "systems" else other.take(rows=order)
    if getattr(reference, f"n_{what}") == getattr(other, f"n_{what}"):
        warn_if_unmatched(are_names, are_others, sides, what)
    return other


def rows_of_topics(
    reference: ScoreMatrix, other: ScoreMatrix, sides: tuple[str, str], *, may_have_more: bool = False
) -> Indices:
    """The rows of the other side with the topics of the reference; it may have more if they are matched by name."""
    n_topics, n_others = reference.n_topics, other.n_topics
    if (reference.has_topic_names and other.has_topic_names) or set(reference.topics) <= set(other.topics):
        if missing := set(reference.topics) - set(other.topics):
            raise ValueError(f"`{sides[1]}` must have all topics of `{sides[0]}`, got none of {listing(missing)}.")
        return pd.Index(other.topics).get_indexer(pd.Index(reference.topics))
    if n_others < n_topics or (n_others > n_topics and not may_have_more):
        raise ValueError(f"`{sides[1]}` must be on the topics of `{sides[0]}`, {n_topics}, got {n_others}.")
    warn_if_unmatched(reference.has_topic_names, other.has_topic_names, sides, "topics")
    return np.arange(n_topics)


def warn_if_unmatched(are_named: bool, others_are: bool, sides: tuple[str, str], what: str) -> None:
    """Says which side has names, where only one has."""
    if are_named != others_are:
        named, unnamed = sides if are_named else sides[::-1]
        message = f"`{named}` names its {what} and `{unnamed}` does not: they are taken to be in the same order."
        warn(message, UnmatchedNamesWarning)
