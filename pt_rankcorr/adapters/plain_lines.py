"""Runs and judgments from files that are as plain as most are; those that are not are read, and refused, elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import pandas as pd

from pt_rankcorr.adapters.columns import Irregular, blocks
from pt_rankcorr.adapters.fields import SEPARATORS, as_number

Run: TypeAlias = dict[str, dict[str, float]]  # topic -> document -> score

QRELS_COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]


def run_of_text(text: bytes) -> Run:
    """The run of a plain text; Irregular if it is none, or has a document twice.

    A loop without calls: most of the time of all that evaluates runs is spent here.
    """
    if not text.isascii() or any(bytes([odd]) in text for odd in SEPARATORS):
        raise Irregular
    number: Callable[[str], float] = as_number if b"_" in text else float  # Python would take 1_000
    retrieved: Run = {}
    topic, documents, n_lines = None, {}, 0
    try:
        for block in blocks(text):
            lines = block.decode().split("\n")[:-1]
            n_lines += len(lines)
            for line in lines:
                qid, _, docno, _, score, _ = line.split()
                if qid != topic:
                    topic, documents = qid, retrieved.setdefault(qid, {})
                documents[docno] = number(score)
    except ValueError:
        raise Irregular from None
    if sum(map(len, retrieved.values())) < n_lines:
        raise Irregular
    return retrieved


def judgments_of_text(text: bytes, label_of: Callable[[str], float]) -> pd.DataFrame:
    """The judgments of a plain text; Irregular if it is none, with several iterations, or a document twice."""
    if not text.isascii() or any(bytes([odd]) in text for odd in SEPARATORS):
        raise Irregular
    begins: dict[int, str] = {}
    iterations: list[str] = []
    documents: list[str] = []
    labels: list[str] = []
    topic = None
    try:
        for block in blocks(text):
            for line in block.decode().split("\n")[:-1]:
                qid, iteration, docno, label = line.split()
                if qid != topic:
                    topic = begins[len(documents)] = qid
                iterations.append(iteration)
                documents.append(docno)
                labels.append(label)
        number_of = {label: label_of(label) for label in set(labels)}
    except ValueError:
        raise Irregular from None
    stretches = list(pairwise([*begins, len(documents)]))
    topics = list(begins.values())
    if len(set(iterations)) != 1 or len(set(topics)) < len(topics):
        raise Irregular
    if any(len(set(documents[begin:end])) < end - begin for begin, end in stretches):
        raise Irregular
    columns = {
        "query_id": np.repeat(np.array(topics, object), [end - begin for begin, end in stretches]),
        "doc_id": np.array(documents, object),
        "relevance": np.array([number_of[label] for label in labels]),
        "iteration": np.full(len(documents), iterations[0], object),
    }
    return pd.DataFrame({name: pd.Series(column, dtype=column.dtype) for name, column in columns.items()}, copy=False)
