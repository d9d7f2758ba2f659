"""What an experiment says of systems that retrieve nothing, for some topics or at all, and of odd judgments."""

import warnings

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, NumRet, P, nDCG

import pt_rankcorr as rc
from pt_rankcorr.warnings import (
    DegenerateInputWarning,
    MissingTopicsWarning,
    NothingRetrievedWarning,
    UnreliableResultWarning,
)
from tests import fixtures

META = [rc.MeanInterval()]


def results(noise, without=()):
    frame = fixtures.Ranker(fixtures.qrels(), noise, 1).transform(fixtures.topics())
    return frame[~frame["qid"].isin(without)]


def of(**systems):
    return systems, fixtures.topics(), fixtures.qrels()


@pytest.mark.parametrize("measures", [[AP, P @ 5], [AP, NumRet], ["map", "num_ret"], ["official"]])
def test_systems_that_lack_topics_are_named(measures):
    systems = {"a": results(0.5), "b": results(1.0, ("q2", "q5")), "c": results(2.0, ("q2",))}
    said = r"^Systems without results for topics that others have, .*: 'b' \(2 topics\) and 'c' \(1 topics\)\.$"
    with pytest.warns(MissingTopicsWarning, match=said) as caught:
        table = rc.Experiment(*of(**systems), measures, meta=META)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        host = pt.Experiment(*of(**systems), measures)
    if "NumRet(rel=1)" in host:  # of which the host takes the mean, and not of num_rel_ret
        host["NumRet(rel=1)"] *= fixtures.N_TOPICS
    pd.testing.assert_frame_equal(table[host.columns], host, rtol=1e-12, check_dtype=False)


def test_topics_that_no_system_has_are_of_no_interest():
    rc.Experiment(*of(a=results(0.5, ("q2",)), b=results(1.0, ("q2",))), [AP], meta=META)


@pytest.mark.parametrize("perquery", [False, True, "both"])
def test_what_is_counted_for_that_is_not_shown(perquery):
    systems = fixtures.systems(2)
    shown = rc.Experiment(systems, fixtures.topics(), fixtures.qrels(), [AP], perquery=perquery, meta=META)
    assert "NumRet" not in str(shown)


def test_judgments_of_another_collection():
    qrels = fixtures.qrels().assign(docno=lambda frame: "other-" + frame["docno"])
    said = r"^'AP', 'nDCG@10' is 0 for every system on every topic: are results and qrels of the same"
    with pytest.warns(NothingRetrievedWarning, match=said) as caught:
        rc.Experiment(fixtures.systems(3), fixtures.topics(), qrels, [AP, nDCG @ 10, NumRet], meta=META)
    assert caught[-1].filename == __file__


def test_a_system_of_which_no_document_is_judged_is_named():
    systems = fixtures.systems(3)
    systems["lower case"] = pt.apply.generic(lambda frame: frame.assign(docno=frame["docno"].str.upper()))
    systems["lower case"] = systems["noise 0"] >> systems["lower case"]
    with pytest.warns(NothingRetrievedWarning, match="^'lower case' is 0 by every measure on every topic"):
        rc.Experiment(systems, fixtures.topics(), fixtures.qrels(), [AP, P @ 5], meta=META, validate="ignore")


@pytest.mark.parametrize("as_file", [False, True])
def test_no_label_ends_the_process(as_file, tmp_path):
    qrels = fixtures.qrels()
    qrels.loc[qrels["qid"] == "q3", "label"] = -2
    if as_file:
        fixtures.write_qrels(tmp_path / "qrels", qrels[["qid", "docno", "label"]].to_numpy())
    given = str(tmp_path / "qrels") if as_file else qrels
    frame = rc.Experiment(fixtures.systems(2), fixtures.topics(), given, [AP], perquery=True)
    assert (frame.set_index("qid").loc["q3", "value"] == 0).all()
    assert (frame["value"] > 0).any()
    with pytest.raises(ValueError, match="from -1000000 to 1000000, got 2147483648"):
        rc.Experiment(fixtures.systems(2), fixtures.topics(), qrels.replace({"label": {-2: 2**31}}), [AP])


def test_lower_is_better_is_checked_first_and_may_name_any_measure():
    inputs = (fixtures.systems(3), fixtures.topics(), fixtures.qrels(), [AP, P @ 5])
    with pytest.raises(ValueError, match=r"`lower_is_better` must be among .*, got 'APP'. Did you mean 'AP'\?"):
        rc.Experiment(*inputs, meta=[rc.TauAP()], lower_is_better=["APP"])


def test_an_evaluation_is_not_lost_where_no_ranking_is_defined():
    undefined = [
        rc.agreement.DocumentTauAP(results(0.5, (qid,)), name=name) for qid, name in (("q1", "x"), ("q2", "y"))
    ]
    with pytest.warns(UnreliableResultWarning, match="is left out|Measures without a score"):
        table = rc.Experiment(*of(a=results(0.6), b=results(1.0)), undefined, meta=[rc.TauAP(), rc.KendallTau()])
    assert sorted(table.columns[:3]) == ["TauAP(x)", "TauAP(y)", "name"]  # the host has its measures in a set
    assert table.iloc[:, 3:].isna().all(axis=None)


def test_statistics_that_are_undefined_for_all_measures_keep_their_columns():
    qrels = fixtures.qrels().assign(docno=lambda frame: "other-" + frame["docno"])
    meta = [rc.DRank(n_resamples=19), rc.TauAP(), rc.ExpectedCorrelation()]
    with pytest.warns((NothingRetrievedWarning, DegenerateInputWarning)):
        table = rc.Experiment(
            fixtures.systems(3), fixtures.topics(), qrels, [AP, P @ 5], meta=meta, reference=AP, rng=1
        )
    assert table[["P@5 d_rank", "P@5 d_rank p-value", "P@5 tau_ap", "P@5 E[tau_ap]"]].isna().all(axis=None)
