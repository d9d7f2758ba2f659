"""The picture of the README: systems ranked by reference labels, and by those of a judge that favours one system.

    python examples/two_rankings.py two_rankings.svg

The judge gives the highest label to the first ten documents of the system TF-IDF.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
from ir_measures import nDCG

import pt_rankcorr as rc
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.plots import draw_swaps

SYSTEMS = ["BM25", "BM25 b=0", "LM + RM3", "TF-IDF", "TF-IDF cosine", "PL2 c=0.5", "DPH", "DPH + Bo1", "Term frequency"]


def main(path: Path) -> None:
    print(f"{__doc__.splitlines()[0]}\n")
    data = collection()
    runs = {name: system(data.topics) for name, system in pipelines(data).items() if name in SYSTEMS}
    liked = runs["TF-IDF"]
    first = liked[liked["rank"] < 10][["qid", "docno"]].assign(label=data.qrels["label"].max())
    judge = data.qrels.merge(first, on=["qid", "docno"], how="outer", suffixes=("", " liked"))
    judge["label"] = judge["label liked"].fillna(judge["label"]).astype(int)
    comparison = rc.compare_judgments(
        runs, data.qrels, {"a judge who likes TF-IDF": judge[["qid", "docno", "label"]]}, [nDCG @ 10], rng=1
    )
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "two rankings", "font.size": 11}):
        axes = draw_swaps(comparison, "a judge who likes TF-IDF", nDCG @ 10)
        axes.figure.set_size_inches(7.5, 4.2)
        path.parent.mkdir(parents=True, exist_ok=True)
        axes.figure.savefig(path, metadata={"Date": None})
    print(comparison)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", nargs="?", type=Path, default=Path("two_rankings.svg"), help="the picture to write")
    main(parser.parse_args().path)
