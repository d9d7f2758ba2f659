"""Deviations that are known, and told: each with its reason. A test fails when anything deviates otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.calibration.rows import Found


@dataclass(frozen=True)
class Known:
    """A deviation.

    Attributes:
        rows: Patterns of the names of rows, "what | settings | data | size".
        verdict: What is wrong.
        what: Which rows these are, in words.
        reason: Why.
    """

    rows: tuple[str, ...]
    verdict: str
    what: str
    reason: str

    def covers(self, row: Found) -> bool:
        return row.verdict == self.verdict and any(fnmatchcase(row.name, pattern) for pattern in self.rows)


RESAMPLED_TWICE = "The means of a sample are further apart than the true means, and resampling treats them as true."

OF_DESIGNS = ("shrunken", "guaranteed")

KNOWN: tuple[Known, ...] = (
    # two systems
    Known(
        ("discriminative_power | unpaired-bootstrap, * | * | *", "unpaired_bootstrap_test | mean, same topics | * | *"),
        "conservative",
        "unpaired bootstrap test, same topics",
        "It ignores that both systems find the same topics easy. Use a paired test.",
    ),
    Known(
        (
            "unpaired_bootstrap_test | median, other topics | * | *",
            "unpaired_bootstrap_test | geometric mean, * | * | 2 x 10",
        ),
        "conservative",
        "unpaired bootstrap test of medians, and of geometric means with 10 topics",
        "Medians of resamples take few values, and ties count as at least as extreme. Logs of few scores are skewed.",
    ),
    Known(
        ("unpaired_bootstrap_test | published, mean, half as many and three times the spread | * | *",),
        "liberal",
        "unpaired bootstrap test, method='published', unlike samples",
        "It assumes that both samples come from one distribution. Use the default.",
    ),
    Known(
        (
            "discriminative_power | paired-bootstrap, difference beyond the * one | * | *",
            "discriminative_power | t, difference beyond the required one | * AP, simulated | 2 x 10",
        ),
        "liberal",
        "discriminative_power, published_difference of the paired bootstrap; required_difference, skewed scores",
        "As published, it is the mean of the resample at the critical t. With few topics that resample more often has "
        "a small spread than a large mean. Use required_difference.",
    ),
    Known(
        (
            "paired_bootstrap_test |  | * | 2 x 10",
            "discriminative_power | paired-bootstrap, same topics | * | 2 x [15]0",
        ),
        "conservative",
        "paired bootstrap test, few topics",
        "Some resamples of few topics hardly vary, and their t is large.",
    ),
    Known(
        ("paired_bootstrap_test | interval | Robust* | 2 x 10", "discriminative_power | wilcoxon, * | Robust*"),
        "liberal",
        "interval of the paired bootstrap test with 10 topics, Wilcoxon's test with 250, skewed scores",
        "Ten topics do not show the tails of skewed differences. Wilcoxon's test assumes symmetric differences.",
    ),
    # families
    Known(
        ("randomized_tukey_hsd | *, equal means only | * | *",),
        "liberal",
        "randomised Tukey HSD test, equal means but unlike spreads",
        "It tests whether systems are alike in distribution, not only in their mean.",
    ),
    Known(
        ("significant_agreement | * | *, systems adjacent | *",),
        "liberal",
        "significant_agreement, significant pairs of close systems that the truth reverses",
        "Not promised: an uncorrected test takes each pair at .05. Few pairs of close systems differ enough, so that "
        "many of those found are chance.",
    ),
    Known(
        ("significant_agreement | * | *, systems * | *",),
        "conservative",
        "significant_agreement, significant pairs that the truth reverses",
        "Not promised: if systems are far apart, hardly any significant pair is wrong.",
    ),
    # d_rank
    Known(
        ("d_rank | published, * | * | *",),
        "liberal",
        "d_rank, null='published'",
        "As published: it treats the covariance and the means as known. Use the default.",
    ),
    Known(
        ("d_rank | two-sample* | * | *",),
        "conservative",
        "d_rank, null='two-sample'",
        "The price of keeping the level for close systems.",
    ),
    Known(
        (
            "allowed_ranks | published, *, true ranking accepted | * | *",
            "allowed_ranks | published, *, true rank allowed | *, systems adjacent | *",
        ),
        "liberal",
        "allowed_ranks, null='published', the true ranking among the accepted ones",
        "It is the published test of d_rank. Use the default.",
    ),
    Known(
        ("allowed_ranks | *, true rank allowed | * | *",),
        "conservative",
        "allowed_ranks, the true rank of a system among the allowed ones",
        "Not promised: a rank counts as allowed if any accepted ranking has it.",
    ),
    # ranks
    Known(
        (
            "rank_intervals | interval of a system's rank | * | 20 x 10",
            "rank_intervals | interval* | *, systems adjacent | *",
        ),
        "liberal",
        "rank_intervals, method='percentile', few topics or close systems",
        RESAMPLED_TWICE,
    ),
    Known(
        ("rank_intervals | interval of a system's rank | * | *", *(f"rank_intervals | {of}, *" for of in OF_DESIGNS)),
        "conservative",
        "rank_intervals, method='percentile', many topics",
        "Ranks are whole numbers, so an interval includes more than it must.",
    ),
    Known(
        ("rank_intervals | share_first* | * | *",),
        "too high",
        "rank_intervals, method='percentile', share_first of the leader, less how often it is truly first",
        "The leader of a sample leads partly by chance, and every resample repeats that chance.",
    ),
    # expected correlation
    Known(
        ("expected_correlation | *, tau_gap, less the actual | * | *",),
        "too high",
        "expected_correlation, published estimators, tau_GAP",
        "It uses the observed gaps in place of the true ones, and swapped pairs have small observed gaps.",
    ),
    Known(
        (
            "expected_correlation | ml, tau, * | * | 20 x [15]0",
            "expected_correlation | ml, tau_ap, * | * | 20 x [15]0",
            "expected_correlation | resampling, tau, * | * | 20 x [15]0",
            "expected_correlation | resampling, tau_ap, * | * | 20 x [15]0",
            "expected_correlation | kde, tau, * | * | 20 x [15]0",
            "expected_correlation | kde, tau_ap, * | * | 20 x [15]0",
        ),
        "too high",
        "expected_correlation, estimators 'ml', 'resampling' and 'kde', few topics",
        "As published: with few topics they underestimate the spread of differences, or treat observed differences as "
        "true. Use the default.",
    ),
    Known(
        (
            "expected_correlation | msqd, tau, * | Robust 2004 * | 20 x [15]0",
            "expected_correlation | msqd, tau_ap, * | Robust 2004 * | 20 x [15]0",
            "expected_correlation | msqd, tau_ap, * | * | 20 x 10",
        ),
        "too high",
        "expected_correlation, estimator 'msqd', few topics of P@10, and tau_AP with 10 topics",
        "It assumes normal differences. Those of P@10 take few values and are often tied, and others are skewed.",
    ),
    Known(
        ("expected_correlation | split-half*, less the actual | * | *",),
        "too high",
        "expected_correlation, 'split-half' with 50 topics or more",
        "As published: it correlates the noisy rankings of two halves and extrapolates along a straight line.",
    ),
    Known(
        ("expected_correlation | split-half*, less the actual | * | 20 x 10",),
        "too low",
        "expected_correlation, 'split-half' with 10 topics",
        "As published; see above.",
    ),
    Known(
        ("expected_correlation | interval, * | * | *",),
        "liberal",
        "expected_correlation, estimator 'msqd', interval, few topics",
        RESAMPLED_TWICE,
    ),
    Known(
        (
            "expected_correlation | topics_needed(0.9)* | * P@10, real | *",
            "expected_correlation | curve at * | * P@10, real | *",
        ),
        "too low",
        "expected_correlation, topics_needed by P@10",
        "It starts from an estimate that is a little too high.",
    ),
    Known(
        ("expected_correlation | curve at * | * P@10, real | *",),
        "too high",
        "expected_correlation, curve of P@10",
        "It starts from an estimate that is a little too high.",
    ),
    # correlations of measures
    Known(
        ("correlation_interval | statistic, * | * | *",),
        "too low",
        "the correlation of two measures over a sample of topics, less the true one",
        "The noise of the topics lowers every correlation. The estimate over all topics is closer.",
    ),
    Known(
        ("correlation_interval | estimate, * | * | *",),
        "too high",
        "correlation_interval, its estimate, mostly of close systems",
        "Where noise alone explains all disagreement, both may rank alike: the median of what may be is drawn to 1.",
    ),
    Known(
        ("correlation_interval | estimate, * | * | *",),
        "too low",
        "correlation_interval, its estimate, 10 topics",
        "Little is known then, and the median of what may be is drawn towards 0.",
    ),
    Known(
        ("correlation_interval | standard_error, * | * | *",),
        "too high",
        "correlation_interval, standard_error as a ratio to the true one",
        "Resampling adds the noise of the topics a second time. That lowers the correlation and widens its spread.",
    ),
    Known(
        ("kendall_interval | * | * | *",),
        "conservative",
        "kendall_interval",
        "Its variance is an upper bound.",
    ),
    Known(
        (
            "kendall_test | * | * | 5 systems",
            "spearman_test | * | * | [45] systems",
            "tau_ap_test | * | * | 4 systems",
        ),
        "conservative",
        "kendall_test and spearman_test of 5 systems, spearman_test and tau_ap_test of 4",
        "With so few systems there are few possible values. Of 4 systems no tau_AP and no rho has a p-value below .08.",
    ),
    Known(
        ("kendall_test | * | Gaussian, a sample of systems | 4 systems",),
        "liberal",
        "kendall_test of 4 systems",
        "It is the normal approximation. The exact p-value of a tau of 1 or -1 is .083, and the test says .042.",
    ),
    Known(
        ("kendall_test | * | *, rounded, * | *", "tau_ap_test | * | *, rounded, * | *"),
        "conservative",
        "kendall_test and tau_ap_test of rounded scores, with ties",
        'They are for rankings without ties. Ties make the coefficients smaller, by the variant "a".',
    ),
    Known(
        ("bootstrap_standard_error | * | * | * x 10",),
        "too low",
        "bootstrap_standard_error, 10 topics",
        "Resamples of n topics vary by sqrt(1 - 1/n) as much as samples, .95 with 10 and .99 with 50. The mean of "
        "standard deviations of 10 topics is .97 of the true one.",
    ),
    # topics
    Known(
        ("prediction_quality | interval, pearson | * | *",),
        "conservative",
        "prediction_quality, intervals of Pearson's correlation, few topics",
        "Their error is never taken for less than that of normal scores.",
    ),
    Known(
        ("prediction_quality | value, * | * | *",),
        "too low",
        "prediction_quality, value with few topics",
        "Correlations of small samples are a little too close to 0.",
    ),
    Known(
        ("swap_rates | *share of swaps* | * | *", "stability | *minority_rate* | * | *"),
        "too low",
        "swap_rates and stability, less what fresh topics do",
        f"{RESAMPLED_TWICE} So fresh topics contradict each other more often.",
    ),
    Known(
        ("swap_rates | share of swaps* | *random | *", "stability | minority_rate* | *random | *"),
        "too high",
        "swap_rates and stability of new topics, systems far apart",
        "Differences are shrunk a little too much where systems are far apart: by .05 at most.",
    ),
    Known(
        ("swap_rates | sensitivity* | * | *",),
        "too high",
        "swap_rates, sensitivity, less that of fresh topics",
        f"{RESAMPLED_TWICE}",
    ),
    Known(
        ("swap_rates | beyond required_difference* | * | *",),
        "conservative",
        "swap_rates, swaps beyond required_difference",
        "The rate holds for the worst bin of differences. Larger differences are swapped more seldom.",
    ),
    # what is simulated
    Known(
        (
            "simulate_topics | skewness* | * | *",
            "simulate_topics | correlation* | * AP | *",
            "simulate_topics | variance* | * | *",
        ),
        "too high",
        "simulate_topics, shape",
        "Kernel estimates smooth the distributions of effects, and means are kept exactly.",
    ),
    Known(
        (
            "simulate_topics | kurtosis* | * | *",
            "simulate_topics | correlation* | * P@10 | *",
            "simulate_topics | variance* | * | *",
        ),
        "too low",
        "simulate_topics, shape, low cases",
        "As above.",
    ),
    Known(
        ("d_rank, covariance=ledoit-wolf | variance of differences, adjacent systems* | * | *",),
        "too high",
        "covariance='ledoit-wolf', variance of the differences of like systems",
        "By design: shrinkage makes all differences more alike than they are. The figure is a mean of ratios, and "
        "pairs of nearly identical systems have the largest ratios.",
    ),
    Known(
        ("best_systems | * | Gaussian, the best wins one topic in twenty | *",),
        "liberal",
        "best_systems, a best system that wins rarely but by much",
        "A sample of few topics may have none of its wins.",
    ),
    Known(
        ("bias | shift* | * | *",),
        "conservative",
        "bias, shifts of groups and runs",
        "Draws of the means of single runs are as wide as if each run had a shift of its own.",
    ),
    Known(
        ("prediction_powered | * | Gaussian, a judge of 100 topics, correlation 0.9 | 5 x 10",),
        "conservative",
        "prediction_powered with 10 topics by people and a good judge",
        "Student's t has the degrees of freedom of people's topics, though part of the error is of the judge's many.",
    ),
)
