#!/usr/bin/env bash
# ir-measures 0.4.3 with pytrec-eval-terrier 0.5.11, IPrec
# Input:     interpolated precision at recall .121 and at .124, in one call.
# Comes out: one of both is 0: levels are written with two digits, and the second takes the place of the first.
# Right:     1.0 for both: the first document is the relevant one.
# Costs:     whoever draws a curve of precision over recall in fine steps.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ir_measures import IPrec, calc_aggregate

right = [1.0, 1.0]
seen = sorted(calc_aggregate([IPrec @ 0.121, IPrec @ 0.124], {"1": {"a": 1}}, {"1": {"a": 1.0}}).values())

report("ir_measures", right, seen, seen == [0.0, 1.0])
PY
