"""The one way in which rankings are compared: a trusted score matrix against others, row by row."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison._checkpoint import Checkpoint
from pt_rankcorr.comparison._per_case import CORRELATION_RESAMPLES, PerCase
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import Ceiling, PerTopic, RankingAgreement, SignificantPairs
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.several import Wanted
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.lazy import cached_property
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import sharing_permutations
from pt_rankcorr.stats.core.results import ConfidenceInterval
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import each
from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.rank_distance.nulls import upper_quantile
from pt_rankcorr.stats.rank_distance.test import DRankTest
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning

WITH_CEILING = ("tau", "tau_ap", "tau_gap")  # those whose expectation is known

OnRow = Callable[[RankingAgreement], object]


class Case(NamedTuple):
    """A row to be computed."""

    key: Mapping[str, Any]  # distinguishes it from the others
    scores: ScoreMatrix  # of the reference's systems on its topics, in their order
    more: Mapping[str, Any]  # further columns of its row


class Engine:
    """Computes rows, all over the same resamples of topics, and keeps those that are finished.

    Use it in a `with` statement: it holds the file to resume from.

    Args:
        caller: The public function that compares, for messages.
        settings: How it does so.
        resume: A file for finished rows.
        n_jobs: The number of workers; no row depends on it.
        on_row: Called with every row once it is finished, and with those that `resume` has.
    """

    def __init__(
        self,
        caller: str,
        settings: Settings,
        *,
        resume: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        on_row: OnRow | None = None,
    ) -> None:
        self._settings = settings
        self._n_jobs = n_jobs
        self._on_row = on_row or (lambda _: None)
        self._trusted: dict[ScoreMatrix, _Trusted] = {}
        self._finished = Checkpoint(resume, caller)

    def __enter__(self) -> Engine:
        self._finished.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._finished.__exit__(*error)

    def begin(self, **data: Any) -> None:
        """Takes the rows that are finished, if they are of these data and settings."""
        self._finished.begin({**self._settings.to_dict(), **data})
        self._tell(self._finished.parts)

    def has(self, keys: Iterable[Mapping[str, Any]]) -> bool:
        """Whether all rows of these keys are finished."""
        return all(tuple(key.values()) in self._finished.parts for key in keys)

    def add(self, reference: ScoreMatrix, cases: Sequence[Case], *, intervals: bool = False) -> None:
        """Computes the rows of all cases against one reference, at once, but those that are finished."""
        missing = [case for case in cases if not self.has([case.key])]
        if not missing:
            return
        trusted = self._trusted.setdefault(reference, _Trusted(reference, self._settings, self._n_jobs))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateInputWarning)  # the whole table says it once
            rows = list(trusted.rows(missing, intervals=intervals))
        found = {tuple(row.key.values()): asdict(row) for row in rows}
        self._finished.add(found)
        self._tell(found)

    def _tell(self, keys: Iterable[tuple[Hashable, ...]]) -> None:
        for key in keys:
            self._on_row(self._row(key))

    def rows(self, keys: Iterable[Mapping[str, Any]]) -> tuple[RankingAgreement, ...]:
        """The finished rows, in the order of their keys."""
        return tuple(self._row(tuple(key.values())) for key in keys)

    def _row(self, key: tuple[Hashable, ...]) -> RankingAgreement:
        """From its part, which may have been JSON."""
        part = self._finished.parts[key]
        pairs = part["pairs"]
        if pairs is not None:
            swapped = tuple((better, worse) for better, worse in pairs["active_disagreements"])
            ends = _restored(ConfidenceInterval, pairs["intervals"])
            pairs = SignificantPairs(**{**pairs, "active_disagreements": swapped, "intervals": ends})
        restored = {
            "intervals": _restored(ConfidenceInterval, part["intervals"]),
            "ceilings": _restored(Ceiling, part["ceilings"]),
            "per_topic": _restored(PerTopic, part["per_topic"]),
        }
        return RankingAgreement(**{**part, **restored, "pairs": pairs, "settings": self._settings})


def _restored(kind: Callable[..., Any], part: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    return {name: kind(*values) for name, values in part.items()}


class _Trusted:
    """A reference, and what is computed once for all rankings that are compared with it."""

    def __init__(self, reference: ScoreMatrix, settings: Settings, n_jobs: int | None) -> None:
        self._reference, self._settings, self._n_jobs = reference, settings, n_jobs

    @cached_property
    def _test(self) -> DRankTest:
        return DRankTest(self._reference, **self._settings.distance_arguments(), n_jobs=self._n_jobs)

    @cached_property
    def _wanted(self) -> Wanted:
        systems, top = self._reference.systems, self._settings.top
        if top is not None and top > len(systems):
            raise ValueError(f"`top` must be at most the number of systems, {len(systems)}, got {top}.")
        return Wanted(tuple(COEFFICIENTS.values()), top, np.argsort(np.argsort(systems, kind="stable")))

    @cached_property
    def _ceilings(self) -> dict[str, Ceiling]:
        return ceilings(self._reference, self._settings.level_of_intervals, self._settings.seed, self._n_jobs)

    def rows(self, cases: Sequence[Case], *, intervals: bool) -> Iterator[RankingAgreement]:
        reference = self._reference
        means = np.stack([case.scores.means for case in cases])
        found = self._wanted.of(np.broadcast_to(reference.means, means.shape), means)
        defined = ~np.isnan(found[:, 0])  # a ranking that ties all systems ranks nothing
        distances = self._distances(Rankings(means, reference.systems))
        distances = {name: np.where(defined, values, np.nan) for name, values in distances.items()}
        with sharing_permutations():
            per_case = partial(self._per_case.compute, with_intervals=intervals)
            computed = each(per_case, [case.scores for case in cases], self._n_jobs)
        for at, (key, _, more) in enumerate(cases):
            yield RankingAgreement(
                key=dict(key),
                n_topics=reference.n_topics,
                n_systems=reference.n_systems,
                coefficients=dict(zip(self._wanted.columns, map(float, found[at]), strict=True)),
                d_rank=float(distances["d_rank"][at]),
                pvalue=float(distances["pvalue"][at]),
                pvalue_standard_error=float(distances["pvalue_standard_error"][at]),
                critical_value=float(distances["critical_value"][at]),
                ceilings=self._ceilings if intervals else {},
                **computed[at],
                more=dict(more),
            )

    @cached_property
    def _per_case(self) -> PerCase:
        """What is computed for each ranking alone."""
        return PerCase(self._reference, self._wanted, self._settings)

    def _distances(self, rankings: Rankings) -> dict[str, Floats]:
        tested = self._test.test(rankings, whole_null=True)  # for critical values
        nulls = np.atleast_2d(tested.null_distribution)
        critical = np.array([upper_quantile(null, self._settings.alpha) for null in nulls])
        return {
            "d_rank": np.asarray(tested.statistic),
            "pvalue": np.asarray(tested.pvalue),
            "pvalue_standard_error": np.asarray(tested.pvalue_standard_error),
            "critical_value": np.broadcast_to(critical, np.shape(tested.statistic)),
        }


def ceilings(reference: ScoreMatrix, level: float, seed: int, n_jobs: int | None) -> dict[str, Ceiling]:
    """Coefficient -> what a perfect judge can be expected to reach."""
    settings: dict[str, Any] = {
        "coefficient": "tau",
        "n_resamples": CORRELATION_RESAMPLES,
        "rng": seed,
        "n_jobs": n_jobs,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)  # d_rank warned; the interval stands beside the value
        expected = expected_correlation(reference, **settings)
    found = {name: expected.with_coefficient(name) for name in WITH_CEILING}
    return {name: Ceiling(each.value, *each.confidence_interval(level)) for name, each in found.items()}
