"""Vaswani, a whole test collection, and retrieval systems over it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

DEPTH = 200  # documents of a topic


@dataclass(frozen=True)
class Collection:
    topics: pd.DataFrame
    qrels: pd.DataFrame
    systems: dict[str, pt.Transformer]


def documents(folder: Path) -> Iterator[dict[str, str]]:
    text = (folder / "doc-text.trec").read_text()
    for docno, body in re.findall(r"<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", text, re.DOTALL):
        yield {"docno": docno, "text": body.strip()}


def topics(folder: Path) -> pd.DataFrame:
    text = (folder / "query-text.trec").read_text()
    found = re.findall(r"<num>(\d+)</num><title>(.*?)</title>", text, re.DOTALL)
    return pd.DataFrame([(qid, query.strip().lower()) for qid, query in found], columns=["qid", "query"])


def retrieved(folder: Path, place: Path) -> Collection:
    """The collection in a folder, indexed with PISA at a place, and what 21 retrieval systems find in it."""
    pisa = pytest.importorskip("pyterrier_pisa", reason="pyterrier-pisa has no wheel for this platform")
    index = pisa.PisaIndex(str(place), text_field="text")
    index.index(documents(folder))
    systems = {
        f"BM25 k1={k1} b={b}": index.bm25(k1=k1, b=b, num_results=DEPTH)
        for k1 in (0.5, 0.9, 1.2, 2.0)
        for b in (0.1, 0.4, 0.75)
    }
    systems |= {f"QLD mu={mu}": index.qld(mu=mu, num_results=DEPTH) for mu in (100, 500, 1000, 2500)}
    systems |= {f"PL2 c={c}": index.pl2(c=c, num_results=DEPTH) for c in (0.5, 1, 2, 5)}
    systems["DPH"] = index.dph(num_results=DEPTH)
    runs = {name: system(topics(folder)) for name, system in systems.items()}  # retrieved once, for all tests
    return Collection(topics(folder), pt.io.read_qrels(str(folder / "qrels")), runs)
