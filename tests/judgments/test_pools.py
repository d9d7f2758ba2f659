from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from pathlib import Path

import ir_measures
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_rankcorr.judgments.pools import pool, pseudo_judgments, single_run_judgments

DOCUMENTS = st.sampled_from([f"d{number}" for number in range(8)])
TOPICS = st.sampled_from(["1", "2", "03"])
RUN = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, st.integers(0, 3), min_size=1), min_size=1)
RUNS = st.dictionaries(st.text(min_size=1, max_size=3), RUN, min_size=1, max_size=4)
QRELS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, st.integers(-1, 3), min_size=1), min_size=1)


def pool_by_definition(runs: dict, qrels: dict, depth: int) -> list[tuple[str, str, int]]:
    pooled = set()
    for run in runs.values():
        for qid, scores in run.items():
            ranked = sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)
            pooled |= {(qid, docno) for docno, _ in ranked[:depth]}
    return [
        (qid, docno, label)
        for qid, labels in qrels.items()
        for docno, label in labels.items()
        if (qid, docno) in pooled
    ]


def triples(judgments: pd.DataFrame) -> list[tuple[str, str, int]]:
    return list(judgments[["qid", "docno", "label"]].itertuples(index=False, name=None))


@given(RUNS, QRELS, st.integers(0, 9))
def test_a_pool_is_what_any_run_has_among_its_first(runs: dict, qrels: dict, depth: int) -> None:
    assert triples(pool(runs, qrels, depth)) == pool_by_definition(runs, qrels, depth)


@given(RUN, QRELS)
def test_a_single_run_is_a_pool_of_itself_to_the_end(run: dict, qrels: dict) -> None:
    assert triples(single_run_judgments(run, qrels)) == pool_by_definition({"a": run}, qrels, 100)


def test_judgments_keep_their_form_and_can_be_evaluated(tmp_path: Path) -> None:
    runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}}
    path = tmp_path / "my.qrels"
    path.write_text("1 0 d1 2\n1 0 d3 1\n")
    frame = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["d1", "d3"], "relevance": [2, 1]})
    assert triples(pool(runs, path, 2)) == [("1", "d1", 2)]
    kept = pool(runs, frame, 2)
    assert list(kept.columns)[:3] == ["query_id", "doc_id", "relevance"]
    assert ir_measures.calc_aggregate([ir_measures.AP], kept, runs["a"])[ir_measures.AP] == 1.0


ONE, QRELS_OF_ONE = {"a": {"1": {"d1": 1.0}}}, {"1": {"d1": 1}}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pool(ONE, QRELS_OF_ONE, -1), ValueError, "`depth` must be an integer of at least 0, got -1"),
        (lambda: pool(ONE, QRELS_OF_ONE, 1.5), TypeError, r"`depth` must be an integer, got 1\.5"),
        (lambda: pool(ONE, QRELS_OF_ONE, [1.5]), TypeError, "`depth` must be an integer"),
        (lambda: pool({}, QRELS_OF_ONE, 1), ValueError, "`runs` must be at least 1"),
        (lambda: pseudo_judgments(ONE, share=1.1), ValueError, r"`share` must be from 0 to 1, got 1\.1"),
        (
            lambda: pseudo_judgments(ONE, repetitions=0),
            ValueError,
            "`repetitions` must be an integer of at least 1, got 0",
        ),
        *(
            (call, ValueError, "`depth` must be an integer of at most 1000000000, got 10000")
            for beyond in (10**9 + 1, 10**400)
            for call in (
                lambda beyond=beyond: pool(ONE, QRELS_OF_ONE, [1, beyond]),
                lambda beyond=beyond: pseudo_judgments(ONE, depth=beyond),
            )
        ),
    ],
)
def test_what_is_refused(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


# --- pseudo-judgments ---------------------------------------------------------------------------------------------


@given(RUNS, st.integers(0, 5), st.floats(0, 1), st.integers(0, 3))
@example({"a": {"1": {f"d{n}": n for n in range(100)}}}, 100, 0.07, 1)  # 0.07 * 100 > 7
def test_pseudo_judgments_are_of_the_pool_without_duplicates(runs: dict, depth: int, share: float, seed: int) -> None:
    judged = pseudo_judgments(runs, depth=depth, share=share, rng=seed)
    everything = {qid: {f"d{n}": 0 for n in range(100)} for qid in ("1", "2", "03")}
    assert sorted(triples(judged.assign(label=0))) == sorted(pool_by_definition(runs, everything, depth))
    for _, labels in judged.groupby("qid")["label"]:
        assert labels.sum() == ceil(Fraction(share) * len(labels) * (1 - Fraction(1, 10**12)))


def test_pseudo_judgments_depend_on_the_seed_and_not_on_the_order_of_runs() -> None:
    first, second = {"1": {f"d{n}": float(n) for n in range(20)}}, {"1": {f"e{n}": float(n) for n in range(20)}}
    drawn = pseudo_judgments({"a": first, "b": second}, share=0.3, rng=1)
    assert drawn.equals(pseudo_judgments({"b": second, "a": first}, share=0.3, rng=1))
    assert not drawn.equals(pseudo_judgments({"a": first, "b": second}, share=0.3, rng=2))


def test_every_pooled_document_is_drawn_as_often() -> None:
    run = {str(topic): {f"d{n}": float(n) for n in range(10)} for topic in range(1000)}
    drawn = pseudo_judgments({"a": run}, share=0.3, rng=1)
    times = Counter(drawn.loc[drawn["label"] == 1, "docno"])
    assert sum(times.values()) == 3000
    assert all(240 < times[docno] < 360 for docno in run["1"])  # 300, four standard deviations


@given(RUNS, QRELS, st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_several_depths_give_what_each_gives(runs: dict, qrels: dict, depths: list[int]) -> None:
    pools = pool(runs, qrels, depths)
    assert list(pools) == list(dict.fromkeys(depths))
    for depth, judged in pools.items():
        assert triples(judged) == triples(pool(runs, qrels, depth))
        assert list(judged.columns) == ["qid", "docno", "label", "iteration"]


@given(RUNS, st.integers(0, 99))
def test_repetitions_are_drawn_from_one_pool_one_after_the_other(runs: dict, seed: int) -> None:
    sets = pseudo_judgments(runs, share=0.5, repetitions=3, rng=seed)
    pd.testing.assert_frame_equal(sets[0], pseudo_judgments(runs, share=0.5, rng=seed))
    for other in sets[1:]:
        pd.testing.assert_frame_equal(other[["qid", "docno"]], sets[0][["qid", "docno"]])
        assert other.groupby("qid")["label"].sum().equals(sets[0].groupby("qid")["label"].sum())
