"""What a type checker says to users. mypy checks this file, too: it fails where an ignore is one too many."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.comparison.compare import MeasureComparison
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.judgment_curve import JudgmentCurve
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.stats import Rankings

PACKAGES = ("agreement", "demo", "judgments", "measures", "plots", "stats", "warnings")
FIRST, SECOND = [4.0, 3.0, 2.0, 0.5], np.array([4.0, 2.0, 3.0, 0.5])


def test_one_ranking_gives_a_float() -> None:
    tau: float = rc.kendall_tau(FIRST, SECOND, variant="b")
    tau_ap: float = rc.tau_ap({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}, symmetric=True)
    tau_gap: float = rc.tau_gap(rc.ScoreMatrix(np.eye(4) + FIRST), SECOND)
    others: list[float] = [rc.stats.pearson(FIRST, SECOND), rc.stats.spearman(FIRST, (1, 2, 3, 5), missing="skip")]
    assert all(isinstance(value, float) for value in (tau, tau_ap, tau_gap, *others))
    many = rc.tau_ap(FIRST, Rankings([SECOND, SECOND]))
    assert not isinstance(many, float)
    assert many.shape == (2,)


def test_an_experiment_with_both_tables_gives_a_pair() -> None:
    data = collection()
    chosen = [systems for name, systems in pipelines(data).items() if name in ("BM25", "DPH")]
    averages, perquery = rc.Experiment(chosen, data.topics, data.qrels, ["AP"], perquery="both", verbose=False)
    both: tuple[Any, Any] = averages, perquery
    assert list(map(len, both)) == [2, 100]


def test_words_are_literals() -> None:
    scores = np.random.default_rng(1).random((12, 3))
    with pytest.raises(ValueError, match="`variant`"):
        rc.kendall_tau(FIRST, SECOND, variant="c")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="`missing`"):
        rc.tau_gap(FIRST, SECOND, missing="some")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="`null`"):
        rc.d_rank(scores, [1, 2, 4], null="none")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`method`"):
        rc.RankInterval(method="guessed")  # type: ignore[arg-type]


def test_what_is_taken_has_a_type() -> None:
    """No argument of a public function is a mere object, and no result is untyped."""
    functions = public_functions()
    assert len(functions) > 60
    without_type = {
        f"{name}({parameter.name})"
        for name, function in functions.items()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.annotation in ("object", "object | None", inspect.Parameter.empty)
    }
    assert without_type == set()
    untyped = {name for name, it in functions.items() if inspect.signature(it).return_annotation in ("object", "Any")}
    assert untyped == set()


def test_types_can_be_resolved_where_they_are_used() -> None:
    """As documentation does. A picture names what it draws, and matplotlib, for type checkers only."""
    for name, function in public_functions().items():
        if not name.startswith("plots."):
            assert get_type_hints(function), name
    for comparison in (MeasureComparison, JudgeComparison, JudgmentCurve):  # with the fields that they inherit
        assert get_type_hints(comparison.__init__), comparison


def public_functions() -> dict[str, Callable[..., Any]]:
    modules = {name: importlib.import_module(f"pt_rankcorr.{name}".rstrip(".")) for name in ("", *PACKAGES)}
    public = {f"{package}.{name}": getattr(it, name) for package, it in modules.items() for name in it.__all__}
    return {name: it for name, it in public.items() if inspect.isfunction(it)}
