"""Labels and scores of panels against plain loops over their members."""

import statistics
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr import ScoreMatrix, Scores, compare_leaderboards
from pt_rankcorr.judgments import Judges, panel
from pt_rankcorr.judgments.panels import members_of_panels
from pt_rankcorr.warnings import DistortedLabelsWarning

RNG = np.random.default_rng(3)
DOCUMENTS = [(f"q{topic}", f"d{number}") for topic in range(4) for number in range(20)]


def judge(seed, share=0.8):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        [(*document, int(random.integers(0, 4))) for document in DOCUMENTS if random.random() < share],
        columns=["qid", "docno", "label"],
    )


JUDGES = {name: judge(seed) for seed, name in enumerate("abcd")}


def commonest(labels):
    counts = Counter(labels)
    return min(label for label, count in counts.items() if count == max(counts.values()))


@pytest.mark.parametrize(
    ("combine", "join"), [("mean", statistics.mean), ("median", statistics.median), ("majority", commonest)]
)
def test_labels_are_joined_document_by_document(combine, join):
    labels = defaultdict(list)
    for qrels in JUDGES.values():
        for qid, docno, label in qrels.itertuples(index=False):
            labels[qid, docno].append(label)
    found = panel(JUDGES, combine)
    assert list(found.columns) == ["qid", "docno", "label"]
    assert {(qid, docno): label for qid, docno, label in found.itertuples(index=False)} == {
        document: pytest.approx(join(own)) for document, own in labels.items()
    }
    assert len(found) == len(labels)


def test_labels_may_be_mapped_to_one_scale(tmp_path):
    binary, graded = ({"1": {"d1": label, "d2": 0}} for label in (1, 3))
    with pytest.warns(DistortedLabelsWarning, match="'binary' has labels up to 1 and 'graded' up to 3: `label_map=`"):
        panel({"binary": binary, "graded": graded})
    less, more = ({"1": {"d1": label, "d2": 0}} for label in (0.3, 0.9))
    with pytest.warns(DistortedLabelsWarning, match=r"'less' has labels up to 0\.3 and 'more' up to 0\.9"):
        panel({"less": less, "more": more})
    found = panel({"binary": binary, "graded": graded}, label_map={"binary": {1: 3}})
    assert found["label"].tolist() == [3, 0]
    assert found["label"].dtype == np.int64
    for name in "ab":
        (tmp_path / f"{name}.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    assert panel(str(tmp_path / "*.qrels"), "majority")["label"].tolist() == [1, 0]


def scores(values, measures=("AP", "RR"), systems="xyz", topics="12", negated=False):
    return Scores([ScoreMatrix(values, [*topics], [*systems], name, negated) for name in measures])


def test_scores_are_joined_cell_by_cell():
    first, second, third = RNG.random((3, 2, 3))
    swapped = scores(second[::-1, ::-1], ("RR", "AP", "P@5"), "zyx", "21")
    found = panel({"a": scores(first), "b": swapped, "c": scores(third)}, "median")
    assert found.measures == ("AP", "RR")
    assert found.systems == ("x", "y", "z")
    assert np.allclose(found["AP"].values, np.median([first, second, third], axis=0))
    assert np.allclose(panel({"a": scores(first), "b": swapped})["RR"].values, (first + second) / 2)


def test_what_is_refused():
    values = RNG.random((2, 3))
    alone, both = {"a": JUDGES["a"]}, {"a": scores(values), "b": scores(values)}
    for judges, combine, error, message in (
        (JUDGES, "mode", ValueError, "`combine` must be 'mean' or 'median' or 'majority', got 'mode'"),
        (alone, "mean", ValueError, "`judges` must be at least 2, to be a panel, got 1"),
        ({"a": JUDGES["a"], "b": scores(values)}, "mean", TypeError, "`judges` must all be judgments or all `Scores`"),
        (both, "majority", ValueError, "`combine` must be 'mean' or 'median' for scores, got 'majority'"),
        ({**both, "c": scores(values, ["P"])}, "mean", ValueError, "must share a measure, got none that 'a', 'b', 'c'"),
        ({**both, "c": scores(values, systems="xyw")}, "mean", ValueError, "the same runs and topics, got .* of 'c'"),
        ({**both, "c": scores(values, negated=True)}, "mean", ValueError, "`lower_is_better` must be alike in all"),
    ):
        with pytest.raises(error, match=message):
            panel(judges, combine)


def test_members_are_named_or_fit_a_pattern():
    names = ["gpt-1", "gpt-2", "llama"]
    assert members_of_panels({"gpts": "gpt-*", "all": names}, names) == {"gpts": ("gpt-1", "gpt-2"), "all": (*names,)}
    assert members_of_panels(None, names) == {}
    for panels, message in (
        ({"a": "llama"}, "at least 2 judges each, got 1 in 'a'"),
        ({"a": "x*"}, "at least 2 judges each, got 0 in 'a'"),
        ({"a": ["gpt-1", "x"]}, "only judges that are compared, got 'x'"),
        ({"a": ["gpt-1", "gpt-1"]}, "have each judge once"),
        ({"llama": "gpt*"}, "names of their own, got 'llama', which is a judge"),
    ):
        with pytest.raises(ValueError, match=f"`panels` must .*{message}"):
            members_of_panels(panels, names)


def test_judges_with_topics_of_their_own_are_no_panel():
    values = RNG.random((5, 3))
    reference = scores(values, ["AP"], topics="12345")
    others = {name: scores(values, ["AP"], topics="abcde") for name in "ab"}
    with pytest.raises(ValueError, match="`panels` must be None if judges have topics of their own, got 'both'"):
        compare_leaderboards(reference, Judges(others, panels={"both": "*"}), same_topics=False)
