"""What no statistic of this family may depend on: the unit of scores, their zero, orders, and memory layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.core.summaries import geometric_mean
from pt_rankcorr.stats.significance import (
    PairedBootstrap,
    __all__,
    discriminative_power,
    paired_bootstrap_test,
    randomized_tukey_hsd,
    significant_agreement,
    stability,
    swap_curve,
    swap_rates,
    unpaired_bootstrap_test,
)
from pt_rankcorr.stats.significance._samples import LEAST
from tests.stats.strategies_scores import score_matrices

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
HOW = {"n_resamples": 60, "rng": 1}


@dataclass(frozen=True)
class Case:
    """A statistic of a matrix, and what becomes of its result.

    Attributes:
        call: Takes a matrix, and the places where its systems come from.
        scaled: The fields that are multiplied as the scores are; all others stay.
        shifted: The fields to which a constant is added as to the scores.
        relative: The fields that change with a constant; None if all do.
    """

    call: Callable[..., Any]
    scaled: frozenset[str] = frozenset()
    shifted: frozenset[str] = frozenset()
    relative: frozenset[str] | None = frozenset()
    ordered: bool = True


def of_pair(test: Callable[..., Any], x: np.ndarray, systems: np.ndarray) -> Any:
    return test(x[:, systems == 0][:, 0], x[:, systems == 1][:, 0])


def agreement(x: np.ndarray, systems: np.ndarray) -> Any:
    return significant_agreement(x, -np.abs(systems - 1.5), test="t", alpha=0.3)


def of_matrix(statistic: Callable[..., Any], x: np.ndarray, _: np.ndarray, **how: Any) -> Any:
    return statistic(x, **HOW, **how)


def swap_curve_of_twice(x: np.ndarray, **how: Any) -> Any:
    """It needs four topics."""
    return swap_curve(np.vstack([x, x]), bins=[0.0], topic_set_sizes=[1, 2], **how)


DIFFERENCE, SAMPLES = frozenset({"difference"}), frozenset({"samples"})
CASES = {
    "paired_bootstrap_test": Case(
        partial(of_pair, partial(paired_bootstrap_test, **HOW)), DIFFERENCE | {"standard_error"}
    ),
    "PairedBootstrap": Case(partial(of_pair, PairedBootstrap(**HOW)), DIFFERENCE | {"standard_error"}),
    "unpaired_bootstrap_test": Case(
        partial(of_pair, partial(unpaired_bootstrap_test, method="published", **HOW)),
        DIFFERENCE | {"statistic", "null_distribution"},
    ),
    "unpaired_bootstrap_test, Welch": Case(partial(of_pair, partial(unpaired_bootstrap_test, **HOW)), DIFFERENCE),
    "randomized_tukey_hsd": Case(
        partial(of_matrix, randomized_tukey_hsd), frozenset({"differences", "statistic", "null_distribution"})
    ),
    "significant_agreement": Case(agreement),
    "stability without a margin": Case(partial(of_matrix, partial(stability, fuzziness=0.0)), SAMPLES, shifted=SAMPLES),
    "stability, median": Case(partial(of_matrix, partial(stability, statistic=np.median)), SAMPLES, relative=None),
    **{f"stability, {of}": Case(partial(of_matrix, partial(stability, of=of)), SAMPLES, relative=None) for of in LEAST},
    **{
        f"swap_rates, {of}": Case(
            partial(of_matrix, partial(swap_rates, of=of)),
            frozenset({"required_difference", "edges", "largest_value"}),
            relative=frozenset({"relative_difference", "largest_value"}),
        )
        for of in LEAST
    },
    "swap_curve": Case(partial(of_matrix, swap_curve_of_twice)),
    **{
        f"discriminative_power, {test}": Case(
            partial(of_matrix, partial(discriminative_power, test=test, alpha=0.1)),
            frozenset({"required_difference", "published_difference", "summaries"}),
            shifted=frozenset({"summaries"}),
        )
        for test in ("tukey-hsd", "paired-bootstrap", "unpaired-bootstrap", "t", "wilcoxon")
    },
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
many = partial(settings, max_examples=25, deadline=None)


def test_every_statistic_of_the_family_is_asked() -> None:
    assert {name.split(",")[0].removesuffix(" without a margin") for name in CASES} == set(__all__)


BY_ORDER = {"required_pair", "published_pair", "published_topics"}  # in the order of the input, or one of equals


def content(result: Any) -> dict[str, np.ndarray]:
    names = [field.name for field in fields(result) if field.name not in BY_ORDER]
    return {name: np.asarray(getattr(result, name)) for name in names}


def same_bits(one: Any, other: Any) -> None:
    for name, value in content(one).items():
        assert value.tobytes() == content(other)[name].tobytes() or np.array_equal(value, content(other)[name]), name


def close(found: np.ndarray, expected: np.ndarray, name: str, rounding: float) -> None:
    if found.dtype.kind not in "fi":
        assert np.array_equal(found, expected), name
        return
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=rounding, err_msg=name)


def matrices() -> st.SearchStrategy[np.ndarray]:
    return score_matrices(min_topics=2, min_systems=4)


@each_case
@many()
@given(matrices(), st.randoms(use_true_random=False))
def test_the_order_of_topics_and_the_memory_layout_change_no_bit(case: Case, scores: np.ndarray, random: Any) -> None:
    order, systems = random.sample(range(len(scores)), len(scores)), np.arange(scores.shape[1])
    plain = case.call(scores, systems)
    for other in (scores[order], np.asfortranarray(scores), np.asfortranarray(scores[order]), scores[::-1]):
        same_bits(case.call(other, systems), plain)


@each_case
@many()
@given(matrices(), st.sampled_from([1e-90, 0.01, 1 / 3, 0.1, 7.0, 100.0, 1e6, 1e90]))
def test_a_factor_multiplies_differences_and_nothing_else(case: Case, scores: np.ndarray, factor: float) -> None:
    systems = np.arange(scores.shape[1])
    plain, scaled = content(case.call(scores, systems)), content(case.call(scores * factor, systems))
    for name, value in plain.items():
        unit = factor if name in case.scaled else 1.0
        close(scaled[name], value * unit if name in case.scaled else value, name, 1e-10 * unit)


@each_case
@many()
@given(matrices(), st.sampled_from([0.1, 1.0, -2.0]))
def test_a_constant_changes_only_what_is_relative_to_zero(case: Case, scores: np.ndarray, constant: float) -> None:
    if case.relative is None:
        return
    systems = np.arange(scores.shape[1])
    plain, moved = content(case.call(scores, systems)), content(case.call(scores + constant, systems))
    for name in set(plain) - case.relative:
        close(moved[name], plain[name] + constant if name in case.shifted else plain[name], name, 1e-10)


def reordered(value: np.ndarray, order: Iterable[int]) -> np.ndarray:
    """Of a vector or matrix of systems."""
    return value[np.ix_(*[list(order)] * value.ndim)] if value.ndim else value


@each_case
@many()
@given(matrices(), st.randoms(use_true_random=False))
def test_the_order_of_systems_orders_the_results(case: Case, scores: np.ndarray, random: Any) -> None:
    n_systems = scores.shape[1]
    order = np.array(random.sample(range(n_systems), n_systems))
    plain = content(case.call(scores, np.arange(n_systems)))
    other = content(case.call(scores[:, order], order))
    for name, value in plain.items():
        if name in {"summaries", "pvalues", "differences"}:
            value = reordered(value, order)
        if name == "samples":
            value = value[order]
        if name != "systems":
            close(other[name], value, name, 1e-10)


LAYOUTS = (np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x[::-1].copy()[::-1])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_the_order_of_topics_change_no_bit_of_geometric_means(layout: Callable[..., np.ndarray]) -> None:
    scores = np.random.default_rng(0).random((300, 40))
    for axis in (0, 1, None):
        expected = geometric_mean(scores, axis=axis)
        assert np.array_equal(geometric_mean(layout(scores), axis=axis), expected)
        shuffled = np.random.default_rng(1).permutation(scores, axis=axis or 0)
        assert np.array_equal(geometric_mean(layout(shuffled), axis=axis), expected)
