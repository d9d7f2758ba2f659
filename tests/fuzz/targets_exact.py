"""Hostile numbers against the plain definitions in exact arithmetic: whatever the scale, no result is wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.stats.core.means import rounded_scores, system_means
from tests.fuzz.hostile_numbers import KINDS, Array
from tests.fuzz.registry import Target
from tests.stats import oracles

FINITE = tuple(kind for kind in KINDS if kind not in ("beyond", "huge", "not finite", "constant systems"))
CLOSE = 1e-11

Check = Callable[[Any], object]


@st.composite
def vectors(draw: st.DrawFn, sizes: tuple[int, ...] = (2, 3, 4, 5, 7)) -> tuple[Array, Array]:
    """Two vectors of finite scores of one length."""
    size = (draw(st.sampled_from(sizes)),)
    return tuple(_numbers(draw, size) for _ in range(2))  # type: ignore[return-value]


def _numbers(draw: st.DrawFn, shape: tuple[int, ...], kinds: tuple[str, ...] = FINITE) -> Array:
    kind, seed = draw(st.sampled_from(kinds)), draw(st.integers(0, 999))
    return np.asarray(KINDS[kind](np.random.default_rng(seed), shape), dtype=np.float64)


def exact(values: Array) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


def sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


# --- the definitions, of exact numbers -----------------------------------------------------------------


def _coefficient(ours: Callable[..., Any], name: str) -> Check:
    def check(case: tuple[Array, Array]) -> object:
        found = ours(*case)
        truth, estimate = (exact(rounded_scores(vector)) for vector in case)
        if len(set(truth)) == 1 or len(set(estimate)) == 1:
            assert math.isnan(found)
            return found
        expected = oracles.DEFINITIONS[name](truth, estimate)
        assert abs(found - expected) <= CLOSE, f"{found} is {expected} by definition"
        return found

    return check


# --- means -------------------------------------------------------------------------------------------


@st.composite
def matrices(draw: st.DrawFn) -> Array:
    shape = draw(st.sampled_from([1, 2, 3, 5, 9])), draw(st.sampled_from([2, 3, 5]))
    matrix = _numbers(draw, shape)
    if draw(st.booleans()):  # the same scores on other topics
        matrix[:, 1] = np.random.default_rng(draw(st.integers(0, 9))).permutation(matrix[:, 0])
    return matrix


def _means(matrix: Array) -> object:
    """Rounded to twelve digits, counted from the scores where those cancel: of any system, but of none far larger.

    Equal means are equal, and none are swapped that these digits tell apart.
    """
    found = system_means(matrix).tolist()
    columns = [exact(column) for column in matrix.T]
    expected = [sum(column) / len(column) for column in columns]
    sizes = [sum(map(abs, column)) / len(column) for column in columns]
    if any(size > 2 * abs(plain) for size, plain in zip(sizes, expected, strict=True)):
        sizes = [max(size for size in sizes if size <= own * 1_000_001) for own in sizes]
    else:
        sizes = [abs(plain) for plain in expected]
    rounding = [Fraction(6, 10**12) * size + Fraction(5e-324) for size in sizes]
    means = list(zip(found, expected, rounding, strict=True))
    for ours, plain, allowed in means:
        assert abs(Fraction(ours) - plain) <= allowed, f"{ours} is {float(plain)} by definition"
    for (ours, plain, lost), (other, plain_other, lost_other) in itertools.combinations(means, 2):
        swapped = sign(Fraction(ours) - Fraction(other)) == -sign(plain - plain_other) != 0
        assert not swapped or abs(plain - plain_other) < max(lost, lost_other) - min(lost, lost_other), "means swapped"
    return found


TARGETS = (
    Target("kendall_tau exactly", vectors(), _coefficient(ptr.kendall_tau, "tau")),
    Target("tau_ap exactly", vectors(), _coefficient(ptr.tau_ap, "tau_ap")),
    Target("tau_gap exactly", vectors((2, 3, 4, 5)), _coefficient(ptr.tau_gap, "tau_gap")),
    Target("pearson exactly", vectors(), _coefficient(ptr.stats.pearson, "pearson")),
    Target("spearman exactly", vectors(), _coefficient(ptr.stats.spearman, "spearman")),
    Target("means exactly", matrices(), _means),
)
