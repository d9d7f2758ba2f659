"""`pt.Experiment`, and what its measures say about the rankings of the systems."""

from pt_rankcorr.experiment.run import Experiment

__all__ = ["Experiment"]
