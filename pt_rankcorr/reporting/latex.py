"""A report as LaTeX: text and tables (booktabs, longtable), to be input into a document."""

from __future__ import annotations

import re
from unicodedata import normalize

from pt_rankcorr.reporting.document import Block, Cell, Document, Facts, Paragraph, Points, Section, Table, Verbatim
from pt_rankcorr.stats._text import visible

HEADER = "% needs \\usepackage[T1]{fontenc}, \\usepackage{booktabs} and \\usepackage{longtable}"
ESCAPES = {
    "\\": r"\textbackslash{}",
    "τ\u2009AP": r"$\tau_{\mathrm{AP}}$",
    "τ\u2009GAP": r"$\tau_{\mathrm{GAP}}$",
    "d\u2009rank": r"$d_{\mathrm{rank}}$",
    **{character: f"\\{character}" for character in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "--": "{-}{-}",  # no dash, as no other two of these are what T1 makes of them
    "''": "{'}{'}",
    ",,": "{,}{,}",
    "τ": r"$\tau$",
    "α": r"$\alpha$",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "{--}",
    "—": "{---}",
    "\u00a0": "~",
    "…": r"\ldots{}",
    "×": r"$\times$",
}
BLANKS = re.compile(r"[\t\n\r]")
OF_T1 = frozenset(  # the letters beyond ASCII of the encoding T1
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ¡¿§£"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
)
HEADINGS = {2: "section", 3: "subsection"}


def latex(document: Document) -> str:
    """The whole report, pictures left out."""
    parts = [HEADER, *(_section(section) for section in document.sections)]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text that LaTeX shows as it is."""
    text = visible(normalize("NFC", BLANKS.sub(" ", text)))
    found, at = [], 0
    while at < len(text):
        token = next((token for token in ESCAPES if text.startswith(token, at)), text[at])
        found.append(ESCAPES.get(token) or typeset(token))
        at += len(token)
    return "".join(found)


def typeset(char: str) -> str:
    """A letter if any LaTeX has it, else its number: pdflatex would stop at it."""
    return char if char.isascii() or char in OF_T1 else f"{{[}}U+{ord(char):04X}{{]}}"


def _section(section: Section) -> str:
    heading = f"\\{HEADINGS[section.level]}{{{escaped(section.title)}}}"
    return "\n\n".join([heading, *filter(None, map(_block, section.blocks))])


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return escaped(block.text)
    if isinstance(block, Points):
        return _list("itemize", [f"\\item {escaped(text)}" for text in block.texts])
    if isinstance(block, Facts):
        return _list("description", [f"\\item[{escaped(term)}] {escaped(said)}" for term, said in block.items])
    if isinstance(block, Table):
        return _table(block)
    return f"\\begin{{verbatim}}\n{block.text}\n\\end{{verbatim}}" if isinstance(block, Verbatim) else ""


def _list(kind: str, items: list[str]) -> str:
    return "\n".join([f"\\begin{{{kind}}}", *items, f"\\end{{{kind}}}"])


def _table(table: Table) -> str:
    alignment = "".join("r" if column.numeric else "l" for column in table.columns)
    head = " & ".join(escaped(column.title) for column in table.columns) + r" \\"
    rows = [" & ".join(map(_cell, row)) + r" \\" for row in table.rows]
    caption = f"\\caption{{{escaped(table.caption)}}} \\\\"
    top = [f"\\begin{{longtable}}{{{alignment}}}", caption, r"\toprule", head, r"\midrule", r"\endhead"]
    return "\n".join([*top, *rows, r"\bottomrule", r"\end{longtable}"])


def _cell(cell: Cell) -> str:
    return f"\\textbf{{{escaped(cell.text)}}}" if cell.strong else escaped(cell.text)
