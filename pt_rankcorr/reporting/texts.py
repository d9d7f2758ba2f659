"""Sentences on figures: the answers in short, where not to trust them, how a paper reports them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from pt_rankcorr import __version__, text
from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judge_comparison import ALIKE, JudgeComparison
from pt_rankcorr.comparison.rows import RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.present.accuracy import doubt_about_tiers
from pt_rankcorr.present.comparison import value_of
from pt_rankcorr.reporting.data import CollectionData, ReportData
from pt_rankcorr.reporting.document import resource
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, headlines
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.design import ARE_FEW
from pt_rankcorr.text import D_RANK, confidence, d_rank_by, decimals, in_a_sentence, p_equals

# their symbols, for sentences
tau, tau_ap, tau_gap = (COEFFICIENTS[name].symbol for name in ("tau", "tau_ap", "tau_gap"))


# --- in short: do they rank alike, which system is best, and which judge is biased? ---------------


def verdicts(data: ReportData) -> tuple[str, ...]:
    """At most five paragraphs: on judges or else measures, on the best systems, on other topics."""
    best, other_topics = _lines(data, _best), _lines(data, _other_topics)
    if data.judges is not None:
        return (*_of_judges(data, data.judges), f"{best} {other_topics}")
    references = {collection.reference for collection in data.collections}
    trusted = references.pop() if len(references) == 1 else "the reference"
    rows = [(each.place, row.measure, row) for each in data.collections for row in each.agreements]
    return (*filter(None, [_same_ranking(rows, trusted)]), best, other_topics)


def _same_ranking(rows: Sequence[tuple[str, str, RankingAgreement]], trusted: str) -> str:
    """A paragraph on whether measures or judges may share one true ranking with the reference.

    "" without rows. These come with their place, such as a collection, or "" if there is only one,
    and the name of what they rank by.
    """
    sentences: list[str] = []
    how = f"how these rank the systems otherwise than {trusted}"
    answers = {True: "Noise of topics alone does not explain", False: "Noise of topics may explain"}
    for rules_out, answer in answers.items():
        names_by_place: dict[str, list[str]] = {}
        for place, name, row in rows:
            if not math.isnan(row.pvalue) and row.rules_out_one_ranking == rules_out:
                names_by_place.setdefault(place, []).append(f"{name} ({p_equals(row.pvalue)})")
        if names_by_place:
            names_in = {place: in_a_sentence(names) for place, names in names_by_place.items()}
            parts = [f"{place}: " * bool(place) + names for place, names in names_in.items()]
            caution = "" if rules_out else " A large p does not show that both rank alike."
            sentences.append(f"{answer} {how}: {'; '.join(parts)}.{caution}")
            how = "how these do"
    if tied := [name for _, name, row in rows if not row.is_defined]:
        names = in_a_sentence(tied)
        sentences.append(f"There is no ranking to compare where all systems are tied: {names}.")
    return " ".join(sentences)


def _best(collection: CollectionData) -> Iterator[str]:
    """A sentence on which systems may be the best by the reference measure."""
    best = collection.best
    sure = f"By {collection.reference}, with {confidence(best.level)} confidence"
    if len(best.systems) == best.n_systems:
        yield f"{sure}, any of the {best.n_systems} systems may be the best."
    elif len(best.systems) == 1:
        yield f"{sure}, {best.systems[0]} is the best of the {best.n_systems} systems."
    else:
        names = f"{len(best.systems)}: {in_a_sentence(best.systems)}"
        yield f"{sure}, the best of the {best.n_systems} systems is one of {names}."


def _other_topics(collection: CollectionData) -> Iterator[str]:
    """A sentence on how near the ranking by the reference is to that in the topic population."""
    expected = collection.expected[collection.reference]
    if np.isnan(expected.value):
        yield f"{collection.reference} ties all systems."
        return
    low, high = map(decimals, expected.confidence_interval(LEVEL))
    yield (
        f"Other topics would change the ranking by {collection.reference}, too: its expected "
        f"{tau_ap} with the true ranking is {decimals(expected.value)} ({confidence(LEVEL)} "
        f"interval {low} to {high})."
    )


def _of_judges(data: ReportData, judges: JudgeComparison) -> Iterator[str]:
    """Paragraphs on which judges may be the best, rank as the reference does, or favour groups."""
    several, settings = len(data.pairs) > 1, judges.settings
    titles_of: dict[str, list[str]] = {}
    for pair in data.pairs:
        if pair.ranking is not None:
            best, n_judges = pair.ranking.may_be_best, len(pair.ranking.judges)
            names = best[0] if len(best) == 1 else f"one of {len(best)}: {in_a_sentence(best)}"
            answer = f"the best of the {n_judges} judges is {names}"
            if len(best) == n_judges:
                answer = f"each of the {n_judges} judges may be the best"
            titles_of.setdefault(answer, []).append(pair.title)
    if titles_of:
        titles_in = {answer: in_a_sentence(titles) for answer, titles in titles_of.items()}
        texts = [f"{titles}: " * several + answer for answer, titles in titles_in.items()]
        sure = f"with {confidence(1.0 - settings.alpha)} confidence"
        yield f"By {tau} with the reference judge, {sure}: {'; '.join(texts)}."
    rows = [(pair.title * several, row.judge, row) for pair in data.pairs for row in pair.rows]
    if answers := _same_ranking(rows, "the reference judge"):
        yield answers
    if data.bias is not None:
        yield " ".join(_favours(data.bias, settings.alpha, several=several))


def _favours(bias: JudgeBias, alpha: float, *, several: bool) -> Iterator[str]:
    """Sentences on which judge favours or disfavours which group, and if `several`, by what."""
    frame = bias.groups
    biased = frame[frame["pvalue"] <= alpha]
    most = 4  # sentences
    for row in biased[:most].to_dict("records"):
        shift, width = row["shift"], row["shift high"] - row["shift low"]
        # decimals down to the second digit of the width of the interval: more would be noise
        places = int(np.clip(1 - np.floor(np.log10(width)), 1, 6)) if width > 0.0 else 3
        favours = "favours" if shift > 0 else "disfavours"
        by = f" by {row['measure']}" if several else ""
        yield (
            f"{row['judge']} {favours} runs such as those of the group {row['group']}{by}: "
            f"{decimals(shift, places)} of score, beyond what the reference sees in them "
            f"({p_equals(row['pvalue'])}, corrected)."
        )
    if len(biased) > most:
        yield f"The table has {len(biased) - most} more."
    if biased.empty:
        yield f"No judge is found to favour {'a' if len(set(frame['group'])) > 1 else 'the'} group."
    if bias.apart:
        yield f"Whether judges favour {listing(bias.apart)} cannot be told apart from its quality."


# --- where not to trust ---------------------------------------------------------------------------


def doubts(data: ReportData) -> tuple[str, ...]:
    """Where a figure should not be trusted, and why."""
    texts: list[str] = []
    for collection in data.collections:
        texts += [f"{collection.prefix}{doubt}" for doubt in _doubts(collection)]
    if data.judges is not None:
        texts += _doubts_of_judges(data.judges, len(data.pairs))
    if data.n_resamples < 1000 and data.comparison is not None:
        least = f"{1 / (data.n_resamples + 1):.2g}"
        texts.append(f"No p-value of {data.n_resamples} resamples can be below {least}.")
    return (*texts, *data.warnings)


def _doubts(collection: CollectionData) -> Iterator[str]:
    """Sentences on few topics, close or tied systems, borderline p, rounded or missing scores."""
    scores, reference = collection.scores, collection.reference
    if len(scores.topics) < 25:  # chosen, not tuned
        yield f"{len(scores.topics)} topics are few: intervals are too narrow."
    power = collection.sensitivity[reference]
    # on 50 topics of Robust 2004 more random pairs differed, of those adjacent in rank hardly any
    if collection.agreements and power.statistic < 0.15:
        share = f"Only {power.n_significant} of the" if power.n_significant else "None of the"
        yield (
            f"{share} {power.n_pairs} pairs of systems differ significantly by {reference}. Among "
            f"systems as close as these the test of {D_RANK} finds few differences, and where "
            "their true means are equal it rejects true rankings somewhat too often."
        )
    if doubt := doubt_about_tiers(collection.intervals):
        yield doubt
    for row in collection.agreements:
        sides, error = f"{row.measure} against {row.reference}", row.d_rank_pvalue_standard_error
        if row.is_defined and text.is_borderline(row.d_rank_pvalue, error, ALPHA):
            yield (
                f"{sides}: by {D_RANK}, {p_equals(row.d_rank_pvalue)} ± {decimals(error, 3)} "
                f"is too near {ALPHA:g} to decide."
            )
        yield from (f"{sides}: {caution}" for caution in row.cautions if ARE_FEW not in caution)
    ties = Counter(scores[reference].means.tolist())
    if tied := sum(count for count in ties.values() if count > 1):
        yield f"{tied} systems share their mean {reference} with another one."
    for measure, places in scores.alignment.rounded.items():
        yield f"{measure} looks rounded to {places} decimals: systems that differ may appear tied."
    if scores.alignment.filled:
        yield f"Topics without a score count as 0 for {listing(scores.alignment.filled)}."


def _doubts_of_judges(comparison: JudgeComparison, n_pairs: int) -> Iterator[str]:
    """Sentences on topics and judges left out, labels that distort rankings, and single judges."""
    if 1 < n_pairs == len(comparison):
        yield f"Judges are not compared with each other.{ALIKE}"
    if dropped := comparison.dropped_topics:
        left_out = f"{len(dropped)} are left out of their comparison"
        yield f"Not all judges have the topics {listing(dropped)}: {left_out}."
    if comparison.failed:
        yield f"{comparison.failures}."
    if comparison.label_checks is not None:
        yield from (f"Labels of {doubt}." for doubt in comparison.label_checks.doubts())


# --- for a paper ----------------------------------------------------------------------------------


def for_a_paper(data: ReportData) -> dict[str, str]:
    """Question -> a short paragraph to paste that answers it, with variants of all statistics."""
    answers = {}
    trusted = dict.fromkeys(collection.reference for collection in data.collections)
    references = in_a_sentence([*trusted])
    if data.comparison is not None:
        settings = data.comparison.settings
        names = []
        for coefficient in settings.shown:
            paper = cited(coefficient.citation)
            names.append(f"{coefficient.symbol} ({paper})" if paper else coefficient.symbol)
        ties = ""
        if settings.shown == headlines():
            ties = ", with ties averaged over all ways of breaking them"
        answers["How were rankings compared?"] = (
            f"We compared rankings of systems by {in_a_sentence(names)}{ties}, with "
            f"{confidence(settings.level)} intervals over topic samples of this size (Student's t "
            "with the standard error of a nested bootstrap of topics). What one true ranking would "
            "give, and its p-value, are of replicates: true means of both measures that rise "
            "together, plus the errors of resampled topics. P-values are not corrected."
        )
        answers[f"Do other measures rank as {references} does?"] = _lines(data, _agreements)
        if settings.d_rank:
            answers["How far are their orders, taken as they are?"] = (
                f"{D_RANK} (Carterette 2009) is with Ledoit and Wolf's (2004) estimate of the "
                f"covariance of systems, tested with up to {settings.d_rank_resamples} bootstrap "
                f"samples of topics. {_lines(data, _distances)}"
            )
    answers[f"How sure is the ranking by {references}?"] = (
        f"{_lines(data, _ranking)} The expected {tau_ap} of a ranking with the true one (Urbano "
        "and Marrero 2016) is the mean over draws of the true means, by an empirical Bayes model."
    )
    if data.judges is not None:
        settings = data.judges.settings
        parts = [
            f"We compared judges with the reference judge by {tau}, with "
            f"{confidence(settings.level)} intervals over topic samples of this size, and tested "
            "their differences by Student's t over common bootstrap samples of topics; which may "
            "be the best follows from the largest studentised difference."
        ]
        for pair in data.pairs:
            ranked = [f"{row.judge} {value_of(row, 'tau')}" for row in pair.rows if row.is_defined]
            values = in_a_sentence(ranked, len(ranked))
            parts.append(f"By {pair.title}, {tau} with the reference was: {values}.")
            if pair.ranking is not None:
                parts.append(pair.ranking.sentence())
        answers["Which judge ranks as the reference does?"] = " ".join(parts)
    package = f"pt_rankcorr {__version__} (seed {data.seed})"
    answers["With what?"] = f"All statistics were computed with {package}."
    return answers


def _lines(data: ReportData, texts_of: Callable[[CollectionData], Iterable[str]]) -> str:
    """The sentences about each collection, after its name."""
    lines = []
    for collection in data.collections:
        if texts := " ".join(texts_of(collection)):
            lines.append(f"{collection.prefix}{texts}")
    return " ".join(lines)


def _agreements(collection: CollectionData) -> Iterator[str]:
    """A sentence on each other measure: its coefficients, and what one true ranking would give."""
    for row in collection.agreements:
        other, reference, shown = row.measure, row.reference, row.settings.shown
        if not row.is_defined:
            yield f"The ranking by {other} could not be compared with that by {reference}."
            continue
        values = [f"{each.symbol} = {value_of(row, each.name)}" for each in shown]
        first = row.correlations.get(shown[0].name)
        if first is not None and not math.isnan(first.pvalue):
            values[0] += f", where {first.one_true_ranking.sentence()}"
        yield f"{other} had {'; '.join(values)} with {reference}."


def _distances(collection: CollectionData) -> Iterator[str]:
    """A sentence on the distances of the orders by other measures from the reference's scores."""
    rows = [row for row in collection.agreements if not math.isnan(row.d_rank)]
    said = [f"{row.measure} {decimals(row.d_rank)} ({p_equals(row.d_rank_pvalue)})" for row in rows]
    if said:
        distance = d_rank_by(rows[0].settings.covariance, D_RANK)
        yield f"{distance} from {collection.reference} was: {in_a_sentence(said, len(said))}."


def _ranking(collection: CollectionData) -> Iterator[str]:
    """Sentences on the ranking by the reference: its accuracy, pairs of systems, the best one."""
    reference, scores, best = collection.reference, collection.scores, collection.best
    expected, power = collection.expected[reference], collection.sensitivity[reference]
    yield (
        f"{reference} ranked {len(scores.systems)} systems over {len(scores.topics)} topics, with "
        f"an expected {tau_ap} of {decimals(expected.value)} with the true ranking."
    )
    sure = f"with {confidence(best.level)} confidence"
    first = best.systems[0]
    if len(best.systems) > 1:
        first = f"one of {len(best.systems)} (Mogstad et al. 2024)"
    yield (
        f"{power.n_significant} of the {power.n_pairs} pairs of systems differed significantly "
        f"({power.title}, p <= {decimals(power.alpha)}); {sure} the best was {first}."
    )


def entries() -> dict[str, str]:
    """Key -> entry of BibTeX, of all papers that a report may cite."""
    texts = resource("references.bib").split("\n\n")
    return {re.findall(r"{(\w+)", entry)[0]: entry for entry in texts}


def cited(key: str) -> str:
    """The citation of an entry, as "Gao and Oard 2015"; "" for a key that is not among them."""
    entry = entries().get(key, "")
    if not entry:
        return ""
    authors, year = (re.findall(rf"{field}\s*= {{(.*)}}", entry)[0] for field in ("author", "year"))
    names = [author.split()[-1] for author in authors.split(" and ")]
    return f"{names[0]} et al. {year}" if len(names) > 2 else f"{' and '.join(names)} {year}"
