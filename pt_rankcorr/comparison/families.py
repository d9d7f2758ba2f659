"""Judges that come in families: how much agreement varies between models, between prompts, and by chance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.judge_ranking import Sides, sample_of_judges
from pt_rankcorr.comparison.table import Settings
from pt_rankcorr.stats.accuracy import difference
from pt_rankcorr.stats.accuracy.variance_components import FactorDeviation, components_of, sampling_error_between
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import check_distinct, listing
from pt_rankcorr.stats.core.types import Floats, Labels, Result
from pt_rankcorr.tables import NUMBER, PERCENT, WORD, Column, Table, listed
from pt_rankcorr.text import in_a_sentence, shown


@dataclass(frozen=True, eq=False)
class JudgeFamilies(Result):
    """How much the agreement with the reference varies between families of judges, and by topic sampling error.

    Attributes:
        factors: The factors of judges, such as model and prompt; each is within those before.
        components: For each factor, the standard deviation of the true coefficient, with an interval.
        sampling_error: The standard deviation that topic sampling error gives judges that agree equally well.
        best: One row per group of the first factor with several judges: the judges that may be its best.
    """

    factors: Labels
    components: tuple[FactorDeviation, ...]
    sampling_error: float
    best: pd.DataFrame = field(repr=False, compare=False)
    coefficient: str
    n_judges: int
    level: float
    alpha: float
    _of: Coefficient = field(repr=False, compare=False)

    @property
    def shares(self) -> Floats:
        """The shares of each factor, and of sampling error, in the variance of measured coefficients."""
        variances = np.array([*(factor.deviation for factor in self.components), self.sampling_error]) ** 2
        return np.asarray(variances / variances.sum()) if variances.any() else variances

    def _rows(self) -> Table:
        nested = [" within ".join(self.factors[index::-1]) for index in range(len(self.factors))]
        values = [*(factor.deviation for factor in self.components), self.sampling_error]
        ends = [(factor.low, factor.high) for factor in self.components]
        columns: tuple[Column[int], ...] = (
            listed("variation", WORD, [*nested, "topic sampling error"]),
            listed("sd", NUMBER, values, f"sd of {self._of.title}", interval=[*ends, None].__getitem__),
            listed("share", PERCENT, self.shares, "share of variance"),
        )
        return Table(columns, range(len(nested) + 1))

    def _note(self) -> str:
        best = [
            f"{row['group']}: {row['may be best'] if row['told'] else 'none can be told from another'}."
            for row in self.best.to_dict("records")
        ]
        how = (
            f"{self.n_judges} judges; {self.level:.0%} intervals; {self._of.title} with the reference on as many "
            f"topics. Topic sampling error: the error of measuring {self._of.title} on these topics. A share of "
            "0% is an estimate: a deviation up to the end of its interval is possible."
        )
        return f"{how} May be best: {' '.join(best)}" if best else how


def factor_table(factors: Any, judges: Sequence[str]) -> pd.DataFrame:
    """One row per judge, one column per factor: from a pattern with named groups, or a table."""
    if isinstance(factors, str):
        try:
            rows = {name: match.groupdict("") for name in judges if (match := re.search(factors, name))}
        except re.error as error:
            raise ValueError(f"`factors` must be a regular expression, got {shown(factors)} ({error}).") from None
        table = pd.DataFrame.from_dict(rows, orient="index")
    elif isinstance(factors, (pd.DataFrame, Mapping)):
        table = pd.DataFrame.from_dict(dict(factors), orient="index") if isinstance(factors, Mapping) else factors
        table = table.set_index("judge") if "judge" in table else table
        table = table.set_axis(table.index.map(str)).loc[lambda rows: rows.index.isin(judges)]
        table = table.astype(str).mask(table.isna(), "")
    else:
        raise TypeError(f"`factors` must be a pattern with named groups or a table, got {type(factors).__name__}.")
    is_empty = (table.apply(lambda column: column.str.strip()) == "").any(axis=1)
    if missing := set(judges) - set(table.index[~is_empty]):
        raise ValueError(f"`factors` must have a group of every judge, got none for {listing(missing)}.")
    check_distinct([*table.index], "factors", "have each judge once")
    table = table.loc[list(judges)]
    if flat := [name for name in table if table[name].nunique() < 2]:
        raise ValueError(f"`factors` must differ between judges, got the same {listing(flat)} for all.")
    if table.shape[1] < 1 or len(table) < 3:
        size = f"{table.shape[1]} of {len(table)}"
        raise ValueError(f"`factors` must have at least 1 factor of at least 3 judges, got {size}.")
    return table


def compare_families(
    sides: Sides, factors: object, of: Coefficient, settings: Settings, n_jobs: int | None
) -> JudgeFamilies:
    """See `JudgeComparison.families`."""
    _, judges = sides
    table = factor_table(factors, list(judges))
    sample, _ = sample_of_judges(sides, list(judges), of, settings, n_jobs)
    if tied := [name for name, value in zip(judges, sample.values, strict=True) if np.isnan(value)]:
        raise ValueError(f"`judges` must not tie all systems, but {listing(tied)} do.")
    for (name, scores), (other, others) in combinations(judges.items(), 2):
        if scores.topics == others.topics and np.array_equal(scores.values, others.values):
            raise ValueError(f"`judges` must differ, got the same scores from {listing([name, other])}.")
    factors_within = (list(table.columns[: index + 1]) for index in range(table.shape[1]))
    nested = [table.groupby(names, sort=False).ngroup().to_numpy() for names in factors_within]
    tests = difference.compare_pairs([sample], settings.alpha)
    # covariances of resamples, in standard errors
    resamples = sample.replicates[0][~np.isnan(sample.replicates[0]).any(axis=1)]
    widened = np.divide(tests.errors, resamples.std(axis=0, ddof=1), out=np.zeros(len(judges)), where=tests.errors > 0)
    sampling_error = np.cov(resamples, rowvar=False) * np.outer(widened, widened)
    components = components_of(tests.values, sampling_error, nested, settings.level)
    best = []
    for group, own in table.groupby(table.columns[0], sort=False):
        if len(own) > 1:
            members = [list(judges).index(name) for name in own.index]
            of_group = difference.compare_pairs([sample.of(members)], settings.alpha)
            names = [name for name, may in zip(own.index, of_group.may_be_best, strict=True) if may]
            best.append((group, len(own), in_a_sentence(names), not of_group.may_be_best.all()))
    return JudgeFamilies(
        factors=tuple(map(str, table.columns)),
        components=tuple(components),
        sampling_error=sampling_error_between(sampling_error),
        best=pd.DataFrame(best, columns=["group", "n_judges", "may be best", "told"]),
        coefficient=of.name,
        n_judges=len(judges),
        level=settings.level,
        alpha=settings.alpha,
        _of=of,
    )
