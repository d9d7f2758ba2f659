#!/usr/bin/env bash
# pyterrier 1.1.2, pt.Experiment
# Input:     two systems, the measures AP, RR and P@5; the topic ids of the second system lost their zeros.
# Comes out: the good system's P@5 is .75 and its RR is .2: columns are named by the order of the last row.
# Right:     RR .75 and P@5 .2, as for the good system alone.
# Costs:     everybody who has one run without results; nothing is said, and no column of the good system is right for sure.

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
from ir_measures import AP, P, RR

columns = ["qid", "docno", "score", "rank"]
good = pd.DataFrame([("001", "d1", 2.0, 0), ("001", "d2", 1.0, 1), ("002", "d3", 2.0, 0), ("002", "d4", 1.0, 1)], columns=columns)
other = good.assign(qid=good["qid"].str.lstrip("0"))
qrels = pd.DataFrame([("001", "d1", 1), ("001", "d9", 1), ("002", "d4", 1)], columns=["qid", "docno", "label"])
topics = pd.DataFrame({"qid": ["001", "002"], "query": ["one", "two"]})


def of_good(runs, names):
    table = pt.Experiment(runs, topics, qrels, [AP, RR, P @ 5], names=names).set_index("name")
    return {str(measure): float(table.loc["good", str(measure)]) for measure in (AP, RR, P @ 5)}


right = of_good([good], ["good"])
seen = of_good([good, other], ["good", "other"])

report("pyterrier", right, seen, seen != right and sorted(seen.values()) == sorted(right.values()))
PY
