"""From the long frame that components return to the two tables that people read."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pt_rankcorr.adapters.measures import COUNTS
from pt_rankcorr.adapters.settle import COLUMNS, check_cells, finite
from pt_rankcorr.stats.checks import listing

# columns that say something of each system: ours, and those that a baseline adds
PER_SYSTEM = frozenset({"rank", "rank low", "rank high", "rank first"})
AGAINST_BASELINE = frozenset({"+", "-", "p-value", "reject", "p-value corrected"})


def by_system(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a system, as `pt.Experiment` shows averages: name, measures, then "{measure} {column}".

    Averages leave out topics without judgments. A measure has no such column where there is nothing to show, as for
    the reference that the others are compared with.

    Args:
        frame: What a pipeline of components returned for a per-query experiment frame.

    Returns:
        A data frame; systems in their order of appearance.

    Raises:
        TypeError: If it is not a data frame.
        ValueError: If it lacks the columns of an experiment.
    """
    if isinstance(frame, tuple) and len(frame) == 2:  # perquery="both"
        frame = frame[1]
    _check(frame)
    frame = frame.assign(value=finite(frame))
    systems = frame["name"].drop_duplicates().to_list()
    table: dict[str, object] = {"name": systems}
    for measure, rows in _measures(frame):
        grouped = rows.groupby("name", sort=False)["value"]
        table[measure] = (grouped.sum() if measure in COUNTS else grouped.mean()).reindex(systems).to_numpy()
    return pd.concat([pd.DataFrame(table), added_by_system(frame)], axis=1)


def added_by_system(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns "{measure} {column}" of `by_system` alone, one row a system in order of appearance."""
    systems = frame["name"].drop_duplicates().to_list()
    table = {}
    for measure, rows in _measures(frame):
        firsts = rows.drop_duplicates("name").set_index("name").reindex(systems)
        for column in _added(frame):
            if firsts[column].notna().any():
                table[f"{measure} {column}"] = firsts[column].to_numpy()
    return pd.DataFrame(table)


def by_measure(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a measure, one column a statistic about its ranking of all systems.

    Args:
        frame: What a pipeline of components returned for a per-query experiment frame, or a table of averages with
            columns named "{measure} {column}", as `ptr.Experiment` returns.

    Returns:
        A data frame with the column "measure" and one a statistic; nan where it does not apply.

    Raises:
        TypeError: If it is not a data frame.
        ValueError: If it is neither.
    """
    if isinstance(frame, tuple) and len(frame) == 2:  # perquery="both": the averages hold all that is needed
        frame = frame[0]
    frame = getattr(frame, "data", frame)  # what highlight= returns is a Styler
    if isinstance(frame, pd.DataFrame) and "name" in frame.columns and "measure" not in frame.columns:
        return _by_measure_of_averages(frame)
    _check(frame)
    columns = [column for column in _added(frame) if column not in PER_SYSTEM]
    rows = [{"measure": measure, **rows.iloc[0][columns].to_dict()} for measure, rows in _measures(frame)]
    return pd.DataFrame(rows, columns=["measure", *columns])


def _by_measure_of_averages(table: pd.DataFrame) -> pd.DataFrame:
    columns = [str(column) for column in table.columns]
    measures = [
        name for name in columns if name != "name" and not any(name.startswith(f"{other} ") for other in columns)
    ]
    found: dict[str, dict[str, object]] = {}
    for measure in measures:
        for name in columns:
            statistic = name.removeprefix(f"{measure} ")
            of_ranking = statistic != name and statistic not in PER_SYSTEM | AGAINST_BASELINE
            if of_ranking and table[name].nunique(dropna=False) == 1:
                found.setdefault(measure, {})[statistic] = table[name].iloc[0]
    if not found:
        raise ValueError("`frame` must have columns named '{measure} {statistic}', got " + listing(columns) + ".")
    fullest = max(found.values(), key=len)  # the reference has fewer, and all others the same, in their order
    columns = list(dict.fromkeys(["measure", *fullest, *(name for values in found.values() for name in values)]))
    return pd.DataFrame([{"measure": measure, **values} for measure, values in found.items()], columns=columns)


def _check(frame: object) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"`frame` must be a data frame that components returned, got {type(frame).__name__}.")
    check_cells(frame, "frame")


def _added(frame: pd.DataFrame) -> list[str]:
    return [column for column in frame.columns if column not in COLUMNS]


def _measures(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for measure, rows in frame.groupby("measure", sort=False):
        yield str(measure), rows
