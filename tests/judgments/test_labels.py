from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.judgments.labels import cohen_kappa, label_agreement
from pt_rankcorr.stats.checks import DegenerateInputWarning

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


def kappa_by_definition(pairs: list[tuple[int, int]]) -> float:
    """Agreement of each item with itself, and of each item with each other: that by chance."""
    observed = np.mean([first == second for first, second in pairs])
    expected = np.mean([first == second for first, _ in pairs for _, second in pairs])
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


@given(LABELS)
@pytest.mark.filterwarnings("ignore::pt_rankcorr.stats.checks.DegenerateInputWarning")
def test_kappa_is_agreement_beyond_chance(pairs: list[tuple[int, int]]) -> None:
    first = {"1": {f"d{n}": label for n, (label, _) in enumerate(pairs)}}
    second = {"1": {f"d{n}": label for n, (_, label) in enumerate(pairs)}}
    agreement = label_agreement(first, second)
    binary = [(int(one > 0), int(other > 0)) for one, other in pairs]
    assert agreement.kappa == pytest.approx(kappa_by_definition(pairs), nan_ok=True, abs=1e-12)
    assert agreement.kappa_binary == pytest.approx(kappa_by_definition(binary), nan_ok=True, abs=1e-12)
    assert label_agreement(second, first).kappa == pytest.approx(agreement.kappa, nan_ok=True)
    both, either = sum(one and other for one, other in binary), sum(one or other for one, other in binary)
    assert agreement.overlap == pytest.approx(both / either if either else math.nan, nan_ok=True)


def test_a_worked_example() -> None:
    """50 decisions: 20 both yes, 15 both no; p_o = .7, p_e = .5."""
    assert cohen_kappa([[20, 5], [10, 15]]) == pytest.approx(0.4, abs=1e-12)


def test_perfect_and_opposite_judges() -> None:
    reference = {"1": {"d1": 1, "d2": 0}}
    assert label_agreement(reference, reference).kappa == 1.0
    assert label_agreement(reference, {"1": {"d1": 0, "d2": 1}}).kappa == -1.0


def test_confusion_is_of_documents_that_both_judge() -> None:
    agreement = label_agreement({"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"d1": 1}}, {"1": {"d1": 1, "d2": 0, "d4": 1}})
    assert agreement.confusion.loc[2, 1] == 1
    assert agreement.confusion.loc[0, 0] == 1
    assert agreement.confusion.to_numpy().sum() == agreement.n_shared == 2
    assert (agreement.n_reference, agreement.n_other) == (4, 3)
    assert agreement.confusion.index.name == "reference"


def test_graded_against_binary() -> None:
    agreement = label_agreement({"1": {"d1": 3, "d2": 2, "d3": 0}}, {"1": {"d1": 1, "d2": 1, "d3": 0}})
    assert agreement.kappa_binary == 1.0
    assert agreement.kappa < 1.0


@pytest.mark.parametrize("other", [{"1": {"d1": 1}}, {"2": {"d9": 1}}])
def test_nothing_to_agree_on(other: dict) -> None:
    with pytest.warns(DegenerateInputWarning, match="kappa is undefined"):
        assert math.isnan(label_agreement({"1": {"d1": 1}}, other).kappa)


def test_wrong_confusions() -> None:
    with pytest.raises(ValueError, match="must be a square matrix, got shape"):
        cohen_kappa([[1, 2]])
    with pytest.raises(ValueError, match="must hold counts, got -1"):
        cohen_kappa([[1, -1], [0, 2]])
