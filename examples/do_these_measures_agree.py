"""Do these measures rank the systems as average precision does, or significantly differently?

    python examples/do_these_measures_agree.py --measures nDCG@10 P@10 RR

For each measure it prints tau, tau_AP and tau_GAP with AP, and the distance d_rank with its p-value. A small p-value
says that the choice of topics does not explain the difference. `examples/data.py` says how to use your own runs.
"""

from __future__ import annotations

import data

import pt_rankcorr as ptr


def main() -> None:
    parser = data.arguments(__doc__)
    parser.add_argument("--measures", nargs="+", default=["nDCG@10", "P@10", "RR"])
    options = parser.parse_args()
    data.ask(__doc__)
    scores = data.scores(options, ["AP", *options.measures])
    reference = scores["AP"]
    test = ptr.DRankTest(reference, rng=options.seed)
    print(f"{reference.n_systems} systems, {reference.n_topics} topics; reference AP\n")
    print("measure      tau  tau_AP  tau_GAP  d_rank  p-value")
    for measure in options.measures:
        other = scores[measure]
        found = [coefficient(reference, other) for coefficient in (ptr.kendall_tau, ptr.tau_ap, ptr.tau_gap)]
        distance, pvalue = test.test(other)
        print(f"{measure:<9} {found[0]:6.2f}  {found[1]:6.2f}  {found[2]:7.2f}  {distance:6.2f}  {pvalue:7.2g}")


if __name__ == "__main__":
    main()
