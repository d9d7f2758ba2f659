"""A full disk, where the machine lets us make one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
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
