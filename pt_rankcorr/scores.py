"""The scores of several measures, which every reader returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core.arguments import check_distinct, closest, listing, positions
from pt_rankcorr.stats.core.matrix import ScoreMatrix as ScoreMatrix
from pt_rankcorr.stats.core.matrix import html
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown, shown_name


@dataclass(frozen=True)
class Alignment:
    """How a set of scores was put together.

    Attributes:
        topics: Topics used.
        systems: Systems used.
        unjudged_topics: Topics left out because no judgment exists for them.
        unattempted_topics: Judged topics left out because no system has results for them.
        dropped_topics: Topics left out by the policy, because some systems have no score for them.
        dropped_systems: Systems left out by the policy, because they have no score for some topics.
        filled: System -> its topics that were scored 0 by the policy.
        ignored_measures: Measures left out because they count something and rank no systems.
        rounded: Measure -> the number of decimals it looks rounded to.
        equal_systems: Systems that have the scores of an earlier one on all topics, by all measures: copies of a run.
        averaged: How many scores each is the mean of, in words; empty where it is of one.
        lower_by_name: Measures that are better when lower, as their names alone say: "latency (ms)", "cost", an arrow.
        judged_documents: The number of judgments; None if scores came without them.
        retrieved_judged_documents: How many of these are of documents that any system retrieved for the topic.
    """

    topics: Labels = ()
    systems: Labels = ()
    unjudged_topics: Labels = ()
    unattempted_topics: Labels = ()
    dropped_topics: Labels = ()
    dropped_systems: Labels = ()
    filled: Mapping[str, Labels] = field(default_factory=dict)
    ignored_measures: Labels = ()
    rounded: Mapping[str, int] = field(default_factory=dict)
    equal_systems: Labels = ()
    averaged: str = ""
    lower_by_name: Labels = ()
    judged_documents: int | None = None
    retrieved_judged_documents: int | None = None

    def __str__(self) -> str:
        notes = [f"{len(self.systems)} systems on {len(self.topics)} topics."]
        if self.judged_documents is not None:
            retrieved = f"{self.retrieved_judged_documents} of {self.judged_documents}"
            notes.append(f"The runs have {retrieved} judged documents.")
        if self.averaged:
            notes.append(f"Scores are means of {self.averaged}.")
        if self.lower_by_name:
            notes.append(f"Lower is better, as the names say: {listing(self.lower_by_name)}.")
        sets = {**self.exclusions(), "Measures that look rounded": tuple(self.rounded)}
        sets["Systems with the same scores as an earlier one on all topics (copies of a run?)"] = self.equal_systems
        notes += [f"{what}: {len(names)} ({listing(names)})." for what, names in sets.items() if names]
        return " ".join(notes)

    def exclusions(self) -> dict[str, Labels]:
        """The kind of omission or filling, in words -> the names, where there are any."""
        everything = {
            "Topics without any judgment, left out": self.unjudged_topics,
            "Judged topics without results of any system, left out": self.unattempted_topics,
            "Topics without scores for some systems, left out": self.dropped_topics,
            "Systems without scores for some topics, left out": self.dropped_systems,
            "Systems with the default score on topics where they have none": tuple(self.filled),
            "Measures that do not rank systems, left out": self.ignored_measures,
        }
        return {what: names for what, names in everything.items() if names}

    def to_dict(self) -> dict[str, Any]:
        """The report for machines: counts, and lists of names."""

        def plain(value: Any) -> Any:  # tuples as lists, as JSON has them
            if isinstance(value, Mapping):
                return {name: plain(item) for name, item in value.items()}
            return list(value) if isinstance(value, tuple) else value

        others = {name: plain(value) for name, value in vars(self).items() if name not in ("topics", "systems")}
        return {"n_topics": len(self.topics), "n_systems": len(self.systems), **others}


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, ScoreMatrix]):
    """Score matrices of several measures over the same topics and systems, by the name of the measure.

    Args:
        matrices: Measure name -> score matrix, or the matrices alone if each names its measure.
        alignment: The report of the alignment: which scores were used, dropped and filled in.

    Raises:
        TypeError, ValueError: If there are no score matrices, two have one name, or topics or systems differ.
    """

    matrices: Mapping[str, ScoreMatrix]
    alignment: Alignment = field(default_factory=Alignment)

    def __init__(
        self, matrices: Mapping[str, ScoreMatrix] | Sequence[ScoreMatrix], alignment: Alignment | None = None
    ) -> None:
        if isinstance(matrices, Mapping):
            pairs: list[tuple[Any, ScoreMatrix]] = list(matrices.items())
        else:
            pairs = [(getattr(matrix, "measure", None), matrix) for matrix in matrices]
        for name, matrix in pairs:
            if not isinstance(matrix, ScoreMatrix):
                seen = f"{type(matrix).__name__}{'' if name is None else f' under {shown(str(name))}'}"
                raise TypeError(f"`matrices` must be score matrices, got {seen}. `ScoreMatrix` makes one.")
            if name is None:
                raise ValueError(f"`matrices` must each have a measure, or be given by its name, got {shown(matrix)}.")
        check_distinct([str(name) for name, _ in pairs], "measures")
        if not pairs:
            raise ValueError("`matrices` must hold at least one measure, got none.")
        named = {str(name): matrix.named(name) for name, matrix in pairs}
        (first_name, first), *others = named.items()
        for name, matrix in others:
            pair = f"{shown_name(first_name)} and {shown_name(name)}"
            for what in ("topics", "systems"):
                if getattr(matrix, what) != getattr(first, what):
                    different = set(getattr(matrix, what)) ^ set(getattr(first, what))
                    seen = f"differences in {listing(different)}" if different else "another order"
                    raise ValueError(f"`matrices` must share their {what}, got {seen} between {pair}.")
            if matrix.design != first.design:
                raise ValueError(f"`matrices` must share their clusters and strata, got others in {pair}.")
        object.__setattr__(self, "matrices", MappingProxyType(named))
        object.__setattr__(self, "alignment", alignment or Alignment(topics=first.topics, systems=first.systems))

    def __getitem__(self, measure: object) -> ScoreMatrix:
        """The matrix of a measure, given as an ir_measures measure or by name, in any case if that is unambiguous."""
        name = str(measure)
        names = [name] if name in self.matrices else [known for known in self if known.casefold() == name.casefold()]
        if len(names) == 1:
            return self.matrices[names[0]]
        hint = "" if (close := closest(name, self.matrices)) is None else f". Did you mean {close!r}?"
        raise KeyError(f"no measure {shown(name)}; there are {', '.join(map(shown_name, self.matrices))}{hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.matrices)

    def __len__(self) -> int:
        return len(self.matrices)

    @property
    def measures(self) -> Labels:
        """The names of the measures."""
        return tuple(self.matrices)

    @property
    def systems(self) -> Labels:
        """The names of the systems."""
        return self._first.systems

    @property
    def topics(self) -> Labels:
        """The names of the topics."""
        return self._first.topics

    @property
    def _first(self) -> ScoreMatrix:
        return next(iter(self.matrices.values()))

    def select(
        self,
        *,
        systems: Sequence[object] | None = None,
        topics: Sequence[object] | None = None,
        measures: Sequence[object] | None = None,
    ) -> Scores:
        """The scores of the named systems, topics and measures, in that order; None keeps all."""
        chosen = self.measures if measures is None else [str(measure) for measure in measures]
        positions(chosen, self.measures, "measures")  # only for its error of unknown names
        return self._with({name: self.matrices[name].select(systems=systems, topics=topics) for name in chosen})

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> Scores:
        """The scores without the named systems and topics."""
        return self._with({name: matrix.drop(systems=systems, topics=topics) for name, matrix in self.matrices.items()})

    def with_design(self, *, clusters: object = None, strata: object = None) -> Scores:
        """The same scores, for topics that depend on each other or come from several collections; see `ScoreMatrix`."""
        design = self._first.with_design(clusters=clusters, strata=strata).design
        return self._with({name: matrix.of_design(design) for name, matrix in self.items()})

    def drop_worst(self, proportion: float, *, measure: object) -> Scores:
        """The scores without the systems that `ScoreMatrix.drop_worst` drops by this measure."""
        return self.select(systems=self[measure].drop_worst(proportion).systems)

    def _with(self, matrices: dict[str, ScoreMatrix]) -> Scores:  # with the report of the alignment, of what is left
        first = next(iter(matrices.values()), None)
        if first is None:
            raise ValueError("`measures` must name at least one measure, got none.")
        return Scores(matrices, replace(self.alignment, topics=first.topics, systems=first.systems))

    def to_frame(self) -> pd.DataFrame:
        """A tidy frame as `pt.Experiment(perquery=True)` returns it: name, qid, measure, value."""
        stacked = np.stack([matrix.values.T for matrix in self.matrices.values()], axis=-1)
        index = pd.MultiIndex.from_product([self.systems, self.topics, self.measures], names=["name", "qid", "measure"])
        return pd.DataFrame({"value": stacked.ravel()}, index=index).reset_index()

    def averages(self) -> pd.DataFrame:
        """Means with one row per system and one column per measure, as in `pt.Experiment`."""
        return pd.DataFrame({"name": self.systems, **{name: self[name].means for name in self}})

    def __eq__(self, other: object) -> bool:
        """Whether the measures and their matrices are equal."""
        return self.matrices == other.matrices if isinstance(other, Scores) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self.matrices.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Scores, (dict(self.matrices), self.alignment)

    def __repr__(self) -> str:
        return (
            f"Scores({len(self.topics)} topics{self._first.in_design} x {len(self.systems)} systems x {len(self)} "
            f"measures: {', '.join(map(shown_name, self.measures))})"
        )

    def _repr_html_(self) -> str:
        return html(f"{self!r} {self.alignment}", self.averages())
