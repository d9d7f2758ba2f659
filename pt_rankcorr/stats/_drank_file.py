"""A null distribution on disk: an `.npz` archive of plain arrays, never of pickled objects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np

from pt_rankcorr.stats._drank_baseline import Settings
from pt_rankcorr.stats._whole_file import write_whole
from pt_rankcorr.stats.order import Floats

VERSION = 3  # of the numbers: to be raised whenever the same scores and settings give others
IDENTITY = {"version", "fingerprint", "null_distribution"}  # what a file of any version holds
KEYS = {*IDENTITY, "fallbacks", *Settings.__dataclass_fields__}


def save(path: str | os.PathLike[str], settings: Settings, fingerprint: str, null: Floats, fallbacks: int) -> None:
    """Writes the file whole or not at all."""
    contents: dict[str, Any] = {
        "version": VERSION,
        "fingerprint": fingerprint,
        "null_distribution": null,
        "fallbacks": fallbacks,
        **asdict(settings),
    }
    archive = BytesIO()
    np.savez_compressed(archive, **contents)
    write_whole(path, archive.getvalue())


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
        raise ValueError(
            f"`path` must hold the null of this baseline, got other {'; '.join(differing)} in {os.fspath(path)!r}."
        )
    settings = Settings(**{key: found[key] for key in Settings.__dataclass_fields__})
    return settings, contents["null_distribution"], found["fallbacks"]


def _difference(key: str, found: object, wanted: object) -> str:
    return "scores" if key == "fingerprint" else f"{key} ({found!r}, not {wanted!r})"


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    with open(path, "rb") as file:
        content = BytesIO(file.read())
    try:
        contents = _intact(content)
    except Exception as error:  # a broken archive fails in many ways: zipfile's, zlib's, numpy's, the system's
        raise _not_written_by_save(path, "it is damaged, or of another kind") from error
    if not _is_null(contents):
        raise _not_written_by_save(path, "it holds something else")
    return contents


def _intact(content: BytesIO) -> dict[str, Any]:
    """The arrays of an archive, all of it read and held against its checksums: numpy may read a part only."""
    with ZipFile(content) as archive:
        broken = archive.testzip()
    if broken is not None:
        raise ValueError(f"{broken} is damaged")
    content.seek(0)
    with np.load(content, allow_pickle=False) as arrays:
        return dict(arrays)


def _not_written_by_save(path: str | os.PathLike[str], why: str) -> ValueError:
    return ValueError(
        f"`path` must be a file that DRankTest.save wrote, got {os.fspath(path)!r}: {why}. "
        "Delete it, and save the null anew."
    )


def _is_null(contents: Mapping[str, Any]) -> bool:
    """Whether this is what `save` writes, or may be what another version of it writes."""
    if not contents.keys() >= IDENTITY or any(contents[key].ndim for key in contents.keys() - {"null_distribution"}):
        return False
    if contents["version"] != VERSION:
        return True
    return contents.keys() == KEYS and contents["null_distribution"].shape == (contents["n_resamples"],)
