"""Kernels of all pairs and of long vectors, against single pairs."""

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.stats import Rankings, coefficient_matrix
from pt_rankcorr.stats.coefficients import counting
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.warnings import DegenerateInputWarning

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
