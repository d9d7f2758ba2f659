"""What the unit of scores and their zero change in this family; orders are in every_function/test_orders.py."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr import discriminative_power
from pt_rankcorr.stats import (
    paired_bootstrap_test,
    randomized_tukey_hsd,
    significant_agreement,
    stability,
    swap_curve,
    swap_rates,
    unpaired_bootstrap_test,
)
from pt_rankcorr.stats.significance.other_topics import WHICH_TOPICS
from tests.stats.oracles import score_matrices

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
HOW = {"n_resamples": 60, "rng": 1}


@dataclass(frozen=True)
class Unit:
    """A statistic of a matrix, and what becomes of its result; all other fields stay."""

    call: Callable[[np.ndarray], Any]
    scaled: frozenset[str] = frozenset()  # fields that are multiplied as the scores are
    shifted: frozenset[str] = frozenset()  # fields to which a constant is added as to the scores
    relative: frozenset[str] | None = frozenset()  # fields that change with a constant; None if all do


def of_pair(test, **how):
    return lambda x: test(x[:, 0], x[:, 1], **HOW, **how)


def of_all(function, **how):
    return partial(function, **HOW, **how)


DIFFERENCE, SAMPLES = frozenset({"difference"}), frozenset({"samples"})
CASES = {
    "paired_bootstrap_test": Unit(of_pair(paired_bootstrap_test), DIFFERENCE | {"standard_error"}),
    "unpaired_bootstrap_test": Unit(
        of_pair(unpaired_bootstrap_test, method="published"), DIFFERENCE | {"statistic", "null_distribution"}
    ),
    "unpaired_bootstrap_test, Welch": Unit(of_pair(unpaired_bootstrap_test), DIFFERENCE),
    "randomized_tukey_hsd": Unit(
        of_all(randomized_tukey_hsd), frozenset({"differences", "statistic", "null_distribution"})
    ),
    "significant_agreement": Unit(lambda x: significant_agreement(x, -np.abs(np.arange(x.shape[1]) - 1.5), test="t")),
    "stability without a margin": Unit(of_all(stability, fuzziness=0.0), SAMPLES, shifted=SAMPLES),
    **{f"stability, {of}": Unit(of_all(stability, of=of), SAMPLES, relative=None) for of in WHICH_TOPICS},
    **{
        f"swap_rates, {of}": Unit(
            of_all(swap_rates, of=of),
            frozenset({"required_difference", "edges", "largest_value"}),
            relative=frozenset({"relative_difference", "largest_value"}),
        )
        for of in WHICH_TOPICS
    },
    "swap_curve": Unit(lambda x: of_all(swap_curve, bins=[0.0], topic_set_sizes=[1, 2])(np.vstack([x, x]))),
    **{
        f"discriminative_power, {test}": Unit(
            of_all(discriminative_power, test=test, alpha=0.1),
            frozenset({"required_difference", "published_difference", "detectable_difference", "summaries"}),
            shifted=frozenset({"summaries"}),
        )
        for test in ("tukey-hsd", "paired-bootstrap", "unpaired-bootstrap", "t", "wilcoxon")
    },
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
many = partial(settings, max_examples=25, deadline=None)
ANY = {"required_pair", "published_pair", "published_topics"}  # of equals


def content(result):
    names = {field.name for field in fields(result) if not field.name.startswith("_")} - ANY
    names |= {"fragile"} & {*dir(result)}  # computed from the scores when it is asked for
    return {name: np.asarray(getattr(result, name)) for name in names}


def close(found, expected, name, rounding):
    if found.dtype.kind in "fi":
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=rounding, err_msg=name)
    else:
        assert np.array_equal(found, expected), name


@each_case
@many()
@given(score_matrices(min_systems=4), st.sampled_from([0.01, 1 / 3, 0.1, 7.0, 100.0]))
def test_a_factor_multiplies_differences_and_nothing_else(case, scores, factor):
    plain, scaled = content(case.call(scores)), content(case.call(scores * factor))
    for name, value in plain.items():
        unit = factor if name in case.scaled else 1.0
        close(scaled[name], value * unit if name in case.scaled else value, name, 1e-10 * unit)


@each_case
@many()
@given(score_matrices(min_systems=4), st.sampled_from([0.1, 1.0, -2.0]))
def test_a_constant_changes_only_what_is_relative_to_zero(case, scores, constant):
    if case.relative is None:
        return
    plain, moved = content(case.call(scores)), content(case.call(scores + constant))
    for name in set(plain) - case.relative:
        close(moved[name], plain[name] + constant if name in case.shifted else plain[name], name, 1e-10)
