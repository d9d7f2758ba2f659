from .comparison import draw_distances as draw_distances
from .comparison import draw_judges as draw_judges
from .comparison import draw_judgment_curve as draw_judgment_curve
from .comparison import draw_labels as draw_labels
from .comparison import draw_measures as draw_measures
from .comparison import draw_swaps as draw_swaps
from .expected import draw_discordance as draw_discordance
from .expected import draw_expected_correlation as draw_expected_correlation
from .rank_distance import draw_allowed_ranks as draw_allowed_ranks
from .rank_distance import draw_best_systems as draw_best_systems
from .rank_distance import draw_null as draw_null
from .rank_distance import draw_rank_geometry as draw_rank_geometry
from .rank_distance import draw_rank_intervals as draw_rank_intervals
from .sensitivity import draw_asl_curves as draw_asl_curves
from .sensitivity import draw_correlation_errors as draw_correlation_errors
from .sensitivity import draw_significant_pairs as draw_significant_pairs
from .sensitivity import draw_stability as draw_stability
from .sensitivity import draw_swap_curve as draw_swap_curve
from .sensitivity import draw_swap_rates as draw_swap_rates
from .weights import draw_coefficients as draw_coefficients
from .weights import draw_contributions as draw_contributions
from .weights import draw_rankings as draw_rankings
from .weights import draw_swap_weights as draw_swap_weights

PICTURES: dict[str, str]
