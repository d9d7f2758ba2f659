#!/usr/bin/env bash
# ir-measures 0.4.3 with pyndeval 0.0.8, calc_aggregate
# Input:     alpha_nDCG@5 with two values of alpha, in one call.
# Comes out: one of both is 0, whichever is second in the order of Python's hashes.
# Right:     1.0 for both, as each gives alone: the ranking is the best that there is.
# Costs:     whoever reports diversity for two settings, or alpha_nDCG beside ERR_IA with another alpha.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1 pyndeval==0.0.8
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ir_measures import Qrel, ScoredDoc, alpha_nDCG, calc_aggregate

qrels = [Qrel("1", "a", 1, "1"), Qrel("1", "b", 1, "2")]
run = [ScoredDoc("1", "a", 2.0), ScoredDoc("1", "b", 1.0)]
measures = [alpha_nDCG(alpha=0.1) @ 5, alpha_nDCG(alpha=0.5) @ 5]
right = sorted(calc_aggregate([measure], qrels, run)[measure] for measure in measures)
seen = sorted(calc_aggregate(measures, qrels, run).values())

report("ir_measures", right, seen, (right, seen) == ([1.0, 1.0], [0.0, 1.0]))
PY
