"""Pictures are closed after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pytest.importorskip("matplotlib.pyplot").close("all")
