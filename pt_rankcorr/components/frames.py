"""The two tables that people read, from the long frame that components return."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

import pandas as pd

from pt_rankcorr.io.align import COLUMNS, check_cells, finite_values
from pt_rankcorr.io.experiment import LABELS, in_datasets
from pt_rankcorr.io.measure_names import COUNTS
from pt_rankcorr.stats.core.arguments import listing

# columns that say something of each system: ours, and those that a baseline adds
PER_SYSTEM = frozenset("rank,rank low,rank high,rank first,rank tier,mean low,mean high,geometric mean".split(","))
AGAINST_BASELINE = re.compile(r"(\+|-|p-value|reject|p-value corrected)( \(.*\))?", re.DOTALL)


def by_system(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per system: name, measures, then "{measure} {column}" for statistics that differ between systems.

    `by_measure` has the statistics of a ranking as a whole, such as its tau. Averages leave out topics without
    judgments. A measure has no such column where there is nothing to show.

    Args:
        frame: What `ptr.Experiment` returned, in any of its forms, or a pipeline of components for a per-query
            experiment frame.

    Returns:
        A data frame; systems in their order of appearance.

    Raises:
        TypeError: If it is not a data frame.
        ValueError: If it lacks the columns of an experiment.
    """
    frame = _plain(frame[1] if isinstance(frame, tuple) and len(frame) == 2 else frame)  # perquery="both"
    if _are_averages(frame):
        of_rankings = _of_rankings(frame)
        return frame[[column for column in frame.columns if column not in of_rankings]]
    _check(frame)
    frame = in_datasets(frame.assign(value=finite_values(frame, "frame")))
    systems = frame["name"].drop_duplicates().to_list()
    table: dict[str, object] = {"name": systems}
    for measure, rows in of_measures(frame):
        table[measure] = average(measure, rows).reindex(systems).to_numpy()
    of_systems = frame[[column for column in frame.columns if column in {*COLUMNS, *LABELS, *PER_SYSTEM}]]
    return pd.concat([pd.DataFrame(table), added_by_system(of_systems)], axis=1)


def average(measure: str, rows: pd.DataFrame) -> pd.Series[Any]:
    """For each system, the sum of a count or the mean of a measure; over strata, the mean of their means."""
    grouped = rows.groupby("name", sort=False)["value"]
    if measure in COUNTS or "stratum" not in rows.columns:
        return grouped.sum() if measure in COUNTS else grouped.mean()
    return rows.groupby(["name", "stratum"])["value"].mean().groupby(level="name").mean()


def added_by_system(frame: pd.DataFrame, systems: Sequence[str] | None = None) -> pd.DataFrame:
    """All columns "{measure} {column}", one row per system in this order, or that of appearance."""
    systems = frame["name"].drop_duplicates().to_list() if systems is None else list(systems)
    columns = _added_columns(frame)
    lacking = pd.DataFrame([rows[columns].isna().all() for _, rows in of_measures(frame)], columns=columns)
    # a column that a single one of several measures lacks is missing for the reference
    always = {column for column in columns if len(lacking) == 1 or lacking[column].sum() != 1}
    table = {}
    for measure, rows in of_measures(frame):
        firsts = rows.drop_duplicates("name").set_index("name").reindex(systems)
        for column in columns:
            if column in always or firsts[column].notna().any():
                table[f"{measure} {column}"] = firsts[column].to_numpy()
    return pd.DataFrame(table)


def by_measure(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per measure, one column per statistic of its ranking of all systems.

    Args:
        frame: As for `by_system`.

    Returns:
        A data frame with the column "measure" and one per statistic; nan where it does not apply.

    Raises:
        TypeError: If it is not a data frame.
        ValueError: If it is neither.
    """
    frame = _plain(frame[0] if isinstance(frame, tuple) and len(frame) == 2 else frame)  # averages have all it needs
    if not _are_averages(frame):
        _check(frame)
        columns = [column for column in _added_columns(frame) if column not in PER_SYSTEM]
        rows = [{"measure": measure, **rows.iloc[0][columns].to_dict()} for measure, rows in of_measures(frame)]
        return pd.DataFrame(rows, columns=["measure", *columns])
    statistics: dict[str, dict[str, object]] = {}
    for name, (measure, statistic) in _of_rankings(frame).items():
        statistics.setdefault(measure, {})[statistic] = frame[name].iloc[0]
    if not statistics:
        got = listing(map(str, frame.columns))
        raise ValueError(f"`frame` must have columns named '{{measure}} {{statistic}}', got {got}.")
    fullest = max(statistics.values(), key=len)  # the reference has fewer, and all others the same, in their order
    columns = list(dict.fromkeys(["measure", *fullest, *(name for values in statistics.values() for name in values)]))
    return pd.DataFrame([{"measure": measure, **values} for measure, values in statistics.items()], columns=columns)


def _plain(frame: Any) -> Any:
    """The frame that a Styler shows, such as `highlight=` makes; other frames as they are."""
    return getattr(frame, "data", frame)


def _are_averages(frame: object) -> TypeGuard[pd.DataFrame]:
    return isinstance(frame, pd.DataFrame) and "name" in frame.columns and "measure" not in frame.columns


def _of_rankings(table: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """The columns of a table of averages that describe a whole ranking: column -> measure, statistic."""
    columns = [str(column) for column in table.columns]
    measures = [
        name for name in columns if name != "name" and not any(name.startswith(f"{other} ") for other in columns)
    ]
    statistics = {}
    for measure in measures:
        for name in columns:
            statistic = name.removeprefix(f"{measure} ")
            of_systems = statistic in PER_SYSTEM or AGAINST_BASELINE.fullmatch(statistic)
            if statistic != name and not of_systems and table[name].nunique(dropna=False) == 1:
                statistics[name] = measure, statistic
    return statistics


def _check(frame: object) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"`frame` must be a data frame that components returned, got {type(frame).__name__}.")
    check_cells(frame, "frame")


def _added_columns(frame: pd.DataFrame) -> list[str]:
    return [column for column in frame.columns if column not in {*COLUMNS, *LABELS, "dataset"}]


def of_measures(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each measure and its rows, in their order of appearance."""
    for measure, rows in frame.groupby("measure", sort=False):
        yield str(measure), rows
