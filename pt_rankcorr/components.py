"""Components: `pt.Transformer`s that add columns to a per-query experiment frame."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar, TypeAlias, TypeVar, dataclass_transform

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
from pt_rankcorr.text import P_SAME, if_one_true_ranking, shown
from pt_rankcorr.warnings import DegenerateInputWarning, silencing

ColumnValues: TypeAlias = Sequence["float | Floats"]  # for each column one value, or one per system


class Component(pt.Transformer):  # type: ignore[misc]  # PyTerrier is not typed
    """Adds columns to the frame of `pt.Experiment(perquery=True)`: name, qid, measure, value.

    A subclass is decorated as a `component`: its fields are its arguments. It names its `columns`,
    checks arguments of its own in `__post_init__`, and computes the columns in `compute`.
    """

    compares: ClassVar[bool] = True  # whether each measure is compared with a reference measure
    least_resamples: ClassVar[int] = 1
    # what holds for components that have no such argument
    reference: MeasureLike | None = None
    variant: choices.Variant = "a"
    level: float | None = None
    n_resamples: int = defaults.FEWER_RESAMPLES
    rng: RandomState = None
    n_jobs: int | None = None

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that it adds."""

    @abstractmethod
    def compute(self, scores: Scores) -> Mapping[str, ColumnValues]:
        """For each measure the values of `columns`: one each, or one per system of `scores`."""

    def __post_init__(self) -> None:
        """Checks the arguments that mean the same for all components."""
        if self.reference is not None and not isinstance(self.reference, (str, Measure)):
            rule = "`reference` must be an ir_measures measure or a name"
            raise TypeError(f"{rule}, got {shown(self.reference)}.")
        if self.level is not None or type(self).level is not None:  # None only by default
            object.__setattr__(self, "level", share("level", self.level))
        resample_count(self.n_resamples, at_least=self.least_resamples)
        generator(self.rng)

    @property
    def schematic(self) -> dict[str, str | None]:
        """Its entry in PyTerrier's drawings."""
        return {"label": type(self).__name__, "help_url": None}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The frame with this component's columns; the rows and their order stay."""
        # a column of that name is another component's, with other settings
        pt.validate.columns(inp, includes=COLUMNS, excludes=list(self.columns))
        if not len(inp):
            return inp.assign(**{column: pd.Series(dtype=float) for column in self.columns})
        return self.with_columns(inp, scores_from_experiment(inp))

    def with_columns(self, frame: pd.DataFrame, scores: Scores) -> pd.DataFrame:
        """The frame with this component's columns; nan for measures that `compute` omits."""
        self.check(scores.measures, len(scores.systems))
        tables = {}  # measure -> systems x columns
        for measure, values in self.compute(scores).items():
            columns = dict(zip(self.columns, values, strict=True))
            tables[measure] = pd.DataFrame(columns, [*scores.systems], dtype=float)
        # the measure and system of each row of the frame
        keys = pd.MultiIndex.from_frame(frame[["measure", "name"]].astype(str))
        added = pd.concat(tables).reindex(keys).set_axis(frame.index)
        return frame.assign(**{column: added[column] for column in self.columns})

    def check(self, measures: Sequence[str], n_systems: int) -> None:
        """An error if there is nothing to compute; an experiment also calls it before it runs."""
        if n_systems < 2:
            raise ValueError(f"{self!r} needs at least 2 systems to rank, got {n_systems}.")
        ranking = [measure for measure in measures if not measure_names.is_count(measure)]
        if not ranking:
            seen = f"only counts: {listing(measures)}"
            raise ValueError(f"{self!r} needs a measure that ranks systems, got {seen}.")
        if self.compares:
            reference = self.reference_among(ranking)
            if len(ranking) < 2:
                second = f"a second measure to compare with {reference}"
                raise ValueError(f"{self!r} needs {second}, got none.")

    def reference_among(self, measures: Sequence[str]) -> str:
        """The name of the reference measure: the one given, or else the first in the frame."""
        if self.reference is None:
            return measures[0]
        return measure_names.find_measure(self.reference, measures, "reference")

    def bind(self, **values: Any) -> Component:
        """A copy in which these values replace arguments that were left None."""
        unset = [field.name for field in fields(self) if getattr(self, field.name) is None]
        return replace(self, **{name: values[name] for name in unset if name in values})

    def __repr__(self) -> str:
        """The call that makes it, without defaults; an experiment names pipelines by it."""
        arguments = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                arguments.append(f"{field.name}={value!r}" if field.kw_only else repr(value))
        return f"{type(self).__name__}({', '.join(arguments)})"


C = TypeVar("C", bound=Component)


@dataclass_transform(frozen_default=True)
def component(kind: type[C]) -> type[C]:
    """A frozen dataclass, whose arguments `help` and Sphinx show: `pt.Transformer` takes any."""
    kind = dataclass(frozen=True, repr=False)(kind)
    _, *parameters = inspect.signature(kind.__init__).parameters.values()  # without self
    kind.__signature__ = inspect.Signature(parameters)
    return kind


# --- of each measure alone ------------------------------------------------------------------------


class OfEachMeasure(Component):
    """A component whose columns describe each measure alone, over the same resamples of topics."""

    compares = False

    def compute(self, scores: Scores) -> Mapping[str, ColumnValues]:
        seed = seed_of(self.rng)
        resampling = {"n_resamples": self.n_resamples, "rng": seed, "n_jobs": self.n_jobs}
        return {measure: self.values(matrix, **resampling) for measure, matrix in scores.items()}

    @abstractmethod
    def values(self, matrix: ScoreMatrix, **resampling: Any) -> ColumnValues:
        """The values of `columns` for one measure; `resampling` are arguments of its statistic."""


@component
class RankInterval(OfEachMeasure):
    """Adds the rank of each system by each measure: "rank", "rank low", "rank high", "rank tier".

    These are the rank, the interval of the true rank, and the tier. Tier 1 has the systems that may
    be the best (those of `best_systems`), tier 2 those that may be the best of the others, etc.

    Args:
        method, simultaneous, level, n_resamples, rng, n_jobs: As for `rank_intervals`.

    Example:
        >>> RankInterval(method="pairwise", level=0.99)
        RankInterval(method='pairwise', level=0.99)
    """

    _: KW_ONLY
    method: choices.RankMethod = ranks.DEFAULT_METHOD
    simultaneous: bool = False
    level: float = defaults.LEVEL
    n_resamples: int = defaults.RESAMPLES
    rng: RandomState = None
    n_jobs: int | None = None

    columns = ("rank", "rank low", "rank high", "rank tier")

    def __post_init__(self) -> None:
        super().__post_init__()
        ranks.check_method(self.method, simultaneous=self.simultaneous)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[Floats, ...]:
        """Rank, low, high and tier, each (n_systems,)."""
        settings: dict[str, Any] = {"method": self.method, "simultaneous": self.simultaneous}
        ranked = ranks.rank_intervals(matrix, level=self.level, **settings, **resampling)
        return ranked.rank, ranked.low, ranked.high, ranked.tier


@component
class ExpectedCorrelation(OfEachMeasure):
    """Adds a column such as "E[tau_ap]": a measure's expected correlation with the true ranking.

    The true ranking is the one in the topic population. A value near 1 says that other topics would
    hardly change the ranking. Columns of another estimator or level say so: "E[tau_ap] (msqd)",
    "E[tau_ap] (level 0.9) low".

    Args:
        coefficient, estimator, n_resamples, rng, n_jobs: As for `expected_correlation`.
        level: A confidence level: adds "... low" and "... high", for the actual correlation with
            the true ranking.

    Example:
        >>> ExpectedCorrelation("tau", level=0.95)
        ExpectedCorrelation('tau', level=0.95)
    """

    coefficient: CoefficientLike = "tau_ap"
    _: KW_ONLY
    estimator: choices.Estimator = "shrunken"
    level: float | None = None
    n_resamples: int = defaults.RESAMPLES
    rng: RandomState = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        registry.as_coefficient(self.coefficient)
        one_of("estimator", self.estimator, ESTIMATORS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The expectation, and with a level its interval, which name what is not the default."""
        settings = [] if self.estimator == "shrunken" else [str(self.estimator)]
        if self.level is not None and self.level != defaults.LEVEL:
            settings.append(f"level {self.level:.15g}")
        name = f"E[{registry.as_coefficient(self.coefficient).column}]{in_brackets(settings)}"
        return (name,) if self.level is None else (name, f"{name} low", f"{name} high")

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[float, ...]:
        expected = expected_correlation(
            matrix, coefficient=self.coefficient, estimator=self.estimator, **resampling
        )
        interval = () if self.level is None else expected.confidence_interval(self.level)
        return (expected.value, *interval)


@component
class DiscriminativePower(OfEachMeasure):
    """Adds the column "power": the share of pairs of systems that a measure tells apart.

    It counts significant differences. By default the test is corrected for the number of pairs. The
    column of another test says how it is corrected, and names the test: "power (t, uncorrected)",
    "power (t, fdr)".

    Args:
        test, correction, alpha, n_resamples, rng, n_jobs: As for `discriminative_power`.

    Example:
        >>> DiscriminativePower("t", alpha=0.01)
        DiscriminativePower('t', alpha=0.01)
    """

    test: choices.PairTest = defaults.PAIR_TEST
    _: KW_ONLY
    correction: choices.PairCorrection | None = None
    alpha: float = defaults.ALPHA
    n_resamples: int = defaults.FEWER_RESAMPLES
    rng: RandomState = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("test", self.test, tuple(pairwise.TESTS))
        pairwise.check_correction(self.test, self.correction)
        share("alpha", self.alpha)

    @property
    def columns(self) -> tuple[str, ...]:
        """The share of significant pairs, which names a test not corrected for their number."""
        if pairwise.TESTS[self.test].corrected:
            return ("power",)
        return (f"power ({self.test}, {self.correction or 'uncorrected'})",)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[float]:
        settings: dict[str, Any] = {"test": self.test, "correction": self.correction}
        settings |= {"alpha": self.alpha, **resampling}
        return (power.discriminative_power(matrix, **settings).statistic,)


@component
class MeanInterval(OfEachMeasure):
    """Adds "mean low" and "mean high": an interval of each system's mean in the topic population.

    It is Student's t interval, exact where scores are normal. In simulations with 10 to 50 topics
    it held .91 to .95 of means of scores as skewed as AP's. For a measure that is 1 on a tenth of
    the topics, else 0, it held .65 to .93. Two systems whose intervals overlap may differ
    significantly: scores on the same topics go up and down together. Clusters of topics count as
    single independent observations, and each stratum costs a degree of freedom. The columns are nan
    for one topic.

    Args:
        level: The probability that an interval holds the mean.
    """

    level: float = defaults.LEVEL

    columns = ("mean low", "mean high")

    def values(self, matrix: ScoreMatrix, **_: Any) -> tuple[Floats, Floats]:  # (n_systems,) each
        # independent topics or clusters x systems, with the sign that the measure has
        rows = -matrix.sample if matrix.negated else matrix.sample
        n_rows, design = len(rows), matrix.design
        if n_rows < 2:
            undefined = np.full(matrix.n_systems, np.nan)
            return undefined, undefined
        df = n_rows - 1.0
        if design is not None:
            df = max(design.n_effective - len(set(design.strata or ("",))), 1.0)
        # mean -+ t(df, (1 + level) / 2) * sd / sqrt(n)
        half = stdtrit(df, (1.0 + self.level) / 2.0) * rows.std(axis=0, ddof=1) / np.sqrt(n_rows)
        return rows.mean(axis=0) - half, rows.mean(axis=0) + half


@component
class GeometricMean(OfEachMeasure):
    """Adds the column "geometric mean" of each system's scores, which stresses the worst topics.

    It is exp(mean of log(x + 0.00001)) - 0.00001, as in the TREC Robust track. For measures that
    are better when lower, the column is nan.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, equation 7.
    """

    columns = ("geometric mean",)

    def values(self, matrix: ScoreMatrix, **_: Any) -> tuple[Floats]:  # (n_systems,)
        if matrix.values.min() < 0.0:  # as negated scores are: there is no logarithm
            return (np.full(matrix.n_systems, np.nan),)
        # c = ABOVE_ZERO, m = mean of log(x + c): exp(m) - c = c (exp(m - log c) - 1), exact near 0
        return (ABOVE_ZERO * np.expm1(matrix.geometric().means - np.log(ABOVE_ZERO)),)


# --- against a reference --------------------------------------------------------------------------


@component
class _Correlation(Component):
    """The coefficient of each measure's ranking with the reference's, perhaps with its interval."""

    reference: MeasureLike | None = None
    _: KW_ONLY
    level: float | None = None
    n_resamples: int = defaults.ERROR_RESAMPLES
    rng: RandomState = None

    least_resamples = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("variant", self.variant, ("a", "b"))

    @property
    @abstractmethod
    def statistic(self) -> CoefficientLike:
        """The coefficient as `correlation_interval` takes it; without a level a `Coefficient`."""

    @property
    def column(self) -> str:
        """The name of the column of the coefficient, which both variants of ties share."""
        return registry.as_coefficient(self.statistic).family

    @property
    def columns(self) -> tuple[str, ...]:
        """The coefficient; with a level its interval and the test of one true ranking, too."""
        name, if_one = self.column, if_one_true_ranking(self.column)
        if self.level is None:
            return (name,)
        of_one_ranking = (if_one, f"{if_one} low", f"{if_one} high", f"{name} {P_SAME}")
        return (name, f"{name} low", f"{name} high", *of_one_ranking)

    def compute(self, scores: Scores) -> Mapping[str, ColumnValues]:
        """The values of every measure but the reference itself, over the same resamples."""
        name = self.reference_among(scores.measures)
        reference, seed = scores[name], seed_of(self.rng)
        others = {measure: matrix for measure, matrix in scores.items() if measure != name}
        columns: dict[str, ColumnValues] = {}
        for measure, matrix in others.items():
            if self.level is None:
                coefficient = registry.as_coefficient(self.statistic)
                columns[measure] = (float(coefficient(reference, matrix)),)
                continue
            with silencing(DegenerateInputWarning):  # a column of nan says so
                result = correlation_interval.correlation_interval(
                    reference,
                    matrix,
                    self.statistic,
                    level=self.level,
                    n_resamples=self.n_resamples,
                    rng=seed,
                    n_jobs=self.n_jobs,
                )
            same = result.one_true_ranking
            of_one_ranking = (same.mean, same.low, same.high, same.pvalue)
            columns[measure] = (result.statistic, result.low, result.high, *of_one_ranking)
        return columns


@component
class Correlation(_Correlation):
    """Adds how alike each measure and the reference rank the systems, with its interval.

    For the coefficient "tau" it adds the columns "tau", "tau low" and "tau high", an interval over
    topic samples of this size; "tau if one true ranking", with its range in two more: what noise of
    topics alone would leave of 1; and "tau p (same true ranking)", for the hypothesis that both
    have one.

    Args:
        reference: The measure that the others are compared with, as ir_measures measure or by name;
            by default the first in the frame.
        coefficient, level, n_resamples, rng, n_jobs: As for `correlation_interval`.

    Example:
        >>> tau, low, high, if_one, *ends, pvalue = Correlation("AP", rng=1).columns
        >>> if_one, pvalue
        ('tau if one true ranking', 'tau p (same true ranking)')
    """

    _: KW_ONLY
    coefficient: CoefficientLike = "tau"
    level: float = defaults.LEVEL
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        correlation_interval.Coefficients.named(self.coefficient)

    @property
    def statistic(self) -> CoefficientLike:
        """The coefficient, which may be one of the best systems, such as "tau@10"."""
        return self.coefficient

    @property
    def column(self) -> str:
        """The name of the coefficient, its variant of ties and its number of best systems."""
        return correlation_interval.Coefficients.named(self.coefficient).columns[-1]


@component
class KendallTau(_Correlation):
    """Adds the column "tau": Kendall's tau of each measure's ranking with the reference's.

    Args:
        reference: As for `Correlation`.
        variant: "a" or "b", see `kendall_tau`.
        level: A confidence level, which adds the other columns of `Correlation`.
        n_resamples, rng: As for `correlation_interval`.

    Example:
        >>> KendallTau("AP", variant="b")
        KendallTau('AP', variant='b')
    """

    _: KW_ONLY
    variant: choices.Variant = "a"

    @property
    def statistic(self) -> CoefficientLike:
        return registry.with_variant(kendall.TAU, self.variant)


@component
class TauAP(_Correlation):
    """Adds the column "tau_ap": AP correlation of each measure's ranking with the reference's.

    The reference is the trusted ranking of the systems; errors near the top weigh more.

    Args:
        reference, level, n_resamples, rng: As for `KendallTau`; a level adds "tau_ap low" etc.
        variant: "a" or "b", see `tau_ap`.
        symmetric: Whether to take the mean of both directions.

    Example:
        >>> from ir_measures import AP
        >>> TauAP(AP)
        TauAP(AP)
    """

    _: KW_ONLY
    variant: choices.Variant = "a"
    symmetric: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        flag("symmetric", self.symmetric)

    @property
    def statistic(self) -> CoefficientLike:
        """Tau_AP a or b, of one direction or both."""
        if self.symmetric and self.variant == "a":
            return ap.TAU_AP_SYMMETRIC
        return registry.with_variant(ap.TAU_AP, self.variant)


@component
class TauGAP(_Correlation):
    """Adds the column "tau_gap": AP correlation, each pair weighted by its gap under the reference.

    Args:
        reference, level, n_resamples, rng: As for `KendallTau`; a level adds "tau_gap low" etc.

    Example:
        >>> TauGAP("AP", level=0.95, rng=1)
        TauGAP('AP', level=0.95, rng=1)
    """

    statistic = gap.TAU_GAP


@component
class DRank(Component):
    """Adds "d_rank" and "d_rank p-value": how far each measure's ranking is from the reference's.

    A small p-value says that the measure's order could not be the reference's true order. If a
    measure or the reference ties all systems, both columns are nan, with a warning. Settings that
    are not the default stand in the names of the columns, as in "d_rank (published)".

    Args:
        reference: As for `Correlation`.
        null: "shrunken" or "published", see `DRankTest`.
        n_resamples, covariance, ridge, rng, n_jobs: As for `DRankTest`.

    Example:
        >>> DRank("AP", null="published")
        DRank('AP', null='published')
    """

    reference: MeasureLike | None = None
    _: KW_ONLY
    n_resamples: int = defaults.RESAMPLES
    null: choices.Null = DEFAULT_NULL
    covariance: choices.Covariance | None = None
    ridge: float = defaults.RIDGE
    rng: RandomState = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if one_of("null", self.null, NULLS) == "two-sample":  # for a ranking from other topics
            raise ValueError("`null` must be 'shrunken' or 'published', got 'two-sample'.")
        covariance_for(self.null, self.covariance)
        as_ridge(self.ridge)

    @property
    def columns(self) -> tuple[str, ...]:
        """The distance and its p-value, which name the settings that are not the default."""
        covariance, ridge = covariance_for(self.null, self.covariance), as_ridge(self.ridge)
        settings: list[str] = [] if self.null == DEFAULT_NULL else [self.null]
        if covariance != covariance_for(self.null, None):
            settings.append(covariance)
        if ridge != defaults.RIDGE:
            settings.append(f"ridge {ridge:g}")
        name = f"d_rank{in_brackets(settings)}"
        return (name, f"{name} p-value")

    def compute(self, scores: Scores) -> Mapping[str, ColumnValues]:
        """Distance and p-value of every measure but the reference, all over the same resamples."""
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
        means = np.stack([scores[measure].means for measure in others])  # measures x systems
        tested = test.test(Rankings(means, scores.systems))
        return dict(zip(others, np.transpose([tested.statistic, tested.pvalue]), strict=True))


def in_brackets(settings: Sequence[str]) -> str:
    """What follows the name of a column: settings that are not the default; "" for none."""
    return f" ({', '.join(settings)})" if settings else ""
