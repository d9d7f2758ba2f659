#!/usr/bin/env bash
# deepsig 1.2.8, bonferroni_correction
# Input:     p-values of three comparisons of systems, .04, .001 and .03.
# Comes out: .06, .04 and .003: corrected values are sorted back the wrong way, so each goes to another comparison.
# Right:     .12, .003 and .09: each p-value times three. (Holm's method, whose factors three, two and one are used, gives .06,
#            .003 and .06.)
# Costs:     tables of several systems: .03 becomes .003, smaller than without a correction, and .001 fails at the level .01.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check deepsig==1.2.8 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from deepsig import bonferroni_correction

pvalues = [0.04, 0.001, 0.03]
right = [round(3 * p, 3) for p in pvalues]
seen = [round(float(p), 3) for p in bonferroni_correction(pvalues)]

report("deepsig", right, seen, seen == [0.06, 0.04, 0.003])
PY
