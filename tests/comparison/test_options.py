"""The options of comparisons are declared once; functions spell them out, and pass them on."""

import inspect
from dataclasses import fields

import pytest

import pt_rankcorr as rc
from pt_rankcorr.comparison import judgment_curves, leaderboards, pairs_of_measures, sets_of_judgments
from pt_rankcorr.comparison.options import ComparisonOptions, CurveOptions

FUNCTIONS = {  # a comparison: its module, and the options that it has
    rc.compare: (pairs_of_measures, ComparisonOptions),
    rc.compare_judgments: (sets_of_judgments, ComparisonOptions),
    rc.compare_leaderboards: (leaderboards, ComparisonOptions),
    rc.judgment_curve: (judgment_curves, CurveOptions),
}
OTHER_DEFAULTS = {(rc.compare, "test"): None, (rc.judgment_curve, "d_rank"): True}

each_function = pytest.mark.parametrize("function", FUNCTIONS)


@each_function
def test_signatures_have_all_options_with_their_defaults(function):
    parameters = inspect.signature(function).parameters
    for option in fields(FUNCTIONS[function][1]):
        expected = OTHER_DEFAULTS.get((function, option.name), option.default)
        assert parameters[option.name].default == expected, option.name
        assert parameters[option.name].kind is inspect.Parameter.KEYWORD_ONLY


@each_function
def test_options_reach_the_settings(function, monkeypatch):
    module, declared = FUNCTIONS[function]
    required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    given = {option.name: object() for option in fields(declared)}

    class Reached(Exception):
        """Stops the function where its options are complete."""

    def settings(**options):
        assert {name: options[name] for name in given} == given
        raise Reached

    monkeypatch.setattr(module, "Settings", settings)
    with pytest.raises(Reached):
        function(**dict.fromkeys(required), **given, rng=1)
