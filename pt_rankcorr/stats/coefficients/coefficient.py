"""A coefficient as one object: its names, its function, and its closed forms."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias

import numpy as np

from pt_rankcorr.stats.coefficients.counting import OfCounts
from pt_rankcorr.stats.coefficients.undefined import Correlations, finish
from pt_rankcorr.stats.core.inputs import vectors_of
from pt_rankcorr.stats.core.means import TOLERANCE
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning

Function: TypeAlias = Callable[[Floats, Floats], Any]
Kernel: TypeAlias = Callable[[Floats, Floats], Floats]

AT = "@"  # in the names of columns, before the number of the reference's best systems


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of two rankings: use one of your own wherever a function takes a coefficient.

    Functions with an argument `coefficient` or `coefficients` take the name of one that this package knows, or such an
    object. You can call it like `kendall_tau`.

    Args:
        name: The name for machines, in columns and arguments.
        title: The name for people, in tables.
        function: The function of the scores by the reference and by the estimate, arrays of shape (n_systems,), both
            finite and rounded to twelve significant digits; it returns a number in [-1, 1], or nan where undefined.
        symbol: For pictures and reports, by default the title; a thin space (U+2009) stands before a subscript.
        vectorized: Whether the function takes arrays of shape (..., n_systems) and returns one of shape (...). If not,
            it is called once for each resample of topics, which takes longer.
        pair_costs: A closed form of the cost of each pair of systems. It takes both vectors, in the order of the
            reference, best first, and returns a symmetric array of shape (n_systems, n_systems) whose upper triangle
            adds up to 1 less the coefficient. Without it, `contributions` exchanges all pairs.
        swap_costs: A closed form of the cost of exchanging each pair. It takes the scores of the reference, best first,
            and returns an array of shape (n_systems, n_systems); only the upper triangle counts. Without it,
            `swap_weights` exchanges all pairs.
        citation: The key of its paper among the references of a report.
        family: The name of the coefficient that it is a variant of, by default its own.
        variant: Which variant of ties it is, "a" or "b", where a family has two.
        of_counts: The function from counts of what stands above each system, which several coefficients share.
        headline: Whether tables show it by default.

    Raises:
        TypeError: If a name is not a text, or the function cannot be called.
        ValueError: If a name is empty, or has an "@" or a line break in it.

    Example:
        >>> from scipy.stats import weightedtau
        >>> wtau = Coefficient("wtau", "weighted tau", lambda reference, estimate: weightedtau(reference, estimate)[0])
        >>> round(wtau([4, 3, 2, 1], [4, 3, 1, 2]), 4)
        0.8133
    """

    name: str
    title: str
    function: Function = field(repr=False)
    _: KW_ONLY
    symbol: str = field(default="", repr=False)
    vectorized: bool = field(default=False, repr=False)
    pair_costs: Kernel | None = field(default=None, repr=False)
    swap_costs: Callable[[Floats], Floats] | None = field(default=None, repr=False)
    citation: str = field(default="", repr=False)
    family: str = field(default="", repr=False)
    variant: str = field(default="", repr=False)
    of_counts: OfCounts | None = field(default=None, repr=False)
    headline: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for parameter in ("name", "title"):
            text = getattr(self, parameter)
            if not isinstance(text, str):
                raise TypeError(f"`{parameter}` must be a text, got {shown(text)}.")
            if not text.strip() or AT in text or not text.isprintable():
                raise ValueError(f"`{parameter}` must be a text on one line without {AT!r}, got {shown(text)}.")
        if not callable(self.function):
            raise TypeError(f"`function` must be a function of two vectors, got {shown(self.function)}.")
        object.__setattr__(self, "symbol", self.symbol or self.title)
        object.__setattr__(self, "family", self.family or self.name)

    def __call__(self, reference: object, estimate: object, *, missing: str = "error") -> Correlations:
        """Called like `kendall_tau`: a float, or an array for `Rankings`; nan, with a warning, where undefined."""
        return finish(self.kernel(*vectors_of(reference, estimate, missing)), self.title)

    @property
    def column(self) -> str:
        """What columns are called: "tau b" for the variant "tau_b"."""
        return self.name if self.family == self.name else f"{self.family} {self.variant}"

    def kernel(self, reference: Floats, estimate: Floats) -> Floats:
        """Of arrays of shape (..., n_systems) that fit together, rounded and in one order of systems: shape (...).

        It checks nothing that comes in, warns of nothing, and is nan where a vector ties all systems.
        """
        if self.vectorized:
            return np.asarray(self.function(reference, estimate))
        both = np.broadcast_arrays(reference, estimate)
        rows = (scores.reshape(-1, scores.shape[-1]) for scores in both)
        with warnings.catch_warnings():  # what is undefined is counted instead
            warnings.simplefilter("ignore", DegenerateInputWarning)
            values = [self._of_one(first.copy(), second.copy()) for first, second in zip(*rows, strict=True)]
        return np.array(values).reshape(both[0].shape[:-1])

    def _of_one(self, reference: Floats, estimate: Floats) -> float:
        try:
            value = np.asarray(self.function(reference, estimate), dtype=np.float64)
        except Exception as error:
            raise ValueError(f"{_MUST}, but it raised {type(error).__name__} ({shown(error)}).") from error
        if value.shape:
            raise ValueError(f"{_MUST}, got an array of shape {value.shape}.")
        if abs(value) > 1.0 + TOLERANCE:
            raise ValueError(f"{_MUST}, got {value}.")
        return float(value)


CoefficientLike: TypeAlias = str | Coefficient | Function  # wherever one is named
_MUST = "`coefficient` must return one number, from -1 to 1, for two vectors of shape (n_systems,)"
