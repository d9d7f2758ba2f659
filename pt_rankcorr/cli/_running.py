"""The common needs of commands: arguments, seeds, progress, and rows that are written as they are finished."""

from __future__ import annotations

import secrets
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._input import find, given, note, scores_of
from pt_rankcorr.cli._output import TABLES, Output
from pt_rankcorr.cli._pictures import check_picture, draw, pictures_of
from pt_rankcorr.tables.table import Table, constant, facts

ALONE = "scores"  # what comparisons call a single collection


def arguments(options: Namespace, *without: str) -> dict[str, Any]:
    """Those that were given for the function of the command, and a seed."""
    return given(options, *(name for name in options.takes if name not in without))


def draw_seed(options: Namespace, *, tell: bool = True) -> int:
    """The seed, drawn if nobody gave it.

    Commands that read their files later tell it when these have proved to be right, by `tell_seed`.
    """
    options.is_secret = "rng" not in options
    if options.is_secret:
        options.rng = secrets.randbits(32)
    if tell:
        tell_seed(options)
    return int(options.rng)


def tell_seed(options: Namespace) -> None:
    """Says the seed, once, if nobody gave it."""
    if options.is_secret:
        note(options, f"--seed {options.rng} gives the same numbers again.")
        options.is_secret = False


def reference_of(options: Namespace, scores: ptr.Scores) -> str:
    """The measure that is trusted, by default the first."""
    named = getattr(options, "reference", None)
    return scores.measures[0] if named is None else find([named], scores)[0]


def of_each_measure(options: Namespace, compute: Callable[[Namespace, Any], tuple[Any, Table, dict[str, Any]]]) -> None:
    """Writes the rows of each measure as they are finished, and draws its result in the way that `compute` says."""
    check_picture(options)
    scores = scores_of(options)
    draw_seed(options)
    pictures, notes = pictures_of(options, scores.measures), dict[str, None]()
    with Output(options.format, wide=False) as output:
        for measure in progress(options, scores):
            result, table, how = compute(options, scores[measure])
            output.add(table.led_by(constant("measure", measure)))
            draw(pictures.get(measure), result, title=measure, **how)
            notes |= dict.fromkeys(table.notes)
    for said in notes:
        note(options, said)


@contextmanager
def agreements(
    options: Namespace, total: int | None = None, only: Collection[str] = ()
) -> Iterator[Callable[[Any], None]]:
    """A function that writes the row of a comparison; with a progress bar if a total is given and they take their time.

    CSV and JSON lines hold one table: where groups of runs or families of judges are given, it is theirs.
    """
    others = ("group", "groups", "families")
    is_shown = options.format in TABLES or not any(getattr(options, name, None) for name in others)
    with Output(options.format, wide=getattr(options, "wide", True)) as output, bar(options, total) as shown:

        def write(row: Any) -> None:
            tell_seed(options)
            if is_shown:
                output.add(line_of(row, only))
            shown.update()

        yield write


def line_of(row: Any, only: Collection[str] = ()) -> Table:
    """A row of a comparison: all its columns or, beside what is compared, some; a single collection has no name."""
    table: Table = row.table()
    kept = {*row.key, *only} if only else {column.name for column in table.columns}
    if row.key.get("collection") == ALONE:
        kept.remove("collection")
    columns = (column for column in table.columns if column.name in kept)
    return replace(table, columns=(*columns, *facts(row.settings.to_dict(), shown=False)))


def progress(options: Namespace, scores: ptr.Scores) -> Iterator[str]:
    """Its measures, with a progress bar."""
    with bar(options, len(scores)) as shown:
        for measure in scores:
            yield measure
            shown.update()


def bar(options: Namespace, total: int | None) -> Any:
    """A progress bar, if there is anybody to see it."""
    import pyterrier as pt

    disable = options.quiet or total is None or None  # None: where standard error is no terminal
    return pt.tqdm(total=total, desc=options.command, disable=disable, delay=2, leave=False)
