"""Does a correlation see errors at the top? All figures of Yilmaz, Aslam and Robertson (SIGIR 2008).

Figures 1, 2 and 4 rank runs by shallow pools, figure 5 by the judgments of documents that a single run retrieved.
Figure 3 shows all permutations of eight items, figure 6 random rankings of fifty.

    python examples/papers/yilmaz2008.py                                          # demonstration
    python examples/papers/yilmaz2008.py --data runs/ --qrels my.qrels --manual 'manual-*'

`--manual` is a pattern for the names of the runs that figure 5 tells from the others: the judgments are those of all
documents of the two best of them, as in the paper, and of their first ones, as many as `--first` says. In the
demonstration, manual runs are the systems with feedback.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from common import Data, Results, arguments, panels
from ir_measures import AP

import pt_rankcorr as rc
from pt_rankcorr import judgments, plots, stats

PAPER = "Yilmaz, Aslam and Robertson: A new rank correlation coefficient for information retrieval (SIGIR 2008)"
POOLS = {1: 1, 2: 6}  # figure: depth
FEW, TOP, ALL = 10, 12, 1000  # runs; documents of a run
SYMMETRIC = partial(rc.tau_ap, symmetric=True)


# --- scores under two sets of judgments: figures 1, 2 and 5 -----------------------------------------


def averages(data: Data, qrels: object) -> pd.Series:
    """MAP of each run."""
    scores = rc.scores_from_runs(data.runs, qrels, [AP], verbose=False)["AP"]
    return pd.Series(scores.means, index=scores.systems)


def on_topics_of(qrels: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The judgments of a pool, with a document that no run has for topics without any: they score 0, and stay."""
    missing = sorted(set(qrels["qid"]) - set(judged["qid"]))
    rest = pd.DataFrame({"qid": missing, "docno": "no document", "label": 0, "iteration": "0"})
    return pd.concat([judged, rest], ignore_index=True)


def scatter(axes: Any, reference: pd.Series, estimate: pd.Series, title: str) -> tuple[float, float]:
    tau, tau_ap = rc.kendall_tau(reference, estimate), rc.tau_ap(reference, estimate)
    ends = [min(reference.min(), estimate.min()), max(reference.max(), estimate.max())]
    axes.plot(ends, ends, color="0.7", lw=0.8)
    axes.plot(reference, estimate.reindex(reference.index), "o", ms=4, color="#0072B2", alpha=0.8)
    axes.set_title(f"{title}: τ = {tau:.3f}, τ AP = {tau_ap:.3f}", fontsize="medium")
    return tau, tau_ap


def figures_1_2(results: Results, data: Data, actual: pd.Series, qrels: pd.DataFrame) -> dict[int, pd.Series]:
    pools = judgments.pool(data.evaluated[0], qrels, list(POOLS.values()), verbose=False)
    ordered, rows, found = actual.sort_values(ascending=False), [], {}
    for number, depth in POOLS.items():
        shallow = found[depth] = averages(data, on_topics_of(qrels, pools[depth]))
        figure, grid = panels(1, 3, 3.4, 3.2)
        parts = {"all": ordered, f"top {FEW}": ordered[:FEW], f"bottom {FEW}": ordered[-FEW:]}
        values = {}
        for axes, (name, part) in zip(grid[0], parts.items(), strict=True):
            values[name] = scatter(axes, part, shallow[part.index], name)
            rows.append((depth, name, len(part), *values[name]))
        figure.supxlabel("MAP by all judgments")
        figure.supylabel(f"MAP by the pool of depth {depth}")
        results.picture(f"figure_{number}", f"runs by a pool of depth {depth}", figure)
        (tau, tau_ap), (top, _), (bottom, _) = values.values()
        results.claim(
            f"figure {number}", f"depth-{depth} pool: tau is high though the best {FEW} are far less in order than the "
            f"worst {FEW}" + (" (tau .733)" if depth == 1 else ""),
            f"tau {tau:.3f}; top {top:.2f}, bottom {bottom:.2f}", tau > 0.5 and top < bottom,
            "the worst runs are not ordered better than the best here",
        )  # fmt: skip
        results.claim(
            f"figure {number}", "then tau_AP is below tau", f"tau_AP {tau_ap:.3f}, tau {tau:.3f}",
            (tau_ap < tau) == (top < bottom),
        )  # fmt: skip
    results.table("figures_1_2", pd.DataFrame(rows, columns=["depth", "runs", "number", "tau", "tau_ap"]))
    return found


def figure_5(results: Results, data: Data, actual: pd.Series, qrels: pd.DataFrame) -> None:
    """With the judgments of all documents of a run, as in the paper, and with those of its first ones."""
    manual = [name for name in actual.index if fnmatchcase(name, results.options.manual)]
    judges = actual[manual or actual.index].sort_values(ascending=False).index[:2]
    for first, tag in ((ALL, ""), (results.options.first, "_first")):
        said = "all documents" if first == ALL else f"the first {first} documents"
        values = of_single_runs(results, data, actual, actual.drop(manual), qrels, list(judges), first, said, tag)
        judge_figure_5(results, values, list(judges), said)


def of_single_runs(
    results: Results, data: Data, actual: pd.Series, automatic: pd.Series, qrels: pd.DataFrame, judges: list[str],
    first: int, said: str, tag: str,
) -> dict[tuple[str, str], tuple[float, float]]:  # fmt: skip
    """tau and tau_AP of automatic runs, all runs, and the best, under the judgments of a run."""
    figure, grid = panels(len(judges), 3, 3.4, 3.2)
    rows, values = [], {}
    parts = {"automatic": automatic, "all": actual, f"top {TOP}": actual.sort_values(ascending=False)[:TOP]}
    for line, judge in zip(grid, judges, strict=True):
        judged = judgments.pool({judge: data.runs[judge]}, qrels, first, verbose=False)
        estimate = averages(data, on_topics_of(qrels, judged))
        for axes, (name, part) in zip(line, parts.items(), strict=True):
            tau, tau_ap = values[judge, name] = scatter(axes, part, estimate[part.index], name)
            symmetric = SYMMETRIC(part, estimate[part.index])
            rows.append((judge, len(judged), name, len(part), tau, tau_ap, symmetric))
        line[0].set_ylabel(f"MAP by {judge}")
    figure.supxlabel("MAP by all judgments")
    results.picture(f"figure_5{tag}", f"judgments of {said} of a single run", figure)
    columns = ["judgments of", "how many", "runs", "number", "tau", "tau_ap", "symmetric tau_ap"]
    results.table(f"figure_5{tag}", pd.DataFrame(rows, columns=columns))
    return values


def judge_figure_5(
    results: Results, values: dict[tuple[str, str], tuple[float, float]], judges: list[str], said: str
) -> None:
    where = f"figure 5, {said}"
    for judge in judges:
        (tau, tau_ap), (top, _) = values[judge, "all"], values[judge, f"top {TOP}"]
        results.claim(
            where, f"tau is high (.954, .945) though the top {TOP} are less in order; tau_AP is lower",
            f"{judge}: tau {tau:.3f}, tau_AP {tau_ap:.3f}, top {TOP} tau {top:.3f}",
            tau > 0.8 and tau_ap < tau and top < tau,
            "the judgments of this run rank all runs as all judgments do" if tau == 1
            else f"the top {TOP} are in order as all are",
        )  # fmt: skip
    falls = {judge: [values[judge, "automatic"][at] - values[judge, "all"][at] for at in (0, 1)] for judge in judges}
    results.claim(
        where, "adding the manual runs lowers tau_AP more than tau",
        "; ".join(f"{judge}: tau by {tau:.3f}, tau_AP by {tau_ap:.3f}" for judge, (tau, tau_ap) in falls.items()),
        all(tau_ap > max(tau, 0) for tau, tau_ap in falls.values()), "for one or both runs it does not",
    )  # fmt: skip


# --- rankings: the example, figures 3, 4 and 6 ------------------------------------------------------


def example(results: Results) -> None:
    """Section 1: the systems of two rankings, best first, of which 1 is truly the best."""
    reference = np.arange(8.0, 0.0, -1.0)
    rankings = {"top": (4, 3, 1, 2, 5, 6, 7, 8), "bottom": (1, 2, 3, 4, 8, 7, 5, 6)}
    scores = {name: -np.argsort(order).astype(float) for name, order in rankings.items()}
    tau = [rc.kendall_tau(reference, each) for each in scores.values()]
    tau_ap = [rc.tau_ap(reference, each) for each in scores.values()]
    results.claim(
        "section 1", "one errs among the best four, the other among the worst: tau .6429 for both; by the definition "
        "tau_AP is .2381 and .7660",
        f"tau {tau[0]:.4f} and {tau[1]:.4f}; tau_AP {tau_ap[0]:.4f} and {tau_ap[1]:.4f}",
        np.array_equal(np.round([*tau, *tau_ap], 4), [0.6429, 0.6429, 0.2381, 0.7660]),
    )  # fmt: skip


def ap_by_preferences(labels: np.ndarray, n_relevant: int) -> float:
    """Average precision from preferences (section 3), of the labels of a ranking, best first.

    Pick a relevant document at random, and a second one at or above its rank. The value is the probability that the
    second one is at least as relevant. What is not retrieved counts 0, as in average precision.
    """
    at_least = labels[:, np.newaxis] <= labels  # row: the relevant document, column: the second one
    above = np.tri(labels.size, dtype=bool)
    values = (at_least & above).sum(axis=1) / np.arange(1, labels.size + 1)
    return float(values[labels > 0].sum() / n_relevant)


def section_3(results: Results, data: Data, qrels: pd.DataFrame) -> None:
    """Average precision from preferences: with labels of 0 and 1 it is average precision, with others it is not."""
    runs = data.frames()
    binary = qrels.assign(label=(qrels["label"] > 0).astype(int))
    actual = rc.scores_from_runs(runs, binary, [AP], verbose=False)["AP"]
    found = {"binary": np.zeros(actual.values.shape), "graded": np.zeros(actual.values.shape)}
    judged = {"binary": binary, "graded": qrels}
    for kind, values in found.items():
        labels = {qid: dict(zip(of["docno"], of["label"], strict=True)) for qid, of in judged[kind].groupby("qid")}
        for column, name in enumerate(actual.systems):
            ranked = runs[name].sort_values(["qid", "score", "docno"], ascending=[True, False, False])
            documents = dict(iter(ranked.groupby("qid")["docno"]))
            for row, qid in enumerate(actual.topics):
                gains = np.array([max(labels[qid].get(docno, 0), 0) for docno in documents.get(qid, ())])
                relevant = sum(label > 0 for label in labels[qid].values())
                values[row, column] = ap_by_preferences(gains, relevant) if relevant and gains.size else 0.0
    largest = np.abs(found["binary"] - actual.values).max()
    results.claim(
        "section 3", "average precision is the outcome of an experiment with preferences",
        f"of {actual.values.size} rankings with labels of 0 and 1, none differs by more than {largest:.0e}",
        largest < 1e-6,
    )  # fmt: skip
    is_graded = qrels["label"].max() > 1
    tau = rc.kendall_tau(actual, pd.Series(found["graded"].mean(axis=0), index=list(actual.systems)))
    results.claim(
        "section 3", "with graded labels it tells degrees of relevance apart",
        f"tau with AP by labels up to {qrels['label'].max()}: {tau:.3f}", is_graded and tau < 1,
        "labels are 0 and 1 here",
    )  # fmt: skip


def figure_3(results: Results) -> None:
    size = 6 if results.options.quick else 8
    reference = np.arange(size, 0.0, -1.0)
    every = stats.Rankings(np.array(list(permutations(range(1, size + 1))), dtype=float))
    tau, tau_ap = rc.kendall_tau(reference, every), rc.tau_ap(reference, every)
    symmetric = SYMMETRIC(reference, every)
    figure, grid = panels(1, 2, 3.8, 3.8)
    plots.draw_coefficients(tau, tau_ap, ax=grid[0, 0])
    plots.draw_coefficients(tau, symmetric, ax=grid[0, 1])
    grid[0, 1].set_ylabel("symmetric τ AP")
    results.picture("figure_3", f"tau_AP against tau, all {len(tau)} permutations of {size} items", figure)
    spread = pd.DataFrame({"tau": np.round(tau, 9), "tau_ap": tau_ap, "symmetric tau_ap": symmetric}).groupby("tau")
    table = spread["tau_ap"].agg(["size", "min", "mean", "max"])
    table[["symmetric min", "symmetric max"]] = spread["symmetric tau_ap"].agg(["min", "max"])
    results.table("figure_3", table.reset_index())
    width, symmetric_width = table["max"] - table["min"], table["symmetric max"] - table["symmetric min"]
    results.claim(
        "figure 3", "rankings with one tau have many values of tau_AP",
        f"{len(tau)} permutations: up to {width.max():.2f} apart", width.max() > 0.5,
    )  # fmt: skip
    results.claim(
        "figure 3", "the symmetric coefficient has a similar picture",
        f"up to {symmetric_width.max():.2f} apart; correlation of both {stats.pearson(tau_ap, symmetric):.2f}",
        stats.pearson(tau_ap, symmetric) > 0.9,
    )  # fmt: skip


def with_even_errors(m: int, tau: float, count: int, seed: int) -> np.ndarray:
    """Random rankings of that tau whose errors are equally likely at all ranks, as scores; the reference is m ... 1.

    Of the i - 1 items above rank i each is wrongly there with the same probability (section 4 of the paper). Rankings
    drawn uniformly among those of one tau have as many errors at each rank, and so more a pair at the top.
    """
    rng, found = np.random.default_rng(seed), []
    wrong, above = round(m * (m - 1) / 4 * (1 - tau)), np.arange(m)
    while len(found) < count:
        drawn = rng.binomial(above, (1 - tau) / 2, (10 * count, m))
        found += list(drawn[drawn.sum(axis=1) == wrong])
    return np.array([scores_of(counts) for counts in found[:count]])


def scores_of(counts: np.ndarray) -> np.ndarray:
    """The ranking in which so many of the items above each rank are wrongly there."""
    order: list[int] = []  # items read so far, by the reference
    for rank, wrong in enumerate(counts):
        order.insert(rank - wrong, rank)
    scores = np.empty(len(counts))
    scores[:] = len(counts) - np.array(order)
    return scores


def figure_4(results: Results, actual: pd.Series, shallow: pd.Series, seed: int) -> None:
    """The ranking by a pool of depth 1; a random one of its tau; and the first one rotated by 180 degrees."""
    m, tau = len(actual), rc.kendall_tau(actual, shallow)
    true_ranks, ranks = actual.rank(ascending=False, method="first"), shallow.rank(ascending=False, method="first")
    tau = rc.kendall_tau(-true_ranks, -ranks)
    even, reference = with_even_errors(m, tau, 1000, seed), np.arange(m, 0.0, -1.0)
    expected = float(np.mean(rc.tau_ap(reference, stats.Rankings(even))))
    uniform = float(np.mean(rc.tau_ap(reference, stats.random_rankings(m, 1000, tau=tau, rng=seed))))
    pictures = {
        "depth-1 pool": (true_ranks.to_numpy(), ranks.to_numpy()),
        "random": (np.arange(1, m + 1), m + 1 - even[0]),
        "rotated": (m + 1 - true_ranks.to_numpy(), m + 1 - ranks.to_numpy()),
    }
    figure, grid = panels(1, 3, 3.4, 3.4)
    rows = {}
    for axes, (name, (reference, estimate)) in zip(grid[0], pictures.items(), strict=True):
        rows[name] = rc.kendall_tau(-reference, -estimate), rc.tau_ap(-reference, -estimate)
        axes.plot([1, m], [1, m], color="0.7", lw=0.8)
        axes.plot(reference, estimate, "o", ms=4, color="#0072B2")
        axes.set_title(f"{name}: τ = {rows[name][0]:.3f}, τ AP = {rows[name][1]:.3f}", fontsize="medium")
        axes.invert_xaxis()
        axes.invert_yaxis()
    figure.supxlabel("rank by all judgments (right: best)")
    figure.supylabel("rank (up: best)")
    results.picture("figure_4", "three rankings of one tau", figure)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["tau", "tau_ap"])
    results.table("figure_4", frame.reset_index(names="ranking"))
    results.claim(
        "figure 4", "all three have one tau", ", ".join(f"{value:.4f}" for value in frame["tau"]),
        np.ptp(frame["tau"]) < 1e-9,
    )  # fmt: skip
    results.claim(
        "figure 4, section 4", "where errors are equally likely at all ranks, tau_AP is tau in expectation",
        f"mean of 1000 {expected:.3f}, tau {tau:.3f}; of rankings uniform among those of this tau {uniform:.3f}, as "
        "they err as often at each rank, and so more a pair at the top",
        abs(expected - tau) < 0.02,
    )  # fmt: skip
    pool, rotated = frame["tau_ap"]["depth-1 pool"], frame["tau_ap"]["rotated"]
    results.claim(
        "figure 4", "of the pool and its rotation, tau_AP is below tau for the one that errs at the top, above it for "
        "the other", f"pool {pool:.3f}, rotated {rotated:.3f}, tau {tau:.3f}", (pool - tau) * (rotated - tau) < 0,
        "both are below tau: the errors are neither at the top alone nor at the bottom",
    )  # fmt: skip


def theorem_2(results: Results, seed: int) -> None:
    """Errors whose probability rises or falls with the rank."""
    rng, m = np.random.default_rng(seed), 20
    reference, above = np.arange(m, 0.0, -1.0), np.arange(m)
    shares = {"towards the bottom": np.linspace(0.0, 0.4, m), "towards the top": np.linspace(0.4, 0.0, m)}
    means = {}
    for where, wrong in shares.items():
        rankings = stats.Rankings(np.array([scores_of(counts) for counts in rng.binomial(above, wrong, (2000, m))]))
        means[where] = rc.kendall_tau(reference, rankings).mean(), rc.tau_ap(reference, rankings).mean()
    (low, high), (high_again, low_again) = means.values()
    results.claim(
        "theorem 2", "if errors become more probable with the rank, tau is below tau_AP in expectation; if less, above",
        "; ".join(f"more errors {where}: tau {tau:.3f}, tau_AP {tau_ap:.3f}" for where, (tau, tau_ap) in means.items()),
        low < high and low_again < high_again,
    )  # fmt: skip


def figure_6(results: Results, seed: int) -> None:
    items, size = 50, 100
    figure, grid = panels(1, 2, 3.8, 3.8)
    rows, shift = [], {}
    for axes, name in zip(grid[0], ("tau", "tau_ap"), strict=True):
        rankings = stats.random_rankings(items, size, rng=seed, **{name: 0.9})
        plots.draw_rankings(rankings, ax=axes)
        axes.set_title(f"{name} = 0.9")
        away = np.abs(rankings.values - np.arange(items, 0, -1)).mean(axis=0)
        shift[name] = away[:10].mean(), away[20:30].mean(), away[-10:].mean()
        rows.append((name, *shift[name]))
    results.picture("figure_6", "100 random rankings of 50 items with tau, and with tau_AP, of .9", figure)
    columns = ["coefficient", "places off, first 10", "places off, middle 10", "places off, last 10"]
    results.table("figure_6", pd.DataFrame(rows, columns=columns))
    top, _, bottom = shift["tau"]
    results.claim(
        "figure 6", "with tau = .9 errors occur anywhere",
        f"places off {top:.1f} at the top, {bottom:.1f} at the bottom",
        0.7 < top / bottom < 1.4,
    )  # fmt: skip
    top, _, bottom = shift["tau_ap"]
    results.claim(
        "figure 6", "with tau_AP = .9 hardly any at the top, most towards the bottom",
        f"places off {top:.1f} at the top, {bottom:.1f} at the bottom", top < bottom / 2,
    )  # fmt: skip


def main(given: Sequence[str] | None = None) -> Results:
    parser = arguments(__doc__ or "", "yilmaz2008", 2008)
    parser.add_argument("--manual", default="*+*", help="pattern for the names of manual runs")
    parser.add_argument("--first", type=int, default=30, help="documents of a single run, beside all of them")
    options = parser.parse_args(given)
    results = Results(PAPER, options, data := Data.of(options))
    qrels = judgments.sample_judgments(data.evaluated[1], 1.0)  # all of them, in one form
    results.begin("runs under other judgments")
    actual = averages(data, qrels)
    pools = figures_1_2(results, data, actual, qrels)
    figure_4(results, actual, pools[1], options.seed)
    figure_5(results, data, actual, qrels)
    section_3(results, data, qrels)
    results.begin("rankings")
    example(results)
    theorem_2(results, options.seed)
    figure_3(results)
    figure_6(results, options.seed)
    results.lacks("The runs of TREC-7 and TREC-8 are not at hand: figures 1, 2, 4 and 5 are made with other runs.")
    results.write()
    return results


if __name__ == "__main__":
    main()
