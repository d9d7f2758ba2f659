from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from pt_rankcorr.stats.core.arguments import listing, one_of, real_number, share, whole_number


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["b", "a"], "'a', 'b'"),
        (range(5), "'0', '1', '2', '3', '4'"),
        ("hgfedcba", "'a', 'b', 'c', 'd', 'e' and 3 more"),
    ],
)
def test_offenders_are_sorted_and_cut(names, text):
    assert listing(names) == text


@pytest.mark.parametrize("value", ["c", None, 1, ["a"]])
def test_one_of(value):
    assert one_of("ties", "a", ("a", "b")) == "a"
    with pytest.raises(ValueError, match=r"^`ties` must be 'a' or 'b', got "):
        one_of("ties", value, ("a", "b"))


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers(value):
    number = whole_number("n_resamples", value, at_least=1)
    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, "`n` must be an integer of at least 1, got 0."),
        (True, ValueError, "`n` must be an integer of at least 1, got True."),
        (2.0, TypeError, "`n` must be an integer, got 2.0."),
        ("2", TypeError, "`n` must be an integer, got '2'."),
        (None, TypeError, "`n` must be an integer, got None."),
    ],
)
def test_what_is_no_whole_number(value, error, message):
    with pytest.raises(error) as caught:
        whole_number("n", value, at_least=1)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [0.0, 1.0, -0.5, 1.5])
def test_shares(value):
    assert share("level", 0.95) == 0.95
    with pytest.raises(ValueError, match=r"^`level` must be between 0 and 1 \(both excluded\), got "):
        share("level", value)


@pytest.mark.parametrize("value", [2, np.float32(2), np.array(2.0), Decimal(2), "2"])
def test_real_numbers(value):
    number = real_number("ridge", value)
    assert (number, type(number)) == (2.0, float)


@pytest.mark.parametrize(("value", "error"), [("two", TypeError), (None, TypeError), (float("nan"), ValueError)])
def test_what_is_no_real_number(value, error):
    with pytest.raises(error, match=r"^`ridge` must be a number, got "):
        real_number("ridge", value)
