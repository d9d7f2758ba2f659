import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RR, P, nDCG
from scipy import stats

import pt_rankcorr as rc
from pt_rankcorr.defaults import LEVEL
from tests import fixtures
from tests.stats import oracles_sensitivity

MEASURES = [AP, nDCG @ 10, P @ 10]


@pytest.fixture(scope="module")
def frame():
    named = fixtures.systems()
    return pt.Experiment(
        list(named.values()), fixtures.topics(), fixtures.qrels(), MEASURES, names=list(named), perquery=True
    )


@pytest.fixture(scope="module")
def scores(frame):
    return rc.scores_from_experiment(frame)


HOW = {"n_resamples": 99, "rng": 1}
OTHERWISE = {"method": "pairwise", "simultaneous": True, "level": 0.9, **HOW}


def correlated(name, prefix, **how):
    def said(truth, scores):
        found = rc.correlation_interval(truth, scores, name, **how)
        same = found.one_true_ranking
        columns = {"": found.statistic, " low": found.low, " high": found.high, " p (same true ranking)": same.pvalue}
        of_same = {"": same.mean, " low": same.low, " high": same.high}
        columns |= {f" if one true ranking{end}": value for end, value in of_same.items()}
        return {f"{prefix}{column}": value for column, value in columns.items()}

    return said


def distance(name="d_rank", **how):
    return lambda truth, scores: dict(zip((name, f"{name} p-value"), rc.d_rank(truth, scores, **how), strict=True))


def expected(_, scores):
    found = rc.expected_correlation(scores, coefficient="tau", **HOW)
    low, high = found.confidence_interval(0.9)
    name = "E[tau] (level 0.9)"
    return {name: found.value, f"{name} low": low, f"{name} high": high}


def ranks(**how):
    def said(_, scores):
        found = rc.rank_intervals(scores, **how)
        values = found.rank, found.low, found.high, found.tier
        return dict(zip(rc.RankInterval.columns, values, strict=True))

    return said


SAID = {
    rc.TauAP(): lambda truth, scores: {"tau_ap": rc.tau_ap(truth, scores)},
    rc.TauAP(nDCG @ 10, symmetric=True): lambda truth, scores: {"tau_ap": rc.tau_ap(truth, scores, symmetric=True)},
    rc.KendallTau(AP, variant="b"): lambda truth, scores: {"tau": rc.kendall_tau(truth, scores, variant="b")},
    rc.TauGAP(AP): lambda truth, scores: {"tau_gap": rc.tau_gap(truth, scores)},
    rc.TauAP(AP, level=0.9, **HOW): correlated("tau_ap", "tau_ap", level=0.9, **HOW),
    rc.KendallTau(AP, variant="b", level=0.9, **HOW): correlated("tau_b", "tau", level=0.9, **HOW),
    rc.Correlation("P@10", coefficient="pearson", **HOW): correlated("pearson", "pearson", **HOW),
    rc.Correlation(coefficient="tau@3", **HOW): correlated("tau@3", "tau@3", **HOW),
    rc.DRank(AP, **HOW): distance(**HOW),
    rc.DRank(AP, null="published", **HOW): distance("d_rank (published)", null="published", **HOW),
    rc.DRank(AP, covariance="sample", ridge=0.1, **HOW): distance(
        "d_rank (sample, ridge 0.1)", covariance="sample", ridge=0.1, **HOW
    ),
    rc.ExpectedCorrelation("tau", level=0.9, **HOW): expected,
    rc.DiscriminativePower("t"): lambda _, scores: {
        "power (t, uncorrected)": rc.discriminative_power(scores, test="t").statistic
    },
    rc.DiscriminativePower(rng=1): lambda _, scores: {"power": rc.discriminative_power(scores, rng=1).statistic},
    rc.RankInterval(**HOW): ranks(**HOW),
    rc.RankInterval(**OTHERWISE): ranks(**OTHERWISE),
    rc.GeometricMean(): lambda _, scores: {
        "geometric mean": [oracles_sensitivity.geometric_mean(column) for column in scores.values.T]
    },
}
COMPONENTS = [*SAID, rc.MeanInterval()]


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.parametrize("component", SAID, ids=repr)
def test_columns_say_what_the_functions_do(component, frame):
    frame = frame.assign(value=0.2 * frame["value"] + 0.6 * np.random.default_rng(1).random(len(frame)))
    scores = rc.scores_from_experiment(frame)
    rows = component(frame).drop_duplicates(["measure", "name"]).set_index(["measure", "name"])
    reference = component.reference_among(scores.measures) if component.compares else ""
    for measure, matrix in scores.items():
        found = rows.loc[[(measure, system) for system in matrix.systems], list(component.columns)]
        if measure == reference:
            assert found.isna().all(axis=None)
            continue
        for column, values in SAID[component](scores.get(reference, matrix), matrix).items():
            if column in component.columns:
                exact = 1e-11 if column == "geometric mean" else 0.0  # means are rounded
                np.testing.assert_allclose(found[column], np.broadcast_to(values, len(found)), rtol=exact)


@pytest.mark.parametrize("component", COMPONENTS, ids=repr)
def test_an_empty_frame_gets_the_columns(component, frame):
    result = component(frame.iloc[:0])
    assert list(result.columns) == [*frame.columns, *component.columns]
    assert not len(result)


@pytest.mark.parametrize("component", COMPONENTS, ids=repr)
def test_inspection_and_schematics(component):
    assert pt.inspect.transformer_inputs(component) == [["name", "qid", "measure", "value"]]
    inputs = ["name", "qid", "measure", "value", "note"]
    assert pt.inspect.transformer_outputs(component, inputs) == [*inputs, *component.columns]
    other = rc.DiscriminativePower("t") if component != rc.DiscriminativePower("t") else rc.KendallTau()
    assert pt.schematic.draw(component >> other)


def test_by_measure_of_all_columns_at_once():
    meta = [
        rc.TauAP(AP, level=0.9, n_resamples=20),
        rc.ExpectedCorrelation(level=0.9, n_resamples=20),
        rc.DRank(AP, n_resamples=20),
        rc.RankInterval(n_resamples=20),
    ]
    inputs = (fixtures.systems(), fixtures.topics(), fixtures.qrels(), MEASURES)
    both = rc.Experiment(*inputs, meta=meta, perquery="both", baseline=0, correction="holm", rng=1)
    expected = rc.by_measure(both.perquery)
    same = [f"tau_ap if one true ranking{end}" for end in ("", " low", " high")]
    of_tau_ap = ["tau_ap", "tau_ap low", "tau_ap high", *same, "p (same true ranking)"]
    assert list(expected.columns[:8]) == ["measure", *of_tau_ap]
    pd.testing.assert_frame_equal(rc.by_measure(both)[expected.columns], expected, check_like=True)
    pd.testing.assert_frame_equal(rc.by_measure(both.averages)[expected.columns], expected, check_like=True)
    pd.testing.assert_frame_equal(rc.by_system(both), rc.by_system(both.perquery))
    ranks = [f"{measure} {column}" for measure in MEASURES for column in ("rank", "rank low", "rank high")]
    assert set(ranks) < set(rc.by_system(both).columns[4:])


@pytest.mark.parametrize("how", [{}, {"highlight": "bold"}, {"perquery": True}, {"perquery": "both"}], ids=str)
def test_both_tables_take_whatever_an_experiment_returns(how):
    inputs = (fixtures.systems(), fixtures.topics(), fixtures.qrels(), MEASURES)
    meta = [rc.TauAP(), rc.RankInterval(n_resamples=20)]
    plain = rc.Experiment(*inputs, meta=meta, perquery=True, rng=1)
    result = rc.Experiment(*inputs, meta=meta, rng=1, **how)
    once = rc.by_measure(plain).dropna().reset_index(drop=True)
    pd.testing.assert_frame_equal(rc.by_measure(result).dropna().reset_index(drop=True), once)
    pd.testing.assert_frame_equal(rc.by_system(result), rc.by_system(plain), check_dtype=False)
    assert not any("tau_ap" in column for column in rc.by_system(result))


def test_rows_that_say_nothing_of_rankings_and_aliases_change_nothing(frame):
    component = rc.TauAP(AP) >> rc.KendallTau("ndcg_cut_10")
    expected = component(frame)
    pd.testing.assert_frame_equal(expected[frame.columns], frame)
    shuffled = component(frame.sample(frac=1, random_state=0))
    pd.testing.assert_frame_equal(shuffled.loc[frame.index], expected)
    unjudged = frame[frame["qid"] == "q1"].assign(qid="q99", value=np.nan)
    counts = frame[frame["measure"] == "AP"].assign(measure="NumRet", value=1000.0)
    more = component(pd.concat([frame, unjudged, counts], ignore_index=True))
    pd.testing.assert_frame_equal(more[: len(frame)], expected.reset_index(drop=True))
    assert more.loc[more["measure"] == "NumRet", ["tau_ap", "tau"]].isna().all(axis=None)


def test_by_system_is_the_table_of_the_host(frame):
    named = fixtures.systems()
    host = pt.Experiment(list(named.values()), fixtures.topics(), fixtures.qrels(), MEASURES, names=list(named))
    pd.testing.assert_frame_equal(rc.by_system((rc.TauAP(AP) >> rc.KendallTau(AP))(frame)), host)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
def test_d_rank_by_several_settings_in_one_experiment(frame):
    kinds = [{}, {"null": "published"}, {"covariance": "sample"}, {"null": "published", "covariance": "ledoit-wolf"}]
    components = [rc.DRank(AP, **HOW, **how) for how in (*kinds, {"ridge": 0.5})]
    added = (components[0] >> components[1] >> components[2] >> components[3] >> components[4])(frame)
    names = ["", " (published)", " (sample)", " (published, ledoit-wolf)", " (ridge 0.5)"]
    assert list(added.columns[4:]) == [f"d_rank{name}{p}" for name in names for p in ("", " p-value")]
    same = rc.DRank(AP, covariance="ledoit-wolf"), rc.DRank(AP, null="published", covariance="sample")
    assert [component.columns[0] for component in same] == ["d_rank", "d_rank (published)"]


def test_components_with_equal_arguments_are_equal():
    assert rc.TauAP(AP) == rc.TauAP(AP)
    assert len({rc.TauAP(AP), rc.TauAP(AP), rc.TauAP(P @ 10), rc.TauGAP(AP)}) == 3
    assert repr(rc.TauAP(nDCG @ 10, variant="b", symmetric=True)) == "TauAP(nDCG@10, variant='b', symmetric=True)"


InputError = pt.validate.InputValidationError
WITH_LEVEL = [rc.Correlation, rc.MeanInterval, rc.RankInterval]
REFUSED = [
    (lambda _: rc.DRank(null="none"), ValueError, "`null` must be"),
    (lambda _: rc.DRank(null="two-sample"), ValueError, "`null` must be 'shrunken' or 'published', got 'two-sample'"),
    (lambda _: rc.DRank(covariance="none"), ValueError, "`covariance` must be 'sample' or 'ledoit-wolf', got 'none'"),
    (rc.DRank(AP, **HOW) >> rc.DRank(P @ 10, **HOW), InputError, "d_rank"),
    (lambda _: rc.RankInterval(simultaneous=True), ValueError, "method='pairwise'"),
    (lambda _: rc.RankInterval(n_resamples=0), ValueError, "`n_resamples` must be an integer of at least 1"),
    (lambda _: rc.ExpectedCorrelation("rho"), ValueError, "`coefficient` must be"),
    (lambda _: rc.DiscriminativePower("z"), ValueError, "`test` must be"),
    (lambda _: rc.KendallTau(variant="c"), ValueError, r"`variant` must be 'a' or 'b', got 'c'"),
    (lambda _: rc.TauAP(level=95), ValueError, "`level` must be between 0 and 1"),
    *((lambda _, kind=kind: kind(level=None), TypeError, "`level` must be a number, got None") for kind in WITH_LEVEL),
    (lambda _: rc.TauAP(3), TypeError, r"`reference` must be an ir_measures measure or a name, got 3"),
    (lambda _: rc.TauAP(rng="x"), TypeError, r"`rng` must be an integer, .* or None, got 'x'"),
    *(
        (component("nDGC@10"), ValueError, r"`reference` must be among .*, got 'nDGC@10'\. Did you mean 'nDCG@10'\?")
        for component in (rc.KendallTau, rc.TauAP, rc.TauGAP, rc.DRank)
    ),
    (rc.TauAP(RR), ValueError, r"`reference` must be among .*'AP'.*, got 'RR'"),
    (rc.TauAP("nonsense"), ValueError, r"`reference` must be among .*, got 'nonsense'"),
    (rc.TauAP(AP) >> rc.TauAP(P @ 10), InputError, "tau_ap"),
    (lambda frame: rc.TauAP()(frame[frame["measure"] == "AP"]), ValueError, "needs a second measure to compare"),
    (lambda frame: rc.TauAP()(frame[frame["name"] == "noise 0"]), ValueError, r"at least 2 systems"),
    (lambda frame: rc.TauAP()(frame.drop(columns="measure")), InputError, "measure"),
    (lambda frame: rc.TauAP()(pd.concat([frame, frame[:1]])), ValueError, r"got several for 'noise 0'"),
    (lambda _: rc.by_system({}), TypeError, r"`frame` must be a data frame that components returned, got dict"),
    (lambda frame: rc.by_system(frame[["value"]]), ValueError, r"got none named 'measure', 'name', 'qid'"),
    (lambda _: rc.by_measure(pd.DataFrame({"name": ["a"]})), ValueError, "`frame` must have columns named"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_what_is_refused(call, error, message, frame):
    with pytest.raises(error, match=message):
        call(frame)


@pytest.mark.parametrize("component", [rc.KendallTau, rc.TauAP, rc.TauGAP, rc.ExpectedCorrelation])
@pytest.mark.parametrize("interval", [True, False, np.True_])
def test_true_is_no_level(component, interval):
    with pytest.raises(TypeError, match=r"`level` must be a number, got (np\.)?(True|False)"):
        component(level=interval)


def test_what_is_better_when_lower_has_no_geometric_mean():
    lower = rc.ScoreMatrix([[-1.0, -2.0], [-3.0, -1.0]], systems=["a", "b"], measure="x")
    found = rc.GeometricMean().compute(rc.Scores([lower]))["x"][0]
    assert np.isnan(found).all()


def ends_of(frame, system, measure, level):
    rows = rc.MeanInterval(level)(frame)
    row = rows[(rows["name"] == system) & (rows["measure"] == measure)].iloc[0]
    return row["mean low"], row["mean high"]


def test_the_interval_of_a_mean(frame):
    own = frame[(frame["name"] == "noise 2") & (frame["measure"] == "P@10")]["value"]
    expected = stats.t.interval(0.9, len(own) - 1, own.mean(), stats.sem(own))
    assert ends_of(frame, "noise 2", "P@10", 0.9) == pytest.approx(expected)
    lower = frame.assign(measure=frame["measure"].where(frame["measure"] != "P@10", "mrt"))  # better when lower
    assert ends_of(lower, "noise 2", "mrt", 0.9) == pytest.approx(expected)
    assert np.isnan(ends_of(frame[frame["qid"] == "q1"], "noise 2", "P@10", 0.9)).all()


@pytest.mark.filterwarnings("ignore:. topics are few")
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")  # of few clusters
def test_the_interval_of_a_mean_over_clusters(frame):
    cluster = frame["qid"].str[1:].astype(int) % 4
    own = frame[(frame["name"] == "noise 2") & (frame["measure"] == "AP")]
    means = own["value"].groupby(cluster).mean()
    expected = stats.t.interval(LEVEL, 3, means.mean(), stats.sem(means))
    assert ends_of(frame.assign(cluster=cluster.astype(str)), "noise 2", "AP", LEVEL) == pytest.approx(expected)


def test_the_interval_of_a_mean_over_strata(frame):
    """Cochran 1977, chapter 5: the variance of a mean of means is the mean of their variances over the number."""
    stratum = frame["qid"].str[1:].astype(int) % 2
    own = frame[(frame["name"] == "noise 2") & (frame["measure"] == "AP")]
    parts = own["value"].groupby(stratum)
    error = np.sqrt((parts.var() / parts.size()).sum()) / 2
    expected = stats.t.interval(LEVEL, fixtures.N_TOPICS - 2, parts.mean().mean(), error)
    assert ends_of(frame.assign(stratum=stratum.astype(str)), "noise 2", "AP", LEVEL) == pytest.approx(expected)


def test_columns_of_expected_correlations_of_other_settings_say_so():
    assert rc.ExpectedCorrelation(level=LEVEL).columns == ("E[tau_ap]", "E[tau_ap] low", "E[tau_ap] high")
    assert rc.ExpectedCorrelation("tau", estimator="msqd").columns == ("E[tau] (msqd)",)
    name = "E[tau] (ml, level 0.9)"
    assert rc.ExpectedCorrelation("tau", estimator="ml", level=0.9).columns == (name, f"{name} low", f"{name} high")
