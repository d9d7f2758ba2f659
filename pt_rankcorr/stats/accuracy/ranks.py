"""The ranks of systems: intervals for their true ranks, and which systems may be the best."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable, Quotable
from pt_rankcorr.stats.accuracy.contrasts import contrasts_of, surely_apart, tiers_of
from pt_rankcorr.stats.core import arguments, design, inputs, means, resampling
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.core.types import TOLERANCE, Flags, Floats, Labels, Result, cached_property
from pt_rankcorr.stats.truth.reliability import Reliability
from pt_rankcorr.stats.truth.shrunken import reliability_of, truth_sampler, warn_if_close

DEFAULT_METHOD: choices.RankMethod = "shrunken"
# Draws do not decide on a system whose share of them is within so many standard errors of a bound.
UNDECIDED_ERRORS = 3.0


@dataclass(frozen=True, eq=False)
class RankDraws:
    """What ranks and tiers are drawn from: scores, the level, and the generator."""

    scores: ScoreMatrix
    rows: Floats  # an independent sample of topics, in one order, shape (n_rows, n_systems)
    level: float
    n_draws: int
    rng: np.random.Generator
    n_jobs: int | None

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        level: float,
        n_resamples: int,
        rng: np.random.Generator,
        n_jobs: int | None,
    ) -> RankDraws:
        """Checks the arguments of public functions, and warns of few topics."""
        prepared = inputs.prepare_matrix(scores, min_topics=2)
        arguments.check_number_of_systems("scores", prepared.n_systems)
        level, n_draws = arguments.share("level", level), arguments.resample_count(n_resamples)
        what = "ranks and probabilities of being the best were"
        design.warn_of_few_topics(len(prepared.sample), what)
        rows, rng = in_one_order(prepared.sample), resampling.clone(rng)
        return cls(prepared, rows, level, n_draws, rng, n_jobs)

    @cached_property
    def reliability(self) -> Reliability:
        """The posterior of the reliability of the differences of systems."""
        return reliability_of(self.rows)

    def warn_if_close(self) -> None:
        """Warns if the topics do not show that the systems differ."""
        guess = "the probability of being the best may be wrong by .2"
        remedy = "The set by `method='pairwise'` still holds."
        warn_if_close(self.reliability, self.rows, f"{guess}. {remedy}")

    @property
    def undecided(self) -> Flags:
        """The systems whose tiers other draws may change, shape (m,)."""
        return np.asarray(np.ptp(self.possible_tiers, axis=0) > 0.0)

    @cached_property
    def possible_tiers(self) -> Floats:
        """Tiers at the level, and 3 standard errors below and above it: shape (3, n_systems)."""
        # the level is kept by a share of draws, whose standard error is sqrt(level (1 - level) / B)
        contrasts = contrasts_of(self.rows, self.n_draws, resampling.clone(self.rng), self.n_jobs)
        margin = UNDECIDED_ERRORS * math.sqrt(self.level * (1.0 - self.level) / self.n_draws)
        levels = np.clip([self.level, self.level - margin, self.level + margin], 0.0, 1.0)
        return np.array([tiers_of(contrasts, level) for level in levels])

    def pairwise(self, rng: np.random.Generator, *, simultaneous: bool) -> tuple[Floats, Floats]:
        """The best and the worst rank of each system, (m,) each; the level is of each or of all."""
        # 1 + the number of systems that are surely better, m - the number of those surely worse
        contrasts = contrasts_of(self.rows, self.n_draws, rng, self.n_jobs)
        apart = surely_apart(contrasts, self.level, simultaneous=simultaneous)
        low = 1.0 + (apart & (contrasts.t < 0.0)).sum(axis=1)
        high = float(len(low)) - (apart & (contrasts.t > 0.0)).sum(axis=1)
        return low, high

    def drawn(
        self, method: str, rng: np.random.Generator, of_means: Callable[[Floats], Floats]
    ) -> Floats:
        """What `of_means` makes of draws of the means of systems, (size, m): shape (n_draws, m).

        Draws are of the true means for "shrunken", else the means of resampled topics.
        """
        sample: resampling.Block = partial(_resampled_means, self.rows)
        cells = max(self.rows.shape)
        if method == "shrunken":
            sample = truth_sampler(self.rows, self.reliability)
            cells = sum(self.rows.shape)

        def compute(block: np.random.Generator, size: int) -> Floats:
            """A block of draws of the means, and what is made of them: shape (size, m)."""
            return of_means(sample(block, size))

        return resampling.blockwise(compute, self.n_draws, cells=cells, rng=rng, n_jobs=self.n_jobs)

    def shares_first(self) -> Floats:
        """How often each system is first in draws of the shrunken truth, shape (m,)."""
        first = self.drawn("shrunken", resampling.clone(self.rng), _first)
        return np.asarray(first.mean(axis=0))


def _resampled_means(scores: Floats, rng: np.random.Generator, size: int) -> Floats:
    """The means of systems over bootstrap samples of topics, (size, m), from scores (n_rows, m)."""
    weights = resampling.topic_weights(rng, size, len(scores))
    return means.round_means(weights @ scores / len(scores), scores)


def _first(values: Floats) -> Floats:
    """Each system's share of the first place of each draw, (n_draws, m); ties share it equally."""
    first = values == values.max(axis=1, keepdims=True)
    return np.asarray(first / first.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class RankIntervals(Result, Drawable, Quotable):
    """For each system: its rank, an interval for its true rank, and how probably it is the best.

    Attributes:
        rank: By the means in the topic population; 1 is best, ties share their average; (m,).
        low, high: The best and the worst rank of the interval; shape (m,).
        share_first: The share of draws in which the system is first; systems that tie share it
            equally. With "shrunken" it estimates the probability that the system is truly the best;
            for the leader of close systems it was about .1 too high in simulations, and .2 to .3
            with "percentile". With "pairwise" it is nan.
        tier: From tests of pairs, shape (m,): 1 for the systems that may be the best, those of
            `best_systems`; t for those that may be the best of what earlier tiers leave.
        systems: Names of the systems, if they have any.
        method, simultaneous, level: As they were given.
        n_resamples, n_topics, n_systems: Numbers of draws, topics and systems m.
    """

    rank: Floats
    low: Floats
    high: Floats
    share_first: Floats
    systems: Labels | None
    method: str
    simultaneous: bool
    level: float
    n_resamples: int
    n_topics: int
    n_systems: int
    _draws: RankDraws = field(repr=False, compare=False)

    @cached_property
    def tier(self) -> Floats:
        """See the attributes; computed when it is first asked for, as its tests take a while."""
        return np.asarray(self._draws.possible_tiers[0])

    @property
    def names(self) -> Labels:
        """The names of the systems; "s1", "s2", ... where they have none."""
        return self._draws.scores.shown_systems

    @property
    def undecided(self) -> Labels:
        """The names of systems whose tiers draws of other seeds may change."""
        return tuple(compress(self.names, self._draws.undecided))


def rank_intervals(
    scores: ArrayLike,
    *,
    method: choices.RankMethod = DEFAULT_METHOD,
    simultaneous: bool = False,
    level: float = defaults.LEVEL,
    n_resamples: int = defaults.RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> RankIntervals:
    """Intervals for the true rank of each system, its rank in the topic population.

    - "shrunken", the default: quantiles of the rank over draws of the true means, which lack the
      sampling error (see `stats.shrunken_truth`). They keep their level on average over systems.
    - "percentile": quantiles of the rank over bootstrap samples of topics. Measured means are
      further apart than true ones: if systems are close or topics few, the intervals are too short,
      and the leader is first too often.
    - "pairwise": 1 + the number of systems that are surely better, to m - the number of those that
      are surely worse, by stepwise tests of paired differences. They are wide. Where mean
      differences are about normal, they keep their level for every system, however close. They may
      not where differences are rare and large: of a system that wins by much on one topic in
      twenty, only .65 of the intervals from 25 topics held its rank.

    An interval from draws runs from the smallest rank with at least (1 - level)/2 of the draws at
    that rank or better, to the largest with at least as many at that rank or worse. Memory is that
    of 3 B m numbers.

    Args:
        scores: Shape (n_topics, n_systems), or a score matrix, n >= 2, m >= 2.
        method: "shrunken", "percentile" or "pairwise".
        simultaneous: Whether all intervals together are to hold the true ranks with the probability
            `level`; with "pairwise" only, as intervals from draws hold all ranks far less often.
        level: The confidence level of the intervals, between 0 and 1.
        n_resamples: Number B of draws.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The intervals, systems in the order of the scores.

    Warns:
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ:
            `share_first` is a guess, but the intervals hold.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of two topics and systems or more,
            a setting is out of range, or `simultaneous` is True for another method than "pairwise".

    References:
        Percentile intervals: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter
        13. Pairwise ones: Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks", Review of
        Economic Studies 91, 2024.

    Example:
        The third system is best on every topic, the other two share the topics:

        >>> scores = 4 * [[0.1, 0.2, 0.9], [0.3, 0.1, 0.8], [0.2, 0.3, 0.7]]
        >>> intervals = rank_intervals(scores, rng=1)
        >>> intervals.low.tolist(), intervals.high.tolist(), intervals.share_first.round(2).tolist()
        ([2.0, 2.0, 1.0], [3.0, 3.0, 1.0], [0.0, 0.0, 1.0])
    """
    check_method(method, simultaneous=simultaneous)
    random = resampling.generator(rng)
    draws = RankDraws.of(scores, level, n_resamples, random, n_jobs)
    if method == "shrunken":
        draws.warn_if_close()
    if method == "pairwise":
        low, high = draws.pairwise(random, simultaneous=simultaneous)
        first = np.full(low.shape, np.nan)
    else:
        # ranks in each draw, (n_draws, m), and their quantiles; by rounding 1 - 0.95 is above 0.05
        drawn = draws.drawn(method, random, means.ranks)
        outside = (1.0 - draws.level) / 2.0 * (1.0 - TOLERANCE)
        low = np.quantile(drawn, outside, axis=0, method="inverted_cdf")
        high = -np.quantile(-drawn, outside, axis=0, method="inverted_cdf")
        first = _first(-drawn).mean(axis=0)
    return RankIntervals(
        rank=means.ranks(means.system_means(draws.rows)),
        low=low,
        high=high,
        share_first=first,
        systems=draws.scores.system_names,
        method=method,
        simultaneous=simultaneous,
        level=draws.level,
        n_resamples=draws.n_draws,
        n_topics=draws.rows.shape[0],
        n_systems=draws.rows.shape[1],
        _draws=draws,
    )


def check_method(method: str, *, simultaneous: bool) -> None:
    """Refuses an unknown method, and intervals for all ranks together by a method that has none."""
    arguments.one_of("method", method, get_args(choices.RankMethod))
    if arguments.flag("simultaneous", simultaneous) and method != "pairwise":
        raise ValueError(
            f"`simultaneous` must be False with method={method!r}, got True: "
            "its intervals do not hold all true ranks together at a level. Take method='pairwise'."
        )


# --- the systems that may be the best -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BestSystems(Result, Drawable, Quotable):
    """The systems that may be the best.

    Attributes:
        systems: Their names, the best by its mean first.
        positions: Their positions in the given scores.
        probabilities: The probability that each is the best, by draws of the shrunken truth. Where
            the topics do not show that the systems differ, as `rank_intervals` warns, the first may
            be .2 too high.
        method, level: As they were given.
        undecided: The names of systems that may be among them or not with other seeds.
        n_resamples, n_topics, n_systems: Numbers of draws, topics and systems.
    """

    systems: Labels
    positions: tuple[int, ...]
    probabilities: Floats
    method: str
    level: float
    undecided: Labels
    n_resamples: int
    n_topics: int
    n_systems: int


def best_systems(
    scores: ArrayLike,
    level: float = defaults.LEVEL,
    *,
    method: str = "pairwise",
    n_resamples: int = defaults.RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> BestSystems:
    """The systems that may truly be the best: the best is among them with the probability `level`.

    - "pairwise": all systems that no other one surely beats: tier 1 of `rank_intervals`. A system
      stays if the largest t statistic of the others against it is at most the quantile of such a
      maximum among equal systems. Where mean differences are about normal, the set holds the best
      system at the level, however close the systems are. It may miss one that wins rarely but by
      much (it was in the set in .65 of simulated samples). The interval of a system of the set, by
      a test of two sides and several steps, may exclude rank 1.
    - "shrunken": all systems that are first in more than (1 - level)/m of the draws of the true
      means of m systems. The set is smaller, and held the best system in .92 to 1.00 of simulated
      samples.

    Args:
        scores, n_resamples, rng, n_jobs: As for `rank_intervals`, which raises the same errors.
        level: The probability that the best system is among them.
        method: "pairwise" or "shrunken".

    Returns:
        The systems, the best by its mean first.

    Warns:
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ: the
            set and its probabilities are a guess.

    References:
        The set of systems that no other beats: Mogstad, Romano, Shaikh, Wilhelm, "Inference for
        ranks", Review of Economic Studies 91, 2024; Hansen, Lunde, Nason, "The model confidence
        set", Econometrica 79, 2011.

    Example:
        >>> scores = 3 * [[.1, .61, .60], [.3, .78, .80], [.2, .70, .68], [.1, .60, .63]]
        >>> best_systems(scores, rng=1).systems
        ('s3', 's2')
    """
    arguments.one_of("method", method, ("pairwise", "shrunken"))
    draws = RankDraws.of(scores, level, n_resamples, resampling.generator(rng), n_jobs)
    # with "pairwise" the set, which is what is asked for, holds for close systems, too
    if method == "shrunken":
        draws.warn_if_close()
    return _best_of(draws, draws.shares_first(), method)


def best_of(intervals: RankIntervals) -> BestSystems:
    """What `best_systems` gives by "pairwise" for the same settings, from draws of intervals."""
    draws, probabilities = intervals._draws, intervals.share_first
    if intervals.method != "shrunken":
        probabilities = draws.shares_first()
    return _best_of(draws, probabilities, "pairwise")


def _best_of(draws: RankDraws, probabilities: Floats, method: str) -> BestSystems:
    """The systems in tier 1, or with more than their share of probabilities, (m,), to be best."""
    if method == "pairwise":
        kept = draws.possible_tiers[0] == 1.0
        undecided = draws.undecided & (draws.possible_tiers.min(axis=0) == 1.0)
    else:
        # Systems that are each first in at most (1 - level) / m of the draws, and so are the best
        # in at most 1 - level together, go. Near that, draws of another seed may decide otherwise.
        least = (1.0 - draws.level) / probabilities.size
        error = UNDECIDED_ERRORS * math.sqrt(least * (1.0 - least) / draws.n_draws)
        kept, undecided = probabilities > least, np.abs(probabilities - least) < error
    names = draws.scores.shown_systems
    # by their means, those that tie in the order of the input
    best_first = np.argsort(-means.system_means(draws.rows), kind="stable")
    best, doubtful = (best_first[flags[best_first]] for flags in (kept, undecided))
    return BestSystems(
        systems=tuple(names[at] for at in best),
        positions=tuple(map(int, best)),
        probabilities=probabilities[best],
        method=method,
        level=draws.level,
        undecided=tuple(names[at] for at in doubtful),
        n_resamples=draws.n_draws,
        n_topics=draws.rows.shape[0],
        n_systems=draws.rows.shape[1],
    )
