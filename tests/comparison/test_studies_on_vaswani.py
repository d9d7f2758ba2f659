"""The studies of section 4.3 of paper "On rank correlation and the distance between rankings", on Vaswani."""

from __future__ import annotations

import numpy as np
import pytest
from ir_measures import AP, Bpref, P, Rprec, nDCG

from pt_rankcorr.comparison.curve import judgment_curve
from pt_rankcorr.comparison.judged import compare_judgments
from pt_rankcorr.judgments.pools import pseudo_judgments
from pt_rankcorr.stats.coefficients import kendall_test
from tests.comparison.conftest import Study


def test_random_judgments_are_rejected_by_d_rank_and_not_by_tau(study: Study) -> None:
    others = {f"random {seed}": pseudo_judgments(study.runs, depth=20, share=0.1, rng=seed) for seed in range(5)}
    result = compare_judgments(
        study.runs, study.qrels, others, [nDCG], test="t", n_resamples=2000, rng=1, verbose=False
    )
    assert 0.4 < np.mean([row.ranking.tau for row in result]) < 0.6
    for row in result:
        tau = kendall_test(row.ranking.tau, len(result.reference.systems))
        assert tau.pvalue < 0.01
        assert row.ranking.pvalue == 1 / 2001
        assert abs(row.labels.kappa) < 0.05


def test_a_pool_becomes_indistinguishable_at_some_depth(study: Study) -> None:
    curve = judgment_curve(
        study.runs, study.qrels, [AP, nDCG], depths=[1, 5, 20, 100], n_resamples=1000, rng=1, verbose=False
    )
    for measure in ("AP", "nDCG"):
        first, *_, last = curve.band(measure, "pvalue").middle
        assert first < 0.05 < last
        assert 1 < curve.indistinguishable_from(measure) <= 100
        assert curve.band(measure, "d_rank").middle[0] > curve.band(measure, "d_rank").middle[-1]


@pytest.mark.slow
def test_bpref_needs_fewest_judgments(study: Study) -> None:
    """Figure 4 of the paper: by a tau of 0.9, by d_rank, and with few judgments."""
    curve = judgment_curve(
        study.runs,
        study.qrels,
        [AP, P @ 10, Rprec, Bpref],
        shares=[0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9],
        repetitions=20,
        n_resamples=2000,
        rng=1,
        verbose=False,
    )
    by_tau = {measure: curve.reaches(measure, 0.9) for measure in curve.measures}
    by_d_rank = {measure: curve.indistinguishable_from(measure) for measure in curve.measures}
    for needed in (by_tau, by_d_rank):
        assert all(needed["Bpref"] < needed[measure] for measure in ("AP", "P@10", "Rprec"))
    for measure in ("AP", "Rprec"):
        assert (curve.band("Bpref").middle[:3] > curve.band(measure).middle[:3]).all()
