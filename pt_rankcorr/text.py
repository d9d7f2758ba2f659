"""Text of others, made safe to show: short, no control characters; and numbers with few digits."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

D_RANK = "d\u2009rank"  # a thin space before a subscript, as in the symbols of coefficients
ONE_TRUE_RANKING = "one true ranking"
P_SAME = "p (same true ranking)"  # what tables call the p-value of one true ranking


def d_rank_by(covariance: str | None, symbol: str = "d_rank") -> str:
    """d_rank with its covariance, as in "d_rank (Ledoit-Wolf)": another makes it another number."""
    return f"{symbol} ({'Ledoit-Wolf' if covariance == 'ledoit-wolf' else covariance})"


def if_one_true_ranking(title: str) -> str:
    """The title of what a coefficient would be; with " high" and so on, also a name of columns."""
    return f"{title} if {ONE_TRUE_RANKING}"


def visible(text: str) -> str:
    """A text with invisible characters as escapes: controls, marks of direction, surrogates."""
    if text.isprintable():
        return text
    # Python calls no blank but " " printable
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs" else ascii(char)[1:-1]
        for char in text
    )


def visible_lines(text: str) -> str:
    """A text of several lines with invisible characters as escapes, but for its line ends."""
    return "\n".join(map(visible, text.split("\n")))


def on_one_line(text: str) -> str:
    """A visible text with single blanks in place of line ends and runs of blanks."""
    return visible(" ".join(text.split()))


def plain(text: str) -> str:
    """A text with the names of statistics as they are written where there are no subscripts."""
    return text.replace("\u2009", "_").replace("\u00a0", " ")


def cut(text: str, longest: int = 80) -> str:
    """The text, or the beginning and the end of one that is too long: names differ in either."""
    if len(text) <= longest:
        return text
    begin = (longest - 1) // 2
    return f"{text[:begin]}…{text[begin + 1 - longest :]}"


def in_a_sentence(names: Sequence[str], most: int = 8) -> str:
    """Names with commas and an "and"; of more than so many the first, and how many more."""
    more = len(names) - most
    if more > 0:
        return f"{', '.join(names[:most])} and {more} more"
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


def shown(value: object) -> str:
    """A value as an error message shows it: its `repr` on one line, cut if it is long."""
    try:
        return cut(on_one_line(repr(value)))
    except Exception:  # of the value's own `repr`: the message is about another error
        return f"an object of type {type(value).__name__}"


def shown_name(name: object) -> str:
    """A name as an error message shows it, without quotes."""
    return cut(on_one_line(str(name)))


# --- numbers --------------------------------------------------------------------------------------


def decimals(value: float, places: int = 2) -> str:
    """A number without the 0 before its point, and never -0."""
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def pvalue(value: float) -> str:
    """A p-value with three digits; the result has all."""
    return "nan" if math.isnan(value) else "<.001" if value < 0.001 else decimals(value, 3)


def p_equals(value: float) -> str:
    """A p-value in a sentence: p = .012."""
    text = pvalue(value)
    return f"p\u00a0<\u00a0{text[1:]}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"


def is_borderline(pvalue: float, standard_error: float, level: float) -> bool:
    """Whether other resamples may well put a p-value on the other side of the level."""
    return abs(pvalue - level) < 2.0 * standard_error


def percent(value: float) -> str:
    """A share in full percent, of which only that of nothing is 0%, and that of all 100%."""
    text = f"{value:.0%}"
    if text == "0%" and value > 0:
        return "<1%"
    return ">99%" if text == "100%" and value < 1 else text


def confidence(level: float) -> str:
    """A confidence level in percent, with all its digits: 99.5%."""
    return f"{100.0 * level:.12g}%"


def end_of_interval(end: float, text: str) -> str:
    """The text of an end of an interval, with more decimals where it says 0 and the end is not."""
    places = len(text.partition(".")[2])
    if text.strip("-.0") or not places:  # another number, one without decimals, or no number
        return text
    finer = (decimals(end, places + more) for more in (1, 2, 3))
    return next((number for number in finer if number.strip("-.0")), text)


def with_interval(value: float, interval: Sequence[float] | None, places: int = 2) -> str:
    """A number with its interval in brackets, if it has one, of which only the ends are used."""
    if interval is None or math.isnan(interval[0]):
        return decimals(value, places)
    low, high = (end_of_interval(end, decimals(end, places)) for end in interval[:2])
    return f"{decimals(value, places)} [{low}, {high}]"
