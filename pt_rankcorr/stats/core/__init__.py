"""The base of all statistics: types, arguments, scores and their names, means and ranks, resamples and workers."""
