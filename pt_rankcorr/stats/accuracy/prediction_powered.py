"""Few topics judged by people and many by a judge, such as a language model: one estimate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtr, stdtrit

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.stats.accuracy.decisions import Moments
from pt_rankcorr.stats.core import arguments, design, inputs, means, resampling
from pt_rankcorr.stats.core.matrix import ScoreMatrix
from pt_rankcorr.stats.core.ordering import clearest_first, in_one_order, topic_order
from pt_rankcorr.stats.core.types import Floats, Labels, Result
from pt_rankcorr.warnings import UnreliableResultWarning, warn


@dataclass(frozen=True, eq=False)
class PredictionPowered(Result, ScoreMatrix):
    """Scores by people, corrected by a judge: a score matrix, which every statistic takes.

    Attributes:
        values: One corrected row for each topic that people judged, shape (n_topics, n_systems).
            Their mean estimates people's mean scores in the topic population.
        covariance: The estimated covariance of the means, shape (n_systems, n_systems).
        human_covariance: The same for the means over people's topics alone.
        skewness: The estimated skewness of the means, shape (n_systems,).
        weight_shared: The weight of the judge for the difficulty that all systems share on a topic.
        weight_differences: That for the differences between systems. Weights are never negative.
        topics_needed: On how many topics people alone would estimate differences as accurately.
        n_judged: The number of topics that the judge judged, including those of people.
        topics, systems, has_topic_names, has_system_names, design: As those of every score matrix.
    """

    values: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    human_covariance: Floats = field(repr=False)
    skewness: Floats = field(repr=False)
    weight_shared: float
    weight_differences: float
    topics_needed: float
    topics: Labels = field(repr=False)
    systems: Labels
    n_judged: int
    has_topic_names: bool = field(repr=False)
    has_system_names: bool = field(repr=False)
    design: design.Design | None = field(default=None, repr=False)

    def intervals(self, level: float = LEVEL) -> Floats:
        """The low and the high end for the mean of each system, shape (n_systems, 2).

        They are those of Student's t, which Hall's cubic transformation corrects for skewness ("On
        the removal of skewness by transformation", J. Royal Statistical Society B 54, 1992).
        """
        quantile = float(stdtrit(self.n_topics - 1, (1 + arguments.share("level", level)) / 2))
        errors = np.sqrt(self.covariance.diagonal())
        ends = [self.means - _studentised(t, self.skewness) * errors for t in (quantile, -quantile)]
        return np.stack(ends, axis=1)

    def pvalues(self) -> Floats:
        """The p-value of each pair by a t-test, (n_systems, n_systems); nan on the diagonal.

        `discriminative_power` and `randomized_tukey_hsd` of the result correct for many pairs.
        """
        # as moments of a single topic, as they are those of the means
        t = Moments(self.means, self.covariance, 1).students_t()
        pvalues = 2 * stdtr(self.n_topics - 1, -np.abs(t))
        np.fill_diagonal(pvalues, np.nan)
        return np.asarray(pvalues)

    def to_frame(self, level: float = LEVEL) -> pd.DataFrame:
        """One row per system, the best first: its mean, standard error and interval."""
        return self.table(level=level).to_frame()

    def pairs(self) -> pd.DataFrame:
        """One row per pair, the better system first: difference and p-value, sorted by p-value."""
        differences, pvalues = self.means[:, np.newaxis] - self.means, self.pvalues()
        better, worse = clearest_first(differences, pvalues)
        names = np.array(self.systems, dtype=object)
        numbers = {"difference": differences[better, worse], "p-value": pvalues[better, worse]}
        return pd.DataFrame({"system": names[better], "other": names[worse], **numbers})


def prediction_powered(
    human: inputs.ScoresLike, judge: inputs.ScoresLike, *, rng: resampling.RandomState = None
) -> PredictionPowered:
    """Mean scores by people in the topic population, from few topics of people and many of a judge.

    Each of the n rows of people's scores is corrected by the judge's: Y_i - w (F_i - F), with F the
    judge's means on the N - n topics that people did not judge. This is unbiased for any w and any
    judge; a good w makes rows vary less. All systems have the same two weights w: one for what
    systems share on a topic, one for their differences. Each is (1 - n/N) times the slope of
    people's scores on the judge's, without topic i (cross-fitted, so that the standard errors hold
    for small n). The slope is shrunk by 1 - 1/t^2, with t the slope over its standard error, and 0
    where t is below 1. So a judge who knows nothing widens intervals by less than 2% on average.

    The result is itself a score matrix of n rows. Topics without people's judgments are dealt out
    to these rows at random, and each row takes the judge's mean on its own share in place of F: so
    tests and resamples of rows are right. People's topics must be a random sample of all. A weight
    above 0 needs 5 topics of people and 2 without.

    Args:
        human: Scores by people, n >= 2 topics x m >= 2 systems: array, frame or score matrix.
        judge: Scores of the same systems by the judge on these topics and others. Systems and
            topics are matched by name; without names of topics, its first n rows are people's
            topics.
        rng: A seed or a generator; it changes the rows, but no mean or covariance.

    Returns:
        The estimate, which every statistic takes as scores, with intervals, tests of pairs and the
        gain by the judge.

    Raises:
        TypeError, ValueError: If the scores are no finite matrices of two topics and systems or
            more, the systems differ, the judge lacks a topic of people, or topics are in clusters
            or strata.

    Warns:
        UnreliableResultWarning: If the judge's means say that people's topics are no random sample
            of all.

    References:
        Angelopoulos, Bates, Fannjiang, Jordan, Zrnic, "Prediction-powered inference", Science 382,
        2023; Angelopoulos, Duchi, Zrnic, "PPI++: efficient prediction-powered inference",
        arXiv:2311.01453 (the weight); Zrnic and Candes, "Cross-prediction-powered inference", PNAS
        121, 2024.

    Example:
        >>> random = np.random.default_rng(1)
        >>> judge = random.normal([0.3, 0.4, 0.5], 0.1, (200, 3))
        >>> human = judge[:30] + random.normal([0.1, 0.0, 0.0], 0.03, (30, 3))
        >>> found = prediction_powered(human, judge, rng=1)
        >>> found.means.round(2).tolist(), round(found.topics_needed)
        ([0.4, 0.4, 0.47], 91)
    """
    # people's scores Y, (n, m); the judge's F on their topics, (n, m), and on the N - n others
    scores, predicted, others = _matched(human, judge)
    _warn_unless_random(predicted.mean(axis=1), others.mean(axis=1))
    (n, m), n_others = scores.values.shape, len(others)
    random = resampling.generator(rng)
    # topics come in an order that the scores set
    order = topic_order(np.hstack([scores.values, predicted]))
    people, predicted = scores.values[order], predicted[order]
    alone, rows, weight = _covariance(people), people, np.zeros(2)
    covariance, third_moment = alone, _third_moment(people)
    if n_others > 1:
        others = in_one_order(others)
        centre = others.mean(axis=0)
        # w of each topic, (n, 2): slopes times (N - n) / N, as F is uncertain, too
        weights = _weights(people, predicted) * (n_others / (n + n_others))
        weight = weights.mean(axis=0)
        # the rows Y - w (F_i - F), (n, m), and the moments of their mean
        rows = people - _weighted(predicted - centre, weights)
        covariance, third_moment = _covariance(rows), _third_moment(rows)
        # The mean of the other topics adds its own variance. Their deviations, dealt out to the n
        # rows and weighted by the mean weight, have the sum 0, so that they change no mean, and
        # give the rows that variance.
        spread = others - centre
        rows += _weighted(_sums_of_parts(random.permutation(spread), n), weight)
        covariance += _covariance(_weighted(spread, weight))
        third_moment += _third_moment(_weighted(spread, weight))
    values = np.empty((n, m))
    values[order] = rows
    # how many times as many topics people alone need: a ratio of variances of differences
    variance, ratio = _of_differences(covariance), 1.0
    if variance > 0.0:
        ratio = _of_differences(alone) / variance
    errors = np.sqrt(covariance.diagonal())
    return PredictionPowered(
        values=values,
        covariance=covariance,
        human_covariance=alone,
        skewness=np.divide(third_moment, errors**3, out=np.zeros(m), where=errors > 0.0),
        weight_shared=float(weight[0]),
        weight_differences=float(weight[1]),
        topics_needed=n * ratio,
        topics=scores.topics,
        systems=scores.shown_systems,
        n_judged=n + n_others,
        has_topic_names=scores.has_topic_names,
        has_system_names=scores.has_system_names,
    )


def _matched(human: object, judge: object) -> tuple[ScoreMatrix, Floats, Floats]:
    """Scores by people, by the judge on these topics, (n, m), and on all others, (N - n, m)."""
    sides = []
    parameters = ("human", "judge")
    for parameter, scores in zip(parameters, (human, judge), strict=True):
        matrix = inputs.prepare_matrix(scores, parameter, min_topics=2)
        inputs.refuse_design(matrix, parameter, "take `ScoreMatrix.with_design` without arguments")
        sides.append(matrix)
    people, predicted = sides
    arguments.check_number_of_systems("human", people.n_systems)
    predicted = inputs.in_order_of(people, predicted, parameters, any_topics=True)
    if people.n_systems != predicted.n_systems:
        numbers = f"{people.n_systems}, got {predicted.n_systems}"
        raise ValueError(f"`judge` must have the systems of `human`, {numbers}.")
    rows = inputs.positions_of_topics(people, predicted, parameters, may_have_more=True)
    return people, predicted.values[rows], np.delete(predicted.values, rows, axis=0)


def _warn_unless_random(judged: Floats, others: Floats) -> None:
    """Warns if the judge's means of people's topics, (n,), are no random part of all its means."""
    # the mean of n topics drawn without replacement from N has the variance s^2 (1 / n - 1 / N)
    both = np.concatenate([judged, others])
    n, total = len(judged), len(both)
    error = both.std(ddof=1) * np.sqrt(1 / n - 1 / total)
    off = judged.mean() - both.mean()
    pvalue = 2 * ndtr(-abs(off) / error) if error > means.NEGLIGIBLE * np.abs(both).max() else 1.0
    if pvalue < 0.01:
        scores = f"{judged.mean():.3g} on them and {others.mean():.3g} on the others"
        warn(
            f"The {n} topics of people are no random part of the {total} of the judge, "
            f"whose mean score is {scores} (p = {pvalue:.1g}). "
            "Estimates and intervals hold for topics drawn at random.",
            UnreliableResultWarning,
        )


def _weights(people: Floats, predicted: Floats) -> Floats:
    """The slopes without each topic, of what systems share and of how they differ: (n, 2)."""
    parts = zip(_parts(people), _parts(predicted), strict=True)
    return np.stack([_slopes(y - y.mean(axis=0), f - f.mean(axis=0)) for y, f in parts], axis=1)


def _parts(scores: Floats) -> tuple[Floats, Floats]:
    """The mean of each topic, for every system, and the deviations from it: (n_topics, m) both."""
    shared = np.broadcast_to(scores.mean(axis=1, keepdims=True), scores.shape)
    return shared, scores - shared


def _weighted(scores: Floats, weights: Floats) -> Floats:
    """Scores, (n_topics, m), with both parts weighted; weights are (2,), or (n_topics, 2)."""
    shared, differences = _parts(scores)
    return np.asarray(weights[..., :1] * shared + weights[..., 1:] * differences)


def _slopes(people: Floats, predicted: Floats) -> Floats:
    """The least-squares slope without each topic, shrunk by its standard error, or 0: (n_topics,).

    Deviations of people's scores, y, and of the judge's, f, from the means of systems are of shape
    (n_topics, m). The slope is of all systems' scores; its standard error takes topics as a whole.
    """
    # Sums over systems of y f and of f^2 for each topic, (n,). Without a topic the means move, too,
    # so that a sum of squares about them loses n / (n - 1) times the topic's part.
    n, products, squares = len(people), (people * predicted).sum(axis=1), (predicted**2).sum(axis=1)
    taken = n / (n - 1)
    rest = squares.sum() - taken * squares
    usable = rest > means.NEGLIGIBLE * squares.sum()
    # five topics are the fewest, as the slope of four others has a standard error
    if n < 5 or not usable.all():
        return np.zeros(n)
    # the slope b = sum(y f) / sum(f^2) of the others, (n,)
    slopes = (products.sum() - taken * products) / rest
    # its squared error: the sum over the others of (y f - b f^2)^2, over (sum of f^2)^2
    terms = products**2, products * squares, squares**2
    first, mixed, last = (of_topic.sum() - of_topic for of_topic in terms)
    errors = first - 2 * slopes * mixed + slopes**2 * last
    variances = np.maximum(errors, 0.0) / rest**2 * (n - 1) / (n - 3)
    # b (1 - 1 / t^2) = b - variance / b, at least 0
    shrunken = slopes - np.divide(variances, slopes, out=np.zeros(n), where=slopes > 0.0)
    return np.asarray(np.maximum(shrunken, 0.0))


def _sums_of_parts(spread: Floats, n: int) -> Floats:
    """The sums of n parts of deviations from a mean, (N - n, m): shape (n, m).

    Their covariance over n is that of the mean. They are scaled for it, as two deviations of one
    part come without replacement, and so are correlated by -1 / (N - n - 1).
    """
    # part i % n gets topic i; the sums of the parts, (n, m), then their scale
    n_others = len(spread)
    part = np.arange(n_others) % n
    sums, sizes = np.zeros((n, spread.shape[1])), np.bincount(part, minlength=n)
    np.add.at(sums, part, spread)
    # how many ordered pairs of topics are in two parts
    apart = n_others * (n_others - 1) - (sizes * (sizes - 1)).sum()
    return np.asarray(sums * np.sqrt(n * (n - 1) / apart))


def _covariance(rows: Floats) -> Floats:
    """The covariance of the mean of rows, shape (m, m), from shape (n, m)."""
    deviations = rows - rows.mean(axis=0)
    return np.asarray(deviations.T @ deviations / (len(rows) * (len(rows) - 1)))


def _third_moment(rows: Floats) -> Floats:
    """The third central moment of the mean of rows, shape (n_systems,)."""
    return np.asarray(((rows - rows.mean(axis=0)) ** 3).mean(axis=0) / len(rows) ** 2)


def _studentised(quantile: float, skewness: Floats) -> Floats:
    """The quantile of (estimate - truth) / error of skewed estimates, (m,).

    It inverts Hall's transformation: with s the skewness of the estimate, the sum
    t + s t^2 / 3 + s^2 t^3 / 27 + s / 6 is about as symmetric as Student's t.
    """
    # of less skewness, rounding errors of the correction exceed the correction
    is_skewed = np.abs(skewness) > 1e-6
    skewness = np.where(is_skewed, skewness, 1.0)
    skewed = 3.0 / skewness * (np.cbrt(1.0 + skewness * (quantile - skewness / 6.0)) - 1.0)
    return np.where(is_skewed, skewed, quantile)


def _of_differences(covariance: Floats) -> float:
    """The mean variance of differences of systems, times (m - 1) / 2, from a covariance (m, m)."""
    return float(np.trace(covariance) - covariance.mean(axis=0).sum())
