"""d_rank itself: the definition, the theorems, ties, scales, invariances."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.rank_distance.d_rank import DRankTest, d_rank
from pt_rankcorr.stats.rank_distance.distance import ReferenceSample
from pt_rankcorr.warnings import DegenerateInputWarning, UnmatchedNamesWarning, UnreliableResultWarning
from tests.stats import oracles_rank_distance as oracle

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")

CONTINUOUS = st.floats(0, 1, width=32).map(lambda x: round(x, 4))
TENTHS = st.integers(0, 10).map(lambda x: x / 10)
EITHER = st.one_of(CONTINUOUS, TENTHS)


@st.composite
def references(draw, elements=EITHER, max_topics=12, max_systems=7):
    shape = draw(st.tuples(st.integers(2, max_topics), st.integers(2, max_systems)))
    scores = draw(arrays(np.float64, shape, elements=elements))
    scores[0, 0] = 1.0  # spans the unit interval, so that the ridge is the paper's
    scores[-1, -1] = 0.0
    return scores


@st.composite
def problems(draw, **kwargs):
    scores = draw(references(**kwargs))
    return scores, draw(arrays(np.float64, scores.shape[1], elements=EITHER))


def distances(scores, rankings, covariance="sample", ridge=1e-5):
    """Without the warning of nan."""
    reference = ReferenceSample.of(scores, covariance, ridge)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateInputWarning)
        return reference.distances(reference.rankings_of(reference.prepare(rankings))[0])


def distance(scores, ranking, covariance="sample", ridge=1e-5):
    return float(distances(scores, ranking, covariance, ridge)[0])


def ranks_nothing(scores, ranking):
    """Whether either side ties all systems, so that the distance is nan."""
    return len(set(np.round(ranking, 12))) == 1 or len(set(oracle.exact_means(scores))) == 1


def untied(scores, ranking):
    """Whether the definition leaves the order of no two systems open."""
    pairs = list(zip(np.round(ranking, 12), oracle.exact_means(scores), strict=True))
    return len(set(pairs)) == len(pairs) and not ranks_nothing(scores, ranking)


@given(problem=problems())
@settings(deadline=None, max_examples=60)
def test_is_the_definition(problem):
    scores, ranking = problem
    if untied(scores, ranking):
        assert distance(scores, ranking) == pytest.approx(oracle.d_rank(scores, ranking), rel=1e-6, abs=1e-6)


def test_reference_values(data, trec):
    for case in json.loads((data / "reference" / "d_rank.json").read_text()):
        scores, others = (
            trec(f"{case['collection']}_{case[of]}")[:, case["systems"]] for of in ("baseline", "ranking")
        )
        assert distance(scores, others.mean(axis=0)) == pytest.approx(case["d_rank"], abs=1e-6)


def test_one_ranking_is_as_far_as_exact_arithmetic_says_however_small_the_ridge():
    """Where quadprog stops too early; six thousand, as two topics and five systems leave little but the ridge.

    By fractions: of all sets of constraints, the one whose solution keeps all and pulls at none.
    """
    scores, ranking = [[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]], [1, 4, 2, 3, 0]
    found = distance(scores, ranking, ridge=1e-8)
    assert found == pytest.approx(6666.666667592593, rel=1e-8)  # rounding errors of covariances, over the ridge
    assert found == distances(scores, Rankings([ranking]), ridge=1e-8)[0]


def far_below():
    """Four topics on which A is far below B and C, which tick together; t = 4.88 for A against either."""
    common, own = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    sd = np.sqrt(3 / 4) * 0.143  # of the population, for a sample standard deviation of 0.143
    c = 0.349 + sd * common
    b = 0.96 * (0.349 + sd * (0.95 * common + np.sqrt(1 - 0.95**2) * own))
    return 0.1 + np.column_stack([np.zeros(4), b, c])


def test_table_of_three_systems():
    """The structure of the table in section 3.1: four rankings beyond repair, one nearly right, one right."""
    scores = far_below()
    names = ("ABC", "ACB", "BAC", "CAB", "BCA", "CBA")
    found = {name: distance(scores, [-name.index(letter) for letter in "ABC"]) for name in names}
    bad = [found.pop(name) for name in ("ABC", "ACB", "BAC", "CAB")]
    assert bad == pytest.approx([4.88] * 4, rel=0.02)
    assert found["BCA"] == pytest.approx(0.63, abs=0.01)
    assert found["CBA"] == 0.0


@given(problems())
@settings(deadline=None)
def test_theorem_1_zero_if_and_only_if_the_ranking_is_the_same(problem):
    scores, ranking = problem
    means = oracle.exact_means(scores)
    swapped = any(ranking[i] > ranking[j] and means[i] < means[j] for i in range(len(means)) for j in range(len(means)))
    if ranks_nothing(scores, ranking):
        assert np.isnan(distance(scores, ranking))
    else:
        assert (distance(scores, ranking) > 0) == swapped


def three_systems(mean, sd, correlation, rng, n_topics=40):
    """Differences X_i - X_{i+1} and X_{i+1} - X_{i+2} of exactly these moments; the first two are swapped."""
    z = rng.standard_normal((n_topics, 2))
    z -= z.mean(axis=0)
    z = z @ np.linalg.inv(np.linalg.cholesky(np.cov(z, rowvar=False))).T
    first = mean[0] + sd[0] * z[:, 0]
    second = mean[1] + sd[1] * (correlation * z[:, 0] + np.sqrt(1 - correlation**2) * z[:, 1])
    return np.column_stack([first + second, second, np.zeros(n_topics)])


@given(
    st.floats(0.02, 0.3), st.floats(1.05, 2.0), st.floats(0.02, 0.1), st.floats(-0.8, 0.8), st.integers(0, 2**32 - 1)
)
def test_theorem_2_swapping_more_different_systems_costs_more(gap, factor, other, correlation, seed):
    smaller, larger = (
        three_systems((gap * f, other), (0.2, 0.2), correlation, np.random.default_rng(seed)) for f in (1, factor)
    )
    assert distance(larger, [1, 2, 0]) > distance(smaller, [1, 2, 0])


@given(st.floats(0.02, 0.3), st.floats(0.05, 0.3), st.floats(1.1, 3.0), st.integers(0, 2**32 - 1))
def test_theorem_3_separating_more_similar_systems_costs_more(gap, sd, factor, seed):
    """All else equal: the swapped pair as it is, the pair that is separated closer, so more alike."""
    alike, unlike = (three_systems((gap, 0.02), (0.2, sd * f), 0.0, np.random.default_rng(seed)) for f in (1, factor))
    assert distance(alike, [1, 3, 2]) >= distance(unlike, [1, 3, 2])


@given(references(elements=TENTHS))
@settings(deadline=None)
def test_a_tie_that_the_reference_breaks_costs_nothing(scores):
    means = np.array(oracle.exact_means(scores), dtype=float)
    coarse = np.where(means > np.median(means), 1.0, 0.0)
    if not ranks_nothing(scores, coarse):
        assert distance(scores, coarse) == 0.0


@pytest.mark.parametrize("covariance", ["sample", "ledoit-wolf"])
def test_two_systems_are_students_t(covariance):
    scores = np.array([[0.1, 0.4], [0.2, 0.3], [0.3, 0.9], [0.0, 1.0]])
    gap = scores[:, 1] - scores[:, 0]
    t = np.sqrt(4) * gap.mean() / np.sqrt(gap.var(ddof=1) + 1e-5)
    assert distance(scores, [1, 0], covariance) == pytest.approx(t, rel=1e-12)


@pytest.mark.parametrize("covariance", ["sample", "ledoit-wolf"])
def test_constant_columns_and_more_systems_than_topics(covariance):
    scores = np.full((5, 9), 0.5)
    assert np.isnan(distance(scores, np.arange(9), covariance))
    scores[:, 0] = 0.7  # without any variance only the ridge is left
    assert distance(scores, np.arange(9), covariance) == pytest.approx(np.sqrt(5 * 0.2**2 / 1e-5), rel=1e-9)


def test_says_where_the_covariance_cannot_be_trusted():
    scores = np.random.default_rng(0).random((20, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnreliableResultWarning, match=r"30 systems on 20 topics: .*singular.*Use `null=.shrunken"):
            d_rank(scores, range(30), n_resamples=5, null="published")
        with pytest.raises(UnreliableResultWarning, match="rejects true rankings too often"):
            d_rank(scores[:, :12], range(12), n_resamples=5, null="published")
        with pytest.raises(UnreliableResultWarning, match="singular"):
            d_rank(scores, range(30), n_resamples=5, covariance="sample")
        d_rank(scores, range(30), n_resamples=5)
        d_rank(scores, range(30), n_resamples=5, null="two-sample")
        d_rank(scores[:, :2], range(2), n_resamples=5, null="published")


def test_the_advice_for_rankings_from_other_topics_is_a_test_for_them():
    scores = np.random.default_rng(0).random((20, 30))
    with pytest.warns(UnreliableResultWarning, match="Use `null='two-sample'` with `covariance='ledoit-wolf'`"):
        DRankTest(scores, n_resamples=5, null="two-sample", covariance="sample")


@pytest.mark.parametrize(
    "call",
    [lambda s: DRankTest(s, n_resamples=5, null="published"), lambda s: d_rank(s, s[0], rng=0, null="published")],
)
def test_the_warning_points_at_the_line_of_the_caller(call):
    with pytest.warns(UnreliableResultWarning) as caught:
        call(np.random.default_rng(0).random((5, 6)))
    assert len(caught) == 2  # of few topics, and of the null
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, call.__code__.co_firstlineno)}


def test_zero_has_no_sign():
    scores = np.array([[0.1, 0.4], [0.2, 0.3], [0.3, 0.9]])
    found = [distance(scores, [0, 1]), distance(-scores, [1, 0])]
    assert repr(found) == "[0.0, 0.0]"


def test_topics_of_the_ranking_that_are_others_are_told_of():
    values = np.random.default_rng(0).random((12, 4))
    ours, theirs = pd.DataFrame(values, index=range(12)), pd.DataFrame(values, index=range(20, 32))
    ours.index, theirs.index = ours.index.map("q{}".format), theirs.index.map("q{}".format)
    with pytest.warns(UnmatchedNamesWarning, match='other topics than the reference.*null="two-sample"'):
        d_rank(ours, theirs, n_resamples=19, rng=1)
    with pytest.warns(UnmatchedNamesWarning):
        DRankTest(ours, n_resamples=19, rng=1).test(theirs)
    d_rank(ours, theirs, null="two-sample", n_resamples=19, rng=1)  # asks for that
    d_rank(ours, ours.iloc[::-1], n_resamples=19, rng=1)


def test_a_test_shows_its_reference():
    assert repr(DRankTest([[0.1, 0.2], [0.3, 0.1], [0.2, 0.5]])).startswith("DRankTest(3 topics x 2 systems, ")
