"""Numbers as people are shown them."""

from __future__ import annotations

import pytest

from pt_rankcorr.text import percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (1e-9, "<1%"),
        (0.0049, "<1%"),
        (0.005, "<1%"),
        (0.006, "1%"),
        (0.5, "50%"),
        (0.994, "99%"),
        (0.995, ">99%"),
        (0.9951, ">99%"),
        (1.0, "100%"),
    ],
)
def test_only_nothing_is_no_percent_and_only_all_is_a_hundred(share: float, text: str) -> None:
    assert percent(share) == text
