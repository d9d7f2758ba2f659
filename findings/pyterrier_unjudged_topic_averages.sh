#!/usr/bin/env bash
# pyterrier 1.1.2, pt.Experiment with perquery="both"
# Input:     one system, three topics, of which two have judgments.
# Comes out: the average is nan; with perquery=False, the same call gives .75.
# Right:     .75 in both: topics without judgments are no part of an average.
# Costs:     whoever wants averages and scores per topic of one run of the systems.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check pyterrier==1.1.2 ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import pandas as pd
import pyterrier as pt
from ir_measures import AP

run = pd.DataFrame([("q1", "d1", 2.0, 0), ("q2", "d3", 2.0, 0), ("q2", "d4", 1.0, 1), ("q3", "d5", 1.0, 0)], columns=["qid", "docno", "score", "rank"])
qrels = pd.DataFrame([("q1", "d1", 1), ("q2", "d4", 1)], columns=["qid", "docno", "label"])
topics = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["one", "two", "three"]})
right = float(pt.Experiment([run], topics, qrels, [AP], names=["run"])["AP"][0])
averages, _ = pt.Experiment([run], topics, qrels, [AP], names=["run"], perquery="both")
seen = float(averages["AP"][0])

report("pyterrier", right, seen, right == 0.75 and seen != seen)
PY
