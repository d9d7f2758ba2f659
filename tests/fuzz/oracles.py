"""The plain definitions of the files that are read, character by character; None where a file is not of the kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

LINE_END = re.compile("\r\n|\r|\n")
BLANKS = re.compile("[ \t\v\f]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
CONTROLS = frozenset("\0\x1c\x1d\x1e\x1f")
MISSING = frozenset({"", "na", "nan", "-nan"})
LARGEST_SCORE, LARGEST_LABEL = 3.4e38, 1_000_000


def text_of(content: bytes, never: frozenset[str] = CONTROLS) -> str | None:
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    return None if never & set(text) else text


def number(text: str) -> float | None:
    return float(text) if NUMBER.fullmatch(text) else None


def lines_of(content: bytes) -> Iterator[list[str]] | None:
    text = text_of(content)
    if text is None:
        return None
    lines = ([field for field in BLANKS.split(line) if field] for line in LINE_END.split(text))
    return (fields for fields in lines if fields)


def run(content: bytes) -> dict[str, dict[str, float]] | None:
    """Topic, Q0, document, rank, score, tag."""
    found: dict[str, dict[str, float]] = {}
    for fields in lines_of(content) or ():
        score = number(fields[4]) if len(fields) == 6 else None
        if score is None or abs(score) > LARGEST_SCORE or fields[2] in found.get(fields[0], ()):
            return None
        found.setdefault(fields[0], {})[fields[2]] = score
    return found or None


def qrels(content: bytes) -> dict[tuple[str, str, str], int] | None:
    """Topic, iteration, document, label."""
    found: dict[tuple[str, str, str], int] = {}
    for fields in lines_of(content) or ():
        if len(fields) != 4 or not WHOLE.fullmatch(fields[3]) or abs(int(fields[3])) > LARGEST_LABEL:
            return None
        topic, iteration, document, label = fields[0], fields[1], fields[2], int(fields[3])
        if found.setdefault((topic, document, iteration), label) != label:
            return None
    return found or None


def evaluation(content: bytes) -> dict[frozenset[str], float] | None:
    """{topic, measure} -> value, whichever of the two comes first; rows over all topics and missing scores left out."""
    text, found = text_of(content), {}
    for line in LINE_END.split(text or ""):
        fields = line.split("\t") if "\t" in line else [field for field in BLANKS.split(line, 2) if field]
        first, second, value = (field.strip(" \t\v\f") for field in fields) if len(fields) == 3 else ("", "", "")
        score = number(value)
        if score is not None and "all" not in (first, second):
            found[frozenset((first, second))] = score
    return found or None


def table(content: bytes) -> list[list[str]] | None:
    """Rows of CSV with commas, as RFC 4180 defines it."""
    text = text_of(content, frozenset("\0"))
    if text is None:
        return None
    rows, row, field, quoted, at = [], [], "", False, 0
    while at < len(text):
        char = text[at]
        if quoted:
            if text.startswith('""', at):
                field, at = field + '"', at + 1
            elif char == '"':
                quoted = False
            else:
                field += char
        elif char == '"' and not field:
            quoted = True
        elif char == ",":
            row, field = [*row, field], ""
        elif char in "\r\n":
            at += text.startswith("\r\n", at)
            rows, row, field = [*rows, [*row, field]], [], ""
        else:
            field += char
        at += 1
    rows += [[*row, field]] if row or field else []
    return [row for row in rows if row != [""]]
