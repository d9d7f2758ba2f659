#!/usr/bin/env bash
# trectools 0.0.50, TrecRun and TrecQrel
# Input:     a run whose documents are 0012 and 0013, and judgments of 0012 and ab.
# Comes out: MAP 0.0: the run's ids are read as numbers, 12 and 13, the judgments' ids are not, since one is no number.
# Right:     1.0: 0012 is relevant and first.
# Costs:     collections of numbered documents, as soon as one id in one file is no number.

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

Path("run").write_text("1 Q0 0012 1 2.0 tag\n1 Q0 0013 2 1.0 tag\n")
Path("qrels").write_text("1 0 0012 1\n1 0 ab 0\n")
right = 1.0
seen = float(TrecEval(TrecRun("run"), TrecQrel("qrels")).get_map())

report("trectools", right, seen, seen == 0.0)
PY
