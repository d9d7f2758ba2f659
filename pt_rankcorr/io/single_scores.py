"""Rankings from files with one score a system: tables, and lists of systems, best first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.io import paths
from pt_rankcorr.io.spreadsheets import (
    RULE_BELOW_A_HEADER,
    FileSheet,
    is_none,
    is_score,
    is_workbook,
    number_in,
    odd_about,
    read_sheet,
)
from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.stats.core.types import Indices
from pt_rankcorr.text import shown

EXPECTED = "a table with one row a system and columns of scores (CSV, Markdown, or JSON)"
RANKING = "a ranking: a system in each line, best first, or a system and its score"
HAVE_TOPICS = " Scores of systems on topics are what `compare --scores` reads."
GROUPS = " `groups` names the column that tells them apart, such as a snapshot or a data set"


class ScoreColumn(NamedTuple):
    """The scores of systems in a column of a file."""

    path: paths.PathName
    # a row a score: system, group ("" if there is one alone), score, text (the cell)
    cells: pd.DataFrame
    # why it has no scores, and no `cells`: such as the first that is no number, and its line
    wrong: str = ""
    missing: str = ""  # the first cell that has no score, and its line

    @property
    def scores(self) -> dict[str, float]:
        """System -> score; systems of groups are named "group/system"."""
        rows = self.cells[["system", "group", "score"]].to_numpy(object).tolist()
        return {f"{group}/{system}" if group else system: score for system, group, score in rows}


def read_columns(
    files: Iterable[paths.PathName],
    *,
    groups: str | None = None,
    keep: Collection[str] = (),
    table: str | None = None,
) -> dict[str, ScoreColumn]:
    """Name -> column, of all columns of tables but those of systems and their groups.

    Those that have no scores are marked as `wrong`. A column that several files have is named after
    its file, too. Systems are in the first column that is headed as such, or else the first of
    texts that are all different. Where a system has several rows, its `groups` are in the columns
    that are headed as such ("snapshot", "dataset", "judge"), or the one of this name. Rows over all
    systems are left out by their names, with a warning, except those to `keep`. Of a file with two
    columns and no header, the second has the scores, and is named after the file. `table` chooses
    one of a page in Markdown or a workbook: its number, from "1", or its heading or name.
    """
    by_file = {path: _columns_of(path, groups, keep, table) for path in files}
    names = [name for columns in by_file.values() for name in columns]
    together: dict[str, ScoreColumn] = {}
    for path, columns in by_file.items():
        for name, column in columns.items():
            full_name = name if names.count(name) == 1 else f"{paths.stem(path)} {name}"
            if full_name in together:
                both = f"{paths.name_of(together[full_name].path)!r} and {paths.name_of(path)!r}"
                rule = "Columns must have different names once named after their files"
                raise ValueError(f"{rule}, got {shown(full_name)} in {both}.")
            together[full_name] = column
    return together


def _columns_of(
    path: paths.PathName, groups: str | None, keep: Collection[str], table: str | None
) -> dict[str, ScoreColumn]:
    """Name -> column, as for `read_columns`, of a file; an error if a system repeats in a group."""
    sheet = _with_header(read_sheet(path, EXPECTED, table=table)).check_rows()
    header = sheet.headings
    if twice := {name for name in header if header.count(name) > 1 and _is_name(name)}:
        seen = f"{listing(twice)} more than once"
        raise paths.file_error(path, "have columns of different names", seen)
    if len(header) < 2:
        raise paths.file_error(path, f"be {EXPECTED}", f"a single column, {shown(header[0])}")
    if groups is not None and groups not in header:
        raise ValueError(f"`groups` must be among {listing(header)}, got {shown(groups)}.")
    place = _place_of_systems(sheet, groups)
    systems = np.array(sheet.texts(place).tolist(), dtype=object)
    is_version = all(map(paths.is_number, systems))  # such as 3.5, if all are
    # no system is called so: "", or a number as scores are, among versions one of two decimals on
    of_score = re.compile(r"([+-]?\d*\.\d{2,})?" if is_version else r"([+-]?\d*\.\d+)?")
    no_names = [row for row, name in enumerate(systems) if of_score.fullmatch(name)]
    if no_names:
        name = systems[no_names[0]]
        seen = f"{shown(name)} as a system" if name else "a row without a system"
        seen += f" in line {sheet.number_of(no_names[0])}"
        raise paths.file_error(path, f"be {EXPECTED}", seen)
    is_over = summary_rows.sure_rows(systems) & ~np.isin(systems, [*keep, *sheet.quoted])
    if is_over.all():
        is_over[:] = False  # over nothing else, so they are systems
    summary_rows.warn_of_rows(set(systems[is_over]), of="systems")
    rows = np.flatnonzero(~is_over)
    of_groups = _places_of_groups(sheet, place, groups, rows)
    texts = [sheet.texts(at).tolist() for at in of_groups]
    # of each row the name of its group
    group = [" ".join(of_row) for of_row in zip(*texts, strict=True)] if texts else ""
    names = pd.DataFrame({"system": systems, "group": group}).iloc[rows]
    if names.duplicated().any():
        system = names.loc[names.duplicated(), "system"].iloc[0]
        lines = [sheet.number_of(row) for row in names.index[names["system"] == system][:2]]
        seen = f"{shown(system)} in lines {lines[0]} and {lines[1]}"
        of_texts = [name for at, name in enumerate(header) if not sheet.is_numeric(at)]
        others = [name for name in of_texts if _is_name(name) and name != groups]
        hint = f"{GROUPS}: {listing(others)}." if others else ""
        raise paths.file_error(path, "have one row a system", seen, HAVE_TOPICS + hint)
    left = [at for at in sheet.columns if at not in (place, *of_groups)]
    columns = {header[at]: _column_of(sheet, at, names) for at in left}
    if all(column.wrong for column in columns.values()):
        name, column = next(iter(columns.items()))
        is_cell = column.wrong.startswith("'")
        seen = f"in {shown(name)} {column.wrong}" if is_cell else f"{shown(name)}, {column.wrong}"
        raise paths.file_error(path, "have a column of scores", seen.removesuffix("."))
    return columns


def _with_header(sheet: FileSheet) -> FileSheet:
    """The sheet if its header has no number; else its two columns, "system" and one of scores."""
    if not any(map(paths.is_number, sheet.headings)):
        return sheet
    if len(sheet.headings) != 2:
        seen = f"{shown(', '.join(sheet.headings))} in line {sheet.number_of(-1)}"
        raise paths.file_error(sheet.path, "have a header that names its columns", seen)
    sheet = sheet.with_first_row()
    sheet.headings = ["system", paths.stem(sheet.path)]
    return sheet


def _column_of(sheet: FileSheet, place: int, names: pd.DataFrame) -> ScoreColumn:
    """A column of scores; `names` has systems and groups, of the rows whose places are its index.

    Percent signs are taken off, 31% is 31.0; an error if other cells of such a column are up to 1.
    """
    heading, mark = sheet.headings[place], sheet.decimal_of(place)
    texts = np.array(sheet.texts(place).tolist(), dtype=object)[names.index]
    numbers = [number_in(text.removesuffix("%"), mark) for text in texts]
    scores, is_odd = (np.array(of, dtype=np.float64) for of in zip(*numbers, strict=True))
    cells = names.assign(score=scores, text=texts)
    has_percent = np.array([text.endswith("%") for text in texts], dtype=bool)

    def first(is_so: Any) -> str:
        """The first of the cells that are so, and its line."""
        place = int(np.argmax(is_so))
        return f"{shown(texts[place])} in line {sheet.number_of(names.index[place])}"

    wrong = "" if _is_name(heading) else "it has no name"
    if not wrong and is_odd.any():
        wrong = f"{first(is_odd)}. {odd_about(texts[int(np.argmax(is_odd))])}"
    elif not wrong and np.isinf(scores).any():
        wrong = f"{first(np.isinf(scores))}, which is not finite"
    elif not wrong and has_percent.any() and (np.abs(scores[~has_percent]) <= 1).any():
        rule = f"have scores of one scale in {shown(heading)}"
        raise paths.file_error(sheet.path, rule, f"{first(has_percent)}, among fractions")
    is_missing = np.isnan(scores)
    wrong = wrong or ("no numbers" if is_missing.all() else "")
    missing = first(is_missing) if is_missing.any() else ""
    return ScoreColumn(sheet.path, cells[~is_missing & (not wrong)], wrong, missing)


def _is_name(heading: str) -> bool:
    """Whether a heading names a column: one between means and their errors may be a sign alone."""
    return any(map(str.isalnum, heading))


def _place_of_systems(sheet: FileSheet, groups: str | None) -> int:
    """The place of the column of systems: headed so, or the first of texts that are all different.

    Beside a column of groups that the caller names, systems may be in one that is headed as items.
    """
    header = sheet.headings
    plain = ["" if name == groups else plain_heading(name) for name in header]
    for names in (headings.SYSTEMS, headings.ITEMS if groups else ()):
        if places := [place for place, name in enumerate(plain) if name in names]:
            return places[0]
    seen = f"the columns {listing(header)}"
    if not headings.SURE_TOPICS.isdisjoint(plain):
        raise paths.file_error(sheet.path, f"be {EXPECTED}", seen, HAVE_TOPICS)
    of_others = headings.GROUPS | headings.MEASURES
    no_systems = [name for name, word in zip(header, plain, strict=True) if word in of_others]
    words = {word.removesuffix("s") for word in re.findall(r"\w+", header[0].lower())}
    if groups is None and words & headings.GROUPS:  # of "Dataset / Model"
        no_systems.insert(0, header[0])
    if no_systems:
        rows = f"rows named by {shown(no_systems[0])}"
        remedy = " Transpose it, or head the column of systems system."
        raise paths.file_error(sheet.path, "have one row a system", rows, remedy)
    for place in sheet.columns:
        texts = sheet.texts(place).categories
        if sheet.is_distinct(place) and not any(map(paths.is_number, texts)):
            return place
    remedy = " Name the column of systems system."
    raise paths.file_error(sheet.path, "have a column of systems", seen, remedy)


def _places_of_groups(
    sheet: FileSheet, systems: int, groups: str | None, rows: Indices
) -> list[int]:
    """The places of the columns of groups where systems have several rows, or of the one named.

    `systems` is the place of that of systems; `rows` are those not over all systems, (n_used,).
    """
    if groups is not None:
        return [sheet.headings.index(groups)]
    plain = map(plain_heading, sheet.headings)
    named = [at for at, name in enumerate(plain) if name in headings.GROUPS and at != systems]
    texts = [place for place in named if not sheet.is_numeric(place)]
    # a column of numbers, such as "judge", has groups only if nothing else does
    for places in ([], texts):
        keys = {place: sheet.texts(place)[rows].astype(str) for place in (systems, *places)}
        if not pd.DataFrame(keys).duplicated().any():
            return places
    return [place for place in named if not sheet.has_fractions(place)]


# --- one ranking ----------------------------------------------------------------------------------


def read_ranking(path: paths.PathName) -> list[tuple[str, float]]:
    """Each system of a file and its score, higher is better, in the file's order.

    It may be a table, also without a header. Between blanks, a system may have blanks in its name;
    its score is the last field. Ranks of a column that is headed so are negated. Without any score,
    lines are names, best first, which may have commas, below a heading such as system or none;
    their scores are 0, -1, -2, ...
    """
    if not is_workbook(path):
        with paths.open_text(path, RANKING) as text:
            lines = [line.strip() for line in text if line.strip() and not line.startswith("#")]
        if not _is_of_columns(lines):
            return _between_blanks(path, lines)
    # without a header, the name of the file is that of scores
    ranks = headings.RANKS - {plain_heading(paths.stem(path))}
    found = _columns_of(path, None, (), None).items()
    columns = [(plain_heading(name), column) for name, column in found if not column.wrong]
    scored = [(name, column) for name, column in columns if name in headings.SCORES]
    scored = scored or [(name, column) for name, column in columns if name not in ranks] or columns
    if len(scored) > 1:
        seen = f"{len(scored)}: {listing(name for name, _ in scored)}"
        remedy = " A header such as run,score says which it is."
        raise paths.file_error(path, "have one column of scores", seen, remedy)
    ((name, column),) = scored
    if column.missing:
        seen = f"{column.missing}, which is no score"
        raise paths.file_error(path, "have a score of each system", seen)
    return [(system, -score if name in ranks else score) for system, score in column.scores.items()]


def _is_of_columns(lines: Sequence[str]) -> bool:
    """Whether lines are a table: JSON, Markdown, or cells between commas, semicolons or tabs.

    As many tabs in each line, and some cell is a score, or heads the systems.
    """
    is_markdown = any(map(RULE_BELOW_A_HEADER.fullmatch, lines))
    if is_markdown or (lines and lines[0][0] in "{["):
        return True
    cells = [re.split(r"[,;\t]", line) for line in lines]
    has_header = bool(cells) and any(plain_heading(cell) in headings.SYSTEMS for cell in cells[0])
    has_scores = any(is_score(cell) and not is_none(cell) for row in cells for cell in row)
    n_tabs = {line.count("\t") for line in lines}
    has_marks = len(n_tabs) == 1 and any(len(row) > 1 for row in cells)
    return has_marks and (has_header or has_scores)


def _between_blanks(path: paths.PathName, lines: list[str]) -> list[tuple[str, float]]:
    """Systems and scores of lines that end in scores or ranks, or are systems alone, best first."""
    if not lines:
        raise paths.file_error(path, "have a system on each line", "an empty file")
    first, heading = lines[0].split(), ""
    if plain_heading(first[0]) in headings.SYSTEMS and len(first) <= 2 and not is_score(first[-1]):
        heading = plain_heading(first[-1])
        lines = lines[1:]
    fields = [line.split() for line in lines]
    is_over = any(summary_rows.OVER_ALL in row[1:3] for row in fields)
    if is_over and all(len(row) == 4 for row in fields):
        seen = f"{shown(lines[0])}, with scores of topics and over all"
        raise paths.file_error(path, f"be {RANKING}", seen, HAVE_TOPICS)
    ends = [row[-1] if len(row) > 1 else "" for row in fields]
    has_score = [paths.is_number(end) and not is_none(end) for end in ends]
    if all(has_score):
        names = [line.rsplit(None, 1)[0] for line in lines]
        sign = -1.0 if heading in headings.RANKS else 1.0
        return [(name, sign * float(end)) for name, end in zip(names, ends, strict=True)]
    # names may end in a number, but not below a heading of ranks or scores
    may_be_names = all(end.isdigit() for end, has in zip(ends, has_score, strict=True) if has)
    if not may_be_names or heading in headings.RANKS | headings.SCORES:
        seen = f"{shown(lines[has_score.index(False)])}, which has no number"
        raise paths.file_error(path, "have a score on each line, or on none", seen)
    return [(line, -float(place)) for place, line in enumerate(lines)]
