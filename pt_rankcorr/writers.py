"""A table as plain text, Markdown, HTML, LaTeX, CSV and JSON lines, which escape text of users."""

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
    """The head of a column, plain and in mathematical form, and whether the column holds text."""

    title: str
    symbol: str
    is_text: bool


class Cell(NamedTuple):
    """The text at one place of a table, the value it is sorted by, and whether it stands out."""

    text: str
    value: Any = None
    strong: bool = False
    # for pages: low, middle and high rank, and the number of ranks
    bar: tuple[float, float, float, float] | None = None
    symbol: str = ""  # the text in mathematical form, where that is another


@dataclass(frozen=True)
class Grid:
    """The part of a table that is shown: heads, cells and the texts around them."""

    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    n_names: int  # of first columns that name a row
    answer: str = ""
    caption: str = ""
    notes: Sequence[str] = ()
    left_out: str = ""


# a statistic with a subscript behind a thin space, as in the symbols of coefficients
SUBSCRIPT = re.compile("([τρα]|[A-Za-z]+)\u2009([A-Za-z0-9]+)")

# --- plain text -----------------------------------------------------------------------------------

GAP = "  "  # between columns: titles have single blanks
NARROW = 100  # characters: the width of what is printed where nobody asks for all


def as_text(grid: Grid, *, width: int) -> str:
    """The answer, the caption, the columns side by side, and the notes.

    Where the columns are wider than `width`, they come in several parts, each with the names of the
    rows.
    """

    def wrapped(text: str) -> list[str]:  # lines of a text, which may have several paragraphs
        lines = []
        for paragraph in text.split("\n"):
            lines += textwrap.wrap(paragraph, width, break_on_hyphens=False) or [""]
        return [*map(plain, lines)]

    columns = []
    for index, head in enumerate(grid.heads):
        texts = [cut(text) for text in (head.title, *(row[index].text for row in grid.rows))]
        longest = max(map(len, texts))
        align = str.ljust if head.is_text else str.rjust
        columns.append([align(text, longest) for text in texts])
    names = columns[: grid.n_names]
    parts = [[*names]]  # each a list of columns that fit the width together
    for column in columns[grid.n_names :]:
        taken = sum(len(cells[0]) + len(GAP) for cells in parts[-1])
        if len(parts[-1]) > len(names) and taken + len(column[0]) > width:
            parts.append([*names])
        parts[-1].append(column)
    tables = []
    for part in parts:
        tables.append("\n".join(GAP.join(cells).rstrip() for cells in zip(*part, strict=True)))
    above = [line for text in (grid.answer, grid.caption) if text for line in wrapped(text)]
    below = wrapped("\n".join(grid.notes)) if grid.notes else []
    left_out = [grid.left_out] if grid.left_out else []
    return visible_lines("\n".join([*above, "\n\n".join(tables), *left_out, *below]))


# --- Markdown -------------------------------------------------------------------------------------


def escape_markdown(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    line = html.escape(on_one_line(plain(text)), quote=False)
    line = re.sub(r"([\\`*_\[\]|$~])", r"\\\1", line)
    return re.sub(r"^(\d*)([.)+#-])(?=\s)", r"\1\\\2", line)  # else a list or a heading


def as_markdown(grid: Grid) -> str:
    """The caption, the heads and the cells, as GitHub and notebooks read them."""
    lines = [[escape_markdown(head.symbol) for head in grid.heads]]
    lines += [["---" if head.is_text else "---:" for head in grid.heads]]
    for row in grid.rows:
        texts = [(escape_markdown(cell.symbol or cell.text), cell.strong) for cell in row]
        lines.append([f"**{text}**" if strong else text for text, strong in texts])
    caption = [escape_markdown(grid.caption), ""] if grid.caption else []
    return "\n".join([*caption, *(f"| {' | '.join(line)} |" for line in lines)])


# --- HTML -----------------------------------------------------------------------------------------


def as_html(grid: Grid) -> str:
    """The answer, the caption, the table and its notes."""
    above, below = (
        "".join(f"<p>{escape_html(visible_lines(text))}</p>" for text in texts if text)
        for texts in ([grid.answer, grid.caption], [grid.left_out, *grid.notes])
    )
    return f"{above}{html_table(grid)}{below}"


def html_table(grid: Grid, attributes: str = "") -> str:
    """The heads and cells alone, with the class "number" for numbers, and keys to sort by."""
    left, right = ' style="text-align: left"', ' class="number" style="text-align: right"'
    styles = [left if head.is_text else right for head in grid.heads]
    heads = []
    for column, style in zip(grid.heads, styles, strict=True):
        heads.append(f'<th scope="col"{style}>{escape_html(cut(column.symbol))}</th>')
    rows = []
    for row in grid.rows:
        cells = []
        for index, (cell, column, style) in enumerate(zip(row, grid.heads, styles, strict=True)):
            shown = escape_html(cell.symbol or cut(cell.text))
            shown = f"<strong>{shown}</strong>" if cell.strong else shown
            shown = f'<span class="interval">{shown}{_bar(*cell.bar)}</span>' if cell.bar else shown
            # a long text needs several lines
            long = ' class="long"' if column.is_text and len(cell.text) > 30 else ""
            tag, scope = ("td", "") if index else ("th", ' scope="row"')
            attributes_of_cell = f'{scope}{style}{long} data-key="{html.escape(_key(cell))}"'
            cells.append(f"<{tag}{attributes_of_cell}>{shown}</{tag}>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head, body = f"<tr>{''.join(heads)}</tr>", "\n".join(rows)
    return f"<table{attributes}>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def escape_html(text: str) -> str:
    """A text, escaped, with statistics as printed; long words may be broken after punctuation."""
    words = text.split(" ")
    for place, word in enumerate(words):
        if len(word) > 22:
            words[place] = re.sub(r"([_./@+-]+)(?=\w)", "\\1\0", word)
    shown = html.escape(" ".join(words)).replace("\0", "<wbr>")
    return SUBSCRIPT.sub(_html_subscript, shown)


def _html_subscript(name: re.Match[str]) -> str:
    """A statistic with its subscript; a single Latin letter is in italics, as in mathematics."""
    base, below = name.groups()
    is_letter = len(base) == 1 and base.isascii()
    return f"<i>{base}</i><sub>{below}</sub>" if is_letter else f"{base}<sub>{below}</sub>"


def _key(cell: Cell) -> str:
    """What a page sorts by: numbers to twelve digits, as systems are ranked; "" for nan."""
    if cell.value is None or isinstance(cell.value, str) or not hasattr(cell.value, "__float__"):
        return cell.text
    return "" if math.isnan(cell.value) else f"{float(cell.value):.12g}"


def _bar(low: float, rank: float, high: float, n_ranks: float) -> str:
    """A line from the best to the worst rank of an interval, and a dot at the rank."""
    unit = 100.0 / n_ranks
    left, right, dot = (low - 1) * unit, high * unit, (rank - 0.5) * unit
    return (
        '<svg class="bar" width="90" height="8" viewBox="0 0 100 8"'
        ' preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="band" fill="#8fc1e3" x="{left:.2f}" y="2"'
        f' width="{right - left:.2f}" height="4" rx="1"/>'
        f'<rect class="dot" x="{dot - 0.8:.2f}" y="0" width="1.6" height="8"/></svg>'
    )


# --- LaTeX ----------------------------------------------------------------------------------------

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
    # the font encoding T1 would make a dash of these two, and quotation marks of the next pairs
    "--": "{-}{-}",
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
LONGEST_FIRST = sorted(ESCAPES, key=len, reverse=True)
TOKENS = re.compile("|".join([SUBSCRIPT.pattern, *map(re.escape, LONGEST_FIRST), "."]), re.DOTALL)
LETTERS_OF_T1 = frozenset(  # beyond ASCII: all that pdflatex can show without further packages
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ¡¿§£"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
)


def escape_latex(text: str) -> str:
    """The LaTeX source that shows a text as it is."""
    return "".join(_latex_tokens(unicodedata.normalize("NFC", re.sub(r"[\t\n\r]", " ", text))))


def flowing(text: str, longest: int = 80) -> str:
    """The LaTeX source of a text whose long words may be broken, and are cut to `longest`."""
    sources = []
    for word in re.split("[ \t\n\r]+", unicodedata.normalize("NFC", text)):
        letters = word.strip(".,;:()")  # TeX itself breaks words of letters, and knows where
        if len(word) <= 12 or (len(letters) <= 24 and letters.isascii() and letters.isalpha()):
            sources.append(escape_latex(word))
            continue
        tokens = _latex_tokens(cut(word, longest))
        # letters that are shown by their number are wide
        step = 1 if any("U+" in token for token in tokens) else 6
        pieces = ("".join(tokens[start : start + step]) for start in range(0, len(tokens), step))
        sources.append(r"\allowbreak{}".join(pieces))
    return " ".join(sources)


def _latex_tokens(text: str) -> list[str]:
    """The source of each character, pair or statistic; letters that pdflatex lacks as numbers."""
    sources = []
    for token in TOKENS.finditer(visible(text)):
        if token[1]:
            parts = token[1], token[2]
            base, below = (part if len(part) == 1 else rf"\mathrm{{{part}}}" for part in parts)
            sources.append(f"${ESCAPES.get(base, base).strip('$')}_{{{below}}}$")
        elif token[0] in ESCAPES:
            sources.append(ESCAPES[token[0]])
        else:
            is_known = token[0].isascii() or token[0] in LETTERS_OF_T1
            sources.append(token[0] if is_known else f"{{[}}U+{ord(token[0]):04X}{{]}}")
    return sources


def with_packages(source: str) -> str:
    """The source below comments on packages that it needs, and on letters shown as numbers."""
    lines = [r"% needs \usepackage[T1]{fontenc}, \usepackage{booktabs} and \usepackage{adjustbox}"]
    if "{[}U+" in source:
        what = "{[}U+65E5{]} and the like stand for letters that pdflatex lacks"
        lines.append(f"% {what}: put in the letters, and compile with xelatex or lualatex")
    return "\n".join([*lines, source])


def as_latex(grid: Grid) -> str:
    """A tabular with the rules of booktabs, or several where a page is too short.

    With a caption they float. TeX shrinks what is too wide. Of long names both ends are shown, and
    a key below has the whole.
    """
    longest, lines_of_a_page = 40, 40
    key: dict[str, int] = {}

    def source(text: str) -> str:  # of a long text its ends, and its number in the key
        if len(text) <= longest:
            return escape_latex(text)
        return escape_latex(f"{cut(text, longest)} [{key.setdefault(text, len(key) + 1)}]")

    # TeX would shrink a wide table until nobody can read it: its heads are on several lines
    width = 0
    for index, head in enumerate(grid.heads):
        lengths = [len(head.symbol), *(len(row[index].text) for row in grid.rows)]
        width += min(max(lengths), longest)
    sides = ["l" if head.is_text else "r" for head in grid.heads]
    titles = []
    for head, side in zip(grid.heads, sides, strict=True):
        lines = textwrap.wrap(head.symbol, 14) if width > 80 else []
        title = r" \\ ".join(map(escape_latex, lines))
        titles.append(rf"\shortstack[{side}]{{{title}}}" if len(lines) > 1 else source(head.symbol))
    rows = []
    for row in grid.rows:
        texts = [(source(cell.symbol or cell.text), cell.strong) for cell in row]
        cells = [rf"\textbf{{{text}}}" if strong else text for text, strong in texts]
        rows.append(rf"{' & '.join(cells)} \\")
    above = [
        r"\begin{adjustbox}{max width=\linewidth}",
        rf"\begin{{tabular}}{{{''.join(sides)}}}",
        r"\toprule",
        rf"{' & '.join(titles)} \\",
        r"\midrule",
    ]
    below = [r"\bottomrule", r"\end{tabular}", r"\end{adjustbox}"]
    parts = []
    for start in range(0, max(len(rows), 1), lines_of_a_page):
        part = "\n".join([*above, *rows[start : start + lines_of_a_page], *below])
        text = "Further rows of the same table." if start else grid.caption
        caption = rf"\caption{{{flowing(text)}}}"
        floating = [r"\begin{table}[!htbp]", r"\centering", caption, part, r"\end{table}"]
        parts.append("\n".join(floating) if grid.caption else rf"\noindent{part}")
    if key:
        lines = []
        for text, number in key.items():
            whole = flowing(text, longest=len(text))
            lines.append(rf"\noindent {{[}}{number}{{]}} {whole}\par")
        parts.append("\n".join([r"{\footnotesize\raggedright", *lines, "}"]))
    return "\n\n".join(parts)


# --- CSV and JSON lines ---------------------------------------------------------------------------


def csv_text(name: str) -> str:
    """A text as it stands in a cell of a CSV file.

    A spreadsheet that opens the file runs a cell that begins as a formula, quoted or not; an
    apostrophe says that it is text. Numbers stay.
    """
    is_formula = re.match("[=+\\-@\t\r\n＝＋－＠]", name)  # the last four are of double width
    is_number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", name, re.ASCII)
    return f"'{name}" if is_formula and not is_number else name


def csv_line(values: Iterable[Any]) -> str:
    """Names or values as a line of CSV; names are marked as text if need be, and nan is empty."""
    line = StringIO()
    defined = (value if value == value else "" for value in values)
    cells = [csv_text(value) if isinstance(value, str) else value for value in defined]
    csv.writer(line).writerow(cells)
    return line.getvalue().removesuffix("\r\n")


def json_line(values: Mapping[str, Any]) -> str:
    """A row as JSON, without nan, infinity and the halves of characters in names of files."""
    row = dict(values)
    for name, value in values.items():
        if isinstance(value, str):
            row[name] = value.encode("utf-8", "backslashreplace").decode()
        elif isinstance(value, float) and not math.isfinite(value):
            row[name] = None if math.isnan(value) else str(value)
    return json.dumps(row, allow_nan=False)
