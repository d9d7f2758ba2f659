"""The command line: results on standard output, progress on standard error."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence

import pandas as pd

from pt_rankcorr import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except BrokenPipeError:  # whoever read our output has had enough
        sys.stderr.close()
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pt-rankcorr", description="Do two rankings of retrieval systems agree, and by more than luck?"
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo",
        help="an experiment on an embedded test collection",
        description="Runs 29 retrieval systems on an embedded test collection and compares how measures rank them.",
        epilog="example: pt-rankcorr demo --topics 25",
    )
    demo.add_argument("--topics", type=int, default=50, help="how many topics, 2 to 90 (default: %(default)s)")
    demo.add_argument("--quiet", action="store_true", help="no progress bar")
    demo.set_defaults(run=_demo, parser=demo)
    return parser


def _demo(options: argparse.Namespace) -> int:
    if not 2 <= options.topics <= 90:
        options.parser.error(f"argument --topics: must be from 2 to 90, got {options.topics}")
    from pt_rankcorr.demo import study

    result = study.run(n_topics=options.topics, verbose=not options.quiet)
    _print(result.by_system, result.by_measure)
    print(*result.sentences, sep="\n")  # noqa: T201
    return 0


def _print(*tables: pd.DataFrame) -> None:
    width = shutil.get_terminal_size((160, 24)).columns
    for table in tables:
        formats = {column: _format(column) for column in table.columns if table[column].dtype.kind == "f"}
        print(table.to_string(index=False, line_width=width, formatters=formats, na_rep=""), end="\n\n")  # noqa: T201


def _format(column: str) -> Callable[[float], str]:
    """Ranks and p-values need digits of their own: a p-value is never 0."""
    digits = "g" if " rank" in column and not column.endswith("first") else ".2g" if "p-value" in column else ".3f"
    return lambda value: format(value, digits)
