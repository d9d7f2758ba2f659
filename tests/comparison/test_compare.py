import json

import numpy as np
import pytest
from ir_measures import AP, RR, P, nDCG

from pt_rankcorr import (
    DiscriminativePower,
    ScoreMatrix,
    Scores,
    compare,
    demo,
    discriminative_power,
    scores_from_irds,
    scores_from_runs,
)
from pt_rankcorr.io import irds
from pt_rankcorr.text import pvalue
from pt_rankcorr.warnings import DegenerateInputWarning
from tests import fixtures
from tests.comparison.definitions import check_row

random = np.random.default_rng(0)
QUALITY = np.linspace(0, 0.6, 5)
SCORES = Scores([ScoreMatrix(QUALITY + random.random((20, 5)), measure=name) for name in ("AP", "$P$ <10>", "RR")])
QUICK = {"n_resamples": 99, "rng": 1}


def test_every_row_is_what_the_statistics_say():
    result = compare(SCORES, n_resamples=299, rng=7, d_rank=True)
    assert [(row.reference, row.measure) for row in result] == [
        (first, second) for first in SCORES for second in SCORES if first != second
    ]
    for row in result:
        check_row(row, SCORES[row.reference], SCORES[row.measure])


def test_several_collections_of_scores():
    same = Scores([SCORES["AP"], SCORES["AP"].named("RR")])
    result = compare({"one": SCORES, "two": same}, ["AP", "RR"], **QUICK)
    assert [row.key["collection"] for row in result] == ["one", "one", "two", "two"]
    assert result.matrix(collection="two").values.loc["AP", "RR"] == 1.0
    table = result.agreements()
    assert list(table["n_collections"]) == [2, 2]
    assert set(table["different"]) <= {"nowhere", "sometimes"}
    assert (table["highest_tau"] == 1.0).all()
    with pytest.raises(ValueError, match="`collection`"):
        result.matrix()


def test_what_differs_everywhere_sometimes_nowhere():
    up, down = np.arange(4.0) + random.random((30, 4)) / 10, np.arange(4.0)[::-1] + random.random((30, 4)) / 10
    matrices = {"up": ScoreMatrix(up), "down": ScoreMatrix(down), "also up": ScoreMatrix(up + 1)}
    mixed = {"up": matrices["up"], "down": matrices["up"], "also up": matrices["up"]}
    table = (
        compare({"a": Scores(matrices), "b": Scores(mixed)}, **QUICK).agreements().set_index(["reference", "measure"])
    )
    assert table.loc[("up", "also up"), "different"] == "nowhere"
    assert table.loc[("up", "down"), "different"] == "sometimes"
    only_first = compare(Scores(matrices), **QUICK).agreements().set_index(["reference", "measure"])
    assert only_first.loc[("up", "down"), "different"] == "everywhere"


def test_the_table_shows_itself():
    result = compare(SCORES, n_resamples=99, rng=1, d_rank=True)
    assert "&lt;10&gt;" in result._repr_html_()
    assert len(result.table().rows) == 3  # one line a pair of measures, for both ways round
    back = result.row("RR", "AP").d_rank_pvalue
    assert result.table().cells()[1]["p, swapped"] == pvalue(back)
    assert ("<strong>" in result.matrix()._repr_html_()) == bool(result.matrix().significant.to_numpy().any())
    told = result.to_dict()
    assert told["seed"] == 1
    assert told["rows"][0]["tau"] == result.rows[0].tau
    assert json.loads(json.dumps(told)) == told
    assert list(result.to_frame().columns[:5]) == ["collection", "reference", "measure", "n_topics", "n_systems"]


def test_the_seed_that_is_told_gives_the_same():
    drawn = compare(SCORES, n_resamples=99)
    assert compare(SCORES, n_resamples=99, rng=drawn.seed).rows == drawn.rows
    assert compare(SCORES, n_resamples=300, rng=3, n_jobs=2).rows == compare(SCORES, n_resamples=300, rng=3).rows


def test_a_measure_that_ties_all_systems_says_nothing():
    scores = Scores({"AP": SCORES["AP"], "constant": ScoreMatrix(np.ones((20, 5)))})
    with pytest.warns(DegenerateInputWarning):
        result = compare(scores, d_rank=True, **QUICK)
    for row in result:
        assert np.isnan([row.d_rank, row.d_rank_pvalue, row.pvalue]).all()
        assert np.isnan([row.correlations["tau"].low, row.correlations["tau"].standard_error]).all()
    assert result.matrix("tau").clustered().values.shape == (2, 2)


@pytest.fixture(scope="module")
def study():
    return demo.collection()


def half(frame, number):
    """The topics with even numbers, or those with odd ones."""
    return frame[frame["qid"].astype(int) % 2 == number]


@pytest.fixture
def halves(study, tmp_path, register):
    """Two datasets of files on this machine: the topics with even and with odd numbers."""
    ids = ["halves/even", "halves/odd"]
    for number, name in enumerate(ids):
        files = tmp_path / f"{number}.tsv", tmp_path / f"{number}.qrels"
        half(study.topics, number).to_csv(files[0], sep="\t", header=False, index=False)
        fixtures.write_qrels(files[1], half(study.qrels, number)[["qid", "docno", "label"]].to_numpy())
        register(name, queries_tsv=files[0], qrels_trec=files[1])
    return ids


def test_two_datasets_in_one_call(halves, study):
    runs = dict([*study.runs.items()][:8])
    result = compare({name: scores_from_irds(name, runs, [AP, nDCG @ 10, RR]) for name in halves}, **QUICK)
    assert {row.key["collection"] for row in result} == {"halves/even", "halves/odd"}
    assert {row.n_topics for row in result} == {25}
    expected = scores_from_runs(runs, half(study.qrels, 1), [AP, RR])
    assert result.scores["halves/odd"]["AP"].means.tolist() == expected["AP"].means.tolist()


def test_pipelines_are_run_on_the_topics_of_each_dataset(halves, study):
    some = dict([*demo.pipelines(study).items()][::10])
    even = {name: system(half(study.topics, 0)) for name, system in some.items()}
    expected = scores_from_runs(even, study.qrels, [AP, P @ 10])
    assert scores_from_irds(f"irds:{halves[0]}", some, ["AP", "P@10"]) == expected
    mixed = {name: even[name] if number % 2 else system for number, (name, system) in enumerate(some.items())}
    assert scores_from_irds(halves[0], mixed, ["AP", "P@10"]) == expected


def test_what_is_wrong_is_said_before_pipelines_run(halves):
    topics_seen = []
    systems = {"first": topics_seen.append, "second": topics_seen.append}
    for wrong, match in (
        ({"measures": ["zap"]}, "'zap'"),
        ({"missing": "drop"}, "`missing` must be"),
        ({"lower_is_better": ["RR"]}, "RR"),
        ({"names": "tag"}, "`names` must be 'file' for a mapping"),
    ):
        with pytest.raises(ValueError, match=match):
            scores_from_irds(halves[0], systems, **{"measures": [AP], **wrong})
    assert not topics_seen
    with pytest.raises(TypeError, match="pipelines that return frames, got one of 'first' that returns NoneType"):
        scores_from_irds(halves[0], systems, [AP])
    assert topics_seen[0].columns.tolist() == ["qid", "query"]


def test_graded_labels_of_a_dataset_are_kept(tmp_path, register):
    qrels = fixtures.qrels()
    fixtures.write_qrels(tmp_path / "qrels", qrels.to_numpy())
    register("graded-small", qrels_trec=tmp_path / "qrels")
    runs = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}
    scores = scores_from_irds("graded-small", runs, [AP, AP(rel=2), nDCG])
    assert scores == scores_from_runs(runs, qrels, [AP, AP(rel=2), nDCG])
    assert scores["AP"] != scores["AP(rel=2)"].named("AP")
    with pytest.raises(ValueError, match=r"`dataset` must .*got 'graded-small', which has none"):
        scores_from_irds("graded-small", fixtures.systems(), [AP, nDCG])


def test_topics_that_are_not_here_are_not_downloaded(monkeypatch):
    monkeypatch.setattr(irds, "_is_here", lambda *_: False)
    with pytest.raises(
        FileNotFoundError, match="the topics of 'vaswani' are not on this machine; with `download=True`"
    ):
        scores_from_irds("irds:vaswani", fixtures.systems(), [AP, RR])


@pytest.mark.parametrize("correction", ["fdr", "holm"])
def test_pairs_are_corrected_as_by_discriminative_power(correction):
    test = DiscriminativePower("t", correction=correction, alpha=0.1)
    result = compare(SCORES, test=test, **QUICK)
    for row in result:
        reference, other = (
            discriminative_power(SCORES[name], test="t", correction=correction, alpha=0.1)
            for name in (row.reference, row.measure)
        )
        assert (row.pairs.n_significant, row.pairs.n_significant_other) == (
            reference.n_significant,
            other.n_significant,
        )
        assert all(low <= getattr(row.pairs, name) <= high for name, (low, high) in row.pairs.intervals.items())
    assert f"pairs: {reference.title} at 0.1" in result.note.replace("\n", " ")
    assert result.to_dict()["correction"] == correction
