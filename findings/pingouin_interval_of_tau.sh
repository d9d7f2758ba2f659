#!/usr/bin/env bash
# pingouin 0.6.1, corr(method="kendall")
# Input:     two measures of 20 systems; in 1000 simulations, the true tau is .5.
# Comes out: the interval is that of Pearson's correlation, with tau in its place: it holds the truth in 99% or more, at 95%.
# Right:     95%; the standard error of tau is about two thirds of what is used.
# Costs:     whoever asks whether two taus differ: intervals are half as long again as they need be.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check pingouin==0.6.1 numpy==1.26.4 pandas==2.3.3 scipy==1.12.0
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import numpy as np
import pingouin

rng = np.random.default_rng(1)
held = 0
for _ in range(1000):
    first, second = rng.multivariate_normal([0, 0], [[1, 0.5**0.5], [0.5**0.5, 1]], 20).T
    low, high = pingouin.corr(first, second, method="kendall")["CI95"].iloc[0]
    held += low <= 0.5 <= high
right = 0.95
seen = held / 1000

report("pingouin", right, seen, seen > 0.98)
PY
