"""What goes into a report, what comes out, and that its numbers are those of the statistics."""

import json
import re
import sys
import warnings

import ir_measures
import numpy as np
import pytest
from joblib import parallel_config

from pt_rankcorr import (
    ScoreMatrix,
    Scores,
    best_systems,
    correlation_interval,
    d_rank,
    discriminative_power,
    expected_correlation,
    rank_intervals,
    report,
)
from pt_rankcorr.text import plain
from pt_rankcorr.warnings import MissingPicturesWarning
from tests.reporting.conftest import made_up

QUICK = {"n_resamples": 50, "rng": 7}


@pytest.fixture(scope="module")
def made(scores):
    return report(scores, reference="nDCG@10", **QUICK)


def test_the_numbers_are_those_of_the_statistics(scores, made):
    said = made.to_dict()
    found = said["collections"]["scores"]
    truth = scores["nDCG@10"]
    intervals = rank_intervals(truth, rng=QUICK["rng"])  # as by default, with more draws than the rest
    tier_1 = {row["system"] for row in found["systems"] if row["tier"] == 1}
    assert tier_1 == set(best_systems(truth, rng=QUICK["rng"]).systems)
    by_name = {row["system"]: row for row in found["systems"]}
    for at, system in enumerate(scores.systems):
        row = by_name[system]
        assert (row["rank"], row["low"], row["high"]) == (intervals.rank[at], intervals.low[at], intervals.high[at])
        assert row["mean AP"] == scores["AP"].means[at]
    tested = d_rank(truth, scores["AP"], n_resamples=99, rng=7)
    (row,) = [r for r in said["measures_against_measures"] if (r["reference"], r["measure"]) == ("nDCG@10", "AP")]
    assert (row["d_rank"], row["d_rank pvalue"]) == tuple(tested)
    found_by_itself = correlation_interval(truth, scores["AP"], n_resamples=99, rng=7)
    names = ("tau", "tau low", "tau high", "tau standard error", "tau p same true ranking")
    of_itself = ("statistic", "low", "high", "standard_error", "pvalue")
    assert [row[name] for name in names] == [getattr(found_by_itself, name) for name in of_itself]
    power = discriminative_power(scores, **QUICK)
    for row in found["measures"]:
        expected = expected_correlation(scores[row["measure"]], rng=QUICK["rng"])
        assert row["statistic"] == power[row["measure"]].statistic
        assert row["expected_tau_ap"] == expected.value
        assert (row["expected_tau_ap_low"], row["expected_tau_ap_high"]) == expected.confidence_interval()
        assert row["expected_tau"] == expected.with_coefficient("tau").value
        needed = expected.topics_needed(0.9)
        names = ("topics for .90", "topics for .90 low", "topics for .90 high")
        assert [row[name] for name in names] == [needed, needed.low, needed.high]


@pytest.mark.whole
def test_the_swap_that_costs_most_is_a_swap():
    truth = ScoreMatrix(np.tile([4.0, 3.0, 2.0, 1.0], (3, 1)), systems=list("abcd"), measure="AP")
    tied_first = ScoreMatrix(np.tile([4.0, 4.0, 1.0, 2.0], (3, 1)), systems=list("abcd"), measure="RR")
    # the tie costs (1 - 0)/3, the swap 2/3 of 1/3
    assert "| d above c (40%) |" in report(Scores([truth, tied_first]), **QUICK).to_markdown()
    only_tied = ScoreMatrix(np.tile([4.0, 4.0, 2.0, 1.0], (3, 1)), systems=list("abcd"), measure="RR")
    assert "| none |" in report(Scores([truth, only_tied]), **QUICK).to_markdown()


@pytest.mark.whole
def test_it_says_what_it_used(made):
    said = made.to_dict()
    assert "largest studentised difference (max-t), corrected, p &lt;= .05" in made.to_markdown()
    assert (said["seed"], said["n_resamples"]) == (7, 50)
    assert "shrunken, covariance ledoit-wolf, up to 99 resamples" in said["provenance"]["Test of d_rank"]
    assert "pt_rankcorr" in said["provenance"]["Versions"]
    assert json.loads(json.dumps(said))["collections"]["scores"]["reference"] == "nDCG@10"
    for paper in ("kendall1938", "yilmaz2008", "gao2015", "carterette2009", "sakai2006", "urbano2016", "ledoit2004"):
        assert paper in made.to_html()


@pytest.mark.whole
def test_the_same_scores_give_the_same_bytes(scores, made):
    with parallel_config("threading"):
        again = report(scores, reference=ir_measures.nDCG @ 10, n_jobs=2, **QUICK)
    assert again.to_html() == made.to_html()
    drawn = report(scores)
    assert report(scores, rng=drawn.to_dict()["seed"]).to_html() == drawn.to_html()


def test_what_libraries_say_is_not_for_readers(scores, monkeypatch):
    def power(*given, **options):
        for category in (DeprecationWarning, FutureWarning, UserWarning):
            warnings.warn(f"a {category.__name__}", category, stacklevel=1)
        return discriminative_power(*given, **options)

    monkeypatch.setattr("pt_rankcorr.reporting.data.discriminative_power", power)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        page = report(scores, **QUICK)
    assert [message for message in page.to_dict()["warnings"] if message.startswith("a ")] == []
    assert {str(warning.message) for warning in caught} == {
        f"a {name}" for name in ("DeprecationWarning", "FutureWarning", "UserWarning")
    }


def test_one_measure_alone(scores):
    made = report(scores["AP"], **QUICK)
    assert made.to_dict()["measures_against_measures"] == []
    assert "Measures against measures" not in made.to_html()
    assert "carterette2009" not in made.to_html()
    assert "How sure the ranking of systems is" in made.to_markdown()


@pytest.mark.whole
def test_several_collections(scores):
    alone = scores.select(measures=["AP"])
    made = report({"A": scores, "B & <C>": made_up(20, 6), "one": alone}, reference="AP", **QUICK)
    assert list(made.to_dict()["collections"]) == ["A", "B & <C>", "one"]
    assert "B &amp; &lt;C&gt;" in made.to_html()
    assert "Across collections" in made.to_markdown()
    assert r"\subsection{Systems}" in made.to_latex()


@pytest.mark.whole
def test_it_says_where_not_to_trust(scores):
    few = scores.select(topics=scores.topics[:8])
    noise = np.random.default_rng(3).random((2, 40, 10))
    close = Scores([ScoreMatrix(noise[0], measure="AP"), ScoreMatrix(noise[1], measure="RR")])
    tied = Scores(
        [ScoreMatrix(scores["AP"].values[:, [0, 0, 1]], measure="AP"), ScoreMatrix(noise[0][:30, :3], measure="RR")]
    )
    for given, doubt in (
        (few, "8 topics are few"),
        (close, "None of the 45 pairs of systems differ significantly by AP. Among systems as close"),
        (close, "Among systems as close as these the test of d_rank finds few differences"),
        (tied, "2 systems share their mean AP"),
        (scores, "No p-value of 50 resamples can be below 0.02"),
    ):
        assert any(doubt in warning for warning in report(given, **QUICK).to_dict()["warnings"]), doubt
    clear = made_up(60, 12, ("AP", "RR"), seed=3)
    assert [said for said in report(clear, rng=1).to_dict()["warnings"] if not said.endswith("an equal one.")] == []


@pytest.mark.whole
def test_what_was_left_out_is_said(scores):
    frame = scores.to_frame()
    frame.loc[frame["qid"] == "t3", "value"] = np.nan
    frame = frame[~((frame["measure"] == "P@10") & (frame["qid"] == "t5"))]
    with pytest.raises(ValueError, match="got none for"):
        report(frame, **QUICK)
    complete = scores.to_frame()
    complete.loc[complete["qid"] == "t3", "value"] = np.nan
    assert "**Topics without any judgment, left out:** 1: t3" in report(complete, **QUICK).to_markdown()


@pytest.mark.whole
def test_a_measure_that_ties_all_systems(scores):
    flat = ScoreMatrix(np.full((30, 12), 0.5), systems=scores.systems, measure="flat")
    for matrices in ([scores["AP"], flat], [flat, scores["AP"]], [flat, flat.named("too")], [flat]):
        made = report(Scores(matrices), **QUICK)
        assert any("tied" in warning for warning in made.to_dict()["warnings"])
        assert " & - & " in made.to_latex()


def test_the_smallest_and_measures_that_are_better_when_lower():
    cost = ScoreMatrix([[-1.0, -2.0], [-3.0, -2.5]], measure="cost", negated=True)
    made = report(Scores([cost, ScoreMatrix([[0.1, 0.4], [0.2, 0.3]], measure="AP")]), **QUICK)
    assert "cost (lower is better)" in made.to_html()
    assert "| 2.0000 |" in made.to_markdown()


def test_it_needs_no_matplotlib(scores, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.warns(MissingPicturesWarning, match=r"pip install matplotlib") as caught:
        page = report(scores, **QUICK).to_html()
    assert caught[0].filename == __file__
    assert "<figure>" not in page
    assert "since matplotlib is not installed" in page
    assert "Measures against measures" in page


@pytest.mark.whole
def test_the_style_of_the_user_does_not_show(scores, made):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "none"}):
        assert report(scores, reference="nDCG@10", **QUICK).to_html() == made.to_html()
        assert matplotlib.rcParams["font.size"] == 30


@pytest.mark.whole
def test_the_ending_says_what_is_written(scores, tmp_path):
    made = report(scores, tmp_path / "a.tex", **QUICK)
    report(scores, tmp_path / "a.MD", **QUICK)
    assert (tmp_path / "a.tex").read_text() == made.to_latex()
    assert (tmp_path / "a.MD").read_text() == made.to_markdown()
    with pytest.raises(ValueError, match=r"`path` must end in '\.htm', '\.html', '\.md', '\.tex', got"):
        report(scores, tmp_path / "a.pdf", **QUICK)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.MD", "a.tex"]


@pytest.mark.whole
def test_the_verdicts_are_plain(monkeypatch):
    monkeypatch.setattr("pt_rankcorr.comparison.settings.RESAMPLES", 2000)  # p < .001
    ap = made_up(60, 12, ("AP",), seed=3)["AP"]
    backwards = ScoreMatrix(ap.values[:, ::-1], ap.topics, ap.systems, "backwards")
    found = report(Scores([ap, ap.named("again"), backwards]), rng=1)
    text = plain(found.to_markdown()).replace("&lt;", "<")
    small = r"backwards \(p [<=] \.0\d+\)\."
    assert re.search(f"does not explain how these rank the systems otherwise than AP: {small}", text)
    assert re.search(f"The smallest p .same true ranking. is that of AP and {small} They reverse 36 pairs", text)
    answers = found.to_dict()["for_a_paper"]
    assert list(answers)[1] == "Do other measures rank as AP does?"
    assert "again .00 (p = 1.000)" in answers["How far are their orders, taken as they are?"]


@pytest.mark.whole
def test_many_systems_have_no_d_rank_and_the_page_says_so(scores, monkeypatch):
    monkeypatch.setattr("pt_rankcorr.reporting.reports.MOST_FOR_D_RANK", 11)
    made = report(scores, **QUICK)
    text = plain(made.to_markdown())
    assert "left out with more than 200 systems" in text
    assert "from AP" not in [section.title[6:] for section in made.document.sections]
    assert not any("d_rank" in question for question in made.to_dict()["for_a_paper"].values())


def test_scores_of_one_measure_in_a_mapping(scores):
    """They are measures where all have the same topics and systems, and collections where they have not."""
    ap, precision = scores.select(measures=["AP"]), scores.select(measures=["P@10"])
    measures = report({"AP": ap, "P@10": precision}, **QUICK).to_dict()["measures_against_measures"]
    assert [(row["reference"], row["measure"]) for row in measures] == [("AP", "P@10"), ("P@10", "AP")]
    halves = {"first": ap.select(topics=scores.topics[:15]), "second": ap.select(topics=scores.topics[15:])}
    assert list(report(halves, **QUICK).to_dict()["collections"]) == ["first", "second"]
