"""Judgments and topics from ir-datasets, which downloads only what the caller allows."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from os import devnull
from os.path import exists
from typing import Any

import pandas as pd

from pt_rankcorr.text import shown


def qrels_of(dataset: str, *, download: bool) -> Iterator[Any]:
    """The judgments of a dataset, as ir-datasets iterates over them."""
    loaded = _dataset(dataset)
    if not loaded.has_qrels():
        raise ValueError(f"`dataset` must have judgments, got {dataset!r}, which has none.")
    _check_here("judgments", dataset, loaded.qrels_handler(), download)
    return _items(loaded.qrels_iter(), "judgments", dataset)


def topics_of(dataset: str, *, download: bool) -> pd.DataFrame:
    """The topics of a dataset, as PyTerrier's pipelines take them: qid, query (its shortest text)."""
    loaded = _dataset(dataset)
    if not loaded.has_queries():
        raise ValueError(f"`dataset` must have topics, got {dataset!r}, which has none.")
    _check_here("topics", dataset, loaded.queries_handler(), download)
    queries = _items(loaded.queries_iter(), "topics", dataset)
    topics = [(str(query.query_id), query.default_text()) for query in queries]
    return pd.DataFrame(topics, columns=["qid", "query"])


def _items(items: Iterator[Any], what: str, dataset: str) -> Iterator[Any]:
    """The items; an error that says what to do if ir-datasets' file is damaged."""
    try:
        yield from items
    except (ValueError, RuntimeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        from ir_datasets import util

        raise ValueError(
            f"`dataset` must be undamaged on this machine, got damaged {what} of {dataset!r} ({error}). Remove "
            f"their file from {str(util.home_path())!r}; with `download=True` ir-datasets fetches it again."
        ) from error


def _dataset(dataset: str) -> Any:
    if not isinstance(dataset, str):
        raise TypeError(f"`dataset` must be the id of a dataset such as 'vaswani', got {shown(dataset)}.")
    import ir_datasets  # takes a while, and most scores come from elsewhere

    try:
        return ir_datasets.load(dataset)
    except KeyError:
        raise ValueError(f"`dataset` must be known to ir-datasets, got {shown(dataset)}.") from None


def _check_here(what: str, dataset: str, handler: Any, download: bool) -> None:
    if not download and not _is_here(handler, set()):
        raise FileNotFoundError(
            f"the {what} of {dataset!r} are not on this machine; with `download=True` ir-datasets fetches them."
        )


def _is_here(source: Any, seen: set[int]) -> bool:
    """Whether everything that a source of ir-datasets is made of can be read without the network."""
    from ir_datasets import util

    if id(source) in seen:
        return True
    seen.add(id(source))
    if isinstance(source, util.Download):
        copies = [mirror.path(force=False) for mirror in source.mirrors if isinstance(mirror, util.LocalDownload)]
        # without a place of its own, asking for its path would start the download
        own = [] if source._cache_path in (None, devnull) else [source.path(force=False)]
        return any(map(exists, [*own, *copies]))
    if isinstance(source, type(util.DownloadConfig)):  # any number of downloads, known when they are made
        return False
    if isinstance(source, (util.Cache, util.TarExtractAll, util.ZipExtractCache)) and exists(source.path(force=False)):
        return True
    parts = source if isinstance(source, (list, tuple)) else []
    if isinstance(source, dict):
        parts = list(source.values())
    elif type(source).__module__.startswith("ir_datasets."):
        parts = list(vars(source).values())
    return all(_is_here(part, seen) for part in parts)
