"""A column of rows is two lines: what computes it, and its title; over collections rows have its mean."""

import numpy as np
import pytest
from tests.comparison.test_compare_leaderboards import JUDGES, REFERENCE, leaderboard

import pt_rankcorr as rc
from pt_rankcorr.comparison.judges_by_collection import ALL
from pt_rankcorr.comparison.rows import EXTRAS
from pt_rankcorr.present.comparison import TITLES, Extra
from pt_rankcorr.tables import NUMBER

HOW = {"n_resamples": 99, "rng": 1, "test": None}


def largest_gap(reference, estimate):
    """The largest distance of two mean scores."""
    return float(np.abs(reference.mean(axis=0) - estimate.mean(axis=0)).max())


@pytest.fixture
def invented(monkeypatch):
    monkeypatch.setitem(EXTRAS, "largest_gap", largest_gap)
    monkeypatch.setitem(TITLES, "largest_gap", Extra("largest gap", NUMBER))


@pytest.mark.usefixtures("invented")
def test_a_column_that_is_two_lines():
    first, second = REFERENCE["nDCG"], JUDGES["poor"]["nDCG"].named("RR")
    result = rc.compare([first, second], **HOW)
    expected = largest_gap(first.values, second.values)
    assert [row.more["largest_gap"] for row in result] == pytest.approx([expected, expected])
    assert list(result.to_frame()["largest_gap"]) == pytest.approx([expected, expected])
    assert "largest gap" in result.to_text()
    assert "largest gap" in result.to_latex(wide=True)


@pytest.mark.usefixtures("invented")
def test_its_mean_over_collections():
    references = {"a": REFERENCE, "b": leaderboard(0.02, 3)}
    result = rc.compare_leaderboards(references, dict.fromkeys(references, JUDGES), **HOW)
    for judge in JUDGES:
        mean = np.mean([result.row(name, judge).more["largest_gap"] for name in references])
        assert result.row(ALL, judge).more["largest_gap"] == pytest.approx(mean)
