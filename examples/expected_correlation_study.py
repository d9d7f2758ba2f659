"""How good are estimates of the correlation with the true ranking? The study of Urbano and Marrero (SIGIR 2016).

From each collection of scores (topics x systems) the script simulates new collections of 10 to 100 topics, whose true
ranking is known. It estimates the correlation of each simulated ranking with the true one in six ways, and compares the
estimates with the actual correlation. It writes

    trials.jsonl    one line for each simulated collection; a second run does not compute these again
    error.png       figure 1: the mean absolute error against the number of topics
    bias.png        figure 2: the mean error against the number of topics

and prints both for 10 and 50 topics, beside the published values where there are any. Scores are CSV files with
topics in rows and systems in columns, under a header; adhoc6_ap.csv and adhoc7_ap.csv are those of the paper.

    python examples/expected_correlation_study.py adhoc6_ap.csv adhoc7_ap.csv --trials 40 --jobs 2

40 trials take a few minutes; the paper has 1000. In our simulation the expected score of a system is its observed mean.
The published simulation seems to keep means on the logit scale only. That changes scores by 0.005 and makes its errors
with 10 topics a little larger.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from pt_rankcorr.stats.coefficients.ap import tau_ap
from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.expected.correlation import expected_correlation
from pt_rankcorr.stats.expected.simulation import TopicSimulator

COEFFICIENTS = {"tau": kendall_tau, "tau_ap": tau_ap}
ESTIMATORS = ("ml", "msqd", "resampling", "kde", "split-half", "split-half-replace", "shrunken")
SIZES = tuple(range(10, 101, 10))
PAPER_TRIALS = 1000

# error and then bias of ml, msqd, resampling, kde
PUBLISHED = {
    ("adhoc6_ap", 10, "tau"): ((0.0943, 0.0846, 0.1209, 0.1019), (0.0680, 0.0411, 0.1107, 0.0812)),
    ("adhoc6_ap", 50, "tau"): ((0.0424, 0.0424, 0.0429, 0.0424), (0.0074, 0.0054, 0.0142, 0.0052)),
    ("adhoc7_ap", 10, "tau"): ((0.0629, 0.0596, 0.0841, 0.0666), (0.0322, 0.0025, 0.0744, 0.0423)),
    ("adhoc7_ap", 50, "tau"): ((0.0258, 0.0259, 0.0262, 0.0260), (0.0048, 0.0002, 0.0102, 0.0002)),
    ("adhoc6_ap", 10, "tau_ap"): ((0.0782, 0.0716, 0.0990, 0.0828), (0.0449, 0.0173, 0.0856, 0.0552)),
    ("adhoc6_ap", 50, "tau_ap"): ((0.0412, 0.0414, 0.0413, 0.0414), (0.0014, -0.0014, 0.0082, -0.0019)),
    ("adhoc7_ap", 10, "tau_ap"): ((0.0655, 0.0610, 0.0859, 0.0679), (0.0341, 0.0034, 0.0747, 0.0406)),
    ("adhoc7_ap", 50, "tau_ap"): ((0.0338, 0.0336, 0.0349, 0.0336), (0.0093, 0.0030, 0.0155, 0.0022)),
}


@dataclass(frozen=True)
class Trial:
    """One simulated collection: where it comes from, its size, and its number."""

    collection: str
    n_topics: int
    number: int

    def generator(self, seed: int) -> np.random.Generator:
        """The same draws for the same trial, whichever were done before."""
        return np.random.default_rng([seed, zlib.crc32(self.collection.encode()), self.n_topics, self.number])


# --- one trial --------------------------------------------------------------------------------------


def estimate(trial: Trial, simulator: TopicSimulator, seed: int) -> dict[str, Any]:
    """Both coefficients, the actual ones and all estimates, of one simulated collection."""
    rng = trial.generator(seed)
    scores = simulator.draw(trial.n_topics, rng)
    means = scores.mean(axis=0)
    outcome: dict[str, Any] = {"seed": seed, **vars(trial)}
    for coefficient, correlation in COEFFICIENTS.items():
        outcome[f"{coefficient} actual"] = correlation(simulator.means, means)
    for estimator in ESTIMATORS:
        result = expected_correlation(scores, coefficient="tau", estimator=estimator, rng=rng)
        for coefficient in COEFFICIENTS:
            outcome[f"{coefficient} {estimator}"] = result.with_coefficient(coefficient).value
    return outcome


def simulator_of(path: Path) -> TopicSimulator:
    """A simulator of the systems of a collection, without the worst quarter."""
    scores = pd.read_csv(path).drop(columns="topic", errors="ignore").to_numpy(dtype=float)
    means = scores.mean(axis=0)
    return TopicSimulator(scores[:, means >= np.quantile(means, 0.25)])


# --- all of them ------------------------------------------------------------------------------------


def run(simulators: dict[str, TopicSimulator], trials: int, seed: int, jobs: int, journal: Path) -> None:
    """Computes the trials that are not in the journal, and adds each to it."""
    done = {Trial(entry["collection"], entry["n_topics"], entry["number"]) for entry in recorded(journal, seed)}
    wanted = [Trial(name, size, k) for k in range(trials) for name in simulators for size in SIZES]
    missing = [trial for trial in wanted if trial not in done]
    work = (delayed(estimate)(trial, simulators[trial.collection], seed) for trial in missing)
    outcomes = Parallel(n_jobs=jobs, return_as="generator")(work)
    bar = tqdm(outcomes, total=len(wanted), initial=len(wanted) - len(missing), unit="collection", smoothing=0)
    with journal.open("a", encoding="utf-8") as file:
        for outcome in bar:
            file.write(json.dumps(outcome) + "\n")
            file.flush()


def recorded(journal: Path, seed: int) -> list[dict[str, Any]]:
    """The finished trials of this seed. A last line that is not complete is removed from the journal."""
    text = journal.read_text(encoding="utf-8") if journal.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        journal.write_text(whole, encoding="utf-8")
    return [entry for entry in map(json.loads, whole.splitlines()) if entry["seed"] == seed]


# --- what came out ----------------------------------------------------------------------------------


def summary(entries: list[dict[str, Any]]) -> pd.DataFrame:
    """Error and bias, with their standard errors, by collection, number of topics, coefficient and estimator."""
    rows = pd.DataFrame(_deviations(entries))
    groups = rows.groupby(["collection", "n_topics", "coefficient", "estimator"], sort=False)
    return groups.agg(
        trials=("bias", "size"),
        error=("error", "mean"),
        error_deviation=("error", "std"),
        bias=("bias", "mean"),
        bias_deviation=("bias", "std"),
    ).reset_index()


def _deviations(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        for coefficient in COEFFICIENTS:
            for estimator in ESTIMATORS:
                bias = entry[f"{coefficient} {estimator}"] - entry[f"{coefficient} actual"]
                yield {
                    "collection": entry["collection"],
                    "n_topics": entry["n_topics"],
                    "coefficient": coefficient,
                    "estimator": estimator,
                    "bias": bias,
                    "error": abs(bias),
                }


def beside_published(table: pd.DataFrame) -> pd.DataFrame:
    """Our values for 10 and 50 topics, the published ones, and the difference in standard errors."""
    table = table[table.n_topics.isin((10, 50))].copy()
    for column, (kind, deviations) in enumerate((("error", "error_deviation"), ("bias", "bias_deviation"))):
        published = np.array([_published(row, column) for row in table.itertuples()])
        standard_error = table[deviations] * np.sqrt(1 / table.trials + 1 / PAPER_TRIALS)
        table[f"published {kind}"] = published
        table[f"{kind} z"] = (table[kind] - published) / standard_error
    columns = ["error", "published error", "error z", "bias", "published bias", "bias z"]
    return table.set_index(["collection", "n_topics", "coefficient", "estimator", "trials"])[columns]


def _published(row: Any, column: int) -> float:
    cell = PUBLISHED.get((row.collection, row.n_topics, row.coefficient))
    at = ESTIMATORS.index(row.estimator)
    return cell[column][at] if cell is not None and at < len(cell[column]) else np.nan


def draw(table: pd.DataFrame, kind: str, path: Path) -> None:
    """Figure 1 or 2 of the paper: a panel for every collection and coefficient."""
    import matplotlib.pyplot as plt

    collections = list(table.collection.unique())
    size = (4.0 * len(COEFFICIENTS) + 1.6, 3.0 * len(collections))
    figure, grid = plt.subplots(
        len(collections), len(COEFFICIENTS), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for row, collection in zip(grid, collections, strict=True):
        for axes, coefficient in zip(row, COEFFICIENTS, strict=True):
            panel = table[(table.collection == collection) & (table.coefficient == coefficient)]
            draw_panel(axes, panel, kind)
            axes.set_title(f"{coefficient}, {collection}")
    figure.supxlabel("topics in the collection")
    figure.supylabel({"error": "mean |estimate - actual|", "bias": "mean of estimate - actual"}[kind])
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def draw_panel(axes: Any, panel: pd.DataFrame, kind: str) -> None:
    """One line for every estimator, told apart by marker and dash as well as by colour."""
    colours = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555", "#999999", "#000000")
    styles = zip(ESTIMATORS, colours, "osD^vx*", ("-", "-", "--", "--", ":", ":", "-"), strict=True)
    for estimator, colour, marker, line in styles:
        points = panel[panel.estimator == estimator].sort_values("n_topics")
        axes.plot(points.n_topics, points[kind], color=colour, marker=marker, ls=line, ms=4, lw=1.3, label=estimator)
    if kind == "bias":
        axes.axhline(0.0, color="black", lw=0.8)


def main() -> None:
    """Runs the study as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", nargs="+", type=Path, help="CSV files of scores, topics x systems")
    parser.add_argument("--trials", type=int, default=40, help="simulated collections of each size")
    parser.add_argument("--seed", type=int, default=2016)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--output", type=Path, default=Path("expected_correlation_study"), help="a folder")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    journal = arguments.output / "trials.jsonl"
    simulators = {path.stem: simulator_of(path) for path in arguments.scores}
    try:
        run(simulators, arguments.trials, arguments.seed, arguments.jobs, journal)
    except KeyboardInterrupt:
        parser.exit(1, f"\nInterrupted. Finished trials are in {journal}. Run this again to continue.\n")
    entries = [entry for entry in recorded(journal, arguments.seed) if entry["collection"] in simulators]
    table = summary(entries)
    print(beside_published(table).to_string(float_format="{:.4f}".format))
    for kind in ("error", "bias"):
        draw(table, kind, arguments.output / f"{kind}.png")


if __name__ == "__main__":
    main()
