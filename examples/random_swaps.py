"""How much does a swap of two systems lower each coefficient? The experiment of Gao and Oard (SIGIR 2015, section 4).

The script swaps five random pairs of systems, fifty times: first only pairs that differ significantly (paired t-test
over topics, p < 0.05), then only pairs that do not. If the swapped systems are far apart, tau_GAP is lower than tau_AP.
If they are close, it is higher.

The paper prints .70, .68, .65 (tau, tau_AP, tau_GAP) for the first and .92, .97 (tau_AP, tau_GAP) for the second. With
any five pairs and the best system first, as in the definitions, tau_AP and tau_GAP differ more in the first case. With
five pairs of ten different systems and the *worst* system first, all printed figures are reproduced within their
sampling error. So this is probably what was computed. The script shows both.

    python examples/random_swaps.py scores.csv --seed 1 --figures swaps.png

The file holds average precision, topics x systems, with one header row of system names (the paper's are the 61 runs
of TREC 5). With --figures it also draws the heat maps of all coefficients on one scale (figures 4 to 6).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import ttest_rel

from pt_rankcorr.stats.coefficients.ap import tau_ap
from pt_rankcorr.stats.coefficients.gap import tau_gap
from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.coefficients.table import COEFFICIENTS
from pt_rankcorr.stats.coefficients.weights import swap_weights
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.rankings import Rankings

SWAPS, DRAWS = 5, 50


def significant_pairs(scores: np.ndarray, alpha: float = 0.05) -> np.ndarray:
    """Whether each pair of systems, in the order of `numpy.triu_indices`, differs significantly."""
    first, second = np.triu_indices(scores.shape[1], k=1)
    same = (scores[:, first] == scores[:, second]).all(axis=0)
    pvalues = np.ones(first.size)
    pvalues[~same] = ttest_rel(scores[:, first[~same]], scores[:, second[~same]]).pvalue
    return pvalues < alpha


def drawn(pairs: np.ndarray, rng: np.random.Generator, *, disjoint: bool) -> np.ndarray:
    """Five pairs at random: any, or pairs of ten different systems."""
    if not disjoint:
        return rng.choice(pairs, SWAPS, replace=False)
    chosen: list[np.ndarray] = []
    for pair in rng.permutation(pairs):
        if not np.isin(pair, chosen).any():
            chosen.append(pair)
        if len(chosen) == SWAPS:
            break
    return np.array(chosen)


def swapped(truth: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The scores after swaps of some pairs of systems, one after the other."""
    estimate = truth.copy()
    for first, second in pairs:
        estimate[[first, second]] = estimate[[second, first]]
    return estimate


def correlations(
    truth: np.ndarray, pairs: np.ndarray, rng: np.random.Generator, draws: int = DRAWS, *, as_printed: bool = False
) -> np.ndarray:
    """tau, tau_AP and tau_GAP between the scores and those after random swaps, shape (3, draws).

    `as_printed` swaps ten different systems and puts the worst at the head.
    """
    estimates = np.array([swapped(truth, drawn(pairs, rng, disjoint=as_printed)) for _ in range(draws)])
    sign = -1 if as_printed else 1
    rankings = Rankings(sign * estimates)
    return np.array([coefficient(sign * truth, rankings) for coefficient in (kendall_tau, tau_ap, tau_gap)])


def draw_heat_maps(scores: np.ndarray, path: Path) -> None:
    """What each swap costs each coefficient, on one scale."""
    import matplotlib.pyplot as plt

    from pt_rankcorr.plots.weights import draw_swap_weights

    weights = [swap_weights(scores, name) for name in COEFFICIENTS]
    largest = max(each.values.max() for each in weights)
    figure, axes = plt.subplots(1, len(weights), figsize=(5 * len(weights), 4.5), layout="constrained")
    for each, ax in zip(weights, axes, strict=True):
        draw_swap_weights(each, largest=largest, ax=ax)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores", type=Path, help="CSV file: topics x systems, one header row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--figures", type=Path, help="where to save the heat maps")
    arguments = parser.parse_args()

    scores = np.loadtxt(arguments.scores, delimiter=",", skiprows=1)
    truth, rng = system_means(scores), np.random.default_rng(arguments.seed)
    significant = significant_pairs(scores)
    pairs = np.column_stack(np.triu_indices(truth.size, k=1))
    print(f"{truth.size} systems, {significant.mean():.0%} of pairs differ significantly")
    print(f"swaps of {SWAPS} pairs, means over {arguments.draws} draws:              tau   tau_AP  tau_GAP")
    for reading in ("any pairs, best first", "disjoint pairs, worst first"):
        for label, chosen in (("significantly different", significant), ("not significantly different", ~significant)):
            found = correlations(truth, pairs[chosen], rng, arguments.draws, as_printed="worst" in reading)
            tau, head, gap = found.mean(axis=1)
            print(f"  {label:<28} {reading:<28} {tau:.3f}  {head:.3f}   {gap:.3f}")
    if arguments.figures:
        draw_heat_maps(scores, arguments.figures)


if __name__ == "__main__":
    main()
