"""What comparisons return: a row for each ranking against the trusted one, its columns, and the table of all rows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import UnnamedCollection
from pt_rankcorr.display import Displayable
from pt_rankcorr.stats.accuracy.correlation_interval import PopulationCorrelation
from pt_rankcorr.stats.coefficients.coefficient import AT
from pt_rankcorr.stats.coefficients.kendall import kendall_interval
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Floats, Result, cached_property
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PVALUE, UNDEFINED, WORD, Column, Kind, Table
from pt_rankcorr.text import D_RANK, confidence, d_rank_by, decimals, in_a_sentence, p_equals, plain, with_interval

PAIRS = "pair accuracy"  # of single topics
PAIRS_ALL_TIED, PAIRS_AT_RANDOM = f"{PAIRS} all tied", f"{PAIRS} at random"  # of rankings that know nothing

OF_OTHER_COLUMNS = re.compile(  # names of columns beside those of coefficients themselves
    r"population .*|.* (low|high|standard error|pvalue|per topic|undefined)|p same true ranking|pair.*"
)


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


class Interval(NamedTuple):
    """Student's t interval of a coefficient, for as many topics; its standard error, and the degrees of freedom."""

    low: float
    high: float
    standard_error: float
    freedom: float


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
        intervals: Name of a count or an accuracy -> its interval over samples of as many topics, where there are any.
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

    The names in `key`, `coefficients` and `more` are attributes as well: `row.measure`, `row.tau`, `row.kappa`.

    Attributes:
        key: The names of the two sides, such as the reference and the measure.
        n_topics, n_systems: The number of topics, and of systems.
        coefficients: On these topics: tau, tau_ap and tau_gap, ties "a"; tau_b and tau_ap_b, ties "b"; spearman and
            pearson; and with `top` the same for the reference's best systems, as "tau@10". They and d_rank are nan
            where a ranking ties all systems.
        intervals: Coefficient -> its interval and standard error, of those that tables show, if wanted.
        pvalue: The p-value of one true ranking: small if the noise of topics does not explain how both differ. None
            where no intervals are wanted.
        cautions: Sentences on what makes the intervals special.
        d_rank: The distance from the reference's scores to the ranking, if wanted.
        d_rank_pvalue: Its p-value: small if this ranking could not be the true ranking by the reference.
        d_rank_pvalue_standard_error: The Monte Carlo standard error of that p-value.
        per_topic: Coefficient -> its mean over single topics, if wanted.
        pairs: The significant pairs of systems, where they are tested.
        more: Other properties of the row, such as the agreement of labels.
        n_collections: Over how many collections coefficients are means; the rest is then undefined.
    """

    key: Mapping[str, Any]
    n_topics: int
    n_systems: int
    coefficients: Mapping[str, float]
    settings: Settings = field(repr=False)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    pvalue: float | None = None
    cautions: tuple[str, ...] = ()
    d_rank: float = math.nan
    d_rank_pvalue: float = math.nan
    d_rank_pvalue_standard_error: float = math.nan
    per_topic: Mapping[str, PerTopic] = field(default_factory=dict)
    pairs: SignificantPairs | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    n_collections: int = 1
    _population: Callable[[], Mapping[str, PopulationCorrelation]] | None = field(
        default=None, repr=False, compare=False
    )

    @cached_property
    def population(self) -> Mapping[str, PopulationCorrelation]:
        """Coefficient -> what it would be in the topic population; computed when it is asked for."""
        if self._population is None:
            raise ValueError("A curve of judgments keeps no scores from which `population` could be computed.")
        return self._population()

    def __getattr__(self, name: str) -> Any:
        for names in ("key", "coefficients", "more"):
            values = self.__dict__.get(names, {})
            if name in values:
                return values[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def is_defined(self) -> bool:
        """Whether neither ranking ties all systems."""
        return not np.isnan(self.coefficients["tau"])

    @property
    def is_different(self) -> bool:
        """Whether d_rank finds that the ranking is significantly different from the reference's."""
        return self.d_rank_pvalue <= self.settings.alpha

    @property
    def rules_out_one_ranking(self) -> bool:
        """Whether the noise of topics does not explain how both differ."""
        return self.pvalue is not None and self.pvalue <= self.settings.alpha

    def sentence(self) -> str:
        """The outcome, as a paper may print it."""
        first = self.settings.shown[0]
        sides = " and ".join(map(str, self._sides()))
        if not self.is_defined or np.isnan(self.coefficients[first.name]):
            return f"{sides}: undefined, as a ranking ties all systems."
        value = with_interval(self.coefficients[first.name], self.intervals.get(first.name))
        if self.n_collections > 1:
            return f"{sides} rank the systems of {self.n_collections} collections with a mean {first.title} of {value}."
        parts = [f"{sides} rank {self.n_systems} systems on {self.n_topics} topics with a {first.title} of {value}"]
        is_1 = self.coefficients[first.name] >= 1.0 - TOLERANCE
        if self.pvalue is not None and not math.isnan(self.pvalue) and not is_1:
            show = "show" if self.rules_out_one_ranking else "do not show"
            parts.append(f"the topics {show} that the true rankings differ ({plain(p_equals(self.pvalue))})")
        if not math.isnan(self.d_rank_pvalue):
            could = "could not" if self.is_different else "could"
            p = plain(p_equals(self.d_rank_pvalue))
            parts.append(
                f"the second order {could} be the true ranking by the first (d_rank {decimals(self.d_rank)}, {p})"
            )
        return f"{'; '.join(parts)}."

    def _sides(self) -> tuple[object, object]:
        """The names of both sides in a sentence."""
        if "judge" in self.key:
            return self.key["reference"], self.key["judge"]
        return self.key.get("reference", "All judgments"), self.key.get("measure", "the other")

    @property
    def measures(self) -> str:
        """The measure of a judge, with that of the reference if it differs."""
        same = self.key.get("reference", self.measure) == self.measure
        return str(self.measure) if same else f"{self.measure} against {self.reference}"

    def to_dict(self) -> dict[str, Any]:
        """One flat row, unrounded. Variants of ties and ends of intervals have columns such as "tau b low"."""
        (record,) = self.table().records()
        return record

    def _facts(self) -> tuple[Column[Any], ...]:
        return columns_of([self])

    def kendall_interval(self, level: float | None = None) -> ConfidenceInterval:
        """`stats.kendall_interval` for tau; nan where tau is. The level is by default that of the comparison."""
        if self.n_collections > 1 or not self.is_defined:
            return ConfidenceInterval(math.nan, math.nan)
        return kendall_interval(self.tau, self.n_systems, level=self.settings.level if level is None else level)


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
        yield from with_names(((str(row._sides()[1]), row.cautions) for row in self.rows), len(self.rows))

    def table(self) -> Table:
        """One line per row."""
        columns = columns_of(self.rows) if self.rows else ()
        note = " ".join([*self._reading(), f"Seed {self.seed}."])
        return Table(columns, self.rows, notes=(note,))


def with_names(cautions: Iterable[tuple[str, Iterable[str]]], n_names: int) -> list[str]:
    """Each caution once, after the names of those that it is about, unless it is about all."""
    about: dict[str, dict[str, None]] = {}
    for name, texts in cautions:
        for text in texts:
            about.setdefault(text, {})[name] = None
    return [text if len(names) == n_names else f"{in_a_sentence([*names], 5)}: {text}" for text, names in about.items()]


# --- columns ------------------------------------------------------------------------------------------------


def columns_of(rows: Sequence[RankingAgreement]) -> tuple[Column[Any], ...]:
    """The columns of rows with the same settings: each number once, its name and its title."""
    row = next((row for row in rows if row.n_collections == 1), rows[0])
    settings, is_full, level = row.settings, bool(row.intervals), f" [{confidence(row.settings.level)}]"
    with_thresholds = any(row.more.get(name, 1) != 1 for name in ("relevance_threshold", "other_threshold"))
    are_tied = any(row.is_defined and not math.isclose(row.tau, row.tau_b, abs_tol=0.005) for row in rows)
    with_tau_b = are_tied and settings.coefficients is None and settings.variant == "a"

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
        columns += _columns_of_coefficient(name, row, with_tau_b=with_tau_b)
    if PAIRS in row.per_topic:
        columns.append(_per_topic(PAIRS, PAIRS, f"{PAIRS} per topic{level}"))
        for name in (PAIRS_ALL_TIED, PAIRS_AT_RANDOM):
            column = _per_topic(name, name, name.removeprefix(PAIRS).strip())
            columns.append(replace(column, interval=None, wide=is_full))
    columns += [
        Column("tau kendall low", "", COEFFICIENT, lambda row: row.kendall_interval().low, shown=False),
        Column("tau kendall high", "", COEFFICIENT, lambda row: row.kendall_interval().high, shown=False),
    ]
    if settings.d_rank:
        columns += d_rank_columns(settings)
    if row.pairs is not None:
        columns.append(Column("pairs reversed", "pairs reversed", WORD, reversed_pairs, wide=is_full, machine=False))
        columns += map(of_pairs, row.pairs.to_dict())
    return tuple(columns)


def key_columns(row: RankingAgreement, path: str = "") -> Iterator[Column[Any]]:
    """The columns that name what is compared; `path` leads to the row from what a table has rows of, as "row."."""
    of_judge = "judge" in row.key
    for name in row.key:
        is_alone = isinstance(row.key[name], UnnamedCollection)
        shown = not is_alone and (not of_judge or name in ("collection", "judge"))
        yield Column(name, name, WORD, attrgetter(path + name), shown=shown, if_varied=name == "repetition")
    if of_judge:
        yield Column("measures", "measure", WORD, attrgetter(f"{path}measures"), machine=False, if_varied=True)


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


def _columns_of_coefficient(name: str, row: RankingAgreement, *, with_tau_b: bool) -> Iterator[Column[Any]]:
    """The columns of a coefficient: on these topics with its interval, in the topic population, of single topics."""
    base, *top = name.split(AT)
    settings, level = row.settings, f" [{confidence(row.settings.level)}]"
    coefficient = next(computed for computed in settings.computed if computed.name == base)
    shown = settings.shown
    column, title, symbol = (
        AT.join([text, *top]) for text in (coefficient.column, coefficient.title, coefficient.symbol)
    )
    visible = coefficient == shown[0] or (coefficient in shown and not top)
    is_first = name == shown[0].name
    has_interval = name in row.intervals
    # a line has room for one coefficient with its interval beside others of its columns
    has_room = is_first or (has_interval and not (settings.d_rank or settings.population))
    is_wide = bool(row.intervals) and settings.coefficients is None and not has_room
    value = lambda row: row.coefficients[name]  # noqa: E731
    interval = (lambda row: row.intervals[name][:2]) if has_interval else None
    of_level = level if has_interval else ""
    yield Column(
        column,
        f"{title}{of_level}",
        COEFFICIENT,
        value,
        interval,
        symbol=f"{symbol}{of_level}",
        shown=visible,
        wide=is_wide,
    )
    if name == "tau":  # machines have tau b in any case
        yield Column("tau b, ties", "tau b", COEFFICIENT, attrgetter("tau_b"), shown=with_tau_b, machine=False)
    if has_interval:
        error = lambda row: row.intervals[name].standard_error  # noqa: E731
        yield Column(f"{column} standard error", "", NUMBER, error, shown=False)
    if is_first and row.pvalue is not None:
        p, strong = attrgetter("pvalue"), attrgetter("rules_out_one_ranking")
        yield Column("p same true ranking", "p (same true ranking)", PVALUE, p, strong=strong)
    if settings.population and has_interval:
        yield Column(
            f"population {column}",
            f"population {title}{level}",
            COEFFICIENT,
            lambda row: row.population[name].estimate,
            lambda row: (row.population[name].low, row.population[name].high),
            symbol=f"population {symbol}{level}",
            shown=visible,
            wide=is_wide,
        )
    if name in row.per_topic:
        yield _per_topic(name, column, f"{title} per topic{level}", shown=is_first)
        undefined = f"{column} per topic undefined"
        yield Column(undefined, "", COUNT, lambda row: row.per_topic[name].n_undefined, shown=False)


def _per_topic(name: str, column: str, title: str, *, shown: bool = True) -> Column[Any]:
    """The column of the mean over single topics of a coefficient, or of the accuracy of pairs."""
    value = lambda row: row.per_topic[name].value  # noqa: E731
    ends = lambda row: row.per_topic[name][1:3] if row.n_collections == 1 else None  # noqa: E731
    return Column(f"{column} per topic", title, COEFFICIENT, value, ends, shown=shown)
