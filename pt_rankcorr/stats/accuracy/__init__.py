"""How accurate is a statistic that other topics would have changed?

Use `rank_intervals` for the ranks of systems, `best_systems` for the systems that may be the best,
`correlation_interval` for a correlation of two measures, `correlation_difference` for two correlations,
`bootstrap_standard_error` for any other statistic, `prediction_powered` for few topics judged by people and many by a
model, and `prediction_quality` for a predictor of topic difficulty.
"""
