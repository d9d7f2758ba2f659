"""Judges in families of model x prompt x repetition: how their agreement with the reference depends on these."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison._per_case import CORRELATION_RESAMPLES
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.difference import contests_of, correlations_with
from pt_rankcorr.stats.accuracy.families import Component, components_of, luck_between
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables.kinds import NUMBER, PERCENT, WORD
from pt_rankcorr.tables.table import Column, Table, listed
from pt_rankcorr.text import in_a_sentence

LUCK = "luck of topics"


@dataclass(frozen=True, eq=False)
class JudgeFamilies(Result):
    """How much the agreement with the reference varies between families of judges, and by luck.

    Attributes:
        factors: The factors of judges, such as model and prompt; each is within those before.
        components: For each factor, the standard deviation of the true coefficient, with an interval.
        luck: The standard deviation that the luck of topics gives judges that agree equally well.
        best: One row per group of the first factor with several judges: the judges that may be its best, and
            whether none can be told from another.
        coefficient: The coefficient of the agreement.
        n_judges: The number of judges.
        level: The confidence level of the intervals.
        alpha: The level of the tests.
    """

    factors: Labels
    components: tuple[Component, ...]
    luck: float
    best: pd.DataFrame = field(repr=False, compare=False)
    coefficient: str
    n_judges: int
    level: float
    alpha: float
    _of: Coefficient = field(repr=False, compare=False)

    @property
    def shares(self) -> Floats:
        """The shares of each factor, and of luck, in the variance of measured coefficients."""
        variances = np.array([*(each.deviation for each in self.components), self.luck]) ** 2
        return np.asarray(variances / variances.sum()) if variances.any() else variances

    def _rows(self) -> Table:
        nested = [" within ".join(self.factors[at::-1]) for at in range(len(self.factors))]
        values = [*(each.deviation for each in self.components), self.luck]
        ends = [(each.low, each.high) for each in self.components]
        columns: tuple[Column[int], ...] = (
            listed("variation", WORD, [*nested, LUCK]),
            listed("sd", NUMBER, values, f"sd of {self._of.title}", interval=[*ends, None].__getitem__),
            listed("share", PERCENT, self.shares, "share of variance"),
        )
        return Table(columns, range(len(nested) + 1))

    def _note(self) -> str:
        told = [
            f"{row['group']}: {row['may be best'] if row['told'] else 'none can be told from another'}."
            for row in self.best.to_dict("records")
        ]
        how = (
            f"{self.n_judges} judges; {self.level:.0%} intervals; {self._of.title} with the reference over all topics. "
            f"Luck: the error of measuring {self._of.title} on these topics. A share of 0% is an estimate: a deviation "
            "up to the end of its interval is possible."
        )
        return f"{how} May be best: {' '.join(told)}" if told else how


def judge_families(
    reference: ScoreMatrix,
    judges: Mapping[str, ScoreMatrix],
    factors: Any,
    coefficient: CoefficientLike,
    settings: Settings,
    n_jobs: int | None,
) -> JudgeFamilies:
    """The variation between judges, all with the reference's systems and topics."""
    of, table = as_coefficient(coefficient), factor_table(factors, list(judges))
    how: dict[str, Any] = {"n_resamples": CORRELATION_RESAMPLES, "n_jobs": n_jobs, **settings.drawn_by()}
    found = correlations_with(reference.rows, [scores.rows for scores in judges.values()], of, **how)
    draws = np.stack([each.draws for each in found])
    if np.isnan(draws).any():
        tied = [name for name, own in zip(judges, draws, strict=True) if np.isnan(own).any()]
        raise ValueError(f"`judges` must not tie all systems, but {listing(tied)} do.")
    luck = np.cov(draws)
    nested = [table.groupby(list(table.columns[: at + 1]), sort=False).ngroup() for at in range(table.shape[1])]
    components = components_of(
        np.array([each.estimate for each in found]), luck, [each.to_numpy() for each in nested], settings.level
    )
    rows = []
    for group, own in table.groupby(table.columns[0], sort=False):
        members = [list(judges).index(name) for name in own.index]
        if len(members) > 1:
            best = contests_of([found[at] for at in members]).may_be_best(settings.alpha)
            told = in_a_sentence([name for name, may in zip(own.index, best, strict=True) if may])
            rows.append({"group": group, "n_judges": len(members), "may be best": told, "told": not best.all()})
    frame = pd.DataFrame(rows, columns=["group", "n_judges", "may be best", "told"])
    settled = of.name, len(judges), settings.level, settings.alpha, of
    return JudgeFamilies(tuple(map(str, table.columns)), tuple(components), luck_between(luck), frame, *settled)


def factor_table(factors: Any, judges: Sequence[str]) -> pd.DataFrame:
    """One row per judge, one column per factor: from a pattern with named groups, or a table.

    Raises:
        TypeError: If it is neither.
        ValueError: If a judge has no factors, or a factor has one group, or there are none.
    """
    if isinstance(factors, str):
        pattern = re.compile(factors)
        fits = {name: pattern.search(name) for name in judges}
        found = {name: list(fit.groupdict("").values()) for name, fit in fits.items() if fit}
        table = pd.DataFrame.from_dict(found, orient="index", columns=list(pattern.groupindex))
    elif isinstance(factors, (pd.DataFrame, Mapping)):
        given = pd.DataFrame.from_dict(dict(factors), orient="index") if isinstance(factors, Mapping) else factors
        given = given.set_index("judge") if "judge" in given else given
        table = given.set_axis(given.index.map(str)).loc[lambda rows: rows.index.isin(judges)].astype(str)
    else:
        raise TypeError(f"`factors` must be a pattern with named groups or a table, got {type(factors).__name__}.")
    if missing := set(judges) - set(table.index):
        raise ValueError(f"`factors` must have every judge, got none for {listing(missing)}.")
    if not table.index.is_unique:
        raise ValueError(
            f"`factors` must have each judge once, got several of {listing({*table.index[table.index.duplicated()]})}."
        )
    table = table.loc[list(judges)]
    if flat := [name for name in table if table[name].nunique() < 2]:
        raise ValueError(f"`factors` must differ between judges, got the same {listing(flat)} for all.")
    if table.shape[1] < 1 or len(table) < 3:
        raise ValueError(
            f"`factors` must have at least 1 factor of at least 3 judges, got {table.shape[1]} of {len(table)}."
        )
    return table
