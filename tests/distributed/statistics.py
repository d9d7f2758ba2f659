"""Every function with random numbers, called with few resamples: what it returns must not depend on who computed it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import pt_rankcorr as ptr
from tests import cases, fixtures

RNG = np.random.default_rng(20)
VALUES = np.clip(0.4 + RNG.normal(0.0, 0.1, 12) + RNG.normal(0.0, 0.2, (60, 12)), 0.0, 1.0)
SCORES, OTHER = map(ptr.ScoreMatrix, (VALUES, np.clip(VALUES + RNG.normal(0.0, 0.1, VALUES.shape), 0.0, 1.0)))
QRELS = fixtures.qrels()
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}
MANY: dict[str, Any] = {"n_resamples": 400, "rng": 1}  # at least four blocks

CALLS: Mapping[str, Callable[..., Any]] = {
    **{name: partial(call, SCORES, OTHER, **MANY) for name, call in cases.CALLS.items() if call.takes("n_jobs")},
    "random_rankings": partial(ptr.stats.random_rankings, 10, 400, rng=1),
    "compare_judgments": partial(
        ptr.compare_judgments, RUNS, QRELS, {"pool": ptr.judgments.pool(RUNS, QRELS, 5)}, ["AP"], **MANY
    ),
    "judgment_curve": partial(ptr.judgment_curve, RUNS, QRELS, ["AP"], depths=[2, 10], **MANY),
}


def bits(result: object) -> bytes:
    """All numbers of a result, as they stand in memory."""
    return pickle.dumps(_plain(result))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if hasattr(value, "to_dict") and not hasattr(value, "columns"):
        return _plain(value.to_dict()), _plain(getattr(value, "null_distribution", None))
    if hasattr(value, "to_frame"):
        return _plain(value.to_frame())
    if hasattr(value, "columns"):
        return [(name, [repr(cell) for cell in value[name]]) for name in value.columns]
    if isinstance(value, Mapping):
        return [(name, _plain(cell)) for name, cell in value.items()]
    if isinstance(value, tuple | list):
        return [_plain(cell) for cell in value]
    return repr(value)
