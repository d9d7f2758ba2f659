"""The agreement of any number of sets of labels, and of pairs of documents in a topic."""

import math

import numpy as np
import pytest

from pt_rankcorr.judgments import alpha_of_judges, krippendorff_alpha, pair_accuracy
from pt_rankcorr.warnings import DegenerateInputWarning, UnreliableResultWarning
from tests.stats.accuracy.test_pair_accuracy import accuracy
from tests.stats.core.test_jackknife import interval_by_definition


def judges(n_topics):
    """Three judges, who do not judge everything."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, (n_topics, 12))
    found = {}
    for name, noise in (("a", 0.2), ("b", 0.4), ("c", 0.6)):
        labels = np.where(rng.random(truth.shape) < noise, rng.integers(0, 4, truth.shape), truth)
        kept = rng.random(truth.shape) < 0.8
        found[name] = {
            f"q{topic}": {f"d{doc}": int(label) for doc, label in enumerate(row) if kept[topic, doc]}
            for topic, row in enumerate(labels)
        }
    return found


def as_array(sets):
    items = sorted({(topic, doc) for labels in sets.values() for topic, own in labels.items() for doc in own})
    return np.array([[own.get(topic, {}).get(doc, math.nan) for topic, doc in items] for own in sets.values()])


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_it_is_that_of_the_array_and_the_interval_a_jackknife_of_topics(metric):
    sets = judges(8)
    found = alpha_of_judges(sets, metric, level=0.9)
    assert found.statistic == pytest.approx(krippendorff_alpha(as_array(sets), metric))
    less = [{name: {q: it for q, it in own.items() if q != out} for name, own in sets.items()} for out in sets["a"]]
    without = [krippendorff_alpha(as_array(each), metric) for each in less]
    pseudo = [8 * found.statistic - 7 * each for each in without]
    array = as_array(sets)
    several = (~np.isnan(array)).sum(axis=0) > 1
    labels = array[:, several][~np.isnan(array[:, several])]
    at = {each: ((labels < each).sum() + (labels <= each).sum()) / 2 for each in set(labels)}  # of ordinal ones
    places = np.array([at[each] for each in labels]) if metric == "ordinal" else labels
    apart = np.abs(places[:, np.newaxis] - places)
    apart = apart != 0 if metric == "nominal" else apart**2
    n_items = len(labels) / 2 * apart.mean() ** 2 / (apart**2.0).mean()
    expected = interval_by_definition(found.statistic, pseudo, 0.9, least=-1.0, n_items=n_items)
    assert (found.low, found.high) == pytest.approx(expected)
    assert (found.n_judges, found.n_items, found.n_topics) == (3, several.sum(), 8)
    assert list(found.to_frame().columns[:3]) == ["alpha", "low", "high"]


def test_files_and_fractions(tmp_path):
    for name, labels in judges(4).items():
        rows = [f"{q} 0 {d} {label / 10}" for q, own in labels.items() for d, label in own.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(rows))
    found = alpha_of_judges(tmp_path)
    assert found.statistic == pytest.approx(alpha_of_judges(judges(4)).statistic)
    assert found.judges == ("a", "b", "c")
    with pytest.raises(ValueError, match=r"`judges` must .*got 1"):
        alpha_of_judges([tmp_path / "a.qrels"])


def test_nothing_to_agree_on():
    with pytest.warns(DegenerateInputWarning):
        found = alpha_of_judges({"a": {"1": {"d1": 1}}, "b": {"1": {"d2": 1}}})
    assert math.isnan(found.statistic)
    assert math.isnan(found.low)
    assert found.n_items == 0
    with pytest.warns(DegenerateInputWarning):
        assert math.isnan(pair_accuracy({"1": {"a": 1, "b": 0}}, {"1": {"A": 1, "B": 0}}).statistic)


def test_a_transposed_array_is_not_taken_in_silence():
    labels = as_array(judges(3))
    with pytest.warns(UnreliableResultWarning, match="each row of `labels` is a judge. Is it transposed"):
        krippendorff_alpha(labels.T)


def test_pairs_of_documents():
    sets = judges(6)
    found = pair_accuracy(sets["a"], sets["b"], tie_threshold=0, level=0.9)
    both = [(own, sets["b"][topic]) for topic, own in sets["a"].items()]
    topics = [[(own[doc], other[doc]) for doc in own if doc in other] for own, other in both]
    values = [accuracy(topic, 0) for topic in topics]
    assert found.statistic == pytest.approx(np.mean(values))
    how = {"least": 0.0, "n_items": 12 * 6, "failed": min(found.one_label, found.at_random)}
    assert (found.low, found.high) == pytest.approx(interval_by_definition(found.statistic, values, 0.9, **how))
    every = [(one == other, x == y) for topic in topics for at, (one, x) in enumerate(topic) for other, y in topic[:at]]
    assert (found.tied, found.tied_other) == pytest.approx(tuple(np.mean(every, axis=0)))
    assert found.n_pairs == len(every)


def test_ties_of_fractions_are_calibrated():
    people = {f"q{n}": {"a": 2, "b": 1, "c": 0, "d": 0} for n in range(5)}
    means = {topic: {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.05 + n / 1000} for n, topic in enumerate(people)}
    found = pair_accuracy(people, means)
    assert (found.statistic, found.high) == pytest.approx((1.0, 1.0))
    assert found.low < 0.9
    assert 0.05 <= found.tie_threshold < 0.4
    assert pair_accuracy(people, means, tie_threshold=0).statistic == pytest.approx(5 / 6)
    with pytest.raises(ValueError, match=r"`tie_threshold` must .*got -1"):
        pair_accuracy(people, means, tie_threshold=-1)
