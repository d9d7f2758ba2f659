"""Two inputs that rank different systems, brought to those that both rank."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.stats.core.design import LabelledMatrix, design_of, one_measure
from pt_rankcorr.stats.core.frames import is_frame
from pt_rankcorr.stats.core.inputs import as_table, as_vectors, labels_of, open_vector, topic_names_of
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.warnings import MissingTopicsWarning, level_of_the_caller

MISSING = ("error", "skip", "warn")
ADVICE = ': missing="skip" compares the systems that both have'


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
        warnings.warn(
            f"Systems that only one of `{sides[0]}` and `{sides[1]}` has are left out: {listing(left_out)}.",
            MissingTopicsWarning,
            stacklevel=level_of_the_caller(),
        )
    common = tuple(name for name in names if name in wanted)
    return _of_systems(reference, names, common, sides[0]), _of_systems(estimate, others, common, sides[1])


def _of_systems(scores: object, names: Labels, wanted: Labels, parameter: str) -> object:
    """Scores of some systems, of the same kind."""
    position = {name: at for at, name in enumerate(names)}
    at = [position[name] for name in wanted]
    if isinstance(scores, LabelledMatrix) or is_frame(scores):
        return _part(scores, at, wanted, parameter)
    vector, _ = open_vector(scores, parameter)
    some = np.ascontiguousarray(vector[..., at])
    return Rankings(some, wanted) if isinstance(scores, Rankings) else dict(zip(wanted, some.tolist(), strict=True))


def _part(scores: object, at: list[int], wanted: Labels, parameter: str) -> LabelledMatrix:
    """Some columns of topics x systems, on the same topics."""
    values, topics, part = as_table(scores, parameter), topic_names_of(scores, parameter), LabelledMatrix()
    part.values = np.ascontiguousarray(values[:, at])
    part.topics = topics.labels if topics else tuple(map(str, range(len(values))))
    part.has_topic_names = topics is not None and topics.given
    part.systems, part.has_system_names = wanted, True
    part.design = design_of(scores)
    return part
