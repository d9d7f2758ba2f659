"""Judges compared on several collections: on each alone, and on average over all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pt_rankcorr.comparison.collections_of import names_of_collections
from pt_rankcorr.comparison.judge_comparison import JudgeComparison, JudgesCompared
from pt_rankcorr.comparison.judges import ScoresOfJudges
from pt_rankcorr.comparison.rows import RankingAgreement
from pt_rankcorr.comparison.settings import Settings as Settings  # of a field
from pt_rankcorr.stats.accuracy.difference import mean_correlation
from pt_rankcorr.stats.core.arguments import by_name, listing
from pt_rankcorr.warnings import FailedJudgesWarning, warn

ALL = "all collections"


@dataclass(frozen=True)
class JudgesByCollection(JudgesCompared):
    """Judges compared with a reference over all collections, and on each, in `collections`."""

    collections: Mapping[str, JudgeComparison] = field(repr=False)

    def _scores_of(self, reference: object, measure: object) -> list[ScoresOfJudges]:
        """For each collection: the reference, and the judges in all; others with a warning."""
        sides = []
        for name in sorted(self.collections):  # numbers may depend on the order
            sides += self.collections[name]._scores_of(reference, measure)
        all_names = dict.fromkeys(name for _, judges in sides for name in judges)
        shared = [name for name in all_names if all(name in judges for _, judges in sides)]
        if lacking := [name for name in all_names if name not in shared]:
            message = f"Judges that a collection lacks are left out: {listing(lacking)}."
            warn(message, FailedJudgesWarning)
        return [(trusted, {name: judges[name] for name in shared}) for trusted, judges in sides]

    def _compared(self) -> dict[str, Any]:
        return {"collections": {name: one._compared() for name, one in self.collections.items()}}


def by_collection(
    compare_one: Callable[..., JudgeComparison], of_each: Mapping[str, Any]
) -> JudgeComparison:
    """Judges compared by `compare_one`: on the only collection, or on each of several and over all.

    `of_each` has its arguments, by name; if the first maps collections to what each has, all do.
    Rows over all, of the judges and measures that all collections have, come before those of each.
    """
    names = names_of_collections(of_each)
    if names is None:
        return compare_one(**of_each)
    first = next(iter(of_each))
    if ALL in names:
        raise ValueError(f"`{first}` must not name a collection {ALL!r}, which are all of them.")
    collections = {}
    for name in names:
        given = {key: by_name(value, key)[name] for key, value in of_each.items()}
        collections[name] = compare_one(**given)

    rows = [
        replace(row, key={"collection": name, **row.key})
        for name, comparison in collections.items()
        for row in comparison
    ]
    # key -> row of each collection, in the order of names: no mean depends on that of the mapping
    by_key = [{tuple(row.key.values()): row for row in collections[name]} for name in sorted(names)]
    shared_keys = [tuple(row.key.values()) for row in collections[names[0]]]
    shared_keys = [key for key in shared_keys if all(key in rows_of for rows_of in by_key)]
    means = [_mean_row([rows_of[key] for rows_of in by_key]) for key in shared_keys]
    names_of_references = {comparison.reference_name for comparison in collections.values()}
    reference_name = names_of_references.pop() if len(names_of_references) == 1 else "the reference"
    settings = collections[names[0]].settings
    return JudgesByCollection(  # type: ignore[return-value]
        (*means, *rows), settings, reference_name, collections
    )


def _mean_row(rows: Sequence[RankingAgreement]) -> RankingAgreement:
    """A judge's row over all collections, from one for each: independent samples, counting equally.

    d_rank, pairs and details are of one collection only, and undefined here.
    """
    first = rows[0]
    coefficients = {
        name: float(np.mean([row.coefficients[name] for row in rows]))
        for name in first.coefficients
    }
    correlations = {
        name: mean_correlation([row.correlations[name] for row in rows], first.settings.seed)
        for name in first.correlations
    }
    return replace(
        first,
        key={"collection": ALL, **first.key},
        n_topics=sum(row.n_topics for row in rows),
        n_systems=sum(row.n_systems for row in rows),
        coefficients=coefficients,
        correlations=correlations,
        d_rank=math.nan,
        d_rank_pvalue=math.nan,
        d_rank_pvalue_standard_error=math.nan,
        pairs=None,
        details={},
        n_collections=len(rows),
    )
