"""The stability method: how often other topics are wrong about two systems, or tie them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.core.arguments import as_floats
from pt_rankcorr.stats.core.means import pair_blocks
from pt_rankcorr.stats.core.resampling import RandomState, over_measures
from pt_rankcorr.stats.core.types import Flags, Floats, Indices, Labels, Result
from pt_rankcorr.stats.significance.bootstrap import ratio
from pt_rankcorr.stats.significance.other_topics import draw_other_topics


@dataclass(frozen=True, eq=False)
class StabilityResult(Result, Drawable):
    """Minority rate against proportion of ties; the lower both are, the better the measure.

    Attributes:
        fuzziness: The values f: two systems with a smaller relative difference tie.
        minority_rate: For each f, the share of comparisons that contradict their pair's majority.
        proportion_of_ties: For each f, the share of all comparisons that are ties.
        n_pairs, n_topics, n_systems: How many there are.
        n_resamples, topic_set_size: The number of resamples, and of topics of each.
        of: Which other topics: "new topics", "resamples" or "halves".
        systems: The names of the systems.
        samples: Each system's mean in each resample, shape (n_systems, n_resamples).
    """

    fuzziness: Floats
    minority_rate: Floats
    proportion_of_ties: Floats
    n_pairs: int
    n_topics: int
    n_systems: int
    n_resamples: int
    topic_set_size: int
    of: choices.OtherTopics
    systems: Labels = field(repr=False)
    samples: Floats = field(repr=False, compare=False)

    def pairs(self, fuzziness: float = 0.05) -> pd.DataFrame:
        """Wins, losses and ties of each pair's first system, a row a pair; a fuzziness f >= 0."""
        limit, blocks = _as_fuzziness(fuzziness)[0], []
        for first, second, gaps in _relative_gaps(self.samples):
            won, lost = _wins_and_losses(gaps, limit)
            blocks.append((first, second, won.sum(axis=-1), lost.sum(axis=-1)))
        first, second, wins, losses = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        names = np.array(self.systems, dtype=object)
        ties = self.n_resamples - wins - losses
        sides = {"system": names[first], "other": names[second]}
        return pd.DataFrame(sides | {"wins": wins, "losses": losses, "ties": ties})


@over_measures
def stability(
    scores: ArrayLike,
    *,
    fuzziness: ArrayLike = tuple(percent / 100 for percent in range(1, 21)),
    of: choices.OtherTopics = "new topics",
    topic_set_size: int | None = None,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> StabilityResult:
    """The stability method: how often samples of topics are wrong about two systems, or tie them.

    For each pair of systems x, y and sample, ``|M(x*) - M(y*)| < f max(|M(x*)|, |M(y*)|)`` is a
    tie, else the higher one wins; equal values always tie. The minority rate is the share of
    comparisons in which this system wins:

    - the system that is worse in the topic population, for `of="new topics"` as for `swap_rates`;
    - the system that wins less often, for `of="resamples"`: for scores of at least 0 as Sakai
      (2006) defines it. As for `swap_rates`, the rate is too low, by .05 to .2 for close systems;
    - the system that wins less often, for `of="halves"`: random sets of `topic_set_size` of the
      topics at hand, without replacement (after Buckley and Voorhees 2000).

    For f > 0 the rates depend on the zero of the scores. O(B m (n + m F)) time for F values of f,
    and memory for 7 m B numbers.

    Args:
        scores, of, n_resamples, rng, n_jobs: As for `swap_rates`.
        topic_set_size: For "halves", the number of topics of a set, up to all; by default half.
        fuzziness: The values f, at least 0.

    Returns:
        The result, or a dictionary of them by measure; `pairs(fuzziness)` counts wins by pair.

    Raises:
        TypeError, ValueError: As `swap_rates`.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.5,
        figure 9; Buckley and Voorhees, "Evaluating evaluation measure stability", SIGIR 2000.

    Example:
        The second system is better by half of its own value; this is a tie only if f is above 0.5:

        >>> scores = [[0.1, 0.2], [0.2, 0.4], [0.3, 0.6]]
        >>> result = stability(scores, fuzziness=[0.1, 0.6], of="resamples", rng=1)
        >>> result.minority_rate.tolist(), result.proportion_of_ties.tolist()
        ([0.0, 0.0], [0.0, 1.0])
    """
    values = _as_fuzziness(fuzziness)
    drawn = draw_other_topics(scores, of, topic_set_size, n_resamples, rng, n_jobs, n_sets=1)
    # means in samples and, of new topics, the true ones behind these: (n_systems, n_resamples)
    (samples,), truths = drawn.sets, drawn.truths
    n_comparisons = drawn.counts["n_resamples"] * drawn.counts["n_pairs"]
    wrong, tied = np.zeros(values.size), np.zeros(values.size)
    for first, second, gaps in _relative_gaps(samples):
        # By true means, (n_pairs, n_resamples), a win of the worse system is wrong. Without them,
        # the rarer outcome of a pair is.
        true_gaps = np.zeros(1) if truths is None else truths[first] - truths[second]
        better, worse = true_gaps > 0.0, true_gaps < 0.0
        for index, limit in enumerate(values):
            won, lost = _wins_and_losses(gaps, limit)
            wins, losses = won.sum(axis=-1), lost.sum(axis=-1)
            tied[index] += gaps.size - wins.sum() - losses.sum()
            minority = np.minimum(wins, losses) if truths is None else lost & better | won & worse
            wrong[index] += minority.sum()
    return StabilityResult(
        fuzziness=values,
        minority_rate=wrong / n_comparisons,
        proportion_of_ties=tied / n_comparisons,
        **drawn.counts,
        of=of,
        systems=drawn.systems,
        samples=samples,
    )


def _as_fuzziness(fuzziness: ArrayLike) -> Floats:
    """One value f or several as an array of shape (n_values,), checked."""
    values = np.atleast_1d(as_floats(fuzziness, "fuzziness"))
    if values.ndim > 1 or values.size == 0 or values.min() < 0.0:
        raise ValueError(f"`fuzziness` must be numbers of at least 0, got {fuzziness!r}.")
    return values


def _relative_gaps(samples: Floats) -> Iterator[tuple[Indices, Indices, Floats]]:
    """Blocks of pairs, and their differences relative to the value of larger size; 0 if both are 0.

    The first and the second system of each pair, (n_pairs,), and gaps, (n_pairs, n_resamples), of
    samples of shape (n_systems, n_resamples).
    """
    for first, second in pair_blocks(*samples.shape):
        sizes = np.maximum(np.abs(samples[first]), np.abs(samples[second]))
        yield first, second, ratio(samples[first] - samples[second], sizes)


def _wins_and_losses(gaps: Floats, limit: float) -> tuple[Flags, Flags]:
    """Which relative gaps, of any shape, are wins and which losses of the first, at a fuzziness."""
    # a gap of just f is a win, and equal values tie even for f = 0
    least = max(limit - 1e-10, float(np.finfo(np.float64).tiny))
    return gaps >= least, gaps <= -least
