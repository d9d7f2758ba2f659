"""What does a swap cost each coefficient? All figures of Gao and Oard (SIGIR 2015).

Figure 1 shows which pairs of systems differ significantly (paired t-test over topics, p < .05). Figures 2 and 3 swap
five random pairs, fifty times: first only pairs that differ significantly, then only pairs that do not. If the swapped
systems are far apart, tau_GAP is lower than tau_AP. If they are close, it is higher. Figures 4 to 6 show the cost of
every swap.

    python examples/papers/gao2015.py                             # demonstration
    python examples/papers/gao2015.py --data adhoc5_ap.csv        # average precision of the 61 runs of the paper

The paper prints .70, .68, .65 (tau, tau_AP, tau_GAP) for the first kind of swaps and .92, .97 (tau_AP, tau_GAP) for
the second. With any five pairs and the best system first, as in the definitions, tau_AP and tau_GAP differ more in the
first case. With five pairs of ten different systems and the *worst* system first, all printed figures are reproduced
within their sampling error. So this is probably what was computed. The script shows both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from common import Data, Results, arguments, new_axes
from ir_measures import AP

import pt_rankcorr as rc
from pt_rankcorr import plots, stats

PAPER = "Gao and Oard: A head-weighted gap-sensitive correlation coefficient (SIGIR 2015)"
SWAPS, DRAWS, ALPHA = 5, 50, 0.05
COEFFICIENTS = {"tau": rc.kendall_tau, "tau_ap": rc.tau_ap, "tau_gap": rc.tau_gap}
PRINTED = {"significant": (0.70, 0.68, 0.65), "not significant": (None, 0.92, 0.97)}
READINGS = {"any pairs, best first": False, "disjoint pairs, worst first": True}


def significant_pairs(scores: np.ndarray) -> np.ndarray:
    """Whether each pair of systems, in the order of `numpy.triu_indices`, differs significantly."""
    significant = rc.discriminative_power(scores, test="t", alpha=ALPHA).significant
    return significant[np.triu_indices(len(significant), k=1)]


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
    rankings = stats.Rankings(sign * estimates)
    return np.array([coefficient(sign * truth, rankings) for coefficient in COEFFICIENTS.values()])


def figure_1(results: Results, scores: rc.ScoreMatrix) -> None:
    power = rc.discriminative_power(scores, test="t", alpha=ALPHA)
    axes = plots.draw_significant_pairs(power, ax=new_axes(5.0, 4.2))
    results.picture("figure_1", "which pairs of systems differ significantly", axes.figure)
    share = power.statistic
    results.claim(
        "figure 1", "63% of the pairs differ significantly (section 4 once has it as 37%)",
        f"{share:.0%} of {power.n_pairs} pairs differ significantly", abs(share - 0.63) < 0.015,
        "other systems",
    )  # fmt: skip
    order = np.argsort(-power.summaries, kind="stable")
    near, far = (np.diag(power.significant[np.ix_(order, order)], k).mean() for k in (1, power.n_systems // 2))
    results.claim(
        "figure 1", "significant are pairs far from the diagonal",
        f"of neighbours {near:.0%}, of systems half of the ranking apart {far:.0%}", near < 0.2 < far,
    )  # fmt: skip


def figures_2_3(results: Results, scores: rc.ScoreMatrix, seed: int) -> None:
    truth, rng = scores.means, np.random.default_rng(seed)
    pairs, significant = np.column_stack(np.triu_indices(truth.size, k=1)), significant_pairs(scores.values)
    kinds, rows = {"significant": significant, "not significant": ~significant}, []
    for number, (kind, chosen) in enumerate(kinds.items(), start=2):
        draw_once(results, truth, drawn(pairs[chosen], rng, disjoint=False), number, kind)
        for reading, as_printed in READINGS.items():
            found = correlations(truth, pairs[chosen], rng, results.options.draws, as_printed=as_printed)
            means, errors = found.mean(axis=1), found.std(axis=1) * np.sqrt(1 / found.shape[1] + 1 / DRAWS)
            rows.append((kind, reading, *means, *errors))
            judge_swaps(results, f"figure {number}", kind, reading, means, errors)
    names = list(COEFFICIENTS)
    columns = ["pairs", "reading", *names, *(f"{name}, error of difference" for name in names)]
    results.table("figures_2_3", pd.DataFrame(rows, columns=columns))


def draw_once(results: Results, truth: np.ndarray, pairs: np.ndarray, number: int, kind: str) -> None:
    estimate = swapped(truth, pairs)
    axes = new_axes(4.2, 4.0)
    ranks = [np.argsort(np.argsort(-each, kind="stable"), kind="stable") + 1 for each in (truth, estimate)]
    moved = ranks[0] != ranks[1]
    for chosen, colour in ((~moved, "#0072B2"), (moved, "#D55E00")):
        axes.plot(ranks[0][chosen], ranks[1][chosen], "o", ms=4, color=colour)
    values = ", ".join(f"{name} {correlate(truth, estimate):.2f}" for name, correlate in COEFFICIENTS.items())
    axes.set(xlabel="true rank", ylabel="rank after the swaps", title=values)
    results.picture(f"figure_{number}", f"five random swaps of pairs that are {kind}", axes.figure)


def judge_swaps(results: Results, where: str, kind: str, reading: str, means: np.ndarray, errors: np.ndarray) -> None:
    shown = ", ".join(f"{name} {value:.3f}" for name, value in zip(COEFFICIENTS, means, strict=True))
    below = kind == "significant"
    results.claim(
        where, f"swaps of pairs that are {kind}: tau_GAP is {'below' if below else 'above'} tau_AP",
        f"{reading}: {shown}", (means[2] < means[1]) == below,
    )  # fmt: skip
    if results.options.printed:
        printed = PRINTED[kind]
        near = [abs(m - p) < 3 * e + 0.005 for m, p, e in zip(means, printed, errors, strict=True) if p is not None]
        said = ", ".join(f"{name} {p:.2f}" for name, p in zip(COEFFICIENTS, printed, strict=True) if p is not None)
        results.claim(
            where, f"{said} in the mean of 50 draws", f"{reading}: {shown}", all(near),
            "outside three standard errors; the other reading is within",
        )  # fmt: skip


def figures_4_6(results: Results, scores: rc.ScoreMatrix) -> None:
    costs = {name: stats.swap_weights(scores, name) for name in COEFFICIENTS}
    largest = max(each.values.max() for each in costs.values())
    m, rows = scores.n_systems, {}
    quarter = max(2, m // 4)
    for number, (name, each) in enumerate(costs.items(), start=4):
        axes = plots.draw_swap_weights(each, largest=largest, ax=new_axes(4.8, 4.0))
        results.picture(f"figure_{number}", f"the cost of each swap, by {name}", axes.figure)
        neighbours = np.diag(each.values, 1)
        rows[name] = neighbours[:quarter].mean(), neighbours[-quarter:].mean(), each.values[0, -1], near_share(each)
    columns = ["top neighbours", "bottom neighbours", "first with last", "share of the cost near the diagonal"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    results.table("figures_4_6", table.reset_index(names="coefficient"))
    top, bottom, near = (table[column] for column in (columns[0], columns[1], columns[3]))
    results.claim(
        "figure 4", "tau: a swap costs what it is wide, wherever it is",
        f"neighbours cost {top['tau']:.5f} at the top, "
        f"{bottom['tau']:.5f} at the bottom; first with last {table[columns[2]]['tau']:.3f}",
        np.isclose(top["tau"], bottom["tau"]),
    )  # fmt: skip
    results.claim(
        "figure 5", "tau_AP: the cost falls from the top to the bottom",
        f"neighbours cost {top['tau_ap']:.5f} at the top, {bottom['tau_ap']:.5f} at the bottom",
        top["tau_ap"] > 2 * bottom["tau_ap"],
    )  # fmt: skip
    results.claim(
        "figure 6", "tau_GAP: the light area along the diagonal is wider than with tau_AP",
        f"share of the cost of all swaps that is within {quarter // 2} ranks of it: tau_AP {near['tau_ap']:.4f}, "
        f"tau_GAP {near['tau_gap']:.4f}", near["tau_gap"] < near["tau_ap"],
    )  # fmt: skip


def near_share(weights: Any) -> float:
    """The share of the cost of all swaps that those of systems a few ranks apart have."""
    values = weights.values
    apart = np.abs(np.subtract.outer(np.arange(len(values)), np.arange(len(values))))
    return float(values[apart <= max(1, len(values) // 8)].sum() / values.sum())


def theorems(results: Results, seed: int) -> None:
    """Section 3, on random scores."""
    rng = np.random.default_rng(seed)
    truths, estimates = rng.random((2, 300, 12))
    gap = np.array([rc.tau_gap(one, other) for one, other in zip(truths, estimates, strict=True)])
    results.claim(
        "theorem 1", "tau_GAP lies between -1 and 1", f"300 random pairs: {gap.min():.2f} to {gap.max():.2f}",
        np.abs(gap).max() <= 1,
    )  # fmt: skip
    even, estimate = [4, 3, 2, 1], [4, 2, 1, 3]
    tau_gap, tau_ap = rc.tau_gap(even, estimate), rc.tau_ap(even, estimate)
    results.claim(
        "theorem 2", "if gaps are uniform, tau_GAP is tau_AP",
        f"scores {even}, estimate {estimate}: tau_GAP {tau_gap:.3f}, tau_AP {tau_ap:.3f}", np.isclose(tau_gap, tau_ap),
        "the proof takes one gap for all pairs, which more than two items cannot have: two ranks apart is two gaps",
    )  # fmt: skip
    for number, scores in ((3, ([11, 10, 1], [11, 2, 1])),):
        large, small = (rc.tau_gap(each, [3, 1, 2]) for each in scores)
        results.claim(
            f"theorem {number}", "of errors at the same ranks, those with large gaps give the lower tau_GAP",
            f"second and third swapped: {large:.2f} for scores {scores[0]}, {small:.2f} for {scores[1]}", large < small,
        )  # fmt: skip
    differences = []
    for truth in truths:
        order = np.argsort(-truth)
        wide, narrow = [order[3], order[10]], [order[3], order[4]]
        differences.append([
            rc.tau_gap(truth, swapped(truth, [pair])) - rc.tau_ap(truth, swapped(truth, [pair]))
            for pair in (narrow, wide)
        ])  # fmt: skip
    close, far = np.mean(differences, axis=0)
    results.claim(
        "theorem 4", "tau_GAP is above tau_AP for swaps of small gaps, below it for those of large ones",
        f"mean difference {close:+.3f} for neighbours, {far:+.3f} for systems seven ranks apart", close > 0 > far,
    )  # fmt: skip


def main(given: Sequence[str] | None = None) -> Results:
    parser = arguments(__doc__ or "", "gao2015", 2015)
    parser.add_argument("--draws", type=int, default=500, help="random sets of swaps; the paper has 50")
    parser.add_argument("--printed", action="store_true", help="the data are the paper's: compare with what it prints")
    options = parser.parse_args(given)
    options.draws = DRAWS if options.quick else options.draws
    results = Results(PAPER, options, data := Data.of(options))
    scores = next(iter(data.scores([AP]).values()))
    for name, study in {
        "figure 1": figure_1,
        "figures 2 and 3": partial(figures_2_3, seed=options.seed),
        "figures 4 to 6": figures_4_6,
    }.items():
        results.begin(name)
        study(results, scores)
    theorems(results, options.seed)
    results.write()
    return results


if __name__ == "__main__":
    main()
