"""What is drawn at random: simulated topics, random rankings, samples of judgments; and covariances."""

import itertools
from functools import lru_cache, partial

import numpy as np
from scipy.stats import chisquare, kurtosis, skew

from pt_rankcorr import kendall_tau, tau_ap
from pt_rankcorr.judgments import sample_judgments
from pt_rankcorr.stats import Rankings, TopicSimulator, random_rankings
from pt_rankcorr.stats.rank_distance.distance import ReferenceSample
from tests.calibration.populations import (
    CORRELATED,
    MEASURES,
    choose,
    collection,
    collection_name,
    variances_of_differences,
)
from tests.calibration.studies import Study, bias, level, rejected

TOPICS = 1000
SIMULATION = (
    bias("TopicSimulator", "mean, less the true mean"),
    bias("TopicSimulator", "variance of a system, as a ratio to the collection's", 1.0),
    bias("TopicSimulator", "correlation of two systems, less the collection's"),
    bias("TopicSimulator", "skewness of a system, less the collection's"),
    bias("TopicSimulator", "kurtosis of a system, less the collection's"),
)
RANKINGS = {
    "tau=0.4": {"tau": 0.4},
    "tau=0.4, at_least": {"tau": 0.4, "at_least": True},
    "tau_ap=0.4, tolerance=0.1": {"tau_ap": 0.4, "tolerance": 0.1},
    "tau_ap=0.4, at_least": {"tau_ap": 0.4, "at_least": True},
}
RANKED, DRAWN = 5, 1000
COVARIANCES = ("sample", "ledoit-wolf")
COVARIANCE = tuple(
    bias(f"d_rank, covariance={covariance}", f"variance of differences, {which}, as a ratio to the true", 1.0)
    for covariance in COVARIANCES
    for which in ("all pairs", "adjacent systems")
)
JUDGED, TOPICS_JUDGED, SHARE = 10, 20, 0.5


def studies():
    for at, measure in enumerate(MEASURES):
        name, trial = f"{collection_name()} {measure}", partial(like_the_collection, at)
        yield Study("simulation", name, (20, TOPICS), SIMULATION, trial, 200)
    for settings in RANKINGS:
        rows = (level("random_rankings", f"{settings}, chi-square test of uniformity"),)
        yield Study("rankings", "all permutations", (RANKED, 0), rows, partial(uniform, settings), 600)
    rows = (bias("sample_judgments", f"share={SHARE}, how often a document is kept", SHARE),)
    yield Study("judgments", "10 relevant documents a topic", (0, TOPICS_JUDGED), rows, kept, 400)
    for how, n_topics in itertools.product(("random", "adjacent"), (10, 50, 250)):
        data = f"{CORRELATED}, systems {how}"
        yield Study("covariances", data, (20, n_topics), COVARIANCE, partial(covariances, how, n_topics), 1000)


# --- topics -----------------------------------------------------------------------------------------


@lru_cache(maxsize=len(MEASURES))
def simulator(measure):
    """Of twenty systems of the collection, and their scores."""
    scores = collection()[measure]
    chosen = scores[:, np.argsort(scores.mean(axis=0))[:: scores.shape[1] // 20][:20]]
    return TopicSimulator(chosen), chosen


def like_the_collection(measure, rng):
    fitted, scores = simulator(measure)
    drawn = fitted.draw(TOPICS, rng)
    pairs = np.triu_indices(scores.shape[1], 1)
    correlations = (np.corrcoef(each, rowvar=False)[pairs].mean() for each in (drawn, scores))
    return [
        float((drawn.mean(axis=0) - fitted.means).mean()),
        float((drawn.var(axis=0) / scores.var(axis=0)).mean()),
        float(next(correlations) - next(correlations)),
        float((skew(drawn) - skew(scores)).mean()),
        float((kurtosis(drawn) - kurtosis(scores)).mean()),
    ]


# --- rankings and judgments -------------------------------------------------------------------------


def uniform(settings, rng):
    drawn = random_rankings(RANKED, DRAWN, rng=rng, **RANKINGS[settings]).values
    wanted = possible(settings)
    seen, counts = np.unique(drawn, axis=0, return_counts=True)
    if {tuple(ranking) for ranking in seen} - set(wanted):
        raise ValueError(f"rankings that do not have {settings}")
    every = np.zeros(len(wanted))
    every[: counts.size] = counts  # the order does not matter to the test
    return [rejected(float(chisquare(every).pvalue))]


@lru_cache(maxsize=len(RANKINGS))
def possible(settings):
    """All rankings that have the correlation that is asked for."""
    rankings = np.array(list(itertools.permutations(range(1, RANKED + 1))), dtype=float)
    truth, estimates = np.arange(RANKED, 0.0, -1), Rankings(rankings)
    asked = RANKINGS[settings]
    if "tau" in asked:
        off = np.asarray(kendall_tau(truth, estimates)) - asked["tau"]
    else:
        off = np.asarray(tau_ap(truth, estimates)) - asked["tau_ap"]
    tolerance = asked.get("tolerance", 1e-9 if "tau" in asked else 0.005)
    inside = (off >= -tolerance - 1e-9) if asked.get("at_least") else (np.abs(off) <= tolerance + 1e-9)
    return tuple(tuple(ranking) for ranking in rankings[inside])


def kept(rng):
    """The share of times that a certain document is in the sample."""
    qrels = {str(topic): {f"d{n}": 1 for n in range(JUDGED)} for topic in range(TOPICS_JUDGED)}
    sample = sample_judgments(qrels, SHARE, rng=rng)
    return [float((sample["docno"] == "d0").sum()) / len(qrels)]


# --- covariances ------------------------------------------------------------------------------------


def covariances(how, n_topics, rng):
    """Variances of differences as d_rank estimates them, of all pairs and of systems adjacent by the truth."""
    systems = choose(CORRELATED, 20, how, rng)
    sample, population = systems.draw(n_topics, rng), collection()[0][:, systems.positions]
    true = variances_of_differences(np.cov(population, rowvar=False))
    ranked = np.argsort(systems.means)
    found = []
    for covariance in COVARIANCES:
        reference = ReferenceSample.of(sample, covariance, 0.0)
        given = np.argsort(reference.systems)  # in the order of the sample
        ratio = variances_of_differences(reference.unit**2 * reference.model.covariance.matrix[np.ix_(given, given)])
        found.append(float(ratio.sum() / true.sum()))
        found.append(float((ratio[ranked[1:], ranked[:-1]] / true[ranked[1:], ranked[:-1]]).mean()))
    return found
