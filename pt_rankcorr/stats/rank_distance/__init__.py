"""Do two rankings differ by more than the choice of topics explains? d_rank, its tests, and the ranks that it allows.

Use `d_rank` for two rankings, and `DRankTest` for many rankings against one reference. `allowed_ranks` says which
ranks a system has in the rankings that the test accepts, and `rank_geometry` shows the distance for three systems.
"""

from pt_rankcorr.stats.rank_distance.allowed import allowed_ranks
from pt_rankcorr.stats.rank_distance.geometry import rank_geometry
from pt_rankcorr.stats.rank_distance.test import DRankTest, d_rank

__all__ = ["DRankTest", "allowed_ranks", "d_rank", "rank_geometry"]
