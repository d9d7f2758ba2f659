"""What every statistic works on: a score matrix, of topics x systems, or rankings, of one score a system.

`as_scores` makes one of these of whatever a caller has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

from pt_rankcorr.stats.core import arguments, headings, summary_rows
from pt_rankcorr.stats.core.design import Design, warn_if_uneven
from pt_rankcorr.stats.core.means import ranks, rounded_scores, system_means
from pt_rankcorr.stats.core.types import Floats, Labels, cached_property, read_only
from pt_rankcorr.text import shown, visible_lines
from pt_rankcorr.warnings import RoundedScoresWarning, warn

ABOVE_ZERO = 0.00001  # added to scores before their log: a score may be 0
LONG_FORM = {"name", "qid", "value"}  # and "measure": what experiments return query by query
DECIMALS = (2, 3, 4, 5)  # to which tools round scores
FEWEST_VALUES = 20  # distinct ones that tell a rounded measure from a coarse one
ROUNDED = (
    "Rounding makes ties and hides small differences. Evaluate without rounding if you can (pt.Experiment without "
    "`round=`), and round only what you show."
)


class ScoreMatrix:
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
        TypeError, ValueError: If the values are no matrix of finite numbers, or names do not match it or repeat.

    Example:
        >>> ScoreMatrix([[0.2, 0.4], [0.5, 0.9]], systems=["bm25", "dph"], measure="AP")
        ScoreMatrix('AP', 2 topics x 2 systems, means 0.35 to 0.65, best 'dph')
    """

    values: Floats
    topics: Labels
    systems: Labels
    measure: str | None = None
    negated: bool = False
    design: Design | None = None
    has_topic_names: bool
    has_system_names: bool

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
        scores = as_scores(values, "values")
        if isinstance(scores, Rankings):
            raise ValueError(f"`values` must be of shape (n_topics, n_systems), got {scores.kind}.")
        check_size(scores)
        topics = scores.topic_names if topics is None else topics
        systems = scores.system_names if systems is None else systems
        labels = arguments.labels(topics, scores.n_topics, "topics", "t")
        design = Design.of_labels(clusters, strata, labels)
        self.__dict__.update(
            values=read_only(scores.values.copy()),
            topics=labels,
            systems=arguments.labels(systems, scores.n_systems, "systems", "s"),
            measure=None if measure is None else str(measure),
            negated=negated,
            design=scores.design if clusters is None and strata is None else design,
            has_topic_names=topics is not None,
            has_system_names=systems is not None,
        )

    @classmethod
    def of_checked(cls, values: Floats, topics: Labels | None, systems: Labels | None, **flags: bool) -> ScoreMatrix:
        """Of values and names that are known to be right, and are not copied."""
        scores = cls.__new__(cls)
        scores.__dict__.update(
            values=values,
            topics=arguments.labels(None, values.shape[0], "topics", "t") if topics is None else topics,
            systems=arguments.labels(None, values.shape[1], "systems", "s") if systems is None else systems,
            **({"has_topic_names": topics is not None, "has_system_names": systems is not None} | flags),
        )
        return scores

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a score matrix is read-only: make another with another `{name}`")

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

    @property
    def n_independent(self) -> int:
        """How many independent topics, or clusters of topics, there are."""
        return self.design.n_clusters if self.design else self.n_topics

    @property
    def topic_names(self) -> Labels | None:
        """The names of the topics, where somebody gave them."""
        return self.topics if self.has_topic_names else None

    @property
    def system_names(self) -> Labels | None:
        """The names of the systems, where somebody gave them."""
        return self.systems if self.has_system_names else None

    @cached_property
    def rows(self) -> Floats:
        """What statistics take for an independent sample of topics, a row for each topic or cluster of topics."""
        return self.values if self.design is None else self.design.rows(self.values)

    @cached_property
    def means(self) -> Floats:
        """The mean of every system, rounded to twelve digits, shape (n_systems,)."""
        return system_means(self.rows)

    @cached_property
    def ranks(self) -> Floats:
        """The rank of every system by its mean, where 1 is the best and ties share their average rank."""
        return ranks(self.means)

    @property
    def ranking(self) -> Labels:
        """The systems, best first; ties in alphabetical order."""
        mean = dict(zip(self.systems, self.means, strict=True))
        return tuple(sorted(self.systems, key=lambda system: (-mean[system], system)))

    def mean_of(self, system: str) -> float:
        """The mean score of one system."""
        return float(self.means[arguments.positions([system], self.systems, "system")[0]])

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one row per topic and one column per system."""
        index, columns = pd.Index(self.topics, name="topic"), pd.Index(self.systems, name="system")
        return pd.DataFrame(self.values.copy(), index=index, columns=columns)

    @property
    def design_labels(self) -> tuple[Labels | None, Labels | None]:
        """The cluster and the stratum of each topic."""
        return (self.design.clusters, self.design.strata) if self.design else (None, None)

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
            TypeError, ValueError: If a topic has no label, or a stratum has only one independent topic.

        Warns:
            UnreliableResultWarning: If a few large clusters, or small strata, outweigh all others.

        Example:
            >>> turns = ["31_1", "31_2", "32_1", "33_1", "34_1", "35_1"]
            >>> ScoreMatrix([[0.1, 0.4], [0.3, 0.4], [0.8, 0.7]] * 2, topics=turns).with_design(clusters="[^_]+")
            ScoreMatrix(6 topics in 5 clusters x 2 systems, means 0.4 to 0.5, best 's2')
        """
        design = Design.of_labels(clusters, strata, self.topics)
        warn_if_uneven(design)
        return self.of_design(design)

    def of_design(self, design: Design | None) -> ScoreMatrix:
        """The same scores, of topics in this design."""
        return self._with(design=design)

    def with_values(self, values: object) -> ScoreMatrix:
        """Other scores of the same systems on the same topics, by the same measure."""
        return self._with(values=ScoreMatrix(values, self.topics, self.systems).values)

    def named(self, measure: str) -> ScoreMatrix:
        """The same scores under another name of the measure."""
        return self._with(measure=str(measure))

    def _with(self, **changed: Any) -> ScoreMatrix:
        """The same with other attributes, of the same shape."""
        scores = ScoreMatrix.__new__(ScoreMatrix)
        scores.__dict__.update({name: getattr(self, name) for name in ScoreMatrix.__annotations__} | changed)
        return scores

    def select(self, *, systems: Sequence[object] | None = None, topics: Sequence[object] | None = None) -> ScoreMatrix:
        """The matrix of the named systems and topics, in that order; None keeps all. At least one must be left."""
        columns = arguments.positions(self.systems if systems is None else systems, self.systems, "systems")
        rows = arguments.positions(self.topics if topics is None else topics, self.topics, "topics")
        return check_size(self.take(rows, columns))

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> ScoreMatrix:
        """The matrix of the topics and systems at these positions; None keeps all."""
        rows = range(self.n_topics) if rows is None else rows
        columns = range(self.n_systems) if columns is None else columns
        return self._with(
            values=read_only(np.ascontiguousarray(self.values[np.ix_(rows, columns)])),
            topics=tuple(self.topics[row] for row in rows),
            systems=tuple(self.systems[column] for column in columns),
            design=self.design and self.design.select(rows),
            has_topic_names=self.has_topic_names or list(rows) != list(range(self.n_topics)),
            has_system_names=self.has_system_names or list(columns) != list(range(self.n_systems)),
        )

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> ScoreMatrix:
        """The matrix without the named systems and topics. At least one of each must be left."""
        return self.select(
            systems=arguments.without(self.systems, systems, "systems"),
            topics=arguments.without(self.topics, topics, "topics"),
        )

    def drop_worst(self, proportion: float) -> ScoreMatrix:
        """The matrix without the systems whose mean is below this quantile of the means, between 0 and 1.

        TREC studies drop the worst quarter, `drop_worst(0.25)`, because failed runs make any two rankings look alike.
        """
        bound = np.quantile(self.means, arguments.share("proportion", proportion))
        return self.take(columns=np.flatnonzero(self.means >= bound).tolist())

    def geometric(self) -> ScoreMatrix:
        """The logs of the scores, log(x + 0.00001): their means rank systems as geometric means of the scores do.

        Geometric means stress the topics on which a system does worst. Scores must not be negative.

        References:
            Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.1.
        """
        if self.values.min() < 0.0:
            raise ValueError(f"`values` must not be negative to have a geometric mean, got {self.values.min():.4g}.")
        measure = None if self.measure is None else f"log {self.measure}"
        return self._with(values=read_only(np.log(self.values + ABOVE_ZERO)), measure=measure)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The values, so that numpy and every statistic treat the matrix as an array."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        """Whether values, labels and measure are all equal."""
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        return self._identity() == other._identity() and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self._identity(), (self.values + 0.0).tobytes()))  # -0.0 equals 0.0

    def _identity(self) -> tuple[object, ...]:
        return (self.topics, self.systems, self.measure, self.negated, self.design)

    @property
    def in_design(self) -> str:
        """In words, the clusters and strata that the topics are in."""
        return f" in {self.design}" if self.design else ""

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f"{shown(self.measure)}, "
        lower = ", negated because lower is better" if self.negated else ""
        return (
            f"ScoreMatrix({measure}{self.n_topics} topics{self.in_design} x {self.n_systems} systems, "
            f"means {self.means.min():.4g} to {self.means.max():.4g}, best {shown(self.ranking[0])}{lower})"
        )

    def _repr_html_(self) -> str:
        frame = pd.DataFrame({"system": self.systems, "mean": self.means, "rank": self.ranks})
        return html(repr(self), frame.sort_values(["rank", "system"]))


def check_size(scores: ScoreMatrix) -> ScoreMatrix:
    for count, what in zip(scores.shape, ("topics", "systems"), strict=True):
        if count < 1:
            raise ValueError(f"`values` must have at least 1 {what}, got 0.")
    return scores


class Rankings:
    """Many rankings of the same systems, each given by scores: one ranking per row.

    A function of one ranking takes these too, and returns an array of shape (...) instead of a float. A plain array
    of two dimensions is always topics x systems, whose means rank.

    Args:
        values: Scores, higher is better, shape (..., n_systems); a data frame with one column per system; or a series.
        systems: Distinct names of systems; by default those of the frame's columns.
        lower_is_better: Whether the values are ranks, or otherwise better when lower; they are negated.

    Attributes:
        values: The scores, rounded to twelve digits as means are, read-only.
        systems: The names of the systems; None if they have none.

    Raises:
        TypeError, ValueError: If the values are no finite numbers, or the names do not match them or repeat.

    Example:
        >>> import pt_rankcorr as rc
        >>> rc.kendall_tau([3, 2, 1], Rankings([[3, 2, 1], [1, 2, 3]])).tolist()
        [1.0, -1.0]
    """

    values: Floats
    systems: Labels | None  # of a series that only numbers its systems, inside this package, these numbers
    has_system_names: bool
    design = topics = topic_names = n_independent = None  # as there are no topics

    def __init__(
        self, values: object, systems: Sequence[object] | None = None, *, lower_is_better: bool = False
    ) -> None:
        values = as_pandas(values, "values")
        if isinstance(values, (ScoreMatrix, Rankings, pd.DataFrame)):
            scores = as_scores(values, "values")
            numbers, known = scores.values, scores.system_names
        else:
            numbers, labels, are_names = as_labelled(values, "values", "systems")
            known = labels if are_names else None
        if numbers.ndim == 0:
            raise ValueError(f"`values` must be of shape (..., n_systems), got the single number {numbers}.")
        if systems is not None:
            known = arguments.distinct(systems, "systems", "systems")
        if known is not None and len(known) != numbers.shape[-1]:
            raise ValueError(f"`systems` must name all {numbers.shape[-1]} systems, got {len(known)} names.")
        numbers = 0.0 - numbers if arguments.flag("lower_is_better", lower_is_better) else numbers
        self.values, self.systems, self.has_system_names = read_only(rounded_scores(numbers)), known, known is not None

    @classmethod
    def of_rounded(cls, values: Floats, systems: Labels | None = None, are_names: bool = True) -> Rankings:
        """From scores that are known to be finite and rounded, and are not copied."""
        rankings = cls.__new__(cls)
        rankings.values, rankings.systems, rankings.has_system_names = read_only(values), systems, are_names
        return rankings

    @property
    def means(self) -> Floats:
        """The scores by which systems are ranked."""
        return self.values

    @property
    def shape(self) -> tuple[int, ...]:
        """(..., n_systems)."""
        return self.values.shape

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return int(self.values.shape[-1])

    @property
    def system_names(self) -> Labels | None:
        """The names of the systems, where somebody gave them."""
        return self.systems if self.has_system_names else None

    @property
    def kind(self) -> str:
        """What messages call them."""
        return f"shape {self.shape}" if self.values.ndim == 1 else "rankings"

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Rankings:
        """Some of the rankings."""
        chosen = self.values[index]
        if chosen.shape[-1:] != (self.n_systems,):
            raise IndexError(f"an index must choose rankings and no systems, got {index!r}")
        return Rankings.of_rounded(chosen, self.systems)

    def select(self, *, systems: Sequence[object]) -> Rankings:
        """The rankings of the named systems."""
        return self.take(columns=arguments.positions(systems, self.systems or (), "systems"))

    def take(self, *, columns: Sequence[int]) -> Rankings:
        """The rankings of the systems at these positions."""
        systems = self.systems and tuple(self.systems[column] for column in columns)
        return Rankings.of_rounded(np.ascontiguousarray(self.values[..., columns]), systems)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        """The scores."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Rankings(shape {self.shape}{'' if self.systems is None else ', named systems'})"


def as_scores(scores: object, parameter: str) -> ScoreMatrix | Rankings:
    """What a caller gave as scores, with its names.

    An array, a nested list or a frame of two dimensions is topics x systems. What has one dimension, and a mapping, is
    one score a system. A mapping of a single score matrix, such as `Scores` of one measure, is that matrix.
    """
    if isinstance(scores, (ScoreMatrix, Rankings)):
        return scores
    if isinstance(scores, Mapping) and len(scores) == 1:
        (only,) = scores.values()
        if isinstance(only, ScoreMatrix):
            return only
    scores = as_pandas(scores, parameter)
    if isinstance(scores, pd.DataFrame):
        return _of_frame(scores, parameter)
    values, systems, are_names = as_labelled(scores, parameter, "systems")
    if values.ndim == 2:
        return ScoreMatrix.of_checked(values, None, None)
    if values.ndim != 1:
        seen = f"the single number {values}" if values.ndim == 0 else f"shape {values.shape}"
        advice = " (many rankings at once: `rc.stats.Rankings`)" if values.ndim else ""
        raise ValueError(f"`{parameter}` must be of shape (n_topics, n_systems) or (n_systems,), got {seen}{advice}.")
    return Rankings.of_rounded(rounded_scores(values), systems, are_names)


def system_names(scores: object) -> Labels:
    """The names of the systems, or "s1", "s2", ... where they have none."""
    checked = as_scores(scores, "scores")
    return checked.system_names or arguments.labels(None, checked.n_systems, "systems", "s")


def as_pandas(values: Any, parameter: str) -> Any:
    """A frame or series of polars, pyarrow or another library as one of pandas; anything else as it is."""
    if isinstance(values, (pd.DataFrame, pd.Series, np.ndarray, Mapping)):
        return values
    if hasattr(values, "to_pandas"):
        try:
            return values.to_pandas()
        except ImportError as error:
            name = getattr(error, "name", None) or "pyarrow"
            how = f"which its `to_pandas()` does with {name}: pip install {name}"
            raise ImportError(f"`{parameter}` must become a frame of pandas, {how}") from error
    check_no_names_are_lost(values, parameter)
    return values


def check_no_names_are_lost(values: object, parameter: str) -> None:
    """A list of series, or a table that cannot become one of pandas, is refused: an array of it would have no names."""
    if any(hasattr(type(values), mark) for mark in ("__dataframe__", "columns", "coords")):
        seen = f"a table of type {type(values).__name__}: make it a frame of pandas"
        raise TypeError(f"`{parameter}` must keep the names of its columns, got {seen}.")
    if isinstance(values, (list, tuple)) and any(isinstance(value, pd.Series) for value in values):
        advice = "`pandas.DataFrame` of the list matches them by name"
        raise TypeError(f"`{parameter}` must keep the names of its systems, got a list of series: {advice}.")


def as_labelled(scores: Any, parameter: str, what: str) -> tuple[Floats, Labels | None, bool]:
    """A series, mapping or array as numbers, the labels of its items, and whether these are names.

    Labels 0, 1, 2, ... of a series are no names: they are matched only with the same numbers in another order.
    """
    if isinstance(scores, Mapping):
        labels = arguments.distinct(scores, parameter, what)
        if scores and all(isinstance(value, ScoreMatrix) for value in scores.values()):
            several = f"several measures, {arguments.listing(scores)}: choose one, or call it for each"
            raise TypeError(f"`{parameter}` must be an array of numbers, got {several}.")
        values = arguments.as_floats(list(scores.values()), parameter, labels)
        if values.ndim != 1:
            shape = values.shape[1:]
            raise ValueError(f"`{parameter}` must have a single score for each name, got arrays of shape {shape}.")
        return values, labels, True
    if isinstance(scores, pd.Series):
        labels = arguments.distinct(scores.index, parameter, what)
        return arguments.as_floats(scores, parameter, labels), labels, not arguments.counts(scores.index)
    return arguments.as_floats(scores, parameter), None, False


def _of_frame(frame: pd.DataFrame, parameter: str) -> ScoreMatrix:
    """One row a topic and one column a system; but for a column of topics, and summaries of all topics or systems."""
    wanted = f"`{parameter}` must have one row a topic and one column a system, got"
    if set(frame.columns) >= LONG_FORM:
        long_form = f"a frame in long form, with columns {arguments.listing(frame.columns)}"
        raise TypeError(f"{wanted} {long_form}: read it with `scores_from_experiment`.")
    _check_systems_are_columns(frame, wanted)
    place, counter = _topic_column(frame, parameter)
    index = frame.index if place is None else pd.Index(frame.iloc[:, place])
    frame = frame.iloc[:, [column for column in range(frame.shape[1]) if column not in (place, counter)]]
    topics_given, systems_given = not arguments.counts(index), not arguments.counts(frame.columns)
    topics = arguments.distinct(index, parameter, "topics")
    systems = arguments.distinct(frame.columns, parameter, "systems")
    numbers = arguments.as_numbers(frame)
    if numbers is None:
        are_numbers = [arguments.as_numbers(frame.iloc[:, column]) is not None for column in range(len(systems))]
        others = arguments.listing(np.array(systems)[~np.array(are_numbers)])
        raise TypeError(f"{wanted} columns that hold no numbers: {others}.")
    if systems_given:
        headings.refuse_measures(systems, f"`{parameter}`")
    if topics_given:
        numbers, topics = _without_summary_rows(numbers, topics, systems)
    values = arguments.as_floats(numbers, parameter, topics, systems)
    if systems_given and (over_all := summary_rows.summary_columns(systems, values)).any():
        summary_rows.warn_of_columns([system for system, is_over in zip(systems, over_all, strict=True) if is_over])
        values, systems = np.ascontiguousarray(values[:, ~over_all]), tuple(np.array(systems)[~over_all].tolist())
    if topics_given and systems_given:
        headings.refuse_transposed(topics, systems, f"`{parameter}`")
    if (decimals := decimals_of(values)) in DECIMALS[1:]:  # ratios of counts, such as P@20, have two
        warn(f"`{parameter}` looks rounded to {decimals} decimals. {ROUNDED}", RoundedScoresWarning)
    return ScoreMatrix.of_checked(values, topics, systems, has_topic_names=topics_given, has_system_names=systems_given)


def _check_systems_are_columns(frame: pd.DataFrame, wanted: str) -> None:
    """An error if the index, its columns' name, or a column of names says that systems are in rows."""
    rows, columns = frame.index.name, frame.columns.name
    names: list[object] = [
        label
        for place, label in enumerate(frame.columns)
        if headings.plain_heading(label) in headings.SYSTEMS and arguments.as_numbers(frame.iloc[:, place]) is None
    ]
    if headings.plain_heading(rows) in headings.SYSTEMS:
        names = [rows]
    if names and any(headings.plain_heading(label) in headings.TOPICS for label in frame.columns):
        raise TypeError(
            f"{wanted} one row a system and topic, named by {shown(names[0])}: pivot it, or give "
            "`scores_from_experiment` the columns name, qid, measure and value."
        )
    others = [str(label) for label in frame.columns if label not in names]
    if names and len(others) > 0 and headings.are_measures(others):
        raise ValueError(f"{wanted} rows named {shown(names[0])} and columns of measures. {headings.MEANS_ONLY}")
    if names == [rows] or headings.plain_heading(columns) in headings.TOPICS:
        named = f"rows named {shown(rows)} and columns named {shown(columns)}"
        raise ValueError(f"{wanted} {named}: transpose it, by its `.T`.")
    if names and all(arguments.as_numbers(frame[label]) is not None for label in others):
        seen = f"a column {shown(names[0])} of names: make it the index, and transpose the frame"
        raise ValueError(f"{wanted} {seen}, by `.set_index({names[0]!r}).T`.")


def _topic_column(frame: pd.DataFrame, parameter: str) -> tuple[int | None, int | None]:
    """`headings.topic_column`, but for an index that names the topics, beside which a system may be called "query"."""

    def has_fractions(column: int) -> bool:
        numbers = arguments.as_numbers(frame.iloc[:, column])
        return numbers is not None and bool(np.any(numbers % 1 != 0))

    place, counter = headings.topic_column(
        list(frame.columns),
        lambda column: arguments.counts(pd.Index(frame.iloc[:, column])),
        f"`{parameter}`",
        has_fractions,
    )
    if place is None or arguments.counts(frame.index):
        return place, counter
    is_of_topics = headings.plain_heading(frame.index.name) in headings.TOPICS - headings.COUNTERS
    are_scores = has_fractions(place) or (
        arguments.as_numbers(frame.iloc[:, place]) is not None and bool(frame.iloc[:, place].duplicated().any())
    )
    if are_scores and (is_of_topics or frame.index.inferred_type == "string"):
        return None, None
    if is_of_topics:
        columns = arguments.listing([frame.index.name, frame.columns[place]])
        raise ValueError(f"`{parameter}` must have one column that names its topics, got {columns}.")
    return place, counter


def _without_summary_rows(numbers: Any, topics: Labels, systems: Labels) -> tuple[Any, Labels]:
    """The scores of topics, and their names, without rows over all topics."""
    with np.errstate(over="ignore"):
        values = np.asarray(numbers, dtype=np.float64)
    over_all = summary_rows.summary_rows(topics, values)
    if not over_all.any() or over_all.all() or np.ma.is_masked(numbers):
        return numbers, topics
    means = [row for row in np.flatnonzero(over_all) if summary_rows.is_mean(topics[row])]
    unlike, n_compared = summary_rows.unlike_means(values[means[-1]], values[~over_all]) if means else ([], 0)
    names = [topics[row] for row in np.flatnonzero(over_all)]
    summary_rows.warn_of_rows(names, [systems[column] for column in unlike], n_compared)
    return values[~over_all], tuple(np.array(topics)[~over_all].tolist())


@np.errstate(over="ignore", invalid="ignore")
def decimals_of(scores: Floats) -> int | None:
    """The decimals that all of many distinct scores have, if they are few, as if somebody had rounded them."""

    def have(values: Floats, decimals: int) -> bool:
        return bool(np.abs(np.round(values, decimals) - values).max(initial=0.0) < 1e-9)

    if not have(scores.ravel()[:100], DECIMALS[-1]):  # as most often; all of them would be sorted
        return None
    distinct = np.unique(scores)
    if len(distinct) < FEWEST_VALUES:
        return None
    decimals = next((decimals for decimals in DECIMALS if have(distinct, decimals)), None)
    if decimals is None:
        return None
    units = np.round(distinct * 10.0**decimals)
    is_exact = np.abs(units).max() < arguments.EXACT_INTEGERS and np.gcd.reduce(units.astype(np.int64)) > 1
    return None if is_exact else decimals  # multiples of 1 / k, such as P@40, are as they are


def html(caption: str, frame: pd.DataFrame) -> str:
    """A caption above a table, as notebooks show scores."""
    table = frame.to_html(index=False, escape=True, float_format="{:.4f}".format)
    return visible_lines(f"<p>{escape(caption)}</p>{table}")
