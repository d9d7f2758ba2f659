"""What people's labels of some documents of each topic gain, on real runs and labels, and whether intervals hold.

python -m tests.calibration.some_documents --runs "runs/*.gz" --people people.qrels --judge name=judge.qrels ...

Topics are drawn with replacement, so that true means are those over all topics of the file; of each, people judge a
share of the documents that any run has among its first ten. Every third run is measured. A line for each judge, number
of topics, share and way says how often intervals hold, of systems and of pairs of them, and how wide they are against
those by all labels. Two more judges are made up: one likes a run, one knows nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.io.runs import each_run, named_runs
from pt_rankcorr.io.trec import DOCUMENT, by_topic, ranks_of, read_qrels
from pt_rankcorr.judgments import pool
from pt_rankcorr.judgments.some_documents import corrected, predicted
from pt_rankcorr.stats.accuracy.prediction_powered import prediction_powered
from pt_rankcorr.stats.core.types import Floats, Indices

DEPTH, HIGHEST = 10, 3
DISCOUNTS = 1 / np.log2(np.arange(2, DEPTH + 2))
MEASURES = {
    "SDCG@10": (DISCOUNTS / DISCOUNTS.sum(), lambda labels: labels / HIGHEST),
    "P(rel=2)@10": (np.full(DEPTH, 1 / DEPTH), lambda labels: np.asarray(labels >= 2, dtype=np.float64)),
}


class Data(NamedTuple):
    """Documents, by topic.

    Attributes:
        topic: Of each document, from 0.
        place: The rank that each system gives it, shape (n_systems, n_documents); 0 beyond the depth.
        people: The labels.
        judges: Name -> labels.
    """

    topic: Indices
    place: Indices
    people: Floats
    judges: dict[str, Floats]


def read(runs: str, people: str, judges: dict[str, str]) -> Data:
    documents = pool(runs, read_qrels(people), DEPTH).sort_values(DOCUMENT, ignore_index=True)
    named = dict([*named_runs(runs).items()][::3])
    row_of = by_topic(documents, np.arange(len(documents)))
    place = np.zeros((len(named), len(documents)), dtype=np.intp)
    for system, (_, run) in enumerate(each_run(named, False)):
        rows, places = ranks_of(run, row_of)
        place[system, rows] = np.where(places <= DEPTH, places, 0)
    labels = documents["relevance"].to_numpy(np.float64)
    found = {name: read_qrels(path, fractions=True).set_index(DOCUMENT)["relevance"] for name, path in judges.items()}
    by_judge = {
        name: documents[DOCUMENT].join(each, DOCUMENT)["relevance"].fillna(0).to_numpy() for name, each in found.items()
    }
    means = (np.append(0.0, DISCOUNTS)[place] * labels).sum(axis=1)
    liked = place[np.argsort(means)[len(means) // 2]] > 0
    biased = {"biased towards a run": np.where(liked, HIGHEST, next(iter(by_judge.values())))}
    other = {"knows nothing": np.random.default_rng(1).permutation(labels)}
    return Data(documents["query_id"].factorize()[0], place, labels, by_judge | biased | other)


def estimates(
    data: Data, judge: str, measure: str, n: int, share: float, rng: np.random.Generator
) -> Iterator[tuple[str, Floats, Floats, int]]:
    """Name, estimated means, their covariance, and degrees of freedom."""
    weights, gain = MEASURES[measure]
    starts = np.flatnonzero(np.diff(data.topic, prepend=-1, append=data.topic[-1] + 1))
    drawn = [np.arange(starts[at], starts[at + 1]) for at in rng.integers(len(starts) - 1, size=n)]
    which, sizes = np.concatenate(drawn), np.array([len(each) for each in drawn])
    topic, begin = np.repeat(np.arange(n), sizes), np.append(0, np.cumsum(sizes)[:-1])
    gains, labels = gain(data.people[which]), data.judges[judge][which]
    by_place = np.append(0, weights)[data.place[:, which]]
    rows = lambda of: np.add.reduceat(by_place * of, begin, axis=1).T  # noqa: E731
    whole, few = rows(gains), max(2, round(share * n))
    yield "all labels", *_moments(whole), n - 1
    yield "some topics", *_moments(whole[:few]), few - 1
    found = prediction_powered(whole[:few], rows(labels), rng=rng)
    yield "some topics and the judge", found.means, found.covariance, few - 1
    order, taken = np.lexsort((rng.random(topic.size), topic)), np.maximum(2, np.round(share * sizes))
    theirs = np.empty(topic.size, dtype=bool)
    theirs[order] = np.arange(topic.size) - begin[topic] < taken[topic]
    weight = np.where(theirs, (sizes / taken)[topic], 0)
    yield "some documents", *_moments(rows(corrected(gains, np.zeros(topic.size), weight, topic))), n - 1
    both = rows(corrected(gains, labels, weight, topic))
    yield "some documents and the judge", *_moments(both), n - 1
    if measure == "SDCG@10":
        merged = np.where(theirs, gains, predicted(gains, labels, weight, topic))
        yield "nDCG@10, the ideal predicted", *_moments(both / _ideals(merged, begin)[:, np.newaxis]), n - 1


def _ideals(gains: Floats, begin: Indices) -> Floats:
    """SDCG@10 of the best rankings."""
    best = [np.sort(each)[::-1][:DEPTH] for each in np.split(gains, begin[1:])]
    return np.array([each @ DISCOUNTS[: each.size] for each in best]) / DISCOUNTS.sum()


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    return rows.mean(axis=0), np.cov(rows.T) / len(rows)


def truths(data: Data, measure: str) -> tuple[Floats, Floats]:
    """True means of the measure, and of nDCG@10."""
    weights, gain = MEASURES[measure]
    begin, gains = np.flatnonzero(np.diff(data.topic, prepend=-1)), gain(data.people)
    rows = np.add.reduceat(np.append(0, weights)[data.place] * gains, begin, axis=1)
    return rows.mean(axis=1), (rows / _ideals(gains, begin)).mean(axis=1)


def lines(data: Data, topics: list[int], shares: list[float], repetitions: int) -> Iterator[str]:
    for measure, judge in ((measure, judge) for measure in MEASURES for judge in data.judges):
        true, true_ndcg = truths(data, measure)
        for n, share in ((n, share) for n in topics for share in shares):
            found: dict[str, list[tuple[Floats, ...]]] = {}
            rng = np.random.default_rng(1)
            for _ in range(repetitions):
                for way, means, covariance, freedom in estimates(data, judge, measure, n, share, rng):
                    off = means - (true_ndcg if way.startswith("nDCG") else true)
                    found.setdefault(way, []).append(_held(off, covariance, freedom))
            widths = [np.mean([each[at].mean() for each in found["all labels"]]) for at in (2, 3)]
            for way, values in found.items():
                held, held_pairs, *wide = (np.mean(each, axis=0) for each in zip(*values, strict=True))
                told = f"{held.mean():.3f}, {held.min():.3f}, {held_pairs.mean():.3f}, {held_pairs.min():.3f}"
                against = ", ".join(f"{each.mean() / whole:.2f}" for each, whole in zip(wide, widths, strict=True))
                yield f"{measure}, {judge}, {n}, {share:g}, {way}, {told}, {against}"


def _held(off: Floats, covariance: Floats, freedom: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Whether intervals hold, and half their widths, of systems and of pairs."""
    quantile, (first, second) = stdtrit(freedom, 0.975), np.triu_indices(len(off), k=1)
    variances = covariance.diagonal()
    of_pairs = np.maximum(variances[first] + variances[second] - 2 * covariance[first, second], 0)
    halves, pairs = quantile * np.sqrt(variances), quantile * np.sqrt(of_pairs)
    return np.abs(off) <= halves, np.abs(off[first] - off[second]) <= pairs + 1e-12, halves, pairs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", required=True)
    parser.add_argument("--people", required=True)
    parser.add_argument("--judge", required=True, action="append")
    parser.add_argument("--topics", type=int, nargs="*", default=[10, 25, 50])
    parser.add_argument("--shares", type=float, nargs="*", default=[0.1, 0.25, 0.5])
    parser.add_argument("--repetitions", type=int, default=1000)
    options = parser.parse_args()
    named = dict(each.split("=", 1) for each in options.judge)
    print("measure, judge, topics, share, way, systems held, least, pairs held, least, width of systems, of pairs")
    for line in lines(read(options.runs, options.people, named), options.topics, options.shares, options.repetitions):
        print(line, flush=True)
