"""The size of a text in a picture, measured without drawing one."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


@cache
def _canvas() -> Any:
    canvas = FigureCanvasAgg(Figure())
    return canvas.figure.text(0.5, 0.5, ""), canvas.get_renderer()


def size_of(text: str) -> tuple[float, float]:
    """Width and height in pixels."""
    shown, renderer = _canvas()
    shown.set_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that the font lacks
        box = shown.get_window_extent(renderer)
    return float(box.width), float(box.height)
