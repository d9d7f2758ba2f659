"""Components: `pt.Transformer`s that add columns to a per-query experiment frame, from the scores that are in it."""

from __future__ import annotations

import copy
import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import Measure
from scipy.special import stdtrit

from pt_rankcorr import choices, defaults
from pt_rankcorr.io import measure_names
from pt_rankcorr.io.align import COLUMNS
from pt_rankcorr.io.paths import MeasureLike
from pt_rankcorr.io.score_tables import scores_from_experiment
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy import correlation_interval, ranks
from pt_rankcorr.stats.coefficients import ap, gap, kendall, registry
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import flag, listing, one_of, resample_count, share
from pt_rankcorr.stats.core.matrix import ABOVE_ZERO
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.resampling import RandomState, generator, seed_of
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.expected.expected_correlation import ESTIMATORS, expected_correlation
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest
from pt_rankcorr.stats.rank_distance.distance import as_ridge, covariance_for
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL, NULLS
from pt_rankcorr.stats.significance import pairwise, power
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import DegenerateInputWarning, silencing

RIDGE = 1e-5  # as `DRankTest` takes it

Measured: TypeAlias = Mapping[str, Mapping[str, "float | Floats"]]  # measure -> column -> one value, or one a system


class Component(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Adds columns to the frame that `pt.Experiment(perquery=True)` returns: name, qid, measure, value.

    A subclass names its `columns` and computes them from the scores in `compute`. It keeps its constructor's
    arguments under their own names, and its repr shows them.
    """

    columns: tuple[str, ...]
    label: ClassVar[str] = "component"  # in PyTerrier's drawings
    compares: ClassVar[bool] = True  # whether each measure is compared with a reference measure
    reference: MeasureLike | None = None
    n_resamples: int = defaults.FEWER_RESAMPLES
    rng: RandomState = None
    n_jobs: int | None = None
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, **own: Any) -> None:
        """Takes class attributes as keywords, and makes `help` show the arguments, as `pt.Transformer` takes any."""
        super().__init_subclass__()
        for name, value in own.items():
            setattr(cls, name, value)
        signature = inspect.signature(cls.__init__)
        cls.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    @property
    def schematic(self) -> dict[str, str | None]:
        """Its entry in PyTerrier's drawings."""
        return {"label": self.label, "help_url": None}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The frame with this component's columns; the rows and their order stay."""
        # a column of that name is another component's, with other settings
        pt.validate.columns(inp, includes=COLUMNS, excludes=list(self.columns))
        if not len(inp):
            return inp.assign(**{column: pd.Series(dtype=float) for column in self.columns})
        return self.with_columns(inp, scores_from_experiment(inp))

    def with_columns(self, frame: pd.DataFrame, scores: Scores) -> pd.DataFrame:
        """The frame with this component's columns, computed from its scores."""
        self.check(scores.measures, len(scores.systems))
        systems, columns = list(scores.systems), list(self.columns)
        tables = {
            measure: pd.DataFrame(dict(values), systems, columns, dtype=float)
            for measure, values in self.compute(scores).items()
        }
        cells = pd.MultiIndex.from_arrays([frame["measure"].astype(str), frame["name"].astype(str)])
        added = pd.concat(tables).reindex(cells).set_axis(frame.index)
        return frame.assign(**{column: added[column] for column in columns})

    def resample_with(self, n_resamples: object, rng: RandomState, n_jobs: int | None, *, at_least: int = 1) -> None:
        """Keeps the arguments of the resampling, checked."""
        generator(rng)
        self.n_resamples, self.rng, self.n_jobs = resample_count(n_resamples, at_least=at_least), rng, n_jobs

    @abstractmethod
    def compute(self, scores: Scores) -> Measured:
        """The columns of each measure: one value, or one per system in the order of `scores.systems`."""

    def check(self, measures: Sequence[str], n_systems: int) -> None:
        """An error if there is nothing to compute; an experiment also calls it before it runs."""
        if n_systems < 2:
            raise ValueError(f"{self!r} needs at least 2 systems to rank, got {n_systems}.")
        ranking = [measure for measure in measures if not measure_names.is_count(measure)]
        if not ranking:
            raise ValueError(f"{self!r} needs a measure that ranks systems, got only counts: {listing(measures)}.")
        if self.compares:
            reference = self.reference_among(ranking)
            if len(ranking) < 2:
                raise ValueError(f"{self!r} needs a second measure to compare with {reference}, got none.")

    def reference_among(self, measures: Sequence[str]) -> str:
        """The name of the reference measure: the one given, or else the first in the frame."""
        if self.reference is None:
            return measures[0]
        return measure_names.find_measure(self.reference, measures, "reference")

    def bind(self, **defaults: Any) -> Component:
        """A copy in which these values replace arguments that were left None."""
        bound = copy.copy(self)
        for name, value in defaults.items():
            if hasattr(bound, name) and getattr(bound, name) is None:
                setattr(bound, name, value)
        return bound

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind, with equal arguments."""
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters.values()
        arguments = [
            repr(getattr(self, p.name)) if p.kind is p.POSITIONAL_OR_KEYWORD else f"{p.name}={getattr(self, p.name)!r}"
            for p in parameters
            if getattr(self, p.name) != p.default
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"


def measure_or_none(reference: MeasureLike | None) -> MeasureLike | None:
    """The reference as it was given, if it can be a measure at all."""
    if reference is not None and not isinstance(reference, (str, Measure)):
        raise TypeError(f"`reference` must be an ir_measures measure or a name, got {shown(reference)}.")
    return reference


# --- of each measure alone ----------------------------------------------------------------------------------


class OfEachMeasure(Component, compares=False):
    """A component whose columns describe each measure alone, over the same resamples of topics if there are any."""

    def compute(self, scores: Scores) -> Measured:
        """The columns of every measure."""
        settings = {"n_resamples": self.n_resamples, "rng": seed_of(self.rng), "n_jobs": self.n_jobs}
        return {
            measure: dict(zip(self.columns, self.values(matrix, **settings), strict=True))
            for measure, matrix in scores.items()
        }

    @abstractmethod
    def values(self, matrix: ScoreMatrix, **resampling: Any) -> Sequence[float | Floats]:
        """What the columns hold, in their order."""


class RankInterval(OfEachMeasure, label="rank", columns=("rank", "rank low", "rank high", "rank tier")):
    """Adds the rank of each system by each measure: "rank", "rank low", "rank high", "rank tier".

    These are the rank among the systems, the interval of the true rank, and the tier. Tier 1 has the systems that may
    be the best (those of `best_systems`), tier 2 those that may be the best of the others, and so on.

    Args:
        method, simultaneous, level, n_resamples, rng, n_jobs: As for `rank_intervals`.

    Example:
        >>> RankInterval(method="pairwise", level=0.99)
        RankInterval(method='pairwise', level=0.99)
    """

    def __init__(
        self,
        *,
        method: choices.RankMethod = ranks.DEFAULT_METHOD,
        simultaneous: bool = False,
        level: float = defaults.LEVEL,
        n_resamples: int = defaults.RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        ranks.check_method(method, simultaneous=simultaneous)
        self.method, self.simultaneous, self.level = method, simultaneous, share("level", level)
        self.resample_with(n_resamples, rng, n_jobs)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[Floats, ...]:
        """Ranks of all systems."""
        ranked = ranks.rank_intervals(
            matrix, method=self.method, simultaneous=self.simultaneous, level=self.level, **resampling
        )
        return ranked.rank, ranked.low, ranked.high, ranked.tier


class ExpectedCorrelation(OfEachMeasure, label="E[tau]"):
    """Adds a column such as "E[tau_ap]": how well a measure's ranking is expected to agree with the true one.

    The true ranking is the one in the topic population. A value near 1 says that other topics would hardly
    change the ranking. Columns of another estimator or level say so: "E[tau_ap] (msqd)", "E[tau_ap] (level 0.9) low".

    Args:
        coefficient, estimator, n_resamples, rng, n_jobs: As for `expected_correlation`.
        level: A confidence level: adds "... low" and "... high", for the actual correlation with the true ranking.

    Example:
        >>> ExpectedCorrelation("tau", level=0.95)
        ExpectedCorrelation('tau', level=0.95)
    """

    def __init__(
        self,
        coefficient: CoefficientLike = "tau_ap",
        *,
        estimator: choices.Estimator = "shrunken",
        level: float | None = None,
        n_resamples: int = defaults.RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.coefficient, self.estimator = coefficient, one_of("estimator", estimator, ESTIMATORS)
        self.level: float | None = None if level is None else share("level", level)
        self.resample_with(n_resamples, rng, n_jobs)
        settings: list[str] = [] if self.estimator == "shrunken" else [self.estimator]
        if self.level not in (None, defaults.LEVEL):
            settings.append(f"level {self.level:.15g}")
        others = f" ({', '.join(settings)})" if settings else ""
        name = f"E[{registry.as_coefficient(coefficient).column}]{others}"
        self.columns = (name,) if self.level is None else (name, f"{name} low", f"{name} high")

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[float, ...]:
        """The expected correlation, and the ends of its interval where one is wanted."""
        expected = expected_correlation(matrix, coefficient=self.coefficient, estimator=self.estimator, **resampling)
        return (expected.value, *(() if self.level is None else expected.confidence_interval(self.level)))


class DiscriminativePower(OfEachMeasure, label="power"):
    """Adds the column "power": the share of all pairs of systems that a measure tells apart significantly.

    By default the test is corrected for the number of pairs. The column of an uncorrected test says so, and names the
    test: "power (t, uncorrected)".

    Args:
        test, alpha, n_resamples, rng, n_jobs: As for `discriminative_power`.

    Example:
        >>> DiscriminativePower("t", alpha=0.01)
        DiscriminativePower('t', alpha=0.01)
    """

    def __init__(
        self,
        test: choices.PairTest = pairwise.DEFAULT_TEST,
        *,
        alpha: float = defaults.ALPHA,
        n_resamples: int = defaults.FEWER_RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.test, self.alpha = one_of("test", test, tuple(pairwise.TESTS)), share("alpha", alpha)
        self.resample_with(n_resamples, rng, n_jobs)
        self.columns = ("power" if pairwise.TESTS[self.test].corrected else f"power ({self.test}, uncorrected)",)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[float]:
        """The share of significant pairs."""
        return (power.discriminative_power(matrix, test=self.test, alpha=self.alpha, **resampling).statistic,)


class MeanInterval(OfEachMeasure, label="mean", columns=("mean low", "mean high")):
    """Adds the columns "mean low" and "mean high": an interval of each system's mean in the topic population.

    It is Student's t interval, exact where scores are normal. In simulations with 10 to 50 topics it held .91 to .95 of
    means of scores as skewed as AP's. For a measure that is 1 on a tenth of the topics, else 0, it held .65 to .93.
    Two systems whose intervals overlap may differ significantly: scores on the same topics go up and down together.
    Clusters of topics count as single independent observations, and each stratum costs a degree of freedom. The columns
    are nan for one topic.

    Args:
        level: The probability that an interval holds the mean.

    Example:
        >>> MeanInterval(0.99)
        MeanInterval(0.99)
    """

    def __init__(self, level: float = defaults.LEVEL) -> None:
        self.level: float = share("level", level)

    def values(self, matrix: ScoreMatrix, **_: Any) -> tuple[Floats, Floats]:
        """The ends of the interval of every system."""
        rows, design = -matrix.rows if matrix.negated else matrix.rows, matrix.design
        if len(rows) < 2:
            undefined = np.full(matrix.n_systems, np.nan)
            return undefined, undefined
        freedom = len(rows) - 1.0 if design is None else design.n_effective - len(set(design.strata or ("",)))
        half = stdtrit(max(freedom, 1.0), (1.0 + self.level) / 2.0) * rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        return rows.mean(axis=0) - half, rows.mean(axis=0) + half


class GeometricMean(OfEachMeasure, label="geometric mean", columns=("geometric mean",)):
    """Adds the column "geometric mean" of each system's scores by each measure: it stresses the worst topics.

    It is exp(mean of log(x + 0.00001)) - 0.00001, as in the TREC Robust track. For measures that are better when
    lower, the column is nan.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, equation 7.

    Example:
        >>> GeometricMean()
        GeometricMean()
    """

    def __init__(self) -> None:
        pass

    def values(self, matrix: ScoreMatrix, **_: Any) -> tuple[Floats]:
        """The geometric mean of every system."""
        if matrix.values.min() < 0.0:
            return (np.full(matrix.n_systems, np.nan),)
        return (ABOVE_ZERO * np.expm1(matrix.geometric().means - np.log(ABOVE_ZERO)),)


# --- against a reference ------------------------------------------------------------------------------------


class _Correlation(Component):
    """The coefficient of each measure's ranking with the reference's, perhaps with its interval."""

    of: Any  # as `correlation_interval` takes it; a `Coefficient` where no interval is wanted

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        level: float | None = None,
        population: bool = False,
        n_resamples: int = defaults.ERROR_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        self.reference = measure_or_none(reference)
        self.level: float | None = None if level is None else share("level", level)
        self.population = flag("population", population)
        if self.population and self.level is None:
            raise ValueError("`population` must be False unless a level is given, got True.")
        self.resample_with(n_resamples, rng, None, at_least=2)
        name = self._column()
        of_level = [f"{name} {what}" for what in ("low", "high", "p-value")] if self.level is not None else []
        over_all = [f"population {name}{end}" for end in ("", " low", " high")] if self.population else []
        self.columns: tuple[str, ...] = (name, *of_level, *over_all)

    def _column(self) -> str:
        """What both variants of ties are called."""
        return str(self.of.family)

    def compute(self, scores: Scores) -> Measured:
        """The columns of every measure but the reference itself."""
        reference, seed = self.reference_among(scores.measures), seed_of(self.rng)
        measured: dict[str, dict[str, float]] = {}
        for measure, matrix in scores.items():
            if measure == reference:
                continue
            if self.level is None:
                values: tuple[float, ...] = (float(self.of(scores[reference], matrix)),)
            else:
                how: dict[str, Any] = {"level": self.level, "n_resamples": self.n_resamples, "n_jobs": self.n_jobs}
                with silencing(DegenerateInputWarning):  # a column of nan says so
                    result = correlation_interval.correlation_interval(
                        scores[reference], matrix, self.of, rng=seed, **how
                    )
                values = result.statistic, result.low, result.high, result.pvalue
                if self.population:
                    over_all = result.population
                    values += over_all.estimate, over_all.low, over_all.high
            measured[measure] = dict(zip(self.columns, values, strict=True))
        return measured


class Correlation(_Correlation, label="correlation"):
    """Adds how alike each measure and the reference rank the systems, with an interval for as many topics.

    For the coefficient "tau" it adds the columns "tau", "tau low" and "tau high"; and "tau p-value", for the hypothesis
    that both have the same true ranking. In the topic population: "population tau", "population tau low" and
    "population tau high", if they are asked for.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name; by default the
            first in the frame.
        population: Whether to add the columns of the topic population.
        coefficient, level, n_resamples, rng, n_jobs: As for `correlation_interval`.

    Example:
        >>> Correlation("AP", coefficient="tau_ap", rng=1).columns
        ('tau_ap', 'tau_ap low', 'tau_ap high', 'tau_ap p-value')
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        coefficient: CoefficientLike = "tau",
        level: float = defaults.LEVEL,
        population: bool = False,
        n_resamples: int = defaults.ERROR_RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.of = self.coefficient = coefficient
        how: dict[str, Any] = {"population": population, "n_resamples": n_resamples, "rng": rng}
        super().__init__(reference, level=share("level", level), **how)
        self.n_jobs = n_jobs

    def _column(self) -> str:
        return correlation_interval.Coefficients.named(self.coefficient).columns[-1]


class KendallTau(_Correlation, label=kendall.TAU.title):
    """Adds the column "tau": Kendall's tau between each measure's ranking of the systems and the reference's.

    Args:
        reference: As for `Correlation`.
        variant: "a" or "b", see `kendall_tau`.
        level: A confidence level, which adds "tau low", "tau high" and "tau p-value".
        population: Whether to add "population tau", "population tau low" and "population tau high", too.
        n_resamples, rng: As for `correlation_interval`.

    Example:
        >>> KendallTau("AP", variant="b")
        KendallTau('AP', variant='b')
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        variant: choices.Variant = "a",
        level: float | None = None,
        population: bool = False,
        n_resamples: int = defaults.ERROR_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        self.variant = one_of("variant", variant, ("a", "b"))
        self.of = registry.with_variant(kendall.TAU, self.variant)
        super().__init__(reference, level=level, population=population, n_resamples=n_resamples, rng=rng)


class TauAP(_Correlation, label=ap.TAU_AP.title):
    """Adds the column "tau_ap": AP correlation of each measure's ranking of the systems with the reference's.

    The reference is the trusted ranking; errors near the top weigh more.

    Args:
        reference, level, population, n_resamples, rng: As for `KendallTau`; a level adds "tau_ap low" and so on.
        variant: "a" or "b", see `tau_ap`.
        symmetric: Whether to take the mean of both directions.

    Example:
        >>> from ir_measures import AP
        >>> TauAP(AP)
        TauAP(AP)
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        variant: choices.Variant = "a",
        symmetric: bool = False,
        level: float | None = None,
        population: bool = False,
        n_resamples: int = defaults.ERROR_RESAMPLES,
        rng: RandomState = None,
    ) -> None:
        self.variant, self.symmetric = one_of("variant", variant, ("a", "b")), flag("symmetric", symmetric)
        is_mean = self.symmetric and variant == "a"
        self.of = ap.TAU_AP_SYMMETRIC if is_mean else registry.with_variant(ap.TAU_AP, self.variant)
        super().__init__(reference, level=level, population=population, n_resamples=n_resamples, rng=rng)


class TauGAP(_Correlation, label=gap.TAU_GAP.title, of=gap.TAU_GAP):
    """Adds the column "tau_gap": AP correlation in which each pair weighs by its gap under the reference.

    Args:
        reference, level, population, n_resamples, rng: As for `KendallTau`; a level adds "tau_gap low" and so on.

    Example:
        >>> TauGAP("AP", level=0.95, rng=1)
        TauGAP('AP', level=0.95, rng=1)
    """


class DRank(Component, label="d_rank"):
    """Adds the columns "d_rank" and "d_rank p-value": the distance of each measure's ranking from the reference's.

    A small p-value says that the measure's order could not be the reference's true order. If a measure or the reference
    ties all systems, both columns are nan, with a warning. Settings that are not the default stand in the names of the
    columns, as in "d_rank (published)".

    Args:
        reference: As for `Correlation`.
        null: "shrunken" or "published", see `DRankTest`.
        n_resamples, covariance, ridge, rng, n_jobs: As for `DRankTest`.

    Example:
        >>> DRank("AP", null="published")
        DRank('AP', null='published')
    """

    def __init__(
        self,
        reference: MeasureLike | None = None,
        *,
        n_resamples: int = defaults.RESAMPLES,
        null: choices.Null = DEFAULT_NULL,
        covariance: choices.Covariance | None = None,
        ridge: float = RIDGE,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.reference = measure_or_none(reference)
        self.resample_with(n_resamples, rng, n_jobs)
        self.null = one_of("null", null, NULLS)
        if self.null == "two-sample":  # which is for a ranking from other topics
            raise ValueError("`null` must be 'shrunken' or 'published', got 'two-sample'.")
        self.covariance = None if covariance is None else covariance_for(self.null, covariance)
        self.ridge: float = as_ridge(ridge)
        other = [
            *([self.null] if self.null != DEFAULT_NULL else []),
            *([self.covariance] if self.covariance not in (None, covariance_for(self.null, None)) else []),
            *([f"ridge {self.ridge:g}"] if self.ridge != RIDGE else []),
        ]
        name = f"d_rank ({', '.join(other)})" if other else "d_rank"
        self.columns = (name, f"{name} p-value")

    def compute(self, scores: Scores) -> Measured:
        """Distance and p-value of every measure but the reference itself, all over the same resamples."""
        reference = self.reference_among(scores.measures)
        others = [measure for measure in scores if measure != reference]
        test = DRankTest(
            scores[reference],
            n_resamples=self.n_resamples,
            null=self.null,
            covariance=self.covariance,
            ridge=self.ridge,
            rng=self.rng,
            n_jobs=self.n_jobs,
        )
        means = np.reshape([scores[measure].means for measure in others], (len(others), test.n_systems))
        tested = test.test(Rankings(means, scores.systems))
        results = zip(others, tested.statistic, tested.pvalue, strict=True)  # type: ignore[arg-type]
        return {measure: dict(zip(self.columns, result, strict=True)) for measure, *result in results}
