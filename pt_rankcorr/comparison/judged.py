"""The same runs under other judgments: do the labels agree, and do the rankings of the systems?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from html import escape
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.adapters.files import by_name
from pt_rankcorr.adapters.measures import resolve_measures
from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.comparison._checkpoint import Checkpoint, fingerprint, resumable_seed
from pt_rankcorr.comparison._evaluation import read_judgments, reread, scores_under
from pt_rankcorr.comparison._rankings import (
    DistanceSettings,
    RankingAgreement,
    intervals,
    ranking_agreements,
    warn_of_undefined,
)
from pt_rankcorr.comparison._shown import shown_rows
from pt_rankcorr.judgments.labels import LabelAgreement, agreement_of
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats._pairwise import TESTS
from pt_rankcorr.stats._text import visible_lines
from pt_rankcorr.stats.checks import listing, one_of, share
from pt_rankcorr.stats.order import Labels
from pt_rankcorr.stats.rank_distance import RECOMMENDED, DRankTest
from pt_rankcorr.stats.resampling import RandomState
from pt_rankcorr.stats.results import ConfidenceInterval, Result
from pt_rankcorr.stats.sensitivity import discriminative_power


@dataclass(frozen=True, eq=False)
class JudgmentAgreement(Result):
    """How one set of judgments agrees with the reference, by one measure.

    Attributes:
        judgments: The name of the set.
        measure: The name of the measure.
        labels: The agreement of the labels, on the topics used; the same for all measures.
        ranking: The agreement of the rankings of the systems.
        intervals: Coefficient -> its interval over topics.
        n_significant: Pairs of systems that differ significantly under the reference.
        n_significant_other: Pairs that do so under the other set.
        n_active_agreements: Pairs that do so under both, one way.
        active_disagreements: Pairs that do so under both, in opposite ways: (better under the reference, better under
            the other set).
    """

    judgments: str
    measure: str
    labels: LabelAgreement
    ranking: RankingAgreement
    intervals: Mapping[str, ConfidenceInterval]
    n_significant: int
    n_significant_other: int
    n_active_agreements: int
    active_disagreements: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """One flat row."""
        ends = {
            f"{coefficient} {end}": value
            for coefficient, interval in self.intervals.items()
            for end, value in interval._asdict().items()
        }
        return {
            "judgments": self.judgments,
            "measure": self.measure,
            **self.labels.to_dict(),
            **self.ranking.to_dict(),
            **ends,
            "n_significant": self.n_significant,
            "n_significant_other": self.n_significant_other,
            "n_active_agreements": self.n_active_agreements,
            "n_active_disagreements": len(self.active_disagreements),
        }


@dataclass(frozen=True)
class JudgmentComparison:
    """Sets of judgments held against a reference: a sequence of `JudgmentAgreement`, one a set and measure.

    Attributes:
        rows: The agreements.
        reference: The scores under the reference, with the report of how they were aligned.
        others: Set -> the scores under it.
        dropped_topics: Topics that some set judges and another does not: they were left out everywhere.
        distance: How d_rank was tested.
        test: How pairs of systems were tested.
        alpha: The level of that test.
        level: The level of the intervals.
        seed: What to give as `rng` for the same numbers.
    """

    rows: tuple[JudgmentAgreement, ...]
    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    distance: DistanceSettings
    test: str
    alpha: float
    level: float
    seed: int

    def __iter__(self) -> Iterator[JudgmentAgreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, judgments: str, measure: object) -> JudgmentAgreement:
        """The agreement of one set by one measure.

        Raises:
            KeyError: If there is none of these names.
        """
        for row in self.rows:
            if (row.judgments, row.measure) == (judgments, str(measure)):
                return row
        raise KeyError(f"no judgments {judgments!r} with measure {str(measure)!r}")

    def to_frame(self) -> pd.DataFrame:
        """One row a set and measure, unrounded."""
        return pd.DataFrame(list(map(JudgmentAgreement.to_dict, self.rows)))

    def to_dict(self) -> dict[str, Any]:
        """How the comparison was made, and its rows, for machines."""
        return {
            "n_topics": len(self.reference.topics),
            "n_systems": len(self.reference.systems),
            "dropped_topics": list(self.dropped_topics),
            **asdict(self.distance),
            "test": self.test,
            "alpha": self.alpha,
            "level": self.level,
            "seed": self.seed,
            "rows": [row.to_dict() for row in self.rows],
        }

    def _note(self) -> str:
        dropped = self.dropped_topics
        left_out = f" ({len(dropped)} not judged by all and left out: {listing(dropped)})" if dropped else ""
        return (
            f"{len(self.reference.systems)} systems on {len(self.reference.topics)} topics{left_out}. "
            f"Ties a; {self.level:.0%} intervals over all topics there could be; d_rank: null {self.distance.null}, "
            f"{self.distance.n_resamples} resamples; pairs: {self.test}, alpha {self.alpha:g}; seed {self.seed}."
        )

    def __str__(self) -> str:
        return visible_lines(f"{shown_rows(self.rows, self.level).to_string(index=False)}\n{self._note()}")

    def _repr_html_(self) -> str:
        table = shown_rows(self.rows, self.level).to_html(index=False, escape=True)
        return visible_lines(f"{table}<p>{escape(self._note())}</p>")


def compare_judgments(
    runs: object,
    reference_qrels: object,
    others: Mapping[str, object],
    measures: Iterable[object],
    *,
    test: str = "tukey-hsd",
    alpha: float = 0.05,
    level: float = 0.95,
    n_resamples: int = 10_000,
    null: str = RECOMMENDED["null"],
    covariance: str = RECOMMENDED["covariance"],
    missing: str = "error",
    lower_is_better: Collection[object] = (),
    resume: str | PathLike[str] | None = None,
    rng: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> JudgmentComparison:
    """Whether other judgments, of language models, assessors or shallow pools, rank systems as the reference does.

    For each set and measure: Cohen's kappa of the labels; tau, tau_AP and tau_GAP of the rankings with intervals over
    topics; d_rank from the reference's scores, with its p-value; and the active disagreements, pairs of systems that
    differ significantly in opposite ways. All on the topics that every set judges. Errors of labels that hit all
    systems alike do not change their ranking: a low kappa need not mean a wrong ranking, nor a high one a right one.

    Each run is read twice. Judgments of topics that no run has take no memory if they come from files.

    Args:
        runs: Runs, at least two, as `scores_from_runs` takes them.
        reference_qrels: The judgments that are trusted, as `scores_from_runs` takes them.
        others: Name -> judgments of the same kind.
        measures: Measures, as objects or by name.
        test: How pairs of systems are tested: "tukey-hsd" (randomised, which holds its level over all pairs), "t",
            "wilcoxon", "paired-bootstrap" or "unpaired-bootstrap".
        alpha: The level of that test.
        level: The confidence level of the intervals.
        n_resamples: Resamples of topics for d_rank's test.
        null: As for `DRankTest`. The defaults are those that `d_rank` recommends.
        covariance: As for `DRankTest`.
        missing: What to do where a run has no document for a judged topic: as for `scores_from_runs`.
        lower_is_better: Measures that are better when lower.
        resume: A file for the rows that are finished, which one call at a time may use: a call that was stopped goes on
            from there. It is made if it is not there; that of another comparison, or a damaged one, is refused.
        rng: A seed or a random generator. All sets are compared over the same resamples. To resume, a seed must be
            given.
        n_jobs: The number of workers; the result does not depend on it.
        verbose: Whether to show progress; by default from ten runs on.

    Returns:
        A table that prints itself, with `to_frame()`, `row(judgments, measure)` and the scores under each set.

    Raises:
        OSError: If `resume` cannot be written.
        TypeError: If an argument is of another kind, or `rng` is no seed where `resume` is given.
        ValueError: If no topic is judged by all sets, there are less than two runs or topics, an argument is out of
            its range, or `resume` is another file, damaged or in use; or as for `scores_from_runs`.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3; Moffat, Scholer,
        Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012 (active disagreements).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0} for topic in range(5)}
        >>> good, poor = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
        >>> runs = {"good": {topic: good for topic in qrels}, "poor": {topic: poor for topic in qrels}}
        >>> contrary = {topic: {"d1": 0, "d2": 1} for topic in qrels}
        >>> row = compare_judgments(runs, qrels, {"contrary": contrary}, ["AP"], test="t", rng=1).row("contrary", "AP")
        >>> row.labels.kappa, row.ranking.tau, row.ranking.pvalue < 0.001, row.active_disagreements
        (-1.0, -1.0, True, (('good', 'poor'),))
    """
    how = HowJudged(
        DistanceSettings.checked(n_resamples, null, covariance),
        one_of("test", test, tuple(TESTS)),
        share("alpha", alpha),
        share("level", level),
        resumable_seed(rng, resume),
        n_jobs,
    )
    reading = {"missing": missing, "lower_is_better": lower_is_better, "verbose": verbose}
    with Checkpoint(resume, "compare_judgments") as finished:
        compared, rows = begun(runs, reference_qrels, others, measures, how, reading, finished)
        compared = replace(compared, rows=tuple(rows))
    warn_of_undefined([f"{row.judgments} by {row.measure}" for row in compared if np.isnan(row.ranking.tau)])
    return compared


@dataclass(frozen=True)
class HowJudged:
    """The settings of a comparison, as `compare_judgments` has checked them."""

    distance: DistanceSettings
    test: str
    alpha: float
    level: float
    seed: int
    n_jobs: int | None


def begun(
    runs: object,
    reference_qrels: object,
    others: Mapping[str, object],
    measures: Iterable[object],
    how: HowJudged,
    reading: Mapping[str, Any],
    finished: Checkpoint,
) -> tuple[JudgmentComparison, Iterator[JudgmentAgreement]]:
    """The comparison without its rows, and its rows as they are finished; arguments are those of `compare_judgments`.

    Args:
        runs: The runs.
        reference_qrels: The judgments that are trusted.
        others: The other sets.
        measures: The measures.
        how: How to compare.
        reading: How to read runs, as `scores_from_runs` takes it.
        finished: Keeps the rows.
    """
    resolved, readable, named = resolve_measures(measures), reread(runs), _named(others)
    sets, dropped = _judged_by_all(read_judgments(readable, [reference_qrels, *named.values()]))
    reference = scores_from_runs(readable, sets[0], resolved.values(), **reading)
    if len(reference.topics) < 2:
        raise ValueError(f"`runs` and all judgments must share at least 2 topics, got {listing(reference.topics)}.")
    scored = scores_under(readable, sets[1:], resolved, reference, verbose=reading["verbose"])
    by_name = dict(zip(named, scored, strict=True))
    used = [judgments[judgments["query_id"].isin(reference.topics)] for judgments in sets]
    labels = {name: agreement_of(used[0], each) for name, each in zip(by_name, used[1:], strict=True)}
    settings = {**asdict(how.distance), "test": how.test, "alpha": how.alpha, "level": how.level, "seed": how.seed}
    data = [fingerprint(reference), {name: fingerprint(scores) for name, scores in by_name.items()}]
    finished.begin({**settings, "data": data})
    compared = JudgmentComparison(
        (), reference, by_name, dropped, how.distance, how.test, how.alpha, how.level, how.seed
    )
    return compared, _Compare(compared, how.n_jobs).rows(labels, finished)


def _named(others: Mapping[str, object]) -> dict[str, Any]:
    """The other sets, by names that are distinct as text."""
    if not isinstance(others, Mapping):
        raise TypeError(f"`others` must map names to judgments, got an object of type {type(others).__name__}.")
    if not others:
        raise ValueError("`others` must name at least one set of judgments, got none.")
    return by_name(others, "others")


def _judged_by_all(sets: list[pd.DataFrame]) -> tuple[list[pd.DataFrame], Labels]:
    """The judgments of topics that every set has, and the other topics."""
    topics = [set(judgments["query_id"]) for judgments in sets]
    common, dropped = set.intersection(*topics), set.union(*topics)
    if not common:
        raise ValueError("`others` must judge a topic of the runs that the reference and all others judge, got none.")
    kept = [judgments[judgments["query_id"].isin(common)].reset_index(drop=True) for judgments in sets]
    return kept, tuple(sorted(dropped - common))


@dataclass(frozen=True)
class _Compare:
    """Makes the rows of a comparison, all over the same resamples of topics."""

    compared: JudgmentComparison
    n_jobs: int | None
    _known: dict[str, tuple[DRankTest, NDArray[np.bool_]]] = field(default_factory=dict)

    def rows(self, labels: Mapping[str, LabelAgreement], finished: Checkpoint) -> Iterator[JudgmentAgreement]:
        for name, scores in self.compared.others.items():
            for measure in scores:
                if (name, measure) not in finished.parts:
                    finished.add({(name, measure): self._found(measure, scores[measure])})
                yield _row(name, measure, labels[name], finished.parts[name, measure])

    def _found(self, measure: str, other: ScoreMatrix) -> dict[str, Any]:
        """What a row says but for its labels, in types of JSON."""
        truth, seed, n_jobs = self.compared.reference[measure], self.compared.seed, self.n_jobs
        distance, better = self._of_reference(measure)
        better_here = self._better(other)
        swapped = np.argwhere(better & better_here.T)
        return {
            "ranking": ranking_agreements(truth, other.means[np.newaxis], distance)[0].to_dict(),
            "intervals": intervals(truth, other, level=self.compared.level, seed=seed, n_jobs=n_jobs),
            "n_significant": int(better.sum()),
            "n_significant_other": int(better_here.sum()),
            "n_active_agreements": int((better & better_here).sum()),
            "active_disagreements": [(truth.systems[first], truth.systems[second]) for first, second in swapped],
        }

    def _of_reference(self, measure: str) -> tuple[DRankTest, NDArray[np.bool_]]:
        """The test of d_rank, and which pairs differ, by the reference: once for all sets."""
        if measure not in self._known:
            truth = self.compared.reference[measure]
            test = self.compared.distance.test(truth, self.compared.seed, self.n_jobs)
            self._known[measure] = test, self._better(truth)
        return self._known[measure]

    def _better(self, scores: ScoreMatrix) -> NDArray[np.bool_]:
        """Whether the system of a row is significantly better than that of a column."""
        how = self.compared
        power = discriminative_power(scores, test=how.test, alpha=how.alpha, rng=how.seed, n_jobs=self.n_jobs)
        return np.asarray(power.significant & (scores.means[:, np.newaxis] > scores.means))


def _row(name: str, measure: str, labels: LabelAgreement, found: Mapping[str, Any]) -> JudgmentAgreement:
    own = {
        "ranking": RankingAgreement(**found["ranking"]),
        "intervals": {name: ConfidenceInterval(*ends) for name, ends in found["intervals"].items()},
        "active_disagreements": tuple((better, worse) for better, worse in found["active_disagreements"]),
    }
    return JudgmentAgreement(name, measure, labels, **{**found, **own})
