"""A statistic of all pairs of measures as a table, bold where they differ significantly."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pt_rankcorr.comparison.table import ALONE
from pt_rankcorr.numbers import decimals, pvalue
from pt_rankcorr.showing import Shown
from pt_rankcorr.tables.kinds import NUMBER, WORD
from pt_rankcorr.tables.table import Table, listed

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
