"""How near is a measured ranking to the true one, and how many topics are needed?

Use `expected_correlation`; its result says how many topics a target needs. `simulate_topics` draws whole collections
with a known true ranking.
"""

from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.expected.simulation import TopicSimulator, simulate_topics

__all__ = ["TopicSimulator", "expected_correlation", "simulate_topics"]
