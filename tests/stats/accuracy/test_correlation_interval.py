"""Correlations of two measures on the topics at hand, their intervals, and what one true ranking would give."""

from __future__ import annotations

import functools
import itertools
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, ttest_rel
from scipy.stats import t as students_t

import pt_rankcorr as rc
from pt_rankcorr import correlation_interval, kendall_tau, tau_ap
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients, correlations
from pt_rankcorr.stats.accuracy.replicates import null_replicate
from pt_rankcorr.stats.truth.one_true_ranking import OneRanking, side_of
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.stats import oracles_agreement as oracle
from tests.stats.oracles import COEFFICIENTS, DEFINITIONS

B = 30


def two_measures(seed: int, n_topics: int = 12, n_systems: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    quality = rng.random(n_systems) * 0.4
    return quality + rng.random((n_topics, n_systems)) / 2, quality + rng.random((n_topics, n_systems)) / 2


# --- what is computed ---------------------------------------------------------------------------------------


@given(st.integers(0, 999), st.sampled_from(sorted(COEFFICIENTS)))
def test_is_the_definition(seed, name):
    a, b = two_measures(seed)
    result = correlation_interval(a, b, name, n_resamples=B, rng=seed, level=0.9)
    drawn = oracle.replicates(DEFINITIONS[name], a, b, B, seed)
    np.testing.assert_allclose(result.replicates, drawn[0], rtol=1e-9, atol=1e-10)
    assert result.statistic == pytest.approx(DEFINITIONS[name](a.mean(axis=0), b.mean(axis=0)))
    assert result.bootstrap_standard_error == pytest.approx(np.std(drawn[0], ddof=1), rel=1e-9)
    assert result.standard_error == pytest.approx(oracle.standard_error(drawn, 12), rel=1e-8)
    ends = students_t.interval(0.9, 11, result.statistic, result.standard_error)
    most = result.one_true_ranking.cap(result.statistic, 0.9)
    assert (result.low, result.high) == pytest.approx((max(ends[0], -1.0), min(ends[1], most)))
    assert (result.df, result.n_topics, result.n_systems, result.n_resamples) == (11, 12, 6, B)


def test_intervals_of_other_levels():
    a, b = two_measures(3)
    result = correlation_interval(a, b, rng=1)
    assert (result.low, result.high) == result.confidence_interval() == result.confidence_interval(LEVEL)
    ends = students_t.interval(0.2, 11, result.statistic, result.standard_error)
    assert result.confidence_interval(0.2) == pytest.approx(np.clip(ends, -1.0, 1.0))
    assert result.confidence_interval(0.99999).high == 1.0
    with pytest.raises(ValueError, match="`level`"):
        result.confidence_interval(1.0)


def test_any_function_is_a_coefficient():
    a, b = two_measures(0)
    tau_b = functools.partial(kendall_tau, variant="b")
    result = correlation_interval(a, b, tau_b, n_resamples=B, rng=1)
    assert result.statistic == pytest.approx(kendall_tau(a.mean(axis=0), b.mean(axis=0)))
    assert correlation_interval(a, b, kendall_tau, n_resamples=B, rng=1).coefficient == "kendall_tau"
    theirs = correlation_interval(a, b, lambda *sides: kendalltau(*sides).statistic, n_resamples=B, rng=1)
    np.testing.assert_allclose(theirs.replicates, result.replicates, rtol=1e-12)


def test_the_best_of_the_reference():
    a, b = two_measures(3, n_systems=10)
    result = correlation_interval(a, b, "tau_ap@4", n_resamples=B, rng=1)
    best = np.argsort(-a.mean(axis=0))[:4]
    assert result.coefficient == "tau_ap@4"
    assert result.statistic == pytest.approx(tau_ap(a.mean(axis=0)[best], b.mean(axis=0)[best]))

    def of_the_best(reference, estimate):
        best = sorted(range(10), key=lambda system: -reference[system])[:4]
        return DEFINITIONS["tau_ap"](*([scores[system] for system in best] for scores in (reference, estimate)))

    drawn = oracle.replicates(of_the_best, a, b, B, 1)
    np.testing.assert_allclose(result.replicates, drawn[0], atol=1e-10)


def test_systems_that_tie_at_the_border_are_taken_in_their_places():
    reference, estimate = np.array([3.0, 2.0, 2.0, 1.0]), np.array([1.0, 2.0, 0.0, 5.0])
    first, last = (
        Coefficients((COEFFICIENTS["tau"],), 2, np.array(places)).of(reference, estimate)[1]
        for places in (range(4), [3, 2, 1, 0])
    )
    assert (first, last) == (-1.0, 1.0)


def test_the_first_resamples_do_not_depend_on_how_many():
    a, b = two_measures(1)
    few, many = (correlation_interval(a, b, n_resamples=size, rng=1) for size in (40, 300))
    assert np.array_equal(few.replicates, many.replicates[:40])
    shared_out = correlation_interval(a, b, n_resamples=300, rng=1, n_jobs=2)
    assert np.array_equal(shared_out.replicates, many.replicates)
    assert np.array_equal(shared_out.one_true_ranking.replicates, many.one_true_ranking.replicates)


# --- which topics are resampled -----------------------------------------------------------------------------


def test_the_other_way_round_there_is_one_result():
    a, b = two_measures(5, n_topics=30, n_systems=15)
    for name in ("tau", "tau_b", "spearman", "pearson"):
        one, other = correlation_interval(a, b, name, rng=1), correlation_interval(b, a, name, rng=1)
        assert one.pvalue == other.pvalue
        both = [(each.statistic, each.low, each.high, each.standard_error) for each in (one, other)]
        assert both[0] == both[1] if name == "tau" else both[0] == pytest.approx(both[1], rel=1e-9)
        nulls = [one.one_true_ranking.swapped(), one.relabelled().one_true_ranking, other.one_true_ranking]
        for each in nulls:
            np.testing.assert_allclose(each.replicates, nulls[2].replicates, rtol=1e-12)
            assert each.reliability == nulls[2].reliability
        assert one.relabelled().reversed_pairs() == other.reversed_pairs()


# topics that are numbered as those without names are have the order of their numbers
@pytest.mark.parametrize(
    "topics", [[f"q{n}" for n in range(30)], [f"t{n}" for n in range(1, 31)]], ids=["named", "numbered"]
)
def test_topics_and_systems_are_sampled_by_name(topics):
    rng, (a, b) = np.random.default_rng(0), two_measures(5, n_topics=30)
    rows, columns, systems = rng.permutation(30), rng.permutation(6), [*"abcdef"]
    one = correlation_interval(rc.ScoreMatrix(a, topics, systems), rc.ScoreMatrix(b, topics, systems), rng=1)
    permuted = [rc.ScoreMatrix(scores[rows], [topics[row] for row in rows], systems) for scores in (a, b)]
    assert correlation_interval(*permuted, rng=1) == one
    shuffled = permuted[0].to_frame().iloc[:, columns]
    assert correlation_interval(shuffled, permuted[1].to_frame(), rng=1) == one


def test_clusters_are_resampled_and_strata_cost_degrees_of_freedom():
    (a, b), topics = two_measures(2, n_topics=12), [f"q{n:02}" for n in range(12)]
    clusters = {topic: f"c{at // 2}" for at, topic in enumerate(topics)}
    scores = [rc.ScoreMatrix(each, topics, [*"abcdef"]).with_design(clusters=clusters) for each in (a, b)]
    with pytest.warns(UserWarning, match="6 topics"):
        found = correlation_interval(*scores, n_resamples=B, rng=1)
    halves = [(each[::2] + each[1::2]) / 2 for each in (a, b)]
    with pytest.warns(UserWarning, match="6 topics"):
        alone = correlation_interval(*halves, n_resamples=B, rng=1)
    assert np.array_equal(found.replicates, alone.replicates)
    assert (found.n_topics, found.df, found.standard_error) == (6, 5, alone.standard_error)
    strata = {topic: "ab"[at < 6] for at, topic in enumerate(topics)}
    in_strata = [rc.ScoreMatrix(each, topics, [*"abcdef"]).with_design(strata=strata) for each in (a, b)]
    assert correlation_interval(*in_strata, n_resamples=B, rng=1).df == 10


# --- when to say what ---------------------------------------------------------------------------------------


def test_a_measure_and_itself():
    a, _ = two_measures(0)
    for name in ("tau", "pearson"):
        with pytest.warns(DegenerateInputWarning, match=f"No resample of topics changes {name}: there is no interval"):
            result = correlation_interval(a, a, name, n_resamples=200, rng=1)
        assert (result.statistic, result.bootstrap_standard_error) == (pytest.approx(1.0), pytest.approx(0.0))
        assert np.isnan([result.standard_error, *result.confidence_interval(), *result.confidence_interval(0.5)]).all()
        assert result.sentence() == f"The measures rank 6 systems on 12 topics with a {name} of 1.00."
        assert (result.one_true_ranking.mean, np.isnan(result.pvalue)) == (pytest.approx(1.0), True)


def rarely_otherwise(share: float) -> tuple[np.ndarray, functools.partial[float]]:
    """Scores, and a coefficient that is 1 on their means, and 0 for about a share of resamples."""
    scores = np.random.default_rng(0).random((12, 4))
    rng = np.random.default_rng(9)
    drawn = rng.random(10_000)
    edge = np.quantile(drawn, share)
    calls = iter(drawn)

    def coefficient(reference, _, value):
        return 1.0 if np.array_equal(reference, observed) or next(calls) > edge else value

    observed = np.array(oracle.means(scores, range(12)))
    return scores, coefficient


@pytest.mark.parametrize(("share", "says_nothing"), [(0.005, True), (0.02, False)])
def test_all_resamples_but_a_hundredth_are_equal(share, says_nothing):
    scores, coefficient = rarely_otherwise(share)
    of = functools.partial(coefficient, value=0.5)
    if says_nothing:
        with pytest.warns(DegenerateInputWarning):
            result = correlation_interval(scores, scores, of, rng=1)
    else:
        result = correlation_interval(scores, scores, of, rng=1)
        assert result.sentence().endswith("of 1.00 [.85, 1.00].")  # it is 1: nothing to explain
    assert np.isnan(result.low) == np.isnan(result.standard_error) == says_nothing
    assert (result.replicates == 0.5).mean() == pytest.approx(share, abs=0.004)


@pytest.mark.parametrize(("share", "says_nothing"), [(0.005, False), (0.02, True)])
def test_undefined_in_more_than_a_hundredth_of_resamples(share, says_nothing):
    (a, b), (_, rarely) = two_measures(1, n_systems=4), rarely_otherwise(share)

    def of(reference, estimate):
        return rarely(reference, estimate, value=np.nan) * kendall_tau(reference, estimate)

    kind = DegenerateInputWarning if says_nothing else UnreliableResultWarning
    message = r"undefined in \d% of resamples: there is no" if says_nothing else r"undefined in \d+ of 2000 resamples, "
    with pytest.warns(kind, match=message):
        result = correlation_interval(a, b, of, rng=1)
    assert result.n_undefined == np.isnan(result.replicates).sum() > 0
    assert np.isnan(result.low) == np.isnan(result.standard_error) == says_nothing
    assert result.bootstrap_standard_error == np.std(result.replicates[~np.isnan(result.replicates)], ddof=1)


def test_all_tied_is_nan_with_a_warning_that_points_at_the_caller():
    a, b = np.full((12, 3), 0.5), np.random.default_rng(0).random((12, 3))
    with pytest.warns(DegenerateInputWarning) as told:
        result = correlation_interval(a, b, rng=1)
    assert told[0].filename == __file__
    assert np.isnan([result.statistic, result.pvalue, result.standard_error, *result.confidence_interval()]).all()
    assert np.isnan([result.one_true_ranking.mean, result.one_true_ranking.low]).all()


@pytest.mark.filterwarnings("ignore:3 systems on 12 topics are too few")
def test_means_that_tie_though_topics_differ_are_undefined():
    tied = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]] * 4) + 0.1
    tied[:, 2] = tied[::-1, 0] = tied[:, 1] = np.roll(tied[:, 1], 1)
    with pytest.warns(DegenerateInputWarning):
        assert np.isnan(correlation_interval(np.random.default_rng(0).random((12, 3)), tied, rng=1).statistic)


def test_sums_of_floats_break_no_ties():
    a, tied = two_measures(0, n_systems=4)
    tied[:, 0], tied[:, 1] = [0.1, 0.2, 0.3, 0.7] * 3, [0.7, 0.3, 0.2, 0.1] * 3
    assert sum(tied[:, 0]) != sum(tied[:, 1])
    truth, estimate = a.mean(axis=0).tolist(), oracle.means(tied, range(12))
    assert estimate[0] == estimate[1]
    expected = pytest.approx(DEFINITIONS["tau"](truth, estimate))
    for scale in (1.0, 1.1, 1e-12, 1e9):
        assert correlation_interval(a, tied * scale, n_resamples=B, rng=1).statistic == expected


@pytest.mark.parametrize(("n_systems", "n_topics", "few"), [(3, 25, True), (3, 26, False), (4, 12, False)])
def test_three_systems_on_25_topics_are_too_few(n_systems, n_topics, few):
    rng = np.random.default_rng(4)
    a, b = (np.linspace(0, 0.5, n_systems) + rng.normal(0, 0.6, (n_topics, n_systems)) for _ in range(2))
    text = f"{n_systems} systems on {n_topics} topics are too few: an interval says hardly anything."
    if few:
        with pytest.warns(UnreliableResultWarning, match=re.escape(text)):
            result = correlation_interval(a, b, n_resamples=B, rng=1)
    else:
        result = correlation_interval(a, b, n_resamples=B, rng=1)
    assert (text in result.cautions) == (text in str(result).replace("\n", " ")) == few


@pytest.mark.parametrize("side", [0, 1])
def test_a_side_that_ties_much(side):
    a, b = two_measures(0, n_systems=8)
    a += np.arange(8) / 10  # surely apart
    half = b.copy()
    half[:, :6] = 0.2  # 15 of 28 pairs
    with pytest.warns(UnreliableResultWarning, match="One side ties 54% of pairs of systems: intervals and tests are"):
        result = correlation_interval(*((a, half) if side else (half, a)), n_resamples=B, rng=1)
    assert not np.isnan(result.low)
    half[:, :6] = b[:, :6]
    half[:, :5] = 0.2  # 10 of 28
    assert any("Systems tie, and hardly do" in text for text in cautions_of(a, half))
    assert not any("ties" in text for text in correlation_interval(a, half, n_resamples=B, rng=1).cautions)


def cautions_of(a, b, **how):
    return correlation_interval(a, b, **{"n_resamples": B, "rng": 1} | how).cautions


def test_noise_that_fills_the_means_is_noted_and_not_warned_of():
    (a, _), rng = two_measures(0, n_systems=12), np.random.default_rng(0)
    noise, apart = rng.normal(size=(12, 12)), np.arange(12)
    texts = cautions_of(a + apart, noise)
    assert texts[0] == "Noise makes up much of how the systems of one side differ: the interval may be too short."
    assert "Noise is half or more of how the means of one side vary: there is no p (same true ranking)." in texts
    assert not any("oise" in text for text in cautions_of(a + apart / 20, a + apart / 20 + noise / 9))
    (text,) = cautions_of(apart + noise * 6, apart + noise * 6 + rng.normal(size=(12, 12)) * 4)
    assert text.startswith("These topics cannot tell whether both rank alike")


def test_one_true_ranking_is_said_to_be_off_where_it_is():
    rng = np.random.default_rng(1)
    a, b = (np.arange(12) / 9 + rng.random((12, 12)) / 3 for _ in range(2))
    assert cautions_of(a, b) == ()
    few = "With ten systems or fewer, one true ranking gives up to .1 more than is said here."
    assert few in cautions_of(a[:, :10], b[:, :10])
    heavy = b + np.eye(12)[:, [0]] * rng.normal(size=12)
    assert any("One topic makes more than a quarter of the noise of one side" in text for text in cautions_of(a, heavy))
    copied = [np.hstack([side[:, :6]] * 2) for side in (a, b)]
    assert any("Many systems are copies or near copies" in text for text in cautions_of(*copied))
    result = correlation_interval(*two_measures(4, n_systems=12), n_resamples=B, rng=1)
    assert result.statistic > result.one_true_ranking.mean
    assert "A value above that of one true ranking says no more than an equal one." in result.cautions


def test_reliability_is_that_of_an_analysis_of_variance():
    scores = np.random.default_rng(0).normal(size=(12, 6)) + np.arange(6) / 5
    rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    noise = (rest**2).sum() / (11 * 5) / 12
    assert side_of(scores).reliability == pytest.approx(1 - noise / scores.mean(axis=0).var(ddof=1))


@pytest.mark.parametrize(("n_systems", "few"), [(5, True), (6, False)])
def test_pearson_of_few_systems(n_systems, few):
    a, b = two_measures(0, n_systems=n_systems)
    a, b = a + np.arange(n_systems), b + np.arange(n_systems)
    if few:
        text = "5 systems are few for Pearson's correlation: its interval"
        with pytest.warns(UnreliableResultWarning, match=text):
            correlation_interval(a, b, "pearson", n_resamples=B, rng=1)
    else:
        assert not any("Pearson" in text for text in cautions_of(a, b, coefficient="pearson"))
    assert correlation_interval(a, b + np.random.default_rng(3).normal(size=b.shape), n_resamples=B, rng=1).low > -1


FEW = {
    "pearson@5": "The best 5 systems are few for Pearson's correlation: its interval misses on one side.",
    "tau@3": "The best 3 systems on 12 topics are too few: an interval says hardly anything.",
}


@pytest.mark.parametrize("name", [*FEW, "pearson@6", "tau@4", "tau"])
def test_the_best_few_systems_are_too_few(name):
    a, b = two_measures(0, n_systems=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cautions = correlation_interval(a, b, name, n_resamples=B, rng=1).cautions
    assert [caution for caution in cautions if caution.startswith("The best")] == ([FEW[name]] if name in FEW else [])


def test_a_level_is_shown_in_full():
    a, b = two_measures(0)
    assert "tau [99.5%]" in str(correlation_interval(a, b, level=0.995, n_resamples=B, rng=1))


# --- one true ranking, and words ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tau", "spearman", "tau_ap@5"])
def test_one_true_ranking_is_of_the_coefficient(name):
    a, b = two_measures(1, n_topics=20, n_systems=20)
    result, coefficients = correlation_interval(a, b, name, level=0.9, rng=1), Coefficients.named(name, np.arange(20))
    found = result.one_true_ranking
    drawn = null_replicate(coefficients.of, a, [b], [OneRanking.of(a, b, shared=True)], found.replicates.size, 1)
    assert np.array_equal(found.replicates, drawn[:, 0, -1])
    assert found.replicates.size in (1500, 10_000)
    assert result.pvalue == found.pvalue == ((drawn[:, 0, -1] <= result.statistic).sum() + 1) / (len(drawn) + 1)
    assert found.reliability == (side_of(a).reliability, side_of(b).reliability)
    assert found.level == 0.9


def test_a_doubtful_p_has_more_replicates():
    for seed in range(30):
        a, b = two_measures(seed, n_systems=9)
        result = correlation_interval(a, b, n_resamples=100, rng=1)
        found = result.one_true_ranking.replicates
        first = ((found[:75] <= result.statistic + 1e-12).mean()) if found.size else 0.0
        assert found.size == (500 if 0.01 < first < 0.1 else 75)


def test_only_doubtful_coefficients_have_more_replicates_and_these_are_the_same():
    """Of several estimates and coefficients, also of the best systems: 150 each, or 1000, of which 128 are known."""
    rng = np.random.default_rng(9)
    quality, noise = rng.random(12) * 0.4, (0.0, 0.03, 0.05, 0.08)
    reference, *estimates = (quality + rng.normal(scale=s, size=12) + rng.random((20, 12)) / 2 for s in noise)
    coefficients = Coefficients(tuple(COEFFICIENTS[name] for name in ("tau", "tau_ap", "pearson")), top=6)
    results, _ = correlations(reference, estimates, coefficients, n_resamples=200, seed=1)
    pairs = [OneRanking.of(reference, estimate, shared=True) for estimate in estimates]
    every = null_replicate(coefficients.of, reference, estimates, pairs, 1000, 1)
    found = [[result.one_true_ranking.replicates for result in of_one] for of_one in results]
    for index, column in np.ndindex(every.shape[1:]):
        replicates = found[index][column]
        assert np.array_equal(replicates, every[: replicates.size, index, column])
    assert {replicates.size for of_one in found for replicates in of_one} == {150, 1000}


def test_the_upper_end_is_at_most_where_one_true_ranking_ends():
    rng = np.random.default_rng(2)
    quality = rng.random(20) / 2
    a, b = (quality + rng.normal(size=(25, 20)) * 0.4 for _ in range(2))
    result = correlation_interval(a, b, rng=1)
    end = result.one_true_ranking.high
    assert result.high == result.confidence_interval().high == max(result.statistic, end) < 1.0
    assert result.confidence_interval(0.999).high == result.one_true_ranking.cap(result.statistic, 0.999) > result.high
    a, b = (quality / 9 + rng.normal(size=(25, 20)) * 0.4 for _ in range(2))
    noisy = correlation_interval(a, b, rng=1)
    low, high = students_t.interval(0.95, 24, noisy.statistic, noisy.standard_error)
    assert (noisy.low, noisy.high) == pytest.approx((max(low, -1.0), min(high, 1.0)))


def test_it_says_what_it_found():
    a, b = two_measures(4, n_systems=12)
    result = correlation_interval(a, b, n_resamples=B, rng=1)
    text = str(result)
    assert text.replace("\n", " ").startswith(result.sentence())
    low, high = (f"{end:.2f}".replace("0.", ".") for end in (result.low, result.high))
    value = f"{result.statistic:.2f}".replace("0.", ".")
    ranks = f"rank 12 systems on 12 topics with a tau of {value} [{low}, {high}]; one true ranking would give ."
    assert result.sentence().startswith(f"The measures {ranks}")
    named = correlation_interval(rc.ScoreMatrix(a).named("AP"), rc.ScoreMatrix(b).named("RR"), n_resamples=B, rng=1)
    assert named.sentence().startswith(f"AP and RR {ranks}")
    assert named.relabelled().sentence().startswith(f"RR and AP {ranks}")
    half_named = correlation_interval(rc.ScoreMatrix(a).named("AP"), b, n_resamples=B, rng=1)
    assert half_named.sentence().startswith(f"The measures {ranks}")
    columns = {"statistic", "low", "high", "standard_error", "pvalue", "one_true_ranking", "one_true_ranking_low"}
    assert {"coefficient", *columns} <= result.to_dict().keys()


# --- reversed pairs -----------------------------------------------------------------------------------------


def test_reversed_pairs_are_the_definition():
    (a, b), systems = two_measures(5, n_systems=7), [*"abcdefg"]
    result = correlation_interval(rc.ScoreMatrix(a, systems=systems), rc.ScoreMatrix(b, systems=systems), rng=1)
    found, expected = result.reversed_pairs(), []
    for i, j in itertools.permutations(range(7), 2):
        z, w = (ttest_rel(side[:, i], side[:, j]).statistic for side in (a, b))
        if z > 0 > w:
            expected.append((z * -w, systems[i], systems[j], z, w))
    expected.sort(reverse=True)
    frame, whole = found.to_frame(), sum(row[0] for row in expected)
    assert [(row.system, row.other) for row in frame.itertuples()] == [row[1:3] for row in expected]
    np.testing.assert_allclose(frame[["product", "z_reference", "z_estimate"]], [[r[0], r[3], r[4]] for r in expected])
    np.testing.assert_allclose(found.shares, [row[0] / whole for row in expected])
    halves = {name: sum(row[0] for row in expected if name in row[1:3]) / whole / 2 for name in systems}
    assert found.by_system == pytest.approx({name: half for name, half in halves.items() if half})
    assert (sum(found.by_system.values()), list(found.by_system.values())) == (
        pytest.approx(1.0),
        sorted(found.by_system.values(), reverse=True),
    )


def test_no_pair_is_reversed_where_a_side_ties_or_does_not_vary():
    a, _ = two_measures(0)
    tied = np.full_like(a, 0.5)
    tied[:, 0] = a[:, 0]
    with pytest.warns(UnreliableResultWarning):
        found = correlation_interval(a, tied, rng=1, n_resamples=B).reversed_pairs()
    assert (np.append(found.first, found.second).reshape(2, -1) == 0).any(axis=0).all()
    found = correlation_interval(a, np.broadcast_to(np.arange(6.0), a.shape), rng=1, n_resamples=B).reversed_pairs()
    assert np.isfinite(found.z_estimate).all()
    assert found.shares.sum() == pytest.approx(1.0)
