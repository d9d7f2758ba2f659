import inspect
import itertools
import re
import warnings
from functools import partial
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, Measure, Metric, NumRet, P, nDCG
from scipy import stats
from statsmodels.stats.multitest import multipletests

import pt_rankcorr as rc
from pt_rankcorr.warnings import MissingTopicsWarning, UnjudgedTopicsWarning, UnreliableResultWarning
from tests import fixtures

MEASURES = [AP, nDCG @ 10, "P_10"]


def run(measures=MEASURES, package=rc, **arguments):
    inputs = {"retr_systems": fixtures.systems(), "topics": fixtures.topics(), "qrels": fixtures.qrels()}
    return package.Experiment(**{**inputs, "eval_metrics": measures, **arguments})


def assert_same(ours, host):
    ours, host = ours[host.columns].reset_index(drop=True), host.reset_index(drop=True)
    pd.testing.assert_frame_equal(ours, host, rtol=1e-12, atol=0, check_dtype=False)


CELL = ["name", "qid", "measure"]
PLANS = [{}, {"plan": "tree", "verbose": False}, {"batch_size": 5}]
OPTIONS = [
    {"round": 3},
    {"round": {"AP": 1}},
    {"baseline": 1},
    {"baseline": 0, "correction": "holm"},
    # not of P_10, whose ties cost scipy seconds
    {"baseline": 1, "measures": MEASURES[:2], "test": "wilcoxon", "correction": "fdr_bh", "correction_alpha": 0.2},
]


@pytest.mark.parametrize(("options", "plan"), [*zip(OPTIONS, PLANS * 2, strict=False)], ids=str)
def test_averages_beside_statistics_are_those_of_the_host(options, plan):
    assert_same(run(meta=[rc.MeanInterval()], **options, **plan), run(package=pt, **options, **plan))


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_both_results_beside_statistics_are_those_of_the_host(plan):
    averages, scores = run(meta=[rc.MeanInterval()], perquery="both", **plan)
    assert_same(averages, run(package=pt, **plan))
    assert_same(*(of.sort_values(CELL) for of in (scores, run(package=pt, perquery=True, **plan))))


@pytest.mark.parametrize("options", [{}, {"names": ["same", "other", "same", "a", "b"]}, *OPTIONS], ids=str)
def test_without_statistics_it_is_the_host(options):
    systems = list(fixtures.systems().values())
    assert_same(*(run(package=it, retr_systems=systems, **options) for it in (rc, pt)))
    if not {"baseline", "round"} & {*options}:  # which the host does not do in dictionaries
        ours, host = (run(package=it, retr_systems=systems, dataframe=False, **options) for it in (rc, pt))
        assert [*ours] == [*host]
        assert_same(*(pd.DataFrame(of).T for of in (ours, host)))


@pytest.mark.parametrize("perquery", [True, "both"])
def test_scores_without_statistics_are_those_of_the_host(perquery):
    ours, host = (run(package=it, perquery=perquery) for it in (rc, pt))
    (ours, host) = (ours, host) if perquery is True else (ours.perquery, host.perquery)
    assert_same(ours.sort_values(CELL), host.sort_values(CELL))
    ours, host = (run(package=it, perquery=perquery, dataframe=False) for it in (rc, pt))
    assert ours == host if perquery is True else ours[1] == host[1]


def test_both_tables_are_shown_in_a_notebook():
    both = run(perquery="both")
    assert both._repr_html_() == both.averages._repr_html_() + both.perquery._repr_html_()


def test_times_are_those_of_the_host():
    for options in PLANS:
        table = run([AP, "mrt", P @ 5], baseline=0, correction="holm", **options)
        plain = run([AP, P @ 5], baseline=0, correction="holm", **options)
        assert (table["mrt"] >= 0).all()
        assert_same(table.drop(columns="mrt"), plain)


def test_meta_adds_columns_to_each_kind_of_result():
    measures = MEASURES
    meta = [rc.KendallTau(), rc.TauAP()]
    averages = run(measures, meta=meta)
    added = [f"{measure} {column}" for measure in ("nDCG@10", "P_10") for column in ("tau", "tau_ap")]
    assert list(averages.columns) == ["name", "AP", "nDCG@10", "P_10", *added]
    pd.testing.assert_frame_equal(averages[averages.columns[:4]], run(measures), check_exact=True)
    frame = run(measures, meta=meta, perquery=True)
    assert list(frame.columns) == ["name", "qid", "measure", "value", "tau", "tau_ap"]
    both = run(measures, meta=meta, perquery="both", round=1, highlight="bold")
    pd.testing.assert_frame_equal(both.averages.data[added], averages[added].round(1))
    pd.testing.assert_frame_equal(rc.by_measure(frame).round(1), rc.by_measure(both.perquery))
    as_dictionaries = run(measures, meta=meta, dataframe=False)
    assert list(as_dictionaries["noise 0"]) == [*averages.columns[1:]]


def test_reference_and_defaults_reach_the_components():
    measures = MEASURES
    meta = [rc.TauAP(), rc.KendallTau("AP")]
    table = rc.by_measure(run(measures, meta=meta, reference="P@10", perquery=True)).set_index("measure")
    assert np.isnan(table.loc["P_10", "tau_ap"])
    assert np.isnan(table.loc["AP", "tau"])
    assert meta[0].reference is None  # the caller's component is as it was


def test_the_default_reference_ranks_systems():
    frame = run([NumRet, AP, P @ 5], meta=rc.TauAP() >> rc.KendallTau(), perquery=True)
    table = rc.by_measure(frame).set_index("measure")
    assert table.loc["P@5"].notna().all()
    assert table.loc[["AP", "NumRet"]].isna().all(axis=None)


def test_an_undefined_p_value_does_not_spoil_a_correction():
    pvalues = iter([0.01, float("nan"), 0.02, float("nan")])

    def test(system, baseline):
        return 0.0, next(pvalues)

    table = run([AP], baseline=[0], correction="holm", test=test)
    table.columns = table.columns.str.removesuffix(" (noise 0)")
    assert table["AP reject"].to_list() == [False, True, False, True, False]
    np.testing.assert_allclose(table["AP p-value corrected"], [np.nan, 0.02, np.nan, 0.02, np.nan])


class Strange(Measure):
    """A measure that is undefined on one topic."""

    NAME = __name__ = "Strange"
    SUPPORTED_PARAMS: dict[str, Any] = {}  # noqa: RUF012

    def runtime_impl(self, qrels, run):
        for qid, documents in run.groupby("query_id"):
            yield Metric(qid, self, np.nan if qid == "q3" else float(documents["score"].max()))


def test_a_measure_without_a_score_on_some_topic():
    with pytest.warns(UnreliableResultWarning, match=r"Measures without a score on some topics: 'Strange'"):
        both = run([AP, Strange(), P @ 5], meta=[rc.KendallTau()], perquery="both")
    table = rc.by_measure(both.perquery).set_index("measure")
    assert np.isnan(table.loc["Strange", "tau"])
    assert table.loc["P@5", "tau"] == rc.kendall_tau(both.averages["AP"], both.averages["P@5"])


def test_a_failing_component_does_not_lose_the_evaluation():
    with pytest.warns(UnreliableResultWarning, match=r"TauAP\(.*\) is left out: .* at least 2 topics"):
        table = run([AP, P @ 5], topics=fixtures.topics(1), meta=[rc.TauAP(level=0.9), rc.KendallTau()])
    assert table["P@5 tau"].notna().all()


def test_measures_that_are_better_when_lower():
    measures = [AP, P @ 5]
    higher = rc.by_measure(run(measures, meta=[rc.KendallTau()]))
    lower = rc.by_measure(run(measures, meta=[rc.KendallTau()], lower_is_better=["P_5"]))
    assert lower["tau"][0] == -higher["tau"][0]
    marked = run(measures, lower_is_better=[P @ 5], highlight="bold")
    worst = marked.data["P@5"].idxmin()
    assert f"row{worst}_col2" in marked.set_uuid("x").to_html().split("{")[0]


def test_names_are_text_where_they_are_shown():
    systems = dict(zip(("<script>", "b"), fixtures.systems(2).values(), strict=True))
    table = run([AP], retr_systems=systems, highlight="bold", baseline=[0])
    assert "<script>" not in table.to_html()
    mine = ir_measures.define_byquery(lambda *_: 0.5, name="<img src=x>", support_cutoff=False)
    page = run([AP, mine], highlight="color", meta=[rc.RankInterval(n_resamples=20, rng=1)]).to_html()
    assert "<img" not in page
    assert "&lt;img" in page


def test_names_in_either_notation():
    table = run(["AP", "map_cut_10", "nDCG@5"])
    assert sorted(table.columns) == ["AP", "map_cut_10", "nDCG@5", "name"]


def test_the_paired_bootstrap_is_a_test_of_experiments():
    ours = run([AP], baseline=0, test=rc.stats.PairedBootstrap(n_resamples=999, rng=1))
    student = run([AP], baseline=0)
    np.testing.assert_allclose(ours["AP p-value"][1:], student["AP p-value"][1:], atol=0.1)
    plain = run([AP], baseline=0, test=rc.stats.paired_bootstrap_test)
    assert plain["AP p-value"][1:].between(1 / 10001, 1).all()


def compared(baseline, **options):
    return run([AP, P @ 5], baseline=baseline, **options)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
def test_several_baselines_are_corrected_together(correction):
    table = compared([0, 3], correction=correction)
    assert_same(table, compared(["noise 0", "noise 3"], correction=correction))
    whats = ["+", "-", "p-value", "reject", "p-value corrected"]
    columns = [f"{what} (noise {at})" for at in (0, 3) for what in whats]
    assert list(table.columns) == ["name", "AP", "P@5", *(f"{m} {column}" for m in ("AP", "P@5") for column in columns)]
    for measure in ("AP", "P@5"):
        pairs = [(0, 1), (0, 2), (0, 3), (0, 4), (3, 1), (3, 2), (3, 4)]  # 0 with 3 is one hypothesis
        alone = {at: compared(at) for at in (0, 3)}
        pvalues = [alone[baseline][f"{measure} p-value"][at] for baseline, at in pairs]
        rejected, corrected, *_ = multipletests(pvalues, 0.05, correction)
        found = dict(zip(pairs, zip(rejected, corrected, strict=True), strict=True))
        for (baseline, at), (reject, pvalue) in {**found, (3, 0): found[0, 3]}.items():
            assert table[f"{measure} reject (noise {baseline})"][at] == reject
            assert table[f"{measure} p-value corrected (noise {baseline})"][at] == pytest.approx(pvalue)
        for at, what in itertools.product((0, 3), whats[:3]):
            pd.testing.assert_series_equal(
                table[f"{measure} {what} (noise {at})"], alone[at][f"{measure} {what}"], check_names=False
            )


def test_a_one_sided_test_has_two_hypotheses_on_two_baselines():
    greater = partial(stats.ttest_rel, alternative="greater")
    table = compared([0, 1], retr_systems=fixtures.systems(2), test=greater, correction="bonferroni")
    first, second = table["AP p-value (noise 0)"][1], table["AP p-value (noise 1)"][0]
    assert first + second == pytest.approx(1)
    assert table["AP p-value corrected (noise 0)"][1] == pytest.approx(min(2 * first, 1))
    assert table["AP p-value corrected (noise 1)"][0] == pytest.approx(min(2 * second, 1))


def test_several_baselines_in_other_forms():
    plain, table = compared(2), compared([2], round=2, highlight="bold", meta=[rc.TauAP()])
    renamed = plain.rename(columns=lambda name: f"{name} (noise 2)" if " " in name else name)
    pd.testing.assert_frame_equal(table.data[[*renamed.columns]], renamed.round({"AP": 2, "P@5": 2}))
    least = renamed["AP - (noise 2)"].idxmin()
    assert f"row{least}_col{list(table.data.columns).index('AP - (noise 2)')}" in table.set_uuid("x").to_html()
    assert list(rc.by_measure(table).columns) == ["measure", "tau_ap"]
    assert list(rc.by_system(table).columns) == list(renamed.columns)
    assert list(compared((0, 1), perquery="both").averages.columns) == list(compared((0, 1)).columns)


def test_topics_without_judgments_do_not_spoil_averages():
    topics = fixtures.topics(fixtures.N_TOPICS + 2)
    with pytest.warns(UnjudgedTopicsWarning, match=r"^2 topic\(s\) not found in qrels\..*: 'q13', 'q14'"):
        both = run(topics=topics, perquery="both", meta=[rc.TauAP()])
    assert_same(both.averages, run(package=pt, topics=topics))
    judged = run(perquery="both", meta=[rc.TauAP()])
    pd.testing.assert_frame_equal(both.averages, judged.averages)
    pd.testing.assert_frame_equal(both.perquery, judged.perquery)


def test_equal_systems_have_a_p_value_of_one():
    ranker = fixtures.Ranker(fixtures.qrels(), 1.0, 3)
    others = {"one": ranker, "same": ranker >> pt.apply.rank(lambda row: row["rank"]), **fixtures.systems(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = rc.Experiment(others, fixtures.topics(), fixtures.qrels(), [AP], baseline=[0], correction="fdr_bh")
    assert table.loc[1, "AP p-value (one)"] == 1.0
    assert table["AP p-value corrected (one)"].iloc[1:].notna().all()


def test_a_test_gets_two_arrays_of_judged_scores():
    seen = []

    def test(system, baseline):
        seen.append((system, baseline))
        return tuple(stats.ttest_rel(system, baseline))

    with pytest.warns(UnjudgedTopicsWarning):
        run([AP], topics=fixtures.topics(14), baseline=[2], test=test)
    assert len(seen) == len(fixtures.systems()) - 1
    assert all(array.shape == (fixtures.N_TOPICS,) and array.dtype == float for pair in seen for array in pair)


def test_saved_files_are_those_of_the_host(tmp_path):
    meta = [rc.TauAP()]
    inputs = (fixtures.topics(), fixtures.qrels(), [AP, P @ 10])
    first = fixtures.systems(3)
    ours = rc.Experiment(first, *inputs, save_dir=str(tmp_path), round=1, meta=meta)
    scores = rc.scores_from_experiment(tmp_path)
    expected = rc.Experiment(first, *inputs, perquery=True)
    assert scores == rc.scores_from_experiment(expected)  # unrounded, in spite of round
    never = {name: Never() for name in first}  # not run: the files are read
    again = rc.Experiment(never, *inputs, save_dir=str(tmp_path), save_mode="reuse", round=1, meta=meta)
    pd.testing.assert_frame_equal(again, ours)


class Never(pt.Transformer):
    """A system that must not be run."""

    schematic = {"label": "Never", "help_url": None}  # noqa: RUF012

    def transform(self, inp):
        if len(inp):
            raise AssertionError("a system was run in spite of a bad argument")
        return inp.assign(docno=[], score=[], rank=[])


BAD = {
    ValueError: [
        ("`names` must be distinct, got 'a' more than once", {"names": ["a", "b", "a"], "meta": [rc.TauAP()]}),
        ("`names` must name all 3 systems, got 2 names", {"names": ["a", "b"]}),
        ("`baseline` must be the position of a system of 3, got 3", {"baseline": 3, "names": None}),
        ("`baseline` must be distinct systems, got []", {"baseline": []}),
        (
            "`baseline` must be among 'x', 'y', or the position of one of 2, got 'z'",
            {"retr_systems": dict.fromkeys("xy", Never()), "baseline": ["x", "z"]},
        ),
        ("`baseline` must be given for a `correction`", {"correction": "holm"}),
        ("`test` must be 't' or 'wilcoxon', got 'z'", {"test": "z", "baseline": 0}),
        ("`highlight` must be 'bold' or 'color' or 'colour', got 'blink'", {"highlight": "blink"}),
        ("`round` must be an integer of at least 0, got -1", {"round": -1}),
        ("`perquery` must be False, True or 'both', got 'yes'", {"perquery": "yes"}),
        ("`correction` must be a method of statsmodels' multipletests, got 'zz'", {"correction": "zz", "baseline": 0}),
        ("`eval_metrics` must have valid parameters, as the cut-off of P@10, got 'P'", {"eval_metrics": [P]}),
        ("provider of ir_measures that is installed, got 'RBP'", {"eval_metrics": [AP, ir_measures.RBP]}),
        (
            "`meta` must add columns of distinct names, got 'tau' more than once",
            {"meta": [rc.KendallTau(), rc.KendallTau(variant="b")]},
        ),
        ("needs a second measure to compare with map", {"eval_metrics": [AP, "map"], "meta": [rc.TauAP()]}),
        ("`eval_metrics` must be known to ir_measures or trec_eval, got 'APP'", {"eval_metrics": ["APP"]}),
        ("`eval_metrics` must not hold 'mrt' beside `meta`", {"eval_metrics": ["mrt", AP, P @ 5]}),
        ("`reference` must be among 'AP', 'P@10', got 'RR'", {"reference": "RR"}),
        ("`reference` must be among 'AP', 'P@10', got 'nDCG'", {"meta": [rc.TauAP(nDCG)]}),
        ("needs a second measure", {"eval_metrics": [AP], "meta": [rc.TauAP()]}),
        ("got only counts: 'NumRet'", {"eval_metrics": [NumRet], "meta": [rc.TauAP()]}),
        ("at least 2 systems to rank, got 1", {"retr_systems": [Never()], "meta": [rc.TauAP()]}),
        (
            "`topics` must have the columns qid, got 'query', 'topic'.",
            {"topics": fixtures.topics().rename(columns={"qid": "topic"})[["topic"]].assign(query="x")},
        ),
        (
            "`qrels` must have the columns qid, docno, label (or query_id, doc_id, relevance), got none named",
            {"qrels": fixtures.qrels()[["qid", "docno", "label"]].rename(columns={"qid": "topic"})},
        ),
    ],
    TypeError: [
        ("`retr_systems` must be a list of systems, got ", {"retr_systems": Never()}),
        ("`baseline` must be the position of a system", {"baseline": "a", "names": None}),
        ("`names` must be a list of names, got the single name 'abc'", {"names": "abc"}),
        ("`round` must be an integer, got 0.5", {"round": {"AP": 0.5}}),
        ("`meta` must be a list of components such as TauAP()", {"meta": rc.TauAP}),
        ("`eval_metrics` must be a list of measures, got the single measure AP", {"eval_metrics": AP}),
        ("`meta` must be a list of components such as TauAP(), got ['tau']", {"meta": ["tau"]}),
        ("`rng` must be an integer, a numpy.random.Generator or None, got 'x'", {"rng": "x"}),
    ],
}


@pytest.mark.parametrize(("error", "message", "changed"), [(error, *row) for error in BAD for row in BAD[error]])
def test_bad_arguments_are_refused_before_anything_runs(error, message, changed):
    arguments = {
        "retr_systems": [Never(), Never(), Never()],
        "topics": fixtures.topics(),
        "qrels": fixtures.qrels(),
        "eval_metrics": [AP, P @ 10],
        "meta": [rc.MeanInterval()],
        **({"names": ["a", "b", "c"]} if "retr_systems" not in changed else {}),
    } | changed
    with pytest.raises(error, match=re.escape(message)):
        rc.Experiment(**arguments)


def test_systems_without_documents_and_a_measure_of_what_they_return():
    length = ir_measures.define_byquery(lambda _, run: len(run.iloc[0]["answer"]), "length", run_inputs=["answer"])
    answers = fixtures.topics().assign(answer="four")
    inputs = (fixtures.topics(), fixtures.qrels(), [length])
    systems = [pt.Transformer.from_df(answers, uniform=True), pt.Transformer.from_df(answers.head(3), uniform=True)]
    named = dict(zip("ab", systems, strict=True))
    with pytest.warns(MissingTopicsWarning, match=r"they score 0: 'b' \(9 topics\)"):
        ours = rc.Experiment(named, *inputs, validate="error", meta=[rc.MeanInterval()])
    host = pt.Experiment(named, *inputs)
    pd.testing.assert_frame_equal(ours[host.columns], host)
    assert ours["length"][0] == 4


@pytest.mark.parametrize(
    ("measure", "kind", "message"),
    [
        (map, TypeError, "`eval_metrics` must be an ir_measures measure or a name, got <class 'map'>."),
        ("APP", ValueError, "`eval_metrics` must be known to ir_measures or trec_eval, got 'APP'."),
    ],
)
def test_a_bad_measure_is_a_key_error_too(measure, kind, message):
    for raised in (KeyError, kind):
        with pytest.raises(raised) as caught:
            rc.Experiment([Never()], fixtures.topics(), fixtures.qrels(), [measure])
        assert str(caught.value).startswith(message)


def test_statistics_are_rounded_as_the_scores_of_their_measure_but_p_values_are_not():
    options = {"meta": [rc.KendallTau(level=0.9, n_resamples=99), rc.RankInterval(n_resamples=99)], "rng": 1}
    plain, table = run(**options), run(round={"P_10": 1}, **options)
    of_tau = [f" tau{same}{end}" for same in ("", " if one true ranking") for end in ("", " low", " high")]
    rounded = [f"P_10{ending}" for ending in ("", *of_tau)]
    pd.testing.assert_frame_equal(table, plain.round(dict.fromkeys(rounded, 1)))
    assert not plain[rounded].equals(table[rounded])


@pytest.mark.parametrize("options", [{}, {"meta": [rc.TauAP()]}, {"perquery": True}])
def test_a_baseline_may_be_named_where_systems_have_names(options):
    named = {"retr_systems": [*fixtures.systems().values()], "names": [*fixtures.systems()], **options}
    pd.testing.assert_frame_equal(run(baseline="noise 1", **named), run(baseline=1, **named))
    if "meta" in options:
        pd.testing.assert_frame_equal(run(baseline=["noise 1"], **named), run(baseline=[1], **named))


def test_ranks_and_counts_are_whole_in_a_styler():
    meta = [rc.RankInterval(n_resamples=20, rng=1)]
    page = run(highlight="bold", baseline=[0], meta=meta).set_uuid("x").to_html()
    shown = dict.fromkeys(re.findall(r">(\d+\.?\d*)</td>", page))
    assert {"1", "2", "3"} <= {*shown}
    assert not [number for number in shown if number.endswith(".000000") and float(number) > 1]


def test_arguments_of_the_host_are_named_with_its_defaults():
    ours, host = (inspect.signature(package.Experiment).parameters for package in (rc, pt))
    assert {*host} - {*ours} == {"kwargs"}
    assert {name: ours[name].default for name in host if name != "kwargs"} == {
        name: parameter.default for name, parameter in host.items() if name != "kwargs"
    }
