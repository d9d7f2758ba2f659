"""A file to resume from: whatever happens to it, finished parts are neither lost, nor wrong, nor counted twice."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import pytest

from pt_rankcorr.comparison import _checkpoint as module
from pt_rankcorr.comparison._checkpoint import Checkpoint
from tests.faults.conftest import fill

Parts = dict[tuple[Hashable, ...], Any]
SETTINGS: dict[str, Any] = {"seed": 1, "places": (0.1, 1 / 3), "name": "\ud800 é"}
PARTS: Parts = {("AP", 0.1): {"tau": 1 / 3, "n": 3}, ("AP", 1 / 3): {"tau": float("inf")}, ("RR\n", 0.1): [None, "ü"]}


def parts_in(path: Path, settings: dict[str, Any] = SETTINGS) -> Parts:
    with Checkpoint(path, "compare") as finished:
        finished.begin(settings)
        return finished.parts


def add_to(path: Path, parts: Parts) -> None:
    with Checkpoint(path, "compare") as finished:
        finished.begin(SETTINGS)
        for key, value in parts.items():
            finished.add({key: value})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Holds the parts."""
    add_to(tmp_path / "file", PARTS)
    return tmp_path / "file"


def refused(path: Path, message: str, error: type[Exception] = ValueError) -> None:
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(error, match=f"`resume` .*{message}"):
        parts_in(path)
    assert not path.is_file() or path.read_bytes() == before


def test_parts_come_back(path: Path) -> None:
    assert parts_in(path) == PARTS
    assert all(json.loads(line) for line in path.read_text().splitlines())
    assert list(path.parent.iterdir()) == [path]  # and no lock
    add_to(path, PARTS)  # once more: they are the same parts
    assert parts_in(path) == PARTS


def test_an_empty_file_is_one_with_nothing_finished(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    add_to(tmp_path / "file", PARTS)
    assert parts_in(tmp_path / "file") == PARTS


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    add_to(tmp_path / "link", PARTS)
    assert (tmp_path / "link").is_symlink()
    assert parts_in(tmp_path / "target") == PARTS


def test_settings_in_another_order_are_the_same(path: Path) -> None:
    nested = {"data": {"b": 1, "a": {"d": 2, "c": 3}}, "seed": 1}
    other = {"seed": 1, "data": {"a": {"c": 3, "d": 2}, "b": 1}}
    with Checkpoint(path.parent / "other", "compare") as finished:
        finished.begin(nested)
        finished.add(PARTS)
    whole = (path.parent / "other").read_bytes()
    assert parts_in(path.parent / "other", other) == PARTS
    (path.parent / "other").write_bytes(whole[:20])  # the first line was being written
    assert parts_in(path.parent / "other", other) == {}
    assert whole.startswith((path.parent / "other").read_bytes())


def test_a_first_line_in_another_order_is_taken_as_it_stands(path: Path) -> None:
    header, *lines = path.read_text().splitlines(keepends=True)
    backwards = json.dumps(dict(reversed(json.loads(header).items())))
    path.write_text("".join([backwards, "\n", *lines]))
    assert parts_in(path) == PARTS


# --- damage -------------------------------------------------------------------------------------------------


def test_cut_anywhere(path: Path) -> None:
    """Whole lines are taken, and what was being written is computed again."""
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        lines = max(whole[:size].count(b"\n") - 1, 0)
        found = parts_in(path)
        assert found == dict(list(PARTS.items())[:lines])
        if size % 40 == 0:
            add_to(path, {key: value for key, value in PARTS.items() if key not in found})
            assert path.read_bytes() == whole


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)])
def test_any_bit_flipped(step: int, path: Path) -> None:
    """Refused, or without effect: no other value is ever read, and there is no other error."""
    whole = path.read_bytes()
    for position in range(0, 8 * len(whole), step):
        broken = bytearray(whole)
        broken[position // 8] ^= 1 << position % 8
        path.write_bytes(broken)
        try:
            found = parts_in(path)
        except ValueError as error:
            assert str(path) in str(error)  # noqa: PT017
        else:
            assert found.items() <= PARTS.items()


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "1",
        '"word"',
        "null",
        "{}",
        '{"key": [1]}',
        '{"key": 1, "value": 1}',
        '{"key": [[1]], "value": 1}',
        "",
        '{"key": [1], "value": 1}',
        '{"key": [1], "value": 1, "check": 1}',
    ],
)
def test_a_line_of_something_else(line: str, path: Path) -> None:
    with open(path, "a") as file:
        file.write(f"{line}\n")
    refused(path, "with a damaged line 5")


def test_a_damaged_line_can_be_removed(path: Path) -> None:
    header, first, second, third = path.read_text().splitlines(keepends=True)
    path.write_text(header + first + second[:-10] + third)
    refused(path, rf"as compare wrote it, got '{path}' with a damaged line 3\. Delete that line")
    path.write_text(header + first + third)
    assert list(parts_in(path)) == [("AP", 0.1), ("RR\n", 0.1)]


def test_two_files_in_one(path: Path, tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "other", "compare") as other:
        other.begin({**SETTINGS, "seed": 2})
        other.add({("AP", 0.1): {"tau": 0.0}})
    path.write_bytes(path.read_bytes() + (tmp_path / "other").read_bytes())
    refused(path, "with a damaged line 5")


@pytest.mark.parametrize(
    "content",
    [b"a,b\n1,2\n", b"no line end", b"\n", b"[1]\n", b"{}\n", b'"word"', b"\xff\x00", b"[" * 100_000, b"1e999"],
)
def test_a_file_of_something_else_is_refused_and_left_alone(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    refused(tmp_path / "file", "a file that compare wrote, got another one in '.*file'. Name")


def test_other_versions_settings_and_functions(path: Path) -> None:
    with pytest.raises(
        ValueError, match=f"that compare wrote with the same input, got other name, seed in '{path}'. Name another file"
    ):
        parts_in(path, {**SETTINGS, "seed": 2, "name": ""})
    with (
        pytest.raises(ValueError, match="a file that report wrote with the same input, got other function"),
        Checkpoint(path, "report") as other,
    ):
        other.begin(SETTINGS)
    with pytest.raises(ValueError, match=r"got other \\u202emore in"):
        parts_in(path, {**SETTINGS, "\u202emore": 1})
    header = path.read_text().splitlines()[0]
    for version in (1, 2, None, "2"):
        path.write_text(json.dumps({**json.loads(header), "version": version}) + "\n")
        refused(path, "that compare wrote with the same input, got other version in")


# --- places that are none -----------------------------------------------------------------------------------


def test_what_is_no_file(tmp_path: Path) -> None:
    refused(tmp_path, "cannot be written: Is a directory", IsADirectoryError)
    refused(tmp_path / "no" / "file", "cannot be written: there is no such folder", FileNotFoundError)
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "must be a regular file, got '.*pipe', which is a pipe or a device")
    refused(Path(os.devnull), "must be a regular file")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["pipe"]  # and no lock
    with pytest.raises(TypeError, match="`resume` must be a path, got int"):
        Checkpoint(5, "compare")  # type: ignore[arg-type]


def test_a_read_only_disk(read_only: Path) -> None:
    for name in ("old", "new"):
        refused(read_only / name, f"cannot be written: Read-only file system: '{read_only / name}'", OSError)


def test_a_full_disk(small_disk: Path) -> None:
    """What was finished stays, and the rest goes on once there is room."""
    path = small_disk / "file"
    fill(small_disk, leave=8192)
    values = {(number,): "x" * 1000 for number in range(20)}
    with pytest.raises(OSError, match=f"`resume` cannot be written: No space left on device: '{path}'"):
        add_to(path, values)
    (small_disk / "filler").unlink()
    found = parts_in(path)
    assert found
    assert found.items() < values.items()
    add_to(path, {key: value for key, value in values.items() if key not in found})
    assert parts_in(path) == values


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(errno.EIO, "broken")])
def test_stopped_while_it_writes(fault: BaseException, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: int) -> None:
        raise fault

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        with pytest.raises(type(fault)):
            add_to(path, {("more",): 1})
    assert parts_in(path) == {**PARTS, ("more",): 1}  # it was written, though nobody knew for how long


# --- two at once --------------------------------------------------------------------------------------------


def test_one_at_a_time(path: Path) -> None:
    with Checkpoint(path, "compare") as first:
        first.begin(SETTINGS)
        refused(path, f"that no other process uses, got {re.escape(repr(str(path)))}, which is in use")
        first.add({("more",): 1})
    assert parts_in(path) == {**PARTS, ("more",): 1}


def test_a_link_and_its_target_have_one_lock(path: Path) -> None:
    (path.parent / "link").symlink_to(path)
    with Checkpoint(path, "compare"):
        refused(path.parent / "link", "which is in use")


def test_a_disk_without_locks_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object, **__: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(module.FileLock, "acquire", no_locks)
    refused(path, f"cannot be written: No locks available: '{path}'", OSError)


HOLD = """if True:
    import sys, time
    from pt_rankcorr.comparison._checkpoint import Checkpoint
    with Checkpoint(sys.argv[1], "compare") as held:
        held.begin({"seed": 1})
        for number in range(1_000_000):
            held.add({(number,): number})
            print(number, flush=True)
"""


def test_a_process_that_is_killed_holds_no_lock_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for enough in (0, 30):
        with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            while int(process.stdout.readline()) < enough:
                pass
            with pytest.raises(ValueError, match="which is in use"):
                parts_in(path, {"seed": 1})
            process.send_signal(signal.SIGKILL)
            told = [enough, *map(int, process.stdout.read().split())]
        found = parts_in(path, {"seed": 1})
        assert set(found.values()) >= set(told)
        assert all(key == (value,) for key, value in found.items())


def test_a_call_that_failed_gives_the_file_free(path: Path) -> None:
    """Even while the error, and with it all that was going on, is kept, as in a notebook."""

    def fails() -> None:
        with Checkpoint(path, "compare") as finished:
            finished.begin(SETTINGS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as kept:
        fails()
    assert parts_in(path) == PARTS
    del kept


def forked(path: Path, act: Callable[[], object]) -> None:
    """Runs something while a child process has the open file of a checkpoint."""
    with Checkpoint(path, "compare") as finished:
        finished.begin(SETTINGS)
        reads, writes = os.pipe()
        child = os.fork()
        if not child:
            os.close(writes)
            os.read(reads, 1)
            os._exit(0)
    try:
        act()
    finally:
        os.close(writes)
        os.waitpid(child, 0)
        os.close(reads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_forked_worker_that_lives_on_holds_no_lock(path: Path) -> None:
    forked(path, lambda: parts_in(path))
