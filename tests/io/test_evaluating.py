"""What evaluators cannot stand, several labels of a document, and scores that are all 0."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, P, infAP, nDCG

from pt_rankcorr.agreement import DocumentTau
from pt_rankcorr.comparison.compare_judgments import compare_judgments
from pt_rankcorr.io.measure_names import resolve_measure
from pt_rankcorr.io.runs import Evaluator, scores_from_runs
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments import compare_labels
from pt_rankcorr.warnings import NothingRetrievedWarning, RepeatedJudgmentsWarning, RoundedScoresWarning

LABELS = st.integers(-5, 3) | st.just(-1_000_000)
RUN = {"1": {"d": 2.0, "e": 1.0}, "2": {"e": 1.0, "d": 0.5}}
OTHER = {"1": {"d": 1.0, "f": 2.0}, "2": {"f": 1.0, "e": 0.5}}


@given(st.dictionaries(st.sampled_from("123"), st.dictionaries(st.sampled_from("def"), LABELS, min_size=1), min_size=1))
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.NothingRetrievedWarning")
def test_labels_below_zero_are_as_zero_to_measures(qrels):
    run = {qid: {"d": 3.0, "e": 2.0, "x": 1.0} for qid in "123"}
    at_least_zero = {qid: {docno: max(label, 0) for docno, label in row.items()} for qid, row in qrels.items()}
    runs = {"a": run, "b": run}
    measures = ["AP", "nDCG@10", "P@5", "RR"]
    assert scores_from_runs(runs, qrels, measures) == scores_from_runs(runs, at_least_zero, measures)


def repeated(order):
    rows = [("1", "d", 0, "a"), ("1", "d", 1, "b"), ("1", "e", 0, "a"), ("2", "e", 1, "a"), ("2", "e", 1, "b")]
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"]).iloc[::order]


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_iterations_the_highest_label_counts_everywhere(order):
    highest = {"1": {"d": 1, "e": 0}, "2": {"e": 1}}
    said = "^1 documents have different labels in several iterations of one topic: the highest counts"
    with pytest.warns(RepeatedJudgmentsWarning, match=said):
        scores = scores_from_runs({"a": RUN, "b": OTHER}, repeated(order), ["AP", "P@1", "nDCG"])
    expected = scores_from_runs({"a": RUN, "b": OTHER}, highest, ["AP", "P@1", "nDCG"])
    assert scores.select(topics=expected.topics) == expected
    assert compare_labels(highest, {"again": repeated(order)}).agreement["again"].kappa == 1.0
    with pytest.warns(RepeatedJudgmentsWarning, match=said):
        assert DocumentTau(repeated(order), name="x").params["other"].documents == highest


def test_measures_of_diversity_get_all_iterations(monkeypatch):
    asked = {}

    def evaluator(measures, judgments):
        asked[str(list(measures))] = judgments

    monkeypatch.setattr(ir_measures, "evaluator", evaluator)
    with pytest.warns(RepeatedJudgmentsWarning):
        Evaluator([infAP, resolve_measure("alpha_nDCG@10")], read_qrels(repeated(1)))
    assert asked["[infAP]"] == {"1": {"d": 1, "e": 0}, "2": {"e": 1}}
    assert len(asked["[alpha_nDCG@10]"]) == 5


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (["AP", "Accuracy"], r"got Accuracy \(ZeroDivisionError: "),
        (["RBP", "AP"], r"got RBP \(ValueError: Unsupported measures"),
        ([AP(rel=2147483648)], "valid parameters"),
        ([nDCG @ 2**40], "valid parameters"),
    ],
)
def test_what_an_evaluator_raises_names_the_measure(measures, message):
    run = {"1": {"d": 1.0}}
    with pytest.raises(ValueError, match=f"`measures` must .*{message}"):
        scores_from_runs({"a": run, "b": run}, {"1": {"d": 1}}, measures)


def test_runs_of_another_collection():
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 1}, "3": {"z": 1}}
    said = (
        r"^No document of 2 of 2 runs is judged: .*such as 'd' on topic '1', where 'x' is judged.*ids of one collection"
    )
    with pytest.warns(NothingRetrievedWarning, match=said) as caught:
        scores = scores_from_runs({"a": RUN, "b": OTHER}, qrels, [AP, P @ 5])
    assert caught[0].filename == __file__
    assert (scores.alignment.judged_documents, scores.alignment.retrieved_judged_documents) == (4, 0)


def test_runs_that_retrieve_nothing_relevant():
    qrels = {"1": {"d": 0, "x": 1}, "2": {"f": 0, "x": 1}}
    with pytest.warns(NothingRetrievedWarning, match=r"^'AP' is 0 .*\. The runs have 2 of 4 judged documents\.$"):
        scores_from_runs({"a": RUN, "b": OTHER}, qrels, [AP])


def test_the_report_counts_judged_documents_that_any_run_has():
    qrels = {"1": {"d": 1, "e": 0, "f": 0, "x": 1}, "2": {"d": 0, "x": 1}, "9": {"d": 1}}
    report = scores_from_runs({"a": RUN, "b": OTHER}, qrels, [AP]).alignment
    assert (report.judged_documents, report.retrieved_judged_documents) == (7, 4)
    assert report.to_dict()["retrieved_judged_documents"] == 4
    assert "The runs have 4 of 7 judged documents." in str(report)


def test_a_run_of_other_documents_is_named_with_an_example_of_each_side():
    """Such as floats after a merge, where the judgments have whole numbers."""
    other = {topic: {f"{document}.0": 1.0 for document in row} for topic, row in RUN.items()}
    said = r"^No document of 1 of 2 runs is judged: .b, such as 'e.0' on topic '1', where 'd' is judged"
    with pytest.warns(NothingRetrievedWarning, match=said):
        scores_from_runs({"a": RUN, "b": other}, {"1": {"d": 1}}, [AP])


def test_a_topic_with_a_no_break_space_is_compared_too(tmp_path):
    topics = ("1\u00a0a", "2", "3\u3000b")
    for name, documents in (("a.run", ("d", "e")), ("b.run", ("e", "d"))):
        lines = [f"{qid} Q0 {docno} 1 {-n} t\n" for qid in topics for n, docno in enumerate(documents)]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"{qid} 0 d 1\n{qid} 0 e 0\n" for qid in topics))
    runs, qrels = tmp_path / "*.run", tmp_path / "qrels"
    assert scores_from_runs(runs, qrels, ["AP"]).topics == topics
    (row,) = compare_judgments(runs, qrels, {"same": qrels}, ["AP"], test="t")
    assert (row.n_topics, row.tau) == (3, 1.0)


def test_scores_that_their_evaluator_rounds_are_warned_of():
    """gdeval prints five decimals."""
    rng = np.random.default_rng(1)
    qrels = {
        str(topic): {f"d{number}": int(label) for number, label in enumerate(rng.integers(0, 4, 30))}
        for topic in range(20)
    }
    runs = {
        name: {topic: {document: rng.random() for document in judged} for topic, judged in qrels.items()}
        for name in "ab"
    }
    with pytest.warns(RoundedScoresWarning, match=r"look rounded: ERR@10 \(5 decimals\)\. "):
        scores = scores_from_runs(runs, qrels, ["ERR@10", "nDCG@10"])
    assert scores.alignment.rounded == {"ERR@10": 5}
