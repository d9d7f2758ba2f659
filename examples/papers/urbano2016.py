"""How good are estimates of the correlation with the true ranking? All of Urbano and Marrero (SIGIR 2016).

From each collection of scores (topics x systems) new collections of 10 to 100 topics are simulated, as the paper does:
with system effects on the logit scale, and the observed means for the true ones. The correlation of each simulated
ranking with the true one is estimated in the six ways of the paper, and in the package's own, and compared with the
actual one: figure 1 shows the error, figure 2 the bias.

    python examples/papers/urbano2016.py --data adhoc6_ap.csv adhoc7_ap.csv --published urbano2016_estimators.csv

`--published` is a table of the paper's own values, with the columns collection, coefficient, estimator, n_topics,
trials, bias, bias_standard_error, rmse and mean_absolute_error. Every finished trial goes into trials.jsonl, and a
second run does not compute it again. The paper has 1000 trials of each size; the halves of split-half take most of the
time, so that `--halves` can ask for fewer of them.
"""

from __future__ import annotations

import argparse
import json
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from common import Data, Results, arguments, panels
from joblib import Parallel, delayed
from tqdm.auto import tqdm

import pt_rankcorr as rc
from pt_rankcorr.stats import TopicSimulator
from pt_rankcorr.warnings import CloseSystemsWarning

PAPER = (
    "Urbano and Marrero: Toward estimating the rank correlation between the test collection results and the true "
    "system performance (SIGIR 2016)"
)
COEFFICIENTS = {"tau": rc.kendall_tau, "tau_ap": rc.tau_ap}
PROPOSED, HALVES, OURS = ("ml", "msqd", "resampling", "kde"), ("split-half", "split-half-replace"), ("shrunken",)
ESTIMATORS = (*PROPOSED, *HALVES, *OURS)
SIZES, QUICK_SIZES = tuple(range(10, 101, 10)), (10, 50)
CELL = ["collection", "coefficient", "estimator", "n_topics"]
STYLES = {
    "ml": ("#0072B2", "o", "-"),
    "msqd": ("#D55E00", "s", "-"),
    "resampling": ("#009E73", "D", "--"),
    "kde": ("#CC79A7", "^", "--"),
    "split-half": ("#555555", "v", ":"),
    "split-half-replace": ("#999999", "x", ":"),
    "shrunken": ("#000000", "*", "-."),
}


# --- one trial --------------------------------------------------------------------------------------


class Simulated(NamedTuple):
    """New topics of a collection, and what the paper takes for the true means of its systems."""

    simulator: TopicSimulator
    truth: np.ndarray


def simulated_as_published(scores: rc.ScoreMatrix) -> Simulated:
    kept = without_the_worst_quarter(scores)
    return Simulated(TopicSimulator(kept, levels="published"), kept.mean(axis=0))


def estimate(
    collection: Simulated, trial: tuple[str, int, int], estimators: tuple[str, ...], seed: int
) -> list[dict[str, Any]]:
    """Simulates a collection; one row for each coefficient and estimator."""
    name, n_topics, number = trial
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), n_topics, number])
    scores = collection.simulator.draw(n_topics, rng)
    randoms = dict(zip(ESTIMATORS, rng.spawn(len(ESTIMATORS)), strict=True))  # whichever are asked for
    rows = []
    for estimator in estimators:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CloseSystemsWarning)  # the study is about such topics
            result = rc.expected_correlation(scores, coefficient="tau", estimator=estimator, rng=randoms[estimator])
        for coefficient, correlate in COEFFICIENTS.items():
            actual = correlate(collection.truth, scores.mean(axis=0))
            value = result.with_coefficient(coefficient).value
            cell = dict(zip(CELL, (name, coefficient, estimator, n_topics), strict=True))
            rows.append({"seed": seed, "number": number, **cell, "actual": actual, "estimate": value})
    return rows


def without_the_worst_quarter(scores: rc.ScoreMatrix) -> np.ndarray:
    """As the paper does, since these may be broken systems."""
    means = scores.values.mean(axis=0)
    return scores.values[:, means >= np.quantile(means, 0.25)]


# --- all of them, resumed ---------------------------------------------------------------------------


def wanted(names: Mapping[str, Any], sizes: tuple[int, ...], trials: int, halves: int) -> Iterator[tuple]:
    for number in range(trials):
        estimators = ESTIMATORS if number < halves else (*PROPOSED, *OURS)
        for name in names:
            for size in sizes:
                yield (name, size, number), estimators


def run(collections: Mapping[str, Simulated], options: argparse.Namespace) -> pd.DataFrame:
    """Computes what the journal does not have yet, and returns all that was asked for."""
    journal = options.output / "trials.jsonl"
    found = recorded(journal, options.seed)
    counts = Counter(key[:-1] for key in found)
    done = {key for key, count in counts.items() if count == len(COEFFICIENTS)}
    asked = list(wanted(collections, QUICK_SIZES if options.quick else SIZES, options.trials, options.halves))
    todo = [(trial, tuple(name for name in names if (*trial, name) not in done)) for trial, names in asked]
    todo = [(trial, names) for trial, names in todo if names]
    work = (delayed(estimate)(collections[trial[0]], trial, names, options.seed) for trial, names in todo)
    rows = Parallel(n_jobs=options.jobs, return_as="generator")(work)
    with journal.open("a", encoding="utf-8") as file:
        for each in tqdm(rows, total=len(asked), initial=len(asked) - len(todo), unit="collection", smoothing=0):
            file.writelines(json.dumps(row) + "\n" for row in each)
            file.flush()
            found.update((key_of(row), row) for row in each)
    is_asked = {(*trial, name) for trial, names in asked for name in names}
    return pd.DataFrame([row for key, row in sorted(found.items()) if key[:-1] in is_asked])


def key_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["collection"], row["n_topics"], row["number"], row["estimator"], row["coefficient"]


def recorded(journal: Path, seed: int) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The finished rows of this seed. A last line that is not complete is removed from the journal."""
    text = journal.read_text(encoding="utf-8") if journal.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        journal.write_text(whole, encoding="utf-8")
    return {key_of(row): row for row in map(json.loads, whole.splitlines()) if row["seed"] == seed}


# --- what came out ----------------------------------------------------------------------------------


def summary(trials: pd.DataFrame) -> pd.DataFrame:
    """Error and bias with their standard errors, one row for each collection, coefficient, estimator and size."""
    bias = trials["estimate"] - trials["actual"]
    groups = trials.assign(bias=bias, error=bias.abs()).groupby(CELL, sort=False)
    table = groups.agg(trials=("bias", "size"), mean_actual=("actual", "mean"))
    for column in ("error", "bias"):
        table[column] = groups[column].mean()
        table[f"{column} se"] = groups[column].std() / np.sqrt(table["trials"])
    return table.reset_index()


def beside_published(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Ours, theirs, and the difference in standard errors."""
    published = pd.read_csv(path)
    published["collection"] += "_ap"
    joined = table.merge(published, on=CELL, suffixes=("", " published"))
    variance = joined["rmse"] ** 2 - joined["mean_absolute_error"] ** 2
    errors = {"error": np.sqrt(variance / joined["trials published"]), "bias": joined["bias_standard_error"]}
    joined = joined.rename(columns={"mean_absolute_error": "error published"})
    for column, error in errors.items():
        both = np.hypot(joined[f"{column} se"], error)
        joined[f"{column} z"] = (joined[column] - joined[f"{column} published"]) / both
    columns = ["trials", "error", "error published", "error z", "bias", "bias published", "bias z"]
    return joined[[*CELL, *columns, "mean_actual", "mean_actual published"]]


def draw(table: pd.DataFrame, kind: str) -> Any:
    """Figure 1 or 2: a panel for every collection and coefficient."""
    names = list(table["collection"].unique())
    figure, grid = panels(len(names), 2, 4.0, 2.8, sharex=True, sharey=True)
    for row, name in zip(grid, names, strict=True):
        for axes, coefficient in zip(row, COEFFICIENTS, strict=True):
            panel = table[(table["collection"] == name) & (table["coefficient"] == coefficient)]
            for estimator, (colour, marker, line) in STYLES.items():
                points = panel[panel["estimator"] == estimator].sort_values("n_topics")
                axes.plot(points["n_topics"], points[kind], color=colour, marker=marker, ls=line, ms=4, label=estimator)
            axes.axhline(0.0, color="0.6", lw=0.8)
            axes.set_title(f"{coefficient}, {name}")
    figure.supxlabel("topics in the collection")
    figure.supylabel({"error": "mean |estimate − actual|", "bias": "mean of estimate − actual"}[kind])
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    return figure


def judge(results: Results, table: pd.DataFrame) -> None:
    """The claims of section 4.3, on means over collections and coefficients."""
    mean = table.pivot_table(index="estimator", columns="n_topics", values=["error", "bias"])
    error, bias = mean["error"], mean["bias"]
    few, usual, most = min(error), 50, max(error)
    at = f"with {few} topics"
    proposed, halves = error.loc[list(PROPOSED), few], error.loc[list(HALVES), few]
    results.claim(
        "figure 1", "with few topics the split-half estimators err more than all four proposed ones",
        f"{at} {halves.min():.3f} and {halves.max():.3f} against {proposed.min():.3f} to {proposed.max():.3f}",
        halves.min() > proposed.max(), "resampling errs as much as the better of the two",
    )  # fmt: skip
    results.claim(
        "figure 1", "with few topics MSQD errs least of the four",
        f"{at} {proposed.idxmin()}, {proposed.min():.3f}", proposed.idxmin() == "msqd",
    )  # fmt: skip
    of_msqd = table[(table["estimator"] == "msqd") & (table["n_topics"] == few)]
    by_collection = of_msqd.groupby("collection")["error"].mean()
    levels = {size: float(error.loc["msqd", size]) for size in (few, usual, most)}
    results.claim(
        "figure 1", "an error of about .065 with 10 topics, .035 with 50, .025 at most sizes beyond",
        "MSQD: " + ", ".join(f"{value:.3f} with {size}" for size, value in levels.items()),
        all(abs(levels[size] - value) < 0.01 for size, value in ((10, 0.065), (50, 0.035))),
        f"by collection {at}: " + ", ".join(f"{name} {value:.3f}" for name, value in by_collection.items()),
    )  # fmt: skip
    results.claim(
        "figure 2", "all four proposed estimators promise too much with few topics, MSQD least",
        at + " " + ", ".join(f"{name} {bias.loc[name, few]:.3f}" for name in PROPOSED),
        (bias.loc[list(PROPOSED), few] > 0).all() and bias.loc[list(PROPOSED), few].idxmin() == "msqd",
    )  # fmt: skip
    worst = bias.loc[list(PROPOSED)].idxmax()
    results.claim(
        "figure 2", "resampling always has the largest bias of the four",
        f"at {(worst == 'resampling').sum()} of {len(worst)} sizes", (worst == "resampling").all(),
    )  # fmt: skip
    biases = bias.loc["shrunken"].abs().max(), bias.loc["msqd"].abs().max()
    results.claim(
        "not in the paper", "the package's default, the shrunken truth",
        f"largest bias {biases[0]:.3f}, MSQD's {biases[1]:.3f}; error {error.loc['shrunken', few]:.3f} {at}",
        biases[0] <= biases[1], "its bias is larger than that of MSQD on these collections",
    )  # fmt: skip


def judge_cells(results: Results, table: pd.DataFrame) -> None:
    """Whether the paper's own numbers come out."""
    with_replacement = table[table["estimator"] == "split-half-replace"]
    results.claim(
        "figure 2", f"split-half with replacement: a roughly constant bias of "
        f"{with_replacement['bias published'].mean():.3f}",
        f"{with_replacement['bias'].mean():.3f}, from {with_replacement['bias'].min():.3f} to "
        f"{with_replacement['bias'].max():.3f}",
        abs(with_replacement["bias"].mean() - with_replacement["bias published"].mean()) < 0.01,
    )  # fmt: skip
    more = table["mean_actual"] - table["mean_actual published"]
    actual = f"mean actual correlations here less those of the paper are {more.min():.3f} to {more.max():.3f}"
    trials = " to ".join(map(str, sorted({table["trials"].min(), table["trials"].max()})))
    for column, where in (("error", "figure 1"), ("bias", "figure 2")):
        z = table[f"{column} z"].abs()
        far, apart = table[z > 3], (table[column] - table[f"{column} published"]).abs()
        cells = ", ".join(sorted({f"{name} at {size}" for name, size in far[["collection", "n_topics"]].values}))
        estimators = ", ".join(sorted(set(far["estimator"])))
        results.claim(
            where, f"the {column} of six estimators by both coefficients, in every cell",
            f"{(z <= 3).sum()} of {len(z)} cells within three standard errors, largest {z.max():.2f}; "
            f"apart by {apart.median():.3f} in the median and {apart.max():.3f} at most, with {trials} trials a cell "
            "(paper 1000)",
            far.empty, f"{cells} ({estimators}) differ; {actual}",
        )  # fmt: skip


def main(arguments_given: list[str] | None = None) -> Results:
    parser = arguments(__doc__ or "", "urbano2016", 2016)
    parser.add_argument("--trials", type=int, help="simulated collections of each size: 40, with --quick 4")
    parser.add_argument("--halves", type=int, help="of these, how many also get split-half: a quarter")
    parser.add_argument("--published", type=Path, help="a table of the paper's own values")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments_given)
    options.trials = options.trials or (4 if options.quick else 40)
    options.halves = options.halves or max(options.trials // 4, 1)
    results = Results(PAPER, options, data := Data.of(options))
    matrices = data.collections("AP")
    results.begin("simulated collections")
    table = summary(run({name: simulated_as_published(each) for name, each in matrices.items()}, options))
    results.table("error_and_bias", table)
    for number, kind in enumerate(("error", "bias"), start=1):
        results.picture(f"figure_{number}", f"the {kind} of all estimators", draw(table, kind))
    judge(results, table)
    if options.published:
        beside = beside_published(table, options.published)
        results.table("beside_published", beside)
        judge_cells(results, beside)
    results.write()
    return results


if __name__ == "__main__":
    main()
