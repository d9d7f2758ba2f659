"""What the figures mean, in sentences: for the reader, for a paper, and where not to trust them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from pt_rankcorr import __version__
from pt_rankcorr.comparison._shown import decimals, pvalue
from pt_rankcorr.comparison.measures import MeasureAgreement
from pt_rankcorr.reporting.document import D_RANK, TAU, TAU_AP, TAU_GAP
from pt_rankcorr.reporting.findings import ALONE, ALPHA, LEVEL, CollectionFindings, Findings
from pt_rankcorr.stats.checks import listing

FEW_TOPICS = 25
FEW_RESAMPLES = 1000
# of pairs significant: on 50 topics of Robust 2004, systems adjacent in rank were always below, random ones above
CLOSE = 1 / 3


def p_equals(value: float) -> str:
    """A p-value in a sentence."""
    text = pvalue(value)
    return f"p\u00a0<\u00a0{text[1:]}" if text.startswith("<") else f"p\u00a0=\u00a0{text}"


def joined(names: tuple[str, ...]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def on(found: CollectionFindings) -> str:
    """Where, if the collection has a name."""
    return "" if found.name == ALONE else f"{found.name}: "


# --- for the reader -----------------------------------------------------------------------------------


def verdicts(found: CollectionFindings) -> tuple[str, ...]:
    """One sentence a measure, and one on the topics."""
    return (*(_verdict(row, found) for row in found.agreements), _luck(found))


def _verdict(row: MeasureAgreement, found: CollectionFindings) -> str:
    ranking, p = row.ranking, p_equals(row.ranking.pvalue)
    if np.isnan(ranking.pvalue):
        return f"{row.measure} or {row.baseline} ties all systems, so that there is nothing to compare."
    if ranking.pvalue > ALPHA:
        return (
            f"{row.measure} ranks these {row.n_systems} systems as {row.baseline} does, as far as {row.n_topics} "
            f"topics can tell ({p}, {TAU_AP} = {decimals(ranking.tau_ap, 2)})."
        )
    swap = found.swaps.get(row.measure)
    which = f" The swap that costs most, {swap.share:.0%}: {swap.worse} above {swap.better}." if swap else ""
    return (
        f"{row.measure} ranks these {row.n_systems} systems differently from {row.baseline}, by more than the luck of "
        f"{row.n_topics} topics ({p}, {TAU_AP} = {decimals(ranking.tau_ap, 2)}).{which}"
    )


def _luck(found: CollectionFindings) -> str:
    expected = found.expected[found.reference]
    if np.isnan(expected.value):
        return f"{found.reference} ties all systems."
    low, high = expected.confidence_interval(LEVEL)
    return (
        f"With other topics the ranking by {found.reference} would change as well: its expected {TAU_AP} with the true "
        f"ranking is {decimals(expected.value, 2)} ({LEVEL:.0%} interval {decimals(low, 2)} to {decimals(high, 2)})."
    )


# --- where not to trust ---------------------------------------------------------------------------------


def doubts(findings: Findings) -> tuple[str, ...]:
    """Where a figure should not be trusted, and why."""
    of_collections = (f"{on(found)}{doubt}" for found in findings.collections for doubt in _doubts(found))
    few = findings.n_resamples < FEW_RESAMPLES and findings.comparison is not None
    resamples = f"No p-value of {findings.n_resamples} resamples can be below {1 / (findings.n_resamples + 1):.2g}."
    return (*of_collections, *([resamples] if few else []), *findings.warnings)


def _doubts(found: CollectionFindings) -> Iterator[str]:
    alignment, n_topics = found.scores.alignment, len(found.scores.topics)
    if n_topics < FEW_TOPICS:
        yield (
            f"{n_topics} topics are few: intervals come out too narrow. In simulations with 10 topics, 95% intervals "
            f"of {TAU_AP} covered the actual one in 84 to 95% of cases."
        )
    power = found.sensitivity[found.reference].statistic
    if found.agreements and power < CLOSE:
        yield (
            f"Only {power:.0%} of the pairs of systems differ significantly by {found.reference}. Among systems as "
            f"close as these the test of {D_RANK} rejects true rankings too often: 8 to 24% in simulations, at a "
            'level of 5%. Where a p-value is near 0.05, go by that of pt_rankcorr.compare, whose null, "constrained", '
            "does so in 3 to 9%."
        )
    yield from (_borderline(row) for row in found.agreements if _is_borderline(row))
    ties = Counter(found.scores[found.reference].means.tolist())
    tied = sum(count for count in ties.values() if count > 1)
    if tied:
        yield f"{tied} systems share their mean {found.reference} with another one."
    for measure, places in alignment.rounded.items():
        yield f"{measure} looks rounded to {places} decimals: systems that differ may appear tied."
    if alignment.filled:
        yield f"Topics without a score count as 0 for {listing(alignment.filled)}."


def _is_borderline(row: MeasureAgreement) -> bool:
    return bool(abs(row.ranking.pvalue - ALPHA) < 2 * row.ranking.pvalue_standard_error)


def _borderline(row: MeasureAgreement) -> str:
    ranking = row.ranking
    return (
        f"{row.measure} against {row.baseline}: p = {decimals(ranking.pvalue, 3)} ± "
        f"{decimals(ranking.pvalue_standard_error, 3)} is too near {ALPHA:g} to call; use more resamples."
    )


# --- for a paper ------------------------------------------------------------------------------------------


def for_a_paper(findings: Findings) -> str:
    """A paragraph to paste, with the variants of all statistics."""
    parts = [_how(findings), *(_what(found) for found in findings.collections)]
    return " ".join([*parts, f"All statistics were computed with pt_rankcorr {__version__} (seed {findings.seed})."])


def _how(findings: Findings) -> str:
    precision = (
        f"By the expected {TAU_AP} with the true ranking (Urbano and Marrero 2016, MSQD estimator) we say how much the "
        "topics determine a ranking; systems are ranked by mean scores."
    )
    if findings.comparison is None:
        return precision
    return (
        f"We compare rankings of systems by Kendall's {TAU}, {TAU_AP} (Yilmaz et al. 2008) and {TAU_GAP} (Gao and Oard "
        f"2015), where ties are averaged over all ways of breaking them, and by {D_RANK} (Carterette 2009), tested "
        f"with {findings.n_resamples} bootstrap samples of topics, with the covariance of systems estimated anew in "
        f'each by Ledoit and Wolf\'s (2004) shrinkage (null "refit"). {precision}'
    )


def _what(found: CollectionFindings) -> str:
    n_systems, n_topics = len(found.scores.systems), len(found.scores.topics)
    expected = found.expected[found.reference]
    where = "" if found.name == ALONE else f"On {found.name}, "
    of_reference = (
        f"{where}{n_systems} systems were ranked over {n_topics} topics; the ranking by {found.reference} has an "
        f"expected {TAU_AP} of {decimals(expected.value, 2)} with the true one."
    )
    return " ".join([of_reference, *(_agreement(row) for row in found.agreements)])


def _agreement(row: MeasureAgreement) -> str:
    ranking = row.ranking
    differs = "differs" if ranking.pvalue <= ALPHA else "does not differ"
    if np.isnan(ranking.pvalue):
        return f"The ranking by {row.measure} could not be compared with that by {row.baseline}."
    return (
        f"The ranking by {row.measure} {differs} significantly from that by {row.baseline} "
        f"({D_RANK} = {decimals(ranking.d_rank, 2)}, {p_equals(ranking.pvalue)}; {TAU} = {decimals(ranking.tau, 2)}, "
        f"{TAU_AP} = {decimals(ranking.tau_ap, 2)}, {TAU_GAP} = {decimals(ranking.tau_gap, 2)})."
    )
