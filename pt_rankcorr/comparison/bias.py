"""Is a judge biased? Its score shifts from the reference, for groups of runs and for each run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.comparison.table import Estimate, RankingAgreement, Settings, key_columns
from pt_rankcorr.io.paths import by_name
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation import Coefficients, correlation_errors
from pt_rankcorr.stats.accuracy.partiality import LEAST_OVERLAP, draw_shifts, overlaps
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import flag, list_of, listing
from pt_rankcorr.stats.core.means import system_means, topic_order
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PVALUE, SHARE, WORD, Column, Table
from pt_rankcorr.warnings import DegenerateInputWarning, warn

DRAWS = 5000  # at least
FINER = 4  # times: what the least p-value is below the level, once it is corrected for all rows
SHIFT = "score shift"


class GroupShift(NamedTuple):
    """A judge's score shift from the reference for a group of runs, against all others.

    Attributes:
        row: The judge and the measures.
        overlap: Among pairs of a run of the group and another run, the share in which the run of the worse side is the
            better one, by the reference. Below .1 the group cannot be told from its quality, and p-values are nan.
        slope: The slope of the judge's scores over the reference's, from the worst run to the best.
        shift: The mean over the group less that over all other runs, with its interval for these very runs.
        pvalue, corrected: The p-value of no shift for these runs, alone and corrected for all rows.
        kind: The shift with an interval for all runs of these kinds: the judge's errors about single runs are random.
        kind_pvalue, kind_corrected: The p-value of no shift for runs of that kind, alone and corrected for all rows; it
            alone says that the judge favours such runs.
        left, without: The coefficient of all other runs, on these topics, and in the topic population.
    """

    row: RankingAgreement
    group: str
    n_runs: int
    overlap: float
    slope: float
    shift: Estimate
    pvalue: float
    corrected: float
    kind: Estimate
    kind_pvalue: float
    kind_corrected: float
    left: float
    without: Estimate


class RunShift(NamedTuple):
    """A judge's score shift from the reference for a run, less the mean over all runs, with its interval."""

    row: RankingAgreement
    run: str
    group: str
    shift: Estimate


@dataclass(frozen=True, eq=False)
class JudgeBias(Result):
    """The score shifts of judges from the reference, for groups of runs against all others, and for each run.

    Attributes:
        of_groups: One per judge, pair of measures and group.
        of_runs: One per judge, pair of measures and run.
        coefficient: The coefficient of the correlation without a group.
        alpha: The level of the tests, after correction.
        same_scale: Whether the judge was taken to be on the reference's scale.
        n_draws: The number of draws of the true means.
    """

    of_groups: tuple[GroupShift, ...] = field(repr=False)
    of_runs: tuple[RunShift, ...] = field(repr=False)
    coefficient: str
    level: float
    alpha: float
    same_scale: bool
    n_topics: int
    n_draws: int
    seed: int
    _of: Coefficient = field(repr=False, compare=False)

    @property
    def groups(self) -> pd.DataFrame:
        """One row per judge, pair of measures and group, unrounded."""
        return self.to_frame()

    @property
    def runs(self) -> pd.DataFrame:
        """One row per judge, pair of measures and run, unrounded."""
        own = Column("run", "run", WORD, attrgetter("run")), _GROUP, _SHIFT
        return Table((*_of_row(self.of_runs[0].row), *own), self.of_runs).frame()

    def _rows(self) -> Table:
        name, title, symbol = self._of.column, self._of.title, self._of.symbol
        columns = (
            *_of_row(self.of_groups[0].row),
            _GROUP,
            Column("n_runs", "runs", COUNT, attrgetter("n_runs"), wide=True),
            Column("slope", "", NUMBER, attrgetter("slope"), shown=False),
            Column("overlap", "", SHARE, attrgetter("overlap"), shown=False),
            _SHIFT,
            Column(f"{SHIFT} pvalue", "", PVALUE, attrgetter("pvalue"), shown=False),
            Column(f"{SHIFT} corrected", "p (these)", PVALUE, attrgetter("corrected")),
            Column("kind low", "", NUMBER, attrgetter("kind.low"), shown=False),
            Column("kind high", "", NUMBER, attrgetter("kind.high"), shown=False),
            Column("kind pvalue", "", PVALUE, attrgetter("kind_pvalue"), shown=False),
            Column("kind corrected", "p (this kind)", PVALUE, attrgetter("kind_corrected"), strong=self.is_partial),
            Column(name, title, COEFFICIENT, lambda shift: shift.row.coefficients[self.coefficient], symbol=symbol),
            Column(
                f"{name} without", f"{title} without it", COEFFICIENT, attrgetter("left"), symbol=f"{symbol} without it"
            ),
            Column(
                f"{name} without estimate",
                f"population {title} without it",
                COEFFICIENT,
                attrgetter("without.value"),
                lambda shift: shift.without[1:],
                ends=(f"{name} without low", f"{name} without high"),
                symbol=f"population {symbol} without it",
                wide=True,
            ),
        )
        return Table(columns, self.of_groups)

    def is_partial(self, shift: GroupShift) -> bool:
        """Whether a judge is found to favour, or disfavour, runs such as those of the group."""
        return shift.kind_corrected <= self.alpha

    @property
    def apart(self) -> Labels:
        """The groups that overlap too little with the other runs to be told from their quality."""
        return tuple(dict.fromkeys(shift.group for shift in self.of_groups if shift.overlap < LEAST_OVERLAP))

    @property
    def note(self) -> str:
        """What was computed, and how."""
        scale = "the reference" if self.same_scale else "its curve over the reference"
        text = (
            f"Shift: by how much the judge's scores exceed {scale}, on average over the group less all other runs. "
            "p (these): tests the shift for exactly these runs, whatever its cause. p (this kind): generalises to "
            "other runs of the kind; only this one supports the claim that the judge favours them. "
            f"{self.level:.0%} intervals over {self.n_topics} topics, not corrected; p-values corrected for all "
            f"{len(self.of_groups)} rows (Holm)."
        )
        return f"{text} {_of_apart(self.apart)}" if self.apart and not self.same_scale else text

    def _note(self) -> str:
        return self.note


def _of_apart(groups: Labels) -> str:
    return (
        f"No p and interval of {listing(groups)}: its runs are nearly all better, or all worse, than the others, so "
        "its shift cannot be told from its quality."
    )


_GROUP: Column[Any] = Column("group", "group", WORD, attrgetter("group"))
_SHIFT: Column[Any] = Column(SHIFT, SHIFT, NUMBER, attrgetter("shift.value"), lambda shift: shift.shift[1:])


def _of_row(row: RankingAgreement) -> Iterator[Column[Any]]:
    """The columns that name the judge and the measures of a row."""
    for column in key_columns(row):
        yield replace(column, value=lambda shift, column=column: column.value(shift.row))  # type: ignore[misc]


def judge_bias(
    compared: Sequence[tuple[RankingAgreement, ScoreMatrix, ScoreMatrix]],
    groups: Mapping[str, object],
    settings: Settings,
    *,
    coefficient: CoefficientLike,
    same_scale: bool,
    n_jobs: int | None,
) -> JudgeBias:
    """The bias of the judges of rows, given with the scores by the reference and by the judge, of the same runs."""
    of, level = as_coefficient(coefficient), settings.level
    systems, n_topics = compared[0][1].systems, compared[0][1].n_topics
    members = named_groups(groups, systems)
    inside = np.array(list(members.values()))
    group_of = {systems[index]: name for name, is_member in members.items() for index in np.flatnonzero(is_member)}
    n_draws = max(DRAWS, int(np.ceil(2 * FINER * len(compared) * len(members) / settings.alpha)))
    how: dict[str, Any] = {"same_scale": flag("same_scale", same_scale), "n_jobs": n_jobs, "n_draws": n_draws}
    of_groups: list[GroupShift] = []
    of_runs: list[RunShift] = []
    for row, reference, estimate in compared:
        order = topic_order(reference.rows)
        trusted, judged = (np.ascontiguousarray(scores.rows[order]) for scores in (reference, estimate))
        if of.name not in row.coefficients:
            value = float(of.kernel(system_means(trusted), system_means(judged)))
            row = replace(row, coefficients={**row.coefficients, of.name: value})
        shifts, overlap = draw_shifts(trusted, judged, inside, seed=settings.seed, **how), overlaps(trusted, inside)
        defined = 1.0 if row.is_defined else np.nan
        for index, group in enumerate(members):
            is_testable = same_scale or overlap[index] >= LEAST_OVERLAP
            shift, p = _tested(shifts.of_groups[:, index] * defined, level, is_testable=is_testable)
            kind, kind_p = _tested(shifts.of_kinds[:, index] * defined, level, is_testable=is_testable)
            left, outside = math.nan, Estimate(math.nan, math.nan, math.nan)
            if (~inside[index]).sum() > 1:
                sides = trusted[:, ~inside[index]], judged[:, ~inside[index]]
                error = correlation_errors(*sides, Coefficients((of,)), n_jobs=1, **settings.drawn_by())[of.name]
                left, outside = error.statistic, Estimate(error.estimate, error.low, error.high)
            n_runs, slope = int(inside[index].sum()), float(shifts.slope.mean()) * defined
            tests = (shift, p, p, kind, kind_p, kind_p)  # p-values are corrected below, once all are there
            of_groups.append(GroupShift(row, group, n_runs, float(overlap[index]), slope, *tests, left, outside))
        for system, draws in zip(systems, shifts.scores.T * defined, strict=True):
            of_runs.append(RunShift(row, system, group_of.get(system, ""), _summary(draws, level)))
    corrected, kind_corrected = (
        holm([getattr(shift, name) for shift in of_groups]) for name in ("pvalue", "kind_pvalue")
    )
    of_groups = [
        shift._replace(corrected=float(p), kind_corrected=float(kind_p))
        for shift, p, kind_p in zip(of_groups, corrected, kind_corrected, strict=True)
    ]
    if any(np.isnan(shift.shift.value) for shift in of_groups):
        warn(
            "A judge or the reference ties all runs, or all runs of each group: its shifts are nan.",
            DegenerateInputWarning,
        )
    sizes = n_topics, n_draws, settings.seed
    bias = JudgeBias(tuple(of_groups), tuple(of_runs), of.name, level, settings.alpha, same_scale, *sizes, of)
    if bias.apart and not same_scale:
        warn(_of_apart(bias.apart), DegenerateInputWarning)
    return bias


def named_groups(groups: Mapping[str, object], systems: Labels) -> dict[str, NDArray[np.bool_]]:
    """Group -> a mask of its systems, from lists or patterns of names."""
    if not isinstance(groups, Mapping):
        raise TypeError(f"`groups` must map names to lists or patterns of runs, got {type(groups).__name__}.")
    members: dict[str, NDArray[np.bool_]] = {}
    for name, runs in by_name(groups, "groups").items():
        if isinstance(runs, str):  # a run whose name looks like a pattern comes before what the pattern fits
            wanted = {runs} & set(systems) or {system for system in systems if fnmatchcase(system, runs)}
        else:
            wanted = {str(system) for system in list_of("groups", runs, "runs")}
        if strangers := wanted - set(systems):
            raise ValueError(f"`groups` must have only runs that are compared, got {listing(strangers)}.")
        members[name] = np.array([system in wanted for system in systems])
    if not members:
        raise ValueError("`groups` must have at least one group, got none.")
    times = np.sum(list(members.values()), axis=0)
    if (times > 1).any():
        several = {systems[index] for index in np.flatnonzero(times > 1)}
        raise ValueError(f"`groups` must have each run once, got several of {listing(several)}.")
    if empty := {name for name, inside in members.items() if not inside.any()}:
        raise ValueError(f"`groups` must each have some of the runs {listing(systems)}, got none in {listing(empty)}.")
    if full := {name for name, inside in members.items() if inside.all()}:
        raise ValueError(f"`groups` must leave some runs outside, got all of them in {listing(full)}.")
    return members


# --- numbers ------------------------------------------------------------------------------------------------


def _summary(draws: Floats, level: float) -> Estimate:
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return Estimate(float(draws.mean()), float(low), float(high))


def _tested(draws: Floats, level: float, *, is_testable: bool) -> tuple[Estimate, float]:
    """The mean of draws, with an interval, and the p-value of 0; without both where it cannot be tested."""
    estimate = _summary(draws, level)
    if not is_testable:
        return Estimate(estimate.value, math.nan, math.nan), math.nan
    if np.isnan(draws).any():
        return estimate, math.nan
    fewer = min((draws >= 0.0).sum(), (draws <= 0.0).sum())
    return estimate, float(min(1.0, 2.0 * (fewer + 1) / (draws.size + 1)))


def holm(pvalues: Sequence[float]) -> Floats:
    """p-values corrected for all of them that are defined; statsmodels takes half a second to import."""
    values = np.asarray(pvalues, dtype=np.float64)
    corrected, order = np.full(values.shape, np.nan), np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return corrected
