"""Each cell of any experiment is what ir_measures gives for that run and measure alone, on the judged topics."""

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import P, nDCG
from ir_measures.measures import SumAgg

import pt_rankcorr as rc
from pt_rankcorr.io.measure_names import is_count, resolve_measure

TOPICS = ["1", "001", "q-1", "2009-1", "a b", "10.0", "NA", "é"]
OWN = ir_measures.define_byquery(lambda qrels, run: float(run["score"].mean() + len(qrels)), "own <b>")
NAMES = """
    AP AP(rel=2) AP@5 P@5 P(rel=2)@5 RR RR(rel=2) RR@5 R@5 Bpref infAP nDCG nDCG@5 SetF SetF(beta=2.0) NumRet NumRelRet
    NumRel NumQ IPrec@0.1 IPrec@0.101 Compat(p=0.9) Judged@3 ERR@5 ERR@10
"""
OF_SUBTOPICS = "ERR_IA@5 alpha_nDCG@5 alpha_nDCG(alpha=0.9)@5 alpha_nDCG(rel=2)@5 StRecall@5 NRBP"
OF_CWL = "RBP(rel=1) RBP(rel=2,p=0.5) SDCG(max_rel=3)@5"
DIVERSE = [resolve_measure(name) for name in OF_SUBTOPICS.split()]
MEASURES: list[Any] = [resolve_measure(name) for name in NAMES.split()]
MEASURES += [nDCG(gains={1: 5}) @ 5, nDCG(gains={1: 2}), nDCG(judged_only=True) @ 5, P(judged_only=True) @ 5]
MEASURES += [nDCG(dcg="exp-log2") @ 5, OWN, OWN @ 2, rc.measures.Q, rc.measures.nCG @ 5]
MEASURES += ["map", "P_5", "ndcg_cut_10", "recall_5", "num_rel_ret", "nDCG@3"]
MEASURES += DIVERSE if find_spec("pyndeval") else []
MEASURES += [resolve_measure(name) for name in OF_CWL.split()] if find_spec("cwl") else []
TYPES = ["int64", "float64", "Int64", "int64[pyarrow]", "double[pyarrow]", "Float64", "object"]


@dataclass
class Made:
    """A random experiment: its arguments, and what they say."""

    arguments: dict[str, Any]
    judged: list[str]
    strata: dict[str, str] | None


def made(rng):
    """Systems that lack topics, tie documents and mix rows; topics without judgments; any measures and options."""
    topics = rng.permutation(TOPICS)[: rng.integers(1, 7)].tolist()
    n_judged = int(rng.integers(1, len(topics) + 1))
    judged = topics[:n_judged]
    outside = [topic for topic in TOPICS if topic not in topics][:1]  # judged, and not asked for
    documents = [f"d{n}" for n in range(12)]
    rows = [
        (topic, document, int(rng.integers(-1, 4)), str(subtopic))
        for topic in judged + outside
        for document in rng.permutation(documents)[: rng.integers(1, 10)]
        for subtopic in range(rng.integers(1, 3))
    ]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    systems, is_empty = {}, False  # PyTerrier refuses a pipeline that returns nothing
    for name in ["b", "a", "<c>", "d"][: rng.integers(1, 5)]:
        retrieved = [topic for topic in topics if rng.random() < 0.8]
        found = [(topic, document) for topic in retrieved for document in documents if rng.random() < 0.7]
        is_empty |= not {topic for topic, _ in found} & {*judged}
        found = found or [("elsewhere", "d1")]  # a system without any judged topic, which is kept if asked for
        scores = rng.normal(size=len(found)).round(1 if rng.random() < 0.5 else 9)
        frame = pd.DataFrame(found, columns=["qid", "docno"]).assign(score=scores, rank=0)
        systems[name] = frame.sample(frac=1, random_state=int(rng.integers(1000)))
    chosen = rng.permutation(len(MEASURES))[: rng.integers(1, 8)]
    ranks, strata = not all(is_count(MEASURES[place]) for place in chosen), None
    if rng.random() < 0.2 and len(judged) >= 4:
        strata = {topic: "xy"[place % 2] for place, topic in enumerate(topics)}
    arguments = {
        "retr_systems": systems,
        "topics": frame_of(rng.permutation(topics), strata),
        "qrels": qrels.sample(frac=1, random_state=1).astype({"label": TYPES[rng.integers(len(TYPES))]}),
        "eval_metrics": [MEASURES[place] for place in chosen],
        "perquery": [False, True, "both"][rng.integers(3)],
        "meta": [rc.MeanInterval()] if rng.random() < 0.3 and len(systems) > 1 and strata is None and ranks else (),
        "baseline": 0 if rng.random() < 0.2 else None,
        "missing": "zero",
        "plan": "tree" if rng.random() < 0.2 and not is_empty else "linear",
        "verbose": False,
    }
    return Made(arguments, judged, strata)


def frame_of(topics, strata):
    """The topics, with a column of their strata if there are any."""
    frame = pd.DataFrame({"qid": topics, "query": "words"})
    return frame if strata is None else frame.assign(stratum=frame["qid"].map(strata))


NUMBERS = {topic: str(place) for place, topic in enumerate(TOPICS)}  # gdeval takes numbers alone
NAME_OF = {number: topic for topic, number in NUMBERS.items()}


def for_ir_measures(frame, judged):
    """The rows of judged topics, which have numbers, by the names of ir_measures."""
    frame = frame.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    return frame[frame["query_id"].isin(judged)].assign(query_id=lambda rows: rows["query_id"].map(NUMBERS))


def alone(measure, qrels, by_document, run):
    """Topic -> score, by one measure in one call, of a run in the order of trec_eval."""
    if measure.NAME == "Judged":
        pairs = set(zip(qrels["query_id"], qrels["doc_id"], strict=True))
        first = run.groupby("query_id").head(measure["cutoff"])
        hits = [pair in pairs for pair in zip(first["query_id"], first["doc_id"], strict=True)]
        of_runs = pd.Series(hits, first["query_id"], dtype=float).groupby(level=0).mean().to_dict()
        return {NAME_OF[number]: of_runs.get(number, 0.0) for number in set(qrels["query_id"])}
    gets_all = {OWN.NAME, *(of.NAME for of in DIVERSE)}  # iterations, which are subtopics
    qrels = qrels if measure.NAME in gets_all else by_document
    metrics = ir_measures.iter_calc([measure], qrels, run if len(run) else {})
    return {NAME_OF[metric.query_id]: metric.value for metric in metrics}


def cells_of(experiment):
    """Runs an experiment, and compares each of its cells; returns how many."""
    arguments, judged = experiment.arguments, experiment.judged
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = rc.Experiment(**arguments)
    perquery = arguments["perquery"]
    averages = None if perquery is True else result if perquery is False else result.averages
    table = None if averages is None else averages.set_index("name").to_dict("index")
    frame = result if perquery is True else result.perquery if perquery == "both" else None
    scored = None if frame is None else frame.set_index(["name", "measure", "qid"])["value"].to_dict()
    qrels = for_ir_measures(arguments["qrels"].astype({"label": int}), judged)
    is_low = qrels.groupby("query_id")["relevance"].transform("max") < 0  # at such a topic pytrec_eval may never end
    qrels["relevance"] = qrels["relevance"].mask(is_low, 0)
    highest = qrels.sort_values("relevance").drop_duplicates(["query_id", "doc_id"], keep="last")
    by_document = highest.assign(iteration="0")
    # measures in two notations share a column, which has the name in that of trec_eval
    given = sorted(arguments["eval_metrics"], key=lambda measure: isinstance(measure, str) and measure != "nDCG@3")
    named = {str(resolve_measure(measure)): measure for measure in given}
    n_cells = 0
    for name, results in arguments["retr_systems"].items():
        order = {"by": ["query_id", "score", "doc_id"], "ascending": [True, False, False]}
        run = for_ir_measures(results, judged).sort_values(**order)
        for measure in named.values():
            resolved = resolve_measure(measure)
            scores = alone(resolved, qrels, by_document, run)
            assert set(scores) == set(judged)
            groups = [judged]
            if experiment.strata and not isinstance(resolved.aggregator(), SumAgg):
                groups = [[topic for topic in judged if experiment.strata[topic] == label] for label in "xy"]
            if table is not None:
                mean = np.mean([mean_of(resolved, [scores[topic] for topic in group]) for group in groups])
                assert table[name][str(measure)] == pytest.approx(mean, rel=1e-9, abs=1e-9), measure
                n_cells += 1
            if scored is not None:
                ours = {topic: scored[name, str(measure), topic] for topic in judged}
                assert ours == pytest.approx(scores, rel=1e-9, abs=1e-9), measure
                n_cells += len(judged)
    assert scored is None or len(scored) == len(named) * len(judged) * len(arguments["retr_systems"])
    return n_cells


def mean_of(measure, scores):
    """The average of ir_measures: a sum for counts."""
    aggregator = measure.aggregator()
    for score in scores:
        aggregator.add(score)
    return aggregator.result()


def test_each_cell_is_that_of_one_run_and_one_measure():
    assert sum(cells_of(made(np.random.default_rng(seed))) for seed in range(10)) > 100
