"""How compared rankings are shown: columns of rows, notes on reading them, measures in a matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison.compare import MeasureComparison, MeasureMatrix
from pt_rankcorr.comparison.judge_comparison import JudgeComparison
from pt_rankcorr.comparison.judges_by_collection import ALL, JudgesByCollection
from pt_rankcorr.comparison.judgment_curve import JudgmentCurve
from pt_rankcorr.comparison.per_topic import PAIRS
from pt_rankcorr.comparison.rows import Comparison, RankingAgreement, with_names
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import UnnamedCollection
from pt_rankcorr.present.generic import ByClass, facts_of, sentence_of, table_of
from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
from pt_rankcorr.stats.coefficients.coefficient import AT
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import TOLERANCE, Labels
from pt_rankcorr.stats.significance.pairwise import title_of
from pt_rankcorr.tables import (
    COEFFICIENT,
    COUNT,
    NUMBER,
    PVALUE,
    UNDEFINED,
    WORD,
    Column,
    Kind,
    Table,
    listed,
)
from pt_rankcorr.text import (
    D_RANK,
    P_SAME,
    confidence,
    d_rank_by,
    decimals,
    if_one_true_ranking,
    p_equals,
    plain,
    pvalue,
    with_interval,
)


class ColumnTitle(NamedTuple):
    """The title of a column of rows that is no coefficient and not of d_rank."""

    title: str
    kind: Kind = COEFFICIENT
    with_thresholds: bool = (
        False  # whether it is shown only where a threshold of relevance is not 1
    )


# what rows hold in `details` and of pairs of systems; names that are not here are for machines
TITLES = {
    "kappa": ColumnTitle("kappa"),
    "pair_accuracy": ColumnTitle("pairs of documents"),
    "pair_accuracy_one_label": ColumnTitle("with one label"),
    "pair_accuracy_at_random": ColumnTitle("at random"),
    "reference_computed": ColumnTitle("", WORD),
    "measure_computed": ColumnTitle("computed", WORD, with_thresholds=True),
    "kappa_binary": ColumnTitle("kappa, relevant", with_thresholds=True),
    "balanced_accuracy": ColumnTitle("balanced accuracy"),
    "soft_accuracy": ColumnTitle("soft accuracy"),
}


# --- one row --------------------------------------------------------------------------------------


@facts_of.register
def row_facts(row: RankingAgreement) -> tuple[Column[Any], ...]:
    """The columns of the row."""
    return columns_of([row])


@sentence_of.register
def row_sentence(row: RankingAgreement) -> str:
    """How alike both sides rank, what one true ranking would give, and d_rank if wanted."""
    first = row.settings.shown[0]
    value, correlation = row.coefficients[first.name], row.correlations.get(first.name)
    sides = " and ".join(row.sides[::-1] if "judge" in row.key else row.sides)
    if np.isnan(value):
        return f"{sides}: undefined, as a ranking ties all systems."
    by = "" if row.sides[1] == row.key.get("measure") else f" by {row.measures}"
    ranked = f"{row.n_systems} systems on {row.n_topics} topics{by} with a {first.title}"
    if row.n_collections > 1:
        ranked = f"the systems of {row.n_collections} collections{by} with a mean {first.title}"
    text = f"{sides} rank {ranked} of {value_of(row, first.name)}"
    null = None if correlation is None else correlation.one_true_ranking
    if null is not None and not math.isnan(null.mean) and value < 1.0 - TOLERANCE:
        text += f"; {sentence_of(null)}"
    if not math.isnan(row.d_rank_pvalue):
        text += f"; d_rank is {decimals(row.d_rank)} ({plain(p_equals(row.d_rank_pvalue))})"
    return f"{text}."


def value_of(row: RankingAgreement, name: str) -> str:
    """A coefficient of a row as text, with its interval where it has one."""
    correlation = row.correlations.get(name)
    ends = None if correlation is None else (correlation.low, correlation.high)
    return with_interval(row.coefficients[name], ends)


# --- all rows -------------------------------------------------------------------------------------


@table_of.register
def comparison_table(result: Comparison, *, all_settings: bool = False) -> Table:
    """One line per row. The note ends with all settings of the rows, or with the seed alone."""
    columns = columns_of(result.rows) if result.rows else ()
    last = settings_text(result.settings) if all_settings else f"Seed {result.seed}."
    note = " ".join([subject_of(result), *_reading(result.settings), *_cautions(result), last])
    return Table(columns, result.rows, notes=(note,))


@ByClass
def subject_of(result: Comparison) -> str:
    """A sentence on what was compared."""
    raise NotImplementedError(f"No sentence says what a {type(result).__name__} compares.")


@subject_of.register
def subject_of_measures(result: MeasureComparison) -> str:
    """The sizes of the collections."""
    sizes = []
    for name, scores in result.scores.items():
        prefix = "" if isinstance(name, UnnamedCollection) else f"{name}: "
        sizes.append(f"{prefix}{len(scores.systems)} systems on {len(scores.topics)} topics")
    return f"{'; '.join(sizes)}."


@subject_of.register
def subject_of_curve(result: JudgmentCurve) -> str:
    """The sizes of the collection, and how many judgments there are."""
    sizes = f"{len(result.reference.systems)} systems on {len(result.reference.topics)} topics"
    return f"{sizes}, {result.n_judgments} judgments in all."


@subject_of.register
def subject_of_judges(result: JudgeComparison) -> str:
    """The sizes of the collection, and what is left out."""
    dropped = [
        f"{len(names)} {what}, {listing(names)}"
        for what, names in (("runs", result.dropped_systems), ("topics", result.dropped_topics))
        if names
    ]
    left_out = f" (left out, as not all have them: {'; '.join(dropped)})" if dropped else ""
    judges = "1 judge" if len(result.failed) == 1 else f"{len(result.failed)} judges"
    unused = f" {judges} could not be used: {listing(result.failed)}." if result.failed else ""
    n_runs, n_topics = len(result.reference.systems), len(result.reference.topics)
    sizes = f"{n_runs} runs on {n_topics} topics{left_out}"
    if result.settings.two_samples:
        others = sorted({len(scores.topics) for scores in result.others.values()})
        span = " to ".join(map(str, dict.fromkeys((others[0], others[-1]))))
        return f"{sizes}; judges on {span} topics of their own: two independent samples.{unused}"
    return f"{sizes}.{unused}"


@subject_of.register
def subject_of_collections(result: JudgesByCollection) -> str:
    """What is averaged, the sizes of each collection, and the judges that some collections lack."""
    sizes = " ".join(f"{name}: {subject_of(one)}" for name, one in result.collections.items())
    over_all = {(row.judge, row.measures) for row in result.rows if row.n_collections > 1}
    lacking = {(row.judge, row.measures) for row in result.rows} - over_all
    in_part = {judge for judge, _ in over_all}
    names = {f"{judge} by {measures}" if judge in in_part else judge for judge, measures in lacking}
    left_out = f" Not in all collections: {listing(names)}." if names else ""
    d_rank = ", d_rank" if result.settings.d_rank else ""
    of_one = f"p-values{d_rank} and labels are of one"
    return f"{ALL.capitalize()}: means, each counting equally; {of_one}. {sizes}{left_out}"


def _reading(settings: Settings) -> Iterator[str]:
    """How to read the numbers of rows: of intervals and d_rank where the settings have them."""
    if settings.intervals:
        yield (
            "Intervals: of the mean over topic samples of this size. "
            "If one true ranking: what noise of topics alone would leave of 1, with its range; "
            "p: how often it would leave as little, or less. "
            "A large p does not show that both rank alike."
        )
    if settings.d_rank:
        yield (
            "A small p of d_rank: the order, taken as free of noise, "
            "could not be the reference's true ranking."
        )
    if settings.intervals or settings.d_rank:
        yield "Nothing is corrected for the number of rows."


def _cautions(result: Comparison) -> Iterator[str]:
    """Sentences on what makes single rows special."""
    if not all(row.is_defined for row in result.rows):
        yield f"{UNDEFINED}: a ranking ties all systems."
    pairs = [row.pairs for row in result.rows if row.pairs is not None]
    if any(np.isnan(of_row.balanced_accuracy) for of_row in pairs):
        where = "none or all of the pairs differ significantly by the reference"
        yield f"No balanced accuracy where {where}."
    # what tells rows apart: a judge has a row for each measure, any side one in each collection
    measures = {row.measures for row in result.rows if "judge" in row.key}
    collections = {row.key.get("collection") for row in result.rows}

    def name(row: RankingAgreement) -> str:
        """The row's name, with its measures and collection where there are several."""
        by = f" by {row.measures}" * (len(measures) > 1)
        return f"{row.name}{by}" + f" in {row.key.get('collection')}" * (len(collections) > 1)

    # each text once, after the names of the rows that it is about, unless it is about all
    yield from with_names([(name(row), row.cautions) for row in result.rows])


def settings_text(settings: Settings) -> str:
    """The settings of intervals, d_rank and tests of pairs, the level and the seed."""
    parts, reversals = [], ""
    if settings.intervals:
        parts.append(f"{confidence(settings.level)} intervals")
    if settings.d_rank:
        drawn = f"{settings.null}, {settings.d_rank_resamples} resamples"
        parts.append(f"{d_rank_by(settings.covariance)}: {drawn}")
    if settings.test is not None:
        at_level = "" if settings.test_alpha == settings.alpha else f" at {settings.test_alpha:g}"
        parts.append(f"pairs: {title_of(settings.test, settings.correction)}{at_level}")
        reversals = (
            " Pairs reversed: of those that differ significantly by the reference, "
            "how many do so in the other direction."
        )
    parts += [f"significant: p <= {settings.alpha:g}", f"seed {settings.seed}"]
    return f"{'; '.join(parts)}.{reversals}"


# --- measures -------------------------------------------------------------------------------------


@table_of.register
def measures_table(
    result: MeasureComparison, *, both_directions: bool = False, all_settings: bool = False
) -> Table:
    """One line per pair of measures, with both directions of what has one; or one per direction.

    The latter also where the first shown coefficient has a direction, or a pair lacks a row.
    """
    table = comparison_table(result, all_settings=all_settings)
    pairs = [] if both_directions else result.by_pair()
    if not pairs:
        return table
    # key of a row that is shown -> the row of the same measures, with the other as the reference
    swapped = {tuple(row.key.values()): other for row, other in pairs}

    def of_swapped(function: Any) -> Any:
        """The function of a row, which gets the swapped row instead."""
        return function and (lambda row: function(swapped[tuple(row.key.values())]))

    # p of d_rank always, and other columns if they differ between the directions of a pair
    directed = []
    for column in table.columns:
        is_p = column.name == "d_rank pvalue"
        if not column.shown or column.name in result.rows[0].key:
            continue
        if is_p or any(column.value(row) != column.value(other) for row, other in pairs):
            functions = ("value", "interval", "strong", "text")
            parts: dict[str, Any] = {part: of_swapped(getattr(column, part)) for part in functions}
            title = "p, swapped" if is_p else f"{column.title}, swapped"
            directed.append(replace(column, **parts, title=title, symbol="", wide=not is_p))
    return replace(table.with_trailing_columns(*directed), rows=[row for row, _ in pairs])


@table_of.register
def measure_matrix_table(result: MeasureMatrix, *, marked: str = "bold", mark: str = "") -> Table:
    """One row per reference, one column per measure: the value, d_rank with p, significance."""
    is_d_rank, is_p = result.statistic == "d_rank", result.statistic.endswith("pvalue")
    frames = (result.values, result.pvalues, result.significant)

    def column(measure: str) -> Column[int]:
        # rows are numbered references; the cell of a measure with itself is empty
        values, pvalues, strong = (frame[measure].to_list() for frame in frames)

        def text(row: int) -> str:
            if result.values.index[row] == measure:
                return ""
            value = pvalue(values[row]) if is_p else decimals(values[row], 2)
            with_p = f" ({pvalue(pvalues[row])})" if is_d_rank else ""
            return f"{value}{with_p}{mark if strong[row] else ''}"

        return listed(measure, NUMBER, values, strong=strong.__getitem__, text=text)

    names = listed("reference", WORD, list(result.values.index))
    where = "" if isinstance(result.collection, UnnamedCollection) else f"{result.collection}: "
    with_p = " (p-value)" if is_d_rank else ""
    by = "" if is_d_rank or is_p else " by p (same true ranking)"
    mark_means = f"{marked}: a significant difference{by}, p <= {result.alpha:g}"
    caption = f"{where}{result.statistic}{with_p}; {mark_means}"
    columns = (names, *map(column, result.values.columns))
    return Table(columns, range(len(result.values)), caption=caption)


# --- columns --------------------------------------------------------------------------------------


def columns_of(rows: Sequence[RankingAgreement]) -> tuple[Column[Any], ...]:
    """The columns of rows with the same settings, with names for machines and titles for people.

    A row of one collection says which there are, as means over all lack some.
    """
    row = next((row for row in rows if row.n_collections == 1), rows[0])
    settings, is_full = row.settings, bool(row.correlations)
    level, no_title = f" [{confidence(settings.level)}]", ColumnTitle("")
    thresholds = ("relevance_threshold", "other_threshold")
    with_thresholds = any(row.details.get(name, 1) != 1 for name in thresholds)

    # a value of `row.details`; rows over all collections lack those of labels, and have no pairs
    def detail(name: str) -> Column[Any]:
        title, kind, of_thresholds = TITLES.get(name, no_title)
        none = "" if kind is WORD else math.nan
        value = lambda row: row.details.get(name, none)  # noqa: E731
        is_shown = bool(title) and of_thresholds <= with_thresholds
        return Column(name, title, kind, value, shown=is_shown, wide=is_full and name != "kappa")

    # a field of `row.pairs`, which may be None; columns without a title are for machines
    def of_pairs(name: str) -> Column[Any]:
        title, ends = TITLES.get(name, no_title).title, None
        if row.pairs and name in row.pairs.intervals:
            title = f"{title}{level}" if title else ""
            ends = lambda row: row.pairs and row.pairs.intervals[name]  # noqa: E731
        value = lambda row: getattr(row.pairs, name, math.nan)  # noqa: E731
        return Column(name, title, COEFFICIENT, value, ends, shown=bool(title), wide=is_full)

    def reversed_pairs(row: RankingAgreement) -> str:
        pairs = row.pairs
        return f"{pairs.n_active_disagreements} of {pairs.n_significant}" if pairs else ""

    columns = [*key_columns(row)]
    for name in ("n_topics", "n_systems"):
        columns.append(Column(name, name, COUNT, attrgetter(name), shown=False))
    columns += map(detail, row.details)
    for name in sorted(row.coefficients, key=lambda name: AT in name):
        columns += _columns_of_coefficient(name, row)
    for name in row.per_topic:
        if name == PAIRS:
            columns.append(_per_topic(PAIRS, PAIRS, f"{PAIRS} per topic{level}"))
        elif name.startswith(PAIRS):
            column = _per_topic(name, name, name.removeprefix(PAIRS).strip())
            columns.append(replace(column, interval=None, wide=is_full))
    if settings.d_rank:
        columns += d_rank_columns(settings)
    if row.pairs is not None:
        title = "pairs reversed"
        columns.append(Column(title, title, WORD, reversed_pairs, wide=is_full, machine=False))
        columns += map(of_pairs, row.pairs.to_dict())
    names = [name for column in columns if column.machine for name in column.names]
    for coefficient in settings.computed:
        if names.count(coefficient.column) > 1:
            rule = "`coefficients` must not be named like another column of rows"
            raise ValueError(f"{rule}, got {coefficient.column!r}.")
    return tuple(columns)


def key_columns(
    row: RankingAgreement, of_row: Callable[[Any], RankingAgreement] = lambda row: row
) -> Iterator[Column[Any]]:
    """The columns that name what is compared; `of_row` gets the agreement from a row of the table.

    People see of rows of judges the collection and the judge, and one column for both measures.
    """
    of_judge = "judge" in row.key
    for name in row.key:
        is_alone = isinstance(row.key[name], UnnamedCollection)
        shown = not is_alone and (not of_judge or name in ("collection", "judge"))
        value = lambda row, name=name: of_row(row).key[name]  # noqa: E731
        yield Column(name, name, WORD, value, shown=shown, hide_if_constant=name == "repetition")
    if of_judge:
        measures = lambda row: of_row(row).measures  # noqa: E731
        yield Column("measures", "measure", WORD, measures, machine=False, hide_if_constant=True)


def d_rank_columns(settings: Settings) -> tuple[Column[Any], ...]:
    """The columns of d_rank: the distance, its p-value, and the standard error of that."""
    title, symbol = d_rank_by(settings.covariance), d_rank_by(settings.covariance, D_RANK)
    error = attrgetter("d_rank_pvalue_standard_error")
    return (
        Column("d_rank", title, COEFFICIENT, attrgetter("d_rank"), symbol=symbol),
        Column(
            "d_rank pvalue",
            "p of d_rank",
            PVALUE,
            attrgetter("d_rank_pvalue"),
            strong=attrgetter("is_different"),
            symbol=f"p of {D_RANK}",
        ),
        Column("d_rank pvalue standard error", "", NUMBER, error, shown=False),
    )


def _columns_of_coefficient(name: str, row: RankingAgreement) -> Iterator[Column[Any]]:
    """The columns of a coefficient: with its interval, of one true ranking, of single topics.

    `name` is its key in the `coefficients` of any `row`, such as "tau" or "tau@10".
    """
    base, *top = name.split(AT)
    settings, shown = row.settings, row.settings.shown
    coefficient = next(computed for computed in settings.computed if computed.name == base)
    texts = (coefficient.column, coefficient.title, coefficient.symbol)
    column, title, symbol = (AT.join([text, *top]) for text in texts)
    is_first = name == shown[0].name
    is_visible = coefficient == shown[0] or (coefficient in shown and not top)
    # a line has room for one coefficient, with its interval, beside others of its columns
    is_wide = bool(row.correlations) and settings.coefficients is None and not is_first
    value = lambda row: row.coefficients[name]  # noqa: E731
    of_value, others = Column(column, title, COEFFICIENT, value, symbol=symbol), []
    if name in row.correlations:
        of_row = lambda row: row.correlations[name]  # noqa: E731
        names = (column, title, symbol)
        of_value, *others = correlation_columns(names, settings.level, settings.alpha, of_row)
    yield replace(of_value, shown=is_visible, wide=is_wide)
    for other in others:
        own = other.title if is_first else other.title.replace(P_SAME, f"{title} {P_SAME}")
        # beside d_rank there is room for one interval
        is_wide = not is_first or (settings.d_rank and other.kind is COEFFICIENT)
        yield replace(other, title=own, shown=other.shown and is_visible, wide=is_wide)
    if name in row.per_topic:
        of_level = f"per topic [{confidence(settings.level)}]"
        yield _per_topic(name, column, f"{title} {of_level}", shown=is_first)
        undefined = lambda row: row.per_topic[name].n_undefined  # noqa: E731
        yield Column(f"{column} per topic undefined", "", COUNT, undefined, shown=False)


def correlation_columns(
    names: Labels, level: float, alpha: float, of_row: Callable[[Any], CorrelationResult]
) -> tuple[Column[Any], ...]:
    """The columns of a correlation: with its interval, and what one true ranking would give.

    `names` are those of a coefficient: of its column, for people, and as a symbol. `of_row` gets
    the correlation from a row of the table. p is strong, so that it stands out, up to `alpha`.
    """

    def of(*attributes: str) -> Callable[[Any], Any]:
        get = attrgetter(*attributes)
        return lambda row: get(of_row(row))

    def with_ends(names: Iterable[str], value: str, low: str, high: str) -> Column[Any]:
        column, *texts = names
        title, symbol = (f"{text} [{confidence(level)}]" for text in texts)
        return Column(column, title, COEFFICIENT, of(value), of(low, high), symbol=symbol)

    name, null = names[0], "one_true_ranking"
    same, is_strong = map(if_one_true_ranking, names), lambda row: of_row(row).pvalue <= alpha
    return (
        with_ends(names, "statistic", "low", "high"),
        Column(f"{name} standard error", "", NUMBER, of("standard_error"), shown=False),
        with_ends(same, f"{null}.mean", f"{null}.low", f"{null}.high"),
        Column(f"{name} p same true ranking", P_SAME, PVALUE, of("pvalue"), strong=is_strong),
    )


def _per_topic(name: str, column: str, title: str, *, shown: bool = True) -> Column[Any]:
    """The mean over topics of a coefficient, or of the accuracy of pairs, with its low and high.

    `name` is its key in a row's `per_topic`. Rows over all collections have no interval.
    """
    value = lambda row: row.per_topic[name].value  # noqa: E731
    ends = lambda row: row.per_topic[name][1:3] if row.n_collections == 1 else None  # noqa: E731
    return Column(f"{column} per topic", title, COEFFICIENT, value, ends, shown=shown)
