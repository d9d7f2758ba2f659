#!/usr/bin/env bash
# scipy 1.17.1, stats.weightedtau
# Input:     scores of six systems by two measures, which swap the two best; and the ranks 1 to 6 of the same.
# Comes out: .76 of scores, .94 of ranks: large numbers weigh most, and the largest rank is the worst system.
# Right:     .76 for both, if ranks are meant: a swap on top costs most.
# Costs:     whoever passes ranks, as one may to kendalltau: the coefficient then looks at the tail.

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


from scipy.stats import rankdata, weightedtau

first, second = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0.8, 0.9, 0.7, 0.6, 0.5, 0.4]
right = round(float(weightedtau(first, second).statistic), 2)
seen = round(float(weightedtau(rankdata([-x for x in first]), rankdata([-y for y in second])).statistic), 2)

report("scipy", right, seen, (right, seen) == (0.76, 0.94))
PY
