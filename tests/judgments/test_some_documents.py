"""Some documents of each topic by people, all by a judge."""

import warnings
from itertools import combinations
from math import log2

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr.judgments import prediction_powered_scores
from pt_rankcorr.warnings import NothingRetrievedWarning, UnreliableResultWarning

MEASURES = ["P(rel=2)@3", "RBP(rel=1,p=0.7)", "SDCG(max_rel=3)@4"]
DOCUMENTS = [f"d{number}" for number in range(6)]


def collection(n_topics, seed):
    """Three runs, people's labels of all documents, and those of a judge, on another scale."""
    rng = np.random.default_rng(seed)
    topics = [f"t{number}" for number in range(n_topics)]
    runs = {name: {t: dict(zip(DOCUMENTS, rng.permutation(6).tolist(), strict=True)) for t in topics} for name in "abc"}
    people = {t: dict(zip(DOCUMENTS, rng.integers(0, 4, 6).tolist(), strict=True)) for t in topics}
    judge = {t: {d: 20 - 5 * label + rng.integers(4) / 2 for d, label in own.items()} for t, own in people.items()}
    return runs, people, judge


def gains_and_weights(measure):
    ideal = sum(1 / log2(place + 1) for place in (1, 2, 3, 4))
    return {
        MEASURES[0]: (lambda label: label >= 2, lambda place: (place <= 3) / 3),
        MEASURES[1]: (lambda label: label >= 1, lambda place: 0.3 * 0.7 ** (place - 1)),
        MEASURES[2]: (lambda label: label / 3, lambda place: (place <= 4) / log2(place + 1) / ideal),
    }[measure]


def by_definition(runs, people, judge, chances, measure):
    gain, weight = gains_and_weights(measure)
    rows = []
    for topic in sorted(people):
        rest = [(t, d) for t in people if t != topic for d in people[t]]
        x, y = ([value(t, d) for t, d in rest] for value in (lambda t, d: judge[t][d], lambda t, d: gain(people[t][d])))
        slope, start = np.polyfit(x, y, 1, w=[chances[t][d] ** -0.5 for t, d in rest])
        row = []
        for run in runs.values():
            ranked, score = sorted(run[topic], key=run[topic].get, reverse=True), 0.0
            for place, d in enumerate(ranked, 1):
                expected = start + slope * judge[topic][d]
                theirs = people[topic].get(d)
                off = 0.0 if theirs is None else (gain(theirs) - expected) / chances[topic][d]
                score += weight(place) * (expected + off)
            row.append(score)
        rows.append(row)
    return rows


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.parametrize("seed", range(4))
def test_it_is_its_definition(seed):
    runs, people, judge = collection(5, seed)
    rng = np.random.default_rng(seed)
    some = {t: {d: own[d] for d in rng.permutation(DOCUMENTS)[: rng.integers(2, 6)]} for t, own in people.items()}
    chances = {t: {d: rng.uniform(0.3, 1) for d in own} for t, own in some.items()}
    for given, meant in ((chances, chances), (None, {t: dict.fromkeys(own, len(own) / 6) for t, own in some.items()})):
        found = prediction_powered_scores(runs, some, judge, MEASURES, probabilities=given)
        for measure, matrix in found.items():
            np.testing.assert_allclose(matrix.values, by_definition(runs, some, judge, meant, measure), atol=1e-9)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.parametrize("n", [1, 2, 4])
def test_on_average_over_all_samples_of_a_topic_it_is_the_score_by_all_labels(n):
    runs, people, judge = collection(3, 1)
    others = {topic: dict(list(own.items())[:3]) for topic, own in people.items()}
    samples = [others | {"t0": {d: people["t0"][d] for d in drawn}} for drawn in combinations(DOCUMENTS, n)]
    whole = prediction_powered_scores(runs, people, judge, MEASURES)
    found = [prediction_powered_scores(runs, sample, judge, MEASURES) for sample in samples]
    for measure in MEASURES:
        rows = [each[measure].values[0] for each in found]
        assert np.std(rows, axis=0).min() > 0.01
        np.testing.assert_allclose(np.mean(rows, axis=0), whole[measure].values[0], atol=1e-12)


def test_the_order_of_topics_and_documents_does_not_matter():
    runs, people, judge = collection(6, 3)
    some = {topic: dict(list(own.items())[:3]) for topic, own in people.items()}
    other = [{t: dict(reversed(own.items())) for t, own in reversed(it.items())} for it in (some, judge)]
    first, second = (prediction_powered_scores(runs, *both, MEASURES) for both in ((some, judge), other))
    assert all(np.array_equal(first[measure].values, second[measure].values) for measure in MEASURES)


def test_a_perfect_judge_leaves_no_noise_and_one_label_for_all_is_no_help():
    runs, people, _ = collection(6, 4)
    some = {topic: dict(list(own.items())[:5]) for topic, own in people.items()}
    measure = MEASURES[2]
    whole = prediction_powered_scores(runs, people, people, [measure])[measure].values
    np.testing.assert_allclose(prediction_powered_scores(runs, some, people, [measure])[measure].values, whole)
    constant = {topic: dict.fromkeys(DOCUMENTS, 0.1) for topic in people}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # rounding is no sign of documents that were chosen
        found = prediction_powered_scores(runs, some, constant, [measure])[measure].values
    assert np.abs(found - whole).max() > 0.05


def test_documents_that_are_no_random_part_are_warned_of():
    runs, people, judge = collection(20, 5)
    best = {t: {d: people[t][d] for d in sorted(own, key=own.get)[:3]} for t, own in judge.items()}
    with pytest.warns(
        UnreliableResultWarning, match=r"no random part .* of theirs are 10 on average, those of all 14\.2 \(p = 3e-12"
    ):
        prediction_powered_scores(runs, best, judge, ["P@3"])


@pytest.mark.whole
def test_of_documents_at_random_no_more_are_warned_of_than_the_level():
    runs, people, judge = collection(20, 5)
    n_warnings = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        some = {t: {d: own[d] for d in rng.permutation(DOCUMENTS)[:3]} for t, own in people.items()}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            prediction_powered_scores(runs, some, judge, ["P@3"])
        n_warnings += len(caught)
    assert n_warnings <= 4  # of 100 at a level of .01: more by chance in 1 of 300


RUNS, PEOPLE, JUDGE = collection(3, 1)
CERTAIN = {topic: dict.fromkeys(DOCUMENTS, 1) for topic in PEOPLE}


@pytest.mark.parametrize(
    "measure", ["nDCG@10", "AP", "RR", "R@10", "P(judged_only=True)@10", "RBP", "SDCG(max_rel=0)@3"]
)
def test_measures_that_do_not_add_up_gains_are_refused(measure):
    with pytest.raises(ValueError, match="`measures`"):
        prediction_powered_scores(RUNS, PEOPLE, JUDGE, [measure])


@pytest.mark.parametrize(
    ("people", "judge", "chances", "message"),
    [
        ({"t0": PEOPLE["t0"]}, JUDGE, None, "`people` must have judged documents on at least 2 topics, got 't0'"),
        (PEOPLE | {"t9": {"d1": 1}}, JUDGE, None, "got none for 1 of 19, such as 'd1' on topic 't9'"),
        (PEOPLE, JUDGE, {"t0": {"d0": 1}}, "`probabilities` must have all documents of people, got none for 'd1' on"),
        *(
            (PEOPLE, JUDGE, CERTAIN | {"t1": dict.fromkeys(DOCUMENTS, chance)}, f"at most 1, got {chance} for 'd0'")
            for chance in (0, 1.5)
        ),
        (PEOPLE, pd.DataFrame({"qid": [], "docno": [], "label": []}), None, "`judge` must hold judgments"),
        (PEOPLE, {"t0": {"d0": np.nan}}, None, "`judge` must have numbers as labels, got nan"),
    ],
)
def test_what_does_not_match_is_refused(people, judge, chances, message):
    with pytest.raises(ValueError, match=message):
        prediction_powered_scores(RUNS, people, judge, ["P@3"], probabilities=chances)


def test_a_run_of_other_documents_is_named():
    other = {topic: {document.upper(): score for document, score in row.items()} for topic, row in RUNS["a"].items()}
    said = r"^No document of 1 of 4 runs is judged: .z, such as 'D\d' on topic 't0', where 'd0' is judged"
    with pytest.warns(NothingRetrievedWarning, match=said):
        prediction_powered_scores(RUNS | {"z": other}, PEOPLE, JUDGE, ["P@3"])
