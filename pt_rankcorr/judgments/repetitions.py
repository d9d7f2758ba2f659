"""Judges that were asked several times: how their agreement varies between runs, and topics."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.stats.accuracy.correlation_interval import students_interval
from pt_rankcorr.stats.accuracy.difference import students_pvalues
from pt_rankcorr.stats.core.arguments import check_distinct, listing
from pt_rankcorr.stats.core.types import Floats, Result
from pt_rankcorr.text import percent, shown

# k runs are enough where infinitely many would shorten the standard error by less than this share
GAIN = 0.1


@dataclass(frozen=True, eq=False)
class JudgeRepetitions(Result):
    """How much of judges' agreement with a reference varies between their runs, and between topics.

    Attributes:
        judges: A frame with one row a judge, best first: `n_runs`; the `mean` of its runs, with
            `low` and `high` for other runs and as many topics; the standard deviations of that
            between runs on infinitely many topics, `between_runs`, of what a run has on some topics
            only, `between_both`, and of what all runs share on some topics, `between_topics`; the
            standard errors of one run and of the mean, `error_of_one` and `error`; how many runs
            are `enough`: endless ones would shorten the error by less than a tenth; `pvalue`,
            Student's t test against the first with the noise of runs; and `differ`, the share of
            documents on which two runs have different labels. What needs several runs is nan for a
            single one.
        statistic: What is measured of each run, such as "tau" or "kappa".
        n_topics: The number of topics.
        level: The confidence level of the intervals.
    """

    judges: pd.DataFrame = field(repr=False, compare=False)
    statistic: str
    n_topics: int
    level: float

    def doubts(self) -> list[str]:
        """Which judges give other labels when they are asked again, a sentence each."""
        shares = self.judges.set_index("judge")["differ"]
        texts = shares[shares > 0.0].map(percent)
        return [
            f"{shown(judge)}: two of its runs differ on {share} of labels."
            for judge, share in texts.items()
        ]


def repetitions_of(
    runs_of: Mapping[str, Sequence[int]],
    values: Floats,
    covariance: Floats,
    df: float,
    differ: Mapping[str, float],
    *,
    statistic: str,
    n_topics: int,
    level: float,
) -> JudgeRepetitions:
    """What several runs of judges say of the noise of runs, from their values on these topics.

    A value is mu + topics + run + both. Over samples of topics two runs of a judge covary by what
    topics they share; a run has the variance of topics and of both. Between the runs on these
    topics lies the variance of run and of both: what is beyond that of both is of the run (a method
    of moments; less than nothing counts as nothing).

    `values` are of each run, and `covariance` is theirs over samples of topics, shape (n_runs,
    n_runs), with so many degrees of `df`. `runs_of` has the positions of the runs of each judge.
    """
    parts = {}  # the variances between runs, of both, and of topics
    for judge, members in runs_of.items():
        k = len(members)
        parts[judge] = (math.nan, math.nan, math.nan)
        if k > 1:
            # of two runs the covariance is that of topics, of a run with itself of both, too
            of_runs = covariance[np.ix_(members, members)]
            topics = max((of_runs.sum() - np.trace(of_runs)) / (k * (k - 1)), 0.0)
            both = max(np.trace(of_runs) / k - topics, 0.0)
            parts[judge] = max(float(values[members].var(ddof=1)) - both, 0.0), both, topics
    # the variance between runs over all judges, by degrees of freedom
    free = {judge: len(runs) - 1 for judge, runs in runs_of.items() if len(runs) > 1}
    pooled = sum(n * parts[judge][0] for judge, n in free.items()) / max(sum(free.values()), 1)
    # the weight of each value in the mean of a judge
    places = np.arange(len(values))
    weights = {judge: np.isin(places, runs) / len(runs) for judge, runs in runs_of.items()}

    def error_of(*judges: str) -> tuple[float, float]:
        """The standard error of a mean, or of a difference of two, and its degrees of freedom."""
        apart = weights[judges[0]] - sum(weights[other] for other in judges[1:])
        # the variance of topics, then those of runs
        variances, dfs = [max(float(apart @ covariance @ apart), 0.0)], [df]
        # few runs may differ little by chance: no judge counts as steadier than all are
        conservative = variances[:]
        for judge in judges:
            runs, k = parts[judge][0], len(runs_of[judge])
            variances.append(runs / k)
            conservative.append(max(runs, pooled) / k)
            dfs.append(max(k - 1.0, 1.0))
        degrees = []
        for estimates in (variances, conservative):
            # Welch and Satterthwaite: (sum v)^2 / sum(v^2 / df)
            squares = float((np.square(estimates) / dfs).sum())
            degrees.append(sum(estimates) ** 2 / squares if squares else df)
        return math.sqrt(sum(variances)), min(degrees)  # nan where a judge has a single run

    means = {judge: float(weights[judge] @ values) for judge in runs_of}
    best_first = sorted(runs_of, key=lambda judge: (-means[judge], judge))
    first, rows = best_first[0], []
    for judge in best_first:
        runs, both, topics = parts[judge]
        error, degrees = error_of(judge)
        low, high = students_interval(means[judge], error, degrees, level)
        pvalue = math.nan
        if judge != first:
            # of the difference to the first, with its standard error and degrees of freedom
            difference = (means[first] - means[judge], *error_of(first, judge))
            pvalue = float(students_pvalues(*map(np.array, difference)))
        row = {
            "judge": judge,
            "n_runs": len(runs_of[judge]),
            "mean": means[judge],
            "low": low,
            "high": high,
            "between_runs": math.sqrt(runs),
            "between_both": math.sqrt(both),
            "between_topics": math.sqrt(topics),
            "error_of_one": math.sqrt(runs + both + topics),
            "error": error,
            "enough": enough_runs(runs + both, topics),
            "pvalue": pvalue,
            "differ": differ.get(judge, math.nan),
        }
        rows.append(row)
    return JudgeRepetitions(pd.DataFrame(rows), statistic, n_topics, level)


def enough_runs(runs: float, topics: float) -> float:
    """The number of runs k beyond which the standard error falls by less than a tenth, or inf.

    The standard error is the root of topics + runs / k, variances between topics and between runs.
    """
    if math.isnan(runs):
        return math.nan
    limit = topics * (1.0 / (1.0 - GAIN) ** 2 - 1.0)
    if limit == 0.0:
        return math.inf if runs > 0.0 else 1.0
    return max(1.0, float(math.ceil(runs / limit - 1e-9)))


def runs_of_judges(table: pd.DataFrame, repetition: str) -> dict[str, list[int]]:
    """Judge -> the positions of its runs, from a table of factors with the repetition."""
    if repetition not in table.columns:
        known, seen = listing(table.columns), shown(repetition)
        raise ValueError(f"`repetition` must be one of the factors {known}, got {seen}.")
    others = [name for name in table.columns if name != repetition]
    names = table[others].agg("-".join, axis=1) if others else pd.Series("judge", index=table.index)
    runs: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        runs.setdefault(name, []).append(place)
    if all(len(members) < 2 for members in runs.values()):
        rule = "`repetition` must have several runs of a judge"
        seen = f"one each of {listing(runs)}"
        remedy = "Runs in a column of one file, such as seed, need a file or frame each"
        raise ValueError(f"{rule}, got {seen}. {remedy}, as judges of their own.")
    return runs


def factor_table(factors: Any, judges: Sequence[str]) -> pd.DataFrame:
    """A row per judge, in order, a column of texts per factor: of named groups, or of a table."""
    if isinstance(factors, Mapping):
        factors = pd.DataFrame.from_dict(dict(factors), orient="index")
    if isinstance(factors, str):
        try:
            matches = {name: re.search(factors, name) for name in judges}
        except re.error as error:
            seen = f"{shown(factors)} ({error})"
            raise ValueError(f"`factors` must be a regular expression, got {seen}.") from None
        rows = {name: match.groupdict("") for name, match in matches.items() if match}
        table = pd.DataFrame.from_dict(rows, orient="index")
    elif isinstance(factors, pd.DataFrame):
        table = factors.set_index("judge") if "judge" in factors else factors
        table = table.set_axis(table.index.map(str)).loc[lambda rows: rows.index.isin(judges)]
        table = table.astype(str).mask(table.isna(), "")
    else:
        kind = type(factors).__name__
        raise TypeError(f"`factors` must be a pattern with named groups or a table, got {kind}.")
    is_empty = (table.apply(lambda column: column.str.strip()) == "").any(axis=1)
    if missing := set(judges) - set(table.index[~is_empty]):
        lacking = listing(missing)
        raise ValueError(f"`factors` must have a group of every judge, got none for {lacking}.")
    check_distinct([*table.index], "factors", "have each judge once")
    table = table.loc[list(judges)]
    if flat := [name for name in table if table[name].nunique() < 2]:
        seen = f"the same {listing(flat)} for all"
        raise ValueError(f"`factors` must differ between judges, got {seen}.")
    if table.shape[1] < 1 or len(table) < 3:
        size = f"{table.shape[1]} of {len(table)}"
        raise ValueError(f"`factors` must have at least 1 factor of at least 3 judges, got {size}.")
    return table
