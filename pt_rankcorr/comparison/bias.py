"""Does a judge favour groups of runs, beyond what the reference sees in them? Shifts, tested."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.rows import RankingAgreement
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.display import Quotable
from pt_rankcorr.judgments.pools import members_of
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy import group_bias
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import flag, listing
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.types import Labels, Result
from pt_rankcorr.warnings import DegenerateInputWarning, warn

NO_P = (
    "No p and interval of {}: its runs are nearly all better, or all worse, than the others, "
    "so its shift cannot be told from its quality."
)


class GroupShift(NamedTuple):
    """A judge's score shift from the reference for a group of runs, against all others."""

    row: RankingAgreement  # the judge and the measures
    group: str
    n_runs: int  # of the group
    # among pairs of a run of the group and another run, the share in which the run of the worse
    # side is the better one, by the reference; below .1 there are no interval and p-value
    overlap: float
    slope: float  # of the judge's scores over the reference's, from the worst run to the best
    # the group's mean residual less that of all others, in units of the judge's scores
    shift: float
    low: float  # the ends of its interval, for runs of this kind, corrected for all rows
    high: float
    pvalue: float  # of no shift for runs of this kind, corrected for all rows
    coefficient: float  # of all runs, on these topics
    without: float  # the coefficient of the runs outside the group


class RunShift(NamedTuple):
    """A judge's score shift for one run, less the mean over all, with an interval for this run."""

    row: RankingAgreement
    run: str
    group: str  # "" for a run of none
    shift: float
    low: float  # the ends of its interval, which is not corrected for the number of runs
    high: float


@dataclass(frozen=True, eq=False)
class JudgeBias(Result, Quotable):
    """Score shifts of judges from the reference: of groups of runs against all others, and of runs.

    Attributes:
        of_groups, of_runs: One per judge, pair of measures and group; and one per run.
        coefficient: The coefficient of the correlation without a group.
        level, alpha: The level of the intervals, and that of the tests, for all rows together.
        same_scale: Whether the judge was taken to be on the reference's scale.
    """

    of_groups: tuple[GroupShift, ...] = field(repr=False)
    of_runs: tuple[RunShift, ...] = field(repr=False)
    coefficient: str
    level: float
    alpha: float
    same_scale: bool
    n_topics: int
    of: Coefficient = field(repr=False, compare=False)

    @property
    def groups(self) -> pd.DataFrame:
        """One row per judge, pair of measures and group, unrounded."""
        return self.to_frame()

    @property
    def runs(self) -> pd.DataFrame:
        """One row per judge, pair of measures and run, unrounded."""
        return self.table(of_runs=True).to_frame()

    @property
    def apart(self) -> Labels:
        """The groups that overlap too little with the other runs to be told from their quality."""
        if self.same_scale:
            return ()
        least = group_bias.LEAST_OVERLAP
        return tuple(dict.fromkeys(of.group for of in self.of_groups if of.overlap < least))

    @property
    def n_tests(self) -> int:
        """The number of shifts that were tested, which intervals and p-values are corrected for."""
        return sum(not math.isnan(shift.pvalue) for shift in self.of_groups)

    def is_biased(self, shift: GroupShift) -> bool:
        """Whether a judge is found to favour, or disfavour, runs such as those of the group."""
        return shift.pvalue <= self.alpha


def judge_bias(
    rows: Sequence[RankingAgreement],
    reference: Scores,
    judges: Mapping[str, Scores],  # judge -> its scores of the same topics and systems
    groups: Mapping[str, object] | pd.Series,
    *,
    settings: Settings,
    coefficient: Coefficient,
    same_scale: bool,
) -> JudgeBias:
    """The result of `JudgeComparison.bias`: for rows of judges, with the reference's topics."""
    if settings.two_samples:
        raise ValueError("`groups` must be None if judges have topics of their own, got groups.")
    systems, same_scale = reference.systems, flag("same_scale", same_scale)
    members = members_of(groups, systems)
    # (n_groups, n_systems)
    inside = np.array([[system in runs for system in systems] for runs in members.values()])
    group_of = {system: name for name, runs in members.items() for system in runs}

    tested, of_groups, of_runs = [], [], []
    for row in rows:
        trusted, judged = reference[row.reference].sample, judges[row.judge][row.measure].sample
        means = system_means(trusted), system_means(judged)
        # a factor: nan where a side ties all
        defined = 1.0 if all(np.ptp(side) > 0.0 for side in means) else math.nan
        correlation = float(coefficient.kernel(*means))
        shifts = group_bias.shifts_of(trusted, judged, inside, same_scale=same_scale)
        overlaps = group_bias.overlaps(trusted, inside)
        for index, (group, outside) in enumerate(zip(members, ~inside, strict=True)):
            is_testable = same_scale or overlaps[index] >= group_bias.LEAST_OVERLAP
            without = math.nan
            if outside.sum() > 1:
                without = float(coefficient.kernel(*(side[outside] for side in means)))
            of_group = GroupShift(
                row,
                group,
                n_runs=int(inside[index].sum()),
                overlap=float(overlaps[index]),
                slope=shifts.slope * defined,
                shift=float(shifts.of_groups[index]) * defined,
                low=math.nan,
                high=math.nan,
                pvalue=shifts.pvalue(index) * defined if is_testable else math.nan,
                coefficient=correlation,
                without=without,
            )
            of_groups.append(of_group)
            # for the interval, whose level needs the number of all tests
            tested.append((shifts, index))
        ends = shifts.intervals_of_systems(settings.level, len(trusted))
        values = np.column_stack([shifts.scores, ends]) * defined  # of each run, (n_systems, 3)
        for run, shift_and_ends in zip(systems, values.tolist(), strict=True):
            of_runs.append(RunShift(row, run, group_of.get(run, ""), *shift_and_ends))

    # one correction for intervals and p-values: an interval has 0 in it where p is above 1 - level
    n_tests = sum(not math.isnan(of_group.pvalue) for of_group in of_groups)
    for index, (of_group, (shifts, column)) in enumerate(zip(of_groups, tested, strict=True)):
        if not math.isnan(of_group.pvalue):
            low, high = shifts.interval(column, 1.0 - (1.0 - settings.level) / n_tests)
            corrected = min(of_group.pvalue * n_tests, 1.0)
            of_groups[index] = of_group._replace(low=low, high=high, pvalue=corrected)
    if any(math.isnan(of_group.shift) for of_group in of_groups):
        seen = "A judge or the reference ties all runs, or all runs of each group"
        warn(f"{seen}: its shifts are nan.", DegenerateInputWarning)
    bias = JudgeBias(
        tuple(of_groups),
        tuple(of_runs),
        coefficient.name,
        settings.level,
        settings.alpha,
        same_scale,
        len(reference.topics),
        coefficient,
    )
    if bias.apart:
        warn(NO_P.format(listing(bias.apart)), DegenerateInputWarning)
    return bias
