"""Speed: `python -m tests.benchmarks [statistics runs growth cluster] [--quick]`.

The package is timed in turn with plain definitions and with other packages, in one run: what counts are ratios. Their
values are compared. `growth` measures time and memory of all statistics for growing input, `cluster` what Dask's
workers are sent.
"""

import argparse
import math
import os
import platform
import sys
import warnings

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from tests.benchmarks import cluster, growth, runs, statistics
from tests.benchmarks.contests import table

PARTS = {"statistics": statistics.contests, "runs": runs.contests, "growth": None, "cluster": None}


def main(given=None):
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", default=[*PARTS], metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes: a minute or two for everything")
    options = parser.parse_args(given)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    same = True
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sizes are no good for conclusions
        print(
            f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()},"
        )
        print(f"numpy {np.__version__}, scipy {scipy.__version__}, one thread; CPU time unless it says wall clock.\n")
        for part in options.parts:
            if contests := PARTS[part]:
                for holds, line in table(contests(quick=options.quick), 0.2 if options.quick else 1.0):
                    print(line, flush=True)
                    same &= holds
            elif part == "cluster":
                for line in cluster.lines(quick=options.quick):
                    print(line, flush=True)
            else:
                for line in growth.lines(*((1.0, 1000) if options.quick else (3.0, math.inf))):
                    print(line, flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
