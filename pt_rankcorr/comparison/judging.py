"""Judges beyond their rows: which is better, by how much do families of judges differ, and is a judge biased?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.families import JudgeFamilies, compare_families
from pt_rankcorr.comparison.judge_ranking import JudgeRanking, Sides, rank_judges
from pt_rankcorr.comparison.table import Comparison, RankingAgreement, key_columns
from pt_rankcorr.comparison.table import Settings as Settings  # of a field
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.judgments.labels import LabelHygiene
from pt_rankcorr.judgments.pools import members_of
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.accuracy import partiality
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import flag, listing
from pt_rankcorr.stats.core.holm import holm
from pt_rankcorr.stats.core.means import system_means, topic_order
from pt_rankcorr.stats.core.types import Floats, Labels, Result
from pt_rankcorr.tables import COEFFICIENT, COUNT, NUMBER, PVALUE, SHARE, WORD, Column, Table
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning, warn

ALIKE = " Each judge has another one: `read_scores(file, measure=...)` gives all the same name."
DRAWS = 5000  # at least, of score shifts
FINER = 4  # times: what the least p-value is below the level, once it is corrected for all rows
SHIFT = "score shift"
NO_P = (
    "No p and interval of {}: its runs are nearly all better, or all worse, than the others, so its shift cannot be "
    "told from its quality."
)

# --- bias ---------------------------------------------------------------------------------------------------


class Estimate(NamedTuple):
    """The mean over draws, with an interval."""

    value: float
    low: float
    high: float


class GroupShift(NamedTuple):
    """A judge's score shift from the reference for a group of runs, against all others.

    Attributes:
        row: The judge and the measures.
        overlap: Among pairs of a run of the group and another run, the share in which the run of the worse side is the
            better one, by the reference. Below .1, p-values are nan.
        slope: The slope of the judge's scores over the reference's, from the worst run to the best.
        shift: The mean over the group less that over all other runs, with its interval for these very runs.
        pvalue, corrected: The p-value of no shift for these runs, alone and corrected for all rows.
        kind: The shift with an interval for all runs of these kinds: the judge's errors about single runs are random.
        kind_pvalue, kind_corrected: The p-value of no shift for runs of that kind, alone and corrected for all rows.
        left: The coefficient of all other runs, on these topics.
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
        of_groups, of_runs: One per judge, pair of measures, and group or run.
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
        )
        return Table(columns, self.of_groups)

    def is_partial(self, shift: GroupShift) -> bool:
        """Whether a judge is found to favour, or disfavour, runs such as those of the group."""
        return shift.kind_corrected <= self.alpha

    @property
    def apart(self) -> Labels:
        """The groups that overlap too little with the other runs to be told from their quality."""
        return tuple(dict.fromkeys(shift.group for shift in self.of_groups if shift.overlap < partiality.LEAST_OVERLAP))

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
        return f"{text} {NO_P.format(listing(self.apart))}" if self.apart and not self.same_scale else text

    def _note(self) -> str:
        return self.note


_GROUP: Column[Any] = Column("group", "group", WORD, attrgetter("group"))
_SHIFT: Column[Any] = Column(SHIFT, SHIFT, NUMBER, attrgetter("shift.value"), lambda shift: shift.shift[1:])


def _of_row(row: RankingAgreement) -> Iterator[Column[Any]]:
    """The columns that name the judge and the measures of a row."""
    for column in key_columns(row):
        yield replace(column, value=lambda shift, column=column: column.value(shift.row))  # type: ignore[misc]


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


# --- the questions --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgesCompared(Comparison):
    """Judges compared with a reference, on one collection or several."""

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their agreement with the reference, each pair tested.

        All is about as many topics as are at hand. The null hypothesis of a test: two judges agree equally well with
        the reference, or, for several collections, on average over these. Differences are tested over common resamples
        of topics: see `JudgeRanking.pairs`.

        Args:
            measure, reference: The measures of the judges and of the reference, if rows have several.
            coefficient: The name of a coefficient, or a `stats.Coefficient`.
            alpha: The level after correction; by default that of the comparison.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            The judges, best first, with significantly different clusters, and the judges that may be the best.
        """
        settings = self.settings if alpha is None else replace(self.settings, alpha=alpha)
        return rank_judges(self._sides(reference, measure), as_coefficient(coefficient), settings, n_jobs)

    def _sides(self, reference: object, measure: object) -> list[Sides]:
        """For each collection the reference, and the judges that are in all of them."""
        raise NotImplementedError


@dataclass(frozen=True)
class JudgeComparison(JudgesCompared):
    """Judges compared with a reference: a sequence of `RankingAgreement`, by pair of measures and judge.

    A judge is a leaderboard, or a set of judgments under which the runs were evaluated.

    Attributes:
        reference, others: The trusted scores, and judge -> its scores, of the runs and topics in use.
        dropped_topics, dropped_systems: Topics and runs that were left out, as not all sides have them.
        failed: Judge -> why it could not be used.
        hygiene: A table of the faults of judges' labels, if judges are sets of judgments.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    dropped_systems: Labels
    failed: Mapping[str, str] = field(default_factory=dict)
    hygiene: LabelHygiene | None = field(default=None, repr=False)
    groups: Mapping[str, object] | None = field(default=None, repr=False)

    def families(
        self,
        factors: object,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeFamilies:
        r"""How much judges that are model x prompt x repetition differ by each of these, and by topic sampling error.

        The true coefficients are assumed normal: a mean, a deviation for each group of a factor, and the sampling
        error of topics. Standard deviations maximise the restricted likelihood; intervals come from its profile. In
        simulations of normal coefficients 95% intervals covered .92 to 1.00 with 4 to 8 models of 3 or 4 prompts,
        and .88 between 3 models (120 samples per cell).

        Args:
            factors: A pattern with named groups that is found in the names of judges, such as
                ``r"(?P<model>\w+)-(?P<prompt>\w+)"``; or a table, judge -> factor -> value, or a frame with one row per
                judge, named by its index or in the column "judge". The first factor contains the others: prompts are
                compared within a model.
            measure, coefficient, reference, n_jobs: As for `judges`.

        Returns:
            A table with one row per factor and one for topic sampling error, and `best`: for each model the judges that
            may be its best. All is about as many topics as are at hand.

        References:
            Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", Biometrika 58,
            1971 (restricted likelihood).
        """
        (sides,) = self._sides(reference, measure)
        return compare_families(sides, factors, as_coefficient(coefficient), self.settings, n_jobs)

    def _sides(self, reference: object, measure: object) -> list[Sides]:
        rows = self._rows_of(reference, measure)
        for name in ("reference", "measure"):
            measures = list(dict.fromkeys(row.key[name] for row in rows))
            if len(measures) > 1:
                advice = ALIKE if len(measures) == len(rows) else ""
                raise ValueError(f"`{name}` must be one of {listing(measures)}, got None.{advice}")
        return [(self.reference[rows[0].reference], {row.judge: self.others[row.judge][row.measure] for row in rows})]

    def bias(
        self,
        groups: Mapping[str, object] | None = None,
        *,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        same_scale: bool = False,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeBias:
        """Whether judges favour groups of runs, beyond what the reference sees in them.

        The score shift of a run is F - h(R), with R and F its mean scores by reference and judge. The curve h is a
        parabola that never falls, fitted to runs within groups, so a judge who is lenient or bends the scale favours
        nobody. The shift of a group is the mean over its runs less that over all others, in the topic population. The
        note below the table explains the two p-values. Groups chosen after looking have no valid p.

        Args:
            groups: Group -> its runs: a list of names, or a pattern such as ``"rerank-*"``. A run is in one group
                or in none. By default those of the comparison.
            measure, reference: A measure of the judges, and of the reference; by default all.
            coefficient: As for `judges`, for the correlation without each group.
            same_scale: Whether judge and reference give the same run the same score, so that h(R) is R.
            n_jobs: As for `judges`.

        Returns:
            A table that prints itself, with `groups` and `runs`, two frames.

        Warns:
            DegenerateInputWarning: If a judge or the reference ties all runs, or those of each group: shifts are nan.
                If a group is better, or worse, than other runs in more than nine of ten pairs: its p-values are nan.
        """
        if self.settings.two_samples:
            raise ValueError("`groups` must be None if judges have topics of their own, got groups.")
        rows, systems = self._rows_of(reference, measure), self.reference.systems
        settings, of, level = self.settings, as_coefficient(coefficient), self.settings.level
        members = members_of((self.groups or {}) if groups is None else groups, systems)
        inside = np.array([[system in own for system in systems] for own in members.values()])
        group_of = {system: name for name, own in members.items() for system in own}
        n_draws = max(DRAWS, int(np.ceil(2 * FINER * len(rows) * len(members) / settings.alpha)))
        how: dict[str, Any] = {"same_scale": flag("same_scale", same_scale), "n_jobs": n_jobs, "n_draws": n_draws}
        of_groups: list[GroupShift] = []
        of_runs: list[RunShift] = []
        for row in rows:
            sides = self.reference[row.reference].rows, self.others[row.judge][row.measure].rows
            trusted, judged = (np.ascontiguousarray(scores[topic_order(sides[0])]) for scores in sides)
            if of.name not in row.coefficients:
                value = float(of.kernel(system_means(trusted), system_means(judged)))
                row = replace(row, coefficients={**row.coefficients, of.name: value})
            shifts = partiality.draw_shifts(trusted, judged, inside, seed=settings.seed, **how)
            overlap = partiality.overlaps(trusted, inside)
            defined = 1.0 if row.is_defined else np.nan
            for index, group in enumerate(members):
                is_testable = same_scale or overlap[index] >= partiality.LEAST_OVERLAP
                shift, p = _tested(shifts.of_groups[:, index] * defined, level, is_testable=is_testable)
                kind, kind_p = _tested(shifts.of_kinds[:, index] * defined, level, is_testable=is_testable)
                outside = ~inside[index]
                left = math.nan
                if outside.sum() > 1:
                    left = float(of.kernel(*(system_means(scores[:, outside]) for scores in (trusted, judged))))
                n_runs, slope = int(inside[index].sum()), float(shifts.slope.mean()) * defined
                tests = (shift, p, p, kind, kind_p, kind_p)  # p-values are corrected below, once all are there
                of_groups.append(GroupShift(row, group, n_runs, float(overlap[index]), slope, *tests, left))
            for system, draws in zip(systems, shifts.scores.T * defined, strict=True):
                of_runs.append(RunShift(row, system, group_of.get(system, ""), _summary(draws, level)))
        all_corrected = (holm([getattr(shift, name) for shift in of_groups]) for name in ("pvalue", "kind_pvalue"))
        of_groups = [
            shift._replace(corrected=float(p), kind_corrected=float(kind_p))
            for shift, p, kind_p in zip(of_groups, *all_corrected, strict=True)
        ]
        if any(np.isnan(shift.shift.value) for shift in of_groups):
            message = "A judge or the reference ties all runs, or all runs of each group: its shifts are nan."
            warn(message, DegenerateInputWarning)
        sizes = len(self.reference.topics), n_draws, settings.seed
        bias = JudgeBias(tuple(of_groups), tuple(of_runs), of.name, level, settings.alpha, same_scale, *sizes, of)
        if bias.apart and not same_scale:
            warn(NO_P.format(listing(bias.apart)), DegenerateInputWarning)
        return bias

    @property
    def failures(self) -> str:
        """Which judges could not be used, and why; "" if all were."""
        reasons = "; ".join(f"{shown(name)}: {reason}" for name, reason in self.failed.items())
        of = len(self.failed) + len(self.others)
        return f"{len(self.failed)} of {of} judges cannot be used, and are left out: {reasons}" if self.failed else ""

    def _rows_of(self, reference: object, measure: object) -> list[RankingAgreement]:
        """The rows of these measures; None stands for all."""
        rows = list(self.rows)
        for name, wanted in (("measure", measure), ("reference", reference)):
            if wanted is not None:
                chosen = find_measure(wanted, dict.fromkeys(row.key[name] for row in rows), name)
                rows = [row for row in rows if row.key[name] == chosen]
        return rows

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_topics": len(self.reference.topics), "n_systems": len(self.reference.systems)}
        left_out = {"dropped_topics": list(self.dropped_topics), "dropped_systems": list(self.dropped_systems)}
        return {**sizes, **left_out, "failed": dict(self.failed)}

    def _subject(self) -> str:
        dropped = [
            f"{len(names)} {what}, {listing(names)}"
            for what, names in (("runs", self.dropped_systems), ("topics", self.dropped_topics))
            if names
        ]
        left_out = f" (left out, as not all have them: {'; '.join(dropped)})" if dropped else ""
        judges = "1 judge" if len(self.failed) == 1 else f"{len(self.failed)} judges"
        unused = f" {judges} could not be used: {listing(self.failed)}." if self.failed else ""
        sizes = f"{len(self.reference.systems)} runs on {len(self.reference.topics)} topics{left_out}"
        if self.settings.two_samples:
            others = sorted({len(scores.topics) for scores in self.others.values()})
            span = " to ".join(map(str, dict.fromkeys((others[0], others[-1]))))
            return f"{sizes}; judges on {span} topics of their own: two independent samples.{unused}"
        return f"{sizes}.{unused}"
