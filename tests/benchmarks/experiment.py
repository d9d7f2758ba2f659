"""`ptr.Experiment` with two components against plain `pt.Experiment`, on the embedded collection."""

from __future__ import annotations

import pyterrier as pt
from ir_measures import AP, P, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.demo import collection, pipelines
from tests.benchmarks.timing import Ratio, ratio


def rows() -> list[Ratio]:
    data = collection()
    systems, measures = pipelines(data), [AP, nDCG @ 10, P @ 10]
    inputs = (systems, data.topics, data.qrels, measures)
    return [
        ratio(
            "Experiment with tau and tau_AP | pt.Experiment, 29 systems x 50 topics",
            lambda: ptr.Experiment(*inputs, meta=[ptr.KendallTau(), ptr.TauAP()]),
            lambda: pt.Experiment(*inputs),
            pairs=9,
        )
    ]


if __name__ == "__main__":
    print(*rows(), sep="\n")
