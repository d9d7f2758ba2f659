"""The one way in which rankings are compared: a trusted score matrix against others, row by row."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison._checkpoint import Checkpoint
from pt_rankcorr.comparison._per_case import PerCase
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.comparison.table import RankingAgreement
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import sharing_permutations
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.core.workers import each
from pt_rankcorr.stats.rank_distance.test import DRankTest
from pt_rankcorr.warnings import DegenerateInputWarning

BLOCK = 16  # rows that are computed, and kept in the file to resume from, together

OnRow = Callable[[RankingAgreement], object]
Key = tuple[Hashable, ...]


class Case(NamedTuple):
    """A row to be computed."""

    key: Mapping[str, Any]  # distinguishes it from the others
    reference: ScoreMatrix
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
        self.settings = settings
        self._n_jobs = n_jobs
        self._on_row = on_row or (lambda _: None)
        self._trusted: dict[int, _Trusted] = {}
        self._finished = Checkpoint(resume, caller)

    def __enter__(self) -> Engine:
        self._finished.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._finished.__exit__(*error)

    def begin(self, **data: Any) -> None:
        """Takes the rows that are finished, if they are of these data and settings."""
        self._finished.begin({**self.settings.to_dict(), "coefficients": sorted(self.settings.columns), **data})
        for key in self._finished.parts:
            self._on_row(self._row(key))

    def has(self, keys: Iterable[Mapping[str, Any]]) -> bool:
        """Whether all rows of these keys are finished."""
        return all(tuple(key.values()) in self._finished.parts for key in keys)

    def compute(
        self, cases: Sequence[Case], done: Callable[[int], object] = lambda _: None
    ) -> tuple[RankingAgreement, ...]:
        """The rows of all cases, in their order; those that are finished are not computed again.

        Args:
            cases: What to compare with what.
            done: Called with the number of rows of each block, once it is finished.
        """
        missing = [case for case in cases if not self.has([case.key])]
        done(len(cases) - len(missing))
        for which in dict.fromkeys(id(case.reference) for case in missing):
            own = [case for case in missing if id(case.reference) == which]
            for at in range(0, len(own), BLOCK):
                block = own[at : at + BLOCK]
                self._add(self._trusted_of(own[0].reference), block)
                done(len(block))
        return self.rows(case.key for case in cases)

    def _trusted_of(self, reference: ScoreMatrix) -> _Trusted:
        if id(reference) not in self._trusted:
            self._trusted[id(reference)] = _Trusted(reference, self.settings, self._n_jobs)
        return self._trusted[id(reference)]

    def _add(self, trusted: _Trusted, cases: Sequence[Case]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateInputWarning)  # the whole table says it once
            rows = trusted.rows(cases)
        found: dict[Key, Any] = {tuple(row.key.values()): asdict(row) for row in rows}
        self._finished.add(found)
        for key in found:
            self._on_row(self._row(key))

    def rows(self, keys: Iterable[Mapping[str, Any]]) -> tuple[RankingAgreement, ...]:
        """The finished rows, in the order of their keys."""
        return tuple(self._row(tuple(key.values())) for key in keys)

    def _row(self, key: Key) -> RankingAgreement:
        return RankingAgreement.of_part(self._finished.parts[key], self.settings)


class _Trusted:
    """A reference, and what is computed once for all rankings that are compared with it."""

    def __init__(self, reference: ScoreMatrix, settings: Settings, n_jobs: int | None) -> None:
        self._reference, self._n_jobs = reference, n_jobs
        self._settings = settings
        self._tests: dict[int | None, DRankTest] = {}  # by how many topics rankings have of their own
        self._per_case = PerCase.of(reference, settings)

    def rows(self, cases: Sequence[Case]) -> list[RankingAgreement]:
        reference = self._reference
        distances = self._distances([case.scores for case in cases])
        with sharing_permutations():
            computed = each(self._per_case.compute, [case.scores for case in cases], self._n_jobs)
        distances[[np.isnan(found["coefficients"]["tau"]) for found in computed]] = np.nan  # which ranks nothing
        return [
            RankingAgreement(
                key=dict(case.key),
                n_topics=reference.n_topics,
                n_systems=reference.n_systems,
                d_rank=distance,
                pvalue=pvalue,
                pvalue_standard_error=error,
                more=dict(case.more),
                **of_case,
            )
            for case, (distance, pvalue, error), of_case in zip(cases, distances.tolist(), computed, strict=True)
        ]

    def _distances(self, rankings: Sequence[ScoreMatrix]) -> Floats:
        """d_rank, its p-value and the error of that, shape (n_rankings, 3)."""
        own = [None if self._settings.shared else scores.n_topics for scores in rankings]
        found = np.empty((len(rankings), 3))
        for n_topics in dict.fromkeys(own):
            at = [place for place, number in enumerate(own) if number == n_topics]
            means = np.stack([rankings[place].means for place in at])
            tested = self._test_of(n_topics).test(Rankings(means, self._reference.systems))
            found[at] = np.stack([tested.statistic, tested.pvalue, tested.pvalue_standard_error], axis=-1)
        return found

    def _test_of(self, n_topics: int | None) -> DRankTest:
        if n_topics not in self._tests:
            how = {**self._settings.distance_arguments(), "n_ranking_topics": n_topics, "n_jobs": self._n_jobs}
            self._tests[n_topics] = DRankTest(self._reference, **how)
        return self._tests[n_topics]
