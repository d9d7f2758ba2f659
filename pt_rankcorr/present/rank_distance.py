"""How distances between rankings are shown: d_rank, allowed ranks, three systems on a plane."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from pt_rankcorr import defaults
from pt_rankcorr.present.generic import facts_of, in_a_line, table_of
from pt_rankcorr.stats.rank_distance.allowed_ranks import AllowedRanks
from pt_rankcorr.stats.rank_distance.d_rank import DRankResult
from pt_rankcorr.stats.rank_distance.distance import RankGeometry
from pt_rankcorr.tables import (
    COUNT,
    NUMBER,
    PVALUE,
    RANK,
    WORD,
    Column,
    Table,
    Values,
    facts,
    listed,
    of_values,
)
from pt_rankcorr.text import d_rank_by, decimals, is_borderline, p_equals

MONTE_CARLO = "Monte Carlo error of p"


@table_of.register
def d_rank_table(result: DRankResult) -> Table:
    """The distance and its p-value of one ranking, or a row for each of several."""
    n_rankings = np.size(result.statistic)
    if np.ndim(result.statistic) == 0:
        table = Table(facts_of(result), [result], upright=True)
    else:
        columns = (
            listed("ranking", COUNT, range(1, n_rankings + 1)),
            listed("d_rank", NUMBER, np.asarray(result.statistic), d_rank_by(result.covariance)),
            listed("p-value", PVALUE, np.asarray(result.pvalue)),
            listed(MONTE_CARLO, NUMBER, np.asarray(result.pvalue_standard_error)),
        )
        table = Table(columns, range(n_rankings))
    n_used = int(np.max(result.n_used))
    most = f" of at most {result.n_resamples}" if n_used < result.n_resamples else ""
    note = f"Null {result.null}; {n_used}{most} resamples."
    return replace(table, answer=_verdict(result), notes=(note,))


@facts_of.register
def d_rank_facts(result: DRankResult) -> tuple[Column[Any], ...]:
    """The distance, its p-value and sizes; settings are for machines alone."""
    titles = {
        "statistic": d_rank_by(result.covariance),
        "pvalue": "p-value",
        "pvalue_standard_error": MONTE_CARLO,
        "n_systems": "systems",
        "n_topics": "topics",
    }
    others = {column.name: column for column in facts(result.to_dict())}
    titled = [replace(others.pop(name), title=title) for name, title in titles.items()]
    return (*titled, *(replace(column, shown=False) for column in others.values()))


def _verdict(result: DRankResult) -> str:
    """Whether the ranking could be the true one, at the usual level; of several, how many not."""
    pvalues = np.atleast_1d(result.pvalue)
    if pvalues.size > 1:
        n_different = int((pvalues <= defaults.ALPHA).sum())
        true = "rankings are significantly different from the true ranking by the reference"
        return f"{n_different} of {pvalues.size} {true} (p <= {decimals(defaults.ALPHA)})."
    pvalue, distance = float(pvalues[0]), float(np.atleast_1d(result.statistic)[0])
    if math.isnan(pvalue):
        why = "it or the reference ties all systems"
        return f"Whether the ranking could be the true one is undefined: {why}."
    if distance == 0.0:
        return "The ranking is that of the reference."
    if is_borderline(pvalue, float(np.atleast_1d(result.pvalue_standard_error)[0]), defaults.ALPHA):
        undecided = "too near .05 to say whether the ranking could be the true one"
        return f"{p_equals(pvalue)} is {undecided}: other resamples may decide otherwise."
    differs = pvalue <= defaults.ALPHA
    could = "is significantly different from" if differs else "could be"
    explain = "does not explain" if differs else "may explain"
    why = f"the choice of {result.n_topics} topics {explain} why the reference ranks otherwise"
    return f"The ranking {could} the true ranking by the reference ({p_equals(pvalue)}): {why}."


@table_of.register
def allowed_ranks_table(result: AllowedRanks) -> Table:
    """One row per system, best first: the best and worst rank it may have, by d_rank and tau."""
    columns: dict[str, Values] = {}
    for criterion, shares in (("d_rank", result.by_distance), ("tau", result.by_tau)):
        # (m, m), best system first: whether some ranking gives it each rank
        is_allowed = np.nan_to_num(shares[result.order]) > 0.0
        # the first and the last such rank, from 1
        first = is_allowed.argmax(axis=1) + 1.0
        last = result.n_systems - is_allowed[:, ::-1].argmax(axis=1)
        low, high = np.where(is_allowed.any(axis=1), [first, last], np.nan)
        columns |= {f"by {criterion}: low": low, f"by {criterion}: high": high}
    table = of_values({WORD: {"system": result.best_first()}, RANK: columns})
    return replace(table, notes=(in_a_line(result),))


@table_of.register
def rank_geometry_table(result: RankGeometry) -> Table:
    """One row per difference of two neighbours: two of three systems, the worst pair first."""
    names = {"better": result.systems[1:], "worse": result.systems[:-1]}
    differences = {"reference's difference": result.mean, "ranking's difference": result.ranking}
    table = of_values({WORD: names, NUMBER: {**differences, "nearest": result.nearest}})
    return replace(table, notes=(in_a_line(result),))
