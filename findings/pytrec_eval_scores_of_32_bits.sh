#!/usr/bin/env bash
# pytrec-eval-terrier 0.5.11
# Input:     two documents with the probabilities .99999999 (relevant) and .99999998.
# Comes out: reciprocal rank .5: scores are kept in 32 bits, both become 1, and ties go by id.
# Right:     1.0: the relevant document has the higher score.
# Costs:     classifiers and language models that are sure: their best documents are shuffled by name.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check pytrec-eval-terrier==0.5.11 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import pytrec_eval

qrels = {"1": {"a": 1}}
run = {"1": {"a": 0.99999999, "b": 0.99999998}}
right = 1.0
seen = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)["1"]["recip_rank"]

report("pytrec-eval-terrier", right, seen, seen == 0.5)
PY
