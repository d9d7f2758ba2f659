"""Sequential Monte Carlo p-values: a ranking's resamples end once enough of them are at least as far as it is.

Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991. The rule goes by the order of the resamples,
so that workers and blocks change no p-value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.core.types import Floats, Indices

ENOUGH = 200  # resamples at least as far: the standard error of p is then a fourteenth of p at most
TOLERANCE = 100 * float(np.finfo(np.float64).eps)


def least_as_far(statistic: Floats) -> Floats:
    """What counts as at least as far, but for rounding errors."""
    return np.asarray(statistic * (1.0 - TOLERANCE))


class Counts:
    """How many resamples are at least as far from each of k rankings as it is from the reference, until enough are.

    Attributes:
        least: The distance from which on a resample counts; nan if nothing is to be counted; shape (k,).
        n_resamples: The most there are.
        enough: With how many that count the resamples of a ranking end.
        as_far: How many count.
        used: How many resamples there were until then.
        fallbacks: For how many of these only quadprog found the distance.
    """

    def __init__(self, least: Floats, n_resamples: int, enough: int = ENOUGH) -> None:
        self.least, self.n_resamples, self.enough = least, n_resamples, enough
        self.as_far, self.used, self.fallbacks = (np.zeros(least.shape, dtype=np.intp) for _ in range(3))

    @property
    def left(self) -> Indices:
        """How many more are enough, for each ranking."""
        return np.where(np.isnan(self.least) | (self.used == self.n_resamples), 0, self.enough - self.as_far)

    def add_all(self, rankings: NDArray[np.bool_]) -> None:
        """For these rankings all resamples count."""
        self.as_far[rankings] = self.used[rankings] = min(self.enough, self.n_resamples)

    def add(self, rows: Floats, rankings: Indices) -> None:
        """The next resamples: for each of these rankings a distance and whether quadprog found it, shape (n, j, 2).

        What is nan does not count, nor what follows the last that is needed.
        """
        left = self.left
        for column, at in enumerate(rankings):
            if not left[at]:
                continue
            distances, by_quadprog = rows[:, column].T
            that_count = (distances >= self.least[at]).nonzero()[0][: left[at]]
            used = that_count[-1] + 1 if that_count.size == left[at] else len(rows)
            self.as_far[at] += that_count.size
            self.used[at] += used
            self.fallbacks[at] += int(by_quadprog[:used].sum())

    def pvalues(self) -> Floats:
        """Enough by how many resamples it took; (b + 1)/(B + 1), if B brought only b."""
        ended = self.as_far >= self.enough
        whole = (self.as_far + 1.0) / (self.n_resamples + 1.0)
        found = np.where(ended, self.as_far / np.maximum(self.used, 1), whole)
        return np.where(np.isnan(self.least), np.nan, found)

    def standard_errors(self) -> Floats:
        """Of the p-values p, over Monte Carlo resamples: sqrt(p (1 - p) / the resamples used).

        The count among B resamples is binomial. The number l until there are h is negative binomial, with variance
        h (1 - p)/p^2; so that of h/l is about (h/l^2)^2 h (1 - p)/p^2, which is p^2 (1 - p)/h, or p (1 - p)/l.
        """
        pvalues = self.pvalues()
        return np.asarray(np.sqrt(pvalues * (1.0 - pvalues) / np.maximum(self.used, 1)))
