"""What the command `tau` compares: columns of tables with one score a system."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import pt_rankcorr as rc
from pt_rankcorr.cli.options import Notes, names_in
from pt_rankcorr.cli.output import UsageError
from pt_rankcorr.io import paths
from pt_rankcorr.io.single_scores import ScoreColumn, read_columns
from pt_rankcorr.stats.coefficients.counting import untied_pairs
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.arguments import closest, listing
from pt_rankcorr.stats.core.headings import RANKS, direction, is_count, plain_heading
from pt_rankcorr.stats.core.means import rounded_scores
from pt_rankcorr.stats.core.summary_rows import sure_columns
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.tables import COEFFICIENT, COUNT, WORD, Column, Kind, Table, listed
from pt_rankcorr.text import confidence, decimals, shown
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, silencing, warn

# columns for machines: the tied pairs of both sides, and the range of tau over all tie-breaks
TIES = ("tied pairs of reference", "tied pairs of compared")
RANGE = ("tau least", "tau most")
RANK_HEADINGS = RANKS | {"#", "no"}  # plain headings of columns of ranks


def read(
    files: Sequence[str],
    columns: Sequence[str] | None,
    lower_is_better: Sequence[str],
    output: Notes,
    *,
    take_all: bool,
    groups: str | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    table: str | None = None,
) -> pd.DataFrame:
    """Scores by (group, system), rows, and column: higher are better, nan where there is none.

    The columns are those that are named, or all that have scores: two, or any number to `take_all`.
    Systems without groups are in the group "". `groups` is the heading of the column of groups,
    `table` the number or heading of a table; `keep` has systems that look like means.
    """
    paths_read = paths.files(files, "scores")
    known = _between_groups(read_columns(paths_read, groups=groups, keep=keep, table=table))
    lower = _named("--lower-is-better", lower_is_better, known)
    # ranks are compared only where --columns names them, and negated where --lower-is-better does
    ranks = [name for name in known if plain_heading(name) in RANK_HEADINGS and name not in lower]
    if columns is None:
        chosen = _all_of_scores(known, ranks, output)
        if len(chosen) > 2 and not take_all:
            seen = f"{', '.join(map(shown, chosen))}; --matrix compares all"
            raise UsageError(f"--columns must name those to compare among {seen}.")
    else:
        chosen = _named("--columns", columns, known)
        if len(set(chosen)) < max(len(chosen), 2):
            names = ", ".join(map(shown, chosen))
            raise ValueError(f"--columns must name at least 2 columns, each once, got {names}.")
        for name in chosen:
            if wrong := known[name].wrong:
                place = f"{shown(name)} of {os.fspath(known[name].path)!r}"
                raise ValueError(f"--columns must have numbers, got in {place} {wrong}")
    others = [name for name in chosen if name not in [*lower, *ranks]]
    if by_heading := [name for name in others if direction(name) == "lower"]:
        lower += by_heading
        output.note(f"Lower is better, as headings say: {listing(by_heading)}.")
    key = ["group", "system"]
    frame = pd.DataFrame({name: known[name].cells.set_index(key)["score"] for name in chosen})
    if missed := sorted({*drop} - {*frame.index.get_level_values("system")}):
        raise ValueError(f"--drop must name systems of --scores, got {listing(missed)}.")
    frame = frame.drop(index=list(drop), level="system")
    for name in chosen:
        scores = frame[name].dropna()
        if name in lower:
            continue
        seen = ""
        if len(scores) > 2 and sorted(scores) == list(range(1, len(scores) + 1)):
            seen = f"has the numbers from 1 to {len(scores)}, each once"
        elif name in ranks:
            seen = "is called as ranks are"
        if seen:
            remedy = "If these are ranks, --lower-is-better says so."
            warn(f"{shown(name)} {seen}. {remedy}", UnreliableResultWarning)
    # now higher is better in all
    return frame * [-1.0 if name in lower else 1.0 for name in chosen]


def _between_groups(known: Mapping[str, ScoreColumn]) -> dict[str, ScoreColumn]:
    """The columns; if a single one has scores, of several groups, "{column} {group}" for each.

    So groups, of --groups or a heading, such as two snapshots, are compared with each other.
    """
    scored = {name: column for name, column in known.items() if not column.wrong}
    if len(scored) != 1:
        return dict(known)
    ((name, column),) = scored.items()
    groups = dict.fromkeys(column.cells["group"])
    if len(groups) < 2:
        return dict(known)
    parts = {}
    for group in groups:
        cells = column.cells[column.cells["group"] == group]
        parts[f"{name} {group}"] = column._replace(cells=cells.assign(group=""))
    return parts


def _named(option: str, texts: Sequence[str], known: Mapping[str, ScoreColumn]) -> list[str]:
    """The columns that an option names, in its order; an error if there is none of a name."""
    names = list(texts) if {*texts} <= {*known} else names_in(texts)  # a name may have a comma
    for name in names:
        if name not in known:
            meant = closest(name, known)
            hint = "" if meant is None else f" Did you mean {meant!r}?"
            raise ValueError(f"{option} must be among {listing(known)}, got {shown(name)}.{hint}")
    return names


def _all_of_scores(
    known: Mapping[str, ScoreColumn], ranks: Sequence[str], output: Notes
) -> list[str]:
    """All columns of scores, without `ranks`, texts and those of one value, which a note names.

    Counts and means over other columns are left out, too, if that leaves two.
    """
    left_out = {name: column.wrong for name, column in known.items() if column.wrong}
    alike = [name for name, column in known.items() if len({*column.scores.values()}) == 1]
    left_out |= dict.fromkeys(alike, "the same for all") | dict.fromkeys(ranks, "ranks")
    chosen = [name for name in known if name not in left_out]
    summaries = [name for name in chosen if is_count(name) or sure_columns([name])[0]]
    if len(chosen) - len(summaries) > 1:
        left_out |= dict.fromkeys(summaries, "over the others, or a count")
        chosen = [name for name in chosen if name not in summaries]
    if left_out:
        reasons = ", ".join(f"{shown(name)} ({reason})" for name, reason in left_out.items())
        output.note(f"Columns left out: {reasons}.")
    if len(chosen) < 2:
        got = listing(chosen) or "none"
        raise ValueError(f"--scores must have at least 2 columns of scores, got {got}.")
    return chosen


def shared(scores: pd.DataFrame, output: Notes, *, missing: str, in_pairs: bool) -> pd.DataFrame:
    """The scores of systems that all columns have; an error if others may not be left out.

    `missing` is "error" or another word, all of which leave out. `in_pairs`, for a matrix, each two
    columns have systems of their own in common: those that one lacks stay, with nan.
    """
    lacking = scores.isna()
    if lacking.any(axis=None) and missing == "error":
        column = lacking.any().idxmax()
        seen = f"none for {listing(_names(scores.index[lacking[column]]))} in {shown(column)}"
        remedy = "leaves out those that one lacks"
        if in_pairs:
            remedy = "leaves out of each pair what one of its two lacks"
        raise ValueError(
            f"--scores must have a score of each system in all columns, got {seen}. "
            f"--missing skip {remedy}."
        )
    if not in_pairs:
        if left_out := _names(scores.index[lacking.any(axis=1)]):
            output.note(f"Left out, since not all columns have them: {listing(left_out)}.")
        scores = scores.dropna()
    if len(scores) < 2:
        raise ValueError(f"--scores must share at least 2 systems, got {len(scores)}.")
    repeated = scores[scores.duplicated(keep=False)].dropna()
    if copies := [_names(part.index) for _, part in repeated.groupby(list(scores), sort=False)]:
        output.note(
            f"Equal in all columns: {'; '.join(map(listing, copies))}. "
            "Copies of a run count as so many systems: --drop leaves them out."
        )
    return scores


def _names(index: pd.Index[Any]) -> list[str]:
    """The names of systems, after those of their groups where there are any."""
    return [f"{group}/{system}" if group else system for group, system in index]


def coefficients_of(scores: pd.DataFrame, level: float, output: Notes) -> Table:
    """A row for each column but the first, the reference; with groups also one a group, and a mean.

    `scores` are as `read` makes them, without nan; `level` is that of Kendall's bound for tau.
    """
    reference, *others = scores.columns
    for name in scores.columns[scores.nunique() == 1]:
        tied = f"{shown(name)} ties all systems: its coefficients are undefined."
        warn(tied, DegenerateInputWarning)
    all_parts = {str(group): part for group, part in scores.groupby(level="group", sort=False)}
    parts = {group: part for group, part in all_parts.items() if len(part) > 1}
    if len(parts) > 1 and (alone := {*all_parts} - {*parts}):
        output.note(f"Groups of one system, which are in the pooled row alone: {listing(alone)}.")
    rows: list[dict[str, Any]] = []
    for name in others:
        pooled = _coefficients(scores, reference, name)
        rows.append({"compared": name, "group": "all, pooled", **pooled})
        output.note(_note_on_ties(pooled, reference, name))
        if len(parts) < 2:
            continue
        of_groups = [
            {"compared": name, "group": group, **_coefficients(part, reference, name)}
            for group, part in parts.items()
        ]
        values = pd.DataFrame(of_groups)[list(COEFFICIENTS)]  # (n_groups, n_coefficients)
        means = {coefficient: float(values[coefficient].mean()) for coefficient in COEFFICIENTS}
        mean_of = f"mean of {values['tau'].count()}"
        of_mean = {"compared": name, "group": mean_of, "n_systems": math.nan, **means}
        rows += [*of_groups, of_mean]
        if pooled["tau"] * means["tau"] < 0:
            over_all, in_mean = decimals(pooled["tau"]), decimals(means["tau"])
            warn(
                f"tau of {shown(name)} is {over_all} over all groups and {in_mean} in their mean: "
                "groups differ in level, which says nothing about the systems in them.",
                UnreliableResultWarning,
            )

    # of tau; a mean of groups, without a size, has none
    def interval(row: int) -> tuple[float, float] | None:
        tau, n_systems = rows[row]["tau"], rows[row]["n_systems"]
        is_known = not math.isnan(tau) and not math.isnan(n_systems)
        return rc.stats.kendall_interval(tau, n_systems, level=level) if is_known else None

    # nan where a row lacks it
    def column(name: str, kind: Kind, title: str = "", **options: Any) -> Column[int]:
        return listed(name, kind, [row.get(name, math.nan) for row in rows], title, **options)

    columns = {name: column(name, COEFFICIENT, known.title) for name, known in COEFFICIENTS.items()}
    columns["tau"] = replace(columns["tau"], title=f"tau [{confidence(level)}]", interval=interval)
    columns["tau_ap_b"] = replace(columns["tau_ap_b"], shown=False)
    return Table(
        (
            listed("reference", WORD, [reference] * len(rows)),
            column("compared", WORD),
            *([column("group", WORD)] if len(parts) > 1 else []),
            column("n_systems", COUNT, "systems"),
            *columns.values(),
            *(column(name, COUNT, shown=False) for name in TIES),
            *(column(name, COEFFICIENT, shown=False) for name in RANGE),
        ),
        range(len(rows)),
    )


def _coefficients(scores: pd.DataFrame, reference: str, name: str) -> dict[str, Any]:
    """The cells of one row, by column: n_systems, all coefficients by name, `TIES` and `RANGE`."""
    first, second = (rounded_scores(scores[column].to_numpy()) for column in (reference, name))
    values = {known.name: float(known.kernel(first, second)) for known in COEFFICIENTS.values()}
    of_ties = _range_over_ties(first, second, values["tau"])
    cells = dict(zip((*TIES, *RANGE), of_ties, strict=True))
    return {"n_systems": len(scores), **values, **cells}


def _range_over_ties(first: Floats, second: Floats, tau: float) -> tuple[int, int, float, float]:
    """The tied pairs of both columns, and the least and largest tau over all ways to break these.

    A pair that either column ties is concordant in one way, and discordant in another: tau is least
    where all such pairs are discordant, (C - D - T) / (m (m - 1) / 2), and most where all are
    concordant. C, D and T count concordant, discordant and tied pairs of the m systems; both
    columns are of shape (m,), and `tau` is (C - D) / (m (m - 1) / 2).
    """
    n_pairs = math.comb(len(first), 2)
    ties, others = (n_pairs - int(untied_pairs(side)) for side in (first, second))
    # T / (m (m - 1) / 2): pairs of systems with equal scores in both columns count once
    _, counts = np.unique(np.stack([first, second]), axis=1, return_counts=True)
    in_both = sum(math.comb(count, 2) for count in counts.tolist())
    share = (ties + others - in_both) / n_pairs
    return ties, others, max(tau - share, -1.0), min(tau + share, 1.0)


def _note_on_ties(values: Mapping[str, Any], reference: str, name: str) -> str:
    """How many pairs each column ties, and the range of tau of untied scores; "" without ties."""
    ties = [int(values[side]) for side in TIES]
    if not any(ties) or math.isnan(values["tau"]):
        return ""
    n_pairs = math.comb(values["n_systems"], 2)
    low, high = (decimals(values[end]) for end in RANGE)
    return (
        f"Of {n_pairs} pairs, {shown(reference)} ties {ties[0]} and {shown(name)} {ties[1]}. "
        f"If rounding made these ties, tau of the exact scores is between {low} and {high}."
    )


def matrix_of(scores: pd.DataFrame, coefficient: str, output: Notes) -> Table:
    """A coefficient of all columns, the reference in rows, and what ties leave open of tau.

    Cells show numbers of systems if these differ; machines always get them, and the range of tau.
    """
    if (scores.index.get_level_values("group") != "").any():
        together = "Systems of all groups are ranked together. Two --columns show each group."
        warn(together, UnreliableResultWarning)
    named = scores.set_axis(_names(scores.index))
    with silencing(UnreliableResultWarning):  # there was one of ranks when they were read
        values = rc.stats.coefficient_matrix(named, coefficient, missing="skip")
    has = scores.notna().astype(int)
    counts = has.T @ has  # how many systems each two columns share, (n_columns, n_columns)
    names = [*map(str, values.index)]
    # of tau over ties, by two columns in both orders; nan where they share too few systems
    ranges: dict[tuple[str, str], tuple[float, float]] = {}
    for first, second in combinations(names, 2) if coefficient == "tau" else ():
        both = scores[[first, second]].dropna()
        least = most = math.nan
        if len(both) > 1:
            side, other = (rounded_scores(both[name].to_numpy()) for name in (first, second))
            *_, least, most = _range_over_ties(side, other, float(values[second].loc[first]))
        ranges[first, second] = ranges[second, first] = (least, most)
    output.note(_said_of_widest(ranges))
    columns = [listed("reference column", WORD, names, "reference")]
    is_counted = counts.to_numpy().min() < counts.to_numpy().max()
    for name, column in values.items():
        coefficients, n_systems = column.tolist(), counts[name].tolist()
        pairs = zip(COEFFICIENT.texts(coefficients), n_systems, strict=True)
        texts = [f"{text} ({number})" for text, number in pairs]
        text = texts.__getitem__ if is_counted else None
        columns.append(listed(str(name), COEFFICIENT, coefficients, text=text))
        columns.append(listed(f"{name} systems", COUNT, n_systems, shown=False))
        for place, end in enumerate(("least", "most") if ranges else ()):
            of_each = [ranges[other, str(name)][place] if other != name else 1.0 for other in names]
            columns.append(listed(f"{name} {end}", COEFFICIENT, of_each, shown=False))
    return Table(tuple(columns), range(len(values)), n_names=1)


def _said_of_widest(ranges: Mapping[tuple[str, str], tuple[float, float]]) -> str:
    """Of which two columns ties leave most of tau open; "" without ties."""
    widths = {pair: high - low for pair, (low, high) in ranges.items() if high > low}
    if not widths:
        return ""
    first, second = widest = max(widths, key=widths.__getitem__)
    low, high = map(decimals, ranges[widest])
    n_open, n_pairs = len(widths) // 2, len(ranges) // 2  # `ranges` have each in both orders
    return (
        f"Ties leave tau of {n_open} of {n_pairs} pairs of columns open. If rounding made these, "
        f"tau of exact scores of {shown(first)} and {shown(second)}, widest open, "
        f"is between {low} and {high}."
    )
