"""Families of judges: how much agreement varies between models, between prompts, and by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.judges import ScoresOfJudges, sample_of_judges
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.judgments.labels import LabelChecks
from pt_rankcorr.judgments.repetitions import (
    JudgeRepetitions,
    factor_table,
    repetitions_of,
    runs_of_judges,
)
from pt_rankcorr.stats.accuracy import difference
from pt_rankcorr.stats.accuracy.variance_components import (
    FactorDeviation,
    components_of,
    sampling_error_between,
)
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Floats, Labels, Result
from pt_rankcorr.text import in_a_sentence


@dataclass(frozen=True, eq=False)
class JudgeFamilies(Result):
    """How much the agreement with the reference varies between families, and by sampling error.

    Attributes:
        factors: The factors of judges, such as model and prompt; each is within those before.
        components: For each factor, the standard deviation of the true coefficient, with interval.
        sampling_error: The standard deviation that topic sampling gives judges that agree alike.
        best: One row per group of the first factor with several judges: those that may be its best.
        repetitions: How much judges vary between runs; None where no factor is a repetition.
    """

    factors: Labels
    components: tuple[FactorDeviation, ...]
    sampling_error: float
    best: pd.DataFrame = field(repr=False, compare=False)
    coefficient: str
    n_judges: int
    level: float
    alpha: float
    repetitions: JudgeRepetitions | None
    of: Coefficient = field(repr=False, compare=False)

    @property
    def shares(self) -> Floats:
        """The share of each factor, and of sampling error, in the variance of coefficients."""
        deviations = [*(factor.deviation for factor in self.components), self.sampling_error]
        variances = np.array(deviations) ** 2
        return np.asarray(variances / variances.sum()) if variances.any() else variances


def compare_families(
    sides: ScoresOfJudges,
    factors: object,
    repetition: str | Mapping[str, object] | pd.Series[Any] | None,
    coefficient: Coefficient,
    settings: Settings,
    label_checks: LabelChecks | None,
    n_jobs: int | None,
) -> JudgeFamilies:
    """The result of `JudgeComparison.families`: deviations of coefficients between levels.

    `label_checks` tell how labels of a judge's runs differ; None for leaderboards: that is nan.
    """
    trusted, judges = sides
    table = factor_table(factors, list(judges))
    if repetition is not None and not isinstance(repetition, str):  # a column of its own
        run_numbers = {str(name): {"repetition": run} for name, run in repetition.items()}
        table = table.join(factor_table(run_numbers, list(judges)))
        repetition = "repetition"
    runs_of = {} if repetition is None else runs_of_judges(table, repetition)
    if repetition is not None:  # it is within all other factors
        table = table[[*(name for name in table if name != repetition), repetition]]
    # pairs of runs of one judge, which may have equal scores; judge -> how their labels differ
    repeated: set[frozenset[str]] = set()
    differ = {}
    for name, runs in runs_of.items():
        repeated.update(map(frozenset, combinations(table.index[runs], 2)))
        if label_checks is not None:
            differ[name] = label_checks.differ(table.index[runs])
    sample, _ = sample_of_judges(sides, coefficient, settings, n_jobs)
    if tied := [name for name, value in zip(judges, sample.values, strict=True) if np.isnan(value)]:
        raise ValueError(f"`judges` must not tie all systems, but {listing(tied)} do.")
    for (name, scores), (other, others) in combinations(judges.items(), 2):
        is_equal = scores.topics == others.topics and np.array_equal(scores.values, others.values)
        if is_equal and frozenset((name, other)) not in repeated:
            same = listing([name, other])
            raise ValueError(f"`judges` must differ, got the same scores from {same}.")
    # for each factor the number of each judge's group, (n_judges,): of prompts, within one model
    factors_within = (list(table.columns[: index + 1]) for index in range(table.shape[1]))
    nested = [table.groupby(names, sort=False).ngroup().to_numpy() for names in factors_within]
    tests = difference.compare_pairs([sample], settings.alpha)
    sampling_error = covariance_of(sample, tests.errors)
    repetitions = None
    if repetition is not None:
        repetitions = repetitions_of(
            runs_of,
            tests.values,
            sampling_error,
            float(sample.df.min()),
            differ,
            statistic=coefficient.name,
            n_topics=trusted.n_topics,
            level=settings.level,
        )
    components = components_of(tests.values, sampling_error, nested, settings.level)
    best = []
    for group, rows in table.groupby(table.columns[0], sort=False):
        if len(rows) > 1:
            members = [list(judges).index(name) for name in rows.index]
            may_be_best = difference.compare_pairs([sample.of(members)], settings.alpha).may_be_best
            names = [name for name, may in zip(rows.index, may_be_best, strict=True) if may]
            best.append((group, len(rows), in_a_sentence(names), not may_be_best.all()))
    return JudgeFamilies(
        factors=tuple(map(str, table.columns)),
        components=tuple(components),
        sampling_error=sampling_error_between(sampling_error),
        # told: whether others may not be the best
        best=pd.DataFrame(best, columns=["group", "n_judges", "may be best", "told"]),
        coefficient=coefficient.name,
        n_judges=len(judges),
        level=settings.level,
        alpha=settings.alpha,
        repetitions=repetitions,
        of=coefficient,
    )


def covariance_of(sample: difference.Sample, errors: Floats) -> Floats:
    """Covariance of coefficients over topic samples, (n_judges, n_judges), scaled to `errors`."""
    resamples = sample.replicates[0][~np.isnan(sample.replicates[0]).any(axis=1)]
    deviations = resamples.std(axis=0, ddof=1)
    widened = np.divide(errors, deviations, out=np.zeros_like(errors), where=errors > 0)
    return np.asarray(np.cov(resamples, rowvar=False) * np.outer(widened, widened))
