"""All results show themselves: printed, as a frame, in a notebook, as LaTeX, and those that can as a picture."""

import dataclasses
import html
import inspect
import re
import warnings
from functools import partial

import matplotlib

matplotlib.use("agg")

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, nDCG
from matplotlib import pyplot as plt

import pt_rankcorr as rc
from pt_rankcorr import judgments, stats
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.display import Displayable
from pt_rankcorr.plots import PICTURES
from pt_rankcorr.stats.core.types import Result, TestResult
from pt_rankcorr.tables import MOST, Table, facts, kind_of
from pt_rankcorr.text import plain
from pt_rankcorr.writers import NARROW
from tests import fixtures
from tests.cases import CASES
from tests.fixtures import Page
from tests.project.test_architecture import subclasses

pytestmark = pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # judges of few labels
QRELS = fixtures.qrels()
RUNS = {name: system.transform(fixtures.topics()) for name, system in fixtures.systems().items()}
HOSTILE = ["run_a$1%", "<b>run & b</b>", "run\\c{}", "run\nd", "rün e", "runF"]
DRAWN = np.random.default_rng(0).random((12, 6)) + 0.1 * np.arange(6)
TOPICS = [f"q{number}" for number in range(12)]
SCORES = rc.ScoreMatrix(DRAWN, TOPICS, HOSTILE, "AP")
OTHERS = rc.ScoreMatrix(DRAWN[:, ::-1] ** 2, TOPICS, HOSTILE, "P@10")
THIRD = rc.ScoreMatrix(DRAWN**2 + DRAWN[::-1], TOPICS, HOSTILE, "AP")
JUDGES = {"<one>": rc.Scores([SCORES]), "two": rc.Scores([OTHERS.named("AP")])}
FEW = {"n_resamples": 40, "rng": 1}


def judged():
    return rc.compare_judgments(RUNS, QRELS, {"twin": QRELS, "half": QRELS.iloc[::2]}, [AP], **FEW)


def boards():
    return rc.compare_leaderboards(rc.Scores([SCORES]), JUDGES, **FEW)


def collections():
    return rc.compare_leaderboards(dict.fromkeys("ab", rc.Scores([SCORES])), dict.fromkeys("ab", JUDGES), **FEW)


def in_families():
    judges = {
        name: rc.Scores([each.named("AP")]) for name, each in {"a-1": SCORES, "a-2": OTHERS, "b-1": THIRD}.items()
    }
    return rc.compare_leaderboards(rc.Scores([SCORES]), judgments.Judges(judges, panels={"<all>": "*"}), **FEW)


def families(**how):
    return in_families().families("(?P<model>.)-(?P<prompt>.)", **how)


BACKWARDS = QRELS.assign(label=QRELS["label"].iloc[::-1].values)
LABELS = judgments.compare_labels(QRELS, {"back": BACKWARDS, "<half>": QRELS.iloc[::2]})
BASES = {
    *("Displayable", "Drawable", "Quotable", "Result", "TestResult"),
    *("ByMeasure", "Comparison", "JudgesCompared"),
}
SHOWN = {kind.__name__ for kind in subclasses(Displayable)} - BASES


def of_statistics():
    """What the statistics of `tests/cases.py` return, by name of the type."""
    made = {}
    for case in CASES.values():
        for name in SHOWN & {*re.findall(r"\w+", str(inspect.signature(case.function).return_annotation))}:
            made.setdefault(name, partial(case, SCORES, OTHERS, n_draws=9, **FEW))
    return made


MADE = (
    of_statistics()
    | {
        "OneTrueRanking": lambda: rc.correlation_interval(SCORES, OTHERS, **FEW).one_true_ranking,
        "ReversedPairs": lambda: rc.correlation_interval(SCORES, OTHERS, **FEW).reversed_pairs(),
        "RankGeometry": lambda: stats.rank_geometry(DRAWN[:, :3], DRAWN[0, :3]),  # it draws three systems
        "SwapRatesResult": lambda: stats.swap_rates(SCORES, max_rate=0.99, **FEW),
        "TopicsNeeded": lambda: rc.expected_correlation(SCORES, **FEW).topics_needed(0.9),
        "LabelAgreement": lambda: LABELS.agreement["back"],
        "LabelChecks": lambda: LABELS.label_checks,
        "LabelComparison": lambda: LABELS,
        "JudgesAlpha": lambda: judgments.alpha_of_judges({"one": QRELS, "two": QRELS.assign(label=1)}),
        "PairAccuracy": lambda: judgments.pair_accuracy(QRELS, BACKWARDS),
        "LeaveOut": lambda: judgments.leave_out(RUNS, QRELS, [AP], verbose=False),
        "RankingAgreement": lambda: judged().rows[0],
        "SignificantPairs": lambda: judged().rows[0].pairs,
        "JudgeRanking": lambda: boards().judges(),
        "JudgeFamilies": lambda: families(),
        "JudgeRepetitions": lambda: families(repetition="prompt").repetitions,
        "PanelComparison": lambda: in_families().panels(),
        "JudgeBias": lambda: boards().bias({"first": HOSTILE[:2]}, same_scale=True),
        "DrawableByMeasure": lambda: stats.stability({"AP": SCORES, "P@10": OTHERS}, **FEW),
        "JudgeComparison": boards,
        "JudgesByCollection": collections,
        "MeasureComparison": lambda: rc.compare(rc.Scores([SCORES, OTHERS]), **FEW),
        "MeasureMatrix": lambda: rc.compare(rc.Scores([SCORES, OTHERS]), **FEW).matrix(),
        "JudgmentCurve": lambda: rc.judgment_curve(RUNS, QRELS, [AP, nDCG], depths=[1, 2], **FEW),
    }
)
each = pytest.mark.parametrize("name", MADE)


@pytest.fixture(scope="module")
def made():
    """Each result once."""
    results = {}
    return lambda name: results.setdefault(name, results[name] if name in results else MADE[name]())


def test_none_is_forgotten():
    assert set(MADE) == SHOWN
    assert issubclass(TestResult, Result)


@each
def test_its_arrays_are_read_only_and_made_again_it_is_equal(name, made):
    """What is computed once and held by several must not be changed by one of them."""
    result = made(name)
    assert not re.search(r"\b_\w+=", repr(result))
    if isinstance(result, Result):
        held = [getattr(result, field.name) for field in dataclasses.fields(result)]
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, dataclasses.fields(result)[0].name, None)
        assert not any(value.flags.writeable for value in held if isinstance(value, np.ndarray))
        assert type(result).__eq__ is Result.__eq__  # by which nan equals nan
        again = MADE[name]()
        assert again == result
        assert hash(again) == hash(result)


@each
def test_it_prints_a_small_table(name, made):
    text = str(made(name))
    lines = text.splitlines()
    assert 1 < len(lines) <= MOST + 20  # an answer, the head, rows left out, and notes, which are never cut
    assert max(map(len, lines)) <= NARROW
    assert "\n\n" not in text, "columns of the short form are declared"
    assert not re.search(r"(?<![\d.])0\.\d+(?![\d%])", re.sub("p (>|<=) 0.05|(for|of) 0.9", "", text))
    assert all(line.isprintable() for line in lines)


@each
def test_it_is_a_frame(name, made):
    assert type(made(name)).__name__ == name
    frame = made(name).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0
    assert frame.columns.is_unique


@each
def test_a_notebook_shows_it(name, made):
    page = Page(made(name)._repr_html_())
    assert page.open == []
    assert {"table", "thead", "tbody"} <= page.tags.keys()
    assert "b" not in page.tags  # that of a name is escaped


@each
def test_its_latex_is_a_table_with_rules(name, made):
    source = made(name).to_latex()
    kinds = re.findall(r"\\begin\{(tabular|longtable)\}", source)
    assert kinds == re.findall(r"\\end\{(tabular|longtable)\}", source) != []
    assert source.count(r"\toprule") == source.count(r"\bottomrule") == len(kinds)
    assert not re.search(r"(?<!\\)[$%_](?![^$]*\$)", re.sub(r"\$[^$]*\$|^% .*$", "", source, flags=re.M))


@each
def test_its_markdown_is_a_table(name, made):
    lines = made(name).to_markdown().splitlines()
    table = [line for line in lines if line.startswith("| ")]
    assert re.fullmatch(r"\| (---:?( \| )?)+ \|", table[1])
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1


@each
def test_plot_exists_where_there_is_a_picture(name, made):
    pictured = PICTURES.keys() & {kind.__name__ for kind in type(made(name)).__mro__}
    assert hasattr(made(name), "plot") == (bool(pictured) or name in {"DrawableByMeasure", "MeasureComparison"})
    if not hasattr(made(name), "plot"):
        return
    figure, given = plt.subplots(1, 2 if name == "AllowedRanks" else 1)
    drawn = made(name).plot(given)
    assert np.ravel(drawn).tolist() == np.ravel(given).tolist()
    assert all(panel.has_data() for panel in np.ravel(drawn))
    figure.canvas.draw()  # which fails where a name is taken for a formula
    plt.close(figure)


def test_ipython_prints_it():
    class Printer:
        text = staticmethod(lambda shown: printed.append(shown))

    printed = []
    result = MADE["BestSystems"]()
    result._repr_pretty_(Printer, False)
    result._repr_pretty_(Printer, True)
    assert printed == [str(result), "BestSystems"]


def test_of_many_rows_the_first_are_shown():
    result = rc.discriminative_power(np.random.default_rng(0).random((6, 12)), **FEW)
    lines = str(result).splitlines()
    assert lines[MOST + 2] == "... and 36 rows more, which to_frame() has."
    assert len(result.to_frame()) == 66
    assert Page(result._repr_html_()).text.count("s1") <= 11


def test_the_frame_of_rank_intervals_has_the_order_that_is_printed():
    result = rc.rank_intervals(DRAWN, **FEW)
    assert result.to_frame()["system"].tolist() == ["s5", "s6", "s4", "s3", "s2", "s1"]
    assert result.to_frame()["rank"].tolist() == sorted(result.rank)
    assert [line.split()[0] for line in str(result).splitlines()[2:8]] == ["s5", "s6", "s4", "s3", "s2", "s1"]


@pytest.mark.parametrize(
    ("ranking", "answer"),
    [
        (np.arange(6), "The ranking could be the true ranking by the reference (p = .{}): the choice of 12 topics"),
        (-np.arange(6), "The ranking is significantly different from the true ranking by the reference (p = .{})"),
        (DRAWN.mean(axis=0), "The ranking is that of the reference."),
        (np.zeros(6), "Whether the ranking could be the true one is undefined: it or the reference ties all systems."),
    ],
)
def test_d_rank_answers_before_it_tells_numbers(ranking, answer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rc.warnings.DegenerateInputWarning)
        found = rc.d_rank(DRAWN, ranking, n_resamples=199, rng=1)
    lines = found.to_text().splitlines()
    assert lines[0].startswith(answer.format(f"{found.pvalue:.3f}"[2:]))
    assert [line.split()[0] for line in lines[2:]] == ["d_rank", "p-value", "Monte", "systems", "topics", "Null"]
    assert plain(found._repr_html_()).startswith(f"<p>{html.escape(plain(lines[0]))}</p><table>")
    assert "ranking" not in found.to_latex()


def test_of_several_rankings_d_rank_tells_how_many_differ():
    several = rc.d_rank(DRAWN, stats.Rankings([np.arange(6), -np.arange(6)]), n_resamples=199, rng=1)
    answer = "1 of 2 rankings are significantly different from the true ranking by the reference (p <= .05).\n"
    assert str(several).startswith(answer)


def test_a_p_value_that_more_resamples_may_turn_decides_nothing():
    found = rc.d_rank(DRAWN, -np.arange(6), n_resamples=199, rng=1)
    near = dataclasses.replace(found, pvalue=0.06, pvalue_standard_error=0.017)
    answer = "p = .060 is too near .05 to say whether the ranking could be the true one: other resamples may decide "
    assert near.to_text().startswith(answer + "otherwise.\n")


def test_allowed_ranks_go_from_the_first_to_the_last_that_is_allowed():
    allowed = stats.allowed_ranks(DRAWN, n_null_resamples=19, **FEW)
    frame = allowed.to_frame()
    assert len(frame) == 36
    shares = frame.pivot(index="system", columns="rank", values="by_distance").loc["s5"].to_numpy()
    first, last = np.flatnonzero(shares)[[0, -1]] + 1
    assert str(allowed).splitlines()[1].split()[:3] == ["s5", str(first), str(last)]
    nobody = stats.allowed_ranks(np.full((4, 3), 0.5) + np.arange(3), tau=1.0, n_null_resamples=19, **FEW)
    assert len(nobody.to_text().splitlines()) == 5


@pytest.mark.parametrize(
    ("name", "values", "texts"),
    [
        ("tau", [1.0, -1e-9, 0.72], ["1.00", ".00", ".72"]),
        ("tau", [float("nan"), float("inf")], ["-", "inf"]),
        ("p-value", [1e-5, 0.04321, 1.0], ["<.001", ".043", "1.000"]),
        ("rank", [2.5, 1.0], ["2.5", "1"]),
        ("low", [0.25, 1.0], [".250", "1.000"]),
        ("comparisons", np.array([10.0, 123456.0]), ["10", "123456"]),
        ("difference", [0.00012, 0.00345], [".0001", ".0034"]),
        ("ridge", [3e-8], ["3e-08"]),
        ("mean", [12345.678, 1.0], ["12345.7", "1.0"]),
        ("number", np.array([1, 2]), ["1", "2"]),
        ("flag", [True, False, None, "word"], ["yes", "no", "none", "word"]),
    ],
)
def test_numbers_have_one_style(name, values, texts):
    assert kind_of(name).texts(values) == texts


def test_a_round_setting_is_shown_as_it_was_given():
    settings = {"level": 0.95, "alpha": 0.5, "tau": 2 / 3, "pvalue": 0.05, "change": -0.25}
    (shown,) = Table(facts(settings), [None]).cells()
    assert list(shown.values()) == [".95", ".5", ".67", ".050", "-.25"]


@pytest.mark.parametrize(
    ("gaps", "said"),
    [
        ([0.0, 9.0, 0.1], "the best of 3 systems is this one."),
        ([9.0, 8.9, 0.0], "the best of 3 systems is one of these 2."),
        ([0.0, 0.1, 0.0], "the best of 3 systems is any of these 3."),
    ],
)
def test_what_the_best_systems_are_is_said_first(gaps, said):
    scores = np.random.default_rng(1).normal(size=(30, 3)) + gaps
    answer, *_, note = rc.best_systems(scores, rng=1).to_text().splitlines()
    assert answer == f"With {LEVEL:.0%} confidence, {said}"
    assert note == "30 topics; method pairwise; 10000 draws."


def test_one_number_for_each_measure_is_one_row():
    results = rc.discriminative_power({"AP": SCORES, "P@10": OTHERS}, **FEW)
    *table, note = results.to_text().splitlines()
    assert [line.split()[0] for line in table] == ["measure", "AP", "P@10"]
    assert note.startswith(
        "15 pairs of 6 systems, 12 topics. Significant: p <= .05, largest studentised difference (max-t), corrected."
    )
    frame = results.to_frame()
    assert frame["measure"].value_counts().to_dict() == {"AP": 15, "P@10": 15}
    plt = pytest.importorskip("matplotlib.pyplot")
    assert results.plot().get_xlabel()
    plt.close("all")
