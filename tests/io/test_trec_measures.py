"""The order of documents, and measures of trec_eval, held against their definitions."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, P, R, Rprec, Success, nDCG

from pt_rankcorr.io.evaluating import Evaluator
from pt_rankcorr.io.ranking import Judged, Run, first_of, places_of
from pt_rankcorr.io.retrieved import read_qrels, read_run
from pt_rankcorr.io.trec_measures import kernel_of
from pt_rankcorr.judgments.pools import pool_ranks
from pt_rankcorr.measures import Q, nCG

FAST = [AP, AP @ 3, AP(rel=2), AP(rel=3) @ 2, P @ 1, P @ 5, P(rel=2) @ 10, RR, RR(rel=2), Rprec, Rprec(rel=2), R @ 3]
FAST += [
    R(rel=2) @ 5,
    R @ 100,
    Success @ 1,
    Success(rel=2) @ 5,
    Bpref,
    Bpref(rel=2),
    nDCG,
    nDCG @ 1,
    nDCG @ 5,
    nDCG @ 100,
]
SLOW = [nDCG(gains={1: 3}) @ 5, RR @ 5, ir_measures.infAP, Q, AP(judged_only=True)]

# --- runs -----------------------------------------------------------------------------------------------------

documents = [f"d{number}" for number in range(12)] + ["D", "d1\u00e9", "d1-with-a-long-name-1", "d1-with-a-long-name-2"]
beyond_single = st.integers(0, 9).map(lambda number: 1 + number * 1e-9)
scores = st.one_of(
    beyond_single,
    st.integers(-3, 3).map(float),
    st.floats(-1, 1),
    st.just(-0.0),
    st.floats(-3e38, 3e38),
    st.floats(-1e-44, 1e-44),
)
runs = st.dictionaries(
    st.sampled_from(["1", "2", "3", "a-topic-of-more-than-a-word", "a-topic-of-more-than-another"]),
    st.dictionaries(st.sampled_from(documents), scores, min_size=1),
    min_size=1,
)
labels = st.one_of(st.integers(0, 1), st.integers(-2, 4), st.sampled_from([0, 9]))
qrels = st.dictionaries(
    st.sampled_from(["1", "2", "4", "a-topic-of-more-than-a-word"]),
    st.dictionaries(st.sampled_from([*documents, "x", "y"]), labels, min_size=1),
    min_size=1,
)


def as_text(run: Run) -> str:
    return "".join(f"{qid} Q0 {doc} 1 {score!r} t\n" for qid, row in run.items() for doc, score in row.items())


def plainly(run: Run, qid: str) -> list[str]:
    """By score in single precision, ties by document, descending."""
    return sorted(run[qid], key=lambda doc: (np.float32(run[qid][doc]), doc.encode()), reverse=True)


@given(runs)
def test_documents_are_ranked_as_defined(run: Run) -> None:
    for topic, retrieved in run.items():
        places = dict(zip(retrieved, places_of(retrieved), strict=True))
        assert places == {document: place for place, document in enumerate(plainly(run, topic), 1)}
    for depth in (1, 3, 100):
        expected = [(topic, doc, place) for topic in run for place, doc in enumerate(plainly(run, topic)[:depth], 1)]
        assert list(first_of(run, depth)) == expected


@given(runs, st.randoms())
def test_files_hold_what_dictionaries_do_and_lines_of_topics_may_be_mixed(run: Run, draw: Any) -> None:
    assert read_run("a", written(as_text(run))) == run
    mixed = as_text(run).splitlines(keepends=True)
    draw.shuffle(mixed)
    assert read_run("a", written("".join(mixed))) == run


def written(text: str) -> Path:
    path = Path(mkdtemp()) / "a.run"
    path.write_text(text)
    return path


def test_scores_next_to_the_middle_of_two_singles_are_rounded_as_by_trec_eval() -> None:
    draw = np.random.default_rng(3)
    low = draw.normal(0, 10, 300).astype(np.float32)
    middle = (low.astype(float) + np.nextafter(low, np.float32(np.inf)).astype(float)) / 2
    values = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)]).tolist()
    text = "".join(f"1 Q0 d{n} 1 {value!r} t\n" for n, value in enumerate(values))
    assert list(read_run("a", written(text))["1"].values()) == values
    run = {"1": {f"d{n}": value for n, value in enumerate(values)}}
    assert [document for _, document, _ in first_of(run, 900)] == plainly(run, "1")


# --- measures ---------------------------------------------------------------------------------------------------


def judged(labels: dict[str, dict[str, int]]) -> pd.DataFrame:
    """Without topics of labels below 0 alone, at which pytrec_eval ends the process."""
    rows = {qid: row if max(row.values()) >= 0 else dict.fromkeys(row, 0) for qid, row in labels.items()}
    return read_qrels(rows)


def by_ir_measures(measures: list[Any], judgments: pd.DataFrame, run: Run) -> dict[tuple[Any, str], float]:
    metrics = ir_measures.evaluator(measures, judgments).iter_calc(run)
    return {(metric.measure, metric.query_id): metric.value for metric in metrics}


@given(runs, qrels, st.permutations(FAST))
def test_the_bits_of_trec_eval(run: Run, labels: dict[str, dict[str, int]], measures: list[Any]) -> None:
    judgments = judged(labels)
    expected = by_ir_measures(measures, judgments, run)
    known, hits = Judged(judgments), Judged(judgments).find(run)
    for measure in measures:
        values = dict(zip(known.topics, kernel_of(measure)(known, hits), strict=True))
        for qid in run.keys() & values.keys():
            assert values[qid] == expected[measure, qid], (measure, qid)


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 10**6), st.booleans())
def test_the_bits_of_trec_eval_on_long_runs(seed: int, rounded: bool) -> None:
    draw = np.random.default_rng(seed)
    labels = {
        str(q): {f"doc-{d}": int(draw.integers(0, 4)) for d in draw.choice(3000, 900, replace=False)} for q in range(3)
    }
    drawn = {q: (draw.choice(3000, 1000, replace=False), draw.gamma(2, 3, 1000)) for q in map(str, range(3))}
    run = {
        q: {f"doc-{d}": float(s.round(1) if rounded else s) for d, s in zip(*both, strict=True)}
        for q, both in drawn.items()
    }
    judgments = read_qrels(labels)
    expected = by_ir_measures(FAST, judgments, run)
    values = Evaluator(FAST, judgments).evaluate(run).values
    assert values.tolist() == [[expected[measure, qid] for qid in labels] for measure in FAST]


@settings(deadline=None, max_examples=20)
@given(runs, qrels)
def test_evaluators_give_what_ir_measures_does(run: Run, labels: dict[str, dict[str, int]]) -> None:
    judgments = judged(labels)
    measures = [*FAST, *SLOW]
    found = Evaluator(measures, judgments).evaluate(run)
    expected = by_ir_measures(FAST, judgments, run) | {
        key: value for measure in SLOW for key, value in by_ir_measures([measure], judgments, run).items()
    }
    for measure, values in zip(measures, found.values, strict=True):
        for topic, value in zip(labels, values, strict=True):
            assert value == expected[measure, topic] if topic in run else np.isnan(value)
    pairs = list(zip(judgments["query_id"], judgments["doc_id"], strict=True))
    assert sorted(found.judged) == [at for at, (topic, doc) in enumerate(pairs) if doc in run.get(topic, {})]
    assert not any(map(kernel_of, [*SLOW, nDCG(dcg="exp-log2") @ 5, nDCG(judged_only=True)]))


def test_measures_of_other_gains_are_not_mixed_up() -> None:
    """One evaluator of ir_measures for all gives nDCG the gains of another measure, as the order of a set has it."""
    run, judgments = {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, read_qrels({"1": {"d1": 1, "d2": 3, "d3": 2}})
    measures = [*(nDCG(gains={1: gain}) @ 5 for gain in (2, 3, 4, 5, 6)), nDCG @ 5]
    found = Evaluator(measures, judgments).evaluate(run).values[:, 0]
    assert found.tolist() == [by_ir_measures([measure], judgments, run)[measure, "1"] for measure in measures]


def test_one_rule_ranks_documents_for_all() -> None:
    """Scores that differ in the ninth digit are ties, broken by document."""
    run = {"1": {"a": 1.000000002, "b": 1.000000001, "c": 1.0}}
    judgments = read_qrels({"1": {"a": 1, "b": 0, "c": 0}})
    values = by_ir_measures([P @ 2, AP, nCG @ 2, Q], judgments, run)
    assert [values[measure, "1"] for measure in (P @ 2, AP, nCG @ 2)] == [0.0, 1 / 3, 0.0]
    assert values[Q, "1"] == (1 + 1) / (1 + 3)
    assert pool_ranks({"x": run}, 1) == {"1": {"c": 1}}
