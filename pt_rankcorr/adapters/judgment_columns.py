"""Judgments as columns, from the text of a qrels file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pt_rankcorr.adapters.columns import Bytes, Irregular, are_distinct, as_objects, fields, named

QRELS_COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]


def judgments_of_text(data: Bytes, label_of: Callable[[str], int]) -> pd.DataFrame:
    """The frame of ir_measures for the padded text of a qrels file.

    Args:
        data: The text.
        label_of: The label that a text says; ValueError if it says none.

    Raises:
        Irregular: If a line is odd, a label is none, or a document is there twice on a topic and iteration.
    """
    blocks, keys = [], []
    for topics, iterations, documents, labels in fields(data, len(QRELS_COLUMNS), range(len(QRELS_COLUMNS))):
        blocks.append(
            {
                "query_id": named(topics),
                "doc_id": as_objects(documents.strings()),
                "relevance": named(labels, label_of).astype(np.int64),
                "iteration": named(iterations),
            }
        )
        keys.append((topics.keys() * np.uint64(5) ^ iterations.keys()) * np.uint64(3) ^ documents.keys())
    if not blocks or not are_distinct(np.concatenate(keys)):
        raise Irregular
    return pd.DataFrame({name: np.concatenate([block[name] for block in blocks]) for name in QRELS_COLUMNS})
