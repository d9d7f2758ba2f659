"""Statistics against scipy, and against their definitions as plain loops."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import quadprog
import scipy.stats
from scipy.special import ndtr

import pt_rankcorr as rc
from pt_rankcorr.judgments import krippendorff_alpha
from pt_rankcorr.stats import Rankings, coefficient_matrix, randomized_tukey_hsd, spearman
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.expected.published import of_smooth_resamples, pairs_of
from tests.benchmarks.contests import Contest
from tests.benchmarks.growth import quietly
from tests.stats import oracles, oracles_expected
from tests.stats import oracles_sensitivity as sensitivity
from tests.stats.oracles import COEFFICIENTS

try:
    import krippendorff  # compared where it is installed
except ImportError:
    krippendorff = None

PLAIN = "the plain definition"


def scores_of(n_topics, n_systems):
    """Easy and hard topics, good and bad systems, and noise of about the size that TREC's has."""
    rng = np.random.default_rng(0)
    topic, system = rng.beta(1.5, 3, (n_topics, 1)), rng.uniform(0.3, 1.0, n_systems)
    return np.clip(topic * system + rng.normal(0, 0.08, (n_topics, n_systems)), 0, 1)


def two_rankings(items):
    rng = np.random.default_rng(0)
    truth = rng.random(items)
    return truth, truth + rng.random(items) / 2


def contests(*, quick=False):
    n_topics, n_systems, B, items = (30, 12, 200, 5000) if quick else (249, 110, 1000, 100_000)
    scores = in_one_order(scores_of(n_topics, n_systems))
    size = f"{n_topics} x {n_systems}, B = {B}"
    yield from of_rankings(n_systems, items, B)
    yield of_ranks(scores, B, size)
    yield from of_all_pairs(scores[:50], B)
    yield from of_t_tests(((20, 5),) if quick else ((50, 10), (1000, 20)))
    yield from of_label_agreement(((2, 200),) if quick else ((2, 4423), (34, 4423)))
    yield from of_expected_correlations(scores[:50])
    yield of_d_rank(scores, B, size)
    many = (20, 40) if quick else (50, 400)  # topics, and more systems than these
    yield of_d_rank(scores_of(*many), B, f"{many[0]} x {many[1]}, B = {B}")
    yield of_workers(scores, 10 * B)
    yield of_interval(min(n_systems, 74), 2 * B)
    yield from of_measures(scores[:50, : min(n_systems, 48)], B)


# --- coefficients -------------------------------------------------------------------------------------------


def of_rankings(n_systems, items, number):
    truth, estimate = two_rankings(n_systems)
    lists = truth.tolist(), estimate.tolist()
    for statistic, plain in (
        (rc.kendall_tau, oracles.kendall_tau_a),
        (rc.tau_ap, oracles.tau_ap_untied),
        (rc.tau_gap, oracles.tau_gap_untied),
    ):
        yield Contest(
            f"{statistic.__name__}, {n_systems} systems",
            PLAIN,
            partial(statistic, truth, estimate),
            partial(plain, *lists),
        )
    for what, sides, goal in (
        ("two lists of 10", [scores[:10] for scores in lists], None),
        ("two arrays of 50", two_rankings(50), 3.0),
        ("two arrays of 1000", two_rankings(1000), 1.5),
    ):
        yield Contest(
            f"kendall_tau, {what}",
            "scipy.stats.kendalltau",
            partial(rc.kendall_tau, *sides),
            lambda sides=sides: scipy.stats.kendalltau(*sides)[0],
            goal=goal,
            kernel=partial(COEFFICIENTS["tau"].kernel, *map(np.array, sides)),
        )
    few, estimates = 20, truth + np.random.default_rng(1).random((number, n_systems)) / 2
    for statistic, plain in ((rc.kendall_tau, scipy.stats.kendalltau), (spearman, scipy.stats.spearmanr)):
        yield Contest(
            f"{statistic.__name__}, {number} rankings of {n_systems} systems",
            f"scipy.stats.{plain.__name__}, one by one",
            partial(statistic, truth, Rankings(estimates)),
            lambda plain=plain: [plain(truth, row)[0] for row in estimates[:few]],
            share=few / number,
            part=lambda values: values[:few],
        )
    truth, estimate = two_rankings(items)
    tied = np.round(estimate * items / 5)
    yield Contest(
        f"kendall_tau, {items:,} items",
        "scipy.stats.kendalltau",
        partial(rc.kendall_tau, truth, estimate),
        lambda: scipy.stats.kendalltau(truth, estimate)[0],
        goal=0.95,
    )
    yield Contest(
        f"kendall_tau, variant b, {items:,} items with ties",
        "scipy.stats.kendalltau",
        partial(rc.kendall_tau, truth, tied, variant="b"),
        lambda: scipy.stats.kendalltau(truth, tied)[0],
        goal=0.95,
    )
    for shape, goals in (((5, 30), (1.0, None)), ((20, 50), (1.5, None)), ((400, 50), (None, 0.8))):
        yield from of_frames(np.random.default_rng(0).random(shape), goals)
    yield from of_many_rankings(np.random.default_rng(0).random((number, 50)))
    yield from of_resamples(scores_of(50, 48))


def product_of_signs(rankings):
    first, second = np.triu_indices(rankings.shape[1], k=1)
    signs = np.sign(rankings[:, first] - rankings[:, second])
    return signs @ signs.T / first.size


def of_frames(rankings, goals):
    """Frames with a row a system and a column a ranking."""
    number, n_systems = rankings.shape
    frame = pd.DataFrame(rankings.T, index=[f"s{system}" for system in range(n_systems)]).add_prefix("r")
    for rival, plain, goal in (
        ("pandas, corr(method='kendall')", lambda: frame.corr(method="kendall"), goals[0]),
        ("a product of signs", partial(product_of_signs, rankings), goals[1]),
    ):
        subject = f"coefficient_matrix, a frame of {number} rankings of {n_systems}"
        kernel = partial(COEFFICIENTS["tau"].matrix, rankings, rankings)
        yield Contest(subject, rival, partial(coefficient_matrix, frame), plain, goal=goal, kernel=kernel)


def of_many_rankings(rankings):
    number = len(rankings)

    def tau_ap():
        return np.array([tau_ap_of(rankings, np.tile(estimate, (number, 1))) for estimate in rankings[:few]]).T

    few = 50
    for coefficient, rival, plain, share in (
        ("tau", "a product of signs", partial(product_of_signs, rankings), 1.0),
        ("tau_ap", "numpy, estimate by estimate", tau_ap, few / number),
    ):
        yield Contest(
            f"coefficient_matrix, {coefficient}, {number} rankings of {rankings.shape[1]}",
            rival,
            lambda coefficient=coefficient: coefficient_matrix(Rankings(rankings), coefficient),
            plain,
            share=share,
            part=lambda values, share=share: np.asarray(values)[:, : round(share * number)],
        )


def in_order(values, estimate):
    """Rows of values in the order of rows of an estimate, best first."""
    return np.take_along_axis(values, np.argsort(-estimate, axis=1), axis=1)


def tau_ap_of(reference, estimate):
    """Of each row of a reference with that row of an estimate, rank by rank."""
    ordered = in_order(reference, estimate)
    rightly = [(ordered[:, :i] > ordered[:, i, np.newaxis]).mean(axis=1) for i in range(1, ordered.shape[1])]
    return 2 * np.mean(rightly, axis=0) - 1


def of_resamples(scores):
    """The kernels, of the means of resamples: 2000 references, each with its estimate."""
    rng = np.random.default_rng(1)
    weights = rng.multinomial(len(scores), np.full(len(scores), 1 / len(scores)), size=2000) / len(scores)
    reference, estimate = ((weights @ side).round(12) for side in (scores, scores + rng.normal(0, 0.1, scores.shape)))
    first, second = np.triu_indices(scores.shape[1], k=1)

    def product_of_signs():
        signs = [np.sign(side[:, first] - side[:, second]) for side in (reference, estimate)]
        return np.einsum("ij,ij->i", *signs) / first.size

    def tau_gap():
        ordered = in_order(reference, estimate)
        gaps = [ordered[:, :i] - ordered[:, i, None] for i in range(1, first[-1] + 2)]
        return 2 * np.mean([np.maximum(g, 0).sum(axis=1) / np.abs(g).sum(axis=1) for g in gaps], axis=0) - 1

    tau_ap = partial(tau_ap_of, reference, estimate)
    for name, plain in (("tau", product_of_signs), ("tau_ap", tau_ap), ("tau_gap", tau_gap)):
        kernel, size = partial(COEFFICIENTS[name].kernel, reference, estimate), f"2000 x {scores.shape[1]}"
        yield Contest(f"kernel of {name}, {size}", "numpy, all rows at once", kernel, plain)


# --- resampled topics ---------------------------------------------------------------------------------------


def of_ranks(scores, B, size):
    def package():
        intervals = rc.rank_intervals(scores, method="percentile", n_resamples=B, rng=1)
        return np.array([intervals.low, intervals.high])

    def by_scipy():
        means = [scores[topics].mean(axis=0) for topics in sensitivity.drawn_topics(len(scores), B, 1)]
        ranks = scipy.stats.rankdata(-np.array(means).round(12), axis=1)
        low, high = (np.quantile(side, 0.025, axis=0, method="inverted_cdf") for side in (ranks, -ranks))
        return np.array([low, -high])

    return Contest(f"rank_intervals, percentile, {size}", "numpy, and scipy.stats.rankdata", package, by_scipy)


def of_all_pairs(scores, B):
    n_topics, n_systems = scores.shape
    yield Contest(
        f"discriminative_power, paired, {n_topics} x {n_systems}, B = {B}",
        "numpy, two products for all pairs",
        lambda: rc.discriminative_power(scores, test="paired-bootstrap", n_resamples=B, rng=1).asl,
        lambda: by_products(scores, B),
        margin=6 * 0.5 / B**0.5,  # of other draws
        part=lambda asl: asl[np.triu_indices(n_systems, k=1)],
    )

    def quartiles(null):
        return np.quantile(null, [0.25, 0.5, 0.75])

    def tukey():
        return quartiles(randomized_tukey_hsd(scores, n_resamples=B, rng=1).null_distribution)

    yield Contest(
        f"randomized_tukey_hsd, {n_topics} x {n_systems}, B = {B}",
        "numpy, permutation by permutation",
        tukey,
        lambda: quartiles(by_permuting(scores, B)),
        margin=float(8 * tukey()[2] / B**0.5),  # of other draws
    )


def by_products(scores, B):
    n_topics, n_systems = scores.shape
    first, second = np.triu_indices(n_systems, k=1)
    z = scores[:, first] - scores[:, second]
    w = z - z.mean(axis=0)
    drawn = np.random.default_rng(1).multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=B) / n_topics
    means = drawn @ w
    t = np.abs(means) / np.sqrt(drawn @ w**2 - means**2)
    return (t >= np.abs(z.mean(axis=0)) / z.std(axis=0)).mean(axis=0)


def by_permuting(scores, B):
    rng, ranges = np.random.default_rng(2), np.empty(B)
    for number in range(B):
        ranges[number] = np.ptp(rng.permuted(scores, axis=1).mean(axis=0))
    return ranges


def of_t_tests(sizes):
    for n_topics, n_systems in sizes:
        scores, (first, second) = scores_of(n_topics, n_systems), np.triu_indices(n_systems, k=1)
        yield Contest(
            f"discriminative_power, t, {n_topics} x {n_systems}",
            "scipy.stats.ttest_rel of all pairs",
            lambda scores=scores: rc.discriminative_power(scores, test="t").pvalues,
            lambda scores=scores, first=first, second=second: (
                scipy.stats.ttest_rel(scores[:, first], scores[:, second]).pvalue
            ),
            part=lambda pvalues, first=first, second=second: pvalues[first, second],
            goal=1.0,
        )


def of_label_agreement(sizes):
    """Labels from 0 to 3 of judges who err on four of ten items, and leave out one of ten."""
    rng = np.random.default_rng(0)
    for n_judges, n_items in sizes if krippendorff else ():
        shape, truth = (n_judges, n_items), rng.integers(0, 4, n_items)
        labels = np.where(rng.random(shape) < 0.6, truth, rng.integers(0, 4, shape)).astype(float)
        labels[rng.random(shape) < 0.1] = np.nan
        yield Contest(
            f"krippendorff_alpha, {n_judges} judges of {n_items:,} items",
            "krippendorff.alpha",
            partial(krippendorff_alpha, labels),
            partial(krippendorff.alpha, labels, level_of_measurement="ordinal"),
        )


def of_expected_correlations(scores):
    """Probabilities of discordance: of all pairs by the package, of some by the definition."""
    scores = scores[:, np.argsort(-scores.mean(axis=0), kind="stable")]
    pairs = list(itertools.combinations(range(scores.shape[1]), 2))
    some = pairs[:: -(-len(pairs) // 200)]
    probability = oracles_expected.ml
    yield Contest(
        f"expected_correlation, ml, {scores.shape[0]} x {scores.shape[1]}",
        PLAIN,
        lambda: rc.expected_correlation(scores, estimator="ml", rng=1).probabilities,
        lambda: [probability((scores[:, i] - scores[:, j]).tolist()) for i, j in some],
        share=len(some) / len(pairs),
        part=lambda values: [values[pair] for pair in some],
    )
    ranked, rng = pairs_of(scores), np.random.default_rng(1)
    resampled = ranked.means + 0.02 * rng.standard_normal((10_000, scores.shape[1]))
    noise = rng.uniform(0.005, 0.02, len(pairs))

    def by_ndtr():
        return [
            ndtr((resampled[:, j] - resampled[:, i]) / h).mean()
            for (i, j), h in zip(some, noise[:: -(-len(pairs) // 200)], strict=True)
        ]

    yield Contest(
        f"kernel of expected_correlation, kde, {scores.shape[1]} systems, B = 10,000",
        "scipy.special.ndtr of all",
        partial(of_smooth_resamples, ranked, resampled, noise),
        by_ndtr,
        margin=1e-5,
        share=len(some) / len(pairs),
        part=lambda values: values[:: -(-len(pairs) // 200)],
    )


# --- d_rank -------------------------------------------------------------------------------------------------


def of_d_rank(scores, B, size):
    """The distances of rankings by resampled topics, against algorithm 1 with quadprog."""
    means = [scores[topics].mean(axis=0).round(12) for topics in sensitivity.drawn_topics(len(scores), B, 1)]
    test = quietly(rc.DRankTest, scores, covariance="sample", n_resamples=1, rng=1)
    few = max(B // 50, 4)
    return Contest(
        f"d_rank, distances of rankings, {size}",
        "algorithm 1, numpy and quadprog",
        lambda: quietly(test.distance, Rankings(np.array(means))),
        lambda: [by_quadprog(scores, ranking) for ranking in means[:few]],
        margin=1e-5,  # quadprog of an inverted covariance is no more accurate than that
        share=few / B,
        part=lambda values: values[:few],
    )


def by_quadprog(scores, ranking):
    """Algorithm 1 as it stands: covariance, inverse, and quadprog."""
    rows, size = np.diff(scores[:, np.argsort(ranking, kind="stable")], axis=1), scores.shape[1] - 1
    delta, inverse = rows.mean(axis=0), np.linalg.inv(np.cov(rows, rowvar=False) + 1e-5 * np.eye(size))
    inverse = (inverse + inverse.T) / 2
    theta = quadprog.solve_qp(inverse, inverse @ delta, np.eye(size), np.zeros(size))[0]
    return max(len(scores) * (theta - delta) @ inverse @ (theta - delta), 0.0) ** 0.5


def of_workers(scores, B):
    def by(n_jobs):
        ranking = scores.mean(axis=0) + 0.01 * np.random.default_rng(1).standard_normal(scores.shape[1])
        return rc.DRankTest(scores, n_resamples=B, rng=1, n_jobs=n_jobs).test(ranking).null_distribution

    subject = f"d_rank, {len(scores)} x {scores.shape[1]}, B = {B}, two workers (wall clock)"
    return Contest(subject, "one worker", partial(by, 2), partial(by, 1), margin=0.0, wall=True)


def of_measures(scores, B):
    """All pairs of six measures: without d_rank against a plain program, with it against one d_rank after the other."""
    rng, spread = np.random.default_rng(1), scores.std()
    noisy = [np.clip(scores + 0.3 * spread * rng.standard_normal(scores.shape), 0, 1) for _ in range(6)]
    measures = rc.Scores([rc.ScoreMatrix(values, measure=f"M{number}") for number, values in enumerate(noisy)])
    pairs = list(itertools.permutations(measures.values(), 2))

    def package():
        rows = quietly(rc.compare, measures, n_resamples=2 * B, rng=1).rows
        return [row.correlations[name].standard_error for row in rows for name in ("tau", "tau_ap")]

    yield Contest(
        f"compare, 6 measures, {scores.shape[0]} x {scores.shape[1]}, B = {2 * B}, with p-values",
        "numpy, without p-values",
        package,
        lambda: standard_errors_of_all(noisy, 2 * B),
        margin=0.6 / B**0.5,  # of other draws: three standard deviations of the difference of two errors
    )

    for columns, chosen in (("default columns", {}), ("tau alone", {"coefficients": ["tau"]})):

        def errors_of_tau(chosen=chosen):
            rows = quietly(rc.compare, measures, n_resamples=2 * B, rng=1, **chosen).rows
            return [row.correlations["tau"].bootstrap_standard_error for row in rows]

        yield Contest(
            f"compare, 6 measures, {scores.shape[0]} x {scores.shape[1]}, B = {2 * B}, {columns}",
            "numpy, a bootstrap of tau alone",
            errors_of_tau,
            lambda: errors_of_tau_alone(noisy, 2 * B),
            margin=0.6 / B**0.5,
            goal=0.4,
        )

    def one_by_one():
        tests = (rc.DRankTest(one, n_resamples=B, rng=1).test(other.means) for one, other in pairs)
        return [test.statistic for test in tests]

    yield Contest(
        f"compare, 6 measures, {scores.shape[0]} x {scores.shape[1]}, B = {B}, with d_rank",
        "DRankTest alone, pair by pair",
        lambda: [row.d_rank for row in quietly(rc.compare, measures, d_rank=True, n_resamples=B, rng=1).rows],
        lambda: quietly(one_by_one),
    )


def errors_of_tau_alone(measures, B):
    """The standard deviation of tau of each measure with each other one, which is the same swapped, over resamples."""
    n_topics, n_systems = measures[0].shape
    first, second = np.triu_indices(n_systems, k=1)
    drawn = np.random.default_rng(1).multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=B) / n_topics
    means = [drawn @ scores for scores in measures]
    signs = [np.sign(side[:, first] - side[:, second]).astype(np.float32) for side in means]
    errors = np.zeros((len(measures), len(measures)))
    for one, other in itertools.combinations(range(len(measures)), 2):
        taus = np.einsum("ij,ij->i", signs[one], signs[other]) / first.size
        errors[one, other] = errors[other, one] = taus.std(ddof=1)
    return [errors[pair] for pair in itertools.permutations(range(len(measures)), 2)]


def of_interval(n_systems, B):
    """One interval of tau, with its test, against resamples without either."""
    reference, (n_topics, rng) = scores_of(50, n_systems), (50, np.random.default_rng(1))
    estimate = np.clip(reference + 0.1 * rng.standard_normal(reference.shape), 0, 1)

    def plain():
        taus = np.empty(B)
        for number in range(B):
            rows = rng.integers(n_topics, size=n_topics)
            first, second = (
                np.sign(np.subtract.outer(x, x)) for x in (reference[rows].mean(0), estimate[rows].mean(0))
            )
            taus[number] = (first * second).sum() / (n_systems * (n_systems - 1))
        return taus.std(ddof=1)

    # as many taus: of resamples and of two resamples of each, 3 B, and under one true ranking, 3/4 B
    as_many = np.random.default_rng(1).random((2, 15 * B // 4, n_systems))
    return Contest(
        f"correlation_interval, tau, 50 x {n_systems}, B = {B}",
        "numpy, resample by resample",
        lambda: rc.correlation_interval(reference, estimate, n_resamples=B, rng=1).bootstrap_standard_error,
        plain,
        margin=0.6 / B**0.5,
        goal=3.0,
        kernel=partial(COEFFICIENTS["tau"].kernel, *as_many),
    )


def standard_errors_of_all(measures, B):
    """Standard errors of tau and tau_AP of each measure with each other one, by a nested bootstrap, in plain numpy."""
    n_topics, n_systems = measures[0].shape
    rng, (first, second) = np.random.default_rng(1), np.triu_indices(n_systems, k=1)
    counts = rng.multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=B)
    nested = [rng.multinomial(n_topics, counts / n_topics) for _ in range(2)]
    means = [np.vstack([counts, *nested]) / n_topics @ scores for scores in measures]
    signs = [np.sign(side[:, first] - side[:, second]).astype(np.float32) for side in means]

    def error(values):
        resampled, one, other = values.reshape(3, B)
        ratio = resampled.std() / ((one - other) ** 2 / 2).mean() ** 0.5
        return resampled.std(ddof=1) * np.clip(ratio, 0.8, 1.5) * (n_topics / (n_topics - 1)) ** 0.5

    errors = []
    for reference, estimate in itertools.permutations(range(len(measures)), 2):
        tau = np.einsum("ij,ij->i", signs[reference], signs[estimate]) / first.size
        errors += [error(tau), error(tau_ap_of(means[reference], means[estimate]))]
    return errors
