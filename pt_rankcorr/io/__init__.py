"""How scores come in: every reader ends in `align.align`. Formats of leaderboards are listed here, a line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Format(NamedTuple):
    """What `read_leaderboard` reads under a name.

    Attributes:
        reads: What each column between tabs or blanks holds, "" where it is not read. Or "file:function" of this
            folder, which is loaded on use: from a path and its numbered lines to rows, which are the number of a line,
            and the run, topic, measure and score in it, as text.
        begins: Whether the first line with something in it, without blanks around it, is of this format alone; without
            it a file of columns is told by their number, and another format by its name alone.
    """

    reads: Sequence[str]
    begins: Callable[[str], bool] | None = None


FORMATS: Mapping[str, Format] = {
    "trec_eval": Format(("measure", "qid", "value")),
    "tot": Format(("name", "measure", "qid", "value")),
    "ir_measures": Format(("name", "qid", "measure", "value")),
    "ranking": Format(("qid", "", "name", "", "value", "measure")),
    "jsonl": Format("leaderboard_files:rows_of_json", begins=lambda line: line.startswith("{")),
}
