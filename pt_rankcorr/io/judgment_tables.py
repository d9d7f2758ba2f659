"""Judgments and runs from tables with a header, and JSON; and judgments of several judges, in columns or rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.io import paths
from pt_rankcorr.io.spreadsheets import FileSheet, is_workbook, read_sheet
from pt_rankcorr.stats.core import headings
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import MissingLabelsWarning, warn

EXPECTED = "a table of documents with columns such as qid, docno and {}"


def is_table(path: paths.PathName) -> bool:
    """Whether a file is named as a table, and begins as one of judgments does."""
    if is_workbook(path):
        return True
    if not {suffix.lower() for suffix in Path(path).suffixes} & {".csv", ".tsv", ".json", ".jsonl"}:
        return False
    with paths.open_text(path, EXPECTED) as text:
        first = next((line for line in text if line.strip() and not line.startswith("#")), "")
    return is_first_line(first)


def is_first_line(line: str) -> bool:
    """Whether the first line of a file is that of JSON, or heads a table with topics and documents."""
    names = {plain_heading(cell.strip(' "\r\n')) for cell in re.split(r"[,;\t ]", line)}
    return line.lstrip()[:1] in ("{", "[") or bool(names & headings.TOPICS and names & headings.DOCUMENTS)


def read_documents(path: paths.PathName, number: str = "relevance") -> pd.DataFrame:
    """The documents of a table with one a row: query_id, doc_id, a number, and iteration and tag if there are any.

    The number is a label ("relevance"), or the "score" in a run; nan where a cell is empty, NA, or null. The index has
    the numbers of lines. JSON may also be nested, as topic -> document -> number.
    """
    if (nested := _nested(path)) is not None:
        return nested.rename(columns={"relevance": number})
    sheet = _sheet_of(path, number)
    names, roles = _names_of(sheet), headings.roles_of(sheet.headings, headings.JUDGED)
    columns = roles.get("scores", []) if number == "score" else _columns_of_labels(sheet)
    # of several, the one that is headed as labels, and rather the one that sums up all judges, is it
    for choice in (roles.get("labels", []), [place for place in columns if _is_of_all(sheet, place)]):
        columns = choice if len(choice) == 1 and number == "relevance" else columns
    if len(columns) != 1:
        of = {"relevance": "labels", "score": "scores"}[number]
        several = " Where several judges are taken, as by `alpha_of_judges`, give it alone; else leave out the others."
        hint = several if columns else f" Name the column of {of} {of[:-1]}."
        seen = f"the columns {listing(map(str, sheet.headings))}"
        raise paths.file_error(path, f"have one column of {of}", seen, hint)
    numbers, heading = sheet.scores(columns[0]), str(sheet.headings[columns[0]])
    if number == "relevance" and plain_heading(heading) == "score" and np.any(numbers[~np.isnan(numbers)] % 1 != 0):
        hint = " It looks like a run. If these are judgments, name the column label."
        raise paths.file_error(path, f"be {sheet.expected}", f"{shown(heading)} that are not whole", hint)
    return names.assign(**{number: numbers})


def _sheet_of(path: paths.PathName, number: str = "relevance") -> FileSheet:
    return read_sheet(path, EXPECTED.format({"relevance": "label"}.get(number, number))).check_rows()


def labels_by_judge(path: paths.PathName) -> dict[str, pd.DataFrame]:
    """Judge -> judgments, of a table with a column a judge, or one that names the judge; none of any other table.

    Cells without a label are left out, with a warning that counts them. A column that sums up the others, such as
    "final_rating", is no judge.
    """
    if _nested(path) is not None:
        return {}
    sheet = _sheet_of(path)
    names, roles = _names_of(sheet), headings.roles_of(sheet.headings, headings.JUDGED)
    named = [place for place in roles.get("judges", []) if not sheet.has_fractions(place)]
    if named and names.duplicated().any():
        judgments = read_documents(path).groupby(np.array(sheet.texts(named[0])), sort=False)
        sets = {str(judge): rows for judge, rows in judgments}
    else:
        columns = [place for place in _columns_of_labels(sheet) if not _is_of_all(sheet, place)]
        sets = {str(sheet.headings[place]): names.assign(relevance=sheet.scores(place)) for place in columns}
    if len(sets) < 2:
        return {}
    for judge, rows in sets.items():
        if n_absent := int(rows["relevance"].isna().sum()):
            of = f"{shown(judge)} of {sheet.called}"
            warn(f"Rows of {of} without a label are left out: {n_absent} of {len(rows)}.", MissingLabelsWarning)
    return {judge: rows.dropna(subset="relevance") for judge, rows in sets.items()}


def _names_of(sheet: FileSheet) -> pd.DataFrame:
    """The topics and documents of a sheet, and iterations and tags if it has them; the index has numbers of lines."""
    roles = headings.roles_of(sheet.headings, headings.JUDGED)
    for role in ("topics", "documents"):
        if len(found := roles.get(role, [])) != 1:
            among = listing(str(sheet.headings[place]) for place in found or sheet.columns)
            raise paths.file_error(
                sheet.path, f"be {sheet.expected}", f"no column of {role}, or several, among {among}"
            )
    of = {"query_id": "topics", "doc_id": "documents", "iteration": "iteration", "tag": "tag"}
    columns = {name: list(map(str, sheet.texts(roles[role][0]))) for name, role in of.items() if role in roles}
    return pd.DataFrame(columns, index=[number for number, _ in sheet.rows[1:]])


def _columns_of_labels(sheet: FileSheet) -> list[int]:
    """The columns whose heading has a word such as "label" or "rating"; without these, all other columns of numbers."""
    plain = [plain_heading(heading) for heading in sheet.headings]
    numeric = {place for place in sheet.columns if sheet.is_numeric(place) and sheet.has_scores(place)}
    named = [
        place
        for place, name in enumerate(plain)
        if name in headings.LABELS or (place in numeric and _words(sheet, place) & headings.LABELS)
    ]
    no_labels = headings.TOPICS | headings.DOCUMENTS | headings.OF_ROWS | headings.UNNAMED | headings.ITERATIONS
    return named or [place for place, name in enumerate(plain) if name not in no_labels and place in numeric]


def _words(sheet: FileSheet, place: int) -> set[str]:
    """The words of a heading."""
    return set(re.findall(r"[a-z]+", str(sheet.headings[place]).lower()))


def _is_of_all(sheet: FileSheet, place: int) -> bool:
    """Whether a column sums up those of all judges."""
    return bool(_words(sheet, place) & headings.OF_ALL_JUDGES)


def _nested(path: paths.PathName) -> pd.DataFrame | None:
    """The judgments of a file of JSON that has topic -> document -> label, all in line 1 by the index; else None."""
    if is_workbook(path):
        return None
    with paths.open_text(path, EXPECTED) as text:
        try:
            content = paths.parsed_json(text.read())
        except ValueError:
            return None
    if not isinstance(content, dict) or not content or not all(isinstance(of, dict) for of in content.values()):
        return None

    def rows() -> Iterator[tuple[str, str, Any]]:
        for topic, labels in content.items():
            for document, label in labels.items():
                if isinstance(label, (bool, dict, list, str)):
                    seen = f"{shown(label)} for {shown(document)} on topic {shown(topic)}"
                    raise paths.file_error(path, "have numbers as labels", seen)
                yield topic, document, label

    frame = pd.DataFrame(rows(), columns=["query_id", "doc_id", "relevance"])
    return frame.set_axis(np.ones(len(frame), dtype=int)).astype({"relevance": np.float64})
