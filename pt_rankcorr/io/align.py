"""From scored cells to score matrices, with a report of how topics and systems were aligned: all readers end here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr import choices
from pt_rankcorr.io import measure_names
from pt_rankcorr.io.datasets import labels_in_datasets
from pt_rankcorr.io.paths import as_number, check_columns
from pt_rankcorr.scores import Alignment, ScoreMatrix, Scores
from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import listing, one_of, spelling_hint
from pt_rankcorr.stats.core.parsing import ROUNDED, decimals_of
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown, shown_name
from pt_rankcorr.warnings import RoundedScoresWarning, warn

MISSING: tuple[choices.Missing, ...] = get_args(choices.Missing)
COLUMNS = ["name", "qid", "measure", "value"]
COARSE = frozenset({"P", "R", "SetP", "SetR", "Success", "Judged"})  # ratios of counts: few decimals, unrounded


@dataclass(frozen=True)
class Cube:
    """Scores as a reader found them, measures x topics x systems, nan where there is none: `align` makes `Scores`."""

    values: Floats
    measures: Labels
    topics: Labels
    systems: Labels
    parameter: str  # the caller's argument, for messages
    lower: Collection[str] = ()  # which of the measures are better when lower: `align` negates them
    ignored: Labels = ()  # measures that are none, and were left out
    averaged: str = ""  # which scores are means of several, in words
    lower_by_name: Labels = ()  # which of `lower` only their names say

    def keep(self, topics: Any = slice(None), systems: Any = slice(None)) -> Cube:
        """The scores of the topics and systems that masks, (n_topics,) and (n_systems,), select; by default all."""
        values = self.values[:, topics][:, :, systems]
        return replace(self, values=values, topics=_where(topics, self.topics), systems=_where(systems, self.systems))


def warn_of_rounding(rounded: Mapping[str, int], advice: str = ROUNDED) -> None:
    """Warns of measures that look rounded, if there are any: measure -> decimals. `advice` ends the message."""
    if rounded:
        seen = ", ".join(f"{shown_name(name)} ({decimals} decimals)" for name, decimals in rounded.items())
        warn(f"The scores look rounded: {seen}. {advice}", RoundedScoresWarning)


def align(
    cube: Cube,
    *,
    missing: str = "error",
    report: Alignment | None = None,
    defaults: Mapping[str, float] | None = None,
    may_be_rounded: Collection[str] | None = None,
) -> Scores:
    """Score matrices from a cube of scores, with the report of their alignment.

    Topics for which no system has any score are without judgments and left out. Other missing scores are an "error", or
    `missing` says what to do: "drop-topics", "drop-systems", or "zero", which fills in 0, or the measure's default of
    `defaults`. Measures that look rounded are reported, of those that `may_be_rounded`, by default all. A `report` may
    have what the cells do not say. Measures that are better when lower are negated.
    """
    one_of("missing", missing, MISSING)
    report = report or Alignment()
    parameter = cube.parameter
    is_unjudged = np.isnan(cube.values).all(axis=(0, 2))
    if is_unjudged.all():
        raise ValueError(f"`{parameter}` must have at least one topic with judgments, got none.")
    unjudged, cube = _where(is_unjudged, cube.topics), cube.keep(topics=~is_unjudged)
    cube, treated = _without_missing(cube, missing, defaults or {}, report.unjudged_topics)
    if len(cube.systems) < 2:
        raise ValueError(f"`{parameter}` must have at least 2 systems to rank, got {listing(cube.systems) or 'none'}.")
    rounded: dict[str, int] = {}  # where many distinct values have few decimals, though no cut-off makes them so coarse
    for name, values in zip(cube.measures, cube.values, strict=True):
        is_coarse = measure_names.family_of(name) in COARSE
        if (may_be_rounded is None or name in may_be_rounded) and not is_coarse:
            rounded |= {name: decimals} if (decimals := decimals_of(values)) is not None else {}
    of_evaluator = "Their evaluator prints no more decimals: some ties of systems may come from that."
    warn_of_rounding(rounded, ROUNDED if may_be_rounded is None else of_evaluator)
    alignment = replace(
        report,
        **treated,
        topics=cube.topics,
        systems=cube.systems,
        unjudged_topics=tuple(sorted({*unjudged, *report.unjudged_topics})),
        ignored_measures=cube.ignored,
        rounded=rounded,
        equal_systems=_copies(cube),
        averaged=cube.averaged,
        lower_by_name=cube.lower_by_name,
    )
    matrices = {}
    for name, values in zip(cube.measures, cube.values, strict=True):
        is_lower = name in cube.lower
        matrices[name] = ScoreMatrix(0.0 - values if is_lower else values, cube.topics, cube.systems, name, is_lower)
    return Scores(matrices, alignment)


def cube_of(
    cells: pd.DataFrame,
    parameter: str = "scores",
    lower_is_better: Collection[object] = (),
    *,
    keep: Collection[str] = (),
    repeats: str = "error",
) -> Cube:
    """The cube of a frame of cells, without measures that count or list something, and what is over all others.

    Cells have the columns name, qid, measure and value, one score a row, and perhaps "repeat", or "dataset" and
    "stratum" as of `in_datasets`. What is over all others are rows over all topics, or all of a data set, and columns
    over all systems, which are left out by their names, with a warning, except those to `keep`. Several scores of one
    system, topic and measure are averaged if a column "repeat" tells them apart, or if `repeats` is "mean"; else they
    are an "error". Measures that are `lower_is_better` are marked, not negated.
    """
    one_of("repeats", repeats, ("error", "mean"))
    if not len(cells):
        raise ValueError(f"`{parameter}` must hold at least one score, got none.")
    label_of = labels_in_datasets(cells)
    codes, topics = coded_topics = coded(cells["qid"])
    labels = [label_of.get(topic, topic) for topic in topics]
    is_over = summary_rows.sure_rows(labels) & ~np.isin(labels, list(keep))
    is_summary = is_over[codes]
    over_all, cells = (cells[is_summary], cells[~is_summary]) if is_over.any() else (cells[:0], cells)
    if not len(cells):
        raise ValueError(f"`{parameter}` must have scores of topics, got only rows over all topics. Was -q left out?")
    codes, names = coded_measures = coded(cells["measure"])
    is_ignored = np.array([measure_names.ranks_no_systems(name) for name in names], dtype=bool)
    ignored = tuple(sorted(np.array(names, dtype=object)[is_ignored]))
    if is_ignored.all():
        raise ValueError(f"`{parameter}` must have a measure that ranks systems, got only counts: {listing(ignored)}.")
    cells = cells[~is_ignored[codes]] if ignored else cells
    # labels are text: a topic is "1" whether it was read as a number or not
    if ignored or len(over_all):
        coded_topics = coded(cells["qid"])
        coded_measures = coded(cells["measure"])
    factors = [coded_measures, coded_topics, coded(cells["name"])]
    measures, topics, systems = (labels for _, labels in factors)
    shape = (len(measures), len(topics), len(systems))
    flat = np.ravel_multi_index([codes for codes, _ in factors], shape)
    values, averaged = _one_each(cells, finite_values(cells, parameter), flat, shape, parameter, repeats)
    lower = [*measure_names.lower_measures(lower_is_better, measures)]
    said = [name for name in measures if name not in lower and headings.direction(name) == "lower"]
    cube = Cube(values, measures, topics, systems, parameter, [*lower, *said], ignored, averaged, tuple(said))
    datasets = np.array([topic.removesuffix(label_of.get(topic, topic)) for topic in topics])
    if len(over_all):
        names_over = {label_of.get(name, str(name)) for name in over_all["qid"].unique()}
        summary_rows.warn_of_rows(names_over, *_unlike_means(cube, over_all, label_of, datasets))
    is_column = summary_rows.sure_columns(systems) & ~np.isin(systems, list(keep))
    if is_column.any() and not is_column.all():
        summary_rows.warn_of_columns(_where(is_column, systems))
        cube = cube.keep(systems=~is_column)
    for values in cube.values:
        summary_rows.warn_of_content(cube.topics, cube.systems, values, keep)
    return cube


def coded(column: pd.Series[Any]) -> tuple[NDArray[np.intp], Labels]:
    """The cells of a column as positions of their labels, (n_cells,), and these labels as they first appear.

    Categories that are ordered, as those of sheets, have this order; some may be of rows that were left out.
    """
    if not isinstance(column.dtype, pd.CategoricalDtype):
        places, names = pd.factorize(column.astype(str))
        return places, tuple(names)
    codes, labels = column.cat.codes.to_numpy(), column.cat.categories.astype(object)
    if not column.cat.ordered:
        places, used = pd.factorize(codes)
        return places, tuple(map(str, labels[used]))
    is_used = np.bincount(codes, minlength=len(labels)) > 0
    # labels that no cell has are left out: the positions of the others move up
    taken: NDArray[Any] = codes if is_used.all() else (np.cumsum(is_used) - 1)[codes]
    return taken, tuple(map(str, labels[is_used]))


def _one_each(
    cells: pd.DataFrame, scores: Floats, flat: NDArray[np.intp], shape: tuple[int, ...], parameter: str, repeats: str
) -> tuple[Floats, str]:
    """Scores, (n_cells,), of cells as an array of this shape, nan without one; and what was averaged, in words.

    `flat` has the place of each in the raveled array; `repeats` says what to do where places repeat, see `cube_of`.
    """
    values = np.full(shape, np.nan)
    values.ravel()[flat] = scores
    times = np.bincount(flat, minlength=values.size)  # of each place, the number of its cells
    if times.max() < 2:
        return values, ""
    about = ""
    if "repeat" in cells:
        told_apart = cells["repeat"].astype(str).to_numpy()
        is_told = not pd.DataFrame({"cell": flat, "repeat": told_apart}).duplicated().any()
        about = f", by {listing({*told_apart})}" if is_told else ""
    if not about and repeats == "error":
        twice = cells[times[flat] > 1]
        qid, measure = map(str, twice[["qid", "measure"]].iloc[0])
        raise ValueError(
            f"`{parameter}` must hold one score for each system, topic and measure, got several for "
            f"{listing(twice['name'].astype(str).unique())} (the first on topic {shown(qid)} by {shown_name(measure)})."
            " If these are repetitions, `repeats='mean'` averages them. Are there two systems of one name?"
        )
    is_known = ~np.isnan(scores)
    total = np.bincount(flat[is_known], scores[is_known], minlength=values.size)
    with np.errstate(invalid="ignore"):
        means = (total / np.bincount(flat[is_known], minlength=values.size)).reshape(shape)
    least, most = times[times > 0].min(), times.max()
    return means, f"{most if least == most else f'{least} to {most}'} for each system and topic{about}"


def _unlike_means(
    cube: Cube, over_all: pd.DataFrame, label_of: Mapping[object, str], datasets: NDArray[Any]
) -> tuple[list[str], int]:
    """The scores in rows over all topics that are not the means of these, in words; and how many were compared.

    `over_all` are the cells of these rows; `label_of` is topic -> its name in its data set. `datasets` has the data set
    of each topic of the cube, as "name/" or "": a row over all topics is compared with the topics of its own.
    """
    unlike: list[str] = []
    n_compared = 0
    for (topic, measure), means in over_all.groupby(["qid", "measure"], sort=False, observed=True):
        label = label_of.get(topic, str(topic))
        if not summary_rows.is_mean(label) or str(measure) not in cube.measures:
            continue
        by_topic = cube.values[cube.measures.index(str(measure)), datasets == str(topic).removesuffix(label)]
        by_topic = by_topic[~np.isnan(by_topic).all(axis=1)]
        if len(by_topic):  # each measure may be rounded to other decimals
            row = dict(zip(means["name"].astype(str), finite_values(means, cube.parameter).tolist(), strict=True))
            in_order = np.array([row.get(name, np.nan) for name in cube.systems])
            wrong, n = summary_rows.unlike_means(in_order, by_topic)
            unlike += [f"{cube.systems[column]} by {measure}" for column in wrong]
            n_compared += n
    return unlike, n_compared


def check_cells(cells: pd.DataFrame, parameter: str) -> None:
    """An error if a frame lacks a column of scored cells, or has one twice, or a name in them is missing."""
    check_columns(cells, COLUMNS, parameter, f"{', '.join(COLUMNS)} (pt.Experiment with perquery=True)")
    for column in ("name", "qid", "measure"):
        if n_absent := int(cells[column].isna().sum()):
            raise ValueError(
                f"`{parameter}` must have a name in each row of the column {column!r}, got none in {n_absent} rows. "
                "Was a name such as 'NA' read as a missing value?"
            )


def finite_values(cells: pd.DataFrame, parameter: str) -> Floats:
    """The values of cells, (n_cells,), nan where there is no score; an error for other text, or infinity."""
    column = cells["value"]
    # not pd.to_numeric for text: older ones lose the last bits
    numbers = column if column.dtype.kind in "fiub" else column.map(_number)
    values = np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    wrong = np.isinf(values) | (np.isnan(values) & cells["value"].notna().to_numpy())
    if wrong.any():
        name, qid, measure, value = cells.loc[wrong, COLUMNS].iloc[0]
        seen = shown(value) if isinstance(value, str) else shown_name(value)  # numpy's repr would name its type
        raise ValueError(
            f"`{parameter}` must be finite numbers, got {seen} for system {shown(str(name))} on topic "
            f"{shown(str(qid))} by {shown_name(measure)}."
        )
    return values


def _number(value: object) -> float:
    """A number, or the text of one; nan for anything else."""
    try:
        return as_number(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _copies(cube: Cube) -> Labels:
    """The systems with all scores of an earlier one."""
    first: dict[bytes, str] = {}
    scores = np.ascontiguousarray(cube.values.transpose(2, 0, 1))  # a row of bytes for each system
    of_systems = zip(cube.systems, scores, strict=True)
    return tuple(name for name, values in of_systems if first.setdefault(values.tobytes(), name) != name)


def _without_missing(
    cube: Cube, policy: str, defaults: Mapping[str, float], unjudged: Labels
) -> tuple[Cube, dict[str, Any]]:
    """The cube without missing scores, and what the report says of them: fields of `Alignment` by name.

    `policy` and `defaults` are as of `align`; `unjudged` are topics of runs, perhaps misspelt ones of the cube.
    """
    missing = np.any(np.isnan(cube.values), axis=0)
    if not missing.any():
        return cube, {}
    if policy == "error":
        raise ValueError(f"{_what_is_missing(cube, missing)}{spelling_hint(unjudged, cube.topics)}")
    if policy == "drop-topics":
        incomplete = np.any(missing, axis=1)
        if incomplete.all():
            rule = "a topic on which all systems have scores"
            raise ValueError(f"`{cube.parameter}` must have {rule}, got none.")
        return cube.keep(topics=~incomplete), {"dropped_topics": _where(incomplete, cube.topics)}
    if policy == "drop-systems":
        incomplete = np.any(missing, axis=0)
        return cube.keep(systems=~incomplete), {"dropped_systems": _where(incomplete, cube.systems)}
    if cube.lower:
        names = listing(cube.lower)
        raise ValueError(f"`missing` must not be 'zero' for {names}: lower is better, so 0 would be the best.")
    lacking = dict(zip(cube.systems, missing.T, strict=True))
    filled = {system: _where(is_missing, cube.topics) for system, is_missing in lacking.items() if is_missing.any()}
    fill = np.array([defaults.get(name, 0.0) for name in cube.measures])[:, None, None]
    return replace(cube, values=np.where(np.isnan(cube.values), fill, cube.values)), {"filled": filled}


def _what_is_missing(cube: Cube, missing: NDArray[np.bool_]) -> str:
    """The message about missing scores, which `missing` marks by topic (row) and system (column)."""
    remedy = "`missing=` says what to do: 'drop-topics', 'drop-systems' or 'zero'."
    by_measure = zip(cube.measures, np.all(np.isnan(cube.values), axis=1), strict=True)
    absent = [f"{listing(_where(of, cube.systems))} by {shown_name(name)}" for name, of in by_measure if of.any()]
    if absent:
        return (
            f"`{cube.parameter}` must have scores of every system by every measure, got none of "
            f"{', and none of '.join(absent[:3])}. Has a system two names? {remedy}"
        )
    systems, topics = _where(missing.any(axis=0), cube.systems), _where(missing.any(axis=1), cube.topics)
    common = "" if (~missing.any(axis=1)).any() else " No topic is common to all systems."
    return (
        f"`{cube.parameter}` must have a score of every system on every topic, got none for {listing(systems)} on "
        f"topics {listing(topics)}.{common} {remedy}"
    )


def _where(mask: Any, labels: Labels) -> Labels:
    """The labels that a mask selects."""
    return tuple(np.array(labels, dtype=object)[mask])
