"""Weighting models against their formulas in plain loops; the contract of PyTerrier's transformers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import e, exp, log, log2, pi, sqrt

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_rankcorr import demo
from pt_rankcorr.demo import weighting as w
from pt_rankcorr.demo.feedback import RM3, Bo1
from pt_rankcorr.demo.index import Index
from pt_rankcorr.demo.retrieve import Retrieve, query_weights, weighted_query

TEXTS = {
    "d3": "lava ash lava crater lava village smoke",
    "d1": "ash cloud, the pilot and the ash",
    "d2": "village school village road ash river bridge school lava",
    "d4": "river",
    "d5": "Bridge road road pilot cloud.",
}
DOCUMENTS = pd.DataFrame({"docno": list(TEXTS), "text": list(TEXTS.values())})
BAGS = {
    "d1": Counter("ash cloud pilot ash".split()),
    "d2": Counter("village school village road ash river bridge school lava".split()),
    "d3": Counter("lava ash lava crater lava village smoke".split()),
    "d4": Counter(["river"]),
    "d5": Counter("bridge road road pilot cloud".split()),
}
N, T = len(BAGS), sum(sum(bag.values()) for bag in BAGS.values())
QUERY = "lava ash river ash volcano"
INDEX = Index(DOCUMENTS)


def _df(term: str) -> int:
    return sum(term in bag for bag in BAGS.values())


def _cf(term: str) -> int:
    return sum(bag[term] for bag in BAGS.values())


def _relative(bag: Counter[str]) -> float:
    return _length(bag) / (T / N)


def _length(bag: Counter[str]) -> int:
    return sum(bag.values())


def _tfn(t: str, d: Counter[str], c: float) -> float:
    return d[t] * log2(1 + c / _relative(d))


def _ltc(t: str, d: Counter[str]) -> float:
    return (1 + log(d[t])) * log(N / _df(t))


def _pl2(t: str, d: Counter[str], c: float) -> float:
    n, rate = _tfn(t, d, c), _cf(t) / N
    return (n * log2(n / rate) + (rate + 1 / (12 * n) - n) * log2(e) + 0.5 * log2(2 * pi * n)) / (n + 1)


def _dph(t: str, d: Counter[str]) -> float:
    f = d[t] / _length(d)
    if f == 1:
        return 0.0
    inside = d[t] * log2(d[t] / _relative(d) * N / _cf(t)) + 0.5 * log2(2 * pi * d[t] * (1 - f))
    return (1 - f) ** 2 / (d[t] + 1) * inside


def _bm25(t: str, d: Counter[str], k1: float, b: float) -> float:
    idf = log(1 + (N - _df(t) + 0.5) / (_df(t) + 0.5))
    return idf * d[t] * (k1 + 1) / (d[t] + k1 * (1 - b + b * _relative(d)))


Formula = Callable[[str, Counter[str]], float]
MODELS: list[tuple[w.Weighting, dict[str, float], Formula]] = [
    (w.coordination, {}, lambda t, d: 1.0),
    (w.raw_frequency, {}, lambda t, d: d[t]),
    (w.binary_idf, {}, lambda t, d: log(N / _df(t))),
    (w.tf_idf, {}, lambda t, d: d[t] * log(N / _df(t))),
    (w.cosine, {}, lambda t, d: _ltc(t, d) / sqrt(sum(_ltc(u, d) ** 2 for u in d))),
    (
        w.pivoted,
        {"s": 0.3},
        lambda t, d: (1 + log(1 + log(d[t]))) / (0.7 + 0.3 * _relative(d)) * log((N + 1) / _df(t)),
    ),
    (w.bm25, {}, lambda t, d: _bm25(t, d, 1.2, 0.75)),
    (w.bm25, {"k1": 2.0, "b": 0.3}, lambda t, d: _bm25(t, d, 2.0, 0.3)),
    (
        w.jelinek_mercer,
        {"lam": 0.3},
        lambda t, d: log((0.7 * d[t] / _length(d) + 0.3 * _cf(t) / T) / (0.3 * _cf(t) / T)),
    ),
    (w.pl2, {"c": 2.0}, lambda t, d: _pl2(t, d, 2.0)),
    (w.inl2, {"c": 2.0}, lambda t, d: _tfn(t, d, 2) / (_tfn(t, d, 2) + 1) * log2((N + 1) / (_df(t) + 0.5))),
    (w.dph, {}, _dph),
]


def _scores(transformer: pt.Transformer, query: str = QUERY) -> dict[str, float]:
    result = transformer.search(query)
    return dict(zip(result["docno"], result["score"], strict=True))


@pytest.mark.parametrize(("model", "parameters", "formula"), MODELS, ids=lambda x: getattr(x, "__name__", ""))
def test_model_is_its_formula(model: w.Weighting, parameters: dict[str, float], formula: Formula) -> None:
    expected = {}
    for docno, bag in BAGS.items():
        matching = [t for t in QUERY.split() if t in bag]
        if matching:
            expected[docno] = sum(formula(t, bag) for t in matching)
    assert _scores(Retrieve(INDEX, model, **parameters)) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_dirichlet_is_the_query_likelihood_up_to_a_constant() -> None:
    mu, known = 7.0, ["lava", "ash", "river", "ash"]
    expected = {
        docno: sum(log((bag[t] + mu * _cf(t) / T) / (_length(bag) + mu)) - log(_cf(t) / T) for t in known)
        for docno, bag in BAGS.items()
        if any(t in bag for t in known)
    }
    assert _scores(Retrieve(INDEX, w.dirichlet, mu=mu)) == pytest.approx(expected, rel=1e-12)


def test_rm3_is_its_formula() -> None:
    first = Retrieve(INDEX, w.dirichlet, mu=7.0)
    scores = _scores(first, "ash")
    model = {t: sum(exp(scores[d]) * BAGS[d][t] / _length(BAGS[d]) for d in scores) for t in INDEX.terms}
    top = dict(sorted(model.items(), key=lambda item: -item[1])[:2])
    expected = {t: 0.5 * weight / sum(top.values()) for t, weight in top.items()}
    expected["ash"] += 0.5
    rewritten = (first >> RM3(INDEX, fb_docs=3, fb_terms=2)).search("ash").iloc[0]
    assert query_weights(rewritten["query"]) == pytest.approx(expected)
    assert rewritten["query_0"] == "ash"


def test_bo1_is_its_formula() -> None:
    first = Retrieve(INDEX, w.bm25)
    (best,) = first.search("crater")["docno"]
    model = {t: tf * log2((1 + _cf(t) / N) / (_cf(t) / N)) + log2(1 + _cf(t) / N) for t, tf in BAGS[best].items()}
    expected = {t: weight / max(model.values()) for t, weight in model.items()}
    expected["crater"] += 1.0
    rewritten = (first >> Bo1(INDEX, fb_docs=1, fb_terms=5)).search("crater").iloc[0]["query"]
    assert query_weights(rewritten) == pytest.approx(expected)


def test_queries_keep_their_weights() -> None:
    weights = {"lava": 0.1 + 0.2, "ash": 1e-9}
    assert query_weights(weighted_query(weights)) == weights
    assert query_weights("Lava the lava, ash^0.5") == {"lava": 2.0, "ash": 0.5}
    assert query_weights("ash^. lava^") == {"ash": 1.0, "lava": 1.0}


def test_ties_are_ranked_by_docno_whatever_the_order_of_the_documents() -> None:
    for documents in (DOCUMENTS, DOCUMENTS[::-1]):
        result = Retrieve(Index(documents), w.coordination).search("ash river")
        assert result["docno"].tolist() == ["d2", "d1", "d3", "d4"]
        assert result["rank"].tolist() == [0, 1, 2, 3]


def test_order_of_query_words_changes_no_bit() -> None:
    system = Retrieve(INDEX, w.bm25)
    assert _scores(system, "lava ash village road") == _scores(system, "road village ash lava")


def test_cutoff_and_truncated_documents() -> None:
    assert len(Retrieve(INDEX, w.bm25, num_results=2).search("ash")) == 2
    assert set(_scores(Retrieve(Index(DOCUMENTS, max_words=2), w.bm25), "lava")) == {"d3"}


SYSTEMS = demo.pipelines(demo.Collection(DOCUMENTS, pd.DataFrame(), pd.DataFrame()))


def test_systems_have_distinct_names_and_reprs() -> None:
    assert len(SYSTEMS) >= 24
    assert len({repr(system) for system in SYSTEMS.values()}) == len(SYSTEMS)
    assert not any(" object at 0x" in repr(system) for system in SYSTEMS.values())


@pytest.mark.parametrize("name", SYSTEMS)
def test_contract(name: str) -> None:
    system = SYSTEMS[name]
    empty = system(pd.DataFrame({"qid": [], "query": []}, dtype=object))
    assert {"qid", "query", "docno", "score", "rank"} <= set(empty.columns)
    assert len(empty) == 0
    assert len(system(pd.DataFrame({"qid": ["1", "2"], "query": ["volcano", "the"]}))) == 0
    topics = pd.DataFrame({"qid": ["10", "9", "2"], "query": ["ash", "unknown", "road lava"]})
    result = system(topics)
    assert set(result["qid"]) == {"10", "2"}
    assert np.isfinite(result["score"]).all()
    assert pt.inspect.transformer_inputs(system) == [["qid", "query"]]
    alone = system(topics.head(1)).reset_index(drop=True)
    both = result[result["qid"] == "10"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, both)


def test_documents_are_no_queries() -> None:
    with pytest.raises(pt.validate.InputValidationError):
        SYSTEMS["BM25"](pd.DataFrame({"qid": ["1"], "docno": ["d1"]}))


def _hide_report(test: type) -> type:
    test.tearDownClass = classmethod(lambda cls: None)  # it reports by a warning
    return test


TestRetrieve = _hide_report(pt.testing.transformer_test_class(lambda: Retrieve(INDEX, w.bm25, b=0.4)))
TestRM3 = _hide_report(pt.testing.transformer_test_class(lambda: RM3(INDEX)))
TestBo1 = _hide_report(pt.testing.transformer_test_class(lambda: Bo1(INDEX)))
