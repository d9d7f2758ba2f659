"""Functions of comparisons share their options, with one name and one default each, and pass them on."""

import inspect

import pytest

import pt_rankcorr as rc
from pt_rankcorr.comparison import compare, compare_judgments, compare_leaderboards, judgment_curve
from pt_rankcorr.comparison.settings import Settings, settings_of
from pt_rankcorr.defaults import PAIR_TEST, RESAMPLES

OF_CURVES = ("coefficients", "level", "n_resamples", "d_rank")
FUNCTIONS = {  # a comparison: its module, and the options that it has
    rc.compare: (compare, (*OF_CURVES, "test", "top")),
    rc.compare_judgments: (compare_judgments, (*OF_CURVES, "test", "top")),
    rc.compare_leaderboards: (compare_leaderboards, (*OF_CURVES, "test", "top")),
    rc.judgment_curve: (judgment_curve, OF_CURVES),
}
DEFAULTS = {option: getattr(Settings(seed=1), option) for option in (*OF_CURVES, "test", "top")}
JUDGES_ARE_TESTED = {(function, "test"): PAIR_TEST for function in (rc.compare_judgments, rc.compare_leaderboards)}
OTHER_DEFAULTS = {**JUDGES_ARE_TESTED, (rc.judgment_curve, "d_rank"): True}

each_function = pytest.mark.parametrize("function", FUNCTIONS)


@each_function
def test_signatures_have_all_options_with_their_defaults(function):
    parameters = inspect.signature(function).parameters
    assert len(parameters) <= 14
    for option in FUNCTIONS[function][1]:
        assert parameters[option].default == OTHER_DEFAULTS.get((function, option), DEFAULTS[option]), option
        assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY


@each_function
def test_options_reach_the_settings(function, monkeypatch):
    module, names = FUNCTIONS[function]
    required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    given = {name: object() for name in names}

    class Reached(Exception):
        """Stops the function where its options are complete."""

    def settings(**options):
        assert {name: options[name] for name in given} == given
        raise Reached

    monkeypatch.setattr(module, "settings_of", settings)
    with pytest.raises(Reached):
        function(**dict.fromkeys(required), **given, rng=1)


def test_an_experiment_adds_five_parameters_to_those_of_the_host():
    import pyterrier as pt

    assert len(inspect.signature(rc.Experiment).parameters) <= len(inspect.signature(pt.Experiment).parameters) + 5


def test_components_say_how_d_rank_and_pairs_are_tested():
    d_rank = rc.DRank(null="published", covariance="ledoit-wolf", ridge=1e-4, n_resamples=300)
    test = rc.DiscriminativePower("t", correction="fdr", alpha=0.01)
    settings = settings_of(d_rank=d_rank, test=test, level=0.9, n_resamples=99, rng=1)
    assert (settings.null, settings.covariance, settings.ridge) == ("published", "ledoit-wolf", 1e-4)
    assert (settings.d_rank_resamples, settings.n_resamples) == (300, 99)
    assert (settings.test, settings.correction, settings.test_alpha, settings.alpha) == ("t", "fdr", 0.01, 0.1)
    plain = settings_of(d_rank=True, test="t", level=0.9, n_resamples=0, rng=1)
    assert (plain.d_rank_resamples, plain.test_alpha, plain.intervals) == (RESAMPLES, 0.1, False)
    for wrong in ({"null": "published"}, {"covariance": "sample"}, {"correction": "fdr"}):
        with pytest.raises(ValueError, match="must be None unless"):
            Settings(seed=1, **wrong)
