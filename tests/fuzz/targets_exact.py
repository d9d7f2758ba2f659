"""Hostile numbers against the plain definitions in exact arithmetic: whatever the scale, no result is wrong."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
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

Exact = Sequence[Fraction]
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


# --- tests -------------------------------------------------------------------------------------------

N_RESAMPLES = 20
WELL_APART = ("ordinary", "tenths", "halves", "binary", "signed", "tiny", "large", "integers", "mixed", "extremes")
MARGIN = Fraction(1, 10**9)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array, int]:
    size = (draw(st.sampled_from([2, 3, 5, 8])),)
    return _numbers(draw, size, WELL_APART), _numbers(draw, size, WELL_APART), draw(st.integers(0, 99))


def _between(found: float, statistics: list[Fraction], observed: Fraction, largest: Fraction) -> None:
    """The p-value of exact statistics, but for those that are as good as equal to the observed one."""
    surely = sum(value >= observed + largest * MARGIN for value in statistics)
    perhaps = sum(value >= observed - largest * MARGIN for value in statistics)
    low, high = ((count + 1) / (len(statistics) + 1) for count in (surely, perhaps))
    assert low - CLOSE <= found <= high + CLOSE, f"p is {found}, and in [{low}, {high}] by definition"


def _drawn(size: int, seed: int) -> Array:
    child = np.random.default_rng(seed).spawn(1)[0]
    return child.integers(0, size, size=(128, size))[:N_RESAMPLES]


def _explained(differences: Exact) -> Fraction:
    """The share of the squares that the mean explains, of which |t| is a rising function; 0 for no difference."""
    squares = sum(value**2 for value in differences)
    return sum(differences) ** 2 / (len(differences) * squares) if squares else Fraction(0)


def _paired(case: tuple[Array, Array, int]) -> object:
    x, y, seed = case
    result = ptr.stats.paired_bootstrap_test(x, y, n_resamples=N_RESAMPLES, rng=seed)
    z = _in_one_order([a - b for a, b in zip(exact(x), exact(y), strict=True)], max(map(abs, exact([*x, *y]))))
    mean = sum(z) / len(z)
    centred = [value - mean for value in z]
    samples = [_explained([centred[at] for at in topics]) for topics in _drawn(len(z), seed)]
    observed = _explained(z)
    if _is_clean(x, y, z, mean, centred):
        _between(result.pvalue, samples, observed, Fraction(1))
    return result


def _in_one_order(z: Exact, largest: Fraction) -> Exact:
    """Ascending, and the sign changed where the tail of negative differences is the longer one."""
    z = sorted(z)
    skew = (low + high for low, high in zip(z, reversed(z), strict=True))
    is_negative = next((value < 0 for value in skew if abs(value) > largest / 10**12), False)
    return [-value for value in reversed(z)] if is_negative else z


def _is_clean(x: Array, y: Array, z: Exact, mean: Fraction, centred: Exact) -> bool:
    """Whether nothing is so small that it counts as a rounding error of the scores."""
    scale = Fraction(max(np.abs(x).max(), np.abs(y).max()))
    return all(value == 0 or abs(value) > scale / 10**6 for value in (*z, mean, *centred))


def _unpaired(case: tuple[Array, Array, int]) -> object:
    x, y, seed = case
    result = ptr.stats.unpaired_bootstrap_test(x, y, method="published", n_resamples=N_RESAMPLES, rng=seed)
    joined, size = [*sorted(exact(x)), *sorted(exact(y))], len(x)
    observed = abs(sum(joined[:size]) - sum(joined[size:])) / size
    sums = [[joined[at] for at in topics] for topics in _drawn(2 * size, seed)]
    samples = [abs(sum(drawn[:size]) - sum(drawn[size:])) / size for drawn in sums]
    _between(result.pvalue, samples, observed, max(map(abs, joined)))
    return result


# --- what scaling by a power of two, which is exact, must not change -----------------------------------


@st.composite
def scaled_matrices(draw: st.DrawFn) -> tuple[Array, int, str]:
    kinds = ("ordinary", "tenths", "halves", "signed", "integers", "percent")
    shape = draw(st.sampled_from([3, 5, 9])), draw(st.sampled_from([2, 3, 5]))
    exponent, name = draw(st.sampled_from([-900, -500, -3, 1, 7, 500, 900])), draw(st.sampled_from(list(INVARIANT)))
    return _numbers(draw, shape, kinds), exponent, name


def _scaled(case: tuple[Array, int, str]) -> object:
    matrix, exponent, name = case
    with warnings.catch_warnings():
        for kind in (ptr.warnings.DegenerateInputWarning, ptr.warnings.UnreliableResultWarning):
            warnings.simplefilter("ignore", kind)
        plain, scaled = INVARIANT[name](matrix), INVARIANT[name](np.ldexp(matrix, exponent))
    np.testing.assert_allclose(scaled, plain, rtol=1e-9, atol=1e-9, err_msg=name)
    return scaled


def _by_test(test: str) -> Callable[[Array], object]:
    return lambda matrix: ptr.discriminative_power(matrix, test=test, alpha=0.2, n_resamples=20, rng=1).pvalues


def _expected_by(estimator: str) -> Callable[[Array], object]:
    return lambda matrix: ptr.expected_correlation(matrix, estimator=estimator, n_resamples=20, rng=1).value


INVARIANT: dict[str, Callable[[Array], Any]] = {
    **{test: _by_test(test) for test in ("paired-bootstrap", "unpaired-bootstrap", "tukey-hsd", "t", "wilcoxon")},
    **{estimator: _expected_by(estimator) for estimator in ("ml", "msqd", "resampling", "kde", "split-half")},
    "rank_intervals": lambda matrix: ptr.rank_intervals(matrix, n_resamples=20, rng=1).share_first,
    "correlation": lambda matrix: _correlation_error(matrix, "tau"),
    "pearson": lambda matrix: _correlation_error(matrix, "pearson"),
    "stability": lambda matrix: ptr.stats.stability(matrix, n_resamples=20, rng=1).minority_rate,
    "prediction": lambda matrix: (
        ptr.stats.prediction_quality(matrix[:, 1:], matrix[:, 0], n_resamples=20, rng=1).values
    ),
    "contributions": lambda matrix: _costs(matrix),
}


def _correlation_error(matrix: Array, coefficient: str) -> list[float]:
    error = ptr.correlation_interval(matrix, matrix[::-1], coefficient, n_resamples=20, rng=1)
    return [error.statistic, error.standard_error, error.estimate]


def _costs(matrix: Array) -> Any:
    if any((row == row[0]).all() for row in matrix[:2]):
        return 0.0
    return [ptr.stats.contributions(matrix[0], matrix[1], name).costs for name in ("tau", "tau_gap", "pearson")]


TARGETS = (
    Target("kendall_tau exactly", vectors(), _coefficient(ptr.kendall_tau, "tau")),
    Target("tau_ap exactly", vectors(), _coefficient(ptr.tau_ap, "tau_ap")),
    Target("tau_gap exactly", vectors((2, 3, 4, 5)), _coefficient(ptr.tau_gap, "tau_gap")),
    Target("pearson exactly", vectors(), _coefficient(ptr.stats.pearson, "pearson")),
    Target("spearman exactly", vectors(), _coefficient(ptr.stats.spearman, "spearman")),
    Target("means exactly", matrices(), _means),
    Target("paired bootstrap exactly", pairs(), _paired),
    Target("unpaired bootstrap exactly", pairs(), _unpaired),
    Target("scaled by a power of two", scaled_matrices(), _scaled),
)
