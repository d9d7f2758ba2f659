"""Standard errors over samples of as many topics, by their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.accuracy import replicates
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.accuracy.replicates import replicate, standard_errors
from tests.stats import oracles_agreement as oracle
from tests.stats.oracles import COEFFICIENTS, DEFINITIONS

NAMES = ("tau", "tau_ap_b", "pearson")
OF = Coefficients(tuple(COEFFICIENTS[name] for name in NAMES)).of


def scores(seed, n_topics=9, n_systems=6, noise=0.3):
    truth = np.random.default_rng(0).random((50, n_systems))[:n_topics] + np.linspace(0, 0.5, n_systems)
    return truth + noise * np.random.default_rng(seed).standard_normal(truth.shape)


def test_each_replicate_is_the_definition():
    reference, first, second = scores(1), scores(2), scores(3)
    drawn = replicate(OF, reference, [first, second], 20, 5)
    assert drawn.shape == (3, 20, 2, 3)
    for at, estimate in enumerate((first, second)):
        for column, name in enumerate(NAMES):
            expected = oracle.replicates(DEFINITIONS[name], reference, estimate, 20, 5)
            assert drawn[:, :, at, column] == pytest.approx(expected, abs=1e-9)


def test_sides_on_different_topics_are_resampled_each_alone():
    reference, others = scores(1), [scores(2, 7), scores(3, 7), scores(4, 12)]
    drawn = replicate(OF, reference, others, 10, 5, samples=[1, 1, 7])
    for at, (estimate, sample) in enumerate(zip(others, (1, 1, 7), strict=True)):
        expected = oracle.replicates(DEFINITIONS["tau"], reference, estimate, 10, 5, sample)
        assert drawn[:, :, at, 0] == pytest.approx(expected, abs=1e-12)


def test_the_first_resamples_do_not_depend_on_what_else_is_asked_for():
    reference, others = scores(1, 40, 500), [scores(2, 40, 500), scores(3, 30, 500), scores(4, 50, 500)]
    of = Coefficients((COEFFICIENTS["spearman"],)).of
    drawn = replicate(of, reference, others, 150, 5, samples=[0, 3, 4])
    assert np.array_equal(replicate(of, reference, others[1:2], 300, 5, samples=[3])[:, :150, 0], drawn[:, :, 1])
    assert np.array_equal(replicate(of, reference, others[:1], 7, 5)[:, :, 0], drawn[:, :7, 0])
    assert np.array_equal(replicate(of, reference, others[:1], 150, 5, nested=False)[:, :, 0], drawn[:1, :, 0])
    assert np.array_equal(replicate(of, reference, others, 150, 5, samples=[0, 3, 4], n_jobs=2), drawn)


@pytest.mark.parametrize("room", [0, 2**26])
def test_references_that_share_resamples_have_the_same(room, monkeypatch):
    monkeypatch.setattr(replicates, "SHARED_BYTES", room)
    measures = [scores(seed) for seed in range(4)]
    of = Coefficients((COEFFICIENTS["tau"], COEFFICIENTS["tau_ap"]), top=3).of
    calls = [(measures[0], measures[1:]), (measures[2], measures[:2]), (measures[3], measures[:1])]
    alone = [replicate(of, *sides, 2500, 5) for sides in calls]
    with replicates.sharing_resamples():
        for sides, expected in zip(calls, alone, strict=True):
            assert np.array_equal(replicate(of, *sides, 2500, 5), expected)
        blocks = replicates._resampled.get().values()
        assert len(blocks) == replicates.SHARED
        assert {len(block.means) for block in blocks} == {4 if room else 0}
        assert {len(block.sets) for block in blocks} == {4 if room else 0}


@given(st.integers(0, 999), st.floats(0.05, 3.0), st.floats(0.0, 0.2))
def test_a_standard_error_is_the_definition(seed, shrinkage, undefined):
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((3, 40)) * np.array([1.0, shrinkage, shrinkage])[:, np.newaxis]
    drawn[rng.random(drawn.shape) < undefined] = np.nan
    assert standard_errors(drawn, 7) == pytest.approx(oracle.standard_error(drawn, 7), rel=1e-12)


def test_nested_resamples_without_a_value_leave_the_outer_one():
    drawn = np.random.default_rng(0).standard_normal((3, 40))
    drawn[1, :30] = np.nan
    kept = drawn[:, 30:]
    ratio = kept[0].std(ddof=1) / np.sqrt(((kept[1] - kept[2]) ** 2).mean() / 2)
    expected = drawn[0].std(ddof=1) * np.clip(ratio, 0.8, 1.5) * np.sqrt(7 / 6)
    assert standard_errors(drawn, 7) == pytest.approx(expected)
    drawn[1] = np.nan
    assert standard_errors(drawn, 7) == pytest.approx(drawn[0].std(ddof=1) * np.sqrt(7 / 6))


@pytest.mark.parametrize(("shrinkage", "factor"), [(100.0, 0.8), (0.01, 1.5), (0.0, 1.0)])
def test_the_ratio_of_spreads_is_clipped(shrinkage, factor):
    drawn = np.array([[1.0, 2.0, 4.0], [0.0, 0.0, 0.0], [shrinkage, -shrinkage, shrinkage]])
    expected = factor * np.std([1.0, 2.0, 4.0], ddof=1) * np.sqrt(5 / 4)
    assert standard_errors(drawn, 5) == pytest.approx(expected, rel=1e-12)


def test_several_at_once_are_the_same_bits_as_each():
    drawn = np.random.default_rng(0).standard_normal((3, 301, 5, 2))
    drawn[0, 3, 1, 0] = np.nan
    together = standard_errors(drawn, 9)
    each = [[standard_errors(drawn[..., row, column], 9) for column in range(2)] for row in range(5)]
    assert np.array_equal(together, np.array(each))
    by_size = standard_errors(drawn[..., 0], np.array([9, 5, 9, 9, 20]))
    assert by_size[1] == standard_errors(drawn[..., 1, 0], 5)


def test_of_fewer_than_two_resamples_there_is_none():
    drawn = np.full((3, 4, 2), np.nan)
    drawn[:, 0, 0] = 1.0
    assert np.isnan(standard_errors(drawn, 5)).all()
