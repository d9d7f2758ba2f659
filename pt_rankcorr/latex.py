"""LaTeX source that shows any text, and runs none of it as commands; and tables that fit the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from pt_rankcorr.text import cut, visible

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
    "--": "{-}{-}",  # the font encoding T1 would make a dash of these two, and quotation marks of the next pairs
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
TOKENS = re.compile("|".join(map(re.escape, sorted(ESCAPES, key=len, reverse=True))) + "|.", re.DOTALL)
NUMBERED = "{[}U+"
OF_LETTERS = (
    "% {[}U+65E5{]} and the like stand for letters that pdflatex lacks: "
    "put in the letters, and compile with xelatex or lualatex"
)
BLANKS = re.compile(r"[\t\n\r]")
LETTERS_OF_T1 = frozenset(  # beyond ASCII: all that pdflatex can show without further packages
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ¡¿§£"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
)


def escape(text: str) -> str:
    """The LaTeX source that shows a text as it is."""
    plain = visible(normalize("NFC", BLANKS.sub(" ", text)))
    return TOKENS.sub(lambda token: ESCAPES.get(token[0]) or _letter(token[0]), plain)


def with_letters_told(source: str) -> str:
    """The source, below a comment on letters that are shown by their number, if it has any."""
    return f"{OF_LETTERS}\n{source}" if NUMBERED in source else source


def _letter(char: str) -> str:
    """The letter, if pdflatex can show it, or else its number."""
    return char if char.isascii() or char in LETTERS_OF_T1 else f"{{[}}U+{ord(char):04X}{{]}}"


# --- what is too wide ---------------------------------------------------------------------------------------

LINE = 345.0  # points of a line of the class article
LONGEST = 80  # characters of a name in a table, or of a word of a text: of longer ones both ends are shown
UNBROKEN, PIECE = 12, 6  # characters: longer words may be broken, into such pieces
NARROW, WIDE = frozenset("!'(),.:;I[]fijlrt|"), frozenset("MWmw@%—…")


class Type(NamedTuple):
    """The size of letters and the distance of columns, in points."""

    em: float
    gap: float
    source: str = ""

    def width_of(self, text: str) -> float:
        """About as much as a text takes, rather more than less."""
        shown = text if text.isascii() else re.sub("[{}]", "", escape(text))
        return self.em * sum(map(_width_of_letter, shown))


def _width_of_letter(char: str) -> float:
    """In shares of an em."""
    return 0.34 if char in NARROW else 1.05 if char in WIDE else 0.8 if char.isupper() else 0.56


ORDINARY, SMALL = Type(10.0, 12.0), Type(8.0, 6.0, r"\noindent\footnotesize\setlength{\tabcolsep}{3pt}%")
INDENT = 15.0  # of a paragraph, which a table may be
WIDEST_TEXT, LEAST_HEAD = 95.0, 42.0  # points: what is wider is broken into lines


class Grid(NamedTuple):
    """A table, or a part of one that fits a line: the kinds of its columns, its lines, the heads first, and its height.

    The height is in lines of text, rather more than less.
    """

    alignment: str
    lines: tuple[str, ...]
    height: int
    type: Type = ORDINARY


class Entry(NamedTuple):
    """What a table shows at one place."""

    text: str
    strong: bool = False


def grids(
    heads: Sequence[str], rows: Sequence[Sequence[Entry]], are_texts: Sequence[bool], n_names: int
) -> tuple[list[Grid], str]:
    """A table as it is if it fits a line; else in small type, with broken texts, in as many parts as it takes.

    Each part has the first `n_names` columns, which name the rows. With the parts comes the source of a key, which
    tells the whole of what was cut: each such text has a number.
    """
    numbers: dict[str, int] = {}

    def short(text: str) -> str:
        return text if len(text) <= LONGEST else f"{cut(text, LONGEST)} [{numbers.setdefault(text, len(numbers) + 1)}]"

    texts = [
        _Column(short(head), [Entry(short(row[at].text), row[at].strong) for row in rows], are_texts[at])
        for at, head in enumerate(heads)
    ]
    if _width(texts, ORDINARY) <= LINE - INDENT:
        return [_grid(texts, ORDINARY)], _key(numbers)
    return [_grid(part, SMALL) for part in _parts(texts[:n_names], texts[n_names:])], _key(numbers)


def _key(numbers: Mapping[str, int]) -> str:
    if not numbers:
        return ""
    lines = [
        rf"\noindent {{[}}{number}{{]}} {flowing(text, longest=len(text))}\par" for text, number in numbers.items()
    ]
    return "\n".join([r"{\footnotesize\raggedright", *lines, "}"])


class _Column(NamedTuple):
    head: str
    cells: Sequence[Entry]
    is_text: bool

    def width(self, kind: Type) -> float:
        """In points: as wide as the cells, and in small type no wider than a text may be."""
        cells = max((kind.width_of(cell.text) * (1.15 if cell.strong else 1.0) for cell in self.cells), default=0.0)
        if kind is ORDINARY:
            return max(cells, kind.width_of(self.head))
        word = max(map(kind.width_of, self.head.split(" ")))
        return min(max(cells, word, min(kind.width_of(self.head), LEAST_HEAD)), WIDEST_TEXT)

    def heights(self, kind: Type) -> list[int]:
        """Lines of text that the head and each cell take."""
        width = max(self.width(kind), 1.0)
        filled = max(width - kind.width_of("x" * PIECE), width / 2)  # of a line: what no longer fits goes to the next
        widths = (kind.width_of(text) for text, _ in [Entry(self.head), *self.cells])
        return [1 if taken <= width else 1 + int(taken / filled) for taken in widths]

    def lines(self, kind: Type) -> Iterator[str]:
        """The source of the head and of the cells."""
        width = self.width(kind)
        for at, (text, strong) in enumerate([Entry(self.head), *self.cells]):
            if kind.width_of(text) <= width:
                source = escape(text)
            else:
                ragged = r"\raggedright" if self.is_text else r"\raggedleft"
                place = "t" if at else "b"
                source = rf"\parbox[{place}]{{{width:.0f}pt}}{{{ragged}\hspace{{0pt}}{flowing(text)}}}"
            yield rf"\textbf{{{source}}}" if strong else source


def _width(columns: Sequence[_Column], kind: Type) -> float:
    return sum(column.width(kind) + kind.gap for column in columns)


def _parts(names: list[_Column], others: list[_Column]) -> Iterator[list[_Column]]:
    part = list(names)
    for column in others:
        if len(part) > len(names) and _width([*part, column], SMALL) > LINE:
            yield part
            part = list(names)
        part.append(column)
    yield part


def _grid(columns: Sequence[_Column], kind: Type) -> Grid:
    lines = zip(*(column.lines(kind) for column in columns), strict=True)
    alignment = "".join("l" if column.is_text else "r" for column in columns)
    height = sum(map(max, zip(*(column.heights(kind) for column in columns), strict=True)))
    return Grid(alignment, tuple(" & ".join(cells) + r" \\" for cells in lines), height, kind)


def flowing(text: str, longest: int = LONGEST) -> str:
    """The LaTeX source of a text whose long words may be broken anywhere, and are cut to so many characters."""
    words = re.split("[ \t\n\r]+", normalize("NFC", text))
    return " ".join(escape(word) if len(word) <= UNBROKEN else _breakable(cut(word, longest)) for word in words)


def _breakable(word: str) -> str:
    sources = [escape(token[0]) for token in TOKENS.finditer(visible(word))]
    step = 1 if any("U+" in source for source in sources) else PIECE  # letters that are shown by their number are wide
    return r"\allowbreak{}".join("".join(sources[at : at + step]) for at in range(0, len(sources), step))
