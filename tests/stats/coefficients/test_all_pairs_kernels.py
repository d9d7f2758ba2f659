"""Kernels of all pairs and of long vectors, against single pairs."""

import numpy as np
import pytest
import scipy.stats

import pt_rankcorr as rc
from pt_rankcorr.stats import Rankings, coefficient_matrix
from pt_rankcorr.stats.coefficients import counting, kendall
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles

RNG = np.random.default_rng(4)
FINE, COARSE = RNG.random((6, 9)), RNG.integers(0, 4, (6, 9)).astype(float)


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("signs", [2**22, 9])
def test_the_matrix_is_of_single_pairs(name, signs, monkeypatch):
    monkeypatch.setattr(counting, "SIGNS", signs)
    known, constant = COEFFICIENTS[name], np.ones((1, 9))
    for references in (FINE, COARSE, FINE[:, :2], constant):
        for estimates in (FINE[::-1], COARSE[:4], constant):
            estimates = estimates[:, : references.shape[1]]
            expected = [[known.kernel(reference, estimate) for estimate in estimates] for reference in references]
            np.testing.assert_allclose(known.matrix(references, estimates), expected, atol=1e-14)


def test_the_public_matrix_takes_rankings():
    found = coefficient_matrix(Rankings(COARSE), "tau_ap")
    expected = [[rc.tau_ap(reference, estimate) for estimate in COARSE] for reference in COARSE]
    np.testing.assert_allclose(found, expected, atol=1e-14)
    with pytest.warns(DegenerateInputWarning, match="tau"):
        undefined = np.isnan(coefficient_matrix(Rankings([[1, 1], [1, 2]])))
    assert undefined.to_numpy().tolist() == [[True, True], [True, False]]
    with pytest.raises(ValueError, match=r"^`rankings` must be of shape \(n_rankings, n_systems\), got "):
        coefficient_matrix(Rankings(FINE[0]))


@pytest.mark.parametrize("name", ["tau", "tau_b"])
@pytest.mark.parametrize("values", [3, 10**6])
def test_long_vectors_have_the_value_of_their_counts(name, values, monkeypatch):
    reference, estimate = RNG.integers(0, values, (2, 3, 60)).astype(float)
    estimate[2] = 1.0
    expected = COEFFICIENTS[name].kernel(reference, estimate)
    monkeypatch.setattr(kendall, "LONG", 10)
    found = COEFFICIENTS[name].kernel(reference, estimate)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    if name == "tau":
        assert found[0] == pytest.approx(oracles.kendall_tau_a(reference[0].tolist(), estimate[0].tolist()), abs=1e-15)
    else:
        assert found[0] == pytest.approx(scipy.stats.kendalltau(reference[0], estimate[0]).statistic, abs=1e-15)
