"""The studies of section 4.3 of paper "On rank correlation and the distance between rankings", on Vaswani."""

from __future__ import annotations

import numpy as np
import pytest
from ir_measures import AP, Bpref, P, Rprec, nDCG

from pt_rankcorr import compare_judgments, judgment_curve
from pt_rankcorr.judgments import pseudo_judgments
from pt_rankcorr.stats import kendall_test
from tests.comparison.conftest import Study

pytestmark = [
    pytest.mark.whole,
    pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning"),  # judges of few labels
]


def test_random_judgments_are_rejected_by_d_rank_and_not_by_tau(study: Study) -> None:
    others = {f"random {seed}": pseudo_judgments(study.runs, depth=20, share=0.1, rng=seed) for seed in range(5)}
    result = compare_judgments(
        study.runs, study.qrels, others, [nDCG], test="t", n_resamples=2000, rng=1, verbose=False
    )
    assert 0.4 < np.mean([row.tau for row in result]) < 0.7
    for row in result:
        tau = kendall_test(row.tau, len(result.reference.systems))
        assert tau.pvalue < 0.01
        assert row.pvalue == 1 / 2001
        assert abs(row.kappa) < 0.05


def test_a_pool_becomes_indistinguishable_at_some_depth(study: Study) -> None:
    curve = judgment_curve(
        study.runs, study.qrels, [AP, nDCG], depths=[1, 5, 20, 100], n_resamples=1000, rng=1, verbose=False
    )
    for measure in ("AP", "nDCG"):
        first, *_, last = curve.band(measure, "pvalue").middle
        assert first < 0.1 < last
        assert 1 < curve.indistinguishable_from(measure, alpha=0.1) <= 100
        assert curve.band(measure, "d_rank").middle[0] > curve.band(measure, "d_rank").middle[-1]


@pytest.mark.slow
def test_bpref_stands_missing_judgments_best(study: Study) -> None:
    """Figure 4 of the paper: the highest tau where few are left, and the first not to differ by d_rank."""
    curve = judgment_curve(
        study.runs,
        study.qrels,
        [AP, P @ 10, Rprec, Bpref],
        shares=[0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9],
        repetitions=30,
        n_resamples=2000,
        rng=1,
        verbose=False,
    )
    needed = {measure: curve.indistinguishable_from(measure) for measure in curve.measures}
    fewest = {measure: curve.band(measure, "tau").middle[0] for measure in curve.measures}
    for measure in ("AP", "P@10", "Rprec"):
        assert needed["Bpref"] < needed[measure]
        assert fewest["Bpref"] > fewest[measure]
