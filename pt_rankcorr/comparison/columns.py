"""The columns of comparisons: each number once, with its name for machines and its title for people."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, TypeAlias

from pt_rankcorr.stats.coefficients.coefficient import AT
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, headlines
from pt_rankcorr.tables.grid import D_RANK
from pt_rankcorr.tables.kinds import COEFFICIENT, COUNT, NUMBER, PVALUE, WORD
from pt_rankcorr.tables.table import Column

Row: TypeAlias = Any  # a `RankingAgreement`, which shows itself by these columns
Of: TypeAlias = Column[Row]

ALONE = "scores"  # the name of a collection that has none
TITLES_OF_MORE = {"kappa": "kappa", "pair_accuracy": "pairs of documents"}  # the others are for machines
TITLES_OF_RELEVANT = {"kappa_binary": "kappa, relevant"}  # where thresholds say which labels are
PAIRS = "pair accuracy"  # of single topics
OF_PAIRS = {"balanced_accuracy": "balanced accuracy", "soft_accuracy": "soft accuracy"}


def columns_of(row: Row) -> tuple[Of, ...]:
    """The columns of all rows with the settings of this one."""
    best = (name for name in row.coefficients if AT in name)
    of_all = (name for name in row.coefficients if AT not in name)
    coefficients = (of for name in (*of_all, *best) for of in _coefficient(name, row))
    sizes = (Column(name, name, COUNT, attrgetter(name), shown=False) for name in ("n_topics", "n_systems"))
    pairs = [_per_topic(PAIRS, PAIRS, f"{PAIRS} per topic{_level_of(row)}")] if PAIRS in row.per_topic else []
    return (*key_columns(row), *sizes, *_more(row), *coefficients, *pairs, *_kendall(), *_distance(row), *_pairs(row))


def _is_full(row: Row) -> bool:
    """Whether rows have so many columns that some are only shown in wide tables."""
    return bool(row.estimates)


def key_columns(row: Row) -> Iterator[Of]:
    """The columns that name what is compared."""
    of_judge = "judge" in row.key
    for name in row.key:
        shown = row.key[name] != ALONE if name == "collection" else not of_judge or name == "judge"
        yield _named("key", name, shown=shown)
    if of_judge:
        yield Column("measures", "measure", WORD, attrgetter("measures"), machine=False)


def _named(part: str, name: str, **how: Any) -> Of:
    return Column(name, name, WORD, lambda row: getattr(row, part)[name], **how)


def _more(row: Row) -> Iterator[Of]:
    is_told = any(row.more.get(name, 1) != 1 for name in ("relevance_threshold", "other_threshold"))
    titles = TITLES_OF_MORE | TITLES_OF_RELEVANT if is_told else TITLES_OF_MORE
    for name in row.more:
        title = titles.get(name, "")
        yield Column(name, title, COEFFICIENT, lambda row, name=name: row.more[name], shown=bool(title))  # type: ignore[misc]


def _coefficient(name: str, row: Row) -> Iterator[Of]:
    """On these topics, over all topics, and of single topics."""
    base, *top = name.split(AT)
    settings = row.settings
    of, shown = (COEFFICIENTS[base], headlines()) if settings is None else (settings.coefficient(base), settings.shown)
    column, title, symbol = (AT.join([text, *top]) for text in (of.column, of.title, of.symbol))
    asked = settings is not None and settings.coefficients is not None
    how: dict[str, Any] = {
        "shown": of == shown[0] or (of in shown and not top),
        "wide": _is_full(row) and of == shown[-1] and not asked,
    }
    yield Column(column, title, COEFFICIENT, lambda row: row.coefficients[name], symbol=symbol, **how)
    if name in row.estimates:
        yield Column(
            f"{column} estimate",
            f"{title} over all topics{_level_of(row)}",
            COEFFICIENT,
            lambda row: row.estimates[name].value,
            lambda row: row.estimates[name][1:],
            ends=(f"{column} low", f"{column} high"),
            symbol=f"{symbol} over all topics{_level_of(row)}",
            **how,
        )
    if name == shown[0].name and row.one_ranking is not None:
        p, strong = attrgetter("one_ranking"), attrgetter("rules_out_one_ranking")
        yield Column("one_ranking", "p of one ranking", PVALUE, p, strong=strong)
    if name in row.per_topic:
        yield _per_topic(name, column, f"{title} per topic{_level_of(row)}", shown=name == shown[0].name)
        undefined = f"{column} per topic undefined"
        yield Column(undefined, "", COUNT, lambda row: row.per_topic[name].n_undefined, shown=False)


def _level_of(row: Row) -> str:
    """The level of a column's intervals, for its title: tables are often pasted without their notes."""
    return "" if row.settings is None else f" [{row.settings.level:.0%}]"


def _per_topic(name: str, column: str, title: str, *, shown: bool = True) -> Of:
    value, ends = lambda row: row.per_topic[name].value, lambda row: row.per_topic[name][1:3]
    return Column(f"{column} per topic", title, COEFFICIENT, value, ends, shown=shown)


def _kendall() -> Iterator[Of]:
    """Kendall's interval for tau, whose ends alone are columns."""
    for name in ("low", "high"):
        end = lambda row, name=name: getattr(row.kendall_interval(), name)  # noqa: E731
        yield Column(f"tau kendall {name}", "", COEFFICIENT, end, shown=False)


def _distance(row: Row) -> Iterator[Of]:
    """The distance from the reference, and its p-value."""
    yield Column("d_rank", "d_rank", COEFFICIENT, attrgetter("d_rank"), wide=_is_full(row), symbol=D_RANK)
    strong, symbol = attrgetter("is_different"), f"p of {D_RANK}"
    yield Column("pvalue", "p of d_rank", PVALUE, attrgetter("pvalue"), strong=strong, symbol=symbol)
    yield Column("pvalue_standard_error", "", NUMBER, attrgetter("pvalue_standard_error"), shown=False)


def _pairs(row: Row) -> Iterator[Of]:
    """The significant pairs of systems."""
    if row.pairs is None:
        return
    yield Column("pairs reversed", "pairs reversed", WORD, attrgetter("pairs.reversed"), machine=False)
    for name in row.pairs.to_dict():
        yield _of_pairs(name, row)


def _of_pairs(name: str, row: Row) -> Of:
    value, title = attrgetter(f"pairs.{name}"), OF_PAIRS.get(name, "")
    ends = (lambda row: row.pairs.intervals[name]) if name in row.pairs.intervals else None
    is_wide = _is_full(row) and title.startswith("balanced")
    title += _level_of(row) if title and ends else ""
    return Column(name, title, COEFFICIENT, value, ends, shown=bool(title), wide=is_wide)
