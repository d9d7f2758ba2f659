"""The tail of Student's t, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr

from pt_rankcorr.stats.truth.tails import LogTail

TINY = np.finfo(np.float64).tiny


@pytest.mark.parametrize("n", [1, 2, 3, 10, 50, 250, 10_000, 10**6])
def test_it_is_that_of_scipy(n: int) -> None:
    most = 100.0 * n**0.5
    t = np.concatenate((np.linspace(0.01, min(most, 40.0), 4000), np.geomspace(1e-3, most, 4000)))
    exact = np.log(np.maximum(stdtr(n, -t), TINY))
    assert LogTail.of(n, most)(t) == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_it_is_never_below_the_least_normal_float() -> None:
    assert LogTail.of(10**5, 1e4)(np.array([38.0, 50.0, 1e4])) == pytest.approx(np.log(TINY))


def test_near_0_it_is_the_line_that_scipy_rounds_off() -> None:
    t = np.geomspace(1e-12, 1e-6, 50)
    assert LogTail.of(1, 1.0)(t) == pytest.approx(np.log1p(-2.0 * t / np.pi) - np.log(2.0), rel=1e-13)


@pytest.mark.parametrize("most", [0.0, 1e-300, 0.01])
def test_small_ones(most: float) -> None:
    assert LogTail.of(5, most)(np.array([most])) == pytest.approx(np.log(stdtr(5, -most)), rel=1e-13)


def test_of_nothing() -> None:
    assert LogTail.of(5, 0.0)(np.empty((26, 0))).shape == (26, 0)


@pytest.mark.parametrize("n", [2, 50, 1000])
def test_a_longer_table_gives_the_same_bits(n: int) -> None:
    t = np.linspace(0.0, 9.0, 1000)
    np.testing.assert_array_equal(LogTail.of(n, 100.0 * n**0.5)(t), LogTail.of(n, 9.0)(t))
