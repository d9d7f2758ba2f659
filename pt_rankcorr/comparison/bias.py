"""Is a judge partial? What it adds to the reference, for groups of runs and for each run."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.comparison._per_case import COEFFICIENTS, CORRELATION_RESAMPLES
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import RankingAgreement, column
from pt_rankcorr.names import check_distinct
from pt_rankcorr.numbers import decimals, pvalue
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.partiality import Shifts, draw_shifts
from pt_rankcorr.stats.accuracy.several import Wanted, correlation_errors
from pt_rankcorr.stats.core.arguments import flag, list_of, listing, one_of
from pt_rankcorr.stats.core.means import topic_order
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.warnings import DegenerateInputWarning, level_of_the_caller

DRAWS = 5000  # so that a p-value may be small among those of many judges
KINDS = ("score shift", "rank shift")
UNDEFINED = "-"


@dataclass(frozen=True, eq=False)
class JudgeBias(Result):
    """What judges add to the reference, for groups of runs against all others, and for each run.

    Attributes:
        groups: One row a judge, pair of measures and group: its number of runs; the slope of the judge's scores on the
            reference's; "score shift" and "rank shift", the mean over the group less that over all other runs, each
            with its interval, p-value and the p-value corrected for all rows; the coefficient over all runs, and, with
            an interval, without the group.
        runs: One row a judge, pair of measures and run: its group, and its own shifts, less their mean over runs, with
            intervals.
        coefficient: Of the correlation without a group.
        level: Of the intervals.
        same_scale: Whether the slope was taken to be 1.
        n_topics: The number of topics.
        seed: What to give as `rng` to the comparison for the same numbers.
    """

    groups: pd.DataFrame = field(compare=False)
    runs: pd.DataFrame = field(repr=False, compare=False)
    coefficient: str
    level: float
    same_scale: bool
    n_topics: int
    seed: int

    def to_frame(self) -> pd.DataFrame:
        """The groups, unrounded."""
        return self.groups.copy()

    def texts(self) -> pd.DataFrame:
        """The table of groups as people are shown it."""
        frame, name = self.groups, column(self.coefficient)
        keys = list(frame.columns[: list(frame.columns).index("group")])
        shown: dict[str, Any] = {
            key: frame[key] for key in keys if len(frame) == 1 or frame[key].nunique() > 1 or key == keys[0]
        }
        shown |= {"group": frame["group"], "runs": frame["n_runs"]}
        for kind in KINDS:
            shown[kind] = _with_ends(frame, kind)
            shown[f"p of {kind.split()[0]}s"] = frame[f"{kind} corrected"].map(_pvalue)
        shown[name] = frame[name].map(lambda value: UNDEFINED if np.isnan(value) else decimals(value))
        shown["without it"] = _with_ends(frame, f"{name} without", places=2)
        return pd.DataFrame(shown)

    @property
    def note(self) -> str:
        """What was computed, and how."""
        scale = "judge less reference" if self.same_scale else "judge less its line over the reference"
        return (
            f"Shift of a group: its mean less that of all other runs, of {scale}, in the judge's units, and of ranks; "
            f"above 0 the judge favours it. {self.level:.0%} intervals over {self.n_topics} topics; p-values corrected "
            f"for all {len(self.groups)} rows (Holm)."
        )

    def _table(self) -> dict[str, list[str]]:
        return {str(name): list(map(str, texts)) for name, texts in self.texts().to_dict("list").items()}

    def _note(self) -> str:
        return self.note


Compared = tuple[RankingAgreement, ScoreMatrix, ScoreMatrix]  # a row, the reference's scores, and the judge's


def judge_bias(
    compared: Iterable[Compared],
    groups: Mapping[str, object],
    settings: Settings,
    *,
    coefficient: str,
    same_scale: bool,
    n_jobs: int | None,
) -> JudgeBias:
    """Of rows of one comparison, which are of the same runs and topics."""
    one_of("coefficient", coefficient, COEFFICIENTS)
    rows, of_groups, of_runs = list(compared), [], []
    systems, level = rows[0][1].systems, settings.level_of_intervals
    members = named_groups(groups, systems)
    how: dict[str, Any] = {"same_scale": flag("same_scale", same_scale), "n_jobs": n_jobs}
    for row, reference, estimate in rows:
        order = topic_order(reference.rows)
        both = [np.ascontiguousarray(scores.rows[order]) for scores in (reference, estimate)]
        shifts = draw_shifts(both[0], both[1], _cells(members), n_draws=DRAWS, seed=settings.seed, **how)
        defined = row.is_defined
        named = zip(members, _of_groups(shifts, members, level, defined=defined), strict=True)
        for group, found in named:
            chosen = {"group": group, "n_runs": int(members[group].sum())}
            without = _without(row, both, members[group], coefficient, settings, level)
            of_groups.append({**row.key, **chosen, **found, **without})
        of_runs += [{**row.key, **found} for found in _of_runs(shifts, members, systems, level, defined=defined)]
    frame = pd.DataFrame(of_groups)
    for kind in KINDS:
        frame[f"{kind} corrected"] = holm(frame[f"{kind} pvalue"])
    if frame["score shift"].isna().any():
        warnings.warn(
            "No line of a judge's scores over the reference's: a side ties all runs, or the runs of each group. "
            "Their shifts are nan.",
            DegenerateInputWarning,
            stacklevel=level_of_the_caller(),
        )
    return JudgeBias(frame, pd.DataFrame(of_runs), coefficient, level, same_scale, rows[0][1].n_topics, settings.seed)


# --- groups -------------------------------------------------------------------------------------------------

Members = dict[str, NDArray[np.bool_]]


def named_groups(groups: Mapping[str, object], systems: Labels) -> Members:
    """Group -> which of the systems are in it: a list of names, or a pattern of names."""
    if not isinstance(groups, Mapping):
        raise TypeError(f"`groups` must map names to lists or patterns of runs, got {type(groups).__name__}.")
    found = {str(name): _members(runs, systems) for name, runs in groups.items()}
    if not found:
        raise ValueError("`groups` must have at least one group, got none.")
    check_distinct(list(map(str, groups)), "groups")
    taken = np.sum(list(found.values()), axis=0)
    if (taken > 1).any():
        several = {name for name, times in zip(systems, taken, strict=True) if times > 1}
        raise ValueError(f"`groups` must have each run once, got several of {listing(several)}.")
    if wrong := {name for name, inside in found.items() if not inside.any() or inside.all()}:
        raise ValueError(f"`groups` must have some of the runs, and not all, got none or all in {listing(wrong)}.")
    return found


def _members(runs: Any, systems: Labels) -> NDArray[np.bool_]:
    if isinstance(runs, str):
        names = {runs} & set(systems)  # a run whose name looks like a pattern
        return np.array([name in names if names else fnmatchcase(name, runs) for name in systems])
    wanted = {str(name) for name in list_of("groups", runs, "runs")}
    if strangers := wanted - set(systems):
        raise ValueError(f"`groups` must be of runs that are compared, got {listing(strangers)}.")
    return np.array([name in wanted for name in systems])


def _cells(members: Members) -> NDArray[np.intp]:
    """The number of the group of each run; those in none are one more group."""
    number = np.zeros(len(next(iter(members.values()))), dtype=np.intp)
    for at, inside in enumerate(members.values(), 1):
        number[inside] = at
    return np.unique(number, return_inverse=True)[1]


# --- numbers ------------------------------------------------------------------------------------------------


def _of_groups(shifts: Shifts, members: Members, level: float, *, defined: bool) -> Iterator[dict[str, float]]:
    slope = float(shifts.slope.mean()) if defined else float("nan")
    both = shifts.of_groups(np.array(list(members.values())))
    for at in range(len(members)):
        found = {"slope": slope}
        for kind, draws in zip(KINDS, both, strict=True):
            values = draws[:, at] if defined else np.full(len(draws), np.nan)
            p = _of_either_side(values)
            found |= {**_summary(kind, values, level), f"{kind} pvalue": p, f"{kind} corrected": p}
        yield found


def _of_runs(
    shifts: Shifts, members: Members, systems: Labels, level: float, *, defined: bool
) -> Iterator[dict[str, Any]]:
    group_of = {systems[at]: name for name, inside in members.items() for at in np.flatnonzero(inside)}
    for at, system in enumerate(systems):
        found: dict[str, Any] = {"run": system, "group": group_of.get(system, "")}
        for kind, draws in zip(KINDS, (shifts.scores, shifts.ranks), strict=True):
            found |= _summary(kind, draws[:, at] if defined else np.full(len(draws), np.nan), level)
        yield found


def _summary(name: str, draws: Floats, level: float) -> dict[str, float]:
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return {name: float(draws.mean()), f"{name} low": float(low), f"{name} high": float(high)}


def _of_either_side(draws: Floats) -> float:
    if np.isnan(draws).any():
        return float("nan")
    fewer = min((draws >= 0.0).sum(), (draws <= 0.0).sum())
    return float(min(1.0, 2.0 * (fewer + 1) / (draws.size + 1)))


def _without(
    row: RankingAgreement,
    both: list[Floats],
    inside: NDArray[np.bool_],
    coefficient: str,
    settings: Settings,
    level: float,
) -> dict[str, float]:
    """The coefficient of all runs, and of those outside of a group, as if only these were compared."""
    name, kept = column(coefficient), np.flatnonzero(~inside)
    found = {name: row.coefficients[coefficient]}
    ends = ("", " low", " high")
    if kept.size < 2:
        return found | {f"{name} without{end}": float("nan") for end in ends}
    wanted = Wanted((coefficient,), None, np.arange(kept.size))
    resampling: dict[str, Any] = {"n_resamples": CORRELATION_RESAMPLES, "seed": settings.seed, "n_jobs": 1}
    error = correlation_errors(both[0][:, kept], both[1][:, kept], wanted, **resampling)[coefficient]
    values = error.statistic, *error.confidence_interval(level)
    return found | {f"{name} without{end}": value for end, value in zip(ends, values, strict=True)}


def holm(pvalues: pd.Series) -> Floats:
    """p-values corrected for all of them that are defined."""
    values = pvalues.to_numpy(dtype=np.float64)
    corrected, order = np.full(values.shape, np.nan), np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return corrected


# --- texts --------------------------------------------------------------------------------------------------


def _with_ends(frame: pd.DataFrame, name: str, places: int | None = None) -> list[str]:
    """Values with intervals, with as many digits as the narrowest interval of the column has use for."""
    if places is None:
        widths = (frame[f"{name} high"] - frame[f"{name} low"]).to_numpy(dtype=np.float64)
        widths = widths[np.isfinite(widths) & (widths > 0.0)]
        places = int(np.clip(1 - np.floor(np.log10(widths.min())), 1, 6)) if widths.size else 2
    columns = (frame[f"{name}{end}"] for end in ("", " low", " high"))
    return [_bracketed(values, places) for values in zip(*columns, strict=True)]


def _bracketed(values: tuple[float, ...], places: int) -> str:
    if np.isnan(values[0]):
        return UNDEFINED
    value, low, high = (decimals(each, places) for each in values)
    return f"{value} [{low}, {high}]"


def _pvalue(value: float) -> str:
    return UNDEFINED if np.isnan(value) else pvalue(value)
