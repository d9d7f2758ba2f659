"""The options of the command about leaderboards of judges, and those that all comparisons of rankings share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from pt_rankcorr.cli._command import Names

# what options may say; the functions know, too, but take a moment to load
AGREEMENTS = ("tau", "tau_b", "tau_ap", "tau_ap_b", "tau_gap", "spearman", "pearson")
LEADERBOARDS = ("trec_eval", "tot", "ir_measures", "ranking", "jsonl")
ON_MISSING = ("error", "warn", "skip", "default", "drop-topics", "drop-systems", "zero")


def input_of_leaderboards(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("input: files, folders or patterns of scores of runs, topics and measures")
    group.add_argument("--reference", metavar="PATH", nargs="+", required=True, help="the leaderboard that is trusted")
    group.add_argument("--judges", metavar="PATH", nargs="+", required=True, help="others: a file or folder a judge")
    group.add_argument(
        "--reference-measure",
        metavar="NAME",
        nargs="+",
        action=Names,
        help="of the reference (default: by equal names)",
    )
    group.add_argument("--measures", metavar="NAME", nargs="+", action=Names, help="of the judges (default: all)")
    group.add_argument(
        "--input-format",
        choices=LEADERBOARDS,
        metavar="FORMAT",
        help=f"{', '.join(LEADERBOARDS)} (default: as it looks)",
    )
    group.add_argument(
        "--missing", "--on-missing", choices=ON_MISSING, default="error", metavar="WORD",
        help="what to do where runs or topics differ: error; skip or warn: leave out what not all have; default or "
        "zero: a judge scores 0; drop-topics; drop-systems",
    )  # fmt: skip
    group.add_argument("--only-shared-topics", action="store_true", help="as --missing drop-topics")
    group.add_argument("--only-shared-runs", action="store_true", help="as --missing drop-systems; with both as skip")
    group.add_argument(
        "--lower-is-better", metavar="NAME", nargs="+", action=Names, default=[], help="measures better when lower"
    )


def of_rows(*, intervals: bool) -> Callable[[argparse.ArgumentParser], None]:
    """What else there is to know of two rankings."""

    def add(parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("coefficients")
        group.add_argument(
            "--intervals",
            action=argparse.BooleanOptionalAction,
            default=intervals,
            help="intervals over topics, and ceilings",
        )
        group.add_argument("--top", type=int, metavar="K", help="also of the K best of the reference")
        group.add_argument("--per-topic", action="store_true", help="also means of the coefficients of single topics")
        group.add_argument("--wide", action="store_true", help="all columns in tables; csv and jsonl always have them")
        group.add_argument("--ties", choices=("a", "b"), default="a", help="the variant of tau and tau_AP in tables")

    return add


def against(parser: argparse.ArgumentParser) -> None:
    """Judges of a report."""
    parser.add_argument(
        "--against",
        metavar="PATH",
        nargs="+",
        help="judges: qrels files for --runs, else leaderboards, a file or a folder a judge",
    )


def of_groups(parser: argparse.ArgumentParser) -> None:
    """Of runs that a judge may favour."""
    group = parser.add_argument_group("is a judge partial?")
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--group",
        type=_named_pattern,
        metavar="NAME=PATTERN",
        nargs="+",
        help="also whether judges favour these runs, such as rerankers='rerank-*'; csv and jsonl then say this alone",
    )
    one.add_argument("--groups", metavar="FILE", help="the same; a run and its group on each line")


def _named_pattern(text: str) -> tuple[str, str]:
    name, equals, pattern = text.partition("=")
    if not (name and equals and pattern):
        raise argparse.ArgumentTypeError(f"must be NAME=PATTERN, got {text}")
    return name, pattern


def groups_of(options: argparse.Namespace) -> dict[str, Any] | None:
    """Group -> a pattern or a list of runs; None where there are none."""
    from pt_rankcorr.adapters.labels import read_labels

    if options.groups is None:
        return None if options.group is None else dict(options.group)
    found: dict[str, Any] = {}
    for run, group in read_labels(options.groups, "run").items():
        found.setdefault(group, []).append(run)
    return found


def of_order(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rank",
        choices=AGREEMENTS,
        help="print the judges in order of this coefficient, and which cannot be told apart",
    )


def of_leaderboards(parser: argparse.ArgumentParser) -> None:
    of_order(parser)
    parser.add_argument("--resume", metavar="FILE", help="keeps finished rows, so that a stopped command goes on")
