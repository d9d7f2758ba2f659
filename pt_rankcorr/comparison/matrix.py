"""A statistic of all pairs of measures as a table, bold where rankings do not differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pt_rankcorr.comparison._shown import decimals, pvalue
from pt_rankcorr.stats._text import visible_lines

STATISTICS = ("tau", "tau_ap", "tau_gap", "d_rank", "pvalue")


@dataclass(frozen=True)
class MeasureMatrix:
    """A statistic of every measure (column) against every baseline (row).

    Attributes:
        statistic: Its name.
        collection: The name of the collection.
        alpha: The level below which two rankings count as different.
        values: The statistic, nan on the diagonal.
        pvalues: The p-values of d_rank, nan on the diagonal.
    """

    statistic: str
    collection: str
    alpha: float
    values: pd.DataFrame = field(repr=False)
    pvalues: pd.DataFrame = field(repr=False)

    @property
    def not_significant(self) -> pd.DataFrame:
        """Where the measure's ranking of systems does not differ significantly from the baseline's, by d_rank."""
        return self.pvalues > self.alpha

    def to_frame(self) -> pd.DataFrame:
        """The statistic, unrounded."""
        return self.values

    def clustered(self) -> MeasureMatrix:
        """The same in an order that puts measures that agree side by side: average linkage of both directions."""
        values = self.values.to_numpy()
        distances = (values + values.T) / 2
        if self.statistic != "d_rank":  # high where measures agree
            distances = 1.0 - distances
        np.fill_diagonal(distances, 0.0)
        distances = np.where(np.isnan(distances), np.nanmax(distances), distances)
        order = leaves_list(linkage(squareform(distances, checks=False), "average", optimal_ordering=True))
        return replace(self, values=self.values.iloc[order, order], pvalues=self.pvalues.iloc[order, order])

    def texts(self, mark: str = "") -> pd.DataFrame:
        """Every cell as it is shown: the value, d_rank with its p-value, and a mark where not significant."""
        return pd.DataFrame(
            [
                [self._text(row, column, mark) for column in range(self.values.shape[1])]
                for row in range(self.values.shape[0])
            ],
            index=self.values.index,
            columns=self.values.columns,
        )

    def _text(self, row: int, column: int, mark: str) -> str:
        value, p = self.values.to_numpy()[row, column], self.pvalues.to_numpy()[row, column]
        if row == column:
            return ""
        text = pvalue(value) if self.statistic == "pvalue" else decimals(value, 2)
        with_p = f"{text} ({pvalue(p)})" if self.statistic == "d_rank" else text
        return f"{with_p}{mark}" if p > self.alpha else with_p

    def style(self) -> Any:
        """A Styler of pandas, bold where not significant."""
        weights = self.not_significant.map(lambda alike: "font-weight: bold" if alike else "")
        styler: Any = self.texts().style.apply(lambda _: weights, axis=None).format(escape="html")
        for axis in ("index", "columns"):
            styler = styler.format_index(escape="html", axis=axis)
        return styler

    def _repr_html_(self) -> str:
        from html import escape

        return visible_lines(f"<p>{escape(self._caption('bold'))}</p>{self.style().to_html()}")

    def __str__(self) -> str:
        return visible_lines(f"{self._caption('*')}\n{self.texts('*').to_string()}")

    def _caption(self, marked: str) -> str:
        with_p = " (p-value)" if self.statistic == "d_rank" else ""
        return f"{self.collection}: {self.statistic}{with_p}; {marked}: not significantly different, p > {self.alpha:g}"
