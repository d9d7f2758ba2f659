"""What all components share: checks, settling the frame into scores, and joining columns on to it."""

from __future__ import annotations

import copy
import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import pandas as pd
import pyterrier as pt
from ir_measures import Measure

from pt_rankcorr.adapters.experiment import scores_from_experiment
from pt_rankcorr.adapters.measures import find_measure, is_count
from pt_rankcorr.adapters.settle import COLUMNS
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import listing
from pt_rankcorr.stats.order import Floats
from pt_rankcorr.stats.resampling import RandomState, generator

Measured: TypeAlias = Mapping[str, Mapping[str, "float | Floats"]]  # measure -> column -> one value, or one a system


class Component(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Adds columns to the frame that `pt.Experiment(perquery=True)` returns: name, qid, measure, value.

    A subclass names its `columns` and computes them from the scores in `measured`. It keeps its constructor's
    arguments under their own names, of which its repr is built.
    """

    columns: Sequence[str]
    compares: ClassVar[bool] = True  # whether each measure is compared with a reference measure

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The frame with this component's columns; the rows and their order stay."""
        # a column of that name is another component's, with other settings
        pt.validate.columns(inp, includes=COLUMNS, excludes=list(self.columns))
        if not len(inp):
            return inp.assign(**{column: pd.Series(dtype=float) for column in self.columns})
        return self.with_columns(inp, scores_from_experiment(inp))

    def with_columns(self, frame: pd.DataFrame, scores: Scores) -> pd.DataFrame:
        """The frame with this component's columns, computed from its scores."""
        self.check(scores.measures, len(scores.systems))
        return _joined(frame, self.columns, scores, self.measured(scores))

    @abstractmethod
    def measured(self, scores: Scores) -> Measured:
        """The columns of each measure: one value, or one a system in the order of `scores.systems`."""

    def check(self, measures: Sequence[str], n_systems: int) -> None:
        """Whether there is something to compute; called before an experiment is run as well.

        Raises:
            ValueError: If there are too few systems or measures, or the reference is not among the measures.
        """
        if n_systems < 2:
            raise ValueError(f"{self!r} needs at least 2 systems to rank, got {n_systems}.")
        ranking = [measure for measure in measures if not is_count(measure)]
        if not ranking:
            raise ValueError(f"{self!r} needs a measure that ranks systems, got only counts: {listing(measures)}.")
        if self.compares:
            reference = self.reference_among(ranking)
            if len(ranking) < 2:
                raise ValueError(f"{self!r} needs a second measure to compare with {reference}, got none.")

    def reference_among(self, measures: Sequence[str]) -> str:
        """The name of the reference measure: the one given, or else the first in the frame."""
        reference = getattr(self, "reference", None)
        return measures[0] if reference is None else find_measure(reference, measures)

    def bound(self, **defaults: Any) -> Component:
        """A copy in which arguments that were left None take these values, where it has them."""
        bound = copy.copy(self)
        for name, value in defaults.items():
            if hasattr(bound, name) and getattr(bound, name) is None:
                setattr(bound, name, value)
        return bound

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind, with equal arguments."""
        return type(self) is type(other) and repr(self) == repr(other)

    __hash__ = pt.Transformer.__hash__

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters.values()
        given = [
            repr(getattr(self, p.name)) if p.kind is p.POSITIONAL_OR_KEYWORD else f"{p.name}={getattr(self, p.name)!r}"
            for p in parameters
            if getattr(self, p.name) != p.default
        ]
        return f"{type(self).__name__}({', '.join(given)})"


def measure_or_none(reference: object) -> object:
    """The reference as it was given, if it can be a measure at all."""
    if reference is not None and not isinstance(reference, (str, Measure)):
        raise TypeError(f"`reference` must be an ir_measures measure or a name, got {shown(reference)}.")
    return reference


def checked_rng(rng: RandomState) -> RandomState:
    """The seed or generator as it was given, if it is one."""
    generator(rng)
    return rng


def shared_seed(rng: RandomState) -> int:
    """One seed for all measures of a frame, so that they are compared over the same resamples."""
    return int(generator(rng).integers(2**63))


def with_ends(column: str, interval: float | None) -> tuple[str, ...]:
    """A column, and those of the ends of its interval where one is asked for."""
    return (column,) if interval is None else (column, f"{column} low", f"{column} high")


def _joined(frame: pd.DataFrame, columns: Sequence[str], scores: Scores, measured: Measured) -> pd.DataFrame:
    cells = pd.MultiIndex.from_product([list(measured), scores.systems], names=["measure", "name"])
    table = pd.concat(
        [
            pd.DataFrame(dict(values), index=list(scores.systems), columns=list(columns), dtype=float)
            for values in measured.values()
        ]
    ).set_axis(cells)
    wanted = pd.MultiIndex.from_arrays([frame["measure"].astype(str), frame["name"].astype(str)])
    added = table.reindex(wanted).set_axis(frame.index)
    return frame.assign(**{column: added[column] for column in columns})
