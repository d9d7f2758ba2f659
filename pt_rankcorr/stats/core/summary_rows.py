"""Rows over all topics, and columns over all systems: what is no topic and no system, by its label and its content.

A label may say so ("Overall", "Std. dev."). Of numbered topics, the few rows without a number are none. And a row is
none if it is the mean, sum, standard deviation or median of all others in every column, to the digits that are printed,
where that cannot well be chance.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Flags, Floats, Indices
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import AggregateMismatchWarning, warn

OVER_ALL = "all"  # what tools call the row over all topics, the last
MEANS = frozenset(
    "all overall mean means amean avg average averages averaged aggregate aggregated summary durchschnitt mittelwert "
    "gesamt moyenne promedio ø".split()
)
SURE = MEANS | frozenset("median std stdev stddev stdv stderr variance gmean gmap hmean ci".split())
DEVIATIONS = frozenset("std stdev stddev stdv sd dev deviation standard σ".split())
WORDS_OF = {  # words by which a label names each summary; they may be of a topic or a system, too
    "mean": MEANS | frozenset("macro micro total totals media mittel arithmetic weighted map μ".split()),
    "percent": MEANS,
    "sum": frozenset("all overall gesamt total totals sum sums summe somme suma".split()),
    "sd": DEVIATIONS,
    "population sd": DEVIATIONS,
    "variance": frozenset({"var", "variance"}),
    "standard error": frozenset({"se", "sem", "stderr", "error"}),
    "median": frozenset({"median", "med", "quartile", "percentile"}),
    "count": frozenset({"count", "counts", "n"}),
    "largest": frozenset("max maximum best largest highest oracle".split()),
    "least": frozenset("min minimum worst least lowest".split()),
    "other": frozenset("gm gmap gmean hmean geometric harmonic range ci".split()),
}
WORDS = frozenset().union(*WORDS_OF.values()) | SURE
NO_WORDS = frozenset("of over the per across in for topics topic queries query scores score grand row values".split())
SIGNS = frozenset({"", "#", "\u2211", "\u03c3", "\u00f8", "\u03bc"})  # whole labels: none, sum, sigma, slashed o, mu
INTERVAL = re.compile(r"(\d\d ?%? ?)?ci( ?\d\d ?%?)?", re.IGNORECASE)
QUANTILE = re.compile(r"(\d{1,2}(?:\.\d+)?) ?%")  # as pandas describes a frame
MOST_DECIMALS = 8  # that are taken for rounding
EXACT = 1e-9  # by which a mean may differ that nobody rounded
FEWEST_NUMBERED = 3  # topics that show that topics have numbers
SHARE_WITHOUT_NUMBER = 0.1  # of the numbered topics: more rows than these are topics after all
BY_CHANCE = 1.0001e-6  # below which a row that fits is no topic: three columns that fit independently
BY_CHANCE_IF_NAMED = 0.05  # where the name of a system is that of a summary
LEAST_CHANCE = 0.01  # of one column, as scores may have a structure
PEEKED = 8  # columns in which a row is tried first
FEWEST_OTHERS = {"rows": 4, "columns": 3}  # on which content alone decides


def sure_rows(labels: Iterable[object]) -> Flags:
    """Which labels can only be of rows over all topics."""
    return np.array([_is_sure(str(label)) for label in labels], dtype=bool)


def _is_sure(label: str) -> bool:
    """Whether a label can only be of a row over all topics: it has a sure word, and no number or other word."""
    if label.strip().lower() in MEANS | SIGNS or INTERVAL.fullmatch(label.strip()):
        return True
    words = _words(label)
    said = [word for word in words if word in WORDS]
    is_said = len(said) > 1 or any(word in SURE for word in said)
    return is_said and not any(map(str.isdigit, label)) and all(word in said or word in NO_WORDS for word in words)


def _words(label: str) -> list[str]:
    """The words of a label in small letters, without numbers and signs."""
    return re.findall(r"[^\W\d_]+", label.lower())


def is_mean(label: object) -> bool:
    """Whether a label says that a row has the means of all topics."""
    words = set(_words(str(label)))
    return bool(words & MEANS) and not words & (WORDS - MEANS - {"macro", "arithmetic"})


def summary_rows(labels: Sequence[str], values: Floats) -> Flags:
    """Which rows are over all topics; the values are of shape (n_rows, n_columns), nan where there is none."""
    known = sure_rows(labels)
    if known.all():
        return known
    known |= _without_number(labels, known)
    return known | _by_content(labels, values, known, "rows")


def summary_columns(labels: Sequence[str], values: Floats) -> Flags:
    """Which columns are over all systems: by their content, which a label like "mean" makes likelier."""
    return _by_content(labels, values.T, np.zeros(len(labels), dtype=bool), "columns")


def _without_number(labels: Sequence[str], known: Flags) -> Flags:
    """The few rows without a number among numbered topics, except those that are known to be summaries."""
    has_number = np.array([any(map(str.isdigit, label)) for label in labels], dtype=bool)
    odd = ~has_number & ~known
    if not odd.any() or has_number.sum() < FEWEST_NUMBERED:
        return np.zeros_like(odd)
    letters = {"".join(_words(label)) for label, is_numbered in zip(labels, has_number, strict=True) if is_numbered}
    says = np.array([bool(set(_words(label)) & WORDS) for label in labels], dtype=bool)
    few = (odd & ~says).sum() <= max(1, SHARE_WITHOUT_NUMBER * has_number.sum())
    return odd & (says | few) if len(letters) == 1 else np.zeros_like(odd)


# --- content ------------------------------------------------------------------------------------------------------


class Summary(NamedTuple):
    """What a row over the others would be, and how much rounding may change it; one number a column."""

    values: Floats
    allowed: Floats


@np.errstate(all="ignore")
def _by_content(labels: Sequence[str], values: Floats, known: Flags, which: str) -> Flags:
    """The rows that are summaries of all others by their numbers, and are not known as such already.

    First those whose label is that of a summary, if their numbers are what it names. Then, of what is left, one row, or
    two or three at an end, whose numbers can be no topic's. `which` is "rows" if rows are topics, or "columns" if they
    are systems, which are named as people please.
    """
    is_summary = np.zeros_like(known)
    usable = values[:, ~np.isnan(values[~known]).all(axis=0)] if len(values) else values
    if not usable.shape[1]:
        return is_summary
    words = [set(_words(label)) for label in labels]
    names_one = [bool(of & WORDS or QUANTILE.fullmatch(text.strip())) for of, text in zip(words, labels, strict=True)]
    candidates = np.array(names_one, dtype=bool) & ~known
    base = usable[~known & ~candidates]
    if candidates.any() and len(base) > 1:
        for row in np.flatnonzero(candidates).tolist():
            summaries = summaries_of(base, labels[row])
            named = [summaries[name] for name in summaries if name == "quantile" or words[row] & WORDS_OF[name]]
            fitting = [summary for summary in named if _fits(usable[row], summary)]
            if which == "columns":
                fitting = [summary for summary in fitting if _chance(usable[row], base, summary) <= BY_CHANCE_IF_NAMED]
            is_summary[row] = bool(fitting) and not _is_repeated(usable[row], base, by_all=True)
    left = np.flatnonzero(~known & ~is_summary)
    if len(left) <= FEWEST_OTHERS[which]:
        return is_summary
    for block in _blocks(usable[left], which):
        others = np.delete(usable[left], block, axis=0)
        if len(others) >= FEWEST_OTHERS[which] and all(
            _is_no_chance(usable[left[row]], others, which) for row in block
        ):
            is_summary[left[block]] = True
            break
    return is_summary


def _blocks(values: Floats, which: str) -> list[list[int]]:
    """The blocks of rows that may be summaries of all others: single rows that fit in a few columns, and both ends."""
    n_rows = len(values)
    some = values[:, _some_columns(values)]
    known = ~np.isnan(some)
    filled = np.where(known, some, 0.0)
    count, total, squares = known.sum(0) - known, filled.sum(0) - filled, (filled**2).sum(0) - filled**2
    mean = total / count
    sd = np.sqrt(np.maximum(squares / count - mean**2, 0.0))
    allowed = 2 * _rounding(some[known]) + 1e-6 * (1 + np.abs(filled).max(initial=0))
    unknown = ~known | (count < 2)
    fit = np.zeros(n_rows, dtype=bool)
    candidates = [mean, total, sd, sd * np.sqrt(count / np.maximum(count - 1, 1))]
    lower, upper = _medians_of_others(some)
    bounds = [(lower, upper)]
    if which == "columns":
        ordered = np.sort(np.where(known, some, -np.inf), axis=0)
        bounds.append((ordered[-2], ordered[-1]))
    for candidate in candidates:
        slack = allowed * (count if candidate is total else 1)
        fit |= (unknown | (np.abs(some - candidate) <= slack)).all(axis=1)
    for low, high in bounds:
        fit |= (unknown | ((some >= low - allowed) & (some <= high + allowed))).all(axis=1)
    ends = [[*range(n_rows - size, n_rows)] for size in (2, 3)] + [[*range(size)] for size in (2, 3)]
    return [[int(row)] for row in np.flatnonzero(fit)] + [end for end in ends if n_rows > len(end)]


def _medians_of_others(values: Floats) -> tuple[Floats, Floats]:
    """Between which numbers the median of a column lies, whichever one is left out."""
    ordered = np.sort(values, axis=0)
    middle = np.maximum((~np.isnan(values)).sum(axis=0) // 2, 1)
    columns = np.arange(values.shape[1])
    last = len(values) - 1
    return ordered[np.maximum(middle - 1, 0), columns], ordered[np.minimum(middle + 1, last), columns]


def summaries_of(base: Floats, label: str = "") -> dict[str, Summary]:
    """The summaries of rows, and the quantile that a label names."""
    known = ~np.isnan(base)
    n, filled = known.sum(axis=0), np.where(known, base, 0.0)
    total = filled.sum(axis=0)
    mean = total / n
    squares = np.where(known, (base - mean) ** 2, 0.0).sum(axis=0)
    rounding = _rounding(base[known])
    exact = EXACT * (1 + np.abs(filled).max(initial=0))
    if known.all():
        median = np.median(base, axis=0)
    else:
        columns = zip(base.T, known.T, strict=True)
        median = np.array([np.median(column[there]) if there.any() else np.nan for column, there in columns])
    quantile = QUANTILE.fullmatch(label.strip())
    summaries = {
        "mean": (mean, rounding),
        "percent": (100 * mean, 100 * rounding),
        "sum": (total, n * rounding),
        "sd": (np.sqrt(squares / (n - 1)), 2 * rounding),
        "population sd": (np.sqrt(squares / n), 2 * rounding),
        "variance": (squares / (n - 1), 4 * rounding),
        "standard error": (np.sqrt(squares / (n - 1) / n), 2 * rounding),
        "median": (median, rounding),
        "count": (n.astype(float), 0.0),
        "largest": (np.where(known, base, -np.inf).max(axis=0), rounding),
        "least": (np.where(known, base, np.inf).min(axis=0), rounding),
    }
    if quantile:
        summaries["quantile"] = (np.nanquantile(base, float(quantile[1]) / 100, axis=0), rounding)
    return {
        name: Summary(numbers, exact + np.broadcast_to(slack, numbers.shape))
        for name, (numbers, slack) in summaries.items()
    }


def _fits(row: Floats, summary: Summary) -> bool:
    """Whether a row is that summary in every column where both have a number, but for rounding."""
    compared = ~np.isnan(row) & ~np.isnan(summary.values)
    off = np.abs(row - summary.values)[compared]
    return len(off) > 0 and bool((off <= summary.allowed[compared] + _rounding(row[compared])).all())


def _is_repeated(row: Floats, base: Floats, *, by_all: bool = False) -> bool:
    """Whether another row, or all others, are the same, as of topics on which all systems score 0."""
    are_same = ((base == row) | np.isnan(row)).all(axis=1)
    return bool(are_same.all() if by_all else are_same.any())


def _is_no_chance(row: Floats, others: Floats, which: str) -> bool:
    """Whether a row is a summary of the others in so many columns that it can be nothing else."""
    some = _some_columns(row)
    fits_some = any(_fits(row[some], summary) for summary in _unnamed_summaries(others[:, some], which))
    if not fits_some or _is_repeated(row, others):
        return False
    summaries = _unnamed_summaries(others, which)
    return any(_fits(row, summary) and _chance(row, others, summary) <= BY_CHANCE for summary in summaries)


def _unnamed_summaries(others: Floats, which: str) -> list[Summary]:
    """The summaries that content alone shows: the largest only of systems, as a topic may be the easiest for all."""
    names = ("mean", "sum", "sd", "population sd", "median", *["largest"] * (which == "columns"))
    summaries = summaries_of(others)
    return [summaries[name] for name in names]


def _some_columns(values: Floats) -> Indices:
    """A few columns, from the first to the last."""
    return np.unique(np.linspace(0, values.shape[-1] - 1, PEEKED).astype(np.intp))


def _chance(row: Floats, others: Floats, summary: Summary) -> float:
    """The probability that a topic fits in all columns, from the spread of each about the last and repeated values."""
    chance, last = 1.0, np.zeros(len(others))
    allowed = summary.allowed + _rounding(row[~np.isnan(row)])
    for column in np.lexsort(np.nan_to_num(others)):  # equal ones side by side
        values = np.nan_to_num(others[:, column])
        if np.isnan(row[column]):
            continue
        spread = np.sqrt(12) * (values - last).std()
        at_this = max(np.sum(np.abs(values - row[column]) <= allowed[column]) - 1, 0) / len(others)
        of_its_own = max(np.sum(np.abs(row - row[column]) <= allowed[column]) - 1, 0) / len(row)
        by_spread = 2 * allowed[column] / spread if spread > EXACT else 1.0
        chance *= min(max(by_spread + at_this + of_its_own, LEAST_CHANCE), 1.0)
        last = values
        if chance <= BY_CHANCE:
            break
    return float(chance)


# --- warnings -----------------------------------------------------------------------------------------------------


@np.errstate(over="ignore", invalid="ignore")
def unlike_means(row: Floats, scores: Floats) -> tuple[list[int], int]:
    """The columns in which a row is not the mean, or sum, of scores (n_topics, n_columns), and how many it has."""
    compared = np.flatnonzero(~(np.isnan(row) | np.isnan(scores).any(axis=0)))
    row, scores = row[compared], scores[:, compared]
    means = scores.mean(axis=0)
    off = np.minimum(np.abs(row - means), np.abs(row / max(len(scores), 1) - means))  # counts are summed
    allowed = _rounding(row) + _rounding(scores) + EXACT * (1 + np.abs(scores).max(initial=0))
    return compared[off > allowed].tolist(), len(compared)


def warn_of_rows(names: Collection[object], unlike: Collection[str] = (), n_compared: int = 0) -> None:
    """Warns of rows over all topics, which are left out; of "all", which tools write, only if it is not the mean."""
    others = sorted({str(name) for name in names if str(name) != OVER_ALL})
    left_out = f"Rows over all topics are left out: {', '.join(map(shown, others))}." if others else ""
    if unlike:
        message = f"{len(unlike)} of {n_compared} scores over all topics are not the mean over topics"
        advice = "They are not used. Were they computed over other topics?"
        warn(f"{message} ({listing(unlike)}). {advice} {left_out}".rstrip(), AggregateMismatchWarning)
    elif others:
        warn(left_out, AggregateMismatchWarning)


def warn_of_columns(names: Collection[str]) -> None:
    """Warns of columns that are no systems."""
    if names:
        warn(f"Columns over all systems are left out: {listing(names)}.", AggregateMismatchWarning)


def _rounding(numbers: Floats) -> float:
    """Half of a unit of the last decimal: by how much numbers may have been rounded."""
    errors = ((places, np.abs(numbers.round(places) - numbers).max(initial=0)) for places in range(1, MOST_DECIMALS))
    return 0.5 * 10.0 ** -next((places for places, error in errors if error < 1e-12), 99)
