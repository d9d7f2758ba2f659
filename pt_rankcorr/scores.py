"""Score matrices, the input of every statistic: checked once, labelled, and read-only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from pt_rankcorr.alignment import Alignment
from pt_rankcorr.names import check_distinct, closest, labels, positions, without
from pt_rankcorr.stats.core.arguments import listing, share
from pt_rankcorr.stats.core.design import Design, LabelledMatrix, design_of, warn_if_uneven
from pt_rankcorr.stats.core.floats import cell_of, place
from pt_rankcorr.stats.core.inputs import as_table, labels_of, topics_of
from pt_rankcorr.stats.core.results import read_only
from pt_rankcorr.stats.core.summaries import ABOVE_ZERO
from pt_rankcorr.stats.core.topic_labels import labels_of_topics
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown, shown_name, visible_lines

if TYPE_CHECKING:  # the statistics, and these matrices, are of use without pandas
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix(LabelledMatrix):
    """The scores of systems on topics by one measure; higher is better.

    Every statistic takes one in place of an array, and matches its systems and topics by name.

    Args:
        values: Scores, shape (n_topics, n_systems), finite: an array, a nested list, or a data frame, whose index and
            columns are the names of topics and systems. A column "topic", "qid" or the like names the topics instead
            of the index. Copied, and read-only.
        topics: Distinct names of topics; by default those of a frame, or "t1", "t2", ..., which are not matched.
        systems: Distinct names of systems; by default those of a frame, or "s1", "s2", ..., which are not matched.
        measure: The name of the measure.
        negated: Whether the measure is better when lower, so that the values are its negatives.
        clusters, strata: Which topics depend on each other, and which collections they belong to: see `with_design`.

    Raises:
        TypeError: If the values are not numbers.
        ValueError: If they are not a matrix or not finite, if names or labels do not match it, or if names repeat.

    Example:
        >>> ScoreMatrix([[0.2, 0.4], [0.5, 0.9]], systems=["bm25", "dph"], measure="AP")
        ScoreMatrix('AP', 2 topics x 2 systems, means 0.35 to 0.65, best 'dph')
    """

    values: Floats
    topics: Labels = ()
    systems: Labels = ()
    measure: str | None = None
    negated: bool = False
    design: Design | None = None

    def __init__(
        self,
        values: object,
        topics: Sequence[object] | None = None,
        systems: Sequence[object] | None = None,
        measure: str | None = None,
        negated: bool = False,
        *,
        clusters: object = None,
        strata: object = None,
    ) -> None:
        matrix = as_table(values, "values", place_of=partial(_place, topics, systems)).copy()
        topics = topics_of(values, "values") if topics is None else topics
        systems = labels_of(values, "values") if systems is None else systems
        named = labels(topics, matrix.shape[0], "topics", "t")
        groups = (labels_of_topics(clusters, named, "clusters"), labels_of_topics(strata, named, "strata"))
        fields = {
            "values": read_only(matrix),
            "topics": named,
            "systems": labels(systems, matrix.shape[1], "systems", "s"),
            "measure": None if measure is None else str(measure),
            "negated": negated,
            "design": design_of(values) if groups == (None, None) else Design.of(*groups),
            "has_topic_names": topics is not None,
            "has_system_names": systems is not None,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one row per topic and one column per system."""
        import pandas as pd

        return pd.DataFrame(
            self.values.copy(), index=pd.Index(self.topics, name="topic"), columns=pd.Index(self.systems, name="system")
        )

    def with_design(self, *, clusters: object = None, strata: object = None) -> ScoreMatrix:
        """The same scores, for topics that depend on each other or come from several collections.

        All statistics then resample whole clusters within each stratum, and count clusters as topics. Statistics that
        need single topics raise an error. Without arguments, topics are independent again.

        Args:
            clusters: Topic -> cluster, such as the turns of a conversation or the variants of a query: a mapping, a
                series, labels in the order of the topics, or a regular expression for the start of a topic's name, as
                "[^_]+" for the conversation of "31_4". The means of systems are still taken over topics.
            strata: Topic -> collection, in the same forms. The mean of a system is then the mean of its means on the
                collections, which all weigh the same.

        Raises:
            TypeError: If they have none of these forms.
            ValueError: If a topic has no label, or a stratum has only one independent topic.

        Warns:
            UnreliableResultWarning: If a few large clusters, or small strata, outweigh all others.

        Example:
            >>> turns = ["31_1", "31_2", "32_1", "33_1", "34_1", "35_1"]
            >>> ScoreMatrix([[0.1, 0.4], [0.3, 0.4], [0.8, 0.7]] * 2, topics=turns).with_design(clusters="[^_]+")
            ScoreMatrix(6 topics in 5 clusters x 2 systems, means 0.4 to 0.5, best 's2')
        """
        scores = self._like(self.values, self.measure, clusters, strata)
        warn_if_uneven(scores.design)
        return scores

    def with_values(self, values: object) -> ScoreMatrix:
        """Other scores of the same systems on the same topics, by the same measure."""
        return self._like(values, self.measure, *self.design_labels)

    def _like(self, values: object, measure: str | None, clusters: object, strata: object) -> ScoreMatrix:
        names = topics_of(self), labels_of(self)
        return ScoreMatrix(values, *names, measure, self.negated, clusters=clusters, strata=strata)

    @property
    def ranking(self) -> Labels:
        """The systems, best first; ties in alphabetical order."""
        mean = dict(zip(self.systems, self.means, strict=True))
        return tuple(sorted(self.systems, key=lambda system: (-mean[system], system)))

    def mean_of(self, system: str) -> float:
        """The mean score of one system."""
        return float(self.means[positions([system], self.systems, "system")[0]])

    def select(self, *, systems: Sequence[object] | None = None, topics: Sequence[object] | None = None) -> ScoreMatrix:
        """The matrix of the named systems and topics, in that order; None keeps all. At least one must be left."""
        columns = positions(self.systems if systems is None else systems, self.systems, "systems")
        rows = positions(self.topics if topics is None else topics, self.topics, "topics")
        clusters, strata = self.design.select(rows) if self.design else (None, None)
        return ScoreMatrix(
            self.values[np.ix_(rows, columns)],
            topics_of(self) if rows == list(range(self.n_topics)) else [self.topics[row] for row in rows],
            labels_of(self) if columns == list(range(self.n_systems)) else [self.systems[at] for at in columns],
            self.measure,
            self.negated,
            clusters=clusters,
            strata=strata,
        )

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> ScoreMatrix:
        """The matrix without the named systems and topics. At least one of each must be left."""
        return self.select(
            systems=without(self.systems, systems, "systems"), topics=without(self.topics, topics, "topics")
        )

    def drop_worst(self, proportion: float) -> ScoreMatrix:
        """The matrix without the systems whose mean is below this quantile of the means, between 0 and 1.

        TREC studies drop the worst quarter, `drop_worst(0.25)`, because failed runs make any two rankings look alike.
        """
        bound = np.quantile(self.means, share("proportion", proportion))
        return self.select(systems=[self.systems[at] for at in np.flatnonzero(self.means >= bound)])

    def geometric(self) -> ScoreMatrix:
        """The logs of the scores, log(x + 0.00001): their means rank systems as geometric means of the scores do.

        Geometric means stress the topics on which a system does worst. Scores must not be negative.

        References:
            Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.1.
        """
        if self.values.min() < 0.0:
            raise ValueError(f"`values` must not be negative to have a geometric mean, got {self.values.min():.4g}.")
        measure = None if self.measure is None else f"log {self.measure}"
        return self._like(np.log(self.values + ABOVE_ZERO), measure, *self.design_labels)

    def named(self, measure: str) -> ScoreMatrix:
        """The same scores under another name of the measure."""
        same = object.__new__(ScoreMatrix)  # all is checked, and its means and ranks stay
        same.__dict__.update(self.__dict__, measure=str(measure))
        return same

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The values, so that numpy and every statistic treat the matrix as an array."""
        if dtype is None or np.dtype(dtype) == self.values.dtype:
            return self.values.copy() if copy else self.values
        return self.values.astype(dtype)

    def __eq__(self, other: object) -> bool:
        """Whether values, labels and measure are all equal."""
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        return self._identity() == other._identity() and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self._identity(), (self.values + 0.0).tobytes()))  # -0.0 equals 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        clusters, strata = self.design_labels
        values = (self.values, topics_of(self), labels_of(self), self.measure, self.negated)
        return partial(ScoreMatrix, clusters=clusters, strata=strata), values

    def _identity(self) -> tuple[object, ...]:
        return (self.topics, self.systems, self.measure, self.negated, self.design)

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f"{shown(self.measure)}, "
        lower = ", negated because lower is better" if self.negated else ""
        return (
            f"ScoreMatrix({measure}{self.n_topics} topics{self.in_design} x {self.n_systems} systems, "
            f"means {self.means.min():.4g} to {self.means.max():.4g}, best {shown(self.ranking[0])}{lower})"
        )

    def _repr_html_(self) -> str:
        import pandas as pd

        frame = pd.DataFrame({"system": self.systems, "mean": self.means, "rank": self.ranks})
        return _html(repr(self), frame.sort_values(["rank", "system"]))


def _place(topics: Sequence[object] | None, systems: Sequence[object] | None, at: tuple[int, ...]) -> str:
    """Where a number stands in an array, for messages: by name where both have names, and enough of them."""
    if topics is None or systems is None or len(at) != 2 or len(topics) <= at[0] or len(systems) <= at[1]:
        return place(at)
    return cell_of(list(topics), list(systems), at)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, ScoreMatrix]):
    """Score matrices of several measures over the same topics and systems, by the name of the measure.

    Args:
        matrices: Measure name -> score matrix, or the matrices alone if each names its measure.
        alignment: The report of the alignment: which scores were used, dropped and filled in.

    Raises:
        TypeError: If anything but score matrices is given.
        ValueError: If there are none, two have one name, or topics or systems differ.
    """

    matrices: Mapping[str, ScoreMatrix]
    alignment: Alignment = field(default_factory=Alignment)

    def __init__(
        self, matrices: Mapping[str, ScoreMatrix] | Sequence[ScoreMatrix], alignment: Alignment | None = None
    ) -> None:
        named = _name_all(matrices)
        _check_same(named)
        object.__setattr__(self, "matrices", MappingProxyType(named))
        first = next(iter(named.values()))
        object.__setattr__(self, "alignment", alignment or Alignment(topics=first.topics, systems=first.systems))

    def __getitem__(self, measure: object) -> ScoreMatrix:
        """The matrix of a measure, given as an ir_measures measure or by name, in any case if that is unambiguous."""
        name = str(measure)
        spelt = [name] if name in self.matrices else [each for each in self if each.casefold() == name.casefold()]
        if len(spelt) == 1:
            return self.matrices[spelt[0]]
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
        positions(chosen, self.measures, "measures")
        return self._with({name: self.matrices[name].select(systems=systems, topics=topics) for name in chosen})

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> Scores:
        """The scores without the named systems and topics."""
        return self._with({name: matrix.drop(systems=systems, topics=topics) for name, matrix in self.matrices.items()})

    def with_design(self, *, clusters: object = None, strata: object = None) -> Scores:
        """The same scores, for topics that depend on each other or come from several collections; see `ScoreMatrix`."""
        labels = self._first.with_design(clusters=clusters, strata=strata).design_labels
        return self._with({name: of._like(of.values, name, *labels) for name, of in self.items()})

    def drop_worst(self, proportion: float, *, measure: object) -> Scores:
        """The scores without the systems that `ScoreMatrix.drop_worst` drops by this measure."""
        return self.select(systems=self[measure].drop_worst(proportion).systems)

    def _with(self, matrices: dict[str, ScoreMatrix]) -> Scores:
        first = next(iter(matrices.values()), None)
        if first is None:
            raise ValueError("`measures` must name at least one measure, got none.")
        return Scores(matrices, replace(self.alignment, topics=first.topics, systems=first.systems))

    def to_frame(self) -> pd.DataFrame:
        """A tidy frame as `pt.Experiment(perquery=True)` returns it: name, qid, measure, value."""
        import pandas as pd

        stacked = np.stack([matrix.values.T for matrix in self.matrices.values()], axis=-1)
        index = pd.MultiIndex.from_product([self.systems, self.topics, self.measures], names=["name", "qid", "measure"])
        return pd.DataFrame({"value": stacked.ravel()}, index=index).reset_index()

    def averages(self) -> pd.DataFrame:
        """Means with one row per system and one column per measure, as in `pt.Experiment`."""
        import pandas as pd

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
        return _html(f"{self!r} {self.alignment}", self.averages())


def _name_all(matrices: Mapping[str, ScoreMatrix] | Sequence[ScoreMatrix]) -> dict[str, ScoreMatrix]:
    if isinstance(matrices, Mapping):
        pairs: list[tuple[Any, ScoreMatrix]] = list(matrices.items())
    else:
        pairs = [(getattr(matrix, "measure", None), matrix) for matrix in matrices]
    for name, matrix in pairs:
        if not isinstance(matrix, ScoreMatrix):
            under = "" if name is None else f" under {shown(str(name))}"
            raise TypeError(
                f"`matrices` must be score matrices, got {type(matrix).__name__}{under}. `ScoreMatrix` makes one."
            )
        if name is None:
            raise ValueError(f"`matrices` must each have a measure, or be given by its name, got {shown(matrix)}.")
    names = [str(name) for name, _ in pairs]
    check_distinct(names, "measures")
    if not names:
        raise ValueError("`matrices` must hold at least one measure, got none.")
    return {name: matrix.named(name) for name, (_, matrix) in zip(names, pairs, strict=True)}


def _check_same(matrices: dict[str, ScoreMatrix]) -> None:
    first_name, first = next(iter(matrices.items()))
    for name, matrix in matrices.items():
        pair = f"{shown_name(first_name)} and {shown_name(name)}"
        for what in ("topics", "systems"):
            if getattr(matrix, what) != getattr(first, what):
                different = set(getattr(matrix, what)) ^ set(getattr(first, what))
                seen = f"differences in {listing(different)}" if different else "another order"
                raise ValueError(f"`matrices` must share their {what}, got {seen} between {pair}.")
        if matrix.design != first.design:
            raise ValueError(f"`matrices` must share their clusters and strata, got others in {pair}.")


def _html(caption: str, frame: pd.DataFrame) -> str:
    from html import escape

    table = frame.to_html(index=False, escape=True, float_format="{:.4f}".format)
    return visible_lines(f"<p>{escape(caption)}</p>{table}")
