"""MTEB (eng, v2): which embedding models may be the best, and which ranks do 41 tasks resolve?

    python examples/claims/mteb.py --folder PATH

The folder has mteb_eng_v2_41tasks.csv.gz: a row a task and a column a model, with main scores of
github.com/embeddings-benchmark/results (CC0). Tasks take the place of topics: all conclusions are about tasks like
these, if these are a random sample of them. They are not quite one, so the intervals are probably too short.
"""

from __future__ import annotations

import numpy as np
from common import only, parser, sentences

import pt_rankcorr as rc

FILE = "mteb_eng_v2_41tasks.csv.gz"


def main() -> None:
    options = parser(__doc__ or "", "").parse_args()
    scores = only(rc.read_scores(options.folder / FILE)).named("main score")
    best = rc.best_systems(scores, rng=options.seed)
    ranks = rc.rank_intervals(scores, method="pairwise", rng=options.seed)
    expected = rc.expected_correlation(scores, coefficient="tau", rng=options.seed)

    print(f"{scores.n_systems} models on {scores.n_topics} tasks\n")
    print(best)
    first = (
        ranks.to_frame().sort_values("rank").head(20)[["system", "rank", "low", "high", "tier"]].astype({"tier": int})
    )
    print(f"\nThe first twenty, with 95% intervals of their ranks\n\n{first.to_string(index=False)}\n")
    widths = ranks.high - ranks.low
    resolved = int((widths == 0).sum())
    sentences(
        [
            f"With 95% confidence, the best of the {scores.n_systems} models on tasks like these is one of "
            f"{len(best.systems)}: {', '.join(best.systems[:8])}{', ...' if len(best.systems) > 8 else ''}.",
            f"The tasks determine the rank of {resolved} of {scores.n_systems} models. In the median, a model's true "
            f"rank is one of {np.median(widths) + 1:.0f}.",
            f"The expected tau between this leaderboard and that of all such tasks is {expected.value:.2f}.",
        ],
        [
            f"{scores.ranking[0]} is the best model: {len(best.systems)} may be.",
            "A model that is one rank higher is better.",
        ],
    )


if __name__ == "__main__":
    main()
