"""JSON lines: leaderboards with one object a score, and what other files of JSON are read by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

KEYS = ("run_id", "topic_id", "measure", "value")  # of a score in a leaderboard


def has_keys(line: str, *keys: str) -> bool:
    """Whether a line begins an object of JSON and has these keys: by these, a format of JSON is recognised."""
    return line.startswith("{") and all(f'"{key}"' in line for key in keys)


def parsed(text: str) -> Any:
    """What a text in JSON holds; a ValueError if it is none, or an object has a key twice."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def rows_of_json(path: str, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """The rows of a leaderboard with one score a line; a row has the run, topic, measure and score as texts."""
    from pt_rankcorr.io.paths import line_error  # on use: the command line loads the list of formats for its help

    for number, line in lines:
        try:
            score = parsed(line)
            values = [score[key] for key in KEYS]
            texts = [*values[:3], "" if values[3] is None else values[3]]
            if any(isinstance(text, bool) or not isinstance(text, (str, int, float)) for text in texts):
                raise TypeError("no name or number")
        except (ValueError, TypeError, KeyError):
            rule = f"lines of JSON objects with {', '.join(KEYS)}, each once"
            raise line_error(path, number, line, rule) from None
        yield number, list(map(str, texts))
