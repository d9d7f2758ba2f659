"""Results of one statistic by measure, as one table with the measure in front."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from pt_rankcorr.present.generic import facts_of, table_of
from pt_rankcorr.stats.core.types import ByMeasure
from pt_rankcorr.tables import Table, constant, joined


@table_of.register
def by_measure_table(results: ByMeasure) -> Table:
    """One row per measure if results have one statistic; else all rows, below each one's answer.

    A note that all measures share stands once; other notes are left out.
    """
    table = joined([_of_measure(*item) for item in results.items()])
    # columns that are None in all rows are left out
    is_known = lambda column: any(column.value(row) is not None for row in table.rows)  # noqa: E731
    known = tuple(filter(is_known, table.columns))
    answers, notes = [], set()
    for measure, result in results.items():
        own = table_of(result)
        notes.add(own.notes)
        if own.answer and not _has_statistic(result):
            answers.append(f"{measure}: {own.answer}")
    shared = notes.pop() if len(notes) == 1 else ()
    return replace(table, columns=known, answer="\n".join(answers), notes=shared)


def _of_measure(measure: str, result: Any) -> Table:
    """The single values of a result with a statistic, else its rows; the measure in front."""
    table = Table(facts_of(result), [result]) if _has_statistic(result) else table_of(result)
    return table.with_leading_columns(constant("measure", measure))


def _has_statistic(result: Any) -> bool:
    """Whether a result has one main number, `statistic`, among its single values."""
    return any(column.name == "statistic" for column in facts_of(result))


def frame_by_measure(results: ByMeasure) -> pd.DataFrame:
    """All rows of all measures, unrounded."""
    tables = []
    for measure, result in results.items():
        tables.append(table_of(result).with_leading_columns(constant("measure", measure)))
    return joined(tables).to_frame()
