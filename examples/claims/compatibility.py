"""Compatibility of runs under 12 labellings by language models: do they rank runs as nDCG@10 by people does?

    python examples/claims/compatibility.py --folder PATH

The folder has tables with a row a topic and a column a run, TRACK_JUDGE_compatibility.csv.gz and
TRACK_people_ndcg10.csv.gz, made from github.com/Narabzad/llm-relevance-judgement-comparison: Compatibility/Output, and
nDCG@10 of its runs. The published taus are those in its folder Compatibility/Taus, of TREC Deep Learning 2019 and 2020.
"""

from __future__ import annotations

import warnings

import numpy as np
from common import beside, only, parser, sentences, show

import pt_rankcorr as rc

PUBLISHED = {
    "dl19": {
        "binary": 0.869, "exam_binary": 0.794, "exam_graded_max": 0.881, "exam_graded_mean": 0.863,
        "nuggets_all": 0.863, "nuggets_all_strict": 0.857, "nuggets_vital": 0.839, "nuggets_vital_strict": 0.836,
        "nuggets_weighted": 0.860, "nuggets_weighted_strict": 0.824, "original": 0.953, "preferences": 0.911,
        "umbrela_zeroshot": 0.920,
    },
    "dl20": {
        "binary": 0.922, "exam_binary": 0.881, "exam_graded_max": 0.890, "exam_graded_mean": 0.890,
        "nuggets_all": 0.866, "nuggets_all_strict": 0.791, "nuggets_vital": 0.747, "nuggets_vital_strict": 0.685,
        "nuggets_weighted": 0.829, "nuggets_weighted_strict": 0.767, "original": 0.956, "preferences": 0.852,
        "umbrela_zeroshot": 0.894,
    },
}  # fmt: skip
PEOPLE = "original"  # the labels of people


def main() -> None:
    options = parser(__doc__ or "", "compatibility").parse_args()
    warnings.simplefilter("ignore", rc.warnings.RoundedScoresWarning)  # nDCG@10 has four decimals
    for track, published in PUBLISHED.items():
        people = only(rc.read_scores(options.folder / f"{track}_people_ndcg10.csv.gz"))
        boards = {
            judge: only(rc.read_scores(options.folder / f"{track}_{judge}_compatibility.csv.gz")) for judge in published
        }
        # the means by people have four digits in the paper's files, which makes ties
        rounded = dict(zip(people.systems, np.round(people.means, 4), strict=True))
        taus = {judge: rc.kendall_tau(rounded, board, variant="b") for judge, board in boards.items()}
        show(f"{track}: tau-b with nDCG@10 by people", *beside(published, taus, 3))

        fewer = {judge: board.n_topics for judge, board in boards.items() if board.n_topics < people.n_topics}
        if fewer:
            counts = ", ".join(f"{judge} {n_topics}" for judge, n_topics in fewer.items())
            print(f"\nThese cover fewer than the {people.n_topics} topics, so their taus are not comparable: {counts}.")
        models = {
            judge: rc.Scores([board.named("compatibility")])
            for judge, board in boards.items()
            if judge not in (*fewer, PEOPLE)
        }
        result = rc.compare_leaderboards(
            rc.Scores([people.named("nDCG@10")]),
            models,
            reference_measure="nDCG@10",
            coefficients=["tau_b"],
            test=None,
            rng=options.seed,
        )
        ranked = result.judges(coefficient="tau_b")
        print(f"\n{track}: labellings of all topics, by tau-b with people\n\n{ranked}")
        differ = [row.key["judge"] for row in result if row.pvalue <= 0.05]
        best = [judge for judge in ranked.judges if judge in ranked.may_be_best]
        sentences(
            [
                f"On {track}, the labellings that may agree best with people are {', '.join(best)}.",
                "Topic sampling error does not explain all disagreement with people for these labellings: "
                f"{', '.join(differ) or 'none'}.",
            ],
            [
                f"{ranked.judges[0]} agrees best with people: each of {len(best)} labellings may.",
                *(["Nuggets agree less with people than other labels: they cover other topics."] if fewer else []),
            ],
        )


if __name__ == "__main__":
    main()
