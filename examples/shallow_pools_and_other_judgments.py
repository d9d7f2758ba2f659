"""Four studies of judgments and measures: section 4.3 of Carterette (SIGIR 2009), on any runs.

    measures: d_rank and its p-value between each two measures (table 1)
    shallow pools: which depth is enough for a ranking that is not significantly different from the full one (table 2)
    incomplete judgments: the same by the share of judgments that are kept, with bpref among the measures (figure 4)
    random judgments: their rankings can have a tau far above 0, and d_rank rejects them

    python examples/shallow_pools_and_other_judgments.py                                 # demonstration
    python examples/shallow_pools_and_other_judgments.py --runs runs/ --qrels my.qrels   # TREC runs
    python examples/shallow_pools_and_other_judgments.py --runs runs/ --irds vaswani     # judgments of ir-datasets
    python examples/shallow_pools_and_other_judgments.py --vaswani vaswani/              # documents, topics, qrels

It prints tables and writes two pictures. The test of d_rank is the package's default. The published test rejects
true rankings too often if systems are many.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from ir_measures import AP, Bpref, P, Rprec, nDCG

import pt_rankcorr as ptr
from pt_rankcorr import demo
from pt_rankcorr.adapters.irds import qrels_of
from pt_rankcorr.adapters.retrieved import read_qrels
from pt_rankcorr.adapters.runs import named_runs
from pt_rankcorr.comparison.curve import JudgmentCurve
from pt_rankcorr.comparison.judged import JudgmentComparison
from pt_rankcorr.judgments import pseudo_judgments
from pt_rankcorr.plots import draw_judgment_curve, draw_measures

MEASURES = [AP, P @ 10, Rprec, Bpref]
DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def main() -> None:
    settings = arguments()
    runs, qrels = load(settings)
    seed = settings.seed
    measures = ptr.compare(ptr.scores_from_runs(runs, qrels, MEASURES, verbose=False), rng=seed)
    print(f"Measures against measures\n{measures}\n")
    pools = ptr.judgment_curve(runs, qrels, MEASURES, depths=DEPTHS, rng=seed, verbose=False)
    print(f"Shallow pools\n{needed(pools)}\n")
    shares = ptr.judgment_curve(runs, qrels, MEASURES, shares=SHARES, repetitions=5, rng=seed, verbose=False)
    print(f"Incomplete judgments\n{needed(shares)}\n")
    random = {f"set {n}": pseudo_judgments(runs, depth=20, share=0.1, rng=seed + n) for n in range(10)}
    pseudo = ptr.compare_judgments(runs, qrels, random, [AP, nDCG], rng=seed, verbose=False)
    print(f"Pseudo-judgments, mean of 10 random sets\n{averages(pseudo)}")
    draw(measures.matrix(), pools, shares, settings.pictures)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=Path, help="a folder of TREC runs")
    parser.add_argument("--qrels", type=Path, help="the judgments for them")
    parser.add_argument("--irds", help="or the id of a dataset of ir-datasets that has them")
    parser.add_argument("--vaswani", type=Path, help="a folder with doc-text.trec, query-text.trec and qrels")
    parser.add_argument("--pictures", type=Path, default=Path(), help="the folder to write pictures to")
    parser.add_argument("--seed", type=int, default=1)
    settings = parser.parse_args()
    if settings.runs is not None and (settings.qrels is None) == (settings.irds is None):
        parser.error("--runs needs either --qrels or --irds")
    return settings


# --- runs and judgments -------------------------------------------------------------------------------------------


def load(settings: argparse.Namespace) -> tuple[Mapping[str, Any], pd.DataFrame]:
    if settings.runs is not None:
        judged = qrels_of(settings.irds, download=False) if settings.irds else settings.qrels
        return named_runs(settings.runs), read_qrels(judged)
    collection = demo.collection() if settings.vaswani is None else vaswani(settings.vaswani)
    runs = {name: system(collection.topics) for name, system in demo.pipelines(collection).items()}
    if settings.vaswani is None:
        return runs, collection.qrels
    return runs, with_the_rest_not_relevant(collection.qrels, runs)


def vaswani(folder: Path) -> demo.Collection:
    documents = re.findall(r"<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", (folder / "doc-text.trec").read_text(), re.DOTALL)
    topics = re.findall(r"<num>(\d+)</num><title>(.*?)</title>", (folder / "query-text.trec").read_text(), re.DOTALL)
    return demo.Collection(
        pd.DataFrame(documents, columns=["docno", "text"]),
        pd.DataFrame(topics, columns=["qid", "query"]),
        read_qrels(folder / "qrels").rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}),
    )


def with_the_rest_not_relevant(relevant: pd.DataFrame, runs: Mapping[str, Any]) -> pd.DataFrame:
    """Vaswani lists relevant documents only; all others are judged not relevant, which bpref must know."""
    rest = pseudo_judgments(runs, depth=200, share=0)
    return pd.concat([relevant, rest]).drop_duplicates(["qid", "docno"], ignore_index=True)[["qid", "docno", "label"]]


# --- what is shown ------------------------------------------------------------------------------------------------


def needed(curve: JudgmentCurve) -> str:
    """For each measure the median tau and p-value along the curve, and where it becomes good enough."""
    rows = []
    for measure in curve.measures:
        tau, pvalue = curve.band(measure, "tau"), curve.band(measure, "pvalue")
        cells = {f"{x:g}": f"{t:.2f} ({p:.3f})" for x, t, p in zip(tau.x, tau.middle, pvalue.middle, strict=True)}
        ends = {"tau >= .9 from": curve.reaches(measure, 0.9), "p > .05 from": curve.indistinguishable_from(measure)}
        rows.append({"measure": measure, **cells, **ends})
    caption = f"tau (p-value of d_rank) by {curve.kind}, medians over {curve.repetitions} repetitions"
    return f"{caption}\n{pd.DataFrame(rows).to_string(index=False)}"


def averages(comparison: JudgmentComparison) -> str:
    by_measure = comparison.to_frame().groupby("measure", sort=False)
    table = by_measure[["kappa_binary", "tau", "tau_ap", "d_rank", "pvalue"]].mean()
    return table.assign(largest_pvalue=by_measure["pvalue"].max()).round(4).to_string()


def draw(matrix: Any, pools: JudgmentCurve, shares: JudgmentCurve, folder: Path) -> None:
    figure, panels = plt.subplots(2, 2, figsize=(12, 9), layout="constrained")
    for row, curve in zip(panels, (pools, shares), strict=True):
        draw_judgment_curve(curve, "tau", ax=row[0])
        draw_judgment_curve(curve, "pvalue", ax=row[1])
    figure.savefig(folder / "fewer_judgments.png", dpi=100)
    draw_measures(matrix).figure.savefig(folder / "measures.png", dpi=100)


if __name__ == "__main__":
    main()
