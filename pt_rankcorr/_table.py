"""The table of averages that PyTerrier shows, made of unrounded per-query scores."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pt_rankcorr.adapters.measures import COUNTS, canonical
from pt_rankcorr.stats.checks import one_of, share, whole_number
from pt_rankcorr.stats.order import Floats

Evaluated = Mapping[int, Mapping[str, Mapping[str, float]]]
TESTS: dict[str, Callable[..., Any]] = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}
HIGHLIGHTS = {"bold": ("font-weight: bold", "font-weight: bold"), "color": ("antiquewhite", "lightgreen")}


class Averages:
    """Averages of systems, and how they compare with a baseline.

    Args:
        names: The systems.
        baseline: The position of the one that others are compared with, if any.
        test: "t", "wilcoxon" or a function whose result has the p-value as element 1.
        correction: A method of statsmodels' multipletests, if any.
        alpha: The level that corrected p-values are held against.

    Raises:
        ValueError: If the test is unknown, or a correction is asked for without a baseline.
    """

    def __init__(
        self, names: Sequence[str], baseline: int | None, test: Any, correction: str | None, alpha: float
    ) -> None:
        if correction is not None and baseline is None:
            raise ValueError("`baseline` must be given for a `correction` for multiple testing, got None.")
        self.names, self.baseline, self.correction = names, baseline, correction
        self.alpha = share("correction_alpha", alpha)
        self.test: Callable[[Floats, Floats], Any] = test if callable(test) else TESTS[one_of("test", test, TESTS)]

    def rendered(self, evaluated: Evaluated, times: Mapping[int, float]) -> pd.DataFrame:
        """The columns of PyTerrier: name, measures, mrt, and the comparison with the baseline."""
        means = self.means(evaluated, times)
        table = pd.DataFrame([{"name": name, **averages} for name, averages in means.items()])
        if self.baseline is None:
            return table
        measures = [column for column in table.columns if column not in ("name", "mrt")]
        against = [column for measure in measures for column in self._against_baseline(evaluated, measure)]
        return pd.concat([table, *against], axis=1)

    def means(self, evaluated: Evaluated, times: Mapping[int, float]) -> dict[str, dict[str, float]]:
        """System -> measure -> average over the topics that have judgments."""
        means: dict[str, dict[str, float]] = {}
        for system, name in enumerate(self.names):
            scores = pd.DataFrame(list(evaluated[system].values()))
            means[name] = {str(measure): _average(str(measure), scores[measure].to_numpy()) for measure in scores}
            if times:
                means[name]["mrt"] = times[system]
        return means

    def best_is(self, averages: pd.DataFrame) -> dict[str, str]:
        """Column -> "+" where the highest is best, "-" where the lowest is."""
        directions = {name: "-" if name == "mrt" or name.endswith(" -") else "+" for name in averages.columns}
        tested = (" p-value", " reject", " corrected")
        return {name: sign for name, sign in directions.items() if name != "name" and not name.endswith(tested)}

    def _against_baseline(self, evaluated: Evaluated, measure: str) -> Iterable[pd.Series[Any]]:
        """How many topics a system gains and loses by a measure, and whether that is significant."""
        assert self.baseline is not None
        topics = [qid for qid, scores in evaluated[self.baseline].items() if not np.isnan(scores[measure])]
        scores = np.array([[evaluated[system][qid][measure] for qid in topics] for system in range(len(self.names))])
        difference = scores - scores[self.baseline]
        gained = (difference > 0).sum(axis=1).astype(float)
        lost = (difference < 0).sum(axis=1).astype(float)
        pvalues = np.array([self._pvalue(row, scores[self.baseline]) for row in scores])
        for column in (gained, lost, pvalues):
            column[self.baseline] = np.nan
        yield pd.Series(gained, name=f"{measure} +")
        yield pd.Series(lost, name=f"{measure} -")
        yield pd.Series(pvalues, name=f"{measure} p-value")
        if self.correction is not None:
            yield from self._corrected(pvalues, measure)

    def _pvalue(self, scores: Floats, baseline: Floats) -> float:
        # systems with equal scores are not different; the tests divide 0 by 0
        return 1.0 if np.array_equal(scores, baseline) else float(self.test(scores, baseline)[1])

    def _corrected(self, pvalues: Floats, measure: str) -> Iterable[pd.Series[Any]]:
        from statsmodels.stats.multitest import multipletests

        others = np.arange(len(pvalues)) != self.baseline
        rejected, corrected = np.zeros(len(pvalues), dtype=bool), np.full(len(pvalues), np.nan)
        rejected[others], corrected[others], *_ = multipletests(
            pvalues[others], alpha=self.alpha, method=self.correction
        )
        yield pd.Series(rejected, name=f"{measure} reject")
        yield pd.Series(corrected, name=f"{measure} p-value corrected")


def _average(measure: str, scores: Floats) -> float:
    """A plain running sum, as PyTerrier's, so that the last bit is the same too; counts are not divided."""
    judged = scores[~np.isnan(scores)]
    if not len(judged):
        return float("nan")
    total = float(np.cumsum(judged)[-1])
    return total if measure in COUNTS else total / len(judged)


def rounded(averages: pd.DataFrame, decimals: int | Mapping[str, int] | None) -> pd.DataFrame:
    """The scores rounded for show: measures and mrt, never p-values or statistics.

    Raises:
        TypeError: If the decimals are neither a number nor a mapping of measures to numbers.
        ValueError: If a number is negative.
    """
    if decimals is None:
        return averages
    if isinstance(decimals, Mapping):
        places = {canonical(measure): whole_number("round", number, at_least=0) for measure, number in decimals.items()}
    else:
        places = dict.fromkeys(map(canonical, averages.columns), whole_number("round", decimals, at_least=0))
    scores = [column for column in averages.columns if _is_score(column) and canonical(column) in places]
    return averages.assign(**{column: averages[column].round(places[canonical(column)]) for column in scores})


def _is_score(column: str) -> bool:
    return column != "name" and " " not in column


def styled(table: pd.DataFrame, best_is: Mapping[str, str], highlight: str | None) -> Any:
    """The table with the best of each column highlighted, where asked for: then a Styler.

    Raises:
        ValueError: If the highlight is unknown.
    """
    if highlight is None:
        return table
    kind = one_of("highlight", highlight, ("bold", "color", "colour"))
    first, last = HIGHLIGHTS["bold" if kind == "bold" else "color"]
    css = (first, last) if kind == "bold" else (f"background-color: {first}", f"background-color: {last}")

    def mark(column: pd.Series[Any]) -> list[str]:
        if column.name not in best_is or column.isna().all():
            return [""] * len(column)
        best = column.max() if best_is[str(column.name)] == "+" else column.min()
        at_best = np.flatnonzero((column == best).to_numpy())
        return [("" if at not in at_best else css[1] if at == at_best[-1] else css[0]) for at in range(len(column))]

    return table.style.apply(mark, axis=0)


def saved(averages: pd.DataFrame, folder: str) -> None:
    """Puts the averages in the aggregated.csv that PyTerrier has just written, beside systems of earlier calls."""
    path = Path(folder) / "aggregated.csv"
    if not path.exists():  # PyTerrier 1.0 wrote none
        return
    written = pd.read_csv(path, dtype=str, keep_default_na=False)
    others = written[~written["name"].isin(averages["name"])]
    table = pd.concat([averages, others], ignore_index=True) if len(others) else averages
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".csv")
    os.close(handle)
    table.to_csv(temporary, index=False)
    os.replace(temporary, path)
