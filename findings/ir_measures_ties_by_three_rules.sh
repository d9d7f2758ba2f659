#!/usr/bin/env bash
# ir-measures 0.4.3 with pytrec-eval-terrier 0.5.11 and cwl-eval 1.0.12
# Input:     two documents of the same score, a and b; a is relevant.
# Comes out: RR .5 and RR@10 1.0 in one call: one orders tied documents by id from z to a, the other from a to z. RBP is .2
#            or .16 by the order of the rows.
# Right:     one rule for one run, so that RR@10 is at most RR.
# Costs:     systems with few distinct scores: labels as scores, rounded or boolean ones, scores of rank fusion.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1 cwl-eval==1.0.12
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ir_measures import RBP, RR, calc_aggregate

qrels = {"1": {"a": 1}}
rbp = RBP(rel=1, p=0.8)


def scores(run):
    found = calc_aggregate([RR, RR @ 10, rbp], qrels, run)
    return [round(float(found[measure]), 2) for measure in (RR, RR @ 10, rbp)]


right = "RR@10 not above RR, RBP the same for both orders of rows"
seen = [scores({"1": {"a": 1.0, "b": 1.0}}), scores({"1": {"b": 1.0, "a": 1.0}})]

report("ir_measures", right, seen, seen == [[0.5, 1.0, 0.2], [0.5, 1.0, 0.16]])
PY
