"""Numbers as tables show them: few digits, no zero before the point."""

from __future__ import annotations

import math


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
    text = f"{value:.0%}"
    return "<1%" if text == "0%" and value > 0 else ">99%" if text == "100%" and value < 1 else text


def with_interval(value: float, interval: tuple[float, float]) -> str:
    """A number with its interval in brackets."""
    low, high = map(decimals, interval)
    return f"{decimals(value)} [{low}, {high}]"
