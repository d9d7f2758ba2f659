"""What every comparison says of two rankings: the coefficients, d_rank and its p-value, all at default settings."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass

import numpy as np

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats._drank_baseline import COVARIANCES
from pt_rankcorr.stats._drank_null import NULLS
from pt_rankcorr.stats.checks import DegenerateInputWarning, listing, one_of, resample_count
from pt_rankcorr.stats.coefficients import kendall_tau, tau_ap
from pt_rankcorr.stats.correlation_error import correlation_standard_error
from pt_rankcorr.stats.gap import tau_gap
from pt_rankcorr.stats.order import Floats
from pt_rankcorr.stats.rank_distance import DRankTest
from pt_rankcorr.stats.resampling import RandomState, generator
from pt_rankcorr.stats.results import ConfidenceInterval, Result

COEFFICIENTS = {"tau": kendall_tau, "tau_ap": tau_ap, "tau_gap": tau_gap}
CORRELATION_RESAMPLES = 1000  # for intervals; the far tail of d_rank's null needs more


@dataclass(frozen=True, eq=False)
class RankingAgreement(Result):
    """How a ranking of systems agrees with the one that is trusted.

    Attributes:
        tau: Kendall's tau, ties "a"; nan where either ranking ties all systems, and so are all others.
        tau_ap: AP correlation, ties "a".
        tau_gap: Gap-sensitive AP correlation.
        d_rank: The distance, with the trusted scores as baseline.
        pvalue: Of the distance: small if the ranking differs by more than the luck of the topics.
        pvalue_standard_error: Of the p-value, over Monte Carlo resamples.
    """

    tau: float
    tau_ap: float
    tau_gap: float
    d_rank: float
    pvalue: float
    pvalue_standard_error: float


@dataclass(frozen=True)
class DistanceSettings:
    """How d_rank is tested: as `DRankTest` takes it."""

    n_resamples: int
    null: str
    covariance: str

    @classmethod
    def checked(cls, n_resamples: object, null: object, covariance: object) -> DistanceSettings:
        """From what a caller gave.

        Raises:
            TypeError: If `n_resamples` is no integer.
            ValueError: If it is below 2, or a word is unknown.
        """
        return cls(
            resample_count(n_resamples, at_least=2),
            one_of("null", null, tuple(NULLS)),
            one_of("covariance", covariance, COVARIANCES),
        )

    def test(self, baseline: ScoreMatrix, seed: int, n_jobs: int | None) -> DRankTest:
        """The test against one baseline, over resamples that the seed determines."""
        return DRankTest(baseline, **asdict(self), rng=seed, n_jobs=n_jobs)


def seed_of(rng: RandomState) -> int:
    """The seed that results tell: the one given, or one drawn."""
    random = generator(rng)
    return int(random.integers(2**53)) if rng is None or isinstance(rng, np.random.Generator) else int(rng)


def ranking_agreements(truth: ScoreMatrix, estimates: Floats, test: DRankTest) -> list[RankingAgreement]:
    """The agreement of each estimate, a row of shape (n_systems,), with the truth that the test has as baseline.

    An estimate that ties all systems ranks nothing. d_rank would take it for the truth, as ties cost it nothing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        taus = [np.asarray(coefficient(truth, estimates)) for coefficient in COEFFICIENTS.values()]
    tested = test.test(estimates)
    distances = [np.asarray(each) for each in (*tested, tested.pvalue_standard_error)]
    undefined = np.isnan(taus[0])
    columns = np.where(undefined, np.nan, np.stack([*taus, *distances]))
    return [RankingAgreement(*map(float, values)) for values in columns.T]


def intervals(
    truth: ScoreMatrix, estimate: ScoreMatrix, *, level: float, seed: int, n_jobs: int | None
) -> dict[str, ConfidenceInterval]:
    """Of each coefficient over topics; nan where one of the rankings ties all systems."""
    if np.ptp(truth.means) == 0 or np.ptp(estimate.means) == 0:
        return dict.fromkeys(COEFFICIENTS, ConfidenceInterval(float("nan"), float("nan")))
    results = {
        name: correlation_standard_error(
            truth, estimate, name, n_resamples=CORRELATION_RESAMPLES, rng=seed, n_jobs=n_jobs
        )
        for name in COEFFICIENTS
    }
    return {name: result.confidence_interval(level) for name, result in results.items()}


def warn_of_undefined(undefined: list[str]) -> None:
    """Says, once, which comparisons rank nothing."""
    if undefined:
        warnings.warn(
            f"All systems are tied, and so not ranked at all, in {listing(undefined)}: the results are nan.",
            DegenerateInputWarning,
            stacklevel=3,
        )
