"""Judgments and topics from ir-datasets, which downloads only what the caller allows."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from typing import Any

import pandas as pd

from pt_rankcorr.text import shown


def qrels_of(dataset: str, *, download: bool) -> Iterator[Any]:
    """The judgments of a dataset, as ir-datasets iterates over them."""
    found = _dataset(dataset)
    if not found.has_qrels():
        raise ValueError(f"`dataset` must have judgments, got {dataset!r}, which has none.")
    _check_here("judgments", dataset, found.qrels_handler(), download)
    return _items(found.qrels_iter(), "judgments", dataset)


def topics_of(dataset: str, *, download: bool) -> pd.DataFrame:
    """The topics of a dataset, as PyTerrier's pipelines take them: qid, query (its shortest text)."""
    found = _dataset(dataset)
    if not found.has_queries():
        raise ValueError(f"`dataset` must have topics, got {dataset!r}, which has none.")
    _check_here("topics", dataset, found.queries_handler(), download)
    queries = _items(found.queries_iter(), "topics", dataset)
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
        return any(os.path.exists(path) for path in _local_paths(source))
    if isinstance(source, type(util.DownloadConfig)):  # any number of downloads, known when they are made
        return False
    if isinstance(source, (util.Cache, util.TarExtractAll, util.ZipExtractCache)) and _is_extracted(source):
        return True
    return all(_is_here(part, seen) for part in _parts(source))


def _local_paths(download: Any) -> list[Any]:
    from ir_datasets import util

    copies = [mirror.path(force=False) for mirror in download.mirrors if isinstance(mirror, util.LocalDownload)]
    # without a place of its own, asking for its path would start the download
    return copies if download._cache_path in (None, os.devnull) else [download.path(force=False), *copies]


def _is_extracted(source: Any) -> bool:
    return os.path.exists(source.path(force=False))


def _parts(source: Any) -> list[Any]:
    if isinstance(source, (list, tuple)):
        return list(source)
    if isinstance(source, dict):
        return list(source.values())
    return list(vars(source).values()) if type(source).__module__.startswith("ir_datasets.") else []
