"""Two rankings of different systems are compared by those that both rank."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, d_rank, kendall_tau, tau_ap, tau_gap
from pt_rankcorr.stats import Rankings, contributions, kendall_distance, pearson, spearman
from pt_rankcorr.warnings import MissingTopicsWarning

COEFFICIENTS = (kendall_tau, kendall_distance, tau_ap, tau_gap, pearson, spearman)
REFERENCE = {"a": 0.5, "b": 0.4, "c": 0.3, "x": 0.9, "d": 0.1}
ESTIMATE = {"d": 0.3, "y": 0.8, "b": 0.7, "c": 0.6, "z": 0.1, "a": 0.65}
SHARED = [0.5, 0.4, 0.3, 0.1], [0.65, 0.7, 0.6, 0.3]


def matrix(seed: int, systems: str) -> ScoreMatrix:
    return ScoreMatrix(np.random.default_rng(seed).random((8, len(systems))), systems=list(systems))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_only_the_systems_of_both_count(coefficient: Callable[..., Any]) -> None:
    assert coefficient(REFERENCE, ESTIMATE, missing="skip") == coefficient(*SHARED)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_without_it_the_message_says_what_to_do(coefficient: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="differences in 'x', 'y', 'z': missing=\"skip\" compares the systems that bo"):
        coefficient(REFERENCE, ESTIMATE)


def test_every_kind_of_input() -> None:
    pd = pytest.importorskip("pandas")
    expected = tau_ap(*SHARED)
    assert tau_ap(pd.Series(REFERENCE), pd.Series(ESTIMATE), missing="skip") == expected
    many = Rankings([list(ESTIMATE.values()), list(ESTIMATE.values())], list(ESTIMATE))
    assert np.array_equal(tau_ap(REFERENCE, many, missing="skip"), [expected, expected])
    first, second = matrix(1, "abcde"), matrix(2, "fdcba")
    chosen = tau_ap(first.select(systems=list("abcd")), second.select(systems=list("abcd")))
    assert tau_ap(first, second, missing="skip") == chosen
    assert tau_ap(first.to_frame(), second.to_frame(), missing="skip") == chosen


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_skip_changes_nothing_where_all_are_shared_or_have_no_names(coefficient: Callable[..., Any]) -> None:
    reordered = dict(reversed(REFERENCE.items())) | {"a": 0.35}
    assert coefficient(REFERENCE, reordered, missing="skip") == coefficient(REFERENCE, reordered)
    assert coefficient(*SHARED, missing="skip") == coefficient(*SHARED)


def test_warn_says_which_are_left_out() -> None:
    with pytest.warns(MissingTopicsWarning, match="left out: 'x', 'y', 'z'") as caught:
        kendall_tau(REFERENCE, ESTIMATE, missing="warn")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kendall_tau(REFERENCE, REFERENCE, missing="warn")


def test_two_systems_must_be_shared() -> None:
    with pytest.raises(ValueError, match="`estimate` must share at least 2 systems with `reference`, got 1"):
        kendall_tau(REFERENCE, {"a": 1, "q": 2}, missing="skip")
    with pytest.raises(ValueError, match="`ranking` must share at least 2 systems with `reference`, got 0"):
        d_rank(matrix(1, "abcd"), {"p": 1, "q": 2}, missing="skip")


@pytest.mark.parametrize("missing", ["drop", "", None, 1])
def test_unknown_words_are_refused(missing: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="`missing`"):
        kendall_tau(REFERENCE, ESTIMATE, missing=missing)


def test_what_pairs_cost_names_the_shared_systems() -> None:
    found = contributions(REFERENCE, ESTIMATE, missing="skip")
    assert found.systems == ("a", "b", "c", "d")
    assert np.array_equal(found.costs, contributions(*SHARED).costs)


def test_d_rank_is_that_of_the_shared_systems() -> None:
    scores, chosen = matrix(1, "abxcd"), matrix(1, "abxcd").select(systems=list("abcd"))
    ranking = {name: value for name, value in ESTIMATE.items() if name in "abcd"}
    alone, both = (
        d_rank(*each, n_resamples=49, rng=1, missing=missing)
        for each, missing in (((chosen, ranking), "error"), ((scores, ESTIMATE), "skip"))
    )
    assert both.n_systems == 4
    assert (both.statistic, both.pvalue) == (alone.statistic, alone.pvalue)


@pytest.mark.filterwarnings("ignore:The topics in:pt_rankcorr.warnings.UnreliableResultWarning")
def test_clusters_of_topics_are_kept() -> None:
    scores = matrix(1, "abxcd").with_design(clusters=list("ppqqrrss"))
    result = d_rank(scores, ESTIMATE, n_resamples=49, rng=1, missing="skip")
    expected = d_rank(scores.select(systems=list("abcd")), ESTIMATE, n_resamples=49, rng=1, missing="skip")
    assert (result.n_topics, result.statistic, result.pvalue) == (4, expected.statistic, expected.pvalue)
