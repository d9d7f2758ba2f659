"""Components for how well a measure tells systems apart, for the intervals of its means, and for geometric means."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr import choices
from pt_rankcorr.components.base import Component, Measured, OfEachMeasure
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import one_of, share
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.core.summaries import ABOVE_ZERO
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.significance.pairwise import DEFAULT_TEST, TESTS
from pt_rankcorr.stats.significance.power import discriminative_power


class DiscriminativePower(OfEachMeasure, label="power"):
    """Adds the column "power": the share of all pairs of systems that a measure tells apart significantly.

    By default the test is corrected for the number of pairs. The column of an uncorrected test says so, and which it
    is: "power (t, uncorrected)".

    Args:
        test: "tukey-hsd" (corrected), or an uncorrected one: "paired-bootstrap", "unpaired-bootstrap", "t" or
            "wilcoxon"; see `discriminative_power`.
        alpha: The level of significance.
        n_resamples: Resamples of topics, the same for all measures.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Example:
        >>> DiscriminativePower("t", alpha=0.01)
        DiscriminativePower('t', alpha=0.01)
    """

    def __init__(
        self,
        test: choices.PairTest = DEFAULT_TEST,
        *,
        alpha: float = ALPHA,
        n_resamples: int = FEWER_RESAMPLES,
        rng: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.test, self.alpha = one_of("test", test, tuple(TESTS)), share("alpha", alpha)
        self.resample_with(n_resamples, rng, n_jobs)
        self.columns = ("power" if TESTS[self.test].corrected else f"power ({self.test}, uncorrected)",)

    def values(self, matrix: ScoreMatrix, **resampling: Any) -> tuple[float]:
        """The share of significant pairs."""
        return (discriminative_power(matrix, test=self.test, alpha=self.alpha, **resampling).statistic,)


class MeanInterval(Component, label="mean", columns=("mean low", "mean high"), compares=False):
    """Adds the columns "mean low" and "mean high": an interval of each system's mean over all topics there could be.

    It is Student's t interval, exact where scores are normal. In simulations with 10 to 50 topics it held .91 to .95 of
    means of scores as skewed as AP's, but .65 to .93 of those of a measure that is 1 on a tenth of the topics, else 0.
    Two that overlap may be of systems that differ significantly: scores on the same topics go up and down together, as
    the test against a `baseline` knows. Topics in clusters or strata count as the independent sample that they are, and
    each stratum costs a degree of freedom. The columns are nan for one topic.

    Args:
        level: The probability with which an interval holds the mean.

    Example:
        >>> MeanInterval(0.9)
        MeanInterval(0.9)
    """

    def __init__(self, level: float = LEVEL) -> None:
        self.level: float = share("level", level)

    def compute(self, scores: Scores) -> Measured:
        """The ends of the interval of every system by every measure."""
        return {measure: dict(zip(self.columns, self._ends(matrix), strict=True)) for measure, matrix in scores.items()}

    def _ends(self, matrix: ScoreMatrix) -> Floats:
        rows, design = -matrix.rows if matrix.negated else matrix.rows, matrix.design
        if len(rows) < 2:
            return np.full((2, matrix.n_systems), np.nan)
        freedom = len(rows) - 1.0 if design is None else design.n_effective - len(set(design.strata or ("",)))
        half = stdtrit(max(freedom, 1.0), (1.0 + self.level) / 2.0) * rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        return np.asarray(rows.mean(axis=0) + np.multiply.outer([-1.0, 1.0], half))


class GeometricMean(Component, label="geometric mean", columns=("geometric mean",), compares=False):
    """Adds the column "geometric mean": of each system's scores by each measure, which stress its worst topics.

    It is exp(mean of log(x + 0.00001)) - 0.00001, as in the TREC Robust track. Measures that are better when lower
    have none: the column is nan.

    References:
        Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, equation 7.

    Example:
        >>> GeometricMean()
        GeometricMean()
    """

    def __init__(self) -> None:
        pass

    def compute(self, scores: Scores) -> Measured:
        """The geometric mean of every system by every measure."""
        return {measure: {self.columns[0]: _geometric_means(matrix)} for measure, matrix in scores.items()}


def _geometric_means(matrix: ScoreMatrix) -> Floats:
    if matrix.values.min() < 0.0:
        return np.full(matrix.n_systems, np.nan)
    return np.asarray(ABOVE_ZERO * np.expm1(matrix.geometric().means - np.log(ABOVE_ZERO)))
