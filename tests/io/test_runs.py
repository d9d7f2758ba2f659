import gzip

import ir_datasets
import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
import requests
from ir_measures import AP, RR, P, Qrel, ScoredDoc, nDCG

import pt_rankcorr as rc
from pt_rankcorr.io import irds
from pt_rankcorr.io.runs import scores_from_irds, scores_from_runs
from pt_rankcorr.judgments import compare_labels

MEASURES = [AP, nDCG @ 10, "P_5", RR @ 10]
QRELS = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1, "d4": 2}, "3": {"d1": 1}}
FIRST = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 1.0}, "3": {"d2": 1.0, "d1": 0.5}}
SECOND = {"1": {"d2": 2.0, "d1": 1.0}, "2": {"d4": 1.0, "d9": 3.0}, "3": {"d1": 1.0}}


@pytest.fixture(scope="module")
def expected(collection):
    return scores_from_runs(collection.runs, collection.qrels, MEASURES)


def as_dicts(frame, value):
    return {qid: dict(zip(rows["docno"], rows[value], strict=True)) for qid, rows in frame.groupby("qid")}


def as_scored_docs(frame):
    return (ScoredDoc(*row) for row in frame[["qid", "docno", "score"]].itertuples(index=False))


def test_scores_are_those_of_the_evaluator(collection, expected):
    qrels = pt.model.to_ir_measures(collection.qrels)
    for name, frame in collection.runs.items():
        for metric in ir_measures.iter_calc([AP, nDCG @ 10, P @ 5, RR @ 10], qrels, pt.model.to_ir_measures(frame)):
            matrix = expected["P_5" if metric.measure == P @ 5 else metric.measure]
            assert matrix.values[matrix.topics.index(metric.query_id), matrix.systems.index(name)] == metric.value


def test_names_and_orders_are_those_given(collection, expected):
    assert expected.measures == ("AP", "nDCG@10", "P_5", "RR@10")
    assert expected.systems == tuple(collection.runs)
    assert expected.topics == tuple(dict.fromkeys(collection.qrels["qid"]))


@pytest.mark.parametrize(
    "form",
    [
        pt.model.to_ir_measures,
        lambda frame: frame.drop(columns=["query", "rank"]),
        lambda frame: frame.sample(frac=1, random_state=0),  # topics in pieces
        lambda frame: frame.assign(qid=frame["qid"].astype("category")),
        lambda frame: frame.assign(query_id=frame["qid"]),
        lambda frame: as_dicts(frame, "score"),
        as_scored_docs,
        lambda frame: list(as_scored_docs(frame)),
    ],
    ids=["ir_measures", "no rank", "shuffled", "category", "both names", "dicts", "generator", "list"],
)
def test_every_form_of_a_run(form, collection, expected, assert_same):
    runs = {name: form(frame) for name, frame in collection.runs.items()}
    assert_same(scores_from_runs(runs, collection.qrels, MEASURES), expected)


@pytest.mark.parametrize(
    "form",
    [
        pt.model.to_ir_measures,
        lambda frame: frame.astype({"label": float}),
        lambda frame: frame.assign(iteration="Q0"),
        lambda frame: pd.concat([frame, frame]),  # said twice, but the same
        lambda frame: as_dicts(frame, "label"),
        lambda frame: (Qrel(*row) for row in frame[["qid", "docno", "label"]].itertuples(index=False)),
    ],
    ids=["ir_measures", "float labels", "iteration", "twice", "dicts", "generator"],
)
def test_every_form_of_qrels(form, collection, expected, assert_same):
    assert_same(scores_from_runs(collection.runs, form(collection.qrels), MEASURES), expected)


def test_files_in_a_folder_listed_and_named(collection, expected, tmp_path, assert_same):
    folder = collection.write(tmp_path)
    (folder / ".hidden").write_text("not a run")
    paths = sorted(folder.glob("*.txt"))
    for runs in (folder, str(folder), paths, tuple(map(str, paths)), {path.stem: path for path in paths}):
        assert_same(scores_from_runs(runs, tmp_path / "qrels", MEASURES), expected)
    assert scores_from_runs(folder, str(tmp_path / "qrels"), MEASURES).systems == tuple(sorted(collection.runs))


def test_the_folder_that_the_host_saves_runs_in(collection, expected, tmp_path, assert_same):
    systems = [pt.Transformer.from_df(frame) for frame in collection.runs.values()]
    inputs = (systems, collection.topics, collection.qrels, [AP])
    pt.Experiment(*inputs, names=list(collection.runs), save_dir=str(tmp_path))
    assert {"perquery.csv", "aggregated.csv"} < {path.name for path in tmp_path.iterdir()}
    assert_same(scores_from_runs(tmp_path, collection.qrels, MEASURES), expected)


@pytest.mark.parametrize(
    "change",
    [
        gzip.compress,
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b" ", b"\t"),
        lambda text: text.replace(b" ", b"   ").replace(b"\n", b"  \n"),
        lambda text: text.replace(b"\n", b" \n"),
        lambda text: b" " + text.replace(b"\n", b"\n "),
        lambda text: text.replace(b"\n", b"\n\xef\xbb\xbf", 2),
        lambda text: text.rstrip(b"\n"),
        lambda text: text.replace(b"\n", b"\n\n"),
    ],
    ids=(
        "gzip,byte order mark,carriage returns,tabs,spaces,a last blank,a first blank,byte order marks within,"
        "no last line end,blank lines"
    ).split(","),
)
def test_files_as_they_come(change, collection, expected, tmp_path, assert_same):
    folder = collection.write(tmp_path)
    for path in [*folder.iterdir(), tmp_path / "qrels"]:
        path.write_bytes(change(path.read_bytes()))
    assert_same(scores_from_runs(folder, tmp_path / "qrels", MEASURES), expected)


def test_topics_that_only_one_side_has_are_left_out_and_reported():
    runs = {"a": FIRST | {"8": {"d1": 1.0}}, "b": SECOND | {"9": {"d1": 1.0}}}
    scores = scores_from_runs(runs, QRELS | {"4": {"d1": 1}}, [AP])
    assert scores.alignment.unjudged_topics == ("8", "9")
    assert scores.topics == ("1", "2", "3")
    assert scores.alignment.unattempted_topics == ("4",)
    assert "Judged topics without results of any system, left out: 1 ('4')." in str(scores.alignment)


def test_zero_is_what_the_evaluator_gives():
    runs = {"a": FIRST, "b": {"1": SECOND["1"]}}
    scores = scores_from_runs(runs, QRELS, [AP, nDCG], missing="zero")
    for name, run in runs.items():
        for measure, mean in ir_measures.calc_aggregate([AP, nDCG], QRELS, run).items():
            assert scores[measure].mean_of(name) == pytest.approx(mean, abs=1e-12)


GZIPPED = gzip.compress(b"".join(b"1 Q0 d%d 1 2.0 t\n" % n for n in range(99)), mtime=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "must be a TREC run .* got an empty file"),
        (b"1 Q0 d1 1 2.0 t\n1 Q0 d1 2 1.0 t\n", "run 'bad' must have each document once .* 'd1' twice on topic '1'"),
        (b"1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\xef\xbb\xbf2 Q0 d3 1 1 t\n", "in line 2. It has a byte order mark within"),
        (b"1 Q0 d1 1 2 t\n1 Q0  2 1 t\n", "must be a TREC run .* got '1 Q0 2 1 t' in line 2"),
        (b"1 Q0 d1 1 nan t\n", "run 'bad' must have finite scores .*, got nan for document 'd1' on topic '1'"),
        (b"1 Q0 d0 1 1 t\n1 Q0 d1 1 3.5e38 t\n", "must have finite scores .*, got 3.5e\\+38 for document 'd1'"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "bytes that are not UTF-8 text"),
        (GZIPPED[:-12], "a damaged gzip file"),
        (b"9 Q0 d1 1 2.0 t\n", "`runs` must each have a topic of the qrels, got none in 'bad'"),
    ],
)
def test_a_run_file_that_is_not_what_it_says(text, message, tmp_path):
    (tmp_path / "bad.run").write_bytes(text)
    with pytest.raises(ValueError, match=message):
        scores_from_runs({"good": FIRST, "bad": tmp_path / "bad.run"}, QRELS, [AP])


def frame(**columns):
    return pd.DataFrame({"qid": ["1"], "docno": ["d1"], "score": [1.0], **columns})


def bad(run):
    return {"runs": {"good": FIRST, "bad": run}}


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (bad(frame().drop(columns="score")), ValueError, "the columns qid, docno, score .* got none named 'score'"),
        (bad(frame(docno=[None])), TypeError, "must be named by text or numbers, got None"),
        (bad(frame(score=["high"])), ValueError, "must have numbers as scores, got 'high'"),
        (bad(frame(score=[float("nan")])), ValueError, "run 'bad' must have finite scores .*, got nan"),
        (bad(frame().iloc[:0]), ValueError, "run 'bad' must have documents, got none"),
        (bad(pd.concat([frame(), frame()])), ValueError, "document 'd1' twice on topic '1'"),
        (bad({"1": 0.5}), TypeError, "must be files, frames, dicts or iterables of ScoredDoc, got {'1': 0.5}"),
        (bad({"1": {"d1": None}}), ValueError, "must have numbers as scores, got None"),
        (bad([("1", "d1", 1.0)]), TypeError, "iterables of ScoredDoc, got"),
        (bad(3), TypeError, "must be files, frames, dicts or iterables of ScoredDoc, got 3"),
        ({"qrels": frame()}, ValueError, "`qrels` must have the columns qid, docno, label"),
        ({"qrels": frame(label=[0.5])}, ValueError, "whole numbers as labels, got 0.5"),
        ({"qrels": frame(label=[float("nan")])}, ValueError, "whole numbers as labels, got nan"),
        ({"qrels": {}}, ValueError, "`qrels` must hold judgments, got none"),
        ({"qrels": {"1": 3}}, TypeError, "`qrels` must be a file, .* got {'1': 3}"),
        ({"qrels": [("1", "d1", 1)]}, TypeError, "iterable of Qrel, got"),
        ({"qrels": None}, TypeError, "`qrels` must be a file, a frame, a dict or an iterable of Qrel, got None"),
        ({"runs": {"a": FIRST}}, ValueError, "`runs` must be at least 2 runs, got 'a'"),
        ({"runs": []}, ValueError, "`runs` must name at least one file, got none"),
        ({"runs": frame()}, TypeError, "must map names to frames, got a frame without a name"),
        ({"runs": [frame(), frame()]}, TypeError, "must be paths .* got objects of type 'DataFrame'"),
        ({"runs": 3}, TypeError, r"`runs` must name files \(.*\), got an object of type int"),
        ({"runs": ["no.run", "nor.run"]}, FileNotFoundError, "no.run"),
        (
            {"runs": {"a": FIRST, "c": {"8": {"d1": 1.0}}, "b": {"9": {"d1": 1.0}}}},
            ValueError,
            "must each have a topic of the qrels, got none in 'b', 'c'",
        ),
        ({"runs": {"a": {"1": FIRST["1"]}, "b": {"2": SECOND["2"]}}}, ValueError, "No topic is common"),
        ({"measures": [AP, "zap"]}, ValueError, "must be known to ir_measures or trec_eval, got 'zap'"),
    ],
)
def test_other_things_that_are_refused(given, kind, message):
    with pytest.raises(kind, match=message):
        scores_from_runs(**{"runs": {"a": FIRST, "b": SECOND}, "qrels": QRELS, "measures": [AP], **given})


@pytest.mark.parametrize(
    ("verbose", "number", "disabled"), [(None, 2, True), (None, 10, None), (True, 2, False), (False, 10, True)]
)
def test_the_progress_bar_of_the_host_is_used(verbose, number, disabled, monkeypatch):
    """None: where nobody sees it, as in a file."""
    calls = []

    def bar(items, *, disable, **_):
        calls.append(disable)
        return items

    monkeypatch.setattr(pt, "tqdm", bar)
    scores_from_runs({f"s{n}": FIRST for n in range(number)}, QRELS, [AP], verbose=verbose)
    assert calls == [disabled]


RUN = {"1": {"d1": 2.0}, "2": {"d3": 1.0}, "3": {"d2": 1.0, "d1": 0.5}}
OTHER = {"1": {"d2": 2.0}, "2": {"d3": 1.0}, "3": {"d1": 1.0}}


@pytest.fixture
def registered(collection, tmp_path, register):
    """A dataset of files on this machine."""
    collection.write(tmp_path)
    register("awkward-names", qrels_trec=tmp_path / "qrels")
    return "awkward-names"


def test_datasets_are_named_with_and_without_irds(registered, collection):
    expected = scores_from_irds(registered, collection.runs, [AP])
    assert scores_from_irds(f"irds:{registered}", collection.runs, [AP]) == expected
    assert scores_from_runs(collection.runs, f"irds:{registered}", [AP]) == expected
    labels = compare_labels(f"irds:{registered}", {"same": collection.qrels})
    assert labels.agreement["same"].kappa == 1.0
    retrieved = {name: pt.Transformer.from_df(frame) for name, frame in collection.runs.items()}
    beir = collection.qrels.set_axis(["query-id", "corpus-id", "score"], axis=1).astype({"score": float})
    averages = [
        rc.Experiment(retrieved, collection.topics, qrels, [AP], verbose=False)
        for qrels in (collection.qrels, f"irds:{registered}", beir, collection.qrels.astype({"label": float}))
    ]
    for other in averages[1:]:
        pd.testing.assert_frame_equal(averages[0], other)


def test_an_unknown_dataset_and_one_without_judgments():
    with pytest.raises(ValueError, match="`dataset` must be known to ir-datasets, got 'no-such-set'"):
        scores_from_irds("no-such-set", {"a": RUN, "b": OTHER}, [AP])
    with pytest.raises(ValueError, match=r"got 'msmarco-pasage/dev'\. Did you mean 'msmarco-passage/dev'\?"):
        scores_from_runs({"a": RUN, "b": OTHER}, "irds:msmarco-pasage/dev", [AP])
    with pytest.raises(ValueError, match="`dataset` must have judgments, got 'wikir'"):
        scores_from_irds("wikir", {"a": RUN, "b": OTHER}, [AP])


class NoNetwork(Exception):
    pass


@pytest.fixture
def downloads(tmp_path, monkeypatch):
    """A dataset whose judgments would have to be fetched into a folder, and that folder."""

    def refused(self):
        raise NoNetwork

    monkeypatch.setattr(ir_datasets.util.RequestsDownload, "stream", refused)
    util, home = ir_datasets.util, tmp_path / "home"
    fetched = util.Download([util.RequestsDownload("https://example.org/qrels")], cache_path=str(home / "fetched"))
    handler = ir_datasets.formats.TrecQrels(util.Cache(util.GzipExtract(fetched), home / "qrels"), {})
    monkeypatch.setitem(ir_datasets.registry._registered, "far-away", ir_datasets.Dataset(handler))
    return home


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_nothing_is_downloaded_unless_asked(downloads):
    runs = {"a": RUN, "b": OTHER}
    with pytest.raises(FileNotFoundError, match="'far-away' are not on this machine; with `download=True` ir-datasets"):
        scores_from_irds("far-away", runs, [AP])
    assert not downloads.exists()
    with pytest.raises(NoNetwork):
        scores_from_irds("far-away", runs, [AP], download=True)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_no_network_is_said_and_is_no_damage(downloads, monkeypatch):
    def unreachable(self):
        raise requests.exceptions.ConnectionError("Failed to resolve 'example.org'")

    monkeypatch.setattr(ir_datasets.util.RequestsDownload, "stream", unreachable)
    match = r"'far-away' are not on this machine and could not be downloaded: Failed to resolve .* Is there a network\?"
    util = ir_datasets.util
    mirrors = [util.RequestsDownload(f"https://{host}.example.org/qrels") for host in "ab"]
    several = ir_datasets.formats.TrecQrels(util.Download(mirrors, cache_path=str(downloads / "several")), {})
    for handler in (None, several):  # whose errors are of two types
        if handler is not None:
            ir_datasets.registry._registered["far-away"] = ir_datasets.Dataset(handler)
        with pytest.raises(ConnectionError, match=match):
            scores_from_irds("far-away", {"a": RUN, "b": OTHER}, [AP], download=True)


@pytest.mark.parametrize(("name", "pack"), [("qrels", bytes), ("fetched", gzip.compress)])
def test_what_was_downloaded_before_is_used(name, pack, downloads):
    downloads.mkdir()
    (downloads / name).write_bytes(pack(b"1 0 d1 1\n2 0 d3 1\n3 0 d1 1\n"))
    assert scores_from_irds("far-away", {"a": RUN, "b": OTHER}, [AP]).topics == ("1", "2", "3")


def test_every_dataset_of_the_library_is_known_to_be_far_away():
    """No handler of ir-datasets hides its downloads from us: with no local copy, none passes for local."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(irds, "exists", lambda _: False)
        hidden = [
            name
            for name, dataset in ir_datasets.registry._registered.items()
            if dataset.has_qrels() and irds._is_here(dataset.qrels_handler(), set())
        ]
    assert hidden == []
