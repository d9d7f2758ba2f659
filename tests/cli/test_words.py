"""The command line knows public names only, offers what the functions take, and speaks of options."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import pt_rankcorr as ptr
from pt_rankcorr.adapters.leaderboards import FORMATS, POLICIES
from pt_rankcorr.cli import _leaderboards, _papers, _parser
from pt_rankcorr.cli._messages import OPTIONS, in_words_of_the_command_line
from pt_rankcorr.defaults import FEWER_RESAMPLES, RESAMPLES
from pt_rankcorr.stats.accuracy.ranks import METHODS
from pt_rankcorr.stats.coefficients.table import COEFFICIENTS, KERNELS
from pt_rankcorr.stats.expected.correlation import ESTIMATORS
from pt_rankcorr.stats.expected.pair_weights import WEIGHTS
from pt_rankcorr.stats.rank_distance.settings import COVARIANCES, NULLS
from pt_rankcorr.stats.significance._samples import LEAST
from pt_rankcorr.stats.significance.pairwise import TESTS
from tests.cli.conftest import Ran

GROUND_FLOOR = {"defaults", "showing", "text", "numbers", "whole_file", "warnings", "latex"}
# names without a face: what an alias means, what a spreadsheet would execute, labels in files, what `demo` writes
KNOWN = {
    "adapters.measure_names.find_measure",
    "adapters.spreadsheets.as_cell",
    "demo.study",
    "demo.files",
    "reporting.reports.form_of",
    "adapters.labels.read_labels",
    "stats.accuracy.best.best_of",
}
FOLDER = Path(inspect.getfile(_parser)).parent
NOT_SETTABLE = {"on_row", "verbose", "statistic", "resume", "layout", "max_bytes"}
CALLED = [
    ptr.compare,
    ptr.compare_judgments,
    ptr.compare_leaderboards,
    ptr.report,
    ptr.expected_correlation,
    ptr.rank_intervals,
    ptr.best_systems,
    ptr.discriminative_power,
    ptr.judgment_curve,
    ptr.stats.swap_rates,
    ptr.stats.stability,
    ptr.stats.correlation_standard_error,
    ptr.scores_from_runs,
    ptr.scores_from_irds,
    ptr.scores_from_experiment,
    ptr.scores_from_trec_eval,
    ptr.read_scores,
]


def is_public(name: str) -> bool:
    """Whether a dotted name below the package is one that its face offers."""
    room, _, attribute = name.rpartition(".")
    face = import_module(f"pt_rankcorr.{room}" if room else "pt_rankcorr")
    return attribute in getattr(face, "__all__", ()) or attribute == "__version__"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_it_imports_public_names_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [f"{node.module}.{each.name}" for each in node.names] if isinstance(node, ast.ImportFrom) else []
        for name in (each.removeprefix("pt_rankcorr.") for each in names if each.startswith("pt_rankcorr.")):
            assert name.split(".")[0] in GROUND_FLOOR | {"cli"} or name in KNOWN or is_public(name), name


def test_it_asks_for_public_names_only() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ptr":
                assert node.attr in {*ptr.__all__, "__version__"}, node.attr


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (_parser.NULLS, set(NULLS) - {"two-sample"}),
        (_parser.COVARIANCES, set(COVARIANCES)),
        (_parser.TESTS, set(TESTS)),
        (_parser.METHODS, set(METHODS)),
        (_parser.ESTIMATORS, set(ESTIMATORS)),
        (_parser.COEFFICIENTS, set(WEIGHTS)),
        (_papers.AGAIN, set(LEAST)),
        (_papers.CORRELATIONS, set(COEFFICIENTS)),
        (_leaderboards.AGREEMENTS, set(KERNELS)),
        (_leaderboards.LEADERBOARDS, set(FORMATS)),
        (_leaderboards.ON_MISSING, set(POLICIES)),
    ],
)
def test_options_offer_what_functions_take(offered: tuple[str, ...], taken: set[str]) -> None:
    assert set(offered) == taken


@pytest.mark.parametrize("function", CALLED, ids=lambda each: each.__name__)
def test_every_argument_has_its_option(function: Callable[..., object]) -> None:
    """A message of the function names its argument in backticks."""
    for name in set(inspect.signature(function).parameters) - NOT_SETTABLE:
        assert OPTIONS[name] == "the scores" or OPTIONS[name].startswith("--"), name


def test_defaults_are_those_of_the_functions() -> None:
    ranks = _parser.parse(["ranks", "--scores", "a"])
    assert ranks.method == inspect.signature(ptr.rank_intervals).parameters["method"].default
    distance = _parser.parse(["compare", "--scores", "a"])
    assert distance.null == inspect.signature(ptr.compare).parameters["null"].default
    assert distance.covariance is inspect.signature(ptr.compare).parameters["covariance"].default
    assert distance.resamples == inspect.signature(ptr.compare).parameters["n_resamples"].default
    default = inspect.signature(ptr.discriminative_power).parameters["test"].default
    assert inspect.signature(ptr.compare_judgments).parameters["test"].default == default
    assert _parser.METHODS[0] == inspect.signature(ptr.rank_intervals).parameters["method"].default
    assert _parser.NULLS[0] == inspect.signature(ptr.d_rank).parameters["null"].default
    assert _parser.parse(["power", "--scores", "a"]).test == default
    judgments = ["judgments", "--runs", "a", "--qrels", "b", "--against", "c", "--measures", "AP"]
    assert _parser.parse(judgments).test == default
    leaderboards = _parser.parse(["leaderboards", "--reference", "a", "--judges", "b"])
    defaults = inspect.signature(ptr.compare_leaderboards).parameters
    assert leaderboards.resamples == defaults["n_resamples"].default
    for name in ("test", "missing", "intervals", "top", "per_topic", "ties", "level", "alpha"):
        assert getattr(leaderboards, name) == defaults[name].default


@pytest.mark.parametrize(
    ("command", "function"),
    [
        ("compare --scores a", ptr.compare),
        ("drank --scores a", ptr.d_rank),
        ("expected --scores a", ptr.expected_correlation),
        ("ranks --scores a", ptr.rank_intervals),
        ("ranks --scores a", ptr.best_systems),
        ("power --scores a", ptr.discriminative_power),
        ("swap --scores a", ptr.stats.swap_rates),
        ("stability --scores a", ptr.stats.stability),
        ("error --scores a", ptr.stats.correlation_standard_error),
        ("judgments --runs a --qrels b --against c --measures AP", ptr.compare_judgments),
        ("curve --runs a --qrels b --depths 1 --measures AP", ptr.judgment_curve),
        ("leaderboards --reference a --judges b", ptr.compare_leaderboards),
        ("report --scores a --output b.html", ptr.report),
    ],
)
def test_commands_resample_as_often_as_the_functions(command: str, function: Callable[..., object]) -> None:
    default = inspect.signature(function).parameters["n_resamples"].default
    assert _parser.parse(command.split()).resamples == default
    assert default in (_parser.RESAMPLES, _parser.FEWER_RESAMPLES) == (RESAMPLES, FEWER_RESAMPLES)


def test_rankings_are_tested_with_equally_many_resamples_everywhere() -> None:
    """But on a page, which has it all, and of many judges; their help says so."""
    tests = [ptr.d_rank, ptr.DRankTest, ptr.DRank, ptr.compare, ptr.compare_judgments]
    tests += [ptr.judgment_curve, ptr.rank_intervals, ptr.RankInterval, ptr.best_systems]
    assert {inspect.signature(each).parameters["n_resamples"].default for each in tests} == {RESAMPLES}


def test_messages_speak_of_options() -> None:
    message = '`n_resamples` must be 2. Use null="published", or `download=True`; `others` and `reference_qrels`.'
    expected = "--resamples must be 2. Use --null published, or --download; --against and --qrels."
    assert in_words_of_the_command_line(message) == expected


def test_the_test_of_pairs_is_named(cli: Callable[..., Ran], folder: Path) -> None:
    options = ["--runs", folder / "runs", "--qrels", folder / "qrels", "--measures", "AP", "--seed", 1]
    assert cli("power", *options).out.splitlines()[1].endswith("tukey-hsd, corrected")
    assert cli("power", *options, "--test", "t").out.splitlines()[1].endswith("t, uncorrected")
    judged = cli("judgments", *options, "--against", folder / "far.qrels", "--resamples", 99)
    assert "pairs: randomised Tukey HSD test, corrected" in judged.err


@pytest.mark.parametrize("command", ["compare", "drank", "report"])
def test_an_unknown_reference_is_that_of_the_option(command: str, cli: Callable[..., Ran], folder: Path) -> None:
    options = ["--runs", folder / "runs", "--qrels", folder / "qrels", "--measures", "AP", "P@5", "--quiet"]
    page = ["--output", folder / "page.html"] if command == "report" else []
    ran = cli(command, *options, *page, "--reference", "nDGC")
    assert ran.status == 1
    assert re.match(r"pt-rankcorr: error: --reference must be among 'AP', 'P@5', got 'nDGC'", ran.err)
    assert "`" not in ran.err
