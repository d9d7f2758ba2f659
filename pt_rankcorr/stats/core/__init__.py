"""The base of all statistics: types, arguments, scores, names, means, ranks, resamples, workers."""
