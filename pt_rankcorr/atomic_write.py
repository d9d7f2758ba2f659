"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress


def write_whole(path: str | os.PathLike[str], content: bytes, parameter: str = "path") -> None:
    """Writes a temporary file beside the old one, then gives it the place and permissions of that.

    Of a symbolic link the target is replaced. Pipes, devices and the standard streams are written
    directly. `parameter` is the argument that named the file, for messages.
    """
    name = check_path(path, parameter)
    if is_stream(name):
        with errors_of(name, parameter), open(name, "ab") as stream:
            stream.write(content)
        return
    with _temporary(name, parameter) as (place, temporary):
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            # else a crash of the machine may leave the new name with nothing in it
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(place, temporary)
        os.replace(temporary, place)


def check_writable(path: str | os.PathLike[str], parameter: str = "path") -> None:
    """Raises the OSError of `write_whole` before a long computation, if it can be foreseen."""
    name = check_path(path, parameter)
    if not is_stream(name):
        with _temporary(name, parameter):
            pass


def check_replaces(path: str | os.PathLike[str], beginning: bytes, parameter: str = "path") -> None:
    """Raises a ValueError if there is a file that begins otherwise, which is of another kind."""
    name = check_path(path, parameter)
    if not os.path.isfile(name):
        return
    with errors_of(name, parameter), open(name, "rb") as file:
        begins = file.read(len(beginning))
    if begins and begins.lower() != beginning.lower():
        rule = f"`{parameter}` must be a new file or one that may be replaced"
        remedy = "name another file, or delete it."
        raise ValueError(f"{rule}, got {name!r}, which is of another kind: {remedy}")


def refuse_inputs(
    path: str | os.PathLike[str], inputs: Iterable[object], parameter: str = "path"
) -> None:
    """Raises a ValueError if an output is one of the inputs of the same call, by whatever name.

    Inputs are files, folders of files and glob patterns; others, which are no paths, are left out.
    """
    name = check_path(path, parameter)
    paths = [os.fspath(item) for item in inputs if isinstance(item, str | os.PathLike) and item]
    files = [*paths, *(file for pattern in paths for file in glob.glob(pattern, recursive=True))]
    output = os.path.realpath(name)
    # a file that is there already is an input, too, where its folder is one
    affected = [output, os.path.dirname(output)] if os.path.exists(name) else [output]
    if any(os.path.realpath(file) in affected for file in files):
        rule = f"`{parameter}` must be another file than those that are read"
        raise ValueError(f"{rule}, got {name!r}, which is an input.")


def check_path(path: object, parameter: str) -> str:
    """A path as text; not a number, which would stand for an open file."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise TypeError(f"`{parameter}` must be a path, got {type(path).__name__}.")
    return name


def is_stream(path: str) -> bool:
    """Whether this is a pipe, a device or an open stream, which cannot be replaced."""
    exists = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    # the names of streams, wherever they lead
    return path.startswith(("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")) or exists


@contextmanager
def errors_of(path: str, parameter: str) -> Iterator[None]:
    """Makes errors of writing name the path that the caller gave, not a temporary file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        no_folder = isinstance(error, FileNotFoundError)
        why = "there is no such folder" if no_folder else os.strerror(error.errno)
        raise OSError(error.errno, f"`{parameter}` cannot be written: {why}", path) from error


@contextmanager
def _temporary(name: str, parameter: str) -> Iterator[tuple[str, str]]:
    """The file that a path leads to, and an empty file beside it, removed if nobody renames it."""
    with errors_of(name, parameter):
        if name.endswith(("/", os.sep)):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        place = os.path.realpath(name)
        with suppress(FileNotFoundError):
            os.close(os.open(place, os.O_WRONLY))  # refuses folders and read-only files
        temporary = os.path.join(os.path.dirname(place), f".pt-rankcorr-{secrets.token_hex(8)}.tmp")
        try:
            open(temporary, "xb").close()
            yield place, temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
