#!/usr/bin/env bash
# trectools 0.0.50, misc.get_correlation(..., "pearson")
# Input:     scores of four systems by two measures.
# Comes out: .8, Pearson's correlation of the ranks, which is Spearman's: the scores are given, and not used.
# Right:     .811, Pearson's correlation of the scores.
# Costs:     whoever reports both: two columns are one.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check trectools==0.0.50 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import numpy as np
from trectools import misc

first = [(0.9, "s1"), (0.8, "s2"), (0.3, "s3"), (0.1, "s4")]
second = [(0.9, "s1"), (0.4, "s3"), (0.39, "s2"), (0.1, "s4")]
right = round(float(np.corrcoef([0.9, 0.8, 0.3, 0.1], [0.9, 0.39, 0.4, 0.1])[0, 1]), 3)
seen = round(float(misc.get_correlation(first, second, "pearson")[0]), 3)

report("trectools", right, seen, (right, seen) == (0.811, 0.8))
PY
