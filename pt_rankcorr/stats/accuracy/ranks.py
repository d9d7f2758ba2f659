"""The ranks of systems: intervals for their true ranks, and the probability that each is the best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices
from pt_rankcorr.defaults import LEVEL, RESAMPLES
from pt_rankcorr.stats.accuracy.contrasts import Contrasts, contrasts_of, may_be_best, surely_apart, tiers_of
from pt_rankcorr.stats.core.arguments import flag, one_of, resample_count, share
from pt_rankcorr.stats.core.design import warn_of_few_topics
from pt_rankcorr.stats.core.inputs import as_matrix, labels_of
from pt_rankcorr.stats.core.means import (
    in_given_order,
    in_one_order,
    ranks,
    round_means,
    system_means,
    system_order,
)
from pt_rankcorr.stats.core.pairs import check_number_of_systems
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, topic_weights, twin
from pt_rankcorr.stats.core.results import Result, cached_property
from pt_rankcorr.stats.core.types import Flags, Floats, Indices, Labels
from pt_rankcorr.stats.rank_distance.null import TOLERANCE
from pt_rankcorr.stats.truth.shrunken import Truths, reliability_of, warn_if_close
from pt_rankcorr.tables import RANK, SHARE, WORD, Table, listed

if TYPE_CHECKING:
    import pandas as pd

METHODS: tuple[choices.RankMethod, ...] = get_args(choices.RankMethod)
DEFAULT_METHOD: choices.RankMethod = "shrunken"
GUARANTEES = {"shrunken": "on average", "percentile": "of resamples", "pairwise": "each"}
OF_RANKS = "ranks and probabilities of being the best were"
PROMISES = {
    "shrunken": "{level} of the rank intervals hold the true rank, on average over systems",
    "percentile": "rank intervals hold {level} of the ranks in resamples of topics: too short for close systems",
    "pairwise": "each rank interval holds the true rank with {level} confidence",
}
OF_FIRST = "First in draws: estimated probability of being best, .1 to .2 too high for a leader of close systems."
GUESS = "the probability of being the best may be wrong by .2. The set of `best_systems` holds all the same."


@dataclass(frozen=True, eq=False)
class Evidence:
    """The scores, topics and systems in one order, and the way to draw from them.

    Its results list systems in the given order; `order` leads from there to the order of the scores.
    """

    matrix: Floats
    order: Indices
    level: float
    n_draws: int
    rng: np.random.Generator
    n_jobs: int | None

    @classmethod
    def of(
        cls, scores: ArrayLike, level: float, n_resamples: int, rng: np.random.Generator, n_jobs: int | None
    ) -> Evidence:
        matrix = as_matrix(scores, min_topics=2)
        check_number_of_systems("scores", matrix.shape[1])
        matrix = in_one_order(matrix)
        level, n_resamples = share("level", level), resample_count(n_resamples)
        warn_of_few_topics(len(matrix), OF_RANKS)
        order = system_order(matrix)
        return cls(np.ascontiguousarray(matrix[:, order]), order, level, n_resamples, twin(rng), n_jobs)

    @cached_property
    def tells_apart(self) -> bool:
        """Whether the topics show that systems differ: else how often each is first is a guess."""
        return not reliability_of(self.matrix).shows_no_difference

    @cached_property
    def tiers(self) -> Floats:
        return in_given_order(tiers_of(self.contrasts(twin(self.rng)), self.level), self.order)

    @cached_property
    def may_be_best(self) -> Flags:
        """Tier 1."""
        every = np.ones(self.order.size, dtype=np.bool_)
        return in_given_order(may_be_best(self.contrasts(twin(self.rng)), self.level, every), self.order)

    def contrasts(self, rng: np.random.Generator) -> Contrasts:
        return contrasts_of(self.matrix, self.n_draws, rng, self.n_jobs)

    def pairwise(self, rng: np.random.Generator, *, simultaneous: bool) -> tuple[Floats, Floats]:
        """The best and the worst rank that each system may have."""
        contrasts = self.contrasts(rng)
        apart = surely_apart(contrasts, self.level, simultaneous=simultaneous)
        low = 1.0 + (apart & (contrasts.t < 0.0)).sum(axis=1)
        high = float(len(low)) - (apart & (contrasts.t > 0.0)).sum(axis=1)
        return in_given_order(low, self.order), in_given_order(high, self.order)

    @property
    def best_first(self) -> Indices:
        """Systems by their means, those that tie in the order of the scores."""
        return np.asarray(self.order[np.argsort(-system_means(self.matrix), kind="stable")])

    def drawn(self, method: str, rng: np.random.Generator) -> Floats:
        """Their ranks in each draw, shape (n_draws, n_systems)."""
        scores, n_topics = self.matrix, len(self.matrix)

        def resampled(block: np.random.Generator, size: int) -> Floats:
            return ranks(round_means(topic_weights(block, size, n_topics) @ scores / n_topics, scores))

        sample, cells = resampled, max(scores.shape)
        if method == "shrunken":
            reliability = reliability_of(scores)
            warn_if_close(reliability, scores, GUESS)
            truths = Truths.of(scores, reliability)
            sample, cells = (lambda block, size: ranks(truths(block, size))), sum(scores.shape)
        drawn = blockwise(sample, self.n_draws, cells=cells, rng=rng, n_jobs=self.n_jobs)
        return in_given_order(drawn, self.order)

    def shares_first(self, *, warns: bool = False) -> Floats:
        """Of each system, by draws of the shrunken truth; systems that tie share the first place equally."""
        reliability = reliability_of(self.matrix)
        if warns:
            warn_if_close(reliability, self.matrix, GUESS)
        truths, cells = Truths.of(self.matrix, reliability), sum(self.matrix.shape)

        def sample(block: np.random.Generator, size: int) -> Floats:
            drawn = truths(block, size)
            return _shares(drawn == drawn.max(axis=1, keepdims=True))

        firsts = blockwise(sample, self.n_draws, cells=cells, rng=twin(self.rng), n_jobs=self.n_jobs)
        return in_given_order(firsts.mean(axis=0), self.order)


@dataclass(frozen=True, eq=False)
class RankIntervals(Result):
    """For each system: its rank, an interval for its true rank, and the probability that it is the best.

    Attributes:
        rank: By the means in the topic population; 1 is best, ties share their average rank; shape (m,).
        low: The best rank of the interval; shape (m,).
        high: The worst rank of the interval; shape (m,).
        share_first: The share of draws in which the system is first; systems that tie share it equally. With
            `method="shrunken"` it estimates the probability that the system is truly the best; for the leader of close
            systems it was about .1 too high in simulations, and .2 to .3 with "percentile". With "pairwise" it is
            nan.
        tier: 1 for the systems that may be the best, which are those of `best_systems`; t for those that may be the
            best of the systems which earlier tiers leave, by the same test; shape (m,). Whatever the method, it comes
            from tests of pairs, and is computed on first use.
        systems: Names of the systems, if they have any.
        method: How the intervals were found.
        simultaneous: Whether the level holds for all intervals together.
        level: The probability that an interval holds the true rank.
        n_resamples: Number of draws.
        n_topics: Number of topics.
        n_systems: Number of systems m.
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
    _evidence: Evidence = field(repr=False, compare=False)

    @cached_property
    def tier(self) -> Floats:
        return self._evidence.tiers

    @property
    def guarantee(self) -> str:
        """What the level of an interval is of, in a few words."""
        return f"{self.level:.0%} {'all together' if self.simultaneous else GUARANTEES[self.method]}"

    def _rows(self) -> Table:
        """The best system first, without what the method does not know, or would guess."""
        ends, first = np.stack([self.low, self.high], axis=1), self.share_first
        columns = (
            listed("system", WORD, self.systems or tuple(f"s{number}" for number in range(1, self.n_systems + 1))),
            listed(
                "rank", RANK, self.rank, f"rank [{self.guarantee}]", interval=ends.__getitem__, ends=("low", "high")
            ),
            listed("share_first", SHARE, first, title="first in draws", shown=self._knows_first),
            listed("tier", RANK, self.tier, f"tier [{self.level:.0%} each]"),
        )
        return Table(columns, np.argsort(self.rank, kind="stable"))

    def _note(self) -> str:
        together = "all rank intervals together hold the true ranks with {level} confidence"
        promise = (together if self.simultaneous else PROMISES[self.method]).format(level=f"{self.level:.0%}")
        tiers = "Tier 1: systems that may be the best; tier t: that may be the best of the rest."
        first = f" {OF_FIRST}" if self._knows_first else ""
        return f"{self.n_topics} topics, {self.n_resamples} draws; {promise}. {tiers}{first}"

    @property
    def _knows_first(self) -> bool:
        """Whether the shares are more than a guess."""
        return self.method == "shrunken" and self._evidence.tells_apart

    def to_frame(self) -> pd.DataFrame:
        """One row per system, in the order of the scores, unrounded."""
        return replace(self._rows(), rows=range(self.n_systems)).frame()


def rank_intervals(
    scores: ArrayLike,
    *,
    method: choices.RankMethod = DEFAULT_METHOD,
    simultaneous: bool = False,
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> RankIntervals:
    """Intervals for the true rank of each system, its rank in the topic population.

    - "shrunken", the default: quantiles of the rank over draws of the true means, which lack the sampling error
      (see `stats.shrunken_truth`). They keep their level on average over the systems.
    - "percentile": quantiles of the rank over bootstrap samples of topics. Measured means are further apart than true
      ones, and resampling treats them as true. So if systems are close or topics few, the intervals are too short, and
      the leader is first too often.
    - "pairwise": 1 + the number of systems that are surely better, to m - the number of those that are surely worse,
      by stepwise tests of paired differences. They are wide. Where mean differences are about normal, they keep their
      level for every system, however close. They may not where differences are rare and large: a system that wins by
      much on one topic in twenty looks worse on samples of 25 topics without such a topic, and only .65 of its
      intervals held its rank. A difference that hardly varies, as between near twins on few topics, gets the standard
      error of one that varies on a single topic.

    An interval from draws runs from the smallest rank with at least (1 - level)/2 of the draws at that rank or better,
    to the largest with at least as many at that rank or worse. Ties within a draw share their average rank. Memory:
    some three times B x m ranks.

    Args:
        scores: Shape (n_topics, n_systems), or a score matrix, n >= 2, m >= 2.
        method: How intervals are found: "shrunken", "percentile" or "pairwise".
        simultaneous: Whether all intervals together are to hold the true ranks with the probability `level`; with
            "pairwise" only. Intervals from draws hold all ranks far less often, and wider quantiles do not fix that.
        level: The confidence level of the intervals, between 0 and 1.
        n_resamples: Number B of draws.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Returns:
        The intervals, systems in the order of the scores.

    Warns:
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ: `share_first` is then
            a guess, but the intervals hold.

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the scores are not a finite matrix of two topics and two systems or more, a setting is out of
            range, or `simultaneous` is True for another method than "pairwise".

    References:
        Percentile intervals: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13. Pairwise ones:
        Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024.

    Example:
        The third system is best on every topic, the other two share the topics:

        >>> scores = 4 * [[0.1, 0.2, 0.9], [0.3, 0.1, 0.8], [0.2, 0.3, 0.7]]
        >>> intervals = rank_intervals(scores, rng=1)
        >>> intervals.low.tolist(), intervals.high.tolist(), intervals.share_first.round(2).tolist()
        ([2.0, 2.0, 1.0], [3.0, 3.0, 1.0], [0.0, 0.0, 1.0])
    """
    check_method(method, simultaneous=simultaneous)
    random = generator(rng)
    evidence = Evidence.of(scores, level, n_resamples, random, n_jobs)
    if method == "pairwise":
        low, high = evidence.pairwise(random, simultaneous=simultaneous)
        first = np.full(low.shape, np.nan)
    else:
        drawn = evidence.drawn(method, random)
        outside = (1.0 - evidence.level) / 2.0 * (1.0 - TOLERANCE)  # 1 - 0.95 is a bit more than 0.05
        low = np.quantile(drawn, outside, axis=0, method="inverted_cdf")
        high = -np.quantile(-drawn, outside, axis=0, method="inverted_cdf")
        first = _shares(drawn == drawn.min(axis=1, keepdims=True)).mean(axis=0)
    return RankIntervals(
        rank=in_given_order(ranks(system_means(evidence.matrix)), evidence.order),
        low=low,
        high=high,
        share_first=first,
        systems=labels_of(scores),
        method=method,
        simultaneous=simultaneous,
        level=evidence.level,
        n_resamples=evidence.n_draws,
        n_topics=evidence.matrix.shape[0],
        n_systems=evidence.matrix.shape[1],
        _evidence=evidence,
    )


def check_method(method: str, *, simultaneous: bool) -> None:
    one_of("method", method, METHODS)
    if flag("simultaneous", simultaneous) and method != "pairwise":
        raise ValueError(
            f"`simultaneous` must be False with method={method!r}, got True: its intervals do not hold all true ranks "
            "together at a level. Take method='pairwise'."
        )


def _shares(first: Flags) -> Floats:
    return np.asarray(first / first.sum(axis=1, keepdims=True))
