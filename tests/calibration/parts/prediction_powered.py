"""Predictions: of topics, and by a judge of many topics, or of all documents, where people label some."""

import itertools
import math
from functools import cache, partial

import numpy as np
from scipy.stats import ttest_1samp

from pt_rankcorr.judgments import prediction_powered_scores
from pt_rankcorr.stats.accuracy.prediction import prediction_quality
from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from tests.calibration.populations import CORRELATED, DISCRETE, SIMULATED, TREC, choose, read_scores
from tests.calibration.studies import MEAN_COVERAGE, Row, Study, bias, coverage, covered, level, rejected
from tests.stats.oracles import COEFFICIENTS

N_SYSTEMS = 5
TOPIC, SYSTEM = 0.2, 0.15  # standard deviations of what systems share on a topic, and of the rest
ROWS = (
    Row("prediction_powered", "intervals of means", MEAN_COVERAGE, 0.95),
    bias("prediction_powered", "mean, less the true"),
    level("prediction_powered", "p-value of two equal systems"),
    level("prediction_powered", "t-test of its rows, two equal systems"),
)
SKEWED = {
    "Web 2012 ERR@20, resampled, the judge AP of 100 topics": ("web2012_err20", "web2012_ap"),
    "Ad hoc 7 AP, resampled, the judge P@10 of 100 topics": ("adhoc7_ap", "adhoc7_p10"),
}
N_DOCUMENTS = 40
BIASED = 3  # which system the judge likes
OF_DOCUMENTS = tuple(
    Row("prediction_powered_scores", f"t intervals of {what}", MEAN_COVERAGE, 0.95) for what in ("means", "differences")
)


def studies():
    sizes = list(itertools.product((10, 25, 50), (100, 250)))
    for (n, n_judged), agreement in itertools.product(sizes, (0.0, 0.5, 0.9)):
        told = f"Gaussian, a judge of {n_judged} topics, correlation {agreement:g}"
        draw = partial(simulated, n, n_judged, agreement)
        yield Study("prediction-powered", told, (N_SYSTEMS, n), ROWS, partial(promises, draw), 1000)
    for n in (10, 25, 50):
        draw = partial(by_other_measure, n, 100)
        told = f"{SIMULATED}, the judge P@10 of 100 topics"
        yield Study("prediction-powered", told, (N_SYSTEMS, n), ROWS, partial(promises, draw), 1000)

    if all((TREC / f"{name}.csv").exists() for names in SKEWED.values() for name in names):
        for told, n in itertools.product(SKEWED, (10, 25, 50)):
            draw = partial(resampled, told, n, 100)
            yield Study("prediction-powered", told, (N_SYSTEMS, n), ROWS, partial(promises, draw), 300)

    for n, share in itertools.product((10, 25, 50), (0.1, 0.25)):
        told = f"documents, people judge {share:.0%} of a topic, a judge who likes a system"
        trial = partial(of_documents, n, share)
        yield Study("prediction-powered", told, (N_SYSTEMS, n), OF_DOCUMENTS, trial, 200)


def simulated(n, n_judged, agreement, rng):
    """True means, of which the first two are equal, and scores by people and by a judge who is wrong about means."""
    means = 0.4 + 0.02 * np.maximum(np.arange(N_SYSTEMS) - 1, 0)
    people, judge = (_topics(n_judged, rng) for _ in range(2))
    judge = agreement * people + np.sqrt(1 - agreement**2) * judge
    return means, (means + people)[:n], judge + rng.normal(0.5, 0.1, N_SYSTEMS)


def _topics(n_topics, rng):
    shared = TOPIC * rng.standard_normal((n_topics, 1))
    return np.asarray(shared + SYSTEM * rng.standard_normal((n_topics, N_SYSTEMS)))


def by_other_measure(n, n_judged, rng):
    """Scores by AP for those by people, and by P@10 for those by a judge; skewed, discrete, and alike."""
    systems = choose(SIMULATED, N_SYSTEMS, "random", rng)
    scores, judge = SIMULATED.of.draw(n_judged, rng)[:, :, systems.positions]
    means = systems.means.copy()
    shift = np.zeros(N_SYSTEMS)
    shift[1] = means[0] - means[1]
    return means + shift, (scores + shift)[:n], judge


def resampled(told, n, n_judged, rng):
    """Real scores by a measure for those by people, by another for those by a judge, on topics with replacement."""
    scores = np.stack([read_scores(TREC / f"{name}.csv") for name in SKEWED[told]])
    scores = scores[:, :, rng.choice(scores.shape[2], N_SYSTEMS, replace=False)]
    shift = np.zeros(N_SYSTEMS)
    means = scores[0].mean(axis=0)
    shift[1] = means[0] - means[1]
    people, judge = scores[:, rng.integers(0, scores.shape[1], n_judged)]
    return means + shift, (people + shift)[:n], judge


def promises(draw, rng):
    means, human, judge = draw(rng)
    found = prediction_powered(human, judge, rng=rng)
    inside = [covered(ends, truth) for ends, truth in zip(found.intervals(), means, strict=True)]
    of_rows = float(ttest_1samp(found.values[:, 0] - found.values[:, 1], 0.0).pvalue)
    off = float((found.means - means).mean())
    return [float(np.mean(inside)), off, rejected(found.pvalues()[0, 1]), rejected(of_rows)]


# --- some documents of each topic ---------------------------------------------------------------------------


def documents(n, rng):
    """Labels by people and by a judge, shape (n, N_DOCUMENTS), and scores by systems, the last the best."""
    labels = rng.binomial(3, rng.beta(1.0, 3.0, (n, 1)), (n, N_DOCUMENTS)).astype(np.float64)
    noise = rng.standard_normal((N_SYSTEMS, *labels.shape)) * np.linspace(2.5, 1.0, N_SYSTEMS)[:, None, None]
    scores = labels + noise
    judge = np.where(rng.random(labels.shape) < 0.6, labels, rng.integers(0, 4, labels.shape))
    top = np.argsort(np.argsort(-scores[BIASED], axis=1), axis=1) < 10
    return labels, np.maximum(judge, 3 * top), scores


@cache
def true_means():
    """By SDCG(max_rel=3)@10."""
    labels, _, scores = documents(50_000, np.random.default_rng(1))
    discounts = 1 / np.log2(np.arange(2, 12))
    ranked = np.take_along_axis(labels[np.newaxis], np.argsort(-scores, axis=2)[:, :, :10], axis=2)
    return np.asarray((ranked @ discounts).mean(axis=1) / (3 * discounts.sum()))


def of_documents(n, share, rng):
    labels, judge, scores = documents(n, rng)
    chosen = np.argsort(rng.random(labels.shape), axis=1)[:, : round(share * N_DOCUMENTS)]
    people = {str(t): {str(d): int(labels[t, d]) for d in own} for t, own in enumerate(chosen)}
    runs = {f"s{at}": _by_name(own) for at, own in enumerate(scores)}
    matrix = prediction_powered_scores(runs, people, _by_name(judge), ["SDCG(max_rel=3)@10"], verbose=False)
    (found,) = matrix.values()
    truth, (first, second) = true_means(), np.triu_indices(N_SYSTEMS, k=1)
    pairs = found.values[:, first] - found.values[:, second]
    return [_held(found.values, truth), _held(pairs, truth[first] - truth[second])]


def _by_name(values):
    return {str(t): {str(d): value for d, value in enumerate(own)} for t, own in enumerate(values.tolist())}


def _held(rows, truth):
    test = ttest_1samp(rows, truth)
    return float((test.pvalue >= 0.05).mean())


RESAMPLES = 400
WANTED = ("tau", "tau_ap", "pearson", "spearman")
QUALITY = (
    *(coverage("prediction_quality", f"interval, {name}") for name in WANTED),
    *(bias("prediction_quality", f"value, {name}, less that over all topics") for name in WANTED),
)
MANY = 2000  # topics of each of the samples that stand for all
NOISE = 0.1


def of_queries():
    for data, n_topics in itertools.product((CORRELATED, SIMULATED, DISCRETE), (10, 50, 250)):
        repetitions = 400 if n_topics < 250 else 60
        yield Study("prediction", str(data), (1, n_topics), QUALITY, partial(predicted, data, n_topics), repetitions)


def predicted(data, n_topics, rng):
    predictions, scores = topics(data, n_topics, rng)
    truth = true_values(data)
    quality = prediction_quality(scores[:, np.newaxis], predictions, list(WANTED), n_resamples=RESAMPLES, rng=rng)
    intervals = quality.confidence_interval().values()
    return [
        *(covered(interval, true) for interval, true in zip(intervals, truth, strict=True)),
        *(float(value) - true for value, true in zip(quality.values[0], truth, strict=True)),
    ]


def topics(data, n_topics, rng):
    """The best system's scores, and as predictions those of the system in the middle under some noise."""
    best, middle = (int(np.argsort(data.means)[at]) for at in (-1, len(data.means) // 2))
    scores = data.draw(n_topics, rng)
    return scores[:, middle] + NOISE * rng.standard_normal(n_topics), scores[:, best]


@cache
def true_values(data):
    """Over so many topics that the rest of their error, about .001, is nothing beside the bounds."""
    rng = np.random.default_rng(0)
    samples = [topics(data, MANY, rng) for _ in range(25)]
    values = [float(np.mean([COEFFICIENTS[name].kernel(truth, guess) for guess, truth in samples])) for name in WANTED]
    if data != CORRELATED:
        return values
    rho = float(np.corrcoef(np.hstack(samples))[0, 1])  # of Gaussian scores, formulas are known of all but tau_AP
    return [2 / math.pi * math.asin(rho), values[1], rho, 6 / math.pi * math.asin(rho / 2)]
