"""Labels of topics, such as their clusters, in all forms in which callers may give them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from pt_rankcorr.stats.core.arguments import list_of, listing
from pt_rankcorr.stats.core.frames import is_series, names_of_series
from pt_rankcorr.stats.core.matching import as_text
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown


def labels_of_topics(given: object, topics: Sequence[str], parameter: str) -> Labels | None:
    """One label a topic.

    Args:
        given: A mapping or series of topics to labels, where there may be more topics; labels in the order of the
            topics; or a regular expression, which finds the label at the start of the topic: its first group, if it
            has one, or all that it matches.
        topics: The names of the topics.
        parameter: The caller's argument.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return tuple(_matches(given, topics, parameter))
    if is_series(given):
        names, labels = names_of_series(given, parameter, "topics"), list(cast(Sequence[object], given))
        given = dict(zip(names.labels, labels, strict=True)) if names.given else labels
    if isinstance(given, Mapping):
        by_name = {as_text(topic, parameter): label for topic, label in given.items()}
        absent = [topic for topic in topics if topic not in by_name]
        if absent:
            raise ValueError(f"`{parameter}` must have a label for each topic, got none for {listing(absent)}.")
        given = [by_name[topic] for topic in topics]
    labels = list_of(parameter, given, "labels")
    if len(labels) != len(topics):
        raise ValueError(f"`{parameter}` must have one label for each of {len(topics)} topics, got {len(labels)}.")
    return tuple(as_text(label, parameter) for label in labels)


def _matches(pattern: str, topics: Sequence[str], parameter: str) -> list[str]:
    try:
        found = {topic: re.match(pattern, topic) for topic in topics}
    except re.error as error:
        raise ValueError(f"`{parameter}` must be a regular expression, got {shown(pattern)} ({error}).") from None
    groups = {topic: match and match[min(1, match.re.groups)] for topic, match in found.items()}
    absent = [topic for topic, label in groups.items() if not label]
    if absent:
        raise ValueError(f"`{parameter}` must match each topic, got no match of {shown(pattern)} in {listing(absent)}.")
    return [str(groups[topic]) for topic in topics]
