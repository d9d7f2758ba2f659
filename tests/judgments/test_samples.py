from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import floor

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.judgments.pools import sample_judgments

QRELS = st.dictionaries(
    st.sampled_from(["1", "2", "03"]),
    st.dictionaries(st.integers(0, 30).map(str), st.integers(-1, 3), min_size=1),
    min_size=1,
)
SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=4)


def documents(judgments: pd.DataFrame) -> set[tuple[str, str]]:
    return set(judgments[["qid", "docno"]].itertuples(index=False, name=None))


@given(QRELS, SHARES, st.integers(0, 3))
def test_each_kind_of_each_topic_keeps_its_share_and_at_least_one(qrels: dict, shares: list[float], seed: int) -> None:
    for share, sample in sample_judgments(qrels, shares, seed).items():
        kept = documents(sample)
        assert len(kept) == len(sample)
        for qid, labels in qrels.items():
            for relevant in (True, False):
                of_kind = {(qid, docno) for docno, label in labels.items() if (label > 0) == relevant}
                wanted = max(min(1, len(of_kind)), floor(share * len(of_kind) + 0.5))
                assert len(of_kind & kept) == wanted
        assert all(qrels[qid][docno] == label for qid, docno, label in sample[["qid", "docno", "label"]].to_numpy())


@given(QRELS, SHARES)
def test_samples_are_nested_and_a_single_share_gives_the_same(qrels: dict, shares: list[float]) -> None:
    samples = sample_judgments(qrels, sorted(shares), 1)
    kept = [documents(sample) for sample in samples.values()]
    assert all(smaller <= larger for smaller, larger in pairwise(kept))
    assert samples[shares[0]].equals(sample_judgments(qrels, shares[0], 1))


@given(QRELS, st.floats(0, 1))
def test_the_order_of_judgments_does_not_matter(qrels: dict, share: float) -> None:
    other_way = {qid: dict(reversed(labels.items())) for qid, labels in reversed(qrels.items())}
    assert documents(sample_judgments(qrels, share, 1)) == documents(sample_judgments(other_way, share, 1))


def test_share_1_is_everything_in_its_order() -> None:
    qrels = pd.DataFrame({"qid": ["2", "1", "1"], "docno": ["x", "z", "y"], "label": [1, 0, 2]})
    assert sample_judgments(qrels, 1, 1)[["qid", "docno", "label"]].equals(qrels.astype({"qid": "str", "docno": "str"}))


def test_every_document_is_kept_as_often() -> None:
    qrels = {str(topic): {f"d{n}": 1 for n in range(10)} for topic in range(1000)}
    times = Counter(sample_judgments(qrels, 0.3, 1)["docno"])
    assert all(240 < times[docno] < 360 for docno in qrels["1"])  # 300, four standard deviations


def test_all_labels_of_a_document_are_kept_together() -> None:
    """Judgments of diversity tracks have several rows a document, one for each intent."""
    rows = [("1", f"d{n}", n % 2, str(intent)) for n in range(10) for intent in range(3)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    sample = sample_judgments(qrels, 0.4, 1)
    assert set(sample["doc_id"].value_counts()) == {3}
    assert sample["doc_id"].nunique() == 4


@pytest.mark.parametrize("share", [-0.1, 1.5, [0.1, 2], "half"])
def test_shares_out_of_range(share: object) -> None:
    with pytest.raises((TypeError, ValueError), match=r"`share` must be (from 0 to 1|a number, got 'half')"):
        sample_judgments({"1": {"d1": 1}}, share)  # type: ignore[call-overload]
