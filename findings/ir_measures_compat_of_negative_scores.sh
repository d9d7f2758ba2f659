#!/usr/bin/env bash
# ir-measures 0.4.3, Compat
# Input:     one ranking, a before x; once with the scores 2 and 1, once with -1 and -2. Three documents are relevant, a is one.
# Comes out: .6226 and .1055: relevant documents that were not retrieved count as retrieved with score 0, above a.
# Right:     the same number twice: a measure of a ranking looks at its order alone.
# Costs:     systems whose scores are log probabilities or logits: they lose to systems with positive scores.

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


from ir_measures import Compat

qrels = {"1": {"a": 1, "b": 1, "c": 1}}
right = round(Compat.calc_aggregate(qrels, {"1": {"a": 2.0, "x": 1.0}}), 4)
seen = round(Compat.calc_aggregate(qrels, {"1": {"a": -1.0, "x": -2.0}}), 4)

report("ir_measures", right, seen, (right, seen) == (0.6226, 0.1055))
PY
