"""Disks that are full or read-only, where the machine lets us make them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


def mounted(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 64 KiB."""
    try:
        yield from mounted(tmp_path / "small", "size=64k")
    except FileNotFoundError:
        pytest.skip("there is no command `mount` here")


@pytest.fixture
def read_only(small_disk: Path) -> Path:
    """A folder where nothing can be written, not even by root; it holds a file "old"."""
    (small_disk / "old").write_text("old")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    return small_disk


def fill(folder: Path, leave: int = 0) -> None:
    """Takes all room on a disk but some bytes."""
    size = 2**16
    with open(folder / "filler", "wb", buffering=0) as file:
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
        file.truncate(file.tell() - leave)
