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

TIES, RANGE = ("tied pairs of reference", "tied pairs of compared"), ("tau least", "tau most")  # over all tie-breaks
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
    """Scores by (group, system), rows, and column; higher are better, and nan is where a column lacks a system.

    The columns are those that are named, or all that have scores: two, or any number to `take_all`. Systems without
    groups are in the group "". `groups` is the heading of the column of groups; `table` the number or heading of a
    table in a page; `keep` has systems that look like means, and `drop` those to leave out.
    """
    known = _between_groups(read_columns(paths.files(files, "scores"), groups=groups, keep=keep, table=table))
    lower = _named("--lower-is-better", lower_is_better, known)
    ranks = [name for name in known if plain_heading(name) in RANK_HEADINGS]  # compared only where they are asked for
    lower_by_heading = [name for name in known if name not in [*lower, *ranks] and direction(name) == "lower"]
    if columns is None:
        chosen = _all_of_scores(known, lower, output)
        if len(chosen) > 2 and not take_all:
            names = ", ".join(map(shown, chosen))
            raise UsageError(f"--columns must name those to compare among {names}; --matrix compares all.")
    else:
        chosen = _named("--columns", columns, known)
        if len(set(chosen)) < max(len(chosen), 2):
            raise ValueError(f"--columns must name at least 2 columns, each once, got {', '.join(map(shown, chosen))}.")
        for name in chosen:
            if known[name].wrong:
                path = repr(os.fspath(known[name].path))
                raise ValueError(f"--columns must have numbers, got in {shown(name)} of {path} {known[name].wrong}")
    if by_heading := [name for name in chosen if name in lower_by_heading]:
        lower += by_heading
        output.note(f"Lower is better, as headings say: {listing(by_heading)}.")
    frame = pd.DataFrame({name: known[name].cells.set_index(["group", "system"])["score"] for name in chosen})
    if missed := sorted({*drop} - {*frame.index.get_level_values("system")}):
        raise ValueError(f"--drop must name systems of --scores, got {listing(missed)}.")
    frame = frame.drop(index=list(drop), level="system")
    for name in chosen:
        scores = frame[name].dropna()
        if name not in lower and len(scores) > 2 and sorted(scores) == list(range(1, len(scores) + 1)):
            warn(
                f"{shown(name)} has the numbers from 1 to {len(scores)}, each once. If these are ranks, "
                "--lower-is-better says so.",
                UnreliableResultWarning,
            )
    return frame * [-1.0 if name in lower else 1.0 for name in chosen]  # now higher is better in all


def _between_groups(known: Mapping[str, ScoreColumn]) -> dict[str, ScoreColumn]:
    """The columns; if there is a single one of scores, of systems in groups, one a group, "{column} {group}".

    So --groups also compares groups, such as two snapshots, with each other.
    """
    scored = {name: column for name, column in known.items() if not column.wrong}
    if len(scored) != 1:
        return dict(known)
    ((name, column),) = scored.items()
    groups = dict.fromkeys(column.cells["group"])
    if len(groups) < 2:
        return dict(known)
    parts = {group: column.cells[column.cells["group"] == group].assign(group="") for group in groups}
    return {f"{name} {group}": column._replace(cells=cells) for group, cells in parts.items()}


def _named(option: str, texts: Sequence[str], known: Mapping[str, ScoreColumn]) -> list[str]:
    """The columns that an option names, in its order; an error if there is none of a name."""
    names = list(texts) if {*texts} <= {*known} else names_in(texts)  # a name may have a comma
    for name in names:
        if name not in known:
            meant = closest(name, known)
            hint = "" if meant is None else f" Did you mean {meant!r}?"
            raise ValueError(f"{option} must be among {listing(known)}, got {shown(name)}.{hint}")
    return names


def _all_of_scores(known: Mapping[str, ScoreColumn], lower: Sequence[str], output: Notes) -> list[str]:
    """All columns of scores, without those of ranks, texts or one value, which a note names.

    Counts and means over other columns are left out, too, if that leaves two.
    """
    left_out = {name: column.wrong for name, column in known.items() if column.wrong}
    left_out |= {name: "the same for all" for name, column in known.items() if len({*column.scores.values()}) == 1}
    left_out |= {name: "ranks" for name in known if plain_heading(name) in RANK_HEADINGS and name not in lower}
    summaries = [name for name in known if name not in left_out and (is_count(name) or sure_columns([name])[0])]
    if len(known) - len(left_out) - len(summaries) > 1:
        left_out |= dict.fromkeys(summaries, "over the others, or a count")
    if left_out:
        reasons = ", ".join(f"{shown(name)} ({reason})" for name, reason in left_out.items())
        output.note(f"Columns left out: {reasons}.")
    chosen = [name for name in known if name not in left_out]
    if len(chosen) < 2:
        raise ValueError(f"--scores must have at least 2 columns of scores, got {listing(chosen) or 'none'}.")
    return chosen


def shared(scores: pd.DataFrame, output: Notes, *, missing: str, in_pairs: bool) -> pd.DataFrame:
    """The scores of systems that all columns have; an error if there are others, unless these may be left out.

    `missing` is "error" or another word, all of which leave out. `in_pairs`, for a matrix, each two columns have
    systems of their own in common: those that one lacks stay, with nan.
    """
    lacking = scores.isna()
    if lacking.any(axis=None) and missing == "error":
        column = lacking.any().idxmax()
        seen = f"none for {listing(_names(scores.index[lacking[column]]))} in {shown(column)}"
        remedy = "leaves out of each pair what one of its two lacks" if in_pairs else "leaves out those that one lacks"
        raise ValueError(
            f"--scores must have a score of each system in all columns, got {seen}. --missing skip {remedy}."
        )
    if lacking.any(axis=None) and not in_pairs:
        output.note(f"Left out, since not all columns have them: {listing(_names(scores.index[lacking.any(axis=1)]))}.")
    if not in_pairs:
        scores = scores.dropna()
    if len(scores) < 2:
        raise ValueError(f"--scores must share at least 2 systems, got {len(scores)}.")
    repeated = scores[scores.duplicated(keep=False)].dropna()
    if copies := [_names(part.index) for _, part in repeated.groupby(list(scores), sort=False)]:
        output.note(
            f"Equal in all columns: {'; '.join(map(listing, copies))}. Copies of a run count as so many systems: "
            "--drop leaves them out."
        )
    return scores


def _names(index: pd.Index[Any]) -> list[str]:
    """The names of systems, after those of their groups where there are any."""
    return [f"{group}/{system}" if group else system for group, system in index]


def coefficients_of(scores: pd.DataFrame, level: float, output: Notes) -> Table:
    """A row for each column but the first, which is the reference; with groups, one for each group and their mean.

    `scores` are as `read` makes them, without nan; `level` is that of Kendall's bound for tau.
    """
    reference, *others = scores.columns
    for name in scores.columns[scores.nunique() == 1]:
        warn(f"{shown(name)} ties all systems: its coefficients are undefined.", DegenerateInputWarning)
    parts = {str(group): part for group, part in scores.groupby(level="group", sort=False) if len(part) > 1}
    if len(parts) > 1 and (alone := [*map(str, {*scores.index.get_level_values("group")} - {*parts})]):
        output.note(f"Groups of one system, which are in the pooled row alone: {listing(sorted(alone))}.")
    rows: list[dict[str, Any]] = []
    for name in others:
        pooled = _coefficients(scores, reference, name)
        rows.append({"compared": name, "group": "all, pooled", **pooled})
        output.note(_note_on_ties(pooled, reference, name))
        if len(parts) < 2:
            continue
        rows += [{"compared": name, "group": group, **_coefficients(parts[group], reference, name)} for group in parts]
        of_groups = pd.DataFrame(rows[-len(parts) :])[list(COEFFICIENTS)]  # the rows just added, (n_groups, ...)
        means = {coefficient: float(of_groups[coefficient].mean()) for coefficient in COEFFICIENTS}
        mean_of = f"mean of {of_groups['tau'].count()}"
        rows.append({"compared": name, "group": mean_of, "n_systems": math.nan, **means})
        if pooled["tau"] * means["tau"] < 0:
            warn(
                f"tau of {shown(name)} is {decimals(pooled['tau'])} over all groups and {decimals(means['tau'])} in "
                "their mean: groups differ in level, which says nothing about the systems in them.",
                UnreliableResultWarning,
            )

    def interval(row: int) -> tuple[float, float] | None:  # of tau; a mean of groups, without a size, has none
        tau, n_systems = rows[row]["tau"], rows[row]["n_systems"]
        is_known = not math.isnan(tau) and not math.isnan(n_systems)
        return rc.stats.kendall_interval(tau, n_systems, level=level) if is_known else None

    def column(name: str, kind: Kind, title: str = "", **options: Any) -> Column[int]:  # nan where a row lacks it
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
    return {"n_systems": len(scores), **values, **_range_over_ties(first, second, values["tau"])}


def _range_over_ties(first: Floats, second: Floats, tau: float) -> dict[str, Any]:
    """The tied pairs of two columns, and the range of tau over all ways to break these.

    A pair that either column ties is concordant in one way, and discordant in another: tau is least where all such
    pairs are discordant, (C - D - T) / (m (m - 1) / 2), and most where all are concordant. C, D and T count concordant,
    discordant and tied pairs of the m systems; both columns are of shape (m,), and `tau` is (C - D) / (m (m - 1) / 2).
    """
    n_pairs = math.comb(len(first), 2)
    ties = [n_pairs - int(untied_pairs(side)) for side in (first, second)]
    # T / (m (m - 1) / 2): pairs that both columns tie, which are of systems with equal scores in both, count once
    _, counts = np.unique(np.stack([first, second]), axis=1, return_counts=True)
    share = (sum(ties) - sum(math.comb(count, 2) for count in counts.tolist())) / n_pairs
    ends = (max(tau - share, -1.0), min(tau + share, 1.0))
    return dict(zip((*TIES, *RANGE), (*ties, *ends), strict=True))


def _note_on_ties(values: Mapping[str, Any], reference: str, name: str) -> str:
    """How many pairs both columns tie, and between what tau of untied scores lies; "" without ties."""
    ties = [int(values[side]) for side in TIES]
    if not any(ties) or math.isnan(values["tau"]):
        return ""
    low, high = (decimals(values[end]) for end in RANGE)
    return (
        f"Of {math.comb(values['n_systems'], 2)} pairs, {shown(reference)} ties {ties[0]} and {shown(name)} {ties[1]}. "
        f"If rounding made these ties, tau of the exact scores is between {low} and {high}."
    )


def matrix_of(scores: pd.DataFrame, coefficient: str, output: Notes) -> Table:
    """A coefficient of all columns, the reference in rows; of how many systems, and what ties leave open of tau.

    Cells show the number of systems where columns differ in it; machines always get it, and the range of tau.
    """
    if (scores.index.get_level_values("group") != "").any():
        warn("Systems of all groups are ranked together. Two --columns show each group.", UnreliableResultWarning)
    with silencing(UnreliableResultWarning):  # there was one of ranks when they were read
        values = rc.stats.coefficient_matrix(scores.set_axis(_names(scores.index)), coefficient, missing="skip")
    has = scores.notna().astype(int)
    counts = has.T @ has  # how many systems each two columns share, (n_columns, n_columns)
    names = [*map(str, values.index)]
    ranges: dict[tuple[str, str], tuple[float, float]] = {}  # of tau over ties; nan where there are too few systems
    for first, second in combinations(names, 2) if coefficient == "tau" else ():
        both = scores[[first, second]].dropna()
        sides = [rounded_scores(both[name].to_numpy()) for name in (first, second)]
        tau = float(values[second].loc[first])
        open_ends = _range_over_ties(sides[0], sides[1], tau) if len(both) > 1 else {}
        ends = open_ends.get(RANGE[0], math.nan), open_ends.get(RANGE[1], math.nan)
        ranges[first, second] = ranges[second, first] = ends
    output.note(_said_of_widest(ranges))
    columns = [listed("reference column", WORD, names, "reference")]
    for name, column in values.items():
        number, texts = counts[name].tolist(), COEFFICIENT.texts(column.tolist())
        cells = [f"{text} ({count})" for text, count in zip(texts, number, strict=True)]
        is_counted = counts.to_numpy().min() < counts.to_numpy().max()
        columns.append(listed(str(name), COEFFICIENT, column.tolist(), text=cells.__getitem__ if is_counted else None))
        columns.append(listed(f"{name} systems", COUNT, number, shown=False))
        for place, end in enumerate(("least", "most") if ranges else ()):
            of_each = [ranges[other, str(name)][place] if other != name else 1.0 for other in names]
            columns.append(listed(f"{name} {end}", COEFFICIENT, of_each, shown=False))
    return Table(tuple(columns), range(len(values)), n_names=1)


def _said_of_widest(ranges: Mapping[tuple[str, str], tuple[float, float]]) -> str:
    """Of which two columns ties leave most of tau open; "" without ties. `ranges` have each pair in both orders."""
    widths = {pair: high - low for pair, (low, high) in ranges.items() if high > low}
    if not widths:
        return ""
    first, second = widest = max(widths, key=widths.__getitem__)
    low, high = map(decimals, ranges[widest])
    return (
        f"Ties leave tau of {len(widths) // 2} of {len(ranges) // 2} pairs of columns open. If rounding made these, "
        f"tau of exact scores of {shown(first)} and {shown(second)}, widest open, is between {low} and {high}."
    )
