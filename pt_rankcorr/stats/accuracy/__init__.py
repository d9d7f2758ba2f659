"""How accurate is a statistic that other topics would have changed?

Use `rank_intervals` for the ranks of systems, `best_systems` for the systems that may be the best,
`correlation_interval` for a correlation of two measures, `correlation_difference` for two correlations,
`bootstrap_standard_error` for any other statistic, `prediction_powered` for few topics judged by people and many by a
model, and `prediction_quality` for a predictor of topic difficulty.
"""

from pt_rankcorr.stats.accuracy.best import best_systems
from pt_rankcorr.stats.accuracy.correlation import correlation_interval
from pt_rankcorr.stats.accuracy.difference import correlation_difference
from pt_rankcorr.stats.accuracy.prediction import prediction_quality
from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.accuracy.standard_error import bootstrap_standard_error

__all__ = [
    "best_systems",
    "bootstrap_standard_error",
    "correlation_difference",
    "correlation_interval",
    "prediction_powered",
    "prediction_quality",
    "rank_intervals",
]
