"""One result for one process, two processes and threads, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as ptr
from pt_rankcorr.stats.core.results import Result
from tests import cases, fixtures

pytestmark = pytest.mark.whole

RNG = np.random.default_rng(20)
VALUES = np.clip(0.4 + RNG.normal(0.0, 0.1, 12) + RNG.normal(0.0, 0.2, (60, 12)), 0.0, 1.0)
SCORES, OTHER = map(ptr.ScoreMatrix, (VALUES, np.clip(VALUES + RNG.normal(0.0, 0.1, VALUES.shape), 0.0, 1.0)))
QRELS = fixtures.qrels()
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}
MANY: dict[str, Any] = {"n_resamples": 400, "rng": 1}  # at least four blocks
CALLS: dict[str, Callable[..., Any]] = {
    **{name: partial(case, SCORES, OTHER, **MANY) for name, case in cases.that_take("n_jobs").items()},
    "random_rankings": partial(ptr.stats.random_rankings, 10, 400, rng=1),
    "compare_judgments": partial(
        ptr.compare_judgments, RUNS, QRELS, {"pool": ptr.judgments.pool(RUNS, QRELS, 5)}, ["AP"], **MANY
    ),
    "judgment_curve": partial(ptr.judgment_curve, RUNS, QRELS, ["AP"], depths=[2, 10], **MANY),
}


@cache
def alone(name: str) -> Any:
    return CALLS[name](n_jobs=1)


def check(name: str, result: Any) -> None:
    if isinstance(result, Result):
        assert result == alone(name)
        np.testing.assert_array_equal(*(getattr(it, "null_distribution", ()) for it in (result, alone(name))))
    elif hasattr(result, "to_frame"):
        pd.testing.assert_frame_equal(result.to_frame(), alone(name).to_frame(), check_exact=True)
    else:
        np.testing.assert_array_equal(*(getattr(it, "values", it) for it in (result, alone(name))))


@pytest.mark.parametrize("name", CALLS)
def test_two_processes(name: str) -> None:
    check(name, CALLS[name](n_jobs=2))


@pytest.mark.parametrize("name", CALLS)
def test_threads(name: str) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=2):
        check(name, CALLS[name]())
