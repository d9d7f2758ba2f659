#!/usr/bin/env bash
# ir-measures 0.4.3, define_byquery
# Input:     a measure of one's own that counts the judgments of a topic; two topics in the run, of which one has a judgment.
# Comes out: .5: the measure is called for the topic without judgments, too, and its 0 is averaged.
# Right:     1.0: AP and all built-in measures are averaged over judged topics.
# Costs:     whoever puts a measure of their own beside AP: the columns are over different topics.

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


import ir_measures

measure = ir_measures.define_byquery(lambda qrels, run: float(len(qrels)), name="Judgments")
qrels = {"1": {"a": 1}}
run = {"1": {"a": 1.0}, "2": {"b": 1.0}}
right = 1.0
seen = float(measure.calc_aggregate(qrels, run))

report("ir_measures", right, seen, seen == 0.5)
PY
