import numpy as np
import pytest

from pt_rankcorr.stats.core.covariance import effective_systems


@pytest.mark.parametrize("n_topics", [10, 60])
def test_independent_noise_is_of_all_systems_and_common_noise_of_one(n_topics):
    """Whether products of topics or of systems are fewer."""
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        noise = rng.standard_normal((n_topics, 20))
        found.append(effective_systems(noise - noise.mean(axis=0), n_topics - 1, 1000))
    assert np.median(found) == pytest.approx(20.0, rel=0.1)
    common = effective_systems(noise[:, :1] * np.ones(20), n_topics - 1, 19)
    assert common == pytest.approx(1.0 + 2.0 / (n_topics - 1))


def test_it_is_the_ratio_of_huynh_and_feldt():
    """Of the traces of a covariance, without their bias."""
    rows = np.random.default_rng(1).standard_normal((15, 4)) * [1.0, 2.0, 3.0, 4.0]
    rows -= rows.mean(axis=0)
    covariance, freedom = rows.T @ rows, 14
    trace, squared = np.trace(covariance), np.trace(covariance @ covariance)
    unbiased = freedom**2 / ((freedom - 1) * (freedom + 2)) * (squared - trace**2 / freedom)
    assert effective_systems(rows, freedom, 4) == pytest.approx(min(trace**2 / unbiased, 4.0))
