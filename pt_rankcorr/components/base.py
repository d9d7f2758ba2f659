"""The common ground of all components: they check a frame, turn it into scores, and join columns on to it."""

from __future__ import annotations

import copy
import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import Measure

from pt_rankcorr.io.align import COLUMNS
from pt_rankcorr.io.experiment import scores_from_experiment
from pt_rankcorr.io.measure_names import find_measure, is_count
from pt_rankcorr.io.paths import MeasureLike
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import listing, resample_count, share
from pt_rankcorr.stats.core.resampling import RandomState, generator, seed_of
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

Measured: TypeAlias = Mapping[str, Mapping[str, "float | Floats"]]  # measure -> column -> one value, or one a system


class Component(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Adds columns to the frame that `pt.Experiment(perquery=True)` returns: name, qid, measure, value.

    A subclass names its `columns` and computes them from the scores in `compute`. It keeps its constructor's
    arguments under their own names, and its repr shows them.
    """

    columns: tuple[str, ...]
    label: ClassVar[str] = "component"  # in PyTerrier's drawings
    compares: ClassVar[bool] = True  # whether each measure is compared with a reference measure
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, **own: Any) -> None:
        """Takes class attributes as keywords, and makes `help` show the arguments, as `pt.Transformer` takes any."""
        super().__init_subclass__()
        for name, value in own.items():
            setattr(cls, name, value)
        signature = inspect.signature(cls.__init__)
        cls.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    @property
    def schematic(self) -> dict[str, str | None]:
        """Its entry in PyTerrier's drawings."""
        return {"label": self.label, "help_url": None}

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
        measured, systems = self.compute(scores), list(scores.systems)
        tables = [
            pd.DataFrame(dict(values), index=systems, columns=list(self.columns), dtype=float)
            for values in measured.values()
        ]
        table = pd.concat(tables).set_axis(pd.MultiIndex.from_product([list(measured), systems]))
        cells = pd.MultiIndex.from_arrays([frame["measure"].astype(str), frame["name"].astype(str)])
        added = table.reindex(cells).set_axis(frame.index)
        return frame.assign(**{column: added[column] for column in self.columns})

    def resample_with(self, n_resamples: object, rng: RandomState, n_jobs: int | None, *, at_least: int = 1) -> None:
        """Keeps the arguments of the resampling, checked."""
        self.n_resamples: int = resample_count(n_resamples, at_least=at_least)
        generator(rng)
        self.rng: RandomState = rng
        self.n_jobs: int | None = n_jobs

    @abstractmethod
    def compute(self, scores: Scores) -> Measured:
        """The columns of each measure: one value, or one per system in the order of `scores.systems`."""

    def check(self, measures: Sequence[str], n_systems: int) -> None:
        """An error if there is nothing to compute; an experiment also calls it before it runs."""
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
        return measures[0] if reference is None else find_measure(reference, measures, "reference")

    def bind(self, **defaults: Any) -> Component:
        """A copy in which these values replace arguments that were left None."""
        bound = copy.copy(self)
        for name, value in defaults.items():
            if hasattr(bound, name) and getattr(bound, name) is None:
                setattr(bound, name, value)
        return bound

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind, with equal arguments."""
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters.values()
        arguments = [
            repr(getattr(self, p.name)) if p.kind is p.POSITIONAL_OR_KEYWORD else f"{p.name}={getattr(self, p.name)!r}"
            for p in parameters
            if getattr(self, p.name) != p.default
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"


class OfEachMeasure(Component, compares=False):
    """A component whose columns describe each measure alone, over the same resamples of topics."""

    def compute(self, scores: Scores) -> Measured:
        """The columns of every measure."""
        settings = {"n_resamples": self.n_resamples, "rng": seed_of(self.rng), "n_jobs": self.n_jobs}
        return {
            measure: dict(zip(self.columns, self.values(matrix, **settings), strict=True))
            for measure, matrix in scores.items()
        }

    @abstractmethod
    def values(self, matrix: ScoreMatrix, **resampling: Any) -> Sequence[float | Floats]:
        """What the columns hold, in their order."""


def measure_or_none(reference: MeasureLike | None) -> MeasureLike | None:
    """The reference as it was given, if it can be a measure at all."""
    if reference is not None and not isinstance(reference, (str, Measure)):
        raise TypeError(f"`reference` must be an ir_measures measure or a name, got {shown(reference)}.")
    return reference


def level_or_none(parameter: str, level: object) -> float | None:
    """The level of an interval, or None; True is no level."""
    if isinstance(level, (bool, np.bool_)):
        raise TypeError(f"`{parameter}` must be None or a level such as 0.95, got {level}.")
    return None if level is None else share(parameter, level)
