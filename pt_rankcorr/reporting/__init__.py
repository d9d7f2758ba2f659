"""The report for people: one page that says what an experiment's rankings are worth."""
