"""Pictures of results: `draw_*(result, *, ax=None) -> Axes`, which compute nothing."""
