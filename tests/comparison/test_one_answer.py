"""One question asked in several ways has one answer, to the last bit; and nothing is computed that nobody asked for."""

import json
import warnings

import numpy as np
import pytest

import pt_rankcorr as rc
from pt_rankcorr.cli import main
from pt_rankcorr.comparison import engine
from pt_rankcorr.comparison.judges_by_collection import ALL
from pt_rankcorr.stats import correlation_difference, topics_to_tell_apart
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.comparison.definitions import assert_same
from tests.comparison.test_compare_leaderboards import JUDGES, REFERENCE, leaderboard
from tests.stats.oracles import COEFFICIENTS

HOW = {"n_resamples": 199, "rng": 5}
NO_INTERVALS = {"n_resamples": 0, "rng": 5}
BOTH = leaderboard(0.3, 7, AP=1.0, RR=0.7)  # two measures of the same runs and topics
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
        assert_same(row.correlations["tau"], expected)
        assert (row.tau, row.pvalue) == (expected.statistic, expected.pvalue)
        back = rc.compare(scores, reference="RR", **HOW).row("AP")
        assert_same(back.correlations["tau"], expected.relabelled())
        again = rc.correlation_interval(scores["AP"], scores["RR"], "tau", **HOW)
        assert_same(again, expected)
    for component in (
        rc.KendallTau("AP", level=0.95, **HOW),
        rc.Correlation("AP", **HOW),
        rc.Correlation("AP", n_jobs=2, **HOW),
    ):
        added = component(shuffled)
        columns = list(component.columns)
        same = expected.one_true_ranking
        of_same = {"tau if one true ranking": same.mean, "tau if one true ranking low": same.low}
        of_same |= {"tau if one true ranking high": same.high, "tau p (same true ranking)": same.pvalue}
        assert columns == ["tau", "tau low", "tau high", *of_same]
        values = (*answer[:3], *of_same.values())
        assert set(map(tuple, added.loc[added["measure"] == "RR", columns].to_numpy().tolist())) == {values}
        assert added.loc[added["measure"] == "AP", columns].isna().all(axis=None)
    shuffled.to_csv(tmp_path / "scores.csv", index=False)
    command = ["compare", "--experiment", str(tmp_path / "scores.csv"), "--reference", "AP", "--seed", "5"]
    assert main([*command, "--resamples", "199", "--format", "jsonl", "--quiet"]) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    columns = ("tau", "tau low", "tau high", "tau p same true ranking", "tau standard error")
    assert [line[column] for column in columns] == pytest.approx([*answer, error], rel=1e-14)


def test_tau_of_a_judge():
    result = rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW)
    ranking = result.judges()
    for at, name in enumerate(ranking.judges):
        alone = rc.correlation_interval(REFERENCE["nDCG"], JUDGES[name]["nDCG"], **HOW)
        row = result.row(name)
        assert row.correlations["tau"] == ranking.correlations[at] == alone
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
        assert list(row.correlations) == ["spearman"]
        assert row.correlations["spearman"] == ranking.correlations[at] == alone
        assert row.pvalue == pytest.approx(alone.pvalue, nan_ok=True)


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


@pytest.mark.usefixtures("without_d_rank")
def test_d_rank_is_not_computed_unless_asked_for():
    measures = rc.compare(BOTH, **HOW)
    judges = rc.compare_leaderboards({"a": REFERENCE, "b": REFERENCE}, {"a": JUDGES, "b": JUDGES}, **HOW)
    for result in (measures, judges):
        assert {*result.to_dict()["rows"][0], *result.to_frame()} & {*OF_D_RANK} == set()
        assert not result.to_dict().keys() & {"null", "covariance"}
        assert str(result)
        assert result.to_text()
        assert np.isnan([[row.d_rank, row.d_rank_pvalue] for row in result]).all()
        assert "d_rank" not in f"{result}{result.note}{result.sentences()}"
    assert judges.judges().sentence()
    assert judges.collections["a"].families("(?P<name>.)").to_dict()
    with pytest.raises(AssertionError, match="was not asked for"):
        rc.compare(BOTH, d_rank=True, **HOW)


def test_the_columns_of_a_frame():
    keys = ["collection", "reference", "measure", "n_topics", "n_systems"]

    def of(name):
        same = [f"{name} if one true ranking{end}" for end in ("", " low", " high")]
        return [name, f"{name} low", f"{name} high", f"{name} standard error", *same, f"{name} p same true ranking"]

    others = [known.column for known in COEFFICIENTS.values() if known.name != "tau"]
    found = list(rc.compare(BOTH, **HOW).to_frame())
    assert found == [*keys, *of("tau"), "tau b", *of("tau_ap"), *others[2:]]
    plain = [*keys, "tau", *others]
    assert list(rc.compare(BOTH, **NO_INTERVALS).to_frame()) == plain
    assert list(rc.compare(BOTH, d_rank=rc.DRank(n_resamples=199), **NO_INTERVALS).to_frame()) == [*plain, *OF_D_RANK]
    everything = list(rc.compare(BOTH, d_rank=True, coefficients="tau", **HOW).to_frame())
    assert everything == [*keys, *of("tau"), *others, *OF_D_RANK]


def test_what_is_asked_for_is_there():
    found = rc.compare(BOTH, d_rank=True, **HOW)
    values = found.row("AP", "RR").to_dict()
    assert [values[column] for column in OF_D_RANK[:2]] == list(
        rc.d_rank(BOTH["AP"], BOTH["RR"], n_resamples=199, rng=5)
    )
    for name in ("tau", "tau_ap"):
        same = rc.correlation_interval(BOTH["AP"], BOTH["RR"], name, **HOW).one_true_ranking
        columns = [f"{name} if one true ranking{end}" for end in ("", " low", " high")]
        assert [values[column] for column in columns] == [same.mean, same.low, same.high]
        assert values[f"{name} p same true ranking"] == same.pvalue


def test_both_directions_of_a_pair_are_what_each_is_alone():
    """Each pair is computed once; tau_AP depends on the direction."""
    rows = rc.compare(BOTH, coefficients=["tau", "tau_ap", "spearman"], **HOW)
    for first, second in (("AP", "RR"), ("RR", "AP")):
        row = rows.row(first, second)
        for name in ("tau", "tau_ap", "spearman"):
            assert row.correlations[name] == rc.correlation_interval(BOTH[first], BOTH[second], name, **HOW)
        assert row.correlations["tau"].reversed_pairs() is not None
        sentence = row.correlations["tau"].sentence()
        assert sentence.startswith(f"{first} and {second} rank 8 systems on 12 topics with a tau of ")
    assert rows.sentences().count("\n") == 0
    assert len(rows.table().rows) == 1
    for first, second in (("AP", "RR"), ("RR", "AP")):
        of_best = rc.compare(BOTH, top=4, **HOW).row(first, second).correlations["tau@4"]
        assert of_best == rc.correlation_interval(BOTH[first], BOTH[second], "tau@4", **HOW)
    directed = rc.compare(BOTH, coefficients="tau_ap", **HOW)
    assert directed.sentences().count("\n") == 1
    assert len(directed.table().rows) == 2


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_all_answers_have_one_rule_of_what_is_significant(level):
    """1 - level: p may be above .05, and significant for both."""
    alone = rc.correlation_interval(BOTH["AP"], BOTH["RR"], level=level, **HOW)
    result = rc.compare(BOTH, level=level, **HOW)
    row = result.row("AP", "RR")
    is_small = alone.pvalue <= 1.0 - level
    assert row.pvalue == alone.pvalue
    assert row.rules_out_one_ranking == is_small == bool(result.matrix().significant.loc["AP", "RR"])
    assert row.sentence() == alone.sentence()
    for shown in (alone.table(), result.table()):
        (column,) = (column for column in shown.columns if column.title == "p (same true ranking)")
        assert column.cells(shown.rows)[0].strong == is_small


def test_a_matrix_of_what_was_not_computed_is_refused():
    without = rc.compare(BOTH, **NO_INTERVALS)
    assert without.matrix().statistic == "tau"
    assert without.matrix().pvalues.isna().all(axis=None)
    assert not without.matrix().significant.any(axis=None)
    refused = {
        "pvalue": "`n_resamples` must not be 0",
        **dict.fromkeys(("d_rank", "d_rank_pvalue"), "`d_rank` must be True"),
    }
    for statistic, rule in refused.items():
        with pytest.raises(ValueError, match=f"{rule} in the comparison for a matrix of {statistic}"):
            without.matrix(statistic)
    found = rc.compare(BOTH, d_rank=True, **HOW)
    row = found.row("AP", "RR")
    for statistic, value in {"pvalue": row.pvalue, "d_rank": row.d_rank, "d_rank_pvalue": row.d_rank_pvalue}.items():
        assert found.matrix(statistic).values.loc["AP", "RR"] == value
        tested = row.d_rank_pvalue if statistic.startswith("d_rank") else row.pvalue
        assert found.matrix(statistic).pvalues.loc["AP", "RR"] == tested
    assert found.matrix("tau_ap").values.loc["AP", "RR"] == row.coefficients["tau_ap"]


# --- words --------------------------------------------------------------------------------------------------


def test_a_row_says_its_outcome():
    result = rc.compare_leaderboards(REFERENCE, {**JUDGES, "same": REFERENCE}, d_rank=True, test=None, **HOW)
    good, same = result.row("good").sentence(), result.row("same").sentence()
    assert good.startswith("good and the reference rank 8 systems on 12 topics by nDCG with a tau of ")
    assert "; one true ranking would give ." in good
    assert "; d_rank is " in good
    assert same.startswith(
        "same and the reference rank 8 systems on 12 topics by nDCG with a tau of 1.00; d_rank is .00"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tied = leaderboard(0.0, 1, nDCG=0.0)
        undefined = rc.compare_leaderboards(REFERENCE, {"tied": tied}, test=None, **HOW).rows[0].sentence()
    assert undefined == "tied and the reference: undefined, as a ranking ties all systems."


def test_people_are_called_as_their_file_is(tmp_path):
    path = tmp_path / "nist.txt"
    REFERENCE.to_frame()[["name", "qid", "measure", "value"]].to_csv(path, sep="\t", index=False)
    result = rc.compare_leaderboards(path, JUDGES, test=None, **HOW)
    assert result.row("good").sentence().startswith("good and nist rank 8 systems on 12 topics by nDCG with a tau of ")
    assert result.judges().sentence().startswith("good agrees best with nist by nDCG (tau ")
    several = rc.compare_leaderboards({"a": path, "b": REFERENCE}, {"a": JUDGES, "b": JUDGES}, **HOW)
    assert several.reference_name == "the reference"


def test_a_ranking_of_judges_says_its_outcome():
    three = rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).judges()
    assert three.sentence().startswith("good agrees best with the reference by nDCG (tau ")
    assert f"with 95% confidence the best of 3 judges is one of {len(three.may_be_best)}: " in three.sentence()
    two = rc.compare_leaderboards(REFERENCE, {name: JUDGES[name] for name in ("good", "poor")}, test=None, **HOW)
    smaller, larger = sorted(three.pvalues[0, 1:])
    corrected = dict(zip(sorted(three.pvalues[0, 1:]), (min(2 * smaller, 1), max(2 * smaller, larger)), strict=True))
    frame = three.to_frame()
    assert frame["p against the first"][1:].tolist() == pytest.approx([corrected[p] for p in three.pvalues[0, 1:]])
    same = [correlation.one_true_ranking for correlation in three.correlations]
    assert frame["tau if one true ranking"].tolist() == [null.mean for null in same]
    assert frame["tau p same true ranking"].tolist() == pytest.approx([null.pvalue for null in same], nan_ok=True)
    assert "p (same true ranking)" not in three.table().cells()[0]  # judges are not ordered by it
    two = {name: JUDGES[name] for name in ("good", "poor")}
    sentence = rc.compare_leaderboards(REFERENCE, two, test=None, **HOW).judges().sentence()
    agrees = "agrees better", "is not shown to agree better"
    assert sentence.startswith(tuple(f"good {better} with the reference than poor by nDCG (tau " for better in agrees))


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
    assert np.isnan(ranking.correlations[at].low)
    assert not ranking.significant[at].any()
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


def test_a_note_is_of_the_rows_that_it_names():
    noise = JUDGES["poor"]
    result = rc.compare_leaderboards(REFERENCE, {"good": JUDGES["good"], "noise": noise}, test=None, **HOW)
    text = "Noise makes up much of how the systems of one side differ: the interval may be too short."
    assert text in result.row("noise").cautions
    assert text not in result.row("good").cautions
    several = rc.compare_leaderboards(dict.fromkeys("ab", REFERENCE), {key: {"noise": noise} for key in "ab"}, **HOW)
    assert text in several.row(ALL, "noise").cautions


def test_a_note_names_the_measure_or_the_collection_where_a_judge_has_several_rows():
    text = "Noise makes up much of how the systems of one side differ: the interval may be too short."
    noise = leaderboard(3.0, 8, RR=1.0)
    judge = rc.Scores({"AP": BOTH["AP"], "RR": noise["RR"]})
    result = rc.compare_leaderboards(BOTH, {"judge": judge}, test=None, **HOW)
    assert [text in row.cautions for row in result] == [False, True]
    judges = {"a": {"judge": JUDGES["good"]}, "b": {"judge": JUDGES["poor"]}}
    several = rc.compare_leaderboards(dict.fromkeys("ab", REFERENCE), judges, test=None, **HOW)
    assert [text in several.row(name, "judge").cautions for name in (ALL, "a", "b")] == [True, False, True]


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
    with pytest.raises(ValueError, match=r"`margin` must .*got 0"):
        rc.compare_leaderboards(REFERENCE, JUDGES, test=None, **HOW).judges(margin=0)
