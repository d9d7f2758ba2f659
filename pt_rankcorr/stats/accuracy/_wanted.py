"""What is computed from two vectors of means: coefficients by name, of all systems or of the best ones, or one's own."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients.table import COEFFICIENTS, KERNELS, several
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.studentised import TOLERANCE
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning

Correlation: TypeAlias = Callable[[Floats, Floats], Any]
Indices = NDArray[np.intp]

AT = "@"  # before the number of the reference's best systems


class Asked(Protocol):
    """Coefficients, their names, and how they are computed."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names."""

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All of them for arrays of shape (..., n_systems): shape (..., n_columns)."""

    def in_order(self, systems: Indices) -> Asked:
        """The same, of vectors in which systems have an order of their own."""


@dataclass(frozen=True)
class Wanted:
    """Coefficients, of all systems, and of the reference's best ones if `top` says how many.

    Attributes:
        names: Those of `KERNELS`.
        top: How many of the best; None for none of them. Those are chosen by each pair of vectors anew.
        places: The place of each system in the order that breaks ties at the border, shape (n_systems,).
    """

    names: tuple[str, ...]
    top: int | None
    places: Indices

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, then those of the best systems: "tau@10"."""
        return self.names if self.top is None else (*self.names, *(f"{name}{AT}{self.top}" for name in self.names))

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All of them for arrays of shape (..., n_systems): shape (..., n_columns)."""
        found = [*several(self.names, reference, estimate).values()]
        if self.top is not None:
            best = np.lexsort((np.broadcast_to(self.places, reference.shape), -reference))[..., : self.top]
            chosen = (np.take_along_axis(scores, best, axis=-1) for scores in (reference, estimate))
            found += several(self.names, *chosen).values()
        return np.stack(found, axis=-1)

    def in_order(self, systems: Indices) -> Wanted:
        """The same, of vectors in which systems have an order of their own."""
        return replace(self, places=self.places[systems])


@dataclass(frozen=True)
class OneOf:
    """One column of several."""

    several: Asked
    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Its name."""
        return (self.column,)

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """Shape (..., 1)."""
        at = self.several.columns.index(self.column)
        return self.several.of(reference, estimate)[..., at : at + 1]

    def in_order(self, systems: Indices) -> OneOf:
        """The same, of vectors in which systems have an order of their own."""
        return replace(self, several=self.several.in_order(systems))


@dataclass(frozen=True)
class Own:
    """A coefficient of one's own, which gets systems in the order of what was given.

    Attributes:
        coefficient: A function of two vectors.
        given: Where each system of that order is, shape (n_systems,); None where they are in it.
    """

    coefficient: Correlation
    given: Indices | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of the function."""
        return (getattr(self.coefficient, "__name__", type(self.coefficient).__name__),)

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """Shape (..., 1)."""
        if self.given is not None:
            reference, estimate = reference[..., self.given], estimate[..., self.given]
        return _call(self.coefficient, reference, estimate)[..., np.newaxis]

    def in_order(self, systems: Indices) -> Own:
        """The same, of vectors in which systems have an order of their own."""
        return replace(self, given=np.argsort(systems))


def asked_for(coefficient: object, places: Indices) -> Asked:
    """By its name, as "tau", that of the best ten, as "tau@10", or a function."""
    if callable(coefficient):
        return Own(coefficient)
    best = re.fullmatch(rf"(\w+){AT}([1-9]\d*)", coefficient) if isinstance(coefficient, str) else None
    if best is None:
        named = coefficient if coefficient in KERNELS else one_of("coefficient", coefficient, tuple(COEFFICIENTS))
        return Wanted((str(named),), None, places)
    name, top = best[1], int(best[2])
    if name not in KERNELS:
        one_of("coefficient", name, tuple(COEFFICIENTS))
    if not 2 <= top <= places.size:
        raise ValueError(f"`coefficient` must be of 2 to {places.size} best systems, got {coefficient!r}.")
    return OneOf(Wanted((name,), top, places), f"{name}{AT}{top}")


def _call(coefficient: Correlation, reference: Floats, estimate: Floats) -> Floats:
    pairs = zip(reference.reshape(-1, reference.shape[-1]), estimate.reshape(-1, estimate.shape[-1]), strict=True)
    with warnings.catch_warnings():  # an undefined draw is counted instead
        warnings.simplefilter("ignore", DegenerateInputWarning)
        values = [_call_once(coefficient, first.copy(), second.copy()) for first, second in pairs]
    return np.array(values).reshape(reference.shape[:-1])


def _call_once(coefficient: Correlation, reference: Floats, estimate: Floats) -> float:
    try:
        value = np.asarray(coefficient(reference, estimate), dtype=np.float64)
    except Exception as error:
        raise ValueError(f"{_MUST}, but it raised {type(error).__name__} ({shown(error)}).") from error
    if value.shape:
        raise ValueError(f"{_MUST}, got an array of shape {value.shape}.")
    if abs(value) > 1.0 + TOLERANCE:
        raise ValueError(f"{_MUST}, got {value}.")
    return float(value)


_MUST = "`coefficient` must return one number, from -1 to 1, for two vectors of shape (n_systems,)"
