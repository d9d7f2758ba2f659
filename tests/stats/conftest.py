"""Property tests of statistics: many and small, and never failed for being slow on a busy machine."""

from hypothesis import settings

settings.register_profile("statistics", max_examples=40, deadline=None)
settings.load_profile("statistics")
