"""People judge some documents of each topic, a judge all: scores that are unbiased for any judge.

On a topic, people judge a document d with a known probability p_d > 0. Let y_d be its gain by
people, and f_d the gain predicted from the judge's label. Then y*_d = f_d + (y_d - f_d) / p_d if
people judged it, and f_d if not, is on average y_d, for any f_d. A measure that adds up gains, each
times a weight of its rank, is unbiased with y* for y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure
from scipy.special import stdtr

from pt_rankcorr import choices
from pt_rankcorr.io.align import Cube, align
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.runs import each_run, named_runs, warn_of_unmatched
from pt_rankcorr.io.trec import DOCUMENT, by_topic, highest_labels, ranks_of, read_qrels
from pt_rankcorr.scores import Alignment, Scores
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Floats, Indices
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import UnreliableResultWarning, warn

OfPlaces: TypeAlias = Callable[[Floats], Floats]


def prediction_powered_scores(
    runs: RunsLike,
    people: QrelsLike,
    judge: QrelsLike,
    measures: Iterable[MeasureLike],
    *,
    probabilities: QrelsLike | None = None,
    missing: choices.Missing = "error",
    verbose: bool | None = None,
) -> Scores:
    """Scores of runs, from people's labels of some documents of each topic and a judge's of all.

    A score is the score by the predicted gains plus, for each document that people judged, its
    weight times (people's gain - the predicted one) / the probability that people judged it. So on
    average over samples of documents, it is the score by people's labels of all, for any judge. A
    line fitted on the documents that people judged on the other topics predicts gains: the judge's
    labels may be on another scale, binary or fractions. A good judge makes scores vary less.

    Each row is unbiased by itself, so means, tests, intervals and ranks over topics hold for these
    scores as for others. Few labels a topic make scores skewed, and with 10 topics intervals of
    means are then too narrow; the page about few labels says how often they hold. Single scores may
    be below 0 or above 1. People's documents must be drawn at random from those that the judge
    labelled on the topic, such as `pool(runs, judge, 10)`. What it did not label is not relevant.

    Args:
        runs: Runs, as `scores_from_runs` takes them.
        people: Judgments of some documents, on at least 2 topics, which are those of the scores.
        judge: Judgments of all documents that people might have judged on these topics. Labels may
            be fractions.
        measures: Measures that add up gains of documents: P@k, RBP(rel=1), and SDCG(max_rel=3)@k,
            which is DCG@k over that of k documents with the highest label. Others are refused.
        probabilities: The chance that people had to judge each of their documents, in (0, 1], in
            the form of judgments; by default the share of the topic's documents that they judged.
        missing, verbose: As for `scores_from_runs`.

    Returns:
        One score matrix per measure, which every statistic takes. If the judge labelled other
        topics, too, `stats.prediction_powered` takes it as scores by people.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`; also if a measure is of another kind,
            or people judged a document that the judge did not.

    Warns:
        NothingRetrievedWarning: If a run has no document that the judge labelled.
        UnreliableResultWarning: If by the judge's labels people's documents are no random sample.

    References:
        Angelopoulos, Bates, Fannjiang, Jordan, Zrnic, "Prediction-powered inference", Science 382,
        2023; Oosterhuis, Jagerman, Qin, Wang, Bendersky, "Reliable confidence intervals for
        information retrieval evaluation using generative A.I.", KDD 2024; Horvitz and Thompson, "A
        generalization of sampling without replacement from a finite universe", JASA 47, 1952.

    Example:
        >>> runs = {"a": {"1": {"d1": 2, "d2": 1}, "2": {"d3": 1}}}
        >>> runs["b"] = {"1": {"d2": 2, "d1": 1}, "2": {"d4": 1}}
        >>> people = {"1": {"d1": 1}, "2": {"d3": 1, "d4": 0}}
        >>> judge = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1, "d4": 0}}
        >>> prediction_powered_scores(runs, people, judge, ["P@1"])["P@1"].means.tolist()
        [1.0, 0.0]
    """
    resolved = resolve_measures(measures)
    linear = {name: _linear(measure) for name, measure in resolved.items()}
    named = named_runs(runs)
    documents = _documents(people, judge, probabilities)
    row_of = by_topic(documents, np.arange(len(documents)))
    topic, topics = pd.factorize(documents["query_id"])
    columns = documents[["relevance", "by people", "weight"]]
    labels, by_people, weights = columns.to_numpy(np.float64).T
    _warn_unless_random(labels, weights, topic)
    gains = {}
    for measure, (gain, _) in linear.items():
        gains[measure] = corrected(gain(by_people), labels, weights, topic)
    values = np.empty((len(linear), len(topics), len(named)))
    retrieved, unmatched = np.zeros(len(documents), dtype=bool), {}
    for system, (name, run) in enumerate(each_run(named, verbose)):
        rows, places = ranks_of(run, row_of)
        retrieved[rows] = True
        if not len(rows) and run.keys() & row_of.keys():
            unmatched[name] = run
        for row, (measure, (_, weight)) in enumerate(linear.items()):
            parts = gains[measure][rows] * weight(places.astype(np.float64))
            values[row, :, system] = np.bincount(topic[rows], parts, len(topics))
        values[:, [name not in run for name in topics], system] = math.nan
    warn_of_unmatched(unmatched, row_of, len(named))
    cube = Cube(values, tuple(linear), tuple(topics), tuple(named), "runs")
    n = int(retrieved.sum())
    report = Alignment(judged_documents=len(documents), retrieved_judged_documents=n)
    return align(cube, missing=missing, report=report, may_be_rounded=())


def corrected(gains: Floats, labels: Floats, weight: Floats, topic: Indices) -> Floats:
    """y* of each document; weights are 1 / p_d, or 0 where people have not judged.

    All are of shape (n_documents,); `topic` numbers their topics. Gains of weight 0 do not count. A
    line, fitted on what people judged on the other topics, predicts their gain from the label.
    """
    known = np.where(weight > 0.0, gains, 0.0)
    labels = (labels - labels.mean()) / (labels.std() or 1.0)
    products = (np.ones_like(known), labels, known, labels**2, labels * known)
    sums = np.array([np.bincount(topic, weight * product) for product in products])
    # over all other topics, (n_topics,) each: sums, then means, and the slope by least squares
    total, label, gain, square, product = sums.sum(axis=1, keepdims=True) - sums
    label, gain = label / total, gain / total
    spread, covariance = square / total - label**2, product / total - label * gain
    # the variance of all labels is 1: less is rounding
    slope = np.divide(covariance, spread, out=np.zeros_like(spread), where=spread > 1e-9)
    predicted = gain[topic] + slope[topic] * (labels - label[topic])
    return np.asarray(predicted + weight * (known - predicted))


def _linear(measure: Measure) -> tuple[OfPlaces, OfPlaces]:
    """The gain of labels and the weight of ranks, of a measure that adds up gain times weight."""
    cutoff, rel = measure.params.get("cutoff", math.inf), measure.params.get("rel")

    def is_relevant(label: Floats) -> Floats:
        return np.asarray(label >= (1 if rel is None else rel), np.float64)

    if isinstance(measure, type(ir_measures.P)) and not measure.params.get("judged_only"):
        return is_relevant, lambda place: (place <= cutoff) / cutoff
    if isinstance(measure, type(ir_measures.RBP)) and rel is not None:
        p = measure["p"]
        return is_relevant, lambda place: (place <= cutoff) * (1 - p) * p ** (place - 1)
    if isinstance(measure, type(ir_measures.SDCG)) and measure["max_rel"] > measure["min_rel"]:
        least, most = measure["min_rel"], measure["max_rel"]
        ideal = (1.0 / np.log2(np.arange(2, cutoff + 2))).sum()
        return (
            lambda label: (np.clip(label, least, most) - least) / (most - least),
            lambda place: (place <= cutoff) / np.log2(place + 1) / ideal,
        )
    rule = "`measures` must add up gains of documents"
    raise ValueError(f"{rule}, as P@10, RBP(rel=1) and SDCG(max_rel=3)@10 do, got {measure}.")


def _documents(
    people: QrelsLike, judge: QrelsLike, probabilities: QrelsLike | None
) -> pd.DataFrame:
    """The documents that the judge labelled on topics of people, a row each, by topic and name.

    Columns are query_id, doc_id, the judge's label (relevance), "by people" (nan without a label)
    and "weight": 1 / the probability that people judged the document, or 0 if they did not.
    """
    labels = highest_labels(read_qrels(people, parameter="people"))
    of_people = labels.set_index(DOCUMENT)["relevance"]
    topics = set(of_people.index.get_level_values(0))
    if len(topics) < 2:
        rule = "`people` must have judged documents on at least 2 topics"
        raise ValueError(f"{rule}, got {listing(topics)}.")
    of_judge = highest_labels(read_qrels(judge, parameter="judge", fractions=True))
    documents = of_judge[of_judge["query_id"].isin(topics)].sort_values(DOCUMENT)
    index = pd.MultiIndex.from_frame(documents[DOCUMENT])
    if len(strange := of_people.index.difference(index)):
        seen = f"none for {len(strange)} of {len(of_people)}, such as {_named(strange)}"
        raise ValueError(f"`judge` must have labelled the documents of people, got {seen}.")
    documents = documents.assign(**{"by people": of_people.reindex(index).to_numpy(np.float64)})
    is_known = documents["by people"].notna()
    if probabilities is None:
        chance = is_known.groupby(documents["query_id"]).transform("mean").to_numpy()
    else:
        labels = read_qrels(probabilities, parameter="probabilities", fractions=True)
        labels = highest_labels(labels)
        chances = labels.set_index(DOCUMENT)["relevance"].reindex(of_people.index)
        rule = "`probabilities` must"
        if len(lacking := chances[chances.isna()]):
            seen = f"none for {_named(lacking.index)}"
            raise ValueError(f"{rule} have all documents of people, got {seen}.")
        if len(odd := chances[(chances <= 0) | (chances > 1)]):
            seen = f"{odd.iloc[0]:g} for {_named(odd.index)}"
            raise ValueError(f"{rule} be above 0 and at most 1, got {seen}.")
        chance = chances.reindex(index).to_numpy(np.float64)
    return documents.assign(weight=np.where(is_known, 1.0 / chance, 0.0))


def _named(documents: pd.Index[Any]) -> str:  # the first, for messages
    qid, docno = documents[0]
    return f"{shown(docno)} on topic {shown(qid)}"


def _warn_unless_random(labels: Floats, weight: Floats, topic: Indices) -> None:
    """Warns if the judge's weighted labels of people's documents do not add up to all (t-test)."""
    # of each topic, 0 on average over random samples
    off = np.bincount(topic, (weight - 1.0) * labels)
    error = off.std(ddof=1) / math.sqrt(len(off))
    is_rounding = error <= 1e-9 * np.abs(labels).max()
    pvalue = 1.0 if is_rounding else 2 * stdtr(len(off) - 1, -abs(off.mean()) / error)
    if pvalue < 0.01:
        mean, of_all = (weight * labels).sum() / weight.sum(), labels.mean()
        means = f"the judge's labels of theirs are {mean:.3g} on average, those of all {of_all:.3g}"
        fault = "People's documents are no random part of the judge's"
        warn(f"{fault}: {means} (p = {pvalue:.1g}). Scores may be biased.", UnreliableResultWarning)
