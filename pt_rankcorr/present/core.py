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
    # columns that are None in all rows are left out; the answer is that of each result which is
    # shown by its rows
    known = [column for column in table.columns if any(column.value(row) is not None for row in table.rows)]
    tables = {measure: table_of(result) for measure, result in results.items()}
    below = {measure: table.answer for measure, table in tables.items() if not _has_statistic(results[measure])}
    answers = [f"{measure}: {answer}" for measure, answer in below.items() if answer]
    notes = {table.notes for table in tables.values()}
    shared = notes.pop() if len(notes) == 1 else ()
    return replace(table, columns=tuple(known), answer="\n".join(answers), notes=shared)


def _of_measure(measure: str, result: Any) -> Table:
    """The single values of a result with a statistic, else its rows; the measure in front."""
    table = Table(facts_of(result), [result]) if _has_statistic(result) else table_of(result)
    return table.with_leading_columns(constant("measure", measure))


def _has_statistic(result: Any) -> bool:
    """Whether a result has one main number, `statistic`, among its single values."""
    return any(column.name == "statistic" for column in facts_of(result))


def frame_by_measure(results: ByMeasure) -> pd.DataFrame:
    """All rows of all measures, unrounded."""
    tables = [
        table_of(result).with_leading_columns(constant("measure", measure)) for measure, result in results.items()
    ]
    return joined(tables).to_frame()
