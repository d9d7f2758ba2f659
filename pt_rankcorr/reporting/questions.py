"""The questions that "In short" asks: do two rank alike, and could the order by one be the true one by the other?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pt_rankcorr.comparison.table import RankingAgreement
from pt_rankcorr.numbers import decimals, p_equals
from pt_rankcorr.tables.grid import D_RANK
from pt_rankcorr.text import in_a_sentence


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


def with_estimate(row: RankingAgreement, coefficient: str) -> str:
    """A coefficient on these topics and, where it is known, over all."""
    value = decimals(row.coefficients[coefficient])
    if coefficient not in row.estimates:
        return value
    estimate, low, high = map(decimals, row.estimates[coefficient])
    return f"{value} ({estimate} over all topics, {low} to {high})"
