"""Scores from PyTerrier experiments that ran without this package."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io.files import open_text, rows_of_csv
from pt_rankcorr.io.given import MeasureLike
from pt_rankcorr.io.long_tables import Table
from pt_rankcorr.io.paths import kind_of
from pt_rankcorr.io.settling import COLUMNS, check_cells, settle
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import listing

LABELS = {"cluster": "clusters", "stratum": "strata"}  # columns, and the arguments of `with_design`
PERQUERY = f"the perquery.csv of a pt.Experiment (columns {', '.join(COLUMNS)})"


def scores_from_experiment(
    experiment: pd.DataFrame | tuple[Any, Any] | str | PathLike[str],
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
) -> Scores:
    """The scores of a PyTerrier experiment.

    Args:
        experiment: What `pt.Experiment(..., perquery=True)` returned (columns name, qid, measure, value), what
            `perquery="both"` returned, the `perquery.csv` of its `save_dir`, or that folder. Columns "cluster" and
            "stratum" hold the labels of topics, see `ScoreMatrix.with_design`.
        missing: What to do where a system has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero". Topics for which no system has a score are always left out.
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix per measure, with systems and topics in their order of appearance, and an alignment report.

    Raises:
        TypeError: If it is none of these.
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
        raise TypeError(f"`experiment` must be the result of a pt.Experiment with perquery=True, got {kind_of(frame)}.")
    check_cells(frame, "experiment")
    scores = settle(frame, missing=missing, lower_is_better=lower_is_better, parameter="experiment")
    return in_design_of(frame, scores)


def with_labels(
    frame: pd.DataFrame, clusters: Mapping[str, str] | None = None, strata: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Scored cells with the columns "cluster" and "stratum" of their topics, where these are given."""
    labels = zip(LABELS, (clusters, strata), strict=True)
    return frame.assign(**{column: frame["qid"].map(given) for column, given in labels if given is not None})


def in_design_of(frame: pd.DataFrame, scores: Scores) -> Scores:
    """The scores with the clusters and strata of the scored cells, if there are any."""
    given = {argument: _labels(frame, column) for column, argument in LABELS.items() if column in frame.columns}
    return scores.with_design(**given) if given else scores


def _labels(frame: pd.DataFrame, column: str) -> dict[str, object]:
    labels = frame.assign(qid=frame["qid"].astype(str)).drop_duplicates(["qid", column])
    repeated = labels.loc[labels["qid"].duplicated(), "qid"]
    if len(repeated):
        raise ValueError(f"`experiment` must have one {column} for each topic, got several for {listing(repeated)}.")
    return dict(zip(labels["qid"], labels[column], strict=True))


def _read_perquery(path: Path) -> pd.DataFrame:
    path = path / "perquery.csv" if path.is_dir() else path
    # as text: a topic "001" must not become 1, nor a system named "NA" a missing value
    with open_text(path, PERQUERY, newline="") as text:
        table = Table.of(path, PERQUERY, rows_of_csv(path, text, text.readline(), PERQUERY))
    frame = table.rows.iloc[1:].astype(object).set_axis(table.row(0), axis=1)
    if "value" in frame.columns:
        frame["value"] = frame["value"].replace("", None)
    return frame
