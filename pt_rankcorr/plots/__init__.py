"""Pictures of results: each function takes a result and, optionally, an Axes to draw on, and returns the Axes."""

from pt_rankcorr.plots.comparison import (
    draw_distances,
    draw_judges,
    draw_judgment_curve,
    draw_labels,
    draw_measures,
    draw_swaps,
)
from pt_rankcorr.plots.expected import draw_discordance, draw_expected_correlation
from pt_rankcorr.plots.rank_distance import (
    draw_allowed_ranks,
    draw_best_systems,
    draw_null,
    draw_rank_geometry,
    draw_rank_intervals,
)
from pt_rankcorr.plots.sensitivity import (
    draw_asl_curves,
    draw_correlation_errors,
    draw_significant_pairs,
    draw_stability,
    draw_swap_curve,
    draw_swap_rates,
)
from pt_rankcorr.plots.weights import draw_coefficients, draw_contributions, draw_rankings, draw_swap_weights
from pt_rankcorr.tables import PICTURES

__all__ = [
    "draw_allowed_ranks",
    "draw_asl_curves",
    "draw_best_systems",
    "draw_coefficients",
    "draw_contributions",
    "draw_correlation_errors",
    "draw_discordance",
    "draw_distances",
    "draw_expected_correlation",
    "draw_judges",
    "draw_judgment_curve",
    "draw_labels",
    "draw_measures",
    "draw_null",
    "draw_rank_geometry",
    "draw_rank_intervals",
    "draw_rankings",
    "draw_significant_pairs",
    "draw_stability",
    "draw_swap_curve",
    "draw_swap_rates",
    "draw_swap_weights",
    "draw_swaps",
]

# what the method `plot` of results draws; of several by measure where the name ends in "s"
PICTURES.update(
    {
        "AllowedRanks": draw_allowed_ranks,
        "BestSystems": draw_best_systems,
        "Contributions": draw_contributions,
        "DRankResult": draw_null,
        "DiscriminativePowerResult": draw_significant_pairs,
        "DiscriminativePowerResults": draw_asl_curves,
        "ExpectedCorrelationResult": draw_expected_correlation,
        "JudgeComparison": draw_distances,
        "JudgeRanking": draw_judges,
        "LabelComparison": draw_labels,
        "JudgmentCurve": draw_judgment_curve,
        "MeasureMatrix": draw_measures,
        "RankGeometry": draw_rank_geometry,
        "RankIntervals": draw_rank_intervals,
        "StabilityResult": draw_stability,
        "SwapCurveResult": draw_swap_curve,
        "SwapRatesResult": draw_swap_rates,
        "SwapWeights": draw_swap_weights,
    }
)
