import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from pt_rankcorr import ScoreMatrix, Scores, compare_judgments, compare_leaderboards
from pt_rankcorr.judgments.pools import members_of
from pt_rankcorr.warnings import DegenerateInputWarning

RUNS = [*(f"first-{number}" for number in range(6)), *(f"re-{number}" for number in range(4))]
TOPICS = [str(number) for number in range(20)]
BIASED = np.array([name.startswith("re") for name in RUNS])
QUICK = {"n_resamples": 0, "rng": 1, "test": None}
GROUPS = {"rerankers": "re-*"}


def board(values, *measures):
    return Scores([ScoreMatrix(values, TOPICS, RUNS, name) for name in measures or ("nDCG",)])


def results():
    random = np.random.default_rng(2)
    return np.linspace(0.2, 0.8, len(RUNS))[random.permutation(len(RUNS))] + random.normal(0, 0.1, (20, len(RUNS)))


REFERENCE = results()
JUDGES = {
    "fair": board(0.4 + 0.5 * REFERENCE + np.random.default_rng(3).normal(0, 0.02, REFERENCE.shape)),
    "biased": board(REFERENCE + 0.2 * BIASED + np.random.default_rng(4).normal(0, 0.02, REFERENCE.shape)),
}


@pytest.fixture(scope="module")
def compared():
    return compare_leaderboards(board(REFERENCE), JUDGES, **QUICK)


@pytest.fixture(scope="module")
def found(compared):
    return compared.bias(GROUPS)


def test_a_biased_judge_is_found_and_a_lenient_one_is_not(found):
    fair, biased = (row for _, row in found.groups.iterrows())
    assert (fair["slope"], biased["slope"]) == pytest.approx((0.5, 1.0), abs=0.03)
    assert fair["shift low"] < 0 < fair["shift high"]
    assert biased["shift"] == pytest.approx(0.2, abs=0.02)
    assert fair["pvalue"] > 0.05 > biased["pvalue"] > 0
    assert [found.is_biased(shift) for shift in found.of_groups] == [False, True]
    assert found.apart == ()
    assert list(found.groups["n_runs"]) == [4, 4]


def test_intervals_and_p_values_are_corrected_alike(compared):
    """So an interval leaves out 0 where p is at most 1 - level, and only there."""
    few = compared.bias({"old": ["first-0", "first-5"]}).groups
    more = compared.bias({"old": ["first-0", "first-5"], "first": ["first-1", "first-2"], "re": "re-*"}).groups
    assert (more["pvalue"] <= 0.05).sum() > 0
    assert ((more["pvalue"] > 0.05) == ((more["shift low"] < 0) & (more["shift high"] > 0))).all()
    assert ((few["pvalue"] > 0.05) == ((few["shift low"] < 0) & (few["shift high"] > 0))).all()


def test_on_one_scale_a_lenient_judge_is_found(compared):
    """What is good gets less: the better group has a shift below 0."""
    row = compared.bias(GROUPS, same_scale=True).groups.iloc[0]
    apart = REFERENCE[:, BIASED].mean() - REFERENCE[:, ~BIASED].mean()
    assert row["slope"] == 1.0
    assert row["shift"] == pytest.approx(-0.5 * apart, abs=0.01)


def test_each_run_has_its_own_shift(found):
    biased = found.runs[found.runs["judge"] == "biased"]
    assert list(biased["run"]) == RUNS
    assert list(biased["group"]) == ["rerankers" if inside else "" for inside in BIASED]
    assert list(biased["shift low"] > 0) == BIASED.tolist()
    assert biased["shift"].sum() == pytest.approx(0, abs=1e-9)
    assert biased["shift low"].le(biased["shift"]).all()
    assert biased["shift high"].ge(biased["shift"]).all()
    by_group = biased.groupby("group")["shift"].mean()
    row = found.groups.iloc[1]
    assert row["shift"] == pytest.approx(by_group["rerankers"] - by_group[""])


def test_without_a_group_it_is_the_correlation_of_the_others(compared, found):
    outside = ~BIASED
    for (_, row), (name, scores) in zip(found.groups.iterrows(), JUDGES.items(), strict=True):
        means, judged = REFERENCE.mean(axis=0), scores["nDCG"].values.mean(axis=0)
        assert row["judge"] == name
        assert row["tau"] == pytest.approx(kendalltau(means, judged).statistic)
        assert row["tau without"] == pytest.approx(kendalltau(means[outside], judged[outside]).statistic)
    assert "tau_ap b without" in compared.bias(GROUPS, coefficient="tau_ap_b").groups


def test_groups_are_lists_or_patterns_and_may_be_several(compared, found):
    as_list = compared.bias({"rerankers": [name for name in RUNS if name.startswith("re")]})
    pd.testing.assert_frame_equal(as_list.groups, found.groups)
    as_series = pd.Series(["rerankers" if inside else None for inside in BIASED], index=RUNS)
    pd.testing.assert_frame_equal(compared.bias(as_series).groups, found.groups)
    several = compared.bias({"rerankers": "re-*", "old": ["first-0", "first-5"]})
    assert list(several.groups["group"]) == ["rerankers", "old"] * 2


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({}, "at least one group, got none"),
        ({"a": "x*"}, "must each have some of the runs .*, got none in 'a'"),
        ({"a": "*"}, "must leave some runs outside, got all of them in 'a'"),
        ({"a": ["nobody"]}, "must have only runs that are compared, got 'nobody'"),
        ({"a": "re-*", "b": ["re-1"]}, "each run once, got 're-1' more than once"),
        ({1: ["re-1"], "1": ["re-2"]}, "`groups` must be distinct, got '1' more than once"),
        (["re-1"], "`groups` must map names"),
    ],
)
def test_groups_that_make_no_sense_are_refused(compared, groups, message):
    with pytest.raises((ValueError, TypeError), match=message):
        compared.bias(groups)


def test_where_a_judge_ties_all_runs_there_is_no_shift():
    compared = {"tied": board(np.ones((20, 10))), "fair": JUDGES["fair"]}
    with pytest.warns(DegenerateInputWarning):
        result = compare_leaderboards(board(REFERENCE), compared, **QUICK)
    with pytest.warns(DegenerateInputWarning):
        found = result.bias(GROUPS)
    tied, fair = (row for _, row in found.groups.iterrows())
    assert all(math.isnan(tied[name]) for name in ("slope", "shift", "pvalue", "tau", "tau without"))
    alone = compare_leaderboards(board(REFERENCE), {"fair": JUDGES["fair"]}, **QUICK).bias(GROUPS).groups.iloc[0]
    assert (fair["pvalue"], fair["shift low"]) == (alone["pvalue"], alone["shift low"])  # not corrected for the other
    assert list(found.table().cells()[0].values())[2:] == ["-"] * 4


def test_a_group_that_is_better_than_all_others_cannot_be_told_from_its_quality(compared):
    best_first = np.argsort(-REFERENCE.mean(axis=0))
    with pytest.warns(DegenerateInputWarning, match="No p and interval of 'best': its runs are nearly all") as caught:
        found = compared.bias({"best": [RUNS[at] for at in best_first[:3]], "other": [RUNS[best_first[4]]]})
    assert [warning.filename for warning in caught] == [__file__]
    best, other = found.of_groups[0], found.of_groups[1]
    assert best.overlap == 0.0
    assert all(math.isnan(value) for value in (best.low, best.high, best.pvalue))
    assert not math.isnan(best.shift + other.low + other.pvalue)
    assert found.apart == ("best",)
    assert "No p and interval of 'best'" in found.note
    assert "Shifts of 'best' cannot be told from their quality." in found.sentence()
    with pytest.warns(DegenerateInputWarning, match="No p and interval of 'best'"):
        alone = compared.bias({"best": [RUNS[at] for at in best_first[:3]]})
    assert "(Welch's t; p-values and 95% intervals undefined). No shift could be tested." in alone.sentence()
    on_one_scale = compared.bias({"best": [RUNS[at] for at in best_first[:3]]}, same_scale=True)
    assert not on_one_scale.groups.isna().any(axis=None)
    assert on_one_scale.apart == ()


def test_judgments_have_it_too():
    documents = [f"d{number}" for number in range(6)]
    random = np.random.default_rng(1)
    labels = {topic: {doc: int(random.integers(2)) for doc in documents} for topic in TOPICS}
    qrels = {topic: {**found, "d0": 1, "d1": 0} for topic, found in labels.items()}
    runs = {
        name: {topic: {doc: random.random() + at * qrels[topic][doc] for doc in documents} for topic in TOPICS}
        for at, name in enumerate(("a", "b", "c", "d"))
    }
    other = {topic: {doc: 1 - label for doc, label in found.items()} for topic, found in qrels.items()}
    how = {"test": "t", "n_resamples": 0, "rng": 1}
    result = compare_judgments(runs, qrels, {"contrary": other, "same": qrels}, ["AP", "P@2"], **how)
    found = result.bias({"first": ["a", "c"]}).groups
    assert list(found["measure"]) == ["AP", "AP", "P@2", "P@2"]
    same = found[found["judge"] == "same"]
    assert same["shift"].abs().max() < 1e-9
    for which in ({"measure": "AP"}, {"reference": "AP"}):
        assert list(result.bias({"first": ["a", "c"]}, **which).groups["measure"]) == ["AP", "AP"]


def test_a_sentence_for_a_paper_has_the_outcome(found):
    sentence = found.sentence()
    assert "whether 2 judges favour runs such as those of rerankers" in sentence
    assert "corrected for 2 tests, Bonferroni" in sentence
    assert "biased favours rerankers by nDCG (shift " in sentence
    assert sentence.endswith("No other shift is significant at .05.")
    fair = compare_leaderboards(board(REFERENCE), {"fair": JUDGES["fair"]}, **QUICK).bias(GROUPS).sentence()
    assert "whether 1 judge favours runs" in fair
    assert "p-values and 95% intervals of one test)" in fair
    assert fair.endswith("No shift is significant at .05.")


def test_a_run_whose_name_looks_like_a_pattern_comes_before_the_pattern():
    names = ("x[1]", "x1", "x2", "other")
    assert members_of({"odd": "x[1]", "some": "x2"}, names)["odd"] == {"x[1]"}
    assert members_of({"some": "x[1]"}, names[1:])["some"] == {"x1"}
