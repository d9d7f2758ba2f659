"""Files that are not what they should be: each is refused in one line that says what, where, and the remedy."""

import re

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.io.score_tables import read_labels
from pt_rankcorr.io.single_scores import read_columns, read_ranking

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")
VALUES = np.random.default_rng(8).random((8, 4)).round(4)
FRAME = pd.DataFrame(VALUES, pd.Index([f"{401 + n}" for n in range(8)], name="topic"), ["a", "dph", "splade", "tasb"])
GOOD, CELL = FRAME.to_csv(), f"{VALUES[2, 1]}"
QUEST = FRAME.T.rename(columns="q{}".format)
FOUR = {"columns": ["run", "measure", "topic", "value"]}


def with_cell(text):
    return GOOD.replace(CELL, text, 1)


TABLES = [
    ("", {}, "must be a table with a header: .* got an empty file"),
    ("topic,a,b\n", {}, "got no row below its header"),
    ("topic,a,b\nall,0.5,0.25\n", {}, "got only rows over all topics"),
    ("topic,a,b\n1,0.5\n", {}, "got '1,0.5' in line 2. It has 2 cells, the first line 3"),
    ("topic,a,b\n1,0.5,0.25\n\n2,0.5,0.5,1\n", {}, "got '2,0.5,0.5,1' in line 4"),
    ("0.5,0.25\n0.125,0.5\n", {}, "got '0.5,0.25' in line 1"),
    ('topic,a,b\n1,0.5,"0.25', {}, "got unexpected end of data in what begins in line 2"),
    ("topic,a,b\n1,0.25,0.5\n1,0.5,0.5\n", {}, "several for 'a', 'b' .the first on topic '1'"),
    ("topic,a\n1,0.25\n", {}, "at least 2 systems to rank, got 'a'"),
    ("topic,a,b\n1,0.5,0.25\n", {"format": "tall"}, "`format` must be 'long' or 'wide', got 'tall'"),
    ("topic,a,b\n1,0.5,0.25\n", {"format": "long"}, "got 'topic,a,b' in line 1"),
    ("topic,a,b\n1,0.5,0.25\n", {"format": "wide", **FOUR}, "`columns` must be left out with"),
    ("topic,a,b\n1,0.5,0.25\n", {"table": "2"}, "`table` must be left out for a file of one table, got '2'"),
    ("| topic | a |\n|--|--|\n| 1 | 1 |\n", {"table": "x"}, "`table` must be among '1', got 'x'"),
    ("# by hand\n# no more\n", {}, "got comments alone"),
    ("topic,a,a\n1,0.5,0.25\n", {}, "got several columns named 'a'. Name each system once"),
    ("run,topic,note\na,1,x\na,2,y\n", {}, "It has no column of scores"),
    ("\\begin{table}\na & b\n", {}, "It looks like a table in LaTeX, which is for people"),
    ("topic,a,b\n1,0.5,0.25\n", {"columns": "run"}, "`columns` must be a list of names"),
    ("topic,a,b\n1,0.5,\n2,NA,0.25\n4,0.5,0.75\n", {}, "got none for 'a', 'b' on topics '1', '2'"),
    ("topic,run,score\n1,0.5,0.25\n", {}, r"at least 2 systems to rank, got '0\.5'"),
    ("run,qid,measure,value\na,1,AP,0.5\n", {"measure": "P"}, "`measure` must be left out for a table with a column"),
    ("run,qid,AP,RR\na,1,.4,0.5\n", {"measure": "P"}, "`measure` must be left out for a table with several"),
    ("qid,measure,value\n1,AP,0.5\n", {}, "got the columns 'qid', .* It needs a column that names the system"),
    ("1,AP,q1,0.5\n2,AP,q1,0.25\n", {}, "must show which column.*, got '1 AP q1 0.5' in its"),
    ("a,AP,all,0.5\nb,AP,all,0.25\n", FOUR, "got only rows over all topics"),
    ("a,AP,1,0.5\n", {"columns": ["run", "topic", "value"]}, "must be a table of 3 columns, got 'a,AP,1,0.5' in"),
    ("a,AP,1,0.5\na,AP,2,high\n", FOUR, "got 'high' in line 2, column '4'"),
    ("a,AP,1,0.5\n", {"columns": ["run", "AP", "query", "points"]}, "topic, measure, value, repeat, dataset or"),
    ("a,AP,1,0.5\n", {"columns": ["run", "measure", "_", "value"]}, "`columns` must name run, topic and value"),
    ("nth,a,b\n301,0.5,0.25\n302,0.25,0.5\n", {}, "shows what its first column has, got 'nth' above a different"),
    ("301,1,0\n302,0,1\n303,1,1\n", {}, "have a header, got whole numbers in all lines. If it has topics, name"),
    ("topic,AP,RR\n1,0.5,0.25\n", {}, "columns of measures: 'AP', 'RR'. If rows are topics, .* names the system"),
    ("qid,map@100,MRR,num_rel\n1,0.5,0.25,3\n", {}, "columns of measures: .*'map@100'"),
    (",AP,P@10\nbm25,0.1,0.2\ndph,0.2,0.3\n", {}, "If rows are systems, mean scores only are not enough"),
    ("system,AP,P@10\nbm25,0.1,0.2\n", {}, "must have one row a topic .* topics are needed. `pt-rankcorr tau`"),
    ("team,score\na,0.1\nb,0.2\n", {}, "got one row for each of 'a', 'b', named by column 'team'"),
    (FRAME.T.to_csv(index_label=""), {}, "got columns numbered as topics are, .* Transpose it"),
    (QUEST.to_csv(index_label="x"), {}, "shows what its first column has"),
    (FRAME.T.to_csv(index_label="Model"), {}, "named by column 'Model'. If its columns are topics, transpose it"),
    ("run,system,topic,score\na,x,1,.5\nb,y,1,.2\n", {}, "one column of systems, got 'run', 'system'. `columns=`"),
    ("run,topic,score,value\na,1,.5,1\nb,1,.2,2\n", {}, "must have one column of scores, got 'score', 'value'"),
    ("run,topic,AP,score\na,1,0.5,1\nb,1,0.25,2\n", {}, "must have one column of scores, got 'AP', 'score'"),
    ("run,topic,AP,RR\na,1,.5,.2\nb,1,n.a.,.5\n", {}, r"got 'n.a.' in line 3, column 'AP'. It is no number"),
    (with_cell("0,31"), {}, r"got .*in line 4"),
    (GOOD.replace(",", "\t").replace(CELL, "0,31"), {}, "got '0,31' in line 4, column 'dph'. It has a decimal comma"),
    (with_cell("31%"), {}, r"got '31%' in line 4, column 'dph'. It has a percent sign"),
    (with_cell('"1,031.5"'), {}, r"in line 4, column 'dph'. It has more than a number: write the score alone"),
    *((with_cell(cell), {}, rf"got '{re.escape(cell)}' in line 4, column 'dph'. It has more than a number")
      for cell in ("0.31*", "0.31 ± 0.02", "(0.31)", "<0.31", "0.3.1", "↑0.31")),
    *((with_cell(cell), {}, rf"got '{re.escape(cell)}' in line 4, column 'dph'. It is no number")
      for cell in ("high", "O.31", "n.a.")),
    ('topic,a,b\n"x,.1,.2\ny,.3,.4\nz",.5,.6\nw,.7,.8\n', {}, "quotes in pairs, got one that lines of .* in line 2"),
    ('"a,1,.5\nb",1,.4\nc,1,.3\n', {}, "quotes in pairs, got one that lines of .* in line 1"),
    ("run,topic,AP,nDCG\na,1,.1,50.1%\nb,1,.2,60.2%\n", {}, "got '50.1%' in line 2, column 'nDCG'. It has a percent"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "arguments", "message"), TABLES)
def test_tables(text, arguments, message, tmp_path):
    (tmp_path / "AP.csv").write_text(text)
    with pytest.raises((TypeError, ValueError), match=message):
        rc.read_scores(tmp_path / "AP.csv", **arguments)


JSON_CELL = '{"run_id": "a", "topic_id": 1, "measure": "M", "value": 0.5}'
RUN = "".join(f"{topic} Q0 d{rank + 4 * topic} {rank} {9 - rank}.5 bm25\n" for topic in (1, 2, 3) for rank in (1, 2))
OTHERS = {
    rc.read_leaderboard: [
        ("", "must be a leaderboard .*, got an empty file"),
        ("a b\n", "must be a leaderboard"),
        ("topic qid measure value\n1 5 AP 0.5\n", "must have one column that names its topics, got 'qid', 'topic'"),
        ("a 1 M 0.5\nb 1 M\n", "'b 1 M' in line 2. It has 3 cells, the first line 4"),
        ("topic,a,b\n1,0.5,0.2\n", r"'topic,a,b' in line 1\. Columns, or keys .*`read_scores.*`compare --scores`"),
        ("name,qid,measure,value\na,1,AP,0.5\n", "at least 2 systems to rank, got 'a'"),
        ("topic\ta\tb\tc\n1\t0.5\t0.2\t0.1\n", r"'topic a b c' in line 1\. Columns, .* `read_scores"),
        ("a all M 0.5\nb all M 0.2\n", "got only rows over all topics. Was -q left out"),
        ("run topic measure value\n", "got no row below its header"),
        ("a all M 0.5\na 1 M x\n", "got 'x' in line 2, column '4'"),
        ('{"name": "a"}\n', "got 'name' in line 1. It looks like mean scores"),
        (f"{JSON_CELL}\n[]\n", "in line 2"),
        (JSON_CELL.replace("0.5", "0.5, " + '"value": 1'), "be objects of JSON, .* in line 1"),
        (JSON_CELL.replace('"a"', '["a"]'), "whose values are texts and numbers, got nested JSON: .* in line 1"),
        ("a AP t1 0.5o\na AP t2 0.5\nb AP t1 1\nb AP t2 1\n", "got 'a AP t1 0.5o'"),
        ("1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n", "'1 0 d1 1' in .* like TREC qrels: in Python use `compare_judgments`"),
        ("1 Q0 d1 0\n1 Q0 d2 -1\n", "It looks like TREC qrels"),
        (RUN, "'1 Q0 d5 1 8.5 bm25' in line 1. It looks like a TREC run: in Python use `scores_from_runs`"),
        ("1 Q0 a 1 .5 AP\n1 Q0 b .25 2 AP\n", "got fractions in column 4, which is not read. Have a score and a rank"),
        ("a 5 q1 0.5\na 5 q2 0.25\nb 5 q1 1\nb 5 q2 0\n", "or name the format, .*: 'tot' is run"),
    ],
    rc.scores_from_trec_eval: [
        ("", "must be per-topic scores .* got an empty file"),
        ("map\tall\t0.5\n", "got only rows over all topics. Was -q left out"),
        ("AP\t0.5\n", "got 'AP 0.5' in line 1"),
        ("1 Q0 d1 1 9.5 bm25\n1 Q0 d2 2 9 bm25\n", "must be per-topic scores .* got '1 Q0 d1 1 9.5 bm25' in line 1"),
        ("map\t1\t0.5\n\nmap\t\t0.5\n", "got 'map 0.5' in line 3"),
        ("map\t1\thigh\n", "got 'high' in line 1, column '3'. It is no number"),
        ("# by hand\n\nmap\t1\t0,5\n", "got '0,5' in line 3, column '3'. It has a decimal comma"),
        ("mine\t1\t0.5\nother\tx\t0.5\n", r"in line 1\. It does not show which column has the measures"),
        ("map\t1\tinf\n", "got inf for system 'AP'"),
        ("map\t1\t0.5\nmap\t1\t0.6\n", "several for 'AP' .the first on topic '1' by map"),
        ("num_ret\t1\t5\n", "got only counts: 'num_ret'"),
    ],
    rc.scores_from_experiment: [
        ("", r"must be the perquery.csv of a pt.Experiment .* got an empty file"),
        ("name,qid,measure,value\na,1,AP\n", "got 'a,1,AP' in line 2"),
        ("name,qid\na,1\n", "got none named 'measure', 'value'"),
        ("name,qid,measure,value\n", "got no row below its header"),
        ("name,qid,measure,value\na,1,AP,good\n", "got 'good' in line 2, column 'value'"),
    ],
    read_labels: [
        ("1 a\n2\n", "got '2' in line 2"),
        ("1 a b\n", "got '1 a b' in line 1"),
        ("1,\n", "got '1,' in line 1"),
        ("1 a\n1 b\n", "got '1 b' in line 2. Each topic must have one label"),
        ("\n", "got an empty file"),
    ],
    read_columns: [
        ("", "got an empty file"),
        ("model,elo\n", "got no row below its header"),
        ("model\nx\ny\n", "got a single column, 'model'"),
        ("model,elo\nx,1\nx,2\n", r"one row a system, got 'x' in lines 2 and 3\. Scores of systems on topics are what"),
        ("topic,a,b\n1,2,3\n2,3,4\n", "Scores of systems on topics are what `compare --scores` reads"),
        ("model,elo\nx,1\n,2\n", "got a row without a system in line 3"),
        ("system,human,judge\na,.5,.4\n0.3,b,.7\nc,.2,.1\n", r"got '0\.3' as a system in line 3"),
        ("model,elo\nx,50%\ny,.7\n", "have scores of one scale in 'elo', got '50%' in line 2, among fractions"),
        ("model,elo,elo\nx,1,1\n", "columns of different names, got 'elo' more than once"),
        ("x,1,2\ny,2,3\n", "have a header that names its columns, got 'x, 1, 2' in line 1"),
        ("elo,wins\n1,2\n2,3\n", r"have a column of systems, got .*\. Name the column of systems system"),
        ("model,elo\nx,0,5\ny,0,6\n", "got 'x,0,5' in line 2"),
        ("model\texam\na\t.5\nby the grader\n", "'by the grader' in line 3. It has 1 cells, the .* Notes below"),
        ("metric,score\nfaithfulness,0.5\n", "must have one row a system, got rows named by 'metric'"),
        *((f"{heading},BM25,other\nFiQA,.5,.6\nNQ,.7,.8\n", f"one row a system, got rows named by '{heading}'")
          for heading in ("Dataset / Model", "Tasks", "datasets")),
        ("| a | b |\n|--|--|\n| x | 1 |\n\n| a | b |\n|--|--|\n| x | 1 |\n", "one table .*, got 2 tables in line 6"),
        ("|--|--|\n| x | 1 |\n", "got a rule without a header in line 1"),
        ("| a | b |\n|--|--|\n| x |\n", "have 2 cells in each row, as in its header, got 1 in line 3"),
        ('{"model": "x", "elo": 1}\n{"model": "y", "elo": [1]}', "objects of JSON.* in line 2"),
        ('{"model": "x", "elo": 1}\nnone', "got 'none' in line 2"),
        ('[{"model": "x"', "objects of JSON.* in line 1"),
        ("[1, 2]", "got 1 in line 1"),
    ],
    read_ranking: [
        ("a,0.5\nb,NA\nc,0.1\n", "have a score of each system, got 'NA' in line 2"),
        ("a,0.5\nb,high\nc,0.1\n", "got in 'AP' 'high' in line 2. It is no number"),
        ("a 0.5\nb NA\nc 0.1\n", "got 'b NA', which has no number"),
        ("run,AP,RR\na,0.5,0.5\nb,0.25,0.5\n", "must have one column of scores, got 2: 'ap', 'rr'"),
        ("\n", "must have a system on each line, got an empty file"),
        ("a X 101 14\na X all 14\nb X 101 12\nb X all 12\n", r"with scores of topics and over all\. Scores of systems"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("read", "text", "message"), [(read, *case) for read, of in OTHERS.items() for case in of])
def test_other_files(read, text, message, tmp_path):
    (tmp_path / "AP").write_text(text)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "AP" if read in (read_ranking, read_labels, rc.scores_from_experiment) else [tmp_path / "AP"])


HARNESSES = [
    '{"results": {"arc": {"acc": 0.5, "acc_stderr": 0.1}}, "versions": {"arc": 0}, "config": {"model": "m"}}',
    '{"mteb_version": "1.2", "mteb_dataset_name": "SciFact", "test": {"ndcg_at_10": 0.5, "map_at_10": 0.4}}',
    '{"task_name": "SciFact", "scores": {"test": [{"ndcg_at_10": 0.5}]}}',
]


@pytest.mark.parametrize("content", HARNESSES)
@pytest.mark.parametrize("read", [rc.read_scores, read_ranking, lambda path: read_columns([path])])
def test_results_of_harnesses_are_named(content, read, tmp_path):
    (tmp_path / "model.json").write_text(content)
    with pytest.raises(ValueError, match="It has the results of one system by task: put those of several into one"):
        read(tmp_path / "model.json")
