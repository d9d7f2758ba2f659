"""Score matrices: what every statistic takes, settled once, labelled, and never changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from pt_rankcorr.alignment import Alignment
from pt_rankcorr.labels import check_distinct, labels, positions, without
from pt_rankcorr.stats._text import shown, shown_name, visible_lines
from pt_rankcorr.stats.checks import listing, share
from pt_rankcorr.stats.order import Floats, Labels, as_matrix, ranks, system_means
from pt_rankcorr.stats.summaries import ABOVE_ZERO

if TYPE_CHECKING:  # the statistics, and these matrices, are of use without pandas
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix:
    """The scores of systems on topics by one measure; higher is better.

    Every statistic takes one (it stands for an array of its values), and picks up the labels.

    Args:
        values: Scores, shape (n_topics, n_systems), finite. They are copied and made read-only.
        topics: One distinct name a topic, "t1", "t2", ... by default.
        systems: One distinct name a system, "s1", "s2", ... by default.
        measure: The name of the measure.
        negated: Whether the measure is better when lower and the values are therefore its negatives.

    Raises:
        TypeError: If the values are not numbers.
        ValueError: If they are not a matrix, not finite, or the names do not match it or repeat.

    Example:
        >>> ScoreMatrix([[0.2, 0.4], [0.5, 0.9]], systems=["bm25", "dph"], measure="AP")
        ScoreMatrix('AP', 2 topics x 2 systems, means 0.35 to 0.65, best 'dph')
    """

    values: Floats
    topics: Labels = ()
    systems: Labels = ()
    measure: str | None = None
    negated: bool = False

    def __init__(
        self,
        values: ArrayLike,
        topics: Sequence[object] | None = None,
        systems: Sequence[object] | None = None,
        measure: str | None = None,
        negated: bool = False,
    ) -> None:
        matrix = as_matrix(values, "values", min_systems=1).copy()
        matrix.setflags(write=False)
        settled = {
            "values": matrix,
            "topics": labels(topics, matrix.shape[0], "topics", "t"),
            "systems": labels(systems, matrix.shape[1], "systems", "s"),
            "measure": None if measure is None else str(measure),
            "negated": negated,
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, measure: str | None = None) -> ScoreMatrix:
        """From a data frame with one row a topic and one column a system, both named by its labels."""
        return cls(frame.to_numpy(), list(frame.index), list(frame.columns), measure)

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one row a topic and one column a system."""
        import pandas as pd

        return pd.DataFrame(
            self.values.copy(), index=pd.Index(self.topics, name="topic"), columns=pd.Index(self.systems, name="system")
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(n_topics, n_systems)."""
        return self.n_topics, self.n_systems

    @property
    def n_topics(self) -> int:
        """The number of topics."""
        return len(self.topics)

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return len(self.systems)

    @cached_property
    def means(self) -> Floats:
        """The mean of every system, rounded to twelve significant digits, shape (n_systems,)."""
        return _read_only(system_means(self.values))

    @cached_property
    def ranks(self) -> Floats:
        """The rank of every system by its mean: 1 is the best, ties share their average rank."""
        return _read_only(ranks(self.means))

    @property
    def ranking(self) -> Labels:
        """The systems, best first; tied ones in alphabetical order."""
        mean = dict(zip(self.systems, self.means, strict=True))
        return tuple(sorted(self.systems, key=lambda system: (-mean[system], system)))

    def mean_of(self, system: str) -> float:
        """The mean score of one system."""
        return float(self.means[positions([system], self.systems, "systems")[0]])

    def select(self, *, systems: Sequence[object] | None = None, topics: Sequence[object] | None = None) -> ScoreMatrix:
        """The matrix of the named systems and topics, in the order of the names; None is all.

        Raises:
            ValueError: If a name is unknown or repeats, or no system or topic would be left.
        """
        columns = positions(self.systems if systems is None else systems, self.systems, "systems")
        rows = positions(self.topics if topics is None else topics, self.topics, "topics")
        return ScoreMatrix(
            self.values[np.ix_(rows, columns)],
            [self.topics[row] for row in rows],
            [self.systems[column] for column in columns],
            self.measure,
            self.negated,
        )

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> ScoreMatrix:
        """The matrix without the named systems and topics.

        Raises:
            ValueError: If a name is unknown, or no system or topic would be left.
        """
        return self.select(
            systems=without(self.systems, systems, "systems"), topics=without(self.topics, topics, "topics")
        )

    def drop_worst(self, proportion: float) -> ScoreMatrix:
        """The matrix without the worst systems: those whose mean is below that quantile of the means.

        TREC studies drop the worst quarter, `drop_worst(0.25)`, where failed runs would make any ranking look easy.

        Raises:
            ValueError: If the proportion is not between 0 and 1.
        """
        bound = np.quantile(self.means, share("proportion", proportion))
        return self.select(
            systems=[system for system, mean in zip(self.systems, self.means, strict=True) if mean >= bound]
        )

    def geometric(self) -> ScoreMatrix:
        """The logs of the scores, log(x + 0.00001): their means rank systems as the geometric mean of the scores does.

        Geometric means stress the topics on which a system does worst. Every statistic of means, and every test of
        them, is one of geometric means when given this matrix.

        Raises:
            ValueError: If a score is negative.

        References:
            Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.1.
        """
        if self.values.min() < 0.0:
            raise ValueError(f"`values` must not be negative to have a geometric mean, got {self.values.min():.4g}.")
        measure = None if self.measure is None else f"log {self.measure}"
        return ScoreMatrix(np.log(self.values + ABOVE_ZERO), self.topics, self.systems, measure)

    def named(self, measure: str) -> ScoreMatrix:
        """The same scores under another name of the measure."""
        return ScoreMatrix(self.values, self.topics, self.systems, measure, self.negated)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The values, so that numpy and every statistic take the matrix for an array."""
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
        return ScoreMatrix, (self.values, self.topics, self.systems, self.measure, self.negated)

    def _identity(self) -> tuple[object, ...]:
        return (self.topics, self.systems, self.measure, self.negated)

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f"{shown(self.measure)}, "
        lower = ", negated because lower is better" if self.negated else ""
        return (
            f"ScoreMatrix({measure}{self.n_topics} topics x {self.n_systems} systems, means {self.means.min():.4g} "
            f"to {self.means.max():.4g}, best {shown(self.ranking[0])}{lower})"
        )

    def _repr_html_(self) -> str:
        import pandas as pd

        frame = pd.DataFrame({"system": self.systems, "mean": self.means, "rank": self.ranks})
        return _html(repr(self), frame.sort_values(["rank", "system"]))


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, ScoreMatrix]):
    """Score matrices of several measures over the same topics and systems, by the name of the measure.

    Args:
        matrices: Measure name -> score matrix, or the matrices alone if each has its measure.
        alignment: How the scores came in: what was used, dropped and filled.

    Raises:
        TypeError: If something else than score matrices is given.
        ValueError: If there are none, two have one name, or topics or systems differ.
    """

    matrices: Mapping[str, ScoreMatrix]
    alignment: Alignment = field(default_factory=Alignment)

    def __init__(
        self, matrices: Mapping[str, ScoreMatrix] | Sequence[ScoreMatrix], alignment: Alignment | None = None
    ) -> None:
        named = _named(matrices)
        _check_same(named)
        object.__setattr__(self, "matrices", MappingProxyType(named))
        object.__setattr__(self, "alignment", alignment or _alignment_of(named))

    def __getitem__(self, measure: object) -> ScoreMatrix:
        """The matrix of a measure, given by its name or as an ir_measures measure."""
        try:
            return self.matrices[str(measure)]
        except KeyError:
            raise KeyError(
                f"no measure {shown(str(measure))}; there are {', '.join(map(shown_name, self.matrices))}"
            ) from None

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
        """The scores of the named systems, topics and measures, in the order of the names; None is all.

        Raises:
            ValueError: If a name is unknown or repeats, or nothing would be left.
        """
        chosen = self.measures if measures is None else [str(measure) for measure in measures]
        positions(chosen, self.measures, "measures")
        return self._with({name: self.matrices[name].select(systems=systems, topics=topics) for name in chosen})

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> Scores:
        """The scores without the named systems and topics.

        Raises:
            ValueError: If a name is unknown, or no system or topic would be left.
        """
        return self._with({name: matrix.drop(systems=systems, topics=topics) for name, matrix in self.matrices.items()})

    def drop_worst(self, proportion: float, *, measure: object) -> Scores:
        """The scores without the systems that `ScoreMatrix.drop_worst` drops by that measure."""
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
        """One row a system, one column of means a measure, as `pt.Experiment` shows them."""
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
            f"Scores({len(self.topics)} topics x {len(self.systems)} systems x {len(self)} measures: "
            f"{', '.join(map(shown_name, self.measures))})"
        )

    def _repr_html_(self) -> str:
        return _html(f"{self!r} {self.alignment}", self.averages())


def _read_only(array: Floats) -> Floats:
    array.setflags(write=False)
    return array


# --- several measures --------------------------------------------------------------------------------------


def _named(matrices: Mapping[str, ScoreMatrix] | Sequence[ScoreMatrix]) -> dict[str, ScoreMatrix]:
    pairs = (
        list(matrices.items())
        if isinstance(matrices, Mapping)
        else [(getattr(matrix, "measure", None), matrix) for matrix in matrices]
    )
    for name, matrix in pairs:
        if not isinstance(matrix, ScoreMatrix):
            raise TypeError(f"`matrices` must be score matrices, got {type(matrix).__name__}.")
        if name is None:
            raise ValueError(f"`matrices` must each have a measure, got {shown(matrix)}.")
    names = [str(name) for name, _ in pairs]
    check_distinct(names, "measures")
    if not names:
        raise ValueError("`matrices` must hold at least one measure, got none.")
    return {name: matrix.named(name) for name, (_, matrix) in zip(names, pairs, strict=True)}


def _check_same(matrices: dict[str, ScoreMatrix]) -> None:
    first_name, first = next(iter(matrices.items()))
    for name, matrix in matrices.items():
        for what in ("topics", "systems"):
            if getattr(matrix, what) != getattr(first, what):
                different = set(getattr(matrix, what)) ^ set(getattr(first, what))
                seen = f"differences in {listing(different)}" if different else "another order"
                pair = f"{shown_name(first_name)} and {shown_name(name)}"
                raise ValueError(f"`matrices` must share their {what}, got {seen} between {pair}.")


def _alignment_of(matrices: dict[str, ScoreMatrix]) -> Alignment:
    first = next(iter(matrices.values()))
    return Alignment(topics=first.topics, systems=first.systems)


def _html(caption: str, frame: pd.DataFrame) -> str:
    from html import escape

    table = frame.to_html(index=False, escape=True, float_format="{:.4f}".format)
    return visible_lines(f"<p>{escape(caption)}</p>{table}")
