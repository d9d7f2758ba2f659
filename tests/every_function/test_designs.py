"""Every statistic takes clusters and strata: with scores in clusters it does what it does with means of clusters."""

import copy
import pickle

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.cases import CASES, OTHER, SYSTEMS, TOPICS, TWO_SIDES, VALUES, WITH_FORMATS, matrix

OF_SINGLE_TOPICS = ["prediction_powered", "prediction_powered, judge", "prediction_quality"]
OF_SINGLE_TOPICS += ["TopicSimulator", "TopicSimulator, draw"]
OF_DESIGNS = [name for name in WITH_FORMATS if name not in OF_SINGLE_TOPICS]
PAIRS = [topic[1:] if int(topic[1:]) % 2 else str(int(topic[1:]) + 1) for topic in TOPICS]  # q0 and q1, q2 and q3, ...
MIXED = {"clusters": [str(at * 2 // 3) for at in range(20)], "strata": ["a"] * 9 + ["b"] * 11}


@pytest.mark.parametrize("name", OF_DESIGNS)
def test_of_clusters_of_one_size(name):
    def means_of_pairs(scores):
        return rc.ScoreMatrix((scores.values[::2] + scores.values[1::2]) / 2, systems=scores.systems)

    compared, scores = CASES[name].compared, matrix(VALUES)
    in_pairs = compared(scores.with_design(clusters=PAIRS), OTHER.with_design(clusters=PAIRS))
    np.testing.assert_allclose(in_pairs, compared(means_of_pairs(scores), means_of_pairs(OTHER)), rtol=1e-12)


@pytest.mark.parametrize("name", OF_SINGLE_TOPICS)
def test_what_needs_single_topics_says_so(name):
    with pytest.raises(ValueError, match=r"of independent topics, got 10 clusters: .*`ScoreMatrix.with_design`"):
        CASES[name].compared(matrix(VALUES).with_design(clusters=PAIRS))


UNEVEN = {
    "wilcoxon": lambda scores: rc.discriminative_power(scores, test="wilcoxon"),
    "agreement by wilcoxon": lambda scores: rc.stats.significant_agreement(scores, OTHER, test="wilcoxon"),
    "halves": lambda scores: rc.expected_correlation(scores, estimator="split-half", n_resamples=20, rng=1),
    "swaps between halves": lambda scores: rc.stats.swap_rates(scores, of="halves", n_resamples=20, rng=1),
    "stability of halves": lambda scores: rc.stats.stability(scores, of="halves", n_resamples=20, rng=1),
    "swap_curve": lambda scores: rc.stats.swap_curve(scores, n_resamples=20, rng=1),
}


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
@pytest.mark.parametrize("call", UNEVEN.values(), ids=UNEVEN)
def test_what_ranks_or_divides_rows_needs_rows_that_weigh_alike(call):
    call(matrix(VALUES).with_design(clusters=PAIRS))
    for labels in ({"clusters": [*PAIRS[:18], "x", "y"]}, {"strata": MIXED["strata"]}):
        with pytest.raises(ValueError, match=r"must be of clusters of one size, and one stratum, got .*: of others"):
            call(matrix(VALUES).with_design(**labels))


def test_a_few_large_clusters_outweigh_the_others():
    scores = rc.Scores([rc.ScoreMatrix(np.random.default_rng(1).random((200, 3)), measure="AP")])
    with pytest.warns(UnreliableResultWarning, match="The topics in 101 clusters count as only 1 independent ones"):
        scores.with_design(clusters=[str(min(at, 100)) for at in range(200)])
    scores.with_design(clusters=[str(at // 4) for at in range(200)], strata=["a"] * 80 + ["b"] * 120)


class TestTheMatrix:
    SCORES = matrix(VALUES).with_design(**MIXED).named("AP")

    def test_it_keeps_its_design(self):
        for same in (copy.deepcopy(self.SCORES), pickle.loads(pickle.dumps(self.SCORES)), rc.ScoreMatrix(self.SCORES)):
            assert same.design == self.SCORES.design
        assert self.SCORES.named("RR").geometric().design == self.SCORES.design
        some = self.SCORES.select(topics=TOPICS[5:15], systems=SYSTEMS[:2])
        assert some.design is not None
        assert some.design.clusters == tuple(MIXED["clusters"][5:15])
        assert self.SCORES.with_design() == matrix(VALUES).named("AP")

    def test_equality_and_words(self):
        assert pickle.loads(pickle.dumps(self.SCORES)) == self.SCORES
        assert self.SCORES.with_design() != self.SCORES
        assert "20 topics in 13 clusters and 2 strata x 3 systems" in repr(self.SCORES)

    def test_the_mean_is_that_of_the_strata(self):
        by_strata = (VALUES[:9].mean(axis=0) + VALUES[9:].mean(axis=0)) / 2
        np.testing.assert_allclose(self.SCORES.means, by_strata, rtol=1e-11)
        series = dict(zip(self.SCORES.systems, by_strata, strict=True))
        assert rc.kendall_tau(self.SCORES, series) == 1.0


def test_several_measures_share_a_design():
    scores = rc.Scores({"AP": matrix(VALUES), "RR": OTHER})
    both = scores.with_design(strata=MIXED["strata"])
    assert "20 topics in 2 strata x 3 systems" in repr(both)
    assert both["RR"].design == both["AP"].design == both.select(topics=TOPICS)["AP"].design
    np.testing.assert_array_equal(both.averages()["AP"], both["AP"].means)
    with pytest.raises(ValueError, match="must share their clusters and strata, got others in AP and RR"):
        rc.Scores([both["AP"], scores["RR"]])


ONE_DESIGN = [name for name in [*TWO_SIDES, "correlation_difference"] if name not in ("DRankTest", "rank_geometry")]


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.parametrize("name", ONE_DESIGN)
def test_a_design_of_one_side_is_that_of_both(name):
    compared, one, other = CASES[name].compared, matrix(VALUES), OTHER.select(topics=TOPICS[::-1])
    designed = one.with_design(**MIXED), other.with_design(**{name: labels[::-1] for name, labels in MIXED.items()})
    both = compared(*designed)
    np.testing.assert_array_equal(compared(designed[0], other), both)
    np.testing.assert_array_equal(compared(one, designed[1]), both)


def test_a_design_is_that_of_topics_without_names_too():
    designed, unnamed = matrix(VALUES).with_design(**MIXED), rc.ScoreMatrix(OTHER.values, systems=SYSTEMS)
    assert rc.kendall_tau(designed, unnamed) == rc.kendall_tau(designed, OTHER)


def test_a_design_of_other_topics_is_left_alone_or_refused():
    designed, bare = matrix(VALUES).with_design(**MIXED), matrix(VALUES)
    names = {topic: f"other {topic}" for topic in TOPICS}
    others = rc.ScoreMatrix(bare.values, [names[topic] for topic in TOPICS], SYSTEMS)
    assert rc.kendall_tau(designed, others) == rc.kendall_tau(designed.means, bare.means)
    some = rc.ScoreMatrix(bare.values, [*TOPICS[:-1], "new"], SYSTEMS)
    with pytest.raises(ValueError, match=r"`estimate` must .*got others 'new': take"):
        rc.kendall_tau(designed, some)
    part = bare.select(topics=TOPICS[:12])
    assert rc.kendall_tau(designed, part) == rc.kendall_tau(designed.means, designed.select(topics=TOPICS[:12]).means)
    with pytest.raises(ValueError, match="`ranking`"):
        rc.DRankTest(bare, n_resamples=20, rng=1).test(designed)
