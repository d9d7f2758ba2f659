"""Sentences about the figures: the answers in short, where not to trust them, and how a paper reports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr import __version__
from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.leaderboards import ALIKE
from pt_rankcorr.comparison.table import ALONE, RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.reporting.findings import CollectionFindings, Findings, JudgeFindings
from pt_rankcorr.reporting.references import cited
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.registry import headlines
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.rank_distance.null import ENOUGH
from pt_rankcorr.stats.significance.pairwise import TESTS
from pt_rankcorr.text import D_RANK, TAU, TAU_AP, d_rank_by, decimals, in_a_sentence, is_borderline, p_equals

MOST = 4  # judges of which it says whom they favour
FEW_TOPICS = 25
FEW_RESAMPLES = 1000
# of pairs significant: on 50 topics of Robust 2004, random systems were above, those adjacent in rank hardly ever
CLOSE = 0.15


# --- in short: do two rank alike, could one order be the true one, which is best, and which judge is biased? ---


class Question(NamedTuple):
    """What is asked, the attributes of a row that answer it, and what is said before those of either answer."""

    text: str
    pvalue: str
    is_no: str
    no: str
    yes: str


class Asked(NamedTuple):
    """A ranking of which it is asked: where, "" where there is one place only, and what it is called."""

    where: str
    name: str
    row: RankingAgreement


# how the columns that answer the first question are read
OVER_ALL_TOPICS = (
    "The topic population is all topics of which these are a sample. p (same true ranking) is small "
    "where the choice of topics does not explain all disagreement; an interval that reaches 1 all the same says that "
    "errors may be too small to change the order."
)
QUESTIONS = (
    Question(
        "Do {others}, in the topic population, rank the systems as {trusted} does?",
        "one_ranking",
        "rules_out_one_ranking",
        "The choice of topics is not enough to explain how these differ",
        "These may",
    ),
    Question(
        "Could their order on these topics be the true ranking by {trusted}?",
        "pvalue",
        "is_different",
        f"By {D_RANK}, these could not",
        "These could",
    ),
)


def answers(asked: Sequence[Asked], others: str, trusted: str) -> Iterator[str]:
    """A paragraph for each question that the rows can answer, the last also on what ties all systems."""
    ranked = [each for each in asked if each.row.is_defined]
    tied = [each.name for each in asked if not each.row.is_defined]
    without = [f"There is no ranking to compare where all systems are tied: {in_a_sentence(tied)}."] if tied else []
    found = []
    for question in QUESTIONS:
        parts = [*_answer(question, [each for each in ranked if getattr(each.row, question.pvalue) is not None])]
        if parts:
            found.append([question.text.format(others=others, trusted=trusted), *parts])
    return filter(None, map(" ".join, [*found[:-1], [*(found[-1] if found else []), *without]]))


def _answer(question: Question, asked: Sequence[Asked]) -> Iterator[str]:
    """Those of which the answer is no, then the others, each with its p-value."""
    for said, is_no in ((question.no, True), (question.yes, False)):
        found: dict[str, list[str]] = {}
        for where, name, row in asked:
            if getattr(row, question.is_no) == is_no:
                found.setdefault(where, []).append(f"{name} ({p_equals(getattr(row, question.pvalue))})")
        if found:
            texts = (
                f"{where}: {in_a_sentence(names)}" if where else in_a_sentence(names) for where, names in found.items()
            )
            yield f"{said}: {'; '.join(texts)}."


def place(found: CollectionFindings) -> str:
    """The name of the collection, if it has one."""
    return "" if found.name == ALONE else found.name


def prefix(found: CollectionFindings) -> str:
    """Where, before a sentence."""
    return f"{place(found)}: " if place(found) else ""


def verdicts(findings: Findings) -> tuple[str, ...]:
    """At most five paragraphs: on judges or else measures, on the best systems, and on other topics."""
    collections = findings.collections
    of_best = " ".join(f"{prefix(found)}{_best(found)}" for found in collections)
    of_topics = " ".join(f"{prefix(found)}{_other_topics(found)}" for found in collections)
    if findings.judges is not None:
        return (*_of_judges(findings.judges), f"{of_best} {of_topics}")
    references = {found.reference for found in collections}
    asked = [Asked(place(found), row.measure, row) for found in collections for row in found.agreements]
    trusted = references.pop() if len(references) == 1 else "the reference"
    return (*answers(asked, "other measures", trusted), of_best, of_topics)


def _best(found: CollectionFindings) -> str:
    best, sure = found.best, f"By {found.reference}, with {found.best.level:.0%} confidence"
    if len(best.systems) == best.n_systems:
        return f"{sure}, any of the {best.n_systems} systems may be the best."
    if len(best.systems) == 1:
        return f"{sure}, {best.systems[0]} is the best of the {best.n_systems} systems."
    names = f"{len(best.systems)}: {in_a_sentence(best.systems)}"
    return f"{sure}, the best of the {best.n_systems} systems is one of {names}."


def _other_topics(found: CollectionFindings) -> str:
    expected = found.expected[found.reference]
    if np.isnan(expected.value):
        return f"{found.reference} ties all systems."
    low, high = expected.confidence_interval(LEVEL)
    return (
        f"Other topics would change the ranking by {found.reference}, too: its expected {TAU_AP} with the true ranking "
        f"is {decimals(expected.value)} ({LEVEL:.0%} interval {decimals(low)} to {decimals(high)})."
    )


# --- of judges ----------------------------------------------------------------------------------------------


def _of_judges(found: JudgeFindings) -> Iterator[str]:
    """Which judges may be the best; the answers to both questions; and who favours whom."""
    several = len(found.pairs) > 1
    best: dict[str, list[str]] = {}
    for pair in found.pairs:
        if pair.ranking is not None:
            best.setdefault(_best_judges(pair.ranking), []).append(pair.title)
    if best:
        answers_of = (f"{in_a_sentence(titles)}: " * several + answer for answer, titles in best.items())
        sure = f"with {1.0 - found.comparison.settings.alpha:.0%} confidence"
        yield f"In the topic population, by {TAU} with the reference judge, {sure}: {'; '.join(answers_of)}."
    asked = (Asked(pair.title * several, row.judge, row) for pair in found.pairs for row in pair.rows)
    yield from answers([*asked], "the judges", "the reference judge")
    if found.bias is not None:
        yield " ".join(_favours(found.bias, found.comparison.settings.alpha, several=several))


def _best_judges(ranking: JudgeRanking) -> str:
    best, n_judges = ranking.may_be_best, len(ranking.judges)
    if len(best) == n_judges:
        return f"each of the {n_judges} judges may be the best"
    one = best[0] if len(best) == 1 else f"one of {len(best)}: {in_a_sentence(best)}"
    return f"the best of the {n_judges} judges is {one}"


def _favours(bias: JudgeBias, alpha: float, *, several: bool) -> Iterator[str]:
    frame = bias.groups
    partial_ones = frame[frame["kind corrected"] <= alpha]
    for row in partial_ones[:MOST].to_dict("records"):
        how = "favours" if row["score shift"] > 0 else "disfavours"
        by = f" by {row['measure']}" if several else ""
        yield (
            f"{row['judge']} {how} runs such as those of the group {row['group']}{by}: "
            f"{_places(row['score shift'], row)} of score, beyond what the reference sees in them "
            f"({p_equals(row['kind corrected'])}, corrected)."
        )
    if len(partial_ones) > MOST:
        yield f"The table has {len(partial_ones) - MOST} more."
    if partial_ones.empty:
        yield f"No judge is found to favour {'a' if len(set(frame['group'])) > 1 else 'the'} group."
    if bias.apart and not bias.same_scale:
        yield f"Whether judges favour {listing(bias.apart)} cannot be told apart from its quality."


def _places(value: float, row: Mapping[Any, Any]) -> str:
    """A shift with as many digits as its interval has use for."""
    width = row["score shift high"] - row["score shift low"]
    places = int(np.clip(1 - np.floor(np.log10(width)), 1, 6)) if width > 0.0 else 3
    return decimals(value, places)


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
COVARIANCES = {
    "ledoit-wolf": "with Ledoit and Wolf's (2004) estimate of the covariance of systems",
    "sample": "with the sample covariance of systems",
}


def _methods(findings: Findings) -> str:
    precision = (
        f"The expected {TAU_AP} of a ranking with the true one (Urbano and Marrero 2016; our estimate is the mean over "
        "draws of the true means, by an empirical Bayes model) says how far the topics determine it."
    )
    if findings.comparison is None:
        return precision
    settings = findings.comparison.settings
    null = NULLS.get(settings.null, f', by the null hypothesis "{settings.null}"')
    covariance = COVARIANCES[str(settings.covariance)]
    ties = ", with ties averaged over all ways of breaking them" if settings.shown == headlines() else ""
    return (
        f"We compared rankings of systems by {in_a_sentence([*map(_cited, settings.shown)])}{ties}, and by {D_RANK} "
        f"(Carterette 2009), {covariance}. We tested {D_RANK} with up to {settings.n_resamples} bootstrap samples of "
        f"topics{null}. Correlations in the topic population are medians of draws of the true means, with "
        f"{settings.level:.0%} intervals; the test of one true ranking asks whether the choice of topics explains all "
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
    one = "" if row.one_ranking is None else f" (test of one true ranking: {p_equals(row.one_ranking)})"
    order = "could not" if row.is_different else "could"
    distance = f"{d_rank_by(row.settings.covariance, D_RANK)} = {decimals(row.d_rank)}"
    return (
        f"{row.measure} had {values} with {row.reference}{one}; its order {order} be the true ranking by "
        f"{row.reference} ({distance}, {p_equals(row.pvalue)})."
    )


def _judges(found: JudgeFindings) -> str:
    """Which judges were compared, and how."""
    methods = (
        "We compared judges with the reference judge by the correlations of their rankings in the topic population, "
        f"with {found.comparison.settings.level:.0%} intervals, and tested all pairs of judges over draws of the true "
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
    return f"{value} ({estimate} in the topic population, {low} to {high})"
