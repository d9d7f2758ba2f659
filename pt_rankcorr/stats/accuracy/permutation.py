"""The permutation test of two measures that evaluations of metrics report: PERM-BOTH."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.core.means import round_means, system_means
from pt_rankcorr.stats.core.resampling import blockwise, generator
from pt_rankcorr.stats.core.types import TOLERANCE, Floats


def permutation_pvalue(
    sides: Sequence[Floats], coefficients: Coefficients, n_resamples: int, seed: int, n_jobs: int | None = None
) -> float:
    """The two-sided p-value of a difference of two coefficients, by exchanging scores of the two measures.

    Both are standardised over all their scores. Then the two scores of each system on each topic change sides or not,
    with equal probability. The p-value is (b + 1) / (B + 1), with b the permutations of as large a difference or more.
    `sides` are the scores by the reference and by both measures; the last column of `coefficients` is tested.
    """
    reference, *measures = sides
    one, other = (_standardised(scores) for scores in measures)
    trusted, middle, half = system_means(reference), (one + other) / 2.0, (one - other) / 2.0

    def differences(shift: Floats) -> Floats:
        sides = (round_means((middle.mean(axis=0) + sign * shift), middle) for sign in (1.0, -1.0))
        of_one, of_other = (coefficients.of(np.broadcast_to(trusted, shift.shape), side)[..., -1] for side in sides)
        return np.asarray(of_one - of_other)

    def compute(rng: np.random.Generator, size: int) -> Floats:
        signs = 2.0 * rng.integers(0, 2, (size, *half.shape), dtype=np.int8) - 1.0
        return differences((signs * half).mean(axis=1))

    drawn = blockwise(compute, n_resamples, cells=half.size, rng=generator(seed), n_jobs=n_jobs)
    observed = float(differences(half.mean(axis=0)))
    return (int(np.count_nonzero(np.abs(drawn) >= abs(observed) - TOLERANCE)) + 1) / (n_resamples + 1)


def _standardised(scores: Floats) -> Floats:
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))
