"""The base of all statistics: arguments, scores as arrays, means and ranks, pairs, resamples, workers, results."""

from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.summaries import geometric_mean

__all__ = ["Rankings", "geometric_mean"]
