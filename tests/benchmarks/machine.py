"""What the figures were measured on, in general terms."""

from __future__ import annotations

import os
import platform

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
