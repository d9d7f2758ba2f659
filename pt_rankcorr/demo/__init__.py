"""A test collection and retrieval systems to try things on: no files, no network, no Java."""

from pt_rankcorr.demo.generator import Collection, collection
from pt_rankcorr.demo.systems import pipelines

__all__ = ["Collection", "collection", "pipelines"]
