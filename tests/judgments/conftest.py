"""Property tests: many and small, and never failed for being slow on a busy machine."""

from hypothesis import settings

settings.register_profile("judgments", max_examples=40, deadline=None)
settings.load_profile("judgments")
