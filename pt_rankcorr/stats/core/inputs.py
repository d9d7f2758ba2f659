"""The scores that a public statistic is given are parsed once here, checked, and matched by name.

Each public statistic begins with one of these: `prepare_matrix` (topics x systems),
`prepare_matrices` (several, of the same topics and systems), `prepare_ranking` (one score a
system), `prepare_sides` or `prepare_vectors` (two rankings of the same systems), `prepare_system`
or `prepare_pair` (one score a topic). What they return has the names, the design, and a `sample` of
independent topics. The order that scores set, and the way back from it, is in `ordering`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import listing, numbered, one_of, spelling_hint
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import rounded_scores
from pt_rankcorr.stats.core.parsing import LabelledScores, as_pandas, parse, parse_items
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.types import Flags, Floats, Indices
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import (
    MissingTopicsWarning,
    RoundedScoresWarning,
    UnmatchedNamesWarning,
    UnreliableResultWarning,
    warn,
)

# scores of systems: one a system, or topics x systems
Lists: TypeAlias = Sequence[float | Sequence[float]]
ScoresLike: TypeAlias = (
    NDArray[Any] | pd.Series | pd.DataFrame | ScoreMatrix | Mapping[Any, Any] | Lists
)
RankingsLike: TypeAlias = ScoresLike | Rankings
# what the functions below return of one input
Prepared: TypeAlias = ScoreMatrix | Rankings

# the parameters of both sides, for messages
Sides: TypeAlias = tuple[str, str]

MISSING = ("error", "skip", "warn")
SIDES = ("reference", "estimate")
ADVICE = ": `missing='skip'` compares the systems that both have"
# Scores 1 ... n are taken for ranks, and warned of, from 3 systems on: two may score 1 and 2.
FEWEST_RANKS = 3
# Two arrays of rankings may have this many pairs of scores: some 3 GB while they are compared.
MOST_CELLS = 2**25


# --- one input ------------------------------------------------------------------------------------


def prepare_matrix(
    scores: object, parameter: str = "scores", *, min_topics: int = 1, min_systems: int = 2
) -> ScoreMatrix:
    """Scores of topics x systems, of at least so many; clusters of topics count as topics."""
    matrix = prepare_ranking(scores, parameter)
    if isinstance(matrix, Rankings):
        rule = f"`{parameter}` must be of shape (n_topics, n_systems)"
        raise ValueError(f"{rule}, got {matrix.form}.")
    if matrix.n_independent < min_topics:
        of_topics = f" of {matrix.design}" if matrix.design else ""
        rule = f"`{parameter}` must have at least {min_topics} topics"
        raise ValueError(f"{rule}, got {matrix.n_independent}{of_topics}.")
    if matrix.n_systems < min_systems:
        rule = f"`{parameter}` must have at least {min_systems} systems"
        raise ValueError(f"{rule}, got {matrix.n_systems}.")
    return matrix


def prepare_ranking(scores: object, parameter: str) -> Prepared:
    """Scores that rank systems: topics x systems, by the means; one a system; or `Rankings`."""
    labelled = parse(scores, parameter)
    if isinstance(labelled, (ScoreMatrix, Rankings)):
        return labelled
    shape = labelled.shape
    if labelled.is_matrix:
        if not shape[0]:
            raise ValueError(f"`{parameter}` must have at least 1 topics, got 0.")
        matrix = ScoreMatrix.of_parsed(labelled)
        warn_of_ties_by_rounding(labelled, matrix.means, parameter)
        return matrix
    if len(shape) != 1:
        seen = f"shape {shape}" if shape else f"the single number {labelled.values}"
        advice = " (many rankings at once: `rc.stats.Rankings`)" if shape else ""
        rule = f"`{parameter}` must be of shape (n_topics, n_systems) or (n_systems,)"
        raise ValueError(f"{rule}, got {seen}{advice}.")
    scores_of_systems = rounded_scores(labelled.values)
    warn_of_ties_by_rounding(labelled, scores_of_systems, parameter)
    return Rankings.of_rounded(scores_of_systems, labelled.systems, labelled.has_system_names)


def warn_of_ties_by_rounding(labelled: LabelledScores, rounded: Floats, parameter: str) -> None:
    """Warns where a system beside which all others are small makes ties of scores that differ.

    Ties are decided to twelve digits of the largest score, as sums of floats differ in their last
    bits. Two systems, with scores (`labelled`) of shape (n_topics, m) or (m,), tie wrongly if they
    are equal when `rounded`, (m,), but differ by more than float arithmetic on them explains.
    """
    ordered = np.sort(rounded)
    if (ordered[1:] != ordered[:-1]).all():
        return
    scores = labelled.values
    if scores.ndim == 1 and np.array_equal(scores, rounded):
        return
    # per system, (m,): its unrounded mean, and the size of its scores, which sets rounding errors
    if scores.ndim == 1:
        values, sizes = scores, np.abs(scores)
    else:
        values, sizes = scores.mean(axis=0), np.abs(scores).max(axis=0)
    # neighbours in the order of the unrounded means: tied when rounded, though there is a gap
    order = np.argsort(values)
    gaps, sizes = np.diff(values[order]), np.maximum(sizes[order], np.median(sizes))
    is_tied = (np.diff(rounded[order]) == 0.0) & (gaps > 0.0)
    if not is_tied.any():
        return
    # Scores that single precision holds exactly (up to about 1e38) were probably kept in it. Then
    # sums of them may be off by a share of 1e-6, and else by 1e-14.
    is_double = np.any(scores != np.clip(scores, -1e38, 1e38).astype(np.float32))
    precision = 1e-14 if is_double else 1e-6
    is_wrong = is_tied & (gaps > precision * np.maximum(sizes[1:], sizes[:-1]))
    if not is_wrong.any():
        return
    place, largest = int((is_wrong * gaps).argmax()), int(np.abs(values).argmax())
    systems = labelled.shown_systems
    pair = " and ".join(shown(systems[order[end]]) for end in (place + 1, place))
    seen = f"`{parameter}` ties {pair}, whose scores differ"
    size = f"{values[largest]:g} of {shown(systems[largest])}"
    why = f"as ties are decided to 12 digits of the largest score, {size}"
    remedy = "leave it out, or subtract what all scores have in common"
    warn(f"{seen}, {why}: {remedy}.", RoundedScoresWarning)


def prepare_system(scores: object, parameter: str, *, min_topics: int = 2) -> ScoreMatrix:
    """The scores of one system, one a topic, as they are: a matrix of one column."""
    scores = as_pandas(scores, parameter)
    values, topics, are_names = parse_items(scores, parameter, "topics")
    if values.ndim != 1 or isinstance(scores, Rankings):
        raise ValueError(f"`{parameter}` must be of shape (n_topics,), got shape {values.shape}.")
    if values.size < min_topics:
        rule = f"`{parameter}` must have at least {min_topics} topics"
        raise ValueError(f"{rule}, got {values.size}.")
    column = LabelledScores(values[:, np.newaxis], topics, has_topic_names=are_names)
    return ScoreMatrix.of_parsed(column)


def refuse_design(
    matrix: Prepared, parameter: str, instead: str, *, unless_even: bool = False
) -> None:
    """An error, ending in `instead`, unless topics are independent, or even if `unless_even`."""
    design = matrix.design
    if design is None or (unless_even and design.is_even):
        return
    rule = "clusters of one size, and one stratum" if unless_even else "independent topics"
    raise ValueError(f"`{parameter}` must be of {rule}, got {design}: {instead}.")


# --- several sides --------------------------------------------------------------------------------


def prepare_matrices(**scores: object) -> list[ScoreMatrix]:
    """Matrices of the same topics and systems in the order of the first, and all in one design.

    The keywords are the names of the parameters, for messages: `reference=scores, estimate=others`.
    """
    prepared = {name: prepare_matrix(side, name, min_topics=2) for name, side in scores.items()}
    (name, first), *others = prepared.items()
    for parameter, other in others:
        sides = (name, parameter)
        matrix = matched_to(first, in_order_of(first, other, sides), sides, "topics")
        if matrix.shape != first.shape:
            rule = f"`{parameter}` must have the shape of `{name}`, {first.shape}"
            raise ValueError(f"{rule}, got {matrix.shape}.")
        prepared[parameter] = matrix
    # the design of one side holds for all, as their topics are the same; two are an error
    designs = {name: matrix.design for name, matrix in prepared.items() if matrix.design}
    if not designs:
        return [*prepared.values()]
    (designed, design), *_ = designs.items()
    for parameter, other_design in designs.items():
        if other_design != design:
            rule = f"`{parameter}` must have the clusters and strata of `{designed}`"
            raise ValueError(f"{rule}, got others.")
    return [matrix.of_design(design) for matrix in prepared.values()]


def prepare_sides(
    reference: object,
    estimate: object,
    sides: Sides = SIDES,
    *,
    missing: str = "error",
    min_topics: int | None = None,
    any_topics: bool = False,
    advice: str = ADVICE,
) -> tuple[Any, Prepared]:
    """Two rankings of the same systems in the order of the first, matched by name, in one design.

    Either may be a matrix, whose means rank, one score a system, or `Rankings`; with `min_topics`,
    the reference must be a matrix of at least so many. Systems that only one side has are
    `missing`: an "error", to which `advice` is added, or left out ("skip"; "warn"). Matrices
    without names may be on different numbers of topics if `any_topics`.
    """
    one_of("missing", missing, MISSING)
    first, second = _without_gaps(reference, estimate, sides, missing)
    # clusters and strata are given once: the side without them gets those of the other
    _warn_of_ranks(first, second, sides)
    second = _in_design_of(first, second, sides)
    first = _in_design_of(second, first, sides[::-1])
    if missing != "error" and first.system_names and second.system_names:
        first, second = _in_common(first, second, sides, missing)
    if min_topics is not None:
        first = prepare_matrix(first, sides[0], min_topics=min_topics)
    return first, in_order_of(first, second, sides, any_topics=any_topics, advice=advice)


def prepare_vectors(
    reference: object, estimate: object, *, missing: str = "error"
) -> tuple[Floats, Floats]:
    """The scores that rank systems by both sides: see `prepare_sides` and `vectors_of`."""
    return vectors_of(*prepare_sides(reference, estimate, missing=missing))


def vectors_of(first: Prepared, second: Prepared, sides: Sides = SIDES) -> tuple[Floats, Floats]:
    """The scores of two sides, (n_systems,), or (..., n_systems) of `Rankings` if they fit."""
    if first.n_systems != second.n_systems:
        counts = f"{first.n_systems} and {second.n_systems}"
        rule = f"`{sides[0]}` and `{sides[1]}` must have as many systems as each other"
        raise ValueError(f"{rule}, got {counts}.")
    if first.n_systems < 2:
        raise ValueError(f"`{sides[0]}` must have at least 2 systems, got {first.n_systems}.")
    vectors = first.means, second.means
    if vectors[0].shape == vectors[1].shape:
        return vectors
    # arrays of rankings are broadcast as numpy does: (k, 1, m) and (l, m) give each with each
    shapes = f"{vectors[0].shape} and {vectors[1].shape}"
    try:
        cells = math.prod(np.broadcast_shapes(vectors[0].shape, vectors[1].shape))
    except ValueError:
        rule = f"`{sides[0]}` and `{sides[1]}` must be of shapes that fit together"
        raise ValueError(f"{rule}, got {shapes}.") from None
    if cells > max(MOST_CELLS, vectors[0].size, vectors[1].size):
        seen = f"{cells} of {shapes}: compare some rankings at a time"
        rule = f"`{sides[0]}` and `{sides[1]}` must be of at most {MOST_CELLS} pairs of scores"
        raise ValueError(f"{rule}, got {seen}.")
    return vectors


def prepare_pair(x: object, y: object) -> tuple[Floats, Floats]:
    """The scores of two systems on the same topics, matched by name if both have names."""
    first = prepare_system(x, "x")
    second = matched_to(first, prepare_system(y, "y"), ("x", "y"), "topics")
    if first.n_topics != second.n_topics:
        counts = f"{first.n_topics} and {second.n_topics}"
        raise ValueError(f"`x` and `y` must have as many topics as each other, got {counts}.")
    return first.values[:, 0], second.values[:, 0]


def _without_gaps(
    reference: object, estimate: object, sides: Sides, missing: str
) -> list[Prepared]:
    """Both sides, parsed; systems whose score is nan are an error, or left out.

    By position if a side has no names; else each side leaves out its own, and what the other lacks
    comes later. Of a frame that is a column with any nan.
    """
    parsed: list[Prepared] = []
    gaps: list[Flags] = []
    for parameter, side in zip(sides, (reference, estimate), strict=True):
        if missing != "error" and isinstance(frame := as_pandas(side, parameter), pd.DataFrame):
            side = frame.dropna(axis=1)
        scores = parse(side, parameter, allow_nan=True)
        is_gap = np.zeros(scores.shape[-1:], dtype=np.bool_)
        if scores.values.ndim == 1:
            is_gap = np.isnan(scores.values)
        if is_gap.any():
            if missing == "error":
                places, names = np.flatnonzero(is_gap), scores.system_names
                where = f"at {places[0]}"
                if names:
                    where = f"for {listing(names[place] for place in places)}"
                advice = "`missing='skip'` leaves such systems out, where a function has it"
                raise ValueError(f"`{parameter}` must be finite, got nan {where}: {advice}.")
            # gaps are filled with 0 only until their systems are left out below
            scores.values = np.where(is_gap, 0.0, scores.values)
        parsed.append(prepare_ranking(scores, parameter))
        gaps.append(is_gap)
    if not any(is_gap.any() for is_gap in gaps):
        return parsed
    if not all(side.system_names for side in parsed):
        # different numbers of systems are refused later, with a message of their own
        if parsed[0].n_systems != parsed[1].n_systems:
            return parsed
        gaps = [gaps[0] | gaps[1]] * 2
        if missing == "warn":
            warn(f"Systems without a score are left out: {gaps[0].sum()}.", MissingTopicsWarning)
    left = [np.flatnonzero(~is_gap).tolist() for is_gap in gaps]
    return [side.select_at(systems=columns) for side, columns in zip(parsed, left, strict=True)]


def _in_common(
    first: Prepared, second: Prepared, sides: Sides, missing: str
) -> tuple[Prepared, Prepared]:
    """Both sides with the systems that both name, each in its order; "warn" names the others."""
    systems, others = first.systems or (), second.systems or ()
    left_out = set(systems) ^ set(others)
    if not left_out:
        return first, second
    columns = [column for column, name in enumerate(systems) if name not in left_out]
    if len(columns) < 2:
        rule = f"`{sides[1]}` must share at least 2 systems with `{sides[0]}`"
        raise ValueError(f"{rule}, got {len(columns)}.")
    if missing == "warn":
        only_one = f"only one of `{sides[0]}` and `{sides[1]}`"
        message = f"Systems that {only_one} has are left out: {listing(left_out)}."
        warn(message, MissingTopicsWarning)
    columns_of_other = [column for column, name in enumerate(others) if name not in left_out]
    return first.select_at(systems=columns), second.select_at(systems=columns_of_other)


def _warn_of_ranks(reference: Prepared, estimate: Prepared, sides: Sides) -> None:
    """Warns if one side, which names systems, has ranks, and the other measured scores."""
    in_turn = (sides[0], reference, estimate), (sides[1], estimate, reference)
    for parameter, side, other in in_turn:
        n = side.n_systems
        is_vector = isinstance(side, Rankings) and side.values.ndim == 1
        if not is_vector or n < FEWEST_RANKS or not side.system_names:
            continue
        are_ranks = (np.sort(side.values) == np.arange(1, n + 1)).all()
        if are_ranks and (other.means % 1 != 0).any():
            seen = f"`{parameter}` has the ranks 1 to {n} as scores"
            why = "of which the largest is the best. If 1 is the best"
            remedy = f"give `rc.stats.Rankings({parameter}, lower_is_better=True)`"
            warn(f"{seen}, {why}, {remedy}.", UnreliableResultWarning)


def _in_design_of(designed: Prepared, other: Prepared, sides: Sides) -> Prepared:
    """The other side in the clusters and strata of the first, if in none and on the same topics."""
    if isinstance(designed, Rankings) or isinstance(other, Rankings):
        return other
    if not designed.design or other.design:
        return other
    if designed.topic_names is None or other.topic_names is None:
        return other.of_design(designed.design) if designed.n_topics == other.n_topics else other
    rows = pd.Index(designed.topics).get_indexer(pd.Index(other.topics))
    # without a topic in common, the other side is another sample: the design does not apply
    if (rows < 0).all():
        return other
    if (rows < 0).any():
        unknown = listing(set(other.topics) - set(designed.topics))
        seen = f"others {unknown}: take `ScoreMatrix.with_design` for both"
        rule = f"`{sides[1]}` must be on topics of `{sides[0]}`, which are in {designed.design}"
        raise ValueError(f"{rule}, got {seen}.")
    return other.of_design(designed.design.select(rows.tolist()))


def in_order_of(
    reference: Any, other: Any, sides: Sides, *, any_topics: bool = False, advice: str = ""
) -> Any:
    """The other side with its systems in the order of the reference; an error if transposed.

    Also if matrices without names of topics are of different numbers of them, unless `any_topics`.
    """
    # The topics of a transposed side are called as the systems of the other one. The estimate is
    # tried first, as the reference is the trusted side.
    for parameter, side, names in (
        (sides[1], other, reference.system_names),
        (sides[0], reference, other.system_names),
    ):
        if names and side.topic_names and set(names) <= set(side.topics) - set(side.systems):
            seen = "rows that are named as systems: transpose it, by its `.T`"
            rule = f"`{parameter}` must have one row a topic and one column a system"
            raise ValueError(f"{rule}, got {seen}.")
    are_matrices = isinstance(reference, ScoreMatrix) and isinstance(other, ScoreMatrix)
    are_named = reference.topic_names and other.topic_names
    if are_matrices and not are_named and not any_topics and reference.n_topics != other.n_topics:
        seen = f"{other.n_topics} (one score a system may be of any topics)"
        rule = f"`{sides[1]}` must be on the topics of `{sides[0]}`, {reference.n_topics}"
        raise ValueError(f"{rule}, got {seen}.")
    return matched_to(reference, other, sides, "systems", advice)


def matched_to(reference: Prepared, other: Any, sides: Sides, what: str, advice: str = "") -> Any:
    """The other side with its systems, or topics, as `what` says, in the order of the reference.

    They stay where they are if a side has no names, with a warning if only one has; numbers that
    name nothing match the same numbers.
    """
    if what == "systems":
        labels, others, axis = reference.systems, other.systems, -1
        are_names, are_others = reference.system_names is not None, other.system_names is not None
    else:
        labels, others, axis = reference.topics, other.topics, 0
        are_names, are_others = reference.topic_names is not None, other.topic_names is not None
    if labels is not None and labels == others:
        return other
    if labels is not None and others is not None:
        different = set(labels) ^ set(others)
        if different and are_names and are_others:
            seen = f"differences in {listing(different)}"
            if set(labels).isdisjoint(others):
                seen = f"none in common: {listing(others)} where `{sides[0]}` has {listing(labels)}"
            rule = "rank the same systems" if what == "systems" else "be on the same topics"
            hint = spelling_hint(others, labels)
            raise ValueError(f"`{sides[1]}` must {rule}, got {seen}{advice}.{hint}")
        if not different:
            order = pd.Index(others).get_indexer(pd.Index(labels)).tolist()
            return other.select_at(**{what: order})
    if reference.shape[axis] == other.shape[axis]:
        warn_if_unmatched(are_names, are_others, sides, what)
    return other


def positions_of_topics(
    reference: ScoreMatrix, other: ScoreMatrix, sides: Sides, *, may_have_more: bool = False
) -> Indices:
    """The positions in the other side of the topics of the reference, in its order: (n_topics,).

    Topics are matched by name where both have names; then the other side may have more topics. Else
    they are taken to be in the same order; with `may_have_more` those beyond are left out.
    """
    n_topics, n_others = reference.n_topics, other.n_topics
    missing = set(reference.topics) - set(other.topics)
    if missing and reference.has_topic_names and other.has_topic_names:
        rule = f"`{sides[1]}` must have all topics of `{sides[0]}`"
        hint = spelling_hint(other.topics, reference.topics)
        raise ValueError(f"{rule}, got none of {listing(missing)}.{hint}")
    if not missing:
        return pd.Index(other.topics).get_indexer(pd.Index(reference.topics))
    if n_others < n_topics or (n_others > n_topics and not may_have_more):
        rule = f"`{sides[1]}` must be on the topics of `{sides[0]}`, {n_topics}"
        raise ValueError(f"{rule}, got {n_others}.")
    warn_if_unmatched(reference.has_topic_names, other.has_topic_names, sides, "topics")
    return np.arange(n_topics)


def samples_by_topic_name(
    reference: ScoreMatrix, estimates: Iterable[ScoreMatrix], *, shared: bool = True
) -> list[Floats]:
    """The rows of matrices, (n_rows, n_systems), in the order of names, as resamples are drawn.

    If `shared`, estimates are on the topics of the reference, in its order; else each has its own.
    """
    order, rows = _order_by_name(reference), []
    for scores in (reference, *estimates):
        order = order if shared else _order_by_name(scores)
        rows.append(scores.sample if order is None else np.ascontiguousarray(scores.sample[order]))
    return rows


def _order_by_name(scores: ScoreMatrix) -> Indices | None:
    """The order of the topics by their names; None where they have none, or are in clusters.

    "t1", "t2", ... have the order of their numbers, which is that of topics without names.
    """
    names = scores.topic_names
    if scores.design or names is None:
        return None
    places = {name: place for place, name in enumerate(numbered("t", len(names)))}
    keys = [places[name] for name in names] if places.keys() == {*names} else names
    return np.argsort(keys, kind="stable")


def warn_if_unmatched(are_named: bool, others_are: bool, sides: Sides, what: str) -> None:
    """Warns, if only one side has names, that both are taken to be in the same order."""
    if are_named != others_are:
        named, unnamed = sides if are_named else sides[::-1]
        seen = f"`{named}` names its {what} and `{unnamed}` does not"
        warn(f"{seen}: they are taken to be in the same order.", UnmatchedNamesWarning)
