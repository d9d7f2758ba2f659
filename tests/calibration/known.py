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


RESAMPLED_TWICE = "A sample's means are further apart than the true ones, and resampling takes them for the truth."

KNOWN: tuple[Known, ...] = (
    # two systems
    Known(
        ("discriminative_power | unpaired-bootstrap, * | * | *", "unpaired_bootstrap_test | mean, same topics | * | *"),
        "conservative",
        "unpaired bootstrap test, same topics",
        "It does not know that easy topics are easy for both. Use a paired test.",
    ),
    Known(
        ("unpaired_bootstrap_test | median, other topics | * | *",),
        "conservative",
        "unpaired bootstrap test of medians",
        "The median of a resample is one of few values, and ties count as at least as far.",
    ),
    Known(
        ("unpaired_bootstrap_test | mean, other topics, half as many and three times the spread | * | *",),
        "liberal",
        "unpaired bootstrap test, unlike samples",
        "It takes both samples for draws from one distribution. Take as many topics of both systems.",
    ),
    Known(
        ("discriminative_power | paired-bootstrap, difference beyond the required one | * | *",),
        "liberal",
        "discriminative_power, required_difference of the paired bootstrap",
        "As published: the mean of the one resample at the critical t. With few topics that is more often one of small "
        "spread than one of large mean. Use test='t'.",
    ),
    Known(
        (
            "paired_bootstrap_test |  | * | 2 x 10",
            "discriminative_power | paired-bootstrap, same topics | * | 2 x [15]0",
        ),
        "conservative",
        "paired bootstrap test, few topics",
        "Resamples of few topics sometimes hardly vary, so that their t is large.",
    ),
    Known(
        ("paired_bootstrap_test | interval | Robust* | 2 x 10", "discriminative_power | wilcoxon, * | Robust*"),
        "liberal",
        "interval of the paired bootstrap test with 10 topics, Wilcoxon's test with 250, skewed scores",
        "Ten topics do not show the tails of skewed differences. Wilcoxon's test asks for symmetry.",
    ),
    # families
    Known(
        ("significant_agreement | * | *, systems adjacent | *",),
        "liberal",
        "significant_agreement, significant pairs of close systems that the truth reverses",
        "No promise: each pair is tested at .05, and where none differs by much the few that are found are luck.",
    ),
    Known(
        ("significant_agreement | * | *, systems * | *",),
        "conservative",
        "significant_agreement, significant pairs that the truth reverses",
        "No promise: where systems are far apart, hardly any significant pair is wrong.",
    ),
    # d_rank
    Known(
        ("d_rank | baseline, * | * | *",),
        "liberal",
        "d_rank, null='baseline' (as published, the default)",
        "It takes the covariance, and the means, for known. Use null='constrained', covariance='ledoit-wolf'.",
    ),
    Known(
        ("d_rank | refit, * | * | *",),
        "liberal",
        "d_rank, null='refit'",
        "Of close systems the measured means are further apart than the true ones. Use null='constrained'.",
    ),
    Known(
        ("d_rank | constrained, * | *, systems equal | *",),
        "liberal",
        "d_rank, null='constrained', all true means equal",
        "The nearest means that keep the ranking are still further apart than equal ones.",
    ),
    Known(
        ("d_rank | constrained, * | * | *", "d_rank | two-sample, * | * | *", "d_rank | refit, * | * | *"),
        "conservative",
        "d_rank, null='constrained', 'two-sample' or 'refit'",
        "The price of keeping the level where systems are close; the two-sample null doubles the noise of equal means.",
    ),
    Known(
        (
            "allowed_ranks | *, true ranking accepted | * | *",
            "allowed_ranks | *, true rank allowed | *, systems adjacent | *",
        ),
        "liberal",
        "allowed_ranks, the true ranking among the accepted ones",
        "It is the published test of d_rank. Use rank_intervals for the rank of a system.",
    ),
    Known(
        ("allowed_ranks | *, true rank allowed | * | *",),
        "conservative",
        "allowed_ranks, the true rank of a system among the allowed ones",
        "No promise: a rank is allowed if any accepted ranking has it.",
    ),
    Known(
        ("d_rank | two-sample, * | * | *",),
        "liberal",
        "d_rank, null='two-sample', some cases",
        RESAMPLED_TWICE,
    ),
    # ranks
    Known(
        (
            "rank_intervals | interval of a system's rank | * | 20 x 10",
            "rank_intervals | interval* | *, systems adjacent | *",
        ),
        "liberal",
        "rank_intervals, few topics or close systems",
        RESAMPLED_TWICE,
    ),
    Known(
        ("rank_intervals | interval of a system's rank | * | *",),
        "conservative",
        "rank_intervals, many topics",
        "Ranks are whole numbers: an interval that ends at a rank covers more than it must.",
    ),
    Known(
        ("rank_intervals | share_first* | * | *",),
        "too high",
        "rank_intervals, share_first of the leader, less how often it is truly first",
        "The leader leads partly by luck, and every resample inherits that luck.",
    ),
    # expected correlation
    Known(
        ("expected_correlation | *, tau_gap, less the actual | * | *",),
        "too high",
        "expected_correlation, tau_GAP",
        "The observed gaps stand for the true ones, and pairs that are swapped have small observed gaps.",
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
        "As published: with few topics they underrate the spread of differences, or take the observed ones for the "
        "true. Use 'msqd'.",
    ),
    Known(
        (
            "expected_correlation | msqd, tau, * | Robust 2004 * | 20 x [15]0",
            "expected_correlation | msqd, tau_ap, * | Robust 2004 * | 20 x [15]0",
            "expected_correlation | msqd, tau_ap, * | * | 20 x 10",
        ),
        "too high",
        "expected_correlation, the default 'msqd', few topics of P@10, and tau_AP with 10 topics",
        "Scores with few values tie many differences, and skewed ones are not normal, as it takes them to be.",
    ),
    Known(
        ("expected_correlation | split-half*, less the actual | * | *",),
        "too high",
        "expected_correlation, 'split-half' with 50 topics or more",
        "As published: the correlation of halves is that between two noisy rankings, and the line is extrapolated.",
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
        "expected_correlation, interval, few topics",
        RESAMPLED_TWICE,
    ),
    Known(
        (
            "expected_correlation | topics_needed(0.9)* | * P@10, real | *",
            "expected_correlation | curve at * | * P@10, real | *",
        ),
        "too low",
        "expected_correlation, topics_needed by P@10",
        "The estimate that it starts from is a little too high.",
    ),
    Known(
        ("expected_correlation | curve at * | * P@10, real | *",),
        "too high",
        "expected_correlation, curve of P@10",
        "The estimate that it starts from is a little too high.",
    ),
    # correlations of measures
    Known(
        ("correlation_standard_error | statistic, * | * | *",),
        "too low",
        "the correlation of two measures over a sample of topics, less the true one",
        "The noise of topics lowers every correlation; noise_free is nearer.",
    ),
    Known(
        ("correlation_standard_error | noise_free, * | * | *",),
        "too high",
        "correlation_standard_error, noise_free",
        "It takes all systems for equally noisy, and no noise is left to break near ties.",
    ),
    Known(
        ("correlation_standard_error | noise_free, * | * | * x 10",),
        "too low",
        "correlation_standard_error, noise_free, 10 topics",
        "With so few topics the noise exceeds the differences of systems.",
    ),
    Known(
        ("correlation_interval | * | * | *",),
        "liberal",
        "correlation_interval",
        "The correction for noise is of the right size rather than exact.",
    ),
    Known(
        ("correlation_standard_error | standard_error, * | * | *",),
        "too high",
        "correlation_standard_error, standard_error as a ratio to the true one",
        "Resampling adds the noise of topics once more: the lower the correlation the larger its spread.",
    ),
    Known(
        ("correlation_difference | * | * | *",),
        "conservative",
        "correlation_difference",
        "Resampling adds the noise of topics once more, so that differences of resamples spread too far.",
    ),
    Known(
        ("kendall_interval | * | * | *",),
        "conservative",
        "kendall_interval",
        "Its variance is an upper bound.",
    ),
    Known(
        ("kendall_test | * | * | 5 systems",),
        "conservative",
        "kendall_test of 5 systems",
        "So few systems have few values of tau.",
    ),
    # topics
    Known(
        ("prediction_quality | interval, pearson | * | *",),
        "liberal",
        "prediction_quality, intervals of Pearson's correlation, few topics",
        "Percentile intervals of so few topics are too short.",
    ),
    Known(
        ("prediction_quality | value, * | * | *",),
        "too low",
        "prediction_quality, value with few topics",
        "Correlations of small samples are a little too near to 0.",
    ),
    Known(
        ("swap_rates | share of swaps* | * | *", "stability | minority_rate* | * | *"),
        "too low",
        "swap_rates and stability, less what fresh topics do",
        f"{RESAMPLED_TWICE} So fresh topics contradict each other more often.",
    ),
    Known(
        ("stability | proportion_of_ties* | * | *",),
        "too low",
        "stability, proportion_of_ties, less that of fresh topics",
        f"{RESAMPLED_TWICE}",
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
        "The difference is where the worst bin keeps the rate; all larger ones swap less.",
    ),
    Known(
        ("swap_rates | beyond required_difference* | *, systems adjacent | *",),
        "liberal",
        "swap_rates, swaps beyond required_difference, close systems",
        RESAMPLED_TWICE,
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
        "By design: shrinkage takes all differences for more alike than they are. It is the mean of ratios, which near "
        "twins dominate.",
    ),
)
