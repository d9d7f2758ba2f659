"""Swap rates: how often other topics reverse a difference, by its size and the number of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr import choices, defaults
from pt_rankcorr.display import Drawable
from pt_rankcorr.stats.core import arguments, means
from pt_rankcorr.stats.core.inputs import prepare_matrix
from pt_rankcorr.stats.core.resampling import RandomState, generator, over_measures
from pt_rankcorr.stats.core.types import Floats, Result
from pt_rankcorr.stats.significance.other_topics import draw_other_topics
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning, silencing, warn

PUBLISHED_EDGES = tuple(percent / 100 for percent in range(21))


# --- swap rates -----------------------------------------------------------------------------------


def share_of(swaps: Floats, counts: Floats) -> Floats:
    """The share of comparisons that are swaps, of arrays of one shape; nan where there are none."""
    return np.divide(swaps, counts, out=np.full_like(swaps, np.nan), where=counts > 0)


@dataclass(frozen=True, eq=False)
class SwapRatesResult(Result, Drawable):
    """Swap rates by the size of the difference, and the difference that a low rate takes.

    Attributes:
        required_difference: The lower end of the first bin from which no bin has a rate above
            `max_rate`, in the unit of the scores; nan if the last has, or all systems are equal.
        relative_difference: The same relative to the largest value seen.
        sensitivity: The share of comparisons whose difference is at least that large; 0 if none.
        max_rate: The accepted swap rate.
        largest_value: The largest value of a system in any resample, in size.
        n_pairs, n_topics, n_systems: How many there are.
        n_resamples, topic_set_size: The number of resamples of either set, and of topics of each.
        of: Which other topics: "new topics", "resamples" or "halves".
        edges: The lower ends of the bins, shape (n_bins,).
        counts, swaps: Comparisons in each bin, and those that the second set of topics reverses.
    """

    required_difference: float
    relative_difference: float
    sensitivity: float
    max_rate: float
    largest_value: float
    n_pairs: int
    n_topics: int
    n_systems: int
    n_resamples: int
    topic_set_size: int
    of: choices.OtherTopics
    edges: Floats
    counts: Floats
    swaps: Floats

    @property
    def rates(self) -> Floats:
        """The swap rate of each bin, shape (n_bins,), nan for an empty one."""
        return share_of(self.swaps, self.counts)


@over_measures
def swap_rates(
    scores: ArrayLike,
    *,
    max_rate: float = 0.05,
    bins: str | int | ArrayLike = 21,
    of: choices.OtherTopics = "new topics",
    topic_set_size: int | None = None,
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> SwapRatesResult:
    """The swap method: how often other topics reverse the difference of two systems, by its size.

    For each pair of systems and sample of topics, the difference D = M(x*) - M(y*) from a first set
    of samples falls into a bin by its size, and is swapped if that from the second set has the
    opposite sign. Several measures use the same random numbers.

    - `of="new topics"`: true values are drawn (the model is that of `stats.shrunken_truth`), and
      for each draw two samples of as many new topics. For five close systems on few topics, rates
      were .06 to .12 too low in simulations.
    - `of="resamples"` (Sakai 2006): both samples are bootstrap samples of the topics at hand. These
      agree more than new topics would, so rates are too low, by .1 to .2 for close systems.
    - `of="halves"` (Voorhees and Buckley 2002): both samples are random sets of `topic_set_size` of
      the topics at hand, without a common topic. The rates are those of so few topics; `swap_curve`
      extrapolates them to more.

    O(B m (n + m)) time, and memory for 8 m B numbers.

    Args:
        scores: Scores, shape (n_topics, n_systems), of at least 2 topics unless resampled; or
            measure -> such.
        max_rate: The swap rate that is accepted, between 0 and 1.
        bins: The number of equally wide bins, from 2 to a million, of which the last one begins at
            half of the largest difference seen in the first set; or the lower ends of the bins,
            which rise from 0 on; or "published", those of Sakai (2006): [0, .01), [.01, .02), ...,
            [.2, inf).
        of: On which other topics systems are compared: "new topics", "resamples" or "halves".
        topic_set_size: For "halves", the number of topics of a set, up to half; by default half.
        n_resamples: The number of samples B of either set.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The result, or a dictionary of them by measure; nan, with a warning, where none is enough.

    Raises:
        TypeError, ValueError: If the scores are no finite matrix of 2 to 8192 systems, or an
            argument is out of its range.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 3.5,
        figure 11 and table 3; Voorhees and Buckley, "The effect of topic set size on retrieval
        experiment error", SIGIR 2002.

    Example:
        The second system is better by 0.15 on every topic, so no topic set reverses it:

        >>> result = swap_rates([[0.1, 0.25], [0.2, 0.35], [0.3, 0.45]], bins="published", rng=1)
        >>> int(result.counts[15]), float(result.rates[15])
        (1000, 0.0)
    """
    limit, wanted = arguments.share("max_rate", max_rate), _as_bins(bins)
    drawn = draw_other_topics(scores, of, topic_set_size, n_resamples, rng, n_jobs, n_sets=2)
    # means of systems in both sets of samples, shape (n_systems, n_resamples) each
    once, again = drawn.sets
    largest = float(max(np.abs(once).max(), np.abs(again).max()))
    largest_difference = float(np.ptp(once, axis=0).max())
    if isinstance(wanted, int):
        # their ends rise evenly to half of the largest difference, where the last bin begins
        edges = np.arange(wanted) / (wanted - 1) * (largest_difference / 2)
    else:
        edges = wanted
    is_even = edges.size > 1 and np.allclose(np.diff(edges), edges[1], rtol=1e-12, atol=0.0)
    width = edges[1] or 1.0 if is_even else math.nan  # without any difference all ends are 0
    counts, swaps = np.zeros(edges.size), np.zeros(edges.size)
    for first, second in means.pair_blocks(*once.shape):
        # (n_pairs of the block, n_resamples): the differences in both sets, and the first's bins
        differences, others = once[first] - once[second], again[first] - again[second]
        # one of just 0.03 belongs to the bin that begins there
        sizes = np.abs(differences) + 1e-11 * largest
        if is_even:  # several times faster
            in_bin = np.minimum(sizes / width, edges.size - 1).astype(np.intp)
        else:
            in_bin = np.searchsorted(edges, sizes, side="right") - 1
        is_swapped = np.sign(differences) * np.sign(others) < 0.0
        counts += np.bincount(in_bin.ravel(), minlength=edges.size)
        swaps += np.bincount(in_bin[is_swapped], minlength=edges.size)
    # the first bin after the last one whose rate is too high, and the share of comparisons from it
    from_bin = int(np.flatnonzero(swaps > limit * counts).max(initial=-1)) + 1
    n_kept = counts[from_bin:].sum() if largest_difference > 0.0 else 0.0
    sensitivity = float(n_kept / counts.sum())
    required = float(edges[from_bin]) if sensitivity > 0.0 else math.nan
    if math.isnan(required):
        none = f"No difference has a swap rate of at most {limit:g} from there on"
        warn(f"{none}: the required difference is nan.", DegenerateInputWarning)
    return SwapRatesResult(
        required_difference=required,
        relative_difference=required / largest if largest > 0.0 else math.nan,
        sensitivity=sensitivity,
        max_rate=limit,
        largest_value=largest,
        **drawn.counts,
        of=of,
        edges=edges,
        counts=counts,
        swaps=swaps,
    )


def _as_bins(bins: object) -> int | Floats:
    """A number of bins, or their lower ends, shape (n_bins,), checked."""
    if isinstance(bins, str):
        if bins != "published":
            rule = "`bins` must be a number of bins, their lower ends or 'published'"
            raise ValueError(f"{rule}, got {shown(bins)}.")
        return np.array(PUBLISHED_EDGES)
    if np.ndim(bins) == 0:  # type: ignore[arg-type]
        return arguments.whole_number("bins", bins, at_least=2, at_most=1_000_000)
    edges = arguments.as_floats(bins, "bins")
    if edges.ndim > 1 or edges.size == 0 or edges[0] != 0.0 or (np.diff(edges) <= 0.0).any():
        raise ValueError(f"`bins` must be lower ends that rise from 0 on, got {shown(bins)}.")
    return edges


# --- swap rates over numbers of topics, extrapolated to more: the swap method as first published --


@dataclass(frozen=True, eq=False)
class SwapCurveResult(Result, Drawable):
    """Swap rates by the number of topics and the size of the difference.

    Attributes:
        topic_set_sizes: The numbers of topics of the disjoint sets, ascending.
        edges: The lower ends of the bins of differences.
        counts, swaps: Comparisons in each bin, and those reversed; shape (n_sizes, n_bins).
        slopes, intercepts: Of the line through the logarithm of each bin's rates, over the sizes;
            nan where fewer than two sizes have swaps.
        max_rate: The accepted swap rate.
        n_topics, n_systems: How many there are.
        n_resamples: The number of pairs of sets of each size.
    """

    topic_set_sizes: Floats
    edges: Floats
    counts: Floats = field(repr=False)
    swaps: Floats = field(repr=False)
    slopes: Floats = field(repr=False)
    intercepts: Floats = field(repr=False)
    max_rate: float
    n_topics: int
    n_systems: int
    n_resamples: int

    @property
    def rates(self) -> Floats:
        """The swap rates, shape (n_sizes, n_bins); nan for an empty bin."""
        return share_of(self.swaps, self.counts)

    def rates_with(self, n_topics: float) -> Floats:
        """Each bin's rate on its fitted curve a exp(b n), at most 1/2: (n_bins,), nan if none."""
        number = arguments.real_number("n_topics", n_topics)
        if number < 1.0:
            raise ValueError(f"`n_topics` must be at least 1, got {number}.")
        logarithms = np.minimum(self.intercepts + self.slopes * number, 0.0)
        return np.asarray(np.minimum(np.exp(logarithms), 0.5))

    def required_difference(self, n_topics: float) -> float:
        """The least difference, in the unit of the scores, that two sets of so many topics keep.

        It is the lower end of the first bin from which all fitted rates are at most `max_rate`; nan
        if there is none. Bins without a curve, which have too few swaps, count as having low rates.
        """
        rates = self.rates_with(n_topics)
        too_high = np.flatnonzero(np.nan_to_num(rates) > self.max_rate)
        first = int(too_high.max(initial=-1)) + 1
        return float(self.edges[first]) if first < self.edges.size else math.nan


@over_measures
def swap_curve(
    scores: ArrayLike,
    *,
    topic_set_sizes: Sequence[int] | None = None,
    max_rate: float = 0.05,
    bins: str | int | ArrayLike = "published",
    n_resamples: int = defaults.FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> SwapCurveResult:
    """The swap method over numbers of topics, extrapolated to more.

    For each size, `swap_rates(of="halves")` counts swaps between disjoint sets of so many topics.
    For each bin of differences, a least-squares line through the logarithm of the rates that are
    not 0 over the sizes, weighted by their numbers of swaps, gives the rates with other numbers of
    topics. To test it, leave out the larger sizes.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 4 topics; or measure -> such.
        topic_set_sizes: Numbers of topics, at least two, each up to half of the topics; by default
            up to 20, evenly spread from 1.
        max_rate, n_resamples, rng, n_jobs: As for `swap_rates`.
        bins: "published" or lower ends, as for `swap_rates`. A number of bins follows the scores in
            the smallest sets, which have the largest differences.

    Returns:
        The result, or for a mapping a dictionary of results by measure.

    Raises:
        TypeError, ValueError: As `swap_rates`, and if the sizes are no such numbers.

    References:
        Voorhees, Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.

    Example:
        >>> scores = np.random.default_rng(0).random((40, 6)) + np.linspace(0, 0.3, 6)
        >>> curve = swap_curve(scores, topic_set_sizes=[5, 10, 20], rng=1)
        >>> curve.rates[:, 5].round(2).tolist(), round(float(curve.rates_with(40)[5]), 2)
        ([0.41, 0.39, 0.16], 0.05)
    """
    matrix = prepare_matrix(scores, min_topics=4)
    most = matrix.n_independent // 2
    if topic_set_sizes is None:
        sizes = [int(size) for size in np.unique(np.linspace(1, most, min(20, most)).round())]
    else:
        wanted = arguments.list_of("topic_set_sizes", topic_set_sizes, "numbers of topics")
        check = partial(arguments.whole_number, "topic_set_sizes", at_least=1, at_most=most)
        sizes = sorted(set(map(check, wanted)))
    if len(sizes) < 2:
        raise ValueError(f"`topic_set_sizes` must be at least 2 numbers, got {len(sizes)}.")
    settings: dict[str, Any] = {"max_rate": max_rate, "n_resamples": n_resamples, "n_jobs": n_jobs}
    of_sizes: list[SwapRatesResult] = []
    with silencing(DegenerateInputWarning):  # sets may be too small for any required difference
        for size, child in zip(sizes, generator(rng).spawn(len(sizes)), strict=True):
            settings |= {"topic_set_size": size, "rng": child}
            of_sizes.append(swap_rates(matrix, of="halves", bins=bins, **settings))
            bins = of_sizes[0].edges  # those of the first size for all
    counts = np.stack([rates.counts for rates in of_sizes])
    swaps = np.stack([rates.swaps for rates in of_sizes])
    slopes, intercepts = _fit(np.array(sizes, dtype=np.float64), counts, swaps)
    first = of_sizes[0]
    return SwapCurveResult(
        topic_set_sizes=np.array(sizes, dtype=np.float64),
        edges=first.edges,
        counts=counts,
        swaps=swaps,
        slopes=slopes,
        intercepts=intercepts,
        max_rate=first.max_rate,
        n_topics=first.n_topics,
        n_systems=first.n_systems,
        n_resamples=first.n_resamples,
    )


def _fit(sizes: Floats, counts: Floats, swaps: Floats) -> tuple[Floats, Floats]:
    """Slope and intercept of each bin, (n_bins,) each, by least squares of the logarithms.

    They are nan with fewer than two sizes that have swaps; counts and swaps are of shape (n_sizes,
    n_bins). The variance of a logarithm goes with 1 / swaps, and numpy multiplies residuals by its
    weights: the root of a weight 1 / variance.
    """
    lines = np.full((2, counts.shape[1]), np.nan)
    for column in range(counts.shape[1]):
        usable = swaps[:, column] > 0.0
        if usable.sum() > 1:
            swapped = swaps[usable, column]
            rates = swapped / counts[usable, column]
            lines[:, column] = np.polyfit(sizes[usable], np.log(rates), 1, w=np.sqrt(swapped))
    return lines[0], lines[1]
