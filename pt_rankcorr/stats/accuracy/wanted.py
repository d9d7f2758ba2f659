"""What is computed from two vectors of means: coefficients, of all systems or of the best ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients.coefficient import AT, Coefficient
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, as_coefficient, several
from pt_rankcorr.stats.core.types import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Wanted:
    """Coefficients, of all systems, and of the reference's best ones if `top` says how many.

    Attributes:
        coefficients: Which.
        top: How many of the best; None for none of them. Those are chosen by each pair of vectors anew.
        places: The place of each system in the order that breaks ties at the border, shape (n_systems,); None for that
            of the vectors.
        of_all: Whether of all systems, too, where `top` is given.
        given: Where each system of the order that was given is, shape (n_systems,): functions of one's own get that
            order. None where vectors are in it.
    """

    coefficients: tuple[Coefficient, ...]
    top: int | None
    places: Indices | None
    of_all: bool = True
    given: Indices | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, then those of the best systems: "tau@10"."""
        names = tuple(each.name for each in self.coefficients)
        best = () if self.top is None else tuple(f"{name}{AT}{self.top}" for name in names)
        return (*names, *best) if self.of_all else best

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All of them for arrays of shape (..., n_systems): shape (..., n_columns)."""
        found = [*self._each(reference, estimate, self.given)] if self.of_all else []
        if self.top is not None:
            places = np.arange(reference.shape[-1]) if self.places is None else self.places
            best = np.lexsort((np.broadcast_to(places, reference.shape), -reference))[..., : self.top]
            first, second = (np.take_along_axis(scores, best, axis=-1) for scores in (reference, estimate))
            found += self._each(first, second, None)
        return np.stack(found, axis=-1)

    def _each(self, reference: Floats, estimate: Floats, given: Indices | None) -> Iterator[Floats]:
        known = several([each for each in self.coefficients if each.name in COEFFICIENTS], reference, estimate)
        if given is not None:
            reference, estimate = reference[..., given], estimate[..., given]
        for each in self.coefficients:
            yield known[each.name] if each.name in known else each.kernel(reference, estimate)

    def in_order(self, systems: Indices) -> Wanted:
        """The same, of vectors in which systems have an order of their own."""
        places = None if self.places is None else self.places[systems]
        return replace(self, places=places, given=np.argsort(systems))


def asked_for(coefficient: object, places: Indices | None) -> Wanted:
    """A coefficient, as "tau", or that of the best ten, as "tau@10"; for its columns alone without places."""
    best = re.fullmatch(rf"(\w+){AT}([1-9]\d*)", coefficient) if isinstance(coefficient, str) else None
    if best is None:
        return Wanted((as_coefficient(coefficient),), None, places)
    top, most = int(best[2]), sys.maxsize if places is None else places.size
    if not 2 <= top <= most:
        raise ValueError(f"`coefficient` must be of at least 2 systems, and of all at most, got {coefficient!r}.")
    return Wanted((as_coefficient(best[1]),), top, places, of_all=False)
