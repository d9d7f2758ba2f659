"""Agreement on the pairs of systems that are significantly different: tau without the coin flips."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pt_rankcorr.stats.checks import DegenerateInputWarning
from pt_rankcorr.stats.order import as_matrix, as_vectors, system_means
from pt_rankcorr.stats.resampling import RandomState
from pt_rankcorr.stats.results import Result
from pt_rankcorr.stats.sensitivity import discriminative_power


@dataclass(frozen=True, eq=False)
class SignificantAgreementResult(Result):
    """The share of significant pairs that a ranking puts in the same order.

    Attributes:
        statistic: The share, in [0, 1]; nan if no pair is significant.
        n_agreed: The significant pairs in the same order; a pair that the ranking ties counts one half.
        n_significant: The significant pairs.
        n_pairs: All pairs.
        n_topics: The number of topics of the baseline.
        n_systems: The number of systems.
        test: The name of the test.
        alpha: Its level.
        n_resamples: The number of resamples B, or None for a test that needs none.
    """

    statistic: float
    n_agreed: float
    n_significant: int
    n_pairs: int
    n_topics: int
    n_systems: int
    test: str
    alpha: float
    n_resamples: int | None


def significant_agreement(
    baseline: ArrayLike,
    ranking: object,
    *,
    test: str = "t",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    rng: RandomState = None,
    n_jobs: int | None = None,
) -> SignificantAgreementResult:
    """Of the pairs that differ significantly under the baseline, the share that a ranking puts in the same order.

    In [0, 1]: 1 if the ranking swaps no significant pair, whatever it does to the others. A pair that the ranking
    ties counts one half, as if the tie were broken at random. Time is that of `discriminative_power`.

    Args:
        baseline: Scores by the measure that is trusted, shape (n_topics, n_systems), at least 2 topics.
        ranking: Scores of the systems: shape (n_systems,), a score matrix (its means), or a mapping.
        test: "t", "wilcoxon", "tukey-hsd", "paired-bootstrap" or "unpaired-bootstrap".
        alpha: The level, between 0 and 1.
        n_resamples: The number of resamples, for a test that needs any.
        rng: A seed or a random generator.
        n_jobs: The number of workers, for a test that resamples; the result does not depend on it.

    Returns:
        A result whose `statistic` is the share; nan, with a warning, if no pair is significant.

    Raises:
        TypeError: If the scores are not numbers, or an argument has the wrong type.
        ValueError: If the systems do not match, scores are not finite, or an argument is out of its range.

    References:
        Cormack and Lynam, "Power and bias of subset pooling strategies", SIGIR 2007; row "dsc pow" of the table in
        section 3.1 of Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.

    Example:
        The first system is significantly worse than the two others; the ranking confirms one of these pairs:

        >>> scores = [[0.1, 0.5, 0.6], [0.2, 0.7, 0.6], [0.3, 0.7, 0.9], [0.1, 0.6, 0.5]]
        >>> result = significant_agreement(scores, [2, 1, 3])
        >>> result.statistic, result.n_significant, result.n_pairs
        (0.5, 2, 3)
    """
    matrix = as_matrix(baseline, "baseline", min_topics=2)
    labelled = baseline if hasattr(baseline, "means") else system_means(matrix)
    truth, estimate = as_vectors(labelled, ranking, ("baseline", "ranking"))
    if estimate.ndim != 1:
        raise ValueError(f"`ranking` must be a single ranking, of shape (n_systems,), got shape {estimate.shape}.")
    power = discriminative_power(matrix, test=test, alpha=alpha, n_resamples=n_resamples, rng=rng, n_jobs=n_jobs)
    first, second = np.nonzero(np.triu(power.significant, k=1))
    same = np.sign(truth[first] - truth[second]) * np.sign(estimate[first] - estimate[second])
    agreed = float(((same + 1) / 2).sum())
    if first.size == 0:
        warnings.warn("No pair of systems is significant: the agreement is nan.", DegenerateInputWarning, stacklevel=2)
    return SignificantAgreementResult(
        statistic=agreed / first.size if first.size else float("nan"),
        n_agreed=agreed,
        n_significant=power.n_significant,
        n_pairs=power.n_pairs,
        n_topics=power.n_topics,
        n_systems=power.n_systems,
        test=test,
        alpha=power.alpha,
        n_resamples=power.n_resamples,
    )
