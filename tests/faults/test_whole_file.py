"""A file is written whole, or what was there before stays: on full and read-only disks, through links, into pipes."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from pt_rankcorr.stats._whole_file import _is_stream, are_one, check_writable, write_whole
from tests.faults.conftest import fill

LONG = "n" * 250  # as long as names may be on most systems, but for a suffix


def test_a_file_and_no_other(tmp_path: Path) -> None:
    for content in (b"first", b"", b"second"):
        write_whole(tmp_path / LONG, content)
        assert (tmp_path / LONG).read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [LONG]


def test_a_name_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_writable("page")
    write_whole("page", b"page")
    assert os.listdir() == ["page"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_are_those_that_the_user_wants(umask: int, mode: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "new", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
    (tmp_path / "new").chmod(0o640)
    write_whole(tmp_path / "new", b"again")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_the_target_of_a_link_is_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"new", b"old"):
        write_whole(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert len(list(tmp_path.rglob("*"))) == 3


def test_a_named_pipe_gets_all_of_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_writable(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", b"x" * 200_000)
    reader.join(10)
    assert read == [b"x" * 200_000]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_standard_output_by_its_name(tmp_path: Path) -> None:
    code = (
        "from pt_rankcorr.stats._whole_file import *; check_writable('/dev/stdout'); write_whole('/dev/stdout', b'x')"
    )
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == b"x"
    with open(tmp_path / "log", "wb") as log:
        log.write(b"before ")
        log.flush()
        subprocess.run(command, stdout=log, check=True)
    assert (tmp_path / "log").read_bytes() == b"before x"


def refused(path: Path | str, error: type[OSError], message: str) -> None:
    for attempt in (lambda: write_whole(path, b"new", "save_dir"), lambda: check_writable(path, "save_dir")):
        with pytest.raises(error, match=f"`save_dir` cannot be written: {message}: {re.escape(repr(str(path)))}"):
            attempt()


def test_what_is_no_place_for_a_file(tmp_path: Path) -> None:
    refused(tmp_path / "no" / "file", FileNotFoundError, "there is no such folder")
    refused(tmp_path, IsADirectoryError, "Is a directory")
    refused(f"{tmp_path}/new/", IsADirectoryError, "Is a directory")
    refused(tmp_path / ("n" * 300), OSError, "File name too long")
    (tmp_path / "file").touch()
    refused(tmp_path / "file" / "file", NotADirectoryError, "Not a directory")


def test_a_read_only_disk(read_only: Path) -> None:
    for name in ("old", "new"):
        refused(read_only / name, OSError, "Read-only file system")
    assert (read_only / "old").read_text() == "old"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_files_and_folders_of_others() -> None:
    """By somebody whom permissions bind, which they do not root."""
    code = """if True:
        import os, sys
        from pt_rankcorr.stats._whole_file import write_whole
        folder = sys.argv[1]
        os.chown(folder, 12345, 12345)
        os.setgid(12345)
        os.setuid(12345)
        write_whole(folder + "/mine", b"mine")
        for name, mode in (("protected", 0o755), ("mine", 0o555), ("new", 0o555)):
            os.chmod(folder, mode)
            try:
                write_whole(folder + "/" + name, b"new")
            except PermissionError as error:
                print(name, error.strerror)
        os.chmod(folder, 0o755)
    """
    with tempfile.TemporaryDirectory() as name:  # pytest's folders are closed to others
        folder = Path(name)
        (folder / "protected").write_text("old")
        (folder / "protected").chmod(0o444)
        ran = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=True)
        assert ran.stdout.splitlines() == [
            f"{name} `path` cannot be written: Permission denied" for name in ("protected", "mine", "new")
        ]
        assert {path.name: path.read_text() for path in folder.iterdir()} == {"protected": "old", "mine": "mine"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_file_of_another_where_only_owners_may_replace() -> None:
    code = """if True:
        import os, sys
        from pt_rankcorr.stats._whole_file import check_writable, write_whole
        os.setgid(12345)
        os.setuid(12345)
        check_writable(sys.argv[1])
        for content in (b"much longer than before", b"new"):
            write_whole(sys.argv[1], content)
    """
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "file"
        path.write_text("old")
        path.chmod(0o666)
        path.parent.chmod(0o1777)
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert {path.name: path.read_text() for path in Path(name).iterdir()} == {"file": "new"}
        assert path.stat().st_uid == 0


def test_a_file_that_is_mounted_by_itself(small_disk: Path) -> None:
    path, elsewhere = small_disk / "file", small_disk / "elsewhere"
    path.touch()
    elsewhere.write_text("old")
    if subprocess.run(["mount", "--bind", str(elsewhere), str(path)], check=False).returncode:
        pytest.skip("no file can be mounted here")
    try:
        check_writable(path)
        write_whole(path, b"new")
    finally:
        subprocess.run(["umount", str(path)], check=True)
    assert {each.name: each.read_text() for each in small_disk.iterdir()} == {"file": "", "elsewhere": "new"}


def refuse(*_: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_file_that_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", refuse)
    path = tmp_path / "file"
    with pytest.raises(PermissionError, match="`path` cannot be written: Operation not permitted"):
        write_whole(path, b"there was none before")
    assert not list(tmp_path.iterdir())
    path.write_text("old")
    for content in (b"x" * 100_000, b"", b"new"):
        write_whole(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(errno.EIO, "broken")])
def test_a_file_that_was_being_written_in_place_is_put_back(
    fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, synced = os.fsync, []

    def second(file: int) -> None:
        synced.append(file)
        if len(synced) == 2:  # of the new content in its place
            raise fault
        sync(file)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(os, "fsync", second)
    (tmp_path / "old").write_text("old")
    with pytest.raises(type(fault)):
        write_whole(tmp_path / "old", b"much longer than before")
    assert len(synced) == 3
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


def test_a_full_disk(small_disk: Path) -> None:
    write_whole(small_disk / "old", b"old")
    fill(small_disk, leave=8192)
    before = sorted(os.listdir(small_disk))
    for name in ("old", "new"):
        with pytest.raises(OSError, match=r"`path` cannot be written: No space left on device: .*small") as error:
            write_whole(small_disk / name, bytes(40_000))
        assert error.value.errno == errno.ENOSPC
        assert error.value.filename == str(small_disk / name)
    assert sorted(os.listdir(small_disk)) == before
    assert (small_disk / "old").read_bytes() == b"old"


@pytest.mark.parametrize("function", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(errno.EIO, "broken"), MemoryError()])
def test_whatever_happens_the_old_file_stays(
    function: str, fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> None:
        raise fault

    (tmp_path / "old").write_text("old")
    monkeypatch.setattr(os, function, faulty)
    with pytest.raises(type(fault)):
        write_whole(tmp_path / "old", b"new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


def test_streams_are_known_by_name() -> None:
    assert all(map(_is_stream, ("/dev/stdout", "/dev/fd/3", "/proc/self/fd/1")))


def test_files_of_several_names_are_one(tmp_path: Path) -> None:
    path, link, other = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    path.touch()
    os.link(path, link)
    assert are_one(path, link)
    assert are_one(path, tmp_path / "." / "a")
    assert not are_one(path, other)
    other.touch()
    assert not are_one(path, other)
