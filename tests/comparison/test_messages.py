"""Messages blame the argument that is wrong, and say what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP

import pt_rankcorr as ptr
from tests import small

VALUES = np.random.default_rng(0).random((10, 4))
MATRIX = ptr.ScoreMatrix(VALUES, measure="AP")
SCORES = ptr.Scores([MATRIX, MATRIX.named("RR")])
FRAME = SCORES.to_frame()
RUNS = {name: system(small.topics()) for name, system in small.systems().items()}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"AP": MATRIX, "one": SCORES},
            "must hold measures or collections, .* the measure 'AP' and Scores under 'one'",
        ),
        (
            {"one": FRAME, "x": VALUES},
            "must hold measures or collections, .* the measure 'x' and DataFrame under 'one'",
        ),
        ([MATRIX, VALUES], "must be scores, .* got a list with ndarray"),
        (3, "must be scores, a per-query experiment, or a mapping of measures or collections to them.*, got int"),
        ({"one": 3}, "must be scores, .* got int under 'one'"),
    ],
)
def test_compare_says_what_it_was_given(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"`scores_or_collections` {message}"):
        ptr.compare(given)


@pytest.mark.parametrize(
    "given",
    [
        [MATRIX, MATRIX.named("RR")],
        {"AP": MATRIX, "RR": MATRIX.to_frame()},
        {"AP": MATRIX.to_frame(), "RR": MATRIX.to_frame().iloc[::-1, ::-1]},
        {"AP": MATRIX, "RR": ptr.Scores([MATRIX])},
        FRAME,
        (SCORES.averages(), FRAME),
    ],
)
def test_one_rule_for_what_is_a_measure(given: Any) -> None:
    """By `compare` and `report`, as by `discriminative_power`."""
    how: dict[str, Any] = {"n_resamples": 99, "rng": 1}
    expected = ptr.compare(SCORES, **how).to_frame()
    pd.testing.assert_frame_equal(ptr.compare(given, **how).to_frame(), expected)
    assert list(ptr.report(given, **how).to_dict()["collections"]) == ["scores"]


def test_a_frame_with_a_hole_is_named() -> None:
    holed = MATRIX.to_frame()
    holed.iloc[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"must be finite, got nan .* In measure 'RR'\."):
        ptr.compare({"AP": MATRIX, "RR": holed})


def test_one_rule_for_what_is_a_collection() -> None:
    how: dict[str, Any] = {"n_resamples": 99, "rng": 1}
    result = ptr.compare({"one": SCORES, "two": FRAME}, **how)
    assert list(result.scores) == ["one", "two"]
    assert list(ptr.report({"one": SCORES, "two": FRAME}, **how).to_dict()["collections"]) == ["one", "two"]


@pytest.mark.parametrize("function", [ptr.compare, ptr.report])
def test_a_wrong_reference_is_no_measure(function: Any) -> None:
    with pytest.raises(ValueError, match=r"^`reference` must be among 'AP', 'RR', got 'nDCG'"):
        function(SCORES, reference="nDCG", n_resamples=20)
    with pytest.raises(ValueError, match=r"^`reference` must be among 'AP', 'RR', got 'nDCG'.* In collection 'one'"):
        function({"one": SCORES}, reference="nDCG", n_resamples=20)
    with pytest.raises(TypeError, match=r"^`reference` must be an ir_measures measure or a name, got 3"):
        function(SCORES, reference=3, n_resamples=20)


def test_one_measure_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match=r"^`measures` must be at least 2, to be compared, got 'AP'\.$"):
        ptr.compare([MATRIX])
    with pytest.raises(ValueError, match=r"^`measures` must be at least 2, to be compared, got 'one'\.$"):
        ptr.compare({"one": ptr.Scores([MATRIX])})


def test_judgments_that_are_not_there() -> None:
    with pytest.raises(FileNotFoundError, match=r"other\.qrels"):
        ptr.compare_judgments(RUNS, small.qrels(), ["other.qrels"], [AP])


def test_what_is_told_row_by_row_is_the_table() -> None:
    told: list[Any] = []
    qrels = small.qrels()
    made = ptr.compare_judgments(RUNS, qrels, {"a": qrels, "b": qrels}, [AP, "nDCG"], on_row=told.append, rng=1)
    assert tuple(told) == made.rows
    curve = ptr.judgment_curve(RUNS, qrels, [AP], depths=[1, 5], n_resamples=99, on_row=told.append, rng=1)
    assert tuple(told[4:]) == curve.rows
    assert told[0].settings == made.settings


def test_every_comparison_is_a_table() -> None:
    curve = ptr.judgment_curve(RUNS, small.qrels(), [AP], depths=[1, 5], n_resamples=99, rng=1)
    for table in (curve, ptr.compare(SCORES, n_resamples=99, rng=1)):
        assert len(table) == len(table.to_frame()) == len(table.to_dict()["rows"])
        assert "seed 1" in str(table)
        assert "<table" in table._repr_html_()
        assert table.to_dict()["null"] == table.settings.null == "shrunken"
    assert curve.row("5", 0, "AP") == curve.rows[1]
    with pytest.raises(AttributeError, match="'RankingAgreement' object has no attribute 'kappa'"):
        _ = curve.rows[0].kappa
