"""`ScoreMatrix`: the scores of systems on topics by one measure, which every statistic works on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core.arguments import as_labels, list_of, numbered, positions, share
from pt_rankcorr.stats.core.design import Design, warn_if_uneven
from pt_rankcorr.stats.core.means import ranks, system_means
from pt_rankcorr.stats.core.parsing import LabelledScores, parse
from pt_rankcorr.stats.core.types import Floats, Labels, cached_property, read_only
from pt_rankcorr.text import shown, visible_lines

Labelled = TypeVar("Labelled", bound=LabelledScores)

# Added to scores, which may be 0, before their log is taken (equation 7 of Sakai, SIGIR 2006).
ABOVE_ZERO = 0.00001


class ScoreMatrix(LabelledScores):
    """The scores of systems on topics by one measure; higher is better.

    Every statistic takes one in place of an array, and matches its systems and topics by name.

    Args:
        values: Scores, shape (n_topics, n_systems), finite: an array, a nested list, or a data
            frame, whose index and columns are the names of topics and systems. A column "topic",
            "qid" or the like names the topics instead of the index. Copied, and read-only.
        topics, systems: Distinct names; by default those of a frame, or "t1", "t2", ... and "s1",
            "s2", ..., which are not matched.
        measure: The name of the measure.
        negated: Whether the measure is better when lower, so that the values are its negatives.
        clusters, strata: Which topics depend on each other, and their collections: `with_design`.
        keep: Rows and columns of a frame that are topics and systems, though called as if they were
            over the others, such as "mean"; else these are left out, with a warning.

    Raises:
        TypeError, ValueError: If the values are no matrix of finite numbers, or names do not fit.

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
        keep: Sequence[str] = (),
    ) -> None:
        # labels that are given win over those of a frame; without any, items are numbered
        scores = parse(values, "values", keep=list_of("keep", keep, "names"))
        if not scores.is_matrix:
            raise ValueError(f"`values` must be of shape (n_topics, n_systems), got {scores.form}.")
        n_topics, n_systems = check_size(scores).shape
        topics = scores.topic_names if topics is None else topics
        if topics is None:
            topic_labels = numbered("t", n_topics)
        else:
            topic_labels = as_labels(topics, n_topics, "topics")
        design = scores.design
        if clusters is not None or strata is not None:
            design = Design.of_labels(clusters, strata, topic_labels)
        systems = scores.system_names if systems is None else systems
        if systems is None:
            system_labels = numbered("s", n_systems)
        else:
            system_labels = as_labels(systems, n_systems, "systems")
        self.__dict__.update(
            values=read_only(scores.values.copy()),
            topics=topic_labels,
            systems=system_labels,
            measure=None if measure is None else str(measure),
            negated=negated,
            design=design,
            has_topic_names=topics is not None,
            has_system_names=systems is not None,
        )

    @classmethod
    def of_parsed(cls, scores: LabelledScores) -> ScoreMatrix:
        """The matrix of parsed scores, which are copied: the caller may go on to change them."""
        matrix = cls.__new__(cls)
        n_topics, n_systems = scores.values.shape
        matrix.__dict__.update(
            values=read_only(np.array(scores.values)),
            topics=numbered("t", n_topics) if scores.topics is None else scores.topics,
            systems=numbered("s", n_systems) if scores.systems is None else scores.systems,
            has_topic_names=scores.has_topic_names,
            has_system_names=scores.has_system_names,
        )
        return matrix

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies by pickle and deepcopy have read-only arrays, too."""
        self.__dict__.update({name: read_only(value) for name, value in state.items()})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a score matrix is read-only: make another with another `{name}`")

    @property
    def n_topics(self) -> int:
        """The number of topics."""
        return int(self.values.shape[0])

    @property
    def n_independent(self) -> int:
        """How many independent topics, or clusters of topics, there are."""
        return self.design.n_clusters if self.design else self.n_topics

    @cached_property
    def sample(self) -> Floats:
        """The independent sample that statistics resample, shape (n_independent, n_systems).

        These are the scores, or a row for each cluster of topics: see `core.design`.
        """
        return self.values if self.design is None else self.design.sample(self.values)

    @cached_property
    def means(self) -> Floats:
        """The mean of every system, rounded to twelve digits, shape (n_systems,)."""
        return system_means(self.sample)

    @cached_property
    def ranks(self) -> Floats:
        """The rank of every system by its mean, (n_systems,); 1 is best, ties share the average."""
        return ranks(self.means)

    @property
    def ranking(self) -> Labels:
        """The systems, best first; ties in alphabetical order."""
        mean = dict(zip(self.systems, self.means, strict=True))
        return tuple(sorted(self.systems, key=lambda system: (-mean[system], system)))

    def mean_of(self, system: str) -> float:
        """The mean score of one system."""
        return float(self.means[positions([system], self.systems, "system")[0]])

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

        All statistics then resample whole clusters within each stratum, and count clusters as
        topics. Statistics that need single topics raise an error. Without arguments, topics are
        independent again.

        Args:
            clusters: Topic -> cluster, such as the turns of a conversation or the variants of a
                query: a mapping, a series, labels in the order of the topics, or a regular
                expression for the start of a topic's name, as "[^_]+" for the conversation of
                "31_4". The means of systems are still taken over topics.
            strata: Topic -> collection, in the same forms. The mean of a system is then the mean of
                its means on the collections, which all weigh the same.

        Raises:
            TypeError, ValueError: If a topic has no label, or a stratum one independent topic.

        Warns:
            UnreliableResultWarning: If a few large clusters, or small strata, outweigh all others.

        Example:
            >>> turns = ["31_1", "31_2", "32_1", "33_1", "34_1", "35_1"]
            >>> scores = ScoreMatrix([[0.1, 0.4], [0.3, 0.4], [0.8, 0.7]] * 2, topics=turns)
            >>> scores.with_design(clusters="[^_]+")
            ScoreMatrix(6 topics in 5 clusters x 2 systems, means 0.4 to 0.5, best 's2')
        """
        design = Design.of_labels(clusters, strata, self.topics)
        warn_if_uneven(design)
        return self.of_design(design)

    def of_design(self, design: Design | None) -> ScoreMatrix:
        """The scores with their topics in this design."""
        return self._with(design=design)

    def with_values(self, values: object) -> ScoreMatrix:
        """Other scores of the same systems on the same topics, by the same measure."""
        return self._with(values=ScoreMatrix(values, self.topics, self.systems).values)

    def named(self, measure: str) -> ScoreMatrix:
        """The same scores under another name of the measure."""
        return self._with(measure=str(measure))

    def _with(self, **changed: Any) -> ScoreMatrix:
        """A copy with other values, labels or settings."""
        scores = ScoreMatrix.__new__(ScoreMatrix)
        unchanged = {name: getattr(self, name) for name in ScoreMatrix.__annotations__}
        scores.__dict__.update(unchanged | changed)
        return scores

    def select(
        self, *, systems: Sequence[object] | None = None, topics: Sequence[object] | None = None
    ) -> ScoreMatrix:
        """The matrix of the named systems and topics, in that order; None keeps all.

        At least one must be left.
        """
        columns = positions(self.systems if systems is None else systems, self.systems, "systems")
        rows = positions(self.topics if topics is None else topics, self.topics, "topics")
        return check_size(self.select_at(topics=rows, systems=columns))

    def select_at(
        self, *, topics: Sequence[int] | None = None, systems: Sequence[int] | None = None
    ) -> ScoreMatrix:
        """The matrix of the topics and systems at these positions; None keeps all."""
        rows = range(self.n_topics) if topics is None else topics
        columns = range(self.n_systems) if systems is None else systems
        # Numbered labels become names once items are left out or moved: they then say which ones
        # are left, and are matched as such.
        return self._with(
            values=read_only(np.ascontiguousarray(self.values[np.ix_(rows, columns)])),
            topics=tuple(self.topics[row] for row in rows),
            systems=tuple(self.systems[column] for column in columns),
            design=self.design and self.design.select(rows),
            has_topic_names=self.has_topic_names or [*rows] != [*range(self.n_topics)],
            has_system_names=self.has_system_names or [*columns] != [*range(self.n_systems)],
        )

    def drop(self, *, systems: Sequence[object] = (), topics: Sequence[object] = ()) -> ScoreMatrix:
        """The matrix without the named systems and topics. At least one of each must be left."""
        columns = np.delete(range(self.n_systems), positions(systems, self.systems, "systems"))
        rows = np.delete(range(self.n_topics), positions(topics, self.topics, "topics"))
        return check_size(self.select_at(topics=rows.tolist(), systems=columns.tolist()))

    def drop_worst(self, proportion: float) -> ScoreMatrix:
        """The matrix without systems whose mean is below this quantile, in (0, 1), of the means.

        TREC studies drop the worst quarter, `drop_worst(0.25)`, because failed runs make any two
        rankings look alike.
        """
        bound = np.quantile(self.means, share("proportion", proportion))
        return self.select_at(systems=np.flatnonzero(self.means >= bound).tolist())

    def geometric(self) -> ScoreMatrix:
        """The logs of scores, log(x + 0.00001): their means rank systems as geometric means do.

        Geometric means stress the topics on which a system does worst. Scores must not be negative.
        For the geometric means themselves, exp(mean(log(x + 0.00001))) - 0.00001, add the column
        `GeometricMean()` to `compare`.

        References:
            Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.1
            and equation 7; Voorhees, "Overview of the TREC 2004 Robust Retrieval Track".

        Example:
            Which pairs of systems differ significantly by their geometric means:

            >>> import pt_rankcorr as ptr
            >>> values = [[0.1, 0.2, 0.6], [0.2, 0.0, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5]]
            >>> geometric = ptr.ScoreMatrix(values).geometric()
            >>> ptr.discriminative_power(geometric, test="t").n_significant
            1
        """
        if self.values.min() < 0.0:
            rule = "`values` must not be negative to have a geometric mean"
            raise ValueError(f"{rule}, got {self.values.min():.4g}.")
        measure = None if self.measure is None else f"log {self.measure}"
        return self._with(values=read_only(np.log(self.values + ABOVE_ZERO)), measure=measure)

    def __eq__(self, other: object) -> bool:
        """Whether values, labels and measure are all equal."""
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        return self._identity() == other._identity() and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        # -0.0 equals 0.0, but has other bytes; adding 0.0 makes it 0.0
        return hash((self._identity(), (self.values + 0.0).tobytes()))

    def _identity(self) -> tuple[object, ...]:
        """What equal matrices have in common besides their values."""
        return (self.topics, self.systems, self.measure, self.negated, self.design)

    @property
    def in_design(self) -> str:
        """In words, the clusters and strata that the topics are in."""
        return f" in {self.design}" if self.design else ""

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f"{shown(self.measure)}, "
        lower = ", negated because lower is better" if self.negated else ""
        size = f"{self.n_topics} topics{self.in_design} x {self.n_systems} systems"
        means = f"means {self.means.min():.4g} to {self.means.max():.4g}"
        best = f"best {shown(self.ranking[0])}{lower}"
        return f"ScoreMatrix({measure}{size}, {means}, {best})"

    def _repr_html_(self) -> str:
        """What notebooks show: the systems with their means and ranks, best first."""
        frame = pd.DataFrame({"system": self.systems, "mean": self.means, "rank": self.ranks})
        return html(repr(self), frame.sort_values(["rank", "system"]))


def check_size(scores: Labelled) -> Labelled:
    """The scores, if there is at least one topic and one system."""
    for count, what in zip(scores.shape, ("topics", "systems"), strict=True):
        if count < 1:
            raise ValueError(f"`values` must have at least 1 {what}, got 0.")
    return scores


def html(caption: str, frame: pd.DataFrame) -> str:
    """A caption above a table, as notebooks show scores."""
    table = frame.to_html(index=False, escape=True, float_format="{:.4f}".format)
    return visible_lines(f"<p>{escape(caption)}</p>{table}")
