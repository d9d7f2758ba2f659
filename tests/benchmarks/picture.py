"""The growth curves as a picture: a row a family of statistics, time on the left, memory on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.benchmarks.growth import TOO_SMALL, Curve
from tests.benchmarks.growth_cases import CASES

# Okabe and Ito's colours, which people who confuse red and green can tell apart; markers tell them apart in grey
STYLES = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
    ("#000000", "X"),
)
PANELS = [(quantity, axis) for quantity in ("seconds", "memory") for axis in ("m", "n", "B")]
LABELS = {"m": "systems (top row: items)", "n": "topics", "B": "resamples"}
TITLES = {"seconds": "CPU seconds", "memory": "peak memory, MiB"}
UNITS = {"seconds": 1.0, "memory": 2.0**20}


def draw(curves: Sequence[Curve], path: str) -> None:
    """Log-log, sizes as far as time and memory allowed; a family is drawn if it has curves."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    families = list(dict.fromkeys(CASES[name].family for name in CASES if any(curve.name == name for curve in curves)))
    with mpl.rc_context({"font.size": 9, "svg.hashsalt": "growth"}):
        figure = Figure(figsize=(17, 2.3 * len(families) + 0.6), layout="constrained")
        grid = figure.subplots(len(families), len(PANELS) + 1, squeeze=False, width_ratios=[*[1] * len(PANELS), 0.9])
        for axes, family in zip(grid, families, strict=True):
            of_family = [curve for curve in curves if curve.family == family]
            _draw_family(axes, family, of_family)
        for ax, (quantity, axis) in zip(grid[0], PANELS, strict=False):
            ax.set_title(f"{TITLES[quantity]}\nby {LABELS[axis]}", fontsize=9)
        figure.suptitle("One call of each statistic; a hollow mark is the last size before time or memory was up")
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.endswith(".svg") else None)


def _draw_family(axes: Sequence[Any], family: str, curves: Sequence[Curve]) -> None:
    names = [name for name, case in CASES.items() if case.family == family]
    for ax, (quantity, axis) in zip(axes, PANELS, strict=False):
        drawn = [curve for curve in curves if ("m" if curve.axis == "items" else curve.axis) == axis]
        for curve in drawn:
            _draw_curve(ax, curve, quantity, names.index(curve.name))
        _arrange(ax, quantity, bool(drawn))
    axes[-1].axis("off")
    handles = [_line(number, name) for number, name in enumerate(names)]
    axes[-1].legend(handles=handles, loc="center left", frameon=False, title=family, alignment="left", fontsize=8.5)


def _draw_curve(ax: Any, curve: Curve, quantity: str, number: int) -> None:
    sizes, values = curve.series(quantity)
    scaled = [max(value, TOO_SMALL if quantity == "memory" else 0.0) / UNITS[quantity] for value in values]
    ax.plot(sizes, scaled, **_style(number))
    if sizes and any(point.failure for point in curve.points.values()):
        ax.plot(sizes[-1], scaled[-1], **_style(number) | {"markerfacecolor": "white", "markersize": 7})


def _style(number: int) -> dict[str, Any]:
    color, marker = STYLES[number % len(STYLES)]
    return {
        "color": color,
        "marker": marker,
        "linestyle": "-" if number < len(STYLES) else "--",
        "markersize": 4.5,
        "linewidth": 1.2,
    }


def _line(number: int, name: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **_style(number))


def _arrange(ax: Any, quantity: str, used: bool) -> None:
    if not used:
        ax.axis("off")
        return
    ax.set(xscale="log", yscale="log")
    ax.set_ylim(*((1e-5, 10) if quantity == "seconds" else (0.8, 3000)))
    ax.grid(alpha=0.3, linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
