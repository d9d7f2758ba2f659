#!/usr/bin/env bash
# scipy 1.17.1, stats.kendalltau
# Input:     two tables of scores, topics x systems; both measures order the three systems in the same way.
# Comes out: .32: all cells are pooled, and pairs of a topic with another topic are counted. spearmanr takes the same tables as columns.
# Right:     1.0, tau of the systems' means; or a refusal.
# Costs:     whoever forgets .mean(axis=0): topics that are hard by both measures make the number, whatever the systems do.

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
from scipy.stats import kendalltau

first = np.array([[0.9, 0.8, 0.1], [0.3, 0.2, 0.4], [0.6, 0.5, 0.4]])
second = np.array([[0.5, 0.3, 0.2], [0.9, 0.2, 0.4], [0.8, 0.7, 0.3]])
right = round(float(kendalltau(first.mean(axis=0), second.mean(axis=0)).statistic), 2)
seen = round(float(kendalltau(first, second).statistic), 2)

report("scipy", right, seen, right == 1.0 and seen < 0.6)
PY
