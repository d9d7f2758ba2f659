"""Valid inputs on which PyTerrier or an evaluator gives other numbers than one would think."""

import re
import warnings

import ir_measures
import numpy as np
import pandas as pd
import polars
import pyterrier as pt
import pytest
from ir_measures import AP, ERR, RR, Accuracy, NumRelRet, P, R, nDCG

import pt_rankcorr as rc
from pt_rankcorr import scores_from_runs
from pt_rankcorr.io.measure_names import resolve_measure
from pt_rankcorr.io.runs import Evaluator
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.stats.core.arguments import spelling_hint
from pt_rankcorr.warnings import MissingTopicsWarning, UnjudgedTopicsWarning, UnreliableResultWarning

MEAN = [rc.MeanInterval()]
QRELS = pd.DataFrame([("q1", "d1", 1), ("q2", "d4", 1)], columns=["qid", "docno", "label"])


def results(*rows):
    return pd.DataFrame(rows, columns=["qid", "docno", "score"]).assign(rank=0)


def topics(*qids):
    return pd.DataFrame({"qid": qids, "query": "words"})


RUNS = {
    "a": results(("q1", "d1", 2.0), ("q2", "d3", 2.0), ("q2", "d4", 1.0), ("q3", "d5", 1.0)),
    "b": results(("q1", "d2", 2.0), ("q1", "d1", 1.0), ("q2", "d4", 2.0), ("q3", "d5", 1.0)),
}


def experiment(measures, **changed):
    arguments = {"retr_systems": RUNS, "topics": topics("q1", "q2"), "qrels": QRELS, **changed}
    return rc.Experiment(eval_metrics=measures, **arguments)


# --- systems and topics ---------------------------------------------------------------------------------------

ZEROS = pd.DataFrame([("001", "d1", 1), ("001", "d9", 1), ("002", "d4", 1)], columns=["qid", "docno", "label"])
GOOD = results(("001", "d1", 2.0), ("001", "d2", 1.0), ("002", "d3", 2.0), ("002", "d4", 1.0))
FINE = results(("001", "d9", 2.0), ("001", "d1", 1.0), ("002", "d4", 2.0), ("002", "d3", 1.0))
OTHER = {"good": GOOD, "fine": FINE, "other": GOOD.assign(qid=GOOD["qid"].str.lstrip("0"))}


@pytest.mark.filterwarnings("ignore:'other' is 0 by every measure", "ignore:Precision loss:RuntimeWarning")
@pytest.mark.parametrize("options", [{}, {"meta": MEAN}, {"perquery": "both"}, {"baseline": 0}], ids=str)
@pytest.mark.parametrize("times", [[], ["mrt"]])
def test_a_system_without_a_judged_topic_is_refused_or_kept_with_zeros(options, times):
    times = [] if "meta" in options or "perquery" in options else times
    inputs = (OTHER, topics("001", "002"), ZEROS, [AP, RR, P @ 5, *times])
    said = "in 'other': 'other' has '1', '2' where the qrels have '001', '002'. '1' differs from '001' in leading zeros"
    with pytest.raises(ValueError, match=re.escape(said)):
        rc.Experiment(*inputs, **options)
    table = rc.Experiment(*inputs, missing="zero", **options)
    table = (table if isinstance(table, pd.DataFrame) else table.averages).set_index("name")
    np.testing.assert_allclose(table[["AP", "RR", "P@5"]], [[0.5, 0.75, 0.2], [1.0, 1.0, 0.3], [0, 0, 0]])
    with pytest.raises(ValueError, match="`missing` must be 'zero', got 'error'"):
        rc.Experiment(*inputs, missing="error")


@pytest.mark.parametrize("missing", ["error", "drop-topics", "drop-systems", "zero"])
def test_scores_of_a_run_without_a_judged_topic(missing):
    if missing in ("error", "drop-topics"):
        with pytest.raises(ValueError, match=r"none in 'other': .*leading zeros alone\. `missing='zero'` keeps runs"):
            scores_from_runs(OTHER, ZEROS, [AP], missing=missing)
    else:
        means = scores_from_runs(OTHER, ZEROS, [AP], missing=missing)["AP"].means
        assert means.tolist() == [0.5, 1.0, 0.0][: 3 if missing == "zero" else 2]


@pytest.mark.parametrize("options", [{}, {"meta": MEAN}, {"perquery": "both"}, {"plan": "tree", "verbose": False}])
def test_topics_without_judgments_are_left_out_everywhere(options):
    own = ir_measures.define_byquery(lambda judged, _: float(len(judged)), name="Judged documents")
    with pytest.warns(UnjudgedTopicsWarning, match=r"^1 topic\(s\) not found in qrels\. They are left out: 'q3'\.$"):
        both = experiment([AP, own], topics=topics("q1", "q2", "q3"), **options)
    table = both.averages if "perquery" in options else both
    assert table[["AP", "Judged documents"]].to_numpy().tolist() == [[0.75, 1.0]] * 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("q1 ", "q9"), r"where the qrels have 'q1', 'q2'\. 'q1 ' differs from 'q1' in blanks alone"),
        (("q3",), r"got only 'q3' where the qrels have 'q1', 'q2'\.$"),
    ],
)
def test_topics_of_which_none_is_judged(given, said):
    with pytest.raises(ValueError, match=rf"`topics` must have judgments, .*{said}"):
        experiment([AP], topics=topics(*given))
    with pytest.warns(UnjudgedTopicsWarning, match=r"left out: 'q1\.0'\. 'q1\.0' differs from 'q1' in the \".0\" of"):
        experiment([AP], topics=topics("q1.0", "q1", "q2"))


def test_ids_that_look_alike():
    assert spelling_hint(["1", "x"], ["x", "1.0"]) == " '1' differs from '1.0' in the \".0\" of a float alone."
    assert spelling_hint(["01"], [" 1 "]) == " '01' differs from ' 1 ' in leading zeros alone."
    assert spelling_hint(["1"], ["1", "01"]) == spelling_hint([], ["1"]) == spelling_hint(["a"], ["b"]) == ""
    with pytest.raises(ValueError, match=r"got none for 'b' on topics '002'\. .* '2' differs from '002' in leading"):
        scores_from_runs({"a": GOOD, "b": GOOD.replace({"qid": {"002": "2"}})}, ZEROS, [AP])
    first, second = (rc.ScoreMatrix([[1, 2], [2, 1]], names, ["a", "b"]) for names in (["01", "02"], ["1", "02"]))
    with pytest.raises(ValueError, match=r"'01', '1'\. '1' differs from '01' in leading zeros alone"):
        rc.correlation_interval(first, second)
    with pytest.raises(ValueError, match=r"'02' differs from '2' in leading zeros alone"):
        first.with_design(clusters={"01": "x", "2": "y"})


@pytest.mark.filterwarnings("ignore:Evaluation measures differ")  # PyTerrier adds "mrt" to its file
def test_a_saved_run_that_lacks_topics_is_named(tmp_path):
    pipelines = {name: pt.Transformer.from_df(run) for name, run in RUNS.items()}
    options = {"retr_systems": pipelines, "save_dir": str(tmp_path), "save_mode": "reuse"}
    experiment([AP], topics=topics("q1"), **options)
    said = r"^Saved runs without results for topics, where they score 0: 'a' \(topics 'q2'\) and 'b' .*'overwrite'"
    for measures in ([AP], [AP, "mrt"]):
        with pytest.warns(MissingTopicsWarning, match=said):
            assert experiment(measures, **options)["AP"].tolist() == [0.5, 0.25]
    again = experiment([AP], **options | {"save_mode": "overwrite"})
    assert again["AP"].tolist() == experiment([AP], **options)["AP"].tolist() == [0.75, 0.75]


def test_files_that_are_saved_have_the_columns_asked_for(tmp_path):
    pipelines = {name: pt.Transformer.from_df(run) for name, run in RUNS.items()}
    experiment(["P_5", AP], retr_systems=pipelines, save_dir=str(tmp_path), meta=MEAN)
    assert list(pd.read_csv(tmp_path / "aggregated.csv")) == ["name", "P_5", "AP"]
    assert set(pd.read_csv(tmp_path / "perquery.csv")["measure"]) == {"P_5", "AP"}


def test_batches_and_equal_pipelines():
    pipelines = {name: pt.Transformer.from_df(run) for name, run in RUNS.items()}
    table = experiment([AP], retr_systems=pipelines, batch_size=1, filter_by_topics=False, topics=topics("q1"))
    assert table["AP"].tolist() == [0.5, 0.25]  # no system is run on q2, which is judged
    same = {"x": pipelines["a"], "y": pipelines["a"]}
    with pytest.raises(ValueError, match="different pipelines for `plan='tree'`, got 1 that equal another"):
        experiment([AP], retr_systems=same, plan="tree", verbose=False)


# --- depth ----------------------------------------------------------------------------------------------------

DEPTHS = {"deep": 40, "wide": 40, "cut": 10}
DEEP = {name: {f"t{t}": {f"d{k}": 99.0 - k for k in range(depth)} for t in range(4)} for name, depth in DEPTHS.items()}
LABELS = {f"t{t}": {f"d{k}": int(k % 5 == t) for k in range(40)} for t in range(4)}


@pytest.mark.parametrize("as_experiment", [True, False])
def test_a_run_that_is_cut_off_early_is_named_with_the_measures_that_look_deeper(as_experiment):
    def evaluate(measures, runs):
        if not as_experiment:
            return scores_from_runs(runs, LABELS, measures)
        frames = {name: results(*((t, d, s) for t in run for d, s in run[t].items())) for name, run in runs.items()}
        return rc.Experiment(frames, topics(*LABELS), LABELS, measures)

    said = (
        r"^Runs have far fewer documents a topic than the others, which have up to 40: 'cut' \(up to 10\)\. "
        r"What they lack counts as not relevant for AP, R@20 and nDCG: take a cut-off that all runs reach\.$"
    )
    with pytest.warns(UnreliableResultWarning, match=said):
        evaluate([AP, nDCG @ 10, R @ 20, nDCG, P @ 5], DEEP)
    evaluate([nDCG @ 10, P @ 5], DEEP)
    finds = {"t0": 3, "t1": 12, "t2": 9, "t3": 10}  # few documents, but is not cut off
    found = {topic: dict([*run.items()][: finds[topic]]) for topic, run in DEEP["deep"].items()}
    evaluate([AP], {**DEEP, "cut": found})


# --- evaluators -----------------------------------------------------------------------------------------------


def test_ids_of_gdeval_are_numbers():
    """It takes "PLAIN-1" for 1, "2009-1" and "2010-1" for one topic, 007 for 7, and "a 1" for the document "a"."""
    qids = ["PLAIN-1", "2009-1", "2010-1", "007", "7", "x"]
    judged = {qid: {"a 1": 1, "a 2": 0} for qid in qids}
    first, second = {"a 1": 2.0, "a 2": 1.0}, {"a 1": 1.0, "a 2": 2.0}
    runs = {"a": dict.fromkeys(qids, first), "b": dict.fromkeys(qids, second)}
    scores = scores_from_runs(runs, judged, [ERR @ 10, AP])
    assert scores["ERR@10"].values.tolist() == [[0.0625, 0.03125]] * 6


def test_measures_that_are_mixed_up_in_one_call_are_evaluated_alone():
    rows = [(f"q{t}", f"d{d}", (d + t) % 3) for t in range(3) for d in range(8)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label"])
    run = results(*((f"q{t}", f"d{d}", float((7 * d + t) % 11)) for t in range(3) for d in range(12)))
    names = "nDCG@5 nDCG NumRet RR IPrec@0.101 IPrec@0.104 IPrec@0.1"
    measures = [nDCG(gains={1: 5}) @ 5, nDCG(gains={2: 7}), P(judged_only=True) @ 5, *names.split()]
    together = experiment(measures, retr_systems={"a": run}, topics=topics("q0", "q1", "q2"), qrels=qrels)
    for measure in measures:
        alone = experiment([measure], retr_systems={"a": run}, topics=topics("q0", "q1", "q2"), qrels=qrels)
        assert alone[str(measure)].tolist() == together[str(measure)].tolist()
    assert together["NumRet"].tolist() == [36.0]
    assert together["nDCG(gains={1:5})@5"][0] != together["nDCG@5"][0]


def test_groups_of_measures(monkeypatch):
    groups = []
    monkeypatch.setattr(ir_measures, "evaluator", lambda measures, _: groups.append(sorted(map(str, measures))))
    shared = "AP AP(rel=2) Compat NumRet RBP(rel=1)".split()
    others = "alpha_nDCG@5 alpha_nDCG(alpha=0.9)@5 ERR_IA@5 Accuracy IPrec@0.1 ERR@5".split()
    Evaluator(map(resolve_measure, [*shared, *others]), read_qrels(QRELS))
    alone = [[name] for name in others]
    assert sorted(groups) == sorted([shared, *alone])


def test_a_measure_that_is_undefined_on_a_topic():
    runs = {"a": results(("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d3", 1.0)), "b": RUNS["b"]}
    said = r"Measures without a score on some topics: 'Accuracy'\. Averages leave these topics out, and their"
    with pytest.warns(UnreliableResultWarning, match=said):
        table = experiment([AP, Accuracy], retr_systems={"a": runs["a"]})
    assert table["Accuracy"].tolist() == [1.0]  # beside other measures, ir_measures gives 0 to q2


def test_rows_in_any_order_are_one_run():
    first = ir_measures.define_byquery(lambda _, run: float(run["doc_id"].iloc[0][1:]), "first")
    tied = results(("q1", "d1", 1.0), ("q2", "d3", 1.0), ("q1", "d2", 1.0), ("q2", "d4", 1.0), ("q1", "d5", 1.0))
    orders = [tied, tied[::-1], tied.sort_values("qid"), tied.iloc[[2, 0, 4, 3, 1]]]
    table = experiment([first, AP, RR @ 2, "Compat"], retr_systems=dict(zip("abcd", orders, strict=True)))
    assert table["first"].tolist() == [4.5] * 4
    assert (table.iloc[:, 1:].nunique() == 1).all()


def test_two_measures_of_one_name_are_refused():
    first, second = ir_measures.define_byquery(lambda *_: 1.0), ir_measures.define_byquery(lambda *_: 2.0)
    like = ir_measures.define_byquery(lambda *_: 2.0, name="AP", support_cutoff=False)
    for measures, name in (([first, second], "<lambda>"), ([AP, like], "AP"), ([like, AP], "AP")):
        with pytest.raises(ValueError, match=f"measures of different names, got two named '{name}': give your own"):
            experiment(measures)
    named = ir_measures.define_byquery(lambda *_: 2.0, name="map", support_cutoff=False)
    with pytest.raises(ValueError, match="`eval_metrics` must be of different names, got 'map' more than once"):
        experiment(["map", named])
    assert list(experiment([first, first, AP, "map"]).columns) == ["name", "<lambda>", "map"]
    with pytest.raises(ValueError, match="`eval_metrics` must hold at least one measure, got none"):
        experiment([])


def test_counts_are_summed():
    table = experiment([NumRelRet, "num_rel_ret", AP], topics=topics("q1", "q2").assign(stratum="x"))
    assert table["num_rel_ret"].tolist() == [2.0, 2.0]
    frame = experiment([NumRelRet, AP], perquery=True)
    assert rc.by_system(frame)["NumRet(rel=1)"].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("options", [{}, {"meta": MEAN}, {"perquery": "both"}])
@pytest.mark.parametrize("measures", [[AP], [AP, "mrt"]])
def test_a_copy_of_the_baseline_does_not_differ(options, measures):
    if options and "mrt" in measures:
        return
    systems = {"base": RUNS["a"], "copy": RUNS["a"].copy(), "other": RUNS["b"]}
    table = experiment(measures, retr_systems=systems, baseline=0, correction="holm", **options)
    table = table.averages if "perquery" in options else table
    np.testing.assert_array_equal(table["AP p-value corrected"], [np.nan, 1.0, 1.0])
    assert table["AP reject"].tolist() == [False] * 3


# --- judgments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", "int64[pyarrow] double[pyarrow] Int8 Float64 float32 object polars".split())
def test_labels_of_any_type_that_are_whole(kind):
    qrels = polars.from_pandas(QRELS) if kind == "polars" else QRELS.astype({"label": kind})
    assert experiment([AP], qrels=qrels)["AP"].tolist() == [0.75, 0.75]
    assert scores_from_runs(RUNS, qrels, [AP])["AP"].means.tolist() == [0.75, 0.75]


@pytest.mark.parametrize("kind", ["Int64", "double[pyarrow]"])
def test_labels_that_are_missing(kind):
    qrels = QRELS.astype({"label": kind})
    qrels.loc[1, "label"] = None
    with pytest.raises(ValueError, match="`qrels` must have whole numbers as labels, got nan"):
        experiment([AP], qrels=qrels)


@pytest.mark.parametrize("name", ["label", "docno", "relevance", "iteration"])
def test_two_columns_of_one_name_are_refused_by_that_name(name):
    qrels = QRELS.assign(iteration="0")
    qrels = qrels.rename(columns={"label": "relevance"}) if name == "relevance" else qrels
    qrels = pd.concat([qrels, qrels[[name]]], axis=1)
    for call in (lambda: experiment([AP], qrels=qrels), lambda: scores_from_runs(RUNS, qrels, [AP])):
        with pytest.raises(ValueError, match=f"`qrels` must have each column once, got more than one named '{name}'"):
            call()


def test_columns_of_topics_and_results_that_repeat():
    twice = pd.concat([RUNS["a"], RUNS["a"][["score"]]], axis=1)
    with pytest.raises(ValueError, match="`retr_systems` must have each column once, got more than one named 'score'"):
        experiment([AP], retr_systems={"a": twice})
    two_ids = pd.concat([topics("q1"), topics("q1")[["qid"]]], axis=1)
    with pytest.raises(ValueError, match="`topics` must have each column once, got more than one named 'qid'"):
        experiment([AP], topics=two_ids)
    with pytest.raises(TypeError, match="`topics` must be a data frame, a file or 'irds:' and an id, got 3"):
        experiment([AP], topics=3)


def test_frames_of_polars_and_numbers_as_ids():
    frames = {name: polars.from_pandas(run) for name, run in RUNS.items()}
    table = experiment([AP], retr_systems=frames, topics=polars.from_pandas(topics("q1", "q2")))
    assert table["AP"].tolist() == [0.75, 0.75]
    numbers = QRELS.assign(qid=[1, 2])
    runs = {name: run[run["qid"] != "q3"] for name, run in RUNS.items()}
    runs = {name: run.assign(qid=run["qid"].str[1:].astype(int)) for name, run in runs.items()}
    table = experiment([AP], retr_systems=runs, topics=topics(1, 2), qrels=numbers)
    assert table["AP"].tolist() == [0.75, 0.75]
    assert runs["a"]["qid"].dtype.kind == "i"  # the caller's frame is as it was


def test_subtopics_of_ir_datasets_are_iterations():
    rows = [("q1", "d1", 1, "s1"), ("q1", "d1", 0, "s2")]
    given = pd.DataFrame(rows, columns=["qid", "docno", "label", "subtopic_id"])
    assert read_qrels(given)["iteration"].tolist() == ["s1", "s2"]
    seen = []
    own = ir_measures.define_byquery(lambda qrels, _: float(seen.append(list(qrels)) or 1), "own")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        experiment([own], qrels=given.assign(answer="yes"), topics=topics("q1"))
    assert {"query_id", "doc_id", "relevance", "iteration", "answer"} <= {*seen[0]}


def test_rows_of_judgments_that_a_measure_of_the_user_reads_all_stay():
    own = ir_measures.define_byquery(lambda qrels, _: float(len(qrels)), "own")
    answers = pd.concat([QRELS.assign(answer=[["yes"], ["no"]]), QRELS.assign(answer=[["true"], ["false"]])])
    assert experiment([own, AP], qrels=answers).iloc[:, 1:].to_numpy().tolist() == [[2.0, 0.75]] * 2
    with pytest.raises(ValueError, match="one label per document and topic, got two for 'd1' on topic 'q1'"):
        experiment([AP], qrels=pd.concat([answers, QRELS.assign(label=0)]))
