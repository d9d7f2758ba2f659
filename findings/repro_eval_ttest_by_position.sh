#!/usr/bin/env bash
# repro_eval 0.5.0, ttest
# Input:     scores per topic of two runs, once with topics in the same order, once in another.
# Comes out: p .0000001 and .81: topics are paired by position.
# Right:     the same p twice: topics have names.
# Costs:     whoever merges scores of two tools, or of a run whose topics were sorted as text.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check repro_eval==0.5.0 numpy==1.26.4 scipy==1.17.1 pandas==3.0.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from repro_eval.measure.statistics import ttest

original = {"1": {"P_5": 0.2}, "2": {"P_5": 0.4}, "3": {"P_5": 0.9}}
again = {"1": {"P_5": 0.1}, "2": {"P_5": 0.3}, "3": {"P_5": 0.8001}}
right = ttest(original, again)["P_5"]
seen = ttest(original, {topic: again[topic] for topic in "312"})["P_5"]

report("repro_eval", right, seen, right < 1e-6 and seen > 0.8)
PY
