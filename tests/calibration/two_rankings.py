"""Judges whose true ranking is known: what two noisy rankings are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from tests.calibration.populations import TREC, read_scores

Floats = NDArray[np.float64]

JUDGES = TREC.parent / "judges"
PEOPLE = "dl19_people_ndcg10"
FACTORS, SHARE = 4, 0.5  # of topics, on which similar runs score alike, and their share of the variance
SHARED = 0.6  # of the judge's noise, that the reference has, too
ERRORS = {"1": 0.0, "high": 0.3, "low": 1.0}  # of a judge, in standard deviations of the true means
SPREADS = {"spread": 0.4, "adjacent": 0.12}  # of the true means, in standard deviations of a topic
NOT_EMPTY = 0.2  # of topics, on which a judge that is nearly empty gives any score


@dataclass(frozen=True)
class Judge:
    """How a judge errs, and what its scores are like.

    Attributes:
        truth: Whether it ranks as the reference does: "1", "high", "low".
        errors: Of single runs ("single"), of runs as far as these are alike on topics ("alike"), of what is alike in
            them and nothing else ("shared"), or of two groups, good and bad ("groups").
        runs: How far apart they are in truth: "spread" or "adjacent".
        noise: Of its scores, in units of the reference's.
        scores: "normal", "t3", "P@10", "bent", or "near-empty".
    """

    truth: str = "1"
    errors: str = "single"
    runs: str = "spread"
    noise: float = 1.0
    scores: str = "normal"

    def __str__(self) -> str:
        parts = [f"truth {self.truth}", "" if self.truth == "1" else f"errors {self.errors}", self.runs, self.scores]
        return ", ".join([*filter(None, parts), f"noise {self.noise:g}"])


@dataclass(frozen=True)
class Sample:
    """Scores of shape (n_topics, n_runs), and true means by both: shape (n_runs,)."""

    reference: Floats
    judges: tuple[Floats, ...]
    means: Floats
    means_by_judges: tuple[Floats, ...]


def sample(
    judges: tuple[Judge, ...],
    n_runs: int,
    n_topics: int,
    rng: np.random.Generator,
    *,
    equal: bool = False,
    family: bool = False,
) -> Sample:
    """Judges of one collection of runs; their errors, and noise that the reference does not share, are their own.

    Equal ones have one true tau with the reference; those of a family make the same errors.
    """
    loadings = rng.standard_normal((n_runs, FACTORS)) / np.sqrt(FACTORS)
    quality = _standardised(loadings @ rng.standard_normal(FACTORS) + rng.standard_normal(n_runs))
    heavy = judges[0].scores == "t3"
    means = SPREADS[judges[0].runs] * quality
    ours = _noise(loadings, n_topics, rng, heavy)
    scores, truths = [], []
    for judge in judges:
        if not (family and truths):
            wrong = _wrong(judge, loadings, quality, rng)
        while equal and truths and _tau(quality, quality + wrong) != _tau(means, truths[0]):
            wrong = _wrong(judge, loadings, quality, rng)
        theirs = judge.noise * (np.sqrt(SHARED) * ours + np.sqrt(1.0 - SHARED) * _noise(loadings, n_topics, rng, heavy))
        true = SPREADS[judge.runs] * (quality + wrong)
        made = KINDS.get(judge.scores, _plain)(true, theirs, rng)
        scores.append(made)
        truths.append(true)
    reference = means + ours + rng.standard_normal((n_topics, 1))
    if judges[0].scores == "P@10":
        reference = _tenths(means, ours, rng)
    return Sample(reference, tuple(scores), means, tuple(truths))


def _wrong(judge: Judge, loadings: Floats, quality: Floats, rng: np.random.Generator) -> Floats:
    return ERRORS[judge.truth] * _errors(judge.errors, loadings, quality, rng)


def _tau(first: Floats, second: Floats) -> float:
    return float(COEFFICIENTS["tau"].kernel(first, second))


def _noise(loadings: Floats, n_topics: int, rng: np.random.Generator, heavy: bool) -> Floats:
    alike = rng.standard_normal((n_topics, FACTORS)) @ loadings.T
    found = np.sqrt(SHARE) * alike + np.sqrt(1.0 - SHARE) * rng.standard_normal(alike.shape)
    return found / np.sqrt(rng.chisquare(3, (n_topics, 1))) if heavy else found  # of variance 1, too


def _errors(kind: str, loadings: Floats, quality: Floats, rng: np.random.Generator) -> Floats:
    if kind in ("alike", "shared"):
        alone = np.sqrt(1.0 - SHARE) * rng.standard_normal(quality.size) if kind == "alike" else 0.0
        return _standardised(np.sqrt(SHARE) * loadings @ rng.standard_normal(FACTORS) + alone)
    if kind == "groups":
        return _standardised((quality > np.median(quality)) * 1.0 + 0.5 * rng.standard_normal(quality.size))
    return rng.standard_normal(quality.size)


def _standardised(values: Floats) -> Floats:
    return (values - values.mean()) / values.std()


def _plain(true: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    return 2.0 * true + 2.0 * noise + rng.standard_normal((len(noise), 1))


def _bent(true: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    """Means on a convex curve; noise grows with its slope."""
    slope = np.exp(_standardised(true))
    return true.std() * slope + slope * noise + rng.standard_normal((len(noise), 1))


def _tenths(true: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    shares = np.clip(0.4 + 0.15 * (true + noise), 0.0, 1.0)
    return np.floor(10 * shares + rng.random(shares.shape)) / 10


def _near_empty(true: Floats, noise: Floats, rng: np.random.Generator) -> Floats:
    """Most topics have no score at all."""
    return (rng.random((len(noise), 1)) < NOT_EMPTY) * (true - true.min() + noise)


KINDS: dict[str, Callable[[Floats, Floats, np.random.Generator], Floats]] = {
    "bent": _bent,
    "P@10": _tenths,
    "near-empty": _near_empty,
}


# --- real judges --------------------------------------------------------------------------------------------


@cache
def real_judges() -> dict[str, Floats]:
    """The people first, then eleven language models; none where the files are not at hand."""
    paths = sorted(JUDGES.glob("dl19_*.csv"), key=lambda path: (path.stem != PEOPLE, path.stem))
    return {path.stem: read_scores(path) for path in paths}
