"""Files that are written whole or not at all: what was there before stays until the new content is safe on disk.

Where a file may be written but not replaced, as another's in a folder like /tmp or one that is mounted by itself, it is
written in place, once the new content is safe beside it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from contextlib import suppress
from io import FileIO

STREAM = re.compile(r"/dev/(stdout|stderr|fd/\d+)|/proc/(self|\d+)/fd/\d+")  # names of what is open already
NOT_REPLACED = frozenset({errno.EPERM, errno.EACCES, errno.EBUSY})  # why a file may be written but not replaced
BINARY = getattr(os, "O_BINARY", 0)  # where the system would else rewrite line ends


def write_whole(path: str | os.PathLike[str], content: bytes, parameter: str = "path") -> None:
    """Writes a file: a new one beside the old one takes its place, and its permissions, once it is complete.

    Of a symbolic link the target is written. Named pipes, devices and the standard streams are written as they are.

    Args:
        path: The file, which is replaced if it is there.
        content: All that it is to hold.
        parameter: The argument that named the file, for messages.

    Raises:
        OSError: If it cannot be written: it names the argument and the file. What was there before is untouched; if it
            had to be written in place, it is put back.
    """
    try:
        if _is_stream(path):
            _append(path, content)
        else:
            _replace(_target(path), content)
    except OSError as error:
        raise named(error, path, parameter) from error


def check_writable(path: str | os.PathLike[str], parameter: str = "path") -> None:
    """Says now, rather than when all is computed, that no file can be written there.

    Raises:
        OSError: As `write_whole`, as far as that can be foreseen.
    """
    try:
        if not _is_stream(path):
            _old(_target(path))
            temporary = _beside(_target(path))
            _create(temporary, b"")
            os.unlink(temporary)
    except OSError as error:
        raise named(error, path, parameter) from error


def are_one(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, which need not be there yet."""
    if os.path.realpath(path) == os.path.realpath(other):
        return True
    with suppress(OSError):
        return os.path.samefile(path, other)
    return False


def named(error: OSError, path: str | os.PathLike[str], parameter: str) -> OSError:
    """The error of a file that cannot be written, in words of what the caller gave instead of a temporary file."""
    if error.errno is None:
        return error
    why = "there is no such folder" if isinstance(error, FileNotFoundError) else os.strerror(error.errno)
    return OSError(error.errno, f"`{parameter}` cannot be written: {why}", os.fspath(path))


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether this is no file that could be replaced: a pipe, a device, or the other end of a redirection."""
    if STREAM.fullmatch(os.fsdecode(path)):
        return True
    with suppress(FileNotFoundError):
        return not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode)
    return False


def _target(path: str | os.PathLike[str]) -> str:
    """What links lead to; that a folder was meant is lost on the way."""
    if os.fsdecode(path).endswith(("/", os.sep)):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return os.path.realpath(path)


def _append(path: str | os.PathLike[str], content: bytes) -> None:
    with open(path, "ab") as stream:
        stream.write(content)


def _replace(path: str, content: bytes) -> None:
    old, temporary = _old(path), _beside(path)
    try:
        _create(temporary, content)
        if old is not None:
            _make_like(temporary, old)
        _put(temporary, path, content, exists=old is not None)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    settle(os.path.dirname(path))


def _put(temporary: str, path: str, content: bytes, *, exists: bool) -> None:
    """Gives a complete file its place, or its content where another has to stay."""
    try:
        os.replace(temporary, path)
    except OSError as error:
        if not exists or error.errno not in NOT_REPLACED:
            raise
        _write_in_place(path, content)


def _write_in_place(path: str, content: bytes) -> None:
    with open(path, "r+b", buffering=0) as file:
        before = file.read()
        try:
            _overwrite(file, content)
        except BaseException:
            _overwrite(file, before)
            raise


def _overwrite(file: FileIO, content: bytes) -> None:
    file.seek(0)
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    file.truncate(len(content))
    os.fsync(file.fileno())


def _old(path: str) -> os.stat_result | None:
    """What is there, if it may be replaced: whoever made a file read-only wants to keep it."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return None
    os.close(os.open(path, os.O_WRONLY))  # fails for a folder, and without permission
    return old


def _beside(path: str) -> str:
    """The name of a new file in the same folder, which is short where that of the path is as long as can be."""
    return os.path.join(os.path.dirname(path), f".pt-rankcorr-{secrets.token_hex(8)}.tmp")


def _create(path: str, content: bytes) -> None:
    """By `os.open`, since the files that `tempfile` makes do not get the permissions that the user's umask says."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o666), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())  # else a crash of the machine may leave the new name with nothing in it


def _make_like(temporary: str, old: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with suppress(OSError):  # another's file: it becomes the user's, as far as groups allow
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, stat.S_IMODE(old.st_mode))


def settle(folder: str) -> None:
    """Makes the new name outlast a crash, where the system lets folders be synchronised."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
