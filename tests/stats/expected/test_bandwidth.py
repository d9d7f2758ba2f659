"""The plug-in bandwidth against a double loop over the formulas of the book, and on samples without a scale."""

from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr.stats.expected.discordance import plug_in_bandwidths
from tests.stats.oracles_expected import plug_in_bandwidth


def samples(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(n)
    return {
        "normal": rng.normal(size=n),
        "uniform": rng.uniform(size=n) * 1e-3,
        "two humps": np.concatenate((rng.normal(-3, 1, n // 2), rng.normal(3, 0.5, n - n // 2))),
        "heavy tails": rng.standard_t(3, size=n),
        "discrete": rng.integers(-4, 6, size=n) / 10,
    }[kind]


@pytest.mark.parametrize("kind", ["normal", "uniform", "two humps", "heavy tails", "discrete"])
@pytest.mark.parametrize("n", [10, 50, 200])
def test_agrees_with_the_unbinned_formulas(kind: str, n: int) -> None:
    sample = samples(kind, n)
    assert plug_in_bandwidths(sample) == pytest.approx(plug_in_bandwidth(sample), rel=2e-3)


def test_normal_sample_gets_the_bandwidth_of_a_normal_density() -> None:
    n = 100_000
    bandwidth = plug_in_bandwidths(np.random.default_rng(1).normal(size=n))
    assert bandwidth == pytest.approx((4 / (3 * n)) ** 0.2, rel=0.02)


def test_follows_location_and_scale() -> None:
    sample = samples("heavy tails", 60)
    assert plug_in_bandwidths(1e4 * sample + 7) == pytest.approx(1e4 * plug_in_bandwidths(sample), rel=1e-9)


def test_rows_do_not_mix() -> None:
    rows = np.stack([samples(kind, 40) for kind in ("normal", "two humps", "discrete")])
    assert plug_in_bandwidths(rows).tolist() == pytest.approx(
        [float(plug_in_bandwidths(row)) for row in rows], rel=1e-12
    )


@pytest.mark.parametrize(
    "sample", [np.zeros(9), np.full(9, 0.3), np.array([0.1] * 8 + [0.9])], ids=["0", "constant", "half equal"]
)
def test_no_scale_no_bandwidth(sample: np.ndarray) -> None:
    assert np.isnan(plug_in_bandwidths(sample))


def test_rounding_errors_are_no_scale() -> None:
    differences = np.array([0.3 - 0.2, 0.2 - 0.1, 0.9 - 0.8, 0.7 - 0.6, 0.5 - 0.4, 0.9])
    assert np.isnan(plug_in_bandwidths(differences))
