"""PyTerrier's own tests of experiments, and what `Experiment` takes of PyTerrier beyond its public interface.

Its tests need a checkout of its source, which PYTERRIER_SOURCE names. They ask Terrier for runs, which needs Java; here
made-up ones answer, in which relevant documents come early.
"""

import importlib
import os
import re
import sys
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP

import pt_rankcorr as rc
from tests import fixtures

SOURCE = Path(os.environ.get("PYTERRIER_SOURCE", ""))
# they compare with the very numbers that Terrier gives
OF_TERRIER = {"test_one_row_round", "test_perquery_round", "test_differing_queries"}


class Searcher(pt.Transformer):
    """In place of Terrier: of each topic the relevant documents, and those of other topics, by chance and the model."""

    schematic = {"label": "Searcher", "help_url": None}  # noqa: RUF012

    def __init__(self, qrels, wmodel):
        random, self.wmodel = np.random.default_rng(["BM25", "DPH", "PL2"].index(wmodel)), wmodel
        others = qrels.assign(docno=random.permutation(qrels["docno"]))
        found = pd.concat([qrels, others]).drop_duplicates(["qid", "docno"])[["qid", "docno"]]
        self.found = found.assign(score=random.random(len(found)) + 0.3 * found.index.duplicated(keep="last"))

    def transform(self, inp):
        pt.validate.query_frame(inp)
        return pt.model.add_ranks(inp[["qid", "query"]].merge(self.found, on="qid").assign(docid=0))

    def __eq__(self, other):
        return isinstance(other, Searcher) and other.wmodel == self.wmodel

    def __hash__(self):
        return hash(self.wmodel)

    def __repr__(self):
        return f"TerrierRetr({self.wmodel})"


@pytest.fixture(scope="module")
def host():
    """PyTerrier, with stand-ins for Terrier and for what it would fetch."""
    if not (SOURCE / "tests" / "base_experiment.py").exists():
        pytest.skip("no source of PyTerrier: set PYTERRIER_SOURCE to a checkout of it")
    files = SOURCE / "tests" / "fixtures" / "vaswani_npl"
    found = re.findall(r"<num>(\d+)</num><title>(.*?)</title>", (files / "query-text.trec").read_text(), re.DOTALL)
    topics = pd.DataFrame([(qid, query.strip().lower()) for qid, query in found], columns=["qid", "query"])
    qrels = pt.io.read_qrels(str(files / "qrels"))
    get_dataset = {"get_dataset": lambda _: SimpleNamespace(get_topics=topics.copy, get_qrels=qrels.copy)}
    stand_ins = {
        "IndexFactory": SimpleNamespace(of=lambda _: qrels),
        "terrier": SimpleNamespace(Retriever=Searcher),
        "datasets": SimpleNamespace(**get_dataset),
        "java": SimpleNamespace(started=lambda: True),
    }
    return SimpleNamespace(**{**vars(pt), **get_dataset, **stand_ins})


@pytest.fixture(params=["linear", "tree"])
def cases(request, host, monkeypatch):
    """The class of its tests with one plan, which call `host` where they say `pt`."""
    package = ModuleType("tests_of_the_host")
    package.__path__ = [str(SOURCE / "tests")]
    for name in ("", ".base", ".base_experiment", f".test_experiment_{request.param}"):
        monkeypatch.delitem(sys.modules, package.__name__ + name, raising=False)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    for name in ("base", "base_experiment", f"test_experiment_{request.param}"):
        module = importlib.import_module(f"{package.__name__}.{name}")
        module.pt = host
    return getattr(module, f"TestExperiment{request.param.title()}")


@pytest.mark.filterwarnings("ignore")  # those that they want, they catch
def test_the_tests_of_the_host_pass(cases, host, monkeypatch):
    def outcomes():
        """Of each test what went wrong, "" if nothing did."""
        names = set(unittest.TestLoader().getTestCaseNames(cases)) - OF_TERRIER
        results = {name: unittest.TestResult() for name in names}
        for name, result in results.items():
            cases(name).run(result)
        return {name: "".join(told for _, told in result.failures + result.errors) for name, result in results.items()}

    theirs = outcomes()
    assert len(theirs) >= 19
    assert {name: told for name, told in theirs.items() if told} == {}
    monkeypatch.setattr(host, "Experiment", rc.Experiment)
    ours = outcomes()
    assert {name: told for name, told in ours.items() if told} == {}


def test_the_host_gives_no_times_with_per_query_scores():
    """When it does, "mrt" beside `meta` is no longer an error."""
    inputs = (fixtures.systems(2), fixtures.topics(), fixtures.qrels(), [AP, "mrt"])
    averages, _ = pt.Experiment(*inputs, perquery="both")
    assert "mrt" not in averages.columns


@pytest.mark.filterwarnings("ignore:. topic.s. not found in qrels")
def test_the_host_has_no_averages_where_a_topic_has_no_judgments():
    """When it does, topics without judgments need not be left out before they are run."""
    inputs = (fixtures.systems(2), fixtures.topics(fixtures.N_TOPICS + 1), fixtures.qrels(), [AP])
    averages, _ = pt.Experiment(*inputs, perquery="both")
    assert averages["AP"].isna().all()


@pytest.mark.parametrize(
    "options",
    [
        *({"baseline": [0, 1]}, {"baseline": 0, "perquery": True}),
        *({"baseline": 0, "perquery": "both"}, {"round": {"AP": 1}, "perquery": True}),
    ],
    ids=str,
)
def test_what_the_host_refuses_is_computed_here(options):
    """When it takes them, whether it means the same is to be looked at."""
    inputs = (fixtures.systems(3), fixtures.topics(), fixtures.qrels(), [AP])
    with pytest.raises((AssertionError, TypeError)):
        pt.Experiment(*inputs, **options)
    assert len(rc.Experiment(*inputs, **options))
