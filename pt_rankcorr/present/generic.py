"""How any result is shown: functions that other files extend by class, and their defaults."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from pt_rankcorr import present
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.stats.core.types import Result
from pt_rankcorr.tables import PVALUE, Column, Table, facts, listed

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])


class ByClass(Generic[T]):
    """A function of a result that files of this package extend with `register`, by class."""

    def __init__(self, default: Callable[[Any], T]) -> None:
        self._functions = functools.singledispatch(default)
        functools.update_wrapper(self, default)

    def register(self, function: Function) -> Function:
        """Takes a function for the class that its first argument is annotated with."""
        self._functions.register(function)
        return function

    def __call__(self, result: Any, **options: Any) -> T:
        """The class's function, with options that it takes, such as the level of intervals."""
        # files that show a class are called as the package in which the class stands, perhaps with
        # a word more, and register its functions when they are loaded: of comparison/judges.py,
        # comparison.py and comparison_judges.py
        modules = (kind.__module__.split(".") for kind in type(result).__mro__)
        packages = {package for path in modules for package in path[-2:-1]}
        for name in dir(present):
            if any(f"{name}_".startswith(f"{package}_") for package in packages):
                getattr(present, name)  # loads it
        return self._functions(result, **options)


@ByClass
def table_of(result: Result) -> Table:
    """Everything that is shown of a result: by default its single values, below each other."""
    return Table(facts_of(result), [result], upright=True)


@ByClass
def facts_of(result: Result) -> tuple[Column[Any], ...]:
    """Single values of a result: a column each."""
    return facts(result.to_dict())


@ByClass
def sentence_of(result: Result) -> str:
    """The outcome, as a paper may print it."""
    raise NotImplementedError(f"There is no sentence of a {type(result).__name__}.")


def in_a_line(result: Result) -> str:
    """The single values as a note below rows: "topics 50; systems 8"; "" where there are none."""
    if not (columns := facts_of(result)):
        return ""
    (values,) = Table(columns, [result]).cells(wide=True)
    return "; ".join(f"{title} {text}" for title, text in values.items())


def interval_of(low: float, high: float, prefix: str = "") -> dict[str, Any]:
    """Options of the column of one value: its interval, whose ends are named "low" and "high"."""
    return {"interval": lambda _: (low, high), "ends": (f"{prefix}low", f"{prefix}high")}


def against_the_first(
    name: str, pvalues: Iterable[float], alpha: float = ALPHA, title: str = "p against the first"
) -> Column[int]:
    """p-values of all rows but the first, with which these are compared; the first has none."""
    values = [math.nan, *map(float, pvalues)]
    texts, strong = ["", *PVALUE.texts(values[1:])], [value <= alpha for value in values]
    return listed(name, PVALUE, values, title, text=texts.__getitem__, strong=strong.__getitem__)
