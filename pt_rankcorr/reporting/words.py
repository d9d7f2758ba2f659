"""Sentences about the figures: where not to trust them, and how a paper reports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pt_rankcorr import __version__
from pt_rankcorr.comparison.of_judges import ALIKE
from pt_rankcorr.comparison.table import ALONE, RankingAgreement
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.numbers import decimals, is_borderline, p_equals
from pt_rankcorr.reporting.findings import CollectionFindings, Findings, JudgeFindings
from pt_rankcorr.reporting.questions import prefix
from pt_rankcorr.reporting.references import cited
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.registry import headlines
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.rank_distance.sequential import ENOUGH
from pt_rankcorr.stats.significance.pairwise import TESTS
from pt_rankcorr.tables.grid import D_RANK, TAU, TAU_AP
from pt_rankcorr.text import in_a_sentence

FEW_TOPICS = 25
FEW_RESAMPLES = 1000
# of pairs significant: on 50 topics of Robust 2004, random systems were above, those adjacent in rank hardly ever
CLOSE = 0.15


# --- where not to trust ---------------------------------------------------------------------------------


def doubts(findings: Findings) -> tuple[str, ...]:
    """Where a figure should not be trusted, and why."""
    of_collections = (f"{prefix(found)}{doubt}" for found in findings.collections for doubt in _doubts(found))
    few = findings.n_resamples < FEW_RESAMPLES and findings.comparison is not None
    resamples = f"No p-value of {findings.n_resamples} resamples can be below {1 / (findings.n_resamples + 1):.2g}."
    of_judges = [] if findings.judges is None else _doubts_of_judges(findings.judges)
    return (*of_collections, *of_judges, *([resamples] if few else []), *findings.warnings)


def _doubts(found: CollectionFindings) -> Iterator[str]:
    alignment, n_topics = found.scores.alignment, len(found.scores.topics)
    if n_topics < FEW_TOPICS:
        yield f"{n_topics} topics are few: intervals are too narrow."
    power = found.sensitivity[found.reference]
    if found.agreements and power.statistic < CLOSE:
        share = f"Only {power.n_significant} of the" if power.n_significant else "None of the"
        yield (
            f"{share} {power.n_pairs} pairs of systems differ significantly by {found.reference}. Among systems as "
            f"close as these the test of {D_RANK} finds few differences, and where their true means are equal it "
            "rejects true rankings somewhat too often."
        )
    near = (row for row in found.agreements if is_borderline(row.pvalue, row.pvalue_standard_error, ALPHA))
    yield from map(_borderline, near)
    ties = Counter(found.scores[found.reference].means.tolist())
    tied = sum(count for count in ties.values() if count > 1)
    if tied:
        yield f"{tied} systems share their mean {found.reference} with another one."
    for measure, places in alignment.rounded.items():
        yield f"{measure} looks rounded to {places} decimals: systems that differ may appear tied."
    if alignment.filled:
        yield f"Topics without a score count as 0 for {listing(alignment.filled)}."


def _borderline(row: RankingAgreement) -> str:
    """More resamples than it takes to find enough beyond the distance would not be drawn."""
    enough = round(ENOUGH / ALPHA)
    more = f" Use {enough} resamples." if row.settings is not None and row.settings.n_resamples < enough else ""
    return (
        f"{row.measure} against {row.reference}: {p_equals(row.pvalue)} ± {decimals(row.pvalue_standard_error, 3)} is "
        f"too near {ALPHA:g} to decide.{more}"
    )


def _doubts_of_judges(found: JudgeFindings) -> Iterator[str]:
    """Topics and judges that were left out, labels that distort rankings, and judges that cannot be compared."""
    if 1 < len(found.pairs) == len(found.comparison):
        yield f"Judges are not compared with each other.{ALIKE}"
    dropped = found.comparison.dropped_topics
    if dropped:
        yield f"Not all judges have the topics {listing(dropped)}: {len(dropped)} are left out of their comparison."
    if found.comparison.failed:
        yield f"{found.comparison.failures}."
    if found.comparison.hygiene is not None:
        yield from (f"Labels of {doubt}." for doubt in found.comparison.hygiene.doubts())


# --- for a paper ------------------------------------------------------------------------------------------


def for_a_paper(findings: Findings) -> str:
    """A paragraph to paste, with the variants of all statistics."""
    parts = [_methods(findings), *(_results(found) for found in findings.collections)]
    parts += [] if findings.judges is None else [_judges(findings.judges)]
    return " ".join([*parts, f"All statistics were computed with pt_rankcorr {__version__} (seed {findings.seed})."])


NULLS = {  # under which hypothesis topics are resampled
    "shrunken": ", drawn from scores that were shifted to make the tested ranking the true one, with the mean scores "
    "moved closer together, as sampling errors drive measured ones apart",
}
COVARIANCES = {"ledoit-wolf": ", with Ledoit and Wolf's (2004) estimate of the covariance of systems"}


def _methods(findings: Findings) -> str:
    precision = (
        f"The expected {TAU_AP} of a ranking with the true one (Urbano and Marrero 2016; our estimate is the mean over "
        "draws of the true means, by an empirical Bayes model) says how far the topics determine it."
    )
    if findings.comparison is None:
        return precision
    settings = findings.comparison.settings
    null = NULLS.get(settings.null, f', by the null hypothesis "{settings.null}"')
    covariance = COVARIANCES.get(settings.covariance, "")
    ties = ", with ties averaged over all ways of breaking them" if settings.shown == headlines() else ""
    return (
        f"We compared rankings of systems by {in_a_sentence([*map(_cited, settings.shown)])}{ties}, and by {D_RANK} "
        f"(Carterette 2009). We tested {D_RANK} with up to {settings.n_resamples} bootstrap samples of "
        f"topics{null}{covariance}. Correlations over all topics are medians of draws of the true means, with "
        f"{settings.level:.0%} intervals; the test of one ranking asks whether the choice of topics explains all "
        f"disagreement. P-values of rankings are not corrected for their number. {precision}"
    )


def _cited(coefficient: Coefficient) -> str:
    paper = cited(coefficient.citation)
    return f"{coefficient.symbol} ({paper})" if paper else coefficient.symbol


def _results(found: CollectionFindings) -> str:
    n_systems, n_topics = len(found.scores.systems), len(found.scores.topics)
    expected = found.expected[found.reference]
    where = "" if found.name == ALONE else f"On {found.name}, "
    of_reference = (
        f"{where}{found.reference} ranked {n_systems} systems over {n_topics} topics, with an expected {TAU_AP} of "
        f"{decimals(expected.value)} with the true ranking."
    )
    return " ".join([of_reference, _differences(found), *(_agreement(row) for row in found.agreements)])


def _differences(found: CollectionFindings) -> str:
    """How many pairs of systems differ, and which may be the best."""
    power, best = found.sensitivity[found.reference], found.best
    pairs = (
        f"{power.n_significant} of the {power.n_pairs} pairs of systems differed significantly "
        f"({TESTS[power.test].full_title}, p <= {decimals(power.alpha)})"
    )
    if len(best.systems) == 1:
        return f"{pairs}; {best.systems[0]} was the best with {best.level:.0%} confidence."
    return f"{pairs}; with {best.level:.0%} confidence the best was one of {len(best.systems)} (Mogstad et al. 2024)."


def _agreement(row: RankingAgreement) -> str:
    """What its coefficients are, and the answers to both questions."""
    if not row.is_defined:
        return f"The ranking by {row.measure} could not be compared with that by {row.reference}."
    shown = headlines() if row.settings is None else row.settings.shown
    values = in_a_sentence([f"{each.symbol} = {with_estimate(row, each.name)}" for each in shown])
    one = "" if row.one_ranking is None else f" (test of one ranking: {p_equals(row.one_ranking)})"
    order = "could not" if row.is_different else "could"
    return (
        f"{row.measure} had {values} with {row.reference}{one}; its order {order} be the true one by {row.reference} "
        f"({D_RANK} = {decimals(row.d_rank)}, {p_equals(row.pvalue)})."
    )


def _judges(found: JudgeFindings) -> str:
    """Which judges were compared, and how."""
    methods = (
        "We compared judges with the reference judge by the correlations of their rankings over all topics, with "
        f"{found.comparison.settings.level:.0%} intervals, and tested all pairs of judges over draws of the true "
        "means, corrected by the stepwise test of Romano and Wolf (2005). "
        f"{D_RANK} of judges has up to {found.comparison.settings.n_resamples} bootstrap samples."
    )
    ranked = [(pair.title, row) for pair in found.pairs for row in pair.rows if row.is_defined]
    results = (f"{row.judge} ({title}) had with it a {TAU} of {with_estimate(row, 'tau')}." for title, row in ranked)
    return " ".join([methods, *results])


def with_estimate(row: RankingAgreement, coefficient: str) -> str:
    """A coefficient on these topics and, where it is known, over all."""
    value = decimals(row.coefficients[coefficient])
    if coefficient not in row.estimates:
        return value
    estimate, low, high = map(decimals, row.estimates[coefficient])
    return f"{value} ({estimate} over all topics, {low} to {high})"
