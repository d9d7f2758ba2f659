"""A file is written whole, or what was there before stays: on a full disk, through links, into standard output."""

import errno
import os
import re
import stat
import subprocess
import sys

import pytest

from pt_rankcorr.atomic_write import check_replaces, check_writable, refuse_inputs, write_whole

LONG = "n" * 250  # as long as names may be on most systems, but for a suffix


def test_a_file_and_no_other(tmp_path):
    for content in (b"first", b"", b"second"):
        write_whole(tmp_path / LONG, content)
        assert (tmp_path / LONG).read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [LONG]


def test_permissions_are_those_that_the_user_wants(tmp_path):
    (tmp_path / "plain").touch()
    write_whole(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "new").chmod(0o640)
    write_whole(tmp_path / "new", b"again")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_the_target_of_a_link_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"new", b"old"):
        write_whole(link, content)
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert len(list(tmp_path.rglob("*"))) == 3


def test_standard_output_by_its_name(tmp_path):
    code = "from pt_rankcorr.atomic_write import *; check_writable('/dev/stdout'); write_whole('/dev/stdout', b'x')"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == b"x"
    with open(tmp_path / "log", "wb") as log:
        log.write(b"before ")
        log.flush()
        subprocess.run(command, stdout=log, check=True)
    assert (tmp_path / "log").read_bytes() == b"before x"


def refused(path, error, message):
    for attempt in (lambda: write_whole(path, b"new", "save_dir"), lambda: check_writable(path, "save_dir")):
        with pytest.raises(error, match=f"`save_dir` cannot be written: {message}: {re.escape(repr(str(path)))}"):
            attempt()


def test_what_is_no_place_for_a_file(tmp_path):
    refused(tmp_path / "no" / "file", FileNotFoundError, "there is no such folder")
    refused(tmp_path, IsADirectoryError, "Is a directory")
    refused(f"{tmp_path}/new/", IsADirectoryError, "Is a directory")
    refused(tmp_path / ("n" * 300), OSError, "File name too long")
    (tmp_path / "file").touch()
    refused(tmp_path / "file" / "file", NotADirectoryError, "Not a directory")


def test_a_full_disk(small_disk):
    write_whole(small_disk / "old", b"old")
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
def test_whatever_happens_the_old_file_stays(function, fault, tmp_path, monkeypatch):
    def faulty(*_):
        raise fault

    (tmp_path / "old").write_text("old")
    monkeypatch.setattr(os, function, faulty)
    with pytest.raises(type(fault)):
        write_whole(tmp_path / "old", b"new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


@pytest.mark.parametrize("path", [5, 1.5, b"x", None, True])
def test_a_path_is_text(path):
    for attempt in (lambda: write_whole(path, b""), lambda: check_writable(path), lambda: refuse_inputs(path, [])):
        with pytest.raises(TypeError, match=f"`path` must be a path, got {type(path).__name__}"):
            attempt()


@pytest.fixture
def runs(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.run").write_text("a run")
    (tmp_path / "link").symlink_to(tmp_path / "runs" / "a.run")
    (tmp_path / "folder").symlink_to(tmp_path / "runs")
    return tmp_path / "runs"


@pytest.mark.parametrize("output", ["runs/a.run", "runs/../runs/a.run", "link", "folder/a.run"])
@pytest.mark.parametrize("source", ["runs/a.run", "runs", "runs/*.run", "link", "folder"])
def test_an_output_that_is_an_input(output, source, runs):
    path = f"{runs.parent}/{output}"
    with pytest.raises(ValueError, match=f"`output` must be another file than .*, got '{re.escape(path)}', which is"):
        refuse_inputs(path, [None, 3, {}, "no/such/file", f"{runs.parent}/{source}"], "output")


def test_an_output_that_is_no_input(runs):
    inputs = [runs, runs / "a.run", str(runs / "*"), "irds:vaswani", None, b"bytes"]
    for path in (runs.parent / "page", runs / "page.html", "a.run", "irds"):
        refuse_inputs(path, inputs)
    (runs / "pages").mkdir()
    (runs / "pages" / "page.html").touch()
    refuse_inputs(runs / "pages" / "page.html", ["", runs])  # no run is read from a folder in a folder


def test_only_a_file_of_its_own_kind_is_replaced(tmp_path):
    path = tmp_path / "file"
    for content, allowed in [(None, True), (b"", True), (b"<!DOCTYPE HTML> x", True), (b"<!DOC", False), (b"x", False)]:
        if content is not None:
            path.write_bytes(content)
        if allowed:
            check_replaces(path, b"<!DOCTYPE html>")
            continue
        with pytest.raises(ValueError, match="`path` must be a new file or one that may be replaced, got"):
            check_replaces(path, b"<!DOCTYPE html>")


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 64 KiB, of which 8 are free."""
    folder = tmp_path / "small"
    folder.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    (folder / "filler").write_bytes(bytes(2**16 - 8192 - 4096))
    yield folder
    subprocess.run(["umount", folder], check=True)
