"""What rows of comparisons say, one row alone: by the public statistics, and pair by pair."""

import warnings

import numpy as np
import pytest
from scipy.stats import ttest_rel

from pt_rankcorr import DRankTest, correlation_interval
from tests.stats.oracles import COEFFICIENTS


def check_row(row, reference, estimate):
    """All that it says of two score matrices, as it was asked for."""
    settings = row.settings
    assert (row.n_topics, row.n_systems) == reference.shape
    for name, coefficient in COEFFICIENTS.items():
        expected = float(coefficient.kernel(reference.means, estimate.means))
        assert row.coefficients[name] == pytest.approx(expected, abs=1e-14)  # sums are in another order
    if settings.d_rank:
        how = {"n_resamples": settings.d_rank_resamples, "null": settings.null, "rng": settings.seed}
        how |= {"n_ranking_topics": estimate.n_topics} if settings.two_samples else {}
        tested = DRankTest(reference, covariance=settings.covariance, **how).test(estimate)
        assert (row.d_rank, row.d_rank_pvalue) == pytest.approx(tuple(tested), abs=1e-9)
        assert row.d_rank_pvalue_standard_error == pytest.approx(tested.pvalue_standard_error)
    else:
        assert np.isnan([row.d_rank, row.d_rank_pvalue, row.d_rank_pvalue_standard_error]).all()
    if not settings.intervals:
        assert (np.isnan(row.pvalue), row.correlations, row.cautions) == (True, {}, ())
    elif not settings.two_samples:
        check_intervals(row, reference, estimate)
    if row.pairs is not None and settings.test == "t" and not settings.two_samples:
        check_pairs(row, reference, estimate)


def check_intervals(row, reference, estimate):
    """One question, one answer: those of `correlation_interval`, to the last bit."""
    settings = row.settings
    shown = [coefficient.name for coefficient in settings.with_intervals]
    assert list(row.correlations) == [*shown, *(f"{name}@{settings.top}" for name in shown if settings.top)]
    for name, correlation in row.correlations.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = correlation_interval(
                reference,
                estimate,
                name,
                level=settings.level,
                n_resamples=settings.n_resamples or 2000,
                rng=settings.seed,
            )
        assert_same(correlation, found)
        assert row.coefficients[name] == pytest.approx(found.statistic, abs=1e-14)
    assert row.pvalue == pytest.approx(row.correlations[shown[0]].pvalue, nan_ok=True)


def assert_same(found, expected):
    """Two correlations with the same numbers and cautions; sums may be in another order."""
    numbers, others = (correlation.to_dict() for correlation in (found, expected))
    assert numbers.pop("coefficient") == others.pop("coefficient")
    assert numbers == pytest.approx(others, rel=1e-12, abs=1e-14, nan_ok=True)
    assert found.cautions == expected.cautions


def check_pairs(row, reference, estimate):
    """Which pairs of systems differ significantly by the paired t-test, pair by pair."""
    outcomes, soft, opposite = [], [], set()
    systems = reference.systems
    for first in range(len(systems)):
        for second in range(first):
            both = [(scores.sample[:, first], scores.sample[:, second]) for scores in (reference, estimate)]
            tests = [ttest_rel(*each) for each in both]
            ours, theirs = (int(np.sign(test.statistic) * (test.pvalue < 0.05)) for test in tests)
            outcomes.append((ours, theirs))
            one_sided = [ttest_rel(*each, alternative="greater").pvalue for each in both]
            soft.append(1 - abs(one_sided[0] - one_sided[1]))
            if ours * theirs == -1:
                opposite.add((systems[first], systems[second])[::ours])
    claimed, missed = (sum(one[at] == 0 != one[1 - at] for one in outcomes) for at in (0, 1))
    positives, negatives = (sum((ours != 0) == kind for ours, _ in outcomes) for kind in (True, False))
    agreed = sum(ours == theirs != 0 for ours, theirs in outcomes)
    balanced = (agreed / positives + (negatives - claimed) / negatives) / 2 if positives and negatives else np.nan
    pairs = row.pairs
    assert pairs is not None
    assert set(pairs.active_disagreements) == opposite
    assert (pairs.n_significant, pairs.n_active_agreements) == (positives, agreed)
    assert (pairs.n_false_positives, pairs.n_false_negatives) == (claimed, missed)
    accuracies = pairs.balanced_accuracy, pairs.soft_accuracy
    assert accuracies == pytest.approx((balanced, float(np.mean(soft))), nan_ok=True)
    for name, (low, high) in pairs.intervals.items():
        assert low <= getattr(pairs, name) <= high
