#!/usr/bin/env bash
# pytrec-eval-terrier 0.5.11, bpref
# Input:     two judged documents: the first has label -2, as TREC's web tracks label spam, the second is relevant.
# Comes out: bpref 1.0: labels below 0 are as good as no judgment. Average precision counts the same document as not relevant.
# Right:     0.0, as with label 0: a judged document that is not relevant is ranked first.
# Costs:     bpref on web tracks: systems that return spam are not punished; measures of judged documents alone skip it, too.

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


def bpref(label):
    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"spam": label, "page": 1}}, {"bpref", "map"})
    scores = evaluator.evaluate({"1": {"spam": 2.0, "page": 1.0}})["1"]
    print("label", label, scores)
    return scores["bpref"]


right = bpref(0)
seen = bpref(-2)

report("pytrec-eval-terrier", right, seen, (right, seen) == (0.0, 1.0))
PY
