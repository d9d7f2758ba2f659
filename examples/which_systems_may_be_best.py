"""Which systems may be the best, and which are significantly worse than the best?

    python examples/which_systems_may_be_best.py --measure nDCG@10

For the first systems it prints a 95% interval for the true rank of each, its tier (tier 1 may be the best), and
the p-value of its difference from the system with the highest mean. The p-values are corrected for all
pairs of systems (the largest studentised difference). `examples/data.py` says how to use your own runs.
"""

from __future__ import annotations

import data

import pt_rankcorr as rc


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measure", default="AP")
    parser.add_argument("--shown", type=int, default=10, help="how many systems to show")
    options = parser.parse_args()
    data.ask(__doc__)
    scores = data.scores(options, [options.measure])[options.measure]
    best = scores.ranking[0]
    intervals = rc.rank_intervals(scores, rng=options.seed)
    tests = rc.discriminative_power(scores, rng=options.seed)
    print(f"{scores.n_systems} systems, {scores.n_topics} topics\n")
    print(f"{options.measure:>7}  ranks (95%)   tier  p-value  system")
    for name in scores.ranking[: options.shown]:
        position = scores.systems.index(name)
        ranks = f"{intervals.low[position]:g} to {intervals.high[position]:g}"
        pvalue = f"{tests.pvalues[position, scores.systems.index(best)]:7.3f}" if name != best else " " * 7
        print(f"{scores.means[position]:7.3f}  {ranks:>11}  {intervals.tier[position]:5.0f}  {pvalue}  {name}")


if __name__ == "__main__":
    main()
