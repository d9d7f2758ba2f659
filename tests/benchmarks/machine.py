"""What the figures were measured on, in general terms."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable
from functools import cache

import numpy as np
import scipy
from threadpoolctl import threadpool_info


def describe() -> str:
    libraries = {
        pool["internal_api"] + " " + str(pool["version"]) for pool in threadpool_info() if pool["user_api"] == "blas"
    }
    threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    return (
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores; Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}; BLAS: {', '.join(sorted(libraries)) or 'unknown'}, "
        f"{'/'.join(map(str, sorted(threads))) or '?'} thread"
    )


@cache
def flops_per_second() -> float:
    """Of a large matrix product, by as many BLAS threads as there are."""
    size = 1000
    matrix = np.random.default_rng(0).random((size, size))
    return 2.0 * size**3 / _least_seconds(lambda: matrix @ matrix)


@cache
def bytes_per_second() -> float:
    """Of a file that the system has in its cache."""
    size = 2**24
    with tempfile.TemporaryFile() as file:
        file.write(bytes(size))

        def read() -> int:
            file.seek(0)
            return len(file.read())

        return size / _least_seconds(read)


def least_seconds(flops: float, size: float) -> float:
    """How long this machine takes at least for so many operations, and bytes of files."""
    return (flops / flops_per_second() if flops else 0.0) + (size / bytes_per_second() if size else 0.0)


def _least_seconds(action: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)
