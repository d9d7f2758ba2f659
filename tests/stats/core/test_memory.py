"""Statistics of many topics or systems in bounded memory: what would not fit is drawn in blocks, or refused at once."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.stats.core.means import pair_blocks
from pt_rankcorr.stats.core.resampling import TopicSamples, blockwise, topic_weights

pytestmark = pytest.mark.whole

MIB = 2**20
unpaired = partial(rc.discriminative_power, test="unpaired-bootstrap")
TOPICS, RESAMPLES = 40_000, 700  # 214 MiB, if all samples were held at once


def many_topics(n_topics=TOPICS, n_systems=3):
    return np.random.default_rng(0).random((n_topics, n_systems))


def peak_of(call):
    """In bytes, of what numpy allocates."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(message, call, *arguments, **options):
    with pytest.raises(ValueError, match=message):
        call(*arguments, **options)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("stability", lambda x, how: rc.stats.stability(x, **how)),
        ("swap_rates", lambda x, how: rc.stats.swap_rates(x, **{**how, "n_resamples": RESAMPLES // 2})),
        ("paired test", lambda x, how: rc.stats.paired_bootstrap_test(x[:, 0], x[:, 1], **how)),
        ("unpaired test", lambda x, how: rc.stats.unpaired_bootstrap_test(*x[: TOPICS // 2, :2].T, **how)),
        ("paired", lambda x, how: rc.discriminative_power(x, test="paired-bootstrap", **how)),
        ("unpaired", lambda x, how: unpaired(x[: TOPICS // 2], **how)),
        ("rank_intervals", lambda x, how: rc.rank_intervals(x, **how)),
        ("correlation_interval", lambda x, how: rc.correlation_interval(x, x**2, **how).replicates),
    ],
)
def test_samples_of_many_topics_are_held_a_block_at_a_time(name, call):
    """Five arrays of 32 MiB: indices, where they are counted, counts, these as floats, and what is made of them."""
    scores = many_topics()
    assert peak_of(lambda: call(scores, {"n_resamples": RESAMPLES, "rng": 1})) < 5 * 32 * MIB + 12 * scores.nbytes


def test_distributions_of_many_effects_are_tabulated_in_blocks():
    """A table of 1001 points by all topics would be 229 MiB, of which there were three."""
    assert peak_of(lambda: rc.stats.TopicSimulator(many_topics(30_000, 2))) < 4 * 32 * MIB


@pytest.mark.parametrize("test", ["paired-bootstrap", "unpaired-bootstrap"])
def test_pairs_of_many_systems_are_held_a_block_at_a_time(test):
    """44 850 pairs with 400 resamples each would be 137 MiB, of which the paired test makes several."""
    scores = np.random.default_rng(0).random((5, 300))
    how = {"test": test, "n_resamples": 400, "rng": 1}
    assert peak_of(lambda: rc.discriminative_power(scores, **how)) < 4 * 32 * MIB


@pytest.mark.filterwarnings("ignore:No difference has a swap rate:pt_rankcorr.warnings.DegenerateInputWarning")
@pytest.mark.parametrize(
    ("call", "arrays"), [(rc.stats.swap_rates, 8), (rc.stats.stability, 7), (rc.rank_intervals, 3.5)]
)
def test_many_resamples_are_held_as_often_as_the_documentation_says(call, arrays):
    scores, n_resamples = np.random.default_rng(0).random((10, 100)) + np.linspace(0, 1, 100), 4000
    assert peak_of(lambda: call(scores, n_resamples=n_resamples, rng=1)) < arrays * n_resamples * 100 * 8


def test_pairs_are_those_of_the_upper_triangle():
    for n_systems in (2, 3, 50):
        blocks = list(pair_blocks(n_systems, 7, at_once=70))
        for found, wanted in zip(zip(*blocks, strict=True), np.triu_indices(n_systems, k=1), strict=True):
            np.testing.assert_array_equal(np.concatenate(found), wanted)


@pytest.mark.parametrize("n_topics", [3, 40_000])
def test_samples_drawn_anew_are_those_of_the_blocks(n_topics):
    samples = TopicSamples.of(n_topics, 150, np.random.default_rng(1))
    drawn = blockwise(
        lambda rng, size: topic_weights(rng, size, n_topics), 150, cells=n_topics, rng=np.random.default_rng(1)
    )
    for _ in range(2):
        np.testing.assert_array_equal(np.concatenate(list(samples.weights())), drawn)


TOO_MANY = (
    "must have at most 8192 systems, as tables of all pairs of more do not fit into memory, got 100000: choose some"
)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: rc.stats.swap_weights(x[0]),
        lambda x: rc.stats.contributions(x[0], x[1]),
        rc.discriminative_power,
        rc.stats.stability,
        rc.stats.swap_rates,
        rc.stats.randomized_tukey_hsd,
        rc.expected_correlation,
        rc.DRankTest,
        rc.stats.allowed_ranks,
        lambda x: rc.stats.significant_agreement(x, x[0]),
    ],
)
def test_tables_of_all_pairs_of_too_many_systems_are_refused_at_once(call):
    scores = np.random.default_rng(0).random((2, 100_000))
    assert peak_of(lambda: refused(TOO_MANY, call, scores)) < 20 * scores.nbytes


@pytest.mark.parametrize("how", [{"tau": 0.0}, {"tau_ap": 0.9}, {"tau": 1.0, "at_least": True}])
def test_tables_of_counts_that_are_too_large_are_refused_at_once(how):
    n_systems = 10_000 if "at_least" in how else 2000
    message = "`n_systems` must be so few that tables of counts take 512 MiB at most, got"
    assert peak_of(lambda: refused(message, rc.stats.random_rankings, n_systems, 1, **how)) < MIB
