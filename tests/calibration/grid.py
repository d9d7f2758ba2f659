"""The defaults of d_rank, rank intervals and expected correlations on a grid: what they promise, and what is found.

`docs/calibration/cells.csv` has the figures of all cells, `promises.csv` a line for each promise.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from pt_rankcorr import DRankTest, best_systems, expected_correlation, rank_intervals
from pt_rankcorr.stats.core.means import ranks
from tests.calibration import populations
from tests.calibration.populations import TREC
from tests.calibration.studies import covered, mean_over_repetitions, rejected, repeat, share_of_repetitions
from tests.calibration.table import FOLDER, number, read_csv, write_csv
from tests.stats.oracles import COEFFICIENTS

SEED = 2026
DRAWS = 400  # .05 of them, and .025, are whole numbers
RESAMPLES = 39  # (b + 1) / 40 can be .05
SOME = 1 / 3  # of the repetitions ask for what takes longest: pairwise tests
WANTED = ("tau", "tau_ap", "tau_gap")
ESTIMATORS = ("msqd", "shrunken")
RESAMPLED = ("percentile", "shrunken")
BINS = 10


# --- cells ------------------------------------------------------------------------------------------

# a measure whose topics are drawn with replacement, and another one of the same runs
DRAWN = {
    "AP": ("adhoc7_ap", "adhoc7_p10"),
    "P@10": ("robust2004_p10", "robust2004_ap"),
    "RR": ("adhoc7_rr", "adhoc7_ap"),
    "nDCG@20": ("web2012_ndcg20", "web2012_ap"),
    "AP, 6": ("adhoc6_ap", "adhoc6_rr"),
}
MADE = {
    "Gaussian, independent": populations.independent,
    "Gaussian, as AP": populations.correlated,
    "AP, simulated": populations.simulated,
}
TOPICS, HOW = (10, 25, 50, 100, 249), ("random", "adjacent", "equal")
MANY = {60: ("AP", "AP, simulated", "RR", "P@10"), 100: ("AP, simulated", "Gaussian, independent", "Gaussian, as AP")}
FEW = ("AP", "Gaussian, as AP", "P@10", "nDCG@20", "RR", "AP, simulated", "AP, 6", "Gaussian, independent")


@dataclass(frozen=True)
class Cell:
    """One cell."""

    data: str
    n_systems: int
    n_topics: int
    how: str

    @property
    def name(self):
        return f"{self.data}, {self.how}, {self.n_systems} x {self.n_topics}"

    @property
    def repetitions(self):
        """In a full run."""
        return 400 if self.n_systems >= 60 else 1000

    @property
    def has_data(self):
        return all((TREC / f"{name}.csv").exists() for name in DRAWN.get(self.data, ()))

    def systems(self, rng):
        """Systems that do not tie, in random order: any, adjacent in rank, or shifted to one mean."""
        data = populations.Data(self.data)
        if self.how != "adjacent":  # drawn and not used, so that seeds keep their samples
            rng.integers(0, populations.untied(data).size - self.n_systems + 1)
        return populations.choose(data, self.n_systems, self.how, rng)


@cache
def drawn(data):
    return populations.with_replacement(
        np.stack([populations.read_scores(TREC / f"{name}.csv") for name in DRAWN[data]])
    )


populations.POPULATIONS.update(MADE | {data: partial(drawn, data) for data in DRAWN})


def cells():
    """Every number of topics and kind of systems with 2 to 20 systems, of many systems some; the data take turns."""
    turns = {m: itertools.cycle(data) for m, data in MANY.items()} | {0: itertools.cycle(FEW)}
    for at, (n_topics, how) in enumerate(itertools.product(TOPICS, HOW)):
        for n_systems in (2, 5, 10, 20):
            yield Cell(next(turns[0]), n_systems, n_topics, how)
        for n_systems in (5, 10, 20):  # the other half of the data, in the middle of the grid
            if n_topics in (10, 50) or (n_topics, n_systems) == (25, 10):
                yield Cell(next(turns[0]), n_systems, n_topics, how)
        if at % 3 != (at // 3) % 3:
            yield Cell(next(turns[60]), 60, n_topics, how)
        elif how != "adjacent":  # nearly all systems there are
            yield Cell(next(turns[100]), 100, n_topics, how)


# --- d_rank -----------------------------------------------------------------------------------------


def tested(cell, rng):
    """Whether the test of d_rank rejects the true ranking."""
    systems = cell.systems(rng)
    sample, seed = systems.draw(cell.n_topics, rng), int(rng.integers(2**32))
    truth = np.arange(cell.n_systems) if cell.how == "equal" else systems.means
    return {"level": rejected(DRankTest(sample, n_resamples=RESAMPLES, rng=seed).test(truth).pvalue)}


# --- ranks and expected correlations ----------------------------------------------------------------


def estimated(cell, rng):
    """Intervals of ranks, who is the best, and the expected correlation with the true ranking."""
    systems = cell.systems(rng)
    sample = systems.draw(cell.n_topics, rng)
    found = _ranked(sample, systems, cell, rng)
    if rng.random() < SOME:
        found |= _pairwise(sample, systems, cell, rng)
    if cell.how != "equal":
        found |= _expected(sample, systems, rng)
    return found


def _ranked(sample, systems, cell, rng):
    truth, equal = _true_ranks(systems, cell), cell.how == "equal"
    values = {}
    for method in RESAMPLED:
        intervals = rank_intervals(sample, method=method, n_resamples=DRAWS, rng=rng)
        values |= _held(method, intervals, truth)
        if not equal:
            values |= _first(method, intervals, truth)
    return values


def _pairwise(sample, systems, cell, rng):
    truth, how = _true_ranks(systems, cell), {"n_resamples": DRAWS, "rng": rng}
    values = _held("pairwise", rank_intervals(sample, method="pairwise", **how), truth)
    together = rank_intervals(sample, method="pairwise", simultaneous=True, **how)
    values["all ranks, pairwise"] = float(((together.low <= truth) & (truth <= together.high)).all())
    if cell.how != "equal":
        best = best_systems(sample, **how).positions
        values["best"] = float(np.argmin(truth) in best)
    return values


def _true_ranks(systems, cell):
    return np.full(cell.n_systems, (cell.n_systems + 1) / 2) if cell.how == "equal" else ranks(systems.means)


def _held(method, intervals, truth):
    inside = (intervals.low <= truth) & (truth <= intervals.high)
    return {f"rank, {method}": float(inside.mean())}


def _first(method, found, truth):
    """What was said of the leader, whether it is true; by how much each class of shares is too high, per system."""
    said, first = found.share_first, truth == 1
    leads = int(np.argmax(said))
    excess = np.bincount(np.minimum((said * BINS).astype(int), BINS - 1), weights=said - first, minlength=BINS)
    values = {f"leader said, {method}": float(said[leads]), f"leader is first, {method}": float(first[leads])}
    return values | {f"share first {at}, {method}": float(excess[at] / truth.size) for at in range(BINS)}


def _expected(sample, systems, rng):
    values = {}
    for estimator in ESTIMATORS:
        result = expected_correlation(sample, estimator=estimator, n_resamples=DRAWS, rng=rng)
        for name in WANTED:
            of_name = result.with_coefficient(name)
            actual = float(COEFFICIENTS[name].kernel(systems.means, sample.mean(axis=0)))
            values[f"error, {name}, {estimator}"] = of_name.value - actual
            values[f"interval, {name}, {estimator}"] = covered(of_name.confidence_interval(), actual)
    return values


TRIALS = {"tests": tested, "estimates": estimated}

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
    """What is promised of a figure."""

    what: str  # whose it is
    says: str
    is_default: bool  # whether users get it without asking
    figure: Callable[[Columns], Figure | None]  # of the values of a cell; None where the question does not arise
    least: Callable[[Cell], float]
    most: Callable[[Cell], float]
    careful: int = 0  # on which side a figure outside is no danger: 1 above, as of coverage, -1 below, as of a level

    @property
    def key(self):
        return self.what, self.says

    def verdict(self, cell, figure):
        """ "": within; "yes": outside; "surely": by more than chance; "careful": so, but on the side of no danger."""
        least, most = self.least(cell), self.most(cell)
        if least <= figure.found <= most:
            return ""
        below, above = figure.high < least, figure.low > most
        if (self.careful > 0 and above) or (self.careful < 0 and below):
            return "careful"
        return "surely" if below or above else "yes"


# --- figures ----------------------------------------------------------------------------------------


def mean_of(values):
    def figure(columns):
        defined = (found := values(columns))[np.isfinite(found)]
        return _mean(defined) if defined.size > 1 else None

    return figure


def _mean(values):
    """With Student's bounds, and those of Clopper and Pearson for shares."""
    estimate = share_of_repetitions if set(np.unique(values)) <= {0.0, 1.0} else mean_over_repetitions
    return Figure(*estimate(values, ERROR), values.size)


def column(name):
    return mean_of(lambda columns: columns[name])


def difference(one, other):
    return mean_of(lambda columns: columns[one] - columns[other])


def ratio_of_errors(columns, name):
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


def calibration_error(columns, method):
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


def always(value):
    return lambda cell: value


def _bias(cell):
    return 0.06 if cell.n_topics == 10 else 0.03


def promises():
    nothing = always(-math.inf)
    level = column("level")
    yield Promise("d_rank", "level .03 to .065", True, level, always(0.03), always(0.065), careful=-1)
    yield Promise("d_rank", "level up to .08", True, level, nothing, always(0.08))
    for method, is_default in (("shrunken", True), ("percentile", False)):
        what, figure = f'rank_intervals, method="{method}"', column(f"rank, {method}")
        yield Promise(what, "coverage .92 to .98", is_default, figure, always(0.92), always(0.98), careful=1)
        yield Promise(what, "coverage from .90", is_default, figure, always(0.90), always(1.0))
        says, figure = "calibration error of share_first up to .03", partial(calibration_error, method=method)
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
                yield Promise(what, says, True, partial(ratio_of_errors, name=name), nothing, always(1.05))


# --- the figures of all cells -----------------------------------------------------------------------


def figures_of(cell, repetitions):
    """What is found in a cell."""
    columns = defaultdict(lambda: np.empty(0))  # what no repetition asks
    for part, trial in TRIALS.items():
        answers = repeat(lambda rng, trial=trial: trial(cell, rng), SEED, f"{part} / {cell.name}", repetitions)
        names = dict.fromkeys(name for answer in answers for name in answer)
        columns |= {name: np.array([answer.get(name, math.nan) for answer in answers]) for name in names}
    found = {promise.key: promise.figure(columns) for promise in promises()}
    return {key: {cell.name: figure} for key, figure in found.items() if figure and figure.repetitions >= FEWEST}


def read_figures():
    figures = {}
    for row in read_csv(FOLDER / "cells.csv"):
        cell = Cell(row["data"], int(row["n_systems"]), int(row["n_topics"]), row["systems"])
        figure = Figure(*(float(row[name]) for name in ("found", "low", "high")), int(row["repetitions"]))
        figures.setdefault((row["what"], row["bound"]), {})[cell.name] = figure
    return figures


def write_figures(new):
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


def _in_order(figures):
    for promise in promises():
        of_cells = figures.get(promise.key, {})
        yield from ((promise, cell, of_cells[cell.name]) for cell in cells() if cell.name in of_cells)


def _heading(promise):
    return {"what": promise.what, "bound": promise.says, "default": "yes" if promise.is_default else ""}


def _summary(promise, figures):
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


def in_short(figures):
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
