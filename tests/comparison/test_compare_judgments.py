import json

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, P, nDCG

from pt_rankcorr import compare_judgments, discriminative_power, judgment_curve, scores_from_runs
from pt_rankcorr.judgments import Judges, Qrels, compare_labels
from pt_rankcorr.warnings import (
    DegenerateInputWarning,
    DistortedLabelsWarning,
    FailedJudgesWarning,
)
from tests import fixtures
from tests.comparison.definitions import check_row

QUICK = {"n_resamples": 99, "rng": 1, "test": "t"}
QRELS = fixtures.qrels()
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}


def judge(noise, seed):
    """Labels of the reference, some of them replaced by random ones."""
    random = np.random.default_rng(seed)
    replaced = random.random(len(QRELS)) < noise
    return QRELS.assign(label=np.where(replaced, random.integers(0, 3, len(QRELS)), QRELS["label"]))


@pytest.fixture(scope="module")
def result():
    judges = {"good": judge(0.1, 1), "<poor>": judge(0.9, 2)}
    return compare_judgments(RUNS, QRELS, judges, [AP, nDCG], d_rank=True, **QUICK)


def test_one_row_a_set_and_measure_as_the_statistics_say(result):
    assert [(row.judge, row.measure) for row in result] == [
        (name, measure) for measure in ("AP", "nDCG") for name in ("good", "<poor>")
    ]
    truth = scores_from_runs(RUNS, QRELS, [AP, nDCG])
    for row, qrels in zip(result, [judge(0.1, 1), judge(0.9, 2)] * 2, strict=True):
        estimate = scores_from_runs(RUNS, qrels, [AP, nDCG])[row.measure]
        assert result.others[row.judge][row.measure] == estimate
        check_row(row, truth[row.measure], estimate)
        found = compare_labels(QRELS, {row.judge: qrels})
        labels = found.agreement[row.judge].to_dict()
        alpha = labels.pop("alpha")
        assert row.details.items() >= {**labels, "krippendorff_alpha": alpha}.items()
        (known,) = found.label_checks.sets
        assert row.details.items() >= {"n_outside": known.n_outside, "commonest_share": known.commonest_share}.items()
        judged = scores_from_runs(RUNS, qrels, ["Judged@10"])["Judged@10"].values.mean()
        assert row.details["judged"] == pytest.approx(judged)
    assert result.row("good", AP).details["kappa"] > 0.7 > result.row("<poor>", AP).details["kappa"]


def test_dependent_topics():
    clusters = {topic: str(at // 2) for at, topic in enumerate(dict.fromkeys(QRELS["qid"].astype(str)))}
    qrels = Qrels(QRELS, clusters=clusters)
    row = compare_judgments(RUNS, qrels, {"poor": judge(0.9, 2)}, [AP], **QUICK).row("poor", AP)
    truth, estimate = (scores_from_runs(RUNS, qrels, [AP])["AP"] for qrels in (QRELS, judge(0.9, 2)))
    truth, estimate = (scores.with_design(clusters=clusters) for scores in (truth, estimate))
    check_row(row, truth, estimate)
    curve = judgment_curve(RUNS, qrels, [AP], depths=[2, 5], n_resamples=99, rng=1)
    assert curve.reference["AP"] == truth


def test_a_contrary_judge_reverses_every_significant_pair():
    contrary = QRELS.assign(label=2 - QRELS["label"])
    everything = pd.MultiIndex.from_product([QRELS["qid"].unique(), [f"d{n}" for n in range(30)]])
    judged = QRELS.set_index(["qid", "docno"])["label"].reindex(everything, fill_value=0)
    reference = judged.rename_axis(["qid", "docno"]).reset_index()
    contrary = reference.assign(label=(reference["label"] == 0).astype(int))
    row = compare_judgments(RUNS, reference, {"contrary": contrary}, [P @ 10], **QUICK).row("contrary", P @ 10)
    assert len(row.pairs.active_disagreements) == row.pairs.n_significant == row.pairs.n_significant_other > 0
    assert row.tau == -1.0
    assert row.details["kappa_binary"] < 0


def test_the_same_judgments_agree_in_everything():
    result = compare_judgments(RUNS, QRELS, {"same": QRELS}, [nDCG], d_rank=True, **QUICK)
    row = result.row("same", nDCG)
    assert (row.details["kappa"], row.tau, row.d_rank, row.d_rank_pvalue) == (1.0, 1.0, 0.0, 1.0)
    assert np.isnan(row.pvalue)
    assert np.isnan([row.correlations["tau"].low, row.correlations["tau"].standard_error]).all()
    assert row.pairs.active_disagreements == ()
    assert row.pairs.n_active_agreements == row.pairs.n_significant


def test_sets_that_judge_other_topics_meet_on_the_common_ones():
    few, others = QRELS[QRELS["qid"] != "q1"], QRELS[QRELS["qid"] != "q2"]
    stranger = pd.concat([QRELS, QRELS[QRELS["qid"] == "q3"].assign(qid="q99")])
    result = compare_judgments(RUNS, stranger, {"few": few, "others": others}, [AP], **QUICK)
    assert result.dropped_topics == ("q1", "q2")
    assert result.reference.topics == tuple(f"q{n}" for n in range(3, 13))
    assert "(left out, as not all have them: 2 topics, 'q1', 'q2')" in str(result)
    assert result.row("few", AP).details["n_reference"] == len(QRELS[~QRELS["qid"].isin(["q1", "q2"])])
    with pytest.raises(ValueError, match="`judges` must judge a topic"):
        compare_judgments(RUNS, QRELS, {"none": QRELS.assign(qid="other " + QRELS["qid"])}, [AP])


def test_the_table_shows_itself(result):
    assert "&lt;poor&gt;" in result._repr_html_()
    assert "<poor>" not in result._repr_html_()
    told = result.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["rows"][0]["n_active_disagreements"] == len(result.rows[0].pairs.active_disagreements)
    with pytest.raises(KeyError, match="no row of 'best', 'AP'"):
        result.row("best", AP)


def test_other_tests_of_pairs():
    how = {"test": "paired-bootstrap", "rng": 1}
    result = compare_judgments(RUNS, QRELS, {"good": judge(0.1, 1)}, [AP], n_resamples=99, **how)
    for scores, found in ((result.reference, "n_significant"), (result.others["good"], "n_significant_other")):
        assert getattr(result.rows[0].pairs, found) == discriminative_power(scores["AP"], **how).n_significant > 0


def written(path, qrels, more=""):
    rows = qrels[["qid", "docno", "label"]].itertuples(index=False)
    path.write_text("".join(f"{qid} 0 {doc} {label}\n" for qid, doc, label in rows) + more)
    return path


def test_one_bad_judge_fails_alone_and_says_where(tmp_path):
    folder = tmp_path / "judges"
    folder.mkdir()
    first = QRELS.iloc[0]
    contrary = f"\n{first['qid']} 0 {first['docno']} {first['label'] + 1}\n"
    written(folder / "good.qrels", judge(0.1, 1))
    twice = written(folder / "twice.qrels", QRELS, contrary)
    stray = written(folder / "stray.qrels", QRELS, "q1 0 d1 relevant\n")
    (folder / "empty.qrels").touch()
    written(folder / "elsewhere.qrels", QRELS.assign(qid="other " + QRELS["qid"].str[1:]).replace(" ", "", regex=True))
    with pytest.warns(
        FailedJudgesWarning, match="4 of 5 judges cannot be used, and are left out: .*'empty': .*empty file"
    ):
        result = compare_judgments(RUNS, QRELS, folder, ["nDCG"], **QUICK)
    assert [row.judge for row in result] == ["good"]
    assert result.rows == compare_judgments(RUNS, QRELS, {"good": judge(0.1, 1)}, ["nDCG"], **QUICK).rows
    place = f"for {first['docno']!r} on topic {first['qid']!r}, the second in line {len(QRELS) + 2}."
    assert result.failed["twice"] == f"{str(twice)!r} must have one label per document and topic, got two {place}"
    assert result.failed["stray"].startswith(f"{str(stray)!r} must be TREC qrels (topic, iteration, document, label in")
    assert f"got 'q1 0 d1 relevant' in line {len(QRELS) + 1}." in result.failed["stray"]
    assert result.to_dict()["failed"] == dict(result.failed)
    assert "'elsewhere', 'empty', 'stray', 'twice'" in str(result)
    with pytest.raises(ValueError, match="must have one label per document"):
        compare_judgments(RUNS, QRELS, [twice], ["nDCG"], **QUICK)
    with pytest.raises(ValueError, match=r"^`reference` must have one label"):
        compare_judgments(RUNS, pd.concat([QRELS, QRELS.assign(label=3)]), {"a": QRELS}, ["nDCG"])


def test_labels_that_distort_are_warned_of_with_names_and_counts():
    few, planted = QRELS.iloc[::3], QRELS.assign(label=QRELS["label"].mask(np.arange(len(QRELS)) < 5, 10))
    with pytest.warns(DistortedLabelsWarning) as said:
        result = compare_judgments(RUNS, QRELS, {"few": few, "planted": planted, "same": QRELS}, [AP], **QUICK)
    messages = [str(each.message) for each in said]
    assert len(messages) == 2
    assert f"'few': it labels 33% of the reference's judgments ({len(few)} of {len(QRELS)})" in messages[0]
    assert f"'planted': 5 of {len(QRELS)} labels are outside of the reference's scale (10)" in messages[1]
    assert result.label_checks is not None
    assert [each.n_outside for each in result.label_checks.sets] == [0, 5, 0]
    fixed = compare_judgments(RUNS, QRELS, Judges({"planted": planted}, label_map={"pl*": {10: 2}}), [AP], **QUICK)
    assert fixed.row("planted", AP).details["n_outside"] == 0


def test_binary_judges_and_graded_people():
    binary = QRELS.assign(label=(QRELS["label"] >= 2).astype(int))
    strict = AP(rel=2)
    with pytest.warns(DegenerateInputWarning):
        compare_judgments(RUNS, QRELS, {"binary": binary}, [strict], **QUICK)
    judges = Judges({"binary": binary, "same": QRELS}, relevance_threshold={"b*": 1, "same": 2})
    result = compare_judgments(RUNS, Qrels(QRELS, relevance_threshold=2), judges, [strict, nDCG], **QUICK)
    row = result.row("binary", strict)
    assert (
        row.tau,
        row.details["kappa_binary"],
        row.details["relevance_threshold"],
        row.details["other_threshold"],
    ) == (
        1.0,
        1.0,
        2,
        1,
    )
    assert row.details["kappa"] < 1.0
    assert "kappa, relevant" in result.to_text()
    assert result.others["binary"][strict] == result.reference[strict]
    assert (row.measure, row.details["reference_computed"], row.details["measure_computed"]) == (
        "AP(rel=2)",
        "AP(rel=2)",
        "AP",
    )
    plain = compare_judgments(RUNS, QRELS, {"binary": binary}, [nDCG], **QUICK)
    assert result.others["binary"][nDCG] == plain.others["binary"][nDCG]  # whose gains are the labels


def test_fractions_are_gains_of_ndcg():
    """The same as whole labels ten times as large, as nDCG does not depend on the unit."""
    means = QRELS.assign(label=(judge(0.3, 1)["label"] + judge(0.3, 2)["label"] + QRELS["label"]) / 10)
    whole = means.assign(label=(means["label"] * 10).round().astype(int))
    found = compare_judgments(RUNS, QRELS, {"mean": means}, [nDCG, nDCG @ 5], **QUICK)
    with pytest.warns(DistortedLabelsWarning):
        tenfold = compare_judgments(RUNS, QRELS, {"mean": whole}, [nDCG, nDCG @ 5], **QUICK)
    for measure in (nDCG, nDCG @ 5):
        expected = tenfold.others["mean"][measure].values
        assert found.others["mean"][measure].values == pytest.approx(expected, abs=1e-12)
    assert found.row("mean", nDCG).details["n_fractions"] == (means["label"] % 1 != 0).sum()
    with pytest.raises(ValueError, match=r"whole-number labels for 'AP', got .* in 'mean'"):
        compare_judgments(RUNS, QRELS, {"mean": means}, [AP], **QUICK)
    told = compare_judgments(RUNS, QRELS, Judges({"mean": means}, relevance_threshold=0.35), [AP], **QUICK)
    binary = means.assign(label=(means["label"] >= 0.35).astype(int))
    expected = compare_judgments(RUNS, QRELS, {"mean": binary}, [AP], **QUICK)
    assert told.others["mean"]["AP"] == expected.others["mean"]["AP"]
    assert told.row("mean", AP).details["kappa_binary"] == expected.row("mean", AP).details["kappa_binary"]


def test_a_curve_takes_thresholds_from_measures():
    with pytest.raises(ValueError, match="`relevance_threshold` must be None for a curve"):
        judgment_curve(RUNS, Qrels(QRELS, relevance_threshold=2), [AP], depths=[1])
