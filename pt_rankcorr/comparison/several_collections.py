"""Judges compared on several collections: on each alone, and on average over all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from pt_rankcorr.comparison.judge_ranking import Sides
from pt_rankcorr.comparison.judging import JudgeComparison, JudgesCompared
from pt_rankcorr.comparison.rows import EXTRAS, Interval, PerTopic, RankingAgreement
from pt_rankcorr.comparison.settings import Settings as Settings  # of a field
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy.correlation_interval import PopulationCorrelation, students_interval
from pt_rankcorr.stats.core.arguments import by_name, listing
from pt_rankcorr.warnings import FailedJudgesWarning, warn

ALL = "all collections"


@dataclass(frozen=True)
class JudgesByCollection(JudgesCompared):
    """Judges compared with a reference over all collections, and on each, whose comparison is in `collections`."""

    collections: Mapping[str, JudgeComparison] = field(repr=False)

    def _sides(self, reference: object, measure: object) -> list[Sides]:
        in_order = (self.collections[name] for name in sorted(self.collections))  # on which numbers may depend
        sides = [side for comparison in in_order for side in comparison._sides(reference, measure)]
        all_names = dict.fromkeys(name for _, judges in sides for name in judges)
        shared = [name for name in all_names if all(name in judges for _, judges in sides)]
        if lacking := [name for name in all_names if name not in shared]:
            warn(f"Judges that a collection lacks are left out: {listing(lacking)}.", FailedJudgesWarning)
        return [(trusted, {name: judges[name] for name in shared}) for trusted, judges in sides]

    def _facts(self) -> dict[str, Any]:
        return {"collections": {name: comparison._facts() for name, comparison in self.collections.items()}}

    def _subject(self) -> str:
        sizes = " ".join(f"{name}: {comparison._subject()}" for name, comparison in self.collections.items())
        over_all = {(row.judge, row.measures) for row in self.rows if row.n_collections > 1}
        lacking = {(row.judge, row.measures) for row in self.rows} - over_all
        in_part = {judge for judge, _ in over_all}
        names = {f"{judge} by {measures}" if judge in in_part else judge for judge, measures in lacking}
        left_out = f" Not in all collections: {listing(names)}." if names else ""
        d_rank = ", d_rank" if self.settings.d_rank else ""
        means = f"{ALL.capitalize()}: means, each counting equally; p-values{d_rank} and labels are of one."
        return f"{means} {sizes}{left_out}"


def _names_in(value: object) -> set[str] | None:
    """The names that a mapping has; None for what is no mapping, or is the scores of one collection."""
    return {str(name) for name in value} if isinstance(value, Mapping) and not isinstance(value, Scores) else None


def are_collections(value: Any) -> bool:
    """Whether it maps collections; not topics to labels of documents."""
    if _names_in(value) is None:
        return False
    return not any(_names_in(inner) and not any(map(_names_in, inner.values())) for inner in value.values())


def compare_collections(
    compare_one: Callable[..., JudgeComparison],
    of_each: Mapping[str, Any],
    of_each_or_all: Mapping[str, Any],
    on_row: Callable[[RankingAgreement], object] | None,
) -> JudgesByCollection:
    """Judges compared on each collection alone, by `compare_one`, and over all.

    Its parameters are the names in `of_each`, of which all map the same collections to values, those in
    `of_each_or_all`, which may also have one value for all collections, and `on_row`.
    """
    first = next(iter(of_each))
    names = list(by_name(of_each[first], first))
    shared = {key: value for key, value in of_each_or_all.items() if _names_in(value) != set(names)}
    mapped = {**of_each, **{key: value for key, value in of_each_or_all.items() if key not in shared}}
    for key, value in mapped.items():
        if _names_in(value) != set(names):
            raise ValueError(f"`{key}` must be a mapping from the collections {listing(names)}.")
    if ALL in names:
        raise ValueError(f"`{first}` must not name a collection {ALL!r}, which are all of them.")
    collections = {}
    for name in names:
        of_one = {key: by_name(value, key)[name] for key, value in mapped.items()}
        named_on_row = None if on_row is None else lambda row, name=name: on_row(_of_collection(row, name))
        collections[name] = compare_one(**of_one, **shared, on_row=named_on_row)

    rows = [_of_collection(row, name) for name, comparison in collections.items() for row in comparison]
    by_key = [{tuple(row.key.values()): row for row in collections[name]} for name in sorted(names)]
    shared_keys = [tuple(row.key.values()) for row in collections[names[0]]]
    shared_keys = [key for key in shared_keys if all(key in rows_of for rows_of in by_key)]
    means = [_mean_row([rows_of[key] for rows_of in by_key]) for key in shared_keys]
    return JudgesByCollection((*means, *rows), collections[names[0]].settings, collections)


def _of_collection(row: RankingAgreement, name: str) -> RankingAgreement:
    """The row with the name of its collection."""
    return replace(row, key={"collection": name, **row.key})


def _mean_row(rows: Sequence[RankingAgreement]) -> RankingAgreement:
    """The row of a judge over all collections, each counting equally; they are independent samples of topics."""
    first, k = rows[0], len(rows)
    coefficients = {name: float(np.mean([row.coefficients[name] for row in rows])) for name in first.coefficients}
    intervals = {}
    for name in first.intervals:
        squares = np.array([row.intervals[name].standard_error ** 2 for row in rows])
        freedoms = np.array([row.intervals[name].freedom for row in rows])
        error = math.sqrt(squares.sum()) / k
        freedom = float(squares.sum() ** 2 / (squares**2 / freedoms).sum()) if error > 0.0 else float(freedoms.min())
        ends = students_interval(coefficients[name], error, freedom, first.settings.level)
        intervals[name] = Interval(*ends, error, freedom)
    per_topic = {}
    for name in first.per_topic:
        value = float(np.mean([row.per_topic[name].value for row in rows]))
        per_topic[name] = PerTopic(value, math.nan, math.nan, sum(row.per_topic[name].n_undefined for row in rows))
    return replace(
        first,
        key={"collection": ALL, **first.key},
        n_topics=sum(row.n_topics for row in rows),
        n_systems=sum(row.n_systems for row in rows),
        coefficients=coefficients,
        intervals=intervals,
        pvalue=None if first.pvalue is None else math.nan,
        cautions=tuple(dict.fromkeys(text for row in rows for text in row.cautions)),
        d_rank=math.nan,
        d_rank_pvalue=math.nan,
        d_rank_pvalue_standard_error=math.nan,
        per_topic=per_topic,
        pairs=None,
        more={
            name: float(np.mean([row.more[name] for row in rows])) for name, extra in EXTRAS.items() if extra.compute
        },
        n_collections=k,
        _population=partial(_mean_population, rows),
    )


def _mean_population(rows: Sequence[RankingAgreement]) -> dict[str, PopulationCorrelation]:
    """The mean of independent draws of all collections."""
    population = {}
    for name in rows[0].population:
        # one seed gives two collections the same random numbers, but their topics are independent samples
        shuffles = np.random.default_rng(rows[0].settings.seed).spawn(len(rows))
        draws = [child.permutation(row.population[name].draws) for child, row in zip(shuffles, rows, strict=True)]
        population[name] = PopulationCorrelation.of(np.mean(draws, axis=0), rows[0].settings.level)
    return population
