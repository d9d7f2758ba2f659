"""Tables of what `Experiment` returned: one row a system, or one a measure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.io import align, datasets, measure_names
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import P_SAME

# columns that say something of each system: ours, and those that a baseline adds
PER_SYSTEM = frozenset(
    ("rank", "rank low", "rank high", "rank tier", "mean low", "mean high", "geometric mean")
)
AGAINST_BASELINE = re.compile(r"(\+|-|p-value|reject|p-value corrected)( \(.*\))?", re.DOTALL)


def by_system(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per system: name, measures, then "{measure} {column}" for statistics of each system.

    Systems are in their order of appearance. `by_measure` has the statistics of a ranking as a
    whole, such as its tau.

    Args:
        frame: What `rc.Experiment` returned, in any of its forms, or a pipeline of components for a
            per-query experiment frame.

    Raises:
        TypeError, ValueError: If it is no frame of an experiment.
    """
    frame, are_averages = _frame_of(frame, 1)
    if are_averages:
        return frame.drop(columns=[*_ranking_columns(frame)])
    frame = datasets.in_datasets(frame.assign(value=align.finite_values(frame, "frame")))
    is_twice = frame[["name", "qid", "measure"]].astype(str).duplicated()
    if is_twice.any():
        rule = "`frame` must have one row for each system, topic and measure"
        repeated = listing(frame.loc[is_twice, "name"].astype(str).unique())
        raise ValueError(f"{rule}, got several for {repeated}.")
    systems = frame["name"].drop_duplicates().to_list()
    means = {}
    for measure, rows in rows_by_measure(frame):
        by_topic = rows.pivot(index="qid", columns="name", values="value").reindex(columns=systems)
        strata = None
        if "stratum" in rows:
            stratum_of = rows.drop_duplicates("qid").set_index("qid")["stratum"]
            strata = stratum_of[by_topic.index].tolist()
        means[measure] = averages(measure, by_topic.to_numpy(np.float64), strata)
    of_rankings = [column for column in added_columns(frame) if column not in PER_SYSTEM]
    added = added_by_system(frame.drop(columns=of_rankings), systems)
    return pd.concat([pd.DataFrame({"name": systems, **means}), added], axis=1)


def averages(measure: str, scores: Floats, strata: Sequence[str] | None) -> Floats:
    """The average of each system, (n_systems,): the sum of a count or the mean of a measure.

    `scores` are topics x systems. Over strata, of which each topic has one, it is the mean of their
    means. Topics without a score are left out.
    """
    is_count = measure_names.is_count(measure)
    if strata is not None and not is_count:
        parts = [scores[np.array(strata) == stratum] for stratum in dict.fromkeys(strata)]
        scores = np.array([averages(measure, part, None) for part in parts])
    n_topics = (~np.isnan(scores)).sum(axis=0)
    divisor = np.where(n_topics > 0, 1 if is_count else n_topics, np.nan)
    return np.asarray(np.nansum(scores, axis=0) / divisor)


def added_by_system(frame: pd.DataFrame, systems: list[str]) -> pd.DataFrame:
    """The columns of components as "{measure} {column}", one row per system in this order.

    They leave out what components do not compute for the reference, as its correlation with itself.
    """
    columns = added_columns(frame)
    # measures x columns: whether the measure has no value there
    are_lacking = [rows[columns].isna().all() for _, rows in rows_by_measure(frame)]
    lacking = pd.DataFrame(are_lacking, columns=columns)
    # a column that a single one of several measures lacks is missing for the reference
    always = {column for column in columns if len(lacking) == 1 or lacking[column].sum() != 1}
    table = {}
    for measure, rows in rows_by_measure(frame):
        firsts = rows.drop_duplicates("name").set_index("name").reindex(systems)
        for column in columns:
            if column in always or firsts[column].notna().any():
                table[f"{measure} {column}"] = firsts[column].to_numpy()
    return pd.DataFrame(table)


def by_measure(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per measure, one column per statistic of its ranking, nan where it does not apply.

    The frame, and errors, are as for `by_system`. The only p-value of one true ranking is called
    "p (same true ranking)"; of several, that of tau stays "tau p (same true ranking)".
    """
    frame, are_averages = _frame_of(frame, 0)  # of a tuple the averages, which have all it needs
    statistics: dict[str, dict[Any, object]] = {}  # measure -> statistic -> value
    if are_averages:
        for name, (measure, statistic) in _ranking_columns(frame).items():
            statistics.setdefault(measure, {})[statistic] = frame[name].iloc[0]
        if not statistics:
            rule = "`frame` must have columns named '{measure} {statistic}'"
            raise ValueError(f"{rule}, got {listing(map(str, frame.columns))}.")
        # the reference has fewer than all others, which have the same in one order
        fullest = max(statistics.values(), key=len)
        columns = list(dict.fromkeys(chain(fullest, *statistics.values())))
    else:
        columns = [column for column in added_columns(frame) if column not in PER_SYSTEM]
        for measure, rows in rows_by_measure(frame):
            statistics[measure] = rows.iloc[0][columns].to_dict()
    rows_of_table = [{"measure": measure, **values} for measure, values in statistics.items()]
    table = pd.DataFrame(rows_of_table, columns=["measure", *columns])
    tested = [column for column in columns if str(column).endswith(f" {P_SAME}")]
    return table.rename(columns={tested[0]: P_SAME}) if len(tested) == 1 else table


def _frame_of(frame: Any, place: int) -> tuple[pd.DataFrame, bool]:
    """The frame in what `Experiment` returned, and whether it has averages, not per-query scores.

    In a tuple of both it is the one at this place; of a Styler, the frame that it shows.
    """
    frame = frame[place] if isinstance(frame, tuple) and len(frame) == 2 else frame
    frame = getattr(frame, "data", frame)
    if not isinstance(frame, pd.DataFrame):
        seen = type(frame).__name__
        raise TypeError(f"`frame` must be a data frame that components returned, got {seen}.")
    are_averages = "name" in frame.columns and "measure" not in frame.columns
    if not are_averages:
        align.check_cells(frame, "frame")
    return frame, are_averages


def _ranking_columns(table: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """The columns of averages that describe a whole ranking: column -> measure, statistic.

    They are named "{measure} {statistic}", and have one value for all systems.
    """
    columns = [str(column) for column in table.columns if column != "name"]
    statistics = {}
    for measure in columns:
        if any(measure.startswith(f"{other} ") for other in columns):  # a statistic of the other
            continue
        for name in columns:
            statistic = name.removeprefix(f"{measure} ")
            is_per_system = statistic in PER_SYSTEM or AGAINST_BASELINE.fullmatch(statistic)
            if statistic != name and not is_per_system and table[name].nunique(dropna=False) == 1:
                statistics[name] = measure, statistic
    return statistics


def added_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of a per-query frame that components added."""
    own = {*align.COLUMNS, *datasets.LABELS, "dataset"}
    return [column for column in frame.columns if column not in own]


def rows_by_measure(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each measure and its rows, in their order of appearance."""
    for measure, rows in frame.groupby("measure", sort=False):
        yield str(measure), rows
