"""Rows and columns over all others: left out by their names, only warned of by their content."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

import numpy as np

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.headings import is_measure
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import AggregateMismatchWarning, warn

OVER_ALL = "all"  # what tools call the row over all topics, the last
MEANS = frozenset(
    "all overall mean means amean avg average averages averaged aggregate aggregated summary "
    "durchschnitt mittelwert gesamt moyenne promedio ø".split()
)
STATISTICS = frozenset(
    "median std stdev stddev stddv stderr sd var variance sem gm gmean gmap hmean ci sum sums "
    "total totals summe somme suma max maximum min minimum count counts n quartile percentile "
    "kendall kendalltau spearman pearson".split()
)
# words that join those above: "Std. dev.", "Macro avg", "Grand total", "Mean of all topics"
BESIDE = frozenset(
    "macro micro weighted arithmetic geometric harmonic standard deviation dev error of over the "
    "per across in for topics topic queries query scores score rating ratings grand row "
    "values".split()
)
# columns beside those of systems
OF_TOPICS = frozenset({"length", "querylength", "topiclength", "difficulty"})
# of columns, words that are no name of a system; one may be called "all", "total", "n", or "max"
OF_COLUMNS = (MEANS | STATISTICS) - frozenset(
    "all overall summary means averages total totals n ci max min sum count var sd".split()
)
# whole labels: none, sum, sigma, slashed o, mu
SIGNS = frozenset({"", "#", "\u2211", "\u03c3", "\u00f8", "\u03bc"})
# in small letters, as the next one: confidence intervals, and quantiles of pandas
INTERVAL = re.compile(r"(\d\d ?%? ?)?ci( ?\d\d ?%?)?|\d{1,2}(\.\d+)? ?%")
# a statistic of systems by a measure, such as max_ndcg and "Mean AP"
OF_A_MEASURE = re.compile(r"(max|min|mean|avg|average|median|std|best|worst)[ _.-]+(.+)")
IN_BRACKETS = re.compile(r"\s*\(.*\)")  # "Mean (8 queries)"
MOST_DECIMALS = 8  # that are taken for rounding
EXACT = 1e-9  # by which a mean may differ that nobody rounded
BY_CHANCE = 1e-6  # a column that fits with a smaller probability is warned of
FEWEST_OTHERS = 2
PEEKED = 8  # rows that are looked at first
FEWEST_VALUES = 6  # distinct ones, below which scores are grades
FEWEST_NUMBERED = 3  # topics that show that topics have numbers


def sure_rows(labels: Iterable[object]) -> Flags:
    """Which labels can only be of rows over all topics."""
    return np.array([_names_a_row(str(label)) for label in labels], dtype=bool)


@lru_cache(maxsize=1 << 16)
def _names_a_row(label: str) -> bool:
    """Whether a label, as "Std. dev." and "Macro avg", is of words for statistics and no number."""
    if label[-1:].isdigit() and label[:2].lower() != "ci":
        return False
    plain = IN_BRACKETS.sub("", label).strip().lower()
    if plain in SIGNS or plain in MEANS or INTERVAL.fullmatch(plain):
        return True
    return _are_of_statistics(plain, MEANS | STATISTICS)


def _are_of_statistics(plain: str, statistics: Collection[str]) -> bool:
    """Whether the words of a plain label are statistics and what joins them, without a number."""
    words = _words(plain)
    return (
        any(word in statistics for word in words)
        and all(word in statistics or word in BESIDE for word in words)
        and not any(map(str.isdigit, plain))
    )


def sure_columns(labels: Sequence[str]) -> Flags:
    """Which names of columns are of statistics over all systems, or say something of a topic."""
    return np.array([_names_a_column(str(label)) for label in labels], dtype=bool)


def _names_a_column(label: str) -> bool:
    """Whether a heading says how topics are, or names a statistic, alone or as max_ndcg does."""
    plain = label.strip().lower()
    if plain in SIGNS - {""} or "".join(_words(plain)) in OF_TOPICS:
        return True
    if _are_of_statistics(plain, OF_COLUMNS):
        return True
    match = OF_A_MEASURE.fullmatch(plain)
    return match is not None and (is_measure(match[2]) or match[2] == "score")


def _words(label: str) -> list[str]:
    """The words of a label in small letters, without numbers and signs."""
    return re.findall(r"[^\W\d_]+", label.lower())


def is_mean(label: object) -> bool:
    """Whether a label says that a row has the means of all topics."""
    words = set(_words(str(label)))
    return bool(words & MEANS) and not words & (STATISTICS | {"weighted", "geometric", "harmonic"})


# --- warnings -------------------------------------------------------------------------------------


@np.errstate(over="ignore", invalid="ignore")
def unlike_means(row: Floats, scores: Floats) -> tuple[list[int], int]:
    """The columns in which a row, (n_columns,), is no mean or sum of scores; and how many it has.

    The scores are of shape (n_topics, n_columns); columns with nan are not compared.
    """
    compared = np.flatnonzero(~(np.isnan(row) | np.isnan(scores).any(axis=0)))
    row, scores = row[compared], scores[:, compared]
    means = scores.mean(axis=0)
    # the distance from the mean, or of a sum, as of counts, over n: rounding of both may explain it
    off = np.minimum(np.abs(row - means), np.abs(row / max(len(scores), 1) - means))
    allowed = _rounding(row) + _rounding(scores) + EXACT * (1 + np.abs(scores).max(initial=0))
    return compared[off > allowed].tolist(), len(compared)


def warn_of_rows(
    names: Collection[object], unlike: Collection[str] = (), n_compared: int = 0, of: str = "topics"
) -> None:
    """Warns of rows over all topics, which are left out; of "all", which tools write, if unlike.

    `unlike` names those of the `n_compared` scores that are not the mean; rows are over all `of`.
    """
    others = sorted({str(name) for name in names if str(name) != OVER_ALL})
    remedy = "`keep` takes them." if of == "topics" else "Rename those that are systems."
    left_out = f"Rows over all {of} are left out: {', '.join(map(shown, others))}. {remedy}"
    if unlike:
        seen = f"{len(unlike)} of {n_compared} scores over all topics are not the mean over topics"
        advice = "They are not used. Were they computed over other topics?"
        message = f"{seen} ({listing(unlike)}). {advice}"
        warn(f"{message} {left_out}" if others else message, AggregateMismatchWarning)
    elif others:
        warn(left_out, AggregateMismatchWarning)


def warn_of_columns(names: Collection[str]) -> None:
    """Warns of columns that are no systems, which are left out."""
    if names:
        message = f"Columns over all systems are left out: {listing(names)}. `keep` takes them."
        warn(message, AggregateMismatchWarning)


def warn_of_content(
    topics: Sequence[str], systems: Sequence[str], values: Floats, keep: Collection[str] = ()
) -> None:
    """Warns of rows and columns that look like statistics of the others by their numbers.

    The values are of shape (n_topics, n_systems); nothing is said of those to `keep`.
    """
    of_columns, of_rows = _looks_like(values), _looks_like(values.T, rows=True)
    found = [("row", topic, what) for topic, what in _unlike_others(topics).items()]
    found += [("column", systems[place], what) for place, what in of_columns.items()]
    found += [("row", topics[place], what) for place, what in of_rows.items()]
    seen = [f"{of} {shown(label)} is {what}" for of, label, what in found if label not in keep]
    if seen:
        more = f", and {len(seen) - 3} more" if len(seen) > 3 else ""
        said = f"some may be no topics or systems: {', '.join(seen[:3])}{more}."
        remedy = "They are kept: `drop` leaves them out, and `keep` ends this warning."
        warn(f"By their numbers, {said} {remedy}", AggregateMismatchWarning)


def _unlike_others(topics: Sequence[str]) -> dict[str, str]:
    """The one topic, or the few, without a digit, or named as a score is, if all others are not."""
    unlike: dict[str, str] = {}
    for is_odd, what in (
        (lambda label: not any(map(str.isdigit, label)), "without a number, which all others have"),
        (re.compile(r"[+-]?\d*[.,]\d+([eE][+-]?\d+)?").fullmatch, "named as a score is"),
    ):
        odd = [label for label in topics if is_odd(label)]
        if len(odd) <= max(1, len(topics) // 20) and len(topics) > FEWEST_NUMBERED:
            unlike |= dict.fromkeys(odd, what)
    return unlike


@np.errstate(all="ignore")
def _looks_like(values: Floats, *, rows: bool = False) -> dict[int, str]:
    """Column -> what it is, in words: the mean, sum, largest or smallest of the others, or counts.

    A row that is the mean or sum of all topics is found in the transposed values: topics may well
    be the easiest or hardest for all systems, so the largest and smallest say nothing there.
    """
    n_rows, n_columns = values.shape
    if n_columns <= FEWEST_OTHERS or n_rows < 2 or not np.isfinite(values).all():
        return {}
    # some rows rule out nearly all columns
    some = values[np.unique(np.linspace(0, n_rows - 1, PEEKED).astype(int))]
    found: dict[int, str] = {}
    # the best or worst of real systems may have the largest or smallest of a few grades everywhere
    is_graded = len(np.unique(some)) < FEWEST_VALUES
    for kind in ("mean", "sum") if rows or is_graded else ("mean", "sum", "largest", "smallest"):
        loose = 0.05 * np.abs(some).max(axis=0) + EXACT
        is_near = (np.abs(some - _targets(some, kind)) <= loose).all(axis=0)
        for place in np.flatnonzero(is_near).tolist():
            column, others = values[:, place], np.delete(values, place, axis=1)
            target = _targets(values, kind)[:, place]
            rounding = _rounding(others) * (n_columns if kind == "sum" else 1)
            allowed = _rounding(column) + rounding + EXACT * (1 + np.abs(column).max())
            is_copy = (np.abs(others - column[:, None]) <= EXACT).all(axis=0).any()
            fits = bool((np.abs(column - target) <= allowed).all()) and not is_copy
            is_of_one = kind in ("largest", "smallest")
            if fits and _chance(target, others, allowed, is_of_one) <= BY_CHANCE:
                found.setdefault(place, f"the {kind} of the others in every row")
    is_whole = (values % 1 == 0).all(axis=0)
    if not rows and is_whole.any() and not is_whole.all():
        is_count = is_whole & (np.median(values, axis=0) > 3 * np.abs(values[:, ~is_whole]).max())
        counts = np.flatnonzero(is_count).tolist()
        found |= dict.fromkeys(counts, "of whole numbers far above the others")
    return dict(sorted(found.items()))


def _targets(values: Floats, kind: str) -> Floats:
    """Of each cell's row, (n_rows, n_columns), the mean, sum, largest or smallest of the others."""
    if kind in ("mean", "sum"):
        others: Floats = values.sum(axis=1, keepdims=True) - values
        return others if kind == "sum" else others / (values.shape[1] - 1)
    sign = 1.0 if kind == "largest" else -1.0
    second, first = np.sort(sign * values, axis=1)[:, -2:].T[:, :, None]
    return np.asarray(sign * np.where(sign * values == first, second, first))


def _chance(target: Floats, others: Floats, allowed: float, is_of_one: bool) -> float:
    """The probability that a system is at the target in every row, as often as others are.

    In a row it is the share of others at the target, or the share of their range that rounding
    allows. If the target is one of them (`is_of_one`), as the largest is, that one does not count.
    """
    n_at_target = (np.abs(others - target[:, None]) <= allowed).sum(axis=1) - is_of_one
    at_target = n_at_target / others.shape[1]
    spread = np.ptp(others, axis=1)
    by_rounding = np.where(spread > EXACT, 2 * allowed / np.maximum(spread, EXACT), 1.0)
    return float(np.prod(np.clip(np.maximum(at_target, by_rounding), 1e-3, 1.0)))


def _rounding(numbers: Floats) -> float:
    """Half of a unit of the last decimal: by how much numbers may be rounded; 0 if beyond 7."""
    for places in range(1, MOST_DECIMALS):
        if np.abs(numbers.round(places) - numbers).max(initial=0) < 1e-12:
            return 0.5 * 10.0**-places
    return 0.0
