"""Pictures of results: each function draws a result and returns the Axes.

All take the Axes to draw on as `ax`; by default they draw on a new figure.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# class of a result -> what its method `plot` draws; with an "s" at the end, of several by measure
PICTURES = {
    "AllowedRanks": "draw_allowed_ranks",
    "BestSystems": "draw_best_systems",
    "Contributions": "draw_contributions",
    "CorrelationResult": "draw_one_true_ranking",
    "DRankResult": "draw_null",
    "DiscriminativePowerResult": "draw_significant_pairs",
    "DiscriminativePowerResults": "draw_asl_curves",
    "ExpectedCorrelationResult": "draw_expected_correlation",
    "JudgeComparison": "draw_correlations",
    "JudgeRanking": "draw_judges",
    "LabelComparison": "draw_labels",
    "JudgmentCurve": "draw_judgment_curve",
    "MeasureMatrix": "draw_measures",
    "RankGeometry": "draw_rank_geometry",
    "RankIntervals": "draw_rank_intervals",
    "StabilityResult": "draw_stability",
    "SwapCurveResult": "draw_swap_curve",
    "SwapRatesResult": "draw_swap_rates",
    "SwapWeights": "draw_swap_weights",
}
