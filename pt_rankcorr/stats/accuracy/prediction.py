"""Query performance prediction: do predictions rank topics as the effectiveness of systems does?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficients
from pt_rankcorr.stats.core import arguments, inputs, means, resampling
from pt_rankcorr.stats.core.ordering import topic_order
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Floats, Labels, Result
from pt_rankcorr.warnings import DegenerateInputWarning, warn


@dataclass(frozen=True, eq=False)
class PredictionQuality(Result):
    """How well predictions for topics agree with the actual effectiveness of systems.

    Attributes:
        values: The agreement of scores with predictions, shape (n_systems, n_coefficients).
        systems, coefficients: The names of both.
        n_topics, n_resamples: The numbers of topics, and of their resamples.
        hardest_first: Whether the hardest topics are the head of the ranking.
        bootstrap_distribution: Shape (n_resamples, n_systems, n_coefficients).
    """

    values: Floats = field(repr=False)
    systems: Labels = field(repr=False)
    coefficients: Labels
    n_topics: int
    n_resamples: int
    hardest_first: bool
    bootstrap_distribution: Floats = field(repr=False)

    def confidence_interval(
        self, level: float = LEVEL
    ) -> dict[tuple[str, str], ConfidenceInterval]:
        """(system, coefficient) -> (low, high): Student's t about the value, within [-1, 1].

        The standard error is the standard deviation over topic resamples times sqrt(n / (n - 1)).
        Pearson's r is taken on the scale of Fisher's z = artanh(r): there the standard error is
        that of resamples which are not on a straight line, but at least 1 / sqrt(n - 3). With fewer
        than 4 topics its interval is (-1, 1). The ends of other coefficients are nan where no
        resample changes the value.
        """
        outside, n_topics = (1 - arguments.share("level", level)) / 2, self.n_topics
        margin = _students_margin(self.bootstrap_distribution, n_topics, outside)
        # shape (2, n_systems, n_coefficients)
        ends = (self.values + np.stack([-margin, margin])).clip(-1.0, 1.0)
        for column in np.flatnonzero(np.array(self.coefficients) == "pearson"):
            values, drawn = self.values[:, column], self.bootstrap_distribution[..., column]
            ends[..., column] = _fisher_interval(values, drawn, n_topics, outside)
        pairs = product(self.systems, self.coefficients)
        intervals = (ConfidenceInterval(*both) for both in ends.reshape(2, -1).T.tolist())
        return dict(zip(pairs, intervals, strict=True))

    def to_frame(self, level: float = LEVEL) -> pd.DataFrame:
        """One row per system and coefficient: value, and the low and high end of its interval."""
        return self.table(level=level).to_frame()


def _students_margin(drawn: Floats, n_topics: int, outside: float, *, least: float = 0.0) -> Floats:
    """Standard errors over resamples, (B, ...), times a quantile of t; nan where none varies."""
    # numpy warns of a column that is all nan, so such columns are 0 here
    undefined = np.isnan(drawn).all(axis=0)
    errors = np.nanstd(np.where(undefined, 0.0, drawn), axis=0)
    # samples vary more than resamples, by n / (n - 1)
    varies = ~undefined & (errors > TOLERANCE)
    errors = np.where(varies, errors * np.sqrt(n_topics / (n_topics - 1)), least or np.nan)
    return np.asarray(stdtrit(n_topics - 1, 1.0 - outside) * np.maximum(errors, least))


def _fisher_interval(values: Floats, drawn: Floats, n_topics: int, outside: float) -> Floats:
    """The ends of intervals of Pearson's r, (2, n_systems), from replicates (B, n_systems)."""
    if n_topics < 4:
        return np.where(np.isnan(values), np.nan, np.array([[-1.0], [1.0]]))
    # z = artanh(r) of resamples; a correlation of 1 but for rounding is on a line: z is infinite
    on_a_line = 1.0 - 1e-9
    z = np.arctanh(drawn, out=np.full_like(drawn, np.nan), where=np.abs(drawn) < on_a_line)
    margin = _students_margin(z, n_topics, outside, least=1.0 / np.sqrt(n_topics - 3))
    values = np.where(np.abs(values) < on_a_line, values, np.sign(values))
    with np.errstate(divide="ignore"):
        return np.asarray(np.tanh(np.arctanh(values) + np.stack([-margin, margin])))


@resampling.over_measures
def prediction_quality(
    reference: inputs.ScoresLike,
    predicted: inputs.ScoresLike,
    coefficients: CoefficientLike | Sequence[CoefficientLike] = ("tau", "tau_ap", "pearson"),
    *,
    hardest_first: bool = False,
    n_resamples: int = FEWER_RESAMPLES,
    rng: resampling.RandomState = None,
    n_jobs: int | None = None,
) -> PredictionQuality:
    """The correlation over topics of predicted with actual effectiveness, for each system.

    The scores of a system are the reference, the predictions the estimate. Intervals come from
    bootstrap samples of topics, the same for all systems, measures and coefficients. A topic that
    is drawn twice is tied with itself, which lowers the size of `tau` and `tau_ap` by about one
    part in the number of topics. O(B m n log n) time, and memory of some fifteen arrays like the
    scores for each worker.

    Args:
        reference: Scores, n >= 2 topics x systems: array, frame, `ScoreMatrix`; measure -> such.
        predicted: One prediction per topic, higher for easier ones: a mapping or series, matched by
            topic where the reference names its topics (there may be more topics), or an array in
            their order.
        coefficients: Names of coefficients, or `stats.Coefficient` objects; they rank topics.
        hardest_first: Whether `tau_ap` and `tau_gap` weigh errors among the hardest topics most.
        n_resamples: The number of topic resamples, at least 1.
        rng, n_jobs: Seed or generator; workers, as joblib counts them.

    Returns:
        The agreement for each system and coefficient; for several measures, measure -> result.

    Warns:
        DegenerateInputWarning: If a correlation is undefined, or no resample changes it.

    Raises:
        TypeError, ValueError: If a topic has no prediction, or a value is not finite or in range.

    References:
        Named as a use of rank correlation in Yilmaz, Aslam, Robertson, SIGIR 2008, section 1;
        Carterette, SIGIR 2009, section 1.

    Example:
        >>> ap = [[0.8, 0.3], [0.5, 0.2], [0.1, 0.4]]
        >>> quality = prediction_quality(ap, [9.0, 7.0, 2.0], ["tau"], n_resamples=100, rng=1)
        >>> quality.values.round(4).tolist()
        [[1.0], [-0.3333]]
    """
    chosen = as_coefficients(coefficients)
    hardest_first = arguments.flag("hardest_first", hardest_first)
    n_resamples, random = arguments.resample_count(n_resamples), resampling.generator(rng)
    scores = inputs.prepare_matrix(reference, "reference", min_topics=2, min_systems=1)
    remedy = "predictions are of single topics, see `ScoreMatrix.with_design`"
    inputs.refuse_design(scores, "reference", remedy)
    one_a_topic = inputs.prepare_system(predicted, "predicted", min_topics=1)
    rows = inputs.positions_of_topics(scores, one_a_topic, ("reference", "predicted"))
    matrix, predictions = scores.values, means.rounded_scores(one_a_topic.values[:, 0])[rows]
    # Topics are what is ranked here, shape (n_topics, m) and (n_topics,), in an order that the
    # scores set, as resamples are drawn by position; negated scores put the hardest ones first.
    order = topic_order(np.column_stack([matrix, predictions]))
    sign = -1.0 if hardest_first else 1.0
    actual, estimate = sign * means.rounded_scores(matrix[order].T).T, sign * predictions[order]
    values = _correlations(actual, estimate, chosen)
    if np.isnan(values).any():
        text = "The correlation is undefined where all topics are tied: the result is nan."
        warn(text, DegenerateInputWarning)

    def resample(block: np.random.Generator, size: int) -> Floats:
        """The correlations over bootstrap samples of topics, shape (size, m, n_coefficients)."""
        topics = resampling.topic_indices(block, size, len(actual))
        return _correlations(actual[topics], estimate[topics], chosen)

    child, cells = np.random.default_rng(random.bit_generator.random_raw()), 4 * matrix.size
    drawn = resampling.blockwise(resample, n_resamples, cells=cells, rng=child, n_jobs=n_jobs)
    unchanged = ~np.isnan(values) & ~(np.abs(drawn - values) > TOLERANCE).any(axis=0)
    if unchanged[:, [coefficient.name != "pearson" for coefficient in chosen]].any():
        text = "No resample of topics changes a correlation: it has no interval."
        warn(text, DegenerateInputWarning)
    return PredictionQuality(
        values=values,
        systems=scores.shown_systems,
        coefficients=tuple(coefficient.name for coefficient in chosen),
        n_topics=len(matrix),
        n_resamples=n_resamples,
        hardest_first=hardest_first,
        bootstrap_distribution=drawn,
    )


def _correlations(actual: Floats, estimate: Floats, chosen: tuple[Coefficient, ...]) -> Floats:
    """Scores (..., n_topics, m), predictions (..., n_topics) give (..., m, n_coefficients)."""
    by_system, predictions = np.swapaxes(actual, -1, -2), estimate[..., np.newaxis, :]
    values = [coefficient.kernel(by_system, predictions) for coefficient in chosen]
    return np.stack(values, axis=-1)
