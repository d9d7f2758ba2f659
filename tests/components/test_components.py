import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RR, P, nDCG
from scipy import stats

import pt_rankcorr as ptr
from pt_rankcorr.defaults import LEVEL
from tests import fixtures

MEASURES = [AP, nDCG @ 10, P @ 10]


@pytest.fixture(scope="module")
def frame():
    named = fixtures.systems()
    return pt.Experiment(
        list(named.values()), fixtures.topics(), fixtures.qrels(), MEASURES, names=list(named), perquery=True
    )


@pytest.fixture(scope="module")
def scores(frame):
    return ptr.scores_from_experiment(frame)


HOW = {"n_resamples": 99, "rng": 1}
OTHERWISE = {"method": "pairwise", "simultaneous": True, "level": 0.9, **HOW}


def correlated(name, prefix, **how):
    def said(truth, scores):
        found = ptr.correlation_interval(truth, scores, name, **how)
        columns = {"": found.statistic, " low": found.low, " high": found.high, " p-value": found.pvalue}
        over_all = {"": found.population.estimate, " low": found.population.low, " high": found.population.high}
        return {f"{prefix}{column}": value for column, value in columns.items()} | {
            f"population {prefix}{column}": value for column, value in over_all.items()
        }

    return said


def distance(name="d_rank", **how):
    return lambda truth, scores: dict(zip((name, f"{name} p-value"), ptr.d_rank(truth, scores, **how), strict=True))


def expected(_, scores):
    found = ptr.expected_correlation(scores, coefficient="tau", **HOW)
    low, high = found.confidence_interval(0.9)
    name = "E[tau] (level 0.9)"
    return {name: found.value, f"{name} low": low, f"{name} high": high}


def ranks(**how):
    def said(_, scores):
        found = ptr.rank_intervals(scores, **how)
        values = found.rank, found.low, found.high, found.tier
        return dict(zip(ptr.RankInterval.columns, values, strict=True))

    return said


SAID = {
    ptr.TauAP(): lambda truth, scores: {"tau_ap": ptr.tau_ap(truth, scores)},
    ptr.TauAP(nDCG @ 10, symmetric=True): lambda truth, scores: {"tau_ap": ptr.tau_ap(truth, scores, symmetric=True)},
    ptr.KendallTau(AP, variant="b"): lambda truth, scores: {"tau": ptr.kendall_tau(truth, scores, variant="b")},
    ptr.TauGAP(AP): lambda truth, scores: {"tau_gap": ptr.tau_gap(truth, scores)},
    ptr.TauAP(AP, level=0.9, **HOW): correlated("tau_ap", "tau_ap", level=0.9, **HOW),
    ptr.KendallTau(AP, variant="b", level=0.9, population=True, **HOW): correlated("tau_b", "tau", level=0.9, **HOW),
    ptr.Correlation("P@10", coefficient="pearson", **HOW): correlated("pearson", "pearson", **HOW),
    ptr.Correlation(coefficient="tau@3", population=True, **HOW): correlated("tau@3", "tau@3", **HOW),
    ptr.DRank(AP, **HOW): distance(**HOW),
    ptr.DRank(AP, null="published", **HOW): distance("d_rank (published)", null="published", **HOW),
    ptr.DRank(AP, covariance="sample", ridge=0.1, **HOW): distance(
        "d_rank (sample, ridge 0.1)", covariance="sample", ridge=0.1, **HOW
    ),
    ptr.ExpectedCorrelation("tau", level=0.9, **HOW): expected,
    ptr.DiscriminativePower("t"): lambda _, scores: {
        "power (t, uncorrected)": ptr.discriminative_power(scores, test="t").statistic
    },
    ptr.DiscriminativePower(rng=1): lambda _, scores: {"power": ptr.discriminative_power(scores, rng=1).statistic},
    ptr.RankInterval(**HOW): ranks(**HOW),
    ptr.RankInterval(**OTHERWISE): ranks(**OTHERWISE),
    ptr.GeometricMean(): lambda _, scores: {"geometric mean": ptr.stats.geometric_mean(scores.values, axis=0)},
}
COMPONENTS = [*SAID, ptr.MeanInterval()]


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
@pytest.mark.parametrize("component", SAID, ids=repr)
def test_columns_say_what_the_functions_do(component, frame):
    frame = frame.assign(value=0.2 * frame["value"] + 0.6 * np.random.default_rng(1).random(len(frame)))
    scores = ptr.scores_from_experiment(frame)
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
    other = ptr.DiscriminativePower("t") if component != ptr.DiscriminativePower("t") else ptr.KendallTau()
    assert pt.schematic.draw(component >> other)


def test_by_measure_of_all_columns_at_once():
    meta = [
        ptr.TauAP(AP, level=0.9, n_resamples=20),
        ptr.ExpectedCorrelation(level=0.9, n_resamples=20),
        ptr.DRank(AP, n_resamples=20),
        ptr.RankInterval(n_resamples=20),
    ]
    inputs = (fixtures.systems(), fixtures.topics(), fixtures.qrels(), MEASURES)
    both = ptr.Experiment(*inputs, meta=meta, perquery="both", baseline=0, correction="holm", rng=1)
    expected = ptr.by_measure(both.perquery)
    assert list(expected.columns[:5]) == ["measure", "tau_ap", "tau_ap low", "tau_ap high", "tau_ap p-value"]
    pd.testing.assert_frame_equal(ptr.by_measure(both)[expected.columns], expected, check_like=True)
    pd.testing.assert_frame_equal(ptr.by_measure(both.averages)[expected.columns], expected, check_like=True)
    pd.testing.assert_frame_equal(ptr.by_system(both), ptr.by_system(both.perquery))
    ranks = [f"{measure} {column}" for measure in MEASURES for column in ("rank", "rank low", "rank high")]
    assert set(ranks) < set(ptr.by_system(both).columns[4:])


@pytest.mark.parametrize("how", [{}, {"highlight": "bold"}, {"perquery": True}, {"perquery": "both"}], ids=str)
def test_both_tables_take_whatever_an_experiment_returns(how):
    inputs = (fixtures.systems(), fixtures.topics(), fixtures.qrels(), MEASURES)
    meta = [ptr.TauAP(), ptr.RankInterval(n_resamples=20)]
    plain = ptr.Experiment(*inputs, meta=meta, perquery=True, rng=1)
    result = ptr.Experiment(*inputs, meta=meta, rng=1, **how)
    once = ptr.by_measure(plain).dropna().reset_index(drop=True)
    pd.testing.assert_frame_equal(ptr.by_measure(result).dropna().reset_index(drop=True), once)
    pd.testing.assert_frame_equal(ptr.by_system(result), ptr.by_system(plain), check_dtype=False)
    assert not any("tau_ap" in column for column in ptr.by_system(result))


def test_rows_that_say_nothing_of_rankings_and_aliases_change_nothing(frame):
    component = ptr.TauAP(AP) >> ptr.KendallTau("ndcg_cut_10")
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
    pd.testing.assert_frame_equal(ptr.by_system((ptr.TauAP(AP) >> ptr.KendallTau(AP))(frame)), host)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnreliableResultWarning")
def test_d_rank_by_several_settings_in_one_experiment(frame):
    kinds = [{}, {"null": "published"}, {"covariance": "sample"}, {"null": "published", "covariance": "ledoit-wolf"}]
    components = [ptr.DRank(AP, **HOW, **how) for how in (*kinds, {"ridge": 0.5})]
    added = (components[0] >> components[1] >> components[2] >> components[3] >> components[4])(frame)
    names = ["", " (published)", " (sample)", " (published, ledoit-wolf)", " (ridge 0.5)"]
    assert list(added.columns[4:]) == [f"d_rank{name}{p}" for name in names for p in ("", " p-value")]
    same = ptr.DRank(AP, covariance="ledoit-wolf"), ptr.DRank(AP, null="published", covariance="sample")
    assert [component.columns[0] for component in same] == ["d_rank", "d_rank (published)"]


def test_components_with_equal_arguments_are_equal():
    assert ptr.TauAP(AP) == ptr.TauAP(AP)
    assert len({ptr.TauAP(AP), ptr.TauAP(AP), ptr.TauAP(P @ 10), ptr.TauGAP(AP)}) == 3
    assert repr(ptr.TauAP(nDCG @ 10, variant="b", symmetric=True)) == "TauAP(nDCG@10, variant='b', symmetric=True)"


InputError = pt.validate.InputValidationError
REFUSED = [
    (lambda _: ptr.DRank(null="none"), ValueError, "`null` must be"),
    (lambda _: ptr.DRank(null="two-sample"), ValueError, "`null` must be 'shrunken' or 'published', got 'two-sample'"),
    (lambda _: ptr.DRank(covariance="none"), ValueError, "`covariance` must be 'sample' or 'ledoit-wolf', got 'none'"),
    (lambda _: ptr.KendallTau(population=True), ValueError, "`population` must be False unless a level is given"),
    (lambda _: ptr.Correlation(population=1), TypeError, "`population` must be"),
    (ptr.DRank(AP, **HOW) >> ptr.DRank(P @ 10, **HOW), InputError, "d_rank"),
    (lambda _: ptr.RankInterval(simultaneous=True), ValueError, "method='pairwise'"),
    (lambda _: ptr.RankInterval(n_resamples=0), ValueError, "`n_resamples` must be an integer of at least 1"),
    (lambda _: ptr.ExpectedCorrelation("rho"), ValueError, "`coefficient` must be"),
    (lambda _: ptr.DiscriminativePower("z"), ValueError, "`test` must be"),
    (lambda _: ptr.KendallTau(variant="c"), ValueError, r"`variant` must be 'a' or 'b', got 'c'"),
    (lambda _: ptr.TauAP(level=95), ValueError, "`level` must be between 0 and 1"),
    (lambda _: ptr.TauAP(3), TypeError, r"`reference` must be an ir_measures measure or a name, got 3"),
    (lambda _: ptr.TauAP(rng="x"), TypeError, r"`rng` must be an integer, .* or None, got 'x'"),
    *(
        (component("nDGC@10"), ValueError, r"`reference` must be among .*, got 'nDGC@10'\. Did you mean 'nDCG@10'\?")
        for component in (ptr.KendallTau, ptr.TauAP, ptr.TauGAP, ptr.DRank)
    ),
    (ptr.TauAP(RR), ValueError, r"`reference` must be among .*'AP'.*, got 'RR'"),
    (ptr.TauAP("nonsense"), ValueError, r"`reference` must be among .*, got 'nonsense'"),
    (ptr.TauAP(AP) >> ptr.TauAP(P @ 10), InputError, "tau_ap"),
    (lambda frame: ptr.TauAP()(frame[frame["measure"] == "AP"]), ValueError, "needs a second measure to compare"),
    (lambda frame: ptr.TauAP()(frame[frame["name"] == "noise 0"]), ValueError, r"at least 2 systems"),
    (lambda frame: ptr.TauAP()(frame.drop(columns="measure")), InputError, "measure"),
    (lambda frame: ptr.TauAP()(pd.concat([frame, frame[:1]])), ValueError, r"got several for 'noise 0'"),
    (lambda _: ptr.by_system({}), TypeError, r"`frame` must be a data frame that components returned, got dict"),
    (lambda frame: ptr.by_system(frame[["value"]]), ValueError, r"got none named 'measure', 'name', 'qid'"),
    (lambda _: ptr.by_measure(pd.DataFrame({"name": ["a"]})), ValueError, "`frame` must have columns named"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_what_is_refused(call, error, message, frame):
    with pytest.raises(error, match=message):
        call(frame)


@pytest.mark.parametrize("component", [ptr.KendallTau, ptr.TauAP, ptr.TauGAP, ptr.ExpectedCorrelation])
@pytest.mark.parametrize("interval", [True, False, np.True_])
def test_true_is_no_level(component, interval):
    with pytest.raises(TypeError, match=r"`level` must be a number, got (np\.)?(True|False)"):
        component(level=interval)


def test_what_is_better_when_lower_has_no_geometric_mean():
    lower = ptr.ScoreMatrix([[-1.0, -2.0], [-3.0, -1.0]], systems=["a", "b"], measure="x")
    found = ptr.GeometricMean().compute(ptr.Scores([lower]))["x"]["geometric mean"]
    assert np.isnan(found).all()


def ends_of(frame, system, measure, level):
    rows = ptr.MeanInterval(level)(frame)
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
    assert ptr.ExpectedCorrelation(level=LEVEL).columns == ("E[tau_ap]", "E[tau_ap] low", "E[tau_ap] high")
    assert ptr.ExpectedCorrelation("tau", estimator="msqd").columns == ("E[tau] (msqd)",)
    name = "E[tau] (ml, level 0.9)"
    assert ptr.ExpectedCorrelation("tau", estimator="ml", level=0.9).columns == (name, f"{name} low", f"{name} high")
