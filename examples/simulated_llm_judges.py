"""How good must a judge be, so that its labels rank systems as the reference labels do?

The script simulates two kinds of judges. A careless judge gives random labels to a share of the documents. A biased
judge makes no random errors, but gives the highest label to the first documents of one system, as a language model may
that prefers its own answers. For each judge it prints how well the labels agree with the reference's (kappa) and how
well the rankings of systems agree. It draws the ranking of the worst judge of each kind.

    python examples/simulated_llm_judges.py
    python examples/simulated_llm_judges.py --favourite "Term frequency" --seed 3

It takes some seconds. Kappa does not separate the two kinds of judges. The number of significant differences that they
reverse does.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ir_measures import AP, nDCG

import pt_rankcorr as rc
from pt_rankcorr import demo
from pt_rankcorr.plots import draw_swaps

ERRORS = (0.1, 0.3, 0.5, 0.7, 0.9)
LIKED = (2, 5, 10, 20)


def main() -> None:
    settings = arguments()
    print(f"{__doc__.splitlines()[0]}\n")
    settings.pictures.mkdir(parents=True, exist_ok=True)
    collection = demo.collection(settings.topics)
    runs = {name: system(collection.topics) for name, system in demo.pipelines(collection).items()}
    qrels, random = collection.qrels, np.random.default_rng(settings.seed)
    judges = {f"careless {share:.0%}": careless(qrels, share, random) for share in ERRORS}
    judges |= {f"biased, first {depth}": biased(qrels, runs[settings.favourite], depth) for depth in LIKED}
    result = rc.compare_judgments(runs, qrels, judges, [AP, nDCG @ 10], rng=settings.seed)
    print(result)
    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 8), layout="constrained")
    draw_swaps(result, f"careless {ERRORS[-1]:.0%}", AP, ax=left)
    draw_swaps(result, f"biased, first {LIKED[-1]}", AP, ax=right)
    figure.savefig(settings.pictures / "simulated_judges.png", dpi=100)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--favourite", default="Term frequency", help="the system that the biased judge favours")
    parser.add_argument("--pictures", type=Path, default=Path(), help="the folder to write a picture to")
    parser.add_argument("--topics", type=int, default=50, help="how many, 2 to 90")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def careless(qrels: pd.DataFrame, share: float, random: np.random.Generator) -> pd.DataFrame:
    """Replaces a share of the labels by those of other documents."""
    guessed = random.random(len(qrels)) < share
    return qrels.assign(label=np.where(guessed, random.permutation(qrels["label"]), qrels["label"]))


def biased(qrels: pd.DataFrame, liked: pd.DataFrame, depth: int) -> pd.DataFrame:
    """The reference labels, but the highest one for the first documents of one system."""
    first = liked[liked["rank"] < depth][["qid", "docno"]].assign(label=qrels["label"].max())
    return pd.concat([first, qrels]).drop_duplicates(["qid", "docno"], ignore_index=True)[["qid", "docno", "label"]]


if __name__ == "__main__":
    main()
