"""Figures that sentences of the pages quote, and no table has.

    python -m tests.calibration.sentences gain
    python -m tests.calibration.sentences documents "runs/*.gz" people.qrels judge.qrels

Of `prediction_powered`, by the judge's correlation with people: the widths of intervals of means and of differences
against those of people's topics alone, the share of intervals that hold, and how many topics people alone would need.
Of people's labels of a quarter of the documents: how often intervals hold, of systems and of pairs, and their widths
against those by all labels.
"""

import sys

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.io.runs import each_run, named_runs
from pt_rankcorr.io.trec import DOCUMENT, by_topic, ranks_of, read_qrels
from pt_rankcorr.judgments import pool
from pt_rankcorr.judgments.some_documents import corrected
from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from tests.calibration.parts.prediction_powered import simulated

TOPICS, REPETITIONS = (10, 25, 50), 1000


def half_widths(covariance, freedom):
    """Half of the widths of 95% intervals: of means, and of differences of systems."""
    quantile, (first, second) = stdtrit(freedom, 0.975), np.triu_indices(len(covariance), k=1)
    variances = covariance.diagonal()
    of_pairs = np.maximum(variances[first] + variances[second] - 2 * covariance[first, second], 0)
    return quantile * np.sqrt(variances), quantile * np.sqrt(of_pairs)


def gain():
    for n_topics in TOPICS:
        for agreement in (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95):
            rng, widths, held, needed = np.random.default_rng(1), [], [], []
            for _ in range(REPETITIONS):
                means, human, judge = simulated(n_topics, 250, agreement, rng)
                found = prediction_powered(human, judge, rng=rng)
                low, high = found.intervals().T
                held.append(((low <= means) & (means <= high)).mean())
                both = (half_widths(it, n_topics - 1) for it in (found.covariance, found.human_covariance))
                widths.append([[half.mean() for half in halves] for halves in both])
                needed.append(found.topics_needed)
            with_judge, alone = np.mean(widths, axis=0)
            of_means, of_pairs = with_judge / alone
            figures = f"{of_means:.2f}, {of_pairs:.2f}, {np.mean(held):.3f}, {np.median(needed):.0f}"
            yield f"{n_topics}, {agreement:g}, {figures}"


# --- some documents of each topic, by SDCG@10 ---------------------------------------------------------------

SHARE, DEPTH, HIGHEST = 0.25, 10, 3
DISCOUNTS = 1 / np.log2(np.arange(2, DEPTH + 2))
WEIGHTS = np.append(0, DISCOUNTS / DISCOUNTS.sum())


def read(runs, people, judge):
    """Of documents: their topic, the rank that every third run gives them, people's labels, and those of judges."""
    documents = pool(runs, read_qrels(people), DEPTH).sort_values(DOCUMENT, ignore_index=True)
    named = dict([*named_runs(runs).items()][::3])
    row_of = by_topic(documents, np.arange(len(documents)))
    place = np.zeros((len(named), len(documents)), dtype=np.intp)
    for system, (_, run) in enumerate(each_run(named, False)):
        rows, places = ranks_of(run, row_of)
        place[system, rows] = np.where(places <= DEPTH, places, 0)
    labels = documents["relevance"].to_numpy(np.float64)
    of_judge = read_qrels(judge, fractions=True).set_index(DOCUMENT)["relevance"]
    theirs = documents[DOCUMENT].join(of_judge, DOCUMENT)["relevance"].fillna(0).to_numpy()
    liked = place[np.argsort((WEIGHTS[place] * labels).sum(axis=1))[len(place) // 2]] > 0
    useless = np.random.default_rng(1).permutation(labels)
    of_judges = {"judge": theirs, "likes a run": np.where(liked, HIGHEST, theirs), "knows nothing": useless}
    return documents["query_id"].factorize()[0], place, labels, of_judges


def documents(runs, people, judge):
    """Topics are drawn with replacement: true means are those over all topics of the files."""
    topics, place, labels, of_judges = read(runs, people, judge)
    starts = np.flatnonzero(np.diff(topics, prepend=-1, append=topics[-1] + 1))
    truth = np.add.reduceat(WEIGHTS[place] * labels / HIGHEST, starts[:-1], axis=1).mean(axis=1)
    first, second = np.triu_indices(len(truth), k=1)
    for name, theirs in of_judges.items():
        for n_topics in TOPICS:
            rng, found = np.random.default_rng(1), {}
            for _ in range(REPETITIONS):
                drawn = [np.arange(*starts[at : at + 2]) for at in rng.integers(len(starts) - 1, size=n_topics)]
                for way, (means, covariance) in ways(drawn, place, labels, theirs, rng):
                    off, (of_means, of_pairs) = means - truth, half_widths(covariance, n_topics - 1)
                    held = (np.abs(off) <= of_means).mean(), (np.abs(off[first] - off[second]) <= of_pairs).mean()
                    found.setdefault(way, []).append((*held, of_means.mean(), of_pairs.mean()))
            whole = np.mean(found["all labels"], axis=0)
            for way, rows in found.items():
                held, held_pairs, *wide = np.mean(rows, axis=0)
                widths = ", ".join(f"{width / of_all:.2f}" for width, of_all in zip(wide, whole[2:], strict=True))
                yield f"{name}, {n_topics} topics, {way}: {held:.3f}, {held_pairs:.3f}, {widths}"


def ways(drawn, place, labels, theirs, rng):
    which, sizes = np.concatenate(drawn), np.array(list(map(len, drawn)))
    topic, begin = np.repeat(np.arange(len(drawn)), sizes), np.append(0, np.cumsum(sizes)[:-1])
    gains, by_judge, by_place = labels[which] / HIGHEST, theirs[which], WEIGHTS[place[:, which]]

    def moments(values):
        rows = np.add.reduceat(by_place * values, begin, axis=1).T
        return rows.mean(axis=0), np.cov(rows.T) / len(rows)

    order, taken = np.lexsort((rng.random(topic.size), topic)), np.maximum(2, np.round(SHARE * sizes))
    labelled = np.empty(topic.size, dtype=bool)
    labelled[order] = np.arange(topic.size) - begin[topic] < taken[topic]
    weight = np.where(labelled, (sizes / taken)[topic], 0)
    yield "all labels", moments(gains)
    yield "some documents", moments(corrected(gains, np.zeros(topic.size), weight, topic))
    yield "some documents and the judge", moments(corrected(gains, by_judge, weight, topic))


if __name__ == "__main__":
    for line in {"gain": gain, "documents": documents}[sys.argv[1]](*sys.argv[2:]):
        print(line, flush=True)
