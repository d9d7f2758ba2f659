"""The demonstration as files: its runs, the labels by people, and those of a judge who favours one system."""

from __future__ import annotations

import os

import pandas as pd

from pt_rankcorr.demo.generator import collection
from pt_rankcorr.demo.systems import pipelines
from pt_rankcorr.text import shown
from pt_rankcorr.whole_file import write_whole

FAVOURITE, FIRST = "TF-IDF", 10


def write(folder: str, *, n_topics: int = 50) -> int:
    """Writes `runs/`, `people.qrels` and `model.qrels` into a new or empty folder; returns the number of runs.

    The model gives its highest label to the first ten documents of TF-IDF, and people's labels to all others.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise FileExistsError(f"The folder to write into must be new or empty, got {shown(folder)}.")
    data = collection(n_topics)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    os.makedirs(os.path.join(folder, "runs"), exist_ok=True)
    for name, run in runs.items():
        ranked = run.assign(q0="Q0", tag=name.replace(" ", "_"))[["qid", "q0", "docno", "rank", "score", "tag"]]
        _write(ranked, os.path.join(folder, "runs", f"{name}.run"))
    for judge, labels in {"people": data.qrels, "model": _favouring(runs[FAVOURITE], data.qrels)}.items():
        _write(labels.assign(q0=0)[["qid", "q0", "docno", "label"]], os.path.join(folder, f"{judge}.qrels"))
    return len(runs)


def _favouring(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    liked = run[run["rank"] < FIRST][["qid", "docno"]].assign(label=qrels["label"].max())
    return pd.concat([liked, qrels]).drop_duplicates(["qid", "docno"])


def _write(rows: pd.DataFrame, path: str) -> None:
    write_whole(path, rows.to_csv(sep=" ", header=False, index=False).encode())
