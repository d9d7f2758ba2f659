"""Judges that were asked several times: how much of their agreement varies between runs, and between topics."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.stats.accuracy.correlation import students_interval
from pt_rankcorr.stats.accuracy.difference import students_pvalues
from pt_rankcorr.stats.core.arguments import check_distinct, listing
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, Result
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PERCENT, PVALUE, WORD, Column, Table
from pt_rankcorr.text import in_a_sentence, percent, shown

GAIN = 0.1  # of the error of k runs: where endless ones would gain less, k are enough


class RepeatedJudge(NamedTuple):
    """A judge that was asked several times.

    Attributes:
        judge: Its name.
        n_runs: How often it was asked.
        mean: The mean agreement of its runs on these topics.
        interval: Student's t about that, for other topics and other runs.
        between_runs: The standard deviation between runs of what endless topics would have in common; nan for a single
            run, as all that need several.
        between_both: That of what a run has on some topics only, with as many topics as these.
        between_topics: That of what all runs share, between samples of as many topics.
        error: The standard error of the mean of its runs.
        differ: The share of documents on which two of its runs have different labels; nan without labels.
        pvalue: Student's t test of a difference from the first judge, with the noise of the runs of both; nan for that.
    """

    judge: str
    n_runs: int
    mean: float
    interval: ConfidenceInterval
    between_runs: float
    between_both: float
    between_topics: float
    error: float
    differ: float
    pvalue: float

    def error_of(self, n_runs: float) -> float:
        """The standard error of the mean of so many runs, which may be inf."""
        return math.sqrt(self.between_topics**2 + (self.between_runs**2 + self.between_both**2) / n_runs)

    @property
    def enough_runs(self) -> float:
        """The number of runs beyond which more of them shorten the error by less than a tenth; inf without a limit."""
        of_runs, of_topics = self.error_of(1) ** 2 - self.between_topics**2, self.between_topics**2
        if math.isnan(of_runs) or of_runs <= 0.0:
            return math.nan if math.isnan(of_runs) else 1.0
        limit = of_topics * (1.0 / (1.0 - GAIN) ** 2 - 1.0)
        return max(1.0, float(math.ceil(of_runs / limit - 1e-9))) if limit > 0.0 else math.inf


@dataclass(frozen=True, eq=False)
class JudgeRepetitions(Result):
    """How much of judges' agreement with a reference varies between their runs and between topics, the best first.

    Attributes:
        judges: A `RepeatedJudge` each.
        statistic: What is measured of each run, such as "tau" or "kappa".
        n_topics: The number of topics.
        level: The confidence level of the intervals.
    """

    judges: tuple[RepeatedJudge, ...]
    statistic: str
    n_topics: int
    level: float
    _title: str = field(repr=False, compare=False)

    def _rows(self) -> Table:
        def number(name: str, title: str) -> Column[RepeatedJudge]:
            return Column(name, title, NUMBER, lambda judge: getattr(judge, name))

        pvalues = [judge.pvalue for judge in self.judges]
        texts = dict(zip((it.judge for it in self.judges), ["", *PVALUE.texts(pvalues[1:])], strict=True))
        mean: Column[RepeatedJudge] = Column(
            self.statistic,
            f"{self._title} [{self.level:.0%}]",
            COEFFICIENT,
            lambda judge: judge.mean,
            interval=lambda judge: judge.interval,
        )
        columns: tuple[Column[Any], ...] = (
            Column("judge", "judge", WORD, lambda judge: judge.judge),
            Column("n_runs", "runs", COUNT, lambda judge: judge.n_runs),
            mean,
            number("between_runs", "sd: runs"),
            number("between_both", "runs x topics"),
            number("between_topics", "topics"),
            Column("error of one run", "error of one", NUMBER, lambda judge: judge.error_of(1)),
            number("error", "of all runs"),
            Column("enough_runs", "runs enough", COUNT, lambda judge: judge.enough_runs),
            Column("pvalue", "p against the first", PVALUE, lambda j: j.pvalue, text=lambda j: texts[j.judge]),
            Column("differ", "labels differ", PERCENT, lambda judge: judge.differ, if_varied=True),
        )
        return Table(columns, self.judges, n_names=1)

    def doubts(self) -> list[str]:
        """Which judges give other labels when they are asked again, a sentence each."""
        return [
            f"{shown(it.judge)}: two of its runs differ on {percent(it.differ)} of labels"
            for it in self.judges
            if it.differ > 0
        ]

    def _note(self) -> str:
        single = [judge.judge for judge in self.judges if judge.n_runs < 2]
        how = (
            f"Mean {self._title} of the runs of each judge, with {self.level:.0%} intervals for other runs and as many "
            f"topics ({self.n_topics}). Standard deviations: of runs on endless topics, of runs on these topics alone, "
            f"and of topics for all runs. Runs enough: endless ones would shorten the error by less than {GAIN:.0%}. "
            "p: Student's t, with the noise of runs, not corrected."
        )
        alone = f"Asked once, so the noise of runs is unknown: {in_a_sentence(single)}." if single else ""
        return " ".join([how, *filter(None, [alone]), *(f"{doubt}." for doubt in self.doubts())])


def repetitions_of(
    runs_of: Mapping[str, Sequence[int]],
    values: Floats,
    covariance: Floats,
    freedom: float,
    *,
    statistic: str,
    title: str,
    n_topics: int,
    level: float,
    differ: Mapping[str, float],
) -> JudgeRepetitions:
    """What several runs of judges say of the noise of runs, from the values of all runs on the topics at hand.

    A value is mu + topics + run + both. Over samples of topics two runs of a judge covary by what topics they share; a
    run has the variance of topics and of both. Between the runs on these topics lies the variance of run and of both:
    what is beyond that of both is of the run (a method of moments; less than nothing counts as nothing).

    Args:
        runs_of: Judge -> the positions of its runs.
        values: The value of each run, shape (n_runs,).
        covariance: That of the values over samples of topics, shape (n_runs, n_runs).
        freedom: The degrees of freedom of the topics.
        differ: Judge -> the share of documents on which two of its runs have different labels.
        statistic, title, n_topics, level: Of the result.
    """
    means, parts = {}, {}
    for judge, members in runs_of.items():
        own, k = covariance[np.ix_(members, members)], len(members)
        means[judge] = float(values[members].mean())
        if k < 2:
            parts[judge] = math.nan, math.nan, math.nan
            continue
        of_topics = max((own.sum() - np.trace(own)) / (k * (k - 1)), 0.0)
        of_both = max(np.trace(own) / k - of_topics, 0.0)
        of_runs = max(float(values[members].var(ddof=1)) - of_both, 0.0)
        parts[judge] = math.sqrt(of_runs), math.sqrt(of_both), math.sqrt(of_topics)
    weights = {judge: _weights(members, len(values)) for judge, members in runs_of.items()}

    def error_of(first: str, second: str | None = None) -> tuple[float, float]:
        """The standard error of a mean, or of a difference of two, and its degrees of freedom by Welch."""
        apart = weights[first] - (weights[second] if second is not None else 0.0)
        variances, freedoms = [max(float(apart @ covariance @ apart), 0.0)], [freedom]
        for judge in filter(None, (first, second)):
            k = len(runs_of[judge])
            variances.append(parts[judge][0] ** 2 / k)
            freedoms.append(max(k - 1.0, 1.0))
        squares = np.array(variances)
        total = squares.sum()
        shares = (squares**2 / freedoms).sum()
        return math.sqrt(max(total, 0.0)) if total == total else math.nan, float(
            total**2 / shares
        ) if shares else freedom

    order = sorted(runs_of, key=lambda judge: (-means[judge], judge))
    rows = []
    for judge in order:
        error, own_freedom = error_of(judge)
        pvalue = math.nan
        if judge != order[0]:
            of_pair, pair_freedom = error_of(order[0], judge)
            apart = np.array(means[order[0]] - means[judge])
            pvalue = float(students_pvalues(apart, np.array(of_pair), np.array(pair_freedom)))
        interval = students_interval(means[judge], error, own_freedom, level)
        k = len(runs_of[judge])
        rows.append(
            RepeatedJudge(judge, k, means[judge], interval, *parts[judge], error, differ.get(judge, math.nan), pvalue)
        )
    return JudgeRepetitions(tuple(rows), statistic, n_topics, level, title)


def _weights(members: Sequence[int], size: int) -> Floats:
    weights = np.zeros(size)
    weights[list(members)] = 1.0 / len(members)
    return weights


def runs_of_judges(table: pd.DataFrame, repetition: str) -> dict[str, list[int]]:
    """Judge -> the positions of its runs, from a table of factors of which one is the repetition."""
    if repetition not in table.columns:
        raise ValueError(f"`repetition` must be one of the factors {listing(table.columns)}, got {shown(repetition)}.")
    others = [name for name in table.columns if name != repetition]
    names = table[others].agg("-".join, axis=1) if others else pd.Series("judge", index=table.index)
    runs: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        runs.setdefault(name, []).append(place)
    if all(len(members) < 2 for members in runs.values()):
        raise ValueError(f"`repetition` must have several runs of a judge, got one each of {listing(runs)}.")
    return runs


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
