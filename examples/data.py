"""Scores for the examples: of the demonstration's synthetic collection, or of your own runs.

The short examples take the same arguments:

    python examples/which_systems_may_be_best.py                                    # 29 systems, synthetic documents
    python examples/which_systems_may_be_best.py --runs runs/ --qrels my.qrels      # TREC runs and judgments
    python examples/which_systems_may_be_best.py --runs runs/ --qrels irds:vaswani  # judgments of ir-datasets
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import ir_datasets

import pt_rankcorr as rc
from pt_rankcorr.demo import collection, pipelines


def arguments(documentation: str) -> argparse.ArgumentParser:
    """The arguments that all short examples take."""
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    parser.add_argument("--runs", help="a folder of TREC runs; without it the demonstration's synthetic collection")
    parser.add_argument("--qrels", help="judgments of the runs: a TREC qrels file, or irds: and an id of ir-datasets")
    parser.add_argument("--topics", type=int, default=50, help="how many, of the synthetic collection: 2 to 90")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def ask(documentation: str) -> None:
    """Prints the question that an example answers."""
    print(f"{documentation.splitlines()[0]}\n")


def scores(options: argparse.Namespace, measures: Sequence[object]) -> rc.Scores:
    """The scores of the systems, by these measures."""
    return rc.scores_from_runs(*runs_and_qrels(options), measures, verbose=False)


def runs_and_qrels(options: argparse.Namespace) -> tuple[Any, Any]:
    """Runs and judgments, as `rc.scores_from_runs` takes them."""
    if bool(options.runs) != bool(options.qrels):
        raise SystemExit("--runs and --qrels go together")
    if not options.runs:
        synthetic = collection(options.topics)
        return {name: system(synthetic.topics) for name, system in pipelines(synthetic).items()}, synthetic.qrels
    if not options.qrels.startswith("irds:"):
        return options.runs, options.qrels
    return options.runs, list(ir_datasets.load(options.qrels.removeprefix("irds:")).qrels_iter())
