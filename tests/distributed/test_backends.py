"""One result for one process, two processes and threads, bit by bit."""

from __future__ import annotations

from collections.abc import Callable

import joblib
import pytest

from tests.distributed.statistics import CALLS, bits

pytestmark = pytest.mark.whole

EACH = pytest.mark.parametrize("name", CALLS)


@pytest.fixture(scope="module")
def alone() -> Callable[[str], bytes]:
    """What one process computes, once."""
    computed: dict[str, bytes] = {}

    def result(name: str) -> bytes:
        if name not in computed:
            computed[name] = bits(CALLS[name](n_jobs=1))
        return computed[name]

    return result


@EACH
def test_two_processes(alone: Callable[[str], bytes], name: str) -> None:
    assert bits(CALLS[name](n_jobs=2)) == alone(name)


@EACH
def test_threads(alone: Callable[[str], bytes], name: str) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert bits(CALLS[name]()) == alone(name)
