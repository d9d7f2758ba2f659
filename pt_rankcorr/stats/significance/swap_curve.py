"""Swap rates against the number of topics, extrapolated to more topics: the swap method as first published."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.defaults import FEWER_RESAMPLES
from pt_rankcorr.stats.core.arguments import list_of, real_number, whole_number
from pt_rankcorr.stats.core.inputs import as_matrix
from pt_rankcorr.stats.core.resampling import RandomState, generator, over_measures
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.significance._summaries import Statistic
from pt_rankcorr.stats.significance.swap import SwapRatesResult, share_of, swap_rates
from pt_rankcorr.tables import NUMBER, Table, of_values
from pt_rankcorr.warnings import DegenerateInputWarning

SIZES = 20  # at most, evenly spread


@dataclass(frozen=True, eq=False)
class SwapCurveResult(Result):
    """Swap rates by the number of topics and the size of the difference.

    Attributes:
        topic_set_sizes: The numbers of topics of the disjoint sets, ascending.
        edges: The lower ends of the bins of differences.
        counts: The comparisons in each bin, shape (n_sizes, n_bins).
        swaps: Those that the second set of topics reverses, of the same shape.
        slopes: The slope of the line through the logarithm of each bin's rates, over the sizes; nan where fewer than
            two sizes have swaps.
        intercepts: The intercepts of the same lines.
        max_rate: The accepted swap rate.
        n_topics: The number of topics.
        n_systems: The number of systems.
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

    def _note(self) -> str:
        return (
            f"{self.n_systems} systems, {self.n_topics} topics, {self.n_resamples} pairs of disjoint sets of topics "
            "for each size. Needed is the lower end of a bin, from which on curves fitted to these sets have swap "
            f"rates of at most {self.max_rate:.0%}. Swap rates with new topics, and in other bins, need other "
            "differences."
        )

    def _rows(self) -> Table:
        """One row per size and bin with comparisons."""
        rows, bins = np.nonzero(self.counts)
        of_cells = {"comparisons": self.counts, "swapped": self.swaps, "rate": self.rates}
        places = {"topics": self.topic_set_sizes[rows].astype(int), "difference from": self.edges[bins]}
        return of_values({NUMBER: {**places, **{name: values[rows, bins] for name, values in of_cells.items()}}})

    def rates_with(self, n_topics: float) -> Floats:
        """The swap rate of each bin on the fitted curves, a exp(b n), at most 1/2; nan where there is none.

        Args:
            n_topics: The number of topics n, at least 1.
        """
        number = real_number("n_topics", n_topics)
        if number < 1.0:
            raise ValueError(f"`n_topics` must be at least 1, got {number}.")
        return np.asarray(np.minimum(np.exp(np.minimum(self.intercepts + self.slopes * number, 0.0)), 0.5))

    def required_difference(self, n_topics: float) -> float:
        """The lower end of the first bin from which all fitted rates are at most `max_rate`; nan if there is none.

        Bins without a curve, which have too few swaps, count as having low rates.
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
    n_resamples: int = FEWER_RESAMPLES,
    statistic: Statistic = np.mean,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> SwapCurveResult:
    """The swap method over numbers of topics, extrapolated to more.

    For each size, `swap_rates(of="halves")` counts swaps between disjoint sets of so many topics. For each bin of
    differences, a least-squares line through the logarithm of the rates over the sizes gives the rates with other
    numbers of topics. Each size has its number of swaps as weight; sizes without a swap have no logarithm and are left
    out. The extrapolation is only as good as the exponential: test it by leaving out the larger sizes.

    Args:
        scores: Scores, shape (n_topics, n_systems), at least 4 topics; or a mapping of measures to such.
        topic_set_sizes: Numbers of topics, at least two, each up to half of the topics; by default up to 20, evenly
            spread from 1.
        max_rate, n_resamples, statistic, rng, n_jobs: As for `swap_rates`.
        bins: "published" or lower ends, as for `swap_rates`. A number of bins follows the scores in the smallest sets,
            which have the largest differences.

    Returns:
        The result, or for a mapping a dictionary of results by measure.

    Raises:
        TypeError, ValueError: As `swap_rates`, and if the sizes are no such numbers.

    References:
        Voorhees and Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.

    Example:
        >>> scores = np.random.default_rng(0).random((40, 6)) + np.linspace(0, 0.3, 6)
        >>> curve = swap_curve(scores, topic_set_sizes=[5, 10, 20], rng=1)
        >>> curve.rates[:, 5].round(2).tolist(), round(float(curve.rates_with(40)[5]), 2)
        ([0.41, 0.39, 0.16], 0.05)
    """
    sizes = _sizes(topic_set_sizes, len(as_matrix(scores, min_topics=4)))
    given: dict[str, Any] = {
        "max_rate": max_rate, "of": "halves", "n_resamples": n_resamples, "statistic": statistic, "n_jobs": n_jobs
    }  # fmt: skip
    found: list[SwapRatesResult] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)  # sets may be too small for any required difference
        for size, child in zip(sizes, generator(rng).spawn(len(sizes)), strict=True):
            edges = found[0].edges if found else bins  # those of the first size for all
            found.append(swap_rates(scores, topic_set_size=size, bins=edges, rng=child, **given))
    counts, swaps = (np.stack([getattr(each, name) for each in found]) for name in ("counts", "swaps"))
    slopes, intercepts = _fit(np.array(sizes, dtype=np.float64), counts, swaps)
    return SwapCurveResult(
        topic_set_sizes=np.array(sizes, dtype=np.float64),
        edges=found[0].edges,
        counts=counts,
        swaps=swaps,
        slopes=slopes,
        intercepts=intercepts,
        max_rate=found[0].max_rate,
        n_topics=found[0].n_topics,
        n_systems=found[0].n_systems,
        n_resamples=found[0].n_resamples,
    )


def _sizes(topic_set_sizes: Sequence[int] | None, n_topics: int) -> list[int]:
    most = n_topics // 2
    if topic_set_sizes is None:
        return [int(size) for size in np.unique(np.linspace(1, most, min(SIZES, most)).round())]
    given = list_of("topic_set_sizes", topic_set_sizes, "numbers of topics")
    sizes = {whole_number("topic_set_sizes", size, at_least=1, at_most=most) for size in given}
    if len(sizes) < 2:
        raise ValueError(f"`topic_set_sizes` must be at least 2 numbers, got {len(sizes)}.")
    return sorted(sizes)


def _fit(sizes: Floats, counts: Floats, swaps: Floats) -> tuple[Floats, Floats]:
    """Slope and intercept of each bin, by least squares of the logarithms; their variance goes with 1 / swaps."""
    lines = np.full((2, counts.shape[1]), np.nan)
    for at in range(counts.shape[1]):
        usable = swaps[:, at] > 0.0
        if usable.sum() > 1:
            rates = swaps[usable, at] / counts[usable, at]
            lines[:, at] = np.polyfit(sizes[usable], np.log(rates), 1, w=np.sqrt(swaps[usable, at]))
    return lines[0], lines[1]
