"""The base of all statistics: arguments, scores and names, means and ranks, pairs, resamples, workers, results."""

from pt_rankcorr.stats.core.matrix import Rankings

__all__ = ["Rankings"]
