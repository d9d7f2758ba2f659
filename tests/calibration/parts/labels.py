"""Intervals of the agreement of real labels: topics drawn with replacement from two collections with LLM judges."""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments.label_agreement import MEASURES, _measures, agreement_of
from tests.calibration.populations import TREC
from tests.calibration.studies import Study, coverage, covered

LABELS = TREC.parent / "claims"
FOLDER = LABELS / "llmjudge2024"  # labels of 33 judges for one collection
RAG = LABELS / "rag25"  # of one judge for another
TOPICS = (5, 10, 25, 50)
FAILING = 0.1  # the share of topics on which a judge that fails gives every document the label 0
GOOD = 0.9  # the share of documents that a good judge labels as people do; the others have random labels
ROWS = tuple(coverage("compare_labels", f"interval, {name}") for name in MEASURES)
KINDS = {
    "a real judge": (0.0, False),
    "a real judge that fails on a tenth of topics": (FAILING, False),
    "a good judge that fails on a tenth of topics": (FAILING, True),
}


def studies():
    if FOLDER.exists():
        for kind in KINDS:
            for n_topics in TOPICS:
                yield Study("labels", f"labels by {kind}", (0, n_topics), ROWS, partial(held, kind, n_topics), 1000)


def held(kind, n_topics, rng):
    sample, truth = draw(kind, n_topics, rng)
    return [covered(sample.confidence_interval(name), truth[name]) for name in MEASURES]


def draw(kind, n_topics, rng):
    """The agreement of a random judge on topics drawn with replacement, and each measure over all topics."""
    share, is_good = KINDS[kind]
    judges = good_judges() if is_good else real_judges()
    judge = judges[rng.integers(len(judges))]
    counts = judge._confusions
    topics, fails = rng.integers(0, len(counts), n_topics), rng.random(n_topics) < share
    own = np.where(fails[:, np.newaxis, np.newaxis], failed(judge)[topics], counts[topics])
    every = (1.0 - share) * counts.sum(axis=0) + share * failed(judge).sum(axis=0)
    scale = judge.confusion.index.to_numpy(), (judge.relevance_threshold, judge.other_threshold)
    return replace(
        judge,
        **_measures(own.sum(axis=0), *scale),
        confusion=judge.confusion * 0 + own.sum(axis=0),
        by_topic=judge.by_topic.iloc[topics],
        _confusions=own,
    ), _measures(1e6 * every, *scale)


def failed(judge):
    """How often the reference's labels meet those of a judge that labels all documents 0."""
    counts = np.zeros_like(judge._confusions)
    counts[:, :, judge.confusion.index.get_loc(0)] = judge._confusions.sum(axis=2)
    return counts


@cache
def read(path):
    return read_qrels(path, parameter="reference", fractions=True)


@cache
def real_judges():
    pairs = [(FOLDER / "NIST.qrels.gz", path) for path in sorted((FOLDER / "judges").glob("*.gz"))]
    pairs.append((RAG / "qrels.rag25.test.txt.gz", RAG / "qrels.rag25.test-umbrela2.txt.gz"))
    return [agreement_of(read(reference), read(judge)) for reference, judge in pairs]


@cache
def good_judges():
    rng, judges = np.random.default_rng(0), []
    for path in (FOLDER / "NIST.qrels.gz", RAG / "qrels.rag25.test.txt.gz"):
        people = read(path)
        labels = people["relevance"].to_numpy()
        right = rng.random(len(labels)) < GOOD
        judge = people.assign(relevance=np.where(right, labels, rng.permutation(labels)))
        judges.append(agreement_of(people, judge))
    return judges
