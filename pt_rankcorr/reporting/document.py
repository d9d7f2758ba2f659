"""A report as blocks of text, tables and pictures, and its forms: HTML, LaTeX and Markdown."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import jinja2
from markupsafe import Markup

from pt_rankcorr import writers
from pt_rankcorr.tables import Table
from pt_rankcorr.text import plain, visible_lines
from pt_rankcorr.warnings import ignoring_missing_letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Points:
    """A list of sentences; `warning` for what a reader must know before trusting a figure."""

    texts: tuple[str, ...]
    warning: bool = False


@dataclass(frozen=True)
class Verbatim:
    """Lines to copy as they are."""

    text: str


@dataclass(frozen=True)
class Picture:
    """An SVG, and in words what it shows."""

    svg: str
    alt: str


# a mapping has terms, and what to say of each
Text: TypeAlias = str | Points | dict[str, str] | Table | Verbatim
Block: TypeAlias = Text | Picture | None  # None is left out, such as a picture that cannot be drawn


@dataclass(frozen=True)
class Section:
    """A heading, and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2

    @property
    def texts(self) -> list[Text]:
        """The blocks but for pictures, which LaTeX and Markdown leave out."""
        return [block for block in self.blocks if not isinstance(block, Picture | None)]


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    summary: str
    sections: tuple[Section, ...]


def resource(name: str) -> str:
    """A file of the folder `templates`."""
    return (files("pt_rankcorr.reporting") / "templates" / name).read_text(encoding="utf-8").strip()


# --- HTML -----------------------------------------------------------------------------------------


def html(document: Document) -> str:
    """One self-contained page. Names are escaped, also marks in them that turn text around."""

    def table_of(block: Table, caption: str) -> Markup:
        return Markup(writers.html_table(block.grid(), f' aria-labelledby="{caption}"'))

    def picture_of(block: Picture) -> Markup:
        role = f'role="img" aria-label="{Markup.escape(plain(block.alt))}"'
        return Markup(block.svg.replace('role="img"', role, 1))

    script = f"{resource('sort.js')}\n{resource('point.js')}"
    template = jinja2.Template(
        resource("report.html.j2"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = template.render(
        document=document,
        style=Markup(resource("style.css")),
        script=Markup(script),
        # what allows this script, and no other, to run in the page
        hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        without_pictures=without_pictures(),
        subscripts=lambda text: Markup(writers.escape_html(text)),
        table=table_of,
        picture=picture_of,
    )
    return f"{visible_lines(page)}\n"


def in_frame(page: str) -> str:
    """The page in a frame, so that neither a notebook's style nor the page's reaches the other."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="report" loading="lazy" '
        'style="width: 100%; height: 42rem; border: 1px solid #8888; border-radius: 6px"></iframe>'
    )


# --- LaTeX ----------------------------------------------------------------------------------------


def latex(document: Document) -> str:
    """Text and tables to be input into a document, with booktabs and adjustbox."""
    parts = [r"\begingroup\sloppy"]
    for section in document.sections:
        parts.append(rf"\{'sub' * (section.level - 2)}section{{{writers.flowing(section.title)}}}")
        parts += map(_block_in_latex, section.texts)
    source = "\n\n".join([*parts, r"\endgroup"])
    return writers.with_packages(f"\n{source}\n")


def _block_in_latex(block: Text) -> str:
    """The LaTeX source of one block; lines to copy are broken at 78 characters."""
    flowing = writers.flowing
    if isinstance(block, Table):
        return writers.as_latex(block.grid())
    if isinstance(block, Points):
        items = [rf"\item {flowing(text)}" for text in block.texts]
        return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
    if isinstance(block, dict):
        items = [rf"\item[{flowing(term)}] {flowing(text)}" for term, text in block.items()]
        return "\n".join([r"\begin{description}", *items, r"\end{description}"])
    if isinstance(block, Verbatim):
        lines = []
        for line in block.text.split("\n"):
            parts = textwrap.wrap(line, 78, subsequent_indent="    ", break_on_hyphens=False)
            lines += parts or [""]
        return "\n".join([r"{\footnotesize", r"\begin{verbatim}", *lines, r"\end{verbatim}", "}"])
    return flowing(block)


# --- Markdown -------------------------------------------------------------------------------------


def markdown(document: Document) -> str:
    """Text and tables as GitHub and notebooks show them."""
    escaped = writers.escape_markdown
    parts = [f"# {escaped(document.title)}", escaped(document.summary)]
    for section in document.sections:
        parts.append(f"{'#' * section.level} {escaped(section.title)}")
        parts += map(_block_in_markdown, section.texts)
    return "\n\n".join(parts) + "\n"


def _block_in_markdown(block: Text) -> str:
    """One block in Markdown; the only lines to copy are entries of BibTeX."""
    escaped = writers.escape_markdown
    if isinstance(block, Table):
        return block.to_markdown()
    if isinstance(block, Points):
        warning = "**Do not trust blindly:** " if block.warning else ""
        return "\n".join(f"- {warning}{escaped(text)}" for text in block.texts)
    if isinstance(block, dict):
        return "\n".join(f"- **{escaped(term)}:** {escaped(text)}" for term, text in block.items())
    if isinstance(block, Verbatim):
        return f"```bibtex\n{block.text}\n```"
    return escaped(block)


# --- pictures: the same bytes for the same results, in the ink and on the paper of the page -------

# a colour that no picture uses: the page puts its own in its place, and its ink in that of black
PAPER = "#020304"
_drawing = Lock()  # one picture at a time: settings of matplotlib are those of the whole process


def without_pictures() -> str | None:
    """Why a page lacks its pictures, and what to do; None where they can be drawn."""
    if find_spec("matplotlib") is not None:
        return None
    return "The pictures are left out, since matplotlib is not installed: pip install matplotlib"


def picture(
    key: str, draw: Callable[..., object], result: Any, size: tuple[float, float], alt: str
) -> Picture | None:
    """The SVG that a function of `pt_rankcorr.plots` draws of a result; None without matplotlib.

    Ids in it begin with `key`, for several on a page; `size` is in inches; `alt` describes it.
    """
    if without_pictures():
        return None
    from matplotlib import style
    from matplotlib.figure import Figure

    settings: dict[str, Any] = {
        "svg.hashsalt": "pt_rankcorr",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with _drawing, ignoring_missing_letters(), style.context(settings, after_reset=True):
        figure = Figure(figsize=size, layout="constrained")
        draw(result, ax=figure.subplots())
        _use_colours_of_page(figure)
        _mark_names(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True)
    return Picture(_inline(buffer.getvalue(), key, size[0]), alt)


def _use_colours_of_page(figure: Figure) -> None:
    """Gives texts the ink of the page, and what is behind them its paper: a page may be dark."""
    from matplotlib.colors import to_rgb
    from matplotlib.text import Text

    # numbers in a heat map: white or black, whichever can be read; #000000 would be the page's ink
    on_squares = {text for ax in figure.axes if ax.images for text in ax.texts}
    for text in figure.findobj(Text):
        if text in on_squares:
            text.set_color("white" if to_rgb(text.get_color())[0] > 0.5 else "#010101")
        elif len(set(to_rgb(text.get_color()))) == 1:
            text.set_color("black")
    for ax in figure.axes:
        for text in set(ax.texts) - on_squares:  # a line behind it must not cross it out
            text.set_bbox({"facecolor": PAPER, "edgecolor": "none", "pad": 1.0})
        legend = ax.get_legend()
        if legend is not None:
            legend.get_frame().set(facecolor=PAPER, alpha=0.9)


def _mark_names(figure: Figure) -> None:
    """Gives names beside axes and in legends ids, of which `_inline` makes attributes."""
    for ax in figure.axes:
        legend = ax.get_legend()
        names = [*ax.get_xticklabels(), *(legend.get_texts() if legend is not None else [])]
        for kind, texts in (("row", ax.get_yticklabels()), ("name", names)):
            for text in texts:
                name = text.get_text().replace(r"\$", "$").partition(" (")[0]
                text.set_gid(f"{kind}={name.encode().hex()}")


def _inline(svg: str, key: str, width: float) -> str:
    """The SVG as an element of a page: without what a page has already, and with its own ids."""

    def attributes(match: re.Match[str]) -> str:  # in place of the ids of `_mark_names`
        name = escape(bytes.fromhex(match[2]).decode(), quote=True)
        return f'data-name="{name}"' + (' data-row=""' if match[1] == "row" else "")

    svg = svg[svg.index("<svg") :]
    for superfluous in (r"<!--.*?-->", r"<metadata>.*?</metadata>", r"<style.*?</style>"):
        svg = re.sub(superfluous, "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="(row|name)=([0-9a-f]*)"', attributes, svg)
    svg = re.sub(r'\b(id|xlink:href)="(#?)', rf'\1="\2{key}-', svg).replace("url(#", f"url(#{key}-")
    svg = svg.replace('xlink:href="', 'href="').replace(f'href="{key}-data:', 'href="data:')
    shown = f'style="max-width: {width:g}in" role="img" fill="currentColor"'
    svg = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', rf"<svg \1 {shown}>", svg, count=1)
    # a black fill is not written
    svg = svg.replace("#000000", "currentColor").replace(PAPER, "var(--paper)")
    return re.sub(r"\n\s*", "\n", svg).strip()
