"""Scores as arrays, as statistics compute with them; those of two sides matched by name.

`as_scores` says which input is topics x systems, and which one score a system. Where one score a system is needed, a
matrix gives its means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, Union

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.stats.core.matrix import Rankings, ScoreMatrix, as_labelled, as_pandas, as_scores, system_names
from pt_rankcorr.stats.core.means import topic_order
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.warnings import MissingTopicsWarning, UnmatchedNamesWarning, warn

# scores of systems: one a system, or topics x systems
ScoresLike: TypeAlias = Union[  # noqa: UP007
    NDArray[Any],
    pd.Series,
    pd.DataFrame,
    ScoreMatrix,
    Mapping[Any, Any],
    Sequence[float],
    Sequence[Sequence[float]],
]
RankingsLike: TypeAlias = ScoresLike | Rankings

MISSING = ("error", "skip", "warn")
SIDES = ("reference", "estimate")
RULES = {"systems": "must rank the same systems", "topics": "must be on the same topics"}
ADVICE = ': missing="skip" compares the systems that both have'
MOST_CELLS = 2**25  # of all pairs of two arrays of rankings: some 3 GB while they are compared


def as_score_matrix(
    scores: object, parameter: str = "scores", *, min_topics: int = 1, min_systems: int = 2
) -> ScoreMatrix:
    """Scores of topics x systems, so many; where topics depend on each other, clusters count as topics."""
    matrix = as_scores(scores, parameter)
    if isinstance(matrix, Rankings):
        raise ValueError(f"`{parameter}` must be of shape (n_topics, n_systems), got {matrix.kind}.")
    for count, least, what in (
        (_n_independent(matrix), min_topics, "topics"),
        (matrix.n_systems, min_systems, "systems"),
    ):
        if count < least:
            seen = f"{count}{f' of {matrix.design}' if matrix.design and what == 'topics' else ''}"
            raise ValueError(f"`{parameter}` must have at least {least} {what}, got {seen}.")
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


def as_topic_scores(scores: object, parameter: str, *, min_topics: int = 2) -> Floats:
    """The scores of one system, one a topic: shape (n_topics,), as they are."""
    return as_one_system(scores, parameter, min_topics=min_topics).values[:, 0]


def as_one_system(scores: object, parameter: str, *, min_topics: int = 2) -> ScoreMatrix:
    """The same with the names of topics."""
    values, labels, are_given = as_labelled(as_pandas(scores, parameter), parameter, "topics")
    if values.ndim != 1 or isinstance(scores, Rankings):
        raise ValueError(f"`{parameter}` must be of shape (n_topics,), got shape {values.shape}.")
    if values.size < min_topics:
        raise ValueError(f"`{parameter}` must have at least {min_topics} topics, got {values.size}.")
    return ScoreMatrix.of_checked(values[:, np.newaxis], labels, None, has_topic_names=are_given)


def labels_of(scores: object, parameter: str = "scores") -> Labels | None:
    """The names of the systems, where somebody gave them: of a matrix, a mapping, a series, rankings."""
    return system_names(as_scores(scores, parameter))


def topics_of(scores: object, parameter: str = "scores") -> Labels | None:
    """The names of the topics, where somebody gave them."""
    matrix = as_scores(scores, parameter)
    return matrix.topics if isinstance(matrix, ScoreMatrix) and matrix.has_topic_names else None


def n_topics_of(scores: object) -> int | None:
    """How many topics or clusters scores of systems were measured on; None of what is one score a system."""
    matrix = as_scores(scores, "scores")
    return _n_independent(matrix) if isinstance(matrix, ScoreMatrix) else None


def _n_independent(matrix: ScoreMatrix) -> int:
    return matrix.design.n_clusters if matrix.design else matrix.n_topics


def refuse_design(scores: object, parameter: str, instead: str, *, unless_even: bool = False) -> None:
    """For statistics that need the scores of single topics, or rows that weigh alike."""
    matrix = as_scores(scores, parameter)
    design = matrix.design if isinstance(matrix, ScoreMatrix) else None
    if design is None or (unless_even and design.is_even):
        return
    rule = "clusters of one size, and one stratum" if unless_even else "independent topics"
    raise ValueError(f"`{parameter}` must be of {rule}, got {design}: {instead}.")


# --- two sides ------------------------------------------------------------------------------------------------


def align(**scores: object) -> list[Floats]:
    """Matrices of the same topics and systems, matched by name where they have names; systems as in the first.

    Topics come in an order set by the scores, so that their order in the input changes no resample.
    """
    matrices = matched(**scores)
    order = topic_order(np.hstack(matrices))
    return [np.ascontiguousarray(matrix[order]) for matrix in matrices]


def matched(**scores: object) -> list[Floats]:
    """The same, with topics as in the first. A design of one side is that of all."""
    (name, first), *others = (
        (parameter, as_score_matrix(given, parameter, min_topics=2)) for parameter, given in scores.items()
    )
    matrices = [first]
    for parameter, other in others:
        sides = (name, parameter)
        check_sides(first, other, sides)
        rows = order_of(first, other, sides, "topics")
        matrix = in_order_of(first, other if rows is None else other.take(rows.tolist()), sides)
        if matrix.shape != first.shape:
            raise ValueError(f"`{parameter}` must have the shape of `{name}`, {first.shape}, got {matrix.shape}.")
        matrices.append(matrix)
    named = [(parameter, matrix.design) for parameter, matrix in zip(scores, matrices, strict=True) if matrix.design]
    for parameter, design in named:
        if design != named[0][1]:
            raise ValueError(f"`{parameter}` must have the clusters and strata of `{named[0][0]}`, got others.")
    return [named[0][1].rows(matrix.values) if named else matrix.values for matrix in matrices]


def as_vectors(
    reference: object, estimate: object, sides: tuple[str, str] = SIDES, *, missing: str = "error", advice: str = ""
) -> tuple[Floats, Floats]:
    """Two inputs of one score a system each, the second in the order of the first.

    Both are of shape (n_systems,), or (..., n_systems) of `Rankings`, whose shapes fit together. Systems are matched
    by name where both sides have names; where these differ, the message ends in the advice.
    """
    one, other = in_common(reference, estimate, missing, sides)
    check_sides(one, other, sides)
    other = in_order_of(one, other, sides, advice)
    first, second = one.means, other.means
    if one.n_systems != other.n_systems:
        counts = f"{one.n_systems} and {other.n_systems}"
        raise ValueError(f"`{sides[0]}` and `{sides[1]}` must have as many systems as each other, got {counts}.")
    if one.n_systems < 2:
        raise ValueError(f"`{sides[0]}` must have at least 2 systems, got {one.n_systems}.")
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


def vectors_of(reference: object, estimate: object, missing: str) -> tuple[Floats, Floats]:
    """As `as_vectors`; by `missing` of the systems that both have."""
    return as_vectors(reference, estimate, missing=missing, advice=ADVICE)


def in_common(reference: object, estimate: object, missing: str, sides: tuple[str, str] = SIDES) -> tuple[Any, Any]:
    """Both inputs, in one design; of the systems that both have, unless a lack is an error or one has no names."""
    one_of("missing", missing, MISSING)
    one, other = in_one_design(as_scores(reference, sides[0]), as_scores(estimate, sides[1]), sides)
    names, others = system_names(one), system_names(other)
    if missing == "error" or names is None or others is None or set(names) == set(others):
        return one, other
    left_out = set(names) ^ set(others)
    common = [name for name in names if name not in left_out]
    if len(common) < 2:
        raise ValueError(f"`{sides[1]}` must share at least 2 systems with `{sides[0]}`, got {len(common)}.")
    if missing == "warn":
        warn(
            f"Systems that only one of `{sides[0]}` and `{sides[1]}` has are left out: {listing(left_out)}.",
            MissingTopicsWarning,
        )
    return one.select(systems=common), other.select(systems=common)


def in_one_design(
    reference: ScoreMatrix | Rankings, other: ScoreMatrix | Rankings, sides: tuple[str, str]
) -> tuple[Any, Any]:
    """Both sides with the clusters and strata of the one that has some, if they are on the same topics."""
    if not isinstance(reference, ScoreMatrix) or not isinstance(other, ScoreMatrix):
        return reference, other
    if reference.design is None and other.design is not None:
        return in_one_design(other, reference, sides[::-1])[::-1]
    if reference.design is None or other.design is not None:
        return reference, other
    rows = list(range(other.n_topics))
    if reference.has_topic_names and other.has_topic_names:
        position = {topic: row for row, topic in enumerate(reference.topics)}
        unknown = set(other.topics) - set(position)
        if len(unknown) == other.n_topics:  # another sample of topics
            return reference, other
        if unknown:
            raise ValueError(
                f"`{sides[1]}` must be on topics of `{sides[0]}`, which are in {reference.design}, got others "
                f"{listing(unknown)}: take `ScoreMatrix.with_design` for both."
            )
        rows = [position[topic] for topic in other.topics]
    elif reference.n_topics != other.n_topics:
        return reference, other
    return reference, other.of_design(reference.design.select(rows))


def as_paired(x: object, y: object, sides: tuple[str, str] = ("x", "y")) -> tuple[Floats, Floats]:
    """The scores of two systems on the same topics, those of the second in the order of the first's topics.

    Topics are matched by name where both are series or mappings.
    """
    first, second = as_one_system(x, sides[0]), as_one_system(y, sides[1])
    order = order_of(first, second, sides, "topics")
    if first.n_topics != second.n_topics:
        raise ValueError(
            f"`{sides[0]}` and `{sides[1]}` must have as many topics as each other, got {first.n_topics} and "
            f"{second.n_topics}."
        )
    values = second.values[:, 0]
    return first.values[:, 0], values if order is None else values[order]


def check_sides(
    reference: ScoreMatrix | Rankings,
    other: ScoreMatrix | Rankings,
    sides: tuple[str, str],
    *,
    any_topics: bool = False,
) -> None:
    """What two matrices say of each other: neither is transposed, and where a side names no topics, both have as many.

    Args:
        reference, other: The sides.
        sides: What messages call them.
        any_topics: Whether they may have been measured on other topics.
    """
    for parameter, one, two in ((sides[1], other, reference), (sides[0], reference, other)):  # the first is trusted
        wanted = system_names(two)
        if not isinstance(one, ScoreMatrix) or not wanted or not one.has_topic_names:
            continue
        if set(wanted) <= set(one.topics) - set(one.systems):
            raise ValueError(
                f"`{parameter}` must have one row a topic and one column a system, got rows that are named as "
                "systems: transpose it, by its `.T`."
            )
    if any_topics or not isinstance(reference, ScoreMatrix) or not isinstance(other, ScoreMatrix):
        return
    if reference.n_topics != other.n_topics and not (reference.has_topic_names and other.has_topic_names):
        raise ValueError(
            f"`{sides[1]}` must be on the topics of `{sides[0]}`, {reference.n_topics}, got {other.n_topics} "
            "(one score a system may be of any topics)."
        )


def in_order_of(reference: Any, other: Any, sides: tuple[str, str], advice: str = "") -> Any:
    """The other side with its systems in the order of the reference."""
    order = order_of(reference, other, sides, "systems", advice)
    return other if order is None else other.take(columns=order.tolist())


def order_of(
    reference: ScoreMatrix | Rankings,
    other: ScoreMatrix | Rankings,
    sides: tuple[str, str],
    what: str,
    advice: str = "",
) -> Indices | None:
    """Where the other side has each system, or topic, of the reference; None where they are in one order.

    By position where a side has no names; if only one has, a warning says so. Numbers that only count systems are
    matched with the same numbers in another order.
    """
    (names, are_given), (others, others_are) = _names(reference, what), _names(other, what)
    if names is not None and others is not None:
        if names == others:
            return None
        if (are_given and others_are) or set(names) == set(others):
            return matching(names, others, sides[1], RULES[what], advice)
    if getattr(reference, f"n_{what}") == getattr(other, f"n_{what}"):
        warn_if_unmatched(are_given, others_are, sides, what)
    return None


def _names(scores: ScoreMatrix | Rankings, what: str) -> tuple[Labels | None, bool]:
    """The labels of topics or systems, and whether somebody gave them."""
    if isinstance(scores, Rankings):
        return (scores.labels, scores.systems is not None) if what == "systems" else (None, False)
    return (scores.topics, scores.has_topic_names) if what == "topics" else (scores.systems, scores.has_system_names)


def matching(labels: Labels, others: Labels, parameter: str, rule: str = RULES["systems"], advice: str = "") -> Indices:
    """The positions in `others` of each of `labels`: both must have the same names, each once."""
    different = set(labels) ^ set(others)
    if different:
        raise ValueError(f"`{parameter}` {rule}, got differences in {listing(different)}{advice}.")
    position = {label: index for index, label in enumerate(others)}
    return np.array([position[label] for label in labels], dtype=np.intp)


def warn_if_unmatched(are_named: bool, others_are: bool, sides: tuple[str, str], what: str) -> None:
    """Says which side has names, where only one has."""
    if are_named != others_are:
        named, unnamed = sides if are_named else sides[::-1]
        warn(
            f"`{named}` names its {what} and `{unnamed}` does not: they are taken to be in the same order.",
            UnmatchedNamesWarning,
        )
