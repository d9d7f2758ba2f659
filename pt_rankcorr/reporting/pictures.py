"""Pictures as inline SVG: the same bytes for the same results, in the ink and on the paper of the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pt_rankcorr.text import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, PAPER = "#010203", "#020304"  # colours that no picture uses: the page puts its own in their place
BLACK = "#010101"  # as it is
INK_OF = ("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color")
STYLE: dict[str, Any] = {
    "svg.hashsalt": "pt_rankcorr",
    "svg.fonttype": "path",
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "patch.edgecolor": INK,
    **dict.fromkeys(INK_OF, INK),
}
DATELESS = dict.fromkeys(("Date", "Creator", "Format", "Type"))


@dataclass(frozen=True)
class Picture:
    """An SVG, and in words what it shows."""

    svg: str
    alt: str
    caption: str


def without_pictures() -> str | None:
    """Why a page lacks its pictures, and what to do; None where they can be drawn."""
    if find_spec("matplotlib") is not None:
        return None
    return "The pictures are left out, since matplotlib is not installed: pip install matplotlib"


def picture(key: str, draw: Callable[..., object], result: Any, size: tuple[float, float], alt: str) -> Picture | None:
    """What `draw` draws of a result, of a size in inches, with ids that begin with `key`; None without matplotlib."""
    if without_pictures():
        return None
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with warnings.catch_warnings(), matplotlib.rc_context():
        warnings.simplefilter("ignore")  # of letters that the font lacks; the tables have them
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type, unused-ignore]
        figure = Figure(figsize=size, layout="constrained")
        draw(result, ax=figure.subplots())
        _use_colours_of_page(figure)
        _mark_names(figure)
        FigureCanvasSVG(figure)  # measures texts; the layout is found here, since `savefig` would draw everything twice
        figure.get_layout_engine().execute(figure)  # type: ignore[union-attr, unused-ignore]
        figure.set_layout_engine(None)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata=DATELESS)
    return Picture(_inline(buffer.getvalue(), key, size[0]), plain(alt), alt)


def _use_colours_of_page(figure: Figure) -> None:
    """Words in the ink of the page, whatever grey they were given, and nothing but its paper behind them."""
    from matplotlib.colors import to_rgb
    from matplotlib.text import Text

    on_squares = {text for ax in figure.axes if ax.images for text in ax.texts}
    for text in figure.findobj(Text):
        if text in on_squares:  # white or black, whichever can be read there; the default would be the page's ink
            text.set_color("white" if to_rgb(text.get_color())[0] > 0.5 else BLACK)
        elif len(set(to_rgb(text.get_color()))) == 1:
            text.set_color(INK)
    for ax in figure.axes:
        for text in set(ax.texts) - on_squares:  # a line behind it must not cross it out
            text.set_bbox({"facecolor": PAPER, "edgecolor": "none", "pad": 1.0})
        legend = ax.get_legend()
        if legend is not None:
            legend.get_frame().set(facecolor=PAPER, alpha=0.9)


def _mark_names(figure: Figure) -> None:
    """Gives the names beside axes and in legends ids, of which `_inline` makes attributes for the page's script."""
    for ax in figure.axes:
        legend = ax.get_legend()
        names = [*ax.get_xticklabels(), *(legend.get_texts() if legend is not None else [])]
        for kind, texts in (("row", ax.get_yticklabels()), ("name", names)):
            for text in texts:
                name = text.get_text().replace(r"\$", "$").partition(" (")[0]
                text.set_gid(f"{kind}={name.encode().hex()}")


def _inline(svg: str, key: str, width: float) -> str:
    """The SVG as an element of a page: without what the page has already, and with ids and colours of its own."""

    def attributes(match: re.Match[str]) -> str:
        name = escape(bytes.fromhex(match[2]).decode(), quote=True)
        return f'data-name="{name}"' + (' data-row=""' if match[1] == "row" else "")

    svg = svg[svg.index("<svg") :]
    for superfluous in (r"<!--.*?-->", r"<metadata>.*?</metadata>", r"<style.*?</style>"):
        svg = re.sub(superfluous, "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="(row|name)=([0-9a-f]*)"', attributes, svg)
    svg = re.sub(r'\b(id|xlink:href)="(#?)', rf'\1="\2{key}-', svg).replace("url(#", f"url(#{key}-")
    svg = svg.replace('xlink:href="', 'href="').replace(f'href="{key}-data:', 'href="data:')
    shown = f'style="--width: {width:g}in; max-width: {width:g}in" role="img" fill="currentColor"'
    svg = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', rf"<svg \1 {shown}>", svg, count=1)
    for colour, of_page in ((INK, "currentColor"), ("#000000", "currentColor"), (PAPER, "var(--paper)")):
        svg = svg.replace(colour, of_page)  # a black fill is the default, and so not written
    return re.sub(r"\n\s*", "\n", svg).strip()
