"""Q-measure and nCG against their definitions, as loops over ranks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, Qrel, ScoredDoc

from pt_rankcorr.io.measure_names import resolve_measure
from pt_rankcorr.measures import JKnDCG, Q, nCG


def q_measure(ranking, gains, cutoff=math.inf, beta=1.0):
    """Section 2 of Sakai, SIGIR 2006, rank by rank."""
    ideal = sorted((gain for gain in gains.values() if gain > 0), reverse=True)
    total, cg, cg_ideal, count = 0.0, 0.0, 0.0, 0
    for rank, doc in enumerate(ranking, start=1):
        if rank > cutoff:
            break
        gain = gains.get(doc, 0)
        cg += gain
        cg_ideal += ideal[rank - 1] if rank <= len(ideal) else 0
        if gain > 0:
            count += 1
            total += (beta * cg + count) / (beta * cg_ideal + rank)
    return total / min(len(ideal), cutoff) if ideal else 0.0


def ncg(ranking, gains, cutoff):
    ideal = sorted(gains.values(), reverse=True)
    cg = sum(gains.get(doc, 0) for doc in ranking[:cutoff])
    return cg / sum(ideal[:cutoff]) if sum(ideal) else 0.0


def first_ndcg(ranking, gains, cutoff, base):
    """Section 2 of Sakai, SIGIR 2006: the gain over log_a(i) for i > a."""

    def discounted(found):
        ranks = range(1, 1 + int(min(cutoff, len(found))))
        return sum(found[i - 1] if i <= base else found[i - 1] / math.log(i, base) for i in ranks)

    ideal = discounted(sorted(gains.values(), reverse=True))
    return discounted([gains.get(doc, 0) for doc in ranking]) / ideal if ideal else 0.0


def evaluate(measure, ranking, labels):
    run = [ScoredDoc("q1", doc, -float(rank)) for rank, doc in enumerate(ranking)]
    return measure.calc_aggregate([Qrel("q1", doc, label) for doc, label in labels.items()], run)


documents = [f"d{number}" for number in range(12)]
rankings = st.permutations(documents).flatmap(lambda docs: st.integers(1, 12).map(lambda size: list(docs)[:size]))
judgments = st.dictionaries(st.sampled_from([*documents, "d98", "d99"]), st.integers(-3, 4), min_size=1)
betas = st.sampled_from([0.0, 0.3, 20.0]) | st.floats(0, 50)
bases = st.sampled_from([1.5, 2.0, 10.0]) | st.floats(1.01, 50)


@given(rankings, judgments, st.integers(1, 15), betas, bases)
def test_equal_to_the_definitions(ranking, labels, cutoff, beta, base):
    gains = {document: max(label, 0) for document, label in labels.items()}
    assert evaluate(Q, ranking, labels) == pytest.approx(q_measure(ranking, gains))
    assert evaluate(Q(beta=beta), ranking, labels) == pytest.approx(q_measure(ranking, gains, beta=beta))
    assert evaluate(Q(beta=beta) @ cutoff, ranking, labels) == pytest.approx(q_measure(ranking, gains, cutoff, beta))
    assert evaluate(JKnDCG(base=base), ranking, labels) == pytest.approx(first_ndcg(ranking, gains, 99, base))
    assert evaluate(JKnDCG(base=base) @ cutoff, ranking, labels) == pytest.approx(
        first_ndcg(ranking, gains, cutoff, base)
    )
    assert evaluate(nCG @ cutoff, ranking, labels) == pytest.approx(ncg(ranking, gains, cutoff))


def test_by_hand():
    labels = {"a": 3, "b": 1, "c": 2}  # cg_I = 3, 5, 6
    assert evaluate(Q, ["b", "x", "a"], labels) == pytest.approx(((1 + 1) / (3 + 1) + (4 + 2) / (6 + 3)) / 3)
    assert evaluate(nCG @ 2, ["b", "x", "a"], labels) == pytest.approx(1 / 5)


def test_first_ndcg_by_hand():
    labels = {"a": 3, "b": 1, "c": 2}  # ideal: 3 + 2 / 1 + 1 / log2(3)
    ideal = 3 + 2 + 1 / math.log2(3)
    assert evaluate(JKnDCG, ["b", "x", "a"], labels) == pytest.approx((1 + 3 / math.log2(3)) / ideal)
    assert evaluate(JKnDCG, ["b", "a"], labels) == pytest.approx((1 + 3) / ideal)  # as that of "a", "b"
    assert resolve_measure("JKnDCG(base=10)@100") == JKnDCG(base=10) @ 100
    assert str(Q(beta=0.5) @ 10) == "Q(beta=0.5)@10"


def test_parameters_may_be_whole_numbers():
    labels = {"a": 3, "b": 1, "c": 2}
    for whole, real in ((JKnDCG(base=10), JKnDCG(base=10.0)), (Q(beta=5) @ 3, Q(beta=5.0) @ 3)):
        assert evaluate(whole, ["b", "x", "a"], labels) == evaluate(real, ["b", "x", "a"], labels)
        assert evaluate(resolve_measure(str(whole)), ["b"], labels) == evaluate(real, ["b"], labels)


@pytest.mark.parametrize(
    ("measure", "message"),
    [(Q(beta=-1.0), "`beta` must be at least 0, got -1.0"), (JKnDCG(base=1.0), "`base` must be above 1, got 1.0")],
)
def test_parameters_out_of_range(measure, message):
    with pytest.raises(ValueError, match=message):
        evaluate(measure, ["a"], {"a": 1})


def test_gains_can_be_chosen():
    labels = {"a": 2, "b": 1, "c": 0}
    steep = nCG(gains={1: 1, 2: 9}) @ 1
    assert evaluate(steep, ["b", "a"], labels) == pytest.approx(1 / 9)
    assert evaluate(Q(gains={2: 1}), ["b", "a"], labels) == pytest.approx((1 + 1) / (1 + 2))


def test_topics_missing_from_the_run_count_zero():
    qrels = [Qrel("q1", "a", 1), Qrel("q2", "a", 1)]
    assert Q.calc_aggregate(qrels, [ScoredDoc("q1", "a", 1.0), ScoredDoc("q3", "a", 1.0)]) == 0.5


def test_ties_are_broken_as_trec_eval_does():
    qrels = [Qrel("q1", "a", 1)]
    for docs in (["a", "b"], ["b", "a"]):
        run = [ScoredDoc("q1", doc, 1.0) for doc in docs]
        assert AP.calc_aggregate(qrels, run) == 0.5
        # one relevant document at rank 2: (1 + 1) / (1 + 2)
        assert Q.calc_aggregate(qrels, run) == pytest.approx(2 / 3)


def test_names_and_parameters():
    assert str(Q @ 1000) == "Q@1000"
    assert resolve_measure("nCG@10") == nCG @ 10
    with pytest.raises(AssertionError):
        evaluate(nCG, ["a"], {"a": 1})
