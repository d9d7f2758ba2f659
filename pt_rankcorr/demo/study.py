"""The demonstration: 29 systems, 50 topics, three measures, and how the measures' rankings compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from ir_measures import AP, P, nDCG

from pt_rankcorr.components.frames import by_measure
from pt_rankcorr.components.of_each import ExpectedCorrelation, RankInterval
from pt_rankcorr.components.of_reference import DRank, KendallTau, TauAP, TauGAP
from pt_rankcorr.demo.collection import collection, pipelines
from pt_rankcorr.experiment import Experiment
from pt_rankcorr.text import p_equals, percent

META = (KendallTau(), TauAP(), TauGAP(), DRank(n_resamples=2000), ExpectedCorrelation(), RankInterval(n_resamples=2000))


@dataclass(frozen=True)
class Study:
    """The result of the demonstration: systems and their ranks by AP, measures against AP, and the latter in words."""

    by_system: pd.DataFrame
    by_measure: pd.DataFrame
    sentences: tuple[str, ...]


def run(*, n_topics: int = 50, verbose: bool = True) -> Study:
    """Runs the systems of the collection through `Experiment`, and compares the measures with AP."""
    data = collection(n_topics)
    both: Any = Experiment(
        pipelines(data),
        data.topics,
        data.qrels,
        [AP, nDCG @ 10, P @ 10],
        meta=META,
        reference=AP,
        rng=42,  # as README
        perquery="both",
        verbose=verbose,
    )
    of_systems = ["name", "AP", "nDCG@10", "P@10", "AP rank", "AP rank low", "AP rank high"]
    averages, table = both.averages, by_measure(both.perquery)
    return Study(
        averages[of_systems].sort_values(["AP rank", "name"]), table, _sentences(table, len(averages), n_topics)
    )


def _sentences(table: pd.DataFrame, n_systems: int, n_topics: int) -> tuple[str, ...]:
    rows = table.set_index("measure")
    sure = float(rows["E[tau_ap]"]["AP"])
    return (
        *(_of_measure(name, rows.loc[name], n_systems, n_topics) for name in rows.index if name != "AP"),
        f"With other topics in place of these {n_topics}, the ranking by AP would change, too: its expected tau_AP "
        f"with the true ranking is {sure:.2f}.",
    )


def _of_measure(measure: str, row: pd.Series[float], n_systems: int, n_topics: int) -> str:
    pvalue = row["d_rank p-value"]
    p = p_equals(pvalue).replace("\u00a0", " ")
    verdict = (
        f"The order of these {n_systems} systems by {measure} could not be the true one by AP ({p})"
        if pvalue < 0.05
        else f"The order by {measure} could be the true one by AP, as far as these {n_topics} topics can tell ({p})"
    )
    where = "more" if row["tau_ap"] < row["tau"] else "less"
    return (
        f"{verdict}: {percent((1 - row['tau']) / 2)} of all pairs are swapped (tau {row['tau']:.2f}), "
        f"{where} among the best systems than elsewhere (tau_AP {row['tau_ap']:.2f})."
    )
