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
        equal_systems: Systems with the scores of an earlier one on all topics, by all measures.
        averaged: How many scores each is the mean of, in words; empty where it is of one.
        lower_by_name: Measures whose names alone say that lower is better: "cost", an arrow.
        judged_documents: The number of judgments; None if scores came without them.
        retrieved_judged_documents: How many of these any system retrieved for the topic.
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
        copies = "Systems with the same scores as an earlier one on all topics (copies of a run?)"
        sets = {**self.exclusions(), "Measures that look rounded": tuple(self.rounded)}
        sets[copies] = self.equal_systems
        notes += [f"{what}: {len(them)} ({listing(them)})." for what, them in sets.items() if them]
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

        sizes = {"n_topics": len(self.topics), "n_systems": len(self.systems)}
        values = {name: plain(value) for name, value in vars(self).items()}
        del values["topics"], values["systems"]
        return {**sizes, **values}


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, ScoreMatrix]):
    """Score matrices of several measures over the same topics and systems, by name of the measure.

    Args:
        matrices: Measure name -> score matrix, or the matrices alone if each names its measure.
        alignment: The report of the alignment: which scores were used, dropped and filled in.

    Raises:
        TypeError, ValueError: If there are no matrices, two have one name, or their labels differ.
    """

    matrices: Mapping[str, ScoreMatrix]
    alignment: Alignment = field(default_factory=Alignment)

    def __init__(
        self,
        matrices: Mapping[str, ScoreMatrix] | Sequence[ScoreMatrix],
        alignment: Alignment | None = None,
    ) -> None:
        if isinstance(matrices, Mapping):
            pairs: list[tuple[Any, ScoreMatrix]] = list(matrices.items())
        else:
            pairs = [(getattr(matrix, "measure", None), matrix) for matrix in matrices]
        for name, matrix in pairs:
            if not isinstance(matrix, ScoreMatrix):
                under = "" if name is None else f" under {shown(str(name))}"
                seen = f"{type(matrix).__name__}{under}. `ScoreMatrix` makes one."
                raise TypeError(f"`matrices` must be score matrices, got {seen}")
            if name is None:
                rule = "`matrices` must each have a measure, or be given by its name"
                raise ValueError(f"{rule}, got {shown(matrix)}.")
        check_distinct([str(name) for name, _ in pairs], "measures")
        if not pairs:
            raise ValueError("`matrices` must hold at least one measure, got none.")
        named = {str(name): matrix.named(name) for name, matrix in pairs}
        (first_name, first), *others = named.items()
        for name, matrix in others:
            pair = f"{shown_name(first_name)} and {shown_name(name)}"
            for what in ("topics", "systems"):
                labels, first_labels = getattr(matrix, what), getattr(first, what)
                if labels != first_labels:
                    different = {*labels} ^ {*first_labels}
                    seen = f"differences in {listing(different)}" if different else "another order"
                    rule = f"`matrices` must share their {what}"
                    raise ValueError(f"{rule}, got {seen} between {pair}.")
            if matrix.design != first.design:
                rule = "`matrices` must share their clusters and strata"
                raise ValueError(f"{rule}, got others in {pair}.")
        object.__setattr__(self, "matrices", MappingProxyType(named))
        alignment = alignment or Alignment(topics=first.topics, systems=first.systems)
        object.__setattr__(self, "alignment", alignment)

    def __getitem__(self, measure: object) -> ScoreMatrix:
        """The matrix of an ir_measures measure or of a name, in any case if that is unambiguous."""
        name = str(measure)
        if name in self.matrices:
            return self.matrices[name]
        others_in_case = [known for known in self if known.casefold() == name.casefold()]
        if len(others_in_case) == 1:
            return self.matrices[others_in_case[0]]
        close = closest(name, self.matrices)
        hint = "" if close is None else f". Did you mean {close!r}?"
        known = ", ".join(map(shown_name, self.matrices))
        raise KeyError(f"no measure {shown(name)}; there are {known}{hint}")

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
        measures = self.measures if measures is None else measures
        chosen = [self.measures[place] for place in positions(measures, self.measures, "measures")]
        selected = {name: self[name].select(systems=systems, topics=topics) for name in chosen}
        return self._with(selected)

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> Scores:
        """The scores without the named systems and topics."""
        return self._with({name: self[name].drop(systems=systems, topics=topics) for name in self})

    def with_design(self, *, clusters: object = None, strata: object = None) -> Scores:
        """The same scores, for topics in clusters or strata; see `ScoreMatrix.with_design`."""
        design = self._first.with_design(clusters=clusters, strata=strata).design
        return self._with({name: matrix.of_design(design) for name, matrix in self.items()})

    def drop_worst(self, proportion: float, *, measure: object) -> Scores:
        """The scores without the systems that `ScoreMatrix.drop_worst` drops by this measure."""
        return self.select(systems=self[measure].drop_worst(proportion).systems)

    def _with(self, matrices: dict[str, ScoreMatrix]) -> Scores:
        """These matrices, with the report of the alignment for what is left."""
        if not matrices:
            raise ValueError("`measures` must name at least one measure, got none.")
        first = next(iter(matrices.values()))
        return Scores(matrices, replace(self.alignment, topics=first.topics, systems=first.systems))

    def to_frame(self) -> pd.DataFrame:
        """A tidy frame as `pt.Experiment(perquery=True)` returns it: name, qid, measure, value."""
        stacked = np.stack([matrix.values.T for matrix in self.matrices.values()], axis=-1)
        index = pd.MultiIndex.from_product([self.systems, self.topics, self.measures])
        rows = index.to_frame(index=False, name=["name", "qid", "measure"])
        return rows.assign(value=stacked.ravel())

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
        size = f"{len(self.topics)} topics{self._first.in_design} x {len(self.systems)} systems"
        names = ", ".join(map(shown_name, self.measures))
        return f"Scores({size} x {len(self)} measures: {names})"

    def _repr_html_(self) -> str:
        return html(f"{self!r} {self.alignment}", self.averages())
