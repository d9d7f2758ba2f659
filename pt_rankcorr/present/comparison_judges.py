"""How compared judges are shown: their order, families, panels, and which runs they favour."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from pt_rankcorr.comparison.bias import NO_P, JudgeBias
from pt_rankcorr.comparison.families import JudgeFamilies
from pt_rankcorr.comparison.judges import JudgeRanking
from pt_rankcorr.comparison.panel_comparison import PanelComparison
from pt_rankcorr.present.accuracy import forecast_sentence
from pt_rankcorr.present.comparison import correlation_columns, key_columns
from pt_rankcorr.present.generic import against_the_first, sentence_of, table_of
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.significance.pairwise import holm
from pt_rankcorr.tables import (
    COEFFICIENT,
    COUNT,
    NUMBER,
    PERCENT,
    PVALUE,
    SHARE,
    WORD,
    Column,
    Table,
    listed,
)
from pt_rankcorr.text import confidence, decimals, in_a_sentence, p_equals, plain, with_interval

# --- their order ----------------------------------------------------------------------------------


@table_of.register
def judge_ranking_table(result: JudgeRanking) -> Table:
    """One line per judge, the best first."""
    names = (result.of.column, result.of.title, result.of.symbol)
    correlations = correlation_columns(
        names, result.level, result.alpha, result.correlations.__getitem__
    )
    # the number of each judge's cluster; clusters have judges in the order of rows
    clusters = [number for number, judges in enumerate(result.clusters, 1) for _ in judges]
    best = [judge in result.may_be_best for judge in result.judges]
    columns: list[Column[int]] = [
        listed("judge", WORD, result.judges),
        # judges are not ordered by p
        *(replace(column, wide=column.wide or column.kind is PVALUE) for column in correlations),
        # tests against the first judge are row 0 of matrices of pairs, (k, k)
        against_the_first("p against the first", holm(result.pvalues[0, 1:]), result.alpha),
    ]
    if result.margin is not None:
        title = f"p (within {decimals(result.margin)} of the first)"
        pvalues = result.equivalence[0, 1:]
        columns.append(against_the_first("p within the margin", pvalues, result.alpha, title))
    columns += [
        listed("cluster", COUNT, clusters, hide_if_constant=True),
        Column("may be best", "may be best", NUMBER, best.__getitem__, strong=best.__getitem__),
        listed("better than", COUNT, result.significant.sum(axis=1), shown=False),
        listed("worse than", COUNT, result.significant.sum(axis=0), shown=False),
    ]
    rows, note = range(len(result.judges)), _judge_ranking_note(result)
    return Table(tuple(columns), rows, answer=sentence_of(result), notes=(note,))


@sentence_of.register
def judge_ranking_sentence(result: JudgeRanking) -> str:
    """The best of several judges, and who is ruled out; or whether one of two is better."""
    first, second = result.judges[:2]
    one, other = (decimals(correlation.statistic) for correlation in result.correlations[:2])
    tau, sure = result.of.title, f"{confidence(1.0 - result.alpha)} confidence"
    if len(result.judges) > 2:
        best = result.correlations[0]
        value = with_interval(best.statistic, (best.low, best.high))
        agrees = "agrees best" if math.isfinite(best.standard_error) else "seems to agree best"
        others, n_best = "no judge is ruled out", len(result.may_be_best)
        if ruled_out := [judge for judge in result.judges if judge not in result.may_be_best]:
            others = f"{in_a_sentence(ruled_out, 12)} ruled out"
        return (
            f"{first} {agrees} with {result.reference_name} by {result.measures} ({tau} {value}); "
            f"with {sure} the best of {len(result.judges)} judges is one of {n_best}: {others}."
        )
    pvalue = result.pvalues[0, 1]
    if np.isnan(pvalue):
        values = f"a {tau} of {one} and {other}"
        return f"{first} and {second} have {values}; their difference cannot be tested."
    difference = with_interval(result.differences[0, 1], result.difference_of_first)
    better = "agrees better" if pvalue <= result.alpha else "is not shown to agree better"
    return (
        f"{first} {better} with {result.reference_name} than {second} by {result.measures} "
        f"({tau} {one} against {other}, difference {difference}, {plain(p_equals(pvalue))})."
    )


def _judge_ranking_note(result: JudgeRanking) -> str:
    """What was compared and how, and what would tell the first two judges apart."""
    n, n_tests = result.n_collections, len(result.judges) - 1
    several = f" in {n} collections, of which each counts equally" * (n > 1)
    corrected = f", corrected for {n_tests} tests (Holm)" * (n_tests > 1)
    compared = f"{result.measure} of judges against {result.reference}"
    sure = f"with {confidence(1.0 - result.alpha)} confidence"
    texts = [
        f"{compared}, {result.n_topics} topics{several}.",
        "Intervals: of the mean over topic samples of this size.",
        "If one true ranking: what noise of topics alone would leave of 1.",
        f"p against the first: Student's t{corrected}.",
        f"May be best: {sure} the best judge is one of these, by one-sided tests "
        "(p against the first is two-sided).",
    ]
    if result.undecided:
        undecided = in_a_sentence(result.undecided)
        texts.append(f"Other resamples may decide otherwise about {undecided}.")
    if 1 < len(result.clusters) < len(result.judges):
        texts.append("Judges of one cluster may differ.")
    texts += result.cautions
    if result.margin is not None:
        texts.append(
            f"p (within {decimals(result.margin)}): two one-sided t tests of single pairs; "
            "a small one shows that both agree with the reference alike."
        )
    if not math.isnan(result.topics_needed.topics):
        forecast = forecast_sentence(result.topics_needed, result.n_topics)
        pair = " and ".join(result.judges[:2])
        texts.append(f"{pair}: {forecast[0].lower()}{forecast[1:]}")
    return " ".join(texts)


# --- families and panels --------------------------------------------------------------------------


@table_of.register
def families_table(result: JudgeFamilies) -> Table:
    """One row per factor, and one for topic sampling error."""
    title = result.of.title
    # each factor is within those before: "model", "prompt within model"
    nested = [" within ".join(result.factors[index::-1]) for index in range(len(result.factors))]
    values = [*(factor.deviation for factor in result.components), result.sampling_error]
    ends = [(factor.low, factor.high) for factor in result.components]
    columns: tuple[Column[int], ...] = (
        listed("variation", WORD, [*nested, "topic sampling error"]),
        listed("sd", NUMBER, values, f"sd of {title}", interval=[*ends, None].__getitem__),
        listed("share", PERCENT, result.shares, "share of variance"),
    )
    note = (
        f"{result.n_judges} judges; {confidence(result.level)} intervals; {title} with the "
        "reference, over topic samples of this size. "
        f"Topic sampling error: the error of measuring {title} on these topics. A share of 0% is "
        "an estimate: a deviation up to the end of its interval is possible."
    )
    best = [
        f"{row['group']}: {row['may be best'] if row['told'] else 'none can be told from another'}."
        for row in result.best.to_dict("records")
    ]
    note = f"{note} May be best: {' '.join(best)}" if best else note
    return Table(columns, range(len(nested) + 1), notes=(note,))


@table_of.register
def panels_table(result: PanelComparison) -> Table:
    """One row a panel, of the frame `result.panels`, with an interval beside each number."""
    panels, sure = result.panels, confidence(result.settings.level)
    pvalues, n_judges = panels["pvalue"].tolist(), [*map(len, panels["members"])]
    strong = [p <= result.settings.alpha for p in pvalues]

    def with_ends(name: str, title: str) -> Column[int]:
        ends = list(zip(panels[f"{name}_low"], panels[f"{name}_high"], strict=True))
        return listed(name, COEFFICIENT, panels[name].tolist(), title, interval=ends.__getitem__)

    columns: tuple[Column[Any], ...] = (
        listed("panel", WORD, panels["panel"].tolist()),
        listed("n_judges", COUNT, n_judges, "judges", wide=True),
        with_ends("correlation", f"{result.of.title} [{sure}]"),
        listed("best", WORD, panels["best"].tolist(), "best member"),
        with_ends("difference", "difference"),
        listed("pvalue", PVALUE, pvalues, "p", strong=strong.__getitem__),
        with_ends("error_correlation", "errors alike"),
        with_ends("effective_judges", "effective"),
    )
    note = (
        "Difference from the best member, which was chosen on these topics: that favours it. "
        "p: Student's t, not corrected. Errors alike: the mean correlation of what two members err "
        f"about pairs of systems, given {result.reference}, which is taken to be right. "
        "Effective: so many independent ones would err as much, k / (1 + (k - 1) r). "
        f"{sure} intervals: over topic samples of this size ({result.n_topics})."
    )
    return Table(columns, range(len(panels)), n_names=1, notes=(note,))


@sentence_of.register
def panels_sentence(result: PanelComparison) -> str:
    """The outcome for each panel, a line each."""
    texts, title = [], result.of.title
    for row in result.panels.to_dict("records"):
        is_better = row["pvalue"] <= result.settings.alpha and row["difference"] > 0.0
        apart = with_interval(row["difference"], (row["difference_low"], row["difference_high"]))
        better = "agrees better" if is_better else "is not shown to agree better"
        both = f"{decimals(row['correlation'])} against {decimals(row['best_correlation'])}"
        text = (
            f"{row['panel']} {better} with {result.reference} than {row['best']}, its best member "
            f"({title} {both}, difference {apart}, {plain(p_equals(row['pvalue']))})."
        )
        if not math.isnan(row["error_correlation"]):
            k, r = len(row["members"]), decimals(row["error_correlation"])
            stand_for = f"they stand for {row['effective_judges']:.1f} independent ones"
            text += f" Errors of its {k} judges correlate by {r}: {stand_for}."
        texts.append(text)
    return "\n".join(texts)


# --- bias -----------------------------------------------------------------------------------------


@table_of.register
def bias_table(result: JudgeBias, *, of_runs: bool = False) -> Table:
    """One row per judge, pair of measures and group; with `of_runs` one per run, for machines."""
    rows = result.of_runs if of_runs else result.of_groups
    key = key_columns(rows[0].row, attrgetter("row"))
    group: Column[Any] = Column("group", "group", WORD, attrgetter("group"))
    ends, title = attrgetter("low", "high"), f"shift [{confidence(result.level)}]"
    shift: Column[Any] = Column("shift", title, NUMBER, attrgetter("shift"), ends)
    if of_runs:
        return Table((*key, Column("run", "run", WORD, attrgetter("run")), group, shift), rows)
    name, title, symbol = result.of.column, result.of.title, result.of.symbol
    columns: tuple[Column[Any], ...] = (
        *key,
        group,
        Column("n_runs", "runs", COUNT, attrgetter("n_runs"), wide=True),
        Column("slope", "", NUMBER, attrgetter("slope"), shown=False),
        Column("overlap", "", SHARE, attrgetter("overlap"), shown=False),
        shift,
        Column("pvalue", "p (no shift)", PVALUE, attrgetter("pvalue"), strong=result.is_biased),
        Column(name, title, COEFFICIENT, attrgetter("coefficient"), symbol=symbol),
        Column(
            f"{name} without",
            f"{title} without it",
            COEFFICIENT,
            attrgetter("without"),
            symbol=f"{symbol} without it",
        ),
    )
    return Table(columns, rows, notes=(_bias_note(result),))


def _bias_note(result: JudgeBias) -> str:
    """What was computed and how, and which groups cannot be tested."""
    scale = (
        "the reference says" if result.same_scale else "its rising curve over the reference says"
    )
    text = (
        f"Shift: how much more than {scale} the judge gives the group, less the same of all other "
        "runs. For runs of this kind: errors about single runs count as chance (Welch's t)."
    )
    if result.n_tests > 1:
        tests = f"{result.n_tests} tests (Bonferroni)"
        text = f"{text} Intervals and p-values are corrected alike for {tests}."
    return f"{text} {NO_P.format(listing(result.apart))}" if result.apart else text


@sentence_of.register
def bias_sentence(result: JudgeBias) -> str:
    """The test, and whom judges favour or disfavour."""
    curve = "" if result.same_scale else "a rising curve over "
    groups = in_a_sentence(list(dict.fromkeys(shift.group for shift in result.of_groups)))
    n_judges = len({shift.row.judge for shift in result.of_groups})
    judges_favour = "1 judge favours" if n_judges == 1 else f"{n_judges} judges favour"
    of_few = {0: "undefined", 1: "of one test"}
    corrected = of_few.get(result.n_tests, f"corrected for {result.n_tests} tests, Bonferroni")
    tested = (
        f"We tested whether {judges_favour} runs such as those of {groups}, by how much their "
        f"scores exceed {curve}the reference's scores, on {result.n_topics} topics (Welch's t; "
        f"p-values and {confidence(result.level)} intervals {corrected})."
    )
    texts = [tested]
    biased = [shift for shift in result.of_groups if result.is_biased(shift)]
    for shift in biased:
        favours = "favours" if shift.shift > 0 else "disfavours"
        value = with_interval(shift.shift, (shift.low, shift.high), 3)
        texts.append(
            f"{shift.row.judge} {favours} {shift.group} by {shift.row.measures} "
            f"(shift {value}, {p_equals(shift.pvalue)})."
        )
    # what is said of all other shifts
    alpha = decimals(result.alpha)
    if result.n_tests == 0:
        texts.append("No shift could be tested.")
    elif result.n_tests > len(biased):
        texts.append(f"{'No other' if biased else 'No'} shift is significant at {alpha}.")
    elif len(biased) > 1:
        texts.append(f"All are significant at {alpha}.")
    if result.apart:
        texts.append(f"Shifts of {listing(result.apart)} cannot be told from their quality.")
    return plain(" ".join(texts))
