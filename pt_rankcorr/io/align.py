"""From scored cells to score matrices, with a report of their alignment: all readers end here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr import choices
from pt_rankcorr.io import measure_names
from pt_rankcorr.io.datasets import labels_in_datasets
from pt_rankcorr.io.paths import check_columns, number_of
from pt_rankcorr.scores import Alignment, ScoreMatrix, Scores
from pt_rankcorr.stats.core import headings, summary_rows
from pt_rankcorr.stats.core.arguments import listing, one_of, spelling_hint
from pt_rankcorr.stats.core.parsing import ROUNDED, decimals_of
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown, shown_name
from pt_rankcorr.warnings import RoundedScoresWarning, warn

MISSING: tuple[choices.Missing, ...] = get_args(choices.Missing)
Coded: TypeAlias = tuple[NDArray[np.intp], Labels]
COLUMNS = ["name", "qid", "measure", "value"]
# families whose scores are ratios of counts: few decimals, unrounded
COARSE = frozenset({"P", "R", "SetP", "SetR", "Success", "Judged"})


@dataclass(frozen=True)
class Cube:
    """Scores, (n_measures, n_topics, n_systems), nan if one is missing: `align` makes `Scores`."""

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
        """The scores that masks, (n_topics,) and (n_systems,), select; by default all."""
        values = self.values[:, topics][:, :, systems]
        of_topics, of_systems = _where(topics, self.topics), _where(systems, self.systems)
        return replace(self, values=values, topics=of_topics, systems=of_systems)


def warn_of_rounding(rounded: Mapping[str, int], advice: str = ROUNDED) -> None:
    """Warns of measures that look rounded, measure -> decimals. `advice` ends the message."""
    if rounded:
        seen = [f"{shown_name(name)} ({decimals} decimals)" for name, decimals in rounded.items()]
        warn(f"The scores look rounded: {', '.join(seen)}. {advice}", RoundedScoresWarning)


def align(
    cube: Cube,
    *,
    missing: str = "error",
    report: Alignment | None = None,
    defaults: Mapping[str, float] | None = None,
    may_be_rounded: Collection[str] | None = None,
) -> Scores:
    """Score matrices from a cube of scores, with the report of their alignment.

    Topics for which no system has any score are without judgments and left out. Other missing
    scores are an "error", or `missing` says what to do: "drop-topics", "drop-systems", or "zero",
    which fills in 0, or the measure's default of `defaults`. Measures that look rounded are
    reported, of those that `may_be_rounded`, by default all. A `report` may have what the cells do
    not say. Measures that are better when lower are negated.
    """
    one_of("missing", missing, MISSING)
    report = report or Alignment()
    is_unjudged = np.isnan(cube.values).all(axis=(0, 2))  # (n_topics,)
    if is_unjudged.all():
        rule = "have at least one topic with judgments"
        raise ValueError(f"`{cube.parameter}` must {rule}, got none.")
    unjudged, cube = _where(is_unjudged, cube.topics), cube.keep(topics=~is_unjudged)
    cube, treated = _without_missing(cube, missing, defaults or {}, report.unjudged_topics)
    if len(cube.systems) < 2:
        seen = listing(cube.systems) or "none"
        raise ValueError(f"`{cube.parameter}` must have at least 2 systems to rank, got {seen}.")
    # measure -> decimals, where many distinct values have few, and no cut-off makes them coarse
    rounded: dict[str, int] = {}
    for name, values in zip(cube.measures, cube.values, strict=True):
        is_asked = may_be_rounded is None or name in may_be_rounded
        is_coarse = measure_names.family_of(name) in COARSE
        if is_asked and not is_coarse and (decimals := decimals_of(values)) is not None:
            rounded[name] = decimals
    advice = ROUNDED
    if may_be_rounded is not None:
        advice = "Their evaluator prints no more decimals: some ties of systems may come from that."
    warn_of_rounding(rounded, advice)
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
        signed = 0.0 - values if is_lower else values
        matrices[name] = ScoreMatrix(signed, cube.topics, cube.systems, name, is_lower)
    return Scores(matrices, alignment)


def cube_of(
    cells: pd.DataFrame,
    parameter: str = "scores",
    lower_is_better: Collection[object] = (),
    *,
    keep: Collection[str] = (),
    repeats: str = "error",
) -> Cube:
    """The cube of a frame of cells, without counts and lists, and without what is over all others.

    Cells have the columns name, qid, measure and value, one score a row, and perhaps "repeat", or
    "dataset" and "stratum" as of `in_datasets`. What is over all others are rows over all topics,
    or all of a data set, and columns over all systems, which are left out by their names, with a
    warning, except those to `keep`. Several scores of one system, topic and measure are averaged if
    a column "repeat" tells them apart, or if `repeats` is "mean"; else they are an "error".
    Measures that are `lower_is_better` are marked, not negated.
    """
    one_of("repeats", repeats, ("error", "mean"))
    if not len(cells):
        raise ValueError(f"`{parameter}` must hold at least one score, got none.")
    label_of = labels_in_datasets(cells)
    codes, topics = coded_topics = coded(cells["qid"])
    labels = [label_of.get(topic, topic) for topic in topics]
    is_over = summary_rows.sure_rows(labels) & ~np.isin(labels, list(keep))
    over_all = cells[:0]  # the cells in rows over all topics
    if is_over.any():
        over_all, cells = cells[is_over[codes]], cells[~is_over[codes]]
    if not len(cells):
        seen = "only rows over all topics. Was -q left out?"
        raise ValueError(f"`{parameter}` must have scores of topics, got {seen}")
    codes, names = coded_measures = coded(cells["measure"])
    is_ignored = np.array([measure_names.ranks_no_systems(name) for name in names], dtype=bool)
    ignored = tuple(sorted(_where(is_ignored, names)))
    if is_ignored.all():
        seen = f"only counts: {listing(ignored)}"
        raise ValueError(f"`{parameter}` must have a measure that ranks systems, got {seen}.")
    cells = cells[~is_ignored[codes]] if ignored else cells
    # labels are text: a topic is "1" whether it was read as a number or not
    if ignored or len(over_all):
        coded_topics = coded(cells["qid"])
        coded_measures = coded(cells["measure"])
    factors = [coded_measures, coded_topics, coded(cells["name"])]
    measures, topics, systems = (labels for _, labels in factors)
    values, averaged = _one_each(cells, factors, parameter, repeats)
    lower = measure_names.lower_measures(lower_is_better, measures)
    others = [name for name in measures if name not in lower]
    by_name = tuple(name for name in others if headings.direction(name) == "lower")
    lower += by_name
    cube = Cube(values, measures, topics, systems, parameter, lower, ignored, averaged, by_name)
    if len(over_all):
        names_over = {label_of.get(name, str(name)) for name in over_all["qid"].unique()}
        summary_rows.warn_of_rows(names_over, *_unlike_means(cube, over_all, label_of))
    is_column = summary_rows.sure_columns(systems) & ~np.isin(systems, list(keep))
    if is_column.any() and not is_column.all():
        summary_rows.warn_of_columns(_where(is_column, systems))
        cube = cube.keep(systems=~is_column)
    for values in cube.values:
        summary_rows.warn_of_content(cube.topics, cube.systems, values, keep)
    return cube


def coded(column: pd.Series[Any]) -> Coded:
    """The cells of a column as positions of labels, (n_cells,), and these labels as they appear.

    Categories that are ordered, as those of sheets, have this order.
    """
    if not isinstance(column.dtype, pd.CategoricalDtype):
        places, names = pd.factorize(column.astype(str))
        return places, tuple(names)
    codes, labels = column.cat.codes.to_numpy(), column.cat.categories.astype(object)
    used = np.flatnonzero(np.bincount(codes)) if column.cat.ordered else pd.unique(codes)
    place_of = np.zeros(len(labels), dtype=np.intp)  # code -> position among those used
    place_of[used] = np.arange(len(used))
    return place_of[codes], tuple(map(str, labels[used]))


def _one_each(
    cells: pd.DataFrame, factors: Sequence[Coded], parameter: str, repeats: str
) -> tuple[Floats, str]:
    """The scores of cells as an array with an axis a factor; and what was averaged, in words.

    `factors` are `coded` columns. `repeats` says what to do where cells repeat: see `cube_of`.
    """
    shape = tuple(len(labels) for _, labels in factors)
    flat = np.ravel_multi_index([codes for codes, _ in factors], shape)  # where each cell belongs
    scores = finite_values(cells, parameter)
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
        seen = f"several for {listing(twice['name'].astype(str).unique())}"
        raise ValueError(
            f"`{parameter}` must hold one score for each system, topic and measure, got {seen} "
            f"(the first on topic {shown(qid)} by {shown_name(measure)}). If these are "
            "repetitions, `repeats='mean'` averages them. Are there two systems of one name?"
        )
    is_known = ~np.isnan(scores)
    total = np.bincount(flat[is_known], scores[is_known], minlength=values.size)
    with np.errstate(invalid="ignore"):
        means = (total / np.bincount(flat[is_known], minlength=values.size)).reshape(shape)
    least, most = times[times > 0].min(), times.max()
    count = f"{most}" if least == most else f"{least} to {most}"
    return means, f"{count} for each system and topic{about}"


def _unlike_means(
    cube: Cube, over_all: pd.DataFrame, label_of: Mapping[object, str]
) -> tuple[list[str], int]:
    """The scores over all topics that are not their means, in words; and how many were compared.

    `over_all` are the cells of these rows; `label_of` is topic -> its name in its data set.
    """
    # the data set of each topic, "name/", or "": a row is compared with the topics of its own
    datasets = np.array([topic.removesuffix(label_of.get(topic, topic)) for topic in cube.topics])
    unlike: list[str] = []
    n_compared = 0
    for (topic, measure), means in over_all.groupby(["qid", "measure"], sort=False, observed=True):
        label = label_of.get(topic, str(topic))
        if not summary_rows.is_mean(label) or str(measure) not in cube.measures:
            continue
        is_of_row = datasets == str(topic).removesuffix(label)
        by_topic = cube.values[cube.measures.index(str(measure)), is_of_row]
        by_topic = by_topic[~np.isnan(by_topic).all(axis=1)]
        if len(by_topic):  # each measure may be rounded to other decimals
            scores = finite_values(means, cube.parameter).tolist()
            mean_of = dict(zip(means["name"].astype(str), scores, strict=True))
            in_order = np.array([mean_of.get(name, np.nan) for name in cube.systems])
            wrong, n = summary_rows.unlike_means(in_order, by_topic)
            unlike += [f"{cube.systems[column]} by {measure}" for column in wrong]
            n_compared += n
    return unlike, n_compared


def check_cells(cells: pd.DataFrame, parameter: str) -> None:
    """An error if a column of scored cells is absent or there twice, or a name is missing."""
    described = f"{', '.join(COLUMNS)} (pt.Experiment with perquery=True)"
    check_columns(cells, COLUMNS, parameter, described)
    for column in ("name", "qid", "measure"):
        if n_absent := int(cells[column].isna().sum()):
            raise ValueError(
                f"`{parameter}` must have a name in each row of the column {column!r}, got none in "
                f"{n_absent} rows. Was a name such as 'NA' read as a missing value?"
            )


def finite_values(cells: pd.DataFrame, parameter: str) -> Floats:
    """The values of cells, (n_cells,), nan without one; an error for other text, or infinity."""
    column = cells["value"]
    # not pd.to_numeric for text: older ones lose the last bits
    numbers = column if column.dtype.kind in "fiub" else column.map(number_of)
    values = np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    wrong = np.isinf(values) | (np.isnan(values) & column.notna().to_numpy())
    if wrong.any():
        name, qid, measure, value = cells.loc[wrong, COLUMNS].iloc[0]
        # not the repr of a number: numpy's would name its type
        seen = shown(value) if isinstance(value, str) else shown_name(value)
        raise ValueError(
            f"`{parameter}` must be finite numbers, got {seen} for system {shown(str(name))} on "
            f"topic {shown(str(qid))} by {shown_name(measure)}."
        )
    return values


def _copies(cube: Cube) -> Labels:
    """The systems with all scores of an earlier one."""
    scores = np.ascontiguousarray(cube.values.transpose(2, 0, 1))  # a row of bytes for each system
    is_copy = pd.Series([values.tobytes() for values in scores], dtype=object).duplicated()
    return _where(is_copy, cube.systems)


def _without_missing(
    cube: Cube, policy: str, defaults: Mapping[str, float], unjudged: Labels
) -> tuple[Cube, dict[str, Any]]:
    """The cube without missing scores, and fields of `Alignment` that say what became of them.

    `policy` and `defaults` are as of `align`; `unjudged` topics may be misspelt ones of the cube.
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
        reason = "lower is better, so 0 would be the best"
        raise ValueError(f"`missing` must not be 'zero' for {listing(cube.lower)}: {reason}.")
    by_system = zip(cube.systems, missing.T, strict=True)
    filled = {system: _where(of, cube.topics) for system, of in by_system if of.any()}
    fill = np.array([defaults.get(name, 0.0) for name in cube.measures])[:, None, None]
    values = np.where(np.isnan(cube.values), fill, cube.values)
    return replace(cube, values=values), {"filled": filled}


def _what_is_missing(cube: Cube, missing: NDArray[np.bool_]) -> str:
    """The message about missing scores, which `missing`, (n_topics, n_systems), marks."""
    remedy = "`missing=` says what to do: 'drop-topics', 'drop-systems' or 'zero'."
    by_measure = zip(cube.measures, np.all(np.isnan(cube.values), axis=1), strict=True)
    lacking = {name: _where(of, cube.systems) for name, of in by_measure if of.any()}
    absent = [f"{listing(of)} by {shown_name(name)}" for name, of in lacking.items()]
    if absent:
        return (
            f"`{cube.parameter}` must have scores of every system by every measure, got none of "
            f"{', and none of '.join(absent[:3])}. Has a system two names? {remedy}"
        )
    systems = _where(missing.any(axis=0), cube.systems)
    topics = _where(missing.any(axis=1), cube.topics)
    common = " No topic is common to all systems." if topics == cube.topics else ""
    return (
        f"`{cube.parameter}` must have a score of every system on every topic, got none for "
        f"{listing(systems)} on topics {listing(topics)}.{common} {remedy}"
    )


def _where(mask: Any, labels: Labels) -> Labels:
    """The labels that a mask selects."""
    return tuple(np.array(labels, dtype=object)[mask])
