"""A null distribution on disk: an `.npz` archive of plain arrays, never of pickled objects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from typing import Any, BinaryIO
from zipfile import ZipFile

import numpy as np

from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.stats.rank_distance.settings import Settings
from pt_rankcorr.whole_file import check_path, write_whole

VERSION = 7  # of the numbers: to be raised whenever the same scores and settings give others
IDENTITY = {"version", "fingerprint", "null_distribution"}  # what a file of any version holds
RESAMPLED = ("null_distribution", "by_quadprog")
KEYS = {*IDENTITY, "by_quadprog", *Settings.__dataclass_fields__}


def save(path: str | os.PathLike[str], settings: Settings, fingerprint: str, rows: Floats) -> None:
    """Writes the file whole or not at all; never over a file of something else.

    Of each resample the distance, and whether quadprog found it: shape (B, 2).
    """
    if os.path.isfile(check_path(path, "path")) and os.path.getsize(path):
        _read(path)  # refuses what is no null distribution
    identity: dict[str, Any] = {"version": VERSION, "fingerprint": fingerprint}
    archive = BytesIO()
    distances, by_quadprog = rows.T
    np.savez_compressed(archive, **identity, null_distribution=distances, by_quadprog=by_quadprog, **asdict(settings))
    write_whole(path, archive.getvalue())


def load(path: str | os.PathLike[str], fingerprint: str, expected: Mapping[str, Any]) -> tuple[Settings, Floats]:
    """The settings, and the resamples as they were saved."""
    contents = _read(path)
    found = {key: value.item() for key, value in contents.items() if not value.ndim}
    known: dict[str, Any] = {"version": VERSION}
    if found["version"] == VERSION:
        known |= {"fingerprint": fingerprint, **expected}
    differing = [
        "scores" if key == "fingerprint" else f"{key} ({found[key]!r}, not {wanted!r})"
        for key, wanted in known.items()
        if found[key] != wanted
    ]
    if differing:
        raise ValueError(
            f"`path` must hold the null of this reference, got other {'; '.join(differing)} in {os.fspath(path)!r}."
        )
    settings = Settings(**{key: found[key] for key in Settings.__dataclass_fields__})
    return settings, np.stack([contents[key] for key in RESAMPLED], axis=1)


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of a file that `save` may have written."""
    with open(check_path(path, "path"), "rb") as file:
        try:
            contents = _intact(file)
        except Exception:  # a broken archive fails in many ways: zipfile's, zlib's, numpy's, the system's
            contents = {}
    if not _is_null(contents):
        raise ValueError(
            f"`path` must be a file that DRankTest.save wrote, got {os.fspath(path)!r}: it is damaged, or holds "
            "something else. Name another file, or delete this one and save the null anew."
        )
    return contents


def _intact(file: BinaryIO) -> dict[str, Any]:
    """The arrays of an archive, all of whose checksums are right: numpy may read a part only."""
    with ZipFile(file) as archive:
        broken = archive.testzip()
    if broken is not None:
        raise ValueError(f"{broken} is damaged")
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def _is_null(contents: Mapping[str, Any]) -> bool:
    """Whether `save`, or another version of it, may have written this."""
    if not contents.keys() >= IDENTITY or any(contents[key].ndim for key in contents.keys() - {*RESAMPLED}):
        return False
    if contents["version"] != VERSION:
        return True
    return contents.keys() == KEYS and all(contents[key].shape == (contents["n_resamples"],) for key in RESAMPLED)
