"""What people look at: one page that says what an experiment's rankings are worth."""
