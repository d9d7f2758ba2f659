#!/usr/bin/env bash
# ranx 0.3.21, evaluate, "rbp.80"
# Input:     labels 0 to 3, and a run whose 100 documents all have label 3.
# Comes out: RBP 3.0: labels are gains as they are.
# Right:     1.0: rank-biased precision is a probability; gains are from 0 to 1.
# Costs:     whoever compares RBP of graded judgments with numbers of other tools.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ranx==0.3.21 numpy==1.26.4 pandas==3.0.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ranx import Qrels, Run, evaluate

documents = [f"d{k:03}" for k in range(100)]
run = Run({"1": {document: 100.0 - k for k, document in enumerate(documents)}})
right = 1.0
seen = round(float(evaluate(Qrels({"1": dict.fromkeys(documents, 3)}), run, "rbp.80")), 4)

report("ranx", right, seen, seen == 3.0)
PY
