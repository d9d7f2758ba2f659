"""The base of all pictures: axes to draw on, colours, and names shown literally."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.types import Floats, Result
from pt_rankcorr.text import cut, on_one_line, shown
from pt_rankcorr.writers import escape_latex

if TYPE_CHECKING:
    from matplotlib.axes import Axes

R = TypeVar("R", bound=Result)
T = TypeVar("T")
OneOrMore: TypeAlias = Mapping[str, R] | R  # a result, or several by measure

LONGEST_AT_SQUARES = 24  # beside and below a heat map: long names leave it no room
NAMES_UP_TO = 40  # systems: more names cannot be read
# in all pictures orange is a ranking that differs, and green a system or judge that may be best
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


def axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """The axes that were given, or those of a new figure, of this size in inches."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install matplotlib") from error
    return plt.subplots(layout="constrained", figsize=size)[1]


def by_measure(results: OneOrMore[R]) -> Mapping[str, R]:
    """The results of several measures by their names; a single result as that of "this measure"."""
    if isinstance(results, Result):
        return {"this measure": results}
    if not isinstance(results, Mapping):
        seen = shown(results)
        raise TypeError(f"`results` must be a mapping of measures to results, got {seen}.")
    if not results:
        raise ValueError("`results` must have at least one measure, got none.")
    return results


def plain_text(name: object, longest: int = 40) -> str:
    """A name, cut to `longest`, that matplotlib shows as it is: no formula between dollar signs."""
    import matplotlib

    text = cut(on_one_line(str(name)), longest)
    return escape_latex(text) if matplotlib.rcParams["text.usetex"] else text.replace("$", r"\$")


def symbol(coefficient: str) -> str:
    """The symbol of a coefficient in pictures, by its name; that name if it is not registered."""
    if coefficient not in COEFFICIENTS:
        return plain_text(coefficient)
    return COEFFICIENTS[coefficient].symbol.replace("\u2009", " ")


def styles(measures: Iterable[T]) -> Iterator[tuple[T, dict[str, Any]]]:
    """A colour, line and marker for each measure: the same in all pictures of the same measures."""
    # Okabe and Ito: told apart by the colour-blind; each has a line style and marker for grey print
    colours = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", "#E69F00", "#000000")
    lines = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
    looks = cycle(zip(colours, lines, ("o", "s", "^", "D", "v", "P", "X"), strict=True))
    for measure, (colour, line, marker) in zip(measures, looks, strict=False):
        yield measure, {"color": colour, "ls": line, "marker": marker, "ms": 4}


def name_rows(ax: Axes, names: Sequence[object], **style: Any) -> None:
    """Names rows, the first on top."""
    ax.set_yticks(range(len(names)), [plain_text(name) for name in names], **style)
    ax.set_ylim(len(names) - 0.5, -0.5)


def heat_map(ax: Axes, values: Floats, label: str, *, vmax: float) -> None:
    """A square of values, (m, m), darker up to `vmax`, with a scale; a cell's centre is a rank."""
    edge = len(values) + 0.5
    style: dict[str, Any] = {"extent": (0.5, edge, edge, 0.5), "interpolation": "nearest"}
    image = ax.imshow(values, cmap="Blues", vmin=0.0, vmax=vmax, **style)
    ax.figure.colorbar(image, ax=ax, label=label, shrink=0.8)


def square(ax: Axes | None, n_systems: int) -> Axes:
    """Axes for a heat map of systems, on a new figure so large that their names do not touch."""
    side = 6.0 if n_systems > NAMES_UP_TO else 4.0 + 0.14 * n_systems
    return axes(ax, (side + 1.2, side))


def name_systems(ax: Axes, names: Sequence[str]) -> None:
    """Names systems at their ranks on both axes, best first; every tenth by rank if too many."""
    ranks, size = range(1, len(names) + 1), "medium" if len(names) <= 15 else "small"
    texts = [plain_text(name, LONGEST_AT_SQUARES) for name in names]
    if len(names) > NAMES_UP_TO:
        ranks, size = ranks[::10], "medium"
        texts = [str(rank) for rank in ranks]
    ax.set_xticks(ranks, texts, rotation=90, fontsize=size)
    ax.set_yticks(ranks, texts, fontsize=size)
    ax.set(xlabel="system, best first", ylabel="system, best first")
