"""d_rank, a distance between rankings of systems, and its bootstrap tests."""

from __future__ import annotations

from dataclasses import replace

from pt_rankcorr import choices
from pt_rankcorr.defaults import ALPHA, RESAMPLES
from pt_rankcorr.stats.core.arguments import share
from pt_rankcorr.stats.core.inputs import RankingsLike, ScoresLike, in_common, n_topics_of, topic_names_of
from pt_rankcorr.stats.core.matching import Names
from pt_rankcorr.stats.core.rankings import Rankings as Rankings
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import one_blas_thread
from pt_rankcorr.stats.rank_distance.kinds import Null, SharedNull, null_of
from pt_rankcorr.stats.rank_distance.nulls import upper_quantile
from pt_rankcorr.stats.rank_distance.reference import RankingsGiven, Reference, warn_of_undefined
from pt_rankcorr.stats.rank_distance.result import DRankResult
from pt_rankcorr.stats.rank_distance.sequential import Counts, least_as_far
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL, Settings, warn_if_unreliable
from pt_rankcorr.warnings import UnmatchedNamesWarning, warn


def d_rank(
    reference: ScoresLike,
    ranking: RankingsLike,
    *,
    n_resamples: int = RESAMPLES,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
    ridge: float = 1e-5,
    rng: RandomState = None,
    n_jobs: int | None = None,
    missing: choices.MissingOfSides = "error",
) -> DRankResult:
    """Could the order of a ranking be the true order by the reference? d_rank, and the test of that question.

    The question has a direction. The reference's scores are a sample of topics; the ranking is fixed. A small p-value
    says that the ranking's order is not that of the reference's true means. If the ranking has noise of its own on the
    same topics, the p-value is conservative. Whether two noisy rankings have one true order is a symmetric question,
    and the p-value of `correlation_interval` answers it.

    Sort the systems by the ranking, worst first; D holds the differences of adjacent columns of the reference X, delta
    its mean and S its covariance + ridge I. Then d_rank^2 = n min over theta >= 0 of
    (theta - delta)' S^-1 (theta - delta): how improbable mean scores in the order of the ranking are, if X is a sample
    of topics. It is 0 if and only if the ranking is that of the means of X. It is not symmetric and has no upper bound.
    Its size depends on systems and topics, so report the p-value with it.

    The means of the reference break ties of the ranking, at no cost. Where the reference ties the systems too, the
    distance is the least over their orders (beyond 120 orders, the least that swaps of neighbours find). If the ranking
    or the reference ties all systems, distance and p-value are nan.

    The ridge is in the square of the unit of the scores: the power of ten that spans them, such as 1 for spans above
    0.1 up to 1, where the default is the paper's. So a measure in percent gives the same distance. A factor that is no
    power of ten changes the distance, most where topics are few.

    The default test keeps its level best. The published test, `null="published"`, rejects true rankings far too often
    unless topics are many and systems far apart. See the calibration page.

    Resampling stops at the 200th resample that is at least as far as the ranking, or at the last. If this 200th is the
    l-th of all, the p-value is 200/l; else it is (b + 1)/(B + 1), with b of all B at least as far (Besag and Clifford).
    So a p-value of .75 takes some 270 resamples.

    Several rankings share the resamples of the reference, and each stops at its own 200th. A resample takes O(n m^2)
    time, and O(m^3) for more systems than topics. No quadratic program is solved where a bound shows that a resample is
    nearer; the sample covariance has no such bound. Memory: some ten arrays like the scores and some of m^2 numbers per
    worker, and blocks of 32 MiB. The result holds the scores.

    Args:
        reference: Scores of shape (n_topics, n_systems), or a score matrix: n >= 2, m >= 2.
        ranking: Scores that rank the same systems, higher is better: one per system (an array, a list, a series, a
            mapping), topics x systems, whose means rank, or many `Rankings`. Matched by name where both have names.
        n_resamples: The largest number of resamples, B.
        null: "shrunken", "two-sample" or "published": see `DRankTest`.
        covariance: "ledoit-wolf" or "sample": see `DRankTest`. By default "sample" for "published", else "ledoit-wolf".
        ridge: Added to the variances of differences; at least 1e-12.
        rng, n_jobs: Seed or generator; workers, as joblib counts them, which change no bit of the result.
        missing: What to do with systems that only one side has, where both have names: "error"; "skip" compares the
            systems that both have, as if there were no others; "warn" does so with a warning.

    Returns:
        A result that unpacks as (statistic, pvalue).

    Warns:
        UnreliableResultWarning: If there are fewer than 10 topics, or the null or covariance needs more.
        UnmatchedNamesWarning: If both sides name their topics, and these differ, unless the null is "two-sample".

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the shapes or the systems do not match, there are more than 8192 systems, scores are not finite,
            a setting is out of range, or rounding errors swallow the ridge, as can happen below 1e-7.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: algorithms 1 and 2.
        Besag, Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.

    Example:
        For two systems in the wrong order it is Student's paired t, except for the ridge: the differences 0.3, 0.1, 0.5
        have mean 0.3 and variance 0.04, and sqrt(3 * 0.09 / 0.04001) = 2.5978.

        >>> scores = [[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]]
        >>> result = d_rank(scores, [1, 0], n_resamples=99, rng=1)
        >>> round(result.statistic, 4)
        2.5978
        >>> d_rank(scores, [0, 1], n_resamples=99, rng=1).pvalue
        1.0
    """
    reference, ranking = in_common(reference, ranking, missing, ("reference", "ranking"))
    test = DRankTest(
        reference,
        n_resamples=n_resamples,
        null=null,
        covariance=covariance,
        ridge=ridge,
        n_ranking_topics=n_topics_of(ranking) if isinstance(null, str) and null == "two-sample" else None,
        rng=rng,
        n_jobs=n_jobs,
    )
    return test.test(ranking)


def _warn_of_other_topics(ours: Names | None, theirs: Names | None) -> None:
    if ours and theirs and ours.given and theirs.given and set(ours.labels) != set(theirs.labels):
        warn(
            "The ranking was measured on other topics than the reference. The test asks whether the topics of the "
            'reference explain the distance; null="two-sample" asks whether those of both do.',
            UnmatchedNamesWarning,
        )


class DRankTest:
    """The test of d_rank against one reference, for any number of rankings.

    There are three null hypotheses. The first takes resamples for each ranking, the others once for all rankings:

    - `"shrunken"` (ours, the default): the distances of the tested ranking from resampled topics, each resample with
      its own means and covariance. First, the columns of the reference are shifted to means in the order of the
      ranking. These are near the measured means but closer together, because sampling errors add to the measured
      differences (see `stats.shrunken_truth`). With two systems, a resample swaps their scores on random topics, as in
      a permutation test.
    - `"two-sample"` (ours): for a ranking from other topics, which has its own sampling errors. It resamples the
      reference and the ranking independently, both from means that are shrunken by their reliability. If the numbers
      of topics differ, it rejects up to .08 of true rankings at a level of .05.
    - `"published"` (algorithm 2 of the paper): the distances of rankings by resampled topics from the fixed reference.
      It treats the covariance as known, and so rejects too often. It warns if the topics are too few for the systems.

    There are two covariances of systems: `"ledoit-wolf"`, shrunk towards a multiple of the identity, and `"sample"`, as
    published. The default is "sample" for the published null, else "ledoit-wolf". Topic means are removed first, as
    only differences of systems count. The shrinkage is estimated once, from the reference.

    See the calibration page for how often each test rejects true rankings.

    Args:
        reference, n_resamples, null, covariance, ridge, rng, n_jobs: As for `d_rank`.
        n_ranking_topics: The number of topics of rankings, for "two-sample"; by default that of the reference.

    Raises:
        TypeError, ValueError: As `d_rank`; `distance` and `test` raise them, too.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009: algorithms 1 and 2.
        Ledoit, Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", J. Multivariate
        Analysis 88, 2004.

    Example:
        >>> scores = [[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]]
        >>> test = DRankTest(scores, n_resamples=199, rng=1)
        >>> test.distance(Rankings([[0, 1], [1, 0]])).round(4).tolist()
        [0.0, 2.5978]
        >>> test.test([0, 1]).pvalue
        1.0
    """

    _settings: Settings
    _reference: Reference
    _null: Null

    def __init__(
        self,
        reference: ScoresLike,
        *,
        n_resamples: int = RESAMPLES,
        null: choices.Null = DEFAULT_NULL,
        covariance: choices.Covariance | None = None,
        ridge: float = 1e-5,
        n_ranking_topics: int | None = None,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        n_others = 1 if n_ranking_topics is None else n_ranking_topics
        settings = Settings.of(null, covariance, ridge, n_resamples, n_others)
        self._reference = Reference.of(reference, settings.covariance, settings.ridge)
        if n_ranking_topics is None:
            settings = replace(settings, n_ranking_topics=self.n_topics)
        self._settings = settings
        warn_if_unreliable(self.n_topics, self.n_systems, settings)
        self._null = null_of(self._reference, settings, rng, n_jobs)

    @property
    def null_distribution(self) -> Floats:
        """The B distances under the null hypothesis, read-only; a ValueError if rankings do not share them."""
        return self._shared().rows[:, 0]

    @property
    def fallbacks(self) -> int:
        """The number of these distances that only quadprog, the slowest of three solvers, could find."""
        return int(self._shared().rows[:, 1].sum())

    def _shared(self) -> SharedNull:
        if isinstance(self._null, SharedNull):
            return self._null
        raise ValueError(
            f"`null` must be one that all rankings share, got {self._settings.null!r}, which is computed anew for each "
            "ranking: give it one, or see the result of `test`."
        )

    @property
    def n_topics(self) -> int:
        """The number of topics of the reference."""
        return self._reference.n_topics

    @property
    def n_systems(self) -> int:
        """The number of systems."""
        return self._reference.n_systems

    def distance(self, ranking: RankingsLike) -> float | Floats:
        """d_rank of a ranking, or of several, as `d_rank` takes them: a float, or an array of shape (k,)."""
        rankings = self._rankings_of(ranking)
        found: float | Floats = rankings.results(self._reference.distances(rankings.scores))
        return found

    def test(self, ranking: RankingsLike) -> DRankResult:
        """d_rank of a ranking, or of several, with p-values; it takes rankings and warns as `d_rank` does."""
        rankings, settings = self._rankings_of(ranking), self._settings
        if settings.null != "two-sample":
            _warn_of_other_topics(self._reference.side.topics, topic_names_of(ranking, "ranking"))
        with one_blas_thread():  # once, as that takes a while
            statistic = self._reference.distances(rankings.scores)
            counts = Counts(least_as_far(statistic), settings.n_resamples)
            self._null.count(rankings.scores, counts)
        return DRankResult(
            statistic=rankings.results(statistic),
            pvalue=rankings.results(counts.pvalues()),
            pvalue_standard_error=rankings.results(counts.standard_errors()),
            n_used=int(counts.used[0]) if rankings.is_single else counts.used,
            n_resamples=settings.n_resamples,
            null=settings.null,
            covariance=settings.covariance,
            ridge=settings.ridge,
            n_topics=self.n_topics,
            n_systems=self.n_systems,
            fallbacks=int(counts.fallbacks.sum()),
            _null=self._null,
            _rankings=rankings,
        )

    def _rankings_of(self, ranking: object) -> RankingsGiven:
        rankings = self._reference.rankings_of(ranking, any_topics=self._settings.null == "two-sample")
        warn_of_undefined(self._reference.is_undefined(rankings.scores))
        return rankings

    def critical_value(self, alpha: float = ALPHA, ranking: RankingsLike | None = None) -> float:
        """The distance beyond which a ranking is significantly different: there, (b + 1)/(B + 1) <= alpha.

        It needs the whole null distribution.

        Args:
            alpha: The level of the test, between 0 and 1.
            ranking: The single ranking under test, only for "shrunken", whose null depends on the ranking.

        Returns:
            A distance; infinite if there are too few resamples for any p-value to reach alpha.
        """
        level, given = share("alpha", alpha), None if ranking is None else self._rankings_of(ranking)
        if given is None or isinstance(self._null, SharedNull):
            return upper_quantile(self._shared().rows[:, 0], level)
        if not given.is_single:
            raise ValueError(f"`ranking` must be a single ranking, got several, with {len(given.scores)} nulls.")
        return upper_quantile(self._null.distribution(given), level)

    def __repr__(self) -> str:
        settings = self._settings
        return (
            f"DRankTest({self.n_topics} topics x {self.n_systems} systems, n_resamples={settings.n_resamples}, "
            f"null={settings.null!r}, covariance={settings.covariance!r}, ridge={settings.ridge!r})"
        )
