"""The synthetic collection as files: its runs, its reference labels, and those of two judges."""

from __future__ import annotations

import os

import pandas as pd
from ir_measures import AP

from pt_rankcorr.demo.collection import collection, pipelines
from pt_rankcorr.io.runs import scores_from_runs
from pt_rankcorr.text import shown
from pt_rankcorr.whole_file import write_whole

FAVOURITE, FIRST = "TF-IDF", 10


def write(folder: str, *, n_topics: int = 50) -> int:
    """Writes `runs/`, their `ap.csv`, and the labels `reference`, `model` and `strict` into a new or empty folder.

    The model gives its highest label to the first ten documents of TF-IDF, and the reference's labels to all others.
    The strict judge gives every document one grade less than the reference. Returns the number of runs.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise FileExistsError(f"The folder to write into must be new or empty, got {shown(folder)}.")
    data = collection(n_topics)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    os.makedirs(os.path.join(folder, "runs"), exist_ok=True)
    for name, run in runs.items():
        ranked = run.assign(q0="Q0", tag=name.replace(" ", "_"))[["qid", "q0", "docno", "rank", "score", "tag"]]
        _write(ranked, os.path.join(folder, "runs", f"{name}.run"))
    strict = data.qrels.assign(label=(data.qrels["label"] - 1).clip(lower=0))
    judges = {"reference": data.qrels, "model": _favouring(runs[FAVOURITE], data.qrels), "strict": strict}
    for judge, labels in judges.items():
        _write(labels.assign(q0=0)[["qid", "q0", "docno", "label"]], os.path.join(folder, f"{judge}.qrels"))
    scores = scores_from_runs(runs, data.qrels, [AP], verbose=False)["AP"].to_frame()
    write_whole(os.path.join(folder, "ap.csv"), scores.to_csv(lineterminator="\n").encode())
    return len(runs)


def _favouring(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    liked = run[run["rank"] < FIRST][["qid", "docno"]].assign(label=qrels["label"].max())
    return pd.concat([liked, qrels]).drop_duplicates(["qid", "docno"])


def _write(rows: pd.DataFrame, path: str) -> None:
    write_whole(path, rows.to_csv(sep=" ", header=False, index=False).encode())
