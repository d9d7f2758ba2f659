"""Is a tau of 0.9 good enough? Section 4.2 of Carterette (SIGIR 2009), on any scores.

Kendall's tau counts a swap of nearly equal systems as much as a swap of very different ones. d_rank does not. The
script answers two questions:

    How many random rankings with a tau of at least 0.9 are significantly different from the reference, by d_rank?
    How low is the tau of rankings on resampled topics that are not significantly different?

    python examples/significant_distances.py scores.csv --picture significant.png

scores.csv has a header with the names of the systems and a row for each topic. A column named topic is left out. The
default test has a null distribution for each ranking.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.coefficients.rankings import random_rankings
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.rank_distance.test import DRankTest

SEED = 2009


def with_high_tau(scores: np.ndarray, count: int, tau: float) -> np.ndarray:
    """Random rankings of the systems with at least this tau with the reference's, as scores."""
    best_first = np.argsort(-system_means(scores), kind="stable")
    rankings = np.empty((count, best_first.size))
    rankings[:, best_first] = random_rankings(best_first.size, count, tau=tau, at_least=True, rng=SEED)
    return rankings


def of_resampled_topics(scores: np.ndarray, count: int) -> np.ndarray:
    """The means over random samples of topics."""
    rng = np.random.default_rng(SEED)
    weights = rng.multinomial(len(scores), np.full(len(scores), 1 / len(scores)), size=count)
    return weights @ scores / len(scores)


def report(test: DRankTest, scores: np.ndarray, arguments: argparse.Namespace) -> dict[str, tuple[np.ndarray, ...]]:
    """Prints the answers; returns tau, d_rank and whether it is significant, of both kinds of rankings."""
    means, alpha = system_means(scores), arguments.alpha
    kinds = {
        "random, with a high tau": Rankings(with_high_tau(scores, arguments.rankings, arguments.tau)),
        "of resampled topics": Rankings(of_resampled_topics(scores, arguments.rankings)),
    }
    results = {kind: test.test(rankings) for kind, rankings in kinds.items()}
    points = {
        kind: (kendall_tau(means, kinds[kind]), result.statistic, result.pvalue <= alpha)
        for kind, result in results.items()
    }
    (_, _, rejected), (tau, _, also_rejected) = points.values()
    print(f"{len(scores)} topics, {means.size} systems; {test!r}, seed {SEED}")
    print(f"rankings with tau >= {arguments.tau:g} that d_rank rejects: {np.mean(rejected):.1%}")
    print(f"rankings by resampled topics that d_rank rejects: {np.mean(also_rejected):.1%}")
    accepted = tau[~also_rejected]
    print(f"tau of those that it accepts: down to {accepted.min():.3f}, median {np.median(accepted):.3f}")
    return points


def draw(path: Path, points: dict[str, tuple[np.ndarray, ...]], alpha: float) -> None:
    """Both kinds of rankings, by tau and d_rank; crosses are significantly different."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(layout="constrained")
    for (kind, (tau, distance, rejected)), color in zip(points.items(), ("#D55E00", "#0072B2"), strict=True):
        for chosen, marker, verdict in ((rejected, "x", "p ≤"), (~rejected, ".", "p >")):
            label = f"{kind}, {verdict} {alpha:g}"
            ax.plot(tau[chosen], distance[chosen], marker, ms=4, color=color, alpha=0.5, label=label)
    ax.set(xlabel="Kendall's tau with the reference", ylabel="d_rank from the reference", ylim=(0, None))
    ax.legend(loc="upper left")
    figure.savefig(path, dpi=150)


def read_scores(path: Path) -> np.ndarray:
    """The scores without the names of topics."""
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    return np.array([[float(cell) for name, cell in row.items() if name != "topic"] for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--tau", type=float, default=0.9)
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--rankings", type=int, default=300, help="how many of each kind")
    parser.add_argument("--resamples", type=int, default=199, help="of the null of each ranking")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    scores = read_scores(arguments.scores)
    test = DRankTest(scores, n_resamples=arguments.resamples, rng=SEED)
    points = report(test, scores, arguments)
    if arguments.picture:
        draw(arguments.picture, points, arguments.alpha)


if __name__ == "__main__":
    main()
