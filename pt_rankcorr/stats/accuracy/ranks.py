"""Where systems rank among each other: intervals for their true ranks, and how probably each is the best."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr import choices
from pt_rankcorr.defaults import LEVEL, RESAMPLES
from pt_rankcorr.stats.accuracy.guaranteed import Contrasts, Flags, contrasts_of, may_be_best, surely_apart
from pt_rankcorr.stats.core.arguments import flag, one_of, resample_count, share
from pt_rankcorr.stats.core.few_topics import warn_of_few_topics
from pt_rankcorr.stats.core.inputs import as_matrix, labels_of
from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.means import in_one_order, ranks, round_significant, sizes_of, system_means
from pt_rankcorr.stats.core.pairs import check_number_of_systems
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, topic_weights, twin
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.stats.rank_distance.nulls import TOLERANCE
from pt_rankcorr.stats.truth.draws import Truths
from pt_rankcorr.stats.truth.shrunken import reliability_of, warn_if_close

METHODS: tuple[choices.RankMethod, ...] = get_args(choices.RankMethod)
OF_RANKS = "ranks and probabilities of being the best were"
GUESS = "the probability of being the best may be wrong by .2. The set of `best_systems` holds all the same."


class Sure(NamedTuple):
    """What the tests of "guaranteed" say of each system: its tier, and whether no other one surely beats it alone."""

    tiers: Floats
    may_be_best: Flags


@dataclass(frozen=True, eq=False)
class Evidence:
    """The scores, in one order, how draws are made of them, and what is known of them already."""

    matrix: Floats
    level: float
    n_draws: int
    rng: np.random.Generator
    n_jobs: int | None
    known: Sure | None = None

    @cached_property
    def sure(self) -> Sure:
        return self.known or self.sure_by(contrasts_of(self.matrix, self.n_draws, twin(self.rng), self.n_jobs))

    def sure_by(self, contrasts: Contrasts, apart: Flags | None = None) -> Sure:
        """Given, where it is known, which pairs differ for all systems together."""
        apart = surely_apart(contrasts, self.level, simultaneous=True) if apart is None else apart
        beaten = apart & (contrasts.t < 0.0)
        best_first = np.argsort(-system_means(self.matrix), kind="stable")
        return Sure(_tiers(beaten, best_first), may_be_best(contrasts, self.level))

    def shares_first(self) -> Floats:
        """Of each system, by draws of the shrunken truth."""
        drawn = drawn_ranks(self.matrix, "shrunken", self.n_draws, twin(self.rng), self.n_jobs, warns=False)
        return shares_first(drawn)


@dataclass(frozen=True, eq=False)
class RankIntervals(Result):
    """For each system: its rank, where it may truly rank, and how probably it is the best.

    Attributes:
        rank: By the means of all topics, 1 is best, ties share their average rank; shape (m,).
        low: The best rank of the interval; shape (m,).
        high: The worst rank of the interval; shape (m,).
        share_first: The share of draws in which the system is first; systems that tie share it equally. With
            `method="shrunken"` it estimates the probability that the system is truly the best; for the leader of close
            systems it was about .1 too high in simulations, and .2 to .3 with "percentile". With "guaranteed" it is
            nan.
        tier: 1 for a system that no other one surely beats, else one more than the worst tier of those that surely beat
            it; shape (m,). By the tests of "guaranteed", for all systems together, whatever the method; computed when
            it is first asked for, but with the intervals of "guaranteed".
        systems: Names of the systems, if they have any.
        method: How the intervals were found.
        simultaneous: Whether the level is that of all intervals together.
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

    _picture = "draw_rank_intervals"

    @cached_property
    def tier(self) -> Floats:
        return self._evidence.sure.tiers

    def _columns(self) -> dict[str, Any]:
        systems = self.systems or tuple(f"s{number}" for number in range(1, self.n_systems + 1))
        columns = {"rank": self.rank, "low": self.low, "high": self.high}
        return {"system": systems, **columns, "share_first": self.share_first, "tier": self.tier}

    def _table(self) -> dict[str, Any]:
        """The best system first, without what the method does not know."""
        order = np.argsort(self.rank, kind="stable")
        columns = {name: np.array(values, dtype=object)[order] for name, values in self._columns().items()}
        return {name: values for name, values in columns.items() if not all(value != value for value in values)}


def rank_intervals(
    scores: ArrayLike,
    *,
    method: choices.RankMethod = "shrunken",
    simultaneous: bool = False,
    level: float = LEVEL,
    n_resamples: int = RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> RankIntervals:
    """Intervals for the true rank of each system, the one over all topics there could be.

    - "shrunken", the default: quantiles of the rank over draws of the true means, from which the luck of the sample is
      taken off (see `stats.shrunken_truth`). They hold what they promise on average over the systems.
    - "percentile": quantiles of the rank over bootstrap samples of topics. Measured means are further apart than true
      ones, and resampling takes them for the truth: where systems are close or topics few, the intervals are too short,
      and the system that leads is first too often.
    - "guaranteed": 1 + the number of systems that are surely better, to m - the number of those that are surely worse,
      by stepwise tests of paired differences. They hold it for every system, however close, where scores are about
      normal, and are wide. A difference that hardly varies, as of near twins on few topics, gets the standard error of
      one that varies on a single topic.

    An interval of draws runs from the smallest rank with at least (1 - level)/2 of the draws at it or better, to the
    largest with at least as many at it or worse. Ties within a draw share their average rank. Memory is that of some
    three times B x m ranks.

    Args:
        scores: Shape (n_topics, n_systems), or a score matrix, n >= 2, m >= 2.
        method: How intervals are found: "shrunken", "percentile" or "guaranteed".
        simultaneous: Whether all intervals together are to hold the true ranks with the probability `level`.
        level: The confidence level of the intervals, between 0 and 1.
        n_resamples: Number B of draws.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Returns:
        The intervals, systems in the order of the scores.

    Warns:
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ: `share_first` is a
            guess then; the intervals hold.

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the scores are not a finite matrix of two topics and two systems or more, or a setting is out of
            range.

    References:
        Percentile intervals: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13. Guaranteed ones:
        Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024.

    Example:
        The third system is best on every topic, the other two share the topics:

        >>> scores = 4 * [[0.1, 0.2, 0.9], [0.3, 0.1, 0.8], [0.2, 0.3, 0.7]]
        >>> intervals = rank_intervals(scores, rng=1)
        >>> intervals.low.tolist(), intervals.high.tolist(), intervals.share_first.round(2).tolist()
        ([2.0, 2.0, 1.0], [3.0, 3.0, 1.0], [0.0, 0.0, 1.0])
    """
    one_of("method", method, METHODS)
    flag("simultaneous", simultaneous)
    matrix = as_matrix(scores, min_topics=2)
    check_number_of_systems("scores", matrix.shape[1])
    matrix = in_one_order(matrix)
    level, simultaneous, n_resamples = (
        share("level", level),
        flag("simultaneous", simultaneous),
        resample_count(n_resamples),
    )
    warn_of_few_topics(len(matrix), OF_RANKS)
    random = generator(rng)
    evidence = Evidence(matrix, level, n_resamples, twin(random), n_jobs)
    if method == "guaranteed":
        contrasts = contrasts_of(matrix, n_resamples, random, n_jobs)
        apart = surely_apart(contrasts, level, simultaneous=simultaneous)
        low, high = _sure_ranks(contrasts, apart)
        first = np.full(low.shape, np.nan)
        known = evidence.sure_by(contrasts, apart if simultaneous else None)
        evidence = replace(evidence, known=known)  # rather than to keep the contrasts
    else:
        drawn = drawn_ranks(matrix, method, n_resamples, random, n_jobs)
        low, high = _together(drawn, level) if simultaneous else _quantiles(drawn, (1.0 - level) / 2.0)
        first = shares_first(drawn)
    return RankIntervals(
        rank=ranks(system_means(matrix)),
        low=low,
        high=high,
        share_first=first,
        systems=labels_of(scores),
        method=method,
        simultaneous=simultaneous,
        level=level,
        n_resamples=n_resamples,
        n_topics=matrix.shape[0],
        n_systems=matrix.shape[1],
        _evidence=evidence,
    )


def _sure_ranks(contrasts: Contrasts, apart: Flags) -> tuple[Floats, Floats]:
    beaten, beats = apart & (contrasts.t < 0.0), apart & (contrasts.t > 0.0)
    n_beaten, n_beats = (flags.sum(axis=1, dtype=np.float64) for flags in (beaten, beats))
    return 1.0 + n_beaten, float(len(apart)) - n_beats


def _tiers(beaten: Flags, best_first: NDArray[np.intp]) -> Floats:
    """From which system (row) is beaten by which (column); a system has a lower mean than those that beat it."""
    tiers = np.zeros(len(beaten))
    for system in best_first:
        tiers[system] = 1.0 + tiers[beaten[system]].max(initial=0.0)
    return tiers


def drawn_ranks(
    matrix: Floats, method: str, n_draws: int, rng: np.random.Generator, n_jobs: int | None, *, warns: bool = True
) -> Floats:
    if method == "shrunken":
        reliability = reliability_of(matrix)
        if warns:
            warn_if_close(reliability, matrix, GUESS)
        drawn = partial(_true_ranks, Truths.of(matrix, reliability))
        return blockwise(drawn, n_draws, cells=sum(matrix.shape), rng=rng, n_jobs=n_jobs)
    sampled = partial(_sampled_ranks, scores=matrix)
    return blockwise(sampled, n_draws, cells=max(matrix.shape), rng=rng, n_jobs=n_jobs)


def _true_ranks(truths: Truths, rng: np.random.Generator, size: int) -> Floats:
    return ranks(truths(rng, size))


def _sampled_ranks(rng: np.random.Generator, size: int, *, scores: Floats) -> Floats:
    means = topic_weights(rng, size, len(scores)) @ scores / len(scores)
    return ranks(round_significant(means, sizes_of(scores)))


def _quantiles(drawn: Floats, outside: float) -> tuple[Floats, Floats]:
    """The ranks with so many of the draws at them or beyond, at either end."""
    outside *= 1.0 - TOLERANCE  # 1 - 0.95 is a bit more than 0.05: one draw too many
    low = np.quantile(drawn, outside, axis=0, method="inverted_cdf")
    high = -np.quantile(-drawn, outside, axis=0, method="inverted_cdf")
    return low, high


def _together(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """The shortest such intervals, none shorter than alone, that hold all ranks together in enough of the draws."""
    outside = np.append(np.arange(int((1.0 - level) / 2.0 * len(drawn)), 0, -1), 0) / len(drawn)
    at_least, enough = 0, outside.size - 1  # the last takes in every draw
    while at_least < enough:
        middle = (at_least + enough) // 2
        low, high = _quantiles(drawn, outside[middle])
        inside = ((low <= drawn) & (drawn <= high)).all(axis=1).mean() >= level * (1.0 - TOLERANCE)
        at_least, enough = (at_least, middle) if inside else (middle + 1, enough)
    return _quantiles(drawn, outside[enough])


def shares_first(drawn: Floats) -> Floats:
    first = drawn == drawn.min(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))
