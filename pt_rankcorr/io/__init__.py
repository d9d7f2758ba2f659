"""How scores come in: every reader ends in `align.align`. Formats of leaderboards are listed here, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from pt_rankcorr.io.json_lines import has_keys, rows_of_json

Line: TypeAlias = tuple[int, str]  # its number, and its text
Row: TypeAlias = tuple[int, list[str]]  # the number of its line; the run, topic, measure and score in it


class Format(NamedTuple):
    """What `read_leaderboard` reads under a name.

    Attributes:
        reads: What each column between tabs or blanks holds, "" where it is not read. Or a function of a path and its
            numbered lines that gives rows.
        begins: Whether the first line with something in it, without blanks around it, is of this format alone; without
            it a file of columns is told by their number, and another format by its name alone.
    """

    reads: Sequence[str] | Callable[[str, Iterable[Line]], Iterable[Row]]
    begins: Callable[[str], bool] | None = None


FORMATS: Mapping[str, Format] = {
    "trec_eval": Format(("measure", "qid", "value")),
    "tot": Format(("name", "measure", "qid", "value")),
    "ir_measures": Format(("name", "qid", "measure", "value")),
    "ranking": Format(("qid", "", "name", "", "value", "measure")),
    "jsonl": Format(rows_of_json, begins=lambda line: has_keys(line, "run_id")),
}
