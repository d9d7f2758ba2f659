"""A table as plain text, Markdown, HTML, LaTeX, CSV and JSON lines. Text of users is escaped in all of them."""

from __future__ import annotations

import csv
import html
import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, NamedTuple

from pt_rankcorr.text import cut, on_one_line, plain, visible, visible_lines


class Head(NamedTuple):
    """The head of a column: in plain letters, as mathematics writes it, and whether the column holds text."""

    title: str
    symbol: str
    is_text: bool


class Cell(NamedTuple):
    """The text at one place of a table, the value that it is sorted by, and whether it stands out."""

    text: str
    value: Any = None
    strong: bool = False
    bar: tuple[float, float, float, float] | None = None  # low, middle and high rank, and their number, for pages
    symbol: str = ""  # the text in mathematical form, where that is another


@dataclass(frozen=True)
class Grid:
    """The part of a table that is shown: an answer, a caption, columns of cells, how many rows are left out, notes."""

    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    n_names: int  # of first columns that name a row
    answer: str = ""
    caption: str = ""
    notes: Sequence[str] = ()
    left_out: str = ""


# a statistic with a subscript, which stands behind a thin space, as the symbols of coefficients have it
SUBSCRIPT = re.compile("([τρα]|[A-Za-z]+)\u2009([A-Za-z0-9]+)")

# --- plain text ---------------------------------------------------------------------------------------------

GAP = "  "  # between columns: titles have single blanks
NARROW = 100  # characters: the width of what is printed where nobody asks for all


def as_text(grid: Grid, *, width: int) -> str:
    """The answer, the caption, the columns side by side, and the notes.

    Where the columns are wider than `width`, they come in several parts, each with the names of the rows.
    """

    def wrapped(text: str) -> list[str]:  # lines of a text, which may have several paragraphs
        paragraphs = (textwrap.wrap(line, width, break_on_hyphens=False) for line in text.split("\n"))
        return [plain(part) for lines in paragraphs for part in lines or [""]]

    columns = []
    for index, head in enumerate(grid.heads):
        texts = [cut(text) for text in (head.title, *(row[index].text for row in grid.rows))]
        longest = max(map(len, texts))
        columns.append([text.ljust(longest) if head.is_text else text.rjust(longest) for text in texts])
    names = columns[: grid.n_names]
    parts = [[*names]]  # each a list of columns that fit the width together
    for column in columns[grid.n_names :]:
        taken = sum(len(cells[0]) + len(GAP) for cells in parts[-1])
        if len(parts[-1]) > len(names) and taken + len(column[0]) > width:
            parts.append([*names])
        parts[-1].append(column)
    tables = ["\n".join(GAP.join(cells).rstrip() for cells in zip(*part, strict=True)) for part in parts]
    above = [line for text in (grid.answer, grid.caption) if text for line in wrapped(text)]
    below = wrapped("\n".join(grid.notes)) if grid.notes else []
    left_out = [grid.left_out] if grid.left_out else []
    return visible_lines("\n".join([*above, "\n\n".join(tables), *left_out, *below]))


# --- Markdown -----------------------------------------------------------------------------------------------


def escape_markdown(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    line = on_one_line(plain(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"^(\d*)([.)+#-])(?=\s)", r"\1\\\2", re.sub(r"([\\`*_\[\]|$~])", r"\\\1", line))


def as_markdown(grid: Grid) -> str:
    """The caption, the heads and the cells, as GitHub and notebooks read them."""
    lines = [[escape_markdown(head.symbol) for head in grid.heads]]
    lines += [["---" if head.is_text else "---:" for head in grid.heads]]
    for row in grid.rows:
        texts = [(escape_markdown(cell.symbol or cell.text), cell.strong) for cell in row]
        lines.append([f"**{text}**" if strong else text for text, strong in texts])
    caption = [escape_markdown(grid.caption), ""] if grid.caption else []
    return "\n".join([*caption, *(f"| {' | '.join(line)} |" for line in lines)])


# --- HTML ---------------------------------------------------------------------------------------------------


def as_html(grid: Grid) -> str:
    """The answer, the caption, the table and its notes."""
    above, below = (
        "".join(f"<p>{escape_html(visible_lines(text))}</p>" for text in texts if text)
        for texts in ([grid.answer, grid.caption], [grid.left_out, *grid.notes])
    )
    return f"{above}{html_table(grid)}{below}"


def html_table(grid: Grid, attributes: str = "") -> str:
    """The heads and cells alone. Columns of numbers have the class "number"; cells have what they are sorted by."""
    left, right = ' style="text-align: left"', ' class="number" style="text-align: right"'
    styles = [left if head.is_text else right for head in grid.heads]
    titles = [escape_html(cut(head.symbol)) for head in grid.heads]
    head = "".join(f'<th scope="col"{style}>{title}</th>' for title, style in zip(titles, styles, strict=True))
    rows = []
    for row in grid.rows:
        cells = []
        for index, (cell, column, style) in enumerate(zip(row, grid.heads, styles, strict=True)):
            shown = escape_html(cell.symbol or cut(cell.text))
            shown = f"<strong>{shown}</strong>" if cell.strong else shown
            shown = f'<span class="interval">{shown}{_bar(*cell.bar)}</span>' if cell.bar else shown
            long = ' class="long"' if column.is_text and len(cell.text) > 30 else ""  # which needs several lines
            tag, scope = ("td", "") if index else ("th", ' scope="row"')
            cells.append(f'<{tag}{scope}{style}{long} data-key="{html.escape(_key(cell))}">{shown}</{tag}>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    body = "\n".join(rows)
    return f"<table{attributes}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def escape_html(text: str) -> str:
    """A text, escaped, whose long words may be broken after punctuation, with the names of statistics as printed."""
    words = [re.sub(r"([_./@+-]+)(?=\w)", "\\1\0", word) if len(word) > 22 else word for word in text.split(" ")]
    shown = html.escape(" ".join(words)).replace("\0", "<wbr>")
    return SUBSCRIPT.sub(_html_subscript, shown)


def _html_subscript(name: re.Match[str]) -> str:
    """A statistic with its subscript; a single Latin letter is in italics, as in mathematics."""
    base, below = name.groups()
    return f"{f'<i>{base}</i>' if len(base) == 1 and base.isascii() else base}<sub>{below}</sub>"


def _key(cell: Cell) -> str:
    """The text that a page sorts a column by: numbers to twelve digits, as systems are ranked; "" for nan, the last."""
    if cell.value is None or isinstance(cell.value, str) or not hasattr(cell.value, "__float__"):
        return cell.text
    return "" if math.isnan(cell.value) else f"{float(cell.value):.12g}"


def _bar(low: float, rank: float, high: float, n_ranks: float) -> str:
    """A line from the best to the worst rank of an interval, and a dot at the rank."""
    unit = 100.0 / n_ranks
    left, right, dot = (low - 1) * unit, high * unit, (rank - 0.5) * unit
    return (
        '<svg class="bar" width="90" height="8" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="band" fill="#8fc1e3" x="{left:.2f}" y="2" width="{right - left:.2f}" height="4" rx="1"/>'
        f'<rect class="dot" x="{dot - 0.8:.2f}" y="0" width="1.6" height="8"/></svg>'
    )


# --- LaTeX --------------------------------------------------------------------------------------------------

ESCAPES = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<=": r"$\leq$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "--": "{-}{-}",  # the font encoding T1 would make a dash of these two, and quotation marks of the next pairs
    "''": "{'}{'}",
    ",,": "{,}{,}",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "{--}",
    "—": "{---}",
    "\u00a0": "~",
    "\u2009": r"\,",
    "…": r"\ldots{}",
    "×": r"$\times$",
}
TOKENS = re.compile(
    "|".join([SUBSCRIPT.pattern, *map(re.escape, sorted(ESCAPES, key=len, reverse=True)), "."]), re.DOTALL
)
LETTERS_OF_T1 = frozenset(  # beyond ASCII: all that pdflatex can show without further packages
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ¡¿§£"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
)


def escape_latex(text: str) -> str:
    """The LaTeX source that shows a text as it is."""
    return "".join(_latex_tokens(unicodedata.normalize("NFC", re.sub(r"[\t\n\r]", " ", text))))


def flowing(text: str, longest: int = 80) -> str:
    """The LaTeX source of a text whose long words may be broken anywhere, and are cut to so many characters."""
    sources = []
    for word in re.split("[ \t\n\r]+", unicodedata.normalize("NFC", text)):
        letters = word.strip(".,;:()")  # TeX itself breaks words of letters, and knows where
        if len(word) <= 12 or (len(letters) <= 24 and letters.isascii() and letters.isalpha()):
            sources.append(escape_latex(word))
            continue
        tokens = _latex_tokens(cut(word, longest))
        step = 1 if any("U+" in token for token in tokens) else 6  # letters that are shown by their number are wide
        pieces = ("".join(tokens[start : start + step]) for start in range(0, len(tokens), step))
        sources.append(r"\allowbreak{}".join(pieces))
    return " ".join(sources)


def _latex_tokens(text: str) -> list[str]:
    """The source of each character, pair or statistic with a subscript; letters that pdflatex lacks by their number."""
    sources = []
    for token in TOKENS.finditer(visible(text)):
        if token[1]:
            base, below = (part if len(part) == 1 else rf"\mathrm{{{part}}}" for part in (token[1], token[2]))
            sources.append(f"${ESCAPES.get(base, base).strip('$')}_{{{below}}}$")
        elif token[0] in ESCAPES:
            sources.append(ESCAPES[token[0]])
        else:
            is_known = token[0].isascii() or token[0] in LETTERS_OF_T1
            sources.append(token[0] if is_known else f"{{[}}U+{ord(token[0]):04X}{{]}}")
    return sources


def with_packages(source: str) -> str:
    """The source below comments on the packages that it needs, and on letters that are shown by their number."""
    packages = r"% needs \usepackage[T1]{fontenc}, \usepackage{booktabs} and \usepackage{adjustbox}"
    of_letters = (
        "% {[}U+65E5{]} and the like stand for letters that pdflatex lacks: "
        "put in the letters, and compile with xelatex or lualatex"
    )
    return "\n".join([packages, *[of_letters] * ("{[}U+" in source), source])


def as_latex(grid: Grid) -> str:
    """A tabular with the rules of booktabs, or several where a page is too short; with a caption as tables that float.

    TeX shrinks what is too wide. Of long names both ends are shown, and a key below has the whole.
    """
    longest, lines_of_a_page = 40, 40
    key: dict[str, int] = {}

    def source(text: str) -> str:  # of a name or number; of a long one its ends, and its number in the key
        if len(text) <= longest:
            return escape_latex(text)
        return escape_latex(f"{cut(text, longest)} [{key.setdefault(text, len(key) + 1)}]")

    # TeX would shrink a table that is wider than a line until nobody can read it: its heads are on several lines
    columns = [[head.symbol, *(row[index].text for row in grid.rows)] for index, head in enumerate(grid.heads)]
    is_wide = sum(min(max(map(len, texts)), longest) for texts in columns) > 80
    sides = ["l" if head.is_text else "r" for head in grid.heads]
    titles = []
    for head, side in zip(grid.heads, sides, strict=True):
        lines = textwrap.wrap(head.symbol, 14) if is_wide else []
        title = r" \\ ".join(map(escape_latex, lines))
        titles.append(rf"\shortstack[{side}]{{{title}}}" if len(lines) > 1 else source(head.symbol))
    texts = [[(source(cell.symbol or cell.text), cell.strong) for cell in row] for row in grid.rows]
    rows = [[rf"\textbf{{{text}}}" if strong else text for text, strong in row] for row in texts]
    parts = []
    for start in range(0, max(len(rows), 1), lines_of_a_page):
        body = [rf"{' & '.join(row)} \\" for row in rows[start : start + lines_of_a_page]]
        part = "\n".join(
            [
                r"\begin{adjustbox}{max width=\linewidth}",
                rf"\begin{{tabular}}{{{''.join(sides)}}}",
                r"\toprule",
                rf"{' & '.join(titles)} \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{adjustbox}",
            ]
        )
        caption = rf"\caption{{{flowing('Further rows of the same table.' if start else grid.caption)}}}"
        floating = ["\\begin{table}[!htbp]", r"\centering", caption, part, r"\end{table}"]
        parts.append("\n".join(floating) if grid.caption else rf"\noindent{part}")
    if key:
        lines = [rf"\noindent {{[}}{n}{{]}} {flowing(text, longest=len(text))}\par" for text, n in key.items()]
        parts.append("\n".join([r"{\footnotesize\raggedright", *lines, "}"]))
    return "\n\n".join(parts)


# --- CSV and JSON lines -------------------------------------------------------------------------------------


def csv_text(name: str) -> str:
    """A text as it stands in a cell of a CSV file.

    A spreadsheet that opens the file runs a cell that begins as a formula, quoted or not; an apostrophe says that it is
    text. Numbers stay.
    """
    is_formula = re.match("[=+\\-@\t\r\n＝＋－＠]", name)  # the last four are as wide as Chinese letters
    is_number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", name, re.ASCII)
    return f"'{name}" if is_formula and not is_number else name


def csv_line(values: Iterable[Any]) -> str:
    """Names or values as a line of CSV; a name that a spreadsheet would run is marked as text, and nan is empty."""
    line = StringIO()
    cells = (csv_text(value) if isinstance(value, str) else value if value == value else "" for value in values)
    csv.writer(line).writerow(cells)
    return line.getvalue().removesuffix("\r\n")


def json_line(values: Mapping[str, Any]) -> str:
    """A row as JSON, which has neither nan nor infinity, nor the halves of characters that names of files may hold."""
    row = dict(values)
    for name, value in values.items():
        if isinstance(value, str):
            row[name] = value.encode("utf-8", "backslashreplace").decode()
        elif isinstance(value, float) and not math.isfinite(value):
            row[name] = None if math.isnan(value) else str(value)
    return json.dumps(row, allow_nan=False)
