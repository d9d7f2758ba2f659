"""Options come from public functions; messages speak of options; nothing that is given is dropped."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

import pt_rankcorr as ptr
from pt_rankcorr import choices
from pt_rankcorr.cli import _options, _parser
from pt_rankcorr.cli._messages import in_words_of_the_command_line
from pt_rankcorr.cli._signatures import first_sentences, parameters_of
from pt_rankcorr.cli._source import coefficients
from pt_rankcorr.cli._table import COMMANDS, Command
from pt_rankcorr.defaults import RESAMPLES
from pt_rankcorr.io.leaderboards import POLICIES
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS
from pt_rankcorr.stats.significance._samples import LEAST
from pt_rankcorr.stats.significance.pairwise import TESTS
from tests.cli.conftest import Cli, runs_of

GROUND_FLOOR = {"choices", "tables", "defaults", "showing", "text", "numbers", "whole_file", "warnings", "latex"}
# names without a face: what is registered, what an alias means, labels in files, what `demo` writes, lists in messages
KNOWN = {
    "io.FORMATS",
    "io.measure_names.find_measure",
    "demo.study",
    "demo.files",
    "reporting.reports.form_of",
    "io.tables.read_labels",
    "stats.accuracy.best.best_of",
    "stats.coefficients.registry.COEFFICIENTS",
    "stats.core.arguments.listing",
}
FOLDER = Path(inspect.getfile(_parser)).parent
NEEDED = {  # the shortest way to give what a command cannot do without
    "judgments": "--runs a --qrels b --against c --measures AP",
    "curve": "--runs a --qrels b --depths 1 --measures AP",
    "leaderboards": "--reference a --judges b",
    "alpha": "--judges a",
    "report": "--scores a --output b.html",
    "demo": "",
}
each_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)


def parsed(command: str, *more: str) -> Namespace:
    return _parser.parse([command, *NEEDED.get(command, "--scores a").split(), *more])


def is_public(name: str) -> bool:
    """Whether a dotted name below the package is one that its face offers."""
    room, _, attribute = name.rpartition(".")
    face = import_module(f"pt_rankcorr.{room}" if room else "pt_rankcorr")
    return attribute in getattr(face, "__all__", ()) or attribute == "__version__"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_it_imports_and_asks_for_public_names_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [f"{node.module}.{each.name}" for each in node.names] if isinstance(node, ast.ImportFrom) else []
        for name in (each.removeprefix("pt_rankcorr.") for each in names if each.startswith("pt_rankcorr.")):
            assert name.split(".")[0] in GROUND_FLOOR | {"cli"} or name in KNOWN or is_public(name), name
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ptr":
            assert node.attr in {*ptr.__all__, "__version__"}, node.attr


def printed(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_help_loads_no_function() -> None:
    given = [[], *([command.name] for command in COMMANDS)]
    code = f"""import sys; from pt_rankcorr.cli._parser import parse
for words in {given}:
    try: parse([*words, "--help"])
    except SystemExit: pass
print(*sys.modules)"""
    assert not {"numpy", "pandas", "pyterrier", "scipy"} & {*printed(code).splitlines()[-1].split()}


@pytest.mark.whole
def test_a_new_format_has_an_option(tmp_path: Path) -> None:
    (tmp_path / "scores").write_text("1 a AP .5\n1 b AP .25\n2 a AP .75\n2 b AP .5\n")
    code = f"""from pt_rankcorr import io
io.FORMATS["by_topic"] = io.Format(("qid", "name", "measure", "value"), "a row a topic and run")
from pt_rankcorr.cli import main
main(["power", "--by-topic", {str(tmp_path / "scores")!r}, "--test", "t"])
try: main(["power", "--help"])
except SystemExit: pass"""
    table, helped = printed(code).split("usage:")
    assert [line.split()[0] for line in table.splitlines()] == ["measure", "AP"]
    assert re.search(r"--by-topic PATH \[PATH \.\.\.\]\s+a row a topic and run\n", helped)


# --- options are the parameters of functions ----------------------------------------------------------------


@each_command
def test_every_parameter_is_an_option_or_is_given_by_the_command(command: Command) -> None:
    words, parameters = parsed(command.name).parser.words, parameters_of(command.function)
    for name in command.only or parameters:
        assert name in words or name in _options.NO_OPTIONS, name
    assert {*_options.NO_OPTIONS} & {*words} <= {"qrels", "scores", "ranking"}


@each_command
def test_functions_have_their_own_defaults(command: Command) -> None:
    """What nobody gives is not passed on; but `stability` shows one of the function's 20 values."""
    options = parsed(command.name)
    required = {name for name, option in parameters_of(command.function).items() if option.required}
    own = {"fuzziness", "against", "groups", "depths", "path"}
    assert {name for name in options.takes if name in options} <= required | own


@each_command
def test_help_says_what_the_docstring_says(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parser.parse([command.name, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert first_sentences(command.function) in text
    assert "As for" not in text
    for name, option in parameters_of(command.function).items():
        if option.choices and name not in {"missing", *_options.WITHOUT} and (not command.only or name in command.only):
            assert ",".join(option.choices) in text


def test_rankings_are_tested_with_equally_many_resamples_everywhere() -> None:
    """But on a page, which has it all, and of many judges; their help says so."""
    tests: list[Any] = [ptr.d_rank, ptr.DRankTest, ptr.DRank, ptr.compare, ptr.compare_judgments]
    tests += [ptr.judgment_curve, ptr.rank_intervals, ptr.RankInterval, ptr.best_systems]
    assert {inspect.signature(each).parameters["n_resamples"].default for each in tests} == {RESAMPLES}


def test_signatures_and_docstrings_are_read() -> None:
    known = parameters_of("compare_leaderboards")
    assert known["null"].choices == get_args(choices.Null)
    assert known["test"].choices == get_args(choices.PairTest)
    assert known["level"].kind is float
    assert known["top"].kind is int
    assert known["measures"].are_names
    assert known["intervals"].is_negatable
    assert known["reference"].required
    assert (known["n_resamples"].shown, known["n_resamples"].required) == (1000, False)
    assert known["resume"].help == "a file that keeps the finished rows"  # as `compare` says, to which it sends
    assert parameters_of("judgment_curve")["depths"].kind is int
    assert parameters_of("judgment_curve")["depths"].several


def test_names_in_the_source_are_those_of_the_registry() -> None:
    assert list(coefficients()) == list(COEFFICIENTS)


def test_words_that_types_list_are_those_that_functions_know() -> None:
    known = {
        choices.PairTest: TESTS,
        choices.OtherTopics: LEAST,
        choices.MissingOfJudges: POLICIES,
        choices.LabelMetric: ("nominal", "ordinal", "interval"),
    }
    for words, taken in known.items():
        assert set(get_args(words)) == {*taken}


# --- nothing is dropped in silence --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "given", "name", "values"),
    [
        ("leaderboards", ["--judges", "c", "--judges", "d", "e"], "judges", ["b", "c", "d", "e"]),
        ("judgments", ["--against", "d"], "others", ["c", "d"]),
        ("judgments", ["--measures", "P@5,RR"], "measures", ["AP", "P@5", "RR"]),
        ("judgments", ["--relevance-threshold", "2", "g*=1"], "relevance_threshold", [("*", 2.0), ("g*", 1.0)]),
        ("judgments", ["--relevance-threshold", "2"], "relevance_threshold", [("*", 2.0)]),
        ("judgments", ["--label-map", "10=3", "a=b:-1=0"], "label_map", [("*", (10.0, 3.0)), ("a=b", (-1.0, 0.0))]),
        ("judgments", ["--group", "x=a", "--group", "y=b"], "group", [("x", "a"), ("y", "b")]),
        ("power", ["--scores", "b"], "scores", ["a", "b"]),
        ("stability", ["--fuzziness", ".1", "--fuzziness", ".2"], "fuzziness", [0.1, 0.2]),
        ("expected", ["--topics", "5", "--topics", "9"], "topics", [5, 9]),
    ],
)
def test_lists_given_twice_add_up(command: str, given: list[str], name: str, values: list[Any]) -> None:
    assert getattr(parsed(command, *given), name) == values


# --- messages speak of options ------------------------------------------------------------------------------


def test_messages_speak_of_options() -> None:
    words = parsed("judgments").parser.words
    message = '`n_resamples` must be 2. Use null="published", or `download=True`; `others`, `reference_qrels` and `x`.'
    expected = "--resamples must be 2. Use --null published, or --download; --against, --qrels and x."
    assert in_words_of_the_command_line(message, words) == expected
    assert in_words_of_the_command_line("of='new topics', n_resamples=99, a=1", parsed("swap").parser.words) == (
        "--of 'new topics', --resamples 99, a=1"
    )


def test_the_test_of_pairs_is_named(cli: Cli, folder: Path) -> None:
    options = [*runs_of(folder, "AP"), "--seed", 1]
    assert cli("power", *options).out.splitlines()[1].endswith("tukey-hsd, corrected")
    assert cli("power", *options, "--test", "t").out.splitlines()[1].endswith("t, uncorrected")
    judged = cli("judgments", *options, "--against", folder / "far.qrels", "--resamples", 99)
    assert "pairs: randomised Tukey HSD test, corrected" in judged.err
