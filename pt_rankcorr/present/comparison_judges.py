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
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PERCENT, PVALUE, SHARE, WORD, Column, Table, listed
from pt_rankcorr.text import confidence, decimals, in_a_sentence, p_equals, plain, with_interval

# --- their order ----------------------------------------------------------------------------------


@table_of.register
def judge_ranking_table(result: JudgeRanking) -> Table:
    """One line per judge, the best first."""
    name, title, symbol = result.of.column, result.of.title, result.of.symbol
    # tests against the first judge are row 0 of matrices of pairs, (k, k)
    cluster = {judge: number for number, judges in enumerate(result.clusters, 1) for judge in judges}
    best = [judge in result.may_be_best for judge in result.judges]

    equivalence = []
    if result.margin is not None:
        within = f"p (within {decimals(result.margin)} of the first)"
        equivalence = [against_the_first("p within the margin", result.equivalence[0, 1:], result.alpha, within)]
    correlations = (
        replace(column, wide=column.wide or column.kind is PVALUE)  # judges are not ordered by it
        for column in correlation_columns(
            name, title, symbol, result.level, result.alpha, result.correlations.__getitem__
        )
    )
    columns: tuple[Column[int], ...] = (
        listed("judge", WORD, result.judges),
        *correlations,
        against_the_first("p against the first", holm(result.pvalues[0, 1:]), result.alpha),
        *equivalence,
        listed("cluster", COUNT, [cluster[judge] for judge in result.judges], hide_if_constant=True),
        Column("may be best", "may be best", NUMBER, best.__getitem__, strong=best.__getitem__),
        listed("better than", COUNT, result.significant.sum(axis=1), shown=False),
        listed("worse than", COUNT, result.significant.sum(axis=0), shown=False),
    )
    rows, note = range(len(result.judges)), _judge_ranking_note(result)
    return Table(columns, rows, answer=sentence_of(result), notes=(note,))


@sentence_of.register
def judge_ranking_sentence(result: JudgeRanking) -> str:
    """The best of several judges, and who is ruled out; or whether one of two is better."""
    first, second = result.judges[:2]
    one, other = (decimals(correlation.statistic) for correlation in result.correlations[:2])
    tau, sure = result.of.title, f"{confidence(1.0 - result.alpha)} confidence"
    if len(result.judges) > 2:
        best = result.correlations[0]
        value = with_interval(best.statistic, (best.low, best.high))
        ruled_out = [judge for judge in result.judges if judge not in result.may_be_best]
        others = f"{in_a_sentence(ruled_out, 12)} ruled out" if ruled_out else "no judge is ruled out"
        agrees = "agrees best" if math.isfinite(best.standard_error) else "seems to agree best"
        return (
            f"{first} {agrees} with {result.reference_name} by {result.measures} ({tau} {value}); "
            f"with {sure} the best of {len(result.judges)} judges is one of {len(result.may_be_best)}: {others}."
        )
    if np.isnan(result.pvalues[0, 1]):
        values = " and ".join(decimals(correlation.statistic) for correlation in result.correlations)
        return f"{first} and {second} have a {tau} of {values}; their difference cannot be tested."
    difference = with_interval(result.differences[0, 1], result.difference_of_first)
    better = "agrees better" if result.pvalues[0, 1] <= result.alpha else "is not shown to agree better"
    return (
        f"{first} {better} with {result.reference_name} than {second} by {result.measures} "
        f"({tau} {one} against {other}, difference {difference}, {plain(p_equals(result.pvalues[0, 1]))})."
    )


def _judge_ranking_note(result: JudgeRanking) -> str:
    """What was compared and how, and what would tell the first two judges apart."""
    several = f" in {result.n_collections} collections, of which each counts equally" * (result.n_collections > 1)
    n_tests = len(result.judges) - 1
    corrected = f", corrected for {n_tests} tests (Holm)" * (n_tests > 1)
    texts = [
        f"{result.measure} of judges against {result.reference}, {result.n_topics} topics{several}. Intervals: of the "
        "mean over topic samples of this size. If one true ranking: what noise of topics alone would leave of 1. p "
        f"against the first: Student's t{corrected}.",
        f"May be best: with {confidence(1.0 - result.alpha)} confidence the best judge is one of these, by "
        "one-sided tests (p against the first is two-sided).",
        *(["Judges of one cluster may differ."] if 1 < len(result.clusters) < len(result.judges) else []),
        *result.cautions,
    ]
    if result.margin is not None:
        test = "two one-sided t tests of single pairs; a small one shows that both agree with the reference alike"
        texts.append(f"p (within {decimals(result.margin)}): {test}.")
    if not math.isnan(result.topics_needed.topics):
        forecast = forecast_sentence(result.topics_needed, result.n_topics)
        texts.append(f"{result.judges[0]} and {result.judges[1]}: {forecast[0].lower()}{forecast[1:]}")
    if result.undecided:
        texts.insert(2, f"Other resamples may decide otherwise about {in_a_sentence(result.undecided)}.")
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
        f"{result.n_judges} judges; {confidence(result.level)} intervals; {title} with the reference, over topic "
        f"samples of this size. Topic sampling error: the error of measuring {title} on these topics. A share of "
        "0% is an estimate: a deviation up to the end of its interval is possible."
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
    panels, pvalues, sure = result.panels, result.panels["pvalue"].tolist(), confidence(result.settings.level)

    def with_ends(name: str, title: str) -> Column[int]:
        ends = list(zip(panels[f"{name}_low"], panels[f"{name}_high"], strict=True))
        return listed(name, COEFFICIENT, panels[name].tolist(), title, interval=ends.__getitem__)

    columns: tuple[Column[Any], ...] = (
        listed("panel", WORD, panels["panel"].tolist()),
        listed("n_judges", COUNT, [len(members) for members in panels["members"]], "judges", wide=True),
        with_ends("correlation", f"{result.of.title} [{sure}]"),
        listed("best", WORD, panels["best"].tolist(), "best member"),
        with_ends("difference", "difference"),
        listed("pvalue", PVALUE, pvalues, "p", strong=[p <= result.settings.alpha for p in pvalues].__getitem__),
        with_ends("error_correlation", "errors alike"),
        with_ends("effective_judges", "effective"),
    )
    note = (
        "Difference from the best member, which was chosen on these topics: that favours it. p: Student's t, not "
        "corrected. Errors alike: the mean correlation of what two members err about pairs of systems, given "
        f"{result.reference}, which is taken to be right. Effective: so many independent ones would err as "
        f"much, k / (1 + (k - 1) r). {sure} intervals: over topic samples of this size ({result.n_topics})."
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
        text = (
            f"{row['panel']} {better} with {result.reference} than {row['best']}, its best member ({title} "
            f"{decimals(row['correlation'])} against {decimals(row['best_correlation'])}, difference {apart}, "
            f"{plain(p_equals(row['pvalue']))})."
        )
        if not math.isnan(row["error_correlation"]):
            k, r, number = len(row["members"]), decimals(row["error_correlation"]), row["effective_judges"]
            text += f" Errors of its {k} judges correlate by {r}: they stand for {number:.1f} independent ones."
        texts.append(text)
    return "\n".join(texts)


# --- bias -----------------------------------------------------------------------------------------


@table_of.register
def bias_table(result: JudgeBias, *, of_runs: bool = False) -> Table:
    """One row per judge, pair of measures and group; with `of_runs` one per run, for machines."""
    group: Column[Any] = Column("group", "group", WORD, attrgetter("group"))
    shift: Column[Any] = Column(
        "shift", f"shift [{confidence(result.level)}]", NUMBER, attrgetter("shift"), attrgetter("low", "high")
    )
    if of_runs:
        key, run = key_columns(result.of_runs[0].row, attrgetter("row")), Column("run", "run", WORD, attrgetter("run"))
        return Table((*key, run, group, shift), result.of_runs)
    name, title, symbol = result.of.column, result.of.title, result.of.symbol
    without = f"{symbol} without it"
    columns: tuple[Column[Any], ...] = (
        *key_columns(result.of_groups[0].row, attrgetter("row")),
        group,
        Column("n_runs", "runs", COUNT, attrgetter("n_runs"), wide=True),
        Column("slope", "", NUMBER, attrgetter("slope"), shown=False),
        Column("overlap", "", SHARE, attrgetter("overlap"), shown=False),
        shift,
        Column("pvalue", "p (no shift)", PVALUE, attrgetter("pvalue"), strong=result.is_biased),
        Column(name, title, COEFFICIENT, attrgetter("coefficient"), symbol=symbol),
        Column(f"{name} without", f"{title} without it", COEFFICIENT, attrgetter("without"), symbol=without),
    )
    return Table(columns, result.of_groups, notes=(_bias_note(result),))


def _bias_note(result: JudgeBias) -> str:
    """What was computed and how, and which groups cannot be tested."""
    scale = "the reference says" if result.same_scale else "its rising curve over the reference says"
    corrected = f" Intervals and p-values are corrected alike for {result.n_tests} tests (Bonferroni)."
    corrected = corrected if result.n_tests > 1 else ""
    text = (
        f"Shift: how much more than {scale} the judge gives the group, less the same of all other runs. For runs "
        f"of this kind: errors about single runs count as chance (Welch's t).{corrected}"
    )
    return f"{text} {NO_P.format(listing(result.apart))}" if result.apart else text


@sentence_of.register
def bias_sentence(result: JudgeBias) -> str:
    """The test, and whom judges favour or disfavour."""
    scale = "the reference's scores" if result.same_scale else "a rising curve over the reference's scores"
    groups = in_a_sentence(list(dict.fromkeys(shift.group for shift in result.of_groups)))
    judges = len({shift.row.judge for shift in result.of_groups})
    biased = [shift for shift in result.of_groups if result.is_biased(shift)]
    outcomes = [
        f"{shift.row.judge} {'favours' if shift.shift > 0 else 'disfavours'} {shift.group} by {shift.row.measures} "
        f"(shift {with_interval(shift.shift, (shift.low, shift.high), 3)}, {p_equals(shift.pvalue)})."
        for shift in biased
    ]
    # what is said of all other shifts: by default that they are not significant
    others = f"{'No other' if biased else 'No'} shift is significant at {decimals(result.alpha)}."
    corrected = "of one test" if result.n_tests == 1 else f"corrected for {result.n_tests} tests, Bonferroni"
    if result.n_tests == 0:
        others, corrected = "No shift could be tested.", "undefined"
    elif result.n_tests == len(biased):
        others = f"All are significant at {decimals(result.alpha)}." if len(biased) > 1 else ""
    if result.apart:
        others = f"{others} Shifts of {listing(result.apart)} cannot be told from their quality.".strip()
    tested = (
        f"We tested whether {judges} judge{'s' * (judges > 1)} favour{'s' * (judges == 1)} runs such as those of "
        f"{groups}, by how much their scores exceed {scale}, on {result.n_topics} topics (Welch's t; p-values and "
        f"{confidence(result.level)} intervals {corrected})."
    )
    return plain(" ".join(filter(None, [tested, *outcomes, others])))
