"""What headings and names of rows say, by one rule for frames and files: which column names the topics, and which rows
are over all topics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import AggregateMismatchWarning, warn

TOPIC_COLUMNS = frozenset(
    {"topic", "topicid", "topicno", "qid", "query", "queryid", "id", "q", "num", "number", "index"}
)
UNNAMED = frozenset({"", "unnamed:0"})  # of an index as CSV, and as pandas reads it again
SYSTEM_COLUMNS = frozenset({"name", "run", "runid", "system"})
OVER_ALL = "all"  # what tools call the row over all topics, the last
SUMMARIES = frozenset({OVER_ALL, "mean", "amean", "average", "avg"})  # the second as `all` by other hands
IGNORED = str.maketrans("", "", " _-")  # in names of columns
MOST_DECIMALS = 8  # that are taken for rounding
EXACT = 1e-9  # by which a mean may differ that nobody rounded


def plain_heading(label: object) -> str:
    """The name of a column as others may have spelt it: in small letters, without blanks, underscores and hyphens."""
    return label.lower().translate(IGNORED) if isinstance(label, str) else ""


def topic_column(
    headings: Sequence[object], counts_rows: Callable[[int], bool], parameter: str
) -> tuple[int | None, int | None]:
    """Where the topics are in a table of one row a topic, and a column without a name that only counts the rows.

    Args:
        headings: The names of the columns.
        counts_rows: Whether a column holds 0, 1, 2, ...
        parameter: The caller's argument, or the file, for messages.

    Returns:
        The column that is headed as topics, wherever it stands, or else a first one without a name; and one that is
        neither topics nor a system; None where there is none.

    Raises:
        ValueError: If two columns may name the topics.
    """
    named = [place for place, label in enumerate(headings) if plain_heading(label) in TOPIC_COLUMNS]
    unnamed = bool(headings) and isinstance(headings[0], str) and plain_heading(headings[0]) in UNNAMED
    if not named:
        return (0 if unnamed else None), None
    is_counter = unnamed and counts_rows(0)
    if len(named) > 1 or (unnamed and not is_counter):
        columns = listing([headings[0]] * unnamed + [headings[place] for place in named])
        raise ValueError(f"{parameter} must have one column that names its topics, got {columns}.")
    return named[0], 0 if is_counter else None


def over_all(topics: Iterable[object]) -> NDArray[np.bool_]:
    """Which rows are not of a topic, but over all of them."""
    return np.array([str(topic).strip().lower() in SUMMARIES for topic in topics], dtype=bool)


def warn_of_summaries(names: Collection[object], given: Floats, scores: Floats, columns: Sequence[str]) -> None:
    """Warns of rows over all topics, which are left out, if they are not the means, however these were rounded.

    Rows of other names than "all", which tools write, cause a warning anyway.

    Args:
        names: The names of these rows.
        given: What they say, one number a column; nan where they do not.
        scores: The scores of topics, shape (n_topics, n_columns).
        columns: What each column holds, for messages.
    """
    said = np.flatnonzero(~(np.isnan(given) | np.isnan(scores).any(axis=0)))
    off = np.abs(given - scores.mean(axis=0))[said]
    off = np.minimum(off, np.abs(given / max(len(scores), 1) - scores.mean(axis=0))[said])  # counts are summed
    allowed = _rounding(given[said]) + _rounding(scores[:, said]) + EXACT * (1 + np.abs(scores[:, said]).max(initial=0))
    wrong = said[off > allowed]
    if len(wrong):
        warn(
            f"{len(wrong)} of {len(said)} scores over all topics are not the mean over topics "
            f"({listing(columns[at] for at in wrong)}). They are not used. Were they computed over other topics?",
            AggregateMismatchWarning,
        )
    elif others := {shown(str(name)) for name in names if str(name) != OVER_ALL}:
        warn(f"Rows over all topics are left out: {', '.join(sorted(others))}.", AggregateMismatchWarning)


def _rounding(numbers: Floats) -> float:
    """Half of a unit of the last decimal: by how much numbers may have been rounded."""
    fits = (
        places for places in range(1, MOST_DECIMALS) if np.abs(numbers.round(places) - numbers).max(initial=0) < 1e-12
    )
    return 0.5 * 10.0 ** -next(fits, 99)
