"""The pictures that `--plot` asks for, in files."""

from __future__ import annotations

import io
import os
import re
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from pt_rankcorr.whole_file import check_writable, refuse_inputs, write_whole

LONGEST_NAME = 100  # characters of a measure in the name of a file


def check_picture(options: Namespace) -> None:
    """Refuses a picture that cannot be drawn or written, before anything is computed."""
    if options.plot is None:
        return
    try:
        import matplotlib
    except ImportError:
        raise ImportError("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("agg")  # there may be no screen
    refuse_inputs(options.plot, inputs(options), "plot")
    check_writable(options.plot, "plot")


def inputs(options: Namespace) -> list[Any]:
    """The files, folders and patterns that a command reads."""
    given = (getattr(options, name, None) for name in options.parser.files)
    return [path for value in given for path in (value if isinstance(value, list) else [value])]


def pictures_of(options: Namespace, parts: Sequence[str]) -> dict[str, str]:
    """Part, such as a measure -> its file: that of `--plot`, or for several parts one each. No file is an input."""
    if options.plot is None or len(parts) == 1:
        return {} if options.plot is None else {parts[0]: options.plot}
    stem, kind = os.path.splitext(options.plot)
    found: dict[str, str] = {}
    for part in parts:
        path = f"{stem}-{re.sub(r'[^A-Za-z0-9@._=()-]', '_', part)[:LONGEST_NAME]}"
        while f"{path}{kind}".lower() in map(str.lower, found.values()):
            path += "_"
        found[part] = f"{path}{kind}"
        refuse_inputs(found[part], inputs(options), "plot")
    return found


def draw(path: str | None, result: Any, *, title: str | None = None, **how: Any) -> None:
    """Draws a result by its `plot` with the arguments `how`, if there is a file for it."""
    if path is None:
        return
    from matplotlib import pyplot as plt

    ax = result.plot(**how)
    figure = ax.figure
    if title is not None:
        ax.set_title(title.replace("$", r"\$"))
    picture = io.BytesIO()
    figure.savefig(picture, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
    plt.close(figure)
    write_whole(path, picture.getvalue(), "plot")
