#!/usr/bin/env bash
# ranx 0.3.21, compare(stat_test="tukey")
# Input:     two systems; the second is one rank lower on each of twelve topics.
# Comes out: p .37: the topics are taken as two independent groups of numbers.
# Right:     .085, Tukey's test with topics as blocks, which for two systems is the paired t-test, as compare itself gives.
# Costs:     whoever tests several systems: the variance of topics drowns all differences.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ranx==0.3.21 numpy==1.26.4 pandas==3.0.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ranx import Qrels, Run, compare


def run(name, shift):
    others = {f"x{k}": 100.0 - k for k in range(20)}
    return Run({f"t{t:02}": {**others, "relevant": 100.5 - t - shift} for t in range(12)}, name=name)


def pvalue(test):
    qrels = Qrels({f"t{t:02}": {"relevant": 1} for t in range(12)})
    found = compare(qrels, [run("A", 0), run("B", 1)], ["mrr"], stat_test=test).to_dict()
    return round(float(found["A"]["comparisons"]["B"]["mrr"]), 3)


right = pvalue("student")
seen = pvalue("tukey")

report("ranx", right, seen, (right, seen) == (0.085, 0.371))
PY
