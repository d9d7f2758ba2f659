from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import ir_measures
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_rankcorr.judgments import pool, pseudo_judgments, sample_judgments, single_run_judgments

DOCUMENTS = st.sampled_from([f"d{number}" for number in range(8)])
TOPICS = st.sampled_from(["1", "2", "03"])
RUN = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, st.integers(0, 3), min_size=1), min_size=1)
RUNS = st.dictionaries(st.text(min_size=1, max_size=3), RUN, min_size=1, max_size=4)
QRELS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, st.integers(-1, 3), min_size=1), min_size=1)


def pool_by_definition(runs, qrels, depth):
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


def triples(judgments):
    return list(judgments[["qid", "docno", "label"]].itertuples(index=False, name=None))


@given(RUNS, QRELS, st.integers(0, 9))
def test_a_pool_is_what_any_run_has_among_its_first(runs, qrels, depth):
    assert triples(pool(runs, qrels, depth)) == pool_by_definition(runs, qrels, depth)


@given(RUN, QRELS)
def test_a_single_run_is_a_pool_of_itself_to_the_end(run, qrels):
    assert triples(single_run_judgments(run, qrels)) == pool_by_definition({"a": run}, qrels, 100)


def test_judgments_keep_their_form_and_can_be_evaluated(tmp_path):
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
        (lambda: pool({}, QRELS_OF_ONE, 1), ValueError, "`runs` must name at least one file"),
        (lambda: pseudo_judgments(ONE, share=1.1), ValueError, r"`share` must be from 0 to 1, got 1\.1"),
        (lambda: pseudo_judgments(ONE, repetitions=0), ValueError, "`repetitions` must be an integer of at least 1"),
        (lambda: pool(ONE, QRELS_OF_ONE, [1, 10**400]), ValueError, "an integer of at most 1000000000, got 10000"),
        (lambda: pseudo_judgments(ONE, depth=10**9 + 1), ValueError, "an integer of at most 1000000000, got 10000"),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@given(RUNS, st.integers(0, 5), st.floats(0, 1), st.integers(0, 3))
@example({"a": {"1": {f"d{n}": n for n in range(100)}}}, 100, 0.07, 1)  # 0.07 * 100 > 7
def test_pseudo_judgments_are_of_the_pool_without_duplicates(runs, depth, share, seed):
    judged = pseudo_judgments(runs, depth=depth, share=share, rng=seed)
    everything = {qid: {f"d{n}": 0 for n in range(100)} for qid in ("1", "2", "03")}
    assert sorted(triples(judged.assign(label=0))) == sorted(pool_by_definition(runs, everything, depth))
    for _, labels in judged.groupby("qid")["label"]:
        assert labels.sum() == ceil(Fraction(share) * len(labels) * (1 - Fraction(1, 10**12)))


def test_pseudo_judgments_depend_on_the_seed_and_not_on_the_order_of_runs():
    first, second = {"1": {f"d{n}": float(n) for n in range(20)}}, {"1": {f"e{n}": float(n) for n in range(20)}}
    drawn = pseudo_judgments({"a": first, "b": second}, share=0.3, rng=1)
    assert drawn.equals(pseudo_judgments({"b": second, "a": first}, share=0.3, rng=1))
    assert not drawn.equals(pseudo_judgments({"a": first, "b": second}, share=0.3, rng=2))


def test_every_pooled_document_is_drawn_as_often():
    run = {str(topic): {f"d{n}": float(n) for n in range(10)} for topic in range(1000)}
    drawn = pseudo_judgments({"a": run}, share=0.3, rng=1)
    times = Counter(drawn.loc[drawn["label"] == 1, "docno"])
    assert sum(times.values()) == 3000
    assert all(240 < times[docno] < 360 for docno in run["1"])  # 300, four standard deviations


@given(RUNS, QRELS, st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_several_depths_give_what_each_gives(runs, qrels, depths):
    pools = pool(runs, qrels, depths)
    assert list(pools) == list(dict.fromkeys(depths))
    for depth, judged in pools.items():
        assert triples(judged) == triples(pool(runs, qrels, depth))
        assert list(judged.columns) == ["qid", "docno", "label", "iteration"]


@given(RUNS, st.integers(0, 99))
def test_repetitions_are_drawn_from_one_pool_one_after_the_other(runs, seed):
    sets = pseudo_judgments(runs, share=0.5, repetitions=3, rng=seed)
    pd.testing.assert_frame_equal(sets[0], pseudo_judgments(runs, share=0.5, rng=seed))
    for other in sets[1:]:
        pd.testing.assert_frame_equal(other[["qid", "docno"]], sets[0][["qid", "docno"]])
        assert other.groupby("qid")["label"].sum().equals(sets[0].groupby("qid")["label"].sum())


OF_TOPIC = st.dictionaries(st.integers(0, 30).map(str), st.integers(-1, 3), min_size=1)
JUDGED = st.dictionaries(st.sampled_from(["1", "2", "03"]), OF_TOPIC, min_size=1)
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=4)


def documents(judgments):
    return set(judgments[["qid", "docno"]].itertuples(index=False, name=None))


@given(JUDGED, SHARES, st.integers(0, 3))
def test_each_kind_of_each_topic_keeps_its_share_and_at_least_one(qrels, shares, seed):
    for share, sample in sample_judgments(qrels, shares, seed).items():
        kept = documents(sample)
        assert len(kept) == len(sample)
        for qid, labels in qrels.items():
            for relevant in (True, False):
                of_kind = {(qid, docno) for docno, label in labels.items() if (label > 0) == relevant}
                wanted = max(min(1, len(of_kind)), floor(share * len(of_kind) + 0.5))
                assert len(of_kind & kept) == wanted
        assert all(qrels[qid][docno] == label for qid, docno, label in sample[["qid", "docno", "label"]].to_numpy())


@given(JUDGED, SHARES)
def test_samples_are_nested_and_a_single_share_gives_the_same(qrels, shares):
    samples = sample_judgments(qrels, sorted(shares), 1)
    kept = [documents(sample) for sample in samples.values()]
    assert all(smaller <= larger for smaller, larger in pairwise(kept))
    assert samples[shares[0]].equals(sample_judgments(qrels, shares[0], 1))


@given(JUDGED, st.floats(0, 1))
def test_the_order_of_judgments_does_not_matter(qrels, share):
    other_way = {qid: dict(reversed(labels.items())) for qid, labels in reversed(qrels.items())}
    assert documents(sample_judgments(qrels, share, 1)) == documents(sample_judgments(other_way, share, 1))


def test_share_1_is_everything_in_its_order():
    qrels = pd.DataFrame({"qid": ["2", "1", "1"], "docno": ["x", "z", "y"], "label": [1, 0, 2]})
    assert sample_judgments(qrels, 1, 1)[["qid", "docno", "label"]].equals(qrels.astype({"qid": "str", "docno": "str"}))


def test_all_labels_of_a_document_are_kept_together():
    """Judgments of diversity tracks have several rows a document, one for each intent."""
    rows = [("1", f"d{n}", n % 2, str(intent)) for n in range(10) for intent in range(3)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    sample = sample_judgments(qrels, 0.4, 1)
    assert set(sample["doc_id"].value_counts()) == {3}
    assert sample["doc_id"].nunique() == 4


@pytest.mark.parametrize("share", [-0.1, 1.5, [0.1, 2], "half"])
def test_shares_out_of_range(share):
    with pytest.raises((TypeError, ValueError), match=r"`share` must be (from 0 to 1|a number, got 'half')"):
        sample_judgments({"1": {"d1": 1}}, share)
