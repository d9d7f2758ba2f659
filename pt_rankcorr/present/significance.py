"""How tests of systems, what a measure tells apart, swap rates and stability are shown."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.present.generic import facts_of, in_a_line, table_of
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.ordering import clearest_first
from pt_rankcorr.stats.core.types import Flags, Floats, Labels
from pt_rankcorr.stats.significance.bootstrap import BootstrapTestResult
from pt_rankcorr.stats.significance.other_topics import WHICH_TOPICS
from pt_rankcorr.stats.significance.pairwise import CORRECTIONS, TukeyResult, title_of
from pt_rankcorr.stats.significance.power import (
    POWER,
    DiscriminativePowerResult,
    SignificantAgreementResult,
    TopicsToDetect,
)
from pt_rankcorr.stats.significance.stability import StabilityResult
from pt_rankcorr.stats.significance.swap import PUBLISHED_EDGES, SwapCurveResult, SwapRatesResult
from pt_rankcorr.tables import (
    NUMBER,
    PERCENT,
    PVALUE,
    WORD,
    Column,
    Table,
    facts,
    listed,
    of_values,
)
from pt_rankcorr.text import decimals, percent


@table_of.register
def bootstrap_test_table(result: BootstrapTestResult) -> Table:
    """The single values, and whose test it is."""
    whose = {
        "paired": "The paired test of Sakai (2006).",
        "separate": "Each system is resampled alone; the unpaired test of Sakai (2006) resamples "
        "both together, which is method='published'.",
        "published": "The unpaired test of Sakai (2006): both systems are resampled together.",
    }
    asl = "The p-value is (b + 1) / (B + 1), and asl is the b / B of the paper."
    note = f"{whose[result.method]} {asl}"
    return Table(facts_of(result), [result], upright=True, notes=(note,))


@table_of.register
def tukey_table(result: TukeyResult) -> Table:
    """One row per tested pair, better system first: difference, p-value; clearest pairs first."""
    table = _pair_table(result.systems, result.differences, result.pvalues)
    return replace(table, notes=(in_a_line(result),))


@table_of.register
def discriminative_power_table(result: DiscriminativePowerResult) -> Table:
    """One row per pair, better system first: difference, p-value; clearest pairs first."""
    needed = decimals(result.required_difference, 3)
    detected = decimals(result.detectable_difference, 3)
    fragile = f" ({result.n_fragile} fragile)" if result.n_fragile else ""
    answer = (
        f"{percent(result.statistic)} of {result.n_pairs} pairs of systems differ significantly"
        f"{fragile}; difference needed {needed}, difference detected {detected}."
    )
    texts = [
        f"{result.n_pairs} pairs of {result.n_systems} systems, {result.n_topics} topics.",
        f"Significant: p <= {decimals(result.alpha)}, {result.title}.",
    ]
    if result.n_fragile:
        texts.append(
            "Fragile: with one topic more on which the pair differs the other way, by half of what "
            "a typical pair differs at most on one, t would be below the bound of a single pair."
        )
    if result.correction is not None:
        texts.append(f"The correction bounds {CORRECTIONS[result.correction].control}.")
    texts.append(
        "Difference needed: one on these topics beyond which every pair is significant, "
        "an estimate."
    )
    if math.isinf(result.required_difference) and result.test == "max-t":
        no_pair = "no pair can be significant by this test"
        texts.append(f"It is inf: on {result.n_topics} topics {no_pair}.")
    elif result.required_pair is not None and math.isinf(result.required_difference):
        pair = listing(result.required_pair)
        texts.append(f"It is inf, as too few resamples of {pair} vary: take test='t'.")
    texts.append(
        "Difference detected: a true one that this test finds on as many topics with a probability "
        f"of {decimals(POWER)}, in a pair of typical spread."
    )
    differences = result.summaries[:, np.newaxis] - result.summaries
    table = _pair_table(result.systems, differences, result.pvalues, result.alpha, result.fragile)
    return replace(table, answer=answer, notes=(" ".join(texts),))


@facts_of.register
def discriminative_power_facts(result: DiscriminativePowerResult) -> tuple[Column[Any], ...]:
    """The pairs that the measure can tell apart; the method, where there is room."""
    columns = {column.name: replace(column, wide=True) for column in facts(result.to_dict())}
    titles = {
        "statistic": "pairs significant",
        "required_difference": "difference needed",
        "detectable_difference": "difference detected",
    }
    for name, title in titles.items():
        columns[name] = replace(columns[name], title=title, wide=False)
    columns["statistic"] = replace(columns["statistic"], kind=PERCENT)
    return tuple(columns.values())


@table_of.register
def significant_agreement_table(result: SignificantAgreementResult) -> Table:
    """The single values, below how many significant pairs keep their order."""
    share, *others = facts_of(result)
    columns = (replace(share, title="share of pairs", kind=PERCENT), *others)
    answer = (
        f"The ranking orders {result.n_agreed:g} of {result.n_significant} pairs that differ "
        "significantly by the reference as it does."
    )
    return Table(columns, [result], answer=answer, upright=True)


def _pair_table(
    systems: Labels,
    differences: Floats,
    pvalues: Floats,
    alpha: float = ALPHA,
    fragile: Flags | None = None,
) -> Table:
    """One row a pair with a known p-value, better system first, by p-value and then difference.

    Differences (row less column), p-values and flags are of shape (n_systems, n_systems).
    """
    better, worse = clearest_first(differences, pvalues)
    names = np.array(systems, dtype=object)
    is_small = pvalues[better, worse] <= alpha
    columns = [
        listed("system", WORD, names[better]),
        listed("other", WORD, names[worse]),
        listed("difference", NUMBER, differences[better, worse]),
        listed("p-value", PVALUE, pvalues[better, worse], strong=is_small.__getitem__),
    ]
    if fragile is not None:
        columns.append(listed("fragile", WORD, fragile[better, worse]))
    return Table(tuple(columns), range(len(better)))


@table_of.register
def topics_to_detect_table(result: TopicsToDetect) -> Table:
    """The single values, below the number of topics that the test needs."""
    difference, detected = decimals(result.difference, 3), decimals(result.detectable_difference, 3)
    test = title_of(result.test, result.correction)
    answer = (
        f"{result.topics_needed:.0f} topics detect a true difference of {difference} with a "
        f"probability of {decimals(result.power)} ({test}; a pair of typical spread among "
        f"{result.n_systems} systems); {result.n_topics} topics detect {detected}."
    )
    return Table(facts_of(result), [result], answer=answer, upright=True)


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
        f"{WHICH_TOPICS[result.of]}{bins} {result.n_pairs} pairs of {result.n_systems} systems, "
        f"{result.n_topics} topics; "
        f"{result.n_resamples} pairs of samples of {result.topic_set_size} topics."
    )
    return replace(of_values({NUMBER: columns}), answer=_required_difference(result), notes=(note,))


def _required_difference(result: SwapRatesResult) -> str:
    """The difference from which few comparisons are reversed, and how many reach it."""
    reversals = f"other topics reverse at most {result.max_rate:.0%} of comparisons"
    if math.isnan(result.required_difference):
        return f"No difference is so large that {reversals}."
    share = f"{percent(result.relative_difference)} of the largest value"
    return (
        f"From a difference of {result.required_difference:.3g} on, {share}, {reversals}; "
        f"{percent(result.sensitivity)} of comparisons reach it."
    )


@table_of.register
def swap_curve_table(result: SwapCurveResult) -> Table:
    """One row per size of topic sets and bin with comparisons."""
    rows, bins = np.nonzero(result.counts)  # of shape (n_sizes, n_bins)
    columns = {
        "topics": result.topic_set_sizes[rows].astype(int),
        "difference from": result.edges[bins],
        "comparisons": result.counts[rows, bins],
        "swapped": result.swaps[rows, bins],
        "rate": result.rates[rows, bins],
    }
    note = (
        f"{result.n_systems} systems, {result.n_topics} topics, "
        f"{result.n_resamples} pairs of disjoint sets of topics for each size. "
        "Needed is the lower end of a bin, from which on curves fitted to these sets have swap "
        f"rates of at most {result.max_rate:.0%}. "
        "Swap rates with new topics, and in other bins, need other differences."
    )
    return replace(of_values({NUMBER: columns}), notes=(note,))


@table_of.register
def stability_table(result: StabilityResult) -> Table:
    """One row per fuzziness."""
    columns = (
        listed("fuzziness", NUMBER, result.fuzziness),
        listed("minority_rate", NUMBER, result.minority_rate, "minority rate"),
        listed("proportion_of_ties", NUMBER, result.proportion_of_ties, "proportion of ties"),
    )
    note = (
        f"{WHICH_TOPICS[result.of]} {result.n_pairs} pairs of {result.n_systems} systems, "
        f"{result.n_topics} topics; {result.n_resamples} samples of {result.topic_set_size}. "
        "Minority rate: the share of comparisons that the system wins which is worse over all "
        "topics; with resamples and halves, that which wins less often. "
        "Ties: relative differences below the fuzziness."
    )
    return Table(columns, range(len(result.fuzziness)), notes=(note,))
