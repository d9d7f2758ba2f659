"""Do two rankings differ by more than the choice of topics explains? d_rank and its tests.

Use `d_rank` for two rankings, and `DRankTest` for many rankings against one reference.
`allowed_ranks` says which ranks a system has in the rankings that the test accepts, and
`rank_geometry` shows the distance for three systems.
"""
