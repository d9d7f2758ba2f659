"""How scores come in: every reader ends in `align.align`. Formats of leaderboards are listed here, a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Format(NamedTuple):
    """What `read_leaderboard` reads under a name.

    Attributes:
        reads: What each column between tabs or blanks holds, "" where it is not read. Or "file:function" of this
            folder, which is loaded on use: from a path and its numbered lines to rows, which are the number of a line,
            and the run, topic, measure and score in it, as text.
        help: What the command line says of an option of this name, which names files in this format; without it there
            is none.
    """

    reads: Sequence[str]
    help: str = ""


FORMATS: Mapping[str, Format] = {
    "trec_eval": Format(("measure", "qid", "value")),
    "tot": Format(("name", "measure", "qid", "value")),
    "ir_measures": Format(("name", "qid", "measure", "value")),
    "ranking": Format(("qid", "", "name", "", "value", "measure")),
    "jsonl": Format("leaderboards:rows_of_json"),
}
