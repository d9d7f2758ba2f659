"""How often do the tests of d_rank reject the true ranking, and how often a wrong one?

The script draws topics with replacement from a population in which the true ranking of the systems is known. There are
four populations:

    random      the topics of a large collection, for systems drawn at random
    adjacent    the same, for systems that follow each other in rank
    equal       the same as random, with scores shifted to equal means, so that any ranking is true
    simulation  topics simulated from those of random

On each sample every test gets two rankings. The first is the true one: a test should reject it with probability alpha.
The second is wrong: for every ten systems, one pair is swapped whose means differ by more than three standard errors in
the population. For the two-sample test both rankings are measured on other topics.

    python examples/calibration_of_d_rank.py robust2004_ap.csv --out calibration --repetitions 100

Without scores it takes those of the demonstration, and repeats little: it shows how the study goes, not what comes out.
It writes calibration.csv (all p-values), calibration.md (the tables) and calibration.png. Run it again to continue an
interrupted run, or to add repetitions: each repetition has its own seed.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

import pt_rankcorr as rc
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.warnings import UnreliableResultWarning

SPREAD = tuple(itertools.product((10, 30, 60, 100), (50, 100, 249)))  # systems, topics
CLOSE = ((2, 50), (10, 50), (30, 50), (10, 249))
SIZES = {"random": SPREAD, "adjacent": CLOSE, "equal": CLOSE, "simulation": SPREAD}
PUBLISHED, DEFAULT = ("published", "sample"), ("shrunken", "ledoit-wolf")
OTHERS = (
    ("published", "ledoit-wolf"),
    ("shrunken", "sample"),
    ("two-sample", "sample"),
    ("two-sample", "ledoit-wolf"),
)
TESTS = (PUBLISHED, DEFAULT, *OTHERS)
RESAMPLES = 199
ALPHA = 0.05
SEED = 2009
COLUMNS = ("population", "n_systems", "n_topics", "repetition", "null", "covariance", "p_true", "p_swapped")
REAL = 3.0  # standard errors between the means of two systems that truly differ

Test = tuple[str, str]


# --- one repetition ---------------------------------------------------------------------------------


def p_values(
    scores: np.ndarray, population: str, n_systems: int, n_topics: int, repetition: int, tests: Collection[Test]
) -> Iterator[tuple]:
    """The p-values of some tests, for the true ranking and for the wrong one (nan if no pair differs enough)."""
    rng = np.random.default_rng([SEED, list(SIZES).index(population), n_systems, n_topics, repetition])
    truth = systems_of(scores, population, n_systems, rng)
    sample, other = (draw(truth, population, n_topics, rng) for _ in range(2))
    swapped = real_swaps(truth, rng)
    seed = int(rng.integers(2**32))
    true_means = np.arange(n_systems) if population == "equal" else truth.mean(axis=0)
    for null, covariance in tests:
        test = rc.DRankTest(sample, null=null, covariance=covariance, n_resamples=RESAMPLES, rng=seed)
        means = other.mean(axis=0) if null == "two-sample" else true_means
        p_true, p_swapped = test.test(rc.stats.Rankings([means, means[swapped]])).pvalue
        yield null, covariance, p_true, p_swapped if (swapped != np.arange(n_systems)).any() else math.nan


def systems_of(scores: np.ndarray, population: str, n_systems: int, rng: np.random.Generator) -> np.ndarray:
    """The scores of some systems on all topics, in random order."""
    if population == "adjacent":
        first = rng.integers(0, scores.shape[1] - n_systems + 1)
        return scores[:, rng.permutation(np.argsort(scores.mean(axis=0))[first : first + n_systems])]
    chosen = scores[:, rng.permutation(scores.shape[1])[:n_systems]]
    return chosen - chosen.mean(axis=0) + chosen.mean() if population == "equal" else chosen


def draw(truth: np.ndarray, population: str, n_topics: int, rng: np.random.Generator) -> np.ndarray:
    """A sample of topics from the population."""
    if population == "simulation":
        return np.asarray(rc.stats.TopicSimulator(truth).draw(n_topics, rng))
    return truth[rng.integers(0, len(truth), n_topics)]


def real_swaps(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions of the systems, after swaps of some pairs whose means clearly differ."""
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


def simulate(
    scores: np.ndarray, path: Path, repetitions: int, populations: Collection[str], tests: Collection[Test]
) -> None:
    """Computes the p-values that are not in the file yet, and adds them."""
    done = {row[:6] for row in read(path)}
    sizes = [
        (population, *size) for population in populations for size in SIZES[population] if size[0] <= scores.shape[1]
    ]
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if not file.tell():
            writer.writerow(COLUMNS)
        for repetition, size in itertools.product(range(repetitions), sizes):
            case = (*size, repetition)
            missing = [test for test in tests if (*map(str, case), *test) not in done]
            writer.writerows([(*case, *row) for row in p_values(scores, *case, missing)])
            file.flush()


def read(path: Path) -> list[tuple[str, ...]]:
    """The rows of the file, without the header."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def rates(rows: list[tuple[str, ...]]) -> dict[tuple, tuple[int, float, float]]:
    """By population, test and size: repetitions, and how often the true and the swapped ranking are rejected."""
    found = defaultdict(list)
    for population, n_systems, n_topics, _, null, covariance, p_true, p_swapped in rows:
        found[population, null, covariance, int(n_systems), int(n_topics)].append((float(p_true), float(p_swapped)))
    return {key: (len(values), *map(rejected, zip(*values, strict=True))) for key, values in found.items()}


def rejected(pvalues: Collection[float]) -> float:
    """The share of rejections among those that were tested."""
    tested = [pvalue <= ALPHA for pvalue in pvalues if not math.isnan(pvalue)]
    return float(np.mean(tested)) if tested else math.nan


# --- the tables and the picture ---------------------------------------------------------------------


def tables(found: dict) -> str:
    """How it was done, and a table for each population."""
    fewest, most = (pick(cell[0] for cell in found.values()) for pick in (min, max))
    title = f"Rejections of the true ranking at alpha = {ALPHA}, and (of a ranking with real swaps); systems x topics."
    error = math.sqrt(ALPHA * (1 - ALPHA) / fewest)
    how = f"{fewest} to {most} repetitions (standard error of a rate of {ALPHA}: {error:.3f}), {RESAMPLES} resamples."
    each = [table(found, population) for population in dict.fromkeys(key[0] for key in found)]
    return "\n\n".join([f"{title} {how}", *each]) + "\n"


def table(found: dict, population: str) -> str:
    """A row for each test, a column for each size."""
    sizes = SIZES[population]
    lines = [
        f"| {population} | " + " | ".join(f"{m} x {n}" for m, n in sizes) + " |",
        "|---" * (len(sizes) + 1) + "|",
    ]
    for test in TESTS:
        cells = [found.get((population, *test, *size)) for size in sizes]
        if any(cells):
            lines.append(f"| {', '.join(test)} | " + " | ".join(map(shown, cells)) + " |")
    return "\n".join(lines)


def shown(cell: tuple[int, float, float] | None) -> str:
    """The level, and the power where there is one."""
    if cell is None:
        return ""
    return f"{cell[1]:.3f}" + ("" if math.isnan(cell[2]) else f" ({cell[2]:.2f})")


def picture(found: dict, path: Path) -> None:
    """Levels at every size, a panel for each population."""
    import matplotlib.pyplot as plt

    populations = list(dict.fromkeys(key[0] for key in found))
    widths = [len(SIZES[population]) for population in populations]
    figure, panels = plt.subplots(
        1, len(populations), figsize=(12, 4.5), layout="constrained", sharey=True, squeeze=False, width_ratios=widths
    )
    for ax, population in zip(panels[0], populations, strict=True):
        ax.axhspan(0.02, 0.08, color="0.9", lw=0)
        ax.axhline(ALPHA, color="0.5", lw=1)
        for test, (color, marker) in zip(TESTS, STYLES, strict=True):
            cells = [found.get((population, *test, *size)) for size in SIZES[population]]
            levels = [cell[1] if cell else math.nan for cell in cells]
            if not all(map(math.isnan, levels)):
                ax.plot(levels, color=color, marker=marker, ls="none", label=", ".join(test))
        labels = [f"{m} x {n}" for m, n in SIZES[population]]
        ax.set_xticks(range(len(labels)), labels, rotation=60)
        ax.set(title=population, xlabel="systems x topics")
    figure.supylabel(f"share of true rankings rejected at alpha = {ALPHA}")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=150)


STYLES = (
    ("#D55E00", "o"),
    ("#0072B2", "D"),
    ("#D55E00", "s"),
    ("#0072B2", "^"),
    ("#009E73", "v"),
    ("#009E73", "P"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "scores", type=Path, nargs="?", help="CSV, a header of systems, a row for each topic, names in column topic"
    )
    parser.add_argument("--out", type=Path, default=Path("calibration"), help="where to write, without the extension")
    parser.add_argument("--repetitions", type=int, help="of each population and size (100; 3 without scores)")
    parser.add_argument("--populations", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--few", action="store_true", help="only the published test and those that compete with it")
    arguments = parser.parse_args()
    print(f"{parser.description.splitlines()[0]}\n")
    warnings.simplefilter("ignore", UnreliableResultWarning)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    rows = arguments.out.with_suffix(".csv")
    alone = arguments.scores is None
    tests = (PUBLISHED, DEFAULT) if arguments.few or alone else TESTS
    scores = scores_of_the_demonstration() if alone else read_scores(arguments.scores)
    repetitions = arguments.repetitions or (3 if alone else 100)
    simulate(scores, rows, repetitions, arguments.populations, tests)
    found = rates(read(rows))
    arguments.out.with_suffix(".md").write_text(tables(found))
    picture(found, arguments.out.with_suffix(".png"))
    print(tables(found))


def scores_of_the_demonstration() -> np.ndarray:
    """Average precision of 29 systems on made-up documents."""
    data = collection(90)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    return rc.scores_from_runs(runs, data.qrels, ["AP"], verbose=False)["AP"].values


def read_scores(path: Path) -> np.ndarray:
    """The scores without the names of topics."""
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    return np.array(
        [[float(cell) for name, cell in zip(header, line, strict=True) if name != "topic"] for line in lines]
    )


if __name__ == "__main__":
    main()
