import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t as student

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.prediction import prediction_quality
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats.oracles import COEFFICIENTS, has_ranking, pairs_of_scores

TOPICS = [f"q{number}" for number in range(1, 21)]


def scores_of(n_systems=3, seed=0, measure="AP"):
    values = np.random.default_rng(seed).random((20, n_systems))
    return ScoreMatrix(values, topics=TOPICS, systems=[f"run {i}" for i in range(n_systems)], measure=measure)


def predictions_of(scores, seed=1):
    values = scores.values.mean(axis=1) + np.random.default_rng(seed).random(20) / 2
    return dict(zip(TOPICS, values.tolist(), strict=True))


class TestQuality:
    @pytest.mark.filterwarnings("ignore:No resample of topics changes a correlation")
    @given(vectors=pairs_of_scores(), hardest_first=st.booleans())
    def test_each_is_the_coefficient_over_topics(self, vectors, hardest_first):
        assume(has_ranking(*vectors))
        truth, predicted = np.array(vectors)
        quality = prediction_quality(
            truth[:, None], predicted, list(COEFFICIENTS), hardest_first=hardest_first, n_resamples=1, rng=0
        )
        sign = -1 if hardest_first else 1
        expected = [each.kernel(sign * truth, sign * predicted) for each in COEFFICIENTS.values()]
        np.testing.assert_allclose(quality.values, [expected], rtol=0, atol=1e-12)

    def test_topics_are_matched_by_name(self):
        scores = scores_of()
        predicted = predictions_of(scores)
        in_order = prediction_quality(scores.values, list(predicted.values()), rng=0, n_resamples=20)
        shuffled = {topic: predicted[topic] for topic in reversed(TOPICS)} | {"not judged": 3.0}
        quality = prediction_quality(scores, shuffled, rng=0, n_resamples=20)
        np.testing.assert_array_equal(quality.values, in_order.values)
        np.testing.assert_array_equal(quality.bootstrap_distribution, in_order.bootstrap_distribution)

    def test_the_table(self):
        pytest.importorskip("pandas")
        scores = scores_of(2)
        quality = prediction_quality(scores, predictions_of(scores), ["tau", "tau_gap"], n_resamples=100, rng=0)
        table = quality.to_frame()
        assert table["system"].tolist() == ["run 0", "run 0", "run 1", "run 1"]
        assert table["coefficient"].tolist() == ["tau", "tau_gap"] * 2
        assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()
        interval = quality.confidence_interval()["run 1", "tau"]
        assert (interval.low, interval.high) == tuple(table.loc[2, ["low", "high"]])
        narrower = quality.confidence_interval(0.5)["run 1", "tau"]
        assert interval.low < narrower.low < narrower.high < interval.high
        assert quality.to_dict() == {"n_topics": 20, "n_resamples": 100, "hardest_first": False}


class TestIntervals:
    def test_they_are_those_of_student_s_t_about_the_value(self):
        scores = scores_of(2)
        quality = prediction_quality(scores, predictions_of(scores), ["tau", "tau_ap"], n_resamples=300, rng=1)
        margin = student.isf(0.05, 19) * quality.bootstrap_distribution.std(axis=0) * np.sqrt(20 / 19)
        ends = np.array([*quality.confidence_interval(0.9).values()])
        expected = np.stack([quality.values - margin, quality.values + margin], axis=-1)
        np.testing.assert_allclose(ends, expected.reshape(4, 2), rtol=1e-9)

    @pytest.mark.parametrize("coefficient", ["tau", "tau_ap", "pearson"])
    def test_a_perfect_prediction_is_in_its_interval(self, coefficient):
        """A topic that is drawn twice is tied with itself: all resamples of tau are below 1."""
        x = np.arange(12) ** 2 / 144
        quality = prediction_quality(x[:, None], x, coefficient, n_resamples=100, rng=1)
        ((low, high),) = quality.confidence_interval().values()
        assert low <= quality.values[0, 0] <= high == 1.0

    @pytest.mark.parametrize("coefficient", ["spearman", "tau_gap"])
    def test_what_no_resample_changes_has_no_interval(self, coefficient):
        x = np.arange(5) / 5
        with pytest.warns(DegenerateInputWarning):
            quality = prediction_quality(x[:, None], x, coefficient, n_resamples=100, rng=1)
        assert quality.values == pytest.approx(1.0)
        assert np.isnan(quality.confidence_interval()["s1", coefficient]).all()


class TestIntervalsOfPearson:
    def test_they_are_those_of_fisher_s_z(self):
        x, y = np.random.default_rng(1).random((2, 12))
        quality = prediction_quality(x[:, None], y, "pearson", n_resamples=300, rng=1)
        z = np.arctanh(quality.bootstrap_distribution[:, 0, 0])
        margin = student.isf(0.025, 11) * max(z.std() * np.sqrt(12 / 11), 1 / 3)
        r = np.corrcoef(x, y)[0, 1]
        expected = np.tanh(np.arctanh(r) + np.array([-margin, margin]))
        np.testing.assert_allclose(quality.confidence_interval(level=0.95)["s1", "pearson"], expected, rtol=1e-9)

    @pytest.mark.parametrize(("n_topics", "expected"), [(3, (-1, 1)), (6, (1, 1))])
    def test_of_scores_on_a_line(self, n_topics, expected):
        x = np.arange(n_topics) / 7
        interval = prediction_quality(x[:, None], 2 * x, "pearson", rng=1).confidence_interval()["s1", "pearson"]
        assert interval == expected

    def test_few_topics_of_few_values(self):
        """All resamples are undefined or lie on a line: what normal theory says is left."""
        low, high = prediction_quality(
            [[0.0], [0.0], [0.0], [0.0], [1.0]], [1, 1, 1, 2, 2], "pearson", n_resamples=1, rng=3
        ).confidence_interval(level=0.95)["s1", "pearson"]
        r, margin = np.arctanh(0.6123724356957945), student.isf(0.025, 4) / np.sqrt(2)
        assert (low, high) == pytest.approx((np.tanh(r - margin), np.tanh(r + margin)))


class TestWithoutVariance:
    def test_a_system_without_variance(self):
        pytest.importorskip("pandas")
        values = np.column_stack([np.full(20, 0.3), np.arange(20)])
        with pytest.warns(DegenerateInputWarning):
            quality = prediction_quality(values, np.arange(20), ["tau"], n_resamples=20, rng=0)
        assert np.isnan(quality.values[0, 0])
        assert quality.to_frame()[["low", "high"]].isna().to_numpy()[:, 0].tolist() == [True, False]
