#!/usr/bin/env bash
# ir-measures 0.4.3 with cwl-eval 1.0.12, RBP
# Input:     a run of two topics whose rows alternate between them, as a join or a parallel job leaves them.
# Comes out: RBP .10: each change of topic begins the topic anew, and the average is over four topics.
# Right:     .18, as for the same rows sorted by topic.
# Costs:     whoever takes RBP, INST or SDCG beside AP, which does not depend on the order of rows.

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


from ir_measures import RBP, ScoredDoc

qrels = {"1": {"a": 1}, "2": {"b": 1}}
rows = [ScoredDoc("1", "a", 3.0), ScoredDoc("2", "x", 3.0), ScoredDoc("1", "y", 2.0), ScoredDoc("2", "b", 2.0)]
measure = RBP(rel=1, p=0.8)
right = round(measure.calc_aggregate(qrels, sorted(rows)), 2)
seen = round(measure.calc_aggregate(qrels, rows), 2)

report("ir_measures", right, seen, (right, seen) == (0.18, 0.1))
PY
