"""Can other judgments, by a language model or of fewer documents, replace the ones you trust?

    python examples/can_other_judgments_replace_these.py                        # a shallow pool, and random labels
    python examples/can_other_judgments_replace_these.py --runs runs/ --qrels irds:vaswani --others model.qrels

For each set of judgments it prints how well the labels agree (Cohen's kappa), and how well the rankings of systems
agree, with intervals and the p-value of one true ranking. Below that it says which set agrees best. `examples/data.py`
explains the arguments.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import data

import pt_rankcorr as rc


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--others", nargs="+", type=Path, help="qrels files; without it, two made from the runs")
    parser.add_argument("--measures", nargs="+", default=["AP", "nDCG@10"])
    options = parser.parse_args()
    data.ask(__doc__)
    runs, qrels = data.runs_and_qrels(options)
    labels = others(options, runs, qrels)
    result = rc.compare_judgments(runs, qrels, labels, options.measures, rng=options.seed)
    print(f"{result}\n\n{result.sentences()}")
    if len(result.others) > 1:
        print("\n".join(result.judges(measure).sentence() for measure in options.measures))


def others(options: argparse.Namespace, runs: Any, qrels: Any) -> dict[str, Any]:
    """Name -> judgments."""
    if options.others:
        return {path.stem: path for path in options.others}
    return {
        "pool of depth 3": rc.judgments.pool(runs, qrels, 3),
        "random labels": rc.judgments.pseudo_judgments(runs, depth=10, share=0.3, rng=options.seed),
    }


if __name__ == "__main__":
    main()
