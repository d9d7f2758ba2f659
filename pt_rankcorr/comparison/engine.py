"""The one way in which rankings are compared: a trusted score matrix against others, row by row."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from pt_rankcorr import choices
from pt_rankcorr.comparison.per_topic import per_topic_of
from pt_rankcorr.comparison.rows import RankingAgreement, SignificantPairs
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import UnnamedCollection
from pt_rankcorr.display import progress_bar
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy import correlation_interval, decisions
from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
from pt_rankcorr.stats.accuracy.replicates import sharing_resamples
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.inputs import samples_by_topic_name
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import n_workers, run_all, sharing_permutations
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.warnings import DegenerateInputWarning, silencing, warn

DECIDED = {  # what rows call the decisions that have an interval
    "agreements": "n_active_agreements",
    "false_positives": "n_false_positives",
    "false_negatives": "n_false_negatives",
    "balanced_accuracy": "balanced_accuracy",
    "soft_accuracy": "soft_accuracy",
}

Correlations: TypeAlias = Sequence[CorrelationResult]  # of a ranking, one a coefficient


class RowInput(NamedTuple):
    """A row to be computed, a case: two rankings of the same systems."""

    key: Mapping[str, Any]  # distinguishes it from the others
    sides: tuple[str, str]  # what sentences call both rankings
    reference: ScoreMatrix
    scores: ScoreMatrix  # of the reference's systems on its topics, in their order
    details: Mapping[str, Any]  # further columns of its row


# cases of one reference, their known correlations, and whether swapped ones are wanted, too
Part: TypeAlias = tuple[Sequence[RowInput], Sequence[Correlations], bool]


class Engine:
    """Computes the rows of a comparison, over common resamples of topics; calls `on_row` with each.

    `verbose`: whether there are progress bars, also while runs are read; by default on a terminal.
    """

    def __init__(
        self,
        settings: Settings,
        n_jobs: int | None = None,
        on_row: Callable[[RankingAgreement], object] = lambda _: None,
        verbose: bool | None = None,
    ) -> None:
        self.settings, self.verbose, self._n_jobs, self._on_row = settings, verbose, n_jobs, on_row
        # by the id of the reference's matrix; tests also by the number of topics of rankings
        self._rows_of: dict[int, RowsOfReference] = {}
        self._tests: dict[tuple[int, int | None], DRankTest] = {}
        # by the ids of both matrices, where both directions of a pair are compared: the pairs to
        # come, and what the first direction says of the second
        self._to_come: set[tuple[int, int]] = set()
        self._swapped: dict[tuple[int, int], Correlations] = {}

    @sharing_resamples()
    def compute(
        self, blocks: Iterable[Sequence[RowInput]], total: int
    ) -> tuple[RankingAgreement, ...]:
        """The rows of all `total` cases in their order; with a generator, blocks are made late.

        Within a block they are computed, and given to `on_row`, by reference: cases share draws.
        """
        # None: where standard error is no terminal
        disable = None if self.verbose is None else not self.verbose
        shown: dict[str, Any] = {"desc": "comparing rankings", "delay": 2, "leave": False}
        all_rows: list[RankingAgreement] = []
        with progress_bar(total=total, disable=disable, **shown) as bar:
            for block in blocks:
                self._to_come = {(id(case.reference), id(case.scores)) for case in block}
                finished: dict[int, RankingAgreement] = {}
                for places in self._batches(block):
                    computed = self._rows([block[place] for place in places])
                    # an own coefficient that is named like a column is an error at once
                    computed[0].to_dict()
                    for place, row in zip(places, computed, strict=True):
                        finished[place] = row
                        self._on_row(row)
                    bar.update(len(places))
                all_rows += (finished[place] for place in range(len(block)))
        undefined = set()
        for row in all_rows:
            if not row.is_defined:
                key = {part: name for part, name in row.key.items() if part != "repetition"}
                named = (part for part in key if not isinstance(key[part], UnnamedCollection))
                undefined.add(", ".join(f"{part} {key[part]}" for part in named))
        if undefined:
            tied = f"A ranking ties all systems in {listing(undefined)}"
            warn(f"{tied}: the results are nan.", DegenerateInputWarning)
        return tuple(all_rows)

    def _batches(self, cases: Sequence[RowInput]) -> Iterator[list[int]]:
        """Places of up to 16 cases for one call: of one reference, and equal numbers of topics."""
        places: dict[tuple[int, int | None], list[int]] = {}
        for place, case in enumerate(cases):
            places.setdefault(self._test_key(case), []).append(place)
        for batch in places.values():
            yield from (batch[start : start + 16] for start in range(0, len(batch), 16))

    def _test_key(self, case: RowInput) -> tuple[int, int | None]:
        """The reference, and the ranking's number of topics if it has its own: one d_rank test."""
        return id(case.reference), case.scores.n_topics if self.settings.two_samples else None

    def _rows(self, cases: Sequence[RowInput]) -> list[RankingAgreement]:
        """The rows of one batch of cases, of one reference, in parts for as many workers.

        The correlations of a swapped pair, to come or computed, are of the same resamples.
        """
        settings, reference = self.settings, cases[0].reference
        pairs = [(id(case.scores), id(reference)) for case in cases]
        both_ways = settings.top is None and not self._to_come.isdisjoint(pairs)
        # what the swapped pairs left, else nothing
        known = [self._swapped.pop(pair[::-1], []) for pair in pairs]
        size = -(-len(cases) // n_workers(self._n_jobs))  # cases a worker, rounded up
        parts = [
            (cases[start : start + size], known[start : start + size], both_ways)
            for start in range(0, len(cases), size)
        ]
        # the whole table warns once
        with silencing(DegenerateInputWarning), sharing_permutations():
            if id(reference) not in self._rows_of:
                self._rows_of[id(reference)] = RowsOfReference(reference, settings)
            compute = self._rows_of[id(reference)].compute
            fields = [of_case for part in run_all(compute, parts, self._n_jobs) for of_case in part]
            # found later as `pair[::-1]`, when the other side is the reference
            for pair, of_case in zip(pairs, fields, strict=True):
                self._swapped[pair] = of_case.pop("swapped")
            if settings.d_rank:
                for of_case, distance in zip(fields, self._distances(cases), strict=True):
                    of_case |= distance
        return [
            RankingAgreement(
                key=dict(case.key),
                sides=case.sides,
                n_topics=reference.n_topics,
                n_systems=reference.n_systems,
                settings=settings,
                details=case.details,
                **of_case,
            )
            for case, of_case in zip(cases, fields, strict=True)
        ]

    def _distances(self, cases: Sequence[RowInput]) -> list[dict[str, float]]:
        """d_rank and p of each case of a batch, over common resamples; nan if one ranks nothing."""
        settings, reference = self.settings, cases[0].reference
        key, n_topics = self._test_key(cases[0])
        if (key, n_topics) not in self._tests:
            self._tests[key, n_topics] = DRankTest(
                reference,
                n_resamples=cast("int", settings.d_rank_resamples),
                null=settings.null or DEFAULT_NULL,
                covariance=settings.covariance,
                ridge=settings.ridge,
                n_ranking_topics=n_topics,
                rng=settings.seed,
                n_jobs=self._n_jobs,
            )
        means = np.stack([case.scores.means for case in cases])
        tested = self._tests[key, n_topics].test(Rankings(means, reference.systems))
        columns = {
            "d_rank": tested.statistic,
            "d_rank_pvalue": tested.pvalue,
            "d_rank_pvalue_standard_error": tested.pvalue_standard_error,
        }
        distances = np.stack([*columns.values()], axis=-1)  # (n_cases, 3)
        ties_all = [len(set(of_case)) == 1 or len(set(reference.means)) == 1 for of_case in means]
        distances[ties_all] = np.nan  # rows of cases without an order
        return [dict(zip(columns, of_case, strict=True)) for of_case in distances.tolist()]


def sampling_of(
    reference: ScoreMatrix, rankings: Sequence[ScoreMatrix], settings: Settings
) -> dict[str, Any]:
    """Arguments of `correlations`, by name, that say how topics of both sides are resampled."""
    strata = [scores.design.n_strata if scores.design else 1 for scores in (reference, *rankings)]
    return {
        # 0: as the reference
        "samples": [0 if settings.shared else _sample_number(scores) for scores in rankings],
        "strata": strata[:1] * len(strata) if settings.shared else strata,
        "level": settings.level,
        **settings.resampled_by(),
    }


def _sample_number(scores: ScoreMatrix) -> int:
    """A number above 0 for a judge's own sample of topics, equal for judges on the same topics."""
    topics: list[Any] = sorted(scores.topics)
    if scores.design is not None:  # rows are of clusters, in strata
        clusters = scores.design.clusters or scores.topics
        strata = scores.design.strata or scores.topics
        topics = sorted(zip(scores.topics, clusters, strata, strict=True))
    return zlib.crc32(repr(topics).encode()) or 1


def swapped_coefficient(coefficient: Coefficient) -> Coefficient:
    """The coefficient of estimate with reference, under its name; itself if it is symmetric."""
    if coefficient.symmetric:
        return coefficient

    def swapped(reference: Floats, estimate: Floats) -> Floats:
        return coefficient.kernel(estimate, reference)

    return replace(coefficient, function=swapped, vectorized=True)


class RowsOfReference:
    """Compares rankings with a reference one by one, all over the same resamples of topics."""

    def __init__(self, reference: ScoreMatrix, settings: Settings) -> None:
        if settings.top is not None and settings.top > reference.n_systems:
            rule = f"`top` must be at most the number of systems, {reference.n_systems}"
            raise ValueError(f"{rule}, got {settings.top}.")
        self.reference, self.settings = reference, settings
        # the test, and what the reference finds by it
        self.tested: tuple[choices.PairTest, Flags] | None = None
        if settings.test is not None:
            better = self._significantly_better(reference, settings.test)
            self.tested = settings.test, better

    def compute(self, part: Part) -> list[dict[str, Any]]:
        """Those fields of rows that are of one case alone; draws of the reference serve all cases.

        "swapped" are the correlations of a ranking with the reference, if both ways are wanted.
        """
        cases, known, both_ways = part
        settings, rankings = self.settings, [case.scores for case in cases]
        # rows to resample, (n_topics, n_systems), of both sides
        reference, *estimates = samples_by_topic_name(
            self.reference, rankings, shared=settings.shared
        )
        with silencing(DegenerateInputWarning):  # also where this is another process
            new = [n for n, results in enumerate(known) if settings.intervals and not results]
            new_estimates, new_cases = [estimates[n] for n in new], [cases[n] for n in new]
            of_new = self._correlations(reference, new_estimates, new_cases, both_ways)
            computed = dict(zip(new, of_new, strict=True))
            coefficients = settings.coefficients_for(self.reference.systems, settings.computed)
            fields = []
            for n, (scores, estimate) in enumerate(zip(rankings, estimates, strict=True)):
                values = coefficients.of(system_means(reference), system_means(estimate))
                results, swapped = computed.get(n, (known[n], []))
                per_topic = {}
                if settings.per_topic:
                    per_topic = per_topic_of(self.reference, scores, settings)
                of_case = {
                    "coefficients": dict(zip(coefficients.columns, values.tolist(), strict=True)),
                    "correlations": {result.coefficient: result for result in results},
                    "swapped": swapped,
                    "per_topic": per_topic,
                    "pairs": self._pairs(scores, reference, estimate),
                }
                fields.append(of_case)
        return fields

    def _correlations(
        self, reference: Floats, estimates: list[Floats], cases: list[RowInput], both_ways: bool
    ) -> list[tuple[Correlations, Correlations]]:
        """The correlations of the reference with each estimate; and, both ways, of each with it.

        These are over the same resamples, and a symmetric coefficient has the same values.
        """
        if not cases:
            return []
        wanted, systems = self.settings.with_intervals, self.reference.systems
        swapped = map(swapped_coefficient, wanted) if both_ways else ()
        computed, _ = correlation_interval.correlations(
            reference,
            estimates,
            self.settings.coefficients_for(systems, (*wanted, *swapped)),
            systems=systems,
            measures=[cases[0].sides[0], *(case.sides[1] for case in cases)],
            **sampling_of(self.reference, [case.scores for case in cases], self.settings),
        )
        if not both_ways:
            return [(results, []) for results in computed]
        n = len(wanted)
        return [(of[:n], [result.relabelled() for result in of[n:]]) for of in computed]

    def _significantly_better(self, scores: ScoreMatrix, test: choices.PairTest) -> Flags:
        """Whether system i (row) is significantly better than j, (n_systems, n_systems)."""
        settings = self.settings
        power = discriminative_power(
            scores,
            test=test,
            correction=settings.correction,
            alpha=settings.test_alpha,
            n_resamples=settings.test_resamples,
            rng=settings.seed,
            n_jobs=1,
        )
        return np.asarray(power.significant & (scores.means[:, np.newaxis] > scores.means))

    def _pairs(
        self, scores: ScoreMatrix, reference: Floats, estimate: Floats
    ) -> SignificantPairs | None:
        """The pairs of systems that differ significantly by a side; None if none are tested."""
        if self.tested is None:
            return None
        settings, systems = self.settings, self.reference.systems
        test, better = self.tested
        better_here = self._significantly_better(scores, test)
        pvalues = (decisions.Moments.of(rows).pvalues() for rows in (reference, estimate))
        decided = decisions.decide(better, better_here, *pvalues)
        intervals: dict[str, Any] = {}
        if settings.intervals:
            intervals = decisions.decision_intervals(
                reference,
                estimate,
                decided,
                alpha=settings.test_alpha,
                test=test,
                correction=settings.correction,
                level=settings.level,
                n_resamples=100,  # of which only a standard deviation is taken
                seed=settings.seed,
                shared=settings.shared,
            )
        reversed_pairs = np.argwhere(better & better_here.T)  # the better by the reference first
        return SignificantPairs(
            n_significant=int(better.sum()),
            n_significant_other=int(better_here.sum()),
            active_disagreements=tuple((systems[i], systems[j]) for i, j in reversed_pairs),
            n_pairs=len(systems) * (len(systems) - 1) // 2,
            intervals={DECIDED[name]: interval for name, interval in intervals.items()},
            **{name: getattr(decided, of_decision) for of_decision, name in DECIDED.items()},
        )
