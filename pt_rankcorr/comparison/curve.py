"""How the ranking of systems approaches that of all judgments, with deeper pools or larger samples of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.adapters.measures import find_measure, resolve_measures
from pt_rankcorr.adapters.runs import each_run, scores_from_runs
from pt_rankcorr.comparison._checkpoint import Checkpoint, fingerprint, resumable_seed
from pt_rankcorr.comparison._evaluation import read_judgments, reread, scores_under
from pt_rankcorr.comparison._rankings import (
    COEFFICIENTS,
    DistanceSettings,
    intervals,
    ranking_agreements,
    warn_of_undefined,
)
from pt_rankcorr.comparison._subsets import Subset, in_blocks, pools, samples
from pt_rankcorr.judgments._forms import checked_share
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import one_of, share, whole_number
from pt_rankcorr.stats.order import Floats, Labels
from pt_rankcorr.stats.rank_distance import DRankTest
from pt_rankcorr.stats.resampling import RandomState
from pt_rankcorr.stats.results import Result

STATISTICS = (*COEFFICIENTS, "d_rank", "pvalue")


class Band(NamedTuple):
    """A statistic along a curve: its middle, and a band; each has one value for each depth or share."""

    x: Floats
    middle: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class JudgmentCurve(Result):
    """The agreement of rankings under some of the judgments with that under all, by how many there are.

    Attributes:
        kind: "depth" of pools or "share" of judgments.
        points: One row a depth or share, repetition and measure.
        reference: The scores under all judgments, with the report of how they were aligned.
        n_judgments: How many judgments are all.
        repetitions: How many random samples of each share; 1 for pools.
        level: Of the bands.
        n_resamples: Of d_rank's test.
        null: Of d_rank's test.
        covariance: Of d_rank's test.
        seed: What to give as `rng` for the same numbers.
    """

    kind: str
    points: tuple[Mapping[str, Any], ...] = field(repr=False)
    reference: Scores = field(repr=False)
    n_judgments: int
    repetitions: int
    level: float
    n_resamples: int
    null: str
    covariance: str
    seed: int

    @property
    def measures(self) -> Labels:
        """The names of the measures."""
        return self.reference.measures

    def to_frame(self) -> pd.DataFrame:
        """One row a depth or share, repetition and measure, unrounded."""
        return pd.DataFrame(list(self.points))

    def band(self, measure: object, statistic: str = "tau") -> Band:
        """A statistic along the curve.

        The middle is the median over repetitions, the band holds the middle part of them, as `level` says. For pools,
        which are not random, the band of a coefficient is its interval over topics, and there is none for the others.

        Args:
            measure: One of the curve's.
            statistic: "tau", "tau_ap", "tau_gap", "d_rank" or "pvalue".

        Returns:
            Arrays of depths or shares, ascending, of middles and of the two ends.

        Raises:
            ValueError: If the measure is not one of the curve's, or the statistic unknown.
        """
        one_of("statistic", statistic, STATISTICS)
        frame = self.to_frame()
        by_x = frame[frame["measure"] == find_measure(measure, self.measures)].groupby(self.kind)
        middle = by_x[statistic].median()
        if self.kind == "share":
            tail = (1 - self.level) / 2
            low, high = by_x[statistic].quantile(tail), by_x[statistic].quantile(1 - tail)
        elif statistic in COEFFICIENTS:
            low, high = by_x[f"{statistic} low"].first(), by_x[f"{statistic} high"].first()
        else:
            low = high = middle
        return Band(*(np.asarray(column, dtype=np.float64) for column in (middle.index, middle, low, high)))

    def indistinguishable_from(self, measure: object, alpha: float = 0.05) -> float:
        """From which depth or share on the ranking can no longer be told from that under all judgments by d_rank.

        Args:
            measure: One of the curve's.
            alpha: The level of the test.

        Returns:
            The least from which on the median p-value stays above alpha; nan if none.

        Raises:
            ValueError: If the measure is not one of the curve's, or alpha not between 0 and 1.
        """
        band = self.band(measure, "pvalue")
        return _from_which_on(band.x, band.middle > share("alpha", alpha))

    def reaches(self, measure: object, value: float, statistic: str = "tau") -> float:
        """From which depth or share on the median of a coefficient stays at a value or above; nan if never."""
        band = self.band(measure, one_of("statistic", statistic, tuple(COEFFICIENTS)))
        return _from_which_on(band.x, band.middle >= value)


def _from_which_on(x: Floats, reached: Any) -> float:
    stays = np.logical_and.accumulate(np.asarray(reached)[::-1])[::-1]
    return float(x[stays][0]) if stays.any() else float("nan")


def judgment_curve(
    runs: object,
    qrels: object,
    measures: Iterable[object],
    *,
    depths: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
    repetitions: int = 10,
    level: float = 0.95,
    n_resamples: int = 10_000,
    null: str = "refit",
    covariance: str = "ledoit-wolf",
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    resume: str | PathLike[str] | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgmentCurve:
    """How well fewer judgments rank systems, compared by each measure with its own ranking under all of them.

    Either pools of some depths (`pool`), or random shares of the judgments (`sample_judgments`), several times each.
    A topic that loses all its judgments, or all relevant ones, says nothing of any system: it scores all alike.

    Runs are read once for every 16 subsets of judgments, or a million judgments in them, whichever is less; so much is
    in memory. With `resume`, whatever is finished is kept in a file, and a call that was stopped goes on from there;
    runs are then read once more, to tell them from others.

    Args:
        runs: Runs, at least two, as `scores_from_runs` takes them.
        qrels: All judgments, as `scores_from_runs` takes them.
        measures: Measures, as objects or by name.
        depths: Depths of pools, 0 or more.
        shares: Shares of the judgments, from 0 to 1.
        repetitions: How many random samples there are of each share.
        level: Of the bands.
        n_resamples: Resamples of topics for d_rank's test.
        null: As for `DRankTest`. "refit" resamples once for all rankings of a curve; "constrained", which keeps its
            level better where systems are close, once for each.
        covariance: As for `DRankTest`.
        missing: What to do where a run has no document for a judged topic: as for `scores_from_runs`.
        lower_is_better: Measures that are better when lower.
        resume: A file for what is finished, which one call at a time may use. It is made if it is not there; a file of
            another curve, or a damaged one, is refused.
        rng: A seed or a random generator. To resume, a seed must be given.
        n_jobs: The number of workers that resample; the result does not depend on it.
        verbose: Whether to show progress; by default from ten runs on.

    Returns:
        The curve, with `to_frame()`, `band(measure, statistic)` and `indistinguishable_from(measure)`.

    Raises:
        OSError: If `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If not one of depths and shares is given, an argument is out of its range, or `resume` is the file
            of another curve, damaged or in use; or as for `scores_from_runs`.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, table 2 and
        figure 4; Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 0} for topic in range(5)}
        >>> runs = {name: {topic: {"d1": 2.0, "d2": score} for topic in qrels} for name, score in [("a", 1), ("b", 3)]}
        >>> curve = judgment_curve(runs, qrels, ["AP"], depths=[1, 2], n_resamples=99, rng=1)
        >>> curve.band("AP").middle, curve.indistinguishable_from("AP")
        (array([1., 1.]), 1.0)
    """
    distance = DistanceSettings.checked(n_resamples, null, covariance)
    kind, places = _places(depths, shares)
    repetitions = whole_number("repetitions", repetitions, at_least=1) if kind == "share" else 1
    level, seed = share("level", level), resumable_seed(rng, resume)
    with Checkpoint(resume, "judgment_curve") as finished:
        resolved, readable = resolve_measures(measures), reread(runs)
        (judgments,) = read_judgments(readable, [qrels])
        reference = scores_from_runs(
            readable, judgments, resolved.values(), missing=missing, lower_is_better=lower_is_better, verbose=verbose
        )
        judgments = judgments[judgments["query_id"].isin(reference.topics)].reset_index(drop=True)
        empty = JudgmentCurve(kind, (), reference, len(judgments), repetitions, level, **asdict(distance), seed=seed)
        if resume is not None:
            data = _data(readable, reference, judgments, verbose)
            finished.begin({**empty.to_dict(), "places": places, "data": data})
        compare = _Compare(empty, distance, n_jobs)
        subsets = (
            pools(readable, judgments, places, verbose)
            if kind == "depth"
            else samples(judgments, places, repetitions, seed)
        )
        for block in in_blocks(subset for subset in subsets if not compare.has_all(finished.parts, subset)):
            scored = scores_under(readable, [each.judgments for each in block], resolved, reference, verbose=verbose)
            for subset, scores in zip(block, scored, strict=True):
                finished.add(dict(compare.points(subset, scores)))
        points = [finished.parts[key] for key in sorted(finished.parts, key=compare.place)]
    _warn_of_undefined(kind, points)
    return replace(empty, points=tuple(points))


def _places(depths: Sequence[int] | None, shares: Sequence[float] | None) -> tuple[str, list[float]]:
    """What the curve goes along, and the depths or shares, ascending."""
    if (depths is None) == (shares is None):
        raise ValueError("`depths` or `shares` must be given, and not both.")
    kind, given = ("share", shares) if depths is None else ("depth", depths)
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise TypeError(f"`{kind}s` must be a list of numbers, got {shown(given)}.")
    places = {_checked_place(kind, place) for place in given}
    if not places:
        raise ValueError(f"`{kind}s` must hold at least one {kind}, got none.")
    return kind, sorted(places)


def _checked_place(kind: str, place: object) -> float:
    return checked_share("shares", place) if kind == "share" else whole_number("depths", place, at_least=0)


def _data(runs: Mapping[str, Any], reference: Scores, judgments: pd.DataFrame, verbose: bool | None) -> str:
    """Tells the data of a curve from others: runs of the same scores may still differ under fewer judgments."""
    told = hashlib.sha256(fingerprint(reference).encode())
    told.update(pd.util.hash_pandas_object(judgments, index=False).to_numpy().tobytes())
    for name, run in each_run({name: runs[name] for name in sorted(runs)}, verbose, "reading runs"):
        told.update(repr(name).encode())
        for topic in reference.topics:
            told.update(repr(sorted(run.get(topic, {}).items())).encode())
    return told.hexdigest()


def _warn_of_undefined(kind: str, points: Sequence[Mapping[str, Any]]) -> None:
    tied = {f"{point['measure']} at {kind} {point[kind]:g}" for point in points if np.isnan(point["tau"])}
    warn_of_undefined(sorted(tied))


@dataclass(frozen=True)
class _Compare:
    """Makes the points of a curve, all over the same resamples of topics."""

    curve: JudgmentCurve
    distance: DistanceSettings
    n_jobs: int | None

    @cached_property
    def _tests(self) -> dict[str, DRankTest]:
        seed = self.curve.seed
        return {name: self.distance.test(truth, seed, self.n_jobs) for name, truth in self.curve.reference.items()}

    def has_all(self, points: Collection[tuple[Hashable, ...]], subset: Subset) -> bool:
        """Whether there is a point of the subset for each measure."""
        return all((*subset.key, name) in points for name in self.curve.measures)

    def place(self, key: tuple[Any, ...]) -> tuple[float, ...]:
        """Of a point among all."""
        x, repetition, measure = key
        return repetition, x, self.curve.measures.index(measure)

    def points(self, subset: Subset, scores: Scores) -> Iterator[tuple[tuple[Hashable, ...], dict[str, Any]]]:
        """One point a measure, flat, with what tells it from others of the curve."""
        relevant = subset.judgments[subset.judgments["relevance"] > 0]
        for name, truth in self.curve.reference.items():
            (agreement,) = ranking_agreements(truth, scores[name].means[np.newaxis], self._tests[name])
            point = {
                self.curve.kind: subset.x,
                "repetition": subset.repetition,
                "measure": name,
                "n_judgments": len(subset.judgments),
                "n_relevant": len(relevant),
                "n_topics_judged": subset.judgments["query_id"].nunique(),
                "n_topics_relevant": relevant["query_id"].nunique(),
                **agreement.to_dict(),
                **self._intervals(truth, scores[name]),
            }
            yield (*subset.key, name), point

    def _intervals(self, truth: ScoreMatrix, scores: ScoreMatrix) -> dict[str, float]:
        """Over topics, where no repetitions show how uncertain a coefficient is."""
        if self.curve.kind == "share":
            return {}
        found = intervals(truth, scores, level=self.curve.level, seed=self.curve.seed, n_jobs=self.n_jobs)
        return {f"{name} {end}": value for name, ends in found.items() for end, value in ends._asdict().items()}
