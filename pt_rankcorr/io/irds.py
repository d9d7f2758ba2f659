"""Judgments and topics of ir-datasets, which downloads only what the caller allows."""

from __future__ import annotations

import gzip
import zlib
from os import devnull
from os.path import exists
from typing import Any

import pandas as pd

from pt_rankcorr.choices import IRDS
from pt_rankcorr.stats.core.arguments import closest
from pt_rankcorr.text import cut, shown


def topics_of(dataset: str, *, download: bool) -> pd.DataFrame:
    """The topics of a dataset, as pipelines take them: qid, query (its shortest text)."""
    queries = items_of(dataset, "queries", download=download)
    topics = [(str(query.query_id), query.default_text()) for query in queries]
    return pd.DataFrame(topics, columns=["qid", "query"])


def items_of(dataset: str, kind: str, *, download: bool) -> list[Any]:
    """All "qrels" or "queries" of a dataset, whose id may have "irds:" in front."""
    import ir_datasets  # takes a while, and most scores come from elsewhere

    dataset, what = dataset.removeprefix(IRDS), {"qrels": "judgments", "queries": "topics"}[kind]
    try:
        loaded: Any = ir_datasets.load(dataset)
    except KeyError:
        similar = closest(dataset, ir_datasets.registry)
        hint = "" if similar is None else f" Did you mean {similar!r}?"
        raise ValueError(
            f"`dataset` must be known to ir-datasets, got {shown(dataset)}.{hint}"
        ) from None
    if not getattr(loaded, f"has_{kind}")():
        raise ValueError(f"`dataset` must have {what}, got {dataset!r}, which has none.")
    if not download and not _is_here(getattr(loaded, f"{kind}_handler")(), set()):
        raise FileNotFoundError(
            f"the {what} of {dataset!r} are not on this machine; "
            "with `download=True` ir-datasets fetches them."
        )
    try:
        return list(getattr(loaded, f"{kind}_iter")())
    except (ValueError, RuntimeError, EOFError, OSError, zlib.error) as error:
        # that all sources failed is an error of its own, with the reason of each
        sources: list[tuple[Any, Exception]] = [(None, error)]
        if isinstance(error, RuntimeError) and len(error.args) == 2:
            sources = error.args[1]
        for _, reason in sources:
            if isinstance(reason, OSError) and not isinstance(reason, gzip.BadGzipFile):
                raise ConnectionError(
                    f"the {what} of {dataset!r} are not on this machine "
                    f"and could not be downloaded: {cut(str(reason))}. Is there a network?"
                ) from error
        raise ValueError(
            f"`dataset` must be undamaged on this machine, got damaged {what} of {dataset!r} "
            f"({error}). Remove their file from {str(ir_datasets.util.home_path())!r}; "
            "with `download=True` ir-datasets fetches it again."
        ) from error


def _is_here(source: Any, seen: set[int]) -> bool:
    """Whether all that a source of ir-datasets is made of can be read without the network."""
    from ir_datasets import util

    if id(source) in seen:  # looked at already: sources refer to each other
        return True
    seen.add(id(source))
    if isinstance(source, util.Download):
        local = [mirror for mirror in source.mirrors if isinstance(mirror, util.LocalDownload)]
        copies = [mirror.path(force=False) for mirror in local]
        # without a place of its own, asking for its path would start the download
        own = [] if source._cache_path in (None, devnull) else [source.path(force=False)]
        return any(map(exists, [*own, *copies]))
    # any number of downloads, known when they are made
    if isinstance(source, type(util.DownloadConfig)):
        return False
    kept = (util.Cache, util.TarExtractAll, util.ZipExtractCache)
    if isinstance(source, kept) and exists(source.path(force=False)):
        return True
    parts = source if isinstance(source, (list, tuple)) else []
    if isinstance(source, dict):
        parts = list(source.values())
    elif type(source).__module__.startswith("ir_datasets."):
        parts = list(vars(source).values())
    return all(_is_here(part, seen) for part in parts)
