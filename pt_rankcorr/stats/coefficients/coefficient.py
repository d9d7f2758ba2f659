"""A coefficient as one object: its names, its function, and its closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, cast, overload

import numpy as np

from pt_rankcorr.stats.core.inputs import RankingsLike, ScoresLike, prepare_vectors
from pt_rankcorr.stats.core.types import TOLERANCE, Flags, Floats, Indices
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning, silencing, warn

P = ParamSpec("P")


class RankingFunction(Protocol[P]):
    """The type of a coefficient: a float for two single rankings, an array for `Rankings`."""

    @overload
    def __call__(
        self, reference: ScoresLike, estimate: ScoresLike, *args: P.args, **kwargs: P.kwargs
    ) -> float: ...

    @overload
    def __call__(
        self, reference: RankingsLike, estimate: RankingsLike, *args: P.args, **kwargs: P.kwargs
    ) -> float | Floats: ...


def takes_rankings(
    function: Callable[Concatenate[RankingsLike, RankingsLike, P], float | Floats],
) -> RankingFunction[P]:
    """The function itself, typed: single rankings give a float, and `Rankings` an array."""
    return cast("RankingFunction[P]", function)


def clip(coefficient: Floats, reference: Floats, estimate: Floats) -> Floats:
    """Coefficients, (...), kept in [-1, 1]; nan where a vector, (..., m), ties all systems."""
    return nan_where_all_tied(np.minimum(np.maximum(coefficient, -1.0), 1.0), reference, estimate)


def nan_where_all_tied(values: Floats, reference: Floats, estimate: Floats) -> Floats:
    """The values, shape (...), but nan where either vector, shape (..., m), ties all systems."""
    is_undefined = all_tied(reference) | all_tied(estimate)
    return np.where(is_undefined, np.nan, values) if is_undefined.any() else values


def finish(coefficient: Floats, name: str, or_where: str = "") -> float | Floats:
    """What a coefficient returns: a float of an array of shape (), else the array; warns of nan."""
    if np.isnan(coefficient).any():
        warn_of_ties(name, or_where)
    return float(coefficient) if coefficient.ndim == 0 else coefficient


def warn_of_ties(name: str, or_where: str = "") -> None:
    """Warns that a coefficient is nan, where all systems are tied or the other condition holds."""
    message = f"{name} is undefined where all systems are tied{or_where}: the result is nan."
    warn(message, DegenerateInputWarning)


def all_tied(scores: Floats) -> Flags:
    """Whether all systems have one score: shape (...), of scores of shape (..., m)."""
    # most often the first and the last differ, and no others need be looked at
    ends_tie = np.asarray(scores[..., 0] == scores[..., -1])
    return np.asarray((scores == scores[..., :1]).all(axis=-1)) if ends_tie.any() else ends_tie


Function: TypeAlias = Callable[[Floats, Floats], Any]
Kernel: TypeAlias = Callable[[Floats, Floats], Floats]

# In names of columns this stands before the number of the reference's best systems: "tau@10".
AT = "@"


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of two rankings: use one of your own wherever a function takes the name of one.

    Args:
        name: The name for machines, in columns and arguments. One of your own may be called like
            one of this package, whose place it takes, but for those that tables show by default.
        title: The name for people, in tables.
        function: The function of the scores by the reference and by the estimate, arrays of shape
            (n_systems,), both finite and rounded to twelve significant digits; it returns a number
            in [-1, 1], or nan where undefined.
        symbol: For pictures, LaTeX and reports, by default the title; a thin space (U+2009) comes
            before a subscript.
        vectorized: Whether the function takes arrays of shape (..., n_systems) and returns one of
            shape (...). If not, it is called once for each resample of topics, which takes longer.
        pair_costs: A closed form for `contributions`, of both vectors in the order of the
            reference, best first: a symmetric array of shape (n_systems, n_systems) whose upper
            triangle adds up to 1 less the coefficient. Without it, all pairs are exchanged.
        swap_costs: A closed form for `swap_weights`: an array of shape (n_systems, n_systems), of
            which the upper triangle counts, of the scores of the reference, best first.
        citation: The key of its paper among the references of a report.
        family: The name of the coefficient that it is a variant of, by default its own.
        variant: Which variant of ties it is, "a" or "b", where a family has two.
        for_all_pairs: Computes a `matrix` of it, where that is faster than one row after the other.
        headline: Whether tables show it by default.
        symmetric: Whether it is the same with both sides exchanged.

    Raises:
        TypeError, ValueError: If a name is no text on one line, or has an "@" in it, or the
            function cannot be called.

    Example:
        >>> from scipy.stats import weightedtau
        >>> wtau = Coefficient("wtau", "weighted tau", lambda *sides: weightedtau(*sides)[0])
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
    for_all_pairs: Kernel | None = field(default=None, repr=False)
    headline: bool = field(default=False, repr=False)
    symmetric: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for parameter in ("name", "title"):
            text = getattr(self, parameter)
            if not isinstance(text, str):
                raise TypeError(f"`{parameter}` must be a text, got {shown(text)}.")
            if not text.strip() or AT in text or not text.isprintable():
                rule = f"`{parameter}` must be a text on one line without {AT!r}"
                raise ValueError(f"{rule}, got {shown(text)}.")
        if not callable(self.function):
            rule = "`function` must be a function of two vectors"
            raise TypeError(f"{rule}, got {shown(self.function)}.")
        object.__setattr__(self, "symbol", self.symbol or self.title)
        object.__setattr__(self, "family", self.family or self.name)

    def __call__(
        self, reference: object, estimate: object, *, missing: str = "error"
    ) -> float | Floats:
        """Called like `kendall_tau`: a float, or an array for `Rankings`; warns of nan."""
        vectors = prepare_vectors(reference, estimate, missing=missing)
        return finish(self.kernel(*vectors), self.title)

    @property
    def column(self) -> str:
        """The name of its columns, such as "tau b" for the variant "tau_b"."""
        return self.name if self.family == self.name else f"{self.family} {self.variant}"

    def kernel(self, reference: Floats, estimate: Floats) -> Floats:
        """The coefficients of arrays of shape (..., n_systems) that fit together: shape (...).

        Both are rounded, with systems in one order. It checks nothing that comes in, warns of
        nothing, and is nan where a vector ties all systems.
        """
        if self.vectorized:
            return np.asarray(self.function(reference, estimate))
        sides = np.broadcast_arrays(reference, estimate)
        rows = zip(*(scores.reshape(-1, scores.shape[-1]) for scores in sides), strict=True)
        # callers count the undefined ones, and warn once
        with silencing(DegenerateInputWarning):
            values = [self._call_function(first, second) for first, second in rows]
        return np.array(values, dtype=np.float64).reshape(sides[0].shape[:-1])

    def matrix(self, references: Floats, estimates: Floats) -> Floats:
        """That of each reference with each estimate: shape (n, k), of shapes (n, m) and (k, m)."""
        if self.for_all_pairs is None:
            rows = [self.kernel(reference, estimates) for reference in references]
            return np.array(rows).reshape(len(references), len(estimates))
        values = np.clip(self.for_all_pairs(references, estimates), -1.0, 1.0)
        is_undefined = all_tied(references)[:, np.newaxis] | all_tied(estimates)
        return np.where(is_undefined, np.nan, values)

    def costs_of_pairs(self, reference: Floats, estimate: Floats) -> Floats:
        """What each pair of systems lowers the coefficient by: symmetric, shape (m, m).

        Both vectors, shape (m,), are in the order of the reference, best first: see
        `contributions`.
        """
        if self.pair_costs:
            return self.pair_costs(reference, estimate)
        # (m, m), upper triangle: by how much the coefficient rises if a pair exchanges its scores
        observed = self.kernel(reference, estimate)
        rises = _exchanged(self.kernel, reference, estimate) - observed
        gains = np.triu(np.maximum(rises, 0.0), k=1)
        # the rises are scaled, so that they add up to 1 less the coefficient
        if gains.any():
            gains *= (1.0 - observed) / gains.sum()
        # no exchange gains anything, and yet something is lost: no pair can be said to cost it
        elif observed != 1.0:
            gains[:] = np.nan
        return np.asarray(gains + gains.T)

    def costs_of_swaps(self, reference: Floats) -> Floats:
        """The costs of exchanges, (m, m), upper triangle, of scores in descending order."""
        if self.swap_costs:
            return self.swap_costs(reference)
        return swaps_by_exchange(self.kernel, reference)

    def _call_function(self, reference: Floats, estimate: Floats) -> float:
        """What a function of two vectors returns, checked; it gets copies, which it may change."""
        rule = "must return one number, from -1 to 1, for two vectors of shape (n_systems,)"
        must = f"`coefficient` {rule}"
        try:
            returned = self.function(reference.copy(), estimate.copy())
            value = np.asarray(returned, dtype=np.float64)
        except Exception as error:
            raised = f"{type(error).__name__} ({shown(error)})"
            raise ValueError(f"{must}, but it raised {raised}.") from error
        if value.shape or returned is None:
            seen = "None" if returned is None else f"an array of shape {value.shape}"
            raise ValueError(f"{must}, got {seen}.")
        if abs(value) > 1.0 + TOLERANCE:
            raise ValueError(f"{must}, got {value}.")
        return float(value)


# what the arguments `coefficient` and `coefficients` take
CoefficientLike: TypeAlias = str | Coefficient | Function


def place_range_of_ties(reference: Floats) -> tuple[Indices, Indices]:
    """The place of the first member of each system's tie, and that after its last.

    Scores descend; all three arrays have the shape (m,).
    """
    ascending = -reference
    start = np.searchsorted(ascending, ascending, side="left")
    return start, np.searchsorted(ascending, ascending, side="right")


def swaps_by_exchange(kernel: Kernel, reference: Floats) -> Floats:
    """The costs of exchanges, (m, m), upper triangle, in the time of m^2/2 coefficients."""
    return np.triu(kernel(reference, reference) - _exchanged(kernel, reference, reference), k=1)


def _exchanged(kernel: Kernel, reference: Floats, estimate: Floats) -> Floats:
    """The coefficient if a pair exchanges its scores in the estimate: (m, m), upper triangle."""
    size = reference.size
    coefficients = np.zeros((size, size))
    # for one system at a time, a row for each later one: the estimate with both scores exchanged
    for first in range(size - 1):
        later = np.arange(first + 1, size)
        exchanged = np.tile(estimate, (later.size, 1))
        exchanged[:, first] = estimate[later]
        exchanged[np.arange(later.size), later] = estimate[first]
        coefficients[first, later] = kernel(np.broadcast_to(reference, exchanged.shape), exchanged)
    return coefficients
