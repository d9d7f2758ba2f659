#!/usr/bin/env bash
# pyterrier 1.1.2, pt.io.write_results(format="minimal"), read by MS MARCO's evaluation (the copy in ir-measures 0.4.3)
# Input:     a ranking of three documents, the first of which is relevant.
# Comes out: RR@10 0.0: ranks are written from 0 on, the evaluation reads them from 1 on, and rank 0 becomes the last of a thousand.
# Right:     1.0.
# Costs:     whoever hands in such a file: each topic loses its first document, and the second becomes the first.

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

import pandas as pd
import pyterrier as pt
from ir_measures.bin import msmarco_eval

run = pt.model.add_ranks(pd.DataFrame({"qid": ["7"] * 3, "docno": ["11", "12", "13"], "score": [3.0, 2.0, 1.0]}))
pt.io.write_results(run, "run.tsv", format="minimal")
Path("qrels.tsv").write_text("7\t0\t11\t1\n")
scores = msmarco_eval.compute_metrics_from_files("qrels.tsv", "run.tsv")
print("first line of the run:", Path("run.tsv").read_text().splitlines()[0].split())
right = 1.0
seen = scores["MRR @10 by query"][7]

report("pyterrier", right, seen, seen == 0.0)
PY
