"""The finished parts of a long computation in a file, so that a call that was stopped can continue.

The file has lines of JSON. The first says what is computed, and by which versions: a file of another computation is
refused. Then comes a line for each part, with a checksum. Lines are only added: a computation that is stopped loses at
most the line that it was writing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from filelock import FileLock, Timeout

from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.text import shown, shown_name
from pt_rankcorr.whole_file import check_path, check_writable, errors_of, is_stream

VERSION = 7  # of the file and of the numbers in it: to be raised whenever the same input gives others
REMEDY = "Name another file, or delete this one to start again."
DAMAGE = (ValueError, TypeError, KeyError, RecursionError)  # what a line that is not ours raises

Key: TypeAlias = tuple[Hashable, ...]


class Checkpoint:
    """The finished parts of a computation, kept in a file if there is to be one.

    Until the `with` statement ends, a lock file beside it, which ends in ".lock", keeps other processes from using it,
    also those of other machines that share the disk.

    Args:
        path: The file, which is made if it is not there; None keeps nothing.
        caller: The public function that resumes, for messages.

    Attributes:
        parts: Key -> what was computed, which is of JSON's types.
    """

    def __init__(self, path: str | os.PathLike[str] | None, caller: str) -> None:
        self.parts: dict[Key, Any] = {}
        self._caller = caller
        self._path = None if path is None else Path(_regular(path))
        self._lock = None if self._path is None else _lock(self._path)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            with suppress(OSError):  # Windows removes no open file, but filelock does so there
                os.unlink(self._lock.lock_file)
            self._lock.release()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Takes the parts that are in the file, if it is of the computation with these settings."""
        if self._path is None:
            return
        made_by = {"pt_rankcorr": version("pt_rankcorr"), "numpy": np.__version__}
        header = _through_json({"version": VERSION, **made_by, "function": self._caller, **settings})
        content = self._path.read_bytes() if self._path.exists() else b""
        *lines, unfinished = content.split(b"\n")
        is_new = not lines and _line(header).startswith(unfinished)
        if not is_new:
            self._check_header(lines[0] if lines else b"", header)
            for number, line in enumerate(lines[1:], 2):
                self._take(line, number)
        if unfinished:
            os.truncate(self._path, len(content) - len(unfinished))
        if is_new:
            self._append([header])

    def add(self, parts: Mapping[Key, Any]) -> None:
        """More parts, which are on disk when this returns."""
        self.parts.update(parts)
        self._append({"key": key, "value": value, "check": _check(key, value)} for key, value in parts.items())

    def _append(self, contents: Iterable[Mapping[str, Any]]) -> None:
        if self._path is None:
            return
        with errors_of(str(self._path), "resume"), open(self._path, "ab") as file:
            file.write(b"".join(map(_line, contents)))
            file.flush()
            os.fsync(file.fileno())

    def _check_header(self, line: bytes, wanted: Mapping[str, Any]) -> None:
        try:
            header = dict(json.loads(line))
            version_of_file = header["version"]
        except DAMAGE as error:
            raise ValueError(
                f"`resume` must be a file that {self._caller} wrote, got another one in {str(self._path)!r}. {REMEDY}"
            ) from error
        names = header.keys() | wanted if version_of_file == VERSION else ["version"]
        different = sorted(name for name in names if header.get(name) != wanted.get(name))
        if different:
            raise ValueError(
                f"`resume` must be a file that {self._caller} wrote with the same input, got other "
                f"{shown_name(', '.join(different))} in {str(self._path)!r}. {REMEDY}"
            )

    def _take(self, line: bytes, number: int) -> None:
        try:
            part = json.loads(line)
            if part["check"] != _check(part["key"], part["value"]):
                raise ValueError
            self.parts[tuple(part["key"])] = part["value"]
        except DAMAGE as error:
            raise ValueError(
                f"`resume` must be a file as {self._caller} wrote it, got {str(self._path)!r} with a damaged line "
                f"{number}. Delete that line: only its row is computed again."
            ) from error


def resumable_seed(rng: RandomState, resume: object) -> int:
    """The seed that results show. Where there is a file to resume from, the caller must give it."""
    if resume is not None and (rng is None or isinstance(rng, np.random.Generator)):
        raise TypeError(f"`rng` must be a seed if `resume` is given, got {shown(rng)}.")
    return seed_of(rng)


def fingerprint(scores: Scores) -> str:
    """A text that differs where scores, their topics, systems or measures differ."""
    digest = hashlib.sha256(repr((scores.topics, scores.systems, scores.measures)).encode())
    for matrix in scores.values():
        digest.update(repr(matrix.design).encode() if matrix.design else b"")
        digest.update(matrix.values.tobytes())
    return digest.hexdigest()


def _regular(path: str | os.PathLike[str]) -> str:
    name = check_path(path, "resume")
    if is_stream(name):
        raise ValueError(f"`resume` must be a regular file, got {name!r}, which is a pipe or a device.")
    check_writable(name, "resume")
    return name


def _lock(path: Path) -> FileLock:
    """The system frees the lock of a process that is killed."""
    lock = FileLock(f"{os.path.realpath(path)}.lock")
    try:
        with errors_of(str(path), "resume"):
            lock.acquire(blocking=False)
    except Timeout:
        raise ValueError(
            f"`resume` must be a file that no other process uses, got {str(path)!r}, which is in use. Wait for that "
            "process, or name another file."
        ) from None
    return lock


def _check(key: Iterable[Hashable], value: Any) -> int:
    """Differs where anything does that JSON keeps."""
    return crc32(json.dumps([list(key), value]).encode())


def _line(content: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(content)}\n".encode()


def _through_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON gives them back: lists for tuples, and mappings in one order, whatever it was."""
    read: dict[str, Any] = json.loads(json.dumps(settings, sort_keys=True))
    return read
