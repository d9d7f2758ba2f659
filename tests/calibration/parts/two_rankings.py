"""Two noisy rankings of judges whose true one is known: intervals of tau, the p-value of one ranking, contests.

`real_pairs` has those of real measures.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.truth.one_ranking import TwoMeasures, pvalue_of_one_ranking
from pt_rankcorr.stats.truth.two_rankings import draw_two_rankings
from tests.calibration.populations import TREC, read_scores
from tests.calibration.studies import Study, coverage, covered, level, rejected

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

    Its errors are of single runs ("single"), of runs as far as these are alike on topics ("alike"), of what is alike in
    them and nothing else ("shared"), or of two groups, good and bad ("groups").
    """

    truth: str = "1"  # whether it ranks as the reference does: "1", "high", "low"
    errors: str = "single"
    runs: str = "spread"  # how far apart they are in truth: or "adjacent"
    noise: float = 1.0  # of its scores, in units of the reference's
    scores: str = "normal"  # or "t3", "P@10", "bent", "near-empty", "logistic 2", ...

    def __str__(self):
        parts = [f"truth {self.truth}", "" if self.truth == "1" else f"errors {self.errors}", self.runs, self.scores]
        return ", ".join([*filter(None, parts), f"noise {self.noise:g}"])


@dataclass(frozen=True)
class Sample:
    """Scores of shape (n_topics, n_runs), and true means by both: shape (n_runs,)."""

    reference: Floats
    judges: tuple[Floats, ...]
    means: Floats
    means_by_judges: tuple[Floats, ...]


def sample(judges, n_runs, n_topics, rng, *, equal=False, family=False):
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


def _wrong(judge, loadings, quality, rng):
    return ERRORS[judge.truth] * _errors(judge.errors, loadings, quality, rng)


def _tau(first, second):
    return float(COEFFICIENTS["tau"].kernel(first, second))


def _noise(loadings, n_topics, rng, heavy):
    alike = rng.standard_normal((n_topics, FACTORS)) @ loadings.T
    found = np.sqrt(SHARE) * alike + np.sqrt(1.0 - SHARE) * rng.standard_normal(alike.shape)
    return found / np.sqrt(rng.chisquare(3, (n_topics, 1))) if heavy else found  # of variance 1, too


def _errors(kind, loadings, quality, rng):
    if kind in ("alike", "shared"):
        alone = np.sqrt(1.0 - SHARE) * rng.standard_normal(quality.size) if kind == "alike" else 0.0
        return _standardised(np.sqrt(SHARE) * loadings @ rng.standard_normal(FACTORS) + alone)
    if kind == "groups":
        return _standardised((quality > np.median(quality)) * 1.0 + 0.5 * rng.standard_normal(quality.size))
    return rng.standard_normal(quality.size)


def _standardised(values):
    return (values - values.mean()) / values.std()


def _plain(true, noise, rng):
    return 2.0 * true + 2.0 * noise + rng.standard_normal((len(noise), 1))


def _bent(true, noise, rng):
    """Means on a convex curve; noise grows with its slope."""
    slope = np.exp(_standardised(true))
    return true.std() * slope + slope * noise + rng.standard_normal((len(noise), 1))


def _tenths(true, noise, rng):
    shares = np.clip(0.4 + 0.15 * (true + noise), 0.0, 1.0)
    return np.floor(10 * shares + rng.random(shares.shape)) / 10


def _near_empty(true, noise, rng):
    """Most topics have no score at all."""
    return (rng.random((len(noise), 1)) < NOT_EMPTY) * (true - true.min() + noise)


def _logistic(steepness, with_noise, true, noise, rng):
    """Scores that saturate at both ends: noise with them, or the same everywhere."""
    shares = 1.0 / (1.0 + np.exp(-steepness * _standardised(true)))
    slope = steepness * shares * (1.0 - shares) if with_noise else shares.std()
    return shares + slope / true.std() * noise


SATURATING = {
    f"logistic {steepness:g}{'' if with_noise else ', noise everywhere'}": partial(_logistic, steepness, with_noise)
    for steepness, with_noise in itertools.product((2.0, 4.0, 8.0), (True, False))
}
KINDS = {"bent": _bent, "P@10": _tenths, "near-empty": _near_empty, **SATURATING}


# --- real judges --------------------------------------------------------------------------------------------


@cache
def real_judges():
    """The people first, then eleven language models; none where the files are not at hand."""
    paths = sorted(JUDGES.glob("dl19_*.csv"), key=lambda path: (path.stem != PEOPLE, path.stem))
    return {path.stem: read_scores(path) for path in paths}


@cache
def trec_collections():
    """Scores by measure, of each collection; none where the files are not at hand."""
    found = {}
    for path in sorted(TREC.glob("*_*.csv")):
        collection, _, measure = path.stem.partition("_")
        if "_" not in measure:  # others are of another source
            found.setdefault(collection, {})[measure] = read_scores(path)
    return found


DRAWS, REPETITIONS, OF_LEVELS = 400, 120, 300
INTERVAL = coverage("correlation_interval", "population tau")
ONE_RANKING = level("correlation_interval", "p of one ranking")
SCORES = ("normal", "t3", "P@10", "near-empty", "bent")
ERRING = tuple(itertools.product(("high", "low"), ("single", "alike")))
SIZES = (  # what is not 20 runs on 25 topics
    (Judge(), (8, 25)),
    (Judge("high"), (8, 100)),
    (Judge(), (20, 10)),
    (Judge("high"), (20, 10)),
    (Judge(), (20, 100)),
    (Judge("high", "groups"), (20, 100)),
    (Judge("high", runs="adjacent"), (20, 100)),
    (Judge(), (60, 25)),
    (Judge("high", "alike"), (60, 50)),
    (Judge("high", "shared"), (60, 50)),
    (Judge("high", "shared"), (20, 50)),
    (Judge("low", "groups"), (60, 50)),
)


def studies():
    for judge, size in judges():
        yield Study("two rankings", str(judge), size, (INTERVAL,), partial(one_judge, judge, size), REPETITIONS)
        if judge.truth == "1":
            yield Study("two rankings", str(judge), size, (ONE_RANKING,), partial(one_ranking, judge, size), OF_LEVELS)
    for scores, size in itertools.product(SATURATING, itertools.product((20, 40), (50, 200))):
        judge = Judge(scores=scores)
        yield Study("two rankings", str(judge), size, (ONE_RANKING,), partial(one_ranking, judge, size), OF_LEVELS)
    for scores, truth in itertools.product(SATURATING, ("1", "high")):
        judge, size = Judge(truth, scores=scores), (20, 50)
        yield Study("two rankings", str(judge), size, (INTERVAL,), partial(one_judge, judge, size), REPETITIONS)
    people, *models = real_judges() or [None]
    for model in models:
        n_topics, n_runs = real_judges()[model].shape
        trial = partial(on_a_curve, str(people), model, n_topics)
        told = f"DL 2019, {model}, moved onto a rising curve"
        yield Study("two rankings", told, (n_runs, n_topics), (ONE_RANKING,), trial, OF_LEVELS)


def judges():
    for scores, runs, noise in itertools.product(SCORES, ("spread", "adjacent"), (1.0, 2.0)):
        yield Judge("1", "single", runs, noise, scores), (20, 25)
    for scores, (truth, errors) in itertools.product(SCORES, ERRING):
        yield Judge(truth, errors, "spread", 1.0, scores), (20, 25)
        yield Judge(truth, errors, "adjacent", 2.0, scores), (20, 50)
    yield from SIZES


def population_tau(reference, judge, rng):
    """The 95% interval."""
    drawn = draw_two_rankings(reference, judge, DRAWS, int(rng.integers(2**32)))
    return np.nanquantile(COEFFICIENTS["tau"].kernel(*drawn), (0.025, 0.975))


def one_ranking(judge, size, rng):
    drawn = sample((judge,), *size, rng)
    return [rejected(pvalue_of_one_ranking(TwoMeasures(drawn.reference, drawn.judges[0])))]


def one_judge(judge, size, rng):
    drawn = sample((judge,), *size, rng)
    truth = float(COEFFICIENTS["tau"].kernel(drawn.means, drawn.means_by_judges[0]))
    return [covered(population_tau(drawn.reference, drawn.judges[0], rng), truth)]


def on_a_curve(people, model, n_topics, rng):
    """The same, with the people on an exponential curve over the model, so that it does not err."""
    ours, theirs = (real_judges()[name] for name in (people, model))
    topics = rng.integers(0, len(ours), n_topics)
    moved = ours + (rising(theirs.mean(axis=0), ours.mean(axis=0)) - ours.mean(axis=0))
    return [rejected(pvalue_of_one_ranking(TwoMeasures(moved[topics], theirs[topics])))]


def rising(places, heights):
    """The exponential curve through points, by least squares."""
    z = (places - places.mean()) / places.std()

    def curve(at):
        return np.asarray(at[0] + np.exp(at[1]) * np.expm1(at[2] * z) / at[2])

    start = [heights.mean(), math.log(heights.std()), 0.1]
    return curve(least_squares(lambda at: curve(at) - heights, start).x)
