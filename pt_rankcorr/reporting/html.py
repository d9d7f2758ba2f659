"""A report as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from functools import cache
from html import escape as html_escape
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pt_rankcorr.reporting.document import Bar, Cell, Document, Picture
from pt_rankcorr.reporting.pictures import without_pictures
from pt_rankcorr.stats.core.means import SIGNIFICANT_DIGITS
from pt_rankcorr.text import plain, visible_lines

SCRIPTS = ("sort.js", "point.js")
BREAKS = re.compile(r"([_./@+-]+)(?=\w)")  # after these a long name may go on in the next line
UNBROKEN = 22  # characters of a name that stays on one line
WITH_SUBSCRIPTS = {
    "τ\u2009AP": Markup("τ<sub>AP</sub>"),
    "τ\u2009GAP": Markup("τ<sub>GAP</sub>"),
    "d\u2009rank": Markup("<i>d</i><sub>rank</sub>"),
}


def html(document: Document) -> str:
    """The whole page, in which no name acts: neither on the page nor on the direction of its text."""
    style, script = Markup(_source("style.css")), Markup("\n".join(map(_source, SCRIPTS)))
    # what allows this script, and no other, to run in the page
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    template = _environment().get_template("report.html.j2")
    return visible_lines(
        template.render(document=document, style=style, script=script, hash=digest, without_pictures=without_pictures())
    )


def in_frame(page: str) -> str:
    """The page in a frame of its own, so that neither a notebook's style nor the page's reaches the other."""
    return (
        f'<iframe srcdoc="{html_escape(page)}" sandbox="allow-scripts" title="report" loading="lazy" '
        'style="width: 100%; height: 42rem; border: 1px solid #8888; border-radius: 6px"></iframe>'
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pt_rankcorr.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"subscripts": subscripts, "plain": plain, "breaks": breaks}
    environment.filters |= {"key": sort_key, "bar": bar, "svg": svg}
    environment.tests["kind"] = lambda block, kind: type(block).__name__ == kind
    return environment


def _source(name: str) -> str:
    return (files("pt_rankcorr.reporting") / "templates" / name).read_text(encoding="utf-8").strip()


def subscripts(text: str) -> Markup:
    """A text, escaped, with the names of statistics as they are printed."""
    shown = breaks(text)
    for token, markup in WITH_SUBSCRIPTS.items():
        shown = shown.replace(token, markup)
    return shown


def breaks(text: str) -> Markup:
    """A text whose long words may be broken after punctuation, and only there."""
    words = (str(escape(word)) if len(word) <= UNBROKEN else _broken(word) for word in text.split(" "))
    return Markup(" ".join(words))


def _broken(word: str) -> str:
    return str(Markup("<wbr>").join(escape(part) for part in BREAKS.sub("\\1\0", word).split("\0")))


def svg(picture: Picture) -> Markup:
    """A picture, with what it shows in words for those who do not see it."""
    return Markup(picture.svg.replace('role="img"', f'role="img" aria-label="{escape(plain(picture.alt))}"', 1))


def sort_key(cell: Cell) -> str:
    """What a column is sorted by, as exactly as systems are ranked; empty for nan, which comes last."""
    if isinstance(cell.value, str):
        return cell.value
    return "" if math.isnan(cell.value) else f"{cell.value:.{SIGNIFICANT_DIGITS}g}"


def bar(shown: Bar) -> Markup:
    """A line from the best to the worst rank of an interval, and a dot at the rank."""
    unit = 100.0 / shown.n_systems
    left, right, dot = (shown.low - 1) * unit, shown.high * unit, (shown.rank - 0.5) * unit
    return Markup(
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="band" x="{:.2f}" y="2" width="{:.2f}" height="4" rx="1"/>'
        '<rect class="dot" x="{:.2f}" y="0" width="1.6" height="8"/></svg>'
    ).format(left, right - left, dot - 0.8)
