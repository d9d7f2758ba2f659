"""A null distribution on disk: an `.npz` archive of plain arrays, never of pickled objects."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pt_rankcorr.stats._drank_baseline import Settings
from pt_rankcorr.stats.order import Floats

VERSION = 3  # of the numbers: to be raised whenever the same scores and settings give others
IDENTITY = {"version", "fingerprint", "null_distribution"}  # what a file of any version holds
KEYS = {*IDENTITY, "fallbacks", *Settings.__dataclass_fields__}


def save(path: str | os.PathLike[str], settings: Settings, fingerprint: str, null: Floats, fallbacks: int) -> None:
    """Writes the file whole or not at all."""
    contents = {"version": VERSION, "fingerprint": fingerprint, "null_distribution": null, "fallbacks": fallbacks}
    _replace(Path(path), {**contents, **asdict(settings)})


def _replace(path: Path, contents: Mapping[str, Any]) -> None:
    """A new file beside the old one takes its place once it is complete."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **contents)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def load(path: str | os.PathLike[str], fingerprint: str, expected: Mapping[str, Any]) -> tuple[Settings, Floats, int]:
    """The settings, the null distribution and the count of fallbacks.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is not a saved null, or its version, scores or settings differ from those expected.
    """
    contents = _read(path)
    found = {key: value.item() for key, value in contents.items() if key != "null_distribution"}
    known: dict[str, Any] = {"version": VERSION}
    if found["version"] == VERSION:
        known |= {"fingerprint": fingerprint, **expected}
    differing = [_difference(key, found[key], wanted) for key, wanted in known.items() if found[key] != wanted]
    if differing:
        raise ValueError(f"`path` must hold the null of this baseline, got other {'; '.join(differing)}.")
    settings = Settings(**{key: found[key] for key in Settings.__dataclass_fields__})
    return settings, contents["null_distribution"], found["fallbacks"]


def _difference(key: str, found: object, wanted: object) -> str:
    return "scores" if key == "fingerprint" else f"{key} ({found!r}, not {wanted!r})"


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    with open(path, "rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                contents = dict(archive)
        except Exception:  # a broken archive fails in many ways: zipfile's, zlib's, numpy's, the system's
            contents = {}
    if not _is_null(contents):
        raise ValueError(f"`path` must be a file that DRankTest.save wrote, got {os.fspath(path)!r}.")
    return contents


def _is_null(contents: Mapping[str, Any]) -> bool:
    """Whether this is what `save` writes, or may be what another version of it writes."""
    if not contents.keys() >= IDENTITY or any(contents[key].ndim for key in contents.keys() - {"null_distribution"}):
        return False
    if contents["version"] != VERSION:
        return True
    return contents.keys() == KEYS and contents["null_distribution"].shape == (contents["n_resamples"],)
