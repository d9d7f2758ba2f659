import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from pt_rankcorr.io.measure_names import resolve_measure
from pt_rankcorr.judgments import leave_out
from pt_rankcorr.warnings import DegenerateInputWarning

NAMES, TOPICS = ["a", "b", "c", "d"], ["1", "2", "3"]
RUN = st.fixed_dictionaries(
    {topic: st.permutations([f"d{n}" for n in range(6)]).map(lambda it: it[:4]) for topic in TOPICS}
)
LABELS = st.lists(st.integers(0, 2), min_size=18, max_size=18)


def scored(ranking):
    return {topic: {docno: -float(rank) for rank, docno in enumerate(docs)} for topic, docs in ranking.items()}


def mean(measure, qrels, run):
    """Over all topics: one without judgments counts 0."""
    parsed = resolve_measure(measure)
    judged = {topic: labels for topic, labels in qrels.items() if labels}
    values = ir_measures.iter_calc([parsed], judged, run) if judged else []
    return sum(value.value for value in values) / len(qrels)


@given(
    st.lists(RUN, min_size=4, max_size=4), LABELS, st.sampled_from(["AP", "nDCG@3"]), st.integers(1, 4), st.booleans()
)
@pytest.mark.filterwarnings(
    "ignore::pt_rankcorr.warnings.NothingRetrievedWarning", "ignore::pt_rankcorr.warnings.DegenerateInputWarning"
)
def test_it_is_its_definition(rankings, labels, measure, depth, teams):
    rankings = dict(zip(NAMES, rankings, strict=True))
    runs = {name: scored(ranking) for name, ranking in rankings.items()}
    qrels = {topic: {f"d{n}": labels[6 * at + n] for n in range(6)} for at, topic in enumerate(TOPICS)}
    group = {"a": "t", "b": "t", "c": "c", "d": "d"} if teams else {name: name for name in NAMES}
    full = {name: mean(measure, qrels, run) for name, run in runs.items()}
    expected = {}
    for name in NAMES:
        alone = {
            topic: {docno for own in NAMES if group[own] == group[name] for docno in rankings[own][topic][:depth]}
            - {docno for other in NAMES if group[other] != group[name] for docno in rankings[other][topic][:depth]}
            for topic in TOPICS
        }
        reduced = {topic: {d: it for d, it in qrels[topic].items() if d not in alone[topic]} for topic in TOPICS}
        would = {it: mean(measure, reduced if group[it] == group[name] else qrels, runs[it]) for it in NAMES}
        relevant = sum(qrels[topic][docno] > 0 for topic in TOPICS for docno in alone[topic])
        rank = rankdata(-np.round([would[it] for it in NAMES], 10))[NAMES.index(name)]
        expected[name] = [sum(map(len, alone.values())), relevant, full[name], would[name], rank]
    found = leave_out(runs, qrels, [measure], groups={"t": "[ab]"} if teams else None, depth=depth)
    columns = ["unique", "unique relevant", "score", "score without", "rank without"]
    rows = found.runs.set_index("name")[columns]
    assert {name: rows.loc[name].tolist() for name in NAMES} == {
        name: pytest.approx(values) for name, values in expected.items()
    }
    assert found.n_groups == len(set(group.values()))


def usual_and_other():
    qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 1} for topic in range(3)}
    usual = scored({topic: ["d2", "d1"] for topic in qrels})
    return {"usual": usual, "same": usual, "other": scored({topic: ["d3", "d2"] for topic in qrels})}, qrels


def test_the_largest_drop_and_tau():
    runs, qrels = usual_and_other()
    found = leave_out(runs, qrels, ["AP", "nDCG"], depth=2)
    assert found.measures["measure"].tolist() == ["AP", "nDCG"]
    assert found.measures.loc[0, ["drop", "drop of", "loss", "loss of"]].tolist() == [2.0, "other", 1.0, "other"]
    assert found.measures["tau"].tolist() == [-2 / 3, -2 / 3]
    assert (found.depth, found.n_groups) == (2, 3)


def test_runs_that_are_left_out_pooled_all_the_same():
    runs, qrels = usual_and_other()
    runs["same"] = {"0": runs["same"]["0"]}  # lacks topics
    found = leave_out(runs, qrels, ["AP"], depth=2, missing="drop-systems")
    assert sorted(found.runs["name"]) == ["other", "usual"]
    assert found.runs.set_index("name")["unique"].to_dict() == {"other": 3, "usual": 2}  # d1 of topic 0 is of two
    assert found.n_groups == 2


def test_a_run_that_found_everything_alone_loses_everything():
    qrels = {"1": {"d1": 1, "d2": 2, "d3": 0}, "2": {"d1": 1, "d3": 0}}
    runs = {"finds": scored({"1": ["d2", "d1"], "2": ["d1"]}), "fails": scored({"1": ["d3"], "2": ["d3"]})}
    with pytest.warns(DegenerateInputWarning):
        found = leave_out(iter_once(runs), qrels, ["nDCG"]).runs
    assert found.loc[0, ["name", "score", "score without", "unique"]].tolist() == ["finds", 1.0, 0.0, 3]


def iter_once(runs):
    """Runs that can be read but once."""
    return {
        name: (ir_measures.ScoredDoc(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items())
        for name, run in runs.items()
    }


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        (["usual"], TypeError, "`groups` must map names to lists or patterns of runs, got list"),
        ({"usual": "team"}, ValueError, "`groups` must each have some of the runs .*, got none in 'usual'"),
        ({"same": ["usual"]}, ValueError, "must have names of their own, got 'same', which is the name of a run"),
        ({"team": ["usual", "nobody"]}, ValueError, "`groups` must have only runs that are compared, got 'nobody'"),
        ({"a": ["usual", "same"], "b": ["usual"]}, ValueError, "`groups` must have each run once, got .usual. more"),
    ],
)
def test_wrong_groups(groups, error, message):
    with pytest.raises(error, match=message):
        leave_out(*usual_and_other(), ["AP"], groups=groups)
