"""One question asked in several ways has one answer, to the last bit; and nothing is computed that nobody asked for."""

import json
import warnings

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.cli import main
from pt_rankcorr.comparison import engine
from pt_rankcorr.comparison.several_collections import ALL
from pt_rankcorr.stats import correlation_difference, topics_to_tell_apart
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.comparison.test_leaderboards import JUDGES, REFERENCE, leaderboard

HOW = {"n_resamples": 199, "rng": 5}
BOTH = leaderboard(0.3, 7, AP=1.0, RR=0.7)  # two measures of the same runs and topics
OF_POPULATION = ["population tau", "population tau low", "population tau high"]
OF_D_RANK = ["d_rank", "d_rank pvalue", "d_rank pvalue standard error"]


@pytest.fixture(scope="module")
def shuffled():
    """The same scores in a frame of another order of topics, systems and measures."""
    frame = BOTH.to_frame()
    return frame.sample(frac=1.0, random_state=3).reset_index(drop=True)


def test_tau_of_two_measures(shuffled, tmp_path, capsys):
    expected = rc.correlation_interval(BOTH["AP"], BOTH["RR"], **HOW)
    answer = expected.statistic, expected.low, expected.high, expected.pvalue
    error = expected.standard_error
    for scores in (BOTH, rc.scores_from_experiment(shuffled)):
        row = rc.compare(scores, reference="AP", **HOW).row("RR")
        assert (row.tau, *row.intervals["tau"][:2], row.pvalue) == answer
        assert row.intervals["tau"][2:] == (error, 11.0)
        back = rc.compare(scores, reference="RR", **HOW).row("AP")
        assert (back.tau, *back.intervals["tau"][:2], back.pvalue) == answer
        again = rc.correlation_interval(scores["AP"], scores["RR"], "tau", **HOW)
        assert again == expected
    for component in (
        rc.KendallTau("AP", level=0.95, **HOW),
        rc.Correlation("AP", **HOW),
        rc.Correlation("AP", n_jobs=2, **HOW),
    ):
        added = component(shuffled)
        columns = list(component.columns)
        assert columns == ["tau", "tau low", "tau high", "tau p-value"]
        assert set(map(tuple, added.loc[added["measure"] == "RR", columns].to_numpy().tolist())) == {answer}
        assert added.loc[added["measure"] == "AP", columns].isna().all(axis=None)
    shuffled.to_csv(tmp_path / "scores.csv", index=False)
    command = ["error", "--experiment", str(tmp_path / "scores.csv"), "--reference", "AP", "--seed", "5"]
    assert main([*command, "--resamples", "199", "--format", "jsonl", "--quiet"]) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["statistic"], line["low"], line["high"], line["pvalue"]) == pytest.approx(answer, rel=1e-14)
    assert line["standard_error"] == pytest.approx(error, rel=1e-14)


def test_tau_of_a_judge():
    result = rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW)
    ranking = result.judges()
    for at, name in enumerate(ranking.judges):
        alone = rc.correlation_interval(REFERENCE["nDCG"], JUDGES[name]["nDCG"], **HOW)
        row = result.row(name)
        assert row.tau == ranking.correlations[at] == alone.statistic
        assert row.intervals["tau"][:2] == ranking.intervals[at] == (alone.low, alone.high)
        assert row.intervals["tau"].standard_error == ranking.standard_errors[at] == alone.standard_error
        for other in range(at):
            judges = [JUDGES[ranking.judges[place]]["nDCG"] for place in (other, at)]
            of_two = correlation_difference(REFERENCE["nDCG"], *judges, **HOW)
            assert (ranking.differences[other, at], ranking.pvalues[other, at]) == tuple(of_two)
            assert ranking.difference_errors[other, at] == of_two.standard_error
            pair = {name: JUDGES[name] for name in (ranking.judges[at], ranking.judges[other])}
            two = rc.compare_leaderboards(REFERENCE, pair, test=None, **HOW).judges()
            assert two.pvalues[0, 1] == of_two.pvalue
            low, high = (f"{end:.2f}".replace("0.", ".") for end in (of_two.low, of_two.high))
            assert f"[{low}, {high}]" in two.sentence() or "-.00" in f"[{low}, {high}]"


def test_of_another_coefficient():
    result = rc.compare_leaderboards(REFERENCE, JUDGES, coefficients="spearman", test=None, **HOW)
    ranking = result.judges(coefficient="spearman")
    for at, name in enumerate(ranking.judges):
        alone = rc.correlation_interval(REFERENCE["nDCG"], JUDGES[name]["nDCG"], "spearman", **HOW)
        row = result.row(name)
        assert list(row.intervals) == ["spearman"]
        assert row.intervals["spearman"][:2] == ranking.intervals[at] == (alone.low, alone.high)
        assert row.pvalue == alone.pvalue


def test_the_order_of_judges_changes_nothing():
    one, other = (
        rc.compare_leaderboards(REFERENCE, dict(judges), test=None, **HOW)
        for judges in (JUDGES.items(), [*JUDGES.items()][::-1])
    )
    assert one.judges() == other.judges()
    assert (
        one.to_frame()
        .sort_values("judge", ignore_index=True)
        .equals(other.to_frame().sort_values("judge", ignore_index=True))
    )


# --- only what is asked for ---------------------------------------------------------------------------------


def refuse(*_, **__):
    raise AssertionError("it was not asked for")


@pytest.fixture
def without_d_rank(monkeypatch):
    monkeypatch.setattr(engine, "DRankTest", refuse)


@pytest.fixture
def without_population(monkeypatch):
    monkeypatch.setattr("pt_rankcorr.stats.accuracy.correlation_interval.draw_two_rankings", refuse)


@pytest.mark.usefixtures("without_d_rank", "without_population")
def test_neither_d_rank_nor_the_population_is_computed_unless_asked_for():
    measures = rc.compare(BOTH, **HOW)
    judges = rc.compare_leaderboards({"a": REFERENCE, "b": REFERENCE}, {"a": JUDGES, "b": JUDGES}, **HOW)
    for result in (measures, judges):
        assert {*result.to_dict()["rows"][0], *result.to_frame()} & {*OF_POPULATION, *OF_D_RANK} == set()
        assert not result.to_dict().keys() & {"null", "covariance"}
        assert str(result)
        assert result.to_text()
        assert result.sentences().count("\n") == len(result) - 1
        assert np.isnan([[row.d_rank, row.d_rank_pvalue] for row in result]).all()
        assert "d_rank" not in f"{result}{result.note}{result.sentences()}"
        assert "population" not in f"{result}{result.note}{result.sentences()}"
    assert judges.judges().sentence()
    assert judges.collections["a"].families("(?P<name>.)").to_dict()
    with pytest.raises(AssertionError, match="was not asked for"):
        _ = measures.rows[0].population
    with pytest.raises(AssertionError, match="was not asked for"):
        rc.compare(BOTH, d_rank=True, **HOW)
    with pytest.raises(AssertionError, match="was not asked for"):
        rc.compare(BOTH, population=True, **HOW)


def test_the_columns_of_a_frame():
    keys = ["collection", "reference", "measure", "n_topics", "n_systems"]
    tau = ["tau", "tau low", "tau high", "tau standard error", "p same true ranking"]
    tau_ap = ["tau_ap", "tau_ap low", "tau_ap high", "tau_ap standard error"]
    kendall = ["tau kendall low", "tau kendall high"]
    assert list(rc.compare(BOTH, **HOW).to_frame()) == [
        *keys, *tau, "tau b", *tau_ap, "tau_ap b", "tau_gap", "spearman", "pearson", *kendall
    ]  # fmt: skip
    plain = [*keys, "tau", "tau b", "tau_ap", "tau_ap b", "tau_gap", "spearman", "pearson", *kendall]
    assert list(rc.compare(BOTH, intervals=False, **HOW).to_frame()) == plain
    assert list(rc.compare(BOTH, intervals=False, d_rank=True, **HOW).to_frame()) == [*plain, *OF_D_RANK]
    everything = list(rc.compare(BOTH, population=True, d_rank=True, coefficients="tau", **HOW).to_frame())
    assert everything == [
        *keys, *tau, *OF_POPULATION, "tau b", "tau_ap", "tau_ap b", "tau_gap", "spearman", "pearson", *kendall,
        *OF_D_RANK,
    ]  # fmt: skip


def test_what_is_asked_for_is_there():
    found = rc.compare(BOTH, population=True, d_rank=True, **HOW)
    row = found.row("AP", "RR")
    values = row.to_dict()
    for name in ("tau", "tau_ap"):
        alone = rc.correlation_interval(BOTH["AP"], BOTH["RR"], name, **HOW).population
        assert (row.population[name].estimate, row.population[name].low) == (alone.estimate, alone.low)
        columns = [f"population {name}{end}" for end in ("", " low", " high")]
        assert [values[column] for column in columns] == [alone.estimate, alone.low, alone.high]
    assert [values[column] for column in OF_D_RANK[:2]] == list(
        rc.d_rank(BOTH["AP"], BOTH["RR"], n_resamples=199, rng=5)
    )
    assert "population tau [95%]" in found.to_text()
    assert "Population: what endless topics would show." in found.note
    lazily = rc.compare(BOTH, **HOW).row("AP", "RR")
    assert lazily.population["tau"].estimate == row.population["tau"].estimate
    assert lazily.population is lazily.population
    assert lazily.population.keys() >= {"tau", "tau_ap", "tau_gap", "pearson"}


def test_a_matrix_of_what_was_not_computed_is_refused():
    without = rc.compare(BOTH, intervals=False, **HOW)
    assert without.matrix().statistic == "tau"
    assert without.matrix().pvalues.isna().all(axis=None)
    assert not without.matrix().significant.any(axis=None)
    for statistic, option in (("pvalue", "intervals"), ("d_rank", "d_rank"), ("d_rank_pvalue", "d_rank")):
        with pytest.raises(ValueError, match=f"`{option}` must be True in the comparison for a matrix of {statistic}"):
            without.matrix(statistic)
    found = rc.compare(BOTH, d_rank=True, **HOW)
    row = found.row("AP", "RR")
    for statistic, value in {"pvalue": row.pvalue, "d_rank": row.d_rank, "d_rank_pvalue": row.d_rank_pvalue}.items():
        assert found.matrix(statistic).values.loc["AP", "RR"] == value
        tested = row.d_rank_pvalue if statistic.startswith("d_rank") else row.pvalue
        assert found.matrix(statistic).pvalues.loc["AP", "RR"] == tested
    assert found.matrix("tau_ap").values.loc["AP", "RR"] == row.tau_ap


# --- words --------------------------------------------------------------------------------------------------


def test_a_row_says_its_outcome():
    result = rc.compare_leaderboards(REFERENCE, {**JUDGES, "same": REFERENCE}, d_rank=True, test=None, **HOW)
    good, same = result.row("good").sentence(), result.row("same").sentence()
    assert good.startswith("nDCG and good rank 8 systems on 12 topics with a tau of ")
    assert "the true rankings differ (p = " in good
    assert " be the true ranking by the first (d_rank " in good
    assert same.startswith("nDCG and same rank 8 systems on 12 topics with a tau of 1.00; the second order could be")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tied = leaderboard(0.0, 1, nDCG=0.0)
        undefined = rc.compare_leaderboards(REFERENCE, {"tied": tied}, test=None, **HOW).rows[0].sentence()
    assert undefined == "nDCG and tied: undefined, as a ranking ties all systems."


def test_a_ranking_of_judges_says_its_outcome():
    three = rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).judges()
    assert three.sentence().startswith("good agrees best with nDCG (tau ")
    assert f"with 95% confidence the best of 3 judges is one of {len(three.may_be_best)}: " in three.sentence()
    assert three.sentence() in str(three).replace("\n", " ")
    assert "They and p against the first (Student's t) are of single judges and pairs, not corrected." in three.note
    two = {name: JUDGES[name] for name in ("good", "poor")}
    sentence = rc.compare_leaderboards(REFERENCE, two, test=None, **HOW).judges().sentence()
    assert sentence.startswith(("good agrees better with nDCG than poor (tau ", "good is not shown to agree better"))


def of_arrays(**judges):
    """Judges of 8 systems on 20 topics, beside a reference, from arrays."""
    boards = {name: rc.Scores([rc.ScoreMatrix(values, measure="nDCG")]) for name, values in judges.items()}
    return rc.compare_leaderboards(boards.pop("people"), boards, test=None, **HOW)


def noisy(seed, sd=0.4, slope=1.0):
    return slope * np.linspace(0.0, 1.0, 8) + np.random.default_rng(seed).normal(0.0, sd, (20, 8))


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_a_judge_that_speaks_on_one_topic_rules_out_nobody():
    """tau is undefined in the resamples without that topic, so no interval and no test is of it."""
    speaks_once = np.full((20, 8), 0.5)
    speaks_once[3] = np.linspace(0.0, 1.0, 8)
    ranking = of_arrays(people=noisy(1), a=noisy(2), b=noisy(3, 0.6, 0.2), once=speaks_once).judges()
    at = ranking.judges.index("once")
    assert np.isnan(np.delete(ranking.pvalues[at], at)).all()
    assert np.isnan(ranking.intervals[at][0])
    assert not ranking.significant[at].any()
    assert "once: tau is undefined in" in ranking.note
    others = of_arrays(people=noisy(1), a=noisy(2), b=noisy(3, 0.6, 0.2)).judges()
    assert set(others.may_be_best) <= set(ranking.may_be_best)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_two_judges_of_which_no_resample_changes_anything_cannot_be_tested():
    still = np.linspace(0.0, 1.0, 8) + np.random.default_rng(0).normal(0.0, 0.001, (20, 8))
    swapped = still[:, [1, 0, *range(2, 8)]]
    ranking = of_arrays(people=still, same=still, swapped=swapped).judges()
    assert ranking.sentence() == "same and swapped have a tau of 1.00 and .93; their difference cannot be tested."
    assert ranking.may_be_best == ("same", "swapped")
    assert not ranking.undecided


def test_a_judge_of_which_a_coefficient_is_undefined_is_left_out():
    odd = rc.stats.Coefficient("odd", "odd", lambda x, y: np.nan if y.mean() < 0.2 else 1.0 - abs(x - y).mean())
    result = of_arrays(people=noisy(1), a=noisy(2), b=noisy(3), low=noisy(4, slope=0.2))
    with pytest.warns(DegenerateInputWarning, match="Judges of which odd is undefined are left out: 'low'"):
        ranking = result.judges(coefficient=odd)
    assert sorted(ranking.judges) == ["a", "b"]
    with pytest.raises(ValueError, match="at least 2 of which odd is defined, got 1"):
        of_arrays(people=noisy(1), a=noisy(2), low=noisy(4, slope=0.2)).judges(coefficient=odd)


@pytest.mark.parametrize("seed", range(4))
def test_of_two_judges_sentence_and_table_agree(seed):
    ranking = of_arrays(people=noisy(seed), a=noisy(seed + 50, 0.2), b=noisy(seed + 100, 1.0)).judges()
    is_better = ranking.pvalues[0, 1] <= 0.05
    assert (" agrees better " in ranking.sentence()) == is_better == (len(ranking.may_be_best) == 1)


def test_a_mean_over_collections_says_that_it_is_one():
    several = rc.compare_leaderboards(
        dict.fromkeys("xy", REFERENCE), {key: {"good": JUDGES["good"]} for key in "xy"}, test=None, **HOW
    )
    text = several.row(ALL, "good").sentence()
    assert text.startswith("nDCG and good rank the systems of 2 collections with a mean tau of .")


def test_a_note_is_of_the_rows_that_it_names():
    noise = JUDGES["poor"]
    result = rc.compare_leaderboards(REFERENCE, {"good": JUDGES["good"], "noise": noise}, test=None, **HOW)
    text = "Noise makes up much of how the systems of one side differ: the interval may be too short."
    assert text in result.row("noise").cautions
    assert text not in result.row("good").cautions
    assert f"noise: {text}" in result.note
    several = rc.compare_leaderboards(dict.fromkeys("ab", REFERENCE), {key: {"noise": noise} for key in "ab"}, **HOW)
    assert text in several.row(ALL, "noise").cautions
    assert text in several.note


def test_a_note_is_of_all_coefficients_of_a_row():
    few = REFERENCE.select(systems=REFERENCE.systems[:5])
    judges = {"good": JUDGES["good"].select(systems=few.systems)}
    result = rc.compare_leaderboards(few, judges, coefficients=["tau", "pearson"], top=3, test=None, **HOW)
    (row,) = result.rows
    for text in (
        "5 systems are few for Pearson's correlation: its interval misses on one side.",
        "The best 3 systems are few for Pearson's correlation: its interval misses on one side.",
        "The best 3 systems on 12 topics are too few: an interval says hardly anything.",
    ):
        assert row.cautions.count(text) == result.note.count(text) == 1


def test_a_note_says_that_topics_are_few():
    few = REFERENCE.select(topics=REFERENCE.topics[:4])
    judges = {name: JUDGES[name].select(topics=few.topics) for name in ("good", "poor")}
    text = "4 topics are few: intervals of correlations were checked from 10 topics on."
    result = rc.compare_leaderboards(few, judges, test=None, **HOW)
    assert result.note.count(text) == str(result).replace("\n", " ").count(text) == 1
    assert result.judges().note.count(text) == 1
    assert text not in rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).note
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        alone = rc.correlation_interval(few["nDCG"], judges["good"]["nDCG"], **HOW)
    assert sum(text in str(warning.message) for warning in caught) == 1
    assert sum(text in caution for caution in alone.cautions) == 1


def test_equivalence_and_topics_needed_of_two_judges():
    ranking = rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).judges(margin=0.3)
    places = {judge: place for place, judge in enumerate(ranking.judges)}
    sides = {judge: (REFERENCE["nDCG"], JUDGES[judge]["nDCG"]) for judge in ranking.judges}
    for first, second in (("good", "poor"), ("good", "<odd>")):
        three = (*sides[first], sides[second][1])
        expected = correlation_difference(*three, margin=0.3, **HOW).equivalence_pvalue
        assert ranking.equivalence[places[first], places[second]] == pytest.approx(expected, rel=1e-12)
    assert np.isnan(rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).judges().equivalence).all()
    first, second = ranking.judges[:2]
    needed = topics_to_tell_apart(*sides[first], sides[second][1], **HOW)
    assert ranking.topics_needed == (needed.topics_needed, needed.probability)
    assert "p (within .30 of the first)" in str(ranking)
    with pytest.raises(ValueError, match="`margin` must be above 0 and at most 2, got 0"):
        rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).judges(margin=0)
