"""Two measures rank the systems differently: which pairs of systems is it that they disagree about?

    python examples/why_do_they_disagree.py --measure P@10 --coefficient tau_gap

prints the pairs that cost the coefficient most, and for each whether the trusted measure, AP, finds their difference
significant. `examples/data.py` says how to use your own runs.
"""

from __future__ import annotations

import data

import pt_rankcorr as ptr


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--coefficient", default="tau_ap", choices=["tau", "tau_ap", "tau_gap"])
    parser.add_argument("--pairs", type=int, default=10, help="how many to show")
    options = parser.parse_args()
    scores = data.scores(options, ["AP", options.measure])
    truth = scores["AP"]
    found = ptr.contributions(truth, scores[options.measure], options.coefficient)
    pvalues = dict(zip(truth.systems, ptr.discriminative_power(truth, test="t").pvalues, strict=True))
    pairs = found.to_frame()
    pairs["p-value by AP"] = [
        pvalues[better][truth.systems.index(worse)]
        for better, worse in zip(pairs["better"], pairs["worse"], strict=True)
    ]
    significant = (pairs["p-value by AP"] < 0.05).mean()
    print(f"{options.coefficient} of AP and {options.measure}: {found.statistic:.2f}")
    print(f"{len(pairs)} pairs are in another order or tied; {significant:.0%} of them differ by AP (t-test, 0.05)\n")
    print(pairs.head(options.pairs).to_string(index=False, float_format="{:.2g}".format))


if __name__ == "__main__":
    main()
