"""Which systems may truly be the best?"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from pt_rankcorr.defaults import LEVEL, RESAMPLES
from pt_rankcorr.stats.accuracy.ranks import OF_FIRST, Evidence, RankIntervals
from pt_rankcorr.stats.core.arguments import one_of
from pt_rankcorr.stats.core.pairs import system_names
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Flags, Floats, Labels
from pt_rankcorr.tables import SHARE, WORD, Table, listed


@dataclass(frozen=True, eq=False)
class BestSystems(Result):
    """The systems that may be the best.

    Attributes:
        systems: Their names, the best by its mean first.
        positions: Their positions in the given scores.
        probabilities: The probability that each is the best, by draws of the shrunken truth; shape (number of
            systems,). Where the topics do not show that the systems differ, as `rank_intervals` warns, the first may be
            .2 too high.
        method: "pairwise" or "shrunken".
        level: The probability that the best system is among them.
        n_resamples: Number of draws.
        n_topics: Number of topics.
        n_systems: Number of systems compared.
    """

    systems: Labels
    positions: tuple[int, ...]
    probabilities: Floats
    method: str
    level: float
    n_resamples: int
    n_topics: int
    n_systems: int

    def _rows(self) -> Table:
        columns = (
            listed("system", WORD, self.systems),
            listed("probability", SHARE, self.probabilities, "first in draws"),
        )
        return Table(columns, range(len(self.systems)))

    def _answer(self) -> str:
        few = "any" if len(self.systems) == self.n_systems else "one" if len(self.systems) > 1 else "this one"
        of = "" if few == "this one" else f" of these {len(self.systems)}"
        return f"With {self.level:.0%} confidence, the best of {self.n_systems} systems is {few}{of}."

    def _note(self) -> str:
        return f"{self.n_topics} topics; method {self.method}; {self.n_resamples} draws. {OF_FIRST}"


def best_systems(
    scores: ArrayLike,
    level: float = LEVEL,
    *,
    method: str = "pairwise",
    n_resamples: int = RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> BestSystems:
    """The systems that may truly be the best: a set that holds the best one with the probability `level`.

    - "pairwise": all systems that no other one surely beats. A system stays if the largest t statistic of the others
      against it is at most the quantile of such a maximum among equal systems. Where mean differences are about normal,
      the set holds the best system at the level, however close the systems are. It is tier 1 of `rank_intervals`. It
      may miss a system that wins rarely but by much, as a sample of topics may lack its wins (.65 in a simulation, see
      `rank_intervals`). The test has one side and one step; that of intervals by pairs has two sides and several steps.
      So the interval of a system of the set may exclude rank 1, and that of another may hold it, though both keep their
      level.
    - "shrunken": all systems that are first in more than (1 - level)/m of the draws of the true means of m systems. The
      set is smaller, and held the best system in .92 to 1.00 of simulated samples.

    Args:
        scores: Shape (n_topics, n_systems), or a score matrix: n >= 2, m >= 2.
        level: Between 0 and 1.
        method: "pairwise" or "shrunken".
        n_resamples: Number of draws.
        rng: Seed or generator.
        n_jobs: Number of worker processes, as joblib counts them. It changes no bit of the result.

    Returns:
        The systems, the best by its mean first.

    Warns:
        UnreliableResultWarning: If there are fewer than 10 topics.
        CloseSystemsWarning: With "shrunken", if the topics do not show that the systems differ: the set is a guess.

    Raises:
        TypeError: If scores or settings are not numbers.
        ValueError: If the scores are not a finite matrix of two topics and systems or more, or a setting is out of
            range.

    References:
        The set of systems that no other beats: Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks", Review of
        Economic Studies 91, 2024; Hansen, Lunde, Nason, "The model confidence set", Econometrica 79, 2011.

    Example:
        >>> scores = 3 * [[0.1, 0.61, 0.60], [0.3, 0.78, 0.80], [0.2, 0.70, 0.68], [0.1, 0.60, 0.63]]
        >>> best_systems(scores, rng=1).systems
        ('s3', 's2')
    """
    one_of("method", method, ("pairwise", "shrunken"))
    evidence = Evidence.of(scores, level, n_resamples, generator(rng), n_jobs)
    by_draws = method == "shrunken"  # else the set, which is what is asked for, holds anyway
    probabilities = evidence.shares_first(warns=by_draws)
    kept = probabilities > (1.0 - evidence.level) / len(probabilities) if by_draws else evidence.may_be_best
    return _best_of(evidence, kept, probabilities, system_names(scores, len(probabilities)), method)


def best_of(intervals: RankIntervals, names: Labels) -> BestSystems:
    """The result of `best_systems` for the same scores and settings, from the draws of existing intervals."""
    evidence = intervals._evidence
    probabilities = intervals.share_first if intervals.method == "shrunken" else evidence.shares_first()
    return _best_of(evidence, intervals.tier == 1.0, probabilities, names, "pairwise")


def _best_of(evidence: Evidence, kept: Flags, probabilities: Floats, names: Labels, method: str) -> BestSystems:
    best = evidence.best_first[kept[evidence.best_first]]
    return BestSystems(
        systems=tuple(names[at] for at in best),
        positions=tuple(map(int, best)),
        probabilities=probabilities[best],
        method=method,
        level=evidence.level,
        n_resamples=evidence.n_draws,
        n_topics=evidence.matrix.shape[0],
        n_systems=evidence.matrix.shape[1],
    )
