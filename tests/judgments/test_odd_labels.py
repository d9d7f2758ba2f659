"""Labels as models write them: what is wrong with each set is counted, and said."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr import compare_judgments
from pt_rankcorr.judgments import compare_labels
from pt_rankcorr.judgments.labels import DOCUMENT, scales_of
from pt_rankcorr.warnings import UnmatchedNamesWarning
from tests import fixtures

QRELS = fixtures.qrels().rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}


def label_checks(*sets, **how):
    return compare_labels(*sets, **how).label_checks


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.sampled_from([-1, 0, 0.5, 1, 2, 10])), min_size=1)


@given(ROWS, ROWS)
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_counts_are_as_defined(reference, other):
    """Document by document, from files in which any line may stand twice, or be contradicted."""
    trusted = {(topic, doc): max(0.0, label) for topic, doc, label in reference}
    labels = {}
    for topic, doc, label in other:
        labels.setdefault((topic, doc), []).append(label)
    frames = [
        pd.DataFrame([(str(topic), f"d{doc}", label) for (topic, doc), label in rows], columns=[*DOCUMENT, "relevance"])
        for rows in (trusted.items(), [((topic, doc), label) for topic, doc, label in other])
    ]
    (found,) = label_checks(frames[0], {"model": frames[1]}).sets
    highest = {key: max(own) for key, own in labels.items()}
    outside = [label for label in highest.values() if not 0 <= label <= max(trusted.values())]
    assert found.n_judgments == len(labels)
    assert found.n_topics == len({topic for topic, _ in labels} & {topic for topic, _ in trusted})
    assert found.coverage == pytest.approx(len(labels.keys() & trusted.keys()) / len(trusted))
    assert (found.n_outside, found.n_fractions) == (len(outside), sum(label % 1 != 0 for label in highest.values()))
    assert found.n_repeated == len(other) - len({*other})
    assert found.n_contradicting == sum(len({*own}) > 1 for own in labels.values())
    shares = [[*highest.values()].count(label) / len(highest) for label in highest.values()]
    assert found.commonest_share == pytest.approx(max(shares))
    assert [*highest.values()].count(found.commonest) / len(highest) == max(shares)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")
def test_the_share_of_what_runs_retrieved_that_is_judged():
    """Of the first ten documents of each run and topic, one after the other."""
    few = QRELS.iloc[::3]
    found = compare_judgments(RUNS, QRELS, {"few": few}, ["AP"], n_resamples=0, test=None).label_checks
    for judged, share in ((QRELS, found.reference.judged), (few, found.sets[0].judged)):
        known = {*zip(judged["query_id"], judged["doc_id"], strict=True)}
        shares = []
        for run in RUNS.values():
            for topic in QRELS["query_id"].unique():
                first = run[run["qid"] == topic].sort_values(["score", "docno"], ascending=False)[:10]
                shares.append(np.mean([(topic, doc) in known for doc in first["docno"]]) if len(first) else 0.0)
        assert share == pytest.approx(np.mean(shares))


def test_a_sentence_on_each_judge_whose_ranking_is_distorted():
    sparse = QRELS.iloc[: len(QRELS) // 3]
    planted = QRELS.assign(relevance=QRELS["relevance"].mask(np.arange(len(QRELS)) < 3, 10))
    flat = QRELS.assign(relevance=2)
    found = label_checks(QRELS, {"good": QRELS, "sparse": sparse, "planted": planted, "flat": flat})
    few, stray, alike = found.doubts()
    assert few.startswith(f"'sparse': it labels 33% of the reference's judgments ({len(sparse)} of {len(QRELS)})")
    assert "it judges 4 of 12 topics" in few
    assert f"'planted': 3 of {len(QRELS)} labels are outside of the reference's scale (10)" in stray
    assert alike == "'flat': 100% of its documents have the label 2"
    frame = found.to_frame().set_index("judge")
    assert list(frame.index) == ["the reference", "good", "sparse", "planted", "flat"]
    assert frame.loc["planted", "n_outside"] == 3


def test_files_as_found(tmp_path):
    (tmp_path / "people.qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 3\n")
    (tmp_path / "judges").mkdir()
    (tmp_path / "judges" / "mean.qrels").write_text("1 0 a 0.4\n1 0 b 0.0\n2 0 a 0.4\n")
    (tmp_path / "judges" / "twice.qrels").write_text("1 0 a 1\n\n1 0 b 0\n1 0 a 2\n1 0 b 0\n")
    mean, twice = label_checks(tmp_path / "people.qrels", tmp_path / "judges").sets
    assert (mean.name, mean.n_fractions, mean.commonest) == ("mean", 2, 0.4)
    assert (twice.n_repeated, twice.n_contradicting, twice.n_judgments) == (1, 1, 2)


def test_a_label_of_a_map_that_no_judge_gives_is_named():
    with pytest.warns(UnmatchedNamesWarning, match="`label_map` has labels that no judge gives: '7'"):
        compare_labels(QRELS, {"same": QRELS}, label_map={7: 1, 2: 2})


def test_scales_are_of_names_and_patterns_and_the_first_that_fits_counts():
    names = ["gpt-binary", "gpt-graded", "llama"]
    scales = scales_of(names, {"*binary": 1, "gpt*": 2}, {"llama": {10: 3}})
    assert [scales[name].threshold for name in names] == [1, 2, None]
    assert scales["llama"].of(pd.DataFrame({"relevance": [10, 2]}))["relevance"].tolist() == [3, 2]
    everywhere = scales_of(names, 2.0, {-1: 0})
    assert {(scale.threshold, *scale.labels.items()) for scale in everywhere.values()} == {(2, (-1, 0))}
    assert scales_of(["[a]"], {"[a]": 1}, None)["[a]"].threshold == 1
    exact = scales_of(["gpt4", "gpt5"], {"gpt*": 1, "gpt4": 2}, None)  # a name comes before a pattern
    assert [each.threshold for each in exact.values()] == [2, 1]
    for threshold, label_map, error, named in (
        ({"gpt?": 1}, None, ValueError, r"`relevance_threshold` .*'gpt\?'"),
        (float("inf"), None, ValueError, "`relevance_threshold` .*inf"),
        (None, {3: float("nan")}, ValueError, "`label_map` .*3 mapped to nan"),
        (None, {"x": 1}, TypeError, "`label_map` .*'x'"),
        (None, 3, TypeError, "`label_map` .*3"),
    ):
        with pytest.raises(error, match=named):
            scales_of(names, threshold, label_map)


def test_thresholds_stand_for_what_measures_call_relevant():
    from ir_measures import AP, ERR, Judged, nDCG

    measures = {str(measure): measure for measure in (AP(rel=2), nDCG @ 10, Judged @ 10)}
    (scale,) = scales_of(["a"], 1, None).values()
    judgments = pd.DataFrame({"relevance": [0.0, 0.4]})
    found = scale.measures(measures, judgments, "a")
    assert found == {"AP(rel=2)": AP(rel=1), "nDCG@10": nDCG @ 10, "Judged@10": Judged @ 10}
    (plain,) = scales_of(["a"], None, None).values()
    with pytest.raises(ValueError, match=r"whole-number labels for 'AP\(rel=2\)', got 0.4 in 'a'. `relevance_thr"):
        plain.measures(measures, judgments, "a")
    with pytest.raises(ValueError, match=r"whole-number labels for 'ERR@10', got 0\.4"):
        scale.measures({"ERR@10": ERR @ 10}, judgments, "a")
