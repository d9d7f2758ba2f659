"""The same runs under some of the judgments: how well fewer of them rank systems."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr import choices, defaults
from pt_rankcorr.comparison.engine import Engine, RowInput
from pt_rankcorr.comparison.rows import Comparison
from pt_rankcorr.comparison.rows import RankingAgreement as RankingAgreement  # of a field
from pt_rankcorr.comparison.settings import Settings as Settings  # of a field
from pt_rankcorr.comparison.settings import settings_of
from pt_rankcorr.components import DRank
from pt_rankcorr.display import Drawable
from pt_rankcorr.io import paths
from pt_rankcorr.io.measure_names import find_measure, resolve_measures
from pt_rankcorr.io.paths import MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments import pools
from pt_rankcorr.judgments.inputs import Qrels
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import list_of, one_of, share, whole_number
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.types import Floats, Labels

JUDGMENTS_AT_ONCE = 1_000_000  # that evaluators hold together; some 500 bytes each
SUBSETS_AT_ONCE = 16


class Band(NamedTuple):
    """A statistic along a curve: its middle and its band, one value per depth or share."""

    x: Floats
    middle: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class JudgmentCurve(Comparison, Drawable):
    """Rankings under some judgments against that under all, by measure and depth or share.

    Attributes:
        kind: "depth" of pools or "share" of judgments.
        reference: The scores under all judgments, with the report of their alignment.
        n_judgments: The number of all judgments.
        repetitions: The number of random samples of each share; 1 for pools.
    """

    kind: str
    reference: Scores = field(repr=False)
    n_judgments: int
    repetitions: int

    def _compared(self) -> dict[str, Any]:
        return {"kind": self.kind, "n_judgments": self.n_judgments, "repetitions": self.repetitions}

    @property
    def measures(self) -> Labels:
        """The names of the measures."""
        return self.reference.measures

    def band(self, measure: object, statistic: str = "tau") -> Band:
        """A statistic along the curve.

        The middle is the median over repetitions, and the band holds the central part of them, of
        size `level`. For pools, which are not random, it is the interval of tau or tau_AP over
        topics; other statistics have none.

        Args:
            measure: One of the curve's.
            statistic: A coefficient, such as "tau", or "d_rank" or "d_rank_pvalue".

        Returns:
            Arrays of depths or shares, ascending, of middles and of the two ends.
        """
        columns = self.settings.columns
        one_of("statistic", statistic, (*columns, "d_rank", "d_rank_pvalue"))
        frame = self.to_frame()
        by_x = frame[frame["measure"] == find_measure(measure, self.measures)].groupby(self.kind)
        name = columns.get(statistic, statistic.replace("_pvalue", " pvalue"))
        if name not in frame:
            lack = f"which has no {statistic}: it needs `d_rank=True`"
            raise ValueError(f"`statistic` must be of the curve, {lack}.")
        middle = by_x[name].median()
        if self.kind == "share":
            tail = (1 - self.settings.level) / 2
            low, high = by_x[name].quantile(tail), by_x[name].quantile(1 - tail)
        elif f"{name} low" in frame:
            low, high = by_x[f"{name} low"].first(), by_x[f"{name} high"].first()
        else:
            low = high = middle
        parts = (middle.index, middle, low, high)
        return Band(*(np.asarray(part, dtype=np.float64) for part in parts))

    def indistinguishable_from(self, measure: object, alpha: float = defaults.ALPHA) -> float:
        """Depth or share from which the median p of d_rank stays above alpha; nan if none."""
        band = self.band(measure, "d_rank_pvalue")
        return _from_which_on(band.x, band.middle > share("alpha", alpha))

    def reaches(self, measure: object, value: float, statistic: str = "tau") -> float:
        """Depth or share from which the median coefficient stays at a value or above; else nan."""
        band = self.band(measure, one_of("statistic", statistic, self.settings.columns))
        return _from_which_on(band.x, band.middle >= value)


def _from_which_on(x: Floats, reached: Any) -> float:
    """The first of ascending x from which on `reached`, of the same shape, holds; nan if none."""
    stays = np.logical_and.accumulate(np.asarray(reached)[::-1])[::-1]
    return float(x[stays][0]) if stays.any() else math.nan


def judgment_curve(
    runs: RunsLike,
    qrels: QrelsLike | Qrels,
    measures: Iterable[MeasureLike],
    *,
    depths: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
    repetitions: int | None = None,
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    coefficients: CoefficientLike | Sequence[CoefficientLike] | None = None,
    level: float = defaults.LEVEL,
    n_resamples: int | None = None,
    d_rank: bool | DRank = True,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> JudgmentCurve:
    """How well fewer judgments rank systems: each measure against its ranking under all judgments.

    The subsets are pools of some depths (`pool`), or several random samples of each share
    (`sample_judgments`). All systems get the same score on a topic that loses all its judgments, or
    all relevant ones. Runs are read once for every 16 subsets, fewer with over 60 000 judgments.

    Args:
        runs, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        qrels: All judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset
            of ir-datasets; `judgments.Qrels` says more, such as which topics depend on each other.
        measures: Measures, as objects or by name.
        depths, shares: Depths of pools, from 0 to 10^9; or shares of the judgments, from 0 to 1.
        repetitions: The number of random samples of each share; by default 10.
        coefficients, level, n_resamples, d_rank, rng, n_jobs: As for `compare`.

    Returns:
        The curve, with `to_frame()`, `band(measure)` and `indistinguishable_from(measure)`.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs` and `compare`; also unless one of
            depths and shares is given.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section
        4.3, table 2 and figure 4; Buckley and Voorhees, "Retrieval evaluation with incomplete
        information", SIGIR 2004.

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 0} for topic in range(5)}
        >>> a, b = {"d1": 2.0, "d2": 1.0}, {"d1": 2.0, "d2": 3.0}
        >>> runs = {"a": dict.fromkeys(qrels, a), "b": dict.fromkeys(qrels, b)}
        >>> curve = judgment_curve(runs, qrels, ["AP"], depths=[1, 2], n_resamples=99, rng=1)
        >>> curve.band("AP").middle, curve.indistinguishable_from("AP")
        (array([1., 1.]), 1.0)
    """
    settings = settings_of(
        coefficients=coefficients, level=level, n_resamples=n_resamples, d_rank=d_rank, rng=rng
    )
    subsets: dict[str, Any] = {"depths": depths, "shares": shares, "repetitions": repetitions}
    reading: dict[str, Any] = {"missing": missing, "lower_is_better": lower_is_better}
    return compare_subsets(runs, qrels, measures, Engine(settings, n_jobs), **subsets, **reading)


def compare_subsets(
    runs: RunsLike,
    qrels: QrelsLike | Qrels,
    measures: Iterable[MeasureLike],
    engine: Engine,
    *,
    depths: Sequence[int] | None,
    shares: Sequence[float] | None,
    repetitions: int | None,
    **reading: Any,
) -> JudgmentCurve:
    """`judgment_curve` by an engine with checked settings; `reading` is for `scores_from_runs`."""
    if (depths is None) == (shares is None):
        raise ValueError("`depths` or `shares` must be given, and not both.")
    places: list[Any]  # depths or shares
    if depths is not None:
        if repetitions is not None:
            rule = "`repetitions` must be None for depths, which are not random"
            raise ValueError(f"{rule}, got {repetitions}.")
        kind, repetitions = "depth", 1
        given = list_of("depths", depths, "numbers")
        places = [pools.depth_of_pool(depth, "depths") for depth in given]
    else:
        repetitions = 10 if repetitions is None else repetitions
        kind, repetitions = "share", whole_number("repetitions", repetitions, at_least=1)
        given = list_of("shares", shares, "numbers")
        places = [pools.check_share("shares", value) for value in given]
        engine.settings = replace(engine.settings, n_resamples=0)  # the band is that of repetitions
    places = sorted(set(places))
    if not places:
        raise ValueError(f"`{kind}s` must hold at least one {kind}, got none.")
    all_judgments = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    if all_judgments.relevance_threshold is not None:
        rule = "`relevance_threshold` must be None for a curve, whose measures say it, as AP(rel=2)"
        raise ValueError(f"{rule}, got {all_judgments.relevance_threshold}.")
    paths.check_all_there(runs, all_judgments.source)
    resolved, readable = resolve_measures(measures), pools.keep_readable(runs)
    judgments = read_qrels(all_judgments.source, download=all_judgments.download)
    verbose = engine.verbose
    reference = scores_from_runs(
        readable, judgments, resolved.values(), verbose=verbose, **reading
    ).with_design(clusters=all_judgments.clusters, strata=all_judgments.strata)
    # of topics that are compared alone: a share is of these
    judgments = judgments[judgments["query_id"].isin(reference.topics)].reset_index(drop=True)

    def subsets() -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        # depth or share and repetition; judgments
        children = np.random.default_rng(engine.settings.seed).spawn(repetitions)
        for repetition, child in enumerate(children):
            by_place: Any  # depth or share -> judgments
            if kind == "depth":
                by_place = pools.pool(readable, judgments, places, verbose=verbose)
            else:
                by_place = pools.sample_judgments(judgments, places, child)
            for place, subset in by_place.items():
                yield {kind: place, "repetition": repetition}, subset

    def blocks() -> Iterator[list[RowInput]]:
        # rows of as many subsets as runs are read for at once
        remaining = subsets()
        size = max(min(SUBSETS_AT_ONCE, JUDGMENTS_AT_ONCE // max(len(judgments), 1)), 1)
        while block := list(islice(remaining, size)):
            sets = [subset for _, subset in block]
            own = [resolved] * len(sets)  # the measures of each set: all have the same
            scored = pools.scores_under(readable, sets, own, reference, verbose=verbose)
            cases = []
            for (place, subset), scores in zip(block, scored, strict=True):
                sides = "All judgments", f"those of {kind} {place[kind]:g}"
                counts = _counts(subset)
                for measure in reference:
                    key = {**place, "measure": measure}
                    cases.append(RowInput(key, sides, reference[measure], scores[measure], counts))
            yield cases

    rows = engine.compute(blocks(), len(places) * repetitions * len(resolved))
    return JudgmentCurve(rows, engine.settings, kind, reference, len(judgments), repetitions)


def _counts(judgments: pd.DataFrame) -> dict[str, int]:
    """Numbers of judgments and of topics, which rows have beside coefficients."""
    relevant = judgments[judgments["relevance"] > 0]
    return {
        "n_judgments": len(judgments),
        "n_relevant": len(relevant),
        "n_topics_judged": judgments["query_id"].nunique(),
        "n_topics_relevant": relevant["query_id"].nunique(),
    }
