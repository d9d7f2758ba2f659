"""Functions of comparisons spell out the options that `Settings` checks, and pass them on."""

import inspect
from dataclasses import fields

import pytest

import pt_rankcorr as rc
from pt_rankcorr.comparison import compare, compare_judgments, compare_leaderboards, judgment_curve
from pt_rankcorr.comparison.settings import Settings

OPTIONS = {option.name: option.default for option in fields(Settings) if option.name not in ("seed", "two_samples")}
OF_CURVES = "n_resamples level d_rank null covariance coefficients".split()
FUNCTIONS = {  # a comparison: its module, and the options that it has
    rc.compare: (compare, OPTIONS),
    rc.compare_judgments: (compare_judgments, OPTIONS),
    rc.compare_leaderboards: (compare_leaderboards, OPTIONS),
    rc.judgment_curve: (judgment_curve, OF_CURVES),
}
OTHER_DEFAULTS = {(rc.compare, "test"): None, (rc.judgment_curve, "d_rank"): True}

each_function = pytest.mark.parametrize("function", FUNCTIONS)


@each_function
def test_signatures_have_all_options_with_their_defaults(function):
    parameters = inspect.signature(function).parameters
    for option in FUNCTIONS[function][1]:
        assert parameters[option].default == OTHER_DEFAULTS.get((function, option), OPTIONS[option]), option
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

    monkeypatch.setattr(module, "Settings", settings)
    with pytest.raises(Reached):
        function(**dict.fromkeys(required), **given, rng=1)
