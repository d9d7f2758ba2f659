"""The table of averages that PyTerrier shows, made of unrounded per-query scores."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.components.frames import AGAINST_BASELINE
from pt_rankcorr.io.measure_names import COUNTS, canonical_name
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


def _by_scipy(test: str, x: Floats, y: Floats) -> Any:
    from scipy import stats  # takes longer to import than all else

    return getattr(stats, TESTS[test])(x, y)


class Averages:
    """Averages of the named systems, and how they compare with a baseline; arguments as for `Experiment`."""

    def __init__(
        self,
        names: Sequence[str],
        baselines: Mapping[int, str],
        test: Any,
        correction: str | None,
        alpha: float,
        design: Mapping[str, Mapping[str, str]],
    ) -> None:
        if correction is not None and not baselines:
            raise ValueError("`baseline` must be given for a `correction` for multiple testing, got None.")
        if correction is not None:
            _check_correction(correction)
        if design and test == "wilcoxon":
            raise ValueError("`test` must be 't' or a function for topics in clusters or strata, got 'wilcoxon'.")
        self.names, self.baselines, self.correction, self.design = names, baselines, correction, design
        self.alpha = share("correction_alpha", alpha)
        self.test = test if callable(test) else partial(_by_scipy, one_of("test", test, TESTS))

    def render(self, evaluated: Evaluated, times: Mapping[int, float]) -> pd.DataFrame:
        """The columns of PyTerrier: name, measures, mrt, and the comparison with the baseline."""
        means = self.means(evaluated, times)
        table = pd.DataFrame([{"name": name, **own} for name, own in zip(self.names, means, strict=True)])
        measures = [column for column in table.columns if column not in ("name", "mrt")]
        against = (self._against_baselines(evaluated, measure) for measure in measures)
        return pd.concat([table, *(column for columns in against for column in columns)], axis=1)

    def means(self, evaluated: Evaluated, times: Mapping[int, float]) -> list[dict[str, float]]:
        """For each system, measure -> average over the topics that have judgments."""
        means: list[dict[str, float]] = []
        for system in range(len(self.names)):
            scores = pd.DataFrame(list(evaluated[system].values()), index=list(evaluated[system]))
            means.append({str(measure): self._mean(str(measure), scores[measure]) for measure in scores})
            if times:
                means[system]["mrt"] = times[system]
        return means

    def _against_baselines(self, evaluated: Evaluated, measure: str) -> Iterator[pd.Series[Any]]:
        """How many topics a system gains and loses by a measure, and whether that is significant."""
        found = np.array([self._against(evaluated, measure, baseline) for baseline in self.baselines])
        corrected = self._correct(found[:, 2]) if self.correction is not None else {}
        for at, beside in enumerate(self.baselines.values()):
            own = dict(zip(("+", "-", "p-value"), found[at], strict=True))
            for what, column in {**own, **{name: values[at] for name, values in corrected.items()}}.items():
                yield pd.Series(column, name=f"{measure} {what}{beside}")

    def _against(self, evaluated: Evaluated, measure: str, baseline: int) -> Floats:
        topics = [qid for qid, scores in evaluated[baseline].items() if not np.isnan(scores[measure])]
        scores = np.array([[evaluated[system][qid][measure] for qid in topics] for system in range(len(self.names))])
        difference, rows = scores - scores[baseline], self._matrix(scores.T, topics).rows.T
        pvalues = [self._pvalue(row, rows[baseline]) for row in rows]
        columns = np.array([(difference > 0).sum(axis=1), (difference < 0).sum(axis=1), pvalues])
        columns[:, baseline] = np.nan
        return columns

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

    def _correct(self, pvalues: Floats) -> dict[str, NDArray[Any]]:
        """Of p-values of shape (n_baselines, n_systems), which are one family of hypotheses."""
        from statsmodels.stats.multitest import multipletests

        tested = ~np.isnan(pvalues)  # neither a baseline with itself nor where the test says nothing
        baselines, (later, earlier) = np.array([*self.baselines]), np.tril_indices(len(pvalues), -1)
        again, first = (later, baselines[earlier]), (earlier, baselines[later])
        same = pvalues[again] == pvalues[first]  # of two baselines, unless the test is one-sided, it is one hypothesis
        tested[again] &= ~same
        rejected, corrected = np.zeros(pvalues.shape, dtype=bool), np.full(pvalues.shape, np.nan)
        if tested.any():
            rejected[tested], corrected[tested], *_ = multipletests(
                pvalues[tested], alpha=self.alpha, method=self.correction
            )
        for found in (rejected, corrected):
            found[again] = np.where(same, found[first], found[again])
        return {"reject": rejected, "p-value corrected": corrected}


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
        places = {column: self._places(column) for column in averages.columns if not _against(column)}
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
        best_is = {column: self._best_is(column) for column in averages.columns if _against(column) in ("", "+", "-")}
        del best_is["name"]
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
        return "-" if canonical_name(column) in self.lower or _against(column) == "-" else "+"


def _against(column: str) -> str:
    """What a column says of the comparison with a baseline, if it does."""
    found = re.fullmatch(f".* {AGAINST_BASELINE.pattern}", column, re.DOTALL)
    return found[1] if found else ""
