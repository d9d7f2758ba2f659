"""Is a ranking with tau above 0.9 good? How low a tau is still indistinguishable from the baseline?

Kendall's tau cannot tell swaps of near-equal systems from swaps of very different ones; d_rank can. For a collection of
scores this draws random rankings with tau of at least 0.9 and tests each with d_rank, then measures the tau of those
rankings by resampled topics that d_rank accepts.

    python significant_distances.py scores.csv --picture significant.png

where scores.csv has a header of system names (a column named topic is left out) and a row for each topic.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from pt_rankcorr.stats.coefficients import kendall_tau
from pt_rankcorr.stats.order import system_means
from pt_rankcorr.stats.rank_distance import DRankTest
from pt_rankcorr.stats.rankings import random_rankings

SEED = 2009


def with_high_tau(scores: np.ndarray, count: int, tau: float) -> np.ndarray:
    """Random rankings of the systems with at least this tau to the baseline's, as scores."""
    best_first = np.argsort(-system_means(scores), kind="stable")
    rankings = np.empty((count, best_first.size))
    rankings[:, best_first] = random_rankings(best_first.size, count, tau=tau, at_least=True, rng=SEED)
    return rankings


def of_resampled_topics(scores: np.ndarray, count: int) -> np.ndarray:
    """The means over random samples of topics: rankings as d_rank's published null knows them."""
    rng = np.random.default_rng(SEED)
    weights = rng.multinomial(len(scores), np.full(len(scores), 1 / len(scores)), size=count)
    return weights @ scores / len(scores)


def report(test: DRankTest, scores: np.ndarray, arguments: argparse.Namespace) -> tuple[np.ndarray, ...]:
    """Prints the answers; returns tau and d_rank of both kinds of rankings for the picture."""
    means, alpha = system_means(scores), arguments.alpha
    rankings = with_high_tau(scores, arguments.rankings, arguments.tau)
    resampled = of_resampled_topics(scores, arguments.rankings)
    drawn, tested = test.test(rankings), test.test(resampled)
    tau = kendall_tau(means, resampled)
    accepted = tau[tested.pvalue > alpha]
    print(f"{len(scores)} topics, {means.size} systems; {test!r}, seed {SEED}")
    print(f"critical value of d_rank at alpha = {alpha:g}: {test.critical_value(alpha):.2f}")
    print(f"rankings with tau >= {arguments.tau:g} that d_rank rejects: {np.mean(drawn.pvalue <= alpha):.1%}")
    low, middle = accepted.min(), np.median(accepted)
    print(f"tau of resampled rankings that d_rank accepts: down to {low:.3f}, median {middle:.3f}")
    return kendall_tau(means, rankings), drawn.statistic, tau, tested.statistic


def draw(path: Path, points: tuple[np.ndarray, ...], critical: float) -> None:
    """Both kinds of rankings, by tau and d_rank."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(layout="constrained")
    high_tau, their_distance, tau, distance = points
    ax.plot(high_tau, their_distance, "x", ms=4, color="#D55E00", alpha=0.5, label="random, with a high tau")
    ax.plot(tau, distance, ".", ms=4, color="#0072B2", alpha=0.5, label="of resampled topics")
    ax.axhline(critical, color="black", ls="--", lw=1, label="critical value")
    ax.set(xlabel="Kendall's tau with the baseline", ylabel="d_rank from the baseline", ylim=(0, None))
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
    parser.add_argument("--null", default="refit", choices=["baseline", "refit"])
    parser.add_argument("--covariance", default="ledoit-wolf", choices=["sample", "ledoit-wolf"])
    parser.add_argument("--rankings", type=int, default=2000, help="how many of each kind")
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    scores = read_scores(arguments.scores)
    test = DRankTest(scores, n_resamples=2000, null=arguments.null, covariance=arguments.covariance, rng=SEED)
    points = report(test, scores, arguments)
    if arguments.picture:
        draw(arguments.picture, points, test.critical_value(arguments.alpha))


if __name__ == "__main__":
    main()
