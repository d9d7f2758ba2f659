"""How scores come in: every file reads one kind of source, and returns `Scores`."""
