"""Clusters and strata, against the plain definitions of their means and variances."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr import ScoreMatrix
from pt_rankcorr.stats.core.design import Design, first_enough
from pt_rankcorr.stats.core.inputs import prepare_matrices
from tests.stats.oracles import score_matrices

pytestmark = pytest.mark.filterwarnings("ignore:The topics in:pt_rankcorr.warnings.UnreliableResultWarning")


@st.composite
def designed(draw):
    """Scores, and one of two to four strata of two to four clusters for each topic."""
    labels = [
        (f"k{stratum}", f"c{cluster}")
        for stratum in range(draw(st.integers(1, 4)))
        for cluster in range(draw(st.integers(2, 4)))
        for _ in range(draw(st.integers(1, 4)))
    ]
    strata, clusters = zip(*labels, strict=True)
    scores = draw(score_matrices(min_topics=len(labels), max_topics=len(labels)))
    return scores, clusters, strata


def mean_by_definition(scores, strata):
    """The mean over the strata of the means of their topics."""
    means = [
        [
            np.mean([row[system] for row, of in zip(scores, strata, strict=True) if of == stratum])
            for stratum in set(strata)
        ]
        for system in range(scores.shape[1])
    ]
    return np.array([np.mean(of_strata) for of_strata in means])


def covariance_by_definition(scores, clusters, strata):
    """Of the means: over strata, C_k / (C_k - 1) times the products of the total residuals of the clusters."""
    total = np.zeros((scores.shape[1],) * 2)
    for stratum in set(strata):
        topics = [at for at, of in enumerate(strata) if of == stratum]
        mean = scores[topics].mean(axis=0)
        names = {clusters[at] for at in topics}
        residuals = [sum(scores[at] - mean for at in topics if clusters[at] == name) for name in names]
        products = sum(np.outer(residual, residual) for residual in residuals)
        total += len(names) / (len(names) - 1) * products / len(topics) ** 2
    return total / len(set(strata)) ** 2


@given(designed())
def test_rows_have_the_mean_and_the_variance_of_the_design(given_):
    scores, clusters, strata = given_
    rows = ScoreMatrix(scores, clusters=clusters, strata=strata).sample
    n_clusters = len(set(zip(clusters, strata, strict=True)))
    assert rows.shape == (n_clusters, scores.shape[1])
    np.testing.assert_allclose(rows.mean(axis=0), mean_by_definition(scores, strata), atol=1e-14)
    variance = np.cov(rows, rowvar=False) / n_clusters
    np.testing.assert_allclose(variance, covariance_by_definition(scores, clusters, strata), atol=1e-14)


@given(designed(), st.randoms(use_true_random=False))
def test_the_order_of_topics_and_systems_and_the_names_of_labels_do_not_matter(given_, random):
    scores, clusters, strata = given_
    order, systems = list(range(len(scores))), list(range(scores.shape[1]))
    random.shuffle(order)
    random.shuffle(systems)
    rows = ScoreMatrix(scores, clusters=clusters, strata=strata).sample
    again = ScoreMatrix(
        scores[np.ix_(order, systems)],
        clusters=[f"another {clusters[topic]}" for topic in order],
        strata=[strata[topic] for topic in order],
    )
    np.testing.assert_allclose(again.sample, rows[:, systems], atol=1e-13)


@given(score_matrices())
def test_a_cluster_a_topic_and_a_single_stratum_are_no_design(scores):
    alone = ScoreMatrix(scores, clusters=range(len(scores)), strata=["one"] * len(scores))
    assert alone.design is None
    assert alone == ScoreMatrix(scores)
    np.testing.assert_array_equal(alone.sample, scores)


def test_resampled_rows_scatter_as_resampled_clusters_within_strata_do():
    rng = np.random.default_rng(3)
    sizes = {"a": rng.integers(1, 6, 40), "b": rng.integers(1, 6, 20)}
    labels = [(f"{k}{at}", k) for k, of in sizes.items() for at, size in enumerate(of) for _ in range(size)]
    clusters, strata = zip(*labels, strict=True)
    effect = {cluster: rng.normal() for cluster in dict.fromkeys(clusters)}
    scores = np.array([effect[cluster] for cluster in clusters])[:, np.newaxis] + rng.exponential(size=(len(labels), 1))
    rows = ScoreMatrix(scores, clusters=clusters, strata=strata).sample[:, 0]
    linear = rows[rng.integers(0, rows.size, (20_000, rows.size))].mean(axis=1)
    totals = {name: scores[[at for at, of in enumerate(clusters) if of == name], 0] for name in dict.fromkeys(clusters)}
    whole = []
    for _ in range(4000):
        of_strata = []
        for stratum in sizes:
            names = [name for name in totals if name[0] == stratum]
            drawn = [totals[names[at]] for at in rng.integers(0, len(names), len(names))]
            of_strata.append(sum(part.sum() for part in drawn) / sum(part.size for part in drawn))
        whole.append(np.mean(of_strata))
    shares = [0.025, 0.16, 0.5, 0.84, 0.975]
    spread = np.std(whole)
    np.testing.assert_allclose(np.quantile(linear, shares), np.quantile(whole, shares), atol=0.2 * spread)


class TestLabels:
    SCORES = ScoreMatrix([[1, 2], [3, 4], [5, 6]], topics=["31_1", "31_2", "32_1"])

    @pytest.mark.parametrize(
        "clusters",
        [
            "[^_]+",
            r"(.*)_\d",
            {"32_1": 32, "31_1": 31, "31_2": 31, "99": 1},
            ["31", "31", "32"],
            np.array([31, 31, 32]),
            pd.Series([32, 31, 31], index=["32_1", "31_1", "31_2"]),
            pd.Series([31, 31, 32]),
        ],
    )
    def test_they_come_in_many_forms(self, clusters):
        assert self.SCORES.with_design(clusters=clusters).design == Design(("31", "31", "32"), None)

    @pytest.mark.parametrize(
        ("clusters", "message"),
        [
            ({"31_1": 1, "31_2": 1}, "`clusters` must have a label for each topic, got none for '32_1'"),
            ([1, 1], "`clusters` must have one label for each of 3 topics, got 2"),
            ("32", "`clusters` must match each topic, got no match of '32' in '31_1', '31_2'"),
            ("(", r"`clusters` must be a regular expression, got '\('"),
            ("(x)?", "no match"),
        ],
    )
    def test_each_topic_has_one(self, clusters, message):
        with pytest.raises(ValueError, match=message):
            self.SCORES.with_design(clusters=clusters)

    @pytest.mark.parametrize("clusters", [3, [1, None, 2]])
    def test_of_no_such_form(self, clusters):
        with pytest.raises(TypeError, match="`clusters`"):
            self.SCORES.with_design(clusters=clusters)

    def test_a_stratum_needs_two_independent_topics(self):
        with pytest.raises(ValueError, match=r"`strata` must .*got one in '32'"):
            self.SCORES.with_design(strata="[^_]+")
        with pytest.raises(ValueError, match="got one in 'a'"):
            ScoreMatrix(np.eye(5), clusters=[1, 1, 2, 3, 3], strata=["a", "a", "b", "b", "b"])

    def test_a_label_in_two_strata_is_two_clusters(self):
        strata = ["a", "a", "a", "b", "b", "b"]
        scores = ScoreMatrix(np.eye(6), clusters=[1, 1, 2, 1, 2, 2], strata=strata)
        assert str(scores.design) == "4 clusters and 2 strata"


class TestMatrices:
    VALUES = np.random.default_rng(1).random((6, 3))
    NAMES = tuple("abcdef")
    SCORES = ScoreMatrix(VALUES, topics=NAMES, clusters=[1, 1, 2, 2, 2, 3])

    @pytest.mark.parametrize("others", list(itertools.permutations(["reversed", "none", "named"])))
    def test_one_design_is_that_of_all(self, others):
        forms = {"none": self.SCORES.with_design(), "named": self.SCORES}
        forms["reversed"] = self.SCORES.select(topics=self.NAMES[::-1])
        found = [matrix.sample for matrix in prepare_matrices(**{name: forms[name] for name in others})]
        for matrix in found:
            np.testing.assert_array_equal(matrix, found[0])
            np.testing.assert_allclose(np.sort(matrix, axis=0), np.sort(self.SCORES.sample, axis=0), rtol=1e-14)

    def test_two_designs_are_refused(self):
        other = self.SCORES.with_design(clusters=[1, 1, 2, 2, 3, 3])
        with pytest.raises(ValueError, match="`y`"):
            prepare_matrices(x=self.SCORES, z=self.SCORES.with_design(), y=other)

    def test_one_cluster_is_too_few(self):
        with pytest.raises(ValueError, match=r"`x` must .*got 1 of 1 clusters"):
            prepare_matrices(x=self.SCORES.with_design(clusters=[1] * 6), y=self.SCORES.with_design())


@pytest.mark.parametrize(("enough", "at_most", "first"), [(2, 40, 2), (37, 40, 37), (40, 40, 40), (41, 40, math.inf)])
def test_the_first_number_of_topics_that_is_enough(enough, at_most, first):
    assert first_enough(lambda number: number >= enough, at_most) == first
    assert first_enough(lambda number: number >= enough) == enough
    assert first_enough(lambda number: False) == math.inf
