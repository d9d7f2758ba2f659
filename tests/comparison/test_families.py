"""Judges that come as model x prompt, and judges with topics of their own."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr import correlation_interval
from pt_rankcorr.comparison.compare_leaderboards import compare_leaderboards
from pt_rankcorr.comparison.families import factor_table
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.accuracy.variance_components import components_of, sampling_error_between
from pt_rankcorr.warnings import UnreliableResultWarning
from tests.comparison.definitions import check_row
from tests.comparison.test_compare_leaderboards import QUICK, REFERENCE, RUNS, leaderboard

NAMES = ["gpt-short", "gpt-long", "llama-short", "llama-long", "qwen-short", "qwen-long"]
JUDGES = {name: leaderboard(0.05 if name.startswith("gpt") else 0.6, at) for at, name in enumerate(NAMES, 5)}
PATTERN = r"(?P<model>\w+)-(?P<prompt>\w+)"


def test_components_are_those_of_these_topics_and_the_best_of_a_model_is_told():
    result = compare_leaderboards(REFERENCE, JUDGES, **QUICK)
    found = result.families(PATTERN)
    each = [
        correlation_interval(REFERENCE["nDCG"], scores["nDCG"], n_resamples=99, rng=1) for scores in JUDGES.values()
    ]
    errors, values = np.array([own.standard_error for own in each]), np.array([own.statistic for own in each])
    sampling_error = np.corrcoef([own.replicates for own in each]) * np.outer(errors, errors)
    expected = components_of(values, sampling_error, [np.repeat(np.arange(3), 2), np.arange(6)], LEVEL)
    assert np.array(found.components) == pytest.approx(np.array(expected), abs=1e-4)
    assert found.sampling_error == pytest.approx(sampling_error_between(sampling_error))
    assert found.shares.sum() == pytest.approx(1.0)
    assert found.to_frame()["variation"].tolist() == ["model", "prompt within model", "topic sampling error"]
    assert found.best["group"].tolist() == ["gpt", "llama", "qwen"]
    pair = compare_leaderboards(REFERENCE, {name: JUDGES[name] for name in NAMES[2:4]}, **QUICK)
    assert found.best.loc[1, "told"] == (len(pair.judges().may_be_best) == 1)
    table = pd.DataFrame([name.split("-") for name in NAMES], NAMES, ["model", "prompt"])
    assert result.families(table) == found == result.families(table.T.to_dict())
    assert result.families(table.reset_index(names="judge")) == found


def test_wrong_factors():
    for factors, message in (
        (r"(?P<model>gpt|llama)-", "must have a group of every judge, got none for 'qwen-long', 'qwen-short'"),
        ("(", r"must be a regular expression, got '\('"),
        (r"(?P<kind>-)", "must differ between judges, got the same 'kind' for all"),
        ("gpt|llama|qwen", "must have at least 1 factor of at least 3 judges, got 0 of 6"),
        (pd.DataFrame({"judge": [*NAMES, NAMES[0]], "kind": range(7)}), f"must have each judge once, .* '{NAMES[0]}'"),
    ):
        with pytest.raises(ValueError, match=f"`factors` {message}"):
            factor_table(factors, NAMES)
    for nothing in (None, np.nan, "", " "):
        table = pd.DataFrame({"judge": NAMES, "model": [*"ababa", nothing]})
        with pytest.raises(ValueError, match=r"`factors` must .*got none for 'qwen-long'"):
            factor_table(table, NAMES)
    with pytest.raises(TypeError, match="`factors`"):
        factor_table(3, NAMES)
    tied = Scores([ScoreMatrix(np.ones((12, 8)), REFERENCE.topics, RUNS, "nDCG")])
    result = compare_leaderboards(REFERENCE, {**JUDGES, "gpt-tied": JUDGES["gpt-long"]}, **QUICK)
    result.others["gpt-tied"] = tied
    with pytest.raises(ValueError, match="`judges` must not tie all systems, but 'gpt-tied' do"):
        result.families(PATTERN)


def test_a_judge_that_no_resample_changes_has_no_sampling_error():
    judges = {**JUDGES, "gpt-same": REFERENCE}
    found = compare_leaderboards(REFERENCE, judges, **QUICK).families(PATTERN)
    assert 0.0 < found.sampling_error < 1.0
    assert np.isfinite(np.array(found.components)).all()


def test_resamples_in_which_a_judge_ties_all_systems_are_left_out():
    rarely = np.full((12, 8), 0.5)
    rarely[:2] = JUDGES["gpt-long"]["nDCG"].values[:2]
    judges = {**JUDGES, "gpt-rare": Scores([ScoreMatrix(rarely, REFERENCE.topics, RUNS, "nDCG")])}
    found = compare_leaderboards(REFERENCE, judges, **QUICK).families(PATTERN)
    assert np.isfinite([found.sampling_error, *np.ravel(found.components)]).all()


def test_the_same_labels_under_two_names_are_refused():
    """They differ by nothing, which is no variation between prompts."""
    result = compare_leaderboards(REFERENCE, {**JUDGES, "gpt-copy": JUDGES["gpt-long"]}, **QUICK)
    with pytest.raises(ValueError, match="`judges` must differ, got the same scores from 'gpt-copy', 'gpt-long'"):
        result.families(PATTERN)


def elsewhere(scores, n_topics):
    """On other topics, some of which may be the same rows."""
    kept = scores.select(topics=scores.topics[:n_topics])
    topics = [f"synthetic {topic}" for topic in kept.topics]
    return Scores([ScoreMatrix(kept["nDCG"].values, topics, RUNS, "nDCG")])


def test_all_of_a_row_is_of_two_samples():
    others = {"nine": elsewhere(JUDGES["llama-long"], 9), "twelve": elsewhere(JUDGES["qwen-long"], 12)}
    how = {**QUICK, "same_topics": False}
    result = compare_leaderboards(REFERENCE, others, d_rank=True, **how)
    for row, scores in zip(result, others.values(), strict=True):
        estimate = scores["nDCG"]
        check_row(row, REFERENCE["nDCG"], estimate)
        assert row.details["n_judge_topics"] == estimate.n_topics
        for name, (low, high) in row.pairs.intervals.items():
            assert low <= getattr(row.pairs, name) <= high
    assert "8 runs on 12 topics; judges on 9 to 12 topics of their own: two independent samples." in str(result)
    ranking = result.judges()
    for name, correlation in zip(ranking.judges, ranking.correlations, strict=True):
        assert result.row(name, "nDCG").correlations["tau"] == correlation
        assert correlation.df == others[name]["nDCG"].n_topics - 1
    with pytest.raises(ValueError, match="same_topics=False is for judges with topics of their own"):
        compare_leaderboards(REFERENCE, others, **QUICK)
    with pytest.raises(ValueError, match="`groups`"):
        result.bias({"a": ["r0"]})
    with pytest.raises(ValueError, match="`same_topics` must be True for statistics of single topics"):
        result.per_topic()


def test_runs_must_be_the_same_on_both_samples():
    less = {"less": elsewhere(JUDGES["llama-long"], 9).drop(systems=["r1"])}
    how = {**QUICK, "same_topics": False, "test": None}
    with pytest.raises(ValueError, match=r"'less' lacks runs 'r1'\. `missing='drop-systems'` leaves out"):
        compare_leaderboards(REFERENCE, less, **how)
    assert compare_leaderboards(REFERENCE, less, missing="skip", **how).dropped_systems == ("r1",)


def test_one_factor_may_be_a_repetition():
    """Equal labels are then allowed, the judges of a group are the runs of one, and it is within all others."""
    judges = {f"{name.replace('-', '.')}-{run}": leaderboard(0.3, run) for name in NAMES[:4:2] for run in (11, 12, 13)}
    judges |= {f"same-{run}": JUDGES["qwen-long"] for run in (1, 2)}
    result = compare_leaderboards(REFERENCE, judges, **QUICK)
    with pytest.raises(ValueError, match="`judges` must differ, got the same scores from"):
        result.families(r"(?P<judge>.+)-(?P<run>\d+)")
    equal = {name: scores for name, scores in judges.items() if not name.startswith("llama")}
    result = compare_leaderboards(REFERENCE, equal, **QUICK)
    found = result.families(r"(?P<model>.+)-(?P<run>\d+)", repetition="run")
    assert found.factors == ("model", "run")
    assert result.families(r"(?P<model>.+)-(?P<run>\d+)$", "nDCG", repetition="run") == found
    rows = list(found.repetitions.judges.itertuples(index=False))
    by_name = {row.judge: row for row in rows}
    assert by_name["same"].between_runs == pytest.approx(0.0, abs=1e-6)
    assert by_name["same"].between_both == pytest.approx(0.0, abs=1e-6)
    taus = [result.row(name, "nDCG").tau for name in equal if name.startswith("gpt")]
    assert by_name["gpt.short"].mean == pytest.approx(np.mean(taus))
    assert np.isnan(by_name["same"].differ)
    alone = compare_leaderboards(REFERENCE, {"same-1": JUDGES["qwen-long"]}, n_resamples=99, rng=1)
    assert by_name["same"].error == pytest.approx(alone.rows[0].correlations["tau"].standard_error, rel=1e-6)
    first = by_name["same"] if by_name["same"].mean > by_name["gpt.short"].mean else by_name["gpt.short"]
    assert rows[0] is first
    table = pd.DataFrame({name: dict(zip(["run", "model"], name.split("-")[::-1], strict=True)) for name in equal}).T
    assert result.families(table, repetition="run") == found


STRATA, CLUSTERS = [str(at % 5) for at in range(12)], [str(at // 3) for at in range(12)]


@pytest.mark.parametrize(
    ("of_reference", "of_judge", "n_topics", "df"),
    [
        ({}, {}, 12, 11),
        ({}, {"strata": STRATA}, 12, 7),
        ({}, {"clusters": CLUSTERS}, 12, 3),
        ({"strata": STRATA}, {}, 12, 7),
        ({"strata": ["a", "b"] * 6}, {}, 6, 5),
        ({"strata": STRATA}, {}, 6, 5),
    ],
)
def test_each_side_pays_for_its_own_strata(of_reference, of_judge, n_topics, df):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)
        judge = elsewhere(JUDGES["qwen-long"], n_topics).with_design(**of_judge)
        reference = REFERENCE.with_design(**of_reference)
        (row,) = compare_leaderboards(reference, {"judge": judge}, same_topics=False, **QUICK)
    assert row.correlations["tau"].df == df


def test_judges_on_the_same_topics_in_other_designs_are_other_samples():
    alone = elsewhere(JUDGES["qwen-long"], 12)
    judges = {"alone": alone, "strata": alone.with_design(strata=STRATA)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableResultWarning)
        judges["clusters"] = alone.with_design(clusters=CLUSTERS)
        how = {"same_topics": False, **QUICK}
        result = compare_leaderboards(REFERENCE, judges, **how)
        for name, scores in judges.items():
            (row,) = compare_leaderboards(REFERENCE, {name: scores}, **how)
            assert row.correlations == result.row(name).correlations
        assert set(result.judges().judges) == {*judges}
