#!/usr/bin/env bash
# scipy 1.17.1, stats.somersd
# Input:     labels of two judges who agree, one column each.
# Comes out: 0.0: a table of two dimensions is taken as counts, each label as so many documents.
# Right:     1.0, as for the two columns passed one by one.
# Costs:     whoever passes frame[["human", "model"]].

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import numpy as np
from scipy.stats import somersd

labels = np.array([[1, 1], [2, 2], [3, 3], [1, 1]])
right = float(somersd(labels[:, 0], labels[:, 1]).statistic)
seen = float(somersd(labels).statistic)

report("scipy", right, seen, (right, seen) == (1.0, 0.0))
PY
