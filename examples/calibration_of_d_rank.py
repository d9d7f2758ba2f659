"""How often do the tests of d_rank reject the true ranking, and how often a wrong one?

Topics are drawn from a population whose ranking of systems is known: the topics of a large collection, drawn with
replacement, or a simulation fitted to it. For every sample, each test is given the true ranking (it ought to reject it
with probability alpha) and one with real swaps: for every ten systems one pair, whose means differ by more than three
standard errors in the population, is exchanged. For the two-sample test both rankings are measured on other topics.

    python calibration_of_d_rank.py robust2004_ap.csv --out calibration --repetitions 100

writes calibration.csv (all p-values), calibration.md (the table) and calibration.png. A second run goes on where the
first one ended, and more repetitions are added to those that are there: every repetition has a seed of its own.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pt_rankcorr.stats.checks import UnreliableResultWarning
from pt_rankcorr.stats.rank_distance import DRankTest
from pt_rankcorr.stats.simulation import simulate_topics

SYSTEMS, TOPICS = (10, 30, 60, 100), (25, 50, 100, 249)
TESTS = tuple(itertools.product(("baseline", "refit", "two-sample"), ("sample", "ledoit-wolf")))
POPULATIONS = ("topics", "simulation")
RESAMPLES = 199
ALPHA = 0.05
SEED = 2009
COLUMNS = ("population", "n_systems", "n_topics", "repetition", "null", "covariance", "p_true", "p_swapped")
REAL = 3.0  # standard errors between the means of systems whose swap counts as real


# --- one repetition ---------------------------------------------------------------------------------


def p_values(scores: np.ndarray, population: str, n_systems: int, n_topics: int, repetition: int) -> Iterator[tuple]:
    """Of every test, for the true ranking and for the one with swaps."""
    rng = np.random.default_rng([SEED, POPULATIONS.index(population), n_systems, n_topics, repetition])
    truth = scores[:, rng.permutation(scores.shape[1])[:n_systems]]
    sample, other = (draw(truth, population, n_topics, rng) for _ in range(2))
    swapped = real_swaps(truth, rng)
    for null, covariance in TESTS:
        test = DRankTest(sample, null=null, covariance=covariance, n_resamples=RESAMPLES, rng=rng)
        means = other.mean(axis=0) if null == "two-sample" else truth.mean(axis=0)
        yield null, covariance, *test.test(np.stack([means, means[swapped]])).pvalue


def draw(truth: np.ndarray, population: str, n_topics: int, rng: np.random.Generator) -> np.ndarray:
    """A sample of topics from the population."""
    if population == "simulation":
        return np.asarray(simulate_topics(truth, n_topics, rng=rng))
    return truth[rng.integers(0, len(truth), n_topics)]


def real_swaps(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions of systems with some pairs exchanged, whose means differ by more than some standard errors."""
    n_topics, n_systems = truth.shape
    means, covariance = truth.mean(axis=0), np.cov(truth, rowvar=False)
    variances = np.add.outer(covariance.diagonal(), covariance.diagonal()) - 2 * covariance
    real = np.subtract.outer(means, means) ** 2 > REAL**2 * variances / n_topics
    pairs = np.argwhere(np.triu(real, 1))
    positions = np.arange(n_systems)
    for i, j in pairs[rng.permutation(len(pairs))[: n_systems // 10]]:
        positions[[i, j]] = positions[[j, i]]
    return positions


# --- all of them, resumed ---------------------------------------------------------------------------


def simulate(scores: np.ndarray, path: Path, repetitions: int) -> None:
    """Adds the repetitions that are missing to the file."""
    done = {row[:4] for row in read(path)}
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if not file.tell():
            writer.writerow(COLUMNS)
        for repetition, *size in itertools.product(range(repetitions), POPULATIONS, SYSTEMS, TOPICS):
            case = (*size, repetition)
            if tuple(map(str, case)) not in done:
                writer.writerows([(*case, *row) for row in p_values(scores, *case)])
                file.flush()


def read(path: Path) -> list[tuple[str, ...]]:
    """The rows that are there, without the header."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def rates(rows: list[tuple[str, ...]]) -> dict[tuple, tuple[int, float, float]]:
    """By population, test and size: repetitions, and how often the true and the swapped ranking are rejected."""
    found = defaultdict(list)
    for population, n_systems, n_topics, _, null, covariance, p_true, p_swapped in rows:
        key = population, null, covariance, int(n_systems), int(n_topics)
        found[key].append((float(p_true) <= ALPHA, float(p_swapped) <= ALPHA))
    return {key: (len(values), *np.mean(values, axis=0)) for key, values in found.items()}


# --- the table and the picture ----------------------------------------------------------------------


def table(found: dict) -> str:
    """Rejection rates of the true ranking, and the power, with a column for each size."""
    sizes = sorted({key[3:] for key in found})
    lines = [
        "| population, test | " + " | ".join(f"{m} x {n}" for m, n in sizes) + " |",
        "|---" * (len(sizes) + 1) + "|",
    ]
    for population, null, covariance in dict.fromkeys(key[:3] for key in found):
        cells = [found.get((population, null, covariance, *size)) for size in sizes]
        shown = " | ".join(f"{cell[1]:.2f} ({cell[2]:.2f})" if cell else "" for cell in cells)
        lines.append(f"| {population}, {null}, {covariance} | {shown} |")
    fewest, most = (pick(cell[0] for cell in found.values()) for pick in (min, max))
    title = f"Rejections of the true ranking at alpha = {ALPHA}, and (of a ranking with real swaps); systems x topics."
    how = f"{fewest} to {most} repetitions, {RESAMPLES} resamples, seed {SEED}."
    return f"{title} {how}\n\n" + "\n".join(lines) + "\n"


def picture(found: dict, path: Path) -> None:
    """Levels against the number of topics, a panel for each number of systems."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        len(POPULATIONS), len(SYSTEMS), figsize=(11, 6), layout="constrained", sharex=True, sharey=True, squeeze=False
    )
    for (row, population), (column, n_systems) in itertools.product(enumerate(POPULATIONS), enumerate(SYSTEMS)):
        ax = panels[row, column]
        ax.axhspan(0.02, 0.08, color="0.9", lw=0)
        ax.axhline(ALPHA, color="0.5", lw=1)
        for (null, covariance), (color, marker) in zip(TESTS, STYLES, strict=True):
            cells = [found.get((population, null, covariance, n_systems, n)) for n in TOPICS]
            points = [(n, cell[1]) for n, cell in zip(TOPICS, cells, strict=True) if cell]
            style = {"color": color, "marker": marker, "ls": "-" if covariance == "ledoit-wolf" else ":"}
            ax.plot(*np.transpose(points or [(np.nan, np.nan)]), label=f"{null}, {covariance}", **style)
        ax.set_title(f"{n_systems} systems ({population})", fontsize=10)
    panels[0, 0].set_xscale("log")
    panels[0, 0].set_xticks(TOPICS, [str(n) for n in TOPICS])
    panels[0, 0].minorticks_off()
    for ax in panels[-1]:
        ax.set_xlabel("number of topics")
    figure.supylabel(f"share of true rankings rejected at alpha = {ALPHA}")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(path, dpi=150)


STYLES = (("#D55E00", "o"), ("#D55E00", "s"), ("#0072B2", "^"), ("#0072B2", "D"), ("#009E73", "v"), ("#009E73", "P"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "scores", type=Path, help="CSV, a header of systems, a row for each topic, names in column topic"
    )
    parser.add_argument("--out", type=Path, default=Path("calibration"), help="where to write, without the extension")
    parser.add_argument("--repetitions", type=int, default=100, help="of each population and size")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UnreliableResultWarning)
    rows = arguments.out.with_suffix(".csv")
    simulate(read_scores(arguments.scores), rows, arguments.repetitions)
    found = rates(read(rows))
    arguments.out.with_suffix(".md").write_text(table(found))
    picture(found, arguments.out.with_suffix(".png"))
    print(table(found))


def read_scores(path: Path) -> np.ndarray:
    """The scores without the names of topics."""
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    return np.array(
        [[float(cell) for name, cell in zip(header, line, strict=True) if name != "topic"] for line in lines]
    )


if __name__ == "__main__":
    main()
