#!/usr/bin/env bash
# ir-measures 0.4.3 with pytrec-eval-terrier 0.5.11, calc_aggregate
# Input:     nDCG@2 and nDCG@2 with gains of its own, in one call.
# Comes out: by the seed of Python's hashes, nDCG@2 takes the other's gains and the other is 0; or both are right. NumRet
#            beside a measure of judged documents alone counts 5 or 6 documents in the same way.
# Right:     nDCG@2 .5553 and with gains .6122, as each gives alone; 6 documents.
# Costs:     whoever compares gains: two runs of one script give two tables, and one of them is wrong.

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


import json
import os
import subprocess

program = '''
import json
from ir_measures import NumRet, P, calc_aggregate, nDCG
qrels = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "b": 0}}
run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "z": 4.0}, "2": {"a": 1.0, "b": 2.0}}
plain, gains, judged = nDCG @ 2, nDCG(gains={1: 1, 2: 10}) @ 2, P(judged_only=True) @ 2
alone = [round(calc_aggregate([m], qrels, run)[m], 4) for m in (plain, gains, NumRet)]
two, counts = calc_aggregate([plain, gains], qrels, run), calc_aggregate([NumRet, judged], qrels, run)
print(json.dumps([alone, [round(two[plain], 4), round(two[gains], 4), counts[NumRet]]]))
'''
seen = set()
for seed in range(8):
    finished = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True)
    alone, together = json.loads(finished.stdout)
    seen.add(tuple(together))
right = tuple(alone)
seen = sorted(seen)

report("ir_measures", right, seen, len(seen) > 1 and any(row[1] == 0.0 for row in seen) and any(row[2] == 5 for row in seen))
PY
