"""The page on evaluation tools: each line has a script in findings/, and what it says of this package holds."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyterrier as pt
import pytest
from ir_datasets.formats.trec import TrecSubQrel
from ir_measures import AP, ERR, RR, Bpref, Compat, IPrec, Judged, P, Qrel, R, ScoredDoc, define_byquery, nDCG

import pt_rankcorr as rc
from pt_rankcorr import judgments, stats
from pt_rankcorr.agreement import DocumentTau
from pt_rankcorr.io.trec import read_qrels, read_run
from pt_rankcorr.stats.significance.pairwise import holm
from pt_rankcorr.warnings import DegenerateInputWarning, NothingRetrievedWarning, RepeatedJudgmentsWarning

CHECKOUT = Path(__file__).parents[2]
SCRIPTS = {path.stem: path.read_text() for path in sorted((CHECKOUT / "findings").glob("*.sh"))}
PAGE = (CHECKOUT / "pt_rankcorr" / "pt_docs" / "evaluation_tools.rst").read_text()
LINES = [re.findall(r"     - (.*)", line) for line in PAGE.split("   * - ")[2:]]
TOOLS = re.findall(r"   \* - ([\w-]+ [\d.]+)", PAGE)


def means(measures, qrels, *runs, **options):
    """measure -> the mean of each run."""
    scores = rc.scores_from_runs({f"run {n}": run for n, run in enumerate(runs)}, qrels, measures, **options)
    return {name: matrix.means.round(4).tolist() for name, matrix in scores.items()}


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


# --- scripts --------------------------------------------------------------------------------------------------


def test_each_script_has_one_line_and_each_line_has_a_script():
    assert sorted(line[4].split("\n")[0] for line in LINES) == sorted(SCRIPTS)
    listed = re.findall(r"^- `(\w+)\.sh`", (CHECKOUT / "findings" / "README.md").read_text(), re.MULTILINE)
    assert listed == [*SCRIPTS]


def test_versions_on_the_page_are_those_that_scripts_install():
    installs = {name: re.search(r"pip install (.*)", script).group(1) for name, script in SCRIPTS.items()}
    for tool, line in zip(TOOLS, LINES, strict=True):
        assert tool.replace(" ", "==") in installs[line[4].split("\n")[0]]
    assert all("==" in pin for pins in installs.values() for pin in pins.split() if not pin.startswith("--"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_says_what_it_shows_and_leaves_nothing_behind(name):
    head, code = SCRIPTS[name].split("\nset -euo pipefail\n")
    assert re.findall(r"^# (\w+(?: \w+)?): {2,5}\S|^# (\w+):", head, re.MULTILINE)
    assert all(f"# {part}" in head for part in ("Input:", "Comes out:", "Right:", "Costs:"))
    assert "trap 'rm -rf \"$folder\"' EXIT" in code
    assert "pt_rankcorr" not in code


# --- what this package does -------------------------------------------------------------------------------------


def test_a_system_without_judged_topics_is_refused():
    good = {"001": {"d1": 2.0, "d2": 1.0}, "002": {"d3": 2.0, "d4": 1.0}}
    qrels = {"001": {"d1": 1, "d9": 1}, "002": {"d4": 1}}
    assert means([AP, RR, P @ 5], qrels, good, good) == {"AP": [0.5] * 2, "RR": [0.75] * 2, "P@5": [0.2] * 2}
    other = {topic.lstrip("0"): documents for topic, documents in good.items()}
    with pytest.raises(ValueError, match="must each have a topic of the qrels, got none in 'run 1'"):
        means([AP], qrels, good, other)


def test_topics_without_judgments_are_left_out():
    own = define_byquery(lambda qrels, run: float(len(qrels)), name="Judgments")
    run = {"q1": {"d1": 2.0}, "q2": {"d3": 2.0, "d4": 1.0}, "q3": {"d5": 1.0}}
    assert means([AP, own], {"q1": {"d1": 1}, "q2": {"d4": 1}}, run, run) == {"AP": [0.75] * 2, "Judgments": [1.0] * 2}


def test_topics_without_results_are_refused_or_count_0():
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    one, all_three = {"1": {"a": 1.0}}, {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 1.0}}
    with pytest.raises(ValueError, match="got none for 'run 0' on topics '2', '3'"):
        means([nDCG @ 10], qrels, one, all_three)
    assert means([nDCG @ 10], qrels, one, all_three, missing="zero") == {"nDCG@10": [0.3333, 1.0]}


def test_a_run_of_ranks_is_refused(write):
    run = write("a.run", "7\t11\t0\n7\t12\t1\n")
    with pytest.raises(ValueError, match="It looks like a run of MS MARCO"):
        means([RR @ 10], {"7": {"11": 1}}, run, run)


@pytest.mark.parametrize("name", ["NA", "null", "0012", "1e5", 'a"'])
def test_ids_are_read_as_they_are_written(write, name):
    qrels = write("qrels", f"1 0 {name} 1\n1 0 other 0\n")
    runs = [write(file, f"1 Q0 {name} 1 2.0 tag\n1 Q0 13 2 1.0 tag\n") for file in ("a.run", "b.run")]
    assert means([AP], qrels, *runs) == {"AP": [1.0, 1.0]}


def test_ids_of_tables_are_read_as_text(write):
    systems, topics = ("NA", "1.10", "1.1"), ("9007199254740993", "9007199254740992", "q2")
    rows = [f"{system},{topic},.{n}" for n, system in enumerate(systems, 1) for topic in topics]
    (matrix,) = rc.read_scores(write("scores.csv", "\n".join(["system,topic,AP", *rows]))).values()
    assert (matrix.systems, matrix.topics) == (systems, topics)
    names = [(run, topic) for run in ("007", "7") for topic in ("001", "1e0")]
    rows = [{"run_id": run, "topic_id": topic, "measure": "AP", "value": 0.5} for run, topic in names]
    (matrix,) = rc.read_leaderboard(write("scores.jsonl", "\n".join(map(json.dumps, rows)))).values()
    assert (matrix.systems, matrix.topics) == (("007", "7"), ("001", "1e0"))


def test_ranks_of_runs_are_not_read(write):
    first_best = write("a", "1 Q0 d3 0 1 a\n1 Q0 d2 0 2 a\n1 Q0 d1 0 3 a\n")
    last_best = write("b", "1 Q0 d3 0 3 b\n1 Q0 d2 0 2 b\n1 Q0 d1 0 1 b\n")
    assert means([RR], {"1": {"d1": 1}}, first_best, last_best) == {"RR": [1.0, 0.3333]}


def test_ids_that_differ_in_case_are_two_documents():
    run = {"1": {"AB": 2.0, "ab": 1.0}}
    assert means([RR], {"1": {"ab": 1}}, run, run) == {"RR": [0.5, 0.5]}


@pytest.mark.parametrize("read", [rc.read_scores, rc.read_leaderboard])
def test_pages_of_the_web_are_refused(write, read):
    row = "<tr><td>{}</td><td>.45<sup>2</sup></td></tr>"
    page = write("page.html", "\n".join(["<table>", row.format("dense"), row.format("sparse"), "</table>"]))
    with pytest.raises(ValueError, match=r"page.html' must (have numbers as scores|be a leaderboard)"):
        read(page)


def test_gains_are_evaluated_apart():
    qrels = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "b": 0}}
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "z": 4.0}, "2": {"a": 1.0, "b": 2.0}}
    found = means([nDCG @ 2, nDCG(gains={1: 1, 2: 10}) @ 2], qrels, run, run)
    assert [*found.values()] == [[0.5553] * 2, [0.6122] * 2]


def test_unjudged_documents():
    run = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    found = means([RR, RR(judged_only=True), Bpref], {"1": {"a": 1, "b": 1}}, run, run)
    assert found == {"RR": [0.5] * 2, "RR(judged_only=True)": [1.0] * 2, "Bpref": [1.0] * 2}
    others = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    with pytest.warns(NothingRetrievedWarning):
        assert means([Judged @ 1], {"1": {"a": 1}, "2": {"b": 1}}, others, others) == {"Judged@1": [0.0] * 2}


def test_the_highest_label_of_subtopics_counts():
    qrels = [Qrel("1", "a", 1, "1"), Qrel("1", "a", 0, "2"), Qrel("1", "b", 1, "2")]
    for lines in (qrels, qrels[::-1]):
        with pytest.warns(RepeatedJudgmentsWarning):
            assert means([AP], lines, {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 2.0, "b": 1.0}}) == {"AP": [1.0, 1.0]}


def test_rows_are_sorted_by_topic_and_score():
    rows = [("1", "y", 2.0), ("2", "x", 3.0), ("1", "a", 3.0), ("2", "b", 2.0)]
    run = read_run("mixed", [ScoredDoc(*row) for row in rows])
    assert {topic: [*documents] for topic, documents in run.items()} == {"1": ["a", "y"], "2": ["x", "b"]}


def test_topics_are_paired_by_name():
    run = {topic: {"abc"[int(topic) - 1]: 2.0, "x": 1.0} for topic in "312"}
    assert means([RR], {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}, run, run) == {"RR": [1.0, 1.0]}
    rng = np.random.default_rng(1)
    topics = pd.Index([f"t{n}" for n in range(12)], name="qid")
    first, second = (pd.DataFrame(rng.random((12, 6)), index=topics) for _ in range(2))
    pvalues = {rc.d_rank(first, side, rng=1).pvalue for side in (second, second[::-1])}
    assert len(pvalues) == 1


def test_a_document_named_like_the_topic_stays():
    run = {"1": {"1": 2.0, "a": 1.0}}
    assert means([R @ 10], {"1": {"1": 1, "a": 1}}, run, run) == {"R@10": [1.0, 1.0]}
    assert [*run["1"]] == ["1", "a"]


def test_a_topic_without_relevant_documents_counts_0():
    qrels = {"1": {"x": 0, "y": 0}, "2": {"x": 0, "y": 1}}
    run = {"1": {"x": 2.0, "y": 1.0}, "2": {"x": 2.0, "y": 1.0}}
    assert means([AP], qrels, run, run) == {"AP": [0.25, 0.25]}


def test_document_tau_does_not_depend_on_names():
    for a, b, c, d in ("abcd", "dacb"):
        first, second = {"1": {a: 4.0, b: 3.0, c: 2.0, d: 1.0}}, {"1": {b: 4.0, a: 3.0, c: 2.0, d: 1.0}}
        found = means([DocumentTau(other=first)], {"1": {a: 1}}, first, second)
        assert [*found.values()] == [[1.0, 0.6667]]


def test_tukeys_test_keeps_topics_together():
    scores = np.array([[1 / (1 + topic), 1 / (2 + topic)] for topic in range(12)])
    assert stats.randomized_tukey_hsd(scores, rng=1).pvalues[0, 1] < 0.1


def test_a_copy_of_the_baseline_does_not_differ_from_it():
    topics = pd.DataFrame({"qid": [f"q{n}" for n in range(10)], "query": "words"})
    qrels = topics.assign(docno="relevant", label=1)[["qid", "docno", "label"]]

    def system(places):
        rows = [(qid, f"d{k}", 10.0 - k) for qid in topics["qid"] for k in range(5)]
        rows += [(qid, "relevant", 10.5 - places[n % 2]) for n, qid in enumerate(topics["qid"])]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]))

    systems = {"baseline": system([1, 2]), "copy": system([1, 2]), "better": system([0, 1])}
    for meta in ([], [rc.KendallTau()]):
        options = {"baseline": "baseline", "correction": "holm", "meta": meta}
        table = rc.Experiment(systems, topics, qrels, [AP, nDCG], **options).set_index("name")
        assert table["AP reject"].tolist() == [False, False, True]
        assert table.loc["copy", "AP p-value corrected"] == 1.0


def test_coefficients_take_scores():
    first, second = [0.9, 0.8, 0.3, 0.1], [0.9, 0.39, 0.4, 0.1]
    assert round(stats.pearson(first, second), 3) == 0.811
    tables = [[0.9, 0.8, 0.1], [0.3, 0.2, 0.4], [0.6, 0.5, 0.4]], [[0.5, 0.3, 0.2], [0.9, 0.2, 0.4], [0.8, 0.7, 0.3]]
    assert rc.kendall_tau(*map(np.array, tables)) == 1.0
    swapped = [0.9, 0.8, 0.7, 0.6], [0.8, 0.9, 0.7, 0.6]
    negated = rc.tau_ap(*(-pd.Series(side).rank(ascending=False) for side in swapped))
    assert rc.tau_ap(*swapped) == negated < 0.6


def test_tied_systems_share_the_mean_of_their_ranks():
    assert stats.spearman([0.9, 0.9, 0.9, 0.1], [0.2, 0.2, 0.2, 0.8]) == -1.0


def test_corrected_pvalues_stay_where_they_were():
    assert holm([0.04, 0.001, 0.03]).tolist() == pytest.approx([0.06, 0.003, 0.06])


def test_wilcoxons_test_takes_equal_differences_as_tied():
    documents = np.array([[4, 1, 1, 3, 4, 1, 1, 0, 4, 4], [5, 2, 2, 4, 3, 2, 2, 1, 5, 5]]).T
    pvalues = {float(rc.discriminative_power(documents / n, test="wilcoxon").pvalues.min()) for n in (1, 5, 10)}
    assert len(pvalues) == 1


def test_small_samples_have_exact_tests():
    assert round(stats.spearman_test(1.0, 3).pvalue, 3) == 0.333
    assert round(stats.tau_ap_test(1.0, 4).pvalue, 3) == 0.083


def test_agreement_of_labels():
    with pytest.raises(ValueError, match="must be a square matrix"):
        judgments.cohen_kappa(np.array([[1, 1], [2, 2], [3, 3], [1, 1]]))
    missing = [[1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [1, 0, np.nan, np.nan, 1]]
    assert judgments.krippendorff_alpha(missing, "nominal") == 1.0
    human, model = [0, 0, 1, 3, 0, 3, 1, 3], [0, 1, 1, 3, 0, 1, 3, 3]
    first, second = [0, 1, 2, 0, 1, 2, 0, 1], [0, 2, 2, 0, 1, 2, 1, 1]
    assert round(judgments.krippendorff_alpha([first, second], "interval"), 2) == 0.81
    with pytest.raises(TypeError, match="must be an array of numbers"):
        judgments.krippendorff_alpha([["no", "partly", "fully"]] * 2, "interval")
    squeezed = [np.array(side) - (np.array(side) == 3) for side in (human, model)]
    apart, near = (judgments.krippendorff_alpha(np.array(sides), "interval") for sides in ([human, model], squeezed))
    assert apart < near


def test_a_judge_that_scores_all_alike_has_no_tau_gap():
    with pytest.warns(DegenerateInputWarning):
        assert np.isnan(rc.tau_gap([0.4, 0.3, 0.2, 0.1], [1, 1, 1, 1]))


def test_missing_scores_are_refused():
    table = pl.DataFrame({"a": [0.5, 0.4], "b": [None, 0.3]})
    with pytest.raises(ValueError, match="must be finite, got nan for system 'b' on topic '0'"):
        rc.kendall_tau(table, table)


def test_measures_that_evaluators_mix_up_are_evaluated_apart():
    run = {"1": {"a": 1.0}}
    found = means([IPrec @ 0.121, IPrec @ 0.124], {"1": {"a": 1}}, run, run)
    assert [*found.values()] == [[1.0] * 2] * 2


@pytest.mark.skipif(shutil.which("perl") is None, reason="the evaluator of ERR needs perl")
def test_topics_with_hyphens_are_topics():
    run = {"PLAIN-1": {"a": 1.0}, "PLAIN-2": {"b": 1.0}}
    found = means([ERR @ 10], {"PLAIN-1": {"a": 1}, "PLAIN-2": {"b": 1}}, run, run)
    assert found == {"ERR@10": [0.0625] * 2}


def test_subtopics_of_ir_datasets_are_read():
    judged = [TrecSubQrel("1", "a", 1, "1"), TrecSubQrel("1", "b", 1, "2")]
    assert read_qrels(judged)["iteration"].tolist() == ["1", "2"]


def test_what_is_as_in_the_tools():
    """Scores go to the evaluators of ir_measures as they are."""
    same_order = {"1": {"a": 2.0, "x": 1.0}}, {"1": {"a": -1.0, "x": -2.0}}
    assert means([Compat], {"1": {"a": 1, "b": 1, "c": 1}}, *same_order) == {"Compat": [0.6226, 0.1055]}
    spam = {"1": {"spam": 2.0, "page": 1.0}}
    assert means([Bpref, AP], {"1": {"spam": -2, "page": 1}}, spam, spam) == {"Bpref": [1.0] * 2, "AP": [0.5] * 2}
    close = {"1": {"a": 0.99999999, "b": 0.99999998}}
    assert means([RR, RR @ 10], {"1": {"a": 1}}, close, close) == {"RR": [0.5] * 2, "RR@10": [1.0] * 2}
