"""The pictures that commands write."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.whole_file import refuse_inputs, write_whole

LONGEST_NAME = 100  # characters of a measure in the name of a file


def pictures_of(plot: str, measures: Sequence[str], inputs: Sequence[object]) -> dict[str, str]:
    """Measure -> its file: that of `--plot`, or one of several, none of which is an input."""
    if len(measures) == 1:
        return {measures[0]: plot}
    stem, kind = os.path.splitext(plot)
    found: dict[str, str] = {}
    for measure in measures:
        path = f"{stem}-{re.sub(r'[^A-Za-z0-9@._=()-]', '_', measure)[:LONGEST_NAME]}"
        while f"{path}{kind}".lower() in map(str.lower, found.values()):
            path += "_"
        found[measure] = f"{path}{kind}"
        refuse_inputs(found[measure], inputs, "plot")
    return found


def draw(found: Any, best: Any, path: str, measure: str) -> None:
    """Draws rank intervals into a file."""
    import matplotlib

    matplotlib.use("agg")  # there may be no screen
    from matplotlib import pyplot as plt

    ax: Any = ptr.plots.draw_rank_intervals(found, best=best)
    ax.set_title(measure.replace("$", r"\$"))
    picture = io.BytesIO()
    ax.figure.savefig(picture, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
    plt.close(ax.figure)
    write_whole(path, picture.getvalue(), "plot")
