"""How swap rates and stability are shown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pt_rankcorr.present.generic import table_of
from pt_rankcorr.stats.significance.other_topics import WHICH_TOPICS
from pt_rankcorr.stats.significance.stability import StabilityResult
from pt_rankcorr.stats.significance.swap import PUBLISHED_EDGES, SwapCurveResult, SwapRatesResult
from pt_rankcorr.tables import NUMBER, Table, listed, of_values
from pt_rankcorr.text import percent


@table_of.register
def swap_rates_table(result: SwapRatesResult) -> Table:
    """One row per bin of differences."""
    columns = {
        "difference from": result.edges,
        "comparisons": result.counts,
        "swapped": result.swaps,
        "rate": result.rates,
    }
    bins = ""
    if not np.array_equal(result.edges, PUBLISHED_EDGES):
        bins = " The bins of Sakai (2006) are bins='published'."
    note = (
        f"{WHICH_TOPICS[result.of]}{bins} {result.n_pairs} pairs of {result.n_systems} systems, {result.n_topics} "
        f"topics; {result.n_resamples} pairs of samples of {result.topic_set_size} topics."
    )
    return replace(of_values({NUMBER: columns}), answer=_required_difference(result), notes=(note,))


def _required_difference(result: SwapRatesResult) -> str:
    """The difference from which on few comparisons are reversed, and how many comparisons reach it."""
    if math.isnan(result.required_difference):
        return f"No difference is so large that other topics reverse at most {result.max_rate:.0%} of comparisons."
    return (
        f"From a difference of {result.required_difference:.3g} on, {percent(result.relative_difference)} of the "
        f"largest value, other topics reverse at most {result.max_rate:.0%} of comparisons; "
        f"{percent(result.sensitivity)} of comparisons reach it."
    )


@table_of.register
def swap_curve_table(result: SwapCurveResult) -> Table:
    """One row per size of topic sets and bin with comparisons."""
    rows, bins = np.nonzero(result.counts)
    columns = {"topics": result.topic_set_sizes[rows].astype(int), "difference from": result.edges[bins]}
    of_cells = {"comparisons": result.counts, "swapped": result.swaps, "rate": result.rates}
    table = of_values({NUMBER: columns | {name: values[rows, bins] for name, values in of_cells.items()}})
    note = (
        f"{result.n_systems} systems, {result.n_topics} topics, {result.n_resamples} pairs of disjoint sets of topics "
        "for each size. Needed is the lower end of a bin, from which on curves fitted to these sets have swap "
        f"rates of at most {result.max_rate:.0%}. Swap rates with new topics, and in other bins, need other "
        "differences."
    )
    return replace(table, notes=(note,))


@table_of.register
def stability_table(result: StabilityResult) -> Table:
    """One row per fuzziness."""
    names = ("fuzziness", "minority_rate", "proportion_of_ties")
    columns = (listed(name, NUMBER, getattr(result, name), name.replace("_", " ")) for name in names)
    note = (
        f"{WHICH_TOPICS[result.of]} {result.n_pairs} pairs of {result.n_systems} systems, {result.n_topics} topics; "
        f"{result.n_resamples} samples of {result.topic_set_size}. Minority rate: the share of comparisons that the "
        "system wins which is worse over all topics; with resamples and halves, that which wins less often. Ties: "
        "relative differences below the fuzziness."
    )
    return Table(tuple(columns), range(len(result.fuzziness)), notes=(note,))
