"""LaTeX source that shows any text, and runs none of it as commands."""

from __future__ import annotations

import re
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


LONGEST = 80  # characters of a word of a text: of longer ones both ends are shown
UNBROKEN, PIECE = 12, 6  # characters: longer words may be broken, into such pieces


def flowing(text: str, longest: int = LONGEST) -> str:
    """The LaTeX source of a text whose long words may be broken anywhere, and are cut to so many characters."""
    words = re.split("[ \t\n\r]+", normalize("NFC", text))
    return " ".join(escape(word) if _is_short(word) else _breakable(cut(word, longest)) for word in words)


def _is_short(word: str) -> bool:
    """Whether it stays whole: TeX itself breaks words of letters, and knows where."""
    letters = word.strip(".,;:()")
    return len(word) <= UNBROKEN or (len(letters) <= 2 * UNBROKEN and letters.isascii() and letters.isalpha())


def _breakable(word: str) -> str:
    sources = [escape(token[0]) for token in TOKENS.finditer(visible(word))]
    step = 1 if any("U+" in source for source in sources) else PIECE  # letters that are shown by their number are wide
    return r"\allowbreak{}".join("".join(sources[at : at + step]) for at in range(0, len(sources), step))
