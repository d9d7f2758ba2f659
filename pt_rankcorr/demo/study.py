"""The demonstration: 29 systems, 50 topics, three measures, and how the measures' rankings compare; or its files."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import Any

import pandas as pd
from ir_measures import AP, P, nDCG

from pt_rankcorr.atomic_write import write_whole
from pt_rankcorr.components import DRank, ExpectedCorrelation, KendallTau, RankInterval, TauAP, TauGAP
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.experiment import Experiment
from pt_rankcorr.experiment_tables import by_measure
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.text import P_SAME, confidence, decimals, if_one_true_ranking, p_equals, percent, plain, shown

META = (KendallTau(level=LEVEL), TauAP(), TauGAP(), DRank(), ExpectedCorrelation(), RankInterval())

FAVOURITE, FIRST = "TF-IDF", 10  # of the simulated judge


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
        rng=42,  # as in README
        perquery="both",
        verbose=verbose,
    )
    shown_columns = ["name", "AP", "nDCG@10", "P@10", "AP rank", "AP rank low", "AP rank high"]
    averages, table = both.averages, by_measure(both.perquery)
    rows = table.set_index("measure")
    sentences = [_of_measure(name, rows.loc[name], len(averages), n_topics) for name in rows.index if name != "AP"]
    sentences += [
        f"With other topics in place of these {n_topics}, the ranking by AP would change, too: its expected tau_AP "
        f"with the true ranking is {decimals(rows['E[tau_ap]']['AP'])}.",
        f"Which p-value? Two measured rankings: {P_SAME}. A ranking that is given, against a measured one: d_rank "
        "p-value.",
    ]
    return Study(averages[shown_columns].sort_values(["AP rank", "name"]), table, tuple(sentences))


def _of_measure(measure: str, row: pd.Series[float], n_systems: int, n_topics: int) -> str:
    """Sentences on how a measure ranks the systems beside AP, from its row of `by_measure`."""
    p, p_given = (plain(p_equals(row[name])) for name in (P_SAME, "d_rank p-value"))
    explains = "does not explain" if row[P_SAME] <= ALPHA else "is enough to explain"
    same = if_one_true_ranking("tau")
    same_low, same_high = (decimals(row[f"{same} {end}"]) for end in ("low", "high"))
    could = "could not" if row["d_rank p-value"] <= ALPHA else "could"
    where = "more" if row["tau_ap"] < row["tau"] else "less"
    low, high = (decimals(row[f"tau {end}"]) for end in ("low", "high"))
    return (
        f"{measure} ranks these {n_systems} systems as AP does with a tau of {decimals(row['tau'])}; its mean "
        f"over topic samples of this size is {low} to {high} ({confidence(LEVEL)}). One true ranking would give "
        f"{decimals(row[same])} [{same_low}, {same_high}]: the noise of {n_topics} topics {explains} why tau is not 1 "
        f"({p}). "
        f"{percent((1 - row['tau']) / 2)} of all pairs are swapped, {where} among the best systems than elsewhere "
        f"(tau_AP {decimals(row['tau_ap'])}). If the order by {measure} were given, free of noise, it {could} be the "
        f"true ranking by AP ({p_given})."
    )


def write(folder: str, *, n_topics: int = 50) -> int:
    """Writes `runs/`, their `ap.csv`, and the labels `reference`, `model` and `strict` into a new or empty folder.

    The model gives its highest label to the first ten documents of TF-IDF, and the reference's labels to all others.
    The strict judge gives every document one grade less than the reference. Returns the number of runs.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise FileExistsError(f"The folder to write into must be new or empty, got {shown(folder)}.")
    data = collection(n_topics)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    first = runs[FAVOURITE].query("rank < @FIRST")
    favoured = first[["qid", "docno"]].assign(label=data.qrels["label"].max())
    judges = {
        "reference": data.qrels,
        "model": pd.concat([favoured, data.qrels]).drop_duplicates(["qid", "docno"]),
        "strict": data.qrels.assign(label=(data.qrels["label"] - 1).clip(lower=0)),
    }
    scores = scores_from_runs(runs, data.qrels, [AP], verbose=False)["AP"].to_frame()
    try:
        os.makedirs(os.path.join(folder, "runs"), exist_ok=True)
        for name, run in runs.items():
            ranked = run.assign(q0="Q0", tag=name.replace(" ", "_"))[["qid", "q0", "docno", "rank", "score", "tag"]]
            _write(ranked, os.path.join(folder, "runs", f"{name}.run"))
        for judge, labels in judges.items():
            _write(labels.assign(q0=0)[["qid", "q0", "docno", "label"]], os.path.join(folder, f"{judge}.qrels"))
        write_whole(os.path.join(folder, "ap.csv"), scores.to_csv(lineterminator="\n").encode())
    except BaseException:  # such as a full disk: the next try needs an empty folder
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return len(runs)


def _write(rows: pd.DataFrame, path: str) -> None:
    """Writes rows as TREC's files have them."""
    write_whole(path, rows.to_csv(sep=" ", header=False, index=False).encode())
