"""Labels of topics, such as their clusters, or of runs, such as their teams, from a file."""

from __future__ import annotations

from pt_rankcorr.io.fields import BLANKS, fields
from pt_rankcorr.io.files import empty_error, line_error, open_text
from pt_rankcorr.io.paths import PathName

LABELS = "a file with a %s and its label per line, separated by a tab, a comma or blanks"


def read_labels(path: PathName, of: str = "topic") -> dict[str, str]:
    """Topic, or run -> its label; a header is read as another topic."""
    found: dict[str, str] = {}
    expected = LABELS % of
    with open_text(path, expected) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip(BLANKS):
                continue
            separator = next((mark for mark in "\t," if mark in line), None)
            cells = line.split(separator) if separator else fields(line)
            topic, label = (cell.strip(BLANKS) for cell in cells) if len(cells) == 2 else ("", "")
            if not topic or not label or found.setdefault(topic, label) != label:
                raise line_error(
                    path, number, line, expected, f" Each {of} must have one label." if topic in found else ""
                )
    if not found:
        raise empty_error(path, expected)
    return found
