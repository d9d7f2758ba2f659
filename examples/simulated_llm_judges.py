"""Judges of falling quality, as language models may be: when do their labels rank systems as assessors do?

Two kinds of judges are simulated. The careless one takes a random label for a share of the documents, drawn from the
labels that assessors gave. The biased one does not err at random: it also finds relevant what one retrieval system
ranks high, as a model does that likes its own answers. For each the script prints the agreement of the labels (Cohen's
kappa) and of the rankings, and it draws the ranking under the worst judge of each kind.

    python simulated_llm_judges.py
    python simulated_llm_judges.py --favourite "Term frequency" --seed 3

It takes some seconds. Kappa alone does not tell the two kinds apart; the reversed pairs do.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from ir_measures import AP, nDCG

from pt_rankcorr import demo
from pt_rankcorr.comparison.judged import compare_judgments
from pt_rankcorr.plots.comparison import draw_swaps

ERRORS = (0.1, 0.3, 0.5, 0.7, 0.9)
LIKED = (2, 5, 10, 20)


def main() -> None:
    settings = arguments()
    collection = demo.collection()
    runs = {name: system(collection.topics) for name, system in demo.pipelines(collection).items()}
    qrels, random = collection.qrels, np.random.default_rng(settings.seed)
    judges = {f"careless {share:.0%}": careless(qrels, share, random) for share in ERRORS}
    judges |= {f"biased, first {depth}": biased(qrels, runs[settings.favourite], depth) for depth in LIKED}
    result = compare_judgments(runs, qrels, judges, [AP, nDCG @ 10], rng=settings.seed, verbose=False)
    print(result)
    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 8), layout="constrained")
    draw_swaps(result, f"careless {ERRORS[-1]:.0%}", AP, ax=left)
    draw_swaps(result, f"biased, first {LIKED[-1]}", AP, ax=right)
    figure.savefig(settings.pictures / "simulated_judges.png", dpi=100)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--favourite", default="Term frequency", help="the system that the biased judge likes")
    parser.add_argument("--pictures", type=Path, default=Path(), help="the folder to write a picture to")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def careless(qrels: pd.DataFrame, share: float, random: np.random.Generator) -> pd.DataFrame:
    """A share of the labels replaced by those of other documents."""
    guessed = random.random(len(qrels)) < share
    return qrels.assign(label=np.where(guessed, random.permutation(qrels["label"]), qrels["label"]))


def biased(qrels: pd.DataFrame, liked: pd.DataFrame, depth: int) -> pd.DataFrame:
    """The labels of the assessors, and the highest one for the first documents of one system."""
    first = liked[liked["rank"] < depth][["qid", "docno"]].assign(label=qrels["label"].max())
    return pd.concat([first, qrels]).drop_duplicates(["qid", "docno"], ignore_index=True)[["qid", "docno", "label"]]


if __name__ == "__main__":
    main()
