"""How many topics does each measure need to rank these systems reliably?

    python examples/how_many_topics.py --target 0.9 --picture topics.png

For each measure it prints the expected correlation with the true ranking in the topic population, an
interval for the actual correlation, and how many topics would reach the target. `examples/data.py` says how to use
your own runs.
"""

from __future__ import annotations

from pathlib import Path

import data

import pt_rankcorr as rc


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measures", nargs="+", default=["AP", "nDCG@10", "P@10"])
    parser.add_argument("--target", type=float, default=0.9, help="the expected correlation that you want")
    parser.add_argument("--coefficient", default="tau", choices=["tau", "tau_ap", "tau_gap"])
    parser.add_argument("--picture", type=Path, help="where to draw the curve of the first measure")
    options = parser.parse_args()
    data.ask(__doc__)
    scores = data.scores(options, options.measures)
    results = {
        measure: rc.expected_correlation(matrix, coefficient=options.coefficient, rng=options.seed)
        for measure, matrix in scores.items()
    }
    print(f"{len(scores.systems)} systems, {len(scores.topics)} topics; target {options.target:g}\n")
    print(f"measure    E[{options.coefficient}]  actual (95%)  topics needed")
    for measure, result in results.items():
        low, high = result.confidence_interval(0.95)
        needed = result.topics_needed(options.target)
        print(f"{measure:<9}  {result.value:6.2f}   {low:.2f} to {high:.2f}  {needed:13.0f}")
    if options.picture:
        ax = rc.plots.draw_expected_correlation(results[options.measures[0]], target=options.target)
        options.picture.parent.mkdir(parents=True, exist_ok=True)
        ax.figure.savefig(options.picture, dpi=150)


if __name__ == "__main__":
    main()
