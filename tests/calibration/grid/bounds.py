"""What each cell shows of what is promised, and whether that is within its bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from tests.calibration.grid.cells import Cell, cells
from tests.calibration.grid.trials import BINS, NAMES, WANTED, Question
from tests.calibration.rows import mean_over_repetitions, share_of_repetitions
from tests.calibration.studies import Values

GRID = Path(__file__).with_name("grid.json")
NONE = np.empty(0)
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

    def holds(self, cell: Cell, figure: Figure) -> bool:
        """Whether what was found is within."""
        return self.least(cell) <= figure.found <= self.most(cell)

    def surely_fails(self, cell: Cell, figure: Figure) -> bool:
        """Whether it is outside by more than chance may put it."""
        return figure.high < self.least(cell) or figure.low > self.most(cell)

    def is_too_careful(self, cell: Cell, figure: Figure) -> bool:
        """Whether it surely is outside, on the side of no danger."""
        above, below = figure.low > self.most(cell), figure.high < self.least(cell)
        return (self.careful > 0 and above) or (self.careful < 0 and below)


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


# --- what was found ---------------------------------------------------------------------------------

Found = dict[str, dict[str, Figure]]  # promise ("what: says") -> cell -> figure


def found_in(values: Iterable[tuple[Question, Values]]) -> Found:
    """Of the values of each question that was asked."""
    columns: dict[str, Columns] = {cell.name: dict.fromkeys(chain(*NAMES.values()), NONE) for cell in cells()}
    for question, rows in values:
        if rows:
            names = NAMES[question.part]
            columns[question.cell.name] |= dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))
    found: Found = {}
    for (cell, of_cell), promise in product(columns.items(), promises()):
        figure = promise.figure(of_cell)
        if figure is not None and figure.repetitions >= FEWEST:
            found.setdefault(key(promise), {})[cell] = figure
    return found


def key(promise: Promise) -> str:
    return f"{promise.what}: {promise.says}"


def write_grid(found: Found, path: Path = GRID) -> None:
    lines = (f" {json.dumps(name)}: {json.dumps(_rounded(of_cells))}" for name, of_cells in found.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rounded(of_cells: dict[str, Figure]) -> dict[str, list[float]]:
    return {cell: [round(value, 4) for value in figure] for cell, figure in of_cells.items()}


def read_grid(path: Path = GRID) -> Found:
    raw = json.loads(path.read_text(encoding="utf-8"))
    return {name: {cell: Figure(*figure) for cell, figure in of_cells.items()} for name, of_cells in raw.items()}
