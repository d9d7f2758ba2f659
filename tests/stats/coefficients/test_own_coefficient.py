"""A coefficient of one's own, a plain function of two vectors, in every way in which coefficients are named."""

import pickle

import numpy as np
import pytest
from scipy.stats import weightedtau

import pt_rankcorr as rc
from pt_rankcorr import tau_ap, tau_gap
from pt_rankcorr.stats.coefficients import moments
from pt_rankcorr.stats.coefficients.registry import as_coefficient, as_coefficients
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats import oracles
from tests.stats.oracles import COEFFICIENTS


def weighted_tau(reference, estimate):
    return float(weightedtau(reference, estimate).statistic)


def pearson(reference, estimate):
    return weighted_tau(reference, estimate)


WTAU = rc.stats.Coefficient("wtau", "weighted tau", weighted_tau, symbol="τ\u2009w")
AGAIN = rc.stats.Coefficient("tau_again", "tau again", lambda x, y: oracles.kendall_tau_a(x.tolist(), y.tolist()))
RANDOM = np.random.default_rng(0)
SYSTEMS = list("abcdef")
ABILITY = RANDOM.random(6)
AP, RR, P10 = (
    rc.ScoreMatrix(ABILITY + RANDOM.normal(0, 0.2, (20, 6)), systems=SYSTEMS, measure=name)
    for name in ("AP", "RR", "P@10")
)
SCORES = rc.Scores([AP, RR, P10])
QUICK = {"n_resamples": 99, "rng": 1}
VALUE = weighted_tau(AP.means, RR.means)


def test_it_is_called_as_the_functions_are():
    assert WTAU(AP, RR) == VALUE
    assert WTAU(dict(zip("abc", [3, 2, 1], strict=True)), dict(zip("cab", [1, 3, 2], strict=True))) == 1.0
    many = rc.stats.random_rankings(6, 4, tau=0.6, rng=1)
    assert WTAU(np.arange(6, 0, -1), many).tolist() == [weighted_tau(np.arange(6, 0, -1), row) for row in many.values]
    with pytest.warns(DegenerateInputWarning):
        assert np.isnan(WTAU([1, 1], [1, 2]))


def test_what_it_is_not_given_it_takes_from_its_names():
    plain = rc.stats.Coefficient("wtau", "weighted tau", weighted_tau)
    assert (plain.symbol, plain.family, plain.column) == ("weighted tau", "wtau", "wtau")
    assert repr(plain) == "Coefficient(name='wtau', title='weighted tau')"
    assert [each.column for each in COEFFICIENTS.values()][:2] == ["tau", "tau b"]
    assert pickle.loads(pickle.dumps(WTAU)) == WTAU
    assert [pickle.loads(pickle.dumps(each)) for each in COEFFICIENTS.values()] == [*COEFFICIENTS.values()]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: rc.stats.Coefficient("", "x", weighted_tau), ValueError, "`name` must be a text"),
        (lambda: rc.stats.Coefficient("w@5", "x", weighted_tau), ValueError, "`name` must be a text"),
        (lambda: rc.stats.Coefficient("w", "a\nb", weighted_tau), ValueError, "`title` must be a text"),
        (lambda: rc.stats.Coefficient(3, "x", weighted_tau), TypeError, "`name` must be a text, got 3"),
        (lambda: rc.stats.Coefficient("w", "x", "tau"), TypeError, "`function` must be a function"),
        (lambda: as_coefficient(rc.stats.Coefficient("tau", "mine", weighted_tau)), ValueError, "got another 'tau'"),
        (lambda: as_coefficient("rho"), ValueError, "`coefficient` must be 'tau' or 'tau_b' or"),
        (lambda: as_coefficients([]), ValueError, "`coefficients` must name at least one coefficient, got none"),
        (lambda: as_coefficients(3), TypeError, "`coefficients` must be a list of names, got 3"),
        (
            lambda: as_coefficients([WTAU, rc.stats.Coefficient("wtau", "other", oracles.pearson)]),
            ValueError,
            "names of their own, got 'wtau' for several",
        ),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_the_functions_of_known_coefficients_are_these():
    for function in (tau_ap, tau_gap, moments.spearman, moments.pearson):
        assert as_coefficient(function) is COEFFICIENTS[function.__name__]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *_: 2.0, "got 2.0"),
        (lambda *_: [0.1, 0.2], r"got an array of shape \(2,\)"),
        (lambda *_: None, "got None"),
        (lambda *_: 1 / 0, "but it raised ZeroDivisionError"),
    ],
)
def test_functions_that_are_no_coefficients(function, message):
    wrong = rc.stats.Coefficient("wrong", "wrong", function)
    with pytest.raises(ValueError, match=f"`coefficient` must return one number, from -1 to 1, .*{message}"):
        wrong(AP, RR)


@pytest.mark.parametrize("given", [WTAU, weighted_tau], ids=["object", "function"])
def test_intervals_and_differences(given):
    found = rc.correlation_interval(AP, RR, given, **QUICK)
    assert found.statistic == VALUE
    assert found.low <= found.statistic <= found.high
    difference = rc.stats.correlation_difference(AP, RR, P10, given, **QUICK)
    assert difference.statistic == pytest.approx(VALUE - weighted_tau(AP.means, P10.means))


def test_one_that_is_known_gives_what_the_known_one_does():
    own, known = (rc.correlation_interval(AP, RR, each, **QUICK) for each in (AGAIN, "tau"))
    np.testing.assert_allclose(own.replicates, known.replicates, atol=1e-12)
    assert (own.pvalue, own.one_true_ranking.mean) == (known.pvalue, pytest.approx(known.one_true_ranking.mean))
    assert (own.low, own.high) == pytest.approx((known.low, known.high))
    assert own.coefficient == "tau_again"


def test_expected_correlations():
    own, known = (rc.expected_correlation(AP, coefficient=each, **QUICK) for each in (AGAIN, "tau"))
    assert (own.value, own.coefficient) == (pytest.approx(known.value), "tau_again")
    assert own.topics_needed(0.5) == known.topics_needed(0.5)
    assert rc.expected_correlation(AP, **QUICK).with_coefficient(WTAU).coefficient == "wtau"
    assert np.isfinite(rc.expected_correlation(AP, coefficient=WTAU, estimator="split-half", rng=1).value)


def test_predictions_of_topics():
    predicted = RANDOM.random(20)
    found = rc.stats.prediction_quality(AP, predicted, [WTAU, "tau"], **QUICK)
    assert found.coefficients == ("wtau", "tau")
    assert found.values[:, 0].tolist() == [weighted_tau(column, predicted) for column in AP.values.T]


def test_what_pairs_and_swaps_cost():
    weights, found = rc.stats.swap_weights(AP, WTAU), rc.stats.contributions(AP, P10, WTAU)
    ordered = np.sort(AP.means)[::-1]
    for first, second in np.ndindex(weights.values.shape):
        swapped = ordered.copy()
        swapped[[first, second]] = ordered[[second, first]]
        assert weights.values[first, second] == pytest.approx(1 - weighted_tau(ordered, swapped), abs=1e-12)
    worst = rc.stats.contributions([4, 3, 2, 1], [1, 2, 3, 4], WTAU)
    assert np.triu(worst.costs).sum() == pytest.approx(1 - worst.statistic)
    assert np.triu(found.costs).sum() == pytest.approx(1 - found.statistic)
    nothing = rc.stats.Coefficient("half", "half", lambda *_: 0.5)
    assert np.isnan(rc.stats.contributions([3, 2, 1], [3, 2, 1], nothing).costs).all()


def test_columns_of_an_experiment():
    frame = SCORES.to_frame()
    columns = {"wtau": rc.Correlation(coefficient=WTAU, **QUICK), "E[wtau]": rc.ExpectedCorrelation(WTAU, **QUICK)}
    for column, component in columns.items():
        added = component.transform(frame)
        assert set(component.columns) <= set(added.columns)
        assert column in component.columns
    values = rc.Correlation(coefficient=WTAU, **QUICK).transform(frame)
    assert values.loc[values["measure"] == "RR", "wtau"].unique().tolist() == [VALUE]


def test_rows_of_comparisons():
    found = rc.compare(SCORES, coefficients=[WTAU, "tau_b"], **QUICK)
    row = found.row("AP", "RR")
    assert row.coefficients["wtau"] == VALUE
    assert row.correlations["wtau"].low <= VALUE <= row.correlations["wtau"].high
    assert list(row.correlations) == ["wtau", "tau_b"]
    assert {"wtau", "wtau low", "tau", "pearson"} <= set(found.to_frame().columns)
    printed = str(found)
    assert "tau b" in printed
    assert "tau_AP" not in printed
    assert found.matrix("wtau").values.loc["AP", "RR"] == VALUE
    assert r"$\tau_{w}$ {[}95\%{]}" in found.to_latex()


@pytest.mark.parametrize("name", ["pearson", "tau_b", "tau b"])
def test_it_may_be_called_like_a_known_one_whose_place_it_takes(name):
    own = rc.stats.Coefficient(name, "mine", weighted_tau)
    assert rc.correlation_interval(AP, RR, own, **QUICK).statistic == VALUE
    found = rc.compare(SCORES, coefficients=[own, "tau"], **QUICK)
    assert found.row("AP", "RR").coefficients[name] == VALUE
    assert found.to_frame()[name].iloc[0] == VALUE
    with pytest.raises(ValueError, match="names of their own, got 'pearson' for several"):
        as_coefficients([pearson, "pearson"])


def test_judges_and_their_bias():
    named = {each.measure: rc.ScoreMatrix(each.values, systems=SYSTEMS, measure="AP") for each in (RR, P10)}
    judges = {name: rc.Scores([scores]) for name, scores in named.items()}
    reference = rc.Scores([AP])
    found = rc.compare_leaderboards(reference, judges, coefficients=WTAU, test=None, **QUICK)
    assert found.row("RR").coefficients["wtau"] == VALUE
    others = rc.compare_leaderboards(reference, judges, test=None, **QUICK)  # whose rows do not have it
    ranked, bias = others.judges(coefficient=WTAU), others.bias({"first": ["a", "b", "c"]}, coefficient=WTAU)
    assert (ranked.coefficient, bias.coefficient) == ("wtau", "wtau")


def test_pictures_and_the_report():
    plt = pytest.importorskip("matplotlib.pyplot")
    assert rc.plots.draw_swap_weights(rc.stats.swap_weights(AP, WTAU)).get_title() == "wtau"
    plt.close("all")
    page = rc.report(SCORES, coefficients=[WTAU, "tau"], **QUICK).to_markdown()
    assert "We compared rankings of systems by τ\\_w and τ (Kendall 1938), with 95% intervals over" in page
    assert f"τ\\_w = {VALUE:.2f}".replace("0.", ".") in page
