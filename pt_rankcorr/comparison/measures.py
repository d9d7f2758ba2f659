"""Measures held against measures, on one collection or on several: which rank systems alike?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison._checkpoint import Checkpoint, fingerprint, resumable_seed
from pt_rankcorr.comparison._collections import collected
from pt_rankcorr.comparison._rankings import (
    DistanceSettings,
    RankingAgreement,
    ranking_agreements,
    warn_of_undefined,
)
from pt_rankcorr.comparison.matrix import STATISTICS, MeasureMatrix
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.checks import one_of, share
from pt_rankcorr.stats.rank_distance import RECOMMENDED, DRankTest
from pt_rankcorr.stats.resampling import RandomState
from pt_rankcorr.stats.results import Result


@dataclass(frozen=True, eq=False)
class MeasureAgreement(Result):
    """How the ranking of systems by a measure agrees with that by a baseline measure, on one collection.

    Attributes:
        collection: The name of the collection.
        baseline: The measure whose ranking is trusted.
        measure: The other one.
        n_topics: The number of topics.
        n_systems: The number of systems.
        ranking: The agreement.
    """

    collection: str
    baseline: str
    measure: str
    n_topics: int
    n_systems: int
    ranking: RankingAgreement

    def to_dict(self) -> dict[str, Any]:
        """One flat row."""
        return {**super().to_dict(), **self.ranking.to_dict()}


@dataclass(frozen=True)
class MeasureComparison:
    """Every measure as baseline of every other: a sequence of `MeasureAgreement`.

    Attributes:
        rows: The agreements, by collection, baseline and measure.
        scores: Collection -> scores, with the report of how they were aligned.
        distance: How d_rank was tested.
        alpha: The level of that test.
        seed: What to give as `rng` for the same numbers.
    """

    rows: tuple[MeasureAgreement, ...]
    scores: Mapping[str, Scores] = field(repr=False)
    distance: DistanceSettings
    alpha: float
    seed: int

    def __iter__(self) -> Iterator[MeasureAgreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def undefined(self) -> list[str]:
        """Which rows are nan, as one of the rankings ties all systems."""
        return [f"{row.measure} against {row.baseline}" for row in self.rows if np.isnan(row.ranking.tau)]

    def to_frame(self) -> pd.DataFrame:
        """One row a collection, baseline and measure, unrounded."""
        return pd.DataFrame(list(map(MeasureAgreement.to_dict, self.rows)))

    def to_dict(self) -> dict[str, Any]:
        """How the comparison was made, and its rows, for machines."""
        made = {**asdict(self.distance), "alpha": self.alpha, "seed": self.seed}
        alignment = {name: scores.alignment.to_dict() for name, scores in self.scores.items()}
        return {**made, "collections": alignment, "rows": [row.to_dict() for row in self.rows]}

    def matrix(self, statistic: str = "d_rank", collection: str | None = None) -> MeasureMatrix:
        """One statistic as a table, baselines in rows, rankings in columns; bold where they do not differ.

        Args:
            statistic: "tau", "tau_ap", "tau_gap", "d_rank" or "pvalue".
            collection: Which, if there are several.

        Returns:
            The table, which shows itself and has `to_frame()`.

        Raises:
            ValueError: If the statistic or collection is unknown, or there are several collections and none is named.

        References:
            Table 1 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.
        """
        one_of("statistic", statistic, STATISTICS)
        named = tuple(self.scores)
        chosen = named[0] if collection is None and len(named) == 1 else one_of("collection", collection, named)
        frame = self.to_frame()
        rows = frame[frame["collection"] == chosen]
        measures = list(self.scores[chosen].measures)

        def square(column: str) -> pd.DataFrame:
            return rows.pivot(index="baseline", columns="measure", values=column).loc[measures, measures]

        return MeasureMatrix(statistic, chosen, self.alpha, square(statistic), square("pvalue"))

    def agreements(self) -> pd.DataFrame:
        """On how many collections each measure ranks systems as each baseline does, as far as the topics can tell.

        One row a baseline and measure: `n_collections` that have both, `n_indistinguishable` (p-value of d_rank above
        alpha), `agree` ("everywhere", "sometimes" or "nowhere"), and the lowest and highest tau.
        """
        frame = self.to_frame()
        frame["indistinguishable"] = frame["pvalue"] > self.alpha
        table = (
            frame.groupby(["baseline", "measure"], sort=False)
            .agg(
                n_collections=("collection", "size"),
                n_indistinguishable=("indistinguishable", "sum"),
                lowest_tau=("tau", "min"),
                highest_tau=("tau", "max"),
            )
            .reset_index()
        )
        all_of_them = table["n_indistinguishable"] == table["n_collections"]
        agree = np.where(all_of_them, "everywhere", np.where(table["n_indistinguishable"] > 0, "sometimes", "nowhere"))
        table.insert(4, "agree", agree)
        return table

    def _note(self) -> str:
        sizes = (
            f"{name}: {len(scores.systems)} systems on {len(scores.topics)} topics"
            for name, scores in self.scores.items()
        )
        return (
            f"{'; '.join(sizes)}. Ties a; d_rank: null {self.distance.null}, covariance {self.distance.covariance}, "
            f"{self.distance.n_resamples} resamples; not significant: p > {self.alpha:g}; seed {self.seed}."
        )

    def __str__(self) -> str:
        return "\n\n".join([*(str(self.matrix(collection=name)) for name in self.scores), self._note()])

    def _repr_html_(self) -> str:
        from html import escape

        tables = (self.matrix(collection=name)._repr_html_() for name in self.scores)
        return f"{''.join(tables)}<p>{escape(self._note())}</p>"


def compare(
    scores_or_collections: Scores | Mapping[str, Any] | Sequence[ScoreMatrix],
    measures: Iterable[object] | None = None,
    *,
    alpha: float = 0.05,
    n_resamples: int = 10_000,
    null: str = RECOMMENDED["null"],
    covariance: str = RECOMMENDED["covariance"],
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    download: bool = False,
    resume: str | PathLike[str] | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> MeasureComparison:
    """How measures rank systems, each against each: tau, tau_AP, tau_GAP, d_rank and its p-value, on each collection.

    Every measure is the baseline of every other once, since only tau is symmetric. A small p-value says that the two
    rank the systems differently by more than the luck of the topics; a large one, that these topics cannot tell.
    Published distances are those of `null="baseline", covariance="sample"`, with a test that rejects too often.

    Args:
        scores_or_collections: The scores of one collection (`Scores`, score matrices, or measure -> score matrix), or a
            mapping from collections to scores. A collection of ir-datasets can be given by its id, as
            `{"irds:vaswani": runs}`: with runs as `scores_from_runs` takes them, or names -> pipelines, which are run
            on its topics. Its judgments are used as they are, with all their grades.
        measures: Which measures; by default all of the scores. Needed for runs and pipelines.
        alpha: The level below which two rankings count as different.
        n_resamples: Resamples of topics for d_rank's test.
        null: As for `DRankTest`. The defaults are those that `d_rank` recommends.
        covariance: As for `DRankTest`.
        missing: What to do where a run has no document for a judged topic: as for `scores_from_runs`.
        lower_is_better: Measures of runs that are better when lower.
        download: Whether ir-datasets may download what is not on this machine.
        resume: A file for the baselines that are finished, which one call at a time may use: a call that was stopped
            goes on from there. It is made if it is not there; that of another comparison, or a damaged one, is refused.
        rng: A seed or a random generator. All baselines are resampled alike. To resume, a seed must be given.
        n_jobs: The number of workers; the result does not depend on it.
        verbose: Whether to show progress; by default from ten runs on.

    Returns:
        A table that prints itself, with `to_frame()`, `matrix(statistic)` and `agreements()`.

    Raises:
        FileNotFoundError: If a dataset is not on this machine and `download` is False.
        OSError: If `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If there are less than two measures, systems or topics, a measure or dataset is unknown, an
            argument is out of its range, or `resume` is another file, damaged or in use; or as for `scores_from_runs`.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, table 1.

    Example:
        >>> ap = ScoreMatrix([[0.1, 0.4], [0.2, 0.3], [0.3, 0.8]], measure="AP")
        >>> rr = ScoreMatrix([[0.5, 0.4], [1.0, 0.5], [0.5, 1.0]], measure="RR")
        >>> row, _ = compare([ap, rr], n_resamples=99, covariance="sample", rng=1)
        >>> row.baseline, row.measure, row.ranking.tau, round(row.ranking.d_rank, 4)
        ('AP', 'RR', -1.0, 2.5978)
    """
    distance = DistanceSettings.checked(n_resamples, null, covariance)
    alpha, seed = share("alpha", alpha), resumable_seed(rng, resume)
    with Checkpoint(resume, "compare") as finished:
        collections = collected(
            scores_or_collections,
            None if measures is None else list(measures),
            download=download,
            missing=missing,
            lower_is_better=lower_is_better,
            verbose=verbose,
        )
        comparison = compared(collections, alpha, distance, seed, n_jobs, finished)
    warn_of_undefined(comparison.undefined)
    return comparison


def compared(
    collections: Mapping[str, Scores],
    alpha: float,
    distance: DistanceSettings,
    seed: int,
    n_jobs: int | None,
    finished: Checkpoint,
) -> MeasureComparison:
    """As `compare`, which has checked all of this."""
    data = {name: fingerprint(scores) for name, scores in collections.items()}
    finished.begin({**asdict(distance), "seed": seed, "data": data})
    for name, scores in collections.items():
        for baseline in scores:
            if (name, baseline) not in finished.parts:
                found = agreements_with(baseline, scores, distance.test(scores[baseline], seed, n_jobs))
                finished.add({(name, baseline): {measure: each.to_dict() for measure, each in found.items()}})
    rows = tuple(
        MeasureAgreement(name, baseline, measure, len(scores.topics), len(scores.systems), RankingAgreement(**found))
        for name, scores in collections.items()
        for baseline in scores
        for measure, found in finished.parts[name, baseline].items()
    )
    return MeasureComparison(rows, collections, distance, alpha, seed)


def agreements_with(baseline: str, scores: Scores, test: DRankTest) -> dict[str, RankingAgreement]:
    """Other measure -> the agreement of its ranking with that by the baseline, which the test has."""
    others = [measure for measure in scores if measure != baseline]
    rankings = ranking_agreements(scores[baseline], np.stack([scores[measure].means for measure in others]), test)
    return dict(zip(others, rankings, strict=True))
