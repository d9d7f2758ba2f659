"""The table of averages that PyTerrier shows, made of unrounded per-query scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

from pt_rankcorr.adapters.measures import COUNTS, canonical
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import one_of, share, whole_number
from pt_rankcorr.stats.order import Floats

Evaluated: TypeAlias = Mapping[int, Mapping[str, Mapping[str, float]]]  # system -> topic -> measure -> score
TESTS: dict[str, Callable[..., Any]] = {"t": stats.ttest_rel, "wilcoxon": stats.wilcoxon}
# the best of a column, and the last of several that are equally good
HIGHLIGHTS = {
    "bold": ("font-weight: bold", "font-weight: bold"),
    "color": ("background-color: antiquewhite", "background-color: lightgreen"),
}


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
        if correction is not None:
            _check_correction(correction)
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

        tested = ~np.isnan(pvalues)  # neither the baseline nor where the test says nothing
        rejected, corrected = np.zeros(len(pvalues), dtype=bool), np.full(len(pvalues), np.nan)
        if tested.any():
            rejected[tested], corrected[tested], *_ = multipletests(
                pvalues[tested], alpha=self.alpha, method=self.correction
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


def _check_correction(correction: object) -> None:
    from statsmodels.stats.multitest import multipletests

    try:
        multipletests([0.5], method=correction)
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"`correction` must be a method of statsmodels' multipletests, got {shown(correction)}."
        ) from None


class Look:
    """How scores are shown: rounded, and the best of each column highlighted.

    Args:
        decimals: One number for all measures, measure -> number, or None.
        highlight: "bold", "color", "colour" or None.
        lower_is_better: Measures whose lowest score is best.

    Raises:
        TypeError: If the decimals are neither a number nor a mapping of measures to numbers.
        ValueError: If a number is negative, or the highlight is unknown.
    """

    def __init__(
        self, decimals: int | Mapping[str, int] | None, highlight: str | None, lower_is_better: Collection[Any]
    ) -> None:
        self.decimals: int | dict[str, int] | None
        if isinstance(decimals, Mapping):
            self.decimals = {canonical(m): whole_number("round", n, at_least=0) for m, n in decimals.items()}
        else:
            self.decimals = None if decimals is None else whole_number("round", decimals, at_least=0)
        self.highlight = None if highlight is None else one_of("highlight", highlight, ("bold", "color", "colour"))
        self.lower = {canonical(measure) for measure in lower_is_better} | {"mrt"}

    def rounded(self, averages: pd.DataFrame) -> pd.DataFrame:
        """Averages with their measures and mrt rounded, p-values and counts as they are."""
        places = {column: self._places(column) for column in averages.columns if not _is_comparison(column)}
        return averages.assign(**{m: averages[m].round(n) for m, n in places.items() if n is not None})

    def rounded_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Per-query rows with their scores rounded."""
        for measure in frame["measure"].unique():
            places = self._places(measure)
            if places is not None:
                rows = frame["measure"] == measure
                frame = frame.assign(value=frame["value"].mask(rows, frame["value"].round(places)))
        return frame

    def styled(self, table: pd.DataFrame, averages: pd.DataFrame) -> Any:
        """The table, or where a highlight is asked for a Styler that marks the best in each column of averages."""
        if self.highlight is None:
            return table
        best_is = {column: self._best_is(column) for column in averages.columns if not _is_tested(column)}
        css = HIGHLIGHTS["bold" if self.highlight == "bold" else "color"]

        def mark(column: pd.Series[Any]) -> list[str]:
            if column.name not in best_is or column.isna().all():
                return [""] * len(column)
            best = column.max() if best_is[str(column.name)] == "+" else column.min()
            at_best = np.flatnonzero((column == best).to_numpy())
            return [("" if at not in at_best else css[1] if at == at_best[-1] else css[0]) for at in range(len(column))]

        return table.style.apply(mark, axis=0).format(escape="html", subset=["name"])

    def _places(self, measure: str) -> int | None:
        if isinstance(self.decimals, dict):
            return self.decimals.get(canonical(measure))
        return None if measure == "name" else self.decimals

    def _best_is(self, column: str) -> str:
        return "-" if canonical(column) in self.lower or column.endswith(" -") else "+"


def _is_comparison(column: str) -> bool:
    return column.endswith((" +", " -")) or _is_tested(column)


def _is_tested(column: str) -> bool:
    return column == "name" or column.endswith((" p-value", " reject", " corrected"))
