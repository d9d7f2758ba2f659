"""TREC files and other forms of runs and judgments, the order of documents, and what ir_measures makes of them."""

import re
from pathlib import Path
from tempfile import mkdtemp

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, Bpref, Judged, P, R, Rprec, Success, nDCG

from pt_rankcorr.io.runs import Evaluator
from pt_rankcorr.io.trec import first_of, read_qrels, read_run, tag_of
from pt_rankcorr.judgments.pools import pool_ranks
from pt_rankcorr.measures import Q, nCG
from pt_rankcorr.warnings import MissingLabelsWarning, UnmatchedNamesWarning

MEASURES = [AP, AP @ 3, AP(rel=3) @ 2, P(rel=2) @ 10, RR(rel=2), Rprec, R @ 3, R(rel=2) @ 5, Success(rel=2) @ 5]
MEASURES += [Bpref, Bpref(rel=2), nDCG, nDCG @ 5, nDCG(judged_only=True), RR @ 5, ir_measures.infAP, Q]


documents = [f"d{number}" for number in range(12)] + ["D", "d1\u00e9", "d1-with-a-long-name-1", "d1-with-a-long-name-2"]
beyond_single = st.integers(0, 9).map(lambda number: 1 + number * 1e-9)
scores = st.one_of(
    *(beyond_single, st.integers(-3, 3).map(float), st.floats(-1, 1), st.just(-0.0)),
    *(st.floats(-3e38, 3e38), st.floats(-1e-44, 1e-44)),
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


def as_text(run):
    return "".join(f"{qid} Q0 {doc} 1 {score!r} t\n" for qid, row in run.items() for doc, score in row.items())


def plainly(run, qid):
    """By score in single precision, ties by document, descending."""
    return sorted(run[qid], key=lambda doc: (np.float32(run[qid][doc]), doc.encode()), reverse=True)


@given(runs)
def test_documents_are_ranked_as_defined(given_run):
    run = read_run("a", given_run)
    assert run == given_run
    for depth in (1, 3, 100):
        expected = [(topic, doc, place) for topic in run for place, doc in enumerate(plainly(run, topic)[:depth], 1)]
        assert list(first_of(run, depth)) == expected


@given(runs, st.randoms())
def test_files_hold_what_dictionaries_do_and_lines_of_topics_may_be_mixed(run, draw):
    assert read_run("a", written(as_text(run))) == run
    mixed = as_text(run).splitlines(keepends=True)
    draw.shuffle(mixed)
    assert read_run("a", written("".join(mixed))) == run


def written(text):
    path = Path(mkdtemp()) / "a.run"
    path.write_text(text)
    return path


def test_scores_next_to_the_middle_of_two_singles_are_rounded_as_by_trec_eval():
    draw = np.random.default_rng(3)
    low = draw.normal(0, 10, 300).astype(np.float32)
    middle = (low.astype(float) + np.nextafter(low, np.float32(np.inf)).astype(float)) / 2
    values = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)]).tolist()
    text = "".join(f"1 Q0 d{n} 1 {value!r} t\n" for n, value in enumerate(values))
    run = read_run("a", written(text))
    assert run["1"] == {f"d{n}": value for n, value in enumerate(values)}
    assert list(run["1"]) == plainly(run, "1")


def by_ir_measures(measure, judgments, run):
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], judgments, run)}


@settings(max_examples=20)
@given(runs, qrels)
def test_values_are_those_of_ir_measures_one_by_one(run, labels):
    safe = {qid: row if max(row.values()) >= 0 else dict.fromkeys(row, 0) for qid, row in labels.items()}
    values = Evaluator(MEASURES, read_qrels(labels)).evaluate(read_run("a", run))
    for measure, row in zip(MEASURES, values, strict=True):
        expected = by_ir_measures(measure, safe if measure is not Q else read_qrels(safe), run)
        for topic, value in zip(labels, row, strict=True):
            assert value == expected[topic] if topic in run else np.isnan(value), measure


def test_measures_of_other_gains_are_not_mixed_up():
    """One evaluator of ir_measures for all gives nDCG the gains of another measure, as the order of a set has it."""
    run, judgments = {"1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, read_qrels({"1": {"d1": 1, "d2": 3, "d3": 2}})
    measures = [*(nDCG(gains={1: gain}) @ 5 for gain in (2, 3, 4, 5, 6)), nDCG @ 5]
    values = Evaluator(measures, judgments).evaluate(run)[:, 0]
    assert values.tolist() == [by_ir_measures(measure, judgments, run)["1"] for measure in measures]


def test_one_rule_ranks_documents_for_all():
    """Scores that differ in the ninth digit are ties, broken by document."""
    run = read_run("a", {"1": {"a": 1.000000002, "b": 1.000000001, "c": 1.0}})
    values = Evaluator([P @ 2, AP, nCG @ 2, Q, Judged @ 1], read_qrels({"1": {"a": 1, "b": 0}})).evaluate(run)[:, 0]
    assert values.tolist() == [0.0, 1 / 3, 0.0, (1 + 1) / (1 + 3), 0.0]
    assert pool_ranks({"x": run}, 1) == {"1": {"c": 1}}


def test_labels_that_are_fractions():
    """They are compared with `rel`, whatever that is, and are gains of nDCG."""
    judgments = read_qrels({"1": {"a": 0.4, "b": 2.5, "c": 1.0}}, fractions=True)
    run = read_run("a", {"1": {"c": 3.0, "b": 2.0, "a": 1.0}})
    measures = [P @ 1, P(rel=1.5) @ 2, P(rel=3) @ 1, AP(rel=2), nDCG @ 2, Judged @ 3]
    values = Evaluator(measures, judgments).evaluate(run)[:, 0]
    np.testing.assert_allclose(values, [1, 0.5, 0, 0.5, (1 + 2.5 / np.log2(3)) / (2.5 + 1 / np.log2(3)), 1])


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("1 Q0 d2 1 t", ""),
        ("1 Q0 d2 1 1.5", ""),
        ("1 Q0 d 2 1 1.5 t", r"\. Its sixth field must be a tag, .* do names of documents have blanks\?"),
        ("1 Q0 d2 1 1.5 2.5 t", r"\. Its sixth field must be a tag"),
        ("1 Q0 d2 extra 1 1.5 t", r"\. Its sixth field must be a tag"),
        ("1 d2 1", r"\. It looks like a run of MS MARCO \(query, passage, rank\)\. The higher a rank, the worse"),
        ("1 d2 1 14.5", r"\. It looks like a run of ColBERT \(query, passage, rank, score\)"),
        ("1 d2 14.5", r"\. It looks like a query, a document and its score\. A first line that names its columns"),
        ("1,d2,1.5", r"\. It looks like CSV, which needs a first line that names its columns, such as qid,docno,score"),
        ("1 Q0 d2 1 high t", ""),
        ("1 Q0 d2 1 1,5 t", ""),
        ("1 Q0 d2", ""),
        ("1 Q0 d2 1 1_0 t", ""),
        ("1 0 d2 1", r"\. It looks like TREC qrels\. Are the runs and the qrels swapped\?"),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_a_wrong_line_of_a_run_is_named_with_its_number(wrong, hint, place, tmp_path):
    lines = ["1 Q0 d1 1 2.5 t", "", "1\tQ0  d3 2 2 t "]
    lines.insert(place, wrong)
    (tmp_path / "a.run").write_text("\n".join(lines))
    seen = " ".join(wrong.split())
    with pytest.raises(ValueError, match=rf"a\.run' must be a TREC run .*, got '{seen}' in line {place + 1}\.?{hint}"):
        read_run("a", tmp_path / "a.run")


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("1 0 d2", " It looks like judgments without iterations, which need a first line such as that of BEIR"),
        ("1 0 d2 1 more", ""),
        ("1 0 d2 1 # more", " It looks like a TREC run. Are"),
        ("1 0 d2 0.5", ""),
        ("1 0 d2 1e-3", ""),
        ("1 0 d2 nan", ""),
        ("1 0 d2 inf", ""),
        ("1 0 d2 1_0", ""),
        ("1 0 d2 1,0", ""),
        ("1 0 d2 high", ""),
        ("1 0 d2 True", ""),
        ("1,0,d2,1", " It looks like CSV, which needs a first line that names its columns"),
        ("1 0 d2 1 7", " It has more than one label: keep the first four fields"),
        ("1 Q0 d2 1 1.5 t", " It looks like a TREC run. Are the runs and the qrels swapped"),
    ],
)
def test_a_wrong_line_of_qrels(wrong, hint, tmp_path):
    for text, number in ((f"1 0 d1 1.0\n\n{wrong}\n", 3), (f"# by people\n{wrong}\n1 0 d1 1\n", 2)):
        (tmp_path / "qrels").write_text(text)
        seen = re.escape(f"got '{wrong}' in line {number}.{hint}")
        with pytest.raises(ValueError, match=rf"qrels' must be TREC qrels .*, {seen}"):
            read_qrels(tmp_path / "qrels")


WITH_EXTRAS = [
    ("5 Q0 a 1 3.5 t", "5 Q0 a 1 3.5 t a b"),
    ("5 Q0 b 2 2 t", "\t 5 \t Q0  b\t\t2 2 t\t"),
    ("6 Q0 a#1 1 1 t",) * 2,
]


@pytest.mark.parametrize("comment", ["# by hand", "#5 Q0 c 1 9 t", "  # 6", "#", "", " \t", "#5 0 c 1", "# a b c d"])
@pytest.mark.parametrize("places", [(0,), (1,), (3,), (0, 1, 1, 3)])
def test_comments_and_what_follows_a_tag_are_not_read(comment, places, tmp_path):
    """A commented line may look like one of the file; a "#" further on belongs to a name."""
    run, qrels = [line for _, line in WITH_EXTRAS], ["5\t0  a  2.0", "5 0 b -1.0", "6 0 a#1 1e0 "]
    for place in sorted(places, reverse=True):
        run.insert(place, comment)
        qrels.insert(place, comment)
    (tmp_path / "run").write_text("\n".join(run))
    (tmp_path / "qrels").write_text("\n".join(qrels))
    assert read_run("a", tmp_path / "run") == {"5": {"a": 3.5, "b": 2.0}, "6": {"a#1": 1.0}}
    assert tag_of(tmp_path / "run") == "t"
    judged = read_qrels(tmp_path / "qrels")
    assert judged.to_numpy().tolist() == [["5", "a", 2, "0"], ["5", "b", -1, "0"], ["6", "a#1", 1, "0"]]
    assert judged["relevance"].dtype == np.int64


def test_lines_of_a_run_may_all_have_more_fields_and_tags_may_be_numbers(tmp_path):
    (tmp_path / "run").write_text("5 Q0 a 1 3.5 7 rest\n5 Q0 b 2 2.5 7 of it\n")
    assert read_run("a", tmp_path / "run") == {"5": {"a": 3.5, "b": 2.5}}
    # documents "a 1" and "b 2", with a tag and without one
    for rows in (["5 Q0 a 1 1 3.5 t", "5 Q0 b 2 2 2.5 t"], ["5 Q0 a 1 1 3.5 t"], ["5 Q0 a x 1 3.5", "5 Q0 b x 2 2.5"]):
        (tmp_path / "run").write_text("\n".join(rows))
        with pytest.raises(ValueError, match=rf"got '{rows[0]}' in line 1\. Its sixth field must be a tag"):
            read_run("a", tmp_path / "run")
    (tmp_path / "run").write_text("5 Q0 a - 3.5 t.5\n5 Q0 b - 2.5 7\n")
    assert read_run("a", tmp_path / "run") == {"5": {"a": 3.5, "b": 2.5}}


@pytest.mark.parametrize(
    "header",
    [
        "query-id\tcorpus-id\tscore",
        "qid docno label",
        "query_id iteration doc_id relevance",
        "Topic Iter DocNo Rel",
        "relevance doc-id query-id",
    ],
)
def test_qrels_with_a_header(header, tmp_path):
    of = {"score": "2", "label": "2", "relevance": "2", "Rel": "2", "Iter": "3", "iteration": "3"}
    of |= {name: "d" for name in header.split() if name.lower()[0] in "cd"}
    for first in ("", "# made by hand\n\n"):
        rows = [header, ("\t" if "\t" in header else " ").join(of.get(name, "7") for name in header.split())]
        (tmp_path / "q.tsv").write_text(first + "\n".join(rows))
        iteration = "3" if len(header.split()) == 4 else "0"
        assert read_qrels(tmp_path / "q.tsv").to_numpy().tolist() == [["7", "d", 2, iteration]]
    (tmp_path / "q.tsv").write_text(header)
    with pytest.raises(ValueError, match=r"q\.tsv' must be a table of documents .*, got no row below its header\."):
        read_qrels(tmp_path / "q.tsv")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("qid docno score", "be a table of documents with columns"),
        ("qid docno label confidence", "got 'd' in line 2, column 'label'"),
        ("qid qid docno label", "no column of topics, or several, among 'qid'"),
        ("qid Q0 docno rank", "must have one column of labels, .* Name the column of labels label"),
    ],
)
def test_other_headers_of_qrels_are_refused(header, message, tmp_path):
    (tmp_path / "q").write_text(f"{header}\n7 0 d 2\n")
    with pytest.raises(ValueError, match=message):
        read_qrels(tmp_path / "q")


@pytest.mark.parametrize(
    "text",
    [
        "qid Q0 docno rank score tag\n5 Q0 a 1 3.5 t\n",
        "query_id iter doc_id rank sim run_id\n5 Q0 a 1 3.5 t\n",
        "docno,score,qid\na,3.5,5\n",
        '{"5": {"a": 3.5}}',
    ],
)
def test_a_run_with_a_header(text, tmp_path):
    (tmp_path / "run").write_text(text)
    assert read_run("a", tmp_path / "run") == {"5": {"a": 3.5}}
    if "Q0" in text:
        assert tag_of(tmp_path / "run") == "t"
        return
    with pytest.raises(ValueError, match=r"run' must have one run tag for `names='tag'`, got none"):
        tag_of(tmp_path / "run")


@pytest.mark.parametrize("names", [["query-id", "corpus-id", "score"], ["query_id", "corpus_id", "score"]])
def test_frames_of_beir(names):
    frame = pd.DataFrame([(7, "d", 1.0), (8, "e", 0.0)], columns=names)
    assert read_qrels(frame).to_numpy().tolist() == [["7", "d", 1, "0"], ["8", "e", 0, "0"]]
    with pytest.raises(ValueError, match="`runs` must have the columns qid, docno, score"):
        read_run("a", frame)
    with pytest.raises(ValueError, match="`qrels` must have the columns qid, docno, label"):
        read_qrels(frame.rename(columns={names[1]: "docno"}))


def test_the_second_of_two_labels_is_named(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d1 1\n\n1 1 d1 2\n1 0 d1 0\n")
    with pytest.raises(
        ValueError, match=r"qrels' must have one label .*, got two for 'd1' on topic '1', the second in line 5"
    ):
        read_qrels(tmp_path / "qrels")


def test_a_column_of_each_spelling():
    frame = pd.DataFrame({"qid": ["1"], "query_id": ["2"], "docno": ["d"], "score": [1.0]})
    with pytest.warns(UnmatchedNamesWarning, match="`runs` has both 'qid' and 'query_id': the latter is read"):
        assert read_run("a", frame) == {"2": {"d": 1.0}}


def test_judgments_without_a_label_are_left_out_and_counted_where_labels_are_compared(tmp_path):
    (tmp_path / "judge").write_text("1 0 d1 1\n1 0 d2 nan\n1 0 d3 0\n1 0 d4 nan\n")
    with pytest.warns(
        MissingLabelsWarning, match=r"'.*judge' without a label are left out: 2 of 4 .the first in line 2"
    ):
        assert read_qrels(tmp_path / "judge", fractions=True)["doc_id"].tolist() == ["d1", "d3"]
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1.0, float("nan")]})
    with pytest.warns(MissingLabelsWarning, match=r"`qrels` without a label are left out: 1 of 2\."):
        assert read_qrels(frame, fractions=True)["doc_id"].tolist() == ["a"]
