"""Are two rankings significantly different? All figures and tables of Carterette (SIGIR 2009).

Figures 1 and 3 and the claims about random rerankings are made with 24 of the systems, as many as the paper has.
Figure 2 and the table of section 3.1 are made with three systems of four topics, built so that the printed numbers come
out. Table 1 compares measures. Table 2, figure 4 and the pseudo-judgments need runs.

    python examples/papers/carterette2009.py                                                  # demonstration
    python examples/papers/carterette2009.py --data robust2004_ap.csv robust2004_p10.csv      # its tables, too
    python examples/papers/carterette2009.py --data runs/ --qrels my.qrels                    # TREC runs

All numbers beside the paper's are of its own method, `null="published"`. It rejects true rankings too often if systems
are many. So table 1 and section 4.2 also give the package's default, in columns and rows that say so. The first score
table is the baseline.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from common import Data, Results, arguments, new_axes, panels
from ir_measures import AP, RR, Bpref, P, Rprec, nDCG

import pt_rankcorr as rc
from pt_rankcorr import judgments, plots, stats
from pt_rankcorr.warnings import UnreliableResultWarning

PAPER = "Carterette: On rank correlation and the distance between rankings (SIGIR 2009)"
MEASURES, REDUCED = [AP, Rprec, Bpref, P @ 10, RR, nDCG], [AP, Rprec, Bpref, P @ 10]
SYSTEMS, TAU, ALPHA = 24, 0.9, 0.05
DEPTHS, SHARES = (1, 2, 3, 5, 10, 20, 50, 100), (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PUBLISHED, DEFAULT = "p-value, published", "p-value, package's default"
QUICK_DEPTHS, QUICK_SHARES = (1, 10, 100), (0.1, 0.5, 0.9)


@contextmanager
def knowingly() -> Iterator[None]:
    """Without the warning that the paper's test rejects true rankings too often."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)
        yield


# --- rerankings: figures 1 and 3, section 4.2 -------------------------------------------------------


def some_systems(scores: rc.ScoreMatrix, count: int) -> rc.ScoreMatrix:
    """So many systems, evenly spread over the ranks."""
    chosen = np.unique(np.linspace(0, scores.n_systems - 1, min(count, scores.n_systems)).round().astype(int))
    return scores.select(systems=[scores.ranking[position] for position in chosen])


def with_high_tau(scores: rc.ScoreMatrix, count: int, seed: int, **how: bool) -> np.ndarray:
    """Random rankings with that tau to the reference, as scores."""
    best_first = [scores.systems.index(name) for name in scores.ranking]
    rankings = np.empty((count, scores.n_systems))
    rankings[:, best_first] = stats.random_rankings(scores.n_systems, count, tau=TAU, rng=seed, **how)
    return rankings


def of_resampled_topics(scores: rc.ScoreMatrix, count: int, seed: int) -> np.ndarray:
    """The means over random samples of topics: what d_rank's null distribution is made of."""
    draws = np.random.default_rng(seed).multinomial(
        scores.n_topics, np.full(scores.n_topics, 1 / scores.n_topics), count
    )
    return draws @ scores.values / scores.n_topics


def four_rerankings(scores: rc.ScoreMatrix, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of many rankings with a tau within .01 of .9: from the largest d_rank to the smallest, their tau and d_rank."""
    candidates = np.vstack([with_high_tau(scores, count, seed), of_resampled_topics(scores, 10 * count, seed)])
    tau = rc.kendall_tau(scores.values, stats.Rankings(candidates))
    near = np.abs(tau - TAU) <= 0.0101
    candidates, tau = candidates[near], tau[near]
    distance = distance_of(scores, candidates)
    wanted = np.linspace(distance.max(), distance.min(), 4)
    chosen = [int(np.abs(distance - value).argmin()) for value in wanted]
    return candidates[chosen], tau[chosen], distance[chosen]


def distance_of(scores: rc.ScoreMatrix, rankings: np.ndarray) -> np.ndarray:
    with knowingly():
        test = rc.DRankTest(scores.values, null="published", n_resamples=99, rng=1)
    return np.asarray(test.distance(stats.Rankings(rankings)))


def figure_1(results: Results, scores: rc.ScoreMatrix, seed: int) -> None:
    rankings, tau, distance = four_rerankings(scores, 200 if results.options.quick else 2000, seed)
    means, places = np.sort(scores.means), np.argsort(scores.means, kind="stable")
    figure, grid = panels(1, 4, 2.6, 2.6, sharey=True)
    for axes, ranking, t, d in zip(grid[0], rankings, tau, distance, strict=True):
        by_ranking = np.argsort(np.argsort(ranking[places], kind="stable"), kind="stable")
        axes.bar(by_ranking + 1, means, color="#0072B2")
        axes.set_title(f"τ = {t:.2f}; d_rank = {d:.2f}", fontsize="medium")
        axes.set_xlabel("rank in the reranking")
    grid[0, 0].set_ylabel(f"mean {scores.measure}")
    results.picture("figure_1", "four rerankings of one tau, the mean by the reference of each system", figure)
    results.table("figure_1", pd.DataFrame({"tau": tau, "d_rank": distance}))
    results.claim(
        "figure 1", "four rerankings with a tau of .9 ± .01 differ in d_rank (3.52 for the third)",
        f"tau {tau.min():.3f} to {tau.max():.3f}, d_rank " + ", ".join(f"{d:.2f}" for d in distance),
        np.ptp(tau) <= 0.0202 and distance.max() > 2 * distance.min(),
    )  # fmt: skip


def figure_3(results: Results, scores: rc.ScoreMatrix, seed: int) -> None:
    with knowingly():
        allowed = stats.allowed_ranks(
            scores, null="published", n_resamples=300 if results.options.quick else 5000, rng=seed
        )
    left, _ = plots.draw_allowed_ranks(allowed, ax=panels(1, 2, 4.4, 4.0)[1][0])
    results.picture("figure_3", "the ranks that tau and d_rank allow each system", left.figure)
    m = allowed.n_systems
    by_tau, by_distance = ((each[allowed.order] > 0).sum(axis=1) for each in (allowed.by_tau, allowed.by_distance))
    low, high = ranks_by_significance(scores)
    frame = pd.DataFrame({
        "system": [scores.systems[position] for position in allowed.order], "rank": np.arange(1, m + 1),
        "ranks allowed by tau": by_tau, "ranks allowed by d_rank": by_distance,
        "lowest by dsc pow": low[allowed.order], "highest by dsc pow": high[allowed.order],
    })  # fmt: skip
    results.table("figure_3", frame)
    inner = slice(m // 6, m - m // 6)
    results.claim(
        "figure 3", "tau allows each system about as many ranks; d_rank leaves some in place, and lets others move",
        f"away from the ends tau allows {by_tau[inner].min()} to {by_tau[inner].max()} ranks, d_rank "
        f"{by_distance.min()} to {by_distance.max()}; critical value {allowed.critical_value:.2f} (paper 2.62)",
        np.ptp(by_distance) > np.ptp(by_tau[inner]),
    )  # fmt: skip
    ranks = np.arange(1, m + 1)
    inside = (ranks >= low[:, np.newaxis]) & (ranks <= high[:, np.newaxis])
    reached, mass = allowed.by_distance > 0, allowed.by_distance[inside].sum() / m
    results.claim(
        "section 4.2", "discriminative power with threshold 1 has very nearly the same contours",
        f"it allows {inside[reached].mean():.0%} of the cells that d_rank allows, with {mass:.1%} of its rankings; "
        f"d_rank {reached[inside].mean():.0%} of those that it allows",
        mass > 0.95 and reached[inside].mean() > 0.8,
    )  # fmt: skip


def ranks_by_significance(scores: rc.ScoreMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest rank of each system if no pair that differs significantly (paired t-test) may swap."""
    power = rc.discriminative_power(scores, test="t", alpha=ALPHA)
    better = power.significant & (scores.means[:, np.newaxis] > scores.means)  # row better than column
    return 1 + better.sum(axis=0), scores.n_systems - better.sum(axis=1)


def rerankings(results: Results, scores: rc.ScoreMatrix, seed: int) -> None:
    """Section 4.2: how often tau and d_rank disagree on whether a ranking is good."""
    count = 30 if results.options.quick else 1000
    rows = []
    kinds = {
        "random, tau >= .9": with_high_tau(scores, count, seed, at_least=True),
        "of resampled topics": of_resampled_topics(scores, count, seed + 1),
    }
    for null in ("published", "shrunken"):
        with knowingly():
            test = rc.DRankTest(scores.values, null=null, n_resamples=199, rng=seed)
        for kind, rankings in kinds.items():
            pvalues = np.asarray(test.test(stats.Rankings(rankings)).pvalue)
            tau = rc.kendall_tau(scores.values, stats.Rankings(rankings))
            accepted = tau[pvalues > ALPHA]
            rows.append((null, kind, (pvalues <= ALPHA).mean(), accepted.min(initial=1.0), np.median(accepted)))
    frame = pd.DataFrame(rows, columns=["null", "rankings", "rejected", "lowest tau accepted", "median tau accepted"])
    results.table("rerankings", frame)
    for null, who in (("published", ""), ("shrunken", " (package's default)")):
        random, resampled = (row for row in frame.itertuples() if row.null == null)
        results.claim(
            "section 4.2" + who, "of random rankings with tau above .9, over 25% differ significantly",
            f"{random.rejected:.0%}", random.rejected > 0.25,
        )  # fmt: skip
        results.claim(
            "section 4.2" + who, "rankings with a tau as low as .8 can be indistinguishable",
            f"tau of accepted ones down to {resampled[4]:.2f}", resampled[4] <= 0.8,
            f"the median of the accepted ones is {resampled[5]:.2f} here: the systems are further apart",
        )  # fmt: skip


# --- three systems: figure 2 and the table of section 3.1 -------------------------------------------


def three_systems() -> rc.ScoreMatrix:
    """C is best by .349 over A, and B .014 below C: as in the paper, t = 4.88 for A against either."""
    common, own = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    spread = np.sqrt(3 / 4) * 0.143
    c = 0.349 + spread * common
    b = 0.96 * (0.349 + spread * (0.95 * common + np.sqrt(1 - 0.95**2) * own))
    return rc.ScoreMatrix(0.1 + np.column_stack([np.zeros(4), b, c]), systems=["A", "B", "C"], measure="AP")


def figure_2(results: Results, seed: int) -> None:
    scores = three_systems()
    axes = plots.draw_rank_geometry(
        stats.rank_geometry(scores, {"A": 0.10, "C": 0.30, "B": 0.35}, covariance="sample"), ax=new_axes(7.0, 4.2)
    )
    axes.set_title("scores made to fit the printed numbers", fontsize="medium")
    what = "three systems: mean differences, their distribution, the nearest point; the scores are made to fit"
    results.picture("figure_2", what, axes.figure)
    rows = []
    for ranking in map("".join, permutations("ABC")):
        values = {system: -place for place, system in enumerate(ranking)}
        with knowingly():
            published = rc.d_rank(scores, values, null="published", n_resamples=10_000, rng=seed)
        power = stats.significant_agreement(scores, values, test="t").statistic
        rows.append((ranking, rc.kendall_tau(scores, values), power, published.statistic, published.pvalue))
    frame = pd.DataFrame(rows, columns=["ranking", "tau", "dsc pow", "d_rank", "p-value"]).set_index("ranking")
    frame = frame.loc[["ABC", "ACB", "BAC", "CAB", "BCA", "CBA"]]
    results.table("table_of_three_systems", frame, index=True)
    expected = {"tau": [-1, -1 / 3, -1 / 3, 1 / 3, 1 / 3, 1], "dsc pow": [0, 0, 0.5, 0.5, 1, 1]}
    for column, values in expected.items():
        results.claim(
            "section 3.1, table, scores made to fit", f"{column}: " + ", ".join(f"{value:.2f}" for value in values),
            ", ".join(f"{value:.2f}" for value in frame[column]), np.allclose(frame[column], values),
        )  # fmt: skip
    distance = frame["d_rank"]
    results.claim(
        "section 3.1, table, scores made to fit", "d_rank 4.88 for the four bad rankings, .65 and 0 for the others",
        ", ".join(f"{value:.2f}" for value in distance),
        np.allclose(distance, [4.88] * 4 + [0.65, 0], atol=0.1),
    )  # fmt: skip
    results.claim(
        "section 3.1, scores made to fit",
        "the bootstrap: d_rank = .65 with probability .21, the four bad rankings with 0",
        f"p-value {frame['p-value']['BCA']:.2f} and at most {frame['p-value'].iloc[:4].max():.4f}",
        frame["p-value"]["BCA"] > ALPHA > frame["p-value"].iloc[:4].max(),
    )  # fmt: skip


# --- theorems ---------------------------------------------------------------------------------------


def distances_of(covariances: np.ndarray, means: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """d_rank of an order, best system first, for scores of a dozen topics with just these means and covariances."""
    topics = 12
    noise = np.random.default_rng(0).normal(size=(topics, 3))
    even = np.linalg.qr(noise - noise.mean(axis=0))[0] * np.sqrt(topics - 1)  # of covariance 1
    ranking = -np.argsort(order).astype(float)
    found = []
    for covariance, mean in zip(covariances, means, strict=True):
        scores = rc.ScoreMatrix(mean + even @ np.linalg.cholesky(covariance).T, systems=["A", "B", "C"])
        found.append(distance_of(scores, ranking[np.newaxis])[0])
    return np.array(found)


def theorems(results: Results, seed: int) -> None:
    """Section 4.1, on random means and covariances of three systems, of which A is best, and B before C."""
    rng, count = np.random.default_rng(seed), 300
    factors = rng.normal(size=(count, 3, 3))
    covariances = factors @ factors.transpose(0, 2, 1) + 0.2 * np.eye(3)
    means = -np.sort(-rng.normal(size=(count, 3)), axis=1)
    same, swapped = distances_of(covariances, means, (0, 1, 2)), distances_of(covariances, means, (1, 0, 2))
    results.claim(
        "theorem 1", "d_rank is 0 if and only if both rankings are the same",
        f"of {count} random references, the same ranking has at most {same.max():.0e}, another at least "
        f"{swapped.min():.0e}", same.max() < 1e-6 < swapped.min(),
    )  # fmt: skip
    further = means + np.array([0.1, 0.0, 0.0])  # A and B differ more
    grown = distances_of(covariances, further, (1, 0, 2)) - swapped
    results.claim(
        "theorem 2", "swapping two systems costs more if they differ more", f"larger in {(grown > 0).mean():.0%}",
        (grown > 0).all(),
    )  # fmt: skip
    nearer = covariances.copy()  # B and C correlate more; nothing else changes
    nearer[:, 1, 2] += 0.05
    nearer[:, 2, 1] += 0.05
    usable = np.linalg.eigvalsh(nearer)[:, 0] > 0.01
    grown = distances_of(nearer[usable], means[usable], (1, 0, 2)) - swapped[usable]
    results.claim(
        "theorem 3", "a system put between two others costs more if these correlate more",
        f"of {usable.sum()} references more in {(grown > 1e-6).mean():.0%}, the same in "
        f"{(np.abs(grown) <= 1e-6).mean():.0%}, less in {(grown < -1e-6).mean():.0%}", (grown > 1e-6).all(),
        f"never less, and more in {(grown > 1e-6).mean():.0%} of {usable.sum()} references: only where the nearest "
        "point ties all three",
    )  # fmt: skip


# --- measures: table 1 ------------------------------------------------------------------------------


def table_1(results: Results, scores: rc.Scores, seed: int, tag: str = "") -> None:
    n_resamples, rows = (99 if results.options.quick else 1000), []
    for baseline in scores:
        tests = {}
        for null in ("published", "shrunken"):
            with knowingly():
                tests[null] = rc.DRankTest(scores[baseline], null=null, n_resamples=n_resamples, rng=seed)
        for measure in scores:
            if measure != baseline:
                published, default = (tests[null].test(scores[measure]) for null in ("published", "shrunken"))
                tau = rc.kendall_tau(scores[baseline], scores[measure])
                low, high = stats.kendall_interval(tau, len(scores.systems))
                rows.append((baseline, measure, tau, low, high, published.statistic, published.pvalue, default.pvalue))
    columns = ["baseline", "measure", "tau", "low", "high", "d_rank, published", PUBLISHED, DEFAULT]
    table = pd.DataFrame(rows, columns=columns)
    results.table(f"{tag}table_1", table)
    m, where = len(scores.systems), f" ({tag.rstrip('_')})" if tag else ""
    pairs = table[["low", "high"]].to_numpy()
    overlap = np.mean([a[0] <= b[1] and b[0] <= a[1] for a in pairs for b in pairs])
    results.claim(
        "table 1(a)" + where, "all tau are positive and significant, and most intervals overlap",
        f"{m} systems: tau {table['tau'].min():.2f} to {table['tau'].max():.2f}; {overlap:.0%} of pairs of intervals "
        "overlap",
        table["low"].min() > 0 and overlap > 0.5,
    )  # fmt: skip
    both = table.set_index(["baseline", "measure"])["d_rank, published"]
    asymmetric = max(abs(both[a, b] - both[b, a]) for a, b in both.index)
    results.claim(
        "table 1(b)" + where, "the distance is not symmetric", f"largest difference of two directions {asymmetric:.2f}",
        asymmetric > 0.1,
    )  # fmt: skip
    significant = (table[PUBLISHED] <= ALPHA).mean()
    results.claim(
        "table 1(b)" + where, "nearly all distances are significant",
        f"{significant:.0%}; {(table[DEFAULT] <= ALPHA).mean():.0%} by the package's default",
        significant > 0.8,
    )  # fmt: skip
    if {"AP", "Bpref", "Rprec"} <= set(scores):
        near = table[table[["baseline", "measure"]].isin(["AP", "Bpref", "Rprec"]).all(axis=1)]
        results.claim(
            "table 1(b)" + where, "what does not differ significantly is among bpref, MAP and R-prec",
            "; ".join(f"{row[2]} on {row[1]} {row[6]:.1f} (p {row[7]:.3f})" for row in near.itertuples()),
            near["d_rank, published"].max() < table["d_rank, published"].max() and (near[PUBLISHED] > ALPHA).any(),
            f"none has p > .05; their distances go up to {near['d_rank, published'].max():.1f}, of "
            f"{table['d_rank, published'].max():.1f}",
        )  # fmt: skip


# --- fewer and other judgments: table 2, figure 4, pseudo-judgments ---------------------------------


def table_2(results: Results, runs: object, qrels: object, seed: int) -> None:
    quick = results.options.quick
    with knowingly():
        curve = rc.judgment_curve(
            runs, qrels, [AP], depths=QUICK_DEPTHS if quick else DEPTHS, n_resamples=200 if quick else 2000,
            d_rank=rc.DRank(null="published", n_resamples=200 if quick else 2000), rng=seed,
        )  # fmt: skip
    frame = curve.to_frame()[["depth", "n_judgments", "tau", "d_rank", "d_rank pvalue"]]
    ends = [stats.kendall_interval(tau, len(curve.reference.systems)) for tau in frame["tau"]]
    frame[["low", "high"]] = ends
    results.table("table_2", frame)
    enough, high = curve.indistinguishable_from("AP", ALPHA), curve.reaches("AP", TAU)
    results.claim(
        "table 2", "tau nears .9 at a depth at which d_rank still rejects",
        f"tau .9 from depth {high:g}, p > .05 from depth {enough:g}", enough > high,
        "here both reach their thresholds at the same depth, or d_rank's does first",
    )  # fmt: skip
    distance = frame["d_rank"].to_numpy()
    results.claim(
        "table 2", "the distance falls as pools deepen", ", ".join(f"{value:.2f}" for value in distance),
        distance[0] > distance[-1] and stats.spearman(distance, -np.arange(len(distance))) > 0.8,
    )  # fmt: skip


def figure_4(results: Results, runs: object, qrels: object, seed: int) -> None:
    quick = results.options.quick
    with knowingly():
        curve = rc.judgment_curve(
            runs, qrels, REDUCED, shares=QUICK_SHARES if quick else SHARES, repetitions=1 if quick else 5,
            d_rank=rc.DRank(null="published", n_resamples=200 if quick else 1000), rng=seed,
        )  # fmt: skip
    figure, grid = panels(1, 3, 4.2, 3.6)
    for axes, statistic in zip(grid[0], ("tau", "d_rank", "d_rank_pvalue"), strict=True):
        plots.draw_judgment_curve(curve, statistic, ax=axes)
    results.picture("figure_4", "(a) tau, (b) d_rank, (c) its p-value, by the share of judgments", figure)
    columns = ["share", "measure", "tau", "d_rank", "d_rank pvalue"]
    results.table("figure_4", curve.to_frame()[columns].groupby(columns[:2], sort=False).mean().reset_index())
    judge_figure_4(results, curve)


def judge_figure_4(results: Results, curve: Any) -> None:
    first = {name: curve.band(name, "tau").middle[0] for name in curve.measures}
    shown = ", ".join(f"{name} {value:.2f}" for name, value in first.items())
    share = curve.band("AP").x[0]
    results.claim(
        "figure 4(a)", "bpref is most robust to missing judgments", f"tau at {share:.0%} of them: {shown}",
        max(first, key=lambda name: first[name]) == "Bpref",
        f"{max(first, key=lambda name: first[name])} is, on these runs",
    )  # fmt: skip
    enough = {name: curve.indistinguishable_from(name, ALPHA) for name in curve.measures}
    results.claim(
        "figure 4(c)", "bpref is the first that d_rank does not reject, at about 30%; the others at 40 to 70%",
        ", ".join(f"{name} from {value:.0%}" for name, value in enough.items()),
        enough["Bpref"] == min(enough.values()),
        f"{min(enough, key=lambda name: enough[name])} is first, on these runs; bpref is before "
        + ", ".join(name for name, value in enough.items() if value > enough["Bpref"]),
    )  # fmt: skip
    falls = {name: curve.band(name, "d_rank").middle for name in curve.measures}
    results.claim(
        "figure 4(b)", "the distance falls as judgments become more complete",
        ", ".join(f"{name} {values[0]:.1f} to {values[-1]:.1f}" for name, values in falls.items()),
        all(values[0] > values[-1] for values in falls.values()),
    )  # fmt: skip


def pseudo(results: Results, runs: object, qrels: object, seed: int) -> None:
    count = 2 if results.options.quick else 50
    sets = judgments.pseudo_judgments(runs, depth=100, repetitions=count, rng=seed, verbose=False)
    reference = rc.scores_from_runs(runs, qrels, [AP], verbose=False)["AP"]
    with knowingly():
        test = rc.DRankTest(reference, null="published", n_resamples=200 if results.options.quick else 1000, rng=seed)
    rows = []
    for number, each in enumerate(sets, 1):
        random = rc.scores_from_runs(runs, each, [AP], verbose=False)["AP"]
        distance = test.test(random)
        rows.append((f"set {number}", rc.kendall_tau(reference, random), distance.statistic, distance.pvalue))
    frame = pd.DataFrame(rows, columns=["judgments", "tau", "d_rank", "d_rank pvalue"])
    results.table("pseudo_judgments", frame)
    m = reference.n_systems
    tau, distance = frame["tau"], frame["d_rank"]
    results.claim(
        "section 4.3", "random judgments, 50 sets: tau .656 (.021), significant; d_rank 26.99 (1.58), p = 0",
        f"{count} sets: tau {tau.mean():.3f} ({tau.std():.3f}), largest p-value "
        f"{stats.kendall_test(tau.min(), m).pvalue:.2g}; d_rank {distance.mean():.2f} ({distance.std():.2f}), largest "
        f"p-value {frame['d_rank pvalue'].max():.2g}",
        stats.kendall_test(tau.min(), m).pvalue < ALPHA and frame["d_rank pvalue"].max() < ALPHA,
        f"tau is significant for {sum(stats.kendall_test(value, m).pvalue < ALPHA for value in tau)} of {count} sets, "
        f"with {m} systems; d_rank rejects {(frame['d_rank pvalue'] < ALPHA).sum()}",
    )  # fmt: skip


def main(given: Sequence[str] | None = None) -> Results:
    options = arguments(__doc__ or "", "carterette2009", 2009).parse_args(given)
    results = Results(PAPER, options, data := Data.of(options))
    seed, of_runs = options.seed, data.scores_of_runs(MEASURES)
    scores = data.scores(MEASURES) if data.tables else of_runs
    baseline = some_systems(next(iter(scores.values())), SYSTEMS // 2 if options.quick else SYSTEMS)
    results.begin("figures 1 to 3, rerankings")
    figure_1(results, baseline, seed)
    figure_2(results, seed)
    figure_3(results, baseline, seed)
    rerankings(results, baseline, seed)
    theorems(results, seed)
    results.begin("table 1")
    table_1(results, of_runs, seed)
    if data.tables:
        table_1(results, scores, seed, "tables_")
    runs, qrels = data.evaluated
    for study, name in ((table_2, "table 2"), (figure_4, "figure 4"), (pseudo, "pseudo-judgments")):
        results.begin(name)
        study(results, runs, qrels, seed)
    results.lacks(
        "The Million Query track's runs and the scores of figure 2 are not at hand: see above what is in their place."
    )
    results.write()
    return results


if __name__ == "__main__":
    main()
