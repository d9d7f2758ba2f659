"""Discriminative power, agreement on significant pairs, Tukey's HSD, and how many topics a paired t test needs."""

import itertools
import math
import statistics
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, rankdata, ttest_1samp, ttest_rel, wilcoxon
from scipy.stats import t as t_distribution
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from pt_rankcorr import defaults, discriminative_power
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats import randomized_tukey_hsd, significant_agreement, topics_to_detect
from pt_rankcorr.stats.core.means import pair_blocks
from pt_rankcorr.stats.core.ordering import in_one_order
from pt_rankcorr.stats.significance import bootstrap as studentised
from pt_rankcorr.stats.significance.pairwise import benjamini_hochberg, holm, pooled_deviation
from pt_rankcorr.stats.significance.power import power_of_t_test
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.stats import oracles_sensitivity as oracle
from tests.stats.oracles import score_matrices

B = 40
BOOTSTRAP = {"alpha": 0.1, "n_resamples": B}
TESTS = ["max-t", "paired-bootstrap", "unpaired-bootstrap", "tukey-hsd", "t", "wilcoxon"]


def of_pairs(matrix):
    return matrix[np.triu_indices(len(matrix), k=1)]


@given(score_matrices(), st.integers(0, 99))
@example(np.array([[0.1, 0.3, 0.5], [0.2, 0.2, 0.2], [0.3, 0.1, 0.5]]), 0)
def test_paired_bootstrap_is_the_paper_s_algorithm(scores, seed):
    result = discriminative_power(scores, test="paired-bootstrap", rng=seed, **BOOTSTRAP)
    samples = oracle.drawn_topics(len(scores), B, seed)
    pairs = [oracle.by_difference(x, y) for x, y in oracle.all_pairs(scores)]
    asl = [oracle.paired_asl(x, y, samples) for x, y in pairs]
    published = max(oracle.paired_difference(x, y, samples, 0.1) for x, y in pairs)
    np.testing.assert_allclose(of_pairs(result.asl), asl, atol=1e-12)
    assert result.published_difference == pytest.approx(published or np.nan, abs=1e-12, nan_ok=True)
    np.testing.assert_allclose(result.asl_curve, sorted((np.array(asl) * B + 1) / (B + 1)))
    assert result.n_significant == sum((value * B + 1) / (B + 1) < 0.1 for value in asl)


@given(score_matrices(), st.integers(0, 99))
def test_unpaired_bootstrap_is_the_paper_s_algorithm(scores, seed):
    scores = in_one_order(scores)
    result = discriminative_power(scores, test="unpaired-bootstrap", rng=seed, **BOOTSTRAP)
    samples = oracle.drawn_topics(2 * len(scores), B, seed)

    def place(x):  # of two systems the higher is x: the resamples of (x, y) are not those of (y, x)
        return -float(f"{statistics.fmean(x):.11e}"), x[::-1]

    ordered = [sorted(pair, key=place) for pair in oracle.all_pairs(scores)]
    asl = [oracle.unpaired_asl(x, y, samples) for x, y in ordered]
    required = max(oracle.unpaired_difference(x, y, samples, 0.1) for x, y in ordered)
    np.testing.assert_allclose(of_pairs(result.asl), asl, atol=1e-12)
    assert result.required_difference == pytest.approx(required or np.nan, abs=1e-12, nan_ok=True)


@given(score_matrices(min_topics=3))
def test_t_is_scipy_s(scores):
    result = discriminative_power(scores, test="t")
    for i, j in itertools.combinations(range(scores.shape[1]), 2):
        z = scores[:, i] - scores[:, j]
        if np.ptp(z) > 1e-12 and abs(z.mean()) > 1e-12:
            assert result.pvalues[i, j] == pytest.approx(ttest_rel(scores[:, i], scores[:, j]).pvalue, rel=1e-7)
        else:
            assert result.pvalues[i, j] == (1.0 if abs(z.mean()) < 1e-12 else 0.0)


def signed_rank_pvalue(z):
    """By the definition: of all signs of the differences that are not 0, as many have a sum of ranks as far off."""
    z = z[z != 0]
    if not z.size:
        return 1.0
    ranks = rankdata(np.abs(z))
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product((0, 1), repeat=z.size)]
    off = abs(ranks[z > 0].sum() - ranks.sum() / 2)
    return np.mean([abs(total - ranks.sum() / 2) >= off - 1e-9 for total in sums])


@given(score_matrices(min_topics=2))
@example(np.array([[0.1, 0.0]] * 5))
def test_wilcoxon_counts_all_signs_with_ties_and_without(scores):
    result = discriminative_power(scores[:9], test="wilcoxon")
    for i, j in itertools.combinations(range(scores.shape[1]), 2):
        z = np.round(scores[:9, i] - scores[:9, j], 12)
        assert result.pvalues[i, j] == pytest.approx(signed_rank_pvalue(z), rel=1e-9)


@pytest.mark.parametrize(("n_topics", "method"), [(50, "exact"), (51, "asymptotic")])
@pytest.mark.parametrize("digits", [1, 9])
def test_wilcoxon_is_scipy_s(n_topics, method, digits):
    """Of ties, scipy has the normal distribution alone, which is near for so many topics."""
    scores = np.random.default_rng(0).random((n_topics, 4)).round(digits)
    result = discriminative_power(scores, test="wilcoxon")
    for i, j in itertools.combinations(range(4), 2):
        z = np.round(scores[:, i] - scores[:, j], 12)
        near = digits == 1 and n_topics == 50
        expected = wilcoxon(z, method="asymptotic" if near else method).pvalue
        assert result.pvalues[i, j] == pytest.approx(expected, **({"abs": 0.01} if near else {"rel": 1e-9}))


# --- the largest studentised difference ------------------------------------------------------------------------


def max_t_by_loops(scores, flips):
    """Of each pair, in how many flips some pair that is no further apart has as large a t."""
    pairs = list(itertools.combinations(range(scores.shape[1]), 2))

    def sizes(signs):
        z = [signs * (scores[:, i] - scores[:, j]) for i, j in pairs]
        return np.array([abs(d.sum()) / np.sqrt((d**2).sum()) if d.any() else 0.0 for d in z])

    observed = sizes(np.ones(len(scores)))
    flipped = [sizes(np.array(signs)) for signs in flips]
    counts = [sum(f[observed <= o + 1e-12].max() >= o - 1e-12 for f in flipped) for o in observed]
    return [max(c for c, other in zip(counts, observed, strict=True) if other >= o - 1e-12) for o in observed]


@given(score_matrices(min_topics=6))
@example(np.array([[0.1, 0.3, 0.3], [0.2, 0.4, 0.4]] * 3))
def test_max_t_counts_all_flips_of_few_topics(scores):
    scores = scores[:8]
    flips = list(itertools.product((1, -1), repeat=len(scores)))
    result = discriminative_power(scores)
    assert result.n_resamples is None
    np.testing.assert_allclose(of_pairs(result.pvalues), np.array(max_t_by_loops(scores, flips)) / len(flips))
    np.testing.assert_array_equal(result.asl, result.pvalues)


def test_max_t_draws_flips_of_many_topics():
    scores = np.random.default_rng(1).random((12, 5)) + np.linspace(0, 0.3, 5)
    flips = list(itertools.product((1, -1), repeat=12))
    exact = np.array(max_t_by_loops(scores, flips)) / len(flips)
    result = discriminative_power(scores, n_resamples=2000, rng=1)
    assert result.n_resamples == 2000
    np.testing.assert_allclose(of_pairs(result.pvalues), exact, atol=0.035)


def test_max_t_of_more_topics_than_floats_count_flips():
    scores = np.random.default_rng(1).random((1100, 2)) + np.array([0.0, 0.2])
    result = discriminative_power(scores, n_resamples=99, rng=1)
    assert of_pairs(result.pvalues).tolist() == [0.01]


def test_a_difference_beyond_the_required_one_is_significant():
    scores = np.random.default_rng(1).random((30, 6))
    result = discriminative_power(scores, rng=1)
    first, second = (int(name[1:]) - 1 for name in result.required_pair)
    for gap, significant in ((1.001, True), (0.5, False)):
        moved = scores.copy()
        moved[:, first] += gap * result.required_difference - (scores[:, first] - scores[:, second]).mean()
        pair = moved[:, [first, second]]
        t = abs(ttest_rel(*pair.T).statistic)
        bound = result.required_difference / ((scores[:, first] - scores[:, second]).std(ddof=1) / np.sqrt(30))
        assert (t > bound) is np.bool_(significant)


def test_no_pair_can_be_significant_on_five_topics():
    scores = np.random.default_rng(1).random((5, 4)) + np.arange(4)
    with pytest.warns(UnreliableResultWarning, match="5 topics have 32 flips of signs: the least p-value is .062"):
        result = discriminative_power(scores)
    assert result.pvalues.min() == 1 / 16
    assert np.isinf([result.required_difference, result.detectable_difference]).all()
    assert topics_to_detect(scores, 0.1).topics_needed < math.inf


@pytest.mark.parametrize("seed", [0, 1])
def test_max_t_and_tukey_where_one_system_is_unlike_nineteen_variants(seed):
    """A variant that is better by .02 is found; Tukey's test misses it, and says that spreads differ."""
    rng = np.random.default_rng(seed)
    one, other = rng.normal(0.3, 0.2, (2, 40))
    scores = np.c_[one, other[:, np.newaxis] + rng.normal(0, 0.015, (40, 19))]
    scores[:, 5] += 0.02
    assert discriminative_power(scores, rng=1).significant[5, 1:].sum() >= 15
    with pytest.warns(UnreliableResultWarning, match="Scores of s1 vary 4.* times as much as is typical"):
        assert discriminative_power(scores, test="tukey-hsd", rng=1).significant[5, 1:].sum() <= 5


def test_flips_keep_the_level_where_spreads_differ():
    """Any false alarm, in a family of systems of one true mean."""
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        scores = rng.normal(0.0, 1.0, (15, 8)) * np.repeat([6.0, 1.0], 4)
        found.append(discriminative_power(scores, n_resamples=199, rng=1).n_significant > 0)
    assert np.mean(found) <= 0.10


# --- pairs that one topic more could reverse -------------------------------------------------------------------


def with_one_topic_more(scores):
    """Of each pair, its differences and one more that goes against their mean, by half of the typical largest one."""
    differences = [scores[:, i] - scores[:, j] for i, j in itertools.combinations(range(scores.shape[1]), 2)]
    half = np.median([np.abs(z).max() for z in differences]) / 2
    return [np.append(z, -np.sign(z.sum()) * half) for z in differences]


@given(score_matrices(min_topics=6))
@example(np.tile([[0.1, 0.4, 0.4]], (8, 1)) + np.array([0.0, 0.0, 0.1]) * np.arange(8)[:, np.newaxis])
def test_a_fragile_pair_is_not_significant_with_one_topic_more(scores):
    for correction, level in ((None, 0.1), ("holm", 0.1 / len(with_one_topic_more(scores)))):
        result = discriminative_power(scores, test="t", correction=correction, alpha=0.1)
        critical = t_distribution.isf(level / 2, len(scores))
        for z, significant, fragile in zip(
            with_one_topic_more(scores), of_pairs(result.significant), of_pairs(result.fragile), strict=True
        ):
            t = abs(z.mean()) / max(z.std(ddof=1) / np.sqrt(z.size), 1e-12)
            stays = t > critical and np.sign(z.sum()) == np.sign(z[:-1].sum())
            assert abs(t - critical) < 1e-6 or fragile == (significant and not stays)
        assert result.n_fragile == of_pairs(result.fragile).sum() <= result.n_significant


def test_what_a_rare_topic_would_reverse_is_fragile():
    """Steady small differences beside others that are large on some topics; of a rare topic these say nothing."""
    rng = np.random.default_rng(3)
    scores = rng.normal(0.3, 0.1, (40, 8))
    scores[:, 0] = scores[:, 1] + 0.01 + rng.normal(0, 0.005, 40)
    scores[:, 7] += 0.2
    result = discriminative_power(scores, rng=1)
    assert result.significant[0, 1]
    assert result.fragile[0, 1]
    assert result.significant[7, :7].all()
    assert not result.fragile[7, :7].any()
    assert f"({result.n_fragile} fragile)" in " ".join(str(result).split())
    assert result.to_frame()["fragile"].sum() == result.n_fragile
    assert discriminative_power(scores, test="paired-bootstrap", rng=1).n_fragile == 0


# --- corrections -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("correct", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_are_those_of_statsmodels(correct, method):
    pvalues = np.random.default_rng(0).random(40) ** 3
    np.testing.assert_allclose(correct(pvalues), multipletests(pvalues, method=method)[1])
    with_gaps = correct(np.r_[pvalues, np.nan])
    np.testing.assert_array_equal(with_gaps, np.r_[correct(pvalues), np.nan])


def test_a_correction_of_a_plain_test():
    scores = np.random.default_rng(0).random((30, 6)) + np.linspace(0, 0.4, 6)
    plain, of_all, fdr = (discriminative_power(scores, test="t", correction=c) for c in (None, "holm", "fdr"))
    np.testing.assert_allclose(of_pairs(of_all.pvalues), holm(of_pairs(plain.pvalues)))
    np.testing.assert_allclose(of_pairs(fdr.pvalues), benjamini_hochberg(of_pairs(plain.pvalues)))
    assert plain.n_significant >= fdr.n_significant >= of_all.n_significant
    assert (plain.corrected, of_all.corrected, fdr.corrected) == (False, True, False)
    assert plain.required_difference < fdr.required_difference < of_all.required_difference
    assert plain.detectable_difference < fdr.detectable_difference < of_all.detectable_difference
    last = discriminative_power(scores, test="t", alpha=0.05 * fdr.n_significant / 15)
    assert fdr.required_difference == last.required_difference
    wilcoxon_s = discriminative_power(scores, test="wilcoxon", correction="fdr")
    assert np.isnan(wilcoxon_s.required_difference)
    assert significant_agreement(scores, np.arange(6), test="t", correction="fdr").n_significant == fdr.n_significant


def test_required_difference_of_t_is_significant_for_every_pair():
    scores = np.random.default_rng(0).random((20, 2))
    needed = discriminative_power(scores, test="t").required_difference
    z = scores[:, 0] - scores[:, 1]
    assert ttest_rel(z - z.mean() + needed, 0 * z).pvalue == pytest.approx(0.05)


@pytest.mark.parametrize("n_topics", [2, 8])
def test_required_difference_of_the_paired_bootstrap_has_the_critical_t(n_topics):
    """With few topics, resamples that do not vary may reach the level: then no difference does."""
    scores = np.random.default_rng(0).random((n_topics, 3))
    result = discriminative_power(scores, test="paired-bootstrap", rng=1, **BOOTSTRAP)
    needed = []
    for x, y in oracle.all_pairs(scores):
        w = oracle.centred(*oracle.by_difference(x, y))
        samples = oracle.drawn_topics(n_topics, B, 1)
        sizes = sorted(abs(oracle.students_t([w[topic] for topic in sample])) for sample in samples)
        needed.append(sizes[-int(B * 0.1)] * np.std(w, ddof=1) / np.sqrt(n_topics))
    assert result.required_difference == pytest.approx(max(needed), rel=1e-9)
    assert (
        np.isinf(result.required_difference)
        == ("It is inf, as too few" in " ".join(str(result).split()))
        == (n_topics == 2)
    )


def test_a_p_value_at_the_level_is_significant():
    scores = np.random.default_rng(0).random((12, 2))
    p = discriminative_power(scores, test="t").pvalues[0, 1]
    result = discriminative_power(scores, test="t", alpha=p)
    assert (result.statistic, result.n_significant, result.significant[0, 1]) == (1.0, 1, True)


def test_tukey_hsd_is_the_test_of_that_name():
    scores = np.random.default_rng(0).random((10, 5))
    result, alone = discriminative_power(scores, test="tukey-hsd", rng=3), randomized_tukey_hsd(scores, rng=3)
    np.testing.assert_array_equal(result.pvalues, alone.pvalues)
    assert result.required_difference == alone.critical_value(0.05)


def test_a_family_is_corrected_by_default():
    """Of many equal systems no pair is significant, but for one family in twenty."""
    rng = np.random.default_rng(0)
    found = [discriminative_power(rng.random((20, 12)), n_resamples=100, rng=1).n_significant for _ in range(100)]
    assert 0 < np.count_nonzero(found) <= 10
    assert defaults.PAIR_TEST == "max-t"


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("column", [np.full((6, 1), 0.3), np.ones((6, 1)), np.random.default_rng(0).random((10, 1))])
def test_equal_systems_do_not_differ(test, column):
    result = discriminative_power(np.tile(column, 4), test=test, rng=1)
    assert (result.pvalues == 1).all()
    assert result.statistic == 0.0
    if test != "unpaired-bootstrap" or np.ptp(column) == 0:  # which asks of two samples of topics
        assert np.isnan(result.required_difference)
        assert (result.required_pair, result.published_pair) == (None, None)
    assert np.isnan(randomized_tukey_hsd(np.tile(column, 4), rng=1).critical_value())


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_and_constant_differences(test):
    scores = np.random.default_rng(0).random((40, 4)) / 4
    scores[:, 1] = scores[:, 0]
    scores[:, 2] = scores[:, 0] + 0.5
    unlike = pytest.warns(UnreliableResultWarning, match="s4 vary 1.7 times") if test == "tukey-hsd" else nullcontext()
    with unlike:
        result = discriminative_power(scores, test=test, rng=1)
    assert result.pvalues[0, 1] == 1.0
    assert result.pvalues[0, 2] < 0.01
    if test != "wilcoxon":  # knows ranks alone
        assert result.pvalues[0, 2] == result.pvalues.min()
    assert np.array_equal(result.pvalues, result.pvalues.T)
    assert np.isfinite(result.pvalues).all()


@pytest.mark.parametrize("test", ["paired-bootstrap", "unpaired-bootstrap"])
def test_neither_blocks_of_pairs_nor_workers_change_a_bit(test, monkeypatch):
    """Each worker takes some blocks, and draws the same resamples for them."""
    scores = np.round(np.random.default_rng(0).random((12, 9)), 1)
    how = {"test": test, "n_resamples": 300, "rng": 1}
    whole = discriminative_power(scores, **how)
    blocks = lambda n_systems, cells, **_: pair_blocks(n_systems, cells, at_once=3000)  # noqa: E731
    monkeypatch.setattr("pt_rankcorr.stats.significance.pairwise.pair_blocks", blocks)
    monkeypatch.setattr(studentised, "CACHED_CELLS", 1000)
    in_blocks = [discriminative_power(scores, n_jobs=n_jobs, **how) for n_jobs in (1, 2)]
    for found in in_blocks:
        np.testing.assert_array_equal(whole.pvalues, found.pvalues)
        assert whole.required_difference == pytest.approx(found.required_difference, rel=1e-12)
        assert whole.published_difference == pytest.approx(found.published_difference, rel=1e-12, nan_ok=True)
    assert in_blocks[0].required_difference == in_blocks[1].required_difference


def test_measures_share_their_resamples():
    ap, p10 = np.random.default_rng(0).random((2, 10, 4))
    scores = Scores([ScoreMatrix(ap, measure="AP"), ScoreMatrix(p10, measure="P@10")])
    both = discriminative_power(scores, rng=np.random.default_rng(3))
    assert list(both) == ["AP", "P@10"]
    for measure, matrix in (("AP", ap), ("P@10", p10)):
        alone = discriminative_power(matrix, rng=np.random.default_rng(3))
        np.testing.assert_array_equal(both[measure].pvalues, alone.pvalues)


# --- real collections ---------------------------------------------------------------------------------


def test_trec_5_has_63_6_percent_significant_pairs(trec):
    """Gao and Oard (SIGIR 2015, figure 1) give 63% significant and 37% not."""
    result = discriminative_power(trec("adhoc5_ap"), test="t")
    assert round(result.statistic, 3) == 0.636


@given(st.integers(0, 999), st.integers(4, 20), st.integers(2, 5), st.booleans())
def test_the_resample_that_sets_the_published_difference(seed, n_topics, n_systems, coarse):
    rng = np.random.default_rng(seed)
    values = rng.random((n_topics, n_systems)) + rng.random(n_systems)
    scores = ScoreMatrix(values.round(1) if coarse else values)
    result = discriminative_power(scores, test="paired-bootstrap", n_resamples=60, rng=seed)
    if result.published_pair is None:
        assert np.isnan(result.published_difference)
        return
    topics = result.published_topics
    assert topics.sum() == n_topics
    first, second = (scores.values[:, scores.systems.index(name)] for name in result.published_pair)
    z = first - second
    assert abs(topics @ (z - z.mean()) / n_topics) == pytest.approx(result.published_difference)


@pytest.mark.parametrize("test", ["t", "paired-bootstrap", "unpaired-bootstrap"])
def test_the_pair_that_sets_the_required_difference(test):
    scores = ScoreMatrix(np.random.default_rng(3).random((15, 5)), systems=list("abcde"))
    result = discriminative_power(scores, test=test, rng=1)
    if test == "t":
        pairs = itertools.combinations("abcde", 2)
        needed = {pair: discriminative_power(scores.select(systems=pair), test=test) for pair in pairs}
        assert max(needed, key=lambda pair: needed[pair].required_difference) == result.required_pair
        assert needed[result.required_pair].required_difference == pytest.approx(result.required_difference)
    assert set(result.required_pair) <= set("abcde")
    assert (result.published_topics is None) == (test != "paired-bootstrap")


@pytest.mark.parametrize("test", ["tukey-hsd", "wilcoxon"])
def test_no_pair_sets_a_difference_of_all_or_of_ranks(test):
    result = discriminative_power(np.random.default_rng(3).random((15, 4)), test=test, rng=1)
    assert (result.required_pair, result.published_pair, result.published_topics) == (None, None, None)


def test_resamples_of_clusters_hold_no_single_topics():
    scores = ScoreMatrix(np.random.default_rng(3).random((40, 3))).with_design(clusters=np.repeat(range(20), 2))
    assert discriminative_power(scores, test="paired-bootstrap", rng=1).published_topics is None


def test_wilcoxon_ties_equal_differences_of_scores_of_any_size():
    thirds = np.array([[3, 2], [2, 1], [1, 0], [3, 1], [0, 3], [0, 3]])
    as_precision, as_counts = (discriminative_power(x, test="wilcoxon").pvalues for x in (thirds / 3, thirds))
    np.testing.assert_array_equal(as_precision, as_counts)


# four topics; A is significantly worse than B and C, which are alike: the situation of Carterette's example
BASELINE = np.array([[0.10, 0.50, 0.45], [0.20, 0.50, 0.60], [0.05, 0.40, 0.42], [0.15, 0.45, 0.50]])


@pytest.mark.parametrize(
    ("ranking", "expected"), [("ABC", 0), ("ACB", 0), ("BAC", 0.5), ("CAB", 0.5), ("BCA", 1), ("CBA", 1)]
)
def test_the_row_of_discriminative_power_in_carterette_s_table(ranking, expected):
    scores = ScoreMatrix(BASELINE, systems=["A", "B", "C"])
    result = significant_agreement(scores, {system: -place for place, system in enumerate(ranking)}, test="t")
    assert (result.n_significant, result.n_pairs) == (2, 3)
    assert result.statistic == expected


@given(st.integers(0, 9999))
def test_is_the_plain_count(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((10, 6)) + rng.random(6)
    ranking = np.round(rng.random(6), 1)
    agreed, significant = 0.0, 0
    for i, j in itertools.combinations(range(6), 2):
        if ttest_rel(scores[:, i], scores[:, j]).pvalue < 0.05:
            significant += 1
            product = (scores[:, i].mean() - scores[:, j].mean()) * (ranking[i] - ranking[j])
            agreed += 1.0 if product > 0 else 0.5 if product == 0 else 0.0
    if significant:
        result = significant_agreement(scores, ranking, test="t")
        assert (result.n_agreed, result.n_significant) == (agreed, significant)
        assert result.statistic == pytest.approx(agreed / significant)


def test_pairs_are_those_of_discriminative_power():
    """By default of a corrected test, and the result says so."""
    scores = np.random.default_rng(0).random((20, 8)) + np.linspace(0, 0.5, 8)
    for how in ({}, {"test": "t"}):
        agreement = significant_agreement(scores, np.arange(8), rng=1, **how).to_dict()
        power = discriminative_power(scores, rng=1, **how).to_dict()
        shared = ("n_significant", "test", "corrected", "alpha", "n_resamples")
        assert {key: agreement[key] for key in shared} == {key: power[key] for key in shared}
        assert agreement["corrected"] is not bool(how)


def test_no_significant_pair_is_nan_with_a_warning():
    with pytest.warns(DegenerateInputWarning):
        assert np.isnan(significant_agreement([[0.1, 0.2], [0.2, 0.1]], [1, 2], test="t").statistic)


def test_without_resamples_the_levels_of_the_paper_are_the_p_values():
    result = discriminative_power(np.random.default_rng(0).random((10, 4)), test="t")
    assert result.n_resamples is None
    np.testing.assert_array_equal(result.asl, result.pvalues)


# --- randomised Tukey HSD: against loops, its family of pairs, and its family-wise error rate -----------------


@given(score_matrices(min_topics=1), st.integers(0, 99))
def test_pvalues_count_the_null_distribution(scores, seed):
    result = randomized_tukey_hsd(scores, n_resamples=50, rng=seed)
    means = scores.mean(axis=0)
    for i, j in np.ndindex(result.pvalues.shape):
        extreme = (result.null_distribution >= abs(means[i] - means[j]) - 1e-13).sum()
        assert result.pvalues[i, j] == (1.0 if i == j else (extreme + 1) / 51)
    assert result.pvalue == result.pvalues.min()
    assert result.statistic == pytest.approx(np.ptp(means))


def test_null_distribution_is_that_of_the_loop():
    scores = np.random.default_rng(0).random((6, 4))
    ours = randomized_tukey_hsd(scores, n_resamples=3000, rng=1).null_distribution
    plain = oracle.tukey_null(scores, 3000, np.random.default_rng(2))
    assert ks_2samp(ours, plain).pvalue > 0.01


def test_baselines_are_tested_against_the_largest_difference_from_one_of_them():
    """All permutations of a small matrix, one by one: the null of one baseline is max |mean_0 - mean_j|."""
    scores = np.array([[0.0, 0.1, 0.4], [0.2, 0.3, 0.9]])
    result = randomized_tukey_hsd(scores, baselines=0, n_resamples=20_000, rng=1)
    rng, null = np.random.default_rng(5), []
    for _ in range(20_000):
        means = np.array([rng.permutation(row) for row in scores]).mean(axis=0)
        null.append(max(abs(means[0] - means[1]), abs(means[0] - means[2])))
    assert ks_2samp(result.null_distribution, null).pvalue > 0.01
    assert np.isnan(result.pvalues[1, 2])
    assert not np.isnan(result.pvalues[0]).any()


def test_an_integer_is_a_name_first():
    scores = pd.DataFrame(np.random.default_rng(0).random((4, 4)), columns=[3, 0, 1, 7])
    found = [
        randomized_tukey_hsd(scores, baselines=baselines, rng=1).baselines for baselines in (3, [0, np.int64(7)], 2)
    ]
    assert found == [("3",), ("0", "7"), ("1",)]


@pytest.mark.parametrize("baselines", [1, np.int64(1), [np.int64(1)], np.array([1]), "s2"])
def test_a_baseline_may_come_from_numpy(baselines):
    scores = np.random.default_rng(0).random((4, 3))
    assert randomized_tukey_hsd(scores, baselines=baselines, rng=1).baselines == ("s2",)


# --- how many topics a paired t test needs --------------------------------------------------------------------

UNIT = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # two systems whose difference has a standard deviation of 1


def test_published_numbers():
    """By G*Power, for paired t tests at .05: 10 pairs for an effect of 1, 34 for .5; and 25 pairs detect 1/3 with .360.

    The first is the example of UCLA's page on that power analysis, the second Cohen's medium effect, the third that of
    K. Wuensch's lesson.
    """
    assert topics_to_detect(UNIT, 1.0).topics_needed == 10
    assert topics_to_detect(UNIT, 0.5).topics_needed == 34
    assert power_of_t_test(1 / 3, 25, 0.05) == pytest.approx(0.360, abs=5e-4)


@pytest.mark.parametrize("n_topics", [3, 10, 50, 10_000])
@pytest.mark.parametrize("standard_errors", [0.1, 1.0, 2.8])
def test_power_is_that_of_statsmodels(n_topics, standard_errors):
    effect = standard_errors / math.sqrt(n_topics)
    expected = TTestPower().power(effect, n_topics, 0.05)
    assert power_of_t_test(effect, n_topics, 0.05) == pytest.approx(expected, abs=1e-6)


def test_power_of_few_topics_by_simulation():
    """Where the noncentral t distribution of scipy fails."""
    samples = np.random.default_rng(1).normal(20.0, 1.0, (20_000, 3))
    share = (ttest_1samp(samples, 0.0, axis=1).pvalue < 0.001).mean()
    assert power_of_t_test(20.0, 3, 0.001) == pytest.approx(share, abs=0.015)


def test_the_variance_is_the_mean_of_those_of_all_pairs():
    scores = np.random.default_rng(0).random((12, 5))
    pairs = itertools.combinations(range(5), 2)
    variances = [(scores[:, i] - scores[:, j]).var(ddof=1) for i, j in pairs]
    assert pooled_deviation(scores) == pytest.approx(np.sqrt(np.mean(variances)))


@pytest.mark.parametrize("settings", [{}, {"power": 0.95, "alpha": 0.001}, {"power": 0.2, "alpha": 0.1}])
@pytest.mark.parametrize("difference", [1e-6, 0.02, 0.3, 100.0])
def test_it_is_the_first_number_of_topics_with_that_power(difference, settings):
    scores = np.random.default_rng(0).random((12, 5))
    result = topics_to_detect(scores, difference, test="t", **settings)
    effect, n = difference / result.standard_deviation, int(result.topics_needed)
    assert power_of_t_test(effect, n, result.alpha) >= result.power
    assert n == 2 or power_of_t_test(effect, n - 1, result.alpha) < result.power
    detected = result.detectable_difference / result.standard_deviation
    assert power_of_t_test(detected, 12, result.alpha) == pytest.approx(result.power)


def test_systems_that_differ_by_a_constant_need_two_topics():
    result = topics_to_detect(np.array([[0.1, 0.3], [0.2, 0.4], [0.7, 0.9]]), 0.01, test="t")
    assert (result.topics_needed, result.detectable_difference, result.standard_deviation) == (2, 0.0, 0.0)


def test_a_difference_out_of_reach_needs_endless_topics():
    assert topics_to_detect(UNIT, 1e-12).topics_needed == math.inf


def test_discriminative_power_says_what_its_topics_detect():
    scores = np.random.default_rng(0).random((12, 5))
    results = discriminative_power({"AP": scores}, test="t")
    assert results["AP"].detectable_difference == topics_to_detect(scores, 0.1, test="t").detectable_difference
    assert discriminative_power(scores, test="t", alpha=0.9).detectable_difference == 0.0
