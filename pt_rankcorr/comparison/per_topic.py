"""Agreement on single topics: means of coefficients, and the accuracy of pairs of systems."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy import item_pairs
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.core.inputs import samples_by_topic_name
from pt_rankcorr.stats.core.jackknife import jackknife_interval
from pt_rankcorr.stats.core.means import rounded_scores

PAIRS = "pair accuracy"  # of single topics; "... all tied" and "... at random": without information


class PerTopic(NamedTuple):
    """The mean of single topics' coefficients, where defined, with an interval over topics."""

    value: float
    low: float
    high: float
    n_undefined: int  # topics without a value


def per_topic_of(
    trusted: ScoreMatrix, scores: ScoreMatrix, settings: Settings
) -> dict[str, PerTopic]:
    """Means of coefficients over topics, by column, with Student's t interval; `PAIRS`, jackknifed.

    `scores` are on the trusted matrix's systems and topics. Ends are nan of under two topics.
    """
    if settings.two_samples:
        raise ValueError("`same_topics` must be True for statistics of single topics, got False.")
    if trusted.design is not None:
        rule = "`scores` must be without clusters and strata for statistics of single topics"
        raise ValueError(f"{rule}, got either.")
    reference, estimate = samples_by_topic_name(trusted, [scores], shared=True)
    level, coefficients = settings.level, Coefficients(settings.computed)
    # (n_topics, n_coefficients)
    by_topic = coefficients.of(rounded_scores(reference), rounded_scores(estimate))
    values = pd.DataFrame(by_topic, columns=coefficients.columns)
    # half of the interval, by column: Student's quantile times the mean's standard error
    margin = stdtrit(np.maximum(values.count() - 1, 1), (1.0 + level) / 2.0) * values.sem()
    low, high = ((values.mean() + end).clip(-1.0, 1.0) for end in (-margin, margin))
    columns = (column.tolist() for column in (values.mean(), low, high, values.isna().sum()))
    per_topic = dict(zip(coefficients.columns, map(PerTopic, *columns), strict=True))

    topics = [*zip(reference, estimate, strict=True)]  # both scores of systems, (n_systems,) each
    # largest differences of the other scores that may count as ties: the most accurate is taken
    thresholds = item_pairs.tie_thresholds([*estimate])
    accuracies = np.array([item_pairs.pair_accuracies(*topic, thresholds) for topic in topics])
    accuracy, best, without = item_pairs.calibrated(accuracies)
    chance = item_pairs.chance_accuracies(topics, float(thresholds[best]))
    low_high = jackknife_interval(
        accuracy, without, level, least=0.0, n_items=reference.size, failed=min(chance)
    )
    per_topic[PAIRS] = PerTopic(accuracy, *low_high, 0)
    for without_information, value in zip(("all tied", "at random"), chance, strict=True):
        per_topic[f"{PAIRS} {without_information}"] = PerTopic(value, value, value, 0)
    return per_topic
