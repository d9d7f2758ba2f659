"""The table of averages that PyTerrier shows, made of unrounded per-query scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pt_rankcorr.adapters.measure_names import COUNTS, canonical_name
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.core.arguments import one_of, share, whole_number
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

Evaluated: TypeAlias = Mapping[int, Mapping[str, Mapping[str, float]]]  # system -> topic -> measure -> score
TESTS = {"t": "ttest_rel", "wilcoxon": "wilcoxon"}  # their names in scipy.stats
# the best of a column, and the last of several that are equally good
HIGHLIGHTS = {
    "bold": ("font-weight: bold", "font-weight: bold"),
    "color": ("background-color: antiquewhite", "background-color: lightgreen"),
}


def _by_scipy(test: str) -> Callable[[Floats, Floats], Any]:
    def compare(x: Floats, y: Floats) -> Any:
        from scipy import stats  # takes longer to import than all else

        return getattr(stats, TESTS[test])(x, y)

    return compare


class Averages:
    """Averages of the named systems, and how they compare with a baseline; arguments as for `Experiment`."""

    def __init__(
        self,
        names: Sequence[str],
        baseline: int | None,
        test: Any,
        correction: str | None,
        alpha: float,
        design: Mapping[str, Mapping[str, str]],
    ) -> None:
        if correction is not None and baseline is None:
            raise ValueError("`baseline` must be given for a `correction` for multiple testing, got None.")
        if correction is not None:
            _check_correction(correction)
        if design and test == "wilcoxon":
            raise ValueError("`test` must be 't' or a function for topics in clusters or strata, got 'wilcoxon'.")
        self.names, self.baseline, self.correction, self.design = names, baseline, correction, design
        self.alpha = share("correction_alpha", alpha)
        self.test: Callable[[Floats, Floats], Any] = test if callable(test) else _by_scipy(one_of("test", test, TESTS))

    def render(self, evaluated: Evaluated, times: Mapping[int, float]) -> pd.DataFrame:
        """The columns of PyTerrier: name, measures, mrt, and the comparison with the baseline."""
        means = self.means(evaluated, times)
        table = pd.DataFrame([{"name": name, **own} for name, own in zip(self.names, means, strict=True)])
        if self.baseline is None:
            return table
        measures = [column for column in table.columns if column not in ("name", "mrt")]
        against = [column for measure in measures for column in self._against_baseline(evaluated, measure)]
        return pd.concat([table, *against], axis=1)

    def means(self, evaluated: Evaluated, times: Mapping[int, float]) -> list[dict[str, float]]:
        """For each system, measure -> average over the topics that have judgments."""
        means: list[dict[str, float]] = []
        for system in range(len(self.names)):
            scores = pd.DataFrame(list(evaluated[system].values()), index=list(evaluated[system]))
            means.append({str(measure): self._mean(str(measure), scores[measure]) for measure in scores})
            if times:
                means[system]["mrt"] = times[system]
        return means

    def _against_baseline(self, evaluated: Evaluated, measure: str) -> Iterable[pd.Series[Any]]:
        """How many topics a system gains and loses by a measure, and whether that is significant."""
        assert self.baseline is not None
        topics = [qid for qid, scores in evaluated[self.baseline].items() if not np.isnan(scores[measure])]
        scores = np.array([[evaluated[system][qid][measure] for qid in topics] for system in range(len(self.names))])
        difference = scores - scores[self.baseline]
        gained = (difference > 0).sum(axis=1).astype(float)
        lost = (difference < 0).sum(axis=1).astype(float)
        rows = self._matrix(scores.T, topics).rows.T
        pvalues = np.array([self._pvalue(row, rows[self.baseline]) for row in rows])
        for column in (gained, lost, pvalues):
            column[self.baseline] = np.nan
        yield pd.Series(gained, name=f"{measure} +")
        yield pd.Series(lost, name=f"{measure} -")
        yield pd.Series(pvalues, name=f"{measure} p-value")
        if self.correction is not None:
            yield from self._correct(pvalues, measure)

    def _mean(self, measure: str, scores: pd.Series[Any]) -> float:
        judged = scores.dropna()
        if "strata" not in self.design or measure in COUNTS or not len(judged):
            return _average(measure, scores.to_numpy())
        return float(self._matrix(judged.to_numpy()[:, np.newaxis], judged.index.tolist()).means[0])

    def _matrix(self, scores: Floats, topics: Sequence[str]) -> ScoreMatrix:
        return ScoreMatrix(scores, topics=topics, **self.design)  # type: ignore[arg-type]

    def _pvalue(self, scores: Floats, baseline: Floats) -> float:
        # systems with equal scores are not different; the tests divide 0 by 0
        return 1.0 if np.array_equal(scores, baseline) else float(self.test(scores, baseline)[1])

    def _correct(self, pvalues: Floats, measure: str) -> Iterable[pd.Series[Any]]:
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
    """How scores are shown: rounded, and the best of each column highlighted; arguments as for `Experiment`."""

    def __init__(
        self, decimals: int | Mapping[str, int] | None, highlight: str | None, lower_is_better: Collection[Any]
    ) -> None:
        self.decimals: int | dict[str, int] | None
        if isinstance(decimals, Mapping):
            self.decimals = {canonical_name(m): whole_number("round", n, at_least=0) for m, n in decimals.items()}
        else:
            self.decimals = None if decimals is None else whole_number("round", decimals, at_least=0)
        self.highlight = None if highlight is None else one_of("highlight", highlight, ("bold", "color", "colour"))
        self.lower = {canonical_name(measure) for measure in lower_is_better} | {"mrt"}

    def round_averages(self, averages: pd.DataFrame) -> pd.DataFrame:
        """Averages with their measures and mrt rounded, p-values and counts as they are."""
        shown = [m for m in averages.columns if not (m.endswith((" +", " -")) or _is_tested(m))]
        places = {measure: self._places(measure) for measure in shown}
        return averages.assign(**{m: averages[m].round(n) for m, n in places.items() if n is not None})

    def round_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Per-query rows with their scores rounded."""
        for measure in frame["measure"].unique():
            places = self._places(measure)
            if places is not None:
                rows = frame["measure"] == measure
                frame = frame.assign(value=frame["value"].mask(rows, frame["value"].round(places)))
        return frame

    def style_best(self, table: pd.DataFrame, averages: pd.DataFrame) -> Any:
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

        styled = table.style.apply(mark, axis=0).format(escape="html", subset=["name"])
        return styled.format_index(escape="html", axis=1)  # measures may have names of their own

    def _places(self, measure: str) -> int | None:
        if isinstance(self.decimals, dict):
            return self.decimals.get(canonical_name(measure))
        return None if measure == "name" else self.decimals

    def _best_is(self, column: str) -> str:
        return "-" if canonical_name(column) in self.lower or column.endswith(" -") else "+"


def _is_tested(column: str) -> bool:
    return column == "name" or column.endswith((" p-value", " reject", " corrected"))
