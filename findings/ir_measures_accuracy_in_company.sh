#!/usr/bin/env bash
# ir-measures 0.4.3, Accuracy
# Input:     two topics; one of them has no relevant document in the run.
# Comes out: Accuracy .5 if asked for alone, .25 if AP is asked for in the same call.
# Right:     one number: what else is asked for changes no measure.
# Costs:     whoever adds a measure to a table and finds another column changed.

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


from ir_measures import AP, Accuracy, calc_aggregate

qrels = {"1": {"a": 1}, "2": {"b": 1}}
run = {"1": {"x": 2.0, "a": 1.0, "y": 0.5}, "2": {"z": 1.0}}
right = calc_aggregate([Accuracy], qrels, run)[Accuracy]
seen = calc_aggregate([Accuracy, AP], qrels, run)[Accuracy]

report("ir_measures", right, seen, (right, seen) == (0.5, 0.25))
PY
