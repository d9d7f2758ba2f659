"""Kendall's tau over the pairs that the truth puts clearly apart."""

from __future__ import annotations

import warnings

import numpy as np

from pt_rankcorr.stats._dominance import PAIRWISE_CELLS
from pt_rankcorr.stats._finished import all_tied
from pt_rankcorr.stats.checks import DegenerateInputWarning
from pt_rankcorr.stats.order import Floats

ROUNDING = 1e-12  # of scores: a pair that is exactly as far apart as the fuzziness says counts


def fuzzy_tau(truth: Floats, estimate: Floats, fuzziness: float, ties: str) -> Floats:
    """As defined in `coefficients.kendall_tau`, in blocks of pairs of a bounded size."""
    truth, estimate = np.broadcast_arrays(truth, estimate)
    rows = [_of_one(truth[row], estimate[row], fuzziness, ties) for row in np.ndindex(truth.shape[:-1])]
    tau = np.array(rows).reshape(truth.shape[:-1])
    if (np.isnan(tau) & ~all_tied(truth) & ~all_tied(estimate)).any():
        message = "kendall_tau is undefined where no pair is further apart than the fuzziness: the result is nan."
        warnings.warn(message, DegenerateInputWarning, stacklevel=3)
    return tau


def _of_one(truth: Floats, estimate: Floats, fuzziness: float, ties: str) -> Floats:
    step = max(1, PAIRWISE_CELLS // truth.size)
    blocks = (_counts(truth, estimate, at, at + step, fuzziness) for at in range(0, truth.size, step))
    agreement, pairs, apart_in_truth, apart_in_estimate = np.sum(list(blocks), axis=0)
    compared = pairs if ties == "a" else np.sqrt(apart_in_truth * apart_in_estimate)
    with np.errstate(invalid="ignore"):
        return np.asarray(agreement / compared)


def _counts(truth: Floats, estimate: Floats, start: int, stop: int, fuzziness: float) -> tuple[float, ...]:
    """Of the clear pairs of the items from start to stop with later ones: sum of agreement, number, number not tied."""
    with np.errstate(over="ignore"):  # an infinite gap is large enough, and has a sign
        gaps = truth[start:stop, np.newaxis] - truth
        gaps_in_estimate = estimate[start:stop, np.newaxis] - estimate
    smaller = np.minimum(np.abs(truth[start:stop, np.newaxis]), np.abs(truth))
    later = np.arange(truth.size) > np.arange(start, min(stop, truth.size))[:, np.newaxis]
    clear = later & (gaps != 0) & (np.abs(gaps) >= (fuzziness - ROUNDING) * smaller)
    in_truth = np.sign(gaps[clear])
    in_estimate = np.sign(gaps_in_estimate[clear])
    return float(in_truth @ in_estimate), in_truth.size, float((in_truth**2).sum()), float((in_estimate**2).sum())
