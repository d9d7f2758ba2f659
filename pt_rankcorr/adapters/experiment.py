"""Scores from PyTerrier experiments that were run without us."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from pt_rankcorr.adapters.files import read_table
from pt_rankcorr.adapters.settle import COLUMNS, check_cells, settle
from pt_rankcorr.scores import Scores

PERQUERY = f"the perquery.csv of a pt.Experiment (columns {', '.join(COLUMNS)})"


def scores_from_experiment(
    experiment: pd.DataFrame | tuple[Any, Any] | str | PathLike[str],
    *,
    missing: str = "error",
    lower_is_better: Collection[object] = (),
) -> Scores:
    """The scores of a PyTerrier experiment.

    Args:
        experiment: What `pt.Experiment(..., perquery=True)` returned (columns name, qid, measure, value), what
            `perquery="both"` returned, the `perquery.csv` of its `save_dir`, or that folder.
        missing: What to do where a system has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero". Topics without judgments (nan for all systems) are always left out.
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix a measure, with systems and topics in their order of appearance, and an alignment report.

    Raises:
        TypeError: If it is nothing of the kind.
        OSError: If there is no such file.
        ValueError: If the file is empty or no such table, columns are absent, a cell repeats or is infinite, or cells
            are missing under "error".
    """
    if isinstance(experiment, (str, PathLike)):
        frame = _read_perquery(Path(experiment))
    elif isinstance(experiment, tuple) and len(experiment) == 2:
        frame = experiment[1]
    else:
        frame = experiment
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"`experiment` must be the result of a pt.Experiment with perquery=True, got {_kind(frame)}.")
    check_cells(frame, "experiment")
    return settle(frame, missing=missing, lower_is_better=lower_is_better)


def _read_perquery(path: Path) -> pd.DataFrame:
    path = path / "perquery.csv" if path.is_dir() else path
    # as text: a topic "001" must not become 1, nor a system named "NA" a missing value
    (_, header), *rows = read_table(path, PERQUERY)
    frame = pd.DataFrame([row for _, row in rows], columns=header, dtype=object)
    if "value" in frame.columns:
        frame["value"] = frame["value"].replace("", None)
    return frame


def _kind(value: object) -> str:
    return f"an object of type {type(value).__name__}"
