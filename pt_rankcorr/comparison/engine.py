"""The one way in which rankings are compared: a trusted score matrix against others, row by row."""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pt_rankcorr.comparison import rows
from pt_rankcorr.comparison.rows import Interval, PerTopic, RankingAgreement, Settings, SignificantPairs
from pt_rankcorr.defaults import RESAMPLES, UnnamedCollection
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy import correlation_interval, decisions, item_pairs
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.inputs import rows_by_topic_name
from pt_rankcorr.stats.core.jackknife import jackknife_interval
from pt_rankcorr.stats.core.means import rounded_scores, system_means
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import RandomState, n_workers, run_all, seed_of, sharing_permutations
from pt_rankcorr.stats.core.types import Flags, Floats
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST, TESTS
from pt_rankcorr.stats.significance.power import discriminative_power
from pt_rankcorr.warnings import DegenerateInputWarning, silencing, warn

DECISION_RESAMPLES = 100  # of which only a standard deviation is taken
DECIDED = {  # what rows call the decisions that have an interval
    "agreements": "n_active_agreements",
    "false_positives": "n_false_positives",
    "false_negatives": "n_false_negatives",
    "balanced_accuracy": "balanced_accuracy",
    "soft_accuracy": "soft_accuracy",
}
BLOCK = 16  # rows that are computed together, and then reported as finished
OPTIONS = "    **options: Those of all comparisons.\n"  # in docstrings, where they are then in full
NOT_OPTIONS = ("seed", "two_samples")  # of settings: what comparisons find out themselves

Function = TypeVar("Function", bound=Callable[..., Any])


class Case(NamedTuple):
    """A row to be computed."""

    key: Mapping[str, Any]  # distinguishes it from the others
    reference: ScoreMatrix
    scores: ScoreMatrix  # of the reference's systems on its topics, in their order
    more: Mapping[str, Any]  # further columns of its row


class Engine:
    """Computes rows, all over the same resamples of topics.

    Public functions take their options, with the texts below, from here and from `Settings`.

    Args:
        on_row: A function that is called with every row as soon as it is finished. `on_row=rows.append` keeps what is
            finished where a call is interrupted.
        rng: Seed or generator. All rows are compared over the same resamples.
        n_jobs: The number of workers; the result does not depend on it.
    """

    def __init__(
        self,
        two_samples: bool = False,
        keeps_scores: bool = True,
        *,
        on_row: Callable[[RankingAgreement], object] | None = None,
        rng: RandomState = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> None:
        self.settings = Settings(seed=seed_of(rng), two_samples=two_samples or None, **options)
        self._n_jobs, self._keeps_scores = n_jobs, keeps_scores
        self._on_row = on_row or (lambda _: None)
        self._per_case: dict[int, PerCase] = {}  # by the reference
        self._tests: dict[tuple[int, int | None], DRankTest] = {}  # also by the number of topics of rankings

    def compute(
        self, blocks: Iterable[Sequence[Case]], done: Callable[[int], object] = lambda _: None
    ) -> tuple[RankingAgreement, ...]:
        """The rows of all cases, in their order; `done` gets numbers of finished rows.

        `blocks` may make cases while others are computed.
        """
        rows: list[RankingAgreement] = []
        for block in blocks:
            _check_names(self.settings, block)
            finished: dict[int, RankingAgreement] = {}
            places: dict[tuple[int, int | None], list[int]] = {}
            for place, case in enumerate(block):
                places.setdefault(self._which(case), []).append(place)
            populations = self._populations(block) if self._keeps_scores else [None] * len(block)
            for which, own in places.items():
                for start in range(0, len(own), BLOCK):
                    chosen = own[start : start + BLOCK]
                    computed = self._rows(*which, [block[place] for place in chosen])
                    for place, row in zip(chosen, computed, strict=True):
                        finished[place] = replace(row, _population=populations[place])
                        self._on_row(finished[place])
                    done(len(chosen))
            rows += (finished[place] for place in range(len(block)))
        undefined = set()
        for key in (row.key for row in rows if not row.is_defined):
            named = (name for name in key if name != "repetition" and not isinstance(key[name], UnnamedCollection))
            undefined.add(", ".join(f"{name} {key[name]}" for name in named))
        if undefined:
            warn(f"A ranking ties all systems in {listing(undefined)}: the results are nan.", DegenerateInputWarning)
        return tuple(rows)

    def _populations(self, cases: Sequence[Case]) -> list[Callable[[], Any]]:
        """What computes coefficients in the topic population; it is done already if tables show them."""
        ask: list[Callable[[], Any]] = [
            partial(population_of, case.reference, case.scores, self.settings) for case in cases
        ]
        if self.settings.population:
            ask = [partial(dict, computed) for computed in run_all(_call, ask, self._n_jobs)]
        return ask

    def _which(self, case: Case) -> tuple[int, int | None]:
        """The reference, and how many topics a ranking has of its own: cases with the same are computed together."""
        return id(case.reference), case.scores.n_topics if self.settings.two_samples else None

    def _rows(self, which: int, n_topics: int | None, cases: Sequence[Case]) -> list[RankingAgreement]:
        """The rows of such cases."""
        settings, reference, rankings = self.settings, cases[0].reference, [case.scores for case in cases]
        size = -(-len(rankings) // n_workers(self._n_jobs))
        parts = [rankings[start : start + size] for start in range(0, len(rankings), size)]
        with silencing(DegenerateInputWarning), sharing_permutations():  # the whole table says it once
            if which not in self._per_case:
                self._per_case[which] = PerCase(reference, settings)
            computed = [
                of_one for part in run_all(self._per_case[which].compute, parts, self._n_jobs) for of_one in part
            ]
            if settings.d_rank:
                computed = [
                    {**one, **two} for one, two in zip(computed, self._distances(which, n_topics, cases), strict=True)
                ]
        return [
            RankingAgreement(
                key=dict(case.key),
                n_topics=reference.n_topics,
                n_systems=reference.n_systems,
                settings=settings,
                more=dict(case.more),
                **of_case,
            )
            for case, of_case in zip(cases, computed, strict=True)
        ]

    def _distances(self, which: int, n_topics: int | None, cases: Sequence[Case]) -> list[dict[str, float]]:
        """d_rank and its p-value of each case, all over the same resamples; nan of what ranks nothing."""
        settings, reference = self.settings, cases[0].reference
        if (which, n_topics) not in self._tests:
            self._tests[which, n_topics] = DRankTest(
                reference,
                n_resamples=settings.n_resamples or RESAMPLES,
                null=settings.null or DEFAULT_NULL,
                covariance=settings.covariance,
                n_ranking_topics=n_topics,
                rng=settings.seed,
                n_jobs=self._n_jobs,
            )
        means = np.stack([case.scores.means for case in cases])
        tested = self._tests[which, n_topics].test(Rankings(means, reference.systems))
        distances = np.stack([tested.statistic, tested.pvalue, tested.pvalue_standard_error], axis=-1)
        ties_all = [len(set(of_case)) == 1 or len(set(reference.means)) == 1 for of_case in means]
        distances[ties_all] = np.nan
        names = ("d_rank", "d_rank_pvalue", "d_rank_pvalue_standard_error")
        return [dict(zip(names, distance, strict=True)) for distance in distances.tolist()]


def shared_options(*without: str, **defaults: Any) -> Callable[[Function], Function]:
    """Gives a function the options of all comparisons but some, in signature and docstring, in place of `**options`."""
    options: list[inspect.Parameter] = []
    texts: dict[str, str] = {}
    for kind in (Settings, Engine):
        text = f"{inspect.cleandoc(kind.__doc__ or '')}\n"
        entries = re.findall(r"^    ((\w+): .*\n(?: {8}.*\n)*)", text, re.MULTILINE)
        texts |= {name: f"    {entry}" for entry, name in entries}
        options += [
            parameter.replace(default=defaults.get(name, parameter.default))
            for name, parameter in inspect.signature(kind, eval_str=True).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name not in (*NOT_OPTIONS, *without)
        ]

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        signature = signature.replace(parameters=[*own, *options])

        @wraps(function)
        def with_options(*args: Any, **kwargs: Any) -> Any:
            signature.bind(*args, **kwargs)  # raises the TypeError of an unknown option
            return function(*args, **{**defaults, **kwargs})

        del with_options.__wrapped__  # which knows neither all options nor their texts
        with_options.__signature__ = signature  # type: ignore[attr-defined]
        types = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
        with_options.__annotations__ = {**types, "return": signature.return_annotation}
        in_full = "".join(texts[option.name] for option in options)
        with_options.__doc__ = inspect.cleandoc(function.__doc__ or "").replace(OPTIONS, in_full)
        return cast(Function, with_options)

    return decorate


def _check_names(settings: Settings, cases: Sequence[Case]) -> None:
    """Refuses own coefficients that are named like another column or attribute of rows."""
    known = {text for coefficient in COEFFICIENTS.values() for text in (coefficient.name, coefficient.column)}
    fields = {name for kind in (RankingAgreement, SignificantPairs, Settings) for name in kind.__dataclass_fields__}
    taken = {
        *known,
        *fields,
        *dir(RankingAgreement),
        *dir(SignificantPairs),
        *(name for case in cases for name in (*case.key, *case.more)),
    }
    for coefficient in settings.computed:
        name = coefficient.name
        if coefficient not in COEFFICIENTS.values() and (name in taken or rows.OF_OTHER_COLUMNS.fullmatch(name)):
            raise ValueError(f"`coefficients` must not be named like another column of rows, got {name!r}.")


def _call(ask: Callable[[], Any]) -> Any:
    return ask()


def sample_of(scores: ScoreMatrix, settings: Settings) -> int:
    """A number for the sample of topics of a judge: 0 for that of the reference, as `replicate` takes it."""
    if settings.shared:
        return 0
    which: list[Any] = sorted(scores.topics)
    if scores.design is not None:  # rows are of clusters, in strata
        labels = (of or scores.topics for of in (scores.design.clusters, scores.design.strata))
        which = sorted(zip(scores.topics, *labels, strict=True))
    return zlib.crc32(repr(which).encode()) or 1


def strata_of(reference: ScoreMatrix, rankings: Sequence[ScoreMatrix], settings: Settings) -> dict[str, Any]:
    """The numbers of strata, as `correlations` takes them."""
    of_reference, *own = (scores.design.n_strata if scores.design else 1 for scores in (reference, *rankings))
    return {"n_strata": of_reference, "own_strata": None if settings.shared else own}


def population_of(
    reference: ScoreMatrix, scores: ScoreMatrix, settings: Settings
) -> dict[str, correlation_interval.PopulationCorrelation]:
    """All coefficients of a row in the topic population."""
    trusted, estimate = rows_by_topic_name(reference, [scores], shared=settings.shared)
    which = settings.with_intervals if settings.population else None
    coefficients = settings.coefficients_for(reference.systems, which)
    draws = correlation_interval.PopulationDraws(trusted, estimate, coefficients, settings.seed, settings.shared)
    return {name: draws.of(name, settings.level) for name in coefficients.columns}


class PerCase:
    """Compares rankings with a reference one by one, all over the same resamples of topics."""

    def __init__(self, reference: ScoreMatrix, settings: Settings) -> None:
        if settings.top is not None and settings.top > reference.n_systems:
            raise ValueError(f"`top` must be at most the number of systems, {reference.n_systems}, got {settings.top}.")
        if settings.per_topic and settings.two_samples:
            raise ValueError("`per_topic` must be False if judges have topics of their own, got True.")
        if settings.per_topic and reference.design is not None:
            raise ValueError("`per_topic` must be False for topics in clusters or strata, got True.")
        self.reference, self.settings = reference, settings
        self.better = None if settings.test is None else self._significantly_better(reference)

    def compute(self, rankings: Sequence[ScoreMatrix]) -> list[dict[str, Any]]:
        """The fields of the rows of rankings that are of each alone; what is drawn of the reference serves all."""
        settings = self.settings
        reference, *estimates = rows_by_topic_name(self.reference, rankings, shared=settings.shared)
        results: list[list[correlation_interval.CorrelationResult]] = [[] for _ in estimates]
        with silencing(DegenerateInputWarning):  # also where this is another process
            if settings.intervals:
                results, _ = correlation_interval.correlations(
                    reference,
                    estimates,
                    settings.coefficients_for(self.reference.systems, settings.with_intervals),
                    level=settings.level,
                    **strata_of(self.reference, rankings, settings),
                    samples=[sample_of(scores, settings) for scores in rankings],
                    **settings.resampled_by(),
                )
            return [
                self._fields(scores, reference, estimate, of_one)
                for scores, estimate, of_one in zip(rankings, estimates, results, strict=True)
            ]

    def _fields(
        self,
        scores: ScoreMatrix,
        reference: Floats,
        estimate: Floats,
        results: Sequence[correlation_interval.CorrelationResult],
    ) -> dict[str, Any]:
        """The fields of the row of a ranking, of which there are the results of coefficients with intervals."""
        of_all = self.settings.coefficients_for(self.reference.systems)
        values = of_all.of(system_means(reference), system_means(estimate))
        return {
            "coefficients": dict(zip(of_all.columns, map(float, values), strict=True)),
            "intervals": {
                result.coefficient: Interval(result.low, result.high, result.standard_error, result.freedom)
                for result in results
            },
            "pvalue": results[0].pvalue if results else None,
            "cautions": tuple(dict.fromkeys(text for result in results for text in result.cautions)),
            "per_topic": self._per_topic(reference, estimate) if self.settings.per_topic else {},
            "pairs": None if self.better is None else self._pairs(scores, reference, estimate, self.better),
        }

    def _per_topic(self, reference: Floats, estimate: Floats) -> dict[str, PerTopic]:
        """Means with the interval of Student's t; nan where fewer than two topics define the coefficient."""
        level, of_all = self.settings.level, correlation_interval.Coefficients(self.settings.computed)
        values = pd.DataFrame(of_all.of(rounded_scores(reference), rounded_scores(estimate)), columns=of_all.columns)
        margin = stdtrit(np.maximum(values.count() - 1, 1), (1.0 + level) / 2.0) * values.sem()
        low, high = ((values.mean() + end).clip(-1.0, 1.0) for end in (-margin, margin))
        columns = (column.tolist() for column in (values.mean(), low, high, values.isna().sum()))
        per_topic = dict(zip(of_all.columns, map(PerTopic, *columns), strict=True))
        topics = [*zip(reference, estimate, strict=True)]
        thresholds = item_pairs.tie_thresholds([*estimate])
        accuracies = np.array([item_pairs.pair_accuracies(*topic, thresholds) for topic in topics])
        accuracy, best, without = item_pairs.calibrated(accuracies)
        per_topic[rows.PAIRS] = PerTopic(accuracy, *jackknife_interval(accuracy, without, level, least=0.0), 0)
        chance = item_pairs.chance_accuracies(topics, float(thresholds[best]))
        for name, value in zip((rows.PAIRS_ALL_TIED, rows.PAIRS_AT_RANDOM), chance, strict=True):
            per_topic[name] = PerTopic(value, value, value, 0)
        return per_topic

    def _significantly_better(self, scores: ScoreMatrix) -> Flags:
        settings, test = self.settings, self.settings.test or DEFAULT_TEST
        power = discriminative_power(scores, test=test, alpha=settings.alpha, rng=settings.seed, n_jobs=1)
        return np.asarray(power.significant & (scores.means[:, np.newaxis] > scores.means))

    def _pairs(self, scores: ScoreMatrix, reference: Floats, estimate: Floats, better: Flags) -> SignificantPairs:
        """The pairs of systems that differ significantly by either side."""
        settings, systems = self.settings, self.reference.systems
        better_here = self._significantly_better(scores)
        pvalues = (decisions.Moments.of(rows).pvalues() for rows in (reference, estimate))
        decided = decisions.decide(better, better_here, *pvalues)
        intervals: dict[str, Any] = {}
        if settings.intervals:
            corrected = TESTS[settings.test or DEFAULT_TEST].corrected
            intervals = decisions.decision_intervals(
                reference,
                estimate,
                decided,
                alpha=settings.alpha,
                corrected=corrected,
                level=settings.level,
                n_resamples=DECISION_RESAMPLES,
                seed=settings.seed,
                shared=settings.shared,
            )
        reversed_pairs = tuple((systems[high], systems[low]) for high, low in np.argwhere(better & better_here.T))
        return SignificantPairs(
            n_significant=int(better.sum()),
            n_significant_other=int(better_here.sum()),
            active_disagreements=reversed_pairs,
            n_pairs=len(systems) * (len(systems) - 1) // 2,
            intervals={DECIDED[name]: interval for name, interval in intervals.items()},
            **{name: getattr(decided, of_decision) for of_decision, name in DECIDED.items()},
        )
