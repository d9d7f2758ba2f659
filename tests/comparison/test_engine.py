"""What the engine of comparisons promises its callers: nothing ignored, nothing mistaken, nothing left behind."""

import sys
import threading
import warnings

import numpy as np
import pytest
from ir_measures import AP
from joblib import parallel_config

import pt_rankcorr as rc
from pt_rankcorr import ScoreMatrix, Scores, compare, compare_judgments, compare_leaderboards, kendall_tau
from pt_rankcorr.comparison.compare import compare_measures
from pt_rankcorr.comparison.engine import Engine
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import UNNAMED_COLLECTION
from pt_rankcorr.stats import Coefficient
from pt_rankcorr.stats.coefficients.kendall import TAU
from pt_rankcorr.warnings import DegenerateInputWarning, FailedJudgesWarning
from tests.comparison.test_compare_judgments import QRELS, RUNS, judge
from tests.comparison.test_compare_leaderboards import JUDGES, REFERENCE, leaderboard

QUICK = {"n_resamples": 99, "rng": 1, "test": None}
SHARED = REFERENCE["nDCG"]
SCORES = Scores([SHARED, SHARED.named("AP"), JUDGES["poor"]["nDCG"].named("RR")])


# --- names that were sentinels ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "the reference", "scores"])
def test_judges_of_any_name(name):
    sets, how = {name: judge(0.9, 2), "other": judge(0.1, 1)}, QUICK
    result = compare_judgments(RUNS, QRELS, sets, [AP], **how)
    plain = compare_judgments(RUNS, QRELS, {"plain": sets[name], "other": sets["other"]}, [AP], **how)
    named = {**plain.row("plain", "AP").to_dict(), "judge": name}
    assert [row.to_dict() for row in result] == [named, plain.row("other", "AP").to_dict()]
    labels = rc.judgments.compare_labels(QRELS, sets)
    assert {*labels.judges} == {name, "other"}
    assert [each.name for each in labels.label_checks.sets] == [name, "other"]
    assert labels.label_checks.reference.n_judgments == len(QRELS.drop_duplicates(["qid", "docno"]))
    boards = compare_leaderboards(REFERENCE, {name: JUDGES["good"], "other": JUDGES["poor"]}, **how)
    assert boards.row(name, "nDCG").tau == compare_leaderboards(REFERENCE, JUDGES, **how).row("good", "nDCG").tau


def test_a_collection_called_scores_is_shown():
    how = {**QUICK, "n_resamples": 0}
    named, alone = compare({"scores": SCORES}, **how), compare(SCORES, **how)
    assert str(named).split()[0] == "collection"
    assert "scores: 8 systems" in str(named)
    assert str(alone).split()[0] == "reference"
    assert [row.to_dict() for row in named] == [row.to_dict() for row in alone]
    tied = ScoreMatrix(np.ones((12, 8)), SHARED.topics, SHARED.systems, "tied")
    with pytest.warns(DegenerateInputWarning, match="in 'judge scores, reference nDCG, measure tied'"):
        compare_leaderboards(REFERENCE, {"scores": Scores([tied])}, reference_measure="nDCG", **how)


@pytest.mark.parametrize("name", ["measure", "n_topics"])
def test_coefficients_named_like_a_column(name):
    own = Coefficient(name, "own", lambda reference, estimate: kendall_tau(reference, estimate))
    with pytest.raises(ValueError, match=f"`coefficients` must not be named like another column of rows, got '{name}'"):
        compare(SCORES, coefficients=own, **QUICK)


# --- several collections ------------------------------------------------------------------------------------


def test_numbers_do_not_depend_on_the_order_of_collections():
    references = {name: leaderboard(0.02, seed) for name, seed in (("b", 1), ("c", 2), ("a", 3))}
    judges = {name: {"x": leaderboard(0.1, at), "y": leaderboard(0.5, at + 9)} for at, name in enumerate(references)}
    swapped = {name: dict(reversed(judges[name].items())) for name in sorted(references)}
    first = compare_leaderboards(references, judges, **QUICK)
    other = compare_leaderboards({name: references[name] for name in sorted(references)}, swapped, **QUICK)
    for row in first:
        again = other.row(*row.key.values())
        assert again == row
    for row in first.rows[:2]:
        again = other.row(*row.key.values())
        same = (one.correlations["tau"].one_true_ranking.replicates.tolist() for one in (again, row))
        assert next(same) == next(same)
    pairs = [result.judges().pairs() for result in (first, other)]
    assert pairs[0].equals(pairs[1])


def test_judges_that_a_collection_lacks_are_named():
    references = {"a": REFERENCE, "b": REFERENCE}
    judges = {"a": {**JUDGES, "late": leaderboard(0.3, 7)}, "b": JUDGES}
    result = compare_leaderboards(references, judges, **QUICK)
    assert "Not in all collections: 'late'." in str(result)
    with pytest.warns(FailedJudgesWarning, match="Judges that a collection lacks are left out: 'late'"):
        assert "late" not in result.judges().judges
    both = Scores([*JUDGES["good"].values(), JUDGES["good"]["nDCG"].named("AP")])
    truth = Scores([*REFERENCE.values(), REFERENCE["nDCG"].named("AP")])
    part = compare_leaderboards({"a": truth, "b": truth}, {"a": {"x": both}, "b": {"x": JUDGES["good"]}}, **QUICK)
    assert "Not in all collections: 'x by AP'." in str(part)


# --- options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare_leaderboards(REFERENCE, JUDGES, same_topics=False, d_rank=rc.DRank(null="published")),
            "`null` must be 'two-sample' if judges have topics of their own, got 'published'",
        ),
        (
            lambda: compare_leaderboards(REFERENCE, rc.judgments.Judges(JUDGES, label_map={3: 2})),
            "`label_map` must be None for leaderboards, which have no labels",
        ),
        (
            lambda: rc.judgment_curve(RUNS, QRELS, [AP], depths=[1], repetitions=2),
            "`repetitions` must be None for depths",
        ),
    ],
)
def test_options_that_would_be_ignored(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- threads, terminals, interrupts -------------------------------------------------------------------------


def test_threads_change_no_filter_of_warnings(monkeypatch):
    """Filters are of the process: a thread that restored them late would undo what others set."""
    seen = set()
    compute = Engine._rows

    def looking(*arguments):
        rows = compute(*arguments)
        seen.add(tuple(warnings.filters))
        return rows

    monkeypatch.setattr(Engine, "_rows", looking)
    own = Coefficient("own", "own", TAU.kernel)
    before, results = tuple(warnings.filters), []
    how = {**QUICK, "test": "t", "coefficients": own, "n_resamples": 19}

    def work():
        with parallel_config("threading"):
            results.append(compare(SCORES, n_jobs=2, **how).rows)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {before} == seen
    assert tuple(warnings.filters) == before
    assert results == [compare(SCORES, **how).rows] * 3


def test_the_caller_s_floating_point_errors_break_nothing():
    """Scores near 0 and 1, of which squares and distributions underflow."""
    random = np.random.default_rng(1)
    values = np.clip(SHARED.values + random.normal(0, 0.2, SHARED.values.shape), 0, 1) ** 9
    skewed = Scores([ScoreMatrix(values + 1e-50 * random.random(values.shape), SHARED.topics, SHARED.systems, "nDCG")])
    how = {"n_resamples": 99, "rng": 1, "d_rank": True}
    expected = compare_leaderboards(skewed, JUDGES, **how).per_topic()
    with np.errstate(all="raise"):
        result = compare_leaderboards(skewed, JUDGES, **how).per_topic()
        assert result.rows == expected.rows
        assert result.judges().judges == expected.judges().judges


def test_progress_on_a_terminal(monkeypatch):
    import pyterrier as pt

    bars = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    class Bar(pt.tqdm):
        def __init__(self, *given, **options):
            bars.append({**options, "updates": []})
            super().__init__(*given, **options)

        def update(self, n=1):
            bars[-1]["updates"].append(n)
            super().update(n)

    monkeypatch.setattr(pt, "tqdm", Bar)
    compare(SCORES, **QUICK)
    compare_measures({UNNAMED_COLLECTION: SCORES}, None, None, Engine(Settings(n_resamples=99, seed=1), verbose=False))
    (shown, hidden) = bars
    assert (shown["total"], sum(shown["updates"]), shown["disable"]) == (6, 6, None)
    assert hidden["disable"]


def test_what_was_finished_before_an_interrupt(monkeypatch):
    rows, compute = [], Engine._rows

    def stopping(*arguments):
        if len(rows) == 4:
            raise KeyboardInterrupt
        return compute(*arguments)

    monkeypatch.setattr(Engine, "_rows", stopping)
    with pytest.raises(KeyboardInterrupt):
        compare_measures(
            {UNNAMED_COLLECTION: SCORES}, None, None, Engine(Settings(n_resamples=99, seed=1), on_row=rows.append)
        )
    monkeypatch.undo()
    assert tuple(rows) == compare(SCORES, **QUICK).rows[:4]
