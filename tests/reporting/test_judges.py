"""What a report says of judges is what the comparison says, in all forms."""

import json
import re

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, Scores, compare_leaderboards, report
from pt_rankcorr.defaults import ALPHA, LEVEL
from tests.comparison.test_bias import BIASED, GROUPS, RUNS, TOPICS, board, results

QUICK = {"n_resamples": 50, "rng": 7}


def judged(noise, seed, favour=0.0):
    errors = np.random.default_rng(seed).normal(0, noise, (20, len(RUNS)))
    return board(results() + favour * BIASED + errors, "grade")


PEOPLE = board(results(), "nDCG")
JUDGES = {"good": judged(0.02, 1), "<b>biased</b>": judged(0.02, 2, 0.3), "poor": judged(3.0, 3)}


@pytest.fixture(scope="module")
def made():
    return report(PEOPLE, against=JUDGES, groups=GROUPS, **QUICK)


def test_the_numbers_are_those_of_the_comparison(made):
    compared = compare_leaderboards(PEOPLE, JUDGES, rng=7)
    said = made.to_dict()["judges"]
    np.testing.assert_equal(said["rows"], [row.to_dict() for row in compared])
    np.testing.assert_equal(said["rankings"], {"grade against nDCG": compared.judges().to_frame().to_dict("records")})
    bias = compared.bias(GROUPS)
    assert said["bias"] == bias.groups.to_dict("records")
    assert said["runs"] == bias.runs.to_dict("records")
    again = report(PEOPLE, against=compared, groups=GROUPS, **QUICK)
    assert again.to_html() == made.to_html()


@pytest.mark.whole
def test_it_says_who_is_best_who_ranks_otherwise_and_who_is_partial(made):
    text = made.to_markdown()
    assert "does not explain how these rank the systems otherwise than the reference judge: &lt;b&gt;biased" in text
    assert re.search(r"favours runs such as those of the group rerankers: \.(29|3)", text)
    assert f"By τ with the reference judge, with {1.0 - ALPHA:.0%} confidence: " in text
    level = rf"\[{LEVEL:.0%}\]"
    assert rf"| judge | τ {level} | τ if one true ranking {level} | p (same true ranking) |" in text
    assert rf"| judge | group | shift \[{LEVEL:.0%}\] |" in text
    for paper in ("thompson2024", "carterette2009"):
        assert paper in made.to_html()
        assert (paper in report(PEOPLE, **QUICK).to_html()) == (paper not in made.to_html())


def test_judges_that_are_named_as_measures_are_told_how_to_be_compared():
    alone = {name: board(scores["grade"].values, name) for name, scores in JUDGES.items()}
    compared = compare_leaderboards(PEOPLE, alone, **QUICK)
    with pytest.raises(ValueError, match=r"`measure` must be one of .*another one: `read_scores\(file, measure=...\)`"):
        compared.judges()
    assert any(
        "read_scores(file, measure=...)" in said for said in report(PEOPLE, against=compared).to_dict()["warnings"]
    )


@pytest.mark.whole
def test_one_judge_and_one_that_ties_all():
    flat = board(np.ones((20, len(RUNS))), "grade")
    alone = report(PEOPLE, against={"good": JUDGES["good"]}, groups=GROUPS, **QUICK).to_markdown()
    assert "cluster" not in alone
    assert "No judge is found to favour the group." in alone
    with_flat = report(PEOPLE, against={**JUDGES, "flat": flat}, groups={"a": "re-*", "b": "first-0"}, **QUICK)
    text = with_flat.to_markdown()
    assert "| flat | - | - |" in text
    assert "A ranking ties all systems" in text
    json.dumps(with_flat.to_dict())


@pytest.mark.whole
def test_all_judges_alike_or_reversed():
    same = report(PEOPLE, against={"a": PEOPLE, "b": PEOPLE}, **QUICK).to_markdown()
    assert "each of the 2 judges may be the best" in same
    backwards = board(1 - results(), "nDCG")
    text = report(PEOPLE, against={"against": backwards}, **QUICK).to_markdown()
    assert "Noise of topics alone does not explain how these rank the systems otherwise" in text
    assert "reverse 45 pairs of systems" in text


@pytest.mark.whole
def test_several_measures():
    both = Scores([PEOPLE["nDCG"], ScoreMatrix(results() ** 2, TOPICS, RUNS, "AP")])
    biased = Scores([ScoreMatrix(both[name].values + 0.3 * BIASED, TOPICS, RUNS, name) for name in both])
    less = both.drop(topics=["3"])
    against = compare_leaderboards(both, {"biased": biased, "same": less}, missing="skip", **QUICK)
    text = report(both, against=against, groups=GROUPS, **QUICK).to_markdown()
    assert "Noise of topics alone does not explain" in text
    assert "biased favours runs such as those of the group rerankers by AP" in text
    assert "Not all judges have the topics '3': 1 are left out" in text
    assert (
        "disfavours runs such as those of the group first"
        in report(both, against=against, groups={"first": "f*"}, **QUICK).to_markdown()
    )
    one = report(both, reference="AP", against={"biased": biased}, **QUICK).to_dict()["judges"]["rows"]
    assert [(row["reference"], row["measure"]) for row in one] == [("AP", "nDCG"), ("AP", "AP")]
