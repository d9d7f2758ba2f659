"""The defaults that many functions share, each once."""

from __future__ import annotations

from typing import Final


class UnnamedCollection(str):
    """What the only collection is called if nobody named it; no given name is of this class."""


UNNAMED_COLLECTION = UnnamedCollection("scores")

LEVEL = 0.95  # of intervals
ALPHA = 0.05  # the level of tests
RESAMPLES = 10_000  # for p-values and ranks
ERROR_RESAMPLES = 2_000  # for standard errors
PAIR_TEST: Final = "max-t"  # of pairs of systems; it corrects for all pairs
FEWER_RESAMPLES = 1_000  # for the published bootstrap tests
RIDGE = 1e-5  # added to the variances of differences for d_rank
# times the topics at hand: as far as simulations have checked curves over numbers of topics
CHECKED_MULTIPLE = 2
