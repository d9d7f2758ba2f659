"""Finished parts of a long computation on disk, as lines of JSON: a run that was stopped goes on where it was.

The first line says what is computed; parts of anything else are refused. A line is added for each part and never
changed, each with a checksum. So whatever happens, finished parts stay as they are, and only the line that was being
written is lost: it is the one that does not end.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from pt_rankcorr.comparison._rankings import seed_of
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats._whole_file import BINARY, named, settle
from pt_rankcorr.stats.resampling import RandomState

try:
    import fcntl
except ImportError:  # a system that has no such locks, as Windows, which has others
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:
    msvcrt = None  # type: ignore[assignment]

VERSION = 2  # of the file and of the numbers in it: to be raised whenever the same input gives others
READ_AT_ONCE = 2**20
FAR_BEYOND = 2**30  # a byte that no such file has: Windows keeps others from reading what is locked
REMEDY = "Name another file, or remove this one to start anew."


class Checkpoint:
    """The parts that are finished, kept in a file if there is to be one, which is this process's until it is closed.

    Use it in a `with` statement, so that an interrupted call in a notebook gives the file free.

    Args:
        path: The file, which is made if it is not there; None keeps nothing.
        caller: The public function that resumes, for messages.

    Attributes:
        parts: Key -> what was computed, which is of JSON's types.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If it is no regular file, or in use.
    """

    def __init__(self, path: str | os.PathLike[str] | None, caller: str) -> None:
        self.parts: dict[tuple[Hashable, ...], Any] = {}
        self._path = None if path is None else Path(path)
        self._caller = caller
        self._file = None if path is None else _opened(Path(path))
        self._seed = 0

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            _unlock(self._file)
            os.close(self._file)
            self._file = None

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Takes the parts that are in the file, if it is of the computation with these settings.

        Raises:
            OSError: If the file cannot be read or written.
            ValueError: If it was written by something else, with other settings, or is damaged: it says which.
        """
        if self._file is None:
            return
        header = {"version": VERSION, "function": self._caller, **_in_json(settings)}
        first = _line(header, 0)
        content = _read(self._file)
        if first.startswith(content) and content != first:  # nothing yet, or the first line was being written
            _cut(self._file, 0)
            self._append(first)
            self._seed = _checksum(header, 0)
            settle(os.path.dirname(os.path.realpath(str(self._path))))
            return
        *lines, rest = content.split(b"\n")
        self._seed = self._checked_header(lines[0] if lines else rest, header)
        for number, line in enumerate(lines[1:], 2):
            self._take(line, number)
        _cut(self._file, len(content) - len(rest))

    def add(self, parts: Mapping[tuple[Hashable, ...], Any]) -> None:
        """More parts, safe on disk when this returns."""
        self.parts.update(parts)
        lines = (_line({"key": list(key), "value": value}, self._seed) for key, value in parts.items())
        self._append(b"".join(lines))

    def _append(self, lines: bytes) -> None:
        """At the end, wherever that is by now. On a full disk whole lines stay; the next call cuts off the rest."""
        if self._file is None:
            return
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
            os.fsync(self._file)
        except OSError as error:
            raise named(error, str(self._path), "resume") from error

    def _checked_header(self, line: bytes, wanted: Mapping[str, Any]) -> int:
        """Its checksum, as it stands: what is the same may be written in another order."""
        header = _parsed(line, 0) or _of_other_version(line)
        if header is None:
            raise ValueError(
                f"`resume` must be a file that {self._caller} wrote, got {str(self._path)!r}, which begins otherwise "
                f"or is damaged. {REMEDY}"
            )
        names = wanted if header.get("version") == VERSION else ["version"]
        differing = sorted(name for name in names if header.get(name) != wanted[name])
        if differing:
            raise ValueError(
                f"`resume` must be a file of this very {self._caller}, got other {', '.join(differing)} in "
                f"{str(self._path)!r}. {REMEDY}"
            )
        return _checksum(header, 0)

    def _take(self, line: bytes, number: int) -> None:
        part = _parsed(line, self._seed)
        if part is None or part.keys() != {"key", "value"}:
            raise ValueError(
                f"`resume` must be a file as {self._caller} wrote it, got {str(self._path)!r}, whose line {number} is "
                "damaged. Remove that line to keep the others: what it held is computed again."
            )
        self.parts[tuple(part["key"])] = part["value"]


def resumable_seed(rng: RandomState, resume: object) -> int:
    """The seed that results tell; where there is a file to resume from, it must be given."""
    if resume is not None and (rng is None or isinstance(rng, np.random.Generator)):
        raise TypeError(f"`rng` must be a seed where `resume` is given, got {shown(rng)}.")
    return seed_of(rng)


def fingerprint(scores: Scores) -> str:
    """Tells scores from others."""
    told = hashlib.sha256(repr((scores.topics, scores.systems, scores.measures)).encode())
    for matrix in scores.values():
        told.update(matrix.values.tobytes())
    return told.hexdigest()


# --- lines --------------------------------------------------------------------------------------------------


def _line(content: Mapping[str, Any], seed: int) -> bytes:
    return f"{json.dumps({**content, 'checksum': _checksum(content, seed)})}\n".encode()


def _checksum(content: Mapping[str, Any], seed: int) -> int:
    """Of a line; that of the first is the seed of the others, so that a line of another file does not fit."""
    return crc32(json.dumps(content).encode(), seed)


def _parsed(line: bytes, seed: int) -> dict[str, Any] | None:
    """What a line says, if it is whole."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    checksum = content.pop("checksum", None)
    return content if checksum == _checksum(content, seed) else None


def _of_other_version(line: bytes) -> dict[str, Any] | None:
    """All there is to say of a first line that was written before there were checksums, or will be written one day."""
    try:
        version = json.loads(line)["version"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    return None if version == VERSION else {"version": version}


def _in_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    """As they will be read: lists for tuples, and mappings in one order, whatever it was."""
    read: dict[str, Any] = json.loads(json.dumps(dict(settings), sort_keys=True))
    return read


# --- the file -----------------------------------------------------------------------------------------------


def _opened(path: Path) -> int:
    """The file, locked until it is closed; the lock of a process that is killed is gone with it."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError(f"`resume` must be a file that stays, got {str(path)!r}, which is a pipe or a device.")
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o666)
    except OSError as error:
        raise named(error, path, "resume") from error
    try:
        _lock(file)
    except BlockingIOError:
        os.close(file)
        raise ValueError(
            f"`resume` must be a file of one computation at a time, got {str(path)!r}, which another one is using. "
            "Wait for it, or name another file."
        ) from None
    return file


def _lock(file: int) -> None:
    """Where there are no locks, as on some network drives, nothing keeps two processes from one file.

    Then both do all the work. Where the system adds whole lines to the end, that is all. Where it does not, or one
    process begins while the other writes, lines may be lost or damaged: they are refused by the next call, or computed
    again, and never taken for results.
    """
    if fcntl is not None:
        _unless_held(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB), BlockingIOError)
    elif msvcrt is not None:
        _unless_held(lambda: _on_windows(file, msvcrt.LK_NBLCK), PermissionError)


def _unless_held(lock: Callable[[], None], held: type[OSError]) -> None:
    try:
        lock()
    except held as error:
        raise BlockingIOError from error
    except OSError:
        return


def _unlock(file: int) -> None:
    """Also for processes that were forked meanwhile, and have the file open."""
    with suppress(OSError):
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_UN)
        elif msvcrt is not None:
            _on_windows(file, msvcrt.LK_UNLCK)


def _on_windows(file: int, mode: int) -> None:
    os.lseek(file, FAR_BEYOND, os.SEEK_SET)
    msvcrt.locking(file, mode, 1)  # type: ignore[attr-defined]  # it is there on Windows alone


def _read(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    return b"".join(_blocks(file))


def _blocks(file: int) -> Iterator[bytes]:
    while block := os.read(file, READ_AT_ONCE):
        yield block


def _cut(file: int, size: int) -> None:
    if os.fstat(file).st_size > size:
        os.ftruncate(file, size)
