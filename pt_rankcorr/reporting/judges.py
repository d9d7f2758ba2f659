"""What a report says of judges: how they rank the systems, which is best, and whether they are partial."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pt_rankcorr.comparison.bias import JudgeBias
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.leaderboards import JudgeComparison, compare_leaderboards
from pt_rankcorr.comparison.of_judges import ALIKE
from pt_rankcorr.comparison.table import RankingAgreement
from pt_rankcorr.numbers import decimals, p_equals
from pt_rankcorr.plots.judges import draw_judges
from pt_rankcorr.reporting.document import Block, Paragraph, Section
from pt_rankcorr.reporting.pictures import picture
from pt_rankcorr.reporting.questions import OVER_ALL_TOPICS, Asked, answers, with_estimate
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.tables.grid import D_RANK, TAU
from pt_rankcorr.tables.kinds import COUNT, FLAG
from pt_rankcorr.tables.table import Column, Table
from pt_rankcorr.text import in_a_sentence

MOST = 4  # judges of which "In short" says whom they favour


@dataclass(frozen=True)
class OfOnePair:
    """Judges by one measure against one of the reference's.

    Attributes:
        title: The measures.
        rows: One a judge, the best first.
        ranking: All pairs of judges tested; None where fewer than two rank systems.
    """

    title: str
    rows: tuple[RankingAgreement, ...]
    ranking: JudgeRanking | None


@dataclass(frozen=True)
class JudgeFindings:
    """What there is to say of judges.

    Attributes:
        comparison: Of the judges with the reference.
        pairs: One for each pair of measures.
        bias: For groups of systems, if there are any.
    """

    comparison: JudgeComparison
    pairs: tuple[OfOnePair, ...]
    bias: JudgeBias | None


def judge_findings(
    scores: Scores, against: Any, reference: str | None, groups: Mapping[str, object] | None, settings: dict[str, Any]
) -> JudgeFindings:
    """Of a finished comparison, or of judges as `compare_leaderboards` takes them.

    Args:
        scores: The reference.
        against: Judges.
        reference: Which of its measures is trusted; None for all that judges have, too.
        groups: As for `bias`.
        settings: Further arguments of `compare_leaderboards`.
    """
    if not isinstance(against, JudgeComparison):
        how: dict[str, Any] = {"reference_measure": reference, "groups": groups, "verbose": False}
        against = compare_leaderboards(scores, against, **how, **settings)
    n_jobs = settings["n_jobs"]
    bias = None if groups is None else against.bias(groups, n_jobs=n_jobs)
    return JudgeFindings(against, tuple(_pairs(against, n_jobs)), bias)


def _pairs(comparison: JudgeComparison, n_jobs: int | None) -> Iterator[OfOnePair]:
    for key in dict.fromkeys((row.reference, row.measure) for row in comparison):
        rows = [row for row in comparison if (row.reference, row.measure) == key]
        ranking = None
        if sum(row.is_defined for row in rows) > 1:
            chosen: dict[str, Any] = dict(zip(("reference", "measure"), key, strict=True))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the comparison said which judges rank nothing
                ranking = comparison.judges(**chosen, n_jobs=n_jobs)
        places = {} if ranking is None else {judge: at for at, judge in enumerate(ranking.judges)}
        ranked = sorted(rows, key=lambda row: (not row.is_defined, places.get(row.judge, 0)))
        title = " against ".join(dict.fromkeys(reversed(key)))
        yield OfOnePair(title, tuple(ranked), ranking)


# --- for machines -------------------------------------------------------------------------------------------


def to_dict(found: JudgeFindings) -> dict[str, Any]:
    """All of it, unrounded."""
    return {
        "rows": [row.to_dict() for row in found.comparison],
        "rankings": {pair.title: pair.ranking.to_frame().to_dict("records") for pair in found.pairs if pair.ranking},
        "bias": [] if found.bias is None else found.bias.to_frame().to_dict("records"),
        "runs": [] if found.bias is None else found.bias.runs.to_dict("records"),
    }


# --- in words -----------------------------------------------------------------------------------------------


def verdicts(found: JudgeFindings) -> Iterator[str]:
    """Which judges may be the best; the answers to both questions; and who favours whom."""
    several = len(found.pairs) > 1
    best: dict[str, list[str]] = {}
    for pair in found.pairs:
        if pair.ranking is not None:
            best.setdefault(_best(pair.ranking), []).append(pair.title)
    if best:
        answers_of = (f"{in_a_sentence(titles)}: " * several + answer for answer, titles in best.items())
        yield f"Over all topics, by {TAU} with the reference: {'; '.join(answers_of)}."
    asked = (Asked(pair.title * several, row.judge, row) for pair in found.pairs for row in pair.rows)
    yield from answers([*asked], "the judges", "the reference")
    if found.bias is not None:
        yield " ".join(_favours(found.bias, found.comparison.settings.alpha, several=several))


def _best(ranking: JudgeRanking) -> str:
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


def for_a_paper(found: JudgeFindings) -> str:
    """Which judges were compared, and how."""
    parts = [
        f"We compared judges with the reference by the correlations of their rankings over all topics, with "
        f"{_level(found)} intervals, and tested all pairs of judges over draws of the true means, corrected by the "
        "stepwise test of Romano and Wolf (2005)."
    ]
    for pair in found.pairs:
        for row in pair.rows:
            if row.is_defined:
                parts.append(f"{row.judge} ({pair.title}) had a {TAU} of {with_estimate(row, 'tau')}.")
    return " ".join(parts)


def _level(found: JudgeFindings) -> str:
    return f"{found.comparison.settings.level:.0%}"


# --- on the page --------------------------------------------------------------------------------------------


def section(found: JudgeFindings) -> Section:
    """Tables and pictures."""
    blocks: list[Block | None] = [_introduction(found), _labels_table(found)]
    for at, pair in enumerate(found.pairs):
        blocks.append(judges_table(found, pair))
        if pair.ranking is not None:
            blocks.append(_drawn(pair.ranking, f"j{at + 1}", pair.title))
    if found.bias is not None:
        blocks += [_explanation(found.bias), bias_table(found, found.bias)]
    return Section("Judges", tuple(block for block in blocks if block is not None))


def _introduction(found: JudgeFindings) -> Paragraph:
    n_systems, n_topics = found.comparison.rows[0].n_systems, found.comparison.rows[0].n_topics
    return Paragraph(
        f"Each judge scored the same {n_systems} systems on the same {n_topics} topics as the reference. "
        f"Luck of these topics usually lowers a correlation; luck that both sides share raises it. {OVER_ALL_TOPICS}"
    )


def _labels_table(found: JudgeFindings) -> Table | None:
    """What is wrong with labels, before it is said how good judges are."""
    if found.comparison.hygiene is None:
        return None
    caption = (
        "The labels of each judge beside the reference's: what is judged, labels outside of the reference's scale, "
        "fractions, lines that repeat or contradict others, the commonest label, and how many of the first ten "
        "documents of systems are judged."
    )
    return replace(found.comparison.hygiene.table(), notes=(), caption=caption)


def _drawn(ranking: JudgeRanking, key: str, title: str) -> Block | None:
    alt = (
        f"{TAU} of each judge with the reference ({title}), with its interval. Green judges may be the best. Bars on "
        "the right join judges that cannot be told apart."
    )
    return picture(key, partial(draw_judges, ranking), (7.0, 1.5 + 0.34 * len(ranking.judges)), alt)


def judges_table(found: JudgeFindings, pair: OfOnePair) -> Table:
    """Judges, the best first."""
    tested = (
        "; of the pairs that differ significantly by the reference, those that are reversed; soft pairwise accuracy"
    )
    of_clusters = (
        ". Clusters are told apart: all above are significantly better than all below"
        if pair.ranking is not None
        else ""
    )
    caption = (
        f"Judges by {pair.title}: correlations, and what they would be over all topics with {_level(found)} intervals; "
        "the p-value of one ranking; that of "
        f"{D_RANK}, small where the judge's ranking could not be the true one by the reference"
        f"{tested if pair.rows[0].pairs else ''}{of_clusters}."
    )
    table = replace(found.comparison, rows=pair.rows).table().without("reference", "measures")
    return replace(table.followed_by(*_of_ranking(pair.ranking)), notes=(), caption=caption)


def _of_ranking(ranking: JudgeRanking | None) -> tuple[Column[RankingAgreement], ...]:
    """Which judges can be told apart, and which may be the best."""
    if ranking is None:
        return ()
    clusters = {judge: at for at, judges in enumerate(ranking.clusters, 1) for judge in judges}
    return (
        Column("cluster", "cluster", COUNT, lambda row: clusters.get(row.judge, np.nan)),
        Column("may be best", "may be best", FLAG, lambda row: row.judge in ranking.may_be_best),
    )


def _explanation(bias: JudgeBias) -> Paragraph:
    line = "the reference's score" if bias.same_scale else "a curve over the reference's scores"
    return Paragraph(
        f"Is a judge partial? The shift of a group is how much more the judge gives its systems beyond {line}, in the "
        "judge's units, less the same of all other systems. “p, these” is of these very systems, whatever the "
        "cause; “p, such” of "
        "systems of that kind, and alone says that the judge favours such systems (above 0)."
    )


def bias_table(found: JudgeFindings, bias: JudgeBias) -> Table:
    """What judges add for groups of systems."""
    caption = (
        f"Shifts of groups, with their sizes, and {bias.level:.0%} intervals. Bold: p <= "
        f"{found.comparison.settings.alpha:g}, corrected for all {len(bias.groups)} rows. {TAU} without the group is "
        "that over all other systems."
    )
    table = bias.table() if len(found.pairs) > 1 else bias.table().without("measures")
    return replace(table, notes=(), caption=caption)


def doubts(found: JudgeFindings) -> Iterator[str]:
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
