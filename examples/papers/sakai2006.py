"""Which measure tells systems apart? All figures and tables of Sakai (SIGIR 2006).

Figures 1 to 6, 9 and 11 are algorithms: here they are loops, as printed, beside what the package computes. Figures 7, 8
and 10 show the sensitivity of measures, 12 and 13 their correlations and the errors of these; tables 2 and 3 the
differences that a measure needs. The top 30 runs by the first measure are compared, as in the paper.

    python examples/papers/sakai2006.py                                           # the paper's seven measures
    python examples/papers/sakai2006.py --data web2012_*.csv                      # any score tables, and the same again

Runs are measured by AP, Q, nDCG, nCG and P with a cut-off, and by geometric means of AP and Q ("G AP", "G Q"). nDCG is
the paper's, by logarithms of base 2: JKnDCG here, and not the nDCG of ir_measures.
The paired tests compare logarithms for these, all else is computed by the algorithms as printed. Tables have geometric
means of their first measure.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from common import Data, Results, arguments, new_axes, panels
from ir_measures import AP, P

import pt_rankcorr as rc
from pt_rankcorr import plots, stats
from pt_rankcorr.measures import JKnDCG, Q, nCG
from pt_rankcorr.warnings import DegenerateInputWarning

PAPER = "Sakai: Evaluating evaluation metrics based on the bootstrap (SIGIR 2006)"
TOP, ALPHA, B = 30, 0.05, 1000
EDGES = np.arange(21) / 100


# --- the algorithms as printed ----------------------------------------------------------------------


def t_of(z: np.ndarray) -> np.ndarray:
    """Section 3.1, along the last axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return z.mean(axis=-1) / (z.std(axis=-1, ddof=1) / np.sqrt(z.shape[-1]))


def figures_1_2_5(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """The ASL of the paired test, and |mean(w*)| of the resample whose |t| is the B alpha-th largest."""
    z = x - y
    w = z - z.mean()
    samples = w[rng.integers(0, len(w), (B, len(w)))]
    sizes = np.abs(t_of(samples))
    asl = (sizes >= abs(t_of(z))).mean()
    return asl, abs(samples[np.argsort(-sizes)[int(B * ALPHA) - 1]].mean())


def figures_3_4_6(x: np.ndarray, y: np.ndarray, rng: np.random.Generator, statistic: Any = np.mean) -> Any:
    """The ASL of the unpaired test, and the B alpha-th largest |d*|."""
    v, n = np.concatenate([x, y]), len(x)
    samples = v[rng.integers(0, 2 * n, (B, 2 * n))]
    sizes = np.abs(statistic(samples[:, :n], axis=-1) - statistic(samples[:, n:], axis=-1))
    return (sizes >= abs(statistic(x) - statistic(y))).mean(), np.sort(sizes)[::-1][int(B * ALPHA) - 1]


def figure_9(means: np.ndarray, fuzziness: float) -> tuple[float, float]:
    """Minority rate and proportion of ties, from means of shape (B, n_systems)."""
    minority = ties = 0
    pairs = list(combinations(range(means.shape[1]), 2))
    for i, j in pairs:
        difference = means[:, i] - means[:, j]
        tied = np.abs(difference) < fuzziness * np.maximum(means[:, i], means[:, j])
        wins, losses = (~tied & (difference > 0)).sum(), (~tied & (difference < 0)).sum()
        minority, ties = minority + min(wins, losses), ties + len(means) - wins - losses
    return minority / (len(means) * len(pairs)), ties / (len(means) * len(pairs))


def figure_11(once: np.ndarray, again: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The comparisons and the swaps of each bin, from means of shape (B, n_systems)."""
    counts, swaps = np.zeros(len(EDGES)), np.zeros(len(EDGES))
    for i, j in combinations(range(once.shape[1]), 2):
        first, second = once[:, i] - once[:, j], again[:, i] - again[:, j]
        bins = np.searchsorted(EDGES, np.abs(first) + 1e-11, side="right") - 1
        np.add.at(counts, bins, 1)
        np.add.at(swaps, bins[first * second < 0], 1)
    return counts, swaps


def algorithms(scores: rc.ScoreMatrix, seed: int) -> pd.DataFrame:
    """Each algorithm beside the package. Both draw resamples of their own, so that they differ by Monte Carlo error."""
    rng, x = np.random.default_rng(seed), scores.values
    paired, unpaired = (stats_of(scores, test, seed) for test in ("paired-bootstrap", "unpaired-bootstrap"))
    means = [x[rng.integers(0, len(x), (B, len(x)))].mean(axis=1) for _ in range(2)]
    pairs = list(combinations(range(x.shape[1]), 2))
    plain = {
        "1, 2, 5": np.array([figures_1_2_5(x[:, i], x[:, j], rng) for i, j in pairs]),
        "3, 4, 6": np.array([figures_3_4_6(x[:, i], x[:, j], rng) for i, j in pairs]),
    }
    rows = []
    for figures, result in (("1, 2, 5", paired), ("3, 4, 6", unpaired)):
        asl, ours = plain[figures][:, 0], result.asl[np.triu_indices(x.shape[1], 1)]
        needed, ours_needed = plain[figures][:, 1].max(), result.published_difference
        rows += [
            (figures, "mean ASL of all pairs", asl.mean(), ours.mean(), np.abs(asl - ours).max()),
            (figures, "required difference", needed, ours_needed, abs(needed - ours_needed)),
        ]
    steady = stats.stability(scores, fuzziness=[0.05], of="resamples", n_resamples=B, rng=seed)
    for name, value, ours in zip(
        ("minority rate", "proportion of ties"), figure_9(means[0], 0.05),
        (steady.minority_rate[0], steady.proportion_of_ties[0]), strict=True,
    ):  # fmt: skip
        rows.append(("9", f"{name}, fuzziness 0.05", value, ours, abs(value - ours)))
    (counts, swapped), ours = figure_11(*means), swaps_of(scores, seed).rates
    rates = np.divide(swapped, counts, out=np.full(len(EDGES), np.nan), where=counts > 0)
    apart = np.nanmax(np.abs(rates[:5] - ours[:5]))  # bins beyond hold few comparisons
    rows.append(("11", "swap rate, differences from .01 to .02", rates[1], ours[1], apart))
    return pd.DataFrame(rows, columns=["figures", "what", "as printed", "package", "largest difference"])


# --- what the package computes ----------------------------------------------------------------------


def stats_of(scores: rc.ScoreMatrix, test: str, seed: int) -> Any:
    return rc.discriminative_power(scores, test=test, alpha=ALPHA, n_resamples=B, rng=seed)


def stability_of(scores: rc.ScoreMatrix, rng: Any) -> Any:
    return stats.stability(scores, of="resamples", n_resamples=B, rng=rng)


def swaps_of(scores: rc.ScoreMatrix, seed: int, of: str = "resamples") -> Any:
    return stats.swap_rates(scores, of=of, bins="published", n_resamples=B, rng=seed)


# --- the same of geometric means: by the algorithms as printed, in the package's results ------------


def resampled_geometric_means(scores: rc.ScoreMatrix, rng: Any) -> np.ndarray:
    """Over resamples of topics, shape (B, n_systems), from the means of logs that the package draws."""
    return np.round(np.exp(stability_of(scores.geometric(), rng).samples.T) - 0.00001, 12)


def geometric_mean(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Equation 7: exp(mean(log(x + 0.00001))) - 0.00001, along the axis of the topics; of zeros exactly 0."""
    return np.asarray(0.00001 * np.expm1(np.log1p(scores / 0.00001).mean(axis=axis)))


def geometric_stats_of(scores: rc.ScoreMatrix, seed: int) -> Any:
    rng, x, n_systems = np.random.default_rng(seed), scores.values, scores.n_systems
    tests = [figures_3_4_6(x[:, i], x[:, j], rng, geometric_mean) for i, j in combinations(range(n_systems), 2)]
    asl, needed = np.array(tests).T
    pvalues, pairs = np.ones((n_systems, n_systems)), np.triu_indices(n_systems, 1)
    pvalues[pairs] = pvalues.T[pairs] = of_pairs = (asl * B + 1) / (B + 1)
    largest, significant = needed.max(), of_pairs <= ALPHA
    return replace(
        stats_of(scores, "unpaired-bootstrap", seed), pvalues=pvalues, required_difference=largest,
        published_difference=largest, n_significant=int(significant.sum()), statistic=float(significant.mean()),
    )  # fmt: skip


def geometric_stability_of(scores: rc.ScoreMatrix, seed: int) -> Any:
    result, means = stability_of(scores, seed), resampled_geometric_means(scores, seed)
    minority, ties = np.transpose([figure_9(means, fuzziness) for fuzziness in result.fuzziness])
    return replace(result, samples=means.T, minority_rate=minority, proportion_of_ties=ties)


def geometric_swaps_of(scores: rc.ScoreMatrix, seed: int, of: str = "resamples") -> Any:
    rng, half = np.random.default_rng(seed), scores.n_topics // 2
    if of == "resamples":
        once, again = (resampled_geometric_means(scores, rng) for _ in range(2))
    else:
        topics = rng.permuted(np.tile(np.arange(scores.n_topics), (B, 1)), axis=1)
        halves = topics[:, :half], topics[:, half : 2 * half]
        once, again = (geometric_mean(scores.values[part], axis=1) for part in halves)
    counts, swapped = figure_11(once, again)
    difference, largest = required(counts, swapped), max(once.max(), again.max())
    return replace(
        swaps_of(scores, seed, of), counts=counts, swaps=swapped, required_difference=difference,
        relative_difference=difference / largest, largest_value=largest,
        sensitivity=counts[difference <= EDGES].sum() / counts.sum(),
    )  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """The scores by each measure; those with a geometric mean of them, and with the logs whose mean ranks alike."""

    plain: Mapping[str, rc.ScoreMatrix]
    geometric: Mapping[str, rc.ScoreMatrix]

    @classmethod
    def of(cls, scores: rc.Scores) -> Measured:
        best = scores[scores.measures[0]].ranking[:TOP]
        top = {name: scores[name].select(systems=best) for name in scores}
        stressed = [name for name in top if name in ("AP", "Q")] or list(top)[:1]
        return cls(top, {f"G {name}": top[name] for name in stressed})

    def each(self, compute: Any, of_geometric: Any) -> dict[str, Any]:
        """By measure: what is computed of scores; and of the scores whose geometric means are compared."""
        return {
            **{name: compute(matrix) for name, matrix in self.plain.items()},
            **{name: of_geometric(matrix) for name, matrix in self.geometric.items()},
        }

    def for_correlations(self) -> dict[str, rc.ScoreMatrix]:
        return {**self.plain, **{name: matrix.geometric() for name, matrix in self.geometric.items()}}


def table_of_power(power: Mapping[str, Any]) -> pd.DataFrame:
    rows = [
        {"measure": name, "significant pairs": each.n_significant, "share": each.statistic,
         "required difference": each.published_difference, "with a critical t": each.required_difference}
        for name, each in power.items()
    ]  # fmt: skip
    return pd.DataFrame(rows).sort_values("share", ascending=False, kind="stable")


def translated(scores: rc.ScoreMatrix, power: Any) -> float:
    """A required difference of means of logs as one of geometric means, by the pair and resample that set it."""
    pair = scores.select(systems=power.published_pair).values
    resampled = np.repeat(pair, power.published_topics.astype(int), axis=0)
    after, before = (np.diff(geometric_mean(each, axis=0))[0] for each in (resampled, pair))
    return float(abs(after - before))


def table_of_swaps(swaps: Mapping[str, Any]) -> pd.DataFrame:
    rows = [
        {"measure": name, "absolute": each.required_difference, "relative": each.relative_difference,
         "largest value": each.largest_value, "sensitivity": each.sensitivity}
        for name, each in swaps.items()
    ]  # fmt: skip
    return pd.DataFrame(rows).sort_values("sensitivity", ascending=False, kind="stable")


def swaps_of_significant_pairs(scores: rc.ScoreMatrix, power: Any, swaps: Any, seed: int) -> pd.DataFrame:
    """Section 5: swap rates of the pairs that a test does not filter out, as Sanderson and Zobel (SIGIR 2005) did."""
    counts, swapped = np.zeros((2, len(EDGES)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)  # of pairs without a required difference of their own
        for first, second in np.argwhere(np.triu(power.significant)):
            of_pair = swaps_of(scores.select(systems=[power.systems[first], power.systems[second]]), seed)
            counts, swapped = counts + of_pair.counts, swapped + of_pair.swaps
    columns = {"all": (swaps.counts, swaps.swaps), "significant": (counts, swapped)}
    return pd.DataFrame({
        "difference from": EDGES,
        **{f"{what}, {name}": values for name, both in columns.items()
           for what, values in zip(("comparisons", "swapped"), both, strict=True)},
    })  # fmt: skip


def required(counts: Any, swapped: Any) -> float:
    """The lower end of the first bin from which no bin has a swap rate above 5%."""
    first = int(np.flatnonzero(swapped > ALPHA * counts).max(initial=-1)) + 1
    return float(EDGES[first]) if first < len(EDGES) else float("nan")


def errors_of_differences(scores: rc.ScoreMatrix, power: Any, seed: int) -> pd.DataFrame:
    """Section 4, the end: the bootstrap standard error of the difference of two systems, for the best ten."""
    rows = []
    for one, other in combinations(scores.ranking[:5], 2):
        pair = scores.select(systems=[one, other])
        error = stats.bootstrap_standard_error(difference_of_means, pair, n_resamples=B, rng=seed)
        at = [power.systems.index(name) for name in (one, other)]
        rows.append((one, other, error.statistic, error.standard_error, power.asl[at[0], at[1]]))
    return pd.DataFrame(rows, columns=["system", "other", "difference", "standard error", "ASL"])


def difference_of_means(scores: np.ndarray) -> float:
    return float(scores[:, 0].mean() - scores[:, 1].mean())


# --- the study --------------------------------------------------------------------------------------


def study(results: Results, tag: str, scores: rc.Scores, seed: int) -> None:
    measured = Measured.of(scores)
    first = next(iter(measured.plain.values()))
    where = partial("{1}{0}".format, f" ({tag.rstrip('_')})" if tag else "")
    size = f"{first.n_topics} topics, {first.n_systems} runs, {first.n_systems * (first.n_systems - 1) // 2} pairs"
    results.begin(f"algorithms, {size}")
    results.table(f"{tag}algorithms", compared := algorithms(first, seed))
    judge_algorithms(results, where, compared, size)
    results.begin("tests of all pairs")
    by_pairs = partial(stats_of, test="paired-bootstrap", seed=seed)
    paired = measured.each(by_pairs, lambda scores: by_pairs(scores.geometric()))
    unpaired = measured.each(
        partial(stats_of, test="unpaired-bootstrap", seed=seed), partial(geometric_stats_of, seed=seed)
    )
    results.table(f"{tag}table_2", table_of_power(paired))
    results.table(f"{tag}table_2_unpaired", table_of_power(unpaired))
    for number, power in ((7, paired), (8, unpaired)):
        axes = plots.draw_asl_curves(power, ax=new_axes())
        results.picture(f"{tag}figure_{number}", f"p-values of all pairs{where('')}", axes.figure)
    judge_power(results, where, first, paired, unpaired)
    differences = {name: translated(matrix, paired[name]) for name, matrix in measured.geometric.items()}
    results.claim(
        where("table 2"), "differences of logs do not translate accurately into differences of geometric means",
        "; ".join(f"{name} {value:.3f}, by the unpaired test {unpaired[name].published_difference:.3f}"
                  for name, value in differences.items()),
        any(abs(value / unpaired[name].published_difference - 1) > 0.2 for name, value in differences.items()),
    )  # fmt: skip
    results.begin("stability and swaps")
    steady = measured.each(partial(stability_of, rng=seed), partial(geometric_stability_of, seed=seed))
    swaps = measured.each(partial(swaps_of, seed=seed), partial(geometric_swaps_of, seed=seed))
    halves = measured.each(
        partial(swaps_of, seed=seed, of="halves"), partial(geometric_swaps_of, seed=seed, of="halves")
    )
    results.table(f"{tag}table_3", table_of_swaps(swaps))
    results.table(f"{tag}table_3_without_replacement", table_of_swaps(halves))
    axes = plots.draw_stability(steady, ax=new_axes())
    results.picture(f"{tag}figure_10", f"minority rate and proportion of ties{where('')}", axes.figure)
    axes = plots.draw_swap_rates(swaps, ax=new_axes())
    results.picture(f"{tag}swap_rates", f"swap rates, of which table 3 is the end{where('')}", axes.figure)
    judge_swaps(results, where, paired, steady, swaps, halves)
    first_power = next(iter(paired.values()))
    filtered = swaps_of_significant_pairs(first, first_power, next(iter(swaps.values())), seed)
    results.table(f"{tag}swaps_of_significant_pairs", filtered)
    judge_filter(results, where, filtered)
    results.begin("correlations")
    study_correlations(results, tag, where, measured, seed)
    results.table(f"{tag}errors_of_differences", errors_of_differences(first, first_power, seed))


def study_correlations(results: Results, tag: str, where: Any, measured: Measured, seed: int) -> None:
    matrices = measured.for_correlations()
    found = {  # the plain bootstrap error of the paper: that of `correlation_interval` is another
        f"{one}, {other}": stats.bootstrap_standard_error(
            rc.kendall_tau, matrices[one], matrices[other], n_resamples=B, rng=seed
        )
        for one, other in combinations(matrices, 2)
    }
    m = next(iter(matrices.values())).n_systems
    rows = [
        {"measures": name, "tau": each.statistic, "standard error": each.standard_error,
         "Kendall's p-value": stats.kendall_test(each.statistic, m).pvalue}
        for name, each in found.items()
    ]  # fmt: skip
    table = pd.DataFrame(rows).sort_values("tau", ascending=False, kind="stable")
    results.table(f"{tag}figures_12_13", table)
    figure, grid = panels(1, 2, 4.2, 1.2 + 0.2 * len(found), sharey=True)
    for axes, column in zip(grid[0], ("tau", "standard error"), strict=True):
        axes.barh(table["measures"], table[column], color="#0072B2")
        axes.set_xlabel(column)
    grid[0, 0].invert_yaxis()
    results.picture(f"{tag}figures_12_13", f"tau between measures{where('')}, and its standard error", figure)
    tau, error = table["tau"], table["standard error"]
    results.claim(
        where("figure 12"), "all measures correlate significantly, tau above .6",
        f"tau from {tau.min():.2f} to {tau.max():.2f}, largest p-value {table.iloc[:, 3].max():.2g}",
        tau.min() > 0.6 and table.iloc[:, 3].max() < 0.01,
        f"below .6 are {(tau <= 0.6).sum()} of {len(tau)} pairs, lowest {table['measures'].iloc[-1]}",
    )  # fmt: skip
    results.claim(
        where("figure 13"), "standard errors are about ten times smaller than the correlations",
        f"{(tau / error).median():.0f} times in the median, {(tau / error).min():.0f} to {(tau / error).max():.0f}",
        5 <= (tau / error).median() <= 20,
        f"correlations are lower here, {tau.median():.2f} in the median, and errors {error.median():.2f}",
    )  # fmt: skip
    results.claim(
        where("figure 13"), "the higher a correlation, the smaller its standard error",
        f"rank correlation {stats.spearman(tau, -error):.2f}", stats.spearman(tau, -error) > 0.5,
    )  # fmt: skip
    if {"AP, Q", "AP, G AP"} <= set(found):
        results.claim(
            where("figures 12 and 13"), "AP and Q, and G AP and G Q, correlate most; AP with G AP less, less surely",
            ", ".join(f"{name}: {found[name].statistic:.2f} ± {found[name].standard_error:.2f}"
                      for name in ("AP, Q", "G AP, G Q", "AP, G AP")),
            min(found["AP, Q"].statistic, found["G AP, G Q"].statistic) > found["AP, G AP"].statistic
            and max(found["AP, Q"].standard_error, found["G AP, G Q"].standard_error)
            < found["AP, G AP"].standard_error,
        )  # fmt: skip


# --- what the paper says ----------------------------------------------------------------------------


def judge_algorithms(results: Results, where: Any, compared: pd.DataFrame, size: str) -> None:
    for figures, rows in compared.groupby("figures", sort=False):
        here = "; ".join(f"{row.what} {row[3]:.3f} and {row[4]:.3f}" for row in rows.itertuples())
        relative = (rows["as printed"] - rows["package"]).abs() / rows["as printed"].clip(lower=0.05)
        results.claim(
            where(f"figures {figures}" if "," in figures else f"figure {figures}"),
            "an algorithm: as printed, and by the package", f"{here} ({size})", (relative < 0.15).all(),
        )  # fmt: skip


def by_share(power: Mapping[str, Any]) -> list[str]:
    return sorted(power, key=lambda name: -power[name].statistic)


def mean_correlation(scores: rc.ScoreMatrix) -> float:
    """Pearson's correlation over topics, the mean over pairs of systems that vary."""
    values = scores.values[:, scores.values.std(axis=0) > 0]
    return float(np.corrcoef(values.T)[np.triu_indices(values.shape[1], 1)].mean())


def judge_power(
    results: Results, where: Any, scores: rc.ScoreMatrix, paired: Mapping[str, Any], unpaired: Mapping[str, Any]
) -> None:
    ranked = by_share(paired)
    shares = ", ".join(f"{name} {paired[name].statistic:.0%}" for name in ranked)
    if "Q" in paired:
        results.claim(
            where("table 2, figure 7"), "Q, nDCG and AP are the most sensitive measures", shares,
            {name.split("@")[0] for name in ranked[:3]} == {"AP", "Q", "JKnDCG"},
            f"{', '.join(ranked[:3])} are",
        )  # fmt: skip
        results.claim(where("table 2, figure 7"), "P is the least sensitive", shares,
            ranked[-1].startswith("P@"), f"{ranked[-1]} is; it ignores the order down to the cut-off, too",
        )  # fmt: skip
    else:
        results.claim(
            where("table 2, figure 7"), "measures differ in sensitivity; precision is not the most sensitive", shares,
            not any(name in ranked[0] for name in ("_p", "P@")),
        )  # fmt: skip
    results.claim(
        where("figure 8"), "the unpaired test has less power for every measure",
        ", ".join(f"{name} {unpaired[name].statistic:.0%}" for name in ranked),
        all(unpaired[name].statistic < paired[name].statistic for name in ranked),
        "not for " + ", ".join(name for name in ranked if unpaired[name].statistic >= paired[name].statistic),
    )  # fmt: skip
    means = [name for name in ranked if not name.startswith("G ")]
    ratios = [unpaired[name].published_difference / paired[name].published_difference for name in means]
    results.claim(
        where("table 2"), "the differences that both tests need are comparable",
        f"unpaired over paired: {min(ratios):.2f} to {max(ratios):.2f}", min(ratios) > 0.5 and max(ratios) < 2,
        "pairing removes what systems have in common, and their scores correlate by "
        f"{mean_correlation(scores):.2f} over topics in the mean",
    )  # fmt: skip


def minority_at(result: Any, ties: float) -> float:
    """The minority rate that goes with a proportion of ties."""
    return float(np.interp(ties, result.proportion_of_ties, result.minority_rate))


def judge_swaps(
    results: Results, where: Any, paired: Mapping[str, Any], steady: Mapping[str, Any], swaps: Mapping[str, Any],
    halves: Mapping[str, Any],
) -> None:  # fmt: skip
    ties = float(np.median([result.proportion_of_ties[4] for result in steady.values()]))
    minority = {name: minority_at(result, ties) for name, result in steady.items()}
    power = [paired[name].statistic for name in minority]
    agreement = stats.spearman(power, [-value for value in minority.values()])
    results.claim(
        where("figure 10"), "stability agrees with the tests on which measures are sensitive",
        f"minority rates at {ties:.0%} ties: " + ", ".join(f"{name} {rate:.3f}" for name, rate in minority.items())
        + f"; rank correlation with table 2 {agreement:.2f}",
        agreement > 0.5,
        f"{by_share(paired)[0]} tells most pairs apart, {min(minority, key=lambda name: minority[name])} is most "
        "stable; "
        f"{sum(rate < 0.001 for rate in minority.values())} of {len(minority)} minority rates are below .001",
    )  # fmt: skip
    sensitivity = [swaps[name].sensitivity for name in minority]
    agreement = stats.spearman(power, sensitivity)
    results.claim(
        where("table 3"), "the swap method agrees with the tests on which measures are sensitive",
        ", ".join(f"{name} {swaps[name].sensitivity:.0%}" for name in minority) + f"; rank correlation {agreement:.2f}",
        agreement > 0.5,
    )  # fmt: skip
    plain = [name for name in swaps if not name.startswith("G ")]
    results.claim(
        where("table 3"), "the swap method asks for smaller differences than the paired test",
        ", ".join(f"{name} {swaps[name].required_difference:.2f} and {paired[name].published_difference:.2f}"
                  for name in plain),
        all(swaps[name].required_difference < paired[name].published_difference for name in plain),
        "not for "
        + ", ".join(n for n in plain if not swaps[n].required_difference < paired[n].published_difference),
    )  # fmt: skip
    alike = stats.spearman(sensitivity, [halves[name].sensitivity for name in minority])
    results.claim(
        where("section 3.5"), "topics drawn with and without replacement put the measures in a similar order",
        f"rank correlation of the sensitivities {alike:.2f}", alike > 0.7,
        "with replacement " + ", ".join(sorted(swaps, key=lambda name: -swaps[name].sensitivity))
        + "; without " + ", ".join(sorted(halves, key=lambda name: -halves[name].sensitivity)),
    )  # fmt: skip


def judge_filter(results: Results, where: Any, filtered: pd.DataFrame) -> None:
    pairs = {name: (filtered[f"comparisons, {name}"], filtered[f"swapped, {name}"]) for name in ("all", "significant")}
    rates = {name: swapped.sum() / counts.sum() for name, (counts, swapped) in pairs.items()}
    results.claim(
        where("section 5"), "significance tests may filter out pairs before the swap method",
        f"swapped: {rates['all']:.1%} of comparisons, {rates['significant']:.1%} of those of significant pairs; "
        f"required difference {required(*pairs['all']):.2f} and {required(*pairs['significant']):.2f}",
        rates["significant"] < rates["all"] and required(*pairs["significant"]) <= required(*pairs["all"]),
    )  # fmt: skip


def main(arguments_given: list[str] | None = None) -> Results:
    parser = arguments(__doc__ or "", "sakai2006", 2006)
    parser.add_argument("--cutoff", type=int, default=100, help="of nDCG, nCG and P; the paper has 1000")
    options = parser.parse_args(arguments_given)
    results = Results(PAPER, options, data := Data.of(options))
    measures = [AP, Q, JKnDCG @ options.cutoff, nCG @ options.cutoff, P @ options.cutoff]
    sources = {"": data.scores_of_runs(measures)}
    if data.tables:
        sources["tables_"] = data.scores(measures)
    sizes = {tag or "runs": scores for tag, scores in sources.items()}
    results.table("table_1", pd.DataFrame([
        {"data": tag.rstrip("_"), "topics": len(each.topics), "runs": len(each.systems), "measures": len(each)}
        for tag, each in sizes.items()
    ]))  # fmt: skip
    for tag, scores in sources.items():
        study(results, tag, scores, options.seed)
    results.lacks(
        "The NTCIR-3 runs are not at hand: other data show whether the claims hold, not the paper's own numbers."
    )
    results.lacks(
        f"The paper's nDCG, with logarithms of base 2, is JKnDCG here, with a cut-off of {options.cutoff} for 1000. "
        "The nDCG of ir_measures divides by log2(r + 1) and is another measure; nDCG in score tables is whatever made "
        "them."
    )
    results.write()
    return results


if __name__ == "__main__":
    main()
