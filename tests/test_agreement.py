import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import P, Qrel, ScoredDoc

from pt_rankcorr.agreement import DocumentTau as KendallTau
from pt_rankcorr.agreement import DocumentTauAP as TauAP
from pt_rankcorr.agreement import DocumentTauGAP as TauGAP
from tests.stats import oracles

DEFINITIONS = {KendallTau: oracles.kendall_tau_a, TauAP: oracles.tau_ap_a, TauGAP: oracles.tau_gap}
each_measure = pytest.mark.parametrize("measure", DEFINITIONS, ids=lambda measure: measure.NAME)
QRELS = [Qrel("q1", "a", 1)]


def run_of(scores, qid="q1"):
    return [ScoredDoc(qid, document, float(score)) for document, score in scores.items()]


def value(measure, run, qrels=QRELS):
    per_query = {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}
    assert set(per_query) == {qrel.query_id for qrel in qrels}
    return per_query["q1"]


def scored(documents="abcdefg"):
    return st.dictionaries(st.sampled_from(documents), st.integers(0, 4).map(float), min_size=1)


class TestValues:
    @each_measure
    @given(theirs=scored(), ours=scored())
    def test_on_the_common_documents(self, measure, theirs, ours):
        common = sorted(set(theirs) & set(ours))
        expected = defined(measure, [theirs[d] for d in common], [ours[d] for d in common])
        assert value(measure({"q1": theirs}), run_of(ours)) == pytest.approx(expected, abs=1e-12, nan_ok=True)

    @each_measure
    @given(theirs=scored("abcde"), ours=scored("bcdef"))
    def test_with_the_unranked_tied_at_the_bottom(self, measure, theirs, ours):
        documents = sorted(set(theirs) | set(ours))
        just_below = 0 if measure is TauGAP else 1  # an unranked document has the gaps of the last ranked one
        truth = [theirs.get(d, min(theirs.values()) - just_below) for d in documents]
        estimate = [ours.get(d, -1.0) for d in documents]
        expected = defined(measure, truth, estimate)
        computed = value(measure({"q1": theirs}, unranked="tie"), run_of(ours))
        assert computed == pytest.approx(expected, abs=1e-12, nan_ok=True)

    def test_unjudged_documents_are_level_with_those_labelled_0(self):
        labels = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "label": [1, 0]})
        run = run_of({"a": 3.0, "unjudged": 2.0, "b": 1.0})
        assert value(TauAP(labels, unranked="tie"), run) == value(TauAP({"q1": {"a": 1, "b": 0, "unjudged": 0}}), run)

    @each_measure
    @pytest.mark.parametrize(("cutoff", "documents"), [(1, "a"), (2, "ac"), (3, "acb"), (4, "acbd"), (9, "acbd")])
    def test_a_cutoff_keeps_what_trec_eval_ranks_first(self, measure, cutoff, documents):
        theirs = {"q1": {"a": 1.0, "b": 3.0, "c": 2.0, "d": 4.0}}
        for low in (2.0, 2.0 + 1e-9):  # the same in single precision
            ours = {"a": 3.0, "b": low, "c": 2.0, "d": 1.0}
            truth, estimate = [theirs["q1"][d] for d in documents], [round(ours[d]) for d in documents]
            expected = defined(measure, truth, estimate)
            assert value(measure(theirs) @ cutoff, run_of(ours)) == pytest.approx(expected, nan_ok=True)

    @given(theirs=scored(), ours=scored(), cutoff=st.integers(1, 9), digits=st.integers(5, 11))
    def test_a_cutoff_keeps_the_documents_that_precision_counts(self, theirs, ours, cutoff, digits):
        ours = {document: 1.0 + score * 10.0**-digits for document, score in ours.items()}
        kept = [d for d in ours if (P @ cutoff).calc_aggregate([Qrel("q1", d, 1)], run_of(ours)) > 0]
        common = [d for d in kept if d in theirs]
        expected = defined(TauAP, [theirs[d] for d in common], [float(np.float32(ours[d])) for d in common])
        assert value(TauAP({"q1": theirs}) @ cutoff, run_of(ours)) == pytest.approx(expected, abs=1e-12, nan_ok=True)

    @each_measure
    def test_scores_that_single_precision_cannot_tell_apart_are_ties(self, measure):
        ours = {"a": 1.0 + 1e-9, "b": 1.0, "c": 0.5, "d": 1e39, "e": 1e300}
        theirs = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 5.0, "e": 4.0}
        expected = defined(measure, [3.0, 2.0, 1.0, 5.0, 4.0], [1.0, 1.0, 0.5, 2.0, 2.0])
        assert value(measure({"q1": theirs}), run_of(ours)) == pytest.approx(expected)
        del ours["d"], ours["e"]
        assert value(measure({"q1": ours}), run_of(ours)) == defined(measure, [1.0, 1.0, 0.5], [1.0, 1.0, 0.5])


def defined(measure, truth, estimate):
    if len(set(truth)) < 2 or len(set(estimate)) < 2:
        return math.nan
    return DEFINITIONS[measure](truth, estimate)


class TestUndefined:
    @each_measure
    @pytest.mark.parametrize(
        ("theirs", "ours"),
        [
            ({"x": 1, "y": 2}, {"a": 1, "b": 2}),  # no common document
            ({"a": 1, "y": 2}, {"a": 1, "b": 2}),  # one
            ({"a": 1, "b": 1}, {"a": 1, "b": 2}),  # tied by the other
            ({"a": 1, "b": 2}, {"a": 1, "b": 1}),  # tied in the run
        ],
    )
    def test_it_is_nan_without_a_warning(self, measure, theirs, ours):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert math.isnan(value(measure({"q1": theirs}), run_of(ours)))
            assert value(measure({"q1": theirs}, undefined=0.0), run_of(ours)) == 0.0

    @each_measure
    def test_a_query_in_one_of_the_runs_only(self, measure):
        qrels = [Qrel("q1", "a", 1), Qrel("q2", "a", 1), Qrel("q3", "a", 1)]
        both = measure({"q1": {"a": 2, "b": 1}, "q2": {"a": 2, "b": 1}})
        run = run_of({"a": 2, "b": 1}) + run_of({"a": 2, "b": 1}, "q3") + run_of({"a": 2, "b": 1}, "not evaluated")
        values = {metric.query_id: metric.value for metric in both.iter_calc(qrels, run)}
        assert values["q1"] == 1.0
        assert math.isnan(values["q2"])
        assert math.isnan(values["q3"])
        assert len(values) == 3
        assert both.calc_aggregate(qrels, run) == 1.0
        assert both(undefined=-1.0).calc_aggregate(qrels, run) == pytest.approx(-1 / 3)


class TestForms:
    THEIRS = {"q1": {"a": 1.0, "b": 3.0, "c": 2.0}}  # noqa: RUF012

    @pytest.mark.parametrize(
        "other",
        [
            THEIRS,
            run_of(THEIRS["q1"]),
            iter(run_of(THEIRS["q1"])),
            pd.DataFrame(run_of(THEIRS["q1"])),
            pd.DataFrame({"qid": "q1", "docno": list("abc"), "score": [1.0, 3.0, 2.0], "rank": [2, 0, 1], "label": 0}),
            pd.DataFrame({"qid": "q1", "docno": list("abc"), "label": [1, 3, 2]}),
            [Qrel("q1", "a", 1), Qrel("q1", "b", 3), Qrel("q1", "c", 2)],
        ],
    )
    def test_each_gives_the_same_measure(self, other):
        measure = TauAP(other)
        assert repr(measure) == repr(TauAP(self.THEIRS))
        assert value(measure, run_of({"a": 1, "b": 2, "c": 3})) == pytest.approx(0.0)

    def test_a_run_file(self, tmp_path):
        path = tmp_path / "a.run"
        path.write_text("q1 Q0 b 1 3.0 x\nq1 Q0 c 2 2.0 x\nq1 Q0 a 3 1.0 x\n")
        assert repr(TauAP(path)) == repr(TauAP(self.THEIRS))

    @pytest.mark.parametrize(
        ("other", "arguments", "error", "message"),
        [
            ([], {}, ValueError, "run 'other' must have documents, got none."),
            ([ScoredDoc("q", "a", 1), ScoredDoc("q", "a", 2)], {}, ValueError, "run 'other' must have each document"),
            ({"q": {"a": math.nan}}, {}, ValueError, "run 'other' must have finite scores"),
            ([Qrel("q", "a", 1), Qrel("q", "a", 2)], {}, ValueError, "`other` must have one label per document"),
            (5, {}, TypeError, "`other` must be"),
            (pd.DataFrame({"qid": ["1"]}), {}, ValueError, "`other` must have the columns qid, docno, score"),
            (THEIRS, {"unranked": "keep"}, ValueError, "`unranked` must be 'drop' or 'tie', got 'keep'."),
            (THEIRS, {"undefined": "none"}, TypeError, "`undefined` must be a number, got 'none'."),
            (THEIRS, {"cutoff": 0}, ValueError, "`cutoff` must be an integer of at least 1, got 0."),
        ],
    )
    def test_what_is_refused(self, other, arguments, error, message):
        with pytest.raises(error) as caught:
            TauAP(other, **arguments)
        assert str(caught.value).startswith(message)


class TestAsMeasures:
    def test_distinct_arguments_have_distinct_names(self):
        run, other = {"q1": {"a": 1, "b": 2}}, {"q1": {"a": 2, "b": 1}}
        measures = [
            make(ranking, **arguments)
            for make in DEFINITIONS
            for ranking in (run, other)
            for arguments in ({}, {"unranked": "tie"}, {"undefined": 0.0}, {"cutoff": 5}, {"cutoff": 10})
        ]
        assert len({repr(measure) for measure in measures}) == len(set(measures)) == len(measures)
        assert TauAP(run) == TauAP({"q1": {"b": 2.0, "a": 1.0}})

    def test_names_can_be_given(self):
        measure = TauAP({"q1": {"a": 1, "b": 2}}, name="bm25", unranked="tie", undefined=0.0) @ 10
        assert str(measure) == "TauAP(bm25, unranked='tie', undefined=0.0)@10"
        assert str(measure @ 5) == "TauAP(bm25, unranked='tie', undefined=0.0)@5"

    @each_measure
    def test_they_pickle(self, measure):
        original = measure({"q1": {"a": 1, "b": 2}}) @ 10
        copy = pickle.loads(pickle.dumps(original))
        assert copy == original
        assert value(copy, run_of({"a": 1, "b": 2})) == 1.0
