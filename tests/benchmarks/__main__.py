"""Speed: `python -m tests.benchmarks [statistics runs commands growth cluster] [--quick]`.

The package is timed in turn with plain definitions and with other packages, in one run: what counts are ratios. Their
values are compared. `commands` measures whole commands, `growth` time and memory of all statistics for growing
input, `cluster` what Dask's workers are sent.
"""

import argparse
import os
import platform
import sys
import warnings

import numpy as np
import scipy
from threadpoolctl import threadpool_limits

from tests.benchmarks import cluster, commands, growth, runs, statistics
from tests.benchmarks.contests import table

CONTESTS = {"statistics": statistics.contests, "runs": runs.contests}
FIGURES = {"commands": commands.lines, "growth": growth.lines, "cluster": cluster.lines}
PARTS = {**CONTESTS, **FIGURES}


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
            if part in CONTESTS:
                for holds, line in table(CONTESTS[part](quick=options.quick), 0.2 if options.quick else 1.0):
                    print(line, flush=True)
                    same &= holds
            else:
                for line in FIGURES[part](quick=options.quick):
                    print(line, flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
