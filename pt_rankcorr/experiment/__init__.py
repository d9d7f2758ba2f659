"""`pt.Experiment`, with statistics of its measures' rankings of systems."""

from pt_rankcorr.experiment.run import Experiment

__all__ = ["Experiment"]
