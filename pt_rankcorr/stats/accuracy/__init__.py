"""How accurate is a statistic that other topics would have changed?

Use `rank_intervals` and `best_systems` for ranks of systems, `correlation_interval` and
`correlation_difference` for correlations of measures, `prediction_powered` for few topics judged by
people and many by a model, and `prediction_quality` for a predictor of topic difficulty.
"""
