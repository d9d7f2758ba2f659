"""Text taken apart as columns, the order of documents, and measures of trec_eval, held against their definitions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, P, R, Rprec, Success, nDCG

from pt_rankcorr.adapters.columns import Irregular, Texts, fields, padded
from pt_rankcorr.adapters.evaluating import Evaluator
from pt_rankcorr.adapters.ranking import Judged, Ranking
from pt_rankcorr.adapters.retrieved import Results, Run, read_qrels, read_run
from pt_rankcorr.adapters.trec_measures import kernel_of
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

# --- text -----------------------------------------------------------------------------------------------------

digits = st.text("0123456789", max_size=20)
decimals = st.one_of(
    st.builds("{}{}.{}".format, st.sampled_from(["", "-"]), digits, digits),
    st.builds("{}{}".format, st.sampled_from(["", "-"]), digits),
    st.floats(allow_nan=False).map(repr),
    st.floats(width=32, allow_nan=False).map(str),
    st.text("0123456789.-+e", max_size=12),
    st.sampled_from(
        ["12345678.123456789", "123456789.5", "00000000.000000000000000000000001", "9007199254740993", "1\u0660"]
    ),
)


@given(st.lists(decimals, min_size=1, max_size=30))
def test_plain_decimals_are_read_to_the_nearest_float_or_within_two_units(texts: list[str]) -> None:
    values, plain, exact = Texts.of(texts).floats()
    assert not (exact & ~plain).any()
    for text, value, is_plain, is_exact in zip(texts, values, plain, exact, strict=True):
        if is_plain:
            expected = float(text)
            assert abs(value - expected) <= 2 * math.ulp(expected)
            assert not is_exact or (value == expected and math.copysign(1, value) == math.copysign(1, expected))


def test_what_programs_print_is_plain() -> None:
    draw = np.random.default_rng(1)
    texts = [f"{value:.{n}f}" for value in draw.normal(0, 30, 200) for n in (0, 2, 6, 8)]
    assert Texts.of(texts).floats()[2].all()
    assert Texts.of([repr(value) for value in draw.normal(0, 30, 1000).tolist()]).floats()[1].all()


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30), min_size=1))
def test_pieces_are_themselves(texts: list[str]) -> None:
    pieces = Texts.of(texts)
    assert pieces.strings() == texts
    keys = pieces.keys()
    assert len(set(keys.tolist())) == len(set(texts))
    codes, heads = pieces.distinct()
    assert [heads.strings()[code] for code in codes] == texts
    assert heads.strings() == list(dict.fromkeys(texts))
    if pieces.n_words <= 8:
        assert [texts[at] for at in np.lexsort(pieces.order())] == sorted(texts, key=str.encode)


lines = st.lists(
    st.lists(st.text("ab1\u00e9\x01", min_size=1, max_size=12), min_size=3, max_size=3), min_size=1, max_size=8
)
blanks = st.text(" \t\v\f", min_size=1, max_size=3)


@given(lines, blanks, st.sampled_from(["\n", "\r", "\r\n", " \n", "\n\n", "\n \t\n"]), st.booleans())
def test_fields_between_any_blanks(rows: list[list[str]], blank: str, end: str, ends: bool) -> None:
    text = end.join(blank.join(row) for row in rows) + (end if ends else "")
    if "\x01" in text:
        with pytest.raises(Irregular):
            list(fields(padded(text.encode()), 3, range(3)))
        return
    columns = [
        [piece for block in fields(padded(text.encode()), 3, [at]) for piece in block[0].strings()] for at in range(3)
    ]
    assert [list(row) for row in zip(*columns, strict=True)] == rows


@pytest.mark.parametrize(
    "text", ["a b\n", "a b c d\n", "a b c\nd e\n", "a b\nc\n", "a\nb c\nd e f\n", "a b\nc d e f\n"]
)
def test_lines_of_another_number_of_fields(text: str) -> None:
    with pytest.raises(Irregular):
        list(fields(padded(text.encode()), 3, range(3)))


def test_blocks_end_with_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"{n} x{n} y\n" for n in range(500)).encode()
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr("pt_rankcorr.adapters.columns.BLOCK", size)
        found = [name for block in fields(padded(text), 3, [1]) for name in block[0].strings()]
        assert found == [f"x{n}" for n in range(500)]


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
def test_files_and_dictionaries_are_ranked_alike_and_as_defined(run: Run) -> None:
    for ranking in (Ranking.of_documents(run), Ranking.of_text(padded(as_text(run).encode()))):
        assert ranking.topics == list(run)
        for depth in (1, 3, 100):
            first: dict[str, dict[int, str]] = {}
            for qid, docno, place in ranking.first(depth):
                first.setdefault(qid, {})[place] = docno
            assert first == {qid: dict(enumerate(plainly(run, qid)[:depth], 1)) for qid in run}


@given(runs, st.randoms())
def test_lines_of_topics_may_be_mixed(run: Run, draw: Any) -> None:
    mixed = as_text(run).splitlines(keepends=True)
    draw.shuffle(mixed)
    found = Ranking.of_text(padded("".join(mixed).encode()))
    assert set(found.first(100)) == set(Ranking.of_documents(run).first(100))


def test_scores_next_to_the_middle_of_two_singles_are_rounded_as_by_trec_eval() -> None:
    draw = np.random.default_rng(3)
    low = draw.normal(0, 10, 300).astype(np.float32)
    middle = (low.astype(float) + np.nextafter(low, np.float32(np.inf)).astype(float)) / 2
    values = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)]).tolist()
    text = "".join(f"1 Q0 d{n} 1 {value!r} t\n" for n, value in enumerate(values))
    assert Ranking.of_text(padded(text.encode())).scores.tolist() == np.array(values).astype(np.float32).tolist()


@pytest.mark.parametrize(
    "line",
    [
        "1 Q0 d1 1 nan t",
        "1 Q0 d1 1 inf t",
        "1 Q0 d1 1 3.5e38 t",
        "1 Q0 d1 1 1_0 t",
        "1 Q0 d1 1 x t",
        "1 Q0 d0 1 1 t",
        " ",
    ],
)
def test_what_is_odd_is_left_to_the_reader_of_lines(line: str, tmp_path: Path) -> None:
    text = f"1 Q0 d0 1 1 t\n{line}\n"
    (tmp_path / "a.run").write_text(text)
    if line == " ":
        assert Results("a", tmp_path / "a.run").documents == {"1": {"d0": 1.0}}
        return
    with pytest.raises(Irregular):
        Ranking.of_text(padded(text.encode()))
    with pytest.raises(ValueError) as expected:  # noqa: PT011  # whatever it is
        read_run("a", tmp_path / "a.run")
    with pytest.raises(ValueError) as found:  # noqa: PT011
        assert Results("a", tmp_path / "a.run").documents
    assert str(found.value) == str(expected.value)


# --- measures ---------------------------------------------------------------------------------------------------


def judged(labels: dict[str, dict[str, int]]) -> pd.DataFrame:
    """Without topics of labels below 0 alone, at which pytrec_eval ends the process."""
    rows = {qid: row if max(row.values()) >= 0 else dict.fromkeys(row, 0) for qid, row in labels.items()}
    return read_qrels(rows)


def by_ir_measures(measures: list[Any], judgments: pd.DataFrame, run: Run) -> dict[tuple[Any, str], float]:
    metrics = ir_measures.evaluator(measures, judgments).iter_calc(run)
    return {(metric.measure, metric.query_id): metric.value for metric in metrics}


@settings(deadline=None, max_examples=40)
@given(runs, qrels, st.permutations(FAST))
def test_the_bits_of_trec_eval(run: Run, labels: dict[str, dict[str, int]], measures: list[Any]) -> None:
    judgments = judged(labels)
    expected = by_ir_measures(measures, judgments, run)
    known, hits = Judged(judgments), Judged(judgments).find(Ranking.of_documents(run))
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
    values = Evaluator(FAST, judgments).evaluate(Results("a", run)).values
    assert values.tolist() == [[expected[measure, qid] for qid in labels] for measure in FAST]


@settings(deadline=None, max_examples=20)
@given(runs, qrels)
def test_evaluators_give_the_same_with_columns_and_without(run: Run, labels: dict[str, dict[str, int]]) -> None:
    judgments = judged(labels)
    measures = [*FAST, *SLOW]
    with_columns = Evaluator(measures, judgments).evaluate(Results("a", run))
    without = Results("a", run)
    without.ranking = None  # type: ignore[misc]
    found = Evaluator(measures, judgments).evaluate(without)
    np.testing.assert_array_equal(found.values, with_columns.values)
    assert sorted(found.judged) == sorted(with_columns.judged)
    assert found.attempted.tolist() == with_columns.attempted.tolist()
    assert not any(map(kernel_of, [*SLOW, nDCG(dcg="exp-log2") @ 5, nDCG(judged_only=True)]))


def test_measures_of_other_gains_are_not_mixed_up() -> None:
    """One evaluator of ir_measures for all gives nDCG the gains of another measure, as the order of a set has it."""
    run, judgments = {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, read_qrels({"1": {"d1": 1, "d2": 3, "d3": 2}})
    measures = [*(nDCG(gains={1: gain}) @ 5 for gain in (2, 3, 4, 5, 6)), nDCG @ 5]
    results = Results("a", run)
    results.ranking = None  # type: ignore[misc]
    found = Evaluator(measures, judgments).evaluate(results).values[:, 0]
    assert found.tolist() == [by_ir_measures([measure], judgments, run)[measure, "1"] for measure in measures]


def test_keys_that_tell_nothing_apart_cost_time_and_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"1": {"d1": 3.0, "d2": 2.0, "d3": 2.0}, "2": {"d1": 1.0, "d2": 1.0}}
    judgments = read_qrels({"1": {"d2": 1, "d3": 2}, "2": {"d1": 1, "d2": 0}})
    expected = Evaluator([AP, nDCG, Q], judgments).evaluate(Results("a", run))
    first = list(Results("a", run).first(2))
    monkeypatch.setattr("pt_rankcorr.adapters.columns._mixed", np.zeros_like)
    assert Results("a", run).ranking is None
    found = Evaluator([AP, nDCG, Q], judgments).evaluate(Results("a", run))
    assert found.values.tolist() == expected.values.tolist()
    assert sorted(found.judged) == sorted(expected.judged)
    assert sorted(Results("a", run).first(2)) == sorted(first)


def test_one_rule_ranks_documents_for_all() -> None:
    """Scores that differ in the ninth digit are ties, broken by document."""
    run = {"1": {"a": 1.000000002, "b": 1.000000001, "c": 1.0}}
    judgments = read_qrels({"1": {"a": 1, "b": 0, "c": 0}})
    values = by_ir_measures([P @ 2, AP, nCG @ 2, Q], judgments, run)
    assert [values[measure, "1"] for measure in (P @ 2, AP, nCG @ 2)] == [0.0, 1 / 3, 0.0]
    assert values[Q, "1"] == (1 + 1) / (1 + 3)
    assert pool_ranks({"x": run}, 1) == {"1": {"c": 1}}
