"""What "In short" says: do two rank alike, could one order be the true one, which is best, and who is partial?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.table import ALONE, RankingAgreement
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.numbers import decimals, p_equals
from pt_rankcorr.reporting.findings import CollectionFindings, Findings, JudgeFindings
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.tables.grid import D_RANK, TAU, TAU_AP
from pt_rankcorr.text import in_a_sentence

MOST = 4  # judges of which it says whom they favour


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
    "Over all topics is how systems would be ranked if topics were endless. The p-value of one ranking is small where "
    "the choice of topics does not explain all disagreement; an interval that reaches 1 all the same says that errors "
    "may be too small to change the order."
)
QUESTIONS = (
    Question(
        "Do {others}, over all topics, rank the systems as {trusted} does?",
        "one_ranking",
        "rules_out_one_ranking",
        "The choice of topics is not enough to explain how these differ",
        "These may",
    ),
    Question(
        "Could their order on these topics be the true one by {trusted}?",
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
        yield f"Over all topics, by {TAU} with the reference judge: {'; '.join(answers_of)}."
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
