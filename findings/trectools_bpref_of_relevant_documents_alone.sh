#!/usr/bin/env bash
# trectools 0.0.50, TrecEval.get_bpref(trec_eval=True)
# Input:     judgments of relevant documents alone, as mined and MS MARCO's are; the run ranks the relevant document first.
# Comes out: bpref 0.0: it divides by the number of judged documents that are not relevant, and 0/0 adds nothing.
# Right:     1.0, as trec_eval: no document that is judged not relevant is ranked above.
# Costs:     sparse judgments: all systems have the bpref of one that finds nothing, on some topics or on all.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check trectools==0.0.50 numpy==2.4.6 pandas==3.1.1 pytrec-eval-terrier==0.5.11
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from pathlib import Path

from pytrec_eval import RelevanceEvaluator
from trectools import TrecEval, TrecQrel, TrecRun

Path("run").write_text("1 Q0 a 1 2.0 tag\n1 Q0 x 2 1.0 tag\n")
Path("qrels").write_text("1 0 a 1\n")
right = RelevanceEvaluator({"1": {"a": 1}}, {"bpref"}).evaluate({"1": {"a": 2.0, "x": 1.0}})["1"]["bpref"]
seen = float(TrecEval(TrecRun("run"), TrecQrel("qrels")).get_bpref(trec_eval=True))

report("trectools", right, seen, (right, seen) == (1.0, 0.0))
PY
