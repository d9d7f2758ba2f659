"""`ptr.Experiment` with components against plain `pt.Experiment`, on the embedded collection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import AP, P, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.demo import collection, pipelines
from tests.benchmarks.contests import Contest, Entries
from tests.benchmarks.workload import Workload

COLUMNS = ["AP", "nDCG@10", "P@10"]


def contests(load: Workload) -> Entries:
    """The columns that the host has too are compared."""
    data = collection(min(load.sizes.queries, 50))
    systems = dict(list(pipelines(data).items())[: load.sizes.systems])
    retrieved = [system(data.topics) for system in systems.values()]
    size = f"{len(systems)} systems x {len(data.topics)} topics"
    six = [
        ptr.KendallTau(),
        ptr.TauAP(),
        ptr.TauGAP(),
        ptr.DRank(n_resamples=1000, rng=1),
        ptr.ExpectedCorrelation(rng=1),
        ptr.RankInterval(n_resamples=1000, rng=1),
    ]
    for subject, given, meta in (
        ("Experiment on results", retrieved, []),
        ("Experiment on results, six components", retrieved, six),
        ("Experiment on pipelines, six components", list(systems.values()), six),
    ):
        inputs: tuple[Any, ...] = (given, data.topics, data.qrels, [AP, nDCG @ 10, P @ 10], list(systems))
        yield Contest(
            f"{subject}, {size}",
            "pt.Experiment" if not meta else "pt.Experiment, without them",
            lambda inputs=inputs, meta=meta: averages(ptr.Experiment(*inputs, meta=meta)),
            lambda inputs=inputs: averages(pt.Experiment(*inputs)),
            why_slower="the host evaluates for ours, too, which checks its input first and computes the components",
        )


def averages(frame: pd.DataFrame) -> np.ndarray:
    return frame[COLUMNS].to_numpy()
