#!/usr/bin/env bash
# trectools 0.0.50, TrecEval.get_reciprocal_rank(removeUnjudged=True)
# Input:     a run whose first document has no judgment, and whose second is relevant.
# Comes out: reciprocal rank .5 beside P@1 1.0: unjudged documents are removed for P, nDCG and recall, and stay for this measure.
# Right:     1.0: of the judged documents, the first is relevant.
# Costs:     old judgments for new systems, where unjudged documents are left out: some columns have done it, others have not.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check trectools==0.0.50 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from pathlib import Path

from trectools import TrecEval, TrecQrel, TrecRun

Path("run").write_text("1 Q0 x 1 2.0 tag\n1 Q0 a 2 1.0 tag\n")
Path("qrels").write_text("1 0 a 1\n1 0 b 0\n")
evaluation = TrecEval(TrecRun("run"), TrecQrel("qrels"))
right = float(evaluation.get_precision(depth=1, removeUnjudged=True))
seen = float(evaluation.get_reciprocal_rank(removeUnjudged=True))

report("trectools", right, seen, (right, seen) == (1.0, 0.5))
PY
