import math

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from scipy.stats import t as students_t

from pt_rankcorr import ScoreMatrix, Scores, compare_leaderboards
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.warnings import DegenerateInputWarning, MissingTopicsWarning
from tests.comparison.definitions import check_row
from tests.stats.oracles import COEFFICIENTS

RUNS, TOPICS = [f"r{number}" for number in range(8)], [str(number) for number in range(12)]
QUICK = {"n_resamples": 99, "rng": 1, "test": "t"}


def leaderboard(noise, seed, **measures):
    """Scores of the runs with noise, by each measure less a little of it; the same qualities everywhere."""
    truth = np.random.default_rng(0)
    base = np.linspace(0.2, 0.8, len(RUNS)) + truth.normal(0, 0.15, (len(TOPICS), len(RUNS)))
    random = np.random.default_rng(seed)
    noisy = {
        name: share * base + random.normal(0, noise, base.shape) for name, share in (measures or {"nDCG": 1}).items()
    }
    return Scores([ScoreMatrix(values, TOPICS, RUNS, name) for name, values in noisy.items()])


REFERENCE = leaderboard(0.02, 1)
JUDGES = {"good": leaderboard(0.05, 2), "poor": leaderboard(0.8, 3), "<odd>": leaderboard(0.3, 4)}


@pytest.fixture(scope="module")
def result():
    return compare_leaderboards(REFERENCE, JUDGES, top=4, d_rank=True, **QUICK).per_topic()


def test_a_row_a_judge_as_the_statistics_say(result):
    reference = REFERENCE["nDCG"]
    assert [row.judge for row in result] == list(JUDGES)
    for row in result:
        estimate = JUDGES[row.judge]["nDCG"]
        check_row(row, reference, estimate)
        best = np.argsort(-reference.means)[:4]
        assert row.coefficients["tau@4"] == COEFFICIENTS["tau"].kernel(reference.means[best], estimate.means[best])
    assert result.row("good", "nDCG", "nDCG").tau > result.row("poor", "nDCG", "nDCG").tau


def test_means_over_topics_are_student_s(result):
    values = [
        kendalltau(*both).statistic
        for both in zip(REFERENCE["nDCG"].values, JUDGES["poor"]["nDCG"].values, strict=True)
    ]
    mean, error = np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))
    found = result.row("poor", "nDCG", "nDCG").per_topic["tau_b"]
    assert found[:3] == pytest.approx([mean, *students_t.interval(LEVEL, len(values) - 1, mean, error)])
    assert found.n_undefined == 0


def test_topics_that_tie_all_runs_are_counted():
    tied = REFERENCE["nDCG"].values.copy()
    tied[:11] = 0.5
    judge = Scores([ScoreMatrix(tied, TOPICS, RUNS, "nDCG")])
    row = compare_leaderboards(REFERENCE, {"tied": judge}, **QUICK).per_topic().rows[0]
    assert row.per_topic["tau"].n_undefined == 11
    assert (row.per_topic["tau"].value, math.isnan(row.per_topic["tau"].low)) == (1.0, True)
    assert row.to_dict()["tau per topic undefined"] == 11
    assert row.to_dict()["pair accuracy all tied per topic"] == 0.0  # the reference ties nothing
    assert 0.0 < row.to_dict()["pair accuracy at random per topic"] <= 0.5


def test_columns_of_a_row(result):
    row = result.rows[0].to_dict()
    for name in ("tau", "tau b", "tau_ap", "tau_ap b", "tau_gap", "spearman", "pearson"):
        assert {name, f"{name}@4", f"{name} per topic"} <= row.keys()
        ends = {f"{name}{top} {end}" for top in ("", "@4") for end in ("low", "high", "standard error")}
        assert row.keys() >= ends if name in ("tau", "tau_ap") else not row.keys() & ends
    for name in ("tau", "tau_ap"):
        assert row[f"{name} low"] <= row[name] <= row[f"{name} high"]
    d_rank = {"d_rank", "d_rank pvalue", "d_rank pvalue standard error"}
    assert {"judge", "reference", "measure", "tau p same true ranking", *d_rank} <= row.keys()
    assert row["tau b"] == pytest.approx(kendalltau(REFERENCE["nDCG"].means, JUDGES["good"]["nDCG"].means).statistic)
    assert row["spearman"] == pytest.approx(spearmanr(REFERENCE["nDCG"].means, JUDGES["good"]["nDCG"].means).statistic)
    assert "<odd>" not in result._repr_html_()
    narrow, wide = (set(result.table().cells(wide=wide)[0]) for wide in (False, True))
    level = f"[{LEVEL:.0%}]"
    assert {"tau_GAP", "pairs reversed", f"tau_AP {level}", f"balanced accuracy {level}"} <= wide - narrow
    assert {f"tau {level}", "p (same true ranking)", "d_rank (Ledoit-Wolf)", "p of d_rank"} <= narrow
    without = compare_leaderboards(REFERENCE, JUDGES, **QUICK).table()
    same = f"tau if one true ranking {level}"
    assert list(without.cells()[0])[:4] == ["judge", f"tau {level}", same, "p (same true ranking)"]
    assert same in wide - narrow  # beside d_rank
    with_b = compare_leaderboards(REFERENCE, JUDGES, coefficients=["tau_b", "tau_ap_b"], **{**QUICK, "n_resamples": 0})
    assert list(with_b.table().cells()[0])[:3] == ["judge", "tau b", "tau_AP b"]


def test_where_no_pair_differs_no_balanced_accuracy_is_shown():
    few = [scores.select(systems=RUNS[:3], topics=TOPICS[:3]) for scores in (REFERENCE, JUDGES["good"])]
    result = compare_leaderboards(few[0], {"few": few[1]}, **QUICK | {"test": "wilcoxon", "n_resamples": 0})
    assert result.table().cells()[0]["balanced accuracy"] == "-"


def pairs_of(result):
    return [(row.reference, row.measure) for row in result]


def test_measures_are_paired_by_name_or_as_told():
    reference = leaderboard(0.05, 1, nDCG=1.0, AP=0.9)
    judge = {"j": leaderboard(0.1, 2, AP=1.0, grade=1.0, nDCG=0.5)}
    given = {**QUICK, "n_resamples": 0}
    assert pairs_of(compare_leaderboards(reference, judge, **given)) == [("nDCG", "nDCG"), ("AP", "AP")]
    one = compare_leaderboards(reference, judge, reference_measure="AP", **given)
    assert pairs_of(one) == [("AP", "AP"), ("AP", "grade"), ("AP", "nDCG")]
    both = compare_leaderboards(reference, judge, reference_measure=["AP", "nDCG"], measures=["grade"], **given)
    assert pairs_of(both) == [("AP", "grade"), ("nDCG", "grade")]
    alone = compare_leaderboards(
        reference.select(measures=["AP"]), {"j": judge["j"].select(measures=["grade"])}, **given
    )
    assert pairs_of(alone) == [("AP", "grade")]
    for wrong in ({"measures": ["grade"]}, {"reference_measure": "P@10"}):
        with pytest.raises(ValueError, match="`reference_measure`"):
            compare_leaderboards(reference, judge, **wrong, **given)
    with pytest.raises(ValueError, match="`reference`"):
        both.judges()


def policies(judge, missing, reference=REFERENCE):
    return compare_leaderboards(reference, {"j": judge}, missing=missing, **QUICK)


def test_the_default_refuses_and_names_what_would_go_on():
    good = JUDGES["good"]
    no_topic, no_system = good.drop(topics=["3"]), good.drop(systems=["r1"])
    for judge, missing, reference, named in (
        (no_topic, "error", REFERENCE, "'j' lacks topics '3'.* `missing='drop-topics'`"),
        (no_system, "error", REFERENCE, "'j' lacks runs 'r1'.* `missing='drop-systems'`"),
        (no_topic, "error", REFERENCE.drop(systems=["r1"]), "'j' has other runs 'r1'.* `missing='skip'`"),
        (no_system, "drop-topics", REFERENCE, "`missing='drop-systems'`"),
    ):
        with pytest.raises(ValueError, match=named):
            policies(judge, missing, reference)


def test_what_would_go_on_does():
    good = JUDGES["good"]
    assert policies(good.drop(topics=["3"]), "drop-topics").dropped_topics == ("3",)
    assert policies(good.drop(systems=["r1"]), "drop-systems").dropped_systems == ("r1",)
    both = policies(good.drop(topics=["3"]), "skip", REFERENCE.drop(systems=["r1"]))
    assert (both.dropped_topics, both.dropped_systems) == (("3",), ("r1",))
    assert "7 runs on 11 topics (left out, as not all have them: 1 runs, 'r1'; 1 topics, '3')." in str(both)
    with pytest.warns(MissingTopicsWarning, match=r"^1 runs and 1 topics are left out.*: '3', 'r1'"):
        assert (
            policies(good.drop(topics=["3"], systems=["r1"]), "warn").rows
            == policies(good.drop(topics=["3"], systems=["r1"]), "skip").rows
        )
    with pytest.raises(ValueError, match="must share at least 2 topics with the reference, got 1"):
        policies(good.select(topics=["3"]), "skip")


def test_a_default_is_0():
    filled = policies(JUDGES["good"].drop(topics=["3"], systems=["r7"]), "default")
    matrix = filled.others["j"]["nDCG"]
    assert (matrix.topics, matrix.systems) == (tuple(TOPICS), tuple(RUNS))
    assert (matrix.values[3] == 0).all()
    assert (matrix.values[:, 7] == 0).all()
    assert np.array_equal(np.delete(matrix.values[:, :7], 3, 0), np.delete(JUDGES["good"]["nDCG"].values[:, :7], 3, 0))


def test_0_is_not_filled_in_where_it_would_be_the_best():
    lower = Scores([ScoreMatrix(-JUDGES["good"]["nDCG"].values, TOPICS, RUNS, "cost", True)])
    with pytest.raises(ValueError, match=r"`missing` must .*got a judge that lacks '3'"):
        policies(lower.drop(topics=["3"]), "zero", lower)
    assert policies(lower, "zero", lower).rows[0].tau == 1.0


def test_a_judge_that_ties_all_runs_ranks_nothing():
    tied = Scores([ScoreMatrix(np.ones((12, 8)), TOPICS, RUNS, "nDCG")])
    with pytest.warns(
        DegenerateInputWarning, match="A ranking ties all systems in 'judge tied, reference nDCG, measure nDCG'"
    ):
        result = compare_leaderboards(REFERENCE, {**JUDGES, "tied": tied}, d_rank=True, **QUICK)
    row = result.row("tied", "nDCG", "nDCG")
    assert math.isnan(row.tau)
    assert np.isnan([row.correlations["tau"].low, row.correlations["tau"].standard_error]).all()
    texts = result.table().cells(wide=True)[-1]
    assert [texts[name] for name in (f"tau [{LEVEL:.0%}]", "tau_GAP", "d_rank (Ledoit-Wolf)", "p of d_rank")] == [
        "-"
    ] * 4
    with pytest.warns(DegenerateInputWarning, match="Judges of which tau is undefined are left out: 'tied'"):
        assert len(result.judges().judges) == 3


def test_judges_come_in_order_with_what_tells_them_apart():
    backwards = ScoreMatrix(-JUDGES["good"]["nDCG"].values, TOPICS, RUNS, "nDCG")
    judges = {"good": JUDGES["good"], "contrary": Scores([backwards]), "<odd>": JUDGES["<odd>"]}
    result = compare_leaderboards(REFERENCE, judges, **QUICK)
    ranking = result.judges()
    assert ranking.judges[2] == "contrary"
    for name, correlation in zip(ranking.judges, ranking.correlations, strict=True):
        assert result.row(name, "nDCG").correlations["tau"] == correlation
    assert (np.diff([correlation.statistic for correlation in ranking.correlations]) <= 0).all()
    assert (ranking.corrected >= ranking.pvalues).all()
    beaten = ranking.significant.any(axis=0)
    assert not any(beats for beats, name in zip(beaten, ranking.judges, strict=True) if name in ranking.may_be_best)
    assert "contrary" not in ranking.may_be_best
    assert [name for cluster in ranking.clusters for name in cluster] == list(ranking.judges)
    pairs = ranking.pairs()
    assert list(pairs.columns) == ["better", "worse", "difference", "standard_error", "pvalue", "corrected", "holm"]
    assert list(pairs["worse"]) == [ranking.judges[1], "contrary", "contrary"]
    in_order, largest = np.argsort(pairs["pvalue"].to_numpy(), kind="stable"), 0.0
    for at, pair in enumerate(in_order):  # Holm: the least p times 3, the next times 2, none below one before it
        largest = max(largest, min(1.0, (3 - at) * pairs["pvalue"][pair]))
        assert pairs["holm"][pair] == pytest.approx(largest)
    assert list(ranking.to_frame()["may be best"]) == [name in ranking.may_be_best for name in ranking.judges]
    assert "&lt;odd&gt;" in ranking._repr_html_()
    assert result.judges(coefficient="spearman").coefficient == "spearman"
    assert result.judges(n_jobs=2) == ranking


def test_equal_judges_are_in_one_cluster():
    result = compare_leaderboards(REFERENCE, {"a": JUDGES["good"], "b": JUDGES["good"]}, **QUICK)
    ranking = result.judges()
    assert ranking.clusters == (("a", "b"),)
    assert ranking.may_be_best == ("a", "b")
    assert ranking.corrected[0, 1] == ranking.pvalues[0, 1] == 1.0
    with pytest.raises(ValueError, match="at least 2 of which tau is defined"):
        compare_leaderboards(REFERENCE, {"a": JUDGES["good"]}, **QUICK).judges()


def test_topics_that_depend_on_each_other_are_resampled_together():
    clusters = [topic[-1] for topic in TOPICS]  # "0" and "10" are one, and so are "1" and "11"
    given = {"n_resamples": 99, "rng": 1}
    found = compare_leaderboards(REFERENCE.with_design(clusters=clusters), JUDGES, **given)
    assert found.rows != compare_leaderboards(REFERENCE, JUDGES, **given).rows
    assert found.others["good"]["nDCG"].sample.shape == (10, 8)
    assert set(found.judges().judges) == set(JUDGES)
    with pytest.raises(ValueError, match="`scores` must be without clusters and strata for statistics of single"):
        found.per_topic()


def test_the_design_of_any_is_that_of_all():
    pairs, others = ({topic: str(at // 2) for at, topic in enumerate(REFERENCE.topics, odd)} for odd in (0, 1))
    given = {**QUICK, "test": None}
    judge = JUDGES["good"]
    expected = compare_leaderboards(REFERENCE.with_design(clusters=pairs), {"a": judge}, **given)
    for reference in (REFERENCE, REFERENCE.with_design(clusters=pairs)):
        found = compare_leaderboards(reference, {"a": judge.with_design(clusters=pairs)}, **given)
        assert found.to_frame().equals(expected.to_frame())
    with pytest.raises(ValueError, match="must have the same clusters and strata, got other ones of 'b'"):
        compare_leaderboards(
            REFERENCE, {"a": judge.with_design(clusters=pairs), "b": judge.with_design(clusters=others)}
        )
