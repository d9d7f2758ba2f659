"""Which measure tells systems apart? The study of Sakai (SIGIR 2006), on any runs.

For each measure it prints

    the share of pairs of systems that differ significantly, by five tests, and the difference that this takes (table 2;
    of these tests only "tukey-hsd" is corrected for the number of pairs)
    the difference that keeps the swap rate at 5%, and the share of comparisons that reach it (table 3)
    Kendall's tau between each two measures, with its bootstrap standard error (figures 12 and 13)

It writes pictures of the p-values of all pairs (ASL curves), the stability, the swap rates and the significant pairs.
The geometric means of AP and Q ("G AP", "G Q") give the most weight to the hardest topics. The paired tests compare
their logarithms.

    python examples/which_measure_tells_systems_apart.py                                 # demonstration
    python examples/which_measure_tells_systems_apart.py --runs runs/ --qrels my.qrels   # measures of the paper
    python examples/which_measure_tells_systems_apart.py adhoc7_ap.csv adhoc7_p10.csv    # topics x systems

It takes some seconds. All measures get the same random numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from ir_measures import AP, P, nDCG

from pt_rankcorr import demo
from pt_rankcorr.adapters.runs import scores_from_runs
from pt_rankcorr.adapters.text import read_scores
from pt_rankcorr.measures import Q, nCG
from pt_rankcorr.plots.sensitivity import draw_asl_curves, draw_significant_pairs, draw_stability, draw_swap_rates
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.correlation import correlation_standard_error
from pt_rankcorr.stats.core.summaries import ABOVE_ZERO, geometric_mean
from pt_rankcorr.stats.significance.power import DiscriminativePowerResult, discriminative_power
from pt_rankcorr.stats.significance.swap import StabilityResult, SwapRatesResult, stability, swap_rates

GEOMETRIC = {"G AP": "AP", "G Q": "Q"}
TESTS = ("paired-bootstrap", "t", "wilcoxon", "unpaired-bootstrap", "tukey-hsd")


def main() -> None:
    settings = arguments()
    scores = load(settings)
    print(f"{len(scores.systems)} systems, {len(scores.topics)} topics, seed {settings.seed}, B = 1000\n")
    power = {test: powers(scores, test, settings.seed) for test in TESTS}
    swaps = swaps_of(scores, settings.seed)
    for title, table in (
        ("Significant pairs (%) and required difference, alpha = 0.05", table_2(power)),
        ("Swap method, swap rate up to 5%", table_3(swaps)),
        ("Kendall's tau between measures, and its standard error", correlations(scores, settings.seed)),
    ):
        print(f"{title}\n{table.to_string()}\n")
    draw(power["paired-bootstrap"], stabilities(scores, settings.seed), swaps, settings.pictures)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="CSV files of scores, topics x systems, one a measure")
    parser.add_argument("--runs", type=Path, help="a folder of TREC runs")
    parser.add_argument("--qrels", type=Path, help="the judgments for them")
    parser.add_argument("--cutoff", type=int, default=100, help="of nDCG, nCG and P; the paper has 1000")
    parser.add_argument("--pictures", type=Path, default=Path(), help="the folder to write pictures to")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def load(settings: argparse.Namespace) -> Scores:
    if settings.files:
        return Scores([matrix for path in settings.files for matrix in read_scores(path).values()])
    measures = [AP, Q, nDCG @ settings.cutoff, nCG @ settings.cutoff, P @ settings.cutoff]
    if settings.runs is not None:
        return scores_from_runs(settings.runs, settings.qrels, measures)
    collection = demo.collection()
    runs = {name: system(collection.topics) for name, system in demo.pipelines(collection).items()}
    return scores_from_runs(runs, collection.qrels, measures, verbose=False)


# --- the methods, with geometric means beside the others ----------------------------------------------


def geometric(scores: Scores) -> dict[str, ScoreMatrix]:
    """The measures that also get a geometric mean, under the name of that mean."""
    return {name: scores[measure] for name, measure in GEOMETRIC.items() if measure in scores}


def powers(scores: Scores, test: str, seed: int) -> dict[str, DiscriminativePowerResult]:
    results = discriminative_power(scores, test=test, rng=seed)
    for name, matrix in geometric(scores).items():
        if test == "unpaired-bootstrap":
            results[name] = discriminative_power(matrix, test=test, statistic=geometric_mean, rng=seed)
        else:
            logs = ScoreMatrix(np.log(matrix.values + ABOVE_ZERO), matrix.topics, matrix.systems)
            results[name] = discriminative_power(logs, test=test, rng=seed)
    return results


def swaps_of(scores: Scores, seed: int) -> dict[str, SwapRatesResult]:
    rates = partial(swap_rates, of="resamples", rng=seed)
    return rates(scores) | {name: rates(matrix, statistic=geometric_mean) for name, matrix in geometric(scores).items()}


def stabilities(scores: Scores, seed: int) -> dict[str, StabilityResult]:
    rates = partial(stability, of="resamples", rng=seed)
    return rates(scores) | {name: rates(matrix, statistic=geometric_mean) for name, matrix in geometric(scores).items()}


# --- what is shown ------------------------------------------------------------------------------------


def table_2(power: Mapping[str, Mapping[str, DiscriminativePowerResult]]) -> pd.DataFrame:
    """Most sensitive first. Required differences of geometric means are of logarithms, except in the unpaired test."""
    columns = {
        (test, column): {measure: value(result) for measure, result in results.items()}
        for test, results in power.items()
        for column, value in (("%", percent_significant), ("diff", required_difference))
        if (test, column) != ("wilcoxon", "diff")
    }
    return pd.DataFrame(columns).sort_values((TESTS[0], "%"), ascending=False)


def percent_significant(result: DiscriminativePowerResult) -> float:
    return round(100 * result.statistic, 1)


def required_difference(result: DiscriminativePowerResult | SwapRatesResult) -> str:
    published = result.published_difference if isinstance(result, DiscriminativePowerResult) else None
    return f"{result.required_difference if published is None else published:.2g}"


def table_3(swaps: Mapping[str, SwapRatesResult]) -> pd.DataFrame:
    rows = {
        measure: {
            "abs": required_difference(result),
            "rel %": round(100 * result.relative_difference, 1),
            "max": round(result.largest_value, 4),
            "sensitivity %": round(100 * result.sensitivity, 1),
        }
        for measure, result in swaps.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").sort_values("sensitivity %", ascending=False)


def correlations(scores: Scores, seed: int) -> pd.DataFrame:
    rows = []
    for first, second in combinations(scores, 2):
        result = correlation_standard_error(scores[first], scores[second], "tau", rng=seed, n_jobs=1)
        low, high = result.confidence_interval()
        rows.append({"measures": f"{first}, {second}", "tau": result.statistic, "se": result.standard_error,
                     "low": low, "high": high})  # fmt: skip
    return pd.DataFrame(rows).set_index("measures").sort_values("tau", ascending=False).round(3)


def draw(
    power: Mapping[str, DiscriminativePowerResult],
    steadiness: Mapping[str, StabilityResult],
    swaps: Mapping[str, SwapRatesResult],
    folder: Path,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    best = max(power, key=lambda measure: power[measure].statistic)
    pictures = {
        "asl_curves.png": draw_asl_curves(power),
        "stability.png": draw_stability(steadiness),
        "swap_rates.png": draw_swap_rates(swaps),
        "significant_pairs.png": draw_significant_pairs(power[best]),
    }
    for name, picture in pictures.items():
        picture.get_figure(root=True).savefig(folder / name, dpi=150)
        print(f"wrote {folder / name}")


if __name__ == "__main__":
    main()
