"""A report as one self-contained HTML page."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape as html_escape
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pt_rankcorr.reporting.document import Document, Picture
from pt_rankcorr.reporting.pictures import without_pictures
from pt_rankcorr.tables import Table
from pt_rankcorr.text import plain, visible_lines
from pt_rankcorr.writers import escape_html, html_table

SCRIPTS = ("sort.js", "point.js")


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
    environment.filters |= {"subscripts": subscripts, "table": table, "svg": svg}
    environment.tests["kind"] = lambda block, kind: type(block).__name__ == kind
    return environment


def _source(name: str) -> str:
    return (files("pt_rankcorr.reporting") / "templates" / name).read_text(encoding="utf-8").strip()


def subscripts(text: str) -> Markup:
    """A text, escaped, with the names of statistics as they are printed."""
    return Markup(escape_html(text))


def table(shown: Table, caption: str) -> Markup:
    """The table that the element with this id describes."""
    return Markup(html_table(shown.grid(), f' aria-labelledby="{caption}"'))


def svg(picture: Picture) -> Markup:
    """A picture, with what it shows in words for those who do not see it."""
    return Markup(picture.svg.replace('role="img"', f'role="img" aria-label="{escape(plain(picture.alt))}"', 1))
