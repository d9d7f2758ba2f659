"""A synthetic test collection and retrieval systems to try things on: no network, no Java."""

from pt_rankcorr.demo.collection import Collection, collection, pipelines, scores

__all__ = ["Collection", "collection", "pipelines", "scores"]
