"""What commands share: arguments, seeds, progress bars, and rows that are written when they are finished."""

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

ALONE = "scores"  # the name of a single collection in comparisons


def arguments(options: Namespace, *without: str) -> dict[str, Any]:
    """The arguments for the function of the command that the user gave, and the seed."""
    return given(options, *(name for name in options.takes if name not in without))


def draw_seed(options: Namespace, *, tell: bool = True) -> int:
    """The seed: that of --seed, or a random one.

    Commands that read their files later print it by `tell_seed`, when these are read without an error.
    """
    options.is_secret = "rng" not in options
    if options.is_secret:
        options.rng = secrets.randbits(32)
    if tell:
        tell_seed(options)
    return int(options.rng)


def tell_seed(options: Namespace) -> None:
    """Prints the seed, once, if the user gave none."""
    if options.is_secret:
        note(options, f"--seed {options.rng} gives the same numbers again.")
        options.is_secret = False


def reference_of(options: Namespace, scores: ptr.Scores) -> str:
    """The trusted measure, by default the first."""
    named = getattr(options, "reference", None)
    return scores.measures[0] if named is None else find([named], scores)[0]


def of_each_measure(options: Namespace, compute: Callable[[Namespace, Any], tuple[Any, Table, dict[str, Any]]]) -> None:
    """Writes the rows of each measure when they are finished, and draws its result with the arguments of `compute`."""
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
    """A function that writes a row of a comparison; with a total there is a progress bar.

    CSV and JSON lines have one table: with groups of runs or families of judges, it is theirs.
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
    """A row of a comparison, with all columns or `only` some; the name of a single collection is left out."""
    table: Table = row.table()
    kept = {*row.key, *only} if only else {column.name for column in table.columns}
    if row.key.get("collection") == ALONE:
        kept.remove("collection")
    columns = (column for column in table.columns if column.name in kept)
    return replace(table, columns=(*columns, *facts(row.settings.to_dict(), shown=False)))


def progress(options: Namespace, scores: ptr.Scores) -> Iterator[str]:
    """The measures, with a progress bar."""
    with bar(options, len(scores)) as shown:
        for measure in scores:
            yield measure
            shown.update()


def bar(options: Namespace, total: int | None) -> Any:
    """A progress bar on a terminal; none with --quiet or without a total."""
    import pyterrier as pt

    disable = options.quiet or total is None or None  # None: where standard error is no terminal
    return pt.tqdm(total=total, desc=options.command, disable=disable, delay=2, leave=False)
