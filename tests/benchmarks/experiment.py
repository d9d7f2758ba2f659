"""`ptr.Experiment` with components against plain `pt.Experiment`, on the embedded collection."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyterrier as pt
from ir_measures import AP, P, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.demo import collection, pipelines
from tests.benchmarks.contests import Contest, Contests
from tests.benchmarks.workload import Workload

COLUMNS = ["AP", "nDCG@10", "P@10"]
WHY = "the host evaluates for ours, too, which checks its input first and computes the components"
SIX = (
    *(ptr.KendallTau(), ptr.TauAP(), ptr.TauGAP(), ptr.DRank(n_resamples=1000, rng=1)),
    *(ptr.ExpectedCorrelation(rng=1), ptr.RankInterval(n_resamples=1000, rng=1)),
)


def contests(load: Workload) -> Contests:
    """The columns that the host has too are compared."""
    data = collection(min(load.sizes.queries, 50))
    systems = dict(list(pipelines(data).items())[: load.sizes.systems])
    retrieved = [system(data.topics) for system in systems.values()]
    for subject, given, meta in (
        ("results", retrieved, ()),
        ("results, six components", retrieved, SIX),
        ("pipelines, six components", list(systems.values()), SIX),
    ):
        inputs = (given, data.topics, data.qrels, [AP, nDCG @ 10, P @ 10], list(systems))
        ours, theirs = partial(ptr.Experiment, *inputs, meta=list(meta)), partial(pt.Experiment, *inputs)
        yield Contest(
            f"Experiment on {subject}, {len(systems)} systems x {len(data.topics)} topics",
            "pt.Experiment" + (", without them" if meta else ""),
            partial(averages, ours),
            partial(averages, theirs),
            why_slower=WHY,
        )


def averages(experiment: partial) -> np.ndarray:
    return experiment()[COLUMNS].to_numpy()
