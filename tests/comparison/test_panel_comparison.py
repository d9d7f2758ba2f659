"""Panels in comparisons: one more judge in every row, and what is said of them beside their members."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, nDCG

from pt_rankcorr import ScoreMatrix, Scores, compare_judgments, compare_leaderboards
from pt_rankcorr.comparison.panel_comparison import effective_number, errors_alike
from pt_rankcorr.judgments import Judges, panel
from pt_rankcorr.warnings import FailedJudgesWarning
from tests.comparison.test_compare_judgments import QRELS, RUNS, judge
from tests.comparison.test_compare_leaderboards import JUDGES, QUICK, REFERENCE, leaderboard

LABELS = {"a": judge(0.2, 1), "b": judge(0.4, 2), "c": judge(0.6, 3)}
ALL = {"all": "*"}
BOARDS = {**JUDGES, "third": leaderboard(0.4, 9)}


def plain_errors_alike(reference, members):
    """The mean correlation, over pairs of systems and both orders, of what is beside a parabola of the reference."""
    curves = [np.polyval(np.polyfit(reference, means, 2), reference) for means in members]
    errors = [means - curve for means, curve in zip(members, curves, strict=True)]
    pairs = [(own[:, np.newaxis] - own).ravel() for own in errors]
    correlations = np.corrcoef(pairs)
    return correlations[np.triu_indices(len(members), 1)].mean()


@pytest.mark.parametrize("combine", ["mean", "majority"])
def test_a_panel_of_labels_is_one_more_judge(combine):
    with_panel = compare_judgments(RUNS, QRELS, Judges(LABELS, panels=ALL, combine=combine), [nDCG], **QUICK)
    joined = panel(LABELS, combine)
    expected = compare_judgments(RUNS, QRELS, {**LABELS, "all": joined}, [nDCG], **QUICK)
    assert with_panel.to_frame().equals(expected.to_frame())
    assert with_panel.label_checks == expected.label_checks
    assert with_panel.members == {"all": ("a", "b", "c")}
    if combine == "majority":  # means agree exactly with few labels
        assert with_panel.row("all", nDCG).details["kappa"] > with_panel.row("c", nDCG).details["kappa"]


def test_a_panel_has_a_scale_of_its_own():
    judges = Judges(LABELS, relevance_threshold={"all": 0.5}, panels={"all": ["a", "b"]})
    result = compare_judgments(RUNS, QRELS, judges, [AP], **QUICK)
    assert result.row("all", AP).details["measure_computed"] == "AP(rel=0.5)"
    with pytest.warns(FailedJudgesWarning, match="'all': `judges` must have whole-number labels for 'AP'"):
        result = compare_judgments(RUNS, QRELS, Judges(LABELS, panels=ALL), [AP], **QUICK)
    assert [row.judge for row in result] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="`panels`"):
        result.panels()
    broken = {**LABELS, "b": QRELS.assign(qid="other " + QRELS["qid"])}
    with pytest.warns(FailedJudgesWarning, match="'all': `panels` must have judges that can be used, got 'b'"):
        compare_judgments(RUNS, QRELS, Judges(broken, panels=ALL), [nDCG], **QUICK)


def test_what_is_said_of_panels():
    judges = Judges(BOARDS, panels={"all": "*", "two": ["good", "poor"]})
    result = compare_leaderboards(REFERENCE, judges, **QUICK)
    ranking, found = result.judges(), result.panels()
    assert found.panels["panel"].tolist() == ["all", "two"]
    place = {name: index for index, name in enumerate(ranking.judges)}
    for own in found.panels.itertuples(index=False):
        members = [BOARDS[name]["nDCG"] for name in own.members]
        assert np.allclose(
            result.others[own.panel]["nDCG"].values, np.mean([member.values for member in members], axis=0)
        )
        taus = {name: result.row(name, "nDCG").tau for name in own.members}
        assert own.best == max(taus, key=taus.__getitem__)
        assert (own.correlation, own.correlation_low, own.correlation_high) == (
            result.row(own.panel, "nDCG").tau,
            result.row(own.panel, "nDCG").correlations["tau"].low,
            result.row(own.panel, "nDCG").correlations["tau"].high,
        )
        pair = place[own.panel], place[own.best]
        assert own.difference == pytest.approx(ranking.differences[pair])
        assert own.pvalue == pytest.approx(ranking.pvalues[pair])
        r = plain_errors_alike(REFERENCE["nDCG"].means, [member.means for member in members])
        assert own.error_correlation == pytest.approx(r)
        k = len(members)
        assert own.effective_judges == pytest.approx(k / (1 + (k - 1) * max(r, 0)))
        assert 1.0 <= own.effective_judges_low <= own.effective_judges <= own.effective_judges_high <= k
        assert own.effective_judges_low == pytest.approx(effective_number(k, own.error_correlation_high))
    text = str(found)
    assert "effective" in text
    assert "Errors of its 2 judges correlate by" in found.sentences()[1]
    assert found.sentences()[0].startswith("all ")


@pytest.mark.filterwarnings("ignore:No resample of topics changes")
def test_identical_judges_stand_for_one():
    judges = dict.fromkeys("abc", JUDGES["poor"])
    (found,) = compare_leaderboards(REFERENCE, Judges(judges, panels=ALL), **QUICK).panels().panels.itertuples()
    assert (found.difference, found.pvalue) == (0.0, 1.0)
    assert found.error_correlation == pytest.approx(1.0)
    assert found.effective_judges == pytest.approx(1.0)
    assert np.isnan([found.error_correlation_low, found.effective_judges_high]).all()


def test_errors_alike():
    random = np.random.default_rng(1)
    reference = random.random(40)
    common = random.normal(0, 0.1, 40)
    alike = [np.sqrt(reference) + common + random.normal(0, 0.05, 40) for _ in range(4)]
    found = errors_alike(reference, np.hstack(alike), 4)
    assert found == pytest.approx([plain_errors_alike(reference, alike)])
    # neither unit nor zero of a scale matters, and a judge without errors has none to share
    scaled = errors_alike(reference, np.hstack([7 * alike[0] - 3, *alike[1:]]), 4)
    assert scaled == pytest.approx(found)
    with_perfect = errors_alike(reference, np.hstack([*alike, 2 * reference**2]), 5)
    assert with_perfect == pytest.approx(found)
    assert np.isnan(errors_alike(reference, np.hstack([alike[0], reference]), 2)).all()
    assert np.isnan(errors_alike(reference[:5], np.hstack([own[:5] for own in alike]), 4)).all()
    stacked = errors_alike(np.stack([reference] * 3), np.stack([np.hstack(alike)] * 3), 4)
    assert stacked == pytest.approx(np.tile(found, (3, 1)))


def test_the_effective_number():
    assert effective_number(5, 0.0) == effective_number(5, -0.1) == 5.0
    assert effective_number(5, 1.0) == 1.0
    assert np.isnan(effective_number(5, np.nan))


def test_a_member_that_ties_all_systems_is_refused():
    tied = Scores([ScoreMatrix(np.ones((12, 8)), REFERENCE.topics, REFERENCE.systems, "nDCG")])
    judges = {"good": JUDGES["good"], "tied": tied}
    with pytest.warns(match="A ranking ties all systems"):
        result = compare_leaderboards(REFERENCE, Judges(judges, panels={"both": "*"}), **QUICK)
    with pytest.raises(ValueError, match="`judges` of a panel must not tie all systems"):
        result.panels()


def test_repeated_runs_that_change_their_labels():
    sets = {"a-1": LABELS["a"], "a-2": judge(0.2, 7), "b-1": LABELS["b"], "b-2": LABELS["b"]}
    result = compare_judgments(RUNS, QRELS, Judges(sets, panels=ALL), [nDCG], **QUICK)
    found = result.families(r"(?P<model>\w)-(?P<run>\d)", repetition="run").repetitions
    share = (sets["a-1"]["label"] != sets["a-2"]["label"]).mean()
    assert found.judges.set_index("judge")["differ"].to_dict() == pytest.approx({"a": share, "b": 0.0})
    assert found.doubts() == [f"'a': two of its runs differ on {share:.0%} of labels."]
    number = pd.Series([1, 2, 1, 2], list(sets), name="seed")
    for column in (number, number.to_dict()):
        assert result.families(r"(?P<model>\w)", repetition=column).repetitions.to_dict() == found.to_dict()


def test_collections_have_their_own_panels():
    both = dict.fromkeys(("x", "y"), Judges(BOARDS, panels=ALL))
    result = compare_leaderboards(dict.fromkeys(both, REFERENCE), both, **QUICK)
    assert "all" in result.judges().judges
    alone = compare_leaderboards(REFERENCE, Judges(BOARDS, panels=ALL), **QUICK).panels()
    assert result.collections["x"].panels().panels.equals(alone.panels)
    with pytest.raises(ValueError, match="`combine` must be 'mean' or 'median' or 'majority', got 'mode'"):
        compare_leaderboards(REFERENCE, Judges(BOARDS, combine="mode"), **QUICK)
