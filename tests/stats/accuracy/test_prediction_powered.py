import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import skew
from scipy.stats import t as students_t

import pt_rankcorr as rc
from pt_rankcorr.warnings import UnmatchedNamesWarning, UnreliableResultWarning


def scores(n, n_judged, m, seed, agreement=0.9):
    rng = np.random.default_rng(seed)
    judge = np.linspace(0.2, 0.6, m) + rng.normal(0, 0.1, (n_judged, 1)) + rng.normal(0, 0.1, (n_judged, m))
    noise = rng.normal(0, 0.15, (n, m))
    return 0.1 + agreement * judge[:n] + (1 - agreement) * noise, judge


def by_definition(human, judge):
    """Means and their covariance: each topic by slopes of the others."""
    (n, m), total = human.shape, len(judge)
    common = np.full((m, m), 1 / m)
    parts, rows, weights = (common, np.eye(m) - common), [], []
    for i in range(n):
        rest, weight = [k for k in range(n) if k != i], []
        for part in parts:
            y, f = human[rest] @ part, judge[rest] @ part
            all_y, all_f = y - (human @ part).mean(0), f - (judge[:n] @ part).mean(0)
            y, f = y - y.mean(0), f - f.mean(0)
            slope = (y * f).sum() / (f * f).sum()
            errors = [((one - slope * other) * other).sum() for one, other in zip(all_y, all_f, strict=True)]
            variance = np.sum(np.square(errors)) / (f * f).sum() ** 2 * (n - 1) / (n - 3)
            weight.append((1 - n / total) * slope * max(0, 1 - variance / slope**2) * (slope > 0))
        operator = weight[0] * parts[0] + weight[1] * parts[1]
        rows.append(human[i] - operator @ (judge[i] - judge[n:].mean(0)))
        weights.append(operator)
    spread = np.mean(weights, axis=0) @ np.cov(judge[n:].T) @ np.mean(weights, axis=0).T
    return np.mean(rows, axis=0), np.cov(np.transpose(rows)) / n + spread / (total - n)


@given(st.integers(5, 12), st.integers(2, 20), st.integers(2, 4), st.integers(0, 99), st.floats(0, 1))
def test_it_is_its_definition(n, more, m, seed, agreement):
    human, judge = scores(n, n + more, m, seed, agreement)
    found = rc.stats.prediction_powered(human, judge, rng=seed)
    means, covariance = by_definition(human, judge)
    np.testing.assert_allclose(found.means, means, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(found.human_covariance, np.cov(human.T) / n)
    np.testing.assert_allclose(found.values.mean(axis=0), means, rtol=1e-9)


@pytest.mark.parametrize("n_judged", [13, *(pytest.param(n, marks=pytest.mark.whole) for n in (20, 60))])
def test_rows_have_the_covariance_on_average_over_pairings(n_judged):
    human, judge = scores(10, n_judged, 2, 1)
    draws = [rc.stats.prediction_powered(human, judge, rng=seed) for seed in range(1000)]
    of_rows = np.mean([np.cov(found.values.T) / 10 for found in draws], axis=0)
    np.testing.assert_allclose(of_rows, draws[0].covariance, rtol=0.05)
    assert all(np.array_equal(found.covariance, draws[0].covariance) for found in draws)


def test_a_perfect_judge_is_worth_all_its_topics():
    """The rows of people cost nothing then, and the mean is nearly that of the judge on all topics."""
    _, judge = scores(0, 200, 3, 1)
    found = rc.stats.prediction_powered(judge[:50], judge, rng=1)
    np.testing.assert_allclose(found.means, judge.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose([found.weight_shared, found.weight_differences], 0.75)
    assert found.topics_needed == pytest.approx(200, rel=0.3)
    assert np.trace(found.human_covariance) / np.trace(found.covariance) == pytest.approx(200 / 50, rel=0.3)


def test_a_judge_may_be_wrong_by_any_amount_for_each_system():
    human, judge = scores(20, 80, 3, 1)
    wrong = rc.stats.prediction_powered(human, judge + np.array([5.0, -3.0, 0.0]), rng=1)
    np.testing.assert_allclose(wrong.means, rc.stats.prediction_powered(human, judge, rng=1).means)


USELESS = {"constant": np.full((30, 2), 0.5), "contrary": -np.vstack([scores(10, 10, 2, 1)[0]] * 3)}
USELESS |= {"no more topics": scores(10, 10, 2, 1)[1], "one more topic": scores(10, 11, 2, 1)[1]}


@pytest.mark.parametrize("judge", USELESS.values(), ids=USELESS)
def test_what_cannot_help_changes_nothing(judge):
    human = scores(10, 10, 2, 1)[0]
    found = rc.stats.prediction_powered(human, judge, rng=1)
    assert (found.weight_shared, found.weight_differences, found.topics_needed) == (0.0, 0.0, 10.0)
    np.testing.assert_array_equal(found.values, human)
    np.testing.assert_array_equal(found.covariance, found.human_covariance)


def test_few_topics_are_taken_as_they_are():
    """A slope of three topics is anybody's guess."""
    human, judge = scores(4, 50, 3, 1)
    assert rc.stats.prediction_powered(human, judge, rng=1).weight_differences == 0.0


def test_without_a_judge_intervals_are_halls_and_tests_of_pairs_students():
    pytest.importorskip("pandas")
    human = scores(10, 10, 3, 1)[0]
    human[:, 2] = human[:, 0]
    found = rc.stats.prediction_powered(human, np.full((30, 3), 1.0), rng=1)
    quantile, errors = students_t.ppf(0.95, 9), human.std(axis=0, ddof=1)[:, None] / np.sqrt(10)
    studentised = (found.means[:, None] - found.intervals(0.9)) / errors
    s = skew(human)[:, None] * 9**1.5 / 100  # of the mean, with the standard deviation of divisor n - 1
    transformed = studentised + s * studentised**2 / 3 + s**2 * studentised**3 / 27 + s / 6
    np.testing.assert_allclose(transformed, [[quantile, -quantile]] * len(s))
    difference = human[:, 1] - human[:, 0]
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(10))
    pvalue = 2 * students_t.sf(abs(t), 9)
    nan = np.nan
    np.testing.assert_allclose(found.pvalues(), [[nan, pvalue, 1], [pvalue, nan, pvalue], [1, pvalue, nan]], rtol=1e-9)
    assert found.to_frame()["mean"].tolist() == sorted(found.means, reverse=True)
    assert found.pairs()["difference"].tolist() == pytest.approx([*[abs(difference.mean())] * 2, 0.0])
    assert found.pairs()["p-value"].tolist() == pytest.approx([pvalue, pvalue, 1])


def test_intervals_of_skewed_scores_reach_further_towards_the_tail():
    human = np.random.default_rng(1).exponential(size=(20, 2))
    judge = np.vstack([human, np.random.default_rng(2).exponential(size=(80, 2))])
    found = rc.stats.prediction_powered(human, judge, rng=1)
    assert (found.skewness > 0).all()
    low, high = found.intervals().T
    assert (high - found.means > found.means - low).all()
    mirrored = rc.stats.prediction_powered(1 - human, 1 - judge, rng=1)
    np.testing.assert_allclose(mirrored.intervals(), 1 - found.intervals()[:, ::-1])


def test_nothing_varies():
    found = rc.stats.prediction_powered(np.tile([0.5, 0.5, 0.75], (6, 1)), scores(6, 30, 3, 1)[1], rng=1)
    assert found.topics_needed == 6.0
    assert found.pvalues()[0, 1:].tolist() == [1.0, 0.0]


def test_statistics_take_the_result():
    human, judge = scores(30, 200, 4, 3)
    found = rc.stats.prediction_powered(*(rc.ScoreMatrix(it, systems=list("abcd")) for it in (human, judge)), rng=1)
    assert rc.best_systems(found, rng=1).systems == ("d",)
    assert rc.rank_intervals(found, rng=1).systems == tuple("abcd")
    alone, together = (rc.discriminative_power(it, test="t").required_difference for it in (human, found))
    assert together < alone
    assert rc.kendall_tau(found, {"d": 0.4, "c": 0.3, "b": 0.2, "a": 0.1}) == 1.0


def test_topics_that_are_no_random_part_are_warned_of():
    """By the judge's means, and at random in no more than the level."""
    human, judge = scores(100, 100, 3, 1)
    hard = np.argsort(judge.mean(axis=1))
    with pytest.warns(
        UnreliableResultWarning,
        match=r"25 topics of people are no random part of the 100 .* 0.244 on them .* \(p = 3e-14",
    ):
        rc.stats.prediction_powered(human[hard][:25], judge[hard], rng=1)
    n_warnings = 0
    for seed in range(200):
        drawn = np.random.default_rng(seed).permutation(100)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rc.stats.prediction_powered(human[drawn][:25], judge[drawn], rng=1)
        n_warnings += len(caught)
    assert n_warnings <= 6  # of 200 at a level of .01: more by chance in 1 of 200


def test_systems_and_topics_are_matched_by_name():
    human, judge = scores(8, 20, 3, 1)
    names = [f"q{number}" for number in range(20)]
    people = rc.ScoreMatrix(human, names[:8], list("abc"))
    shuffled = rc.ScoreMatrix(judge, names, list("abc")).select(topics=names[::-1], systems=list("cab"))
    found, plain = (rc.stats.prediction_powered(*it, rng=1) for it in ((people, shuffled), (human, judge)))
    np.testing.assert_allclose(found.means, plain.means)
    assert (found.topics, found.systems) == (people.topics, people.systems)
    assert plain.systems == ("s1", "s2", "s3")
    assert found == rc.stats.prediction_powered(people, shuffled, rng=1)
    assert found.to_dict()["n_judged"] == 20
    with pytest.warns(UnmatchedNamesWarning, match="`human` names its topics"):
        rc.stats.prediction_powered(rc.ScoreMatrix(human, names[:8]), judge, rng=1)


def test_rows_of_a_frame_are_matched_by_its_index_without_names():
    judge = pd.DataFrame(scores(8, 20, 3, 1)[1])
    people = judge.iloc[5:13] + np.linspace(0.0, 0.1, 8)[:, np.newaxis]
    named = [frame.rename(index="q{}".format) for frame in (people, judge)]
    assert rc.stats.prediction_powered(people, judge, rng=1).means.tolist() == (
        rc.stats.prediction_powered(*named, rng=1).means.tolist()
    )
