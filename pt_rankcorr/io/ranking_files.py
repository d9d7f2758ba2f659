"""A ranking of systems in a file: a system and its score in each line, or systems alone, best first."""

from __future__ import annotations

from pt_rankcorr.io import paths
from pt_rankcorr.io.spreadsheets import Sheet, is_none, is_score, read_sheet
from pt_rankcorr.stats.core import headings
from pt_rankcorr.text import shown

RANKING = "a ranking: a system in each line, best first, or a system and its score"
RANKS = frozenset({"rank", "position", "place"})  # of which 1 is the best


def read_ranking(path: paths.PathName) -> list[tuple[str, float]]:
    """The systems of a file and their scores, in its order: as in a table of CSV, with or without a header.

    Between blanks, a system may have blanks in its name; its score is the last field. Ranks of a column that is headed
    so are negated.
    """
    with paths.open_text(path, RANKING) as text:
        lines = [line.strip() for line in text if line.strip() and not line.startswith("#")]
    has_marks = any(mark in line for line in lines for mark in ",;\t")
    if not has_marks or len({line.count("\t") for line in lines}) > 1:
        return _between_blanks(path, lines)
    sheet = read_sheet(path, RANKING)
    names, scores, header = _columns(sheet)
    body = sheet.below() if header else sheet
    systems = [str(name) for name in body.cells[names]]
    if scores is None:
        return [(name, -float(place)) for place, name in enumerate(systems)]
    heading = header[scores] if header else str(scores + 1)
    missing = [row for row, text in enumerate(body.cells[scores]) if is_none(text)]
    if missing:
        raise body.cell_error(missing[0], scores, heading)
    sign = -1.0 if headings.plain_heading(heading) in RANKS else 1.0
    return [(name, sign * score) for name, score in zip(systems, body.scores(scores, heading).tolist(), strict=True)]


def _between_blanks(path: paths.PathName, lines: list[str]) -> list[tuple[str, float]]:
    """The systems and scores of lines whose last field, after blanks, is the score; or of systems alone, best first."""
    if not lines:
        raise paths.file_error(path, "have a system on each line", "an empty file")
    first = lines[0].split()
    if headings.plain_heading(first[0]) in headings.SYSTEMS and len(first) <= 2 and not is_score(first[-1]):
        lines = lines[1:]
    fields = [line.rsplit(None, 1) for line in lines]
    numbers = [len(field) == 2 and is_score(field[1]) and not is_none(field[1]) for field in fields]
    if all(numbers):
        return [(name, paths.as_number(score)) for name, score in fields]
    if any(is_number and not field[1].isdigit() for field, is_number in zip(fields, numbers, strict=True)):
        odd = numbers.index(False)
        rule = "have a score on each line, or on none"
        raise paths.file_error(path, rule, f"{shown(lines[odd])}, which has no number")
    return [(line, -float(place)) for place, line in enumerate(lines)]


def _columns(sheet: Sheet) -> tuple[int, int | None, list[str]]:
    """Which column has the systems and which the scores, if any has, and the header, if there is one."""
    first = sheet.first
    plain = [headings.plain_heading(label) for label in first]
    has_header = len(sheet.cells) > 1 and (
        any(label in headings.SYSTEMS for label in plain)
        or (len(first) > 1 and not any(is_score(text) and not is_none(text) for text in first))
    )
    body = sheet.below() if has_header else sheet
    numeric = [column for column in range(len(first)) if body.has_scores(column)]
    named = [column for column, label in enumerate(plain) if has_header and label in headings.SYSTEMS]
    names = named or [column for column in range(len(first)) if column not in numeric] or [0]
    numeric = [column for column in numeric if column != names[0]]
    scores = [column for column in numeric if has_header and plain[column] in headings.SCORES]
    if not scores:
        measured = [column for column in numeric if not has_header or plain[column] not in RANKS]
        scores = measured or numeric
    if len(scores) > 1 or len(names) > 1:
        rule = "have one column of systems and one of scores"
        seen = f"{shown(', '.join(first))} in its first line"
        remedy = " A header such as run,score says which these are."
        raise paths.file_error(sheet.path, rule, seen, remedy)
    return names[0], scores[0] if scores else None, first if has_header else []
