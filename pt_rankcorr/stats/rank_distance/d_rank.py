"""d_rank and its bootstrap tests, for one ranking or for many against one reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.core.arguments import one_of, resample_count, share, whole_number
from pt_rankcorr.stats.core.design import warn_of_few_topics
from pt_rankcorr.stats.core.inputs import Prepared, RankingsLike, ScoresLike, prepare_sides
from pt_rankcorr.stats.core.rankings import Rankings as Rankings
from pt_rankcorr.stats.core.resampling import RandomState, one_blas_thread
from pt_rankcorr.stats.core.types import Floats, Indices, TestResult, cached_property
from pt_rankcorr.stats.rank_distance.distance import (
    DEFAULT_COVARIANCE,
    SIDES,
    ReferenceSample,
    as_ridge,
    covariance_for,
)
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL, NULLS, Null, upper_quantile
from pt_rankcorr.warnings import UnmatchedNamesWarning, UnreliableResultWarning, warn


def d_rank(
    reference: ScoresLike,
    ranking: RankingsLike,
    *,
    n_resamples: int = defaults.RESAMPLES,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
    ridge: float = 1e-5,
    rng: RandomState = None,
    n_jobs: int | None = None,
    missing: choices.MissingOfSides = "error",
) -> DRankResult:
    """Could a ranking's order be the true order by the reference? d_rank, and the test of that.

    A small p-value says that the ranking's order is not that of the reference's true means. The
    reference's scores are a sample of topics; the ranking is fixed. So d_rank is directional:
    swapping the two changes the p-value. The test of `correlation_interval` is symmetric, and asks
    whether two noisy rankings could share one true ranking.

    Args:
        reference: Scores of shape (n_topics, n_systems), or a score matrix: n >= 2, m >= 2.
        ranking: Scores that rank these systems, as for `kendall_tau`: a ranking, or `Rankings`.
        n_resamples: The largest number of resamples, B.
        null, covariance: See `DRankTest`.
        ridge: Added to the variances of differences; at least 1e-12. It is in the square of the
            scores' unit, the power of ten that spans them: in percent the distance is the same.
        rng, n_jobs: Seed or generator; workers, as joblib counts them, which change no bit.
        missing: As for `kendall_tau`.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Warns:
        UnreliableResultWarning: If topics are fewer than 10, or than the null or covariance needs.
        UnmatchedNamesWarning: If both sides name topics, which differ, unless for "two-sample".

    Raises:
        TypeError, ValueError: As `kendall_tau`, and if there are more than 8192 systems, a setting
            is out of range, or rounding errors swallow the ridge, as can happen below 1e-7.

    Notes:
        Sort the systems by the ranking, worst first; delta are the mean differences of adjacent
        systems by the reference, and S is their covariance + ridge I. Then d_rank^2 = n min over
        theta >= 0 of (theta - delta)' S^-1 (theta - delta). It is 0 if and only if the ranking is
        that of the reference's means.

        The means of the reference break ties of the ranking, at no cost. Where the reference ties
        the systems too, the distance is the least over their orders (beyond 120 orders, the least
        that swaps of neighbours find). If either ties all systems, distance and p-value are nan.

        Resampling stops at the 200th resample that is at least as far as the ranking, or at the
        last. If this 200th is the l-th of all, the p-value is 200/l; else it is (b + 1)/(B + 1),
        with b of all B at least as far (Besag and Clifford). A resample takes O(n m^2) time, O(m^3)
        for more systems than topics, O(m n^2) for six times as many; what all share takes O(m^2).

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: algorithms
        1 and 2. Besag, Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.

    Example:
        For two systems in the wrong order it is Student's paired t, except for the ridge: the
        differences 0.3, 0.1, 0.5 have mean 0.3, variance 0.04; sqrt(3 * 0.09 / 0.04001) = 2.5978.

        >>> scores = [[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]]
        >>> result = d_rank(scores, [1, 0], n_resamples=99, rng=1)
        >>> round(result.statistic, 4)
        2.5978
        >>> d_rank(scores, [0, 1], n_resamples=99, rng=1).pvalue
        1.0
    """
    any_topics = null == "two-sample"
    trusted, tested = prepare_sides(
        reference, ranking, SIDES, missing=missing, min_topics=2, any_topics=any_topics, advice=""
    )
    test = DRankTest(
        trusted,
        n_resamples=n_resamples,
        null=null,
        covariance=covariance,
        ridge=ridge,
        n_ranking_topics=tested.n_independent or None,
        rng=rng,
        n_jobs=n_jobs,
    )
    return test._test(tested)


class DRankTest:
    """The test of d_rank against one reference, for any number of rankings.

    There are three null hypotheses. The first resamples for each ranking, the others once for all:

    - `"shrunken"` (ours, the default): the distances of the tested ranking from resampled topics,
      each resample with its own means and covariance. First, the columns of the reference are
      shifted to means in the order of the ranking, closer together than the measured means (see
      `stats.shrunken_truth`). Of two systems it swaps scores on random topics: a permutation test.
    - `"two-sample"` (ours): for a ranking from other topics, which has its own sampling errors. It
      resamples the reference and the ranking independently, both from means that are shrunken by
      their reliability. If numbers of topics differ, it rejects up to .08 of true rankings at .05.
    - `"published"` (algorithm 2 of the paper): the distances of rankings by resampled topics from
      the fixed reference. It treats the covariance as known, and warns if topics are too few.

    There are two covariances of systems: `"ledoit-wolf"`, shrunk towards a multiple of the
    identity, and `"sample"`, as published. The default is "sample" for the published null, else
    "ledoit-wolf". Both are of scores less the means of topic and system: what a topic does to all
    systems alike plays no part. The shrinkage is estimated once, from the reference.

    The false-positive rate of the default is closest to the nominal level; that of the published
    test is far too high unless topics are many and systems far apart (see the calibration page).

    Args:
        reference, n_resamples, null, covariance, ridge, rng, n_jobs: As for `d_rank`.
        n_ranking_topics: The number of topics of rankings, for "two-sample"; by default n_topics.

    Raises:
        TypeError, ValueError: As `d_rank`; `distance` and `test` raise them, too.

    References:
        Carterette, SIGIR 2009: algorithms 1 and 2. Ledoit, Wolf, "A well-conditioned estimator for
        large-dimensional covariance matrices", J. Multivariate Analysis 88, 2004.

    Example:
        >>> scores = [[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]]
        >>> test = DRankTest(scores, n_resamples=199, rng=1)
        >>> test.distance(Rankings([[0, 1], [1, 0]])).round(4).tolist()
        [0.0, 2.5978]
    """

    _settings: dict[str, Any]

    def __init__(
        self,
        reference: ScoresLike,
        *,
        n_resamples: int = defaults.RESAMPLES,
        null: choices.Null = DEFAULT_NULL,
        covariance: choices.Covariance | None = None,
        ridge: float = 1e-5,
        n_ranking_topics: int | None = None,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        null = one_of("null", null, NULLS)
        covariance, ridge = covariance_for(null, covariance), as_ridge(ridge)
        n_resamples = resample_count(n_resamples)
        if n_ranking_topics is not None:
            n_ranking_topics = whole_number("n_ranking_topics", n_ranking_topics, at_least=1)
        self._reference = ReferenceSample.of(reference, covariance, ridge)
        self.n_topics, self.n_systems = self._reference.n_topics, self._reference.n_systems
        warn_if_unreliable(self._reference, null, covariance)
        # the result repeats these settings, as they say which test was made
        self._settings = {
            "n_resamples": n_resamples,
            "null": null,
            "covariance": covariance,
            "ridge": ridge,
        }
        topics_of_rankings = n_ranking_topics or self.n_topics
        self._null = Null(self._reference, null, n_resamples, topics_of_rankings, rng, n_jobs)

    @property
    def null_distribution(self) -> Floats:
        """The B distances under the null, read-only; a ValueError if rankings do not share them."""
        if self._null.is_shared:
            return self._null.shared()
        shared = f"one that all rankings share, got {self._settings['null']!r}"
        advice = "which is computed anew for each: give it one, or see the result of `test`"
        raise ValueError(f"`null` must be {shared}, {advice}.")

    def distance(self, ranking: RankingsLike) -> float | Floats:
        """d_rank of a ranking, a float, or of several, shape (k,), as `d_rank` takes them."""
        rankings, is_single = self._reference.rankings_of(self._prepare(ranking))
        distances = self._reference.distances(rankings)
        return float(distances[0]) if is_single else distances

    def test(self, ranking: RankingsLike) -> DRankResult:
        """d_rank of a ranking, or of several, with p-values: takes them and warns as `d_rank`."""
        return self._test(self._prepare(ranking))

    def _test(self, tested: Prepared) -> DRankResult:
        """`test` of prepared rankings; warns if they are of other topics, unless "two-sample"."""
        rankings, is_single = self._reference.rankings_of(tested)
        # the other nulls resample one set of topics for both sides, which other topics are not
        topics, topics_of_ranking = self._reference.side.topic_names, tested.topic_names
        are_others = topics and topics_of_ranking and set(topics) != set(topics_of_ranking)
        if are_others and self._settings["null"] != "two-sample":
            advice = 'null="two-sample" asks whether the topics of both explain the distance'
            message = f"The ranking was measured on other topics than the reference: {advice}."
            warn(message, UnmatchedNamesWarning)
        # setting the limit takes a while, so it is set once here, and found set further in
        with one_blas_thread():
            statistic = self._reference.distances(rankings)
            counts = self._null.count(rankings, statistic)
        values: dict[str, Any] = {
            "statistic": statistic,
            "pvalue": counts.pvalues(),
            "pvalue_standard_error": counts.standard_errors(),
            "n_used": counts.used,
        }
        # arrays of shape (k,); for a single ranking, plain numbers
        if is_single:
            values = {name: array.item() for name, array in values.items()}
        return DRankResult(
            **values,
            **self._settings,
            n_topics=self.n_topics,
            n_systems=self.n_systems,
            _distribution=partial(self._null.distribution, rankings[0] if is_single else rankings),
        )

    def critical_value(self, alpha: float = defaults.ALPHA) -> float:
        """The distance beyond which (b + 1)/(B + 1) <= alpha; raises as `null_distribution`."""
        return upper_quantile(self.null_distribution, share("alpha", alpha))

    def _prepare(self, ranking: object) -> Prepared:
        """The rankings that a caller gave, parsed, with systems in the reference's given order."""
        return self._reference.prepare(ranking, any_topics=self._settings["null"] == "two-sample")

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self._settings.items())
        return f"DRankTest({self.n_topics} topics x {self.n_systems} systems, {settings})"


def warn_if_unreliable(
    reference: ReferenceSample, null: str, covariance: str, consequence: str = ""
) -> None:
    """Warns if topics are too few, for any test or so many systems, and says what is better."""
    n_topics, n_systems = reference.n_topics, reference.n_systems
    warn_of_few_topics(n_topics, "the test of d_rank was")
    if covariance == "sample" and n_systems >= n_topics:
        cause = "the sample covariance is singular or nearly so"
        effect = "the distance depends on the ridge"
    # table "The published test of d_rank" on the calibration page
    elif null == "published" and n_systems > 0.2 * n_topics:
        cause = "the covariance is poorly estimated"
        effect = "the published test rejects true rankings too often"
    else:
        return
    # advice that keeps the question: the ranking is fixed, or measured on topics of its own
    better = "two-sample" if null == "two-sample" else DEFAULT_NULL
    advice = f"Use `null='{better}'` with `covariance='{DEFAULT_COVARIANCE}'` instead."
    trouble = f"{n_systems} systems on {n_topics} topics: {cause}, and {effect}."
    warn(f"{trouble}{consequence} {advice}", UnreliableResultWarning)


@dataclass(frozen=True, eq=False)
class DRankResult(TestResult, Drawable):
    """A d_rank, or several against one reference, with the p-value of the bootstrap test.

    Attributes:
        statistic: d_rank: 0 if the ranking is that of the reference's means, unbounded above; nan
            where either ties all systems. A float, or an array of shape (k,) for k rankings.
        pvalue: Of the shape of the statistic: see the notes of `d_rank`.
        pvalue_standard_error: The Monte Carlo standard error of p: sqrt(p (1 - p)/n_used).
        n_used: The number of resamples that the p-value took, l or B; 0 where it is undefined.
        n_resamples: B, the largest number of resamples.
        null: Which null hypothesis: see `DRankTest`.
        covariance: How the covariance of systems was estimated.
        ridge: The addition to the variances of differences, in the square of the scores' unit.
        n_topics, n_systems: The numbers of topics of the reference, and of systems.
    """

    statistic: float | Floats  # type: ignore[assignment]
    pvalue: float | Floats  # type: ignore[assignment]
    pvalue_standard_error: float | Floats
    n_used: int | Indices
    n_resamples: int
    null: str
    covariance: str
    ridge: float
    n_topics: int
    n_systems: int
    _distribution: Callable[[], Floats] = field(repr=False, compare=False)

    @cached_property
    def null_distribution(self) -> Floats:
        """The B distances under the null hypothesis, read-only, of the resamples of the p-value.

        Of shape (k, B) where each of k rankings has its own. Computed on first use.
        """
        return self._distribution()

    def critical_value(self, alpha: float = defaults.ALPHA) -> float | Floats:
        """The distance beyond which (b + 1)/(B + 1) <= alpha; an array if each ranking has a null.

        Infinite if resamples are too few for any p-value to reach alpha, which is between 0 and 1.
        """
        level = share("alpha", alpha)
        if self.null_distribution.ndim == 1:
            return upper_quantile(self.null_distribution, level)
        return np.array([upper_quantile(distances, level) for distances in self.null_distribution])
