#!/usr/bin/env bash
# pyterrier 1.1.2, pt.io.read_results and pt.io.read_qrels
# Input:     a run and judgments in TREC's format with a document that is called NA.
# Comes out: its id is missing (nan) in both, as are topics or documents called null, nan or None.
# Right:     the id "NA", as written: the format has no missing values.
# Costs:     collections whose ids are codes (countries, genes, tickers): the document joins others of that kind, or none.

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


from pathlib import Path

import pyterrier as pt

Path("run").write_text("1 Q0 NA 1 2.0 tag\n1 Q0 US 2 1.0 tag\n")
Path("qrels").write_text("1 0 NA 1\n1 0 US 0\n")
right = [["NA", "US"], ["NA", "US"]]
tables = [pt.io.read_results("run"), pt.io.read_qrels("qrels")]
seen = [[None if docno != docno else docno for docno in table["docno"]] for table in tables]

report("pyterrier", right, seen, seen == [[None, "US"], [None, "US"]])
PY
