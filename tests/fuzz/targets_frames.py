"""Hostile frames and objects for whatever takes them: columns, types, names and values that should not be there."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from hypothesis import strategies as st

import pt_rankcorr as ptr
from pt_rankcorr.components.of_reference import TauAP
from pt_rankcorr.io.trec import read_qrels, read_run
from tests.fuzz.hostile import names
from tests.fuzz.registry import Target

PERQUERY = pd.DataFrame(
    [(name, qid, measure, (len(name) * 7 + int(qid) * 3 + len(measure)) % 10 / 10) for name in ("a", "bb", "ccc")
     for qid in ("1", "2", "3") for measure in ("AP", "RR")],
    columns=["name", "qid", "measure", "value"],
)  # fmt: skip
RUN = pd.DataFrame([("1", "d1", 2.5), ("1", "d2", 1.5), ("2", "d1", 0.5)], columns=["qid", "docno", "score"])
QRELS = pd.DataFrame([("1", "d1", 1), ("1", "d2", 0), ("2", "d1", 2)], columns=["qid", "docno", "label"])
DTYPES = ("category", "string", "object", "int64", "float64", "float32", "Int64", "Float64", "bool", "datetime64[ns]")

values = st.one_of(
    st.sampled_from(
        [None, math.nan, math.inf, -0.0, 5e-324, 1e308, 10**400, 2**63, True, b"1", b"a", pd.NA, pd.NaT, Decimal("0.5")]
    ),
    st.sampled_from([1, 1.0, 0.5, "0.5", "1_0", "١", 1j, (), [1], {"a": 1}, np.float32(0.1), np.int8(3), object]),
    names,
)
changes = st.lists(
    st.tuples(st.sampled_from(range(9)), st.integers(0, 30), st.integers(0, 5), values, st.sampled_from(DTYPES)),
    max_size=3,
)


def changed(frame: pd.DataFrame, done: list[tuple[int, int, int, Any, str]]) -> pd.DataFrame:
    """The frame after a few changes; one that pandas does not make is left out."""
    for kind, row, at, value, dtype in done:
        try:
            frame = CHANGES[kind](frame.copy(), row % max(len(frame), 1), at % max(frame.shape[1], 1), value, dtype)
        except Exception:  # of pandas, before the frame is ours
            continue
    return frame


def _cell(frame: pd.DataFrame, row: int, at: int, value: Any, _dtype: str) -> pd.DataFrame:
    column = frame.iloc[:, at].astype(object).tolist()
    column[row] = value
    frame[frame.columns[at]] = pd.Series(column, dtype=object, index=frame.index)
    return frame


CHANGES: tuple[Callable[[pd.DataFrame, int, int, Any, str], pd.DataFrame], ...] = (
    _cell,
    _cell,
    lambda frame, row, at, value, dtype: frame.drop(columns=frame.columns[at]),
    lambda frame, row, at, value, dtype: frame.astype({frame.columns[at]: dtype}),
    lambda frame, row, at, value, dtype: pd.concat([frame, frame.iloc[:, [at]]], axis=1),
    lambda frame, row, at, value, dtype: frame.set_axis([0] * len(frame)),
    lambda frame, row, at, value, dtype: frame.iloc[:row],
    lambda frame, row, at, value, dtype: frame.rename(columns={frame.columns[at]: str(value)}),
    lambda frame, row, at, value, dtype: pd.concat([frame, frame.iloc[[row]]]),
)


def of(frame: pd.DataFrame, call: Callable[[pd.DataFrame], object]) -> Callable[[list[Any]], object]:
    return lambda done: call(changed(frame, done))


def _finite(scores: ptr.Scores) -> ptr.Scores:
    assert all(np.isfinite(matrix.values).all() for matrix in scores.values())
    return scores


def _component(frame: pd.DataFrame) -> object:
    try:
        result = TauAP()(frame)
    except pt.validate.InputValidationError:  # the host's own refusal
        return None
    assert len(result) == len(frame)
    return result


def _dicts(case: tuple[Any, Any, Any]) -> object:
    qid, docno, value = case
    run = read_run("run", {qid: {docno: value}})
    judged = read_qrels({qid: {docno: value}})
    return run, judged


def _evaluated(case: tuple[list[Any], list[Any]]) -> object:
    run, judged = changed(RUN, case[0]), changed(QRELS, case[1])
    return _finite(ptr.scores_from_runs({"a": run, "b": RUN}, judged, ["AP", "P@1"], missing="zero"))


hashable = values.filter(lambda value: not isinstance(value, (list, dict)))
TARGETS = (
    Target("frame, experiment", changes, of(PERQUERY, lambda frame: _finite(ptr.scores_from_experiment(frame)))),
    Target("frame, by_system", changes, of(PERQUERY, ptr.by_system)),
    Target("frame, by_measure", changes, of(PERQUERY, ptr.by_measure)),
    Target("frame, component", changes, of(PERQUERY, _component)),
    Target("frame, run", changes, of(RUN, lambda frame: read_run("run", frame))),
    Target("frame, qrels", changes, of(QRELS, read_qrels)),
    Target("dicts", st.tuples(hashable, hashable, values), _dicts),
    Target("evaluated", st.tuples(changes, changes), _evaluated),
    Target("labels", st.lists(values, min_size=2, max_size=2), lambda given: ptr.ScoreMatrix(np.eye(2), systems=given)),
)
