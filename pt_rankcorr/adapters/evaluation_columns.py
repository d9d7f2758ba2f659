"""Printed scores as columns: from the text of an evaluation to the scores of one system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from pt_rankcorr.adapters.columns import PADDING, Bytes, Irregular, Places, Texts, fields
from pt_rankcorr.adapters.fields import as_number
from pt_rankcorr.adapters.measure_names import is_count
from pt_rankcorr.adapters.settling import LARGEST, Cube
from pt_rankcorr.stats.core.types import Floats

N_FIELDS = 3


def scores_of_text(
    data: Bytes,
    system: str,
    *,
    topic_first: Callable[[list[str], list[str]], bool | None],
    summary: str,
    none: Collection[str],
) -> Cube:
    """The scores of one system, from the padded text of an evaluation.

    Args:
        data: The text.
        system: The name of the system.
        topic_first: Whether the first field is the topic, from the distinct first and second fields; None if that
            cannot be told.
        summary: What rows over all topics have for a topic.
        none: What stands for no score, in lower case.

    Raises:
        Irregular: If a line is odd, there are no scores of topics, or a score is none or there twice.
    """
    columns = _columns(data)
    (first, firsts), (second, seconds) = columns[0].distinct(), columns[1].distinct()
    names = firsts.strings(), seconds.strings()
    topic, measure, topics, measures = first, second, *names
    found = topic_first(*names)
    if found is None:
        raise Irregular
    if not found:
        topic, measure, topics, measures = second, first, *reversed(names)
    of_topics = np.array([name != summary for name in topics])[topic]
    counts = np.array([is_count(name) for name in measures])
    ignored = sorted({measures[at] for at in np.unique(measure[of_topics]) if counts[at]})
    kept = np.flatnonzero(of_topics & ~counts[measure])
    (topic, topics), (measure, measures) = _in_use(topic[kept], topics), _in_use(measure[kept], measures)
    values = np.full((len(measures), len(topics)), np.nan)
    values[measure, topic] = numbers_of(columns[2][kept], none)
    if np.bincount(measure * len(topics) + topic, minlength=1).max() != 1:
        raise Irregular
    return Cube(values[:, :, np.newaxis], tuple(measures), tuple(topics), (system,), "paths", tuple(ignored))


def _columns(data: Bytes) -> list[Texts]:
    blocks = [[(texts.start, texts.length) for texts in block] for block in fields(data, N_FIELDS, range(N_FIELDS))]
    columns = [Texts(data, *map(np.concatenate, zip(*column, strict=True))) for column in zip(*blocks, strict=True)]
    if not columns:
        raise Irregular
    n_tabs = np.count_nonzero(data[:-PADDING] == ord("\t"))
    between = [data[column.start - 1] == ord("\t") for column in columns[1:]] if n_tabs else []
    if n_tabs and (n_tabs != (N_FIELDS - 1) * len(columns[0]) or not np.all(between)):
        raise Irregular  # with tabs, names may hold blanks
    return columns


def _in_use(codes: Places, names: Sequence[str]) -> tuple[Places, list[str]]:
    """Codes of those names that are used, by first appearance, and these names."""
    used, first = np.unique(codes, return_index=True)
    used = used[np.argsort(first)]
    new = np.zeros(len(names), dtype=np.int64)
    new[used] = np.arange(len(used))
    return new[codes], [names[at] for at in used]


def numbers_of(texts: Texts, none: Collection[str]) -> Floats:
    """The scores that texts say; nan for those that stand for none. Irregular if one is no score, or too large."""
    values, _, exact = texts.floats()
    odd = np.flatnonzero(~exact)
    values[odd] = [np.nan if text.lower() in none else _number(text) for text in texts[odd].strings()]
    if (np.abs(values) > LARGEST).any():
        raise Irregular
    return values


def _number(text: str) -> float:
    try:
        number = as_number(text)
    except ValueError:
        raise Irregular from None
    if number != number:  # another spelling of nan
        raise Irregular
    return number
