"""SynDL: do labels of GPT-4 on topics of their own rank the runs of TREC Deep Learning as people do?

    python examples/claims/syndl.py --folder SynDL

The data are those of github.com/rahmanidashti/SynDL: TREC-DLs-results (people) and SynDL-full-results (GPT-4), a file a
run. The published numbers are tau-b of nDCG@10 in 2019 and 2022: Rahmani and others, SynDL: a large-scale synthetic
test collection for passage retrieval, 2024.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from common import beside, only, parser, sentences, show

import pt_rankcorr as rc

PUBLISHED = {2019: 0.8571, 2022: 0.8710}


def scores(folder: Path, year: int, side: str) -> rc.ScoreMatrix:
    """nDCG@10 by topic and run, from a table or from a clone's files of trec_eval."""
    table = folder / f"dl{year}_{side}_ndcg10.csv.gz"
    if table.exists():
        return only(rc.read_scores(table))
    results = folder / {"people": "TREC-DLs-results", "syndl": "SynDL-full-results"}[side]
    evaluated = rc.scores_from_trec_eval(results / f"dl{year}" / "ndcgeval")
    return evaluated["nDCG@10"]


def main() -> None:
    options = parser(__doc__ or "", "syndl").parse_args()
    warnings.simplefilter("ignore", rc.warnings.RoundedScoresWarning)  # the files have four decimals
    sides = {year: [scores(options.folder, year, side) for side in ("people", "syndl")] for year in PUBLISHED}
    taus = {year: rc.kendall_tau(people, judge, variant="b") for year, (people, judge) in sides.items()}
    show("tau-b of nDCG@10", *beside(PUBLISHED, taus, 4))

    may = []
    for year, (people, judge) in sides.items():
        judged = {"GPT-4": rc.Scores([judge])}
        row = rc.compare_leaderboards(
            rc.Scores([people]), judged, reference_measure=people.measure, measures=[judge.measure],
            same_topics=False, test=None, coefficients="tau_b", rng=options.seed,
        ).rows[0]  # fmt: skip
        tau_b = row.correlations["tau_b"]
        interval = f"[{tau_b.low:.2f}, {tau_b.high:.2f}]"
        print(
            f"\n{year}: {people.n_topics} topics of people and {judge.n_topics} of GPT-4. tau-b {tau_b.statistic:.2f} "
            f"{interval}; p (same true ranking) {row.pvalue:.3f}."
        )
        differ = "differ by more" if row.pvalue <= 0.05 else "need not differ by more"
        may.append(
            f"In {year}, tau-b is {taus[year]:.2f} (95% interval: {interval}). The rankings "
            f"{differ} than their samples of topics explain."
        )
    sentences(
        may,
        [
            "The rankings are the same: a p-value above .05 does not show that.",
            "A tau of .85 or more shows that people can be replaced.",
        ],
    )


if __name__ == "__main__":
    main()
