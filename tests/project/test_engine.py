"""The example with a real engine, on a small collection and on a whole one. It needs `pt-rankcorr[test-engine]`."""

import argparse
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, nDCG

import pt_rankcorr as rc

pytestmark = pytest.mark.whole
pytest.importorskip("pyterrier_pisa", reason="the engine is not installed: pip install 'pt-rankcorr[test-engine]'")

EXAMPLE = Path(__file__).parents[2] / "examples" / "tune_a_model.py"
TOPICS, DOCUMENTS = 12, 200
WORDS = [
    f"{start}{end}" for start in ("ba", "do", "ki", "lu", "me", "sa") for end in ("lin", "rat", "tem", "vos", "zud")
]


@pytest.fixture
def collection(tmp_path):
    """Arguments for a random collection in TREC form: topics of three words, and judgments of the longer documents."""
    rng = np.random.default_rng(1)
    shares = 1 / np.arange(1, len(WORDS) + 1)
    texts = [rng.choice(WORDS, size, p=shares / shares.sum()) for size in rng.integers(5, 60, DOCUMENTS)]
    queries = [rng.choice(WORDS[5:], 3, replace=False) for _ in range(TOPICS)]
    documents = [
        f"<DOC>\n<DOCNO>d{at}</DOCNO>\n<TEXT>{' '.join(text)}</TEXT>\n</DOC>\n" for at, text in enumerate(texts)
    ]
    topics = [
        f"<top>\n<num>{at}</num><title>\n{first.upper()}, {second} {third}?\n</title>\n</top>\n"
        for at, (first, second, third) in enumerate(queries, start=1)
    ]
    qrels = [
        f"{topic} 0 d{at} {int(np.isin(text, query).sum() + rng.normal() > 3.0)}\n"
        for topic, query in enumerate(queries, start=1)
        for at, text in enumerate(texts)
    ]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.trec").write_text("".join(documents[:40]))
    (tmp_path / "documents" / "b.trec").write_text("".join(documents[40:]))
    (tmp_path / "topics").write_text("".join(topics))
    (tmp_path / "qrels").write_text("".join(qrels))
    return ["--documents", tmp_path / "documents", "--topics", tmp_path / "topics", "--qrels", tmp_path / "qrels"]


def run(*arguments):
    """What the example prints, as a process, as the engine writes to the terminal itself."""
    command = [sys.executable, "-W", "error::UserWarning:pt_rankcorr", str(EXAMPLE), *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_it_answers_what_somebody_asks_who_tunes(collection):
    printed = run(*collection)
    assert f"18 settings, {TOPICS} topics" in printed
    assert re.search(r"18 systems", printed)
    assert all(1 < float(needed) < np.inf for needed in re.findall(r"\.9 takes (\d+) ", printed))
    assert "[info]" not in printed  # the engine's own lines


def test_documents_may_be_in_folders_and_gzipped(collection, tmp_path):
    module = runpy.run_path(str(EXAMPLE))
    documents = list(module["trec_documents"](collection[1]))
    assert [each["docno"] for each in documents] == [f"d{at}" for at in range(DOCUMENTS)]
    assert {word for each in documents for word in each["text"].split()} <= {*WORDS}
    with pt.io.autoopen(str(tmp_path / "all.gz"), "wt") as file:
        file.write((tmp_path / "documents" / "a.trec").read_text() + (tmp_path / "documents" / "b.trec").read_text())
    assert list(module["trec_documents"](tmp_path / "all.gz")) == documents


def test_an_identifier_of_ir_datasets_gives_the_same(collection, tmp_path, register):
    module = runpy.run_path(str(EXAMPLE))
    documents, topics, qrels = module["of_files"](_options(collection))
    (tmp_path / "docs.tsv").write_text("".join(f"{each['docno']}\t{each['text'].strip()}\n" for each in documents))
    (tmp_path / "queries.tsv").write_text("".join(f"{q}\t{text}\n" for q, text in topics.itertuples(index=False)))
    files = {"docs_tsv": "docs.tsv", "queries_tsv": "queries.tsv", "qrels_trec": "qrels"}
    register("of-this-test", **{kind: tmp_path / name for kind, name in files.items()})
    found, its_topics, its_qrels = module["of_irds"]("of-this-test")
    assert [each["docno"] for each in found] == [each["docno"] for each in module["of_files"](_options(collection))[0]]
    pd.testing.assert_frame_equal(its_topics, topics.reset_index(drop=True), check_dtype=False)
    assert its_qrels[["qid", "docno", "label"]].values.tolist() == qrels[["qid", "docno", "label"]].values.tolist()


def _options(collection):
    return argparse.Namespace(**dict(zip(("documents", "topics", "qrels"), collection[1::2], strict=True)))


@pytest.mark.filterwarnings("ignore")  # those of the engine
def test_averages_are_those_of_the_host(tmp_path, data):
    """On a whole collection of 93 topics, of every third setting."""
    folder = data / "vaswani"
    from pyterrier_pisa import PisaIndex

    module = runpy.run_path(str(EXAMPLE))
    index = PisaIndex(str(tmp_path / "index"), text_field="text")
    index.index(module["trec_documents"](folder / "doc-text.trec"))
    topics = pt.io.read_topics(str(folder / "query-text.trec"), "trec")
    topics["query"] = topics["query"].str.lower()
    qrels, settings = pt.io.read_qrels(str(folder / "qrels")), module["settings"](index)
    systems = dict([*settings.items()][::3])
    how = {"topics": topics, "qrels": qrels, "eval_metrics": [AP, nDCG @ 10]}
    components = [rc.TauAP(), rc.DRank(n_resamples=99), rc.ExpectedCorrelation(), rc.RankInterval()]
    ours = rc.Experiment(systems, **how, meta=components, rng=1)
    plain = pt.Experiment(list(systems.values()), **how, names=list(systems))
    pd.testing.assert_frame_equal(ours[plain.columns], plain, rtol=1e-12)
    assert plain["AP"].between(0.2, 0.4).all()
