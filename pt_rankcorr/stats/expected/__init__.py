"""How near is a measured ranking to the true one, and how many topics are needed?

Use `expected_correlation`; its result says how many topics a target needs. `TopicSimulator` draws
whole collections with a known true ranking.
"""
