"""Labels of topics, such as their clusters, from a file."""

from __future__ import annotations

from pt_rankcorr.adapters.fields import BLANKS, fields
from pt_rankcorr.adapters.files import empty_error, line_error, open_text
from pt_rankcorr.adapters.paths import PathName

LABELS = "a topic and its label on each line, separated by a tab, a comma or blanks"


def read_labels(path: PathName) -> dict[str, str]:
    """Topic -> label; a header is one topic more."""
    found: dict[str, str] = {}
    with open_text(path, LABELS) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip(BLANKS):
                continue
            separator = next((mark for mark in "\t," if mark in line), None)
            cells = line.split(separator) if separator else fields(line)
            topic, label = (cell.strip(BLANKS) for cell in cells) if len(cells) == 2 else ("", "")
            if not topic or not label or found.setdefault(topic, label) != label:
                raise line_error(path, number, line, LABELS, " A topic has one label." if topic in found else "")
    if not found:
        raise empty_error(path, LABELS)
    return found
