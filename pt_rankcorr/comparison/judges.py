"""Which of several judges agrees best with a reference: an order, tests of all pairs, the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.engine import sampling_of
from pt_rankcorr.comparison.rows import with_names
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import RESAMPLES
from pt_rankcorr.display import Drawable, Quotable
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy import budget, correlation_interval, difference
from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
from pt_rankcorr.stats.accuracy.replicates import replicate
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.inputs import samples_by_topic_name
from pt_rankcorr.stats.core.types import ConfidenceInterval, Flags, Floats, Labels, Result
from pt_rankcorr.stats.significance.pairwise import holm
from pt_rankcorr.stats.significance.power import POWER
from pt_rankcorr.warnings import DegenerateInputWarning, warn

# the scores by the reference, and of each judge
ScoresOfJudges: TypeAlias = tuple[ScoreMatrix, dict[str, ScoreMatrix]]


@dataclass(frozen=True, eq=False)
class JudgeRanking(Result, Drawable, Quotable):
    """Judges in the order of their agreement with a reference, the best first.

    Attributes:
        reference_name: What sentences call the reference.
        reference, measure: The trusted measure, and that of the judges.
        correlations: One per judge: the coefficient on these topics, its interval, and what one
            true ranking would give, as of `correlation_interval`; means over several collections.
        differences, difference_errors: Of pairs, row less column, and their standard errors.
        difference_of_first: The interval of the difference of the first two, at 1 - alpha.
        pvalues: Of Student's t test of each pair alone; 1 on the diagonal.
        corrected: For all pairs together, by the largest studentised difference.
        equivalence: Of two one-sided t tests, for each pair alone: that both agree with the
            reference within `margin` of each other. nan without a margin.
        margin: The largest difference that is of no interest; None if none was given.
        topics_needed: How many topics would tell the first two apart by the test of the pair alone
            with a probability of .8, and the probability with so many: see
            `stats.topics_to_tell_apart`. inf, and the probability with ten times as many topics as
            there are, where that is less, as of any difference that is not significant; nan where
            the first two are told apart, or no resample changes their difference.
        clusters: The judges, split where all above are significantly better than all below. Judges
            of one may differ.
        may_be_best: Judges that no other is better than by more than chance; the best is one of
            them with confidence 1 - alpha.
        undecided: Judges of which other resamples may decide otherwise.
        alpha, level: The levels of the tests, after correction, and of the intervals.
        n_resamples: The number of resamples that decide.
        n_collections: Over how many collections all numbers are means, each counting equally.
    """

    judges: Labels
    reference_name: str
    reference: str
    measure: str
    coefficient: str
    correlations: tuple[CorrelationResult, ...] = field(repr=False)
    difference_errors: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    corrected: Floats = field(repr=False)
    equivalence: Floats = field(repr=False)
    margin: float | None
    topics_needed: budget.Forecast
    clusters: tuple[Labels, ...]
    may_be_best: Labels
    undecided: Labels
    alpha: float
    level: float
    n_topics: int
    n_resamples: int
    n_collections: int
    cautions: tuple[str, ...]
    difference_of_first: ConfidenceInterval = field(repr=False, compare=False)
    of: Coefficient = field(repr=False, compare=False)

    @property
    def differences(self) -> Floats:
        """Row less column, shape (n_judges, n_judges)."""
        values = np.array([correlation.statistic for correlation in self.correlations])
        return np.asarray(values[:, np.newaxis] - values)

    @property
    def significant(self) -> Flags:
        """Whether judge i (row) is significantly better than j, corrected for all pairs."""
        return np.asarray((self.differences > 0.0) & (self.corrected <= self.alpha))

    def pairs(self) -> pd.DataFrame:
        """One line per pair of judges, the better first.

        Columns: difference and its standard error; the p-value of Student's t test of the pair
        alone; that corrected for all pairs by the largest studentised difference over resamples;
        and that by Holm.
        """
        first, second = np.triu_indices(len(self.judges), k=1)
        return pd.DataFrame(
            {
                "better": [self.judges[index] for index in first],
                "worse": [self.judges[index] for index in second],
                "difference": self.differences[first, second],
                "standard_error": self.difference_errors[first, second],
                "pvalue": self.pvalues[first, second],
                "corrected": self.corrected[first, second],
                "holm": holm(self.pvalues[first, second].tolist()),
            }
        )

    @property
    def measures(self) -> str:
        """The measure of the judges, with that of the reference if it differs."""
        same = self.measure == self.reference
        return self.measure if same else f"{self.measure} against {self.reference}"


def rank_judges(
    collections: Sequence[ScoresOfJudges],  # one a collection, all of the same judges
    coefficient: Coefficient,
    settings: Settings,
    n_jobs: int | None,
    *,
    alpha: float,
    margin: float | None,  # None for no tests of equivalence
    reference_name: str,
) -> JudgeRanking:
    """The result of `JudgesCompared.judges`: correlations by collection, means, and all pairs."""
    all_names = list(collections[0][1])
    sampled = [sample_of_judges(sides, coefficient, settings, n_jobs) for sides in collections]
    # the judges of which the coefficient is defined on all collections: others cannot be ordered
    undefined = np.isnan([sample.values for sample, _ in sampled]).any(axis=0)
    defined = np.flatnonzero(~undefined).tolist()
    names = [all_names[index] for index in defined]
    if len(names) < 2:
        rule = f"`judges` must be at least 2 of which {coefficient.name} is defined"
        remedy = "It is not where a judge or the reference ties all systems."
        raise ValueError(f"{rule}, got {len(names)}. {remedy}")
    if left_out := set(all_names) - set(names):
        undefined_ones = f"Judges of which {coefficient.name} is undefined"
        warn(f"{undefined_ones} are left out: {listing(left_out)}.", DegenerateInputWarning)
    samples = [sample.of(defined) for sample, _ in sampled]
    # of each judge one a collection, and their mean
    results_of = [[results[index] for _, results in sampled] for index in defined]
    correlations = [difference.mean_correlation(of_one, settings.seed) for of_one in results_of]
    tests = difference.compare_pairs(samples, alpha, seed=settings.seed)

    order = sorted(range(len(names)), key=lambda index: (-tests.values[index], names[index]))
    # tests are in the order of `names`; `grid` puts rows and columns of pairs in that of the result
    grid, judges = np.ix_(order, order), tuple(names[index] for index in order)
    differences = tests.values[:, np.newaxis] - tests.values
    better = (differences > 0.0) & (tests.corrected <= alpha)
    clusters = difference.clusters_of(better[grid])
    first, second = order[:2]
    apart = float(differences[first, second])
    errors, df = tests.pair_errors, tests.pair_df
    equivalence = np.full_like(tests.pvalues, np.nan)
    if margin is not None:
        equivalence = difference.equivalence_pvalues(differences, errors, df, margin)
    n_topics = sum(trusted.n_topics for trusted, _ in collections)
    apart_error, apart_df = float(errors[first, second]), float(df[first, second])
    # no interval where no resample changes the difference
    interval = difference.difference_interval(apart, apart_error or math.nan, apart_df, 1.0 - alpha)
    forecast = budget.Forecast(math.nan, math.nan)
    if tests.pvalues[first, second] > alpha:
        forecast = budget.forecast_difference(apart, apart_error, apart_df, n_topics, alpha, POWER)
    cautions = [
        (name, result.cautions)
        for of_collection in zip(*results_of, strict=True)
        for name, result in zip(names, of_collection, strict=True)
    ]
    measures = (str(judges[name].measure) for _, judges in collections for name in names)
    return JudgeRanking(
        judges=judges,
        reference_name=reference_name,
        reference=" ".join(dict.fromkeys(str(trusted.measure) for trusted, _ in collections)),
        measure=" ".join(dict.fromkeys(measures)),
        coefficient=coefficient.name,
        correlations=tuple(correlations[index] for index in order),
        difference_errors=errors[grid],
        pvalues=tests.pvalues[grid],
        corrected=tests.corrected[grid],
        equivalence=equivalence[grid],
        margin=margin,
        topics_needed=forecast,
        clusters=tuple(tuple(judges[index] for index in cluster) for cluster in clusters),
        may_be_best=tuple(names[index] for index in order if tests.may_be_best[index]),
        undecided=tuple(names[index] for index in order if tests.undecided[index]),
        alpha=alpha,
        level=settings.level,
        n_topics=n_topics,
        n_resamples=min(len(sample.resamples) for sample in samples),
        n_collections=len(collections),
        cautions=tuple(with_names(cautions)),
        difference_of_first=interval,
        of=coefficient,
    )


def sample_of_judges(
    sides: ScoresOfJudges, coefficient: Coefficient, settings: Settings, n_jobs: int | None
) -> tuple[difference.Sample, list[CorrelationResult]]:
    """The coefficients of judges on one collection, over common resamples, and each one's result.

    Standard errors come from nested resamples, those of results; quantiles from more, not nested.
    """
    trusted, judges = sides
    matrices = list(judges.values())
    reference, *estimates = samples_by_topic_name(trusted, matrices, shared=settings.shared)
    coefficients = correlation_interval.Coefficients((coefficient,))
    sampling = sampling_of(trusted, matrices, settings)
    results, replicates = correlation_interval.correlations(
        reference, estimates, coefficients, n_jobs=n_jobs, **sampling
    )
    # all resamples are taken up to some 30 million cells of resamples x systems x judges
    most = 2**25 // (len(judges) * trusted.n_systems)
    n_resamples = max(min(RESAMPLES, most), sampling["n_resamples"])
    resamples = replicate(
        coefficients.of,
        reference,
        estimates,
        n_resamples,
        settings.seed,
        samples=sampling["samples"],
        nested=False,
        n_jobs=n_jobs,
    )
    n_topics = np.array([min(len(reference), len(estimate)) for estimate in estimates])
    values = np.array([result.statistic for (result,) in results])
    df = np.array([result.df for (result,) in results])
    # of the only coefficient: (3, B, n_judges) and (n_resamples, n_judges)
    sample = difference.Sample(values, replicates[..., 0], resamples[0, ..., 0], n_topics, df)
    return sample, [result for (result,) in results]
