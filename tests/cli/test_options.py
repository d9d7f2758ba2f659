"""Options are the parameters of public functions, with their defaults; messages name options."""

import inspect
import subprocess
import sys
from functools import cache
from typing import get_args

import pytest

import pt_rankcorr as rc
from pt_rankcorr import choices, stats
from pt_rankcorr.cli import EXAMPLES, SET_BY_COMMANDS, app_of, commands, judge_commands, options, score_options
from pt_rankcorr.cli.output import name_options
from pt_rankcorr.defaults import ERROR_RESAMPLES, RESAMPLES
from pt_rankcorr.demo import study
from pt_rankcorr.io.leaderboard_files import FORMATS, POLICIES
from pt_rankcorr.judgments import alpha_of_judges, compare_labels
from pt_rankcorr.stats.significance.other_topics import WHICH_TOPICS
from pt_rankcorr.stats.significance.pairwise import TESTS
from tests.cli.conftest import cli as cli
from tests.cli.conftest import runs_of

FUNCTIONS = {
    "demo": study.run,
    "compare": rc.compare,
    "drank": rc.d_rank,
    "expected": rc.expected_correlation,
    "ranks": rc.rank_intervals,
    "power": rc.discriminative_power,
    "swap": stats.swap_rates,
    "stability": stats.stability,
    "judgments": rc.compare_judgments,
    "labels": compare_labels,
    "alpha": alpha_of_judges,
    "curve": rc.judgment_curve,
    "leaderboards": rc.compare_leaderboards,
    "tau": stats.coefficient_matrix,
    "report": rc.report,
}
# parameters that a command line cannot set, or that the command itself sets
NO_OPTIONS = {*"dataset estimate result_or_scores ridge statistic".split()}
NO_OPTIONS |= {"rankings", "verbose"}
# options whose function has another default: none is given, they are resolved later, or one of several is shown
OTHER_DEFAULTS = {"path", "fuzziness", "bins", "of", "missing", "lower_is_better", "input_format"}
each_command = pytest.mark.parametrize("command", EXAMPLES)
FUNCTION_OF = {
    name: function
    for module in (commands, judge_commands)
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if name in EXAMPLES
}


@cache
def arguments_of(command):
    """Parameter -> the option of a command."""
    collection = app_of()[command].assemble_argument_collection(parse_docstring=True)
    return {argument.field_info.name: argument for argument in collection}


def printed(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.whole
def test_the_help_of_a_command_loads_no_statistics():
    code = f"""import sys; from pt_rankcorr.cli import main
for command in {["", *EXAMPLES]}:
    main([*filter(None, [command]), "--help"])
print(*sys.modules)"""
    assert not {"pandas", "pyterrier", "scipy"} & {*printed(code).splitlines()[-1].split()}


@each_command
def test_every_parameter_is_an_option_with_the_functions_default(command):
    arguments = arguments_of(command)
    for name, parameter in inspect.signature(FUNCTIONS[command]).parameters.items():
        if name in NO_OPTIONS or (name == "scores" and command != "tau"):
            continue
        if (command, name) == ("curve", "d_rank"):  # by which it says from where on rankings are alike
            continue
        if command == "labels" and name == "runs":
            continue
        if command in ("labels", "judgments"):
            name = {"reference": "qrels", "judges": "against"}.get(name, name)
        argument = arguments[name]
        if parameter.default is not parameter.empty and name not in OTHER_DEFAULTS:
            assert argument.field_info.default == parameter.default, name


@each_command
def test_help_describes_every_option(command, cli, monkeypatch):
    for argument in arguments_of(command).values():
        assert argument.parameter.help or not argument.parse or argument.children, argument.name
    monkeypatch.setenv("COLUMNS", "80")
    ran = cli(command, "--help")
    assert ran.status == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    doc = (inspect.getdoc(FUNCTION_OF[command]) or "").split("\n\n")[0]
    text = " ".join(ran.out.split())
    assert " ".join(doc.split()) in text
    assert f"example: pt-rankcorr {command} --" in text


@pytest.mark.parametrize(("reader", "without"), [
    (rc.scores_from_runs, {"verbose"}),
    (rc.scores_from_irds, {"verbose", "dataset"}),
    (rc.read_scores, {"format", "measure", "path"}),
    (rc.scores_from_experiment, set()),
])  # fmt: skip
def test_parameters_of_readers_are_options(reader, without):
    arguments = arguments_of("power")
    for name, parameter in inspect.signature(reader).parameters.items():
        if name not in without:
            default = arguments[name].field_info.default or None
            assert parameter.default is parameter.empty or default == (parameter.default or None), name
    for name, (function, parameter_name) in score_options.READERS.items():
        assert name in arguments
        assert next(iter(inspect.signature(getattr(rc, function)).parameters)) == parameter_name


def test_rankings_are_tested_with_equally_many_resamples_everywhere():
    """Comparisons draw as many as each of their parts needs, unless they are told how many."""
    tests = [rc.d_rank, rc.DRankTest, rc.DRank, rc.rank_intervals, rc.RankInterval, rc.best_systems]
    errors = [rc.correlation_interval, stats.correlation_difference, rc.KendallTau, rc.Correlation]
    comparisons = [rc.compare, rc.compare_judgments, rc.compare_leaderboards, rc.judgment_curve]
    for functions, expected in ((tests, RESAMPLES), (errors, ERROR_RESAMPLES), (comparisons, None)):
        assert {inspect.signature(each).parameters["n_resamples"].default for each in functions} == {expected}


def test_choices_are_those_that_functions_know():
    known = {
        choices.PairTest: TESTS,
        choices.OtherTopics: WHICH_TOPICS,
        choices.MissingOfJudges: POLICIES,
        choices.LeaderboardFormat: FORMATS,
        choices.LabelMetric: ("nominal", "ordinal", "interval"),
        options.Null: {*get_args(choices.Null)} - {"two-sample"},
    }
    for words, taken in known.items():
        assert {*get_args(words)} == {*taken}


JUDGED = "judgments --runs a --qrels b --measures"


@pytest.mark.parametrize(
    ("given", "parameter", "name", "values"),
    [
        ("alpha --judges b --judges d e", "judges", "", ["b", "d", "e"]),
        (f"{JUDGED} AP --against c --against d", "against", "", ["c", "d"]),
        (f"{JUDGED} AP P@5,RR --against c", "runs", "measures", ["AP", "P@5", "RR"]),
        (f"{JUDGED} AP --against c --group x=a --group y=b", "judging", "group", ["x=a", "y=b"]),
        ("power --scores a --scores b", "source", "scores", ["a", "b"]),
        ("power --scores a --measures RBP(p=0.8,rel=2)@5,P@5", "source", "measures", ["RBP(p=0.8,rel=2)@5", "P@5"]),
        ("stability --scores a --fuzziness .1 --fuzziness .2", "fuzziness", "", [0.1, 0.2]),
        ("expected --scores a --topics 5 --topics 9", "topics", "", [5, 9]),
    ],
)
def test_lists_given_twice_add_up(given, parameter, name, values):
    command, *options = given.split()
    _, bound, _ = app_of().parse_args([command, *options], exit_on_error=False, print_error=False)
    argument = bound.arguments[parameter]
    assert (getattr(argument, name) if name else argument) == values


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"relevance_threshold": ["2", "g*=1"]}, {"relevance_threshold": {"g*": 1.0, "*": 2.0}}),
        ({"label_map": ["10=3", "a=b:-1=0"]}, {"label_map": {"a=b": {-1.0: 0.0}, "*": {10.0: 3.0}}}),
    ],
)
def test_labels_are_read_by_judge(given, values):
    arguments = options.Scales(**given).arguments()
    assert {name: value for name, value in arguments.items() if value is not None} == values


def test_messages_name_options():
    names = {name: argument.name for name, argument in arguments_of("judgments").items()}
    names = {**SET_BY_COMMANDS, **names}
    message = "`n_resamples` must be 2. Use `null='published'`, or `download=True`; `judges`, `reference` and `x`."
    expected = "--resamples must be 2. Use --null published, or --download; --against, --qrels and x."
    assert name_options(message, names) == expected
    assert name_options("take `of='new topics'`, not `a=1`", {"of": "--of"}) == "take --of 'new topics', not a=1"


def test_the_test_of_pairs_is_named(cli, folder):
    given = [*runs_of(folder, "AP"), "--seed", 1]
    assert cli("power", *given).out.splitlines()[1].endswith("max-t, corrected")
    assert cli("power", *given, "--test", "t").out.splitlines()[1].endswith("t, uncorrected")
    assert cli("power", *given, "--test", "t", "--correction", "fdr").out.splitlines()[1].endswith("t, fdr")
    judged = cli("judgments", *given, "--against", folder / "far.qrels", "--resamples", 99, "--wide")
    assert "pairs: largest studentised difference (max-t), corrected" in judged.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("expected --scores x --seed 1.6", "--seed must be a whole number, got 1.6"),
        ("expected --scores x --topics 25 7.5", "--topics must be a whole number, got 7.5"),
        ("compare --scores x --resamples 99.5", "--resamples must be a whole number, got 99.5"),
        ("compare --scores x --jobs 1e-1", "--jobs must be a whole number, got 1e-1"),
        ("curve --runs x --qrels x --measures AP --depths 1.5", "--depths must be a whole number, got 1.5"),
        ("demo --topics 2.5", "--topics must be a whole number, got 2.5"),
        ("curve --runs x --qrels x --measures AP --depths 1 --repetitions 3", "--repetitions can only be used with"),
        (
            "leaderboards --reference x --judges x --group a=b --families (?P<m>.) --format csv",
            "--group is not allowed with --families in csv",
        ),
    ],
)
def test_what_would_be_ignored_or_cut_is_wrong_usage(cli, options, message):
    ran = cli(*options.split())
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


@each_command
def test_all_whole_numbers_are_checked(command):
    """A number of an option that is not checked loses its fraction."""
    for argument in arguments_of(command).values():
        if argument.hint in (int, list[int]):
            assert argument.parameter.converter is options.whole, argument.name
