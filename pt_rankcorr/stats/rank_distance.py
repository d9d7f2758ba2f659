"""d_rank, the distance between rankings that knows its systems, and its bootstrap tests."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pt_rankcorr.stats import _drank_file
from pt_rankcorr.stats._drank_baseline import RECOMMENDED as RECOMMENDED
from pt_rankcorr.stats._drank_baseline import Baseline, Settings, baseline_matrix, warn_if_unreliable
from pt_rankcorr.stats._drank_null import OF_EACH_RANKING, Hypothesis, pvalues, resample, upper_quantile
from pt_rankcorr.stats.checks import share
from pt_rankcorr.stats.order import Floats
from pt_rankcorr.stats.resampling import RandomState, generator
from pt_rankcorr.stats.results import TestResult


@dataclass(frozen=True, eq=False)
class DRankResult(TestResult):
    """A d_rank, or several against one baseline, with the p-value of the bootstrap test.

    Attributes:
        statistic: d_rank: 0 if the ranking is that of the baseline's means, unbounded above. A float, or an array of
            shape (...) for several rankings.
        pvalue: (b + 1)/(B + 1), with b of the B resamples at least as far as the statistic; of the same shape.
        pvalue_standard_error: Of the p-value, over Monte Carlo resamples.
        null_distribution: The B distances under the null hypothesis; of shape (..., B) where each ranking has its own.
        n_resamples: B.
        null: Which null hypothesis: see `DRankTest`.
        covariance: How the covariance of systems was estimated.
        ridge: What was added to the variances of differences, in the square of the scores' unit.
        n_topics: Of the baseline.
        n_systems: That are ranked.
        fallbacks: How many resamples pivoting could not solve, so that quadprog did.
    """

    statistic: float | Floats  # type: ignore[assignment]
    pvalue: float | Floats  # type: ignore[assignment]
    pvalue_standard_error: float | Floats
    null_distribution: Floats = field(repr=False)
    n_resamples: int
    null: str
    covariance: str
    ridge: float
    n_topics: int
    n_systems: int
    fallbacks: int


def d_rank(
    baseline: object,
    ranking: object,
    *,
    n_resamples: int = 10_000,
    null: str = "baseline",
    covariance: str = "sample",
    ridge: float = 1e-5,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> DRankResult:
    """The distance from a baseline's ranking of systems to another ranking, and whether it is more than luck.

    Sort the systems by the ranking, worst first; D holds the differences of adjacent columns of the baseline X, delta
    its mean and S its covariance + ridge I. Then d_rank^2 = n min over theta >= 0 of
    (theta - delta)' S^-1 (theta - delta): how improbable mean scores in the order of the ranking are, if X is a sample
    of topics. It is 0 if and only if the ranking is that of the means of X, it is not symmetric, and it has no upper
    bound: what is large depends on systems and topics, so report the p-value with it.

    Ties of the ranking are broken by the means of the baseline, so that a tie costs nothing. The ridge is in the square
    of the unit of the scores, which is the power of ten that spans them, from least to largest: 1 for spans above 0.1,
    up to 1, where the default is the paper's; 0.1 for a measure in 0..1 that nowhere exceeds 0.1. So a measure in
    percent gives the same distance; other factors change the share of the ridge, and with it the distance, the more so
    the fewer topics there are for the systems.

    **Use `null="constrained", covariance="ledoit-wolf"` unless you want to reproduce published numbers.** The defaults
    are the published test, which rejects true rankings far too often unless topics outnumber systems by far and systems
    are far apart: `DRankTest` shows how often.

    Costs one resampling of the baseline: for several rankings pass them at once, or make a `DRankTest`. A resample
    takes O(n m^2) time for up to as many systems as topics, and some ten to fifty rounds of O(n^2 m) for more. Memory:
    some ten arrays like the scores, up to as many systems as topics some more of m^2 numbers, for each worker as many
    again, and blocks of 32 MiB.

    Args:
        baseline: Scores of shape (n_topics, n_systems), or a score matrix: n >= 2, m >= 2.
        ranking: Scores that rank the same systems, higher is better: shape (n_systems,) or (..., n_systems) for several
            rankings, a mapping of names to scores, or a score matrix (its means). Systems are matched by name where
            both sides have names.
        n_resamples: Number B of resamples.
        null: "baseline", "refit", "constrained" or "two-sample": see `DRankTest`.
        covariance: "sample" or "ledoit-wolf": see `DRankTest`.
        ridge: Added to the variances of differences; at least 1e-12.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the shapes or the systems do not match, there are more than 8192 systems, scores are not finite,
            a setting is out of range, or the ridge is lost in rounding errors, as can happen below 1e-7.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: algorithms 1 and 2.

    Example:
        For two systems in the wrong order it is Student's paired t, but for the ridge: the differences 0.3, 0.1, 0.5
        have mean 0.3 and variance 0.04, and sqrt(3 * 0.09 / 0.04001) = 2.5978.

        >>> scores = [[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]]
        >>> result = d_rank(scores, [1, 0], n_resamples=99, null="refit", rng=1)
        >>> round(result.statistic, 4)
        2.5978
        >>> d_rank(scores, {"a": 0, "b": 1}, n_resamples=99, null="refit", rng=1).pvalue
        1.0
    """
    test = DRankTest(
        baseline,
        n_resamples=n_resamples,
        null=null,
        covariance=covariance,
        ridge=ridge,
        n_ranking_topics=_topics_of(ranking) if isinstance(null, str) and null == "two-sample" else None,
        rng=rng,
        n_jobs=n_jobs,
    )
    return test.test(ranking)


def _topics_of(ranking: Any) -> int | None:
    """How many topics a ranking was measured on, if it says so."""
    return int(np.shape(ranking)[0]) if hasattr(ranking, "means") else None


class DRankTest:
    """The test of d_rank against one baseline, for any number of rankings.

    Four null hypotheses. "constrained" is resampled for each ranking, when it is tested; the others once for all.

    - `"baseline"` (algorithm 2 of the paper): rankings by the means of resampled topics, measured against the baseline
      as it is. It takes the covariance for known.
    - `"refit"`: the baseline's own ranking, measured against resampled topics, whose means and covariance are estimated
      anew. It accounts for the covariance being an estimate, and so nearly keeps its level where systems are spread
      out. Where true means are close it rejects too often, as the measured ones are further apart.
    - `"constrained"` (ours): as "refit", but from the estimate under the hypothesis that the ranking is the true one:
      the columns of the baseline are shifted until their mean differences, in the order of the ranking, are the theta
      of algorithm 1, the nearest that keep it. For k rankings at once it holds k x B distances.
    - `"two-sample"`: for a ranking that comes from other topics, and so has sampling errors of its own. The baseline is
      resampled as for "refit", and the ranking independently.

    Two covariances of systems: `"sample"`, as published, and `"ledoit-wolf"`, which is shrunk towards a multiple of the
    identity. It is estimated from scores without topic means, since only differences of systems count. The intensity
    of the shrinkage is estimated once, from the baseline: samples with topics drawn twice would underrate it.

    How often each rejects the *true* ranking at alpha = 0.05, in 400 simulated samples of topics each from Robust 2004,
    with 199 resamples (standard error of a share of .05: .011). "published" is "baseline" with "sample", the others are
    with "ledoit-wolf". First systems drawn at random:

        systems        10                  30                  60                  100
        topics         50   100  249       50   100  249       50   100  249       50   100  249
        published      .107 .052 .058      .403 .190 .068      .993 .650 .185      1.00 .993 .495
        refit          .058 .062 .075      .058 .055 .052      .043 .043 .070      .035 .070 .090
        constrained    .035 .028 .025      .028 .025 .018      .025 .037 .025      .007 .013 .028

    Systems adjacent in rank; then systems of equal means, where any ranking is true; in brackets the power against a
    ranking in which for every ten systems two that truly differ are swapped, of the samples that have such a pair:

        systems x topics    2 x 50   10 x 50     30 x 50      10 x 249     equal: 2 x 50  10 x 50  30 x 50  10 x 249
        published           .050     .537 (.94)  .835 (1.00)  .212 (.99)          .058    .825     1.00     .845
        refit               .203     .155 (.46)  .077 (.78)   .095 (.88)          .225    .235     .242     .235
        constrained         .048     .050 (.26)  .025 (.57)   .040 (.78)          .052    .077     .077     .090

    For systems at random that power is .91, .85 and .78 for 10 on 50 topics, .92 or more elsewhere; the power of a test
    that does not keep its level says little. **Recommended is "constrained" with "ledoit-wolf"**: it exceeds its level
    only where many true means are equal, as the nearest means then are still further apart, and there by least. It has
    less power among close systems. From `examples/calibration_of_d_rank.py robust2004_ap.csv --repetitions 400
    --populations random adjacent equal --few`; without `--few` it also tries the other combinations.

    Args:
        baseline: Scores of shape (n_topics, n_systems), or a score matrix: n >= 2, m >= 2.
        n_resamples: Number B of resamples.
        null: "baseline", "refit", "constrained" or "two-sample".
        covariance: "sample" or "ledoit-wolf".
        ridge: Added to the variances of differences, in the square of the scores' unit; at least 1e-12.
        n_ranking_topics: How many topics rankings are measured on, for "two-sample"; by default as the baseline.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the baseline is not a finite matrix of two topics or more and 2 to 8192 systems, a setting is
            out of range, or the ridge is lost in rounding errors, as can happen below 1e-7; `distance` and `test`
            raise it for that, too.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: algorithms 1 and 2.
        Ledoit, Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", J. Multivariate
        Analysis 88, 2004.

    Example:
        >>> scores = [[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]]
        >>> test = DRankTest(scores, n_resamples=199, null="refit", rng=1)
        >>> test.distance([[0, 1], [1, 0]]).round(4).tolist()
        [0.0, 2.5978]
        >>> test.test([0, 1]).pvalue
        1.0
    """

    def __init__(
        self,
        baseline: object,
        *,
        n_resamples: int = 10_000,
        null: str = "baseline",
        covariance: str = "sample",
        ridge: float = 1e-5,
        n_ranking_topics: int | None = None,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        if n_ranking_topics is None:
            n_ranking_topics = len(baseline_matrix(baseline))
        settings = Settings.checked(null, covariance, ridge, n_resamples, n_ranking_topics)
        self._baseline = Baseline.of(baseline, settings.covariance, settings.ridge)
        self._settings = settings
        self._n_jobs = n_jobs
        warn_if_unreliable(self._baseline, settings)
        if self._is_shared:
            self._shared = self._resample(generator(rng), np.empty((0, self.n_systems)))
        else:
            self._seed = int(generator(rng).integers(2**63))  # every ranking meets the same resamples

    @property
    def _is_shared(self) -> bool:
        """Whether one null distribution serves all rankings."""
        return self._settings.null != OF_EACH_RANKING

    def _resample(self, rng: np.random.Generator, rankings: Floats) -> tuple[Floats, int]:
        settings = self._settings
        hypothesis = Hypothesis(settings.n_ranking_topics, rankings)
        return resample(settings.null, self._baseline.estimator, hypothesis, settings.n_resamples, rng, self._n_jobs)

    def _null_of(self, ranking: object) -> tuple[Floats, int]:
        """The null distribution of a ranking, or of several, shape (..., B), or the shared one, shape (B,)."""
        if self._is_shared:
            return self._shared
        rankings = self._baseline.scores_of(ranking)
        found, fallbacks = self._resample(generator(self._seed), rankings.reshape(-1, self.n_systems))
        return found.reshape(*rankings.shape[:-1], self._settings.n_resamples), fallbacks

    def _shared_null(self) -> tuple[Floats, int]:
        if not self._is_shared:
            raise ValueError(
                f"`null` must be one that all rankings share, got {self._settings.null!r}, which is computed anew for "
                "each ranking: see the result of `test`."
            )
        return self._shared

    @property
    def null_distribution(self) -> Floats:
        """The B distances under the null hypothesis, where all rankings share them; else a ValueError."""
        return self._shared_null()[0]

    @property
    def fallbacks(self) -> int:
        """How many of these pivoting could not solve, so that quadprog did."""
        return self._shared_null()[1]

    @property
    def n_topics(self) -> int:
        """The number of topics of the baseline."""
        return self._baseline.n_topics

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return self._baseline.n_systems

    def distance(self, ranking: object) -> float | Floats:
        """d_rank of a ranking, or of several, as `d_rank` takes them: a float, or an array of shape (...)."""
        return _plain(self._baseline.distances(ranking))

    def test(self, ranking: object) -> DRankResult:
        """d_rank of a ranking, or of several, with p-values."""
        statistic = self._baseline.distances(ranking)
        null_distribution, fallbacks = self._null_of(ranking)
        pvalue = pvalues(statistic, null_distribution)
        n_resamples = self._settings.n_resamples
        return DRankResult(
            statistic=_plain(statistic),
            pvalue=_plain(pvalue),
            pvalue_standard_error=_plain(np.sqrt(pvalue * (1.0 - pvalue) / n_resamples)),
            null_distribution=null_distribution,
            n_resamples=n_resamples,
            null=self._settings.null,
            covariance=self._settings.covariance,
            ridge=self._settings.ridge,
            n_topics=self.n_topics,
            n_systems=self.n_systems,
            fallbacks=fallbacks,
        )

    def critical_value(self, alpha: float = 0.05, ranking: object = None) -> float:
        """The upper alpha quantile of the null: a ranking is significantly different, p <= alpha, beyond it.

        Args:
            alpha: The level of the test, between 0 and 1.
            ranking: The one to be tested, for "constrained", whose null depends on it; others ignore it.

        Returns:
            A distance; infinite if there are too few resamples for any p-value to reach alpha.

        Raises:
            TypeError: If alpha is not a number.
            ValueError: If it is not between 0 and 1, or the null needs a single ranking and has not got one.
        """
        level = share("alpha", alpha)
        if ranking is None and not self._is_shared:
            raise ValueError(f"`ranking` must be given for null={self._settings.null!r}, got None.")
        null_distribution, _ = self._null_of(ranking)
        if null_distribution.ndim > 1:
            shape = np.shape(null_distribution)[:-1]
            raise ValueError(f"`ranking` must be a single ranking, got several, of shape {shape}.")
        return upper_quantile(null_distribution, level)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the null distribution and how it was computed to an `.npz` file, whole or not at all.

        Args:
            path: The file, which is replaced if it is there.

        Raises:
            ValueError: If the null is "constrained": rankings share nothing that could be saved.
        """
        _drank_file.save(path, self._settings, self._baseline.fingerprint(), *self._shared_null())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        baseline: object,
        *,
        n_resamples: int | None = None,
        null: str | None = None,
        covariance: str | None = None,
        ridge: float | None = None,
        n_ranking_topics: int | None = None,
    ) -> DRankTest:
        """The test that was saved for this baseline, without resampling.

        Args:
            path: The file.
            baseline: The scores that the null was computed from. Topics and systems may be in any order, unless means
                of systems tie; then a file of permuted scores may be refused.
            n_resamples: What the file must say, if given; so for the other settings.
            null: As above.
            covariance: As above.
            ridge: As above.
            n_ranking_topics: As above.

        Returns:
            The test.

        Raises:
            FileNotFoundError: If there is no such file.
            TypeError: If the scores are not numbers.
            ValueError: If the file was not written by `save`, or its scores, settings or version differ: it says which.
        """
        given = {
            "n_resamples": n_resamples,
            "null": null,
            "covariance": covariance,
            "ridge": ridge,
            "n_ranking_topics": n_ranking_topics,
        }
        expected = {name: value for name, value in given.items() if value is not None}
        scores = Baseline.of(baseline, "sample", 1.0).fingerprint()
        test = cls.__new__(cls)
        test._settings, null_distribution, fallbacks = _drank_file.load(path, scores, expected)
        test._shared = null_distribution, fallbacks
        test._baseline = Baseline.of(baseline, test._settings.covariance, test._settings.ridge)
        warn_if_unreliable(test._baseline, test._settings)
        return test

    def __repr__(self) -> str:
        settings = self._settings
        return (
            f"DRankTest({self.n_topics} topics x {self.n_systems} systems, n_resamples={settings.n_resamples}, "
            f"null={settings.null!r}, covariance={settings.covariance!r}, ridge={settings.ridge!r})"
        )


def _plain(values: Floats) -> float | Floats:
    return float(values) if values.ndim == 0 else values
