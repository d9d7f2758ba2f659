"""The pictures that `--plot` asks for, in files."""

from __future__ import annotations

import io
import os
import re
from argparse import Namespace
from typing import Any

from pt_rankcorr.whole_file import check_writable, refuse_inputs, write_whole

INPUTS = ("experiment", "trec_eval", "scores", "leaderboard", "runs", "qrels", "against", "groups", "judges", "resume")


def check_picture(options: Namespace) -> None:
    """Refuses a picture that cannot be drawn or written, before anything is computed."""
    if options.plot is None:
        return
    import matplotlib

    matplotlib.use("agg")  # there may be no screen
    refuse_inputs(options.plot, inputs(options), "plot")
    check_writable(options.plot, "plot")


def inputs(options: Namespace) -> list[Any]:
    """The files, folders and patterns that a command reads."""
    names = (
        "experiment",
        "trec_eval",
        "scores",
        "leaderboard",
        "runs",
        "qrels",
        "against",
        "groups",
        "judges",
        "resume",
    )
    given = (getattr(options, name, None) for name in names)
    return [path for value in given for path in (value if isinstance(value, list) else [value])]


def draw(options: Namespace, result: Any, part: str | None = None, *, title: str | None = None, **how: Any) -> None:
    """Draws a result, if `--plot` asks for it.

    Args:
        options: Of the command.
        result: Anything with a method `plot`.
        part: What it is about, where there are several pictures: it goes into the name of the file.
        title: Stands above the picture.
        how: Further arguments of its `plot`.
    """
    if options.plot is None:
        return
    from matplotlib import pyplot as plt

    ax = result.plot(**how)
    figure = ax.get_figure(root=True)
    if title is not None:
        ax.set_title(title.replace("$", r"\$"))
    path, kind = os.path.splitext(options.plot)
    if part is not None:
        path += f"-{re.sub(r'[^A-Za-z0-9@._=()-]', '_', part)}"
    picture = io.BytesIO()
    figure.savefig(picture, format=kind[1:].lower(), dpi=150)
    plt.close(figure)
    write_whole(path + kind, picture.getvalue(), "plot")
