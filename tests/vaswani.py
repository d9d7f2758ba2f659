"""The files of Vaswani, a whole test collection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd


def documents(folder: Path) -> Iterator[dict[str, str]]:
    text = (folder / "doc-text.trec").read_text()
    for docno, body in re.findall(r"<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", text, re.DOTALL):
        yield {"docno": docno, "text": body.strip()}


def topics(folder: Path) -> pd.DataFrame:
    text = (folder / "query-text.trec").read_text()
    found = re.findall(r"<num>(\d+)</num><title>(.*?)</title>", text, re.DOTALL)
    return pd.DataFrame([(qid, query.strip().lower()) for qid, query in found], columns=["qid", "query"])
