"""Do cheap measures rank systems as average precision does, and if not, is it more than the luck of the topics?

    python examples/do_these_measures_agree.py --measures nDCG@10 P@10 RR

prints for each measure tau, tau_AP and tau_GAP with AP, the distance d_rank, and its p-value by the test that keeps its
level. `examples/data.py` says how to use your own runs.
"""

from __future__ import annotations

import data

import pt_rankcorr as ptr


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "P@10", "RR"])
    options = parser.parse_args()
    scores = data.scores(options, ["AP", *options.measures])
    truth = scores["AP"]
    test = ptr.DRankTest(truth, null="constrained", covariance="ledoit-wolf", rng=options.seed)
    print(f"{truth.n_systems} systems, {truth.n_topics} topics, by AP\n")
    print("measure      tau  tau_AP  tau_GAP  d_rank  p-value")
    for measure in options.measures:
        other = scores[measure]
        found = [coefficient(truth, other) for coefficient in (ptr.kendall_tau, ptr.tau_ap, ptr.tau_gap)]
        distance, pvalue = test.test(other)
        print(f"{measure:<9} {found[0]:6.2f}  {found[1]:6.2f}  {found[2]:7.2f}  {distance:6.2f}  {pvalue:7.2g}")


if __name__ == "__main__":
    main()
