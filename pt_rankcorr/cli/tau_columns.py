"""What the command `tau` compares: columns of tables with one score a system."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

import pt_rankcorr as rc
from pt_rankcorr.cli.options import Notes, names_in
from pt_rankcorr.cli.output import UsageError
from pt_rankcorr.io import paths
from pt_rankcorr.io.single_scores import ScoreColumn, read_columns
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.arguments import closest, listing
from pt_rankcorr.stats.core.headings import RANKS, direction, is_count, plain_heading
from pt_rankcorr.stats.core.means import rounded_scores
from pt_rankcorr.stats.core.summary_rows import sure_columns
from pt_rankcorr.tables import COEFFICIENT, COUNT, WORD, Table, listed
from pt_rankcorr.text import confidence, shown
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning, silencing, warn

OF_RANKS = RANKS | {"#", "no"}  # headings


def read(
    files: Sequence[str],
    columns: Sequence[str] | None,
    lower_is_better: Sequence[str],
    output: Notes,
    *,
    take_all: bool,
    groups: str | None = None,
    keep: Sequence[str] = (),
    table: str | None = None,
) -> pd.DataFrame:
    """Systems x columns, of which higher are better; nan where a column lacks a system.

    The columns are those that are named, or all that have scores: two, or any number to `take_all`.
    """
    known = _between_groups(read_columns(paths.files(files, "scores"), groups=groups, keep=keep, table=table))
    lower = _named("--lower-is-better", lower_is_better, known)
    ranks = [name for name in known if plain_heading(name) in OF_RANKS]  # compared only where they are asked for
    said = [name for name in known if name not in [*lower, *ranks] and direction(name) == "lower"]
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
    if by_heading := [name for name in chosen if name in said]:
        lower += by_heading
        output.note(f"Lower is better, as headings say: {listing(by_heading)}.")
    if any(known[name].cells["group"].any() for name in chosen):
        warn("Systems of all groups are ranked together: within groups, tau may differ.", UnreliableResultWarning)
    frame = pd.DataFrame({name: pd.Series(known[name].scores, dtype=float) for name in chosen})
    for name in chosen:
        scores = frame[name].dropna()
        if name not in lower and len(scores) > 2 and sorted(scores) == list(range(1, len(scores) + 1)):
            warn(
                f"{shown(name)} has the numbers from 1 to {len(scores)}, each once. If these are ranks, "
                "--lower-is-better says so.",
                UnreliableResultWarning,
            )
    return frame * [-1.0 if name in lower else 1.0 for name in chosen]


def _between_groups(known: Mapping[str, ScoreColumn]) -> dict[str, ScoreColumn]:
    """The columns; if there is a single one of scores, of systems in groups, one for each group."""
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
    """All columns of scores, without those of ranks, texts or one value, which a note names."""
    left_out = {name: column.wrong for name, column in known.items() if column.wrong}
    left_out |= {name: "the same for all" for name, column in known.items() if len({*column.scores.values()}) == 1}
    left_out |= {name: "ranks" for name in known if plain_heading(name) in OF_RANKS and name not in lower}
    over = [name for name in known if name not in left_out and (is_count(name) or sure_columns([name])[0])]
    if len(known) - len(left_out) - len(over) > 1:
        left_out |= dict.fromkeys(over, "over the others, or a count")
    if left_out:
        reasons = ", ".join(f"{shown(name)} ({reason})" for name, reason in left_out.items())
        output.note(f"Columns left out: {reasons}.")
    chosen = [name for name in known if name not in left_out]
    if len(chosen) < 2:
        raise ValueError(f"--scores must have at least 2 columns of scores, got {listing(chosen) or 'none'}.")
    return chosen


def shared(scores: pd.DataFrame, output: Notes, *, leave_out: bool) -> pd.DataFrame:
    """The scores of systems that all columns have; an error if there are others, unless these may be left out."""
    lacking = scores.isna()
    if lacking.any(axis=None) and not leave_out:
        column = lacking.any().idxmax()
        seen = f"none for {listing(scores.index[lacking[column]])} in {shown(column)}"
        raise ValueError(
            f"--scores must have a score of each system in all columns, got {seen}. --only-shared-runs leaves systems "
            "out that not all columns have."
        )
    if different := listing(scores.index[lacking.any(axis=1)]):
        output.note(f"Left out, since not all columns have them: {different}.")
    scores = scores.dropna()
    if len(scores) < 2:
        raise ValueError(f"--scores must share at least 2 systems, got {len(scores)}.")
    return scores


def coefficients_of(scores: pd.DataFrame, level: float) -> Table:
    """A row for each column but the first, which is the reference."""
    reference, *others = scores.columns
    for name in scores.columns[scores.nunique() == 1]:
        warn(f"{shown(name)} ties all systems: its coefficients are undefined.", DegenerateInputWarning)
    vectors = {name: rounded_scores(scores[name].to_numpy()) for name in scores}
    values = [
        {known.name: float(known.kernel(vectors[reference], vectors[name])) for known in COEFFICIENTS.values()}
        for name in others
    ]

    def interval(row: int) -> tuple[float, float] | None:
        tau = values[row]["tau"]
        return None if math.isnan(tau) else rc.stats.kendall_interval(tau, len(scores), level=level)

    columns = {
        name: listed(name, COEFFICIENT, [row[name] for row in values], known.title)
        for name, known in COEFFICIENTS.items()
    }
    columns["tau"] = replace(columns["tau"], title=f"tau [{confidence(level)}]", interval=interval)
    columns["tau_ap_b"] = replace(columns["tau_ap_b"], shown=False)
    names = listed("reference", WORD, [reference] * len(others)), listed("compared", WORD, others)
    count = listed("n_systems", COUNT, [len(scores)] * len(others), "systems")
    return Table((*names, count, *columns.values()), range(len(others)))


def matrix_of(scores: pd.DataFrame, coefficient: str) -> Table:
    """A coefficient of all columns, each with each."""
    with silencing(UnreliableResultWarning):  # there was one of ranks when they were read
        values = rc.stats.coefficient_matrix(scores, coefficient)
    of_columns = [listed(str(name), COEFFICIENT, column.tolist()) for name, column in values.items()]
    references = listed("reference column", WORD, list(values.index), "reference")
    return Table((references, *of_columns), range(len(values)), n_names=1)
