"""Intervals of the agreement of labels: topics of two collections with LLM judges, and judges that are often right."""

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
from scipy.stats import betabinom

from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments.label_agreement import MEASURES, LabelAgreement, _measures, agreement_of
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
GRADES = np.arange(4)
RICHNESS = 2.0, 4.0  # of a beta distribution of topics, from which documents have binomial labels
RIGHT = (  # in a share of so many documents a topic; the spread of topics about the share: a = share * spread
    (0.98, 10, math.inf),
    (0.98, 100, 20.0),
    (0.95, 100, 10.0),
    (0.8, 10, 5.0),
)


def studies():
    for share, n_documents, spread in RIGHT:
        told = "" if math.isinf(spread) else ", topics that differ"
        for n_topics in TOPICS:
            data = f"a judge right in {share:.0%} of {n_documents} documents a topic{told}"
            trial = partial(held_of_right, share, n_documents, spread, n_topics)
            yield Study("labels", data, (0, n_topics), ROWS, trial, 1000)
    if FOLDER.exists():
        for kind in KINDS:
            for n_topics in TOPICS:
                yield Study("labels", f"labels by {kind}", (0, n_topics), ROWS, partial(held, kind, n_topics), 1000)


def held(kind, n_topics, rng):
    sample, truth = draw(kind, n_topics, rng)
    return [covered(sample.confidence_interval(name), truth[name]) for name in MEASURES]


def held_of_right(share, n_documents, spread, n_topics, rng):
    sample, truth = right(share, n_documents, spread, n_topics, rng)
    return [covered(sample.confidence_interval(name), truth[name]) for name in MEASURES]


def right(share, n_documents, spread, n_topics, rng):
    """A judge that gives people's label with a chance that differs between topics, else one of the others."""
    skills = np.full(n_topics, share)
    if math.isfinite(spread):
        skills = rng.beta(share * spread, (1 - share) * spread, n_topics)
    richness = rng.beta(*RICHNESS, (n_topics, 1))
    truth = rng.binomial(GRADES[-1], richness, (n_topics, n_documents))
    others = (truth + rng.integers(1, len(GRADES), truth.shape)) % len(GRADES)
    labels = np.where(rng.random(truth.shape) < skills[:, np.newaxis], truth, others)
    topics = np.broadcast_to(np.arange(n_topics)[:, np.newaxis], truth.shape)
    counts = np.zeros((n_topics, len(GRADES), len(GRADES)), dtype=int)
    np.add.at(counts, (topics, truth, labels), 1)
    shares = betabinom(GRADES[-1], *RICHNESS).pmf(GRADES)[:, np.newaxis]
    kept = share * np.eye(len(GRADES)) + (1 - share) / GRADES[-1] * (1 - np.eye(len(GRADES)))
    return of_counts(counts), _measures(1e6 * shares * kept, GRADES, (1, 1))


def of_counts(counts):
    """The agreement with these confusions, shape (n_topics, n_grades, n_grades)."""
    total = counts.sum(axis=0)
    size = int(total.sum())
    return LabelAgreement(
        **_measures(total, GRADES, (1, 1)),
        coverage=1.0,
        n_shared=size,
        n_reference=size,
        n_other=size,
        relevance_threshold=1,
        other_threshold=1,
        confusion=pd.DataFrame(total, GRADES, GRADES),
        by_topic=pd.DataFrame({"topic": range(len(counts))}),
        _confusions=counts,
    )


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
