"""What comparisons return: a row for each ranking against the trusted one, its columns, and the table of all rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import UnnamedCollection
from pt_rankcorr.display import Displayable
from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
from pt_rankcorr.stats.coefficients.coefficient import AT
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Floats, Result
from pt_rankcorr.stats.truth.one_true_ranking import title_of
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PVALUE, UNDEFINED, WORD, Column, Kind, Table
from pt_rankcorr.text import (
    D_RANK,
    P_SAME,
    confidence,
    d_rank_by,
    decimals,
    in_a_sentence,
    p_equals,
    plain,
    with_interval,
)

PAIRS = "pair accuracy"  # of single topics
PAIRS_ALL_TIED, PAIRS_AT_RANDOM = f"{PAIRS} all tied", f"{PAIRS} at random"  # of rankings that know nothing


class Extra(NamedTuple):
    """A column of rows beside those of coefficients, d_rank and pairs of systems."""

    title: str  # what tables call it; "" for machines alone
    kind: Kind = COEFFICIENT
    with_thresholds: bool = False  # whether tables show it only where labels have thresholds of relevance
    # what gives the value from the scores by both sides, shape (n_topics, n_systems); over several collections it is
    # the mean; None where the comparison knows the value otherwise, as that of labels
    compute: Callable[[Floats, Floats], float] | None = None


EXTRAS: dict[str, Extra] = {  # name of a column: what it is; names that are not here are for machines
    "kappa": Extra("kappa"),
    "pair_accuracy": Extra("pairs of documents"),
    "pair_accuracy_one_label": Extra("with one label"),
    "pair_accuracy_at_random": Extra("at random"),
    "reference_computed": Extra("", WORD),
    "measure_computed": Extra("computed", WORD, with_thresholds=True),
    "kappa_binary": Extra("kappa, relevant", with_thresholds=True),
}
TITLES_OF_PAIRS = {"balanced_accuracy": "balanced accuracy", "soft_accuracy": "soft accuracy"}


class PerTopic(NamedTuple):
    """The mean of the coefficients of single topics, over those where it is defined, with an interval over topics."""

    value: float
    low: float
    high: float
    n_undefined: int


@dataclass(frozen=True, eq=False)
class SignificantPairs(Result):
    """The pairs of systems that differ significantly, by the reference and by the other scores.

    Attributes:
        n_significant, n_significant_other: The number of significant pairs by the reference, and by the other scores.
        n_active_agreements: The number of pairs that are significant by both, in the same direction.
        active_disagreements: The pairs that are so in opposite directions, the better by the reference first.
        n_pairs: The number of all pairs.
        n_false_positives, n_false_negatives: Those significant by the other scores alone, and by the reference alone.
        balanced_accuracy: The mean of two shares: of the significant pairs by the reference, those that are so by the
            other scores in the same direction; of its other pairs, those that are not. nan without pairs of one kind.
        soft_accuracy: Soft pairwise accuracy: 1 less the mean distance, over pairs, between the one-sided p-values of
            the paired t-test by the reference and by the other scores.
        intervals: Name of a count or an accuracy -> its interval over topic samples of this size, where there are any.
    """

    n_significant: int
    n_significant_other: int
    n_active_agreements: int
    active_disagreements: tuple[tuple[str, str], ...]
    n_pairs: int
    n_false_positives: int
    n_false_negatives: int
    balanced_accuracy: float
    soft_accuracy: float
    intervals: Mapping[str, ConfidenceInterval] = field(default_factory=dict)

    @property
    def n_active_disagreements(self) -> int:
        """The number of reversed pairs."""
        return len(self.active_disagreements)

    def to_dict(self) -> dict[str, Any]:
        """Counts and accuracies."""
        return {**super().to_dict(), "n_active_disagreements": self.n_active_disagreements}


@dataclass(frozen=True, eq=False)
class RankingAgreement(Result):
    """How a ranking of systems agrees with the trusted one: one row of a comparison.

    Attributes:
        key: What tells the row from others, such as the names of the reference and the measure.
        sides: What sentences call the reference and the other ranking.
        n_topics, n_systems: The number of topics, and of systems.
        coefficients: On these topics: tau, tau_ap and tau_gap, ties "a"; tau_b and tau_ap_b, ties "b"; spearman and
            pearson; and with `top` the same for the reference's best systems, as "tau@10". They and d_rank are nan
            where a ranking ties all systems.
        correlations: Coefficient -> its interval, its standard error and what one true ranking would give, as of
            `correlation_interval`; of those that tables show, if wanted.
        d_rank: The distance from the reference's scores to the ranking, if wanted.
        d_rank_pvalue: Its p-value: small if this ranking could not be the true ranking by the reference.
        d_rank_pvalue_standard_error: The Monte Carlo standard error of that p-value.
        per_topic: Coefficient -> its mean over single topics, if wanted.
        pairs: The significant pairs of systems, where they are tested.
        more: Other properties of the row, such as the agreement of labels.
        n_collections: Over how many collections coefficients are means; the rest is then undefined.
    """

    key: Mapping[str, Any]
    sides: tuple[str, str]
    n_topics: int
    n_systems: int
    coefficients: Mapping[str, float]
    settings: Settings = field(repr=False)
    correlations: Mapping[str, CorrelationResult] = field(default_factory=dict)
    d_rank: float = math.nan
    d_rank_pvalue: float = math.nan
    d_rank_pvalue_standard_error: float = math.nan
    per_topic: Mapping[str, PerTopic] = field(default_factory=dict)
    pairs: SignificantPairs | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    n_collections: int = 1

    @property
    def reference(self) -> str:
        """The name of the reference's measure."""
        return str(self.key["reference"])

    @property
    def measure(self) -> str:
        """The name of the measure that ranks, or by which a judge does."""
        return str(self.key["measure"])

    @property
    def judge(self) -> str:
        """The name of the judge, where judges are compared."""
        return str(self.key["judge"])

    @property
    def tau(self) -> float:
        """Kendall's tau a on these topics."""
        return self.coefficients["tau"]

    @property
    def pvalue(self) -> float:
        """That of one true ranking, of the first coefficient in tables; nan where no intervals are wanted."""
        return next((result.pvalue for result in self.correlations.values()), math.nan)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes the intervals special."""
        return tuple(dict.fromkeys(text for result in self.correlations.values() for text in result.cautions))

    @property
    def is_defined(self) -> bool:
        """Whether neither ranking ties all systems."""
        return not np.isnan(self.coefficients["tau"])

    @property
    def is_different(self) -> bool:
        """Whether d_rank finds that the ranking is significantly different from the reference's."""
        return bool(self.d_rank_pvalue <= self.settings.alpha)

    @property
    def rules_out_one_ranking(self) -> bool:
        """Whether the noise of topics does not explain how both differ."""
        return bool(self.pvalue <= self.settings.alpha)

    def sentence(self) -> str:
        """The outcome, as a paper may print it."""
        first, names = self.settings.shown[0], self.sides[::-1] if "judge" in self.key else self.sides
        sides = " and ".join(names)
        correlation = self.correlations.get(first.name)
        if np.isnan(self.coefficients[first.name]):
            return f"{sides}: undefined, as a ranking ties all systems."
        by = "" if self.sides[1] == self.key.get("measure") else f" by {self.measures}"
        ranked = f"{self.n_systems} systems on {self.n_topics} topics{by} with a {first.title}"
        if self.n_collections > 1:
            ranked = f"the systems of {self.n_collections} collections{by} with a mean {first.title}"
        text = f"{sides} rank {ranked} of {self.value(first.name)}"
        null = None if correlation is None else correlation.one_true_ranking
        if null is not None and not math.isnan(null.mean) and self.coefficients[first.name] < 1.0 - TOLERANCE:
            text += f"; {null.sentence()}"
        if not math.isnan(self.d_rank_pvalue):
            text += f"; d_rank is {decimals(self.d_rank)} ({plain(p_equals(self.d_rank_pvalue))})"
        return f"{text}."

    def value(self, name: str) -> str:
        """A coefficient as text, with its interval where it has one."""
        correlation = self.correlations.get(name)
        interval = None if correlation is None else (correlation.low, correlation.high)
        return with_interval(self.coefficients[name], interval)

    @property
    def measures(self) -> str:
        """The measure of a judge, with that of the reference if it differs."""
        same = self.key.get("reference", self.measure) == self.measure
        return self.measure if same else f"{self.measure} against {self.reference}"

    @property
    def name(self) -> str:
        """What notes call the row, which is its judge or both of its measures."""
        return self.judge if "judge" in self.key else " with ".join(sorted(self.sides))

    def to_dict(self) -> dict[str, Any]:
        """One flat row, unrounded. Variants of ties and ends of intervals have columns such as "tau b low"."""
        (record,) = self.table().records()
        return record

    def _facts(self) -> tuple[Column[Any], ...]:
        return columns_of([self])


@dataclass(frozen=True)
class Comparison(Displayable):
    """Rankings compared with the trusted one: a sequence of `RankingAgreement`."""

    rows: tuple[RankingAgreement, ...]
    settings: Settings

    def __iter__(self) -> Iterator[RankingAgreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def seed(self) -> int:
        """The `rng` that gives the same numbers."""
        return self.settings.seed

    def row(self, *names: object) -> RankingAgreement:
        """The one row whose key has these names, in this order, such as a judge and a measure; else a KeyError."""
        wanted = [str(name) for name in names]
        fitting = []
        for row in self.rows:
            key = iter(map(str, row.key.values()))
            if all(name in key for name in wanted):  # in this order
                fitting.append(row)
        if len(fitting) != 1:
            raise KeyError(f"{'more than one row' if fitting else 'no row'} of {', '.join(map(repr, wanted))}")
        return fitting[0]

    def to_dict(self) -> dict[str, Any]:
        """A mapping for machines, with how the comparison was made, and its rows."""
        return {**self._facts(), **self.settings.to_dict(), "rows": [row.to_dict() for row in self.rows]}

    def _facts(self) -> dict[str, Any]:
        """Facts for `to_dict` on what was compared."""
        return {}

    def _subject(self) -> str:
        """A sentence on what was compared."""
        raise NotImplementedError

    def sentences(self) -> str:
        """The outcome of each row, as a paper may print it, a line each."""
        return "\n".join(row.sentence() for row in self.rows)

    @property
    def note(self) -> str:
        """The text on what was compared and how, how to read it, and what makes single rows special."""
        return " ".join([*self._reading(), str(self.settings)])

    def _reading(self) -> list[str]:
        return [self._subject(), *self.settings.texts, *self._cautions()]

    def _cautions(self) -> Iterator[str]:
        if not all(row.is_defined for row in self.rows):
            yield f"{UNDEFINED}: a ranking ties all systems."
        pairs = [row.pairs for row in self.rows if row.pairs is not None]
        if any(np.isnan(of_row.balanced_accuracy) for of_row in pairs):
            yield "No balanced accuracy where none or all of the pairs differ significantly by the reference."
        yield from with_names([(row.name, row.cautions) for row in self.rows])

    def table(self) -> Table:
        """One line per row."""
        columns = columns_of(self.rows) if self.rows else ()
        note = " ".join([*self._reading(), f"Seed {self.seed}."])
        return Table(columns, self.rows, notes=(note,))


def with_names(cautions: Sequence[tuple[str, Iterable[str]]]) -> list[str]:
    """Each caution once, after the names of those that it is about, unless it is about all."""
    about: dict[str, dict[str, None]] = {}
    for name, text in ((name, text) for name, texts in cautions for text in texts):
        about.setdefault(text, {})[name] = None
    n_names = len({name for name, _ in cautions})
    return [text if len(names) == n_names else f"{in_a_sentence([*names], 5)}: {text}" for text, names in about.items()]


# --- columns ------------------------------------------------------------------------------------------------


def columns_of(rows: Sequence[RankingAgreement]) -> tuple[Column[Any], ...]:
    """The columns of rows with the same settings: each number once, its name and its title."""
    row = next((row for row in rows if row.n_collections == 1), rows[0])
    settings, is_full, level = row.settings, bool(row.correlations), f" [{confidence(row.settings.level)}]"
    with_thresholds = any(row.more.get(name, 1) != 1 for name in ("relevance_threshold", "other_threshold"))

    # rows over all collections have no labels, and no pairs
    def more(name: str) -> Column[Any]:
        extra = EXTRAS.get(name, Extra(""))
        none = "" if extra.kind is WORD else math.nan
        is_shown, is_wide = bool(extra.title) and extra.with_thresholds <= with_thresholds, is_full and name != "kappa"
        return Column(name, extra.title, extra.kind, lambda row: row.more.get(name, none), shown=is_shown, wide=is_wide)

    def of_pairs(name: str) -> Column[Any]:
        ends = lambda row: row.pairs and row.pairs.intervals[name]  # noqa: E731
        interval, title = ends if row.pairs and name in row.pairs.intervals else None, TITLES_OF_PAIRS.get(name, "")
        title += level if title and interval else ""
        value = lambda row: getattr(row.pairs, name, math.nan)  # noqa: E731
        return Column(name, title, COEFFICIENT, value, interval, shown=bool(title), wide=is_full)

    def reversed_pairs(row: RankingAgreement) -> str:
        return f"{row.pairs.n_active_disagreements} of {row.pairs.n_significant}" if row.pairs else ""

    columns = [*key_columns(row)]
    columns += [Column(name, name, COUNT, attrgetter(name), shown=False) for name in ("n_topics", "n_systems")]
    columns += map(more, row.more)
    for name in sorted(row.coefficients, key=lambda name: AT in name):
        columns += _columns_of_coefficient(name, row)
    if PAIRS in row.per_topic:
        columns.append(_per_topic(PAIRS, PAIRS, f"{PAIRS} per topic{level}"))
        for name in (PAIRS_ALL_TIED, PAIRS_AT_RANDOM):
            column = _per_topic(name, name, name.removeprefix(PAIRS).strip())
            columns.append(replace(column, interval=None, wide=is_full))
    if settings.d_rank:
        columns += d_rank_columns(settings)
    if row.pairs is not None:
        columns.append(Column("pairs reversed", "pairs reversed", WORD, reversed_pairs, wide=is_full, machine=False))
        columns += map(of_pairs, row.pairs.to_dict())
    names = [name for column in columns if column.machine for name in column.names]
    for coefficient in settings.computed:
        if names.count(coefficient.column) > 1:
            rule = "`coefficients` must not be named like another column of rows"
            raise ValueError(f"{rule}, got {coefficient.column!r}.")
    return tuple(columns)


def key_columns(
    row: RankingAgreement, of_row: Callable[[Any], RankingAgreement] = lambda row: row
) -> Iterator[Column[Any]]:
    """The columns that name what is compared; `of_row` leads to the row from what a table has rows of."""
    of_judge = "judge" in row.key
    for name in row.key:
        is_alone = isinstance(row.key[name], UnnamedCollection)
        shown = not is_alone and (not of_judge or name in ("collection", "judge"))
        value = lambda row, name=name: of_row(row).key[name]  # noqa: E731
        yield Column(name, name, WORD, value, shown=shown, if_varied=name == "repetition")
    if of_judge:
        measures = lambda row: of_row(row).measures  # noqa: E731
        yield Column("measures", "measure", WORD, measures, machine=False, if_varied=True)


def d_rank_columns(settings: Settings) -> tuple[Column[Any], ...]:
    """The columns of d_rank: the distance, its p-value, and the standard error of that."""
    title, symbol = d_rank_by(settings.covariance), d_rank_by(settings.covariance, D_RANK)
    strong = attrgetter("is_different")
    return (
        Column("d_rank", title, COEFFICIENT, attrgetter("d_rank"), symbol=symbol),
        Column(
            "d_rank pvalue", "p of d_rank", PVALUE, attrgetter("d_rank_pvalue"), strong=strong, symbol=f"p of {D_RANK}"
        ),
        Column("d_rank pvalue standard error", "", NUMBER, attrgetter("d_rank_pvalue_standard_error"), shown=False),
    )


def _columns_of_coefficient(name: str, row: RankingAgreement) -> Iterator[Column[Any]]:
    """The columns of a coefficient: on these topics with its interval, of one true ranking, of single topics."""
    base, *top = name.split(AT)
    settings, shown = row.settings, row.settings.shown
    coefficient = next(computed for computed in settings.computed if computed.name == base)
    column, title, symbol = (
        AT.join([text, *top]) for text in (coefficient.column, coefficient.title, coefficient.symbol)
    )
    visible, is_first = coefficient == shown[0] or (coefficient in shown and not top), name == shown[0].name
    # a line has room for one coefficient, with its interval, beside others of its columns
    is_wide = bool(row.correlations) and settings.coefficients is None and not is_first
    if name in row.correlations:
        of_value, *others = correlation_columns(
            column, title, symbol, settings.level, settings.alpha, lambda row: row.correlations[name]
        )
        of_value = replace(of_value, shown=visible, wide=is_wide)
        # beside d_rank there is room for one interval
        wide = not is_first or settings.d_rank
        others = [
            replace(column, shown=column.shown and visible, wide=wide and (not is_first or column.kind is COEFFICIENT))
            for column in others
        ]
        if not is_first:
            others = [replace(column, title=column.title.replace(P_SAME, f"{title} {P_SAME}")) for column in others]
    else:
        value = lambda row: row.coefficients[name]  # noqa: E731
        of_value = Column(column, title, COEFFICIENT, value, symbol=symbol, shown=visible, wide=is_wide)
        others = []
    yield of_value
    yield from others
    if name in row.per_topic:
        of_level = f"per topic [{confidence(settings.level)}]"
        yield _per_topic(name, column, f"{title} {of_level}", shown=is_first)
        undefined = f"{column} per topic undefined"
        yield Column(undefined, "", COUNT, lambda row: row.per_topic[name].n_undefined, shown=False)


def correlation_columns(
    name: str, title: str, symbol: str, level: float, alpha: float, of_row: Callable[[Any], CorrelationResult]
) -> tuple[Column[Any], ...]:
    """The columns of a correlation: its value with the interval, and what one true ranking would give.

    `of_row` leads to the correlation from what a table has rows of.
    """
    of_level, same = f" [{confidence(level)}]", title_of(name)

    def column(name: str, title: str, value: str, kind: Kind = COEFFICIENT, **options: Any) -> Column[Any]:
        get = attrgetter(value)
        return Column(name, title, kind, lambda row: get(of_row(row)), **options)

    def with_ends(name: str, title: str, value: str, ends: tuple[str, str], symbol: str) -> Column[Any]:
        get, symbol = attrgetter(*ends), f"{symbol}{of_level}"
        return column(name, f"{title}{of_level}", value, interval=lambda row: get(of_row(row)), symbol=symbol)

    null = "one_true_ranking"
    return (
        with_ends(name, title, "statistic", ("low", "high"), symbol),
        column(f"{name} standard error", "", "standard_error", NUMBER, shown=False),
        with_ends(same, title_of(title), f"{null}.mean", (f"{null}.low", f"{null}.high"), title_of(symbol)),
        column(f"{name} p same true ranking", P_SAME, "pvalue", PVALUE, strong=lambda row: of_row(row).pvalue <= alpha),
    )


def _per_topic(name: str, column: str, title: str, *, shown: bool = True) -> Column[Any]:
    """The column of the mean over single topics of a coefficient, or of the accuracy of pairs."""
    value = lambda row: row.per_topic[name].value  # noqa: E731
    ends = lambda row: row.per_topic[name][1:3] if row.n_collections == 1 else None  # noqa: E731
    return Column(f"{column} per topic", title, COEFFICIENT, value, ends, shown=shown)
