"""Each measure compared with each other measure, on one or several collections: which rank systems differently?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pt_rankcorr import choices
from pt_rankcorr.comparison._checkpoint import fingerprint, resumable_seed
from pt_rankcorr.comparison._engine import Case, Engine, OnRow
from pt_rankcorr.comparison.collections import collect_scores
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import ALONE, Comparison, RankingAgreement
from pt_rankcorr.defaults import ALPHA, LEVEL, RESAMPLES
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.paths import MeasureLike
from pt_rankcorr.numbers import decimals, pvalue
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.showing import Shown
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import flag, one_of
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.rank_distance.settings import DEFAULT_NULL
from pt_rankcorr.tables.kinds import NUMBER, WORD
from pt_rankcorr.tables.table import Table, listed
from pt_rankcorr.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PVALUES = ("one_ranking", "pvalue")


@dataclass(frozen=True)
class MeasureMatrix(Shown):
    """A statistic of every measure (column) against every reference (row).

    Attributes:
        statistic: Its name.
        collection: The name of the collection.
        alpha: The level at which two rankings differ significantly.
        values: The statistic, nan on the diagonal.
        pvalues: The p-values behind the marks, nan on the diagonal: of d_rank, or of one ranking for "one_ranking".
        ends: The low and the high ends of Kendall's intervals, if wanted.
    """

    statistic: str
    collection: str
    alpha: float
    values: pd.DataFrame = field(repr=False)
    pvalues: pd.DataFrame = field(repr=False)
    ends: tuple[pd.DataFrame, pd.DataFrame] | None = field(default=None, repr=False)

    @property
    def significant(self) -> pd.DataFrame:
        """Where the p-values find a significant difference between the measure's ranking and the reference's."""
        return self.pvalues <= self.alpha

    def to_frame(self) -> pd.DataFrame:
        """The statistic, unrounded."""
        return self.values

    def clustered(self) -> MeasureMatrix:
        """The matrix with similar measures side by side, by average linkage of the means of both directions."""
        values = self.values.to_numpy()
        if values.shape[0] != values.shape[1]:
            raise ValueError("`reference` must be None to cluster measures, got a comparison with a single one.")
        distances = (values + values.T) / 2
        if self.statistic != "d_rank":  # high where measures agree
            distances = 1.0 - distances
        np.fill_diagonal(distances, 0.0)
        distances = np.where(np.isnan(distances), np.nanmax(distances), distances)
        order = leaves_list(linkage(squareform(distances, checks=False), "average", optimal_ordering=True))
        ends = self.ends and (self.ends[0].iloc[order, order], self.ends[1].iloc[order, order])
        return replace(self, values=self.values.iloc[order, order], pvalues=self.pvalues.iloc[order, order], ends=ends)

    def texts(self, mark: str = "") -> pd.DataFrame:
        """Every cell as it is shown: the value, d_rank with its p-value, and a mark where significant."""
        values = self.values.to_numpy()
        cells = [[self._text(row, column, mark) for column in range(values.shape[1])] for row in range(len(values))]
        return pd.DataFrame(cells, index=self.values.index, columns=self.values.columns)

    def _text(self, row: int, column: int, mark: str) -> str:
        value, p = self.values.to_numpy()[row, column], self.pvalues.to_numpy()[row, column]
        if self.values.index[row] == self.values.columns[column]:
            return ""
        text = pvalue(value) if self.statistic in PVALUES else decimals(value, 2)
        with_p = f"{text} ({pvalue(p)})" if self.statistic == "d_rank" else text
        if self.ends is not None:
            with_p += " [{}, {}]".format(*(decimals(end.to_numpy()[row, column], 2) for end in self.ends))
        return f"{with_p}{mark}" if p <= self.alpha else with_p

    def table(self) -> Table:
        """One row per reference, one column per measure, bold where significant."""
        return self._marked("bold", "")

    def _marked(self, told: str, mark: str) -> Table:
        values, texts, differs = (each.to_numpy() for each in (self.values, self.texts(mark), self.significant))
        measures = (
            listed(str(name), NUMBER, values[:, to], strong=differs[:, to].__getitem__, text=texts[:, to].__getitem__)
            for to, name in enumerate(self.values.columns)
        )
        names = listed("reference", WORD, list(self.values.index))
        return Table((names, *measures), range(len(texts)), caption=self._caption(told))

    def __str__(self) -> str:
        return self._marked("*", "*").text()

    def _caption(self, marked: str) -> str:
        with_p = " (p-value)" if self.statistic == "d_rank" else ""
        where = "" if self.collection == ALONE else f"{self.collection}: "
        with_p += "" if self.ends is None else " [Kendall's 95% interval]"
        by = "" if self.statistic in ("d_rank", *PVALUES) else " by d_rank"
        return f"{where}{self.statistic}{with_p}; {marked}: a significant difference{by}, p <= {self.alpha:g}"


@dataclass(frozen=True)
class MeasureComparison(Comparison):
    """Measures compared with measures: a sequence of `RankingAgreement`, by collection, reference and measure.

    Attributes:
        scores: Collection -> scores, with the report of their alignment.
    """

    scores: Mapping[str, Scores] = field(repr=False)

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.measure} against {row.reference}"

    def _facts(self) -> dict[str, Any]:
        return {"collections": {name: scores.alignment.to_dict() for name, scores in self.scores.items()}}

    def matrix(
        self, statistic: str = "d_rank", collection: str | None = None, *, kendall: bool = False
    ) -> MeasureMatrix:
        """One statistic as a table: references in rows, rankings in columns, bold where d_rank finds a difference.

        Args:
            statistic: A coefficient, such as "tau_ap", or "one_ranking", "d_rank" or "pvalue".
            collection: Which collection, if there are several.
            kendall: Whether to show tau with Kendall's interval, over the sampling of systems, at a level of .95.

        Returns:
            The table, which shows itself and has `to_frame()`. Measures that were no reference have no row.

        Raises:
            ValueError: If the statistic or collection is unknown, or there are several collections and none is named.

        References:
            Table 1 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.
        """
        columns = self.settings.columns
        one_of("statistic", statistic, (*columns, "d_rank", *PVALUES))
        if flag("kendall", kendall) and statistic != "tau":
            raise ValueError(f"`kendall` must be False unless the statistic is 'tau', got True for {statistic!r}.")
        named = tuple(self.scores)
        chosen = named[0] if collection is None and len(named) == 1 else one_of("collection", collection, named)
        frame = self.to_frame()
        rows = frame[frame["collection"] == chosen]
        measures = list(self.scores[chosen].measures)
        references = list(dict.fromkeys(rows["reference"]))

        def table(name: str) -> pd.DataFrame:
            pivoted = rows.pivot(index="reference", columns="measure", values=name)
            return pivoted.reindex(index=references, columns=measures)

        ends = (table("tau kendall low"), table("tau kendall high")) if kendall else None
        values = table(columns.get(statistic, statistic))
        tested = table("one_ranking" if statistic == "one_ranking" else "pvalue")
        return MeasureMatrix(statistic, chosen, self.settings.alpha, values, tested, ends)

    def agreements(self) -> pd.DataFrame:
        """On how many collections each measure ranks systems differently from each reference.

        There is one line per reference and measure: `n_collections` that have both, `n_different` (p-value of d_rank at
        most alpha), `different` ("everywhere", "sometimes" or "nowhere"), and the lowest and highest tau. "nowhere"
        does not mean that the rankings are the same: there may be too few topics to tell.
        """
        frame = self.to_frame()
        frame["significant"] = frame["pvalue"] <= self.settings.alpha
        table = (
            frame.groupby(["reference", "measure"], sort=False)
            .agg(
                n_collections=("collection", "size"),
                n_different=("significant", "sum"),
                lowest_tau=("tau", "min"),
                highest_tau=("tau", "max"),
            )
            .reset_index()
        )
        everywhere = table["n_different"] == table["n_collections"]
        different = np.where(everywhere, "everywhere", np.where(table["n_different"] > 0, "sometimes", "nowhere"))
        table.insert(4, "different", different.tolist())
        return table

    def _subject(self) -> str:
        sizes = (
            f"{'' if name == ALONE else f'{name}: '}{len(scores.systems)} systems on {len(scores.topics)} topics"
            for name, scores in self.scores.items()
        )
        return f"{'; '.join(sizes)}."

    def plot(self, ax: Axes | None = None, **how: Any) -> Axes:
        """Draws `matrix(**how)` with `plots.draw_measures`."""
        return self.matrix(**how).plot(ax)

    def to_frame(self) -> pd.DataFrame:
        """One line per reference and measure, unrounded."""
        return super().table().frame()

    def table(self) -> Table:
        """One line per pair of measures. d_rank is tested in both directions where both measures were a reference."""
        table, keys = super().table(), [tuple(row.key.values()) for row in self.rows]
        rows, place = dict(zip(keys, self.rows, strict=True)), {key: at for at, key in enumerate(keys)}
        back = {id(rows[name, one, other]): rows.get((name, other, one)) for name, one, other in keys}
        if any(row is None for row in back.values()):
            return table
        first = [
            rows[name, one, other] for name, one, other in keys if place[name, one, other] < place[name, other, one]
        ]
        p = table.column("pvalue")
        other_way = replace(p, value=lambda row: p.value(back[id(row)]), title="p, other way round", symbol="")
        return replace(table.followed_by(other_way), rows=first)


def compare(
    scores_or_collections: Scores | Mapping[str, Any] | Sequence[ScoreMatrix],
    measures: Iterable[MeasureLike] | None = None,
    *,
    reference: MeasureLike | None = None,
    alpha: float = ALPHA,
    level: float = LEVEL,
    intervals: bool = True,
    top: int | None = None,
    per_topic: bool = False,
    variant: choices.Variant = "a",
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    test: choices.PairTest | None = None,
    n_resamples: int = RESAMPLES,
    null: choices.Null = DEFAULT_NULL,
    covariance: choices.Covariance | None = None,
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    download: bool = False,
    resume: str | PathLike[str] | None = None,
    on_row: OnRow | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> MeasureComparison:
    """How measures rank systems, each against each: tau, tau_AP, tau_GAP, d_rank and its p-value, on each collection.

    Every measure is the reference of every other once, since tau_AP, tau_GAP and d_rank are not symmetric. A small
    p-value of d_rank says that the measure's order could not be the reference's true order. A small p of one ranking
    says that the choice of topics does not explain how the two differ, whichever you trust.

    Args:
        scores_or_collections: The scores of one collection (`Scores`, score matrices, or measure -> score matrix), or a
            mapping from collections to scores. A collection of ir-datasets can be given by its id, as
            `{"irds:vaswani": runs}`: with runs as `scores_from_runs` takes them, or names -> pipelines, which are run
            on its topics. Its judgments are used as they are, with all their grades.
        measures: Which measures; by default all of the scores. Needed for runs and pipelines.
        reference: The measure that the others are compared with; by default every measure in turn.
        alpha: The level at which two rankings differ significantly.
        level, intervals, top, per_topic, variant, coefficients, test: As for `compare_leaderboards`.
        n_resamples: Resamples of topics for d_rank's test.
        null, covariance: As for `DRankTest`.
        missing, lower_is_better: As for `scores_from_runs`.
        download: Whether ir-datasets may download what is not on this machine.
        resume: A file that keeps the finished rows. A call that was stopped continues from it. It is made if it is not
            there. One call at a time may use it. A damaged file, or one of another comparison, is refused.
        on_row: A function that is called with every row as soon as it is finished.
        rng: Seed or generator; with `resume`, a seed. All references are compared over the same resamples.
        n_jobs: The number of workers; the result does not depend on it.
        verbose: Whether to show progress of reading runs; by default from ten runs on.

    Returns:
        A table that prints itself, with `to_frame()`, `matrix(statistic)` and `agreements()`.

    Raises:
        FileNotFoundError: If a dataset is not on this machine and `download` is False.
        OSError: If `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If there are fewer than two measures, systems or topics, a measure or dataset is unknown, an
            argument is out of its range, or `resume` is another file, damaged or in use; or as for `scores_from_runs`.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, table 1.

    Example:
        >>> ap = ScoreMatrix([[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]], measure="AP")
        >>> rr = ScoreMatrix([[0.5, 0.4], [1.0, 0.5], [0.5, 1.0]], measure="RR")
        >>> row, _ = compare([ap, rr], n_resamples=99, covariance="sample", rng=1)
        >>> row.reference, row.measure, row.tau, round(row.d_rank, 4)
        ('AP', 'RR', -1.0, 2.5978)
    """
    distance = n_resamples, null, covariance, alpha, resumable_seed(rng, resume)
    settings = Settings(*distance, level, intervals, test, variant, top, per_topic, coefficients)
    with Engine("compare", settings, resume=resume, n_jobs=n_jobs, on_row=on_row) as engine:
        wanted = None if measures is None else list(measures)
        reading: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
        given = scores_or_collections, wanted, "scores_or_collections"
        collections = collect_scores(*given, download=download, **reading)
        cases = list(_cases(collections, reference))
        data = {name: fingerprint(scores) for name, scores in collections.items()}
        references = sorted({(case.key["collection"], case.key["reference"]) for case in cases})
        engine.begin(data=data, references=references)
        rows = engine.compute(cases)
    comparison = MeasureComparison(rows, settings, collections)
    comparison.warn_of_undefined()
    return comparison


def _cases(collections: Mapping[str, Scores], reference: object) -> Iterator[Case]:
    for name, scores in collections.items():
        trusted = scores.measures if reference is None else [reference_among(reference, scores, name)]
        for first, second in product(trusted, scores):
            if first != second:
                key = {"collection": name, "reference": first, "measure": second}
                yield Case(key, scores[first], scores[second], {})


def reference_among(reference: object, scores: Scores, collection: str) -> str:
    """The name of the reference measure."""
    try:
        return find_measure(reference, scores.measures, "reference")
    except ValueError as error:
        where = "" if collection == ALONE else f" In collection {shown(collection)}."
        raise ValueError(f"{error}{where}") from None
