"""Numbers as tables show them: few digits, no zero before the point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

RANKING = frozenset({"rank", "low", "high", "tier", "topics"})  # words of columns whose numbers are often whole
LARGE, SMALL, NOISE = 1000.0, 1e-6, 1e-8  # there are fewer decimals, powers of ten, or nothing but rounding errors


def decimals(value: float, places: int = 2) -> str:
    """A number without the 0 before its point, and never -0."""
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def pvalue(value: float) -> str:
    """A p-value with three digits: whoever needs more has the result."""
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
    return "<1%" if 0 < value < 0.005 else ">99%" if 0.995 <= value < 1 else f"{value:.0%}"


def with_interval(value: float, interval: tuple[float, float]) -> str:
    """A number with its interval in brackets."""
    low, high = map(decimals, interval)
    return f"{decimals(value)} [{low}, {high}]"


def column(name: str, values: Sequence[Any], undefined: str = "nan") -> list[str]:
    """The values of a column of a table: three decimals, or more if all are small; p-values, ranks and words as such.

    Args:
        name: What the column is called.
        values: Numbers, flags or words.
        undefined: What is shown for nan.
    """
    finite = [abs(float(value)) for value in values if _is_float(value) and math.isfinite(value)]
    return [_cell(name, value, finite, undefined) for value in values]


def fact(name: str, value: Any) -> str:
    """A single value: a round number, such as a level of .95, as it is."""
    if _is_float(value) and 0.0 < abs(value) < 1.0 and round(value, 3) == value and "pvalue" not in name:
        return f"{float(value):g}".replace("0.", ".", 1)
    return column(name, [value])[0]


def _cell(name: str, value: Any, sizes: Sequence[float], undefined: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not _is_float(value):
        return "none" if value is None else str(value)
    if math.isnan(value):
        return undefined
    if "p-value" in name or name == "pvalue":
        return pvalue(value)
    largest = max(sizes, default=0.0)
    counts = largest > 1.0 and all(size.is_integer() for size in sizes)
    if math.isinf(value) or counts or (_ranks(name) and all((2.0 * size).is_integer() for size in sizes)):
        return f"{value:.15g}"
    return f"{value:.2g}" if NOISE < largest < SMALL else decimals(value, _places(largest))


def _ranks(name: str) -> bool:
    return not RANKING.isdisjoint(name.split()) and not name.endswith("first")


def _places(largest: float) -> int:
    """Three decimals; of small numbers enough for two digits, and of large ones a single decimal."""
    if largest >= LARGE:
        return 1
    return 3 if largest <= NOISE else max(3, 1 - math.floor(math.log10(largest)))


def _is_float(value: object) -> bool:
    return hasattr(value, "is_integer") and not hasattr(value, "__index__")  # those of numpy, too
