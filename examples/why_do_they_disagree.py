"""Two measures rank the systems differently. Which pairs of systems do they swap?

    python examples/why_do_they_disagree.py --measure P@10 --coefficient tau_gap

It prints the pairs that lower the coefficient most, each with the p-value of its difference by the reference, AP (a
t-test of this one pair). `examples/data.py` says how to use your own runs.
"""

from __future__ import annotations

import data

import pt_rankcorr as rc


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--coefficient", default="tau_ap", choices=["tau", "tau_ap", "tau_gap"])
    parser.add_argument("--pairs", type=int, default=10, help="how many to show")
    options = parser.parse_args()
    data.ask(__doc__)
    scores = data.scores(options, ["AP", options.measure])
    reference = scores["AP"]
    costs = rc.stats.contributions(reference, scores[options.measure], options.coefficient)
    pvalues = dict(zip(reference.systems, rc.discriminative_power(reference, test="t").pvalues, strict=True))
    pairs = costs.to_frame()
    pairs["p-value by AP"] = [
        pvalues[better][reference.systems.index(worse)]
        for better, worse in zip(pairs["better"], pairs["worse"], strict=True)
    ]
    significant = (pairs["p-value by AP"] < 0.05).mean()
    print(f"{options.coefficient} of AP and {options.measure}: {costs.statistic:.2f}")
    print(f"{len(pairs)} pairs are swapped or tied; {significant:.0%} differ significantly by AP (t-test, 0.05)\n")
    print(pairs.head(options.pairs).to_string(index=False, float_format="{:.2g}".format))


if __name__ == "__main__":
    main()
