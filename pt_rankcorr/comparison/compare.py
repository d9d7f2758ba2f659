"""Each measure compared with each other: which rank systems differently, on which collections?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_rankcorr import choices, defaults
from pt_rankcorr.comparison.collections_of import check_size, collections_of, reference_among
from pt_rankcorr.comparison.engine import Engine, RowInput
from pt_rankcorr.comparison.rows import Comparison, RankingAgreement, with_per_topic
from pt_rankcorr.comparison.settings import Settings as Settings  # of a field
from pt_rankcorr.comparison.settings import settings_of
from pt_rankcorr.components import DiscriminativePower, DRank
from pt_rankcorr.defaults import UnnamedCollection
from pt_rankcorr.display import Drawable
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.paths import MeasureLike
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing, one_of
from pt_rankcorr.stats.core.resampling import RandomState

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class MeasureMatrix(Drawable):
    """A statistic of every measure (column) against every reference (row)."""

    statistic: str
    collection: str
    alpha: float
    values: pd.DataFrame = field(repr=False)  # nan on the diagonal
    pvalues: pd.DataFrame = field(repr=False)  # of one true ranking, or for d_rank of that

    @property
    def significant(self) -> pd.DataFrame:
        """Where the rankings by measure and by reference differ significantly, by the p-values."""
        return self.pvalues <= self.alpha

    def to_frame(self) -> pd.DataFrame:
        """The statistic, unrounded."""
        return self.values

    def clustered(self) -> MeasureMatrix:
        """The matrix with similar measures side by side.

        By average linkage of the means of both directions.
        """
        from scipy.cluster.hierarchy import leaves_list, linkage  # takes a while to import
        from scipy.spatial.distance import squareform

        values = self.values.to_numpy()
        if values.shape[0] != values.shape[1]:
            raise ValueError(
                "`reference` must be None to cluster measures, got a comparison with a single one."
            )
        distances = (values + values.T) / 2
        if self.statistic != "d_rank":  # high where measures agree
            distances = 1.0 - distances
        np.fill_diagonal(distances, 0.0)
        # what is undefined counts as far as the farthest
        distances = np.where(np.isnan(distances), np.nanmax(distances), distances)
        of_pairs = squareform(distances, checks=False)
        order = leaves_list(linkage(of_pairs, "average", optimal_ordering=True))
        ordered = [table.iloc[order, order] for table in (self.values, self.pvalues)]
        return replace(self, values=ordered[0], pvalues=ordered[1])

    def __str__(self) -> str:
        return self.table(marked="*", mark="*").to_text(wide=False)


@dataclass(frozen=True)
class MeasureComparison(Comparison):
    """Measures compared with measures: `rows` by collection, reference and measure.

    Attributes:
        scores: Collection -> scores, with the report of their alignment.
    """

    scores: Mapping[str, Scores] = field(repr=False)

    def _compared(self) -> dict[str, Any]:
        reports = {name: scores.alignment.to_dict() for name, scores in self.scores.items()}
        return {"collections": reports}

    def matrix(self, statistic: str = "tau", collection: str | None = None) -> MeasureMatrix:
        """One statistic as a table: references in rows, measures in columns.

        What is bold differs significantly: by p (same true ranking), or d_rank by its own p-value.

        Args:
            statistic: A coefficient, such as "tau_ap"; "pvalue", that of one true ranking; or
                "d_rank" or "d_rank_pvalue", where these were asked for.
            collection: Which collection, if there are several.

        Returns:
            The table. Measures that were no reference have no row.

        References:
            Table 1 of Carterette, "On rank correlation and the distance between rankings", SIGIR
            2009 (d_rank).
        """
        of_one_ranking = f"{self.settings.shown[0].column} p same true ranking"
        tested = "d_rank pvalue" if statistic.startswith("d_rank") else of_one_ranking
        known = {"pvalue": tested, "d_rank": "d_rank", "d_rank_pvalue": tested}
        known = {**self.settings.columns, **known}
        column = known[one_of("statistic", statistic, tuple(known))]
        named = tuple(self.scores)
        if collection is None and len(named) == 1:
            collection = named[0]
        chosen = one_of("collection", collection, named)
        frame = self.to_frame()
        if column not in frame:
            rule = "`n_resamples` must not be 0"
            if statistic.startswith("d_rank"):
                rule = "`d_rank` must be True"
            raise ValueError(f"{rule} in the comparison for a matrix of {statistic}.")
        rows = frame[frame["collection"] == chosen]
        measures = list(self.scores[chosen].measures)
        references = list(dict.fromkeys(rows["reference"]))

        def table(name: str) -> pd.DataFrame:  # a column of rows as references x measures
            if name not in rows:  # nothing was tested
                return pd.DataFrame(np.nan, references, measures)
            pivoted = rows.pivot(index="reference", columns="measure", values=name)
            return pivoted.reindex(index=references, columns=measures)

        return MeasureMatrix(statistic, chosen, self.settings.alpha, table(column), table(tested))

    def agreements(self) -> pd.DataFrame:
        """On how many collections each measure ranks systems differently from each reference.

        There is one line per reference and measure: `n_collections` that have both, `n_different`
        (p of one true ranking at most alpha), `different` ("everywhere", "sometimes" or "nowhere":
        there may be too few topics to tell), and the lowest and highest tau.
        """
        tested = f"{self.settings.shown[0].column} p same true ranking"
        table = (
            self.to_frame()
            .groupby(["reference", "measure"], sort=False, as_index=False)
            .agg(
                n_collections=("collection", "size"),
                n_different=(tested, lambda pvalues: (pvalues <= self.settings.alpha).sum()),
                lowest_tau=("tau", "min"),
                highest_tau=("tau", "max"),
            )
        )
        everywhere = table["n_different"] == table["n_collections"]
        sometimes = np.where(table["n_different"] > 0, "sometimes", "nowhere")
        table.insert(4, "different", np.where(everywhere, "everywhere", sometimes).tolist())
        return table

    def per_topic(self) -> MeasureComparison:
        """The comparison with means of coefficients of single topics, and the accuracy of pairs.

        The accuracy of pairs of systems on a topic is the share that both measures order alike, or
        both tie, with ties of the other measure calibrated (`judgments.pair_accuracy` has the same
        of pairs of documents).
        """

        # the reference's scores, and the measure's
        def scores_of(row: RankingAgreement) -> tuple[ScoreMatrix, ScoreMatrix]:
            scores = self.scores[row.key["collection"]]
            return scores[row.reference], scores[row.measure]

        return with_per_topic(self, scores_of)

    def plot(self, ax: Axes | None = None, **chosen: Any) -> Axes:
        """Draws `matrix(**chosen)` with `plots.draw_measures`."""
        return self.matrix(**chosen).plot(ax)

    def to_frame(self) -> pd.DataFrame:
        """One line per reference and measure, unrounded."""
        return self.table(both_directions=True).to_frame()

    def sentences(self) -> str:
        """The outcome of each pair of measures, as a paper may print it, a line each."""
        pairs = [] if self.settings.d_rank else self.by_pair()
        return "\n".join(row.sentence() for row in [row for row, _ in pairs] or self.rows)

    def by_pair(self) -> list[tuple[RankingAgreement, RankingAgreement]]:
        """Both rows of each pair of measures.

        There are none where the first coefficient, or a row, is of one direction.
        """
        rows: dict[Any, list[RankingAgreement]] = {}
        for row in self.rows:
            rows.setdefault((row.key["collection"], frozenset(row.sides)), []).append(row)
        if not self.settings.shown[0].symmetric or any(len(both) != 2 for both in rows.values()):
            return []
        return [(row, other) for row, other in rows.values()]


def compare(
    scores: Scores | Mapping[str, Any] | Sequence[ScoreMatrix],
    measures: Iterable[MeasureLike] | None = None,
    *,
    reference: MeasureLike | None = None,
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    level: float = defaults.LEVEL,
    n_resamples: int | None = None,
    d_rank: bool | DRank = False,
    test: choices.PairTest | DiscriminativePower | None = None,
    top: int | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> MeasureComparison:
    """How alike measures rank systems, each compared with each: tau, tau_AP, tau_GAP.

    Coefficients have intervals over topic samples of this size, and rows say what one true ranking
    would give. `d_rank=True` adds d_rank and its p-value. Every measure is the reference of every
    other once, since tau_AP, tau_GAP and d_rank are not symmetric; tables have a line for each
    pair.

    Args:
        scores: The scores of one collection (`Scores`, score matrices, or measure -> score matrix),
            or a mapping from collections to scores. `scores_from_runs` evaluates runs, and
            `scores_from_irds` also pipelines, on a collection of ir-datasets.
        measures: Which measures; by default all of the scores.
        reference: The measure that the others are compared with; by default every measure in turn.
        coefficients: The coefficients that tables show instead, the first one in most detail: names
            of coefficients, or `stats.Coefficient` objects. Frames also have tau, tau_AP, tau_GAP,
            Spearman's and Pearson's correlation.
        level: The confidence level of the intervals. Two rankings differ significantly where
            p <= 1 - level.
        n_resamples: Resamples of topics; by default 2000 for standard errors, and 10 000 for the
            test of d_rank. With 0 there are no standard errors, intervals, and p-values of one true
            ranking.
        d_rank: Whether to add d_rank and its p-value, which takes the other ranking to be free of
            noise. A component, such as `DRank(null="published", n_resamples=2000)`, says how it is
            tested.
        test: How pairs of systems are tested: "max-t" or "tukey-hsd" (corrected for all pairs), or
            without correction "t", "wilcoxon", "paired-bootstrap" or "unpaired-bootstrap", each at
            1 - level; None for not at all. A component says more, such as
            `DiscriminativePower("t", correction="fdr", alpha=0.01)`.
        top: How many of the reference's best systems get coefficients of their own, too. Each
            resample chooses them anew; names decide between systems that tie at the border.
        rng: Seed or generator. All rows are compared over the same resamples.
        n_jobs: The number of workers; the result does not depend on it.

    Returns:
        A table that prints itself, with `to_frame()`, `matrix(statistic)`, `agreements()` and
        `per_topic()`.

    Raises:
        OSError: If the file of an experiment cannot be read.
        TypeError: If an argument is of another kind.
        ValueError: If there are fewer than two measures, systems or topics, or an argument is out
            of its range.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section
        4.3, table 1.

    Example:
        >>> ap = ScoreMatrix([[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]], measure="AP")
        >>> rr = ScoreMatrix([[0.5, 0.4], [1.0, 0.5], [0.5, 1.0]], measure="RR")
        >>> row, _ = compare([ap, rr], n_resamples=99, d_rank=True, rng=1)
        >>> row.reference, row.measure, row.tau, round(row.d_rank, 4)
        ('AP', 'RR', -1.0, 2.5978)
    """
    settings = settings_of(
        coefficients=coefficients,
        level=level,
        n_resamples=n_resamples,
        d_rank=d_rank,
        test=test,
        top=top,
        rng=rng,
    )
    chosen = None if measures is None else list(measures)
    collections = collections_of(scores, "scores")
    return compare_measures(collections, chosen, reference, Engine(settings, n_jobs))


def compare_measures(
    collections: Mapping[str, Scores],
    measures: Sequence[MeasureLike] | None,
    reference: MeasureLike | None,
    engine: Engine,
) -> MeasureComparison:
    """`compare` of collection -> scores, by an engine whose settings are checked."""
    collections = dict(collections)
    for name, scores in collections.items():
        if measures is not None:
            wanted = [find_measure(measure, scores.measures, "measures") for measure in measures]
            scores = collections[name] = scores.select(measures=wanted)
        where = "" if isinstance(name, UnnamedCollection) else f" for {name!r}"
        if len(scores) < 2:
            seen = f"{listing(scores)}{where}"
            raise ValueError(f"`measures` must be at least 2 to compare, got {seen}.")
        check_size(scores, "scores", name)

    cases = []
    for name, scores in collections.items():
        trusted = list(scores.measures)
        if reference is not None:
            trusted = [reference_among(reference, scores, name)]
        for first, second in product(trusted, scores):
            if first != second:
                key = {"collection": name, "reference": first, "measure": second}
                cases.append(RowInput(key, (first, second), scores[first], scores[second], {}))
    return MeasureComparison(engine.compute([cases], len(cases)), engine.settings, collections)
