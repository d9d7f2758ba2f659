"""Correlation of two rankings, on these topics and in the topic population, and its interval."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.coefficients.coefficient import AT, Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, as_coefficient, several
from pt_rankcorr.stats.core.arguments import resample_count, share
from pt_rankcorr.stats.core.design import warn_of_few_topics
from pt_rankcorr.stats.core.inputs import ScoresLike, as_score_matrix, labels_of, matched, topics_of
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.resampling import RandomState, blockwise, generator, seed_of, topic_weights
from pt_rankcorr.stats.core.types import ConfidenceInterval, Floats, Indices, Labels, Result, cached_property
from pt_rankcorr.stats.significance.bootstrap import standard_deviation
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings
from pt_rankcorr.tables import COEFFICIENT, PVALUE, Table, constant
from pt_rankcorr.text import decimals, p_equals, with_interval
from pt_rankcorr.warnings import DegenerateInputWarning, warn


@dataclass(frozen=True, eq=False)
class CorrelationResult(Result):
    """How alike two measures rank systems.

    Attributes:
        statistic: The coefficient on the topics at hand. Topic sampling error usually lowers it; error that both
            measures share raises it.
        estimate: The coefficient in the topic population: the median over `draws`.
        low: The low end of its interval. It may lie above `statistic`.
        high: The high end: 1 unless the topics exclude that both rank alike.
        pvalue: For the hypothesis that both rank alike in the topic population: small where the noise of topics does
            not explain all their disagreement.
        coefficient: The name of the coefficient.
        level: The confidence level of the interval.
        n_topics: The number of topics.
        n_systems: The number of systems.
        n_resamples: The number of draws B.
        n_undefined: Draws in which the coefficient is undefined; they are left out.
        draws: The coefficient in each draw of the true means by both measures, nan where undefined.
    """

    statistic: float
    estimate: float
    low: float
    high: float
    pvalue: float
    coefficient: str
    level: float
    n_topics: int
    n_systems: int
    n_resamples: int
    n_undefined: int
    draws: Floats = field(repr=False, compare=False)
    _resample: Callable[[], Floats] = field(repr=False, compare=False)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval:
        """An interval for the coefficient in the topic population.

        Args:
            level: The confidence level, between 0 and 1; by default that of the result.

        Returns:
            The low and the high end, quantiles of `draws` in [-1, 1]; nan where the coefficient is undefined.
        """
        _, *ends = over_all_topics(self.draws, self.level if level is None else share("level", level))
        return ConfidenceInterval(*ends)

    @cached_property
    def replicates(self) -> Floats:
        """The coefficient in each of B resamples of topics, nan where undefined; computed when it is asked for."""
        return self._resample()

    @cached_property
    def standard_error(self) -> float:
        """The standard deviation of `replicates`, divisor B - 1: the bootstrap standard error of `statistic`.

        This is the published method. It is too large: resampling adds to the noise of topics, which lowers and spreads
        a correlation (see the calibration page).

        References:
            Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, section 4.
        """
        return standard_deviation(self.replicates[~np.isnan(self.replicates)])

    def _rows(self) -> Table:
        ends: dict[str, Any] = {"interval": lambda _: (self.low, self.high), "ends": ("low", "high")}
        title = f"population {self.coefficient} [{self.level:.0%}]"
        columns = (
            constant("coefficient", self.coefficient, shown=False),
            constant("statistic", self.statistic, COEFFICIENT, self.coefficient),
            constant("estimate", self.estimate, COEFFICIENT, title, **ends),
            constant("pvalue", self.pvalue, PVALUE, "p (same true ranking)"),
        )
        return Table(columns, [self])

    def _answer(self) -> str:
        if np.isnan(self.estimate):
            return f"{self.coefficient} is undefined: one of the measures ties all systems."
        found = f"{self.coefficient} is {decimals(self.statistic)} on these topics"
        over_all = with_interval(self.estimate, (self.low, self.high))
        differ = "differ about systems" if self.pvalue <= 1.0 - self.level else "may rank alike"
        how_surely = p_equals(self.pvalue).replace("\u00a0", " ")
        return f"{found}, and {over_all} in the topic population; the two {differ} ({how_surely})."

    def _note(self) -> str:
        return (
            f"{self.n_systems} systems, {self.n_topics} topics, {self.level:.0%} interval. The p-value asks whether "
            "the noise of topics explains all disagreement; a large one does not show that they agree, and a scale "
            "on which many systems are nearly equal makes it smaller."
        )


def correlation_interval(
    reference: ScoresLike,
    estimate: ScoresLike,
    coefficient: CoefficientLike = "tau",
    *,
    level: float = LEVEL,
    n_resamples: int = FEWER_RESAMPLES,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> CorrelationResult:
    """Correlation of two rankings, on these topics and in the topic population, and a test of one true ranking.

    Both rankings are noisy, and share some of the noise. The function draws true means by both measures, without that
    noise. The ends of the interval are quantiles of the coefficient over these draws. In half of the draws, errors
    about systems are independent; in the other half, systems that are alike on topics have similar errors. (Of two or
    of more than 200 systems all draws are of the first kind; if one side has no noise, of the second.) Some draws have
    no error at all, so that 1 is possible. Exchanging the two measures exchanges the draws: interval and p-value are
    the same. Time is O(B n m + m^3) for m systems, n topics and B draws, unless the coefficient is slower.

    The p-value tests the hypothesis of one true ranking, whatever the scales. Then the points of true means lie on a
    rising curve, and measured points scatter about it by the noise of topics alone: an F test across a spline or steps,
    as a criterion chooses. A scale that is flat where its noise is not can look like another ranking: see the
    calibration page. If the p-value is more than 1 - level, the interval reaches 1. If not, it may still reach 1, where
    systems are few or errors too small to change their order. If systems are tied, coefficients that count ties stay
    below 1.

    Args:
        reference: Scores by the trusted measure, topics x systems: an array, a frame, a `ScoreMatrix`.
        estimate: Scores of the same systems on the same topics by another measure; matched by name if both have names.
        coefficient: The name of a coefficient; "tau@10" and the like, for the reference's best ten systems; a
            `stats.Coefficient`; or a function (reference, estimate) of two vectors of mean scores, such as
            `functools.partial(tau_ap, symmetric=True)`.
        level: The confidence level of the interval.
        n_resamples: The number of draws B, at least 2.
        rng: A seed or a generator. With the same seed, all measures compared with one reference share the sampling of
            topics, which are drawn in the order of their names, or as they come if they have none.
        n_jobs: Workers, as joblib counts them.

    Returns:
        A result with `statistic`, `estimate`, `low`, `high`, `pvalue`, and `confidence_interval(level)`; nan, with a
        warning, where a measure ties all systems.

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the matrices do not match, are not finite or have fewer than two topics or systems, or an
            argument is out of its range.

    References:
        The model is new; see the calibration page. Its parts: Huynh and Feldt, "Estimation of the Box correction
        for degrees of freedom", Journal of Educational Statistics 1, 1976; Schwarz, "Estimating the dimension of a
        model", Annals of Statistics 6, 1978; Ledoit and Wolf, "A well-conditioned estimator for large-dimensional
        covariance matrices", Journal of Multivariate Analysis 88, 2004.

    Example:
        >>> ap = [[0.1, 0.2, 0.6], [0.2, 0.1, 0.7], [0.3, 0.3, 0.9], [0.1, 0.2, 0.5], [0.4, 0.2, 0.8]]
        >>> p10 = [[0.1, 0.3, 0.5], [0.2, 0.1, 0.7], [0.3, 0.2, 0.8], [0.1, 0.1, 0.6], [0.5, 0.3, 0.8]]
        >>> result = correlation_interval(ap, p10, "pearson", rng=1)
        >>> round(result.statistic, 3), result.high, result.pvalue > 0.05
        (0.999, 1.0, True)
    """
    scores = {"reference": reference, "estimate": estimate}
    (result,) = correlations_of(scores, coefficient, level, n_resamples, rng, n_jobs, "intervals of correlations were")
    warn_if_undefined(result.statistic)
    return result


def correlations_of(
    scores: Mapping[str, object],
    coefficient: CoefficientLike,
    level: float,
    n_resamples: int,
    rng: RandomState,
    n_jobs: int | None,
    what: str,
) -> list[CorrelationResult]:
    """Of the first with each of the others, with one topic sampling error; `what` was checked on more than a few."""
    in_design = any(as_score_matrix(matrix, name).design for name, matrix in scores.items())
    topics = None if in_design else topics_of(scores["reference"], "reference")
    trusted, *others = by_topic_name(topics, *matched(**scores))
    warn_of_few_topics(len(trusted), what)
    n_resamples, level = resample_count(n_resamples, at_least=2), share("level", level)
    names = labels_of(scores["reference"], "reference")
    places = np.arange(trusted.shape[1]) if names is None else np.argsort(np.argsort(names, kind="stable"))
    one = Coefficients.named(coefficient, places)
    how: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed_of(rng), "level": level, "n_jobs": n_jobs}
    return [correlation_errors(trusted, other, one, **how)[one.columns[-1]] for other in others]


def by_topic_name(topics: Labels | None, *matrices: Floats) -> list[Floats]:
    """Matrices of the same topics in the order of their names, if they have any: topics are sampled by position."""
    if topics is None or topics == tuple(f"t{number}" for number in range(1, len(topics) + 1)):  # default names
        return list(matrices)
    order = np.argsort(topics, kind="stable")
    return [np.ascontiguousarray(matrix[order]) for matrix in matrices]


def rows_by_topic_name(
    reference: ScoreMatrix, estimates: Iterable[ScoreMatrix], *, shared: bool = True
) -> list[Floats]:
    """The rows of a reference and of estimates, on its topics in its order unless they have topics of their own.

    Rows of clusters are in the order of the clusters' names.
    """
    matrices = (reference, *estimates)
    names = [None if scores.design else topics_of(scores) for scores in matrices]
    if shared:
        return by_topic_name(names[0], *(scores.rows for scores in matrices))
    return [rows for own, scores in zip(names, matrices, strict=True) for rows in by_topic_name(own, scores.rows)]


def warn_if_undefined(correlation: float) -> None:
    if np.isnan(correlation):
        message = "The correlation is undefined, as where a measure ties all systems: the result is nan."
        warn(message, DegenerateInputWarning)


class OverAllTopics(NamedTuple):
    """The median of draws, and the ends of its interval."""

    estimate: float
    low: float
    high: float


def over_all_topics(draws: Floats, level: float) -> OverAllTopics:
    """Of those draws that are defined."""
    defined = draws[~np.isnan(draws)]
    if defined.size == 0:
        return OverAllTopics(*3 * (float("nan"),))
    low, high = np.quantile(defined, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return OverAllTopics(float(np.median(defined)), float(low), float(high))


# --- several coefficients at once ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of two vectors of means: of all systems, and of the reference's best ones if `top` says how many.

    Attributes:
        of_all: Which.
        top: How many of the best; None for none of them. Those are chosen by each pair of vectors anew.
        places: The place of each system in the order that breaks ties at the border, shape (n_systems,); None for that
            of the systems.
    """

    of_all: tuple[Coefficient, ...]
    top: int | None = None
    places: Indices | None = None

    @classmethod
    def named(cls, coefficient: object, places: Indices | None = None) -> Coefficients:
        """A coefficient, as "tau", or also that of the best ten, as "tau@10"; for its columns alone without places."""
        best = re.fullmatch(rf"(\w+){AT}([1-9]\d*)", coefficient) if isinstance(coefficient, str) else None
        if best is None:
            return cls((as_coefficient(coefficient),))
        top, most = int(best[2]), sys.maxsize if places is None else places.size
        if not 2 <= top <= most:
            raise ValueError(f"`coefficient` must be of at least 2 systems, and of all at most, got {coefficient!r}.")
        return cls((as_coefficient(best[1]),), top, places)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, then those of the best systems: "tau@10"."""
        names = tuple(each.name for each in self.of_all)
        return names if self.top is None else (*names, *(f"{name}{AT}{self.top}" for name in names))

    def of(self, reference: Floats, estimate: Floats) -> Floats:
        """All of them, for means of shape (..., n_systems): shape (..., n_columns)."""
        found = self._each(reference, estimate)
        if self.top is not None:
            places = np.arange(reference.shape[-1]) if self.places is None else self.places
            best = np.lexsort((np.broadcast_to(places, reference.shape), -reference))[..., : self.top]
            found += self._each(*(np.take_along_axis(scores, best, axis=-1) for scores in (reference, estimate)))
        return np.stack(found, axis=-1)

    def _each(self, reference: Floats, estimate: Floats) -> list[Floats]:
        known = several([each for each in self.of_all if each.name in COEFFICIENTS], reference, estimate)
        own = (each for each in self.of_all if each.name not in COEFFICIENTS)
        known |= {each.name: each.kernel(reference, estimate) for each in own}
        return [known[each.name] for each in self.of_all]


def correlation_errors(
    reference: Floats,
    estimate: Floats,
    coefficients: Coefficients,
    *,
    n_resamples: int,
    seed: int,
    level: float = LEVEL,
    shared: bool = True,
    n_jobs: int | None = None,
) -> dict[str, CorrelationResult]:
    """Column -> what `correlation_interval` returns for one seed, for all of them at once.

    Args:
        reference, estimate: Rows that are an independent sample of topics, shape (n_topics, n_systems).
        coefficients: What is computed.
        n_resamples, seed, level, n_jobs: As there.
        shared: Whether row i of both is one topic. If not, numbers of topics may differ, and no noise is shared; there
            are no resamples then.

    Returns:
        In the order of `coefficients.columns`.
    """
    drawn = draw_two_rankings(reference, estimate, n_resamples, seed, shared=shared, n_jobs=n_jobs)
    observed = coefficients.of(system_means(reference), system_means(estimate))
    draws = coefficients.of(drawn.reference, drawn.estimate)
    draws[:, np.isnan(observed)] = np.nan
    resample = partial(_replicates, reference, estimate, coefficients, n_resamples, seed)
    return {
        name: CorrelationResult(
            statistic=float(statistic),
            **over_all_topics(of_one, level)._asdict(),
            pvalue=float("nan") if np.isnan(statistic) else drawn.pvalue,
            coefficient=name,
            level=level,
            n_topics=len(reference),
            n_systems=reference.shape[1],
            n_resamples=n_resamples,
            n_undefined=int(np.isnan(of_one).sum()),
            draws=of_one,
            _resample=partial(resample, at),
        )
        for at, (name, statistic, of_one) in enumerate(zip(coefficients.columns, observed, draws.T, strict=True))
    }


def _replicates(
    reference: Floats, estimate: Floats, coefficients: Coefficients, n_resamples: int, seed: int, at: int
) -> Floats:
    if len(reference) != len(estimate):
        raise ValueError("`replicates` must be of measures on the same topics, got different ones.")
    n_topics = len(reference)

    def compute(child: np.random.Generator, size: int) -> Floats:
        proportions = topic_weights(child, size, n_topics) / n_topics
        return coefficients.of(*(round_means(proportions @ scores, scores) for scores in (reference, estimate)))[:, at]

    return blockwise(compute, n_resamples, cells=n_topics, rng=generator(seed))
