from .comparison import draw_correlations as draw_correlations
from .comparison import draw_distances as draw_distances
from .comparison import draw_judges as draw_judges
from .comparison import draw_judgment_curve as draw_judgment_curve
from .comparison import draw_labels as draw_labels
from .comparison import draw_measures as draw_measures
from .comparison import draw_swaps as draw_swaps
from .rankings import draw_allowed_ranks as draw_allowed_ranks
from .rankings import draw_best_systems as draw_best_systems
from .rankings import draw_coefficients as draw_coefficients
from .rankings import draw_contributions as draw_contributions
from .rankings import draw_null as draw_null
from .rankings import draw_one_true_ranking as draw_one_true_ranking
from .rankings import draw_rank_geometry as draw_rank_geometry
from .rankings import draw_rank_intervals as draw_rank_intervals
from .rankings import draw_rankings as draw_rankings
from .rankings import draw_swap_weights as draw_swap_weights
from .topics import draw_asl_curves as draw_asl_curves
from .topics import draw_discordance as draw_discordance
from .topics import draw_expected_correlation as draw_expected_correlation
from .topics import draw_significant_pairs as draw_significant_pairs
from .topics import draw_stability as draw_stability
from .topics import draw_swap_curve as draw_swap_curve
from .topics import draw_swap_rates as draw_swap_rates

PICTURES: dict[str, str]
