"""Pictures of results: each takes a result, and an Axes if it is to draw there, and returns the Axes."""

from pt_rankcorr.plots.comparison import draw_distances, draw_judgment_curve, draw_measures, draw_swaps
from pt_rankcorr.plots.expected import draw_discordance, draw_expected_correlation
from pt_rankcorr.plots.judges import draw_judges
from pt_rankcorr.plots.rank_distance import draw_allowed_ranks, draw_null, draw_rank_geometry, draw_rank_intervals
from pt_rankcorr.plots.sensitivity import (
    draw_asl_curves,
    draw_correlation_errors,
    draw_significant_pairs,
    draw_stability,
    draw_swap_curve,
    draw_swap_rates,
)
from pt_rankcorr.plots.weights import draw_coefficients, draw_contributions, draw_rankings, draw_swap_weights

__all__ = [
    "draw_allowed_ranks",
    "draw_asl_curves",
    "draw_coefficients",
    "draw_contributions",
    "draw_correlation_errors",
    "draw_discordance",
    "draw_distances",
    "draw_expected_correlation",
    "draw_judges",
    "draw_judgment_curve",
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
