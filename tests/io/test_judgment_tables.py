"""Judgments from tables: CSV and JSON of one judge, and tables of several."""

import json

import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.io.judgment_tables import is_first_line, is_table, labels_by_judge
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments.label_agreement import alpha_of_judges, named_judges
from pt_rankcorr.warnings import MissingLabelsWarning

JUDGED = [("1", "d1", 1), ("1", "d2", 0), ("2", "d1", 2)]
LINES = [f'{{"query_id":"{topic}","doc_id":"{document}","score":{label}}}' for topic, document, label in JUDGED]
FORMS = {
    "of_pyterrier.csv": "qid,docno,label\n1,d1,1\n1,d2,0\n2,d1,2\n",
    "with_counted_documents.csv": "qid,docid,docno,label\n1,0,d1,1\n1,1,d2,0\n2,0,d1,2\n",
    "of_quepid.csv": "query,docid,rating\n1,d1,1\n1,d2,0\n2,d1,2\n",
    "with_texts.csv": 'query_id,query,doc_id,judgment,why\n1,"a, b",d1,1,x\n1,"a, b",d2,0,\n2,c,d1,2,y\n',
    "tabs.tsv": "query_id\tdoc_id\thuman_rel\n1\td1\t1\n1\td2\t0\n2\td1\t2\n",
    "one_sum.csv": "qid;docno;a_rating;b_rating;final_rating\n1;d1;1;2;1\n1;d2;0;0;0\n2;d1;2;;2\n",
    "lines.jsonl": "\n".join(LINES),
    "list.json": f"[{', '.join(LINES)}]",
    "nested.json": '{\n"1": {"d1": 1, "d2": 0},\n"2": {"d1": 2}}',
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_judgments(name, tmp_path):
    (tmp_path / name).write_text(FORMS[name])
    found = read_qrels(tmp_path / name)
    assert [*found[["query_id", "doc_id", "relevance"]].itertuples(index=False, name=None)] == JUDGED
    assert found["iteration"].unique().tolist() == ["0"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("qid,docno,label\n1,d1,\n1,d2,1\n", 2),
        ('{"qid":"1","docno":"d2","label":1}\n{"qid":"1","docno":"d1","label":null}', 2),
    ],
)
def test_judgments_without_a_label_are_left_out_and_counted(text, line, tmp_path):
    (tmp_path / "judge").write_text(text)
    with pytest.warns(MissingLabelsWarning, match=rf"'.*judge' without a label .* 1 of 2 \(the first in line {line}\)"):
        assert read_qrels(tmp_path / "judge")["doc_id"].tolist() == ["d2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"qid":"1","docno":"d1","label":"no answer"}', "got 'no answer' in line 1, column 'label'. It is no number"),
        ('{"1": {"d1": "high"}}', "must have numbers as labels, got 'high' for 'd1' on topic '1'"),
        ('{"qid":"1","docno":"d1","score":0.5}', "It looks like a run. If these are judgments, name the column label"),
        ("qid,docno,a,b\n1,d1,1,1\n", "must have one column of labels, .* Where several judges are taken"),
        ("qid,docno,text\n1,d1,x\n", "must have one column of labels, .* Name the column of labels label"),
        ("qid,doc,passage,label\n1,d1,x,1\n", "no column of documents, or several, among 'doc', 'passage'"),
        ("qid,docno,label\n1,d1,1\n1,d1,0\n", "two for 'd1' on topic '1', the second in line 3"),
        ("1,0,d1,1\n", "It looks like CSV, which needs a first line that names its columns"),
    ],
)
def test_what_is_no_table_of_judgments_is_named(text, message, tmp_path):
    (tmp_path / "judge").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_qrels(tmp_path / "judge")


def test_a_table_with_a_column_a_judge(tmp_path):
    rows = [("q1", "d1", 1, 1, 1), ("q1", "d2", 0, "", 0), ("q2", "d1", 2, 2, 2), ("q2", "d3", 0, 1, 0)]
    frame = pd.DataFrame(rows, columns=["query", "docid", "first", "second", "final_rating"])
    frame = frame.rename(columns={"first": "first_rating", "second": "second_rating"}).assign(rank=[1, 2, 1, 2])
    frame.to_csv(tmp_path / "book.csv", index=False)
    with pytest.warns(MissingLabelsWarning, match="'second_rating' of '.*book.csv' without a label .* 1 of 4"):
        judges = named_judges(tmp_path / "book.csv")
    assert {name: len(labels) for name, labels in judges.items()} == {"first_rating": 4, "second_rating": 3}
    assert read_qrels(tmp_path / "book.csv")["relevance"].tolist() == [1, 0, 2, 0]


def test_a_table_that_names_the_judge_of_each_row(tmp_path):
    rows = [(topic, document, judge, label) for topic, document, label in JUDGED for judge in "ab"]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "judge", "label"])
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, frame.to_dict("records"))))
    assert {name: len(labels) for name, labels in named_judges(tmp_path / "all.jsonl").items()} == {"a": 3, "b": 3}
    assert alpha_of_judges(tmp_path / "all.jsonl").statistic == 1.0


def test_a_table_of_one_judge_is_named_after_its_file(tmp_path):
    for name in ("nested.json", "of_pyterrier.csv"):
        (tmp_path / name).write_text(FORMS[name])
        assert labels_by_judge(tmp_path / name) == {}
        assert named_judges(tmp_path / name) == {name.split(".")[0]: tmp_path / name}
    found = rc.judgments.compare_labels(tmp_path / "of_pyterrier.csv", tmp_path / "nested.json")
    assert found.agreement["nested"].kappa == 1.0
    with pytest.raises(ValueError, match=r"at least 2, to agree, got 1\. A table of several judges needs a header"):
        alpha_of_judges(tmp_path / "of_pyterrier.csv")


def test_what_begins_as_judgments_do(tmp_path):
    assert all(map(is_first_line, ('Query_ID,"Doc ID",x', " [", '{"1": {')))
    assert not any(map(is_first_line, ("1 0 d1 1", "topic,a,b")))
    (tmp_path / "qrels.csv").write_text("# by people\n1 0 d1 1\n")
    assert not any(map(is_table, (tmp_path / "qrels.csv", tmp_path / "qrels.txt")))
    assert is_table("book.xlsx")
