"""Wrong arguments of statistics, each with the error that says so; forms of scores are in stats/core/test_inputs.py."""

from functools import partial

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr import stats
from pt_rankcorr.stats import Rankings
from tests import cases
from tests.stats.oracles_expected import scores_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SCORES = np.random.default_rng(0).random((6, 3))
NAMED = rc.ScoreMatrix(SCORES, range(6), list("ABC"))
OTHERS, LATER = rc.ScoreMatrix(SCORES, range(6), list("ABX")), rc.ScoreMatrix(SCORES, range(2, 8), list("ABC"))
PAIR, TWO, THREE, MANY = [[0.1, 0.2]], [0.1, 0.2], [0.1, 0.2, 0.3], 10**12
FEW = {"n_resamples": 5, "rng": 1}


def zero_division(*_):
    raise ZeroDivisionError("no")


OF_MATRIX = {name: case for name, case in cases.WITH_FORMATS.items() if case.formats["1-D"] == cases.MATRIX_ONLY}
OF_MATRIX |= {name: cases.CASES[name] for name in ("discriminative_power", "significant_agreement")}
HOLED = np.where(cases.VALUES[4, 1] == cases.VALUES, np.nan, cases.VALUES)
WRONG_SCORES = {
    "one topic": (cases.VALUES[:1], ValueError, "topics, got 1"),
    "one system": (cases.VALUES[:, :1], ValueError, "at least 2 systems, got 1"),
    "nan": (HOLED, ValueError, "must be finite, got nan at (4, 1)"),
    "words": ([["a", "b", "c"]] * 4, TypeError, "must be an array of numbers, got"),
}
WRONG_SETTINGS = {
    "no resamples": ({"n_resamples": 0, "n_draws": 0}, ValueError, "must be an integer of at least"),
    "many resamples": ({"n_resamples": MANY, "n_draws": MANY}, ValueError, "must be an integer of at most"),
    "a part of one": ({"n_resamples": 2.5, "n_draws": 2.5}, TypeError, "must be an integer, got 2.5."),
    "a seed below 0": ({"rng": -1}, ValueError, "`rng` must be"),
    "no workers": ({"n_jobs": 0}, ValueError, "`n_jobs` must be"),
}
TAKEN = {
    "one topic": ("randomized_tukey_hsd", "ScoreMatrix"),
    "one system": ("prediction_quality", "ScoreMatrix"),
    "no workers": ("DRankTest", "discriminative_power, t", "significant_agreement, t"),  # when it tests; never
}


@pytest.mark.parametrize("name", OF_MATRIX)
@pytest.mark.parametrize("wrong", [*WRONG_SCORES, *WRONG_SETTINGS])
def test_what_all_refuse(name, wrong):
    scores, error, message = WRONG_SCORES.get(wrong, (cases.VALUES, *WRONG_SETTINGS.get(wrong, ({}, None, ""))[1:]))
    settings = WRONG_SETTINGS[wrong][0] if wrong in WRONG_SETTINGS else {"n_resamples": 5, "n_draws": 5}
    if (wrong in WRONG_SCORES or any(map(OF_MATRIX[name].takes, settings))) and name not in TAKEN.get(wrong, ()):
        with pytest.raises(error) as caught:
            OF_MATRIX[name](scores, cases.OTHER, **settings)
        assert message in str(caught.value)


OF_RANKINGS = [rc.kendall_tau, rc.tau_ap, rc.tau_gap, stats.pearson, stats.spearman, stats.kendall_distance]


@pytest.mark.parametrize("coefficient", [*OF_RANKINGS, stats.contributions])
@pytest.mark.parametrize(
    ("truth", "estimate", "error", "message"),
    [
        ([1, 2], [1, 2, 3], ValueError, "`reference` and `estimate` must have as many systems as each other, got 2"),
        ([1], [1], ValueError, "`reference` must have at least 2 systems, got 1."),
        (3, [1, 2], ValueError, "`reference` must be of shape (n_topics, n_systems) or (n_systems,), got the"),
        ([1, 2], [1, np.nan], ValueError, "`estimate` must be finite, got nan at 1"),
        ([[1, 2], [np.inf, 2]], [1, 2], ValueError, "`reference` must be finite, got inf at (1, 0)."),
        ({"a": 1, "b": np.inf}, {"a": 1, "b": 2}, ValueError, "`reference` must be finite, got inf for 'b'."),
        (["0.5", "0.2"], [1, 2], TypeError, "`reference` must be numbers, or names of systems, got the text '0.5'."),
        ({"a": 1, "b": 2}, {"a": 1, "c": 2}, ValueError, "`estimate` must rank the same systems, got differences in"),
    ],
)
def test_what_coefficients_refuse(coefficient, truth, estimate, error, message):
    with pytest.raises(error) as caught:
        coefficient(truth, estimate)
    assert str(caught.value).startswith(message)


OF_PAIRS = (stats.paired_bootstrap_test, stats.unpaired_bootstrap_test)
OF_TOPICS = (stats.swap_rates, stats.stability)
rankings = partial(stats.random_rankings, 5, 2)
expected = partial(rc.expected_correlation, scores_of(5, 3), **FEW)
own_null, d_rank = partial(rc.DRankTest, SCORES, **FEW), partial(rc.d_rank, np.ones((3, 2)), **FEW)
ranks, interval = partial(rc.rank_intervals, SCORES, **FEW), partial(rc.correlation_interval, SCORES, SCORES)
standard_error, quality = stats.bootstrap_standard_error, partial(stats.prediction_quality, SCORES)
powered = partial(stats.prediction_powered, SCORES)
unpaired = partial(stats.unpaired_bootstrap_test, THREE, [0.4, 0.5, 0.6], rng=1)
power, tukey = partial(rc.discriminative_power, SCORES), partial(stats.randomized_tukey_hsd, SCORES)
detect = partial(stats.topics_to_detect, SCORES)
swaps, stability = partial(stats.swap_rates, PAIR, of="resamples"), partial(stats.stability, SCORES)
curve = partial(stats.swap_curve, np.vstack([SCORES] * 6), **FEW)
words = np.array(["t", "published"])
NULLS, SHARED = "`null` must be 'shrunken' or", "`null` must be one that all rank"
TESTS = "`test` must be 'max-t' or 'tukey-hsd' or"
EDGES, LARGE_ENOUGH = "`bins` must be lower ends that rise from 0 on, got", "`tolerance` must be large enough for some"

VALUES = [
    # coefficients
    (lambda: rc.kendall_tau(TWO, TWO, variant="c"), "`variant` must be 'a' or 'b', got 'c'."),
    (lambda: rc.tau_ap(TWO, TWO, variant="c"), "`variant` must be 'a' or 'b', got 'c'."),
    (lambda: rc.kendall_tau(TWO, TWO, fuzziness=1.0), "`fuzziness` must be in [0, 1), got 1.0."),
    (lambda: rc.kendall_tau(TWO, TWO, fuzziness=-0.1), "`fuzziness` must be in [0, 1), got -0.1."),
    (lambda: rc.kendall_tau(Rankings(SCORES[:2]), Rankings(SCORES)), "`reference` and `estimate` "),
    (lambda: stats.kendall_interval(0.5, 10**400), "`n_systems` must be an integer of at most"),
    (lambda: stats.kendall_interval(0.9, 25, level=95), "`level` must be between 0 and 1 (both excluded), got 95."),
    (lambda: stats.kendall_interval(1.5, 10), "`tau` must be in [-1, 1], got 1.5."),
    (lambda: stats.kendall_interval(np.nan, 10), "`tau` must be a number, got nan."),
    (lambda: stats.kendall_interval(0.9, 1), "`n_systems` must be an integer of at least 2, got 1."),
    (lambda: stats.kendall_test(1.5, 10), "`tau` must be in [-1, 1], got 1.5."),
    (lambda: stats.kendall_test(0.9, 4, ties=([2, 1, 1], [2, 1])), "`ties` must add up to 4 systems in each ranking"),
    (lambda: power(correction="fdr"), "`correction` must be None with test='max-t', which is corrected itself, got"),
    (lambda: power(test="t", correction="bonferroni"), "`correction` must be 'holm' or 'fdr', got 'bonferroni'."),
    (lambda: stats.spearman_test(1.5, 10), "must be in [-1, 1], got 1.5."),
    (lambda: stats.tau_ap_test(0.5, 1), "`n_systems` must be an integer of at least 2"),
    (lambda: stats.swap_weights(TWO, "tau_c"), "`coefficient` must be 'tau' or"),
    (lambda: stats.swap_weights([1]), "`scores` must have at least 2 systems, got 1."),
    (lambda: stats.swap_weights([[1, np.inf]]), "`scores` must be finite, got inf at (0, 1)."),
    (lambda: stats.swap_weights({"AP": TWO}), "`scores` must have a single score for each name"),
    (lambda: stats.contributions(Rankings(PAIR), TWO), "`reference` must be a single ranking, got rankings of shape"),
    (lambda: stats.contributions(TWO, TWO, "rho"), "`coefficient` must be "),
    # random rankings
    (lambda: stats.random_rankings(1, 2), "`n_systems` must be an integer of at least 2, got 1."),
    (lambda: stats.random_rankings(MANY, 1), "`n_systems` must be an integer of at most 10000"),
    (lambda: stats.random_rankings(5, 0), "`size` must be an integer of at least 1, got 0."),
    (lambda: stats.random_rankings(3, 2, tau_ap=0.3, tolerance=0.01), LARGE_ENOUGH),
    (lambda: stats.random_rankings(2, 2, tau_ap=0.3, tolerance=0.1), LARGE_ENOUGH),
    (lambda: rankings(tau=1.1), "`tau` must be in [-1, 1], got 1.1."),
    (lambda: rankings(tau=0.5, tau_ap=0.5), "`tau` and `tau_ap` must not both be given, got 0.5 and 0.5."),
    (lambda: rankings(tau_ap=0.5, tolerance=0), "`tolerance` must be between 0 and 1 (both excluded), got 0."),
    (lambda: rankings(tau_ap=0.5, tolerance=1e-12), "`n_systems` must be so few"),
    (lambda: rankings(rng=-1), "`rng` must be"),
    # expected correlations, simulated topics
    (lambda: expected(coefficient="rho"), "`coefficient` must be 'tau' or 'tau_b' or 'tau_ap' or "),
    (lambda: expected(coefficient="pearson", estimator="ml"), "`coefficient` must be 'tau' or 'tau_ap' or 'tau_gap'"),
    (lambda: expected(estimator="bayes"), "`estimator` must be 'shrunken' or"),
    (lambda: expected().curve([0, 5]), "`n_topics` must be at least 1, got 0.0"),
    (lambda: expected().topics_needed(1.5), "`target` must be in"),
    (lambda: expected().confidence_interval(95), "`level` must be between"),
    (lambda: expected(estimator="ml").confidence_interval(n_topics=0), "`n_topics` must be at least 1"),
    (lambda: stats.TopicSimulator([[0.1, 1.5], [-0.1, 1], TWO]), "`scores` must be in [0, 1], got '-0.1', '1.5'"),
    (lambda: stats.TopicSimulator(SCORES[:2]), "at least 3 topics"),
    (lambda: stats.TopicSimulator(SCORES).draw(0), "`n_topics` must be an integer of at least 1, got 0"),
    (lambda: stats.TopicSimulator(SCORES).draw(MANY), "`n_topics` must be an integer of at most"),
    (lambda: stats.TopicSimulator(SCORES, levels="logit"), "`levels` must be 'scores' or 'published', got 'logit'"),
    # d_rank
    (lambda: d_rank([1, 2, 3]), "`ranking` must have as many systems as the reference, 2, got 3."),
    (lambda: d_rank([1, np.nan]), "`ranking` must be finite, got nan at 1"),
    (lambda: rc.d_rank(NAMED, {"A": 1, "B": 2, "D": 3}), "`ranking` must rank the same systems, got differences in"),
    *((lambda null=null: d_rank(TWO, null=null), NULLS) for null in ("refit", "constrained", None, words)),
    (lambda: d_rank(TWO, covariance=1), "`covariance` must be 'sample' or 'ledoit-wolf', got 1."),
    (lambda: d_rank(TWO, ridge=0), "`ridge` must be finite and at least 1e-12, got 0."),
    (lambda: own_null().distance(Rankings(np.ones((2, 3, 3)))), "`ranking` must be of shape (n_rankings, n_systems)"),
    (lambda: own_null().critical_value(0.05), SHARED),
    (lambda: own_null().null_distribution, SHARED),
    (lambda: stats.allowed_ranks(SCORES, null=words), NULLS),
    (lambda: stats.allowed_ranks(SCORES, null="two-sample"), "`null` must be 'shrunken' or 'published', got 'two-s"),
    (lambda: stats.rank_geometry(np.eye(6), range(6)), "`reference` must have 3 systems, got 6"),
    (lambda: stats.rank_geometry(SCORES, Rankings(SCORES)), "`ranking` must be a single ranking, of shape (3,), got"),
    # ranks
    *((lambda level=level: ranks(level=level), "`level` must be between 0 and 1") for level in (0, 1, 1.5)),
    (lambda: ranks(method="shrunken", simultaneous=True), "`simultaneous` must be False with method='shrunken'"),
    (lambda: ranks(method="percentile", simultaneous=True), "`simultaneous` must be False with method='percentile'"),
    # correlations, and numbers of a caller
    *((lambda name=name: interval(name), "`coefficient` must be") for name in ("tau@1", "tau@11", "tau@", "taub")),
    (lambda: interval(lambda first, second: first), "`coefficient` must return one number, "),
    (lambda: rc.correlation_interval(SCORES, SCORES[:, :2]), "`estimate` must have the shape of `reference`, (6, 3)"),
    (lambda: rc.correlation_interval(NAMED, OTHERS), "`estimate` must rank the same systems, got differences in 'C'"),
    (lambda: rc.correlation_interval(NAMED, LATER), "`estimate` must be on the same topics"),
    (lambda: standard_error(np.mean), "`scores` must be at least one score matrix, got none"),
    (lambda: standard_error(lambda a: a.mean(axis=0), np.eye(2)), "got an array of shape (2,)"),
    (lambda: standard_error(zero_division, np.eye(2)), "but it raised ZeroDivisionError"),
    (lambda: standard_error(lambda a: np.inf, np.eye(2)), "got inf"),
    (lambda: standard_error(np.vdot, np.eye(2), np.eye(2, 3)), "`scores_2` must have the shape of `scores_1`"),
    # predictions
    (lambda: quality(TWO), "`predicted` must be on the topics of `reference`, 6, got 2."),
    (lambda: quality([1, 2, np.nan, 3, 4, 5]), "`predicted` must be finite, got nan at 2."),
    (lambda: quality(range(6), ["rho"]), "`coefficients` must be 'tau' or"),
    (lambda: quality(range(6), []), "`coefficients` must name at least one coefficient, got none."),
    (lambda: stats.prediction_quality({}, TWO), "`reference` must have at least one measure, got none."),
    (lambda: stats.prediction_quality(LATER, {"3": 1.0}), "`predicted` must have all topics of `reference`, got no"),
    (lambda: stats.prediction_powered(LATER, NAMED.select(topics=["2", "3"])), "`judge` must have all topics of `hum"),
    (lambda: powered(SCORES[:5]), "`judge` must be on the topics of `human`, 6, got 5"),
    (lambda: powered(SCORES[:, :2]), "`judge` must have the systems of `human`, 3, got 2"),
    # tests of two systems
    *((lambda test=test: test([0.1], [0.2]), "`x` must have at least 2 topics, got 1") for test in OF_PAIRS),
    *((lambda test=test: test(PAIR, TWO), "`x` must be of shape (n_topics,)") for test in OF_PAIRS),
    *((lambda test=test: test([0.1, np.nan], TWO), "`x` must be finite, got nan at 1") for test in OF_PAIRS),
    *((lambda test=test: test(TWO, TWO, n_resamples=0), "`n_resamples` must be an int") for test in OF_PAIRS),
    *((lambda test=test: test(TWO, TWO, n_resamples=MANY), "`n_resamples` must be an int") for test in OF_PAIRS),
    (lambda: stats.paired_bootstrap_test(TWO, THREE), "`x` and `y` must have as many topics as each other"),
    (lambda: stats.paired_bootstrap_test(TWO, TWO).confidence_interval(95), "`level` must be between 0 and"),
    (lambda: unpaired(method="joined"), "`method` must be 'separate' or 'pub"),
    # tests of all pairs
    *((lambda test=test: power(test=test), TESTS) for test in ("sign", words, None, "T")),
    (lambda: stats.significant_agreement(SCORES, THREE, test=words), TESTS),
    (lambda: power(n_resamples=10), "`n_resamples` must be at least 1 / alpha = 20, got 10"),
    (lambda: rc.discriminative_power({}), "`scores` must have at least one measure"),
    (lambda: stats.significant_agreement(SCORES, TWO), "`reference` and `ranking` must have as many systems"),
    (lambda: stats.significant_agreement(NAMED, {"A": 1, "B": 2, "D": 3}), "`ranking` must rank the same systems"),
    (lambda: stats.significant_agreement(SCORES, Rankings(SCORES)), "`ranking` must be a single ran"),
    (lambda: detect(0.0), "`difference` must be above 0 and finite, got 0.0"),
    (lambda: detect(np.inf), "`difference` must be above 0 and finite"),
    (lambda: detect(0.1, power=0.05), "`power` must be above `alpha`, 0.05, got 0.05"),
    (lambda: detect(0.1, power=1.0), "`power` must be between 0 and 1"),
    (lambda: tukey(baselines=[7, "x"]), "`baselines` must be names or positions of systems, got '7', 'x'"),
    (lambda: tukey(baselines=[]), "got none"),
    (lambda: tukey(n_resamples=50).critical_value(0.01), "must be at least 1 / alpha = 100, got"),
    (lambda: stats.randomized_tukey_hsd(SCORES[:, :1]), "at least 2 systems"),
    # other topics
    *((lambda f=f: f(PAIR, of="topics"), "`of` must be 'new topics' or 'resamples' or 'halves'") for f in OF_TOPICS),
    *((lambda f=f: f(SCORES, topic_set_size=5), "`topic_set_size` must be left out unless `of` is") for f in OF_TOPICS),
    (lambda: stats.swap_rates(SCORES, of="halves", topic_set_size=4), "`topic_set_size` must be an integer of at most"),
    (lambda: stability(of="halves", topic_set_size=7), "`topic_set_size` must be an integer of at most 6, got 7"),
    (lambda: swaps(max_rate=5), "`max_rate` must be between 0 and 1"),
    (lambda: swaps(bins="sakai"), "`bins` must be a number of bins, "),
    (lambda: swaps(bins=1), "`bins` must be an integer of at least 2, got 1"),
    *((lambda edges=edges: swaps(bins=edges), EDGES) for edges in ([], TWO, [0, 0.2, 0.1], [0, 0], [[0, 1]])),
    (lambda: stability(fuzziness=[-0.1]), "`fuzziness` must be numbers of at least 0"),
    (lambda: stability(of="resamples").pairs(-1), "`fuzziness` must be numbers of at least 0"),
    (lambda: curve(topic_set_sizes=[3, 3]), "`topic_set_sizes` must be at least 2 numbers, got 1"),
    (lambda: curve(topic_set_sizes=[3, 21]), "`topic_set_sizes` must be an integer of at most 18, got 21"),
    (lambda: curve(topic_set_sizes=[3, 5]).rates_with(0), "`n_topics` must be at least 1, got 0"),
    (lambda: stats.swap_curve(SCORES[:3]), "at least 4 topics"),
]
TYPES = [
    (lambda: rc.kendall_tau(TWO, TWO, fuzziness="5%"), "`fuzziness` must be a number, got '5%'."),
    (lambda: rc.tau_ap(TWO, TWO, symmetric="no"), "`symmetric` must be True or False, got 'no'."),
    (lambda: stats.kendall_interval("high", 10), "`tau` must be a number, got 'high'."),
    (lambda: stats.kendall_test(0.9, 2.5), "`n_systems` must be an integer, got 2.5."),
    (lambda: rankings(tau_ap="high"), "`tau_ap` must be a number, got 'high'."),
    (lambda: d_rank(np.ndarray), "`ranking` must be an array of numbers, got an object of type"),
    (lambda: standard_error("mean", np.eye(2)), "`statistic` must be a function of score matrices, got 'mean'"),
    (lambda: quality(range(6), None), "`coefficients` must be a list of names"),
    (lambda: quality([[1, 2], [3]]), "`predicted` must be an array of numbers"),
    *((lambda test=test: test(TWO, ["a", "b"]), "`y` must be an array of numbers") for test in OF_PAIRS),
    (lambda: tukey(baselines=1.5), "`baselines` must be a list of names or"),
    (lambda: swaps(bins=0.01), "`bins` must be an integer, got 0.01"),
    (lambda: curve(topic_set_sizes=np.array(5)), "`topic_set_sizes` must be a list of numbers of topics, got array"),
]
ROWS = [(call, ValueError, said) for call, said in VALUES] + [(call, TypeError, said) for call, said in TYPES]


@pytest.mark.parametrize(("call", "error", "message"), ROWS)
def test_what_is_refused(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
