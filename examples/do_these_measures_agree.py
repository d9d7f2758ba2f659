"""Do these measures rank the systems as average precision does, or differently?

    python examples/do_these_measures_agree.py --measures nDCG@10 P@10 RR

For each measure it prints tau with AP; its interval, for the mean over topic samples of this size; what tau would be if
noise of topics alone kept it below 1 (one true ranking), with its range; and the p-value of that. `examples/data.py`
says how to use your own runs.
"""

from __future__ import annotations

import data

import pt_rankcorr as rc


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "P@10", "RR"])
    options = parser.parse_args()
    data.ask(__doc__)
    scores = data.scores(options, ["AP", *options.measures])
    reference = scores["AP"]
    print(f"{reference.n_systems} systems, {reference.n_topics} topics; reference AP\n")
    print("measure     tau  95% interval  if one true ranking  p (same true ranking)")
    for measure in options.measures:
        correlation = rc.correlation_interval(reference, scores[measure], rng=options.seed)
        interval = f"[{correlation.low:.2f}, {correlation.high:.2f}]"
        same = correlation.one_true_ranking
        if_one = f"{same.mean:.2f} [{same.low:.2f}, {same.high:.2f}]"
        print(f"{measure:<9}{correlation.statistic:6.2f}{interval:>14}{if_one:>21}{correlation.pvalue:23.2g}")


if __name__ == "__main__":
    main()
