"""What the defaults promise on the grid, the figures of each cell, and whether they are within their bounds.

`docs/calibration/cells.csv` has all figures, `promises.csv` a line for each promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from tests.calibration.grid import BINS, HOW, NAMES, SEED, TRIALS, WANTED, Cell, cells
from tests.calibration.studies import mean_over_repetitions, repeat, share_of_repetitions
from tests.calibration.table import FOLDER, number, read_csv, write_csv

Columns = dict[str, NDArray[np.float64]]
ERROR = 0.01  # how often the bounds of a figure miss
FEWEST = 20  # repetitions in which a question arose, below which there is no figure


class Figure(NamedTuple):
    """What was found in a cell, its bounds, and in how many repetitions."""

    found: float
    low: float
    high: float
    repetitions: int


@dataclass(frozen=True)
class Promise:
    """A promise.

    Attributes:
        what: Whose it is.
        says: What is promised, in words.
        is_default: Whether users get it without asking.
        figure: Of the values of a cell; None where the question does not arise.
        least: What the figure is to be at least, in a cell.
        most: At most.
        careful: On which side a figure outside is no danger: 1 above, as of coverage, -1 below, as of a level.
    """

    what: str
    says: str
    is_default: bool
    figure: Callable[[Columns], Figure | None]
    least: Callable[[Cell], float]
    most: Callable[[Cell], float]
    careful: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.what, self.says

    def verdict(self, cell: Cell, figure: Figure) -> str:
        """ "": within; "yes": outside; "surely": by more than chance; "careful": so, but on the side of no danger."""
        least, most = self.least(cell), self.most(cell)
        if least <= figure.found <= most:
            return ""
        below, above = figure.high < least, figure.low > most
        if (self.careful > 0 and above) or (self.careful < 0 and below):
            return "careful"
        return "surely" if below or above else "yes"


# --- figures ----------------------------------------------------------------------------------------


def mean_of(values: Callable[[Columns], NDArray[np.float64]]) -> Callable[[Columns], Figure | None]:
    def figure(columns: Columns) -> Figure | None:
        defined = (found := values(columns))[np.isfinite(found)]
        return _mean(defined) if defined.size > 1 else None

    return figure


def _mean(values: NDArray[np.float64]) -> Figure:
    """With Student's bounds, and those of Clopper and Pearson for shares."""
    estimate = share_of_repetitions if set(np.unique(values)) <= {0.0, 1.0} else mean_over_repetitions
    return Figure(*estimate(values, ERROR), values.size)


def column(name: str) -> Callable[[Columns], Figure | None]:
    return mean_of(lambda columns: columns[name])


def difference(one: str, other: str) -> Callable[[Columns], Figure | None]:
    return mean_of(lambda columns: columns[one] - columns[other])


def ratio_of_errors(columns: Columns, name: str) -> Figure | None:
    """Root mean squared errors, shrunken to msqd, with the bounds of its logarithm."""
    ours, theirs = (columns[f"error, {name}, {each}"] ** 2 for each in ("shrunken", "msqd"))
    both = np.isfinite(ours + theirs)
    if both.sum() < 2:
        return None
    ours, theirs = ours[both], theirs[both]
    ratio = math.sqrt(ours.mean() / theirs.mean())
    spread = (ours / ours.mean() - theirs / theirs.mean()).std(ddof=1) / 2 / math.sqrt(both.sum())
    margin = math.exp(float(t.isf(ERROR / 2, both.sum() - 1)) * spread)
    return Figure(ratio, ratio / margin, ratio * margin, int(both.sum()))


def calibration_error(columns: Columns, method: str) -> Figure | None:
    """Over all systems: the mean absolute excess of what was said of a class, less what chance alone adds."""
    excess = np.stack([columns[f"share first {at}, {method}"] for at in range(BINS)])
    excess = excess[:, np.isfinite(excess).all(axis=0)]
    n = excess.shape[1]
    if n < 2:
        return None
    errors = excess.std(axis=1, ddof=1) / math.sqrt(n)
    by_chance = float(errors.sum()) * math.sqrt(2 / math.pi)
    found = float(np.abs(excess.mean(axis=1)).sum())
    return Figure(found, max(0.0, found - 2 * by_chance), found + by_chance, n)


# --- promises ---------------------------------------------------------------------------------------


def always(value: float) -> Callable[[Cell], float]:
    return lambda cell: value


def _bias(cell: Cell) -> float:
    return 0.06 if cell.n_topics == 10 else 0.03


def promises() -> Iterator[Promise]:
    nothing = always(-math.inf)
    level = column("level")
    yield Promise("d_rank", "level .03 to .065", True, level, always(0.03), always(0.065), careful=-1)
    yield Promise("d_rank", "level up to .08", True, level, nothing, always(0.08))
    for method, is_default in (("shrunken", True), ("percentile", False)):
        what, figure = f'rank_intervals, method="{method}"', column(f"rank, {method}")
        yield Promise(what, "coverage .92 to .98", is_default, figure, always(0.92), always(0.98), careful=1)
        yield Promise(what, "coverage from .90", is_default, figure, always(0.90), always(1.0))
        says, figure = "calibration error of share_first up to .03", _calibrated(method)
        yield Promise(what, says, is_default, figure, nothing, always(0.03))
        says = "share_first of the leader, within .03"
        figure = difference(f"leader said, {method}", f"leader is first, {method}")
        yield Promise(what, says, is_default, figure, always(-0.03), always(0.03))
    for name, words in (("rank, pairwise", ""), ("all ranks, pairwise", ", simultaneous")):
        what = f'rank_intervals, method="pairwise"{words}'
        yield Promise(what, "coverage from .95", True, column(name), always(0.95), always(1.0))
    yield Promise("best_systems", "holds the best one, from .95", True, column("best"), always(0.95), always(1.0))
    for estimator, is_default in (("shrunken", True), ("msqd", False)):
        for name in WANTED:
            what = f'expected_correlation, "{estimator}", {name}'
            error, interval = (column(f"{each}, {name}, {estimator}") for each in ("error", "interval"))
            says = "bias within .03, with 10 topics .06"
            yield Promise(what, says, is_default, error, lambda cell: -_bias(cell), _bias)
            yield Promise(what, "coverage .92 to .98", is_default, interval, always(0.92), always(0.98), careful=1)
            yield Promise(what, "coverage from .90", is_default, interval, always(0.90), always(1.0))
            if is_default:
                says = "root mean squared error up to 1.05 of msqd's"
                yield Promise(what, says, True, _against_msqd(name), nothing, always(1.05))


def _calibrated(method: str) -> Callable[[Columns], Figure | None]:
    return lambda columns: calibration_error(columns, method)


def _against_msqd(name: str) -> Callable[[Columns], Figure | None]:
    return lambda columns: ratio_of_errors(columns, name)


# --- the figures of all cells -----------------------------------------------------------------------

Figures = dict[tuple[str, str], dict[str, Figure]]  # of a promise, by the name of the cell


def figures_of(cell: Cell, repetitions: int) -> Figures:
    """What is found in a cell."""
    columns: Columns = {}
    for part, trial in TRIALS.items():
        answers = repeat(lambda rng, trial=trial: trial(cell, rng), SEED, f"{part} / {cell.name}", repetitions)
        columns |= {name: np.array([answer.get(name, math.nan) for answer in answers]) for name in NAMES[part]}
    found = {promise.key: promise.figure(columns) for promise in promises()}
    return {key: {cell.name: figure} for key, figure in found.items() if figure and figure.repetitions >= FEWEST}


def read_figures() -> Figures:
    figures: Figures = {}
    for row in read_csv(FOLDER / "cells.csv"):
        cell = Cell(row["data"], int(row["n_systems"]), int(row["n_topics"]), row["systems"])
        figure = Figure(*(float(row[name]) for name in ("found", "low", "high")), int(row["repetitions"]))
        figures.setdefault((row["what"], row["bound"]), {})[cell.name] = figure
    return figures


def write_figures(new: Figures) -> None:
    """They take the place of old ones."""
    figures = read_figures()
    for key, of_cells in new.items():
        figures[key] = figures.get(key, {}) | of_cells
    rows = []
    for promise, cell, figure in _in_order(figures):
        verdict = promise.verdict(cell, figure).replace("careful", "surely")
        where = {"data": cell.data, "systems": cell.how, "n_systems": cell.n_systems, "n_topics": cell.n_topics}
        rounded = Figure(*(round(value, 4) for value in figure))._asdict()
        rows.append({**_heading(promise), **where, **rounded, "outside": verdict})
    write_csv(FOLDER / "cells.csv", rows)
    write_csv(FOLDER / "promises.csv", [_summary(promise, figures) for promise in promises() if promise.key in figures])


def _in_order(figures: Figures) -> Iterator[tuple[Promise, Cell, Figure]]:
    for promise in promises():
        of_cells = figures.get(promise.key, {})
        yield from ((promise, cell, of_cells[cell.name]) for cell in cells() if cell.name in of_cells)


def _heading(promise: Promise) -> dict[str, str]:
    return {"what": promise.what, "bound": promise.says, "default": "yes" if promise.is_default else ""}


def _summary(promise: Promise, figures: Figures) -> dict[str, Any]:
    """How many cells are outside, the mean over cells, and the worst one."""
    rows = list(_in_order({promise.key: figures[promise.key]}))
    verdicts = [promise.verdict(cell, figure) for _, cell, figure in rows]
    means = {}
    for how in HOW:
        values = [figure.found for _, cell, figure in rows if cell.how == how]
        means[how] = number(sum(values) / len(values)) if values else ""
    _, worst, figure = max(
        rows, key=lambda row: max(promise.least(row[1]) - row[2].found, row[2].found - promise.most(row[1]))
    )
    return {
        **_heading(promise),
        "cells": len(rows),
        "outside": len(rows) - verdicts.count(""),
        "surely outside": verdicts.count("surely") + verdicts.count("careful"),
        "too careful": verdicts.count("careful"),
        **means,
        "worst": number(figure.found),
        "worst cell": worst.name,
    }


def in_short(figures: Figures) -> str:
    rows = [row for row in _in_order(figures) if row[0].is_default]
    verdicts = [promise.verdict(cell, figure) for promise, cell, figure in rows]
    careful, dangerous = verdicts.count("careful"), verdicts.count("surely")
    repetitions = [figure.repetitions for _, _, figure in rows]
    outside, surely = len(rows) - verdicts.count(""), careful + dangerous
    return (
        f"The grid has {len(list(cells()))} cells. In these the defaults have {len(rows)} figures with a bound. "
        f"{outside} of these figures are outside their bounds, {surely} of them by more than chance puts there (bounds "
        f"that miss one in a hundred). {careful} of the latter are *too careful*: intervals that hold more often than "
        f"they promise, and tests that reject more seldom. {dangerous} are left, explained below. "
        f"A figure has {min(repetitions)} to {max(repetitions)} repetitions.\n"
    )
