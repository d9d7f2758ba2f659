#!/usr/bin/env bash
# ranx 0.3.21, evaluate
# Input:     judgments and a run as dictionaries, the formats of pytrec_eval; the run has its topics in another order.
# Comes out: MRR 0.0: topics are paired by position, not by name.
# Right:     1.0: each topic has its relevant document first. Objects of Qrels and Run give it.
# Costs:     whoever passes dictionaries; nothing is said, since the same topics are there.

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

qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
run = {topic: {"abc"[int(topic) - 1]: 2.0, "x": 1.0} for topic in "312"}
right = float(evaluate(Qrels(qrels), Run(run), "mrr"))
seen = float(evaluate(qrels, run, "mrr"))

report("ranx", right, seen, (right, seen) == (1.0, 0.0))
PY
