"""Numbers, rows and headings as they are printed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from tests.benchmarks.contests import Contest, Row, Skipped
from tests.benchmarks.machine import least_seconds

WIDTH = 124


def table(part: str, rows: Iterable[Row | Skipped]) -> Iterator[str]:
    """What of ours was timed stands above the rivals that it was timed with."""
    heading = f"{'ours':>11}{'theirs':>11}{'theirs / ours [quartiles]':>27}{'nobody is faster':>18}"
    yield f"\n{part:<42}{heading}  values"
    yield "-" * WIDTH
    subject = ""
    for row in rows:
        if named(row) != subject:
            subject = named(row)
            yield subject
            yield from _limit(row)
        yield from _lines(row)


def named(row: Row | Skipped) -> str:
    return row.subject if isinstance(row, Skipped) else _subject(row.contest)


def _subject(contest: Contest) -> str:
    return contest.subject + ", wall-clock time" * contest.wall


def _lines(row: Row | Skipped) -> Iterator[str]:
    if isinstance(row, Skipped):
        yield f"    {row.rival:<40}skipped: {row.why}"
        return
    quartiles = f"{times(row.ratio):>8} [{times(row.low)}, {times(row.high)}]"
    figures = f"{seconds(row.ours):>11}{seconds(row.theirs):>11}{quartiles:>27}{row.nobody_is_faster:>18}"
    yield f"    {row.contest.rival:<38}{figures}  {row.verdict}"
    slower = row.contest.why_slower if row.nobody_is_faster != "yes" else ""
    for remark in filter(None, (row.contest.claim.why, slower)):
        yield from textwrap.wrap(remark, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)


def _limit(row: Row | Skipped) -> Iterator[str]:
    """What this machine takes for the operations, or the bytes, that are most of the work."""
    if isinstance(row, Row) and (row.contest.flops or row.contest.bytes):
        least = least_seconds(row.contest.flops, row.contest.bytes)
        ours = f"{seconds(least):>11}, of which ours is {times(row.ours / least)} times"
        yield f"    {'the limit of this machine':<38}{ours}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def seconds(value: float) -> str:
    """A duration in the unit that reads best, three or four digits."""
    unit, size = next(((u, s) for u, s in (("s ", 1.0), ("ms", 1e-3)) if value >= s), ("us", 1e-6))
    return f"{value / size:.{0 if value >= 100 * size else 1 if value >= 10 * size else 2}f} {unit}"


def memory(value: float) -> str:
    return f"{value / 2**30:.1f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"
