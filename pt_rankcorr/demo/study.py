"""The demonstration: how three measures rank 29 systems; or its runs and judgments as files."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import Any

import pandas as pd
from ir_measures import AP, P, nDCG

from pt_rankcorr import components, experiment_tables, text
from pt_rankcorr.atomic_write import write_whole
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.experiment import Experiment
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.text import P_SAME, decimals


@dataclass(frozen=True)
class Study:
    """Systems and their ranks by AP, measures compared with AP, and that in words."""

    by_system: pd.DataFrame
    by_measure: pd.DataFrame
    sentences: tuple[str, ...]


def run(*, n_topics: int = 50, verbose: bool = True) -> Study:
    """Runs the collection's systems through `Experiment`, and compares the measures with AP."""
    data = collection(n_topics)
    meta = [components.KendallTau(level=LEVEL), components.TauAP(), components.TauGAP()]
    meta += [components.DRank(), components.ExpectedCorrelation(), components.RankInterval()]
    both: Any = Experiment(
        pipelines(data),
        data.topics,
        data.qrels,
        [AP, nDCG @ 10, P @ 10],
        meta=meta,
        reference=AP,
        rng=42,  # as in README
        perquery="both",
        verbose=verbose,
    )
    shown_columns = ["name", "AP", "nDCG@10", "P@10", "AP rank", "AP rank low", "AP rank high"]
    by_system = both.averages[shown_columns].sort_values(["AP rank", "name"])
    by_measure = experiment_tables.by_measure(both.perquery)
    rows = by_measure.set_index("measure")
    others = rows.index.drop("AP")
    sentences = [_of_measure(name, rows.loc[name], len(by_system), n_topics) for name in others]
    sentences += [
        f"With other topics in place of these {n_topics}, the ranking by AP would change, too: "
        f"its expected tau_AP with the true ranking is {decimals(rows['E[tau_ap]']['AP'])}.",
        f"Which p-value? Two measured rankings: {P_SAME}. "
        "A ranking that is given, against a measured one: d_rank p-value.",
    ]
    return Study(by_system, by_measure, tuple(sentences))


def _of_measure(measure: str, row: pd.Series[float], n_systems: int, n_topics: int) -> str:
    """Sentences on how a measure ranks the systems beside AP, from its row of `by_measure`."""
    p, p_given = (text.plain(text.p_equals(row[name])) for name in (P_SAME, "d_rank p-value"))
    explains = "does not explain" if row[P_SAME] <= ALPHA else "is enough to explain"
    same = text.if_one_true_ranking("tau")
    of_one_ranking = text.with_interval(row[same], (row[f"{same} low"], row[f"{same} high"]))
    could = "could not" if row["d_rank p-value"] <= ALPHA else "could"
    where = "more" if row["tau_ap"] < row["tau"] else "less"
    swapped = text.percent((1 - row["tau"]) / 2)
    tau, tau_ap = decimals(row["tau"]), decimals(row["tau_ap"])
    low, high = (decimals(row[f"tau {end}"]) for end in ("low", "high"))
    return (
        f"{measure} ranks these {n_systems} systems as AP does with a tau of {tau}; "
        f"its mean over topic samples of this size is {low} to {high} ({text.confidence(LEVEL)}). "
        f"One true ranking would give {of_one_ranking}: "
        f"the noise of {n_topics} topics {explains} why tau is not 1 ({p}). "
        f"{swapped} of all pairs are swapped, {where} among the best systems than elsewhere "
        f"(tau_AP {tau_ap}). If the order by {measure} were given, free of noise, "
        f"it {could} be the true ranking by AP ({p_given})."
    )


def write(folder: str, *, n_topics: int = 50) -> int:
    """Writes `runs/`, their `ap.csv`, and three judges' qrels into a new or empty folder.

    The judge `model` gives its highest label to the first ten documents of TF-IDF, and the labels
    of `reference` to all others; `strict` gives every document one grade less than `reference`.
    Returns the number of runs.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        rule = "The folder to write into must be new or empty"
        raise FileExistsError(f"{rule}, got {text.shown(folder)}.")
    data = collection(n_topics)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    first = runs["TF-IDF"].query("rank < 10")
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
            rows = run.assign(q0="Q0", tag=name.replace(" ", "_"))
            columns = ["qid", "q0", "docno", "rank", "score", "tag"]
            _write(rows[columns], os.path.join(folder, "runs", f"{name}.run"))
        for judge, labels in judges.items():
            rows = labels.assign(q0=0)[["qid", "q0", "docno", "label"]]
            _write(rows, os.path.join(folder, f"{judge}.qrels"))
        write_whole(os.path.join(folder, "ap.csv"), scores.to_csv(lineterminator="\n").encode())
    except BaseException:  # such as a full disk: the next try needs an empty folder
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return len(runs)


def _write(rows: pd.DataFrame, path: str) -> None:
    """Writes rows as TREC's files have them."""
    write_whole(path, rows.to_csv(sep=" ", header=False, index=False).encode())
