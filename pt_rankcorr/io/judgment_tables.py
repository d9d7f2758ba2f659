"""Judgments and runs from tables and JSON; and judgments of several judges, in columns or rows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from pt_rankcorr.io import paths
from pt_rankcorr.io.spreadsheets import FileSheet, is_workbook, read_sheet
from pt_rankcorr.stats.core import headings
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import MissingLabelsWarning, warn

EXPECTED = "a table of documents with columns such as qid, docno and "
WORDS = {"relevance": "label", "score": "score"}  # for the numbers beside documents


def is_table(path: paths.PathName) -> bool:
    """Whether a file is named as a table, and begins as one of judgments does."""
    if is_workbook(path):
        return True
    if not {suffix.lower() for suffix in Path(path).suffixes} & {".csv", ".tsv", ".json", ".jsonl"}:
        return False
    with paths.open_text(path, EXPECTED + "label") as text:
        first = next((line for line in text if line.strip() and not line.startswith("#")), "")
    return is_first_line(first)


def is_first_line(line: str) -> bool:
    """Whether the first line of a file is of JSON, or heads columns of topics and documents."""
    names = {plain_heading(cell.strip(' "\r\n')) for cell in re.split(r"[,;\t ]", line)}
    is_header = not names.isdisjoint(headings.TOPICS) and not names.isdisjoint(headings.DOCUMENTS)
    return is_header or line.lstrip()[:1] in ("{", "[")


def read_documents(path: paths.PathName, number: str = "relevance") -> pd.DataFrame:
    """The documents of a table: query_id, doc_id, a number, and perhaps iteration and tag.

    The number is a label ("relevance"), or the "score" in a run; nan where a cell is empty, NA, or
    null. The index has the numbers of lines. JSON may be nested: topic -> document -> number.
    """
    if (nested := _nested(path)) is not None:
        return nested.rename(columns={"relevance": number})
    sheet, roles, names = _table_of(path, number)
    if number == "score":
        columns = roles.get("scores", [])
    else:
        columns = _columns_of_labels(sheet)
        # of several, it is the one that sums up all judges, or else the one headed as labels
        of_all = [place for place in columns if _words(sheet, place) & headings.OF_ALL_JUDGES]
        likeliest = [places for places in (of_all, roles.get("labels", [])) if len(places) == 1]
        columns = likeliest[0] if likeliest else columns
    if len(columns) != 1:
        word = WORDS[number]
        hint = f" Name the column of {word}s {word}."
        if columns:
            hint = " Where several judges are taken, as by `alpha_of_judges`, give it alone;"
            hint += " else leave out the others."
        seen = f"the columns {listing(sheet.headings)}"
        raise paths.file_error(path, f"have one column of {word}s", seen, hint)
    numbers, heading = sheet.scores(columns[0]), sheet.headings[columns[0]]
    is_score = number == "relevance" and plain_heading(heading) == "score"
    if is_score and np.any(numbers[~np.isnan(numbers)] % 1 != 0):
        seen = f"{shown(heading)} that are not whole"
        hint = " It looks like a run. If these are judgments, name the column label."
        raise paths.file_error(path, f"be {sheet.expected}", seen, hint)
    return names.assign(**{number: numbers})


def labels_by_judge(path: paths.PathName) -> dict[str, pd.DataFrame]:
    """Judge -> judgments, of a table with a column a judge, or one that names it; none of others.

    Cells without a label are left out, with a warning that counts them. A column that sums up the
    others, such as "final_rating", is no judge.
    """
    if _nested(path) is not None:
        return {}
    sheet, roles, names = _table_of(path)
    named = [place for place in roles.get("judges", []) if not sheet.has_fractions(place)]
    if named and names.duplicated().any():
        judgments = read_documents(path).groupby(np.array(sheet.texts(named[0])), sort=False)
        sets = {str(judge): rows for judge, rows in judgments}
    else:
        sets = {
            sheet.headings[place]: names.assign(relevance=sheet.scores(place))
            for place in _columns_of_labels(sheet)
            if not _words(sheet, place) & headings.OF_ALL_JUDGES
        }
    if len(sets) < 2:
        return {}
    for judge, rows in sets.items():
        if n_absent := int(rows["relevance"].isna().sum()):
            of, count = f"{shown(judge)} of {sheet.called}", f"{n_absent} of {len(rows)}"
            warn(f"Rows of {of} without a label are left out: {count}.", MissingLabelsWarning)
    return {judge: rows.dropna(subset="relevance") for judge, rows in sets.items()}


def _table_of(
    path: paths.PathName, number: str = "relevance"
) -> tuple[FileSheet, dict[str, list[int]], pd.DataFrame]:
    """The sheet of a file, role -> its columns by their headings, and the names in each row.

    These are topics, documents, and perhaps iterations and tags; the index has numbers of lines.
    """
    sheet = read_sheet(path, EXPECTED + WORDS[number]).check_rows()
    roles = headings.roles_of(sheet.headings, headings.JUDGED)
    for role in ("topics", "documents"):
        if len(places := roles.get(role, [])) != 1:
            among = listing(sheet.headings[place] for place in places or sheet.columns)
            seen = f"no column of {role}, or several, among {among}"
            raise paths.file_error(path, f"be {sheet.expected}", seen)
    of = {"topics": "query_id", "documents": "doc_id", "iteration": "iteration", "tag": "tag"}
    places_of = {name: roles[role][0] for role, name in of.items() if role in roles}
    columns = {name: sheet.texts(place).tolist() for name, place in places_of.items()}
    return sheet, roles, pd.DataFrame(columns, index=[number for number, _ in sheet.rows[1:]])


def _columns_of_labels(sheet: FileSheet) -> list[int]:
    """The columns whose heading has a word such as "label"; else all other columns of numbers."""
    plain = [plain_heading(heading) for heading in sheet.headings]
    numeric = [at for at in sheet.columns if sheet.is_numeric(at) and sheet.has_scores(at)]
    named = {place for place in numeric if _words(sheet, place) & headings.LABELS}
    named |= {place for place, name in enumerate(plain) if name in headings.LABELS}
    no_labels = headings.TOPICS | headings.DOCUMENTS | headings.OF_ROWS
    no_labels |= headings.UNNAMED | headings.ITERATIONS
    return sorted(named) or [place for place in numeric if plain[place] not in no_labels]


def _words(sheet: FileSheet, place: int) -> set[str]:
    """The words of a heading; some say that a column has labels, or sums up all judges."""
    return set(re.findall(r"[a-z]+", sheet.headings[place].lower()))


def _nested(path: paths.PathName) -> pd.DataFrame | None:
    """The judgments of JSON with topic -> document -> label, the index all 1; of others None."""
    if is_workbook(path):
        return None
    with paths.open_text(path, EXPECTED + "label") as text:
        try:
            content = paths.parsed_json(text.read())
        except ValueError:
            return None
    is_nested = isinstance(content, dict) and all(isinstance(of, dict) for of in content.values())
    if not content or not is_nested:
        return None
    rows = [(topic, *pair) for topic, labels in content.items() for pair in labels.items()]
    for topic, document, label in rows:
        if isinstance(label, (bool, dict, list, str)):
            seen = f"{shown(label)} for {shown(document)} on topic {shown(topic)}"
            raise paths.file_error(path, "have numbers as labels", seen)
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    return frame.set_axis(np.ones(len(frame), dtype=int)).astype({"relevance": np.float64})
