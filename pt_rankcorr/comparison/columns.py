"""What rows say: each number once, with its name for machines and its title for people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from pt_rankcorr.comparison._coefficients import SHOWN, TITLES, column
from pt_rankcorr.comparison._interim import Column

if TYPE_CHECKING:
    from pt_rankcorr.comparison.table import RankingAgreement


def columns_of(row: RankingAgreement, *, same_measure: bool = False) -> tuple[Column, ...]:
    """The columns of rows such as this one."""
    return (*_key(row, same_measure=same_measure), *_more(row), *_coefficients(row), *_distance(), *_pairs(row))


def _key(row: RankingAgreement, *, same_measure: bool) -> Iterator[Column]:
    for name in row.key:
        hidden = row.key[name] == "scores" and name == "collection" or name == "reference" and same_measure
        yield Column(name, name, "word", partial(_of, "key", name), hidden=hidden)
    for name in ("n_topics", "n_systems"):
        yield Column(name, name, "count", partial(_attribute, name), hidden=True)


def _more(row: RankingAgreement) -> Iterator[Column]:
    for name in row.more:
        yield Column(name, name, "coefficient", partial(_of, "more", name), hidden=name != "kappa")


def _coefficients(row: RankingAgreement) -> Iterator[Column]:
    shown = SHOWN["a" if row.settings is None else row.settings.ties]
    for name in row.coefficients:
        base, at, top = name.partition("@")
        title = f"{TITLES[base]}{at}{top}"
        hidden = base != shown[0] if at else base not in shown
        told: dict[str, Any] = {"hidden": hidden, "wide": base == shown[2]}
        yield Column(column(name), title, "coefficient", partial(_of, "coefficients", name), **told)
        if name in row.estimates:
            value, ends = partial(_estimate, name), partial(_ends, "estimates", name)
            yield Column(f"{column(name)} estimate", f"{title} over all topics", "coefficient", value, ends, **told)
        if name in row.per_topic:
            value, ends = partial(_per_topic, name), partial(_ends, "per_topic", name)
            hidden = base != shown[0]
            yield Column(f"{column(name)} per topic", f"{title} per topic", "coefficient", value, ends, hidden=hidden)
            yield Column(f"{column(name)} per topic undefined", "", "count", partial(_undefined, name), hidden=True)
        if name == shown[0] and row.one_ranking is not None:
            yield Column("one_ranking", "p of one ranking", "pvalue", partial(_attribute, "one_ranking"))
    value = partial(_attribute, "tau")
    yield Column("tau kendall", "", "coefficient", value, lambda row: row.kendall_interval(), hidden=True)


def _distance() -> Iterator[Column]:
    yield Column("d_rank", "d_rank", "distance", partial(_attribute, "d_rank"), wide=True)
    yield Column("pvalue", "p of d_rank", "pvalue", partial(_attribute, "pvalue"))
    yield Column("pvalue_standard_error", "", "pvalue", partial(_attribute, "pvalue_standard_error"), hidden=True)


def _pairs(row: RankingAgreement) -> Iterator[Column]:
    if row.pairs is None:
        return
    yield Column("pairs reversed", "pairs reversed", "word", _reversed)
    for name in row.pairs.to_dict():
        title = {"balanced_accuracy": "balanced accuracy", "soft_accuracy": "soft accuracy"}.get(name, "")
        yield Column(name, title, "coefficient", partial(_of_pairs, name), hidden=not title, wide=title.startswith("b"))


def _of(names: str, name: str, row: RankingAgreement) -> Any:
    return getattr(row, names)[name]


def _attribute(name: str, row: RankingAgreement) -> Any:
    return getattr(row, name)


def _estimate(name: str, row: RankingAgreement) -> Any:
    return row.estimates[name].value

def _per_topic(name: str, row: RankingAgreement) -> Any:
    return row.per_topic[name].value

def _undefined(name: str, row: RankingAgreement) -> Any:
    return row.per_topic[name].n_undefined

def _ends(names: str, name: str, row: RankingAgreement) -> Any:
    return getattr(row, names)[name][1:3]

def _of_pairs(name: str, row: RankingAgreement) -> Any:
    return row.pairs.to_dict()[name]

def _reversed(row: RankingAgreement) -> str:
    return f"{len(row.pairs.active_disagreements)} of {row.pairs.n_significant}"
