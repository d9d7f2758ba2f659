"""The kinds of values in a column: how they are shown to people, and how they are aligned."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pt_rankcorr.numbers import decimals, percent, pvalue
from pt_rankcorr.text import on_one_line

UNDEFINED = "-"
LARGE, SMALL, NOISE = 1000.0, 1e-6, 1e-8  # there are fewer decimals, powers of ten, or nothing but rounding errors
RANKING = frozenset({"rank", "low", "high", "tier", "topics"})  # words of names of columns that hold ranks

Numbers = Sequence[float]


@dataclass(frozen=True)
class Kind:
    """A kind of values.

    Attributes:
        name: Its name.
        show: The texts of the finite numbers of a column, which may have as many digits as all of them need.
        is_text: Whether a column stands on the left, as words do.
        infinite: The text for infinity.
    """

    name: str
    show: Callable[[Numbers], list[str]]
    is_text: bool = False
    infinite: str = "inf"

    def texts(self, values: Sequence[Any]) -> list[str]:
        """The values of a column as people are shown them: words, flags and what is undefined in the same way by all.

        Args:
            values: Numbers, flags, words, or None, which is shown as "none"; nan is undefined.
        """
        shown = [_word(value, self.infinite) for value in values]
        numbers = iter(self.show([float(value) for value, word in zip(values, shown, strict=True) if word is None]))
        return [next(numbers) if word is None else word for word in shown]


def _word(value: Any, infinite: str) -> str | None:
    """What all kinds show alike; None for a finite number that is not whole by its type."""
    if value is None:
        return "none"
    if type(value).__name__ in ("bool", "bool_"):
        return "yes" if value else "no"
    if isinstance(value, str) or hasattr(value, "__index__") or not hasattr(value, "__float__"):
        return on_one_line(str(value))
    if math.isnan(value):
        return UNDEFINED
    return f"{'-' * (value < 0)}{infinite}" if math.isinf(value) else None


def _each(show: Callable[[float], str]) -> Callable[[Numbers], list[str]]:
    return lambda numbers: [show(number) for number in numbers]


def _as_it_is(number: float) -> str:
    return f"{number:.15g}"


def _numbers(numbers: Numbers) -> list[str]:
    """Three decimals, or more where all are small, the same for a whole column; counts as they are."""
    largest = max(map(abs, numbers), default=0.0)
    if largest > 1.0 and all(number.is_integer() for number in numbers):
        return [_as_it_is(number) for number in numbers]
    if NOISE < largest < SMALL:
        return [f"{number:.2g}" for number in numbers]
    return [decimals(number, _places(largest)) for number in numbers]


def _places(largest: float) -> int:
    """Three decimals; of small numbers enough for two digits, and of large ones a single decimal."""
    if largest >= LARGE:
        return 1
    return 3 if largest <= NOISE else max(3, 1 - math.floor(math.log10(largest)))


def _ranks(numbers: Numbers) -> list[str]:
    """Ranks are whole, or halves where systems share theirs; means of ranks are as other numbers."""
    whole = all((2.0 * number).is_integer() for number in numbers)
    return [_as_it_is(number) for number in numbers] if whole else _numbers(numbers)


def _fact(number: float) -> str:
    """A round number, such as a level of .95, as it is."""
    if 0.0 < abs(number) < 1.0 and round(number, 3) == number:
        return f"{number:g}".replace("0.", ".", 1)
    return _numbers([number])[0]


COEFFICIENT = Kind("coefficient", _each(decimals))
PVALUE = Kind("p-value", _each(pvalue))
RANK = Kind("rank", _ranks)
COUNT = Kind("count", _each(_as_it_is))
SHARE = Kind("share", _each(percent))
PERCENT = Kind("percent", _each(lambda number: f"{number:.1%}"))  # of so many that the tenth matters
SCORE = Kind("score", _each(lambda number: decimals(number, 4)))
NUMBER = Kind("number", _numbers)
FACT = Kind("fact", _each(_fact))  # a setting, or a result that stands alone
FLAG = Kind("flag", _each(lambda number: "yes" if number else "no"))
WORD = Kind("word", _each(lambda number: f"{number:g}"), is_text=True)


def kind_of(name: str, default: Kind = NUMBER) -> Kind:
    """The kind that the name of a column tells, in frames of others."""
    if "p-value" in name or name == "pvalue":
        return PVALUE
    return default if RANKING.isdisjoint(name.split()) or name.endswith("first") else RANK
